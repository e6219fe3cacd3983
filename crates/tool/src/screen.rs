//! Writes to the terminal; a reader that went away is no error, a full disk is.

use starwheel_workbench::Problem;
use std::io::{ErrorKind, Write};
use std::sync::OnceLock;

/// Why something could not be written, if that is not because nobody reads it.
static LOST: OnceLock<String> = OnceLock::new();

/// Writes text to standard output.
pub fn out(text: &str) {
    heard(text);
}

/// Writes text to standard output; false if nobody reads it any more.
pub fn heard(text: &str) -> bool {
    let mut stream = anstream::stdout().lock();
    let written = stream.write_all(text.as_bytes()).and_then(|()| stream.flush());
    if let Some(error) = written.as_ref().err().filter(|error| error.kind() != ErrorKind::BrokenPipe) {
        _ = LOST.set(error.to_string());
    }
    written.is_ok()
}

/// Standard output as something to write to. A reader that went away ends the writing.
pub struct Stream;

impl Write for Stream {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        anstream::stdout().lock().write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        anstream::stdout().lock().flush()
    }
}

/// Says if something that should be on standard output is not there.
pub fn lost() -> Option<Problem> {
    let message = format!("the answer could not be written: {}", LOST.get()?);
    Some(Problem::error("output", message).advise("see where standard output goes"))
}

/// Writes a line to standard error.
pub fn note(text: &str) {
    let mut stream = anstream::stderr().lock();
    let _ = writeln!(stream, "{text}");
}

/// Writes one JSON object to standard output.
pub fn json(value: &impl serde::Serialize) {
    match serde_json::to_string_pretty(value) {
        Ok(text) => out(&(text + "\n")),
        Err(e) => note(&format!("the report could not be written as JSON: {e}")),
    }
}

/// Shows problems to people.
pub fn problems(problems: &[Problem]) {
    for problem in problems {
        note(&problem.text);
        note("");
    }
}
