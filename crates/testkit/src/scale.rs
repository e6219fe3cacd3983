//! Large models of a few shapes, as many lines as wanted: what a program would write, or someone who copies a lot.

use std::fmt::Write;

/// Writes a model of about so many lines that waits for ever in its first state.
pub type Make = fn(usize) -> String;

/// The shapes by name.
pub const SHAPES: [(&str, Make); 8] = [
    ("selections", selections),
    ("proctypes", proctypes),
    ("inlines", inlines),
    ("macros", macros),
    ("variables", variables),
    ("arrays", arrays),
    ("processes", processes),
    ("labels", labels),
];

/// Locations of a process type are numbered in two bytes.
const BODY: usize = 5_000;

/// A model whose processes wait before they do what `line` says, in bodies that are not too long.
fn bodies(head: &str, lines: usize, body: usize, line: impl Fn(usize) -> String) -> String {
    let mut text = format!("byte go, x, a[7];\n{head}");
    for (number, first) in (0..lines).step_by(body.max(1)).enumerate() {
        let _ = writeln!(text, "active proctype P{number}()\n{{ byte y;\n\tgo == 1;");
        for i in first..lines.min(first + body) {
            let _ = writeln!(text, "\t{}", line(i));
        }
        text += "\ty = x\n}\n";
    }
    text
}

/// Four lines.
fn selection(i: usize) -> String {
    format!("if\n\t:: a[{}] == {} -> x = {}; y++\n\t:: else -> skip\n\tfi;", i % 7, i % 5, i % 200)
}

fn selections(lines: usize) -> String {
    bodies("", lines / 4, BODY, selection)
}

fn proctypes(lines: usize) -> String {
    bodies("", lines / 4, lines.div_ceil(800), selection)
}

fn inlines(lines: usize) -> String {
    let half = lines / 2;
    let mut head = String::new();
    for i in 0..half {
        let _ = writeln!(head, "inline add{i}(v) {{ byte t; t = v + {}; v = t }}", i % 9);
    }
    bodies(&head, half, BODY, |i| format!("add{i}(y);"))
}

fn macros(lines: usize) -> String {
    let half = lines / 2;
    let mut head = String::new();
    for i in 0..half {
        let _ = writeln!(head, "#define STEP{i}(v) v = v + {}; x = v", i % 9);
    }
    bodies(&head, half, BODY, |i| format!("STEP{i}(y);"))
}

fn variables(lines: usize) -> String {
    let half = lines / 2;
    let head: String = (0..half).map(|i| format!("byte v{i};\n")).collect();
    bodies(&head, half, BODY, |i| format!("v{i} = v{} + 1;", (i * 7) % half.max(1)))
}

/// States of up to four hundred thousand bytes.
fn arrays(lines: usize) -> String {
    let head = format!("int wide[{}];\n", lines);
    bodies(&head, lines.min(BODY), BODY, |i| format!("wide[{i}] = wide[y] + 1;"))
}

/// As many processes as there may be.
fn processes(lines: usize) -> String {
    let mut text = bodies("", lines / 4, BODY, selection).replace("active proctype", "proctype");
    let kinds = (lines / 4).div_ceil(BODY);
    text += "init { atomic {\n";
    for i in 0..250 {
        let _ = writeln!(text, "\trun P{}();", i % kinds);
    }
    text + "} }\n"
}

fn labels(lines: usize) -> String {
    bodies("", lines, BODY, |i| format!("L{i}: if :: x == {} -> goto L{} :: else fi;", i % 200, i - i % BODY))
}

/// Two processes that go round over so many selections.
pub fn many_ifs(count: usize) -> String {
    let mut text = "byte g; byte a[4];\nactive [2] proctype P() {\n\tbyte x;\n\tdo\n\t::\n".to_string();
    for i in 0..count {
        let _ = writeln!(text, "\t\tif :: a[{}] == {} -> g = {}; x++ :: else -> skip fi;", i % 4, i % 7, i % 200);
    }
    text + "\tod\n}\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn models_have_about_the_lines_that_were_wanted() {
        for (name, make) in SHAPES.iter().filter(|(name, _)| *name != "arrays") {
            let lines = make(2_000).lines().count();
            assert!((2_000..3_000).contains(&lines), "{name}: {lines}");
        }
    }
}
