//! `spin -run`: a search, reported in the style of pan.

use super::args::Line;
use super::quest::{Aim, Question, question};
use crate::check::Watcher;
use crate::interrupt::{catch_interrupt, token};
use crate::screen;
use starwheel_workbench::options::Commands;
use starwheel_workbench::report::Finding;
use starwheel_workbench::{Checked, Failure, Plan, Report, Verdict, check};
use std::fmt::Write;
use std::path::Path;

/// Searches and prints.
pub fn run(file: &Path, line: &Line) -> Result<u8, Failure> {
    catch_interrupt();
    let mut line = line.clone();
    // What is wrong with the options is told when the question is known.
    line.reading.until = token(&line.typed.plan(Commands::CHECK).unwrap_or_else(|_| Plan::of(Commands::CHECK)));
    let line = &line;
    let question = question(file, line)?;
    let Question { opened, plan, .. } = &question;
    screen::problems(&opened.warnings);
    let watcher = Watcher::new(plan);
    let checked = check(opened, plan, &watcher)?;
    watcher.clear();
    screen::problems(&checked.report.warnings[opened.warnings.len()..]);
    screen::out(&text(&checked, &question, line));
    Ok(checked.report.head.outcome.exit_status())
}

fn text(checked: &Checked, question: &Question, line: &Line) -> String {
    let report = &checked.report;
    let mut out = String::new();
    if let (Some(name), 2.., false) = (question.aim.name(), question.claims, question.aim == Aim::Progress) {
        let _ = writeln!(out, "pan: ltl formula {name}");
    }
    errors(report, line, &mut out);
    let _ = writeln!(out, "\n(Starwheel Version {})", env!("CARGO_PKG_VERSION"));
    if !report.head.complete {
        out.push_str("Warning: Search not completed\n");
    }
    if line.quest.breadth {
        out.push_str("\t+ Breadth-First Search\n");
    }
    what_for(question, &mut out);
    counts(report, &mut out);
    if let (Some(why), Verdict::Stopped) = (&report.stopped_because, report.head.outcome) {
        let _ = writeln!(out, "\npan: {why}");
    }
    if report.head.complete && !line.no_unreached {
        unreached(checked, question, &mut out);
    }
    let _ = writeln!(out, "\npan: elapsed time {:.3} seconds", report.stats.seconds);
    out
}

/// The errors in order. As in pan, one with the same words as the one before is not repeated.
fn errors(report: &Report, line: &Line, out: &mut String) {
    let mut last = String::new();
    for (i, f) in report.findings.iter().enumerate() {
        let words = error(f);
        if words != last {
            let _ = writeln!(out, "pan:{}: {words} (at depth {})", i + 1, depth(f, line));
            last = words;
        }
        if let Some(trail) = &f.trail {
            let _ = writeln!(out, "pan: wrote {trail}");
        }
    }
}

/// The words of pan for an error.
fn error(f: &Finding) -> String {
    match f.kind {
        "assertion" => {
            let condition = f.spin_message.split('`').nth(1).unwrap_or("");
            format!("assertion violated {condition}")
        }
        "invalid-end-state" => "invalid end state".to_string(),
        "claim" => "end state in claim reached".to_string(),
        "acceptance-cycle" => "acceptance cycle".to_string(),
        "non-progress-cycle" => "non-progress cycle".to_string(),
        _ => f.message.clone(),
    }
}

/// pan counts the depth before the last step, or before the cycle; breadth first, a deadlock is found one step later.
fn depth(f: &Finding, line: &Line) -> u64 {
    // pan sees that a claim is at its end one step later, too.
    let late = f.kind == "claim" || (line.quest.breadth && f.kind == "invalid-end-state");
    match f.cycle_start {
        Some(start) => start,
        None if late => f.trail_length,
        None => f.trail_length.saturating_sub(1),
    }
}

fn what_for(question: &Question, out: &mut String) {
    let Question { plan, aim, cycles, .. } = question;
    let fair = plan.options.get("fair").is_some_and(|v| v != false);
    let off = |flag: &str| format!("- (disabled by {flag})");
    let (claim, scope) = match aim.name() {
        Some(name) => (format!("+ ({name})"), "+ (if within scope of claim)"),
        None if question.claims > 0 => ("- (not selected)".to_string(), "+"),
        None => ("- (none specified)".to_string(), "+"),
    };
    let assertions = if plan.no_assert { off("-A flag") } else { scope.to_string() };
    let kind = match (cycles, aim) {
        (false, _) => "cycle checks       \t- (disabled by -DSAFETY)".to_string(),
        (true, Aim::Progress) => format!("non-progress cycles \t+ (fairness {}abled)", if fair { "en" } else { "dis" }),
        (true, _) => format!("acceptance   cycles \t+ (fairness {}abled)", if fair { "en" } else { "dis" }),
    };
    let ends = match (plan.no_deadlock, aim) {
        (true, _) => off("-E flag"),
        (false, Aim::System) => "+".to_string(),
        (false, _) => off("never claim"),
    };
    let _ = write!(
        out,
        "\nFull statespace search for:\n\tnever claim         \t{claim}\n\tassertion violations\t{assertions}\n\
         \t{kind}\n\tinvalid end states\t{ends}\n",
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
        report.head.errors,
        s.states_stored,
        s.states_matched,
        s.transitions,
        s.atomic_steps,
        megabytes(s.store_bytes),
        megabytes(s.peak_rss_bytes),
    );
}

fn unreached(checked: &Checked, question: &Question, out: &mut String) {
    for p in &checked.unvisited {
        let _ = writeln!(out, "unreached in {}", title(&p.proctype, question));
        for u in &p.statements {
            let _ = writeln!(out, "\t{}:{}, state {}, \"{}\"", u.spin_place.0, u.spin_place.1, u.state, u.spin_text);
        }
        let _ = writeln!(out, "\t({} of {} states)", p.missed, p.all);
    }
}

fn title(name: &str, question: &Question) -> String {
    match name {
        ":init:" => "init".to_string(),
        _ if question.aim == Aim::Never(name.to_string()) => format!("claim {name}"),
        _ => format!("proctype {name}"),
    }
}
