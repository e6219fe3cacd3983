//! What users are told about texts that are wrong or not supported: the code, the line, and all of them in one run.

use starwheel_sdl::{Environment, Options, Timers, translate};

/// Codes and lines of all errors.
fn errors(text: &str) -> Vec<(&'static str, u32)> {
    let (translation, sources, diagnostics) = translate(&[("a.pr", text)], &Options::default());
    let list: Vec<_> = diagnostics.iter().filter(|d| d.is_error()).map(|d| (d.code, sources.line(d.span()))).collect();
    assert_eq!(translation.is_none(), !list.is_empty());
    list
}

/// A process in a system of its own, its text from line 2 on.
fn process(body: &str) -> String {
    format!(
        "system s; signal a, b(Integer); block k; signalroute r from p to p with a, b; process p(1,1);\n{body}\nendprocess; endblock; endsystem;"
    )
}

#[test]
fn all_errors_are_reported_in_one_run() {
    let text = process(
        "dcl x Nowhere, y Real;\nstart; output c; task z := 1;\nnextstate far; state here;\ninput q; nextstate -; input a; join l; endstate;",
    );
    let found = errors(&text);
    for expected in
        [("unknown-sort", 2), ("not-supported", 2), ("unknown-signal", 3), ("unknown-name", 3), ("unknown-state", 4)]
    {
        assert!(found.contains(&expected), "{expected:?} not in {found:?}");
    }
}

#[test]
fn refusals_name_the_construct() {
    let cases = [
        ("start; export(x); stop;", "EXPORT"),
        ("timer t(Integer); start; stop;", "a timer with a parameter of many values"),
        ("procedure f; start; call f; return; endprocedure; start; call f; stop;", "recursion"),
        ("service s; endservice; start; stop;", "a service"),
        ("dcl exported x Integer; start; stop;", "exported"),
        ("dcl x Integer; start; task x := import(y); stop;", "IMPORT"),
        ("dcl x Integer; start; task x := view(y); stop;", "VIEW"),
        ("dcl x Integer; start; task x := call f(1) to sender; stop;", "a remote procedure"),
        ("newtype q bag(Integer) endnewtype; start; stop;", "the generator BAG"),
        ("newtype q operators f : -> q; axioms f == f; endnewtype; start; stop;", "the abstract sort `q`"),
        ("newtype q inherits Integer operators (\"+\"); endnewtype; start; stop;", "inheritance of sorts that changes"),
        (
            "newtype q literals c, d; operators f : q -> q; axioms f(f(x)) == x; endnewtype; start; stop;",
            "AXIOMS that are more than equations between literals",
        ),
        (
            "newtype q literals c, d; operators \"+\" : q, q -> q; endnewtype; start; stop;",
            "an operator that is a sign",
        ),
        ("newtype q powerset(Integer) endnewtype; dcl x q; start; stop;", "a powerset of `Integer`"),
        ("syntype q = Boolean constants true:true endsyntype; dcl x q; start; stop;", "a range of the sort `Boolean`"),
        ("timer t(Integer); start; set(now + 1, t(3)); stop;", "a timer with a parameter of many values"),
    ];
    for (body, what) in cases {
        let (_, _, found) = translate(&[("a.pr", &process(body))], &Options::default());
        assert!(found.iter().any(|d| d.code == "not-supported" && d.message.contains(what)), "{what}: {found:?}");
    }
}

#[test]
fn what_the_parser_refuses_hides_no_other_refusal() {
    let text = process(
        "newtype l bag(Integer) endnewtype; dcl x l, y Real, s Charstring;\nstart; request cpu, 5;\n\
         task s := s // 'b';\nnextstate here; state here;\ninput procedure q; nextstate -; endstate;",
    );
    let expected =
        [("not-supported", 2), ("not-supported", 2), ("not-supported", 3), ("not-supported", 4), ("not-supported", 6)];
    let mut found = errors(&text);
    found.sort_unstable();
    assert_eq!(found, expected);
}

