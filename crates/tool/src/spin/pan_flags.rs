//! The flags that follow `-run`: those of pan, and the words that SPIN adds to them.

use super::args::{Line, Mode, Words};
use super::{compile_flags, spin_flags};
use starwheel_workbench::{Code, Problem};

/// What to do instead of searching in another order.
pub const ORDER: &str = "the search is exhaustive, so the order changes only which error comes first: try -bfs or -c0";
/// What to do instead of bounding context switches.
pub const CONTEXT: &str = "the search is exhaustive; -bfs gives a short trail";

/// Reads one flag.
pub fn read(flag: &str, words: &mut Words<'_>, line: &mut Line) {
    if long_word(flag, words, line) {
        return;
    }
    let Some(letter) = flag.chars().nth(1).filter(char::is_ascii) else { return line.unknown(flag) };
    let rest = &flag[2..];
    match letter {
        'D' if !rest.is_empty() => compile_flags::read(flag, rest, line),
        'D' => line.not_built(flag, "pan's automata", "`starwheel graph --dot` shows ours"),
        'd' => line.not_built(flag, "pan's tables", "`starwheel graph` shows ours"),
        'O' => line.needless(flag, "nothing is compiled"),
        'U' => spin_flags::read(flag, words, line),
        'N' => claim("-N", rest, words, line),
        'c' => errors(flag, rest, line),
        'm' => {
            if line.number(flag, rest).is_some() {
                line.needless(flag, "the search is not limited in depth");
            }
        }
        'w' | 'h' | 'k' | 'M' | 'G' | 'z' | 'x' | 'u' => line.needless(flag, "tables grow by themselves"),
        'Q' => {
            if line.number(flag, rest).is_some() {
                line.option(flag, "time", Some(&format!("{rest}m")));
            }
        }
        'L' => line.not_built(flag, "bounded context switching", CONTEXT),
        'P' | 'R' => line.not_built(flag, "other orders of search", ORDER),
        'T' if !rest.is_empty() => line.not_built(flag, "other orders of search", ORDER),
        't' => line.not_built(flag, "trails with other names", "use `starwheel check --trail FILE`"),
        'F' => line.not_built(flag, "searches on the disk", "use `starwheel check --spill`"),
        _ if rest.is_empty() || !plain_letters(rest) => single(flag, line),
        // pan does not allow letters to share a dash, but many people write -aA.
        _ => letters(letter, rest, line),
    }
}

fn plain_letters(text: &str) -> bool {
    text.chars().all(|c| "alfAEbeniIqvVTXgCrSWY".contains(c))
}

fn letters(first: char, rest: &str, line: &mut Line) {
    for letter in std::iter::once(first).chain(rest.chars()) {
        single(&format!("-{letter}"), line);
    }
}

fn single(flag: &str, line: &mut Line) {
    match flag {
        "-a" => line.quest.acceptance = true,
        "-l" => line.quest.progress = true,
        "-f" => {
            // Merged statements could make a run unfair.
            line.reading.merge = false;
            line.option(flag, "fair", Some("weak"))
        }
        "-A" => line.option(flag, "no-assert", None),
        "-E" => line.option(flag, "no-deadlock", None),
        "-q" => line.reading.empty_channels = true,
        "-e" => every_error(flag, None, line),
        "-n" => line.no_unreached = true,
        "-i" | "-I" => line.breadth(flag),
        "-J" => line.not_built(flag, "the reverse order of nested unless", spin_flags::UNLESS),
        "-b" => line.needless(flag, "the depth is not limited, so it cannot be exceeded"),
        "-v" | "-X" | "-T" | "-W" | "-Y" => line.needless(flag, "it changes no result"),
        "-V" => line.mode = Mode::Version,
        "-C" | "-g" | "-r" | "-S" => {
            let problem =
                Problem::error(Code::UnknownOption, format!("`{flag}` replays a trail, which `-run` does not"));
            line.problems.push(problem.advise("use `starwheel spin -t -p model.pml` after the search"));
        }
        _ => line.unknown(flag),
    }
}

impl Line {
    /// Breadth first.
    pub fn breadth(&mut self, flag: &str) {
        self.quest.breadth = true;
        self.option(flag, "search", Some("bfs"));
    }
}

fn errors(flag: &str, rest: &str, line: &mut Line) {
    match line.number(flag, rest) {
        Some(0) => line.option(flag, "all-errors", None),
        Some(1) | None => {}
        Some(n) => every_error(flag, Some(n), line),
    }
}

/// Each error counts, up to a number of them.
fn every_error(flag: &str, most: Option<u64>, line: &mut Line) {
    line.option(flag, "all-errors", None);
    line.pan.every_error = true;
    line.pan.errors = most;
}

/// The claim to be used, by name or number.
fn claim(flag: &str, stuck: &str, words: &mut Words<'_>, line: &mut Line) {
    match words.value(stuck) {
        Some(name) => line.quest.claim = Some(name),
        None => {
            let problem = Problem::error(Code::BadOptionValue, format!("`{flag}` needs the name of a claim"));
            line.problems.push(problem.advise("write it as -N NAME or -ltl NAME, before the file"));
        }
    }
}

/// Words that SPIN understands after `-run`.
fn long_word(flag: &str, words: &mut Words<'_>, line: &mut Line) -> bool {
    match flag {
        "-bfs" => line.breadth(flag),
        "-safety" => line.quest.safety = true,
        "-noreduce" => line.option(flag, "por", Some("off")),
        "-noclaim" => line.quest.no_claim = true,
        "-ltl" => claim(flag, "", words, line),
        "-link" => {
            words.take();
            line.not_built(flag, "C code", "write it in Promela");
        }
        "-np" => line.quest.progress = true,
        "-collapse" => line.option(flag, "store", Some("tree")),
        "-hc" => line.option(flag, "store", Some("compact")),
        "-bit" | "-bitstate" => line.option(flag, "store", Some("bitstate")),
        "-bcs" => line.not_built(flag, "bounded context switching", CONTEXT),
        "-bfspar" => {
            line.not_built(flag, "parallel breadth-first search", "use -bfs, or `starwheel check --workers N`")
        }
        "-dfspar" => line.option(flag, "workers", Some("4")),
        "-hash" => line.needless(flag, "the store is exact with any hash function"),
        "-rhash" | "-i_reverse" | "-t_reverse" => line.not_built(flag, "other orders of search", ORDER),
        "-p_normal" => {}
        _ if flag.starts_with("-p_") => line.not_built(flag, "other orders of search", ORDER),
        _ if flag.starts_with("-biterate") || flag.starts_with("-swarm") => {
            line.not_built(flag, "swarms of searches", "one exhaustive search gives the answer: leave it out");
        }
        _ => return false,
    }
    true
}
