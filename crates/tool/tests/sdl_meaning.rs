//! What constructs of SDL mean: small texts that check themselves, each with the verdict that its meaning has.

mod common;

use common::{Folder, run, says, says_with};

/// One process that sends signals to itself.
fn process(body: &str) -> String {
    format!(
        "system s;
        newtype Col literals red, green, blue endnewtype;
        syntype Warm = Col constants red:green endsyntype;
        syntype Digit = Integer constants 0:9 endsyntype;
        newtype Il string(Integer, nil) endnewtype;
        syntype Two = Il constants size(0:2) endsyntype;
        newtype Cs powerset(Col) endnewtype;
        newtype Rec struct l Il; s Cs; endnewtype;
        newtype Arr array(Digit, Rec) endnewtype;
        signal a, b, c, d(Integer), m(Il, Cs), col(Col);
        block k; signalroute r from p to p with a, b, c, d, m, col;
        process p(1, 1);\n{body}\nendprocess; endblock; endsystem;"
    )
}

/// Checks a process with each of these bodies.
fn expect(cases: &[(&str, &str, &str)]) {
    cases.iter().for_each(|(name, body, verdict)| says(&format!("{name}.pr"), &process(body), verdict));
}

#[test]
fn the_sender_of_a_transition_without_a_signal_is_self() {
    // The instance of the other process is known as the sender before.
    let text = |inside: &str, second: &str| {
        format!(
            "system s; signal a; block k; signalroute r from q to p with a;
            process q(1, 1); start; output a; stop; endprocess;
            process p(1, 1); dcl n Integer := 0; start; nextstate x;
            state x; input a; call assert(sender /= self and sender /= null, ''); nextstate y; endstate;
            state y; {inside} call assert({second}, ''); task n := 1; nextstate z; endstate;
            state z; endstate; endprocess; endblock; endsystem;"
        )
    };
    for inside in ["input none;", "input none; provided n = 0;", "provided n = 0;"] {
        says("self.pr", &text(inside, "sender = self"), "holds");
        says("other.pr", &text(inside, "sender /= self"), "assertion");
    }
    // What is not asked is not stored.
    let f = Folder::new();
    let plain = text("input none;", "true").replace("sender /= self and sender /= null", "true");
    let path = f.path("plain.pr");
    std::fs::write(&path, plain).expect("a text");
    let out = run(&["translate", &path.display().to_string()]);
    assert!(out.status == 0 && !out.stdout.contains("sender"), "{out:?}");
}

#[test]
fn inputs_saves_priorities_and_conditions() {
    expect(&[
        ("discard", "start; output b; output a; nextstate s; state s; input a; stop; endstate;", "holds"),
        (
            "priority",
            "dcl n Integer := 0; start; output a; output b; output c; nextstate s;
            state s; priority input c; call assert(n = 0, ''); task n := 1; nextstate -;
            input a; call assert(n = 1, ''); nextstate t; input b; call assert(false, ''); stop; endstate;
            state t; input b; stop; endstate;",
            "holds",
        ),
        (
            "enabling",
            "dcl n Integer := 0; start; output a; output b; nextstate s;
            state s; input a; provided n = 1; stop; input b; task n := 1; nextstate -; endstate;",
            "holds",
        ),
        (
            "continuous",
            "dcl n Integer := 0; start; output a; nextstate s;
            state s; provided n = 0; priority 2; call assert(false, ''); stop;
            provided n >= 0; priority 1; call assert(n = 1, ''); stop; input a; task n := 1; nextstate -; endstate;",
            "holds",
        ),
        (
            "save_all",
            "start; output a; output b; output c; nextstate s; state s; save *; input c; nextstate t; endstate;
            state t; input a; nextstate u; input b; call assert(false, ''); stop; endstate;
            state u; input b; stop; input a; call assert(false, ''); stop; endstate;",
            "holds",
        ),
        ("no_answer", "dcl n Integer := 3; start; decision n; (1:2): stop; enddecision; stop;", "no answer"),
    ]);
}

