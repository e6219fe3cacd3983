//! Statements.

use super::{body, dump, messages, parse_text};

fn check(text: &str, expected: &str) {
    assert_eq!(body(text), expected, "in {text}");
}

#[test]
fn assignments() {
    check("x = 1; a[i].b = y + 1; x++; a[0]--", "x = 1; a[i].b = (y+1); x = (x+1); a[0] = (a[0]-1)");
    check("x = full(c)", "x = full(c)");
}

#[test]
fn sends() {
    check("c!1; c!x,y+1; c!a(b,1); c[i]!!(x)", "c!1; c!x,(y+1); c!a,b,1; c[i]!!x");
    check("c!(1)(2)", "c!1,2");
}

#[test]
fn receives() {
    check("c?x; c?x,1,-2,true; c??x; c?<x>; c??<x,_>", "c?x; c?x,1,-2,1; c??x; c?<x>; c??<x,_>");
    check(
        "c?a(b,c); c?(a,b); c?a,(b,c); c?a((b)); c?eval(x+1),a[1].b",
        "c?a,b,c; c?a,b; c?a,b,c; c?a,b; c?eval((x+1)),a[1].b",
    );
}

#[test]
fn polls_are_expressions() {
    check("c?[x]; c??[1,eval(y)] && z; z || c?[x]", "(c?[x]); ((c??[1,eval(y)]&&z)); ((z||c?[x]))");
}

#[test]
fn selections_and_loops() {
    check("if :: a -> b; c :: else fi", "if [(a); (b); (c)] [else]");
    check("do :: a :: break od", "do [(a)] [break]");
    check("if :: else x = 1 :: a fi", "if [else; x = 1] [(a)]");
    check("for (i : 1 .. N) { x++ }", "for i 1..N [x = (x+1)]");
    check("for (m in c)\n { x++ }", "for m in c [x = (x+1)]");
    check("in = 1", "in = 1");
}

#[test]
fn select_is_written_out_only_for_plain_text() {
    check("select (i : 1 .. 3)", "select i 1..3");
    check("select (i1 : 0..300)", "select i1 0..300");
    check("select (i_ : 1 .. 3)", "select* i_ 1..3");
    check("select (i : N .. 3)", "select* i N..3");
    check("select (i : 1 .. 2+1)", "select* i 1..(2+1)");
    check("select (i : -1 .. 3)", "select* i -(1)..3");
    check("select (i : 'a' .. 300)", "select* i 97..300");
    check("select (i :\n 1 .. 3)", "select* i 1..3");
    check("select\n(i : 1 .. 3)", "select i 1..3");
}

#[test]
fn blocks() {
    check("atomic { a; b }", "atomic [(a); (b)]");
    check("d_step { a; b; }", "d_step [(a); (b)]");
    check("{ byte x; x = 1 }", "block [byte x; x = 1]");
    check("byte x = 1, y; xr c, d; xs e", "byte x=1, y; xr c,d; xs e");
}

#[test]
fn unless() {
    check("a unless b", "((a) unless (b))");
    check("L: { a } unless { M: b }; c", "(L: block [(a)] unless block [M: (b)]); (c)");
    check("do :: a od unless if :: b fi", "(do [(a)] unless if [(b)])");
}

#[test]
fn labels() {
    check("L: M: a; goto L", "L: M: (a); goto L");
    check("a; L:", "(a); L: ()");
    check("L:; a", "L: (); (a)");
    check("if :: L: fi", "if [L: ()]");
    check("L: unless a", "(L: () unless (a))");
}

#[test]
fn labels_named_like_processes_further_down() {
    let (parsed, map) = parse_text("init { P: x = 1 } proctype P() { P:x == 1 }");
    let units: Vec<String> = parsed.program.units.iter().map(dump::unit).collect();
    assert_eq!(units, ["init [P: x = 1]", "proctype P () [((P.x==1))]"]);
    let warning = "1 label-or-process `P:` is a label here, as the process type `P` is declared further down";
    assert_eq!(messages(&parsed.diagnostics, &map), [warning]);
}

#[test]
fn other_statements() {
    check("assert(x == 1); assert x && y", "assert((x==1)); assert((x&&y))");
    check("printf(\"a\\n\"); printf(\"%d %e\", x, y)", "printf('a\\\\n'); printf('%d %e',x,y)");
    check("printm(x); set_priority(_pid, 3)", "printm(x, 0); set_priority(_pid, 3)");
    check("run P(); x = run P(1, y) priority 2", "(run P()); x = run P(1,y)");
    check("skip; true; timeout; else", "(1); (1); (timeout); else");
}
