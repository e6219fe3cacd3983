//! Takes a SPIN command line apart. What stands before `-run` is meant for SPIN itself, what follows it for pan.

use super::{pan_flags, spin_flags};
use starwheel_workbench::{Plan, Problem, Reading};
use std::ffi::OsString;
use std::path::PathBuf;

/// What the line asks for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// A random simulation.
    #[default]
    Simulate,
    /// `-i`
    Interactive,
    /// `-run`, `-search`
    Search,
    /// `-t`, `-replay`
    Replay,
    /// `-a`
    Generate,
    /// `-V`
    Version,
    /// `--help`
    Help,
}

/// What a simulation or a replay prints.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Prints {
    /// `-p`: statements.
    pub statements: bool,
    /// `-g`: globals.
    pub globals: bool,
    /// `-l`: locals.
    pub locals: bool,
    /// `-r`: receives.
    pub receives: bool,
    /// `-s`: sends.
    pub sends: bool,
    /// `-c`: a chart.
    pub chart: bool,
    /// `-b`: no printf.
    pub no_printf: bool,
    /// `-T`: printf without indentation.
    pub flat_printf: bool,
    /// `-B`: no final state.
    pub no_final: bool,
    /// `-jN`: the first steps are not printed.
    pub skip: u64,
}

/// A whole line.
#[derive(Clone, Debug, Default)]
pub struct Line {
    /// What to do.
    pub mode: Mode,
    /// The model.
    pub file: Option<PathBuf>,
    /// `-k FILE`
    pub trail: Option<PathBuf>,
    /// The options in our words.
    pub plan: Plan,
    /// What to print.
    pub prints: Prints,
    /// `-a` after `-run`: only a mistake if the model has something to accept.
    pub acceptance: bool,
    /// `-noclaim`: claims of the model do not count.
    pub no_claim: bool,
    /// `pan -n`: no list of unreached statements.
    pub no_unreached: bool,
    /// Flags that are accepted and needless.
    pub notes: Vec<String>,
    /// Flags that cannot be honoured.
    pub problems: Vec<Problem>,
}

impl Line {
    /// Reads a line; what is wrong with it is kept in [`Line::problems`].
    pub fn parse(args: &[OsString]) -> Line {
        // SPIN merges statements and resets dead variables unless it is told otherwise.
        let reading = Reading { merge: true, dead_vars: true, ..Reading::default() };
        let plan = Plan { reading, steps: u64::MAX, ..Plan::default() };
        let mut line = Line { plan, ..Line::default() };
        let mut words = Words { args, next: 0 };
        while let Some(word) = words.take() {
            let Some(text) = word.to_str() else {
                line.file = Some(word.into());
                continue;
            };
            match text {
                _ if !text.starts_with('-') || text == "-" => line.set_file(text),
                "-run" | "-search" => line.mode = Mode::Search,
                "-replay" => line.mode = Mode::Replay,
                "-simulate" => line.mode = Mode::Simulate,
                "--help" | "-?" | "--" => line.mode = Mode::Help,
                _ if line.mode == Mode::Search => pan_flags::read(text, &mut words, &mut line),
                _ => spin_flags::read(text, &mut words, &mut line),
            }
        }
        line
    }

    fn set_file(&mut self, text: &str) {
        if let Some(old) = self.file.replace(text.into()) {
            let message = format!("there are two models, `{}` and `{text}`", old.display());
            self.problems.push(Problem::error("two-models", message).advise("give one file, as the last word"));
        }
    }

    /// Accepts a flag that changes nothing here.
    pub fn needless(&mut self, flag: &str, why: &str) {
        self.notes.push(format!("`{flag}` is needless: {why}"));
    }

    /// Refuses a flag whose feature does not exist.
    pub fn not_built(&mut self, flag: &str, what: &str) {
        self.problems.push(Problem::error("not-built", format!("`{flag}` ({what}) is not built yet")));
    }

    /// Refuses a flag that nobody knows.
    pub fn unknown(&mut self, flag: &str) {
        let problem = Problem::error("unknown-option", format!("`{flag}` is not a flag that is understood here"));
        self.problems.push(problem.advise("`starwheel help` explains this tool's own commands"));
    }

