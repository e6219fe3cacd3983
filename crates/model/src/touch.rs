//! The one account of what a statement touches: which places it tests, reads and writes, what it asks, and what it does with
//! channels and processes.
//!
//! [`Account`] walks through statements and expressions. A [`Resolver`] says which bytes a place may mean to whom it is
//! about, and keeps what is not a variable in its own words: [`crate::footprint`] for whoever executes a transition, `reduce`
//! for one process, `decouple` for one frame, `jit` for words that may change. What a new statement or expression touches is
//! taught here and nowhere else. [`audit`] compares all of them with what the interpreter does.

pub mod audit;

use crate::expr::{Expr, Run};
use crate::footprint::{Bytes, Special, Touch};
use crate::ir::{Model, ProctypeId, Transition};
use crate::place::{Place, Region};
use crate::stmt::{DStep, RecvArg, Stmt};

/// Variables and other parts of a state that were found to be touched.
#[derive(Clone, Debug, Default)]
pub struct Touched {
    /// What decides whether something can be executed.
    pub tests: Touch,
    /// All that is read, [`Touched::tests`] included.
    pub reads: Touch,
    /// What is written.
    pub writes: Touch,
}

/// What is done with a channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Deal {
    /// A message is put into it, or handed over.
    Send {
        /// It may come before others.
        sorted: bool,
    },
    /// A message is taken.
    Receive,
    /// A message is received and stays.
    Copy,
    /// A question, or a poll.
    Ask,
}

/// What an expression asks besides values of variables and contents of channels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Question {
    /// How many processes there are.
    Count,
    /// For a process by its number.
    Process,
    /// Where a process stands.
    Location,
    /// Who moved last.
    Last,
    /// The priority of the process itself.
    OwnPriority,
    /// The priority of a process by its number.
    Priority,
    /// Whether nothing else can happen.
    Timeout,
    /// Whether a process could move.
    Enabled,
}

/// Says what is meant, and keeps what the account itself does not.
pub trait Resolver: Sized {
    /// The bytes of its region that a place may mean, so many values long.
    fn piece(&mut self, place: &Place, count: u32) -> Bytes;

    /// The bytes of somebody else's frame that a place may mean.
    fn remote(&mut self, place: &Place) -> Bytes;

    /// Something is asked.
    fn asks(&mut self, touched: &mut Touched, question: Question);

    /// Something is done with the channel that an expression names. The expression is read besides.
    fn channel(&mut self, touched: &mut Touched, channel: &Expr, deal: Deal);

    /// A process is started.
    fn starts(&mut self, touched: &mut Touched, run: &Run);

    /// The process itself ends. Its frame is written besides.
    fn ends(&mut self, touched: &mut Touched);

    /// The priority of some process is set.
    fn sets_priority(&mut self, touched: &mut Touched);

    /// Who tells what a new process does when it initialises itself; nobody if that does not matter.
    fn newborn(&mut self, _run: &Run) -> Option<Self> {
        None
    }

    /// The new process has initialised itself, and this is what it has kept.
    fn born(&mut self, _newborn: Self, _run: &Run) {}

    /// Whether the value of something that is printed matters.
    fn minds_printed(&self, _e: &Expr) -> bool {
        true
    }

    /// Whether the message that is being sent decides if it can be sent: somebody has to take it at once.
    fn message_decides(&self) -> bool {
        false
    }

    /// A statement inside a `d_step` begins.
    fn enter(&mut self) {}

    /// It is over; `first` if the step may begin with it.
    fn leave(&mut self, _first: bool) {}
}

/// What has been found so far about one process type.
pub struct Account<'m, R> {
    model: &'m Model,
    proctype: ProctypeId,
    /// Variables.
    pub touched: Touched,
    /// The rest.
    pub resolver: R,
}

impl Touched {
    /// Writes something that is not a variable.
    pub fn write_special(&mut self, s: Special) {
        self.writes.special = self.writes.special.with(s);
    }

