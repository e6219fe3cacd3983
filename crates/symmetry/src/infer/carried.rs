//! Claims that say the same about different members: if one is violated, so are all.
//!
//! Let an exchange of two members be a symmetry of the model without claims, and let it take one claim to another, location by
//! location. Then it takes the runs that the one accepts to those that the other accepts, so one of them is enough.

use super::{Search, Spot};
use crate::classes::Node;
use crate::forms::Forms;
use crate::plan::{Names, Plan};
use crate::prepare::Prepared;
use starwheel_model::ProctypeId;
use std::collections::{BTreeMap, HashMap};

impl Search<'_> {
    /// For each of these claims, the first one that says the same about other members, or itself.
    pub(super) fn carried(&self, plan: &Plan, names: &HashMap<Node, Names>, claims: &[ProctypeId]) -> Vec<usize> {
        let mut out: Vec<usize> = (0..claims.len()).collect();
        for b in 1..claims.len() {
            let first = (0..b).filter(|a| out[*a] == *a).find(|a| self.carries(plan, names, claims[*a], claims[b]));
            out[b] = first.unwrap_or(b);
        }
        out
    }

    /// Whether some exchange within a block takes a claim to another one.
    fn carries(&self, plan: &Plan, names: &HashMap<Node, Names>, a: ProctypeId, b: ProctypeId) -> bool {
        let (one, other) = (self.model.proctype(a), self.model.proctype(b));
        let labels = |p: &starwheel_model::Proctype| p.locs.iter().map(|l| (l.accept, l.end)).collect::<Vec<_>>();
        if one.start != other.start || labels(one) != labels(other) {
            return false;
        }
        let goal = self.texts(b, &|_, v| v);
        let pairs = |block: &Vec<u8>| {
            let block = block.clone();
            (0..block.len()).flat_map(move |i| {
                let block = block.clone();
                (i + 1..block.len()).map(move |j| (block[i], block[j]))
            })
        };
        plan.blocks.iter().flat_map(|block| pairs(block).collect::<Vec<_>>()).any(|(x, y)| {
            let to = plan.swap(x, y);
            let rename = |node: Node, v: i32| match names.get(&self.sorts.classes.root(node)) {
                Some(names) => names.rename(v, &to),
                None => v,
            };
            !self.token.stopped() && self.texts(a, &rename) == goal
        })
    }

    /// The forms of a claim's transitions, by location.
    fn texts(&self, claim: ProctypeId, rename: &dyn Fn(Node, i32) -> i32) -> BTreeMap<u16, Vec<String>> {
        let forms = Forms { model: self.model, classes: &self.sorts.classes, rename };
        let mut out: BTreeMap<u16, Vec<String>> = BTreeMap::new();
        let own = |p: &&Prepared| p.proctype == claim;
        for p in self.all.iter().filter(own) {
            let (_, loc): Spot = (p.proctype, p.loc);
            out.entry(loc.0).or_default().push(forms.chain(&[p]));
        }
        out.values_mut().for_each(|texts| texts.sort());
        out
    }
}
