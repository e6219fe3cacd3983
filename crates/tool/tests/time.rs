//! Timed models: the figures of SPIN on the same text, the same ticks under every method, refusals, trails with time.

mod collection;

use collection::root;
use collection::run::{Run, check, starwheel};
use std::fs;
use std::path::{Path, PathBuf};

fn model(name: &str) -> PathBuf {
    root().join("examples/time").join(name).with_extension("pml")
}

/// Options for all states as SPIN has them with `-o1 -o2 -o3` and `-DNOREDUCE`.
const ALL: [&str; 1] = ["--plain"];

fn run(name: &str, options: &[&str]) -> Run {
    check(&model(name), options)
}

fn words(options: &str) -> Vec<&str> {
    options.split_whitespace().collect()
}

/// A row of `examples/time/figures.tsv`, which says what its columns are.
#[derive(Clone)]
struct Row {
    name: String,
    macros: String,
    switch: String,
    native: Option<String>,
    /// States and transitions; none if an error ends the search.
    figures: Option<(u64, u64)>,
}

impl Row {
    /// No switch of the header's text is needed.
    fn plain(&self) -> bool {
        self.switch.is_empty()
    }
}

fn rows() -> Vec<Row> {
    let table = fs::read_to_string(root().join("examples/time/figures.tsv")).expect("the table of figures");
    let row = |line: &str| {
        let [name, macros, switch, native, figures] = line.split('\t').collect::<Vec<_>>()[..] else {
            panic!("five columns: {line}")
        };
        let figures = figures.split_once(' ').map(|(s, t)| (s.parse().expect(line), t.parse().expect(line)));
        let native = (native != "-").then(|| native.to_string());
        Row { name: name.into(), macros: macros.into(), switch: switch.into(), native, figures }
    };
    table.lines().filter(|line| !line.starts_with('#')).map(row).collect()
}

#[test]
fn native_timers_have_the_states_of_spins_clock() {
    for row in rows() {
        let (name, macros, figures) = (&*row.name, &*row.macros, row.figures);
        let outcome = if figures.is_some() { "holds" } else { "violated" };
        if let Some(options) = &row.native {
            let native = run(name, &[words(macros), words(options), ALL.to_vec()].concat());
            assert_eq!(native.outcome(), outcome, "{name} {macros} {options}");
            assert_eq!(native.complaint().or(native.replay(&model(name))), None, "{name} {macros} {options}");
            match figures {
                Some(figures) => {
                    let seen = (native.stat("states_stored"), native.stat("transitions"));
                    assert_eq!(seen, figures, "{name} {macros} {options}");
                }
                None => {
                    let kind = if name == "missed" { "invalid-end-state" } else { "assertion" };
                    assert_eq!(native.kinds().into_iter().collect::<Vec<_>>(), [kind], "{name} {macros} {options}");
                }
            }
        }
        if figures.is_none_or(|f| f.0 < 30_000) {
            let text = [words(macros), words(&row.switch), ALL.to_vec(), vec!["-U", "__STARWHEEL__"]].concat();
            let text = run(name, &text);
            assert_eq!(text.outcome(), outcome, "{name} {macros} {}: as text", row.switch);
            if let Some(figures) = figures {
                let seen = (text.stat("states_stored"), text.stat("transitions"));
                assert_eq!(seen, figures, "{name} {macros} {}: as text", row.switch);
            }
        }
    }
}

#[test]
fn every_method_has_the_same_verdict_and_the_same_ticks() {
    for row in rows().into_iter().filter(|r| r.plain() && r.figures.is_none_or(|n| n.0 < 10_000)) {
        let (name, macros) = (&*row.name, &*row.macros);
        let exact = run(name, &[&words(macros)[..], &ALL].concat());
        for way in ["--por ample", "--por cluster", "--por stubborn", "--engine jit", "--workers 2"] {
            let other = run(name, &[words(macros), words("--plain"), words(way)].concat());
            assert_eq!(other.outcome(), exact.outcome(), "{name} {macros} {way}");
            assert_eq!(other.replay(&model(name)), None, "{name} {macros} {way}");
            if row.figures.is_some() {
                assert_eq!(other.stat("ticks"), exact.stat("ticks"), "{name} {macros} {way}");
            }
        }
        for way in ["", "--merge off", "--timers jump", "--plain --timers jump", "--search bfs"] {
            let other = run(name, &[words(macros), words(way)].concat());
            assert_eq!(other.outcome(), exact.outcome(), "{name} {macros} {way}");
            assert_eq!(other.replay(&model(name)), None, "{name} {macros} {way}");
        }
    }
}

