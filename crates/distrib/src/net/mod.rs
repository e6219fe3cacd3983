//! Processes on several machines: who calls whom, and what is said before a search begins.
//!
//! The first process calls each worker and tells it what to do; this connection is their link afterwards. Among the workers the
//! higher number calls the lower one. So only workers listen, each at one address.

mod door;
mod records;

pub use door::{Closed, Token, call, receive};
pub use records::{Records, SILENCE};

use crate::links::{Apart, Channel, Links, Terms, check, greet, greeting};
use crate::wire::{Garbled, Rest, put, put_bytes};
use std::fmt;
use std::io::{self, ErrorKind};
use std::net::{SocketAddr, TcpListener, TcpStream, ToSocketAddrs};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// The time in which all have to be there.
const PATIENCE: Duration = Duration::from_secs(if cfg!(test) { 2 } else { 20 });
/// The time between two attempts.
const PAUSE: Duration = Duration::from_millis(50);
/// Connections that may be at the door at the same time.
const CROWD: usize = 32;
/// Connections of known processes that may wait for a run to begin.
const WAITING: usize = 256;
/// What a worker says that has work.
const BUSY: &str = "it works for somebody else";
/// The longest first word.
const WORD: usize = 256;

/// What somebody wants who comes in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hello {
    /// The version of the program.
    pub version: String,
    /// A number that no other run has.
    pub run: u64,
    /// The number of the one who calls; the first process brings work, the others want a link.
    pub from: usize,
}

impl Hello {
    fn write(&self) -> Vec<u8> {
        let mut out = Vec::new();
        put_bytes(&mut out, self.version.as_bytes());
        put(&mut out, self.run);
        put(&mut out, self.from as u64);
        out
    }

    fn read(bytes: &[u8]) -> Result<Hello, Garbled> {
        let mut rest = Rest(bytes);
        let version = String::from_utf8_lossy(rest.bytes()?).into_owned();
        let (run, from) = (rest.number()?, rest.number()?);
        let from = usize::try_from(from).map_err(|_| Garbled)?;
        if rest.is_empty() { Ok(Hello { version, run, from }) } else { Err(Garbled) }
    }
}

/// Why a worker cannot be reached, or does not want to.
#[derive(Debug)]
pub enum Unreached {
    /// Its address means nothing.
    Nowhere(String),
    /// It would have to be sealed, and there is no token.
    Open(SocketAddr),
    /// Nobody answers.
    Nobody(io::Error),
    /// It does not let us in.
    Closed(Closed),
    /// It has something else to say.
    Refused(String),
}

impl fmt::Display for Unreached {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unreached::Nowhere(why) => write!(f, "its address cannot be found: {why}"),
            Unreached::Open(address) => {
                write!(f, "{address} is another machine, and without a token nothing is sent there")
            }
            Unreached::Nobody(error) => write!(f, "no answer within {} s: {error}", PATIENCE.as_secs()),
            Unreached::Closed(why) => write!(f, "{why}"),
            Unreached::Refused(why) => write!(f, "it says: {why}"),
        }
    }
}

/// Calls a worker and says who is there; the answer is a connection on which it listens.
pub fn dial(address: &str, token: Option<&Token>, hello: &Hello) -> Result<Records, Unreached> {
    let all: Vec<SocketAddr> = address.to_socket_addrs().map_err(|e| Unreached::Nowhere(e.to_string()))?.collect();
    if let (Some(far), None) = (all.iter().find(|a| !a.ip().is_loopback()), token) {
        return Err(Unreached::Open(*far));
    }
    let until = Instant::now() + PATIENCE;
    loop {
        // One that is busy may be about to end, and one that hangs up to begin anew.
        match knock(&all, token, hello) {
            Err(why) if why.passes() && Instant::now() < until => thread::sleep(PAUSE),
            answer => return answer,
        }
    }
}

impl Unreached {
    /// True if it may be otherwise soon.
    fn passes(&self) -> bool {
        match self {
            Unreached::Nobody(_) | Unreached::Closed(Closed::Io(_)) => true,
            Unreached::Refused(why) => why == BUSY,
            _ => false,
        }
    }
}

/// Calls a worker once.
fn knock(all: &[SocketAddr], token: Option<&Token>, hello: &Hello) -> Result<Records, Unreached> {
    let socket = connect(all).map_err(Unreached::Nobody)?;
    let mut records = call(socket, token).map_err(Unreached::Closed)?;
    let broken = |error: io::Error| Unreached::Closed(Closed::Io(error));
    records.say(&hello.write()).map_err(broken)?;
    let answer = records.hear(WORD).map_err(broken)?;
    match answer.is_empty() {
        true => Ok(records),
        false => Err(Unreached::Refused(String::from_utf8_lossy(&answer).into_owned())),
    }
}

