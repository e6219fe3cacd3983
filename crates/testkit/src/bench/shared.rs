//! How much longer a violated formula takes when everything that is written in its model is checked than when it is asked for alone.

use crate::exec;
use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

/// Nearly seventeen million states; safety holds, and the formulas are violated sooner or later.
const MODEL: &str = "\
byte a, b, c, d;
#define turn(v) do :: v = (v + 1) % 64 od
active proctype A() { turn(a) }
active proctype B() { turn(b) }
active proctype C() { turn(c) }
active proctype D() { turn(d) }
";

/// The formulas: one that is violated within the first thousand states, and others that take longer.
const FORMULAS: [(&str, &str); 3] =
    [("soon", "[] !(d == 3)"), ("later", "[] !(c == 5 && d == 40)"), ("late", "[] !(b == 20 && c == 40 && d == 50)")];

/// A violation within the first thousand states is told within so many milliseconds.
const AT_ONCE: f64 = 200.0;
/// How often each is run; the least time counts.
const RUNS: usize = 3;

/// A line for each formula, alone and together with the others.
pub fn shared(binary: &Path, dir: &Path) -> Result<String, String> {
    let mut out = String::new();
    for count in [1, FORMULAS.len()] {
        for (name, _) in FORMULAS.iter().filter(|f| count > 1 || f.0 != "soon") {
            // With one formula it is the one in question; with several, those before it are violated, too, but not enough.
            let chosen: Vec<_> = FORMULAS.iter().filter(|f| count > 1 || f.0 == *name).collect();
            let blocks: String = chosen.iter().map(|(n, f)| format!("ltl {n} {{ {f} }}\n")).collect();
            let model = dir.join(format!("shared-{name}-{count}.pml"));
            fs::write(&model, format!("{MODEL}{blocks}")).map_err(|e| e.to_string())?;
            let alone = least(binary, &model, dir, name, true)?;
            let together = least(binary, &model, dir, name, false)?;
            let (ratio, most) = (together / alone, count as f64 + 2.0);
            let slow = if *name == "soon" { together > AT_ONCE } else { ratio > most };
            let verdict = if slow { ", TOO SLOW" } else { "" };
            let _ = writeln!(
                out,
                "{name:8} of {count}: alone {alone:.0} ms, with all {together:.0} ms, ratio {ratio:.1}; limit {most}{verdict}"
            );
        }
    }
    Ok(out)
}

/// The least time, in milliseconds, until a formula is known to be violated: alone, or beside everything else in the model.
fn least(binary: &Path, model: &Path, dir: &Path, name: &str, alone: bool) -> Result<f64, String> {
    let mut best = f64::MAX;
    for _ in 0..RUNS {
        let mut command = Command::new(binary);
        command.arg("check").arg(model).args([
            "--workers",
            "1",
            "--por",
            "off",
            "--json",
            "--progress-every",
            "1h",
            "--time",
            "60s",
        ]);
        if alone {
            command.args(["--no-assert", "--no-deadlock", "--first", "--ltl", name]);
        }
        command.arg("--trail").arg(dir.join("trail.json"));
        let ended = exec::run(&mut command, dir, Duration::from_secs(600)).map_err(|e| e.to_string())?;
        let told = ended.stderr.lines().find_map(|line| {
            let (who, rest) = line.split_once(" is violated, after ")?;
            (who == name).then(|| rest.split_once(" s: ")?.0.parse::<f64>().ok()).flatten()
        });
        let Some(seconds) = told else { return Err(format!("`{name}` was not found violated: {}", ended.stderr)) };
        best = best.min(1000.0 * seconds);
    }
    Ok(best)
}
