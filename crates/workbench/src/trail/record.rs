//! Follows steps through a model and writes down what happens, for people.

use crate::open::Opened;
use crate::problem::{Code, Failure, Problem};
use crate::property::watched::{Truths, Watched, changed, decides};
use crate::show::short;
use crate::trail::runner::Runner;
use crate::trail::situation::{situation, values};
use crate::trail::trailfile::{TrailPartner, TrailStep};
use crate::trail::walk::{Change, Message, Move, Part, Situation, Standing, Walk, passing};
use crate::written::{self, Where};
use starwheel_base::Span;
use starwheel_model::{
    Actor, Expr, Fired, Model, Pid, ProcessStep, ProctypeId, Shown, Step, Stepper, Stmt, TransId, Violation,
    ViolationKind, text,
};

/// Walks through a model, one step at a time.
pub struct Recorder<'a> {
    opened: &'a Opened,
    runner: Runner<'a>,
    /// The current state; without meaning if the last step broke.
    state: Vec<u8>,
    now: Situation,
    count: u64,
    /// Slices that have passed.
    time: u64,
    broken: bool,
    watched: Option<Watched>,
    /// What the formula saw when it looked last.
    truths: Truths,
}

/// What came of one step.
pub struct Recorded {
    /// One move, or the two halves of a handshake.
    pub moves: Vec<Move>,
    /// What the system says.
    pub fired: Fired,
}

