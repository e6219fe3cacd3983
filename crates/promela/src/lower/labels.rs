//! The labels of one body, found by name or by element without looking through all of them.

use super::flow::{El, LabelDef};
use super::symbols::Scope;
use std::collections::HashMap;
use std::ops::Deref;
use std::sync::Arc;

/// Labels in the order of the text.
#[derive(Clone, Default)]
pub struct Labels {
    all: Vec<LabelDef>,
    by_name: HashMap<Arc<str>, Vec<usize>>,
    by_el: HashMap<El, Vec<usize>>,
}

impl Labels {
    /// Adds one.
    pub fn push(&mut self, label: LabelDef) {
        let number = self.all.len();
        self.by_name.entry(label.name.clone()).or_default().push(number);
        self.by_el.entry(label.el).or_default().push(number);
        self.all.push(label);
    }

    fn listed(&self, numbers: Option<&Vec<usize>>) -> impl DoubleEndedIterator<Item = &LabelDef> {
        let numbers = numbers.map_or(&[][..], Vec::as_slice);
        numbers.iter().map(|&number| &self.all[number])
    }

    /// Those with this name.
    pub fn named(&self, name: &str) -> impl DoubleEndedIterator<Item = &LabelDef> {
        self.listed(self.by_name.get(name))
    }

    /// The one with this name that stands in this very block.
    pub fn standing_in(&self, name: &str, scope: &Scope) -> Option<&LabelDef> {
        self.named(name).find(|l| l.scope == *scope)
    }

    /// Those of an element.
    pub fn of(&self, el: El) -> impl DoubleEndedIterator<Item = &LabelDef> {
        self.listed(self.by_el.get(&el))
    }

    /// Lets the last label of an element be one of another, which has none yet.
    pub fn hand_over(&mut self, from: El, to: El) {
        if let Some(number) = self.by_el.get_mut(&from).and_then(Vec::pop) {
            self.all[number].el = to;
            self.by_el.entry(to).or_default().push(number);
        }
    }
}

impl Deref for Labels {
    type Target = [LabelDef];

    fn deref(&self) -> &[LabelDef] {
        &self.all
    }
}
