//! Which processes are leaves and which steps are center steps, and what cannot be decoupled at all.
//!
//! Gnad, Dubbert, Lluch Lafuente, Hoffmann: Star-Topology Decoupling in SPIN (SPIN 2018). As there, a step is a leaf step
//! if it writes nothing but the frame of its own process; it may read the center. A process type without such a step has
//! nothing to decouple: its processes stay in the center.

use crate::topology::seen::Seen;
use starwheel_base::Span;
use starwheel_model::footprint::{Footprint, Ops, Special};
use starwheel_model::{BinaryOp, Expr, Model, ProctypeId, ProctypeKind, Region, Stmt, TransId, Ty, footprints};

/// The decomposition of a model.
#[derive(Clone, Debug)]
pub struct Decomposition {
    /// What each transition touches.
    pub footprints: Vec<Footprint>,
    /// By transition: true if it writes nothing but the frame of its process.
    pub leaf_steps: Vec<bool>,
    /// By process type: true if its processes are leaves.
    pub leaves: Vec<bool>,
    /// What a property sees of frames.
    pub seen: Seen,
}

/// Why a model cannot be decoupled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The construct.
    pub what: String,
    /// Where it is.
    pub span: Span,
}

impl Decomposition {
    /// Takes a model apart.
    pub fn new(model: &Model) -> Decomposition {
        let footprints = footprints(model);
        let leaf_steps: Vec<bool> = footprints.iter().map(stays_at_home).collect();
        let mut leaves = vec![false; model.proctypes.len()];
        for (t, leaf) in model.transitions.iter().zip(&leaf_steps).filter(|(t, _)| is_process(model, t.proctype)) {
            leaves[t.proctype.index()] |= leaf;
        }
        Decomposition { footprints, leaf_steps, leaves, seen: Seen::default() }
    }

    /// Takes a model apart for a search with a property.
    pub fn watched(model: &Model, claim: ProctypeId) -> Decomposition {
        Decomposition { seen: Seen::by(model, claim), ..Decomposition::new(model) }
    }

    /// True if there is something to decouple: some process has steps of its own.
    pub fn has_leaves(&self) -> bool {
        self.leaves.contains(&true)
    }

    /// True if a transition is a leaf step.
    pub fn is_leaf_step(&self, trans: TransId) -> bool {
        self.leaf_steps[trans.index()]
    }

    /// True if the processes of a type are leaves.
    pub fn is_leaf(&self, proctype: ProctypeId) -> bool {
        self.leaves[proctype.index()]
    }
}

/// True if a step writes nothing but the frame of its process.
fn stays_at_home(f: &Footprint) -> bool {
    let asks = |ops: Ops| ops.is_empty() || ops == Ops::QUERY;
    f.writes.globals.is_empty()
        && f.writes.hidden.is_empty()
        && f.writes.special.without(Special::LOCATIONS).is_empty()
        && asks(f.channels.any)
        && f.channels.known.iter().all(|&(_, ops)| asks(ops))
}

/// The first construct that decoupled search cannot treat, if there is one.
pub fn refusal(model: &Model) -> Option<Refusal> {
    let refuse = |what: &str, span: Span| Some(Refusal { what: what.to_string(), span });
    let locals = model.proctypes.iter().flat_map(|p| &p.locals);
    if let Some(timer) = model.globals.iter().chain(locals).find(|v| v.ty == Ty::Timer) {
        return refuse("a timer: time passes for all leaves at once", timer.span);
    }
    for (id, t) in model.transitions.iter().enumerate() {
        if model.leads_back(TransId(id as u32)) {
            // Whether the transition ends is asked of states.
            return refuse("a jump back inside of a transition, which may never end", t.span);
        }
        if !is_process(model, t.proctype) {
            continue;
        }
        let mut found = None;
        t.stmt.walk_stmts(&mut |s| found = found.or(forbidden_inside(s)));
        t.stmt.walk_stmts(&mut |s| found = found.or(forbidden_statement(s)));
        found = found.or(handover_writes(model, TransId(id as u32)));
        if let Some(what) = found {
            return refuse(what, t.span);
        }
    }
    for p in &model.proctypes {
        if !matches!(p.kind, ProctypeKind::Process | ProctypeKind::Init) {
            continue;
        }
        let mut found = p.deterministic.then_some("`D_proctype`");
        p.provided.iter().for_each(|e| e.walk(&mut |e| found = found.or(forbidden(e))));
        if let Some(what) = found {
            return refuse(what, p.span);
        }
    }
    let start = |p: ProctypeId| model.proctype(p).span;
    match model.starts.iter().find(|s| model.uses.priority && s.priority != 1) {
        Some(s) => refuse("a priority", start(s.proctype)),
        None if model.uses.priority => refuse("a priority", Span::default()),
        None if model.uses.last => refuse("`_last`", Span::default()),
        None => None,
    }
}

