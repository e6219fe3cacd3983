//! SPIN's command lines: what tools that read pan's output rely on.

mod common;

use common::{Folder, json, run};

const BAD: &str = "byte a;\nactive proctype P() { a = 1;\n\tassert(a == 2) }\n";
const TALK: &str = "chan c = [0] of { byte }; chan q = [2] of { byte, byte };
active proctype P() { c!3; q!1,2; printf(\"sent\\n\") }
active proctype Q() { byte v; c?v; q?v,2 }
";

#[test]
fn a_search_prints_what_pan_prints() {
    let f = Folder::new();
    let model = f.file("m.pml", BAD);
    let out = run(&["spin", "-run", "-DSAFETY", "-DNOREDUCE", &model]);
    assert_eq!(out.status, 1, "{out:?}");
    for text in [
        "pan:1: assertion violated (a==2) (at depth 1)\n",
        "(Starwheel Version ",
        "Warning: Search not completed\n",
        "\tassertion violations\t+\n",
        "byte, depth reached ",
        ", errors: 1\n",
        " states, stored\n",
        " states, matched\n",
        " transitions (= stored+matched)\n",
        " atomic steps\n",
    ] {
        assert!(out.stdout.contains(text), "{text:?} in {}", out.stdout);
    }
    assert!(!out.stdout.contains("Spin Version"));
}

#[test]
fn a_search_without_errors_lists_what_it_did_not_reach() {
    let f = Folder::new();
    let model = f.file("m.pml", "byte x;\nactive proctype P() { if :: x == 1 ->\n x = 2 :: else fi }\n");
    let out = run(&["spin", "-run", &model]);
    assert_eq!(out.status, 0, "{out:?}");
    assert!(out.stdout.contains("errors: 0\n") && out.stdout.contains("unreached in proctype P\n"), "{out:?}");
    assert!(out.stdout.contains(":3, state 2, \"x = 2\"\n"), "{out:?}");
    assert!(!run(&["spin", "-run", "-n", &model]).stdout.contains("unreached"));
}

#[test]
fn what_was_merged_into_the_step_before_was_reached() {
    let f = Folder::new();
    // `w = 0` goes with the `break`, the only way to it, but has a state of its own; nobody comes to `x = 3`.
    let text = "byte x;\nactive proctype P() { byte w;\n do\n :: x == 0 ->\n   do :: w < 1 -> w++ :: break od;\n   w = 0;\n   x = 1\n \
                :: x == 1 -> break\n :: x == 2 -> w = 1; w = 2;\n   x = 3\n od }\n";
    let model = f.file("m.pml", text);
    for way in ["--merge=on", "--merge=off", "--plain"] {
        let report = json(&["check", "--json", way, &model], 0);
        let lines: Vec<_> = report["unreached"].as_array().unwrap().iter().map(|u| u["line"].as_u64()).collect();
        assert!(!lines.contains(&Some(6)) && lines.contains(&Some(10)), "{way}: {}", report["unreached"]);
    }
    let out = run(&["spin", "-run", &model]).stdout;
    assert!(!out.contains("\"w = 0\"") && out.contains("\"x = 3\""), "{out}");
}

#[test]
fn a_replay_prints_what_spin_prints() {
    let f = Folder::new();
    let model = f.file("m.pml", BAD);
    assert_eq!(run(&["spin", "-o3", "-run", &model]).status, 1);
    let out = run(&["spin", "-t", "-p", "-g", &model]);
    assert_eq!(out.status, 0, "{out:?}");
    assert!(
        out.stdout.starts_with(&format!("  1:\tproc  0 (P:1) {model}:2 (state 1)\t[a = 1]\n\t\ta = 1\n")),
        "{out:?}"
    );
    for text in [
        "Error: assertion violated\n",
        "text of failed assertion: assert((a==2))\n",
        "spin: trail ends after 2 steps\n",
        "#processes: 1\n",
    ] {
        assert!(out.stdout.contains(text), "{text:?} in {}", out.stdout);
    }
}

/// SPIN merges no statements of models with `provided` or remote variables, and a trail must not say that it did.
#[test]
fn trails_say_whether_statements_were_merged() {
    let f = Folder::new();
    let body = "byte i; i = 1; i = 2; s = i; assert(s != 2)";
    for (text, merged) in [
        (format!("byte s; active proctype P() {{ {body} }}"), true),
        (format!("byte s; active proctype P() provided (s < 5) {{ {body} }}"), false),
        (format!("byte s; active proctype Q() {{ byte k; k = 1 }} active proctype P() {{ Q:k == 1; {body} }}"), false),
    ] {
        let model = f.file("m.pml", &text);
        assert_eq!(run(&["spin", "-run", &model]).status, 1);
        let trail = std::fs::read_to_string(format!("{model}.trail")).unwrap();
        assert_eq!(trail.starts_with("-4:-4:-4\n"), merged, "{text}: {trail}");
        assert!(run(&["spin", "-t", &model]).stdout.contains("assertion violated"), "{text}");
    }
}

#[test]
fn messages_are_printed_on_both_sides() {
    let f = Folder::new();
    let model = f.file("m.pml", TALK);
    let out = run(&["spin", "-p", "-s", "-r", "-n1", &model]);
    assert_eq!(out.status, 0, "{out:?}");
    for text in [
        "Sent 3\t-> queue 1 (c)\n",
        "Recv 3\t<- queue 1 (c)\n",
        "Send 1,2\t-> queue 2 (q)\n",
        "Recv 1,2\t<- queue 2 (q)\n",
        "      sent\n",
    ] {
        assert!(out.stdout.contains(text), "{text:?} in {}", out.stdout);
    }
}

#[test]
fn pans_flags_have_their_meaning() {
    let f = Folder::new();
    let model = f.file("m.pml", BAD);
    assert_eq!(run(&["spin", "-run", "-A", &model]).status, 0);
    assert_eq!(run(&["spin", "-run", "-E", "-c0", &model]).status, 1);
    let out = run(&["spin", "-run", "-m1000", "-w20", "-DVECTORSZ=2048", &model]);
    assert_eq!(out.status, 1);
    assert_eq!(out.stderr.matches("is needless").count(), 3, "{out:?}");
}

#[test]
fn what_is_not_built_is_refused() {
    let f = Folder::new();
    let model = f.file("m.pml", BAD);
    for line in [&["-m"][..], &["-run", "-bcs"], &["-run", "-biterate"], &["-o6", "-run"], &["-M", "-t"]] {
        let args: Vec<_> = ["spin"].iter().chain(line).copied().chain([model.as_str()]).collect();
        let out = run(&args);
        assert_eq!(out.status, 2, "{line:?}: {out:?}");
        assert!(out.stderr.contains("not built yet") && out.stderr.contains("help:"), "{line:?}: {out:?}");
    }
}

#[test]
fn nonsense_is_refused() {
    let f = Folder::new();
    let model = f.file("m.pml", BAD);
    for line in [
        &["spin"][..],
        &["spin", "-%", &model],
        &["spin", "-run", "-\u{e9}", &model],
        &["spin", "-run", "none.pml"],
        &["spin", "-D"],
    ] {
        assert_eq!(run(line).status, 2, "{line:?}");
    }
    assert_eq!(run(&["spin", "-a", &model]).status, 0);
    assert_eq!(run(&["spin", "-V"]).status, 0);
}

#[test]
fn values_come_in_the_order_of_declarations_and_processes_with_their_priorities() {
    let f = Folder::new();
    let text = "chan q = [2] of { byte };\nbyte z;\nchan r = [1] of { byte };\n
proctype A() { assert(z == 1) }
active proctype B() priority 5 { q!3; z = 2; r!4 }
init priority 2 { run A() priority 7 }
";
    let model = f.file("m.pml", text);
    assert_eq!(run(&["spin", "-run", &model]).status, 1);
    let out = run(&["spin", "-t", "-p", "-g", &model]).stdout;
    assert!(out.contains("[z = 2]\n\t\tqueue 1 (q): [3]\n\t\tz = 2\n"), "{out}");
    assert!(out.contains("#processes: 3\n\t\tqueue 1 (q): [3]\n\t\tz = 2\n\t\tqueue 2 (r): [4]\n"), "{out}");
    assert!(out.contains("proc  0 (B:5) "), "{out}");
    assert!(out.contains("Starting A with pid 2 priority 7\n"), "{out}");
    assert!(out.contains("proc  2 (A:7) "), "{out}");
    let out = run(&["spin", "-p", "-u4", &model]).stdout;
    assert!(out.starts_with("  0:\tproc  - (:root:) creates proc  0 (B) priority 5\n"), "{out}");
    assert!(out.contains("proc  1 (:init::2) creates proc  2 (A) priority 7\n"), "{out}");
}

#[test]
fn fairness_without_cycles_changes_nothing() {
    let f = Folder::new();
    let model = f.file("m.pml", "active proctype P() { skip }\n");
    for flags in [&["-f"][..], &["-f", "-a"], &["-f", "-safety"]] {
        let out = run(&[&["spin", "-run"], flags, &[&*model]].concat());
        assert_eq!(out.status, 0, "{flags:?}: {out:?}");
        assert!(out.stdout.contains("errors: 0"), "{out:?}");
    }
}
