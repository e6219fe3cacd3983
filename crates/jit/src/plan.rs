//! What is known of a model before code is generated: shapes of channels, where fixed channels lie, who needs which function.

use crate::context::{MAX_ACCEPTS, MAX_FIELDS, Written};
use crate::group::{Group, groups};
use starwheel_model::expr::Expr;
use starwheel_model::footprint::known::Known;
use starwheel_model::{
    ChanId, LocId, Location, Model, Proctype, ProctypeId, ProctypeKind, Stmt, TransId, Transition, Ty,
};

/// Channels that look the same to generated code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Shape {
    pub capacity: u16,
    /// Bytes of one message.
    pub message: u32,
    /// Offset and type of each field.
    pub fields: Vec<(u32, Ty)>,
}

/// Where the only channel of a declaration lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Home {
    /// At this offset of the state, with this number.
    Global(u32, i32),
    /// At this offset of the frame of the process type that declares it.
    Local(ProctypeId, u32),
}

/// What an expression says about the channel that it names.
pub(crate) enum Named {
    /// Exactly this one, of this shape.
    One(Home, usize),
    /// One of these shapes.
    Some(Vec<usize>),
}

/// The plan of a model.
pub(crate) struct Plan<'m> {
    pub model: &'m Model,
    known: Known<'m>,
    pub shapes: Vec<Shape>,
    /// By channel declaration.
    pub shape_of: Vec<usize>,
    homes: Vec<Option<Home>>,
    /// Most bytes by which one step makes a state longer.
    pub growth: u32,
    /// Bytes of all states, if nobody starts a process and none ends; or of those that this plan is for.
    pub len: Option<u32>,
    /// The processes whose places are fixed, the oldest first: those of the initial state, or of the states that this plan is for.
    pub list: Vec<ProctypeId>,
    /// There are other states: code has to see whether it is made for the one at hand.
    pub settled: bool,
    /// Some process may be in control.
    pub atomic: bool,
    /// Functions for several processes at once, if there are such; else each location has one of its own.
    pub groups: Vec<Group>,
    /// By transition: what it may change.
    pub written: Vec<Written>,
    /// By process type and location: whether somebody may ask if a process can move there.
    pub asked: Vec<Vec<bool>>,
    /// By process type and location: whether some process can ever be there.
    pub reached: Vec<Vec<bool>>,
}

