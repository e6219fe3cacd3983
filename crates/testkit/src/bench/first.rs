//! How long it takes from the command to the answer on a model of ten lines.

use crate::exec;
use std::fs;
use std::io;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

/// The model: one process hands numbers to another.
const MODEL: &str = "\
chan c = [2] of { byte };
byte sum;

active proctype producer() {
    byte i;
    do :: i < 5 -> c!i; i++ :: else -> break od
}
active proctype consumer() {
    byte n;
    do :: c?n -> sum = sum + n :: sum == 10 -> break od
}
";

/// How often it is checked.
const RUNS: usize = 20;
/// The answer is there within so many milliseconds.
const LIMIT: f64 = 50.0;

/// One line with the least and the middle time beside the limit.
pub fn first_answer(binary: &Path, dir: &Path) -> Result<String, String> {
    let model = dir.join("ten-lines.pml");
    fs::write(&model, MODEL).map_err(|e| e.to_string())?;
    let mut times = Vec::new();
    for _ in 0..RUNS {
        times.push(1000.0 * once(binary, &model, dir).map_err(|e| e.to_string())?);
    }
    times.sort_by(f64::total_cmp);
    let (least, middle) = (times[0], times[RUNS / 2]);
    let verdict = if middle <= LIMIT { "" } else { ", TOO SLOW" };
    Ok(format!(
        "ten lines     {RUNS} runs: {least:.1} ms at best, {middle:.1} ms in the middle; limit {LIMIT} ms{verdict}\n"
    ))
}

/// Seconds of one run, which must end with a proof.
fn once(binary: &Path, model: &Path, dir: &Path) -> io::Result<f64> {
    let ended = exec::run(Command::new(binary).arg("check").arg(model), dir, Duration::from_secs(60))?;
    match ended.code {
        Some(0) => Ok(ended.seconds),
        code => Err(io::Error::other(format!("the model of ten lines was not proved: exit status {code:?}"))),
    }
}
