//! Property automata of HOA files: each accepts the runs that must not happen, as a never claim does.
//!
//! The names of propositions are conditions over the model. They are compiled with it, as if they stood at its end, and
//! errors point into the HOA file: the front end reads just those parts of it, each wrapped in a block of our own.

use crate::ask::plan::Reading;
use crate::problem::{Code, Failure, Problem};
use crate::property::formula::{self, counts_steps, watch};
use starwheel_automata::translate::to_buchi_within;
use starwheel_automata::{Buchi, hoa};
use starwheel_base::cancel::Token;
use starwheel_base::{Diagnostic, ExpansionId, FileId, SourceFile, SourceMap, Span};
use starwheel_model::{Expr, Model, ProctypeId, PropertyKind};
use std::path::Path;

/// The name of the property in reports and trails.
pub const NAME: &str = "automaton";
/// What the names of the blocks around propositions begin with.
const PREFIX: &str = "starwheel_proposition_";

/// The conditions that an automaton reads, and where they stand in its file.
pub type Reads = Vec<(Expr, Span)>;

/// An automaton that was read, whose propositions are not yet understood.
pub struct PropertyAutomaton {
    automaton: Buchi,
    /// The file says that repeated states change nothing.
    pub invariant: bool,
    file: FileId,
    /// The text of each proposition, without quotes.
    props: Vec<Span>,
    /// The file with the blocks around propositions.
    pub blocks: FileId,
    /// Opening and closing text of each block.
    wraps: Vec<(Span, Span)>,
}

/// Reads the automaton of a file.
pub fn load(map: &mut SourceMap, path: &Path, reading: &Reading) -> Result<PropertyAutomaton, Failure> {
    let name = path.display().to_string();
    let text = reading.shelf.read(path, &reading.until).map_err(|why| {
        let problem = Problem::error(Code::UnreadableFile, format!("`{name}` {why}")).about(&name);
        problem.advise("give the name of a file with a Büchi automaton in the HOA format")
    })?;
    let file = map.add_file(name, text);
    parse(map, file, &reading.until).map_err(|d| Problem::of(map, &d).into())
}

fn parse(map: &mut SourceMap, file: FileId, until: &Token) -> Result<PropertyAutomaton, Box<Diagnostic>> {
    let source = map.file(file).clone();
    let wrong =
        |e: hoa::HoaError| Box::new(Diagnostic::error("hoa", place(&source, file, e.line, e.column), e.message));
    let automata = hoa::read_within(&source.text, until).map_err(wrong)?;
    let start = place(&source, file, 1, 1);
    let [only] = &automata[..] else {
        let (message, advice) = match automata.len() {
            0 => ("there is no automaton in this file".to_string(), "it has to begin with `HOA: v1`"),
            n => (format!("a property is one automaton, and there are {n} here"), "put each in a file of its own"),
        };
        return Err(Box::new(Diagnostic::error("hoa", start, message).advise(advice)));
    };
    let places = hoa::proposition_places(&source.text).map_err(wrong)?;
    let quotes = places.iter().map(|&(line, column)| place(&source, file, line, column));
    let props = quotes.map(|quote| contents(&source, quote)).collect::<Result<Vec<_>, _>>()?;
    let automaton = to_buchi_within(&only.automaton, until).map_err(|_| {
        let d = Diagnostic::error("hoa", start, "the automaton is too large");
        Box::new(d.advise("make it smaller, for instance with another tool for automata"))
    })?;
    let (blocks, wraps) = blocks(map, props.len());
    let invariant = only.header.properties.iter().any(|p| p == "stutter-invariant");
    Ok(PropertyAutomaton { automaton, invariant, file, props, blocks, wraps })
}

/// The character at a line and column, both from 1.
pub(crate) fn place(source: &SourceFile, file: FileId, line: usize, column: usize) -> Span {
    let before: usize = source.text.split_inclusive('\n').take(line - 1).map(str::len).sum();
    let here = &source.text[before.min(source.text.len())..];
    let mut rest = here.char_indices().skip(column - 1).map(|(at, _)| at);
    let start = rest.next().unwrap_or(here.len());
    let end = rest.next().unwrap_or(here.len());
    let at = |offset: usize| (before + offset) as u32;
    Span { file, start: at(start), end: at(end), expansion: ExpansionId::NONE }
}

