//! The common form of SDL and IF: processes that are extended state machines, and nothing of either language's syntax.
//!
//! Everything is flat: composite states are unfolded, procedures inlined, structured values taken apart where they are
//! copied or sent. A place is still a path into a structured variable, because Promela has such variables, too.

use crate::ast::{Binary, Implicit, Mark, Unary};
use crate::sorts::{SortId, Sorts};
use starwheel_base::Span;

pub type ProcessId = usize;
pub type SignalId = usize;
pub type StateId = usize;
pub type VarId = usize;
pub type TimerId = usize;
pub type LabelId = usize;
pub type HopId = usize;

/// A whole system.
#[derive(Debug)]
pub struct Machine {
    pub name: String,
    pub sorts: Sorts,
    pub signals: Vec<Signal>,
    pub processes: Vec<Process>,
    /// What the environment may send, and to whom.
    pub from_environment: Vec<(SignalId, ProcessId)>,
    pub properties: Vec<Property>,
    /// Channels that delay, each in one direction.
    pub hops: Vec<Hop>,
}

/// A channel that delays.
#[derive(Clone, Debug)]
pub struct Hop {
    pub name: String,
    pub span: Span,
    /// By how much at least and at most; otherwise by any time.
    pub within: Option<(i64, i64)>,
}

#[derive(Debug)]
pub struct Signal {
    pub name: String,
    pub sorts: Vec<SortId>,
    /// The scalars of all parameters, one after the other.
    pub leaves: Vec<Leaf>,
}

/// One number of a structured value: how to get there, and its sort.
#[derive(Clone, Debug)]
pub struct Leaf {
    pub path: Vec<Step>,
    pub sort: SortId,
}

#[derive(Debug, Default)]
pub struct Process {
    pub name: String,
    pub span: Span,
    /// Instances at the start and at most.
    pub initial: usize,
    pub most: usize,
    /// How many numbers its instances have beyond `most`, so that those of the dead need not be given away again.
    pub spare: usize,
    /// The scalars that CREATE hands over.
    pub params: Vec<Leaf>,
    pub param_vars: Vec<VarId>,
    pub vars: Vec<Var>,
    pub timers: Vec<Timer>,
    pub start: Vec<Stmt>,
    pub states: Vec<State>,
    pub labels: usize,
    /// Signals that can arrive, in the order of their numbers.
    pub accepts: Vec<SignalId>,
    pub uses: Uses,
    /// What it watches, if it is an observer.
    pub observer: Option<Observer>,
    /// It runs inside of others: it has variables, but no steps of its own.
    pub inlined: bool,
    /// It is a channel: it hands on what it has, in the name of whoever sent it, and never keeps time from passing.
    pub carrier: bool,
    /// How long a channel keeps what it has, at least and at most, if it says so.
    pub within: Option<(i64, i64)>,
    /// The variable that holds the number of its state, counted from one, if there is one.
    pub state_var: Option<VarId>,
}

/// What makes a process an observer.
#[derive(Clone, Debug, Default)]
pub struct Observer {
    pub marks: Vec<(Mark, Vec<StateId>)>,
    /// Its signals and the events that they stand for.
    pub events: Vec<(SignalId, Event)>,
}

/// Something that happens between two processes.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    /// It is sent; otherwise it is taken from the queue.
    pub output: bool,
    /// The names by which its sender and its receiver may know it.
    pub what: Vec<Stimulus>,
    /// `None` is anybody.
    pub from: Option<Party>,
    pub to: Option<Party>,
    pub span: Span,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Party {
    Process(ProcessId),
    Environment,
}

/// What a process makes use of, so that the rest is not stored.
#[derive(Clone, Copy, Debug, Default)]
pub struct Uses {
    /// Its own number.
    pub own: bool,
    pub sender: bool,
    pub parent: bool,
    pub offspring: bool,
    pub stop: bool,
    /// It is created by somebody.
    pub created: bool,
    /// It may be ended by somebody else.
    pub killed: bool,
}

