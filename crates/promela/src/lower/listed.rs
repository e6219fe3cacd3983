//! Symbols in the order of their declarations, found by name or by place without looking through all of them.

use super::symbols::{Scope, Symbol};
use starwheel_model::{Place, Region};
use std::collections::HashMap;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;

/// A list of symbols. Their names, regions and offsets stay as they are while names are looked up.
#[derive(Clone, Default)]
pub struct Listed {
    symbols: Vec<Symbol>,
    by_name: HashMap<Arc<str>, Namesakes>,
    by_place: HashMap<(Region, u32), usize>,
}

/// All that have one name; inlines may bring thousands of them.
#[derive(Clone)]
struct Namesakes {
    first: usize,
    /// By scope: the number of the last one that is declared in it.
    last_in: HashMap<Scope, usize>,
}

impl Namesakes {
    fn of(first: usize) -> Namesakes {
        Namesakes { first, last_in: HashMap::new() }
    }
}

impl Listed {
    /// Adds one.
    pub fn push(&mut self, symbol: Symbol) {
        let number = self.symbols.len();
        let namesakes = self.by_name.entry(symbol.name.clone()).or_insert_with(|| Namesakes::of(number));
        namesakes.last_in.insert(symbol.scope.clone(), number);
        self.by_place.entry((symbol.region, symbol.offset)).or_insert(number);
        self.symbols.push(symbol);
    }

    /// Forgets all of them.
    pub fn clear(&mut self) {
        *self = Listed::default();
    }

    /// The number of the first one with this name.
    pub fn first(&self, name: &str) -> Option<usize> {
        self.by_name.get(name).map(|namesakes| namesakes.first)
    }

    /// The number of the one with this name that is meant in a scope: that of the innermost block around, the last one in it.
    pub fn visible(&self, name: &str, scope: &[u32]) -> Option<usize> {
        let namesakes = self.by_name.get(name)?;
        (0..=scope.len()).rev().find_map(|depth| namesakes.last_in.get(&scope[..depth]).copied())
    }

    /// The one with this name that is declared in this very scope.
    pub fn declared_in(&self, name: &str, scope: &[u32]) -> Option<&Symbol> {
        self.by_name.get(name)?.last_in.get(scope).map(|&number| &self.symbols[number])
    }

    /// The first one that begins where a place begins.
    pub fn at(&self, place: &Place) -> Option<&Symbol> {
        self.by_place.get(&(place.region, place.offset)).map(|&number| &self.symbols[number])
    }
}

impl Deref for Listed {
    type Target = [Symbol];

    fn deref(&self) -> &[Symbol] {
        &self.symbols
    }
}

impl DerefMut for Listed {
    fn deref_mut(&mut self) -> &mut [Symbol] {
        &mut self.symbols
    }
}
