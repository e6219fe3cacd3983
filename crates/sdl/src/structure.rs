//! Who lives where and who can reach whom: scopes, processes, signals and the routes between them.
//!
//! Several systems in one set of files are the functions of a TASTE project: what one sends to its environment reaches
//! those that take a signal of the same name from theirs. TASTE keeps the connections in a file of its own; without
//! it, `f_s` also means signal `s` of function `f`, the names that TASTE gives when they would not be unique.

mod ends;
mod feed;

use crate::ast::*;
use crate::machine::{Hop, HopId, ProcessId, SignalId};
use crate::sorts::{Constant, SortId, Sorts};
use starwheel_base::{Diagnostic, Span};
use std::collections::HashMap;

pub use feed::Feed;

/// Routes may lead through this many blocks.
const DEEPEST: usize = 40;

#[derive(Debug)]
pub struct ScopeInfo<'a> {
    pub key: String,
    parent: Option<usize>,
    channels: Vec<&'a Channel>,
    connects: Vec<(&'a Name, &'a [Name])>,
    lists: HashMap<String, &'a [Name]>,
    pub procedures: Vec<&'a Procedure>,
    /// Signals that are other names of events.
    pub renames: Vec<&'a SignalDef>,
}

#[derive(Debug)]
pub struct ProcessInfo<'a> {
    /// Unique: a process whose name others have, too, is named after its block (`b_p`).
    pub name: Name,
    /// Its name in its own block.
    local: String,
    pub text: &'a Process,
    pub scope: usize,
    pub count: Count,
}

#[derive(Debug)]
pub struct SignalInfo {
    pub name: Name,
    pub sorts: Vec<SortId>,
    /// A parameter was refused, so nothing more needs to be said about them.
    pub broken: bool,
}

/// A way that a signal may go: where it ends, and the channels that delay it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Way {
    pub end: Reach,
    pub by: Vec<HopId>,
}

/// Where a signal ends up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    Process(ProcessId),
    /// The environment of this top scope.
    Environment(usize),
}

#[derive(Debug, Default)]
pub struct Structure<'a> {
    pub scopes: Vec<ScopeInfo<'a>>,
    pub processes: Vec<ProcessInfo<'a>>,
    pub signals: Vec<SignalInfo>,
    by_name: HashMap<String, SignalId>,
    pub diagnostics: Vec<Diagnostic>,
    /// Procedures and other parts that stand outside all systems.
    pub loose: Vec<&'a Procedure>,
    /// The operators of all sorts.
    pub operators: Vec<&'a Procedure>,
    /// Processes of a scope that are left out, because they are skeletons of types.
    skeletons: Vec<(usize, String)>,
    /// Procedures that one function offers and another calls by an output (TASTE): no route names them.
    remote: Vec<String>,
    /// Channels that delay, each in one direction, if they may: scope, number in it, number of the direction.
    hops: Vec<(usize, usize, usize)>,
}

