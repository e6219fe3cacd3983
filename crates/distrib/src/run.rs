//! A whole run of a search by several processes, from the first word between them to the report.

use crate::archive::{self, Archive, Shared};
use crate::codec::{Cut, Wire};
use crate::crew::{Crew, Left, Member, Outgoing, Trouble};
use crate::cycles::{self, Lasso};
use crate::gather::{Fetched, Gather, Summary};
use crate::heralds::endless;
use crate::levels;
use crate::running::Running;
use crate::search::Search;
use crate::wire::{Garbled, Rest};
use starwheel_engine::facts::{Axis, Crew as Threads, Exclusion, Facts, Method, Sequence, Sought, Stance, StoreKind};
use starwheel_engine::{
    Copies, Expander, Fairness, Flow, Job, Ledger, Misfit, Monitor, Net, Order, Report, Stop, Wish, explore_split, fit,
    trail,
};
use starwheel_reduce::Proviso;
use starwheel_store::{Exactness, Usage};
use starwheel_system::{Step, System};

/// Each process makes its own choices.
const UNAUDITED: Exclusion =
    Exclusion::hard(Axis::Processes, Axis::Audit, "what is chosen is looked at by one process");
const UNPREFERRED: Exclusion =
    Exclusion::hard(Axis::Processes, Axis::Switches, "what is preferred is looked for by one process");
/// What the files of one process are for.
const OWN_FILES: &[Exclusion] = &[
    Exclusion::hard(Axis::Save, Axis::Processes, "several processes save what they do in an archive"),
    Exclusion::hard(Axis::Resume, Axis::Processes, "several processes save what they do in an archive"),
];
/// Why searches on several machines are not saved.
const APART: &str = "a search is saved in files of one machine";

/// It visits all states in no order that anybody could count on. A reduction must be the same in all processes and at all times,
/// so only the choice itself may pay the cycle proviso: one that asks whether a successor is new would have to wait for its
/// owner's answer.
pub const DISTRIBUTED: Method = Method {
    name: "distributed",
    title: "the search by several processes",
    order: Some(Order::Groups),
    facts: Facts {
        looks_for: &[Sought::Errors, Sought::ClaimErrors],
        sequences: &[Sequence::DepthFirst],
        stores: &[(StoreKind::Tree, Threads::One)],
        provisos: &[Proviso::LookingAhead, Proviso::ByChoice],
        processes: Stance::Must,
        resumes: true,
        machine_code: true,
        not_together: &[
            UNAUDITED,
            UNPREFERRED,
            Exclusion::hard(Axis::Machines, Axis::Save, APART),
            Exclusion::hard(Axis::Machines, Axis::Resume, APART),
        ],
        ..Facts::NONE
    },
};

/// It visits all states first, and then finds out which of them are on cycles ([`cycles`]). Accepting cycles are not counted: the
/// first one is enough. Weak fairness is a matter of copies of states, as in the nested search. All waves see one fixed reduced system, or they would not count the same transitions.
pub const DISTRIBUTED_CYCLES: Method = Method {
    name: "distributed-cycles",
    title: "the search for cycles by several processes",
    order: Some(Order::Cndfs),
    facts: Facts {
        looks_for: Sought::CYCLES,
        sequences: &[Sequence::DepthFirst],
        stores: &[(StoreKind::Tree, Threads::One)],
        provisos: &[Proviso::LookingAhead, Proviso::ByChoice],
        processes: Stance::Must,
        machine_code: true,
        fairness: &[Fairness::Weak],
        not_together: &[
            UNAUDITED,
            Exclusion::hard(Axis::Processes, Axis::AllErrors, "several processes find one cycle"),
            Exclusion::hard(
                Axis::Fairness,
                Axis::Renaming,
                "a copy that waits for a process cannot tell which one it is",
            ),
        ],
        ..Facts::NONE
    },
};

