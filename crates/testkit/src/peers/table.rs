//! The table of both tools: a line for each check, means, what is worst.

use super::{LEAST, LeftOut, Row, Said, Word};
use serde_json::{Value, json};

/// The names of the columns.
pub fn heading() -> String {
    format!(
        "{:<44} {:<14} {:<9} {:<9} {:>11} {:>11} {:>9} {:>9} {:>7}",
        "model", "check", "SPIN", "ours", "SPIN states", "our states", "SPIN cpu", "our cpu", "ratio"
    )
}

/// A row as a line of text.
pub fn line(row: &Row) -> String {
    let sign = if row.ours.word.decided() { "" } else { ">" };
    let ratio = row.ratio().map_or("-".into(), |r| format!("{sign}{r:.2}"));
    let mut text = format!(
        "{:<44} {:<14} {:<9} {:<9} {:>11} {:>11} {:>9.3} {:>9.3} {:>7}",
        row.model,
        row.question.name(),
        row.spin.word.text(),
        row.ours.word.text(),
        row.spin.states,
        row.ours.states,
        row.spin.cpu,
        row.ours.cpu,
        ratio
    );
    if row.differs() || !row.ours.word.decided() {
        text.push_str(&format!("  {}[SPIN: {}] [ours: {}]", difference(row), row.spin.note, row.ours.note));
    }
    text
}

fn difference(row: &Row) -> &'static str {
    if row.differs() { "DIFFERENT " } else { "" }
}

