//! All successors of a stored state that are stored themselves: transient states are followed to their ends.
//!
//! The twin of `walk.rs` for searches that take all steps of a state at once. Both count the same.

use crate::parts::chain::Chains;
use crate::parts::frontier::GROUP;
use crate::parts::ledger::Flow;
use crate::parts::passed::{Passed, Sum};
use starwheel_model::{Batch, Entry, Fired, Step, Stepper, System, Violation};
use std::ops::Range;

/// Steps of a chain, or errors on it, after which it is broken off for a while, so that somebody can look at the clock.
pub const BREATH: usize = 1 << 9;
const MANY: usize = 1 << 6;
/// Transient states of a chain that keep room for more successors than they have.
const ROOMY: usize = 1 << 6;

/// One thread's way to expand states, with all its scratch memory.
pub struct Expander<'a> {
    stepper: Box<dyn Stepper + 'a>,
    /// The successors of the states of a group, by their numbers; then, behind [`GROUP`] of these, those of each transient
    /// state of the chain that is being followed.
    levels: Vec<Level>,
    /// The number of the state that was fired last.
    member: u8,
    /// Where its successors start among all of the group.
    own: usize,
    /// How deep it is in a chain that was broken off for a while; else zero.
    deep: usize,
    chains: Chains,
    /// Where successors of states far along a chain are made.
    scratch: Batch,
    passed: Passed,
    /// What was counted behind the state that was fired last, by way of transient states.
    sum: Sum,
    /// The states at the ends of chains, one behind the other.
    far: Vec<u8>,
    reached: Vec<Reached>,
    /// What went wrong during the last expansion.
    pub wrongs: Vec<Wrong>,
    /// By transition: true if it was executed at least once.
    pub executed: Vec<bool>,
    /// Steps into transient states.
    pub atomic_steps: u64,
    /// Arrivals at successors that are not shown, because each of them was shown before.
    pub repeated: u64,
    /// Steps of the clock.
    pub ticks: u64,
    /// True once a chain came round to a state that it had passed already.
    pub round: bool,
    /// Bytes of the longest state.
    pub longest: usize,
    /// True if a step that counts led nowhere.
    pub broke: bool,
}

/// Somebody to whom successors are shown; not a closure, since what is done with them must be compiled into the loop.
pub trait Stage {
    /// Shows a successor, and the units that may differ from the state itself.
    fn show(&mut self, state: &[u8], changed: u64);
}

/// Nobody.
struct Empty;

impl Stage for Empty {
    fn show(&mut self, _state: &[u8], _changed: u64) {}
}

/// The successors of one state on the way, and the one that is being followed.
#[derive(Debug, Default)]
struct Level {
    batch: Batch,
    next: usize,
    /// For a transient state: what was counted before it was entered.
    before: Sum,
}

/// Where a successor lies.
#[derive(Clone, Copy, Debug)]
struct Reached {
    start: u32,
    len: u32,
    /// The state of the group that it follows.
    member: u8,
    /// Behind a chain, hence in `far`; else in the batch of that state.
    far: bool,
}

/// Something that went wrong.
#[derive(Debug)]
pub struct Wrong {
    /// What it is.
    pub violation: Violation,
    /// The steps from the state that was expanded to it.
    pub chain: Vec<Step>,
}

