//! Inputs of what never comes: no process sends it here, and the environment cannot.

use crate::machine::{Process, ProcessId, SignalId, Stimulus, StmtKind, Target, TriggerKind};
use crate::options::{Environment, Options};
use crate::structure::{Feed, Structure, mentions_input, takes_all};
use crate::write::each_stmt;
use starwheel_base::{Diagnostic, Span};
use std::collections::HashSet;

/// Processes, and signals of each, that one warning names.
const NAMED: usize = 5;

const ADVICE: &str =
    "check the routes and channels that lead here, and CONNECT; what comes after such an input is not checked";

/// Tells of all inputs that wait in vain, given what the environment may send to whom if it does.
pub fn in_vain(
    structure: &Structure,
    processes: &[Process],
    outside: &[(SignalId, ProcessId)],
    options: &Options,
) -> Vec<Diagnostic> {
    let sent = sent(processes);
    let silent = options.environment == Environment::None;
    let mut found: Vec<Diagnostic> =
        if silent { silence(structure, outside, &sent).into_iter().collect() } else { vec![] };
    for p in (0..processes.len()).filter(|p| !structure.is_observer(*p)) {
        let waiting = inputs(&processes[p]);
        let lost = |w: &&(SignalId, Span)| !sent.contains(&(w.0, p)) && !outside.contains(&(w.0, p));
        found.extend(all_in_vain(structure, p, &processes[p], |s| sent.contains(&(s, p)) || outside.contains(&(s, p))));
        found.extend(told(structure, p, &waiting.iter().filter(lost).copied().collect::<Vec<_>>()));
    }
    found
}

/// What processes send, and to whom.
fn sent(processes: &[Process]) -> HashSet<(SignalId, ProcessId)> {
    let mut sent = HashSet::new();
    for p in processes {
        each_stmt(p, &mut |s| {
            if let StmtKind::Output { to: Target::AnyOf(list) | Target::AllOf(list) | Target::Pid(_, list), .. } =
                &s.kind
            {
                sent.extend(list.iter().map(|(q, s)| (*s, *q)));
            }
        });
    }
    sent
}

/// The signals that a process takes, and where it first does so.
fn inputs(process: &Process) -> Vec<(SignalId, Span)> {
    let of = |t: &crate::machine::Trigger| match t.kind {
        TriggerKind::Input { what: Stimulus::Signal(s), .. } => Some((s, t.span)),
        _ => None,
    };
    let mut all: Vec<_> = process.states.iter().flat_map(|s| &s.triggers).filter_map(of).collect();
    all.sort_by_key(|(_, span)| (span.file.0, span.start));
    let mut known = HashSet::new();
    all.retain(|(s, _)| known.insert(*s));
    all
}

/// Says what a process waits for in vain, and why.
fn told(structure: &Structure, p: ProcessId, lost: &[(SignalId, Span)]) -> Option<Diagnostic> {
    let (_, span) = lost.first()?;
    let me = &structure.processes[p].name.text;
    let why = |signal: SignalId| match structure.feed(p, &structure.signals[signal].name.key) {
        Feed::NoRoute => format!("no route to `{me}` carries it"),
        Feed::NoChannel(route) => format!("no channel brings it to the route `{}`", route.text),
        Feed::Nobody => "nobody sends it".to_string(),
    };
    let name = |signal: SignalId| &structure.signals[signal].name.text;
    let list = lost.iter().take(NAMED).map(|(s, _)| format!("`{}` ({})", name(*s), why(*s)));
    let more = if lost.len() > NAMED { ", …" } else { "" };
    let text = format!("`{me}` waits in vain for {}{more}", list.collect::<Vec<_>>().join(", "));
    let mut d = Diagnostic::warning("in-vain", *span, text);
    for (s, span) in lost.iter().take(NAMED).skip(1) {
        d = d.also(*span, format!("`{}`", name(*s)));
    }
    Some(d.advise(
        "check the routes and channels that lead here, and CONNECT; what comes after such an input is not checked",
    ))
}

/// Says that a process takes whatever comes, and nothing can.
fn all_in_vain(
    structure: &Structure,
    p: ProcessId,
    process: &Process,
    comes: impl Fn(SignalId) -> bool,
) -> Option<Diagnostic> {
    let info = &structure.processes[p];
    let waits = takes_all(&info.text.items, &info.text.body) && process.timers.is_empty();
    if !waits || (0..structure.signals.len()).any(comes) {
        return None;
    }
    let text = format!("`{}` waits in vain for any signal (`input *`): none ever gets to it", info.name.text);
    Some(Diagnostic::warning("in-vain", info.name.span, text).advise(ADVICE))
}

/// Says what never comes, and who waits for it, where the environment says nothing.
fn silence(
    structure: &Structure,
    outside: &[(SignalId, ProcessId)],
    sent: &HashSet<(SignalId, ProcessId)>,
) -> Option<Diagnostic> {
    let mut waiting: Vec<(usize, Vec<&str>)> = Vec::new();
    for &(signal, process) in outside.iter().filter(|o| !sent.contains(o)) {
        let text = structure.processes[process].text;
        let name = &structure.signals[signal].name;
        if !mentions_input(&text.items, &text.body, &name.key, 0) && !takes_all(&text.items, &text.body) {
            continue;
        }
        match waiting.iter_mut().find(|w| w.0 == process) {
            Some((_, list)) => list.push(&name.text),
            None => waiting.push((process, vec![&name.text])),
        }
    }
    let (first, all) = (waiting.first()?, waiting.len());
    let told = waiting.iter().take(NAMED).map(|(process, signals)| {
        let more = if signals.len() > NAMED { ", …" } else { "" };
        let list: Vec<String> = signals.iter().take(NAMED).map(|s| format!("`{s}`")).collect();
        format!("`{}` waits for {}{more}", structure.processes[*process].name.text, list.join(", "))
    });
    let more = if all > NAMED { "; …" } else { "" };
    let text = format!("nothing ever comes from the environment: {}{more}", told.collect::<Vec<_>>().join("; "));
    let d = Diagnostic::warning("environment", structure.processes[first.0].name.span, text);
    Some(d.advise("`--env once` sends each signal once at most, `--env any` whatever it can"))
}
