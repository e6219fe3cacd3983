//! Tests of tokens: punctuation, numbers, characters, strings, comments and lines.

use super::{clean, run};

#[test]
fn operators_of_channels_and_formulas_are_split_as_the_language_wants() {
    assert_eq!(clean("c?<x>;d??<x>"), "c ? < x > ; d ?? < x >");
    assert_eq!(clean("c!!a,-1;c!-1"), "c !! a , - 1 ; c ! - 1");
    assert_eq!(clean("[]<>p<->!q/\\r\\/s->t"), "[ ] <> p <-> ! q /\\ r \\/ s -> t");
    assert_eq!(clean("x--;y++;a<-b;a<<1>=2>>3"), "x -- ; y ++ ; a < - b ; a << 1 >= 2 >> 3");
    assert_eq!(clean("::c?<x>->P[2]@L::P:x"), ":: c ? < x > -> P [ 2 ] @ L :: P : x");
}

#[test]
fn the_end_of_a_comment_that_is_not_open_is_left_out() {
    let nested = run("a /* b /* c */ d */ e **/ 2 * / */\n*/ f");
    assert_eq!(nested.text(), "a d e * 2 * / f");
    assert_eq!(nested.lines(), "|a d e * 2 * / |f");
    assert_eq!(nested.codes, ["comment-end"; 4]);
    assert_eq!(run("#define END */ x\na + END + END").codes, ["comment-end"]);
}

#[test]
fn numbers_leave_dots_alone() {
    assert_eq!(clean("i:1..N j:0..5 k:i..N"), "i : 1 .. N j : 0 .. 5 k : i .. N");
    // GCC would take `0..N` for one number and not look for a macro in it; every user means this:
    assert_eq!(clean("#define N 5\n0..N"), "0 .. 5");
}

#[test]
fn a_name_directly_behind_digits_is_a_token_of_its_own_and_no_macro() {
    assert_eq!(clean("#define U x\n(1U p)"), "( 1 U p )");
}

#[test]
fn numbers_that_do_not_fit_wrap_as_with_spin_and_are_reported() {
    let big = run("a = 3000000000; b = 99999999999999999999; c = 4294967296");
    assert_eq!(big.text(), "a = -1294967296 ; b = -1 ; c = 0");
    assert_eq!(big.codes, ["big-number"; 3]);
    assert_eq!(clean("x = 2147483647; y = -2147483648"), "x = 2147483647 ; y = - -2147483648");
    assert_eq!(run("2147483648").codes, ["big-number"]);
    assert_eq!(run("#define BIG 3000000000\nBIG BIG BIG").codes, ["big-number"]);
}

#[test]
fn numbers_in_the_style_of_c_are_pointed_out() {
    let octal = run("010 007 00");
    assert_eq!((octal.text().as_str(), &octal.codes[..]), ("10 7 0", &["leading-zero"][..]));
    let hex = run("x = 0x1F");
    assert_eq!((hex.text().as_str(), &hex.codes[..]), ("x = 31", &["hex-number"][..]));
}

#[test]
fn characters_have_the_values_that_spin_gives_them() {
    assert_eq!(clean(r#"'a' '\n' '\\' '\'' '\t' '\r' '\f' '"' ' '"#), "97 10 92 39 9 13 12 34 32");
    let zero = run(r"'\0'");
    assert_eq!((zero.text().as_str(), &zero.codes[..]), ("48", &["odd-escape"][..]));
    assert_eq!(run("'ab' ''").codes, ["bad-character"; 2]);
}

#[test]
fn quotes_that_are_not_closed_end_with_their_line() {
    let string = run("printf(\"abc\nx = 1");
    assert_eq!((string.text().as_str(), &string.codes[..]), ("printf ( \"abc\" x = 1", &["unclosed-string"][..]));
    assert_eq!(run("x = 'a;\ny").codes, ["unclosed-character"]);
}

#[test]
fn strings_keep_their_escapes() {
    assert_eq!(clean(r#"printf("a\"b\n\\", x)"#), r#"printf ( "a\"b\n\\" , x )"#);
    assert_eq!(clean("\"/* no comment */ // none\""), "\"/* no comment */ // none\"");
}

#[test]
fn comments_are_blanks_whatever_is_in_them() {
    assert_eq!(clean("a/* it's \"odd */b // don't\nc/**/d/*/ x */e"), "a b c d e");
    let open = run("a /* b\nc");
    assert_eq!((open.text().as_str(), &open.codes[..]), ("a", &["unclosed-comment"][..]));
    assert_eq!(open.outcome.diagnostics[0].span().start, 2);
}

#[test]
fn a_backslash_joins_lines_even_inside_a_token() {
    assert_eq!(clean("ab\\\ncd 1\\\r\n2 \"x\\\ny\" -\\\n>"), "abcd 12 \"xy\" ->");
    assert_eq!(clean("// c \\\n still comment\nx"), "x");
    assert_eq!(run("a \\ \nb").codes, ["blanks-after-backslash"]);
    assert_eq!(run("p /\\\nq").codes, ["and-at-line-end"]);
}

#[test]
fn line_starts_are_those_of_the_text_that_gcc_prints() {
    assert_eq!(run("a b\nc /*\n*/ d\ne \\\n f").lines(), "|a b |c |d |e |f");
    assert_eq!(run("#define M x \\\n y\nM z\n\nM").lines(), "|x y z |x y");
    assert_eq!(run("#define F(a,b) a b\nF(1,\n2) c\nd").lines(), "|1 2 |c |d");
    assert_eq!(run("#define E\nE x\na E\nE\nb").lines(), "|x |a |b");
    assert_eq!(run("#define F(a) a\nF\nx F\n(y)\nz").lines(), "|F |x y |z");
    assert_eq!(run("a\r\nb\r\n").lines(), "|a |b");
}

#[test]
fn arrows_with_two_dashes_are_arrows() {
    let arrow = run(":: x > 0 --> y");
    assert_eq!((arrow.text().as_str(), &arrow.codes[..]), (":: x > 0 -> y", &["long-arrow"][..]));
}

#[test]
fn characters_without_meaning_are_reported_and_left_out() {
    let odd = run("x ` = $ 1 \u{e9}\u{e8} # y");
    assert_eq!((odd.text().as_str(), &odd.codes[..]), ("x = 1 y", &["bad-text"; 4][..]));
}

#[test]
fn embedded_c_is_not_held_to_the_rules_of_the_language() {
    let text = "c_decl {\n\\#include <stdio.h>\nunsigned x = 0xFFFFFFFFu; float f = 1.5e3; char c = '\\x41';\n} y = 1 c_code { { $ } # } `";
    assert_eq!(run(text).codes, ["bad-text"]);
}

#[test]
fn a_byte_order_mark_and_an_empty_text_are_fine() {
    assert_eq!(clean("\u{feff}x"), "x");
    assert_eq!(clean(""), "");
    assert_eq!(clean("#"), "");
}