impl<'a> Structure<'a> {
    /// Looks at all units of all files. Sorts and constants go to the table.
    pub fn new(units: &'a [Item], sorts: &mut Sorts) -> Structure<'a> {
        let mut s = Structure::default();
        declare_sorts(units, sorts, 0);
        sorts.look_for_circles();
        find_operators(units, &mut s.operators, 0);
        let mut any_system = false;
        for unit in units {
            match unit {
                Item::Scope(scope) if scope.system => {
                    any_system = true;
                    s.scope(scope, None, units, sorts, 0);
                }
                Item::Procedure(p) => s.loose.push(p),
                Item::Signal(def) => s.signal(def, sorts),
                _ => {}
            }
        }
        if !any_system {
            s.implicit_system(units, sorts);
        }
        s.remote_procedures(sorts);
        s
    }

    /// From now on such channels delay what goes over them.
    pub fn with_delays(&mut self, such: impl Fn(&Channel) -> bool) {
        for (scope, info) in self.scopes.iter().enumerate() {
            for (number, c) in info.channels.iter().enumerate().filter(|(_, c)| such(c)) {
                self.hops.extend((0..c.paths.len()).map(|path| (scope, number, path)));
            }
        }
    }

    /// The channels that delay.
    pub fn delaying(&self) -> Vec<Hop> {
        let of = |&(scope, number, _): &(usize, usize, usize)| {
            let channel = &self.scopes[scope].channels[number];
            Hop { name: channel.name.text.clone(), span: channel.name.span, within: channel.route.within }
        };
        self.hops.iter().map(of).collect()
    }

    /// The routes by which a signal of a process may leave it.
    pub fn routes(&self, process: ProcessId, signal: &str, via: &[Name]) -> Vec<Route> {
        let info = &self.processes[process];
        let mine =
            |p: &&Path| p.from.as_ref().is_some_and(|n| n.key == info.local) && self.carries(info.scope, p, signal);
        let named = |c: &&&Channel| via.is_empty() || via.iter().any(|v| v.key == c.name.key);
        let all = self.scopes[info.scope].channels.iter().filter(named);
        all.filter(|c| c.paths.iter().any(|p| mine(&p))).map(|c| c.route).collect()
    }

    /// A way that goes on over a channel of a scope.
    fn over(&self, by: &[HopId], scope: usize, channel: usize, path: usize) -> Vec<HopId> {
        let hop = self.hops.iter().position(|h| *h == (scope, channel, path));
        by.iter().copied().chain(hop).collect()
    }

    /// Without a system, all blocks and processes live beside each other.
    fn implicit_system(&mut self, units: &'a [Item], sorts: &mut Sorts) {
        let id = self.add_scope("system", None, units);
        for unit in units {
            match unit {
                Item::Scope(scope) => self.scope(scope, Some(id), units, sorts, 0),
                Item::Process(p) if !p.is_type => self.process(p.name.clone(), p, &p.count, id),
                _ => {}
            }
        }
    }

    /// Procedures of the systems that are used like signals.
    fn remote_procedures(&mut self, sorts: &mut Sorts) {
        let all: Vec<&'a Procedure> = self.scopes.iter().flat_map(|s| s.procedures.iter().copied()).collect();
        for p in all {
            let key = &p.name.key;
            let taken = self.processes.iter().any(|i| mentions_input(&i.text.items, &i.text.body, key, 0));
            if taken && self.signal_id(key).is_none() {
                let list = p.params.iter().filter_map(|p| sorts.lookup(&p.sort)).collect();
                self.add_signal(p.name.clone(), list, false);
                self.remote.push(key.clone());
            }
        }
    }

    pub fn is_remote(&self, key: &str) -> bool {
        self.remote.iter().any(|r| r == key)
    }

    fn add_scope(&mut self, key: &str, parent: Option<usize>, items: &'a [Item]) -> usize {
        let mut info = ScopeInfo {
            key: key.to_string(),
            parent,
            channels: Vec::new(),
            connects: Vec::new(),
            lists: HashMap::new(),
            procedures: Vec::new(),
            renames: Vec::new(),
        };
        for item in items {
            match item {
                Item::Channel(c) => info.channels.push(c),
                Item::Connect(c, routes) => info.connects.push((c, routes)),
                Item::SignalList(name, list) => drop(info.lists.insert(name.key.clone(), list)),
                Item::Procedure(p) => info.procedures.push(p),
                Item::Signal(def) if def.renames.is_some() => info.renames.push(def),
                _ => {}
            }
        }
        self.scopes.push(info);
        self.scopes.len() - 1
    }

    fn scope(&mut self, scope: &'a Scope, parent: Option<usize>, units: &'a [Item], sorts: &mut Sorts, depth: usize) {
        if depth > DEEPEST {
            return;
        }
        let id = self.add_scope(&scope.name.key, parent, &scope.items);
        let mut here = HashMap::new();
        for item in &scope.items {
            if let Item::Signal(def) = item {
                let twice = here.insert(&def.name.key, def.name.span).filter(|_| def.renames.is_none());
                match twice {
                    Some(other) => self.twice(&def.name, other),
                    None => self.signal(def, sorts),
                }
            }
        }
        for item in &scope.items {
            match item {
                Item::Scope(inner) => self.scope(inner, Some(id), units, sorts, depth + 1),
                Item::Referenced(name) => self.referenced(name, id, units, sorts, depth),
                Item::Process(p) if !p.is_type => self.process(p.name.clone(), p, &p.count, id),
                Item::ProcessUse(u) => self.used(u, id, &scope.items, units),
                _ => {}
            }
        }
    }

    fn referenced(&mut self, name: &Name, scope: usize, units: &'a [Item], sorts: &mut Sorts, depth: usize) {
        let found = units.iter().find_map(|u| match u {
            Item::Scope(s) if !s.system && s.name.key == name.key => Some(s),
            _ => None,
        });
        match found {
            Some(s) => self.scope(s, Some(scope), units, sorts, depth + 1),
            None => self.missing("block", name),
        }
    }

    fn missing(&mut self, what: &str, name: &Name) {
        let text = format!("the {what} `{}` is nowhere in these files", name.text);
        let d = Diagnostic::error("missing-part", name.span, text);
        self.diagnostics.push(d.advise("hand over the file that holds it, too"));
    }

    fn used(&mut self, u: &ProcessUse, scope: usize, near: &'a [Item], units: &'a [Item]) {
        // TASTE writes a skeleton of each type of functions as if it were an instance, too.
        let is_skeleton = |of: &Name| of.key == u.name.key && has_other_instance(units, of, &u.name, 0);
        if u.of.as_ref().is_some_and(is_skeleton) {
            self.skeletons.push((scope, u.name.key.clone()));
            return;
        }
        let wanted = u.of.as_ref().unwrap_or(&u.name);
        let fits = |i: &'a Item| match i {
            Item::Process(p) if p.name.key == wanted.key && p.is_type == u.of.is_some() => Some(&**p),
            _ => None,
        };
        let Some(text) = near.iter().find_map(fits).or_else(|| units.iter().find_map(fits)) else {
            return self.missing("process", wanted);
        };
        let none = u.count.initial.is_none() && u.count.most.is_none();
        let count = if none { &text.count } else { &u.count };
        self.process(u.name.clone(), text, count, scope);
    }

