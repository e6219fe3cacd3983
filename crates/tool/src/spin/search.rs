//! `spin -run`: a search, reported in the style of pan.

use super::args::Line;
use crate::check::{Watcher, catch_interrupt};
use crate::screen;
use starwheel_workbench::report::Finding;
use starwheel_workbench::{Checked, Failure, Opened, Problem, Report, Search, Verdict, check, open};
use std::fmt::Write;
use std::path::Path;

/// Searches and prints.
pub fn run(file: &Path, line: &Line) -> Result<u8, Failure> {
    catch_interrupt();
    let opened = open(file, &line.plan.reading)?;
    screen::problems(&opened.warnings);
    refuse_claims(&opened, line)?;
    let watcher = Watcher::new();
    let checked = check(&opened, &line.plan, &watcher)?;
    watcher.clear();
    screen::problems(&checked.report.warnings[opened.warnings.len()..]);
    screen::out(&text(&checked, line));
    Ok(checked.report.outcome.exit_status())
}

/// SPIN would check the claim of a model: to leave it out would be another question than the one asked.
fn refuse_claims(opened: &Opened, line: &Line) -> Result<(), Failure> {
    if let (Some(claim), false) = (opened.model.properties.first(), line.no_claim) {
        let message =
            format!("the model has a claim, `{}`, and checking claims in this way is not built yet", claim.name);
        return Err(Problem::error("not-built", message)
            .advise("use `starwheel check --accept`, or add -noclaim after -run to search without it")
            .into());
    }
    let accepts = opened.model.proctypes.iter().flat_map(|p| &p.locs).any(|l| l.accept);
    if line.acceptance && accepts {
        let problem = Problem::error("not-built", "`-a` (acceptance cycles) is not built yet here");
        return Err(problem.advise("use `starwheel check --accept`, or leave out -a").into());
    }
    Ok(())
}

fn text(checked: &Checked, line: &Line) -> String {
    let report = &checked.report;
    let mut out = String::new();
    for (i, f) in report.findings.iter().enumerate() {
        let _ = writeln!(out, "pan:{}: {} (at depth {})", i + 1, error(f, checked), depth(f, line));
    }
    if let Some(trail) = &report.trail {
        let _ = writeln!(out, "pan: wrote {trail}");
    }
    let _ = writeln!(out, "\n(Starwheel Version {})", env!("CARGO_PKG_VERSION"));
    if !report.complete {
        out.push_str("Warning: Search not completed\n");
    }
    if line.plan.search == Search::Bfs {
        out.push_str("\t+ Breadth-First Search\n");
    }
    what_for(line, &mut out);
    counts(report, &mut out);
    if let (Some(why), Verdict::Stopped) = (&report.stopped_because, report.outcome) {
        let _ = writeln!(out, "\npan: {why}");
    }
    if report.complete && !line.no_unreached {
        unreached(checked, &mut out);
    }
    let _ = writeln!(out, "\npan: elapsed time {:.3} seconds", report.stats.seconds);
    out
}

/// The words of pan for an error.
fn error(f: &Finding, checked: &Checked) -> String {
    match f.kind {
        "assertion" => {
            let last = checked.excerpt.as_ref().filter(|_| checked.report.findings.first() == Some(f));
            let statement = last.and_then(|w| w.moves.last()).map_or("", |m| m.text.as_str());
            let start = statement.rfind("assert(").map(|i| i + "assert".len());
            let expression = start.map_or("", |i| statement[i..].split("; ").next().unwrap_or(""));
            // The statement's own brackets are not part of the expression.
            let inner = expression.strip_prefix('(').and_then(|e| e.strip_suffix(')')).unwrap_or(expression);
            if inner.is_empty() { f.message.clone() } else { format!("assertion violated {inner}") }
        }
        "invalid-end-state" => "invalid end state".to_string(),
        _ => f.message.clone(),
    }
}

/// pan counts the depth before the last step; breadth first, a deadlock is found one step later.
fn depth(f: &Finding, line: &Line) -> u64 {
    let late = line.plan.search == Search::Bfs && f.kind == "invalid-end-state";
    if late { f.trail_length } else { f.trail_length.saturating_sub(1) }
}

fn what_for(line: &Line, out: &mut String) {
    let sign = |off: bool, flag: &str| if off { format!("- (disabled by {flag} flag)") } else { "+".to_string() };
    let claim = if line.no_claim { "not selected" } else { "none specified" };
    let _ = write!(
        out,
        "\nFull statespace search for:\n\tnever claim         \t- ({claim})\n\tassertion violations\t{}\n\
         \tcycle checks       \t- (disabled by -DSAFETY)\n\tinvalid end states\t{}\n",
        sign(line.plan.no_assert, "-A"),
        sign(line.plan.no_deadlock, "-E"),
    );
}

fn counts(report: &Report, out: &mut String) {
    let s = &report.stats;
    let megabytes = |bytes: u64| bytes as f64 / f64::from(1 << 20);
    let _ = write!(
        out,
        "\nState-vector {} byte, depth reached {}, errors: {}\n{:9} states, stored\n{:9} states, matched\n\
         {:9} transitions (= stored+matched)\n{:9} atomic steps\n\nStats on memory usage (in Megabytes):\n\
         {:9.3}\tactual memory usage for states\n{:9.3}\ttotal actual memory usage\n\n",
        s.state_bytes,
        s.max_depth,
        report.errors,
        s.states_stored,
        s.states_matched,
        s.transitions,
        s.atomic_steps,
        megabytes(s.store_bytes),
        megabytes(s.peak_rss_bytes),
    );
}

fn unreached(checked: &Checked, out: &mut String) {
    for p in &checked.unvisited {
        let _ = writeln!(out, "unreached in {}", title(&p.proctype));
        for u in &p.statements {
            let _ = writeln!(out, "\t{}:{}, state {}, \"{}\"", u.file, u.line, u.state, u.text);
        }
        let _ = writeln!(out, "\t({} of {} states)", p.missed, p.all);
    }
}

fn title(name: &str) -> String {
    if name == ":init:" { "init".to_string() } else { format!("proctype {name}") }
}
