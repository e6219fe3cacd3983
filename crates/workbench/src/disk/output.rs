//! Writes a file whole or not at all, and never over a file that somebody else has made.
//!
//! A file is written beside its place under another name and then renamed, so that a full disk or a kill leaves the old
//! one as it was. What is there already must be empty or of the same kind, as its first bytes tell, and no link, which
//! might lead anywhere; `--force` says that it may go, whatever it is. Devices and pipes are written to as they are.

use crate::disk::checkpoint::MAGIC;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

/// How much of a file is looked at.
const START: u64 = 4096;

/// What a file is, so that one of an earlier run can be told from something else.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A counterexample, as JSON.
    Trail,
    /// A counterexample in SPIN's format.
    SpinTrail,
    /// A message sequence chart.
    Picture,
    /// A report of tests, in JUnit's format.
    Junit,
    /// A report of tests, in the format SARIF.
    Sarif,
    /// A page that shows a run.
    Page,
    /// Automata in the HOA format.
    Automata,
    /// A search that was saved.
    Checkpoint,
    /// Promela that was made from another language, or the header that it includes.
    Translation,
    /// A graph of states.
    Space,
}

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Kind::Trail => "a trail",
            Kind::SpinTrail => "a trail of SPIN's",
            Kind::Picture => "a picture",
            Kind::Junit => "a report in JUnit's format",
            Kind::Sarif => "a report in the format SARIF",
            Kind::Page => "a page of a run",
            Kind::Automata => "a file of automata",
            Kind::Checkpoint => "a search that was saved",
            Kind::Translation => "a translation",
            Kind::Space => "a graph of states",
        }
    }

    /// Whether a file with these first bytes is one of this kind.
    fn owns(self, start: &[u8]) -> bool {
        let text = String::from_utf8_lossy(start);
        let begins = |words: &[&str]| words.iter().any(|w| text.trim_start().starts_with(w));
        match self {
            Kind::Trail => {
                let head: String = text.chars().take(200).filter(|c| !c.is_whitespace()).collect();
                ["{\"kind\":\"starwheel-trail\"", "{\"kind\":\"starwheel-network-trail\""]
                    .iter()
                    .any(|w| head.starts_with(w))
            }
            // Lines of numbers between colons, as `3:1:12`.
            Kind::SpinTrail => {
                let number = |part: &str| part.parse::<i64>().is_ok();
                let line = |l: &str| l.split(':').count() >= 3 && l.split(':').all(number);
                // The last line may be cut in the middle.
                let lines: Vec<&str> = text.lines().collect();
                lines.iter().take(lines.len().saturating_sub(1).max(1)).all(|l| line(l))
            }
            Kind::Picture => begins(&["<svg", "<?xml"]) && text.contains("<svg"),
            Kind::Junit => begins(&["<?xml", "<testsuites"]) && text.contains("<testsuites"),
            Kind::Sarif => begins(&["{"]) && text.contains("sarif"),
            Kind::Page => begins(&["<!doctype html>"]) && text.contains("starwheel-run"),
            Kind::Automata => begins(&["HOA:"]),
            Kind::Checkpoint => start.starts_with(MAGIC),
            Kind::Translation => {
                let first = text.lines().next().unwrap_or("");
                first.ends_with("translated to Promela by Starwheel */") || first.starts_with("/* dtime.h:")
            }
            Kind::Space => begins(&["des (0, ", "digraph states {", "{\"state\":0,", "HOA: v1\ntool: \"starwheel\""]),
        }
    }
}

/// Writes a file of a kind; says in words why it cannot.
pub fn write(path: &Path, kind: Kind, force: bool, bytes: &[u8]) -> Result<(), String> {
    if let Ok(there) = fs::symlink_metadata(path) {
        if there.is_dir() {
            return Err("it is a folder".to_string());
        }
        if !there.is_file() && !there.is_symlink() {
            return OpenOptions::new()
                .write(true)
                .open(path)
                .and_then(|mut f| f.write_all(bytes))
                .map_err(|e| e.to_string());
        }
        if !force && let Some(why) = occupied(path, kind) {
            return Err(format!("{why}; give another name, or `--force` to write over it"));
        }
    }
    replace(path, &mut |file| file.write_all(bytes)).map_err(|e| e.to_string())
}

/// Why what is at a path must not be overwritten by a file of a kind, if something is there and must not.
pub fn occupied(path: &Path, kind: Kind) -> Option<String> {
    let there = fs::symlink_metadata(path).ok()?;
    if there.is_symlink() {
        return Some("it is a link to another file".to_string());
    }
    if !there.is_file() {
        return Some("it is not a file".to_string());
    }
    let mut start = Vec::new();
    let read = File::open(path).and_then(|file| file.take(START).read_to_end(&mut start));
    let ours = read.is_ok() && (start.is_empty() || kind.owns(&start));
    (!ours).then(|| format!("there is a file that is not {}", kind.name()))
}

