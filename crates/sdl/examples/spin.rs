//! Holds translations against the real SPIN: `cargo run -p starwheel-sdl --example spin -- FILE…`.
//!
//! Each file says in its head what is expected (`-- options: …`, `-- expect: holds [states/transitions] | stuck |
//! assertion`, `-- also: OPTIONS = VERDICT`, `-- reach: CONDITION`, `-- unreachable: CONDITION`). SPIN must load the
//! translation with no warning but that of the header (`timeout` in a d_step). Without `spin` and `gcc` nothing is
//! compared, and a line says so.

use starwheel_sdl::{DTIME_H, Environment, Options, Overflow, Queues, Rest, Timers, translate};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

fn main() -> ExitCode {
    let has = |tool: &str, arg: &str| Command::new(tool).arg(arg).output().is_ok();
    if !has("spin", "-V") || !has("gcc", "--version") {
        println!("nothing compared: spin and gcc are needed for this");
        return ExitCode::SUCCESS;
    }
    let files: Vec<PathBuf> = std::env::args().skip(1).map(PathBuf::from).collect();
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
    let verdict = run(&model)?;
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
            _ => return Err(format!("{} is no option here", pair.join(" "))),
        }
    }
    Ok(o)
}

/// Makes a verifier and runs it.
fn run(model: &str) -> Result<Verdict, String> {
    let dir = std::env::temp_dir().join(format!("starwheel-sdl-{}", std::process::id()));
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
    call("gcc", &["-w", "-O1", "-DNOREDUCE", mode, "-o", "pan", "pan.c"])?;
    let pan = dir.join("pan").display().to_string();
    let report = call(&pan, if ltl { &["-m1000000", "-a"] } else { &["-m1000000"] })?;
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
