//! How a state finds its name: the five strategies of chapter 6 of Bošnački's thesis, and our own.
//!
//! Each takes some renamings of a state and keeps the least image (bytes compared from the left). `full` takes all, the
//! *segmented* ones all that put a key of the members into order, the *sorted* ones a single one of these. The key is an
//! array that is indexed by members and holds no names (the first such array of each family), or with `pc` the locations.
//! `full` and the segmented ones are canonical, since alike states have the same images; the sorted ones are not, but the
//! name of a state is always alike to it, and whoever goes on from names visits every class.

use crate::infer::Symmetry;
use crate::plan::Plan;
use crate::quick::{Desk, Quick};
use crate::refine::{LEAVES, Refiner, Scratch, hash, mix};
use starwheel_system::{Batch, Normaliser, changed, one_by_one};
use std::cell::RefCell;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

/// The largest block of which all permutations are tried.
pub const LARGEST: usize = 10;

/// How states find their names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strategy {
    /// Colours: see `refine.rs`.
    Auto,
    /// All renamings.
    Full,
    /// All that put an array into order.
    Segmented,
    /// One that puts an array into order.
    Sorted,
    /// All that put the locations into order.
    PcSegmented,
    /// One that puts the locations into order.
    PcSorted,
}

impl Strategy {
    /// All there are, by the words that users say.
    pub const ALL: [(&'static str, Strategy); 6] = [
        ("auto", Strategy::Auto),
        ("full", Strategy::Full),
        ("segmented", Strategy::Segmented),
        ("sorted", Strategy::Sorted),
        ("pc-segmented", Strategy::PcSegmented),
        ("pc-sorted", Strategy::PcSorted),
    ];

    /// Its word.
    pub fn name(self) -> &'static str {
        Strategy::ALL.iter().find(|s| s.1 == self).map_or("auto", |s| s.0)
    }

    /// True if alike states always get the same name.
    pub fn canonical(self) -> bool {
        !matches!(self, Strategy::Sorted | Strategy::PcSorted)
    }
}

/// Gives states their names.
pub struct Renaming<'a> {
    symmetry: &'a Symmetry,
    strategy: Strategy,
    home: Vec<u8>,
    /// By point: where its key lies.
    keys: Vec<Vec<(usize, usize)>>,
    /// By point: its processes.
    processes: Vec<Vec<u8>>,
    quick: Option<Quick>,
    overfull: AtomicU64,
}

/// Memory that each thread uses again and again.
#[derive(Default)]
struct Memory {
    scratch: Scratch,
    to: Vec<u8>,
    image: Vec<u8>,
    desk: Desk,
}

thread_local! {
    static MEMORY: RefCell<Memory> = RefCell::default();
}

impl<'a> Renaming<'a> {
    /// By some strategy; says why if it cannot be used.
    pub fn new(symmetry: &'a Symmetry, strategy: Strategy) -> Result<Renaming<'a>, String> {
        let plan = &symmetry.plan;
        let mut home = vec![0; plan.points];
        for (i, block) in plan.blocks.iter().enumerate() {
            block.iter().for_each(|x| home[usize::from(*x)] = i as u8 + 1);
        }
        let largest = plan.blocks.iter().map(Vec::len).max().unwrap_or(0);
        let many = matches!(strategy, Strategy::Full | Strategy::Segmented | Strategy::PcSegmented);
        if many && largest > LARGEST {
            return Err(format!("it may try all orders of {largest} processes, and more than {LARGEST} have too many"));
        }
        let mut keys = vec![Vec::new(); plan.points];
        match strategy {
            Strategy::PcSegmented | Strategy::PcSorted => {
                let place = |at: &Vec<usize>| at.iter().map(|a| (*a, 2)).collect();
                keys = symmetry.locations.iter().map(place).collect();
            }
            Strategy::Segmented | Strategy::Sorted => {
                for block in &plan.blocks {
                    let whole = |a: &&Vec<Option<(usize, usize)>>| block.iter().all(|x| a[usize::from(*x)].is_some());
                    let Some(array) = symmetry.arrays.iter().find(whole) else {
                        return Err("there is no array that is indexed by the processes and holds none".into());
                    };
                    for x in block {
                        keys[usize::from(*x)].extend(array[usize::from(*x)]);
                    }
                }
            }
            Strategy::Auto | Strategy::Full => {}
        }
        let mut processes = vec![Vec::new(); plan.points];
        for family in &symmetry.families {
            for (member, own) in family.processes.iter().enumerate() {
                processes[family.first + member].clone_from(own);
            }
        }
        let quick = Quick::new(plan);
        Ok(Renaming { symmetry, strategy, home, keys, processes, quick, overfull: AtomicU64::new(0) })
    }

    /// The plan of renaming.
    pub fn plan(&self) -> &'a Plan {
        &self.symmetry.plan
    }

