//! The command `when`.

use crate::check::Watcher;
use crate::interrupt::{catch_interrupt, token};
use crate::{figures, screen};
use starwheel_workbench::quantity::{plural, show_bytes, show_seconds};
use starwheel_workbench::show::{self, fitted};
use starwheel_workbench::when::{Known, Told, WhenReport, when};
use starwheel_workbench::{Failure, Plan, Reading, Verdict, open};
use std::fmt::Write;
use std::path::PathBuf;

/// Tells when a condition first holds.
pub fn run(condition: &str, files: &[PathBuf], plan: Plan) -> Result<u8, Failure> {
    catch_interrupt();
    let (model, more) =
        files.split_first().map_or((PathBuf::new(), Vec::new()), |(m, more)| (m.clone(), more.to_vec()));
    let mut reading = Reading { until: token(&plan), moment: Some(condition.to_string()), ..plan.reading.clone() };
    reading.foreign.more = more;
    // What was piped in has no place beside which a trail could lie.
    let no_trail = plan.trail.is_none() && (model.as_os_str() == "-" || model.starts_with("/dev"));
    let plan = Plan { reading, no_trail, ..plan };
    let opened = open(&model, &plan.reading)?;
    if !plan.json {
        screen::warnings(&opened.warnings, plan.verbose);
    }
    let watcher = Watcher::new(&plan);
    let report = when(&opened, &plan, &watcher);
    watcher.clear();
    let report = report?;
    match plan.json {
        true => screen::json(&report),
        false => {
            screen::problems(&report.warnings[opened.warnings.len()..]);
            screen::out(&fitted(&text(&report), screen::width()));
        }
    }
    Ok(if report.known.is_some() { 0 } else { Verdict::Stopped.exit_status() })
}

/// The answer in plain words.
fn text(report: &WhenReport) -> String {
    let mut out = String::new();
    match &report.known {
        Some(known) => answer(report, known, &mut out),
        None => {
            let word = show::paint(true, "1;33", "NOT CONCLUSIVE");
            let why = report.stopped_because.as_deref().unwrap_or("the search ended early");
            let _ = writeln!(out, "{word}: {why}; nothing is known of `{}`.", report.condition);
        }
    }
    counts(report, &mut out);
    out
}

fn answer(report: &WhenReport, known: &Known, out: &mut String) {
    let condition = &report.condition;
    let _ = match (&known.earliest, &known.latest) {
        (Some(first), Some(last)) => {
            let time = first.time.unwrap_or(0);
            let when = match last.time {
                Some(last) if last == time => format!("at time {time}, neither earlier nor later"),
                Some(last) => format!("at time {time} at the earliest and at time {last} at the latest"),
                None => format!("at time {time} at the earliest; there is no latest time"),
            };
            writeln!(out, "`{condition}` first holds {when}.")
        }
        _ => writeln!(out, "`{condition}` never holds."),
    };
    let sure = match (known.always, known.earliest.is_some()) {
        (true, _) => "It comes on every run.",
        (false, true) => "There are runs on which it never comes:",
        (false, false) => "All runs are like these:",
    };
    let _ = writeln!(out, "{sure}\n");
    let comes = [("earliest", &known.earliest), ("latest", &known.latest)];
    let rows = comes.into_iter().filter_map(|(name, told)| Some((name, told.as_ref()?)));
    let never = known.never.iter().map(|told| ("never", told));
    let rows: Vec<[String; 3]> = rows.chain(never).map(|(name, told)| row(name, told)).collect();
    let width = |i: usize| rows.iter().map(|r| r[i].chars().count()).max().unwrap_or(0);
    let (first, second) = (width(0), width(1));
    // Files stand beside what they show if there is room for all of them, else below.
    let beside = first + second + width(2) + 6 <= screen::width();
    for [name, what, trail] in &rows {
        let line = format!("  {name:first$}  {what:second$}  {}", if beside { trail } else { "" });
        let _ = writeln!(out, "{}", line.trim_end());
        if !beside && !trail.is_empty() {
            let _ = writeln!(out, "  {:first$}  {trail}", "");
        }
    }
    let latest = known.latest.iter().chain(&known.earliest).chain(&known.never).find_map(|told| told.trail.as_ref());
    if let Some(trail) = latest {
        let _ = writeln!(out, "\nSee a run with\n    starwheel replay {} {trail}", report.model);
    }
}

/// One line: what is shown, when, and where the trail is.
fn row(name: &str, told: &Told) -> [String; 3] {
    let time = told.time.map_or(String::new(), |t| format!("t={t}"));
    let round = || told.round.map_or(String::new(), |n| plural(n, "slice", "slices"));
    let what = match told.fate {
        None if told.time.is_none() => {
            format!("no bound: from t={} on it goes round in {}, and can still come", told.until.unwrap_or(0), round())
        }
        None => time,
        Some("deadlock") => format!("the run gets stuck at {time}"),
        Some("error") => format!("the run ends at {time}: {}", told.message.as_deref().unwrap_or("an error")),
        Some("goes-on") => format!("time goes on for ever, from {time} on in rounds of {}", round()),
        Some("time-stops") => format!("time stops at {time}, in a run without end"),
        Some(_) => format!("the run ends well at {time}"),
    };
    [name.to_string(), what, told.trail.clone().unwrap_or_default()]
}

fn counts(report: &WhenReport, out: &mut String) {
    let s = &report.stats;
    let _ = writeln!(
        out,
        "\n{} without it, {}; {} per state, {} of memory, {}",
        plural(s.states_stored, "state", "states"),
        plural(s.transitions, "transition", "transitions"),
        plural(s.state_bytes, "byte", "bytes"),
        show_bytes(s.peak_rss_bytes),
        show_seconds(s.seconds),
    );
    let _ = writeln!(out, "Not reduced: all steps are taken");
    if let Some(units) = s.tick_units.filter(|n| *n > 1) {
        let _ = writeln!(out, "{}", figures::slice(units));
    }
}
