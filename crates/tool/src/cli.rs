//! The command line: commands and options are built from the workbench's table, so that there is one list only.

use crate::{generate, install};
use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use starwheel_workbench::options::{self, Built, Commands, Kind, Row};
use starwheel_workbench::{Code, Problem, Typed};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Commands of the design that do not exist yet.
const MISSING: [(&str, &str); 2] = [("explore", "Explore a model in a web browser"), ("lsp", "Serve editors")];

/// What the user wants.
pub enum Wish {
    /// One of the commands that share the table of options.
    Do {
        /// Which one.
        command: Commands,
        /// The files, in order.
        files: Vec<PathBuf>,
        /// The options.
        typed: Typed,
    },
    /// `when MODEL EXPR`
    When {
        /// The condition.
        condition: String,
        /// The files, in order.
        files: Vec<PathBuf>,
        /// The options.
        typed: Typed,
    },
    /// `ltl FORMULA`
    Ltl {
        /// The formula, or the name of one.
        formula: String,
        /// The options.
        typed: Typed,
    },
    /// `generate …`
    Generate(ArgMatches),
    /// `header NAME`
    Header(String),
    /// `completions SHELL`
    Completions(String),
    /// `man DIR`
    Manual(PathBuf),
    /// `spin …`: the rest of the line.
    Spin(Vec<OsString>),
    /// `worker --listen ADDRESS`
    Work {
        /// The address.
        listen: String,
        /// The file with the token.
        token_file: Option<PathBuf>,
    },
    /// `serve …`, what a worker starts for each run: the rest of the line.
    Serve(Vec<OsString>),
    /// `member …`, what `check --processes` starts: the rest of the line.
    Member(Vec<OsString>),
    /// Something that does not exist yet.
    Refused(Problem),
}

/// Reads the command line; the error is clap's own (it may be a request for help).
pub fn parse(args: Vec<OsString>) -> Result<Wish, clap::Error> {
    let matches = command().try_get_matches_from(join_words(args))?;
    let Some((name, sub)) = matches.subcommand() else {
        return Err(command().error(clap::error::ErrorKind::MissingSubcommand, "a command is missing"));
    };
    Ok(match name {
        "check" => wish(Commands::CHECK, sub),
        "replay" => wish(Commands::REPLAY, sub),
        "simulate" => wish(Commands::SIMULATE, sub),
        "graph" => wish(Commands::GRAPH, sub),
        "translate" => wish(Commands::TRANSLATE, sub),
        "test" => wish(Commands::TEST, sub),
        "when" => {
            let condition = sub.get_one::<String>("condition").cloned().unwrap_or_default();
            Wish::When { condition, files: files(sub), typed: typed(Commands::WHEN, sub) }
        }
        "ltl" => {
            let formula = sub.get_one::<String>("formula").cloned().unwrap_or_default();
            Wish::Ltl { formula, typed: typed(Commands::LTL, sub) }
        }
        "generate" => Wish::Generate(sub.clone()),
        "header" => Wish::Header(sub.get_one::<String>("name").cloned().unwrap_or_default()),
        "worker" => Wish::Work {
            listen: sub.get_one::<String>("listen").cloned().unwrap_or_default(),
            token_file: sub.get_one::<PathBuf>("token-file").cloned(),
        },
        "serve" => Wish::Serve(sub.get_many("args").into_iter().flatten().cloned().collect()),
        "member" => Wish::Member(sub.get_many("args").into_iter().flatten().cloned().collect()),
        "completions" => Wish::Completions(sub.get_one::<String>("shell").cloned().unwrap_or_default()),
        "man" => Wish::Manual(sub.get_one::<PathBuf>("folder").cloned().unwrap_or_default()),
        "spin" => Wish::Spin(sub.get_many("args").into_iter().flatten().cloned().collect()),
        other => {
            let problem = Problem::error(Code::NotBuilt, format!("the command `{other}` is not built yet"));
            Wish::Refused(problem.advise("`starwheel help` lists the commands that exist"))
        }
    })
}

