//! The forms in which a graph of states is written: AUT, Graphviz, lines of JSON, and Kripke structures in the HOA format.
//!
//! AUT is the format of CADP's Aldebaran, which mCRL2 and LTSmin read as well. A Kripke structure is written as Spot does it: an
//! automaton with labels on its states that accepts everything; a state without successors stays where it is.

use super::Exported;
use super::explore::{Audience, Edge, Ended, Shown};
use crate::open::Opened;
use crate::problem::{Code, Failure, Problem};
use crate::property::watched::{Truths, Watched};
use crate::trail::situation::situation;
use serde_json::json;
use starwheel_model::{Actor, Interp, Pid, ProcessStep, Step, TransId, text};
use std::fmt::Write as _;
use std::io::{self, Write};

/// How a graph is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Aldebaran's.
    Aut,
    /// For Graphviz.
    Dot,
    /// One JSON object a line.
    Json,
    /// HOA with labels on states.
    Kripke,
}

/// What a transition is called.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Labels {
    /// Who moves.
    Process,
    /// Who moves, and the statement.
    Statement,
    /// Who moves, the statement, and its line.
    #[default]
    Line,
}

/// Parts of a chain that are named.
const PARTS: usize = 1 << 10;

/// Where it is written to.
pub type Written<'a> = &'a mut dyn Write;

/// Writes states and transitions.
pub struct Writer<'a> {
    opened: &'a Opened,
    form: Form,
    labels: Labels,
    out: Written<'a>,
    /// For a Kripke structure.
    watched: Vec<Watched>,
    names: Vec<String>,
    interp: Interp<'a>,
    /// What was written so far.
    pub written: Exported,
}

/// The first line of an AUT file, whose length does not depend on the numbers.
pub fn aut_head(out: &mut dyn Write, counts: Exported) -> io::Result<()> {
    let head = format!("des (0, {}, {})", counts.transitions, counts.states);
    writeln!(out, "{head:<52}")
}

