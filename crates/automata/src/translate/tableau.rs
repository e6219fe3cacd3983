//! From a formula to a generalised Büchi automaton, state by state.
//!
//! J.-M. Couvreur, "On-the-fly verification of linear temporal logic" (FM 1999), with decision diagrams as in A. Duret-Lutz,
//! "LTL translation improvements in Spot" (VECoS 2011): a state is a formula, and its diagram over propositions, `next`
//! variables and promises tells its edges. A promise says that the right side of an until will come; an edge carries a mark
//! if it does not make the promise. States with the same diagram are one state.
//!
//! Where we differ: each diagram is read letter class by letter class (propositions come first in the order), so that all
//! letters with the same future share an edge; [`Style`] says whether a choice is made now or put off.

use std::collections::HashMap;

use super::TooLarge;
use super::graph::{Arrow, Graph};
use crate::automaton::Marks;
use crate::bdd::{Bdd, Func, Var};
use crate::ltl::pool::{Id, Node, Op, Pool};
use crate::words::Prop;

/// How a state with several futures for one letter branches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Style {
    /// One edge for each future: simple states.
    Choose,
    /// Futures that make the same promises are joined into one: fewer choices, larger formulas.
    PutOff,
}

/// What a variable above the propositions means.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Meaning {
    Next(Id),
    Promise(Id),
}

/// The letters' variables are numbered as the propositions in `props`.
pub(crate) struct Tableau<'a> {
    pool: &'a mut Pool,
    bdd: &'a mut Bdd,
    props: &'a [Prop],
    meanings: Vec<Meaning>,
    variables: HashMap<Meaning, Var>,
    diagrams: HashMap<(Id, bool), Func>,
    promises: Vec<Id>,
    /// How many futures of letters may still be looked at.
    work: usize,
}

/// An edge before marks are known: letters, promises, and the formula it leads to.
struct Step {
    label: Func,
    promised: u64,
    to: Id,
}

/// More futures than this for one letter are not worked on.
const FUTURES: usize = 1024;
/// More classes of letters than this in one state are not worked on.
const CLASSES: usize = 4096;
/// More futures than this in all are not worked on.
const WORK: usize = 50_000;

