//! Message sequence charts: who sends what to whom, as text and as a picture.

mod grid;
mod sdl;
pub mod svg;

use crate::open::Opened;
use crate::property::watched::Truths;
use crate::show::text::spot;
use crate::trail::walk::{Move, Walk, passing};
use sdl::Sdl;
use std::fmt::Write;

/// Rows after which the names of the processes are repeated.
const HEAD_EVERY: usize = 40;
/// The widest column of a text chart.
const WIDEST: usize = 28;

/// One life line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// The process.
    pub pid: u8,
    /// The name of its type.
    pub proctype: String,
}

/// One row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// The number of the move.
    pub number: u64,
    /// What happens.
    pub event: Event,
    /// By condition of the formula: whether it is true afterwards.
    pub truths: Vec<bool>,
    /// File and line of the statement, if somebody wrote one.
    pub place: String,
}

/// What happens in a row; numbers are those of life lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// A message goes from one process to another at once.
    Handshake {
        /// The sender.
        from: usize,
        /// The receiver.
        to: usize,
        /// Channel and values.
        text: String,
    },
    /// A message goes into a channel; if it was taken out again, the row where that happens.
    Send {
        /// The sender.
        at: usize,
        /// Channel and values.
        text: String,
        /// The row of the receive.
        taken: Option<usize>,
        /// The type of process whose queue it is, if that is known.
        to: Option<String>,
    },
    /// A message comes out of a channel.
    Receive {
        /// The receiver.
        at: usize,
        /// Channel and values.
        text: String,
        /// True if the send is in the chart: then the message has its name there.
        known: bool,
    },
    /// A process waits for ever.
    Wait {
        /// The process.
        at: usize,
        /// What it waits for.
        text: String,
    },
    /// Time passes, for all processes alike.
    Tick {
        /// How many slices.
        slices: u32,
        /// How many since the start.
        time: u64,
    },
    /// Anything else that is worth a row.
    Note {
        /// The process.
        at: usize,
        /// What it does.
        text: String,
    },
}

/// A chart.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Chart {
    /// The life lines, in the order of the numbers of processes.
    pub lines: Vec<Line>,
    /// The rows, in order of time.
    pub rows: Vec<Row>,
    /// What stands above it.
    pub title: Vec<String>,
    /// The conditions of the formula, automaton or claim.
    pub conditions: Vec<String>,
    /// By condition: whether it is true at first.
    pub opening: Vec<bool>,
    /// For a run without end: the row from which on everything is repeated for ever; the number of rows if nothing that is
    /// shown happens any more.
    pub cycle: Option<usize>,
}

impl Chart {
    /// The chart of a run. If no message is sent at all, every step that somebody wrote is shown instead.
    pub fn of(walk: &Walk) -> Chart {
        Chart::drawn(walk, &[], None)
    }

    /// The chart of a run of a model in which changes of these variables have rows of their own.
    pub fn watching(opened: &Opened, walk: &Walk, variables: &[String]) -> Chart {
        Chart::drawn(walk, variables, Sdl::new(opened))
    }

    fn drawn(walk: &Walk, variables: &[String], sdl: Option<Sdl<'_>>) -> Chart {
        let everything = walk.moves.iter().all(|m| m.message.is_none());
        let watched = variables.to_vec();
        let mut builder = Builder { truths: walk.propositions.clone(), watched, sdl, ..Builder::default() };
        builder.chart.lines = everybody(walk);
        builder.chart.conditions = conditions(walk);
        builder.chart.opening = builder.truths();
        for m in &walk.moves {
            builder.truths.extend(m.propositions.clone());
            builder.add(m, (everything && !m.bookkeeping) || !m.propositions.is_empty());
        }
        let rows = &builder.chart.rows;
        let first = |start| rows.iter().position(|row| row.number > start).unwrap_or(rows.len());
        builder.chart.cycle = walk.cycle_start.map(first);
        builder.chart
    }

