//! What the parser makes of right, wrong and damaged texts.

use super::*;
use crate::ast::*;

fn codes(text: &str) -> Vec<&'static str> {
    parse(FileId(0), text).1.iter().map(|d| d.code).collect()
}

#[test]
fn a_process_with_everything_parses() {
    let text = "process p(1,2); fpar x Integer; dcl a, b Integer := 3; timer t(Integer) := 5;
        start; l1: task a := 1, b := -a; set(now+5, t(1)); reset(t(1)); output s(a,,b) to sender via r;
          decision a; (1,3:5): ; (>7): join l1; else: stop; enddecision; create q(1); nextstate one;
        connection l2: stop; endconnection;
        state one, two; save s; priority input u(a); nextstate -; input v; provided a > 1; nextstate -*;
          provided a = 2; priority 3; call f(a); nextstate one; endstate;
        state *(one); input *; nextstate two; input none; stop; endstate;
        endprocess p;";
    let (items, problems) = parse(FileId(0), text);
    assert!(problems.is_empty(), "{problems:?}");
    let Item::Process(p) = &items[0] else { panic!("{items:?}") };
    assert_eq!((p.body.states.len(), p.body.free.len()), (2, 1));
    assert_eq!(p.body.states[0].parts.len(), 4);
}

#[test]
fn one_run_reports_all_errors() {
    let text = "process p; start; task := 1; nextstate a; state a; input ; nextstate a; input b nextstate a; endstate; endprocess;";
    assert!(codes(text).len() >= 3, "{:?}", codes(text));
}

#[test]
fn what_is_not_supported_is_named() {
    for text in ["service s; x; endservice;", "macrodefinition m; endmacro m;", "newtype n axioms a; endnewtype;"] {
        assert_eq!(codes(text), ["not-supported"], "{text}");
    }
}

#[test]
fn nesting_is_limited() {
    let text = format!("process p; start; task a := {}1{}; stop; endprocess;", "(".repeat(5000), ")".repeat(5000));
    assert!(codes(&text).contains(&"deep"));
    let text = format!("process p; start; {}", "decision a; (1): ".repeat(5000));
    assert!(codes(&text).contains(&"deep"));
    let text = format!("process p; start; task a := 1{}; stop; endprocess;", "+1".repeat(50_000));
    assert!(codes(&text).contains(&"deep"));
}

#[test]
fn records_lists_and_choices_are_told_apart() {
    let text = "process p; dcl a T := {x 1, y {2, 3}}, b U := kick : 0, c V := {}, d V := {x, y}; endprocess;";
    let (items, problems) = parse(FileId(0), text);
    assert!(problems.is_empty(), "{problems:?}");
    let Item::Process(p) = &items[0] else { panic!() };
    let Item::Variables(v) = &p.items[0] else { panic!() };
    let kind = |i: usize| &v[i].value.as_ref().expect("a value").kind;
    assert!(matches!(kind(0), ExprKind::Record(f) if f.len() == 2));
    assert!(matches!(kind(1), ExprKind::Choice(..)));
    assert!(matches!(kind(2), ExprKind::List(l) if l.is_empty()));
    assert!(matches!(kind(3), ExprKind::List(l) if l.len() == 2));
}
