//! What comes behind the verdict and the run: what the search cost, what was left out of it, where its states come from.

use starwheel_workbench::assemble::left_out;
use starwheel_workbench::quantity::{plural, show_bytes, show_count, show_seconds};
use starwheel_workbench::reduction::Applied;
use starwheel_workbench::report::PropertyKind;
use starwheel_workbench::show::{self, Detail, fitted};
use starwheel_workbench::symmetry::{Interchange, Interchangeable};
use starwheel_workbench::written::chain;
use starwheel_workbench::{Plan, Report, Verdict};
use std::fmt::Write;

/// Unreached statements that are shown without `--verbose`.
const UNREACHED: usize = 20;

/// All of it, in lines that fit the terminal.
pub fn text(report: &Report, plan: &Plan, detail: Detail) -> String {
    let mut out = String::new();
    counts(report, &mut out);
    if report.no_step_fails {
        let _ = writeln!(
            out,
            "The system itself was not searched: no step can go wrong, as the values of all indices, divisors and channels show"
        );
    }
    reductions(report, &mut out);
    report.symmetry.iter().for_each(|s| interchange(s, &mut out));
    let plain = report.searches.iter().any(|s| s.search != "decoupled");
    if let Some(why) = left_out(plan).filter(|_| plain) {
        let _ = writeln!(out, "Not reduced: {why}");
    }
    if report.head.complete {
        unreached(report, detail, &mut out);
    }
    growth(report, &mut out);
    further(report, plan, &mut out);
    if !report.unchecked.is_empty() {
        let _ = writeln!(out, "\nNot checked: {}", report.unchecked.join(", "));
    }
    fitted(&out, detail.width)
}

/// Which processes were interchangeable.
fn interchange(s: &Interchange, out: &mut String) {
    let family = |f: &Interchangeable| {
        let sizes: Vec<String> = f.blocks.iter().filter(|b| b.len() > 1).map(|b| b.len().to_string()).collect();
        format!("{} of {} `{}`", sizes.join(" and "), f.size, f.proctypes.join("` with `"))
    };
    let families: Vec<String> = s.families.iter().map(family).collect();
    let name = s.property.as_ref().map_or(String::new(), |p| format!(" for `{p}`"));
    let order = show_count(s.group_order);
    let _ = writeln!(out, "Reduced by symmetry{name} ({}): {}; {order} orders", s.strategy, families.join(", "));
    if s.undying {
        let _ = writeln!(out, "  ends of processes are left out of the search, and put into trails");
    }
    if s.overfull > 0 {
        let several = plural(s.overfull, "state", "states");
        let _ = writeln!(out, "  {several} had too many images to try all, and may have been stored more than once");
    }
    if let Some(checked) = s.audited {
        let _ =
            writeln!(out, "  {} checked and found alike", plural(checked, "renamed state was", "renamed states were"));
    }
    for o in &s.obstacles {
        let _ = writeln!(out, "  kept apart: {}:{}: {}", o.file, o.line, o.message);
    }
}

/// Which searches were reduced, and which were not.
fn reductions(report: &Report, out: &mut String) {
    let own = report.properties.iter().filter(|p| p.kind != PropertyKind::Safety).map(|p| p.name.as_str());
    let searched = !report.no_step_fails && report.properties.iter().any(|p| p.kind == PropertyKind::Safety);
    let system = searched.then_some(None);
    let all: Vec<Option<&str>> = system.into_iter().chain(own.map(Some)).collect();
    let name = |property: Option<&str>| match property {
        Some(name) => format!(" for `{name}`"),
        None if all.len() > 1 => " for the system itself".to_string(),
        None => String::new(),
    };
    for r in &report.reductions {
        reduction(r, &name(r.property.as_deref()), out);
    }
    let reduced = |p: &Option<&str>| report.reductions.iter().any(|r| r.property.as_deref() == *p);
    for whole in all.iter().filter(|p| !report.reductions.is_empty() && !reduced(p)) {
        let _ = writeln!(out, "Not reduced{}: this search takes all steps", name(*whole));
    }
}

/// What was left out, and why not more.
fn reduction(r: &Applied, name: &str, out: &mut String) {
    let _ = write!(out, "Reduced by partial order{name} ({}", r.method);
    if r.deadlocks_only {
        let _ = write!(out, ", for deadlocks only: nothing else can go wrong");
    }
    let _ = writeln!(out, ")");
    if let Some(choices) = r.audited {
        let _ = writeln!(out, "  {} checked and found good", plural(choices, "choice was", "choices were"));
    }
    let Some(explained) = &r.explained else { return };
    let _ = writeln!(
        out,
        "  {} of {} in which several processes can move",
        show_count(explained.reduced),
        plural(explained.states, "state", "states")
    );
    for p in &explained.places {
        let statements = p.statements.join(" | ");
        let _ = writeln!(out, "  {}:{} {}: {statements}", p.file, p.line, p.proctype);
        let because: Vec<_> = p.because.iter().map(|(why, n)| format!("{why} ({})", show_count(*n))).collect();
        let _ = write!(out, "      first in {} of {}", show_count(p.chosen), plural(p.seen, "state", "states"));
        let _ = writeln!(
            out,
            "{}",
            if because.is_empty() { String::new() } else { format!("; not alone: {}", because.join(", ")) }
        );
    }
}

