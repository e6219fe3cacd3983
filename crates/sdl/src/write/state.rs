//! States: a label and one atomic step whose options are the transitions.

use super::Writer;
use super::stmt::{Line, Lines};
use crate::machine::*;
use crate::options::Queues;

impl Writer<'_> {
    pub fn state(&mut self, id: StateId, p: ProcessId) {
        let m = self.m;
        let state = &m.processes[p].states[id];
        let mut out = Lines::new(state.span);
        let turn = self.options.queues == Queues::Process && needs_turn(state);
        if m.processes[p].carrier {
            self.carrying(state, id, p, &mut out);
        } else if turn {
            self.turned(state, id, p, &mut out);
        } else {
            self.inputs(state, id, p, &mut out);
        }
        self.timer_options(state, id, p, &mut out);
        self.continuous(state, p, turn, &mut out);
        self.spontaneous(state, id, p, &mut out);
        self.without_value(state, p, turn, &mut out);
        let name = self.desks[p].states[id].clone();
        let labels = if state.may_rest { format!("end_{name}: {name}:") } else { format!("{name}:") };
        self.text.line(state.span, &labels);
        self.text.more();
        if out.list.is_empty() {
            self.text.line(state.span, "(false);");
        } else {
            self.text.line(state.span, "atomic { if");
            self.emit(&out.list);
            self.text.line(state.span, "fi };");
        }
        self.text.less();
    }

    /// What is listed, saved or discarded: all that can arrive.
    fn arriving(&self, p: ProcessId) -> Vec<Stimulus> {
        let process = &self.m.processes[p];
        let timers = (0..process.timers.len()).filter(|t| process.timers[*t].queued).map(Stimulus::Timer);
        process.accepts.iter().map(|s| Stimulus::Signal(*s)).chain(timers).collect()
    }

    pub fn stimulus_name(&self, s: Stimulus, p: ProcessId) -> String {
        match s {
            Stimulus::Signal(s) => self.signals[s].clone(),
            Stimulus::Timer(t) => self.desks[p].timer_signals[t].clone(),
        }
    }

    /// What a transition does after its input.
    fn body(&mut self, state: &State, t: &Trigger, p: ProcessId) -> Vec<Line> {
        let mut out = Lines::new(t.span);
        let rests = state.triggers.iter().any(|t| matches!(t.kind, TriggerKind::Spontaneous { eager: false, .. }));
        if let (Some(s), true) = (self.desks[p].slice.clone(), rests) {
            out.push(format!("reset({s}{});", self.index(p)));
        }
        // A transition without a signal is one to oneself, as Z.100 has it.
        let own = matches!(t.kind, TriggerKind::Continuous { .. } | TriggerKind::Spontaneous { own: true, .. });
        if own && self.m.processes[p].uses.sender {
            out.push(format!("{} = {};", self.desks[p].sender, self.self_number(p)));
        }
        let lines = self.code(&t.body, p);
        out.append(lines);
        out.list
    }

    /// Options of a state that takes the first signal of its queue, whatever it is.
    fn inputs(&mut self, state: &State, id: StateId, p: ProcessId, out: &mut Lines) {
        let by_signal = self.options.queues == Queues::Signal;
        let first: Vec<String> = match by_signal {
            true => state.triggers.iter().filter_map(|t| self.nothing_first(t, p)).collect(),
            false => Vec::new(),
        };
        for s in self.arriving(p) {
            let trigger = state.triggers.iter().find(|t| takes(t, s));
            let mut guard = Vec::new();
            if by_signal && state.saves.contains(&s) {
                continue;
            }
            let queue = self.queue_for(p, s);
            let into = match trigger.map(|t| &t.kind) {
                Some(TriggerKind::Input { into, provided, priority, .. }) => {
                    guard.extend(provided.as_ref().map(|e| format!("({})", self.expr(e, p))));
                    if !priority {
                        guard.extend(first.iter().cloned());
                    }
                    into.clone()
                }
                _ => {
                    guard.extend(first.iter().cloned());
                    Vec::new()
                }
            };
            let receive = format!("{queue}?{}", self.pattern(s, &into, p));
            let mut inside = Lines::new(trigger.map_or(state.span, |t| t.span));
            if !guard.is_empty() {
                guard.push(format!("nempty({queue})"));
                inside.push(format!("{receive};"));
            }
            match trigger {
                Some(t) => {
                    let body = self.body(state, t, p);
                    inside.append(body);
                }
                None => inside.push(format!("goto {};", self.desks[p].states[id])),
            }
            let guard = if guard.is_empty() { receive } else { guard.join(" && ") };
            let mut option = Lines::new(trigger.map_or(state.span, |t| t.span));
            option.option(&guard, inside.list);
            out.append(option.saying(self.told(p, state, &self.source_name(s, p), trigger)).list);
        }
    }

    /// Options of a channel: it hands on its first signal, or not yet. Signals behind that one wait as well, so nothing is lost if
    /// the others of this slice are not asked again.
    fn carrying(&mut self, state: &State, id: StateId, p: ProcessId, out: &mut Lines) {
        let (slice, ages) = (self.desks[p].slice.clone(), self.desks[p].ages.clone());
        let channel = self.m.processes[p].name.clone();
        let mut full = Vec::new();
        for t in &state.triggers {
            let TriggerKind::Input { what: what @ Stimulus::Signal(s), into, .. } = &t.kind else { continue };
            let queue = self.queue_of(p, *s, "");
            let receive = format!("{queue}?{}", self.pattern(*what, into, p));
            let nempty = format!("nempty({queue})");
            if !full.contains(&nempty) {
                full.push(nempty);
            }
            let mut inside = Lines::new(t.span);
            let guard = match &slice {
                Some(slice) => {
                    inside.push(format!("{receive};"));
                    let first = match self.options.queues {
                        Queues::Process => format!("{queue}?[{}{}]", self.signals[*s], ",_".repeat(self.width(p))),
                        Queues::Signal => format!("nempty({queue})"),
                    };
                    let ripe = ages.as_ref().map_or(String::new(), |a| a.ripe());
                    format!("!on({slice}) && {first}{ripe}")
                }
                None => receive,
            };
            let body = &t.body[..t.body.len().saturating_sub(1)];
            let lines = self.code(body, p);
            inside.append(lines);
            if self.m.processes[p].uses.sender {
                inside.push(format!("{} = 0;", self.desks[p].sender));
            }
            if let Some(ages) = &ages {
                inside.append(ages.next(&queue, t.span));
            }
            inside.push(format!("goto {};", self.desks[p].states[id]));
            let mut option = Lines::new(t.span);
            option.option(&guard, inside.list);
            out.append(option.saying(format!("channel {channel} delivers {}", self.m.signals[*s].name)).list);
        }
        // Who must deliver now does not wait, and who must not yet waits for that.
        if let Some(s) = slice.filter(|_| ages.as_ref().is_none_or(|a| a.may_wait())) {
            let name = self.desks[p].states[id].clone();
            let ripe = ages.as_ref().map_or(String::new(), |a| a.ripe() + &a.not_late());
            let later = format!(":: !on({s}) && ({}){ripe} -> set({s},1); goto {name}", full.join(" || "));
            out.say(later, &format!("channel {channel} delivers nothing now"));
            let again = format!(":: expire({s}) -> reset({s}); goto {name}");
            out.say(again, &format!("channel {channel} may deliver again"));
        }
    }

    /// A transition in words: `L in asked: input Cnf -> up`.
    fn told(&self, p: ProcessId, state: &State, what: &str, trigger: Option<&Trigger>) -> String {
        let process = &self.m.processes[p];
        let head = format!("{} in {}: {what}", process.name, state.name);
        let Some(t) = trigger else { return format!("{head} (discarded)") };
        let mut ends: Vec<&str> = Vec::new();
        super::timers::each_of(&t.body, &mut |s| match s.kind {
            StmtKind::Next(id) => ends.extend(process.states.get(id).map(|s| s.name.as_str())),
            StmtKind::Stop => ends.push("stop"),
            _ => {}
        });
        ends.sort_unstable();
        ends.dedup();
        if ends.is_empty() { head } else { format!("{head} -> {}", ends.join(" or ")) }
    }

    /// What a state waits for, as it is written.
    fn source_name(&self, s: Stimulus, p: ProcessId) -> String {
        match s {
            Stimulus::Signal(s) => format!("input {}", self.m.signals[s].name),
            Stimulus::Timer(t) => format!("timer {}", self.m.processes[p].timers[t].name),
        }
    }

    /// The queue of what a state waits for, of the instance that speaks.
    fn queue_for(&self, p: ProcessId, s: Stimulus) -> String {
        match s {
            Stimulus::Signal(s) => self.queue_of(p, s, self.index(p)),
            Stimulus::Timer(t) => self.timer_queue(t, p),
        }
    }

    /// Nothing can be taken from the queue of this.
    fn nothing_there(&self, p: ProcessId, s: Stimulus, provided: Option<&Ex>) -> String {
        let empty = format!("empty({})", self.queue_for(p, s));
        match provided {
            Some(e) => format!("({empty} || !({}))", self.expr(e, p)),
            None => empty,
        }
    }

    /// Nothing can be taken by a trigger with priority.
    fn nothing_first(&self, t: &Trigger, p: ProcessId) -> Option<String> {
        match &t.kind {
            TriggerKind::Input { what, priority: true, provided, .. } => {
                Some(self.nothing_there(p, *what, provided.as_ref()))
            }
            _ => None,
        }
    }

    /// The right side of a receive.
    fn pattern(&self, s: Stimulus, into: &[Option<Place>], p: ProcessId) -> String {
        let mut fields = Vec::new();
        let slots = match self.options.queues {
            Queues::Process => {
                fields.push(self.stimulus_name(s, p));
                self.desks[p].slots.len()
            }
            Queues::Signal => match s {
                Stimulus::Signal(s) => self.m.signals[s].leaves.len(),
                Stimulus::Timer(_) => 0,
            },
        };
        if self.m.processes[p].uses.sender {
            fields.push(self.desks[p].sender.clone());
        }
        for i in 0..slots {
            let place = into.get(i).and_then(|p| p.as_ref());
            fields.push(place.map_or("_".to_string(), |place| self.place(place, p)));
        }
        if fields.is_empty() {
            fields.push("_".to_string());
        }
        fields.join(",")
    }

    /// Something in the queue is not saved: of these, if they may be taken.
    fn waiting(&self, state: &State, only: Option<bool>, p: ProcessId) -> Vec<String> {
        let mut all = Vec::new();
        for s in self.arriving(p) {
            if state.saves.contains(&s) {
                continue;
            }
            let poll = self.has_waiting(&self.stimulus_name(s, p), p);
            let kind = state.triggers.iter().find(|t| takes(t, s)).map(|t| &t.kind);
            let (priority, provided) = match kind {
                Some(TriggerKind::Input { priority, provided, .. }) => (*priority, provided.as_ref()),
                _ => (false, None),
            };
            if only.is_some_and(|o| o != priority) {
                continue;
            }
            all.push(match provided {
                Some(e) => format!("({poll} && ({}))", self.expr(e, p)),
                None => poll,
            });
        }
        all
    }

    /// Options of a state that leaves some signals in the queue: one turn finds the first that may be taken.
    fn turned(&mut self, state: &State, id: StateId, p: ProcessId, out: &mut Lines) {
        let urgent = self.waiting(state, Some(true), p);
        let normal = self.waiting(state, Some(false), p);
        if !urgent.is_empty() {
            let lines = self.turn(state, id, p, true);
            out.option(&urgent.join(" || "), lines);
        }
        if !normal.is_empty() {
            let lines = self.turn(state, id, p, false);
            let any = normal.join(" || ");
            let guard = if urgent.is_empty() { any } else { format!("!({}) && ({any})", urgent.join(" || ")) };
            out.option(&guard, lines);
        }
    }

    /// The condition under which the message in hand stays in the queue.
    fn stays(&self, state: &State, p: ProcessId, urgent: bool) -> String {
        let x = &self.desks[p].scratch.other;
        let mut all = Vec::new();
        for s in self.arriving(p) {
            let name = self.stimulus_name(s, p);
            let kind = state.triggers.iter().find(|t| takes(t, s)).map(|t| &t.kind);
            let (priority, provided) = match kind {
                Some(TriggerKind::Input { priority, provided, .. }) => (*priority, provided.as_ref()),
                _ => (false, None),
            };
            if state.saves.contains(&s) || priority != urgent {
                all.push(format!("{x} == {name}"));
            } else if let Some(e) = provided {
                all.push(format!("({x} == {name} && !({}))", self.expr(e, p)));
            }
        }
        if all.is_empty() { "false".to_string() } else { all.join(" || ") }
    }

    fn turn(&mut self, state: &State, id: StateId, p: ProcessId, urgent: bool) -> Vec<Line> {
        let mut out = Lines::new(state.span);
        let sender = self.m.processes[p].uses.sender;
        let queue = format!("{}{}", self.desks[p].queue, self.index(p));
        let c = &self.desks[p].scratch;
        let mut mine = vec![c.other.clone()];
        let mut found = vec![c.found.clone()];
        if sender {
            mine.push(c.other_sender.clone());
            found.push(c.found_sender.clone());
        }
        mine.extend(c.other_slots.iter().cloned());
        found.extend(c.found_slots.iter().cloned());
        let (m, n, list) = (c.found.clone(), c.count.clone(), mine.join(","));
        let take: Vec<String> = found.iter().zip(&mine).map(|(f, x)| format!("{f} = {x}")).collect();
        let zero: Vec<String> = mine.iter().map(|x| format!("{x} = 0")).collect();
        let stays = self.stays(state, p, urgent);
        out.push(format!("d_step {{ {m} = 0; {n} = len({queue});"));
        out.push(format!("do :: {n} > 0 -> {queue}?{list};"));
        out.push(format!("\tif :: {m} == 0 && !({stays}) -> {} :: else -> {queue}!{list} fi; {n}--", take.join("; ")));
        out.push(format!(":: else -> break od; {} }};", zero.join("; ")));
        out.push("if");
        for s in self.arriving(p) {
            let trigger = state.triggers.iter().find(|t| takes(t, s));
            let priority = matches!(trigger.map(|t| &t.kind), Some(TriggerKind::Input { priority: true, .. }));
            if state.saves.contains(&s) || priority != urgent {
                continue;
            }
            let mut inside = Lines::new(trigger.map_or(state.span, |t| t.span));
            inside.push(format!("{m} = 0;"));
            let c = &self.desks[p].scratch;
            if sender {
                inside.push(format!("{} = {}; {} = 0;", self.desks[p].sender, c.found_sender, c.found_sender));
            }
            if let Some(TriggerKind::Input { into, .. }) = trigger.map(|t| &t.kind) {
                for (place, slot) in into.iter().zip(&c.found_slots) {
                    if let Some(place) = place {
                        inside.push(format!("{} = {slot};", self.place(place, p)));
                    }
                }
            }
            for slot in &c.found_slots {
                inside.push(format!("{slot} = 0;"));
            }
            inside.list = super::stmt::in_one_step(inside.list);
            match trigger {
                Some(t) => {
                    let body = self.body(state, t, p);
                    inside.append(body);
                }
                None => inside.push(format!("goto {};", self.desks[p].states[id])),
            }
            let name = self.stimulus_name(s, p);
            let mut option = Lines::new(trigger.map_or(state.span, |t| t.span));
            option.option(&format!("{m} == {name}"), inside.list);
            out.append(option.saying(self.told(p, state, &self.source_name(s, p), trigger)).list);
        }
        out.push("fi;");
        out.list
    }

    /// Expiries: taken, discarded or queued.
    fn timer_options(&mut self, state: &State, id: StateId, p: ProcessId, out: &mut Lines) {
        let m = self.m;
        let process = &m.processes[p];
        for t in 0..process.timers.len() {
            // Only of abstract timers must somebody say that a clock has come so far.
            if !self.is_set(p, t) || process.timers[t].clock && self.exact() {
                continue;
            }
            let timer = self.timer(t, p);
            let trigger = state.triggers.iter().find(|x| takes(x, Stimulus::Timer(t)));
            let span = trigger.map_or(state.span, |t| t.span);
            let mut inside = Lines::new(span);
            inside.push(format!("reset({timer});"));
            let guard = format!("expire({timer})");
            if process.timers[t].queued {
                let lines = self.queue_timer(t, p, state.span);
                inside.append(lines);
                inside.push(format!("goto {};", self.desks[p].states[id]));
                let mut option = Lines::new(span);
                option.option(&guard, inside.list);
                out.append(option.saying(format!("timer {} expires", process.timers[t].name)).list);
                continue;
            }
            match trigger {
                Some(x) => {
                    if process.uses.sender {
                        inside.push(format!("{} = {};", self.desks[p].sender, self.self_number(p)));
                    }
                    let body = self.body(state, x, p);
                    inside.append(body);
                }
                None => inside.push(format!("goto {};", self.desks[p].states[id])),
            }
            let mut option = Lines::new(span);
            option.option(&guard, inside.list);
            let what = self.source_name(Stimulus::Timer(t), p);
            out.append(option.saying(self.told(p, state, &what, trigger)).list);
        }
    }

    /// True if anybody ever sets a timer.
    fn is_set(&self, p: ProcessId, t: TimerId) -> bool {
        let mut found = false;
        super::timers::each_stmt(&self.m.processes[p], &mut |s| {
            found |= matches!(s.kind, StmtKind::Set { timer, .. } if timer == t);
        });
        found
    }

    /// Nothing can be consumed.
    fn quiet(&self, state: &State, p: ProcessId, turn: bool) -> Vec<String> {
        let mut all = Vec::new();
        if self.options.queues == Queues::Signal {
            for s in self.arriving(p).into_iter().filter(|s| !state.saves.contains(s)) {
                let provided = match state.triggers.iter().find(|t| takes(t, s)).map(|t| &t.kind) {
                    Some(TriggerKind::Input { provided, .. }) => provided.as_ref(),
                    _ => None,
                };
                all.push(self.nothing_there(p, s, provided));
            }
        } else if turn {
            let waiting = self.waiting(state, None, p);
            if !waiting.is_empty() {
                all.push(format!("!({})", waiting.join(" || ")));
            }
        } else if self.has_queue(p) {
            all.push(format!("empty({}{})", self.desks[p].queue, self.index(p)));
        }
        for t in 0..self.m.processes[p].timers.len() {
            if self.is_set(p, t) && !self.m.processes[p].timers[t].clock {
                all.push(format!("!expire({})", self.timer(t, p)));
            }
        }
        all
    }

    /// When a continuous signal is asked for: nothing can be consumed, and none with a smaller number comes.
    fn asked(&self, state: &State, t: &Trigger, p: ProcessId, turn: bool) -> Vec<String> {
        let TriggerKind::Continuous { priority: own, .. } = t.kind else { return Vec::new() };
        let mut guard = self.quiet(state, p, turn);
        guard.extend(state.triggers.iter().filter_map(|t| match &t.kind {
            TriggerKind::Continuous { when, priority } if *priority < own => Some(format!("!({})", self.expr(when, p))),
            _ => None,
        }));
        guard
    }

    /// A condition that has no value is an error where it is asked for.
    fn without_value(&mut self, state: &State, p: ProcessId, turn: bool, out: &mut Lines) {
        for t in &state.triggers {
            for need in &t.needs {
                let StmtKind::Assert { what, .. } = &need.kind else { continue };
                let mut guard = self.asked(state, t, p, turn);
                guard.push(format!("!({})", self.expr(what, p)));
                let what = match &t.kind {
                    TriggerKind::Input { what, .. } => self.source_name(*what, p),
                    TriggerKind::Continuous { .. } => "provided".to_string(),
                    TriggerKind::Spontaneous { .. } => "input none".to_string(),
                };
                let inside = self.code(std::slice::from_ref(need), p);
                let mut option = Lines::new(t.span);
                option.option(&guard.join(" && "), inside);
                // It is told as the transition itself: that it was never executed is no news.
                let said: std::sync::Arc<str> = self.told(p, state, &what, Some(t)).into();
                out.append(
                    option.list.into_iter().map(|l| Line { span: t.span, said: Some(said.clone()), ..l }).collect(),
                );
            }
        }
    }

    fn continuous(&mut self, state: &State, p: ProcessId, turn: bool, out: &mut Lines) {
        for t in &state.triggers {
            let TriggerKind::Continuous { when, .. } = &t.kind else { continue };
            let mut guard = self.asked(state, t, p, turn);
            guard.push(format!("({})", self.expr(when, p)));
            let body = self.body(state, t, p);
            let mut option = Lines::new(t.span);
            option.option(&guard.join(" && "), body);
            out.append(option.saying(self.told(p, state, "provided", Some(t))).list);
        }
    }

    /// `input none`: at any moment, but time may pass as well. Each slice decides anew, by a timer of one slice.
    fn spontaneous(&mut self, state: &State, id: StateId, p: ProcessId, out: &mut Lines) {
        let slice = self.desks[p].slice.as_ref().map(|s| format!("{s}{}", self.index(p)));
        let (mut possible, mut wait): (Option<Vec<String>>, Vec<String>) = (None, Vec::new());
        for t in &state.triggers {
            let TriggerKind::Spontaneous { provided, eager, urgent, .. } = &t.kind else { continue };
            if !eager {
                let when = provided.as_ref().map_or("true".to_string(), |e| format!("({})", self.expr(e, p)));
                possible.get_or_insert_default().push(when);
                wait.extend(urgent.as_ref().map(|e| format!("!({})", self.expr(e, p))));
            }
            let mut guard: Vec<String> = slice.iter().filter(|_| !eager).map(|s| format!("!on({s})")).collect();
            guard.extend(provided.as_ref().map(|e| format!("({})", self.expr(e, p))));
            let body = self.body(state, t, p);
            let mut option = Lines::new(t.span);
            let guard = if guard.is_empty() { "true".to_string() } else { guard.join(" && ") };
            option.option(&guard, body);
            out.append(option.saying(self.told(p, state, "input none", Some(t))).list);
        }
        if let (Some(possible), Some(s)) = (possible, slice) {
            // What is not possible needs nobody to wait for it, and what must not wait is not waited with.
            let mut guard = vec![format!("!on({s})")];
            if !possible.iter().any(|e| e == "true") {
                guard.push(format!("({})", possible.join(" || ")));
            }
            guard.extend(wait);
            let guard = guard.join(" && ");
            let name = self.desks[p].states[id].clone();
            let head = format!("{} in {}: input none", self.m.processes[p].name, state.name);
            let never = format!(":: {guard} -> set({s},1); goto {name} /* not in this slice */");
            out.say(never, &format!("{head} does not come now"));
            out.say(format!(":: expire({s}) -> reset({s}); goto {name}"), &format!("{head} may come again"));
        }
    }
}

fn takes(t: &Trigger, s: Stimulus) -> bool {
    matches!(t.kind, TriggerKind::Input { what, .. } if what == s)
}

/// True if a state leaves signals in the queue, or takes some before others.
pub fn needs_turn(state: &State) -> bool {
    let special = |t: &Trigger| match &t.kind {
        TriggerKind::Input { priority, provided, .. } => *priority || provided.is_some(),
        _ => false,
    };
    !state.saves.is_empty() || state.triggers.iter().any(special)
}