impl<'a> Expander<'a> {
    /// An expander of the states of a system.
    pub fn new(system: &'a dyn System) -> Expander<'a> {
        Expander {
            stepper: system.stepper(),
            levels: (0..=GROUP).map(|_| Level::default()).collect(),
            member: 0,
            own: 0,
            deep: 0,
            chains: Chains::default(),
            scratch: Batch::default(),
            passed: Passed::default(),
            sum: Sum::default(),
            far: Vec::new(),
            reached: Vec::new(),
            wrongs: Vec::new(),
            executed: vec![false; system.transitions()],
            atomic_steps: 0,
            repeated: 0,
            ticks: 0,
            round: false,
            longest: 0,
            broke: false,
        }
    }

    /// Makes the successors of a state the current ones; it is a group of its own. On a long chain `pause` is asked now and
    /// then, given what went wrong so far, which it may take away.
    pub fn expand(&mut self, at: &[u8], mut pause: impl FnMut(&mut Vec<Wrong>) -> Flow) -> Flow {
        self.expand_onto(at, &mut Empty, |_, wrongs| pause(wrongs))
    }

    /// The same, and shows each successor to somebody, in the order of their numbers.
    #[inline]
    pub fn expand_onto<S: Stage>(
        &mut self,
        at: &[u8],
        stage: &mut S,
        mut pause: impl FnMut(&mut S, &mut Vec<Wrong>) -> Flow,
    ) -> Flow {
        self.begin();
        self.fire(at, 0);
        let (mut next, end) = (0, self.batch().entries.len());
        loop {
            next = self.near(next..end, stage);
            if next == end {
                return Flow::Continue(());
            }
            pause(stage, &mut self.wrongs)?;
        }
    }

    /// Begins a group of states: from now on all their successors are kept.
    pub fn begin(&mut self) {
        self.far.clear();
        self.reached.clear();
    }

    /// Where the successors on a level of the chain lie; level zero is the state itself.
    #[inline(always)]
    fn level(&self, depth: usize) -> usize {
        if depth == 0 { usize::from(self.member) } else { GROUP - 1 + depth }
    }

    /// The successors of the state that was fired last.
    #[inline(always)]
    fn batch(&self) -> &Batch {
        &self.levels[usize::from(self.member)].batch
    }

    /// Takes all steps of a state that has this number in its group, and makes none of them count: see [`Expander::near`].
    pub fn fire(&mut self, at: &[u8], member: usize) {
        debug_assert!(member < GROUP);
        self.member = (member % GROUP) as u8;
        self.own = self.reached.len();
        self.broke = false;
        if self.deep > 0 || !self.wrongs.is_empty() || !self.passed.is_clear() {
            self.forget();
        }
        self.sum = Sum::default();
        let level = &mut self.levels[usize::from(self.member)];
        self.stepper.expand(at, &mut level.batch);
        level.next = 0;
        match level.batch.entries.last() {
            None => self.stop(at),
            // Time passes where nothing else can happen, so a tick is the last step of its state.
            Some(last) => self.ticks += ticks(last),
        }
    }

    /// Forgets what is left of the state that was fired before.
    #[cold]
    #[inline(never)]
    fn forget(&mut self) {
        self.wrongs.clear();
        if std::mem::take(&mut self.deep) > 0 {
            self.chains.clear();
        }
        self.passed.clear();
    }

    /// Notes what is wrong with a state that has no steps.
    #[cold]
    #[inline(never)]
    fn stop(&mut self, at: &[u8]) {
        let chain = Vec::new();
        self.wrongs.extend(self.stepper.stuck(at).map(|violation| Wrong { violation, chain }));
    }

    /// The steps of the state, which may be put in another order before they count.
    pub fn entries(&mut self) -> &mut [Entry] {
        let batch = &mut self.levels[usize::from(self.member)].batch;
        // In another order they no longer lie one behind the other.
        batch.uniform = 0;
        &mut batch.entries
    }

    /// All steps of the state and their successors, if nothing goes wrong in any of them and all lead to stored states, as
    /// most do. They count then, and no other function need be called for them.
    #[inline(always)]
    pub fn plain(&mut self) -> Option<&mut Batch> {
        let batch = &mut self.levels[usize::from(self.member)].batch;
        let executed = &mut self.executed[..];
        if batch.uniform != 0 {
            self.longest = self.longest.max(batch.uniform as usize);
            batch.entries.iter().for_each(|entry| executed[entry.action as usize] = true);
            return Some(batch);
        }
        if batch.entries.iter().any(|entry| entry.special() != 0) {
            return None;
        }
        for entry in &batch.entries {
            executed[entry.action as usize] = true;
            if entry.flags & Entry::HANDSHAKE != 0 {
                executed[entry.partner_action as usize] = true;
            }
            self.longest = self.longest.max(entry.len as usize);
        }
        Some(batch)
    }

    /// Goes through steps of the state itself and shows the successors that they lead to, each with the units that may differ
    /// from it, as [`Entry::changed`] says. If a chain is long, it comes back with the step in the middle of which it is.
    #[inline(always)]
    pub fn near(&mut self, range: Range<usize>, stage: &mut impl Stage) -> usize {
        let Range { start: mut next, mut end } = range;
        let mut shown = self.reached.len();
        loop {
            let member = usize::from(self.member);
            let Batch { entries, bytes, .. } = &self.levels[member].batch;
            let (state, changed) = if shown < self.reached.len() {
                // Behind a chain.
                (self.successor(shown).0, u64::MAX)
            } else if let Some(entry) = entries[..end].get(next) {
                next += 1;
                // In most steps nothing goes wrong, and they lead to a stored state.
                if entry.special() != 0 {
                    if !self.through(next - 1) {
                        (next, end) = (next - 1, next - 1);
                    }
                    continue;
                }
                self.executed[entry.action as usize] = true;
                if entry.flags & Entry::HANDSHAKE != 0 {
                    self.executed[entry.partner_action as usize] = true;
                }
                let Entry { start, len, changed, .. } = *entry;
                self.longest = self.longest.max(len as usize);
                self.reached.push(Reached { start, len, member: self.member, far: false });
                (&bytes[start as usize..][..len as usize], changed)
            } else {
                return next;
            };
            shown += 1;
            stage.show(state, changed);
        }
    }

    /// Takes a step that may be the first of a chain, or goes on with it; false if it is broken off.
    #[inline(never)]
    fn through(&mut self, number: usize) -> bool {
        if self.deep == 0 {
            self.levels[usize::from(self.member)].next = number;
            self.take(0);
            self.deep = usize::from(self.follow(0));
        }
        self.deep = self.chain(self.deep);
        self.deep == 0
    }

    /// Follows the ways through the transient states that were entered, so many; how many it is in when it stops.
    fn chain(&mut self, mut depth: usize) -> usize {
        for _ in 0..BREATH {
            if depth == 0 {
                break;
            }
            if !self.take(depth) {
                if self.passed.remembers() {
                    let (below, before) = (&self.levels[self.level(depth - 1)], self.levels[self.level(depth)].before);
                    self.passed.leave(current(below), before, self.sum);
                }
                self.chains.pop();
                depth -= 1;
            } else if self.follow(depth) {
                depth += 1;
            }
            if self.wrongs.len() >= MANY {
                break;
            }
        }
        depth
    }

    /// Looks at the next step of a level; false if there is none.
    fn take(&mut self, depth: usize) -> bool {
        let level = self.level(depth);
        let level = &mut self.levels[level];
        let Some(entry) = level.batch.entries.get(level.next) else { return false };
        level.next += 1;
        self.executed[entry.action as usize] = true;
        if depth > 0 {
            let ticks = ticks(entry);
            self.ticks = self.ticks.saturating_add(ticks);
            self.sum.ticks = self.sum.ticks.saturating_add(ticks);
        }
        if let Some(action) = entry.step().second_action() {
            self.executed[action.index()] = true;
        }
        if entry.findings != 0 {
            self.note(depth);
        }
        true
    }

    /// Notes what went wrong in the current step of a level.
    fn note(&mut self, depth: usize) {
        self.sum.faults += 1;
        let level = &self.levels[self.level(depth)];
        let chain = (0..=depth).map(|depth| &self.levels[self.level(depth)]).map(|l| l.batch.step(l.next - 1));
        let chain: Vec<Step> = chain.collect();
        for violation in level.batch.violations(level.next - 1) {
            self.wrongs.push(Wrong { violation: violation.clone(), chain: chain.clone() });
        }
    }

    /// Puts down the successor of the current step of a level, or enters it if it is transient: true.
    fn follow(&mut self, depth: usize) -> bool {
        let level = &self.levels[self.level(depth)];
        let entry = level.batch.entries[level.next - 1];
        if entry.broken() {
            self.broke = true;
            self.sum.faults += 1;
            return false;
        }
        self.longest = self.longest.max(entry.len as usize);
        if entry.transient() {
            // After a step of a claim it is the system's turn, which is no atomic sequence.
            let inside = u64::from(!entry.step().actor.is_claim());
            self.atomic_steps = self.atomic_steps.saturating_add(inside);
            self.sum.atomic_steps = self.sum.atomic_steps.saturating_add(inside);
            return self.pass(depth);
        }
        self.sum.ends = self.sum.ends.saturating_add(u64::from(depth > 0));
        let (start, far) = match depth {
            0 => (entry.start, false),
            _ => (self.far.len() as u32, true),
        };
        if far {
            self.far.extend_from_slice(level.batch.state(level.next - 1));
        }
        self.reached.push(Reached { start, len: entry.len, member: self.member, far });
        false
    }

    /// Enters a transient state, unless this chain has done so already.
    fn pass(&mut self, depth: usize) -> bool {
        let (own, next) = (usize::from(self.member), self.level(depth + 1));
        if self.levels.len() == next {
            self.levels.push(Level::default());
        }
        let (lower, upper) = self.levels.split_at_mut(next);
        let at = |depth: usize| current(&lower[if depth == 0 { own } else { GROUP - 1 + depth }]);
        let state = at(depth);
        let hash = rapidhash::v3::rapidhash_v3(state);
        if depth > 0 && self.chains.contains(hash, |below| at(depth - 1 - below) == state) {
            self.round = true;
            self.sum.faults += 1;
            return false;
        }
        if let Some(behind) = self.passed.enter(state) {
            self.sum.add(behind);
            self.atomic_steps = self.atomic_steps.saturating_add(behind.atomic_steps);
            self.repeated = self.repeated.saturating_add(behind.ends);
            self.ticks = self.ticks.saturating_add(behind.ticks);
            return false;
        }
        if depth == 0 {
            self.chains.begin(hash);
        } else {
            self.chains.extend(hash);
        }
        upper[0].before = self.sum;
        if depth < ROOMY {
            self.stepper.expand(state, &mut upper[0].batch);
        } else {
            // A chain may be a million states long.
            self.stepper.expand(state, &mut self.scratch);
            upper[0].batch.copy_from(&self.scratch);
        }
        upper[0].next = 0;
        true
    }

    /// True if the state that was expanded has no steps.
    pub fn at_end(&self) -> bool {
        self.batch().is_empty()
    }

    /// Whether a state is accepting.
    pub fn accepting(&mut self, state: &[u8]) -> bool {
        self.stepper.accepting(state)
    }

    /// Shows all successors of the state that was fired last.
    #[inline]
    pub fn each(&self, mut show: impl FnMut(&[u8])) {
        for &Reached { start, len, far, .. } in &self.reached[self.own..] {
            let bytes = if far { &self.far } else { &self.batch().bytes };
            show(&bytes[start as usize..start as usize + len as usize]);
        }
    }

    /// The number of successors of all states of the group.
    pub fn count(&self) -> usize {
        self.reached.len()
    }

    /// A successor of the group, and the number of the state that it follows.
    #[inline]
    pub fn successor(&self, number: usize) -> (&[u8], usize) {
        let Reached { start, len, member, far } = self.reached[number];
        let member = usize::from(member);
        let bytes = if far { &self.far } else { &self.levels[member].batch.bytes };
        (&bytes[start as usize..start as usize + len as usize], member)
    }

    /// Makes the initial state the only successor, unless it has no meaning.
    pub fn initial(&mut self) -> Fired {
        self.begin();
        self.own = 0;
        let fired = self.stepper.initial(&mut self.far);
        if !fired.broken {
            self.longest = self.far.len();
            self.reached.push(Reached { start: 0, len: self.far.len() as u32, member: 0, far: true });
        }
        fired
    }
}

/// The state that the current step of a level leads to.
fn current(level: &Level) -> &[u8] {
    level.batch.state(level.next - 1)
}

/// One for a step of the clock.
fn ticks(entry: &Entry) -> u64 {
    u64::from(entry.flags & Entry::CLOCK != 0)
}
