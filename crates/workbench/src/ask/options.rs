//! The one table of options: names, values, defaults, help, and what is built already.

use crate::memory::rss;
use std::fmt::Write;
use std::sync::LazyLock;
use std::thread::available_parallelism;

/// What may stand behind an option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Nothing.
    Flag,
    /// One of these words.
    Word(&'static [&'static str]),
    /// One of these words, or nothing, which means the first.
    OptionalWord(&'static [&'static str]),
    /// A whole number, at least this.
    Count(u64),
    /// A number of bytes: `8G`.
    Bytes,
    /// A length of time: `60s`.
    Time,
    /// Free text, described by this word in the help.
    Text(&'static str),
    /// Free text behind `=`, or nothing, which means `on`.
    OptionalText(&'static str),
    /// Free text; the option may be given many times.
    Many(&'static str),
}

/// What holds if an option is not given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Preset {
    /// Nothing that has a name.
    Nothing,
    /// This word; flags and switches are `on` or `off`.
    Is(&'static str),
    /// This number.
    Number(u64),
    /// So many seconds.
    Seconds(u64),
    /// As many as the machine has cores.
    Cores,
    /// Most of the memory that is free: [`rss::default_limit`].
    FreeMemory,
}

impl Preset {
    /// The preset of an option of this kind; a text that is none is an error of the compiler's.
    const fn read(kind: Kind, text: &'static str) -> Preset {
        match kind {
            _ if text.is_empty() => Preset::Nothing,
            Kind::Flag | Kind::Word(_) | Kind::OptionalWord(_) => Preset::Is(text),
            Kind::Count(_) => Preset::Number(digits(text.as_bytes(), text.len())),
            Kind::Time if text.as_bytes()[text.len() - 1] == b's' => {
                Preset::Seconds(digits(text.as_bytes(), text.len() - 1))
            }
            _ => panic!("no value of this kind"),
        }
    }

    /// As one would type it.
    pub fn text(self) -> Option<String> {
        match self {
            Preset::Nothing => None,
            Preset::Is(word) => Some(word.to_string()),
            Preset::Number(n) => Some(n.to_string()),
            Preset::Seconds(n) => Some(format!("{n}s")),
            Preset::Cores => Some("all cores".to_string()),
            Preset::FreeMemory => Some("nine tenths of what is free".to_string()),
        }
    }

    /// As a number, on this machine and at this moment.
    pub fn amount(self) -> Option<u64> {
        match self {
            Preset::Nothing | Preset::Is(_) => None,
            Preset::Number(n) | Preset::Seconds(n) => Some(n),
            Preset::Cores => *CORES,
            Preset::FreeMemory => rss::default_limit(),
        }
    }
}

/// How many threads can run at once: told by many files of the machine, so it is asked for once.
static CORES: LazyLock<Option<u64>> = LazyLock::new(|| available_parallelism().ok().map(|n| n.get() as u64));

/// The number that the first so many characters spell.
const fn digits(text: &[u8], end: usize) -> u64 {
    let (mut value, mut i) = (0, 0);
    while i < end {
        assert!(text[i].is_ascii_digit(), "a number");
        value = value * 10 + (text[i] - b'0') as u64;
        i += 1;
    }
    value
}

/// How much of an option exists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Built {
    /// All of it.
    All,
    /// Only these values.
    Only(&'static [&'static str]),
    /// Nothing: typing it is an error.
    No,
}

/// A set of commands, as bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Commands(pub u16);

impl Commands {
    /// `check`
    pub const CHECK: Commands = Commands(1);
    /// `replay`
    pub const REPLAY: Commands = Commands(2);
    /// `simulate`
    pub const SIMULATE: Commands = Commands(4);
    /// `graph`
    pub const GRAPH: Commands = Commands(8);
    /// `ltl`
    pub const LTL: Commands = Commands(16);
    /// `translate`
    pub const TRANSLATE: Commands = Commands(32);
    /// `check` of a network of automata
    pub const NETWORK: Commands = Commands(64);

