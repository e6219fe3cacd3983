//! Comments that state which processes are meant to be interchangeable: they are checked, and never trusted.
//!
//! `/*@ symmetric */` stands before a process type, `/*@ of P */`, `/*@ by P */` and `/*@ by P of P */` behind a variable in
//! the same line. For everybody else they are comments.

use super::placed;
use crate::open::Opened;
use crate::problem::{Failure, Problem};
use starwheel_base::{Diagnostic, SourceFile, Span};
use starwheel_model::{Proctype, ProctypeId, ProctypeKind, Var};
use starwheel_symmetry::{Inferred, Obstacle};

/// A comment: its words and where it stands.
struct Stated<'t> {
    words: Vec<&'t str>,
    start: usize,
    end: usize,
}

/// Compares what the text says with what was found; what differs is an error or a warning.
pub fn check(opened: &Opened, found: &Inferred, error: bool) -> Result<(), Failure> {
    let Some(file) = opened.map.files().first() else { return Ok(()) };
    for stated in comments(&file.text) {
        one(opened, file, &stated, (found, error))?;
    }
    Ok(())
}

/// The comments that begin with `/*@`, outside of strings and other comments.
fn comments(text: &str) -> Vec<Stated<'_>> {
    let (bytes, mut at, mut out) = (text.as_bytes(), 0, Vec::new());
    while at < bytes.len() {
        let rest = &text.as_bytes()[at..];
        let end = |mark: &str, from: usize| text.get(at + from..).and_then(|t| t.find(mark)).map(|i| at + from + i);
        match rest {
            [b'/', b'/', ..] => at = end("\n", 2).unwrap_or(bytes.len()),
            [b'"', ..] => at = end("\"", 1).map_or(bytes.len(), |e| e + 1),
            [b'/', b'*', tail @ ..] => {
                let close = end("*/", 2).map_or(bytes.len(), |e| e + 2);
                if tail.first() == Some(&b'@') {
                    let inner = text.get(at + 3..close.saturating_sub(2)).unwrap_or("");
                    out.push(Stated { words: inner.split_whitespace().collect(), start: at, end: close });
                }
                at = close;
            }
            _ => at += 1,
        }
    }
    out
}

fn one(
    opened: &Opened,
    file: &SourceFile,
    stated: &Stated<'_>,
    (found, error): (&Inferred, bool),
) -> Result<(), Failure> {
    let model = &opened.model;
    // The first file is the model itself.
    let span = Span { start: stated.start as u32, end: stated.end as u32, ..Span::default() };
    let wrong = |message: String, advice: &str| {
        let d = match error {
            true => Diagnostic::error("symmetry-stated", span, message),
            false => Diagnostic::warning("symmetry-stated", span, message),
        };
        Failure::from(Problem::of(&opened.map, &d.advise(advice.to_string())))
    };
    let proctype = |name: &str| {
        let known = model.proctypes.iter().position(|p| *p.name == *name && p.kind == ProctypeKind::Process);
        let message = || wrong(format!("`{name}` is no process type"), "name a proctype of the model");
        known.map(|i| ProctypeId(i as u8)).ok_or_else(message)
    };
    match stated.words[..] {
        ["symmetric"] => {
            let behind = |p: &Proctype| p.span.file == span.file && p.span.start as usize >= stated.end;
            let behind = model.proctypes.iter().enumerate().filter(|(_, p)| behind(p));
            let Some((i, p)) = behind.min_by_key(|(_, p)| p.span.start) else {
                return Err(wrong("no process type stands behind this".into(), "write it before a `proctype`"));
            };
            let id = ProctypeId(i as u8);
            let whole = found
                .symmetry
                .iter()
                .flat_map(|s| &s.families)
                .any(|f| f.proctypes.contains(&id) && f.blocks.len() == 1);
            if whole {
                return Ok(());
            }
            let what = format!("the processes of `{}` are not interchangeable, although the text says so", p.name);
            let unknown = Obstacle::new(p.span, "there are not two of them");
            Err(placed(opened, found.obstacles.first().unwrap_or(&unknown), error, &what).into())
        }
        ["of", p] => meaning(opened, file, stated, (found, error), None, Some(proctype(p)?), &wrong),
        ["by", p] => meaning(opened, file, stated, (found, error), Some(proctype(p)?), None, &wrong),
        ["by", p, "of", q] => {
            meaning(opened, file, stated, (found, error), Some(proctype(p)?), Some(proctype(q)?), &wrong)
        }
        _ => Err(wrong(
            "this comment is not understood".into(),
            "write `/*@ symmetric */`, `/*@ of P */`, `/*@ by P */` or `/*@ by P of Q */`",
        )),
    }
}

/// Whether the variable before a comment means what it says.
fn meaning(
    opened: &Opened,
    file: &SourceFile,
    stated: &Stated<'_>,
    (found, error): (&Inferred, bool),
    by: Option<ProctypeId>,
    of: Option<ProctypeId>,
    wrong: &dyn Fn(String, &str) -> Failure,
) -> Result<(), Failure> {
    let model = &opened.model;
    let line = file.text[..stated.start].rfind('\n').map_or(0, |i| i + 1);
    let main = Span::default().file;
    let here = |v: &&(Option<ProctypeId>, &Var)| {
        v.1.span.file == main && (line..stated.start).contains(&(v.1.span.start as usize))
    };
    let globals = model.globals.iter().map(|v| (None, v));
    let locals = model.proctypes.iter().enumerate();
    let locals = locals.flat_map(|(i, p)| p.locals.iter().map(move |v| (Some(ProctypeId(i as u8)), v)));
    let all: Vec<(Option<ProctypeId>, &Var)> = globals.chain(locals).collect();
    let Some((owner, v)) = all.iter().filter(here).max_by_key(|v| v.1.span.start) else {
        return Err(wrong("no variable stands before this in its line".into(), "write it behind a declaration"));
    };
    let known = found.symmetry.iter().flat_map(|s| &s.meanings);
    let meaning = known.clone().find(|m| m.owner == *owner && m.offset == v.place.offset);
    let has = |wanted: Option<ProctypeId>, list: Option<&Vec<ProctypeId>>| {
        wanted.is_none_or(|w| list.is_some_and(|l| l.contains(&w)))
    };
    if has(of, meaning.map(|m| &m.holds)) && has(by, meaning.map(|m| &m.indexed)) {
        return Ok(());
    }
    let what = if of.is_some() { "hold" } else { "be indexed by" };
    let message = format!("`{}` was not found to {what} interchangeable processes of this type", v.name);
    match found.obstacles.first() {
        Some(obstacle) => Err(placed(opened, obstacle, error, &message).into()),
        None => Err(wrong(message, "assign it, compare it or index it with an identity, or leave the comment out")),
    }
}
