//! What people type who know other tools, or SPIN, and what to say to them: better than what clap can guess.

use starwheel_workbench::options::{self, Commands};
use starwheel_workbench::{Code, Problem};
use std::ffi::OsString;
use std::path::Path;

/// The commands whose options people mix up.
const COMMANDS: [Commands; 6] =
    [Commands::CHECK, Commands::SIMULATE, Commands::REPLAY, Commands::GRAPH, Commands::TEST, Commands::WHEN];

/// What other tools call our commands.
const SYNONYMS: [(&str, &str); 7] = [
    ("verify", "check"),
    ("run", "check"),
    ("pan", "check"),
    ("sim", "simulate"),
    ("show", "replay"),
    ("trail", "replay"),
    ("watch", "check --watch"),
];

/// Options of other tools, and ours.
const OPTIONS: &[(&str, &str)] = &[
    ("--quiet", "`--json` prints one object; the verdict is also the exit status"),
    ("-q", "`--empty-channels` is SPIN's -q; `--json` prints one object and nothing else"),
    ("--bfs", "`--search bfs`"),
    ("--dfs", "`--search dfs`"),
    ("--max-depth", "`--depth N`"),
    ("--max-steps", "`--depth N` for `check`, `--steps N` for `simulate`"),
    ("--timeout", "`--time 60s`"),
    ("--threads", "`--workers N`"),
    ("--jobs", "`--workers N`"),
    ("-j", "`--workers N`"),
    ("--fairness", "`--fair weak` or `--fair strong`"),
    ("--weak-fairness", "`--fair weak`"),
    ("--liveness", "`--ltl NAME`, `--accept` or `--progress`"),
    ("--formula", "`--ltl FORMULA`"),
    ("--property", "`--ltl NAME|FORMULA`"),
    ("--invariant", "`--ltl '[] (condition)'`"),
    ("--deadlock", "deadlocks are always looked for; `--no-deadlock` ignores them"),
    ("--output", "`--trail FILE` says where the counterexample goes"),
    ("-o", "`--trail FILE` says where the counterexample goes"),
    ("-v", "`--verbose`"),
    ("-a", "`starwheel spin -run -a MODEL` understands SPIN's flags; here it is `--accept`"),
    ("-f", "`starwheel spin` understands SPIN's flags; here it is `--fair`, or `--ltl FORMULA`"),
    ("-m", "`starwheel spin` understands SPIN's flags; here it is `--depth N`"),
    ("-i", "`--interactive`, with `simulate`"),
    ("-t", "`starwheel replay MODEL` shows the trail"),
    ("-p", "`starwheel replay MODEL` shows the trail"),
    ("-run", "`starwheel spin -run MODEL` understands SPIN's flags"),
];

/// What to say about a line that clap does not understand, if something better than clap does can be said.
pub fn tip(args: &[OsString]) -> Option<Problem> {
    let words: Vec<&str> = args.iter().skip(1).filter_map(|a| a.to_str()).collect();
    let (first, rest) = words.split_first()?;
    match COMMANDS.into_iter().find(|c| c.name() == *first) {
        Some(command) => rest.iter().find_map(|word| option(command, word)),
        None => start(first, &words),
    }
}

/// What to say about a line that does not begin with a command.
fn start(first: &str, words: &[&str]) -> Option<Problem> {
    let wrong = |message: String, instead: String| Some(Problem::error(Code::BadCommand, message).advise(instead));
    let all = words.join(" ");
    let behind = words[1..].iter().map(|w| format!(" {w}")).collect::<String>();
    if Path::new(first).is_file() {
        return wrong(format!("`{first}` is a file, not a command"), format!("starwheel check {all}"));
    }
    if let Some(name) = first.strip_prefix("--") {
        let name = name.split('=').next().unwrap_or(name);
        let command = COMMANDS.into_iter().find(|c| options::find(*c, name).is_some());
        let known = command.map(|c| (format!("`--{name}` is an option of `{}`", c.name()), c));
        return match known {
            Some((message, c)) => {
                wrong(format!("{message}, and no command was given"), format!("starwheel {} {all}", c.name()))
            }
            None => option(Commands::CHECK, first),
        };
    }
    if let Some(letter) = first.strip_prefix('-').and_then(|f| f.chars().next()) {
        // Macros and folders have the same letters in both.
        let own = options::rows(Commands::CHECK).any(|r| r.letter == Some(letter));
        let (message, command) = match own {
            true => (format!("`{first}` is an option, and no command was given"), "check"),
            false => (format!("`{first}` is one of SPIN's flags, or no flag at all"), "spin"),
        };
        let instead = format!("starwheel {command} {all}");
        return wrong(message, if own { instead } else { format!("`{instead}` understands SPIN's flags") });
    }
    if let Some((_, ours)) = SYNONYMS.iter().find(|(theirs, _)| *theirs == first) {
        return wrong(format!("there is no command `{first}`"), format!("starwheel {ours}{behind}"));
    }
    let model = Path::new(first).extension().is_some();
    model
        .then(|| wrong(format!("`{first}` is no command, and there is no such file"), "starwheel check FILE".into()))?
}

