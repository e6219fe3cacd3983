//! Statements as trails show them.

use super::parse_text;
use crate::ast::*;
use crate::print;

fn check(text: &str, expected: &str) {
    let (parsed, _) = parse_text(&format!("proctype P() {{ skip }} init {{ {text} }}"));
    assert!(parsed.diagnostics.is_empty(), "in {text}: {:?}", parsed.diagnostics);
    let Some(Unit::Init(init)) = parsed.program.units.last() else { panic!("no init") };
    let Some(Step::Stmt(s)) = init.body.steps.last() else { panic!("no statement") };
    assert_eq!(print::statement(s), expected, "in {text}");
}

#[test]
fn statements_look_like_those_of_spin() {
    check("x = x+1", "x = (x+1)");
    check("x++", "x = (x+1)");
    check("a[i+1].b = -1", "a[(i+1)].b = -(1)");
    check("a[-i]=!x", "a[ -(i)] = !(x)");
    check("a && b", "((a&&b))");
    check("skip", "(1)");
    check("timeout", "(timeout)");
    check("c!1,2", "c!1,2");
    check("c!!m(x)", "c!!m,x");
    check("c?x", "c?x");
    check("c??<x,eval(y)>", "c??<x,eval(y)>");
    check("goto L", "goto L");
    check("else", "else");
    check("assert(x==1)", "assert((x==1))");
    check("printf(\"x %d\\n\", x)", "printf('x %d\\\\n',x)");
    check("(x -> 1 : 2)", "(( (x) -> (1) : (2) ))");
    check("run P(1,x)", "(run P(1,x))");
    check("P[0]@L", "((P[0]._p==L))");
    check("P[0]:x == 2", "((P[0].x==2))");
    check("x % 2 == 0", "(((x%2)==0))");
    check("atomic { skip }", "ATOMIC");
    check("if :: x fi", "IF");
}

#[test]
fn remote_references_keep_their_form_in_formulas() {
    let (parsed, _) = parse_text("ltl p { [] (P[0]@L + P:x <= 1) }");
    let Some(Unit::Ltl(ltl)) = parsed.program.units.last() else { panic!("no formula") };
    assert_eq!(print::formula(&ltl.formula), "[] ((((P[0]@L)+P:x)<=1))");
}

#[test]
fn formulas_look_like_those_of_spin() {
    let (parsed, _) = parse_text("ltl p { [] (x == 1) -> <> (x == 2) }");
    let Some(Unit::Ltl(ltl)) = parsed.program.units.last() else { panic!("no formula") };
    assert_eq!(print::formula(&ltl.formula), "(! ([] ((x==1)))) || (<> ((x==2)))");
    assert_eq!(print::source(&ltl.formula), "[] (x == 1) -> <> (x == 2)");
}
