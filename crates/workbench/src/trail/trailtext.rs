//! The text of a trail file. A long trail takes few different steps: each is put into words once.

use crate::trail::trailfile::{TrailFile, TrailStep};
use std::collections::HashMap;
use std::ops::Range;

/// How an empty list of steps ends a file, and how a full one does.
const EMPTY: &str = "[]\n}";
const END: &str = "\n  ]\n}";
/// How far a step is moved to the right.
const INDENT: &str = "\n    ";

/// What `serde_json` would write for all of it.
pub fn text(mut trail: TrailFile) -> Result<String, serde_json::Error> {
    let steps = std::mem::take(&mut trail.steps);
    let mut out = serde_json::to_string_pretty(&trail)?;
    if steps.is_empty() || !out.ends_with(EMPTY) {
        trail.steps = steps;
        return serde_json::to_string_pretty(&trail);
    }
    out.truncate(out.len() - EMPTY.len() + 1);
    let mut known: HashMap<(u8, u32), (&TrailStep, Range<usize>)> = HashMap::new();
    for (i, step) in steps.iter().enumerate() {
        out.push_str(if i == 0 { INDENT } else { ",\n    " });
        let start = out.len();
        match known.get(&(step.pid, step.trans)) {
            Some((same, range)) if *same == step => out.extend_from_within(range.clone()),
            _ => {
                out.push_str(&serde_json::to_string_pretty(step)?.replace('\n', INDENT));
                known.insert((step.pid, step.trans), (step, start..out.len()));
            }
        }
    }
    out.push_str(END);
    Ok(out)
}
