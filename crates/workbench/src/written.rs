//! Statements as the user wrote them, and where: the characters of the source, one line, with the uses of inlines and macros
//! that brought them to their place.

use crate::open::Opened;
use crate::show::short;
use serde::{Deserialize, Serialize};
use starwheel_base::{Place, SourceMap, Span};
use starwheel_model::{SkipKind, Stmt, TransId, Transition, text};

/// The range of characters of a statement; ends are exclusive, lines and columns count from one.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct At {
    /// The file.
    pub file: String,
    /// The line of the first character.
    pub line: u32,
    /// Its column.
    pub column: u32,
    /// The line of the end.
    pub end_line: u32,
    /// The column behind the last character.
    pub end_column: u32,
}

/// A use of an inline or a macro.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Via {
    /// Its name.
    pub name: String,
    /// The file in which it is used.
    pub file: String,
    /// The line.
    pub line: u32,
}

/// Where something stands in the source.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Where {
    /// Its own place.
    pub at: At,
    /// How it came to where it is used, innermost first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub via: Vec<Via>,
}

/// Where a statement of a report stands: the line that people look for, and the whole place.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Source {
    /// The file.
    pub file: String,
    /// The line, from one.
    pub line: u32,
    /// Its range of characters.
    #[serde(skip_serializing_if = "At::is_nowhere")]
    pub at: At,
    /// The uses of inlines and macros that brought it to its place, innermost first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub via: Vec<Via>,
}

impl From<Where> for Source {
    fn from(place: Where) -> Source {
        Source { file: place.at.file.clone(), line: place.at.line, at: place.at, via: place.via }
    }
}

impl At {
    /// True if nobody wrote it.
    pub fn is_nowhere(&self) -> bool {
        self.line == 0
    }
}

impl Where {
    /// The place of a span; nowhere for what nobody wrote.
    pub fn of(map: &SourceMap, span: Span) -> Where {
        if span == Span::default() { Where::default() } else { Where::from(map.place(span)) }
    }

    /// The line of a span that has a meaning also where it is the first of all.
    pub fn always(map: &SourceMap, span: Span) -> Where {
        Where::from(map.place(span))
    }

    /// In one phrase: `lib.pml:6 in bump, from main.pml:4`.
    pub fn shown(&self) -> String {
        let mut out = format!("{}:{}", self.at.file, self.at.line);
        out.push_str(&chain(&self.via));
        out
    }
}

/// The uses behind a place: ` in bump, from main.pml:4`.
pub fn chain(via: &[Via]) -> String {
    let link = |v: &Via| format!(" in {}, from {}:{}", v.name, short(&v.file), v.line);
    via.iter().map(link).collect()
}

impl From<Place> for Where {
    fn from(p: Place) -> Where {
        let (start, end) = (p.start, p.end);
        let (line, column, end_line, end_column) = (start.line, start.column, end.line, end.column);
        let via = |u: &starwheel_base::Use| Via { name: u.name.to_string(), file: u.file.to_string(), line: u.at.line };
        Where {
            at: At { file: p.file.to_string(), line, column, end_line, end_column },
            via: p.via.iter().map(via).collect(),
        }
    }
}

/// The statement of a transition as the user wrote it.
pub fn statement(opened: &Opened, trans: TransId) -> String {
    opened.model.transitions.get(trans.index()).map_or_else(String::new, |t| of(opened, t))
}

/// The same for a transition at hand.
pub fn of(opened: &Opened, t: &Transition) -> String {
    // An automaton of a file stands at its first letter: nobody wrote its steps as statements.
    if opened.automaton == Some(t.proctype) {
        return text::stmt(&opened.model, &t.stmt);
    }
    let Stmt::Chain(list) = &t.stmt else { return one(opened, &t.stmt, t.span) };
    let mut out: Vec<String> = Vec::new();
    let mut last = None;
    for (i, stmt) in list.iter().enumerate() {
        let span = t.merged.get(i).copied().unwrap_or(t.span);
        // What follows at the same place is the reset of a dead variable, or a part of what is shown already.
        if last.replace(span) != Some(span) && !is_bookkeeping(opened, stmt, span) {
            out.push(one(opened, stmt, span));
        }
    }
    // One line of another language becomes several statements.
    out.dedup_by(|next, before| next == before && opened.translated);
    // A lone word of it, such as `state`, says nothing beside what is told in full.
    if opened.translated && out.iter().any(|words| !is_lone(words)) {
        out.retain(|words| !is_lone(words));
    }
    match out.is_empty() {
        true => list.first().map_or_else(String::new, |stmt| one(opened, stmt, t.span)),
        false => out.join("; "),
    }
}

