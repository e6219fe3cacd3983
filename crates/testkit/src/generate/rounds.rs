//! Loops that touch nothing of what the others do, and somebody who is put off while they go round.
//!
//! A reduction may take the steps of such a loop alone in each of its states. If nobody saw to it that the loop is left, the
//! others would be forgotten for ever, and what goes wrong in them would not be seen: the problem of ignoring, against
//! which each search has its cycle proviso. Random loops hardly ever show it, because their steps touch what the others
//! use. So three parts are planned together: *runners*, who go round alone, or in a ring of two who touch only each other;
//! and a *late* one, who does something that can be seen as soon as he gets there, and mostly nobody else does.

use super::Gen;
use super::features::Feature;
use super::scope::Scope;
use crate::ast::*;

/// What the late one does can be seen here.
const SIGN: &str = "u0";
/// A runner's own variable.
const OWN: &str = "r0";
/// A runner's own channel.
const PIPE: &str = "rk";
/// Whose turn it is in a ring that shares a variable.
const TURN: &str = "rt";
/// The channels of a ring, there and back.
const RING: [&str; 2] = ["ro", "rb"];
/// Where a loop of jumps begins.
const TOP: &str = "Round";

/// What the loops of a program go round with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ring {
    /// Each runner has a loop of its own.
    Alone,
    /// Two take turns by a variable.
    Turns,
    /// Two toss a message to and fro.
    Messages,
}

/// The part that a process type plays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    Runner,
    Late,
    /// Another runner, the second of a ring, or somebody who looks.
    Other,
}

const ROLES: [Role; 3] = [Role::Runner, Role::Late, Role::Other];

/// The loops of a program and who has to do with them.
#[derive(Clone, Debug)]
pub(super) struct Rounds {
    ring: Ring,
    /// The role of the first process type; the others follow in turn.
    first: usize,
    /// The processes do little else, so that nothing hides what is forgotten.
    pub(super) bare: bool,
}

impl Gen {
    /// Declares what the loops need.
    pub(super) fn declare_rounds(&mut self) {
        if !self.has(Feature::Rounds) {
            return;
        }
        let mut global = |ty: Ty, name: &str, init: Option<Init>| {
            let decl = VarDecl { vis: Vis::Plain, ty, name: name.into(), len: None, init };
            self.items.push(Item::Global(decl));
        };
        global(Ty::Bit, SIGN, None);
        let ring = [Ring::Alone, Ring::Turns, Ring::Messages][self.rng.weighted(&[6, 2, 2])];
        match ring {
            Ring::Alone => {}
            Ring::Turns => global(Ty::Bit, TURN, None),
            Ring::Messages => {
                let slots = if self.on.has(Feature::Rendezvous) { self.rng.below(2) } else { 1 };
                RING.iter().for_each(|name| global(Ty::Chan, name, Some(Init::Chan(slots, vec![Ty::Bit]))));
            }
        }
        self.rounds = Some(Rounds { ring, first: self.rng.below(3) as usize, bare: self.rng.chance(75) });
    }

    /// The statements that the part of a process type asks for, if the program has such loops.
    pub(super) fn rounds_part(&mut self, scope: &Scope) -> Option<Seq> {
        let Rounds { ring, first, .. } = self.rounds.clone()?;
        let role = ROLES[(first + scope.proc) % ROLES.len()];
        match (ring, role) {
            (_, Role::Late) => Some(self.late()),
            (Ring::Alone, Role::Runner) => Some(self.runner(scope)),
            (Ring::Alone, Role::Other) => match self.rng.below(4) {
                0 => Some(self.runner(scope)),
                1 => Some(self.late()),
                2 if self.has(Feature::Assert) => Some(vec![Kind::Assert(is(SIGN, 0)).into()]),
                _ => None,
            },
            (ring, role) => Some(self.ring(ring, role == Role::Runner)),
        }
    }

    /// What a formula may say of what the late one does.
    pub(super) fn late_proposition(&mut self) -> Option<Expr> {
        self.rounds.as_ref()?;
        Some(is(SIGN, self.rng.below(2).into()))
    }

    /// A few steps of nobody else's concern, then something that can be seen.
    fn late(&mut self) -> Seq {
        let mut seq = Vec::new();
        for _ in 0..self.rng.weighted(&[6, 3, 1]) {
            seq.push(Kind::Guard(Expr::word(if self.rng.chance(50) { "skip" } else { "true" })).into());
        }
        let seen: Seq = match self.rng.below(6) {
            0..=2 if self.has(Feature::Assert) => vec![Kind::Assert(Expr::word("false")).into()],
            3 if self.has(Feature::Assert) => vec![set(SIGN, Expr::Num(1)), Kind::Assert(is(SIGN, 0)).into()],
            4 => vec![set(SIGN, Expr::Num(1)), set(SIGN, Expr::Num(0))],
            _ => vec![set(SIGN, Expr::Num(1))],
        };
        seq.extend(seen);
        seq
    }

