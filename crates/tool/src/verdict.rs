//! The result of a check in plain words.

use crate::figures::{self, more};
use crate::screen;
use starwheel_workbench::quantity::{plural, show_count};
use starwheel_workbench::report::waiting::Waiting;
use starwheel_workbench::report::{Finding, Property, PropertyKind};
use starwheel_workbench::show::{Detail, filled};
use starwheel_workbench::written::chain;
use starwheel_workbench::{Checked, Plan, Report, Verdict, show};
use std::collections::BTreeSet;
use std::fmt::Write;

/// The longest first line.
const HEADLINE: usize = 100;
/// Findings that are shown without `--verbose`.
const FINDINGS: usize = 10;

/// The whole text.
pub fn text(checked: &Checked, plan: &Plan) -> String {
    let report = &checked.report;
    let detail = screen::detail(plan);
    let mut out = headline(report, detail);
    verdicts(report, &mut out);
    findings(checked, detail, &mut out);
    out.push_str(&figures::text(report, plan, detail));
    out
}

/// The verdict in one sentence.
fn headline(report: &Report, detail: Detail) -> String {
    let reason = report.stopped_because.as_deref().unwrap_or("the search ended early");
    match report.head.outcome {
        Verdict::Holds(_) if report.reductions.is_empty() && report.symmetry.is_empty() => {
            format!("{}All reachable states were visited.\n", held(report, detail))
        }
        Verdict::Holds(_) => {
            let rest = "The other states cannot change this answer: a reduction proves it, see below";
            format!("{}{rest}.\n", held(report, detail))
        }
        Verdict::Violated => match report.findings.first() {
            Some(f) => {
                let early = report.stopped_because.as_ref().map(|why| format!("The search ended early: {why}.\n"));
                format!("{}{}", violated(f, detail), early.unwrap_or_default())
            }
            None => format!("{}\n", word(detail, Verdict::Violated)),
        },
        Verdict::Unrefuted => said(Verdict::Unrefuted, "nothing was found, but states may have been missed", detail),
        Verdict::Stopped => said(Verdict::Stopped, &format!("{reason}; nothing wrong was found until then"), detail),
    }
}

/// The word for a verdict, and its colour.
fn styled(verdict: Verdict) -> (&'static str, &'static str) {
    match verdict {
        Verdict::Holds(_) => ("HOLDS", "1;32"),
        Verdict::Violated => ("VIOLATED", show::WRONG),
        Verdict::Unrefuted => ("NOT REFUTED", "1;33"),
        Verdict::Stopped => ("NOT CONCLUSIVE", "1;33"),
    }
}

/// The word for a verdict, in its colour.
fn word(detail: Detail, verdict: Verdict) -> String {
    let (word, style) = styled(verdict);
    show::paint(detail.paint, style, word)
}

/// A verdict and a sentence, in lines that fit the eye.
fn said(verdict: Verdict, sentence: &str, detail: Detail) -> String {
    let (plain, _) = styled(verdict);
    let lines = filled(&format!("{plain}: {sentence}."), detail.width.min(HEADLINE)).join("\n") + "\n";
    lines.replacen(plain, &word(detail, verdict), 1)
}

/// What holds, in lines that fit the eye.
fn held(report: &Report, detail: Detail) -> String {
    said(report.head.outcome, &proved(report), detail)
}

