//! The nodes of a minimised automaton: a node is a list of edges, no two nodes are equal, and a node without users is freed.
//!
//! Nodes are found by their edges in a hash table with chains. Edges of nodes lie in one pool; blocks and nodes that were
//! freed are used again for others of the same size.

use crate::budget::Budget;
use crate::words::fold;

/// A node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NodeId(u32);

/// An edge: the letter in the lower eight bits, the node above.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Edge(u32);

/// No node, no block.
const NOTHING: u32 = u32::MAX;
/// An edge has 24 bits for a node.
const MOST: usize = 1 << 24;

impl Edge {
    /// An edge with this letter.
    pub fn new(letter: u8, to: NodeId) -> Edge {
        Edge(to.0 << 8 | u32::from(letter))
    }

    /// Its letter.
    pub fn letter(self) -> u8 {
        self.0 as u8
    }

    /// Where it leads.
    pub fn to(self) -> NodeId {
        NodeId(self.0 >> 8)
    }
}

#[derive(Clone, Copy, Debug)]
struct Node {
    /// Where its edges start in the pool.
    start: u32,
    /// Edges and others that lead here; zero if the node is free.
    users: u32,
    /// The next node of its chain, or the next free node.
    next: u32,
    /// Number of edges.
    count: u16,
}

/// All nodes.
#[derive(Debug)]
pub(crate) struct Nodes {
    nodes: Vec<Node>,
    pool: Vec<u32>,
    /// A power of two of chains.
    chains: Vec<u32>,
    free_node: u32,
    /// By number of edges: the first free block, whose first word names the next.
    free_blocks: Vec<u32>,
    live: usize,
    /// Nodes that lost a user; kept for its memory.
    stack: Vec<NodeId>,
}

impl Nodes {
    /// The node without edges; it is never freed.
    pub const LAST: NodeId = NodeId(0);

    /// That node alone; none if there is no memory.
    pub fn new(budget: &Budget) -> Option<Nodes> {
        let mut nodes = Nodes {
            nodes: Vec::new(),
            pool: Vec::new(),
            chains: Vec::new(),
            free_node: NOTHING,
            free_blocks: Vec::new(),
            live: 0,
            stack: Vec::new(),
        };
        let enough = room(&mut nodes.nodes, 1, budget)
            && room(&mut nodes.free_blocks, 257, budget)
            && room(&mut nodes.chains, 64, budget);
        if !enough {
            return None;
        }
        nodes.nodes.push(Node { start: 0, users: 1, next: NOTHING, count: 0 });
        nodes.free_blocks.resize(257, NOTHING);
        nodes.chains.resize(64, NOTHING);
        Some(nodes)
    }

