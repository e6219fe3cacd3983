//! The graph of all states by several processes: each writes about those that it owns, and the first one puts it together.

use super::explore::{Audience, Chains, Edge, Ended, Numbering, Shown};
use super::format::{self, Form, Writer, Written};
use super::{Exported, limit};
use crate::ask::plan::Plan;
use crate::crew::join;
use crate::memory::guard::MemoryGuard;
use crate::memory::rss;
use crate::open::Opened;
use crate::problem::{Code, Failure, Problem};
use crate::run::stop;
use starwheel_base::cancel::{Token, Watch};
use starwheel_distrib::graph::{NoGraph, Scribe, Sink, Size, graph};
use starwheel_engine::{Checks, Finding, Job, Limits, Monitor, Order, Stop, Tick};
use starwheel_jit::LazySystem;
use starwheel_model::{Stepper, System, Violation};
use std::cell::RefCell;
use std::io::{self, Write};
use std::ops::ControlFlow;
use std::rc::Rc;

/// What another process than the first one does for an export.
pub fn take_part(opened: &Opened, plan: &Plan) -> Result<(), Failure> {
    let Some(form) = plan.states else { return Ok(()) };
    pass(opened, plan, form, &mut io::sink()).map(|_| ())
}

/// Explores together with others. The first process writes the graph; what the others would write goes to it.
pub fn pass(opened: &Opened, plan: &Plan, form: Form, out: Written<'_>) -> Result<(Ended, Exported), Failure> {
    let alone = || Failure::from(Problem::error(Code::Processes, "there are no other processes"));
    let mut crew = join(opened, plan)?.ok_or_else(alone)?;
    let (sheet, watch) = (Sheet::default(), opened.reading.until.watch());
    let mut text = sheet.clone();
    let writer = Writer::new(opened, form, plan.labels, &mut text)?;
    let prologue = sheet.take();
    let system = LazySystem::new(&opened.model).until(opened.reading.until.clone());
    let memory = plan.memory_limit();
    let job = Job {
        search: Order::Groups,
        // Nothing that is wrong ends it.
        checks: Checks { assertions: false, end_states: false, run_time: false },
        all_errors: true,
        limits: Limits { memory, ..Limits::default() },
        resident: Some(rss::current_rss),
        ..Job::new(&system)
    };
    let mut pen = Pen { stepper: system.stepper(), chains: Chains::new(&watch), watch: &watch, writer, sheet };
    let mut file = File { out, prologue, form };
    let until = Until(&opened.reading.until);
    let guard = MemoryGuard::new(&until, memory);
    let drawn = graph(&job, &mut crew, (plan.wire, limit(plan, form)), &guard, &mut pen, &mut file);
    let Pen { mut writer, sheet, .. } = pen;
    let (ended, counts) = match drawn {
        Ok(Size { states, transitions }) => (Ended::Whole, Exported { states, transitions }),
        Err(why) => (ended(why), Exported { states: 0, transitions: 0 }),
    };
    writer.written = counts;
    let closed = writer.close(ended == Ended::Whole).and_then(|()| file.out.write_all(&sheet.take()));
    let closed = closed.and_then(|()| file.out.flush());
    Ok(match closed {
        Err(error) if ended == Ended::Whole => (Ended::Unwritable(error), counts),
        _ => (ended, counts),
    })
}

fn ended(why: NoGraph) -> Ended {
    match why {
        NoGraph::Limit(limit) => Ended::Limit(limit),
        NoGraph::Unwritten(error) => Ended::Unwritable(error),
        NoGraph::Stopped(Stop::StoreFull | Stop::Memory(_)) => Ended::Full,
        NoGraph::Stopped(Stop::Internal(why)) => Ended::Stopped(why),
        NoGraph::Stopped(stop) => Ended::Stopped(stop.to_string()),
    }
}

/// Ends the search when the token says so.
struct Until<'t>(&'t Token);

impl Monitor for Until<'_> {
    fn progress(&self, _: &Tick) -> ControlFlow<Stop> {
        self.0.why().map_or(ControlFlow::Continue(()), |why| ControlFlow::Break(stop(why)))
    }

    fn found(&self, _: &Finding) -> ControlFlow<Stop> {
        ControlFlow::Continue(())
    }
}

/// Text that is being written, shared by the one who writes and the one who takes it away.
#[derive(Clone, Default)]
struct Sheet(Rc<RefCell<Vec<u8>>>);

impl Sheet {
    fn take(&self) -> Vec<u8> {
        std::mem::take(&mut self.0.borrow_mut())
    }
}

impl Write for Sheet {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.borrow_mut().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Where the first process puts the graph.
struct File<'a> {
    out: Written<'a>,
    /// What the form begins with, whatever the graph.
    prologue: Vec<u8>,
    form: Form,
}

impl Sink for File<'_> {
    fn begin(&mut self, Size { states, transitions }: Size) -> io::Result<()> {
        if self.form == Form::Aut {
            format::aut_head(self.out, Exported { states, transitions })?;
        }
        self.out.write_all(&std::mem::take(&mut self.prologue))
    }

    fn page(&mut self, text: &[u8]) -> io::Result<()> {
        self.out.write_all(text)
    }
}

/// Writes states as one process alone would.
struct Pen<'a> {
    stepper: Box<dyn Stepper + 'a>,
    chains: Chains<'a>,
    watch: &'a Watch,
    writer: Writer<'a>,
    sheet: Sheet,
}

/// Shows the ends of transitions, which have the numbers of their places until better ones are known.
struct Ends<'s> {
    show: &'s mut dyn FnMut(&[u8]),
    count: u32,
}

impl Numbering for Ends<'_> {
    fn number(&mut self, state: &[u8]) -> Result<u32, Ended> {
        (self.show)(state);
        self.count += 1;
        Ok(self.count - 1)
    }
}

/// What is wrong, in words.
fn words(ended: Ended) -> String {
    match ended {
        Ended::NoValue(condition, state) => format!("the condition `{condition}` has no value in state {state}"),
        Ended::Unwritable(error) => error.to_string(),
        Ended::Stopped(why) => why,
        Ended::Cancelled => "it was ended".to_string(),
        Ended::Whole | Ended::Limit(_) | Ended::Full => "memory is full".to_string(),
    }
}

impl Scribe for Pen<'_> {
    type Note = (Vec<Edge>, Option<Violation>);

    fn follow(&mut self, state: &[u8], show: &mut dyn FnMut(&[u8])) -> Result<Self::Note, String> {
        if self.watch.stopped() {
            return Err(words(Ended::Cancelled));
        }
        let mut edges = Vec::new();
        self.chains.follow(&mut *self.stepper, state, &mut Ends { show, count: 0 }, &mut edges).map_err(words)?;
        let stuck = if edges.is_empty() { self.stepper.stuck(state) } else { None };
        Ok((edges, stuck))
    }

    fn write(
        &mut self,
        number: u64,
        state: &[u8],
        (mut edges, stuck): Self::Note,
        ends: &[u64],
        out: &mut Vec<u8>,
    ) -> Result<(), String> {
        let narrow = |number: u64| u32::try_from(number).map_err(|_| words(Ended::Full));
        for edge in &mut edges {
            if let Some(to) = &mut edge.to {
                *to = narrow(ends.get(*to as usize).copied().unwrap_or(u64::MAX))?;
            }
        }
        self.writer.see(&Shown { id: narrow(number)?, bytes: state, stuck, edges: &edges }).map_err(words)?;
        out.extend_from_slice(&self.sheet.take());
        Ok(())
    }
}
