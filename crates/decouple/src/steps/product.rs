//! A product: a center and a set of frames for each process. Every combination of frames is one state.

use crate::leaves::leaf_set::PartyId;
use crate::topology::shape::ShapeId;

/// A center and one party for each process.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Product {
    /// The shape.
    pub shape: ShapeId,
    /// The center.
    pub center: Vec<u8>,
    /// By process.
    pub parties: Vec<PartyId>,
}