    /// `test`
    pub const TEST: Commands = Commands(128);
    /// `when`
    pub const WHEN: Commands = Commands(256);

    /// What one types for it.
    pub fn name(self) -> &'static str {
        match self {
            Commands::REPLAY => "replay",
            Commands::SIMULATE => "simulate",
            Commands::GRAPH => "graph",
            Commands::LTL => "ltl",
            Commands::TRANSLATE => "translate",
            Commands::TEST => "test",
            Commands::WHEN => "when",
            _ => "check",
        }
    }

    /// Both.
    pub const fn and(self, other: Commands) -> Commands {
        Commands(self.0 | other.0)
    }

    /// True if the two have a command in common.
    pub fn meets(self, other: Commands) -> bool {
        self.0 & other.0 != 0
    }
}

/// One option.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// The long name, without dashes; for options that only have a letter, a name for the report.
    pub name: &'static str,
    /// The letter of a short option; such an option has no long form.
    pub letter: Option<char>,
    /// The commands that know it.
    pub commands: Commands,
    /// What stands behind it.
    pub kind: Kind,
    /// What holds if it is not given.
    pub preset: Preset,
    /// True if that goes without saying in reports; the help says it in its own words.
    pub implied: bool,
    /// One line of help, with `{}` for what holds if it is not given.
    help: &'static str,
    /// The flag of SPIN or pan that is closest.
    pub spin: &'static str,
    /// How much of it exists.
    pub built: Built,
    /// The commands that know it but cannot obey it yet.
    pub lacking: Commands,
}

const CHECK: Commands = Commands::CHECK;
const NETWORK: Commands = Commands::NETWORK;
const MODEL: Commands = CHECK.and(Commands::SIMULATE).and(Commands::GRAPH);
const WHEN: Commands = Commands::WHEN;
const SOURCES: Commands = MODEL.and(Commands::TRANSLATE).and(WHEN);
const DRAWN: Commands = Commands::SIMULATE.and(Commands::GRAPH);
const OPENING: Commands = MODEL.and(WHEN).and(Commands::REPLAY).and(Commands::LTL).and(Commands::TEST);
const ALL: Built = Built::All;
const TEST: Commands = Commands::TEST;
const SWITCH: &[&str] = &["on", "off"];

/// An option; what holds without it is written as one would type it, and read by the compiler.
const fn row(name: &'static str, commands: Commands, kind: Kind, preset: &'static str) -> Row {
    let (letter, implied, lacking) = (None, false, Commands(0));
    let preset = Preset::read(kind, preset);
    Row { name, letter, commands, kind, preset, implied, help: "", spin: "", built: ALL, lacking }
}

impl Row {
    const fn help(self, help: &'static str) -> Row {
        Row { help, ..self }
    }

    /// What the machine decides: it is said in the help, and not in reports.
    const fn by_machine(self, preset: Preset) -> Row {
        Row { preset, implied: true, ..self }
    }

    const fn implied(self) -> Row {
        Row { implied: true, ..self }
    }

    const fn spin(self, spin: &'static str) -> Row {
        Row { spin, ..self }
    }

    const fn lacking(self, lacking: Commands) -> Row {
        Row { lacking, ..self }
    }

    /// Nothing of it exists.
    const fn planned(self) -> Row {
        Row { built: Built::No, ..self }
    }

    const fn letter(self, letter: char) -> Row {
        Row { letter: Some(letter), ..self }
    }

    /// The option as it is typed: `--name` or `-D`.
    pub fn flag(&self) -> String {
        match self.letter {
            Some(letter) => format!("-{letter}"),
            None => format!("--{}", self.name),
        }
    }

    /// What holds if it is not given, as help and reports say it; nothing if that goes without saying.
    pub fn told(&self) -> Option<String> {
        self.preset.text().filter(|_| !self.implied)
    }

    /// One line of help.
    pub fn words(&self) -> String {
        self.help.replace("{}", &self.preset.text().unwrap_or_default())
    }

    /// True if nothing of it exists for this command.
    pub fn missing(&self, command: Commands) -> bool {
        self.built == Built::No || self.lacking.meets(command)
    }

