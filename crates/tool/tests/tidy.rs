//! Keeps the documents true: which crate may use which, where unsafe code is, what a file says first, where links lead, and
//! how wide the central traits may get.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// The most methods of the traits that many places implement or wrap. A wider one costs every wrapper, so raise a number only
/// with a reason in the commit.
const WIDEST: [(&str, usize); 19] = [
    ("System", 4),
    ("Stepper", 10),
    ("Layer", 12),
    ("Normaliser", 5),
    ("StateSet", 4),
    ("StateStore", 2),
    ("Visited", 8),
    ("Marked", 3),
    ("Decode", 2),
    ("Fork", 1),
    ("Save", 1),
    ("Reducer", 1),
    ("Chooser", 4),
    ("Monitor", 2),
    ("Memory", 14),
    ("CheckpointSink", 3),
    ("CheckpointSource", 1),
    ("ScratchDisk", 1),
    ("Loader", 2),
];

/// Every system there is: around nothing, or around another one, and then the file in which it is shown that it loses nothing.
const SYSTEMS: [(&str, Option<&str>); 17] = [
    ("ModelSystem", None),
    ("ClaimSystem", None),
    ("Adapted", None),
    // A formula moves in step with a system in Rust: more steps and other states, so there is nothing to compare with.
    ("Product", None),
    ("Probe", None),
    ("Marked", Some("crates/engine/src/fair/tests.rs")),
    ("Copies", Some("crates/engine/src/fair/tests.rs")),
    ("Threaded", Some("crates/engine/src/fair/tests.rs")),
    ("Followed", Some("crates/engine/src/method/shortest_first/switches.rs")),
    ("Reduced", Some("crates/reduce/src/reduced.rs")),
    ("JitSystem", Some("crates/jit/tests/laws.rs")),
    ("JitClaimSystem", Some("crates/jit/tests/laws.rs")),
    ("LazySystem", Some("crates/jit/tests/laws.rs")),
    ("Returning", Some("crates/model/tests/returns.rs")),
    ("Audited", Some("crates/symmetry/tests/laws.rs")),
    ("Quotient", Some("crates/system/src/laws.rs")),
    // One that does lose something, to see whether that is noticed.
    ("Forgetful", Some("crates/system/src/laws.rs")),
];

/// The folder of the whole project.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn text(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn architecture() -> String {
    text(&root().join("ARCHITECTURE.md"))
}

/// All files below a folder that end like this, without hidden folders and what the compiler makes.
fn files(folder: &Path, end: &str, out: &mut Vec<PathBuf>) {
    let Ok(list) = fs::read_dir(folder) else { return };
    for path in list.filter_map(|entry| Some(entry.ok()?.path())) {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if path.is_dir() && !name.starts_with('.') && name != "target" {
            files(&path, end, out);
        } else if name.ends_with(end) {
            out.push(path);
        }
    }
    out.sort();
}

fn all(folder: &str, end: &str) -> Vec<PathBuf> {
    let mut out = Vec::new();
    files(&root().join(folder), end, &mut out);
    assert!(!out.is_empty(), "no files that end in {end} in {folder}");
    out
}

/// A path from the project's folder on, for messages.
fn short(path: &Path) -> String {
    path.strip_prefix(root()).unwrap_or(path).display().to_string()
}

/// The words between backticks.
fn quoted(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}

/// A source text in which comments, strings and characters are blank.
fn code(text: &str) -> String {
    let chars: Vec<char> = text.chars().collect();
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    while at < chars.len() {
        let end = end_of_blank(&chars, at);
        let blank = end > at;
        for &c in &chars[at..end.max(at + 1)] {
            out.push(if blank && c != '\n' { ' ' } else { c });
        }
        at = end.max(at + 1);
    }
    out
}

/// Where a comment, a string or a character ends that starts here; the same place if none does.
fn end_of_blank(chars: &[char], at: usize) -> usize {
    let is = |place: usize, c: char| chars.get(place) == Some(&c);
    let find = |from: usize, close: &str| {
        let close: Vec<char> = close.chars().collect();
        let found = (from..chars.len()).find(|&place| chars[place..].starts_with(&close));
        found.map_or(chars.len(), |place| place + close.len())
    };
    let word = at > 0 && (chars[at - 1].is_alphanumeric() || chars[at - 1] == '_');
    match chars[at] {
        '/' if is(at + 1, '/') => find(at, "\n") - 1,
        '/' if is(at + 1, '*') => find(at + 2, "*/"),
        'r' if !word && (is(at + 1, '"') || is(at + 1, '#')) => {
            let marks = chars[at + 1..].iter().take_while(|c| **c == '#').count();
            let raw = is(at + 1 + marks, '"');
            if raw { find(at + 2 + marks, &format!("\"{}", "#".repeat(marks))) } else { at }
        }
        '"' => {
            let mut end = at + 1;
            while end < chars.len() && chars[end] != '"' {
                end += if chars[end] == '\\' { 2 } else { 1 };
            }
            (end + 1).min(chars.len())
        }
        '\'' if is(at + 1, '\\') => find(at + 3, "'"),
        '\'' if is(at + 2, '\'') => at + 3,
        _ => at,
    }
}

