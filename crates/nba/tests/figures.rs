//! The figures of the paper (Fig. 10), and large components.

use starwheel_automata::StateId;
use starwheel_automata::hoa::{ActionAutomaton, ActionEdge, read_actions};
use starwheel_engine::Silent;
use starwheel_nba::{Acceptance, Answer, Engine, Network, Question, Report, check, generate, write};

fn ask(automata: Vec<ActionAutomaton>, engine: Engine, acceptance: Acceptance) -> Report {
    check(&Network::new(automata), &Question { engine, acceptance, ..Question::default() }, &Silent)
}

#[test]
fn philosophers() {
    for (count, states) in [(3, 36), (4, 97), (5, 272), (6, 783), (7, 2290), (8, 6761)] {
        let report = ask(generate::philosophers(count), Engine::Split, Acceptance::Together);
        assert_eq!((report.answer.is_empty(), report.counts.stored), (true, states), "{count}");
    }
}

#[test]
fn rings() {
    for count in [6, 7, 8, 9, 10, 15, 20, 25, 50, 75] {
        let report = ask(generate::ring(count), Engine::Split, Acceptance::Together);
        assert_eq!((report.answer.is_empty(), report.counts.stored), (true, u64::from(count) + 2), "{count}");
    }
}

#[test]
fn other_engines_agree() {
    for automata in [generate::philosophers(4), generate::ring(4)] {
        for engine in [Engine::Explicit, Engine::Scc] {
            assert!(ask(automata.clone(), engine, Acceptance::Together).answer.is_empty());
        }
    }
    // Philosophers eat one after the other, for ever.
    for engine in [Engine::Explicit, Engine::Split, Engine::Scc] {
        let report = ask(generate::philosophers(3), engine, Acceptance::Each);
        assert!(matches!(report.answer, Answer::Run(_)), "{engine:?}: {report:?}");
    }
}

#[test]
fn written_and_read_again() {
    let shape = generate::Shape { components: 4, ..generate::Shape::default() };
    for automata in [generate::philosophers(3), generate::ring(3), generate::random(shape, 7)] {
        let again = read_actions(&write::write(&automata)).unwrap();
        let plain = |a: &ActionAutomaton| {
            let mut edges: Vec<_> = a.edges.iter().map(|e| (e.from, e.action, e.to)).collect();
            edges.sort();
            (a.actions.clone(), a.accepting.clone(), a.initial.clone(), edges)
        };
        assert_eq!(again.iter().map(plain).collect::<Vec<_>>(), automata.iter().map(plain).collect::<Vec<_>>());
    }
}

/// Two components with a hundred thousand local states each, all in one set.
#[test]
fn a_hundred_thousand_local_states() {
    const COUNT: u32 = 100_000;
    let large = |own: &str, accepting: u32| {
        let edge = |action, from, to| ActionEdge { from: StateId(from), action, to: StateId(to) };
        let mut edges: Vec<_> = (1..COUNT).map(|s| edge(0, s - 1, s)).collect();
        edges.push(edge(1, COUNT - 1, 0));
        edges.push(edge(1, COUNT / 2, COUNT / 3));
        ActionAutomaton {
            actions: vec![own.to_string(), "meet".to_string()],
            states: COUNT,
            initial: vec![StateId(0)],
            accepting: (0..COUNT).map(|s| s == accepting).collect(),
            edges,
            ..ActionAutomaton::default()
        }
    };
    for engine in [Engine::Split, Engine::Scc] {
        let report = ask(vec![large("x", 5), large("y", 70_000)], engine, Acceptance::Together);
        let Answer::Run(lasso) = report.answer else { panic!("{engine:?}: {:?}", report.answer) };
        assert!(lasso.steps.len() > COUNT as usize / 2, "{}", lasso.steps.len());
    }
}
