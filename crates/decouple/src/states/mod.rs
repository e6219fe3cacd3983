//! Which decoupled states were seen: numbered, compared by equality or dominance, for one worker or for several.

pub mod center_cache;
pub mod centers;
pub mod dominated;
pub mod names;
pub mod renamed;
pub mod shards;
pub mod space;