    /// Adds at the foot of each life line what its process waits for, in a run that ends because nothing can happen.
    pub fn stuck(mut self, walk: &Walk) -> Chart {
        let truths = self.rows.last().map(|row| row.truths.clone()).unwrap_or_default();
        for p in walk.last.processes.iter().filter(|p| !p.valid_end && !p.next.is_empty()) {
            let Some(at) = self.lines.iter().position(|l| l.pid == p.pid && l.proctype == p.proctype) else { continue };
            let number = walk.moves.last().map_or(0, |m| m.number);
            for (i, next) in p.next.iter().enumerate() {
                let text = format!("{} {next}", if i == 0 { "waits at" } else { "or" });
                let (event, place) = (Event::Wait { at, text }, spot(&p.source.file, p.source.line));
                self.rows.push(Row { number, event, truths: truths.clone(), place });
            }
        }
        self
    }

    /// The chart as text.
    pub fn text(&self) -> String {
        let widths: Vec<_> = (0..self.lines.len()).map(|i| self.width(i)).collect();
        let mut out = String::new();
        for (i, row) in self.rows.iter().enumerate() {
            if i % HEAD_EVERY == 0 {
                self.head(&widths, &mut out);
            }
            if self.cycle == Some(i) {
                let _ = writeln!(out, "{:>6}  the following repeats for ever:", "┌──");
            }
            let number = if self.begins(i) { row.number.to_string() } else { String::new() };
            let _ = writeln!(out, "{number:>6}  {}", self.row(row, &widths));
        }
        match self.cycle {
            Some(row) if row < self.rows.len() => {
                let _ = writeln!(out, "{:>6}  and so on for ever", "└──");
            }
            Some(_) => {
                let _ = writeln!(out, "{:>6}  nothing else is shown of what follows for ever", "──");
            }
            None => {}
        }
        if self.rows.is_empty() {
            out.push_str("(nothing happens in this run)\n");
        }
        out
    }

    fn width(&self, line: usize) -> usize {
        let texts = self.rows.iter().flat_map(|r| cells(&r.event)).filter(|c| c.0 == line);
        let longest = texts.map(|(_, text)| text.chars().count()).max().unwrap_or(0);
        longest.clamp(name(&self.lines[line]).chars().count(), WIDEST) + 3
    }

    fn head(&self, widths: &[usize], out: &mut String) {
        let mut text = format!("{:>6}  ", "step");
        for (line, &width) in self.lines.iter().zip(widths) {
            let _ = write!(text, "{:width$}", name(line));
        }
        let _ = writeln!(out, "{}", text.trim_end());
    }

    /// True for the first row of a step.
    fn begins(&self, row: usize) -> bool {
        row.checked_sub(1).is_none_or(|before| self.rows[before].number != self.rows[row].number)
    }

    fn row(&self, row: &Row, widths: &[usize]) -> String {
        let cells = cells(&row.event);
        let mut text: Vec<char> = Vec::new();
        let mut starts = Vec::new();
        for (i, &width) in widths.iter().enumerate() {
            starts.push(text.len());
            let cell = cells.iter().find(|c| c.0 == i).map_or("│".to_string(), |c| clip(&c.1));
            text.extend(format!("{cell:width$}").chars());
        }
        if let Event::Handshake { from, to, .. } = row.event {
            arrow(&mut text, &starts, &cells, from, to);
        }
        if let Event::Tick { slices, time } = row.event {
            let said = elapsed(slices, time);
            let wide = text.len().saturating_sub(said.chars().count() + 5);
            text = format!("── {said} {}", "─".repeat(wide)).chars().collect();
        }
        let line: String = text.into_iter().collect();
        line.trim_end().to_string()
    }
}