#[test]
fn what_is_wrong_in_a_sort_ends_with_the_sort() {
    let text = process(
        "newtype n literals a b; operators f : n -> n; axioms f(a) == b; endnewtype;\nnewtype m bag(n) endnewtype; dcl x n;\n\
         start; task y := 1; stop;",
    );
    assert_eq!(errors(&text), [("unexpected", 2), ("not-supported", 3)]);
}

#[test]
fn what_uses_a_timer_or_a_time_that_was_refused_says_nothing_more() {
    let text = process(
        "timer t(Integer); dcl d Time, b Boolean;\nstart; set(d, t(1)); reset(t(1)); task b := active(t(1));\n\
         nextstate here; state here; input t; nextstate -; endstate;",
    );
    assert_eq!(errors(&text), [("not-supported", 2), ("not-supported", 2)]);
}

#[test]
fn a_time_may_be_a_sum() {
    let of = |sum: &str| {
        let text = process(&format!("timer t; dcl d Duration := 2;\nstart; set({sum}, t);\nstop;"));
        translate(&[("a.pr", &text)], &Options::default()).0.map(|t| t.promela)
    };
    assert!(of("now + 2 + 3").is_some_and(|t| t.contains("set(p_t,1)") && t.contains("one slice of time is 5 units")));
    assert!(of("7 + now - 4").is_some_and(|t| t.contains("one slice of time is 3 units")));
    assert!(of("now + d * 2 - 1").is_some_and(|t| t.contains("d * 2")));
    assert!(of("d + 5").is_none() && of("d - now").is_none());
}

#[test]
fn a_word_that_begins_no_action_does_not_end_its_transition() {
    assert_eq!(
        errors(&process("start;\nawhile true;\noutput a;\nnextstate here; state here; endstate;")),
        [("unexpected", 3)]
    );
    let text = "start;\nwhile (true) { task x := 1; }\noutput a;\nfor (i := 0, i < 3, i + 1) { output a; };\n\
        priority output a;\nnextstate here; state here; endstate; service s referenced;\nservice t; endservice;";
    let lines: Vec<u32> =
        errors(&process(text)).into_iter().map(|(code, line)| if code == "not-supported" { line } else { 0 }).collect();
    assert_eq!(lines, [3, 5, 6, 7, 8]);
}

#[test]
fn processes_of_one_name_live_in_different_blocks() {
    let block = |name: &str, other: &str| {
        format!(
            "block {name}; signalroute r from p to env with a; from env to p with a; connect c and r;\n\
             process p(1,1); start; nextstate s; state s; input a; output a; nextstate -; endstate; endprocess;\n{other}\nendblock;"
        )
    };
    let text = |other: &str| {
        format!(
            "system s; signal a; channel c from one to two with a; from two to one with a; endchannel;\n{}\n{}\nendsystem;",
            block("one", ""),
            block("two", other)
        )
    };
    let (translation, _, found) = translate(&[("a.pr", &text(""))], &Options::default());
    let promela = translation.unwrap_or_else(|| panic!("{found:?}")).promela;
    assert!(promela.contains("proctype p(") && promela.contains("proctype two_p("), "{promela}");
    let twice = "process p(1,1); start; stop; endprocess;";
    assert_eq!(errors(&text(twice)), [("two-processes", 8)]);
}

#[test]
fn what_is_selected_must_be_constant_and_types_must_be_there() {
    let text = "system s; synonym n Integer = external;\nselect if (n > 1);\nblock k : t; endselect;\nselect if (1 > 2); block b : u; endselect;\nblock c : v; endsystem;";
    assert_eq!(errors(text), [("not-supported", 2), ("missing-part", 5)]);
}

#[test]
fn now_is_allowed_in_set_only() {
    assert_eq!(
        errors(&process("timer t; dcl x Integer;\nstart; task x := now; set(5, t); set(now + 5, t); stop;")),
        [("now", 3), ("set", 3)]
    );
}

