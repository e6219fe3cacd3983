//! Our side: `starwheel check` with what it does by itself.

use super::cpu;
use super::{ONLY, Question, Said, Word};
use crate::ours::{Answer, Verdict, read_answer};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Our binary.
#[derive(Clone, Debug)]
pub struct Ours {
    /// Where it is.
    pub binary: PathBuf,
    /// How long it may take.
    pub limit: Duration,
}

impl Ours {
    /// Asks about a model; trails go to the folder `dir`.
    pub fn ask(&self, model: &Path, question: &Question, dir: &Path) -> io::Result<Said> {
        let mut words = vec!["check".to_string(), model.display().to_string(), "--json".to_string()];
        words.extend(options(question));
        words.extend(["--trail".to_string(), dir.join("trail.json").display().to_string()]);
        words.extend(["--time".to_string(), format!("{}ms", self.limit.as_millis())]);
        // A run that does not keep its own limit is ended a little later.
        let used = cpu::run(&self.binary, &words, dir, self.limit + Duration::from_secs(2))?;
        if used.timed_out {
            return Ok(Said { cpu: used.cpu, ..Said::nothing("time", "the limit of time was not kept") });
        }
        let said = match read_answer(used.code, &used.stdout, &used.stderr) {
            Answer::Verdict(verdict) => said(question, &verdict),
            Answer::Refused(message) | Answer::NotBuilt(message) => Said::nothing("refused", message),
            Answer::Broken(message) => Said::nothing("CRASH", message),
            Answer::TimedOut => Said::nothing("time", ""),
        };
        Ok(Said { cpu: used.cpu, ..said })
    }

    /// Does it accept the model?
    pub fn accepts(&self, model: &Path, dir: &Path) -> io::Result<bool> {
        let said = Ours { limit: Duration::from_secs(1), ..self.clone() }.ask(model, &Question::Safety, dir)?;
        Ok(!matches!(&said.word, Word::None(why) if why == "refused" || why == "CRASH"))
    }
}

/// What has to be typed for a question. A property is asked for by its name; assertions and end states are left out then,
/// as SPIN's verifier leaves them out, and the first violation ends all searches, as it ends SPIN's.
fn options(question: &Question) -> Vec<String> {
    let one = |option: &str, name: &str| {
        ["--first", "--no-assert", "--no-deadlock", option, name].into_iter().map(str::to_string).collect()
    };
    match question {
        Question::Safety => vec!["--no-ltl".to_string()],
        Question::Formula(name) => one("--ltl", name),
        Question::Claim(name) if name == ONLY => one("--claim", "0"),
        Question::Claim(name) => one("--claim", name),
    }
}

/// What the report says about the question.
fn said(question: &Question, verdict: &Verdict) -> Said {
    let (outcome, states) = match (question, &verdict.own[..]) {
        (Question::Safety, _) => (verdict.outcome.as_str(), verdict.stored),
        (_, [(name, outcome)]) => {
            let own = verdict.own_stored.iter().find(|(n, _)| n == name);
            (outcome.as_str(), own.map_or(verdict.stored, |(_, states)| *states))
        }
        (_, others) => return Said::nothing("nothing", format!("{} properties instead of one", others.len())),
    };
    let word = match outcome {
        "holds" => Word::Holds,
        "violated" => Word::Violated,
        _ if verdict.stops.iter().any(|s| s.contains("time")) => Word::None("time".into()),
        other => Word::None(other.into()),
    };
    let note = if word == Word::Violated { &verdict.messages } else { &verdict.stops };
    Said { word, states, cpu: 0.0, note: note.first().cloned().unwrap_or_default() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_verdict_on_the_property_counts() {
        let json = r#"{"outcome":"violated","findings":[{"kind":"runtime-error","message":"m"}],
            "properties":[{"name":"runtime-errors","kind":"safety","outcome":"violated"},
                {"name":"p","kind":"formula","outcome":"holds","stats":{"states_stored":7}}],
            "stats":{"states_stored":5}}"#;
        let Answer::Verdict(verdict) = read_answer(Some(1), json, "") else { panic!("no verdict") };
        let formula = said(&Question::Formula("p".into()), &verdict);
        assert_eq!((formula.word, formula.states), (Word::Holds, 7));
        let safety = said(&Question::Safety, &verdict);
        assert_eq!((safety.word, safety.states, safety.note.as_str()), (Word::Violated, 5, "m"));
    }

    #[test]
    fn a_property_is_asked_for_alone() {
        let words = options(&Question::Claim("A".into()));
        assert_eq!(words, ["--first", "--no-assert", "--no-deadlock", "--claim", "A"]);
        assert_eq!(options(&Question::Safety), ["--no-ltl"]);
    }
}
