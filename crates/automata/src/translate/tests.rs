//! Every reduction keeps the language of random automata, which are wilder than those of formulas.

use super::degeneralise::{Reuse, degeneralise};
use super::graph::{Arrow, Graph};
use super::marks::{renumber, saturate, saturate_states, strip, strip_states};
use super::simulate::{Keep, reduce_across, reduce_backward, reduce_forward};
use super::{orders, reduced, to_buchi};
use crate::automaton::Tgba;
use crate::bdd::Bdd;
use crate::random::{Rng, lasso};
use crate::words::Prop;
use starwheel_base::cancel::Watch;

const PROPS: [Prop; 2] = [Prop(0), Prop(1)];

fn random_graph(rng: &mut Rng, bdd: &mut Bdd, states: u32, mark_count: u32) -> Graph {
    let mut arrows = vec![Vec::new(); states as usize];
    for list in &mut arrows {
        for _ in 0..rng.below(4) {
            let (p, q) = (bdd.literal(0, rng.below(2) == 0), bdd.literal(1, rng.below(2) == 0));
            let label = match rng.below(4) {
                0 => Bdd::TRUE,
                1 => p,
                2 => bdd.and(p, q),
                _ => bdd.or(p, q),
            };
            list.push(Arrow { label, marks: rng.bits() & ((1 << mark_count) - 1), to: rng.below(states) as usize });
        }
    }
    Graph { arrows, initial: 0, mark_count }
}

fn same_language(bdd: &mut Bdd, rng: &mut Rng, before: &Tgba, after: &Graph, what: &str) {
    let after = after.export(bdd, &PROPS).unwrap();
    for _ in 0..25 {
        let word = lasso(rng, 3, 4, 2);
        assert_eq!(before.accepts(&word), after.accepts(&word), "{what} on {word:?}:\n{before:#?}\n{after:#?}");
    }
}

#[test]
fn reductions_keep_the_language() {
    type Change = fn(&mut Bdd, &mut Graph);
    let changes: [(&str, Change); 8] = [
        ("trim", |_, graph| graph.trim()),
        ("join parallel edges", |bdd, graph| graph.join_parallel(bdd)),
        ("saturate", |_, graph| saturate(graph)),
        ("strip", |_, graph| strip(graph)),
        ("renumber", |_, graph| renumber(graph)),
        ("forward", reduce_forward),
        ("backward", |bdd, graph| reduce_backward(bdd, graph, Keep::EdgeMarks)),
        ("across", reduce_across),
    ];
    for seed in 0..1500 {
        let (mut rng, mut bdd) = (Rng::new(seed), Bdd::new(1 << 20, Watch::never()));
        let (states, marks) = (1 + rng.below(6), rng.below(3));
        let graph = random_graph(&mut rng, &mut bdd, states, marks);
        let before = graph.export(&mut bdd, &PROPS).unwrap();
        for (name, change) in changes {
            let mut after = graph.clone();
            change(&mut bdd, &mut after);
            same_language(&mut bdd, &mut rng, &before, &after, &format!("seed {seed}, {name}"));
        }
    }
}

#[test]
fn accepting_states_keep_the_language() {
    for seed in 0..1000 {
        let (mut rng, mut bdd) = (Rng::new(seed), Bdd::new(1 << 20, Watch::never()));
        let (states, marks) = (1 + rng.below(6), rng.below(4));
        let graph = random_graph(&mut rng, &mut bdd, states, marks);
        let before = graph.export(&mut bdd, &PROPS).unwrap();
        for order in orders(marks) {
            for reuse in [Reuse::Once, Reuse::Again] {
                let mut after = degeneralise(&graph, &order, reuse);
                let same = |list: &Vec<Arrow>| list.iter().all(|arrow| arrow.marks == list[0].marks);
                assert!(after.arrows.iter().all(same), "seed {seed}: marks belong to states");
                same_language(&mut bdd, &mut rng, &before, &after, &format!("seed {seed}, {order:?}, {reuse:?}"));
                saturate_states(&mut after);
                same_language(&mut bdd, &mut rng, &before, &after, &format!("seed {seed}, saturated"));
                strip_states(&mut after);
                reduce_backward(&mut bdd, &mut after, Keep::StateMarks);
                assert!(after.arrows.iter().all(same), "seed {seed}: marks belong to states after backward reduction");
                same_language(&mut bdd, &mut rng, &before, &after, &format!("seed {seed}, stripped and reduced"));
            }
        }
    }
}

/// The functions for automata that do not come from formulas, with several initial states.
#[test]
fn whole_way_keeps_the_language() {
    for seed in 0..500 {
        let (mut rng, mut bdd) = (Rng::new(seed), Bdd::new(1 << 20, Watch::never()));
        let (states, marks) = (2 + rng.below(6), rng.below(4));
        let mut before = random_graph(&mut rng, &mut bdd, states, marks).export(&mut bdd, &PROPS).unwrap();
        before.add_initial(crate::StateId(1));
        let (general, plain) = (reduced(&before).unwrap(), to_buchi(&before).unwrap());
        for _ in 0..25 {
            let word = lasso(&mut rng, 3, 4, 2);
            assert_eq!(before.accepts(&word), general.accepts(&word), "seed {seed}, generalised, {word:?}");
            assert_eq!(before.accepts(&word), plain.as_tgba().accepts(&word), "seed {seed}, {word:?}");
        }
    }
}