fn wish(command: Commands, matches: &ArgMatches) -> Wish {
    Wish::Do { command, files: files(matches), typed: typed(command, matches) }
}

/// The model and further files.
fn files(matches: &ArgMatches) -> Vec<PathBuf> {
    let file = |name| matches.try_get_one::<PathBuf>(name).ok().flatten().cloned();
    let more = matches.try_get_many::<PathBuf>("more").ok().flatten().into_iter().flatten().cloned();
    ["model"].into_iter().filter_map(file).chain(more).collect()
}

/// What `--color` says, wherever it stands; it counts for messages about the rest of the line as well.
pub fn color(args: &[OsString]) -> Option<&str> {
    let spin = args.get(1).is_some_and(|a| a == "spin");
    let mut args = args.iter().skip(1).filter_map(|a| a.to_str()).take_while(|a| *a != "--");
    while let Some(arg) = args.next().filter(|_| !spin) {
        match arg.strip_prefix("--color") {
            Some("") => return args.next(),
            Some(rest) if rest.starts_with('=') => return rest.strip_prefix('='),
            _ => {}
        }
    }
    None
}

/// The options that were given.
fn typed(command: Commands, matches: &ArgMatches) -> Typed {
    let mut typed = Typed::default();
    for row in options::rows(command) {
        if row.kind == Kind::Flag {
            if matches.get_flag(row.name) {
                typed.push(row.name, None);
            }
            continue;
        }
        for value in matches.get_many::<String>(row.name).into_iter().flatten() {
            typed.push(row.name, Some(value.clone()));
        }
    }
    typed
}

/// `--fair weak` becomes `--fair=weak`, but in `--fair model.pml` the option stands alone.
fn join_words(args: Vec<OsString>) -> Vec<OsString> {
    let mut out: Vec<OsString> = Vec::new();
    for arg in args {
        let joined = out.last().and_then(|last| {
            let name = last.to_str()?.strip_prefix("--")?;
            match options::find(Commands::CHECK, name)?.kind {
                Kind::OptionalWord(words) => {
                    let word = words.iter().find(|w| arg == ***w)?;
                    Some(OsString::from(format!("--{name}={word}")))
                }
                // A model is a file, so a folder can only belong to the option.
                Kind::OptionalText(_) if arg == "on" || Path::new(&arg).is_dir() => {
                    let mut joined = OsString::from(format!("--{name}="));
                    joined.push(&arg);
                    Some(joined)
                }
                _ => None,
            }
        });
        match (joined, out.last_mut()) {
            (Some(joined), Some(last)) => *last = joined,
            _ => out.push(arg),
        }
    }
    out
}

/// The whole command line, for clap.
pub fn command() -> Command {
    let missing = MISSING.map(|(name, about)| {
        let rest = Arg::new("args").num_args(0..).trailing_var_arg(true).allow_hyphen_values(true);
        Command::new(name).about(about).hide(true).arg(rest.value_parser(value_parser!(OsString)))
    });
    Command::new("starwheel")
        .version(env!("CARGO_PKG_VERSION"))
        .about("A model checker for Promela: it explores every interleaving of a concurrent system")
        .after_help(TOP_HELP)
        .arg(
            Arg::new("color")
                .long("color")
                .value_name("WHEN")
                .global(true)
                .value_parser(["auto", "always", "never"])
                .help("Colours: `auto` where they are seen (NO_COLOR and CLICOLOR_FORCE count), `always` or `never`"),
        )
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommand(check())
        .subcommand(test())
        .subcommand(when())
        .subcommand(replay())
        .subcommand(simulate())
        .subcommand(graph())
        .subcommand(ltl())
        .subcommand(generate::command())
        .subcommand(translate())
        .subcommand(header())
        .subcommand(spin())
        .subcommand(worker())
        .subcommand(inner("serve", "One run of a `starwheel worker`, which starts it"))
        .subcommand(inner("member", "One of the processes of `check --processes`, which starts it"))
        .subcommand(completions())
        .subcommand(manual())
        .subcommands(missing)
}

