//! A closer look at points of which the same is said: what is said about those around them.
//!
//! This is one round of [`crate::refine`] on the sums of [`Quick`]: whoever shares something with a point, is named by it or names
//! it adds his own sum. It tells most points apart that one look does not, at a fraction of what a refinement from scratch costs.
//! The sums say nothing about what points are called, so neither does this; points that stay where they are may be told apart by
//! what they are.

use super::named::{Named, What};
use super::{Desk, MOST, Owner, Quick, SECOND, identity, sort};
use crate::plan::Plan;
use crate::refine::mix;

/// So many rounds are tried before a refinement from scratch.
const ROUNDS: usize = 2;

/// What makes a point another one than those of which the same is said.
const APART: u64 = 0xa076_1d64_78bd_642f;

impl Quick {
    /// Puts points in order whose sums are not enough; who moves, or none if that needs a closer look still.
    #[cold]
    pub(super) fn closer<const M: usize>(
        &self,
        plan: &Plan,
        sums: &[u64; M],
        state: &[u8],
        desk: &mut Desk,
        to: &mut [u8; M],
    ) -> Option<u64> {
        let mut sums = *sums;
        for _ in 0..ROUNDS {
            sums = self.round(plan, state, &sums);
            *to = identity();
            let (moved, tie) = sort(plan, &sums, to);
            if !tie || self.twins(plan, &sums, state, desk) {
                return Some(moved);
            }
        }
        self.apart(plan, &sums, state, desk, to)
    }

    /// The same where rounds do not help: one of the points of which the same is said is set apart, each in its turn, and the
    /// least image counts. None if that leaves points open.
    fn apart<const M: usize>(
        &self,
        plan: &Plan,
        sums: &[u64; M],
        state: &[u8],
        desk: &mut Desk,
        to: &mut [u8; M],
    ) -> Option<u64> {
        let said = |point: &u8| sums[usize::from(*point) % M];
        let tied = |block: &[u8], sum: u64| block.iter().filter(|point| said(point) == sum).count() > 1;
        let least = |block: &Vec<u8>| block.iter().map(said).filter(|sum| tied(block, *sum)).min();
        let (block, sum) = plan.blocks.iter().find_map(|block| Some((block, least(block)?)))?;
        let mut found = None;
        for &point in block.iter().filter(|point| said(point) == sum) {
            let (mut sums, mut order) = (*sums, identity());
            sums[usize::from(point) % M] = mix(sum, APART);
            let moved = (0..ROUNDS).find_map(|_| {
                sums = self.round(plan, state, &sums);
                order = identity();
                let (moved, tie) = sort(plan, &sums, &mut order);
                (!tie || self.twins(plan, &sums, state, desk)).then_some(moved)
            })?;
            let Desk { scratch, other, least, .. } = &mut *desk;
            other.clear();
            other.extend_from_slice(state);
            self.moves.make(plan, &order, (moved, true), other, scratch);
            if found.is_none() || other[plan.hidden..] < least[plan.hidden..] {
                std::mem::swap(other, least);
                found = Some((order, moved));
            }
        }
        let (order, moved) = found?;
        *to = order;
        Some(moved)
    }

    /// What is said about each point with those around it.
    fn round<const M: usize>(&self, plan: &Plan, state: &[u8], sums: &[u64; M]) -> [u64; M] {
        let mut colours = *sums;
        for (colour, home) in colours.iter_mut().zip(&self.homes) {
            *colour = colour.wrapping_add(*home);
        }
        let mut out = [0; M];
        for look in &self.looks[self.pairs..] {
            look.owner.around(mix(look.id, look.read(state) & look.plain), None, &colours, &mut out);
        }
        for named in &self.named {
            named.around(plan, state, &colours, &mut out);
        }
        for (out, colour) in out.iter_mut().zip(&colours) {
            *out = mix(*colour, *out);
        }
        out
    }

    /// What makes points of different blocks different, and all that are in none.
    pub(super) fn homes(plan: &Plan) -> Vec<u64> {
        let block = |point: u8| plan.blocks.iter().position(|b| b.contains(&point));
        let home = |point: usize| block(point as u8).map_or(MOST + point, |block| block) as u64;
        (0..plan.points).map(|point| mix(home(point), 13)).collect()
    }
}

impl Owner {
    /// Says something that ties points together: those whose it is, and the one that is named there.
    #[inline(always)]
    fn around<const M: usize>(self, what: u64, named: Option<usize>, colours: &[u64; M], out: &mut [u64; M]) {
        let mut say = |who: usize, what: u64, of: u64| out[who % M] = out[who % M].wrapping_add(mix(what, of));
        let (one, own) = (usize::from(self.point), colours[usize::from(self.point) % M]);
        let other = self.with.map(usize::from).filter(|with| *with != one);
        if let Some(with) = other {
            let second = what.wrapping_mul(SECOND);
            say(one, what, colours[with % M]);
            say(with, second, own);
        }
        if let Some(who) = named {
            let named = colours[who % M];
            say(one, what ^ 1, named);
            say(who, what ^ 2, own);
            if let Some(with) = other {
                say(with, what ^ 4, named);
                say(who, what ^ 8, colours[with % M]);
            }
        }
    }
}

impl Named {
    /// Says whom it ties together.
    #[inline(always)]
    fn around<const M: usize>(&self, plan: &Plan, state: &[u8], colours: &[u64; M], out: &mut [u64; M]) {
        let Some(owner) = self.owner else { return };
        let mut say = |id: u64, value: i32| {
            let whose = plan.names[self.names].whose(value);
            let what = whose.map_or(u64::from(value as u32) << 16 | 0xffff, |(row, _)| row as u64);
            owner.around(mix(id, what), whose.map(|w| w.1), colours, out);
        };
        match self.what {
            What::Byte(at) => say(self.id, i32::from(state[at])),
            What::Variable(at, ty) => say(self.id, ty.read(state, at)),
            What::Field(number) => {
                let field = &plan.fields[number];
                for (m, at) in field.places(state).enumerate() {
                    say(mix(self.id, m as u64 + 1), field.scalar.ty.read(state, at));
                }
            }
        }
    }
}
