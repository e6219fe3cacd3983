//! A search that is saved now and then, and gone on with by as many processes as one likes.
//!
//! Everybody stops expanding and goes on receiving, so the phase ends with nothing on its way: that is the moment. Each process
//! then appends what is new to a file of its own, in the way in which states travel, with a dictionary of the file's own; when
//! all are on the disk, the first process writes down how long each of them is, at once for all. Whatever happens in between,
//! what was written down before is whole.
//!
//! A search that goes on deals the states out anew. From where a state was met is told by process and number, and these change:
//! all read the files in the same order, expanded states first, so everybody can work out where each state comes to lie, and
//! renames what it owns in a second reading.

use crate::codec::{Cut, Receiver, Sender, Wire};
use crate::crew::{Crew, Trouble};
use crate::cycles::exchange_bytes;
use crate::gather::Summary;
use crate::search::{Origin, Search, owner};
use crate::wire::{Garbled, Rest, put, put_bytes};
use crate::wrongs::Met;
use rapidhash::v3::rapidhash_v3;
use starwheel_engine::Stop;
use std::io::{self, ErrorKind, Read, Write};
use std::time::Duration;

/// Bytes of a block that is full.
const BLOCK: usize = 64 << 10;
/// The longest block that is believed.
const LONGEST: usize = 1 << 29;
/// Bytes in front of a block: its length and the hash of its content.
const HEAD: usize = 12;
/// States between two looks at the clock.
const LOOK: u64 = 1 << 12;
/// The version of the whole format.
const FORMAT: u64 = 2;

/// Where searches are saved: files by generation and process, and one record that says which of them count.
pub trait Archive: Sync {
    /// How often a search is saved; none if it is not.
    fn every(&self) -> Option<Duration>;

    /// The record of the search that is gone on with, if there is one. Only the first process is asked.
    fn record(&self) -> Option<&[u8]>;

    /// A generation that no file in the way has. Only the first process is asked.
    fn fresh(&self) -> u64;

    /// Begins a file; whatever bears its name is gone.
    fn create(&self, generation: u64, process: usize) -> io::Result<Box<dyn Write + '_>>;

    /// Brings what was written to the disk.
    fn sync(&self, generation: u64, process: usize) -> io::Result<()>;

    /// Makes a record the one that counts; files of other generations may go.
    fn commit(&self, record: &[u8], generation: u64) -> io::Result<()>;

    /// Reads a file of the search that is gone on with.
    fn read(&self, generation: u64, process: usize) -> io::Result<Box<dyn Read + '_>>;
}

/// What one process has written.
struct Saved {
    /// Bytes of its file that count.
    length: u64,
    /// The number of the first state that was not expanded.
    next: u32,
    summary: Summary,
}

/// What a record says.
pub struct Record {
    generation: u64,
    cut: Cut,
    all: Vec<Saved>,
}

impl Record {
    fn write(&self) -> Vec<u8> {
        let mut out = Vec::new();
        put(&mut out, FORMAT);
        put(&mut out, self.generation);
        put(&mut out, Wire::ALL.iter().position(|w| w.1 == self.cut.wire()).unwrap_or(0) as u64);
        self.cut.write(&mut out);
        put(&mut out, self.all.len() as u64);
        for Saved { length, next, summary } in &self.all {
            put(&mut out, *length);
            put(&mut out, u64::from(*next));
            let mut bytes = Vec::new();
            summary.write(&mut bytes);
            put_bytes(&mut out, &bytes);
        }
        out
    }

