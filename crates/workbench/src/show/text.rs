//! A run as text for people, one line for each move.

use crate::ask::quantity::plural;
use crate::property::watched::Truths;
use crate::trail::walk::{Move, Situation, Walk};
use std::fmt::Write;

/// How much is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Detail {
    /// Leave out the values that change.
    pub brief: bool,
}

/// Where the columns of a run stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Columns {
    number: usize,
    time: usize,
    process: usize,
    place: usize,
    text: usize,
}

/// A statement longer than this pushes its values to the next line.
const WIDEST_TEXT: usize = 36;

impl Columns {
    /// Columns that fit these moves.
    pub fn fit(moves: &[Move]) -> Columns {
        let width = |f: &dyn Fn(&Move) -> usize| moves.iter().map(f).max().unwrap_or(1);
        Columns {
            number: moves.last().map_or(1, |m| m.number.to_string().len()).max(3),
            time: width(&|m| m.time.map_or(0, |t| t.to_string().len() + 2)),
            process: width(&|m| who(m).chars().count()),
            place: width(&|m| place(m).chars().count()),
            text: width(&|m| m.text.chars().count()).min(WIDEST_TEXT),
        }
    }

    /// Columns for a run that is still going on.
    pub fn open() -> Columns {
        Columns { number: 4, time: 5, process: 10, place: 12, text: 24 }
    }

    /// The lines of one move.
    pub fn line(&self, m: &Move, detail: Detail) -> String {
        let Columns { number, time, process, place: width, text } = *self;
        let mut out = String::new();
        let timeout = if m.timeout && m.tick.is_none() && !m.text.contains("timeout") { "  (timeout)" } else { "" };
        let _ = write!(out, "{:>number$}  ", m.number);
        if let Some(now) = m.time {
            let _ = write!(out, "{:time$}  ", format!("t={now}"));
        }
        let _ = write!(out, "{:process$}  {:width$}  ", who(m), place(m));
        let values = if detail.brief { Vec::new() } else { effects(m) };
        let fits = m.text.chars().count() <= text;
        if values.is_empty() || !fits {
            let _ = writeln!(out, "{}{timeout}", m.text);
        }
        let indent = number + m.time.map_or(0, |_| time + 2) + process + width + 6 + text;
        let joined = wrap(&values, indent + 3);
        for (i, line) in joined.iter().enumerate() {
            let _ = match (i, fits) {
                (0, true) => writeln!(out, "{:text$}{timeout}   {line}", m.text),
                _ => writeln!(out, "{:indent$}   {line}", ""),
            };
        }
        for line in m.printed.concat().lines() {
            let _ = writeln!(out, "{:number$}  prints: {line}", "");
        }
        for fault in &m.faults {
            let _ = writeln!(out, "{:number$}  WRONG: {fault}", "");
        }
        if m.decides {
            let _ = writeln!(out, "{:number$}  this decides it: whatever follows, the property is violated", "");
        }
        if !detail.brief && !m.propositions.is_empty() {
            let _ = writeln!(out, "{:number$}  now {}", "", truths(&m.propositions));
        }
        out
    }
}

/// Conditions with their values: `true: p, q; false: r`.
fn truths(truths: &Truths) -> String {
    let with = |value: bool| {
        let names: Vec<&str> = truths.iter().filter(|t| *t.1 == value).map(|t| t.0.as_str()).collect();
        (!names.is_empty()).then(|| format!("{value}: {}", names.join(", ")))
    };
    [true, false].into_iter().filter_map(with).collect::<Vec<_>>().join("; ")
}

fn who(m: &Move) -> String {
    if m.tick.is_some() {
        return "time".to_string();
    }
    if m.claim { m.proctype.clone() } else { format!("{}({})", m.proctype, m.pid) }
}

fn place(m: &Move) -> String {
    if m.line == 0 { String::new() } else { format!("{}:{}", short(&m.file), m.line) }
}

