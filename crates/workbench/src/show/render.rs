//! Diagnostics as text for people: the line, a caret, where a macro was used, and advice.

use crate::problem::Problem;
use annotate_snippets::{Annotation, AnnotationKind, Element, Group, Level, Origin, Renderer, Snippet};
use starwheel_base::{Diagnostic, Label, Severity, SourceMap, Span};

/// How many nested uses of macros are shown before the chain is cut.
const MAX_USES: usize = 4;

/// A problem without a place, with colours.
pub fn plain(problem: &Problem) -> String {
    let group = Group::with_title(level(problem.is_error()).primary_title(problem.message.clone()));
    let mut text = Renderer::styled().render(&[group]);
    for advice in &problem.advice {
        text.push_str("\n  help: ");
        text.push_str(advice);
    }
    text
}

/// A diagnostic with all its places, with colours.
pub fn diagnostic(map: &SourceMap, d: &Diagnostic) -> String {
    let title = level(d.severity == Severity::Error).primary_title(d.message.as_str()).id(d.code);
    let mut elements = snippets(map, &d.labels);
    elements.extend(uses(map, d.span()));
    elements.extend(d.advice.iter().map(|a| Level::HELP.message(a.as_str()).into()));
    Renderer::styled().render(&[title.elements(elements)])
}

fn level(error: bool) -> Level<'static> {
    if error { Level::ERROR } else { Level::WARNING }
}

/// One snippet for each file that a label points into, in the order of the labels.
fn snippets<'a>(map: &'a SourceMap, labels: &'a [Label]) -> Vec<Element<'a>> {
    let mut files = Vec::new();
    for label in labels {
        if !files.contains(&label.span.file) {
            files.push(label.span.file);
        }
    }
    let in_map = |f: &starwheel_base::FileId| (f.0 as usize) < map.files().len();
    let snippet = |file| {
        let here: Vec<&Label> = labels.iter().filter(|l| l.span.file == file).collect();
        let Some(window) = Window::around(map, here.iter().map(|l| l.span)) else { return origin(map, here[0].span) };
        let marks = here.iter().map(|l| mark(map, l.span, window.start, l.primary, &l.text));
        window.snippet.annotations(marks).into()
    };
    files.into_iter().filter(in_map).map(snippet).collect()
}

/// The lines of a file that some places lie in: whoever shows them need not look through the whole file.
struct Window<'a> {
    snippet: Snippet<'a, Annotation<'a>>,
    /// Where it begins in the file.
    start: usize,
}

/// Lines of more bytes than this are not shown.
const LONG: usize = 2000;

impl<'a> Window<'a> {
    /// None if one of the lines is very long.
    fn around(map: &'a SourceMap, spans: impl Iterator<Item = Span> + Clone) -> Option<Window<'a>> {
        let source = map.file(spans.clone().next()?.file);
        let text = &*source.text;
        let border = |at: u32| floor(text, at as usize);
        let (first, last) = (spans.clone().map(|s| s.start).min()?, spans.map(|s| s.start).max()?);
        let before = |at: usize| text.as_bytes()[..at].iter().rev().take(LONG).position(|&b| b == b'\n');
        let back = before(border(first));
        let start = back.map_or(border(first).saturating_sub(LONG), |n| border(first) - n);
        if back.is_none() && start > 0 {
            return None;
        }
        let rest = &text.as_bytes()[border(last)..];
        let length = rest.iter().take(LONG).position(|&b| b == b'\n').or((rest.len() < LONG).then_some(rest.len()))?;
        let line = source.position(start as u32).line as usize;
        let shown = text.get(start..border(last) + length)?;
        if shown.lines().any(|line| line.len() > LONG) {
            return None;
        }
        Some(Window { snippet: Snippet::source(shown).path(source.name.as_str()).line_start(line), start })
    }
}

/// A place in a line that is not shown.
fn origin(map: &SourceMap, span: Span) -> Element<'_> {
    let file = map.file(span.file);
    let at = file.position(span.start);
    Origin::path(file.name.as_str()).line(at.line as usize).char_column(at.column as usize).into()
}

