//! Whether two members may change places: entry states and transitions must be the same afterwards.

use super::{Family, STOPPED, Search, Spot};
use crate::classes::Node;
use crate::entry::frames;
use crate::forms::{Forms, can_fail, indices_can_fail};
use crate::obstacle::Obstacle;
use crate::plan::{Names, Plan};
use crate::prepare::{Kind, Prepared};
use starwheel_base::Span;
use starwheel_model::{ProctypeId, ProctypeKind, Stmt, time};
use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// The transitions of a model as they are, to be compared with renamed ones.
pub(super) struct Before<'p> {
    passed: BTreeMap<Spot, &'p Prepared>,
    /// By location: the transitions in which members are named by constants, and all of its forms. Nothing else can become
    /// different.
    spots: BTreeMap<Spot, (Vec<&'p Prepared>, Vec<String>)>,
    /// The same for conditions under which processes of a type move.
    provided: Vec<(ProctypeId, String)>,
}

impl Search<'_> {
    /// Puts the members of a family into blocks.
    pub(super) fn blocks(
        &self,
        family: &mut Family,
        plan: &Plan,
        names: &HashMap<Node, Names>,
        before: &Before<'_>,
        obstacles: &mut Vec<Obstacle>,
    ) {
        let mut blocks: Vec<Vec<usize>> = Vec::new();
        for m in 0..family.processes.len() {
            let mut why = None;
            let home = blocks.iter().position(|block| {
                let to = plan.swap((family.first + block[0]) as u8, (family.first + m) as u8);
                let verdict = self.good(plan, names, &to, before);
                let good = verdict.is_ok();
                why = why.take().or(verdict.err());
                good
            });
            match home {
                Some(block) => blocks[block].push(m),
                None => {
                    if let Some(why) = why.as_mut().filter(|why| why.span == Span::default()) {
                        why.span = self.model.proctype(family.proctypes[0]).span;
                    }
                    obstacles.extend(why);
                    blocks.push(vec![m]);
                }
            }
        }
        family.blocks = blocks;
    }

    /// Whether an exchange is a symmetry of the model.
    fn good(&self, plan: &Plan, names: &HashMap<Node, Names>, to: &[u8], before: &Before<'_>) -> Result<(), Obstacle> {
        if self.token.stopped() {
            return Err(Obstacle::new(Span::default(), STOPPED));
        }
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
        let rename = |node: Node, v: i32| match names.get(&self.sorts.classes.root(node)) {
            Some(names) => names.rename(v, to),
            None => v,
        };
        let forms = Forms { model: self.model, classes: &self.sorts.classes, rename: &rename };
        for (here, old) in before.spots.values() {
            if self.token.stopped() {
                return Err(Obstacle::new(Span::default(), STOPPED));
            }
            let form = |p: &&Prepared| forms.chain(&self.followed(p, &before.passed));
            let mut new: Vec<String> = here.iter().map(form).collect();
            new.sort();
            if new != *old {
                return Err(self.odd(here.iter().find(|p| !old.contains(&form(p))).or(here.first()).copied()));
            }
        }
        match before.provided.iter().find(|(id, old)| self.provided(*id, &forms).as_ref() != Some(old)) {
            Some((id, _)) => Err(Obstacle::new(self.model.proctype(*id).span, "`provided` names some processes")),
            None => Ok(()),
        }
    }

    /// A transition that treats members in different ways.
    fn odd(&self, odd: Option<&Prepared>) -> Obstacle {
        let span = odd.map_or(Span::default(), |p| self.model.transition(p.trans).span);
        let what = odd.map_or(String::new(), |p| {
            format!(" in `{}`", starwheel_model::text::stmt(self.model, &self.model.transition(p.trans).stmt))
        });
        Obstacle::new(span, format!("some processes are named and others are not{what}"))
            .advise("treat all of them alike, or accept that those that are named are kept apart")
    }

    fn provided(&self, id: ProctypeId, forms: &Forms<'_>) -> Option<String> {
        self.model.proctype(id).provided.as_ref().map(|e| forms.condition(e, id))
    }

    /// The transitions as they are, as far as a renaming may change them.
    pub(super) fn before(&self, names: &HashMap<Node, Names>) -> Before<'_> {
        let named = Cell::new(false);
        let look = |node: Node, v: i32| {
            let names = names.get(&self.sorts.classes.root(node));
            named.set(named.get() || names.is_some_and(|n| n.whose(v).is_some()));
            v
        };
        let forms = Forms { model: self.model, classes: &self.sorts.classes, rename: &look };
        let passed = self.passed();
        let mut spots: BTreeMap<Spot, (Vec<&Prepared>, Vec<String>)> = BTreeMap::new();
        let mut types = BTreeSet::new();
        let asked = |p: &&Prepared| !passed.contains_key(&(p.proctype, p.loc)) && !self.compared.contains(&p.proctype);
        for p in self.all.iter().filter(asked) {
            if self.token.stopped() {
                // No two will be found to be interchangeable any more.
                break;
            }
            types.insert(p.proctype);
            named.set(false);
            let form = forms.chain(&self.followed(p, &passed));
            if named.get() {
                let (list, texts) = spots.entry((p.proctype, p.loc)).or_default();
                list.push(p);
                texts.push(form);
            }
        }
        spots.values_mut().for_each(|spot| spot.1.sort());
        let provided = types.into_iter().filter_map(|id| Some((id, self.provided(id, &forms)?))).collect();
        Before { passed, spots, provided }
    }

    /// The locations that are only passed through: a process comes there inside `atomic` and goes on at once, by the one
    /// transition there is, which neither blocks nor fails. No stored state has a process there, so it does not matter
    /// which of several such locations it is.
    pub(super) fn passed(&self) -> BTreeMap<Spot, &Prepared> {
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
                Stmt::Assign(place, e) => {
                    !indices_can_fail(place) && !can_fail(e) && time::fits(place.ty, e.as_const())
                }
                Stmt::Assert(e) => !can_fail(e),
                _ => false,
            };
            let [only] = list[..] else { continue };
            let plain = only.kind == Kind::Chain && p.kind != ProctypeKind::Never && p.provided.is_none();
            if plain && !entered.contains(&place) && only.body.iter().all(|s| goes_on(&s.0)) {
                out.insert(place, only);
            }
        }
        // A loop of such locations would have no end: whoever comes back to where he was is in one.
        let mut round: BTreeMap<Spot, usize> = BTreeMap::new();
        let mut looping = Vec::new();
        for (number, start) in out.keys().enumerate() {
            let mut at = *start;
            while let Some(p) = out.get(&at) {
                match round.insert(at, number) {
                    Some(seen) if seen == number => {
                        looping.push(at);
                        break;
                    }
                    Some(_) => break,
                    None => at.1 = self.model.transition(p.trans).to,
                }
            }
        }
        looping.iter().for_each(|place| {
            out.remove(place);
        });
        out
    }

    /// A transition and those that always follow it at once.
    pub(super) fn followed<'p>(&self, p: &'p Prepared, passed: &BTreeMap<Spot, &'p Prepared>) -> Vec<&'p Prepared> {
        let mut chain = vec![p];
        let mut at = (p.proctype, self.model.transition(p.trans).to);
        while let Some(next) = passed.get(&at).filter(|_| p.body.iter().all(|s| s.0 != Stmt::End)) {
            chain.push(next);
            at.1 = self.model.transition(next.trans).to;
        }
        chain
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