fn check() -> Command {
    let about = "Verify a model: assertions, invalid end states, run-time errors, claims and cycles";
    let missing = options::rows(Commands::CHECK).filter(|r| r.missing(Commands::CHECK)).map(Row::flag);
    let missing = missing.collect::<Vec<_>>().join(", ");
    let help = format!("{CHECK_HELP}\n\nNot built yet, and an error: {missing}.");
    let more = Arg::new("more").value_name("MORE").num_args(0..).value_parser(value_parser!(PathBuf));
    let more = more.help("Further models, components of a network of automata (.hoa), or texts of an SDL system");
    with_rows(Command::new("check").about(about), Commands::CHECK).arg(more).after_help(help)
}

fn replay() -> Command {
    let trail = Arg::new("more").value_name("TRAIL").num_args(0..).value_parser(value_parser!(PathBuf));
    let trail = trail.help(
        "The trail that `check` wrote (default: MODEL.trail.json); further texts of an SDL system only if they have moved",
    );
    with_rows(Command::new("replay").about("Show a counterexample step by step"), Commands::REPLAY)
        .arg(trail)
        .after_help(REPLAY_HELP)
}

fn test() -> Command {
    let about = "Check many models against what their heads say they should do";
    let paths = Arg::new("more").value_name("FILE|DIR").required(true).num_args(1..);
    let paths = paths.value_parser(value_parser!(PathBuf)).help("Models, or folders with models");
    let command = Command::new("test").about(about).arg(paths);
    options::rows(Commands::TEST).fold(command, |c, row| c.arg(argument(row, false))).after_help(TEST_HELP)
}

fn when() -> Command {
    let condition = Arg::new("condition").value_name("EXPR").required(true);
    let condition = condition.help("What holds in the state that is meant, as in a formula: 'x == 3', 'P@done'");
    let about = "In a timed model: the earliest and the latest time at which something first holds";
    with_rows(Command::new("when").about(about), Commands::WHEN).arg(condition).arg(texts()).after_help(WHEN_HELP)
}

fn simulate() -> Command {
    let about = "Run a model once, at random or step by step";
    with_rows(Command::new("simulate").about(about), Commands::SIMULATE).arg(texts()).after_help(SIMULATE_HELP)
}

fn graph() -> Command {
    let about = "Show the automata of a model's processes, or all its states";
    with_rows(Command::new("graph").about(about), Commands::GRAPH).arg(texts()).after_help(GRAPH_HELP)
}

/// Further files, for commands that know a single system.
fn texts() -> Arg {
    let more = Arg::new("more").value_name("MORE").num_args(0..).value_parser(value_parser!(PathBuf));
    more.help("Further texts of the same system: SDL, ASN.1, stop conditions")
}

fn translate() -> Command {
    let about = "Translate SDL or IF to Promela, which Starwheel and SPIN load";
    with_rows(Command::new("translate").about(about), Commands::TRANSLATE).arg(texts()).after_help(TRANSLATE_HELP)
}

fn ltl() -> Command {
    let formula = Arg::new("formula").value_name("FORMULA").required(true);
    let formula = formula.help("The formula, such as '[] (request -> <> grant)', or a name if there is a --model");
    let command = Command::new("ltl").about("Show the Büchi automaton of an LTL formula").arg(formula);
    options::rows(Commands::LTL).fold(command, |c, row| c.arg(argument(row, false))).after_help(LTL_HELP)
}

fn header() -> Command {
    let name = Arg::new("name").value_name("NAME").required(true).help("Its name: `dtime.h`, for models with timers");
    Command::new("header").about("Print a header that models may include without having it").arg(name)
}

fn completions() -> Command {
    let shell = Arg::new("shell").value_name("SHELL").required(true).value_parser(install::SHELLS);
    let about = "Print completions for a shell: starwheel completions bash > /etc/bash_completion.d/starwheel";
    Command::new("completions").about(about).arg(shell.help("The shell"))
}