/// A reduced search by depth, as far as few states go, and one by groups from the first state on: each has a cycle proviso of its own.
const REDUCED: [&str; 2] = ["--plain --por ample", "--plain --por ample --all-errors"];

#[test]
fn reductions_leave_no_more_than_spins_clock_would() {
    let most = [
        ("par", "", 762),
        ("fischer", "", 243),
        ("fischer", "-DN=3", 1427),
        ("fischer", "-DN=4", 8426),
        ("brp", "", 938),
        ("gate", "", 684),
        ("gate", "-DN=3", 8624),
    ];
    for (name, macros, most) in most {
        for way in REDUCED {
            let reduced = run(name, &[words(macros), words(way)].concat()).stat("states_stored");
            assert!(reduced <= most, "{name} {macros} {way}: {reduced}");
            let text = run(name, &[words(macros), words(way), vec!["-U", "__STARWHEEL__"]].concat());
            let text = text.stat("states_stored");
            assert!(text <= most, "{name} {macros} {way} as text: {text}");
        }
    }
}

#[test]
fn time_that_stops_is_found() {
    let found = run("zeno", &["--zeno"]);
    assert_eq!(found.kinds().into_iter().collect::<Vec<_>>(), ["time-stops"]);
    assert_eq!(found.replay(&model("zeno")), None);
    assert_eq!(run("zeno", &["--zeno", "-DPATIENT"]).outcome(), "holds");
    for name in ["par", "fischer", "brp", "gate", "watchdog", "traffic-light"] {
        assert_eq!(run(name, &["--zeno"]).outcome(), "holds", "{name}");
    }
}

#[test]
fn formulas_speak_of_time_that_goes_on() {
    for options in ["", "--plain", "--fair", "--timers jump", "--divergent"] {
        let served = run("gate", &[words("-DLTL --ltl served"), words(options)].concat());
        assert_eq!(served.outcome(), "holds", "{options}");
    }
    // The client and the server may talk for ever in one slice; if time goes on, the beat comes.
    let beat = ["--ltl", "[] <> (u == 0)"];
    assert_eq!(run("zeno", &beat).outcome(), "violated");
    assert_eq!(run("zeno", &[&beat[..], &["--divergent"]].concat()).outcome(), "holds");
}

#[test]
fn abstract_timers_are_for_assertions() {
    for name in ["par", "fischer", "brp", "gate"] {
        let found = run(name, &["--timers", "abstract", "--no-deadlock"]);
        assert_eq!(found.outcome(), "violated", "{name}");
        assert_eq!(found.replay(&model(name)), None, "{name}");
    }
    for options in ["", "--no-deadlock --zeno", "--no-deadlock --ltl []true"] {
        assert_eq!(run("par", &[words("--timers abstract"), words(options)].concat()).outcome(), "error", "{options}");
    }
    assert_eq!(run("missed", &["--timers", "abstract", "--no-deadlock"]).outcome(), "error");
    // An abstract timer need not be waited for, but others can come between all the same.
    let between = "timer t; byte x; active proctype P() { atomic { x = 1; delay(t,1); assert(x == 1) } } \
                   active proctype Q() { x == 1 -> x = 2 }";
    for options in ["--no-deadlock", "--no-deadlock --timers abstract", "--no-deadlock --timers abstract --plain"] {
        assert_eq!(inline("abstract", between, &words(options)).outcome(), "violated", "{options}");
    }
    // Without a timer nobody can.
    let alone = between.replace("delay(t,1)", "x == 1");
    assert_eq!(
        inline("abstract", &format!("{alone} active proctype R() {{ delay(t,1) }}"), &["--no-deadlock"]).outcome(),
        "holds"
    );
    // An abstract timer could keep this from moving for ever.
    let stopped =
        "timer t; active proctype P() provided (!expire(t)) { assert(false) } active proctype Q() { set(t,1) }";
    assert_eq!(inline("abstract", stopped, &["--no-deadlock"]).outcome(), "violated");
    assert_eq!(check(&written("abstract", stopped), &["--timers", "abstract", "--no-deadlock"]).outcome(), "error");
    // What a duration is made of is looked at.
    let first = "timer t; byte x; active proctype P() { set(t,2); atomic { expire(t); x = 1 }; assert(x == 0) }";
    let divided = "timer t; byte x; active proctype P() { set(t,5/x) }";
    for (text, kind) in [(first, "assertion"), (divided, "runtime-error")] {
        let found = inline("abstract", text, &["--timers", "abstract", "--no-deadlock"]);
        assert!(found.kinds().contains(kind), "{text}: {:?}", found.kinds());
    }
}

