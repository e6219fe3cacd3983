//! Atomic chains that block in the middle, and all that is needed to see it happen.
//!
//! Whether a chain gets through or is seen half done may depend on a step that touches nothing of it: the one after which
//! another process is ready for the handshake in its middle. For that to show, four things must come together, which
//! random statements hardly ever do: a chain with something to wait for behind its first statement, a *visitor* who
//! offers just that after a step of his own, a variable that the chain sets before it waits and that is set back
//! afterwards, and an *observer* who looks at this variable. So they are planned together.

use super::Gen;
use super::features::Feature;
use super::scope::{ChanVar, Scope, Seg};
use crate::ast::*;

/// The variable that a chain sets before it waits.
pub(super) const WATCHED: &str = "v0";
/// The variable that a visitor sets for a chain that waits for a condition.
const SIGN: &str = "n0";

/// What the chain of a program waits for.
#[derive(Clone, Debug)]
enum Wait {
    /// A message on a channel, which the chain sends or receives.
    Message { chan: ChanVar, sends: bool },
    /// A condition on a global variable.
    Sign,
}

/// The part that a process type plays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// It has the chain.
    Holder,
    /// It brings what the chain waits for.
    Visitor,
    /// It looks at the variable.
    Observer,
}

/// The chain of a program and who has to do with it.
#[derive(Clone, Debug)]
pub(super) struct Chain {
    wait: Wait,
    /// The role of the first process type; the others follow in turn.
    first: usize,
    /// The processes do little else, so that nothing hides what happens.
    pub(super) bare: bool,
}

const ROLES: [Role; 3] = [Role::Holder, Role::Visitor, Role::Observer];

impl Chain {
    /// The part of the process type with this number.
    pub(super) fn role(&self, index: usize) -> Role {
        ROLES[(self.first + index) % ROLES.len()]
    }
}

impl Gen {
    /// Declares what a chain needs. Other statements see some of it, in some programs.
    pub(super) fn declare_chain(&mut self) {
        if !self.has(Feature::Chains) {
            return;
        }
        let ty = [Ty::Bit, Ty::Byte, Ty::Bool][self.rng.below(3) as usize].clone();
        self.chain_global(ty, WATCHED, None);
        let handshakes = if self.has(Feature::Rendezvous) { 6 } else { 0 };
        let wait = match self.rng.weighted(&[handshakes, 2, 2]) {
            0 => self.meeting(0),
            1 => self.meeting(1),
            _ => {
                self.chain_global(Ty::Bit, SIGN, None);
                Wait::Sign
            }
        };
        self.chain = Some(Chain { wait, first: self.rng.below(3) as usize, bare: self.rng.chance(75) });
    }

    /// A global that is declared in any case, and seen by the other statements in some.
    fn chain_global(&mut self, ty: Ty, name: &str, init: Option<Init>) {
        // A promise that is not kept: it must change nothing.
        let local = name == WATCHED && self.maybe(Feature::LocalWord, 60);
        let decl = VarDecl { vis: if local { Vis::Local } else { Vis::Plain }, ty, name: name.into(), len: None, init };
        if self.rng.chance(25) {
            let mut scope = std::mem::take(&mut self.globals);
            self.enter(&mut scope, &decl, true);
            self.globals = scope;
        }
        self.items.push(Item::Global(decl));
    }

    /// A channel of the program, or one of its own.
    fn meeting(&mut self, capacity: u32) -> Wait {
        let sends = self.rng.chance(50);
        let fits = |c: &&ChanVar| (c.capacity == 0) == (capacity == 0) && !matches!(c.fields[..], [Ty::Struct(_)]);
        let present: Vec<&ChanVar> = self.globals.chans.iter().filter(fits).collect();
        if let Some(chan) = self.rng.pick(&present).filter(|_| self.rng.chance(30)) {
            return Wait::Message { chan: (*chan).clone(), sends };
        }
        let fields = vec![[Ty::Bit, Ty::Byte][self.rng.below(2) as usize].clone()];
        self.chain_global(Ty::Chan, "m0", Some(Init::Chan(capacity, fields.clone())));
        let path = vec![Seg { name: "m0".into(), len: None }];
        Wait::Message { chan: ChanVar { path, fields, capacity }, sends }
    }