/// Draws an arrow over what lies between the two ends of a handshake.
fn arrow(text: &mut [char], starts: &[usize], cells: &[(usize, String)], from: usize, to: usize) {
    let (left, right) = (from.min(to), from.max(to));
    let length = cells.iter().find(|c| c.0 == left).map_or(0, |c| clip(&c.1).chars().count());
    let (begin, end) = (starts[left] + length + 1, starts[right].saturating_sub(1));
    for c in text.iter_mut().take(end).skip(begin) {
        *c = '─';
    }
    let (tip, head) = if from < to { (end.saturating_sub(1), '▶') } else { (begin, '◀') };
    if begin < end {
        text[tip] = head;
    }
}

/// The texts of an event, by life line.
fn cells(event: &Event) -> Vec<(usize, String)> {
    match event {
        Event::Handshake { from, to, text } => vec![(*from, text.clone()), (*to, text.replacen('!', "?", 1))],
        Event::Send { at, text, .. } => vec![(*at, format!("{text} ▷"))],
        Event::Receive { at, text, .. } => vec![(*at, format!("▷ {text}"))],
        Event::Note { at, text } => vec![(*at, text.clone())],
        Event::Wait { at, text } => vec![(*at, format!("■ {text}"))],
        Event::Tick { .. } => Vec::new(),
    }
}

/// What is said of a tick.
fn elapsed(slices: u32, time: u64) -> String {
    format!("{}, t={time}", passing(slices))
}

fn name(line: &Line) -> String {
    format!("{}({})", line.proctype, line.pid)
}

fn clip(text: &str) -> String {
    if text.chars().count() <= WIDEST {
        return text.to_string();
    }
    text.chars().take(WIDEST - 1).chain(['…']).collect()
}

/// The conditions that are looked at, also those that have no value at first.
fn conditions(walk: &Walk) -> Vec<String> {
    let all = walk.moves.iter().fold(walk.propositions.clone(), |mut all, m| {
        all.extend(m.propositions.clone());
        all
    });
    all.into_keys().collect()
}

/// All processes of a run, also those that never move, by number.
fn everybody(walk: &Walk) -> Vec<Line> {
    let moving = walk.moves.iter().filter(|m| !m.claim && m.tick.is_none()).map(|m| (m.pid, &m.proctype));
    let started = walk.moves.iter().flat_map(|m| m.started.iter().map(|(pid, name)| (*pid, name)));
    let last = walk.last.processes.iter().map(|p| (p.pid, &p.proctype));
    let mut out: Vec<Line> = Vec::new();
    let mut seen = std::collections::HashSet::new();
    for (pid, proctype) in moving.chain(started).chain(last) {
        if seen.insert((pid, proctype)) {
            out.push(Line { pid, proctype: proctype.clone() });
        }
    }
    out.sort_by_key(|line| line.pid);
    out
}

/// Messages that lie in a channel: number of the channel, values, row of the send.
type Lying = Vec<(u32, Vec<String>, usize)>;

#[derive(Default)]
struct Builder<'w> {
    chart: Chart,
    /// For the run of an SDL text.
    sdl: Option<Sdl<'w>>,
    lying: Lying,
    /// The first half of a handshake, until its second half comes.
    half: Option<(usize, String)>,
    /// Which conditions are true after the move at hand.
    truths: Truths,
    /// Variables whose changes are shown.
    watched: Vec<String>,
}

