//! Reads two graphs in the AUT format with a reader that is not ours, and says how large they are and whether they are strongly
//! bisimilar: `merc-check A.aut B.aut`.

use merc_lts::{LTS, read_aut};
use merc_reduction::{Equivalence, compare_lts};
use merc_utilities::Timing;
use std::fs::File;
use std::process::ExitCode;

fn main() -> ExitCode {
    let paths: Vec<String> = std::env::args().skip(1).collect();
    let graphs = paths.iter().map(|path| {
        let file = File::open(path).map_err(|error| format!("{path}: {error}"))?;
        read_aut(file).map_err(|error| format!("{path}: {error}"))
    });
    let graphs: Vec<_> = match graphs.collect::<Result<_, String>>() {
        Ok(graphs) => graphs,
        Err(error) => {
            eprintln!("{error}");
            return ExitCode::from(2);
        }
    };
    let Ok([one, other]) = <[_; 2]>::try_from(graphs) else {
        eprintln!("merc-check A.aut B.aut");
        return ExitCode::from(2);
    };
    let sizes = [&one, &other].map(|graph| (graph.num_of_states(), graph.num_of_transitions()));
    let alike = compare_lts(Equivalence::StrongBisim, one, other, false, &mut Timing::new());
    let ([(states, transitions), _], same) = (sizes, sizes[0] == sizes[1]);
    println!("{states} {transitions} {}", if alike && same { "bisimilar" } else { "DIFFERENT" });
    if alike && same { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
