//! Maps and sets that share what they have in common: canonical treaps.
//!
//! A treap is a search tree by keys that is a heap by priorities (C. Aragon and R. Seidel, "Randomized search trees", 1989). Here a
//! key's priority is a hash of its contents, so equal maps have equal shapes, however they came about, and as nodes are stored
//! once ([`crate::Term`]), they are one. An update makes as many new nodes as the tree is deep, about twice the logarithm of its size.

use crate::parts::content_hash;
use crate::term::Term;
use std::cmp::Ordering;
use std::fmt;
use std::hash::Hash;

/// What values in a map may be; every such type is one.
pub trait Value: Eq + Hash + Clone + Send + Sync + 'static {}

impl<T: Eq + Hash + Clone + Send + Sync + 'static> Value for T {}

/// What keys and members of sets may be: values with an order; every such type is one.
pub trait Item: Value + Ord {}

impl<T: Value + Ord> Item for T {}

/// A map. Equal maps are one, and similar ones share most of their nodes.
///
/// ```
/// use starwheel::Map;
/// let one: Map<u32, char> = [(1, 'a'), (2, 'b')].into_iter().collect();
/// let mut other = Map::new();
/// other.insert(2, 'x');
/// other.insert(1, 'a');
/// assert_ne!(one, other);
/// assert_eq!(other.insert(2, 'b'), Some('x'));
/// assert_eq!(one, other);
/// assert_eq!(other.remove(&1), Some('a'));
/// assert_eq!(other.iter().collect::<Vec<_>>(), [(&2, &'b')]);
/// ```
#[derive(PartialEq, Eq, Hash)]
pub struct Map<K, V>(Option<Term<Node<K, V>>>);

#[derive(PartialEq, Eq, Hash, Clone)]
struct Node<K, V> {
    /// First, so that it is compared first.
    priority: u64,
    size: usize,
    key: K,
    value: V,
    left: Map<K, V>,
    right: Map<K, V>,
}

impl<K, V> Map<K, V> {
    /// The empty map.
    pub const fn new() -> Map<K, V> {
        Map(None)
    }

    /// The number of keys; takes no time.
    pub fn len(&self) -> usize {
        self.0.as_ref().map_or(0, |node| node.size)
    }

    /// True if there is no key.
    pub fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// Keys and values, by key.
    pub fn iter(&self) -> Iter<'_, K, V> {
        let mut iter = Iter { path: Vec::new() };
        iter.down(self);
        iter
    }
}

impl<K: Item, V: Value> Map<K, V> {
    fn node(key: K, value: V, priority: u64, left: Map<K, V>, right: Map<K, V>) -> Map<K, V> {
        let size = left.len() + right.len() + 1;
        Map(Some(Term::new(Node { priority, size, key, value, left, right })))
    }

    /// The value of a key.
    pub fn get(&self, key: &K) -> Option<&V> {
        let mut at = self.0.as_ref();
        while let Some(node) = at {
            at = match key.cmp(&node.key) {
                Ordering::Less => node.left.0.as_ref(),
                Ordering::Greater => node.right.0.as_ref(),
                Ordering::Equal => return Some(&node.value),
            };
        }
        None
    }

    /// True if the key is there.
    pub fn contains_key(&self, key: &K) -> bool {
        self.get(key).is_some()
    }

    /// Gives a key a value; the one that it had.
    pub fn insert(&mut self, key: K, value: V) -> Option<V> {
        let before = self.get(&key).cloned();
        if before.as_ref() != Some(&value) {
            let (less, more) = self.split(&key);
            let priority = content_hash(&key);
            *self = less.join(&Map::node(key, value, priority, Map(None), Map(None))).join(&more);
        }
        before
    }

    /// Takes a key away; the value that it had.
    pub fn remove(&mut self, key: &K) -> Option<V> {
        let before = self.get(key).cloned()?;
        let (less, more) = self.split(key);
        *self = less.join(&more);
        Some(before)
    }

    /// What is below and what is above a key; the key itself is in neither.
    fn split(&self, key: &K) -> (Map<K, V>, Map<K, V>) {
        let Some(node) = &self.0 else { return (Map(None), Map(None)) };
        let part = |left: Map<K, V>, right: Map<K, V>| {
            Map::node(node.key.clone(), node.value.clone(), node.priority, left, right)
        };
        match key.cmp(&node.key) {
            Ordering::Equal => (node.left.clone(), node.right.clone()),
            Ordering::Less => {
                let (less, more) = node.left.split(key);
                (less, part(more, node.right.clone()))
            }
            Ordering::Greater => {
                let (less, more) = node.right.split(key);
                (part(node.left.clone(), less), more)
            }
        }
    }

