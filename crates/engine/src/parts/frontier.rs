//! States that wait to be expanded, and the way that led to each of them, in the order of a depth-first search by groups.
//!
//! A group of waiting states is expanded at once, so that their successors can be looked up together. The states of a
//! group become the *members* of a frame, and what is new among their successors waits in that frame; each knows its
//! parent among the members. Frames form a stack in one string of bytes:
//!
//! ```text
//! | members of frame 0 | waiting … | members of frame 1 | waiting … |
//!                                    ^ these waited in frame 0 a moment ago: taking a group moves nothing
//! ```
//!
//! A record is a string, then its length and the place of its parent in four bytes, so that it is read from its end.

mod archive;
mod share;

use std::collections::HashMap;
use std::sync::Arc;

/// Most states in a group.
pub const GROUP: usize = 16;

const TRAILER: usize = 4;
const PARENT_BITS: u32 = 4;

/// The stack.
#[derive(Debug, Default)]
pub struct Frontier {
    bytes: Vec<u8>,
    frames: Vec<Frame>,
    waiting: u64,
    /// Where the records of the topmost frame's members end.
    places: [usize; GROUP],
    /// Frames below this one have no waiting states.
    oldest: usize,
    /// If this is a part of another frontier: the ways to the members of the lowest frame.
    origins: Vec<Arc<Origin>>,
    /// If the topmost group was broken off because memory ended: how many successors of its members had arrived.
    pub settled: Option<usize>,
}

#[derive(Clone, Copy, Debug)]
struct Frame {
    /// Where its members start.
    start: usize,
    /// Where they end and the waiting states start.
    end: usize,
    /// Where the waiting states of the frame below end: at `start`, unless some were given away.
    below: usize,
}

/// The way to a state, from the initial state or from the end of another way.
#[derive(Debug)]
struct Origin {
    before: Option<Arc<Origin>>,
    records: Vec<Vec<u8>>,
}

impl Frontier {
    /// Adds a state to the topmost frame: its string, and its parent's number among the members.
    ///
    /// Before the first group has been taken, the parent has no meaning.
    pub fn push(&mut self, record: &[u8], parent: usize) {
        debug_assert!(parent < GROUP && record.len() < 1 << (32 - PARENT_BITS));
        append(&mut self.bytes, record, parent);
        self.waiting += 1;
    }

    /// Where the record of another state for the topmost frame is to be appended, before it is sealed.
    #[inline(always)]
    pub fn desk(&mut self) -> &mut Vec<u8> {
        &mut self.bytes
    }

    /// Adds the state whose record starts here and ends with all bytes: see [`Frontier::push`].
    #[inline(always)]
    pub fn seal(&mut self, start: usize, parent: usize) {
        let len = self.bytes.len() - start;
        debug_assert!(parent < GROUP && len < 1 << (32 - PARENT_BITS));
        self.bytes.extend_from_slice(&trailer(len, parent));
        self.waiting += 1;
    }

    /// The same for a short string.
    #[inline(always)]
    pub fn push_number(&mut self, record: u32, parent: usize) {
        debug_assert!(parent < GROUP);
        let trailer = u32::from_le_bytes(trailer(size_of::<u32>(), parent));
        self.bytes.extend_from_slice(&(u64::from(record) | u64::from(trailer) << 32).to_le_bytes());
        self.waiting += 1;
    }

    /// The same for a string of eight bytes.
    #[inline(always)]
    pub fn push_name(&mut self, record: u64, parent: usize) {
        debug_assert!(parent < GROUP);
        let trailer = u32::from_le_bytes(trailer(size_of::<u64>(), parent));
        let bytes = (u128::from(record) | u128::from(trailer) << u64::BITS).to_le_bytes();
        self.bytes.extend_from_slice(&bytes[..size_of::<u64>() + TRAILER]);
        self.waiting += 1;
    }

    /// The number of states that wait.
    pub fn waiting(&self) -> u64 {
        self.waiting
    }

    /// The number of frames.
    pub fn depth(&self) -> usize {
        self.frames.len()
    }

    /// Makes the latest waiting states the members of a new frame; their number, which is zero at the end.
    pub fn take(&mut self) -> usize {
        while let Some(top) = self.frames.last()
            && top.end == self.bytes.len()
        {
            self.bytes.truncate(top.below);
            self.frames.pop();
        }
        let floor = self.frames.last().map_or(0, |top| top.end);
        let (start, count) = self.locate(self.bytes.len(), floor);
        if count > 0 {
            self.frames.push(Frame { start, end: self.bytes.len(), below: start });
            self.waiting -= count as u64;
        }
        self.oldest = self.oldest.min(self.frames.len());
        count
    }