    fn read(bytes: &[u8]) -> Result<Record, Garbled> {
        let mut rest = Rest(bytes);
        if rest.number()? != FORMAT {
            return Err(Garbled);
        }
        let generation = rest.number()?;
        let wire = usize::try_from(rest.number()?).ok().and_then(|at| Wire::ALL.get(at)).ok_or(Garbled)?.1;
        let cut = Cut::read(wire, &mut rest)?;
        let mut all = Vec::new();
        for _ in 0..rest.number()? {
            let length = rest.number()?;
            let next = u32::try_from(rest.number()?).map_err(|_| Garbled)?;
            all.push(Saved { length, next, summary: Summary::read(&mut Rest(rest.bytes()?))? });
        }
        if rest.is_empty() && !all.is_empty() { Ok(Record { generation, cut, all }) } else { Err(Garbled) }
    }

    /// By process: the bytes of its file that count; with the generation of all.
    pub fn lengths(bytes: &[u8]) -> Option<(u64, Vec<u64>)> {
        let record = Record::read(bytes).ok()?;
        Some((record.generation, record.all.iter().map(|saved| saved.length).collect()))
    }
}

/// Reads a file block by block; the next one, or none at the end.
pub fn block(file: &mut dyn Read, left: &mut u64) -> io::Result<Option<Vec<u8>>> {
    if *left == 0 {
        return Ok(None);
    }
    let broken = || io::Error::new(ErrorKind::InvalidData, "a check-sum is wrong");
    let mut head = [0; HEAD];
    file.read_exact(&mut head)?;
    let length = head[..4].try_into().map_or(0, u32::from_le_bytes) as usize;
    let whole = (HEAD + length) as u64;
    if length > LONGEST || whole > *left {
        return Err(broken());
    }
    let mut body = vec![0; length];
    file.read_exact(&mut body)?;
    *left -= whole;
    let hash = head[4..].try_into().map_or(0, u64::from_le_bytes);
    if rapidhash_v3(&body) == hash { Ok(Some(body)) } else { Err(broken()) }
}

/// A file that grows, and the dictionary of its states.
pub struct File<'a> {
    archive: &'a dyn Archive,
    out: Box<dyn Write + 'a>,
    sender: Sender,
    cut: Cut,
    generation: u64,
    length: u64,
    /// States that are in it.
    saved: u32,
    block: Vec<u8>,
}