/// The last part of a path: in a column there is no room for more.
pub fn short(file: &str) -> &str {
    file.rsplit('/').next().unwrap_or(file)
}

/// What a move does, besides going on.
fn effects(m: &Move) -> Vec<String> {
    let mut out = Vec::new();
    if let Some(message) = &m.message {
        let fields = message.fields.join(",");
        match (message.partner, message.send) {
            (Some(pid), true) => out.push(format!("{fields} to process {pid}")),
            (Some(pid), false) => out.push(format!("{fields} from process {pid}")),
            (None, _) => {}
        }
    }
    out.extend(m.changes.iter().map(|c| c.shown()));
    out.extend(m.started.iter().map(|(pid, name)| format!("{name}({pid}) starts")));
    if m.ends {
        out.push("ends".to_string());
    }
    out
}

/// Joins values with commas, in lines that end somewhere near column 120.
fn wrap(values: &[String], indent: usize) -> Vec<String> {
    let room = 120usize.saturating_sub(indent).max(30);
    let mut lines: Vec<String> = Vec::new();
    for value in values {
        match lines.last_mut() {
            Some(line) if line.chars().count() + value.chars().count() + 2 <= room => {
                line.push_str(", ");
                line.push_str(value);
            }
            _ => lines.push(value.clone()),
        }
    }
    lines
}

/// A whole run.
pub fn walk(walk: &Walk, detail: Detail) -> String {
    lines(walk, detail)
}

/// The lines of all moves, with marks around the part that is repeated for ever.
fn lines(walk: &Walk, detail: Detail) -> String {
    let moves = joined(walk);
    let columns = Columns::fit(&moves);
    let mut out = String::new();
    if !detail.brief && !walk.propositions.is_empty() {
        let when = if walk.moves.first().is_none_or(|m| m.number == 1) { "at first" } else { "here" };
        let _ = writeln!(out, "{:>3}  {when} {}", "", truths(&walk.propositions));
    }
    let mut next = moves.first().map_or(1, |m| m.number.min(1));
    for m in &moves {
        let skipped = m.number.saturating_sub(next);
        if skipped > 0 && m.tick.is_none() {
            let _ = write!(out, "{:>3}  ({} not shown", "…", plural(skipped, "step", "steps"));
            if let Some(start) = walk.cycle_start.filter(|start| (next..m.number).contains(&(start + 1))) {
                let _ = write!(out, "; the cycle starts at step {}", start + 1);
            }
            out.push_str(")\n");
        }
        next = m.number + 1;
        if walk.cycle_start.is_some_and(|start| m.number == start + 1) {
            out.push_str(&opening(walk));
        }
        out.push_str(&columns.line(m, detail));
    }
    out.push_str(&closing(walk));
    out
}

/// The moves, ticks in a row as one; but what is repeated for ever begins with a line of its own.
fn joined(walk: &Walk) -> Vec<Move> {
    let mut out: Vec<Move> = Vec::new();
    for m in &walk.moves {
        let first = walk.cycle_start.is_some_and(|start| m.number == start + 1);
        let apart = walk.cycle_start.is_some_and(|start| out.last().is_some_and(|last| last.number == start + 1));
        if first || apart || !out.last_mut().is_some_and(|last| last.join(m)) {
            out.push(m.clone());
        }
    }
    out
}

/// The line above the part that is repeated for ever.
fn opening(walk: &Walk) -> String {
    let (start, last) = (walk.cycle_start.unwrap_or(0), walk.moves.last().map_or(0, |m| m.number));
    let steps = match last.saturating_sub(start) {
        1 => "the following step repeats for ever".to_string(),
        n => format!("the following {n} steps repeat for ever"),
    };
    format!("  ┌── {steps}{}:\n", here(walk))
}

/// The line below the part that is repeated for ever.
fn closing(walk: &Walk) -> String {
    let last = walk.moves.last().map_or(0, |m| m.number);
    match walk.cycle_start {
        Some(start) if start >= last => {
            format!("  ── nothing can happen any more: the system stays here for ever{}\n", here(walk))
        }
        Some(start) => format!("  └── and so on for ever, from step {} again\n", start + 1),
        None => String::new(),
    }
}

