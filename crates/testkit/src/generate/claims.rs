//! Questions about infinite runs for a random program: formulas, never claims, accept labels, progress labels.
//!
//! A program gets questions of one kind only: SPIN counts the accept labels of processes in every search for cycles, also
//! when it looks for runs that break a formula.

use super::Gen;
use super::features::{Feature, Features};
use super::scope::{ChanVar, Scope, Var};
use crate::ast::*;
use crate::rng::Rng;
use crate::visit;

/// What is asked about a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Question {
    /// `ltl` blocks.
    Formulas,
    /// Never claims.
    Claims,
    /// Accept labels in processes.
    Acceptance,
    /// Progress labels in processes.
    Progress,
}

/// The names of the claims of a program.
const CLAIMS: [&str; 3] = ["never c0", "never c1", "never c2"];

/// The random program of a seed with questions about its infinite runs. The number of processes plays no part in it: SPIN
/// counts the claim among them, also for the processes of the system.
pub fn program(seed: u64, features: Features) -> Program {
    let mut rng = Rng::new(seed ^ 0xA11);
    let all = [Question::Formulas, Question::Claims, Question::Acceptance, Question::Progress];
    let question = all[rng.weighted(&[6, 3, 2, 2])];
    let mut generator = Gen::made(seed, features);
    generator.rng = rng;
    generator.unmark();
    match question {
        Question::Formulas => generator.formulas(),
        Question::Claims => generator.claims(),
        Question::Acceptance => generator.mark("accept"),
        Question::Progress => generator.mark("progress"),
    }
    let mut program = generator.finish();
    visit::every_expr(&mut program, &mut |e| {
        if matches!(e, Expr::Word(word) if word == "_nr_pr") {
            *e = Expr::Num(1);
        }
    });
    program
}

/// The random program of a seed as it is, with one formula beside whatever it asks by itself.
pub fn with_formula(seed: u64, features: Features) -> Program {
    let mut generator = Gen::made(seed, features);
    generator.rng = Rng::new(seed ^ 0xF0_12);
    let depth = generator.rng.range(1, 2);
    let formula = match generator.rng.below(3) {
        0 => Expr::Unary("[]", Box::new(generator.proposition())),
        _ => generator.formula(depth),
    };
    generator.items.push(Item::Ltl("q0".into(), formula));
    generator.finish()
}

/// The random program of a seed with questions: mostly as it is with one formula, now and then with many questions about its
/// infinite runs alone. SPIN is not asked, so most programs with a hidden variable read it. The features that the seed picks
/// may be changed.
pub fn questioned(seed: u64, changed: impl Fn(Features) -> Features) -> Program {
    let reading = |mut features: Features| {
        if features.has(Feature::Hidden) && !seed.is_multiple_of(5) {
            features.set(Feature::HiddenRead, true);
            features.set(Feature::DStep, true);
        }
        changed(features)
    };
    match seed % 4 {
        3 => program(seed, reading(features_of(seed))),
        _ => with_formula(seed, reading(super::features_of(seed))),
    }
}

/// The features that a seed picks for a program whose infinite runs matter. Left out is what stops SPIN's verifier at
/// something else than the property, and what has claims of its own.
pub fn features_of(seed: u64) -> Features {
    let mut features = super::features_of(seed);
    use Feature::*;
    for feature in [Assert, Trace, Claim, DProctype, BlockInDStep] {
        features.set(feature, false);
    }
    // Only the number of processes ends it.
    features.set(RunLoop, false);
    // The option that mends SPIN's states with priorities cannot be combined with a search for cycles.
    features.set(Priority, false);
    features
}

impl Gen {
    fn formulas(&mut self) {
        for index in 0..self.rng.range(2, 5) {
            let depth = self.rng.range(1, 2);
            let inner = self.formula(depth);
            // Deeper ones take SPIN minutes to translate.
            let formula = match self.rng.below(6) {
                0 => Expr::Unary("[]", Box::new(inner)),
                1 => Expr::Unary("<>", Box::new(inner)),
                _ => inner,
            };
            self.items.push(Item::Ltl(format!("q{index}"), formula));
        }
    }

    /// A formula without "next", which not every SPIN understands.
    fn formula(&mut self, depth: u32) -> Expr {
        if depth == 0 {
            return self.proposition();
        }
        let part = Box::new(self.formula(depth - 1));
        let two = match self.rng.below(15) {
            0..=2 => return Expr::Unary("[]", part),
            3..=5 => return Expr::Unary("<>", part),
            6 => return Expr::Unary("!", part),
            7 | 8 => "U",
            9 => "W",
            10 => "V",
            11 => "&&",
            12 => "||",
            13 => "->",
            _ => "<->",
        };
        Expr::Binary(two, part, Box::new(self.formula(depth - 1)))
    }