/// The crates in the order of the table of rooms.
fn rooms() -> Vec<String> {
    let text = architecture();
    let table = text.split("## The rooms").nth(1).expect("a table of rooms");
    let rows = table.lines().skip_while(|line| !line.starts_with('|')).take_while(|line| line.starts_with('|'));
    rows.filter_map(|row| row.strip_prefix("| `")?.split('`').next().map(String::from)).collect()
}

/// By name of a crate: its folder.
fn folders() -> BTreeMap<String, String> {
    let mut out = BTreeMap::new();
    for manifest in all("crates", "Cargo.toml") {
        let folder = manifest.parent().and_then(Path::file_name).unwrap_or_default().to_string_lossy().into_owned();
        let text = text(&manifest);
        let name = text.lines().find_map(|line| line.strip_prefix("name = \"")?.split('"').next());
        out.insert(name.expect("a crate has a name").to_string(), folder);
    }
    out
}

/// The crates of ours that a crate is built with; what only its tests use does not count.
fn used(folder: &str) -> Vec<String> {
    let (folders, mut out, mut counts) = (folders(), Vec::new(), false);
    for line in text(&root().join("crates").join(folder).join("Cargo.toml")).lines() {
        if line.starts_with('[') {
            counts = line.ends_with("dependencies]") && !line.contains("dev-dependencies");
        }
        let name = line.split(['.', ' ', '=']).next().unwrap_or_default();
        if let Some(used) = folders.get(name).filter(|_| counts) {
            out.push(used.clone());
        }
    }
    out
}

#[test]
fn every_crate_has_a_room_and_uses_only_those_above_it() {
    let (rooms, folders) = (rooms(), folders());
    let there: BTreeSet<_> = folders.values().collect();
    assert_eq!(rooms.iter().collect::<BTreeSet<_>>(), there, "the table of rooms and the folder `crates`");
    for (place, room) in rooms.iter().enumerate() {
        for used in used(room) {
            assert!(rooms[..place].contains(&used), "`{room}` uses `{used}`, which does not stand above it");
        }
    }
}

#[test]
fn members_of_the_workspace_stand_below_what_they_use() {
    let text = text(&root().join("Cargo.toml"));
    let list = text.split("\nmembers = [").nth(1).and_then(|rest| rest.split(']').next()).expect("a list of members");
    let members: Vec<&str> = list.split('"').filter_map(|word| word.strip_prefix("crates/")).collect();
    for (place, member) in members.iter().enumerate() {
        for used in used(member) {
            assert!(members[..place].contains(&&*used), "`{member}` uses `{used}`, which does not stand above it");
        }
    }
}

#[test]
fn unsafe_code_is_where_the_architecture_says() {
    let text = architecture();
    let item = text.split("\n- ").find(|item| item.starts_with("Unsafe code")).expect("an item about unsafe code");
    let (folders, mut named, mut at) = (folders(), BTreeSet::new(), "");
    for word in quoted(item.split("\n\n").next().unwrap_or_default()) {
        if folders.values().any(|folder| folder == word) {
            at = word;
        } else if word.ends_with(".rs") {
            named.insert(format!("crates/{at}/src/{word}"));
        }
    }
    let unsafe_word = |line: &str| line.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == "unsafe");
    let sources = all("crates", ".rs");
    let found = sources.iter().filter(|path| code(&self::text(path)).lines().any(unsafe_word));
    assert_eq!(found.map(|path| short(path)).collect::<BTreeSet<_>>(), named);
}

/// The sentence with which a file begins.
fn opening(text: &str) -> Option<String> {
    let lines = text.lines().map_while(|line| line.strip_prefix("//!")).take_while(|line| !line.trim().is_empty());
    let words = lines.map(str::trim).collect::<Vec<_>>().join(" ");
    let sentence = words.split_inclusive(". ").next()?.trim();
    (!sentence.is_empty()).then(|| sentence.to_string())
}

