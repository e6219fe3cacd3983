//! One program, our checker alone: what a reduced search says against what the search of all states says.
//!
//! SPIN is not asked, so hundreds of programs can be tried in the time of one that is. What plain exploration finds is the
//! truth; a reduction has to keep the verdict on each property, and `--audit` may find nothing.

use crate::exec::Scratch;
use crate::infinite::Questions;
use crate::ours::{Answer, Starwheel, Verdict};
use crate::rng::Rng;
use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// How a reduced search is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Way {
    /// Its name in reports.
    pub name: &'static str,
    options: &'static [&'static str],
    /// It goes on after an error, so that the verdict on each property is known and not only that on all of them.
    thorough: bool,
    /// Its choices are audited, if the program is small.
    audited: bool,
    /// Its trails are as short as those of the search of all states.
    shortest: bool,
    /// It visits all states, so it counts as many of them.
    exact: bool,
}

/// The ways that each program is checked in. SPIN's automata are tried without any other reduction, too: merged steps and
/// resets must not change a verdict. Audited searches have a worker of their own and visit states in another order,
/// so each method is tried without an audit as well.
pub const WAYS: [Way; 8] = [
    Way::new("default", &[]),
    Way { thorough: true, ..Way::new("automata", &["--por", "off", "--all-errors"]) },
    Way::new("ample, plain automata", &["--plain", "--por", "ample"]),
    Way::new("cluster", &["--por", "cluster"]),
    Way::new("stubborn", &["--por", "stubborn"]),
    Way::new("ample, thorough", &["--por", "ample", "--all-errors"]).thorough(),
    Way::new("cluster, thorough", &["--por", "cluster", "--all-errors"]).thorough(),
    Way::new("stubborn, thorough", &["--por", "stubborn", "--all-errors"]).thorough(),
];

/// Ways that programs are checked in by turns: each automaton alone, stores, ways to execute steps, orders of the search,
/// and what is put together from several of these.
pub const BY_TURNS: [Way; 24] = [
    Way::new("machine code", &["--plain", "--all-errors", "--engine", "jit"]).exact(),
    Way::new("merged", &["--plain", "--all-errors", "--merge", "on"]).every(),
    Way::new("dead variables", &["--plain", "--all-errors", "--dead-vars", "on"]).every(),
    Way::new("components", &["--plain", "--all-errors", "--engine", "scc"]).every(),
    Way::new("components, ample", &["--por", "ample", "--all-errors", "--engine", "scc"]).every(),
    Way::new("flat", &["--plain", "--all-errors", "--store", "flat"]).exact(),
    Way::new("tree", &["--plain", "--all-errors", "--store", "tree"]).exact(),
    Way::new("dfa", &["--plain", "--all-errors", "--store", "dfa"]).exact(),
    Way::new("compact", &["--plain", "--store", "compact"]),
    Way::new("bitstate", &["--plain", "--store", "bitstate"]),
    Way::new("two workers", &["--plain", "--workers", "2"]).exact(),
    Way::new("two workers, default", &["--workers", "2", "--engine", "jit"]),
    Way::new("two workers, cluster", &["--workers", "2", "--por", "cluster"]),
    Way::new("two workers, stubborn", &["--workers", "2", "--por", "stubborn", "--engine", "jit"]),
    Way::new("breadth first", &["--plain", "--search", "bfs"]),
    Way::new("breadth first, ample", &["--search", "bfs", "--por", "ample"]),
    Way::new("breadth first, stubborn, merged", &["--search", "bfs", "--por", "stubborn", "--merge", "on"]),
    Way::new("on the disk", &["--spill"]),
    Way::new("decoupled", &["--decouple", "--all-errors"]).every(),
    Way::new("decoupled, default", &["--decouple"]),
    Way::new("decoupled, breadth first", &["--decouple", "--search", "bfs", "--dominance", "off"]),
    Way::new("symmetric", &["--plain", "--symmetry", "auto", "--all-errors"]).thorough(),
    Way::new("symmetric, ample", &["--symmetry", "auto", "--por", "ample", "--all-errors"]).thorough(),
    Way::new("symmetric, default", &["--symmetry", "auto"]),
];

/// If only fair runs count: how the truth is found, and the ways that must find the same.
pub const FAIR: [(&[&str], &[Way]); 2] = [
    (
        &["--plain", "--all-errors", "--engine", "interp", "--fair", "weak"],
        &[
            Way::new("weakly fair", &["--fair", "weak"]),
            Way::new("weakly fair, components", &["--fair", "weak", "--engine", "scc"]),
            Way::new("weakly fair, dead variables", &["--fair", "weak", "--dead-vars", "on", "--all-errors"]).every(),
        ],
    ),
    (
        &["--plain", "--all-errors", "--engine", "interp", "--fair", "strong"],
        &[
            Way::new("strongly fair", &["--fair", "strong"]),
            Way::new("strongly fair, dead variables", &["--fair", "strong", "--dead-vars", "on", "--all-errors"])
                .every(),
        ],
    ),
];