#[test]
fn constants_out_of_range_are_found_before_any_run() {
    let text = process("syntype d = Integer constants 0:9 endsyntype; dcl x d := 3;\nstart; task x := 10; stop;");
    assert_eq!(errors(&text), [("range", 3)]);
}

#[test]
fn what_is_refused_is_said_once() {
    // That the sort of `x` is not supported says it all.
    let text = process("dcl x Real; dcl n Integer; start; task n := length(x(1)); stop;");
    assert_eq!(errors(&text), [("not-supported", 2)]);
}

#[test]
fn an_alternative_of_a_choice_may_have_the_name_of_a_variable() {
    let asn = "D DEFINITIONS ::= BEGIN L ::= SEQUENCE (SIZE(0..3)) OF INTEGER (0..9) \
        C ::= CHOICE { a INTEGER (0..9), b BOOLEAN } END";
    let text = process("dcl b L; dcl e C; dcl n Integer; start; task n := if present(e) = b then 1 else 2 fi; stop;");
    let (t, _, found) = translate(&[("a.pr", &text), ("d.asn", asn)], &Options::default());
    assert!(t.is_some(), "{found:?}");
}

#[test]
fn long_timers_are_refused_unless_they_are_abstract() {
    let text = process("timer t, u; start; set(now + 1, t); set(now + 40000, u); stop;");
    assert_eq!(errors(&text), [("long-timer", 2)]);
    let options = Options { timers: Timers::Abstract, ..Options::default() };
    assert!(translate(&[("a.pr", &text)], &options).0.is_some());
    // Durations with a common divisor count in larger units.
    let text = process("timer t, u; start; set(now + 20000, t); set(now + 40000, u); stop;");
    let (t, _, _) = translate(&[("a.pr", &text)], &Options::default());
    assert_eq!(t.expect("a translation").unit, 20000);
}

#[test]
fn every_line_of_the_map_leads_to_its_source() {
    let text = process("start; nextstate here;\nstate here; input a;\noutput b(7); nextstate -; endstate;");
    let (t, _, _) = translate(&[("a.pr", &text)], &Options { lines: false, ..Options::default() });
    let t = t.expect("a translation");
    let lines: Vec<&str> = t.promela.lines().collect();
    let of = |needle: &str| {
        let n = lines.iter().position(|l| l.contains(needle)).expect(needle) as u32 + 1;
        let entry = t.map.iter().find(|e| e.line == n).expect("an entry");
        t.sources.line(entry.span)
    };
    assert_eq!(of("in_p?a"), 3);
    assert_eq!(of("!b,7"), 4);
}

#[test]
fn keywords_of_promela_and_letters_of_labels_do_no_harm() {
    let text = "system s; signal run, len; block k; signalroute r from init to init with run, len; process init(1,1);
        dcl chan, timeout Integer; start; output run; nextstate end_of_all;
        state end_of_all; input run; task chan := timeout; nextstate accept; endstate;
        state accept; input len; nextstate -; endstate;
        endprocess; endblock; endsystem;";
    let (t, _, found) = translate(&[("a.pr", text)], &Options::default());
    let promela = t.unwrap_or_else(|| panic!("{found:?}")).promela;
    assert!(promela.contains("proctype init_()") && promela.contains("s_end_of_all:") && promela.contains("s_accept:"));
}

