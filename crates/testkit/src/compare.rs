//! One program, two checkers: what SPIN says of it, what Starwheel says of it, and where they differ.

use crate::exec::Scratch;
use crate::infinite;
use crate::ours::{Answer, Starwheel, Verdict};
use crate::spin::{self, Automata, Generated, Report};
use std::cell::Cell;
use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

const DEFINES: &[&str] = &["-DSAFETY", "-DNOREDUCE", "-DNOFAIR", "-DNOCLAIM"];
/// With priorities SPIN's compression takes some bits of locals for padding and loses them; without it the counts are right.
const UNCOMPRESSED: &[&str] = &["-DSAFETY", "-DNOREDUCE", "-DNOFAIR", "-DNOCLAIM", "-DNOCOMP"];
/// Words of models in which we merge less than SPIN.
const LESS: [&str; 4] = ["[0] of", "local ", "xr ", "xs "];
const LIMITS: &[&str] = &["-m10000", "-w18", "-n", "-c0"];

/// What can differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum What {
    /// The number of stored states.
    Stored,
    /// The number of transitions.
    Transitions,
    /// The number of errors when the search goes on.
    Errors,
    /// The kinds of errors.
    Kinds,
    /// Violated or not.
    Verdict,
    /// We refuse what SPIN accepts.
    Refused,
    /// Our run ended as no run should.
    Broken,
    /// We did not end in time.
    Slow,
}

/// A difference between the two checkers.
#[derive(Clone, Debug)]
pub struct Difference {
    /// With which automata.
    pub automata: Automata,
    /// In what.
    pub what: What,
    /// Both sides in words.
    pub detail: String,
}

/// What became of a program.
#[derive(Clone, Debug)]
pub enum Trial {
    /// SPIN refuses the program; do we, as well? None if we were not asked.
    SpinRefuses(String, Option<bool>),
    /// SPIN cannot finish it, or its verifier cannot be compiled.
    Skipped(String),
    /// Both agree; the number of stored states.
    Agreed(u64),
    /// Both agree but for counts of optimised automata, for a reason that is known: the number of stored states.
    Explained(u64),
    /// They differ.
    Differs(Vec<Difference>),
}

/// The two checkers and their time limits.
#[derive(Clone, Debug)]
pub struct Contest {
    /// The binary under test; without it SPIN is run alone.
    pub ours: Option<Starwheel>,
    /// The C compiler: `gcc`, or one that is faster, such as `tcc`.
    pub compiler: String,
    /// How long SPIN's verifier may take.
    pub limit: Duration,
    /// Compare the number of transitions for all automata.
    pub strict: bool,
    /// Where both report a run-time error, only the verdicts are compared: pan goes on behind one, we do not.
    pub lenient: bool,
    /// Compare the verdicts on the program's claims and labels, and nothing else.
    pub infinite: bool,
}

/// The reports of a verifier: with assertions and end states unchecked, and with all errors counted.
#[derive(Clone, Debug)]
struct Facts {
    quiet: Report,
    loud: Report,
}

enum Oracle {
    Refused(String),
    Unfinished(String),
    Known(Facts),
}

impl Contest {
    /// Lets both check the program, with each of the automata.
    pub fn trial(&self, text: &str, automata: &[Automata]) -> io::Result<Trial> {
        if self.infinite {
            return infinite::trial(self, text, automata);
        }
        let scratch = Scratch::new()?;
        let model = scratch.path().join("model.pml");
        fs::write(&model, text)?;
        let mut known: Option<(String, Facts)> = None;
        let mut differences = Vec::new();
        let (mut stored, excused) = (0, Cell::new(false));
        for &kind in automata {
            match self.oracle(&model, kind, scratch.path(), &mut known)? {
                Oracle::Refused(message) => return self.both_refuse(message, &model, scratch.path()),
                Oracle::Unfinished(message) => return Ok(Trial::Skipped(message)),
                Oracle::Known(facts) => {
                    stored = stored.max(facts.quiet.stored);
                    if let Some(ours) = &self.ours {
                        let lenient = self.lenient;
                        let round = Round {
                            ours,
                            model: &model,
                            dir: scratch.path(),
                            automata: kind,
                            lenient,
                            excused: &excused,
                        };
                        differences.extend(round.play(&facts, self.strict || kind == Automata::Pure)?);
                    }
                }
            }
        }
        Ok(match excused.get() {
            _ if !differences.is_empty() => Trial::Differs(differences),
            true => Trial::Explained(stored),
            false => Trial::Agreed(stored),
        })
    }