    /// The states of which not all images were tried, so that they may have several names.
    pub fn overfull(&self) -> u64 {
        self.overfull.load(Ordering::Relaxed)
    }

    /// The renaming that gives a complete state its name.
    pub fn find(&self, state: &[u8], to: &mut Vec<u8>) {
        MEMORY.with(|memory| {
            let Memory { scratch, desk, .. } = &mut *memory.borrow_mut();
            self.renaming(state, self.strategy, LEAVES, (scratch, desk), to);
        });
    }

    /// A renaming of a complete state by colours, given more about each point than the state says.
    pub fn find_coloured(&self, state: &[u8], seeds: &[u64], to: &mut Vec<u8>) {
        MEMORY.with(|memory| {
            Refiner::new(self.plan(), &self.home, &mut memory.borrow_mut().scratch, state)
                .best(state, seeds, LEAVES, to);
        });
    }

    /// The point that a process belongs to, and which of its processes it is.
    pub fn member(&self, process: u8) -> Option<(u8, usize)> {
        let own =
            |(point, all): (usize, &Vec<u8>)| all.iter().position(|p| *p == process).map(|which| (point as u8, which));
        self.processes.iter().enumerate().find_map(own)
    }

    /// What a process is called in a renamed state.
    pub fn goes(&self, process: u8, to: &[u8]) -> u8 {
        self.member(process)
            .map_or(process, |(point, which)| self.processes[usize::from(to[usize::from(point)])][which])
    }

    /// A hash of what a process has at some place of a complete state, in which names of points occur as its own or
    /// another's.
    pub fn look(&self, state: &[u8], place: Range<usize>, process: u8) -> u64 {
        let own = self.member(process).map(|m| usize::from(m.0));
        let (mut bytes, mut named) = (state[place.clone()].to_vec(), 0u64);
        for scalar in self.plan().scalars.iter().filter(|s| place.contains(&s.at)) {
            if let Some((row, point)) = self.plan().names[scalar.names].whose(scalar.ty.read(state, scalar.at)) {
                let at = scalar.at - place.start;
                bytes[at..at + scalar.ty.size() as usize].fill(0);
                let whose = if Some(point) == own { 1 } else { 2 };
                named = named.wrapping_add(mix((at as u64) << 16 | row as u64, whose));
            }
        }
        mix(hash(&bytes, 5), named)
    }

    fn renaming(
        &self,
        state: &[u8],
        strategy: Strategy,
        leaves: usize,
        (scratch, desk): (&mut Scratch, &mut Desk),
        to: &mut Vec<u8>,
    ) {
        match strategy {
            Strategy::Auto => {
                if self.quick.as_ref().is_some_and(|quick| quick.order(self.plan(), state, desk, to)) {
                    return;
                }
                self.refined(state, leaves, scratch, to);
            }
            Strategy::Sorted | Strategy::PcSorted => self.sort(state, to),
            Strategy::Full => {
                *to = self.plan().identity();
                self.least(state, to, |_, _| true);
            }
            Strategy::Segmented | Strategy::PcSegmented => {
                self.sort(state, to);
                self.least(state, to, |x, y| self.key(state, x).eq(self.key(state, y)));
            }
        }
    }

