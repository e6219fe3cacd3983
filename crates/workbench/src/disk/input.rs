//! Reads texts: files of any encoding, and pipes that may never say anything.

use starwheel_base::cancel::Token;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

/// The longest file that is read: spans count bytes in 32 bits, and a model is written by hand.
const MAX_BYTES: u64 = 64 << 20;
/// Time between two looks at the clock while a pipe is silent.
const PAUSE: Duration = Duration::from_millis(20);

/// Where texts come from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Shelf {
    /// From files.
    #[default]
    Disk,
    /// From somebody who has sent them, by name: no file is looked at, whatever it is called.
    Sent(Arc<BTreeMap<String, String>>),
}

impl Shelf {
    /// True if there is something of this name.
    pub fn has(&self, path: &Path) -> bool {
        match self {
            Shelf::Disk => path.exists(),
            Shelf::Sent(texts) => texts.contains_key(&*path.to_string_lossy()),
        }
    }

    /// The text of this name, as [`read`] has it.
    pub fn read(&self, path: &Path, until: &Token) -> Result<String, String> {
        match self {
            Shelf::Disk => read(path, until),
            Shelf::Sent(texts) => texts.get(&*path.to_string_lossy()).cloned().ok_or("was not sent".into()),
        }
    }
}

/// The text of a file, or what is wrong with it, as the end of a sentence that begins with its name. If the token says stop
/// the answer is an error that means nothing.
pub fn read(path: &Path, until: &Token) -> Result<String, String> {
    if path.is_dir() {
        return Err("is a folder, not a file".into());
    }
    let bytes = match path.metadata() {
        _ if path == Path::new("-") => aside(path.to_path_buf(), until)?,
        // Opening a pipe waits for a writer, and reading it for what the writer says.
        Ok(found) if !found.is_file() => aside(path.to_path_buf(), until)?,
        _ => bytes(path)?,
    };
    if bytes.len() as u64 > MAX_BYTES {
        return Err(format!("is longer than {} MiB, too long for a model", MAX_BYTES >> 20));
    }
    if bytes.contains(&0) {
        return Err("is not a text: it has bytes that are zero".into());
    }
    Ok(String::from_utf8(bytes).unwrap_or_else(|e| decoded(e.as_bytes())))
}

/// Lets a thread of its own do the waiting; it is left behind if there is no more time.
fn aside(path: PathBuf, until: &Token) -> Result<Vec<u8>, String> {
    let (sender, receiver) = channel();
    // Whoever gave up listens no longer.
    thread::spawn(move || drop(sender.send(bytes(&path))));
    loop {
        match receiver.recv_timeout(PAUSE) {
            Ok(bytes) => return bytes,
            Err(RecvTimeoutError::Timeout) if !until.stopped() => {}
            Err(_) => return Err("was not read to its end".into()),
        }
    }
}

fn bytes(path: &Path) -> Result<Vec<u8>, String> {
    if path == Path::new("-") {
        let mut bytes = Vec::new();
        let read = std::io::stdin().lock().take(MAX_BYTES + 1).read_to_end(&mut bytes);
        return read.map(|_| bytes).map_err(|e| format!("(standard input) cannot be read: {e}"));
    }
    let file = File::open(path).map_err(|e| match e.kind() {
        ErrorKind::NotFound => "does not exist".to_string(),
        ErrorKind::PermissionDenied => "may not be read by you".to_string(),
        _ => format!("cannot be opened: {e}"),
    })?;
    let mut bytes = Vec::new();
    file.take(MAX_BYTES + 1).read_to_end(&mut bytes).map_err(|e| format!("cannot be read: {e}"))?;
    Ok(bytes)
}

/// Text that is not, or not everywhere, in UTF-8: other bytes are taken for Latin-1, which has a character for each. SPIN
/// reads bytes and does not mind them in comments and strings; elsewhere they have no meaning for either of us.
fn decoded(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len() + bytes.len() / 8);
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        text.extend(chunk.invalid().iter().map(|&byte| char::from(byte)));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_of_latin_1_are_characters() {
        assert_eq!(decoded(b"caf\xe9 \xc3\xa9 \xff"), "caf\u{e9} \u{e9} \u{ff}");
    }
}
