//! Constructs that make reduction hard, one by one: the verdict is kept, and where SPIN's reduction misses an error, ours
//! does not.

use crate::common::{self, BY_CHOICE, Found, METHODS, ORDERS, compare, fixed, full, reduced};
use starwheel_model::ViolationKind;
use starwheel_reduce::{Property, watched};

/// All reductions find what there is; true if it is an error of this kind.
#[track_caller]
fn finds(text: &str, kind: ViolationKind) {
    let model = common::model(text, false, false).expect("the model is good");
    compare(&model).unwrap_or_else(|what| panic!("{what}\n{text}"));
    let has = |f: &Found| f.errors.iter().any(|e| e.0 == kind);
    assert!(has(&full(&model).expect("it is small")), "the whole has no such error: {text}");
    for method in METHODS {
        assert!(has(&reduced(&model, method, ORDERS[0]).expect("it is small")), "{method:?}: {text}");
        for proviso in BY_CHOICE {
            let found = fixed(&model, method, proviso, ORDERS[0]).expect("it is small");
            assert!(has(&found), "{method:?}, {proviso:?}: {text}");
        }
    }
}

/// All reductions agree that nothing is wrong; gives the states of the whole, with ample sets, and with clusters.
#[track_caller]
fn holds(text: &str) -> [u64; 3] {
    let model = common::model(text, false, false).expect("the model is good");
    compare(&model).unwrap_or_else(|what| panic!("{what}\n{text}"));
    let whole = full(&model).expect("it is small");
    assert!(whole.errors.is_empty(), "{:?}", whole.errors);
    let [ample, cluster, _] = METHODS.map(|m| reduced(&model, m, ORDERS[0]).expect("it is small").states);
    [whole.states, ample, cluster]
}

#[test]
fn the_end_of_a_process_is_no_safe_step_where_it_can_be_seen() {
    for text in [
        "init { run f() } active proctype f() { assert(_pid == 1) }",
        "proctype f() { skip } init { pid p; run f(); p = run f(); assert(p == 1) }",
        "proctype f() { skip } init { run f(); if :: _nr_pr == 2 -> assert(false) :: _nr_pr == 1 fi }",
    ] {
        finds(text, ViolationKind::Assertion);
    }
}

#[test]
fn where_nobody_sees_it_the_end_of_a_process_is_safe() {
    let text = "byte x; proctype f() { byte l; l = 1; l = 2; x = 1 } proctype g() { byte l; l = 1; l = 2 }
                init { run f(); run g(); run g() }";
    let [whole, ample, _] = holds(text);
    assert!(ample * 3 < whole, "{ample} of {whole} states");
}

#[test]
fn an_escape_by_handshake_depends_on_who_waits() {
    finds(
        "chan c = [0] of { bit }; active proctype A() { skip; c?1 } active proctype B() { assert(false) unless c!1 }",
        ViolationKind::Assertion,
    );
    finds(
        "chan c = [0] of { bit }; chan d = [0] of { bit };
         active proctype A() { skip; c?1 } active proctype B() { if :: c!1 :: else -> assert(false) fi }",
        ViolationKind::Assertion,
    );
    // The same with slots: the receive disables the normal code.
    finds(
        "chan c = [1] of { bit }; active proctype A() { c!1 } active proctype B() { assert(false) unless c?1 }",
        ViolationKind::Assertion,
    );
}

#[test]
fn other_channels_do_not_matter_to_an_escape() {
    let text = "chan c = [0] of { bit }; chan d = [0] of { bit };
                active proctype A() { byte l; l = 1; l = 2; l = 3; d?1 }
                active proctype B() { byte l; { skip } unless c!1; l = 1; l = 2; d!1 }";
    let [whole, ample, _] = holds(text);
    assert!(ample < whole, "{ample} of {whole} states");
}

#[test]
fn timeout_waits_for_everybody() {
    finds(
        "byte x; active proctype A() { byte l; l = 1; x = 1 } active proctype B() { byte l; l = 1; l = 2; timeout; assert(x == 0) }",
        ViolationKind::Assertion,
    );
    let text = "byte x; active proctype A() { byte l; l = 1; l = 2; x = 1 }
                active proctype B() { byte l; l = 1; l = 2; l = 3; timeout; assert(x == 1) }";
    let [whole, ample, _] = holds(text);
    assert!(ample < whole, "{ample} of {whole} states");
}

#[test]
fn enabled_pc_value_and_remote_references_see_local_steps() {
    for text in [
        "active proctype A() { byte l; l = 1; l = 2; false } active proctype B() { byte l; l = 1; !enabled(0); assert(false) }",
        "active proctype A() { byte l; l = 1; here: l = 2; l = 3 } active proctype B() { byte l; l = 1; A[0]@here; assert(false) }",
        "active proctype A() { byte l; l = 1; l = 2 } active proctype B() { byte k; k = 1; A[0]:l == 1; assert(false) }",
        "active proctype A() { byte l; l = 1; l = 2 } active proctype B() { byte k; k = 1; pc_value(0) == 2; assert(false) }",
    ] {
        finds(text, ViolationKind::Assertion);
    }
}

