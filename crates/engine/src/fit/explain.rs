//! Why a wish cannot be met: the fewest things that do not go together, and what the search that comes closest lacks.

use super::{By, Misfit, Shared, Wish, assemble, need, obstacles};
use crate::facts::{Axis, Method};

/// The fewest things that were asked for and do not go together, for what is looked for.
pub(super) fn explain(wish: &Wish, methods: &[&'static Method]) -> Misfit {
    let asked = |a: &Axis| *a != Axis::Sought && wish.wants(*a) == Some(By::Asked);
    let asked: Vec<Axis> = Axis::ALL.into_iter().filter(asked).collect();
    // What none of these searches can be without is not the reason.
    let (given, free): (Vec<Axis>, Vec<Axis>) =
        asked.into_iter().partition(|a| methods.iter().all(|m| need(m) == Some(*a)));
    let with = |axes: &[Axis]| wish.only(&[&given[..], axes].concat());
    let apart = |axes: &Vec<Axis>| !methods.iter().any(|m| assemble(m, &with(axes)).is_some());
    let least = (0..free.len()).find_map(|size| subsets(&free, size).into_iter().find(apart)).unwrap_or(free);
    let all = [&given[..], &least].concat();
    let mut named = all.iter().copied().chain([Axis::Sought]);
    let left = named.next().unwrap_or(Axis::Sought);
    let right = named.next().unwrap_or(Axis::Sought);
    let mut also: Vec<Axis> = named.collect();
    also.pop();
    Misfit { left, right, also, why: reason(*least.last().unwrap_or(&left), &wish.only(&all), methods) }
}

/// All ways to choose so many, in order.
fn subsets(all: &[Axis], size: usize) -> Vec<Vec<Axis>> {
    if size == 0 {
        return vec![Vec::new()];
    }
    let mut out = Vec::new();
    for (i, first) in all.iter().enumerate() {
        let rest = subsets(&all[i + 1..], size - 1);
        out.extend(rest.into_iter().map(|rest| [&[*first][..], &rest].concat()));
    }
    out
}

/// Why the search that comes closest cannot do it: best the one that lacks nothing but what is named last, for the first things
/// decide what kind of search it is; and best one that can do each of them, and says why not together.
fn reason(last: Axis, wish: &Wish, methods: &[&'static Method]) -> String {
    let distance = |method: &&&'static Method| {
        let all: Vec<_> = obstacles(method, wish).filter(|o| wish.wants(o.axis) != Some(By::Default)).collect();
        let needs = all.iter().filter(|o| wish.wants(o.axis).is_none() || o.axis == Axis::Sought).count();
        let others = all.iter().filter(|o| o.axis != last && o.other.is_none_or(|o| o.0 != last)).count();
        let alone = all.iter().filter(|o| o.other.is_none()).count();
        (needs, others, all.len(), alone)
    };
    let closest = methods.iter().min_by_key(distance);
    let why = closest.and_then(|m| {
        let first = obstacles(m, wish).find(|o| wish.wants(o.axis) != Some(By::Default))?;
        Some(first.other.map_or_else(|| lacking(m, wish, first.axis), |o| o.1.to_string()))
    });
    why.unwrap_or_else(|| "no search does this".to_string())
}

/// What a search lacks in one dimension, as a sentence without an end.
fn lacking(method: &Method, wish: &Wish, axis: Axis) -> String {
    let title = method.title;
    match axis {
        Axis::Processes if wish.shared != Shared::Alone => format!("{title} is for one process"),
        Axis::Processes => format!("{title} is for several processes"),
        Axis::Machines => format!("{title} is for one machine"),
        Axis::Decoupling if wish.decoupled => format!("{title} knows no decoupled states"),
        Axis::Decoupling => format!("{title} is for decoupled states"),
        Axis::Spill if wish.spill => format!("{title} keeps all states in memory"),
        Axis::Spill => format!("{title} is for states on the disk"),
        Axis::Save | Axis::Resume => format!("{title} cannot be saved"),
        Axis::Store => format!("{title} does not work with the store `{}`", wish.store.value.kind().name()),
        Axis::Code => format!("{title} is interpreted"),
        Axis::Workers if wish.workers.value > 1 => format!("{title} has one worker"),
        Axis::Workers => format!("{title} is for several workers"),
        Axis::Switches => format!("{title} looks for runs without end, and what is preferred ends in an error"),
        Axis::Counting => format!("{title} does not know which error is the n-th one"),
        Axis::Reduction if !method.facts.provisos.is_empty() => {
            format!("{title} sees a system with fewer steps and asks no reducer")
        }
        Axis::Reduction => format!("{title} takes all steps"),
        Axis::Fairness => format!("{title} does not know this fairness"),
        Axis::Components => format!("{title} does not go component by component"),
        Axis::Sequence => format!("{title} does not visit states in this order"),
        Axis::Depth if wish.depth => format!("{title} knows no limit of depth"),
        Axis::Depth => format!("{title} needs a limit of depth"),
        Axis::PanOrder => format!("{title} does not keep to the order of pan"),
        Axis::Sought => format!("{title} does not look for this"),
        Axis::AllErrors | Axis::Audit | Axis::Several | Axis::Merging | Axis::Renaming | Axis::Jump => {
            format!("{title} cannot do this")
        }
    }
}
