//! Follows a run step by step in the composed network. It shares nothing with the searches but the network itself.

use crate::lasso::Lasso;
use crate::net::{Local, Network};
use crate::question::Acceptance;

/// What is wrong with a run, in one sentence; nothing if it is an accepting run of the network.
pub fn confirm(net: &Network, acceptance: Acceptance, lasso: &Lasso) -> Result<(), String> {
    confirm_until(net, acceptance, lasso, || false)
}

/// As [`confirm`], until somebody who is asked at each step says that it is over; then the answer means nothing.
pub(crate) fn confirm_until(
    net: &Network,
    acceptance: Acceptance,
    lasso: &Lasso,
    mut over: impl FnMut() -> bool,
) -> Result<(), String> {
    if lasso.initial.len() != net.components.len() || lasso.cycle_start >= lasso.steps.len() {
        return Err("the run has no cycle, or not all components take part".into());
    }
    for (component, start) in net.components.iter().zip(&lasso.initial) {
        if !component.initial.contains(start) {
            return Err(format!("{} does not start in {}", component.name, component.state_name(*start)));
        }
    }
    let mut state = lasso.initial.clone();
    let mut turn = state.clone();
    let mut accepted = vec![false; net.components.len()];
    let mut together = false;
    for (number, step) in lasso.steps.iter().enumerate() {
        if over() {
            return Err("there was no time to follow the run".into());
        }
        if number == lasso.cycle_start {
            turn.clone_from(&state);
        }
        advance(net, &mut state, step).map_err(|why| format!("step {}: {why}", number + 1))?;
        if number >= lasso.cycle_start {
            let now = net.components.iter().zip(&state).map(|(c, s)| c.accepting[s.index()]);
            together |= now.clone().all(|accepting| accepting);
            now.zip(&mut accepted).for_each(|(accepting, known)| *known |= accepting);
        }
    }
    if state != turn {
        return Err("the cycle does not end where it starts".into());
    }
    let enough = match acceptance {
        Acceptance::Together => together,
        Acceptance::Each => accepted.iter().all(|a| *a),
    };
    if enough { Ok(()) } else { Err("the cycle is not accepting".into()) }
}

/// Makes one step.
fn advance(net: &Network, state: &mut [Local], step: &crate::lasso::Step) -> Result<(), String> {
    let action = net.actions.get(step.action.index()).ok_or("there is no such action")?;
    if action.parts.len() != step.to.len() {
        return Err(format!("`{}` moves {} components", action.name, action.parts.len()));
    }
    for (&id, &to) in action.parts.iter().zip(&step.to) {
        let component = net.component(id);
        let from = &mut state[id.index()];
        let edges = component.internal(*from).iter().chain(component.shared(*from));
        if !edges.into_iter().any(|e| e.action == step.action && e.to == to) {
            let (from, to) = (component.state_name(*from), component.state_name(to));
            return Err(format!("{} has no edge from {from} to {to} with `{}`", component.name, action.name));
        }
        *from = to;
    }
    Ok(())
}
