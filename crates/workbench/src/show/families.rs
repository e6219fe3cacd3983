//! Which processes are interchangeable and what says so: families, what variables hold, and what is in the way; as text and as data.

use crate::open::Opened;
use crate::symmetry::{Interchangeable, interchangeable};
use serde_json::{Value, json};
use starwheel_base::Span;
use starwheel_model::{Model, ProctypeId, Var};
use starwheel_symmetry::{Inferred, Meaning, Obstacle, Symmetry, infer_within};
use std::fmt::Write;

/// The model alone, and in step with each formula that was asked for.
fn searches(opened: &Opened) -> Vec<(Option<&str>, Inferred)> {
    let model = |claim| infer_within(&opened.model, claim, &opened.reading.until);
    let formulas = opened.formulas.iter().map(|(name, claim)| (Some(name.as_str()), model(Some(*claim))));
    std::iter::once((None, model(None))).chain(formulas).collect()
}

/// As text.
pub fn list(opened: &Opened) -> String {
    let mut out = String::new();
    for (formula, found) in searches(opened) {
        if let Some(name) = formula {
            let _ = writeln!(out, "\nfor `{name}`\n");
        }
        match &found.symmetry {
            Some(symmetry) => families(opened, symmetry, &mut out),
            None => out.push_str("no processes are interchangeable\n"),
        }
        if !found.obstacles.is_empty() {
            out.push_str("\nin the way\n");
        }
        for obstacle in &found.obstacles {
            let place = line(opened, obstacle).map_or(String::new(), |line| format!("line {line:<4} "));
            let _ = writeln!(out, "  {place}{}", obstacle.message);
            obstacle.advice.iter().for_each(|advice| {
                let _ = writeln!(out, "    {advice}");
            });
        }
    }
    out
}

fn families(opened: &Opened, symmetry: &Symmetry, out: &mut String) {
    for family in interchangeable(opened, symmetry) {
        let Interchangeable { proctypes, size, blocks, values } = family;
        let _ = writeln!(out, "family {}: {size} members", proctypes.join(" with "));
        if let Some(values) = values {
            let _ = writeln!(out, "  called     {}", numbers(&values));
        }
        for block in blocks {
            let _ = match block[..] {
                [alone] => writeln!(out, "  apart      process {alone}"),
                _ => writeln!(out, "  alike      processes {}", numbers(&block)),
            };
        }
    }
    let means: Vec<String> = symmetry.meanings.iter().filter_map(|m| meaning(&opened.model, m)).collect();
    if !means.is_empty() {
        out.push_str("\nvariables\n");
    }
    for text in means {
        let _ = writeln!(out, "  {text}");
    }
}

fn numbers<T: ToString>(list: &[T]) -> String {
    list.iter().map(T::to_string).collect::<Vec<_>>().join(", ")
}

/// The variable that a meaning is about.
fn variable<'m>(model: &'m Model, m: &Meaning) -> Option<&'m Var> {
    let list = m.owner.map_or(&model.globals, |owner| &model.proctype(owner).locals);
    list.iter().rfind(|v| v.place.offset <= m.offset)
}

fn types(model: &Model, list: &[ProctypeId]) -> Vec<String> {
    let mut names: Vec<String> = list.iter().map(|id| model.proctype(*id).name.to_string()).collect();
    names.dedup();
    names
}

fn meaning(model: &Model, m: &Meaning) -> Option<String> {
    let owner = m.owner.map_or(String::new(), |id| format!(" of {}", model.proctype(id).name));
    let part = |what: &str, list: &[ProctypeId]| {
        (!list.is_empty()).then(|| format!("{what} {}", types(model, list).join(", ")))
    };
    let parts: Vec<String> = [part("indexed by", &m.indexed), part("holds", &m.holds)].into_iter().flatten().collect();
    Some(format!("{}{owner}: {}", variable(model, m)?.name, parts.join(", ")))
}

/// The line of an obstacle, if it has one.
fn line(opened: &Opened, obstacle: &Obstacle) -> Option<u32> {
    (obstacle.span != Span::default()).then(|| opened.map.line(obstacle.span))
}

/// As data.
pub fn json(opened: &Opened) -> Value {
    let model = &opened.model;
    let obstacle = |o: &Obstacle| json!({ "line": line(opened, o), "message": o.message, "advice": o.advice });
    let variable = |m: &Meaning| {
        let owner = m.owner.map(|id| model.proctype(id).name.to_string());
        let name = variable(model, m).map(|v| v.name.to_string());
        json!({
            "name": name, "proctype": owner, "holds": types(model, &m.holds), "indexed_by": types(model, &m.indexed),
        })
    };
    let one = |(formula, found): (Option<&str>, Inferred)| {
        let symmetry = found.symmetry.as_ref();
        json!({
            "property": formula,
            "families": symmetry.map_or(Vec::new(), |s| interchangeable(opened, s)),
            "variables": symmetry.map_or(Vec::new(), |s| s.meanings.iter().map(variable).collect()),
            "group_order": symmetry.map_or(1, Symmetry::order),
            "obstacles": found.obstacles.iter().map(obstacle).collect::<Vec<_>>(),
        })
    };
    json!({
        "version": crate::report::FORMAT,
        "tool": crate::report::TOOL,
        "model": opened.path.display().to_string(),
        "searches": searches(opened).into_iter().map(one).collect::<Vec<_>>(),
    })
}
