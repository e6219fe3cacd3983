//! `spin -t` and `spin -p`: replays and simulations, printed in the style of SPIN.

use super::args::{Line, Mode, Prints};
use super::order::Order;
use crate::simulate::{End, clock, random};
use crate::{interactive, screen};
use starwheel_workbench::chart::Chart;
use starwheel_workbench::refine::refine;
use starwheel_workbench::trails::{beside, spin_trail};
use starwheel_workbench::walk::{Change, Move, Situation, Standing};
use starwheel_workbench::{Failure, Opened, Reading, Replayed, Walk, open};
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// Replays a trail.
pub fn replay(file: &Path, line: &Line) -> Result<u8, Failure> {
    let trail = line.trail.clone().unwrap_or_else(|| newest(&spin_trail(file, line.trail_number)));
    let replayed = starwheel_workbench::replay(file, Some(&trail), &line.reading)?;
    if line.prints.chart {
        screen::out(&Chart::of(&replayed.walk).text());
        return Ok(0);
    }
    let walk = refine(&replayed.opened, replayed.path(), &replayed.walk).unwrap_or_else(|| replayed.walk.clone());
    let claim = Claim::of(&replayed);
    let mut printer = Printer::new(&replayed.opened, line.prints, true, claim.is_some());
    let mut out = claim.as_ref().map_or(String::new(), |c| c.opening(line.prints));
    let (mut steps, mut cycle) = (0, walk.cycle_start);
    for m in &walk.moves {
        if cycle.is_some_and(|start| m.number > start) {
            out.push_str(CYCLE);
            cycle = None;
        }
        steps = m.number;
        if line.steps.is_some_and(|most| most > 0 && m.number >= most) {
            let _ = writeln!(out, "-------------\ndepth-limit (-u{} steps) reached", m.number);
            break;
        }
        out.push_str(&printer.step(m));
    }
    if cycle.is_some() {
        out.push_str(CYCLE);
    }
    let _ = writeln!(out, "spin: trail ends after {steps} steps");
    if !line.prints.no_final {
        let created = walk.last.processes.len() + walk.moves.iter().filter(|m| m.ends).count();
        out.push_str(&final_state(&walk.last, steps, created, &printer, claim.as_ref()));
    }
    screen::out(&out);
    Ok(0)
}

const CYCLE: &str = "  <<<<<START OF CYCLE>>>>>\n";

/// Of SPIN's trail and ours, the one that was written last.
fn newest(spin: &Path) -> PathBuf {
    let ours = beside(spin);
    let time = |path: &Path| path.metadata().and_then(|m| m.modified()).ok();
    match (time(spin), time(&ours)) {
        (Some(a), Some(b)) if a > b => spin.to_path_buf(),
        (Some(_), None) => spin.to_path_buf(),
        _ => ours,
    }
}

/// The claim of a trail.
struct Claim {
    number: usize,
    /// Where it stands at the end.
    last: Standing,
}

impl Claim {
    fn of(replayed: &Replayed) -> Option<Claim> {
        Some(Claim { number: replayed.claim?.index(), last: replayed.claim_at_end()? })
    }

    fn opening(&self, prints: Prints) -> String {
        let Prints { statements, globals, locals, receives, sends, claims, .. } = prints;
        let mut out = String::new();
        if statements || globals || locals || receives || sends || claims {
            let _ = writeln!(out, "starting claim {}", self.number);
        }
        out
    }
}

/// Simulates at random, or as the user chooses.
pub fn simulate(file: &Path, line: &Line) -> Result<u8, Failure> {
    // SPIN simulates statement by statement.
    let opened = open(file, &Reading { merge: false, dead_vars: false, ..line.reading.clone() })?;
    screen::problems(&opened.warnings);
    let plan = line.plan();
    if line.mode == Mode::Interactive {
        return Ok(interactive::run(&opened, &plan, &[]));
    }
    let seed = plan.seed.unwrap_or_else(clock);
    let mut printer = Printer::new(&opened, line.prints, false, false);
    if line.prints.statements && !line.prints.chart {
        screen::out(&roots(&opened));
    }
    let (mut moves, mut ended) = (Vec::new(), 0);
    let run = random(&opened, seed, plan.steps, |m| {
        ended += usize::from(m.ends);
        if line.prints.chart {
            moves.push(m.clone());
        }
        line.prints.chart || screen::heard(&printer.step(m))
    });
    let mut out = String::new();
    if line.prints.chart {
        out.push_str(&Chart::of(&Walk { moves, ..Walk::default() }).text());
    }
    if matches!(run.end, End::Enough) {
        let _ = writeln!(out, "-------------\ndepth-limit (-u{} steps) reached", plan.steps);
    }
    if !line.prints.no_final {
        let created = run.last.processes.len() + ended;
        out.push_str(&final_state(&run.last, run.steps - printer.handshakes, created, &printer, None));
    }
    screen::out(&out);
    Ok(u8::from(matches!(run.end, End::Wrong(_))))
}

