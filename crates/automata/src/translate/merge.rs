//! Joins states whenever the automaton of the negated formula shows that no word is gained.
//!
//! Joining two states, with the edges of both, can only add words to the language. So if the joined automaton has no word in
//! common with the automaton of the negation, it still accepts exactly the words of the formula. Simulation relations find
//! most such pairs, but not those that only look alike from the initial state on.

use std::collections::HashMap;

use super::graph::{Arrow, Graph};
use super::simulate::Keep;
use crate::automaton::Marks;
use crate::bdd::Bdd;
use starwheel_base::scc::components;

/// Joins pairs of states, one after the other, as long as that is right and there is work left to be spent.
pub(crate) fn merge_checked(bdd: &mut Bdd, graph: &mut Graph, negation: &Graph, keep: Keep, work: &mut usize) {
    if graph.mark_count + negation.mark_count > Marks::LIMIT {
        return;
    }
    for first in 0..graph.len() {
        for second in first + 1..graph.len() {
            let effort = graph.arrow_count() * negation.arrow_count();
            if effort > *work || bdd.is_full() {
                return;
            }
            if graph.arrows[first].is_empty() || graph.arrows[second].is_empty() {
                continue;
            }
            *work -= effort;
            let joined = joined(bdd, graph, first, second, keep);
            if !share_word(bdd, &joined, negation) {
                *graph = joined;
            }
        }
    }
    graph.trim();
}

/// The automaton in which `second` has become part of `first`.
fn joined(bdd: &mut Bdd, graph: &Graph, first: usize, second: usize, keep: Keep) -> Graph {
    let mut result = graph.clone();
    let moved = std::mem::take(&mut result.arrows[second]);
    result.arrows[first].extend(moved);
    if keep == Keep::StateMarks {
        let marks = result.arrows[first].iter().fold(0, |marks, arrow| marks | arrow.marks);
        result.arrows[first].iter_mut().for_each(|arrow| arrow.marks = marks);
    }
    for arrow in result.arrows.iter_mut().flatten() {
        if arrow.to == second {
            arrow.to = first;
        }
    }
    if result.initial == second {
        result.initial = first;
    }
    result.join_parallel(bdd);
    result
}

/// True if both automata accept some word.
fn share_word(bdd: &mut Bdd, a: &Graph, b: &Graph) -> bool {
    let mut numbers = HashMap::from([((a.initial, b.initial), 0)]);
    let mut pairs = vec![(a.initial, b.initial)];
    let mut arrows: Vec<Vec<(usize, u64)>> = Vec::new();
    while let Some(&(from_a, from_b)) = pairs.get(arrows.len()) {
        let mut list = Vec::new();
        for (one, two) in a.arrows[from_a].iter().flat_map(|one| b.arrows[from_b].iter().map(move |two| (one, two))) {
            if bdd.and(one.label, two.label) != Bdd::FALSE {
                let to = (one.to, two.to);
                let number = *numbers.entry(to).or_insert_with(|| {
                    pairs.push(to);
                    pairs.len() - 1
                });
                list.push((number, both_marks(a, one, two)));
            }
        }
        arrows.push(list);
    }
    let successors: Vec<Vec<usize>> = arrows.iter().map(|list| list.iter().map(|edge| edge.0).collect()).collect();
    let found = components(&successors);
    let mut seen: Vec<Option<u64>> = vec![None; found.count];
    for (from, list) in arrows.iter().enumerate() {
        for &(_, marks) in list.iter().filter(|edge| found.of[edge.0] == found.of[from]) {
            seen[found.of[from]] = Some(seen[found.of[from]].unwrap_or(0) | marks);
        }
    }
    let all = Marks::all(a.mark_count + b.mark_count).0;
    seen.contains(&Some(all))
}

fn both_marks(a: &Graph, one: &Arrow, two: &Arrow) -> u64 {
    one.marks | two.marks.checked_shl(a.mark_count).unwrap_or(0)
}