/// A model of a test, in a file of its own.
fn written(name: &str, text: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("time-{name}-{}.pml", std::process::id()));
    fs::write(&path, format!("#include \"dtime.h\"\n{text}")).expect("the folder for tests can be written to");
    path
}

fn inline(name: &str, text: &str, options: &[&str]) -> Run {
    let path = written(name, text);
    let run = check(&path, options);
    assert_eq!(run.replay(&path), None, "{name}");
    run
}

#[test]
fn what_is_not_sound_is_refused_by_name() {
    let said = |r: &Run| r.report["diagnostics"][0]["message"].as_str().unwrap_or("").to_string();
    let refused = |name: &str, text: &str, options: &[&str], word: &str| {
        let run = check(&written(name, text), options);
        assert_eq!(run.outcome(), "error", "{name}");
        assert!(said(&run).contains(word), "{name}: {}", said(&run));
    };
    let waits = "timer t; active proctype P() { set(t,1); do :: timeout -> break :: expire(t) -> break od }";
    for option in ["--zeno", "--timers=jump"] {
        refused("waits", waits, &[option], "waits for `timeout`");
    }
    let reads = "timer t; active proctype P() { set(t,3); t == 1 -> skip }";
    refused("reads", reads, &["--timers", "jump"], "value of a timer is read");
    let counts = "timer t; byte x; active proctype P() { delay(t,3); x = 1 }";
    refused("counts", counts, &["--timers", "jump", "--ltl", "X X X X (x == 1)"], "repeated");
    refused("depth", counts, &["--timers", "jump", "--depth", "9"], "--depth");
    // A jump would count as one step: ten slices in one jump before two in two.
    refused("fastest", counts, &["--timers", "jump", "--search", "bfs"], "--search bfs");
    refused("fastest", counts, &["--timers", "jump", "--search", "bfs", "--processes", "2"], "--search bfs");
    refused("decoupled", counts, &["--decouple"], "a timer");
    refused("idle", counts, &["--divergent"], "--divergent");
    // The model may have had one, but has none.
    for model in [counts, "timer t; active proctype P() { delay(t,3) } never { do :: t == 2 -> break :: else od }"] {
        let alone = starwheel(&["check", "--divergent", &written("alone", model).to_string_lossy()]);
        assert!(alone.status.code() == Some(2) && String::from_utf8_lossy(&alone.stderr).contains("there is none"));
    }
    refused("untimed", "active proctype P() { skip }", &["--zeno"], "no timers");
    for switch in ["-DTWO", "-DFOREVER", "-DJUMP"] {
        refused("switch", counts, &[switch], "SPIN's clock");
    }
}

#[test]
fn timers_are_not_variables_like_others() {
    for (text, code) in [
        ("timer t = 3; active proctype P() { skip }", "timer-init"),
        ("timer t; active proctype P() { t = 3 }", "assign-to-timer"),
        ("timer t; active proctype P() { t++ }", "assign-to-timer"),
        ("timer t; chan c = [1] of { byte }; active proctype P() { c?t }", "assign-to-timer"),
        ("timer t; active proctype P() { set(t,32768) }", "timer-range"),
        ("timer t; active proctype P() { set(t,-2) }", "timer-range"),
        ("byte t; active proctype P() { set(t,1) }", "not-a-timer"),
        ("byte t; active proctype P() { expire(t) }", "not-a-timer"),
        ("hidden timer t; active proctype P() { skip }", "hidden-timer"),
        ("typedef T { timer t }; hidden T s; active proctype P() { skip }", "hidden-timer"),
        (
            "typedef T { timer t; byte x }; T s; chan c = [1] of { byte, byte }; active proctype P() { c?s }",
            "assign-to-timer",
        ),
        ("chan c = [1] of { timer }; active proctype P() { skip }", "timer-message"),
        ("typedef T { timer t }; chan c = [1] of { T }; active proctype P() { skip }", "timer-message"),
        ("proctype P(timer t) { skip } init { run P(1) }", "timer-parameter"),
    ] {
        let run = check(&written("wrong", text), &[]);
        assert!(run.codes().contains(code), "{text}: {:?}", run.codes());
    }
}