    /// Takes the topmost group once more, after it was broken off; the number of its members.
    pub fn retake(&mut self) -> usize {
        let Some(&top) = self.frames.last() else { return 0 };
        self.locate(top.end, top.start).1
    }

    /// Notes where the last records before a place end, at most a group of them; where the first one starts, and how many.
    #[inline(always)]
    fn locate(&mut self, end: usize, floor: usize) -> (usize, usize) {
        let (mut start, mut count) = (end, 0);
        while start > floor && count < GROUP {
            self.places[count] = start;
            start -= TRAILER + self.read(start).0.len();
            count += 1;
        }
        (start, count)
    }

    /// The string of a member of the group that was taken last.
    pub fn member(&self, number: usize) -> &[u8] {
        self.read(self.places[number]).0
    }

    /// The place of its parent among the members of the frame below.
    pub fn parent(&self, number: usize) -> usize {
        self.read(self.places[number]).1
    }

    /// The strings from the initial state to a member of the topmost frame, which is the last.
    pub fn path(&self, member: usize) -> Vec<Vec<u8>> {
        self.way(self.frames.len(), member).flatten()
    }

    /// The way to a member of a frame, given the number of frames up to it.
    fn way(&self, frames: usize, member: usize) -> Origin {
        let (mut records, mut number) = (Vec::new(), member);
        for frame in self.frames[..frames].iter().rev() {
            let (record, parent) = self.record(frame, number);
            records.push(record.to_vec());
            number = parent;
        }
        records.reverse();
        let before = self.origins.get(number).cloned();
        if before.is_some() {
            // The members of the lowest frame are the ends of the ways that lead here.
            records.remove(0);
        }
        Origin { before, records }
    }

    /// Shows the strings of all states, those on the ways as well.
    pub fn each(&self, mut show: impl FnMut(&[u8])) {
        let mut end = self.bytes.len();
        while end > 0 {
            let record = self.read(end).0;
            show(record);
            end -= TRAILER + record.len();
        }
    }

    /// Replaces the strings of all states by those that `renamed` appends; those on ways that several parts share only once.
    pub fn rename(&mut self, mut renamed: impl FnMut(&[u8], &mut Vec<u8>), ways: &mut Renamed) {
        self.origins.iter_mut().for_each(|origin| *origin = ways.rename(origin, &mut renamed));
        let old = std::mem::take(&mut self.bytes);
        let mut ends = vec![old.len()];
        while let Some(&end) = ends.last().filter(|&&end| end > 0) {
            ends.push(end - TRAILER - read(&old, end).0.len());
        }
        ends.reverse();
        // By number of records: where so many end.
        let mut moved = vec![0];
        for &end in &ends[1..] {
            let (record, parent) = read(&old, end);
            let start = self.bytes.len();
            renamed(record, &mut self.bytes);
            let len = self.bytes.len() - start;
            self.bytes.extend_from_slice(&trailer(len, parent));
            moved.push(self.bytes.len());
        }
        let place = |at: usize| ends.binary_search(&at).map_or(0, |number| moved[number]);
        for frame in &mut self.frames {
            let Frame { start, end, below } = *frame;
            *frame = Frame { start: place(start), end: place(end), below: place(below) };
        }
    }

    /// Goes back over at most so many records; where that leads to, and their number.
    fn back(&self, from: usize, floor: usize, most: usize) -> (usize, usize) {
        let (mut at, mut count) = (from, 0);
        while at > floor && count < most {
            at -= TRAILER + self.read(at).0.len();
            count += 1;
        }
        (at, count)
    }

    fn record(&self, frame: &Frame, number: usize) -> (&[u8], usize) {
        self.read(self.back(frame.end, frame.start, number).0)
    }

    /// The record that ends here.
    fn read(&self, end: usize) -> (&[u8], usize) {
        read(&self.bytes, end)
    }
}

/// The record that ends here, and the place of its parent.
#[inline(always)]
fn read(bytes: &[u8], end: usize) -> (&[u8], usize) {
    let at = end - TRAILER;
    let b = &bytes[at..end];
    let trailer = u32::from_le_bytes([b[0], b[1], b[2], b[3]]);
    let len = (trailer >> PARENT_BITS) as usize;
    (&bytes[at - len..at], (trailer & ((1 << PARENT_BITS) - 1)) as usize)
}

