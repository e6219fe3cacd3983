//! Writes to the terminal; a reader that went away is no error, a full disk is.

use starwheel_workbench::show::Detail;
use starwheel_workbench::{Code, Plan, Problem};
use std::io::{ErrorKind, Write};
use std::sync::OnceLock;

/// Why something could not be written, if that is not because nobody reads it.
static LOST: OnceLock<String> = OnceLock::new();

/// The width for whom no terminal says one.
const WIDTH: usize = 120;

/// How wide lines should be: as wide as the terminal, or as `COLUMNS` says.
pub fn width() -> usize {
    let said = std::env::var("COLUMNS").ok().and_then(|c| c.trim().parse::<usize>().ok()).filter(|&c| c > 0);
    let terminal = || terminal_size::terminal_size().map(|(width, _)| usize::from(width.0));
    said.or_else(terminal).unwrap_or(WIDTH).clamp(60, 240)
}

/// Says whether there are colours.
pub fn colors(when: Option<&str>) {
    match when {
        Some("always") => anstream::ColorChoice::Always.write_global(),
        Some("never") => anstream::ColorChoice::Never.write_global(),
        _ => {}
    }
}

/// How runs are shown.
pub fn detail(plan: &Plan) -> Detail {
    Detail { brief: plan.brief, bookkeeping: plan.verbose, width: width(), paint: true }
}

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
    Some(Problem::error(Code::Output, message).advise("see where standard output goes"))
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

/// A warning that is right and that nobody wants to read at each run.
const USUAL: &str = "unread-variable";

/// Shows warnings about a model; those that come at each run in one line, unless all of it is wanted.
pub fn warnings(list: &[Problem], verbose: bool) {
    let (usual, others): (Vec<&Problem>, Vec<&Problem>) =
        list.iter().partition(|p| p.code == Code::Source(USUAL) && !verbose);
    others.iter().for_each(|p| note(&format!("{}\n", p.text)));
    let names: Vec<&str> = usual.iter().filter_map(|p| p.message.split('`').nth(1)).collect();
    if let Some(first) = usual.first() {
        let place =
            first.file.as_ref().zip(first.line).map_or(String::new(), |(file, line)| format!("{file}:{line}: "));
        let word = warning();
        let names = names.iter().map(|n| format!("`{n}`")).collect::<Vec<_>>().join(", ");
        note(&format!("{word}{place}assigned to but never read: {names} (--verbose shows more)\n"));
    }
}

/// The word in front of a warning, in the colour that diagnostics have.
fn warning() -> String {
    starwheel_workbench::show::paint(true, "1;33", "warning: ")
}

/// Shows problems to people.
pub fn problems(problems: &[Problem]) {
    for problem in problems {
        note(&problem.text);
        note("");
    }
}
