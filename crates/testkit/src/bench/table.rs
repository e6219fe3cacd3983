//! The table: lines as text, ratios, geometric means.

use super::Line;

/// The measured lines of one model; the first of SPIN's is what everything is compared with.
#[derive(Clone, Debug)]
pub struct Block {
    /// The name of the model.
    pub name: String,
    /// The lines.
    pub lines: Vec<Line>,
}

/// What is compared with what.
const BASE: &str = "SPIN -O2";

/// The names of the columns.
pub fn heading() -> String {
    format!(
        "{:<13} {:<15} {:>10} {:>11} {:>8} {:>8} {:>8} {:>8} {:>7} {:>7} {:>8} | {:>6} {:>6} {:>6}",
        "model",
        "run",
        "states",
        "transitions",
        "user s",
        "wall s",
        "compile",
        "Mtrans/s",
        "B/state",
        "store B",
        "peak MB",
        "user×",
        "wall×",
        "mem×"
    )
}

impl Block {
    fn base(&self) -> Option<&Line> {
        self.lines.iter().find(|line| line.config == BASE && line.measured())
    }

    /// The line of a run, if it was measured.
    fn line(&self, config: &str) -> Option<&Line> {
        self.lines.iter().find(|line| line.config == config && line.measured())
    }

    /// All lines as text.
    pub fn text(&self) -> String {
        self.lines.iter().map(|line| format!("{}\n", self.show(line))).collect()
    }

    fn show(&self, line: &Line) -> String {
        let head = format!("{:<13} {:<15}", self.name, line.config);
        if !line.measured() {
            return format!("{head} {}", line.note);
        }
        let states = line.states as f64;
        let store = line.store.map_or("-".into(), |bytes| format!("{:.1}", bytes as f64 / states));
        let ratios = self.ratios(line).map(|r| r.map_or("-".into(), |r| format!("{r:.2}")));
        format!(
            "{head} {:>10} {:>11} {:>8.2} {:>8.2} {:>8.2} {:>8.2} {:>7.1} {store:>7} {:>8.1} | {:>6} {:>6} {:>6} {}",
            line.states,
            line.transitions,
            line.user,
            line.wall,
            line.compile,
            line.transitions as f64 / line.user.max(0.01) / 1e6,
            line.peak as f64 / states,
            line.peak as f64 / 1048576.0,
            ratios[0],
            ratios[1],
            ratios[2],
            line.note,
        )
        .trim_end()
        .to_string()
    }

    /// How many times better than SPIN: processor time of the search, time from the command to the answer, memory.
    fn ratios(&self, line: &Line) -> [Option<f64>; 3] {
        let Some(base) = self.base().filter(|base| base.config != line.config) else { return [None; 3] };
        let divided = |a: f64, b: f64| Some(a.max(0.01) / b.max(0.01));
        [
            divided(base.user, line.user),
            divided(base.wall + base.compile, line.wall + line.compile),
            (line.peak > 0).then(|| base.peak as f64 / line.peak as f64),
        ]
    }

    /// What contradicts the base: exact runs must count the same.
    pub fn contradictions(&self) -> Vec<String> {
        let Some(base) = self.lines.iter().find(|line| line.measured() && line.exact) else { return Vec::new() };
        let wrong = |line: &&Line| {
            line.measured() && line.exact && (line.states, line.transitions) != (base.states, base.transitions)
        };
        let say = |line: &Line| {
            format!(
                "{}: {} counts {} states and {} transitions, {} counts {} and {}",
                self.name, line.config, line.states, line.transitions, base.config, base.states, base.transitions
            )
        };
        self.lines.iter().filter(wrong).map(say).collect()
    }
}

/// The geometric means of all ratios, run by run, and the worst ratio of processor time.
pub fn means(blocks: &[Block]) -> String {
    let mut configs: Vec<&str> = Vec::new();
    for line in blocks.iter().flat_map(|b| &b.lines).filter(|l| l.measured() && l.config != BASE) {
        if !configs.contains(&line.config.as_str()) {
            configs.push(&line.config);
        }
    }
    let mut out = String::from("geometric means, against SPIN -O2 in the same run (above 1: better)\n");
    for config in configs {
        let all: Vec<_> = blocks.iter().filter_map(|b| b.line(config).map(|line| b.ratios(line))).collect();
        let column = |i: usize| all.iter().filter_map(|r| r[i]).collect::<Vec<f64>>();
        let worst = column(0).into_iter().fold(f64::INFINITY, f64::min);
        let [user, wall, memory] = [0, 1, 2].map(|i| geometric(&column(i)));
        out.push_str(&format!(
            "{config:<15} user {user:>6.2}  wall {wall:>6.2}  memory {memory:>6.2}  worst user {worst:>6.2}  ({} models)\n",
            column(0).len()
        ));
    }
    out + &workers(blocks) + &bytes(blocks)
}

/// How much two workers gain.
fn workers(blocks: &[Block]) -> String {
    let gain = |b: &Block| Some(b.line("starwheel")?.wall / b.line("2 workers")?.wall.max(0.01));
    let gains: Vec<f64> = blocks.iter().filter_map(gain).collect();
    if gains.is_empty() {
        return String::new();
    }
    format!("two workers against one, wall time: {:.2}\n", geometric(&gains))
}

/// The bytes of our default store for a state, on large models.
fn bytes(blocks: &[Block]) -> String {
    let one = |b: &Block| {
        let line = b.line("starwheel").filter(|l| l.states > 1_000_000)?;
        Some(line.store? as f64 / line.states as f64)
    };
    let all: Vec<f64> = blocks.iter().filter_map(one).collect();
    if all.is_empty() {
        return String::new();
    }
    format!(
        "bytes a state of the default store, mean over models above a million: {:.2}\n",
        all.iter().sum::<f64>() / all.len() as f64
    )
}

fn geometric(values: &[f64]) -> f64 {
    (values.iter().map(|v| v.ln()).sum::<f64>() / values.len().max(1) as f64).exp()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(config: &str, states: u64, user: f64) -> Line {
        Line {
            config: config.into(),
            states,
            transitions: 2 * states,
            user,
            wall: user,
            exact: true,
            peak: 8,
            ..Line::default()
        }
    }

    #[test]
    fn other_counts_are_a_contradiction() {
        let lines = vec![line(BASE, 5, 1.0), line("starwheel", 5, 0.5), line("2 workers", 6, 0.5)];
        let block = Block { name: "m".into(), lines };
        assert_eq!(block.contradictions().len(), 1);
        assert!(block.contradictions()[0].contains("2 workers"));
    }

    #[test]
    fn means_are_geometric() {
        let block =
            |factor: f64| Block { name: "m".into(), lines: vec![line(BASE, 5, factor), line("starwheel", 5, 1.0)] };
        let text = means(&[block(2.0), block(8.0)]);
        assert!(text.contains("user   4.00") && text.contains("worst user   2.00"), "{text}");
    }
}
