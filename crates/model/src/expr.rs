//! Expressions over one state, evaluated with the arithmetic of a 32-bit C `int`.

use crate::ir::{LocId, ProctypeId};
use crate::place::Place;
use crate::stmt::RecvArg;
use std::sync::Arc;

/// An expression. Channel operands are expressions whose value is a channel's number.
#[derive(Clone, Debug, PartialEq)]
pub enum Expr {
    /// A constant; symbolic constants keep their name for printing.
    Const(i32, Option<Arc<str>>),
    /// The value of a variable.
    Load(Box<Place>),
    /// The number of the process that executes.
    Pid,
    /// The number of processes.
    NrPr,
    /// The number of the process that made the last step.
    Last,
    /// The priority of the process that executes.
    Priority,
    /// True if no process is at a progress label.
    NonProgress,
    /// True if nothing else can happen.
    Timeout,
    /// A unary operator.
    Unary(UnaryOp, Box<Expr>),
    /// A binary operator; `&&` and `||` evaluate their right side only if needed, all give 0 or 1 as in C.
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// `(c -> a : b)`
    Cond(Box<Expr>, Box<Expr>, Box<Expr>),
    /// Starts a process; the value is its number. At most one in a statement.
    Run(Box<Run>),
    /// A question about a channel.
    Channel(ChannelQuery, Box<Expr>),
    /// Whether a receive would be possible.
    Poll {
        /// The channel.
        channel: Box<Expr>,
        /// The pattern.
        args: Vec<RecvArg>,
        /// Any message may match, not only the first.
        random: bool,
    },
    /// Whether a process could move.
    Enabled(Box<Expr>),
    /// The location of a process.
    PcValue(Box<Expr>),
    /// The priority of a process.
    GetPriority(Box<Expr>),
    /// `P[pid]@label`: whether a process is at a location.
    RemoteLabel {
        /// The process type.
        proctype: ProctypeId,
        /// The process; none means the only one of its type.
        pid: Option<Box<Expr>>,
        /// The label's location.
        loc: LocId,
        /// The label, for printing.
        label: Arc<str>,
    },
    /// `P[pid]:var`: the value of a local variable of another process.
    RemoteVar {
        /// The process type.
        proctype: ProctypeId,
        /// The process; none means the only one of its type.
        pid: Option<Box<Expr>>,
        /// The variable in the frame of that process.
        place: Box<Place>,
    },
}

/// What `run` needs.
#[derive(Clone, Debug, PartialEq)]
pub struct Run {
    /// The process type.
    pub proctype: ProctypeId,
    /// One for each parameter (structures are taken apart).
    pub args: Vec<Expr>,
    /// The new process's priority; none means 1 (as in pan, that of the declaration counts for `active` alone).
    pub priority: Option<u8>,
}

/// Unary operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UnaryOp {
    /// `!`
    Not,
    /// `-`
    Neg,
    /// `~`
    BitNot,
    /// The same value; as a whole condition, one whose step does not keep time from passing (`model/src/time.rs`).
    Lazy,
}

/// Binary operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum BinaryOp {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    BitAnd,
    BitXor,
    BitOr,
    Shl,
    Shr,
    Lt,
    Le,
    Gt,
    Ge,
    Eq,
    Ne,
    And,
    Or,
}

/// Questions about a channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ChannelQuery {
    /// The number of messages.
    Len,
    /// No free slot.
    Full,
    /// No message.
    Empty,
    /// A free slot.
    NotFull,
    /// A message.
    NotEmpty,
}

impl Expr {
    /// A constant without a name.
    pub fn constant(value: i32) -> Expr {
        Expr::Const(value, None)
    }

    /// The value, if it is a constant.
    pub fn as_const(&self) -> Option<i32> {
        match self {
            Expr::Const(v, _) => Some(*v),
            _ => None,
        }
    }

