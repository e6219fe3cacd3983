//! Pictures and texts for people: runs, message sequence charts, automata, the star of a model, its families, diagnostics.

pub mod chart;
pub mod combinations;
pub mod families;
pub mod graph;
pub mod page;
pub mod render;
pub mod star;
mod text;

pub use text::{CHANGED, Columns, Detail, Teller, WRONG, cut, filled, fitted, paint, short, situation, walk, wrap};
