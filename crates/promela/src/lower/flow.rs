//! The control flow of one body as a web of elements and sequences, the form in which SPIN keeps it.
//!
//! SPIN numbers its states in the order in which its parser makes elements, decides what is a step of its own by
//! walking this web, and applies its optimisations to it. To give the same states the same numbers and the same
//! transitions, we build the same web: an element for each basic statement, one for each selection, loop and block,
//! one for each join, and sequences that tie them together. `automaton` turns the web into locations and transitions.

use super::labels::Labels;
use super::symbols::Scope;
use starwheel_base::Span;
use starwheel_model::Stmt;
use std::sync::Arc;

/// How many jumps in a row are followed before we call it a circle.
pub const MOST_JUMPS: usize = 500;

/// Index of an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct El(pub u32);

/// Index of a sequence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Seq(pub u32);

/// What an element is.
#[derive(Clone, Debug, PartialEq)]
pub enum Node {
    /// A basic statement.
    Stmt(Stmt),
    /// `else`; true if it competes with channel operations.
    Else(bool),
    /// `goto L` or `break`.
    Goto(Target),
    /// The join behind a selection or an `unless`, and the head of a loop.
    Join,
    /// The exit of a loop.
    LoopExit,
    /// `if`
    If,
    /// `do`
    Do,
    /// `atomic`
    Atomic(Seq),
    /// `d_step`
    DStep(Seq),
    /// `{ }`
    Block(Seq),
    /// `unless`; its two sequences are [`Element::sub`].
    Unless,
    /// The end of the body.
    Stop,
}

/// Where a jump goes.
#[derive(Clone, Debug, PartialEq)]
pub enum Target {
    /// A label, looked up from this scope.
    Label(Arc<str>, Scope, Span),
    /// The exit of a loop, by its number.
    LoopExit(u32),
}

/// Marks of an element.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Status {
    /// Inside an atomic sequence and not its last step.
    pub atomic: bool,
    /// The last step of an atomic sequence.
    pub last_atomic: bool,
    /// Inside a `d_step`.
    pub dstep: bool,
    /// A label here is referred to from another process.
    pub remote: bool,
    /// Counts as touching globals, because of what surrounds it.
    pub global: bool,
}

/// One element.
#[derive(Clone, Debug)]
pub struct Element {
    pub node: Node,
    /// SPIN's number of the state, unique in its body.
    pub number: u16,
    pub next: Option<El>,
    /// The options of a selection or loop; body and escape of an `unless`.
    pub sub: Vec<Seq>,
    /// The escapes that can interrupt this element, outermost first.
    pub escapes: Vec<Seq>,
    pub status: Status,
    pub span: Span,
}

/// A sequence of elements.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sequence {
    pub first: Option<El>,
    pub last: Option<El>,
    /// The last element when the sequence was closed (joins may be appended later).
    pub extent: Option<El>,
}

/// A walk through the elements of a sequence.
pub struct Walk {
    seq: Seq,
    last: Option<El>,
}

impl Walk {
    /// From its first element on.
    pub fn through(seq: Seq) -> Walk {
        Walk { seq, last: None }
    }
}

/// A label and the element that it names.
#[derive(Clone, Debug)]
pub struct LabelDef {
    pub name: Arc<str>,
    pub scope: Scope,
    pub el: El,
    pub span: Span,
}

/// A statement on its way into a sequence.
pub enum Item {
    Stmt(Stmt),
    Else,
    Goto(Target),
    If(Vec<Seq>),
    /// A loop, with the number of its exit.
    Do(Vec<Seq>, u32),
    Atomic(Seq),
    DStep(Seq),
    Block(Seq),
    Unless(Seq, Seq),
    Labelled(Arc<str>, Scope, Span, Box<Spanned>),
    Stop,
}

/// An item and where it stands.
pub struct Spanned {
    pub item: Item,
    pub span: Span,
}

impl Spanned {
    /// A statement as it was written.
    pub fn new(item: Item, span: Span) -> Spanned {
        Spanned { item, span }
    }
}