#[test]
fn timers_are_signals() {
    expect(&[
        (
            "pending",
            "timer t, u; start; set(now + 1, t); set(now + 2, u); nextstate s;
            state s; save t; input u; call assert(active(t), ''); reset(t); set(now + 1, u); nextstate v; endstate;
            state v; input t; call assert(false, 'it was reset'); stop; input u; stop; endstate;",
            "holds",
        ),
        (
            "at_once",
            "timer t; start; output a; set(now, t); output b; nextstate s;
            state s; input a; nextstate x; input t, b; call assert(false, ''); stop; endstate;
            state x; input t; call assert(sender = self, ''); nextstate y; input b; call assert(false, ''); stop; endstate;
            state y; input b; stop; endstate;",
            "holds",
        ),
        (
            "sums",
            "dcl d Duration := 2; timer t, u, v; start; set(now + d + 3, t); set(now + 4 - 1, u); set(now - 2, v);
            nextstate s; state s; input v; nextstate s2; input *; call assert(false, ''); stop; endstate;
            state s2; input u; nextstate s3; input *; call assert(false, ''); stop; endstate;
            state s3; input t; stop; endstate;",
            "holds",
        ),
        (
            "too_long",
            "dcl d Duration := 20000; timer t; start; task d := d * 2; set(now + d, t); stop;",
            "more than 32767 slices",
        ),
    ]);
}

#[test]
fn with_a_queue_for_each_signal_an_expiry_waits_like_one() {
    // A timer expires before its condition holds, or while it is saved.
    let late = |state: &str, rest: &str| {
        format!(
            "dcl ok Boolean := false, n Integer := 0; timer t, u; start; set(now + 2, t); set(now + 5, u); nextstate w;
            state w; {state} endstate; {rest}"
        )
    };
    let go = "input u; task ok := true; call assert(active(t), ''); nextstate -;";
    for (name, body, verdict) in [
        ("taken", late(&format!("input t; provided ok; stop; {go}"), ""), "holds"),
        ("seen", late(&format!("input t; provided ok; call assert(false, ''); stop; {go}"), ""), "assert"),
        ("not_before", late("input t; provided ok; call assert(false, ''); stop; input u; stop;", ""), "holds"),
        ("saved", late("save t; input u; nextstate v;", "state v; input t; stop; endstate;"), "holds"),
        (
            "reset",
            late(
                "save t; input u; reset(t); call assert(not active(t), ''); set(now + 3, u); nextstate v;",
                "state v; input t; call assert(false, ''); stop; input u; stop; endstate;",
            ),
            "holds",
        ),
        (
            "set_again",
            late(
                "save t; input u; set(now + 1, t); set(now + 2, u); nextstate v;",
                "state v; input t; task n := n + 1; call assert(n = 1, ''); nextstate -; input u; call assert(n = 1, ''); stop; endstate;",
            ),
            "holds",
        ),
        (
            "at_last",
            late(
                "save t; input u; nextstate v;",
                "state v; provided true; call assert(false, ''); stop; input t; call assert(sender = self, ''); stop; endstate;",
            ),
            "holds",
        ),
        (
            "priority",
            "timer t; dcl n Integer := 0; start; output a; output b; set(now, t); nextstate s;
            state s; priority input b; provided n = 1; stop; input a; task n := 1; nextstate -; endstate;"
                .to_string(),
            "holds",
        ),
    ] {
        says_with(&format!("{name}.pr"), &process(&body), verdict, &["--queues", "signal"]);
    }
}

#[test]
fn a_condition_without_a_value_is_an_error_where_it_is_asked_for() {
    let state =
        |parts: &str| format!("dcl x Integer := 65536, l Il; start; output a; nextstate w; state w; {parts} endstate;");
    let wide = "provided x * x > 5;";
    for (name, parts, verdict) in [
        ("continuous", format!("{wide} stop; input a; nextstate -;"), "a number leaves 32 bits: `x * x > 5`"),
        ("not_asked", format!("{wide} stop; input a; stop;"), "holds"),
        ("hidden_by_another", format!("provided true; priority 1; stop; {wide} priority 2; stop; save a;"), "holds"),
        ("input", format!("input a; {wide} stop;"), "a number leaves 32 bits"),
        ("asterisk", format!("input *; {wide} stop;"), "a number leaves 32 bits"),
        ("none", format!("input none; {wide} stop; input a; nextstate -;"), "a number leaves 32 bits"),
        ("empty", "input a; provided first(l) = 0; stop;".to_string(), "the string is empty"),
        ("index", "input a; provided l(3) = 0; stop;".to_string(), "index out of range"),
        ("narrow", "provided x * 2 > 5; stop; input a; nextstate -;".to_string(), "holds"),
    ] {
        for queues in ["process", "signal"] {
            says_with(&format!("{name}.pr"), &process(&state(&parts)), verdict, &["--queues", queues]);
        }
    }
}

