//! The directives with which pan is compiled: `-DSAFETY` and the like.

use super::args::Line;
use super::pan_flags::{CONTEXT, ORDER};

/// Reads one directive.
pub fn read(flag: &str, text: &str, line: &mut Line) {
    let (name, value) = text.split_once('=').unwrap_or((text, ""));
    match name {
        "SAFETY" => line.quest.safety = true,
        "NOREDUCE" => line.option(flag, "por", Some("off")),
        "NOCLAIM" => line.quest.no_claim = true,
        "NP" => line.quest.progress = true,
        "BFS" => line.breadth(flag),
        "MEMLIM" => {
            if line.number(flag, value).is_some() {
                line.option(flag, "memory", Some(&format!("{value}M")));
            }
        }
        "BITSTATE" => line.option(flag, "store", Some("bitstate")),
        "HC" | "HC0" | "HC1" | "HC2" | "HC3" | "HC4" => line.option(flag, "store", Some("compact")),
        "COLLAPSE" => line.option(flag, "store", Some("tree")),
        "MA" => line.option(flag, "store", Some("dfa")),
        "NCORE" => line.option(flag, "workers", Some(value)),
        "BFS_PAR" => {
            line.not_built(flag, "parallel breadth-first search", "use -bfs, or `starwheel check --workers N`")
        }
        "BFS_DISK" | "SC" => line.not_built(flag, "searches on the disk", "use `starwheel check --spill`"),
        "W_XPT" | "R_XPT" => {
            line.not_built(flag, "saved searches", "use `starwheel check --checkpoint FILE`, then `--resume FILE`");
        }
        "BCS" => line.not_built(flag, "bounded context switching", CONTEXT),
        "P_RAND" | "T_RAND" | "P_REVERSE" | "T_REVERSE" | "PERMUTED" | "RHASH" => {
            line.not_built(flag, "other orders of search", ORDER);
        }
        "REACH" => line.needless(flag, "every state is visited at any depth"),
        "NOFAIR" => line.needless(flag, "fairness costs nothing unless it is asked for"),
        "VECTORSZ" => line.needless(flag, "states may have any size"),
        "NOBOUNDCHECK" => line.needless(flag, "indices are always checked"),
        _ => line.needless(flag, "nothing is compiled"),
    }
}
