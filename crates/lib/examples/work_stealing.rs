//! A work-stealing queue, after D. Chase and Y. Lev, "Dynamic circular work-stealing deque" (2005): its owner takes tasks from the
//! bottom, thieves steal them from the top, and no task is done twice. With `broken`, the owner takes the last task without asking
//! whether a thief was faster.

use starwheel::{Draft, Model, Properties, View};

struct Queue {
    tasks: u8,
    thieves: usize,
    broken: bool,
}

/// Part 0 is the queue, part 1 how often each task was done; then there is the owner, and then the thieves.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Part {
    /// Tasks from `top` to before `bottom` are there.
    Queue {
        top: u8,
        bottom: u8,
    },
    Done(Vec<u8>),
    Worker(At),
}

/// Where a worker is, and what it remembers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum At {
    Start,
    /// The owner has lowered the bottom.
    Lowered(u8),
    /// The owner wants the last task.
    Last(u8),
    /// A thief has read the top.
    Seen(u8),
    /// A thief wants this task.
    Wants(u8),
    Finished,
}

/// Who moves; what it does is where it is.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Moves(usize);

fn queue(part: &Part) -> (u8, u8) {
    match *part {
        Part::Queue { top, bottom } => (top, bottom),
        _ => unreachable!("part 0 is the queue"),
    }
}

fn at(part: &Part) -> At {
    match *part {
        Part::Worker(at) => at,
        _ => unreachable!("workers are behind the tasks"),
    }
}

impl Queue {
    /// What the owner does in one step: it takes from the bottom.
    fn owner(&self, now: At, (top, bottom): (u8, u8), s: &mut Draft<'_, Part>) -> At {
        match now {
            At::Start if bottom == 0 => At::Finished,
            At::Start => {
                s[0] = Part::Queue { top, bottom: bottom - 1 };
                At::Lowered(bottom - 1)
            }
            At::Lowered(task) if top > task => {
                s[0] = Part::Queue { top, bottom: top };
                At::Finished
            }
            At::Lowered(task) if top == task && !self.broken => At::Last(task),
            At::Lowered(task) => {
                done(s, task);
                At::Start
            }
            At::Last(task) => {
                // Compare and swap: only if no thief was faster.
                if top == task {
                    done(s, task);
                }
                s[0] = Part::Queue { top: task + 1, bottom: task + 1 };
                At::Finished
            }
            At::Seen(_) | At::Wants(_) | At::Finished => now,
        }
    }

    /// What a thief does in one step: it takes from the top.
    fn thief(&self, now: At, (top, bottom): (u8, u8), s: &mut Draft<'_, Part>) -> At {
        match now {
            At::Start => At::Seen(top),
            At::Seen(task) if task < bottom => At::Wants(task),
            At::Seen(_) => At::Finished,
            At::Wants(task) => {
                if top == task {
                    s[0] = Part::Queue { top: task + 1, bottom };
                    done(s, task);
                }
                At::Start
            }
            At::Lowered(_) | At::Last(_) | At::Finished => now,
        }
    }
}

fn done(s: &mut Draft<'_, Part>, task: u8) {
    let Part::Done(done) = &mut s[1] else { unreachable!() };
    done[usize::from(task)] += 1;
}

impl Model for Queue {
    type Part = Part;
    type Action = Moves;

    fn initial(&self) -> Vec<Vec<Part>> {
        let mut parts = vec![Part::Queue { top: 0, bottom: self.tasks }, Part::Done(vec![0; usize::from(self.tasks)])];
        parts.resize(3 + self.thieves, Part::Worker(At::Start));
        vec![parts]
    }

    fn actors(&self) -> usize {
        1 + self.thieves
    }

    fn actions(&self, actor: usize, s: &View<'_, Part>, out: &mut Vec<Moves>) {
        if at(&s[2 + actor]) != At::Finished {
            out.push(Moves(actor));
        }
    }

    fn apply(&self, &Moves(actor): &Moves, s: &mut Draft<'_, Part>) {
        let (now, queue) = (at(&s[2 + actor]), queue(&s[0]));
        let next = if actor == 0 { self.owner(now, queue, s) } else { self.thief(now, queue, s) };
        s[2 + actor] = Part::Worker(next);
    }

    fn properties(&self, all: &mut Properties<Self>) {
        let counts = |s: &View<'_, Part>, fine: fn(u8) -> bool| match &s[1] {
            Part::Done(done) => done.iter().all(|&times| fine(times)),
            _ => unreachable!("part 1 is what was done"),
        };
        all.always("no task is done twice", move |_, s| counts(s, |times| times <= 1));
        all.proposition("done", move |_, s| counts(s, |times| times == 1));
        all.ltl("every task is done", "<> done");
    }

    fn may_end(&self, _: &View<'_, Part>) -> bool {
        true
    }
}

fn main() -> std::process::ExitCode {
    starwheel::main(Queue { tasks: 3, thieves: 2, broken: std::env::var_os("BROKEN").is_some() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use starwheel::Checker;

    #[test]
    fn every_task_is_done_once() {
        for (tasks, thieves) in [(1, 1), (3, 2), (4, 3)] {
            let queue = Queue { tasks, thieves, broken: false };
            Checker::new(&queue).weakly_fair().run().expect("it can be checked").expect_holds();
        }
    }

    #[test]
    fn a_careless_owner_does_a_stolen_task_again() {
        let outcome =
            Checker::new(&Queue { tasks: 2, thieves: 1, broken: true }).bfs().run().expect("it can be checked");
        outcome.expect_violated("no task is done twice");
    }
}