#[test]
fn a_condition_of_an_observer_has_a_value_as_well() {
    let text = |first: i64, parts: &str| {
        format!(
            "system s; signal a; block k; signalroute r from p to p with a;
            process p(1, 1); dcl x Integer := {first}; start; output a; nextstate w; state w; input a; stop; endstate; endprocess;
            endblock; endsystem;
            system guard; signal seen renames input a to p; block guard; process guard; monitor st System_State; errorstates bad;
            start; nextstate u; state u; {parts} endstate; state bad; endstate; endprocess; endblock; endsystem;"
        )
    };
    let wide = "provided st.p.x * st.p.x < 0;";
    for (name, parts) in
        [("input", format!("input seen; {wide} nextstate bad;")), ("after", format!("{wide} nextstate bad;"))]
    {
        says(&format!("{name}.pr"), &text(65536, &parts), "a number leaves 32 bits");
        says(&format!("{name}.pr"), &text(5, &parts), "holds");
    }
    // What comes first leaves nothing to ask.
    let hidden = format!("provided true; priority 1; nextstate u; {wide} priority 2; nextstate bad;");
    says("hidden.pr", &text(65536, &hidden), "holds");
}

#[test]
fn a_process_of_no_instances_that_nobody_creates_does_nothing() {
    let text = |count: &str| {
        format!(
            "system s; signal x; block b; signalroute r from p to q with x;
            process p; start; output x; stop; endprocess;
            process q({count}); start; call assert(false, ''); nextstate w; state w; input x; stop; endstate; endprocess;
            endblock; endsystem;"
        )
    };
    says("none.pr", &text("0, 1"), "holds");
    says("one.pr", &text("1, 1"), "assert");
}

#[test]
fn whoever_joins_a_text_of_start_takes_one_step() {
    // What START sends can be seen one by one, what the transition sends cannot.
    let text = |started: &str| {
        format!(
            "system s; signal a, x, y; block b;
            signalroute r from p to q with x, y; signalroute r2 from q to p with a;
            process p; start; l: output x; output y; nextstate w; state w; input a; join l; endstate; endprocess;
            process q; dcl k Integer := 0; start; nextstate w;
            state w; input x; task k := k + 1; nextstate v; endstate;
            state v; provided k {started}; call assert(false, 'alone'); stop;
            input y; decision k; (1): output a; nextstate w; else: stop; enddecision; endstate; endprocess; endblock; endsystem;"
        )
    };
    says("start.pr", &text("= 1"), "assert");
    says("transition.pr", &text("= 2"), "holds");
}

