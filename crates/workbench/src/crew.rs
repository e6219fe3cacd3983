//! Several processes that share the searches of one check: who this one is, and how it meets the others.

use crate::ask::plan::{Plan, is_name};
use crate::open::Opened;
use crate::problem::{Code, Failure, Problem};
use crate::report::TOOL;
use rapidhash::v3::rapidhash_v3;
use starwheel_distrib::net::Meeting;
use starwheel_distrib::{Apart, Crew, Links, SHARES, Terms};
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// The place of a process among several.
#[derive(Clone, Debug)]
pub struct Place {
    /// Its number; the first one answers.
    pub index: usize,
    /// How many there are.
    pub count: usize,
    /// A number that no other run has.
    pub run: u64,
    /// Where all meet.
    pub way: Way,
}

/// How processes meet.
#[derive(Clone, Debug)]
pub enum Way {
    /// On one machine.
    Folder {
        /// A folder that nobody else can enter.
        folder: PathBuf,
        /// A process that has ended already, by its number; zero if none has.
        gone: Arc<AtomicUsize>,
    },
    /// Over a network; it is done once.
    Net(Arc<Mutex<Option<Meeting>>>),
}

impl Way {
    /// Over a network, where somebody is connected already.
    pub fn net(meeting: Meeting) -> Way {
        Way::Net(Arc::new(Mutex::new(Some(meeting))))
    }
}

/// Options that change what is searched, or how; they are the same for all processes, and no others are told to workers.
pub const TRAVELLING: [&str; 27] = [
    "define",
    "undefine",
    "include",
    "no-assert",
    "no-deadlock",
    "empty-channels",
    "all-errors",
    "search",
    "merge",
    "dead-vars",
    "ltl",
    "no-ltl",
    "ltl-compat",
    "never",
    "claim",
    "automaton",
    "accept",
    "progress",
    "timers",
    "zeno",
    "divergent",
    "por",
    "symmetry",
    "engine",
    "store",
    "fair",
    "wire",
];

/// The options of a plan that all processes have to know, as they have to be typed for the text that was opened.
pub fn travelling(opened: &Opened, plan: &Plan) -> Vec<(String, Option<String>)> {
    let said = |name: &str, value: &str| match name {
        "ltl" if !is_name(value) => opened.words.formula(value),
        _ => value.to_string(),
    };
    let given = plan.typed.given().filter(|(name, _)| TRAVELLING.contains(name));
    given.map(|(name, value)| (name.to_string(), value.map(|value| said(name, value)))).collect()
}

/// What the processes of a run have to agree on.
fn terms(opened: &Opened, plan: &Plan, place: &Place) -> Terms {
    let text = format!("{} {} {:?}", opened.hash, opened.model.transitions.len(), travelling(opened, plan));
    Terms {
        run: place.run,
        count: place.count as u32,
        digest: rapidhash_v3(text.as_bytes()),
        shares: SHARES as u32,
        version: Terms::version(TOOL),
    }
}

/// Meets the other processes, if there are such.
pub fn join(opened: &Opened, plan: &Plan) -> Result<Option<Crew>, Failure> {
    let Some(place) = &plan.place else { return Ok(None) };
    let cannot = |why: String| Failure::from(Problem::error(Code::Processes, why));
    let terms = terms(opened, plan, place);
    let links = match &place.way {
        Way::Folder { folder, gone } => {
            let gone = || Some(gone.load(Ordering::Relaxed)).filter(|&number| number > 0);
            Links::meet(folder, place.index, terms, &gone)
        }
        Way::Net(meeting) => match meeting.lock().unwrap_or_else(PoisonError::into_inner).take() {
            Some(meeting) => meeting.meet(place.index, TOOL, terms),
            None => Err(Apart::Missing(0)),
        },
    };
    let links = links.map_err(|apart| cannot(apart.to_string()))?;
    let crew = Crew::new(links).map_err(|error| cannot(format!("the processes cannot be connected: {error}")))?;
    Ok(Some(crew))
}
