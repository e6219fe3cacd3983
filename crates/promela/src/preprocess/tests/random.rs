//! Random and damaged texts: whatever comes in, an ordered list of tokens with spans inside their files comes out.

use super::{Memory, run};
use crate::preprocess::{Options, preprocess};
use crate::token::TokenKind;
use starwheel_base::SourceMap;

/// Small random numbers; the same seed gives the same numbers everywhere.
pub(super) struct Random(pub u64);

impl Random {
    /// A number below a limit.
    pub fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % limit.max(1)
    }

    /// One of several things.
    pub fn pick<'a, T: ?Sized>(&mut self, from: &[&'a T]) -> &'a T {
        from[self.below(from.len())]
    }
}

const SAMPLE: &str = r#"/* A sample with a bit of everything. */
#define N 4
#define MAX(a, b) ((a) > (b) -> (a) : (b))
#define STR(x) #x
#define CAT(a, b) a ## b
#define LOG(f, ...) printf(f, ## __VA_ARGS__)
#if defined(N) && N > 2 /* why
not */
#define SEND(c, v) c!v; \
    LOG("sent %d\n", v)
#else
#error "N's too small"
#endif
#include "other.h"
mtype = { CAT(re, q), ack };
chan q[N] = [2] of { mtype, byte };
active [N] proctype P() {
    byte x = 'a', y = '\'';
    do
    :: q[_pid]?<ack, x> -> SEND(q[0], MAX(x,
        y)) // it's fine
    :: x-- ; break
    :: for (x : 1..N) { printf(STR(x "y" \n)) }
    od
}
ltl p { []<>(P[0]@done /\ !timeout) <-> (true U __LINE__) }
"#;

/// Preprocesses a text and checks what must hold of every outcome.
fn check(text: &str) {
    let other = "#ifndef O\n#define O\n#include \"other.h\"\n#define N2(x) N x(\n#endif\n";
    let loader = Memory([("other.h".to_string(), other.to_string())].into());
    let mut map = SourceMap::new();
    let main = map.add_file("main.pml", text);
    let outcome = preprocess(&mut map, main, &Options::default(), &loader);
    let (last, before) = outcome.tokens.split_last().expect("there is at least the end");
    assert_eq!(last.kind, TokenKind::Eof);
    assert!(before.iter().all(|t| t.kind != TokenKind::Eof));
    let labels = outcome.diagnostics.iter().flat_map(|d| d.labels.iter().map(|l| l.span));
    for span in outcome.tokens.iter().map(|t| t.span).chain(labels) {
        let file = map.file(span.file);
        assert!(file.text.get(span.start as usize..span.end as usize).is_some(), "{span:?} in {text:?}");
        assert_eq!(map.outermost(span).expansion, starwheel_base::ExpansionId::NONE);
    }
    let lines: Vec<u32> =
        before.iter().filter(|t| map.outermost(t.span).file == main).map(|t| map.line(t.span)).collect();
    assert!(lines.is_sorted(), "tokens come in the order of their lines: {lines:?} in {text:?}");
}

#[test]
fn the_sample_itself_is_fine() {
    assert_eq!(run(&SAMPLE.replace("#include", "//")).codes, [""; 0]);
    check(SAMPLE);
}

#[test]
fn random_bytes() {
    for seed in 1..400 {
        let mut random = Random(seed * 0x9E37_79B9);
        let length = random.below(300);
        let bytes: Vec<u8> = (0..length).map(|_| random.below(256) as u8).collect();
        check(&String::from_utf8_lossy(&bytes));
    }
}

#[test]
fn random_pieces() {
    let pieces = [
        "#",
        "##",
        "define ",
        "F",
        "G",
        "(",
        ")",
        ",",
        "a",
        "...",
        "__VA_ARGS__",
        "\n",
        "\n#",
        "\\\n",
        "if ",
        "endif\n",
        "else\n",
        "elif ",
        "undef ",
        "include ",
        "\"other.h\"",
        "'",
        "\"",
        "/*",
        "*/",
        "//",
        " ",
        "1",
        "0x",
        "defined",
        "F(a)",
        "\n#define ",
        "\n#define F(a) ",
        "\n#define G ",
        "\r\n",
        "-",
        ">",
        "<",
        ".",
        ":",
        "\\",
        "line ",
        "pragma ",
        "__LINE__",
        "@",
        "{",
        "}",
    ];
    for seed in 1..3000 {
        let mut random = Random(seed * 0x1234_5679);
        let length = random.below(80);
        let text: String = (0..length).map(|_| random.pick(&pieces)).collect();
        check(&text);
    }
}

#[test]
fn damaged_samples() {
    for seed in 1..1500 {
        let mut random = Random(seed * 0x0BAD_CAFE);
        let mut text: Vec<char> = SAMPLE.chars().collect();
        for _ in 0..=random.below(6) {
            let at = random.below(text.len());
            let length = random.below(20).min(text.len() - at);
            match random.below(4) {
                0 => drop(text.drain(at..at + length)),
                1 => text.insert(
                    at,
                    *random.pick(&[&'#', &'(', &')', &'"', &'\'', &'\\', &'\n', &'/', &'*', &',', &'\u{e9}']),
                ),
                2 => {
                    let copy: Vec<char> = text[at..at + length].to_vec();
                    let to = random.below(text.len());
                    text.splice(to..to, copy);
                }
                _ => text.truncate(text.len() - length),
            }
            if text.is_empty() {
                break;
            }
        }
        check(&text.into_iter().collect::<String>());
    }
}
