//! The preprocessor: from a file, the files it includes and the macros it defines to the tokens that the parser reads.
//!
//! The language leaves this part to the C preprocessor, and so the rules are those of C with what GCC adds to them.
//! `__LINE__`, `__FILE__` and `__STARWHEEL__` are the only macros known beforehand: what a model means must not depend on the
//! machine. The last one is 1, and lets one text serve other tools as well; `-U` takes it away.
//! Every token keeps the span where it was written and the chain of macros that brought it here. No input can keep the
//! preprocessor busy for long: it stops with an error when the macros of a model make too much work.

mod condition;
mod define;
mod directive;
mod emit;
mod expand;
mod files;
mod hide;
mod include;
mod names;
mod substitute;
#[cfg(test)]
mod tests;

use crate::lex::Kind;
use crate::token::Token;
use define::Macro;
use emit::Emitter;
use files::Frame;
use hide::{HideSet, HideSets};
pub use include::shipped;
use names::{Names, Symbol};
use starwheel_base::cancel::{Token as Until, Watch};
use starwheel_base::{Diagnostic, ExpansionId, FileId, SourceMap, Span};
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

/// How deeply files may include files.
const MAX_INCLUDE_DEPTH: usize = 200;
/// How many files may be included in all.
const MAX_INCLUDES: usize = 10_000;
/// How many bytes of text may be read in all.
const MAX_BYTES: usize = 64 << 20;
/// How deeply uses of macros may stand in arguments of macros.
const MAX_ARGUMENT_DEPTH: usize = 150;
/// How many tokens macros may move about in all, with a fair charge for everything else that takes time.
const MAX_WORK: u64 = 8_000_000;
/// How many tokens a model may have.
const MAX_TOKENS: usize = 2_000_000;
/// How many errors and warnings are kept; nobody reads more.
const MAX_DIAGNOSTICS: usize = 200;

/// Finds the files that a model includes.
pub trait Loader {
    /// The text of an included file. `name` is the name as written between the quotes or the angle brackets, `from` the
    /// name of the including file, and `quoted` is true for `"name"` and false for `<name>`. Returns the name that
    /// reports show and the text, or one sentence that says why there is none.
    fn load(&self, name: &str, from: &str, quoted: bool) -> Result<(String, String), String>;
}

/// There are no files beside the text; the header for timers is known without one.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoFiles;

impl Loader for NoFiles {
    fn load(&self, name: &str, _from: &str, _quoted: bool) -> Result<(String, String), String> {
        Err(format!("there is no file `{name}` here"))
    }
}

/// The name of the file that holds the macros of the command line.
const COMMAND_LINE: &str = "<command line>";

/// What the command line says about macros.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// `-D NAME[=VALUE]`; a name without a value means 1. The name may have parameters, as in `MAX(a,b)`.
    pub defines: Vec<(String, Option<String>)>,
    /// `-U NAME`, after all definitions.
    pub undefines: Vec<String>,
    /// Parts of files of the map that are read after the main file, in this order, as if they stood at its end.
    pub after: Vec<Span>,
    /// When it says stop, nothing more is read, and the tokens make no sense.
    pub until: Until,
}

/// The outcome.
#[derive(Clone, Debug)]
pub struct Tokens {
    /// The tokens; the last one is [`crate::token::TokenKind::Eof`].
    pub tokens: Vec<Token>,
    /// Errors and warnings, in the order in which they were met.
    pub diagnostics: Vec<Diagnostic>,
}

/// Preprocesses a file that the map holds already; included files are added to the map.
pub fn preprocess(map: &mut SourceMap, main: FileId, options: &Options, loader: &dyn Loader) -> Tokens {
    let mut preprocessor = Preprocessor::new(map, loader, options.until.watch());
    preprocessor.open_main(main, options);
    preprocessor.run();
    preprocessor.finish(main)
}

/// A token on its way through the preprocessor.
#[derive(Clone, Copy, Debug)]
struct PpToken {
    kind: Kind,
    text: Symbol,
    span: Span,
    /// The line of the outermost macro use that it comes from, or its own.
    line: u32,
    /// The macros that must not expand it.
    hide: HideSet,
    /// White space stands in front of it.
    space: bool,
    /// It is the first on its line in its file.
    line_start: bool,
}

