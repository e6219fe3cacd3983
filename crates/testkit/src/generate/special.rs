//! The special words of expressions (`_pid`, `len`, `timeout`, polls, remote references), claims and event traces.

use super::Gen;
use super::features::Feature;
use super::scope::{ChanVar, Scope};
use crate::ast::*;

impl Gen {
    /// A value that is no variable and no number: `_pid`, `len(c)`, `P[0]:x` and so on.
    pub(super) fn special_value(&mut self, scope: &Scope) -> Option<Expr> {
        let mut found = Vec::new();
        if self.has(Feature::ProcessWords) {
            found.extend([Expr::word("_pid"), Expr::word("_nr_pr")]);
        }
        if self.has(Feature::Priority) {
            found.extend([Expr::word("_priority"), Expr::Call("get_priority".into(), vec![Expr::Num(0)])]);
        }
        if self.has(Feature::Last) {
            found.push(Expr::word("_last"));
        }
        if self.has(Feature::PcValue) && !scope.inline {
            found.push(Expr::binary(">", Expr::Call("pc_value".into(), vec![Expr::Num(0)]), Expr::Num(0)).paren());
        }
        if self.has(Feature::ChanWords) {
            found.extend(self.buffered(scope).map(|chan| Expr::Chan("len", self.place(scope, &chan.path))));
        }
        if self.has(Feature::RemoteVar) {
            found.extend(self.remote_var(scope));
        }
        self.rng.pick(&found).cloned()
    }

    fn buffered(&mut self, scope: &Scope) -> Option<ChanVar> {
        let chans: Vec<&ChanVar> = scope.chans.iter().filter(|c| c.capacity > 0).collect();
        self.rng.pick(&chans).map(|c| (*c).clone())
    }

    /// The only safe target of a remote reference is the process with pid 0: it is the last to die.
    fn remote_var(&mut self, scope: &Scope) -> Option<Expr> {
        let plan = self.plans.first().filter(|_| scope.proc != 0)?;
        let var = plan.remote_var.clone()?;
        let pid = Some(Box::new(Expr::Num(0)));
        Some(Expr::RemoteVar(plan.name.clone(), pid, Place::name(&var)))
    }

    fn remote_label(&mut self, scope: &Scope) -> Option<Expr> {
        let plan = self.plans.first().filter(|_| scope.proc != 0)?;
        let label = plan.remote_label.clone()?;
        let (name, single) = (plan.name.clone(), plan.start == Start::Active(1));
        let pid = if single && self.rng.chance(25) { None } else { Some(Box::new(Expr::Num(0))) };
        Some(Expr::RemoteLabel(name, pid, label))
    }

    /// A guard with a special word in it.
    pub(super) fn special_guard(&mut self, scope: &Scope) -> Option<Expr> {
        let mut found = Vec::new();
        if self.has(Feature::Timeout) {
            found.push(Expr::word("timeout"));
            if self.rng.chance(30) {
                let c = self.condition(scope, 0);
                found.push(Expr::binary("&&", Expr::word("timeout"), c));
            }
        }
        if self.has(Feature::ChanWords) {
            found.extend(self.probe(scope));
        }
        if self.has(Feature::Poll) {
            found.extend(self.poll(scope));
        }
        if self.has(Feature::RemoteLabel) {
            found.extend(self.remote_label(scope));
        }
        if self.has(Feature::Enabled) && scope.proc != 0 && !scope.inline {
            found.push(Expr::Call("enabled".into(), vec![Expr::Num(0)]));
        }
        if self.has(Feature::ProcessWords) {
            let limit = Expr::Num(self.rng.range(1, 3).into());
            let op = *self.rng.pick(&["==", "<", "<=", ">"]).unwrap_or(&"==");
            found.push(Expr::binary(op, Expr::word("_nr_pr"), limit).paren());
        }
        self.rng.pick(&found).cloned()
    }

    /// `full(c)` and its relatives, alone or joined with a condition; they may not be negated or compared.
    fn probe(&mut self, scope: &Scope) -> Option<Expr> {
        let chan = self.buffered(scope)?;
        let word = *self.rng.pick(&["full", "nfull", "empty", "nempty"]).unwrap_or(&"empty");
        let probe = Expr::Chan(word, self.place(scope, &chan.path));
        if self.rng.chance(70) {
            return Some(probe);
        }
        let op = if self.rng.chance(50) { "&&" } else { "||" };
        let c = self.condition(scope, 0).paren();
        Some(Expr::Binary(op, Box::new(probe), Box::new(c)))
    }

    fn poll(&mut self, scope: &Scope) -> Option<Expr> {
        let chan = self.buffered(scope)?;
        let recv = self.receive_of(scope, &chan, true)?;
        Some(Expr::Poll(recv))
    }

    /// `trace { do :: c!_ ... od }` over one global channel, mostly one that the program obeys.
    pub(super) fn trace_item(&mut self) {
        let Some(chan) = self.globals.chans.iter().find(|c| c.path.len() == 1 && c.path[0].len.is_none()).cloned()
        else {
            return;
        };
        let scope = self.globals.clone();
        let place = self.place(&scope, &chan.path);
        let any = |count: usize| vec![Expr::word("_"); count];
        let send = Kind::Send(place.clone(), false, any(chan.fields.len()), false);
        let args = vec![RecvArg::Any; chan.fields.len()];
        let recv = Kind::Recv(Recv { chan: place, random: false, args, call_form: false }, false);
        let loops = self.rng.chance(60);
        let options = vec![vec![Stmt::new(send)], vec![Stmt::new(recv)]];
        let body = if loops { Kind::Do(options) } else { Kind::If(options) };
        let word = if self.rng.chance(75) { "trace" } else { "notrace" };
        self.items.push(Item::Automaton(word, vec![Stmt::new(body)]));
    }

    /// A claim that no run checks, but whose reads count for the automata that SPIN builds.
    pub(super) fn claim_item(&mut self) {
        let vars: Vec<_> = self.globals.vars.iter().filter(|v| v.numeric() && v.path.len() == 1).cloned().collect();
        let Some(var) = self.rng.pick(&vars).cloned() else { return };
        let scope = self.globals.clone();
        let index = var.path[0].len.map(|_| Box::new(Expr::Num(0)));
        let place = Place { index, ..self.place(&scope, &var.path) };
        let bad = Expr::binary("<", Expr::Var(place), Expr::Num(self.rng.range(1, 3).into()));
        if self.rng.chance(60) {
            self.items.push(Item::Ltl("p0".into(), Expr::Unary("[]", Box::new(bad))));
            return;
        }
        let stay = Stmt { arrow: true, ..Stmt::new(Kind::Guard(Expr::word("true"))) };
        let leave = Stmt { arrow: true, ..Stmt::new(Kind::Guard(Expr::Unary("!", Box::new(bad.paren())))) };
        let options = vec![vec![stay, Stmt::new(Kind::Guard(Expr::Num(1)))], vec![leave, Stmt::new(Kind::Break)]];
        self.items.push(Item::Automaton("never", vec![Stmt::new(Kind::Do(options))]));
    }
}
