//! A run as text for people, one line for each move.

use crate::ask::quantity::plural;
use crate::open::Opened;
use crate::property::watched::Truths;
use crate::trail::walk::{Change, Move, Situation, Walk};
use crate::written::{Via, chain};
use std::collections::HashMap;
use std::fmt::Write;

/// How much is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Detail {
    /// Leave out the values that change.
    pub brief: bool,
    /// Show joins and the counting of `for`, too.
    pub bookkeeping: bool,
    /// The column at which lines should end.
    pub width: usize,
    /// Use colours.
    pub paint: bool,
}

impl Default for Detail {
    fn default() -> Detail {
        Detail { brief: false, bookkeeping: false, width: 120, paint: false }
    }
}

impl Detail {
    fn painted(self, style: &str, text: &str) -> String {
        paint(self.paint, style, text)
    }
}

/// The colour of values that change.
pub const CHANGED: &str = "36";
/// The colour of what is wrong.
pub const WRONG: &str = "1;31";

/// Text in a colour, if colours are wanted; whoever writes it to something else than a terminal leaves them out.
pub fn paint(wanted: bool, style: &str, text: &str) -> String {
    if wanted && !text.is_empty() { format!("\u{1b}[{style}m{text}\u{1b}[0m") } else { text.to_string() }
}

/// Tells one move after the other. It remembers where each process was: the uses of an inline are told once, at its first
/// statement, and what a step changes that is not shown is told with the next one of the same process.
#[derive(Clone, Debug)]
pub struct Teller {
    columns: Columns,
    detail: Detail,
    /// By process: the uses that brought in its last statement.
    via: HashMap<u8, Vec<Via>>,
    /// By process: what steps changed that were not shown.
    unseen: HashMap<u8, Vec<Change>>,
}

impl Teller {
    /// Tells moves in these columns.
    pub fn new(columns: Columns, detail: Detail) -> Teller {
        Teller { columns, detail, via: HashMap::new(), unseen: HashMap::new() }
    }

    /// Forgets what was not shown: others may have changed it since.
    fn forget(&mut self) {
        self.unseen.clear();
        self.via.clear();
    }

    /// The lines of one move; nothing if it is not shown.
    pub fn line(&mut self, m: &Move) -> String {
        if !self.detail.bookkeeping && is_hidden(m) {
            let unseen = self.unseen.entry(m.pid).or_default();
            unseen.retain(|old| !m.changes.iter().any(|new| (&new.name, &new.owner) == (&old.name, &old.owner)));
            unseen.extend(m.changes.iter().cloned());
            return String::new();
        }
        let mut shown = m.clone();
        if m.tick.is_none() && !m.claim {
            let mut changes = self.unseen.remove(&m.pid).unwrap_or_default();
            changes.retain(|old| !m.changes.iter().any(|new| (&new.name, &new.owner) == (&old.name, &old.owner)));
            changes.extend(shown.changes);
            shown.changes = changes;
            if self.via.insert(m.pid, m.source.via.clone()).is_some_and(|last| last == m.source.via) {
                shown.source.via.clear();
            }
        }
        self.columns.line(&shown, self.detail)
    }
}