/// The processes that exist from the beginning.
fn roots(opened: &Opened) -> String {
    let line = |(pid, (name, priority)): (usize, (&str, u8))| {
        format!("  0:\tproc  - (:root:) creates proc {pid:2} ({name}){}\n", higher(priority))
    };
    opened.first_processes().into_iter().enumerate().map(line).collect()
}

/// The priority of a new process, where it is not the usual one.
fn higher(priority: u8) -> String {
    if priority > 1 { format!(" priority {priority}") } else { String::new() }
}

/// Prints moves one after the other.
struct Printer {
    prints: Prints,
    order: Order,
    /// True if the model gives a priority to any process.
    priorities: bool,
    /// In a trail both halves of a handshake have a number, in a simulation they share one.
    trail: bool,
    /// A claim takes the first column.
    claim: bool,
    handshakes: u64,
    /// The channels that hold messages: number, name and contents.
    queues: Vec<(u32, String, String)>,
    /// The number of the move before, and what has changed since: SPIN shows all changes of a step after each part of it.
    number: u64,
    changes: Vec<Change>,
    /// The line where the claim stands.
    claim_line: Option<u32>,
}

impl Printer {
    fn new(opened: &Opened, prints: Prints, trail: bool, claim: bool) -> Printer {
        let (queues, changes) = (Vec::new(), Vec::new());
        let (order, priorities) = (Order::new(opened.declared()), opened.has_priorities());
        Printer { prints, order, priorities, trail, claim, handshakes: 0, queues, number: 0, changes, claim_line: None }
    }

    fn step(&mut self, m: &Move) -> String {
        self.note_changes(m);
        if !self.trail && m.message.as_ref().is_some_and(|x| !x.send && x.partner.is_some()) {
            self.handshakes += 1;
        }
        let number = m.number - self.handshakes;
        let mut out = String::new();
        let shown = number >= self.prints.skip;
        if shown && m.timeout {
            out.push_str("      timeout\n");
        }
        if m.tick.is_some() {
            return out;
        }
        if shown {
            self.messages(m, number, &mut out);
            m.printed.iter().for_each(|text| self.printf(m, text, &mut out));
        }
        failures(m, &mut out);
        if shown && m.ends {
            self.death(m, number, &mut out);
        } else if shown && (self.prints.claims || (self.prints.statements && !m.claim)) {
            self.statement(m, number, &mut out);
            self.values(m, &mut out);
        }
        if m.claim {
            self.claim_move(m, &mut out);
        }
        out
    }

    fn statement(&self, m: &Move, number: u64, out: &mut String) {
        for ((pid, name), &priority) in m.started.iter().zip(&m.priorities) {
            let shown = if self.priorities { format!(" priority {priority}") } else { String::new() };
            let _ = writeln!(out, "Starting {name} with pid {}{shown}", u32::from(*pid) + u32::from(self.claim));
            if !self.trail {
                let parent = format!("{:2} ({}:{})", m.pid, m.proctype, m.priority);
                let _ = writeln!(out, "{number:3}:\tproc {parent} creates proc {pid:2} ({name}){}", higher(priority));
            }
        }
        let _ = writeln!(out, "{}(state {})\t[{}]", place(m, number), m.state, statement(&m.spin_text));
    }

    /// SPIN tells when a claim comes to another line.
    fn claim_move(&mut self, m: &Move, out: &mut String) {
        if self.claim_line != Some(m.spin_place.1) {
            self.claim_line = Some(m.spin_place.1);
            let _ = writeln!(out, "Never claim moves to line {}\t[{}]", m.spin_place.1, statement(&m.spin_text));
        }
    }

    fn messages(&self, m: &Move, number: u64, out: &mut String) {
        let Some(x) = &m.message else { return };
        let at = place(m, number);
        let fields = x.fields.join(",");
        if x.send && self.prints.sends {
            let word = if x.partner.is_some() { "Sent" } else { "Send" };
            let _ = writeln!(out, "{at}{word} {fields}\t-> queue {} ({})", x.channel, x.name);
        }
        if !x.send && self.prints.receives {
            let word = if x.copy { "[Recv]" } else { "Recv" };
            let _ = writeln!(out, "{at}{word} {fields}\t<- queue {} ({})", x.channel, x.name);
        }
    }

    /// Each statement that prints begins at the column of its process.
    fn printf(&self, m: &Move, text: &str, out: &mut String) {
        if self.prints.no_printf {
            return;
        }
        if !self.prints.flat_printf {
            let column = usize::from(m.pid) + usize::from(self.claim);
            let _ = write!(out, "{:width$}", "", width = 6 + 4 * column);
        }
        out.push_str(text);
    }