    /// Both; all keys of the other one are above all of this one.
    fn join(&self, other: &Map<K, V>) -> Map<K, V> {
        let (Some(a), Some(b)) = (&self.0, &other.0) else {
            return if self.is_empty() { other.clone() } else { self.clone() };
        };
        // Of equal priorities the lesser key is above, so that the shape depends on nothing but the contents.
        if (a.priority, &b.key) > (b.priority, &a.key) {
            Map::node(a.key.clone(), a.value.clone(), a.priority, a.left.clone(), a.right.join(other))
        } else {
            Map::node(b.key.clone(), b.value.clone(), b.priority, self.join(&b.left), b.right.clone())
        }
    }
}

/// Goes through a map by key.
pub struct Iter<'a, K, V> {
    /// Nodes whose left side has been gone through.
    path: Vec<&'a Node<K, V>>,
}

impl<'a, K, V> Iter<'a, K, V> {
    fn down(&mut self, mut map: &'a Map<K, V>) {
        while let Some(node) = &map.0 {
            self.path.push(node);
            map = &node.left;
        }
    }
}

impl<'a, K, V> Iterator for Iter<'a, K, V> {
    type Item = (&'a K, &'a V);

    fn next(&mut self) -> Option<(&'a K, &'a V)> {
        let node = self.path.pop()?;
        self.down(&node.right);
        Some((&node.key, &node.value))
    }
}

impl<K, V> Clone for Map<K, V> {
    fn clone(&self) -> Map<K, V> {
        Map(self.0.clone())
    }
}

impl<K, V> Default for Map<K, V> {
    fn default() -> Map<K, V> {
        Map(None)
    }
}

impl<K: fmt::Debug, V: fmt::Debug> fmt::Debug for Map<K, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

impl<K: Ord, V: Ord> PartialOrd for Map<K, V> {
    fn partial_cmp(&self, other: &Map<K, V>) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<K: Ord, V: Ord> Ord for Map<K, V> {
    fn cmp(&self, other: &Map<K, V>) -> Ordering {
        if self.0 == other.0 { Ordering::Equal } else { self.iter().cmp(other.iter()) }
    }
}

impl<K: Item, V: Value> FromIterator<(K, V)> for Map<K, V> {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(entries: I) -> Map<K, V> {
        let mut map = Map::new();
        entries.into_iter().for_each(|(key, value)| drop(map.insert(key, value)));
        map
    }
}

/// A set. Equal sets are one, and similar ones share most of their nodes.
///
/// ```
/// use starwheel::Set;
/// let mut set: Set<u32> = [3, 1, 2].into_iter().collect();
/// assert!(set.contains(&1) && !set.insert(1) && set.remove(&3));
/// assert_eq!(set.iter().copied().collect::<Vec<_>>(), [1, 2]);
/// ```
#[derive(PartialEq, Eq, Hash)]
pub struct Set<T>(Map<T, ()>);

impl<T> Set<T> {
    /// The empty set.
    pub const fn new() -> Set<T> {
        Set(Map::new())
    }

    /// The number of members; takes no time.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// True if there is no member.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The members, in order.
    pub fn iter(&self) -> impl Iterator<Item = &T> {
        self.0.iter().map(|entry| entry.0)
    }
}

impl<T: Item> Set<T> {
    /// True if it is a member.
    pub fn contains(&self, member: &T) -> bool {
        self.0.contains_key(member)
    }

    /// Adds a member; true if it is new.
    pub fn insert(&mut self, member: T) -> bool {
        self.0.insert(member, ()).is_none()
    }

    /// Takes a member away; true if it was there.
    pub fn remove(&mut self, member: &T) -> bool {
        self.0.remove(member).is_some()
    }
}

impl<T> Clone for Set<T> {
    fn clone(&self) -> Set<T> {
        Set(self.0.clone())
    }
}

impl<T: Ord> PartialOrd for Set<T> {
    fn partial_cmp(&self, other: &Set<T>) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<T: Ord> Ord for Set<T> {
    fn cmp(&self, other: &Set<T>) -> Ordering {
        self.0.cmp(&other.0)
    }
}

impl<T> Default for Set<T> {
    fn default() -> Set<T> {
        Set::new()
    }
}

impl<T: fmt::Debug> fmt::Debug for Set<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

impl<T: Item> FromIterator<T> for Set<T> {
    fn from_iter<I: IntoIterator<Item = T>>(members: I) -> Set<T> {
        Set(members.into_iter().map(|member| (member, ())).collect())
    }
}