/// True for a step that nobody wrote and that has nothing to tell.
fn is_hidden(m: &Move) -> bool {
    m.bookkeeping
        && !m.timeout
        && !m.decides
        && m.message.is_none()
        && m.faults.is_empty()
        && m.printed.is_empty()
        && m.started.is_empty()
        && m.propositions.is_empty()
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

    /// Columns for a run of a model that is still going on.
    pub fn open(opened: &Opened) -> Columns {
        let process = opened.model.proctypes.iter().map(|p| p.name.chars().count() + "(1)".len()).max();
        let files = opened.map.files().iter().filter(|f| !f.shipped);
        let place = files.map(|f| short(&f.name).chars().count() + f.text.lines().count().to_string().len() + 1).max();
        Columns {
            number: 4,
            time: 5,
            process: process.unwrap_or(0).min(20),
            place: place.unwrap_or(0).min(24),
            text: 24,
        }
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
        let mut values = if detail.brief { Vec::new() } else { effects(m) };
        if !m.source.via.is_empty() {
            values.push(chain(&m.source.via).trim_start().to_string());
        }
        let before = number + m.time.map_or(0, |_| time + 2) + process + width + 6;
        let room = detail.width.saturating_sub(before + timeout.len()).max(20);
        let statement = cut(&m.text, room);
        let long = statement.chars().count();
        // A column of its own for the values, if there is room for one; else they stand below, as far left as is legible.
        let widest = values.iter().map(|v| v.chars().count()).max().unwrap_or(0).max(24);
        let beside = before + text + 3 + widest <= detail.width;
        let fits = long <= text && beside;
        if values.is_empty() || !fits {
            let _ = writeln!(out, "{statement}{timeout}");
        }
        let indent = if beside { before + text } else { number + 5 };
        for (i, line) in wrap(&values, indent + 3, detail.width).iter().enumerate() {
            let line = detail.painted(CHANGED, line);
            let _ = match (i, fits) {
                (0, true) => writeln!(out, "{statement:text$}{timeout}   {line}"),
                _ => writeln!(out, "{:indent$}   {line}", ""),
            };
        }
        for line in m.printed.concat().lines() {
            let _ = writeln!(out, "{:number$}  prints: {line}", "");
        }
        for fault in &m.faults {
            let lines = hanging(&format!("WRONG: {fault}"), number + 2, detail.width);
            out.push_str(&lines.replacen("WRONG:", &detail.painted(WRONG, "WRONG:"), 1));
        }
        if m.decides {
            let _ = writeln!(out, "{:number$}  this decides it: whatever follows, the property is violated", "");
        }
        if !detail.brief && !m.propositions.is_empty() {
            out.push_str(&hanging(&format!("now {}", truths(&m.propositions)), number + 2, detail.width));
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
    spot(&m.source.file, m.source.line)
}

/// `raft.pml:34`; nothing where nobody wrote a line.
pub fn spot(file: &str, line: u32) -> String {
    if line == 0 { String::new() } else { format!("{}:{line}", short(file)) }
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
    // Of its own variables a process need not be named as the owner: it stands in front of the line.
    let own = |c: &Change| !m.claim && m.tick.is_none() && c.owner.as_ref().is_some_and(|o| o.0 == m.pid);
    out.extend(m.changes.iter().map(|c| match own(c) {
        true => Change { owner: None, ..c.clone() }.shown(),
        false => c.shown(),
    }));
    out.extend(m.started.iter().map(|(pid, name)| format!("{name}({pid}) starts")));
    if m.ends {
        out.push("ends".to_string());
    }
    if !m.against.is_empty() {
        out.push(format!("not {}", listed(&m.against, "or")));
    }
    if !m.others.is_empty() {
        out.push(format!("also possible: {}", listed(&m.others, "and")));
    }
    out
}

/// Alternatives that are told of one step.
const TOLD: usize = 3;

/// Statements in a row; of many the first ones.
fn listed(all: &[String], word: &str) -> String {
    match all {
        [rest @ .., last] if !rest.is_empty() && all.len() <= TOLD => format!("{} {word} {last}", rest.join(", ")),
        _ if all.len() > TOLD => format!("{}, …", all[..TOLD].join(", ")),
        _ => all.join(", "),
    }
}

/// The beginning of a text that is too long.
pub fn cut(text: &str, room: usize) -> String {
    match text.char_indices().nth(room) {
        Some(_) => text.chars().take(room.saturating_sub(2)).chain(" …".chars()).collect(),
        None => text.to_string(),
    }
}

/// A text in lines of at most this many characters, if its words allow it.
pub fn filled(text: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split(' ') {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_string()),
        }
    }
    lines
}

/// Lines that begin at a column, the further ones a little behind it.
fn hanging(text: &str, indent: usize, width: usize) -> String {
    let lines = filled(text, width.saturating_sub(indent + 4).max(24));
    format!("{:indent$}{}\n", "", lines.join(&format!("\n{:1$}", "", indent + 4)))
}

/// A text whose lines are no wider than this, if their words allow it; what goes on on a further line is a little behind the first.
pub fn fitted(text: &str, width: usize) -> String {
    let mut out = String::new();
    for line in text.lines() {
        let words = line.trim_start();
        match line.chars().count() > width {
            true => out.push_str(&hanging(words, line.chars().count() - words.chars().count(), width)),
            false => out.extend([line, "\n"]),
        }
    }
    out
}

/// Joins values with commas, in lines that end near a column.
pub fn wrap(values: &[String], indent: usize, width: usize) -> Vec<String> {
    let room = width.saturating_sub(indent).max(24);
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
    let shown: Vec<Move> = moves.iter().filter(|m| detail.bookkeeping || !is_hidden(m)).cloned().collect();
    let mut teller = Teller::new(Columns::fit(&shown), detail);
    let mut out = String::new();
    if !detail.brief && !walk.propositions.is_empty() {
        let when = if walk.moves.first().is_none_or(|m| m.number == 1) { "at first" } else { "here" };
        out.push_str(&hanging(&format!("{when} {}", truths(&walk.propositions)), 5, detail.width));
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
            teller.forget();
        }
        next = m.number + 1;
        if walk.cycle_start.is_some_and(|start| m.number == start + 1) {
            out.push_str(&opening(walk, detail.width));
        }
        out.push_str(&teller.line(m));
    }
    out.push_str(&closing(walk, detail.width));
    out.push_str(&left_out(&moves, detail));
    out
}

