//! Random models of a few small processes, with everything that matters for fairness.

use starwheel_engine::Random;

struct Writer {
    random: Random,
    labels: u32,
}

/// The text of a model with two claims and three formulas.
pub fn random(seed: u64) -> String {
    let mut w = Writer { random: Random::new(seed), labels: 0 };
    let mut text = "byte a, b; chan c = [0] of { bit }; chan q = [1] of { bit };\n".to_string();
    text += &format!("proctype R() {{ bit x; {} }}\n", w.sequence(1));
    for p in 0..2 + w.random.below(2) {
        let body = match w.random.below(5) {
            0 => w.sequence(2),
            1 => format!("{}; {}", w.sequence(1), w.loop_of()),
            _ => w.loop_of(),
        };
        let provided = if w.random.below(12) == 0 { " provided (a != 2)" } else { "" };
        text += &format!("active proctype P{p}(){provided} {{ bit x; {body} }}\n");
    }
    for n in 0..2 {
        text += &format!("never n{n} {{\n{}}}\n", w.claim(n));
    }
    text += "ltl f0 { []<>(a == 1) }\nltl f1 { <>[](b == 0) }\nltl f2 { [](a == 2 -> <>(b == 1)) }\n";
    text
}

impl Writer {
    fn one_of(&mut self, all: &[&str]) -> String {
        self.random.choose(all).copied().unwrap_or("skip").to_string()
    }

    fn assignment(&mut self) -> String {
        self.one_of(&["a = 0", "a = 1", "a = 2", "b = 0", "b = 1", "a = (a + 1) % 3", "b = 1 - b", "x = 1 - x", "skip"])
    }

    fn guard(&mut self) -> String {
        self.one_of(&["a == 0", "a == 1", "a != 2", "b == 0", "b == 1", "x == 0", "a == b", "true", "timeout"])
    }

    fn message(&mut self) -> String {
        self.one_of(&["c!0", "c!1", "c!x", "c?x", "c?0", "c?1", "c?_", "q!0", "q!1", "q?x", "q?0", "q?_"])
    }

    fn statement(&mut self, depth: u64) -> String {
        match self.random.below(if depth > 0 { 16 } else { 9 }) {
            0..4 => self.assignment(),
            4..6 => format!("({})", self.guard()),
            6..9 => self.message(),
            9 => format!("atomic {{ {}; {} }}", self.statement(0), self.sequence(depth - 1)),
            10 => format!("d_step {{ ({}); {}; {} }}", self.guard(), self.assignment(), self.assignment()),
            11 => format!("{{ {} }} unless {{ ({}); {} }}", self.sequence(0), self.guard(), self.assignment()),
            12 => "(_nr_pr < 5); run R()".to_string(),
            13 => self.labelled(),
            _ => self.selection(depth - 1),
        }
    }

    fn labelled(&mut self) -> String {
        self.labels += 1;
        let (kind, number) = (self.one_of(&["accept", "progress"]), self.labels);
        format!("skip; {kind}_{number}: {}", self.statement(0))
    }

    fn selection(&mut self, depth: u64) -> String {
        let mut options = format!(":: {} -> {} :: {}", self.statement(0), self.sequence(depth), self.statement(depth));
        if self.random.below(4) == 0 && !options.contains(['?', '!']) {
            options += &format!(" :: else -> {}", self.statement(0));
        }
        format!("if {options} fi")
    }

    fn sequence(&mut self, depth: u64) -> String {
        let all: Vec<_> = (0..1 + self.random.below(2)).map(|_| self.statement(depth)).collect();
        all.join("; ")
    }

    fn loop_of(&mut self) -> String {
        let all: Vec<_> = (0..1 + self.random.below(3)).map(|_| format!(":: {}", self.sequence(1))).collect();
        let body = format!("do {} od", all.join(" "));
        if self.random.below(8) == 0 { format!("atomic {{ {body} }}") } else { body }
    }

    /// A random automaton; most of its states accept.
    fn claim(&mut self, number: u64) -> String {
        let count = 2 + self.random.below(2);
        let name = |state: u64| if state == 0 { format!("S{number}_0") } else { format!("accept_{number}_{state}") };
        let mut text = String::new();
        for state in 0..count {
            text += &format!("{}: do", name(state));
            for _ in 0..1 + self.random.below(3) {
                let guard = self.one_of(&["a == 0", "a == 1", "a != 2", "b == 0", "b == 1", "true", "np_", "timeout"]);
                text += &format!(" :: ({guard}) -> goto {}", name(self.random.below(count)));
            }
            text += " od;\n";
        }
        text
    }
}