#[test]
fn provided_is_a_test_of_every_step() {
    finds(
        "bool go = true; byte x; active proctype A() provided (go) { byte l; l = 1; x = 1 }
         active proctype B() { byte k; k = 1; go = false; assert(x == 1); go = true }",
        ViolationKind::Assertion,
    );
}

#[test]
fn models_with_last_or_priorities_are_refused() {
    for text in [
        "active proctype A() { byte l; l = _last } active proctype B() { skip }",
        "active proctype A() priority 2 { skip } active proctype B() { skip }",
    ] {
        let model = common::model(text, false, false).expect("the model is good");
        assert!(watched(&model, Property::Safety).is_err(), "{text}");
    }
}

#[test]
fn atomic_sequences_count_as_a_whole() {
    // The first link is local, a later one is not.
    finds(
        "byte x; active proctype A() { byte l; atomic { l = 1; x = 1 } } active proctype B() { assert(x == 0) }",
        ViolationKind::Assertion,
    );
    // The sequence loses control in the middle.
    finds(
        "chan c = [1] of { byte }; byte x;
         active proctype A() { byte l; atomic { l = 1; c?l; x = 1 } } active proctype B() { c!1; assert(x == 0) }",
        ViolationKind::Assertion,
    );
    finds(
        "byte x; active proctype A() { byte l; d_step { l = 1; x = l } } active proctype B() { assert(x == 0) }",
        ViolationKind::Assertion,
    );
}

#[test]
fn nobody_is_forgotten_in_a_loop() {
    finds(
        "active proctype A() { byte l; do :: l = 1 - l od } active proctype B() { byte k; k = 1; assert(false) }",
        ViolationKind::Assertion,
    );
}

#[test]
fn what_has_no_meaning_hides_nothing() {
    let text =
        "byte a[2]; active proctype A() { byte l = 2; a[l] = 1 } active proctype B() { byte k; k = 1; assert(false) }";
    finds(text, ViolationKind::Assertion);
    finds(text, ViolationKind::RuntimeError);
    let text = "byte a[2]; active proctype A() { byte l = 1; atomic { l = 2; a[l] = 1 } } active proctype B() { byte k; k = 1; assert(false) }";
    finds(text, ViolationKind::Assertion);
}

#[test]
fn channels_with_one_sender_and_one_receiver_need_no_promise() {
    let text = "chan c = [3] of { byte }; chan d = [3] of { byte };
                active proctype A() { c!1; c!2; c!3 } active proctype B() { byte l; c?l; c?l; c?l }
                active proctype C() { d!1; d!2; d!3 } active proctype D() { byte l; d?l; d?l; d?l }";
    let [whole, ample, _] = holds(text);
    assert!(ample * 5 < whole, "{ample} of {whole} states");
    // A second sender, a question, and a sorted send each spoil it.
    finds(
        "chan c = [3] of { byte }; active proctype A() { c!1 } active proctype B() { byte l; c?l; assert(l == 1) }
         active proctype C() { c!2 }",
        ViolationKind::Assertion,
    );
    finds(
        "chan c = [3] of { byte }; active proctype A() { c!1 } active proctype B() { byte l; l = 1; assert(empty(c)) }",
        ViolationKind::Assertion,
    );
    finds(
        "chan c = [3] of { byte }; active proctype A() { c!2; c!!1 } active proctype B() { byte l; c?l; assert(l == 1) }",
        ViolationKind::Assertion,
    );
}

#[test]
fn channels_and_elements_are_known_by_the_values_of_parameters() {
    let text = "chan q[2] = [2] of { byte }; byte a[2];
                proctype P(chan c; byte i) { byte l; a[i] = 1; c!1; a[i] = 2; c?l; a[i] = 3 }
                init { atomic { run P(q[0], 0); run P(q[1], 1) } }";
    let [whole, ample, _] = holds(text);
    assert!(ample * 2 < whole, "{ample} of {whole} states");
    // The same channel for both.
    finds(
        "chan q[2] = [2] of { byte }; proctype P(chan c; byte i) { byte l; c!i; c?l; assert(l == i) }
         init { atomic { run P(q[0], 0); run P(q[0], 1) } }",
        ViolationKind::Assertion,
    );
    // A parameter that changes.
    finds(
        "byte a[2]; proctype P(byte i) { i = 1 - i; a[i]++; assert(a[i] == 1) }
         init { atomic { run P(0); run P(0) } }",
        ViolationKind::Assertion,
    );
}

