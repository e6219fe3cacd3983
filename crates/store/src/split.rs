//! Which words of a state are folded on which side of its tree.
//!
//! Memory depends on how evenly the two sides vary: where one side knows almost everything, it has almost as many values as
//! there are states. No fixed rule is good for all models, so [`Split::choose`] learns one from some states: it
//! moves words from side to side as long as that leaves fewer different sides among them.

use crate::words::hash;

/// Rounds of moving single words. More of them hardly ever find anything.
const ROUNDS: usize = 3;

/// A rule. The words that it does not know are on the left and on the right in turn.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Split {
    /// By word: twice its position on its side, plus one if that is the right side.
    places: Vec<u32>,
    /// How many of these are on each side.
    counts: [u32; 2],
}

impl Split {
    /// The first half of so many words is on the left.
    pub fn halves(words: usize) -> Split {
        (0..words).map(|word| usize::from(2 * word >= words)).collect()
    }

    /// The rule that needs least memory for these states; a few thousand from different regions of the state space will do.
    pub fn choose(states: &[&[u8]]) -> Split {
        let words = states.iter().map(|state| state.len().div_ceil(8)).max().unwrap_or(0);
        let starts = [Split::halves(words), Split::default().take(words)];
        let tried = starts.map(|start| Trial::new(states, start.sides()).improved());
        let [first, second] = &tried;
        let best = if second.cost() < first.cost() { second } else { first };
        best.sides.iter().copied().collect()
    }

    /// The side of a word, zero for left, and its position there.
    #[inline(always)]
    pub(crate) fn place(&self, word: usize) -> (usize, u32) {
        match self.places.get(word) {
            Some(&place) => ((place & 1) as usize, place >> 1),
            None => {
                let more = word - self.places.len();
                (more & 1, self.counts[more & 1] + (more >> 1) as u32)
            }
        }
    }

    /// The same rule, spelled out for so many words.
    fn take(&self, words: usize) -> Split {
        (0..words).map(|word| self.place(word).0).collect()
    }

    /// By word: its side.
    fn sides(&self) -> Vec<usize> {
        self.places.iter().map(|place| (place & 1) as usize).collect()
    }
}

/// A rule from the sides of words.
impl FromIterator<usize> for Split {
    fn from_iter<I: IntoIterator<Item = usize>>(sides: I) -> Split {
        let mut split = Split::default();
        for side in sides {
            split.places.push(split.counts[side] << 1 | side as u32);
            split.counts[side] += 1;
        }
        split
    }
}

/// A rule that is being tried on some states.
struct Trial {
    sides: Vec<usize>,
    /// By word, then by state: a hash of the word there.
    hashes: Vec<Vec<u64>>,
    /// By side, then by state: the sum of the hashes of its words.
    sums: [Vec<u64>; 2],
    counts: [usize; 2],
}

impl Trial {
    fn new(states: &[&[u8]], sides: Vec<usize>) -> Trial {
        let hash_at = |state: &[u8], word: usize| {
            let bytes = state.chunks(8).nth(word).unwrap_or_default();
            hash(crate::parts::short(bytes) ^ hash((word * 16 + bytes.len()) as u64))
        };
        let column = |word: usize| states.iter().map(|state| hash_at(state, word)).collect();
        let hashes: Vec<Vec<u64>> = (0..sides.len()).map(column).collect();
        let mut sums = [vec![0u64; states.len()], vec![0; states.len()]];
        for (column, &side) in hashes.iter().zip(&sides) {
            shift(&mut sums[side], column, u64::wrapping_add);
        }
        let counts = [distinct(&sums[0]), distinct(&sums[1])];
        Trial { sides, hashes, sums, counts }
    }

    /// The number of different sides.
    fn cost(&self) -> usize {
        self.counts[0] + self.counts[1]
    }

    /// Moves words as long as that makes it better.
    fn improved(mut self) -> Trial {
        for _ in 0..ROUNDS {
            let before = self.cost();
            (0..self.sides.len()).for_each(|word| self.try_moving(word));
            if self.cost() == before {
                break;
            }
        }
        self
    }

    /// Moves a word to the other side if that is better.
    fn try_moving(&mut self, word: usize) {
        let (from, column) = (self.sides[word], &self.hashes[word]);
        shift(&mut self.sums[from], column, u64::wrapping_sub);
        shift(&mut self.sums[1 - from], column, u64::wrapping_add);
        let counts = [distinct(&self.sums[0]), distinct(&self.sums[1])];
        if counts[0] + counts[1] < self.cost() {
            self.counts = counts;
            self.sides[word] = 1 - from;
        } else {
            shift(&mut self.sums[from], column, u64::wrapping_add);
            shift(&mut self.sums[1 - from], column, u64::wrapping_sub);
        }
    }
}

fn shift(sums: &mut [u64], column: &[u64], change: fn(u64, u64) -> u64) {
    sums.iter_mut().zip(column).for_each(|(sum, &hash)| *sum = change(*sum, hash));
}

/// How many different numbers there are, which are hashes.
fn distinct(sums: &[u64]) -> usize {
    let mask = (sums.len() * 2).next_power_of_two() - 1;
    let mut slots = vec![0u64; mask + 1];
    let mut count = 0;
    for &sum in sums {
        let mut place = (sum >> 32) as usize & mask;
        while slots[place] != sum | 1 && slots[place] != 0 {
            place = (place + 1) & mask;
        }
        count += usize::from(slots[place] == 0);
        slots[place] = sum | 1;
    }
    count
}
