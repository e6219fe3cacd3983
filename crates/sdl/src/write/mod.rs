//! The writer: a machine in, Promela out.
//!
//! Each process is a `proctype`, each state a label in front of one `atomic`, each transition an option of the `if`
//! in it (after Bosnacki, Dams, Holenderski and Sidorova, "Model checking SDL with Spin", TACAS 2000). We differ:
//! a full queue is an error instead of a wait; `save` is exact, by one turn of the queue inside the same atomic step;
//! processes are created from a pool of slots; timers whose order against queued signals matters send signals.

mod age;
mod environment;
mod expr;
mod names;
mod pids;
mod process;
mod state;
mod stmt;
mod text;
mod timers;
mod types;

use crate::ast::Mark;
use crate::machine::*;
use crate::options::{Options, Queues, Timers};
use crate::words::{At, ProcessWords, QueueWords, StateWords, VariableWords, Words};
use names::Names;
use starwheel_base::{Diagnostic, SourceMap};
use std::collections::HashMap;
pub use text::MapEntry;
use text::Text;
pub use timers::{LONGEST, each_of, each_stmt};

/// An `mtype` has no place for more names.
const MTYPES: usize = 255;

/// The number of the environment as a sender.
pub const ENVIRONMENT: i64 = 255;

/// Names and facts about a process that others need, too.
#[derive(Debug, Default)]
struct Desk {
    name: String,
    /// The queue, or the queues of the signals by their number.
    queue: String,
    queues: HashMap<SignalId, String>,
    timers: Vec<String>,
    timer_signals: Vec<String>,
    /// The queues of timers whose expiry waits in one of its own.
    timer_queues: Vec<String>,
    /// The timer that lets time pass while something spontaneous may happen.
    slice: Option<String>,
    /// How old the signals in a channel are, if it matters.
    ages: Option<age::Ages>,
    alive: Option<String>,
    /// The flag of who was killed and has not noticed yet.
    killed: String,
    parent: String,
    params: Vec<String>,
    /// The numbers of its instances, if they may change.
    number: Option<String>,
    /// Where it keeps SENDER, OFFSPRING and PARENT, if all must see them.
    kept: Vec<String>,
    /// Number of its first instance; 0 is NULL.
    first: i64,
    vars: Vec<String>,
    states: Vec<String>,
    labels: Vec<String>,
    /// Types of the slots of its queue behind the signal and the sender.
    slots: Vec<&'static str>,
    sender: String,
    offspring: String,
    parent_local: String,
    stopped: String,
    scratch: Scratch,
}

/// Variables for turning a queue.
#[derive(Debug, Default)]
struct Scratch {
    found: String,
    other: String,
    count: String,
    found_slots: Vec<String>,
    other_slots: Vec<String>,
    found_sender: String,
    other_sender: String,
}

pub struct Writer<'m> {
    m: &'m Machine,
    options: &'m Options,
    names: Names,
    text: Text<'m>,
    signals: Vec<String>,
    /// The type of a signal's name in a queue.
    name_field: &'static str,
    /// What names of signals are in messages, where they are numbers.
    numbers: HashMap<String, usize>,
    desks: Vec<Desk>,
    types: HashMap<usize, String>,
    /// All durations are divided by this.
    unit: i64,
    timed: bool,
    environment_slice: String,
    diagnostics: Vec<Diagnostic>,
}

/// What came out.
pub struct Written {
    pub text: String,
    pub map: Vec<MapEntry>,
    pub diagnostics: Vec<Diagnostic>,
    pub unit: i64,
    pub timed: bool,
    pub words: Words,
}

