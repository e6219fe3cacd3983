//! Hostile and odd inputs: limits and requests to end in every phase of a check, each of which ends soon and says why.
//!
//! Soon is a second on a machine that has nothing else to do; the bounds are generous, since others may be at work.

mod common;

use common::Folder;
use serde_json::Value;
use std::fmt::Write;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// How long anything may go on after it was told to stop.
const SOON: Duration = Duration::from_secs(6);

fn start(args: &[&str]) -> Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_starwheel"));
    command.args(args).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("it starts")
}

/// Exit status and report of a check that has to end within a time.
fn end(mut child: Child, most: Duration, what: &str) -> (Option<i32>, Value) {
    let mut pipe = child.stdout.take().expect("a pipe");
    let reader = std::thread::spawn(move || {
        let mut text = String::new();
        let _ = std::io::Read::read_to_string(&mut pipe, &mut text);
        text
    });
    let started = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().expect("a child") {
            break status;
        }
        if started.elapsed() > most {
            let _ = child.kill();
            let _ = child.wait();
            panic!("{what}: still at work after {most:?}");
        }
        std::thread::sleep(Duration::from_millis(10));
    };
    let text = reader.join().expect("a reader");
    (status.code(), serde_json::from_str(&text).unwrap_or_else(|e| panic!("{what}: {e}: {text}")))
}

/// Millions of decoupled states.
const SUMS: &str = "#define N 5
byte x[N]; int t;
active [N] proctype P() { byte k; do :: x[_pid] = (x[_pid] + 1) % 13; k = x[_pid]; t = (t + k) % 50 od }";

/// A model and further options for which some phase of a check takes long.
struct Hostile {
    what: &'static str,
    model: String,
    more: Vec<String>,
}

fn hostile(f: &Folder) -> Vec<Hostile> {
    let file = |name: &str, text: &str| f.file(name, text);
    let words = |all: &[&str]| all.iter().map(|w| w.to_string()).collect::<Vec<_>>();
    let pipe = f.path("pipe.pml").display().to_string();
    assert!(Command::new("mkfifo").arg(&pipe).status().expect("mkfifo").success());
    // Each response adds a state to remember.
    let response = |i: usize| format!("[] ((x == {i}) -> ((y != {i}) U (x == {} && <> (y == {i}))))", i + 20);
    let formula = (0..7).map(response).collect::<Vec<_>>().join(" && ");
    let plain = file("plain.pml", "byte x, y; init { do :: x++ :: y++ od }");
    let mut long = "byte x[200]; active [2] proctype P() { byte i; do :: ".to_string();
    for i in 0..9000 {
        let _ = writeln!(long, "x[i] = (x[i] + {i}) % 200; if :: x[{}] > i -> i = (i + 1) % 200 :: else fi;", i % 200);
    }
    long += "od }";
    // Variables that nobody reads would be no part of a state.
    let counters = "byte a, b, c, d; active proctype A() { do :: a++ od } active proctype B() { do :: b++ od }
active proctype C() { do :: c++ od } active proctype D() { do :: d++ :: a + b + c + d > 2000 od }";
    // What the parser writes out, and what is looked through for like processes.
    let mut inlines = "byte x[200];\ninline f(a) {\n".to_string();
    for i in 0..1000 {
        let _ = writeln!(inlines, "x[{}] = (x[a] + {}) % 200;", i % 200, i % 9);
    }
    inlines += "}\nactive [3] proctype P() { do :: ";
    (0..60).for_each(|i| _ = write!(inlines, "f({i}); "));
    inlines += "od }";
    // Components of many states, which take long to read, and many small ones, which take long to search. As large as may be.
    let head = "HOA: v1\nStates: 900000\nStart: 0\nAP: 1 \"a\"\nacc-name: Buchi\nAcceptance: 1 Inf(0)\n--BODY--\n";
    let body = (0..900_000).fold(head.to_string(), |mut text, i| {
        let _ = writeln!(text, "State:{i}[0]{}", (i + 1) % 900_000);
        text
    });
    let text = format!("{body}--END--\n").repeat(3);
    let small = Command::new(env!("CARGO_BIN_EXE_starwheel")).args(["generate", "nba", "philosophers", "14"]).output();
    let small = String::from_utf8(small.expect("a network").stdout).expect("text");
    vec![
        Hostile { what: "inlines", model: file("inlines.pml", &inlines), more: words(&["--symmetry", "full"]) },
        Hostile { what: "a long network", model: file("long.hoa", &text), more: Vec::new() },
        Hostile { what: "a network", model: file("small.hoa", &small), more: words(&["--engine", "explicit"]) },
        Hostile { what: "a pipe that says nothing", model: pipe, more: Vec::new() },
        Hostile { what: "a formula", model: plain, more: vec!["--ltl".into(), formula] },
        Hostile { what: "a long model", model: file("long.pml", &long), more: words(&["--por", "cluster"]) },
        Hostile { what: "code", model: file("code.pml", &long), more: words(&["--engine", "jit"]) },
        Hostile { what: "a search", model: file("m.pml", counters), more: words(&["--por", "off"]) },
        Hostile { what: "a decoupled search", model: file("d.pml", SUMS), more: words(&["--decouple"]) },
    ]
}

