//! Prints how large the automata of well-known and of random formulas are, beside those of `spin -f` and `lbt` where these
//! programs are installed.
//!
//! The environment variable SPIN names another program than `spin`; Debian's is built without `X`.
//!
//! `cargo run --release -p starwheel-automata --example sizes [-- --each] [--random COUNT]`

use std::io::Write;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use starwheel_automata::ltl::{self, Binary, Unary};
use starwheel_automata::random::{Rng, formula};
use starwheel_automata::{Formula, Names, Prop, translate, translate_generalised};

/// M. Dwyer, G. Avrunin and J. Corbett, "Property specification patterns for finite-state verification" (FMSP 1998): eleven
/// patterns in five scopes each.
const PATTERNS: &[&str] = &[
    "[]!p",
    "<>r -> (!p U r)",
    "[](q -> []!p)",
    "[]((q && !r && <>r) -> (!p U r))",
    "[]((q && !r) -> (!p W r))",
    "<>p",
    "!r W (p && !r)",
    "[]!q || <>(q && <>p)",
    "[]((q && !r) -> (!r W (p && !r)))",
    "[]((q && !r) -> (!r U (p && !r)))",
    "!p W (p W (!p W (p W []!p)))",
    "<>r -> ((!p && !r) U (r || ((p && !r) U (r || ((!p && !r) U (r || ((p && !r) U (r || (!p U r)))))))))",
    "<>q -> (!q U (q && (!p W (p W (!p W (p W []!p))))))",
    "[]((q && <>r) -> ((!p && !r) U (r || ((p && !r) U (r || ((!p && !r) U (r || ((p && !r) U (r || (!p U r))))))))))",
    "[](q -> ((!p && !r) U (r || ((p && !r) U (r || ((!p && !r) U (r || ((p && !r) U (r || (!p W r) || []p)))))))))",
    "[]p",
    "<>r -> (p U r)",
    "[](q -> []p)",
    "[]((q && !r && <>r) -> (p U r))",
    "[]((q && !r) -> (p W r))",
    "!p W s",
    "<>r -> (!p U (s || r))",
    "[]!q || <>(q && (!p W s))",
    "[]((q && !r && <>r) -> (!p U (s || r)))",
    "[]((q && !r) -> (!p W (s || r)))",
    "[](p -> <>s)",
    "<>r -> ((p -> (!r U (s && !r))) U r)",
    "[](q -> [](p -> <>s))",
    "[]((q && !r && <>r) -> ((p -> (!r U (s && !r))) U r))",
    "[]((q && !r) -> ((p -> (!r U (s && !r))) W r))",
    "<>p -> (!p U (s && !p && X (!p U t)))",
    "<>r -> (!p U (r || (s && !p && X (!p U t))))",
    "[]!q || (!q U (q && (<>p -> (!p U (s && !p && X (!p U t))))))",
    "[]((q && <>r) -> (!p U (r || (s && !p && X (!p U t)))))",
    "[](q -> (<>p -> (!p U (r || (s && !p && X (!p U t))))))",
    "<>(s && X <>t) -> (!s U p)",
    "<>r -> (!(s && !r && X (!r U (t && !r))) U (r || p))",
    "[]!q || (!q U (q && (<>(s && X <>t) -> (!s U p))))",
    "[]((q && <>r) -> (!(s && !r && X (!r U (t && !r))) U (r || p)))",
    "[](q -> ((!(s && !r && X (!r U (t && !r))) U (r || p)) || []!(s && X <>t)))",
    "[]((s && X <>t) -> X <>(t && <>p))",
    "<>r -> (((s && X (!r U t)) -> X (!r U (t && <>p))) U r)",
    "[](q -> []((s && X <>t) -> X (!t U (t && <>p))))",
    "[]((q && <>r) -> (((s && X (!r U t)) -> X (!r U (t && <>p))) U r))",
    "[](q -> (((s && X (!r U t)) -> X (!r U (t && <>p))) U (r || []((s && X (!r U t)) -> X (!r U (t && <>p))))))",
    "[](p -> <>(s && X <>t))",
    "<>r -> ((p -> (!r U (s && !r && X (!r U t)))) U r)",
    "[](q -> [](p -> (s && X <>t)))",
    "[]((q && <>r) -> ((p -> (!r U (s && !r && X (!r U t)))) U r))",
    "[](q -> ((p -> (!r U (s && !r && X (!r U t)))) U (r || [](p -> (s && X <>t)))))",
    "[](p -> <>(s && !z && X (!z U t)))",
    "<>r -> ((p -> (!r U (s && !r && !z && X ((!r && !z) U t)))) U r)",
    "[](q -> [](p -> (s && !z && X (!z U t))))",
    "[]((q && <>r) -> ((p -> (!r U (s && !r && !z && X ((!r && !z) U t)))) U r))",
    "[](q -> ((p -> (!r U (s && !r && !z && X ((!r && !z) U t)))) U (r || [](p -> (s && !z && X (!z U t))))))",
];