/// Which numbers of steps are missing, and how to see those steps.
fn left_out(moves: &[Move], detail: Detail) -> String {
    let hidden: Vec<String> =
        moves.iter().filter(|m| !detail.bookkeeping && is_hidden(m)).map(|m| m.number.to_string()).collect();
    let (steps, are) = match &hidden[..] {
        [] => return String::new(),
        [one] => (format!("step {one}"), "is"),
        many => (format!("steps {}", listed(many, "and")), "are"),
    };
    format!("     ({steps} {are} left out; `--verbose` shows joins and loops)\n")
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
fn opening(walk: &Walk, width: usize) -> String {
    let (start, last) = (walk.cycle_start.unwrap_or(0), walk.moves.last().map_or(0, |m| m.number));
    let steps = match last.saturating_sub(start) {
        1 => "the following step repeats for ever".to_string(),
        n => format!("the following {n} steps repeat for ever"),
    };
    hanging(&format!("┌── {steps}{}:", here(walk)), 2, width)
}

/// The line below the part that is repeated for ever.
fn closing(walk: &Walk, width: usize) -> String {
    let last = walk.moves.last().map_or(0, |m| m.number);
    match walk.cycle_start {
        Some(start) if start >= last => {
            let true_here = match walk.cycle_propositions.is_empty() {
                true => String::new(),
                false => hanging(&format!("here {}", truths(&walk.cycle_propositions)), 5, width),
            };
            format!("  ── nothing can happen any more: the system stays here for ever\n{true_here}")
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
pub fn situation(s: &Situation, width: usize) -> String {
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
        let at = format!("{}:{}{}", short(&p.source.file), p.source.line, chain(&p.source.via));
        let _ = writeln!(out, "  {}({}) is at {at}{end}", p.proctype, p.pid);
        if !p.next.is_empty() {
            let _ = writeln!(out, "      next: {}", p.next.join("  or  "));
        }
        let locals: Vec<_> = p.locals.iter().map(|v| format!("{} = {}", v.name, v.value)).collect();
        for line in wrap(&locals, 6, width) {
            let _ = writeln!(out, "      {line}");
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trail::walk::{Change, Message};
    use crate::written::Source;

    fn step(number: u64, text: &str) -> Move {
        Move {
            number,
            pid: 1,
            proctype: "P".into(),
            source: Source { file: "dir/m.pml".into(), line: 7, ..Source::default() },
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
        assert_eq!(
            super::walk(&walk, Detail { brief: true, ..Detail::default() }),
            "  1  P(1)  m.pml:7  skip\n  2  P(1)  m.pml:7  x = 3\n"
        );
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
    fn what_nobody_wrote_is_told_with_the_next_statement() {
        let count = Change { name: "i".into(), value: "1".into(), owner: Some((1, "P".into())), ..Change::default() };
        let hidden = Move { bookkeeping: true, changes: vec![count], ..step(1, "for (i : 0 .. 3)") };
        let via = vec![Via { name: "f".into(), file: "dir/m.pml".into(), line: 9 }];
        let inside = |number| {
            let plain = step(number, "skip");
            Move { source: Source { via: via.clone(), ..plain.source }, ..plain }
        };
        let (first, second) = (inside(2), inside(3));
        let walk = Walk { moves: vec![hidden, first, second], ..Walk::default() };
        let shown = super::walk(&walk, Detail::default());
        let lines = "  2  P(1)  m.pml:7  skip   i = 1, in f, from m.pml:9\n  3  P(1)  m.pml:7  skip\n";
        assert_eq!(shown, format!("{lines}     (step 1 is left out; `--verbose` shows joins and loops)\n"));
        assert!(super::walk(&walk, Detail { bookkeeping: true, ..Detail::default() }).contains("for (i : 0 .. 3)"));
    }

    #[test]
    fn narrow_lines_stay_narrow() {
        let change = |name: &str| Change { name: name.into(), value: "12345678".into(), ..Change::default() };
        let changes = vec![change("first_variable"), change("second_variable"), change("third")];
        let walk = Walk { moves: vec![Move { changes, ..step(1, &"x + ".repeat(40)) }], ..Walk::default() };
        for width in [60, 80, 120] {
            let shown = super::walk(&walk, Detail { width, ..Detail::default() });
            assert!(shown.lines().all(|l| l.chars().count() <= width), "{shown}");
        }
    }

    #[test]
    fn lines_are_broken_where_the_terminal_ends() {
        let text = format!("short\n\n  decided: {}\n", "p && ".repeat(30));
        for width in [60, 80, 120] {
            let shown = fitted(&text, width);
            assert!(shown.lines().all(|l| l.chars().count() <= width), "{shown}");
            assert!(shown.starts_with("short\n\n  decided: p && p") && shown.contains("\n      p && "), "{shown}");
        }
        assert_eq!(fitted("short\n", 60), "short\n");
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
