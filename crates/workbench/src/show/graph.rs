//! The automata of a model, as text and for Graphviz.

use crate::open::Opened;
use crate::problem::{Code, Failure, Problem};
use crate::report::coverage::connected;
use crate::show::short;
use crate::written::{self, Where};
use starwheel_model::{Location, Proctype, ProctypeId, Stmt, Transition, text};
use std::fmt::Write;

/// The proctypes to show: all, or the one with this name.
pub fn select(opened: &Opened, name: Option<&str>) -> Result<Vec<ProctypeId>, Failure> {
    let all = &opened.model.proctypes;
    let fits = |p: &Proctype| name.is_none_or(|n| *p.name == *n || p.name.trim_matches(':') == n);
    let ids: Vec<_> = (0..all.len()).filter(|&i| fits(&all[i])).map(|i| ProctypeId(i as u8)).collect();
    if ids.is_empty() {
        let names: Vec<_> = all.iter().map(|p| format!("`{}`", p.name)).collect();
        let what = if opened.translated { "process" } else { "proctype" };
        let message = format!("there is no {what} `{}`", name.unwrap_or(""));
        return Err(Problem::error(Code::UnknownProctype, message)
            .advise(format!("there are {}", names.join(", ")))
            .into());
    }
    Ok(ids)
}

/// The automata as text: one line for each transition.
pub fn list(opened: &Opened, ids: &[ProctypeId]) -> String {
    let mut out = String::new();
    for &id in ids {
        let p = opened.model.proctype(id);
        let (file, at) = opened.map.locate(p.span);
        let what = if opened.translated { "process" } else { "proctype" };
        let _ = writeln!(out, "{what} {} ({file}:{})", p.name, at.line);
        for (number, loc) in locations(opened, p) {
            let _ = match opened.translated {
                true => writeln!(out, "  {}{}", called(p, number), signs(p, number, loc)),
                false => writeln!(out, "  state {number}{}", marks(p, number, loc)),
            };
            for &t in &loc.out {
                let t = opened.model.transition(t);
                let statement = written::of(opened, t);
                let place = Where::always(&opened.map, t.span).at;
                let line = if place.file == file {
                    place.line.to_string()
                } else {
                    format!("{}:{}", short(&place.file), place.line)
                };
                let target = match opened.translated {
                    _ if t.stmt == Stmt::End => "gone".to_string(),
                    true => called(p, t.to.0),
                    false => format!("state {}", t.to.0),
                };
                let _ = writeln!(out, "    -> {target:<10} line {line:<4} {statement}{}", notes(opened, t));
            }
        }
        out.push('\n');
    }
    out
}

/// The automata as a Graphviz file.
pub fn dot(opened: &Opened, ids: &[ProctypeId]) -> String {
    let mut out =
        String::from("digraph model {\n  node [shape=circle, fontname=monospace];\n  edge [fontname=monospace];\n");
    for &id in ids {
        let p = opened.model.proctype(id);
        let _ = writeln!(out, "  subgraph cluster_{} {{\n    label=\"{}\";", id.0, escape(&p.name));
        let _ = writeln!(out, "    p{}_gone [shape=point];", id.0);
        for (number, loc) in locations(opened, p) {
            // A label would blow a circle up.
            let (circle, border) = (loc.labels.is_empty(), if loc.end || loc.accept { ", peripheries=2" } else { "" });
            let shape = if circle { "circle" } else { "box" };
            let bold = if p.start.0 == number { ", style=bold" } else { "" };
            let label = escape(&format!("{number}{}", labels(loc)));
            let _ = writeln!(out, "    p{}_{number} [label=\"{label}\", shape={shape}{border}{bold}];", id.0);
        }
        for (number, loc) in locations(opened, p) {
            for &t in &loc.out {
                let t = opened.model.transition(t);
                let line = Where::always(&opened.map, t.span).at.line;
                let label = format!("{}\\n{line}", escape(&written::of(opened, t)));
                let style = if t.atomic { ", style=bold" } else { "" };
                let target = if t.stmt == Stmt::End { "gone".to_string() } else { t.to.0.to_string() };
                let _ = writeln!(out, "    p{0}_{number} -> p{0}_{target} [label=\"{label}\"{style}];", id.0);
            }
        }
        out.push_str("  }\n");
    }
    out.push_str("}\n");
    out
}

