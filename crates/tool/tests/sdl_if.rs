//! What constructs of IF mean: small texts whose verdicts were worked out by hand.

mod common;

use common::{says, says_with};

/// One process that may send signals to itself.
fn process(body: &str) -> String {
    format!(
        "system s; type Digit = range 0 .. 9; signal a, b, d(Digit);
        signalroute r(1) #unicast #fifo #reliable #urgent from p to p with a, b, d;
        process p(1); var n Digit := 0; var i Digit := 0;\n{body}\nendprocess; endsystem;"
    )
}

/// Checks whole texts.
fn expect(cases: &[(&str, String, &str)]) {
    cases.iter().for_each(|(name, text, verdict)| says(&format!("{name}.if"), text, verdict));
}

#[test]
fn while_repeats_inside_of_one_step() {
    expect(&[
        (
            "nested",
            process(
                "var k Digit := 0; state s #start;
                while n < 3 do task i := 0; while i < 2 do task i := i + 1; task k := k + 1; endwhile task n := n + 1; endwhile
                call assert(n = 3 and i = 2 and k = 6); stop; endstate;",
            ),
            "holds",
        ),
        (
            "never_entered",
            process("state s #start; while n > 0 do call assert(false); endwhile; call assert(n = 0); stop; endstate;"),
            "holds",
        ),
        ("leaves_range", process("state s #start; while true do task n := n + 1; endwhile stop; endstate;"), "range"),
        (
            "left_by_nextstate",
            process(
                "state s #start; while true do task n := n + 1; if n = 4 then nextstate t; endif endwhile stop; endstate;
                state t; provided n /= 4; call assert(false); stop; provided n = 4; stop; endstate;",
            ),
            "holds",
        ),
        (
            "same_state",
            process(
                "state s #start; output d(3); output d(4); nextstate t; endstate;
                state t; input d(n); while n > 0 do task n := n - 1; task i := i + 1; endwhile
                if i = 7 then stop; endif nextstate -; endstate;",
            ),
            "holds",
        ),
        // What is sent in a loop arrives in order.
        (
            "order",
            "system s; type Digit = range 0 .. 9; signal a(Digit);
            signalroute r(1) #unicast #fifo #reliable #urgent from p to q with a;
            process p(1); var n Digit := 0; state s #start;
            while n < 3 do task n := n + 1; output a(n) via {r}0; endwhile stop; endstate; endprocess;
            process q(1); var n Digit := 0; var seen Digit := 0; state s #start;
            input a(n); task seen := seen + 1; call assert(n = seen); if n = 3 then stop; endif nextstate -; endstate;
            endprocess; endsystem;"
                .to_string(),
            "holds",
        ),
    ]);
}

#[test]
fn what_unstable_states_do_is_part_of_the_step_before() {
    // Both ways out of the choice are possible, and only those whose conditions hold.
    let choice = |wrong: &str| {
        process(&format!(
            "state s #start; output a; nextstate t; endstate;
            state t; input a; task n := 2; nextstate u; endstate;
            state u #unstable;
              provided n > 0; task i := 1; nextstate v;
              provided n > 1; task i := 2; nextstate v;
              provided n > 2; task i := 3; nextstate v;
            endstate;
            state v #unstable; call assert(i /= {wrong}); stop; endstate;"
        ))
    };
    expect(&[
        ("first", choice("1"), "assert"),
        ("second", choice("2"), "assert"),
        ("third", choice("3"), "holds"),
        (
            "none",
            process("state s #start; nextstate u; endstate; state u #unstable; provided n = 1; stop; endstate;"),
            "no transition of an unstable state is possible",
        ),
        (
            "loop",
            process(
                "state u #start #unstable; provided n < 5; task n := n + 1; nextstate -;
                provided n = 5; nextstate t; endstate;
                state t; provided n = 5; stop; provided n /= 5; call assert(false); stop; endstate;",
            ),
            "holds",
        ),
        // Whoever serves by way of an unstable state may wait for ever.
        (
            "serves",
            process(
                "state s #start; output d(1); output a; output b; nextstate t; endstate;
                state t; input a; nextstate u; input b; nextstate u; input d(n); nextstate u; endstate;
                state u #unstable; provided n = 1; task n := 0; nextstate t; provided n = 0; nextstate t; endstate;",
            ),
            "holds",
        ),
        (
            "goes_elsewhere",
            process(
                "state t #start; input a; nextstate u; input b; nextstate u; endstate;
                state u #unstable; provided n = 1; nextstate t; provided n = 0; nextstate w; endstate;
                state w; input b; nextstate t; endstate;",
            ),
            "deadlock",
        ),
    ]);
}

