//! What is said of the values of variables, against all that a program does.

use crate::common::{model, number};
use starwheel_model::{Interp, Model, ProcessStep, Stepper};
use starwheel_reduce::{may_break, only_deadlocks};
use std::collections::{BTreeSet, VecDeque};

/// States that are looked at.
const MOST: usize = 800;

/// Visits states and holds each step that has no meaning to what was foreseen; says whether there was any.
fn breaks(model: &Model, text: &str) -> bool {
    let foreseen = may_break(model);
    let mut interp = Interp::new(model);
    let (mut first, mut found) = (Vec::new(), false);
    interp.initial(&mut first);
    let (mut seen, mut open) = (BTreeSet::from([first.clone()]), VecDeque::from([first]));
    while let Some(state) = open.pop_front() {
        let mut steps = Vec::new();
        interp.enabled(&state, &mut steps);
        for step in steps {
            let mut next = Vec::new();
            if interp.fire(&state, step, &mut next).broken {
                let partner = step.partner().map(|(_, trans)| trans);
                let expected = |t: starwheel_model::TransId| foreseen.get(t.index()).is_some_and(|may| *may);
                let expected = std::iter::once(step.action).chain(partner).any(expected);
                assert!(expected, "{step:?} has no meaning, and nobody has expected it:\n{text}");
                found = true;
            } else if seen.len() < MOST && seen.insert(next.clone()) {
                open.push_back(next);
            }
        }
    }
    found
}

/// All kinds of automata.
fn models(text: &str) -> Vec<Model> {
    let all = [(false, false), (true, false), (true, true)];
    all.iter().filter_map(|(dead, merge)| model(text, *dead, *merge)).collect()
}

/// Programs of which it is known that nothing can go wrong in a step.
const SOUND: [&str; 9] = [
    "byte a[3]; active proctype p() { byte i; for (i : 0 .. 2) { a[i] = 1 } }",
    "byte a[4]; active proctype p() { byte i; do :: a[i] = 1; i = (i + 1) % 4 od }",
    "byte a[4]; active proctype p() { byte i, k; do :: i = (i + 1) % 4 :: k = i; a[k] = 1 od }",
    "byte a[4], g; active [2] proctype p() { do :: atomic { g < 4 && a[g] == 0 -> skip } :: g = 7 :: g = 2 od }",
    "chan q[2] = [1] of { byte }; active [2] proctype p() { chan in, out; in = q[_pid]; out = q[1 - _pid];
       do :: out!1 :: in?_ od }",
    "chan q = [1] of { byte }; byte a[5]; active proctype p() { do :: q!3 :: q!4 od }
       active proctype r() { byte x; do :: q?x; a[x] = 1; x = 0 od }",
    "byte a[3]; proctype q(byte n) { a[n] = 1 } active proctype p() { byte i; do :: i < 3 -> i++ :: else -> break od; a[i - 1] = 1 }",
    "byte a[3]; active proctype p() { byte i = 2; do :: i > 0 -> d_step { a[i] = 1; i-- } :: else -> a[i] = 2; break od }",
    "byte x; active proctype p() { byte n = 3; do :: n != 0 -> x = 7 / n; n-- :: else -> break od }",
];

/// Programs in which something goes wrong.
const BROKEN: [&str; 7] = [
    "byte a[3]; active proctype p() { byte i; for (i : 0 .. 3) { a[i] = 1 } }",
    "byte a[3], g; active proctype p() { do :: g < 3 -> a[g] = 1 od } active proctype q() { g = 3 }",
    "chan q[2] = [1] of { byte }; active proctype p() { chan c; if :: c = q[0] :: skip fi; c!1 }",
    "chan q = [1] of { byte }; byte a[5]; active proctype p() { do :: q!3 :: q!5 od }
       active proctype r() { byte x; do :: q?x; a[x] = 1; x = 0 od }",
    "byte a[3]; active proctype p() { byte i; do :: i < 3 -> i++ :: else -> break od; a[i] = 1 }",
    "byte x; active proctype p() { byte n = 3; do :: x = 7 / n; n-- od }",
    "byte a[2], i; active proctype p() { i = 300; a[i - 42] = 1 }",
];

#[test]
fn what_cannot_go_wrong_is_known() {
    for text in SOUND {
        for model in models(text) {
            assert!(only_deadlocks(&model, false), "{text}");
            assert!(!breaks(&model, text), "{text}");
        }
    }
    for text in BROKEN {
        for model in models(text) {
            assert!(breaks(&model, text), "{text}");
        }
    }
}

/// Random numbers.
struct Random(u64);