/// It visits states by their distance, level by level ([`levels`]), and takes all steps: a reduction would make trails longer.
pub const DISTRIBUTED_LEVELS: Method = Method {
    name: "distributed-bfs",
    title: "the search shortest first by several processes",
    order: Some(Order::Bfs),
    facts: Facts {
        looks_for: &[Sought::Errors, Sought::ClaimErrors],
        sequences: &[Sequence::ShortestFirst],
        stores: &[(StoreKind::Tree, Threads::One)],
        processes: Stance::Must,
        machine_code: true,
        not_together: &[UNAUDITED, UNPREFERRED, Exclusion::FASTEST],
        ..Facts::NONE
    },
};

/// All searches of this crate.
pub const METHODS: [&Method; 3] = [&DISTRIBUTED, &DISTRIBUTED_CYCLES, &DISTRIBUTED_LEVELS];

/// Searches together with the other processes of a crew, all of which must be given the same job but for its limits. The report
/// of the first one is the answer; those of the others say nothing. A job that no search of this crate can do as it is asked for
/// is a misfit. What is saved goes to the archive.
pub fn run(
    job: &Job<'_>,
    crew: &mut Crew,
    wire: Wire,
    archive: Option<&dyn Archive>,
    watch: &dyn Monitor,
) -> Result<Report, Misfit> {
    let wish = Wish::of(job, &METHODS);
    let besides = if wish.save || wish.resume { OWN_FILES } else { &[] };
    fit(&Wish { shared: crew.shared(), save: wish.save || archive.is_some(), besides, ..wish }, &METHODS)?;
    Ok(search(job, crew, wire, archive, watch))
}

/// The same for a job that fits.
fn search(job: &Job<'_>, crew: &mut Crew, wire: Wire, archive: Option<&dyn Archive>, watch: &dyn Monitor) -> Report {
    let cycles = endless(job);
    let books = Ledger::new(job, watch);
    // Weak fairness is a matter of copies of states, and then of cycles like any others.
    let copies = Copies(job.system);
    let system: &dyn System = if job.fairness.is_some() { &copies } else { job.system };
    let cut = match agree(system, crew, wire) {
        Ok(cut) => cut,
        Err(trouble) => return gave_up(books, crew, trouble),
    };
    let place = (crew.index(), crew.count());
    let before = crew.traffic();
    let mut search = Search::new(job, system, books, place, (&cut, crew.window));
    let archive = match archive.map(|archive| archive::share(archive, crew)).transpose() {
        Ok(archive) => archive,
        Err(trouble) => return gave_up(search.books, crew, trouble),
    };
    match archive.as_ref().and_then(|a| Some((a.archive, a.record.as_deref()?))) {
        Some((archive, record)) => archive::resume(archive, record, &mut search),
        None => search.begin(),
    }
    let by_levels = job.search == Order::Bfs;
    let visited = match by_levels {
        true => levels::visit(&mut search, crew, job.system, !job.all_errors),
        false => visit(&mut search, crew, archive.as_ref(), &cut),
    };
    if let Err(trouble) = visited {
        return gave_up(search.books, crew, trouble);
    }
    let after = crew.traffic();
    let mut summary = Summary::of(&search, (after.0 - before.0, after.1 - before.1));
    let own = std::mem::replace(&mut search.expander, Expander::new(system));
    let mut lasso = None;
    if cycles {
        lasso = match without_end(&mut search, crew, job.goal.stutter) {
            Ok(lasso) => lasso,
            Err(trouble) => return gave_up(search.books, crew, trouble),
        };
        summary.stopped = search.stopped.clone();
        summary.done &= search.is_done();
        summary.traffic = search.traffic().collect();
    }
    let mut gather = Gather::new(&search, own, place, summary, !job.all_errors);
    gather.walks = by_levels.then_some(job.system);
    if let Err(trouble) = crew.phase(&mut gather) {
        return gave_up(search.books, crew, trouble);
    }
    let Gather { all, fetched, fault, .. } = gather;
    if place.0 != 0 {
        return gave_up(search.books, crew, Trouble::Mute);
    }
    let all: Vec<Summary> = all.into_iter().flatten().collect();
    conclude(job, system, search.books, &all, (fetched, lasso), fault.or(left_over(&all, place.1)))
}

