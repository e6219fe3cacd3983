//! Weak fairness among names by the nested search of chapter 7 of Bošnački's thesis, against thread classes and the plain search.
//!
//! The search (there RWF, figure 14) watches one process after the other, follows it under its changing names until it moves or
//! cannot, and then looks for the way back. As printed it keeps its marks from seed to seed and misses fair cycles, since the
//! first accepting state need not be on a fair one; here they are forgotten at each seed.

mod common;

use starwheel_engine::Silent;
use starwheel_model::{ClaimSystem, Partners, Step, Stepper, System};
use starwheel_symmetry::{Renaming, Strategy, infer};
use starwheel_system::Normaliser;
use starwheel_testkit::symmetric::symmetric;
use starwheel_workbench::check::check;
use starwheel_workbench::open::{Opened, open_text};
use starwheel_workbench::options::Commands;
use starwheel_workbench::plan::Typed;
use std::collections::{HashMap, HashSet};
use std::path::Path;

/// The most names of a graph.
const MOST: usize = 600;

/// A way between two names.
#[derive(Clone, Debug)]
struct Way {
    to: usize,
    /// Who moves.
    moved: Vec<u8>,
    /// Who could.
    able: Vec<u8>,
    /// What each process is called at its end.
    agents: Vec<u8>,
}

impl Way {
    fn serves(&self, process: u8) -> bool {
        self.moved.contains(&process) || !self.able.contains(&process)
    }
}

/// The names of a product of a model and a claim, the first one first.
#[derive(Default)]
struct Graph {
    ways: Vec<Vec<Way>>,
    accepting: Vec<bool>,
    processes: u8,
}

fn movers(step: Step) -> Vec<u8> {
    assert!(!matches!(step.partners, Partners::Many(_)));
    step.agents().collect()
}

/// Stored states behind a state: who moved on the way, and who could where all might choose.
fn behind(stepper: &mut dyn Stepper, at: &[u8]) -> Vec<(Vec<u8>, Vec<u8>, Vec<u8>)> {
    let mut out = Vec::new();
    let mut open = vec![(at.to_vec(), Vec::new(), None::<Vec<u8>>)];
    while let Some((state, moved, able)) = open.pop() {
        let mut steps = Vec::new();
        stepper.enabled(&state, &mut steps);
        let here: Vec<u8> = steps.iter().flat_map(|s| movers(*s)).collect();
        for step in steps {
            let mut next = Vec::new();
            if stepper.fire(&state, step, &mut next).broken {
                continue;
            }
            let able = if step.actor.is_claim() { able.clone() } else { able.clone().or(Some(here.clone())) };
            let moved = [&moved[..], &movers(step)].concat();
            match stepper.transient(&next) {
                true => open.push((next, moved, able)),
                false => out.push((next, moved, able.unwrap_or_default())),
            }
        }
    }
    out
}

fn graph(system: &ClaimSystem<'_>, renaming: &Renaming<'_>, processes: u8) -> Option<Graph> {
    let (mut stepper, mut first, mut agents) = (system.stepper(), Vec::new(), Vec::new());
    _ = stepper.initial(&mut first);
    renaming.normalise(&mut first);
    let mut names: HashMap<Vec<u8>, usize> = HashMap::from([(first.clone(), 0)]);
    let (mut all, mut graph) = (vec![first], Graph { processes, ..Graph::default() });
    while let Some(at) = all.get(graph.ways.len()).cloned() {
        graph.accepting.push(stepper.accepting(&at));
        let mut ways = Vec::new();
        for (mut next, moved, able) in behind(&mut *stepper, &at) {
            renaming.normalise_agents(&mut next, &mut agents);
            let to = *names.entry(next.clone()).or_insert_with(|| {
                all.push(next);
                all.len() - 1
            });
            ways.push(Way { to, moved, able, agents: agents.clone() });
        }
        graph.ways.push(ways);
        if all.len() > MOST {
            return None;
        }
    }
    Some(graph)
}

/// Where the second search is: the name, the process that is watched under its name here (none once it has got its due), and
/// which one of the seed's it is.
type Spot = (usize, Option<u8>, u8);

impl Graph {
    /// True if some cycle through a seed is weakly fair to all.
    fn fair_cycle(&self) -> bool {
        (0..self.ways.len()).filter(|s| self.accepting[*s]).any(|seed| self.around(seed))
    }

