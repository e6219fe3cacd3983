//! Interactive runs on a terminal (one that `script` makes): lines are edited, and earlier ones come back.
#![cfg(target_os = "linux")]

mod common;

use common::Folder;
use std::io::{Read, Write};
use std::process::{Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

/// Waits until what was printed contains a text; all of it.
fn until(output: &Receiver<Vec<u8>>, seen: &mut String, wanted: &str) {
    while !seen.contains(wanted) {
        let more = output.recv_timeout(Duration::from_secs(60)).unwrap_or_else(|_| panic!("no `{wanted}` in {seen:?}"));
        seen.push_str(&String::from_utf8_lossy(&more));
    }
}

#[test]
fn earlier_lines_come_back_and_can_be_edited() {
    let folder = Folder::new();
    let model = folder.file("m.pml", "byte x; active proctype P() { do :: x < 200 -> x++ od }");
    let command = format!("{} simulate {model} --interactive", env!("CARGO_BIN_EXE_starwheel"));
    let mut child = Command::new("script")
        .args(["--quiet", "--return", "--command", &command, "/dev/null"])
        .env("TERM", "xterm")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("script, which belongs to every Linux, can be started");
    let (mut keys, mut screen) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
    let (told, output) = channel();
    let reader = std::thread::spawn(move || {
        let mut bytes = [0; 4096];
        while let Ok(n @ 1..) = screen.read(&mut bytes) {
            let _ = told.send(bytes[..n].to_vec());
        }
    });
    let mut seen = String::new();
    let mut type_then = |typed: &str, wanted: &str| {
        until(&output, &mut seen, "> ");
        seen.clear();
        keys.write_all(typed.as_bytes()).expect("it listens");
        keys.flush().expect("it listens");
        until(&output, &mut seen, wanted);
    };
    type_then("g 4\r", "x = 2");
    // The line before, with its last letter replaced.
    type_then("\x1b[A\x7f6\r", "x = 5");
    // The one before that.
    type_then("\x1b[A\x1b[A\r", "x = 7");
    // In the middle of a line.
    type_then("p x 7\x1b[D==\x1b[D\x1b[D\x1b[C\x1b[C \r", "x == 7 = 1");
    type_then("q\r", "\n");
    drop(keys);
    assert!(child.wait().expect("it ends").success());
    reader.join().expect("it reads");
}
