//! Workers that listen, here all on this machine: the counts of one process, tokens that differ, strangers, and losses.

mod common;

use common::{Folder, Ran, finish, run, start};
use serde_json::Value;
use starwheel_testkit::family::children;
use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const TOKEN: &str = "0123456789abcdef0123";
/// A model with so many states that a search takes a while.
const LONG: &str = "int x, y; active [4] proctype P() { do :: x++ :: y = x + _pid od }";
const SMALL: &str =
    "#include \"half.h\"\nactive [3] proctype P() { do :: x < TOP -> x++ :: x > 1 -> x = x - 2; assert(x < 250) od }";

/// A worker that ends with the test.
struct Worker {
    child: Child,
    address: String,
}

impl Worker {
    fn start(token_file: Option<&str>) -> Worker {
        let mut command = Command::new(env!("CARGO_BIN_EXE_starwheel"));
        command.args(["worker", "--listen", "127.0.0.1:0"]).stdout(Stdio::piped()).stderr(Stdio::null());
        if let Some(file) = token_file {
            command.args(["--token-file", file]);
        }
        let mut child = command.env_remove("STARWHEEL_TOKEN").spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let address = line.trim().strip_prefix("listening at ").unwrap().to_string();
        Worker { child, address }
    }

    /// The process that takes part in a run.
    fn serving(&self) -> Option<u32> {
        children(self.child.id()).first().copied()
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        let serving = self.serving();
        _ = self.child.kill();
        _ = self.child.wait();
        if let Some(pid) = serving {
            _ = Command::new("kill").args(["-9", &pid.to_string()]).status();
        }
    }
}

fn hosts(folder: &Folder, workers: &[Worker]) -> String {
    let lines: Vec<String> = workers.iter().map(|w| format!("{} memory=1G  # here", w.address)).collect();
    folder.file("hosts", &lines.join("\n"))
}

fn report(ran: &Ran) -> Value {
    serde_json::from_str(&ran.stdout).unwrap_or_else(|e| panic!("{e}: {ran:?}"))
}

fn counts(report: &Value) -> Vec<&Value> {
    let stats = ["states_stored", "states_matched", "transitions", "atomic_steps", "state_bytes"];
    stats.iter().map(|name| &report["stats"][*name]).chain([&report["outcome"], &report["errors"]]).collect()
}

#[test]
fn workers_that_know_the_token_count_like_one_process() {
    let folder = Folder::new();
    let token = folder.file("token", TOKEN);
    let workers = [Worker::start(Some(&token)), Worker::start(Some(&token))];
    let file = hosts(&folder, &workers);
    // What is included is sent as well; the workers could not find it otherwise than by its name in the text.
    folder.file("inc/half.h", "byte x;\n#define TOP 240");
    let path = folder.file("m.pml", SMALL);
    let (inc, trail) = (folder.path("inc").display().to_string(), folder.path("t").display().to_string());
    let common = ["check", &path, "--json", "--por", "off", "--all-errors", "-I", &inc, "--trail", &trail];
    let alone = report(&run(&[&common[..], &["--search", "dfs", "--workers", "1"]].concat()));
    // Strangers are about all the time.
    let mut strangers = Vec::new();
    for worker in &workers {
        for text in [&b"GET / HTTP/1.1\r\n\r\n"[..], &[0; 4096], b"starnet1\x01short"] {
            let mut stranger = TcpStream::connect(&worker.address).unwrap();
            _ = stranger.write_all(text);
            strangers.push(stranger);
        }
    }
    for wire in ["tree", "vector", "local"] {
        let ran = run(&[&common[..], &["--hosts", &file, "--token-file", &token, "--wire", wire]].concat());
        let shared = report(&ran);
        assert_eq!(counts(&shared), counts(&alone), "{wire}");
        assert_eq!(shared["stats"]["net"]["processes"], 3);
    }
    let formula = ["check", &path, "--json", "-I", &inc, "--ltl", "<> (x == 3)", "--trail", &trail];
    let alone = report(&run(&formula));
    let shared = report(&run(&[&formula[..], &["--hosts", &file, "--token-file", &token]].concat()));
    assert_eq!(shared["outcome"], alone["outcome"]);
}

#[test]
fn tokens_and_addresses_that_do_not_fit_are_told() {
    let folder = Folder::new();
    let path = folder.file("m.pml", "active proctype P() { skip }");
    let (token, other) = (folder.file("token", TOKEN), folder.file("other", "another token than that"));
    let sealed = [Worker::start(Some(&token))];
    let open = [Worker::start(None)];
    let (to_sealed, to_open) = (hosts(&folder, &sealed), folder.file("open", &open[0].address));
    let short = folder.file("short", "secret");
    let bad = folder.file("bad", "localhost");
    let far = folder.file("far", "192.0.2.1:4711");
    for (options, words) in [
        (&["--hosts", &to_sealed, "--token-file", &other][..], "another token"),
        (&["--hosts", &to_sealed], "asks for a token"),
        (&["--hosts", &to_open, "--token-file", &token], "without a token"),
        (&["--hosts", &to_open, "--token-file", &short], "too short"),
        (&["--hosts", &bad], "no address with a port"),
        (&["--hosts", &far], "without a token nothing is sent"),
        (&["--hosts", "no-such-file"], "cannot be read"),
        (&["--hosts", &to_open, "--processes", "2"], "exclude each other"),
        (&["--hosts", &to_open, "--store", "bitstate"], "`--hosts` and `--store bitstate` exclude each other"),
        (&["--hosts", &to_open, "--workers", "2"], "`--hosts` and `--workers` exclude each other"),
        (&["--hosts", &to_open, "--checkpoint", "c"], "`--hosts` and `--checkpoint` exclude each other"),
        (&["--token-file", &token], "--hosts FILE"),
    ] {
        let ran = run(&[&["check", &path], options].concat());
        assert!(ran.status == 2 && ran.stderr.contains(words), "{options:?}: {ran:?}");
    }
    // And afterwards they still serve.
    assert_eq!(run(&["check", &path, "--hosts", &to_open]).status, 0);
    assert_eq!(run(&["check", &path, "--hosts", &to_sealed, "--token-file", &token]).status, 0);
    let ran = run(&["worker", "--listen", "0.0.0.0:0"]);
    assert!(ran.status == 2 && ran.stderr.contains("no token"), "{ran:?}");
}

#[test]
fn a_worker_that_is_killed_is_named_and_serves_again() {
    let folder = Folder::new();
    let path = folder.file("m.pml", LONG);
    let workers = [Worker::start(None), Worker::start(None)];
    let file = hosts(&folder, &workers);
    let running = start(&["check", &path, "--json", "--hosts", &file]);
    std::thread::sleep(Duration::from_secs(2));
    let victim = workers[1].serving().expect("somebody serves").to_string();
    assert!(Command::new("kill").args(["-9", &victim]).status().unwrap().success());
    let killed = Instant::now();
    let ran = finish(running);
    assert!(killed.elapsed() < Duration::from_secs(8), "{:?}", killed.elapsed());
    let told = report(&ran);
    let why = told["stopped_because"].as_str().unwrap();
    assert!(ran.status == 3 && why.contains(&format!("process 2 at {} was lost", workers[1].address)), "{why}");
    assert!(!ran.stderr.contains("panicked"), "{ran:?}");
    let small = folder.file("s.pml", "byte x; active [2] proctype P() { do :: x < 9 -> x++ :: x > 0 -> x-- od }");
    assert_eq!(run(&["check", &small, "--hosts", &file]).status, 0);
}
