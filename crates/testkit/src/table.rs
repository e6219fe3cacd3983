//! The table of recorded figures of SPIN: one row for each model and option set, columns named in the first line.

use std::collections::BTreeMap;

/// A row, as far as the kit uses it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Row {
    /// Where the model comes from.
    pub corpus: String,
    /// Its path there.
    pub model: String,
    /// The name of the option set.
    pub optset: String,
    /// The claim or formula that was checked, if it has a name.
    pub claim: String,
    /// Stored states.
    pub stored: u64,
    /// Transitions.
    pub transitions: u64,
    /// Errors.
    pub errors: u64,
    /// The message of the first error.
    pub err_kind: String,
    /// The depth printed with it.
    pub err_depth: Option<u64>,
    /// `yes`, or why the run did not end by itself.
    pub completed: String,
    /// Remarks, `trail_steps=` among them.
    pub note: String,
}

/// Reads the table.
pub fn read(text: &str) -> Result<Vec<Row>, String> {
    let mut lines = text.lines();
    let header: Vec<&str> = lines.next().ok_or("the table is empty")?.split('\t').collect();
    let column = |name: &str| header.iter().position(|h| *h == name).ok_or(format!("no column `{name}` in the table"));
    let names = [
        "corpus",
        "model",
        "optset",
        "claim",
        "stored",
        "transitions",
        "errors",
        "err_kind",
        "err_depth",
        "completed",
        "note",
    ];
    let columns: BTreeMap<&str, usize> = names.iter().map(|n| Ok((*n, column(n)?))).collect::<Result<_, String>>()?;
    Ok(lines.filter(|l| !l.trim().is_empty()).map(|line| read_row(line, &columns)).collect())
}

fn read_row(line: &str, columns: &BTreeMap<&str, usize>) -> Row {
    let fields: Vec<&str> = line.split('\t').collect();
    let text = |name: &str| columns.get(name).and_then(|i| fields.get(*i)).copied().unwrap_or("");
    // Large figures are printed like 1.2345678e+08.
    let number = |name: &str| text(name).parse::<f64>().ok().map(|n| n as u64);
    Row {
        corpus: text("corpus").into(),
        model: text("model").into(),
        optset: text("optset").into(),
        claim: text("claim").into(),
        stored: number("stored").unwrap_or(0),
        transitions: number("transitions").unwrap_or(0),
        errors: number("errors").unwrap_or(0),
        err_kind: text("err_kind").into(),
        err_depth: number("err_depth"),
        completed: text("completed").into(),
        note: text("note").into(),
    }
}

/// The number of steps of SPIN's shortest trail. What is printed is not what is meant: a depth-first trail is counted in
/// the note; a breadth-first one has the printed depth for an end state and one step more for anything else.
pub fn trail_steps(row: &Row) -> Option<u64> {
    if row.optset == "DFS_SHORTEST" {
        let text = row.note.split_once("trail_steps=")?.1;
        return text.split(' ').next()?.parse().ok();
    }
    let depth = row.err_depth?;
    Some(if row.err_kind == "invalid end state" { depth } else { depth + 1 })
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str =
        "corpus\tmodel\toptset\tclaim\tstored\ttransitions\terrors\terr_kind\terr_depth\tcompleted\tnote\n";

    #[test]
    fn rows_are_read_by_the_names_of_their_columns() -> Result<(), String> {
        let text = format!("{HEAD}examples\ta.pml\tBFS_FULL\t\t17\t21\t1\tinvalid end state\t5\tstopped at error\t\n");
        let rows = read(&text)?;
        assert_eq!((rows[0].stored, rows[0].transitions, rows[0].err_depth), (17, 21, Some(5)));
        assert_eq!(trail_steps(&rows[0]), Some(5));
        Ok(())
    }

    #[test]
    fn an_assertion_adds_a_step_and_a_note_is_exact() {
        let bfs = Row { optset: "BFS_FULL".into(), err_depth: Some(5), err_kind: "assertion".into(), ..Row::default() };
        assert_eq!(trail_steps(&bfs), Some(6));
        let note = "trail_steps=13 last_reduced=13".to_string();
        let dfs = Row { optset: "DFS_SHORTEST".into(), note, ..Row::default() };
        assert_eq!(trail_steps(&dfs), Some(13));
    }

    #[test]
    fn a_table_without_the_columns_is_refused() {
        assert!(read("a\tb\n1\t2\n").is_err());
    }
}