/// A problem met while the web was built.
#[derive(Clone)]
pub enum FlowError {
    EmptySequence(Span),
    DuplicateElse(Span),
    DuplicateLabel(Span, Span, Arc<str>),
    TooManyStates(Span),
    /// A label on the first statement of an option or a block, where it names no state of its own.
    MisplacedLabel(Span, Arc<str>, Place),
    /// `else` beside channel operations.
    ElseWithIo(Span),
}

/// Where a label cannot stand.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Place {
    Escape,
    BeforeUnless,
    Atomic,
    DStep,
    Block,
    Option,
    Allowed,
}

/// The web of one body.
#[derive(Clone, Default)]
pub struct Flow {
    pub els: Vec<Element>,
    pub seqs: Vec<Sequence>,
    pub labels: Labels,
    /// The exit of each loop.
    pub exits: Vec<Option<El>>,
    pub errors: Vec<FlowError>,
    /// A label at the start of an option marks what its first statement leads to.
    pub marked_options: bool,
    stack: Vec<Seq>,
    next_number: u32,
    /// Where an empty sequence would be reported.
    place: Span,
}

impl Flow {
    /// A new web; the first element gets number 1.
    pub fn new(place: Span) -> Flow {
        Flow { next_number: 1, place, ..Flow::default() }
    }

    /// The next element of a walk through a sequence that nobody has met yet; from now on it has been. What is behind an
    /// element is asked only when the walk goes on, so elements may be added in between.
    pub fn meet(&self, walk: &mut Walk, met: &mut [bool]) -> Option<El> {
        loop {
            let next = match walk.last {
                None => self.seq(walk.seq).first,
                Some(id) if self.seq(walk.seq).last == Some(id) => None,
                Some(id) => self.el(id).next,
            };
            let id = *walk.last.insert(next?);
            if !std::mem::replace(&mut met[id.0 as usize], true) {
                return Some(id);
            }
        }
    }

    /// The number that no element has yet.
    pub fn numbers(&self) -> u32 {
        self.next_number
    }

    pub fn el(&self, id: El) -> &Element {
        &self.els[id.0 as usize]
    }

    pub fn el_mut(&mut self, id: El) -> &mut Element {
        &mut self.els[id.0 as usize]
    }

    pub fn seq(&self, id: Seq) -> Sequence {
        self.seqs[id.0 as usize]
    }

    /// The first element of a sequence; sequences are never empty once closed.
    pub fn first(&self, id: Seq) -> El {
        self.seq(id).first.expect("a closed sequence has an element")
    }

    /// Opens a sequence.
    pub fn open(&mut self) {
        self.seqs.push(Sequence::default());
        self.stack.push(Seq(self.seqs.len() as u32 - 1));
    }

    /// Closes the innermost open sequence.
    pub fn close(&mut self, place: Place, span: Span) -> Seq {
        let id = self.stack.pop().expect("a sequence is open");
        if self.seq(id).first.is_none() {
            self.errors.push(FlowError::EmptySequence(span));
            // A stand-in, so that the rest can be checked.
            self.stack.push(id);
            self.add(Spanned { item: Item::Stmt(Stmt::Skip(starwheel_model::SkipKind::Skip)), span });
            self.stack.pop();
        }
        let first = self.first(id);
        if place != Place::Allowed
            && let Some(l) = self.labels.of(first).next_back()
        {
            self.errors.push(FlowError::MisplacedLabel(l.span, l.name.clone(), place));
            self.marked_options |= self.has_marking_label(first);
        }
        let s = &mut self.seqs[id.0 as usize];
        s.extent = s.last;
        id
    }

    /// A number for a loop's exit.
    pub fn new_exit(&mut self) -> u32 {
        self.exits.push(None);
        self.exits.len() as u32 - 1
    }

    fn new_el(&mut self, node: Node, span: Span) -> El {
        let number = u16::try_from(self.next_number).unwrap_or_else(|_| {
            if !self.errors.iter().any(|e| matches!(e, FlowError::TooManyStates(_))) {
                self.errors.push(FlowError::TooManyStates(self.place));
            }
            u16::MAX
        });
        self.next_number = u32::from(number) + 1;
        self.els.push(Element {
            node,
            number,
            next: None,
            sub: Vec::new(),
            escapes: Vec::new(),
            status: Status::default(),
            span,
        });
        El(self.els.len() as u32 - 1)
    }

