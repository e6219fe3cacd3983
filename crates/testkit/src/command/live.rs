//! The rows of SPIN's table that are about claims and infinite runs: what they ask for and what they expect.

use crate::ours::Verdict;
use crate::table::Row;
use std::time::Duration;

/// SPIN's own automata, which all these rows were made with.
pub(super) const AUTOMATA: &[&str] = &["--dead-vars", "--merge"];
/// Fairness excludes merged steps; the verdicts have to be the same.
pub(super) const FAIR_AUTOMATA: &[&str] = &["--dead-vars"];

/// Is the row a truth about a property? A run that was cut is not, nor is one that stops since a channel is not exclusive;
/// and without `-a` only an error of the claim says something about it.
pub(super) fn usable(row: &Row) -> bool {
    let cut = row.note.contains("max search depth too small");
    let finished = row.completed == "yes" && !cut && row.optset != "SAFETY_CLAIM";
    let found = row.completed == "stopped at error" && !row.err_kind.contains("partial order reduction invalid");
    finished || found
}

/// The options that ask for the property of the row.
pub(super) fn wish(row: &Row) -> Vec<String> {
    let mut words = match (row.optset.starts_with("NP"), row.claim.as_str()) {
        (true, _) => vec!["--progress".to_string()],
        (false, "") => vec!["--accept".to_string()],
        (false, name) => vec!["--ltl".to_string(), name.to_string()],
    };
    if row.optset.contains("FAIR") {
        words.push("--fair".to_string());
    }
    words
}

/// The option that ends a run by itself before the limit does: the search of the system alone comes first, and it may take
/// far longer than that for the property, which gets its share of the time.
pub(super) fn time(limit: Duration) -> [String; 2] {
    ["--time".to_string(), format!("{}s", (limit.as_secs() * 9 / 10).max(1))]
}

/// Has the search for the property come to no end?
pub(super) fn unfinished(verdict: &Verdict) -> bool {
    matches!(&verdict.own[..], [(_, outcome)] if outcome == "stopped" || outcome == "unrefuted")
}

/// What is different from the verdict of the row, if anything is.
pub(super) fn difference(row: &Row, verdict: &Verdict) -> Option<String> {
    let expected = if row.errors > 0 { "violated" } else { "holds" };
    let found = match &verdict.own[..] {
        [(_, outcome)] => outcome.as_str(),
        others => return Some(format!("{} properties instead of one", others.len())),
    };
    (found != expected).then(|| format!("SPIN {expected} ({}), Starwheel {found}", row.err_kind))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(optset: &str, claim: &str) -> Row {
        Row { optset: optset.into(), claim: claim.into(), completed: "yes".into(), ..Row::default() }
    }

    #[test]
    fn the_property_is_asked_for_by_its_name_or_its_labels() {
        assert_eq!(wish(&row("LIVE_FULL", "p0")), ["--ltl", "p0"]);
        assert_eq!(wish(&row("LIVE_FAIR_FULL", "")), ["--accept", "--fair"]);
        assert_eq!(wish(&row("NP_FAIR", "")), ["--progress", "--fair"]);
    }

    #[test]
    fn a_finished_safety_run_says_nothing_about_cycles() {
        assert!(usable(&row("LIVE", "p0")));
        assert!(!usable(&row("SAFETY_CLAIM", "p0")));
        let found = Row { completed: "stopped at error".into(), errors: 1, ..row("SAFETY_CLAIM", "p0") };
        assert!(usable(&found));
    }

    #[test]
    fn the_verdict_on_the_property_counts_and_not_that_on_the_system() {
        let verdict = |outcome: &str| {
            let own = vec![("p0".to_string(), outcome.to_string())];
            Verdict { outcome: "violated".into(), own, ..Verdict::default() }
        };
        assert_eq!(difference(&row("LIVE", "p0"), &verdict("holds")), None);
        assert!(difference(&row("LIVE", "p0"), &verdict("violated")).is_some());
        assert!(difference(&row("LIVE", "p0"), &Verdict::default()).is_some());
    }
}