    /// The statements that the part of a process type asks for, if the program has a chain.
    pub(super) fn chain_part(&mut self, scope: &Scope) -> Option<Seq> {
        let chain = self.chain.clone()?;
        match chain.role(scope.proc) {
            Role::Holder => self.holder(scope, &chain.wait),
            Role::Visitor => self.visitor(scope, &chain.wait),
            Role::Observer => Some(self.observer()),
        }
    }

    /// With priorities, whoever looks at the variable mostly comes before whoever sets it.
    pub(super) fn chain_priority(&mut self, index: usize) -> Option<u32> {
        let role = self.chain.as_ref()?.role(index);
        if !self.maybe(Feature::Priority, 90) {
            return None;
        }
        Some(match role {
            Role::Observer => self.rng.range(3, 4),
            Role::Holder | Role::Visitor => self.rng.range(1, 2),
        })
    }

    /// `atomic { v0 = 1; wait; v0 = 0 }` and its relatives.
    fn holder(&mut self, scope: &Scope, wait: &Wait) -> Option<Seq> {
        let mut body = Vec::new();
        if self.rng.chance(25) {
            body.push(Stmt { arrow: true, ..Stmt::new(Kind::Guard(watched("==", 0).paren())) });
        }
        body.push(Stmt::new(set(WATCHED, 1)));
        if self.rng.chance(15) {
            body.extend(self.assignment(scope).map(Stmt::new));
        }
        if self.maybe(Feature::LocalWord, 60) {
            body.insert(0, self.own_step(scope));
            body.push(Stmt::new(set(WATCHED, 0)));
            return Some(body);
        }
        // With priorities a chain that waits for nothing may be interrupted, too.
        if self.maybe(Feature::Priority, 75) {
            body.push(Stmt::new(set(WATCHED, 0)));
            return Some(vec![Kind::Atomic(body).into()]);
        }
        let mut pause = vec![Stmt::new(self.waiting(scope, wait)?)];
        // A sender fills a channel with slots first.
        if matches!(wait, Wait::Message { chan, sends: true } if chan.capacity > 0) {
            pause.extend(self.waiting(scope, wait).map(Stmt::new));
        }
        if self.rng.chance(20) {
            let other = vec![Stmt::new(self.choice_beside(scope, wait))];
            pause = vec![Kind::If(vec![pause, other]).into()];
        }
        body.extend(pause);
        if self.rng.chance(50) {
            body.push(Stmt::new(set(WATCHED, 0)));
        }
        let atomic = Kind::Atomic(body);
        Some(vec![match self.rng.below(20) {
            0 | 1 if self.has(Feature::Unless) => {
                let escape = Stmt { arrow: true, ..Stmt::new(Kind::Guard(self.condition(scope, 0).paren())) };
                Kind::Unless(vec![atomic.into()], vec![escape, Stmt::new(set(WATCHED, 0))]).into()
            }
            2 => Kind::If(vec![vec![atomic.into()], vec![Kind::Guard(watched("==", 1).paren()).into()]]).into(),
            _ => atomic.into(),
        }])
    }

    /// What a selection in the chain offers beside the waiting.
    fn choice_beside(&mut self, scope: &Scope, wait: &Wait) -> Kind {
        match self.rng.below(3) {
            0 => self.exchange(scope).unwrap_or_else(|| Kind::Guard(watched("==", 0).paren())),
            1 => self.waiting(scope, wait).unwrap_or(Kind::Guard(Expr::Num(0))),
            _ => Kind::Guard(self.condition(scope, 1).paren()),
        }
    }

    /// What the chain waits for.
    fn waiting(&mut self, scope: &Scope, wait: &Wait) -> Option<Kind> {
        match wait {
            Wait::Sign => Some(Kind::Guard(number(SIGN, if self.rng.chance(50) { "==" } else { ">=" }, 1).paren())),
            Wait::Message { chan, sends: true } => self.send_on(scope, chan),
            Wait::Message { chan, sends: false } => self.take_from(scope, chan),
        }
    }

    /// What ends the waiting.
    fn offer(&mut self, scope: &Scope, wait: &Wait) -> Option<Kind> {
        match wait {
            Wait::Sign => Some(set(SIGN, 1)),
            Wait::Message { chan, sends: true } => self.take_from(scope, chan),
            Wait::Message { chan, sends: false } => self.send_on(scope, chan),
        }
    }

