//! Every rewrite rule does what its name says and keeps the meaning on all short words.

use starwheel_automata::ltl::{self, Binary};
use starwheel_automata::random::{Rng, all_lassos, formula, lasso};
use starwheel_automata::words::holds;
use starwheel_automata::{Formula, Lasso, Names};

/// Formula and its simplest form; propositions are a, b, c.
const RULES: &[(&str, &str)] = &[
    // Constants.
    ("X true", "true"),
    ("<>false", "false"),
    ("[]true", "true"),
    ("a U true", "true"),
    ("a U false", "false"),
    ("true U a", "<>a"),
    ("false U a", "a"),
    ("false V a", "[]a"),
    ("true V a", "a"),
    ("a W false", "[]a"),
    ("true W a", "true"),
    ("a M true", "<>a"),
    ("true M a", "a"),
    ("a M false", "false"),
    ("a && !a", "false"),
    ("a || !a", "true"),
    ("a -> a", "true"),
    // Repetition.
    ("[][]a", "[]a"),
    ("<><>a", "<>a"),
    ("<>[]<>a", "[]<>a"),
    ("[]<>[]a", "<>[]a"),
    ("a U a", "a"),
    ("a U (a U b)", "a U b"),
    ("(a U b) U b", "a U b"),
    // Next.
    ("X a && X b", "X (a && b)"),
    ("X a || X b", "X (a || b)"),
    ("X a U X b", "X (a U b)"),
    ("X a M X b", "X (a M b)"),
    ("<>X a", "X <>a"),
    ("[]X a", "X []a"),
    ("X []<>a", "[]<>a"),
    ("[]<>X a", "[]<>a"),
    // Eventually and always over binary operators.
    ("<>(a U b)", "<>b"),
    ("[](a V b)", "[]b"),
    ("<>(a M b)", "<>(a && b)"),
    ("[](a W b)", "[](a || b)"),
    ("<>(a V b)", "<>[]b || <>(a && b)"),
    ("<>(a W b)", "<>b || <>[]a"),
    ("[](a U b)", "[]<>b && [](a || b)"),
    ("[](a M b)", "[]b && []<>a"),
    // Eventual and universal parts.
    ("a U <>b", "<>b"),
    ("a V []b", "[]b"),
    ("<>(a || <>b)", "<>(a || b)"),
    ("[](a && []b)", "[](a && b)"),
    ("<>(a && []<>b)", "<>a && []<>b"),
    ("[](a || <>[]b)", "[]a || <>[]b"),
    ("[]<>(a && <>b)", "[]<>a && []<>b"),
    ("<>[](a || []b)", "<>[]a || <>[]b"),
    ("<>[](a || <>b)", "<>[]a || []<>b"),
    ("[]<>(a || []b)", "[]<>a || <>[]b"),
    ("<>[](a && <>b)", "<>[]a && []<>b"),
    ("a U (b || <>c)", "<>c || (a U b)"),
    ("a U (b && []<>c)", "[]<>c && (a U b)"),
    ("a V (b && []c)", "[]c && (a V b)"),
    ("a M []b", "[]b && <>a"),
    ("a W <>b", "<>b || []a"),
    ("<>a M b", "b && <>a"),
    ("[]a U b", "b || ([]a && <>b)"),
    // Gathering.
    ("[]a && []b", "[](a && b)"),
    ("<>a || <>b", "<>(a || b)"),
    ("<>[]a && <>[]b", "<>[](a && b)"),
    ("[]<>a || []<>b", "[]<>(a || b)"),
    ("(a U c) && (b U c)", "(a && b) U c"),
    ("(a U c) && (b W c)", "(a && b) U c"),
    ("(a W c) && (b W c)", "(a && b) W c"),
    ("(a U b) || (a U c)", "a U (b || c)"),
    ("(a U b) || (a W c)", "a W (b || c)"),
    ("(a V b) && (a V c)", "a V (b && c)"),
    ("(a V b) && (a M c)", "a M (b && c)"),
    ("(a V c) || (b V c)", "(a || b) V c"),
    ("(a M c) || (b M c)", "(a || b) M c"),
    ("[]a || (a U b)", "a W b"),
    ("<>b && (a W b)", "a U b"),
    ("<>a && (a V b)", "a M b"),
    ("[]b || (a M b)", "a V b"),
    // Rolling up.
    ("a && X []a", "[]a"),
    ("a || X <>a", "<>a"),
    ("b || (a && X (a U b))", "a U b"),
    ("b || (a && X (a W b))", "a W b"),
    ("b && (a || X (a V b))", "a V b"),
    ("b && (a || X (a M b))", "a M b"),
    // Implications.
    ("a && (a || b)", "a"),
    ("a || (a && b)", "a"),
    ("a && (!a || b)", "a && b"),
    ("a || (!a && b)", "a || b"),
    ("[]a && <>a", "[]a"),
    ("[]a && <>!a", "false"),
    ("(a && b) U b", "b"),
    ("!b U b", "<>b"),
    ("(a || !b) U b", "<>b"),
    ("(a || b) U b", "a U b"),
    ("(a && !b) U b", "a U b"),
    ("(a && b) M b", "a M b"),
    ("(a || !b) M b", "a M b"),
    ("!b M b", "false"),
    ("!b V b", "[]b"),
    ("(a && b) U (a U c)", "a U c"),
    ("(a && b) U (a W c)", "a W c"),
    ("(a && b) U (c V b)", "c V b"),
    ("((a && b) U c) U a", "c U a"),
    ("(a U (b && c)) U c", "c || (a U (b && c))"),
    ("a M ((a && b) M c)", "(a && b) M c"),
];

