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
//! allowed where all members agree. The symmetries that are exchanges of two members are an equivalence relation (two of
//! them conjugate to the third), so its classes, the *blocks*, may be permuted at will. Nothing is assumed about what the
//! user says; what is not proven makes blocks smaller.
//!
//! C. Ip and D. Dill, "Better verification through symmetry" (1996), have the rules for scalarsets, which a user declares;
//! D. Bošnački, D. Dams and L. Holenderski, "Symmetric Spin" (2002), have families of processes in Promela. Where we differ:
//! nothing is declared, entry states are computed, and members that are named by constants are set apart rather than refused.

use crate::build::{self, Layout};
use crate::classes::{Key, Node, Scope};
use crate::entry::{Entry, entry, frames};
use crate::forms::{Forms, can_fail, indices_can_fail};
use crate::obstacle::Obstacle;
use crate::plan::{Names, Plan};
use crate::prepare::{Kind, Prepared, prepare};
use crate::sorts::{Shape, Sorts};
use starwheel_base::Span;
use starwheel_model::{LocId, Model, ProctypeId, ProctypeKind, Stmt, Ty};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// The most members of all families together.
const MOST: usize = 64;

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
    /// True if all that is known to be in the way is that processes die: see [`crate::undying`].
    pub dies: bool,
}

/// Finds what is interchangeable in a model, for a search in step with a claim if there is one.
pub fn infer(model: &Model, claim: Option<ProctypeId>) -> Inferred {
    let mut obstacles = Vec::new();
    let mut dies = false;
    let symmetry = attempt(model, claim, &mut obstacles, &mut dies);
    let mut seen: Vec<Obstacle> = Vec::new();
    for o in obstacles {
        if !seen.contains(&o) {
            seen.push(o);
        }
    }
    match symmetry {
        Ok(Some(found)) => {
            Inferred { symmetry: found.symmetry, obstacles: seen, named_resets: found.named_resets, dies }
        }
        Ok(None) => Inferred { symmetry: None, obstacles: seen, named_resets: Vec::new(), dies },
        Err(obstacle) => {
            seen.push(obstacle);
            Inferred { symmetry: None, obstacles: seen, named_resets: Vec::new(), dies }
        }
    }
}

