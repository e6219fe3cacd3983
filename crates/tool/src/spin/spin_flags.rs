//! The flags of SPIN itself.

use super::args::{Line, Mode, Words};
use starwheel_workbench::Problem;

/// Reads one flag; several letters without values may share a dash.
pub fn read(flag: &str, words: &mut Words<'_>, line: &mut Line) {
    if with_value(flag, words, line) || whole_word(flag, line) {
        return;
    }
    let letters = &flag[1..];
    if letters.is_empty() || !letters.chars().all(|c| "pglrscvabBTiwdVh".contains(c)) {
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
        'a' => line.mode = Mode::Generate,
        'i' => line.mode = Mode::Interactive,
        'V' => line.mode = Mode::Version,
        'h' => line.needless("-h", "the seed is always printed"),
        'd' => line.needless("-d", "`starwheel graph` shows what a model consists of"),
        // More warnings and more values than we have levels of.
        _ => {}
    }
}

/// Flags with a value behind them.
fn with_value(flag: &str, words: &mut Words<'_>, line: &mut Line) -> bool {
    let Some(letter) = flag.chars().nth(1).filter(char::is_ascii) else { return false };
    let rest = &flag[2..];
    match letter {
        'D' => take(flag, rest, words, line, |l, v| l.define(&v)),
        'U' => take(flag, rest, words, line, |l, v| l.plan.reading.undefines.push(v)),
        'E' => preprocessor(rest, line),
        'I' if !rest.is_empty() => line.plan.reading.include.push(rest.into()),
        'I' => line.not_built("-I", "printing the model after preprocessing"),
        'n' => line.plan.seed = line.number(flag, rest),
        'u' => line.plan.steps = line.number(flag, rest).unwrap_or(0),
        'j' => line.prints.skip = line.number(flag, rest).unwrap_or(0),
        'k' => take(flag, rest, words, line, |l, v| l.trail = Some(v.into())),
        't' => trail(flag, rest, line),
        'q' if !rest.is_empty() => line.needless(flag, "use -r and -s only when you want to see messages"),
        'o' => optimisation(flag, rest, line),
        'P' => line.needless(flag, "the preprocessor is built in"),
        'f' | 'F' => {
            words.value(rest);
            line.not_built(&format!("-{letter}"), "LTL formulas");
        }
        'N' => {
            words.value(rest);
            line.not_built("-N", "never claims");
        }
        _ => return false,
    }
    true
}

fn take(flag: &str, stuck: &str, words: &mut Words<'_>, line: &mut Line, set: impl FnOnce(&mut Line, String)) {
    match words.value(stuck) {
        Some(value) => set(line, value),
        None => line.problems.push(Problem::error("bad-option-value", format!("`{flag}` needs a value"))),
    }
}

/// `-E-Idir` and the like: what is meant for the preprocessor.
fn preprocessor(rest: &str, line: &mut Line) {
    match rest.get(..2) {
        Some("-I") => line.plan.reading.include.push(rest[2..].into()),
        Some("-D") => line.define(&rest[2..]),
        Some("-U") => line.plan.reading.undefines.push(rest[2..].to_string()),
        _ => line.needless(&format!("-E{rest}"), "the preprocessor is built in"),
    }
}

fn trail(flag: &str, rest: &str, line: &mut Line) {
    line.mode = Mode::Replay;
    if !rest.is_empty() && rest != "1" {
        line.not_built(flag, "more than one trail");
    }
}

fn optimisation(flag: &str, rest: &str, line: &mut Line) {
    match rest {
        "1" | "2" => line.plan.reading.dead_vars = false,
        "3" => line.plan.reading.merge = false,
        "4" | "5" => line.needless(flag, "it changes no result"),
        "6" => line.not_built(flag, "the old rules for priorities"),
        "7" => line.not_built(flag, "the old rules for semicolons"),
        _ => line.unknown(flag),
    }
}

/// Flags that are refused, or that are more than one letter.
fn whole_word(flag: &str, line: &mut Line) -> bool {
    match flag {
        "-pp" => line.not_built(flag, "pretty printing"),
        "-m" => line.not_built(flag, "losing messages that are sent to a full channel"),
        "-J" => line.not_built(flag, "the reverse order of nested unless"),
        "-O" => line.not_built(flag, "the old rules for scopes"),
        "-A" => line.not_built(flag, "slicing"),
        "-e" | "-L" => line.not_built(flag, "products of claims"),
        "-M" => line.not_built(flag, "charts in Tcl; `starwheel replay --svg FILE` draws one"),
        "-C" => line.not_built(flag, "a list of channel uses"),
        "-x" | "-X" | "-Y" | "-Z" | "-S1" | "-S2" | "-W" => line.unknown(flag),
        _ => return false,
    }
    true
}