/// All rows of a program: each of [`WAYS`], some of [`BY_TURNS`], and now and then fair runs.
pub fn rows(seed: u64, text: &str) -> Vec<(&'static [&'static str], Vec<Way>)> {
    let mut rows = vec![(WHOLE, WAYS.into_iter().chain(turn(seed)).collect())];
    if seed.is_multiple_of(3) && Questions::read(text).is_some() {
        let (truth, ways) = FAIR[drawn(seed, FAIR.len())];
        rows.push((truth, ways.to_vec()));
    }
    rows
}

/// Some rows of a program: the default, one of [`WAYS`] and two of [`BY_TURNS`], and now and then fair runs. For programs
/// that are not as small as the random ones, so that many of them can be tried.
pub fn some_rows(seed: u64, text: &str) -> Vec<(&'static [&'static str], Vec<Way>)> {
    let mut rows = rows(seed, text);
    let other = 1 + (seed % (WAYS.len() as u64 - 1)) as usize;
    let mut ways = vec![WAYS[0], WAYS[other]];
    ways.extend(turn(seed).take(2));
    rows[0].1 = ways;
    rows
}

/// What a turn is drawn with: what a program is like depends on its seed, too, and each way is to meet each kind of program.
const TURNS: u64 = 0x7012;

/// A number below this one for the program of a seed, whatever the program is like.
pub fn drawn(seed: u64, count: usize) -> usize {
    Rng::new(seed ^ TURNS).below(count as u32) as usize
}

/// The ways of a turn: a few of [`BY_TURNS`], drawn anew for each program.
fn turn(seed: u64) -> impl Iterator<Item = Way> {
    let (count, first) = (BY_TURNS.len(), drawn(seed, BY_TURNS.len()));
    [0, count / 3, 2 * count / 3].into_iter().map(move |shift| BY_TURNS[(first + shift) % count])
}

impl Way {
    /// A search that may stop at the first error.
    pub const fn new(name: &'static str, options: &'static [&'static str]) -> Way {
        Way { name, options, thorough: false, audited: false, shortest: false, exact: false }
    }

    /// True for searches that know no formulas.
    pub fn of_the_system_alone(&self) -> bool {
        let alone = ["bfs", "compact", "bitstate", "--spill"];
        self.options.iter().any(|o| alone.contains(o)) || self.decoupled() && self.options.contains(&"--symmetry")
    }

    /// True for searches of decoupled states.
    pub fn decoupled(&self) -> bool {
        self.options.contains(&"--decouple")
    }

    /// One that goes on after an error.
    pub const fn every(self) -> Way {
        Way { thorough: true, ..self }
    }

    /// One that goes on after an error, and is audited.
    pub const fn thorough(self) -> Way {
        Way { thorough: true, audited: true, ..self }
    }

    /// One that counts as many states as the search of all states.
    pub const fn exact(self) -> Way {
        Way { exact: true, ..self }
    }

    /// One whose trails are as short as those of the search of all states.
    pub const fn shortest(self) -> Way {
        Way { shortest: true, ..self }
    }
}

/// How hidden variables are declared.
const HIDDEN_WORD: &str = "hidden ";

/// The search of all states, of a program with hidden variables.
const UNHIDDEN: Way = Way::new("hidden variables", &[]).every();

/// Choices are audited in programs with no more states: each choice is followed through hundreds of them.
const AUDITED: u64 = 2000;

/// The options of the search of all states, by the interpreter.
pub const WHOLE: &[&str] = &["--plain", "--all-errors", "--engine", "interp"];

/// What is wrong with a reduced search.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fault {
    /// It says that something holds which does not.
    WrongHolds,
    /// It says that something is violated which holds.
    FalseAlarm,
    /// A choice did not keep its promise.
    Audit,
    /// It does not count the states that there are.
    Counts,
    /// Its trail is not a shortest one.
    Length,
    /// It ended as no run should.
    Broken,
}

/// A fault of one of the ways.
#[derive(Clone, Debug)]
pub struct Found {
    /// The way.
    pub way: &'static str,
    /// The fault.
    pub fault: Fault,
    /// It in words.
    pub detail: String,
}

