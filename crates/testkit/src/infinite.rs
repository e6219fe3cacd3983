//! One program with claims or labels, two checkers: the verdict on each of its properties.

use crate::compare::{Contest, Difference, Trial, What};
use crate::exec::Scratch;
use crate::mutate::shape::Shape;
use crate::ours::{Answer, Starwheel, Verdict};
use crate::spin::{self, Automata, Generated};
use std::fs;
use std::io;
use std::ops::Range;
use std::path::Path;

const LIMITS: &[&str] = &["-m10000", "-w18", "-n", "-E"];

/// Our time for a program: SPIN may find a cycle at once in a space that is too large for a search of all of it.
const TIME: &str = "4s";

/// What a program asks.
pub(crate) struct Questions {
    /// The names of formulas and claims; one without a name if labels are asked about.
    names: Vec<(Kind, String)>,
    /// Processes have assertions, so that one that fails need not be the end of a claim; some of a negation, as SPIN writes the
    /// end of a formula's claim.
    asserts: (bool, bool),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Formula,
    Claim,
    Acceptance,
    Progress,
}

/// SPIN's word on a property.
#[derive(Clone, Debug, PartialEq)]
enum Word {
    Holds,
    Violated(String),
    /// It stopped at something else, or came to no end.
    Silent(String),
}

impl Questions {
    /// Finds the questions in the text: its formulas and claims, or its labels.
    pub(crate) fn read(text: &str) -> Option<Questions> {
        let shape = Shape::new(text);
        let claims = |word: &str, kind| -> Vec<(Kind, String)> {
            let items = shape.items.iter().filter(|item| shape.word(item.start) == word).enumerate();
            let name = |index: usize, own: &str| if own == "{" { format!("{word}_{index}") } else { own.to_string() };
            items.map(|(index, item)| (kind, name(index, shape.word(item.start + 1)))).collect()
        };
        let mut names = [claims("ltl", Kind::Formula), claims("never", Kind::Claim)].concat();
        if names.is_empty() {
            let labelled = |word: &str| shape.labels.iter().any(|label| label.starts_with(word));
            let kinds = [("accept", Kind::Acceptance), ("progress", Kind::Progress)];
            let kind = kinds.into_iter().find(|(word, _)| labelled(word))?.1;
            names.push((kind, String::new()));
        }
        let inside = |item: &Range<usize>| shape.word(item.start) != "never";
        let asserts = shape.items.iter().filter(|item| inside(item)).flat_map(|item| item.clone());
        let asserts: Vec<usize> = asserts.filter(|index| shape.word(*index) == "assert").collect();
        let negated = asserts.iter().any(|index| shape.word(index + 2) == "!");
        Some(Questions { names, asserts: (!asserts.is_empty(), negated) })
    }

    fn kind(&self) -> Kind {
        self.names[0].0
    }

    fn defines(&self) -> Vec<&'static str> {
        let progress = (self.kind() == Kind::Progress).then_some("-DNP");
        ["-DNOREDUCE", "-DNOFAIR"].into_iter().chain(progress).collect()
    }

    /// The options of SPIN's verifier for one of the names.
    fn verifier_options<'a>(&'a self, name: &'a str) -> Vec<&'a str> {
        let mut options = LIMITS.to_vec();
        options.push(if self.kind() == Kind::Progress { "-l" } else { "-a" });
        // With a single claim the verifier does not know the option.
        if self.names.len() > 1 {
            options.extend(["-N", name]);
        }
        options
    }

    /// Our options for all of them at once.
    pub(crate) fn our_options(&self) -> Vec<&str> {
        let mut options = match self.kind() {
            Kind::Formula => vec!["--ltl", "all"],
            Kind::Claim => Vec::new(),
            Kind::Acceptance => vec!["--accept"],
            Kind::Progress => vec!["--progress"],
        };
        let claims = self.names.iter().filter(|(kind, _)| *kind == Kind::Claim);
        options.extend(claims.flat_map(|(_, name)| ["--claim", name]));
        options
    }

    /// Is the error one of the property, and not of the system? SPIN writes the end of a formula's claim as an assertion.
    fn about(&self, message: &str) -> bool {
        let signs = ["acceptance cycle", "accept stutter", "non-progress cycle", "end state in claim reached"];
        let asserted = message.contains("assertion violated") && !message.contains("invalid array index");
        let (some, negated) = self.asserts;
        let formulas = self.kind() == Kind::Formula && !negated && message.contains("violated !(");
        signs.iter().any(|s| message.contains(s)) || asserted && (!some || formulas)
    }
}