/// A text in which the order of conjunctions and disjunctions does not matter.
fn ordered(formula: &Formula) -> String {
    match formula {
        Formula::Binary(op @ (Binary::And | Binary::Or), ..) => {
            let mut parts = Vec::new();
            members(formula, *op, &mut parts);
            parts.sort();
            format!("{op:?}{parts:?}")
        }
        Formula::Binary(op, left, right) => format!("{op:?}({}, {})", ordered(left), ordered(right)),
        Formula::Unary(op, inner) => format!("{op:?}({})", ordered(inner)),
        _ => format!("{formula:?}"),
    }
}

fn members(formula: &Formula, op: Binary, parts: &mut Vec<String>) {
    match formula {
        Formula::Binary(found, left, right) if *found == op => {
            members(left, op, parts);
            members(right, op, parts);
        }
        _ => parts.push(ordered(formula)),
    }
}

fn short_words() -> Vec<Lasso> {
    let sizes = [(0, 1), (0, 2), (1, 1), (1, 2), (2, 1), (0, 3)];
    sizes.iter().flat_map(|&(prefix, cycle)| all_lassos(prefix, cycle, 3)).collect()
}

#[test]
fn rules() {
    let words = short_words();
    for (text, expected) in RULES {
        let mut names = Names::new();
        for name in ["a", "b", "c"] {
            names.push(name);
        }
        let formula = ltl::parse(text, &mut names).unwrap();
        let simple = formula.simplified();
        for word in &words {
            assert_eq!(holds(&formula, word), holds(&simple, word), "{text} on {word:?}");
        }
        let wanted = ltl::parse(expected, &mut names).unwrap();
        assert_eq!(ordered(&simple), ordered(&wanted), "{text} became {}", simple.show(&names));
    }
}

#[test]
fn random_formulas_keep_their_meaning() {
    let words = short_words();
    for seed in 0..3000 {
        let mut rng = Rng::new(seed);
        let size = 4 + rng.below(22);
        let formula = formula(&mut rng, size, 3);
        let simple = formula.simplified();
        let few = words.iter().step_by(29).cloned();
        for word in few.chain((0..8).map(|_| lasso(&mut rng, 5, 5, 3))) {
            assert_eq!(holds(&formula, &word), holds(&simple, &word), "seed {seed}: {formula:?}");
        }
        assert!(simple.simplified().size() <= simple.size(), "seed {seed}: {simple:?}");
    }
}
