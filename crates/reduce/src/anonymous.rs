//! Whether the numbers of processes can be seen by anybody.
//!
//! Processes die in the reverse order of their creation, so whether a process is gone when another one is started
//! decides about the new one's number: the end of a process and `run` do not commute (SPIN takes them to be safe, and
//! misses errors). If nobody can see numbers, though, a process at its end is as good as gone, and the two orders lead
//! to states that can do the same things.

use crate::ranges::Ranges;
use starwheel_base::scc::components;
use starwheel_model::{Expr, Model, Proctype, ProctypeId, ProctypeKind, Stmt, Transition};

/// True if beginnings and ends of processes may be treated as if they commuted.
pub fn anonymous(model: &Model) -> bool {
    unseen(model) && bounded(model)
}

/// The same, with what is known of counters: a `run` in a loop that counts is executed so many times at the most.
pub fn anonymous_among(model: &Model, ranges: &Ranges) -> bool {
    unseen(model) && (ranges.few() || bounded(model))
}

/// Whether nobody can see a number, but for how many there can be.
fn unseen(model: &Model) -> bool {
    let uses = model.uses;
    let hidden = !uses.last && !uses.priority && !uses.enabled && !uses.pc_value;
    hidden
        && !uses.remote_vars
        && !uses.remote_labels
        && model.proctypes.iter().all(|p| p.channels.is_empty())
        && started(model).iter().all(|&id| !sees_itself(model, id))
        && model.transitions.iter().all(plain)
        && model.proctypes.iter().all(|p| p.provided.as_ref().is_none_or(|e| !e.any(counts)))
}

/// The process types that are started by `run`.
fn started(model: &Model) -> Vec<ProctypeId> {
    let mut out = Vec::new();
    for t in &model.transitions {
        t.stmt.walk(&mut |e| {
            if let Expr::Run(run) = e {
                out.push(run.proctype);
            }
        });
    }
    out.sort();
    out.dedup();
    out
}

fn sees_itself(model: &Model, id: ProctypeId) -> bool {
    let mut found = false;
    let mut look = |e: &Expr| found |= *e == Expr::Pid;
    model.transitions.iter().filter(|t| t.proctype == id).for_each(|t| t.stmt.walk(&mut look));
    let p = model.proctype(id);
    p.init.iter().for_each(|s| s.walk(&mut look));
    p.provided.iter().for_each(|e| e.walk(&mut look));
    found
}

fn counts(e: &Expr) -> bool {
    matches!(e, Expr::NrPr | Expr::Last | Expr::Enabled(_) | Expr::PcValue(_) | Expr::RemoteLabel { .. })
}

/// No number of a process in a statement, and what `run` returns is not used.
fn plain(t: &Transition) -> bool {
    let mut good = true;
    t.stmt.walk(&mut |e| good &= !counts(e) && !matches!(e, Expr::RemoteVar { .. }));
    t.stmt.walk_stmts(&mut |s| match s {
        Stmt::Guard(Expr::Run(_)) | Stmt::Chain(_) | Stmt::DStep(_) => {}
        s => s.walk(&mut |e| good &= !matches!(e, Expr::Run(_))),
    });
    good
}

/// Whether there can never be too many processes, so that the limit cannot be seen, either: no `run` can be executed
/// twice by one process, and no type starts itself.
fn bounded(model: &Model) -> bool {
    let mut total = vec![0u64; model.proctypes.len()];
    for s in &model.starts {
        total[s.proctype.index()] += 1;
    }
    let runs = runs(model);
    if runs.iter().any(|r| r.2) {
        return false;
    }
    // As many rounds as there are types: longer chains of creation would be circular.
    let mut wave = total.clone();
    for _ in 0..=model.proctypes.len() {
        let mut next = vec![0u64; total.len()];
        for &(creator, created, _) in &runs {
            next[created.index()] += wave[creator.index()];
        }
        for (t, n) in total.iter_mut().zip(&next) {
            *t = t.saturating_add(*n).min(1 << 20);
        }
        wave = next.into_iter().map(|n| n.min(1 << 20)).collect();
    }
    wave.iter().all(|&n| n == 0) && total.iter().sum::<u64>() < 255
}

/// The processes that are started: by whom, of which type, and whether the same process may do it again.
fn runs(model: &Model) -> Vec<(ProctypeId, ProctypeId, bool)> {
    let mut out = Vec::new();
    for (i, p) in model.proctypes.iter().enumerate() {
        if matches!(p.kind, ProctypeKind::Process | ProctypeKind::Init) {
            runs_of(model, ProctypeId(i as u8), p, &mut out);
        }
    }
    out
}

/// Those of one type. A process can come back to a transition if it leads to where it started, on whatever way.
fn runs_of(model: &Model, id: ProctypeId, p: &Proctype, out: &mut Vec<(ProctypeId, ProctypeId, bool)>) {
    let mut successors = vec![Vec::new(); p.locs.len()];
    let mut starting = Vec::new();
    for (l, loc) in p.locs.iter().enumerate() {
        for t in loc.out.iter().map(|&t| model.transition(t)) {
            if t.stmt != Stmt::End {
                successors[l].push(t.to.index());
            }
            t.stmt.walk(&mut |e| {
                if let Expr::Run(run) = e {
                    starting.push((l, t, run.proctype));
                }
            });
        }
    }
    let found = components(&successors);
    for (from, t, started) in starting {
        let returns = matches!(t.stmt, Stmt::DStep(_)) || found.of[from] == found.of[t.to.index()];
        out.push((id, started, returns));
    }
}
