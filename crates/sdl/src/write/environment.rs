//! The environment as a process: it sends what it may, with any values, when there is room.

use super::stmt::{Lines, pick_lines};
use super::{ENVIRONMENT, Writer};
use crate::machine::*;
use crate::options::Environment;
use crate::sorts::{SortId, SortKind, few};
use starwheel_base::{Diagnostic, Span};

/// A value of the environment is chosen from at most this many.
const MOST: i64 = 20_000;

impl Writer<'_> {
    pub fn needs_environment(&self) -> bool {
        self.options.environment != Environment::None && !self.m.from_environment.is_empty()
    }

    pub fn environment(&mut self) {
        if !self.needs_environment() {
            return;
        }
        let m = self.m;
        let mut names = self.names.clone();
        let slice = self.environment_slice.clone();
        let counts = self.options.environment == Environment::Once || self.timed;
        let active = if self.numbered() { "" } else { "active " };
        self.text.plain(&format!("{active}proctype Environment(){}", self.while_of_interest()));
        self.text.plain("{");
        self.text.more();
        let mut out = Lines::new(Span::default());
        let mut sent = Vec::new();
        let mut declared: Vec<(SortId, String)> = Vec::new();
        for &(s, p) in &m.from_environment {
            let signal = &m.signals[s];
            let vars: Vec<(SortId, String)> = signal
                .sorts
                .iter()
                .enumerate()
                .map(|(i, sort)| {
                    // Signals share the variables of a sort, one for each time that it occurs in one signal.
                    let nth = signal.sorts[..i].iter().filter(|x| *x == sort).count();
                    if let Some(v) = declared.iter().filter(|d| d.0 == *sort).nth(nth) {
                        return v.clone();
                    }
                    declared.push((*sort, names.take(&format!("v{}", declared.len()))));
                    declared[declared.len() - 1].clone()
                })
                .collect();
            for i in 0..m.processes[p].most {
                let index = if m.processes[p].most > 1 { format!("[{i}]") } else { String::new() };
                let queue = self.queue_of(p, s, &index);
                let mut guard = Vec::new();
                let mut inside = Lines::new(Span::default());
                if counts {
                    let name = names.take(&format!("sent{}", sent.len()));
                    guard.push(format!("!{name}"));
                    inside.push(format!("{name} = 1;"));
                    sent.push(name);
                }
                if !slice.is_empty() {
                    guard.insert(0, format!("!on({slice})"));
                }
                if let Some(a) = &self.desks[p].alive {
                    guard.push(format!("{a}{index}"));
                }
                guard.push(format!("nfull({queue})"));
                for (sort, v) in &vars {
                    self.choose_value(*sort, v, &mut inside, 0);
                }
                let mut values = Vec::new();
                for (sort, v) in &vars {
                    values.extend(crate::lower::leaves(&m.sorts, *sort).iter().map(|l| self.part(v, &l.path)));
                }
                let said = format!("output {} to {}", signal.name, m.processes[p].name);
                let message = self.message(p, s, &ENVIRONMENT.to_string(), &values);
                inside.say(format!("{queue}!{message};"), &said);
                for v in &values {
                    inside.push(format!("{v} = 0;"));
                }
                out.say(format!(":: atomic {{ {} ->", guard.join(" && ")), &said);
                out.append(inside.list.into_iter().map(|l| super::stmt::Line { depth: l.depth + 1, ..l }).collect());
                out.push("}");
            }
        }
        if !slice.is_empty() {
            out.say(
                format!(":: !on({slice}) -> set({slice},1) /* no more in this slice */"),
                "the environment waits for the next moment",
            );
            let again = match self.options.environment {
                Environment::Once => String::new(),
                _ => sent.iter().map(|s| format!("; {s} = 0")).collect(),
            };
            out.say(
                format!(":: d_step {{ expire({slice}) -> reset({slice}){again} }}"),
                "the environment may act again",
            );
        }
        for (sort, v) in &declared {
            let line = format!("{} {v};", self.type_of(*sort));
            self.text.plain(&line);
        }
        for s in &sent {
            self.text.plain(&format!("bit {s};"));
        }
        self.text.plain("end_: do");
        self.emit(&out.list);
        self.text.plain("od");
        self.text.less();
        self.text.plain("}");
    }

    fn part(&self, var: &str, path: &[Step]) -> String {
        let mut text = var.to_string();
        for s in path {
            match s {
                Step::Field(k) => text.push_str(&format!(".{}", self.field(k))),
                Step::Len => text.push_str(".n"),
                Step::Tag => text.push_str(".tag"),
                Step::Given(k) => text.push_str(&format!(".{}", self.given(k))),
                Step::At(Ex::Num(n)) => text.push_str(&format!(".at[{n}]")),
                Step::At(_) => {}
            }
        }
        text
    }

    /// Any value of a sort; what is not there stays zero.
    fn choose_value(&mut self, sort: SortId, v: &str, out: &mut Lines, depth: usize) {
        if depth > 20 {
            return;
        }
        match self.m.sorts.kind(sort).clone() {
            SortKind::Struct(fields) => {
                for f in fields {
                    let name = format!("{v}.{}", self.field(&f.key));
                    if !f.optional {
                        self.choose_value(f.sort, &name, out, depth + 1);
                        continue;
                    }
                    let mut inside = Lines::new(Span::default());
                    inside.push(format!("{v}.{} = 1;", self.given(&f.key)));
                    self.choose_value(f.sort, &name, &mut inside, depth + 1);
                    out.push("if");
                    out.option("", inside.list);
                    out.push(":: skip");
                    out.push("fi;");
                }
            }
            SortKind::Choice(fields) => {
                out.push("if");
                for (i, f) in fields.iter().enumerate() {
                    let mut inside = Lines::new(Span::default());
                    inside.push(format!("{v}.tag = {i};"));
                    let name = format!("{v}.{}", self.field(&f.key));
                    self.choose_value(f.sort, &name, &mut inside, depth + 1);
                    out.option("", inside.list);
                }
                out.push("fi;");
            }
            SortKind::List { element, least, most, .. } => {
                if least != most {
                    out.append(pick_lines(&format!("{v}.n"), least, most, Span::default()));
                }
                for i in 0..most {
                    let name = format!("{v}.at[{i}]");
                    if i < least {
                        self.choose_value(element, &name, out, depth + 1);
                        continue;
                    }
                    let mut inside = Lines::new(Span::default());
                    self.choose_value(element, &name, &mut inside, depth + 1);
                    out.push("if");
                    out.option(&format!("{v}.n > {i}"), inside.list);
                    out.push(":: else");
                    out.push("fi;");
                }
            }
            SortKind::Set { len, .. } => {
                (0..len).for_each(|i| out.append(pick_lines(&format!("{v}.at[{i}]"), 0, 1, Span::default())));
            }
            SortKind::Array { element, len, .. } => {
                (0..len).for_each(|i| self.choose_value(element, &format!("{v}.at[{i}]"), out, depth + 1));
            }
            SortKind::Enum(list) => {
                out.push("if");
                list.iter().for_each(|l| out.push(format!(":: {v} = {}", l.1)));
                out.push("fi;");
            }
            SortKind::Pid => out.push(format!("{v} = {ENVIRONMENT};")),
            _ => self.choose_number(sort, v, out),
        }
    }

    fn choose_number(&mut self, sort: SortId, v: &str, out: &mut Lines) {
        let (lo, hi) = self.m.sorts.bounds(sort).unwrap_or((0, 1));
        if hi - lo < MOST {
            return out.append(pick_lines(v, lo, hi, Span::default()));
        }
        let (few, listed) = few(lo, hi);
        let text = format!(
            "the environment sends only {listed} of the sort `{}`, which has too many values",
            self.m.sorts.name(sort)
        );
        if !self.diagnostics.iter().any(|d| d.message == text) {
            let d =
                Diagnostic::warning("environment", self.m.processes.first().map_or(Span::default(), |p| p.span), text);
            self.diagnostics
                .push(d.advise("give the parameter a sort with a range: what holds is proven for these values only"));
        }
        out.push("if");
        few.iter().for_each(|n| out.push(format!(":: {v} = {n}")));
        out.push("fi;");
    }
}