    fn append(&mut self, id: El, seq: Seq) {
        if matches!(self.el(id).node, Node::Goto(_)) && self.has_marking_label(id) {
            // A jump is not a state, but `end`, `accept` and `progress` labels need one: a skip takes the label.
            let span = self.el(id).span;
            let skip = self.new_el(Node::Stmt(Stmt::Skip(starwheel_model::SkipKind::Skip)), span);
            self.labels.hand_over(id, skip);
            self.append(skip, seq);
        }
        let s = self.seq(seq);
        match s.last {
            None => self.seqs[seq.0 as usize].first = Some(id),
            Some(last) => self.el_mut(last).next = Some(id),
        }
        self.seqs[seq.0 as usize].last = Some(id);
    }

    fn has_marking_label(&self, id: El) -> bool {
        let marks = |n: &str| ["accept", "end", "progress"].iter().any(|p| n.starts_with(p));
        self.labels.of(id).any(|l| marks(&l.name))
    }

    fn current(&self) -> Seq {
        *self.stack.last().expect("a sequence is open")
    }

    /// Adds a statement to the innermost open sequence.
    pub fn add(&mut self, item: Spanned) {
        let (id, whole) = self.element(item);
        if !whole {
            let seq = self.current();
            self.append(id, seq);
        }
    }

    /// Makes the element of a statement; true if it has been added to the sequence already.
    fn element(&mut self, s: Spanned) -> (El, bool) {
        let span = s.span;
        let node = match s.item {
            Item::Labelled(name, scope, at, inner) => {
                let (id, whole) = self.element(*inner);
                self.set_label(name, scope, at, id);
                return (id, whole);
            }
            Item::If(options) => return (self.selection(options, None, span), true),
            Item::Do(options, exit) => return (self.selection(options, Some(exit), span), true),
            Item::Unless(body, escape) => return (self.unless(body, escape, span), true),
            Item::Stmt(stmt) => Node::Stmt(stmt),
            Item::Else => Node::Else(false),
            Item::Goto(t) => Node::Goto(t),
            Item::Atomic(s) => Node::Atomic(s),
            Item::DStep(s) => Node::DStep(s),
            Item::Block(s) => Node::Block(s),
            Item::Stop => Node::Stop,
        };
        (self.new_el(node, span), false)
    }

    fn set_label(&mut self, name: Arc<str>, scope: Scope, span: Span, el: El) {
        if let Some(old) = self.labels.standing_in(&name, &scope) {
            let first = old.span;
            self.errors.push(FlowError::DuplicateLabel(span, first, name.clone()));
        }
        self.labels.push(LabelDef { name, scope, el, span });
    }

    /// `if` and `do`: `else` goes to the end of the options, each option ends at the join.
    fn selection(&mut self, mut options: Vec<Seq>, exit: Option<u32>, span: Span) -> El {
        let node = if exit.is_some() { Node::Do } else { Node::If };
        let head = self.new_el(node, span);
        let join = self.new_el(Node::Join, span);
        let is_else = |flow: &Flow, s: Seq| matches!(flow.el(flow.first(s)).node, Node::Else(_));
        let elses: Vec<usize> = (0..options.len()).filter(|&i| is_else(self, options[i])).collect();
        if let Some(&second) = elses.get(1) {
            let at = self.el(self.first(options[second])).span;
            self.errors.push(FlowError::DuplicateElse(at));
        }
        if let Some(&i) = elses.first() {
            let option = options.remove(i);
            let io = options.iter().any(|&s| self.touches_channel(self.first(s)));
            options.push(option);
            if io {
                let first = self.first(option);
                self.el_mut(first).node = Node::Else(true);
                self.errors.push(FlowError::ElseWithIo(self.el(first).span));
            }
        }
        for &option in &options {
            self.append(join, option);
        }
        self.el_mut(head).sub = options;
        let seq = self.current();
        let mut tail = join;
        if let Some(exit) = exit {
            self.append(join, seq);
            tail = self.new_el(Node::LoopExit, span);
            self.exits[exit as usize] = Some(tail);
        }
        self.append(head, seq);
        self.append(tail, seq);
        head
    }