/// What became of a program.
#[derive(Clone, Debug)]
pub enum Trial {
    /// The search of all states gives no answer to compare with.
    Skipped(String),
    /// Compared: the size, what was found in each way that is wrong, and why some ways were left out.
    Compared {
        /// All states.
        states: u64,
        /// What is wrong.
        found: Vec<Found>,
        /// Reasons for which ways gave no verdict.
        silent: Vec<String>,
        /// By row: what is true of each formula and claim; none where nobody knows.
        truths: Vec<Option<Vec<(String, String)>>>,
    },
}

/// Something that answers as the binary does: the binary, or the libraries that it is made of.
pub trait Checker: Sync {
    /// What `check MODEL` says with these options; what is written goes to the folder `dir`.
    fn check(&self, model: &Path, options: &[&str], dir: &Path) -> io::Result<Answer>;
}

impl Checker for Starwheel {
    fn check(&self, model: &Path, options: &[&str], dir: &Path) -> io::Result<Answer> {
        Starwheel::check(self, model, options, dir)
    }
}

/// The checker under test.
pub struct Rival<'a> {
    /// It.
    pub ours: &'a dyn Checker,
    /// How long a search may take, as the binary reads it.
    pub time: String,
    /// Programs with more states are left aside: they take most of the time and say no more.
    pub most: u64,
}