/// What stands between an opening quote and the closing one.
fn contents(source: &SourceFile, quote: Span) -> Result<Span, Box<Diagnostic>> {
    let start = quote.end as usize;
    let rest = &source.text[start..];
    let end = start + rest.find(['"', '\\', '{', '}']).unwrap_or(rest.len());
    let span = Span { start: start as u32, end: end as u32, ..quote };
    match source.text[end..].chars().next() {
        Some(c @ ('\\' | '{' | '}')) => {
            let message = format!("a proposition is a condition over the model, and `{c}` cannot be part of one");
            let at = Span { start: end as u32, end: end as u32 + 1, ..quote };
            Err(Box::new(
                Diagnostic::error("hoa-proposition", at, message).advise("write it as an expression of Promela"),
            ))
        }
        _ if source.text[start..end].trim().is_empty() => {
            let d = Diagnostic::error("hoa-proposition", quote, "this proposition is empty");
            Err(Box::new(d.advise("write a condition over the model, such as \"x > 0\"")))
        }
        _ => Ok(span),
    }
}

/// A file with the blocks around this many propositions, and where the parts of each block are.
fn blocks(map: &mut SourceMap, count: usize) -> (FileId, Vec<(Span, Span)>) {
    let file = FileId(map.files().len() as u32);
    let (mut text, mut wraps) = (String::new(), Vec::new());
    let mut add = |piece: &str| {
        let start = text.len() as u32;
        text.push_str(piece);
        Span { file, start, end: text.len() as u32, expansion: ExpansionId::NONE }
    };
    for number in 0..count {
        // A comment in a proposition ends with it.
        wraps.push((add(&format!("ltl {PREFIX}{number} {{ ")), add("\n}\n")));
    }
    (map.add_file("--automaton", text), wraps)
}

impl PropertyAutomaton {
    /// What the front end reads after the model.
    pub fn parts(&self) -> Vec<Span> {
        self.wraps.iter().zip(&self.props).flat_map(|(&(open, close), &prop)| [open, prop, close]).collect()
    }

    /// Moves what a diagnostic says about our blocks to the propositions within.
    pub fn translate(&self, mut d: Diagnostic) -> Diagnostic {
        // What explains a place in a block only speaks of the block.
        d.labels.retain(|l| l.primary || l.span.file != self.blocks);
        for label in d.labels.iter_mut().filter(|l| l.span.file == self.blocks) {
            let at = self.wraps.iter().position(|(_, close)| label.span.start < close.end);
            label.span = match at.map(|number| self.props[number]) {
                Some(prop) => Span { start: prop.end, end: prop.end + 1, ..prop },
                None => Span { file: self.file, start: 0, end: 1, expansion: ExpansionId::NONE },
            };
            d.message = d.message.replace("found `}`", "found the end of the proposition");
            d.message = d.message.replace("an operator or `}`", "an operator or the end of the proposition");
        }
        if d.labels.iter().any(|l| l.span.file == self.file) {
            d.message = d.message.replace("an operator or `}`", "an operator or the end of the proposition");
        }
        d
    }

    /// Takes the conditions out of the model, whose steps may be `merged`, and adds the claim; gives both, the conditions with
    /// their places.
    pub fn add(&self, model: &mut Model, merged: bool) -> Result<(ProctypeId, Reads), Box<Diagnostic>> {
        let start = Span { file: self.file, start: 0, end: 1, expansion: ExpansionId::NONE };
        if merged && !self.invariant {
            let message = "the automaton of `--automaton` may count steps, and merged ones are fewer";
            let advice = "or write `properties: stutter-invariant` in its header if it does not count them";
            return Err(Box::new(counts_steps(start, message).advise(advice)));
        }
        let (own, others) = model.properties.drain(..).partition(|p| p.name.starts_with(PREFIX));
        model.properties = others;
        let own: Vec<starwheel_model::Property> = own;
        let condition = |number: usize| -> Option<Expr> {
            let name = format!("{PREFIX}{number}");
            match &own.iter().find(|p| *p.name == *name)?.kind {
                PropertyKind::Ltl(formula) => formula::condition(formula),
                _ => None,
            }
        };
        let props: Option<Vec<Expr>> = (0..self.props.len()).map(condition).collect();
        let props = props.ok_or_else(|| {
            let message = "the propositions of this automaton could not be read as conditions";
            Box::new(Diagnostic::error("hoa-proposition", start, message))
        })?;
        let claim = watch(model, &self.automaton, &props, NAME, start)?;
        Ok((claim, props.into_iter().zip(self.props.iter().copied()).collect()))
    }
}
