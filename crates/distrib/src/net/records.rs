//! A connection over a network, cut into records: sealed where there is a token, and with signs of life when there is nothing to say.
//!
//! A record is its length in two bytes and its content. With a token it is a message of Noise, whose nonce is its number, so a
//! record that was changed, repeated or left out on the way is an error. An empty record says that its sender is alive; whoever
//! hears nothing for [`SILENCE`] takes the other for lost. Time in which the listener itself was stopped does not count: what is
//! counted are waits of a second in vain.

use snow::StatelessTransportState;
use std::io::{self, ErrorKind, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::thread;
use std::time::Duration;

/// The longest content of a record: a message of Noise with its tag has 65,535 bytes at most.
const LONGEST: usize = 65_519;
/// Bytes that sealing adds.
const TAG: usize = 16;
/// Bytes in front of a record.
const HEAD: usize = 2;
/// The time between two signs of life.
const BEAT: Duration = Duration::from_secs(2);
/// One wait for something to read.
const WAIT: Duration = Duration::from_secs(1);
/// So many waits in vain, one after the other, and the other is lost.
pub const SILENCE: u32 = 15;

/// A connection, from one end.
pub struct Records {
    socket: TcpStream,
    cipher: Option<Arc<StatelessTransportState>>,
    out: Arc<Mutex<Out>>,
    /// The number of the record that is read next.
    number: u64,
    sealed: Vec<u8>,
    body: Vec<u8>,
    /// What was taken of it.
    taken: usize,
}

/// The writing side, which the signs of life share with everything else.
struct Out {
    socket: TcpStream,
    cipher: Option<Arc<StatelessTransportState>>,
    number: u64,
    record: Vec<u8>,
    closed: bool,
}

impl Out {
    fn put(&mut self, body: &[u8]) -> io::Result<()> {
        self.record.clear();
        self.record.resize(HEAD + body.len() + TAG, 0);
        let length = match &self.cipher {
            Some(cipher) => cipher
                .write_message(self.number, body, &mut self.record[HEAD..])
                .map_err(|error| io::Error::other(error.to_string()))?,
            None => {
                self.record[HEAD..HEAD + body.len()].copy_from_slice(body);
                body.len()
            }
        };
        self.number += 1;
        self.record[..HEAD].copy_from_slice(&(length as u16).to_le_bytes());
        self.socket.write_all(&self.record[..HEAD + length])
    }
}

impl Records {
    /// Records over a socket on which both sides agree about the seal.
    pub fn new(socket: TcpStream, cipher: Option<StatelessTransportState>) -> io::Result<Records> {
        socket.set_nonblocking(false)?;
        socket.set_nodelay(true)?;
        socket.set_read_timeout(Some(WAIT))?;
        let cipher = cipher.map(Arc::new);
        let writing =
            Out { socket: socket.try_clone()?, cipher: cipher.clone(), number: 0, record: Vec::new(), closed: false };
        let out = Arc::new(Mutex::new(writing));
        let weak = Arc::downgrade(&out);
        thread::Builder::new().name("beat".into()).stack_size(64 << 10).spawn(move || beat(&weak))?;
        Ok(Records { socket, cipher, out, number: 0, sealed: Vec::new(), body: Vec::new(), taken: 0 })
    }

    /// Another handle of the same end; only one of them may read from now on.
    pub fn try_clone(&self) -> io::Result<Records> {
        Ok(Records {
            socket: self.socket.try_clone()?,
            cipher: self.cipher.clone(),
            out: Arc::clone(&self.out),
            number: self.number,
            sealed: Vec::new(),
            body: self.body[self.taken..].to_vec(),
            taken: 0,
        })
    }

    /// Bytes that go over the line besides the content of a record.
    pub fn besides(&self) -> usize {
        HEAD + if self.cipher.is_some() { TAG } else { 0 }
    }

    /// Ends the connection, or one direction of it.
    pub fn shutdown(&self, how: Shutdown) -> io::Result<()> {
        if how != Shutdown::Read {
            self.out.lock().unwrap_or_else(PoisonError::into_inner).closed = true;
        }
        self.socket.shutdown(how)
    }

    /// Who is at the other end.
    pub fn peer(&self) -> String {
        self.socket.peer_addr().map_or_else(|_| "somebody".to_string(), |address| address.to_string())
    }

    /// Reads the next record that says something; false at the end.
    fn next(&mut self) -> io::Result<bool> {
        let mut head = [0; HEAD];
        if !fill(&mut self.socket, &mut head)? {
            return Ok(false);
        }
        let mut sealed = std::mem::take(&mut self.sealed);
        sealed.resize(usize::from(u16::from_le_bytes(head)), 0);
        if !fill(&mut self.socket, &mut sealed)? && !sealed.is_empty() {
            return Err(ErrorKind::UnexpectedEof.into());
        }
        self.taken = 0;
        match &self.cipher {
            Some(cipher) => {
                self.body.resize(sealed.len(), 0);
                let read = cipher.read_message(self.number, &sealed, &mut self.body);
                let length =
                    read.map_err(|_| io::Error::new(ErrorKind::InvalidData, "a record was changed on its way"))?;
                self.body.truncate(length);
            }
            None => std::mem::swap(&mut self.body, &mut sealed),
        }
        self.number += 1;
        self.sealed = sealed;
        Ok(true)
    }

    /// Sends a message: its length and its bytes.
    pub fn say(&mut self, message: &[u8]) -> io::Result<()> {
        self.write_all(&(message.len() as u64).to_le_bytes())?;
        self.write_all(message)
    }

    /// Hears a message that is no longer than this.
    pub fn hear(&mut self, longest: usize) -> io::Result<Vec<u8>> {
        let mut length = [0; 8];
        self.read_exact(&mut length)?;
        let length = usize::try_from(u64::from_le_bytes(length)).unwrap_or(usize::MAX);
        if length > longest {
            return Err(io::Error::new(ErrorKind::InvalidData, "a message is too long"));
        }
        // Room is made as it comes.
        let mut message = Vec::new();
        self.take(length as u64).read_to_end(&mut message)?;
        if message.len() < length { Err(ErrorKind::UnexpectedEof.into()) } else { Ok(message) }
    }
}

/// Reads until a buffer is full; false if the other has ended before its first byte.
fn fill(socket: &mut TcpStream, buffer: &mut [u8]) -> io::Result<bool> {
    let (mut done, mut vain) = (0, 0);
    while done < buffer.len() {
        match socket.read(&mut buffer[done..]) {
            Ok(0) if done == 0 => return Ok(false),
            Ok(0) => return Err(ErrorKind::UnexpectedEof.into()),
            Ok(count) => (done, vain) = (done + count, 0),
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {
                vain += 1;
                if vain >= SILENCE {
                    return Err(ErrorKind::TimedOut.into());
                }
            }
            Err(error) => return Err(error),
        }
    }
    Ok(!buffer.is_empty())
}

/// Says now and then that this end is alive, unless something else is being said.
fn beat(out: &Weak<Mutex<Out>>) {
    loop {
        thread::sleep(BEAT);
        let Some(out) = out.upgrade() else { return };
        let Ok(mut out) = out.try_lock() else { continue };
        if out.closed || out.put(&[]).is_err() {
            return;
        }
    }
}

impl Read for Records {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        while self.taken == self.body.len() {
            if !self.next()? {
                return Ok(0);
            }
        }
        let count = into.len().min(self.body.len() - self.taken);
        into[..count].copy_from_slice(&self.body[self.taken..self.taken + count]);
        self.taken += count;
        Ok(count)
    }
}

impl Write for Records {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = bytes.len().min(LONGEST);
        if count > 0 {
            self.out.lock().unwrap_or_else(PoisonError::into_inner).put(&bytes[..count])?;
        }
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl std::fmt::Debug for Records {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Records({})", self.peer())
    }
}
