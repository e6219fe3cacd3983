//! Models and crews for the tests: the processes are threads here, each with connections of its own.
#![allow(dead_code)] // Each test file uses its own part.

use starwheel_distrib::{Crew, Links, Wire, run};
use starwheel_engine::{Job, Report, Silent};
use starwheel_model::Model;
use starwheel_promela::{CompileOptions, compile_text};
pub use starwheel_testkit::rng::seeds;

/// Something that stays: the threads of a test may outlive it.
pub fn leaked<T>(value: T) -> &'static T {
    Box::leak(Box::new(value))
}

/// A model, if the text is one.
pub fn model(text: &str) -> Option<Model> {
    compile_text(text, &CompileOptions::default()).model
}

/// The report of the first of so many processes.
pub fn shared(job: &(dyn Fn() -> Job<'static> + Sync), processes: usize, wire: Wire) -> Report {
    narrow(job, processes, wire, 64)
}

/// The same, where a receiver may be behind by so many packets.
pub fn narrow(job: &(dyn Fn() -> Job<'static> + Sync), processes: usize, wire: Wire, window: u32) -> Report {
    let links = Links::pairs(processes).expect("sockets");
    std::thread::scope(|scope| {
        let member = |links: Links| {
            scope.spawn(move || {
                let mut crew = Crew::new(links).expect("a crew");
                crew.window = window;
                run(&job(), &mut crew, wire, None, &Silent).expect("it fits")
            })
        };
        let all: Vec<_> = links.into_iter().map(member).collect();
        let mut reports = all.into_iter().map(|member| member.join().expect("no panic"));
        let first = reports.next().expect("there is a first one");
        reports.for_each(drop);
        first
    })
}
