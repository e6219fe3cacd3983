//! The model: process automata, variables, channels and properties, ready to be executed.

use crate::expr::Expr;
use crate::layout::Layout;
use crate::place::{Place, Ty};
use crate::stmt::Stmt;
use crate::time::Pace;
use starwheel_base::Span;
use std::sync::Arc;

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident($int:ty);)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
        pub struct $name(pub $int);

        impl $name {
            /// As an index.
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }
    )*};
}

ids! {
    /// A process type: index into [`Model::proctypes`].
    ProctypeId(u8);
    /// A location of a process automaton: index into [`Proctype::locs`]. The numbers are those that SPIN gives its states.
    LocId(u16);
    /// A kind of channel: index into [`Model::channels`].
    ChanId(u16);
    /// A process in a state, in order of creation.
    Pid(u8);
}

/// A transition: index into [`Model::transitions`]. It is what a step of a model does.
pub use starwheel_system::Action as TransId;

impl Pid {
    /// Stands for a claim where a number is needed: no process has this one, because a state holds at most 255 processes.
    pub const CLAIM: Pid = Pid(u8::MAX);

    /// True for a claim, which is no process.
    pub fn is_claim(self) -> bool {
        self == Pid::CLAIM
    }
}

/// A whole model.
#[derive(Clone, Debug, Default)]
pub struct Model {
    /// Its name: the file's.
    pub name: String,
    /// Names of symbolic constants, by set (`""` for plain `mtype`) and value; for printing.
    pub symbols: Vec<SymbolSet>,
    /// Global variables, structures taken apart.
    pub globals: Vec<Var>,
    /// What happens to the zeroed globals before the first process is created, in order.
    pub init: Vec<Stmt>,
    /// Channel declarations, global and local.
    pub channels: Vec<Channel>,
    /// The channels that exist from the start, in order of creation; their numbers are 1, 2, …
    pub global_channels: Vec<ChannelVar>,
    /// Process types; those of `init`, claims and traces included.
    pub proctypes: Vec<Proctype>,
    /// All transitions of all process types.
    pub transitions: Vec<Transition>,
    /// The processes of the initial state, in order.
    pub starts: Vec<Start>,
    /// Claims and formulas, in source order.
    pub properties: Vec<Property>,
    /// Where the conditions of never claims stand, for people; nothing else depends on it.
    pub conditions: Vec<(Expr, Span)>,
    /// The event assertion.
    pub trace: Option<TraceAssertion>,
    /// True if a state without steps is a valid end only when all channels are empty.
    pub empty_ends: bool,
    /// What the model as a whole makes use of.
    pub uses: Uses,
    /// Where everything lies in a state.
    pub layout: Layout,
    /// How far a tick goes.
    pub pace: Pace,
}

/// One set of symbolic constants.
#[derive(Clone, Debug, Default)]
pub struct SymbolSet {
    /// The subtype, `""` for plain `mtype`.
    pub name: Arc<str>,
    /// Value and name.
    pub names: Vec<(i32, Arc<str>)>,
}

/// Features that change what an interpreter or a reduction has to look at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Uses {
    /// `timeout` outside claims.
    pub timeout: bool,
    /// `_last`.
    pub last: bool,
    /// Priorities of any form.
    pub priority: bool,
    /// `provided`.
    pub provided: bool,
    /// `enabled()`.
    pub enabled: bool,
    /// `pc_value()`.
    pub pc_value: bool,
    /// `P[e]:x`.
    pub remote_vars: bool,
    /// `P[e]@L`.
    pub remote_labels: bool,
    /// `unless`.
    pub unless: bool,
    /// A channel without slots.
    pub rendezvous: bool,
    /// `else` beside channel operations.
    pub else_with_io: bool,
    /// `__lazy`.
    pub lazy: bool,
    /// Labels of jumps that may lead back: a transition that never ends is an error ([`crate::returns`]).
    pub returns: bool,
}

