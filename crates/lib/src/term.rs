//! Values that are stored once: equal ones are one value, and what contains them contains a pointer.
//!
//! Hash-consing (E. Goto, "Monocopy and associative algorithms in an extended Lisp", 1974; J.-C. Filliâtre and S. Conchon,
//! "Type-safe modular hash-consing", 2006). A value of type [`Term`] is looked up when it is made, so two of them are equal if
//! and only if they are at the same place, and its hash, which is one of contents, is computed once: a tree of a thousand nodes
//! is compared and hashed in no time, and a step that changes a leaf makes as many nodes as the tree is deep. Values that
//! nobody holds any more are forgotten when their table grows.

use crate::parts::content_hash;
use std::any::{Any, TypeId};
use std::cell::RefCell;
use std::cmp::Ordering;
use std::collections::HashMap;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::Deref;
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};

/// A value that is stored once.
///
/// ```
/// use starwheel::Term;
///
/// #[derive(Clone, PartialEq, Eq, Hash, Debug)]
/// enum Tree {
///     Leaf(u32),
///     Fork(Term<Tree>, Term<Tree>),
/// }
///
/// let leaf = Term::new(Tree::Leaf(1));
/// let one = Term::new(Tree::Fork(leaf.clone(), leaf.clone()));
/// let other = Term::new(Tree::Fork(leaf.clone(), Term::new(Tree::Leaf(1))));
/// assert_eq!(one, other); // the same place: no tree is walked through
/// ```
pub struct Term<T>(Arc<Node<T>>);

struct Node<T> {
    hash: u64,
    value: T,
}

/// All values of one type.
struct Table<T> {
    shards: Vec<Mutex<Shard<T>>>,
}

struct Shard<T> {
    values: HashMap<u64, Vec<Weak<Node<T>>>>,
    /// How many there are, living or not, and with how many the dead are thrown out.
    count: usize,
    limit: usize,
}

const SHARDS: usize = 32;
const FEW: usize = 1 << 10;

impl<T> Default for Shard<T> {
    fn default() -> Shard<T> {
        Shard { values: HashMap::new(), count: 0, limit: FEW }
    }
}

type Tables = HashMap<TypeId, &'static (dyn Any + Send + Sync)>;

/// The table of a type, which lives as long as the program.
fn table<T: Send + Sync + 'static>() -> &'static Table<T> {
    static ALL: OnceLock<Mutex<Tables>> = OnceLock::new();
    thread_local! {
        static OWN: RefCell<Tables> = RefCell::new(HashMap::new());
    }
    let id = TypeId::of::<Table<T>>();
    let fresh = || -> &'static (dyn Any + Send + Sync) {
        Box::leak(Box::new(Table::<T> { shards: (0..SHARDS).map(|_| Mutex::default()).collect() }))
    };
    let shared = || {
        *ALL.get_or_init(Mutex::default).lock().unwrap_or_else(PoisonError::into_inner).entry(id).or_insert_with(fresh)
    };
    let found = OWN.with_borrow_mut(|own| *own.entry(id).or_insert_with(shared));
    found.downcast_ref().expect("tables are kept by their type")
}

impl<T: Eq> Shard<T> {
    /// Throws out what nobody holds.
    fn sweep(&mut self) {
        self.values.retain(|_, same| {
            same.retain(|weak| weak.strong_count() > 0);
            !same.is_empty()
        });
        self.count = self.values.values().map(Vec::len).sum();
        self.limit = (self.count * 2).max(FEW);
    }
}

impl<T: Eq + Hash + Send + Sync + 'static> Term<T> {
    /// The one value that is equal to this one.
    pub fn new(value: T) -> Term<T> {
        let hash = content_hash(&value);
        let shard = &table::<T>().shards[(hash >> 59) as usize];
        let mut shard = shard.lock().unwrap_or_else(PoisonError::into_inner);
        if shard.count >= shard.limit {
            shard.sweep();
        }
        let same = shard.values.entry(hash).or_default();
        // One that is just being dropped does not come back: then there is a new one.
        if let Some(known) = same.iter().filter_map(Weak::upgrade).find(|node| node.value == value) {
            return Term(known);
        }
        let node = Arc::new(Node { hash, value });
        same.push(Arc::downgrade(&node));
        shard.count += 1;
        Term(node)
    }
}

impl<T> Term<T> {
    /// The value itself, if nobody else holds it.
    pub(crate) fn into_inner(self) -> Option<T> {
        Arc::into_inner(self.0).map(|node| node.value)
    }
}

impl<T> Clone for Term<T> {
    fn clone(&self) -> Term<T> {
        Term(Arc::clone(&self.0))
    }
}

impl<T> Deref for Term<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0.value
    }
}

impl<T> PartialEq for Term<T> {
    fn eq(&self, other: &Term<T>) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl<T> Eq for Term<T> {}

impl<T> Hash for Term<T> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.0.hash);
    }
}

impl<T: Ord> PartialOrd for Term<T> {
    fn partial_cmp(&self, other: &Term<T>) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<T: Ord> Ord for Term<T> {
    fn cmp(&self, other: &Term<T>) -> Ordering {
        if self == other { Ordering::Equal } else { self.0.value.cmp(&other.0.value) }
    }
}

impl<T: fmt::Debug> fmt::Debug for Term<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.value.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_values_are_one_in_all_threads_and_forgotten_when_nobody_holds_them() {
        #[derive(PartialEq, Eq, Hash)]
        struct Own(u64);
        let make = || (0..4_000).map(|i| Term::new(Own(i % 1_000))).collect::<Vec<_>>();
        let (one, other) = std::thread::scope(|scope| {
            let thread = scope.spawn(make);
            (make(), thread.join().expect("no panic"))
        });
        assert!(one.iter().zip(&other).all(|(a, b)| a == b && a.0.hash == b.0.hash));
        drop((one, other));
        drop((0..200_000).map(|i| Term::new(Own(i))).collect::<Vec<_>>());
        (0..200_000).for_each(|i| drop(Term::new(Own(i))));
        let held: usize = table::<Own>().shards.iter().map(|s| s.lock().expect("no panic").count).sum();
        assert!(held < 100_000, "{held}");
    }
}
