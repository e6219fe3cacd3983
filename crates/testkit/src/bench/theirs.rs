//! SPIN's runs: its verifier compiled in several ways.

use super::Line;
use super::timed::timed;
use crate::spin::{self, Automata, Generated};
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

/// One way to compile the verifier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// `-O2`: what everything is compared with.
    Plain,
    /// `-O3`.
    O3,
    /// `-O2 -DCOLLAPSE`.
    Collapse,
    /// `-O2 -DMA`.
    Ma,
    /// `-O2 -DBITSTATE`.
    Bitstate,
    /// `-O2`, with SPIN's own reduction.
    Reduced,
}

impl Way {
    /// All that visit all states.
    pub const ALL: [Way; 5] = [Way::Plain, Way::O3, Way::Collapse, Way::Ma, Way::Bitstate];

    /// The name in the table.
    pub fn name(self) -> &'static str {
        match self {
            Way::Plain => "SPIN -O2",
            Way::O3 => "SPIN -O3",
            Way::Collapse => "SPIN COLLAPSE",
            Way::Ma => "SPIN MA",
            Way::Bitstate => "SPIN BITSTATE",
            Way::Reduced => "SPIN POR",
        }
    }

    fn defines(self, vector: u64) -> Vec<String> {
        match self {
            Way::Reduced => Vec::new(),
            Way::Plain | Way::O3 => vec!["-DNOREDUCE".into()],
            Way::Collapse => vec!["-DNOREDUCE".into(), "-DCOLLAPSE".into()],
            Way::Ma => vec!["-DNOREDUCE".into(), format!("-DMA={vector}")],
            Way::Bitstate => vec!["-DNOREDUCE".into(), "-DBITSTATE".into()],
        }
    }

    /// Slots of the hash table, or bits of the array, as a power of two, for so many states.
    fn width(self, states: u64) -> u32 {
        let bits = u64::BITS - states.saturating_sub(1).leading_zeros();
        if self == Way::Bitstate { (bits + 7).clamp(20, 36) } else { bits.clamp(24, 32) }
    }
}

/// What all of SPIN's runs of a model have in common.
pub struct Theirs<'a> {
    /// The model.
    pub model: &'a Path,
    /// A macro for its size.
    pub define: Option<&'a str>,
    /// Which automata.
    pub automata: Automata,
    /// A folder for the verifier.
    pub dir: &'a Path,
    /// How long a run may take.
    pub limit: Duration,
    /// Bytes of memory that a verifier may take, in millions.
    pub megabytes: u64,
    /// About so many states are expected.
    pub states: u64,
    /// Bytes of the state vector, if they are known.
    pub vector: u64,
}

/// Depths to try: a search that is cut counts too little.
const DEPTHS: [&str; 3] = ["-m1000000", "-m10000000", "-m100000000"];

impl Theirs<'_> {
    /// Makes a verifier, compiles it and runs it so many times.
    pub fn run(&self, way: Way, times: u64) -> Line {
        match self.build(way) {
            Err(why) => Line::nothing(way.name(), why),
            Ok(compile) => {
                let line = super::best(times, || self.search(way).unwrap_or_else(|why| Line::nothing(way.name(), why)));
                Line { compile, ..line }
            }
        }
    }

    /// Makes the verifier; the seconds that it takes.
    pub fn build(&self, way: Way) -> Result<f64, String> {
        let started = Instant::now();
        let options: Vec<&str> = self.automata.spin_options().iter().copied().chain(self.define).collect();
        let generated = spin::generate(self.model, &options, self.dir).map_err(|e| e.to_string())?;
        if let Generated::Refused(message) = generated {
            return Err(format!("spin: {message}"));
        }
        let level = if way == Way::O3 { "-O3" } else { "-O2" };
        let memory = format!("-DMEMLIM={}", self.megabytes);
        let own = way.defines(self.vector);
        let fixed = ["-DSAFETY", "-DNOCLAIM", &memory];
        let defines: Vec<&str> = fixed.into_iter().chain(own.iter().map(String::as_str)).collect();
        let compiled = spin::compile(self.dir, "gcc", level, &defines).map_err(|e| e.to_string())?;
        compiled.map_err(|m| format!("gcc: {m}"))?;
        Ok(started.elapsed().as_secs_f64())
    }

    /// Runs the verifier, deeper if it was not deep enough.
    fn search(&self, way: Way) -> Result<Line, String> {
        let width = format!("-w{}", way.width(self.states));
        for depth in DEPTHS {
            let mut command = Command::new(self.dir.join("pan"));
            command.args([depth, &width, "-n", "-E", "-A", "-c0"]);
            let timed = timed(&mut command, self.dir, self.limit).map_err(|e| e.to_string())?;
            if timed.ended.timed_out {
                return Err(format!("no answer in {} s", self.limit.as_secs()));
            }
            let report = spin::read_report(&timed.ended.stdout).ok_or("no report")?;
            if report.fatal {
                return Err("it ran out of memory".into());
            }
            if report.complete {
                return Ok(Line {
                    config: way.name().into(),
                    states: report.stored,
                    transitions: report.transitions,
                    user: timed.user,
                    wall: timed.ended.seconds,
                    peak: timed.ended.peak_rss,
                    vector: report.vector,
                    exact: way != Way::Bitstate,
                    ..Line::default()
                });
            }
        }
        Err("no depth is deep enough".into())
    }

    /// Instructions that the plain verifier takes for a transition, with a table and a stack that are not much larger than
    /// needed: clearing them costs instructions, too.
    pub fn instructions(&self) -> Result<f64, String> {
        self.build(Way::Plain)?;
        for depth in ["-m100000", "-m1000000"] {
            let mut command = Command::new("valgrind");
            command.args(["--tool=callgrind", "--callgrind-out-file=/dev/null"]).arg(self.dir.join("pan"));
            command.args([depth, "-w18", "-n", "-E", "-A", "-c0"]);
            let timed = timed(&mut command, self.dir, self.limit).map_err(|e| e.to_string())?;
            let report = spin::read_report(&timed.ended.stdout).ok_or("SPIN gave no answer")?;
            if report.complete {
                let count = collected(&timed.ended.stderr).ok_or("callgrind counted nothing")?;
                return Ok(count as f64 / report.transitions.max(1) as f64);
            }
        }
        Err("no depth is deep enough".into())
    }
}

/// What callgrind counted.
pub fn collected(text: &str) -> Option<u64> {
    text.lines().find_map(|line| line.split_once("Collected : "))?.1.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_large_enough() {
        assert_eq!((Way::Plain.width(1000), Way::Plain.width(1 << 25)), (24, 25));
        assert_eq!(Way::Bitstate.width(1_711_622), 28);
    }

    #[test]
    fn callgrind_is_read() {
        assert_eq!(collected("==1== \n==1== Collected : 12345\n"), Some(12345));
    }
}
