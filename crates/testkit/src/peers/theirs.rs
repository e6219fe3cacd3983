//! SPIN's side: `spin -a`, `gcc -O2`, and the verifier as it comes; or with a table that fits, which a person would have to guess.

use super::cpu::{self, Used};
use super::{ONLY, Question, Said, Word};
use crate::exec;
use crate::spin::{self, Report};
use std::fs;
use std::io;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

/// How SPIN is run.
#[derive(Clone, Copy, Debug)]
pub struct Theirs {
    /// How long a verifier may take.
    pub limit: Duration,
    /// The megabytes that it may take.
    pub megabytes: u64,
    /// Its table is made as large as the model needs it, instead of what it is by itself: clearing a large one takes a
    /// twentieth of a second.
    pub fitted: bool,
}

/// The depths to try: a search that was cut has not seen everything, and a stack that is never used costs time, too.
const DEPTHS: [&str; 4] = ["-m10000", "-m1000000", "-m10000000", "-m50000000"];
/// A table that fits: at first, and for models with more states than it has slots.
const FITTED: [(&str, u64); 2] = [("-w20", 1 << 21), ("-w26", u64::MAX)];
/// The table that it has by itself.
const ITS_OWN: [(&str, u64); 1] = [("-w24", u64::MAX)];

impl Theirs {
    /// Lets SPIN make a verifier in `dir`: what can be asked about the model, or SPIN's complaint.
    pub fn questions(&self, model: &Path, dir: &Path) -> io::Result<Result<Vec<Question>, String>> {
        let ended = exec::run(Command::new("spin").arg("-a").arg(model), dir, Duration::from_secs(60))?;
        if ended.timed_out {
            return Ok(Err("spin -a: no answer in a minute".into()));
        }
        if ended.code != Some(0) || !dir.join("pan.c").exists() {
            return Ok(Err(spin::first_complaint(&ended)));
        }
        let header = fs::read(dir.join("pan.h")).map(|b| String::from_utf8_lossy(&b).into_owned())?;
        let mut questions = vec![Question::Safety];
        questions.extend(properties(&ended.stdout, &header));
        Ok(Ok(questions))
    }

    /// Compiles the verifier in `dir` for a question; reduction is given up only if the compiler says so.
    pub fn compile(&self, question: &Question, dir: &Path) -> io::Result<Result<&'static str, String>> {
        let memory = format!("-DMEMLIM={}", self.megabytes);
        let kind: &[&str] = if *question == Question::Safety { &["-DSAFETY", "-DNOCLAIM"] } else { &[] };
        let defines = [kind, &[memory.as_str()]].concat();
        let Err(first) = spin::compile(dir, "gcc", "-O2", &defines)? else { return Ok(Ok("")) };
        let whole = spin::compile(dir, "gcc", "-O2", &[&defines[..], &["-DNOREDUCE"]].concat())?;
        Ok(if whole.is_ok() { Ok("not reduced") } else { Err(first) })
    }

    /// Runs the compiled verifier; `several` if the model has more than one claim.
    pub fn ask(&self, question: &Question, several: bool, dir: &Path) -> io::Result<Said> {
        let mut last = Said::nothing("depth", "");
        let tables: &[(&str, u64)] = if self.fitted { &FITTED } else { &ITS_OWN };
        for &(table, most) in tables {
            for depth in DEPTHS {
                let used = self.verify(&[depth, table, "-n"], question, several, dir)?;
                let report = spin::read_report(&used.stdout);
                let states = report.as_ref().map_or(0, |r| r.stored);
                last = said(&used, report.as_ref(), question);
                if last.word != Word::None("depth".into()) {
                    break;
                }
                // A cut search that already has more states than slots goes on with the large table.
                if states > most {
                    break;
                }
            }
            if last.states <= most {
                break;
            }
        }
        Ok(last)
    }

    fn verify(&self, fixed: &[&str], question: &Question, several: bool, dir: &Path) -> io::Result<Used> {
        let mut words = fixed.to_vec();
        match question {
            Question::Safety => {}
            // SPIN looks for the end of `[] p` with an assertion in the claim, so assertions must count, those of the
            // model included: see `said`.
            Question::Formula(_) | Question::Claim(_) => words.extend(["-a", "-E"]),
        }
        if several && *question != Question::Safety {
            words.extend(["-N", question.name()]);
        }
        cpu::run(&dir.join("pan"), &words, dir, self.limit)
    }
}