#[test]
fn strings_and_sets_have_the_operators_of_the_standard() {
    expect(&[
        (
            "strings",
            "dcl x, y Il, t Two, r Rec, f Arr; start;
            task x := mkstring(4) // mkstring(5); task x := x // x;
            call assert(length(x) = 4 and x(1) = 4 and last(x) = 5 and first(x) = 4, '');
            task y := substring(x, 2, 2); call assert(y = mkstring(5) // mkstring(4), '');
            task x := nil; call assert(x = nil and nil = x and length(x) = 0, '');
            task x := (. 8, 9 .), x(2) := 7, first(x) := 6; call assert(7 in x and not (9 in x) and x(1) = 6, '');
            task t := x, r!l := x, f := (. r .); call assert(f(9)!l(2) = 7 and f(0) = f(9), '');
            output m(x, empty); nextstate s; state s; input m(y, r!s); call assert(y = x and r!s = empty, ''); stop; endstate;",
            "holds",
        ),
        (
            "sets",
            "dcl x, y Cs; start; task x := incl(blue, incl(red, empty));
            call assert(red in x and not (green in x) and length(x) = 2, '');
            task y := incl(green, x); call assert(x < y and x <= y and y > x and not (y <= x) and x /= y, '');
            task y := y and x; call assert(y = x, '');
            task y := del(red, y) or incl(green, empty); call assert(y = del(red, incl(green, x)), ''); stop;",
            "holds",
        ),
        ("no_room", "dcl t Two, x Il; start; task x := (. 1, 2, 3 .); task t := x; stop;", "0 to 2 elements"),
        ("empty", "dcl x Il, n Integer; start; task n := first(x); stop;", "the string is empty"),
        ("index", "dcl x Il, n Integer; start; task n := x(1); stop;", "index out of range"),
    ]);
}

#[test]
fn a_string_without_a_bound_has_the_one_of_the_option() {
    let f = Folder::new();
    let path = f.file("a.pr", &process("dcl x Il; start; task x := (. 1, 2 .) // (. 3 .); stop;"));
    let trail = f.path("t.json").display().to_string();
    let of = |n: &str| run(&["check", &path, "--strings", n, "--trail", &trail]);
    assert_eq!(of("3").status, 0);
    let out = of("2");
    assert!(out.status == 1 && out.stdout.contains("no room for more than 2 elements"), "{out:?}");
    assert_eq!(of("255").status, 0);
    let out = of("256");
    assert!(out.status == 2 && out.stderr.contains("`--strings` can be at most 255"), "{out:?}");
}

#[test]
fn the_longest_list_knows_how_long_it_is() {
    let text = |most: &str| {
        process(&format!(
            "syntype Long = Bits constants size(0:{most}) endsyntype; dcl t Long, i Integer := 0;
            start; nextstate s; state s; provided i < 255; task t := t // mkstring(true), i := i + 1; nextstate -;
            provided i = 255; call assert(length(t) /= 255, ''); stop; endstate;"
        ))
        .replace("block k;", "newtype Bits string(Boolean, none) endnewtype; block k;")
    };
    says("longest.pr", &text("255"), "assert");
    let f = Folder::new();
    let out = run(&["check", &f.file("longer.pr", &text("256"))]);
    assert!(out.status == 2 && out.stderr.contains("may have more than 255 elements"), "{out:?}");
}

#[test]
fn numbers_of_32_bits_are_those_of_a_machine() {
    let with = |x: &str, e: &str| {
        format!(
            "dcl x Integer := {x}, y Integer := 2, z Integer := -1, d Digit := 7, n Integer := 0; start; nextstate s;
            state s; provided x < 0; task n := {e}; call assert(n <= 0 or n = 3 or n = 2147483647, ''); stop; endstate;"
        )
    };
    let (least, next) = ("-2147483648", "-2147483647");
    let wide = "a number leaves 32 bits";
    let cases = [
        ("minus", with(least, "-x"), wide),
        ("minus_next", with(next, "-x"), "holds"),
        ("abs", with(least, "abs(x)"), wide),
        ("product", with(least, "x * y"), wide),
        ("product_of_halves", with("-1073741824", "x * y"), "holds"),
        ("product_with_minus_one", with(least, "x * z"), wide),
        ("quotient", with(least, "x / z"), wide),
        ("sum", with(next, "x + z"), "holds"),
        ("sum_below", with(least, "x + z"), wide),
        ("less", with(next, "x - 1"), "holds"),
        ("less_below", with(least, "x - 1"), wide),
        ("mod", with("-7", "x mod 5"), "holds"),
        ("mod_of_minus", with("-7", "x mod (-5)"), "holds"),
        ("large_mod", with("-1", "(x + 2147483647) mod 2147483647 - 2147483646"), "holds"),
        ("mod_of_a_variable", with("-7", "x mod (z * 5)"), "holds"),
    ];
    cases.iter().for_each(|(name, body, verdict)| expect(&[(*name, body.as_str(), *verdict)]));
}

#[test]
fn values_are_checked_before_they_are_cut() {
    let into = |to: &str, sent: &str| {
        format!("dcl w {to}; start; output {sent}; nextstate s; state s; input d(w), col(w); stop; endstate;")
    };
    let number = into("Digit", "d(256)").replace(", col(w)", "");
    let literal = into("Warm", "col(blue)").replace("d(w), ", "");
    expect(&[
        ("number", &number, "leaves the range 0 .. 9"),
        ("literal", &literal, "leaves the range 0 .. 1"),
        (
            "overflow",
            "dcl n Integer := 1; start; output a; nextstate s; state s; input a; task n := n * 3; output a; nextstate -; endstate;",
            "a number leaves 32 bits",
        ),
    ]);
}

#[test]
fn operators_are_equations_or_texts_or_external() {
    expect(&[
        (
            "equations",
            "newtype Seq literals 0, 1; operators succ : Seq -> Seq; both : Seq, Seq -> Boolean;
            axioms succ(0) == 1; succ(1) == 0; both(1, 1); both(0, 1) == false; both(1, 0) == false; both(0, 0) == false;
            endnewtype; dcl x Seq := 0; start; task x := succ(x); call assert(x = 1 and both(x, x) and 1 = x, '');
            task x := succ(x); call assert(not both(x, 1), ''); decision x; (0): stop; enddecision; stop;",
            "holds",
        ),
        (
            "incomplete",
            "newtype Seq literals one, two; operators nxt : Seq -> Seq; axioms nxt(one) == two; endnewtype;
            dcl x Seq := two; start; task x := nxt(x); stop;",
            "no answer",
        ),
        (
            "texts_of_one_name",
            "newtype P struct x Integer; operators up : P -> P;
            operator up; fpar v P; returns P; start; task v!x := v!x + 1; return v; endoperator; endnewtype;
            newtype Q struct y Integer; operators up : Q -> Q; endnewtype;
            newtype L literals u, v; operators up : L -> L; axioms up(u) == v; up(v) == u; endnewtype;
            dcl z P, l L := u; start; task z := up(up(z)), l := up(l); call assert(z!x = 2 and l = v, ''); stop;",
            "holds",
        ),
    ]);
}

#[test]
fn an_element_that_is_handed_over_is_the_one_of_the_call() {
    let body = |least: &str| {
        process(&format!(
            "newtype A array(Digit, Integer) endnewtype; dcl arr A := (. 0 .), i Digit := 1;
             procedure q; fpar in/out y Integer; start; task i := 2; task y := 9; return; endprocedure;
             start; call q(arr(i)); call assert({least}, ''); stop;"
        ))
    };
    says("call.pr", &body("arr(1) = 9 and arr(2) = 0"), "holds");
    says("call.pr", &body("arr(1) = 0"), "assertion");
}

/// A process that creates children one after the other, and one that hears of them.
fn children(parent: &str) -> String {
    format!(
        "system s; signal go, hi, who(Pid); block k;
         signalroute r from ch to par with go; signalroute q from par to ch with hi, who;
         process par(1, 1); dcl p Pid := null, n Integer := 0; newtype Ps array(D, Pid) endnewtype;
         syntype D = Integer constants 0:9 endsyntype; dcl all Ps := (. null .);
         {parent} endprocess;
         process ch(0, 1); start; output go to parent; nextstate up;
         state up; input hi; stop; endstate; endprocess; endblock; endsystem;"
    )
}

#[test]
fn a_pid_that_somebody_remembers_does_not_come_back() {
    // `go` comes from a child that may not have stopped yet when its place is wanted.
    let again = |first: &str, then: &str| {
        children(&format!(
            "start; create ch; nextstate w; state w; input go; {first} output hi to offspring; nextstate gone; endstate;
             state gone; input none; create ch; decision offspring; (null): nextstate gone; else: nextstate new;
             enddecision; endstate; state new; input go; {then} stop; endstate;"
        ))
    };
    let both = |name: &str, text: String, verdict| {
        says_with(name, &text, verdict, &["--no-deadlock"]);
        says_with(name, &text, verdict, &["--no-deadlock", "--queues", "signal"]);
    };
    both("kept.pr", again("task p := sender;", "call assert(sender /= p and offspring /= p, '');"), "holds");
    both("kept-not.pr", again("task p := sender;", "call assert(sender = p, '');"), "assertion");
    both("part.pr", again("task all(3) := offspring;", "call assert(sender /= all(3), '');"), "holds");
    both("sent.pr", again("task p := sender;", "output hi to p; call assert(offspring = sender, '');"), "holds");
    // Nobody remembers it: SENDER is the new one.
    let text = again("", "task p := sender; call assert(p = offspring and p /= null, '');");
    both("forgotten.pr", text, "holds");
}

#[test]
fn more_pids_than_there_are_is_an_error() {
    let text = children(
        "start; create ch; nextstate w; state w; input go; task all(n) := sender, n := n + 1; output hi to sender;
         decision n > 5; (true): stop; else: nextstate gone; enddecision; endstate;
         state gone; input none; create ch; decision offspring; (null): nextstate gone; else: nextstate w; enddecision;
         endstate;",
    );
    says("few.pr", &text, "pids of stopped instances of `ch` are remembered (`--pids 3`)");
    says_with("enough.pr", &text, "holds", &["--pids", "6"]);
}

#[test]
fn an_alternative_that_is_not_there_has_no_value() {
    let of = |code: &str| {
        process(&format!(
            "newtype C choice u Integer; v Boolean; endnewtype; newtype R struct c C; i Integer; endnewtype;
             dcl x C, y R, b Boolean, n Integer := 0; start; task x := u: 5, y!c := x; {code} stop;"
        ))
    };
    let absent = "`v` is not the alternative that is there";
    says(
        "there.pr",
        &of("task n := x!u, n := y!c!u; call assert(n = 5, ''); task x!v := true; task b := x!v;"),
        "holds",
    );
    says("absent.pr", &of("task b := x!v;"), absent);
    says("inside.pr", &of("task b := y!c!v;"), absent);
    says("gone.pr", &of("task x!v := true; task n := x!u;"), "`u` is not the alternative that is there");
    says("asked.pr", &of("decision present(x) = v; (true): task b := x!v; else: enddecision;"), "holds");
    let state = |when: &str| of(&format!("nextstate w; state w; provided {when}; stop; endstate; state e; input a;"));
    says("state.pr", &state("x!v"), absent);
    // What an input puts into an alternative is there.
    let text = of(
        "output d(7); nextstate w; state w; input d(x!u); call assert(x!u = 7, ''); stop; endstate; state e; input a;",
    );
    says("input.pr", &text.replace("u: 5", "v: true"), "holds");
}

#[test]
fn indices_of_the_same_array_and_inputs_of_one_variable_are_no_trouble() {
    let of = |code: &str| {
        process(&format!(
            "newtype A array(Digit, Digit) endnewtype; dcl a1 A := (. 1 .), i, k Digit := 0;
             procedure q; fpar in/out y Digit; start; task y := 9; return; endprocedure; {code}"
        ))
    };
    says("self.pr", &of("start; task a1(a1(0)) := 3; call assert(a1(1) = 3 and a1(0) = 1, ''); stop;"), "holds");
    let code = "start; task a1(1) := 4; task a1(a1(a1(0))) := 3; call assert(a1(4) = 3, ''); stop;";
    says("twice.pr", &of(code), "holds");
    says("lent.pr", &of("start; call q(a1(a1(0))); call assert(a1(1) = 9 and a1(0) = 1, ''); stop;"), "holds");
    let two = |input: &str, what: &str| {
        of(&format!(
            "start; output m2(2, 5); nextstate w; state w; input {input}; call assert({what}, ''); stop; endstate;"
        ))
        .replace("signal a,", "signal m2(Integer, Integer), a,")
        .replace("with a,", "with m2, a,")
    };
    says("same.pr", &two("m2(i, i)", "i = 5"), "holds");
    says("order.pr", &two("m2(i, a1(i))", "a1(2) = 5 and a1(0) = 1"), "holds");
    says("before.pr", &two("m2(a1(i), i)", "a1(0) = 2 and a1(5) = 1 and i = 5"), "holds");
}

#[test]
fn there_may_be_more_signals_than_an_mtype_has_names() {
    let all = |f: &dyn Fn(usize) -> String, between: &str| (0..300).map(f).collect::<Vec<_>>().join(between);
    let text = format!(
        "system s; signal {}; block b; signalroute r from p to q with {};
         process p(1, 1); start; output s299(299); output s0(0); output s298(7); stop; endprocess;
         process q(1, 1); dcl k Integer; start; nextstate w; state w; save s0; {} endstate; endprocess; endblock; endsystem;",
        all(&|i| format!("s{i}(Integer)"), ", "),
        all(&|i| format!("s{i}"), ", "),
        (1..300).map(|i| format!("input s{i}(k); call assert(k = {i}, ''); nextstate -;\n")).collect::<String>()
    );
    let f = Folder::new();
    let trail = f.path("t.json").display().to_string();
    let out = run(&["check", &f.file("many.pr", &text), "--trail", &trail]);
    assert!(out.status == 1 && out.stdout.contains("call assert(k = 298, '')"), "{out:?}");
    assert!(out.stdout.contains("[s298(7)]") || out.stdout.contains("s299(299)"), "{out:?}");
    says("few.pr", &text.replace("s298(7)", "s298(298)"), "holds");
}

#[test]
fn what_no_route_carries_is_told() {
    let text = process("start; output a; output lost; stop;").replace("signal a,", "signal lost, a,");
    let f = Folder::new();
    let out = run(&["check", &f.file("lost.pr", &text)]);
    assert!(out.status == 0 && out.stderr.contains("no route carries `lost` from here"), "{out:?}");
    assert!(!out.stderr.contains("`a`"), "{out:?}");
}

#[test]
fn any_answer_may_be_taken_whoever_lives() {
    // Neither answer asks for the receiver of its output, which may be gone.
    let text = |start: &str| {
        process(&format!(
            "dcl x Integer := 0, k Pid := null; start; {start} decision any; (): output a to k; task x := 1;
             (): output b; task x := 2; enddecision; nextstate t; state t; input b; stop;
             provided x = 1; call assert(false, 'lost'); stop; endstate;"
        ))
    };
    says("start.pr", &text(""), "lost");
    says("state.pr", &text("output c; nextstate s; state s; input c;"), "lost");
    says(
        "label.pr",
        &text("output c; nextstate s; state s; input c; task 'it is';").replace("(): output a", "(): l: output a"),
        "lost",
    );
    let asked = process(
        "dcl x Integer := 0; start; decision 'all is well'; ('yes'): output a; ('no'): output b; else: enddecision;
         nextstate t; state t; input a; call assert(x = 0, ''); stop; input b; stop; endstate;",
    );
    says("asked.pr", &asked, "invalid-end-state");
}

#[test]
fn a_name_goes_on_behind_an_underscore_at_the_end_of_a_line() {
    let text = process(
        "dcl long_na_\n me Integer := 3; start; task long_name := long_na_ \n\tme + 1; call assert(long_name = 4, ''); stop;",
    );
    says("long.pr", &text, "holds");
}

#[test]
fn entry_and_exit_procedures_are_called_in_this_order() {
    let text = |leaves: &str| {
        process(&format!(
            "dcl n Integer;
            procedure note; fpar in x Integer; start; task n := (n * 10 + x) mod 1000000; return; endprocedure;
            state outer; substructure out (there);
              procedure entry; start; call note(1); return; endprocedure;
              procedure exit; start; call note(9); return; endprocedure;
              state inner; substructure
                procedure entry; start; call note(2); return; endprocedure;
                procedure exit; start; call note(8); return; endprocedure;
                start; call note(3); nextstate leaf;
                state leaf; input b; call note(4); return; endstate;
              endsubstructure inner;
              start; call note(5); nextstate inner;
              state inner; connect; call note(6); return there; endstate;
            endsubstructure outer;
            start; output {leaves}; nextstate outer;
            state outer; input a; call note(7); nextstate done; connect there; call note(7); nextstate done; endstate;
            state done; provided true; call assert(n = {}, 'order'); stop; endstate;",
            if leaves == "a" { 523_789 } else { 348_697 }
        ))
    };
    says("input.pr", &text("a"), "holds");
    says("return.pr", &text("b"), "holds");
}

#[test]
fn whoever_waits_for_a_timer_that_is_not_set_is_stuck() {
    let text = |set: &str, body: &str| {
        process(&format!("timer t; start; {set} nextstate w; state w; {body} endstate; state u; endstate;"))
    };
    says("set.pr", &text("set(now + 5, t);", "input t; nextstate u;"), "holds");
    says("again.pr", &text("set(now + 5, t);", "input t; set(now + 5, t); nextstate -;"), "holds");
    says("unset.pr", &text("", "input t; nextstate u;"), "invalid-end-state");
    says("back.pr", &text("", "input t; nextstate -;"), "invalid-end-state");
    says("beside.pr", &text("", "input t; nextstate -; input a; nextstate -;"), "invalid-end-state");
    says("serves.pr", &text("", "input a; nextstate -;"), "holds");
}
