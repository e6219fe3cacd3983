//! What matters to a frame, against the interpreter on random programs: the steps of a process are the same whatever the rest of
//! the center is.

use super::*;
use crate::topology::decompose::refusal;
use crate::topology::shape::Shapes;
use starwheel_model::touch::audit::{Map, Said, Tried, walk};
use starwheel_model::{ProcessStep, Step};
use starwheel_promela::{CompileOptions, compile_text};
use starwheel_testkit::rng::{Rng, seeds};
use starwheel_testkit::{generate, print};

/// What is said about a step in a state: all that matters to the frames of its processes may be read and written.
fn says(model: &Model, parts: &Decomposition, state: &[u8], step: Step) -> Option<Said> {
    let mut shapes = Shapes::new(model);
    let id = shapes.of(state);
    let (shape, map) = (shapes.get(id), Map::new(model, state));
    let mut interp = Interp::new(model);
    let mut said = Said::default();
    let sets = |said: &mut Said, at: usize, bytes: Bytes| {
        said.tests.add(at, bytes);
        said.reads.add(at, bytes);
        said.writes.add(at, bytes);
    };
    sets(&mut said, 0, (0, model.layout.hidden));
    // Only the center is in question: whether others take a message is looked at with their frames.
    for &(frame, proctype) in &map.frames {
        let bytes = (0, model.layout.frames[proctype.index()].frame);
        said.tests.add(frame, bytes);
        said.reads.add(frame, bytes);
    }
    for pid in [Some(step.pid()), step.partner().map(|p| p.0)].into_iter().flatten() {
        let (frame, proctype) = map.frames[pid.index()];
        sets(&mut said, frame, (0, model.layout.frames[proctype.index()].frame));
        // The frame is all that is known.
        let mut bare = Vec::new();
        shape.compose(&vec![0; shape.center], &mut bare);
        bare[model.layout.header() as usize] = shape.count() as u8;
        shape.put(&mut bare, pid, shape.frame(state, pid));
        let touch = touch(&mut interp, parts, shape, &bare, pid);
        let center: Vec<u8> = (0..shape.center).map(|i| u8::from(touch.all.has(i as u32))).collect();
        let mut marked = Vec::new();
        shape.compose(&center, &mut marked);
        for at in marked.iter().enumerate().filter(|(_, m)| **m == 1).map(|(at, _)| at) {
            sets(&mut said, at, (0, 1));
        }
    }
    Some(said)
}

#[test]
fn steps_depend_on_what_matters_to_their_frames() {
    let mut tried = Tried::default();
    for seed in seeds(2000..2300) {
        let text = print::program(&generate::program(seed));
        for (dead_vars, merge) in [(false, false), (true, true)] {
            let options = CompileOptions { dead_vars, merge, ..CompileOptions::default() };
            let Some(model) = compile_text(&text, &options).model.filter(|m| refusal(m).is_none()) else { continue };
            let (parts, mut rng) = (Decomposition::new(&model), Rng::new(seed));
            match walk(&model, 40, &mut |n| rng.below(n), &mut |state, step| says(&model, &parts, state, step)) {
                Ok(more) => tried.add(more),
                Err(why) => panic!("seed {seed}, dead variables {dead_vars}, merged {merge}: {why}\n{text}"),
            }
        }
    }
    println!("{tried:?}");
    assert!(tried.beside * 4 > tried.steps && tried.impossible * 20 > tried.steps, "too little: {tried:?}");
}
