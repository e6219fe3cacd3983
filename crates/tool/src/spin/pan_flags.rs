//! The flags that follow `-run`: those of pan, and the words that SPIN adds to them.

use super::args::{Line, Mode, Words};
use super::{compile_flags, spin_flags};
use starwheel_workbench::{Problem, Search};
use std::time::Duration;

/// Reads one flag.
pub fn read(flag: &str, words: &mut Words<'_>, line: &mut Line) {
    if long_word(flag, words, line) {
        return;
    }
    let Some(letter) = flag.chars().nth(1).filter(char::is_ascii) else { return line.unknown(flag) };
    let rest = &flag[2..];
    match letter {
        'D' if !rest.is_empty() => compile_flags::read(flag, rest, line),
        'D' => line.not_built(flag, "pan's automata; `starwheel graph --dot` shows ours"),
        'd' => line.not_built(flag, "pan's tables; `starwheel graph` shows ours"),
        'O' => line.needless(flag, "nothing is compiled"),
        'U' => spin_flags::read(flag, words, line),
        'N' => {
            words.value(rest);
            line.not_built("-N", "claims");
        }
        'c' => errors(flag, rest, line),
        'm' => {
            if line.number(flag, rest).is_some() {
                line.needless(flag, "the search is not limited in depth");
            }
        }
        'w' | 'h' | 'k' | 'M' | 'G' | 'z' => line.needless(flag, "tables grow by themselves"),
        'Q' => {
            let minutes = line.number(flag, rest);
            line.plan.time = minutes.map(|m| Duration::from_secs(m.saturating_mul(60)));
        }
        'L' => line.not_built(flag, "bounded context switching"),
        'P' | 'R' => line.not_built(flag, "random order"),
        't' => line.not_built(flag, "trails with other names; use `starwheel check --trail FILE`"),
        _ if rest.is_empty() || !plain_letters(rest) => single(flag, line),
        // pan does not allow letters to share a dash, but many people write -aA.
        _ => letters(letter, rest, line),
    }
}

fn plain_letters(text: &str) -> bool {
    text.chars().all(|c| "alfAEbeniIqvVxTXgCrS".contains(c))
}

fn letters(first: char, rest: &str, line: &mut Line) {
    for letter in std::iter::once(first).chain(rest.chars()) {
        single(&format!("-{letter}"), line);
    }
}

fn single(flag: &str, line: &mut Line) {
    match flag {
        "-a" => line.acceptance = true,
        "-A" => line.plan.no_assert = true,
        "-E" => line.plan.no_deadlock = true,
        "-n" => line.no_unreached = true,
        "-i" | "-I" => line.plan.search = Search::Bfs,
        "-l" => line.not_built(flag, "non-progress cycles"),
        "-f" => line.not_built(flag, "fairness"),
        "-e" => line.not_built(flag, "a trail for each error"),
        "-q" => line.not_built(flag, "valid end states only with empty channels"),
        "-J" => line.not_built(flag, "the reverse order of nested unless"),
        "-b" | "-v" | "-x" | "-X" | "-T" => line.needless(flag, "it changes no result"),
        "-V" => line.mode = Mode::Version,
        "-C" | "-g" | "-r" | "-S" => {
            let problem = Problem::error("unknown-option", format!("`{flag}` replays a trail, which `-run` does not"));
            line.problems.push(problem.advise("use `starwheel spin -t -p model.pml` after the search"));
        }
        _ => line.unknown(flag),
    }
}

fn errors(flag: &str, rest: &str, line: &mut Line) {
    match line.number(flag, rest) {
        Some(0) => line.plan.all_errors = true,
        Some(1) | None => {}
        Some(_) => line.not_built(flag, "stopping after more than one error"),
    }
}

/// Words that SPIN understands after `-run`.
fn long_word(flag: &str, words: &mut Words<'_>, line: &mut Line) -> bool {
    match flag {
        "-bfs" => line.plan.search = Search::Bfs,
        "-safety" | "-noreduce" => {}
        "-noclaim" => line.no_claim = true,
        "-ltl" => {
            words.take();
            line.not_built(flag, "LTL properties");
        }
        "-link" => {
            words.take();
            line.not_built(flag, "C code");
        }
        "-np" => line.not_built(flag, "non-progress cycles"),
        "-collapse" => line.not_built(flag, "compressed states"),
        "-hc" | "-bit" | "-bitstate" => line.not_built(flag, "lossy storage"),
        "-bcs" => line.not_built(flag, "bounded context switching"),
        "-bfspar" | "-dfspar" => line.not_built(flag, "parallel search"),
        "-hash" | "-rhash" | "-i_reverse" | "-t_reverse" => line.not_built(flag, "other orders of search"),
        _ if flag.starts_with("-p_") => line.not_built(flag, "other orders of search"),
        _ if flag.starts_with("-biterate") || flag.starts_with("-swarm") => line.not_built(flag, "lossy storage"),
        _ => return false,
    }
    true
}
