//! Who the members of families are and what they are called, as the entry states have it.

use super::{ADVICE, Draft, Family, Search};
use crate::classes::{Key, Node, Scope};
use crate::obstacle::Obstacle;
use crate::plan::Names;
use crate::sorts::Shape;
use starwheel_model::ProctypeId;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// A local variable by which processes of a type differ.
struct Identity<'a> {
    proctype: ProctypeId,
    root: Node,
    shape: &'a Shape,
    /// By process of the type, in order.
    values: Vec<i32>,
}

impl Search<'_> {
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
    pub(super) fn draft(&self, bad: &mut BTreeSet<Node>, obstacles: &mut Vec<Obstacle>) -> Draft {
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
            let large = rows.iter().flatten().flatten().any(|name| *name > i32::from(u8::MAX));
            match Names::new(rows) {
                Some(n) => {
                    names.insert(root, n);
                }
                None => {
                    if bad.insert(root) {
                        let (what, advice) = match large {
                            true => ("names processes by numbers above 255", "number the processes from 0 or 1"),
                            false => {
                                ("names different processes by one number", "give each of them a number of its own")
                            }
                        };
                        let what = self.about(root, what);
                        obstacles.push(Obstacle::new(self.declared(root), what).advise(advice));
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
}