#[test]
fn what_is_not_read_of_if_is_refused_with_its_line() {
    let text = "system s; signal a; const LIMIT = 2;
signalroute r(1) #unicast #rate[1,2] from p to p with a;
signalroute q(1) #multiset from p to p with a;
process p(1); var c clock; var d clock; var n integer; var t timer;
state s #start; set c := n; nextstate u; endstate;
state u #unstable;
input a; stop;
endstate;
state w;
when c - d > 2; stop;
when c >= LIMIT or c = 0; stop;
when c >= LIMIT; timeout t; stop;
deadline lazy; input a; stop;
provided n = 0; output a via {r}1; stop;
endstate;
endprocess;
procedure f; endprocedure;
endsystem;";
    let found = errors(text);
    let lines: Vec<u32> = found.iter().map(|(_, line)| *line).collect();
    assert!(found.iter().all(|(code, _)| *code == "not-supported"), "{found:?}");
    for line in [2, 3, 5, 7, 10, 11, 12, 13, 14, 17] {
        assert!(lines.contains(&line), "{line} not in {found:?}");
    }
    // A variable hides a constant.
    let hidden = "system s; const N = 2; process p(1); var c clock; var n integer;\nstate s #start; when c > N; stop; endstate; endprocess; endsystem;";
    assert_eq!(errors(hidden), [("not-supported", 2)]);
    assert_eq!(errors(&hidden.replace("var n", "var m")), []);
    let route = |options: &str, from: &str, output: &str| {
        errors(&format!(
            "system s; signal a;\nsignalroute r(1) {options}\nfrom {from} to q with a;
            process p(1); state s #start;\n{output}; stop; endstate; endprocess;
            process q(1); state s #start; input a; stop; endstate; endprocess; endsystem;"
        ))
    };
    assert_eq!(route("#delay[1,2]", "p", "output a via {r}0"), []);
    assert_eq!(route("#delay[1,2]", "p", "output a"), [("not-supported", 5)]);
    assert_eq!(route("#lossy", "p", "output a to {q}0"), [("not-supported", 5)]);
    assert_eq!(route("#multicast", "p", "output a"), [("not-supported", 5)]);
    assert_eq!(route("#peer", "p", "output a via {r}0"), [("peer", 5)]);
    assert_eq!(route("#peer", "p", "output a via {r}0 to {q}0"), []);
    assert_eq!(route("#delay[2,1]", "p", "skip"), [("range", 2)]);
    assert_eq!(route("#delay[1,x]", "p", "skip"), [("not-supported", 2)]);
    assert_eq!(route("#delay[1,2]", "env", "skip"), [("not-supported", 3)]);
    assert_eq!(route("#lossy #multicast", "p", "skip"), [("not-supported", 2)]);
    assert_eq!(errors(&text.replace("lazy", "tomorrow")).iter().filter(|e| e.0 == "unexpected").count(), 1);
}

#[test]
fn all_instances_have_numbers_of_a_byte() {
    let process = |name: &str, most: u32| format!("process {name}({most}, {most}); start; stop; endprocess;");
    let of = |last: u32| {
        let all = [process("p", 100), process("q", 100), process("r", last)].concat();
        errors(&format!("system s; block b; {all} endblock; endsystem;"))
    };
    assert_eq!(of(54), []);
    assert_eq!(of(55), [("instances", 1)]);
}

#[test]
fn a_parameter_goes_into_a_variable_of_the_same_parts() {
    // Both are three numbers: a length and two elements, and three elements.
    let text = |size: &str| {
        format!(
            "system s; newtype L string(Integer, none) endnewtype; syntype Two = L constants size(0:2) endsyntype;
            syntype Other = L constants size({size}) endsyntype; signal a(Two); block b; signalroute r from p to p with a;
            process p; dcl v Other; start; nextstate w; state w; input a(v); nextstate -; endstate; endprocess; endblock; endsystem;"
        )
    };
    assert_eq!(errors(&text("0:2")), []);
    assert_eq!(errors(&text("3")), [("sort", 3)]);
}

/// Codes and lines of all warnings.
fn warnings(text: &str) -> Vec<(&'static str, u32)> {
    let (_, sources, diagnostics) = translate(&[("a.pr", text)], &Options::default());
    diagnostics.iter().filter(|d| !d.is_error()).map(|d| (d.code, sources.line(d.span()))).collect()
}