impl Rival<'_> {
    /// Checks a program in all the given ways.
    pub fn trial(&self, text: &str, ways: &[Way]) -> io::Result<Trial> {
        self.against(WHOLE, text, ways)
    }

    /// Checks a program in several rows: each has a search that is the truth, and ways that must find the same.
    pub fn rows(&self, rows: &[(&[&str], Vec<Way>)], text: &str) -> io::Result<Trial> {
        let (mut states, mut found, mut silent, mut truths) = (0, Vec::new(), Vec::new(), Vec::new());
        let paper = Paper::new(text)?;
        // Who asks for formulas as well comes first, and has the answers for those that do not.
        let mut first: Option<(&[&str], Verdict)> = None;
        for (truth, ways) in rows {
            let known = first.as_ref().filter(|f| f.0 == *truth && ways.iter().all(Way::of_the_system_alone));
            let said = match known {
                Some((_, verdict)) => Ok(verdict.clone()),
                None => self.truth(truth, &paper, ways)?,
            };
            if said.as_ref().is_ok_and(|said| said.stored > self.most) {
                return Ok(Trial::Skipped(format!("more than {} states", self.most)));
            }
            match said.map(|said| (self.compared(&said, &paper, ways), said)) {
                Err(Trial::Skipped(why)) if states == 0 => return Ok(Trial::Skipped(why)),
                Err(Trial::Skipped(why)) => {
                    silent.push(why);
                    truths.push(None);
                }
                Err(Trial::Compared { found: wrong, .. }) => {
                    found.extend(wrong);
                    truths.push(None);
                }
                Ok((compared, said)) => {
                    let (wrong, without) = compared?;
                    states = states.max(said.stored);
                    found.extend(wrong);
                    silent.extend(without);
                    truths.push(Some(said.own.clone()));
                    first.get_or_insert((*truth, said));
                }
            }
        }
        found.extend(self.unhidden(text)?);
        Ok(Trial::Compared { states, found, silent, truths })
    }

    /// Checks a program with hidden variables against itself with all variables in plain sight: where a state is stored without
    /// them, its future must not depend on them.
    fn unhidden(&self, text: &str) -> io::Result<Vec<Found>> {
        if !text.contains(HIDDEN_WORD) {
            return Ok(Vec::new());
        }
        let scratch = Scratch::new()?;
        let questions = Questions::read(text);
        let asked = questions.as_ref().map(Questions::our_options).unwrap_or_default();
        let mut said = Vec::new();
        for (name, text) in [("model.pml", text.to_string()), ("seen.pml", text.replace(HIDDEN_WORD, ""))] {
            let model = scratch.path().join(name);
            fs::write(&model, text)?;
            match self.ask(&model, &[WHOLE, &asked].concat(), scratch.path())? {
                Answer::Verdict(verdict) if finished(&verdict) => said.push(verdict),
                _ => return Ok(Vec::new()),
            }
        }
        Ok(faults(&UNHIDDEN, &said[1], &said[0]))
    }

    /// Checks a program in all the given ways against a search with these options, which is the truth.
    pub fn against(&self, whole: &[&str], text: &str, ways: &[Way]) -> io::Result<Trial> {
        let paper = Paper::new(text)?;
        let truth = match self.truth(whole, &paper, ways)? {
            Ok(truth) => truth,
            Err(trial) => return Ok(trial),
        };
        let (found, silent) = self.compared(&truth, &paper, ways)?;
        Ok(Trial::Compared { states: truth.stored, found, silent, truths: vec![Some(truth.own)] })
    }

    /// What is true, as a search with these options has it; or what becomes of the trial without it.
    fn truth(&self, whole: &[&str], paper: &Paper, ways: &[Way]) -> io::Result<Result<Verdict, Trial>> {
        let asked = if ways.iter().all(Way::of_the_system_alone) { Vec::new() } else { paper.asked() };
        Ok(match self.ask(&paper.model, &[whole, &asked].concat(), paper.scratch.path())? {
            Answer::Verdict(verdict) if !finished(&verdict) => Err(Trial::Skipped(verdict.stops.join("; "))),
            Answer::Verdict(verdict) => Ok(*verdict),
            Answer::Refused(message) | Answer::NotBuilt(message) => Err(Trial::Skipped(message)),
            Answer::TimedOut => Err(Trial::Skipped("no answer in time".into())),
            Answer::Broken(detail) => {
                let found = vec![Found { way: "all states", fault: Fault::Broken, detail }];
                Err(Trial::Compared { states: 0, found, silent: Vec::new(), truths: vec![None] })
            }
        })
    }

    /// What is wrong in all the given ways, and why some of them gave no verdict.
    fn compared(&self, truth: &Verdict, paper: &Paper, ways: &[Way]) -> io::Result<(Vec<Found>, Vec<String>)> {
        let (mut found, mut silent, questions) = (Vec::new(), Vec::new(), paper.asked());
        for way in ways {
            let audit: &[&str] = if way.audited && truth.stored <= AUDITED { &["--audit"] } else { &[] };
            let asked: &[&str] = if way.of_the_system_alone() { &[] } else { &questions };
            match self.ask(&paper.model, &[way.options, audit, asked].concat(), paper.scratch.path())? {
                Answer::Verdict(verdict) => found.extend(faults(way, truth, &verdict)),
                Answer::Broken(detail) => found.push(Found { way: way.name, fault: Fault::Broken, detail }),
                Answer::Refused(message) | Answer::NotBuilt(message) => silent.push(message),
                Answer::TimedOut => silent.push("no answer in time".into()),
            }
        }
        Ok((found, silent))
    }

    /// Is the same still wrong in the same way?
    pub fn still(&self, text: &str, first: &Found) -> io::Result<bool> {
        let same = |f: &Found| f.way == first.way && f.fault == first.fault;
        if first.way == UNHIDDEN.name {
            return Ok(self.unhidden(text)?.iter().any(same));
        }
        let usual = (WHOLE, &WAYS.into_iter().chain(BY_TURNS).collect::<Vec<_>>()[..]);
        for (truth, ways) in FAIR.into_iter().chain([usual]) {
            let ways: Vec<Way> = ways.iter().filter(|w| w.name == first.way).copied().collect();
            let trial = if ways.is_empty() { continue } else { self.against(truth, text, &ways)? };
            if matches!(trial, Trial::Compared { found, .. } if found.iter().any(same)) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn ask(&self, model: &Path, options: &[&str], dir: &Path) -> io::Result<Answer> {
        self.ours.check(model, &[options, &["--time", &self.time]].concat(), dir)
    }
}

/// A program in a file, and what is asked about it.
struct Paper {
    scratch: Scratch,
    model: PathBuf,
    questions: Option<Questions>,
}

impl Paper {
    fn new(text: &str) -> io::Result<Paper> {
        let scratch = Scratch::new()?;
        let model = scratch.path().join("model.pml");
        fs::write(&model, text)?;
        Ok(Paper { scratch, model, questions: Questions::read(text) })
    }

    fn asked(&self) -> Vec<&str> {
        self.questions.as_ref().map(Questions::our_options).unwrap_or_default()
    }
}

/// Did every search come to its end?
fn finished(verdict: &Verdict) -> bool {
    verdict.stops.is_empty() && verdict.outcome != "stopped"
}

/// What is wrong with a verdict.
fn faults(way: &Way, truth: &Verdict, verdict: &Verdict) -> Vec<Found> {
    let found = |fault, detail| Found { way: way.name, fault, detail };
    if let Some(reason) = verdict.stops.iter().find(|s| s.contains("audit")) {
        return vec![found(Fault::Audit, reason.clone())];
    }
    if let Some(reason) = verdict.stops.iter().find(|s| !s.contains("limit") && !s.contains("memory")) {
        return vec![found(Fault::Broken, reason.clone())];
    }
    let safety = if way.thorough { pairs(&truth.safety, &verdict.safety) } else { vec![whole(truth, verdict)] };
    let all = safety.into_iter().chain(pairs(&truth.own, &verdict.own));
    let wrong = |(name, expected, said): (String, String, String)| {
        let fault = match (expected.as_str(), said.as_str()) {
            ("violated", "holds") => Fault::WrongHolds,
            ("holds", "violated") => Fault::FalseAlarm,
            _ => return None,
        };
        Some(found(fault, format!("{name}: {said}, but {expected} in all states")))
    };
    let mut out: Vec<Found> = all.filter_map(wrong).collect();
    let counts = |v: &Verdict| (v.stored, v.transitions);
    let whole = |v: &Verdict| v.errors == 0 || way.options.contains(&"--all-errors");
    if way.exact && finished(verdict) && whole(truth) && whole(verdict) && counts(truth) != counts(verdict) {
        let detail = format!("{:?} states and transitions, but there are {:?}", counts(verdict), counts(truth));
        out.push(found(Fault::Counts, detail));
    }
    if way.shortest && truth.trail != verdict.trail && finished(verdict) {
        let detail = format!("a trail of length {:?}, but {:?} in all states", verdict.trail, truth.trail);
        out.push(found(Fault::Length, detail));
    }
    out
}

/// Each property that both speak of: its name, the truth, what was said.
fn pairs(truth: &[(String, String)], said: &[(String, String)]) -> Vec<(String, String, String)> {
    let same = |(name, expected): &(String, String)| {
        let (_, outcome) = said.iter().find(|(n, _)| n == name)?;
        Some((name.clone(), expected.clone(), outcome.clone()))
    };
    truth.iter().filter_map(same).collect()
}

/// All properties of single states as one: a search that stops at the first error says nothing of the others.
fn whole(truth: &Verdict, verdict: &Verdict) -> (String, String, String) {
    ("safety".into(), worst(&truth.safety), worst(&verdict.safety))
}

fn worst(properties: &[(String, String)]) -> String {
    let outcomes: BTreeSet<&str> = properties.iter().map(|(_, outcome)| outcome.as_str()).collect();
    let order = ["violated", "stopped", "unrefuted", "holds"];
    order.into_iter().find(|o| outcomes.contains(o)).unwrap_or("nothing").to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A program with formulas and one with assertions alone, for instance, have seeds of another remainder.
    #[test]
    fn every_way_meets_every_kind_of_program() {
        for way in BY_TURNS {
            for kind in 0..12 {
                let met =
                    (0..200).map(|n| 12 * n + kind).filter(|seed| turn(*seed).any(|w| w.name == way.name)).count();
                assert!(met >= 10, "{} meets {met} of 200 programs with seeds of remainder {kind}", way.name);
            }
        }
    }

    fn verdict(assertions: &str, ends: &str, formula: &str) -> Verdict {
        let pair = |name: &str, outcome: &str| (name.to_string(), outcome.to_string());
        let safety = vec![pair("assertions", assertions), pair("invalid-end-states", ends)];
        Verdict { outcome: "holds".into(), safety, own: vec![pair("q0", formula)], ..Verdict::default() }
    }

    fn faults_of(way: &str, truth: Verdict, said: Verdict) -> Vec<Fault> {
        let way = WAYS.iter().find(|w| w.name == way).expect("a way");
        faults(way, &truth, &said).into_iter().map(|f| f.fault).collect()
    }

    #[test]
    fn a_lost_violation_is_a_wrong_holds() {
        let truth = || verdict("violated", "violated", "holds");
        assert_eq!(faults_of("ample, thorough", truth(), verdict("holds", "violated", "holds")), [Fault::WrongHolds]);
        // A search that stops at the first error is not asked about the second.
        assert_eq!(faults_of("default", truth(), verdict("holds", "violated", "holds")), []);
        assert_eq!(faults_of("default", truth(), verdict("holds", "holds", "holds")), [Fault::WrongHolds]);
    }

    #[test]
    fn formulas_have_verdicts_of_their_own() {
        let truth = verdict("violated", "holds", "holds");
        assert_eq!(faults_of("default", truth, verdict("violated", "holds", "violated")), [Fault::FalseAlarm]);
    }

    #[test]
    fn a_broken_promise_is_a_fault() {
        let stops = vec!["the audit of the reduction failed: the order matters".to_string()];
        let said = Verdict { stops, ..verdict("stopped", "stopped", "stopped") };
        assert_eq!(faults_of("ample, thorough", verdict("holds", "holds", "holds"), said), [Fault::Audit]);
    }
}
