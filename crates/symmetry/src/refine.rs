//! Our own strategy: members get colours from what the state says about them, and colours are refined until they stand still.
//!
//! The colour of a point is a hash of what belongs to it and of the places that name it, in which other points occur by
//! their colours only. So alike states give the same colours to corresponding points, and to put the points of each block
//! in the order of their colours gives alike states the same image. Where colours are equal, points are mostly *twins*: to
//! exchange them changes nothing, and any order will do. Else each of them is set apart in turn and colours are refined
//! again; of all images the least counts. All this is a function of the class of a state, so the image is canonical, unless
//! there are more than [`LEAVES`] images: then the least of the first ones counts, which is still an alike state.
//!
//! T. Junttila, "Computational complexity of the Place/Transition-net symmetry reduction method" (2001) and later work, has
//! refinement for symmetric states.
//!
//! (`quick.rs` does the usual case in one pass.)
//!
//! Where we differ: colours are hashes and sums of hashes, one pass over the bytes of the
//! state; if two hashes are equal by accident, points are taken for possible twins and tried out.

use crate::plan::{Plan, Scalar};

/// Images that are tried out for one state.
pub const LEAVES: usize = 64;

/// Memory that is used again.
#[derive(Default)]
pub struct Scratch {
    masked: Vec<u8>,
    /// A hash of the contents of each piece, in the order of groups.
    contents: Vec<u64>,
    /// Places that name a point: what, row, point, index of the scalar or field.
    named: Vec<Named>,
    sums: Vec<u64>,
    colours: Vec<u64>,
    swap: Vec<u8>,
    image: Vec<u8>,
}

#[derive(Clone, Copy)]
struct Named {
    id: u64,
    point: u8,
    /// Index into scalars, or past their end into fields.
    of: usize,
}

#[inline]
pub fn mix(a: u64, b: u64) -> u64 {
    let wide = u128::from(a ^ 0x9e37_79b9_7f4a_7c15) * u128::from(b ^ 0xe703_7ed1_a0b4_28db);
    (wide as u64) ^ (wide >> 64) as u64
}

pub fn hash(bytes: &[u8], seed: u64) -> u64 {
    let mut h = seed;
    let (words, rest) = bytes.as_chunks::<8>();
    for w in words {
        h = mix(h, u64::from_le_bytes(*w));
    }
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    mix(h, u64::from_le_bytes(last))
}

/// Refines the colours of a state's points.
pub struct Refiner<'a> {
    plan: &'a Plan,
    scratch: &'a mut Scratch,
    /// By point: its block, from one; zero if it stays where it is.
    home: &'a [u8],
}

impl<'a> Refiner<'a> {
    /// Looks at a complete state.
    pub fn new(plan: &'a Plan, home: &'a [u8], scratch: &'a mut Scratch, state: &[u8]) -> Refiner<'a> {
        let s = &mut *scratch;
        s.masked.clear();
        s.masked.extend_from_slice(state);
        s.named.clear();
        s.contents.clear();
        let Scratch { masked, named, contents, .. } = s;
        let mut note = |scalar: &Scalar, at: usize, position: u64, of: usize| {
            if let Some((row, point)) = plan.names[scalar.names].whose(scalar.ty.read(state, at)) {
                named.push(Named { id: mix(scalar.id, position << 16 | row as u64), point: point as u8, of });
                masked[at..at + scalar.ty.size() as usize].fill(0);
            }
        };
        for (i, scalar) in plan.scalars.iter().enumerate() {
            note(scalar, scalar.at, 0, i);
        }
        for (i, field) in plan.fields.iter().enumerate() {
            for (m, at) in field.places(state).enumerate() {
                note(&field.scalar, at, m as u64 + 1, plan.scalars.len() + i);
            }
        }
        for (i, group) in plan.groups.iter().enumerate() {
            for (_, at) in &group.pieces {
                contents.push(hash(&masked[*at..*at + group.len], i as u64 + 1));
            }
        }
        Refiner { plan, scratch, home }
    }

    fn coords(&self, of: usize) -> &'a [u8] {
        let scalars = self.plan.scalars.len();
        if of < scalars { &self.plan.scalars[of].coords } else { &self.plan.fields[of - scalars].scalar.coords }
    }

    /// One round: each point learns of the colours around it.
    fn round(&mut self, colours: &mut [u64]) {
        let mut sums = std::mem::take(&mut self.scratch.sums);
        sums.clear();
        sums.resize(colours.len(), 0);
        // Points in fixed places may be told apart by what they are.
        let seen = |x: u8, by: u8, colours: &[u64]| if x == by { 1 } else { colours[usize::from(x)] };
        let mut piece = 0;
        for group in &self.plan.groups {
            for (coords, _) in &group.pieces {
                let content = self.scratch.contents[piece];
                piece += 1;
                if let [only] = coords[..] {
                    let sum = &mut sums[usize::from(only)];
                    *sum = sum.wrapping_add(mix(content, 0));
                    continue;
                }
                for (i, x) in coords.iter().enumerate() {
                    let mut h = mix(content, i as u64);
                    for (j, y) in coords.iter().enumerate().filter(|(j, _)| *j != i) {
                        h = mix(h, seen(*y, *x, colours).wrapping_add(j as u64));
                    }
                    sums[usize::from(*x)] = sums[usize::from(*x)].wrapping_add(h);
                }
            }
        }
        for named in &self.scratch.named {
            let coords = self.coords(named.of);
            let q = named.point;
            let mut h = named.id;
            for x in coords {
                h = mix(h, seen(*x, q, colours));
            }
            sums[usize::from(q)] = sums[usize::from(q)].wrapping_add(mix(h, 2));
            for (i, x) in coords.iter().enumerate() {
                let mut h = mix(named.id, mix(seen(q, *x, colours), 3 + i as u64));
                for (j, y) in coords.iter().enumerate().filter(|(j, _)| *j != i) {
                    h = mix(h, seen(*y, *x, colours).wrapping_add(j as u64));
                }
                sums[usize::from(*x)] = sums[usize::from(*x)].wrapping_add(h);
            }
        }
        for (colour, sum) in colours.iter_mut().zip(&sums) {
            *colour = mix(*colour, *sum);
        }
        self.scratch.sums = sums;
    }