/// A name may stand for several addresses, and the worker need not listen at the first of them.
fn connect(all: &[SocketAddr]) -> io::Result<TcpStream> {
    let mut last = io::Error::from(ErrorKind::AddrNotAvailable);
    for address in all {
        match TcpStream::connect_timeout(address, Duration::from_secs(5)) {
            Ok(socket) => return Ok(socket),
            Err(error) => last = error,
        }
    }
    Err(last)
}

/// Where a worker listens. Strangers come and go without anybody's noticing.
pub struct Gate {
    inner: Arc<Inner>,
}

struct Inner {
    token: Option<Token>,
    version: String,
    hall: Mutex<Hall>,
    news: Condvar,
    /// Connections at the door.
    crowd: AtomicUsize,
}

/// Those who have come in.
#[derive(Default)]
struct Hall {
    /// Whoever brings work, and whether one has been heard.
    work: Option<(Records, Hello)>,
    taken: bool,
    links: Vec<(Records, Hello)>,
}

impl Inner {
    fn hall(&self) -> MutexGuard<'_, Hall> {
        self.hall.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Looks who is at the door.
    fn admit(&self, socket: TcpStream) -> Option<()> {
        let mut records = receive(socket, self.token.as_ref()).ok()?;
        let hello = Hello::read(&records.hear(WORD).ok()?).ok()?;
        if hello.version != self.version {
            let why = format!("its version is {}, and here it is {}", self.version, hello.version);
            return records.say(why.as_bytes()).ok();
        }
        let mut hall = self.hall();
        let busy = if hello.from == 0 { hall.taken } else { hall.links.len() >= WAITING };
        if busy {
            drop(hall);
            return records.say(BUSY.as_bytes()).ok();
        }
        // Nobody is let in who does not hear it.
        records.say(&[]).ok()?;
        if hello.from == 0 {
            hall.taken = true;
            hall.work = Some((records, hello));
        } else {
            hall.links.push((records, hello));
        }
        self.news.notify_all();
        Some(())
    }
}

impl Gate {
    /// Opens a gate; it is never closed.
    pub fn open(listener: TcpListener, token: Option<Token>, version: &str) -> io::Result<Gate> {
        let (hall, news, crowd) = (Mutex::default(), Condvar::new(), AtomicUsize::new(0));
        let inner = Arc::new(Inner { token, version: version.to_string(), hall, news, crowd });
        let keeper = Arc::clone(&inner);
        listener.set_nonblocking(false)?;
        thread::Builder::new().name("gate".into()).spawn(move || keep(&listener, &keeper))?;
        Ok(Gate { inner })
    }