impl Builder<'_> {
    fn add(&mut self, m: &Move, everything: bool) {
        if m.claim {
            return;
        }
        let timers = self.sdl.as_mut().map(|sdl| sdl.timers(m)).unwrap_or_default();
        if let Some(slices) = m.tick {
            return self.tick(m, slices);
        }
        let at = self.line(m);
        for text in timers {
            self.push(m, Event::Note { at, text });
        }
        for text in m.printed.concat().lines().chain(m.faults.iter().map(String::as_str)) {
            self.push(m, Event::Note { at, text: text.to_string() });
        }
        let base = |name: &str| name.split(['[', '.']).next().unwrap_or(name).to_string();
        let of_interest = |c: &&crate::trail::walk::Change| {
            self.watched.iter().any(|w| *w == c.name || *w == base(&c.name)) && c.channel.is_none()
        };
        let shown: Vec<String> = m.changes.iter().filter(of_interest).map(|c| c.shown()).collect();
        if !(shown.is_empty() || everything && m.message.is_none()) {
            self.push(m, Event::Note { at, text: shown.join(", ") });
        }
        let Some(message) = &m.message else {
            if let Some(signal) = self.sdl.as_ref().and_then(|sdl| sdl.taken(m)) {
                self.take_signal(m, at, signal);
            } else if everything {
                self.push(m, Event::Note { at, text: m.text.clone() });
            }
            return;
        };
        let sign = if message.send { '!' } else { '?' };
        let plain = || format!("{}{sign}{}", message.name, message.fields.join(","));
        let text = self.sdl.as_ref().and_then(|sdl| sdl.signal(message)).unwrap_or_else(plain);
        let row = self.chart.rows.len();
        match (message.partner.is_some(), message.send) {
            (true, true) => self.half = Some((at, text)),
            (true, false) => {
                let (from, text) = self.half.take().unwrap_or((at, text));
                self.push(m, Event::Handshake { from, to: at, text });
            }
            (false, true) => {
                self.lying.push((message.channel, message.fields.clone(), row));
                let to = self.sdl.as_ref().and_then(|sdl| sdl.receiver(message));
                self.push(m, Event::Send { at, text, taken: None, to });
            }
            (false, false) => {
                let found = self.lying.iter().position(|l| l.0 == message.channel && l.1 == message.fields);
                let known = found.is_some() && !message.copy;
                if let (Some(i), false) = (found, message.copy) {
                    let (_, _, sent) = self.lying.remove(i);
                    if let Event::Send { taken, .. } = &mut self.chart.rows[sent].event {
                        *taken = Some(row);
                    }
                }
                self.push(m, Event::Receive { at, text, known });
            }
        }
    }

    /// A signal is taken out of the middle of a queue: the first of this name that was sent to the process and not taken yet.
    fn take_signal(&mut self, m: &Move, at: usize, signal: String) {
        let row = self.chart.rows.len();
        let own = |name: &str| name.split('(').next() == Some(&signal);
        let sent = self.chart.rows.iter_mut().enumerate().find_map(|(i, r)| match &mut r.event {
            Event::Send { text, taken: taken @ None, to: Some(to), .. } if own(text) && *to == m.proctype => {
                *taken = Some(row);
                Some((i, text.clone()))
            }
            _ => None,
        });
        if let Some((i, _)) = &sent {
            self.lying.retain(|l| l.2 != *i);
        }
        let (known, text) = (sent.is_some(), sent.map_or(signal, |s| s.1));
        self.push(m, Event::Receive { at, text, known });
    }

    /// Ticks in a row are one, unless a condition changes.
    fn tick(&mut self, m: &Move, slices: u32) {
        let (truths, time) = (self.truths(), m.time.unwrap_or(0));
        match self.chart.rows.last_mut() {
            Some(Row { number, event: Event::Tick { slices: before, time: then }, truths: old, .. })
                if *old == truths =>
            {
                (*number, *before, *then) = (m.number, *before + slices, time);
            }
            _ => self.push(m, Event::Tick { slices, time }),
        }
    }

    fn push(&mut self, m: &Move, event: Event) {
        let truths = self.truths();
        let place = if m.tick.is_some() { String::new() } else { spot(&m.source.file, m.source.line) };
        self.chart.rows.push(Row { number: m.number, event, truths, place });
    }

    /// By condition: whether it is true.
    fn truths(&self) -> Vec<bool> {
        self.chart.conditions.iter().map(|c| self.truths.get(c) == Some(&true)).collect()
    }

    /// The life line of a process; numbers of processes are used again, so the type counts, too.
    fn line(&mut self, m: &Move) -> usize {
        let lines = &mut self.chart.lines;
        let found = lines.iter().position(|l| l.pid == m.pid && l.proctype == m.proctype);
        found.unwrap_or_else(|| {
            lines.push(Line { pid: m.pid, proctype: m.proctype.clone() });
            lines.len() - 1
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trail::walk::Message;

    fn step(number: u64, pid: u8, message: Option<Message>) -> Move {
        Move { number, pid, proctype: "P".into(), text: "x = 1".into(), message, ..Move::default() }
    }

    fn message(send: bool, value: &str, partner: Option<u8>) -> Option<Message> {
        let fields = vec![value.to_string()];
        Some(Message { send, channel: 1, name: "c".into(), fields, partner, copy: false })
    }

    #[test]
    fn a_handshake_is_an_arrow() {
        let moves = vec![step(1, 0, message(true, "3", Some(1))), step(2, 1, message(false, "3", Some(0)))];
        let chart = Chart::of(&Walk { moves, ..Walk::default() });
        assert_eq!(chart.rows.len(), 1);
        assert_eq!(chart.text(), "  step  P(0)   P(1)\n     2  c!3 ─▶ c?3\n");
    }

    #[test]
    fn an_arrow_may_point_to_the_left() {
        let moves = vec![
            step(1, 0, message(true, "9", None)),
            step(2, 1, message(true, "3", Some(0))),
            step(3, 0, message(false, "3", Some(1))),
        ];
        let text = Chart::of(&Walk { moves, ..Walk::default() }).text();
        assert!(text.lines().nth(2).unwrap().contains('◀'), "{text}");
    }

    #[test]
    fn a_receive_finds_the_send_that_it_takes() {
        let moves = vec![
            step(1, 0, message(true, "3", None)),
            step(2, 0, message(true, "4", None)),
            step(3, 1, message(false, "4", None)),
        ];
        let chart = Chart::of(&Walk { moves, ..Walk::default() });
        let taken = |i: usize| match chart.rows[i].event {
            Event::Send { taken, .. } => taken,
            _ => None,
        };
        assert_eq!((taken(0), taken(1)), (None, Some(2)));
    }

    #[test]
    fn without_messages_every_step_is_shown() {
        let chart = Chart::of(&Walk { moves: vec![step(1, 0, None)], ..Walk::default() });
        assert!(chart.text().contains("x = 1"));
        assert!(Chart::default().text().contains("nothing"));
    }

    #[test]
    fn a_cycle_is_marked() {
        let moves = vec![step(1, 0, None), step(2, 1, None)];
        let chart = Chart::of(&Walk { moves: moves.clone(), cycle_start: Some(1), ..Walk::default() });
        assert_eq!(chart.cycle, Some(1));
        assert!(chart.text().contains("repeats for ever:\n     2"), "{}", chart.text());
        let chart = Chart::of(&Walk { moves, cycle_start: Some(2), ..Walk::default() });
        assert_eq!(chart.cycle, Some(2));
        assert!(chart.text().ends_with("follows for ever\n"), "{}", chart.text());
    }

    #[test]
    fn conditions_are_carried_from_row_to_row() {
        let truths = |holds: bool| Truths::from([("p".to_string(), holds)]);
        let changing = Move { propositions: truths(true), ..step(2, 0, None) };
        let moves = vec![step(1, 0, message(true, "1", None)), changing, step(3, 0, message(true, "2", None))];
        let chart = Chart::of(&Walk { moves, propositions: truths(false), ..Walk::default() });
        let shown: Vec<_> = chart.rows.iter().map(|row| (row.number, row.truths[0])).collect();
        assert_eq!(shown, [(1, false), (2, true), (3, true)], "a change has a row of its own");
    }

    #[test]
    fn long_charts_repeat_their_head() {
        let moves = (1..=100).map(|n| step(n, (n % 3) as u8, None)).collect();
        let text = Chart::of(&Walk { moves, ..Walk::default() }).text();
        assert_eq!(text.matches("step").count(), 3);
    }
}
