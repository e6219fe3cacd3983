//! The binary `starwheel`.

mod check;
mod cli;
mod events;
mod figures;
mod generate;
mod graph;
mod habits;
mod hosts;
mod install;
mod interactive;
mod interrupt;
mod ltl;
mod network;
mod processes;
mod prompt;
mod replay;
mod reports;
mod screen;
mod serve;
mod simulate;
mod spin;
mod suite;
mod translate;
mod verdict;
mod watch;
mod when;

use cli::Wish;
use starwheel_workbench::network::{is_network, misplaced, plan as plan_network};
use starwheel_workbench::options::Commands;
use starwheel_workbench::{Code, Failure, Problem, Typed, Verdict, foreign};
use std::any::Any;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::thread;

/// Exit status when the input or the command is wrong.
const WRONG: u8 = 2;
/// Stacks to try: deep models need much, and some machines do not give that much.
const STACKS: [usize; 3] = [1 << 30, 128 << 20, 16 << 20];

fn main() -> ExitCode {
    let args: Vec<OsString> = std::env::args_os().collect();
    let json = args.iter().any(|a| a == "--json");
    screen::colors(cli::color(&args));
    // What went wrong inside is told below, without the words of a crash.
    std::panic::set_hook(Box::new(|_| ()));
    let status = match on_big_stack(args) {
        Ok(status) => status,
        Err(payload) => fail(&internal_error(&*payload).into(), json),
    };
    // Whoever reads the status alone must not believe that there is an answer to go with it.
    let lost = screen::lost().map(|problem| fail(&problem.into(), false));
    ExitCode::from(lost.unwrap_or(status))
}

/// Runs everything on a thread with a big stack; the error is what a panic left behind.
fn on_big_stack(args: Vec<OsString>) -> Result<u8, Box<dyn Any + Send>> {
    for stack in STACKS {
        let args = args.clone();
        if let Ok(handle) = thread::Builder::new().stack_size(stack).spawn(|| run(args)) {
            return handle.join();
        }
    }
    Ok(run(args))
}

fn run(args: Vec<OsString>) -> u8 {
    let json = args.iter().any(|a| a == "--json");
    let typed = args.clone();
    let result = match cli::parse(args) {
        Ok(Wish::Do { command, files, typed }) => act(command, &files, &typed),
        Ok(Wish::When { condition, files, typed }) => {
            typed.plan(Commands::WHEN).and_then(|plan| when::run(&condition, &files, plan))
        }
        Ok(Wish::Ltl { formula, typed }) => typed.plan(Commands::LTL).and_then(|plan| ltl::run(&formula, &plan)),
        Ok(Wish::Generate(matches)) => generate::run(&matches),
        Ok(Wish::Header(name)) => header(&name),
        Ok(Wish::Completions(shell)) => install::completions(&shell),
        Ok(Wish::Manual(folder)) => install::manual(&folder),
        Ok(Wish::Spin(rest)) => return spin::run(rest),
        Ok(Wish::Member(rest)) => return processes::work(&rest),
        Ok(Wish::Serve(rest)) => return serve::one_run(&rest),
        Ok(Wish::Work { listen, token_file }) => serve::run(&listen, token_file.as_deref()),
        Ok(Wish::Refused(problem)) => Err(problem.into()),
        Err(error) => match habits::tip(&typed).filter(|_| error.use_stderr()) {
            Some(problem) => Err(problem.into()),
            None => return usage(&error, json),
        },
    };
    result.unwrap_or_else(|failure| fail(&failure, json))
}

/// Prints a header that is shipped.
fn header(name: &str) -> Result<u8, Failure> {
    let Some(text) = starwheel_workbench::open::header(name) else {
        let problem = Problem::error(Code::NoHeader, format!("there is no header `{name}`"));
        return Err(problem.advise("`dtime.h` is there, for models with timers").into());
    };
    screen::out(text);
    Ok(0)
}

