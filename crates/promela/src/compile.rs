//! The whole way from a source file to a model.

use crate::lower::{Optimisations, lower};
use crate::parse::{FormulaOptions, parse_with};
use crate::preprocess::{self, Loader, NoFiles, preprocess};
use starwheel_base::{Diagnostic, FileId, SourceMap};
use starwheel_model::Model;

/// What can be chosen when a model is compiled.
#[derive(Clone, Debug, Default)]
pub struct CompileOptions {
    /// Macros from outside, and how long all of it may go on.
    pub preprocess: preprocess::Options,
    /// Reset dead locals and hide globals that are never read, as SPIN does unless told otherwise.
    pub dead_vars: bool,
    /// Switch local timers off that nobody looks at any more; the caller sees to it that nobody counts ticks.
    pub dead_timers: bool,
    /// Merge local steps, as SPIN does unless told otherwise.
    pub merge: bool,
    /// How formulas are read.
    pub formulas: FormulaOptions,
}

/// What came out: a model only if there is no error.
#[derive(Debug)]
pub struct Compiled {
    /// The model.
    pub model: Option<Model>,
    /// Errors and warnings, in source order as far as they come from one pass.
    pub diagnostics: Vec<Diagnostic>,
}

/// Compiles the model in a file of the map; `loader` brings included files.
pub fn compile(map: &mut SourceMap, main: FileId, options: &CompileOptions, loader: &dyn Loader) -> Compiled {
    let tokens = preprocess(map, main, &options.preprocess, loader);
    let mut diagnostics = tokens.diagnostics;
    let parsed = parse_with(&tokens.tokens, map, options.formulas, &options.preprocess.until);
    diagnostics.extend(parsed.diagnostics);
    // What does not parse would only give misleading errors about names.
    if diagnostics.iter().any(Diagnostic::is_error) {
        return Compiled { model: None, diagnostics };
    }
    let name = map.file(main).name.clone();
    let CompileOptions { dead_vars, dead_timers, merge, .. } = *options;
    let optimisations = Optimisations { dead_vars, dead_timers, merge };
    let (model, more) = lower(&parsed.program, map, &name, optimisations, &options.preprocess.until);
    diagnostics.extend(more);
    Compiled { model, diagnostics }
}

/// Compiles a model that is one text and includes nothing, but perhaps the header for timers.
pub fn compile_text(text: &str, options: &CompileOptions) -> Compiled {
    let mut map = SourceMap::new();
    let main = map.add_file("model.pml", text.to_string());
    compile(&mut map, main, options, &NoFiles)
}
