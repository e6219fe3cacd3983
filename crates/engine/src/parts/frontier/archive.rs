//! A frontier, written down and read.

use super::{Frame, Frontier, Origin};
use starwheel_store::LoadError;
use starwheel_store::archive::{get_bytes, get_number, put_bytes, put_number};
use std::collections::HashMap;
use std::io::{self, Read, Write};
use std::sync::Arc;

impl Frontier {
    /// True if nothing is left to be done here.
    pub fn is_done(&self) -> bool {
        self.waiting == 0 && self.settled.is_none()
    }

    /// Writes everything.
    pub fn save(&self, out: &mut dyn Write) -> io::Result<()> {
        put_bytes(out, &self.bytes)?;
        put_number(out, self.frames.len() as u64)?;
        for frame in &self.frames {
            [frame.start, frame.end, frame.below].into_iter().try_for_each(|at| put_number(out, at as u64))?;
        }
        put_number(out, self.waiting)?;
        put_number(out, self.settled.map_or(0, |settled| settled as u64 + 1))?;
        self.save_origins(out)
    }

    /// Writes the ways that lead here. Many share their beginnings, so each is written once, after those before it.
    fn save_origins(&self, out: &mut dyn Write) -> io::Result<()> {
        let (mut numbers, mut list) = (HashMap::new(), Vec::new());
        for last in &self.origins {
            let mut fresh = Vec::new();
            let mut next = Some(last);
            while let Some(origin) = next.filter(|origin| !numbers.contains_key(&Arc::as_ptr(origin))) {
                fresh.push(origin);
                next = origin.before.as_ref();
            }
            for origin in fresh.into_iter().rev() {
                numbers.insert(Arc::as_ptr(origin), list.len() as u64);
                list.push(origin);
            }
        }
        let number = |origin: &Arc<Origin>| numbers.get(&Arc::as_ptr(origin)).copied().unwrap_or_default();
        put_number(out, list.len() as u64)?;
        for origin in list {
            put_number(out, origin.before.as_ref().map_or(0, |before| number(before) + 1))?;
            put_number(out, origin.records.len() as u64)?;
            origin.records.iter().try_for_each(|record| put_bytes(out, record))?;
        }
        put_number(out, self.origins.len() as u64)?;
        self.origins.iter().try_for_each(|origin| put_number(out, number(origin)))
    }

    /// The frontier that was saved.
    pub fn load(from: &mut dyn Read) -> Result<Frontier, LoadError> {
        let mut frontier = Frontier::default();
        get_bytes(from, &mut frontier.bytes)?;
        let within = |at: u64| usize::try_from(at).ok().filter(|&at| at <= frontier.bytes.len()).ok_or(BROKEN);
        for _ in 0..get_number(from)? {
            let [start, end, below] = [get_number(from)?, get_number(from)?, get_number(from)?];
            frontier.frames.push(Frame { start: within(start)?, end: within(end)?, below: within(below)? });
        }
        frontier.waiting = get_number(from)?;
        frontier.settled = get_number(from)?.checked_sub(1).map(|settled| settled as usize);
        frontier.origins = load_origins(from)?;
        Ok(frontier)
    }
}

const BROKEN: LoadError = LoadError::Broken("a place lies outside of the frontier");

fn load_origins(from: &mut dyn Read) -> Result<Vec<Arc<Origin>>, LoadError> {
    let mut list: Vec<Arc<Origin>> = Vec::new();
    for _ in 0..get_number(from)? {
        let before = match get_number(from)? {
            0 => None,
            number => Some(at(&list, number - 1)?),
        };
        let mut records = Vec::new();
        for _ in 0..get_number(from)? {
            let mut record = Vec::new();
            get_bytes(from, &mut record)?;
            records.push(record);
        }
        list.push(Arc::new(Origin { before, records }));
    }
    let mut origins = Vec::new();
    for _ in 0..get_number(from)? {
        let number = get_number(from)?;
        origins.push(at(&list, number)?);
    }
    Ok(origins)
}

fn at(list: &[Arc<Origin>], number: u64) -> Result<Arc<Origin>, LoadError> {
    usize::try_from(number).ok().and_then(|number| list.get(number)).cloned().ok_or(BROKEN)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn copied(frontier: &Frontier) -> Frontier {
        let mut bytes = Vec::new();
        frontier.save(&mut bytes).expect("a list takes everything");
        Frontier::load(&mut &bytes[..]).expect("it was just written")
    }

    /// The ways to all states, in the order in which they are taken.
    fn ways(mut frontier: Frontier) -> Vec<Vec<Vec<u8>>> {
        let mut out = Vec::new();
        loop {
            match frontier.take() {
                0 => return out,
                count => out.extend((0..count).map(|member| frontier.path(member))),
            }
        }
    }

    #[test]
    fn parts_of_parts_come_back_with_their_ways() {
        let mut whole = Frontier::default();
        whole.push(&[0], 0);
        whole.take();
        (1..=20).for_each(|state| whole.push(&[state], 0));
        whole.take();
        (21..=30).for_each(|state| whole.push(&[state, state], 1));
        let mut part = whole.split().expect("many wait");
        part.take();
        (31..=36).for_each(|state| part.push(&[state], 0));
        let third = part.split().expect("many wait");
        for frontier in [whole, part, third] {
            let copy = copied(&frontier);
            assert_eq!(copy.waiting(), frontier.waiting());
            assert_eq!(ways(copy), ways(frontier));
        }
    }
}
