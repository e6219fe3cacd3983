//! Sessions, random walks and replay.

mod common;

use common::{Table, node};
use starwheel_engine::{End, Mismatch, NoSuchStep, Random, Session, random_walk, replay};
use std::ops::ControlFlow;

#[test]
fn a_session_goes_forward_and_back() {
    for seed in 0..200 {
        println!("seed {seed}");
        let table = Table::random(seed, 50);
        let mut random = Random::new(seed);
        let mut session = Session::new(&table);
        let mut states = vec![session.state().to_vec()];
        for _ in 0..50 {
            let available = session.enabled().len();
            assert_eq!(session.take(available).err(), Some(NoSuchStep { available }));
            if available == 0 {
                break;
            }
            session.take(random.below(available as u64) as usize).expect("the step is in the list");
            states.push(session.state().to_vec());
        }
        let trail: Vec<_> = session.history().iter().map(|past| past.step).collect();
        let mut replayed = vec![states[0].clone()];
        assert_eq!(replay(&table, &trail, &mut |taken| replayed.push(taken.after.to_vec())), Ok(()));
        assert_eq!(replayed, states);
        while let Some(state) = states.pop() {
            assert_eq!(session.state(), state);
            assert_eq!(session.back(), !states.is_empty());
        }
        assert!(session.history().is_empty() && node(session.state()) == 0);
    }
}

#[test]
fn the_same_seed_gives_the_same_walk() {
    let walk = |table: &Table, seed| {
        let mut steps = Vec::new();
        let end = random_walk(table, seed, Some(40), &mut |taken| {
            assert_eq!(taken.number, steps.len() as u64);
            steps.push(taken.step);
            ControlFlow::Continue(())
        });
        (steps, end)
    };
    let mut different = 0;
    for seed in 0..200 {
        println!("seed {seed}");
        let table = Table::random(seed, 20);
        let (steps, end) = walk(&table, 1);
        assert_eq!(walk(&table, 1), (steps.clone(), end.clone()));
        assert_eq!(replay(&table, &steps, &mut |_| ()), Ok(()));
        assert!(end != End::Enough || steps.len() == 40);
        different += u64::from(walk(&table, 2).0 != steps);
    }
    assert!(different > 100, "the seed has no influence");
}

#[test]
fn a_wrong_trail_is_refused() {
    let mut table = Table::with_nodes(2);
    let there = table.edge(0, 1);
    let back = table.edge(1, 0);
    let (there, back) = (table.step(there), table.step(back));
    assert_eq!(replay(&table, &[there, back, there], &mut |_| ()), Ok(()));
    assert_eq!(replay(&table, &[there, there], &mut |_| ()), Err(Mismatch::NotEnabled(1)));
    table.edges[0].broken = true;
    assert_eq!(replay(&table, &[there, back], &mut |_| ()), Err(Mismatch::Broken(1)));
}