/// Writes a file under another name in the same folder, and gives it its own when it is whole and on the disk.
pub fn replace(path: &Path, write: &mut dyn FnMut(&mut File) -> io::Result<()>) -> io::Result<()> {
    let (temporary, mut file) = temporary(path)?;
    let written = write(&mut file).and_then(|()| file.sync_all());
    drop(file);
    let done = written.and_then(|()| fs::rename(&temporary, path));
    if done.is_err() {
        let _ = fs::remove_file(&temporary);
        return done;
    }
    // The new name must be on the disk, too; where a folder cannot be opened, the system sees to that.
    let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    File::open(folder).map_or(Ok(()), |folder| folder.sync_all())
}

/// Whether a file can be written beside a path: an error if not.
pub fn try_out(path: &Path) -> io::Result<()> {
    let (temporary, _) = temporary(path)?;
    fs::remove_file(temporary)
}

/// A new file in the folder of another.
fn temporary(path: &Path) -> io::Result<(PathBuf, File)> {
    let name = path.file_name().ok_or_else(|| io::Error::other("it is not the name of a file"))?;
    for number in 0.. {
        let mut own = std::ffi::OsString::from(".");
        own.push(name);
        own.push(format!(".{}.{number}", std::process::id()));
        let candidate = path.with_file_name(own);
        match OpenOptions::new().write(true).create_new(true).open(&candidate) {
            Err(e) if e.kind() == io::ErrorKind::AlreadyExists && number < 100 => {}
            opened => return opened.map(|file| (candidate, file)),
        }
    }
    unreachable!("the numbers do not end")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder() -> tempfile::TempDir {
        tempfile::tempdir().expect("there is room for files")
    }

    #[test]
    fn what_somebody_else_wrote_stays() {
        let folder = folder();
        let path = folder.path().join("model.pml");
        fs::write(&path, "init { skip }").expect("it can be written");
        for kind in [Kind::Trail, Kind::SpinTrail, Kind::Picture, Kind::Automata, Kind::Checkpoint] {
            assert!(write(&path, kind, false, b"new").is_err_and(|why| why.contains("--force")));
            assert_eq!(fs::read(&path).expect("it is there"), b"init { skip }");
        }
        write(&path, Kind::Trail, true, b"new").expect("it was said that it may go");
        assert_eq!(fs::read(&path).expect("it is there"), b"new");
        assert_eq!(fs::read_dir(folder.path()).expect("it is there").count(), 1, "something was left beside it");
    }

    #[test]
    fn files_of_the_same_kind_are_replaced() {
        let folder = folder();
        let samples: [(Kind, &[u8]); 5] = [
            (Kind::Trail, b"{\n  \"kind\": \"starwheel-trail\",\n  \"version\": 1"),
            (Kind::Trail, b"{\"kind\":\"starwheel-network-trail\"}"),
            (Kind::SpinTrail, b"-4:-4:-4\n1:0:3\n2:1:"),
            (Kind::Picture, b"<svg xmlns=\"http://www.w3.org/2000/svg\"></svg>"),
            (Kind::Automata, b"HOA: v1\nStates: 1"),
        ];
        for (number, (kind, bytes)) in samples.into_iter().enumerate() {
            let path = folder.path().join(number.to_string());
            write(&path, kind, false, b"").expect("nothing is there");
            write(&path, kind, false, bytes).expect("an empty file may be anybody's");
            write(&path, kind, false, bytes).expect("it is of the same kind");
        }
    }

    #[cfg(unix)]
    #[test]
    fn links_are_not_followed_and_devices_are_written_to() {
        let folder = folder();
        let (target, link) = (folder.path().join("target"), folder.path().join("link"));
        fs::write(&target, "").expect("it can be written");
        std::os::unix::fs::symlink(&target, &link).expect("links can be made");
        assert!(write(&link, Kind::Trail, false, b"new").is_err());
        write(&link, Kind::Trail, true, b"new").expect("it was said that it may go");
        assert_eq!(fs::read(&target).expect("it is there"), b"", "the link was followed");
        write(Path::new("/dev/null"), Kind::Trail, false, b"new").expect("it takes everything");
    }

    #[test]
    fn a_folder_that_is_not_there_is_an_error() {
        assert!(write(&folder().path().join("no/such/file"), Kind::Trail, false, b"new").is_err());
        assert!(write(folder().path(), Kind::Trail, true, b"new").is_err());
    }
}
