//! What a newcomer sees first, at 80 and at 120 columns: the text of `check` for the models in `first-answer/`, compared with
//! what is written down beside them. `BLESS=1 cargo test -p starwheel --test first_answer` writes it down anew; look at it then.

mod common;

use common::Folder;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const MODELS: [&str; 7] = ["buffer", "buffer2", "raft", "raft2", "tpc", "swap", "stopped"];

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/first-answer")
}

/// How often a model is checked again whose answer is another one.
const TRIES: usize = 4;

/// The answer about a model, without the counts and times, which are not for the eye.
fn answer(model: &str, width: usize) -> String {
    let (place, name) = (Folder::new(), format!("{model}.pml"));
    let text = fs::read_to_string(folder().join(&name)).expect("the model is there");
    place.file(&name, &text);
    let mut command = Command::new(env!("CARGO_BIN_EXE_starwheel"));
    command.args(["check", &name, "--workers", "1"]).env("COLUMNS", width.to_string()).current_dir(place.path(""));
    let output = command.output().expect("the binary can be started");
    let text = String::from_utf8(output.stdout).expect("it is text");
    let mut figures = false;
    let lines = text.lines().filter(|line| {
        // What goes on behind figures belongs to them.
        figures = line.contains(" per state, ") || line.starts_with("with ") || (figures && line.starts_with("    "));
        !figures
    });
    lines.map(|line| format!("{line}\n")).collect()
}

#[test]
fn the_first_answer_is_as_it_was_written_down() {
    for model in MODELS {
        for width in [80, 120] {
            let (mut now, file) = (answer(model, width), folder().join(format!("{model}.{width}.txt")));
            if std::env::var_os("BLESS").is_some() {
                fs::write(&file, &now).expect("it can be written");
            }
            let before = fs::read_to_string(&file).unwrap_or_default();
            // On a very busy machine the time for a shorter run may be over before it is found.
            for _ in 0..TRIES {
                if now != before {
                    now = answer(model, width);
                }
            }
            assert!(now == before, "{model} at {width} columns; it was\n{before}\nand is\n{now}");
        }
    }
}

#[test]
fn the_first_answer_fits_the_eye() {
    for model in MODELS {
        for width in [80, 120] {
            let text = answer(model, width);
            let length = |line: &str| line.chars().count();
            assert!(length(text.lines().next().unwrap_or("")) <= width.min(100), "{model} {width}: {text}");
            text.lines().for_each(|line| assert!(length(line) <= width, "{model} {width}: {line}"));
        }
    }
}

/// From the table alone: who waits, where, on what, and what stands in the way.
#[test]
fn a_lost_wakeup_can_be_seen() {
    let text = answer("buffer", 80);
    for who in ["producer(0)", "producer(1)", "consumer(2)", "consumer(3)"] {
        let line = text.lines().find(|l| l.starts_with(&format!("  {who}"))).unwrap_or_default();
        assert!(line.contains("buffer.pml:14") && line.contains("!waiting[_pid]"), "{text}");
    }
    assert!(text.contains("in wait, from buffer.pml:32") && text.contains("waiting[0] = 1 (step 28)"), "{text}");
    assert!(text.contains("label that begins with `end`"), "{text}");
}