#[test]
fn every_file_says_first_what_it_is_for_and_no_two_say_the_same() {
    let mut known: BTreeMap<String, PathBuf> = BTreeMap::new();
    for path in all("crates", ".rs") {
        let opening = opening(&text(&path)).unwrap_or_else(|| panic!("{} begins without a sentence", short(&path)));
        if let Some(other) = known.insert(opening.clone(), path.clone()) {
            panic!("{} and {} begin alike: {opening}", short(&other), short(&path));
        }
    }
}

/// A document without what it shows as it is: blocks of code, and words between backticks.
fn prose(text: &str) -> String {
    let (mut out, mut fenced) = (String::new(), false);
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
        } else if !fenced && !line.starts_with("    ") {
            let plain = line.split('`').enumerate();
            out.extend(plain.map(|(number, part)| if number % 2 == 0 { part } else { "x" }));
        }
        out.push('\n');
    }
    out
}

/// The name by which a heading can be linked to.
fn anchor(heading: &str) -> String {
    let kept = heading.trim().chars().filter(|c| c.is_alphanumeric() || " -_".contains(*c));
    kept.flat_map(char::to_lowercase).map(|c| if c == ' ' { '-' } else { c }).collect()
}

fn headings(text: &str) -> BTreeSet<String> {
    let lines = text.lines().filter(|line| line.starts_with('#'));
    lines.map(|line| anchor(line.trim_start_matches('#'))).collect()
}

#[test]
fn links_between_documents_lead_somewhere() {
    let mut wrong = Vec::new();
    for path in all("", ".md") {
        let text = text(&path);
        // The target of a link is no word between backticks, but its text may be one.
        for target in prose(&text).split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            let (file, heading) = target.split_once('#').unwrap_or((target, ""));
            if file.contains("://") || file.starts_with("mailto:") {
                continue;
            }
            let there = if file.is_empty() { path.clone() } else { path.with_file_name(file) };
            let found = there.exists() && (heading.is_empty() || headings(&self::text(&there)).contains(heading));
            if !found {
                wrong.push(format!("{}: {target}", short(&path)));
            }
        }
    }
    assert!(wrong.is_empty(), "links that lead nowhere: {wrong:#?}");
}

#[test]
fn files_that_documents_name_exist() {
    let sources: Vec<String> = all("crates", ".rs").iter().map(|path| format!("/{}", short(path))).collect();
    let is_path =
        |word: &&str| word.ends_with(".rs") && word.chars().all(|c| c.is_alphanumeric() || "_-/.".contains(c));
    let mut wrong = Vec::new();
    // The changelog tells what was; all others tell what is.
    for path in all("", ".md").into_iter().filter(|path| !path.ends_with("CHANGELOG.md")) {
        for word in quoted(&text(&path)).filter(is_path) {
            if !sources.iter().any(|source| source.ends_with(&format!("/{word}"))) {
                wrong.push(format!("{}: {word}", short(&path)));
            }
        }
    }
    assert!(wrong.is_empty(), "files that do not exist: {wrong:#?}");
}

/// The number of methods of each public trait of this name in a source text without comments.
fn methods(code: &str, name: &str) -> Vec<usize> {
    let starts = code.match_indices("pub trait ").map(|(at, head)| &code[at + head.len()..]);
    let own = starts.filter(|rest| rest.split(|c: char| !c.is_alphanumeric() && c != '_').next() == Some(name));
    own.map(count_functions).collect()
}

/// The functions between the next opening brace and the one that closes it, those inside of others left out.
fn count_functions(code: &str) -> usize {
    let (mut depth, mut count, mut word) = (0, 0, String::new());
    for c in code.chars() {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        if c.is_alphanumeric() || c == '_' {
            word.push(c);
            continue;
        }
        count += usize::from(depth == 1 && word == "fn");
        word.clear();
        if depth == 0 && c == '}' {
            break;
        }
    }
    count
}

#[test]
fn central_traits_stay_narrow() {
    let sources: Vec<String> = all("crates", ".rs")
        .iter()
        .filter(|path| short(path).contains("/src/"))
        .map(|path| text(path))
        .filter(|text| text.contains("pub trait "))
        .map(|text| code(&text))
        .collect();
    for (name, most) in WIDEST {
        let found: Vec<usize> = sources.iter().flat_map(|code| methods(code, name)).collect();
        assert_eq!(found.len(), 1, "there should be one trait `{name}`");
        assert!(found[0] <= most, "`{name}` has {} methods, and {most} at most", found[0]);
    }
}