#[test]
fn a_start_state_may_be_entered_again() {
    expect(&[
        (
            "by_itself",
            process("state s #start; task n := n + 1; call assert(n < 3); nextstate -; endstate;"),
            "assert",
        ),
        (
            "in_a_branch",
            process("state s #start; task n := n + 1; call assert(n < 3); if n < 9 then nextstate -; endif stop; endstate;"),
            "assert",
        ),
        (
            "by_name",
            process(
                "state s #start; task n := n + 1; output a; nextstate t; endstate;
                state t; input a; call assert(n < 2); nextstate s; endstate;",
            ),
            "assert",
        ),
        (
            "from_an_unstable_state",
            process(
                "state s #start; task n := n + 1; output a; nextstate t; endstate; state t; input a; nextstate u; endstate;
                state u #unstable; call assert(n < 2); nextstate s; endstate;",
            ),
            "assert",
        ),
        (
            "and_left",
            process("state s #start; task n := n + 1; if n = 5 then stop; endif nextstate s; endstate;"),
            "holds",
        ),
    ]);
}

#[test]
fn whoever_waits_for_no_signal_is_stuck_if_nothing_comes() {
    let waits = |part: &str| {
        process(&format!("var c clock; state s #start; task n := 2; nextstate v; endstate; state v; {part} endstate;"))
    };
    expect(&[
        ("provided", waits("provided n = 1; stop;"), "deadlock"),
        ("provided_lazy", waits("deadline lazy; provided n = 1; stop;"), "deadlock"),
        ("clock_at_zero", waits("when c >= 0; stop;"), "deadlock"),
        ("clock_at_one", waits("when c >= 1; stop;"), "deadlock"),
        ("clock_and_server", waits("when c >= 0; stop; input a; nextstate -;"), "deadlock"),
        ("server", waits("provided n = 1; stop; input a; nextstate -;"), "holds"),
        ("nothing", waits(""), "holds"),
    ]);
}

/// A parent that does this at first, then in a state, and children that count what they take.
fn family(start: &str, state: &str, child: &str) -> String {
    format!(
        "system s; type Digit = range 0 .. 9; signal go(Digit), done(Digit);
        signalroute down(1) #unicast #fifo #reliable #urgent from parent to child with go;
        signalroute up(1) #unicast #fifo #reliable #urgent from child to parent with done;
        process parent(1); var n Digit := 0; var k pid; var t timer; state s #start; {start} nextstate w; endstate;
        state w; {state} endstate; endprocess;
        process child(0); fpar id Digit; var m Digit := 0; var t timer; {child} endprocess; endsystem;"
    )
}

