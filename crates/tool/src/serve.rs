//! `starwheel worker`: listens at one address and takes part in the searches of whoever knows the token, one after the other.
//!
//! Each run has a process of its own, which inherits the listening socket: whatever becomes of a run, the next one finds
//! everything as new.

use crate::hosts::token;
use crate::screen;
use starwheel_workbench::crew::{Place, Way};
use starwheel_workbench::errand::{self, Errand};
use starwheel_workbench::net::{Gate, Hello, Meeting, Records, Token};
use starwheel_workbench::report::TOOL;
use starwheel_workbench::{Code, Failure, Opened, Plan, Problem, Silent, check, open_to_check};
use std::ffi::OsString;
use std::net::{SocketAddr, TcpListener, ToSocketAddrs};
use std::os::fd::{AsFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// A run that ends sooner than this with an error may be one of many.
const SOON: Duration = Duration::from_secs(1);

/// Listens until somebody ends it.
pub fn run(listen: &str, token_file: Option<&Path>) -> Result<u8, Failure> {
    let listener = bind(listen, token(token_file)?.as_ref())?;
    let wrong = |what: &str, error: std::io::Error| Problem::error(Code::Worker, format!("{what}: {error}"));
    let address = listener.local_addr().map_err(|e| wrong("there is no address", e))?;
    screen::out(&format!("listening at {address}\n"));
    let program = std::env::current_exe().map_err(|e| wrong("this program cannot be found", e))?;
    loop {
        let socket = listener.try_clone().map_err(|e| wrong("the socket cannot be handed on", e))?;
        let (started, mut child) = (Instant::now(), Command::new(&program));
        child.arg("serve").args(token_file).stdin(OwnedFd::from(socket)).stdout(Stdio::null());
        let mut child = child.spawn().map_err(|e| wrong("a process cannot be started", e))?;
        let ended = child.wait().map_err(|e| wrong("a process cannot be waited for", e))?;
        if !ended.success() && started.elapsed() < SOON {
            thread::sleep(SOON);
        }
    }
}

/// A socket that listens; nobody but this machine is answered without a token.
fn bind(listen: &str, token: Option<&Token>) -> Result<TcpListener, Failure> {
    let wrong = |message: String| Problem::error(Code::Worker, message).advise("such as `--listen 127.0.0.1:4711`");
    let all = listen.to_socket_addrs().map_err(|e| wrong(format!("`{listen}` is no address: {e}")))?;
    let all: Vec<SocketAddr> = all.collect();
    if token.is_none() && all.iter().any(|address| !address.ip().is_loopback()) {
        let message = format!("`{listen}` can be reached from other machines, and there is no token");
        return Err(Problem::error(Code::Worker, message).advise("give one with `--token-file FILE`").into());
    }
    TcpListener::bind(&all[..]).map_err(|e| wrong(format!("`{listen}` cannot be listened at: {e}")).into())
}

/// What a worker starts for each run: `serve [TOKEN-FILE]`, with the socket as its standard input.
pub fn one_run(args: &[OsString]) -> u8 {
    follow_parent();
    let file = args.first().map(PathBuf::from);
    let Ok(token) = token(file.as_deref()) else { return 2 };
    let Ok(socket) = std::io::stdin().as_fd().try_clone_to_owned() else { return 2 };
    let Ok(gate) = Gate::open(TcpListener::from(socket), token.clone(), TOOL) else { return 2 };
    let (mut first, hello) = gate.work();
    let work = match prepare(&mut first) {
        Ok(work) => work,
        Err(failure) => {
            let why = failure.problems.first().map_or("it cannot", |p| &p.message).to_string();
            _ = first.say(why.as_bytes());
            return 2;
        }
    };
    if first.say(&[]).is_err() {
        return 3;
    }
    let meeting = Meeting { addresses: work.errand.addresses.clone(), token, called: vec![first], gate: Some(gate) };
    take_part(work, &hello, meeting)
}

/// An errand whose model is open.
struct Work {
    errand: Errand,
    plan: Plan,
    opened: Opened,
}

/// Hears what is to be done, and opens the model.
fn prepare(first: &mut Records) -> Result<Work, Failure> {
    let heard = first.hear(errand::LONGEST).map_err(|e| Problem::error(Code::Errand, e.to_string()))?;
    let errand = Errand::read(&heard)?;
    let plan = errand.plan()?;
    let opened = open_to_check(&errand.path(), &plan)?;
    Ok(Work { errand, plan, opened })
}

fn take_part(work: Work, hello: &Hello, meeting: Meeting) -> u8 {
    let Work { errand, plan, opened } = work;
    let (from, name) = (meeting.called[0].peer(), errand.model.clone());
    screen::note(&format!("{name} of {from}: process {} of {}", errand.index, errand.count()));
    let way = Way::net(meeting);
    let place = Some(Place { index: errand.index, count: errand.count(), run: hello.run, way });
    let ended = check(&opened, &Plan { place, ..plan }, &Silent);
    match ended {
        Ok(_) => {
            screen::note(&format!("{name} of {from}: ended"));
            0
        }
        Err(failure) => {
            screen::problems(&failure.problems);
            3
        }
    }
}

/// Ends this process with the one that started it.
fn follow_parent() {
    let parent = std::os::unix::process::parent_id();
    thread::spawn(move || {
        while std::os::unix::process::parent_id() == parent {
            thread::sleep(SOON);
        }
        std::process::exit(3);
    });
}
