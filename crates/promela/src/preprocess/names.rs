//! Texts of tokens as small numbers, so that tokens are cheap to copy while macros are expanded.

use std::collections::HashMap;
use std::sync::Arc;

/// A text that was met; equal texts have equal symbols.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Symbol(u32);

/// Texts that mean something to the preprocessor, in the order in which [`Names::new`] meets them.
const KNOWN: [&str; 5] = ["defined", "__VA_ARGS__", "__LINE__", "__FILE__", "__STARWHEEL__"];

impl Symbol {
    /// `defined`
    pub const DEFINED: Symbol = Symbol(0);
    /// `__VA_ARGS__`
    pub const VA_ARGS: Symbol = Symbol(1);
    /// `__LINE__`
    pub const LINE: Symbol = Symbol(2);
    /// `__FILE__`
    pub const FILE: Symbol = Symbol(3);
    /// `__STARWHEEL__`
    pub const STARWHEEL: Symbol = Symbol(4);
}

/// All texts.
pub(super) struct Names {
    symbols: HashMap<Arc<str>, Symbol>,
    texts: Vec<Arc<str>>,
}

impl Names {
    /// Only the known names.
    pub fn new() -> Names {
        let mut names = Names { symbols: HashMap::new(), texts: Vec::new() };
        for text in KNOWN {
            names.symbol(text);
        }
        names
    }

    /// The symbol of a text.
    pub fn symbol(&mut self, text: &str) -> Symbol {
        if let Some(&known) = self.symbols.get(text) {
            return known;
        }
        let symbol = Symbol(self.texts.len() as u32);
        let text: Arc<str> = text.into();
        self.texts.push(text.clone());
        self.symbols.insert(text, symbol);
        symbol
    }

    /// The text of a symbol.
    pub fn text(&self, symbol: Symbol) -> &Arc<str> {
        &self.texts[symbol.0 as usize]
    }
}
