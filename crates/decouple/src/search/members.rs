//! Spells out the ordinary states that the decoupled states of a model stand for, to hold them against a plain search.

use crate::search::{Request, explore};
use crate::states::space::NodeId;
use crate::steps::core::Core;
use crate::steps::product::Product;
use crate::steps::pulse::Pulse;
use crate::topology::decompose::Decomposition;
use crate::topology::shape::ShapeId;
use starwheel_engine::{Report, Silent};
use starwheel_model::{Model, Pid};
use starwheel_symmetry::Renaming;
use std::collections::HashSet;

/// The report of a search and all states that its decoupled states stand for, without their hidden parts; none if there
/// are more than `limit`, counting repetitions.
pub fn members(model: &Model, request: &Request, limit: usize) -> (Report, Option<HashSet<Vec<u8>>>) {
    spelt_out(model, request, None, limit)
}

/// The same for a search whose states are renamed.
pub fn members_renamed(
    model: &Model,
    request: &Request,
    renaming: &Renaming<'_>,
    limit: usize,
) -> (Report, Option<HashSet<Vec<u8>>>) {
    spelt_out(model, request, Some(renaming), limit)
}

fn spelt_out(
    model: &Model,
    request: &Request,
    renaming: Option<&Renaming<'_>>,
    limit: usize,
) -> (Report, Option<HashSet<Vec<u8>>>) {
    let parts = Decomposition::new(model);
    let mut core = Core::new(model, &parts, Pulse::new(&Silent, None));
    let (report, space) = explore(&mut core, request, None, renaming, &Silent);
    let mut found = HashSet::new();
    let mut product = Product { shape: ShapeId(0), center: Vec::new(), parties: Vec::new() };
    let mut left = limit;
    for id in 0..space.len() as u32 {
        space.get(NodeId(id), &mut product);
        let sets: Vec<_> = product.parties.iter().map(|&p| core.sets.list(core.parties.get(p).set)).collect();
        let count = sets.iter().try_fold(1_usize, |n, s| n.checked_mul(s.len()));
        match count.and_then(|n| left.checked_sub(n)) {
            Some(rest) => left = rest,
            None => return (report, None),
        }
        for number in 0..count.unwrap_or(0) {
            let mut rest = number;
            let mut frames = Vec::with_capacity(sets.len());
            for (i, set) in sets.iter().enumerate() {
                frames.push((Pid(i as u8), set[rest % set.len()]));
                rest /= set.len();
            }
            let mut state = Vec::new();
            core.compose(product.shape, &product.center, &frames, &mut state);
            found.insert(state.split_off(model.layout.hidden as usize));
        }
    }
    (report, Some(found))
}
