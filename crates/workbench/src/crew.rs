//! Several processes that share the searches of one check: who this one is, and how it meets the others.

use crate::ask::plan::Plan;
use crate::open::Opened;
use crate::problem::{Failure, Problem};
use crate::report::TOOL;
use rapidhash::v3::rapidhash_v3;
use starwheel_distrib::{Crew, Links, Terms};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The place of a process among several.
#[derive(Clone, Debug)]
pub struct Place {
    /// Where all meet: a folder that nobody else can enter.
    pub folder: PathBuf,
    /// Its number; the first one answers.
    pub index: usize,
    /// How many there are.
    pub count: usize,
    /// A number that no other run has.
    pub run: u64,
    /// A process that has ended already, by its number; zero if none has.
    pub gone: Arc<AtomicUsize>,
}

/// Meets the other processes, if there are such.
pub fn join(opened: &Opened, plan: &Plan) -> Result<Option<Crew>, Failure> {
    let Some(place) = &plan.place else { return Ok(None) };
    let cannot = |why: String| Failure::from(Problem::error("processes", why));
    let text = format!("{TOOL} {} {}", opened.hash, serde_json::Value::Object(plan.options.clone()));
    let terms = Terms { run: place.run, count: place.count as u32, digest: rapidhash_v3(text.as_bytes()) };
    let gone = || Some(place.gone.load(Ordering::Relaxed)).filter(|&number| number > 0);
    let links = Links::meet(&place.folder, place.index, terms, &gone).map_err(|apart| cannot(apart.to_string()))?;
    let crew = Crew::new(links).map_err(|error| cannot(format!("the processes cannot be connected: {error}")))?;
    Ok(Some(crew))
}
