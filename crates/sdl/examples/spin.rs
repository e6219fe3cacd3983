//! Holds translations against the real SPIN: `cargo run -p starwheel-sdl --example spin -- FILE…`.
//!
//! Each file says in its head what is expected (`-- options: …`, `-- expect: holds [states/transitions] | stuck |
//! assertion`, `-- also: OPTIONS = VERDICT`, `-- reach: CONDITION`, `-- unreachable: CONDITION`). SPIN must load the
//! translation with no warning but that of the header (`timeout` in a d_step). Without `spin` and `gcc` nothing is
//! compared, and a line says so.
//!
//! With `--tool STARWHEEL FOLDER…` each folder in these folders is one system; SPIN's states and transitions of its
//! translation must be those of `starwheel check --plain`, in the mode of TASTE with an environment that sends each signal
//! once. What is refused, or takes SPIN more than some seconds, is counted. `tcc` compiles these verifiers where there is one,
//! ten times as fast as `gcc`, on two threads; a difference counts only if `gcc` shows it, too.

use starwheel_sdl::{DTIME_H, Delay, Environment, Options, Overflow, Queues, Rest, Timers, translate};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

fn main() -> ExitCode {
    let has = |tool: &str, arg: &str| Command::new(tool).arg(arg).output().is_ok();
    if !has("spin", "-V") || !has("gcc", "--version") {
        println!("nothing compared: spin and gcc are needed for this");
        return ExitCode::SUCCESS;
    }
    let files: Vec<PathBuf> = std::env::args().skip(1).map(PathBuf::from).collect();
    if let [word, tool, folders @ ..] = files.as_slice()
        && word == Path::new("--tool")
    {
        return against_tool(tool, folders);
    }
    let (mut checks, mut failures) = (0, 0);
    for f in &files {
        match std::fs::read_to_string(f).map_err(|e| e.to_string()).and_then(|t| check(f, &t)) {
            Ok(n) => checks += n,
            Err(e) => {
                println!("{}: {e}", f.display());
                failures += 1;
            }
        }
    }
    println!("{} files, {checks} checks, {failures} failures", files.len());
    ExitCode::from(u8::from(failures > 0))
}

/// What a run of the verifier says.
struct Verdict {
    kind: &'static str,
    states: u64,
    transitions: u64,
}

fn check(file: &Path, text: &str) -> Result<usize, String> {
    let lines = |word: &str| -> Vec<String> {
        let of =
            |l: &str| l.trim().strip_prefix("-- ")?.strip_prefix(word)?.strip_prefix(':').map(|r| r.trim().to_string());
        text.lines().filter_map(of).collect()
    };
    let base = lines("options").join(" ");
    let mut count = 0;
    for expected in lines("expect") {
        compare(file, text, &base, &expected, None)?;
        count += 1;
    }
    for also in lines("also") {
        let (options, expected) = also.split_once('=').ok_or("`also` needs options = verdict")?;
        compare(file, text, &format!("{base} {options}"), expected.trim(), None)?;
        count += 1;
    }
    for (word, expected) in [("reach", "assertion"), ("unreachable", "holds")] {
        for goal in lines(word) {
            compare(file, text, &base, expected, Some(&goal))?;
            count += 1;
        }
    }
    if count == 0 { Err("the file says nothing about what is expected".into()) } else { Ok(count) }
}

fn compare(file: &Path, text: &str, options: &str, expected: &str, goal: Option<&str>) -> Result<(), String> {
    let options = parse(options)?;
    let name = file.display().to_string();
    let (translation, sources, diagnostics) = translate(&[(&name, text)], &options);
    let Some(t) = translation else {
        let all: Vec<String> =
            diagnostics.iter().map(|d| format!("line {}: {}", sources.line(d.span()), d.message)).collect();
        return Err(all.join("; "));
    };
    let mut model = t.promela;
    if let Some(g) = goal {
        model.push_str(&format!("ltl goal {{ [] !({g}) }}\n"));
    }
    let verdict = run(&model, Effort::One, "gcc")?;
    let (kind, figures) = expected.split_once(' ').unwrap_or((expected, ""));
    let found = format!("{}/{}", verdict.states, verdict.transitions);
    if verdict.kind != kind || !figures.is_empty() && figures != found {
        return Err(format!(
            "expected {expected}, found {} {found}{}",
            verdict.kind,
            goal.map_or(String::new(), |g| format!(" for {g}"))
        ));
    }
    println!("{name}: {kind} {found}{}", goal.map_or(String::new(), |g| format!(" ({g})")));
    Ok(())
}

