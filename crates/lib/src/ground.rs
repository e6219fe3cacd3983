//! What all searches of one model share: its parts, its first states and its properties.

use crate::adapter::{decode, is_root};
use crate::checker::Refused;
use crate::model::{Footprint, Model};
use crate::numbers::Numbers;
use crate::parts::{Code, Parts, content_hash};
use crate::property::{Kind, Properties, Property};
use crate::quiet;
use std::sync::atomic::{AtomicBool, Ordering};

/// The most actors: an agent's number has eight bits, and one number is kept free.
const MOST_ACTORS: usize = 254;

/// A model and its parts.
pub struct Ground<'m, M: Model> {
    pub model: &'m M,
    pub parts: Parts<M::Part>,
    pub properties: Vec<Property<M>>,
    /// The first states, each once.
    pub initial: Vec<Vec<Code>>,
    pub actors: usize,
    /// By property: true if it need not be looked at any more, because there is a witness.
    pub settled: Vec<AtomicBool>,
    /// By actor; only where steps are held to them.
    pub footprints: Option<Vec<Footprint>>,
    /// If several processes number parts together.
    pub numbers: Option<Numbers>,
}

impl<'m, M: Model> Ground<'m, M> {
    /// A ground of a model, or why it cannot be searched.
    pub fn new(model: &'m M) -> Result<Ground<'m, M>, Refused> {
        quiet::install();
        let mut all = Properties(Vec::new());
        let said = quiet::quietly(|| (model.initial(), model.properties(&mut all), model.actors()));
        let (initial, (), actors) = said.map_err(|why| Refused::new(format!("the model panics: {why}")))?;
        let properties = all.0;
        if initial.is_empty() {
            return Err(Refused::new("the model has no initial state: `initial` must name one at least"));
        }
        if actors == 0 || actors > MOST_ACTORS {
            return Err(Refused::new(format!("a model has 1 to {MOST_ACTORS} actors, not {actors}")));
        }
        let mut names: Vec<&str> = properties.iter().map(|p| p.name.as_str()).collect();
        names.sort_unstable();
        if let Some(twice) = names.windows(2).find(|w| w[0] == w[1]) {
            return Err(Refused::new(format!("two properties are called `{}`", twice[0])));
        }
        let parts = Parts::new();
        let code = |part: M::Part| {
            let hash = content_hash(&part);
            parts.intern(part, hash).ok_or_else(|| Refused::new("the initial states have too many parts"))
        };
        let mut codes: Vec<Vec<Code>> = Vec::new();
        for state in initial {
            let state: Vec<Code> = state.into_iter().map(code).collect::<Result<_, _>>()?;
            if !codes.contains(&state) {
                codes.push(state);
            }
        }
        let settled = properties.iter().map(|_| AtomicBool::new(false)).collect();
        Ok(Ground { model, parts, properties, initial: codes, actors, settled, footprints: None, numbers: None })
    }

    /// The properties that are looked at in each state.
    pub fn watched(&self) -> Vec<usize> {
        let of_states = |p: &Property<M>| matches!(p.kind, Kind::Always | Kind::Sometimes);
        (0..self.properties.len()).filter(|&i| of_states(&self.properties[i])).collect()
    }

    /// True if a property has its witness.
    pub fn is_settled(&self, property: usize) -> bool {
        self.settled[property].load(Ordering::Relaxed)
    }

    /// A state as its parts; `None` for the one before the first ones.
    pub fn state(&self, at: &[u8]) -> Option<Vec<M::Part>> {
        let mut codes = Vec::new();
        decode(at, &mut codes);
        (!is_root(&codes)).then(|| codes.iter().map(|&code| self.parts.get(code).clone()).collect())
    }

    /// True if there are several first states, so that there is one more before them.
    pub fn has_root(&self) -> bool {
        self.initial.len() > 1
    }
}