/// How times in trails are to be read.
pub fn slice(units: u64) -> String {
    format!("Time is counted in slices of {units} units of the text: t=1 is {units}")
}

fn counts(report: &Report, out: &mut String) {
    let s = &report.stats;
    let _ = writeln!(
        out,
        "\n{}, {}, depth {}; {} per state, {} of memory, {}",
        match s.decoupled_states {
            Some(count) => plural(count, "decoupled state", "decoupled states"),
            None => plural(s.states_stored, "state", "states"),
        },
        plural(s.transitions, "transition", "transitions"),
        show_count(s.max_depth),
        plural(s.state_bytes, "byte", "bytes"),
        show_bytes(s.peak_rss_bytes),
        show_seconds(s.seconds),
    );
    if let Some(units) = s.tick_units.filter(|n| *n > 1) {
        let _ = writeln!(out, "{}", slice(units));
    }
    for p in &report.properties {
        if let Some(automaton) = &p.automaton {
            let formula = p.formula.as_ref().map(|f| format!("{f}; ")).unwrap_or_default();
            let _ = writeln!(out, "\n{}: {formula}{automaton}", p.name);
        }
        if let Some(s) = &p.stats {
            let (states, transitions) = (s.states_stored, s.transitions);
            let _ = writeln!(
                out,
                "with {}: {}, {}, depth {}; {}",
                p.name,
                match s.decoupled_states {
                    Some(count) => plural(count, "decoupled state", "decoupled states"),
                    None => plural(states, "state", "states"),
                },
                plural(transitions, "transition", "transitions"),
                show_count(s.max_depth),
                show_seconds(s.seconds)
            );
        }
    }
}

/// What can be done about a limit of time or memory, given what was done already.
fn further(report: &Report, plan: &Plan, out: &mut String) {
    let stopped = |limit: &str| report.stopped_because.as_ref().is_some_and(|why| why.starts_with(limit));
    let (memory, time) = (stopped("the memory limit"), stopped("the time limit"));
    if report.head.outcome != Verdict::Stopped || !(memory || time) {
        return;
    }
    // What goes with everything, and what is for a search of all states with nothing else said about it.
    let plain = plan.search_is_open() && report.properties.iter().all(|p| p.kind == PropertyKind::Safety);
    let ways = [
        ("`--dead-vars` makes fewer states", !plan.reading.dead_vars),
        ("`--decouple auto` may need far fewer", plain),
        ("`--spill` goes on on the disk", plain && memory),
        ("`--checkpoint FILE` lets you go on later", plain && time),
    ];
    let ways: Vec<_> = ways.iter().filter(|way| way.1).map(|way| way.0).collect();
    if !ways.is_empty() {
        let _ = writeln!(out, "\nTo get further: {}", ways.join(", "));
    }
}

/// Where the states come from.
fn growth(report: &Report, out: &mut String) {
    if report.growth.is_empty() {
        return;
    }
    let states = show_count(report.growth_states.unwrap_or(0));
    let _ = writeln!(out, "\nMost different values, in {states} states of random runs:");
    for g in &report.growth {
        let _ = writeln!(out, "  {:>9}  {}", show_count(g.values), g.what);
    }
}

fn unreached(report: &Report, detail: Detail, out: &mut String) {
    let width = detail.width;
    let Some(unreached) = report.unreached.as_ref().filter(|u| !u.is_empty()) else { return };
    let _ = writeln!(out, "\nNever executed:");
    let most = if detail.bookkeeping { usize::MAX } else { UNREACHED };
    for u in unreached.iter().take(most) {
        let line = show::cut(&format!("  {}:{}  {}  {}", u.file, u.line, u.proctype, u.text), width);
        let via = chain(&u.via);
        match line.chars().count() + via.chars().count() <= width {
            true => out.push_str(&format!("{line}{via}\n")),
            false => out.push_str(&format!("{line}\n     {via}\n")),
        }
    }
    more(unreached.len(), most, out);
}

/// Says that there are more than are shown.
pub fn more(all: usize, most: usize, out: &mut String) {
    if all > most {
        let _ = writeln!(out, "  … and {} more (--verbose shows all)", all - most);
    }
}
