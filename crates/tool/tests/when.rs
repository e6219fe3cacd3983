//! The command `when`: times that were worked out by hand, trails that `replay` follows, the recipe with a watch, refusals, limits.

mod common;

use common::{Folder, json, run};
use serde_json::Value;
use std::fs;

fn example(f: &Folder, name: &str) -> String {
    let path = format!("{}/../../examples/{name}", env!("CARGO_MANIFEST_DIR"));
    let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    f.file(name.rsplit('/').next().unwrap_or(name), &text)
}

/// The earliest and the latest time, each where there is one, and the fates of runs without the moment.
fn times(answer: &Value) -> (Option<u64>, Option<u64>, Vec<&str>) {
    let never = answer["never"].as_array().expect("a list").iter().filter_map(|n| n["fate"].as_str()).collect();
    (answer["earliest"]["time"].as_u64(), answer["latest"]["time"].as_u64(), never)
}

/// Every trail of an answer is followed, and ends when the answer says.
fn replays(model: &str, answer: &Value) -> usize {
    let never = answer["never"].as_array().expect("a list").iter();
    let told: Vec<&Value> = never.chain([&answer["earliest"], &answer["latest"]]).filter(|t| !t.is_null()).collect();
    for told in &told {
        let shown = json(&["replay", "--json", model, told["trail"].as_str().expect("a trail")], 0);
        let moves = shown["moves"].as_array().expect("moves");
        assert_eq!(shown["cycle_start"].is_null(), told["round"].is_null(), "{told}");
        let end = moves.last().map_or(0, |m| m["time"].as_u64().expect("a time"));
        let until = told["until"].as_u64().map(|until| until + told["round"].as_u64().unwrap_or(0));
        assert_eq!(Some(end), until.or(told["time"].as_u64()), "{told}");
    }
    told.len()
}

