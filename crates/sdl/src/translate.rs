//! The whole way from texts to Promela.

use crate::asn1::parse_asn1;
use crate::ast::{Item, Name, Scope};
use crate::delay::delay;
use crate::detect::{Language, language};
use crate::instance::instantiate;
use crate::lower::{leaves, lower, properties};
use crate::machine::{Leaf, Machine, Signal, first_number};
use crate::observe::observe;
use crate::options::{Delay, Environment, Options};
use crate::parse::{NOT_SUPPORTED, parse, parse_conditions, parse_if};
use crate::pids::spare;
use crate::sorts::Sorts;
use crate::structure::Structure;
use crate::vain::in_vain;
use crate::words::Words;
use crate::write::{ENVIRONMENT, MapEntry, write};
use starwheel_base::{Diagnostic, FileId, SourceMap, Span};
use std::collections::HashMap;

/// What a translation gives.
#[derive(Clone, Debug)]
pub struct Translation {
    /// What the system is called.
    pub system: String,
    /// The text of the model; a timed one includes `dtime.h` ([`crate::DTIME_H`]).
    pub promela: String,
    /// Where its lines come from.
    pub map: Vec<MapEntry>,
    /// The sources, to read the spans of the map and of the diagnostics with.
    pub sources: SourceMap,
    /// How many units of the source one slice of time is.
    pub unit: i64,
    /// True if time plays a role.
    pub timed: bool,
    /// What the things of the text are called in the model.
    pub words: Words,
}

/// Translates texts that belong together: SDL, ASN.1 types, stop conditions. Their languages are told by content.
///
/// The diagnostics are those of all texts; without a translation there is an error among them. Their places can be
/// read with the source map, which holds the texts in the order in which they were handed over.
pub fn translate(files: &[(&str, &str)], options: &Options) -> (Option<Translation>, SourceMap, Vec<Diagnostic>) {
    let mut sources = SourceMap::new();
    let mut diagnostics = Vec::new();
    let (mut units, mut conditions, mut sorts) = (Vec::new(), Vec::new(), Sorts::default());
    let mut read: Vec<(FileId, &str)> = Vec::new();
    sorts.longest = options.strings as i64;
    for (name, text) in files {
        let file = sources.add_file(*name, *text);
        let mut found = match language(text) {
            Language::Asn1 => {
                let (module, found) = parse_asn1(file, text);
                sorts.declare_asn(module);
                found
            }
            Language::StopConditions => {
                let (mut list, found) = parse_conditions(file, text);
                conditions.append(&mut list);
                found
            }
            told @ (Language::If | Language::Sdl | Language::Other) => {
                let (mut items, mut found) = match told {
                    Language::If => parse_if(file, text),
                    _ => parse(file, text),
                };
                let parts = |i: &Item| matches!(i, Item::Scope(_) | Item::Process(_) | Item::ScopeUse { .. });
                let before = read.iter().find(|r| r.1 == *text && items.iter().any(parts));
                if let Some((other, _)) = before {
                    // What it holds would be there twice.
                    let start = |file| Span { file, start: 0, end: 0, ..Span::default() };
                    let d = Diagnostic::error("same-text", start(file), "this text was given before");
                    found = vec![d.also(start(*other), "here").advise("leave one of them out")];
                } else {
                    units.append(&mut items);
                }
                read.push((file, text));
                found
            }
        };
        diagnostics.append(&mut found);
    }
    sorts.resolve_asn();
    two_systems(&units, &mut diagnostics);
    let units = instantiate(units, &mut diagnostics);
    let machine = if diagnostics.iter().any(Diagnostic::is_error) {
        // Names of what could not be read would be reported as missing; but what is refused besides is said in this run.
        let mut more = Vec::new();
        if diagnostics.iter().all(|d| !d.is_error() || d.code == NOT_SUPPORTED) {
            build(&units, sorts, options, &mut more);
        }
        let told: Vec<_> = diagnostics.iter().map(|d| d.span()).collect();
        diagnostics.extend(more.into_iter().filter(|d| d.code == NOT_SUPPORTED && !told.contains(&d.span())));
        None
    } else {
        build(&units, sorts, options, &mut diagnostics)
    };
    let written = machine.map(|mut m| {
        properties(&mut m, &conditions, &mut diagnostics);
        (write(&mut m, options, &sources), m.name)
    });
    let translation = written.map(|(w, system)| {
        diagnostics.extend(w.diagnostics);
        Translation {
            system,
            promela: w.text,
            map: w.map,
            sources: sources.clone(),
            unit: w.unit,
            timed: w.timed,
            words: w.words,
        }
    });
    let failed = diagnostics.iter().any(Diagnostic::is_error);
    (translation.filter(|_| !failed), sources, diagnostics)
}

