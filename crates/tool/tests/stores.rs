//! Every exact store serves every search; what a store cannot do is refused by name.

mod common;

use common::{Folder, json, run};

/// Whether a client is ever served depends on fairness: weak for the first, strong for the second.
const MODEL: &str = "\
bool lock;
byte first, second;
active proctype A() { do :: first = 1 - first od }
active proctype B() { do :: atomic { !lock -> lock = true }; lock = false od }
active proctype C() { atomic { !lock -> second = 1 } }
active proctype D() { end: do :: progress: first == 1 -> skip od }
ltl weak { [] <> (first == 1) }
ltl strong { <> (second == 1) }
ltl whole { [] (first < 2) }
";

/// Options, the reductions that go with them, and the outcomes of `weak` and `strong`.
const QUESTIONS: [(&[&str], &[&str], [&str; 2]); 3] = [
    (&[], &["off", "ample", "cluster", "stubborn"], ["violated", "violated"]),
    (&["--fair"], &["off", "ample"], ["holds", "violated"]),
    (&["--fair", "strong"], &["off"], ["holds", "holds"]),
];

fn outcomes(report: &serde_json::Value) -> Vec<&str> {
    let properties = report["properties"].as_array().unwrap();
    let own = properties.iter().filter(|p| p["name"] == "weak" || p["name"] == "strong");
    own.map(|p| p["outcome"].as_str().unwrap()).collect()
}

#[test]
fn exact_stores_agree_in_every_search_for_cycles() {
    let f = Folder::new();
    let model = f.file("m.pml", MODEL);
    for (options, reductions, expected) in QUESTIONS {
        let mut counts = Vec::new();
        for store in ["tree", "flat", "dfa"] {
            for (engine, &por) in ["auto", "scc"].into_iter().flat_map(|e| reductions.iter().map(move |por| (e, por))) {
                let mut line = vec!["check", "--json", "--ltl", "all", "--store", store, "--engine", engine];
                line.extend(["--por", por]);
                line.extend(options);
                line.push(&model);
                let report = json(&line, i32::from(expected.contains(&"violated")));
                assert_eq!(outcomes(&report), expected, "{line:?}");
                let stats = &report["properties"].as_array().unwrap().last().unwrap()["stats"];
                // Of the last formula, which holds: searches that stop at an error have come equally far by chance only. Depths
                // are not compared: some searches count steps, and some the states that are stored.
                counts.push((engine, por, stats["states_stored"].clone()));
            }
        }
        let (tree, others) = counts.split_at(counts.len() / 3);
        assert!(others.chunks(tree.len()).all(|other| other == tree), "the others visit what tree visits: {counts:?}");
    }
    for store in ["tree", "flat", "dfa"] {
        let report = json(&["check", "--json", "--progress", "--fair", "--store", store, &model], 1);
        assert_eq!(report["findings"][0]["kind"], "non-progress-cycle", "{report}");
        assert_eq!(run(&["replay", &model]).status, 0);
    }
}

#[test]
fn safety_searches_take_the_stores_that_the_guide_names() {
    let f = Folder::new();
    let model = f.file("m.pml", MODEL);
    for options in [&[][..], &["--depth", "1000"], &["--por", "stubborn"], &["--por", "ample", "--depth", "1000"]] {
        for store in ["tree", "flat", "dfa"] {
            let mut line = vec!["check", "--json", "--no-ltl", "--store", store];
            line.extend(options);
            line.push(&model);
            assert_eq!(json(&line, 0)["outcome"], "holds", "{line:?}");
        }
    }
    for store in ["tree", "flat"] {
        assert_eq!(
            json(&["check", "--json", "--no-ltl", "--search", "bfs", "--store", store, &model], 0)["outcome"],
            "holds"
        );
    }
    for (store, other) in [
        ("dfa", vec!["--search", "bfs"]),
        ("dfa", vec!["--workers", "2"]),
        ("compact", vec!["--ltl", "weak"]),
        ("bitstate", vec!["--depth", "1000"]),
    ] {
        let mut line = vec!["check", "--store", store];
        line.extend(&other);
        line.push(&model);
        let refused = run(&line);
        assert_eq!(refused.status, 2, "{line:?}");
        for name in [format!("--store {store}"), other[0].to_string()] {
            assert!(refused.stderr.contains(&name), "{name}: {refused:?}");
        }
    }
}