/// An example, a condition, the earliest and the latest time, and the fates of runs without it.
type Case<'a> = (&'a str, &'a str, Option<u64>, Option<u64>, &'a [&'a str]);

#[test]
fn times_of_the_examples_are_those_worked_out_by_hand() {
    let f = Folder::new();
    let goes_on = ["goes-on"];
    let cases: [Case; 8] = [
        // Four slices of green, one of yellow, three of pause.
        ("traffic-light", "turn == 1", Some(8), Some(8), &[]),
        ("traffic-light", "turn == 0 && !open", Some(0), Some(0), &[]),
        // The first car of the other direction; it need never come.
        ("traffic-light", "crossing[1] == 1", Some(8), None, &goes_on),
        // The dog was set when the worker died at once, and need never bark.
        ("watchdog", "barked", Some(4), None, &goes_on),
        // Nobody stops the train: four slices until then, four to the bridge.
        ("gate", "on0", Some(8), None, &goes_on),
        ("gate", "bridge == 2", None, None, &goes_on),
        // The way through the channel.
        ("par", "Receiver:mr == 1", Some(3), None, &goes_on),
        // One who is patient, and two who talk for ever.
        ("zeno", "t == 1", Some(1), Some(1), &["time-stops"]),
    ];
    for (name, condition, earliest, latest, never) in cases {
        let model = example(&f, &format!("time/{name}.pml"));
        let answer = json(&["when", &model, condition, "--json"], 0);
        assert_eq!(times(&answer), (earliest, latest, never.to_vec()), "{name}: {condition}");
        assert_eq!(answer["always"], Value::Bool(never.is_empty()), "{name}: {condition}");
        assert!(replays(&model, &answer) > 0);
    }
}

const BETWEEN: &str = "#include \"dtime.h\"\ntimer watch = OFF, t = OFF;\nbool done;\nactive proctype P()\n{\tbyte w;\n\tset(watch,LIMIT);\n\tbdelay(t,w,2,5);\n\tdone = true; assert(on(watch))\n}\n";

#[test]
fn the_recipe_with_a_watch_says_the_same() {
    let f = Folder::new();
    let model = f.file("m.pml", BETWEEN);
    let answer = json(&["when", &model, "done", "-DLIMIT=9", "--json"], 0);
    assert_eq!(times(&answer), (Some(2), Some(5), vec![]));
    assert_eq!(replays(&model, &answer), 2);
    assert_eq!(run(&["check", &model, "-DLIMIT=5"]).status, 0);
    assert_eq!(run(&["check", &model, "-DLIMIT=4"]).status, 1);
    let earliest = f.file("e.pml", &BETWEEN.replace("assert(on(watch))", "assert(false)"));
    run(&["check", "--search", "bfs", "-DLIMIT=9", &earliest]);
    let shown = json(&["replay", "--json", &earliest], 0);
    assert_eq!(shown["moves"].as_array().and_then(|moves| moves.last()?["time"].as_u64()), Some(2));
}

const FATES: &str = "#include \"dtime.h\"\ntimer t = OFF;\nbyte a[2]; bool done;\nactive proctype P()\n{\tbyte i = 2;\n\tdo\n\t:: delay(t,3)\n\t:: break\n\t:: goto out\n\t:: goto stuck\n\t:: a[i] = 1\n\t:: do :: skip od\n\t:: atomic { do :: i = 5 - i od }\n\tod;\n\tdone = true; goto out;\nstuck:\tfalse;\nout:\tskip\n}\n";

#[test]
fn every_fate_of_a_run_without_it_is_told_with_a_trail() {
    let f = Folder::new();
    let model = f.file("m.pml", FATES);
    let answer = json(&["when", &model, "done", "--json"], 0);
    assert_eq!(times(&answer), (Some(0), None, vec!["ends", "deadlock", "error", "goes-on", "time-stops"]));
    assert_eq!(replays(&model, &answer), 7);
    let said = run(&["when", &model, "done"]).stdout;
    for words in ["there is no latest time", "gets stuck at t=0", "index", "in rounds of 3 slices", "time stops at t=0"]
    {
        assert!(said.contains(words), "{words}: {said}");
    }
    // The atomic sequence that never ends, alone.
    let model = f.file("n.pml", &FATES.replace(":: do :: skip od\n", "").replace(":: delay(t,3)", ":: t == 3"));
    let answer = json(&["when", &model, "done", "--json"], 0);
    assert_eq!(times(&answer).2, ["ends", "deadlock", "error", "time-stops"]);
    assert_eq!(replays(&model, &answer), 6);
}

#[test]
fn states_in_the_middle_of_an_atomic_sequence_do_not_count_as_for_formulas() {
    let f = Folder::new();
    let text = |body: &str| {
        format!("#include \"dtime.h\"\ntimer t = OFF;\nbyte x;\nactive proctype P() {{ delay(t,2); {body} }}\n")
    };
    let hidden = f.file("a.pml", &text("atomic { x = 1; x = 2 }"));
    assert_eq!(times(&json(&["when", &hidden, "x == 1", "--json"], 0)), (None, None, vec!["ends"]));
    assert_eq!(run(&["check", &hidden, "--ltl", "[] !(x == 1)"]).status, 0);
    let seen = f.file("b.pml", &text("x = 1; x = 2"));
    assert_eq!(times(&json(&["when", &seen, "x == 1", "--json"], 0)), (Some(2), Some(2), vec![]));
    assert_eq!(run(&["check", &seen, "--ltl", "[] !(x == 1)"]).status, 1);
    // Where an error ends the run, what it leaves behind is seen once.
    let ended = f.file("c.pml", &text("atomic { x = 1; assert(x / (x - 1) == 0) }"));
    assert_eq!(times(&json(&["when", &ended, "x == 1", "--json"], 0)), (Some(2), Some(2), vec![]));
    assert_eq!(run(&["check", &ended, "--ltl", "[] !(x == 1)", "--no-assert"]).status, 1);
}

#[test]
fn conditions_are_read_as_in_formulas() {
    let f = Folder::new();
    let model = example(&f, "time/traffic-light.pml");
    let earliest = |condition: &str| times(&json(&["when", &model, condition, "--json"], 0)).0;
    assert_eq!(earliest("turn == 1 /* the other one */"), Some(8));
    assert_eq!(earliest("Car:way == 1 -> turn == 1"), Some(0));
    assert_eq!(earliest("not open && turn == 1"), Some(8));
    let sdl = example(&f, "sdl/abp.pr");
    let answer = json(&["when", &sdl, "timeout", "--json"], 0);
    assert_eq!(answer["stats"]["tick_units"], 3);
    assert!(replays(&sdl, &answer) > 1);
}

#[test]
fn a_condition_without_a_value_ends_the_run_as_it_does_for_formulas() {
    let f = Folder::new();
    let text = "#include \"dtime.h\"\ntimer t = OFF; byte x, y = 1;\nactive proctype P() { delay(t,1); y = 0; x = 1 }";
    let model = f.file("m.pml", text);
    let answer = json(&["when", &model, "x / y == 1", "--json"], 0);
    assert_eq!(times(&answer), (None, None, vec!["error"]));
    assert_eq!(answer["never"][0]["message"], "the condition has no value: division by zero");
    assert_eq!(replays(&model, &answer), 1);
    assert_eq!(run(&["check", &model, "--ltl", "[] !(x / y == 1)"]).status, 1);
    // Where nothing has a meaning from the beginning, there is one run, and it has no steps.
    let broken = f.file("b.pml", &text.replace("y = 1;", "y = 3 / x;"));
    let answer = json(&["when", &broken, "x == 1", "--json"], 0);
    assert_eq!((times(&answer), &answer["never"][0]["trail_length"]), ((None, None, vec!["error"]), &Value::from(0)));
}

#[test]
fn long_durations_are_jumped_over() {
    let f = Folder::new();
    let model = example(&f, "time/traffic-light.pml");
    let long = ["when", &model, "turn == 1", "-DGREEN=400", "-DYELLOW=100", "-DPAUSE=300", "-DCLEAR=200", "--json"];
    let plain = json(&long, 0);
    assert_eq!(times(&plain), (Some(800), Some(800), vec![]));
    let jumps = json(&[&long[..], &["--timers", "jump"]].concat(), 0);
    assert_eq!(times(&jumps), times(&plain));
    assert_eq!(replays(&model, &jumps), 2);
    let refused = run(&["when", &model, "light == 2", "--timers", "jump"]);
    assert_eq!(refused.status, 2);
    assert!(refused.stderr.contains("passes over values of a timer"), "{}", refused.stderr);
}

#[test]
fn what_cannot_be_answered_is_refused() {
    let f = Folder::new();
    let model = example(&f, "time/watchdog.pml");
    for (condition, words) in [
        ("<> barked", "a temporal operator speaks of more than one moment"),
        ("dead -> <> barked", "a temporal operator speaks of more than one moment"),
        ("dead U barked", "a temporal operator speaks of more than one moment"),
        ("dead ==", "found the end of the condition"),
        ("barkd", "did you mean `barked`?"),
        ("", "found the end of the condition"),
        ("dead } ltl x { barked", "a single condition is expected"),
    ] {
        let refused = run(&["when", &model, condition]);
        assert_eq!(refused.status, 2, "{condition}");
        assert!(refused.stderr.contains(words) && refused.stderr.contains('^'), "{condition}: {}", refused.stderr);
        assert!(!refused.stderr.contains("starwheel_moment"), "{}", refused.stderr);
    }
    let untimed = run(&["when", &f.file("u.pml", "byte x; active proctype P() { x = 1 }"), "x == 1"]);
    assert_eq!(untimed.status, 2);
    assert!(untimed.stderr.contains("no timers") && untimed.stderr.contains("--search bfs"), "{}", untimed.stderr);
    // What a condition reads is a part of the state.
    let text = "#include \"dtime.h\"\ntimer t = OFF; hidden byte x;\nactive proctype P() { delay(t,1); x = 1 }";
    assert_eq!(times(&json(&["when", &f.file("h.pml", text), "x == 1", "--json"], 0)), (Some(1), Some(1), vec![]));
}

#[test]
fn trails_go_where_they_are_wanted() {
    let f = Folder::new();
    let model = f.file("m.pml", BETWEEN);
    let place = f.path("run.json").display().to_string();
    let answer = json(&["when", &model, "done", "-DLIMIT=9", "--json", "--trail", &place], 0);
    let earliest = f.path("run.earliest.json").display().to_string();
    assert_eq!(answer["earliest"]["trail"], earliest);
    let said = run(&["replay", &model, &earliest]).stdout;
    assert!(said.contains("This shows: `done` holds first at time 2, and on no run earlier"), "{said}");
    let devices = json(&["when", &model, "done", "-DLIMIT=9", "--json", "--trail", "/dev/null"], 0);
    assert_eq!(devices["earliest"]["trail"], "/dev/null");
}

#[test]
fn a_limit_ends_it_without_an_answer() {
    let f = Folder::new();
    let model = example(&f, "time/fischer.pml");
    for (limit, words) in [(["--time", "50ms"], "time limit"), (["--memory", "30M"], "memory limit")] {
        let asked = [&["when", &model, "-DN=5", "1 == 2"][..], &limit].concat();
        let stopped = json(&[&asked[..], &["--json"]].concat(), 3);
        assert_eq!((&stopped["outcome"], stopped.get("earliest")), (&Value::from("stopped"), None));
        assert!(stopped["stopped_because"].as_str().expect("a reason").contains(words), "{stopped}");
        assert!(run(&asked).stdout.starts_with("NOT CONCLUSIVE"));
    }
}
