//! Warnings that a text says are meant: `// starwheel: allow(unread-variable)`, in any line, for the file in which it stands.
//! A name that keeps nothing quiet is a warning itself, or a slip of the pen would go unnoticed.

use starwheel_base::source::{FileId, Span};
use starwheel_base::{Diagnostic, SourceMap};
use std::collections::HashMap;

/// What such a line begins with, behind the comment's own mark.
const MARK: &str = "starwheel: allow(";
/// The code of a warning about a name that allows nothing.
const IDLE: &str = "unused-allow";

/// What is left of errors and warnings. Errors cannot be allowed.
pub fn unallowed(map: &SourceMap, found: Vec<Diagnostic>) -> Vec<Diagnostic> {
    // By the name of the file and the code: where it stands, and whether it keeps anything quiet.
    let mut allowed: HashMap<(&str, &str), (Span, bool)> = HashMap::new();
    for (number, file) in map.files().iter().enumerate() {
        for (at, code) in codes(&file.text) {
            let (start, end) = (at as u32, (at + code.len()) as u32);
            let span = Span { file: FileId(number as u32), start, end, ..Span::default() };
            allowed.entry((&file.name, code)).or_insert((span, false));
        }
    }
    let mut kept = found;
    kept.retain(|d| {
        let allow = allowed.get_mut(&(map.locate(d.span()).0, d.code)).filter(|_| !d.is_error());
        allow.map(|allow| allow.1 = true).is_none()
    });
    // Behind an error nobody has looked for warnings.
    if kept.iter().all(|d| !d.is_error()) {
        let may_be_idle = |file: &str| allowed.contains_key(&(file, IDLE));
        let mut idle: Vec<_> = allowed
            .iter()
            .filter(|((file, _), (_, used))| !used && !may_be_idle(file))
            .map(|(k, v)| (v.0, k.1))
            .collect();
        idle.sort_by_key(|(span, _)| (span.file, span.start));
        kept.extend(idle.into_iter().map(|(span, code)| {
            Diagnostic::warning(IDLE, span, format!("nothing here is called `{code}`"))
                .advise("`--verbose` shows the codes of warnings; leave out what allows nothing")
        }));
    }
    kept
}

/// The codes that a text allows, and where they stand.
fn codes(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let place = move |part: &str| part.as_ptr() as usize - text.as_ptr() as usize;
    let lists = text.match_indices(MARK).filter_map(|(at, _)| behind(text, at));
    lists
        .flat_map(|list| list.split(',').map(str::trim))
        .filter(|code| !code.is_empty())
        .map(move |code| (place(code), code))
}

/// What stands in the parentheses behind a mark, if it begins a comment.
fn behind(text: &str, at: usize) -> Option<&str> {
    let (before, rest) = (text[..at].trim_end_matches([' ', '\t']), &text[at + MARK.len()..]);
    let list = rest.lines().next()?.split_once(')')?.0;
    (before.ends_with("//") || before.ends_with("/*")).then_some(list)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_comment_names_what_it_allows() {
        let named = |text| codes(text).map(|c| c.1).collect::<Vec<_>>();
        assert_eq!(named("byte y;\n// starwheel: allow(unread-variable)\n"), ["unread-variable"]);
        assert_eq!(named("byte x; /* starwheel: allow(a, b) */ byte z; // starwheel: allow(c)"), ["a", "b", "c"]);
        assert!(named("printf(\"starwheel: allow(a)\")").is_empty());
        assert!(named("// starwheel: allow(a\n)").is_empty());
        assert_eq!(codes("// starwheel: allow( a)").next(), Some((21, "a")));
    }
}
