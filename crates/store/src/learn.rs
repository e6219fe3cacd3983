//! Learns from some states how to split states ([`Split`]).
//!
//! A side costs memory for each of its different values, so the best rule is the one with the fewest in the whole state space,
//! of which only a sample is known. How many there are altogether is estimated from how many values the sample has and
//! how many of them it has only once or twice: A. Chao, Nonparametric Estimation of the Number of Classes in a Population (1984).
//! Without that, all sides that have a value of their own in nearly every state of the sample would look the same.

use crate::parts::short;
use crate::split::{MASKED, Split, UNIT};
use crate::words::hash;

/// Rounds of moving single units. More of them hardly ever find anything.
const ROUNDS: usize = 3;
/// One state of so many is enough to divide a side.
const THIN: usize = 4;
/// Units of a piece if a side is long.
const LONG: usize = 16;

impl Split {
    /// The rule that needs least memory for these states; a few thousand from different regions of the state space will do.
    pub fn choose(states: &[&[u8]]) -> Split {
        let units = states.iter().map(|state| state.len().div_ceil(UNIT)).max().unwrap_or(0);
        // Long states are split in wider steps, so that learning takes no longer.
        let wide = units.div_ceil(MASKED).max(1);
        let columns: Vec<Column> = (0..units.div_ceil(wide))
            .map(|atom| Column::new(atom, states, wide * UNIT))
            .filter(Column::varies)
            .collect();
        let sides = divide(&columns.iter().collect::<Vec<_>>(), states.len());
        let mut places = vec![None; units.div_ceil(wide)];
        let mut count = 0;
        let mut piece_sides = Vec::new();
        for side in 0..2 {
            let there: Vec<Column> =
                columns.iter().zip(&sides).filter(|(_, it)| **it == side).map(|(column, _)| column.thinned()).collect();
            let pieces = if there.len() * wide > 2 * LONG {
                chop(there.len(), wide)
            } else {
                divide(&there.iter().collect::<Vec<_>>(), states.len().div_ceil(THIN))
            };
            for (column, &piece) in there.iter().zip(&pieces) {
                places[column.atom] = Some(count + piece);
            }
            let more = pieces.iter().max().map_or(0, |most| most + 1);
            piece_sides.extend(std::iter::repeat_n(side, more));
            count += more;
        }
        spread(&mut places, &mut piece_sides);
        let of: Vec<usize> = (0..units).map(|unit| places[unit / wide].unwrap_or(0)).collect();
        Split::of(&of, &piece_sides)
    }
}

/// Units that never vary go where their neighbours are.
fn spread(places: &mut [Option<usize>], sides: &mut Vec<usize>) {
    if sides.is_empty() {
        sides.push(0);
    }
    let mut last = places.iter().find_map(|place| *place).unwrap_or(0);
    for place in places {
        last = *place.get_or_insert(last);
    }
}

/// Pieces of units in a row.
fn chop(columns: usize, wide: usize) -> Vec<usize> {
    (0..columns).map(|at| at * wide / LONG).collect()
}

/// One unit, or a few in a row, in all states.
struct Column {
    atom: usize,
    hashes: Vec<u64>,
}

impl Column {
    fn new(atom: usize, states: &[&[u8]], bytes: usize) -> Column {
        let hash_of = |state: &&[u8]| {
            let part = state.chunks(bytes).nth(atom).unwrap_or_default();
            let start = hash((atom * 16 + part.len()) as u64);
            part.chunks(8).fold(start, |sum, word| hash(sum ^ short(word)))
        };
        Column { atom, hashes: states.iter().map(hash_of).collect() }
    }

    /// The same in some of the states: enough to divide a side, which is less important.
    fn thinned(&self) -> Column {
        Column { atom: self.atom, hashes: self.hashes.iter().copied().step_by(THIN).collect() }
    }

    fn varies(&self) -> bool {
        self.hashes.iter().any(|&it| it != self.hashes[0])
    }
}

/// Divides columns in two, so that both have few different values: zero or one for each of them.
fn divide(columns: &[&Column], states: usize) -> Vec<usize> {
    let count = columns.len();
    if count < 2 {
        return vec![0; count];
    }
    let starts = [(0..count).map(|at| 2 * at / count).collect(), (0..count).map(|at| at & 1).collect()];
    let [first, second] = starts.map(|sides| Trial::new(columns, sides, states).improved());
    if second.cost() < first.cost() { second.sides } else { first.sides }
}

