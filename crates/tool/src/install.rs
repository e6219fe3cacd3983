//! What is installed beside the binary: completions for shells and manual pages, both made from the table of options.

use crate::{cli, screen};
use clap_complete::{Shell, generate};
use starwheel_workbench::{Code, Failure, Problem};
use std::path::Path;
use std::str::FromStr;

/// Shells that there are completions for.
pub const SHELLS: [&str; 5] = ["bash", "zsh", "fish", "elvish", "powershell"];

/// Prints the completions for a shell.
pub fn completions(shell: &str) -> Result<u8, Failure> {
    let Ok(shell) = Shell::from_str(shell) else {
        let problem = Problem::error(Code::BadCommand, format!("there are no completions for `{shell}`"));
        return Err(problem.advise(format!("there are for {}", SHELLS.join(", "))).into());
    };
    let mut text = Vec::new();
    generate(shell, &mut cli::command(), "starwheel", &mut text);
    screen::out(&String::from_utf8_lossy(&text));
    Ok(0)
}

/// Writes the manual pages into a folder.
pub fn manual(folder: &Path) -> Result<u8, Failure> {
    let failed = |e: std::io::Error| -> Failure {
        let message = format!("the manual pages cannot be written to `{}`: {e}", folder.display());
        Problem::error(Code::UnwritableFile, message).advise("give a folder that you may write to").into()
    };
    std::fs::create_dir_all(folder).map_err(failed)?;
    clap_mangen::generate_to(cli::command().disable_help_subcommand(true), folder).map_err(failed)?;
    screen::note(&format!("wrote the manual pages to {}", folder.display()));
    Ok(0)
}
