//! Statements: from the syntax tree into the web of elements, sugar taken apart as SPIN does it.

use super::Lower;
use super::flow::{Item, Place as LabelPlace, Seq, Spanned, Target};
use super::symbols::{Exclusive, Kind, Symbol};
use crate::ast::{self, AssignOp, StmtKind};
use starwheel_base::{Diagnostic, Span};
use starwheel_model::{BinaryOp, ChannelQuery, Expr, Place, RecvArg, Region, Shown, SkipKind, Stmt, Ty, UnaryOp};

/// `select` over more values than this is a loop, not a list of options.
const WIDEST_SELECT: i64 = 32;

impl Lower<'_> {
    /// The steps of a block, in a scope of their own if it has braces.
    pub fn block(&mut self, block: &ast::Block, scoped: bool) {
        if scoped {
            self.enter_scope();
        }
        for step in &block.steps {
            if self.watch.stopped() {
                break;
            }
            match step {
                ast::Step::Decl(d) => {
                    let at_start = self.at_start;
                    for (stmt, span) in self.local(d, at_start) {
                        self.flow.add(Spanned::new(Item::Stmt(stmt), span));
                    }
                }
                ast::Step::Exclusive(x) => self.exclusive(x),
                ast::Step::Stmt(s) => {
                    let item = self.stmt(s);
                    self.flow.add(item);
                    self.at_start = false;
                }
            }
        }
        if scoped {
            self.leave_scope();
        }
    }

    /// One statement with its labels.
    fn stmt(&mut self, s: &ast::Stmt) -> Spanned {
        let item = self.unlabelled(s);
        let mut out = Spanned::new(item, s.span);
        for label in s.labels.iter().rev() {
            self.check_label(label);
            let item = Item::Labelled(label.name.clone(), self.scope.clone(), label.span, Box::new(out));
            out = Spanned::new(item, s.span);
        }
        out
    }

    /// A label cannot have the name of a variable or of a symbolic constant.
    fn check_label(&mut self, label: &ast::Ident) {
        let variable = self.find(&label.name).map(|id| self.symbol(id).span);
        if let Some(at) = variable.or_else(|| self.mtypes.get(&label.name).map(|m| m.2)) {
            let message = format!("label `{}` has the name of something else", label.name);
            self.report(
                Diagnostic::error("label-like-variable", label.span, message)
                    .also(at, "declared here")
                    .advise("give the label another name"),
            );
        }
    }

    fn unlabelled(&mut self, s: &ast::Stmt) -> Item {
        match &s.kind {
            StmtKind::Skip => skip(),
            StmtKind::If(options) => Item::If(self.options(options)),
            StmtKind::Do(options) => {
                let exit = self.flow.new_exit();
                self.loops.push(exit);
                let options = self.options(options);
                self.loops.pop();
                Item::Do(options, exit)
            }
            StmtKind::For { var, from, to, body } => self.for_range(s.span, var, from, to, body),
            StmtKind::ForIn { var, over, body } => self.for_in(s.span, var, over, body),
            StmtKind::Select { var, from, to, literal } => self.select(s.span, var, from, to, *literal),
            StmtKind::Atomic(block) => {
                let seq = self.sequence(block, true, LabelPlace::Atomic);
                self.flow.make_atomic(seq, false);
                Item::Atomic(seq)
            }
            StmtKind::DStep(block) => {
                let seq = self.sequence(block, true, LabelPlace::DStep);
                self.flow.make_atomic(seq, true);
                Item::DStep(seq)
            }
            StmtKind::Block(block) => Item::Block(self.sequence(block, true, LabelPlace::Block)),
            StmtKind::InlineCall { args, body, .. } => {
                self.read_arguments(args);
                Item::Block(self.sequence(body, true, LabelPlace::Block))
            }
            StmtKind::Unless { body, escape } => self.unless(s.span, body, escape),
            StmtKind::Break => match self.loops.last() {
                Some(&exit) => Item::Goto(Target::LoopExit(exit)),
                None => {
                    let message = "`break` stands outside any loop";
                    self.report(
                        Diagnostic::error("break-outside-loop", s.span, message)
                            .advise("it leaves the innermost `do` or `for`; to jump elsewhere use `goto`"),
                    );
                    skip()
                }
            },
            StmtKind::Goto(label) => Item::Goto(Target::Label(label.name.clone(), self.scope.clone(), label.span)),
            StmtKind::Else => Item::Else,
            _ => {
                let stmt = self.basic(s).unwrap_or(Stmt::Skip(SkipKind::Skip));
                self.check_run(&stmt, s.span);
                Item::Stmt(stmt)
            }
        }
    }

    /// SPIN takes the arguments of an inline for expressions that are read, whatever the body does with them.
    fn read_arguments(&mut self, args: &[String]) {
        let letter = |c: char| c.is_ascii_alphanumeric() || c == '_';
        for name in args.iter().flat_map(|a| a.split(|c| !letter(c))) {
            if let Some(id) = self.find(name) {
                self.symbol_mut(id).read = true;
            }
        }
    }

    /// A statement that is one step.
    fn basic(&mut self, s: &ast::Stmt) -> Option<Stmt> {
        self.run_seen = None;
        Some(match &s.kind {
            StmtKind::Assign { target, op } => return self.assign(target, op),
            StmtKind::Assert(e) => Stmt::Assert(self.expr(e)?),
            StmtKind::Printf { format, args } => {
                self.printing = true;
                let args: Vec<_> = args.iter().map(|a| self.value(a)).collect();
                self.printing = false;
                Stmt::Printf(format.clone(), args)
            }
            StmtKind::Printm(e) => {
                self.printing = true;
                let value = self.expr(e);
                self.printing = false;
                Stmt::Printm(value?)
            }
            StmtKind::Send { channel, args, sorted } => {
                let (channel_expr, args) = (self.channel(channel), self.arguments(args));
                let args = args?;
                self.check_fields(channel, args.len(), s.span);
                Stmt::Send { channel: channel_expr?, args, sorted: *sorted }
            }
            StmtKind::Receive { channel, args, random, copy } => {
                let (channel_expr, args) = (self.channel(channel), self.pattern(args, false));
                let args = args?;
                self.check_fields(channel, args.len(), s.span);
                Stmt::Receive { channel: channel_expr?, args, random: *random, copy: *copy }
            }
            StmtKind::Expr(e) => {
                let value = self.expr(e)?;
                self.note_conditions(e, &value);
                match value {
                    Expr::Const(1, None) => Stmt::Skip(SkipKind::Skip),
                    value => Stmt::Guard(value),
                }
            }
            StmtKind::Lazy(e) => {
                if self.in_claim {
                    let message = "a claim keeps no time from passing, so its steps cannot be lazy";
                    self.report(Diagnostic::error("lazy-in-claim", s.span, message).advise("leave `lazy` out"));
                }
                self.model.uses.lazy = true;
                Stmt::Guard(Expr::Unary(UnaryOp::Lazy, Box::new(self.expr(e)?)))
            }
            StmtKind::SetTimer { timer, slices } => return self.set_timer(timer, slices.as_ref()),
            StmtKind::SetPriority { pid, priority } => {
                self.model.uses.priority = true;
                let (pid, priority) = (self.expr(pid), self.expr(priority));
                Stmt::SetPriority(pid?, priority?)
            }
            StmtKind::Embedded(c) => {
                self.refuse_c(c);
                return None;
            }
            _ => return None,
        })
    }

    /// `run` has to be the whole of a statement, or all that is assigned.
    fn check_run(&mut self, stmt: &Stmt, span: Span) {
        let mut runs = false;
        stmt.walk(&mut |e| runs |= matches!(e, Expr::Run(_)));
        if runs && !matches!(stmt, Stmt::Guard(Expr::Run(_)) | Stmt::Assign(_, Expr::Run(_))) {
            self.report(
                Diagnostic::error("run-in-expression", span, "`run` cannot be part of something larger")
                    .advise("assign its value to a variable first: `p = run P()`"),
            );
        }
    }

    /// Warns where the number of fields is plainly wrong; the step itself is an error when it is executed.
    fn check_fields(&mut self, channel: &ast::VarRef, given: usize, span: Span) {
        if channel.parts.len() != 1 {
            return;
        }
        let Some(id) = self.find(&channel.parts[0].name.name) else { return };
        let Some(spec) = &self.symbol(id).channel else { return };
        let (wanted, at) = (spec.fields.len(), spec.span);
        if wanted != given {
            let fields = |n: usize| if n == 1 { "1 field".to_string() } else { format!("{n} fields") };
            let message = format!(
                "{} here, but a message on `{}` has {}",
                fields(given),
                channel.parts[0].name.name,
                fields(wanted)
            );
            let d = Diagnostic::warning("message-fields", span, message).also(at, "declared here");
            self.report(d.advise("give one value for each field, or `_` for those that do not matter in a receive"));
        }
    }

    fn assign(&mut self, target: &ast::VarRef, op: &AssignOp) -> Option<Stmt> {
        let name = &target.parts[0].name;
        if target.parts.len() == 1 {
            match &*name.name {
                "_" => {
                    let value = match op {
                        AssignOp::Set(e) => self.expr(e)?,
                        _ => Expr::constant(0),
                    };
                    return Some(Stmt::Assign(self.scratch(), value));
                }
                "_priority" => {
                    self.model.uses.priority = true;
                    let AssignOp::Set(e) = op else { return self.assign_to_predefined(name) };
                    let offset = starwheel_model::layout::PRIORITY;
                    let place =
                        Place { region: Region::Local, offset, ty: Ty::Byte, dims: vec![], name: "_priority".into() };
                    return Some(Stmt::Assign(place, self.expr(e)?));
                }
                "_pid" | "_nr_pr" | "_last" => return self.assign_to_predefined(name),
                n if self.find(n).is_none() && self.mtypes.contains_key(n) => {
                    let message = format!("`{n}` is a symbolic constant and cannot be assigned to");
                    self.report(
                        Diagnostic::error("assign-to-constant", name.span, message)
                            .advise("declare a variable of type `mtype` to hold it"),
                    );
                    return None;
                }
                _ => {}
            }
        }
        let resolved = self.scalar_place(target);
        let value = match op {
            AssignOp::Set(e) => self.expr(e),
            _ => Some(Expr::constant(0)),
        };
        let (place, shown, _) = resolved?;
        if self.refuse_timer(&place, target.span) {
            return None;
        }
        if shown == Shown::Channel && !matches!(op, AssignOp::Set(_)) {
            self.report(
                Diagnostic::error("channel-arithmetic", target.span, "a channel cannot be counted up or down")
                    .advise("use an array of channels and count its index"),
            );
            return None;
        }
        if shown == Shown::Channel && matches!(value, Some(Expr::Const(..))) {
            let message = "a number cannot be assigned to a channel";
            // SPIN does not look into structures here, and some models clear a channel field with 0.
            if target.parts.len() == 1 {
                self.report(
                    Diagnostic::error("channel-from-number", target.span, message)
                        .advise("assign another channel variable"),
                );
                return None;
            }
            let message = "a number is assigned to a channel: using it as a channel will be an error";
            self.report(
                Diagnostic::warning("channel-from-number", target.span, message)
                    .advise("assign another channel variable before it is used"),
            );
        }
        if let Some(value) = &value {
            self.check_channel_arithmetic(value, target.span);
        }
        let same = |p: &Place| p.region == place.region && p.offset == place.offset;
        if place.dims.iter().any(|d| d.index.any(|e| matches!(e, Expr::Load(p) if same(p)))) {
            let message = "an array cannot be indexed with an element of itself where it is assigned to";
            self.report(
                Diagnostic::error("self-index", target.span, message).advise("put the index into a variable first"),
            );
        }
        let step = |op| Expr::Binary(op, Box::new(Expr::Load(Box::new(place.clone()))), Box::new(Expr::constant(1)));
        let value = match op {
            AssignOp::Set(_) => value?,
            AssignOp::Increment => step(BinaryOp::Add),
            AssignOp::Decrement => step(BinaryOp::Sub),
        };
        Some(Stmt::Assign(place, value))
    }

    /// A channel can be assigned as it is, but not be part of an expression that is assigned.
    fn check_channel_arithmetic(&mut self, value: &Expr, span: Span) {
        fn inside(this: &Lower<'_>, e: &Expr) -> bool {
            match e {
                Expr::Load(p) => this.is_channel(p),
                Expr::Unary(_, a) => inside(this, a),
                Expr::Binary(_, a, b) => inside(this, a) || inside(this, b),
                Expr::Cond(a, b, c) => inside(this, a) || inside(this, b) || inside(this, c),
                _ => false,
            }
        }
        if !matches!(value, Expr::Load(_)) && inside(self, value) {
            self.report(Diagnostic::error("channel-arithmetic", span, "a channel cannot be used to compute a value"));
        }
    }

    fn assign_to_predefined(&mut self, name: &ast::Ident) -> Option<Stmt> {
        let message = format!("`{}` cannot be assigned to", name.name);
        self.report(
            Diagnostic::error("assign-to-predefined", name.span, message)
                .advise("its value is given by the system; use a variable of your own"),
        );
        None
    }

    /// A place whose value nobody looks at.
    pub fn scratch(&mut self) -> Place {
        let offset = *self.scratch.get_or_insert_with(|| {
            let at = self.hidden_used.next_multiple_of(4);
            self.hidden_used = at + 4;
            at
        });
        Place { region: Region::Hidden, offset, ty: Ty::Int, dims: Vec::new(), name: "_".into() }
    }

    /// A block as a sequence of its own.
    fn sequence(&mut self, block: &ast::Block, scoped: bool, place: LabelPlace) -> Seq {
        self.flow.open();
        self.at_start = false;
        self.block(block, scoped);
        self.flow.close(place, block.span)
    }

    fn options(&mut self, options: &[ast::Block]) -> Vec<Seq> {
        let seqs: Vec<Seq> = options.iter().map(|o| self.sequence(o, false, LabelPlace::Option)).collect();
        if !self.in_claim {
            self.flow.prune(&seqs);
        }
        seqs
    }

    fn unless(&mut self, span: Span, body: &ast::Stmt, escape: &ast::Stmt) -> Item {
        self.model.uses.unless = true;
        let body = self.stmt(body);
        let escape = self.stmt(escape);
        let escape = match escape.item {
            Item::Block(seq) => seq,
            _ => self.wrap(escape, LabelPlace::Escape),
        };
        match body.item {
            Item::Block(seq) => Item::Unless(seq, escape),
            // The label goes to a block around the whole, so that it names a state.
            Item::Labelled(name, scope, at, inner)
                if matches!(inner.item, Item::Block(_) | Item::Atomic(_) | Item::DStep(_)) =>
            {
                let (seq, again): (Seq, fn(Seq) -> Item) = match inner.item {
                    Item::Atomic(seq) => (seq, Item::Atomic),
                    Item::DStep(seq) => (seq, Item::DStep),
                    Item::Block(seq) => (seq, Item::Block),
                    _ => return skip(),
                };
                let whole = self.wrap(Spanned::new(Item::Unless(seq, escape), span), LabelPlace::Allowed);
                Item::Labelled(name, scope, at, Box::new(Spanned::new(again(whole), span)))
            }
            _ => {
                let body = self.wrap(body, LabelPlace::BeforeUnless);
                Item::Unless(body, escape)
            }
        }
    }

    /// A sequence of one statement.
    fn wrap(&mut self, item: Spanned, place: LabelPlace) -> Seq {
        let span = item.span;
        self.flow.open();
        self.at_start = false;
        self.flow.add(item);
        self.flow.close(place, span)
    }

    fn made_up(&mut self, stmt: Stmt, span: Span) {
        self.check_run(&stmt, span);
        self.flow.add(Spanned::new(Item::Stmt(stmt), span));
    }

    /// `for (i : a .. b) { … }` is `i = a; do :: i <= b -> …; i++ :: else -> break od`.
    fn for_range(
        &mut self,
        span: Span,
        var: &ast::VarRef,
        from: &ast::Expr,
        to: &ast::Expr,
        body: &ast::Block,
    ) -> Item {
        let place = self.loop_variable(var);
        let (from_value, to_value) = (self.value(from), self.value(to));
        if let (Some(a), Some(b)) = (from_value.as_const(), to_value.as_const())
            && a > b
        {
            self.report(
                Diagnostic::error("reversed-range", from.span, format!("the range from {a} to {b} is empty"))
                    .advise("the body is never executed; exchange the bounds"),
            );
        }
        let exit = self.flow.new_exit();
        let Some(place) = place else {
            self.loops.push(exit);
            let seq = self.sequence(body, true, LabelPlace::Allowed);
            self.loops.pop();
            return Item::Block(seq);
        };
        self.made_up(Stmt::Assign(place.clone(), from_value), span);
        let load = Expr::Load(Box::new(place.clone()));
        let condition = Expr::Binary(BinaryOp::Le, Box::new(load), Box::new(to_value));
        self.flow.open();
        self.at_start = false;
        self.made_up(Stmt::Guard(condition), span);
        self.loop_body(span, place, body, exit)
    }

    /// The rest of a `for` loop whose guard stands in the open sequence.
    fn loop_body(&mut self, span: Span, counter: Place, body: &ast::Block, exit: u32) -> Item {
        self.loops.push(exit);
        self.block(body, true);
        self.loops.pop();
        self.increment(counter, span);
        let main = self.flow.close(LabelPlace::Allowed, span);
        self.flow.open();
        self.flow.add(Spanned { item: Item::Else, span });
        self.flow.add(Spanned { item: Item::Goto(Target::LoopExit(exit)), span });
        let end = self.flow.close(LabelPlace::Allowed, span);
        Item::Do(vec![end, main], exit)
    }

    fn increment(&mut self, place: Place, span: Span) {
        let load = Expr::Load(Box::new(place.clone()));
        let next = Expr::Binary(BinaryOp::Add, Box::new(load), Box::new(Expr::constant(1)));
        self.made_up(Stmt::Assign(place, next), span);
    }

    fn loop_variable(&mut self, var: &ast::VarRef) -> Option<Place> {
        let (place, shown, symbol) = self.scalar_place(var)?;
        self.symbol_mut(symbol).read = true;
        if self.refuse_timer(&place, var.span) {
            return None;
        }
        if shown == Shown::Channel || !place.dims.is_empty() || var.parts.len() > 1 {
            self.report(
                Diagnostic::error("loop-variable", var.span, "a loop needs a plain variable to count with")
                    .advise("declare a variable of type `byte`, `short` or `int` for it"),
            );
            return None;
        }
        Some(place)
    }

    /// `for (x in a)`: over the indices of an array, or over the messages of a channel.
    fn for_in(&mut self, span: Span, var: &ast::VarRef, over: &ast::VarRef, body: &ast::Block) -> Item {
        let target = self.resolve(over);
        let exit = self.flow.new_exit();
        let give_up = |this: &mut Self| {
            this.loops.push(exit);
            let seq = this.sequence(body, true, LabelPlace::Allowed);
            this.loops.pop();
            Item::Block(seq)
        };
        let Some(target) = target else { return give_up(self) };
        if let Some(len) = target.open_len {
            let Some(place) = self.loop_variable(var) else { return give_up(self) };
            self.made_up(Stmt::Assign(place.clone(), Expr::constant(0)), span);
            let load = Expr::Load(Box::new(place.clone()));
            let last = Expr::constant(len as i32 - 1);
            self.flow.open();
            self.at_start = false;
            self.made_up(Stmt::Guard(Expr::Binary(BinaryOp::Le, Box::new(load), Box::new(last))), span);
            return self.loop_body(span, place, body, exit);
        }
        let spec = self.symbol(target.symbol).channel.clone();
        let message = self.structure_ref(var);
        let (Some(spec), Some(message)) = (spec, message) else {
            self.report(
                Diagnostic::error(
                    "for-in",
                    over.span,
                    "`for … in` needs an array, or a channel and a structure variable",
                )
                .advise("for a channel, declare its messages as one structure and use a variable of that type"),
            );
            return give_up(self);
        };
        if spec.capacity == 0 || spec.message.map(Kind::Struct) != Some(message.kind.clone()) {
            self.report(Diagnostic::error(
                "for-in",
                over.span,
                "the variable's type is not that of the channel's messages",
            ));
            return give_up(self);
        }
        self.symbol_mut(target.symbol).read = true;
        self.symbol_mut(message.symbol).read = true;
        let counter = self.hidden_counter(spec.capacity, span);
        let channel = Expr::Load(Box::new(target.place));
        let fields = self.flatten(&message.place, &message.kind);
        self.made_up(Stmt::Assign(counter.clone(), Expr::constant(0)), span);
        self.flow.open();
        self.at_start = false;
        let load = Expr::Load(Box::new(counter.clone()));
        let len = Expr::Channel(ChannelQuery::Len, Box::new(channel.clone()));
        self.made_up(Stmt::Guard(Expr::Binary(BinaryOp::Lt, Box::new(load), Box::new(len))), span);
        let args = fields.iter().map(|(p, _)| RecvArg::Bind(p.clone())).collect();
        self.made_up(Stmt::Receive { channel: channel.clone(), args, random: false, copy: false }, span);
        let args = fields.into_iter().map(|(p, _)| Expr::Load(Box::new(p))).collect();
        self.made_up(Stmt::Send { channel, args, sorted: false }, span);
        self.loop_body(span, counter, body, exit)
    }

    /// The variable that counts the messages of a channel; one for each block.
    fn hidden_counter(&mut self, capacity: u16, span: Span) -> Place {
        const NAME: &str = "_for_count";
        if let Some(s) = self.locals.declared_in(NAME, &self.scope) {
            return super::decl::place_of(s);
        }
        let ty = if capacity > 255 { Ty::Short } else { Ty::Byte };
        let kind = Kind::Scalar(ty, Shown::Number);
        let offset = super::symbols::reserve(&self.structs, &mut self.locals_used, &kind, None);
        let symbol = Symbol {
            name: NAME.into(),
            scope: self.scope.clone(),
            kind,
            len: None,
            region: Region::Local,
            offset,
            channel: None,
            span,
            visibility: None,
            param: false,
            read: true,
            used: true,
            constant: None,
            exclusive: Exclusive::default(),
        };
        let place = super::decl::place_of(&symbol);
        self.locals.push(symbol);
        place
    }

    /// `select (i : a .. b)`: an option for each value if SPIN writes it so, else a loop that may stop at any value.
    fn select(&mut self, span: Span, var: &ast::VarRef, from: &ast::Expr, to: &ast::Expr, literal: bool) -> Item {
        let read_before = self.find(&var.parts[0].name.name).map(|id| (id, self.symbol(id).read));
        let place = self.loop_variable(var);
        let (a, b) = (self.value(from), self.value(to));
        let Some(place) = place else { return skip() };
        let bounds = a.as_const().zip(b.as_const()).map(|(a, b)| (i64::from(a), i64::from(b)));
        if let Some((first, last)) = bounds
            && first > last
        {
            let message = format!("the range from {first} to {last} is empty");
            self.report(Diagnostic::error("reversed-range", from.span, message).advise("exchange the bounds"));
        }
        if let Some((first, last)) = bounds
            && literal
            && last - first <= WIDEST_SELECT
        {
            // Options that only assign do not count as reading the variable.
            if let Some((id, read)) = read_before {
                self.symbol_mut(id).read = read;
            }
            let options = (first..=last)
                .map(|value| {
                    let stmt = Stmt::Assign(place.clone(), Expr::constant(value as i32));
                    self.wrap(Spanned::new(Item::Stmt(stmt), span), LabelPlace::Allowed)
                })
                .collect();
            return Item::If(options);
        }
        self.made_up(Stmt::Assign(place.clone(), a), span);
        let exit = self.flow.new_exit();
        self.flow.open();
        self.at_start = false;
        let load = Expr::Load(Box::new(place.clone()));
        self.made_up(Stmt::Guard(Expr::Binary(BinaryOp::Lt, Box::new(load), Box::new(b))), span);
        self.increment(place, span);
        let go_on = self.flow.close(LabelPlace::Allowed, span);
        self.flow.open();
        self.flow.add(Spanned { item: Item::Goto(Target::LoopExit(exit)), span });
        let stop = self.flow.close(LabelPlace::Allowed, span);
        // Written out as text by SPIN's lexer, the loop has its options the other way round.
        let options = if literal { vec![go_on, stop] } else { vec![stop, go_on] };
        Item::Do(options, exit)
    }
}

fn skip() -> Item {
    Item::Stmt(Stmt::Skip(SkipKind::Skip))
}
