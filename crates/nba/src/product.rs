//! The composed network, state by state: how states are written as bytes, and their steps one after the other.

use crate::lasso::Step;
use crate::net::{ComponentId, Edge, Local, Network};

/// The composed network.
pub(crate) struct Product<'n> {
    pub net: &'n Network,
    /// Bytes for the state of each component.
    widths: Vec<usize>,
    /// By component and local state: the edges that lead to steps of their own. Other edges with shared actions take part
    /// in steps that another component leads.
    leading: Vec<Vec<Vec<Edge>>>,
}

/// Which step comes next.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Cursor {
    component: u32,
    edge: u32,
    /// One edge for each component that follows, as digits of a number.
    choice: u64,
}

impl<'n> Product<'n> {
    pub fn new(net: &'n Network) -> Product<'n> {
        let width = |states: usize| match states {
            0..=0x100 => 1,
            0x101..=0x1_0000 => 2,
            _ => 4,
        };
        let widths = net.components.iter().map(|c| width(c.state_count())).collect();
        let ids = (0..net.components.len() as u32).map(ComponentId);
        let leads = |c: ComponentId, e: &&Edge| net.action(e.action).parts[0] == c;
        let of = |c: ComponentId, s: u32| {
            let component = net.component(c);
            let shared = component.shared(Local(s)).iter().filter(|e| leads(c, e));
            component.internal(Local(s)).iter().chain(shared).copied().collect()
        };
        let leading = ids.map(|c| (0..net.component(c).state_count() as u32).map(|s| of(c, s)).collect()).collect();
        Product { net, widths, leading }
    }

    pub fn state_bytes(&self) -> usize {
        self.widths.iter().sum()
    }

    pub fn write(&self, state: &[Local], out: &mut Vec<u8>) {
        out.clear();
        for (local, &width) in state.iter().zip(&self.widths) {
            out.extend_from_slice(&local.0.to_le_bytes()[..width]);
        }
    }

    pub fn read(&self, bytes: &[u8], out: &mut Vec<Local>) {
        out.clear();
        let mut rest = bytes;
        for &width in &self.widths {
            let mut word = [0; 4];
            let (own, others) = rest.split_at(width.min(rest.len()));
            word[..own.len()].copy_from_slice(own);
            out.push(Local(u32::from_le_bytes(word)));
            rest = others;
        }
    }

    /// All initial states, one after the other by their number.
    pub fn initial(&self, number: u64, out: &mut Vec<Local>) -> bool {
        let mut rest = number;
        out.clear();
        for component in &self.net.components {
            let count = component.initial.len() as u64;
            if count == 0 {
                return false;
            }
            out.push(component.initial[(rest % count) as usize]);
            rest /= count;
        }
        rest == 0
    }

    /// The next step of a state, if there is one; the state behind it goes to `out`.
    pub fn next(&self, state: &[Local], cursor: &mut Cursor, out: &mut Vec<Local>) -> Option<Cursor> {
        loop {
            let local = *state.get(cursor.component as usize)?;
            let Some(edge) = self.leading[cursor.component as usize][local.index()].get(cursor.edge as usize) else {
                *cursor = Cursor { component: cursor.component + 1, edge: 0, choice: 0 };
                continue;
            };
            let this = *cursor;
            if self.take(state, *edge, this, out) {
                cursor.choice += 1;
                return Some(this);
            }
            *cursor = Cursor { edge: cursor.edge + 1, choice: 0, ..*cursor };
        }
    }

    /// Executes a choice; false if there is no such choice.
    fn take(&self, state: &[Local], edge: Edge, cursor: Cursor, out: &mut Vec<Local>) -> bool {
        out.clear();
        out.extend_from_slice(state);
        out[cursor.component as usize] = edge.to;
        let mut rest = cursor.choice;
        for &id in &self.net.action(edge.action).parts[1..] {
            let moves = self.net.component(id).moves(state[id.index()], edge.action);
            let count = moves.len() as u64;
            if count == 0 {
                return false;
            }
            out[id.index()] = moves[(rest % count) as usize].to;
            rest /= count;
        }
        rest == 0
    }

    /// The step behind a cursor that [`Product::next`] gave, with the state it leads to.
    pub fn step(&self, state: &[Local], cursor: Cursor, to: &[Local]) -> Option<Step> {
        let local = state.get(cursor.component as usize)?;
        let action = self.leading[cursor.component as usize][local.index()].get(cursor.edge as usize)?.action;
        Some(Step { action, to: self.net.action(action).parts.iter().map(|c| to[c.index()]).collect() })
    }
}
