//! `testkit bench`: our engines beside SPIN's, on the same models, in the same run.

use super::{failed, starwheel};
use crate::args::Args;
use crate::bench::entry::{ENTRIES, Entry, Folder, Role};
use crate::bench::first::first_answer;
use crate::bench::ours::Ours;
use crate::bench::shared::shared;
use crate::bench::table::{Block, heading, means};
use crate::bench::theirs::{Theirs, Way};
use crate::bench::{Line, best};
use crate::exec::Scratch;
use crate::spin::Automata;
use std::fs;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

const NAMES: &[&str] = &[
    "starwheel",
    "corpus",
    "models",
    "examples",
    "only",
    "timeout",
    "repeat",
    "automata",
    "memory",
    "save",
    "runs",
    "beem",
];
const FLAGS: &[&str] = &["callgrind", "large", "brief"];
/// The models of a folder that `--beem` compares: those with so many states.
const MIDDLE: RangeInclusive<u64> = 300_000..=30_000_000;

/// What was asked for.
struct Bench {
    binary: PathBuf,
    corpus: Option<PathBuf>,
    models: PathBuf,
    examples: Option<PathBuf>,
    limit: Duration,
    repeat: u64,
    automata: Automata,
    megabytes: u64,
    /// Only the default store and plain SPIN.
    brief: bool,
}

/// Prints and saves the table; false if two exact runs count differently.
pub fn run(words: &[String]) -> Result<bool, String> {
    let args = Args::read(words, NAMES, FLAGS)?;
    let (ours, _copy) = starwheel(&args, 600)?.ok_or("`--starwheel` is needed")?;
    let bench = Bench {
        binary: ours.binary,
        corpus: args.path("corpus")?,
        models: args.path("models")?.unwrap_or_else(own_models),
        examples: args.path("examples")?,
        limit: ours.limit,
        repeat: args.number("repeat", 1)?,
        automata: automata(args.text("automata").unwrap_or("merge"))?,
        megabytes: args.number("memory", 16_000)?,
        brief: args.flag("brief"),
    };
    let only = args.text("only").unwrap_or("");
    if let Some(folder) = args.path("beem")? {
        return bench.folder(&args, &folder, only);
    }
    let wanted = |role: Role| match role {
        Role::Speed => !args.flag("large") && !args.flag("callgrind"),
        Role::Instructions => args.flag("callgrind"),
        Role::Large { .. } => args.flag("large"),
    };
    let chosen = ENTRIES.iter().filter(|e| wanted(e.role) && only.split(',').any(|o| e.name.contains(o)));
    let mut table = Table::new();
    if !args.flag("large") && !args.flag("callgrind") && only.split(',').any(|o| "ten lines".contains(o)) {
        let scratch = Scratch::new().map_err(failed)?;
        show(&mut table.text, &first_answer(&bench.binary, scratch.path())?);
    }
    if !args.flag("large") && !args.flag("callgrind") && only.split(',').any(|o| "shared".contains(o)) {
        let scratch = Scratch::new().map_err(failed)?;
        show(&mut table.text, &shared(&bench.binary, scratch.path())?);
    }
    if !args.flag("callgrind") {
        show(&mut table.text, &format!("{}\n", heading()));
    }
    for entry in chosen {
        let block = bench.entry(entry, &mut table.text)?;
        table.add(block);
    }
    table.close(&args)
}

/// What has been measured so far.
struct Table {
    text: String,
    good: bool,
    blocks: Vec<Block>,
}

impl Table {
    fn new() -> Table {
        Table { text: format!("{}\n", machine()), good: true, blocks: Vec::new() }
    }

    /// Shows the lines of a model, and what contradicts itself in them.
    fn add(&mut self, block: Block) {
        show(&mut self.text, &block.text());
        for contradiction in block.contradictions() {
            self.good = false;
            show(&mut self.text, &format!("DIFFERENT: {contradiction}\n"));
        }
        self.blocks.push(block);
    }

    /// Shows the means and saves everything; false if two exact runs count differently.
    fn close(mut self, args: &Args) -> Result<bool, String> {
        if self.blocks.iter().any(|block| !block.lines.is_empty()) {
            show(&mut self.text, &format!("\n{}", means(&self.blocks)));
        }
        save(args, &self.text)?;
        Ok(self.good)
    }
}

fn automata(name: &str) -> Result<Automata, String> {
    match name {
        "pure" => Ok(Automata::Pure),
        "nomerge" => Ok(Automata::NoMerge),
        "merge" => Ok(Automata::Merge),
        _ => Err(format!("`--automata {name}`: it is `pure`, `nomerge` or `merge`")),
    }
}

/// Prints text and keeps it for the file.
pub(super) fn show(all: &mut String, text: &str) {
    print!("{text}");
    all.push_str(text);
}

/// Writes the table to the file of `--save`, or under today's time.
pub(super) fn save(args: &Args, text: &str) -> Result<(), String> {
    let runs = args.path("runs")?.unwrap_or_else(|| own("../../bench/runs"));
    let seconds = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |t| t.as_secs());
    let name = args.text("save").map_or_else(|| seconds.to_string(), String::from);
    let path = runs.join(format!("{name}.txt"));
    fs::create_dir_all(&runs).map_err(failed)?;
    fs::write(&path, text).map_err(failed)?;
    println!("\nsaved in {}", path.display());
    Ok(())
}

/// One line about the machine and the tools.
pub(super) fn machine() -> String {
    let info = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model =
        info.lines().find_map(|l| l.strip_prefix("model name")).unwrap_or("").trim_start_matches([' ', '\t', ':']);
    let load = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    format!("{cores} processors ({model}), load before the run: {}", load.split(' ').next().unwrap_or("?"))
}