    fn touches_channel(&self, id: El) -> bool {
        let Node::Stmt(stmt) = &self.el(id).node else { return false };
        if matches!(stmt, Stmt::Send { .. } | Stmt::Receive { .. }) {
            return true;
        }
        let mut found = false;
        stmt.walk(&mut |e| {
            use starwheel_model::{ChannelQuery as Q, Expr};
            found |= matches!(e, Expr::Channel(q, _) if *q != Q::Len);
        });
        found
    }

    fn unless(&mut self, body: Seq, escape: Seq, span: Span) -> El {
        let head = self.new_el(Node::Unless, span);
        let join = self.new_el(Node::Join, span);
        self.append(join, body);
        self.append(join, escape);
        self.el_mut(head).sub = vec![body, escape];
        self.attach(body, escape);
        let seq = self.current();
        self.append(head, seq);
        self.append(join, seq);
        head
    }

    /// Attaches an escape to every element of a sequence.
    fn attach(&mut self, seq: Seq, escape: Seq) {
        let s = self.seq(seq);
        let mut at = s.first;
        while let Some(id) = at {
            self.attach_to(id, escape);
            if Some(id) == s.extent {
                break;
            }
            at = self.el(id).next;
        }
    }

    fn attach_to(&mut self, id: El, escape: Seq) {
        if self.el(id).escapes.contains(&escape) {
            return;
        }
        for inner in self.el(id).escapes.clone() {
            self.attach(inner, escape);
        }
        self.el_mut(id).escapes.insert(0, escape);
        match self.el(id).node.clone() {
            Node::Unless => {
                let body = self.el(id).sub[0];
                self.attach(body, escape);
            }
            Node::If | Node::Do => {
                for option in self.el(id).sub.clone() {
                    self.attach(option, escape);
                }
            }
            Node::DStep(s) => {
                let first = self.first(s);
                self.attach_to(first, escape);
            }
            Node::Atomic(s) | Node::Block(s) => self.attach(s, escape),
            _ => {}
        }
    }

    /// Marks a sequence as atomic (or, with `dstep`, as deterministic): all but its last step keep control.
    pub fn make_atomic(&mut self, seq: Seq, dstep: bool) {
        let s = self.seq(seq);
        self.walk_atomic(s, dstep);
        let last = s.last.expect("a closed sequence has an element");
        match self.el(last).node.clone() {
            Node::Block(inner) | Node::Atomic(inner) => self.make_atomic(inner, dstep),
            Node::Unless => {
                let body = self.el(last).sub[0];
                self.make_atomic(body, dstep);
            }
            _ => {
                let status = &mut self.el_mut(last).status;
                status.atomic = false;
                status.last_atomic = true;
            }
        }
    }

    fn walk_atomic(&mut self, s: Sequence, dstep: bool) {
        let mut at = s.first;
        while let Some(id) = at {
            let status = &mut self.el_mut(id).status;
            status.atomic = true;
            status.dstep |= dstep;
            match self.el(id).node {
                // A block inside keeps no atomicity of its own; a `d_step` inside `atomic` does.
                Node::Atomic(inner) | Node::Block(inner) => {
                    self.el_mut(id).node = Node::Block(inner);
                    self.walk_atomic(self.seq(inner), dstep);
                }
                Node::DStep(inner) if dstep => {
                    self.el_mut(id).node = Node::Block(inner);
                    self.walk_atomic(self.seq(inner), dstep);
                }
                _ => {}
            }
            for option in self.el(id).sub.clone() {
                self.walk_atomic(self.seq(option), dstep);
            }
            if Some(id) == s.last {
                break;
            }
            at = self.el(id).next;
        }
    }