/// The types for which a trait is implemented in a source text without comments.
fn implementers<'c>(code: &'c str, name: &str) -> Vec<&'c str> {
    let head = format!(" {name} for ");
    let heads = code.lines().filter(|line| line.trim_start().starts_with("impl"));
    let rest = heads.filter_map(|line| line.split_once(head.as_str())).map(|(_, rest)| rest);
    rest.filter_map(|rest| rest.split(|c: char| !c.is_alphanumeric() && c != '_' && c != '$').next()).collect()
}

#[test]
fn whatever_is_around_a_system_is_shown_to_lose_nothing() {
    let sources: Vec<(String, String)> = all("crates", ".rs")
        .iter()
        .filter(|path| short(path).contains("/src/") && !short(path).contains("/tests/"))
        .map(|path| (short(path), code(&text(path))))
        .collect();
    let mut found: BTreeSet<&str> = sources.iter().flat_map(|(_, code)| implementers(code, "System")).collect();
    // What a macro makes is named where it is used.
    assert!(found.remove("$name"), "the layers of fairness are made by a macro");
    let made = sources.iter().flat_map(|(_, code)| code.split("around!(").skip(1));
    found.extend(made.filter_map(|rest| rest.split(',').next()));
    assert_eq!(found, SYSTEMS.iter().map(|s| s.0).collect(), "a new system, or one that is gone: see `SYSTEMS`");
    for (name, shown) in SYSTEMS.iter().filter_map(|s| Some((s.0, s.1?))) {
        let code = code(&text(&root().join(shown)));
        let named = code.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == name);
        assert!(named && code.contains("lose_nothing("), "{shown} does not show that `{name}` loses nothing");
    }
}

/// Traits around which things are wrapped: a method with a body of its own would be lost by a wrapper that does not know it.
const WITHOUT_DEFAULTS: [&str; 8] =
    ["System", "Stepper", "StateSet", "StateStore", "Normaliser", "Reducer", "Chooser", "Monitor"];

/// The functions with a body in the next trait, and the constants with a value.
fn defaulted(code: &str) -> usize {
    let (mut depth, mut found) = (0, 0);
    for c in code.chars() {
        match c {
            '=' => found += usize::from(depth == 1),
            '{' => {
                depth += 1;
                found += usize::from(depth == 2);
            }
            '}' => depth -= 1,
            _ => {}
        }
        if depth == 0 && c == '}' {
            break;
        }
    }
    found
}

#[test]
fn what_is_wrapped_has_no_methods_that_a_wrapper_can_lose() {
    let mut met = BTreeSet::new();
    for path in all("crates", ".rs").iter().filter(|path| short(path).contains("/src/")) {
        let code = code(&text(path));
        for (at, head) in code.match_indices("pub trait ") {
            let rest = &code[at + head.len()..];
            let name = rest.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or_default();
            let wrapped = WITHOUT_DEFAULTS.contains(&name);
            met.extend(wrapped.then(|| name.to_string()));
            let lost = if wrapped { defaulted(rest) } else { 0 };
            assert_eq!(lost, 0, "`{name}` in {} has methods that a wrapper can lose", short(path));
        }
    }
    assert_eq!(met.len(), WITHOUT_DEFAULTS.len(), "only {met:?} are there");
    assert_eq!(defaulted("A { const X: u8; fn x(&self); }"), 0);
    assert_eq!(defaulted("A { const X: u8 = 1; fn x(&self) { y } fn z(&self) -> u8; }"), 2);
}

#[test]
fn a_source_text_is_read_without_its_comments_and_strings() {
    let text = "a /* unsafe */ b // unsafe\nc \"unsafe \\\" unsafe\" d r#\"unsafe\"# 'u' '\\'' <'a> e";
    let words: Vec<String> = code(text).split_whitespace().map(String::from).collect();
    assert_eq!(words, ["a", "b", "c", "d", "<'a>", "e"]);
    assert_eq!(methods("pub trait A { fn x(&self) { fn inner() {} } fn y(); } pub trait B { fn z(); }", "A"), [2]);
}

#[test]
fn a_document_is_read_without_its_code() {
    assert_eq!(prose("a [`b`](c)\n```\n[d](e)\n```\n    [f](g)\nh"), "a [x](c)\n\n\n\n\nh\n");
    assert_eq!(anchor(" What `runs` by default, 2?"), "what-runs-by-default-2");
    assert_eq!(opening("//! One thing. Another.\n//!\n//! More."), Some("One thing.".to_string()));
}