/// How the processor time is judged, each with its name.
type Rule = (&'static str, fn(&Row) -> bool);

/// What is asked of each check where SPIN has an answer.
const RULES: [Rule; 2] = [
    ("more than 0.1 s and more than 3 times SPIN's", |r| {
        r.ours.cpu > 0.1 && r.ratio().is_some_and(|ratio| ratio > 3.0)
    }),
    ("SPIN takes a second or more, and we more", |r| r.spin.cpu >= 1.0 && r.ratio().is_some_and(|ratio| ratio > 1.0)),
];

/// All that stands below the lines.
pub fn summary(rows: &[Row], left_out: &[LeftOut]) -> String {
    let mut text = String::new();
    let count = |f: &dyn Fn(&Row) -> bool| rows.iter().filter(|r| f(r)).count();
    text.push_str(&format!(
        "\n{} checks; decided by both {}, by SPIN alone {}, by us alone {}, by nobody {}; verdicts that differ {}\n",
        rows.len(),
        count(&|r| r.both()),
        count(&|r| r.spin.word.decided() && !r.ours.word.decided()),
        count(&|r| !r.spin.word.decided() && r.ours.word.decided()),
        count(&|r| !r.spin.word.decided() && !r.ours.word.decided()),
        count(&|r| r.differs()),
    ));
    text.push_str(&means(rows));
    for (name, broken) in RULES {
        let found: Vec<&Row> = rows.iter().filter(|r| broken(r)).collect();
        text.push_str(&format!("{}: {} checks\n", name, found.len()));
    }
    text.push_str(&worst("the ten worst ratios of processor time", rows, |r| r.ratio()));
    text.push_str(&worst("the ten worst ratios of states up to the first bug", rows, |r| r.bug_ratio()));
    text.push_str(&listed("verdicts that differ", rows, |r| r.differs()));
    text.push_str(&listed("SPIN has an answer, and we have none", rows, |r| {
        r.spin.word.decided() && !r.ours.word.decided()
    }));
    if !left_out.is_empty() {
        text.push_str(&format!("\nleft out ({}):\n", left_out.len()));
    }
    for LeftOut { file, why, accepted } in left_out {
        let ours = if *accepted { " (we accept it)" } else { "" };
        text.push_str(&format!("  {}: {why}{ours}\n", file.display()));
    }
    text
}

/// Geometric means, of times by how long SPIN takes.
fn means(rows: &[Row]) -> String {
    let decided: Vec<&Row> = rows.iter().filter(|r| r.both()).collect();
    let mut text = String::new();
    for (name, least) in [("all", 0.0), ("SPIN 0.1 s or more", 0.1), ("SPIN 1 s or more", 1.0)] {
        let ratios: Vec<f64> = decided.iter().filter(|r| r.spin.cpu >= least).filter_map(|r| r.ratio()).collect();
        text.push_str(&mean_line(&format!("our processor time by SPIN's, {name}"), &ratios));
    }
    let bugs: Vec<f64> = decided.iter().filter_map(|r| r.bug_ratio()).collect();
    text.push_str(&mean_line("states up to the first bug by SPIN's", &bugs));
    let violated = decided.iter().filter(|r| r.bug_ratio().is_some());
    let times: Vec<f64> = violated.filter_map(|r| r.ratio()).collect();
    text.push_str(&mean_line("processor time up to the first bug by SPIN's", &times));
    text.push_str(&format!("(times below {LEAST} s count as {LEAST} s)\n"));
    text
}

fn mean_line(name: &str, ratios: &[f64]) -> String {
    match geometric_mean(ratios) {
        Some(mean) => format!("geometric mean, {name}: {mean:.3} ({} checks)\n", ratios.len()),
        None => format!("geometric mean, {name}: no checks\n"),
    }
}

fn geometric_mean(ratios: &[f64]) -> Option<f64> {
    let sum: f64 = ratios.iter().map(|r| r.ln()).sum();
    (!ratios.is_empty()).then(|| (sum / ratios.len() as f64).exp())
}

fn worst(title: &str, rows: &[Row], ratio: impl Fn(&Row) -> Option<f64>) -> String {
    let mut found: Vec<(f64, &Row)> = rows.iter().filter_map(|r| Some((ratio(r)?, r))).collect();
    found.sort_by(|a, b| b.0.total_cmp(&a.0));
    let lines = found.iter().take(10).map(|(r, row)| format!("  {r:>8.2}  {}\n", line(row)));
    format!("\n{title}:\n{}", lines.collect::<String>())
}

fn listed(title: &str, rows: &[Row], wanted: impl Fn(&Row) -> bool) -> String {
    let lines: Vec<String> = rows.iter().filter(|r| wanted(r)).map(|r| format!("  {}\n", line(r))).collect();
    if lines.is_empty() { String::new() } else { format!("\n{title} ({}):\n{}", lines.len(), lines.concat()) }
}

/// All rows, columns separated by tabs.
pub fn tsv(rows: &[Row]) -> String {
    let mut text = String::from("model\tcheck");
    for tool in ["spin", "ours"] {
        for column in ["verdict", "states", "cpu", "note"] {
            text.push_str(&format!("\t{tool}_{column}"));
        }
    }
    text.push_str("\tratio\tdiffers\n");
    let side =
        |s: &Said| format!("{}\t{}\t{:.3}\t{}", s.word.text(), s.states, s.cpu, s.note.replace(['\t', '\n'], " "));
    for row in rows {
        let ratio = row.ratio().map_or(String::new(), |r| format!("{r:.3}"));
        let (spin, ours) = (side(&row.spin), side(&row.ours));
        text.push_str(&format!("{}\t{}\t{spin}\t{ours}\t{ratio}\t{}\n", row.model, row.question.name(), row.differs()));
    }
    text
}

/// All rows as an array of objects.
pub fn json(rows: &[Row]) -> Value {
    let side = |s: &Said| {
        let none = if let Word::None(why) = &s.word { Some(why) } else { None };
        let verdict = if none.is_some() { "none" } else { s.word.text() };
        json!({"verdict": verdict, "because": none, "states": s.states, "cpu_seconds": s.cpu, "note": s.note})
    };
    let each = |row: &Row| {
        json!({
            "model": row.model, "check": row.question.name(), "spin": side(&row.spin), "ours": side(&row.ours),
            "ratio": row.ratio(), "states_to_bug_ratio": row.bug_ratio(), "differs": row.differs(),
        })
    };
    Value::Array(rows.iter().map(each).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::peers::Question;

    fn said(word: Word, states: u64, cpu: f64) -> Said {
        Said { word, states, cpu, note: String::new() }
    }

    fn row(spin: Said, ours: Said) -> Row {
        Row { model: "m.pml".into(), question: Question::Safety, spin, ours }
    }

    #[test]
    fn ratios_are_ours_by_theirs() {
        let both = row(said(Word::Violated, 10, 2.0), said(Word::Violated, 30, 1.0));
        assert_eq!((both.ratio(), both.bug_ratio()), (Some(0.5), Some(3.0)));
        let quick = row(said(Word::Holds, 10, 0.001), said(Word::Holds, 10, 0.004));
        assert_eq!((quick.ratio(), quick.bug_ratio()), (Some(1.0), None));
    }

    #[test]
    fn the_summary_counts() {
        let rows = [
            row(said(Word::Holds, 10, 1.0), said(Word::Violated, 3, 4.0)),
            row(said(Word::Holds, 10, 0.5), said(Word::None("time".into()), 3, 4.0)),
            row(said(Word::None("time".into()), 10, 0.5), said(Word::Holds, 3, 4.0)),
        ];
        let text = summary(&rows, &[]);
        assert!(
            text.contains("by both 1, by SPIN alone 1, by us alone 1, by nobody 0; verdicts that differ 1"),
            "{text}"
        );
        assert!(text.contains("more than 3 times SPIN's: 2 checks"), "{text}");
        assert!(text.contains("and we more: 1 checks"), "{text}");
        assert!(text.contains("geometric mean, our processor time by SPIN's, all: 4.000 (1 checks)"), "{text}");
    }

    #[test]
    fn every_line_of_the_table_has_the_same_columns() {
        let text = tsv(&[row(said(Word::Holds, 1, 0.1), Said::nothing("refused", "a\tb"))]);
        let counts: Vec<usize> = text.lines().map(|l| l.split('\t').count()).collect();
        assert_eq!(counts, [12, 12]);
    }

    #[test]
    fn a_missing_answer_is_none_in_json() {
        let value = json(&[row(said(Word::Holds, 1, 0.1), Said::nothing("time", ""))]);
        assert_eq!(value[0]["ours"]["verdict"], "none");
        assert_eq!(value[0]["ours"]["because"], "time");
    }
}