impl<'a> Recorder<'a> {
    /// Starts at the initial state.
    pub fn new(opened: &'a Opened) -> Recorder<'a> {
        Recorder::with_claim(opened, None)
    }

    /// Starts at the initial state; a claim moves in step with the system.
    pub fn with_claim(opened: &'a Opened, claim: Option<ProctypeId>) -> Recorder<'a> {
        let mut runner = Runner::new(&opened.model, claim);
        let mut state = Vec::new();
        let broken = runner.stepper().initial(&mut state).broken;
        let now = if broken { Situation::default() } else { situation(opened, &state) };
        let watched = claim.map(|claim| Watched::by(opened, claim));
        let mut recorder =
            Recorder { opened, runner, state, now, count: 0, time: 0, broken, watched, truths: Truths::default() };
        recorder.judge();
        recorder
    }

    /// Which conditions of the formula are true, as it saw them last.
    pub fn truths(&self) -> &Truths {
        &self.truths
    }

    /// Lets the formula look, if it is its turn; what is different from when it looked last.
    fn judge(&mut self) -> Truths {
        let Some(watched) = &self.watched else { return Truths::default() };
        if self.broken || self.runner.stepper().transient(&self.state) {
            return Truths::default();
        }
        let now = watched.truths(self.runner.system(), &self.state);
        let different = changed(&self.truths, &now);
        self.truths = now;
        different
    }

    /// True if the last step has no meaning, so that nothing can follow.
    pub fn broken(&self) -> bool {
        self.broken
    }

    /// True inside an atomic sequence.
    pub fn atomic(&mut self) -> bool {
        !self.broken && self.runner.system().transient(&self.state)
    }

    /// The current state.
    pub fn state(&self) -> &[u8] {
        &self.state
    }

    /// All values of the current state.
    pub fn situation(&self) -> &Situation {
        &self.now
    }

    /// The steps that are possible now.
    pub fn enabled(&mut self) -> Vec<Step> {
        let mut steps = Vec::new();
        if !self.broken {
            self.runner.stepper().enabled(&self.state, &mut steps);
        }
        steps
    }

    /// If no step is possible: what is wrong with that, if anything is.
    pub fn stuck(&mut self) -> Option<String> {
        if self.broken { None } else { self.runner.stepper().stuck(&self.state).map(|v| v.message) }
    }

    /// The value of an expression, as a process sees it.
    pub fn evaluate(&mut self, pid: Pid, e: &Expr) -> Option<i32> {
        if self.broken { None } else { self.runner.system().evaluate_for(&self.state, pid, e).ok() }
    }

    /// The value of an expression that belongs to no process; an error says why it has none.
    pub fn evaluate_outside(&mut self, e: &Expr) -> Result<i32, String> {
        if self.broken {
            return Err("the last step has no meaning".to_string());
        }
        self.runner.system().evaluate(&self.state, e)
    }

    /// Takes a step that is possible, and says nothing about it.
    pub fn pass(&mut self, step: Step) -> Fired {
        let mut next = Vec::new();
        self.time += u64::from(self.slices(step).unwrap_or(0));
        let fired = self.runner.stepper().fire(&self.state, step, &mut next);
        self.count += halves(step);
        self.broken = fired.broken;
        if !fired.broken {
            self.state = next;
        }
        fired
    }

    /// As [`Recorder::pass`], and tells what became different for the formula.
    pub fn pass_judging(&mut self, step: Step) -> Truths {
        self.pass(step);
        self.judge()
    }

    /// As [`Recorder::pass`], and tells what it changes, the number of the last move, and whether the step has no meaning. Who
    /// stands where is not told before [`Recorder::look`].
    pub fn follow(&mut self, step: Step) -> (Vec<Change>, u64, bool) {
        let fired = self.pass(step);
        if fired.broken {
            return (Vec::new(), self.count, true);
        }
        let after = values(&self.opened.model, &self.state);
        let changes = after.changes(&self.now);
        self.now = after;
        (changes, self.count, false)
    }

    /// Brings the values up to date after steps that were passed.
    pub fn look(&mut self) {
        self.now = situation(self.opened, &self.state);
        self.judge();
    }

    /// Takes a step that is possible, and says what happens.
    pub fn take(&mut self, step: Step) -> Recorded {
        let slices = self.slices(step);
        self.time += u64::from(slices.unwrap_or(0));
        let mut moves = vec![match slices {
            Some(slices) => self.tick(slices),
            None => self.half(step.pid(), step.action, self.count + 1),
        }];
        moves[0].timeout = step.timeout;
        if let Some((pid, trans)) = step.partner() {
            moves.push(self.half(pid, trans, self.count + 2));
        }
        (moves[0].others, moves[0].against) = self.alternatives(step);
        let mut port = self.port(step);
        let (mut next, mut prints) = (Vec::new(), Vec::new());
        let fired = self.runner.fire_traced(&self.state, step, &mut next, &mut prints);
        self.count += halves(step);
        let after = if fired.broken { self.now.clone() } else { situation(self.opened, &next) };
        if let Some(port) = &mut port {
            port.look(&self.now, &after);
            port.label(step, &mut moves);
        }
        let last = moves.len() - 1;
        moves[last].printed = prints;
        moves[last].faults = fired.violations.iter().map(|v| self.words(v)).collect();
        moves[last].changes = after.changes(&self.now);
        let new = started(&self.now, &after);
        moves[last].started = new.iter().map(|p| (p.pid, p.proctype.clone())).collect();
        moves[last].priorities = new.iter().map(|p| p.priority).collect();
        self.broken = fired.broken;
        if !fired.broken {
            self.state = next;
            self.now = after;
            moves[last].propositions = self.judge();
        }
        Recorded { moves, fired }
    }

    /// What else a process could do where it stands, and what an `else` stands against. A claim's alternatives are nobody's.
    fn alternatives(&mut self, step: Step) -> (Vec<String>, Vec<String>) {
        let opened = self.opened;
        if step.actor == Actor::Clock || step.actor.is_claim() {
            return (Vec::new(), Vec::new());
        }
        let t = opened.model.transition(step.action);
        // Another one with the same words would only puzzle, such as the values of a `select`.
        let own_text = written::guard(opened, step.action);
        let texts = |all: Vec<TransId>| {
            let mut out: Vec<String> = Vec::new();
            for text in all.into_iter().map(|t| written::guard(opened, t)) {
                if text != own_text && !out.contains(&text) {
                    out.push(text);
                }
            }
            out
        };
        if t.stmt.is_else() {
            // Where the process stands, which need not be the state that SPIN's number of the transition names.
            let stands = self.now.processes.get(usize::from(step.pid().0)).map_or(t.from.index(), |p| p.state.into());
            let here = opened.model.proctype(t.proctype).locs.get(stands).map_or(&[][..], |l| &l.out);
            return (Vec::new(), texts(here.iter().copied().filter(|other| *other != step.action).collect()));
        }
        let own = |s: &Step| s.actor == step.actor && s.action != step.action;
        let possible = self.enabled().into_iter().filter(own).map(|s| s.action);
        (texts(possible.collect()), Vec::new())
    }

    /// What went wrong, with statements as they were written.
    pub fn words(&self, v: &Violation) -> String {
        match v.kind {
            ViolationKind::Assertion => written::assertion(&self.opened.map, v.span, &v.message),
            _ => v.message.clone(),
        }
    }

    /// How many slices pass in a step; none if it is not the clock that moves.
    fn slices(&mut self, step: Step) -> Option<u32> {
        let ticks = step.actor == Actor::Clock;
        ticks.then(|| self.runner.system().slices(&self.state).unwrap_or(0))
    }

    /// The slices that have passed, in a timed model.
    pub fn time(&self) -> Option<u64> {
        self.opened.model.timed().then_some(self.time)
    }

    fn tick(&self, slices: u32) -> Move {
        let (number, text) = (self.count + 1, passing(slices));
        Move { number, text, tick: Some(slices), time: self.time(), ..Move::default() }
    }

    fn half(&self, pid: Pid, trans: TransId, number: u64) -> Move {
        let model = &self.opened.model;
        let t = model.transition(trans);
        let own = self.now.processes.get(usize::from(pid.0)).filter(|_| !pid.is_claim());
        Move {
            number,
            pid: pid.0,
            priority: own.map_or(1, |p| p.priority),
            claim: pid.is_claim(),
            decides: pid.is_claim() && decides(model, trans),
            proctype: model.proctype(t.proctype).name.to_string(),
            state: t.from.0,
            source: Where::of(&self.opened.map, t.span).into(),
            text: written::of(self.opened, t),
            spin_text: text::stmt(model, &t.stmt),
            spin_place: place(self.opened, t.span),
            bookkeeping: written::hidden(self.opened, t),
            parts: self.parts(trans),
            ends: t.stmt == Stmt::End,
            time: self.time(),
            ..Move::default()
        }
    }

    /// The statements of a merged step.
    fn parts(&self, trans: TransId) -> Vec<Part> {
        let model = &self.opened.model;
        let t = model.transition(trans);
        let Stmt::Chain(list) = &t.stmt else { return Vec::new() };
        let part = |(i, stmt): (usize, &Stmt)| {
            let span = t.merged.get(i).copied().unwrap_or(t.span);
            let Where { at, .. } = Where::of(&self.opened.map, span);
            let (text, spin_text) = (written::one(self.opened, stmt, span), text::stmt(model, stmt));
            Part { file: at.file, line: at.line, text, spin_text }
        };
        list.iter().enumerate().map(part).collect()
    }

    /// The channel that a step uses, if it begins with a send or a receive.
    fn port(&mut self, step: Step) -> Option<Port> {
        if step.actor == Actor::Clock {
            return None;
        }
        let model = &self.opened.model;
        let (send, channel, copy) = match first(&model.transition(step.action).stmt) {
            Stmt::Send { channel, .. } => (true, channel, false),
            Stmt::Receive { channel, copy, .. } => (false, channel, *copy),
            _ => return None,
        };
        let number = self.runner.system().evaluate_for(&self.state, step.pid(), channel).ok()?;
        let number = u32::try_from(number).ok()?;
        let contents = text::channels(model, &self.state).into_iter().find(|c| c.number == number)?;
        let fields = match (&model.transition(step.action).stmt, step.partner()) {
            (stmt, Some(_)) => self.offer(step.pid(), first(stmt), &contents.name),
            _ => Vec::new(),
        };
        Some(Port { send, number, name: contents.name, copy, fields })
    }

    /// The values that the sender of a handshake hands over.
    fn offer(&mut self, pid: Pid, stmt: &Stmt, channel: &str) -> Vec<String> {
        let model = &self.opened.model;
        let Stmt::Send { args, .. } = stmt else { return Vec::new() };
        let kind = model.channels.iter().find(|c| &*c.name == channel);
        let mut out = Vec::new();
        for (i, arg) in args.iter().enumerate() {
            let shown = kind.and_then(|k| k.fields.get(i));
            out.push(match (self.runner.system().evaluate_for(&self.state, pid, arg), shown) {
                (Ok(value), Some(field)) => show(model, &field.shown, field.ty.truncate(value)),
                (Ok(value), None) => value.to_string(),
                (Err(_), _) => text::expr(model, arg),
            });
        }
        out
    }
}

/// One end of a channel that a step uses.
struct Port {
    send: bool,
    number: u32,
    name: String,
    copy: bool,
    fields: Vec<String>,
}

impl Port {
    /// Finds the message that came or went by what is different in the channel.
    fn look(&mut self, before: &Situation, after: &Situation) {
        let contents = |s: &Situation| s.channels.iter().find(|q| q.number == self.number).map(|q| q.messages.clone());
        let (Some(old), Some(new)) = (contents(before), contents(after)) else { return };
        let at = old.iter().zip(&new).position(|(a, b)| a != b).unwrap_or(old.len().min(new.len()));
        let message = match (self.send, self.copy) {
            (true, _) => new.get(at),
            (false, false) => old.get(at),
            (false, true) => old.first(),
        };
        self.fields.extend(message.map(|m| m.split(',').map(String::from).collect::<Vec<_>>()).unwrap_or_default());
    }

    /// Tells the moves of the step.
    fn label(&self, step: Step, moves: &mut [Move]) {
        let message = |send, partner| {
            let (channel, name, fields) = (self.number, self.name.clone(), self.fields.clone());
            Some(Message { send, channel, name, fields, partner, copy: self.copy })
        };
        match (step.partner(), moves) {
            (Some((receiver, _)), [first, second]) => {
                first.message = message(true, Some(receiver.0));
                second.message = message(false, Some(step.pid().0));
            }
            (None, [only]) => only.message = message(self.send, None),
            _ => {}
        }
    }
}

/// File and line of a statement as SPIN counts them, those of the outermost use; nothing for the statements of a claim that nobody has written.
fn place(opened: &Opened, span: Span) -> (String, u32) {
    if span == Span::default() {
        return (String::new(), 0);
    }
    let (file, at) = opened.map.locate(span);
    (file.to_string(), at.line)
}

/// How much a step counts: a handshake is two steps, as in SPIN.
pub fn halves(step: Step) -> u64 {
    1 + u64::from(step.partner().is_some())
}

/// The length of a trail in single statements: each half of a handshake is one, and so is each part of a merged step.
pub fn length(opened: &Opened, steps: &[Step]) -> u64 {
    let parts = |trans: TransId| match opened.model.transitions.get(trans.index()).map(|t| &t.stmt) {
        Some(Stmt::Chain(list)) => list.len() as u64,
        _ => 1,
    };
    steps.iter().map(|s| parts(s.action) + s.partner().map_or(0, |(_, trans)| parts(trans))).sum()
}

/// The statement that decides whether a step is possible.
fn first(stmt: &Stmt) -> &Stmt {
    match stmt {
        Stmt::Chain(list) => list.first().unwrap_or(stmt),
        _ => stmt,
    }
}

fn show(model: &Model, shown: &Shown, value: i32) -> String {
    match shown {
        Shown::Symbol(set) => model.symbol(set, value).map_or_else(|| value.to_string(), |n| n.to_string()),
        _ => value.to_string(),
    }
}

/// The processes that exist only afterwards.
fn started<'a>(before: &Situation, after: &'a Situation) -> &'a [Standing] {
    after.processes.get(before.processes.len()..).unwrap_or_default()
}