/// A variable, or an array of scalars; fields of structures are variables of their own (`s[1].x`).
#[derive(Clone, Debug)]
pub struct Var {
    /// The full name.
    pub name: Arc<str>,
    /// How a value is stored.
    pub ty: Ty,
    /// How a value is shown.
    pub shown: Shown,
    /// The number of elements of an array.
    pub len: Option<u32>,
    /// Where it lies, without indices; [`Place::region`] tells hidden globals.
    pub place: Place,
    /// `local`: the promise that one process alone uses it.
    pub promised_local: bool,
    /// `show`.
    pub show: bool,
    /// True for a parameter of a process type.
    pub param: bool,
    /// Where it was declared.
    pub span: Span,
}

/// How a value is shown to people.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shown {
    /// As a number.
    Number,
    /// By a symbolic constant of this set.
    Symbol(Arc<str>),
    /// As a channel.
    Channel,
}

/// A channel declaration.
#[derive(Clone, Debug)]
pub struct Channel {
    /// The variable's name, with the element for arrays: `c[2]`.
    pub name: Arc<str>,
    /// The number of slots; none for rendezvous.
    pub capacity: u16,
    /// The fields of a message, structures taken apart.
    pub fields: Vec<Field>,
    /// Where it was declared.
    pub span: Span,
}

/// One field of a message.
#[derive(Clone, Debug)]
pub struct Field {
    /// How it is stored in the channel.
    pub ty: Ty,
    /// How it is shown.
    pub shown: Shown,
}

/// A channel that is created, and the variable that then holds its number.
#[derive(Clone, Debug)]
pub struct ChannelVar {
    /// What kind of channel.
    pub channel: ChanId,
    /// The variable, with constant indices.
    pub place: Place,
}

/// What a process type stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProctypeKind {
    /// An ordinary one.
    Process,
    /// `init`.
    Init,
    /// A never claim.
    Never,
    /// `trace` or `notrace`.
    Trace,
}

/// A process type: its variables and its automaton.
#[derive(Clone, Debug)]
pub struct Proctype {
    /// Its name; `:init:` for `init`.
    pub name: Arc<str>,
    /// What it stands for.
    pub kind: ProctypeKind,
    /// Where it was declared.
    pub span: Span,
    /// Locals, parameters first, structures taken apart. Names of inner blocks may occur twice.
    pub locals: Vec<Var>,
    /// The number of leading [`Proctype::locals`] (elements of arrays counted) that `run` gives values to.
    pub params: Vec<Place>,
    /// Channels that come to life with the process.
    pub channels: Vec<ChannelVar>,
    /// What happens to the zeroed frame when a process is created, after parameters and channels, in order.
    pub init: Vec<Stmt>,
    /// Where a process starts.
    pub start: LocId,
    /// Locations, by number; numbers that are not in use have no transitions.
    pub locs: Vec<Location>,
    /// `provided`: only while this holds may a process move.
    pub provided: Option<Expr>,
    /// The priority of a process that `run` starts without naming one: 1, whatever its declaration says, as in SPIN.
    pub priority: u8,
    /// `D_proctype`: two executable transitions in one state are an error.
    pub deterministic: bool,
}

/// A location of a process automaton.
#[derive(Clone, Debug, Default)]
pub struct Location {
    /// Outgoing transitions, in the order in which they are tried.
    pub out: Vec<TransId>,
    /// An `end` label: a process may stay here for ever.
    pub end: bool,
    /// An `accept` label.
    pub accept: bool,
    /// A `progress` label.
    pub progress: bool,
    /// The labels that stand here.
    pub labels: Vec<Arc<str>>,
    /// Where it is.
    pub span: Span,
}

/// A transition of a process automaton.
#[derive(Clone, Debug)]
pub struct Transition {
    /// The process type.
    pub proctype: ProctypeId,
    /// The location that it was written at (through selections, it may leave other locations, too).
    pub from: LocId,
    /// Where it goes.
    pub to: LocId,
    /// What it does.
    pub stmt: Stmt,
    /// True if the process keeps control afterwards (inside `atomic`).
    pub atomic: bool,
    /// Zero for normal code; else the number of the escape (`unless`) it belongs to. Of all groups at a location,
    /// only the first that can move is looked at.
    pub escape: u16,
    /// Dead variables that are set to zero as part of the step (`--dead-vars`).
    pub resets: Vec<Place>,
    /// Where it was written.
    pub span: Span,
    /// For merged steps, where each of them was written.
    pub merged: Vec<Span>,
}

