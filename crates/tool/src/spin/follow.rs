//! `spin -t` and `spin -p`: replays and simulations, printed in the style of SPIN.

use super::args::{Line, Mode, Prints};
use crate::simulate::{End, clock, random};
use crate::{interactive, screen};
use starwheel_workbench::chart::Chart;
use starwheel_workbench::walk::{Move, Situation, Standing};
use starwheel_workbench::{Failure, Walk, open};
use std::fmt::Write;
use std::path::Path;

/// Replays a trail.
pub fn replay(file: &Path, line: &Line) -> Result<u8, Failure> {
    let replayed = starwheel_workbench::replay(file, line.trail.as_deref(), &line.plan.reading.include)?;
    let walk = &replayed.walk;
    let mut out = body(walk, line.prints, true);
    let steps = walk.moves.last().map_or(0, |m| m.number);
    let _ = writeln!(out, "spin: trail ends after {steps} steps");
    if !line.prints.no_final {
        let created = walk.last.processes.len() + walk.moves.iter().filter(|m| m.ends).count();
        out.push_str(&final_state(&walk.last, steps, created, line.prints));
    }
    screen::out(&out);
    Ok(0)
}

/// Simulates at random, or as the user chooses.
pub fn simulate(file: &Path, line: &Line) -> Result<u8, Failure> {
    let opened = open(file, &line.plan.reading)?;
    screen::problems(&opened.warnings);
    if line.mode == Mode::Interactive {
        return Ok(interactive::run(&opened, &line.plan));
    }
    let seed = line.plan.seed.unwrap_or_else(clock);
    let mut printer = Printer::new(line.prints, false);
    let (mut moves, mut ended) = (Vec::new(), 0);
    let run = random(&opened, seed, line.plan.steps, |m| {
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
        let _ = writeln!(out, "-------------\ndepth-limit (-u{} steps) reached", line.plan.steps);
    }
    if !line.prints.no_final {
        let created = run.last.processes.len() + ended;
        out.push_str(&final_state(&run.last, run.steps - printer.handshakes, created, line.prints));
    }
    screen::out(&out);
    Ok(u8::from(matches!(run.end, End::Wrong(_))))
}

fn body(walk: &Walk, prints: Prints, trail: bool) -> String {
    if prints.chart {
        return Chart::of(walk).text();
    }
    let mut printer = Printer::new(prints, trail);
    let mut out = String::new();
    for m in &walk.moves {
        if walk.cycle_start.is_some_and(|start| m.number == start + 1) {
            out.push_str("  <<<<<START OF CYCLE>>>>>\n");
        }
        out.push_str(&printer.step(m));
    }
    out
}

/// Prints moves one after the other.
struct Printer {
    prints: Prints,
    /// In a trail both halves of a handshake have a number, in a simulation they share one.
    trail: bool,
    handshakes: u64,
    /// The channels that hold messages: number, name and contents.
    queues: Vec<(u32, String, String)>,
}

impl Printer {
    fn new(prints: Prints, trail: bool) -> Printer {
        Printer { prints, trail, handshakes: 0, queues: Vec::new() }
    }

    fn step(&mut self, m: &Move) -> String {
        self.note_queues(m);
        if !self.trail && m.message.as_ref().is_some_and(|x| !x.send && x.partner.is_some()) {
            self.handshakes += 1;
        }
        let number = m.number - self.handshakes;
        if number <= self.prints.skip {
            return String::new();
        }
        let mut out = String::new();
        if m.timeout {
            out.push_str("      timeout\n");
        }
        self.messages(m, number, &mut out);
        let mut prints = m.printed.iter();
        if m.parts.is_empty() || !self.prints.statements {
            prints.by_ref().for_each(|text| self.printf(m, text, &mut out));
        }
        failures(m, &mut out);
        if m.ends {
            self.death(m, number, &mut out);
        } else if self.prints.statements {
            self.statements(m, number, &mut prints, &mut out);
        }
        self.values(m, &mut out);
        out
    }

    fn statements(&self, m: &Move, number: u64, prints: &mut std::slice::Iter<'_, String>, out: &mut String) {
        for (pid, name) in m.started.iter().filter(|_| !self.trail) {
            let _ = writeln!(out, "{number:3}:\tproc {:2} ({}:1) creates proc {pid:2} ({name})", m.pid, m.proctype);
        }
        if m.parts.is_empty() {
            let _ = writeln!(out, "{}(state {})\t[{}]", place(m, number, &m.file, m.line), m.state, m.text);
        }
        // SPIN goes through the parts of a merged step one by one, and does not mention joins.
        for part in m.parts.iter().filter(|p| p.text != ".(goto)") {
            if part.text.starts_with("print") {
                prints.next().into_iter().for_each(|text| self.printf(m, text, out));
            }
            let _ = writeln!(out, "{}(state {})\t[{}]", place(m, number, &part.file, part.line), m.state, part.text);
        }
    }

    fn messages(&self, m: &Move, number: u64, out: &mut String) {
        let Some(x) = &m.message else { return };
        let at = place(m, number, &m.file, m.line);
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
            let _ = write!(out, "{:width$}", "", width = 6 + 4 * usize::from(m.pid));
        }
        out.push_str(text);
    }

    fn death(&self, m: &Move, number: u64, out: &mut String) {
        if !self.prints.statements {
            return;
        }
        let _ = match self.trail {
            true => writeln!(out, "{number:3}: proc {} terminates", m.pid),
            false => writeln!(out, "{number:3}:\tproc {:2} ({}:1)               terminates", m.pid, m.proctype),
        };
    }

    fn values(&self, m: &Move, out: &mut String) {
        if self.prints.globals {
            for c in m.changes.iter().filter(|c| c.owner.is_none() && c.channel.is_none()) {
                let _ = writeln!(out, "\t\t{} = {}", c.name, c.value);
            }
            for (number, name, contents) in &self.queues {
                let _ = writeln!(out, "\t\tqueue {number} ({name}): {contents}");
            }
        }
        for c in m.changes.iter().filter(|_| self.prints.locals) {
            if let Some((pid, proctype)) = &c.owner {
                let _ = writeln!(out, "\t\t{proctype}({pid}):{} = {}", c.name, c.value);
            }
        }
    }

    fn note_queues(&mut self, m: &Move) {
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

fn place(m: &Move, number: u64, file: &str, line: u32) -> String {
    format!("{number:3}:\tproc {:2} ({}:1) {file}:{line} ", m.pid, m.proctype)
}

fn failures(m: &Move, out: &mut String) {
    for fault in &m.faults {
        if m.text.contains("assert(") {
            let start = m.text.rfind("assert(").unwrap_or(0);
            let _ = writeln!(out, "spin: {}:{}, Error: assertion violated", m.file, m.line);
            let _ = writeln!(out, "spin: text of failed assertion: {}", &m.text[start..]);
        } else {
            let _ = writeln!(out, "spin: {}:{}, Error: {fault}", m.file, m.line);
        }
    }
}

fn final_state(s: &Situation, steps: u64, created: usize, prints: Prints) -> String {
    let mut out = format!("#processes: {}\n", s.processes.len());
    globals(s, &mut out);
    for p in s.processes.iter().rev() {
        process(p, steps, prints.locals, &mut out);
    }
    let _ = writeln!(out, "{created} processes created");
    out
}

fn globals(s: &Situation, out: &mut String) {
    for v in &s.globals {
        let _ = writeln!(out, "\t\t{} = {}", v.name, v.value);
    }
    for q in s.channels.iter().filter(|q| !q.messages.is_empty()) {
        let _ = writeln!(out, "\t\tqueue {} ({}): {}", q.number, q.name, q.shown());
    }
}

fn process(p: &Standing, steps: u64, locals: bool, out: &mut String) {
    let end = if p.valid_end { " <valid end state>" } else { "" };
    let _ =
        writeln!(out, "{steps:3}:\tproc {:2} ({}:1) {}:{} (state {}){end}", p.pid, p.proctype, p.file, p.line, p.state);
    for v in p.locals.iter().filter(|_| locals) {
        let _ = writeln!(out, "\t\t{}({}):{} = {}", p.proctype, p.pid, v.name, v.value);
    }
}
