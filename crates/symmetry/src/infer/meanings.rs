//! What follows for variables and transitions once members are known: meanings, resets that name somebody, statements that are alike.

use super::{Draft, Family, Meaning, Search};
use crate::classes::{Key, Node, Scope};
use crate::forms::Forms;
use crate::plan::Names;
use crate::prepare::Kind;
use crate::sorts::Shape;
use starwheel_model::{Expr, LocId, ProctypeId, Region, Stmt};
use std::collections::{BTreeMap, HashMap};

impl Search<'_> {
    /// Resets to zero where zero is a member.
    pub(super) fn resets(&self, names: &HashMap<Node, Names>) -> Vec<(usize, u32)> {
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

    /// Whether merged steps assign zero to local variables in which it is a member.
    pub(super) fn merged_resets(&self, names: &HashMap<Node, Names>) -> bool {
        self.all.iter().filter(|p| p.kind == Kind::Chain && p.body.len() > 1).any(|p| {
            p.body.iter().any(|(stmt, _)| match stmt {
                Stmt::Assign(place, Expr::Const(0, _)) if place.region == Region::Local => {
                    let key = Key::Element(crate::sorts::scope(place.region, p.proctype), place.offset);
                    let root = self.sorts.classes.known(key).map(|n| self.sorts.classes.root(n));
                    root.and_then(|r| names.get(&r)).is_some_and(|n| n.whose(0).is_some())
                }
                _ => false,
            })
        })
    }

    /// What variables mean.
    pub(super) fn meanings(&self, draft: &Draft) -> Vec<Meaning> {
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
    pub(super) fn alike(&self, names: &HashMap<Node, Names>) -> Vec<Vec<usize>> {
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
}