/// A possible step in one line: who, where, what.
pub fn describe(opened: &Opened, step: Step) -> String {
    let model = &opened.model;
    if step.actor == Actor::Clock {
        return "time passes".to_string();
    }
    let half = |pid: Pid, trans: TransId| {
        let t = model.transition(trans);
        let Where { at, .. } = Where::of(&opened.map, t.span);
        let (name, statement) = (&model.proctype(t.proctype).name, written::of(opened, t));
        let who = if pid.is_claim() { name.to_string() } else { format!("{name}({})", pid.0) };
        format!("{who}  {}:{}  {statement}", short(&at.file), at.line)
    };
    let mut out = half(step.pid(), step.action);
    if let Some((pid, trans)) = step.partner() {
        out += &format!("   with   {}", half(pid, trans));
    }
    if step.timeout {
        out += "   (timeout)";
    }
    out
}

/// The steps of a trail, as they are written to a file. Few statements make up a long trail: each is put into words once.
pub fn trail_steps(opened: &Opened, steps: &[Step]) -> Vec<TrailStep> {
    let model = &opened.model;
    let name = |t: TransId| model.proctype(model.transition(t).proctype).name.to_string();
    let mut known: Vec<Option<TrailStep>> = vec![None; model.actions()];
    let step = |s: &Step| TrailStep {
        pid: s.pid().0,
        partner: s.partner().map(|(pid, t)| TrailPartner { pid: pid.0, proctype: name(t), trans: t.0 }),
        timeout: s.timeout,
        ..known[s.action.index()].get_or_insert_with(|| statement(opened, s.action)).clone()
    };
    steps.iter().map(step).collect()
}

