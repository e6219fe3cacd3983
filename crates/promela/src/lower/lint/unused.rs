//! What is declared and serves nothing: variables, parameters, inlines and process types.

use super::names::{Role, Type, Var};
use super::{Lint, Written, written};
use crate::ast::{self, Visibility};
use starwheel_base::{Diagnostic, Span};
use std::collections::HashMap;

/// The uses of all variables that are declared by the same words.
#[derive(Default)]
struct Together {
    mentioned: bool,
    read: bool,
    written: bool,
}

impl Lint<'_> {
    /// Reports what is declared in the model's own file and serves nothing.
    pub fn unused(&mut self, program: &ast::Program) {
        self.apply_remote_reads();
        self.unused_variables();
        let mut mentions = None;
        for unit in &program.units {
            match unit {
                ast::Unit::Proctype(p) if p.active.is_none() => self.unused_proctype(&p.name),
                ast::Unit::Inline(i) => self.unused_inline(&i.name, &mut mentions),
                _ => {}
            }
        }
    }

    fn apply_remote_reads(&mut self) {
        for (process, name) in std::mem::take(&mut self.remote_vars) {
            for v in self.vars.iter_mut().filter(|v| v.name == name && v.owner.as_ref() == Some(&process)) {
                (v.uses.mentioned, v.uses.read) = (true, true);
            }
        }
    }

    fn silent(&self, name: &str, span: Span) -> bool {
        name.starts_with('_') || !self.in_main(span)
    }

    fn unused_variables(&mut self) {
        let mut all: HashMap<Written, Together> = HashMap::new();
        for v in &self.vars {
            let t = all.entry(written(v.span)).or_default();
            t.mentioned |= v.uses.mentioned;
            t.read |= v.uses.read;
            t.written |= v.uses.written;
        }
        let mut found = Vec::new();
        for v in self.vars.iter().filter(|v| !self.silent(&v.name, v.span)) {
            let Some(t) = all.get(&written(v.span)) else { continue };
            if !t.mentioned {
                found.push(never_used(v));
            } else if !t.read && t.written && v.role != Role::Parameter && worth_reading(v) {
                found.push(never_read(v));
            }
        }
        found.into_iter().for_each(|d| self.report(d));
    }

    fn unused_proctype(&mut self, name: &ast::Ident) {
        if self.started.contains(&name.name) || self.silent(&name.name, name.span) {
            return;
        }
        let message = format!("no process of type `{}` is ever started", name.name);
        self.report(
            Diagnostic::warning("unused-proctype", name.span, message)
                .advise(format!("write `active` in front of it, or start it with `run {}(…)`", name.name)),
        );
    }

    /// Calls within inlines that are not called themselves are not in the tree: another mention of the name in the text
    /// is taken for one.
    fn unused_inline(&mut self, name: &ast::Ident, mentions: &mut Option<HashMap<String, usize>>) {
        if self.called.contains(&name.name) || self.silent(&name.name, name.span) || self.is_from_macro(name.span) {
            return;
        }
        let mentions = mentions.get_or_insert_with(|| words(self.map.files().iter().map(|f| &*f.text)));
        if mentions.get(&*name.name).is_some_and(|&n| n > 1) {
            return;
        }
        let message = format!("the inline `{}` is never called", name.name);
        self.report(Diagnostic::warning("unused-inline", name.span, message).advise("call it or remove it"));
    }
}

/// Hidden and shown variables are meant to be looked at, and channels are read by those who receive.
fn worth_reading(v: &Var) -> bool {
    !matches!(v.visibility, Some(Visibility::Hidden | Visibility::Show)) && v.ty != Type::Channel
}

fn never_used(v: &Var) -> Diagnostic {
    let (code, what) = match v.role {
        Role::Global => ("unused-variable", "global variable"),
        Role::Local => ("unused-variable", "variable"),
        Role::Parameter => ("unused-parameter", "parameter"),
    };
    let what = if v.channel.is_some() { "channel" } else { what };
    Diagnostic::warning(code, v.span, format!("the {what} `{}` is never used", v.name))
        .advise("remove it, or let its name begin with `_` to keep it")
}

fn never_read(v: &Var) -> Diagnostic {
    let message = format!("`{}` is assigned to but never read", v.name);
    Diagnostic::warning("unread-variable", v.span, message).advise("use it in a condition or a property, or remove it")
}

/// How often each word stands in some texts.
fn words<'a>(texts: impl Iterator<Item = &'a str>) -> HashMap<String, usize> {
    let mut out = HashMap::new();
    let words = texts.flat_map(|text| text.split(|c: char| !(c.is_alphanumeric() || c == '_')));
    for word in words.filter(|word| !word.is_empty()) {
        *out.entry(word.to_string()).or_default() += 1;
    }
    out
}