impl<'a> Tableau<'a> {
    pub fn new(pool: &'a mut Pool, bdd: &'a mut Bdd, props: &'a [Prop]) -> Tableau<'a> {
        let (variables, diagrams) = (HashMap::new(), HashMap::new());
        Tableau { pool, bdd, props, meanings: Vec::new(), variables, diagrams, promises: Vec::new(), work: WORK }
    }

    /// The automaton of a formula, with at most `limit` states.
    pub fn build(mut self, formula: Id, style: Style, limit: usize) -> Result<Graph, TooLarge> {
        let first = self.diagram(formula, false)?;
        let mut numbers = HashMap::from([(first, 0)]);
        let mut todo = vec![first];
        let mut steps: Vec<Vec<(Step, usize)>> = Vec::new();
        while steps.len() < todo.len() {
            let mut list = Vec::new();
            for step in self.steps(todo[steps.len()], style)? {
                let diagram = self.diagram(step.to, false)?;
                if diagram == Bdd::FALSE {
                    continue;
                }
                let number = *numbers.entry(diagram).or_insert_with(|| {
                    todo.push(diagram);
                    todo.len() - 1
                });
                list.push((step, number));
            }
            steps.push(list);
            if todo.len() > limit || self.bdd.is_full() {
                return Err(TooLarge);
            }
        }
        let mark_count = self.promises.len() as u32;
        let arrow = |(step, to): &(Step, usize)| {
            let marks = Marks::all(mark_count).0 & !step.promised;
            Arrow { label: step.label, marks, to: *to }
        };
        let arrows = steps.iter().map(|list| list.iter().map(arrow).collect()).collect();
        Ok(Graph { arrows, initial: 0, mark_count })
    }

    fn variable(&mut self, meaning: Meaning) -> Func {
        let next = (self.props.len() + self.meanings.len()) as Var;
        let var = *self.variables.entry(meaning).or_insert(next);
        if var == next {
            self.meanings.push(meaning);
        }
        self.bdd.literal(var, true)
    }

    fn promise(&mut self, goal: Id) -> Result<Func, TooLarge> {
        if !self.promises.contains(&goal) {
            self.promises.push(goal);
        }
        if self.promises.len() > Marks::LIMIT as usize {
            Err(TooLarge)
        } else {
            Ok(self.variable(Meaning::Promise(goal)))
        }
    }

    /// What a formula asks of the letter and of the next position. A formula that `recurs` is asked for again at every
    /// later position anyway, so it need not be carried along.
    fn diagram(&mut self, id: Id, recurs: bool) -> Result<Func, TooLarge> {
        if let Some(&found) = self.diagrams.get(&(id, recurs)) {
            return Ok(found);
        }
        let result = match self.pool.node(id).clone() {
            Node::Const(value) => {
                if value {
                    Bdd::TRUE
                } else {
                    Bdd::FALSE
                }
            }
            Node::Lit(prop, positive) => {
                let var = self.props.iter().position(|&known| known == prop).ok_or(TooLarge)?;
                self.bdd.literal(var as Var, positive)
            }
            Node::And(parts) => {
                let mut all = Bdd::TRUE;
                for &part in parts.iter() {
                    let part = self.diagram(part, recurs)?;
                    all = self.bdd.and(all, part);
                }
                all
            }
            Node::Or(parts) => {
                let mut any = Bdd::FALSE;
                for &part in parts.iter() {
                    let part = self.diagram(part, false)?;
                    any = self.bdd.or(any, part);
                }
                any
            }
            Node::Next(inner) => self.variable(Meaning::Next(inner)),
            Node::Always(inner) => {
                let now = self.diagram(inner, true)?;
                let later = if recurs { Bdd::TRUE } else { self.variable(Meaning::Next(id)) };
                self.bdd.and(now, later)
            }
            Node::Eventually(inner) => self.until(id, Pool::TRUE, inner, Some(inner), recurs)?,
            Node::Bin(Op::Until, left, right) => self.until(id, left, right, Some(right), recurs)?,
            Node::Bin(Op::Weak, left, right) => self.until(id, left, right, None, recurs)?,
            Node::Bin(Op::Release, left, right) => self.release(id, left, right, None, recurs)?,
            Node::Bin(Op::Strong, left, right) => self.release(id, left, right, Some(left), recurs)?,
        };
        self.diagrams.insert((id, recurs), result);
        Ok(result)
    }

    /// The formula itself at the next position, with a promise if something must come.
    fn carry(&mut self, id: Id, goal: Option<Id>, recurs: bool) -> Result<Func, TooLarge> {
        let later = if recurs { Bdd::TRUE } else { self.variable(Meaning::Next(id)) };
        let promise = goal.map_or(Ok(Bdd::TRUE), |goal| self.promise(goal))?;
        Ok(self.bdd.and(later, promise))
    }

    fn until(&mut self, id: Id, left: Id, right: Id, goal: Option<Id>, recurs: bool) -> Result<Func, TooLarge> {
        let carried = self.carry(id, goal, recurs)?;
        let (left, right) = (self.diagram(left, false)?, self.diagram(right, false)?);
        let wait = self.bdd.and(left, carried);
        Ok(self.bdd.or(right, wait))
    }

    fn release(&mut self, id: Id, left: Id, right: Id, goal: Option<Id>, recurs: bool) -> Result<Func, TooLarge> {
        let carried = self.carry(id, goal, recurs)?;
        let (left, right) = (self.diagram(left, false)?, self.diagram(right, false)?);
        let open = self.bdd.or(left, carried);
        Ok(self.bdd.and(right, open))
    }

    fn steps(&mut self, diagram: Func, style: Style) -> Result<Vec<Step>, TooLarge> {
        let mut steps: Vec<Step> = Vec::new();
        let mut places = HashMap::new();
        let remainders = self.bdd.remainders(diagram, self.props.len() as Var, CLASSES).ok_or(TooLarge)?;
        for (remainder, label) in remainders {
            for (promised, to) in self.futures(remainder, style)? {
                let place = *places.entry((promised, to)).or_insert(steps.len());
                match steps.get_mut(place) {
                    Some(step) => step.label = self.bdd.or(step.label, label),
                    None => steps.push(Step { label, promised, to }),
                }
            }
            if self.bdd.is_full() {
                return Err(TooLarge);
            }
        }
        Ok(steps)
    }

    /// What can be chosen for the next position: promises and a formula.
    fn futures(&mut self, remainder: Func, style: Style) -> Result<Vec<(u64, Id)>, TooLarge> {
        let sets = self.bdd.smallest_sets(remainder, FUTURES).ok_or(TooLarge)?;
        self.work = self.work.checked_sub(sets.len()).ok_or(TooLarge)?;
        let mut futures: Vec<(u64, Vec<Id>)> = Vec::new();
        for set in sets {
            let (promised, to) = self.future(&set);
            match futures.iter_mut().find(|(known, _)| style == Style::PutOff && *known == promised) {
                Some((_, list)) => list.push(to),
                None => futures.push((promised, vec![to])),
            }
        }
        Ok(futures.into_iter().map(|(promised, list)| (promised, self.pool.raw_or(list))).collect())
    }

    /// The promises and the formula for the next position that a set of variables stands for.
    fn future(&mut self, set: &[Var]) -> (u64, Id) {
        let mut promised = 0;
        let mut next = Vec::new();
        for &var in set {
            match self.meanings[var as usize - self.props.len()] {
                Meaning::Next(id) => next.push(id),
                Meaning::Promise(goal) => {
                    promised |= self.promises.iter().position(|&known| known == goal).map_or(0, |place| 1 << place);
                }
            }
        }
        (promised, self.pool.raw_and(next))
    }
}