/// What is wrong: a line that fits the eye, then the values and places that belong to it.
fn violated(f: &Finding, detail: Detail) -> String {
    let place = if f.source.line > 0 {
        format!("{}:{}{}", f.source.file, f.source.line, chain(&f.source.via))
    } else {
        String::new()
    };
    let width = detail.width.min(HEADLINE);
    let whole = format!("VIOLATED: {} ({place})", f.message);
    let mut out = word(detail, Verdict::Violated);
    if f.waiting.is_empty() && whole.chars().count() <= width {
        let place = if place.is_empty() { String::new() } else { format!(" ({place})") };
        let _ = writeln!(out, ": {}{place}", f.message);
        values(&f.values, detail, &mut out);
        return out;
    }
    // The values come behind the condition, and explanations behind a colon; they go to lines of their own if all does not fit
    // into one.
    let room = width - "VIOLATED: ".len();
    let (what, behind, more) = match f.message.split_once("` does not hold: ") {
        Some((what, values)) => {
            (format!("{what}` does not hold"), values.split(", ").map(String::from).collect(), None)
        }
        None => match f.message.split_once(": ") {
            Some((what, more)) if f.waiting.is_empty() => (what.to_string(), f.values.clone(), Some(more)),
            _ => (f.message.clone(), f.values.clone(), None),
        },
    };
    // The table names them all.
    let stuck = f.waiting.iter().filter(|w| !w.valid_end).count();
    let what = match what.chars().count() > room && stuck > 1 {
        true => format!("deadlock: {stuck} processes wait for ever"),
        false => what,
    };
    let _ = writeln!(out, ": {}", show::cut(&what, room));
    if what.chars().count() > room {
        for line in filled(&what, detail.width - 2) {
            let _ = writeln!(out, "  {line}");
        }
    }
    for line in more.iter().flat_map(|more| filled(more, detail.width - 2)) {
        let _ = writeln!(out, "  {line}");
    }
    values(&behind, detail, &mut out);
    if f.waiting.is_empty() {
        if !place.is_empty() {
            let _ = writeln!(out, "  at {place}");
        }
        return out;
    }
    out.push_str(&table(f, detail));
    out
}

/// Values, in lines that fit the eye.
fn values(list: &[String], detail: Detail, out: &mut String) {
    for line in show::wrap(list, 4, detail.width) {
        let _ = writeln!(out, "    {}", show::paint(detail.paint, show::CHANGED, &line));
    }
}

/// Who waits where for what, and what stands in the way, also for processes that may stay where they are.
pub fn blocked(waiting: &[Waiting], detail: Detail) -> String {
    let all: Vec<Waiting> = waiting.iter().map(|w| Waiting { valid_end: false, ..w.clone() }).collect();
    rows(&all, detail)
}

/// Who waits where for what, what stands in the way, and what can be done about it.
fn table(f: &Finding, detail: Detail) -> String {
    let waiting = &f.waiting;
    let mut out = rows(waiting, detail);
    for (number, line) in show::wrap(&f.besides, 11, detail.width).iter().enumerate() {
        let _ = writeln!(out, "  {:7}  {line}", if number == 0 { "besides" } else { "" });
    }
    let advice = f.advice.as_deref().unwrap_or_default();
    filled(advice, detail.width).iter().for_each(|line| out.push_str(&format!("{line}\n")));
    out
}

/// The lines of the table.
fn rows(waiting: &[Waiting], detail: Detail) -> String {
    let mut rows: Vec<[String; 4]> = Vec::new();
    for w in waiting.iter().filter(|w| !w.valid_end) {
        let place = if w.at.line == 0 { String::new() } else { format!("{}:{}", show::short(&w.at.file), w.at.line) };
        let mut head = (w.who(), place);
        for o in &w.on {
            let (who, place) = std::mem::take(&mut head);
            rows.push([who, place, o.text.clone(), o.because.clone()]);
        }
        if w.on.is_empty() {
            let (who, place) = head;
            rows.push([who, place, "can never go on".to_string(), String::new()]);
        }
        if !w.via.is_empty() {
            rows.push([String::new(), String::new(), chain(&w.via).trim_start().to_string(), String::new()]);
        }
    }
    let width = |i: usize| rows.iter().map(|r| r[i].chars().count()).max().unwrap_or(0);
    // The chain of uses needs no column of its own; it is as wide as it likes.
    let asked = rows.iter().filter(|r| !r[3].is_empty()).map(|r| r[2].chars().count()).max().unwrap_or(0);
    let (who, place, why) = (width(0), width(1), width(3));
    let indent = who + place + 6;
    let left = detail.width.saturating_sub(indent).max(20);
    // What stands in the way stands beside the statement if there is room for both, else below it.
    let beside = asked + 2 + why <= left;
    let mut out = String::new();
    for [a, b, c, d] in &rows {
        let c = show::cut(c, left);
        let value = |text: &str| show::paint(detail.paint, show::CHANGED, text);
        let line = format!("  {a:who$}  {b:place$}  ");
        if beside && !d.is_empty() {
            let _ = writeln!(out, "{line}{c:asked$}  {}", value(d));
            continue;
        }
        let _ = writeln!(out, "{}", format!("{line}{c}").trim_end());
        let values: Vec<String> = d.split(", ").filter(|p| !p.is_empty()).map(String::from).collect();
        for part in show::wrap(&values, indent + 2, detail.width) {
            let _ = writeln!(out, "{:indent$}  {}", "", value(&part));
        }
    }
    out
}