#[test]
fn names_of_timed_models_are_free_in_others() {
    let text = "byte timer, set, reset, delay, on, expire, tick;\n\
                active proctype P() { set = 1; timer = set; reset = timer; delay = reset; on = delay; expire = on; tick = expire; \
                assert(tick == 1) }\n";
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("names-{}.pml", std::process::id()));
    fs::write(&path, text).expect("the folder for tests can be written to");
    assert_eq!(check(&path, &[]).outcome(), "holds");
}

#[test]
fn corners_of_time() {
    let holds = [
        (
            "zero",
            "timer t; byte x; active proctype P() { set(t,0); expire(t); x = 1 } \
                  active proctype Q() { end: x == 1 -> assert(expire(t)) }",
        ),
        (
            "dies",
            "byte n; proctype C() { timer y; set(y,5); n++ } \
                  active proctype P() { timer x; delay(x,2); run C(); delay(x,1); assert(n == 1); end: false }",
        ),
        (
            "array",
            "timer t[3]; byte i; active proctype P() { do :: i < 3 -> set(t[i],i+1); i++ :: else -> break od; \
                   expire(t[0]); expire(t[1]); assert(!on(t[0]) && on(t[2])); expire(t[2]) }",
        ),
        (
            "fields",
            "typedef T { timer t[2]; byte x }; T a; active proctype P() { set(a.t[1],2); expire(a.t[1]); \
                    assert(!on(a.t[0])) }",
        ),
        (
            "atomic",
            "timer t, u; byte x; active proctype P() { atomic { set(t,1); set(u,2); expire(t); x = 1 }; \
                    expire(u); assert(x == 1) } active proctype Q() { end: x == 1 -> assert(on(u)) }",
        ),
        (
            "d_step",
            "timer t; byte x; active proctype P() { d_step { set(t,2); x = 1; set(t,3) }; expire(t); x = 2 } \
                    active proctype Q() { timer u; delay(u,2); assert(x == 1); delay(u,2); assert(x == 2) }",
        ),
        ("unless", "timer t; active proctype P() { set(t,2); { false } unless { expire(t) } }"),
        ("twice", "timer t; active proctype P() { set(t,2); !expire(t) && on(t); expire(t) }"),
        ("longest", "timer t; active proctype P() { delay(t,32767) }"),
        (
            "born",
            "byte n; proctype C() { timer y; assert(!on(y)); delay(y,1); n++ } \
                  active proctype P() { timer x; delay(x,1); run C(); delay(x,1); end: n == 1 }",
        ),
        (
            "timeout",
            "timer t; bit x; active proctype P() { set(t,3); do :: timeout -> x = 1; break :: expire(t) -> break od }",
        ),
        (
            "provided",
            "timer t; bool go; active proctype P() provided (go) { skip } \
                      active proctype Q() { delay(t,2); go = true; end: false }",
        ),
        ("middle", "active proctype P() { skip; timer t; assert(!on(t)); delay(t,1) }"),
    ];
    for (name, text) in holds {
        for way in ["--plain", "", "--engine jit --plain", "--merge --dead-vars --por off", "--por stubborn"] {
            let run = inline(name, text, &words(way));
            assert_eq!(run.outcome(), "holds", "{name} {way}: {}", run.report["findings"]);
        }
    }
    let violated = [
        ("index", "timer t[2]; byte i = 2; active proctype P() { set(t[i],1) }", "runtime-error", "index 2"),
        (
            "range",
            "timer t; int i = 40000; active proctype P() { set(t,i) }",
            "runtime-error",
            "cannot be set to 40000",
        ),
        ("below", "timer t; int i = -5; active proctype P() { set(t,i) }", "runtime-error", "cannot be set to -5"),
        ("lost", "timer t; active proctype P() { set(t,0); false }", "invalid-end-state", "P(0) waits for ever"),
        ("off", "timer t, u; active proctype P() { set(u,1); expire(t) }", "invalid-end-state", "`t` is not running"),
    ];
    for (name, text, kind, message) in violated {
        for way in ["--plain", "", "--engine jit --plain", "--merge --dead-vars --por off"] {
            let run = inline(name, text, &words(way));
            let found = run.findings().first().map(|f| f.to_string());
            assert!(run.kinds().contains(kind), "{name} {way}: {found:?}");
            assert!(found.as_deref().is_some_and(|f| f.contains(message)), "{name} {way}: {found:?}");
        }
    }
}

