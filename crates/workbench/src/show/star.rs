//! How a model is decoupled: center, leaves, and who reads and writes what; as text, for Graphviz and as data.

use crate::open::Opened;
use crate::written::{self, Where};
use serde_json::{Value, json};
use starwheel_decouple::{Decomposition, refusal, visible};
use starwheel_model::footprint::{Bytes, Footprint, Ops, Touch};
use starwheel_model::{Model, ProctypeId, ProctypeKind, Shown, TransId, Var, text};
use std::collections::BTreeSet;
use std::fmt::Write;

/// A formula, and the statements that it sees, by transition.
struct Sight {
    name: String,
    visible: Vec<bool>,
}

/// One process type and its part in the star.
struct Ray {
    id: ProctypeId,
    leaf: bool,
    reads: BTreeSet<String>,
    writes: BTreeSet<String>,
    leaf_steps: usize,
    center_steps: Vec<TransId>,
    /// Leaf steps that are center steps in the search for a formula.
    seen_steps: Vec<TransId>,
}

/// The star as text.
pub fn list(opened: &Opened) -> String {
    let (model, sights) = (&opened.model, sights(opened));
    let rays = rays(model, &sights);
    let mut out = String::from("center\n");
    let _ = writeln!(out, "  variables  {}", names(variables(model)));
    let _ = writeln!(out, "  channels   {}", names(channels(model)));
    let center = rays.iter().filter(|r| !r.leaf).map(|r| model.proctype(r.id).name.to_string());
    let _ = writeln!(out, "  processes  {}", names(center));
    for ray in &rays {
        let p = model.proctype(ray.id);
        let part = if ray.leaf { "leaf" } else { "in the center" };
        let (file, at) = opened.map.locate(p.span);
        let _ = writeln!(out, "\n{part}: {} ({file}:{})", p.name, at.line);
        let _ = writeln!(out, "  reads      {}", names(ray.reads.iter().cloned()));
        let _ = writeln!(out, "  writes     {}", names(ray.writes.iter().cloned()));
        let _ = writeln!(out, "  {} leaf steps, {} center steps", ray.leaf_steps, ray.center_steps.len());
        for &t in &ray.center_steps {
            let _ = writeln!(out, "    {}", step(opened, &sights, t));
        }
        if !ray.seen_steps.is_empty() {
            out.push_str("  leaf steps that a formula sees, center steps in the search for it\n");
        }
        for &t in &ray.seen_steps {
            let _ = writeln!(out, "    {}", step(opened, &sights, t));
        }
    }
    if let Some(why) = refusal(model) {
        let line = opened.map.line(why.span);
        let _ = writeln!(out, "\n`check --decouple` refuses this model: it cannot treat {} (line {line})", why.what);
    }
    out
}

/// A statement with its line, and the formulas that see it.
fn step(opened: &Opened, sights: &[Sight], trans: TransId) -> String {
    let t = opened.model.transition(trans);
    let line = format!("line {:<4} {}", Where::always(&opened.map, t.span).at.line, written::of(opened, t));
    match seen_by(sights, trans) {
        seen if seen.is_empty() => line,
        seen => format!("{line}    (seen by {})", seen.join(", ")),
    }
}

fn sights(opened: &Opened) -> Vec<Sight> {
    let sight =
        |(name, claim): &(String, ProctypeId)| Sight { name: name.clone(), visible: visible(&opened.model, *claim) };
    opened.formulas.iter().map(sight).collect()
}

/// The formulas that see a statement.
fn seen_by(sights: &[Sight], trans: TransId) -> Vec<&str> {
    sights.iter().filter(|s| s.visible[trans.index()]).map(|s| s.name.as_str()).collect()
}

/// The star for Graphviz: the center in the middle, an arrow for what a process type reads and one for what it writes.
pub fn dot(opened: &Opened) -> String {
    let model = &opened.model;
    let mut out =
        String::from("digraph star {\n  layout=circo;\n  node [fontname=monospace];\n  edge [fontname=monospace];\n");
    let parts = names(variables(model).chain(channels(model)));
    let _ = writeln!(out, "  center [shape=box, label=\"center\\n{}\"];", escape(&parts));
    let sights = sights(opened);
    for ray in rays(model, &sights) {
        let shape = if ray.leaf { "ellipse" } else { "box" };
        let name = escape(&model.proctype(ray.id).name);
        let _ = writeln!(out, "  p{} [shape={shape}, label=\"{name}\"];", ray.id.0);
        for (set, from, to) in [
            (&ray.reads, "center".to_string(), format!("p{}", ray.id.0)),
            (&ray.writes, format!("p{}", ray.id.0), "center".to_string()),
        ] {
            if !set.is_empty() {
                let _ = writeln!(out, "  {from} -> {to} [label=\"{}\"];", escape(&names(set.iter().cloned())));
            }
        }
        for (number, sight) in sights.iter().enumerate() {
            let steps = ray.center_steps.iter().chain(&ray.seen_steps).filter(|t| sight.visible[t.index()]);
            let lines: BTreeSet<_> =
                steps.map(|&t| Where::always(&opened.map, model.transition(t).span).at.line).collect();
            if !lines.is_empty() {
                let lines = names(lines.iter().map(|l| l.to_string()));
                let _ = writeln!(out, "  p{} -> f{number} [style=dashed, label=\"line {lines}\"];", ray.id.0);
            }
        }
    }
    for (number, sight) in sights.iter().enumerate() {
        let _ = writeln!(out, "  f{number} [shape=diamond, label=\"{}\"];", escape(&sight.name));
    }
    out.push_str("}\n");
    out
}