    /// Adds a macro of the model.
    pub fn define(&mut self, text: &str) {
        let (name, value) = match text.split_once('=') {
            Some((name, value)) => (name, Some(value.to_string())),
            None => (text, None),
        };
        self.plan.reading.defines.push((name.to_string(), value));
    }

    /// A number that sticks to its flag: `-m100`.
    pub fn number(&mut self, flag: &str, digits: &str) -> Option<u64> {
        let number = digits.parse().ok();
        if number.is_none() {
            let problem = Problem::error("bad-option-value", format!("`{flag}` needs a whole number"));
            self.problems.push(problem.advise("write the number right behind the letter"));
        }
        number
    }
}

/// The words of a line that have not been read yet.
pub struct Words<'a> {
    args: &'a [OsString],
    next: usize,
}

impl Words<'_> {
    /// The next word.
    pub fn take(&mut self) -> Option<OsString> {
        let word = self.args.get(self.next).cloned();
        self.next += 1;
        word
    }

    /// The value of a flag: what sticks to it, or else the next word.
    pub fn value(&mut self, stuck: &str) -> Option<String> {
        match stuck {
            "" => self.take().and_then(|w| w.into_string().ok()),
            text => Some(text.to_string()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use starwheel_workbench::Search;

    fn line(text: &str) -> Line {
        Line::parse(&text.split_whitespace().map(OsString::from).collect::<Vec<_>>())
    }

    #[test]
    fn a_search_with_usual_flags() {
        let l = line("-DN=3 -run -DSAFETY -DNOREDUCE -m10000 -w24 -A -E -c0 -n m.pml");
        assert_eq!(l.mode, Mode::Search);
        assert_eq!(l.file, Some("m.pml".into()));
        assert!(l.plan.no_assert && l.plan.no_deadlock && l.plan.all_errors && l.no_unreached);
        assert_eq!(l.plan.reading.defines, [("N".to_string(), Some("3".to_string()))]);
        assert!(l.problems.is_empty(), "{:?}", l.problems);
        assert_eq!(l.notes.len(), 2, "{:?}", l.notes);
    }

    #[test]
    fn optimisations_are_on_unless_switched_off() {
        assert!(line("-run m.pml").plan.reading.merge);
        let l = line("-o1 -o2 -o3 -run m.pml");
        assert!(!l.plan.reading.merge && !l.plan.reading.dead_vars);
    }

    #[test]
    fn features_that_do_not_exist_are_refused() {
        for text in [
            "-run -l m",
            "-run -f m",
            "-run -N p m",
            "-run -ltl p m",
            "-run -bitstate m",
            "-run -DNP m",
            "-f []p m",
            "-m m",
        ] {
            let l = line(text);
            assert_eq!(l.problems.len(), 1, "{text}: {:?}", l.problems);
            assert_eq!(l.problems[0].code, "not-built", "{text}");
        }
    }

    #[test]
    fn replays_and_simulations_know_what_to_print() {
        let l = line("-t -p -g -l -r -s m.pml");
        assert_eq!(l.mode, Mode::Replay);
        let p = l.prints;
        assert!(p.statements && p.globals && p.locals && p.receives && p.sends && !p.chart);
        let l = line("-pgl -n7 -u100 m.pml");
        assert_eq!((l.plan.seed, l.plan.steps, l.mode), (Some(7), 100, Mode::Simulate));
        assert!(l.prints.statements && l.prints.globals && l.prints.locals);
        assert_eq!(line("-k x.json -t m.pml").trail, Some("x.json".into()));
    }

    #[test]
    fn breadth_first_has_many_names() {
        for text in ["-run -bfs m", "-run -DBFS m", "-run -i m"] {
            assert_eq!(line(text).plan.search, Search::Bfs, "{text}");
        }
    }

    #[test]
    fn nonsense_is_refused() {
        for text in ["-run -% m", "-% m", "-run -mx m", "a b", "-nx m"] {
            assert!(!line(text).problems.is_empty(), "{text}");
        }
        assert!(line("").file.is_none());
    }
}
