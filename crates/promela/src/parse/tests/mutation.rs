//! Damaged models: tokens dropped, doubled, swapped and put in. The parser must come to an end with a tree and must
//! not panic, whatever it is given.

use super::lexer;
use crate::parse::{parse, parse_formula};
use crate::token::Token;
use starwheel_base::SourceMap;

const MODELS: &[&str] = &[
    "mtype = { ping, pong }\nmtype:kind = { a, b }\nchan c = [2] of { mtype, byte }\nchan d[2] = [0] of { T }\n\
     typedef T { byte f[2]; unsigned u : 3\n int g }\nbyte x = 1, y[3] = { 1, 2, 3 }\nhidden bool h\n\
     inline put(v, w) { c!v,w; if :: w > 0 -> x = w :: else fi }\ninline get(v) { c?ping(v); return v + 1 }\n\
     active [2] proctype P(byte i; T t) priority 2 provided (x < 3) {\n  byte k = 0\n  xr c; xs d[0]\n\
     loop: do\n  :: k < 3 -> k++; put(ping, k)\n  :: c?[ping,_] -> y[0] = get(k)\n  :: else -> break\n  od\n\
     { atomic { x = (k > 1 -> 2 : 3); assert(x != 4) } } unless { timeout -> goto loop }\nend: }\n\
     init { byte i; run P(1, 2) priority 3\n  for (i : 1 .. 3) { select (x : 0 .. 5)\n y[i] = len(c) }\n\
     for (i in y) { d_step { printf(\"%d\\n\", i); skip } }\n c!!pong(3); c??<ping,eval(i)>; full(c) || nempty(c) }\n",
    "byte n; bool p, q\nproctype A() { L: n = n + 1; n-- }\nnever nv { do :: A@L && !p :: A[1]:n == 2 -> break od }\n\
     trace { do :: c!1 :: c?2,_ od }\nltl one { [] (p -> <> q) && (n == 1 U !p) }\nltl { always eventually p W X q }\n\
     c_decl { int z; }\nc_state \"int z\" \"Global\"\ninit { c_code [z] { z = 1; }; set_priority(0, 4); printm(q);\n\
     if :: n == 1 -> n = ~n & 3 | 4 ^ 5 :: n << 1 > 4 % 3 fi }\n",
    "[] (p -> <> (q U {x > 1})) && !(a V b) <-> X c \\/ (d /\\ e)\n",
];

/// A small generator of numbers, so that failures can be repeated.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % n.max(1) as u64) as usize
    }
}

fn damage(tokens: &mut Vec<Token>, numbers: &mut Numbers) {
    // The end stays where it is.
    let n = tokens.len() - 1;
    if n == 0 {
        return;
    }
    let (i, j) = (numbers.below(n), numbers.below(n));
    match numbers.below(6) {
        0 => drop(tokens.remove(i)),
        1 => tokens.insert(i, tokens[i].clone()),
        2 => tokens.swap(i, j),
        3 => tokens.insert(i, tokens[j].clone()),
        4 => drop(tokens.drain(i.min(j)..i.min(j) + numbers.below(8).min(n - i.min(j)))),
        _ => tokens[i].starts_line = !tokens[i].starts_line,
    }
}

#[test]
fn models_are_whole_to_begin_with() {
    for text in &MODELS[..2] {
        assert_eq!(super::said(text), Vec::<String>::new());
    }
}

#[test]
fn damaged_models_do_no_harm() {
    for seed in 1..=3000_u64 {
        let mut numbers = Numbers(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let text = MODELS[numbers.below(MODELS.len())];
        let mut map = SourceMap::new();
        let file = map.add_file("model.pml", text);
        let mut tokens = lexer::tokens(text, file);
        for _ in 0..=numbers.below(4) {
            damage(&mut tokens, &mut numbers);
        }
        let parsed = parse(&tokens, &mut map);
        assert!(parsed.diagnostics.len() <= 200, "seed {seed}");
        for d in &parsed.diagnostics {
            assert!(map.line(d.span()) > 0 && !d.message.is_empty(), "seed {seed}");
        }
        let (formula, diagnostics) = parse_formula(&tokens, &mut map, seed % 2 == 0);
        assert!(formula.is_some() || !diagnostics.is_empty(), "seed {seed}");
    }
}

#[test]
fn every_beginning_of_a_model_is_bearable() {
    for text in MODELS {
        let mut map = SourceMap::new();
        let file = map.add_file("model.pml", *text);
        let tokens = lexer::tokens(text, file);
        for end in 0..tokens.len() {
            // Without an end token, too.
            parse(&tokens[..end], &mut map);
        }
    }
}
