//! Several processes for one check: this program, started again.
//!
//! The model is code, so the others run the same program with the same arguments. It does in them what it did in the first one until it
//! comes to the same check; there they take part, and end. Which check it is, is told by where it was asked for, by which
//! thread, and how often that happened before. Other checks that are asked for on the way they do alone.

use crate::checker::Refused;
use rapidhash::v3::rapidhash_v3;
use starwheel_distrib::{Crew, Links, SHARES, Terms};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fs::DirBuilder;
use std::io;
use std::net::Shutdown;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::fs::DirBuilderExt;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::panic::Location;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// How one of the others is told what it is: its number, that of the run, and the check; and the folder where all meet.
const MEMBER: &str = "STARWHEEL_MEMBER";
const FOLDER: &str = "STARWHEEL_FOLDER";
/// The time in which the others end by themselves.
const PATIENCE: Duration = Duration::from_secs(2);
const PAUSE: Duration = Duration::from_millis(2);
/// The most processes.
const MOST: usize = 64;
/// The version of what is said besides a search.
const VERSION: &str = concat!("lib ", env!("CARGO_PKG_VERSION"));

/// What this process is in a check.
pub enum Role {
    /// Nobody else takes part.
    Alone,
    /// The one that answers, and those that it has started.
    First(Others),
    /// One of the others.
    Member(Place),
}

/// Where a member belongs.
pub struct Place {
    index: usize,
    run: u64,
    folder: PathBuf,
    count: usize,
    /// To the numbers of the first process.
    line: UnixStream,
}

/// The processes that this one has started.
pub struct Others {
    folder: PathBuf,
    run: u64,
    children: RefCell<Vec<Child>>,
    /// By child: the connection over which it asks for numbers.
    lines: Vec<UnixStream>,
}

/// The processes that have met, as one of them sees them.
pub struct Party {
    pub crew: Crew,
    /// By member: the connection over which it asks for numbers; none in a member.
    pub lines: Vec<UnixStream>,
    /// The connection over which this one asks, if it is a member.
    pub line: Option<UnixStream>,
}

/// Which check it is, in a form that the environment can hold.
fn call(place: &Location<'_>) -> String {
    static BEFORE: Mutex<BTreeMap<String, u64>> = Mutex::new(BTreeMap::new());
    let thread = thread::current();
    let name = format!("{}:{}:{} {}", place.file(), place.line(), place.column(), thread.name().unwrap_or_default());
    let mut before = BEFORE.lock().unwrap_or_else(PoisonError::into_inner);
    let number = before.entry(name.clone()).or_default();
    *number += 1;
    format!("{number} {name}")
}

impl Role {
    /// What this process is in the check that is asked for at some place of the program, by so many processes.
    pub fn of(place: &Location<'_>, processes: Option<usize>) -> Result<Role, Refused> {
        let Some(count) = processes.filter(|&count| count > 1) else { return Ok(Role::Alone) };
        if count > MOST {
            return Err(Refused::new(format!("{count} processes are too many: {MOST} at most")));
        }
        let call = call(place);
        match std::env::var(MEMBER) {
            Err(_) => Others::start(&call, count).map(Role::First),
            Ok(text) => Ok(Place::read(&text, &call, count).map_or(Role::Alone, Role::Member)),
        }
    }

    /// True if nobody else takes part.
    pub fn is_alone(&self) -> bool {
        matches!(self, Role::Alone)
    }

    /// True if somebody else answers.
    pub fn is_member(&self) -> bool {
        matches!(self, Role::Member(_))
    }