fn manual() -> Command {
    let folder = Arg::new("folder").value_name("DIR").required(true).value_parser(value_parser!(PathBuf));
    Command::new("man").about("Write the manual pages into a folder").arg(folder.help("The folder"))
}

fn spin() -> Command {
    let rest = Arg::new("args").num_args(0..).trailing_var_arg(true).allow_hyphen_values(true);
    Command::new("spin")
        .about("Understand SPIN's own flags: starwheel spin -run model.pml")
        .disable_help_flag(true)
        .arg(rest.value_parser(value_parser!(OsString)))
}

fn worker() -> Command {
    let listen = Arg::new("listen").long("listen").value_name("ADDRESS").required(true);
    let token = Arg::new("token-file").long("token-file").value_name("FILE").value_parser(value_parser!(PathBuf));
    Command::new("worker")
        .about("Wait for searches of other machines and take part in them, one after the other")
        .arg(listen.help("Where to listen, such as `127.0.0.1:4711`; other machines are answered with a token only"))
        .arg(token.help("The file with the token, 16 characters at least; without it what is in STARWHEEL_TOKEN"))
        .after_help(WORKER_HELP)
}

/// A command that people do not type.
fn inner(name: &'static str, about: &'static str) -> Command {
    let rest = Arg::new("args").num_args(0..).trailing_var_arg(true).allow_hyphen_values(true);
    let rest = rest.value_parser(value_parser!(OsString));
    Command::new(name).about(about).hide(true).disable_help_flag(true).arg(rest)
}

fn with_rows(command: Command, which: Commands) -> Command {
    let model = Arg::new("model").value_name("MODEL").required(true).value_parser(value_parser!(PathBuf));
    let command = command.arg(model.help("The model, a file with Promela text"));
    options::rows(which).fold(command, |c, row| c.arg(argument(row, row.missing(which))))
}

/// The part of the help in which an option stands.
fn heading(name: &str) -> &'static str {
    match name {
        "define" | "undefine" | "include" | "lang" | "timers" | "model" => "The model",
        "queue" | "overflow" | "queues" | "env" | "rest" | "delay" | "pids" | "strings" => "SDL and IF",
        "no-assert" | "no-deadlock" | "empty-channels" | "ltl" | "no-ltl" | "ltl-compat" | "never" | "claim"
        | "automaton" | "accept" | "progress" | "zeno" | "divergent" | "fair" | "acceptance" => "Properties",
        "search" | "depth" | "all-errors" | "engine" | "workers" | "time" | "seed" | "steps" | "interactive"
        | "first" | "prefer" | "different" | "watch" => "Search",
        "por" | "symmetry" | "decouple" | "dominance" | "merge" | "dead-vars" | "plain" | "audit"
        | "explain-reduction" => "Reductions",
        "store" | "memory" | "spill" | "checkpoint" | "every" | "resume" => "Memory and disk",
        _ => "Output",
    }
}

fn argument(row: &'static Row, hidden: bool) -> Arg {
    let mut help = row.words();
    if let Kind::Word(words) | Kind::OptionalWord(words) = row.kind {
        help += &format!(": {}", options::alternatives(words));
    }
    if let Built::Only(values) = row.built {
        help += &format!(" (built: {})", options::alternatives(values));
    }
    if let Some(preset) = row.told().filter(|_| row.kind != Kind::Flag) {
        help += &format!(" [default: {preset}]");
    }
    let arg = Arg::new(row.name).help(help).hide(hidden).help_heading(heading(row.name));
    let arg = match row.letter {
        Some(letter) => arg.short(letter),
        None => arg.long(row.name),
    };
    match row.kind {
        Kind::Flag => arg.action(ArgAction::SetTrue),
        Kind::Word(_) => arg.value_name("WORD"),
        Kind::OptionalWord(words) => {
            arg.value_name("WORD").num_args(0..=1).require_equals(true).default_missing_value(words[0])
        }
        Kind::OptionalText(what) => {
            arg.value_name(what).num_args(0..=1).require_equals(true).default_missing_value("on")
        }
        Kind::Count(_) => arg.value_name("N").allow_hyphen_values(true),
        Kind::Bytes => arg.value_name("AMOUNT").allow_hyphen_values(true),
        Kind::Time => arg.value_name("TIME").allow_hyphen_values(true),
        Kind::Text(what) => arg.value_name(what),
        Kind::Many(what) => arg.value_name(what).action(ArgAction::Append),
    }
}

