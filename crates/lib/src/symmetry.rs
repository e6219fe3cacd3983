//! Members that are interchangeable: one state stands for all that differ in nothing but who is who.
//!
//! The user says which parts and actors belong to which member and how parts are renamed; a state is then named by the least string
//! of numbers among its renamings (all of them up to six members, else those that sort the members by their own parts; E. Clarke, R.
//! Enders, T. Filkorn and S. Jha, "Exploiting symmetry in temporal logic model checking", 1996). Renamings of parts are
//! remembered by number. [`audit`] compares what a renamed state can do with what the state itself can.

use crate::adapter::{Adapted, decode, is_root};
use crate::ground::Ground;
use crate::model::Model;
use crate::parts::{Code, content_hash};
use crate::property::Kind;
use crate::unfold::Unfold;
use starwheel_engine::Random;
use starwheel_system::{Batch, Normaliser, one_by_one};
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

/// Members up to this number are renamed in every way.
const FULL: usize = 6;
/// The most members: classes are told by all renamings there are.
pub const MOST: usize = 8;

/// Which parts and actors belong to interchangeable members.
///
/// ```
/// use starwheel::Symmetry;
/// // Three members; parts 1, 2, 3 are their states and 4, 5, 6 their mailboxes; actors 0, 1, 2 move them.
/// let symmetry = Symmetry::of(3).parts(1).parts(4).actors(0);
/// assert_eq!(symmetry.members(), 3);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Symmetry {
    members: usize,
    parts: Vec<usize>,
    actors: Vec<usize>,
}

impl Symmetry {
    /// So many members.
    pub fn of(members: usize) -> Symmetry {
        Symmetry { members, parts: Vec::new(), actors: Vec::new() }
    }

    /// From this part on, each member has one, in order.
    pub fn parts(mut self, first: usize) -> Symmetry {
        self.parts.push(first);
        self
    }

    /// From this actor on, each member has one, in order.
    pub fn actors(mut self, first: usize) -> Symmetry {
        self.actors.push(first);
        self
    }

    /// How many members there are.
    pub fn members(&self) -> usize {
        self.members
    }

    /// What does not fit a system with so many actors and, at least, so many parts.
    pub(crate) fn fits(&self, actors: usize, parts: usize) -> Result<(), String> {
        if self.members < 2 || self.members > MOST {
            return Err(format!("symmetry is for 2 to {MOST} members, not {}", self.members));
        }
        let beyond = |firsts: &[usize], all: usize| firsts.iter().any(|first| first + self.members > all);
        match (beyond(&self.parts, parts), beyond(&self.actors, actors)) {
            (true, _) => Err(format!("the members have parts beyond the last one: there are {parts}")),
            (_, true) => Err(format!("the members have actors beyond the last one: there are {actors}")),
            _ => Ok(()),
        }
    }
}

/// New names for members.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Renaming(Vec<u8>);

impl Renaming {
    /// The new name of a member.
    pub fn of(&self, member: usize) -> usize {
        self.0.get(member).map_or(member, |&name| usize::from(name))
    }

    /// How many members there are.
    pub fn members(&self) -> usize {
        self.0.len()
    }

    fn inverse(&self) -> Renaming {
        let mut out = self.0.clone();
        self.0.iter().enumerate().for_each(|(old, &new)| out[usize::from(new)] = old as u8);
        Renaming(out)
    }
}

/// Numbers of renamed parts, by those of the parts and the new names of members.
type Renamed = HashMap<(Code, Vec<u8>), Code>;

/// Names states of a user's system; whatever is behind the parts stays as it is.
pub struct Names<'g, 'm, M: Model> {
    ground: &'g Ground<'m, M>,
    symmetry: Symmetry,
    /// All renamings, if there are few.
    all: Option<Vec<Renaming>>,
    /// Numbers behind the parts.
    tail: usize,
    /// Parts under renamings, by number.
    known: Vec<Mutex<Renamed>>,
}

/// All orders of so many members.
fn orders(members: usize) -> Vec<Renaming> {
    let mut out = vec![Vec::new()];
    for next in 0..members as u8 {
        let longer = |order: Vec<u8>| {
            (0..=order.len()).map(move |at| {
                let mut order = order.clone();
                order.insert(at, next);
                order
            })
        };
        out = out.into_iter().flat_map(longer).collect();
    }
    out.sort_unstable();
    out.into_iter().map(Renaming).collect()
}

