//! The binary `testkit`.

use starwheel_testkit::command;
use std::process::ExitCode;

const HELP: &str = "\
testkit truth    --tsv FILE --corpus DIR --examples DIR --starwheel BIN
                 [--optset A,B] [--max-states N] [--only TEXT] [--jobs N] [--timeout SECONDS] [--explained FILE]
                 recorded figures of SPIN against the binary
testkit random   [--starwheel BIN] [--count N] [--seed S] [--time SECONDS] [--keep DIR] [--jobs N]
                 [--with A,B] [--without A,B] [--optset A,B] [--timeout SECONDS] [--strict] [--cc COMPILER]
                 [--shrink HOW_MANY] [--tries N] [--spin-timeout MILLISECONDS] [--ltl]
                 random programs through SPIN and the binary; without a binary through SPIN alone;
                 with --ltl the verdicts on formulas, claims, accept labels and progress labels are compared
testkit reductions --starwheel BIN [--count N] [--seed S] [--time SECONDS] [--keep DIR] [--jobs N]
                 [--with A,B] [--without A,B] [--timeout SECONDS] [--limit TIME] [--shrink HOW_MANY] [--tries N]
                 random programs with a formula through the binary alone: each reduction against the search of all
                 states, and every choice audited
testkit timed    --starwheel BIN [--count N] [--seed S] [--time SECONDS] [--jobs N] [--timeout SECONDS] [--cc COMPILER]
                 random timed programs: native timers against the text of the header in SPIN, exact counts; and all
                 reductions, machine code, merged steps and jumps against exact time
testkit timed    --starwheel BIN --figures FILE [--cc COMPILER]
                 the models of a table (examples/time/figures.tsv), SPIN run anew: the header's text and native timers
testkit timed    --starwheel BIN --table DIR [--timeout SECONDS] [--save FILE]
                 timed models of a folder (examples/time) beside SPIN: processor time, memory, reduction, the unit of time
testkit twins    --starwheel BIN --taste DIR [--jobs N] [--timeout SECONDS]
                 TASTE's systems with known verdicts, each beside a twin in which one line is broken
testkit mutants  DIR... --starwheel BIN [--count N] [--seed S] [--time SECONDS] [--keep DIR] [--jobs N] [--cc COMPILER]
                 [--timeout SECONDS] [--limit TIME] [--spin-timeout MILLISECONDS] [--shrink HOW_MANY] [--tries N] [--unchanged]
                 models of folders with a few random changes through SPIN and the binary: both accept or refuse them, count the
                 same and say the same of each claim; each reduction against the search of all states
testkit symmetric --starwheel BIN [--count N] [--seed S] [--time SECONDS] [--jobs N] [--timeout SECONDS] [--limit TIME]
                 random programs with like processes: the search of names against that of all states, verdicts, fairness,
                 reductions and shortest trails, every renaming audited
testkit peers    DIR... --starwheel BIN [--timeout SECONDS] [--only A,B] [--jobs N] [--memory MEGABYTES]
                 [--tsv FILE] [--json FILE] [--explained FILE]
                 SPIN and the binary on all models of folders, each with what it does by itself: verdicts, states,
                 processor time, the first bug; false if a verdict differs and nobody has explained why
testkit coverage [--count N] [--seed S]
                 how often each construct occurs in the random programs
testkit show     --seed S [--ltl | --reductions | --symmetric]
                 the program of a seed, as `random`, `random --ltl`, `reductions` or `symmetric` has it
testkit bench    --starwheel BIN [--corpus DIR] [--models DIR] [--examples DIR] [--only A,B] [--timeout SECONDS]
                 [--repeat N] [--automata pure|nomerge|merge] [--memory MEGABYTES] [--runs DIR] [--save NAME]
                 [--brief | --callgrind | --large]
                 speed and memory beside SPIN; bench/README.md explains it
testkit reduction --starwheel BIN [--corpus DIR] [--models DIR] [--only A,B] [--timeout SECONDS] [--repeat N]
                 [--memory MEGABYTES] [--runs DIR] [--save NAME]
                 states that the reductions leave, beside SPIN's, and what they cost where nothing can be left out
testkit scale    --starwheel BIN [--only TEXT] [--timeout SECONDS] [--most SECONDS] [--keep DIR]
                 models of a thousand to a hundred thousand lines, from the start to the first state; false if the time grows
                 faster than the models
testkit wires    --starwheel BIN --models A,B [--processes 2,4,8] [--wires vector,local,tree] [--timeout SECONDS]
                 what goes between processes, and what it costs beside two threads; false if counts differ
testkit kills    --starwheel BIN --model FILE [--rounds N] [--seed S] [--timeout SECONDS]
testkit stops    --starwheel BIN --model FILE [--processes N] [--seconds S] [--timeout SECONDS]
                 a saved search by several processes, killed at random moments and gone on with by others
";

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let (name, rest) = words.split_first().map_or(("help", &[][..]), |(n, r)| (n.as_str(), r));
    let result = match name {
        "truth" => command::truth::run(rest),
        "random" => command::random::run(rest),
        "reductions" => command::reductions::run(rest),
        "symmetric" => command::symmetric::run(rest),
        "timed" => command::timed::run(rest),
        "mutants" => command::mutants::run(rest),
        "twins" => command::twins::run(rest),
        "peers" => command::peers::run(rest),
        "coverage" => command::coverage::run(rest),
        "show" => command::coverage::show(rest),
        "bench" => command::bench::run(rest),
        "reduction" => command::reduction::run(rest),
        "scale" => command::scale::run(rest),
        "wires" => command::wires::run(rest),
        "kills" => command::kills::run(rest),
        "stops" => command::stops::run(rest),
        "help" | "--help" | "-h" => {
            print!("{HELP}");
            Ok(true)
        }
        other => Err(format!("`{other}` is no command; `testkit help` lists them")),
    };
    match result {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(message) => {
            eprintln!("testkit: {message}");
            ExitCode::from(2)
        }
    }
}