    /// True if the value may be used.
    pub fn allows(&self, value: &str) -> bool {
        match self.built {
            Built::All => true,
            Built::Only(values) => values.contains(&value),
            Built::No => false,
        }
    }
}

use Kind::{Bytes, Count, Flag, Many, OptionalText, OptionalWord, Text, Time, Word};

/// Every option there is, in the order of the help.
pub const OPTIONS: &[Row] = &[
    row("define", OPENING, Many("NAME=VALUE"), "")
        .letter('D')
        .spin("-D")
        .help("Define a macro; `-D N=3` and `-DN=3` are the same"),
    row("undefine", OPENING, Many("NAME"), "").letter('U').spin("-U").help("Forget a macro that -D defines"),
    row("include", OPENING, Many("DIR"), "")
        .letter('I')
        .spin("-E-I")
        .help("Look for included files in this folder, too"),
    row("no-assert", CHECK, Flag, "off").spin("-A").help("Ignore assertions that fail"),
    row("no-deadlock", CHECK, Flag, "off").spin("-E").help("Ignore states where the system is stuck"),
    row("empty-channels", CHECK.and(WHEN), Flag, "off").spin("-q").help("The system may end only when all channels are empty"),
    row("all-errors", CHECK, Flag, "off").spin("-c0").help("Go on after an error and count all of them"),
    row("first", CHECK, Flag, "off").spin("-c1").help("End all searches when one property is violated; without it each property gets its verdict"),
    row("different", CHECK, Count(1), "")
        .help("Go on after an error until there are so many counterexamples to safety that differ in more than the order of steps"),
    row("prefer", CHECK, Word(&["switches"]), "")
        .help("Of all counterexamples to safety, the one in which processes take over from one another as rarely as possible; it is searched for until --time, --memory or Ctrl-C end it"),
    row("search", CHECK, Word(&["dfs", "bfs"]), "dfs")
        .spin("-bfs")
        .help("Depth first, or breadth first (gives a shortest trail)"),
    row("depth", CHECK, Count(1), "").spin("-m").help("Look no deeper than this many steps, and leave out nothing within them unless --search dfs is given"),
    row("merge", CHECK, OptionalWord(SWITCH), "on")
        .spin("-o3")
        .help("Merge local statements into one step, as SPIN does; without this option where it is sound, but not with --search bfs or --depth"),
    row("merge", DRAWN, OptionalWord(SWITCH), "off").spin("-o3").help("Merge local statements into one step, as SPIN does"),
    row("dead-vars", CHECK.and(WHEN), OptionalWord(SWITCH), "on")
        .spin("-o1 -o2")
        .help("Reset dead locals and hide globals that are never read, as SPIN does"),
    row("dead-vars", DRAWN, OptionalWord(SWITCH), "off")
        .spin("-o1 -o2")
        .help("Reset dead locals and hide globals that are never read, as SPIN does"),
    row("plain", CHECK, Flag, "off")
        .spin("-o1 -o2 -o3 -DNOREDUCE")
        .help("Visit every state and every step: --por off --dead-vars off --merge off --symmetry off, each unless it is typed"),
    row("memory", CHECK.and(NETWORK).and(TEST).and(WHEN).and(Commands::GRAPH), Bytes, "")
        .spin("-DMEMLIM")
        .by_machine(Preset::FreeMemory)
        .help("Stop when the search needs more memory than this, such as 8G; {} if nothing is said"),
    row("time", CHECK.and(NETWORK).and(TEST).and(WHEN).and(Commands::GRAPH), Time, "").spin("-Q").help("Stop after this time, such as 60s, 5m or 1h"),
    row("progress-every", CHECK.and(NETWORK).and(WHEN), Time, "")
        .help("Tell on standard error this often how far the search is, and each violation when it is found; without it each minute, and on a terminal all the time"),
    row("events", CHECK, Flag, "off")
        .help("Write a line of JSON to standard error whenever something happens: a search begins, gets on, finds something or ends"),
    row("trail", CHECK.and(NETWORK), Text("FILE"), "").spin("-k").help("Where the counterexample goes (default: MODEL.trail.json)"),
    row("trail", WHEN, Text("FILE"), "")
        .help("Where the runs go, `earliest`, `latest` and others being put into the name (default: MODEL.trail.json)"),
    row("report", TEST.and(CHECK), Many("junit=FILE|sarif=FILE|github"), "")
        .help("Also write what came of it for other programs: JUnit's XML, SARIF, or annotations of GitHub"),
    row("watch", TEST.and(CHECK), Flag, "off").help("Begin anew whenever a model changes, until Ctrl-C"),
    row("verbose", TEST, Flag, "off").help("Tell each expectation and how long it took"),
    row("force", CHECK.and(TEST).and(WHEN).and(Commands::TRANSLATE).and(Commands::GRAPH).and(NETWORK).and(Commands::REPLAY).and(Commands::SIMULATE), Flag, "off")
        .help("Let trails, pictures and checkpoints take the place of files of any kind; without it only of their own"),
    row("json", CHECK.and(NETWORK).and(WHEN).and(Commands::REPLAY).and(Commands::GRAPH).and(Commands::LTL), Flag, "off")
        .help("Print one JSON object and nothing else"),
    row("claim-steps", CHECK.and(Commands::REPLAY), Flag, "off")
        .help("Show the steps of a formula's or another automaton between those of the system, and the run to its very end"),
    row("verbose", CHECK, Flag, "off")
        .spin("-v")
        .help("Show all unreached statements, all findings and warnings, and the steps of joins and of `for`"),
    row("verbose", WHEN, Flag, "off").help("Show all warnings about the model"),
    row("verbose", Commands::REPLAY.and(Commands::SIMULATE), Flag, "off")
        .help("Show the steps of joins and of `for`, too"),
    row("seed", CHECK.and(Commands::SIMULATE), Count(0), "")
        .spin("-n")
        .lacking(CHECK)
        .help("Start of the random numbers; the same seed gives the same run"),
    row("steps", Commands::SIMULATE, Count(0), "200").spin("-u").help("Stop after this many steps"),
    row("interactive", Commands::SIMULATE, Flag, "off").spin("-i").help("Choose each step yourself; `?` explains the commands"),
    row("interactive", Commands::REPLAY, Flag, "off").help("Go on from the end of the trail yourself, or go back from there"),
    row("brief", Commands::REPLAY.and(Commands::SIMULATE), Flag, "off")
        .help("Show the statements without the values they change"),
    row("chart", Commands::REPLAY.and(Commands::SIMULATE), Flag, "off")
        .spin("-c")
        .help("Show a message sequence chart instead of the steps"),
    row("svg", Commands::REPLAY.and(Commands::SIMULATE), Text("FILE"), "")
        .spin("-M")
        .help("Write a message sequence chart to this file as a picture"),
    row("watch", Commands::REPLAY.and(Commands::SIMULATE), Many("VARS"), "")
        .help("In a chart: show each change of these variables, such as `--watch st,crashed`"),
    row("html", Commands::REPLAY, Text("FILE"), "")
        .help("Write a page on which the run is scrubbed back and forth, for a browser; it needs no network"),
    row("text", Commands::GRAPH.and(Commands::LTL), Flag, "off")
        .spin("pan -d")
        .help("List the automata as text (the default)"),
    row("dot", Commands::GRAPH.and(Commands::LTL), Flag, "off").spin("pan -D").help("Write the automata for Graphviz"),
    row("hoa", Commands::LTL, Flag, "off").help("Write the automaton in the HOA format"),
    row("never", Commands::LTL, Flag, "off").spin("-f").help("Write the automaton as a never claim"),
    row("negate", Commands::LTL, Flag, "off").help("Show the automaton of the negation: the runs that break the formula"),
    row("model", Commands::LTL, Text("FILE"), "")
        .help("Take `ltl` blocks by name, macros and names of variables from this model"),
    row("star", Commands::GRAPH, Flag, "off")
        .help("How `check --decouple` takes the model apart: center, leaves, and what they read and write"),
    row("states", Commands::GRAPH, Word(&["aut", "dot", "json", "kripke"]), "")
        .help("Instead of the processes, all states and transitions of the model: for CADP, mCRL2 and LTSmin, for Graphviz, as lines of JSON, or as a Kripke structure over the conditions of --ltl"),
    row("limit", Commands::GRAPH, Count(1), "")
        .help("With --states: give up if there are more states; 2000 for `dot` without this option"),
    row("labels", Commands::GRAPH, Word(&["process", "statement", "line"]), "line").implied()
        .help("With --states: a transition is called by its process, also by its statement, or also by its line (without this option)"),
    row("output", Commands::GRAPH, Text("FILE"), "")
        .letter('o')
        .help("With --states: where the graph goes (default: the screen)"),
    row("proctype", Commands::GRAPH, Text("NAME"), "").help("Only this proctype"),
    row("ltl", CHECK, Many("NAME|FORMULA"), "")
        .spin("-N, -f")
        .help("Check this `ltl` block or formula, and none that is not named; may be repeated, and `all` is every block"),
    row("no-ltl", CHECK, Flag, "off")
        .spin("-noclaim")
        .help("Leave the model's own formulas and never claims unchecked"),
    row("ltl", Commands::GRAPH, Many("NAME|FORMULA"), "")
        .help("Instead of the processes, the automaton that watches for runs that break this formula"),
    row("ltl-compat", CHECK.and(WHEN).and(Commands::GRAPH).and(Commands::LTL), Word(&["spin"]), "")
        .help("Read formulas with the precedences that SPIN uses"),
    row("never", CHECK, Text("FILE"), "").spin("-N").help("Check the never claims in this file"),
    row("claim", CHECK, Many("NAME|N"), "")
        .spin("-N")
        .help("Check a never claim of the model, by its name or its number from 0"),
    row("automaton", CHECK, Text("FILE.hoa"), "")
        .help("Check that no run is one that this Büchi automaton (HOA) accepts: it describes what is wrong, like a never claim"),
    row("accept", CHECK, Flag, "off")
        .spin("-a")
        .help("Look for acceptance cycles: by the model's never claim if it has one, else by accept labels"),
    row("progress", CHECK, Flag, "off").spin("-l").help("Look for runs that pass no progress label any more"),
    row("lang", SOURCES, Word(&["promela", "sdl", "if"]), "")
        .help("The language of the model; without this option it is told by the content"),
    row("queue", SOURCES, Count(1), "3").implied()
        .help("SDL: how many signals a queue holds; {} without this option"),
    row("overflow", SOURCES, Word(&["error", "lose", "wait"]), "error").implied()
        .help("SDL: a signal that finds its queue full is an error (without this option), is lost, or blocks its sender"),
    row("queues", SOURCES, Word(&["process", "signal"]), "process").implied()
        .help("SDL: one queue for each process (without this option), or one for each signal of a process"),
    row("env", SOURCES, Word(&["none", "any", "once"]), "none").implied()
        .help("SDL: what comes from outside: nothing (without this option), anything at any time, each signal once at most"),
    row("rest", SOURCES, Word(&["servers", "everywhere"]), "servers").implied()
        .help("SDL: where a process may stay for ever: where it waits for the environment or serves (without this option), or everywhere"),
    row("delay", SOURCES, Word(&["none", "channels"]), "none").implied()
        .help("SDL: signals are at their receiver at once (without this option), or stay on each channel that is not `nodelay` for any time"),
    row("pids", SOURCES, Count(1), "3").implied()
        .help("SDL: how many pids of stopped instances of a process may be remembered while it is created again; {} without this option"),
    row("strings", SOURCES, Count(1), "8").implied()
        .help("SDL: how many elements a STRING has at most that says nothing about it; {} without this option"),
    row("output", Commands::TRANSLATE, Text("FILE"), "")
        .letter('o')
        .help("Where the translation goes; with timers, `dtime.h` is written beside it for SPIN (default: the screen)"),
    row("timers", Commands::TRANSLATE, Word(&["exact", "abstract"]), "exact")
        .help("Timers that expire on time, or at any moment"),
    row("timers", WHEN, Word(&["exact", "jump"]), "exact")
        .help("Every slice, or from one expiry to the next: the times are the same, with fewer states if durations are long"),
    row("timers", MODEL, Word(&["exact", "jump", "abstract"]), "exact")
        .help("In a timed model: every slice, or from one expiry to the next, or timers that may expire at any moment"),
    row("zeno", CHECK, Flag, "off").help("In a timed model: look for runs in which time stops"),
    row("divergent", CHECK, Flag, "off")
        .help("In a timed model: formulas speak only of runs in which time goes on for ever"),
    row("fair", CHECK, OptionalWord(&["weak", "strong"]), "")
        .spin("-f")
        .help("Only runs without end count in which no process is forgotten; `weak` if no word follows"),
    row("workers", CHECK.and(TEST), Count(1), "")
        .spin("-DNCORE")
        .by_machine(Preset::Cores)
        .help("Search with this many threads; {} if nothing is said, and one until a search gets long"),
    row("processes", CHECK.and(Commands::GRAPH), Count(1), "")
        .help("Share the search, or the graph of --states, among this many processes of this machine, with --memory for each of them"),
    row("hosts", CHECK, Text("FILE"), "")
        .help("Share the search with workers on other machines: in each line of the file the address of a `starwheel worker`, such as `node7:4711`, and if need be `memory=8G`"),
    row("token-file", CHECK, Text("FILE"), "")
        .help("With --hosts: the file with the token that the workers know, 16 characters at least; without it what is in STARWHEEL_TOKEN"),
    row("wire", CHECK.and(Commands::GRAPH), Word(&["vector", "local", "tree", "global", "auto"]), "tree").implied()
        .help("With --processes or --hosts: what travels of a state: all its bytes, the numbers of its parts, the numbers of its two sides (`tree`, without this option), the same with numbers that the first process gives (`global`), or the shorter of `local` and `tree` on each link (`auto`)"),
    row("por", CHECK, Word(&["off", "ample", "cluster", "stubborn"]), "ample")
        .spin("-DNOREDUCE")
        .help("Partial-order reduction; without this option `ample` where it is sound, but not with --search bfs, --depth, --decouple, --checkpoint, --resume or --spill"),
    row("symmetry", CHECK, Word(&["off", "auto", "full", "segmented", "sorted", "pc-segmented", "pc-sorted"]), "auto")
        .help("Store one state for all that differ by which of several like processes is which; `auto` finds the processes, and the other words say how the one is chosen; without this option `auto`, but not with --por, --merge, --dead-vars, --decouple, --fair, --all-errors, --different, --search bfs, --depth, --checkpoint, --resume, --spill, --processes, --hosts, --audit or --explain-reduction"),
    row("decouple", CHECK, OptionalWord(&["on", "auto"]), "")
        .help("Star-topology decoupling: states that hold a set of frames for each process; `auto` only where it pays"),
    row("dominance", CHECK, Word(&["on", "off"]), "on").implied()
        .help("In a decoupled search: leave out states that a larger one covers ({} without this option)"),
    row("engine", CHECK, Word(&["auto", "interp", "jit", "scc"]), "auto")
        .help("How steps are executed; `scc` looks for cycles component by component"),
    row("engine", NETWORK, Word(&["auto", "explicit", "split", "scc"]), "auto")
        .help("How accepting runs of a network are looked for; `auto` is `split`, or `scc` if each component accepts on its own"),
    row("acceptance", CHECK.and(NETWORK), Word(&["together", "each"]), "together").implied()
        .help("For networks: whether components accept at the same time (the default) or each at its own times"),
    row("store", CHECK, Word(&["auto", "tree", "flat", "compact", "bitstate", "dfa"]), "auto")
        .spin("-DCOLLAPSE, -DHC, -DBITSTATE, -DMA")
        .help("How states are remembered; `auto` is exact and as suits the search; `compact` and `bitstate` may miss some and are for plain searches, `dfa` is not for bfs"),
    row("spill", CHECK, OptionalText("DIR"), "")
        .help("Search breadth first and go on on the disk when memory is full, in this folder or that for temporary files"),
    row("checkpoint", CHECK, Text("FILE"), "")
        .spin("-DW_XPT")
        .help("Save the search in this file now and then, and when it ends early"),
    row("every", CHECK, Time, "60s").implied().help("The time between two savings; {} without this option"),
    row("resume", CHECK, Text("FILE"), "").spin("-DR_XPT").help("Go on with the search that was saved in this file"),
    row("audit", CHECK, Flag, "off").help("Check every choice of the reduction while searching, by trying it out, and with --symmetry compare renamed states"),
    row("explain-reduction", CHECK, Flag, "off").help("Say where the reduction leaves out steps, and why not elsewhere"),
    row("allow-c", CHECK, Flag, "off").planned().help("Embedded C"),
    row("cc", CHECK, Text("CC"), "").planned().help("The compiler for embedded C"),
    row("symmetry", Commands::GRAPH, Flag, "off")
        .help("Show which processes are interchangeable, which variables name them, and what is in the way"),
    row("clusters", Commands::GRAPH, Flag, "off").help("Show which processes share variables and channels"),
];

