//! What one worker writes down while it expands a state: states as all workers understand them, and errors.

use crate::lock;
use crate::search::Request;
use crate::search::explorer::Explorer;
use crate::search::shared::Shared;
use crate::states::center_cache::CenterCache;
use crate::states::names::Dictionary;
use crate::states::shards::{Card, ShardPlace};
use crate::states::space::Space;
use crate::steps::core::{Core, Flow};
use crate::steps::product::Product;
use crate::trail::{Last, along};
use starwheel_engine::Stop;
use starwheel_model::{Pid, Step, Violation};
use std::sync::atomic::Ordering;

/// What a worker writes down while a state is expanded.
pub struct WorkerLog<'s, 'a> {
    /// What all share.
    pub shared: &'s Shared<'a>,
    /// Whose log it is.
    pub number: usize,
    /// The names of sets.
    pub dictionary: Dictionary,
    /// What follows the state that is being expanded.
    pub batch: Vec<Product>,
    /// The state that is being expanded, and the number of steps to it.
    pub at: Option<(ShardPlace, u32)>,
    /// What is being written.
    card: Card,
    recent_centers: CenterCache,
}

impl<'s, 'a> WorkerLog<'s, 'a> {
    /// The empty log of a worker.
    pub fn new(shared: &'s Shared<'a>, number: usize) -> WorkerLog<'s, 'a> {
        let (card, recent_centers) = (Card::default(), CenterCache::default());
        WorkerLog {
            shared,
            number,
            dictionary: Dictionary::default(),
            batch: Vec::new(),
            at: None,
            card,
            recent_centers,
        }
    }

    /// Writes down a product as all workers understand it.
    fn write(&mut self, core: &Core<'_>, product: &Product) -> Flow {
        let WorkerLog { card, dictionary, shared, .. } = self;
        card.center.clear();
        card.center.extend(core.shapes.get(product.shape).types.iter().map(|t| t.0));
        card.center.extend_from_slice(&product.center);
        card.sets.clear();
        for &party in &product.parties {
            card.sets.push(dictionary.name(&shared.names, core, core.parties.get(party).set)?);
        }
        Flow::Continue(())
    }

    /// A product as this worker understands it.
    pub fn product(&mut self, core: &mut Core<'_>, card: &Card) -> Flow<Product> {
        let (types, center) = card.center.split_at(card.sets.len());
        let shape = core.shapes.with_types(types);
        let mut parties = Vec::with_capacity(types.len());
        for (i, &name) in card.sets.iter().enumerate() {
            let set = self.dictionary.set(&self.shared.names, core, name)?;
            parties.push(core.party(shape, Pid(i as u8), set)?);
        }
        Flow::Continue(Product { shape, center: center.to_vec(), parties })
    }

    /// Puts closed products down that are new.
    pub fn arrive(&mut self, core: &mut Core<'_>) -> Flow {
        let shared = self.shared;
        let mut batch = std::mem::take(&mut self.batch);
        for product in batch.drain(..) {
            self.write(core, &product)?;
            let WorkerLog { dictionary, at, card, recent_centers, .. } = self;
            let within = |small, large| {
                let (small, large) =
                    (dictionary.set(&shared.names, core, small)?, dictionary.set(&shared.names, core, large)?);
                Flow::Continue(core.subsets.ask(&core.sets, small, large))
            };
            match shared.shards.add(recent_centers, card, *at, within)? {
                Some(place) => {
                    shared.stored.fetch_add(1, Ordering::Relaxed);
                    shared.agenda.add(self.number, place);
                }
                None => {
                    shared.matched.fetch_add(1, Ordering::Relaxed);
                }
            }
        }
        self.batch = batch;
        Flow::Continue(())
    }

    /// The steps to what is reported.
    fn trail(&mut self, core: &mut Core<'_>, last: Last<'_>) -> Flow<Vec<Step>> {
        let Some((at, _)) = self.at else { return Flow::Continue(Vec::new()) };
        let mut space = Space::new(false);
        let (mut path, mut card) = (Vec::new(), Card::default());
        for place in self.shared.shards.path(at) {
            self.shared.shards.get(place, &mut card);
            let product = self.product(core, &card)?;
            path.push(space.number(&product)?);
        }
        along(core, &space, &path, last)
    }
}

impl Explorer for WorkerLog<'_, '_> {
    fn request(&self) -> &Request {
        self.shared.request
    }

    fn batch(&mut self) -> &mut Vec<Product> {
        &mut self.batch
    }

    fn too_deep(&mut self) -> bool {
        let depth = self.at.map_or(0, |(_, depth)| u64::from(depth));
        let deep = self.shared.request.limits.depth.is_some_and(|d| depth >= d);
        if deep {
            self.shared.cut.store(true, Ordering::Relaxed);
        }
        deep
    }

    fn report(&mut self, core: &mut Core<'_>, violation: &Violation, last: Last<'_>) -> Flow {
        let mut lost = None;
        let mut ledger = lock(&self.shared.ledger);
        if self.shared.halt.ended() {
            return Flow::Break(Some(Stop::Interrupted));
        }
        let flow = ledger.event(violation, || match self.trail(core, last) {
            Flow::Continue(steps) => steps,
            Flow::Break(stop) => {
                lost = stop;
                Vec::new()
            }
        });
        let flow = match lost {
            Some(stop) => Flow::Break(Some(stop)),
            None => flow,
        };
        // While the books are locked, so that nobody counts another error after the last one.
        self.shared.note(flow.clone());
        flow
    }
}