const TOP_HELP: &str = "\
A first session:
  starwheel check model.pml                    can an assertion fail, the system get stuck, a formula be false?
  starwheel replay model.pml                   if so: how it came to that, step by step
  starwheel simulate model.pml --seed 1        one random run
  starwheel simulate model.pml --interactive   choose each step yourself
  starwheel test models                        many models, against what their heads say
  starwheel when model.pml 'x == 3'            in a timed model: the earliest and the latest time of an event
  starwheel help check                         all options of a command

Exit status: 0 holds, 1 violated, 2 the input or the command is wrong, 3 not conclusive.";

const CHECK_HELP: &str = "\
Examples:
  starwheel check model.pml                       find the first error, or prove that there is none
  starwheel check model.pml --search bfs          find a shortest counterexample
  starwheel check model.pml -D N=4 --time 5m      with a macro and a time limit
  starwheel check model.pml --all-errors --json   count all errors, for a script
  starwheel check model.pml --ltl '[] (x < 5)'    is this formula true of every run?
  starwheel check model.pml --no-ltl              without the model's own formulas and never claims
  starwheel check model.pml --prefer switches     a counterexample in which processes rarely take turns
  starwheel check model.pml --accept              the model's never claim, or its accept labels
  starwheel check model.pml --plain               visit every state, take every step, leave out nothing
  starwheel check network.hoa --engine split      has this network of Büchi automata an accepting run?

Exit status: 0 holds, 1 violated, 2 the input or the command is wrong, 3 not conclusive
(a limit was hit or the search was interrupted).";

const WORKER_HELP: &str = "\
Example, with a secret in the file `token` of each machine:
  node1$ starwheel worker --listen node1:4711 --token-file token
  node2$ starwheel worker --listen node2:4711 --token-file token
  here$  printf 'node1:4711\\nnode2:4711 memory=8G\\n' > hosts
  here$  starwheel check model.pml --hosts hosts --token-file token

The model is sent; a worker reads and writes no files of its machine. It works for one search at a time.";

const REPLAY_HELP: &str = "\
Examples:
  starwheel replay model.pml                     replay model.pml.trail.json
  starwheel replay model.pml other.trail.json    replay another trail
  starwheel replay model.pml --chart             who sends what to whom
  starwheel replay model.pml --svg chart.svg     the same as a picture

Macros, included folders, --merge and --dead-vars are taken from the trail.";

const WHEN_HELP: &str = "\
Examples:
  starwheel when model.pml 'delivered == 1'              the earliest and the latest time, and runs without it
  starwheel when model.pml 'Train[2]@crossing' -DN=3     when a process is at a label
  starwheel when model.pml 'x > 4' --timers jump         fewer states if durations are long, the same times
  starwheel replay model.pml model.pml.trail.latest.json a run on which it comes at the latest

Exit status: 0 answered, 2 the input or the command is wrong, 3 not conclusive (a limit was hit).";

const TEST_HELP: &str = "\
The head of a model is a first line of comment and lines such as these behind it:
  // expect: holds                     or violated, or refused: assertions, deadlocks and run-time errors
  // finding: assertion                with `violated`: every kind of error that there is
  // ltl live: violated                the verdict on a formula; also `never`, `accept` and `progress`
  // ltl live fair: holds              the same for weakly fair runs
  // states: 27                        the size of the whole space; also `transitions` and `errors`

