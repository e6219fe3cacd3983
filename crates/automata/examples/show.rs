//! Shows the automata of formulas given as arguments.

use starwheel_automata::{Names, ltl, text, translate, translate_generalised};

fn main() {
    for argument in std::env::args().skip(1) {
        let mut names = Names::new();
        match ltl::parse(&argument, &mut names) {
            Err(error) => eprintln!("{argument}: {error}"),
            Ok(formula) => {
                println!("{argument} = {}", formula.simplified().show(&names));
                match (translate_generalised(&formula), translate(&formula)) {
                    (Ok(general), Ok(plain)) => {
                        println!("{}\n{}", text::generalised(&general, &names), text::buchi(&plain, &names));
                    }
                    (Err(error), _) | (_, Err(error)) => eprintln!("{argument}: {error}"),
                }
            }
        }
    }
}
