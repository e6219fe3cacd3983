//! The text that is being written, line by line, with the place in the source that each line stands for.

use starwheel_base::{SourceMap, Span};
use std::sync::Arc;

/// One piece of the map: a line of the output, counted from one, and where it comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MapEntry {
    /// Line of the Promela text, counted from one.
    pub line: u32,
    /// The place in the source.
    pub span: Span,
    /// What the line means, in the words of the source.
    pub said: Option<Arc<str>>,
    /// What has gone wrong if an assertion on the line fails.
    pub fault: Option<Arc<str>>,
}

/// Words longer than this are no help.
const LONGEST: usize = 80;

pub struct Text<'s> {
    pub out: String,
    pub map: Vec<MapEntry>,
    sources: &'s SourceMap,
    directives: bool,
    lines: u32,
    indent: usize,
    /// File and line that a reader believes the next line has.
    believed: (u32, u32),
}

impl<'s> Text<'s> {
    pub fn new(sources: &'s SourceMap, directives: bool) -> Text<'s> {
        Text { out: String::new(), map: Vec::new(), sources, directives, lines: 0, indent: 0, believed: (u32::MAX, 0) }
    }

    pub fn more(&mut self) {
        self.indent += 1;
    }

    pub fn less(&mut self) {
        self.indent = self.indent.saturating_sub(1);
    }

    /// A line that stands for nothing in the source.
    pub fn plain(&mut self, text: &str) {
        self.push(text);
    }

    /// A line that stands for a place.
    pub fn line(&mut self, span: Span, text: &str) {
        self.told(span, text, None, None);
    }

    /// The same, with words for what it means; without them those of the source, if they stand on one line.
    pub fn told(&mut self, span: Span, text: &str, said: Option<Arc<str>>, fault: Option<Arc<str>>) {
        if self.sources.files().get(span.file.0 as usize).is_none() {
            return self.push(text);
        }
        let at = (span.file.0, self.sources.line(span));
        if self.directives && at != self.believed {
            let name = self.sources.locate(span).0.replace('\\', "/").replace('"', "'");
            self.raw(&format!("#line {} \"{name}\"", at.1));
            self.believed = at;
        }
        self.push(text);
        let said = said.or_else(|| self.words(span).map(Into::into));
        self.map.push(MapEntry { line: self.lines, span, said, fault });
    }

    /// What stands at a place of the source, if it is one line.
    pub fn words(&self, span: Span) -> Option<String> {
        let words = self.sources.text(span).trim().trim_end_matches(';');
        let short = !words.is_empty() && !words.contains('\n') && words.chars().count() <= LONGEST;
        short.then(|| words.to_string())
    }

    fn push(&mut self, text: &str) {
        let indented = format!("{}{text}", "\t".repeat(self.indent));
        self.raw(&indented);
        self.believed.1 = self.believed.1.saturating_add(1);
    }

    fn raw(&mut self, text: &str) {
        self.out.push_str(text);
        self.out.push('\n');
        self.lines += 1 + text.matches('\n').count() as u32;
    }
}