/// Reports systems of one name: several systems are the functions of a project, which are told apart by their names.
fn two_systems(units: &[Item], diagnostics: &mut Vec<Diagnostic>) {
    let mut known: HashMap<&str, &Name> = HashMap::new();
    for unit in units {
        let (Item::Scope(Scope { name, system: true, is_type: false, .. }) | Item::ScopeUse { name, system: true, .. }) =
            unit
        else {
            continue;
        };
        if let Some(other) = known.insert(&name.key, name) {
            let d = Diagnostic::error("two-systems", name.span, format!("there are two systems `{}`", name.text));
            let advice = "leave one of them out, or give it another name; a folder is one system";
            diagnostics.push(d.also(other.span, "the other one").advise(advice));
        }
    }
}

fn build(units: &[Item], mut sorts: Sorts, options: &Options, diagnostics: &mut Vec<Diagnostic>) -> Option<Machine> {
    let mut structure = Structure::new(units, &mut sorts);
    structure.look_for_loose_ends();
    structure.with_delays(|c| c.route.within.is_some());
    if options.delay == Delay::Channels {
        let before = structure.delaying().len();
        structure.with_delays(|c| c.delays);
        if structure.delaying().len() == before {
            let span = units.iter().find_map(first_name).map(|n| n.span).unwrap_or_default();
            let text = "`--delay channels` changes nothing: there is no channel without `nodelay`";
            diagnostics.push(Diagnostic::warning("delay", span, text));
        }
    }
    diagnostics.append(&mut structure.diagnostics);
    if structure.processes.is_empty() && !diagnostics.iter().any(Diagnostic::is_error) {
        let span = units.iter().find_map(first_name).map(|n| n.span).unwrap_or_default();
        diagnostics.push(Diagnostic::error("no-process", span, "there is no process in these files"));
    }
    let signals: Vec<Signal> = structure
        .signals
        .iter()
        .map(|s| {
            let all: Vec<Leaf> = s.sorts.iter().flat_map(|sort| leaves(&sorts, *sort)).collect();
            Signal { name: s.name.text.clone(), sorts: s.sorts.clone(), leaves: all }
        })
        .collect();
    let mut processes = lower(&structure, &mut sorts, options, &signals, diagnostics);
    spare(&mut processes, &sorts, &signals, options);
    diagnostics.append(&mut sorts.diagnostics);
    let instances = first_number(&processes, processes.len()) - 1;
    if instances >= ENVIRONMENT {
        let span = units.iter().find_map(first_name).map(|n| n.span).unwrap_or_default();
        let text =
            format!("there may be {instances} instances of all processes: their numbers end with {}", ENVIRONMENT - 1);
        diagnostics.push(Diagnostic::error("instances", span, text));
    }
    let mut from_environment = outside(&structure);
    if !diagnostics.iter().any(Diagnostic::is_error) {
        diagnostics.extend(in_vain(&structure, &processes, &from_environment, options));
    }
    if options.environment == Environment::None {
        from_environment.clear();
    }
    let name = units.iter().find_map(first_name).map_or("system".to_string(), |n| n.text.clone());
    let mut machine = Machine {
        name,
        sorts,
        signals,
        processes,
        from_environment,
        properties: Vec::new(),
        hops: structure.delaying(),
    };
    if !diagnostics.iter().any(Diagnostic::is_error) {
        observe(&mut machine, diagnostics);
        delay(&mut machine, options);
    }
    (!diagnostics.iter().any(Diagnostic::is_error)).then_some(machine)
}

/// What only the environment sends: what another function of the project sends is not its business.
fn outside(structure: &Structure) -> Vec<(usize, usize)> {
    use crate::structure::Reach;
    let sent_by_others = |signal: usize, receiver: usize| {
        // Routes count, not outputs: what a function may send is not for the environment to send.
        (0..structure.processes.len()).filter(|q| !structure.is_observer(*q)).any(|q| {
            structure.signals.iter().map(|s| &s.name.key).any(|name| {
                structure.name_there(q, receiver, name) == structure.signals[signal].name.key
                    && structure.reach(q, name, &[]).contains(&Reach::Process(receiver))
            })
        })
    };
    let several = structure.several_systems();
    let all = structure.inputs_from_outside();
    all.iter().filter(|(s, p, _)| !several || !sent_by_others(*s, *p)).map(|(s, p, _)| (*s, *p)).collect()
}

fn first_name(item: &Item) -> Option<&Name> {
    match item {
        Item::Scope(s) => Some(&s.name),
        Item::Process(p) => Some(&p.name),
        _ => None,
    }
}
