//! Source files, and spans that survive macro expansion.
//!
//! A [`Span`] says where characters were *written*. When those characters reached the parser through a macro or an
//! inline, the span also names the [`Expansion`], whose own `call` span says where the macro was used (and that may lie
//! in a further expansion). [`SourceMap::place`] tells people where a statement stands: where its characters were
//! written, and by which uses they came to their place; [`SourceMap::outermost`] is the last of these uses.

use std::collections::HashSet;
use std::sync::{Arc, OnceLock};

/// Number of a file in a [`SourceMap`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct FileId(pub u32);

/// Number of an expansion in a [`SourceMap`]; [`ExpansionId::NONE`] is text as it stands in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct ExpansionId(pub u32);

impl ExpansionId {
    /// Text that was not produced by an expansion.
    pub const NONE: ExpansionId = ExpansionId(0);
}

/// A range of bytes in one file, and the expansion that brought it to the parser.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct Span {
    /// The file in which the characters stand.
    pub file: FileId,
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
    /// The expansion, or [`ExpansionId::NONE`].
    pub expansion: ExpansionId,
}

impl Span {
    /// The smallest span that covers both; if they come from different places, the first one alone.
    pub fn to(self, other: Span) -> Span {
        if self.file != other.file || self.expansion != other.expansion {
            return self;
        }
        Span { start: self.start.min(other.start), end: self.end.max(other.end), ..self }
    }
}

/// One use of a macro or of an inline.
#[derive(Clone, Debug)]
pub struct Expansion {
    /// The macro's or inline's name.
    pub name: Arc<str>,
    /// Where it was used.
    pub call: Span,
    /// True for an `inline` of the language, false for a macro of the preprocessor.
    pub inline: bool,
}

/// One file as it was read.
#[derive(Clone, Debug)]
pub struct SourceFile {
    /// The name that reports show.
    pub name: String,
    /// The whole text.
    pub text: Arc<str>,
    line_starts: Vec<u32>,
    /// Where its lines come from, if it was made from other files: by line, in order.
    pub origins: Vec<Origin>,
    /// True if it came with the program: nobody thinks of its lines as places of a model.
    pub shipped: bool,
}

/// Where something was written, and how it came to where it is used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The file; empty if nobody wrote it.
    pub file: Arc<str>,
    /// The first character.
    pub start: Position,
    /// One past the last character.
    pub end: Position,
    /// The uses of inlines and macros that brought it there, innermost first.
    pub via: Vec<Use>,
    /// The characters, in the text that the parser saw.
    pub span: Span,
}

/// One use of an inline or of a macro.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Use {
    /// Its name.
    pub name: Arc<str>,
    /// The file in which it is used.
    pub file: Arc<str>,
    /// Where in that file.
    pub at: Position,
}

/// Where a line comes from, and those behind it up to the next one that says so.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin {
    /// The line, from one.
    pub line: u32,
    /// The name of the file in which it was written.
    pub name: Arc<str>,
    /// Where in that file.
    pub position: Position,
    /// What the line means, in the words of that file.
    pub said: Option<Arc<str>>,
    /// What has gone wrong if an assertion on the line fails, in the same words.
    pub fault: Option<Arc<str>>,
}

/// A line and a column, both counted from one; the column counts characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    /// Line, from one.
    pub line: u32,
    /// Column in characters, from one.
    pub column: u32,
}

/// All files and expansions of one model.
#[derive(Clone, Debug)]
pub struct SourceMap {
    files: Vec<SourceFile>,
    expansions: Vec<Expansion>,
    /// The macros with parameters of all files, once somebody asks.
    functions: OnceLock<HashSet<Box<str>>>,
}

impl Default for SourceMap {
    fn default() -> Self {
        SourceMap::new()
    }
}

impl SourceMap {
    /// An empty map.
    pub fn new() -> SourceMap {
        // Entry 0 stands for "no expansion", so that ids are plain indices.
        let none = Expansion { name: "".into(), call: Span::default(), inline: false };
        SourceMap { files: Vec::new(), expansions: vec![none], functions: OnceLock::new() }
    }