/// How much is done for a model: for one of many systems, compiling it takes longer than the search.
#[derive(Clone, Copy, PartialEq)]
enum Effort {
    One,
    Many,
}

/// Lines of the largest model that is compiled for one of many systems.
const LARGEST_OF_MANY: usize = 2000;

/// The exit status of a search that came to its limit.
const STOPPED: i32 = 3;

/// The mode of the comparison with the tool; abstract timers, so that no step is lazy.
const MODE: &str = "--queues signal --timers abstract --overflow lose --env once --rest everywhere";

/// Compares counts of all systems in some folders with those of the tool.
fn against_tool(tool: &Path, folders: &[PathBuf]) -> ExitCode {
    let systems = folders.iter().flat_map(|f| std::fs::read_dir(f).into_iter().flatten().flatten().map(|e| e.path()));
    let mut systems: Vec<PathBuf> = systems.filter(|p| p.is_dir()).collect();
    systems.sort();
    let (mut same, mut refused, mut long, mut failures) = (0, 0, 0, 0);
    for (system, compared) in all_compared(tool, &systems) {
        match compared {
            Ok(Compared::Same) => same += 1,
            Ok(Compared::Refused) => refused += 1,
            Ok(Compared::Long) => long += 1,
            Err(e) => {
                println!("{}: {e}", system.display());
                failures += 1;
            }
        }
    }
    let all = systems.len();
    println!("{all} systems, {same} with the counts of SPIN, {refused} refused, {long} too long, {failures} failures");
    ExitCode::from(u8::from(failures > 0 || same == 0 && all > 0))
}

/// Each system with what came of it, in any order.
fn all_compared<'a>(tool: &Path, systems: &'a [PathBuf]) -> Vec<(&'a PathBuf, Result<Compared, String>)> {
    let quick = Command::new("tcc").arg("-v").output().is_ok();
    let (next, all) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let work = || {
        while let Some(system) = systems.get(next.fetch_add(1, Ordering::Relaxed)) {
            let first = compare_system(tool, system, if quick { "tcc" } else { "gcc" });
            let compared = if first.is_err() && quick { compare_system(tool, system, "gcc") } else { first };
            if let Ok(mut all) = all.lock() {
                all.push((system, compared));
            }
        }
    };
    std::thread::scope(|scope| (0..2).for_each(|_| drop(scope.spawn(work))));
    all.into_inner().unwrap_or_default()
}

enum Compared {
    Same,
    Refused,
    Long,
}

fn compare_system(tool: &Path, folder: &Path, compiler: &str) -> Result<Compared, String> {
    let mut files = Vec::new();
    texts(folder, &mut files)?;
    let list: Vec<(&str, &str)> = files.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    let Some(t) = translate(&list, &parse(MODE)?).0 else { return Ok(Compared::Refused) };
    // Formulas are compared elsewhere; here it is about all states.
    let model: String = t.promela.lines().filter(|l| !l.starts_with("ltl ")).map(|l| format!("{l}\n")).collect();
    if model.lines().count() > LARGEST_OF_MANY {
        return Ok(Compared::Long);
    }
    let verdict = run(&model, Effort::Many, compiler)?;
    if verdict.kind == "unknown" {
        return Ok(Compared::Long);
    }
    let folder = folder.display().to_string();
    let mut line = vec!["check", &folder, "--plain", "--no-ltl", "--json", "--trail", "/dev/null", "--time", "10s"];
    line.extend(MODE.split_whitespace());
    let out = Command::new(tool).args(&line).output().map_err(|e| format!("{}: {e}", tool.display()))?;
    if out.status.code() == Some(STOPPED) {
        return Ok(Compared::Long);
    }
    let report = String::from_utf8_lossy(&out.stdout);
    let number = |key: &str| -> Option<u64> {
        let at = report.find(&format!("\"{key}\":"))? + key.len() + 3;
        report[at..].trim_start().chars().take_while(char::is_ascii_digit).collect::<String>().parse().ok()
    };
    let (states, transitions) = (number("states_stored"), number("transitions"));
    let holds = out.status.code() == Some(0);
    let same = states == Some(verdict.states) && transitions == Some(verdict.transitions);
    if holds != (verdict.kind == "holds") || holds && !same {
        let spin = format!("{} {}/{}", verdict.kind, verdict.states, verdict.transitions);
        return Err(format!("SPIN says {spin}, the tool {:?} {states:?}/{transitions:?}", out.status.code()));
    }
    Ok(Compared::Same)
}

