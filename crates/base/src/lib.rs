//! Building blocks that know nothing of models: source text, spans and diagnostics.

pub mod diagnostic;
pub mod source;

pub use diagnostic::{Diagnostic, Label, Severity};
pub use source::{Expansion, ExpansionId, FileId, Position, SourceFile, SourceMap, Span};
