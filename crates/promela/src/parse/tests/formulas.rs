//! Formulas of linear temporal logic, in blocks and from the command line.

use super::{lexer, messages, parse_text, units};
use crate::parse::parse_formula;
use crate::print;
use starwheel_base::SourceMap;

/// An `ltl` block without diagnostics.
fn check(text: &str, expected: &str) {
    assert_eq!(units(&format!("ltl p {{ {text} }}")), [format!("ltl p {expected}")], "in {text}");
}

/// An `ltl` block with one warning.
fn warns(text: &str, expected: &str, code: &str) {
    let (parsed, _) = parse_text(&format!("ltl p {{ {text} }}"));
    let codes: Vec<&str> = parsed.diagnostics.iter().map(|d| d.code).collect();
    assert_eq!(codes, [code], "in {text}");
    assert_eq!(super::dump::unit(&parsed.program.units[0]), format!("ltl p {expected}"), "in {text}");
}

/// A formula from the command line: its tree, and the codes of diagnostics.
fn line(text: &str, spin: bool) -> (String, Vec<&'static str>) {
    let mut map = SourceMap::new();
    let file = map.add_file("", text);
    let (formula, diagnostics) = parse_formula(&lexer::tokens(text, file), &mut map, spin);
    (formula.map_or(String::new(), |f| print::expr(&f)), diagnostics.iter().map(|d| d.code).collect())
}

#[test]
fn operators_and_words() {
    check("[] <> a", "[](<>(a))");
    check("always eventually next a", "[](<>(X(a)))");
    check("a U b", "(aUb)");
    check("a until b", "(aUb)");
    check("a stronguntil b", "(aUb)");
    check("a V b", "(aVb)");
    check("a release b", "(aVb)");
    check("a W b", "(aWb)");
    check("a weakuntil b", "(aWb)");
    check("a implies b", "(a->b)");
    check("a -> b", "(a->b)");
    check("a equivalent b", "(a<->b)");
    check("a <-> b", "(a<->b)");
    check("a /\\ b \\/ c", "((a&&b)||c)");
    check("!!a", "!(!(a))");
}

#[test]
fn words_are_names_outside_formulas() {
    assert_eq!(units("init { X = U + next; always }"), ["init [X = (U+next); (always)]"]);
}

#[test]
fn precedence() {
    check("[] a && b", "([](a)&&b)");
    check("[] a U b", "([](a)Ub)");
    check("a && b U c || d", "((a&&(bUc))||d)");
    check("a -> b || c && d", "(a->(b||(c&&d)))");
    check("a U x == 1", "(aU(x==1))");
    check("!p && q", "(!(p)&&q)");
    check("[] (x != 1)", "[]((x!=1))");
    check("x < -1 && x<-1", "((x<-(1))&&(x<-(1)))");
}

#[test]
fn comparisons_bind_tighter_than_temporal_operators() {
    warns("[] x != 1", "[]((x!=1))", "ltl-precedence");
    warns("! x == 1", "!((x==1))", "ltl-precedence");
    warns("<> x + 1 > y && z", "(<>(((x+1)>y))&&z)", "ltl-precedence");
    warns("[] ! x == 1", "[](!((x==1)))", "ltl-precedence");
}

#[test]
fn chains_without_parentheses_are_warned_about() {
    warns("a U b U c", "((aUb)Uc)", "ltl-associativity");
    warns("a -> b -> c", "((a->b)->c)", "ltl-associativity");
    warns("a W b V c", "((aWb)Vc)", "ltl-associativity");
    check("a U (b U c)", "(aU(bUc))");
    check("a <-> b <-> c", "((a<->b)<->c)");
    check("a && b && c || d || e", "((((a&&b)&&c)||d)||e)");
}

#[test]
fn operands() {
    check("P@L && P[0]@L -> P:x > 1", "(((P._p==L)&&(P[0]._p==L))->(P.x>1))");
}

#[test]
fn formulas_from_the_command_line() {
    let plain = |text, tree: &str| assert_eq!(line(text, false), (tree.to_string(), vec![]), "in {text}");
    plain("[] (p -> <> q)", "[]((p-><>(q)))");
    plain("{x > 1} U not q", "((x>1)U!(q))");
    plain("(a || b && c) U d", "((a||(b&&c))Ud)");
    plain("P:x == 1", "(P.x==1)");
    assert_eq!(line("a -> b && c", false), ("(a->(b&&c))".into(), vec!["ltl-precedence"]));
    assert_eq!(line("a -> b && c", true), ("((a->b)&&c)".into(), vec![]));
    assert_eq!(line("(a || b && c) U d", true), ("((a||(b&&c))Ud)".into(), vec![]));
    assert_eq!(line("[] x == 1", true), ("([](x)==1)".into(), vec![]));
}

#[test]
fn broken_formulas_give_no_tree() {
    assert_eq!(line("a b", false), (String::new(), vec!["syntax"]));
    assert_eq!(line("", false), (String::new(), vec!["syntax"]));
    assert_eq!(line("[] (a", false), (String::new(), vec!["syntax"]));
    assert_eq!(line("{ a", false), (String::new(), vec!["syntax"]));
}

#[test]
fn warnings_say_both_readings() {
    let (parsed, map) = parse_text("ltl p { [] x != 1 }");
    let expected =
        "1 ltl-precedence `[]` is applied to all of `x != 1` here, but SPIN applies it to the first operand only";
    assert_eq!(messages(&parsed.diagnostics, &map), [expected]);
    assert_eq!(parsed.diagnostics[0].advice, ["write `[] (x != 1)`, which both read alike"]);
}