    /// Meets the others, if there are any; all must have the same digest of what is to be checked.
    pub fn meet(&self, digest: u64) -> Result<Option<Party>, Refused> {
        let terms = |run, count: usize| {
            let shares = SHARES as u32;
            Terms { run, count: count as u32, digest, shares, version: Terms::version(VERSION) }
        };
        let links = match self {
            Role::Alone => return Ok(None),
            Role::First(others) => {
                Links::meet(&others.folder, 0, terms(others.run, others.lines.len() + 1), &|| others.gone())
            }
            Role::Member(place) => Links::meet(&place.folder, place.index, terms(place.run, place.count), &|| None),
        };
        let links = links.map_err(|apart| {
            let hint = "; each of them runs this program again, and must come to the same check of the same model";
            Refused::new(format!("{apart}{hint}"))
        })?;
        let copies = |lines: &[UnixStream]| lines.iter().map(UnixStream::try_clone).collect::<io::Result<Vec<_>>>();
        let party = || {
            let (lines, line) = match self {
                Role::First(others) => (copies(&others.lines)?, None),
                Role::Member(place) => (Vec::new(), Some(place.line.try_clone()?)),
                Role::Alone => (Vec::new(), None),
            };
            Ok(Party { crew: Crew::new(links)?, lines, line })
        };
        party()
            .map(Some)
            .map_err(|error: io::Error| Refused::new(format!("the processes cannot be connected: {error}")))
    }
}

impl Party {
    /// True if another process answers.
    pub fn is_member(&self) -> bool {
        self.line.is_some()
    }
}

impl Drop for Party {
    fn drop(&mut self) {
        // Whoever answers questions over one of these has nothing more to do.
        self.lines.iter().for_each(|line| _ = line.shutdown(Shutdown::Both));
    }
}

impl Place {
    /// What the environment says, if it is about this check.
    fn read(text: &str, call: &str, count: usize) -> Option<Place> {
        let (index, rest) = text.split_once(' ')?;
        let (run, wanted) = rest.split_once(' ')?;
        if wanted != call {
            return None;
        }
        let line = io::stdin().as_fd().try_clone_to_owned().ok()?;
        let folder = PathBuf::from(std::env::var_os(FOLDER)?);
        Some(Place { index: index.parse().ok()?, run: run.parse().ok()?, folder, count, line: line.into() })
    }
}

impl Others {
    /// Starts them.
    fn start(call: &str, count: usize) -> Result<Others, Refused> {
        let cannot = |what: &str, error: io::Error| Refused::new(format!("{what}: {error}"));
        let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |now| now.as_nanos() as u64);
        let run = rapidhash_v3(format!("{now} {} {call}", std::process::id()).as_bytes());
        let folder = std::env::temp_dir().join(format!("starwheel-{run:016x}"));
        DirBuilder::new().mode(0o700).create(&folder).map_err(|e| cannot("there is no folder to meet in", e))?;
        let mut others = Others { folder, run, children: RefCell::default(), lines: Vec::new() };
        // The very file that runs here, even if it was replaced meanwhile.
        let own = Path::new("/proc/self/exe");
        let program = if own.exists() { Ok(own.to_path_buf()) } else { std::env::current_exe() };
        let program = program.map_err(|e| cannot("this program cannot be found", e))?;
        for index in 1..count {
            let (here, there) = UnixStream::pair().map_err(|e| cannot("there is no connection", e))?;
            let mut args = std::env::args_os();
            let mut command = Command::new(&program);
            if let Some(name) = args.next() {
                command.arg0(name);
            }
            command.args(args).env(MEMBER, format!("{index} {run} {call}")).env(FOLDER, &others.folder);
            command.stdin(Stdio::from(OwnedFd::from(there))).stdout(Stdio::null()).stderr(Stdio::null());
            let child = command.spawn().map_err(|e| cannot("another process cannot be started", e))?;
            others.children.get_mut().push(child);
            others.lines.push(here);
        }
        Ok(others)
    }

    /// One that has ended, by its number.
    fn gone(&self) -> Option<usize> {
        let mut children = self.children.borrow_mut();
        let ended = |child: &mut Child| !matches!(child.try_wait(), Ok(None));
        children.iter_mut().position(ended).map(|at| at + 1)
    }
}

impl Drop for Others {
    fn drop(&mut self) {
        let until = Instant::now() + PATIENCE;
        for child in self.children.get_mut() {
            while matches!(child.try_wait(), Ok(None)) {
                if Instant::now() >= until {
                    _ = child.kill();
                    _ = child.wait();
                    break;
                }
                thread::sleep(PAUSE);
            }
        }
        _ = std::fs::remove_dir_all(&self.folder);
    }
}