impl<'a> Writer<'a> {
    /// Begins the file.
    pub fn new(opened: &'a Opened, form: Form, labels: Labels, out: Written<'a>) -> Result<Writer<'a>, Failure> {
        let watched: Vec<Watched> = opened.formulas.iter().map(|f| Watched::by(opened, f.1)).collect();
        let mut names: Vec<String> = watched.iter().flat_map(Watched::names).map(String::from).collect();
        names.sort();
        names.dedup();
        if form == Form::Kripke && names.is_empty() {
            let problem = Problem::error(
                Code::NoPropositions,
                "a Kripke structure tells which conditions are true, and there are none",
            );
            return Err(problem.advise("add a formula whose conditions are told: --ltl '[] (x < 5)'").into());
        }
        let interp = Interp::new(&opened.model);
        let written = Exported { states: 0, transitions: 0 };
        let mut writer = Writer { opened, form, labels, out, watched, names, interp, written };
        writer.head().map_err(|e| Problem::error(Code::UnwritableFile, format!("the graph cannot be written: {e}")))?;
        Ok(writer)
    }

    fn head(&mut self) -> io::Result<()> {
        match self.form {
            Form::Aut | Form::Json => Ok(()),
            Form::Dot => {
                writeln!(self.out, "digraph states {{")?;
                writeln!(self.out, "  node [shape=circle, fontname=monospace];\n  edge [fontname=monospace];")
            }
            Form::Kripke => {
                writeln!(self.out, "HOA: v1\ntool: \"starwheel\"\nStart: 0\nacc-name: all\nAcceptance: 0 t")?;
                write!(self.out, "AP: {}", self.names.len())?;
                for name in &self.names {
                    write!(self.out, " \"{}\"", escape(name))?;
                }
                writeln!(self.out, "\nproperties: state-labels explicit-labels\n--BODY--")
            }
        }
    }

    /// Ends the file, which says whether it is whole where the form has words for that.
    pub fn close(self, whole: bool) -> io::Result<()> {
        let Exported { states, transitions } = self.written;
        match (self.form, whole) {
            (Form::Aut, _) | (Form::Dot, false) => {}
            (Form::Dot, true) => writeln!(self.out, "}}")?,
            (Form::Json, _) => {
                let end = json!({ "whole": whole, "states": states, "transitions": transitions });
                writeln!(self.out, "{end}")?;
            }
            (Form::Kripke, true) => writeln!(self.out, "--END--")?,
            (Form::Kripke, false) => writeln!(self.out, "--ABORT--")?,
        }
        self.out.flush()
    }

    fn aut(&mut self, from: u32, edges: &[Edge]) -> io::Result<()> {
        for (edge, to) in leading(edges) {
            let label = escape(&self.label(edge));
            writeln!(self.out, "({from},\"{label}\",{to})")?;
        }
        Ok(())
    }

    fn dot(&mut self, state: &Shown<'_>) -> io::Result<()> {
        let from = state.id;
        let red = if state.stuck.is_some() { ", color=red" } else { "" };
        let bold = if from == 0 { ", style=bold" } else { "" };
        writeln!(self.out, "  s{from} [label=\"{from}\"{red}{bold}];")?;
        for (number, edge) in state.edges.iter().enumerate() {
            let label = escape(&self.label(edge));
            let red = if edge.wrong { ", color=red" } else { "" };
            match edge.to {
                Some(to) => {
                    // Nobody moves in it.
                    let tick = edge.steps.iter().any(|step| step.actor == Actor::Clock);
                    let dashed = if tick { ", style=dashed" } else { "" };
                    writeln!(self.out, "  s{from} -> s{to} [label=\"{label}\"{red}{dashed}];")?;
                }
                None => {
                    writeln!(self.out, "  s{from}_{number} [shape=point, color=red];")?;
                    writeln!(self.out, "  s{from} -> s{from}_{number} [label=\"{label}\"{red}];")?;
                }
            }
        }
        Ok(())
    }

    fn json(&mut self, state: &Shown<'_>) -> io::Result<()> {
        let values = situation(self.opened, state.bytes);
        let stuck = state.stuck.as_ref().map(|v| v.message.clone());
        writeln!(self.out, "{}", json!({ "state": state.id, "values": values, "stuck": stuck }))?;
        for edge in state.edges {
            let label = self.label(edge);
            writeln!(self.out, "{}", json!({ "from": state.id, "to": edge.to, "label": label, "wrong": edge.wrong }))?;
        }
        Ok(())
    }

    fn kripke(&mut self, state: &Shown<'_>) -> Result<(), Ended> {
        let mut truths = Truths::new();
        for watched in &self.watched {
            truths.extend(watched.named_truths(&mut self.interp, state.bytes));
        }
        let mut label = String::new();
        for (number, name) in self.names.iter().enumerate() {
            let Some(&value) = truths.get(name) else { return Err(Ended::NoValue(name.clone(), state.id)) };
            let (join, not) = (if number > 0 { "&" } else { "" }, if value { "" } else { "!" });
            let _ = write!(label, "{join}{not}{number}");
        }
        let mut to: Vec<u32> = leading(state.edges).map(|e| e.1).collect();
        to.sort_unstable();
        to.dedup();
        if to.is_empty() {
            to.push(state.id);
        }
        let to: Vec<String> = to.iter().map(u32::to_string).collect();
        writeln!(self.out, "State: [{label}] {}\n{}", state.id, to.join(" ")).map_err(Ended::Unwritable)
    }

    /// What a transition is called.
    fn label(&self, edge: &Edge) -> String {
        let mut out = String::new();
        for (i, &step) in edge.steps.iter().take(PARTS).enumerate() {
            out += if i > 0 { "; " } else { "" };
            out += &self.step(step);
        }
        if edge.steps.len() > PARTS {
            let _ = write!(out, "; and {} more", edge.steps.len() - PARTS);
        }
        out
    }

    fn step(&self, step: Step) -> String {
        if step.actor == Actor::Clock {
            return "time passes".to_string();
        }
        let model = &self.opened.model;
        let who = |pid: Pid, trans: TransId| {
            let name = &model.proctype(model.transition(trans).proctype).name;
            if pid.is_claim() { name.to_string() } else { format!("{name}({})", pid.0) }
        };
        let mut out = who(step.pid(), step.action);
        if let Some((pid, trans)) = step.partner() {
            out = format!("{out}!{}", who(pid, trans));
        }
        if self.labels != Labels::Process {
            let t = model.transition(step.action);
            let _ = write!(out, ": {}", text::stmt(model, &t.stmt));
            if self.labels == Labels::Line {
                let _ = write!(out, " @{}", self.opened.map.line(t.span));
            }
        }
        out
    }
}

impl Audience for Writer<'_> {
    fn see(&mut self, state: &Shown<'_>) -> Result<(), Ended> {
        self.written.states += 1;
        self.written.transitions += leading(state.edges).count() as u64;
        match self.form {
            Form::Aut => self.aut(state.id, state.edges),
            Form::Dot => self.dot(state),
            Form::Json => self.json(state),
            Form::Kripke => return self.kripke(state),
        }
        .map_err(Ended::Unwritable)
    }
}

/// The transitions that lead somewhere.
fn leading(edges: &[Edge]) -> impl Iterator<Item = (&Edge, u32)> {
    edges.iter().filter_map(|e| Some((e, e.to?)))
}

fn escape(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', " ")
}
