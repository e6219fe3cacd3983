//! Writes to the terminal; a reader that went away is no error.

use starwheel_workbench::Problem;
use std::io::Write;

/// Writes text to standard output.
pub fn out(text: &str) {
    heard(text);
}

/// Writes text to standard output; false if nobody reads it any more.
pub fn heard(text: &str) -> bool {
    let mut stream = anstream::stdout().lock();
    stream.write_all(text.as_bytes()).and_then(|()| stream.flush()).is_ok()
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
