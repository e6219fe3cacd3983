//! HOA text: what is read, what is refused and where, and that writing and reading again changes nothing.

use starwheel_automata::hoa::{HoaAutomaton, Value, read, write};
use starwheel_automata::random::{Rng, formula, lasso};
use starwheel_automata::{Letter, Marks, Names, StateId, translate, translate_generalised};

/// An automaton with every feature that we read.
const RICH: &str = r#"
HOA: v1 /* a comment /* in a comment */ */
name: "both \"p\" and q"
tool: "hand" "1.0"
States: 3
Start: 0
Start: 1
acc-name: generalized-Buchi 2
Acceptance: 2 Inf(0) & (Inf(1))
AP: 2 "p" "q > 0"
Alias: @both 0 & 1
Alias: @none !0 & !1
properties: stutter-invariant
remark: t 17 "text" word
--BODY--
State: 0 "first" {0}
[@both | @none] 1 {1}
[!(@both | @none)] 0
State: [0 | !1] 1
0
2 {0 1}
State: 2
0 1 2 0
--END--
HOA: v1
Acceptance: 1 Inf(0)
--BODY--
--ABORT--
HOA: v1 Start: 0 Acceptance: 3 Inf(1) AP: 1 "a" --BODY-- State: 0 {0 1} [f] 0 [t] 0 --END--
"#;

#[test]
fn features() {
    let automata = read(RICH).unwrap();
    assert_eq!(automata.len(), 2, "the automaton that was given up is left out");
    let first = &automata[0];
    assert_eq!(first.header.name.as_deref(), Some("both \"p\" and q"));
    assert_eq!(first.header.tool, Some(("hand".to_owned(), Some("1.0".to_owned()))));
    assert_eq!(first.header.properties, ["stutter-invariant"]);
    let values = [Value::Boolean(true), Value::Number(17), Value::Text("text".into()), Value::Word("word".into())];
    assert_eq!(first.header.others, [("remark".to_owned(), values.to_vec())]);
    assert_eq!(first.state_names, [Some("first".to_owned())]);
    assert_eq!(first.names.iter().collect::<Vec<_>>(), ["p", "q > 0"]);
    let automaton = &first.automaton;
    assert_eq!(automaton.initial(), [StateId(0), StateId(1)]);
    let edge = &automaton.edges_from(StateId(0))[0];
    assert_eq!((edge.to, edge.marks), (StateId(1), Marks(3)), "marks of states and edges add up");
    assert!([0, 3].iter().all(|&letter| edge.label.admits(Letter(letter))));
    assert!([1, 2].iter().all(|&letter| !edge.label.admits(Letter(letter))));
    let state = automaton.edges_from(StateId(1));
    assert!(
        state.iter().all(|edge| edge.label.admits(Letter(0)) && !edge.label.admits(Letter(2))),
        "the state's label"
    );
    let implicit = automaton.edges_from(StateId(2));
    assert_eq!(implicit.len(), 3, "edges to the same state are joined");
    let to_start = implicit.iter().find(|edge| edge.to == StateId(0)).unwrap();
    assert!(to_start.label.admits(Letter(0)) && to_start.label.admits(Letter(3)) && !to_start.label.admits(Letter(1)));
    let second = &automata[1].automaton;
    assert_eq!(second.mark_count(), 1, "sets that the condition does not speak of are dropped");
    assert_eq!(second.edges_from(StateId(0)).len(), 1, "edges that cannot be taken are dropped");
    assert_eq!(second.edges_from(StateId(0))[0].marks, Marks(1));
}