    /// Something that a claim can see in a state: globals, channels, where a process is.
    fn proposition(&mut self) -> Expr {
        let scope = self.globals.clone();
        let seen = |v: &&Var| v.readable && v.numeric() && v.path.len() == 1;
        let vars: Vec<&Var> = scope.vars.iter().filter(seen).collect();
        let chans: Vec<&ChanVar> = scope.chans.iter().filter(|c| c.capacity > 0 && c.path.len() == 1).collect();
        if self.rng.chance(50)
            && let Some(watched) = self.watched_proposition()
        {
            return watched;
        }
        if self.rng.chance(50)
            && let Some(late) = self.late_proposition()
        {
            return late;
        }
        let op = *self.rng.pick(&["==", "!=", "<", ">"]).unwrap_or(&"==");
        let limit = Expr::Num(self.rng.below(3).into());
        match self.rng.below(10) {
            0 | 1 if !chans.is_empty() => {
                let chan = (*chans[self.rng.below(chans.len() as u32) as usize]).clone();
                Expr::binary(op, Expr::Chan("len", self.claim_place(&scope, &chan.path)), limit)
            }
            2 => match self.plans.first().and_then(|p| p.remote_label.clone().map(|l| (p.name.clone(), l))) {
                Some((name, label)) => Expr::RemoteLabel(name, Some(Box::new(Expr::Num(0))), label),
                None => Expr::word("true"),
            },
            _ => match self.rng.pick(&vars).map(|v| v.path.clone()) {
                Some(path) => Expr::binary(op, Expr::Var(self.claim_place(&scope, &path)), limit),
                None => Expr::word("true"),
            },
        }
    }

    /// A place whose index, if it needs one, is a constant: a claim has no `_pid`.
    fn claim_place(&mut self, scope: &Scope, path: &[super::scope::Seg]) -> Place {
        let index = path[0].len.map(|len| Box::new(Expr::Num(self.rng.below(len).into())));
        Place { index, ..self.place(scope, path) }
    }

    fn claims(&mut self) {
        let count = self.rng.range(2, 3) as usize;
        for name in &CLAIMS[..count] {
            let body = self.claim_body();
            self.items.push(Item::Automaton(name, body));
        }
        if self.rng.chance(25) {
            self.mark("accept");
        }
    }

    /// A random automaton: each state is a labelled selection whose options jump to others, or leave the claim.
    fn claim_body(&mut self) -> Seq {
        let count = self.rng.range(1, 4) as usize;
        let names: Vec<String> =
            (0..count).map(|i| if self.rng.chance(40) { format!("accept_{i}") } else { format!("T{i}") }).collect();
        let mut body = Vec::new();
        for (index, name) in names.iter().enumerate() {
            let last = index + 1 == count;
            let options = (0..self.rng.range(1, 3)).map(|i| self.claim_option(&names, last, i > 0)).collect();
            let kind = if last { Kind::Do(options) } else { Kind::If(options) };
            body.push(Stmt { labels: vec![name.clone()], ..Stmt::new(kind) });
        }
        body
    }

    fn claim_option(&mut self, names: &[String], last: bool, other: bool) -> Seq {
        let guard = match self.rng.below(10) {
            0 | 1 => Kind::Guard(Expr::word("true")),
            2 if other => Kind::Else,
            3 => Kind::Assert(self.formula_of_state()),
            _ => Kind::Guard(self.formula_of_state()),
        };
        let target = match self.rng.below(20) {
            0 if last => Kind::Break,
            1..=3 if last => return vec![Stmt::new(guard)],
            _ => Kind::Goto(self.rng.pick(names).cloned().unwrap_or_default()),
        };
        vec![Stmt { arrow: true, ..Stmt::new(guard) }, Stmt::new(target)]
    }

    fn formula_of_state(&mut self) -> Expr {
        let p = self.proposition();
        match self.rng.below(4) {
            0 => Expr::Unary("!", Box::new(p.paren())),
            1 => Expr::binary("&&", p, self.proposition()),
            _ => p,
        }
    }

    /// Takes accept and progress labels away: they are placed by what is asked.
    fn unmark(&mut self) {
        for item in &mut self.items {
            if let Item::Proc(proc) = item {
                let special = |l: &String| l.starts_with("accept") || l.starts_with("progress");
                mark_seq(&mut proc.body, true, &mut |labels: &mut Vec<String>| labels.retain(|l| !special(l)));
            }
        }
    }

    /// Gives some statements of the processes a label of this kind.
    fn mark(&mut self, word: &str) {
        let percent = *self.rng.pick(&[5, 15, 30]).unwrap_or(&15);
        let mut items = std::mem::take(&mut self.items);
        let mut count = 0;
        for item in &mut items {
            if let Item::Proc(proc) = item {
                mark_seq(&mut proc.body, true, &mut |labels: &mut Vec<String>| {
                    if self.rng.chance(percent) {
                        labels.push(format!("{word}_{count}"));
                        count += 1;
                    }
                });
            }
        }
        self.items = items;
    }
}

/// Shows the labels of all statements that may have one. SPIN wants none at the start of an option.
fn mark_seq(seq: &mut Seq, mut first: bool, mark: &mut impl FnMut(&mut Vec<String>)) {
    for stmt in seq {
        if first && !matches!(stmt.kind, Kind::Decl(_) | Kind::Exclusive(..) | Kind::Else) {
            mark(&mut stmt.labels);
        }
        let inside = first && !matches!(stmt.kind, Kind::If(_) | Kind::Do(_));
        // A d_step is one step: nobody sees where it is inside.
        if !matches!(stmt.kind, Kind::DStep(_)) {
            visit::seqs_mut(&mut stmt.kind).into_iter().for_each(|inner| mark_seq(inner, inside, mark));
        }
        first = true;
    }
}

#[cfg(test)]
mod tests {
    use crate::print;

    #[test]
    fn every_kind_of_question_is_asked() {
        let texts: Vec<String> = (0..200).map(|s| print::program(&super::program(s, super::features_of(s)))).collect();
        for word in ["ltl q0", "never c0", "accept_0:", "progress_0:", " U (", "<> ("] {
            let count = texts.iter().filter(|t| t.contains(word)).count();
            assert!(count > 10, "only {count} programs have `{word}`");
        }
    }
}
