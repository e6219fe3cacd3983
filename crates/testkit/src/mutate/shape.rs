//! The rough shape of a Promela text: its items, the statements of bodies, the options of selections, what its variables are.
//!
//! It need not be right about every text: whoever changes a text by it lets both checkers read the result.

use super::tokens::{Kind, Token, tokens};
use std::collections::BTreeSet;
use std::ops::Range;

/// A text with its tokens and what was found in it. Ranges are those of tokens.
#[derive(Clone, Debug)]
pub struct Shape<'a> {
    /// The text.
    pub text: &'a str,
    /// Its tokens.
    pub tokens: Vec<Token>,
    /// Declarations, proctypes, claims: all that stands outside of everything else.
    pub items: Vec<Range<usize>>,
    /// Statements, each with the number of the sequence that it is in; those inside of others as well.
    pub statements: Vec<(usize, Range<usize>)>,
    /// Options of selections and loops, from `::`.
    pub options: Vec<Range<usize>>,
    /// Global variables of a basic type that are no arrays.
    pub globals: Vec<String>,
    /// Global channels.
    pub channels: Vec<String>,
    /// Comparisons of a name with a number or a name: `x == 1`.
    pub comparisons: BTreeSet<String>,
    /// Names that are labels.
    pub labels: BTreeSet<String>,
}

const TYPES: [&str; 9] = ["bit", "bool", "byte", "short", "int", "unsigned", "mtype", "pid", "chan"];

impl<'a> Shape<'a> {
    /// Finds the shape of a text.
    pub fn new(text: &'a str) -> Shape<'a> {
        let mut shape = Shape {
            text,
            tokens: tokens(text),
            items: Vec::new(),
            statements: Vec::new(),
            options: Vec::new(),
            globals: Vec::new(),
            channels: Vec::new(),
            comparisons: BTreeSet::new(),
            labels: BTreeSet::new(),
        };
        shape.find_items();
        shape.find_names();
        let bodies: Vec<usize> = shape.items.iter().filter_map(|item| shape.body(item)).collect();
        for body in bodies {
            let mut sequences = shape.statements.len();
            shape.sequence(body + 1, &mut sequences);
        }
        shape
    }

    /// The text of a token; nothing behind the last one.
    pub fn word(&self, index: usize) -> &'a str {
        self.tokens.get(index).map_or("", |t| &self.text[t.at.clone()])
    }