#[test]
fn whoever_is_killed_does_nothing_any_more_and_leaves_nothing_behind() {
    let child = "state s #start; output done(id); nextstate w; endstate;
        state w; input go(m); call assert(false); stop; endstate;";
    let clock = "state s #start; set t := 2; output done(id); nextstate w; endstate;
        state w; timeout t; call assert(false); stop; endstate;";
    let again =
        "state s #start; task m := m + 1; call assert(m = 1); set t := 1; output done(id); nextstate w; endstate;
        state w; input go(m); call assert(m = id); stop; timeout t; nextstate -; endstate;";
    let fork = "fork child(1); task k := offspring;";
    expect(&[
        // It takes no signal, and what is sent to it vanishes.
        ("signal", family(fork, "input done(n); output go(1) to k; kill k; output go(1) to k; stop;", child), "holds"),
        ("spared", family(fork, "input done(n); output go(1) to k; stop;", child), "assert"),
        (
            "timer",
            family(&format!("{fork} set t := 5;"), "input done(n); kill k; nextstate -; timeout t; stop;", clock),
            "holds",
        ),
        (
            "timer_spared",
            family(&format!("{fork} set t := 5;"), "input done(n); nextstate -; timeout t; stop;", clock),
            "assert",
        ),
        // At once, before it has begun.
        (
            "unborn",
            family(
                "",
                "provided n = 0; fork child(1); kill offspring; set t := 3; task n := 1; nextstate v; endstate;
                state v; input done(n); call assert(false); stop; timeout t; stop;",
                child,
            ),
            "holds",
        ),
        // Nobody, twice, or who has stopped already.
        ("nobody", family("kill k;", "provided true; stop;", child), "holds"),
        ("twice", family(&format!("{fork} kill k; kill k;"), "provided true; stop;", child), "holds"),
        // Its place is free for others, who begin from the beginning.
        (
            "again",
            family(
                fork,
                "input done(n); kill k; if n = 9 then stop; endif fork child(n + 1); task k := offspring; call assert(k /= nil); nextstate -;",
                again,
            ),
            "holds",
        ),
        (
            "not_the_others",
            family(
                "",
                "provided n = 0; fork child(1); fork child(2); kill offspring; task n := 1; nextstate v; endstate;
                state v; input done(n); call assert(n = 1); nextstate -;",
                "state s #start; output done(id); stop; endstate;",
            ),
            "holds",
        ),
        (
            "itself",
            process(
                "state s #start; task n := 1; nextstate t; endstate; state t; kill self; call assert(false); stop; endstate;",
            ),
            "holds",
        ),
        ("by_name", family(fork, "input done(n); kill {child}0; output go(1); stop;", child), "holds"),
    ]);
}

/// One process sends by a route, another takes it and has a timer.
fn routed(route: &str, sends: &str, takes: &str) -> String {
    format!(
        "system s; type Digit = range 0 .. 9; const Two = 2; signal a, d(Digit);
        signalroute r(1) {route} from p to q with a, d;
        process p(1); var t timer; state s #start; {sends} endstate; endprocess;
        process q(1); var n Digit := 0; var k Digit := 0; var t timer; {takes} endprocess; endsystem;"
    )
}

#[test]
fn a_route_delays_each_signal_as_it_says() {
    let no = "call assert(false);";
    let once = "output a via {r}0; stop;";
    let race = |route: &str, came: &str, t: i64, expired: &str| {
        let takes = format!(
            "state s #start; set t := {t}; nextstate w; endstate;
            state w; input a; {came} reset t; stop; timeout t; {expired} nextstate v; endstate;
            state v; input a; stop; endstate;"
        );
        routed(route, once, &takes)
    };
    let first = |route: &str, t: i64| race(route, "", t, no);
    let late = |route: &str, t: i64| race(route, no, t, "");
    // Both on their way at once, the second one sent later by some units.
    let two = |route: &str, t: i64, seen: &str| {
        routed(
            route,
            "output d(1) via {r}0; set t := 3; nextstate u; endstate; state u; timeout t; output d(2) via {r}0; stop;",
            &format!(
                "state s #start; set t := {t}; nextstate w; endstate;
                state w; input d(n); task k := k + 1; call assert(n = k); nextstate -; timeout t; call assert({seen}); stop; endstate;"
            ),
        )
    };
    let some = "#unicast #fifo #reliable #delay[Two, 4]";
    expect(&[
        ("not_before", late(some, 1), "holds"),
        ("perhaps_first", late(some, 2), "assert"),
        ("perhaps_last", first(some, 4), "assert"),
        ("not_after", first(some, 5), "holds"),
        ("exactly", first("#delay[3,3]", 4), "holds"),
        ("exactly_not_before", late("#delay[3,3]", 2), "holds"),
        ("at_once", first("#delay[0,0]", 1), "holds"),
        ("any_up_to", late("#delay[0,2]", 3), "assert"),
        ("up_to", first("#delay[0,2]", 3), "holds"),
        ("both", two("#delay[1,5]", 9, "k = 2"), "holds"),
        ("perhaps_both", two("#delay[1,5]", 8, "k = 2"), "assert"),
        ("perhaps_one", two("#delay[1,5]", 7, "k /= 1"), "assert"),
        ("one_at_least", two("#delay[1,5]", 6, "k >= 1"), "holds"),
        ("none_at_first", two("#delay[4,6]", 4, "k <= 1"), "holds"),
        ("not_yet_two", two("#delay[4,6]", 6, "k <= 1"), "holds"),
        ("in_order", two("#delay[0,9]", 2, "k <= 1"), "holds"),
        ("lost", first("#lossy #delay[0,1]", 3), "assert"),
        (
            "too_many",
            routed(
                "#delay[1,2]",
                "while true do output a via {r}0; endwhile stop;",
                "state s #start; nextstate w; endstate; state w; input a; nextstate -; endstate;",
            ),
            "finds the queue of `r` full",
        ),
    ]);
    for options in [&["--queues", "signal"][..], &["--queue", "1"], &["--overflow", "lose"], &["--overflow", "wait"]] {
        says_with("options.if", &first(some, 5), "holds", options);
        says_with("options.if", &late(some, 1), "holds", options);
        says_with("options.if", &late(some, 2), "assert", options);
    }
    says_with("abstract.if", &late(some, 1), "assert", &["--timers", "abstract"]);
}

