//! A connection to one other process that notices when the other is lost, and then keeps quiet.
//!
//! Timely's threads panic when a connection ends before its last word, a header of zeros. Here such an end is noted, and the
//! thread that would have panicked sleeps: whoever searches looks at the note and gives up in an orderly way.

use crate::links::Channel;
use std::io::{self, Read, Write};
use std::net::Shutdown;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::thread;
use timely::communication::allocator::zero_copy::stream::Stream;

/// Bytes of the last word, all of them zero.
const LAST: usize = 48;
/// Nobody is lost.
const NOBODY: u32 = u32::MAX;

/// Who was lost first, and what went over all lines of a process.
#[derive(Debug)]
pub struct Watch {
    lost: AtomicU32,
    /// Bytes that were written.
    pub written: AtomicU64,
}

impl Default for Watch {
    fn default() -> Watch {
        Watch { lost: AtomicU32::new(NOBODY), written: AtomicU64::new(0) }
    }
}

impl Watch {
    /// The number of the process that was lost, if one was.
    pub fn lost(&self) -> Option<u32> {
        Some(self.lost.load(Ordering::Relaxed)).filter(|&peer| peer != NOBODY)
    }

    fn lose(&self, peer: u32) {
        _ = self.lost.compare_exchange(NOBODY, peer, Ordering::Relaxed, Ordering::Relaxed);
    }
}

/// One connection.
pub struct Line {
    channel: Channel,
    peer: u32,
    watch: Arc<Watch>,
    /// The zeros that were read last.
    zeros: usize,
}

impl Line {
    /// The line to a process.
    pub fn new(channel: Channel, peer: u32, watch: Arc<Watch>) -> Line {
        Line { channel, peer, watch, zeros: 0 }
    }

    /// Notes that the other is lost, and never comes back.
    fn gone(&self) -> ! {
        self.watch.lose(self.peer);
        loop {
            thread::park();
        }
    }
}

impl Read for Line {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let read = match &mut self.channel {
            Channel::Unix(socket) => socket.read(into),
            Channel::Net(records) => records.read(into),
        };
        match read {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => Err(error),
            Ok(count) if count > 0 => {
                let tail = into[..count].iter().rev().take_while(|&&byte| byte == 0).count();
                self.zeros = if tail == count { self.zeros + count } else { tail };
                Ok(count)
            }
            Ok(_) if self.zeros >= LAST => Ok(0),
            _ => self.gone(),
        }
    }
}

impl Write for Line {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let (written, besides) = match &mut self.channel {
            Channel::Unix(socket) => (socket.write(bytes), 0),
            Channel::Net(records) => (records.write(bytes), records.besides()),
        };
        match written {
            Ok(count) => {
                self.watch.written.fetch_add((count + besides) as u64, Ordering::Relaxed);
                Ok(count)
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => Err(error),
            Err(_) => self.gone(),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        // Neither of them keeps anything back.
        Ok(())
    }
}

impl Stream for Line {
    fn try_clone(&self) -> io::Result<Line> {
        let channel = match &self.channel {
            Channel::Unix(socket) => Channel::Unix(socket.try_clone()?),
            Channel::Net(records) => Channel::Net(records.try_clone()?),
        };
        Ok(Line { channel, peer: self.peer, watch: Arc::clone(&self.watch), zeros: 0 })
    }

    fn set_nonblocking(&self, nonblocking: bool) -> io::Result<()> {
        match &self.channel {
            Channel::Unix(socket) => socket.set_nonblocking(nonblocking),
            // They wait already.
            Channel::Net(_) => Ok(()),
        }
    }

    fn shutdown(&self, how: Shutdown) -> io::Result<()> {
        // A peer that is gone has nothing to hear.
        _ = match &self.channel {
            Channel::Unix(socket) => socket.shutdown(how),
            Channel::Net(records) => records.shutdown(how),
        };
        Ok(())
    }
}