/// Everything that is known while a model is preprocessed.
struct Preprocessor<'a> {
    map: &'a mut SourceMap,
    loader: &'a dyn Loader,
    names: Names,
    hides: HideSets,
    macros: HashMap<Symbol, Rc<Macro>>,
    frames: Vec<Frame>,
    emitter: Emitter,
    diagnostics: Vec<Diagnostic>,
    files: HashMap<String, FileId>,
    /// Names of files that said `#pragma once`.
    once: HashSet<String>,
    includes: usize,
    bytes: usize,
    work: u64,
    /// For the expansion of a body the one of the arguments put into it, and the other way round.
    twins: HashMap<ExpansionId, ExpansionId>,
    argument_depth: usize,
    /// A condition is being read, in which `defined` has its meaning.
    in_condition: bool,
    /// A warning about text behind `#else` or `#endif` was given.
    named_ends: bool,
    watch: Watch,
    /// A limit was reached; nothing more is read.
    stopped: bool,
}

impl<'a> Preprocessor<'a> {
    fn new(map: &'a mut SourceMap, loader: &'a dyn Loader, watch: Watch) -> Preprocessor<'a> {
        let mut names = Names::new();
        let macros = HashMap::from([(Symbol::STARWHEEL, Rc::new(Macro::one(Symbol::STARWHEEL, names.symbol("1"))))]);
        Preprocessor {
            map,
            loader,
            names,
            hides: HideSets::new(),
            macros,
            frames: Vec::new(),
            emitter: Emitter::default(),
            diagnostics: Vec::new(),
            files: HashMap::new(),
            once: HashSet::new(),
            includes: 0,
            bytes: 0,
            work: 0,
            twins: HashMap::new(),
            argument_depth: 0,
            in_condition: false,
            named_ends: false,
            watch,
            stopped: false,
        }
    }

    /// Puts the main file on the pile of open files, and the definitions of the command line on top of it.
    fn open_main(&mut self, main: FileId, options: &Options) {
        let start = Span { file: main, ..Span::default() };
        // Files are read from the top of the pile.
        if !options.after.iter().rev().all(|&part| self.open_part(part)) {
            return;
        }
        if !self.open(main, start) || options.defines.is_empty() && options.undefines.is_empty() {
            return;
        }
        let mut text = String::new();
        for (name, value) in &options.defines {
            text += &format!("#define {} {}\n", one_line(name), one_line(value.as_deref().unwrap_or("1")));
        }
        for name in &options.undefines {
            text += &format!("#undef {}\n", one_line(name));
        }
        let file = self.map.add_file(COMMAND_LINE, text);
        self.open(file, start);
    }

    fn finish(mut self, main: FileId) -> Tokens {
        while self.frames.len() > 1 {
            self.close();
        }
        let end = self.map.file(main).text.len().min(u32::MAX as usize) as u32;
        self.emitter.end(Span { file: main, start: end, end, ..Span::default() });
        if !self.stopped {
            self.close();
        }
        Tokens { tokens: self.emitter.tokens, diagnostics: self.diagnostics }
    }

    fn report(&mut self, diagnostic: Diagnostic) {
        if self.diagnostics.len() < MAX_DIAGNOSTICS {
            self.diagnostics.push(diagnostic);
        } else if diagnostic.is_error() {
            // There will be no model, and what else is wrong would not be shown.
            self.stop(diagnostic);
        }
    }

    /// Counts work, and stops everything when there has been too much of it.
    fn charge(&mut self, amount: usize, span: Span) {
        self.work += amount as u64;
        if self.work + self.hides.steps / 8 > MAX_WORK {
            let advice = "look for macros that use each other several times over, each use doubling the text";
            self.stop(
                Diagnostic::error("macro-size", span, "the macros of this model expand to far too much text")
                    .advise(advice),
            );
        }
    }

    /// Reports the error that ends the reading; a second one would only repeat it.
    fn stop(&mut self, why: Diagnostic) {
        if !self.stopped {
            self.stopped = true;
            // The reason for stopping must not be lost among many smaller ones.
            self.diagnostics.truncate(MAX_DIAGNOSTICS - 1);
            self.diagnostics.push(why);
        }
    }

    fn text(&self, token: PpToken) -> &str {
        self.names.text(token.text)
    }
}

/// A text from the command line must not bring in lines of its own.
fn one_line(text: &str) -> String {
    text.replace(['\n', '\r'], " ")
}
