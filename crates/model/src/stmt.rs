//! Statements: what one step of one process does.

use crate::expr::{Expr, UnaryOp};
use crate::place::Place;
use starwheel_base::Span;
use std::sync::Arc;

/// One statement. Each says when it can be executed and what it does then.
#[derive(Clone, Debug, PartialEq)]
pub enum Stmt {
    /// Always executable, no effect: `skip`, jumps and joins that are steps of their own, empty declarations.
    Skip(SkipKind),
    /// Executable when the expression is not zero.
    Guard(Expr),
    /// Executable when no other transition of the process is, in this state.
    Else,
    /// `place = value`; always executable.
    Assign(Place, Expr),
    /// One value after the other into the elements of an array; always executable. The place has no index for the last dimension.
    AssignArray(Place, Vec<i32>),
    /// Always executable; a finding if the value is zero.
    Assert(Expr),
    /// Always executable, prints on replay.
    Printf(Arc<str>, Vec<Expr>),
    /// Prints a symbolic constant on replay.
    Printm(Expr),
    /// Puts a message into a channel, or hands it over to a receiver at once if the channel has no slot.
    Send {
        /// The channel's number.
        channel: Expr,
        /// One for each field.
        args: Vec<Expr>,
        /// Before the first larger message, rather than at the end.
        sorted: bool,
    },
    /// Takes a message that fits the pattern.
    Receive {
        /// The channel's number.
        channel: Expr,
        /// One for each field.
        args: Vec<RecvArg>,
        /// Any message may match, not only the first.
        random: bool,
        /// The message stays in the channel.
        copy: bool,
    },
    /// Sets the priority of a process.
    SetPriority(Expr, Expr),
    /// A sequence that is executed as one step.
    DStep(Box<DStep>),
    /// Statements that were merged into one step; only the first can block.
    Chain(Vec<Stmt>),
    /// The last step of a process: possible only for the youngest one.
    End,
}

/// Why an empty step is there; for printing.
#[derive(Clone, Debug, PartialEq)]
pub enum SkipKind {
    /// `skip`, `true`, `(1)`
    Skip,
    /// `goto L`
    Goto(Arc<str>),
    /// `break`
    Break,
    /// The join behind a selection or a loop.
    Join,
    /// A declaration of a structure.
    Declaration,
}

/// One position of a receive.
#[derive(Clone, Debug, PartialEq)]
pub enum RecvArg {
    /// The field's value goes into a variable.
    Bind(Place),
    /// The field must have this value.
    Match(Expr),
    /// The field is not looked at.
    Discard,
}

/// A deterministic sequence: a small automaton of its own, run to its end in one step, always by the first transition
/// that is executable.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct DStep {
    /// The transitions of each location in order; the sequence starts at location 0.
    pub locs: Vec<Vec<DTrans>>,
}

/// A transition inside a [`DStep`].
#[derive(Clone, Debug, PartialEq)]
pub struct DTrans {
    /// What it does; never a [`Stmt::DStep`] or [`Stmt::End`].
    pub stmt: Stmt,
    /// Where it goes; none is the end of the sequence.
    pub to: Option<u32>,
    /// Where it was written.
    pub span: Span,
}

impl RecvArg {
    /// Calls `f` for every expression inside.
    pub fn walk(&self, f: &mut dyn FnMut(&Expr)) {
        match self {
            RecvArg::Bind(place) => place.walk(f),
            RecvArg::Match(e) => e.walk(f),
            RecvArg::Discard => {}
        }
    }
}

impl Stmt {
    /// Calls `f` for this statement and every statement inside it.
    pub fn walk_stmts(&self, f: &mut dyn FnMut(&Stmt)) {
        f(self);
        match self {
            Stmt::DStep(d) => d.locs.iter().flatten().for_each(|t| t.stmt.walk_stmts(f)),
            Stmt::Chain(list) => list.iter().for_each(|s| s.walk_stmts(f)),
            _ => {}
        }
    }

    /// Calls `f` for every place that this statement itself stores values in, with their number; not for those of
    /// statements inside it.
    pub fn targets(&self, f: &mut dyn FnMut(&Place, u32)) {
        match self {
            Stmt::Assign(place, _) => f(place, 1),
            Stmt::AssignArray(place, values) => f(place, values.len() as u32),
            Stmt::Receive { args, .. } => args.iter().for_each(|a| {
                if let RecvArg::Bind(place) = a {
                    f(place, 1);
                }
            }),
            _ => {}
        }
    }

    /// True if it can be executed only if what stands beside it cannot.
    pub fn is_else(&self) -> bool {
        match self {
            Stmt::Else => true,
            Stmt::Chain(list) => list.first().is_some_and(Stmt::is_else),
            Stmt::DStep(d) => d.locs.first().is_some_and(|l| l.iter().any(|t| matches!(t.stmt, Stmt::Else))),
            _ => false,
        }
    }

    /// True if it does not keep time from passing.
    pub fn is_lazy(&self) -> bool {
        match self {
            Stmt::Guard(e) => matches!(e, Expr::Unary(UnaryOp::Lazy, _)),
            Stmt::Chain(list) => list.first().is_some_and(Stmt::is_lazy),
            Stmt::DStep(d) => d.locs.first().is_some_and(|l| l.iter().all(|t| t.stmt.is_lazy())),
            _ => false,
        }
    }

    /// True if it is executed only when nothing else can happen.
    pub fn waits_for_timeout(&self) -> bool {
        match self {
            Stmt::Guard(e) => e.needs_timeout(),
            Stmt::Chain(list) => list.first().is_some_and(Stmt::waits_for_timeout),
            Stmt::DStep(d) => d.locs.first().is_some_and(|l| l.iter().all(|t| t.stmt.waits_for_timeout())),
            _ => false,
        }
    }

    /// Calls `f` for every expression inside, also those of indices and of nested statements.
    pub fn walk(&self, f: &mut dyn FnMut(&Expr)) {
        match self {
            Stmt::Skip(_) | Stmt::Else | Stmt::End => {}
            Stmt::Guard(e) | Stmt::Assert(e) | Stmt::Printm(e) => e.walk(f),
            Stmt::Assign(place, e) => {
                place.walk(f);
                e.walk(f);
            }
            Stmt::AssignArray(place, _) => place.walk(f),
            Stmt::Printf(_, args) => args.iter().for_each(|a| a.walk(f)),
            Stmt::Send { channel, args, .. } => {
                channel.walk(f);
                args.iter().for_each(|a| a.walk(f));
            }
            Stmt::Receive { channel, args, .. } => {
                channel.walk(f);
                args.iter().for_each(|a| a.walk(f));
            }
            Stmt::SetPriority(a, b) => {
                a.walk(f);
                b.walk(f);
            }
            Stmt::DStep(d) => d.locs.iter().flatten().for_each(|t| t.stmt.walk(f)),
            Stmt::Chain(list) => list.iter().for_each(|s| s.walk(f)),
        }
    }
}