/// The automata as data.
pub fn json(opened: &Opened, ids: &[ProctypeId]) -> serde_json::Value {
    let transition = |t: &Transition| {
        let Where { at, via } = Where::always(&opened.map, t.span);
        serde_json::json!({
            "to": t.to.0, "text": written::of(opened, t), "spin_text": text::stmt(&opened.model, &t.stmt),
            "file": at.file, "line": at.line, "at": at, "via": via, "atomic": t.atomic,
        })
    };
    let location = |(number, loc): (u16, &Location)| {
        let out: Vec<_> = loc.out.iter().map(|&t| transition(opened.model.transition(t))).collect();
        serde_json::json!({
            "state": number, "labels": loc.labels.iter().map(|l| l.to_string()).collect::<Vec<_>>(),
            "end": loc.end, "accept": loc.accept, "progress": loc.progress, "transitions": out,
        })
    };
    let proctype = |&id: &ProctypeId| {
        let p = opened.model.proctype(id);
        let states: Vec<_> = locations(opened, p).map(location).collect();
        serde_json::json!({ "name": p.name.to_string(), "start": p.start.0, "states": states })
    };
    serde_json::json!({
        "version": crate::report::FORMAT,
        "tool": crate::report::TOOL,
        "model": opened.path.display().to_string(),
        "proctypes": ids.iter().map(proctype).collect::<Vec<_>>(),
    })
}

/// The locations that a process can come to, and their numbers.
fn locations<'a>(opened: &'a Opened, p: &'a Proctype) -> impl Iterator<Item = (u16, &'a Location)> {
    connected(&opened.model, p).into_iter().map(|l| (l.0, &p.locs[l.index()])).filter(|(_, l)| !l.out.is_empty())
}

/// What a location of a translation is called: a state of the text, or a point on the way to one.
fn called(p: &Proctype, number: u16) -> String {
    // Labels that the text does not have begin with an underscore, and those that say where a process may rest with `end_`.
    let of_text = |l: &&std::sync::Arc<str>| !l.starts_with('_') && !l.starts_with("end_");
    let name = p.locs.get(usize::from(number)).and_then(|loc| loc.labels.iter().find(of_text));
    name.map_or_else(|| format!("point {number}"), |name| format!("state {name}"))
}

fn marks(p: &Proctype, number: u16, loc: &Location) -> String {
    labels(loc) + &signs(p, number, loc)
}

fn signs(p: &Proctype, number: u16, loc: &Location) -> String {
    let mut out = String::new();
    for (yes, word) in [(p.start.0 == number, "start"), (loc.end, "valid end"), (loc.accept, "accept")] {
        if yes {
            let _ = write!(out, " [{word}]");
        }
    }
    if loc.progress {
        out.push_str(" [progress]");
    }
    out
}

fn labels(loc: &Location) -> String {
    loc.labels.iter().map(|l| format!(" {l}:")).collect()
}

fn notes(opened: &Opened, t: &Transition) -> String {
    let mut out = String::new();
    if t.atomic {
        out.push_str(if opened.translated { "  (goes on at once)" } else { "  (keeps control)" });
    }
    if t.escape > 0 {
        out.push_str("  (escape)");
    }
    if !t.resets.is_empty() {
        let names: Vec<_> = t.resets.iter().map(|r| text::place(&opened.model, r)).collect();
        let _ = write!(out, "  (resets {})", names.join(", "));
    }
    out
}

fn escape(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', " ")
}
