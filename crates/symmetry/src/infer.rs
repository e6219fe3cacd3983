//! Finds the families of interchangeable processes of a model, and proves that they are.
//!
//! A *member* is a process, or several of different types that share an identity (a component and its co-component). A
//! *family* is a set of members of the same types. What the members of a family are called is read off the entry states: a
//! local variable in which they all differ names them, and so do their numbers and the numbers of their channels.
//!
//! # Why it is sound
//!
//! Let `p` be a renaming of points ([`crate::plan`]). It is a symmetry of the model, that is, `s` leads to `t` if and only if
//! `p(s)` leads to `p(t)`, and in the same way, if
//!
//! 1. values that meet are renamed alike: [`crate::sorts`] unites them, and a set that is also used as numbers is not
//!    renamed at all (then members that differ in it are no counterparts in the entry states, and 3 fails);
//! 2. each location has the same transitions after the constants in them are renamed ([`crate::forms`]), in processes and in
//!    the claim that is looked at (a transition inside `atomic` together with those that must follow it at once);
//! 3. the renamed entry states are the entry states, and from there on no process comes or goes.
//!
//! 1 and 2 make each statement of `p(i)` in `p(s)` do what the corresponding one of `i` does in `s`: by induction over
//! expressions a value of a renamed set is the renamed value, every other value is the same; comparisons with constants are
//! allowed where all members agree. Timers are numbers that move with their owners: a tick lowers all that run by as much,
//! whosever they are, and whether it can happen is a matter of whether anybody can move. The symmetries that are exchanges of two members are an equivalence relation (two of
//! them conjugate to the third), so its classes, the *blocks*, may be permuted at will. Nothing is assumed about what the
//! user says; what is not proven makes blocks smaller.
//!
//! C. Ip and D. Dill, "Better verification through symmetry" (1996), have the rules for scalarsets, which a user declares;
//! D. Bošnački, D. Dams and L. Holenderski, "Symmetric Spin" (2002), have families of processes in Promela. Where we differ:
//! nothing is declared, entry states are computed, and members that are named by constants are set apart rather than refused.

mod carried;
mod exchange;
mod judge;
mod meanings;
mod members;

use crate::build::{self, Layout};
use crate::classes::Node;
use crate::entry::{Entry, entry, frames};
use crate::obstacle::Obstacle;
use crate::own;
use crate::plan::{Names, Plan};
use crate::prepare::{Prepared, prepare};
use crate::sorts::Sorts;
use starwheel_base::Span;
use starwheel_base::cancel::Token;
use starwheel_model::{Expr, LocId, Model, ProctypeId, Stmt, Transition};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// The most members of all families together.
const MOST: usize = 64;

/// The most bytes of a state.
const LARGEST: usize = 1 << 16;

/// Members that are interchangeable, as far as blocks say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Family {
    /// The types of the processes of each member.
    pub proctypes: Vec<ProctypeId>,
    /// By member: the numbers of its processes, in the order of the types.
    pub processes: Vec<Vec<u8>>,
    /// Members that may change places, by number in the family; each member is in one block.
    pub blocks: Vec<Vec<usize>>,
    /// What the members are called, if they have names besides their numbers.
    pub values: Option<Vec<i32>>,
    /// The first of its points.
    pub first: usize,
}

/// What is interchangeable in a model.
#[derive(Clone, Debug)]
pub struct Symmetry {
    /// The families with a block of at least two members.
    pub families: Vec<Family>,
    /// How states are renamed.
    pub plan: Plan,
    /// Arrays that are indexed by members and hold no names: where the elements of each point lie.
    pub arrays: Vec<Vec<Option<(usize, usize)>>>,
    /// Where the locations of each point lie.
    pub locations: Vec<Vec<usize>>,
    /// Transitions that are the same for different members.
    pub alike: Vec<Vec<usize>>,
    /// What variables mean.
    pub meanings: Vec<Meaning>,
}

impl Symmetry {
    /// How many renamings there are; the largest number there is if there are more.
    pub fn order(&self) -> u64 {
        self.plan.blocks.iter().flat_map(|b| 1..=b.len() as u64).fold(1, u64::saturating_mul)
    }
}

