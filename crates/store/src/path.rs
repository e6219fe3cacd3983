//! What a tree store remembers of a state, so that its successors look up only what they change.

/// The numbers of the two sides of a state; only the store fills it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Path {
    pub(crate) root: [u32; 2],
}