    fn refined(&self, state: &[u8], leaves: usize, scratch: &mut Scratch, to: &mut Vec<u8>) {
        if !Refiner::new(self.plan(), &self.home, scratch, state).best(state, &[], leaves, to) {
            self.overfull.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// What decides the place of a point.
    fn key<'s>(&'s self, state: &'s [u8], point: u8) -> impl Iterator<Item = &'s [u8]> {
        self.keys[usize::from(point)].iter().map(|(at, len)| &state[*at..*at + *len])
    }

    /// Puts the points of each block into the order of their keys; ties stay in their order.
    fn sort(&self, state: &[u8], to: &mut Vec<u8>) {
        *to = self.plan().identity();
        for block in &self.plan().blocks {
            let mut order = block.clone();
            order.sort_by(|x, y| self.key(state, *x).cmp(self.key(state, *y)));
            for (slot, x) in block.iter().zip(&order) {
                to[usize::from(*x)] = *slot;
            }
        }
    }

    /// Of all renamings that exchange slots of points that are `same`, the one with the least image.
    fn least(&self, state: &[u8], to: &mut Vec<u8>, same: impl Fn(u8, u8) -> bool) {
        let plan = self.plan();
        // Points that may exchange their slots, block by block.
        let mut cells: Vec<Vec<u8>> = Vec::new();
        for block in &plan.blocks {
            let mut open: Vec<u8> = block.clone();
            while let Some(&x) = open.first() {
                let (cell, rest) = open.iter().partition::<Vec<u8>, _>(|y| same(x, **y));
                cells.push(cell);
                open = rest;
            }
        }
        let (mut best, mut image): (Option<Vec<u8>>, Vec<u8>) = (None, Vec::new());
        let mut current = to.clone();
        let mut try_out = |current: &[u8]| {
            plan.apply(current, state, &mut image);
            if best.as_ref().is_none_or(|b| image[plan.hidden..] < b[plan.hidden..]) {
                best = Some(image.clone());
                to.clear();
                to.extend_from_slice(current);
            }
        };
        permute(&cells, 0, 0, &mut current, &mut try_out);
    }
}

/// Calls a function for all ways to exchange the slots of the points in each cell.
fn permute(cells: &[Vec<u8>], cell: usize, at: usize, to: &mut Vec<u8>, f: &mut impl FnMut(&[u8])) {
    let Some(points) = cells.get(cell) else { return f(to) };
    if at + 1 >= points.len() {
        return permute(cells, cell + 1, 0, to, f);
    }
    for other in at..points.len() {
        to.swap(usize::from(points[at]), usize::from(points[other]));
        permute(cells, cell, at + 1, to, f);
        to.swap(usize::from(points[at]), usize::from(points[other]));
    }
}

impl Normaliser for Renaming<'_> {
    fn normalise(&self, state: &mut Vec<u8>) {
        if !self.plan().complete(state) {
            return;
        }
        MEMORY.with(|memory| {
            let Memory { scratch, to, image, desk } = &mut *memory.borrow_mut();
            self.renaming(state, self.strategy, LEAVES, (scratch, desk), to);
            if to.iter().enumerate().any(|(i, t)| i != usize::from(*t)) {
                self.plan().apply(to, state, image);
                std::mem::swap(state, image);
            }
        });
    }

    fn normalise_batch(&self, at: &[u8], out: &mut Batch) {
        let Some(quick) = self.quick.as_ref().filter(|_| self.strategy == Strategy::Auto) else {
            return one_by_one(self, at, out);
        };
        MEMORY.with(|memory| {
            let Memory { scratch, to, image, desk } = &mut *memory.borrow_mut();
            quick.batch(self.plan(), at, out, desk, |state| {
                self.refined(state, LEAVES, scratch, to);
                self.plan().apply(to, state, image);
                state.copy_from_slice(image);
                changed(at, state)
            });
        });
    }

    fn normalise_agents(&self, state: &mut Vec<u8>, agents: &mut Vec<u8>) {
        agents.clear();
        agents.extend(0..=u8::MAX);
        if !self.plan().complete(state) {
            return;
        }
        MEMORY.with(|memory| {
            let Memory { scratch, to, image, desk } = &mut *memory.borrow_mut();
            self.renaming(state, self.strategy, LEAVES, (scratch, desk), to);
            self.plan().apply(to, state, image);
            std::mem::swap(state, image);
            for (own, new) in self.processes.iter().zip(to.iter()) {
                for (from, to) in own.iter().zip(&self.processes[usize::from(*new)]) {
                    agents[usize::from(*from)] = *to;
                }
            }
        });
    }

    fn rename(&self, agents: &[u8], state: &mut Vec<u8>) {
        if !self.plan().complete(state) {
            return;
        }
        let mut to = self.plan().identity();
        for (point, own) in self.processes.iter().enumerate() {
            let new = own.first().and_then(|p| agents.get(usize::from(*p)));
            if let Some(new) = new.and_then(|n| self.processes.iter().position(|other| other.first() == Some(n))) {
                to[point] = new as u8;
            }
        }
        MEMORY.with(|memory| {
            let image = &mut memory.borrow_mut().image;
            self.plan().apply(&to, state, image);
            std::mem::swap(state, image);
        });
    }

    fn class(&self, state: &mut Vec<u8>) {
        if !self.plan().complete(state) {
            return;
        }
        MEMORY.with(|memory| {
            let Memory { scratch, to, image, desk } = &mut *memory.borrow_mut();
            self.renaming(state, Strategy::Auto, usize::MAX, (scratch, desk), to);
            self.plan().apply(to, state, image);
            std::mem::swap(state, image);
        });
    }
}