    fn process(&mut self, name: Name, text: &'a Process, count: &Count, scope: usize) {
        let local = name.key.clone();
        let mut unique = name;
        let mut around = Some(scope);
        while self.processes.iter().any(|p| p.name.key == unique.key) {
            let twice = self.processes.iter().any(|p| p.scope == scope && p.local == local);
            let Some(s) = around.filter(|_| !twice) else {
                let text = format!("there are two processes `{}`", unique.text);
                let d = Diagnostic::error("two-processes", unique.span, text);
                return self.diagnostics.push(d.advise("give one of them another name"));
            };
            let key = format!("{}_{}", self.scopes[s].key, unique.key);
            unique = Name { text: key.clone(), key, ..unique };
            around = self.scopes[s].parent;
        }
        self.processes.push(ProcessInfo { name: unique, local, text, scope, count: count.clone() });
    }

    fn signal(&mut self, def: &'a SignalDef, sorts: &mut Sorts) {
        let found: Vec<SortId> = def.sorts.iter().filter_map(|s| sorts.lookup(s)).collect();
        if let Some(&id) = self.by_name.get(&def.name.key) {
            let other = &self.signals[id];
            let same = other.sorts.len() == found.len()
                && other.sorts.iter().zip(&found).all(|(a, b)| sorts.kind(*a) == sorts.kind(*b));
            if !same && found.len() == def.sorts.len() {
                let text = format!("there are two signals `{}` with different parameters", def.name.text);
                let d = Diagnostic::error("two-signals", def.name.span, text).also(other.name.span, "the other one");
                self.diagnostics.push(d);
            }
            return;
        }
        let broken = found.len() != def.sorts.len();
        self.add_signal(def.name.clone(), found, broken);
    }

    fn twice(&mut self, signal: &Name, other: Span) {
        let text = format!("there are two signals `{}`", signal.text);
        let d = Diagnostic::error("two-signals", signal.span, text).also(other, "the other one");
        self.diagnostics.push(d.advise("leave one of them out"));
    }

    fn add_signal(&mut self, name: Name, sorts: Vec<SortId>, broken: bool) {
        self.by_name.insert(name.key.clone(), self.signals.len());
        self.signals.push(SignalInfo { name, sorts, broken });
    }

    pub fn signal_id(&self, key: &str) -> Option<SignalId> {
        self.by_name.get(key).copied()
    }

    /// True for observers of TASTE, alone or not.
    pub fn is_monitor(&self, process: ProcessId) -> bool {
        let says = |i: &Item| matches!(i, Item::Monitor(_) | Item::Marked(..));
        self.processes[process].text.items.iter().any(says) || self.around(process).any(|s| !s.renames.is_empty())
    }