#[test]
fn names_in_routes_that_nothing_has_are_told() {
    let text = "system s; signal a; signallist l = a;
channel c from env to k with a, b; endchannel;
channel d from k to far with (l); endchannel;
block k;
signalroute r from env to p with a;
signalroute q from nobody to p with a;
connect c and r;
connect e and r, t;
process p(1,1); start; nextstate x; state x; input a; nextstate -; endstate; endprocess;
endblock; endsystem;";
    let told: Vec<u32> = warnings(text).into_iter().filter(|w| w.0 == "loose-end").map(|w| w.1).collect();
    assert_eq!(told, [2, 3, 6, 8, 8]);
}

#[test]
fn names_that_exist_twice_are_refused() {
    let labels = process("start; l: output a; l: output a; nextstate x; state x; input a; nextstate -; endstate;");
    assert_eq!(errors(&labels), [("two-labels", 2)]);
    let q = "procedure q; start; output a; return; endprocedure;";
    let procedures =
        process(&format!("{q}\n{q}\nstart; call q; nextstate x; state x; input a; nextstate -; endstate;"));
    assert_eq!(errors(&procedures), [("two-procedures", 3)]);
}

#[test]
fn two_sorts_or_constants_of_one_name_are_not_mixed_up() {
    let text = |inside: &str, second: &str| {
        format!(
            "system s; synonym n Integer = 3; syntype t = Integer constants 0:n endsyntype;
newtype c literals red, green endnewtype;
block k; {inside}
process p(1,1); {second}
dcl x t; start; task x := n; stop; endprocess; endblock; endsystem;"
        )
    };
    // In one scope there is one of a name.
    assert_eq!(errors(&text("synonym m Integer = 1;", "")), []);
    assert_eq!(errors(&text("synonym m Integer = 1; synonym m Integer = 1;", "")), [("two-declarations", 3)]);
    assert_eq!(
        errors(&text("newtype e literals a endnewtype; syntype e = Integer endsyntype;", "")),
        [("two-declarations", 3)]
    );
    // One that hides another may say the same, and nothing else.
    assert_eq!(errors(&text("SYNONYM N integer = 3;", "newtype c literals red, green; endnewtype;")), []);
    for other in [
        "synonym n Integer = 4;",
        "syntype t = Integer constants 0:4 endsyntype;",
        "newtype c literals green, red endnewtype;",
    ] {
        assert_eq!(errors(&text("", other)), [("not-supported", 4)], "{other}");
        assert_eq!(errors(&text(other, "")), [("not-supported", 3)], "{other}");
    }
    let (_, sources, found) = translate(&[("a.pr", &text("", "synonym n Integer = 4;"))], &Options::default());
    assert_eq!(found[0].labels.iter().map(|l| sources.line(l.span)).collect::<Vec<_>>(), [4, 1], "{found:?}");
}

#[test]
fn what_stands_twice_in_one_scope_is_told_with_both_places() {
    let told = |name: &str, text: &str| {
        let (_, sources, found) = translate(&[(name, text)], &Options::default());
        let lines = |d: &starwheel_base::Diagnostic| d.labels.iter().map(|l| sources.line(l.span)).collect::<Vec<_>>();
        found.iter().filter(|d| d.is_error()).map(|d| (d.code, lines(d))).collect::<Vec<_>>()
    };
    let one = |body: &str| told("a.pr", &process(body));
    assert_eq!(one("start; stop;\nstart; output a; stop;"), [("two-starts", vec![3, 2])]);
    let q = "procedure q; start; return;\nstart; return; endprocedure; start; call q; stop;";
    assert_eq!(one(q), [("two-starts", vec![3, 2])]);
    assert_eq!(one("newtype c literals x,\ny, X endnewtype; start; stop;"), [("two-declarations", vec![3, 2])]);
    for kind in ["struct", "choice"] {
        let sort = format!("newtype c {kind} x Integer; y Integer;\nx Boolean; endnewtype; start; stop;");
        assert_eq!(one(&sort), [("two-declarations", vec![3, 2])]);
    }
    let signals = |inside: &str, block: &str| {
        let text = format!(
            "system s; signal a;\n{inside}\nblock k; {block} process p; start; stop; endprocess; endblock; endsystem;"
        );
        told("a.pr", &text)
    };
    assert_eq!(signals("signal a;", ""), [("two-signals", vec![2, 1])]);
    assert_eq!(signals("signal a(Integer);", ""), [("two-signals", vec![2, 1])]);
    assert_eq!(signals("", "signal a;"), []);
    let text = "system s; process p(1); state a #start; stop; endstate;\nstate b #start; stop; endstate; endprocess; endsystem;";
    assert_eq!(told("a.if", text), [("two-starts", vec![2, 1])]);
    let text =
        "system s; type t = enum x,\nx endenum; process p(1); state a #start; stop; endstate; endprocess; endsystem;";
    assert_eq!(told("a.if", text), [("two-declarations", vec![2, 1])]);
}

