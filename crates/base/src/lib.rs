//! Building blocks that know nothing of models: source text, spans, diagnostics, graphs, amounts and memory.

pub mod cancel;
pub mod diagnostic;
pub mod quantity;
pub mod rss;
pub mod scc;
pub mod source;

pub use diagnostic::{Diagnostic, Label, Severity};
pub use source::{Expansion, ExpansionId, FileId, Origin, Place, Position, SourceFile, SourceMap, Span, Use};