    fn death(&self, m: &Move, number: u64, out: &mut String) {
        if !self.prints.statements {
            return;
        }
        let _ = match self.trail {
            true => writeln!(out, "{number:3}: proc {} terminates", m.pid),
            false => {
                writeln!(out, "{number:3}:\tproc {:2} ({}:{})               terminates", m.pid, m.proctype, m.priority)
            }
        };
    }

    fn values(&self, m: &Move, out: &mut String) {
        if self.prints.globals {
            let changes = self.changes.iter().filter(|c| c.owner.is_none() && c.channel.is_none());
            let values = changes.map(|c| (&*c.name, format!("{} = {}", c.name, c.value)));
            let queues = self.queues.iter().map(|(n, name, now)| (&**name, format!("queue {n} ({name}): {now}")));
            out.push_str(&self.order.lines(values.chain(queues)));
        }
        for c in self.changes.iter().filter(|_| self.prints.locals) {
            if let Some((pid, proctype)) = &c.owner
                && *pid == m.pid
            {
                let _ = writeln!(out, "\t\t{proctype}({pid}):{} = {}", c.name, c.value);
            }
        }
    }

    fn note_changes(&mut self, m: &Move) {
        if self.number != m.number {
            self.changes.clear();
            self.number = m.number;
        }
        for change in &m.changes {
            self.changes.retain(|c| (&c.owner, c.channel, &c.name) != (&change.owner, change.channel, &change.name));
            self.changes.push(change.clone());
        }
        for c in &m.changes {
            if let Some(number) = c.channel {
                self.queues.retain(|q| q.0 != number);
                if !c.value.is_empty() {
                    self.queues.push((number, c.name.clone(), c.value.clone()));
                    self.queues.sort();
                }
            }
        }
    }
}

fn place(m: &Move, number: u64) -> String {
    let (file, line) = &m.spin_place;
    format!("{number:3}:\tproc {} ({}:{}) {file}:{line} ", actor(m.claim, m.pid), m.proctype, m.priority)
}

/// The number of a process; a claim has none.
fn actor(claim: bool, pid: u8) -> String {
    if claim { " -".to_string() } else { format!("{pid:2}") }
}

/// A statement as SPIN shows it: with the backslashes of texts doubled.
fn statement(text: &str) -> String {
    if text.starts_with("printf(") { text.replace('\\', "\\\\") } else { text.to_string() }
}

fn failures(m: &Move, out: &mut String) {
    let (file, line) = &m.spin_place;
    for fault in &m.faults {
        if m.spin_text.contains("assert(") {
            let start = m.spin_text.rfind("assert(").unwrap_or(0);
            let _ = writeln!(out, "spin: {file}:{line}, Error: assertion violated");
            let _ = writeln!(out, "spin: text of failed assertion: {}", &m.spin_text[start..]);
        } else {
            let _ = writeln!(out, "spin: {file}:{line}, Error: {fault}");
        }
    }
}

fn final_state(s: &Situation, steps: u64, created: usize, printer: &Printer, claim: Option<&Claim>) -> String {
    let mut out = String::new();
    if !s.processes.is_empty() || claim.is_some() {
        let _ = writeln!(out, "#processes: {}", s.processes.len());
        out.push_str(&globals(s, &printer.order));
    }
    for p in s.processes.iter().rev() {
        process(p, false, steps, printer.prints.locals, &mut out);
    }
    if let Some(claim) = claim {
        process(&claim.last, true, steps, false, &mut out);
    }
    // SPIN counts a claim when it chooses the word, and not in the number.
    let word = if created == 1 && claim.is_none() { "process" } else { "processes" };
    let _ = writeln!(out, "{created} {word} created");
    out
}

fn globals(s: &Situation, order: &Order) -> String {
    let values = s.globals.iter().map(|v| (&*v.name, format!("{} = {}", v.name, v.value)));
    let queues = s.channels.iter().map(|q| (&*q.name, format!("queue {} ({}): {}", q.number, q.name, q.shown())));
    order.lines(values.chain(queues))
}

fn process(p: &Standing, claim: bool, steps: u64, locals: bool, out: &mut String) {
    let end = if p.valid_end { " <valid end state>" } else { "" };
    let who = actor(claim, p.pid);
    let who = format!("{who} ({}:{})", p.proctype, p.priority);
    let _ = writeln!(out, "{steps:3}:\tproc {who} {}:{} (state {}){end}", p.spin_file, p.own_line, p.state);
    for v in p.locals.iter().filter(|_| locals) {
        let _ = writeln!(out, "\t\t{}({}):{} = {}", p.proctype, p.pid, v.name, v.value);
    }
}