/// What a variable has to do with members.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Meaning {
    /// The process type that it is a local of.
    pub owner: Option<ProctypeId>,
    /// Where it lies.
    pub offset: u32,
    /// The process types whose members it may hold.
    pub holds: Vec<ProctypeId>,
    /// The process types by whose members it is indexed.
    pub indexed: Vec<ProctypeId>,
}

/// What was found in a model.
#[derive(Clone, Debug, Default)]
pub struct Inferred {
    /// What is interchangeable, if anything is.
    pub symmetry: Option<Symmetry>,
    /// What tells processes of one type apart.
    pub obstacles: Vec<Obstacle>,
    /// Resets of dead variables that name a member and had better be left out, by transition and offset of the variable.
    pub named_resets: Vec<(usize, u32)>,
    /// True if merged steps have assignments of zero to local variables in which zero is a member: these may be resets, too.
    pub merged_resets: bool,
    /// True if all that is known to be in the way is that processes die: see [`crate::undying`].
    pub dies: bool,
}

/// Finds what is interchangeable in a model, for a search in step with a claim if there is one.
pub fn infer(model: &Model, claim: Option<ProctypeId>) -> Inferred {
    infer_within(model, claim, &Token::NEVER)
}

/// The same, as long as a token lets it; without symmetry if it does not.
pub fn infer_within(model: &Model, claim: Option<ProctypeId>, token: &Token) -> Inferred {
    let mut obstacles = Vec::new();
    let mut dies = false;
    let symmetry = attempt(&Question { model, claim, compared: &[], token }, &mut obstacles, &mut dies);
    let mut seen: Vec<Obstacle> = Vec::new();
    for o in obstacles {
        if !seen.contains(&o) {
            seen.push(o);
        }
    }
    match symmetry {
        Ok(Some(Found { symmetry, named_resets, merged_resets, .. })) => {
            Inferred { symmetry, obstacles: seen, named_resets, merged_resets, dies }
        }
        Ok(None) => Inferred { obstacles: seen, dies, ..Inferred::default() },
        Err(obstacle) => {
            seen.push(obstacle);
            Inferred { obstacles: seen, dies, ..Inferred::default() }
        }
    }
}

/// For each of these claims, the first one that says the same about other members, which may be itself: it is enough to look
/// for runs that the first ones accept.
pub fn same_claims(model: &Model, claims: &[ProctypeId], token: &Token) -> Vec<usize> {
    let question = Question { model, claim: None, compared: claims, token };
    let found = attempt(&question, &mut Vec::new(), &mut false).ok().flatten().map(|found| found.carried);
    found.filter(|carried| carried.len() == claims.len()).unwrap_or_else(|| (0..claims.len()).collect())
}

/// What is asked about a model.
struct Question<'a> {
    model: &'a Model,
    /// The claim that the search is in step with.
    claim: Option<ProctypeId>,
    /// Claims that are compared with each other.
    compared: &'a [ProctypeId],
    token: &'a Token,
}