/// What to say about an option that a command does not have.
fn option(command: Commands, word: &str) -> Option<Problem> {
    let name = word.split('=').next().unwrap_or(word);
    let long = name.strip_prefix("--");
    let own = match long {
        Some(long) => options::find(command, long).is_some(),
        None => options::rows(command).filter_map(|r| r.letter).any(|l| name.starts_with(&format!("-{l}"))),
    };
    if own {
        return None;
    }
    let whole = OPTIONS.iter().find(|(theirs, _)| *theirs == name);
    let stuck = || OPTIONS.iter().find(|(theirs, _)| long.is_none() && theirs.len() == 2 && name.starts_with(theirs));
    // A number with a sign is no flag, and a lone dash is the standard input.
    let flag = long.is_none() && name.starts_with('-') && name[1..].starts_with(|c: char| c.is_ascii_alphabetic());
    let spin = flag.then_some("`starwheel spin` understands SPIN's flags");
    let elsewhere = || {
        let other = COMMANDS.into_iter().find(|c| long.is_some_and(|long| options::find(*c, long).is_some()))?;
        Some(format!("it is an option of `starwheel {}`", other.name()))
    };
    let tip = whole.map(|e| e.1).or(spin.filter(|_| name.len() > 3)).or_else(|| stuck().map(|e| e.1)).or(spin);
    let tip = tip.map(|tip| of_check(command, tip)).or_else(elsewhere)?;
    Some(Problem::error(Code::BadCommand, format!("`{}` has no option `{name}`", command.name())).advise(tip))
}

/// A tip for somebody who typed a command that may not have the option it names.
fn of_check(command: Commands, tip: &str) -> String {
    let named = tip.strip_prefix("`--").and_then(|rest| rest.split(['`', ' ']).next());
    let missing = |name| options::find(command, name).is_none() && options::find(Commands::CHECK, name).is_some();
    let note = if named.is_some_and(missing) { " (of `starwheel check`)" } else { "" };
    format!("{tip}{note}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(line: &str) -> String {
        let words: Vec<OsString> = line.split_whitespace().map(OsString::from).collect();
        tip(&words).map_or(String::new(), |p| p.text.trim_end().to_string())
    }

    #[test]
    fn tips_name_the_command_that_has_the_option() {
        assert!(said("starwheel graph --bfs m.pml").contains("`--search bfs` (of `starwheel check`)"));
        let own = said("starwheel check --bfs m.pml");
        assert!(own.contains("`--search bfs`") && !own.contains("(of"), "{own}");
    }

    #[test]
    fn flags_of_spin_lead_to_spin() {
        for flags in ["-run", "-run -a", "-search", "-a", "-t -p", "-p", "-replay", "-m100", "-o3 -run", "-V -x"] {
            let said = said(&format!("starwheel {flags} no.pml"));
            assert!(said.contains(&format!("`starwheel spin {flags} no.pml`")), "{flags}: {said}");
        }
        for flag in ["-run", "-search", "-a", "-DSAFETY -run", "-replay", "-m1000"] {
            assert!(said(&format!("starwheel check {flag} no.pml")).contains("starwheel spin"), "{flag}");
        }
    }

    #[test]
    fn options_without_a_command_and_commands_of_others_lead_to_ours() {
        assert!(said("starwheel -D N=3 m.pml").ends_with("starwheel check -D N=3 m.pml"));
        assert!(said("starwheel --search bfs m.pml").ends_with("starwheel check --search bfs m.pml"));
        assert!(said("starwheel --interactive m.pml").ends_with("starwheel simulate --interactive m.pml"));
        assert!(said("starwheel --bfs m.pml").contains("--search bfs"));
        assert!(said("starwheel verify m.pml").ends_with("starwheel check m.pml"));
        assert!(said("starwheel nothing.pml").contains("no such file"));
        assert!(said("starwheel check m.pml --html x").contains("starwheel replay"));
        assert_eq!(said("starwheel fly"), "");
        assert_eq!(said("starwheel check - --depth -5"), "");
    }
}
