//! Which language a text is written in, told by what stands in it and not by the name of its file.

/// The languages that this crate reads, and those that come along with them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// SDL/PR.
    Sdl,
    /// IF 1.0 or 2.0.
    If,
    /// Types for SDL.
    Asn1,
    /// TASTE's stop conditions.
    StopConditions,
    /// Something else, Promela for instance.
    Other,
}

/// The first words of a text, in lower case, without comments.
fn words(text: &str, count: usize) -> Vec<String> {
    let mut list = Vec::new();
    let mut rest = text.trim_start_matches('\u{feff}');
    while list.len() < count {
        rest = rest.trim_start();
        if let Some(comment) = rest.strip_prefix("/*") {
            rest = comment.find("*/").map_or("", |n| &comment[n + 2..]);
        } else if let Some(quoted) = rest.strip_prefix('\'') {
            rest = quoted.find('\'').map_or("", |n| &quoted[n + 1..]);
        } else if rest.starts_with("--") || rest.starts_with("//") {
            rest = rest.find('\n').map_or("", |n| &rest[n..]);
        } else {
            let n = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
            if n == 0 {
                let Some(c) = rest.chars().next() else { break };
                list.push(c.to_string());
                rest = &rest[c.len_utf8()..];
            } else {
                list.push(rest[..n].to_lowercase());
                rest = &rest[n..];
            }
        }
    }
    list
}

/// True if a text begins as SDL/PR does.
pub fn looks_like_sdl(text: &str) -> bool {
    const FIRST: &[&str] = &[
        "system",
        "process",
        "block",
        "package",
        "use",
        "signal",
        "newtype",
        "syntype",
        "synonym",
        "procedure",
        "signallist",
        "macrodefinition",
        "exported",
        "operator",
        "remote",
    ];
    let w = words(text, 2);
    // Promela has none of these as its first word followed by a name, except a typedef'd variable called so.
    matches!(w.as_slice(), [a, b] if FIRST.contains(&a.as_str()) && b.starts_with(|c: char| c.is_alphabetic() || c == '_'))
        && !looks_like_if(text)
}

/// True if a text begins as IF does: a system whose parts only IF has.
pub fn looks_like_if(text: &str) -> bool {
    let all = words(text, usize::MAX);
    if all.first().map(String::as_str) != Some("system") {
        return false;
    }
    let has = |list: &[&str]| all.iter().any(|w| list.contains(&w.as_str()));
    let options = ["start", "stable", "unstable", "urgent", "fifo", "unicast", "lossy", "reliable"];
    let marked = all.windows(2).any(|w| w[0] == "#" && options.contains(&w[1].as_str()));
    // Words that one language has and the other has not, other than as names.
    (marked || has(&["endsignalroute", "endif"])) && !has(&["dcl", "block", "endblock", "endchannel", "signalset"])
}

/// The language of a text.
pub fn language(text: &str) -> Language {
    let first = words(text, 1).pop().unwrap_or_default();
    if crate::asn1::looks_like_asn1(text) {
        Language::Asn1
    } else if ["never", "always", "eventually", "filter_out"].contains(&first.as_str()) && !text.contains('{') {
        Language::StopConditions
    } else if looks_like_if(text) {
        Language::If
    } else if looks_like_sdl(text) {
        Language::Sdl
    } else {
        Language::Other
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn languages_are_told_by_their_first_words() {
        assert_eq!(language("/* CIF x */ -- y\nProcess p; start; stop; endprocess;"), Language::Sdl);
        assert_eq!(language("USE Datamodel;\nSYSTEM x;"), Language::Sdl);
        assert_eq!(language("system s; process p(1); state a #start ; endstate; endprocess; endsystem;"), Language::If);
        // Names of variables are no words of IF.
        let text = "system s; block b; process p; dcl deadline Integer; start; stop; endprocess; endblock; endsystem;";
        assert_eq!(language(text), Language::Sdl);
        assert_eq!(language("M DEFINITIONS ::= BEGIN A ::= INTEGER END"), Language::Asn1);
        assert_eq!(language("never controller.error > 0;"), Language::StopConditions);
        assert_eq!(language("active proctype P() { skip }"), Language::Other);
        assert_eq!(language("never { do :: skip od }"), Language::Other);
        assert_eq!(language(""), Language::Other);
    }
}