fn attempt(question: &Question<'_>, obstacles: &mut Vec<Obstacle>, dies: &mut bool) -> Result<Option<Found>, Obstacle> {
    let &Question { model, claim, compared, token } = question;
    if let Some(trace) = &model.trace {
        let span = model.proctype(trace.proctype).span;
        return Err(Obstacle::new(span, "a trace assertion watches who sends what"));
    }
    // States tell who has moved, also if `_last` stands where nobody comes.
    if model.uses.last {
        let reads = |t: &&Transition| {
            let mut found = false;
            t.stmt.walk(&mut |e| found |= matches!(e, Expr::Last));
            found
        };
        let span = model.transitions.iter().find(reads).map(|t| t.span).unwrap_or_default();
        return Err(Obstacle::new(span, "`_last` tells who has moved"));
    }
    if model.uses.priority {
        return Err(Obstacle::new(
            prioritised(model),
            "processes have priorities, and those with a higher one move first",
        )
        .advise("leave the priorities out, or check without `--symmetry`"));
    }
    let entry = entry(model, token)?;
    let several: BTreeSet<ProctypeId> =
        entry.types.iter().copied().filter(|t| entry.types.iter().filter(|u| *u == t).count() > 1).collect();
    if several.is_empty() {
        return Ok(None);
    }
    let bytes = entry.states().next().map_or(0, <[u8]>::len);
    if bytes > LARGEST {
        let message = format!("states have {bytes} bytes, more than the {LARGEST} for which symmetry is looked for");
        return Err(Obstacle::new(Span::default(), message).advise("make the arrays smaller"));
    }
    let all = transitions(model, &entry, claim.iter().chain(compared));
    if let Some(last) = entry.types.last()
        && let Some(end) = all.iter().find(|p| p.proctype == *last && p.body.iter().any(|s| s.0 == Stmt::End))
    {
        *dies = true;
        let name = &model.proctype(*last).name;
        let message = format!("`{name}` can come to its end, and processes die in the reverse order of their creation");
        return Err(Obstacle::new(model.transition(end.trans).span, message)
            .advise("let the process that is started last wait for ever at a label `end`"));
    }
    if token.stopped() {
        return Err(Obstacle::new(Span::default(), STOPPED));
    }
    let mut sorts = Sorts::new(model, &all);
    if let Some(forbidden) = sorts.forbidden.first() {
        return Err(forbidden.clone());
    }
    let layout = Layout::new(model, &entry);
    layout.complete(&mut sorts);
    layout.channels(&mut sorts, &entry);
    let search = |sorts: &Sorts<'_>, notes: &mut Vec<Obstacle>| {
        let several = several.clone();
        Search { model, entry: &entry, all: &all, sorts, layout: &layout, several, compared, token }.families(notes)
    };
    let mut notes = Vec::new();
    let mut best = search(&sorts, &mut notes)?;
    // An array that is used with constants only may still be indexed by members. A guess cannot do harm: it is judged like
    // everything else, and kept if more can change places.
    if !best.whole {
        let (open, named) = (sorts.classes.open(), best.named.clone());
        for node in open.into_iter().filter(|n| !named.contains(n)).take(GUESSES) {
            for &name in &named {
                if token.stopped() {
                    return Err(Obstacle::new(Span::default(), STOPPED));
                }
                let mut guess = sorts.clone();
                guess.classes.unite(name, node);
                let mut other = Vec::new();
                if let Ok(found) = search(&guess, &mut other)
                    && found.order > best.order
                {
                    (sorts, best, notes) = (guess, found, other);
                    break;
                }
            }
        }
    }
    obstacles.extend(notes);
    Ok(Some(best))
}

/// Where priorities are spoken of first.
fn prioritised(model: &Model) -> Span {
    let speaks = |e: &Expr| match e {
        Expr::Priority | Expr::GetPriority(_) => true,
        Expr::Run(run) => run.priority.is_some(),
        _ => false,
    };
    let sets = |s: &Stmt| {
        let mut found = false;
        s.walk_stmts(&mut |s| found |= matches!(s, Stmt::SetPriority(..)));
        s.walk(&mut |e| found |= speaks(e));
        found
    };
    let step = model.transitions.iter().find(|t| sets(&t.stmt)).map(|t| t.span);
    let active = model.starts.iter().find(|s| s.priority != 1).map(|a| model.proctype(a.proctype).span);
    step.or(active).unwrap_or_default()
}

/// What came of one attempt.
struct Found {
    symmetry: Option<Symmetry>,
    /// The logarithm of the number of symmetries.
    order: f64,
    /// True if all members of each family can change places.
    whole: bool,
    /// The sets that hold names.
    named: Vec<Node>,
    named_resets: Vec<(usize, u32)>,
    merged_resets: bool,
    /// For each claim that is compared, the first one that says the same about other members.
    carried: Vec<usize>,
}

/// Why nothing is said after a limit was reached.
pub(crate) const STOPPED: &str = "there was no time to find out";

/// Arrays whose meaning is guessed.
const GUESSES: usize = 8;

/// The transitions that can still be executed after the entry.
fn transitions<'c>(model: &Model, entry: &Entry, claims: impl Iterator<Item = &'c ProctypeId>) -> Vec<Prepared> {
    let mut from: BTreeMap<ProctypeId, BTreeSet<LocId>> = BTreeMap::new();
    for state in entry.states() {
        for (id, loc) in frames(model, state) {
            from.entry(id).or_default().insert(loc);
        }
    }
    let mut all = Vec::new();
    for (id, locs) in from {
        prepare(model, id, locs.into_iter(), &mut all);
    }
    for &claim in claims {
        prepare(model, claim, std::iter::once(model.proctype(claim).start), &mut all);
    }
    all
}