    /// The edges of a node, by rising letter.
    pub fn edges(&self, node: NodeId) -> impl ExactSizeIterator<Item = Edge> + '_ {
        let node = &self.nodes[node.0 as usize];
        self.pool[node.start as usize..][..usize::from(node.count)].iter().map(|&edge| Edge(edge))
    }

    /// Where a letter leads.
    pub fn follow(&self, node: NodeId, letter: u8) -> Option<NodeId> {
        self.edges(node).find(|edge| edge.letter() == letter).map(Edge::to)
    }

    /// The node with these edges, which the caller now uses. `owned` is a target that the caller was using, and uses no
    /// more, even if there is no memory and the result is none.
    pub fn make(&mut self, edges: &[Edge], owned: NodeId, budget: &Budget) -> Option<NodeId> {
        let hash = hash(edges.iter().copied());
        if let Some(node) = self.find(edges, hash) {
            self.nodes[node.0 as usize].users += 1;
            self.release(owned);
            return Some(node);
        }
        let Some(node) = self.add(edges, hash, budget) else {
            self.release(owned);
            return None;
        };
        for edge in edges.iter().filter(|edge| edge.to() != owned) {
            self.nodes[edge.to().0 as usize].users += 1;
        }
        // The caller's use pays for one edge to `owned`; there may be more.
        let more = edges.iter().filter(|edge| edge.to() == owned).count() as u32 - 1;
        self.nodes[owned.0 as usize].users += more;
        Some(node)
    }

    /// The caller uses a node once more.
    pub fn keep(&mut self, node: NodeId) {
        self.nodes[node.0 as usize].users += 1;
    }

    /// The caller uses a node no more.
    pub fn release(&mut self, node: NodeId) {
        self.stack.push(node);
        while let Some(node) = self.stack.pop() {
            let it = &mut self.nodes[node.0 as usize];
            it.users -= 1;
            if it.users == 0 {
                self.remove(node);
            }
        }
    }

    fn find(&self, edges: &[Edge], hash: u64) -> Option<NodeId> {
        let mut at = self.chains[hash as usize & (self.chains.len() - 1)];
        while at != NOTHING {
            if self.edges(NodeId(at)).eq(edges.iter().copied()) {
                return Some(NodeId(at));
            }
            at = self.nodes[at as usize].next;
        }
        None
    }

    /// Adds a node with one user.
    fn add(&mut self, edges: &[Edge], hash: u64, budget: &Budget) -> Option<NodeId> {
        self.lengthen_chains(budget);
        if self.free_node == NOTHING && (self.nodes.len() >= MOST || !room(&mut self.nodes, 1, budget)) {
            return None;
        }
        let start = self.block(edges, budget)?;
        let chain = hash as usize & (self.chains.len() - 1);
        let node = Node { start, users: 1, next: self.chains[chain], count: edges.len() as u16 };
        let id = self.free_node;
        let id = match self.nodes.get_mut(id as usize) {
            Some(free) => {
                self.free_node = free.next;
                *free = node;
                id
            }
            None => {
                self.nodes.push(node);
                self.nodes.len() as u32 - 1
            }
        };
        self.chains[chain] = id;
        self.live += 1;
        Some(NodeId(id))
    }

    /// A block of the pool with these edges.
    fn block(&mut self, edges: &[Edge], budget: &Budget) -> Option<u32> {
        let start = self.free_blocks[edges.len()];
        if start != NOTHING {
            self.free_blocks[edges.len()] = self.pool[start as usize];
            for (slot, edge) in self.pool[start as usize..].iter_mut().zip(edges) {
                *slot = edge.0;
            }
            return Some(start);
        }
        let start = self.pool.len();
        if start + edges.len() >= NOTHING as usize || !room(&mut self.pool, edges.len(), budget) {
            return None;
        }
        self.pool.extend(edges.iter().map(|edge| edge.0));
        Some(start as u32)
    }

    /// Takes a node without users away; its targets lose one.
    fn remove(&mut self, node: NodeId) {
        let Node { start, next, count, .. } = self.nodes[node.0 as usize];
        let chain = hash(self.edges(node)) as usize & (self.chains.len() - 1);
        if self.chains[chain] == node.0 {
            self.chains[chain] = next;
        } else {
            let mut at = self.chains[chain];
            while self.nodes[at as usize].next != node.0 {
                at = self.nodes[at as usize].next;
            }
            self.nodes[at as usize].next = next;
        }
        for at in start..start + u32::from(count) {
            self.stack.push(Edge(self.pool[at as usize]).to());
        }
        self.pool[start as usize] = self.free_blocks[usize::from(count)];
        self.free_blocks[usize::from(count)] = start;
        self.nodes[node.0 as usize].next = self.free_node;
        self.free_node = node.0;
        self.live -= 1;
    }

    /// Doubles the number of chains if there are too few, and memory for more.
    fn lengthen_chains(&mut self, budget: &Budget) {
        let old = self.chains.len();
        if self.live < old || !room(&mut self.chains, old, budget) {
            return;
        }
        self.chains.clear();
        self.chains.resize(old * 2, NOTHING);
        for node in 1..self.nodes.len() {
            if self.nodes[node].users > 0 {
                let chain = hash(self.edges(NodeId(node as u32))) as usize & (old * 2 - 1);
                self.nodes[node].next = self.chains[chain];
                self.chains[chain] = node as u32;
            }
        }
    }
}

/// Makes sure that so many items can be pushed; false if there is no memory.
fn room<T>(list: &mut Vec<T>, more: usize, budget: &Budget) -> bool {
    let spare = list.capacity() - list.len();
    if spare >= more {
        return true;
    }
    // A quarter at a time, or, if there is not so much left, what is needed.
    [more.max(list.len() / 4 + 16), more].into_iter().any(|wish| {
        let bytes = ((wish - spare) * size_of::<T>()) as u64;
        let fits = budget.take(bytes);
        let done = fits && list.try_reserve_exact(wish).is_ok();
        if fits && !done {
            budget.give_back(bytes);
        }
        done
    })
}

fn hash(edges: impl Iterator<Item = Edge>) -> u64 {
    edges.fold(0x2545_f491_4f6c_dd1d, |sum, edge| fold(sum ^ u64::from(edge.0), 0x9e37_79b9_7f4a_7c15))
}