    /// Does the program still differ in the same thing? Where SPIN's figures do not matter, its verifier is not compiled.
    pub fn still_differs(&self, text: &str, first: &Difference) -> io::Result<bool> {
        if let (Some(ours), What::Refused | What::Broken, false) = (&self.ours, first.what, self.infinite) {
            let scratch = Scratch::new()?;
            let model = scratch.path().join("model.pml");
            fs::write(&model, text)?;
            let (automata, lenient) = (first.automata, self.lenient);
            let excused = Cell::new(false);
            let round = Round { ours, model: &model, dir: scratch.path(), automata, lenient, excused: &excused };
            let mut found = Vec::new();
            round.ask(&["--all-errors"], &mut found)?;
            let same = found.iter().any(|d| d.what == first.what && d.detail == first.detail);
            let accepted = || self.generate(&model, first.automata, scratch.path());
            return Ok(same && (first.what == What::Broken || matches!(accepted()?, Generated::Verifier(_))));
        }
        let trial = self.trial(text, &[first.automata])?;
        Ok(matches!(trial, Trial::Differs(found) if found.iter().any(|d| d.what == first.what)))
    }

    pub(crate) fn both_refuse(&self, message: String, model: &Path, dir: &Path) -> io::Result<Trial> {
        let Some(ours) = &self.ours else { return Ok(Trial::SpinRefuses(message, None)) };
        let answer = ours.check(model, &["--plain"], dir)?;
        Ok(Trial::SpinRefuses(message, Some(matches!(answer, Answer::Refused(_)))))
    }

    /// Runs SPIN. Its preprocessor takes longer than itself, so a program without macros goes around it.
    pub(crate) fn generate(&self, model: &Path, automata: Automata, dir: &Path) -> io::Result<Generated> {
        let plain = !fs::read_to_string(model)?.contains('#');
        let around: &[&str] = if plain { &["-Pcat"] } else { &[] };
        spin::generate(model, &[around, automata.spin_options()].concat(), dir)
    }

    /// SPIN's facts. Equal verifiers are not compiled twice: often the three automata are the same.
    fn oracle(
        &self,
        model: &Path,
        automata: Automata,
        dir: &Path,
        known: &mut Option<(String, Facts)>,
    ) -> io::Result<Oracle> {
        let text = match self.generate(model, automata, dir)? {
            Generated::Refused(message) => return Ok(Oracle::Refused(message)),
            Generated::Verifier(text) => text,
        };
        if let Some((_, facts)) = known.as_ref().filter(|(before, _)| *before == text) {
            return Ok(Oracle::Known(facts.clone()));
        }
        let defines = if text.contains("define HAS_PRIORITY") { UNCOMPRESSED } else { DEFINES };
        if let Err(message) = spin::compile(dir, &self.compiler, "-O0", defines)? {
            return Ok(Oracle::Unfinished(format!("compiler: {message}")));
        }
        let quiet = match spin::verify(dir, &[LIMITS, &["-E", "-A"]].concat(), self.limit)? {
            Ok(quiet) if quiet.complete || quiet.fatal => quiet,
            Ok(_) => return Ok(Oracle::Unfinished("depth".into())),
            Err(why) => return Ok(Oracle::Unfinished(why)),
        };
        let loud = match spin::verify(dir, LIMITS, self.limit * 2)? {
            Ok(loud) => loud,
            Err(why) => return Ok(Oracle::Unfinished(why)),
        };
        let facts = Facts { quiet, loud };
        *known = Some((text, facts.clone()));
        Ok(Oracle::Known(facts))
    }
}

/// One program with one kind of automata.
struct Round<'a> {
    ours: &'a Starwheel,
    model: &'a PathBuf,
    dir: &'a Path,
    automata: Automata,
    lenient: bool,
    /// Set where counts differ for a reason that is known.
    excused: &'a Cell<bool>,
}