impl<'m> Plan<'m> {
    /// `all_asked` if it may be asked of all processes whether they can move, rather than of those inside `atomic`.
    pub fn new(model: &'m Model, all_asked: bool) -> Plan<'m> {
        let mut plan = Plan::without_groups(model, all_asked);
        plan.groups = groups(&plan);
        plan
    }

    /// The plan of code for states with these processes alone, at these locations or others. Processes that start others have
    /// done so: they are expected where a way leads from these locations on.
    pub fn settled(model: &'m Model, all_asked: bool, processes: &[(ProctypeId, LocId)]) -> Plan<'m> {
        let mut plan = Plan::without_groups(model, all_asked);
        for id in plan.ordinary().filter(|&id| starts_others(model, id)) {
            let now = processes.iter().filter(|(own, _)| *own == id).map(|&(_, loc)| loc);
            plan.reached[id.index()] = ways(model, model.proctype(id), now.collect());
        }
        plan.list = processes.iter().map(|&(id, _)| id).collect();
        plan.len = Some(length(model, &plan.list));
        plan.settled = true;
        let out = |&id: &ProctypeId| {
            let locs = model.proctype(id).locs.iter().zip(&plan.reached[id.index()]);
            locs.filter(|(_, reached)| **reached).any(|(l, _)| l.out.iter().any(|&t| model.transition(t).atomic))
        };
        plan.atomic = plan.list.iter().any(out);
        plan.groups = groups(&plan);
        plan
    }

    fn without_groups(model: &'m Model, all_asked: bool) -> Plan<'m> {
        let (shapes, shape_of) = shapes(model);
        let asked = model.proctypes.iter().map(|p| vec![all_asked; p.locs.len()]).collect();
        let growth = model.transitions.iter().map(|t| growth(model, &t.stmt)).max().unwrap_or(0) * 2;
        let (known, homes, reached) = (Known::new(model), homes(model), reached(model));
        let list: Vec<ProctypeId> = model.starts.iter().map(|s| s.proctype).collect();
        let len = (growth == 0 && none_ends(model, &reached)).then(|| length(model, &list));
        let atomic = model.transitions.iter().any(|t| t.atomic);
        let mut plan = Plan {
            model,
            known,
            shapes,
            shape_of,
            homes,
            growth,
            len,
            list,
            settled: false,
            atomic,
            groups: Vec::new(),
            written: Vec::new(),
            asked,
            reached,
        };
        for t in model.transitions.iter().filter(|t| t.atomic && t.stmt != Stmt::End) {
            if plan.keeps_control(t.proctype, t.to).is_none() {
                plan.asked[t.proctype.index()][t.to.index()] = true;
            }
        }
        plan
    }

    /// The process types that processes can have.
    pub fn ordinary(&self) -> impl Iterator<Item = ProctypeId> + use<'m> {
        let model = self.model;
        let ids = (0..model.proctypes.len()).map(|i| ProctypeId(i as u8));
        ids.filter(|&id| matches!(model.proctype(id).kind, ProctypeKind::Process | ProctypeKind::Init))
    }

    /// Whether a process at a location can move, if that does not depend on the state.
    pub fn keeps_control(&self, proctype: ProctypeId, loc: LocId) -> Option<bool> {
        let p = self.model.proctype(proctype);
        let out = &p.locs[loc.index()].out;
        if out.is_empty() {
            return Some(false);
        }
        let always = out.iter().any(|&t| always(&self.model.transition(t).stmt));
        (always && p.provided.is_none()).then_some(true)
    }

    /// What is known of the channel that an expression names in a process type.
    pub fn named(&self, proctype: ProctypeId, e: &Expr) -> Named {
        let Some(kinds) = self.known.channels(proctype, e) else {
            return Named::Some((0..self.shapes.len()).collect());
        };
        let exact = match e {
            Expr::Load(place) => place.dims.iter().all(|d| d.index.as_const().is_some()),
            _ => true,
        };
        if let [only] = kinds[..]
            && exact
            && let Some(home) = self.homes[only.index()]
        {
            return Named::One(home, self.shape_of[only.index()]);
        }
        let mut shapes: Vec<usize> = kinds.iter().map(|k| self.shape_of[k.index()]).collect();
        shapes.sort_unstable();
        shapes.dedup();
        Named::Some(shapes)
    }

    /// The shapes that the channel of an expression may have.
    pub fn candidates(&self, proctype: ProctypeId, e: &Expr) -> Vec<usize> {
        match self.named(proctype, e) {
            Named::One(_, shape) => vec![shape],
            Named::Some(shapes) => shapes,
        }
    }

    /// Whether a channel may be one without slots.
    pub fn may_hand_over(&self, proctype: ProctypeId, e: &Expr) -> bool {
        self.candidates(proctype, e).iter().any(|&s| self.shapes[s].capacity == 0)
    }

    /// There are groups, and neither handshakes nor `timeout` nor lazy steps nor atomic sequences: then nobody but the function
    /// itself writes successors, but for the tick, which comes only where there are none.
    pub fn plain(&self) -> bool {
        let uses = &self.model.uses;
        !self.groups.is_empty() && !self.atomic && !uses.timeout && !uses.lazy && !self.hands_over()
    }

    /// The model has channels without slots.
    pub fn hands_over(&self) -> bool {
        self.shapes.iter().any(|s| s.capacity == 0)
    }

    /// True if a statement takes messages that are handed over and does nothing else.
    pub fn only_accepts(&self, proctype: ProctypeId, stmt: &Stmt) -> bool {
        match stmt {
            Stmt::Receive { channel, copy: false, .. } => match self.named(proctype, channel) {
                Named::One(_, shape) => self.shapes[shape].capacity == 0,
                Named::Some(_) => false,
            },
            Stmt::Chain(list) => list.first().is_some_and(|s| self.only_accepts(proctype, s)),
            _ => false,
        }
    }

    /// Whether a process at a location can ever take a step of its own; others may hand messages to it.
    pub fn has_own_steps(&self, proctype: ProctypeId, loc: &Location) -> bool {
        let never = |stmt: &Stmt| self.only_accepts(proctype, stmt) || never(stmt);
        let idle = self.model.proctype(proctype).provided.is_none();
        !(loc.out.is_empty() || idle && loc.out.iter().all(|&t| never(&self.model.transition(t).stmt)))
    }

    /// Whether a statement may take a message that is handed over.
    pub fn may_accept(&self, proctype: ProctypeId, stmt: &Stmt) -> bool {
        match stmt {
            Stmt::Receive { channel, copy: false, .. } => self.may_hand_over(proctype, channel),
            Stmt::DStep(d) => d.locs.first().is_some_and(|l| l.iter().any(|t| self.may_accept(proctype, &t.stmt))),
            Stmt::Chain(list) => list.first().is_some_and(|s| self.may_accept(proctype, s)),
            _ => false,
        }
    }

    /// True if a statement may ask where a process is.
    pub fn asks_where(&self, stmt: &Stmt) -> bool {
        let mut asks = false;
        stmt.walk(&mut |e| asks |= matches!(e, Expr::PcValue(_) | Expr::RemoteLabel { .. }));
        asks
    }

    /// True if a claim never changes anything but its own location, and never goes on in the same state.
    pub fn only_looks(&self, claim: ProctypeId) -> bool {
        let mut own = self.model.transitions.iter().filter(|t| t.proctype == claim);
        own.all(|t| {
            let mut looks = !t.atomic && t.resets.is_empty();
            t.stmt.walk_stmts(&mut |s| looks &= only_looks(s));
            looks
        })
    }

    /// The channels without slots from which a process may take a message at a location, one bit for each number modulo 64.
    pub fn listening_at(&self, proctype: ProctypeId, loc: &Location) -> u64 {
        let stmts = loc.out.iter().map(|&t| &self.model.transition(t).stmt);
        stmts.fold(0, |bits, s| bits | self.listens(proctype, s))
    }

    fn listens(&self, proctype: ProctypeId, stmt: &Stmt) -> u64 {
        match stmt {
            Stmt::Receive { channel, .. } if self.may_accept(proctype, stmt) => self.channel_bits(proctype, channel),
            Stmt::DStep(d) => {
                d.locs.first().map_or(0, |l| l.iter().fold(0, |bits, t| bits | self.listens(proctype, &t.stmt)))
            }
            Stmt::Chain(list) => list.first().map_or(0, |s| self.listens(proctype, s)),
            _ => 0,
        }
    }

    fn channel_bits(&self, proctype: ProctypeId, e: &Expr) -> u64 {
        let Some(kinds) = self.known.channels(proctype, e) else { return u64::MAX };
        kinds.iter().fold(0, |bits, k| match self.homes[k.index()] {
            Some(Home::Global(_, number)) => bits | 1 << (number & 63),
            _ => u64::MAX,
        })
    }

    /// The transitions of a process type by which it may take a message.
    pub fn accepting(&self, proctype: ProctypeId) -> Vec<u32> {
        let (locs, reached) = (&self.model.proctype(proctype).locs, &self.reached[proctype.index()]);
        let mut used = vec![false; self.model.transitions.len()];
        let out = locs.iter().zip(reached).filter(|(_, reached)| **reached).flat_map(|(l, _)| &l.out);
        out.for_each(|t| used[t.index()] = true);
        let of = |&(i, t): &(usize, &Transition)| used[i] && self.may_accept(proctype, &t.stmt);
        self.model.transitions.iter().enumerate().filter(of).map(|(i, _)| i as u32).collect()
    }

    /// Whether generated code can hand over all messages of the model.
    pub fn fits(&self) -> bool {
        let short = |s: &Shape| s.capacity > 0 || s.fields.len() <= MAX_FIELDS;
        let few = |p: &Proctype| {
            let accepts = |&&t: &&TransId| {
                let t = self.model.transition(t);
                self.may_accept(t.proctype, &t.stmt)
            };
            p.locs.iter().all(|l| l.out.iter().filter(accepts).count() <= MAX_ACCEPTS)
        };
        self.shapes.iter().all(short) && self.model.proctypes.iter().all(few)
    }
}

/// True if a statement can be executed in no state.
fn never(stmt: &Stmt) -> bool {
    matches!(stmt, Stmt::Guard(e) if e.as_const() == Some(0))
}

/// True if a statement can be executed in every state, if it is reached at all.
pub(crate) fn always(stmt: &Stmt) -> bool {
    match stmt {
        Stmt::Skip(_) | Stmt::Else | Stmt::Assign(..) | Stmt::AssignArray(..) | Stmt::Assert(_) => true,
        Stmt::Printf(..) | Stmt::Printm(_) | Stmt::SetPriority(..) => true,
        Stmt::Guard(e) => e.as_const().is_some_and(|v| v != 0),
        Stmt::DStep(d) => d.locs.first().is_some_and(|l| l.iter().any(|t| always(&t.stmt))),
        Stmt::Chain(list) => list.first().is_none_or(always),
        Stmt::Send { .. } | Stmt::Receive { .. } | Stmt::End => false,
    }
}

fn only_looks(stmt: &Stmt) -> bool {
    match stmt {
        Stmt::Skip(_) | Stmt::Else | Stmt::Assert(_) | Stmt::Printf(..) | Stmt::Printm(_) => true,
        Stmt::Guard(e) => !e.any(|e| matches!(e, Expr::Run(_))),
        Stmt::Chain(_) | Stmt::End => true,
        Stmt::Assign(..) | Stmt::AssignArray(..) | Stmt::SetPriority(..) | Stmt::DStep(_) => false,
        Stmt::Send { .. } | Stmt::Receive { .. } => false,
    }
}

fn shapes(model: &Model) -> (Vec<Shape>, Vec<usize>) {
    let mut shapes: Vec<Shape> = Vec::new();
    let mut shape_of = Vec::new();
    for (channel, layout) in model.channels.iter().zip(&model.layout.channels) {
        let fields = layout.fields.iter().copied().zip(channel.fields.iter().map(|f| f.ty)).collect();
        let shape = Shape { capacity: channel.capacity, message: layout.message, fields };
        let index = shapes.iter().position(|s| *s == shape).unwrap_or_else(|| {
            shapes.push(shape);
            shapes.len() - 1
        });
        shape_of.push(index);
    }
    (shapes, shape_of)
}

/// Declarations that stand for one channel only, as far as one process can see.
fn homes(model: &Model) -> Vec<Option<Home>> {
    let mut found: Vec<Vec<Home>> = vec![Vec::new(); model.channels.len()];
    let mut note = |id: ChanId, home| found[id.index()].push(home);
    for (i, (c, &at)) in model.global_channels.iter().zip(&model.layout.global_channels).enumerate() {
        note(c.channel, Home::Global(at, i as i32 + 1));
    }
    for (i, (p, layout)) in model.proctypes.iter().zip(&model.layout.frames).enumerate() {
        for (c, &at) in p.channels.iter().zip(&layout.channels) {
            note(c.channel, Home::Local(ProctypeId(i as u8), at));
        }
    }
    found.into_iter().map(|list| if let [one] = list[..] { Some(one) } else { None }).collect()
}

/// Locations to which a way leads from the start of their process type; the others need no code.
fn reached(model: &Model) -> Vec<Vec<bool>> {
    model.proctypes.iter().map(|p| ways(model, p, vec![p.start])).collect()
}

/// Locations of a process type to which a way leads from some others, and these.
fn ways(model: &Model, p: &Proctype, mut waiting: Vec<LocId>) -> Vec<bool> {
    let mut reached = vec![false; p.locs.len()];
    while let Some(loc) = waiting.pop() {
        if !std::mem::replace(&mut reached[loc.index()], true) {
            let out = p.locs[loc.index()].out.iter().map(|&t| model.transition(t));
            waiting.extend(out.filter(|t| !never(&t.stmt)).map(|t| t.to));
        }
    }
    reached
}

/// True if no process ever ends.
fn none_ends(model: &Model, reached: &[Vec<bool>]) -> bool {
    let ends = |(p, reached): (&Proctype, &Vec<bool>)| {
        let out = p.locs.iter().zip(reached).filter(|(_, reached)| **reached).flat_map(|(l, _)| &l.out);
        let ordinary = matches!(p.kind, ProctypeKind::Process | ProctypeKind::Init);
        ordinary && out.into_iter().any(|&t| model.transition(t).stmt == Stmt::End)
    };
    !model.proctypes.iter().zip(reached).any(ends)
}

/// Bytes of a state with these processes.
fn length(model: &Model, list: &[ProctypeId]) -> u32 {
    let frames = list.iter().map(|id| model.layout.frames[id.index()].total);
    model.layout.processes + frames.sum::<u32>()
}

/// True if a process of a type may start others.
fn starts_others(model: &Model, id: ProctypeId) -> bool {
    model.transitions.iter().any(|t| t.proctype == id && growth(model, &t.stmt) > 0)
}

/// True if a statement starts or ends processes.
pub(crate) fn changes_processes(model: &Model, stmt: &Stmt) -> bool {
    *stmt == Stmt::End || growth(model, stmt) > 0
}

/// Bytes of the processes that a statement starts.
fn growth(model: &Model, stmt: &Stmt) -> u32 {
    let mut bytes = 0;
    stmt.walk(&mut |e| {
        if let Expr::Run(run) = e {
            bytes += model.layout.frames[run.proctype.index()].total;
        }
    });
    bytes
}