/// For a place that came out of a macro: each place where the macro was used, innermost first.
fn uses(map: &SourceMap, span: Span) -> Vec<Element<'_>> {
    let mut out = Vec::new();
    let mut at = span;
    while let Some(expansion) = map.expansion(at.expansion) {
        let kind = if expansion.inline { "inline" } else { "macro" };
        let note = format!("this comes from the {kind} `{}`, used here", expansion.name);
        at = expansion.call;
        // A macro that uses macros may go very deep: the outermost use is what the reader needs most.
        let outermost = map.expansion(at.expansion).is_none();
        if out.len() >= MAX_USES && !outermost {
            continue;
        }
        out.push(Level::NOTE.message(note).into());
        out.push(match Window::around(map, std::iter::once(at)) {
            Some(window) => window.snippet.annotation(mark(map, at, window.start, true, "")).into(),
            None => origin(map, at),
        });
    }
    out
}

/// The border of characters at or before a byte.
fn floor(text: &str, at: usize) -> usize {
    text.floor_char_boundary(at.min(text.len()))
}

/// An annotation whose range is certain to lie inside the text, on borders of characters; `from` is where the text that is
/// shown begins in the file.
fn mark<'a>(map: &SourceMap, span: Span, from: usize, primary: bool, text: &'a str) -> Annotation<'a> {
    let source = &map.file(span.file).text;
    let start = floor(source, span.start as usize);
    let mut end = floor(source, (span.end as usize).max(start));
    // A place of many lines is shown by its first line: what matters is where it begins.
    if let Some(newline) = source[start..end].find('\n') {
        end = start + newline.max(usize::from(newline == 0));
    }
    let kind = if primary { AnnotationKind::Primary } else { AnnotationKind::Context };
    let mark = kind.span(start.saturating_sub(from)..end.max(start).saturating_sub(from));
    if text.is_empty() { mark } else { mark.label(text) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problem::Code;
    use starwheel_base::{Expansion, ExpansionId, FileId};

    /// The text without colours.
    fn bare(text: &str) -> String {
        let mut out = String::new();
        let mut rest = text.chars();
        while let Some(c) = rest.next() {
            if c == '\u{1b}' {
                rest.by_ref().find(|&c| c == 'm');
            } else {
                out.push(c);
            }
        }
        out
    }

    fn at(start: u32, end: u32) -> Span {
        Span { file: FileId(0), start, end, expansion: ExpansionId::NONE }
    }

    #[test]
    fn a_diagnostic_shows_line_caret_and_advice() {
        let mut map = SourceMap::new();
        map.add_file("m.pml", "byte x;\ninit { y = 1 }\n");
        let d = Diagnostic::error("unknown-name", at(15, 16), "`y` is not declared")
            .here("not known here")
            .also(at(5, 6), "this one is")
            .advise("did you mean `x`?");
        let text = bare(&diagnostic(&map, &d));
        let expected = "\
error[unknown-name]: `y` is not declared
 --> m.pml:2:8
  |
1 | byte x;
  |      - this one is
2 | init { y = 1 }
  |        ^ not known here
  |
  = help: did you mean `x`?";
        assert_eq!(text, expected);
    }

    #[test]
    fn a_problem_without_a_place_is_short() {
        let problem = Problem::error(Code::NoModel, "no such thing").advise("try another");
        assert_eq!(bare(&problem.text), "error: no such thing\n  help: try another");
    }

    #[test]
    fn a_macro_shows_where_it_was_written_and_used() {
        let mut map = SourceMap::new();
        map.add_file("m.pml", "#define A y\ninit { A = 1 }\n");
        let expansion = map.add_expansion(Expansion { name: "A".into(), call: at(19, 20), inline: false });
        let d = Diagnostic::error("unknown-name", Span { expansion, ..at(10, 11) }, "`y` is not declared");
        let text = bare(&diagnostic(&map, &d));
        assert!(text.contains("m.pml:1:11"), "{text}");
        assert!(text.contains("this comes from the macro `A`, used here"), "{text}");
        assert!(text.contains("m.pml:2:8"), "{text}");
    }

    #[test]
    fn places_outside_the_text_do_no_harm() {
        let mut map = SourceMap::new();
        let far = Diagnostic::error("x", at(5, 900), "far away");
        assert!(bare(&diagnostic(&map, &far)).contains("far away"));
        map.add_file("m.pml", "\u{e9}\n");
        for (start, end) in [(0, 0), (1, 1), (1, 2), (3, 3), (2, 3), (5, 900), (900, 901), (2, 1)] {
            let d = Diagnostic::warning("x", at(start, end), "odd");
            assert!(bare(&diagnostic(&map, &d)).contains("odd"));
        }
    }
}