#[derive(Debug)]
pub struct Var {
    pub name: String,
    pub sort: SortId,
    /// The first value of a scalar, if it is not zero.
    pub initial: i64,
    /// Properties read it, so it must be seen from outside.
    pub watched: bool,
    /// A scratch variable of the translation.
    pub hidden: bool,
}

#[derive(Debug)]
pub struct Timer {
    pub name: String,
    /// A clock has not reached a value as long as it is active; nobody takes its expiry.
    pub clock: bool,
    /// Its expiry must be queued like a signal; otherwise the variable alone is enough.
    pub queued: bool,
    pub span: Span,
}

#[derive(Debug)]
pub struct State {
    pub name: String,
    pub span: Span,
    pub saves: Vec<Stimulus>,
    pub triggers: Vec<Trigger>,
    /// Nothing is wrong if the process stays here for ever.
    pub may_rest: bool,
    /// The states of the text that this one stands for, outermost first.
    pub path: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Stimulus {
    Signal(SignalId),
    Timer(TimerId),
}

#[derive(Debug)]
pub struct Trigger {
    pub kind: TriggerKind,
    /// Assertions: what must hold for its condition to have a value.
    pub needs: Vec<Stmt>,
    pub body: Vec<Stmt>,
    pub span: Span,
}

impl Trigger {
    /// One whose condition always has a value.
    pub fn new(kind: TriggerKind, body: Vec<Stmt>, span: Span) -> Trigger {
        Trigger { kind, needs: Vec::new(), body, span }
    }
}

#[derive(Debug)]
pub enum TriggerKind {
    Input {
        what: Stimulus,
        /// Where the scalars of the signal go; fewer than there are means that the rest is lost.
        into: Vec<Option<Place>>,
        priority: bool,
        provided: Option<Ex>,
    },
    /// Only when nothing can be consumed; smaller numbers first.
    Continuous { when: Ex, priority: i64 },
    /// Waits for no signal; an eager one does not let time pass either.
    Spontaneous {
        provided: Option<Ex>,
        eager: bool,
        /// SENDER becomes SELF.
        own: bool,
        /// When one that is not eager lets no time pass either.
        urgent: Option<Ex>,
        /// It waits for a clock.
        timed: bool,
    },
}

#[derive(Clone, Debug)]
pub struct Stmt {
    pub kind: StmtKind,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum StmtKind {
    /// A scalar; the bounds are checked if there are any.
    Assign {
        to: Place,
        value: Ex,
        check: Option<(i64, i64)>,
    },
    /// Any value between the bounds.
    Pick {
        to: Place,
        lo: i64,
        hi: i64,
    },
    Output {
        args: Vec<Ex>,
        to: Target,
        /// By receiver of the list: the channels that delay the signal on its way.
        by: Vec<Vec<HopId>>,
    },
    Create {
        process: ProcessId,
        args: Vec<Ex>,
    },
    Set {
        timer: TimerId,
        after: Ex,
    },
    Reset {
        timer: TimerId,
    },
    /// The first arm whose condition holds, or any of those; an error if none does and there is no `otherwise`.
    If {
        any: bool,
        arms: Vec<(Ex, Vec<Stmt>)>,
        otherwise: Option<Vec<Stmt>>,
    },
    /// Any one of these.
    Choose(Vec<Vec<Stmt>>),
    /// `while condition`.
    While {
        when: Ex,
        body: Vec<Stmt>,
    },
    Assert {
        what: Ex,
        why: String,
    },
    /// Nobody comes in between, not even in START.
    Atomic(Vec<Stmt>),
    Label(LabelId),
    Goto(LabelId),
    /// A jump that may lead back to where the transition has been: it may never end. `returns` finds them at last.
    Back {
        to: LabelId,
        number: usize,
    },
    Next(StateId),
    Stop,
    /// Ends an instance, wherever it is.
    Kill(Victim),
}

/// Who is ended by somebody else.
#[derive(Clone, Debug)]
pub enum Victim {
    /// The instance with this number, if there is one.
    Pid(Ex),
    /// The first instance of a process.
    First(ProcessId),
}

/// Who gets a signal.
#[derive(Clone, Debug)]
pub enum Target {
    /// One of these, whoever lives; each knows the signal by a name of its own.
    AnyOf(Vec<(ProcessId, SignalId)>),
    /// All of these, whoever lives.
    AllOf(Vec<(ProcessId, SignalId)>),
    /// The instance with this number, if it is one of these processes.
    Pid(Ex, Vec<(ProcessId, SignalId)>),
    /// Nobody in the system.
    Environment(SignalId),
    /// An observer hands on what it has seen, by its own name.
    Forward(SignalId),
}

/// A variable or a part of one.
#[derive(Clone, Debug, PartialEq)]
pub struct Place {
    /// `None`: of the process that speaks.
    pub process: Option<ProcessId>,
    pub var: VarId,
    pub path: Vec<Step>,
}

impl Place {
    /// One number of the value here.
    pub fn leaf(&self, leaf: &Leaf) -> Place {
        Place { path: self.path.iter().chain(&leaf.path).cloned().collect(), ..self.clone() }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    Field(String),
    /// How many elements a list has.
    Len,
    /// Which alternative of a choice is there.
    Tag,
    /// Whether an optional field is there.
    Given(String),
    At(Ex),
}

/// An expression over numbers.
#[derive(Clone, Debug, PartialEq)]
pub enum Ex {
    Num(i64),
    Get(Place),
    Un(Unary, Box<Ex>),
    Bin(Binary, Box<Ex>, Box<Ex>),
    If(Box<Ex>, Box<Ex>, Box<Ex>),
    Me(Implicit),
    Active(TimerId),
    /// A process is in one of these states.
    In(ProcessId, Vec<StateId>),
    /// The step that is being taken is this one.
    Event(Box<Event>),
}

/// The number of the first instance of a process; 0 is NULL.
pub fn first_number(processes: &[Process], p: ProcessId) -> i64 {
    1 + processes[..p].iter().map(Process::numbers).sum::<i64>()
}

impl Process {
    /// How many numbers its instances may have.
    pub fn numbers(&self) -> i64 {
        (self.most + self.spare) as i64
    }
}

/// The condition that a number is that of an instance of a process, alive or not.
pub fn is_of(e: Ex, processes: &[Process], p: ProcessId) -> Ex {
    let first = first_number(processes, p);
    match processes[p].numbers() {
        1 => e.eq(first),
        n => {
            let low = Ex::bin(Binary::Ge, e.clone(), Ex::Num(first));
            Ex::bin(Binary::And, low, Ex::bin(Binary::Le, e, Ex::Num(first + n - 1)))
        }
    }
}

impl Ex {
    pub fn not(self) -> Ex {
        Ex::Un(Unary::Not, Box::new(self))
    }

