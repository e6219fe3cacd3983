//! How the processes of a run come together: each is connected with each, and nobody begins before both sides of a connection
//! have said the same about what they are going to do.

use crate::net::Records;
use std::fmt;
use std::io::{self, Read, Write};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

/// The time in which all have to be there.
const PATIENCE: Duration = Duration::from_secs(20);
/// The time between two attempts.
const PAUSE: Duration = Duration::from_millis(5);
/// What a greeting begins with; the last character is the version of everything that is sent.
const MAGIC: [u8; 8] = *b"starwhl3";
/// Bytes of a greeting.
const GREETING: usize = 72;
/// Bytes of a version.
const VERSION: usize = 24;

/// The connection of two processes.
#[derive(Debug)]
pub enum Channel {
    /// On one machine.
    Unix(UnixStream),
    /// Between machines.
    Net(Records),
}

/// The connections of one process to all others.
#[derive(Debug)]
pub struct Links {
    /// Its own number.
    pub index: usize,
    /// By process: the connection; none to itself.
    pub sockets: Vec<Option<Channel>>,
    /// By process: where it is; nothing if all are on one machine.
    pub names: Vec<String>,
}

/// What the two sides of a connection have to agree on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Terms {
    /// A number that no other run has.
    pub run: u64,
    /// The number of processes.
    pub count: u32,
    /// A hash of the model and of all options that change states or counts.
    pub digest: u64,
    /// In how many shares the states are dealt out.
    pub shares: u32,
    /// The version of the program, with zeros behind it.
    pub version: [u8; VERSION],
}

impl Terms {
    /// A version as it is sent.
    pub fn version(text: &str) -> [u8; VERSION] {
        let mut out = [0; VERSION];
        out.iter_mut().zip(text.bytes()).for_each(|(to, byte)| *to = byte);
        out
    }

    fn version_text(&self) -> String {
        String::from_utf8_lossy(&self.version).trim_end_matches('\0').to_string()
    }
}

/// Why the processes do not come together.
#[derive(Debug)]
pub enum Apart {
    /// A process did not come in time.
    Missing(usize),
    /// A process is about to do something else: its terms and ours.
    Other(usize, Box<(Terms, Terms)>),
    /// A process cannot be reached, and why.
    Unreached(usize, String),
    /// The system does not let us.
    Io(io::Error),
}

impl fmt::Display for Apart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Apart::Missing(peer) => {
                write!(f, "process {peer} ended early, or did not come within {} s", PATIENCE.as_secs())
            }
            Apart::Unreached(peer, why) => write!(f, "process {peer} cannot be reached: {why}"),
            Apart::Other(peer, terms) if terms.0.version != terms.1.version => write!(
                f,
                "process {peer} is of another version: {}, and here it is {}",
                terms.0.version_text(),
                terms.1.version_text()
            ),
            Apart::Other(peer, terms) if terms.0.digest != terms.1.digest => write!(
                f,
                "process {peer} has another model or other options: {:016x}, and here it is {:016x}",
                terms.0.digest, terms.1.digest
            ),
            Apart::Other(peer, terms) => write!(
                f,
                "process {peer} belongs to another run: {:x} with {} processes, and here it is {:x} with {}",
                terms.0.run, terms.0.count, terms.1.run, terms.1.count
            ),
            Apart::Io(error) => write!(f, "the processes cannot be connected: {error}"),
        }
    }
}

impl From<io::Error> for Apart {
    fn from(error: io::Error) -> Apart {
        Apart::Io(error)
    }
}

impl Links {
    /// Connections between so many members of one process, for tests.
    pub fn pairs(count: usize) -> io::Result<Vec<Links>> {
        let mut all: Vec<Links> = (0..count)
            .map(|index| Links { index, sockets: (0..count).map(|_| None).collect(), names: Vec::new() })
            .collect();
        for low in 0..count {
            for high in low + 1..count {
                let (a, b) = UnixStream::pair()?;
                all[low].sockets[high] = Some(Channel::Unix(a));
                all[high].sockets[low] = Some(Channel::Unix(b));
            }
        }
        Ok(all)
    }

    /// Meets all others in a folder that nobody else can enter: the higher number calls the lower one. `gone` says which of them, if any, has ended already.
    pub fn meet(folder: &Path, index: usize, terms: Terms, gone: &dyn Fn() -> Option<usize>) -> Result<Links, Apart> {
        let count = terms.count as usize;
        let (mut sockets, until): (Vec<Option<Channel>>, _) =
            ((0..count).map(|_| None).collect(), Instant::now() + PATIENCE);
        let listener = UnixListener::bind(place(folder, index))?;
        let _trace = Trace { folder, index };
        listener.set_nonblocking(true)?;
        for (peer, slot) in sockets.iter_mut().enumerate().take(index) {
            let mut socket = call(&place(folder, peer), until).ok_or(Apart::Missing(peer))?;
            greet(&mut socket, index, terms)?;
            let theirs = first_words(&mut socket).map_err(|_| Apart::Missing(peer))?;
            check(peer, theirs, (peer, terms))?;
            *slot = Some(Channel::Unix(socket));
        }
        while let Some(missing) = (index + 1..count).find(|&peer| sockets[peer].is_none()) {
            if let Some(peer) = gone() {
                return Err(Apart::Missing(peer));
            }
            let mut socket = match listener.accept() {
                Ok((socket, _)) => socket,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock && Instant::now() < until => {
                    thread::sleep(PAUSE);
                    continue;
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Err(Apart::Missing(missing)),
                Err(error) => return Err(error.into()),
            };
            socket.set_nonblocking(false)?;
            // Whoever does not greet is a stranger, and none of our business.
            let Ok((peer, theirs)) = first_words(&mut socket) else { continue };
            greet(&mut socket, index, terms)?;
            check(peer, (peer, theirs), (peer, terms))?;
            match sockets.get_mut(peer) {
                Some(slot) if peer > index && slot.is_none() => *slot = Some(Channel::Unix(socket)),
                _ => continue,
            }
        }
        Ok(Links { index, sockets, names: Vec::new() })
    }
}

/// What a process leaves in the folder while it meets the others. Afterwards, or if they do not come, nobody needs it any more; the
/// last one takes the folder away, so nothing is left whoever is killed.
struct Trace<'f> {
    folder: &'f Path,
    index: usize,
}

