//! Searches that are saved all the time: each moment that was saved is gone on with by another number of processes, and ends with
//! the counts of a search that was never interrupted.

mod common;

use common::{leaked, model, seeds};
use starwheel_distrib::{Archive, Crew, Links, Wire, run};
use starwheel_engine::{Job, Limits, Order, Outcome, Report, Silent, Stop};
use starwheel_model::ModelSystem;
use starwheel_testkit::{generate, print};
use std::collections::BTreeMap;
use std::io::{self, Cursor, ErrorKind, Read, Write};
use std::sync::Mutex;
use std::time::Duration;

type Files = BTreeMap<(u64, usize), Vec<u8>>;

/// What was there when a record was made.
#[derive(Clone, Debug)]
struct Moment {
    record: Vec<u8>,
    files: Files,
}

/// An archive in memory, which keeps every moment.
#[derive(Default)]
struct Memory {
    every: Option<Duration>,
    from: Option<Moment>,
    files: Mutex<Files>,
    moments: Mutex<Vec<Moment>>,
    /// The number of the record that cannot be made.
    full: Option<usize>,
}

struct Growing<'a>(&'a Memory, (u64, usize));

impl Write for Growing<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.files.lock().unwrap().entry(self.1).or_default().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Archive for Memory {
    fn every(&self) -> Option<Duration> {
        self.every
    }

    fn record(&self) -> Option<&[u8]> {
        self.from.as_ref().map(|moment| &moment.record[..])
    }

    fn fresh(&self) -> u64 {
        7
    }

    fn create(&self, generation: u64, process: usize) -> io::Result<Box<dyn Write + '_>> {
        self.files.lock().unwrap().insert((generation, process), Vec::new());
        Ok(Box::new(Growing(self, (generation, process))))
    }

    fn sync(&self, _generation: u64, _process: usize) -> io::Result<()> {
        Ok(())
    }

    fn commit(&self, record: &[u8], _generation: u64) -> io::Result<()> {
        let mut moments = self.moments.lock().unwrap();
        if self.full == Some(moments.len()) {
            return Err(ErrorKind::StorageFull.into());
        }
        moments.push(Moment { record: record.to_vec(), files: self.files.lock().unwrap().clone() });
        Ok(())
    }

    fn read(&self, generation: u64, process: usize) -> io::Result<Box<dyn Read + '_>> {
        let file = self.from.as_ref().and_then(|moment| moment.files.get(&(generation, process)));
        Ok(Box::new(Cursor::new(file.ok_or(ErrorKind::NotFound)?.clone())))
    }
}