    /// A loop of one process.
    fn runner(&mut self, scope: &Scope) -> Seq {
        let mut seq = Vec::new();
        let channel = self.rng.chance(15);
        if channel {
            let decl = VarDecl {
                vis: Vis::Plain,
                ty: Ty::Chan,
                name: PIPE.into(),
                len: None,
                init: Some(Init::Chan(1, vec![Ty::Bit])),
            };
            seq.push(Kind::Decl(decl).into());
        }
        let ty = if self.rng.chance(70) { Ty::Bit } else { Ty::Byte };
        seq.push(Kind::Decl(VarDecl { vis: Vis::Plain, ty, name: OWN.into(), len: None, init: None }).into());
        let mut round = self.round();
        if channel {
            round.extend([send(PIPE), take(PIPE)]);
        }
        match self.rng.below(10) {
            0..=3 => seq.push(Kind::Do(vec![round]).into()),
            4 => {
                let way = |from: i64| vec![arrow(is(OWN, from)), set(OWN, Expr::Num(1 - from))];
                seq.push(Kind::Do(vec![way(0), way(1)]).into());
            }
            5 => {
                round[0].labels.push(TOP.into());
                seq.extend(round);
                seq.push(Kind::Goto(TOP.into()).into());
            }
            6 => {
                // It can be left, and what comes then can be seen as well.
                seq.push(Kind::Do(vec![round, vec![Kind::Break.into()]]).into());
                seq.extend(self.late());
            }
            7 => {
                let other = self.assignment(scope).unwrap_or(Kind::Guard(Expr::word("true")));
                seq.push(Kind::Do(vec![round, vec![other.into()]]).into());
            }
            8 => {
                let inner = Kind::Do(vec![
                    vec![arrow(is(OWN, 0)), set(OWN, Expr::Num(1))],
                    vec![arrow(is(OWN, 1)), Kind::Break.into()],
                ]);
                seq.push(Kind::Do(vec![vec![inner.into(), set(OWN, Expr::Num(0))]]).into());
            }
            _ => {
                let either = Kind::If(vec![self.round(), self.round()]);
                round.push(either.into());
                seq.push(Kind::Do(vec![round]).into());
            }
        }
        seq
    }

    /// What a runner does in one round.
    fn round(&mut self) -> Seq {
        (0..self.rng.range(1, 3)).map(|_| self.turn()).collect()
    }

    /// A step that only the process itself has to do with, and that may lead back to where it was.
    fn turn(&mut self) -> Stmt {
        let own = || Expr::Var(Place::name(OWN));
        let flip = || set(OWN, Expr::binary("-", Expr::Num(1), own()));
        match self.rng.below(10) {
            0..=3 => Kind::Guard(Expr::word(if self.rng.chance(50) { "skip" } else { "true" })).into(),
            4 if self.has(Feature::DStep) => Kind::DStep(vec![flip(), flip()]).into(),
            5 if self.has(Feature::Atomic) => Kind::Atomic(vec![flip(), flip()]).into(),
            6 => Kind::Guard(Expr::binary("<", own(), Expr::Num(2)).paren()).into(),
            7 => set(OWN, Expr::Num(self.rng.below(2).into())),
            _ => flip(),
        }
    }

    /// One of two who touch only each other.
    fn ring(&mut self, ring: Ring, first: bool) -> Seq {
        let [there, back] = if first { RING } else { [RING[1], RING[0]] };
        let mut round = match (ring, first) {
            (Ring::Messages, true) => vec![send(there), take(back)],
            (Ring::Messages, false) => vec![take(back), send(there)],
            _ => {
                let me = i64::from(!first);
                vec![arrow(is(TURN, me)), set(TURN, Expr::Num(1 - me))]
            }
        };
        if self.rng.chance(30) {
            round.push(Kind::Guard(Expr::word("skip")).into());
        }
        if self.rng.chance(15) {
            let mut all = vec![Kind::Do(vec![round, vec![Kind::Break.into()]]).into()];
            all.extend(self.late());
            return all;
        }
        vec![Kind::Do(vec![round]).into()]
    }
}

fn set(name: &str, value: Expr) -> Stmt {
    Kind::Assign(Place::name(name), value).into()
}

fn is(name: &str, value: i64) -> Expr {
    Expr::binary("==", Expr::Var(Place::name(name)), Expr::Num(value)).paren()
}

fn arrow(guard: Expr) -> Stmt {
    Stmt { arrow: true, ..Stmt::new(Kind::Guard(guard)) }
}

fn send(chan: &str) -> Stmt {
    Kind::Send(Place::name(chan), false, vec![Expr::Num(1)], false).into()
}

fn take(chan: &str) -> Stmt {
    let recv = Recv { chan: Place::name(chan), random: false, args: vec![RecvArg::Any], call_form: false };
    Kind::Recv(recv, false).into()
}
