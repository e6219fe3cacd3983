//! Comparison with GCC's preprocessor, which SPIN runs: the same tokens, and the same line starts.

use super::random::Random;
use super::show;
use crate::preprocess::{Loader, Options, Tokens, preprocess};
use starwheel_base::SourceMap;
use std::io::Write;
use std::process::{Command, Stdio};

/// Runs GCC as SPIN does; `None` if there is no GCC.
fn gcc(arguments: &[&str], input: &str) -> Option<(String, bool)> {
    let mut child = Command::new("gcc")
        .args(["-std=gnu99", "-E", "-undef", "-x", "c"])
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    let mut pipe = child.stdin.take()?;
    let input = input.to_string();
    let writer = std::thread::spawn(move || pipe.write_all(input.as_bytes()));
    let output = child.wait_with_output().ok()?;
    writer.join().ok()?.ok();
    Some((String::from_utf8_lossy(&output.stdout).into_owned(), output.status.success()))
}

/// Reads included files from a folder.
struct Folder;

impl Loader for Folder {
    fn load(&self, name: &str, from: &str, _quoted: bool) -> Result<(String, String), String> {
        let path = std::path::Path::new(from).with_file_name(name);
        let bytes = std::fs::read(&path).map_err(|e| e.to_string())?;
        Ok((path.to_string_lossy().into_owned(), String::from_utf8_lossy(&bytes).into_owned()))
    }
}

fn ours(name: &str, text: &str) -> (Tokens, SourceMap) {
    let mut map = SourceMap::new();
    let main = map.add_file(name, text);
    let tokens = preprocess(&mut map, main, &Options::default(), &Folder);
    (tokens, map)
}

/// The tokens up to the end, each with its line, and a bar in front of those that begin a line.
fn listing((tokens, map): &(Tokens, SourceMap), line: impl Fn(u32) -> u32) -> Vec<String> {
    let show = |t: &crate::token::Token| {
        format!("{}{} {}", if t.starts_line { "|" } else { "" }, show(&t.kind), line(map.line(t.span)))
    };
    tokens.tokens[..tokens.tokens.len() - 1].iter().map(show).collect()
}

/// The tokens of what GCC printed, with the lines that it says they come from.
fn listing_of_printed(name: &str, printed: &str) -> Vec<String> {
    let mut lines = vec![0];
    let mut line = 1;
    for text in printed.lines() {
        lines.push(line);
        let marker = text.strip_prefix("# ").and_then(|t| t.split(' ').next()).and_then(|n| n.parse().ok());
        line = marker.unwrap_or(line + 1);
    }
    listing(&ours(name, printed), |n| lines[n as usize])
}

/// Some macros that use each other, and uses of them.
fn mix(random: &mut Random) -> String {
    let mut text = String::new();
    for name in ["A", "B", "C", "D"] {
        let body = body(random, &["x", "y", "A", "B", "C", "D", "F(x)", "G(A, y)", "F", "G", "(B)", "+", "1", ""]);
        text += &format!("#define {name} {body}\n");
    }
    for (name, params) in [("F", "(a)"), ("G", "(a, b)"), ("H", "(a,...)"), ("Z", "()")] {
        let parts = [
            "a", "A", "B", "F", "G", "F(a)", "G(a, a)", "H(a, C)", "Z()", "- a", "a ## 1", "x ## a", "#a", "(a)",
            "[a]", "",
        ];
        let mut parts = parts.to_vec();
        match name {
            "G" => parts.extend(["b", "a ## b", "G(b, a)", "F(b)", "#b"]),
            "H" => parts.extend(["__VA_ARGS__", "x, ## __VA_ARGS__", "#__VA_ARGS__", "G(a, (__VA_ARGS__))"]),
            "Z" => parts = vec!["z", "A", "F", "Z", "G(x, y)", ""],
            _ => {}
        }
        text += &format!("#define {name}{params} {}\n", body(random, &parts));
    }
    let uses = [
        "A",
        "B;",
        "C",
        "D x",
        "F(x)",
        "F(A)",
        "F(F(F(D)))",
        "G(x,y)",
        "G(A, F(B))",
        "G((x, y),)",
        "H(x)",
        "H(x, y)",
        "H(A,)",
        "H(x, A, F(C))",
        "Z()",
        "F(\n A\n ) x",
        "F",
        "F (G(\n1,2))(x)",
        "G",
        "\n",
        "\n",
        "/* \n */",
        "\\\n ",
        "Z",
        "(y)",
        "F()",
        "q",
        "\n#undef B\n",
        "\n#define B x A\n",
        "\n#if A + 1\nt\n#endif\n",
        "\n#ifdef B\nu\n#else\nv\n#endif\n",
        "F(__LINE__)",
    ];
    for _ in 0..12 {
        text += random.pick(&uses);
        text += random.pick(&[" ", " ", "", "\n"]);
    }
    text + "\n"
}

