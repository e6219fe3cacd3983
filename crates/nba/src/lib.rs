//! Networks of Büchi automata: components with local states that move alone or together, and the search for a run that all
//! of them accept.
//!
//! ```
//! use starwheel_engine::Silent;
//! use starwheel_nba::{Engine, Network, Question, check, generate};
//!
//! let net = Network::new(generate::philosophers(3));
//! let report = check(&net, &Question { engine: Engine::Split, ..Question::default() }, &Silent);
//! assert!(report.answer.is_empty());
//! assert_eq!(report.counts.stored, 36);
//! ```

mod check;
mod circles;
pub mod confirm;
mod decoupled;
mod explicit;
pub mod generate;
pub mod lasso;
mod leaf;
mod local;
pub mod net;
mod product;
pub mod question;
mod scc;
mod set;
mod split;
mod splits;
mod watch;
pub mod write;

pub use check::check;
pub use confirm::confirm;
pub use lasso::{Lasso, Step};
pub use net::{Action, ActionId, Component, ComponentId, Edge, Local, Network};
pub use question::{Acceptance, Answer, Counts, Emptiness, Engine, Question, Report};