#[test]
fn dead_timers_of_arrays_and_structures_are_switched_off() {
    // Only `y[1]` and `w` are looked at; but `y[0]` may be, too, as long as `y[i]` is still to come.
    let text = "typedef T { timer a; timer b[2] }; active proctype P() { T x; timer y[2], w; byte i; \
                set(x.a,9); set(x.b[1],8); set(y[0],7); set(y[1],2); i = 1; expire(y[i]); delay(w,1); end: false }";
    let ticks = |run: &Run| run.report["stats"]["ticks"].as_u64();
    let plain = inline("dead", text, &words("--plain"));
    assert_eq!((plain.outcome(), ticks(&plain)), ("holds", Some(10)));
    for way in ["", "--por off", "--engine jit", "--dead-vars --por stubborn"] {
        let run = inline("dead", text, &words(way));
        assert_eq!((run.outcome(), ticks(&run)), ("holds", Some(3)), "{way}");
    }
    // What is read by any index, or set by one that is not known, is alive.
    let alive = "active proctype P() { timer t[2]; byte i, n; set(t[0],3); set(t[1],5); i = 1; set(t[i],4); i = 0; \
                 do :: n < 2 -> expire(t[i]); i++; n++ :: else -> break od; assert(n == 2) }";
    assert_eq!(inline("alive", alive, &[]).outcome(), "holds");
}

#[test]
fn lazy_steps_let_time_pass() {
    let world = "byte x; active proctype W() { timer t; delay(t,1); x = 1; delay(t,1); x = 2; delay(t,4); x = 3 }\n";
    let eager = format!("{world} active proctype P() {{ x >= 0 -> assert(x != 2) }}");
    let lazy = format!("{world} active proctype P() {{ lazy x >= 0 -> assert(x != 2) }}");
    let never = format!("{world} active proctype P() {{ end: lazy x == 4 -> assert(false) }}");
    for way in ["", "--timers jump", "--search bfs", "--engine jit", "--plain", "--workers 2"] {
        assert_eq!(inline("eager", &eager, &words(way)).outcome(), "holds", "{way}");
        assert_eq!(inline("lazy", &lazy, &words(way)).outcome(), "violated", "{way}: at time 2, and only then");
        assert_eq!(inline("never", &never, &words(way)).outcome(), "holds", "{way}");
    }
    for way in ["--por ample", "--por cluster", "--por stubborn"] {
        assert_eq!(inline("lazy", &lazy, &words(way)).outcome(), "violated", "{way}: at time 2, and only then");
        assert_eq!(inline("never", &never, &words(way)).outcome(), "holds", "{way}");
    }
    for option in ["--zeno", "--timers=abstract"] {
        assert_eq!(check(&written("lazy", &lazy), &[option, "--no-deadlock"]).outcome(), "error", "{option}");
    }
}

#[test]
fn trails_say_when_things_happen() {
    let path = written("trail", "timer t; active proctype P() { delay(t,9); delay(t,3); assert(false) }");
    let trail = path.with_extension("json");
    let (model, file) = (path.to_string_lossy(), trail.to_string_lossy());
    let found = starwheel(&["check", &model, "--trail", &file, "--force"]);
    assert_eq!(found.status.code(), Some(1));
    let shown = String::from_utf8_lossy(&starwheel(&["replay", &model, &file]).stdout).into_owned();
    assert!(shown.contains("time passes: 9") && shown.contains("t=12"), "{shown}");
    let chart = String::from_utf8_lossy(&starwheel(&["replay", &model, &file, "--chart"]).stdout).into_owned();
    assert!(chart.contains("time passes: 3, t=12"), "{chart}");
    let text = fs::read_to_string(&trail).expect("there is a trail");
    let json: serde_json::Value = serde_json::from_str(&text).expect("it is JSON");
    let steps = json["steps"].as_array().cloned().unwrap_or_default();
    assert_eq!(steps.iter().filter_map(|s| s["tick"].as_u64()).sum::<u64>(), 12);
    assert_eq!(steps.last().and_then(|s| s["time"].as_u64()), Some(12));
    let jumped = starwheel(&["check", &model, "--trail", &file, "--force", "--timers", "jump"]);
    assert_eq!(jumped.status.code(), Some(1));
    let json: serde_json::Value = serde_json::from_str(&fs::read_to_string(&trail).unwrap_or_default()).expect("JSON");
    let ticks: Vec<u64> = json["steps"].as_array().into_iter().flatten().filter_map(|s| s["tick"].as_u64()).collect();
    assert_eq!(ticks, [9, 3], "a jump is one step");
    let again = String::from_utf8_lossy(&starwheel(&["replay", &model, &file]).stdout).into_owned();
    assert!(again.contains("t=12"), "{again}");
    let walked = String::from_utf8_lossy(&starwheel(&["simulate", &model, "--seed", "1"]).stdout).into_owned();
    let passing = |text: &str| text.lines().filter(|line| line.contains("time passes: ")).count();
    assert!(
        walked.contains("time passes: 9") && walked.contains("time passes: 3") && passing(&walked) == 2,
        "{walked}"
    );
    // Time may also be all that happens at the end of a run that is cut.
    let cut = String::from_utf8_lossy(&starwheel(&["simulate", &model, "--steps", "5"]).stdout).into_owned();
    assert!(cut.contains("time passes: 4") && passing(&cut) == 1, "{cut}");
}

