//! Histories of concurrent operations, as a part of a state: is there an order in which they could have happened one by one?
//!
//! Linearizability (M. Herlihy and J. Wing, 1990), decided as J. Wing and C. Gong do ("Testing and verifying concurrent objects",
//! 1993), with G. Lowe's memory of what was tried ("Testing for linearizability", 2017), so that no order is tried twice.

use std::collections::HashSet;
use std::hash::Hash;

/// An object whose operations happen one by one: what the concurrent one is compared with.
pub trait Object: Clone + Eq + Hash {
    /// What it can be asked to do.
    type Operation: Clone;
    /// What it answers.
    type Answer: PartialEq;

    /// Does it.
    fn perform(&mut self, operation: &Self::Operation) -> Self::Answer;
}

/// A register that is written and read.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Register<T>(pub T);

/// What a register can be asked to do.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum RegisterOperation<T> {
    /// To hold a value.
    Write(T),
    /// To tell its value.
    Read,
}

/// What a register answers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum RegisterAnswer<T> {
    /// It holds the value now.
    Written,
    /// Its value.
    Value(T),
}

impl<T: Clone + Eq + Hash> Object for Register<T> {
    type Operation = RegisterOperation<T>;
    type Answer = RegisterAnswer<T>;

    fn perform(&mut self, operation: &RegisterOperation<T>) -> RegisterAnswer<T> {
        match operation {
            RegisterOperation::Write(value) => {
                self.0 = value.clone();
                RegisterAnswer::Written
            }
            RegisterOperation::Read => RegisterAnswer::Value(self.0.clone()),
        }
    }
}

/// What clients asked and were answered, and which operations were over before which others began.
///
/// ```
/// use starwheel::linear::{History, Register, RegisterAnswer::*, RegisterOperation::*};
///
/// let mut history = History::new(2);
/// history.asks(0, Write('a'));
/// history.asks(1, Read);
/// history.answered(1, Value('a')); // fine: the write may have happened already
/// assert!(history.linearizable(Register(' ')));
/// history.asks(1, Read);
/// history.answered(1, Value(' ')); // not fine: it cannot be undone
/// assert!(!history.linearizable(Register(' ')));
/// ```
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct History<O, A> {
    clients: Vec<Client<O, A>>,
}

#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
struct Client<O, A> {
    /// Operations that are over.
    done: Vec<(Asked<O>, A)>,
    open: Option<Asked<O>>,
}

/// An operation, and how many of each other client were over when it began.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
struct Asked<O> {
    after: Vec<usize>,
    operation: O,
}

impl<O: Clone, A: PartialEq> History<O, A> {
    /// Nothing has happened.
    pub fn new(clients: usize) -> History<O, A> {
        History { clients: (0..clients).map(|_| Client { done: Vec::new(), open: None }).collect() }
    }

    /// A client begins an operation.
    ///
    /// # Panics
    /// If it waits for the answer to another one.
    pub fn asks(&mut self, client: usize, operation: O) {
        let over = |(i, c): (usize, &Client<O, A>)| if i == client { 0 } else { c.done.len() };
        let after = self.clients.iter().enumerate().map(over).collect();
        let open = self.clients[client].open.replace(Asked { after, operation });
        assert!(open.is_none(), "client {client} has not been answered yet");
    }

    /// A client gets its answer.
    ///
    /// # Panics
    /// If it has not asked.
    pub fn answered(&mut self, client: usize, answer: A) {
        let asked = self.clients[client].open.take();
        let Some(asked) = asked else { panic!("client {client} gets an answer and has not asked") };
        self.clients[client].done.push((asked, answer));
    }

    /// True if an object, in this state at the beginning, could have done all of it one by one: each operation at some moment
    /// between its beginning and its end; those that are not over may have happened or not.
    pub fn linearizable<T: Object<Operation = O, Answer = A>>(&self, object: T) -> bool {
        let mut tried = HashSet::new();
        let mut waiting = vec![(vec![0; self.clients.len()], object)];
        while let Some((places, object)) = waiting.pop() {
            if self.clients.iter().zip(&places).all(|(client, &place)| place >= client.done.len()) {
                return true;
            }
            for client in 0..self.clients.len() {
                if let Some(next) = self.next(client, &places, &object)
                    && tried.insert(next.clone())
                {
                    waiting.push(next);
                }
            }
        }
        false
    }

    /// What is left when a client's next operation happens now; `None` if it cannot.
    fn next<T: Object<Operation = O, Answer = A>>(
        &self,
        client: usize,
        places: &[usize],
        object: &T,
    ) -> Option<(Vec<usize>, T)> {
        let place = places[client];
        let own = &self.clients[client];
        let done = own.done.get(place);
        let asked = done.map(|d| &d.0).or(own.open.as_ref().filter(|_| place == own.done.len()))?;
        if asked.after.iter().zip(places).any(|(after, place)| place < after) {
            return None;
        }
        let mut object = object.clone();
        let answer = object.perform(&asked.operation);
        if done.is_some_and(|d| d.1 != answer) {
            return None;
        }
        let mut places = places.to_vec();
        places[client] += 1;
        Some((places, object))
    }
}
