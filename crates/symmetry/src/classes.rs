//! Sets of places that hold values of one meaning: a union-find over variables, dimensions of arrays and fields of messages.

use crate::obstacle::Obstacle;
use starwheel_base::Span;
use starwheel_model::{BinaryOp, ProctypeId, Ty};
use std::collections::HashMap;

/// A member of a set: a place, or the value of an expression.
pub type Node = usize;

/// Where variables live.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Scope {
    /// Globals.
    Global,
    /// Globals that are not compared.
    Hidden,
    /// Locals of a process type.
    Local(ProctypeId),
}

/// What has a node of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Key {
    /// The elements of a variable, by the offset of the first.
    Element(Scope, u32),
    /// The indices of a variable in a dimension.
    Dimension(Scope, u32, usize),
    /// Numbers of processes.
    Process,
    /// The number of a channel, from 1.
    Channel(usize),
}

/// A comparison with a constant, which is allowed if it does not tell members apart.
#[derive(Clone, Debug)]
pub struct Test {
    /// What is compared.
    pub node: Node,
    /// How; the constant stands on the right.
    pub op: BinaryOp,
    /// With what.
    pub with: i32,
    /// Where.
    pub span: Span,
    /// The text.
    pub text: String,
}

/// What is known about a set.
#[derive(Clone, Debug, Default)]
struct Facts {
    /// Why its values are numbers.
    plain: Option<Obstacle>,
    /// How many nodes it has besides this one.
    size: usize,
    /// The types of its places.
    types: Vec<Ty>,
    /// Its constants.
    constants: Vec<(i32, Span)>,
    /// True if it holds numbers of channels.
    channel: bool,
    /// Nodes for the fields of messages in these channels.
    fields: Vec<Node>,
}

/// All sets.
#[derive(Clone, Debug, Default)]
pub struct Classes {
    parent: Vec<Node>,
    facts: Vec<Facts>,
    keys: HashMap<Key, Node>,
    /// Comparisons that are judged when the members are known.
    pub tests: Vec<Test>,
}

impl Classes {
    /// A node that nobody else has.
    pub fn fresh(&mut self) -> Node {
        self.parent.push(self.parent.len());
        self.facts.push(Facts::default());
        self.parent.len() - 1
    }

    /// The node of something.
    pub fn node(&mut self, key: Key) -> Node {
        if let Some(&node) = self.keys.get(&key) {
            return node;
        }
        let node = self.fresh();
        self.keys.insert(key, node);
        node
    }

    /// The node of something, if it has one.
    pub fn known(&self, key: Key) -> Option<Node> {
        self.keys.get(&key).copied()
    }

    /// The set of a node, by one of its nodes.
    pub fn root(&self, mut node: Node) -> Node {
        while self.parent[node] != node {
            node = self.parent[node];
        }
        node
    }

    /// The two have the same meaning.
    pub fn unite(&mut self, a: Node, b: Node) {
        let (a, b) = (self.root(a), self.root(b));
        if a == b {
            return;
        }
        let plain = self.facts[a].plain.take().or(self.facts[b].plain.take());
        // The larger set takes in the smaller one, so the ways to the roots stay short.
        let (a, b) = if self.facts[a].size < self.facts[b].size { (b, a) } else { (a, b) };
        self.parent[b] = a;
        let Facts { plain: _, size, types, constants, channel, fields } = std::mem::take(&mut self.facts[b]);
        let own = &mut self.facts[a];
        own.plain = plain;
        own.size += size + 1;
        own.types.extend(types);
        own.constants.extend(constants);
        own.channel |= channel;
        let mine = own.fields.clone();
        own.fields.extend(fields.iter().skip(mine.len()));
        for (x, y) in mine.into_iter().zip(fields) {
            self.unite(x, y);
        }
    }

    /// The values of a set are numbers, for a reason.
    pub fn plain(&mut self, node: Node, why: Obstacle) {
        let root = self.root(node);
        self.facts[root].plain.get_or_insert(why);
    }

    /// Why the values of a set are numbers, if they are.
    pub fn why_plain(&self, node: Node) -> Option<&Obstacle> {
        self.facts[self.root(node)].plain.as_ref()
    }

    /// Values are stored with this type.
    pub fn stored(&mut self, node: Node, ty: Ty) {
        let root = self.root(node);
        if ty == Ty::Timer {
            // The clock calculates with all timers alike, so they go where their owners go and are nobody's names.
            self.plain(root, Obstacle::new(Span::default(), "is a timer"));
        }
        if !self.facts[root].types.contains(&ty) {
            self.facts[root].types.push(ty);
        }
    }

    /// The types with which values are stored.
    pub fn types(&self, node: Node) -> &[Ty] {
        &self.facts[self.root(node)].types
    }

    /// A constant.
    pub fn constant(&mut self, value: i32, span: Span) -> Node {
        let node = self.fresh();
        self.facts[node].constants.push((value, span));
        node
    }

    /// The constants of a set.
    pub fn constants(&self, node: Node) -> &[(i32, Span)] {
        &self.facts[self.root(node)].constants
    }

    /// Values are numbers of channels.
    pub fn channel(&mut self, node: Node) {
        let root = self.root(node);
        self.facts[root].channel = true;
    }

    /// True if values are numbers of channels.
    pub fn is_channel(&self, node: Node) -> bool {
        self.facts[self.root(node)].channel
    }

    /// The node of a field of the messages in channels.
    pub fn field(&mut self, channel: Node, number: usize) -> Node {
        self.channel(channel);
        let root = self.root(channel);
        while self.facts[root].fields.len() <= number {
            let node = self.fresh();
            self.facts[root].fields.push(node);
        }
        self.facts[root].fields[number]
    }

    /// The node of a field, if it has one.
    pub fn known_field(&self, channel: Node, number: usize) -> Option<Node> {
        self.facts[self.root(channel)].fields.get(number).copied()
    }

    /// Sets of variables and dimensions that only meet constants: nothing says what their values mean.
    pub fn open(&self) -> Vec<Node> {
        let mut all: Vec<Node> = self.keys.values().map(|n| self.root(*n)).collect();
        all.sort_unstable();
        all.dedup();
        let open = |n: &Node| {
            let facts = &self.facts[*n];
            facts.plain.is_none() && !facts.channel && !facts.constants.is_empty()
        };
        all.retain(open);
        all
    }

    /// All variables: where, and the node of their elements.
    pub fn elements(&self) -> Vec<(Scope, u32, Node)> {
        let element = |(key, node): (&Key, &Node)| match *key {
            Key::Element(scope, offset) => Some((scope, offset, *node)),
            _ => None,
        };
        let mut all: Vec<_> = self.keys.iter().filter_map(element).collect();
        all.sort();
        all
    }
}