fn proved(report: &Report) -> String {
    let run = |p: &Property| p.fairness.map_or("run".to_string(), |f| format!("{} run", f.word()));
    let words = report.properties.iter().map(|p| match (p.kind, p.name.as_str()) {
        (PropertyKind::Claim, name) => format!("no {} is one that the claim `{name}` describes", run(p)),
        (PropertyKind::Formula, name) => format!("the formula `{name}` is true of every {}", run(p)),
        (PropertyKind::Automaton, _) => format!("no {} is one that the automaton accepts", run(p)),
        (PropertyKind::Acceptance, _) => format!("no {} passes an accept label for ever", run(p)),
        (PropertyKind::Time, _) => format!("time goes on in every {} without end", run(p)),
        (PropertyKind::Progress, _) => format!("every {} without end makes progress", run(p)),
        (PropertyKind::Safety, "assertions") => "no assertion fails".to_string(),
        (PropertyKind::Safety, "invalid-end-states") => "the system never gets stuck".to_string(),
        (PropertyKind::Safety, "runtime-errors") => "no run-time error occurs".to_string(),
        (PropertyKind::Safety, _) => "the trace assertion is kept".to_string(),
    });
    let words: Vec<_> = words.collect();
    match words.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
        Some((last, _)) => last.clone(),
        None => "nothing was asked".to_string(),
    }
}

/// The verdict on each property, if some of them had a search of their own.
fn verdicts(report: &Report, out: &mut String) {
    let own = |p: &&Property| p.kind != PropertyKind::Safety;
    if !report.properties.iter().any(|p| own(&p)) || report.head.outcome.holds() {
        return;
    }
    let width = report.properties.iter().map(|p| p.name.chars().count()).max().unwrap_or(0);
    out.push('\n');
    for p in &report.properties {
        let word = match p.outcome {
            Verdict::Holds(_) => "holds",
            Verdict::Unrefuted => "not refuted",
            Verdict::Stopped => "not conclusive",
            Verdict::Violated => "violated",
        };
        let trail = p.findings.iter().find_map(|f| f.trail.as_ref()).filter(|t| report.trail.as_ref() != Some(*t));
        let trail = trail.map_or(String::new(), |t| format!("  (trail: {t})"));
        // Of the errors of the system itself the first one ends the search for all of them.
        let first = p.kind == PropertyKind::Safety && p.outcome == Verdict::Stopped && report.stopped_because.is_none();
        let why = if first { "  (the search ended at the first error)" } else { "" };
        let _ = writeln!(out, "  {:width$}  {word}{why}{trail}", p.name);
    }
}