/// What is true where the cycle starts.
fn here(walk: &Walk) -> String {
    if walk.cycle_propositions.is_empty() {
        return String::new();
    }
    format!("; here {}", truths(&walk.cycle_propositions))
}

/// All values of a state and where each process stands.
pub fn situation(s: &Situation) -> String {
    let mut out = String::new();
    for v in &s.globals {
        let _ = writeln!(out, "  {} = {}", v.name, v.value);
    }
    for q in &s.channels {
        let shown = if q.messages.is_empty() { "empty".to_string() } else { q.shown() };
        let _ = writeln!(out, "  {}: {shown}", q.name);
    }
    if s.processes.is_empty() {
        let _ = writeln!(out, "  no process is left");
    }
    for p in &s.processes {
        let end = if p.valid_end { ", a valid end" } else { "" };
        let _ = writeln!(out, "  {}({}) is at {}:{}{end}", p.proctype, p.pid, short(&p.file), p.line);
        if !p.next.is_empty() {
            let _ = writeln!(out, "      next: {}", p.next.join("  or  "));
        }
        let locals: Vec<_> = p.locals.iter().map(|v| format!("{} = {}", v.name, v.value)).collect();
        for line in wrap(&locals, 6) {
            let _ = writeln!(out, "      {line}");
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trail::walk::{Change, Message};

    fn step(number: u64, text: &str) -> Move {
        Move {
            number,
            pid: 1,
            proctype: "P".into(),
            file: "dir/m.pml".into(),
            line: 7,
            text: text.into(),
            ..Move::default()
        }
    }

    #[test]
    fn a_move_is_a_line_with_its_values() {
        let change = Change { name: "x".into(), value: "3".into(), ..Change::default() };
        let walk = Walk {
            moves: vec![step(1, "skip"), Move { changes: vec![change], ..step(2, "x = 3") }],
            ..Walk::default()
        };
        assert_eq!(
            super::walk(&walk, Detail::default()),
            "  1  P(1)  m.pml:7  skip\n  2  P(1)  m.pml:7  x = 3   x = 3\n"
        );
        assert_eq!(super::walk(&walk, Detail { brief: true }), "  1  P(1)  m.pml:7  skip\n  2  P(1)  m.pml:7  x = 3\n");
    }

    #[test]
    fn handshakes_and_output_are_shown_in_place() {
        let message =
            Message { send: true, name: "c".into(), fields: vec!["3".into()], partner: Some(2), ..Message::default() };
        let m = Move { message: Some(message), printed: vec!["hello\n".into()], ..step(4, "c!3") };
        let text = Columns::fit(std::slice::from_ref(&m)).line(&m, Detail::default());
        assert_eq!(text, "  4  P(1)  m.pml:7  c!3   3 to process 2\n     prints: hello\n");
    }

    #[test]
    fn a_run_says_what_it_leaves_out() {
        let numbers = [1, 2].into_iter().chain(18..=20);
        let walk = Walk { moves: numbers.map(|n| step(n, "skip")).collect(), ..Walk::default() };
        let text = super::walk(&walk, Detail::default());
        assert!(text.contains("  …  (15 steps not shown)\n 18"), "{text}");
        assert_eq!(text.lines().count(), 6);
    }

    #[test]
    fn long_statements_push_their_values_down() {
        let long = "x = ((((((((((((a+b)+c)+d)+e)+f)+g)+h)+i)+j)+k)+l)+m)";
        let change = Change { name: "x".into(), value: "3".into(), ..Change::default() };
        let m = Move { changes: vec![change], ..step(1, long) };
        let text = Columns::fit(std::slice::from_ref(&m)).line(&m, Detail::default());
        assert_eq!(text.lines().count(), 2, "{text}");
    }
}