fn is_process(model: &Model, id: ProctypeId) -> bool {
    matches!(model.proctype(id).kind, ProctypeKind::Process | ProctypeKind::Init)
}

/// Expressions that look into another leaf, or at more than a state.
fn forbidden(e: &Expr) -> Option<&'static str> {
    match e {
        Expr::Last => Some("`_last`"),
        Expr::Priority | Expr::GetPriority(_) => Some("a priority"),
        Expr::Run(run) if run.priority.is_some_and(|p| p != 1) => Some("a priority"),
        Expr::Enabled(_) => Some("`enabled()`"),
        Expr::PcValue(_) => Some("`pc_value()`"),
        Expr::NonProgress => Some("`np_`"),
        Expr::RemoteLabel { .. } => Some("a remote reference to a label"),
        Expr::RemoteVar { .. } => Some("a remote reference to a variable"),
        Expr::Load(place) if place.region == Region::Hidden => Some("reading a hidden variable"),
        _ => None,
    }
}

/// The first such expression of a statement that holds no others. Nobody else knows the value of a hidden variable, so a
/// statement may read it to give it a new one (`log++` with `--dead-vars`), provided that nothing can go wrong with it.
fn forbidden_inside(s: &Stmt) -> Option<&'static str> {
    let mut found = None;
    match s {
        Stmt::DStep(_) | Stmt::Chain(_) => {}
        Stmt::Assign(place, e) if place.region == Region::Hidden && !e.any(may_fail) => {
            place.walk(&mut |e| found = found.or(forbidden(e)));
            e.walk(&mut |e| found = found.or(forbidden(e).filter(|_| !matches!(e, Expr::Load(_)))));
        }
        _ => s.walk(&mut |e| found = found.or(forbidden(e))),
    }
    found
}

/// True if the value of an expression decides whether it has one, or does more than that.
fn may_fail(e: &Expr) -> bool {
    match e {
        Expr::Const(..) | Expr::Unary(..) | Expr::Cond(..) | Expr::Pid | Expr::NrPr => false,
        Expr::Load(place) => !place.dims.is_empty(),
        Expr::Binary(op, ..) => matches!(op, BinaryOp::Div | BinaryOp::Rem | BinaryOp::Shl | BinaryOp::Shr),
        _ => true,
    }
}

fn forbidden_statement(s: &Stmt) -> Option<&'static str> {
    let waits = |e: &Expr| e.any(|e| matches!(e, Expr::Timeout));
    match s {
        Stmt::SetPriority(..) => Some("a priority"),
        Stmt::Guard(_) | Stmt::DStep(_) | Stmt::Chain(_) => None,
        other => {
            let mut found = false;
            other.walk(&mut |e| found |= waits(e));
            found.then_some("`timeout` inside a statement that is no condition")
        }
    }
}

/// The sender of a handshake may change the center only by the message itself.
fn handover_writes(model: &Model, id: TransId) -> Option<&'static str> {
    let Stmt::Chain(list) = &model.transition(id).stmt else { return None };
    let rendezvous = model.channels.iter().any(|c| c.capacity == 0);
    let writes = |s: &Stmt| matches!(s, Stmt::Assign(p, _) | Stmt::AssignArray(p, _) if p.region != starwheel_model::Region::Local);
    let sends = matches!(list.first(), Some(Stmt::Send { .. }));
    (rendezvous && sends && list.iter().any(writes)).then_some("a send that is merged with an assignment to a global")
}
