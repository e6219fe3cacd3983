//! Random Promela programs: small state spaces, every construct of the language over the run of seeds.
//!
//! A program is made in three passes: the features, the declarations and the plan of process types, then the bodies.
//! Values are kept small in everything that may loop, so most programs have some hundred states.

mod body;
mod chains;
mod chan;
pub mod claims;
mod decl;
mod expr;
pub mod features;
mod life;
mod rounds;
mod scope;
mod select;
mod special;
mod stmt;
pub mod timed;

use crate::ast::*;
use crate::rng::Rng;
use features::{Feature, Features};
use scope::{ChanVar, Scope, StructVar, Var};
use timed::Style;

/// The random program of a seed.
pub fn program(seed: u64) -> Program {
    let mut rng = Rng::new(seed);
    let features = Features::choose(&mut rng);
    program_with(seed, features)
}

/// The text of a random program of any kind: every third is timed, with shared timers, lazy steps or timers of its own.
pub fn any_text(seed: u64) -> String {
    match seed % 3 {
        0 => timed::program(seed, [Style::Shared, Style::Lazy, Style::Local][(seed / 3 % 3) as usize]),
        _ => crate::print::program(&program(seed)),
    }
}

/// The random program of a seed with given features.
pub fn program_with(seed: u64, features: Features) -> Program {
    Gen::made(seed, features).finish()
}

/// The features that a seed picks by itself.
pub fn features_of(seed: u64) -> Features {
    Features::choose(&mut Rng::new(seed))
}

/// What is known of a process type before its body is made.
#[derive(Clone, Debug)]
struct Plan {
    name: String,
    start: Start,
    deterministic: bool,
    params: Vec<VarDecl>,
    /// For each parameter that is a channel: what it carries.
    param_chans: Vec<Option<ChanVar>>,
    /// A label that the body will surely have, for remote references.
    remote_label: Option<String>,
    /// A local variable that the body will surely have, for remote references.
    remote_var: Option<String>,
    life: life::Life,
}

/// An inline: its parameters are written (variables) or read (expressions).
#[derive(Clone, Debug)]
struct InlineSig {
    name: String,
    written: Vec<bool>,
}

/// The state of the generator.
struct Gen {
    rng: Rng,
    on: Features,
    items: Vec<Item>,
    /// What every process sees.
    globals: Scope,
    mtypes: Vec<(Option<String>, Vec<String>)>,
    typedefs: Vec<(String, Vec<VarDecl>)>,
    plans: Vec<Plan>,
    inlines: Vec<InlineSig>,
    value_macros: Vec<(String, usize)>,
    stmt_macros: Vec<String>,
    /// The carrier of channels: its index among the global channels, and what it carries.
    carrier: Option<(ChanVar, ChanVar)>,
    /// The atomic chain that the program is about.
    chain: Option<chains::Chain>,
    /// The loops that the program is about.
    rounds: Option<rounds::Rounds>,
    /// Labels of the current body that still need a place, and those a `goto` may name.
    unplaced: Vec<String>,
    targets: Vec<String>,
    /// Statements left for the current body.
    budget: i32,
    /// A process claims a channel for itself already.
    claimed: bool,
    /// A declaration in this body hides a global: options share a scope, so a second one could be refused.
    shadowed: bool,
    /// For fresh local names.
    fresh: u32,
}

impl Gen {
    fn new(rng: Rng, on: Features) -> Self {
        Self {
            rng,
            on,
            items: Vec::new(),
            globals: Scope::default(),
            mtypes: Vec::new(),
            typedefs: Vec::new(),
            plans: Vec::new(),
            inlines: Vec::new(),
            value_macros: Vec::new(),
            stmt_macros: Vec::new(),
            carrier: None,
            chain: None,
            rounds: None,
            unplaced: Vec::new(),
            targets: Vec::new(),
            budget: 0,
            claimed: false,
            shadowed: false,
            fresh: 0,
        }
    }

    /// The generator of a seed after all declarations and bodies were made.
    fn made(seed: u64, on: Features) -> Self {
        let mut generator = Gen::new(Rng::new(seed ^ 0x5EED), on);
        generator.declare();
        generator.plan();
        generator.bodies();
        generator
    }

    fn has(&self, feature: Feature) -> bool {
        self.on.has(feature)
    }

    /// With a feature: true in `percent` of 100 calls.
    fn maybe(&mut self, feature: Feature, percent: u32) -> bool {
        self.has(feature) && self.rng.chance(percent)
    }

    fn fresh_name(&mut self, prefix: &str) -> String {
        self.fresh += 1;
        format!("{prefix}{}", self.fresh)
    }

    fn finish(mut self) -> Program {
        if self.has(Feature::Trace) {
            self.trace_item();
        }
        if self.has(Feature::Claim) {
            self.claim_item();
        }
        Program { items: self.items, bare_lines: self.on.has(Feature::BareLines) }
    }

    /// Makes a declared variable visible: its scalars, channels and the structure as a whole.
    fn enter(&self, scope: &mut Scope, decl: &VarDecl, readable: bool) {
        let seg = scope::Seg { name: decl.name.clone(), len: decl.len };
        self.enter_path(scope, vec![seg], decl, readable);
        if let (Ty::Struct(ty), None) = (&decl.ty, decl.len) {
            scope.structs.push(StructVar { place: Place::name(&decl.name), ty: ty.clone() });
        }
    }

    fn enter_path(&self, scope: &mut Scope, path: Vec<scope::Seg>, decl: &VarDecl, readable: bool) {
        match (&decl.ty, &decl.init) {
            (Ty::Struct(name), _) => {
                let fields = self.typedefs.iter().find(|(n, _)| n == name).map(|(_, f)| f.clone()).unwrap_or_default();
                for field in &fields {
                    let mut longer = path.clone();
                    longer.push(scope::Seg { name: field.name.clone(), len: field.len });
                    self.enter_path(scope, longer, field, readable);
                }
            }
            (Ty::Chan, Some(Init::Chan(capacity, fields))) => {
                scope.chans.push(ChanVar { path, fields: fields.clone(), capacity: *capacity });
            }
            (Ty::Chan, _) => {}
            (ty, _) => scope.vars.push(Var { path, ty: ty.clone(), readable, writable: true, indexable: true }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_always_gives_the_same_program() {
        for seed in 0..200 {
            assert_eq!(crate::print::program(&program(seed)), crate::print::program(&program(seed)));
        }
    }
}