impl Round<'_> {
    fn play(&self, facts: &Facts, transitions: bool) -> io::Result<Vec<Difference>> {
        let mut found = Vec::new();
        if facts.quiet.fatal || facts.loud.fatal {
            self.verdict(facts, &mut found)?;
            return Ok(found);
        }
        if self.lenient && facts.loud.messages.iter().any(|m| spin::kind_of(m) == "runtime") {
            let loud = self.ask(&["--all-errors"], &mut found)?;
            if loud.is_none_or(|l| l.kinds.contains("runtime")) {
                return Ok(found);
            }
        }
        let quiet = self.ask(&["--all-errors", "--no-assert", "--no-deadlock"], &mut found)?;
        let Some(quiet) = quiet else { return Ok(found) };
        if quiet.stored != facts.quiet.stored && self.explained((quiet.stored, facts.quiet.stored), &mut found)? {
            return Ok(found);
        }
        self.figure(What::Stored, facts.quiet.stored, quiet.stored, &mut found);
        if transitions && found.is_empty() {
            self.figure(What::Transitions, facts.quiet.transitions, quiet.transitions, &mut found);
        }
        if self.automata == Automata::Pure {
            self.errors(facts, &mut found)?;
            self.verdict(facts, &mut found)?;
        }
        Ok(found)
    }

    /// Where there are channels without slots, priorities, promises, or jumps inside `unless`, SPIN merges too much, and with the
    /// last it also resets what is still read (docs/differences.md, mm to mq). Then our states are no more than with the next less
    /// ambitious automata; with those without any optimisation counts are equal again. An atomic sequence that should have been
    /// interrupted, or an escape that was not taken, may bring SPIN to states that there are not.
    fn explained(&self, (ours, spins): (u64, u64), found: &mut Vec<Difference>) -> io::Result<bool> {
        let text = fs::read_to_string(self.model)?;
        let has = |word: &str| text.contains(word);
        let jumps = has("unless") && (has("goto") || has("break"));
        let (wrong, automata) = match self.automata {
            Automata::Pure => return Ok(false),
            Automata::NoMerge => (jumps, Automata::Pure),
            Automata::Merge => {
                (jumps || has("priority") || ours > spins && LESS.iter().any(|word| has(word)), Automata::NoMerge)
            }
        };
        if !wrong {
            return Ok(false);
        }
        let apart = Round { automata, ..*self };
        let less = apart.ask(&["--all-errors", "--no-assert", "--no-deadlock"], found)?;
        let explained = less.is_some_and(|less| ours <= less.stored);
        self.excused.set(self.excused.get() || explained);
        Ok(explained)
    }

    fn ask(&self, options: &[&str], found: &mut Vec<Difference>) -> io::Result<Option<Verdict>> {
        let options = [options, self.automata.our_options()].concat();
        let (what, detail) = match self.ours.check(self.model, &options, self.dir)? {
            Answer::Verdict(verdict) => return Ok(Some(*verdict)),
            Answer::Refused(message) | Answer::NotBuilt(message) => (What::Refused, message),
            Answer::Broken(message) => (What::Broken, message),
            Answer::TimedOut => (What::Slow, "no answer in time".to_string()),
        };
        found.push(Difference { automata: self.automata, what, detail });
        Ok(None)
    }

    fn figure(&self, what: What, spin: u64, ours: u64, found: &mut Vec<Difference>) {
        if spin != ours {
            let detail = format!("SPIN {spin}, Starwheel {ours}");
            found.push(Difference { automata: self.automata, what, detail });
        }
    }

    fn errors(&self, facts: &Facts, found: &mut Vec<Difference>) -> io::Result<()> {
        let Some(loud) = self.ask(&["--all-errors"], found)? else { return Ok(()) };
        let kinds: BTreeSet<&str> = facts.loud.messages.iter().map(|m| spin::kind_of(m)).collect();
        // pan does not see that a `skip`, a jump or an `else` is a second choice of a deterministic process; we do, so
        // there the errors cannot be counted against each other.
        if loud.kinds.contains("non-determinism") && kinds.is_subset(&loud.kinds) {
            return Ok(());
        }
        if self.offers(facts)? {
            return Ok(());
        }
        self.figure(What::Errors, facts.loud.errors, loud.errors, found);
        if kinds != loud.kinds {
            let detail = format!("SPIN {kinds:?}, Starwheel {:?}", loud.kinds);
            found.push(Difference { automata: self.automata, what: What::Kinds, detail });
        }
        Ok(())
    }

    /// pan takes an offer on a channel without slots for a choice of a deterministic process, whether or not anybody takes it.
    fn offers(&self, facts: &Facts) -> io::Result<bool> {
        if !facts.loud.messages.iter().any(|m| spin::kind_of(m) == "non-determinism") {
            return Ok(false);
        }
        let text = fs::read_to_string(self.model)?;
        Ok(text.contains("D_proctype") && text.contains("[0] of"))
    }

    fn verdict(&self, facts: &Facts, found: &mut Vec<Difference>) -> io::Result<()> {
        let Some(plain) = self.ask(&[], found)? else { return Ok(()) };
        if self.offers(facts)? {
            return Ok(());
        }
        let expected = if facts.loud.errors > 0 { "violated" } else { "holds" };
        if plain.outcome != expected && !plain.kinds.contains("non-determinism") {
            let detail = format!("SPIN {expected} {:?}, Starwheel {}", facts.loud.messages, plain.outcome);
            found.push(Difference { automata: self.automata, what: What::Verdict, detail });
        }
        Ok(())
    }
}
