//! A formula read on a single infinite run: a stem and a loop.

use starwheel_engine::Random;
use starwheel_model::{Formula, Interp, Model, ModelSystem, System};
use starwheel_workbench::Opened;

/// Steps after which a run that has not come round is given up.
const MOST_STEPS: usize = 400;

/// A run of stored states: after the last one comes that with the number `back`.
pub struct Run {
    /// The states in order.
    pub states: Vec<Vec<u8>>,
    back: usize,
}

/// A random run of the system alone. One that ends stays in its last state; one with an error is none.
pub fn run(opened: &Opened, random: &mut Random) -> Option<Run> {
    let system = ModelSystem(&opened.model);
    let (mut stepper, hidden) = (system.stepper(), system.hidden_bytes());
    let mut state = Vec::new();
    if stepper.initial(&mut state).broken {
        return None;
    }
    let mut states = vec![state.clone()];
    for _ in 0..MOST_STEPS {
        let mut steps = Vec::new();
        stepper.enabled(&state, &mut steps);
        if steps.is_empty() {
            let back = states.len() - 1;
            return Some(Run { states, back });
        }
        let step = steps[random.below(steps.len() as u64) as usize];
        let mut next = Vec::new();
        if stepper.fire(&state, step, &mut next).broken {
            return None;
        }
        state = next;
        if stepper.transient(&state) {
            continue;
        }
        // Coming round at once would make runs short: the first states seen again are passed by now and then.
        let again = states.iter().position(|s| s[hidden..] == state[hidden..]);
        if let Some(back) = again.filter(|_| random.below(3) == 0) {
            return Some(Run { states, back });
        }
        states.push(state.clone());
    }
    None
}

/// Whether a formula is true of a run; none if a condition of it has no value there.
pub fn holds(opened: &Opened, formula: &Formula, run: &Run) -> Option<bool> {
    values(&opened.model, formula, run)?.first().copied()?
}

/// By state of the run: whether the formula is true from there on, if that has a value. None if something that is asked for
/// all states has none in one of them.
fn values(model: &Model, formula: &Formula, run: &Run) -> Option<Vec<Option<bool>>> {
    let of = |f: &Formula| values(model, f, run);
    let all = |f: &Formula| of(f)?.into_iter().collect::<Option<Vec<bool>>>();
    let some = |list: Vec<bool>| Some(list.into_iter().map(Some).collect());
    // What stands on the left may make it needless to look at the right.
    let both = |a: &Formula, b: &Formula, left: fn(bool) -> Option<bool>, join: fn(bool, bool) -> bool| {
        let join = |(a, b): (Option<bool>, Option<bool>)| left(a?).or_else(|| Some(join(a?, b?)));
        Some(of(a)?.into_iter().zip(of(b)?).map(join).collect::<Vec<_>>())
    };
    let always = vec![true; run.states.len()];
    let never = vec![false; run.states.len()];
    match formula {
        Formula::Prop(e, _) => {
            let mut interp = Interp::new(model);
            Some(run.states.iter().map(|s| interp.evaluate(s, e).ok().map(|v| v != 0)).collect())
        }
        Formula::Not(a) => Some(of(a)?.into_iter().map(|v| v.map(|v| !v)).collect()),
        Formula::And(a, b) => both(a, b, |a| (!a).then_some(false), |a, b| a && b),
        Formula::Or(a, b) => both(a, b, |a| a.then_some(true), |a, b| a || b),
        Formula::Implies(a, b) => both(a, b, |a| (!a).then_some(true), |a, b| !a || b),
        Formula::Equivalent(a, b) => both(a, b, |_| None, |a, b| a == b),
        Formula::Next(a) => {
            let a = of(a)?;
            Some((0..a.len()).map(|i| a[after(run, i)]).collect())
        }
        Formula::Eventually(a) => some(fixpoint(run, &always, &all(a)?, false)),
        Formula::Until(a, b) => some(fixpoint(run, &all(a)?, &all(b)?, false)),
        Formula::WeakUntil(a, b) => some(fixpoint(run, &all(a)?, &all(b)?, true)),
        Formula::Always(a) => some(fixpoint(run, &all(a)?, &never, true)),
        Formula::Release(a, b) => {
            // `b` holds up to and with the state where `a` does, if there is one.
            let (a, b) = (all(a)?, all(b)?);
            let last: Vec<bool> = a.iter().zip(&b).map(|(a, b)| *a && *b).collect();
            some(fixpoint(run, &b, &last, true))
        }
    }
}

fn after(run: &Run, at: usize) -> usize {
    if at + 1 < run.states.len() { at + 1 } else { run.back }
}

/// The solution of `x = b || (a && next x)` that one comes to from `start` everywhere.
fn fixpoint(run: &Run, a: &[bool], b: &[bool], start: bool) -> Vec<bool> {
    let mut x = vec![start; run.states.len()];
    loop {
        let next: Vec<bool> = (0..x.len()).map(|i| b[i] || (a[i] && x[after(run, i)])).collect();
        if next == x {
            return x;
        }
        x = next;
    }
}