fn act(command: Commands, files: &[PathBuf], typed: &Typed) -> Result<u8, Failure> {
    if command == Commands::TEST {
        return suite::run(files, typed);
    }
    if let Some(net) = files.first().filter(|f| is_network(f)) {
        if command != Commands::CHECK {
            let message =
                format!("`{}` is a network of automata, and only `check` understands networks", net.display());
            return Err(Problem::error(Code::Network, message)
                .advise("its accepting run is in the trail that `check` writes")
                .into());
        }
        return network::run(files, &plan_network(typed)?);
    }
    if let Some(problem) = misplaced(typed).filter(|_| command == Commands::CHECK) {
        return Err(problem.into());
    }
    let mut plan = typed.plan(command)?;
    let (trails, more): (Vec<PathBuf>, Vec<PathBuf>) =
        files.iter().skip(1).cloned().partition(|f| command == Commands::REPLAY && !foreign::is_text(f));
    plan.reading.foreign.more = more;
    let Some(model) = files.first() else {
        return Err(Problem::error(Code::NoModel, "no model was given").into());
    };
    if command == Commands::CHECK {
        let lang = plan.reading.foreign.lang.clone();
        let promela = |f: &PathBuf| foreign::is_promela(f, lang.as_deref());
        if files.len() > 1 && files.iter().all(promela) {
            plan.reading.foreign.more.clear();
            return check::several(files, &plan);
        }
        // What was piped in has no place beside which a trail could lie.
        plan.no_trail = plan.trail.is_none() && (model.as_os_str() == "-" || model.starts_with("/dev"));
    }
    match command {
        Commands::CHECK => check::watched(model, &plan),
        Commands::REPLAY => replay::run(model, only(&trails)?, &plan),
        Commands::SIMULATE => simulate::run(model, &plan),
        Commands::TRANSLATE => translate::run(model, &plan),
        _ => graph::run(model, &plan),
    }
}

/// The trail that is to be replayed, if it was named.
fn only(trails: &[PathBuf]) -> Result<Option<&Path>, Failure> {
    match trails {
        [] => Ok(None),
        [trail] => Ok(Some(trail)),
        [_, second, ..] => {
            let message = format!("one trail is replayed at a time, and `{}` is the second", second.display());
            Err(Problem::error(Code::TooManyFiles, message).advise("leave out all trails but one").into())
        }
    }
}

/// Tells what is wrong, as JSON if that was asked for.
fn fail(failure: &Failure, json: bool) -> u8 {
    if let (Some(report), Some(why)) = (failure.stopped_json(), failure.stopped_because()) {
        match json {
            true => screen::json(&report),
            false => screen::out(&format!("NOT CONCLUSIVE: {why} before the search began.\n")),
        }
        return Verdict::Stopped.exit_status();
    }
    if json {
        screen::json(&failure.json());
    } else {
        screen::problems(&failure.problems);
    }
    WRONG
}

/// A command line that clap does not understand, or a request for help.
fn usage(error: &clap::Error, json: bool) -> u8 {
    if !error.use_stderr() {
        screen::out(&error.render().ansi().to_string());
        return 0;
    }
    if !json {
        screen::note(error.render().ansi().to_string().trim_end());
        return WRONG;
    }
    let text = error.render().to_string();
    let first = text.lines().next().unwrap_or("").trim_start_matches("error: ");
    fail(&Problem::error(Code::BadCommand, first).advise("`starwheel help` explains the commands").into(), json)
}

fn internal_error(payload: &(dyn Any + Send)) -> Problem {
    let text = payload.downcast_ref::<&str>().map(|s| s.to_string());
    let text = text.or_else(|| payload.downcast_ref::<String>().cloned()).unwrap_or_default();
    let problem = Problem::error(Code::InternalError, format!("Starwheel made a mistake and cannot go on: {text}"));
    problem.advise("please report this, with the model and the command; the verdict is unknown")
}