impl<'g, 'm, M: Model> Names<'g, 'm, M> {
    /// Names of a model that has said what is interchangeable; `tail` numbers behind its parts are nobody's name.
    pub fn new(ground: &'g Ground<'m, M>, symmetry: Symmetry, tail: usize) -> Names<'g, 'm, M> {
        let all = (symmetry.members <= FULL).then(|| orders(symmetry.members));
        Names { ground, symmetry, all, tail, known: (0..16).map(|_| Mutex::default()).collect() }
    }

    /// A part under other names.
    fn part(&self, code: Code, names: &Renaming) -> Code {
        let known = &self.known[code as usize % self.known.len()];
        let key = (code, names.0.clone());
        if let Some(&renamed) = known.lock().unwrap_or_else(PoisonError::into_inner).get(&key) {
            return renamed;
        }
        let part = self.ground.model.rename(self.ground.parts.get(code), names);
        let hash = content_hash(&part);
        let renamed =
            self.ground.parts.intern(part, hash).expect("memory is full before there are four thousand million parts");
        known.lock().unwrap_or_else(PoisonError::into_inner).insert(key, renamed);
        renamed
    }

    /// Replaces `out` by a state under other names.
    fn state(&self, codes: &[Code], names: &Renaming, out: &mut Vec<Code>) {
        let (parts, tail) = codes.split_at(codes.len() - self.tail.min(codes.len()));
        out.clear();
        if is_root(parts) {
            return out.extend_from_slice(codes);
        }
        out.extend(parts.iter().map(|&code| self.part(code, names)));
        let renamed = out.clone();
        for &first in &self.symmetry.parts {
            for member in 0..self.symmetry.members {
                if let (Some(&code), true) = (renamed.get(first + member), first + names.of(member) < out.len()) {
                    out[first + names.of(member)] = code;
                }
            }
        }
        out.extend_from_slice(tail);
    }

    /// The renaming that sorts members by their own parts.
    fn sorting(&self, codes: &[Code]) -> Renaming {
        let key = |&member: &u8| -> Vec<Option<&Code>> {
            self.symmetry.parts.iter().map(|first| codes.get(first + usize::from(member))).collect()
        };
        let mut members: Vec<u8> = (0..self.symmetry.members as u8).collect();
        members.sort_by_key(key);
        Renaming(members).inverse()
    }

    /// The name of a state, and how it is reached.
    fn name(&self, codes: &[Code]) -> (Vec<Code>, Renaming) {
        let sorting;
        let renamings = match &self.all {
            Some(all) => all.as_slice(),
            None => {
                sorting = [self.sorting(codes)];
                &sorting
            }
        };
        let mut best: Option<(Vec<Code>, &Renaming)> = None;
        let mut next = Vec::new();
        for renaming in renamings {
            self.state(codes, renaming, &mut next);
            if best.as_ref().is_none_or(|best| next < best.0) {
                best = Some((std::mem::take(&mut next), renaming));
            }
        }
        let identity = || (codes.to_vec(), Renaming((0..self.symmetry.members as u8).collect()));
        best.map_or_else(identity, |(name, renaming)| (name, renaming.clone()))
    }

    /// Replaces a state by the same under other names.
    fn rename_by(&self, names: &Renaming, state: &mut Vec<u8>) {
        let (mut codes, mut renamed) = (Vec::new(), Vec::new());
        decode(state, &mut codes);
        self.state(&codes, names, &mut renamed);
        write(&renamed, state);
    }

    /// What becomes of all 256 agents.
    fn agents(&self, names: &Renaming) -> Vec<u8> {
        let mut out: Vec<u8> = (0..=255).collect();
        for &first in &self.symmetry.actors {
            (0..self.symmetry.members).for_each(|member| out[first + member] = (first + names.of(member)) as u8);
        }
        out
    }

    /// The renaming of members that is behind one of agents.
    fn members(&self, agents: &[u8]) -> Option<Renaming> {
        let &first = self.symmetry.actors.first()?;
        let name = |member: usize| agents[first + member].checked_sub(first as u8);
        (0..self.symmetry.members).map(name).collect::<Option<Vec<u8>>>().map(Renaming)
    }
}

fn write(codes: &[Code], state: &mut Vec<u8>) {
    state.clear();
    codes.iter().for_each(|code| state.extend_from_slice(&code.to_le_bytes()));
}

