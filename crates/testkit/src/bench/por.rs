//! The models on which reductions are measured, and what must come of it.

use super::Line;
use super::entry::{Entry, Folder, Role, Size};
use crate::spin::Automata;
use std::fmt::Write;

/// What is shown with a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Aim {
    /// How many states are left by each reduction. None may leave more than the one before it.
    Fewer,
    /// How many are left where only deadlocks must be kept.
    Deadlocks,
    /// What it costs to try where nothing can be left out.
    Overhead,
}

/// A model, and what is shown with it.
#[derive(Clone, Copy, Debug)]
pub struct Case {
    /// The model.
    pub entry: Entry,
    /// What is shown.
    pub aim: Aim,
    /// The automata on which states are counted: those of the published figures, or SPIN's own.
    pub automata: Automata,
    /// The most states that `cluster` and `stubborn` may leave, if that is known.
    pub most: Option<u64>,
}

const fn own(name: &'static str, file: &'static str, size: &'static str) -> Case {
    let size = if size.is_empty() { Size::Fixed } else { Size::Define(size) };
    let entry = Entry { name, folder: Folder::Models, file, size, role: Role::Speed };
    Case { entry, aim: Aim::Fewer, automata: Automata::Pure, most: None }
}

const fn best(name: &'static str, size: &'static str, most: u64) -> Case {
    Case { most: Some(most), ..own(name, "bestcase.pml", size) }
}

const fn beem(name: &'static str, file: &'static str, aim: Aim) -> Case {
    let entry = Entry { name, folder: Folder::Corpus, file, size: Size::Fixed, role: Role::Speed };
    Case { entry, aim, automata: Automata::Merge, most: None }
}

/// All of them: the examples of T. Basten and D. Bošnački, "Enhancing partial-order reduction via process clustering"
/// (ASE 2001), of which parity and cabp are our own models; then those of the BEEM collection.
pub const CASES: &[Case] = &[
    best("bestcase N=2", "N=2", 30),
    best("bestcase N=3", "N=3", 66),
    best("bestcase N=4", "N=4", 138),
    best("bestcase N=5", "N=5", 282),
    own("parity N=2", "parity.pml", "N=2"),
    own("parity N=3", "parity.pml", "N=3"),
    own("parity N=4", "parity.pml", "N=4"),
    own("parity N=5", "parity.pml", "N=5"),
    own("cabp", "cabp.pml", ""),
    beem("phils.5", "phils.5.pm", Aim::Deadlocks),
    beem("iprotocol.3", "iprotocol.3.pm", Aim::Deadlocks),
    beem("at.3", "at.3.pm", Aim::Overhead),
    Case { aim: Aim::Overhead, ..own("exchange N=5", "exchange.pml", "N=5") },
];

/// The most processor time that a reduction may take where it is of no use, compared with none.
pub const OVERHEAD: f64 = 1.15;

impl Aim {
    /// The reductions that are tried.
    pub fn methods(self) -> &'static [&'static str] {
        match self {
            Aim::Fewer => &["off", "ample", "cluster", "stubborn"],
            Aim::Deadlocks => &["off", "stubborn"],
            Aim::Overhead => &["off", "ample"],
        }
    }
}

/// The heading of the table.
pub fn heading() -> String {
    let (name, run) = ("model", "run");
    format!("{name:<13} {run:<15} {:>9} {:>11} {:>7} | states× time×\n", "states", "transitions", "user s")
}

/// The lines of a model: SPIN's two and ours, of which the first visits all states.
pub fn text(case: &Case, theirs: &[Line], ours: &[Line]) -> String {
    let mut out = String::new();
    for (lines, base) in [(theirs, theirs.first()), (ours, ours.first())] {
        for line in lines {
            let _ = write!(out, "{:<13} {:<15} ", case.entry.name, line.config);
            if line.measured() {
                let states = base.map_or(1.0, |b| ratio(line, b));
                // Times below a tenth of a second say nothing.
                let long = base.filter(|b| b.user >= 0.1).map(|b| format!("{:.2}", line.user / b.user));
                let time = long.unwrap_or("-".into());
                let _ = write!(out, "{:>9} {:>11} {:>7.2} |", line.states, line.transitions, line.user);
                let _ = writeln!(out, " {states:>7.4} {time:>5}");
            } else {
                let _ = writeln!(out, "{}", line.note);
            }
        }
    }
    out
}

fn ratio(line: &Line, base: &Line) -> f64 {
    line.states as f64 / base.states.max(1) as f64
}

/// What is not as it must be.
pub fn faults(case: &Case, theirs: &[Line], ours: &[Line]) -> Vec<String> {
    let name = case.entry.name;
    let mut out = Vec::new();
    let unmeasured = ours.iter().filter(|l| !l.measured());
    out.extend(unmeasured.map(|l| format!("{name}: {} gave nothing", l.config)));
    if let (Some(spin), Some(whole)) = (theirs.first().filter(|l| l.measured()), ours.first())
        && (spin.states, spin.transitions) != (whole.states, whole.transitions)
    {
        out.push(format!("{name}: all states are {} for SPIN and {} for us", spin.states, whole.states));
    }
    for pair in ours.windows(2).filter(|_| case.aim == Aim::Fewer) {
        if pair[1].states > pair[0].states {
            out.push(format!("{name}: {} leaves more states than {}", pair[1].config, pair[0].config));
        }
    }
    for line in ours.iter().skip(2) {
        if case.most.is_some_and(|most| line.states > most) {
            out.push(format!("{name}: {} leaves more states than were known to be enough", line.config));
        }
    }
    if let (Aim::Overhead, [off, ample, ..]) = (case.aim, ours)
        && ample.user > off.user * OVERHEAD
    {
        out.push(format!("{name}: the reduction takes {:.2} of the time", ample.user / off.user.max(0.01)));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(config: &str, states: u64, user: f64) -> Line {
        Line { config: config.into(), states, transitions: states, user, ..Line::default() }
    }

    #[test]
    fn what_is_wrong_is_said() {
        let case = &CASES[0];
        let spin = [line("SPIN -O2", 65, 0.1), line("SPIN POR", 60, 0.1)];
        let good = [line("off", 65, 0.1), line("ample", 48, 0.1), line("cluster", 30, 0.1), line("stubborn", 30, 0.1)];
        assert_eq!(faults(case, &spin, &good), Vec::<String>::new());
        let bad = [line("off", 64, 0.1), line("ample", 48, 0.1), line("cluster", 49, 0.1), line("stubborn", 0, 0.1)];
        assert_eq!(faults(case, &spin, &bad).len(), 4, "{:?}", faults(case, &spin, &bad));
        let slow = Case { aim: Aim::Overhead, ..*case };
        assert_eq!(faults(&slow, &[], &[line("off", 9, 1.0), line("ample", 9, 1.2)]).len(), 1);
        assert!(text(case, &spin, &good).contains("0.4615"));
    }
}