pub(super) fn own_models() -> PathBuf {
    own("../../bench/models")
}

fn own(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

impl Bench {
    /// All lines of a model.
    fn entry(&self, entry: &Entry, text: &mut String) -> Result<Block, String> {
        let scratch = Scratch::new().map_err(failed)?;
        let dir = scratch.path();
        let block = |lines| Ok(Block { name: entry.name.into(), lines });
        let folder = match entry.folder {
            Folder::Corpus => self.corpus.as_ref(),
            Folder::Examples => self.examples.as_ref(),
            Folder::Models => Some(&self.models),
        };
        let Some(folder) = folder else {
            let option = if entry.folder == Folder::Corpus { "--corpus" } else { "--examples" };
            return block(vec![Line::nothing("", format!("left out: it needs `{option} DIR`"))]);
        };
        let model = match entry.prepare(folder, dir) {
            Ok(model) => model,
            Err(error) => return block(vec![Line::nothing("", error.to_string())]),
        };
        let define = entry.define();
        let (ours, mut theirs) = self.both(&model, define.as_deref(), dir);
        match entry.role {
            Role::Speed => block(self.speed(&ours, &mut theirs, self.plain(&ours))),
            Role::Large { memory, states } => block(vec![large(&ours, memory, states)]),
            Role::Instructions => {
                let count = |result: Result<f64, String>| result.map_or_else(|why| why, |n| format!("{n:.0}"));
                let (own, spin) = (count(ours.instructions()), count(theirs.instructions()));
                show(
                    text,
                    &format!("{:<13} instructions a transition: {own} (starwheel), {spin} (SPIN -O2)\n", entry.name),
                );
                block(Vec::new())
            }
        }
    }

    /// Both tools, ready for a model.
    fn both<'m>(&'m self, model: &'m Path, define: Option<&'m str>, dir: &'m Path) -> (Ours<'m>, Theirs<'m>) {
        let (automata, por, deadlocks, limit) = (self.automata, "off", false, self.limit);
        let ours = Ours { binary: &self.binary, model, define, automata, por, deadlocks, dir, limit };
        let megabytes = self.megabytes;
        (ours, Theirs { model, define, automata, dir, limit, megabytes, states: 0, vector: 0 })
    }

    /// All models of a folder that are neither small nor huge.
    fn folder(&self, args: &Args, folder: &Path, only: &str) -> Result<bool, String> {
        let mut models: Vec<PathBuf> = Vec::new();
        for entry in fs::read_dir(folder).map_err(failed)? {
            models.push(entry.map_err(failed)?.path());
        }
        models.retain(|path| path.extension().is_some_and(|e| e == "pm" || e == "pml"));
        models.sort();
        let mut table = Table::new();
        show(&mut table.text, &format!("{}\n", heading()));
        let mut others = Vec::new();
        for model in models {
            let name = model.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            if !only.split(',').any(|o| name.contains(o)) {
                continue;
            }
            let scratch = Scratch::new().map_err(failed)?;
            let (ours, mut theirs) = self.both(&model, None, scratch.path());
            let plain = self.plain(&ours);
            if plain.measured() && MIDDLE.contains(&plain.states) {
                let lines = self.speed(&ours, &mut theirs, plain);
                table.add(Block { name, lines });
            } else {
                others.push(if plain.measured() { name } else { format!("{name} ({})", plain.note) });
            }
        }
        show(&mut table.text, &format!("not compared, too small or not searched: {}\n", others.join(", ")));
        table.close(args)
    }

    /// Our default store, with one worker.
    fn plain(&self, ours: &Ours<'_>) -> Line {
        best(self.repeat, || ours.run("starwheel", &["--workers", "1"]))
    }

    fn speed(&self, ours: &Ours<'_>, theirs: &mut Theirs<'_>, plain: Line) -> Vec<Line> {
        let own = |config: &str, options: &[&str]| best(self.repeat, || ours.run(config, options));
        theirs.states = plain.states;
        let base = theirs.run(Way::Plain, self.repeat);
        theirs.vector = base.vector;
        let mut lines = vec![base, plain, own("2 workers", &["--workers", "2"])];
        if !self.brief {
            let array = format!("{}", (256u64 << 20).max(plain_bits(theirs.states)));
            lines.push(own("compact", &["--workers", "1", "--store", "compact"]));
            lines.push(own("bitstate", &["--workers", "1", "--store", "bitstate", "--memory", &array]));
            lines.push(own("dfa", &["--workers", "1", "--store", "dfa"]));
            lines.extend(Way::ALL[1..].iter().map(|&way| theirs.run(way, self.repeat)));
        }
        note_missing(&mut lines);
        lines
    }
}

/// The limit of memory of which three quarters are as many bits a state as SPIN's array has.
fn plain_bits(states: u64) -> u64 {
    states.next_power_of_two() * 128 / 8 / 3 * 4
}

/// Says of lossy runs how many states they missed.
fn note_missing(lines: &mut [Line]) {
    let Some(all) = lines.iter().find(|l| l.exact && l.measured()).map(|l| l.states) else { return };
    for line in lines.iter_mut().filter(|l| l.measured() && !l.exact) {
        line.note = format!("{} states missed", all.saturating_sub(line.states));
    }
}

/// A search that only we make, within a limit.
fn large(ours: &Ours<'_>, memory: &str, states: u64) -> Line {
    let line = ours.run("starwheel", &["--memory", memory]);
    match line.measured() && line.states != states {
        true => Line { note: format!("WRONG: {states} states are known"), ..line },
        false => line,
    }
}
