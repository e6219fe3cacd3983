//! Random timed programs: a few processes, each with timers of its own, channels between them, and what can go wrong.
//!
//! The text is for both readers of the header: SPIN sees the clock as a process, we see timers.

use crate::rng::Rng;
use std::fmt::Write;

/// What a program has that SPIN does not know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// Nothing.
    Shared,
    /// Lazy steps.
    Lazy,
    /// Timers inside of processes, which may be dead.
    Local,
}

/// Formulas over what the programs share.
const FORMULAS: [&str; 6] = [
    "[] <> (g == 1)",
    "<> [] (h != 2)",
    "[] ((g == 1) -> <> (g == 2))",
    "[] ((h == 1) -> (<> (g == 0)))",
    "<> (h == 3)",
    "[] <> (h == 0) -> [] <> (g == 0)",
];

/// A formula for the program of a seed.
pub fn formula(seed: u64) -> &'static str {
    FORMULAS[(seed % FORMULAS.len() as u64) as usize]
}

/// The program of a seed.
pub fn program(seed: u64, style: Style) -> String {
    let mut rng = Rng::new(seed);
    let processes = *rng.pick(&[2, 2, 3]).unwrap_or(&2);
    let timers = processes + u32::from(processes < 3);
    let shared = match style {
        Style::Local => String::new(),
        _ => format!("timer t[{timers}] = OFF;\nTIMERARRAY(t,{timers})\n"),
    };
    let mut out =
        format!("#include \"dtime.h\"\n{shared}chan c = [1] of {{ bit }}; chan d = [0] of {{ bit }};\nbyte g, h;\n");
    for number in 0..processes {
        let mut process = Process { rng: &mut rng, number, timers: vec![number], style };
        if number == 0 && timers > processes {
            process.timers.push(processes);
        }
        out.push_str(&process.text());
    }
    out
}

struct Process<'a> {
    rng: &'a mut Rng,
    number: u32,
    /// Its timers.
    timers: Vec<u32>,
    style: Style,
}

impl Process<'_> {
    fn timer(&mut self) -> String {
        let timers = self.timers.clone();
        let number = *self.rng.pick(&timers).unwrap_or(&0);
        if self.style == Style::Local { format!("t{number}") } else { format!("t[{number}]") }
    }

    fn guard(&mut self) -> String {
        match self.rng.below(10) {
            0 => "c?_".into(),
            1 => "c!1".into(),
            2 if self.number % 2 == 1 => "d?_".into(),
            2 => "d!1".into(),
            3 => format!("(g == {})", self.rng.below(3)),
            4 => format!("!expire({}) && on({})", self.timer(), self.timer()),
            5 => format!("!on({})", self.timer()),
            _ => format!("expire({})", self.timer()),
        }
    }

    fn action(&mut self) -> String {
        match self.rng.below(9) {
            0 => format!("reset({})", self.timer()),
            1 => "g = (g+1)%3".into(),
            2 => format!("h = (h+{})%4", self.number + 1),
            3 if self.rng.chance(40) => "assert(!(g == 2 && h == 3))".into(),
            3 => "skip".into(),
            4 => format!("delay({},{})", self.timer(), self.rng.range(1, 3)),
            // In SPIN a timer is cut to its type.
            5 if self.style != Style::Shared && self.rng.chance(25) => format!("set({},g*16384)", self.timer()),
            5 => format!("set({},g)", self.timer()),
            _ => format!("set({},{})", self.timer(), self.rng.below(6)),
        }
    }

    fn actions(&mut self, least: u32, most: u32) -> String {
        let many = self.rng.range(least, most);
        (0..many).map(|_| self.action()).collect::<Vec<_>>().join("; ")
    }

    /// One way through the loop; sometimes all of it, or its end, is atomic.
    fn option(&mut self) -> String {
        if self.style != Style::Shared && self.rng.chance(4) {
            // Somebody who keeps time from passing, and who may be all that a reduction looks at.
            return ":: idle = 1 - idle".into();
        }
        let (mut guard, actions) = (self.guard(), self.actions(1, 3));
        if self.style == Style::Lazy && !guard.starts_with(['c', 'd']) && self.rng.chance(60) {
            guard = format!("lazy {guard}");
        }
        match self.rng.below(8) {
            0 => format!(":: atomic {{ {guard} -> {actions} }}"),
            1 => format!(":: {guard} -> atomic {{ {actions} }}"),
            2 => format!(":: {guard} -> if :: {} -> {actions} :: else fi", self.guard_without_channels()),
            3 => format!(":: {guard} -> {{ {actions} }} unless {{ expire({}) }}", self.timer()),
            _ => format!(":: {guard} -> {actions}"),
        }
    }

    fn guard_without_channels(&mut self) -> String {
        loop {
            let guard = self.guard();
            if !guard.starts_with(['c', 'd']) {
                return guard;
            }
        }
    }

    fn text(&mut self) -> String {
        let first = self.actions(1, 2);
        let end = if self.rng.chance(60) { format!("end{}: ", self.number) } else { String::new() };
        let own: String = match self.style {
            Style::Local => self.timers.iter().map(|t| format!("timer t{t}; ")).collect(),
            Style::Shared | Style::Lazy => String::new(),
        };
        let own = if self.style == Style::Shared { own } else { own + "bit idle; " };
        let mut out = format!("active proctype P{}() {{ {own}{first}; {end}do\n", self.number);
        for _ in 0..self.rng.range(2, 3) {
            let option = self.option();
            let _ = writeln!(out, "\t{option}");
        }
        if self.style == Style::Local && self.rng.chance(30) {
            // A process that comes to its end, with timers that nobody looks at any more.
            let last = self.actions(1, 2);
            let _ = writeln!(out, "\t:: {} -> break", self.guard());
            return format!("{out}\tod; {last} }}\n");
        }
        out + "\tod }\n"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_means_one_program_with_timers() {
        assert_eq!(program(5, Style::Shared), program(5, Style::Shared));
        assert!((0..50).all(|seed| program(seed, Style::Shared).contains("TIMERARRAY(t,3)")));
        assert!((0..50).any(|seed| program(seed, Style::Lazy).contains(":: lazy ")));
        assert!((0..50).all(|seed| program(seed, Style::Local).contains("{ timer t0;")));
    }
}