/// All texts below a folder.
fn texts(folder: &Path, out: &mut Vec<(String, String)>) -> Result<(), String> {
    let mut inside: Vec<PathBuf> =
        std::fs::read_dir(folder).map_err(|e| e.to_string())?.flatten().map(|e| e.path()).collect();
    inside.sort();
    for path in inside {
        if path.is_dir() {
            texts(&path, out)?;
        } else if path.extension().is_some_and(|e| ["pr", "asn", "txt"].iter().any(|w| e == *w)) {
            let text = std::fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
            out.push((path.display().to_string(), text));
        }
    }
    Ok(())
}

fn parse(text: &str) -> Result<Options, String> {
    let mut o = Options::default();
    let words: Vec<&str> = text.split_whitespace().collect();
    for pair in words.chunks(2) {
        match pair {
            ["--queue", n] => o.queue = n.parse().map_err(|_| "--queue needs a number")?,
            ["--overflow", "lose"] => o.overflow = Overflow::Lose,
            ["--queues", "signal"] => o.queues = Queues::Signal,
            ["--env", "any"] => o.environment = Environment::Any,
            ["--env", "once"] => o.environment = Environment::Once,
            ["--timers", "abstract"] => o.timers = Timers::Abstract,
            ["--rest", "everywhere"] => o.rest = Rest::Everywhere,
            ["--delay", "channels"] => o.delay = Delay::Channels,
            _ => return Err(format!("{} is no option here", pair.join(" "))),
        }
    }
    Ok(o)
}

/// Makes a verifier and runs it.
fn run(model: &str, effort: Effort, compiler: &str) -> Result<Verdict, String> {
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    let dir = std::env::temp_dir().join(format!("starwheel-sdl-{}-{number}", std::process::id()));
    std::fs::create_dir_all(&dir).map_err(|e| e.to_string())?;
    let write = |name: &str, text: &str| std::fs::write(dir.join(name), text).map_err(|e| e.to_string());
    write("model.pml", model)?;
    write("dtime.h", DTIME_H)?;
    let call = |program: &str, args: &[&str]| -> Result<String, String> {
        let out = Command::new(program).args(args).current_dir(&dir).output().map_err(|e| format!("{program}: {e}"))?;
        Ok(format!("{}{}", String::from_utf8_lossy(&out.stdout), String::from_utf8_lossy(&out.stderr)))
    };
    let said = call("spin", &["-a", "-o1", "-o2", "-o3", "model.pml"])?;
    let known = |l: &&str| l.contains("'timeout' in d_step sequence") || l.starts_with("ltl ") || l.trim().is_empty();
    if let Some(l) = said.lines().find(|l| !known(l)) {
        return Err(format!("spin: {l}"));
    }
    let ltl = model.contains("\nltl ");
    let mode = if ltl { "-DNFAIR=2" } else { "-DSAFETY" };
    let (optimize, seconds) = if effort == Effort::One { ("-O1", "600") } else { ("-O0", "5") };
    call(compiler, &["-w", optimize, "-DNOREDUCE", mode, "-o", "pan", "pan.c"])?;
    let pan = dir.join("pan").display().to_string();
    let line = [seconds, &pan, "-m1000000", "-a"];
    let report = call("timeout", &line[..if ltl { 4 } else { 3 }])?;
    let _ = std::fs::remove_dir_all(&dir);
    let number = |what: &str| -> u64 {
        let line = report.lines().find(|l| l.contains(what)).unwrap_or("");
        line.split_whitespace().next().and_then(|n| n.parse().ok()).unwrap_or(0)
    };
    let kind = if report.contains("errors: 0") {
        "holds"
    } else if report.contains("pan:1: invalid end state") {
        "stuck"
    } else if report.contains("pan:1: assertion violated") {
        "assertion"
    } else {
        "unknown"
    };
    Ok(Verdict { kind, states: number("states, stored"), transitions: number("transitions (=") })
}