impl Drop for Trace<'_> {
    fn drop(&mut self) {
        _ = std::fs::remove_file(place(self.folder, self.index));
        // It stays while there is anything in it. Whoever calls somebody has a place of its own there.
        _ = std::fs::remove_dir(self.folder);
    }
}

fn place(folder: &Path, index: usize) -> std::path::PathBuf {
    folder.join(index.to_string())
}

fn call(path: &Path, until: Instant) -> Option<UnixStream> {
    loop {
        match UnixStream::connect(path) {
            Ok(socket) => return Some(socket),
            Err(_) if Instant::now() < until => thread::sleep(PAUSE),
            Err(_) => return None,
        }
    }
}

/// Says who this is, and what it is going to do.
pub fn greet(socket: &mut impl Write, index: usize, terms: Terms) -> io::Result<()> {
    let mut bytes = Vec::with_capacity(GREETING);
    bytes.extend_from_slice(&MAGIC);
    for number in [index as u64, terms.run, terms.count.into(), terms.digest, terms.shares.into()] {
        bytes.extend_from_slice(&number.to_le_bytes());
    }
    bytes.extend_from_slice(&terms.version);
    socket.write_all(&bytes)
}

/// Hears who the other is, and what it is going to do.
pub fn greeting(socket: &mut impl Read) -> io::Result<(usize, Terms)> {
    let mut bytes = [0; GREETING];
    socket.read_exact(&mut bytes)?;
    let number = |at: usize| <[u8; 8]>::try_from(&bytes[at..at + 8]).map_or(0, u64::from_le_bytes);
    if bytes[..8] != MAGIC {
        return Err(io::Error::other("another version, or something else altogether"));
    }
    let (run, count, digest, shares) = (number(16), number(24) as u32, number(32), number(40) as u32);
    let mut version = [0; VERSION];
    version.copy_from_slice(&bytes[48..]);
    Ok((number(8) as usize, Terms { run, count, digest, shares, version }))
}

/// The greeting of a process of this machine, if it does not take too long.
fn first_words(socket: &mut UnixStream) -> io::Result<(usize, Terms)> {
    socket.set_read_timeout(Some(PATIENCE))?;
    let words = greeting(socket)?;
    socket.set_read_timeout(None)?;
    Ok(words)
}

/// Both must say the same.
pub fn check(peer: usize, theirs: (usize, Terms), ours: (usize, Terms)) -> Result<(), Apart> {
    if theirs == ours { Ok(()) } else { Err(Apart::Other(peer, Box::new((theirs.1, ours.1)))) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(name: &str) -> std::path::PathBuf {
        let folder = std::env::temp_dir().join(format!("starwheel-links-{}-{name}", std::process::id()));
        _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir(&folder).unwrap();
        folder
    }

    fn meet(name: &str, digests: &[u64]) -> Vec<Result<Links, Apart>> {
        let folder = folder(name);
        let terms =
            |digest| Terms { run: 7, count: digests.len() as u32, digest, shares: 1, version: Terms::version("v1") };
        let links = thread::scope(|scope| {
            let one = |(index, &digest): (usize, &u64)| {
                let folder = &folder;
                scope.spawn(move || Links::meet(folder, index, terms(digest), &|| None))
            };
            let all: Vec<_> = digests.iter().enumerate().map(one).collect();
            all.into_iter().map(|one| one.join().unwrap()).collect()
        });
        assert!(!folder.exists(), "something is left in {folder:?}");
        links
    }

    #[test]
    fn all_are_connected_with_all() {
        for links in meet("all", &[5, 5, 5, 5]) {
            let links = links.unwrap();
            let missing: Vec<_> = (0..4).filter(|&peer| links.sockets[peer].is_none()).collect();
            assert_eq!(missing, [links.index]);
        }
    }

    #[test]
    fn whoever_has_another_model_is_refused_by_both_sides() {
        for links in meet("other", &[5, 6]) {
            let text = links.unwrap_err().to_string();
            assert!(text.contains("0000000000000006") && text.contains("0000000000000005"), "{text}");
        }
    }

    #[test]
    fn versions_are_told() {
        let terms = |text| Terms { run: 1, count: 2, digest: 3, shares: 1, version: Terms::version(text) };
        let text = check(1, (1, terms("one 1.2")), (1, terms("one 1.3"))).unwrap_err().to_string();
        assert_eq!(text, "process 1 is of another version: one 1.2, and here it is one 1.3");
    }

    #[test]
    fn strangers_are_left_alone() {
        let folder = folder("strangers");
        let terms = Terms { run: 1, count: 2, digest: 3, shares: 1, version: Terms::version("v1") };
        thread::scope(|scope| {
            let first = scope.spawn(|| Links::meet(&folder, 0, terms, &|| None));
            let mut stranger = call(&place(&folder, 0), Instant::now() + PATIENCE).unwrap();
            stranger.write_all(&[b'x'; 100]).unwrap();
            drop(stranger);
            let second = Links::meet(&folder, 1, terms, &|| None);
            assert!(first.join().unwrap().is_ok() && second.is_ok());
        });
        assert!(!folder.exists(), "something is left in {folder:?}");
    }
}