/// A run without end among the states that were visited, if there is one and nobody was stopped.
fn without_end(search: &mut Search<'_>, crew: &mut Crew, stutter: bool) -> Result<Option<Lasso>, Trouble> {
    let early = cycles::early(search, crew)?;
    if early.is_some() || cycles::stopped(search, crew)? {
        return Ok(early);
    }
    cycles::find(search, crew, stutter)
}

/// Visits all states, and saves the search now and then if that is asked for.
pub fn visit(search: &mut Search<'_>, crew: &mut Crew, archive: Option<&Shared<'_>>, cut: &Cut) -> Result<(), Trouble> {
    let every = archive.and_then(|shared| shared.archive.every());
    let mut file = None;
    loop {
        let mut running = Running::new(search, every);
        crew.phase(&mut running)?;
        let paused = running.paused;
        let Some(shared) = archive.filter(|_| every.is_some()) else { return Ok(()) };
        // All were told to pause, or nobody was; but somebody may have stopped whom the others have not heard.
        if cycles::stopped(search, crew)? || !paused {
            return Ok(());
        }
        if file.is_none() {
            match archive::File::new(shared.archive, shared.generation, search.me(), cut) {
                Ok(new) => file = Some(new),
                Err(error) => search.stop(Stop::Disk(format!("the search cannot be saved: {error}"))),
            }
        }
        if cycles::stopped(search, crew)? {
            return Ok(());
        }
        if let Some(file) = &mut file {
            archive::save(file, search, crew)?;
        }
    }
}

/// The report of a search that could not go on.
fn gave_up(books: Ledger<'_>, crew: &Crew, trouble: Trouble) -> Report {
    let stop = Stop::Lost(crew.told(trouble));
    books.conclude(Flow::Break(Some(stop)), None, Exactness::Exact, Usage::default())
}

/// Whatever is open, unsent or on its way somewhere after the end of a search that nobody stopped: it proves nothing then.
fn left_over(all: &[Summary], processes: usize) -> Option<String> {
    if all.iter().any(|s| s.stopped.is_some()) {
        return None;
    }
    if all.len() != processes || all.iter().any(|s| !s.done || s.traffic.len() != processes) {
        return Some("a process ended with something left to do".to_string());
    }
    let pairs = (0..processes).flat_map(|from| (0..processes).map(move |to| (from, to)));
    let mut lost = pairs.filter(|&(from, to)| all[from].traffic[to].0 != all[to].traffic[from].1);
    lost.next().map(|(from, to)| format!("not all states that process {from} sent came to process {to}"))
}

fn conclude(
    job: &Job<'_>,
    system: &dyn System,
    mut books: Ledger<'_>,
    all: &[Summary],
    (fetched, lasso): (Vec<Fetched>, Option<Lasso>),
    fault: Option<String>,
) -> Report {
    let sum = |at: usize| all.iter().fold(0u64, |sum, s| sum.saturating_add(s.counts[at]));
    let most = |at: usize| all.iter().map(|s| s.counts[at]).max().unwrap_or(0);
    books.stats.states_stored = sum(0);
    books.stats.states_matched = sum(1);
    books.stats.atomic_steps = sum(3);
    books.stats.ticks = sum(4);
    books.stats.state_bytes = most(6).saturating_sub(if job.fairness.is_some() { Copies::BYTES as u64 } else { 0 });
    books.stats.net = Some(Net {
        processes: all.len() as u64,
        messages: sum(8),
        bytes: sum(9),
        remote: sum(2),
        balance: most(0) as f64 * all.len() as f64 / sum(0).max(1) as f64,
    });
    all.iter().for_each(|s| books.absorb(&s.executed, s.round));
    let mut flow =
        all.iter().filter_map(|s| s.stopped.clone()).map(Flow::Break).fold(Flow::Continue(()), starwheel_engine::worse);
    let before = books.errors;
    for Fetched { violation, path, mut chain, events } in fetched {
        if books.enough() {
            break;
        }
        let mut missing = false;
        let steps = || {
            let found = match job.search {
                Order::Bfs => levels::trail(system, &path).ok(),
                _ => trail(system, &path),
            };
            let mut steps = found.unwrap_or_else(|| {
                missing = true;
                Vec::new()
            });
            steps.append(&mut chain);
            steps
        };
        let found = books.event(&violation, steps);
        if missing {
            flow = Flow::Break(Some(Stop::Internal("the steps to an error cannot be found again".to_string())));
        }
        if let Flow::Break(Some(_)) = found {
            flow = found;
        }
        if job.all_errors {
            books.recount(&violation, events);
        }
    }
    if let (Some(lasso), false) = (lasso, books.enough()) {
        let found = books.cycle(|| steps(system, &lasso));
        if let Flow::Break(Some(_)) = found {
            flow = found;
        }
    }
    if job.all_errors {
        books.errors = before + sum(5);
    }
    if let Some(fault) = fault {
        flow = Flow::Break(Some(Stop::Internal(fault)));
    }
    books.conclude(flow, None, Exactness::Exact, Usage { states: sum(0), bytes: sum(7) })
}

