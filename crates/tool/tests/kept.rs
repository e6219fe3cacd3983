//! Searches by several processes that are killed and gone on with, by others and by more or fewer of them.

mod common;

use common::{Folder, finish, json, run, start};
use serde_json::Value;
use std::path::Path;
use std::time::Duration;

/// So many states that a search takes some seconds, and no longer: about 130,000.
const MODEL: &str = "byte a, b, c; active proctype P() { do :: a < 50 -> a++ :: a = 0 od }\n\
                     active proctype Q() { do :: b < 50 -> b++ :: b = 0 od }\n\
                     active proctype R() { do :: c < 50 -> c++ :: c = 0 od }";

fn counts(report: &Value) -> Vec<&Value> {
    let stats = ["states_stored", "states_matched", "transitions", "atomic_steps"];
    stats.iter().map(|name| &report["stats"][*name]).chain([&report["outcome"], &report["errors"]]).collect()
}

fn saved(folder: &Path) -> bool {
    let files = std::fs::read_dir(folder).into_iter().flatten().flatten();
    files.filter(|f| f.file_name().to_string_lossy().starts_with("states-")).count() > 0
}

#[test]
fn a_search_that_is_killed_again_and_again_comes_to_its_end() {
    let folder = Folder::new();
    let path = folder.file("m.pml", MODEL);
    let kept = folder.path("kept");
    let kept = kept.to_str().unwrap();
    let alone = json(&["check", &path, "--json", "--plain", "--workers", "1", "--search", "dfs"], 0);
    let base = ["check", &path, "--json", "--plain", "--checkpoint", kept, "--every", "300ms"];
    let (mut resume, mut kills) = (false, 0);
    // The moments are as different as the machine makes them.
    for (round, pause) in [500, 700, 400, 900, 600].into_iter().enumerate() {
        let processes = (1 + (round * 3) % 4).to_string();
        let more: &[&str] = if resume { &["--resume", kept] } else { &[] };
        let mut running = start(&[&base[..], &["--processes", &processes], more].concat());
        std::thread::sleep(Duration::from_millis(pause));
        kills += u32::from(running.try_wait().unwrap().is_none());
        _ = running.kill();
        finish(running);
        // Those that it started see that it is gone.
        std::thread::sleep(Duration::from_millis(300));
        resume = saved(Path::new(kept)) && round > 1;
    }
    assert!(kills > 2, "only {kills} were alive when they were killed");
    // It may have been killed before anything was saved.
    let asked = run(&[&base[..], &["--processes", "2", "--resume", kept, "--time", "1ms"]].concat());
    resume &= !asked.stdout.contains("nothing was saved");
    let more: &[&str] = if resume { &["--resume", kept] } else { &[] };
    for processes in ["3", "1"] {
        let report = json(&[&base[..], &["--processes", processes], more].concat(), 0);
        assert_eq!(counts(&report), counts(&alone), "{processes}, resumed: {resume}");
    }
}

#[test]
fn what_does_not_fit_or_is_damaged_is_refused() {
    let folder = Folder::new();
    let path = folder.file("m.pml", MODEL);
    let kept = folder.path("kept");
    let kept = kept.to_str().unwrap();
    let save = ["--processes", "2", "--plain", "--checkpoint", kept, "--every", "50ms"];
    let ran = run(&[&["check", &path, "--time", "2500ms"], &save[..]].concat());
    assert!(saved(Path::new(kept)), "{ran:?}");
    let resume = |path: &str, options: &[&str]| {
        run(&[&["check", path, "--processes", "3", "--resume", kept, "--time", "1s"], options].concat())
    };
    let other = folder.file("other.pml", "byte x; active proctype P() { x++ }");
    for (path, options, words) in [
        (&other, &["--plain"][..], "another model"),
        (&path, &["--plain", "--all-errors"], "--all-errors"),
        (&path, &["--plain", "--por", "ample"], "--por"),
    ] {
        let ran = resume(path, options);
        assert!(ran.status == 2 && ran.stderr.contains(words), "{options:?}: {ran:?}");
    }
    let ran = run(&["check", &path, "--plain", "--processes", "2", "--resume", "/no/such/folder"]);
    assert!(ran.status == 2 && ran.stderr.contains("no search by several processes"), "{ran:?}");
    let full = folder.file("full/text", "mine");
    let taken = Path::new(&full).parent().unwrap().to_str().unwrap();
    let ran = run(&["check", &path, "--processes", "2", "--checkpoint", taken]);
    assert!(ran.status == 2 && ran.stderr.contains("other files"), "{ran:?}");
    let files = std::fs::read_dir(kept).unwrap().flatten().map(|f| f.path());
    let states = files.filter(|f| f.file_name().unwrap().to_string_lossy().starts_with("states-"));
    let largest = states.max_by_key(|f| f.metadata().map_or(0, |m| m.len())).unwrap();
    let mut bytes = std::fs::read(&largest).unwrap();
    let middle = bytes.len() / 3;
    bytes[middle] ^= 1;
    std::fs::write(&largest, &bytes).unwrap();
    let ran = resume(&path, &["--plain"]);
    assert!(ran.status == 2 && ran.stderr.contains("check-sum"), "{ran:?}");
    bytes.truncate(20);
    std::fs::write(&largest, &bytes).unwrap();
    let ran = resume(&path, &["--plain"]);
    assert!(ran.status == 2 && ran.stderr.contains("not complete"), "{ran:?}");
}
