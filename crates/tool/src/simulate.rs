//! The command `simulate`: one run, at random or chosen step by step.

use crate::{interactive, replay, screen};
use starwheel_workbench::chart::Chart;
use starwheel_workbench::show::{self, Columns, Detail};
use starwheel_workbench::{Failure, Opened, Plan, Random, Recorder, Walk, open};
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

/// How a run ended.
pub enum End {
    /// As many steps as wanted were taken.
    Enough,
    /// No step is possible, and that is fine.
    Done,
    /// Something went wrong: what, in one sentence.
    Wrong(String),
}

/// Simulates a model.
pub fn run(path: &Path, plan: &Plan) -> Result<u8, Failure> {
    let opened = open(path, &plan.reading)?;
    screen::problems(&opened.warnings);
    if plan.interactive {
        return Ok(interactive::run(&opened, plan));
    }
    let seed = plan.seed.unwrap_or_else(clock);
    let (walk, end) = random(&opened, seed, plan.steps, |columns, m| {
        if !plan.chart {
            screen::out(&columns.line(m, Detail { brief: plan.brief }));
        }
    });
    if plan.chart {
        screen::out(&Chart::of(&walk).text());
    }
    replay::picture(&walk, plan)?;
    screen::out(&ending(&walk, &end));
    screen::out(&format!("\nSeed {seed}: `--seed {seed}` gives the same run again.\n"));
    Ok(u8::from(matches!(end, End::Wrong(_))))
}

/// What is to be said after a run.
pub fn ending(walk: &Walk, end: &End) -> String {
    let steps = walk.moves.last().map_or(0, |m| m.number);
    let word = match end {
        End::Enough => format!("Stopped after {steps} steps, as many as wanted"),
        End::Done => format!("The run is over after {steps} steps"),
        End::Wrong(what) => format!("Wrong after {steps} steps: {what}"),
    };
    format!("\n{word}.\n\nAt the end:\n{}", show::situation(&walk.last))
}

/// A random run; `each` sees every move as it happens.
pub fn random(
    opened: &Opened,
    seed: u64,
    most: u64,
    mut each: impl FnMut(&Columns, &starwheel_workbench::walk::Move),
) -> (Walk, End) {
    let columns = Columns::open();
    let mut random = Random::new(seed);
    let mut recorder = Recorder::new(opened);
    let mut moves = Vec::new();
    let end = loop {
        if moves.len() as u64 >= most {
            break End::Enough;
        }
        let steps = recorder.enabled();
        let Some(&step) = random.choose(&steps) else { break stuck(&mut recorder) };
        let recorded = recorder.take(step);
        recorded.moves.iter().for_each(|m| each(&columns, m));
        moves.extend(recorded.moves);
        // As in SPIN, a run ends where an assertion fails.
        if let Some(wrong) = recorded.fired.violations.first() {
            break End::Wrong(wrong.message.clone());
        }
    };
    (Walk { moves, last: recorder.situation().clone() }, end)
}

/// What it means that nothing is possible any more.
pub fn stuck(recorder: &mut Recorder<'_>) -> End {
    recorder.stuck().map_or(End::Done, End::Wrong)
}

fn clock() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    now.map_or(1, |d| d.as_nanos() as u64 % 1_000_000)
}