    /// True for observers that have something to observe; without it they are processes like all others.
    pub fn is_observer(&self, process: ProcessId) -> bool {
        self.is_monitor(process) && (0..self.processes.len()).any(|p| !self.is_monitor(p))
    }

    /// The outermost scope of a process.
    fn top_of(&self, process: ProcessId) -> Option<usize> {
        std::iter::successors(Some(self.processes[process].scope), |&s| self.scopes[s].parent).last()
    }

    pub fn process_id(&self, key: &str) -> Option<ProcessId> {
        self.processes.iter().position(|p| p.name.key == key)
    }

    /// The process that another one means by a name: one of its own block, if there is any, or of a block around it.
    pub fn process_near(&self, me: ProcessId, key: &str) -> Option<ProcessId> {
        let scopes = std::iter::successors(Some(self.processes[me].scope), |&s| self.scopes[s].parent);
        let inside = |s: usize| self.processes.iter().position(|p| p.scope == s && p.local == key);
        scopes.into_iter().find_map(inside).or_else(|| self.process_id(key))
    }

    /// True if some channel, route or gate has this name.
    pub fn has_channel(&self, key: &str) -> bool {
        let names =
            |c: &Channel| c.name.key == key || c.paths.iter().any(|p| p.gates.iter().any(|g| g.name.key == key));
        self.scopes.iter().any(|s| s.channels.iter().any(|c| names(c)))
    }

