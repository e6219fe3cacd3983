//! Random Promela programs with like processes: identities in variables, arrays and messages, one family or two.
//!
//! Most of them are symmetric; some name a member here and there, so that only the others are interchangeable. Processes can
//! move now and then, and assertions, deadlocks and cycles are common.

use crate::rng::Rng;
use std::fmt::Write;

/// A program and the conditions that a formula about it may use, which no exchange of processes changes.
pub struct Symmetric {
    /// The text.
    pub text: String,
    /// Conditions without members.
    pub conditions: Vec<String>,
    /// Conditions that name a member.
    pub named: Vec<String>,
    /// Some processes can move now and then, and leave a mark in `w`.
    pub watched: bool,
}

/// The program of a seed.
pub fn symmetric(seed: u64) -> Symmetric {
    let mut rng = Rng::new(seed);
    let second = rng.chance(35);
    let by_number = !second && rng.chance(25);
    // Three families have too many states, and so have three members beside others.
    let watched = !second && rng.chance(60);
    let members = if (second || watched) && rng.chance(70) { 2 } else { rng.range(2, 3) as usize };
    let mut make = Maker { members, by_number, odd: rng.chance(25), rng: &mut rng };
    make.program(second, watched)
}

const FORMULAS: [&str; 7] = [
    "<> (A)",
    "[] <> (A)",
    "<> [] (A)",
    "[] ((A) -> <> (B))",
    "(A) U (B)",
    "([] <> (A)) -> ([] <> (B))",
    "X (A) || <> (B)",
];

/// Formulas about those that can move now and then: strongly fair runs let them move.
const WATCHED: [&str; 6] = [
    "<> (w > 0)",
    "[] <> (w > 0)",
    "<> [] (w > 0)",
    "[] ((A) -> <> (w == 1))",
    "(<> (A)) -> (<> (w > 0))",
    "X <> (w == 1)",
];

impl Symmetric {
    /// A formula about the program of a seed; now and then it names a member.
    pub fn formula(&self, seed: u64) -> String {
        let pick = |list: &[String], n: u64| list[n as usize % list.len()].clone();
        if self.watched && !seed.is_multiple_of(3) {
            let a = pick(&self.conditions, seed / 6);
            return WATCHED[(seed / 3) as usize % WATCHED.len()].replace('A', &a);
        }
        let a = if seed % 4 == 3 { pick(&self.named, seed / 4) } else { pick(&self.conditions, seed / 6) };
        let b = pick(&self.conditions, seed / 11);
        FORMULAS[seed as usize % FORMULAS.len()].replace('A', &a).replace('B', &b)
    }
}

/// The program of a seed with a formula in a line of its own.
pub fn with_formula(seed: u64) -> String {
    let program = symmetric(seed);
    format!("{}ltl q0 {{ {} }}\n", program.text, program.formula(seed))
}

struct Maker<'a> {
    rng: &'a mut Rng,
    members: usize,
    /// Identities are numbers of processes.
    by_number: bool,
    /// Members may be named.
    odd: bool,
}

