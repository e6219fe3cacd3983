//! Several processes of this machine for one check or graph: the first one starts the others, and the command `member` is what they are.

use crate::cli::{self, Wish};
use starwheel_workbench::crew::{Place, Way};
use starwheel_workbench::options::Commands;
use starwheel_workbench::{Code, Failure, Plan, Problem, Reading, Silent, Token, check, open, open_to_check, space};
use std::ffi::OsString;
use std::fs::DirBuilder;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

/// The other processes of a check, and the folder where all meet.
pub struct Others {
    folder: PathBuf,
}

impl Drop for Others {
    fn drop(&mut self) {
        // Those that are still there see that the first process is gone.
        _ = std::fs::remove_dir_all(&self.folder);
    }
}

/// Starts the other processes of a plan that asks for some; the plan says then which of them this is.
pub fn start(plan: &mut Plan) -> Result<Option<Others>, Failure> {
    let Some(count) = plan.processes else { return Ok(None) };
    let cannot = |what: &str, error: std::io::Error| -> Failure {
        Problem::error(Code::Processes, format!("{what}: {error}")).into()
    };
    let run = run_number();
    let folder = std::env::temp_dir().join(format!("starwheel-{run:016x}"));
    DirBuilder::new().mode(0o700).create(&folder).map_err(|e| cannot("there is no folder to meet in", e))?;
    let others = Others { folder: folder.clone() };
    let program = std::env::current_exe().map_err(|e| cannot("this program cannot be found", e))?;
    let gone = Arc::new(AtomicUsize::new(0));
    for index in 1..count {
        let place = [OsString::from("member"), folder.clone().into(), index.to_string().into(), run.to_string().into()];
        let child = Command::new(&program)
            .args(place)
            .args(std::env::args_os().skip(1))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|e| cannot("another process cannot be started", e))?;
        await_end(child, index, Arc::clone(&gone));
    }
    plan.place = Some(Place { index: 0, count, run, way: Way::Folder { folder, gone } });
    Ok(Some(others))
}

/// A number that no other run has.
pub fn run_number() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |now| now.as_nanos() as u64);
    now ^ u64::from(std::process::id()) << 40
}

/// Notes the end of a process, so that nobody waits for it.
fn await_end(mut child: Child, index: usize, gone: Arc<AtomicUsize>) {
    std::thread::spawn(move || {
        _ = child.wait();
        _ = gone.compare_exchange(0, index, Ordering::Relaxed, Ordering::Relaxed);
    });
}

/// One of the other processes: `member FOLDER INDEX RUN check …` or `graph …`, where the rest is what the first process was told. It says
/// nothing; whatever is wrong, the first process finds it, too.
pub fn work(args: &[OsString]) -> u8 {
    // A key that is pressed reaches all processes, and the first one says what follows.
    _ = ctrlc::set_handler(|| ());
    match member(args) {
        Some(Ok(())) => 0,
        _ => 3,
    }
}

fn member(args: &[OsString]) -> Option<Result<(), Failure>> {
    let number = |at: usize| args.get(at)?.to_str()?.parse::<u64>().ok();
    let (folder, index, run) = (PathBuf::from(args.first()?), number(1)? as usize, number(2)?);
    let line = std::iter::once(OsString::from("starwheel")).chain(args.iter().skip(3).cloned()).collect();
    let Ok(Wish::Do { command, files, typed }) = cli::parse(line) else { return None };
    let mut plan = typed.plan(command).ok()?;
    plan.reading.foreign.more = files.iter().skip(1).cloned().collect();
    plan.place = Some(Place { index, count: plan.processes?, run, way: Way::Folder { folder, gone: Arc::default() } });
    Some(take_part(command, files.first()?, plan))
}

fn take_part(command: Commands, model: &Path, plan: Plan) -> Result<(), Failure> {
    // The first process looks at the clock for all.
    let plan = Plan { time: None, reading: Reading { until: Token::NEVER, ..plan.reading.clone() }, ..plan };
    if command == Commands::GRAPH {
        return space::take_part(&open(model, &plan.reading)?, &plan);
    }
    let opened = open_to_check(model, &plan)?;
    check(&opened, &plan, &Silent).map(|_| ())
}