    /// The scopes from a process outwards.
    pub fn around(&self, process: ProcessId) -> impl Iterator<Item = &ScopeInfo<'a>> {
        let first = Some(self.processes[process].scope);
        std::iter::successors(first, |&s| self.scopes[s].parent).map(|s| &self.scopes[s])
    }

    /// Signals of a list in a scope, lists in lists included.
    pub fn expand(&self, scope: usize, names: &[Name]) -> Vec<String> {
        let mut out = Vec::new();
        let mut todo: Vec<(&str, usize)> = names.iter().rev().map(|n| (n.key.as_str(), 0)).collect();
        while let Some((key, depth)) = todo.pop() {
            let list = std::iter::successors(Some(scope), |&s| self.scopes[s].parent)
                .find_map(|s| self.scopes[s].lists.get(key).copied());
            match list {
                Some(list) if depth < 10 => todo.extend(list.iter().rev().map(|n| (n.key.as_str(), depth + 1))),
                _ => out.push(key.to_string()),
            }
        }
        out
    }

    fn carries(&self, scope: usize, path: &Path, signal: &str) -> bool {
        self.expand(scope, &path.signals).iter().any(|s| s == signal)
    }

    /// Where a signal of a process can go.
    pub fn reach(&self, process: ProcessId, signal: &str, via: &[Name]) -> Vec<Reach> {
        self.ways(process, signal, via).into_iter().map(|way| way.end).collect()
    }

    /// Where a signal of a process can go, and how.
    pub fn ways(&self, process: ProcessId, signal: &str, via: &[Name]) -> Vec<Way> {
        let info = &self.processes[process];
        let (scope, own) = (info.scope, &info.local);
        let mut out = Vec::new();
        let is_mine = |p: &Path| p.from.as_ref().is_some_and(|n| n.key == *own);
        let mut known = false;
        for (number, c) in self.scopes[scope].channels.iter().enumerate() {
            let named = via.is_empty() || via.iter().any(|v| v.key == c.name.key || self.leads_to(scope, &c.name, v));
            for (path, p) in c.paths.iter().enumerate().filter(|(_, p)| is_mine(p)) {
                known = true;
                let mine = |g: &Gate| g.of.as_ref().is_none_or(|of| of.key == *own);
                let gate = || p.gates.iter().any(|g| mine(g) && via.iter().any(|v| v.key == g.name.key));
                if (named || gate()) && self.carries(scope, p, signal) {
                    let by = self.over(&[], scope, number, path);
                    p.to.iter().for_each(|to| self.follow(scope, &c.name, to.as_ref(), signal, &by, &mut out));
                }
            }
        }
        if !known || self.is_remote(signal) {
            self.implicit(process, signal, &mut out);
        }
        self.across_systems(process, signal, out)
    }

    /// A route is connected to a channel of this name.
    fn leads_to(&self, scope: usize, route: &Name, channel: &Name) -> bool {
        let connects = &self.scopes[scope].connects;
        connects.iter().any(|(c, routes)| c.key == channel.key && routes.iter().any(|r| r.key == route.key))
    }

    /// Without routes, whoever has an input of this name may get it.
    fn implicit(&self, process: ProcessId, signal: &str, out: &mut Vec<Way>) {
        let takes = |p: &ProcessInfo| mentions_input(&p.text.items, &p.text.body, signal, 0);
        for (i, p) in self.processes.iter().enumerate() {
            if i != process && takes(p) && !self.is_observer(i) {
                out.push(Way { end: Reach::Process(i), by: Vec::new() });
            }
        }
        if out.is_empty() {
            let outside = self.top_of(process).map(Reach::Environment);
            out.extend(outside.map(|end| Way { end, by: Vec::new() }));
        }
    }

    /// Goes to the end of a path, given the channels that delayed the signal so far.
    fn follow(&self, scope: usize, name: &Name, to: Option<&Name>, signal: &str, by: &[HopId], out: &mut Vec<Way>) {
        self.follow_in(scope, name, to, signal, (by, 0), out);
    }

    fn follow_in(
        &self,
        scope: usize,
        name: &Name,
        to: Option<&Name>,
        signal: &str,
        (by, depth): (&[HopId], usize),
        out: &mut Vec<Way>,
    ) {
        if depth > DEEPEST {
            return;
        }
        let Some(to) = to else { return self.leave(scope, name, signal, (by, depth + 1), out) };
        let inside = |p: &ProcessInfo| p.scope == scope && p.local == to.key;
        if let Some(i) = self.processes.iter().position(inside) {
            arrive(Reach::Process(i), by, out);
        } else if let Some(b) = (0..self.scopes.len()).find(|&b| self.is_block(b, scope, &to.key)) {
            self.enter(b, Some(name), signal, (by, depth + 1), out);
        }
    }

    fn is_block(&self, b: usize, parent: usize, key: &str) -> bool {
        self.scopes[b].parent == Some(parent) && self.scopes[b].key == key
    }

    /// Into a block, by a channel that leads to it.
    fn enter(
        &self,
        block: usize,
        name: Option<&Name>,
        signal: &str,
        (by, depth): (&[HopId], usize),
        out: &mut Vec<Way>,
    ) {
        let info = &self.scopes[block];
        let connected: Vec<&str> = info
            .connects
            .iter()
            .filter(|(c, _)| name.is_some_and(|b| b.key == c.key))
            .flat_map(|(_, routes)| routes.iter().map(|r| r.key.as_str()))
            .collect();
        for (number, c) in info.channels.iter().enumerate() {
            if !connected.is_empty() && !connected.contains(&c.name.key.as_str()) {
                continue;
            }
            let inwards = |(_, p): &(usize, &Path)| p.from.is_none() && self.carries(block, p, signal);
            for (path, p) in c.paths.iter().enumerate().filter(inwards) {
                let by = self.over(by, block, number, path);
                let follow = |to: &Option<Name>| {
                    self.follow_in(block, &c.name, to.as_ref(), signal, (&by, depth + 1), out);
                };
                p.to.iter().for_each(follow);
            }
        }
        if info.channels.is_empty() {
            for (i, p) in self.processes.iter().enumerate() {
                if p.scope == block && mentions_input(&p.text.items, &p.text.body, signal, 0) {
                    arrive(Reach::Process(i), by, out);
                }
            }
        }
    }

    /// Out of a scope, by a route that ends at its edge.
    fn leave(&self, scope: usize, name: &Name, signal: &str, (by, depth): (&[HopId], usize), out: &mut Vec<Way>) {
        let Some(parent) = self.scopes[scope].parent else { return arrive(Reach::Environment(scope), by, out) };
        let connected: Vec<&str> = self.scopes[scope]
            .connects
            .iter()
            .filter(|(_, routes)| routes.iter().any(|r| r.key == name.key))
            .map(|(c, _)| c.key.as_str())
            .collect();
        let own = &self.scopes[scope].key;
        for (number, c) in self.scopes[parent].channels.iter().enumerate() {
            if !connected.is_empty() && !connected.contains(&c.name.key.as_str()) {
                continue;
            }
            let from_here = |(_, p): &(usize, &Path)| p.from.as_ref().is_some_and(|n| n.key == *own);
            for (path, p) in c.paths.iter().enumerate().filter(from_here) {
                if self.carries(parent, p, signal) {
                    let by = self.over(by, parent, number, path);
                    let follow = |to: &Option<Name>| {
                        self.follow_in(parent, &c.name, to.as_ref(), signal, (&by, depth + 1), out);
                    };
                    p.to.iter().for_each(follow);
                }
            }
        }
    }

    pub fn several_systems(&self) -> bool {
        self.tops().nth(1).is_some()
    }

    /// Systems, but for those of observers, which take part in nothing.
    fn tops(&self) -> impl Iterator<Item = usize> {
        let observes = |top: usize| {
            let mut inside = (0..self.processes.len()).filter(|p| self.top_of(*p) == Some(top)).peekable();
            inside.peek().is_some() && inside.all(|p| self.is_observer(p))
        };
        (0..self.scopes.len()).filter(move |&s| self.scopes[s].parent.is_none() && !observes(s))
    }

    /// Who gets a signal that comes from the environment of a top scope.
    fn taken_from_outside(&self, top: usize, signal: &str) -> Vec<Way> {
        let mut out = Vec::new();
        self.enter(top, None, signal, (&[], 0), &mut out);
        out.retain(|way| matches!(way.end, Reach::Process(p) if !self.is_observer(p)));
        out
    }

    /// Replaces an environment by the other systems that take the signal.
    fn across_systems(&self, process: ProcessId, signal: &str, found: Vec<Way>) -> Vec<Way> {
        if self.tops().nth(1).is_none() {
            return found;
        }
        let mut out = Vec::new();
        for way in found {
            let Reach::Environment(top) = way.end else {
                out.push(way);
                continue;
            };
            let others = self.other_systems(process, top, signal);
            if others.is_empty() {
                out.push(way);
                continue;
            }
            out.extend(others.into_iter().map(|w| Way { by: [&way.by[..], &w.by].concat(), ..w }));
        }
        out
    }

    fn other_systems(&self, process: ProcessId, top: usize, signal: &str) -> Vec<Way> {
        let others = || self.tops().filter(|&t| t != top);
        let same: Vec<Way> = others().flat_map(|t| self.taken_from_outside(t, signal)).collect();
        if !same.is_empty() {
            return same;
        }
        // `up_check` is `check` of function `up`; `result` of `up` is `up_result` elsewhere.
        let prefixed = others().flat_map(|t| {
            let short = signal.strip_prefix(&format!("{}_", self.scopes[t].key)).unwrap_or("");
            self.taken_from_outside(t, short)
        });
        let mut found: Vec<Way> = prefixed.collect();
        if found.is_empty() {
            let long = format!("{}_{signal}", self.processes[process].name.key);
            found = others().flat_map(|t| self.taken_from_outside(t, &long)).collect();
        }
        found
    }

    /// The name under which a receiver in another system knows a signal.
    pub fn name_there(&self, sender: ProcessId, receiver: ProcessId, signal: &str) -> String {
        let (Some(a), Some(b)) = (self.top_of(sender), self.top_of(receiver)) else { return signal.to_string() };
        let takes = |name: &str| self.taken_from_outside(b, name).iter().any(|way| way.end == Reach::Process(receiver));
        if a == b || takes(signal) {
            return signal.to_string();
        }
        let short = signal.strip_prefix(&format!("{}_", self.scopes[b].key)).unwrap_or("");
        let long = format!("{}_{signal}", self.processes[sender].name.key);
        [short.to_string(), long].into_iter().find(|n| takes(n)).unwrap_or_else(|| signal.to_string())
    }

    /// Everything that may come from outside: signal and receiver.
    pub fn inputs_from_outside(&self) -> Vec<(SignalId, ProcessId, usize)> {
        let mut out = Vec::new();
        for top in self.tops() {
            for (id, s) in self.signals.iter().enumerate() {
                for way in self.taken_from_outside(top, &s.name.key) {
                    if let Reach::Process(p) = way.end
                        && !out.contains(&(id, p, top))
                    {
                        out.push((id, p, top));
                    }
                }
            }
        }
        out
    }
}

