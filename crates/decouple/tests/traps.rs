//! Small models in which a careless decoupling sees too many states or too few.

mod common;

use common::{Compared, compare, model};
use starwheel_decouple::{Request, refusal};
use starwheel_engine::{Outcome, Silent};

/// Compares, and checks whether the model holds.
fn check(text: &str, holds: bool) {
    let model = model(text, false, false).expect("a model");
    match compare(&model, 100_000) {
        Ok(Compared::Same(..)) => {}
        other => panic!("{other:?}\n{text}"),
    }
    let report = starwheel_decouple::run(&model, &Request::default(), &Silent).expect("it fits");
    assert_eq!(matches!(report.outcome, Outcome::Holds(_)), holds, "{:?}\n{text}", report.outcome);
}

#[test]
fn a_new_process_remembers_what_its_creator_was() {
    let text = "chan c = [0] of { byte };
        init { byte x; if :: x = 0 :: x = 1 fi; run Q(x); c!x }
        proctype Q(byte v) { byte y; c?y; assert(y == v) }";
    check(text, true);
    // With slots, the message waits in the center.
    check(&text.replace("[0]", "[1]"), true);
    check(&text.replace("assert(y == v)", "assert(y == 0)"), false);
}

#[test]
fn first_halves_are_kept_apart() {
    // Both senders leave the same center behind, and the receiver remembers which one it was.
    check(
        "chan c = [0] of { byte }; byte g;
        active proctype A() { byte x; if :: x = 1 :: x = 2 fi; c!x; g = x; end: g == 9 }
        active proctype B() { byte y; c?y; (g != 0); assert(g == y); g = 9 }",
        true,
    );
}

#[test]
fn else_beside_a_handshake_looks_at_all_partners() {
    let text = "chan c = [0] of { byte }; byte g;
        active proctype A() { if :: c!1 :: else -> g = 1 fi }
        active proctype B() { byte x; if :: skip; x = 1 :: true fi; if :: x == 1 -> c?x :: x == 0 -> skip fi }";
    check(text, false);
}

#[test]
fn an_escape_beside_a_handshake_looks_at_all_partners() {
    check(
        "chan c = [0] of { byte }; byte n;
        active proctype A() { { do :: n < 2 -> n++ od } unless { c!1 } }
        active proctype B() { byte x; if :: true :: x = 1; c?x fi }",
        false,
    );
}

#[test]
fn an_atomic_chain_that_reaches_a_handshake() {
    let text = "chan c = [0] of { byte }; byte g, h;
        active proctype A() { byte x; atomic { x = 1; g = 1; c!x; g = 2 }; h = 1 }
        active proctype B() { byte y; if :: true :: y = 3 fi; atomic { c?y; assert(g == 1); h = 2 } }
        active proctype C() { g >= 1; h = 3 }";
    check(text, true);
    check(&text.replace("assert(g == 1)", "assert(g == 2)"), false);
}

#[test]
fn control_passes_on_and_on() {
    check(
        "chan c = [0] of { byte }; chan d = [0] of { byte }; byte n;
        active proctype A() { byte x; do :: n < 3 -> atomic { c!x; d?x; n++ } od }
        active proctype B() { byte y; do :: atomic { c?y; y = 1 - y; d!y } od }",
        false,
    );
}

#[test]
fn a_timeout_needs_everybody_to_be_blocked() {
    check(
        "chan c = [0] of { byte }; byte g;
        active proctype A() { byte x; if :: x = 1 :: x = 2 :: x = 3 fi; if :: x == 1 -> c!x :: x == 2 -> c!5 :: x == 3 fi; g = 1 }
        active proctype B() { byte y; if :: c?eval(1) :: c?2 :: timeout -> g = 2 fi }
        active proctype C() { timeout; assert(g != 1) }",
        false,
    );
}

#[test]
fn processes_end_youngest_first() {
    check(
        "byte g;
        active proctype A() { byte x; if :: x = 1 :: x = 2 fi; run B(x); run B(x + 1); (_nr_pr == 1) ; assert(g > 0 || x < 3) }
        proctype B(byte v) { if :: v > 1 -> g = v :: v <= 1 fi }",
        true,
    );
}

#[test]
fn leaf_steps_that_fail_and_break() {
    check("byte g; active proctype A() { byte x; do :: x < 4 -> x++ od } active proctype B() { g = 1 }", false);
    check(
        "byte g; active proctype A() { byte x; do :: x < 4 -> x++ :: x == 3 -> assert(g == 0) od } active proctype B() { g = 1 }",
        false,
    );
    check(
        "byte a[3]; active proctype A() { byte x; do :: x < 4 -> x++ :: a[x] == 1 -> skip od } active proctype B() { a[1] = 1 }",
        false,
    );
}

#[test]
fn conditions_and_channels_of_processes() {
    check(
        "byte turn; chan out = [2] of { byte };
        proctype P(chan c) provided (turn != 2) { byte x; c?x; x++; turn = x; out!!x }
        init { chan mine = [1] of { byte }; run P(mine); turn = 1; mine!1; (len(out) == 1 && out?[2]); turn = 3 }",
        false,
    );
}

#[test]
fn messages_that_are_left_can_make_an_end_invalid() {
    let text =
        "chan c = [1] of { byte }; active proctype A() { byte x; if :: x = 1 :: c!x fi } active proctype B() { skip }";
    let mut model = model(text, false, false).expect("a model");
    for (empty_ends, errors) in [(false, 0), (true, 1)] {
        model.empty_ends = empty_ends;
        assert!(matches!(compare(&model, 1000), Ok(Compared::Same(..))));
        assert_eq!(starwheel_decouple::run(&model, &Request::default(), &Silent).expect("it fits").errors, errors);
    }
}

#[test]
fn a_hidden_variable_may_count_for_itself() {
    let text = "byte n, log; active [2] proctype P() { byte i; if :: i = 1 :: i = 2 fi; log++; d_step { log++; n++ } }
        active proctype Q() { n == 2; assert(n < 2) }";
    let model = model(text, true, false).expect("a model");
    assert!(model.layout.hidden > 0);
    assert!(matches!(compare(&model, 10_000), Ok(Compared::Same(..))));
    check(&text.replace("byte n, log;", "byte n; hidden byte log;").replace("{ log++", "{ log = log + i"), false);
}

#[test]
fn what_cannot_be_decoupled_is_named() {
    for (text, what) in [
        ("byte x; active proctype A() { x = _last }", "`_last`"),
        (
            "byte x; active proctype A() { x = 1; L: x = 2 } active proctype B() { A@L }",
            "a remote reference to a label",
        ),
        ("active proctype A() { byte y; y = 1 } active proctype B() { A:y == 1 }", "a remote reference to a variable"),
        ("active proctype A() { skip } active proctype B() { enabled(0) }", "`enabled()`"),
        ("active proctype A() { skip } active proctype B() { pc_value(0) == 1 }", "`pc_value()`"),
        ("active proctype A() priority 3 { skip } active proctype B() { skip }", "a priority"),
        ("byte x; active D_proctype A() { x = 1 }", "`D_proctype`"),
        ("hidden byte h; byte a; active proctype A() { d_step { h = a + 1; a = h } }", "reading a hidden variable"),
    ] {
        let model = model(text, false, false).expect("a model");
        assert_eq!(refusal(&model).map(|r| r.what).as_deref(), Some(what), "{text}");
    }
}
