//! Warnings that a text says are meant: `// starwheel: allow(unread-variable)`, in any line, for the file in which it stands.

use starwheel_base::{Diagnostic, SourceFile, SourceMap};

/// What such a line begins with, behind the comment's own mark.
const MARK: &str = "starwheel: allow(";

/// True if the file in which a diagnostic stands allows it. Errors cannot be allowed.
pub fn allowed(map: &SourceMap, d: &Diagnostic) -> bool {
    let (file, _) = map.locate(d.span());
    !d.is_error() && map.files().iter().any(|f| f.name == file && codes(f).any(|code| code == d.code))
}

/// The codes that a file allows.
fn codes(file: &SourceFile) -> impl Iterator<Item = &str> {
    file.text.lines().filter_map(behind).flat_map(|list| list.split(',').map(str::trim))
}

/// What stands in the parentheses, if a line has a comment that allows something.
fn behind(line: &str) -> Option<&str> {
    let (before, rest) = line.split_once(MARK)?;
    let comment = before.trim_end();
    let list = rest.split_once(')')?.0;
    (comment.ends_with("//") || comment.ends_with("/*")).then_some(list)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_comment_names_what_it_allows() {
        assert_eq!(behind("// starwheel: allow(unread-variable)"), Some("unread-variable"));
        assert_eq!(behind("byte x; /* starwheel: allow(a, b) */"), Some("a, b"));
        assert_eq!(behind("printf(\"starwheel: allow(a)\")"), None);
        assert_eq!(behind("// starwheel: allow(a"), None);
    }
}
