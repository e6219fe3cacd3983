//! The whole way from a source file to a model.

use crate::lower::{Optimisations, lower};
use crate::parse::{FormulaOptions, parse_with};
use crate::preprocess::{self, Loader, preprocess};
use starwheel_base::{Diagnostic, FileId, SourceMap};
use starwheel_model::Model;

/// What can be chosen when a model is compiled.
#[derive(Clone, Debug, Default)]
pub struct CompileOptions {
    /// Macros from outside, and how long all of it may go on.
    pub preprocess: preprocess::Options,
    /// Reset dead locals and hide globals that are never read, as SPIN does unless told otherwise.
    pub dead_vars: bool,
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
    let parsed = parse_with(&tokens.tokens, map, options.formulas);
    diagnostics.extend(parsed.diagnostics);
    // What does not parse would only give misleading errors about names.
    if diagnostics.iter().any(Diagnostic::is_error) {
        return Compiled { model: None, diagnostics };
    }
    let name = map.file(main).name.clone();
    let optimisations = Optimisations { dead_vars: options.dead_vars, merge: options.merge };
    let (model, more) = lower(&parsed.program, map, &name, optimisations, &options.preprocess.until);
    diagnostics.extend(more);
    Compiled { model, diagnostics }
}
