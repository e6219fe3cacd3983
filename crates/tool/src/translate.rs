//! The command `translate`: SDL and IF as Promela.

use crate::screen;
use starwheel_workbench::output::{self, Kind};
use starwheel_workbench::{Code, Failure, Plan, Problem, foreign, open};
use std::path::Path;

/// The header that a timed translation includes.
const HEADER: &str = "dtime.h";

/// Translates a system, and prints or writes the result.
pub fn run(path: &Path, plan: &Plan) -> Result<u8, Failure> {
    let source = foreign::source(path, &plan.reading)?;
    screen::problems(&source.warnings);
    if !source.translated {
        let message = format!("`{}` is Promela already", path.display());
        return Err(Problem::error(Code::NothingToTranslate, message).advise("`--lang sdl` reads it as SDL").into());
    }
    let Some(file) = &plan.output else {
        screen::out(&source.text);
        return Ok(0);
    };
    write(file, plan.force, &source.text)?;
    let included = format!("#include \"{HEADER}\"");
    if let Some(text) = open::header(HEADER).filter(|_| source.text.lines().any(|l| l == included)) {
        write(&file.with_file_name(HEADER), plan.force, text)?;
    }
    Ok(0)
}

fn write(file: &Path, force: bool, text: &str) -> Result<(), Failure> {
    output::write(file, Kind::Translation, force, text.as_bytes()).map_err(|why| {
        let problem = Problem::error(Code::UnwritableFile, format!("`{}` cannot be written: {why}", file.display()));
        problem.advise("choose another name with `-o`").into()
    })
}