    /// The number of colours of points that may move.
    fn count(&self, colours: &[u64]) -> usize {
        let new = |i: &usize| {
            self.home[*i] != 0 && (0..*i).all(|j| self.home[j] != self.home[*i] || colours[j] != colours[*i])
        };
        (0..colours.len()).filter(new).count()
    }

    fn refine(&mut self, colours: &mut [u64]) {
        let all = self.home.iter().filter(|h| **h != 0).count();
        let mut before = 0;
        loop {
            self.round(colours);
            let now = self.count(colours);
            if now == all || now <= before {
                return;
            }
            before = now;
        }
    }

    /// The renaming that orders the points of each block by colour; ties by number.
    fn ordered(&self, colours: &[u64], to: &mut Vec<u8>) {
        to.clear();
        to.extend(0..colours.len() as u8);
        let mut order = [0u8; 256];
        for block in &self.plan.blocks {
            let order = &mut order[..block.len()];
            order.copy_from_slice(block);
            order.sort_by_key(|x| (colours[usize::from(*x)], *x));
            for (slot, x) in block.iter().zip(order.iter()) {
                to[usize::from(*x)] = *slot;
            }
        }
    }

    /// The first points of a block with one colour that are no twins; twins are left out.
    fn cell(&mut self, state: &[u8], colours: &[u64]) -> Option<Vec<u8>> {
        for block in &self.plan.blocks {
            let mut done: Vec<u64> = Vec::new();
            let mut cells: Vec<Vec<u8>> = Vec::new();
            for x in block {
                let colour = colours[usize::from(*x)];
                if done.contains(&colour) {
                    continue;
                }
                let same: Vec<u8> = block.iter().copied().filter(|y| colours[usize::from(*y)] == colour).collect();
                if same.len() > 1 {
                    done.push(colour);
                    cells.push(same);
                }
            }
            // In the order of colours: numbers of points must not decide.
            cells.sort_by_key(|cell| colours[usize::from(cell[0])]);
            for cell in cells {
                let mut different: Vec<u8> = Vec::new();
                for x in cell {
                    if !different.iter().any(|y| self.twins(state, x, *y)) {
                        different.push(x);
                    }
                }
                if different.len() > 1 {
                    return Some(different);
                }
            }
        }
        None
    }

    /// True if all points of one block and one colour are twins.
    fn only_twins(&mut self, state: &[u8], colours: &[u64]) -> bool {
        let plan = self.plan;
        plan.blocks.iter().all(|block| {
            block.iter().enumerate().all(|(i, x)| {
                let same = |y: &&u8| colours[usize::from(**y)] == colours[usize::from(*x)];
                block[..i].iter().find(same).is_none_or(|y| self.twins(state, *x, *y))
            })
        })
    }

    fn twins(&mut self, state: &[u8], a: u8, b: u8) -> bool {
        let Scratch { swap, image, .. } = &mut *self.scratch;
        swap.clear();
        swap.extend(0..self.plan.points as u8);
        swap.swap(usize::from(a), usize::from(b));
        self.plan.apply(swap, state, image);
        image[self.plan.hidden..] == state[self.plan.hidden..]
    }

    /// Finds the renaming whose image counts: whether it is canonical. Seeds say more about each point than the state does.
    pub fn best(&mut self, state: &[u8], seeds: &[u64], leaves: usize, to: &mut Vec<u8>) -> bool {
        let mut colours = std::mem::take(&mut self.scratch.colours);
        colours.clear();
        colours.extend(self.home.iter().enumerate().map(|(i, h)| colour(*h, i)));
        colours.iter_mut().zip(seeds).for_each(|(colour, seed)| *colour = mix(*colour, *seed));
        self.refine(&mut colours);
        let all = self.home.iter().filter(|h| **h != 0).count();
        // Mostly all are different, or those that are not are twins.
        let done = self.count(&colours) == all || self.only_twins(state, &colours);
        let mut left = leaves;
        if done {
            self.ordered(&colours, to);
        } else {
            self.descend(state, colours.clone(), &mut None, to, &mut left);
        }
        self.scratch.colours = colours;
        left > 0
    }

    fn descend(
        &mut self,
        state: &[u8],
        colours: Vec<u64>,
        least: &mut Option<Vec<u8>>,
        to: &mut Vec<u8>,
        left: &mut usize,
    ) {
        if *left == 0 {
            return;
        }
        let Some(cell) = self.cell(state, &colours) else {
            *left -= 1;
            let mut mine = Vec::new();
            self.ordered(&colours, &mut mine);
            let mut image = Vec::new();
            self.plan.apply(&mine, state, &mut image);
            image.drain(..self.plan.hidden);
            if least.as_ref().is_none_or(|l| image < *l) {
                *least = Some(image);
                *to = mine;
            }
            return;
        };
        for x in cell {
            let mut apart = colours.clone();
            apart[usize::from(x)] = mix(apart[usize::from(x)], 0xa076_1d64_78bd_642f);
            self.refine(&mut apart);
            self.descend(state, apart, least, to, left);
        }
    }
}

/// The first colour of a point: those that may change places have the same, all others have their own.
fn colour(home: u8, point: usize) -> u64 {
    if home == 0 { mix(point as u64 + 1, 7) } else { mix(u64::from(home), 11) }
}