#[test]
fn a_route_loses_wherever_it_is_declared() {
    let text = |route: &str, behind: &str| {
        format!(
            "system s; signal a; {route}
            process p(1); state s #start; output a via {{r}}0; stop; endstate; endprocess;
            process q(1); state s #start; input a; stop; endstate; endprocess; {behind} endsystem;"
        )
    };
    let lossy = "signalroute r(1) #lossy from p to q with a;";
    says("before.if", &text(lossy, ""), "deadlock");
    says("behind.if", &text("", lossy), "deadlock");
    says("reliable.if", &text("", &lossy.replace("#lossy", "#reliable")), "holds");
}

#[test]
fn a_multicast_goes_to_all_who_live() {
    let text = |cast: &str, sends: &str, many: usize| {
        format!(
            "system s; type Digit = range 0 .. 9; signal a, b;
            signalroute r(1) {cast} from p to q with a;
            signalroute back(1) #unicast #fifo #reliable #urgent from q to p with b;
            process p(1); var n Digit := 0; state s #start; nextstate u; endstate;
            state u; provided n = 0; {sends} task n := 1; nextstate w; endstate;
            state w; input b; task n := n + 1; call assert(n <= {many}); if n = {many} then stop; endif nextstate -; endstate; endprocess;
            process q(2); state s #start; input a; output b via {{back}}0; stop; endstate; endprocess; endsystem;"
        )
    };
    let send = "output a via {r}0;";
    says("all.if", &text("#multicast", send, 3), "holds");
    says("one.if", &text("#unicast", send, 3), "deadlock");
    // To whom it is said.
    says("to.if", &text("#peer", "output a via {r}0 to sender;", 3), "deadlock");
}

#[test]
fn a_condition_of_an_unstable_state_has_a_value() {
    let text = |digit: &str| {
        process(&format!(
            "var x integer := 65536; state s #start; nextstate u; endstate;
            state u #unstable; provided x * x > 5; stop; provided {digit}; stop; endstate;"
        ))
    };
    expect(&[("wide", text("true"), "a number leaves 32 bits")]);
}

/// A clock and a timer are set at once; what the clock allows comes, or the timer.
fn race(set: &str, when: &str, came: &str, timer: i64, expired: &str) -> String {
    process(&format!(
        "var c clock; var t timer; state s #start; {set} set t := {timer}; nextstate w; endstate;
        state w; {when} {came} reset t; stop; timeout t; {expired} stop; endstate;"
    ))
}