/// Writes a machine as Promela.
pub fn write(m: &mut Machine, options: &Options, sources: &SourceMap) -> Written {
    timers::decide(m, options);
    victims(m);
    m.processes.iter_mut().for_each(crate::returns::mark);
    pids::show(m);
    let unit = timers::unit(m, options);
    let timed = timers::timed(m, options);
    let mut w = Writer {
        m,
        options,
        names: Names::default(),
        text: Text::new(sources, options.lines),
        signals: Vec::new(),
        name_field: "mtype",
        numbers: HashMap::new(),
        desks: Vec::new(),
        types: HashMap::new(),
        unit,
        timed,
        environment_slice: String::new(),
        diagnostics: Vec::new(),
    };
    w.file();
    let words = w.words();
    Written { words, text: w.text.out, map: w.text.map, diagnostics: w.diagnostics, unit, timed }
}

/// Where somebody kills, everybody may be killed, who has then stopped.
fn victims(m: &mut Machine) {
    let mut kills = false;
    m.processes.iter().for_each(|p| each_stmt(p, &mut |s| kills |= matches!(s.kind, StmtKind::Kill(_))));
    for p in m.processes.iter_mut().filter(|p| kills && !p.carrier && !p.inlined) {
        (p.uses.killed, p.uses.stop) = (true, true);
    }
}