    /// Calls `f` for this expression and every expression inside it, also inside indices and patterns.
    pub fn walk(&self, f: &mut dyn FnMut(&Expr)) {
        f(self);
        match self {
            Expr::Const(..) | Expr::Pid | Expr::NrPr | Expr::Last | Expr::Priority => {}
            Expr::NonProgress | Expr::Timeout => {}
            Expr::Load(place) => place.walk(f),
            Expr::Unary(_, a) | Expr::Enabled(a) | Expr::PcValue(a) | Expr::GetPriority(a) => a.walk(f),
            Expr::Channel(_, a) => a.walk(f),
            Expr::Binary(_, a, b) => {
                a.walk(f);
                b.walk(f);
            }
            Expr::Cond(a, b, c) => {
                a.walk(f);
                b.walk(f);
                c.walk(f);
            }
            Expr::Run(run) => run.args.iter().for_each(|a| a.walk(f)),
            Expr::Poll { channel, args, .. } => {
                channel.walk(f);
                args.iter().for_each(|a| a.walk(f));
            }
            Expr::RemoteLabel { pid, .. } => pid.iter().for_each(|p| p.walk(f)),
            Expr::RemoteVar { pid, place, .. } => {
                pid.iter().for_each(|p| p.walk(f));
                place.walk(f);
            }
        }
    }

    /// True if it can hold only when nothing else can happen, and cannot fail before.
    pub fn needs_timeout(&self) -> bool {
        match self {
            Expr::Timeout => true,
            Expr::Binary(BinaryOp::And, a, b) => a.needs_timeout() || a.never_fails() && b.needs_timeout(),
            _ => false,
        }
    }

    /// True if it has a value in every state; not all such expressions are recognised.
    fn never_fails(&self) -> bool {
        match self {
            Expr::Const(..) | Expr::Pid | Expr::NrPr | Expr::Timeout => true,
            Expr::Load(place) => place.dims.is_empty(),
            Expr::Unary(_, a) => a.never_fails(),
            Expr::Binary(BinaryOp::Div | BinaryOp::Rem, ..) => false,
            Expr::Binary(_, a, b) => a.never_fails() && b.never_fails(),
            _ => false,
        }
    }

    /// True if `test` holds for this expression or one inside it.
    pub fn any(&self, mut test: impl FnMut(&Expr) -> bool) -> bool {
        let mut found = false;
        self.walk(&mut |e| found |= test(e));
        found
    }
}

impl Place {
    /// Calls `f` for every expression in the indices.
    pub fn walk(&self, f: &mut dyn FnMut(&Expr)) {
        self.dims.iter().for_each(|d| d.index.walk(f));
    }
}

impl BinaryOp {
    /// The value for two operands; `None` for a division by zero. Both sides of `&&` and `||` are taken as they are.
    /// Arithmetic wraps, and only the low five bits of a shift count, as on the machines that SPIN runs on.
    #[inline]
    pub fn apply(self, a: i32, b: i32) -> Option<i32> {
        Some(match self {
            BinaryOp::Add => a.wrapping_add(b),
            BinaryOp::Sub => a.wrapping_sub(b),
            BinaryOp::Mul => a.wrapping_mul(b),
            BinaryOp::Div if b == 0 => return None,
            BinaryOp::Div => a.wrapping_div(b),
            BinaryOp::Rem if b == 0 => return None,
            BinaryOp::Rem => a.wrapping_rem(b),
            BinaryOp::BitAnd => a & b,
            BinaryOp::BitXor => a ^ b,
            BinaryOp::BitOr => a | b,
            BinaryOp::Shl => a.wrapping_shl(b as u32),
            BinaryOp::Shr => a.wrapping_shr(b as u32),
            BinaryOp::Lt => i32::from(a < b),
            BinaryOp::Le => i32::from(a <= b),
            BinaryOp::Gt => i32::from(a > b),
            BinaryOp::Ge => i32::from(a >= b),
            BinaryOp::Eq => i32::from(a == b),
            BinaryOp::Ne => i32::from(a != b),
            BinaryOp::And => i32::from(a != 0 && b != 0),
            BinaryOp::Or => i32::from(a != 0 || b != 0),
        })
    }
}