impl<'a> File<'a> {
    /// An empty file for what one process will save.
    pub fn new(archive: &'a dyn Archive, generation: u64, process: usize, cut: &Cut) -> io::Result<File<'a>> {
        let cut = cut.alone();
        let sender = Sender::new(cut.clone());
        let out = archive.create(generation, process)?;
        Ok(File { archive, out, sender, cut, generation, length: 0, saved: 0, block: Vec::new() })
    }

    /// Appends what is new in a search and brings it to the disk.
    fn append(&mut self, search: &Search<'_>) -> io::Result<()> {
        let mut state = Vec::new();
        for number in self.saved..search.stored as u32 {
            let Some(origin) = search.read(number, &mut state) else { return Err(ErrorKind::NotFound.into()) };
            let (process, from) = origin.get().map_or((0, 0), |(process, from)| (process as u64 + 1, from));
            put(&mut self.block, process);
            put(&mut self.block, u64::from(from));
            self.block.extend_from_slice(&state[..search.skip()]);
            self.sender.write(&state[search.skip()..], &mut self.block);
            if self.block.len() >= BLOCK {
                self.flush()?;
            }
        }
        self.saved = search.stored as u32;
        self.flush()?;
        self.out.flush()?;
        self.archive.sync(self.generation, search.me())
    }

    fn flush(&mut self) -> io::Result<()> {
        if !self.block.is_empty() {
            self.out.write_all(&(self.block.len() as u32).to_le_bytes())?;
            self.out.write_all(&rapidhash_v3(&self.block).to_le_bytes())?;
            self.out.write_all(&self.block)?;
            self.length += (HEAD + self.block.len()) as u64;
            self.block.clear();
        }
        Ok(())
    }
}

/// Saves a search of which nothing is on its way, together with all others; whoever cannot stops everybody.
pub fn save(file: &mut File<'_>, search: &mut Search<'_>, crew: &mut Crew) -> Result<(), Trouble> {
    let mut own = vec![0];
    match file.append(search) {
        Ok(()) => {
            own[0] = 1;
            put(&mut own, file.length);
            put(&mut own, u64::from(search.open_from()));
            Summary::of(search, (0, 0)).write(&mut own);
        }
        Err(error) => search.stop(Stop::Disk(format!("the search cannot be saved: {error}"))),
    }
    let all = exchange_bytes(crew, own)?;
    let mut done = all.iter().all(|one| one.first() == Some(&1));
    if done && search.me() == 0 {
        done = commit(file, &all, search);
    }
    // Nobody goes on before all know that it is on the disk.
    let all = exchange_bytes(crew, vec![u8::from(done)])?;
    if all.iter().any(|one| one.first() != Some(&1)) && search.stopped.is_none() {
        search.stop(Stop::Disk("the search cannot be saved".to_string()));
    }
    Ok(())
}

fn commit(file: &File<'_>, all: &[Vec<u8>], search: &mut Search<'_>) -> bool {
    let saved = |bytes: &Vec<u8>| -> Result<Saved, Garbled> {
        let mut rest = Rest(&bytes[1..]);
        let length = rest.number()?;
        let next = u32::try_from(rest.number()?).map_err(|_| Garbled)?;
        Ok(Saved { length, next, summary: Summary::read(&mut rest)? })
    };
    let Ok(all) = all.iter().map(saved).collect::<Result<Vec<_>, Garbled>>() else {
        search.stop(Stop::Internal("what was saved is not understood".to_string()));
        return false;
    };
    let record = Record { generation: file.generation, cut: file.cut.clone(), all };
    match file.archive.commit(&record.write(), file.generation) {
        Ok(()) => true,
        Err(error) => {
            search.stop(Stop::Disk(format!("the search cannot be saved: {error}")));
            false
        }
    }
}

/// What the first process knows of an archive, told to all.
pub struct Shared<'a> {
    /// The archive.
    pub archive: &'a dyn Archive,
    /// The generation of what will be saved.
    pub generation: u64,
    /// The record of the search that is gone on with.
    pub record: Option<Vec<u8>>,
}

/// Lets the first process tell what is in an archive.
pub fn share<'a>(archive: &'a dyn Archive, crew: &mut Crew) -> Result<Shared<'a>, Trouble> {
    let mut own = Vec::new();
    if crew.index() == 0 {
        put(&mut own, archive.fresh());
        own.extend_from_slice(archive.record().unwrap_or_default());
    } else {
        own.push(0);
    }
    let all = exchange_bytes(crew, own)?;
    let mut rest = Rest(&all[0]);
    let generation = rest.number().map_err(|Garbled| Trouble::Garbled(0))?;
    let record = Some(rest.0.to_vec()).filter(|record| !record.is_empty());
    Ok(Shared { archive, generation, record })
}

/// Takes up a search that was saved, as far as its states belong to this process. What goes wrong stops the search.
pub fn resume(archive: &dyn Archive, bytes: &[u8], search: &mut Search<'_>) {
    let resumed =
        Record::read(bytes).map_err(|Garbled| unreadable()).and_then(|record| take_up(archive, &record, search));
    if let Err(error) = resumed {
        search.stop(Stop::Disk(format!("the saved search cannot be read: {error}")));
    }
}

fn unreadable() -> io::Error {
    io::Error::new(ErrorKind::InvalidData, "it means nothing")
}

/// Something whose old name is known and whose new one is wanted.
struct Wanted {
    /// Expanded states come first, then process and number.
    key: (bool, usize, u32),
    what: What,
}

enum What {
    /// Where a state of this process, by its number, was met.
    Origin(u32),
    /// An error.
    Met(Met),
}