    /// The text of several tokens.
    pub fn words(&self, range: &Range<usize>) -> &'a str {
        &self.text[self.bytes(range)]
    }

    /// The bytes of several tokens.
    pub fn bytes(&self, range: &Range<usize>) -> Range<usize> {
        match (self.tokens.get(range.start), self.tokens.get(range.end.wrapping_sub(1))) {
            (Some(first), Some(last)) if range.start < range.end => first.at.start..last.at.end,
            (Some(first), _) => first.at.start..first.at.start,
            _ => self.text.len()..self.text.len(),
        }
    }

    /// Is the token a name or a keyword?
    pub fn is_word(&self, index: usize) -> bool {
        self.tokens.get(index).is_some_and(|t| t.kind == Kind::Word)
    }

    /// The token behind the bracket that closes the one at `open`.
    pub fn behind(&self, open: usize) -> usize {
        let mut depth = 0usize;
        for index in open..self.tokens.len() {
            match self.word(index) {
                "(" | "[" | "{" => depth += 1,
                ")" | "]" | "}" => depth = depth.saturating_sub(1),
                _ => {}
            }
            if depth == 0 {
                return index + 1;
            }
        }
        self.tokens.len()
    }

    /// Is the item a process, or something else with statements?
    pub fn is_process(&self, item: &Range<usize>) -> bool {
        let head = [self.word(item.start), self.word(item.start + 1)];
        head.iter().any(|w| ["active", "proctype", "D_proctype", "init"].contains(w))
    }

    /// The brace that opens the statements of an item, if it has any.
    pub fn body(&self, item: &Range<usize>) -> Option<usize> {
        let inline = self.word(item.start) == "inline";
        let has = self.is_process(item) || inline;
        item.clone().find(|index| has && self.word(*index) == "{")
    }

    fn find_items(&mut self) {
        let mut start = 0;
        let mut index = 0;
        while index < self.tokens.len() {
            match self.word(index) {
                "(" | "[" => index = self.behind(index),
                "{" => {
                    let end = self.behind(index);
                    index = end;
                    // `chan c = [1] of { byte };` and `int a[2] = {1, 2};` go on; bodies do not.
                    let head = self.word(start);
                    if !TYPES.contains(&head) && !["hidden", "show", "local"].contains(&head) || head == "mtype" {
                        let end = if self.word(end) == ";" { end + 1 } else { end };
                        self.items.push(start..end);
                        (start, index) = (end, end);
                    }
                }
                ";" => {
                    index += 1;
                    self.items.push(start..index);
                    start = index;
                }
                _ => index += 1,
            }
        }
        if start < self.tokens.len() {
            self.items.push(start..self.tokens.len());
        }
    }

    fn find_names(&mut self) {
        for item in self.items.clone() {
            let first = item.start + usize::from(["hidden", "show", "local"].contains(&self.word(item.start)));
            if !TYPES.contains(&self.word(first)) || self.word(first + 1) == "=" || self.word(first + 1) == "{" {
                continue;
            }
            let mut index = first + 1;
            let mut fresh = true;
            while index < item.end {
                match self.word(index) {
                    "(" | "[" | "{" => {
                        index = self.behind(index);
                        continue;
                    }
                    "," => fresh = true,
                    word if fresh && self.is_word(index) => {
                        fresh = false;
                        if self.word(first) == "chan" {
                            self.channels.push(word.to_string());
                        } else if self.word(index + 1) != "[" {
                            self.globals.push(word.to_string());
                        }
                    }
                    _ => {}
                }
                index += 1;
            }
        }
        for index in 1..self.tokens.len().saturating_sub(1) {
            let (name, value) = (self.word(index - 1), self.word(index + 1));
            let before = if index > 1 { self.word(index - 2) } else { "" };
            let simple = self.globals.iter().any(|g| g == name) && ![".", "@", ":", "-", "+"].contains(&before);
            let known = |w: &str| self.globals.iter().any(|g| g == w) || w.parse::<u32>().is_ok();
            let symbolic = self.is_word(index + 1) && !known(value) && value == value.to_uppercase();
            let plain = (known(value) || symbolic) && ![".", "[", "@", "(", ":"].contains(&self.word(index + 2));
            if simple && plain {
                match self.word(index) {
                    sign @ ("==" | "!=" | "<" | ">" | "<=" | ">=") => {
                        self.comparisons.insert(format!("{name} {sign} {value}"));
                    }
                    "=" => {
                        self.comparisons.insert(format!("{name} == {value}"));
                    }
                    _ => {}
                }
            }
        }
    }

    /// Reads statements from `index` to the end of their sequence; returns where that is.
    fn sequence(&mut self, mut index: usize, sequences: &mut usize) -> usize {
        let own = *sequences;
        *sequences += 1;
        let mut start = index;
        let end_of = |shape: &mut Self, start: usize, end: usize| {
            if start < end {
                shape.statements.push((own, start..end));
            }
        };
        while index < self.tokens.len() {
            match self.word(index) {
                "(" | "[" => index = self.behind(index),
                "{" => index = self.sequence(index + 1, sequences) + 1,
                "if" | "do" => index = self.options(index + 1, sequences) + 1,
                ";" | "->" => {
                    end_of(self, start, index);
                    index += 1;
                    start = index;
                }
                ":" if start + 1 == index && self.is_word(start) => {
                    let label = self.word(start).to_string();
                    self.labels.insert(label);
                    index += 1;
                    start = index;
                }
                "}" | "::" | "fi" | "od" => break,
                _ => index += 1,
            }
        }
        end_of(self, start, index.min(self.tokens.len()));
        index.min(self.tokens.len())
    }

    /// Reads options from `index` to the `fi` or `od` that ends them.
    fn options(&mut self, mut index: usize, sequences: &mut usize) -> usize {
        while self.word(index) == "::" {
            let end = self.sequence(index + 1, sequences);
            self.options.push(index..end);
            index = end;
        }
        index
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "byte x = 1, y; chan c = [1] of { byte };\nmtype = { A, B }\n\
        active proctype p() { byte z; do :: x == 1 -> c!x; L: y = 2 :: else -> atomic { x = 0; break } od; skip }\n\
        ltl q { [] (x < 2) }";

    #[test]
    fn items_and_names_are_found() {
        let shape = Shape::new(TEXT);
        assert_eq!(shape.items.len(), 5, "{:?}", shape.items.iter().map(|i| shape.words(i)).collect::<Vec<_>>());
        assert_eq!(shape.globals, ["x", "y"]);
        assert_eq!(shape.channels, ["c"]);
        assert!(shape.comparisons.contains("x == 1") && shape.comparisons.contains("x < 2"));
        assert!(shape.labels.contains("L"));
    }

    #[test]
    fn statements_and_options_are_found() {
        let shape = Shape::new(TEXT);
        let all: Vec<&str> = shape.statements.iter().map(|(_, range)| shape.words(range)).collect();
        for one in ["byte z", "x == 1", "c!x", "y = 2", "else", "x = 0", "break", "skip", "atomic { x = 0; break }"] {
            assert!(all.contains(&one), "{one}: {all:?}");
        }
        let options: Vec<&str> = shape.options.iter().map(|range| shape.words(range)).collect();
        assert_eq!(options, [":: x == 1 -> c!x; L: y = 2", ":: else -> atomic { x = 0; break }"]);
    }
}
