//! What statements and conditions do to intervals, and whether they may turn out to have no meaning.

use super::interval::Interval;
use super::{Analysis, Cells, Pace, VISITS, pace, widen};
use starwheel_model::{
    BinaryOp, ChannelQuery, DStep, DTrans, Expr, Place, ProctypeId, RecvArg, Region, Stmt, UnaryOp, time,
};

/// What is known about a process at a location, or in the middle of a statement.
#[derive(Clone, Debug)]
pub struct Frame {
    /// Its type.
    pub id: ProctypeId,
    /// By cell.
    pub locals: Vec<Interval>,
    /// What is known of other variables until the statement is over.
    facts: Vec<(Region, usize, Interval)>,
    /// Something may have had no meaning.
    pub failed: bool,
    /// False if there is no such process, because the statement cannot be executed.
    pub goes_on: bool,
}

impl Frame {
    /// A process whose variables are zero.
    pub fn new(id: ProctypeId, cells: usize) -> Frame {
        Frame { id, locals: vec![Interval::exactly(0); cells], facts: Vec::new(), failed: false, goes_on: true }
    }

    /// How much there is of it.
    pub fn weight(&self) -> u64 {
        self.locals.len() as u64
    }

    /// The statement is over; others move.
    pub fn leave(&mut self) {
        self.facts.clear();
    }

    /// What is known of a variable for the moment.
    pub fn fact(&self, region: Region, cell: usize) -> Option<Interval> {
        self.facts.iter().find(|f| (f.0, f.1) == (region, cell)).map(|f| f.2)
    }

    /// Something is known of a variable for the moment.
    pub fn learn(&mut self, region: Region, cell: usize, value: Interval) {
        match self.facts.iter_mut().find(|f| (f.0, f.1) == (region, cell)) {
            Some(fact) => fact.2 = value,
            None => self.facts.push((region, cell, value)),
        }
    }

    /// Adds what is known on another way to the same place; true if that is more.
    pub(super) fn join(&mut self, other: &Frame, cells: &Cells, pace: Pace<'_>) -> bool {
        let mut grown = false;
        for (cell, (mine, theirs)) in self.locals.iter_mut().zip(&other.locals).enumerate() {
            let all = cells.ty(cell).map_or(Interval::ANY, Interval::of);
            grown |= widen(mine, *theirs, all, pace);
        }
        let facts = self.facts.len();
        self.facts.retain_mut(|(region, cell, value)| match other.fact(*region, *cell) {
            Some(theirs) => {
                grown |= !theirs.within(*value);
                *value = value.join(theirs);
                true
            }
            None => false,
        });
        self.failed |= other.failed;
        grown || self.facts.len() < facts
    }
}

/// The condition that a statement begins with.
pub fn condition(stmt: &Stmt) -> Option<&Expr> {
    match stmt {
        Stmt::Guard(e) => Some(e),
        Stmt::Chain(list) => list.first().and_then(condition),
        _ => None,
    }
}

