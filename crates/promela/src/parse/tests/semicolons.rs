//! Line ends and braces that stand for semicolons.

use super::{body, said, units};

#[test]
fn a_line_end_behind_a_complete_statement_separates() {
    for end in ["x", "1", "(x)", "a[1]", "x++", "x--", "true", "skip", "break", "c?[x]", "timeout", "x = 1"] {
        assert_eq!(said(&format!("init {{ {end}\n y }}")), Vec::<String>::new(), "behind {end}");
    }
    assert_eq!(body("do :: a\n :: b\n od\n if :: c\n fi\n d"), "do [(a)] [(b)]; if [(c)]; (d)");
    assert_eq!(body("L:\n x = 1\n goto L\n y"), "L: x = 1; goto L; (y)");
    assert_eq!(body("byte x\n byte y\n x = 1"), "byte x; byte y; x = 1");
}

#[test]
fn separators_before_closers_and_arrows_are_harmless() {
    assert_eq!(body("if\n :: x\n -> y\n ; z;\n :: else\n -> w\n fi\n ;"), "if [(x); (y); (z)] [else; (w)]");
    assert_eq!(body("x;; y; -> z;;"), "(x); (y); (z)");
}

#[test]
fn a_line_end_elsewhere_means_nothing() {
    assert_eq!(body("x =\n 1"), "x = 1");
    assert_eq!(body("x +\n 1"), "((x+1))");
    assert_eq!(body("(x\n && y\n)"), "((x&&y))");
    assert_eq!(body("c!\n1,\n2"), "c!1,2");
    assert_eq!(units("byte x\n = 1\n, y"), ["byte x=1, y"]);
    assert_eq!(units("typedef T { int v } init { T\n x }"), ["typedef T int v", "init [T x]"]);
}

#[test]
fn braces_and_else_end_statements() {
    assert_eq!(body("{ a } b; atomic { c } d"), "block [(a)]; (b); atomic [(c)]; (d)");
    assert_eq!(body("{ a }\n unless { b }\n c"), "(block [(a)] unless block [(b)]); (c)");
    assert_eq!(body("if :: else if :: a fi fi"), "if [else; if [(a)]]");
    assert_eq!(body("{ a }\n unsigned x : 2"), "block [(a)]; unsigned x:2");
}

#[test]
fn an_operator_behind_a_line_end_gets_advice() {
    let one = |text: &str, expected: &str| assert_eq!(said(text), [expected], "in {text}");
    one("init {\n x\n && y\n}", "3 line-end expected a statement, found `&&`");
    one("init {\n byte x\n , y\n}", "3 line-end expected a statement, found `,`");
    one("init {\n x = 1\n unless { y }\n}", "3 line-end expected a statement, found `unless`");
}

#[test]
fn some_tokens_do_not_end_a_line() {
    assert_eq!(said("init {\n c?<x>\n y\n}"), ["2 missing-separator expected `;` or `->`, found `y`"]);
    assert_eq!(said("inline f() {\n timeout\n y\n}\n init { f() }").len(), 1);
    assert_eq!(said("init {\n do :: break od y\n}"), ["2 missing-separator expected `;` or `->`, found `y`"]);
}
