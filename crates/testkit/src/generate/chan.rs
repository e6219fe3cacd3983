//! Sends, receives and the handing over of channels.

use super::Gen;
use super::features::Feature;
use super::scope::{ChanVar, Scope, Var};
use crate::ast::*;
use crate::print;

impl Gen {
    /// A send or a receive on any channel in sight. Some process types prefer to send, others to receive: if all waited
    /// for messages, nothing would happen.
    pub(super) fn exchange(&mut self, scope: &Scope) -> Option<Kind> {
        let share = if scope.proc.is_multiple_of(2) { 65 } else { 35 };
        if self.rng.chance(share) { self.send(scope) } else { self.receive(scope) }
    }

    pub(super) fn send(&mut self, scope: &Scope) -> Option<Kind> {
        let chan = self.rng.pick(&scope.chans)?.clone();
        self.send_on(scope, &chan)
    }

    pub(super) fn send_on(&mut self, scope: &Scope, chan: &ChanVar) -> Option<Kind> {
        let args: Option<Vec<Expr>> = chan.fields.iter().map(|ty| self.message_value(scope, ty)).collect();
        let sorted = chan.capacity > 0 && self.maybe(Feature::Sorted, 50);
        let call_form = self.rng.chance(15);
        Some(Kind::Send(self.place(scope, &chan.path), sorted, args?, call_form))
    }

    fn message_value(&mut self, scope: &Scope, ty: &Ty) -> Option<Expr> {
        match ty {
            Ty::Struct(name) => {
                let vars: Vec<&Place> = scope.structs.iter().filter(|s| s.ty == *name).map(|s| &s.place).collect();
                self.rng.pick(&vars).map(|p| Expr::Var((*p).clone()))
            }
            Ty::Bit | Ty::Bool if !self.has(Feature::NarrowReceive) => Some(self.truth_value(scope)),
            other => self.value_for(scope, other),
        }
    }

    /// 0 or 1.
    fn truth_value(&mut self, scope: &Scope) -> Expr {
        match self.rng.below(3) {
            0 => Expr::Num(self.rng.below(2).into()),
            1 => Expr::binary("&", self.value(scope, 1), Expr::Num(1)),
            _ => self.comparison(scope, 0).paren(),
        }
    }

    pub(super) fn receive(&mut self, scope: &Scope) -> Option<Kind> {
        let chan = self.rng.pick(&scope.chans)?.clone();
        let recv = self.receive_of(scope, &chan, false)?;
        let copy = chan.capacity > 0 && self.maybe(Feature::CopyRecv, 40);
        Some(Kind::Recv(recv, copy))
    }

    /// A receive on `chan`, or the inside of a poll.
    pub(super) fn receive_of(&mut self, scope: &Scope, chan: &ChanVar, poll: bool) -> Option<Recv> {
        let args: Option<Vec<RecvArg>> = chan.fields.iter().map(|ty| self.receive_arg(scope, ty, poll)).collect();
        let chan_place = self.place(scope, &chan.path);
        let mut args = distinct_targets(args?);
        if !poll {
            drop_self_references(&chan_place, &mut args);
        }
        let random = chan.capacity > 0 && self.maybe(Feature::RandomRecv, 50);
        let call_form = self.rng.chance(15);
        Some(Recv { chan: chan_place, random, args, call_form })
    }

    fn receive_arg(&mut self, scope: &Scope, ty: &Ty, poll: bool) -> Option<RecvArg> {
        if let Ty::Struct(name) = ty {
            let vars: Vec<&Place> = scope.structs.iter().filter(|s| s.ty == *name).map(|s| &s.place).collect();
            return self.rng.pick(&vars).map(|p| RecvArg::Into((*p).clone()));
        }
        if self.maybe(Feature::Eval, 40) {
            return self.eval_arg(scope, ty);
        }
        match self.rng.below(if poll { 6 } else { 10 }) {
            0 => Some(RecvArg::Any),
            1 | 2 => Some(RecvArg::Match(self.match_constant(ty)?)),
            _ => Some(self.receive_target(scope, ty).map_or(RecvArg::Any, RecvArg::Into)),
        }
    }

    fn eval_arg(&mut self, scope: &Scope, ty: &Ty) -> Option<RecvArg> {
        let value = match ty {
            Ty::Mtype(_) => self.value_for(scope, ty)?,
            _ if self.rng.chance(30) => self.value(scope, 1),
            _ => self.value(scope, 0),
        };
        Some(RecvArg::Eval(value))
    }