/// The statement that decides whether a transition is possible.
pub fn guard(opened: &Opened, trans: TransId) -> String {
    let t = opened.model.transition(trans);
    match &t.stmt {
        Stmt::Chain(list) if !list.is_empty() => one(opened, &list[0], t.merged.first().copied().unwrap_or(t.span)),
        _ => of(opened, t),
    }
}

/// True for a keyword alone.
pub fn is_lone(words: &str) -> bool {
    words.chars().all(char::is_alphabetic)
}

/// One statement that stands at a place.
pub fn one(opened: &Opened, stmt: &Stmt, span: Span) -> String {
    let spelled = || text::stmt(&opened.model, stmt);
    // A translation says itself what a statement was in its source.
    if let Some(words) = opened.map.said(span) {
        return words.to_string();
    }
    match stmt {
        Stmt::End => return "end".to_string(),
        Stmt::Skip(SkipKind::Join) => return spelled(),
        _ if span == Span::default() => return spelled(),
        _ => {}
    }
    let written = with_arguments(&opened.map, opened.map.place(span).span);
    match head(written) {
        Some(head) => squeeze(head),
        None if matches!(stmt, Stmt::DStep(_)) && word(written) == "d_step" => squeeze(written),
        // A place of several statements, such as a loop, is not the text of one of them.
        // The claim of a formula stands at the word `ltl`: nobody wrote its steps.
        None if written.is_empty() || written == "ltl" || is_compound(written) => spelled(),
        None => squeeze(written),
    }
}

/// The condition of a formula that stands at a place, as the user wrote it: none if nobody did, or in another language.
pub fn condition(opened: &Opened, span: Span) -> Option<String> {
    if span == Span::default() || opened.translated {
        return None;
    }
    let at = opened.map.place(span).span;
    let end = at.start as usize + with_arguments(&opened.map, at).len();
    let text = &opened.map.files().get(at.file.0 as usize)?.text;
    closed(text, at.start as usize, end).map(squeeze).filter(|written| !written.is_empty())
}

/// A part of a text with the parentheses around its ends that it opens or closes; none if they are not there.
fn closed(text: &str, mut start: usize, mut end: usize) -> Option<&str> {
    let (mut nest, mut least) = (0i32, 0i32);
    for c in text.get(start..end)?.chars() {
        nest += i32::from(c == '(') - i32::from(c == ')');
        least = least.min(nest);
    }
    for _ in least..0 {
        start = text[..start].trim_end().strip_suffix('(')?.len();
    }
    for _ in 0..nest - least {
        let rest = text[end..].trim_start().strip_prefix(')')?;
        end = text.len() - rest.len();
    }
    text.get(start..end)
}

/// What is said of an assertion that fails at a place, with its condition as it was written; or what a translation says itself.
pub fn assertion(map: &SourceMap, span: Span, spelled: &str) -> String {
    if let Some(fault) = map.fault(span) {
        return fault.to_string();
    }
    let written = squeeze(with_arguments(map, map.place(span).span));
    let condition = written
        .strip_prefix("assert")
        .map(str::trim)
        .map(|c| c.strip_prefix('(').and_then(|c| c.strip_suffix(')')).filter(|c| balanced(c)).unwrap_or(c).trim());
    match (condition, spelled.split('`').nth(1)) {
        (Some(condition), Some(old)) if !condition.is_empty() => {
            spelled.replacen(&format!("`{old}`"), &format!("`{condition}`"), 1)
        }
        _ => spelled.to_string(),
    }
}

/// True if every parenthesis that is closed was opened.
fn balanced(text: &str) -> bool {
    let mut nest = 0i32;
    text.chars().all(|c| {
        nest += i32::from(c == '(') - i32::from(c == ')');
        nest >= 0
    })
}

/// True if a transition is a step of the translation and not of the model: a join, or the counting of a `for`.
pub fn hidden(opened: &Opened, t: &Transition) -> bool {
    match &t.stmt {
        Stmt::Chain(list) => list.iter().enumerate().all(|(i, stmt)| {
            let span = t.merged.get(i).copied().unwrap_or(t.span);
            is_bookkeeping(opened, stmt, span)
        }),
        stmt => is_bookkeeping(opened, stmt, t.span),
    }
}

fn is_bookkeeping(opened: &Opened, stmt: &Stmt, span: Span) -> bool {
    match stmt {
        Stmt::Skip(SkipKind::Join) => true,
        // These are seen by others.
        Stmt::Send { .. } | Stmt::Receive { .. } | Stmt::End => false,
        _ => span != Span::default() && word(opened.map.text(span)) == "for",
    }
}

