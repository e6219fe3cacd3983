//! The command `check` for a network of automata.

use crate::check::Watcher;
use crate::interrupt::{catch_interrupt, token};
use crate::screen;
use starwheel_workbench::network::{self, Moved, NetworkReport};
use starwheel_workbench::quantity::{plural, show_bytes, show_count, show_seconds};
use starwheel_workbench::{Failure, Plan, Verdict};
use std::fmt::Write;
use std::path::PathBuf;

/// Steps of a run that are shown.
const STEPS: usize = 40;

/// Checks a network and tells the result.
pub fn run(files: &[PathBuf], plan: &Plan) -> Result<u8, Failure> {
    catch_interrupt();
    let until = token(plan);
    let opened = network::open(files, &until)?;
    let watcher = Watcher::new(plan);
    let report = network::check(&opened, plan, &until, &watcher);
    watcher.clear();
    let report = report?;
    if plan.json {
        screen::json(&report);
    } else {
        screen::problems(&report.warnings);
        screen::out(&text(&report));
    }
    Ok(report.head.outcome.exit_status())
}

fn text(report: &NetworkReport) -> String {
    let mut out = match report.head.outcome {
        Verdict::Holds(_) => "HOLDS: no run of the network is accepting.\n".to_string(),
        Verdict::Violated => {
            let what = report.findings.first().map_or("a run is accepting", |f| f.message.as_str());
            format!("VIOLATED: {what}\n")
        }
        Verdict::Unrefuted | Verdict::Stopped => {
            format!("NOT CONCLUSIVE: {}.\n", report.stopped_because.as_deref().unwrap_or("the search ended early"))
        }
    };
    if let Some(finding) = report.findings.first() {
        steps(&report.moves, finding.cycle_start.unwrap_or(0) as usize, &mut out);
    }
    if let Some(trail) = &report.trail {
        let _ = writeln!(out, "\nThe whole run is in {trail}");
    }
    counts(report, &mut out);
    out
}

/// The last steps of a run, with a line where the cycle starts.
fn steps(moves: &[Moved], cycle_start: usize, out: &mut String) {
    let _ = writeln!(out, "\nHow it comes to that ({}):\n", plural(moves.len() as u64, "step", "steps"));
    let skipped = moves.len().saturating_sub(STEPS);
    if skipped > 0 {
        let _ = writeln!(out, "  … {} before", plural(skipped as u64, "step", "steps"));
    }
    for (number, step) in moves.iter().enumerate().skip(skipped) {
        if number == cycle_start || (number == skipped && cycle_start < skipped) {
            let _ = writeln!(out, "  -- from step {} on, for ever:", cycle_start + 1);
        }
        let who: Vec<String> = step.moves.iter().map(|m| format!("{}: {} -> {}", m.component, m.from, m.to)).collect();
        let _ = writeln!(out, "  {:>5}  {}  ({})", number + 1, step.action, who.join(", "));
    }
}

fn counts(report: &NetworkReport, out: &mut String) {
    let (s, n) = (&report.stats, &report.network);
    let kind = if s.decoupled_states.is_some() { "decoupled " } else { "" };
    let _ = writeln!(
        out,
        "\n{} {kind}states, {}, depth {}; {} of memory, {}",
        show_count(s.states_stored),
        plural(s.transitions, "transition", "transitions"),
        show_count(s.max_depth),
        show_bytes(s.peak_rss_bytes),
        show_seconds(s.seconds),
    );
    let _ = writeln!(
        out,
        "{}, {}, {}, {} of them shared",
        plural(n.components as u64, "component", "components"),
        plural(n.local_states as u64, "local state", "local states"),
        plural(n.actions as u64, "action", "actions"),
        show_count(n.shared_actions as u64),
    );
}
