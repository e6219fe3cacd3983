//! Folders that vanish and runs of the binary.

#![allow(dead_code)]

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

static NEXT: AtomicU32 = AtomicU32::new(0);

/// A folder of its own for each test.
pub struct Folder(PathBuf);

impl Folder {
    /// A new one.
    pub fn new() -> Folder {
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("starwheel-test-{}-{number}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    /// A path inside.
    pub fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// Writes a file and gives its path.
    pub fn file(&self, name: &str, text: &str) -> String {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap_or(Path::new("."))).unwrap();
        std::fs::write(&path, text).unwrap();
        path.display().to_string()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// What a run left behind.
#[derive(Debug)]
pub struct Ran {
    pub status: i32,
    pub stdout: String,
    pub stderr: String,
}

/// Starts the binary.
pub fn start(args: &[&str]) -> Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_starwheel"));
    command.args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().unwrap()
}

/// Waits for its end.
pub fn finish(child: Child) -> Ran {
    let Output { status, stdout, stderr } = child.wait_with_output().unwrap();
    Ran {
        status: status.code().unwrap_or(-1),
        stdout: String::from_utf8(stdout).unwrap(),
        stderr: String::from_utf8(stderr).unwrap(),
    }
}

/// Runs the binary without input.
pub fn run(args: &[&str]) -> Ran {
    run_with(args, "")
}

/// Runs the binary with this input.
pub fn run_with(args: &[&str], input: &str) -> Ran {
    let mut child = start(args);
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    finish(child)
}

/// Runs the binary and reads its standard output as exactly one JSON object.
pub fn json(args: &[&str], status: i32) -> serde_json::Value {
    let ran = run(args);
    assert_eq!(ran.status, status, "{args:?}: {ran:?}");
    serde_json::from_str(&ran.stdout).unwrap_or_else(|e| panic!("{args:?}: {e}: {ran:?}"))
}

/// Checks all states of a text under a name: it `holds`, or what is found says this.
pub fn says(name: &str, text: &str, verdict: &str) {
    says_with(name, text, verdict, &[]);
}

/// The same with options.
pub fn says_with(name: &str, text: &str, verdict: &str, options: &[&str]) {
    let f = Folder::new();
    let (path, trail) = (f.file(name, text), f.path("t.json").display().to_string());
    let args = [&["check", "--json", "--plain", &path, "--trail", &trail], options].concat();
    let report = json(&args, i32::from(verdict != "holds"));
    // Not where it is: the name of the file may be any.
    let found = report["findings"].as_array().into_iter().flatten();
    let said: Vec<String> = found.map(|f| format!("{}: {}", f["kind"], f["message"])).collect();
    assert!(verdict == "holds" || said.iter().any(|s| s.contains(verdict)), "{name}: {said:?}");
}
