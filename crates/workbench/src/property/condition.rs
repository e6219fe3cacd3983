//! The conditions of properties: which are each other's opposites, and which may have no value in some state.

use crate::property::joined::{Form, form};
use starwheel_model::{BinaryOp, Expr, Model, Place, Region, Stmt};

/// The same condition in one form for a comparison and its opposite, and whether it is the condition itself: false means
/// that it is the opposite.
pub fn canonical(e: &Expr) -> (Expr, bool) {
    let Expr::Binary(op, a, b) = e else { return (e.clone(), true) };
    let Some(Form { op, exchanged, itself }) = form(*op) else { return (e.clone(), true) };
    let (a, b) = if exchanged { (b, a) } else { (a, b) };
    (Expr::Binary(op, a.clone(), b.clone()), itself)
}

/// Says which conditions may have no value. Never says no of one that may.
pub struct Risk<'m> {
    model: &'m Model,
    /// Bytes of global variables that some statement writes: first, and one past the last.
    written: Vec<(u32, u32)>,
}

impl<'m> Risk<'m> {
    /// Looks through a model.
    pub fn new(model: &'m Model) -> Risk<'m> {
        let mut written = Vec::new();
        let own = model.transitions.iter().map(|t| &t.stmt);
        let inits = model.init.iter().chain(model.proctypes.iter().flat_map(|p| &p.init));
        for stmt in own.chain(inits) {
            stmt.walk_stmts(&mut |s| {
                s.targets(&mut |place, count| {
                    written.extend((place.region == Region::Global).then(|| place.widest(count)));
                });
            });
        }
        Risk { model, written }
    }

    /// True if a condition may have no value in some state.
    pub fn of(&self, e: &Expr) -> bool {
        e.any(|e| self.itself(e))
    }

    /// True if a statement of a process, without those inside it, may have no meaning in some state. To the process, unlike to a
    /// property, its own variables always have a value.
    pub fn of_step(&self, s: &Stmt) -> bool {
        let own = |e: &Expr| matches!(e, Expr::Load(place) if place.region == Region::Local && !out_of_bounds(place));
        let mut risky = matches!(s, Stmt::Send { .. } | Stmt::Receive { .. } | Stmt::SetPriority(..));
        s.walk(&mut |e| risky |= !own(e) && self.itself(e));
        s.targets(&mut |place, _| risky |= out_of_bounds(place));
        risky
    }

    /// An expression by itself, without those inside it.
    fn itself(&self, e: &Expr) -> bool {
        match e {
            Expr::Load(place) => place.region == Region::Local || out_of_bounds(place),
            Expr::RemoteVar { pid, place, .. } => pid.is_some() || out_of_bounds(place),
            Expr::Binary(BinaryOp::Div | BinaryOp::Rem, _, b) => b.as_const().is_none_or(|v| v == 0),
            Expr::Channel(_, channel) => self.channel(channel).is_none(),
            Expr::Poll { channel, args, .. } => self.channel(channel).is_none_or(|c| {
                let c = self.model.channel(self.model.global_channels[c].channel);
                c.capacity == 0 || args.len() > c.fields.len()
            }),
            Expr::Run(_) | Expr::Enabled(_) => true,
            Expr::Const(..) | Expr::Pid | Expr::NrPr | Expr::Last | Expr::Priority | Expr::NonProgress => false,
            Expr::Timeout | Expr::Unary(..) | Expr::Binary(..) | Expr::Cond(..) | Expr::PcValue(_) => false,
            Expr::GetPriority(_) | Expr::RemoteLabel { .. } => false,
        }
    }

    /// The global channel that an expression always names.
    fn channel(&self, e: &Expr) -> Option<usize> {
        let Expr::Load(place) = e else { return None };
        let at = place.offset;
        if place.region != Region::Global || !place.dims.is_empty() {
            return None;
        }
        if self.written.iter().any(|&(first, end)| first <= at && at < end) {
            return None;
        }
        let same = |p: &Place| p.region == Region::Global && p.offset == at && p.dims.is_empty();
        self.model.global_channels.iter().position(|c| same(&c.place))
    }
}

/// True unless all indices are constants within the bounds.
fn out_of_bounds(place: &Place) -> bool {
    place.dims.iter().any(|d| d.index.as_const().is_none_or(|i| i < 0 || i as u32 >= d.len))
}