    /// Adds a file and returns its number.
    pub fn add_file(&mut self, name: impl Into<String>, text: impl Into<Arc<str>>) -> FileId {
        let text: Arc<str> = text.into();
        self.functions = OnceLock::new();
        let newlines = text.bytes().enumerate().filter(|&(_, b)| b == b'\n');
        let line_starts = std::iter::once(0).chain(newlines.map(|(i, _)| i as u32 + 1)).collect();
        self.files.push(SourceFile { name: name.into(), text, line_starts, origins: Vec::new(), shipped: false });
        FileId(self.files.len() as u32 - 1)
    }

    /// Says where the lines of a file come from; from then on places in it are told as places there.
    pub fn set_origins(&mut self, file: FileId, origins: Vec<Origin>) {
        self.files[file.0 as usize].origins = origins;
    }

    /// Says that a file came with the program.
    pub fn set_shipped(&mut self, file: FileId) {
        self.files[file.0 as usize].shipped = true;
    }

    /// Adds an expansion and returns its number.
    pub fn add_expansion(&mut self, expansion: Expansion) -> ExpansionId {
        self.expansions.push(expansion);
        ExpansionId(self.expansions.len() as u32 - 1)
    }

    /// True if a file defines a macro of this name with parameters.
    pub fn takes_arguments(&self, name: &str) -> bool {
        let functions = self.functions.get_or_init(|| {
            let lines = self.files.iter().flat_map(|f| f.text.lines());
            let defines = lines.filter_map(|l| l.trim_start().strip_prefix('#')?.trim_start().strip_prefix("define"));
            let named = |l: &str| l.trim_start().split_once('(').map(|(name, _)| name.into());
            defines.filter_map(named).collect()
        });
        functions.contains(name)
    }

    /// The file with this number.
    pub fn file(&self, id: FileId) -> &SourceFile {
        &self.files[id.0 as usize]
    }

    /// All files, in the order in which they were added.
    pub fn files(&self) -> &[SourceFile] {
        &self.files
    }

    /// The expansion with this number; `None` for [`ExpansionId::NONE`].
    pub fn expansion(&self, id: ExpansionId) -> Option<&Expansion> {
        (id != ExpansionId::NONE).then(|| &self.expansions[id.0 as usize])
    }

    /// How deeply the expansion is nested (0 for none).
    pub fn depth(&self, id: ExpansionId) -> usize {
        std::iter::successors(self.expansion(id), |e| self.expansion(e.call.expansion)).count()
    }

    /// The place in plain source text that led to this span: the use of the outermost macro, or the span itself.
    pub fn outermost(&self, span: Span) -> Span {
        let mut at = span;
        while let Some(e) = self.expansion(at.expansion) {
            at = e.call;
        }
        at
    }

    /// The smallest span that covers both, in the text where both were written or where the uses stand that brought them:
    /// in `x = MAX` the last token was written in the definition of `MAX`, but the whole stands where `MAX` is used.
    pub fn cover(&self, first: Span, last: Span) -> Span {
        if first.expansion == last.expansion {
            return first.to(last);
        }
        let (mut a, mut b) = (first, last);
        let (mut deep, mut other) = (self.depth(a.expansion), self.depth(b.expansion));
        while a.expansion != b.expansion {
            let (at, depth) = if deep >= other { (&mut a, &mut deep) } else { (&mut b, &mut other) };
            let Some(e) = self.expansion(at.expansion) else { return first };
            *at = e.call;
            *depth -= 1;
        }
        if a.file == b.file { a.to(b) } else { first }
    }