    /// Reads something that is not a variable.
    pub fn read_special(&mut self, s: Special) {
        self.reads.special = self.reads.special.with(s);
    }

    /// Reads what an expression reads that stands in another process type; what is no variable is taken for everything.
    pub fn reads_loads(&mut self, e: &Expr, piece: &mut impl FnMut(&Place) -> Bytes) {
        e.walk(&mut |e| match e {
            Expr::Const(..) | Expr::Unary(..) | Expr::Binary(..) | Expr::Cond(..) => {}
            Expr::Load(place) => self.reads.add(place.region, piece(place)),
            _ => self.read_special(Special::EVERYTHING),
        });
    }

    /// Reads it to decide whether something can be executed.
    pub fn test_special(&mut self, s: Special) {
        self.tests.special = self.tests.special.with(s);
        self.read_special(s);
    }

    fn each(&mut self) -> [&mut Touch; 3] {
        [&mut self.tests, &mut self.reads, &mut self.writes]
    }

    fn join(&mut self, other: &mut Touched) {
        self.each().into_iter().zip(other.each()).for_each(|(mine, new)| mine.join(new));
    }
}

impl Touch {
    fn add(&mut self, region: Region, piece: Bytes) {
        match region {
            Region::Global => self.globals.add(piece),
            Region::Hidden => self.hidden.add(piece),
            Region::Local => self.locals.add(piece),
        }
    }
}

