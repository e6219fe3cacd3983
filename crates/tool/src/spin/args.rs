//! Takes a SPIN command line apart. What stands before `-run` is meant for SPIN itself, what follows it for pan.

use super::{pan_flags, spin_flags};
use starwheel_workbench::options::Commands;
use starwheel_workbench::plan::Pan;
use starwheel_workbench::{Code, Plan, Problem, Reading, Typed};
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
    /// `-v`: the steps of claims, too.
    pub claims: bool,
    /// `-jN`: the steps before this one are not printed.
    pub skip: u64,
}

/// What a search is about.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Quest {
    /// `-a`: acceptance cycles.
    pub acceptance: bool,
    /// `-l`, `-np`, `-DNP`: non-progress cycles.
    pub progress: bool,
    /// `-safety`, `-DSAFETY`: no cycles.
    pub safety: bool,
    /// `-bfs`, `-DBFS`, `-i`, `-I`: breadth first.
    pub breadth: bool,
    /// `-noclaim`: claims of the model do not count.
    pub no_claim: bool,
    /// `-N NAME`, `-ltl NAME`: the claim, by name or number.
    pub claim: Option<String>,
    /// `-f FORMULA` before `-run`: the runs that must not exist.
    pub formula: Option<String>,
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
    /// `-tN`
    pub trail_number: Option<u64>,
    /// How the model is read.
    pub reading: Reading,
    /// The options of a search in our words; the table of options judges them.
    pub typed: Typed,
    /// What a search is about.
    pub quest: Quest,
    /// `-cN`, `-e` and the like.
    pub pan: Pan,
    /// `-nN`
    pub seed: Option<u64>,
    /// `-uN`
    pub steps: Option<u64>,
    /// What to print.
    pub prints: Prints,
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
        let pan = Pan { alone: true, spin_trails: true, ..Pan::default() };
        let mut line = Line { reading, pan, ..Line::default() };
        let mut words = Words { args, next: 0 };
        while let Some(word) = words.take() {
            let Some(text) = word.to_str() else {
                line.file = Some(word.into());
                continue;
            };
            match text {
                _ if !text.starts_with('-') || text == "-" => line.set_file(text),
                "-run" | "-search" => line.mode = Mode::Search,
                "-replay" if line.mode != Mode::Search => line.mode = Mode::Replay,
                "-simulate" => line.mode = Mode::Simulate,
                "--help" | "-?" | "--" => line.mode = Mode::Help,
                _ if line.mode == Mode::Search => pan_flags::read(text, &mut words, &mut line),
                _ => spin_flags::read(text, &mut words, &mut line),
            }
        }
        line.contradictions();
        line
    }

    /// Adds an option of ours, if it is built; `flag` is what the user has typed.
    pub fn option(&mut self, flag: &str, name: &str, value: Option<&str>) {
        let value = value.map(String::from);
        let mut alone = Typed::default();
        alone.push(name, value.clone());
        match alone.plan(Commands::CHECK) {
            Ok(_) => self.typed.push(name, value),
            // What an option needs beside it is judged when all of them are known.
            Err(failure) if failure.problems.iter().all(|p| p.code == Code::Contradiction) => {
                self.typed.push(name, value)
            }
            Err(failure) => self.problems.extend(failure.problems.into_iter().map(|p| {
                let problem = Problem::error(p.code, format!("`{flag}`: {}", p.message));
                p.advice.into_iter().fold(problem, Problem::advise)
            })),
        }
    }

    /// The options for simulations.
    pub fn plan(&self) -> Plan {
        let (reading, seed, steps) = (self.reading.clone(), self.seed, self.steps.unwrap_or(u64::MAX));
        Plan { reading, seed, steps, ..Plan::of(Commands::SIMULATE) }
    }

    /// Flags that are good alone and not together.
    fn contradictions(&mut self) {
        let q = &self.quest;
        let cycles = [("-a", q.acceptance), ("-l", q.progress)].iter().find(|c| c.1).map(|c| c.0);
        let no_cycles = [("-safety", q.safety), ("-bfs", q.breadth)].iter().find(|c| c.1).map(|c| c.0);
        let every = self.pan.every_error && q.breadth;
        let pair = cycles.zip(no_cycles).or((q.acceptance && q.progress).then_some(("-a", "-l")));
        if let Some((a, b)) = pair.or(every.then_some(("-e or -cN", "-bfs"))) {
            let problem = Problem::error(Code::Contradiction, format!("`{a}` and `{b}` exclude each other"));
            self.problems.push(problem.advise("leave one of them out"));
        }
    }

    fn set_file(&mut self, text: &str) {
        if let Some(old) = self.file.replace(text.into()) {
            let message = format!("there are two models, `{}` and `{text}`", old.display());
            self.problems.push(Problem::error(Code::TwoModels, message).advise("give one file, as the last word"));
        }
    }

    /// Accepts a flag that changes nothing here.
    pub fn needless(&mut self, flag: &str, why: &str) {
        self.notes.push(format!("`{flag}` is needless: {why}"));
    }

    /// Refuses a flag whose feature does not exist, and says what to do instead.
    pub fn not_built(&mut self, flag: &str, what: &str, instead: &str) {
        let problem = Problem::error(Code::NotBuilt, format!("`{flag}` ({what}) is not built yet"));
        self.problems.push(problem.advise(instead));
    }

    /// Refuses a flag that nobody knows.
    pub fn unknown(&mut self, flag: &str) {
        let problem = Problem::error(Code::UnknownOption, format!("`{flag}` is not a flag that is understood here"));
        self.problems.push(problem.advise("`starwheel help` explains this tool's own commands"));
    }

    /// Adds a macro of the model.
    pub fn define(&mut self, text: &str) {
        let (name, value) = match text.split_once('=') {
            Some((name, value)) => (name, Some(value.to_string())),
            None => (text, None),
        };
        self.reading.defines.push((name.to_string(), value));
    }

    /// A number that sticks to its flag: `-m100`.
    pub fn number(&mut self, flag: &str, digits: &str) -> Option<u64> {
        let number = digits.parse().ok();
        if number.is_none() {
            let problem = Problem::error(Code::BadOptionValue, format!("`{flag}` needs a whole number"));
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

    fn line(text: &str) -> Line {
        Line::parse(&text.split_whitespace().map(OsString::from).collect::<Vec<_>>())
    }

    fn plan(text: &str) -> Plan {
        let l = line(text);
        assert!(l.problems.is_empty(), "{text}: {:?}", l.problems);
        l.typed.plan(Commands::CHECK).unwrap()
    }

    #[test]
    fn a_search_with_usual_flags() {
        let l = line("-DN=3 -run -DSAFETY -DNOREDUCE -m10000 -w24 -A -E -c0 -n m.pml");
        assert_eq!(l.mode, Mode::Search);
        assert_eq!(l.file, Some("m.pml".into()));
        assert!(l.no_unreached && l.quest.safety);
        assert_eq!(l.reading.defines, [("N".to_string(), Some("3".to_string()))]);
        assert!(l.problems.is_empty(), "{:?}", l.problems);
        assert_eq!(l.notes.len(), 2, "{:?}", l.notes);
        let plan = l.typed.plan(Commands::CHECK).unwrap();
        assert!(plan.no_assert && plan.no_deadlock && plan.all_errors);
    }

    #[test]
    fn limits_are_translated() {
        let p = plan("-run -Q2 -DMEMLIM=100 -q m");
        assert_eq!((p.time, p.memory), (Some(std::time::Duration::from_secs(120)), Some(100 << 20)));
        assert!(line("-run -q m").reading.empty_channels);
    }

    #[test]
    fn errors_are_counted_as_pan_counts_them() {
        let l = line("-run -c3 m");
        assert!(l.pan.errors == Some(3) && l.pan.every_error && plan("-run -c3 m").all_errors);
        let l = line("-run -e m");
        assert!(l.pan.errors.is_none() && l.pan.every_error && plan("-run -e m").all_errors);
        assert!(!plan("-run -c1 m").all_errors && !line("-run -c1 m").pan.every_error);
    }

    #[test]
    fn optimisations_are_on_unless_switched_off() {
        assert!(line("-run m.pml").reading.merge);
        let l = line("-o1 -o2 -o3 -run m.pml");
        assert!(!l.reading.merge && !l.reading.dead_vars);
    }

    #[test]
    fn claims_and_cycles_are_understood() {
        assert!(line("-run -a m").quest.acceptance);
        for text in ["-run -l m", "-run -np m", "-run -DNP m", "-run -DNP -l m"] {
            assert!(line(text).quest.progress && line(text).problems.is_empty(), "{text}");
        }
        for text in ["-run -N p m", "-run -Np m", "-run -ltl p m", "-search -ltl p -a m"] {
            assert_eq!(line(text).quest.claim.as_deref(), Some("p"), "{text}");
            assert_eq!(line(text).file, Some("m".into()), "{text}");
        }
        assert_eq!(line("-N c.pml -run m").reading.never, Some("c.pml".into()));
        assert_eq!(line("-f <>p -run m").quest.formula.as_deref(), Some("<>p"));
    }

    #[test]
    fn what_cannot_be_done_is_refused_with_advice() {
        for text in ["-m m", "-run -bcs m", "-pp m", "-A m", "-e m", "-J m", "-O m", "-run -J m", "-run -tx m", "-C m"]
        {
            let l = line(text);
            assert_eq!(l.problems.len(), 1, "{text}: {:?}", l.problems);
            assert_eq!(l.problems[0].code, Code::NotBuilt, "{text}");
            assert!(!l.problems[0].advice.is_empty(), "{text}");
        }
        for text in ["-run -a -DSAFETY m", "-run -l -bfs m", "-run -a -l m", "-run -e -bfs m"] {
            let l = line(text);
            assert_eq!(l.problems.len(), 1, "{text}: {:?}", l.problems);
            assert_eq!(l.problems[0].code, Code::Contradiction, "{text}");
        }
    }

    #[test]
    fn the_table_of_options_decides_what_is_built() {
        use starwheel_workbench::options::find;
        let flags = [
            ("-f", "fair", "weak"),
            ("-DBITSTATE", "store", "bitstate"),
            ("-collapse", "store", "tree"),
            ("-hc", "store", "compact"),
            ("-DMA=9", "store", "dfa"),
            ("-DNCORE=2", "workers", "2"),
        ];
        for (flag, name, value) in flags {
            let l = line(&format!("-run -a {flag} m"));
            let built = find(Commands::CHECK, name).is_some_and(|row| row.allows(value));
            assert_eq!(l.problems.is_empty(), built, "{flag}: {:?}", l.problems);
            assert!(l.problems.iter().all(|p| p.message.starts_with(&format!("`{flag}`"))), "{:?}", l.problems);
        }
    }

    #[test]
    fn replays_and_simulations_know_what_to_print() {
        let l = line("-t -p -g -l -r -s m.pml");
        assert_eq!(l.mode, Mode::Replay);
        let p = l.prints;
        assert!(p.statements && p.globals && p.locals && p.receives && p.sends && !p.chart);
        let l = line("-pglv -n7 -u100 m.pml");
        assert_eq!((l.seed, l.steps, l.mode), (Some(7), Some(100), Mode::Simulate));
        assert!(l.prints.statements && l.prints.globals && l.prints.locals && l.prints.claims);
        assert_eq!(line("-k x.json -t m.pml").trail, Some("x.json".into()));
        assert_eq!(line("-k x.trail m.pml").mode, Mode::Replay);
        assert_eq!(line("-t3 m.pml").trail_number, Some(3));
    }

    #[test]
    fn breadth_first_has_many_names() {
        for text in ["-run -bfs m", "-run -DBFS m", "-run -i m"] {
            assert!(line(text).quest.breadth && plan(text).search == starwheel_workbench::Search::Bfs, "{text}");
        }
    }

    #[test]
    fn nonsense_is_refused() {
        for text in ["-run -% m", "-% m", "-run -mx m", "a b", "-nx m", "-tx m", "-run -N"] {
            assert!(!line(text).problems.is_empty(), "{text}");
        }
        assert!(line("").file.is_none());
    }
}
