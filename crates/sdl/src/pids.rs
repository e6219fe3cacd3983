//! Which processes need more pids than they have instances, so that a pid never comes back while somebody remembers it.
//!
//! An instance has a slot, which is used again as soon as it has stopped, and a number, which is its pid. A new instance gets the first
//! number that no living instance has and nobody remembers: no variable and no signal on its way. So pids differ whenever
//! SDL's differ, and yet there are few of them.

use crate::lower::leaves;
use crate::machine::*;
use crate::options::Options;
use crate::sorts::{PID, Sorts};
use crate::write::each_stmt;

/// Gives spare numbers to all processes whose instances come and go and whose pids somebody may remember.
pub fn spare(processes: &mut [Process], sorts: &Sorts, signals: &[Signal], options: &Options) {
    let cells: usize = processes.iter().map(|p| remembers(p, sorts, signals, options)).fold(0, usize::saturating_add);
    // Where somebody kills, everybody may be gone.
    let mut kills = false;
    processes.iter().for_each(|p| each_stmt(p, &mut |s| kills |= matches!(s.kind, StmtKind::Kill(_))));
    let told: Vec<bool> = (0..processes.len()).map(|q| is_told(processes, q)).collect();
    for (p, told) in processes.iter_mut().zip(told) {
        if told && p.uses.created && (p.uses.stop || kills) {
            p.spare = cells.min(options.pids);
        }
    }
}

/// How many pids a process can remember.
fn remembers(p: &Process, sorts: &Sorts, signals: &[Signal], options: &Options) -> usize {
    let pids = |sort| leaves(sorts, sort).iter().filter(|l| l.sort == PID).count();
    let own = [p.uses.sender, p.uses.parent, p.uses.offspring].into_iter().filter(|u| *u).count();
    let vars: usize = p.vars.iter().map(|v| pids(v.sort)).sum();
    let carried = |s: &SignalId| signals[*s].leaves.iter().filter(|l| l.sort == PID).count();
    let message = p.accepts.iter().map(carried).max().unwrap_or(0) + usize::from(p.uses.sender);
    let queues = options.queue.saturating_mul(p.accepts.len());
    p.most.saturating_mul((own + vars).saturating_add(queues.saturating_mul(message)))
}

/// Whether anybody ever gets to know the pid of an instance of a process.
fn is_told(processes: &[Process], q: ProcessId) -> bool {
    let mut told = processes[q].uses.own || processes.iter().any(|p| p.uses.sender);
    for (p, process) in processes.iter().enumerate() {
        each_stmt(process, &mut |s| {
            if let StmtKind::Create { process: of, .. } = &s.kind {
                told |= *of == q && process.uses.offspring || p == q && processes[*of].uses.parent;
            }
        });
    }
    told
}