impl<'m, R: Resolver> Account<'m, R> {
    /// Nothing yet.
    pub fn new(model: &'m Model, proctype: ProctypeId, resolver: R) -> Account<'m, R> {
        Account { model, proctype, touched: Touched::default(), resolver }
    }

    /// A transition, without what stands beside it at its location.
    pub fn transition(&mut self, t: &Transition) {
        self.touched.write_special(Special::LOCATIONS);
        if self.model.uses.last {
            self.touched.write_special(Special::LAST);
        }
        if self.model.uses.priority {
            // Whether a process of higher priority could move decides about every step.
            self.touched.test_special(Special::EVERYTHING);
        }
        if let Some(e) = &self.model.proctype(t.proctype).provided {
            self.condition(e);
        }
        self.statement(&t.stmt);
        t.resets.iter().for_each(|place| self.write(place, 1));
    }

    /// A statement, and all inside it.
    pub fn statement(&mut self, s: &Stmt) {
        match s {
            // `else` depends on what stands beside it.
            Stmt::Skip(_) | Stmt::Else | Stmt::AssignArray(..) => {}
            Stmt::Guard(e) => self.condition(e),
            Stmt::Assign(_, e) | Stmt::Assert(e) => self.value(e),
            Stmt::Printm(e) => self.printed(e),
            Stmt::Printf(_, args) => args.iter().for_each(|e| self.printed(e)),
            Stmt::Send { channel, args, sorted } => self.send(channel, args, *sorted),
            Stmt::Receive { channel, args, copy, .. } => self.receive(channel, args, *copy),
            Stmt::SetPriority(pid, value) => {
                self.value(pid);
                self.value(value);
                self.resolver.sets_priority(&mut self.touched);
            }
            Stmt::DStep(d) => self.d_step(d),
            Stmt::Chain(list) => list.iter().for_each(|s| self.statement(s)),
            Stmt::End => {
                self.resolver.ends(&mut self.touched);
                let frame = self.model.layout.frames[self.proctype.index()].frame;
                self.touched.writes.locals.add((0, frame));
            }
        }
        s.targets(&mut |place, count| self.write(place, count));
    }

    fn send(&mut self, channel: &Expr, args: &[Expr], sorted: bool) {
        self.condition(channel);
        self.resolver.channel(&mut self.touched, channel, Deal::Send { sorted });
        let decides = self.resolver.message_decides();
        args.iter().for_each(|e| if decides { self.condition(e) } else { self.value(e) });
    }

    fn receive(&mut self, channel: &Expr, args: &[RecvArg], copy: bool) {
        self.condition(channel);
        self.resolver.channel(&mut self.touched, channel, if copy { Deal::Copy } else { Deal::Receive });
        for arg in args {
            if let RecvArg::Match(e) = arg {
                self.condition(e);
            }
        }
    }

    /// What is tested behind the beginning is more than what decides; that is allowed.
    fn d_step(&mut self, d: &DStep) {
        for (i, t) in d.locs.iter().enumerate().flat_map(|(i, l)| l.iter().map(move |t| (i, t))) {
            self.resolver.enter();
            self.statement(&t.stmt);
            self.resolver.leave(i == 0);
        }
    }

    fn printed(&mut self, e: &Expr) {
        if self.resolver.minds_printed(e) {
            self.value(e);
        }
    }

    fn write(&mut self, place: &Place, count: u32) {
        place.dims.iter().for_each(|d| self.value(&d.index));
        let piece = self.resolver.piece(place, count);
        self.touched.writes.add(place.region, piece);
    }

    /// An expression that decides whether something can be executed.
    pub fn condition(&mut self, e: &Expr) {
        let before = std::mem::take(&mut self.touched.reads);
        self.value(e);
        let tested = std::mem::replace(&mut self.touched.reads, before);
        self.touched.tests.join(&tested);
        self.touched.reads.join(&tested);
    }

    /// An expression whose value is used, and all inside it.
    pub fn value(&mut self, e: &Expr) {
        e.walk(&mut |e| self.expression(e));
    }

    /// An expression by itself, without those inside it.
    pub fn expression(&mut self, e: &Expr) {
        match e {
            Expr::Const(..) | Expr::Pid | Expr::Unary(..) | Expr::Binary(..) | Expr::Cond(..) => {}
            Expr::Load(place) => {
                let piece = self.resolver.piece(place, 1);
                self.touched.reads.add(place.region, piece);
            }
            Expr::NrPr => self.asks(Question::Count),
            Expr::Last => self.asks(Question::Last),
            Expr::Priority => self.asks(Question::OwnPriority),
            Expr::Timeout => self.asks(Question::Timeout),
            Expr::Enabled(_) => self.asks(Question::Enabled),
            Expr::NonProgress | Expr::PcValue(_) | Expr::RemoteLabel { .. } => self.asks(Question::Location),
            Expr::GetPriority(_) => self.asks(Question::Priority),
            Expr::RemoteVar { proctype, place, .. } => {
                self.asks(Question::Process);
                let piece = self.resolver.remote(place);
                self.touched.reads.remote.push((*proctype, piece));
            }
            Expr::Channel(_, channel) | Expr::Poll { channel, .. } => {
                self.resolver.channel(&mut self.touched, channel, Deal::Ask);
            }
            Expr::Run(run) => self.run(run),
        }
    }

    fn asks(&mut self, question: Question) {
        self.resolver.asks(&mut self.touched, question);
    }

    /// The new process initialises itself, which starts nobody: only what others can see of that matters.
    fn run(&mut self, run: &Run) {
        self.resolver.starts(&mut self.touched, run);
        let Some(newborn) = self.resolver.newborn(run) else { return };
        let mut born = Account::new(self.model, run.proctype, newborn);
        self.model.proctype(run.proctype).init.iter().for_each(|s| born.statement(s));
        born.touched.each().into_iter().for_each(|touch| touch.locals = Default::default());
        self.touched.join(&mut born.touched);
        self.resolver.born(born.resolver, run);
    }
}

/// A statement of an event assertion that compares an event with constants alone; variables stand for any value.
pub fn plain_event(s: &Stmt) -> bool {
    match s {
        Stmt::Send { args, .. } => args.iter().all(|e| matches!(e, Expr::Const(..) | Expr::Load(_))),
        Stmt::Receive { args, .. } => !args.iter().any(|a| matches!(a, RecvArg::Match(e) if e.as_const().is_none())),
        Stmt::Chain(list) => list.iter().all(plain_event),
        s => matches!(s, Stmt::Skip(_) | Stmt::End),
    }
}
