//! One program with claims or labels, two checkers: the verdict on each of its properties.

use crate::compare::{Contest, Difference, Trial, What};
use crate::exec::Scratch;
use crate::ours::{Answer, Starwheel, Verdict};
use crate::spin::{self, Automata, Generated};
use std::fs;
use std::io;
use std::path::Path;

const LIMITS: &[&str] = &["-m10000", "-w18", "-n", "-E"];

/// Our time for a program: SPIN may find a cycle at once in a space that is too large for a search of all of it.
const TIME: &str = "4s";

/// What a program asks.
pub(crate) struct Questions {
    /// The names of formulas and claims; one without a name if labels are asked about.
    names: Vec<String>,
    /// The kind of all of them.
    kind: Kind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Formulas,
    Claims,
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
    /// Finds the questions in the text: the generator writes each in a line of its own.
    pub(crate) fn read(text: &str) -> Option<Questions> {
        let named = |word: &str| -> Vec<String> {
            let rest = text.lines().filter_map(|l| l.strip_prefix(word));
            rest.filter_map(|l| l.split(' ').next()).filter(|name| *name != "{").map(str::to_string).collect()
        };
        let labelled = |word: &str| text.lines().any(|l| l.trim_start().starts_with(word));
        let nameless = vec![String::new()];
        match (named("ltl "), named("never ")) {
            (names, _) if !names.is_empty() => Some(Questions { names, kind: Kind::Formulas }),
            (_, names) if !names.is_empty() => Some(Questions { names, kind: Kind::Claims }),
            _ if labelled("accept") => Some(Questions { names: nameless, kind: Kind::Acceptance }),
            _ if labelled("progress") => Some(Questions { names: nameless, kind: Kind::Progress }),
            _ => None,
        }
    }

    fn defines(&self) -> Vec<&'static str> {
        let progress = (self.kind == Kind::Progress).then_some("-DNP");
        ["-DNOREDUCE", "-DNOFAIR"].into_iter().chain(progress).collect()
    }

    /// The options of SPIN's verifier for one of the names.
    fn verifier_options<'a>(&'a self, name: &'a str) -> Vec<&'a str> {
        let mut options = LIMITS.to_vec();
        options.push(if self.kind == Kind::Progress { "-l" } else { "-a" });
        // With a single claim the verifier does not know the option.
        if self.names.len() > 1 {
            options.extend(["-N", name]);
        }
        options
    }

    /// Our options for all of them at once.
    pub(crate) fn our_options(&self) -> Vec<&str> {
        match self.kind {
            Kind::Formulas => vec!["--ltl", "all"],
            Kind::Claims => self.names.iter().flat_map(|name| ["--claim", name]).collect(),
            Kind::Acceptance => vec!["--accept"],
            Kind::Progress => vec!["--progress"],
        }
    }
}

/// Lets both answer all questions of a program, with each of the automata.
pub(crate) fn trial(contest: &Contest, text: &str, automata: &[Automata]) -> io::Result<Trial> {
    let Some(questions) = Questions::read(text) else { return Ok(Trial::Skipped("no question".into())) };
    let scratch = Scratch::new()?;
    let model = scratch.path().join("model.pml");
    fs::write(&model, text)?;
    let (mut differences, mut stored, mut silent) = (Vec::new(), None, String::from("nothing"));
    let mut before = String::new();
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
        for name in &questions.names {
            let (word, size) = ask_spin(scratch.path(), &questions.verifier_options(name), contest)?;
            match &word {
                Word::Silent(why) => silent = why.clone(),
                _ => stored = stored.max(Some(size)),
            }
            words.push(word);
        }
        let spoken = words.iter().any(|w| !matches!(w, Word::Silent(_)));
        if let (Some(ours), true) = (&contest.ours, spoken) {
            let round = Round { ours, model: &model, dir: scratch.path(), automata, questions: &questions };
            differences.extend(round.play(&words)?);
        }
    }
    Ok(match (stored, differences.is_empty()) {
        (_, false) => Trial::Differs(differences),
        (Some(stored), true) => Trial::Agreed(stored),
        (None, true) => Trial::Skipped(silent),
    })
}

fn ask_spin(dir: &Path, options: &[&str], contest: &Contest) -> io::Result<(Word, u64)> {
    let report = match spin::verify(dir, options, contest.limit)? {
        Ok(report) => report,
        Err(why) => return Ok((Word::Silent(why), 0)),
    };
    let message = report.messages.first().cloned().unwrap_or_default();
    let word = match report.errors {
        0 if report.complete => Word::Holds,
        0 => Word::Silent("depth".into()),
        _ if about_the_property(&message) => Word::Violated(message),
        _ => Word::Silent(message),
    };
    Ok((word, report.stored))
}

/// Is the error one of the property, and not of the system? The programs have no assertions outside claims.
fn about_the_property(message: &str) -> bool {
    let signs = [
        "acceptance cycle",
        "accept stutter",
        "non-progress cycle",
        "end state in claim reached",
        "assertion violated",
    ];
    signs.iter().any(|s| message.contains(s))
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
        for (name, word) in self.questions.names.iter().zip(words) {
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