/// What a trail file says of a transition, whoever takes it.
fn statement(opened: &Opened, trans: TransId) -> TrailStep {
    let Some(t) = opened.model.transitions.get(trans.index()) else { return TrailStep::tick(trans.0) };
    let Where { at, via } = Where::of(&opened.map, t.span);
    TrailStep {
        pid: 0,
        proctype: opened.model.proctype(t.proctype).name.to_string(),
        trans: trans.0,
        partner: None,
        timeout: false,
        file: at.file.clone(),
        line: at.line,
        at,
        via,
        text: written::of(opened, t),
        spin_text: text::stmt(&opened.model, &t.stmt),
        tick: None,
        time: None,
        propositions: Truths::default(),
    }
}

/// Adds to the steps of a trail of a timed model when they happen.
pub fn add_times(opened: &Opened, path: Path<'_>, out: &mut [TrailStep]) {
    if !opened.model.timed() {
        return;
    }
    let mut recorder = Recorder::with_claim(opened, path.claim);
    for (&step, out) in path.steps.iter().zip(out) {
        out.tick = recorder.slices(step);
        recorder.pass(step);
        out.time = recorder.time();
    }
}

/// Adds to the steps of a trail which conditions of the formula become true or false; those at its beginning and at the
/// start of the cycle.
pub fn add_truths(opened: &Opened, path: Path<'_>, out: &mut [TrailStep]) -> (Truths, Truths) {
    let mut recorder = Recorder::with_claim(opened, path.claim);
    let (first, mut cycle) = (recorder.truths.clone(), Truths::default());
    for (i, (&step, out)) in path.steps.iter().zip(out).enumerate() {
        if path.cycle_start == Some(i) {
            cycle = recorder.truths.clone();
        }
        out.propositions = recorder.pass_judging(step);
    }
    if path.cycle_start == Some(path.steps.len()) {
        cycle = recorder.truths;
    }
    (first, cycle)
}