#[test]
fn a_constant_that_is_defined_by_itself_is_told() {
    let told = |constants: &str| {
        let text = process(&format!("{constants}\ndcl x Integer; start; task x := k; stop;"));
        let (_, sources, found) = translate(&[("a.pr", &text)], &Options::default());
        found.iter().map(|d| (d.code, sources.line(d.span()), d.message.clone())).collect::<Vec<_>>()
    };
    let itself = "the constant `k` is defined by itself";
    assert_eq!(told("synonym k Integer = k + 1;"), [("circle", 2, itself.to_string())]);
    assert_eq!(told("synonym k Integer = k;"), [("circle", 2, itself.to_string())]);
    let several = "synonym k Integer = 2 * m;\nsynonym m Integer = 1 + n; synonym n Integer = -k;";
    assert_eq!(told(several), [("circle", 2, format!("{itself} (by `m`, `n`)"))]);
    assert_eq!(told("synonym k Integer = m + m; synonym m Integer = 3;"), []);
}

#[test]
fn a_text_that_is_given_twice_is_an_error() {
    let one = "system s; block b; process p(1,1); start; stop; endprocess; endblock; endsystem;";
    let told = |texts: &[(&str, &str)]| {
        let (_, _, found) = translate(texts, &Options::default());
        found.into_iter().filter(|d| d.is_error()).map(|d| (d.code, d.labels.len())).collect::<Vec<_>>()
    };
    assert_eq!(told(&[("a.pr", one)]), []);
    assert_eq!(told(&[("a.pr", one), ("b.pr", one)]), [("same-text", 2)]);
    let other = one.replace("process p", "process q").replace("block b", "block c");
    assert_eq!(told(&[("a.pr", one), ("b.pr", &other)]), [("two-systems", 2)]);
    assert_eq!(told(&[("a.pr", one), ("b.pr", &other.replace("system s", "system t"))]), []);
    // What only declares may be in several folders of a project.
    let types = "newtype c literals red, green endnewtype;";
    assert_eq!(told(&[("a.pr", one), ("x/t.pr", types), ("y/t.pr", types)]), []);
}

#[test]
fn an_environment_that_says_nothing_is_told_once() {
    let text = "system s; signal a, b, c; channel c1 from env to k with a, b; endchannel; block k;
signalroute r from env to p with a, b; signalroute t from p to q with c; connect c1 and r;
process p(1,1); start; output c; nextstate x; state x; input a; nextstate -; input b; nextstate -; endstate; endprocess;
process q(1,1); start; nextstate x; state x; input c; nextstate -; endstate; endprocess; endblock; endsystem;";
    let told = |environment| {
        let (_, _, found) = translate(&[("a.pr", text)], &Options { environment, ..Options::default() });
        found.iter().map(|d| d.message.clone()).collect::<Vec<_>>()
    };
    assert_eq!(told(Environment::None), ["nothing ever comes from the environment: `p` waits for `a`, `b`"]);
    assert_eq!(told(Environment::Once), [""; 0]);
    assert_eq!(told(Environment::Any), [""; 0]);
}

