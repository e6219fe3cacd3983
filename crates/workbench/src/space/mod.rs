//! The graph of all states of a model, written while it is being explored.
//!
//! States are numbered in the order in which a breadth-first search meets them, so the number of the next state to expand is a
//! counter and nothing is kept but the store. Every step is taken, and a chain through transient states is one transition: as
//! many lead out of each state as `check` counts.

mod explore;
mod format;
mod shared;

use crate::ask::plan::Plan;
use crate::disk::output::{self, Kind};
use crate::open::Opened;
use crate::problem::{Code, Failure, Problem};
use explore::{Ended, Space};
pub use format::{Form, Labels};
use format::{Writer, Written};
pub use shared::take_part;
use std::fs::File;
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::path::Path;

/// States of a picture, unless more are asked for.
const PICTURE: u64 = 2_000;

/// What came of an export.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exported {
    /// States that were written.
    pub states: u64,
    /// Transitions between them.
    pub transitions: u64,
}

/// Why an export is not whole.
#[derive(Debug)]
pub enum Unfinished {
    /// There are more states than were allowed, a limit was reached, or the user wanted an end: in words.
    Cut(String),
    /// It cannot be done.
    Failed(Failure),
}

impl From<Failure> for Unfinished {
    fn from(failure: Failure) -> Unfinished {
        Unfinished::Failed(failure)
    }
}

/// Writes the graph to a file, or else to a stream that goes forward only. A file is there only if it is whole.
pub fn export(opened: &Opened, plan: &Plan, form: Form, stream: &mut dyn Write) -> Result<Exported, Unfinished> {
    let written = match &plan.output {
        Some(path) => to_file(opened, plan, form, path)?,
        None => to_stream(opened, plan, form, stream)?,
    };
    match written {
        (Ended::Whole, counts) => Ok(counts),
        (ended, counts) => Err(unfinished(ended, counts)),
    }
}

fn unfinished(ended: Ended, counts: Exported) -> Unfinished {
    match ended {
        Ended::Whole => Unfinished::Cut(String::new()),
        Ended::Limit(limit) => Unfinished::Cut(format!("there are more than {limit} states")),
        Ended::Full => Unfinished::Cut(format!("memory was full after {} states", counts.states)),
        Ended::Cancelled => Unfinished::Cut(format!("the export was ended after {} states", counts.states)),
        Ended::Stopped(why) => Unfinished::Cut(why),
        Ended::NoValue(condition, state) => {
            let message = format!("the condition `{condition}` has no value in state {state}");
            Unfinished::Failed(Problem::error(Code::NoValue, message).advise("put what may fail behind a guard").into())
        }
        Ended::Unwritable(error) => Unfinished::Failed(unwritable("standard output", &error)),
    }
}

fn unwritable(place: &str, error: &io::Error) -> Failure {
    Problem::error(Code::UnwritableFile, format!("{place} cannot be written: {error}")).into()
}

fn limit(plan: &Plan, form: Form) -> Option<u64> {
    plan.limit.or((form == Form::Dot).then_some(PICTURE))
}

/// Explores once and shows everything to a writer.
fn pass(opened: &Opened, plan: &Plan, form: Form, out: Written<'_>) -> Result<(Ended, Exported), Failure> {
    if plan.place.is_some() {
        return shared::pass(opened, plan, form, out);
    }
    let mut writer = Writer::new(opened, form, plan.labels, out)?;
    let mut space = Space::new(opened, plan.memory_limit(), limit(plan, form));
    let ended = space.explore(&mut writer);
    let ended = match writer.close(ended == Ended::Whole) {
        Err(error) if ended == Ended::Whole => Ended::Unwritable(error),
        _ => ended,
    };
    Ok((ended, Exported { states: space.states(), transitions: space.transitions() }))
}

fn to_stream(
    opened: &Opened,
    plan: &Plan,
    form: Form,
    stream: &mut dyn Write,
) -> Result<(Ended, Exported), Unfinished> {
    match form {
        // The first line tells the numbers: they are counted first.
        Form::Aut if plan.place.is_none() => {
            let (ended, counts) = pass(opened, plan, form, &mut io::sink())?;
            if ended != Ended::Whole {
                return Ok((ended, counts));
            }
            let mut stream = BufWriter::new(stream);
            let written = format::aut_head(&mut stream, counts);
            match written {
                Ok(()) => Ok(pass(opened, plan, form, &mut stream)?),
                Err(error) => Ok((Ended::Unwritable(error), counts)),
            }
        }
        // A picture of the half of a graph is of no use; it is small.
        Form::Dot => {
            let mut whole = Vec::new();
            let (ended, counts) = pass(opened, plan, form, &mut whole)?;
            match ended {
                Ended::Whole => match stream.write_all(&whole) {
                    Ok(()) => Ok((ended, counts)),
                    Err(error) => Ok((Ended::Unwritable(error), counts)),
                },
                _ => Ok((ended, counts)),
            }
        }
        // Their last line tells whether they are whole. Several processes have counted everything before they write.
        Form::Aut | Form::Json | Form::Kripke => Ok(pass(opened, plan, form, &mut BufWriter::new(stream))?),
    }
}

fn to_file(opened: &Opened, plan: &Plan, form: Form, path: &Path) -> Result<(Ended, Exported), Unfinished> {
    let place = format!("`{}`", path.display());
    if !plan.force
        && let Some(why) = output::occupied(path, Kind::Space)
    {
        let message = format!("{place} cannot be written: {why}; give another name, or `--force` to write over it");
        return Err(Unfinished::Failed(Problem::error(Code::UnwritableFile, message).into()));
    }
    let mut came = None;
    let written = output::replace(path, &mut |file: &mut File| {
        let mut buffered = BufWriter::new(&mut *file);
        let later = form == Form::Aut && plan.place.is_none();
        if later {
            format::aut_head(&mut buffered, Exported { states: 0, transitions: 0 })?;
        }
        let pass = pass(opened, plan, form, &mut buffered);
        buffered.flush()?;
        drop(buffered);
        if let Ok((Ended::Whole, counts)) = &pass
            && later
        {
            file.seek(SeekFrom::Start(0))?;
            format::aut_head(file, *counts)?;
        }
        let whole = matches!(pass, Ok((Ended::Whole, _)));
        came = Some(pass);
        if whole { Ok(()) } else { Err(io::Error::other("the graph is not whole")) }
    });
    match (came, written) {
        (Some(Ok((Ended::Whole, _))), Err(error)) => Err(Unfinished::Failed(unwritable(&place, &error))),
        (Some(came), _) => Ok(came?),
        (None, Err(error)) => Err(Unfinished::Failed(unwritable(&place, &error))),
        (None, Ok(())) => Err(Unfinished::Cut("nothing was written".to_string())),
    }
}
