//! A whole model as text: variables, channels, automata.

use super::{place, state, stmt};
use crate::ir::{Location, Model, Proctype, PropertyKind, Transition, Var};
use crate::place::Ty;
use std::fmt::{self, Write};

/// Everything in the model, for people and for tests.
pub fn dump(model: &Model) -> String {
    let mut out = String::new();
    let written = write_model(model, &mut out);
    debug_assert!(written.is_ok(), "writing to a string cannot fail");
    out
}

fn write_model(model: &Model, out: &mut String) -> fmt::Result {
    writeln!(out, "model {}", model.name)?;
    writeln!(
        out,
        "layout: hidden 0..{}, {}, globals {}..{}, processes from {}",
        model.layout.hidden,
        state::header(model),
        model.layout.globals_start(),
        model.layout.globals_start() + model.layout.globals,
        model.layout.processes
    )?;
    writeln!(out, "uses: {:?}", model.uses)?;
    for set in &model.symbols {
        let names: Vec<_> = set.names.iter().map(|(v, n)| format!("{n}={v}")).collect();
        writeln!(out, "mtype{}{} {{ {} }}", if set.name.is_empty() { "" } else { ":" }, set.name, names.join(", "))?;
    }
    for var in &model.globals {
        write_var(out, "", var)?;
    }
    write_channels(model, out)?;
    for s in &model.init {
        writeln!(out, "init: {}", stmt(model, s))?;
    }
    for s in &model.starts {
        writeln!(out, "start: {} priority {}", model.proctype(s.proctype).name, s.priority)?;
    }
    for (i, p) in model.proctypes.iter().enumerate() {
        write_proctype(model, i, p, out)?;
    }
    for p in &model.properties {
        let kind = match &p.kind {
            PropertyKind::Never(id) => format!("never claim {}", model.proctype(*id).name),
            PropertyKind::Ltl(f) => format!("ltl {f:?}"),
        };
        writeln!(out, "property {}: {kind}", p.name)?;
    }
    if let Some(t) = &model.trace {
        let word = if t.forbidden { "notrace" } else { "trace" };
        writeln!(out, "{word}: {}", model.proctype(t.proctype).name)?;
    }
    Ok(())
}

fn write_channels(model: &Model, out: &mut String) -> fmt::Result {
    for (i, (c, layout)) in model.channels.iter().zip(&model.layout.channels).enumerate() {
        let fields: Vec<_> = c.fields.iter().map(|f| ty(f.ty)).collect();
        let slots = c.capacity;
        writeln!(out, "chan #{i} {} = [{slots}] of {{ {} }} ({} bytes)", c.name, fields.join(", "), layout.size)?;
    }
    for (i, (c, at)) in model.global_channels.iter().zip(&model.layout.global_channels).enumerate() {
        writeln!(out, "channel {}: chan #{} at {at}, in {}", i + 1, c.channel.0, place(model, &c.place))?;
    }
    Ok(())
}

fn write_var(out: &mut String, indent: &str, var: &Var) -> fmt::Result {
    let len = var.len.map_or(String::new(), |n| format!("[{n}]"));
    write!(out, "{indent}{} {}{len} at {:?}+{}", ty(var.ty), var.name, var.place.region, var.place.offset)?;
    for (flag, word) in [(var.param, "param"), (var.promised_local, "local"), (var.show, "show")] {
        if flag {
            write!(out, " {word}")?;
        }
    }
    writeln!(out)
}

fn ty(ty: Ty) -> String {
    match ty {
        Ty::Bit => "bit".into(),
        Ty::Byte => "byte".into(),
        Ty::Short => "short".into(),
        Ty::Int => "int".into(),
        Ty::Unsigned(n) => format!("unsigned:{n}"),
        Ty::Timer => "timer".into(),
    }
}

fn write_proctype(model: &Model, number: usize, p: &Proctype, out: &mut String) -> fmt::Result {
    let frame = &model.layout.frames[number];
    write!(out, "proctype #{number} {} ({:?}), frame {} of {} bytes", p.name, p.kind, frame.frame, frame.total)?;
    write!(out, ", priority {}", p.priority)?;
    if p.deterministic {
        write!(out, ", deterministic")?;
    }
    if let Some(e) = &p.provided {
        write!(out, ", provided {}", super::expr(model, e))?;
    }
    writeln!(out)?;
    for var in &p.locals {
        write_var(out, "  ", var)?;
    }
    let params: Vec<_> = p.params.iter().map(|x| place(model, x)).collect();
    if !params.is_empty() {
        writeln!(out, "  params: {}", params.join(", "))?;
    }
    for (c, at) in p.channels.iter().zip(&frame.channels) {
        writeln!(out, "  channel: chan #{} at +{at}, in {}", c.channel.0, place(model, &c.place))?;
    }
    for s in &p.init {
        writeln!(out, "  init: {}", stmt(model, s))?;
    }
    for (i, loc) in p.locs.iter().enumerate() {
        write_location(model, i, loc, i == p.start.index(), out)?;
    }
    Ok(())
}

fn write_location(model: &Model, number: usize, loc: &Location, start: bool, out: &mut String) -> fmt::Result {
    if loc.out.is_empty() && loc.labels.is_empty() && !start {
        return Ok(());
    }
    write!(out, "  {number}:")?;
    for label in &loc.labels {
        write!(out, " {label}:")?;
    }
    for (flag, word) in [(start, "start"), (loc.end, "end"), (loc.accept, "accept"), (loc.progress, "progress")] {
        if flag {
            write!(out, " [{word}]")?;
        }
    }
    writeln!(out)?;
    for id in &loc.out {
        write_transition(model, id.0, model.transition(*id), number, out)?;
    }
    Ok(())
}

fn write_transition(model: &Model, number: u32, t: &Transition, at: usize, out: &mut String) -> fmt::Result {
    write!(out, "    t{number} -> {}: {}", t.to.0, stmt(model, &t.stmt))?;
    if t.atomic {
        write!(out, " [atomic]")?;
    }
    if t.escape > 0 {
        write!(out, " [escape {}]", t.escape)?;
    }
    if t.from.index() != at {
        write!(out, " [from {}]", t.from.0)?;
    }
    if !t.resets.is_empty() {
        let resets: Vec<_> = t.resets.iter().map(|x| place(model, x)).collect();
        write!(out, " [resets {}]", resets.join(", "))?;
    }
    writeln!(out)
}
