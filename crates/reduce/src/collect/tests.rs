//! Effects against the interpreter on random programs: a step of a process depends on nothing that its effect does not read,
//! and changes nothing that it does not write.

use super::*;
use crate::instance::values;
use starwheel_model::touch::audit::{Map, Said, Tried, walk};
use starwheel_model::{LocId, Model, Pid, ProcessStep, Step, TransId};
use starwheel_promela::{CompileOptions, compile_text};
use starwheel_testkit::generate::any_text;
use starwheel_testkit::rng::{Rng, seeds};

/// What is said about a step in a state; nothing about the tick, with which nothing is reduced.
fn says(context: &Context<'_>, state: &[u8], step: Step) -> Option<Said> {
    let map = Map::new(context.model, state);
    let mut said = Said::default();
    let own = Some((Pid(step.actor.agent()?), step.action));
    for (pid, trans) in [own, step.partner()].into_iter().flatten() {
        add(context, &map, state, pid, trans, &mut said);
    }
    Some(said)
}

fn add(context: &Context<'_>, map: &Map<'_>, state: &[u8], pid: Pid, trans: TransId, said: &mut Said) {
    let (frame, proctype) = map.frames[pid.index()];
    let by_pid = context.fixed.by_pid[proctype.index()].then_some(pid.0);
    let known = Known { proctype, pid: by_pid, values: values(context, proctype, state, frame) };
    let loc = LocId(u16::from_le_bytes([state[frame + 2], state[frame + 3]]));
    let effect = context.effect(&known, &context.model.proctype(proctype).locs[loc.index()], trans);
    map.touch(&[pid], &effect.tests, &mut said.tests);
    map.touch(&[pid], &effect.reads, &mut said.reads);
    map.touch(&[pid], &effect.writes, &mut said.writes);
    // What looks at everything clashes with everything: nothing rests on what it writes, such as a priority.
    said.writes.all |= said.reads.all;
    // Whether somebody listens depends on where everybody is.
    said.tests.all |= !effect.listens.is_empty();
    said.reads.all |= !effect.listens.is_empty();
    if effect.life.meets(Life::RUN.with(Life::END)) {
        said.writes.add(context.model.layout.header() as usize, (0, 1));
    }
    for (number, kinds) in effect.uses.iter() {
        let channels = number.map_or(0..map.channels.len(), |n| usize::from(n) - 1..usize::from(n));
        for i in channels {
            map.channel(i, &mut said.tests);
            map.channel(i, &mut said.reads);
            if kinds.meets(Kinds::SEND.with(Kinds::RECEIVE).with(Kinds::DEATH)) {
                map.channel(i, &mut said.writes);
            }
        }
    }
}

#[test]
fn steps_depend_on_what_their_effects_read() {
    let mut tried = Tried::default();
    for seed in seeds(1000..1300) {
        let text = any_text(seed);
        for (dead_vars, merge) in [(false, false), (true, true)] {
            let options = CompileOptions { dead_vars, merge, ..CompileOptions::default() };
            let Some(model) = compile_text(&text, &options).model else { continue };
            match audit(&model, seed) {
                Ok(more) => tried.add(more),
                Err(why) => panic!("seed {seed}, dead variables {dead_vars}, merged {merge}: {why}\n{text}"),
            }
        }
    }
    println!("{tried:?}");
    assert!(tried.beside * 4 > tried.steps && tried.impossible * 20 > tried.steps, "too little: {tried:?}");
}

fn audit(model: &Model, seed: u64) -> Result<Tried, String> {
    let (context, mut rng) = (Context::new(model), Rng::new(seed));
    walk(model, 40, &mut |n| rng.below(n), &mut |state, step| says(&context, state, step))
}
