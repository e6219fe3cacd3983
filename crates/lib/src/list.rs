//! Lists that share their tails: a log that grows by an entry costs that entry.

use crate::term::Term;
use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};

/// A list, newest entry first. Equal lists are one, and so are equal tails: to compare two of them takes no time, and to push an
/// entry makes one new node however long the list is.
///
/// ```
/// use starwheel::List;
/// let log: List<u32> = [1, 2, 3].into_iter().collect(); // 3 was pushed last
/// assert_eq!(log.first(), Some(&3));
/// assert_eq!(log.len(), 3);
/// assert_eq!(log.rest(), [1, 2].into_iter().collect());
/// assert_eq!(log.iter().copied().collect::<Vec<_>>(), [3, 2, 1]);
/// ```
pub struct List<T>(Option<Term<Cons<T>>>);

#[derive(PartialEq, Eq, Hash)]
struct Cons<T> {
    len: usize,
    head: T,
    tail: List<T>,
}

impl<T> List<T> {
    /// The empty list.
    pub const fn new() -> List<T> {
        List(None)
    }

    /// The entry that was pushed last.
    pub fn first(&self) -> Option<&T> {
        self.0.as_ref().map(|cons| &cons.head)
    }

    /// The list before the last entry was pushed; empty if it is empty.
    pub fn rest(&self) -> List<T> {
        self.0.as_ref().map_or(List(None), |cons| cons.tail.clone())
    }

    /// The number of entries; takes no time.
    pub fn len(&self) -> usize {
        self.0.as_ref().map_or(0, |cons| cons.len)
    }

    /// True if there is no entry.
    pub fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// The entries, newest first.
    pub fn iter(&self) -> impl Iterator<Item = &T> {
        std::iter::successors(self.0.as_ref(), |cons| cons.tail.0.as_ref()).map(|cons| &cons.head)
    }

    /// The list as it was when it had so many entries, or as it is if it has no more.
    pub fn first_pushed(&self, count: usize) -> List<T> {
        let mut at = self;
        while let Some(cons) = at.0.as_ref().filter(|cons| cons.len > count) {
            at = &cons.tail;
        }
        at.clone()
    }

    /// True if this list was once the other one: nothing was taken away from it or put in between.
    pub fn extends(&self, other: &List<T>) -> bool {
        self.first_pushed(other.len()) == *other
    }
}

impl<T: Eq + Hash + Send + Sync + 'static> List<T> {
    /// The list with one more entry in front.
    #[must_use]
    pub fn pushed(&self, head: T) -> List<T> {
        List(Some(Term::new(Cons { len: self.len() + 1, head, tail: self.clone() })))
    }

    /// Puts an entry in front.
    pub fn push(&mut self, head: T) {
        *self = self.pushed(head);
    }
}

impl<T: Eq + Hash + Send + Sync + 'static> FromIterator<T> for List<T> {
    fn from_iter<I: IntoIterator<Item = T>>(entries: I) -> List<T> {
        entries.into_iter().fold(List::new(), |list, entry| list.pushed(entry))
    }
}

impl<T> Clone for List<T> {
    fn clone(&self) -> List<T> {
        List(self.0.clone())
    }
}

impl<T> PartialEq for List<T> {
    fn eq(&self, other: &List<T>) -> bool {
        self.0 == other.0
    }
}

impl<T> Eq for List<T> {}

impl<T> Hash for List<T> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.hash(state);
    }
}

impl<T: Ord> PartialOrd for List<T> {
    fn partial_cmp(&self, other: &List<T>) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<T: Ord> Ord for List<T> {
    fn cmp(&self, other: &List<T>) -> Ordering {
        if self == other { Ordering::Equal } else { self.iter().cmp(other.iter()) }
    }
}

impl<T> Default for List<T> {
    fn default() -> List<T> {
        List(None)
    }
}

impl<T: fmt::Debug> fmt::Debug for List<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

impl<T> Drop for List<T> {
    /// A long list is taken apart in a loop: to drop the tail of a tail would use up the stack.
    fn drop(&mut self) {
        let mut next = self.0.take();
        while let Some(mut cons) = next.and_then(Term::into_inner) {
            next = cons.tail.0.take();
        }
    }
}