    /// Removes repeated unlabelled skips inside the options of a selection, as SPIN does.
    pub fn prune(&mut self, options: &[Seq]) {
        for &option in options {
            let s = self.seq(option);
            let mut skips = 0;
            let (mut before, mut at) = (None, s.first);
            while let Some(id) = at {
                at = self.el(id).next;
                let print = matches!(self.el(id).node, Node::Stmt(Stmt::Printf(..) | Stmt::Printm(_)));
                let skip = matches!(self.el(id).node, Node::Stmt(Stmt::Skip(starwheel_model::SkipKind::Skip)));
                if (print || skip) && self.labels.of(id).next().is_none() {
                    skips += 1;
                    let inner = s.first != Some(id) && s.last != Some(id) && s.extent != Some(id);
                    if skips > 1 && skip && inner {
                        let previous: El = before.expect("an inner element has one before it");
                        self.el_mut(previous).next = at;
                        continue;
                    }
                } else {
                    skips = 0;
                }
                before = Some(id);
            }
        }
    }

    /// Ties the ends of blocks to what follows them, once the whole body is there.
    pub fn tie_ends(&mut self) {
        for i in (0..self.els.len()).rev() {
            let Some(next) = self.els[i].next else { continue };
            let (Node::Atomic(s) | Node::DStep(s) | Node::Block(s)) = self.els[i].node else { continue };
            let mut after = Some(next);
            while let Some(id) = after
                && self.el(id).node == Node::Join
            {
                after = self.el(id).next;
            }
            let last = self.seq(s).last.expect("a closed sequence has an element");
            match self.el(last).next {
                None => self.el_mut(last).next = after,
                // A reference to a label from another process may have put a jump behind the last element.
                Some(extra) if matches!(self.el(extra).node, Node::Goto(_)) => {
                    self.seqs[s.0 as usize].last = Some(extra);
                }
                Some(_) => {}
            }
        }
    }

    /// Makes a label that another process refers to a state of its own, and marks it.
    pub fn mark_remote(&mut self, name: &str) -> Option<El> {
        let l = self.labels.named(name).next_back()?;
        let id = l.el;
        if matches!(self.el(id).node, Node::Goto(_)) {
            let copy = self.el(id).clone();
            let jump = self.new_el(copy.node, copy.span);
            self.el_mut(jump).next = copy.next;
            let el = self.el_mut(id);
            el.node = Node::Stmt(Stmt::Skip(starwheel_model::SkipKind::Skip));
            el.next = Some(jump);
        }
        self.el_mut(id).status.remote = true;
        Some(id)
    }

    /// The element that a jump goes to.
    pub fn target(&self, target: &Target) -> Option<El> {
        match target {
            Target::LoopExit(n) => self.exits[*n as usize],
            Target::Label(name, scope, _) => {
                let mut best: Option<&LabelDef> = None;
                // Newest first; a label of the same block wins, then one of a surrounding block, then any.
                for l in self.labels.named(name).rev() {
                    if l.scope == *scope {
                        return Some(l.el);
                    }
                    if scope.starts_with(&l.scope) || best.is_none() {
                        best = Some(l);
                    }
                }
                best.map(|l| l.el)
            }
        }
    }

    /// Where control rests when it comes to an element: joins, jumps and loop exits are passed through, but an atomic
    /// chain (`atomic`) does not leave its sequence through one of them without a step, and the element with the number
    /// `stop` is not passed. `None` if the jumps go round in a circle.
    pub fn rest(&self, id: El, atomic: bool, stop: Option<u16>) -> Option<El> {
        let mut at = id;
        for _ in 0..MOST_JUMPS {
            let e = self.el(at);
            if stop == Some(e.number) {
                return Some(at);
            }
            let next = match &e.node {
                Node::Goto(target) => self.target(target),
                Node::Join | Node::LoopExit => e.next,
                Node::Unless => Some(self.rest(self.first(e.sub[0]), atomic, stop)?),
                _ => return Some(at),
            };
            let Some(next) = next else { return Some(at) };
            if atomic && !self.el(next).status.atomic {
                return Some(at);
            }
            if next == at {
                return None;
            }
            at = next;
        }
        None
    }

    /// The first statement of an option: joins and `unless` are entered, jumps are not.
    pub fn entry(&self, id: El) -> El {
        let mut at = id;
        for _ in 0..MOST_JUMPS {
            at = match (&self.el(at).node, self.el(at).next) {
                (Node::Join, Some(next)) => next,
                (Node::Unless, _) => self.first(self.el(at).sub[0]),
                _ => return at,
            };
        }
        at
    }
}