    /// The second and third search from one seed, whose marks are its own.
    fn around(&self, seed: usize) -> bool {
        let mut seen: HashSet<Spot> = HashSet::new();
        let mut open: Vec<Spot> = vec![(seed, Some(0), 0)];
        while let Some((at, watched, number)) = open.pop() {
            if !seen.insert((at, watched, number)) {
                continue;
            }
            for way in &self.ways[at] {
                match watched {
                    Some(process) if !way.serves(process) => {
                        open.push((way.to, Some(way.agents[usize::from(process)]), number));
                    }
                    Some(_) => open.push((way.to, None, number)),
                    None => {}
                }
                let served = watched.is_none_or(|process| way.serves(process));
                if served && way.to == seed {
                    if number + 1 == self.processes {
                        return true;
                    }
                    open.push((seed, Some(number + 1), number + 1));
                } else if watched.is_none() {
                    open.push((way.to, None, number));
                }
            }
        }
        false
    }
}

fn opened(text: &str, options: &[(&str, &str)]) -> Option<(Opened, &'static str)> {
    let mut typed = Typed::default();
    for (name, value) in options {
        typed.push(name, (!value.is_empty()).then(|| value.to_string()));
    }
    typed.push("trail", Some("/dev/null".to_string()));
    typed.push("time", Some("4s".to_string()));
    let plan = typed.plan(Commands::CHECK).ok()?;
    let opened = open_text(Path::new("test.pml"), text.to_string(), &plan.reading).ok()?;
    let report = check(&opened, &plan, &Silent).ok()?.report;
    let verdict = report.properties.last().filter(|_| report.head.complete)?.outcome.name();
    Some((opened, verdict))
}

#[test]
fn the_nested_search_of_names_agrees_with_classes() {
    let number = |name: &str, otherwise: u64| std::env::var(name).map_or(otherwise, |v| v.parse().expect("a number"));
    let (first, count) = (number("SYMMETRIC_SEED", 1), number("SYMMETRIC_COUNT", 60));
    let (mut compared, mut violated, mut unfair, mut differ) = (0, 0, 0, 0);
    for seed in first..first + count {
        let program = symmetric(seed);
        let (text, formula) = (&program.text, program.formula(seed));
        let ask = |fair: &str, symmetry| {
            let common = [("ltl", formula.as_str()), ("symmetry", symmetry), ("plain", ""), ("all-errors", "")];
            let fair: &[(&str, &str)] = if fair.is_empty() { &[] } else { &[("fair", fair)] };
            opened(text, &[&common[..], fair].concat())
        };
        let Some((model, plain)) = ask("weak", "off") else { continue };
        let claim = model.formulas[0].1;
        let Some(symmetry) = infer(&model.model, Some(claim)).symmetry else { continue };
        for strategy in [Strategy::Auto, Strategy::PcSorted] {
            let renaming = Renaming::new(&symmetry, strategy).unwrap();
            let product = ClaimSystem::new(&model.model, claim).own_labels();
            let Some(graph) = graph(&product, &renaming, symmetry.plan.processes) else { continue };
            let nested = if graph.fair_cycle() { "violated" } else { "holds" };
            assert_eq!(nested, plain, "seed {seed}, {strategy:?}, {formula}\n{text}");
            compared += 1;
        }
        let Some((_, classes)) = ask("weak", "auto") else { continue };
        assert_eq!(classes, plain, "seed {seed}, classes, {formula}\n{text}");
        violated += usize::from(plain == "violated");
        unfair += usize::from(ask("", "off").is_some_and(|any| any.1 != plain));
        let (Some(strong), Some(classes)) = (ask("strong", "off"), ask("strong", "auto")) else { continue };
        assert_eq!(classes.1, strong.1, "seed {seed}, strong fairness, {formula}\n{text}");
        differ += usize::from(strong.1 != plain);
    }
    println!(
        "{compared} compared, {violated} violated, {unfair} by unfair runs only, {differ} not under strong fairness"
    );
    assert!(compared > 20 && violated > 0);
}

#[test]
fn marks_kept_from_seed_to_seed_would_miss_a_cycle() {
    // Four states and no symmetry at all: the check from 2, which comes first, passes 3, on whose loop the other process cannot move.
    let way = |process: u8, to| Way { to, moved: vec![process], able: Vec::new(), agents: (0..=u8::MAX).collect() };
    let mut ways =
        vec![vec![way(1, 2), way(0, 3)], vec![way(0, 1)], vec![way(0, 1), way(1, 0)], vec![way(0, 3), way(0, 1)]];
    for list in &mut ways {
        let able: Vec<u8> = list.iter().flat_map(|w| w.moved.clone()).collect();
        list.iter_mut().for_each(|w| w.able.clone_from(&able));
    }
    let graph = Graph { ways, accepting: vec![false, false, true, true], processes: 2 };
    assert!(!graph.around(2) && graph.around(3) && graph.fair_cycle());
}
