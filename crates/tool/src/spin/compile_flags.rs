//! The directives with which pan is compiled: `-DSAFETY` and the like.

use super::args::Line;
use starwheel_workbench::Search;

/// Directives for what does not exist yet.
const NOT_BUILT: [(&str, &str); 20] = [
    ("BITSTATE", "lossy storage"),
    ("HC", "lossy storage"),
    ("HC0", "lossy storage"),
    ("HC1", "lossy storage"),
    ("HC2", "lossy storage"),
    ("HC3", "lossy storage"),
    ("HC4", "lossy storage"),
    ("COLLAPSE", "compressed states"),
    ("MA", "compressed states"),
    ("BFS_PAR", "parallel search"),
    ("NCORE", "parallel search"),
    ("BFS_DISK", "search on disk"),
    ("NP", "non-progress cycles"),
    ("BCS", "bounded context switching"),
    ("P_RAND", "random order"),
    ("T_RAND", "random order"),
    ("P_REVERSE", "other orders of search"),
    ("T_REVERSE", "other orders of search"),
    ("W_XPT", "saving a search"),
    ("R_XPT", "resuming a search"),
];

/// Reads one directive.
pub fn read(flag: &str, text: &str, line: &mut Line) {
    let (name, value) = text.split_once('=').unwrap_or((text, ""));
    if let Some((_, what)) = NOT_BUILT.iter().find(|(n, _)| *n == name) {
        return line.not_built(flag, what);
    }
    match name {
        "SAFETY" | "NOREDUCE" | "NOFAIR" => {}
        "NOCLAIM" => line.no_claim = true,
        "BFS" => line.plan.search = Search::Bfs,
        "REACH" => line.needless(flag, "every state is visited at any depth"),
        "MEMLIM" => {
            let megabytes = line.number(flag, value);
            line.plan.memory = megabytes.map(|m| m.saturating_mul(1 << 20));
        }
        "VECTORSZ" => line.needless(flag, "states may have any size"),
        "NOBOUNDCHECK" => line.needless(flag, "indices are always checked"),
        _ => line.needless(flag, "nothing is compiled"),
    }
}