    /// Where a person looks for what a span covers. A macro that is nothing but this is meant where it is used; so is what
    /// comes out of a file that the person did not write.
    pub fn place(&self, span: Span) -> Place {
        let mut at = span;
        while let Some(e) = self.expansion(at.expansion) {
            if !self.foreign(at) && (e.inline || !self.is_whole_macro(at, &e.name)) {
                break;
            }
            at = e.call;
        }
        let mut via = Vec::new();
        let mut use_ = self.expansion(at.expansion);
        while let Some(e) = use_ {
            if !self.foreign(e.call) {
                let (file, start, _) = self.ends(e.call);
                via.push(Use { name: e.name.clone(), file, at: start });
            }
            use_ = self.expansion(e.call.expansion);
        }
        let (file, start, end) = self.ends(at);
        Place { file, start, end, via, span: at }
    }

    /// File, first character and end of a span, where its characters were written.
    fn ends(&self, at: Span) -> (Arc<str>, Position, Position) {
        let Some(f) = self.files.get(at.file.0 as usize) else {
            let nowhere = Position { line: 0, column: 0 };
            return ("".into(), nowhere, nowhere);
        };
        let (start, end) = (f.position(at.start), f.position(at.end.max(at.start)));
        match f.origin(start.line) {
            Some(origin) => (origin.name.clone(), origin.position, origin.position),
            None => (f.name.as_str().into(), start, end),
        }
    }

    /// True if nobody thinks of this text as part of the model: it came with the program, or was made by it.
    fn foreign(&self, at: Span) -> bool {
        let Some(f) = self.files.get(at.file.0 as usize) else { return false };
        f.shipped || (!f.origins.is_empty() && f.origin(f.position(at.start).line).is_none())
    }

    /// True if a span is all that the definition of a macro says.
    fn is_whole_macro(&self, at: Span, name: &str) -> bool {
        let Some(f) = self.files.get(at.file.0 as usize) else { return false };
        let (Some(before), Some(after)) = (f.text.get(..at.start as usize), f.text.get(at.end as usize..)) else {
            return false;
        };
        let head = before[before.rfind('\n').map_or(0, |n| n + 1)..].trim_start();
        let head = head.strip_prefix('#').and_then(|h| h.trim_start().strip_prefix("define")).map(str::trim);
        let Some(rest) = head.and_then(|h| h.strip_prefix(name)) else { return false };
        let tail = after.lines().next().unwrap_or("").trim();
        let parameters = rest.is_empty() || (rest.starts_with('(') && rest.find(')') == Some(rest.len() - 1));
        parameters && (tail.is_empty() || tail.starts_with("/*") || tail.starts_with("//"))
    }

    /// File name and position of the outermost place of a span.
    pub fn locate(&self, span: Span) -> (&str, Position) {
        let at = self.outermost(span);
        match self.files.get(at.file.0 as usize) {
            Some(f) => {
                let position = f.position(at.start);
                f.origin(position.line).map_or((&f.name, position), |origin| (&origin.name, origin.position))
            }
            None => ("", Position { line: 0, column: 0 }),
        }
    }

    /// What a place means in the words of the file that it was made from, if that file has words for it.
    pub fn said(&self, span: Span) -> Option<&str> {
        self.made_from(span)?.said.as_deref()
    }

    /// What has gone wrong if an assertion at a place fails, in the same words.
    pub fn fault(&self, span: Span) -> Option<&str> {
        self.made_from(span)?.fault.as_deref()
    }

    fn made_from(&self, span: Span) -> Option<&Origin> {
        let at = self.outermost(span);
        let file = self.files.get(at.file.0 as usize)?;
        let line = file.position(at.start).line;
        file.origin(line).filter(|o| o.line == line)
    }

    /// The line of the outermost place of a span.
    pub fn line(&self, span: Span) -> u32 {
        self.locate(span).1.line
    }

    /// The characters of a span, where they were written.
    pub fn text(&self, span: Span) -> &str {
        let Some(f) = self.files.get(span.file.0 as usize) else { return "" };
        f.text.get(span.start as usize..span.end as usize).unwrap_or("")
    }
}

impl SourceFile {
    /// Where a line comes from, if it was written in another file.
    fn origin(&self, line: u32) -> Option<&Origin> {
        self.origins[..self.origins.partition_point(|o| o.line <= line)].last()
    }

