//! Walks through a model that are no searches: at random, along a trail, and through all states for a drawing.

use crate::adapter::{Adapted, Walker};
use crate::checker::Refused;
use crate::ground::Ground;
use crate::model::Model;
use crate::outcome::Trail;
use crate::unfold::Unfold;
use starwheel_engine::Random;
use starwheel_system::ViolationKind;
use std::collections::HashMap;
use std::io::{self, Write};

/// How a walk ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    /// It was as long as it should be, or the trail is over.
    Done,
    /// Nobody can move; true if the model may end there.
    Stuck(bool),
    /// The last step must never happen: in words.
    Wrong(String),
    /// The step with this number is not possible, or is not that of the trail.
    Impossible(usize),
}

/// One thing that can be done in a state.
struct Choice<A> {
    actor: usize,
    action: Option<A>,
    to: Vec<u8>,
    wrong: Option<String>,
    broken: Vec<String>,
}

/// All that can be done in a state.
fn choices<M: Model>(walker: &mut Walker<'_, M>, at: &[u8]) -> Vec<Choice<M::Action>> {
    let mut made = Vec::new();
    walker.each(at, None, |one| {
        let wrong = one.fired.violations.iter().find(|v| one.fired.broken && v.kind == ViolationKind::RuntimeError);
        let wrong = wrong.map(|v| v.message.clone());
        let broken = one.fired.violations.iter().map(|v| v.message.clone()).collect();
        made.push((one.step, one.state.to_vec(), wrong, broken));
    });
    let told = |(step, to, wrong, broken): (starwheel_system::Step, Vec<u8>, Option<String>, Vec<String>)| {
        let actor = usize::from(step.actor.agent().unwrap_or(0));
        Choice { actor, action: walker.action(at, step), to, wrong, broken }
    };
    made.into_iter().map(told).collect()
}

/// Takes steps as long as somebody chooses one.
fn walk<M: Model>(
    model: &M,
    mut choose: impl FnMut(usize, &[Choice<M::Action>]) -> Result<usize, End>,
    mut say: impl FnMut(&str),
) -> Result<(Trail<M>, End), Refused> {
    let ground = Ground::new(model)?;
    let system = Adapted { ground: &ground, watched: ground.watched() };
    let mut walker = system.walker();
    let mut at = Vec::new();
    walker.first(&mut at).violations.iter().for_each(|v| say(&v.message));
    let mut trail = Trail { states: ground.state(&at).into_iter().collect(), steps: Vec::new(), cycle_start: None };
    let end = loop {
        let mut all = choices(&mut walker, &at);
        if all.is_empty() {
            break End::Stuck(walker.stuck(&at).is_none());
        }
        let chosen = match choose(trail.steps.len(), &all) {
            Ok(chosen) => all.swap_remove(chosen),
            Err(end) => break end,
        };
        trail.steps.extend(chosen.action.map(|action| (chosen.actor, action)));
        if let Some(why) = chosen.wrong {
            break End::Wrong(why);
        }
        chosen.broken.iter().for_each(|message| say(message));
        at = chosen.to;
        trail.states.extend(ground.state(&at));
    };
    Ok((trail, end))
}

/// A walk at random of so many steps, at most. The same seed gives the same walk. What a property says on the way is told.
pub fn simulate<M: Model>(
    model: &M,
    seed: u64,
    most: usize,
    say: impl FnMut(&str),
) -> Result<(Trail<M>, End), Refused> {
    let mut random = Random::new(seed);
    let choose = |number: usize, all: &[Choice<M::Action>]| match number < most {
        true => Ok(random.below(all.len() as u64) as usize),
        false => Err(End::Done),
    };
    walk(model, choose, say)
}

/// Follows steps that are given as an actor and its action, as `{:?}` shows it.
pub fn follow<M: Model>(
    model: &M,
    steps: &[(usize, String)],
    say: impl FnMut(&str),
) -> Result<(Trail<M>, End), Refused> {
    let choose = |number: usize, all: &[Choice<M::Action>]| {
        // A step to a first state is nobody's, and any will do that the trail can go on from.
        let Some((actor, wanted)) = steps.get(number) else { return Err(End::Done) };
        let meant = |c: &Choice<M::Action>| match &c.action {
            Some(action) => c.actor == *actor && format!("{action:?}") == *wanted,
            None => true,
        };
        all.iter().position(meant).ok_or(End::Impossible(number))
    };
    walk(model, choose, say)
}

/// What states and steps are written as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// For Graphviz.
    Dot,
    /// For CADP, mCRL2 and LTSmin.
    Aut,
    /// One JSON object a line.
    Json,
}

/// All states and steps, in the order of distance; refused if there are more than so many states.
pub fn graph<M: Model>(model: &M, form: Form, most: usize, out: &mut dyn Write) -> Result<io::Result<()>, Refused> {
    let ground = Ground::new(model)?;
    if ground.has_root() {
        return Err(Refused::new("a graph is drawn of a model with one initial state"));
    }
    let system = Adapted { ground: &ground, watched: Vec::new() };
    let mut walker = system.walker();
    let mut first = Vec::new();
    walker.first(&mut first);
    let (mut states, mut numbers) = (vec![first.clone()], HashMap::from([(first, 0)]));
    let mut edges = Vec::new();
    let mut from = 0;
    while from < states.len() {
        for choice in choices(&mut walker, &states[from].clone()) {
            if choice.wrong.is_some() {
                continue;
            }
            let fresh = states.len();
            let to = *numbers.entry(choice.to).or_insert_with_key(|state| {
                states.push(state.clone());
                fresh
            });
            edges.push((
                from,
                format!("{:?}", choice.action.as_ref().map_or_else(String::new, |a| format!("{a:?}"))),
                to,
            ));
        }
        if states.len() > most {
            return Err(Refused::new(format!("there are more than {most} states: say --limit N for more")));
        }
        from += 1;
    }
    let shown = |state: &[u8]| format!("{:?}", ground.state(state).unwrap_or_default());
    Ok(write_graph(form, &states, &edges, shown, out))
}

fn write_graph(
    form: Form,
    states: &[Vec<u8>],
    edges: &[(usize, String, usize)],
    shown: impl Fn(&[u8]) -> String,
    out: &mut dyn Write,
) -> io::Result<()> {
    match form {
        Form::Aut => {
            writeln!(out, "des (0, {}, {})", edges.len(), states.len())?;
            edges.iter().try_for_each(|(from, label, to)| writeln!(out, "({from}, {label}, {to})"))
        }
        Form::Dot => {
            writeln!(out, "digraph states {{\n  node [shape=box];")?;
            for (number, state) in states.iter().enumerate() {
                writeln!(out, "  {number} [label={:?}];", shown(state))?;
            }
            edges.iter().try_for_each(|(from, label, to)| writeln!(out, "  {from} -> {to} [label={label}];"))?;
            writeln!(out, "}}")
        }
        Form::Json => {
            for (number, state) in states.iter().enumerate() {
                writeln!(out, "{}", serde_json::json!({ "state": number, "parts": shown(state) }))?;
            }
            let line = |(from, label, to): &(usize, String, usize)| serde_json::json!({ "from": from, "to": to, "action": label.trim_matches('"') });
            edges.iter().try_for_each(|edge| writeln!(out, "{}", line(edge)))
        }
    }
}
