//! Variables that keep their value: scalars of a process that are set when it is created and never again, and globals
//! that no process ever assigns. They tell which channel and which element of an array a process means.
//!
//! A reset of a dead variable (`--dead-vars`) does not count: nothing reads the variable after it.

use starwheel_model::footprint::{Bytes, Pieces};
use starwheel_model::{Expr, Interp, Model, Place, Proctype, ProctypeId, RecvArg, Region, Stepper, Stmt, Ty, UnaryOp};

/// What never changes in a model.
pub struct Fixed {
    /// The bytes of globals that some process may assign.
    globals: Pieces,
    hidden: Pieces,
    /// A state in which all other globals have their value.
    initial: Vec<u8>,
    /// By process type: the fixed scalars that say which channel or element is meant.
    pub keys: Vec<Vec<Place>>,
    /// By process type: whether `_pid` says so.
    pub by_pid: Vec<bool>,
}

/// What is known about one process.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Known {
    /// Its type.
    pub proctype: ProctypeId,
    /// Its number, if it is known and matters.
    pub pid: Option<u8>,
    /// By key of its type: its value, if it is known.
    pub values: Vec<Option<i32>>,
}

impl Fixed {
    /// Looks through a model.
    pub fn new(model: &Model) -> Fixed {
        let mut initial = Vec::new();
        Interp::new(model).initial(&mut initial);
        let mut fixed = Fixed {
            globals: Pieces::default(),
            hidden: Pieces::default(),
            initial,
            keys: Vec::new(),
            by_pid: Vec::new(),
        };
        let mut assigned = vec![Pieces::default(); model.proctypes.len()];
        for t in &model.transitions {
            t.stmt.walk_stmts(&mut |s| fixed.assigned(s, &mut assigned[t.proctype.index()]));
        }
        fixed.ticks(model, &mut assigned);
        for p in &model.proctypes {
            // Locals that are set at creation stay fixed.
            p.init.iter().for_each(|s| s.walk_stmts(&mut |s| fixed.assigned(s, &mut Pieces::default())));
        }
        for (i, p) in model.proctypes.iter().enumerate() {
            let (keys, by_pid) = keys(model, ProctypeId(i as u8), p, &assigned[i]);
            fixed.keys.push(keys);
            fixed.by_pid.push(by_pid);
        }
        fixed
    }

    /// Time changes timers without an assignment.
    fn ticks(&mut self, model: &Model, locals: &mut [Pieces]) {
        let piece = |at: u32| (at, at + Ty::Timer.size());
        let layout = &model.layout;
        layout.timers.iter().for_each(|at| self.globals.add(piece(at - layout.globals_start())));
        for (frame, locals) in layout.frames.iter().zip(locals) {
            frame.timers.iter().for_each(|&at| locals.add(piece(at)));
        }
    }

    fn assigned(&mut self, s: &Stmt, locals: &mut Pieces) {
        s.targets(&mut |place, count| match place.region {
            Region::Global => self.globals.add(place.widest(count)),
            Region::Hidden => self.hidden.add(place.widest(count)),
            Region::Local => locals.add(place.widest(count)),
        });
    }

    /// The value of an expression for a process, if it is always the same.
    pub fn value(&self, model: &Model, known: &Known, e: &Expr) -> Option<i32> {
        match e {
            Expr::Const(v, _) => Some(*v),
            Expr::Pid => known.pid.map(i32::from),
            Expr::Load(place) => self.load(model, known, place),
            Expr::Unary(UnaryOp::Neg, a) => Some(self.value(model, known, a)?.wrapping_neg()),
            Expr::Binary(op, a, b) => op.apply(self.value(model, known, a)?, self.value(model, known, b)?),
            _ => None,
        }
    }

    fn load(&self, model: &Model, known: &Known, place: &Place) -> Option<i32> {
        if place.region == Region::Local {
            let keys = &self.keys[known.proctype.index()];
            let index = keys.iter().position(|k| place.dims.is_empty() && k.offset == place.offset)?;
            return known.values[index];
        }
        let piece = self.piece(model, known, place, 1);
        let exact = piece.1 - piece.0 == place.ty.size();
        (exact && !self.changes(place.region, piece)).then(|| self.initially(model, place, piece.0)).flatten()
    }

    /// Whether some process may assign a global that a place may mean.
    pub fn may_change(&self, place: &Place) -> bool {
        self.changes(place.region, place.widest(1))
    }