/// The text of a span; if it ends in the use of a macro with arguments, of which the span holds the name alone, with them.
fn with_arguments(map: &SourceMap, at: Span) -> &str {
    let written = map.text(at);
    let Some(file) = map.files().get(at.file.0 as usize) else { return written };
    let name = written.rsplit(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or("");
    let Some(rest) = file.text.get(at.end as usize..).filter(|rest| !name.is_empty() && rest.starts_with('(')) else {
        return written;
    };
    if !map.takes_arguments(name) {
        return written;
    }
    let mut nest = 0usize;
    for (i, c) in rest.char_indices() {
        match c {
            '(' => nest += 1,
            ')' if nest == 1 => return file.text.get(at.start as usize..at.end as usize + i + 1).unwrap_or(written),
            ')' => nest -= 1,
            _ => {}
        }
    }
    written
}

/// The head of a `for`, whose steps have no text of their own; also of a loop that `select` stands for.
fn head(written: &str) -> Option<&str> {
    if word(written) != "for" {
        return None;
    }
    let mut nest = 0usize;
    for (i, c) in written.char_indices() {
        match c {
            '(' => nest += 1,
            ')' if nest == 1 => return Some(&written[..=i]),
            ')' => nest = nest.saturating_sub(1),
            _ => {}
        }
    }
    None
}

fn is_compound(written: &str) -> bool {
    matches!(word(written), "if" | "do" | "atomic" | "d_step") || written.starts_with('{')
}

/// The word at the beginning.
fn word(written: &str) -> &str {
    let end = written.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(written.len());
    &written[..end]
}

/// One line: comments, line ends and rows of blanks become one blank.
pub fn squeeze(written: &str) -> String {
    let mut out = String::new();
    let mut rest = written;
    let mut quoted = false;
    while let Some(c) = rest.chars().next() {
        let skip = match c {
            '"' => {
                quoted = !quoted;
                0
            }
            '\\' if quoted => {
                let pair: String = rest.chars().take(2).collect();
                out.push_str(&pair);
                rest = &rest[pair.len()..];
                continue;
            }
            '\\' if rest[1..].starts_with(['\n', '\r']) => 1,
            '/' if !quoted && rest.starts_with("/*") => rest.find("*/").map_or(rest.len(), |n| n + 2),
            '/' if !quoted && rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
            c if c.is_whitespace() && !quoted => c.len_utf8(),
            _ => 0,
        };
        if skip > 0 {
            if !out.ends_with(' ') {
                out.push(' ');
            }
            rest = &rest[skip..];
            continue;
        }
        out.push(c);
        rest = &rest[c.len_utf8()..];
    }
    out.trim().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_become_one_line() {
        assert_eq!(squeeze("x  =\n\t 1 /* why */ + 2 // so\n"), "x = 1 + 2");
        assert_eq!(squeeze("printf(\"a  b\\\" /* c\")"), "printf(\"a  b\\\" /* c\")");
        assert_eq!(squeeze("x = \\\n  y"), "x = y");
    }

    #[test]
    fn a_condition_has_the_parentheses_at_its_ends() {
        let text = "[] (!( a && (b) ) || c)";
        let part = |from: &str, to: &str| closed(text, text.find(from).unwrap(), text.find(to).unwrap() + to.len());
        assert_eq!(part("!(", "(b"), Some("!( a && (b) )"));
        assert_eq!(part("a", ")"), Some("a && (b)"));
        assert_eq!(part("b", ") )"), None);
        assert_eq!(closed("<> ((a || b) && (c || d))", 5, 23), Some("(a || b) && (c || d)"));
    }

    #[test]
    fn the_steps_of_a_loop_are_known_by_its_head() {
        assert_eq!(head("for (i : 0 .. f(3)) { x }"), Some("for (i : 0 .. f(3))"));
        assert_eq!(head("forty = 3"), None);
        assert!(is_compound("do :: x od") && !is_compound("done = 1"));
    }

    #[test]
    fn a_place_names_its_uses() {
        let via = |name: &str, line| Via { name: name.into(), file: "dir/main.pml".into(), line };
        let at = At { file: "lib.pml".into(), line: 6, ..At::default() };
        let place = Where { at, via: vec![via("bump", 4), via("twice", 9)] };
        assert_eq!(place.shown(), "lib.pml:6 in bump, from main.pml:4 in twice, from main.pml:9");
    }
}
