//! Inlines: what a call becomes, and where its parts come from.

use super::{lexer, parse_text, said, units};
use crate::ast::*;
use crate::parse::parse;
use starwheel_base::{Expansion, SourceMap};

fn last(text: &str) -> String {
    units(text).pop().unwrap_or_default()
}

#[test]
fn arguments_replace_parameters() {
    let text = "inline f(a, b) { a = b * 2; printf(\"a\", a) } init { f(x[1], y + 1) }";
    assert_eq!(last(text), "init [f(x[1],y+1) [x[1] = (y+(1*2)); printf('a',x[1])]]");
}

#[test]
fn arguments_may_be_calls_and_names_of_other_parameters() {
    assert_eq!(last("inline f(a, b) { a = b } init { f(b, len(c)) }"), "init [f(b,len(c)) [b = len(c)]]");
    assert_eq!(last("inline f(L) { goto L } init { f(end) }"), "init [f(end) [goto end]]");
    assert_eq!(last("inline f(r) { r } init { f(run P(1, 2)) }"), "init [f(run P(1,2)) [(run P(1,2))]]");
}

#[test]
fn inlines_call_inlines() {
    let text = "inline g(x) { x++ } inline f(x) { g(x); g(y) } init { f(a) }";
    assert_eq!(last(text), "init [f(a) [g(a) [a = (a+1)]; g(y) [y = (y+1)]]]");
}

#[test]
fn inlines_return_values() {
    let text = "inline f(a) { a++; return a + 1 } init { x = f(y); z = x }";
    assert_eq!(last(text), "init [x = f(y) [y = (y+1); x = (y+1)]; z = x]");
}

#[test]
fn calls_end_like_blocks() {
    let text = "inline f() { skip } init { f() f()\n f() unless { x } f(); }";
    assert_eq!(last(text), "init [f() [(1)]; f() [(1)]; (f() [(1)] unless block [(x)]); f() [(1)]]");
}

#[test]
fn line_ends_count_in_bodies_but_not_in_arguments() {
    let text = "inline f(a) {\n a = 1\n x = a\n y = 2\n }\n init { f(\n z\n) }";
    assert_eq!(last(text), "init [f(z) [z = 1; x = z; y = 2]]");
}

#[test]
fn symbolic_constants_hide_parameters() {
    assert_eq!(last("mtype = { m } inline f(m) { x = m } init { f(1) }"), "init [f(1) [x = m]]");
}

#[test]
fn select_is_not_written_out_in_an_inline() {
    assert_eq!(last("inline f() { select (i : 1 .. 3) } init { f() }"), "init [f() [select* i 1..3]]");
}

#[test]
fn spans_tell_the_way_of_each_token() {
    let (parsed, map) = parse_text("inline f(a) {\n  a = b\n}\ninit {\n  f(x)\n}");
    let Some(Unit::Init(init)) = parsed.program.units.last() else { panic!("no init") };
    let Step::Stmt(Stmt { kind: StmtKind::InlineCall { body, .. }, .. }) = &init.body.steps[0] else {
        panic!("no call")
    };
    let Step::Stmt(Stmt { kind: StmtKind::Assign { target, op: AssignOp::Set(value) }, .. }) = &body.steps[0] else {
        panic!("no assignment")
    };
    // The value stands in the body, and came to its place by the call in line 5.
    assert_eq!(map.text(value.span), "b");
    let call = map.expansion(value.span.expansion).expect("an expansion");
    assert!(call.inline);
    assert_eq!((map.text(call.call), map.line(value.span)), ("f(x)", 5));
    // The target stands in the call, and came to its place by the parameter in the body.
    assert_eq!(map.text(target.span), "x");
    let param = map.expansion(target.span.expansion).expect("an expansion");
    assert_eq!((&*param.name, map.text(param.call), param.inline), ("a", "a", false));
    assert_eq!(map.line(target.span), 5);
}

#[test]
fn macros_in_bodies_stay_within_the_call() {
    let text = "inline f() {\n  x = M\n}\ninit {\n  f();\n  f()\n}";
    let mut map = SourceMap::new();
    let file = map.add_file("model.pml", text);
    let mut tokens = lexer::tokens(text, file);
    let used = tokens.iter_mut().find(|t| map.text(t.span) == "M").expect("the use of the macro");
    let expansion = Expansion { name: "M".into(), call: used.span, inline: false };
    used.span.expansion = map.add_expansion(expansion);
    let parsed = parse(&tokens, &mut map);
    let Some(Unit::Init(init)) = parsed.program.units.last() else { panic!("no init") };
    let lines = init.body.steps.iter().map(|step| {
        let Step::Stmt(Stmt { kind: StmtKind::InlineCall { body, .. }, .. }) = step else { panic!("no call") };
        let Step::Stmt(Stmt { kind: StmtKind::Assign { op: AssignOp::Set(value), .. }, .. }) = &body.steps[0] else {
            panic!("no assignment")
        };
        (map.depth(value.span.expansion), map.line(value.span))
    });
    assert_eq!(lines.collect::<Vec<_>>(), [(2, 5), (2, 6)]);
}

#[test]
fn wrong_calls_are_refused() {
    let one = |text: &str, expected: &str| assert_eq!(said(text), [expected], "in {text}");
    one("inline f(a) { a }\ninit { f() }", "2 argument-count `f` takes one argument, not 0");
    one("inline f() { x }\ninit { f(1) }", "2 argument-count `f` takes no arguments, not 1");
    one("inline f(a,b) { a+b }\ninit { f(1,) }", "2 argument-count the argument for `b` is missing");
    one("inline f() { f() }\ninit { f() }", "2 recursive-inline the inline `f` calls itself");
    one("init { f() }\ninline f() { skip }", "1 unknown-inline the inline `f` is used before its definition");
    one("init { g(1) }", "1 unknown-inline there is no inline called `g`");
    one("proctype P() { skip } init { P() }", "1 unknown-inline `P` is a process type");
    one(
        "inline f() { skip } init { x = 1 + f() }",
        "1 inline-as-value the inline `f` cannot be called inside an expression",
    );
    one("inline f() { skip } init { f }", "1 inline-as-value the inline `f` is called without arguments");
    one("inline f() { }\ninit { f() }", "2 empty-sequence a sequence must have at least one statement");
    one("inline f() { skip } inline f() { skip }", "1 redefined the inline `f` is defined twice");
    one(
        "inline f() { return 1 }\ninit { f() }",
        "2 return `return` has no use here, as nothing is assigned in the call of `f`",
    );
    one("init { return 1 }", "1 return `return` can only stand in an inline");
    one("inline f(byte a) { a }", "1 syntax parameters of an inline have no types");
}

#[test]
fn an_error_in_an_inline_is_reported_once() {
    assert_eq!(said("inline f() {\n x = ;\n}\ninit { f(); f(); f() }").len(), 1);
}

#[test]
fn inlines_that_explode_are_refused() {
    let mut text = String::from("inline f0() { x++ }\n");
    for i in 1..40 {
        let j = i - 1;
        text += &format!("inline f{i}() {{ f{j}(); f{j}(); f{j}(); f{j}() }}\n");
    }
    text += "init { f39() }";
    let said = said(&text);
    assert!(said[0].contains("too long when written out"), "{said:?}");
}