fn take_up(archive: &dyn Archive, record: &Record, search: &mut Search<'_>) -> io::Result<()> {
    let (me, processes, skip) = (search.me(), search.processes(), search.skip());
    let key = |process: usize, number: u32| {
        let known = record.all.get(process).filter(|saved| u64::from(number) < saved.summary.counts[0]);
        known.map(|saved| (number >= saved.next, process, number)).ok_or_else(unreadable)
    };
    let (mut wanted, mut expanded) = (Vec::new(), 0);
    each(archive, record, skip, |(open, ..), state, origin| {
        if owner(&state[skip..], processes) != me {
            return Ok(());
        }
        if let Some((process, number)) = origin.get() {
            wanted.push(Wanted { key: key(process, number)?, what: What::Origin(search.stored as u32) });
        }
        if !search.adopt(state) {
            // The memory is full, as is noted already, or a state was there twice.
            return if search.stopped.is_some() { Err(ErrorKind::OutOfMemory.into()) } else { Err(unreadable()) };
        }
        expanded += u32::from(!open);
        if search.stored.is_multiple_of(LOOK) {
            search.check();
        }
        Ok(())
    })?;
    search.go_on_from(expanded);
    for (process, saved) in record.all.iter().enumerate() {
        for &met in &saved.summary.met {
            wanted.push(Wanted { key: key(process, met.at)?, what: What::Met(met) });
        }
        if me == 0 {
            search.inherit(&saved.summary);
        }
    }
    wanted.sort_unstable_by_key(|one| one.key);
    rename(archive, record, search, &wanted)
}

/// Gives what was found by its old names its new ones.
fn rename(archive: &dyn Archive, record: &Record, search: &mut Search<'_>, wanted: &[Wanted]) -> io::Result<()> {
    let (me, processes, skip) = (search.me(), search.processes(), search.skip());
    let (mut numbers, mut next) = (vec![0u32; processes], 0);
    each(archive, record, skip, |key, state, _| {
        let to = owner(&state[skip..], processes);
        let number = numbers[to];
        numbers[to] += 1;
        while let Some(one) = wanted.get(next).filter(|one| one.key == key) {
            match one.what {
                What::Origin(of) => search.came_from(of, Origin::new(to, number)),
                What::Met(met) if to == me => search.met.push(Met { at: number, ..met }),
                What::Met(_) => {}
            }
            next += 1;
        }
        Ok(())
    })?;
    if next == wanted.len() { Ok(()) } else { Err(unreadable()) }
}

/// Shows all saved states, those that were expanded first: whether they were not, process and number; bytes; where it was met.
fn each(
    archive: &dyn Archive,
    record: &Record,
    skip: usize,
    mut show: impl FnMut((bool, usize, u32), &[u8], Origin) -> io::Result<()>,
) -> io::Result<()> {
    for open in [false, true] {
        for (process, saved) in record.all.iter().enumerate() {
            let (mut file, mut left, mut number) = (archive.read(record.generation, process)?, saved.length, 0);
            let (mut receiver, mut state) = (Receiver::new(record.cut.clone()), Vec::new());
            while let Some(block) = block(&mut *file, &mut left)? {
                let mut rest = Rest(&block);
                while !rest.is_empty() {
                    let origin = entry(&mut rest, &mut receiver, skip, &mut state).map_err(|Garbled| unreadable())?;
                    if (number >= saved.next) == open {
                        show((open, process, number), &state, origin)?;
                    }
                    number += 1;
                }
            }
            if u64::from(number) != saved.summary.counts[0] {
                return Err(unreadable());
            }
        }
    }
    Ok(())
}

fn entry(rest: &mut Rest<'_>, receiver: &mut Receiver, skip: usize, state: &mut Vec<u8>) -> Result<Origin, Garbled> {
    let process = usize::try_from(rest.number()?).map_err(|_| Garbled)?;
    let number = u32::try_from(rest.number()?).map_err(|_| Garbled)?;
    state.clear();
    state.extend_from_slice(rest.take(skip)?);
    receiver.read(rest, state)?;
    Ok(if process == 0 { Origin::NONE } else { Origin::new(process - 1, number) })
}