fn body(random: &mut Random, parts: &[&str]) -> String {
    let length = random.below(4);
    (0..length).map(|_| random.pick(parts).to_string() + random.pick(&[" ", ""])).collect()
}

#[test]
fn generated_macros_mean_what_they_mean_to_gcc() {
    let rounds: usize = std::env::var("STARWHEEL_ROUNDS").ok().and_then(|r| r.parse().ok()).unwrap_or(60);
    let mut compared = 0;
    for round in 1..=rounds {
        let seed = 0x5EED_0000 + round as u64 * 7919;
        let text = mix(&mut Random(seed));
        let Some((theirs, fine)) = gcc(&["-"], &text) else {
            return eprintln!("skipped: there is no gcc to compare with");
        };
        let mine = ours("<stdin>", &text);
        assert_eq!(
            fine,
            !mine.0.diagnostics.iter().any(|d| d.is_error()),
            "errors, seed {seed}:\n{text}\n{:?}",
            mine.0.diagnostics
        );
        // Behind an error both sides may go on as they like.
        if fine {
            compared += 1;
            assert_eq!(listing(&mine, |n| n), listing_of_printed("<stdin>", &theirs), "seed {seed}:\n{text}");
        }
    }
    assert!(compared > rounds / 4, "only {compared} of {rounds} texts were without errors");
}

/// Compares all models below the folders that the variable `STARWHEEL_MODELS` names, with colons between them; without
/// the variable, those of the project.
#[test]
fn models_mean_what_they_mean_to_gcc() {
    let own = ["examples", "corpus"].map(|f| format!("{}/../../{f}", env!("CARGO_MANIFEST_DIR"))).join(":");
    let folders = std::env::var("STARWHEEL_MODELS").unwrap_or(own);
    let mut todo: Vec<std::path::PathBuf> = folders.split(':').filter(|f| !f.is_empty()).map(Into::into).collect();
    let (mut same, mut different) = (0, 0);
    while let Some(path) = todo.pop() {
        if path.is_dir() {
            let entries = std::fs::read_dir(&path).expect("the folder can be read");
            todo.extend(entries.map(|e| e.expect("the entry can be read").path()));
            continue;
        }
        if path.extension().is_some_and(|e| e == "md") {
            continue;
        }
        let name = path.to_string_lossy().into_owned();
        let text = String::from_utf8_lossy(&std::fs::read(&path).expect("the file can be read")).into_owned();
        // gcc knows nothing of the header that we ship, nor of the macro that it asks for.
        if text.contains("\"dtime.h\"") {
            continue;
        }
        let Some((theirs, fine)) = gcc(&[&name], "") else { continue };
        let mine = ours(&name, &text);
        for diagnostic in &mine.0.diagnostics {
            eprintln!("{name}: {:?} {}", diagnostic.severity, diagnostic.message);
        }
        let (a, b) = (listing(&mine, |n| n), listing_of_printed(&name, &theirs));
        if a == b {
            same += 1;
            continue;
        }
        different += 1;
        let at = a.iter().zip(&b).position(|(x, y)| x != y).unwrap_or(a.len().min(b.len()));
        let near = |l: &[String]| l[at.saturating_sub(4)..(at + 4).min(l.len())].join(" ");
        eprintln!("{name}: differs (gcc fine: {fine})\n  ours:   {}\n  theirs: {}", near(&a), near(&b));
    }
    eprintln!("{same} models are the same, {different} differ");
    assert_eq!(different, 0);
}
