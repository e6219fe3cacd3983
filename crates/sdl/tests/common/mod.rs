//! Texts to damage, how, and what must hold of the answer.

use starwheel_promela::{CompileOptions, compile_text};
use starwheel_sdl::{Delay, Environment, Options, Queues, Translation};

/// Other options for each text.
pub fn options(number: u64) -> Options {
    Options {
        queues: if number.is_multiple_of(2) { Queues::Process } else { Queues::Signal },
        environment: if number.is_multiple_of(3) { Environment::Any } else { Environment::None },
        delay: if number.is_multiple_of(5) { Delay::Channels } else { Delay::None },
        ..Options::default()
    }
}

/// The first error of the Promela that was written, which must have none.
pub fn broken(translation: &Translation) -> Option<String> {
    let compiled = compile_text(&translation.promela, &CompileOptions::default());
    compiled.diagnostics.iter().find(|d| d.is_error()).map(|d| d.message.clone())
}

/// A reproducible source of chance (splitmix64).
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, n: usize) -> usize {
        (self.next() % n.max(1) as u64) as usize
    }
}

/// Texts that use as much of the language as there is.
pub const SEEDS: &[&str] = &[
    include_str!("everything.pr"),
    include_str!("../../../../examples/sdl/init.pr"),
    include_str!("../../../../examples/sdl/save.pr"),
    include_str!("../../../../examples/sdl/watch.pr"),
    include_str!("../../../../examples/sdl/tap.pr"),
    include_str!("../../../../examples/sdl/dispatch.pr"),
    include_str!("sorts.pr"),
    include_str!("../../../../examples/sdl/abp.if"),
    include_str!("../../../../examples/sdl/loop.if"),
    include_str!("../../../../examples/sdl/turn.if"),
    include_str!("../../../../examples/sdl/crossing.if"),
    include_str!("../../../../examples/sdl/patient.if"),
    include_str!("../../../../examples/sdl/kill.if"),
    include_str!("../../../../examples/sdl/post.if"),
    include_str!("types.asn"),
];

/// Words that make a random text look more like SDL.
pub const WORDS: &[&str] = &[
    "monitor",
    "errorstates",
    "ignorestates",
    "successstates",
    "renames",
    "from",
    "to",
    "st.p.state",
    "system",
    "endsystem",
    "block",
    "process",
    "endprocess",
    "procedure",
    "endprocedure",
    "start",
    "state",
    "endstate",
    "input",
    "output",
    "save",
    "provided",
    "priority",
    "nextstate",
    "-",
    "-*",
    "stop",
    "return",
    "join",
    "task",
    "decision",
    "enddecision",
    "any",
    "else",
    ":",
    ";",
    ",",
    "(",
    ")",
    "{",
    "}",
    ":=",
    "//",
    "in",
    "mod",
    "now",
    "set",
    "reset",
    "timer",
    "create",
    "sender",
    "self",
    "substructure",
    "endsubstructure",
    "aggregation",
    "connect",
    "connection",
    "newtype",
    "syntype",
    "struct",
    "choice",
    "array",
    "literals",
    "string",
    "powerset",
    "operators",
    "operator",
    "endoperator",
    "axioms",
    "==",
    "inherits",
    "endnewtype",
    "size",
    "mkstring",
    "substring",
    "first",
    "incl",
    "empty",
    "(.",
    ".)",
    "x",
    "a",
    "S",
    "1",
    "-1",
    "99999999999",
    "'t'",
    "'FF'H",
    "/*",
    "*/",
    "--",
    "Integer",
    "Boolean",
    "for",
    "endfor",
    "range",
    "if",
    "then",
    "fi",
    "call",
    "::=",
    "SEQUENCE",
    "OF",
    "SIZE",
    "..",
];

/// One of the texts with words and lines taken out, put in, repeated and exchanged.
pub fn damaged(r: &mut Random, seeds: &[&str]) -> String {
    let mut text = seeds[r.below(seeds.len())].as_bytes().to_vec();
    for _ in 0..1 + r.below(4) {
        let (a, b) = (r.below(text.len() + 1), r.below(text.len() + 1));
        let (from, to) = (a.min(b), a.max(b).min(a.min(b) + 1 + r.below(80)));
        match r.below(7) {
            0 => drop(text.drain(from..to)),
            1 => {
                let piece = text[from..to].to_vec();
                text.splice(b..b, piece);
            }
            2 => text.insert(a, r.next() as u8),
            3 | 4 => {
                let word = format!(" {} ", WORDS[r.below(WORDS.len())]);
                text.splice(a..a, word.into_bytes());
            }
            5 => {
                let other = seeds[r.below(seeds.len())].as_bytes();
                let (x, y) = (r.below(other.len() + 1), r.below(other.len() + 1));
                let piece = other[x.min(y)..x.max(y).min(x.min(y) + 200)].to_vec();
                text.splice(a..a, piece);
            }
            _ => take_word(&mut text, a),
        }
    }
    String::from_utf8_lossy(&text).into_owned()
}

/// Removes the word at a place.
fn take_word(text: &mut Vec<u8>, at: usize) {
    let end = (at..text.len()).find(|&i| !text[i].is_ascii_alphanumeric()).unwrap_or(text.len());
    text.drain(at.min(end)..end);
}