impl Writer<'_> {
    fn file(&mut self) {
        let m = self.m;
        self.text.plain(&format!("/* {}: translated to Promela by Starwheel */", m.name.replace("*/", "")));
        // A field cannot have the name of a signal: SPIN would read the signal.
        let name = |name: &str| if types::FIELDS.contains(&name) { format!("{name}_") } else { name.to_string() };
        self.signals = m.signals.iter().map(|s| self.names.take(&name(&s.name))).collect();
        for p in 0..m.processes.len() {
            let desk = self.desk(p);
            self.desks.push(desk);
        }
        if self.needs_environment() && self.timed {
            self.environment_slice = self.names.take("slice_env");
        }
        self.timer_declarations();
        self.type_declarations();
        self.global_declarations();
        // Observers read the variables of those that are written before them.
        for p in 0..m.processes.len() {
            let watched = self.local_names(p);
            watched.iter().for_each(|line| self.text.line(m.processes[p].span, line));
        }
        self.remembered();
        for p in 0..m.processes.len() {
            self.process(p);
        }
        self.environment();
        self.uninteresting();
        self.start_up();
        self.formulas();
    }

    /// What everything is called.
    fn words(&self) -> Words {
        let of = |p: ProcessId| {
            let (process, desk) = (&self.m.processes[p], &self.desks[p]);
            let state = |(i, s): (usize, &State)| {
                let mut keys: Vec<String> = s.path.iter().map(|n| n.to_lowercase()).collect();
                keys.push(s.name.to_lowercase());
                let at = match process.inlined {
                    true => At::Condition(self.property_text(&Ex::In(p, vec![i]))),
                    false => At::Label(desk.states[i].clone()),
                };
                StateWords { keys, at }
            };
            let vars = process.vars.iter().zip(&desk.vars).filter(|(v, _)| !v.hidden);
            ProcessWords {
                key: process.name.to_lowercase(),
                name: desk.name.clone(),
                states: process.states.iter().enumerate().map(state).collect(),
                variables: vars
                    .map(|(v, name)| VariableWords {
                        key: v.name.to_lowercase(),
                        name: name.clone(),
                        global: v.watched,
                        literals: self.m.sorts.literals_of(v.sort).to_vec(),
                    })
                    .collect(),
                queues: self.queue_words(p),
                sender: process.uses.sender,
                timers: desk.timers.iter().cloned().zip(process.timers.iter().map(|t| t.name.clone())).collect(),
            }
        };
        let signals = self.signals.iter().zip(&self.m.signals);
        let timers = self.m.processes.iter().enumerate().flat_map(|(p, process)| {
            (0..process.timers.len()).map(move |t| (self.stimulus_name(Stimulus::Timer(t), p), &process.timers[t].name))
        });
        let signals = signals.map(|(name, s)| (name.clone(), s.name.clone(), s.leaves.len()));
        let signals = signals.chain(timers.map(|(name, said)| (name, said.clone(), 0)));
        let sent = |name: String| match (self.options.queues, self.numbers.get(&name)) {
            (Queues::Process, Some(n)) => n.to_string(),
            _ => name,
        };
        Words {
            processes: (0..self.m.processes.len()).map(of).collect(),
            signals: signals.map(|(name, said, values)| (sent(name), said, values)).collect(),
            literals: self.m.sorts.plain_literals(),
            unit: self.timed.then(|| self.unit.max(1) as u64),
        }
    }

    fn queue_words(&self, p: ProcessId) -> Vec<QueueWords> {
        match self.options.queues {
            Queues::Process => vec![QueueWords { name: self.desks[p].queue.clone(), only: None }],
            Queues::Signal => {
                let of = |(s, name): (&SignalId, &String)| QueueWords {
                    name: name.clone(),
                    only: Some(self.signals[*s].clone()),
                };
                let timers = self.desks[p].timer_queues.iter().zip(&self.desks[p].timer_signals);
                let timers = timers.map(|(name, s)| QueueWords { name: name.clone(), only: Some(s.clone()) });
                self.desks[p].queues.iter().map(of).chain(timers).collect()
            }
        }
    }

    /// True if processes must be started one after the other, with numbers.
    fn numbered(&self) -> bool {
        self.m.processes.iter().any(|p| p.most > 1)
    }

    fn has_queue(&self, p: ProcessId) -> bool {
        !self.m.processes[p].accepts.is_empty() || self.m.processes[p].timers.iter().any(|t| t.queued)
    }

    /// Whether somebody may be gone, or not there yet.
    fn tracks(&self, p: ProcessId) -> bool {
        let process = &self.m.processes[p];
        process.uses.created || process.uses.killed || process.uses.stop && self.has_queue(p)
    }

    /// Names that belong to a process and are known everywhere.
    fn desk(&mut self, p: ProcessId) -> Desk {
        let m = self.m;
        let process = &m.processes[p];
        let name = self.names.take(&process.name);
        let first = first_number(&m.processes, p);
        let queue = self.names.take(&format!("in_{name}"));
        let mut queues = HashMap::new();
        if self.options.queues == Queues::Signal {
            for &s in &process.accepts {
                let q = self.names.take(&format!("in_{name}_{}", m.signals[s].name));
                queues.insert(s, q);
            }
        }
        let timers: Vec<String> =
            process.timers.iter().map(|t| self.names.take(&format!("{name}_{}", t.name))).collect();
        let timer_signals = process.timers.iter().map(|t| self.names.take(&format!("t_{name}_{}", t.name))).collect();
        let timer_queues = match self.options.queues {
            Queues::Process => Vec::new(),
            Queues::Signal => {
                process.timers.iter().map(|t| self.names.take(&format!("in_{name}_{}", t.name))).collect()
            }
        };
        let alive = self.tracks(p).then(|| self.names.take(&format!("{name}_alive")));
        let killed = if process.uses.killed { self.names.take(&format!("{name}_killed")) } else { String::new() };
        let number = (process.spare > 0).then(|| self.names.take(&format!("{name}_pid")));
        let parent = self.names.take(&format!("{name}_parent"));
        let params = (0..process.params.len()).map(|i| self.names.take(&format!("{name}_arg{i}"))).collect();
        let spontaneous = process
            .states
            .iter()
            .flat_map(|s| &s.triggers)
            .any(|t| matches!(t.kind, TriggerKind::Spontaneous { eager: false, .. }));
        let slice = ((spontaneous || process.carrier) && self.timed).then(|| self.names.take(&format!("slice_{name}")));
        let slots = self.slots(p);
        let ages = process.within.filter(|_| self.timed).map(|within| {
            let [ripe, late, head] = ["ripe", "late", "head"].map(|what| self.names.take(&format!("{what}_{name}")));
            age::Ages { ripe, late, head, within, room: self.options.queue }
        });
        Desk {
            name,
            queue,
            queues,
            timers,
            timer_signals,
            timer_queues,
            slice,
            ages,
            alive,
            killed,
            parent,
            params,
            number,
            first,
            slots,
            ..Desk::default()
        }
    }

    /// Each slot holds whatever any signal puts there.
    fn slots(&self, p: ProcessId) -> Vec<&'static str> {
        let process = &self.m.processes[p];
        let most = process.accepts.iter().map(|s| self.m.signals[*s].leaves.len()).max().unwrap_or(0);
        (0..most)
            .map(|i| {
                let leaves = process.accepts.iter().filter_map(|s| self.m.signals[*s].leaves.get(i));
                types::smallest(leaves.map(|l| types::leaf_bounds(self.m, l)))
            })
            .collect()
    }

    fn global_declarations(&mut self) {
        let m = self.m;
        let mut all: Vec<String> = self.signals.clone();
        for (p, process) in m.processes.iter().enumerate() {
            let by_name = self.options.queues == Queues::Process;
            let queued = process.timers.iter().zip(&self.desks[p].timer_signals).filter(|(t, _)| t.queued && by_name);
            all.extend(queued.map(|(_, s)| s.clone()));
        }
        if all.len() > MTYPES {
            self.name_field = "short";
            for (n, name) in all.iter().enumerate() {
                self.text.plain(&format!("#define {name} {}", n + 1));
                self.numbers.insert(name.clone(), n + 1);
            }
        } else if !all.is_empty() {
            self.text.plain(&format!("mtype = {{ {} }};", all.join(", ")));
        }
        for (p, process) in m.processes.iter().enumerate() {
            let desk = &self.desks[p];
            let many = if process.most > 1 { format!("[{}]", process.most) } else { String::new() };
            let mut lines = Vec::new();
            if self.options.queues == Queues::Signal {
                for &s in &process.accepts {
                    let mut fields: Vec<&str> = if process.uses.sender { vec!["byte"] } else { Vec::new() };
                    let leaves = &m.signals[s].leaves;
                    fields.extend(leaves.iter().map(|l| types::smallest([types::leaf_bounds(m, l)])));
                    if fields.is_empty() {
                        fields.push("bit");
                    }
                    let q = &desk.queues[&s];
                    lines.push(format!("chan {q}{many} = [{}] of {{ {} }};", self.options.queue, fields.join(", ")));
                }
                let field = if process.uses.sender { "byte" } else { "bit" };
                let queued = process.timers.iter().zip(&desk.timer_queues).filter(|(t, _)| t.queued);
                lines.extend(queued.map(|(_, q)| format!("chan {q}{many} = [1] of {{ {field} }};")));
            } else if self.has_queue(p) {
                let mut fields = vec![self.name_field];
                if process.uses.sender {
                    fields.push("byte");
                }
                fields.extend(&desk.slots);
                let room = self.options.queue + process.timers.iter().filter(|t| t.queued).count();
                lines.push(format!("chan {}{many} = [{room}] of {{ {} }};", desk.queue, fields.join(", ")));
            }
            if let Some(alive) = &desk.alive {
                let first = if process.most == 1 { format!(" = {}", process.initial.min(1)) } else { String::new() };
                lines.push(format!("bit {alive}{many}{first};"));
            }
            lines.extend(self.number_declaration(p));
            lines.extend(desk.ages.as_ref().filter(|a| a.room > 1).map(|a| format!("byte {};", a.head)));
            if process.uses.killed {
                lines.push(format!("bit {}{many};", desk.killed));
            }
            if process.uses.created {
                if process.uses.parent {
                    lines.push(format!("byte {}{many};", desk.parent));
                }
                for (leaf, name) in process.params.iter().zip(&desk.params) {
                    let kind = types::smallest([types::leaf_bounds(m, leaf)]);
                    lines.push(format!("{kind} {name}{many};"));
                }
            }
            for line in lines {
                self.text.line(process.span, &line);
            }
        }
    }

    /// With numbered instances, one step starts everybody.
    /// The condition that an observer has found the run to be of no interest any more, if one can.
    fn ignored(&self) -> Option<String> {
        let marked = |p: ProcessId| {
            let process = &self.m.processes[p];
            let observer = process.observer.as_ref().filter(|_| process.inlined)?;
            let states: Vec<StateId> =
                observer.marks.iter().filter(|m| m.0 == Mark::Ignore).flat_map(|m| m.1.clone()).collect();
            (!states.is_empty()).then(|| self.property_text(&Ex::In(p, states)))
        };
        (0..self.m.processes.len()).filter_map(marked).reduce(|a, b| format!("{a} || {b}"))
    }

    /// What stands behind the head of every process: nobody moves in a run that is of no interest any more.
    fn while_of_interest(&self) -> String {
        self.ignored().map_or(String::new(), |e| format!(" provided (!({e}))"))
    }

    /// The end of such runs, which is none that anybody complains about: one step that leads nowhere.
    fn uninteresting(&mut self) {
        let Some(e) = self.ignored() else { return };
        let active = if self.numbered() { "" } else { "active " };
        self.text.plain(&format!("{active}proctype Ignored() {{ end_: do :: ({e}) od }}"));
    }

    fn start_up(&mut self) {
        if !self.numbered() {
            return;
        }
        self.text.plain("init {");
        self.text.more();
        self.text.plain("atomic {");
        self.text.more();
        for (p, process) in self.m.processes.iter().enumerate().filter(|(_, q)| !q.inlined) {
            let name = self.desks[p].name.clone();
            for i in 0..process.most {
                let alive = self.desks[p].alive.clone().filter(|_| process.most > 1 && i < process.initial);
                if let Some(a) = alive {
                    self.text.plain(&format!("{a}[{i}] = 1;"));
                    if let Some(number) = self.desks[p].number.clone() {
                        self.text.plain(&format!("{number}[{i}] = {};", self.desks[p].first + i as i64));
                    }
                }
                let argument = if process.most > 1 { i.to_string() } else { String::new() };
                self.text.plain(&format!("run {name}({argument});"));
            }
        }
        if self.needs_environment() {
            self.text.plain("run Environment();");
        }
        if self.ignored().is_some() {
            self.text.plain("run Ignored();");
        }
        self.text.less();
        self.text.plain("}");
        self.text.less();
        self.text.plain("}");
    }

    fn formulas(&mut self) {
        let filters = self.m.properties.iter().filter(|p| p.kind == PropertyKind::FilterOut);
        let filter: Vec<String> = filters.map(|p| self.property_text(&p.what)).collect();
        let mut count = HashMap::new();
        for p in &self.m.properties {
            let e = self.property_text(&p.what);
            let out = filter.iter().map(|f| format!("({f})")).collect::<Vec<_>>().join(" || ");
            let (word, formula) = match p.kind {
                PropertyKind::FilterOut => continue,
                PropertyKind::Never if out.is_empty() => ("never", format!("[] !({e})")),
                PropertyKind::Always if out.is_empty() => ("always", format!("[] ({e})")),
                PropertyKind::Never => ("never", format!("(!({e})) W ({out})")),
                PropertyKind::Always => ("always", format!("({e}) W ({out})")),
                PropertyKind::Eventually if out.is_empty() => ("eventually", format!("<> ({e})")),
                PropertyKind::Eventually => ("eventually", format!("<> (({e}) || {out})")),
            };
            let n: &mut usize = count.entry(word).or_insert(0);
            *n += 1;
            let line = format!("ltl {word}_{n} {{ {formula} }}");
            self.text.line(p.span, &line);
        }
    }

    fn exact(&self) -> bool {
        self.options.timers == Timers::Exact
    }
}