/// The report of the first of so many processes that share an archive.
fn shared(job: &(dyn Fn() -> Job<'static> + Sync), processes: usize, archive: &Memory) -> Report {
    let links = Links::pairs(processes).expect("sockets");
    std::thread::scope(|scope| {
        let member = |links: Links| {
            scope.spawn(move || {
                let mut crew = Crew::new(links).expect("a crew");
                run(&job(), &mut crew, Wire::Tree, Some(archive), &Silent).expect("it fits")
            })
        };
        let all: Vec<_> = links.into_iter().map(member).collect();
        let mut reports: Vec<Report> = all.into_iter().map(|member| member.join().expect("no panic")).collect();
        reports.swap_remove(0)
    })
}

/// What must not depend on interruptions.
fn facts(report: &Report) -> (Vec<u64>, BTreeMap<String, u64>, Vec<bool>) {
    assert!(matches!(report.outcome, Outcome::Holds(_) | Outcome::Violated), "{:?}", report.outcome);
    let s = &report.stats;
    let findings = report.findings.iter().map(|f| (format!("{:?} {:?}", f.violation.kind, f.violation.span), f.events));
    let counts = vec![s.states_stored, s.states_matched, s.transitions, s.atomic_steps, report.errors, s.state_bytes];
    (counts, findings.collect(), report.reached.clone())
}

/// Saves a search at all times with some numbers of processes, and goes on with others; the number of moments.
fn compare(text: &str, name: &str) -> Option<usize> {
    let system = leaked(ModelSystem(leaked(model(text)?)));
    let limits = Limits { time: Some(Duration::from_secs(20)), ..Limits::default() };
    let job = move || Job { all_errors: true, search: Order::Groups, limits, ..Job::new(system) };
    let soon = Limits { time: Some(Duration::from_secs(2)), ..Limits::default() };
    let alone = starwheel_engine::run(&Job { limits: soon, ..job() }, &Silent).expect("it fits");
    if alone.stats.states_stored > 20_000 || alone.stop.is_some() {
        return None;
    }
    let (expected, mut moments) = (facts(&alone), 0);
    for (before, after) in [(1, 3), (3, 1), (2, 4)] {
        let archive = Memory { every: Some(Duration::ZERO), ..Memory::default() };
        assert_eq!(facts(&shared(&job, before, &archive)), expected, "{name}, saved by {before}");
        let all = archive.moments.into_inner().unwrap();
        moments += all.len();
        // The first, the last, and some in between.
        for moment in all.iter().step_by(all.len().div_ceil(3).max(1)).chain(all.last()) {
            let archive = Memory { from: Some(moment.clone()), ..Memory::default() };
            assert_eq!(facts(&shared(&job, after, &archive)), expected, "{name}, {before} and then {after}");
        }
    }
    Some(moments)
}

const MODELS: [(&str, &str); 4] = [
    ("counter", "byte x; active [3] proctype P() { do :: x < 90 -> x++ :: x > 0 -> x-- od }"),
    (
        "hidden",
        "hidden byte h; byte x; active [2] proctype P() { do :: x < 200 -> h = _pid; x++ :: x > 3 -> h = 0; x-- od }",
    ),
    (
        "assert",
        "byte x, y; active [2] proctype P() { do :: x < 50 -> x++; assert(x < 40) :: x > 2 -> x = 0; y = 1 - y od }",
    ),
    (
        "atomic",
        "byte x; active [3] proctype P() { byte i; do :: atomic { if :: i = 1 :: i = 2 :: i = 2 fi; x = (x + i) % 200; i = 0 }; x = (x + 1) % 200 od }",
    ),
];

#[test]
fn every_moment_leads_to_the_same_end() {
    for (name, text) in MODELS {
        let moments = compare(text, name).unwrap_or_else(|| panic!("{name}"));
        assert!(moments > 3, "{name}: {moments} moments");
    }
}

#[test]
fn random_programs_go_on_where_they_were() {
    let mut compared = 0;
    for seed in seeds(100..130) {
        let text = print::program(&generate::program(seed));
        compared += u32::from(compare(&text, &format!("seed {seed}\n{text}")).is_some());
    }
    assert!(compared > 10, "only {compared} programs were compared");
}

#[test]
fn damage_is_never_taken_for_an_answer() {
    let system = leaked(ModelSystem(leaked(model(MODELS[0].1).expect("a model"))));
    let job = move || Job { search: Order::Groups, ..Job::new(system) };
    let archive = Memory { every: Some(Duration::ZERO), ..Memory::default() };
    _ = shared(&job, 2, &archive);
    let moment = archive.moments.into_inner().unwrap().pop().expect("a moment");
    let name = *moment.files.iter().max_by_key(|file| file.1.len()).expect("a file").0;
    let length = moment.files[&name].len();
    for at in [0, 5, 12, length / 2, length - 1] {
        let mut broken = moment.clone();
        broken.files.get_mut(&name).expect("the file")[at] ^= 4;
        let report = shared(&job, 3, &Memory { from: Some(broken), ..Memory::default() });
        assert!(matches!(report.outcome, Outcome::Stopped(Stop::Disk(_))), "{at}: {:?}", report.outcome);
    }
    let mut short = moment.clone();
    short.files.get_mut(&name).expect("the file").truncate(length / 2);
    let report = shared(&job, 2, &Memory { from: Some(short), ..Memory::default() });
    assert!(matches!(report.outcome, Outcome::Stopped(Stop::Disk(_))), "{:?}", report.outcome);
    let full = Memory { every: Some(Duration::ZERO), full: Some(1), ..Memory::default() };
    let report = shared(&job, 2, &full);
    assert!(matches!(report.outcome, Outcome::Stopped(Stop::Disk(_))), "{:?}", report.outcome);
    // What was saved before is as good as ever.
    let kept = full.moments.into_inner().unwrap().pop().expect("one was saved");
    let report = shared(&job, 3, &Memory { from: Some(kept), ..Memory::default() });
    assert!(matches!(report.outcome, Outcome::Holds(_)), "{:?}", report.outcome);
}
