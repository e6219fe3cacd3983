//! Types: the smallest of Promela's that holds a sort, and typedefs for structures.

use super::Writer;
use crate::machine::*;
use crate::sorts::{SortId, SortKind};

/// Fields that are ours in every structure.
pub const FIELDS: &[&str] = &["tag", "n", "at", "nothing"];

/// The bounds of one number of a value; a number that was never set is 0.
pub fn leaf_bounds(m: &Machine, leaf: &Leaf) -> (i64, i64) {
    match leaf.path.last() {
        Some(Step::Len | Step::Tag) => (0, 255),
        Some(Step::Given(_)) => (0, 1),
        _ => bounds(m, leaf.sort),
    }
}

fn bounds(m: &Machine, sort: SortId) -> (i64, i64) {
    m.sorts.bounds(sort).map_or((i64::from(i32::MIN), i64::from(i32::MAX)), |(lo, hi)| (lo.min(0), hi.max(0)))
}

/// The smallest type that holds all these.
pub fn smallest(all: impl IntoIterator<Item = (i64, i64)>) -> &'static str {
    let (lo, hi) = all.into_iter().fold((0, 0), |(a, b), (lo, hi)| (a.min(lo), b.max(hi)));
    match (lo, hi) {
        (0, ..=1) => "bit",
        (0, ..=255) => "byte",
        (-32768.., ..=32767) => "short",
        _ => "int",
    }
}

impl Writer<'_> {
    /// Typedefs of all structures that variables have, inner ones first.
    pub fn type_declarations(&mut self) {
        let m = self.m;
        let used: Vec<SortId> = m
            .processes
            .iter()
            .flat_map(|p| p.vars.iter().map(|v| v.sort))
            .chain(m.from_environment.iter().flat_map(|(s, _)| m.signals[*s].sorts.iter().copied()))
            .collect();
        for sort in used {
            self.declare_type(sort, 0);
        }
    }

    fn declare_type(&mut self, sort: SortId, depth: usize) {
        if self.types.contains_key(&sort) || self.m.sorts.is_scalar(sort) || depth > 30 {
            return;
        }
        let kind = self.m.sorts.kind(sort).clone();
        let mut lines = Vec::new();
        match &kind {
            SortKind::Struct(fields) | SortKind::Choice(fields) => {
                for f in fields {
                    self.declare_type(f.sort, depth + 1);
                }
                if matches!(kind, SortKind::Choice(_)) {
                    lines.push("byte tag".to_string());
                }
                for f in fields {
                    let name = self.field(&f.key);
                    if f.optional {
                        lines.push(format!("bit {}", self.given(&f.key)));
                    }
                    lines.push(format!("{} {name}", self.type_of(f.sort)));
                }
            }
            SortKind::List { element, least, most, .. } => {
                self.declare_type(*element, depth + 1);
                if least != most {
                    lines.push("byte n".to_string());
                }
                lines.push(format!("{} at[{}]", self.type_of(*element), (*most).max(1)));
            }
            SortKind::Set { len, .. } => lines.push(format!("bit at[{}]", (*len).max(1))),
            SortKind::Array { element, len, .. } => {
                self.declare_type(*element, depth + 1);
                lines.push(format!("{} at[{}]", self.type_of(*element), (*len).max(1)));
            }
            _ => {}
        }
        if lines.is_empty() {
            lines.push("bit nothing".to_string());
        }
        let name = self.names.take(&format!("{}_t", self.m.sorts.name(sort)));
        self.text.plain(&format!("typedef {name} {{ {} }};", lines.join("; ")));
        self.types.insert(sort, name);
    }

    /// The type of a variable of a sort.
    pub fn type_of(&self, sort: SortId) -> String {
        match self.types.get(&sort) {
            Some(name) => name.clone(),
            None => smallest([bounds(self.m, sort)]).to_string(),
        }
    }

    pub fn field(&self, key: &str) -> String {
        if FIELDS.contains(&key) { format!("f_{key}") } else { self.names.avoid(key) }
    }

    pub fn given(&self, key: &str) -> String {
        format!("has_{}", self.field(key))
    }
}