/// Ways whose strings have been replaced, by what they were.
#[derive(Default)]
pub struct Renamed {
    /// With the old one, so that no other can be at its place.
    ways: HashMap<*const Origin, (Arc<Origin>, Arc<Origin>)>,
}

impl Renamed {
    /// The way with other strings. Ways may be long, so this does not go down into itself.
    fn rename(&mut self, way: &Arc<Origin>, renamed: &mut impl FnMut(&[u8], &mut Vec<u8>)) -> Arc<Origin> {
        let (mut old, mut next) = (Vec::new(), Some(way));
        let mut before = None;
        while let Some(origin) = next {
            if let Some((_, known)) = self.ways.get(&Arc::as_ptr(origin)) {
                before = Some(Arc::clone(known));
                break;
            }
            old.push(origin);
            next = origin.before.as_ref();
        }
        for origin in old.into_iter().rev() {
            let records = origin.records.iter().map(|record| anew(record, renamed)).collect();
            let new = Arc::new(Origin { before, records });
            self.ways.insert(Arc::as_ptr(origin), (Arc::clone(origin), Arc::clone(&new)));
            before = Some(new);
        }
        before.unwrap_or_else(|| Arc::clone(way))
    }
}

/// What takes the place of a string.
pub fn anew(record: &[u8], renamed: &mut impl FnMut(&[u8], &mut Vec<u8>)) -> Vec<u8> {
    let mut out = Vec::new();
    renamed(record, &mut out);
    out
}

impl Origin {
    /// All strings of the way.
    fn flatten(self) -> Vec<Vec<u8>> {
        let mut parts = vec![self.records];
        let mut before = self.before;
        while let Some(origin) = before {
            parts.push(origin.records.clone());
            before = origin.before.clone();
        }
        parts.into_iter().rev().flatten().collect()
    }
}

fn append(bytes: &mut Vec<u8>, record: &[u8], parent: usize) {
    bytes.extend_from_slice(record);
    bytes.extend_from_slice(&trailer(record.len(), parent));
}

/// What stands behind a record.
#[inline(always)]
fn trailer(len: usize, parent: usize) -> [u8; TRAILER] {
    ((len as u32) << PARENT_BITS | parent as u32).to_le_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The members of the topmost frame, in the order of their numbers.
    fn members(frontier: &Frontier, count: usize) -> Vec<u8> {
        (0..count).map(|m| frontier.member(m)[0]).collect()
    }

    #[test]
    fn paths_lead_through_parents() {
        let mut frontier = Frontier::default();
        frontier.push(&[0], 0);
        assert_eq!(frontier.take(), 1);
        for state in 1..=20 {
            frontier.push(&[state], 0);
        }
        assert_eq!(frontier.take(), GROUP);
        assert_eq!(members(&frontier, 2), [20, 19]);
        frontier.push(&[101], 1);
        frontier.push(&[100], 0);
        assert_eq!(frontier.take(), 2);
        assert_eq!(frontier.path(0), [[0], [20], [100]]);
        assert_eq!(frontier.path(1), [[0], [19], [101]]);
        assert_eq!((frontier.take(), frontier.member(3)), (4, &[1][..]));
        assert_eq!(frontier.path(3), [[0], [1]]);
        assert_eq!((frontier.take(), frontier.waiting()), (0, 0));
    }

    #[test]
    fn other_strings_leave_the_ways_as_they_are() {
        let mut frontier = Frontier::default();
        frontier.push(&[0], 0);
        frontier.take();
        (1..=20).for_each(|state| frontier.push(&[state], 0));
        frontier.take();
        (21..=23).for_each(|state| frontier.push(&[state], 1));
        // A record may become longer or shorter.
        let renamed = |record: &[u8], out: &mut Vec<u8>| {
            out.extend(std::iter::repeat_n(record[0] + 100, usize::from(record[0] % 3) + 1));
        };
        frontier.rename(renamed, &mut Renamed::default());
        assert_eq!(frontier.take(), 3);
        assert_eq!(members(&frontier, 3), [123, 122, 121]);
        assert_eq!(frontier.path(0), [vec![100], vec![119; 2], vec![123; 3]]);
        assert_eq!((frontier.take(), frontier.member(3)), (4, &[101, 101][..]));
        assert_eq!((frontier.take(), frontier.waiting()), (0, 0));
    }
}
