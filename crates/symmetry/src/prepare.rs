//! The transitions that can still be executed, in a form in which processes can be compared.
//!
//! A `d_step` that goes through all members with a counter names each of them by a number that is known beforehand. Such a
//! `d_step` is taken apart by propagation of constants into a straight line of statements, in which the counter is gone: it
//! is one step for everybody else, so nobody sees the values that the counter has on the way.

use starwheel_base::Span;
use starwheel_model::{
    BinaryOp, DStep, Dim, Expr, LocId, Model, Place, ProctypeId, RecvArg, Region, SkipKind, Stmt, TransId, UnaryOp,
};
use std::collections::BTreeMap;

/// Statements of a `d_step` after which it is left as it is.
const LONGEST: usize = 4_000;

/// How the statements of a transition belong together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// One statement, or several that were merged.
    Chain,
    /// A `d_step` that is a straight line.
    Line,
    /// A `d_step` with choices: for each statement, where it stands and where it leads to.
    Web(Vec<(u32, Option<u32>)>),
}

/// A transition that can be executed.
#[derive(Clone, Debug)]
pub struct Prepared {
    /// The process type.
    pub proctype: ProctypeId,
    /// Where it starts.
    pub loc: LocId,
    /// Its name.
    pub trans: TransId,
    /// What it does, and where that was written.
    pub body: Vec<(Stmt, Span)>,
    /// How the statements belong together.
    pub kind: Kind,
}

/// The transitions of a process type that can be executed from some locations on.
pub fn prepare(model: &Model, proctype: ProctypeId, from: impl Iterator<Item = LocId>, out: &mut Vec<Prepared>) {
    let locs = &model.proctype(proctype).locs;
    let mut seen = vec![false; locs.len()];
    let mut open: Vec<LocId> = from.collect();
    while let Some(loc) = open.pop() {
        if std::mem::replace(&mut seen[loc.index()], true) {
            continue;
        }
        for &trans in &locs[loc.index()].out {
            let t = model.transition(trans);
            let (mut body, kind) = match &t.stmt {
                Stmt::DStep(d) => web(d, t.span),
                Stmt::Chain(list) => {
                    let span = |i: usize| t.merged.get(i).copied().unwrap_or(t.span);
                    (list.iter().enumerate().map(|(i, s)| (s.clone(), span(i))).collect(), Kind::Chain)
                }
                other => (vec![(other.clone(), t.span)], Kind::Chain),
            };
            // Constants are calculated: `N - 1` may be the name of a member.
            for (s, _) in &mut body {
                if let Some(folded) = stmt(s, &Known::new()) {
                    *s = folded;
                }
            }
            body.extend(t.resets.iter().map(|p| (Stmt::Assign(p.clone(), Expr::constant(0)), t.span)));
            out.push(Prepared { proctype, loc, trans, body, kind });
            if t.stmt != Stmt::End {
                open.push(t.to);
            }
        }
    }
}

fn web(d: &DStep, span: Span) -> (Vec<(Stmt, Span)>, Kind) {
    if let Some(line) = straight(d, span) {
        return (line, Kind::Line);
    }
    let all = || d.locs.iter().enumerate().flat_map(|(i, l)| l.iter().map(move |t| (i as u32, t)));
    let body = all().map(|(_, t)| (t.stmt.clone(), t.span)).collect();
    (body, Kind::Web(all().map(|(i, t)| (i, t.to)).collect()))
}

/// Values of local variables that are known, by offset, and where they lie.
type Known = BTreeMap<u32, (Place, i32)>;

/// A `d_step` as a straight line; none if it has choices that are not known beforehand.
fn straight(d: &DStep, whole: Span) -> Option<Vec<(Stmt, Span)>> {
    let (mut known, mut out) = (Known::new(), Vec::new());
    let mut at = Some(0);
    for _ in 0..LONGEST {
        let Some(loc) = at else {
            let last = known.into_values().map(|(place, v)| (Stmt::Assign(place, Expr::constant(v)), whole));
            out.extend(last);
            return Some(out);
        };
        let list = d.locs.get(loc as usize)?;
        let mut taken = None;
        for t in list {
            let stmt = stmt(&t.stmt, &known)?;
            match &stmt {
                Stmt::Guard(Expr::Const(0, _)) => {}
                Stmt::Guard(Expr::Const(..)) | Stmt::Skip(_) | Stmt::Else | Stmt::Assert(_) | Stmt::Printf(..) => {
                    taken = Some((t, stmt));
                }
                Stmt::Assign(..) | Stmt::AssignArray(..) | Stmt::Printm(_) => taken = Some((t, stmt)),
                // Whether it can be executed is not known; alone it is what happens, or nothing does.
                _ if list.len() == 1 => taken = Some((t, stmt)),
                _ => return None,
            }
            if taken.is_some() {
                break;
            }
        }
        let (t, stmt) = taken?;
        at = t.to;
        let first = loc == 0 && out.is_empty() && known.is_empty();
        if first && matches!(stmt, Stmt::Guard(Expr::Const(..)) | Stmt::Skip(_) | Stmt::Else | Stmt::Assign(..)) {
            // The whole can be executed if its first statement can: that is always so, whatever comes after it.
            out.push((Stmt::Skip(SkipKind::Skip), t.span));
        }
        match stmt {
            Stmt::Guard(Expr::Const(..)) | Stmt::Skip(_) | Stmt::Else => {}
            Stmt::Assign(place, Expr::Const(v, _)) if plain(&place) => {
                let v = place.ty.truncate(v);
                known.insert(place.offset, (place, v));
            }
            other => {
                forget(&other, &mut known);
                out.push((other, t.span));
            }
        }
    }
    None
}