#[test]
fn conditions_on_clocks_hold_when_they_should() {
    let no = "call assert(false);";
    let at_zero = "set c := 0;";
    // The condition comes first, the timer comes first, or either may.
    let first = |set: &str, when: &str, t: i64| race(set, when, "", t, no);
    let late = |set: &str, when: &str, t: i64| race(set, when, no, t, "");
    expect(&[
        ("eager", first(at_zero, "when c >= 2 and c <= 5;", 3), "holds"),
        ("not_before", late(at_zero, "when c >= 2 and c <= 5;", 1), "holds"),
        ("together", first(at_zero, "when c >= 2;", 2), "assert"),
        ("together_too", late(at_zero, "when c >= 2;", 2), "assert"),
        ("greater", late(at_zero, "when c > 3;", 3), "holds"),
        ("greater_first", first(at_zero, "when 3 < c;", 5), "holds"),
        ("equal", first(at_zero, "when c = 3;", 4), "holds"),
        ("equal_late", late(at_zero, "when c = 3;", 2), "holds"),
        ("at_once", first(at_zero, "when c < 1;", 1), "holds"),
        ("ahead", first("set c := 2;", "when c >= 4;", 3), "holds"),
        ("ahead_late", late("set c := 2;", "when c >= 4;", 1), "holds"),
        ("past", first("set c := 9;", "when c >= 4;", 1), "holds"),
        ("past_for_good", late("set c := 9;", "when c <= 4;", 3), "holds"),
        ("off", late("set c := 0; reset c;", "when c <= 4;", 3), "holds"),
        ("off_above", late("set c := 0; reset c;", "when c >= 1;", 3), "holds"),
        ("never_set", late("", "when c >= 0;", 3), "holds"),
    ]);
}

#[test]
fn deadlines_say_how_long_a_transition_may_wait() {
    let no = "call assert(false);";
    let first = |when: &str, t: i64| race("set c := 0;", when, "", t, no);
    let late = |when: &str, t: i64| race("set c := 0;", when, no, t, "");
    let window = "when c >= 2 and c <= 3;";
    expect(&[
        ("lazy_waits", first(&format!("deadline lazy; {window}"), 6), "assert"),
        ("lazy_comes", late(&format!("deadline lazy; {window}"), 6), "assert"),
        ("lazy_not_before", late(&format!("deadline lazy; {window}"), 1), "holds"),
        ("delayable_waits", first(&format!("deadline delayable; {window}"), 3), "assert"),
        ("delayable_ends", first(&format!("deadline delayable; {window}"), 4), "holds"),
        ("delayable_not_before", late(&format!("{window} deadline delayable;"), 1), "holds"),
        ("delayable_without_end", first("deadline delayable; when c >= 2;", 9), "assert"),
        ("delayable_provided", late(&format!("deadline delayable; provided n = 1; {window}"), 9), "holds"),
        (
            "missed",
            process(
                "var c clock; var t timer; state s #start; set c := 0; set t := 4; nextstate w; endstate;
                state w; timeout t; nextstate v; endstate;
                state v; when c <= 3; stop; endstate;",
            ),
            "deadlock",
        ),
        (
            "missed_lazily",
            process(
                "var c clock; state s #start; set c := 0; nextstate v; endstate;
                state v; deadline lazy; when c <= 3; stop; endstate;",
            ),
            "deadlock",
        ),
        (
            "not_missed",
            process(
                "var c clock; state s #start; set c := 0; nextstate v; endstate;
                state v; deadline delayable; when c >= 1 and c <= 3; stop; endstate;",
            ),
            "holds",
        ),
    ]);
}

#[test]
fn a_signal_waits_in_the_queue_until_the_clock_allows_it() {
    let no = "call assert(false);";
    let sent = "set c := 0; output a; output b;";
    let input = |when: &str| format!("save b; {when} input a;");
    expect(&[
        ("taken", race(sent, &input("when c >= 2;"), "", 3, no), "holds"),
        ("not_before", race(sent, &input("when c >= 2;"), no, 1, ""), "holds"),
        ("together", race(sent, &input("when c >= 2;"), no, 2, ""), "assert"),
        ("too_late", race("set c := 3; output a;", &input("when c <= 2;"), no, 2, ""), "holds"),
        (
            "stays",
            process(
                "var c clock; var t timer; state s #start; set c := 0; output d(1); output a; set t := 2; nextstate w; endstate;
                state w; when c > 5; input d(n); stop; input a; task i := 1; nextstate -; timeout t; nextstate v; endstate;
                state v; input d(n); call assert(n = 1 and i = 1); stop; endstate;",
            ),
            "holds",
        ),
        (
            "for_ever",
            process(
                "var c clock; state s #start; set c := 3; output a; nextstate w; endstate;
                state w; when c <= 2; input a; stop; endstate;",
            ),
            "deadlock",
        ),
    ]);
}
