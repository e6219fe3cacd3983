//! The command `generate`: networks of automata for tests and measurements.

use crate::screen;
use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use starwheel_workbench::network::{Shape, generate, write};
use starwheel_workbench::{Code, Failure, Problem, output};
use std::path::PathBuf;

const HELP: &str = "\
Examples:
  starwheel generate nba philosophers 5 --output phil5.hoa
  starwheel generate nba ring 20 > ring20.hoa
  starwheel generate nba random --components 4 --internal 60 --seed 7 > net.hoa";

/// The command line.
pub fn command() -> Command {
    let number = |name: &'static str, least: u32| {
        Arg::new(name).long(name).value_name("N").value_parser(value_parser!(u32).range(i64::from(least)..=1_000_000))
    };
    let output = Arg::new("output").long("output").value_name("FILE").value_parser(value_parser!(PathBuf));
    let output = output.help("Where the network goes (default: standard output)");
    let force = Arg::new("force").long("force").action(ArgAction::SetTrue);
    let force = force.help("Let the network take the place of a file of any kind");
    let count = |most: i64| {
        let arg = Arg::new("count").value_name("N").required(true);
        arg.value_parser(value_parser!(u32).range(2..=most)).help("How many")
    };
    let default = Shape::default();
    let random = Command::new("random")
        .about("Random components that move in pairs; none can accept alone")
        .arg(number("components", 1).help(format!("Components [default: {}]", default.components)))
        .arg(
            Arg::new("internal")
                .long("internal")
                .value_name("PERCENT")
                .value_parser(value_parser!(u32).range(0..=100))
                .help(format!("How many of a hundred edges move one component alone [default: {}]", default.internal)),
        )
        .arg(number("least-states", 1).help(format!("Fewest local states [default: {}]", default.states.0)))
        .arg(number("most-states", 1).help(format!("Most local states [default: {}]", default.states.1)))
        .arg(number("edges-per-action", 1).help("Edges for each shared action [default: 8]"))
        .arg(
            Arg::new("seed")
                .long("seed")
                .value_name("N")
                .value_parser(value_parser!(u64))
                .help("Start of the random numbers; the same seed gives the same network [default: 1]"),
        )
        .args([&output, &force]);
    let philosophers = Command::new("philosophers").about("Philosophers and forks; no run is accepting");
    let ring = Command::new("ring").about("A ring whose neighbours meet; no run is accepting");
    let nba = Command::new("nba")
        .about("A network of Büchi automata, in the HOA format")
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommand(philosophers.arg(count(100_000)).args([&output, &force]))
        .subcommand(ring.arg(count(100_000)).args([&output, &force]))
        .subcommand(random);
    Command::new("generate")
        .about("Generate networks of automata")
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommand(nba)
        .after_help(HELP)
}

/// Generates what the command line asks for.
pub fn run(matches: &ArgMatches) -> Result<u8, Failure> {
    let nothing =
        || Failure::from(Problem::error(Code::BadCommand, "`generate` needs to know what: `generate nba ring 5`"));
    let (_, nba) = matches.subcommand().ok_or_else(nothing)?;
    let (which, args) = nba.subcommand().ok_or_else(nothing)?;
    let number = |name: &str| args.try_get_one::<u32>(name).ok().flatten().copied();
    let automata = match which {
        "philosophers" => generate::philosophers(number("count").unwrap_or(2)),
        "ring" => generate::ring(number("count").unwrap_or(2)),
        _ => {
            let default = Shape::default();
            let least = number("least-states").unwrap_or(default.states.0);
            let most = number("most-states").unwrap_or(default.states.1.max(least));
            if most < least {
                let message = format!("`--most-states {most}` is less than the fewest local states, {least}");
                return Err(Problem::error(Code::BadOptionValue, message).advise("make it larger").into());
            }
            let shape = Shape {
                components: number("components").unwrap_or(default.components),
                internal: number("internal").unwrap_or(default.internal),
                states: (least, most),
                edges_per_action: number("edges-per-action").unwrap_or(default.edges_per_action),
                ..default
            };
            generate::random(shape, args.get_one::<u64>("seed").copied().unwrap_or(1))
        }
    };
    let text = write(&automata);
    match args.get_one::<PathBuf>("output") {
        None => screen::out(&text),
        Some(path) => {
            output::write(path, output::Kind::Automata, args.get_flag("force"), text.as_bytes()).map_err(|e| {
                let message = format!("`{}` cannot be written: {e}", path.display());
                Problem::error(Code::UnwritableFile, message).advise("give another name with `--output`")
            })?
        }
    }
    Ok(0)
}
