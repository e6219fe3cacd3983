//! Corners that random programs hardly reach: many successors, many processes, wide messages, arithmetic at its limits.

mod common;

use common::compare;
use common::read::model;
use starwheel_jit::JitSystem;
use starwheel_model::{Batch, ModelSystem, System};

/// Compares a model; the share of states that machine code has expanded.
fn check(text: String) -> f64 {
    let m = model("edge.pml", text, false, false, &[]).expect("the model has no errors");
    let jit = JitSystem::compile(&m).expect("machine code for this machine");
    compare(&ModelSystem(&m), &jit, 5_000).unwrap_or_else(|why| panic!("{why}"));
    let (generated, interpreted) = jit.counts();
    generated as f64 / (generated + interpreted) as f64
}

#[test]
fn a_batch_grows_with_the_number_of_successors() {
    let options: String = (0..250).map(|i| format!(":: x = {i}\n")).collect();
    assert_eq!(check(format!("active proctype P() {{ byte x; do\n{options}od }}")), 1.0);
}

#[test]
fn many_processes_come_and_go() {
    let text = "byte n; proctype P(byte i) { chan c = [1] of { byte }; c!i; n++ }
        init { atomic { run P(1); run P(2); run P(3) } do :: _nr_pr < 5 -> run P(_nr_pr) :: n > 4 -> break od }";
    assert!(check(text.into()) > 0.9);
}

#[test]
fn a_message_may_have_many_fields() {
    for fields in [1, 31, 32, 33, 60] {
        let list = |one: &dyn Fn(usize) -> String| (0..fields).map(one).collect::<Vec<_>>().join(",");
        let types = list(&|i| ["byte", "short", "int", "bit"][i % 4].into());
        let values = list(&|i| format!("x+{i}"));
        let places = list(&|i| format!("a[{i}]"));
        for slots in [0, 2] {
            let text = format!(
                "chan c = [{slots}] of {{ {types} }}; short a[{fields}]; short x;
                 active proctype P() {{ do :: x < 3 -> c!{values}; x = x + 1 od }}
                 active proctype Q() {{ do :: c?{places} od }}"
            );
            check(text);
        }
    }
}

#[test]
fn every_operator_has_the_interpreters_value_at_its_limits() {
    let values =
        ["-2147483647 - 1", "-65537", "-32769", "-256", "-33", "-1", "0", "1", "31", "32", "255", "2147483647"];
    let operators = ["+", "-", "*", "/", "%", "&", "^", "|", "<<", ">>", "<", "<=", ">", ">=", "==", "!=", "&&", "||"];
    let choices = |name: &str| values.iter().map(|v| format!(":: {name} = {v}\n")).collect::<String>();
    for operator in operators {
        let guard = if "/%".contains(operator) { "y != 0 ->" } else { "" };
        let text = format!(
            "int x, y, r; short s; byte b; bit t; unsigned u : 5; unsigned v : 17;
             active proctype P() {{ if {} fi; if {} fi; {guard} r = x {operator} y; s = r; b = r; t = r; u = r; v = r;
               if :: x {operator} y -> r = -x :: else -> r = ~y fi; r = !(x {operator} y); x = (r -> x : y) }}",
            choices("x"),
            choices("y")
        );
        assert_eq!(check(text), 1.0, "{operator}");
    }
}

#[test]
fn messages_are_sorted_and_picked_as_the_interpreter_does() {
    let text = "chan c = [4] of { short, byte }; short n; byte m, k;
        active proctype P() { do :: n < 3 -> n++ :: n > -3 -> n-- :: c!!n,300+m :: m < 2 -> m++ od }
        active proctype Q() { do :: c??n,eval(m) :: c?<n,k> :: c??[n,1] -> k = 1 :: c?n,k :: len(c) == 4 -> k = 0 od }";
    assert_eq!(check(text.into()), 1.0);
}

#[test]
fn two_choices_of_a_deterministic_process_are_found_among_its_escapes() {
    for guards in ["x == 3 -> y++ :: x > 2 -> y--", "y == 1 -> x = 0 :: x == 2 -> y++"] {
        let text = format!(
            "byte x, y; active D_proctype P() {{ do :: x < 5 -> x++ :: else -> x = 0 od unless {{ if :: {guards} fi }} }}"
        );
        check(text);
    }
}