impl<M: Model> Normaliser for Names<'_, '_, M> {
    fn normalise(&self, state: &mut Vec<u8>) {
        let mut codes = Vec::new();
        decode(state, &mut codes);
        write(&self.name(&codes).0, state);
    }

    fn normalise_batch(&self, at: &[u8], out: &mut Batch) {
        one_by_one(self, at, out);
    }

    fn normalise_agents(&self, state: &mut Vec<u8>, agents: &mut Vec<u8>) {
        let mut codes = Vec::new();
        decode(state, &mut codes);
        let (name, renaming) = self.name(&codes);
        write(&name, state);
        *agents = self.agents(&renaming);
    }

    fn rename(&self, agents: &[u8], state: &mut Vec<u8>) {
        if let Some(names) = self.members(agents) {
            self.rename_by(&names, state);
        }
    }

    fn class(&self, state: &mut Vec<u8>) {
        let (mut codes, mut next) = (Vec::new(), Vec::new());
        decode(state, &mut codes);
        let mut least = codes.clone();
        for renaming in orders(self.symmetry.members) {
            self.state(&codes, &renaming, &mut next);
            if next < least {
                least.clone_from(&next);
            }
        }
        write(&least, state);
    }
}

/// Looks at so many states, at most, and compares each with a renaming of it: the same steps but for names, the same properties,
/// and the same opinion of an end. What is not the same, in words.
pub fn audit<M: Model>(system: &Adapted<'_, '_, M>, names: &Names<'_, '_, M>, most: usize) -> Result<(), String> {
    let ground = system.ground;
    let (mut walker, mut random) = (system.walker(), Random::new(1));
    let mut first = Vec::new();
    walker.first(&mut first);
    let (mut states, mut known) = (vec![first.clone()], std::collections::HashSet::from([first]));
    let mut at = 0;
    while let Some(state) = states.get(at).cloned() {
        at += 1;
        let mut members: Vec<u8> = (0..names.symmetry.members as u8).collect();
        (1..members.len()).for_each(|i| members.swap(i, random.below(i as u64 + 1) as usize));
        let renaming = Renaming(members);
        let agents = names.agents(&renaming);
        let renamed = |state: &[u8]| {
            let mut state = state.to_vec();
            names.rename_by(&renaming, &mut state);
            state
        };
        let mut moves = |at: &[u8], rename: bool| {
            let mut out = Vec::new();
            walker.each(at, None, |made| {
                let agent = usize::from(made.step.actor.agent().unwrap_or(0));
                let (who, to) =
                    if rename { (agents[agent], renamed(made.state)) } else { (agent as u8, made.state.to_vec()) };
                out.push((who, made.fired.broken, to));
            });
            out.sort();
            out
        };
        let (here, there) = (moves(&state, true), moves(&renamed(&state), false));
        let told = || format!("in the state {} and names {:?}", show(ground, &state), renaming.0);
        if here != there {
            return Err(format!("the renamed state has other steps, {}", told()));
        }
        if here.is_empty() && walker.stuck(&state).is_none() != walker.stuck(&renamed(&state)).is_none() {
            return Err(format!("`may_end` says something else of the renamed state, {}", told()));
        }
        let (mut codes, mut others) = (Vec::new(), Vec::new());
        decode(&state, &mut codes);
        decode(&renamed(&state), &mut others);
        let speaks = |i: &usize| !matches!(ground.properties[*i].kind, Kind::Formula(_)) && !is_root(&codes);
        for property in (0..ground.properties.len()).filter(speaks) {
            let asked = |codes: &[Code]| walker.asked(property, codes).map(|answer| answer.0);
            if asked(&codes) != asked(&others) {
                let name = &ground.properties[property].name;
                return Err(format!("`{name}` says something else of the renamed state, {}", told()));
            }
        }
        walker.each(&state, None, |made| {
            if !made.fired.broken && states.len() < most && known.insert(made.state.to_vec()) {
                states.push(made.state.to_vec());
            }
        });
    }
    Ok(())
}

fn show<M: Model>(ground: &Ground<'_, M>, state: &[u8]) -> String {
    let mut codes = Vec::new();
    decode(state, &mut codes);
    if is_root(&codes) {
        return "before the first ones".to_string();
    }
    let parts: Vec<&M::Part> = codes.iter().map(|&code| ground.parts.get(code)).collect();
    format!("{parts:?}")
}
