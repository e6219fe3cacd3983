//! The parts of a formula without temporal operators, each taken as one proposition where it may have no value.
//!
//! A condition such as `i > 0 -> a[i - 1] == 0` has a value in every state only because its right side is not looked at
//! where the left side is false. Whoever takes it apart has to look at `a[i - 1]` alone, where there may be no such
//! element. So the largest parts without temporal operators are what has a value or not: they are evaluated from left to
//! right, as far as their value depends on it, and a negation in front of one negates it as a whole. (SPIN writes the same
//! parts as they are into the guards of its claims.)
//!
//! Parts whose conditions have a value in every state may be taken apart all the same. That makes no difference to what the
//! formula means, but it shows what parts have to do with each other: `[](p && q) -> []p` is a tautology over `p` and `q`,
//! and not over two propositions nobody knows anything about.

use std::collections::HashMap;

use super::{Binary, Formula, Unary};
use crate::words::Prop;

/// Which parts are taken apart, of those that can be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Grain {
    /// All: propositions are as small as possible.
    Fine,
    /// Those that have conditions in common with other parts, or the same one twice. Whatever else a part is made of,
    /// nothing but its truth matters to the rest of the formula.
    Shared,
    /// None.
    Whole,
}

/// A formula over propositions that stand for parts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parts {
    /// The formula.
    pub formula: Formula,
    /// By number, what each proposition stands for: a formula without temporal operators over the old propositions.
    pub parts: Vec<Formula>,
}

impl Formula {
    /// The formula over parts. `risky` says which propositions may have no value in some states; parts with one of them are
    /// never taken apart. New propositions are numbered in the order of the text.
    pub fn parts(&self, grain: Grain, risky: impl Fn(Prop) -> bool) -> Parts {
        let mut finder = Finder::default();
        let formula = match finder.walk(self) {
            Found::Part(part) => finder.number(part),
            Found::Formula(formula) => formula,
        };
        let mut builder = Builder::default();
        let apart = finder.apart(grain, risky);
        let mut news: Vec<Option<Formula>> = vec![None; finder.parts.len()];
        // Parts were found inside out; guards are to be asked in the order of the text.
        each(&formula, &mut |prop| {
            let number = prop.0 as usize;
            if news[number].is_none() {
                news[number] = Some(builder.adopt(&finder.parts[number], apart[number]));
            }
        });
        let new = |prop: Prop| news[prop.0 as usize].clone().unwrap_or(Formula::Prop(prop));
        Parts { formula: substitute(&formula, &new), parts: builder.parts }
    }
}

/// What a part of a formula has turned out to be.
enum Found {
    /// It has no temporal operator; over the old propositions.
    Part(Formula),
    /// It has one; over the numbers of parts.
    Formula(Formula),
}

/// Finds the largest parts; those that are equal, or each other's negation, are one.
#[derive(Default)]
struct Finder {
    parts: Vec<Formula>,
    numbers: HashMap<Formula, u32>,
}

impl Finder {
    fn walk(&mut self, formula: &Formula) -> Found {
        match formula {
            Formula::Constant(_) | Formula::Prop(_) => Found::Part(formula.clone()),
            Formula::Unary(op, inner) => match (op, self.walk(inner)) {
                (Unary::Not, Found::Part(part)) => Found::Part(part.negated()),
                (op, found) => Found::Formula(Formula::unary(*op, self.settle(found))),
            },
            Formula::Binary(op, left, right) => {
                let logic = matches!(op, Binary::And | Binary::Or | Binary::Implies | Binary::Equiv);
                match (self.walk(left), self.walk(right)) {
                    (Found::Part(left), Found::Part(right)) if logic => Found::Part(Formula::binary(*op, left, right)),
                    (left, right) => {
                        let left = self.settle(left);
                        Found::Formula(Formula::binary(*op, left, self.settle(right)))
                    }
                }
            }
        }
    }

    fn settle(&mut self, found: Found) -> Formula {
        match found {
            Found::Part(part) => self.number(part),
            Found::Formula(formula) => formula,
        }
    }

    fn number(&mut self, part: Formula) -> Formula {
        match part {
            Formula::Constant(_) => part,
            Formula::Unary(Unary::Not, inner) => self.number((*inner).clone()).negated(),
            part => {
                let number = *self.numbers.entry(part.clone()).or_insert_with(|| {
                    self.parts.push(part);
                    self.parts.len() as u32 - 1
                });
                Formula::Prop(Prop(number))
            }
        }
    }

