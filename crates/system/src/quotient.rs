//! States that stand for others: each is renamed before anybody stores it, and trails can still be told as they are.

use crate::batch::Batch;
use crate::layer::Layer;
use crate::step::Step;
use crate::stepper::{Fired, Stepper, System};

/// Gives each state the name of its class: the same string of bytes for all states between which nobody need distinguish.
///
/// # Laws
///
/// Call two states *alike* if they are of the same class.
///
/// - The name is itself a state of the system, alike to those that it names. Only stored states get names, and the name of
///   one is never transient. Alike states should have the same name; where they have several, more states are stored than
///   need be, and nothing else is lost: a search goes on from names, so it visits one graph of names.
/// - Alike states can do the same: if one of them leads through transient states to a stored one, then the other leads to
///   an alike one in the same way, in as many steps, and what goes wrong on the way is of the same kind. If one of them is
///   stuck, accepting or without steps, so is the other.
/// - Hidden bytes (the first [`System::hidden_bytes`] ones) may be renamed, too; they do not make states different.
///
/// So a search of names alone finds an error if and only if there is one, and a cycle of names is a run without end of real
/// states. Nothing is said about which agent does what: fairness and partial orders are about that, and do not go together
/// with names unless somebody proves it.
pub trait Normaliser: Sync {
    /// Replaces a stored state by its name, which may have another number of bytes.
    fn normalise(&self, state: &mut Vec<u8>);

    /// Replaces all stored successors of a state by their names, with [`crate::Entry::changed`] as it is then. Who has no
    /// quicker way leaves it to [`one_by_one`].
    fn normalise_batch(&self, at: &[u8], out: &mut Batch);

    /// The same, and what became of each agent: `agents[i]` is the new number of agent `i`, for all 256 numbers there are.
    fn normalise_agents(&self, state: &mut Vec<u8>, agents: &mut Vec<u8>);

    /// Replaces a stored state by an alike one in which agent `i` is called `agents[i]`: the inverse of a renaming, or several
    /// in a row. Where names forget more than who is who, it may leave the state as it is: then trails are told by classes.
    fn rename(&self, agents: &[u8], state: &mut Vec<u8>);

    /// Replaces a stored state by bytes that alike states, and no others, have in common. It may take its time: only those
    /// who tell trails ask for it.
    fn class(&self, state: &mut Vec<u8>);
}

/// A system that lists all of its steps. Only such a one may be renamed: a layer that leaves out steps chooses them by who
/// makes them, so it belongs around the quotient, where it sees the names that the search goes on from, and not between the
/// names and the system in which trails are told. Whoever leaves out steps must not say that he is whole.
pub trait Whole: System {}

/// The system behind a quotient.
#[derive(Clone, Copy)]
pub struct Behind<'a> {
    /// The system whose states are renamed.
    pub system: &'a dyn System,
    /// How.
    pub normaliser: &'a dyn Normaliser,
}

/// A system in which every stored state is replaced by its name. Its steps are those of the names; [`System::behind`] gives
/// whoever shows them the system in which they have to be told.
///
/// Renaming is a layer, and no matter of searches or stores: they see a system like any other, in which equal states are
/// equal bytes, and where there is no quotient there is nothing to be asked.
#[derive(Clone, Copy)]
pub struct Quotient<'a>(Behind<'a>);

impl<'a> Quotient<'a> {
    /// A quotient of a system.
    pub fn new(system: &'a dyn Whole, normaliser: &'a dyn Normaliser) -> Quotient<'a> {
        Quotient(Behind { system, normaliser })
    }
}

impl System for Quotient<'_> {
    fn hidden_bytes(&self) -> usize {
        self.0.system.hidden_bytes()
    }

    fn transitions(&self) -> usize {
        self.0.system.transitions()
    }

    fn stepper(&self) -> Box<dyn Stepper + '_> {
        let Behind { system, normaliser } = self.0;
        Box::new(Renamer { inner: system.stepper(), normaliser })
    }

    fn behind(&self) -> Option<Behind<'_>> {
        Some(self.0)
    }
}

/// Replaces the stored successors of a state by their names, one after the other.
pub fn one_by_one(normaliser: &dyn Normaliser, at: &[u8], out: &mut Batch) {
    let mut name = std::mem::take(&mut out.next);
    for entry in &mut out.entries {
        if entry.broken() || entry.transient() {
            continue;
        }
        let place = entry.start as usize..(entry.start + entry.len) as usize;
        name.clear();
        name.extend_from_slice(&out.bytes[place.clone()]);
        normaliser.normalise(&mut name);
        // Which words a step changes is another matter once others may have changed their places.
        entry.changed = changed(at, &name);
        if name.len() == place.len() {
            out.bytes[place].copy_from_slice(&name);
        } else {
            (entry.start, entry.len, out.uniform) = (out.bytes.len() as u32, name.len() as u32, 0);
            out.bytes.extend_from_slice(&name);
        }
    }
    out.next = name;
}

/// The words in which two states differ, as [`crate::Entry::changed`] has it.
pub fn changed(before: &[u8], after: &[u8]) -> u64 {
    if before.len() != after.len() || before.len() > 64 * 4 {
        return u64::MAX;
    }
    let ((one, one_rest), (other, other_rest)) = (before.as_chunks::<4>(), after.as_chunks::<4>());
    let differs =
        |(i, (a, b)): (usize, (&[u8; 4], &[u8; 4]))| u64::from(u32::from_le_bytes(*a) != u32::from_le_bytes(*b)) << i;
    let rest = if one_rest == other_rest { 0 } else { 1 << one.len() };
    one.iter().zip(other).enumerate().map(differs).fold(rest, |bits, bit| bits | bit)
}

struct Renamer<'a> {
    inner: Box<dyn Stepper + 'a>,
    normaliser: &'a dyn Normaliser,
}

impl Layer for Renamer<'_> {
    fn inner(&self) -> &dyn Stepper {
        &*self.inner
    }

    fn inner_mut(&mut self) -> &mut dyn Stepper {
        &mut *self.inner
    }

    fn initial(&mut self, out: &mut Vec<u8>) -> Fired {
        let fired = self.inner.initial(out);
        if !fired.broken {
            self.normaliser.normalise(out);
        }
        fired
    }

    fn fire(&mut self, at: &[u8], step: Step, out: &mut Vec<u8>) -> Fired {
        let fired = self.inner.fire(at, step, out);
        if !fired.broken && !self.inner.transient(out) {
            self.normaliser.normalise(out);
        }
        fired
    }

    fn expand(&mut self, at: &[u8], out: &mut Batch) {
        self.inner.expand(at, out);
        self.normaliser.normalise_batch(at, out);
    }
}
