//! How many random networks each engine solves within a limit of time and memory: the table of the paper's figure 12.
//!
//!     cargo run --release -p starwheel-nba --example fig12 -- --per-cell 10 --seconds 10 --gigabytes 4
//!
//! A cell is a ratio of internal edges (0 to 80 %) with a number of components (2 to 8); ten networks for each of the 35
//! cells are 350. `--engines split,scc` leaves engines out, `--components 2,3` and `--internal 0,80` cells.

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::sync::Mutex;
use std::time::Duration;

use starwheel_engine::{Finding, Monitor, Stop, Tick};
use starwheel_nba::{Answer, Engine, Network, Question, check, generate};

/// Stops a search that holds too much memory.
struct Guard {
    limit: u64,
    before: u64,
    looked: Mutex<Duration>,
}

fn resident() -> u64 {
    let text = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    text.split_whitespace().nth(1).and_then(|pages| pages.parse::<u64>().ok()).unwrap_or(0) * 4096
}

impl Monitor for Guard {
    fn progress(&self, tick: &Tick) -> ControlFlow<Stop> {
        let Ok(mut looked) = self.looked.lock() else { return ControlFlow::Continue(()) };
        if tick.elapsed < *looked + Duration::from_millis(20) {
            return ControlFlow::Continue(());
        }
        *looked = tick.elapsed;
        match resident().saturating_sub(self.before) > self.limit {
            true => ControlFlow::Break(Stop::Memory(self.limit)),
            false => ControlFlow::Continue(()),
        }
    }

    fn found(&self, _: &Finding) -> ControlFlow<Stop> {
        ControlFlow::Continue(())
    }
}

struct Setting {
    per_cell: u64,
    question: Question,
    engines: Vec<(String, Engine)>,
    components: Vec<u32>,
    internal: Vec<u32>,
    seed: u64,
}

fn setting() -> Result<Setting, String> {
    let mut given = HashMap::new();
    let mut args = std::env::args().skip(1);
    while let Some(name) = args.next() {
        let value = args.next().ok_or(format!("{name} needs a value"))?;
        given.insert(name, value);
    }
    let mut take = |name: &str, default: &str| given.remove(name).unwrap_or(default.to_string());
    let number = |text: String| text.parse::<u64>().map_err(|e| format!("{text}: {e}"));
    let list = |text: String| {
        text.split(',').map(|n| n.parse::<u32>().map_err(|e| format!("{n}: {e}"))).collect::<Result<Vec<u32>, String>>()
    };
    let engine = |name: &str| match name {
        "explicit" => Ok((name.to_string(), Engine::Explicit)),
        "split" => Ok((name.to_string(), Engine::Split)),
        "scc" => Ok((name.to_string(), Engine::Scc)),
        _ => Err(format!("there is no engine {name}")),
    };
    let time = Some(Duration::from_secs(number(take("--seconds", "10"))?));
    let memory = Some(number(take("--gigabytes", "4"))? << 30);
    let setting = Setting {
        per_cell: number(take("--per-cell", "10"))?,
        question: Question { time, memory, ..Question::default() },
        engines: take("--engines", "explicit,split,scc").split(',').map(engine).collect::<Result<_, _>>()?,
        components: list(take("--components", "2,3,4,5,6,7,8"))?,
        internal: list(take("--internal", "0,20,40,60,80"))?,
        seed: number(take("--seed", "1"))?,
    };
    match given.keys().next() {
        Some(name) => Err(format!("there is no option {name}")),
        None => Ok(setting),
    }
}

/// Solved networks and the time for them, by row of the table and engine.
type Table = HashMap<(String, usize), (u64, f64)>;

fn main() -> Result<(), String> {
    let set = setting()?;
    let mut table = Table::new();
    let (mut all, mut disagreements) = (0, 0);
    for &components in &set.components {
        for &internal in &set.internal {
            for number in 0..set.per_cell {
                let seed = set.seed * 1_000_000 + u64::from(components) * 10_000 + u64::from(internal) * 100 + number;
                let shape = generate::Shape { components, internal, ..Default::default() };
                all += 1;
                disagreements += u32::from(!one(&set, shape, seed, &mut table));
            }
        }
    }
    println!(
        "{all} networks, {} s and {} GiB each",
        set.question.time.unwrap_or_default().as_secs(),
        set.question.memory.unwrap_or(0) >> 30
    );
    let heads = set.internal.iter().map(|r| format!("{r}%")).chain(set.components.iter().map(|c| format!("#A {c}")));
    for head in heads.chain(["all".to_string()]) {
        print!("{head:>6}");
        for (place, (name, _)) in set.engines.iter().enumerate() {
            let (solved, seconds) = table.get(&(head.clone(), place)).copied().unwrap_or_default();
            print!("   {name} {solved:>4} {seconds:>8.2} s");
        }
        println!();
    }
    if disagreements > 0 { Err(format!("{disagreements} networks on which engines disagree")) } else { Ok(()) }
}

/// Asks all engines about one network; false if they disagree.
fn one(set: &Setting, shape: generate::Shape, seed: u64, table: &mut Table) -> bool {
    let net = Network::new(generate::random(shape, seed));
    let mut verdicts = Vec::new();
    for (place, (name, engine)) in set.engines.iter().enumerate() {
        let limit = set.question.memory.unwrap_or(u64::MAX);
        let guard = Guard { limit, before: resident(), looked: Mutex::default() };
        let report = check(&net, &Question { engine: *engine, ..set.question }, &guard);
        let verdict = match report.answer {
            Answer::Empty(_) => Some(false),
            Answer::Run(_) | Answer::TooLong(_) => Some(true),
            Answer::Stopped(_) => None,
        };
        let word = verdict.map_or("-", |run| if run { "run" } else { "empty" });
        eprintln!(
            "{} {}% seed {seed} {name}: {word} {} states {:.3} s",
            shape.components, shape.internal, report.counts.stored, report.seconds
        );
        if verdict.is_some() {
            for row in [format!("{}%", shape.internal), format!("#A {}", shape.components), "all".to_string()] {
                let cell = table.entry((row, place)).or_default();
                *cell = (cell.0 + 1, cell.1 + report.seconds);
            }
        }
        verdicts.extend(verdict);
    }
    verdicts.windows(2).all(|pair| pair[0] == pair[1])
}