/// A division that is being tried.
struct Trial<'a> {
    columns: &'a [&'a Column],
    sides: Vec<usize>,
    /// By side, then by state: the sum of the hashes of its columns.
    sums: [Vec<u64>; 2],
    costs: [f64; 2],
    counter: Counter,
}

impl<'a> Trial<'a> {
    fn new(columns: &'a [&'a Column], sides: Vec<usize>, states: usize) -> Trial<'a> {
        let mut sums = [vec![0u64; states], vec![0; states]];
        for (column, &side) in columns.iter().zip(&sides) {
            shift(&mut sums[side], &column.hashes, u64::wrapping_add);
        }
        let mut counter = Counter::new(states);
        let costs = [counter.estimate(&sums[0]), counter.estimate(&sums[1])];
        Trial { columns, sides, sums, costs, counter }
    }

    fn cost(&self) -> f64 {
        self.costs[0] + self.costs[1]
    }

    /// Moves columns as long as that makes it better.
    fn improved(mut self) -> Trial<'a> {
        for _ in 0..ROUNDS {
            let before = self.cost();
            (0..self.sides.len()).for_each(|at| self.try_moving(at));
            if self.cost() >= before {
                break;
            }
        }
        self
    }

    /// Moves a column to the other side if that is better.
    fn try_moving(&mut self, at: usize) {
        let (from, column) = (self.sides[at], &self.columns[at].hashes);
        shift(&mut self.sums[from], column, u64::wrapping_sub);
        shift(&mut self.sums[1 - from], column, u64::wrapping_add);
        let costs = [self.counter.estimate(&self.sums[0]), self.counter.estimate(&self.sums[1])];
        if costs[0] + costs[1] < self.cost() {
            self.costs = costs;
            self.sides[at] = 1 - from;
        } else {
            shift(&mut self.sums[from], column, u64::wrapping_add);
            shift(&mut self.sums[1 - from], column, u64::wrapping_sub);
        }
    }
}

fn shift(sums: &mut [u64], column: &[u64], change: fn(u64, u64) -> u64) {
    sums.iter_mut().zip(column).for_each(|(sum, &hash)| *sum = change(*sum, hash));
}

/// Counts different numbers, which are hashes.
struct Counter {
    /// A number and how often it was met; a power of two of slots.
    slots: Vec<(u64, u32)>,
}

impl Counter {
    fn new(numbers: usize) -> Counter {
        Counter { slots: vec![(0, 0); (numbers * 2 + 1).next_power_of_two()] }
    }

    /// How many different numbers there probably are where these came from.
    fn estimate(&mut self, sums: &[u64]) -> f64 {
        self.slots.fill((0, 0));
        let mask = self.slots.len() - 1;
        let mut met = [0u32; 3];
        for &sum in sums {
            let mut place = (sum >> 32) as usize & mask;
            while self.slots[place].1 != 0 && self.slots[place].0 != sum {
                place = (place + 1) & mask;
            }
            let times = self.slots[place].1;
            self.slots[place] = (sum, times + 1);
            if let Some(fewer) = met.get_mut(times as usize) {
                *fewer += 1;
            }
        }
        // Met at least once, twice, three times.
        let [all, twice, thrice] = met.map(f64::from);
        let (once, twice) = (all - twice, twice - thrice);
        all + once * (once - 1.0) / (2.0 * (twice + 1.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two processes of two units each and a constant; what varies together should be on one side.
    #[test]
    fn units_that_vary_together_are_on_one_side() {
        let mut random = 1u64;
        let mut next = || {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (random >> 33) as u32
        };
        let states: Vec<Vec<u8>> = (0..3000)
            .map(|_| {
                let (a, b) = (next() % 97, next() % 89);
                [a, b, 7, a * 3, b * 5].iter().flat_map(|unit| unit.to_le_bytes()).collect()
            })
            .collect();
        let split = Split::choose(&states.iter().map(|state| &state[..]).collect::<Vec<_>>());
        let side = |unit| split.side(split.piece_of(unit));
        assert_eq!((side(0), side(1)), (side(3), side(4)));
        assert_ne!(side(0), side(1));
    }

    #[test]
    fn nothing_can_be_learned_from_nothing() {
        assert_eq!(Split::choose(&[]).count(8), 2);
        assert_eq!(Split::choose(&[&[1, 2, 3]]).count(1), 1);
    }
}
