//! Remembers states, which are strings of bytes here, and says honestly when it is full.

pub mod archive;
pub mod bitstate;
mod budget;
pub mod compact;
pub mod cover;
pub mod dfa;
mod differing;
pub mod flat;
mod index;
mod learn;
pub mod lock;
mod memo;
mod nodes;
mod notice;
pub mod numbered;
pub mod numbered_dfa;
pub mod packed;
mod pages;
mod parts;
pub mod path;
mod prefetch;
mod root;
mod segments;
pub mod set;
mod shape;
mod shard;
pub mod sides;
pub mod split;
mod strings;
mod sync;
pub mod tables;
pub mod tree;
mod words;

#[cfg(test)]
mod interleavings;

pub use archive::{LoadError, Save};
pub use bitstate::{PrivateBitstate, SharedBitstate};
pub use compact::{PrivateCompact, SharedCompact};
pub use cover::Cover;
pub use dfa::Dfa;
pub use flat::{FlatKey, FlatSet};
pub use numbered::NumberedTree;
pub use numbered_dfa::NumberedDfa;
pub use packed::{Census, Layout, PackedKey, PackedPath, PrivatePacked, SharedPacked};
pub use path::Path;
pub use set::{Decode, Exactness, Fork, Inserted, Marked, StateId, StateSet, StateStore, Usage, Visit, Visited};
pub use sides::{LONGEST_PIECE, PieceCode};
pub use split::Split;
pub use tree::{PrivateTree, SharedTree, StateRef, TreeKey};
