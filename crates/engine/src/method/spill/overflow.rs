//! States that have no room in memory, as sorted runs on the disk; whether one is new is found out for a whole level at once.
//!
//! Delayed duplicate detection: U. Stern, D. Dill, Using Magnetic Disk Instead of Main Memory in the Murφ Verifier (1998). We
//! differ in that the states of the first levels stay in memory, so that only what is not there comes here, and in that
//! candidates are sorted and merged with all that came before, not looked up in a table.

use super::history::{get_record, put_record};
use crate::parts::scratch::{ScratchDisk, ScratchFile};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::io::{self, BufReader, BufWriter, Seek};

/// Runs that are merged at once.
const RUNS: usize = 64;
/// Bytes that a candidate needs besides its own.
const ENTRY: usize = 16;

/// The states.
pub struct Overflow<'a> {
    disk: &'a dyn ScratchDisk,
    /// Bytes of candidates that are kept in memory.
    room: usize,
    /// Leading bytes that do not count.
    hidden: usize,
    bytes: Vec<u8>,
    /// Where candidates lie in `bytes`.
    places: Vec<(usize, usize)>,
    /// Sorted candidates.
    runs: Vec<Box<dyn ScratchFile>>,
    /// All states of earlier levels, sorted.
    closed: Option<Box<dyn ScratchFile>>,
}

impl<'a> Overflow<'a> {
    /// Nothing yet.
    pub fn new(disk: &'a dyn ScratchDisk, room: usize, hidden: usize) -> Overflow<'a> {
        Overflow { disk, room, hidden, bytes: Vec::new(), places: Vec::new(), runs: Vec::new(), closed: None }
    }

    /// Adds a candidate.
    pub fn add(&mut self, state: &[u8]) -> io::Result<()> {
        if self.bytes.len() + state.len() + (self.places.len() + 1) * ENTRY > self.room && !self.places.is_empty() {
            self.write_run()?;
        }
        let start = self.bytes.len();
        self.bytes.extend_from_slice(state);
        self.places.push((start, self.bytes.len()));
        Ok(())
    }

    /// Ends a level: shows each candidate that no level before had, once, and tells how many there are.
    pub fn settle(&mut self, mut show: impl FnMut(&[u8]) -> io::Result<()>) -> io::Result<u64> {
        if self.places.is_empty() && self.runs.is_empty() {
            return Ok(0);
        }
        self.write_run()?;
        let old = self.closed.is_some();
        let sources: Vec<_> = self.closed.take().into_iter().chain(self.runs.drain(..)).collect();
        let mut out = BufWriter::new(self.disk.file()?);
        let mut count = 0;
        merge(sources, self.hidden, |state, source| {
            if !(old && source == 0) {
                count += 1;
                show(state)?;
            }
            put_record(&mut out, state)
        })?;
        self.closed = Some(out.into_inner().map_err(io::IntoInnerError::into_error)?);
        Ok(count)
    }

    /// Sorts the candidates in memory and writes them.
    fn write_run(&mut self) -> io::Result<()> {
        let (bytes, hidden) = (&self.bytes, self.hidden);
        let visible = |&(start, end): &(usize, usize)| &bytes[start + hidden..end];
        self.places.sort_by(|a, b| visible(a).cmp(visible(b)));
        self.places.dedup_by(|a, b| visible(a) == visible(b));
        let mut out = BufWriter::new(self.disk.file()?);
        self.places.iter().try_for_each(|&(start, end)| put_record(&mut out, &bytes[start..end]))?;
        self.runs.push(out.into_inner().map_err(io::IntoInnerError::into_error)?);
        self.bytes.clear();
        self.places.clear();
        if self.runs.len() >= RUNS { self.join_runs() } else { Ok(()) }
    }

    /// Makes one run of all.
    fn join_runs(&mut self) -> io::Result<()> {
        let mut out = BufWriter::new(self.disk.file()?);
        merge(std::mem::take(&mut self.runs), self.hidden, |state, _| put_record(&mut out, state))?;
        self.runs.push(out.into_inner().map_err(io::IntoInnerError::into_error)?);
        Ok(())
    }
}

/// Shows all states of sorted lists in their order, equal ones once, with the number of the first list that has it.
fn merge(
    sources: Vec<Box<dyn ScratchFile>>,
    hidden: usize,
    mut show: impl FnMut(&[u8], usize) -> io::Result<()>,
) -> io::Result<()> {
    let mut readers = Vec::new();
    for mut file in sources {
        file.rewind()?;
        readers.push(BufReader::new(file));
    }
    let mut heads = BinaryHeap::new();
    for (number, reader) in readers.iter_mut().enumerate() {
        advance(reader, number, hidden, Vec::new(), &mut heads)?;
    }
    let mut last: Option<Vec<u8>> = None;
    while let Some(Reverse((visible, number, state))) = heads.pop() {
        if last.as_ref() != Some(&visible) {
            show(&state, number)?;
            last = Some(visible);
        }
        advance(&mut readers[number], number, hidden, state, &mut heads)?;
    }
    Ok(())
}

/// What comes next in a list: what counts of the state, the number of the list, the state.
type Head = Reverse<(Vec<u8>, usize, Vec<u8>)>;

fn advance(
    reader: &mut BufReader<Box<dyn ScratchFile>>,
    number: usize,
    hidden: usize,
    mut state: Vec<u8>,
    heads: &mut BinaryHeap<Head>,
) -> io::Result<()> {
    if get_record(reader, &mut state)? {
        let visible = state.get(hidden..).unwrap_or_default().to_vec();
        heads.push(Reverse((visible, number, state)));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    struct Memory;

    impl ScratchDisk for Memory {
        fn file(&self) -> io::Result<Box<dyn ScratchFile>> {
            Ok(Box::new(io::Cursor::new(Vec::new())))
        }
    }

    #[test]
    fn levels_show_what_is_new_once() {
        let mut seed = 1u64;
        println!("seed {seed}");
        let mut overflow = Overflow::new(&Memory, 300, 1);
        let mut known: HashSet<Vec<u8>> = HashSet::new();
        for level in 0..20 {
            let mut fresh = HashSet::new();
            for _ in 0..level * 120 {
                seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                let state = [level as u8, (seed >> 40) as u8, (seed >> 60) as u8];
                fresh.insert(state[1..].to_vec());
                overflow.add(&state).expect("memory takes everything");
            }
            let mut shown = HashSet::new();
            let count = overflow.settle(|state| {
                assert!(shown.insert(state[1..].to_vec()), "shown twice");
                assert_eq!(state[0], level as u8, "hidden bytes come with their state");
                Ok(())
            });
            assert_eq!(count.expect("memory takes everything"), shown.len() as u64);
            assert_eq!(shown, fresh.difference(&known).cloned().collect());
            known.extend(fresh);
        }
        assert!(known.len() > 3000);
    }
}