/// K. Etessami and G. Holzmann, "Optimizing Büchi automata" (CONCUR 2000).
const ETESSAMI_HOLZMANN: &[&str] = &[
    "a U (b && []c)",
    "a U (b && X (c U d))",
    "a U (b && X (c && <>(d && X <>(e && X <>(f && X <>g)))))",
    "<>(a && X []b)",
    "<>(a && X (b && X <>c))",
    "<>(a && X (b U c))",
    "<>[]a || []<>b",
    "[](a -> (b U c))",
    "[](a && X <>(b && X <>(c && X <>d)))",
    "[]<>a && []<>b && []<>c && []<>d && []<>e",
    "(a U (b U c)) || (b U (c U a)) || (c U (a U b))",
    "[](a -> (b U ([]c || []d)))",
];

/// F. Somenzi and R. Bloem, "Efficient Büchi automata from LTL formulae" (CAV 2000).
const SOMENZI_BLOEM: &[&str] = &[
    "a U b",
    "a U (b U c)",
    "!(a U (b U c))",
    "[]<>a -> []<>b",
    "<>a U []b",
    "[]a U b",
    "!(<><>a <-> <>a)",
    "!([]<>a -> []<>b)",
    "!([]<>a <-> []<>b)",
    "a V (a || b)",
    "(X a U X b) || !X (a U b)",
    "(X a U b) || !X (a U (a && b))",
    "[](a -> <>b) && ((X a U b) || !X (a U (a && b)))",
    "[](a -> <>b) && ((X a U X b) || !X (a U b))",
    "[](a -> <>b)",
    "![](a -> X (b V c))",
    "!(<>[]a || <>[]b)",
    "[](<>a && <>b)",
    "<>a && <>!a",
    "(a && X b) V X (((c U d) V a) U (c V a))",
    "([](b || []<>a) && [](c || []<>!a)) || []b || []c",
    "([](b || <>[]a) && [](c || <>[]!a)) || []b || []c",
    "!(([](b || []<>a) && [](c || []<>!a)) || []b || []c)",
    "!(([](b || <>[]a) && [](c || <>[]!a)) || []b || []c)",
    "[](a || X []b) && [](c || X []!b)",
    "[](a || (X b && X !b))",
    "a || (b U a)",
];

/// What was measured for one formula; what a program does not give within its time is none.
#[derive(Clone, Copy, Default)]
struct Row {
    states: usize,
    edges: usize,
    general: usize,
    time: Duration,
    spin: Option<usize>,
    lbt: Option<usize>,
}

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let each = arguments.iter().any(|argument| argument == "--each");
    let place = arguments.iter().position(|argument| argument == "--random");
    let count = place.and_then(|place| arguments.get(place + 1)).and_then(|text| text.parse().ok()).unwrap_or(100);
    println!("All sizes are states; N: ours/theirs is over the N formulas that the other program ends in ten seconds.");
    println!(
        "{:<24}{:>8}{:>8}{:>8}{:>8}{:>20}{:>20}{:>9}",
        "set", "formulas", "ours", "edges", "tgba", "spin: ours/theirs", "lbt: ours/theirs", "slowest"
    );
    for (name, texts) in
        [("patterns", PATTERNS), ("Etessami/Holzmann", ETESSAMI_HOLZMANN), ("Somenzi/Bloem", SOMENZI_BLOEM)]
    {
        let parsed: Vec<(Formula, Names)> = texts.iter().map(|text| read(text)).collect();
        report(name, &parsed, each);
        let negated: Vec<(Formula, Names)> =
            parsed.iter().map(|(formula, names)| (formula.negated(), names.clone())).collect();
        report(&format!("{name}, negated"), &negated, each);
    }
    let mut rng = Rng::new(2024);
    let random: Vec<(Formula, Names)> = (0..count).map(|_| (formula(&mut rng, 14, 3), abc())).collect();
    report("random, seed 2024", &random, each);
}

fn read(text: &str) -> (Formula, Names) {
    let mut names = Names::new();
    let formula = ltl::parse(text, &mut names).expect("the formulas of this file are right");
    (formula, names)
}

fn abc() -> Names {
    let mut names = Names::new();
    for name in ["a", "b", "c"] {
        names.push(name);
    }
    names
}

