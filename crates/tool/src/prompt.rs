//! Reads the lines that a user types: with keys for editing and history on a terminal, plainly from anything else.

use crate::screen;
use rustyline::error::ReadlineError;
use rustyline::history::MemHistory;
use rustyline::{Config, Editor};
use std::io::{BufRead, IsTerminal};

/// What stands in front of a line.
const SIGN: &str = "> ";

/// Where lines come from.
pub enum Prompt {
    /// A terminal: lines can be edited, and earlier ones are found with the arrow keys and Ctrl-R.
    Terminal(Box<Editor<(), MemHistory>>),
    /// A pipe or a file.
    Plain,
}

impl Prompt {
    /// Asks on the terminal, if there is one to ask and to answer.
    pub fn new() -> Prompt {
        let terminal = std::io::stdin().is_terminal() && std::io::stdout().is_terminal();
        let editor = || {
            let config = Config::builder().auto_add_history(true).build();
            let history = MemHistory::with_config(&config);
            Editor::with_history(config, history).ok()
        };
        terminal.then(editor).flatten().map_or(Prompt::Plain, |editor| Prompt::Terminal(Box::new(editor)))
    }

    /// The next line; none at the end of the input, and after Ctrl-C or Ctrl-D.
    pub fn line(&mut self) -> Option<String> {
        match self {
            Prompt::Plain => {
                screen::out(SIGN);
                let mut line = String::new();
                std::io::stdin().lock().read_line(&mut line).is_ok_and(|n| n > 0).then_some(line)
            }
            Prompt::Terminal(editor) => loop {
                match editor.readline(SIGN) {
                    Ok(line) => return Some(line),
                    // The window has another size now.
                    Err(ReadlineError::Signal(_)) => {}
                    Err(_) => return None,
                }
            },
        }
    }
}