#[test]
fn pictures_of_states_have_ticks_dashed() {
    let path = written("dashed", "timer t; active proctype P() { delay(t,2) }");
    let drawn = starwheel(&["graph", "--states", "dot", &path.to_string_lossy()]);
    let text = String::from_utf8_lossy(&drawn.stdout).into_owned();
    let (ticks, others): (Vec<_>, Vec<_>) =
        text.lines().filter(|line| line.contains(" -> ")).partition(|line| line.contains("time passes"));
    assert!(ticks.len() == 3 && ticks.iter().all(|line| line.contains("style=dashed")), "{text}");
    assert!(!others.is_empty() && !others.iter().any(|line| line.contains("dashed")), "{text}");
}

#[test]
fn breadth_first_search_finds_the_fastest_way() {
    let slow = "delay(t,3); assert(false)";
    let quick = "x++; x++; x++; x++; x++; x++; x++; x++; x++; x++; assert(false)";
    let text = format!("timer t; byte x; active proctype P() {{ if :: {slow} :: {quick} fi }}");
    let path = written("fastest", &text);
    let time = |options: &[&str]| {
        let trail = path.with_extension("fastest.json");
        let words = ["check", &path.to_string_lossy(), "--trail", &trail.to_string_lossy(), "--force"];
        assert_eq!(starwheel(&[&words, options].concat()).status.code(), Some(1));
        let text = fs::read_to_string(&trail).expect("there is a trail");
        let json: serde_json::Value = serde_json::from_str(&text).expect("it is JSON");
        let steps = json["steps"].as_array().cloned().unwrap_or_default();
        (steps.last().and_then(|s| s["time"].as_u64()), steps.len())
    };
    assert_eq!(time(&["--search", "bfs"]), (Some(0), 11), "ten steps in no time");
    let finding = |options: &[&str]| check(&path, options).report["findings"][0].clone();
    // Fewer steps lead to it, too, but later.
    let fastest = finding(&["--search", "bfs"]);
    assert_eq!((&fastest["fastest"], &fastest["shortest"]), (&true.into(), &serde_json::Value::Null));
    let shortest = finding(&["--search", "bfs", "--depth", "99"]);
    assert_eq!((&shortest["fastest"], &shortest["shortest"]), (&serde_json::Value::Null, &true.into()));
    assert_eq!(time(&["--depth", "9"]), (Some(3), 6), "a limit of depth counts steps");
}

#[test]
fn reports_say_what_to_think_of() {
    let codes = |name: &str, text: &str| check(&written(name, text), &[]).codes();
    assert!(codes("never", "timer t; active proctype P() { reset(t) }").contains("no-ticks"));
    let both = "timer t; active proctype P() { set(t,1); if :: timeout :: expire(t) fi }";
    assert!(codes("both", both).contains("timeout-and-timers"));
    assert!(!codes("plain", "timer t; active proctype P() { delay(t,1) }").contains("no-ticks"));
}

#[test]
fn the_header_is_shipped() {
    let header = starwheel(&["header", "dtime.h"]);
    assert!(header.status.success() && String::from_utf8_lossy(&header.stdout).contains("__STARWHEEL__"));
    assert_eq!(starwheel(&["header", "other.h"]).status.code(), Some(2));
}
