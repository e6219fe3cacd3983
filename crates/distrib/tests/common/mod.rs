//! Models and crews for the tests: the processes are threads here, each with connections of its own.
#![allow(dead_code)] // Each test file uses its own part.

use starwheel_base::SourceMap;
use starwheel_distrib::{Crew, Links, Wire, run};
use starwheel_engine::{Job, Report, Silent};
use starwheel_model::Model;
use starwheel_promela::preprocess::Loader;
use starwheel_promela::{CompileOptions, compile};
use std::ops::Range;

/// The seeds that the environment asks for, or the usual ones.
pub fn seeds(usual: Range<u64>) -> Range<u64> {
    let given = std::env::var("STARWHEEL_SEEDS").ok();
    let range = given.as_deref().and_then(|s| s.split_once(".."));
    range.and_then(|(a, b)| Some(a.parse().ok()?..b.parse().ok()?)).unwrap_or(usual)
}

/// Something that stays: the threads of a test may outlive it.
pub fn leaked<T>(value: T) -> &'static T {
    Box::leak(Box::new(value))
}

/// There are no other files.
struct NoFiles;

impl Loader for NoFiles {
    fn load(&self, path: &str, _: &str, _: bool) -> Result<(String, String), String> {
        Err(format!("no file `{path}` here"))
    }
}

/// A model, if the text is one.
pub fn model(text: &str) -> Option<Model> {
    let mut map = SourceMap::new();
    let main = map.add_file("model.pml".to_string(), text.to_string());
    compile(&mut map, main, &CompileOptions::default(), &NoFiles).model
}

/// The report of the first of so many processes.
pub fn shared(job: &(dyn Fn() -> Job<'static> + Sync), processes: usize, wire: Wire) -> Report {
    let links = Links::pairs(processes).expect("sockets");
    std::thread::scope(|scope| {
        let member = |links: Links| {
            scope.spawn(move || {
                let mut crew = Crew::new(links).expect("a crew");
                run(&job(), &mut crew, wire, &Silent)
            })
        };
        let all: Vec<_> = links.into_iter().map(member).collect();
        let mut reports = all.into_iter().map(|member| member.join().expect("no panic"));
        let first = reports.next().expect("there is a first one");
        reports.for_each(drop);
        first
    })
}
