//! Pids that do not come back: who remembers one, and the number of a new instance.
//!
//! Where the numbers of instances can change, everything that holds a pid is seen by all, and a macro asks whether a number is
//! remembered anywhere. CREATE looks for the first one that is not. `crate::pids` says where that is needed.

use super::Writer;
use super::stmt::Lines;
use crate::machine::*;
use crate::options::Queues;
use crate::sorts::PID;

/// The macro that asks whether a number is remembered.
const REMEMBERED: &str = "pid_remembered";

/// Lets everybody see the variables that hold pids, if numbers are given away.
pub fn show(m: &mut Machine) {
    if m.processes.iter().all(|p| p.spare == 0) {
        return;
    }
    let sorts = &m.sorts;
    for v in m.processes.iter_mut().flat_map(|p| &mut p.vars) {
        v.watched |= crate::lower::leaves(sorts, v.sort).iter().any(|l| l.sort == PID);
    }
}

impl Writer<'_> {
    /// True if some instances have no number of their own.
    fn gives_numbers(&self) -> bool {
        self.m.processes.iter().any(|p| p.spare > 0)
    }

    /// The number of an instance.
    pub fn number_of(&self, q: ProcessId, i: usize) -> String {
        let desk = &self.desks[q];
        match &desk.number {
            Some(number) if self.m.processes[q].most > 1 => format!("{number}[{i}]"),
            Some(number) => number.clone(),
            None => (desk.first + i as i64).to_string(),
        }
    }

    /// The condition that a pid is that of an instance which lives.
    pub fn is_number(&self, pid: &str, q: ProcessId, i: usize) -> String {
        let number = self.number_of(q, i);
        match &self.desks[q].number {
            // Nobody's number is that of whoever is not there.
            Some(_) => format!("{} && {pid} == {number}", self.alive(q, i)),
            None => format!("{pid} == {number}"),
        }
    }

    pub fn number_declaration(&self, p: ProcessId) -> Option<String> {
        let (process, desk) = (&self.m.processes[p], &self.desks[p]);
        let number = desk.number.as_ref()?;
        Some(match (process.most, process.initial) {
            (1, 0) => format!("byte {number};"),
            (1, _) => format!("byte {number} = {};", desk.first),
            (most, _) => format!("byte {number}[{most}];"),
        })
    }

    /// Names for SENDER, OFFSPRING and PARENT that all can see; none if nobody needs to.
    pub fn kept(&mut self, p: ProcessId) -> Vec<String> {
        if !self.gives_numbers() || self.m.processes[p].inlined {
            return Vec::new();
        }
        let name = self.desks[p].name.clone();
        // What CREATE leaves for the new instance is called `_parent` already.
        ["_sender", "_offspring", "_parent_"].map(|what| self.names.take(&format!("{name}{what}"))).to_vec()
    }

    fn kept_cells(&self, p: ProcessId) -> Vec<&String> {
        let uses = self.m.processes[p].uses;
        let used = [uses.sender, uses.offspring, uses.parent];
        self.desks[p].kept.iter().zip(used).filter(|k| k.1).map(|k| k.0).collect()
    }

    pub fn kept_declarations(&self, p: ProcessId) -> Vec<String> {
        let most = self.m.processes[p].most;
        let many = if most > 1 { format!("[{most}]") } else { String::new() };
        self.kept_cells(p).iter().map(|name| format!("byte {name}{many};")).collect()
    }

    /// The macro that asks whether anybody remembers a number.
    pub fn remembered(&mut self) {
        if !self.gives_numbers() {
            return;
        }
        let mut all = Vec::new();
        for (p, process) in self.m.processes.iter().enumerate() {
            for i in 0..process.most {
                let index = if process.most > 1 { format!("[{i}]") } else { String::new() };
                all.extend(self.cells(p, &index).iter().map(|cell| format!("{cell} == (some_pid)")));
                all.extend(self.carried(p, &index));
            }
        }
        let any = if all.is_empty() { "false".to_string() } else { all.join(" || ") };
        self.text.plain(&format!("#define {REMEMBERED}(some_pid) ({any})"));
    }

    /// Where an instance keeps pids.
    fn cells(&self, p: ProcessId, index: &str) -> Vec<String> {
        let (process, desk) = (&self.m.processes[p], &self.desks[p]);
        let mut all: Vec<String> = self.kept_cells(p).iter().map(|name| format!("{name}{index}")).collect();
        for (var, v) in process.vars.iter().enumerate().filter(|(_, v)| v.watched) {
            let pids = crate::lower::leaves(&self.m.sorts, v.sort).into_iter().filter(|l| l.sort == PID);
            all.extend(pids.map(|l| {
                let place = self.place(&Place { process: None, var, path: l.path }, p);
                let (name, rest) = place.split_at(desk.vars[var].len());
                format!("{name}{index}{}", rest.strip_prefix("[me]").unwrap_or(rest))
            }));
        }
        if process.uses.created {
            let given = process.params.iter().zip(&desk.params).filter(|(l, _)| l.sort == PID).map(|(_, name)| name);
            let given = given.chain(process.uses.parent.then_some(&desk.parent));
            all.extend(given.map(|name| format!("{name}{index}")));
        }
        all
    }

    /// Questions whether a number is in a queue, as a sender or as a value.
    fn carried(&self, p: ProcessId, index: &str) -> Vec<String> {
        let process = &self.m.processes[p];
        let sender = usize::from(process.uses.sender);
        let ask = |queue: &str, first: &[String], width: usize, at: usize| {
            let mut fields = first.to_vec();
            fields.extend((0..width).map(|i| if i == at { "eval(some_pid)".to_string() } else { "_".to_string() }));
            format!("{queue}??[{}]", fields.join(","))
        };
        let mut all = Vec::new();
        if sender == 1 && self.options.queues == Queues::Process && self.has_queue(p) {
            let queue = format!("{}{index}", self.desks[p].queue);
            all.push(ask(&queue, &["_".to_string()], self.width(p), 0));
        }
        for &s in &process.accepts {
            let leaves = &self.m.signals[s].leaves;
            let queue = self.queue_of(p, s, index);
            let pids = leaves.iter().enumerate().filter(|(_, l)| l.sort == PID).map(|(i, _)| i + sender);
            match self.options.queues {
                Queues::Process => {
                    all.extend(pids.map(|i| ask(&queue, std::slice::from_ref(&self.signals[s]), self.width(p), i)));
                }
                Queues::Signal => {
                    let own = (sender == 1).then_some(0);
                    all.extend(own.into_iter().chain(pids).map(|i| ask(&queue, &[], leaves.len() + sender, i)));
                }
            }
        }
        all
    }

    /// The number of an instance that `p` has just created: the first that nobody has or remembers.
    pub fn new_number(&mut self, q: ProcessId, i: usize, p: ProcessId, out: &mut Lines) {
        let process = &self.m.processes[q];
        let number = self.number_of(q, i);
        let first = self.desks[q].first;
        let last = first + process.numbers() - 1;
        let others = (0..process.most).filter(|j| *j != i).map(|j| format!("{} == {number}", self.number_of(q, j)));
        let taken: Vec<String> = others.chain([format!("{REMEMBERED}({number})")]).collect();
        let taken = format!("{number} <= {last} && ({})", taken.join(" || "));
        if self.m.processes[p].uses.offspring {
            // What is about to be forgotten is nothing to be remembered.
            out.push(format!("{} = 0;", self.desks[p].offspring));
        }
        out.push(format!("d_step {{ {number} = {first};"));
        out.push(format!("do :: {taken} -> {number}++"));
        out.push(format!(":: !({taken}) -> break od }};"));
        let fault = format!(
            "more than {} pids of stopped instances of `{}` are remembered (`--pids {}`)",
            process.spare, process.name, self.options.pids
        );
        out.assert(&format!("{number} <= {last}"), fault);
    }
}
