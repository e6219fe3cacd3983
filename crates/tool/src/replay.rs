//! The command `replay`.

use crate::{figures, interactive, screen};
use starwheel_workbench::chart::{Chart, svg};
use starwheel_workbench::show::{self, page};
use starwheel_workbench::trails::is_spin;
use starwheel_workbench::{Code, Failure, Plan, Problem, Replayed, output, replay, report};
use std::fmt::Write;
use std::path::Path;

/// Replays a trail and shows it.
pub fn run(model: &Path, trail: Option<&Path>, plan: &Plan) -> Result<u8, Failure> {
    let given = !plan.reading.defines.is_empty() || !plan.reading.undefines.is_empty();
    if given && !trail.is_some_and(is_spin) {
        let problem = Problem::error(Code::Contradiction, "`replay` takes the macros from the trail");
        return Err(problem.advise("leave out -D and -U").into());
    }
    let replayed = replay(model, trail, &plan.reading)?;
    if plan.interactive {
        // The claim only looks on: what the system does can be done without it.
        let steps: Vec<_> = replayed.path().steps.iter().copied().filter(|s| !s.actor.is_claim()).collect();
        // That dead variables are reset is of use to the search only.
        let plain = replayed.opened.without_resets();
        return Ok(interactive::run(plain.as_ref().unwrap_or(&replayed.opened), plan, &steps));
    }
    let stuck = matches!(&*replayed.finding.kind, "invalid-end-state" | "deadlock");
    // The steps of a picture have the numbers that they have in the text.
    let shown = replayed.shown(plan.claim_steps);
    let drawn = Chart::watching(&replayed.opened, &shown, &plan.watched);
    let drawn = if stuck { drawn.stuck(&shown) } else { drawn };
    picture(Chart { title: title(&replayed), ..drawn.clone() }, plan)?;
    if let Some(file) = &plan.html {
        let text = page::page(&replayed.opened, replayed.path(), &shown, &title(&replayed), stuck);
        output::write(file, output::Kind::Page, plan.force, text.as_bytes()).map_err(|e| {
            Problem::error(Code::UnwritableFile, format!("`{}` cannot be written: {e}", file.display()))
        })?;
        screen::note(&format!("wrote {}", file.display()));
        if !plan.json && !plan.chart {
            return Ok(0);
        }
    }
    let finding = &replayed.finding;
    if plan.json {
        screen::json(&serde_json::json!({
            "version": report::FORMAT,
            "tool": report::TOOL,
            "model": replayed.opened.path.display().to_string(),
            "finding": finding,
            "formula": replayed.watched.as_ref().and_then(|w| w.formula.as_ref()),
            "automaton": replayed.watched.as_ref().map(|w| w.automaton),
            "propositions": replayed.walk.propositions,
            "moves": replayed.walk.moves,
            "cycle_start": replayed.walk.cycle_start,
            "fairness": replayed.fairness,
            "cycle_propositions": replayed.walk.cycle_propositions,
            "last": replayed.walk.last,
        }));
        return Ok(0);
    }
    if plan.svg.is_some() && !plan.chart {
        return Ok(0);
    }
    let mut out = String::new();
    if plan.chart {
        out.push_str(&drawn.text());
    } else {
        out.push_str(&show::walk(&shown, screen::detail(plan)));
    }
    let (mut end, width) = (String::new(), screen::width());
    if let Some(formula) = replayed.watched.as_ref().and_then(|w| w.formula.as_ref()) {
        let _ = writeln!(end, "\nThe formula: {formula}");
    }
    let place = if finding.line > 0 { format!(" ({}:{})", finding.file, finding.line) } else { String::new() };
    let _ = writeln!(end, "\nThis shows: {}{place}", finding.message);
    if let Some(units) = replayed.opened.words.unit().filter(|n| *n > 1 && replayed.opened.model.timed()) {
        let _ = writeln!(end, "{}", figures::slice(units));
    }
    let _ = write!(end, "\nAt the end:\n{}", show::situation(&shown.last, width));
    screen::out(&(out + &show::fitted(&end, width)));
    Ok(0)
}

/// What the picture of a trail shows, and of what formula and automaton.
fn title(replayed: &Replayed) -> Vec<String> {
    // A run that shows when something happens violates nothing.
    let word = if replayed.opened.moment.is_some() { "" } else { "VIOLATED: " };
    let mut out = vec![format!("{word}{}", replayed.finding.message)];
    if let Some(watched) = &replayed.watched {
        out.extend(watched.formula.iter().map(|formula| format!("The formula: {formula}")));
        out.push(format!("It is watched by {}.", watched.automaton));
    }
    out
}

/// Writes a chart as a picture, if that was asked for.
pub fn picture(chart: Chart, plan: &Plan) -> Result<(), Failure> {
    let Some(path) = &plan.svg else { return Ok(()) };
    output::write(path, output::Kind::Picture, plan.force, svg::svg(&chart).as_bytes())
        .map_err(|e| Problem::error(Code::UnwritableFile, format!("`{}` cannot be written: {e}", path.display())))?;
    screen::note(&format!("wrote {}", path.display()));
    Ok(())
}