#[test]
fn one_system_serves_many_threads_and_one_batch_many_systems() {
    let text = |n: usize| format!("active [{n}] proctype P() {{ byte x; do :: x < 9 -> x++ :: x > 0 -> x-- od }}");
    let models: Vec<_> = [1, 3, 7].iter().filter_map(|&n| model("edge.pml", text(n), false, false, &[])).collect();
    let systems: Vec<_> = models.iter().filter_map(|m| JitSystem::compile(m).ok()).collect();
    assert_eq!(systems.len(), 3);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let (mut batch, mut expected, mut state) = (Batch::new(), Batch::new(), Vec::new());
                for (system, m) in systems.iter().zip(&models) {
                    let mut stepper = system.stepper();
                    stepper.initial(&mut state);
                    for i in 0..1_000 {
                        stepper.expand(&state, &mut batch);
                        expected.fill(&mut *ModelSystem(m).stepper(), &state);
                        assert_eq!(batch.bytes, expected.bytes);
                        let steps =
                            |b: &Batch| (0..b.len()).map(|i| (b.step(i), b.entries[i].start)).collect::<Vec<_>>();
                        assert_eq!(steps(&batch), steps(&expected));
                        state = batch.state(i * 7 % batch.len()).to_vec();
                    }
                }
            });
        }
    });
}

/// What was found out of an index on one way through a `d_step` says nothing on another.
#[test]
fn an_index_is_checked_on_every_way() {
    let branch = "if :: x == 0 -> if :: a[_pid] > 0 -> b = 1 :: else -> b = 2 fi";
    let models = [
        format!("active [2] proctype P() {{ d_step {{ x = x; {branch} :: else -> a[_pid] = 1 fi }} }}"),
        format!(
            "active [2] proctype P() {{ do :: d_step {{ b = 3; {branch} :: else fi }} :: a[_pid] = 1 - a[_pid] od }}"
        ),
        "active [2] proctype P() { byte i; d_step { do :: i < 2 -> i++
           :: i == 5 -> if :: a[_pid] > 0 -> skip :: else fi
           :: i == 2 -> a[_pid] = 1; break od } }"
            .to_string(),
        format!(
            "chan c = [0] of {{ byte }}; active proctype R0() {{ do :: skip od }}
             active proctype R() {{ do :: d_step {{ c?x -> {branch} :: else fi }} :: c?a[_pid] od }}
             active proctype S() {{ c!1; c!2 }}"
        ),
    ];
    for text in models {
        check(format!("byte x = 1; byte a[1]; byte b = 7; {text}"));
    }
}

#[test]
fn an_index_is_checked_unless_it_was_before() {
    let options = [
        ":: i < 3 && a[i] > 0 -> x = a[i]",
        ":: i < 4 && a[i] > 0 -> x = a[i]",
        ":: (c -> a[i] : 0) + a[i] > 0",
        ":: (c -> 0 : a[i]) + a[i] > 0",
        ":: a[i] == 0 || a[i] < a[j] || j < 2",
        ":: c || a[i] > 0\n:: a[i] == 0 -> x = a[i]",
        ":: !(i < 3 && a[i] == 0) && a[i] > 0",
        ":: i <= 2 && (a[i] > 0 || a[j] == i) -> a[i] = a[j]",
        ":: i == 2 && a[i] == a[i]\n:: a[i] > j",
        ":: d_step { i < 3 && a[i] == 0; a[i] = 1; i = 5; x = a[i] }",
        ":: d_step { i < 3; i = 4; x = a[i] }\n:: d_step { i > 2; if :: c -> x = a[i] :: else fi; x = a[j] }",
        ":: d_step { if :: c -> x = a[i] :: a[i] == 0 :: else fi; x = a[i] }",
        ":: a[_pid] == 0 -> x = a[_pid]\n:: c && a[_pid + 3] > 0\n:: a[_pid + 2] > 0",
    ];
    let around = [
        "",
        "active proctype R() { do :: atomic { x > 0; x = 0 } od }",
        "chan q = [0] of { byte }; active proctype R() { do :: q!x :: q?x od }",
    ];
    for (option, other) in options.iter().flat_map(|o| around.map(|other| (o, other))) {
        check(format!(
            "byte a[3]; byte i, j, x; bool c; {other}
             active proctype P() {{ do {option}\n:: i < 5 -> i++ :: i == 5 -> i = 0; c = !c :: j < 2 -> j++ od }}
             active proctype Q() {{ do :: a[0] < 2 -> a[0]++ :: a[1] > 0 -> a[1] = 0 :: a[2] = 2 od }}"
        ));
    }
}