/// The options of a command.
pub fn rows(command: Commands) -> impl Iterator<Item = &'static Row> {
    OPTIONS.iter().filter(move |r| r.commands.meets(command))
}

/// The option with this name, if the command has it.
pub fn find(command: Commands, name: &str) -> Option<&'static Row> {
    rows(command).find(|r| r.name == name)
}

/// What holds if an option is not given to a command; for a command that does not have it, as for others.
pub fn preset(command: Commands, name: &str) -> Preset {
    let row = find(command, name).or_else(|| OPTIONS.iter().find(|r| r.name == name));
    row.map_or(Preset::Nothing, |r| r.preset)
}

/// Words as a phrase: `a, b or c`.
pub fn alternatives(words: &[&str]) -> String {
    let mut out = String::new();
    for (i, word) in words.iter().enumerate() {
        let join = match i {
            0 => "",
            _ if i + 1 == words.len() => " or ",
            _ => ", ",
        };
        let _ = write!(out, "{join}`{word}`");
    }
    out
}

#[cfg(test)]
mod tests {
    use super::Preset::{Is, Nothing, Number, Seconds};
    use super::*;

    #[test]
    fn every_row_has_help_and_a_name_of_its_own() {
        for (i, row) in OPTIONS.iter().enumerate() {
            assert!(!row.help.is_empty(), "{}", row.name);
            let same = |r: &Row| r.name == row.name && r.commands.meets(row.commands);
            assert!(!OPTIONS.iter().skip(i + 1).any(same), "{}", row.name);
        }
    }

    #[test]
    fn defaults_are_values_that_are_built() {
        for row in OPTIONS {
            let good = match (row.preset, row.kind) {
                (Nothing, _) | (Is("off"), Flag) | (Seconds(_), Time) => true,
                (Is(word), Word(words) | OptionalWord(words)) => words.contains(&word) && row.allows(word),
                (Number(n), Count(least)) => n >= least,
                // What the machine says is said, and not in reports: it would not be the same tomorrow.
                (Preset::Cores, Count(_)) | (Preset::FreeMemory, Bytes) => row.implied && row.preset.amount().is_some(),
                _ => false,
            };
            assert!(good, "{}", row.name);
            let filled = !row.help.contains("{}") || row.preset != Nothing;
            assert!(filled && (!row.implied || row.preset != Nothing), "{}", row.name);
        }
    }

    #[test]
    fn alternatives_read_as_a_phrase() {
        assert_eq!(alternatives(&["a", "b", "c"]), "`a`, `b` or `c`");
        assert_eq!(alternatives(&["a"]), "`a`");
    }
}