    /// A receive that takes whatever comes, or almost.
    fn take_from(&mut self, scope: &Scope, chan: &ChanVar) -> Option<Kind> {
        if self.rng.chance(15) {
            let recv = self.receive_of(scope, chan, false)?;
            return Some(Kind::Recv(recv, false));
        }
        let args = vec![RecvArg::Any; chan.fields.len()];
        let recv = Recv { chan: self.place(scope, &chan.path), random: false, args, call_form: false };
        Some(Kind::Recv(recv, false))
    }

    /// A step of his own, then what the chain waits for; most often the variable is set back in the same breath.
    fn visitor(&mut self, scope: &Scope, wait: &Wait) -> Option<Seq> {
        let mut seq = Vec::new();
        if self.rng.chance(85) {
            seq.push(self.own_step(scope));
        }
        let offer = Stmt::new(self.offer(scope, wait)?);
        seq.extend(match self.rng.below(10) {
            0..=6 => vec![Kind::Atomic(vec![offer, set(WATCHED, 0).into()]).into()],
            7 if self.has(Feature::Unless) && matches!(offer.kind, Kind::Recv(..) | Kind::Assign(..)) => {
                let main = vec![self.own_step(scope), Kind::Guard(watched("==", 1).paren()).into()];
                vec![Kind::Unless(main, vec![offer]).into()]
            }
            _ => vec![offer],
        });
        Some(seq)
    }

    /// A step that nobody else has to do with.
    fn own_step(&mut self, scope: &Scope) -> Stmt {
        let locals: Vec<&str> =
            scope.vars.iter().filter(|v| v.narrow() || v.numeric()).filter_map(local_name).collect();
        match self.rng.pick(&locals) {
            Some(name) if self.rng.chance(60) => set(name, self.rng.below(2).into()).into(),
            _ if self.rng.chance(15) => Kind::Assign(Place::name("_"), Expr::Num(1)).into(),
            _ => Kind::Guard(Expr::word(if self.rng.chance(50) { "skip" } else { "true" })).into(),
        }
    }

    /// A look at the variable: an assertion, or a way on that is not there if it is set.
    fn observer(&mut self) -> Seq {
        let fine = watched("==", 0);
        if !self.has(Feature::Assert) {
            return match self.rng.below(3) {
                0 => vec![Kind::Guard(fine.paren()).into()],
                1 => {
                    let stuck = vec![Kind::Guard(watched("==", 1).paren()).into(), Kind::Guard(Expr::Num(0)).into()];
                    vec![Kind::If(vec![stuck, vec![Kind::Guard(fine.paren()).into()]]).into()]
                }
                _ => vec![Kind::Guard(watched("==", 1).paren()).into()],
            };
        }
        let seen = Stmt { arrow: true, ..Stmt::new(Kind::Guard(watched("==", 1).paren())) };
        // Who comes first has looked before there is anything to see, unless he waits for it.
        match self.rng.below(if self.has(Feature::Priority) { 2 } else { 5 }) {
            0 => vec![seen, Kind::Assert(Expr::word("false")).into()],
            1 => {
                let look = vec![seen, Kind::Assert(Expr::word("false")).into()];
                vec![Kind::If(vec![look, vec![Kind::Guard(fine.paren()).into()]]).into()]
            }
            _ => vec![Kind::Assert(fine).into()],
        }
    }

    /// What a formula may say of the variable of the chain, if there is one.
    pub(super) fn watched_proposition(&mut self) -> Option<Expr> {
        self.chain.as_ref()?;
        let op = if self.rng.chance(60) { "==" } else { "!=" };
        Some(watched(op, self.rng.below(2).into()))
    }
}

/// A plain variable of the process.
fn local_name(var: &super::scope::Var) -> Option<&str> {
    let [seg] = &var.path[..] else { return None };
    (var.writable && seg.len.is_none() && seg.name.starts_with(['x', 'p'])).then_some(seg.name.as_str())
}

fn set(name: &str, value: i64) -> Kind {
    Kind::Assign(Place::name(name), Expr::Num(value))
}

fn number(name: &str, op: &'static str, value: i64) -> Expr {
    Expr::binary(op, Expr::Var(Place::name(name)), Expr::Num(value))
}

fn watched(op: &'static str, value: i64) -> Expr {
    number(WATCHED, op, value)
}
