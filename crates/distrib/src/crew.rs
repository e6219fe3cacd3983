//! The processes of a run as one of them sees them: phases that all go through together, each a dataflow of its own.

use crate::line::{Line, Watch};
use crate::links::{Channel, Links};
use crate::mail::{Mail, Packet};
use crate::wire::Garbled;
use starwheel_engine::fit::Shared;
use std::fmt;
use std::sync::atomic::Ordering;
use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};
use timely::WorkerConfig;
use timely::communication::Hooks;
use timely::communication::allocator::zero_copy::initialize::{CommsGuard, initialize_networking_from_sockets};
use timely::communication::allocator::{Allocator, ProcessBuilder};
use timely::worker::Worker;

/// How long somebody sleeps who has nothing to do, unless something arrives.
const REST: Duration = Duration::from_millis(20);
/// The same for somebody who waits for others and holds the run open.
const WAIT: Duration = Duration::from_millis(2);
/// Packets that a receiver may be behind, if nobody says otherwise.
const WINDOW: u32 = 64;
/// How long the last words may take.
const FAREWELL: Duration = Duration::from_secs(2);

/// Why a run cannot go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trouble {
    /// A process is gone.
    Lost(usize),
    /// A process sent something that means nothing.
    Garbled(usize),
    /// Something was to be sent by a process that rests; that would be a mistake of ours.
    Mute,
}

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Trouble::Lost(peer) => write!(f, "process {peer} was lost"),
            Trouble::Garbled(peer) => write!(f, "process {peer} sent a packet that means nothing"),
            Trouble::Mute => write!(f, "a process that rests had something to say"),
        }
    }
}

/// What is left to do for a member.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Left {
    /// More of the same.
    More,
    /// Nothing until somebody answers; the phase must not end before.
    Waiting,
    /// Nothing, unless something arrives.
    Nothing,
}

/// What a member does in a phase.
pub trait Member {
    /// Looks at what another one sent.
    fn receive(&mut self, from: usize, bytes: &[u8], out: &mut Outgoing) -> Result<(), Garbled>;

    /// Works for a short while.
    fn work(&mut self, out: &mut Outgoing) -> Left;
}

/// Packets that are to be sent.
#[derive(Debug)]
pub struct Outgoing {
    me: u32,
    count: usize,
    packets: Vec<Packet>,
    sent: u64,
}

impl Outgoing {
    /// A packet for one of the others, which is not empty.
    pub fn tell(&mut self, to: usize, bytes: Vec<u8>) {
        debug_assert!(!bytes.is_empty() && to != self.me as usize);
        self.sent += 1;
        self.packets.push(Packet { from: self.me, to: to as u32, bytes });
    }

    /// The same packet for all others.
    pub fn tell_all(&mut self, bytes: &[u8]) {
        for to in (0..self.count).filter(|&to| to != self.me as usize) {
            self.sent += 1;
            self.packets.push(Packet { from: self.me, to: to as u32, bytes: bytes.to_vec() });
        }
    }
}

/// All members of a run, as one of them sees them.
pub struct Crew {
    index: usize,
    count: usize,
    worker: Option<Worker>,
    guard: Option<CommsGuard>,
    watch: Arc<Watch>,
    trouble: Option<Trouble>,
    out: Outgoing,
    names: Vec<String>,
    /// Packets that a receiver may be behind.
    pub window: u32,
}

impl Crew {
    /// Begins with connections that are there.
    pub fn new(links: Links) -> std::io::Result<Crew> {
        let Links { index, sockets, names } = links;
        let (count, watch) = (sockets.len(), Arc::new(Watch::default()));
        let line = |(peer, socket): (usize, Option<Channel>)| {
            socket.map(|socket| Line::new(socket, peer as u32, Arc::clone(&watch)))
        };
        let lines: Vec<Option<Line>> = sockets.into_iter().enumerate().map(line).collect();
        let hooks = Hooks::default();
        let own = ProcessBuilder::new_typed_vector(1, hooks.refill.clone(), None);
        let (mut builders, guard) = initialize_networking_from_sockets(own, lines, index, 1, hooks)?;
        let builder = builders.pop().ok_or_else(|| std::io::Error::other("there is no allocator"))?;
        let worker = Worker::new(WorkerConfig::default(), Allocator::Tcp(builder.build()), Some(Instant::now()));
        let out = Outgoing { me: index as u32, count, packets: Vec::new(), sent: 0 };
        Ok(Crew {
            index,
            count,
            worker: Some(worker),
            guard: Some(guard),
            watch,
            trouble: None,
            out,
            names,
            window: WINDOW,
        })
    }

    /// What is wrong, with the place of the process that it is about.
    pub fn told(&self, trouble: Trouble) -> String {
        let (Trouble::Lost(peer) | Trouble::Garbled(peer)) = trouble else { return trouble.to_string() };
        let place = self.names.get(peer).filter(|name| !name.is_empty());
        let whom = format!("process {peer}");
        place.map_or(trouble.to_string(), |place| trouble.to_string().replace(&whom, &format!("{whom} at {place}")))
    }

    /// The number of this process.
    pub fn index(&self) -> usize {
        self.index
    }

    /// The number of processes.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Whether its members are on one machine.
    pub fn shared(&self) -> Shared {
        if self.names.iter().all(String::is_empty) { Shared::Processes } else { Shared::Machines }
    }

    /// Packets that were sent so far, and bytes, with all that timely adds.
    pub fn traffic(&self) -> (u64, u64) {
        (self.out.sent, self.watch.written.load(Ordering::Relaxed))
    }

    /// Goes through a phase, which ends for all when nobody has anything left to do and nothing is on its way.
    pub fn phase(&mut self, member: &mut dyn Member) -> Result<(), Trouble> {
        if let Some(trouble) = self.trouble {
            return Err(trouble);
        }
        let ended = self.run(member);
        self.trouble = ended.err();
        ended
    }

    fn run(&mut self, member: &mut dyn Member) -> Result<(), Trouble> {
        let Some(worker) = &mut self.worker else { return Err(Trouble::Mute) };
        let mail = Mail::open(worker);
        while worker.has_dataflows() {
            while let Some(packet) = mail.take() {
                mail.busy(true);
                let from = packet.from as usize;
                member.receive(from, &packet.bytes, &mut self.out).map_err(|Garbled| Trouble::Garbled(from))?;
            }
            let left = member.work(&mut self.out);
            mail.send(&mut self.out.packets);
            mail.busy(left != Left::Nothing);
            match left {
                Left::More => worker.step(),
                Left::Waiting => worker.step_or_park(Some(WAIT)),
                Left::Nothing => worker.step_or_park(Some(REST)),
            };
            if let Some(peer) = self.watch.lost() {
                return Err(Trouble::Lost(peer as usize));
            }
        }
        // What was to be sent by one that rests was no state, or it will be missed when all is counted.
        if mail.is_read() { Ok(()) } else { Err(Trouble::Mute) }
    }
}

impl Drop for Crew {
    fn drop(&mut self) {
        if self.trouble.is_some() || self.watch.lost().is_some() {
            // Its threads may sleep for ever, or be in the middle of something: the end of the process is their end.
            std::mem::forget(self.worker.take());
            std::mem::forget(self.guard.take());
            return;
        }
        drop(self.worker.take());
        let guard = self.guard.take();
        let (done, wait) = mpsc::channel();
        std::thread::spawn(move || {
            drop(guard);
            _ = done.send(());
        });
        // A peer that dies now changes nothing any more.
        _ = wait.recv_timeout(FAREWELL);
    }
}