/// The steps of a run without end, and where its cycle begins.
fn steps(system: &dyn System, lasso: &Lasso) -> Option<(Vec<Step>, usize)> {
    let stem = trail(system, &lasso.stem)?;
    let whole = lasso.stem.iter().chain(&lasso.cycle).cloned().collect::<Vec<_>>();
    // The way to the cycle may be found in another way again, but it has as many steps as it had.
    Some((trail(system, &whole)?, stem.len()))
}

/// Lets the first process say how states are cut for the way.
pub fn agree(system: &dyn System, crew: &mut Crew, wire: Wire) -> Result<Cut, Trouble> {
    let mut cut = (crew.index() == 0).then(|| Cut::new(wire, &explore_split(system)));
    let first = cut.is_some();
    crew.phase(&mut Agree { wire, cut: &mut cut, told: !first })?;
    cut.ok_or(Trouble::Garbled(0))
}

struct Agree<'c> {
    wire: Wire,
    cut: &'c mut Option<Cut>,
    told: bool,
}

impl Member for Agree<'_> {
    fn receive(&mut self, _from: usize, bytes: &[u8], _out: &mut Outgoing) -> Result<(), Garbled> {
        *self.cut = Some(Cut::read(self.wire, &mut Rest(bytes))?);
        Ok(())
    }

    fn work(&mut self, out: &mut Outgoing) -> Left {
        if let (Some(cut), false) = (&self.cut, self.told) {
            let mut bytes = Vec::new();
            cut.write(&mut bytes);
            out.tell_all(&bytes);
            self.told = true;
        }
        Left::Nothing
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn summary(traffic: &[(u64, u64)]) -> Summary {
        Summary { done: true, traffic: traffic.to_vec(), ..Summary::default() }
    }

    #[test]
    fn nothing_is_proved_while_anything_is_left_anywhere() {
        let whole = [summary(&[(0, 0), (5, 3)]), summary(&[(3, 5), (0, 0)])];
        assert_eq!(left_over(&whole, 2), None);
        assert!(left_over(&whole[..1], 2).is_some(), "one has not reported");
        let open = [whole[0].clone(), Summary { done: false, ..whole[1].clone() }];
        assert!(left_over(&open, 2).is_some(), "one has something open");
        let lost = [whole[0].clone(), summary(&[(3, 4), (0, 0)])];
        assert_eq!(left_over(&lost, 2).as_deref(), Some("not all states that process 0 sent came to process 1"));
        let short = [whole[0].clone(), summary(&[(3, 5)])];
        assert!(left_over(&short, 2).is_some(), "one knows nothing of itself");
        // Who was stopped proves nothing anyway.
        let stopped = [open[0].clone(), Summary { stopped: Some(None), ..open[1].clone() }];
        assert_eq!(left_over(&stopped, 2), None);
    }
}
