//! Translates SDL to Promela: `cargo run -p starwheel-sdl --example translate -- [options] FILE…`, a stand-in for the command.
//!
//! Options: `--queue N`, `--overflow error|lose|wait`, `--queues process|signal`, `--env none|any|once`,
//! `--timers exact|abstract`, `--rest servers|everywhere`, `--no-lines`, `-o FILE`. A folder stands for its texts.
//! The header `dtime.h` is written beside the output.

use starwheel_base::{Diagnostic, SourceMap};
use starwheel_sdl::{DTIME_H, Environment, Options, Overflow, Queues, Rest, Timers, translate};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

fn main() -> ExitCode {
    match run() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(e) => {
            eprintln!("{e}");
            ExitCode::from(2)
        }
    }
}

fn run() -> Result<bool, String> {
    let (mut options, mut files, mut output) = (Options::default(), Vec::new(), None);
    let mut args = std::env::args().skip(1);
    while let Some(a) = args.next() {
        let mut value = || args.next().ok_or(format!("{a} needs a value"));
        match a.as_str() {
            "--queue" => options.queue = value()?.parse().map_err(|_| "--queue needs a number")?,
            "--overflow" => {
                options.overflow =
                    pick(&value()?, &[("error", Overflow::Error), ("lose", Overflow::Lose), ("wait", Overflow::Wait)])?;
            }
            "--queues" => {
                options.queues = pick(&value()?, &[("process", Queues::Process), ("signal", Queues::Signal)])?
            }
            "--env" => {
                let all = [("none", Environment::None), ("any", Environment::Any), ("once", Environment::Once)];
                options.environment = pick(&value()?, &all)?;
            }
            "--timers" => {
                options.timers = pick(&value()?, &[("exact", Timers::Exact), ("abstract", Timers::Abstract)])?
            }
            "--rest" => {
                options.rest = pick(&value()?, &[("servers", Rest::Servers), ("everywhere", Rest::Everywhere)])?
            }
            "--no-lines" => options.lines = false,
            "-o" => output = Some(PathBuf::from(value()?)),
            _ => collect(Path::new(&a), &mut files)?,
        }
    }
    let texts: Vec<(String, String)> = files
        .iter()
        .map(|f| {
            let bytes = std::fs::read(f).map_err(|e| format!("{}: {e}", f.display()))?;
            Ok((f.display().to_string(), String::from_utf8_lossy(&bytes).into_owned()))
        })
        .collect::<Result<_, String>>()?;
    let list: Vec<(&str, &str)> = texts.iter().map(|(n, t)| (n.as_str(), t.as_str())).collect();
    let (translation, sources, diagnostics) = translate(&list, &options);
    diagnostics.iter().for_each(|d| show(d, &sources));
    let Some(t) = translation else { return Ok(false) };
    match output {
        None => print!("{}", t.promela),
        Some(path) => {
            std::fs::write(&path, &t.promela).map_err(|e| format!("{}: {e}", path.display()))?;
            let header = path.with_file_name("dtime.h");
            std::fs::write(&header, DTIME_H).map_err(|e| format!("{}: {e}", header.display()))?;
        }
    }
    Ok(true)
}

fn pick<T: Copy>(text: &str, all: &[(&str, T)]) -> Result<T, String> {
    let names: Vec<&str> = all.iter().map(|a| a.0).collect();
    all.iter().find(|a| a.0 == text).map(|a| a.1).ok_or(format!("`{text}` is none of {}", names.join(", ")))
}

/// A file, or the SDL, ASN.1 and stop conditions of a folder and those below it.
fn collect(path: &Path, files: &mut Vec<PathBuf>) -> Result<(), String> {
    if !path.is_dir() {
        files.push(path.to_path_buf());
        return Ok(());
    }
    let entries = std::fs::read_dir(path).map_err(|e| format!("{}: {e}", path.display()))?;
    let mut inside: Vec<PathBuf> = entries.flatten().map(|e| e.path()).collect();
    inside.sort();
    for p in inside {
        let wanted = p.extension().is_some_and(|e| ["pr", "asn", "txt", "if"].iter().any(|w| e == *w));
        if p.is_dir() || wanted {
            collect(&p, files)?;
        }
    }
    Ok(())
}

fn show(d: &Diagnostic, sources: &SourceMap) {
    let (name, at) = sources.locate(d.span());
    let kind = if d.is_error() { "error" } else { "warning" };
    eprintln!("{name}:{}:{}: {kind}: {} [{}]", at.line, at.column, d.message, d.code);
    for a in &d.advice {
        eprintln!("    help: {a}");
    }
}
