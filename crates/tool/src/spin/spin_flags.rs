//! The flags of SPIN itself.

use super::args::{Line, Mode, Words};
use starwheel_workbench::{Code, Problem};

/// What to do instead of reversing the order of nested unless.
pub const UNLESS: &str = "nest the unless statements the other way round";

/// Reads one flag; several letters without values may share a dash.
pub fn read(flag: &str, words: &mut Words<'_>, line: &mut Line) {
    if whole_word(flag, line) || with_value(flag, words, line) {
        return;
    }
    let letters = &flag[1..];
    if letters.is_empty() || !letters.chars().all(|c| "pglrscvabBTiwdVhWXYx".contains(c)) {
        return line.unknown(flag);
    }
    for letter in letters.chars() {
        plain(letter, line);
    }
}

fn plain(letter: char, line: &mut Line) {
    match letter {
        'p' => line.prints.statements = true,
        'g' => line.prints.globals = true,
        'l' => line.prints.locals = true,
        'r' => line.prints.receives = true,
        's' => line.prints.sends = true,
        'c' => line.prints.chart = true,
        'b' => line.prints.no_printf = true,
        'B' => line.prints.no_final = true,
        'T' => line.prints.flat_printf = true,
        'v' => line.prints.claims = true,
        'a' => line.mode = Mode::Generate,
        'i' => line.mode = Mode::Interactive,
        'V' => line.mode = Mode::Version,
        'h' => line.needless("-h", "give a seed with -nN to get a run again"),
        'd' => line.needless("-d", "`starwheel graph` shows what a model consists of"),
        'w' => line.needless("-w", "-p -g -l -r -s -v print all there is"),
        'W' => line.needless("-W", "nothing is compiled"),
        'X' | 'Y' | 'x' => line.needless(&format!("-{letter}"), "it was made for xspin"),
        _ => {}
    }
}

/// Flags with a value behind them.
fn with_value(flag: &str, words: &mut Words<'_>, line: &mut Line) -> bool {
    let Some(letter) = flag.chars().nth(1).filter(char::is_ascii) else { return false };
    let rest = &flag[2..];
    match letter {
        'D' => take(flag, rest, words, line, |l, v| l.define(&v)),
        'U' => take(flag, rest, words, line, |l, v| l.reading.undefines.push(v)),
        'E' => preprocessor(rest, line),
        'I' if !rest.is_empty() => line.reading.include.push(rest.into()),
        'I' => line.not_built("-I", "printing the model after preprocessing", "use `cpp -P FILE`"),
        'n' => line.seed = line.number(flag, rest),
        'u' => line.steps = line.number(flag, rest),
        'j' => line.prints.skip = line.number(flag, rest).unwrap_or(0),
        'k' => {
            line.mode = Mode::Replay;
            take(flag, rest, words, line, |l, v| l.trail = Some(v.into()));
        }
        't' => trail(flag, rest, line),
        'q' if !rest.is_empty() => line.needless(flag, "use -r and -s only when you want to see messages"),
        'o' => optimisation(flag, rest, line),
        'P' => line.needless(flag, "the preprocessor is built in"),
        'f' => take(flag, rest, words, line, |l, v| l.quest.formula = Some(v)),
        'F' => take(flag, rest, words, line, |l, v| formula_file(&v, l)),
        'N' => take(flag, rest, words, line, |l, v| l.reading.never = Some(v.into())),
        _ => return false,
    }
    true
}

fn take(flag: &str, stuck: &str, words: &mut Words<'_>, line: &mut Line, set: impl FnOnce(&mut Line, String)) {
    match words.value(stuck) {
        Some(value) => set(line, value),
        None => line.problems.push(Problem::error(Code::BadOptionValue, format!("`{flag}` needs a value"))),
    }
}

/// As in SPIN, the formula is the first line of the file.
fn formula_file(name: &str, line: &mut Line) {
    match std::fs::read_to_string(name) {
        Ok(text) => line.quest.formula = Some(text.lines().next().unwrap_or("").to_string()),
        Err(e) => {
            let problem = Problem::error(Code::UnreadableFile, format!("the formula in `{name}` cannot be read: {e}"));
            line.problems.push(problem.advise("give the name of a file with a formula in its first line"));
        }
    }
}

/// `-E-Idir` and the like: what is meant for the preprocessor.
fn preprocessor(rest: &str, line: &mut Line) {
    match rest.get(..2) {
        Some("-I") => line.reading.include.push(rest[2..].into()),
        Some("-D") => line.define(&rest[2..]),
        Some("-U") => line.reading.undefines.push(rest[2..].to_string()),
        _ => line.needless(&format!("-E{rest}"), "the preprocessor is built in"),
    }
}

fn trail(flag: &str, rest: &str, line: &mut Line) {
    line.mode = Mode::Replay;
    if !rest.is_empty() {
        line.trail_number = line.number(flag, rest);
    }
}

fn optimisation(flag: &str, rest: &str, line: &mut Line) {
    match rest {
        "1" | "2" => line.reading.dead_vars = false,
        "3" => line.reading.merge = false,
        "4" | "5" => line.needless(flag, "it changes no result"),
        "6" => {
            line.not_built(flag, "the old rules for priorities", "the rules of SPIN 6.2 and later hold: leave it out")
        }
        "7" => line.not_built(flag, "the old rules for semicolons", "write all semicolons: then both rules agree"),
        _ => line.unknown(flag),
    }
}

/// Flags that are refused, or that are more than one letter.
fn whole_word(flag: &str, line: &mut Line) -> bool {
    match flag {
        "-pp" => line.not_built(flag, "pretty printing", "leave it out"),
        "-m" => {
            let instead = "write `if :: nfull(q) -> q!m :: full(q) fi` where a message may be lost";
            line.not_built(flag, "losing messages that are sent to a full channel", instead);
        }
        "-J" => line.not_built(flag, "the reverse order of nested unless", UNLESS),
        "-O" => line.not_built(flag, "the old rules for scopes", "give variables in inner blocks names of their own"),
        "-A" => line.not_built(flag, "slicing", "-run lists the statements that are never reached"),
        "-e" | "-L" => line.not_built(flag, "products of claims", "check one claim after the other with -N NAME"),
        "-M" => line.not_built(flag, "charts in Tcl", "`starwheel replay --svg FILE` draws one"),
        "-C" => line.not_built(flag, "a list of channel uses", "`starwheel graph` shows all sends and receives"),
        "-Z" => line.not_built(flag, "preprocessing only", "use `cpp -P FILE`"),
        "-S1" | "-S2" => line.not_built(flag, "separate compilation", "nothing is compiled: leave it out"),
        _ => return false,
    }
    true
}