/// A model on its way to families.
struct Search<'a> {
    model: &'a Model,
    entry: &'a Entry,
    all: &'a [Prepared],
    sorts: &'a Sorts<'a>,
    layout: &'a Layout,
    /// The process types with several processes.
    several: BTreeSet<ProctypeId>,
    compared: &'a [ProctypeId],
    token: &'a Token,
}

/// A location of a process type.
type Spot = (ProctypeId, LocId);

/// Members, before it is known which of them are interchangeable.
struct Draft {
    families: Vec<Family>,
    points: usize,
    /// By set: the names of members.
    names: HashMap<Node, Names>,
}

impl Search<'_> {
    fn families(&self, obstacles: &mut Vec<Obstacle>) -> Result<Found, Obstacle> {
        let mut bad: BTreeSet<Node> = BTreeSet::new();
        let draft = loop {
            if self.token.stopped() {
                return Err(Obstacle::new(Span::default(), STOPPED));
            }
            let draft = self.draft(&mut bad, obstacles);
            if draft.points > MOST {
                let most = draft.families.iter().max_by_key(|f| f.processes.len());
                let span = most.map_or(Span::default(), |f| self.model.proctype(f.proctypes[0]).span);
                let message = format!("there are more than {MOST} processes of one kind");
                return Err(Obstacle::new(span, message).advise("check a smaller instance"));
            }
            match self.judge(&draft) {
                Some((node, obstacle)) => {
                    bad.insert(node);
                    obstacles.push(obstacle);
                }
                None => break draft,
            }
        };
        let mut named: Vec<Node> = draft.names.keys().copied().collect();
        named.sort_unstable();
        if draft.families.is_empty() {
            let (named_resets, carried) = (Vec::new(), Vec::new());
            let none =
                Found { symmetry: None, order: 0.0, whole: true, named, named_resets, merged_resets: false, carried };
            return Ok(none);
        }
        let mut draft = draft;
        self.numbered(&mut draft, obstacles);
        let names = |node: Node| draft.names.get(&self.sorts.classes.root(node));
        let Some(built) = build::plan(self.layout, self.entry, self.sorts, &draft.families, draft.points, &names)
        else {
            let span = self.model.proctype(draft.families[0].proctypes[0]).span;
            return Err(Obstacle::new(span, "what belongs to one process has no counterpart at another"));
        };
        let mut plan = built.plan;
        let before = self.before(&draft.names);
        for family in &mut draft.families {
            self.blocks(family, &plan, &draft.names, &before, obstacles);
        }
        for family in &draft.families {
            let points = |b: &Vec<usize>| b.iter().map(|m| (family.first + m) as u8).collect::<Vec<u8>>();
            plan.blocks.extend(family.blocks.iter().filter(|b| b.len() > 1).map(points));
        }
        if !plan.blocks.is_empty() {
            own::mark(self.model, self.layout, self.entry, &mut plan);
        }
        let whole = draft.families.iter().all(|f| f.blocks.len() == 1);
        draft.families.retain(|f| f.blocks.iter().any(|b| b.len() > 1));
        let order = plan.blocks.iter().map(|b| (1..=b.len()).map(|i| (i as f64).ln()).sum::<f64>()).sum();
        let (arrays, locations) = (built.arrays, built.locations);
        let named_resets = self.resets(&draft.names);
        let merged_resets = self.merged_resets(&draft.names);
        let some = !plan.blocks.is_empty();
        let alike = self.alike(&draft.names);
        let meanings = self.meanings(&draft);
        let carried = self.carried(&plan, &draft.names, self.compared);
        let families = draft.families;
        let symmetry = some.then_some(Symmetry { families, plan, arrays, locations, alike, meanings });
        Ok(Found { symmetry, order, whole, named, named_resets, merged_resets, carried })
    }
}

const ADVICE: &str = "only compare identities with `==` and `!=`, pass them on, and use them as indices";