/// The steps of a trail file; believes nothing that the model does not confirm.
pub fn steps_of(opened: &Opened, trail: &[TrailStep]) -> Result<Vec<Step>, Failure> {
    let known = |trans: u32, proctype: &str| {
        let t = opened.model.transitions.get(trans as usize)?;
        (*opened.model.proctype(t.proctype).name == *proctype).then_some(TransId(trans))
    };
    let step = |s: &TrailStep| {
        if s.tick.is_some() {
            return opened.model.timed().then(|| opened.model.tick());
        }
        let trans = known(s.trans, &s.proctype)?;
        let partner = match &s.partner {
            Some(p) => Some((Pid(p.pid), known(p.trans, &p.proctype)?)),
            None => None,
        };
        Some(Step::of(Pid(s.pid), trans, partner, s.timeout))
    };
    let misfit = |number: usize| misfit(number, "is not a step of this model");
    trail.iter().enumerate().map(|(i, s)| step(s).ok_or_else(|| misfit(i + 1))).collect()
}

fn misfit(number: usize, why: &str) -> Failure {
    let problem = Problem::error(Code::TrailMisfit, format!("step {number} of the trail {why}"));
    problem.advise("run `starwheel check` again to get a trail that fits the model").into()
}

/// A trail as it is followed.
#[derive(Clone, Copy, Debug)]
pub struct Path<'a> {
    /// The steps from the initial state.
    pub steps: &'a [Step],
    /// The claim that moves in step with the system.
    pub claim: Option<ProctypeId>,
    /// The number of steps before those that are repeated for ever.
    pub cycle_start: Option<usize>,
}