#[test]
fn inputs_of_what_never_comes_are_told() {
    let told = |channel: &str, inside: &str, what: &str, environment| {
        let text = format!(
            "system s; signal e, f; {channel} block b; {inside}
process q(1,1); start; stop; endprocess;
process p(1,1); start; nextstate x; state x;
input {what}; call assert(false); nextstate -; endstate; endprocess; endblock; endsystem;"
        );
        let (_, sources, found) = translate(&[("a.pr", &text)], &Options { environment, ..Options::default() });
        found.iter().map(|d| (d.code, sources.line(d.span()), d.message.clone())).collect::<Vec<_>>()
    };
    let (e, both) = ("channel c from env to b with e; endchannel;", "channel c from env to b with e, f; endchannel;");
    let r = "signalroute r from env to p with e;";
    let cut = "`p` waits in vain for `e` (no channel brings it to the route `r`)";
    let nobody = "`p` waits in vain for `e` (nobody sends it)";
    for environment in [Environment::None, Environment::Once, Environment::Any] {
        for (channel, inside, expected) in [
            ("", r, cut),
            (&e.replace("with e", "with f"), &format!("{r} connect c and r;"), cut),
            (e, &format!("{r} signalroute t from env to q with e; connect c and t;"), cut),
            (
                both,
                "signalroute r from env to p with f; connect c and r;",
                "`p` waits in vain for `e` (no route to `p` carries it)",
            ),
            ("", "", nobody),
            ("", "signalroute r from q to p with e;", nobody),
        ] {
            let expected = [("in-vain", 4, expected.to_string())];
            assert_eq!(told(channel, inside, "e", environment), expected, "{channel} {inside}");
        }
        // All in one, each with its reason.
        let found = told("", r, "e; nextstate -; input f", environment);
        assert_eq!(found, [("in-vain", 4, format!("{cut}, `f` (no route to `p` carries it)"))]);
        let found = told("", r, "*", environment);
        assert_eq!((found.len(), found[0].0, found[0].1), (1, "in-vain", 3), "{found:?}");
    }
    // What the environment could send is told as that.
    let connected = format!("{r} connect c and r;");
    for what in ["e", "*"] {
        let found = told(e, &connected, what, Environment::None);
        assert!(found.iter().any(|d| d.2.contains("nothing ever comes from the environment")), "{found:?}");
        assert_eq!(told(e, &connected, what, Environment::Once), []);
    }
    // What some process sends comes.
    let sent = process("start; output a; nextstate x; state x; input a; nextstate -; endstate;")
        .replace("from p to env", "from p to p");
    assert!(warnings(&sent).iter().all(|w| w.0 != "in-vain"), "{sent}");
}

#[test]
fn a_first_value_is_constant() {
    let of = |dcl: &str| {
        errors(&process(&format!("newtype c literals red, x endnewtype; synonym n Integer = 3;\n{dcl} start; stop;")))
    };
    assert_eq!(of("dcl x Integer := x;"), [("not-supported", 3)]);
    assert_eq!(of("dcl y Integer := 1 + z, z Integer := 2;"), [("not-supported", 3)]);
    // A literal or a constant of the same name is none.
    assert_eq!(of("dcl x c := x; dcl n Integer := 1, m Integer := n + 1;"), []);
}

