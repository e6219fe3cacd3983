//! A transition of SDL takes no time and ends: one that comes back for ever is an error at its JOIN, in every search.

mod common;

use common::{Folder, json, run, says_with};

/// A process `p` with this text beside one that waits, and signals from outside.
fn system(body: &str) -> String {
    format!(
        "system s; signal go, a;
        channel c from env to b with go; endchannel c;
        block b; signalroute r from env to p with go; signalroute t from p to q with a; connect c and r;
        process p; dcl i Integer, n Integer;
{body}
        endprocess p;
        process q; start; nextstate w; state w; input a; nextstate -; endstate; endprocess q;
        endblock b; endsystem s;"
    )
}

const NEVER: &str = "this transition never ends";

/// A loop by data in a state, at line 7.
const BY_DATA: &str = "start; nextstate idle; state idle; input go;\nlbl: task i := 1 - i;\n\
    decision n = 1; (true): nextstate idle; (false): join lbl; enddecision; endstate;";

/// Loops that end.
const ENDING: [(&str, &str); 5] = [
    ("counts in START", "start; l: task i := i + 1; decision i < 300; (true): join l; else: nextstate w; enddecision; state w; endstate;"),
    (
        "counts in a state",
        "start; nextstate w; state w; input go; task i := 0; l: task i := i + 1;
        decision i < 5000; (true): join l; else: nextstate w; enddecision; endstate;",
    ),
    (
        "loops in loops",
        "start; nextstate w; state w; input go; task i := 0;
        l: task n := 0; k: task n := n + 1; decision n < 20; (true): join k; else: enddecision;
        task i := i + 1; decision i < 20; (true): join l; else: task i := 0, n := 0; nextstate w; enddecision; endstate;",
    ),
    // What an observer of the run would call unfair is no proof that it never ends.
    ("may be left", "start; nextstate w; state w; input go; l: decision any; (): join l; (): nextstate w; enddecision; endstate;"),
    (
        "is left by a state",
        "start; nextstate w; state w; input go; l: task i := 1 - i; decision i; (0): nextstate w; else: nextstate u; enddecision;
        state u; provided true; join l; endstate;",
    ),
];

#[test]
fn a_transition_that_never_ends_is_an_error_at_its_join() {
    let f = Folder::new();
    let (path, trail) = (f.file("data.pr", &system(BY_DATA)), f.path("t.json").display().to_string());
    let report = json(&["check", "--json", "--env", "once", &path, "--trail", &trail], 1);
    let finding = &report["findings"][0];
    assert!(finding["message"].as_str().is_some_and(|m| m.contains(NEVER)), "{finding}");
    assert_eq!((&finding["kind"], &finding["line"]), (&"runtime-error".into(), &7.into()), "{finding}");
    let out = run(&["replay", &path, &trail]);
    assert!(out.status == 0 && out.stdout.contains("join lbl"), "{out:?}");

    for (name, body) in [
        ("nothing in START", "start; l: join l;"),
        ("nothing in a state", "start; nextstate w; state w; input go; l: join l; endstate;"),
        ("no effect", "start; l: task i := i; join l;"),
        ("data in START", "start; l: task i := 1 - i; decision i < 2; (true): join l; else: nextstate w; enddecision; state w; endstate;"),
        (
            "whatever is chosen",
            "start; nextstate w; state w; input go; decision any; (): l: task i := 1; join k; (): k: task i := 2; join l;
            enddecision; endstate;",
        ),
        (
            "some way in",
            "start; nextstate w; state w; input go; decision any; (): nextstate w; (): l: task i := 1 - i; join l; enddecision; endstate;",
        ),
        ("by a label of START", "start; l: decision i; (0): nextstate w; else: join l; enddecision; state w; input go; task i := 1; join l; endstate;"),
        (
            "in a procedure",
            "procedure f; start; l: task i := 1 - i; join l; endprocedure;
            start; nextstate w; state w; input go; call f; nextstate w; endstate;",
        ),
    ] {
        says_with(&format!("{name}.pr"), &system(body), NEVER, &["--env", "once"]);
    }
    // The receiver takes what it can; whatever it takes, it goes on.
    says_with("sends.pr", &system("start; l: output a; join l;"), NEVER, &["--overflow", "lose"]);
    // What goes wrong on the way is told, and what is left if it is not asked for.
    let wrong = system("start; l: call assert(i = 0, 'out'); task i := 1 - i; join l;");
    says_with("wrong.pr", &wrong, "out", &[]);
    says_with("ignored.pr", &wrong, NEVER, &["--no-assert"]);
    for (name, body) in ENDING {
        says_with(&format!("{name}.pr"), &system(body), "holds", &["--env", "once"]);
    }
}

#[test]
fn every_search_finds_it_or_refuses() {
    let f = Folder::new();
    let endless = f.file("endless.pr", &system(BY_DATA));
    let ending: Vec<String> = ENDING.iter().map(|(name, body)| f.file(&format!("{name}.pr"), &system(body))).collect();
    let trail = f.path("t.json").display().to_string();
    for options in [
        "--plain",
        "--search bfs",
        "--search dfs",
        "--workers 2",
        "--por stubborn",
        "--por cluster",
        "--merge on --por off",
        "--engine jit",
        "--engine interp",
        "--store bitstate",
        "--store compact",
        "--symmetry auto",
        "--spill",
        "--all-errors",
        "--prefer switches",
        "--no-assert --no-deadlock",
        "--queues signal",
        "--audit",
        "--decouple auto",
        "--processes 2",
    ] {
        let options: Vec<&str> = options.split(' ').collect();
        let check = |path| run(&[&["check", "--env", "once", path, "--trail", &trail], &options[..]].concat());
        let out = check(&endless);
        assert!(
            out.status == 1 && out.stdout.contains(NEVER) && out.stdout.contains("endless.pr:7"),
            "{options:?} {out:?}"
        );
        for path in &ending {
            let out = check(path);
            assert!(out.status != 1 && !out.stdout.contains(NEVER), "{options:?} {path} {out:?}");
        }
    }
    let out = run(&["check", "--decouple", &endless]);
    assert!(out.status == 2 && out.stderr.contains("a jump back inside of a transition"), "{out:?}");
    let out = run(&["check", "--env", "once", &endless, "--ltl", "[] (p:i >= 0)", "--trail", &trail]);
    assert!(out.status == 1 && out.stdout.contains(NEVER), "{out:?}");
}

#[test]
fn what_can_go_on_is_told_in_words_of_sdl() {
    let f = Folder::new();
    let out = run(&["check", "--env", "once", &f.file("may.pr", &system(ENDING[3].1))]);
    assert!(out.status == 0 && out.stderr.contains("a transition can go on for ever"), "{out:?}");
    // Plain Promela means what it means to SPIN, whatever its labels are called.
    let text = "active proctype p() { bit i; atomic { i = 0; _l0: i = 1 - i; _back0: skip; goto _l0 } }";
    let out = run(&["check", &f.file("plain.pml", text)]);
    assert!(!out.stdout.contains(NEVER) && out.stderr.contains("an atomic sequence can go on for ever"), "{out:?}");
}

#[test]
fn so_is_one_of_if() {
    let text = |body: &str| {
        format!(
            "system s; process p(1); var i integer; state w #start; task i := 0; {body} nextstate u; endstate; state u; endstate; \
             endprocess; endsystem;"
        )
    };
    says_with("while.if", &text("while i < 2 do task i := 1 - i; endwhile"), NEVER, &[]);
    says_with("ends.if", &text("while i < 20 do task i := i + 1; endwhile"), "holds", &[]);
}