    /// Line and column of a byte offset.
    pub fn position(&self, offset: u32) -> Position {
        let line = self.line_starts.partition_point(|&s| s <= offset).max(1) - 1;
        let start = self.line_starts[line] as usize;
        let end = (offset as usize).min(self.text.len());
        let column = self.text.get(start..end).map_or(0, |s| s.chars().count());
        Position { line: line as u32 + 1, column: column as u32 + 1 }
    }

    /// The text of a line, counted from one, without its end.
    pub fn line(&self, line: u32) -> &str {
        let i = (line.max(1) as usize - 1).min(self.line_starts.len() - 1);
        let start = self.line_starts[i] as usize;
        self.text[start..].lines().next().unwrap_or("")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_count_lines_and_characters_from_one() {
        let mut map = SourceMap::new();
        let f = map.add_file("a.pml", "ab\n\u{e9}c\n");
        assert_eq!(map.file(f).position(0), Position { line: 1, column: 1 });
        assert_eq!(map.file(f).position(5), Position { line: 2, column: 2 });
        assert_eq!(map.file(f).line(2), "\u{e9}c");
    }

    #[test]
    fn outermost_follows_calls_out_of_nested_expansions() {
        let mut map = SourceMap::new();
        let f = map.add_file("a.pml", "xxxxxxxxxx");
        let plain = |start| Span { file: f, start, end: start + 1, expansion: ExpansionId::NONE };
        let outer = map.add_expansion(Expansion { name: "A".into(), call: plain(7), inline: false });
        let in_outer = Span { expansion: outer, ..plain(3) };
        let inner = map.add_expansion(Expansion { name: "B".into(), call: in_outer, inline: false });
        let span = Span { expansion: inner, ..plain(1) };
        assert_eq!(map.outermost(span), plain(7));
        assert_eq!(map.depth(inner), 2);
    }

    #[test]
    fn a_place_is_where_it_was_written_and_names_its_uses() {
        let mut map = SourceMap::new();
        let text = "#define TWO x++; x++\n#define FREE (lock == 0)\ninit { TWO; FREE }\n";
        let f = map.add_file("a.pml", text);
        let plain = |what: &str, from: usize| {
            let start = (text[from..].find(what).unwrap() + from) as u32;
            Span { file: f, start, end: start + what.len() as u32, expansion: ExpansionId::NONE }
        };
        let two = map.add_expansion(Expansion { name: "TWO".into(), call: plain("TWO", 46), inline: false });
        let second = map.place(Span { expansion: two, ..plain("x++", 17) });
        assert_eq!((map.text(second.span), second.start.line, second.start.column), ("x++", 1, 18));
        assert_eq!(second.via.iter().map(|u| (&*u.name, u.at.line)).collect::<Vec<_>>(), [("TWO", 3)]);
        let free = map.add_expansion(Expansion { name: "FREE".into(), call: plain("FREE", 46), inline: false });
        let whole = map.place(Span { expansion: free, ..plain("(lock == 0)", 0) });
        assert_eq!((map.text(whole.span), whole.start.line), ("FREE", 3));
        assert!(whole.via.is_empty());
        let both = map.cover(plain("init", 0), Span { expansion: free, ..plain(")", 0) });
        assert_eq!(map.text(both), "init { TWO; FREE");
    }

    #[test]
    fn a_file_that_was_made_tells_places_in_the_others() {
        let mut map = SourceMap::new();
        let made = map.add_file("made", "a\nb\nc\n");
        let position = Position { line: 7, column: 3 };
        map.set_origins(
            made,
            vec![Origin { line: 2, name: "source".into(), position, said: Some("words".into()), fault: None }],
        );
        let at = |start: u32| Span { file: made, start, end: start + 1, ..Span::default() };
        assert_eq!(map.locate(at(0)), ("made", Position { line: 1, column: 1 }));
        assert_eq!(map.locate(at(2)), ("source", position));
        assert_eq!(map.locate(at(4)), ("source", position));
    }
}