#[test]
fn what_is_missing_or_of_another_kind_is_told_by_name() {
    let (_, _, found) =
        translate(&[("a.pr", &process("procedure q referenced; start; call q; stop;"))], &Options::default());
    assert!(found[0].code == "unknown-procedure" && found[0].advice[0].contains("hand over the file"), "{found:?}");
    let text = "system s; process p(1); var c clock; state a #start; task skip; set c := 0;
        call assert(c < 3); stop; endstate; endprocess; endsystem;";
    let (_, _, found) = translate(&[("a.if", text)], &Options::default());
    assert!(found.len() == 1 && found[0].message.contains("the value of the clock `c`"), "{found:?}");
    let text = "system s; signal a(Natural), b(Integer); channel c from env to k with a, b; endchannel; block k;
        signalroute r from env to p with a, b; connect c and r;
        process p; dcl i Integer; start; nextstate w; state w; input a(i); nextstate -; input b(i); nextstate -; endstate;
        endprocess; endblock; endsystem;";
    let options = Options { environment: Environment::Any, ..Options::default() };
    let (_, _, found) = translate(&[("a.pr", text)], &options);
    let told = |what: &str| found.iter().any(|d| d.message.contains(what));
    assert!(told("only 0, 1 and 2147483647") && told("only -2147483648, 0, 1 and 2147483647"), "{found:?}");
}

#[test]
fn statements_of_sdl_2000_are_refused_once_each_by_name() {
    let cases = [
        ("start { task i := 1; nextstate w; }\nstate w; endstate;", vec![(1, "a part in braces")]),
        (
            "start; nextstate w;\nstate w; input a { nextstate w; } input b; nextstate w; endstate;",
            vec![(2, "a part in braces")],
        ),
        ("start; nextstate w;\nstate w { input a; nextstate w; }", vec![(2, "a part in braces")]),
        ("procedure f { i := 1; }\nstart; nextstate w; state w; endstate;", vec![(1, "a part in braces")]),
        (
            "start;\ndecision i { (1): nextstate w; else: nextstate w; } state w; endstate;",
            vec![(2, "a part in braces")],
        ),
        ("start;\n{ i := 1; i := 2; } nextstate w; state w; endstate;", vec![(2, "a block of statements")]),
        ("start;\ntask { i := 1; }; nextstate w; state w; endstate;", vec![(2, "a block of statements in a task")]),
        ("start;\ni := 1; nextstate w; state w; endstate;", vec![(2, "an assignment outside of a task")]),
        (
            "start;\nfor i in range(1,3): task i := 2; endfor; nextstate w; state w; endstate;",
            vec![(2, "a FOR outside of a task")],
        ),
        (
            "start;\nfor (dcl k Integer := 1, k < 3, k + 1) { task i := k; } nextstate w; state w; endstate;",
            vec![(2, "a FOR outside of a task")],
        ),
        (
            "start; for (i := 1, i < 3, i + 1) task i := 2;\nif (i = 1) { i := 2; } else { i := 3; } nextstate w; state w; endstate;",
            vec![(1, "a FOR outside of a task"), (2, "an IF as an action")],
        ),
    ];
    for (body, expected) in cases {
        let (_, sources, found) =
            translate(&[("a.pr", &process(&format!("dcl i Integer; {body}")))], &Options::default());
        let told: Vec<_> =
            found.iter().filter(|d| d.is_error()).map(|d| (sources.line(d.span()) - 1, d.message.as_str())).collect();
        let same = told.len() == expected.len()
            && told
                .iter()
                .zip(&expected)
                .all(|(t, e)| t.0 == e.0 && t.1.starts_with(e.1) && t.1.ends_with("is not supported"));
        assert!(same, "{body}: {told:?}");
    }
}

#[test]
fn a_sort_that_is_not_there_is_told_once() {
    let text = process(
        "dcl a Nowhere, b nowhere,\nc Nowhere, d Nowhere, e Other;\nstart; task a := b; nextstate w; state w; endstate;",
    );
    let (_, sources, found) = translate(&[("a.pr", &text)], &Options::default());
    let told: Vec<_> =
        found.iter().map(|d| (d.code, d.labels.iter().map(|l| sources.line(l.span)).collect::<Vec<_>>())).collect();
    assert_eq!(told, [("unknown-sort", vec![2]), ("unknown-sort", vec![3])], "{found:?}");
}