impl Maker<'_> {
    fn program(&mut self, second: bool, watched: bool) -> Symmetric {
        let (n, none) = (self.members, 9);
        let first = if self.odd && self.rng.chance(30) { 0 } else { none };
        let mut text =
            format!("byte owner = {first};\nbyte last = {none};\nbool flag[{n}];\nbyte ptr[{n}] = {none};\n");
        let _ = writeln!(text, "byte x;\nchan c = [{}] of {{ byte, bit }};", self.rng.range(1, 2));
        let rendezvous = if self.rng.chance(25) { 0 } else { 1 };
        let _ = writeln!(text, "chan to[{n}] = [{rendezvous}] of {{ byte }};");
        let me = if self.by_number { "_pid" } else { "me" };
        let options = self.rng.range(3, 5);
        let mut body = String::new();
        for _ in 0..options {
            let option = self.option(me);
            let _ = writeln!(body, "\t:: {option}");
        }
        let mortal = self.rng.chance(20);
        if mortal {
            let guards =
                [format!("flag[{me}]"), "x == 1".into(), format!("owner == {me}"), "c?o,b".into(), "true".into()];
            let guard = self.rng.pick(&guards).cloned().unwrap_or_default();
            let _ = writeln!(body, "\t:: {guard} -> break");
        }
        if self.rng.chance(30) {
            let _ = writeln!(body, "\t:: timeout -> x = 0; flag[{me}] = false");
        }
        let last = if mortal && self.rng.chance(50) { format!("; flag[{me}] = false; x = 0") } else { String::new() };
        let end = if self.rng.chance(50) { "end:" } else { "" };
        let accept = if self.rng.chance(20) { "accept: flag[me] = true;\n".replace("me", me) } else { String::new() };
        let parameter = if self.by_number { "" } else { "byte me" };
        let head =
            if self.by_number { format!("active [{n}] proctype P()") } else { format!("proctype P({parameter})") };
        let _ = writeln!(text, "{head}\n{{\n\tbyte o = {none}; bit b;\n{accept}{end}\tdo\n{body}\tod{last}\n}}");
        let mut conditions = vec!["x == 2".into(), format!("owner == {none}"), "len(c) > 0".into(), "x == 0".into()];
        if n == 2 {
            conditions.push("flag[0] && flag[1]".into());
        } else {
            conditions.push("flag[0] || flag[1] || flag[2]".into());
        }
        if second {
            self.second(&mut text);
            conditions.push("q == 7".into());
        }
        if watched {
            self.watchers(&mut text);
            conditions =
                vec!["w == 1".into(), "w == 1".into(), "w > 0".into(), "x == 2".into(), "w == 0 && x == 0".into()];
        }
        if !self.by_number {
            let _ = write!(text, "init {{ atomic {{ ");
            let all: Vec<String> = (0..n).map(|i| format!("run P({i})")).collect();
            let _ = write!(text, "{}", all.join("; "));
            if second {
                let _ = write!(text, "; run Q(0); run Q(1)");
            }
            if watched {
                let _ = write!(text, "; run W(0); run W(1); run T(0); run T(1)");
            }
            let _ = writeln!(text, " }} }}");
        }
        let named = vec!["flag[0]".into(), "owner == 1".into(), "flag[1] && x > 0".into()];
        Symmetric { text, conditions, named, watched }
    }

    /// A family with arrays of its own.
    fn second(&mut self, text: &mut String) {
        let _ = writeln!(text, "byte q = 7;\nbool busy[2];\nproctype Q(byte id)\n{{\nend:\tdo");
        for _ in 0..self.rng.range(2, 3) {
            let guards = ["q == 7", "q == id", "busy[id]", "!busy[id] && x < 2", "busy[0] && busy[1]"];
            let actions = ["q = id", "q = 7", "busy[id] = !busy[id]", "x = (x + 1) % 3", "c?_,_"];
            let (g, a) = (self.word(&guards), self.word(&actions));
            let b = self.word(&actions[..4]);
            let _ = writeln!(text, "\t:: atomic {{ {g} -> {a}; {b} }}");
        }
        let _ = writeln!(text, "\tod\n}}");
    }

    /// Two processes that can move now and then, because others move: strong fairness lets them, weak fairness need not. Mostly
    /// those others do nothing else, so that they never stop.
    fn watchers(&mut self, text: &mut String) {
        let kind = |name: &str| {
            if self.by_number { format!("active [2] proctype {name}()") } else { format!("proctype {name}(byte no)") }
        };
        let (watcher, clock) = (kind("W"), kind("T"));
        let guard = self.word(&["tick", "tick", "!tick", "tick && w == 0", "x == 1", "tick && x != 2", "nempty(c)"]);
        let back = self.word(&["", "", "\t:: w == 1 && x == 2 -> w = 0\n", "\t:: atomic { w == 1 -> w = 2; x = 0 }\n"]);
        let _ = writeln!(text, "byte w;\nbit tick;\n{watcher}\n{{\nend:\tdo\n\t:: {guard} -> w = 1\n{back}\tod\n}}");
        let turn = self.word(&[
            "tick = 1 - tick",
            "tick = 1; tick = 0",
            "tick = !tick",
            "tick == 0 -> tick = 1\n\t:: tick == 1 -> tick = 0",
        ]);
        let _ = writeln!(text, "{clock}\n{{\nend:\tdo\n\t:: {turn}\n\tod\n}}");
    }

    fn word<'w>(&mut self, words: &[&'w str]) -> &'w str {
        self.rng.pick(words).copied().unwrap_or("skip")
    }

    /// One option of a process.
    fn option(&mut self, me: &str) -> String {
        let n = self.members;
        let all = |f: &dyn Fn(usize) -> String, by: &str| (0..n).map(f).collect::<Vec<_>>().join(by);
        let mut guards: Vec<String> = vec![
            "true".into(),
            format!("flag[{me}]"),
            format!("!flag[{me}]"),
            format!("owner == {me}"),
            "owner == 9".into(),
            format!("owner != {me}"),
            "o == 9".into(),
            format!("o < {n} && flag[o]"),
            format!("o < {n} && ptr[o] == {me}"),
            format!("ptr[{me}] == 9"),
            "x < 2".into(),
            "x == 1".into(),
            "nempty(c)".into(),
            format!("({})", all(&|i| format!("({me} == {i} || !flag[{i}])"), " && ")),
            format!("({} == 1)", all(&|i| format!("flag[{i}]"), " + ")),
            "c?[_,1]".into(),
            format!("c?[eval({me}),_]"),
        ];
        let mut actions: Vec<String> = vec![
            format!("flag[{me}] = true"),
            format!("flag[{me}] = false"),
            format!("owner = {me}"),
            "owner = 9".into(),
            "o = owner".into(),
            format!("o = {me}"),
            "o = 9".into(),
            format!("ptr[{me}] = o"),
            format!("o = ptr[{me}]"),
            format!("last = {me}"),
            "x = (x + 1) % 3".into(),
            "x = 0".into(),
            "b = 1 - b".into(),
            format!("c!{me},b"),
            "c?o,b".into(),
            "c??o,1".into(),
            format!("to[{me}]?o"),
            format!("if :: o < {n} -> to[o]!{me} :: else fi"),
            format!("if {} fi", all(&|i| format!(":: o = {i}"), " ")),
            format!("assert(!(owner == {me} && x == 2))"),
            format!("assert(last != {me} || x != 1)"),
            format!("d_step {{ {} }}", all(&|i| format!("flag[{i}] = false"), "; ")),
        ];
        if self.odd {
            guards.extend([format!("{me} == 0"), "owner == 1".into(), "flag[0]".into()]);
            actions.extend(["owner = 1".into(), "o = 0".into(), "flag[0] = true".into()]);
        }
        let pick = |rng: &mut Rng, list: &[String]| rng.pick(list).cloned().unwrap_or_default();
        let guard = pick(self.rng, &guards);
        let count = self.rng.range(1, 3);
        let steps: Vec<String> = (0..count).map(|_| pick(self.rng, &actions)).collect();
        match self.rng.below(3) {
            0 => format!("atomic {{ {guard} -> {} }}", steps.join("; ")),
            _ => format!("{guard} -> {}", steps.join("; ")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_gives_the_same_program() {
        assert_eq!(symmetric(7).text, symmetric(7).text);
        assert_ne!(symmetric(7).text, symmetric(8).text);
    }
}