    fn changes(&self, region: Region, piece: Bytes) -> bool {
        match region {
            Region::Global => self.globals.meets_piece(piece),
            Region::Hidden => self.hidden.meets_piece(piece),
            Region::Local => true,
        }
    }

    fn initially(&self, model: &Model, place: &Place, offset: u32) -> Option<i32> {
        let start = if place.region == Region::Global { model.layout.globals_start() } else { 0 };
        value_at(&self.initial, (start + offset) as usize, place.ty)
    }

    /// The bytes of its region that a place may mean for a process.
    pub fn piece(&self, model: &Model, known: &Known, place: &Place, count: u32) -> Bytes {
        place.piece(count, |dim| self.value(model, known, &dim.index))
    }

    /// The numbers of the channels that an expression may name for a process; none if they are not known.
    pub fn channels(&self, model: &Model, known: &Known, e: &Expr) -> Option<Vec<u8>> {
        if let Some(value) = self.value(model, known, e) {
            return Some(u8::try_from(value).into_iter().filter(|&n| n > 0).collect());
        }
        match e {
            Expr::Load(place) if place.region != Region::Local => self.elements(model, known, place),
            Expr::Cond(_, a, b) => {
                let mut all = self.channels(model, known, a)?;
                all.extend(self.channels(model, known, b)?);
                Some(all)
            }
            _ => None,
        }
    }

    /// The values of all elements that a place may mean, if they never change.
    fn elements(&self, model: &Model, known: &Known, place: &Place) -> Option<Vec<u8>> {
        let whole = self.piece(model, known, place, 1);
        if self.changes(place.region, whole) {
            return None;
        }
        let mut offsets = vec![place.offset];
        for dim in &place.dims {
            let range = match self.value(model, known, &dim.index) {
                Some(i) if i >= 0 && (i as u32) < dim.len => i as u32..i as u32 + 1,
                _ => 0..dim.len,
            };
            offsets = offsets.iter().flat_map(|o| range.clone().map(move |i| o + i * dim.stride)).collect();
        }
        let value = |o: u32| self.initially(model, place, o).and_then(|v| u8::try_from(v).ok()).filter(|&n| n > 0);
        Some(offsets.into_iter().filter_map(value).collect())
    }
}

/// The scalars of a process type that never change and say what a process means, and whether `_pid` does.
fn keys(model: &Model, id: ProctypeId, p: &Proctype, assigned: &Pieces) -> (Vec<Place>, bool) {
    let (mut keys, mut by_pid) = (Vec::<Place>::new(), false);
    let mut note = |e: &Expr| match e {
        Expr::Load(place) if place.region == Region::Local && place.dims.is_empty() => {
            let fresh = keys.iter().all(|k| k.offset != place.offset);
            if fresh && !assigned.meets_piece(place.widest(1)) {
                keys.push((**place).clone());
            }
        }
        Expr::Pid => by_pid = true,
        _ => {}
    };
    let own = model.transitions.iter().filter(|t| t.proctype == id).map(|t| &t.stmt);
    for s in own.chain(&p.init) {
        s.walk(&mut |e| meant_by_expr(e, &mut note));
        s.walk_stmts(&mut |s| meant_by_stmt(s, &mut note));
    }
    // Whose channels die with the process has to be known, too.
    p.channels.iter().for_each(|c| note(&Expr::Load(Box::new(c.place.clone()))));
    (keys, by_pid)
}

/// Looks at what says which channel or element an expression means, without those inside it.
fn meant_by_expr(e: &Expr, note: &mut impl FnMut(&Expr)) {
    match e {
        Expr::Load(place) => place.walk(note),
        Expr::Channel(_, c) | Expr::Poll { channel: c, .. } => c.walk(note),
        Expr::Run(run) => run.args.iter().for_each(|a| a.walk(note)),
        _ => {}
    }
}

/// Looks at what says which channel or element a statement means, without those inside it.
fn meant_by_stmt(s: &Stmt, note: &mut impl FnMut(&Expr)) {
    match s {
        Stmt::Send { channel, .. } => channel.walk(note),
        Stmt::Receive { channel, args, .. } => {
            channel.walk(note);
            for a in args {
                if let RecvArg::Bind(place) = a {
                    place.walk(note);
                }
            }
        }
        Stmt::Assign(place, _) | Stmt::AssignArray(place, _) => place.walk(note),
        _ => {}
    }
}

/// The value of a type that is stored there.
pub fn value_at(state: &[u8], at: usize, ty: Ty) -> Option<i32> {
    (at + ty.size() as usize <= state.len()).then(|| ty.read(state, at))
}