fn report(set: &str, formulas: &[(Formula, Names)], each: bool) {
    let mut rows = Vec::new();
    for (formula, names) in formulas {
        let row = measure(formula, names);
        if each {
            let other = |size: Option<usize>| size.map_or("-".to_owned(), |size| size.to_string());
            let text = formula.show(names);
            println!(
                "  {:>3} {:>4} {:>3} {:>5} {:>5}  {text}",
                row.states,
                row.edges,
                row.general,
                other(row.spin),
                other(row.lbt)
            );
        }
        rows.push(row);
    }
    let sum = |value: fn(&Row) -> usize| rows.iter().map(value).sum::<usize>();
    let pair = |value: fn(&Row) -> Option<usize>| {
        let common: Vec<(usize, usize)> = rows.iter().filter_map(|row| Some((row.states, value(row)?))).collect();
        let (ours, theirs) = common.iter().fold((0, 0), |sum, row| (sum.0 + row.0, sum.1 + row.1));
        if common.is_empty() { "-".to_owned() } else { format!("{}: {ours}/{theirs}", common.len()) }
    };
    println!(
        "{set:<24}{:>8}{:>8}{:>8}{:>8}{:>20}{:>20}{:>7}ms",
        rows.len(),
        sum(|row| row.states),
        sum(|row| row.edges),
        sum(|row| row.general),
        pair(|row| row.spin),
        pair(|row| row.lbt),
        rows.iter().map(|row| row.time.as_millis()).max().unwrap_or(0)
    );
}

fn measure(formula: &Formula, names: &Names) -> Row {
    let start = Instant::now();
    let plain = translate(formula).expect("these formulas have small automata");
    let time = start.elapsed();
    let general = translate_generalised(formula).expect("these formulas have small automata");
    Row {
        states: plain.state_count(),
        edges: plain.edge_count(),
        general: general.state_count(),
        time,
        spin: spin(formula, names),
        lbt: lbt(formula),
    }
}

/// The states of SPIN's never claim: places with labels, neighbouring labels being one place.
fn spin(formula: &Formula, names: &Names) -> Option<usize> {
    let text = without_weak(formula).show(names).to_string();
    let program = std::env::var("SPIN").unwrap_or("spin".to_owned());
    let output = output(Command::new(program).arg("-f").arg(text), "")?;
    if !output.contains("never") {
        return None;
    }
    let label = |line: &str| line.trim_end().ends_with(':');
    let lines: Vec<&str> = output.lines().collect();
    Some((0..lines.len()).filter(|&at| label(lines[at]) && (at == 0 || !label(lines[at - 1]))).count())
}

/// The states of lbt's generalised automaton, of which it says the number first.
fn lbt(formula: &Formula) -> Option<usize> {
    let output = output(&mut Command::new("lbt"), &prefix(&without_weak(formula)))?;
    output.split_whitespace().next()?.parse().ok()
}

/// What a program prints if it ends well within ten seconds.
fn output(command: &mut Command, input: &str) -> Option<String> {
    let directory = std::env::temp_dir();
    let file = directory.join(format!("sizes-{}.out", std::process::id()));
    let out = std::fs::File::create(&file).ok()?;
    let mut child =
        command.current_dir(&directory).stdin(Stdio::piped()).stdout(out).stderr(Stdio::null()).spawn().ok()?;
    child.stdin.take()?.write_all(input.as_bytes()).ok()?;
    let start = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().ok()? {
            break status;
        }
        if start.elapsed() > Duration::from_secs(10) {
            let _ = child.kill();
            let _ = child.wait();
            return None;
        }
        std::thread::sleep(Duration::from_millis(1));
    };
    let text = std::fs::read_to_string(&file).ok();
    let _ = std::fs::remove_file(&file);
    text.filter(|_| status.success())
}

/// The formula with `U` and `V` in place of `W` and `M`, which the other programs do not have.
fn without_weak(formula: &Formula) -> Formula {
    match formula {
        Formula::Constant(_) | Formula::Prop(_) => formula.clone(),
        Formula::Unary(op, inner) => Formula::unary(*op, without_weak(inner)),
        Formula::Binary(op, left, right) => {
            let (left, right) = (without_weak(left), without_weak(right));
            match op {
                Binary::WeakUntil => {
                    let either = Formula::binary(Binary::Or, left, right.clone());
                    Formula::binary(Binary::Release, right, either)
                }
                Binary::StrongRelease => {
                    let both = Formula::binary(Binary::And, left, right.clone());
                    Formula::binary(Binary::Until, right, both)
                }
                _ => Formula::binary(*op, left, right),
            }
        }
    }
}

/// lbt's notation: operators stand first.
fn prefix(formula: &Formula) -> String {
    match formula {
        Formula::Constant(value) => if *value { "t" } else { "f" }.to_owned(),
        Formula::Prop(Prop(number)) => format!("p{number}"),
        Formula::Unary(op, inner) => {
            let op = match op {
                Unary::Not => "!",
                Unary::Next => "X",
                Unary::Always => "G",
                Unary::Eventually => "F",
            };
            format!("{op} {}", prefix(inner))
        }
        Formula::Binary(op, left, right) => {
            let op = match op {
                Binary::And => "&",
                Binary::Or => "|",
                Binary::Implies => "i",
                Binary::Equiv => "e",
                Binary::Until | Binary::WeakUntil => "U",
                Binary::Release | Binary::StrongRelease => "V",
            };
            format!("{op} {} {}", prefix(left), prefix(right))
        }
    }
}