#[test]
fn clusters_of_processes_that_share_a_variable() {
    let text = |n: usize| {
        format!(
            "int shared[{n}]; proctype writer(byte k; bit val) {{ shared[k] = val }}
             init {{ byte k; atomic {{ do :: k < {n} -> run writer(k, 0); run writer(k, 1); k++ :: else -> break od }} }}"
        )
    };
    // T. Basten and D. Bošnački, table 1.
    for (n, whole, best) in [(2, 65, 30), (3, 329, 66), (4, 1657, 138)] {
        let [full, ample, cluster] = holds(&text(n));
        assert_eq!((full, cluster), (whole, best));
        assert!(cluster < ample && ample < full);
    }
}

#[test]
fn trace_assertions_see_the_order_of_messages() {
    finds(
        "chan c = [2] of { byte }; chan d = [2] of { byte };
         trace { c!1; d!1 } active proctype A() { c!1 } active proctype B() { d!1 }",
        ViolationKind::Trace,
    );
}

#[test]
fn a_message_decides_whether_it_is_taken() {
    // The sender waits until somebody else makes the message fit.
    finds(
        "chan c = [0] of { byte }; byte g = 1; byte l; active proctype A() { if :: c!g :: l == 0 -> l = 1 fi }
         active proctype B() { if :: c?0 -> assert(false) :: l == 1 fi } active proctype C() { byte k; k = 1; g = 0 }",
        ViolationKind::Assertion,
    );
}

#[test]
fn whether_a_sequence_stops_at_a_handshake_depends_on_who_is_ready() {
    for text in [
        // The step that makes the receiver ready decides whether `x` is seen.
        "chan r = [0] of { byte }; byte x, a[6]; active proctype P0() { a[1]--; atomic { r?_; x = 0 } }
         active proctype P1() { atomic { x = 1; r!1 } } active proctype R() { assert(x == 0) }",
        "chan r = [0] of { byte }; byte x; active proctype P0() { byte k; k = 1; atomic { r?_; x = 0 } }
         active proctype P1() { atomic { (x == 0); x = 1; r!1 } } active proctype R() { assert(x == 0) }",
        // The sequence begins with a handshake of its own, and hands control on.
        "chan r = [0] of { byte }; chan s = [0] of { byte }; byte x; active proctype P0() { byte k; k = 1; atomic { r?_; x = 0 } }
         active proctype P1() { atomic { s?_; x = 1; r!1 } } active proctype P2() { s!1 }
         active proctype R() { assert(x == 0) }",
        // The receiver is born by the step.
        "chan r = [0] of { byte }; byte x; proctype Q() { atomic { r?_; x = 0 } } active proctype P0() { run Q() }
         active proctype P1() { atomic { x = 1; r!1 } } active proctype R() { assert(x == 0) }",
        // The step takes the receiver away from where it was ready.
        "chan r = [0] of { byte }; byte x, k; active proctype P0() { if :: atomic { r?_; x = 0 } :: k = 1 fi }
         active proctype P1() { byte l; l = 1; atomic { x = 1; r!1 } } active proctype R() { assert(x == 0) }",
    ] {
        finds(text, ViolationKind::Assertion);
    }
}

#[test]
fn whether_a_sequence_stops_at_a_channel_or_a_guard_depends_on_others() {
    for text in [
        "chan c = [1] of { byte }; byte x; active proctype P0() { byte k; k = 1; c?_ }
         active proctype P1() { c!0; atomic { x = 1; c!1; x = 0 } } active proctype R() { assert(x == 0) }",
        "chan c = [1] of { byte }; byte x; active proctype P0() { c!1 }
         active proctype P1() { atomic { x = 1; c?_; x = 0 } } active proctype R() { assert(x == 0) }",
        "byte g, x; active proctype P0() { byte k; k = 1; g = 1 }
         active proctype P1() { atomic { x = 1; g == 1; x = 0 } } active proctype R() { assert(x == 0) }",
    ] {
        finds(text, ViolationKind::Assertion);
    }
}

#[test]
fn a_process_that_begins_by_starting_its_own_kind() {
    let text =
        "byte a, s; proctype W() { byte x; atomic { s < 3 -> s++; x = run W() }; a++ } active proctype Q() { run W() }";
    finds(text, ViolationKind::InvalidEndState);
    let text = "byte s; proctype W() { if :: atomic { s < 3 -> s++; run V() } :: s == 3 fi }
                proctype V() { if :: atomic { s < 3 -> s++; run W() } :: s == 3 fi } active proctype Q() { run W() }";
    holds(text);
    // Parameters that grow with each generation say which channel is meant.
    let text = "chan c[9] = [1] of { byte }; byte s;
                proctype W(int n) { if :: atomic { s < 3 -> s++; run W(n + 1) } :: s == 3 fi; c[n % 9]!n } init { run W(0) }";
    holds(text);
}