/// Every mistake is reported at its line and column.
#[test]
fn mistakes() {
    let head = "HOA: v1\nAP: 1 \"p\"\nStates: 2\nStart: 0\n";
    let body = "Acceptance: 1 Inf(0)\n--BODY--\n";
    let with = |rest: &str| format!("{head}{rest}");
    let inside = |rest: &str| format!("{head}{body}{rest}");
    let cases = [
        ("never".to_owned(), 1, 1, "expected `HOA:` at the start of an automaton, found `never`"),
        ("HOA: v2".to_owned(), 1, 6, "version v2 of the format is not supported, only v1 is"),
        ("HOA: v1\n".to_owned(), 2, 1, "expected a header such as `AP:`, or `--BODY--`, found the end of the text"),
        ("HOA: v1 --BODY--".to_owned(), 1, 9, "the header `Acceptance:` is missing"),
        (
            "HOA: v1\n  AP: 2 \"p\" --BODY--".to_owned(),
            2,
            13,
            "expected the name of a proposition in quotes, found `--BODY--`",
        ),
        ("HOA: v1 AP: 200".to_owned(), 1, 9, "more than 128 propositions are not supported"),
        (
            with("Acceptance: 1 Fin(0)\n--BODY--"),
            5,
            15,
            "acceptance with `Fin` is not supported; Büchi and generalised Büchi acceptance are",
        ),
        (
            with("Acceptance: 2 Fin(0)&Inf(1)\nacc-name: Rabin 1\n--BODY--"),
            5,
            15,
            "Rabin acceptance is not supported; Büchi and generalised Büchi acceptance are",
        ),
        (
            with("Acceptance: 2 Inf(0)|Inf(1)\n--BODY--"),
            5,
            21,
            "acceptance with a choice (`|`) is not supported; Büchi and generalised Büchi acceptance are",
        ),
        (with("Acceptance: 1 Inf(1)"), 5, 19, "set 1 is not below the declared number of sets"),
        (with("Start: 0&1"), 5, 9, "alternating automata (several states joined by `&`) are not supported"),
        (with("Start: 2"), 5, 8, "state 2 is not below the declared number of states, 2"),
        (with("Alias: @a 1"), 5, 11, "proposition 1 is not declared in `AP:`"),
        (with("Unknown: 1"), 5, 1, "the header `Unknown:` is not known, and it may change the meaning"),
        (inside("State: 0 [2] 0"), 7, 11, "proposition 2 is not declared in `AP:`"),
        (inside("State: 0 [@x] 0"), 7, 11, "the alias @x is not defined"),
        (
            inside("State: 0 [0 & ] 0"),
            7,
            15,
            "expected a proposition's number, an alias, `t`, `f`, `!` or a parenthesis, found `]`",
        ),
        (inside("State: 0 [0] 7"), 7, 14, "state 7 is not below the declared number of states, 2"),
        (inside("State: 0 [0] 1 {1}"), 7, 17, "acceptance set 1 is not declared"),
        (inside("State: 0 0"), 7, 8, "state 0 has 1 edges without labels, not one for each letter"),
        (inside("State: 0 0 0 0"), 7, 14, "there are more edges without labels than letters"),
        (inside("State: 0\nState: 0"), 8, 8, "state 0 is described twice"),
        (inside("State: [0] 0 [0] 1"), 7, 14, "this edge has a label although its state has one"),
        (inside("State: 0 \"x"), 7, 10, "this text is not closed with `\"`"),
        (inside("/* x"), 7, 1, "this comment is not closed with `*/`"),
        (inside("State: 0"), 7, 9, "expected `State:` or `--END--`, found the end of the text"),
        (inside("State: 99999999999999999999"), 7, 8, "this number is too large"),
    ];
    for (text, line, column, message) in cases {
        let error = read(&text).unwrap_err();
        assert_eq!((error.line, error.column, error.message.as_str()), (line, column, message), "{text}");
    }
}

/// Writing and reading again gives the same automaton.
#[test]
fn round_trip() {
    let mut names = Names::new();
    for name in ["p", "x == \"1\"", "q\\r"] {
        names.push(name);
    }
    for seed in 0..300 {
        let mut rng = Rng::new(seed);
        let formula = formula(&mut rng, 9, 3);
        let general = translate_generalised(&formula).unwrap();
        let plain = translate(&formula).unwrap();
        for automaton in [general, plain.as_tgba().clone()] {
            let hoa = HoaAutomaton::new(automaton, names.clone());
            let text = write(&hoa);
            let back = read(&text).unwrap_or_else(|error| panic!("seed {seed}: {error}\n{text}"));
            assert_eq!(back[0].names, names);
            assert_eq!(write(&back[0]).replace("properties: ", ""), text.replace("properties: ", ""), "seed {seed}");
            for _ in 0..10 {
                let word = lasso(&mut rng, 3, 3, 3);
                assert_eq!(back[0].automaton.accepts(&word), hoa.automaton.accepts(&word), "seed {seed}: {text}");
            }
        }
    }
    let rich = read(RICH).unwrap();
    let again = read(&(write(&rich[0]) + &write(&rich[1]))).unwrap();
    assert_eq!(again[0].automaton, rich[0].automaton);
    assert_eq!(again[0].state_names, rich[0].state_names);
    assert_eq!(again[0].header.others, rich[0].header.others);
    assert_eq!(again[1].automaton, rich[1].automaton);
}

/// Damaged text gives an automaton or an error, never a panic.
#[test]
fn damaged_text() {
    let pieces = [
        "{",
        "}",
        "[",
        "]",
        "&",
        "|",
        "!",
        "(",
        ")",
        "@both",
        "t",
        "99999999",
        "\"",
        "--BODY--",
        "--END--",
        "State:",
        "Inf",
        "\u{1F980}",
        "/*",
        "AP: 3",
        "-",
    ];
    let original: Vec<char> = RICH.chars().collect();
    for seed in 0..5000 {
        let mut rng = Rng::new(seed);
        let mut text = original.clone();
        for _ in 0..1 + rng.below(4) {
            let at = rng.below(text.len() as u32) as usize;
            match rng.below(4) {
                0 => drop(text.remove(at)),
                1 => text.truncate(at.max(1)),
                2 => text[at] = char::from(32 + rng.below(95) as u8),
                _ => {
                    let piece = pieces[rng.below(pieces.len() as u32) as usize];
                    text.splice(at..at, piece.chars());
                }
            }
        }
        let text: String = text.into_iter().collect();
        let _ = read(&text);
    }
    let deep = format!("HOA: v1 AP: 1 \"p\" Acceptance: 0 t --BODY-- State: 0 [{}0", "(".repeat(100_000));
    assert!(read(&deep).is_err());
    let deep = format!("HOA: v1 Acceptance: 1 {}Inf(0)", "(".repeat(100_000));
    assert!(read(&deep).is_err());
}