Examples:
  starwheel test models                             all models below a folder
  starwheel test a.pml b.pml --report junit=r.xml   with a report for a CI server
  starwheel test models --watch                     again whenever a model changes

Exit status: 0 all is as expected, 1 something is not, 2 the command is wrong.";

const TRANSLATE_HELP: &str = "\
Examples:
  starwheel translate system.pr                  the Promela text, on the screen
  starwheel translate folder -o system.pml       all texts of a folder; dtime.h comes along if there are timers
  starwheel check system.pr types.asn            checks SDL directly; findings and trails speak of its lines";

const SIMULATE_HELP: &str = "\
Examples:
  starwheel simulate model.pml                   a random run; its seed is printed at the end
  starwheel simulate model.pml --seed 7          the same run each time
  starwheel simulate model.pml --steps 100       at most 100 steps
  starwheel simulate model.pml --interactive     choose among the possible steps by number; `?` for help";

const GRAPH_HELP: &str = "\
Examples:
  starwheel graph model.pml                            locations and transitions of every process, as text
  starwheel graph model.pml --proctype P --dot > p.gv  one automaton, for Graphviz
  starwheel graph model.pml --ltl safe                 what watches for runs that break an `ltl` block
  starwheel graph model.pml --symmetry                 which processes are interchangeable, and what is in the way
  starwheel graph model.pml --states aut -o m.aut      all states and transitions, for CADP, mCRL2 and LTSmin
  starwheel graph model.pml --states dot --limit 50    a picture of a small one";

const LTL_HELP: &str = "\
Examples:
  starwheel ltl '[] (request -> <> grant)'            the automaton, its size, its stuttering
  starwheel ltl '[] (x != 1)' --negate --never        the never claim of `check --ltl '[] (x != 1)'`
  starwheel ltl '[] <> p' --negate --hoa > p.hoa      for other tools, and for `check --automaton`
  starwheel ltl live --model m.pml --dot > live.gv    an `ltl` block of a model, for Graphviz

Every name is a proposition, and so is every condition such as `x != 1` or `{x != 1}`.";

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<OsString> {
        line.split_whitespace().map(OsString::from).collect()
    }

    #[test]
    fn the_command_line_is_consistent() {
        command().debug_assert();
    }

    #[test]
    fn a_word_after_fair_is_taken_only_if_it_is_one_of_the_list() {
        assert_eq!(join_words(words("x check --fair strong m")), words("x check --fair=strong m"));
        assert_eq!(join_words(words("x check --fair m")), words("x check --fair m"));
        assert_eq!(join_words(words("x check --decouple auto m")), words("x check --decouple=auto m"));
        assert_eq!(join_words(words("x check --fair auto")), words("x check --fair auto"));
    }

    #[test]
    fn defines_may_stick_to_their_letter() {
        for line in ["starwheel check -D N=3 m.pml", "starwheel check -DN=3 m.pml", "starwheel check m.pml -DN=3"] {
            let Ok(Wish::Do { files, typed, .. }) = parse(words(line)) else { panic!("{line}") };
            assert_eq!(files, [PathBuf::from("m.pml")]);
            let plan = typed.plan(Commands::CHECK).unwrap();
            assert_eq!(plan.reading.defines, [("N".to_string(), Some("3".to_string()))]);
        }
    }

    #[test]
    fn the_rest_of_a_spin_line_is_left_alone() {
        let Ok(Wish::Spin(args)) = parse(words("starwheel spin -run -DSAFETY --help -m100 m.pml")) else { panic!() };
        assert_eq!(args, words("-run -DSAFETY --help -m100 m.pml"));
    }

    #[test]
    fn commands_that_do_not_exist_yet_are_refused() {
        assert!(matches!(parse(words("starwheel explore m.pml --port 3")), Ok(Wish::Refused(_))));
        assert!(parse(words("starwheel fly")).is_err());
    }
}