fn attempt(
    model: &Model,
    claim: Option<ProctypeId>,
    obstacles: &mut Vec<Obstacle>,
    dies: &mut bool,
) -> Result<Option<Found>, Obstacle> {
    if let Some(trace) = &model.trace {
        let span = model.proctype(trace.proctype).span;
        return Err(Obstacle::new(span, "a trace assertion watches who sends what"));
    }
    let mut variables = model.globals.iter().chain(model.proctypes.iter().flat_map(|p| &p.locals));
    if let Some(timer) = variables.find(|v| v.ty == Ty::Timer) {
        return Err(Obstacle::new(timer.span, "the model is timed, and symmetry is not proved for timers yet"));
    }
    if model.uses.lazy {
        return Err(Obstacle::new(
            Span::default(),
            "the model is timed, and symmetry is not proved for lazy steps yet",
        ));
    }
    if model.uses.priority {
        return Err(Obstacle::new(Span::default(), "processes have priorities"));
    }
    let entry = entry(model)?;
    let several: BTreeSet<ProctypeId> =
        entry.types.iter().copied().filter(|t| entry.types.iter().filter(|u| *u == t).count() > 1).collect();
    if several.is_empty() {
        return Ok(None);
    }
    let all = transitions(model, &entry, claim);
    if let Some(last) = entry.types.last()
        && let Some(end) = all.iter().find(|p| p.proctype == *last && p.body.iter().any(|s| s.0 == Stmt::End))
    {
        *dies = true;
        let name = &model.proctype(*last).name;
        let message = format!("`{name}` can come to its end, and processes die in the reverse order of their creation");
        return Err(Obstacle::new(model.transition(end.trans).span, message)
            .advise("let the process that is started last wait for ever at a label `end`"));
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
        Search { model, entry: &entry, all: &all, sorts, layout: &layout, several }.families(notes)
    };
    let mut notes = Vec::new();
    let mut best = search(&sorts, &mut notes)?;
    // An array that is used with constants only may still be indexed by members. A guess cannot do harm: it is judged like
    // everything else, and kept if more can change places.
    if !best.whole {
        let (open, named) = (sorts.classes.open(), best.named.clone());
        for node in open.into_iter().filter(|n| !named.contains(n)).take(GUESSES) {
            for &name in &named {
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
}

/// Arrays whose meaning is guessed.
const GUESSES: usize = 8;

/// The transitions that can still be executed after the entry.
fn transitions(model: &Model, entry: &Entry, claim: Option<ProctypeId>) -> Vec<Prepared> {
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
    if let Some(claim) = claim {
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
}

/// A local variable by which processes of a type differ.
struct Identity<'a> {
    proctype: ProctypeId,
    root: Node,
    shape: &'a Shape,
    /// By process of the type, in order.
    values: Vec<i32>,
}

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
            let draft = self.draft(&mut bad, obstacles);
            if draft.points > MOST {
                return Err(Obstacle::new(
                    Span::default(),
                    format!("there are more than {MOST} processes of one kind"),
                ));
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
            return Ok(Found { symmetry: None, order: 0.0, whole: true, named, named_resets: Vec::new() });
        }
        let mut draft = draft;
        self.numbered(&mut draft, obstacles);
        let names = |node: Node| draft.names.get(&self.sorts.classes.root(node));
        let Some(built) = build::plan(self.layout, self.entry, self.sorts, &draft.families, draft.points, &names)
        else {
            return Err(Obstacle::new(Span::default(), "what belongs to one process has no counterpart at another"));
        };
        let mut plan = built.plan;
        let mut forms = HashMap::new();
        for family in &mut draft.families {
            self.blocks(family, &plan, &draft.names, &mut forms, obstacles);
        }
        for family in &draft.families {
            let points = |b: &Vec<usize>| b.iter().map(|m| (family.first + m) as u8).collect::<Vec<u8>>();
            plan.blocks.extend(family.blocks.iter().filter(|b| b.len() > 1).map(points));
        }
        let whole = draft.families.iter().all(|f| f.blocks.len() == 1);
        draft.families.retain(|f| f.blocks.iter().any(|b| b.len() > 1));
        let order = plan.blocks.iter().map(|b| (1..=b.len()).map(|i| (i as f64).ln()).sum::<f64>()).sum();
        let (arrays, locations) = (built.arrays, built.locations);
        let named_resets = self.resets(&draft.names);
        let some = !plan.blocks.is_empty();
        let alike = self.alike(&draft.names);
        let meanings = self.meanings(&draft);
        let families = draft.families;
        let symmetry = some.then_some(Symmetry { families, plan, arrays, locations, alike, meanings });
        Ok(Found { symmetry, order, whole, named, named_resets })
    }

    /// Resets to zero where zero is a member.
    fn resets(&self, names: &HashMap<Node, Names>) -> Vec<(usize, u32)> {
        let mut out = Vec::new();
        for p in self.all {
            for place in &self.model.transition(p.trans).resets {
                let key = Key::Element(crate::sorts::scope(place.region, p.proctype), place.offset);
                let root = self.sorts.classes.known(key).map(|n| self.sorts.classes.root(n));
                if root.and_then(|r| names.get(&r)).is_some_and(|n| n.whose(0).is_some()) {
                    out.push((p.trans.index(), place.offset));
                }
            }
        }
        out.sort_unstable();
        out.dedup();
        out
    }

    /// What variables mean.
    fn meanings(&self, draft: &Draft) -> Vec<Meaning> {
        let classes = &self.sorts.classes;
        let types = |key: Key| {
            let names = classes.known(key).and_then(|n| draft.names.get(&classes.root(n)));
            let has = |f: &&Family| names.is_some_and(|n| n.rows.iter().any(|r| r[f.first].is_some()));
            draft.families.iter().filter(has).flat_map(|f| f.proctypes.clone()).collect::<Vec<_>>()
        };
        let meaning = |((scope, offset), shape): (&(Scope, u32), &Shape)| Meaning {
            owner: match scope {
                Scope::Local(id) => Some(*id),
                Scope::Global | Scope::Hidden => None,
            },
            offset: *offset,
            holds: types(Key::Element(*scope, *offset)),
            indexed: (0..shape.dims.len()).flat_map(|l| types(Key::Dimension(*scope, *offset, l))).collect(),
        };
        self.sorts.shapes.iter().map(meaning).filter(|m| !(m.holds.is_empty() && m.indexed.is_empty())).collect()
    }

    /// Transitions of one location that are the same but for the members that they name.
    fn alike(&self, names: &HashMap<Node, Names>) -> Vec<Vec<usize>> {
        let anybody = |node: Node, v: i32| match names.get(&self.sorts.classes.root(node)).and_then(|n| n.whose(v)) {
            Some((row, _)) => -1 - row as i32,
            None => v,
        };
        let forms = Forms { model: self.model, classes: &self.sorts.classes, rename: &anybody };
        let passed = self.passed();
        let mut groups: BTreeMap<(ProctypeId, LocId, String), Vec<Vec<usize>>> = BTreeMap::new();
        for p in self.all.iter().filter(|p| !passed.contains_key(&(p.proctype, p.loc))) {
            let chain = self.followed(p, &passed);
            let group = groups.entry((p.proctype, p.loc, forms.chain(&chain))).or_default();
            group.resize(group.len().max(chain.len()), Vec::new());
            group.iter_mut().zip(&chain).for_each(|(g, p)| g.push(p.trans.index()));
        }
        groups.into_values().flatten().filter(|g| g.len() > 1).collect()
    }

    /// Variables by which the processes of a type differ, at most one of each meaning.
    fn identities(&self, bad: &mut BTreeSet<Node>, obstacles: &mut Vec<Obstacle>) -> Vec<Identity<'_>> {
        let mut out: Vec<Identity<'_>> = Vec::new();
        let Some(first) = self.entry.states().next() else { return out };
        for &proctype in &self.several {
            for (&(scope, offset), shape) in &self.sorts.shapes {
                if scope != Scope::Local(proctype) || !shape.dims.is_empty() {
                    continue;
                }
                let Some(node) = self.sorts.classes.known(Key::Element(scope, offset)) else { continue };
                let root = self.sorts.classes.root(node);
                let values = self.layout.values(first, proctype, offset, shape.ty);
                let distinct = values.iter().collect::<BTreeSet<_>>().len() == values.len();
                if !distinct || out.iter().any(|i| i.proctype == proctype && i.root == root) {
                    continue;
                }
                if let Some(why) = self.sorts.classes.why_plain(root) {
                    if bad.insert(root) {
                        let name = &self.model.proctype(proctype).name;
                        let message =
                            format!("`{}` tells the processes of `{name}` apart and {}", shape.name, why.message);
                        obstacles.push(Obstacle::new(why.span, message).advise(ADVICE));
                    }
                } else if !bad.contains(&root) {
                    out.push(Identity { proctype, root, shape, values });
                }
            }
        }
        out
    }

    /// Members and their names, without those sets of places that cannot be renamed.
    fn draft(&self, bad: &mut BTreeSet<Node>, obstacles: &mut Vec<Obstacle>) -> Draft {
        let identities = self.identities(bad, obstacles);
        // Processes that share a name are one member.
        let mut leader: Vec<usize> = (0..self.entry.types.len()).collect();
        let find = |leader: &[usize], mut i: usize| {
            while leader[i] != i {
                i = leader[i];
            }
            i
        };
        for (n, a) in identities.iter().enumerate() {
            for b in identities.iter().skip(n + 1).filter(|b| b.root == a.root) {
                for (i, v) in a.values.iter().enumerate() {
                    if let Some(j) = b.values.iter().position(|w| w == v) {
                        let x = find(&leader, self.layout.process(a.proctype, i));
                        let y = find(&leader, self.layout.process(b.proctype, j));
                        leader[x.max(y)] = x.min(y);
                    }
                }
            }
        }
        let mut members: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (i, t) in self.entry.types.iter().enumerate().filter(|(_, t)| self.several.contains(t)) {
            let _ = t;
            members.entry(find(&leader, i)).or_default().push(i);
        }
        let mut kinds: BTreeMap<Vec<ProctypeId>, Vec<Vec<u8>>> = BTreeMap::new();
        for processes in members.into_values() {
            let mut typed: Vec<(ProctypeId, u8)> = processes.iter().map(|&p| (self.entry.types[p], p as u8)).collect();
            typed.sort();
            let types: Vec<ProctypeId> = typed.iter().map(|t| t.0).collect();
            let twice = types.windows(2).any(|w| w[0] == w[1]);
            if !twice {
                kinds.entry(types).or_default().push(typed.iter().map(|t| t.1).collect());
            }
        }
        let (mut families, mut points) = (Vec::new(), 0);
        for (proctypes, processes) in kinds.into_iter().filter(|k| k.1.len() > 1) {
            let blocks = (0..processes.len()).map(|m| vec![m]).collect();
            points += processes.len();
            let first = points - processes.len();
            families.push(Family { proctypes, processes, blocks, values: None, first });
        }
        let mut rows: BTreeMap<Node, Vec<Vec<Option<i32>>>> = BTreeMap::new();
        for family in &mut families {
            for identity in identities.iter().filter(|i| family.proctypes.contains(&i.proctype)) {
                let which = family.proctypes.iter().position(|p| *p == identity.proctype).unwrap_or_default();
                let value = |m: &Vec<u8>| identity.values[self.layout.rank(m[which])];
                let values: Vec<i32> = family.processes.iter().map(value).collect();
                let mut row = vec![None; points];
                for (m, v) in values.iter().enumerate() {
                    row[family.first + m] = Some(*v);
                }
                rows.entry(identity.root).or_default().push(row);
                let _ = identity.shape;
                family.values.get_or_insert(values);
            }
        }
        if let Some(node) = self.sorts.classes.known(Key::Process) {
            let root = self.sorts.classes.root(node);
            if !bad.contains(&root) && self.sorts.classes.why_plain(root).is_none() {
                for family in &families {
                    for which in 0..family.proctypes.len() {
                        let mut row = vec![None; points];
                        for (m, p) in family.processes.iter().enumerate() {
                            row[family.first + m] = Some(i32::from(p[which]));
                        }
                        rows.entry(root).or_default().push(row);
                    }
                }
            }
        }
        self.channel_rows(&families, points, bad, &mut rows);
        let mut names = HashMap::new();
        for (root, rows) in rows {
            match Names::new(rows) {
                Some(n) => {
                    names.insert(root, n);
                }
                None => {
                    if bad.insert(root) {
                        obstacles.push(Obstacle::new(
                            Span::default(),
                            self.about(root, "names different processes by one number"),
                        ));
                    }
                }
            }
        }
        Draft { families, points, names }
    }

    /// Names of channels that belong to members: elements of arrays that are indexed by names, and their own channels.
    fn channel_rows(
        &self,
        families: &[Family],
        points: usize,
        bad: &BTreeSet<Node>,
        rows: &mut BTreeMap<Node, Vec<Vec<Option<i32>>>>,
    ) {
        let fine = |root: Node| !bad.contains(&root) && self.sorts.classes.why_plain(root).is_none();
        let mut more: Vec<(Node, Vec<Option<i32>>)> = Vec::new();
        // Those of processes.
        for family in families {
            for (which, proctype) in family.proctypes.iter().enumerate() {
                for own in 0..self.model.proctype(*proctype).channels.len() {
                    let mut row = vec![None; points];
                    let mut root = None;
                    for (m, p) in family.processes.iter().enumerate() {
                        let number = self.layout.own_channel(p[which], own);
                        row[family.first + m] = Some(number as i32);
                        root = root.or(self.sorts.classes.known(Key::Channel(number)));
                    }
                    more.extend(root.map(|r| (self.sorts.classes.root(r), row)));
                }
            }
        }
        // Those of arrays: the number of each element, by the name that is its index.
        for family in families {
            for (scope, offset, node) in self.sorts.classes.elements() {
                let root = self.sorts.classes.root(node);
                if scope != Scope::Global || !self.sorts.classes.is_channel(node) {
                    continue;
                }
                let Some(shape) = self.sorts.shapes.get(&(scope, offset)) else { continue };
                let [(_, stride)] = shape.dims[..] else { continue };
                let Some(dimension) = self.sorts.classes.known(Key::Dimension(scope, offset, 0)) else { continue };
                let Some(names) = rows.get(&self.sorts.classes.root(dimension)).cloned() else { continue };
                for index in names.iter().filter(|r| r[family.first].is_some()) {
                    let mut row = vec![None; points];
                    for m in 0..family.processes.len() {
                        let value = index[family.first + m].and_then(|v| u32::try_from(v).ok());
                        row[family.first + m] = value.filter(|v| *v < shape.dims[0].0).and_then(|v| {
                            let at = self.layout.globals + (offset + v * stride) as usize;
                            let first = self.entry.states().next()?;
                            Some(shape.ty.read(first, at)).filter(|n| *n > 0)
                        });
                    }
                    more.push((root, row));
                }
            }
        }
        for (root, row) in more.into_iter().filter(|m| fine(m.0)) {
            let all = rows.entry(root).or_default();
            if !all.contains(&row) {
                all.push(row);
            }
        }
    }

    /// A set of places that cannot be renamed although it holds names, and why.
    fn judge(&self, draft: &Draft) -> Option<(Node, Obstacle)> {
        let classes = &self.sorts.classes;
        for test in &classes.tests {
            let root = classes.root(test.node);
            let Some(names) = draft.names.get(&root) else { continue };
            let truth = |v: &i32| test.op.apply(*v, test.with);
            let mut answers = names.rows.iter().flatten().flatten().map(truth);
            let first = answers.next();
            if !answers.all(|a| Some(a) == first) {
                let message = self.about(root, &format!("is compared in `{}`, where members differ", test.text));
                return Some((root, Obstacle::new(test.span, message).advise(ADVICE)));
            }
        }
        for (&root, names) in &draft.names {
            let values = || names.rows.iter().flatten().flatten().copied();
            let types = classes.types(root);
            if types.iter().any(|t| *t != types[0]) {
                let message = self.about(root, "is kept in variables of different types");
                return Some((root, Obstacle::new(Span::default(), message).advise("declare them with one type")));
            }
            if let Some(narrow) = types.iter().find(|t| values().any(|v| t.truncate(v) != v)) {
                let message = self.about(root, &format!("does not fit into {} byte(s)", narrow.size()));
                return Some((root, Obstacle::new(Span::default(), message).advise("use a wider type")));
            }
            let cut = classes.constants(root).iter().find(|c| types.iter().any(|t| t.truncate(c.0) != c.0));
            if let Some((value, span)) = cut {
                let message = self.about(root, &format!("has no room for {value}"));
                return Some((root, Obstacle::new(*span, message).advise("use a wider type")));
            }
            let number = |v: &i32| usize::try_from(*v).ok().filter(|n| (1..=self.layout.channels.len()).contains(n));
            let uniform = |row: &Vec<Option<i32>>| {
                let numbers: Option<Vec<usize>> = row.iter().flatten().map(number).collect();
                numbers.is_some_and(|n| n.windows(2).all(|w| self.layout.same_form(w[0], w[1])))
            };
            if classes.is_channel(root) && !names.rows.iter().all(uniform) {
                let message = self.about(root, "stands for channels of different forms");
                return Some((root, Obstacle::new(Span::default(), message)));
            }
            let named = |n: i32| usize::try_from(n).is_ok_and(|n| (1..=self.layout.channels.len()).contains(&n));
            if let Some((_, span)) = classes.constants(root).iter().find(|c| classes.is_channel(root) && named(c.0)) {
                let message = self.about(root, "names a channel by its number");
                return Some((root, Obstacle::new(*span, message)));
            }
        }
        for (&(scope, offset), shape) in &self.sorts.shapes {
            for (level, (len, _)) in shape.dims.iter().enumerate() {
                let Some(node) = classes.known(Key::Dimension(scope, offset, level)) else { continue };
                let root = classes.root(node);
                let Some(names) = draft.names.get(&root) else { continue };
                let inside = |v: i32| u32::try_from(v).is_ok_and(|v| v < *len);
                if names.rows.iter().flatten().flatten().any(|v| !inside(*v)) {
                    let message = format!("`{}` has no element for each member that is its index", shape.name);
                    return Some((root, Obstacle::new(Span::default(), message).advise("make the array longer")));
                }
            }
        }
        None
    }

    /// What a set of places is, in a sentence.
    fn about(&self, root: Node, what: &str) -> String {
        let classes = &self.sorts.classes;
        let named = classes.elements().into_iter().find(|e| classes.root(e.2) == root);
        let shape = named.and_then(|e| self.sorts.shapes.get(&(e.0, e.1)));
        format!("`{}` {what}", shape.map_or("_pid", |s| &s.name))
    }

    /// Families whose processes are looked at by number must be renamed by number.
    fn numbered(&self, draft: &mut Draft, obstacles: &mut Vec<Obstacle>) {
        let classes = &self.sorts.classes;
        let root = classes.known(Key::Process).map(|n| classes.root(n));
        let renamed = root.is_none_or(|r| draft.names.contains_key(&r));
        let why = root.and_then(|r| classes.why_plain(r));
        for family in &mut draft.families {
            let own = self.sorts.own_number.iter().find(|o| family.proctypes.contains(&o.0)).map(|o| o.1);
            let asked = own.or(self.sorts.looks);
            let alone = self.sorts.alone.iter().find(|a| family.proctypes.contains(&a.0));
            let name = &self.model.proctype(family.proctypes[0]).name;
            let obstacle = match (renamed, asked, alone) {
                (false, Some(span), _) => {
                    let how = why.map_or("is used as a number".to_string(), |w| w.message.clone());
                    let message = format!("the number of a process of `{name}` {how}");
                    Some(Obstacle::new(why.map_or(span, |w| w.span), message).advise(ADVICE))
                }
                (_, _, Some((_, span))) => {
                    let message = format!("`{name}` is looked at as if there were only one");
                    Some(Obstacle::new(*span, message).advise(format!("say which: `{name}[i]`")))
                }
                _ => None,
            };
            if let Some(obstacle) = obstacle {
                obstacles.push(obstacle);
                family.processes.truncate(0);
            }
        }
    }

    /// Puts the members of a family into blocks.
    fn blocks(
        &self,
        family: &mut Family,
        plan: &Plan,
        names: &HashMap<Node, Names>,
        forms: &mut HashMap<usize, BTreeMap<(ProctypeId, LocId), Vec<String>>>,
        obstacles: &mut Vec<Obstacle>,
    ) {
        let mut blocks: Vec<Vec<usize>> = Vec::new();
        for m in 0..family.processes.len() {
            let mut why = None;
            let home = blocks.iter().position(|block| {
                let to = plan.swap((family.first + block[0]) as u8, (family.first + m) as u8);
                let verdict = self.good(plan, names, &to, forms);
                let good = verdict.is_ok();
                why = why.take().or(verdict.err());
                good
            });
            match home {
                Some(block) => blocks[block].push(m),
                None => {
                    obstacles.extend(why);
                    blocks.push(vec![m]);
                }
            }
        }
        family.blocks = blocks;
    }

    /// Whether an exchange is a symmetry of the model.
    fn good(
        &self,
        plan: &Plan,
        names: &HashMap<Node, Names>,
        to: &[u8],
        forms: &mut HashMap<usize, BTreeMap<(ProctypeId, LocId), Vec<String>>>,
    ) -> Result<(), Obstacle> {
        if !plan.covers(to) {
            return Err(Obstacle::new(Span::default(), "what belongs to one process has no counterpart at another"));
        }
        let mut renamed = Vec::new();
        for set in &self.entry.sets {
            for (state, length) in set {
                plan.apply(to, state, &mut renamed);
                if !set.contains(&(renamed.clone(), *length)) {
                    return Err(self.different(state, &renamed));
                }
            }
        }
        let before = forms.entry(0).or_insert_with(|| self.forms(&|_, v| v));
        let rename = |node: Node, v: i32| match names.get(&self.sorts.classes.root(node)) {
            Some(names) => names.rename(v, to),
            None => v,
        };
        let after = self.forms(&rename);
        for ((id, loc), texts) in &after {
            let old = &before[&(*id, *loc)];
            if old != texts {
                let here = self.all.iter().filter(|p| (p.proctype, p.loc) == (*id, *loc));
                let forms = Forms { model: self.model, classes: &self.sorts.classes, rename: &rename };
                let passed = self.passed();
                let odd = here.clone().find(|p| !old.contains(&forms.chain(&self.followed(p, &passed))));
                let odd = odd.or(here.clone().next());
                let span = odd.map_or(Span::default(), |p| self.model.transition(p.trans).span);
                let what = odd.map_or(String::new(), |p| {
                    format!(" in `{}`", starwheel_model::text::stmt(self.model, &self.model.transition(p.trans).stmt))
                });
                return Err(Obstacle::new(span, format!("some processes are named and others are not{what}"))
                    .advise("treat all of them alike, or accept that those that are named are kept apart"));
            }
        }
        Ok(())
    }

    /// The locations that are only passed through: a process comes there inside `atomic` and goes on at once, by the one
    /// transition there is, which neither blocks nor fails. No stored state has a process there, so it does not matter
    /// which of several such locations it is.
    fn passed(&self) -> BTreeMap<(ProctypeId, LocId), &Prepared> {
        let mut out = BTreeMap::new();
        let (mut ways, mut entered): (BTreeMap<_, Vec<&Prepared>>, BTreeSet<_>) = (BTreeMap::new(), BTreeSet::new());
        for p in self.all {
            ways.entry((p.proctype, p.loc)).or_default().push(p);
            let t = self.model.transition(p.trans);
            let talks = matches!(t.stmt, Stmt::Send { .. } | Stmt::Receive { .. } | Stmt::DStep(_) | Stmt::Chain(_));
            if !t.atomic || (talks && self.model.uses.rendezvous) {
                entered.insert((p.proctype, t.to));
            }
        }
        entered.extend(self.entry.states().flat_map(|s| frames(self.model, s)));
        for (place, list) in ways {
            let p = self.model.proctype(place.0);
            let goes_on = |stmt: &Stmt| match stmt {
                Stmt::Skip(_) => true,
                Stmt::Assign(place, e) => !indices_can_fail(place) && !can_fail(e),
                Stmt::Assert(e) => !can_fail(e),
                _ => false,
            };
            let [only] = list[..] else { continue };
            let plain = only.kind == Kind::Chain && p.kind != ProctypeKind::Never && p.provided.is_none();
            if plain && !entered.contains(&place) && only.body.iter().all(|s| goes_on(&s.0)) {
                out.insert(place, only);
            }
        }
        // A loop of such locations would have no end.
        let looping: Vec<_> = out
            .keys()
            .copied()
            .filter(|place| {
                let mut at = *place;
                (0..out.len()).all(|_| match out.get(&at) {
                    Some(p) => {
                        at = (at.0, self.model.transition(p.trans).to);
                        true
                    }
                    None => false,
                }) && out.contains_key(&at)
            })
            .collect();
        looping.iter().for_each(|place| {
            out.remove(place);
        });
        out
    }

    /// A transition and those that always follow it at once.
    fn followed<'p>(&self, p: &'p Prepared, passed: &BTreeMap<(ProctypeId, LocId), &'p Prepared>) -> Vec<&'p Prepared> {
        let mut chain = vec![p];
        let mut at = (p.proctype, self.model.transition(p.trans).to);
        while let Some(next) = passed.get(&at).filter(|_| p.body.iter().all(|s| s.0 != Stmt::End)) {
            chain.push(next);
            at.1 = self.model.transition(next.trans).to;
        }
        chain
    }

    /// The transitions of each location, sorted.
    fn forms(&self, rename: &dyn Fn(Node, i32) -> i32) -> BTreeMap<(ProctypeId, LocId), Vec<String>> {
        let forms = Forms { model: self.model, classes: &self.sorts.classes, rename };
        let mut out: BTreeMap<(ProctypeId, LocId), Vec<String>> = BTreeMap::new();
        let passed = self.passed();
        for p in self.all.iter().filter(|p| !passed.contains_key(&(p.proctype, p.loc))) {
            out.entry((p.proctype, p.loc)).or_default().push(forms.chain(&self.followed(p, &passed)));
        }
        for id in out.keys().map(|k| k.0).collect::<BTreeSet<_>>() {
            if let Some(e) = &self.model.proctype(id).provided {
                out.insert((id, LocId(u16::MAX)), vec![forms.condition(e, id)]);
            }
        }
        out.values_mut().for_each(|texts| texts.sort());
        out
    }

    /// Why a renamed entry state is none: the first variable that differs.
    fn different(&self, state: &[u8], renamed: &[u8]) -> Obstacle {
        let at = state.iter().zip(renamed).position(|(a, b)| a != b).unwrap_or_default();
        let (name, span) = self.layout.variable(self.model, at);
        let what = name.map_or("their processes start in different ways".to_string(), |name| {
            format!("`{name}` distinguishes processes from the start")
        });
        Obstacle::new(span, what).advise("begin with a value that names nobody (0 is a name if it is a member's)")
    }
}

const ADVICE: &str = "only compare identities with `==` and `!=`, pass them on, and use them as indices";
