//! The command `simulate`: one run, at random or chosen step by step.

use crate::{interactive, replay, screen};
use starwheel_workbench::chart::Chart;
use starwheel_workbench::show::{self, Columns, Teller};
use starwheel_workbench::walk::{Move, Situation};
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

/// A run that is over.
pub struct Run {
    /// What holds at the end.
    pub last: Situation,
    /// The number of the last move.
    pub steps: u64,
    /// How it ended.
    pub end: End,
}

/// Simulates a model.
pub fn run(path: &Path, plan: &Plan) -> Result<u8, Failure> {
    let opened = open(path, &plan.reading)?;
    screen::warnings(&opened.warnings, plan.verbose);
    if plan.interactive {
        return Ok(interactive::run(&opened, plan, &[]));
    }
    let seed = plan.seed.unwrap_or_else(clock);
    let mut teller = Teller::new(Columns::open(&opened), screen::detail(plan));
    let mut moves = Vec::new();
    // Ticks in a row are one line, as in a trail: they wait until something else happens.
    let mut passing: Option<Move> = None;
    let run = random(&opened, seed, plan.steps, |m| {
        if plan.chart || plan.svg.is_some() {
            moves.push(m.clone());
        }
        if plan.chart || passing.as_mut().is_some_and(|before| before.join(m)) {
            return true;
        }
        let told = passing.take().is_none_or(|before| screen::heard(&teller.line(&before)));
        if m.tick.is_some() {
            passing = Some(m.clone());
            return told;
        }
        told && screen::heard(&teller.line(m))
    });
    if let Some(last) = passing {
        screen::out(&teller.line(&last));
    }
    let walk = Walk { moves, last: run.last, ..Walk::default() };
    if plan.chart {
        screen::out(&Chart::watching(&opened, &walk, &plan.watched).text());
    }
    replay::picture(Chart::watching(&opened, &walk, &plan.watched), plan)?;
    screen::out(&ending(&walk.last, run.steps, &run.end));
    screen::out(&format!("\nSeed {seed}: `--seed {seed}` gives the same run again.\n"));
    Ok(u8::from(matches!(run.end, End::Wrong(_))))
}

/// What is to be said after a run.
fn ending(last: &Situation, steps: u64, end: &End) -> String {
    let word = match end {
        End::Enough => format!("Stopped after {steps} steps, as many as wanted"),
        End::Done => format!("The run is over after {steps} steps"),
        End::Wrong(what) => format!("Wrong after {steps} steps: {what}"),
    };
    format!("\n{word}.\n\nAt the end:\n{}", show::situation(last, screen::width()))
}

/// A random run; `each` sees every move as it happens and says whether to go on.
pub fn random(opened: &Opened, seed: u64, most: u64, mut each: impl FnMut(&Move) -> bool) -> Run {
    let mut random = Random::new(seed);
    let mut recorder = Recorder::new(opened);
    let mut steps = 0;
    let end = loop {
        if steps >= most {
            break End::Enough;
        }
        let possible = recorder.enabled();
        let Some(&step) = random.choose(&possible) else { break stuck(&mut recorder) };
        let recorded = recorder.take(step);
        steps += recorded.moves.len() as u64;
        let go_on = recorded.moves.iter().all(&mut each);
        // As in SPIN, a run ends where an assertion fails.
        if let Some(wrong) = recorded.fired.violations.first() {
            break End::Wrong(recorder.words(wrong));
        }
        if !go_on {
            break End::Enough;
        }
    };
    Run { last: recorder.situation().clone(), steps, end }
}

/// What it means that nothing is possible any more.
fn stuck(recorder: &mut Recorder<'_>) -> End {
    recorder.stuck().map_or(End::Done, End::Wrong)
}

/// A seed that is different each time.
pub fn clock() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    now.map_or(1, |d| d.as_nanos() as u64 % 1_000_000)
}