    /// Waits for somebody who brings work.
    pub fn work(&self) -> (Records, Hello) {
        let mut hall = self.inner.hall();
        loop {
            if let Some(work) = hall.work.take() {
                return work;
            }
            hall = self.inner.news.wait(hall).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// The link of another worker of a run; none if it does not come in time.
    fn link(&self, run: u64, from: usize, until: Instant) -> Option<Records> {
        let mut hall = self.inner.hall();
        loop {
            let wanted = |(_, hello): &(Records, Hello)| hello.run == run && hello.from == from;
            if let Some(at) = hall.links.iter().position(wanted) {
                return Some(hall.links.swap_remove(at).0);
            }
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return None;
            }
            let waited = self.inner.news.wait_timeout(hall, left);
            hall = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

/// Lets everybody in front of the door be looked at, each for himself.
fn keep(listener: &TcpListener, inner: &Arc<Inner>) {
    loop {
        let Ok((socket, _)) = listener.accept() else {
            thread::sleep(PAUSE);
            continue;
        };
        if inner.crowd.fetch_add(1, Ordering::Relaxed) >= CROWD {
            inner.crowd.fetch_sub(1, Ordering::Relaxed);
            continue;
        }
        let own = Arc::clone(inner);
        let look = move || {
            _ = own.admit(socket);
            own.crowd.fetch_sub(1, Ordering::Relaxed);
        };
        if thread::Builder::new().name("door".into()).stack_size(256 << 10).spawn(look).is_err() {
            inner.crowd.fetch_sub(1, Ordering::Relaxed);
        }
    }
}

/// How a process meets the others over a network.
pub struct Meeting {
    /// By process: its address as it was written; empty for the first one.
    pub addresses: Vec<String>,
    /// What all know.
    pub token: Option<Token>,
    /// For the first process: by worker, the connection to it. For a worker: the one to the first process.
    pub called: Vec<Records>,
    /// For a worker: where it listens.
    pub gate: Option<Gate>,
}

impl fmt::Debug for Meeting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Meeting({:?})", self.addresses)
    }
}

impl Meeting {
    /// Meets all others.
    pub fn meet(self, index: usize, version: &str, terms: Terms) -> Result<Links, Apart> {
        let count = terms.count as usize;
        let mut links: Vec<Option<Records>> = (0..count).map(|_| None).collect();
        let first = if index == 0 { 1 } else { 0 };
        for (at, records) in self.called.into_iter().enumerate() {
            *links.get_mut(first + at).ok_or(Apart::Missing(first + at))? = Some(records);
        }
        if index > 0 {
            let hello = Hello { version: version.to_string(), run: terms.run, from: index };
            for (peer, slot) in links.iter_mut().enumerate().take(index).skip(1) {
                let address = self.addresses.get(peer).ok_or(Apart::Missing(peer))?;
                let called = dial(address, self.token.as_ref(), &hello);
                *slot = Some(called.map_err(|why| Apart::Unreached(peer, why.to_string()))?);
            }
            let until = Instant::now() + PATIENCE;
            for (peer, slot) in links.iter_mut().enumerate().skip(index + 1) {
                let link = self.gate.as_ref().and_then(|gate| gate.link(terms.run, peer, until));
                *slot = Some(link.ok_or(Apart::Missing(peer))?);
            }
        }
        for (peer, link) in links.iter_mut().enumerate().filter_map(|(p, l)| l.as_mut().map(|l| (p, l))) {
            greet(link, index, terms).map_err(|_| Apart::Missing(peer))?;
        }
        for (peer, link) in links.iter_mut().enumerate().filter_map(|(p, l)| l.as_mut().map(|l| (p, l))) {
            let theirs = greeting(link).map_err(|_| Apart::Missing(peer))?;
            check(peer, theirs, (peer, terms))?;
        }
        let sockets = links.into_iter().map(|link| link.map(Channel::Net)).collect();
        Ok(Links { index, sockets, names: self.addresses })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    fn gate(token: Option<&Token>) -> (Gate, String) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        (Gate::open(listener, token.cloned(), "v1").unwrap(), address)
    }

    fn hello(from: usize) -> Hello {
        Hello { version: "v1".into(), run: 5, from }
    }

    fn terms(count: u32) -> Terms {
        Terms { run: 5, count, digest: 3, shares: 7, version: Terms::version("v1") }
    }

    #[test]
    fn three_processes_meet_although_strangers_are_about() {
        let token = Token::new("a token for the test");
        let gates: Vec<_> = (0..2).map(|_| gate(token.as_ref())).collect();
        let addresses: Vec<String> = std::iter::once(String::new()).chain(gates.iter().map(|g| g.1.clone())).collect();
        let mut strangers = Vec::new();
        for address in &addresses[1..] {
            for _ in 0..5 {
                let mut stranger = TcpStream::connect(address).unwrap();
                stranger.write_all(b"GET / HTTP/1.1\r\n\r\n").unwrap();
                strangers.push(stranger);
            }
            // One that says nothing at all.
            strangers.push(TcpStream::connect(address).unwrap());
        }
        let links: Vec<Links> = thread::scope(|scope| {
            let (token, addresses) = (&token, &addresses);
            let mut all: Vec<_> = gates
                .into_iter()
                .zip(1..)
                .map(|((gate, _), index)| {
                    scope.spawn(move || {
                        let (first, greeting) = gate.work();
                        assert_eq!(greeting, hello(0));
                        let (called, gate) = (vec![first], Some(gate));
                        Meeting { addresses: addresses.clone(), token: token.clone(), called, gate }
                            .meet(index, "v1", terms(3))
                            .unwrap()
                    })
                })
                .collect();
            let called = addresses[1..].iter().map(|a| dial(a, token.as_ref(), &hello(0)).unwrap()).collect();
            let meeting = Meeting { addresses: addresses.clone(), token: token.clone(), called, gate: None };
            let first = meeting.meet(0, "v1", terms(3)).unwrap();
            std::iter::once(first).chain(all.drain(..).map(|one| one.join().unwrap())).collect()
        });
        for links in links {
            let missing: Vec<_> = (0..3).filter(|&peer| links.sockets[peer].is_none()).collect();
            assert_eq!(missing, [links.index]);
        }
    }

    #[test]
    fn other_versions_and_second_masters_are_told_why_not() {
        let (gate, address) = gate(None);
        let other = Hello { version: "v2".into(), ..hello(0) };
        let why = dial(&address, None, &other).unwrap_err().to_string();
        assert!(why.contains("v1") && why.contains("v2"), "{why}");
        let _first = dial(&address, None, &hello(0)).unwrap();
        assert_eq!(gate.work().1, hello(0));
        let why = dial(&address, None, &hello(0)).unwrap_err().to_string();
        assert!(why.contains("somebody else"), "{why}");
    }

    #[test]
    fn nothing_is_sent_to_other_machines_without_a_token() {
        // An address for documentation: nothing may be sent there, and nothing is.
        let why = dial("192.0.2.1:9", None, &hello(0)).unwrap_err();
        assert!(matches!(why, Unreached::Open(_)), "{why}");
    }
}
