//! Random models with formulas whose conditions have no value in some states: behind a guard, or without one.

use starwheel_engine::Random;

/// The formulas of a kind in each model.
pub const FORMULAS: usize = 3;

/// The text of a model. `f0`, `f1` … ask for nothing that has no value, because a guard in the same condition sees to it;
/// `t0`, `t1` … are the same formulas with expressions that always have a value; in `u0`, `u1` … there may be no guard.
pub fn model(seed: u64) -> String {
    let mut w = Writer { random: Random::new(seed) };
    let mut text = "short i, d; byte a[2], x; chan q[2] = [1] of { byte };\n".to_string();
    for p in 0..2 {
        let inner: Vec<String> = (0..2 + w.random.below(3)).map(|_| w.option()).collect();
        let last = w.one_of(&["skip", "do :: x = 1 - x od", "do :: l = 1 - l od", "d = 0; i = -1"]);
        text += &format!("active proctype P{p}() {{ byte l; do {} :: break od; {last} }}\n", inner.join(" "));
    }
    for n in 0..FORMULAS {
        let both = w.formula(3, true);
        let open = w.formula(3, false);
        text += &format!("ltl f{n} {{ {} }}\nltl t{n} {{ {} }}\nltl u{n} {{ {} }}\n", both.0, both.1, open.0);
    }
    text
}

/// A text, and the same with expressions that always have a value.
type Both = (String, String);

struct Writer {
    random: Random,
}

impl Writer {
    fn one_of(&mut self, all: &[&str]) -> String {
        self.random.choose(all).copied().unwrap_or("skip").to_string()
    }

    fn assignment(&mut self) -> String {
        let all = [
            "i = 0",
            "i = 1",
            "i = -1",
            "i = 2",
            "d = 0",
            "d = 1",
            "d = 3",
            "a[0] = 1 - a[0]",
            "a[1] = 2",
            "q[0] ! 1",
            "q[0] ? _",
        ];
        self.one_of(&all)
    }

    fn option(&mut self) -> String {
        match self.random.below(6) {
            0 => ":: l = 1 - l".to_string(),
            1 => format!(":: l == 0 -> l = 1; {}", self.assignment()),
            2 => format!(":: atomic {{ {}; {} }}", self.assignment(), self.assignment()),
            _ => format!(":: {}", self.assignment()),
        }
    }

    /// A formula; without `guarded` some conditions have no guard in front of them.
    fn formula(&mut self, depth: u64, guarded: bool) -> Both {
        if depth == 0 {
            return self.part(2, guarded);
        }
        let one = |sign: &str, a: Both| (format!("{sign} ({})", a.0), format!("{sign} ({})", a.1));
        let two = |sign: &str, a: Both, b: Both| {
            (format!("({}) {sign} ({})", a.0, b.0), format!("({}) {sign} ({})", a.1, b.1))
        };
        match self.random.below(9) {
            0 | 1 => one("[]", self.formula(depth - 1, guarded)),
            2 | 3 => one("<>", self.formula(depth - 1, guarded)),
            4 => one("!", self.formula(depth - 1, guarded)),
            5 => self.part(2, guarded),
            n => {
                let sign = match n {
                    6 => self.one_of(&["U", "V", "W"]),
                    _ => self.one_of(&["&&", "||", "->", "<->"]),
                };
                let a = self.formula(depth - 1, guarded);
                two(&sign, a, self.formula(depth - 1, guarded))
            }
        }
    }

    /// A condition without temporal operators.
    fn part(&mut self, depth: u64, guarded: bool) -> Both {
        let safe = |text: String| (text.clone(), text);
        match self.random.below(if depth > 0 { 8 } else { 4 }) {
            0 => {
                let all = ["x == 1", "i > 0", "i <= 0", "d == 0", "d != 0", "a[0] == 1", "P0:l == 1", "true"];
                safe(self.one_of(&all))
            }
            1..4 => self.risky(guarded),
            4 => {
                let a = self.part(depth - 1, guarded);
                (format!("!({})", a.0), format!("!({})", a.1))
            }
            _ => {
                let sign = self.one_of(&["&&", "||", "->", "<->"]);
                let (a, b) = (self.part(depth - 1, guarded), self.part(depth - 1, guarded));
                (format!("({}) {sign} ({})", a.0, b.0), format!("({}) {sign} ({})", a.1, b.1))
            }
        }
    }

    /// A condition that has a value only where another one holds, behind that one.
    fn risky(&mut self, guarded: bool) -> Both {
        let (guard, plain, total) = match self.random.below(7) {
            0 => ("i >= 0 && i < 2", "a[i] == 1", "a[i & 1] == 1"),
            1 => ("i > 0 && i <= 2", "a[i - 1] > 0", "a[(i - 1) & 1] > 0"),
            2 => ("i >= 0 && i < 2", "len(q[i]) == 1", "len(q[i & 1]) == 1"),
            // Process 1 is of another type.
            3 => ("i == 0", "P0[i]:l == 1", "P0:l == 1"),
            // There is no variable to be read before there is an index.
            4 => ("i > 0 && i < 2 && d != 0", "a[i / d] == 1", "a[(i / (d + (d == 0))) & 1] == 1"),
            5 => ("d != 0", "3 / d == 1", "3 / (d + (d == 0)) == 1"),
            _ => ("d > 0", "i % d == 0", "i % (d + (d == 0)) == 0"),
        };
        if !guarded && self.random.below(2) == 0 {
            return (plain.to_string(), total.to_string());
        }
        let shape =
            self.one_of(&["(G) && (R)", "(G) -> (R)", "!(G) || (R)", "!((G) -> (R))", "(G) && ((R) || x == 1)"]);
        let fill = |risky: &str| shape.replace('G', guard).replace('R', risky);
        (fill(plain), fill(total))
    }
}