/// Notes a way, unless it is known.
fn arrive(end: Reach, by: &[HopId], out: &mut Vec<Way>) {
    let way = Way { end, by: by.to_vec() };
    if !out.contains(&way) {
        out.push(way);
    }
}

/// True if a type of processes has an instance of another name.
fn has_other_instance(items: &[Item], of: &Name, name: &Name, depth: usize) -> bool {
    items.iter().any(|i| match i {
        Item::ProcessUse(u) => u.of.as_ref().is_some_and(|o| o.key == of.key) && u.name.key != name.key,
        Item::Scope(s) => depth < DEEPEST && has_other_instance(&s.items, of, name, depth + 1),
        _ => false,
    })
}

/// True if a text takes a signal somewhere.
pub fn mentions_input(items: &[Item], body: &Body, signal: &str, depth: usize) -> bool {
    let takes = |part: &StatePart| match part {
        StatePart::Input(i) => match &i.what {
            InputWhat::Signals(list) => list.iter().any(|s| s.name.key == signal),
            _ => false,
        },
        StatePart::Save(Names::List(list)) => list.iter().any(|s| s.key == signal),
        _ => false,
    };
    some_part(items, body, &takes, depth)
}

/// True if a text takes whatever comes somewhere: `input *`.
pub fn takes_all(items: &[Item], body: &Body) -> bool {
    let all = |part: &StatePart| matches!(part, StatePart::Input(i) if matches!(i.what, InputWhat::All));
    some_part(items, body, &all, 0)
}