impl Random {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % n
    }

    fn one_of<'t>(&mut self, texts: &[&'t str]) -> &'t str {
        texts[self.below(texts.len() as u64) as usize]
    }

    /// An expression with small values.
    fn value(&mut self) -> String {
        match self.below(11) {
            0 => "(i + 1) % 4".into(),
            1 => "i".into(),
            2 => "k".into(),
            3 => "g".into(),
            4 => "h - 1".into(),
            5 => "a[i & 3]".into(),
            6 => "(i < k -> i : k)".into(),
            7 => "k - i".into(),
            8 => "_pid".into(),
            9 => "b[0].x".into(),
            _ => self.below(6).to_string(),
        }
    }

    fn condition(&mut self, depth: u32) -> String {
        let left = self.one_of(&["i", "k", "g", "h", "a[i]", "s", "b[1].y", "len(c)"]);
        let compared = format!("{left} {} {}", self.one_of(&["<", "<=", ">", ">=", "==", "!="]), self.below(5));
        match self.below(8) {
            0 if depth > 0 => format!("!({})", self.condition(depth - 1)),
            1 if depth > 0 => format!("({} && {})", self.condition(depth - 1), self.condition(depth - 1)),
            2 if depth > 0 => format!("({} || {})", self.condition(depth - 1), self.condition(depth - 1)),
            3 => "i".into(),
            4 => format!("(i < 4 && {compared} && a[i] >= 0)"),
            _ => compared,
        }
    }

    fn statement(&mut self, depth: u32) -> String {
        let target = self.one_of(&["i", "k", "g", "h", "s", "b[0].x", "b[1].y", "a[i]", "a[k]", "a[g]", "b[i].x", "u"]);
        match self.below(16) {
            0 => "i++".into(),
            1 => "k--".into(),
            2 => format!("h = {} {} {}", self.value(), self.one_of(&["/", "%"]), self.one_of(&["i", "k", "2", "h"])),
            3 => format!("c!{}", self.value()),
            4 => format!("c?{target}"),
            5 => format!("z!{}", self.value()),
            6 => format!("z?{target}"),
            7 => "d = c".into(),
            8 => format!("if :: nfull(c) -> d!{} :: else fi", self.value()),
            9 if depth > 0 => format!("d_step {{ {target} = {}; {target} = {} }}", self.value(), self.value()),
            10 if depth > 0 => format!("atomic {{ {} }}", self.block(depth - 1)),
            11 if depth > 0 => {
                format!(
                    "if :: {} -> {} :: else -> {} fi",
                    self.condition(1),
                    self.block(depth - 1),
                    self.block(depth - 1)
                )
            }
            12 if depth > 0 => {
                format!("do :: {} -> {} :: else -> break od", self.condition(1), self.block(depth - 1))
            }
            13 if depth > 0 => format!("for (i : 0 .. {}) {{ {} }}", self.below(5), self.block(depth - 1)),
            14 => self.condition(2),
            _ => format!("{target} = {}", self.value()),
        }
    }

    fn block(&mut self, depth: u32) -> String {
        (0..1 + self.below(3)).map(|_| self.statement(depth)).collect::<Vec<_>>().join("; ")
    }

    fn program(&mut self) -> String {
        let mut out = String::from(
            "typedef B { byte x; byte y } byte a[4], g; hidden byte h; B b[2];\n\
             chan c = [2] of { byte }; chan z = [0] of { byte };\n",
        );
        for p in 0..2 {
            let (kind, width) = (self.one_of(&["byte", "short", "int", "bit"]), 1 + self.below(4));
            let block = self.block(2);
            let end = self.one_of(&["skip", "i = 0", "run q(i)"]);
            out += &format!(
                "active proctype p{p}() {{ byte i, k; {kind} s; unsigned u : {width}; chan d; do :: {block} :: {end} od }}\n"
            );
        }
        out + &format!("proctype q(byte i) {{ byte k, s, u; chan d; {} }}\n", self.block(2))
    }
}

/// Random programs full of indices, divisions, channels and conditions that guard them.
#[test]
fn nothing_goes_wrong_that_was_not_foreseen() {
    let (first, count) = (number("STARWHEEL_SEED", 1), number("STARWHEEL_COUNT", 400));
    let (mut sound, mut broken, mut models_tried, mut safe, mut all) = (0, 0, 0, 0, 0);
    for seed in first..first + count {
        let text = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15)).program();
        for model in models(&text) {
            models_tried += 1;
            let foreseen = may_break(&model);
            safe += foreseen.iter().filter(|may| !**may).count();
            all += foreseen.len();
            match breaks(&model, &format!("seed {seed}:\n{text}")) {
                true => broken += 1,
                false => sound += 1,
            }
        }
    }
    println!(
        "{models_tried} models: {broken} with steps without a meaning, {sound} without; {safe} of {all} transitions are safe"
    );
    assert!(
        models_tried as u64 > 2 * count && broken > 20 && safe * 4 > all,
        "the programs are too simple or too wild"
    );
}