/// Lets both answer all questions of a program, with each of the automata.
pub(crate) fn trial(contest: &Contest, text: &str, automata: &[Automata]) -> io::Result<Trial> {
    let Some(questions) = Questions::read(text) else { return Ok(Trial::Skipped("no question".into())) };
    let scratch = Scratch::new()?;
    let model = scratch.path().join("model.pml");
    fs::write(&model, text)?;
    let (mut differences, mut stored, mut silent) = (Vec::new(), None, String::from("nothing"));
    let (mut before, mut plain, mut excused) = (String::new(), None, false);
    for &automata in automata {
        let verifier = match contest.generate(&model, automata, scratch.path())? {
            Generated::Refused(message) => return contest.both_refuse(message, &model, scratch.path()),
            Generated::Verifier(text) => text,
        };
        // Often the three automata are the same.
        if verifier == before {
            continue;
        }
        let mut defines = questions.defines();
        if verifier.contains("define HAS_PRIORITY") {
            defines.push("-DNOCOMP");
        }
        before = verifier;
        if let Err(message) = spin::compile(scratch.path(), &contest.compiler, "-O0", &defines)? {
            return Ok(Trial::Skipped(format!("compiler: {message}")));
        }
        let mut words = Vec::new();
        for (_, name) in &questions.names {
            let (word, size) = ask_spin(scratch.path(), &questions, name, contest)?;
            match &word {
                Word::Silent(why) => silent = why.clone(),
                _ => stored = stored.max(Some(size)),
            }
            words.push(word);
        }
        let spoken = words.iter().any(|w| !matches!(w, Word::Silent(_)));
        if let (Some(ours), true) = (&contest.ours, spoken) {
            // Where SPIN contradicts itself, what it says without optimised automata counts (docs/differences.md, mm to mq).
            let plain = plain.as_ref().unwrap_or(&words);
            excused |= words.iter().zip(plain).any(|(word, plain)| word.contradicts(plain));
            let round = Round { ours, model: &model, dir: scratch.path(), automata, questions: &questions };
            differences.extend(round.play(if excused { plain } else { &words })?);
        }
        if automata == Automata::Pure {
            plain = Some(words);
        }
    }
    Ok(match (stored, differences.is_empty()) {
        (_, false) => Trial::Differs(differences),
        (Some(stored), true) if excused => Trial::Explained(stored),
        (Some(stored), true) => Trial::Agreed(stored),
        (None, true) => Trial::Skipped(silent),
    })
}

fn ask_spin(dir: &Path, questions: &Questions, name: &str, contest: &Contest) -> io::Result<(Word, u64)> {
    let report = match spin::verify(dir, &questions.verifier_options(name), contest.limit)? {
        Ok(report) => report,
        Err(why) => return Ok((Word::Silent(why), 0)),
    };
    let message = report.messages.first().cloned().unwrap_or_default();
    let word = match report.errors {
        0 if report.complete => Word::Holds,
        0 => Word::Silent("depth".into()),
        _ if questions.about(&message) => Word::Violated(message),
        _ => Word::Silent(message),
    };
    Ok((word, report.stored))
}

impl Word {
    /// Whether both say something, and not the same.
    fn contradicts(&self, other: &Word) -> bool {
        matches!((self, other), (Word::Holds, Word::Violated(_)) | (Word::Violated(_), Word::Holds))
    }
}

/// One program with one kind of automata.
struct Round<'a> {
    ours: &'a Starwheel,
    model: &'a Path,
    dir: &'a Path,
    automata: Automata,
    questions: &'a Questions,
}

impl Round<'_> {
    /// Both of our searches have to say what SPIN says.
    fn play(&self, words: &[Word]) -> io::Result<Vec<Difference>> {
        let mut found = Vec::new();
        for engine in ["auto", "scc"] {
            let mut options = vec!["--engine", engine, "--time", TIME];
            options.extend(self.questions.our_options());
            options.extend(self.automata.our_options());
            let (what, detail) = match self.ours.check(self.model, &options, self.dir)? {
                Answer::Verdict(verdict) => {
                    found.extend(self.differences(engine, words, &verdict));
                    continue;
                }
                Answer::Refused(message) | Answer::NotBuilt(message) => (What::Refused, message),
                Answer::Broken(message) => (What::Broken, message),
                Answer::TimedOut => (What::Slow, "no answer in time".to_string()),
            };
            found.push(Difference { automata: self.automata, what, detail });
        }
        Ok(found)
    }

    fn differences(&self, engine: &str, words: &[Word], verdict: &Verdict) -> Vec<Difference> {
        let mut found = Vec::new();
        for ((_, name), word) in self.questions.names.iter().zip(words) {
            let own = verdict.own.iter().find(|(n, _)| name.is_empty() || n == name);
            let outcome = own.map_or("nothing", |(_, outcome)| outcome.as_str());
            let (expected, why) = match word {
                Word::Holds => ("holds", ""),
                Word::Violated(message) => ("violated", message.as_str()),
                Word::Silent(_) => continue,
            };
            // A run that never leaves an atomic sequence is neither proved nor refuted, and large spaces are not searched.
            if outcome != expected && outcome != "unrefuted" && outcome != "stopped" {
                let detail = format!("{name} ({engine}): SPIN {expected} {why}, Starwheel {outcome}");
                found.push(Difference { automata: self.automata, what: What::Verdict, detail });
            }
        }
        found
    }
}