/// A local scalar, of which nothing but its name tells where it lies.
fn plain(place: &Place) -> bool {
    place.region == Region::Local && place.dims.is_empty()
}

/// What a statement writes is not known any more.
fn forget(stmt: &Stmt, known: &mut Known) {
    let mut write = |p: &Place| {
        if p.region == Region::Local {
            // An element of an array lies somewhere behind its start.
            let end = p.dims.iter().map(|d| d.len * d.stride).max().unwrap_or(p.ty.size());
            known.retain(|&offset, _| offset < p.offset || offset >= p.offset + end);
        }
    };
    match stmt {
        Stmt::Assign(p, _) => write(p),
        Stmt::AssignArray(p, values) => {
            let mut whole = p.clone();
            let len = values.len() as u32;
            whole.dims.push(Dim { index: Expr::constant(0), len, stride: p.ty.size() });
            write(&whole);
        }
        Stmt::Receive { args, .. } => args.iter().for_each(|a| {
            if let RecvArg::Bind(p) = a {
                write(p);
            }
        }),
        _ => {}
    }
}

/// A statement with known values in place of variables; none if it may look at them in other ways.
fn stmt(s: &Stmt, known: &Known) -> Option<Stmt> {
    let sub = |e: &Expr| expr(e, known);
    let all = |list: &[Expr]| list.iter().map(sub).collect::<Option<Vec<_>>>();
    Some(match s {
        Stmt::Skip(_) | Stmt::Else => s.clone(),
        Stmt::Guard(e) => Stmt::Guard(sub(e)?),
        Stmt::Assign(p, e) => Stmt::Assign(place(p, known)?, sub(e)?),
        Stmt::AssignArray(p, v) => Stmt::AssignArray(place(p, known)?, v.clone()),
        Stmt::Assert(e) => Stmt::Assert(sub(e)?),
        Stmt::Printf(f, args) => Stmt::Printf(f.clone(), all(args)?),
        Stmt::Printm(e) => Stmt::Printm(sub(e)?),
        Stmt::Send { channel, args, sorted } => {
            Stmt::Send { channel: sub(channel)?, args: all(args)?, sorted: *sorted }
        }
        Stmt::Receive { channel, args, random, copy } => {
            let args = args.iter().map(|a| arg(a, known)).collect::<Option<Vec<_>>>()?;
            Stmt::Receive { channel: sub(channel)?, args, random: *random, copy: *copy }
        }
        Stmt::SetPriority(..) | Stmt::DStep(_) | Stmt::Chain(_) | Stmt::End => return None,
    })
}

fn arg(a: &RecvArg, known: &Known) -> Option<RecvArg> {
    Some(match a {
        RecvArg::Bind(p) => RecvArg::Bind(place(p, known)?),
        RecvArg::Match(e) => RecvArg::Match(expr(e, known)?),
        RecvArg::Discard => RecvArg::Discard,
    })
}

fn place(p: &Place, known: &Known) -> Option<Place> {
    let dims = p.dims.iter().map(|d| Some(Dim { index: expr(&d.index, known)?, ..d.clone() }));
    Some(Place { dims: dims.collect::<Option<Vec<_>>>()?, ..p.clone() })
}

fn expr(e: &Expr, known: &Known) -> Option<Expr> {
    let sub = |e: &Expr| expr(e, known);
    Some(match e {
        Expr::Const(..) | Expr::Pid | Expr::NrPr | Expr::Last | Expr::Priority => e.clone(),
        Expr::Load(p) if plain(p) => match known.get(&p.offset) {
            Some((_, v)) => Expr::constant(*v),
            None => e.clone(),
        },
        Expr::Load(p) => Expr::Load(Box::new(place(p, known)?)),
        Expr::Unary(op, a) => match (op, sub(a)?) {
            (UnaryOp::Not, Expr::Const(v, _)) => Expr::constant(i32::from(v == 0)),
            (UnaryOp::Neg, Expr::Const(v, _)) => Expr::constant(v.wrapping_neg()),
            (UnaryOp::BitNot, Expr::Const(v, _)) => Expr::constant(!v),
            (op, a) => Expr::Unary(*op, Box::new(a)),
        },
        Expr::Binary(op, a, b) => match (op, sub(a)?, sub(b)?) {
            (BinaryOp::And, Expr::Const(0, _), _) => Expr::constant(0),
            (BinaryOp::Or, Expr::Const(v, _), _) if v != 0 => Expr::constant(1),
            (op, Expr::Const(a, n), Expr::Const(b, m)) => match op.apply(a, b) {
                Some(v) => Expr::constant(v),
                None => Expr::Binary(*op, Box::new(Expr::Const(a, n)), Box::new(Expr::Const(b, m))),
            },
            (op, a, b) => Expr::Binary(*op, Box::new(a), Box::new(b)),
        },
        Expr::Cond(c, a, b) => match sub(c)? {
            Expr::Const(v, _) => sub(if v != 0 { a } else { b })?,
            c => Expr::Cond(Box::new(c), Box::new(sub(a)?), Box::new(sub(b)?)),
        },
        Expr::Channel(q, c) => Expr::Channel(*q, Box::new(sub(c)?)),
        Expr::Poll { channel, args, random } => {
            let args = args.iter().map(|a| arg(a, known)).collect::<Option<Vec<_>>>()?;
            Expr::Poll { channel: Box::new(sub(channel)?), args, random: *random }
        }
        // These look at processes as they are in the middle of the step.
        Expr::NonProgress | Expr::Timeout | Expr::Run(_) | Expr::Enabled(_) | Expr::PcValue(_) => return None,
        Expr::GetPriority(_) | Expr::RemoteLabel { .. } | Expr::RemoteVar { .. } => return None,
    })
}