impl<'a> Path<'a> {
    /// A trail of the system alone, with an end.
    pub fn plain(steps: &'a [Step]) -> Path<'a> {
        Path { steps, claim: None, cycle_start: None }
    }
}

/// Follows a trail from the initial state; only the last `most` steps are written down, if a number is given.
pub fn walk(opened: &Opened, path: Path<'_>, most: Option<usize>) -> Result<Walk, Failure> {
    let steps = path.steps;
    let mut recorder = Recorder::with_claim(opened, path.claim);
    let skip = most.map_or(0, |most| steps.len().saturating_sub(most));
    let (mut moves, mut start) = (Vec::new(), None);
    let (mut propositions, mut cycle_propositions) = (recorder.truths.clone(), Truths::default());
    for (i, &step) in steps.iter().enumerate() {
        if path.cycle_start == Some(i) {
            start = Some(recorder.state.clone());
            if i <= skip {
                recorder.judge();
            }
            cycle_propositions = recorder.truths.clone();
        }
        if !recorder.enabled().contains(&step) {
            return Err(misfit(i + 1, "is not possible here"));
        }
        let broken = if i < skip {
            recorder.pass(step).broken
        } else {
            if i == skip && i > 0 {
                recorder.look();
                propositions = recorder.truths.clone();
            }
            let recorded = recorder.take(step);
            moves.extend(recorded.moves);
            recorded.fired.broken
        };
        if broken && i + 1 < steps.len() {
            return Err(misfit(i + 2, "cannot be reached: the step before it has no meaning"));
        }
    }
    let hidden = opened.model.layout.hidden as usize;
    if start.is_some_and(|start| start.get(hidden..) != recorder.state.get(hidden..)) {
        return Err(misfit(steps.len(), "does not lead back to where the cycle starts"));
    }
    let before = |n: usize| steps.iter().take(n).map(|&s| halves(s)).sum();
    if path.cycle_start == Some(steps.len()) {
        cycle_propositions = recorder.truths.clone();
    }
    let cycle_start = path.cycle_start.map(before);
    Ok(Walk { propositions, moves, cycle_start, cycle_propositions, last: recorder.now })
}

/// Follows a trail as [`walk`] does, but shows the values of dead variables as the statements left them: that they are
/// reset is of use to the search only. A cycle may be none without the resets; it is then shown with them.
pub fn walk_plainly(opened: &Opened, path: Path<'_>, most: Option<usize>) -> Result<Walk, Failure> {
    let plain = opened.without_resets();
    let plainly = plain.and_then(|plain| walk(&plain, path, most).ok());
    plainly.map_or_else(|| walk(opened, path, most), Ok)
}