fn some_part(items: &[Item], body: &Body, is: &dyn Fn(&StatePart) -> bool, depth: usize) -> bool {
    if body.states.iter().any(|s| s.parts.iter().any(is)) {
        return true;
    }
    let inside = |item: &Item| match item {
        Item::Procedure(p) => p.body.as_ref().is_some_and(|b| some_part(&p.items, b, is, depth + 1)),
        Item::Composite(c) => some_part(&c.items, &c.body, is, depth + 1),
        _ => false,
    };
    depth < DEEPEST && items.iter().any(inside)
}

/// The operators of the sorts of all scopes.
fn find_operators<'a>(items: &'a [Item], found: &mut Vec<&'a Procedure>, depth: usize) {
    if depth > DEEPEST {
        return;
    }
    for item in items {
        match item {
            Item::Sort(def) => found.extend(&def.operators),
            Item::Scope(s) => find_operators(&s.items, found, depth + 1),
            Item::Process(p) => find_operators(&p.items, found, depth + 1),
            Item::Procedure(p) => find_operators(&p.items, found, depth + 1),
            Item::Composite(c) => find_operators(&c.items, found, depth + 1),
            _ => {}
        }
    }
}

/// Sorts and constants of all scopes. They are known everywhere, whatever SDL's rules on where they are visible say: those of one
/// name must be the same.
pub fn declare_sorts(items: &[Item], sorts: &mut Sorts, depth: usize) {
    if depth > DEEPEST {
        return;
    }
    // In one scope there may be only one of a name; files have none.
    let mut here = HashMap::new();
    for item in items {
        let (what, name, said) = match item {
            Item::Synonym(s) => ("synonyms", &s.name, &s.said),
            Item::Sort(s) => ("sorts", &s.name, &s.said),
            _ => continue,
        };
        let twice = here.insert((what, &name.key), name.span).filter(|_| depth > 0);
        sorts.only_one(what, name, said, twice);
    }
    for item in items {
        if let Item::Synonym(s) = item {
            let sort = s.sort.as_ref().map(|n| n.key.clone());
            let entry: (Constant, Span) = (Constant::Sdl(sort, s.value.clone()), s.name.span);
            sorts.constants.entry(s.name.key.clone()).or_insert(entry);
        }
    }
    for item in items {
        match item {
            Item::Sort(def) => sorts.declare(def),
            Item::Scope(s) => declare_sorts(&s.items, sorts, depth + 1),
            Item::Process(p) => declare_sorts(&p.items, sorts, depth + 1),
            Item::Procedure(p) => declare_sorts(&p.items, sorts, depth + 1),
            Item::Composite(c) => declare_sorts(&c.items, sorts, depth + 1),
            _ => {}
        }
    }
}
