//! `starwheel spin …`: SPIN's own command lines, answered by this tool in SPIN's style.

mod args;
mod compile_flags;
mod follow;
mod order;
mod pan_flags;
mod quest;
mod search;
mod spin_flags;

use crate::screen;
use args::{Line, Mode};
use starwheel_workbench::{Code, Failure, Problem, open};
use std::ffi::OsString;

/// Does what a SPIN command line asks for.
pub fn run(args: Vec<OsString>) -> u8 {
    let line = Line::parse(&args);
    for note in &line.notes {
        screen::note(&format!("starwheel: {note}"));
    }
    act(&line).unwrap_or_else(|failure| {
        screen::problems(&failure.problems);
        2
    })
}

fn act(line: &Line) -> Result<u8, Failure> {
    if !line.problems.is_empty() {
        return Err(Failure { problems: line.problems.clone() });
    }
    match line.mode {
        Mode::Version => {
            screen::out(&format!("Starwheel Version {}\n", env!("CARGO_PKG_VERSION")));
            return Ok(0);
        }
        Mode::Help => {
            screen::out(HELP);
            return Ok(0);
        }
        _ => {}
    }
    let Some(file) = &line.file else {
        let problem = Problem::error(Code::NoModel, "no model was given");
        return Err(problem.advise("as with SPIN, the file is the last word: starwheel spin -run model.pml").into());
    };
    match line.mode {
        Mode::Search => search::run(file, line),
        Mode::Replay => follow::replay(file, line),
        Mode::Generate => {
            let opened = open(file, &line.reading)?;
            screen::problems(&opened.warnings);
            screen::note("starwheel: no verifier is generated or needed; `starwheel spin -run` searches directly");
            Ok(0)
        }
        _ => follow::simulate(file, line),
    }
}

const HELP: &str = "\
SPIN's own command lines, answered by Starwheel:
  starwheel spin -run [flags] model.pml      search (also -search); pan's flags and -D… directives follow -run
  starwheel spin -t -p model.pml             replay the trail (also -replay)
  starwheel spin -p -g -l -r -s model.pml    simulate at random and print
  starwheel spin -i model.pml                simulate, choosing each step
  starwheel spin -a model.pml                only look for errors in the model
Flags that are needless here are accepted with a note; flags for what is not built yet are errors.
";