impl Analysis<'_> {
    /// Executes a statement; false if it cannot be executed.
    pub(super) fn exec(&mut self, frame: &mut Frame, stmt: &Stmt) -> bool {
        match stmt {
            Stmt::Skip(_) | Stmt::Else | Stmt::End => true,
            Stmt::Guard(e) => {
                self.check(frame, e);
                self.starts(frame, e);
                self.narrow(frame, e, true)
            }
            Stmt::Assign(place, e) => {
                self.check(frame, e);
                self.check_place(frame, place);
                self.starts(frame, e);
                let value = self.value(frame, e);
                let durations = Interval::new(time::OFF.into(), time::LONGEST.into());
                frame.failed |= !time::fits(place.ty, None) && !value.within(durations);
                self.store(frame, place, value);
                true
            }
            Stmt::AssignArray(place, values) => {
                self.check_place(frame, place);
                let all = values.iter().map(|v| Interval::exactly(*v)).reduce(Interval::join);
                if let Some(all) = all {
                    self.store_many(frame, place, values.len() as u32, all);
                }
                true
            }
            Stmt::Assert(e) | Stmt::Printm(e) => {
                self.check(frame, e);
                true
            }
            Stmt::Printf(_, args) => {
                args.iter().for_each(|e| self.check(frame, e));
                true
            }
            Stmt::Send { channel, args, .. } => {
                self.check(frame, channel);
                frame.failed |= !self.names_channel(frame, channel, Some(args.len()), false);
                args.iter().for_each(|e| self.check(frame, e));
                let values: Vec<Interval> = args.iter().map(|e| self.value(frame, e)).collect();
                self.sent(&values);
                // A partner may go on before the next statement.
                frame.leave();
                true
            }
            Stmt::Receive { channel, args, copy, .. } => {
                let goes_on = self.receive(frame, channel, args, *copy);
                frame.leave();
                goes_on
            }
            Stmt::SetPriority(..) => {
                frame.failed = true;
                true
            }
            Stmt::DStep(d) => self.d_step(frame, d),
            Stmt::Chain(list) => list.iter().all(|s| self.exec(frame, s)),
        }
    }

    fn receive(&mut self, frame: &mut Frame, channel: &Expr, args: &[RecvArg], copy: bool) -> bool {
        self.check(frame, channel);
        frame.failed |= !self.names_channel(frame, channel, Some(args.len()), copy);
        // While values are handed over, some variables are old and some are new.
        let mut halfway = frame.clone();
        let mut values = Vec::new();
        for (i, arg) in args.iter().enumerate() {
            let value = self.field(args.len(), i);
            values.push(value);
            if let (RecvArg::Bind(place), Some(value)) = (arg, value) {
                let old = self.load(frame, place);
                self.store(&mut halfway, place, old.join(value));
            }
        }
        for arg in args {
            match arg {
                RecvArg::Bind(place) => self.check_place(&mut halfway, place),
                RecvArg::Match(e) => self.check(&mut halfway, e),
                RecvArg::Discard => {}
            }
        }
        frame.failed |= halfway.failed;
        for (arg, value) in args.iter().zip(values) {
            // Nobody ever sends such a message.
            let Some(value) = value else { return false };
            if let RecvArg::Bind(place) = arg {
                self.store(frame, place, value);
            }
        }
        true
    }

    /// A sequence is a little automaton of its own.
    fn d_step(&mut self, frame: &mut Frame, d: &DStep) -> bool {
        let mut at: Vec<Option<Frame>> = vec![None; d.locs.len()];
        let mut visits = vec![0u32; d.locs.len()];
        let (mut open, mut end): (Vec<u32>, Option<Frame>) = (vec![0], None);
        match at.first_mut() {
            Some(first) => *first = Some(frame.clone()),
            None => return true,
        }
        while let Some(loc) = open.pop() {
            let Some(here) = at[loc as usize].clone() else { continue };
            visits[loc as usize] += 1;
            for t in &d.locs[loc as usize] {
                self.work += here.weight() + 1;
                let after = self.inside(&here, &d.locs[loc as usize], t);
                // What cannot be executed may fail when it is tried.
                frame.failed |= after.0.failed;
                let (after, true) = after else { continue };
                let (there, pace) = match t.to {
                    None => (&mut end, Pace::Exact),
                    Some(to) if to > loc => (&mut at[to as usize], Pace::Exact),
                    Some(to) => (&mut at[to as usize], pace(visits[to as usize], VISITS, &self.steps)),
                };
                let mut grown = true;
                match there {
                    Some(known) => {
                        grown = known.join(&after, &self.locals[frame.id.index()], pace);
                    }
                    none => *none = Some(after),
                }
                if let Some(to) = t.to.filter(|_| grown) {
                    open.push(to);
                }
            }
        }
        // A sequence that may block, or go on for ever, has no meaning either; `fallible` looks for that.
        let Some(end) = end else { return false };
        *frame = Frame { failed: frame.failed, ..end };
        true
    }

    /// Behind one of the statements of a sequence, and whether it can be executed.
    fn inside(&mut self, here: &Frame, beside: &[DTrans], t: &DTrans) -> (Frame, bool) {
        let mut frame = here.clone();
        let mut others = beside.iter().filter_map(|b| condition(&b.stmt)).filter(|_| t.stmt.is_else());
        let goes_on = others.all(|e| self.narrow(&mut frame, e, false)) && self.exec(&mut frame, &t.stmt);
        (frame, goes_on)
    }

    /// Processes that an expression starts.
    fn starts(&mut self, frame: &Frame, e: &Expr) {
        let mut runs = Vec::new();
        e.walk(&mut |e| {
            if let Expr::Run(run) = e {
                runs.push(run.clone());
            }
        });
        for run in runs {
            let values: Vec<Interval> = run.args.iter().map(|a| self.value(frame, a)).collect();
            self.started(run.proctype, &values);
        }
    }

    /// All that an expression may be where it has a value.
    fn value(&self, frame: &Frame, e: &Expr) -> Interval {
        match e {
            Expr::Const(v, _) => Interval::exactly(*v),
            Expr::Load(place) => self.load(frame, place),
            Expr::Pid => self.pids[frame.id.index()],
            Expr::Unary(op, a) => self.value(frame, a).unary(*op),
            Expr::Binary(op, a, b) => self.value(frame, a).binary(*op, self.value(frame, b)),
            Expr::Cond(c, a, b) => {
                let c = self.value(frame, c);
                match (c.is_true(), c.is_false()) {
                    (true, _) => self.value(frame, a),
                    (_, true) => self.value(frame, b),
                    _ => self.value(frame, a).join(self.value(frame, b)),
                }
            }
            Expr::NonProgress | Expr::Timeout | Expr::Poll { .. } | Expr::Enabled(_) => Interval::BOOL,
            Expr::RemoteLabel { .. } => Interval::BOOL,
            Expr::Channel(ChannelQuery::Len, _) => Interval::new(0, 255),
            Expr::Channel(..) => Interval::BOOL,
            Expr::NrPr | Expr::Run(_) => Interval::new(0, 255),
            Expr::RemoteVar { place, .. } => Interval::of(place.ty).join(Interval::exactly(0)),
            Expr::Last | Expr::Priority | Expr::PcValue(_) | Expr::GetPriority(_) => Interval::ANY,
        }
    }

    /// Notes if an expression may have no value.
    fn check(&mut self, frame: &mut Frame, e: &Expr) {
        match e {
            Expr::Const(..) | Expr::Pid | Expr::NrPr | Expr::Last | Expr::Priority => {}
            Expr::NonProgress | Expr::Timeout => {}
            Expr::Load(place) => self.check_place(frame, place),
            Expr::Unary(_, a) | Expr::PcValue(a) | Expr::GetPriority(a) => self.check(frame, a),
            // The right side is evaluated only where the left one leaves the answer open.
            Expr::Binary(op @ (BinaryOp::And | BinaryOp::Or), a, b) => {
                self.check(frame, a);
                self.check_where(frame, (a, *op == BinaryOp::And), b);
            }
            Expr::Binary(op, a, b) => {
                self.check(frame, a);
                self.check(frame, b);
                let divides = matches!(op, BinaryOp::Div | BinaryOp::Rem);
                frame.failed |= divides && !self.value(frame, b).is_true();
            }
            Expr::Cond(c, a, b) => {
                self.check(frame, c);
                self.check_where(frame, (c, true), a);
                self.check_where(frame, (c, false), b);
            }
            Expr::Channel(_, channel) => {
                self.check(frame, channel);
                frame.failed |= !self.names_channel(frame, channel, None, false);
            }
            Expr::Poll { channel, args, .. } => {
                self.check(frame, channel);
                frame.failed |= !self.names_channel(frame, channel, Some(args.len()), true);
                for arg in args {
                    if let RecvArg::Match(e) = arg {
                        self.check(frame, e);
                    }
                }
            }
            Expr::RemoteLabel { pid, .. } => pid.iter().for_each(|e| self.check(frame, e)),
            Expr::Run(run) => {
                run.args.iter().for_each(|a| self.check(frame, a));
                // There may be 255 processes already.
                frame.failed |= !self.few || self.fails_to_start[run.proctype.index()];
            }
            // There may be no process of that type; who is asked may ask back.
            Expr::RemoteVar { .. } | Expr::Enabled(_) => frame.failed = true,
        }
    }

    /// Checks an expression that is evaluated only if a condition is true, or false.
    fn check_where(&mut self, frame: &mut Frame, (condition, wanted): (&Expr, bool), e: &Expr) {
        let mut narrowed = frame.clone();
        self.work += frame.weight();
        if self.narrow(&mut narrowed, condition, wanted) {
            self.check(&mut narrowed, e);
            frame.failed |= narrowed.failed;
        }
    }

    /// Notes if an index may be out of bounds.
    fn check_place(&mut self, frame: &mut Frame, place: &Place) {
        for dim in &place.dims {
            self.check(frame, &dim.index);
            let inside = Interval::new(0, i64::from(dim.len) - 1);
            frame.failed |= !self.value(frame, &dim.index).within(inside);
        }
    }

    /// Whether an expression always names a channel that lives for ever, whose messages have so many fields, and which has slots if it
    /// must.
    fn names_channel(&self, frame: &Frame, channel: &Expr, fields: Option<usize>, slots: bool) -> bool {
        let value = self.value(frame, channel);
        let global = &self.model.global_channels;
        if !value.within(Interval::new(1, global.len() as i64)) {
            return false;
        }
        global[value.lo as usize - 1..value.hi as usize].iter().all(|c| {
            let kind = self.model.channel(c.channel);
            fields.is_none_or(|n| n == kind.fields.len()) && (!slots || kind.capacity > 0)
        })
    }

    /// Narrows what is known to states in which a condition is true, or false; false if there are none. Nothing is narrowed
    /// where it may have no value.
    pub(super) fn narrow(&mut self, frame: &mut Frame, e: &Expr, wanted: bool) -> bool {
        match e {
            Expr::Unary(UnaryOp::Not, a) => self.narrow(frame, a, !wanted),
            Expr::Unary(UnaryOp::Lazy, a) => self.narrow(frame, a, wanted),
            Expr::Binary(BinaryOp::And, a, b) if wanted => self.narrow(frame, a, true) && self.narrow(frame, b, true),
            Expr::Binary(BinaryOp::Or, a, b) if !wanted => self.narrow(frame, a, false) && self.narrow(frame, b, false),
            Expr::Binary(op, a, b) => match compared(*op, wanted) {
                Some((op, swapped)) => {
                    self.limit(frame, a, op, self.value(frame, b))
                        && self.limit(frame, b, swapped, self.value(frame, a))
                }
                None => self.may_be(frame, e, wanted),
            },
            Expr::Load(_) => {
                let op = if wanted { BinaryOp::Ne } else { BinaryOp::Eq };
                self.limit(frame, e, op, Interval::exactly(0))
            }
            _ => self.may_be(frame, e, wanted),
        }
    }

    fn may_be(&self, frame: &Frame, e: &Expr, wanted: bool) -> bool {
        let value = self.value(frame, e);
        !(if wanted { value.is_false() } else { value.is_true() })
    }

    /// Narrows a variable to values that compare with one of an interval; false if there are none.
    fn limit(&mut self, frame: &mut Frame, e: &Expr, op: BinaryOp, other: Interval) -> bool {
        let value = self.value(frame, e);
        let Some(kept) = value.where_it_compares(op, other) else { return false };
        if kept != value
            && let Expr::Load(place) = e
        {
            self.know(frame, place, kept);
        }
        true
    }

    /// A variable is known to hold one of these values for the moment.
    fn know(&self, frame: &mut Frame, place: &Place, value: Interval) {
        let super::Meant::Variable(cell) = self.cells(frame.id, place.region).meant(place, 1) else { return };
        if place.region == Region::Local && self.followed[frame.id.index()] {
            frame.locals[cell] = value;
        } else {
            frame.learn(place.region, cell, value);
        }
    }
}

/// What it means that a comparison has an outcome, for its left and for its right side.
fn compared(op: BinaryOp, wanted: bool) -> Option<(BinaryOp, BinaryOp)> {
    use BinaryOp::{Eq, Ge, Gt, Le, Lt, Ne};
    let op = match (op, wanted) {
        (Lt | Le | Gt | Ge | Eq | Ne, true) => op,
        (Lt, false) => Ge,
        (Le, false) => Gt,
        (Gt, false) => Le,
        (Ge, false) => Lt,
        (Eq, false) => Ne,
        (Ne, false) => Eq,
        _ => return None,
    };
    let swapped = match op {
        Lt => Gt,
        Le => Ge,
        Gt => Lt,
        Ge => Le,
        same => same,
    };
    Some((op, swapped))
}