    pub fn bin(op: Binary, a: Ex, b: Ex) -> Ex {
        Ex::Bin(op, Box::new(a), Box::new(b))
    }

    /// True if it reads a variable of the process that speaks.
    pub fn mentions(&self, var: VarId) -> bool {
        match self {
            Ex::Get(place) => {
                let indexed = place.path.iter().any(|s| matches!(s, Step::At(e) if e.mentions(var)));
                indexed || place.process.is_none() && place.var == var
            }
            Ex::Un(_, a) => a.mentions(var),
            Ex::Bin(_, a, b) => a.mentions(var) || b.mentions(var),
            Ex::If(c, a, b) => [c, a, b].into_iter().any(|e| e.mentions(var)),
            _ => false,
        }
    }

    pub fn eq(self, n: i64) -> Ex {
        Ex::bin(Binary::Eq, self, Ex::Num(n))
    }
}

/// All of them hold, or one of them; nothing at all is true or false.
pub fn join(op: Binary, list: impl IntoIterator<Item = Ex>) -> Ex {
    let empty = Ex::Num(i64::from(op == Binary::And));
    list.into_iter().reduce(|a, b| Ex::bin(op, a, b)).unwrap_or(empty)
}

/// A property of the whole system.
#[derive(Debug)]
pub struct Property {
    pub kind: PropertyKind,
    pub what: Ex,
    pub span: Span,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PropertyKind {
    Never,
    Always,
    Eventually,
    /// Runs are of no interest once this holds.
    FilterOut,
}