#[test]
fn every_phase_keeps_to_the_time() {
    let f = Folder::new();
    for Hostile { what, model, more } in hostile(&f) {
        let args: Vec<&str> =
            ["check", "--json", "--time", "1s", &model].into_iter().chain(more.iter().map(|m| &**m)).collect();
        let (status, report) = end(start(&args), Duration::from_secs(1) + SOON, what);
        assert_eq!((status, &report["outcome"]), (Some(3), &Value::from("stopped")), "{what}: {report}");
        let why = report["stopped_because"].to_string();
        assert!(why.contains("the time limit of 1.0 s"), "{what}: {why}");
        assert!(report["findings"].as_array().is_some_and(Vec::is_empty) && report["stats"].is_object(), "{report}");
    }
}

#[test]
fn every_phase_ends_when_it_is_asked_to() {
    let f = Folder::new();
    for Hostile { what, model, more } in hostile(&f) {
        let args: Vec<&str> = ["check", "--json", &model].into_iter().chain(more.iter().map(|m| &**m)).collect();
        let child = start(&args);
        std::thread::sleep(Duration::from_millis(800));
        let sent = Command::new("kill").args(["-TERM", &child.id().to_string()]).status().expect("kill");
        assert!(sent.success(), "{what}: ended by itself");
        let (status, report) = end(child, SOON, what);
        assert_eq!((status, &report["outcome"]), (Some(3), &Value::from("stopped")), "{what}: {report}");
        assert!(report["stopped_because"].to_string().contains("interrupted"), "{what}: {report}");
    }
}

/// Old files have bytes of Latin-1 in comments and texts.
#[test]
fn texts_may_be_in_latin_1() {
    let f = Folder::new();
    let path = f.path("latin.pml");
    std::fs::write(&path, b"/* caf\xe9 */ init { printf(\"na\xefve\\n\") }\n").unwrap();
    let (status, report) = end(start(&["check", "--json", &path.display().to_string()]), 2 * SOON, "Latin-1");
    assert_eq!((status, &report["outcome"]), (Some(0), &Value::from("holds")));
}

/// What cannot be a model is refused, however much of it there is.
#[test]
fn what_is_no_model_is_refused_soon() {
    let f = Folder::new();
    let mut bomb = "typedef T0 { byte a }\n".to_string();
    for i in 1..30 {
        let _ = writeln!(bomb, "typedef T{i} {{ T{} a[4] }}", i - 1);
    }
    bomb += "T29 t; init { skip }";
    let unknown = (0..30_000).map(|i| format!("v{i} = 1;\n")).collect::<String>();
    for (what, model) in [
        ("types in types", f.file("bomb.pml", &bomb)),
        ("stray characters", f.file("stray.pml", &"`@".repeat(8_000_000))),
        ("unknown names", f.file("unknown.pml", &format!("init {{ {unknown} }}"))),
        ("an endless file", "/dev/zero".to_string()),
    ] {
        let (status, report) = end(start(&["check", "--json", &model]), 2 * SOON, what);
        assert_eq!((status, &report["outcome"]), (Some(2), &Value::from("error")), "{what}");
        let count = report["diagnostics"].as_array().map_or(0, Vec::len);
        assert!((1..=201).contains(&count), "{what}: {count} diagnostics");
    }
}

/// The time of several searches together is what was typed, and the report says so.
#[test]
fn a_limit_is_named_as_it_was_typed() {
    let f = Folder::new();
    let text = "byte a, b, c; active proctype A() { do :: a++ od } active proctype B() { do :: b++ od }
active proctype C() { do :: c++ od } ltl p { [] (a + b + c < 800) } ltl q { [] (a < 256) }";
    let model = f.file("m.pml", text);
    let args = ["check", "--json", "--por", "off", "--time", "1500ms", "--ltl", "all", &model];
    let (_, report) = end(start(&args), 2 * SOON, "three searches");
    let why = report["stopped_because"].to_string();
    assert!(why.contains("the time limit of 1.5 s"), "{why}");
}

/// Tables that double at once are stopped in time.
#[test]
fn a_decoupled_search_keeps_to_the_memory() {
    let f = Folder::new();
    let model = f.file("m.pml", SUMS);
    for limit in [20u64, 50] {
        let amount = format!("{limit}M");
        let child = start(&["check", "--json", "--decouple", "--workers", "1", "--memory", &amount, &model]);
        let (status, report) = end(child, 20 * SOON, &amount);
        assert_eq!(status, Some(3), "{report}");
        let peak = report["stats"]["peak_rss_bytes"].as_u64().unwrap_or(u64::MAX);
        assert!(peak <= (limit << 20) / 100 * 105, "{peak} bytes with a limit of {amount}");
    }
}
