//! What is said about wrong and about odd models: code, place, message and advice, compared with files of expected text.
//!
//! Each file in `messages/` is a list of cases: a line `##### title`, a model, a line `-----`, and what is said about
//! it. With the environment variable `BLESS` set, the files are written anew; look at the difference before you keep it.

use starwheel_base::{Diagnostic, SourceMap, Span};
use starwheel_promela::preprocess::Loader;
use starwheel_promela::{CompileOptions, compile};
use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::{Path, PathBuf};

const TITLE: &str = "##### ";
const SPLIT: &str = "-----\n";

/// Codes that only huge inputs lead to; they are tested where the limits are.
const LIMITS: [&str; 8] = [
    "include-count",
    "macro-depth",
    "macro-size",
    "model-size",
    "too-deep",
    "too-many-names",
    "too-many-proctypes",
    "too-much-text",
];

/// Two files that can be included.
struct Library;

impl Loader for Library {
    fn load(&self, name: &str, _from: &str, _quoted: bool) -> Result<(String, String), String> {
        let text = match name {
            "library.h" => "byte spare\nproctype Helper() { spare = 1 }\ninline help() { skip }\n",
            "itself.h" => "#include \"itself.h\"\n",
            _ => return Err("there is no such file".into()),
        };
        Ok((name.into(), text.into()))
    }
}

fn diagnose(model: &str) -> (Vec<Diagnostic>, SourceMap) {
    let mut map = SourceMap::new();
    let main = map.add_file("model.pml", model);
    let compiled = compile(&mut map, main, &CompileOptions::default(), &Library);
    let errors = compiled.diagnostics.iter().any(Diagnostic::is_error);
    assert_eq!(compiled.model.is_none(), errors, "a model comes out if and only if there is no error:\n{model}");
    (compiled.diagnostics, map)
}

fn place(map: &SourceMap, span: Span) -> String {
    let (file, at) = map.locate(span);
    let file = if file == "model.pml" { String::new() } else { format!("{file}:") };
    format!("{file}{}:{}", at.line, at.column)
}

/// The essentials of all diagnostics of a model.
fn said(model: &str) -> String {
    let (diagnostics, map) = diagnose(model);
    let mut out = String::new();
    for d in &diagnostics {
        let kind = if d.is_error() { "error" } else { "warning" };
        let _ = writeln!(out, "{kind}[{}] {} {}", d.code, place(&map, d.span()), d.message);
        for l in d.labels.iter().filter(|l| !l.primary) {
            let _ = writeln!(out, "  also {} {}", place(&map, l.span), l.text);
        }
        for a in &d.advice {
            let _ = writeln!(out, "  advice: {a}");
        }
    }
    out
}

struct Case {
    title: String,
    model: String,
    expected: String,
}

fn cases(text: &str) -> Vec<Case> {
    let parts = text.split(TITLE).filter(|p| !p.trim().is_empty());
    parts
        .map(|part| {
            let (title, rest) = part.split_once('\n').unwrap_or((part, ""));
            let (model, expected) = rest.split_once(SPLIT).unwrap_or((rest, ""));
            Case { title: title.into(), model: model.into(), expected: expected.trim_end().into() }
        })
        .collect()
}

fn files() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/messages");
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(folder).expect("the folder is there").map(|e| e.expect("an entry").path()).collect();
    files.sort();
    files
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).expect("the file can be read")
}

#[test]
fn messages_are_as_expected() {
    let bless = std::env::var_os("BLESS").is_some();
    let mut wrong = String::new();
    for path in files() {
        let mut anew = String::new();
        for c in cases(&read(&path)) {
            let now = said(&c.model);
            if now.trim_end() != c.expected && !bless {
                let file = path.file_name().unwrap_or_default().to_string_lossy();
                let _ = writeln!(wrong, "{file}: {}\n--- expected\n{}\n--- found\n{now}", c.title, c.expected);
            }
            let _ = writeln!(anew, "{TITLE}{}\n{}{SPLIT}{now}", c.title, c.model);
        }
        if bless {
            std::fs::write(&path, anew).expect("the file can be written");
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn what_should_be_silent_is_silent() {
    for path in files() {
        for c in cases(&read(&path)).iter().filter(|c| c.title.contains("silent")) {
            assert_eq!(said(&c.model), "", "{}", c.title);
        }
    }
}

/// The codes in the sources: the first string behind the making of a diagnostic, or any code in a `code` variable.
fn codes_in(dir: &Path, out: &mut BTreeSet<String>) {
    for entry in std::fs::read_dir(dir).expect("the sources are there") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            if path.file_name().is_some_and(|n| n != "tests") {
                codes_in(&path, out);
            }
            continue;
        }
        let text = read(&path);
        for word in ["Diagnostic::error(", "Diagnostic::warning("] {
            for (i, w) in text.match_indices(word) {
                let rest = text[i + w.len()..].trim_start();
                if let Some(code) = rest.strip_prefix('"').and_then(|r| r.split('"').next()) {
                    out.insert(code.to_string());
                }
            }
        }
    }
}

#[test]
fn every_code_has_a_case() {
    let mut codes = BTreeSet::new();
    codes_in(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &mut codes);
    let text: String = files().iter().map(|p| read(p)).collect();
    let missing: Vec<&String> = codes
        .iter()
        .filter(|c| !c.is_empty() && !LIMITS.contains(&&***c) && !text.contains(&format!("[{c}]")))
        .collect();
    assert!(codes.len() > 100, "the codes are found: {}", codes.len());
    assert!(missing.is_empty(), "no case for {missing:?}");
}

#[test]
fn limits_are_told() {
    let code = |model: &str| diagnose(model).0.first().map(|d| d.code);
    let names: String = (0..256).map(|i| format!("n{i} ")).collect();
    assert_eq!(code(&format!("mtype = {{ {names} }}\ninit {{ skip }}")), Some("too-many-names"));
    let processes: String = (0..300).map(|i| format!("active proctype P{i}() {{ skip }}\n")).collect();
    assert_eq!(code(&processes), Some("too-many-proctypes"));
    let steps = "x = 1; ".repeat(70_000);
    assert_eq!(code(&format!("byte x; init {{ {steps} assert(x) }}")), Some("too-large"));
    assert_eq!(code(&format!("init {{ {}skip{} }}", "{".repeat(5000), "}".repeat(5000))), Some("too-deep"));
}

#[test]
fn the_example_models_give_few_warnings() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    for entry in std::fs::read_dir(folder).expect("the examples are there") {
        let path = entry.expect("an entry").path();
        if path.extension().is_some_and(|e| e == "pml") {
            let (diagnostics, _) = diagnose(&read(&path));
            assert!(diagnostics.len() < 3 && !diagnostics.iter().any(Diagnostic::is_error), "{path:?} {diagnostics:?}");
        }
    }
}