/// The formulas and claims of a model, from what SPIN prints and what it writes.
fn properties(printed: &str, header: &str) -> Vec<Question> {
    let formulas: Vec<&str> =
        printed.lines().filter_map(|l| l.strip_prefix("ltl ")?.split_once(':')).map(|(name, _)| name).collect();
    let all = printed.lines().find_map(|l| l.split_once("never claims: ")).map(|(_, names)| names.trim());
    let mut names: Vec<&str> = all.map_or_else(|| formulas.clone(), |names| names.split(", ").collect());
    names.reverse();
    if names.is_empty() && header.contains("\t\t#define VERI\t") {
        names.push(ONLY);
    }
    let each = |name: &str| {
        let formula = formulas.contains(&name);
        if formula { Question::Formula(name.into()) } else { Question::Claim(name.into()) }
    };
    names.into_iter().map(each).collect()
}

/// The answer in a report. An interrupted verifier still says how far it came.
fn said(used: &Used, report: Option<&Report>, question: &Question) -> Said {
    let message = report.and_then(|r| r.messages.first().cloned()).unwrap_or_default();
    let none = |why: &str| Word::None(why.to_string());
    // An assertion that SPIN itself has put into the claim of a formula is written like this.
    let own = message.contains("assertion violated") && !message.contains("assertion violated !( !(");
    let word = match report {
        _ if used.timed_out => none("time"),
        Some(r) if r.errors > 0 && message.contains("partial order reduction invalid") => none("xr/xs"),
        Some(r) if r.errors > 0 && message.contains("max search depth") => none("depth"),
        Some(r) if r.errors > 0 && own && matches!(question, Question::Formula(_)) => none("assertion of the model"),
        Some(r) if r.errors > 0 => Word::Violated,
        Some(_) if used.stdout.contains("max search depth too small") => none("depth"),
        Some(_) if used.stdout.contains("out of memory") || used.stdout.contains("max. nr") => none("memory"),
        Some(r) if r.complete => Word::Holds,
        Some(_) => none("incomplete"),
        None if used.stdout.contains("out of memory") => none("memory"),
        None => none("no report"),
    };
    let note = if report.is_none() { used.stdout.lines().next().unwrap_or("").to_string() } else { message };
    Said { word, states: report.map_or(0, |r| r.stored), cpu: used.cpu, note }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formulas_and_claims_are_told_apart() {
        let printed =
            "ltl q: [] ((x<2))\n  the model contains 3 never claims: q, never_1, A\n  only one claim is used\n";
        let found = properties(printed, "");
        let expected = [Question::Claim("A".into()), Question::Claim("never_1".into()), Question::Formula("q".into())];
        assert_eq!(found, expected);
        assert_eq!(properties("ltl p: <> (x)\n", "\t\t#define VERI\t1\n"), [Question::Formula("p".into())]);
        assert_eq!(properties("", "\t\t#define VERI\t1\n"), [Question::Claim("never_0".into())]);
        assert_eq!(properties("", "\t#define VERI\t1\t/* np_ */\n"), []);
    }

    #[test]
    fn a_report_becomes_a_word() {
        let used = |stdout: &str, timed_out| Used {
            code: Some(0),
            timed_out,
            stdout: stdout.into(),
            stderr: String::new(),
            cpu: 0.5,
        };
        let word = |stdout: &str, timed_out| {
            let used = used(stdout, timed_out);
            said(&used, spin::read_report(&used.stdout).as_ref(), &Question::Formula("p".into())).word
        };
        let end = "State-vector 28 byte, depth reached 51, errors: ";
        assert_eq!(word(&format!("{end}0\n"), false), Word::Holds);
        assert_eq!(word(&format!("pan:1: invalid end state (at depth 3)\n{end}1\n"), false), Word::Violated);
        assert_eq!(word(&format!("{end}0\n"), true), Word::None("time".into()));
        let cut = format!("error: max search depth too small\n{end}0\n");
        assert_eq!(word(&cut, false), Word::None("depth".into()));
        assert_eq!(word("", false), Word::None("no report".into()));
        let failed = |text: &str| word(&format!("pan:1: assertion violated {text} (at depth 3)\n{end}1\n"), false);
        assert_eq!(failed("!( !((x<2)))"), Word::Violated);
        assert_eq!(failed("(x==1)"), Word::None("assertion of the model".into()));
    }
}