/// A process that exists from the start.
#[derive(Clone, Debug)]
pub struct Start {
    /// Its type.
    pub proctype: ProctypeId,
    /// Its priority.
    pub priority: u8,
}

/// A claim or a formula of the model.
#[derive(Clone, Debug)]
pub struct Property {
    /// Its name; `ltl_0`, `never_0` for those without one.
    pub name: Arc<str>,
    /// What it is.
    pub kind: PropertyKind,
    /// Where it stands.
    pub span: Span,
}

/// A property: an automaton or a formula.
#[derive(Clone, Debug)]
pub enum PropertyKind {
    /// A never claim, as a process type.
    Never(ProctypeId),
    /// An LTL formula.
    Ltl(Formula),
}

/// An LTL formula over expressions.
#[derive(Clone, Debug)]
#[allow(missing_docs)]
pub enum Formula {
    /// A condition on single states, and where it stands; nowhere if nobody wrote it.
    Prop(Expr, Span),
    Not(Box<Formula>),
    And(Box<Formula>, Box<Formula>),
    Or(Box<Formula>, Box<Formula>),
    Implies(Box<Formula>, Box<Formula>),
    Equivalent(Box<Formula>, Box<Formula>),
    Next(Box<Formula>),
    Always(Box<Formula>),
    Eventually(Box<Formula>),
    Until(Box<Formula>, Box<Formula>),
    WeakUntil(Box<Formula>, Box<Formula>),
    Release(Box<Formula>, Box<Formula>),
}

impl Formula {
    /// Calls `f` for each condition on single states, in the order of the text.
    pub fn conditions<'f>(&'f self, f: &mut dyn FnMut(&'f Expr, Span)) {
        match self {
            Formula::Prop(e, span) => f(e, *span),
            Formula::Not(a) | Formula::Next(a) | Formula::Always(a) | Formula::Eventually(a) => a.conditions(f),
            Formula::And(a, b)
            | Formula::Or(a, b)
            | Formula::Implies(a, b)
            | Formula::Equivalent(a, b)
            | Formula::Until(a, b)
            | Formula::WeakUntil(a, b)
            | Formula::Release(a, b) => [a, b].into_iter().for_each(|part| part.conditions(f)),
        }
    }
}

/// An event assertion: an automaton over sends and receives.
#[derive(Clone, Debug)]
pub struct TraceAssertion {
    /// Its automaton; every statement is a send, a receive, or always executable. A variable as such in a send
    /// ([`Expr::Load`]) stands for any value, as do [`crate::RecvArg::Bind`] and [`crate::RecvArg::Discard`].
    pub proctype: ProctypeId,
    /// `notrace`: an error when the automaton comes to its end.
    pub forbidden: bool,
    /// The variables whose channels are watched for sends.
    pub sends: Vec<Expr>,
    /// The variables whose channels are watched for receives.
    pub receives: Vec<Expr>,
}

impl Model {
    /// The process type.
    pub fn proctype(&self, id: ProctypeId) -> &Proctype {
        &self.proctypes[id.index()]
    }

    /// The transition.
    pub fn transition(&self, id: TransId) -> &Transition {
        &self.transitions[id.index()]
    }

    /// The channel declaration.
    pub fn channel(&self, id: ChanId) -> &Channel {
        &self.channels[id.index()]
    }

    /// The name of a symbolic constant.
    pub fn symbol(&self, set: &str, value: i32) -> Option<&Arc<str>> {
        let set = self.symbols.iter().find(|s| &*s.name == set)?;
        set.names.iter().find(|(v, _)| *v == value).map(|(_, n)| n)
    }
}