/// The star as data.
pub fn json(opened: &Opened) -> Value {
    let model = &opened.model;
    let sights = sights(opened);
    let ray = |r: Ray| {
        let step = |&id: &TransId| {
            let t = model.transition(id);
            let seen_by = seen_by(&sights, id);
            let line = Where::always(&opened.map, t.span).at.line;
            let (text, spin_text) = (written::of(opened, t), text::stmt(model, &t.stmt));
            json!({ "line": line, "text": text, "spin_text": spin_text, "seen_by": seen_by })
        };
        let steps: Vec<_> = r.center_steps.iter().map(step).collect();
        let seen: Vec<_> = r.seen_steps.iter().map(step).collect();
        json!({
            "proctype": model.proctype(r.id).name.to_string(), "leaf": r.leaf, "reads": r.reads, "writes": r.writes,
            "leaf_steps": r.leaf_steps, "center_steps": steps, "seen_steps": seen,
        })
    };
    json!({
        "version": crate::report::FORMAT,
        "tool": crate::report::TOOL,
        "model": opened.path.display().to_string(),
        "center": {
            "variables": variables(model).collect::<Vec<_>>(),
            "channels": channels(model).collect::<Vec<_>>(),
        },
        "processes": rays(model, &sights).into_iter().map(ray).collect::<Vec<_>>(),
        "refused": refusal(model).map(|r| json!({ "what": r.what, "line": opened.map.line(r.span) })),
    })
}

fn names(list: impl Iterator<Item = String>) -> String {
    let all: Vec<_> = list.collect();
    if all.is_empty() { "none".to_string() } else { all.join(", ") }
}

/// The global variables that are no names of channels.
fn variables(model: &Model) -> impl Iterator<Item = String> {
    model.globals.iter().filter(|v| v.shown != Shown::Channel).map(|v| v.name.to_string())
}

fn channels(model: &Model) -> impl Iterator<Item = String> {
    model.channels.iter().map(|c| format!("{} [{}]", c.name, c.capacity))
}

fn escape(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"")
}

fn rays(model: &Model, sights: &[Sight]) -> Vec<Ray> {
    let parts = Decomposition::new(model);
    let process = |p: ProctypeId| matches!(model.proctype(p).kind, ProctypeKind::Process | ProctypeKind::Init);
    (0..model.proctypes.len())
        .map(|i| ProctypeId(i as u8))
        .filter(|&p| process(p))
        .map(|id| ray(model, &parts, sights, id))
        .collect()
}

fn ray(model: &Model, parts: &Decomposition, sights: &[Sight], id: ProctypeId) -> Ray {
    let mut ray = Ray {
        id,
        leaf: parts.is_leaf(id),
        reads: BTreeSet::new(),
        writes: BTreeSet::new(),
        leaf_steps: 0,
        center_steps: Vec::new(),
        seen_steps: Vec::new(),
    };
    for (i, _) in model.transitions.iter().enumerate().filter(|(_, t)| t.proctype == id) {
        let (t, f) = (TransId(i as u32), &parts.footprints[i]);
        match parts.is_leaf_step(t) {
            true if sights.iter().any(|s| s.visible[i]) => ray.seen_steps.push(t),
            true => ray.leaf_steps += 1,
            false => ray.center_steps.push(t),
        }
        ray.reads.extend(touched(model, &f.reads));
        ray.writes.extend(touched(model, &f.writes));
        used_channels(model, f, &mut ray);
    }
    ray
}

fn touched<'a>(model: &'a Model, touch: &'a Touch) -> impl Iterator<Item = String> + 'a {
    let hit = |v: &&Var| touch.globals.iter().any(|piece| overlaps(v, piece));
    model
        .globals
        .iter()
        .filter(|v| v.shown != Shown::Channel)
        .filter(move |v| v.place.region == starwheel_model::Region::Global)
        .filter(hit)
        .map(|v| v.name.to_string())
}

fn overlaps(v: &Var, (from, to): Bytes) -> bool {
    let span: u32 = v.place.dims.iter().map(|d| (d.len - 1) * d.stride).sum();
    let size = v.ty.size() * if v.place.dims.is_empty() { v.len.unwrap_or(1) } else { 1 };
    v.place.offset < to && from < v.place.offset + span + size
}

fn used_channels(model: &Model, f: &Footprint, ray: &mut Ray) {
    for &(c, ops) in &f.channels.known {
        let name = model.channel(c).name.to_string();
        if ops != Ops::QUERY {
            ray.writes.insert(name.clone());
        }
        ray.reads.insert(name);
    }
    if !f.channels.any.is_empty() {
        ray.reads.insert("any channel".to_string());
        if f.channels.any != Ops::QUERY {
            ray.writes.insert("any channel".to_string());
        }
    }
}