    fn match_constant(&mut self, ty: &Ty) -> Option<Expr> {
        match ty {
            Ty::Mtype(sub) => self.mtype_name(sub),
            Ty::Short | Ty::Int if self.rng.chance(20) => Some(Expr::Num(-1)),
            _ => Some(Expr::Num(self.rng.below(3).into())),
        }
    }

    /// A variable that takes a field of the type: an mtype takes only its own kind.
    fn receive_target(&mut self, scope: &Scope, ty: &Ty) -> Option<Place> {
        let narrow = self.has(Feature::NarrowReceive);
        let holds = |v: &Var| v.numeric() && (narrow || holds(&v.ty, ty));
        let fits = |v: &&Var| v.writable && if matches!(ty, Ty::Mtype(_)) { v.ty == *ty } else { holds(v) };
        let vars: Vec<&Var> = scope.vars.iter().filter(fits).collect();
        let path = self.rng.pick(&vars)?.path.clone();
        Some(self.place(scope, &path))
    }

    /// Hands a channel over, or takes one and uses it at once.
    pub(super) fn handover(&mut self, scope: &Scope) -> Option<Seq> {
        let (carrier, kind) = self.carrier.clone()?;
        let place = Place::name(&carrier.path[0].name);
        if self.rng.chance(50) {
            let fitting: Vec<&ChanVar> = scope.chans.iter().filter(|c| c.same_kind(&kind)).collect();
            let path = self.rng.pick(&fitting)?.path.clone();
            let handle = Expr::Var(self.place(scope, &path));
            return Some(vec![Kind::Send(place, false, vec![handle], false).into()]);
        }
        let args = vec![RecvArg::Into(Place::name("q0"))];
        let take = Kind::Recv(Recv { chan: place, random: false, args, call_form: false }, false);
        let mut inner = scope.inner();
        let path = vec![super::scope::Seg { name: "q0".into(), len: None }];
        inner.chans = vec![ChanVar { path, ..kind }];
        let using = self.exchange(&inner)?;
        Some(vec![take.into(), using.into()])
    }

    /// `q0 = c`: a channel variable as an alias.
    pub(super) fn alias(&mut self, scope: &Scope) -> Option<Kind> {
        let (_, kind) = self.carrier.clone()?;
        let fitting: Vec<&ChanVar> = scope.chans.iter().filter(|c| c.same_kind(&kind)).collect();
        let path = self.rng.pick(&fitting)?.path.clone();
        Some(Kind::Assign(Place::name("q0"), Expr::Var(self.place(scope, &path))))
    }
}

/// SPIN undoes a receive with the values that variables have after it. So nothing in it may read what it changes: neither
/// the variables that it assigns nor the length of a channel.
fn drop_self_references(chan: &Place, args: &mut [RecvArg]) {
    for arg in args.iter_mut() {
        if matches!(arg, RecvArg::Eval(e) if print::expr(e).contains("len(")) {
            *arg = RecvArg::Any;
        }
    }
    let reads = |args: &[RecvArg]| {
        let mut texts = vec![index_text(chan)];
        texts.extend(args.iter().map(|arg| match arg {
            RecvArg::Into(place) => index_text(place),
            RecvArg::Eval(e) => print::expr(e),
            RecvArg::Match(_) | RecvArg::Any => String::new(),
        }));
        texts.join(" ")
    };
    for index in 0..args.len() {
        let text = reads(args);
        if matches!(&args[index], RecvArg::Into(place) if text.contains(&place.name)) {
            args[index] = RecvArg::Any;
        }
    }
}

/// The text of all indices in a place.
fn index_text(place: &Place) -> String {
    let own = place.index.as_ref().map(|i| print::expr(i)).unwrap_or_default();
    let inner = place.field.as_ref().map(|f| index_text(f)).unwrap_or_default();
    format!("{own} {inner}")
}

/// Can a variable of one type hold every value of a message field of the other?
fn holds(variable: &Ty, field: &Ty) -> bool {
    let rank = |ty: &Ty| match ty {
        Ty::Bit | Ty::Bool | Ty::Unsigned(_) => 0,
        Ty::Byte | Ty::Pid => 1,
        Ty::Short => 2,
        _ => 3,
    };
    rank(variable) >= rank(field)
}

/// SPIN refuses a receive that names a variable twice.
fn distinct_targets(mut args: Vec<RecvArg>) -> Vec<RecvArg> {
    let mut seen: Vec<String> = Vec::new();
    for arg in &mut args {
        if let RecvArg::Into(place) = arg {
            if seen.contains(&place.name) {
                *arg = RecvArg::Any;
            } else {
                seen.push(place.name.clone());
            }
        }
    }
    args
}