    /// Which parts are taken apart.
    fn apart(&self, grain: Grain, risky: impl Fn(Prop) -> bool) -> Vec<bool> {
        let mut uses: HashMap<Prop, u32> = HashMap::new();
        self.parts.iter().for_each(|part| each(part, &mut |prop| *uses.entry(prop).or_default() += 1));
        let apart = |part: &Formula| {
            let (mut safe, mut shared) = (true, false);
            each(part, &mut |prop| {
                safe &= !risky(prop);
                shared |= uses[&prop] > 1;
            });
            safe && (grain == Grain::Fine || grain == Grain::Shared && shared)
        };
        self.parts.iter().map(apart).collect()
    }
}

/// Gives numbers to the propositions of the new formula.
#[derive(Default)]
struct Builder {
    parts: Vec<Formula>,
    numbers: HashMap<Formula, Prop>,
}

impl Builder {
    /// What stands for a part.
    fn adopt(&mut self, part: &Formula, apart: bool) -> Formula {
        if apart {
            // In the order of the text, which is that of the conditions' guards.
            each(part, &mut |prop| {
                self.number(Formula::Prop(prop));
            });
            let numbers = &self.numbers;
            return substitute(part, &|prop| Formula::Prop(numbers[&Formula::Prop(prop)]));
        }
        Formula::Prop(self.number(part.clone()))
    }

    fn number(&mut self, part: Formula) -> Prop {
        *self.numbers.entry(part.clone()).or_insert_with(|| {
            self.parts.push(part);
            Prop(self.parts.len() as u32 - 1)
        })
    }
}

/// Calls `f` for each proposition that occurs, as often as it does.
fn each(formula: &Formula, f: &mut impl FnMut(Prop)) {
    formula.visit(&mut |formula| {
        if let Formula::Prop(prop) = formula {
            f(*prop);
        }
    });
}

fn substitute(formula: &Formula, by: &impl Fn(Prop) -> Formula) -> Formula {
    match formula {
        Formula::Constant(_) => formula.clone(),
        Formula::Prop(prop) => by(*prop),
        Formula::Unary(op, inner) => Formula::unary(*op, substitute(inner, by)),
        Formula::Binary(op, left, right) => Formula::binary(*op, substitute(left, by), substitute(right, by)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ltl::parse;
    use crate::names::Names;
    use crate::random::{Rng, formula, lasso};
    use crate::words::holds;

    /// The formula over parts, and the parts, as text; names that begin with `r` are risky.
    fn shown(text: &str, grain: Grain) -> String {
        let mut names = Names::new();
        let formula = parse(text, &mut names).unwrap();
        let parts = formula.parts(grain, |prop| names.name(prop).starts_with('r'));
        let list: Vec<_> = parts.parts.iter().map(|part| part.show(&names).to_string()).collect();
        format!("{} | {}", parts.formula.show(&Names::new()), list.join(", "))
    }

    #[test]
    fn parts_are_as_large_as_they_can_be() {
        let cases = [
            (Grain::Whole, "[](p -> r)", "[]p0 | p -> r"),
            (Grain::Whole, "[](p -> r && <>q)", "[](p0 -> (p1 && <>p2)) | p, r, q"),
            (Grain::Whole, "[]!(p && q) -> <>(p && q)", "[]!p0 -> <>p0 | p && q"),
            (Grain::Whole, "!p U (!!p || false)", "!p0 U p1 | p, ! !p || false"),
            (Grain::Whole, "true U p", "true U p0 | p"),
            (Grain::Fine, "[](p -> r) && <>(p && q)", "[]p0 && <>(p1 && p2) | p -> r, p, q"),
            (Grain::Fine, "p <-> !q", "p0 <-> !p1 | p, q"),
            (Grain::Shared, "[](p || q) -> []!(a && b)", "[]p0 -> []!p1 | p || q, a && b"),
            (Grain::Shared, "[](p || q) -> []p", "[](p0 || p1) -> []p0 | p, q"),
            (Grain::Shared, "[](p || q) -> []!(p || q)", "[]p0 -> []!p0 | p || q"),
            (Grain::Shared, "[](p -> p)", "[](p0 -> p0) | p"),
            (Grain::Shared, "[](p -> r) U p", "[]p0 U p1 | p -> r, p"),
        ];
        for (grain, text, expected) in cases {
            assert_eq!(shown(text, grain), expected, "{text}");
        }
    }

    /// Put in the place of the propositions, the parts give a formula that holds on the same words.
    #[test]
    fn parts_mean_the_same() {
        let mut rng = Rng::new(23);
        for _ in 0..1000 {
            let formula = formula(&mut rng, 14, 4);
            for grain in [Grain::Fine, Grain::Shared, Grain::Whole] {
                let Parts { formula: over, parts } = formula.parts(grain, |prop| prop.0 == 3);
                let again = substitute(&over, &|prop| parts[prop.0 as usize].clone());
                for _ in 0..5 {
                    let word = lasso(&mut rng, 3, 3, 4);
                    assert_eq!(holds(&formula, &word), holds(&again, &word), "{formula:?} {grain:?} {word:?}");
                }
            }
        }
    }
}