fn sentence(f: &Finding) -> String {
    let stuck = || {
        let lines: BTreeSet<u32> = f.waiting.iter().filter(|w| !w.valid_end).map(|w| w.at.line).collect();
        lines.into_iter().map(|line| line.to_string())
    };
    let place = match f.waiting.is_empty() {
        true if f.source.line > 0 => format!(" ({}:{}{})", f.source.file, f.source.line, chain(&f.source.via)),
        true => String::new(),
        false => format!(" ({}:{})", f.source.file, stuck().collect::<Vec<_>>().join(", ")),
    };
    format!("{}{place}", f.message)
}

fn findings(checked: &Checked, detail: Detail, out: &mut String) {
    let verbose = detail.bookkeeping;
    let report = &checked.report;
    if let Some(excerpt) = &checked.excerpt {
        let short = report.findings.first().map(|f| length(f) + &switches(f)).unwrap_or_default();
        let _ = match excerpt.total {
            0 => writeln!(out, "\nThis is so at once, in the initial state."),
            total => {
                let line = format!("How it comes to that ({}{short}):", plural(total, "step", "steps"));
                writeln!(out, "\n{}", show::fitted(&line, detail.width))
            }
        };
        out.push_str(&show::walk(&excerpt.walk, detail));
    }
    report.properties.iter().for_each(|p| fairness(p, detail, out));
    if let Some(trail) = &report.trail {
        let extra = match trail == &format!("{}.trail.json", report.head.model) {
            true => String::new(),
            false => format!(" {trail}"),
        };
        let _ = writeln!(out, "\nThe trail is in {trail}; see all of it with");
        let _ = writeln!(out, "    starwheel replay {}{extra}", report.head.model);
    }
    if report.findings.len() > 1 || report.head.errors > 1 {
        let _ = writeln!(out, "\n{} in all:", plural(report.head.errors, "error", "errors"));
        let most = if verbose { usize::MAX } else { FINDINGS };
        for f in report.findings.iter().take(most) {
            // Where several have the same words, only their trails tell them apart.
            let alike = report.findings.iter().filter(|other| other.message == f.message).count() > 1;
            let line = format!("{} × {}", show_count(f.events), sentence(f));
            let _ = writeln!(out, "  {}", filled(&line, detail.width.saturating_sub(6)).join("\n      "));
            if let Some(trail) = f.trail.as_ref().filter(|_| alike) {
                let _ = writeln!(out, "      trail: {trail}");
            }
        }
        more(report.findings.len(), most, out);
    }
}

/// Who was forgotten in a cycle, and whether that is all that is wrong.
fn fairness(p: &Property, detail: Detail, out: &mut String) {
    let Some((last, rest)) = p.forgotten.split_last() else { return };
    let (who, verb) = match rest.is_empty() {
        true => (last.clone(), "never does"),
        false => (format!("{} and {last}", rest.join(", ")), "never do"),
    };
    let then = match p.with_fairness {
        Some(Verdict::Holds(_)) => ", and it holds",
        Some(Verdict::Violated) => ", but it is violated by others",
        _ => "",
    };
    let text = format!(
        "{}: in the cycle {who} could always move and {verb}; with `--fair` such runs do not count{then}.",
        p.name
    );
    let _ = writeln!(out, "\n{}", filled(&text, detail.width).join("\n"));
}

/// What is known about the length of a trail.
fn length(f: &Finding) -> String {
    match (f.shortest, f.shortened_from) {
        _ if f.fastest => ", no run to such an error takes less time".to_string(),
        (true, _) => ", no run to such an error is shorter".to_string(),
        (false, Some(from)) => format!(", shortened from {}", show_count(from)),
        (false, None) => String::new(),
    }
}

/// How often processes take over from one another, if somebody asked for few switches.
fn switches(f: &Finding) -> String {
    let Some(count) = f.switches else { return String::new() };
    let count = plural(count, "context switch", "context switches");
    match (f.fewest_switches, f.switches_from) {
        (true, _) => format!(", {count}; no run to such an error has fewer"),
        (false, Some(from)) => format!(", {count}, fewer than {} at first", show_count(from)),
        (false, None) => format!(", {count}; the search for fewer did not come to its end"),
    }
}
