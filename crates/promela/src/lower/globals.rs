//! What is global: it decides which steps may be merged.
//!
//! SPIN's view, but for its promises: SPIN believes that what is declared `local` is used by one process, and that only who says
//! `xr` and `xs` has to do with a channel. Nobody checks that, and where it is not so, merged steps hide what others see. So a
//! variable is global whatever is said of it, and so is a question about a channel. (That a send or a receive is exclusive
//! matters only for the first statement of a merged step, behind which nothing is hidden.)

use super::optimise::Knowledge;
use super::symbols::{Exclusive, Kind, Symbol};
use starwheel_model::{Expr, Place, RecvArg, Region, Shown, Stmt};
use std::collections::{HashMap, HashSet};

/// What is known about variables, by region and offset.
pub struct Globals {
    exclusive: HashMap<(Region, u32), Exclusive>,
    local_channels: HashSet<u32>,
    unsafe_init: Vec<bool>,
}

impl Globals {
    pub fn new(globals: &[Symbol], unsafe_init: Vec<bool>) -> Globals {
        let key = |s: &Symbol| (s.region, s.offset);
        Globals {
            exclusive: globals.iter().map(|s| (key(s), s.exclusive)).collect(),
            local_channels: HashSet::new(),
            unsafe_init,
        }
    }

    /// Looks at another body from now on.
    pub fn enter(&mut self, locals: &[Symbol]) {
        self.exclusive.retain(|k, _| k.0 != Region::Local);
        self.exclusive.extend(locals.iter().map(|s| ((s.region, s.offset), s.exclusive)));
        let channel = |s: &&Symbol| matches!(s.kind, Kind::Scalar(_, Shown::Channel));
        self.local_channels = locals.iter().filter(channel).map(|s| s.offset).collect();
    }

    fn place(&self, p: &Place) -> bool {
        // SPIN looks at the name alone, not at its indices.
        p.region != Region::Local && &*p.name != "_"
    }

    fn promise(&self, channel: &Expr) -> Exclusive {
        match channel {
            Expr::Load(p) => self.exclusive.get(&(p.region, p.offset)).copied().unwrap_or_default(),
            _ => Exclusive::default(),
        }
    }

    fn args(&self, args: &[RecvArg]) -> bool {
        args.iter().any(|a| match a {
            RecvArg::Bind(p) => self.place(p),
            RecvArg::Match(e) => self.expr(e),
            RecvArg::Discard => false,
        })
    }

    fn expr(&self, e: &Expr) -> bool {
        match e {
            Expr::Const(..) | Expr::Pid | Expr::Priority => false,
            Expr::Load(p) => self.place(p),
            Expr::NrPr | Expr::Last | Expr::NonProgress | Expr::Timeout => true,
            Expr::Enabled(_) | Expr::PcValue(_) | Expr::GetPriority(_) => true,
            Expr::RemoteLabel { .. } | Expr::RemoteVar { .. } => true,
            Expr::Unary(_, a) => self.expr(a),
            Expr::Binary(_, a, b) => self.expr(a) || self.expr(b),
            Expr::Cond(a, b, c) => self.expr(a) || self.expr(b) || self.expr(c),
            Expr::Run(run) => self.unsafe_init.get(run.proctype.index()).copied().unwrap_or(true),
            Expr::Channel(..) | Expr::Poll { .. } => true,
        }
    }
}

impl Knowledge for Globals {
    fn is_channel(&self, place: &Place) -> bool {
        self.local_channels.contains(&place.offset)
    }

    fn touches_globals(&self, stmt: &Stmt) -> bool {
        match stmt {
            Stmt::Skip(_) | Stmt::End | Stmt::Else => false,
            Stmt::Guard(e) | Stmt::Assert(e) | Stmt::Printm(e) => self.expr(e),
            Stmt::Assign(p, e) => self.place(p) || self.expr(e),
            Stmt::AssignArray(p, _) => self.place(p),
            Stmt::Printf(_, args) => args.iter().any(|a| self.expr(a)),
            Stmt::Send { channel, args, .. } => args.iter().any(|a| self.expr(a)) || !self.promise(channel).send,
            Stmt::Receive { channel, args, .. } => self.args(args) || !self.promise(channel).receive,
            Stmt::SetPriority(..) => true,
            Stmt::DStep(d) => d.locs.iter().flatten().any(|t| self.touches_globals(&t.stmt)),
            Stmt::Chain(list) => list.iter().any(|s| self.touches_globals(s)),
        }
    }
}
