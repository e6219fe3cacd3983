//! Formulas of linear temporal logic over numbered propositions.

mod implies;
mod nnf;
mod parse;
mod parts;
pub(crate) mod pool;
mod print;
mod simplify;

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::words::Prop;
use starwheel_base::cancel::Token;

pub use parse::{ParseError, parse};
pub use parts::{Grain, Parts};
pub use print::{Shown, show_name};

/// A formula; parts may be shared.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Formula {
    /// True or false.
    Constant(bool),
    /// A proposition.
    Prop(Prop),
    /// An operator with one operand.
    Unary(Unary, Arc<Formula>),
    /// An operator with two operands.
    Binary(Binary, Arc<Formula>, Arc<Formula>),
}

/// Operators with one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Unary {
    /// `!`
    Not,
    /// `X`: at the next position.
    Next,
    /// `[]`: at all positions from here on.
    Always,
    /// `<>`: at some position from here on.
    Eventually,
}

/// Operators with two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Binary {
    /// `&&`
    And,
    /// `||`
    Or,
    /// `->`
    Implies,
    /// `<->`
    Equiv,
    /// `U`: the right side holds some time, and until then the left side.
    Until,
    /// `W`: like `U`, but the right side need not come if the left side holds for ever.
    WeakUntil,
    /// `V` or `R`: the right side holds up to and including the first position of the left side, if there is one.
    Release,
    /// `M`: like `V`, and the left side does come.
    StrongRelease,
}

impl Formula {
    /// The constant true.
    pub const TRUE: Formula = Formula::Constant(true);
    /// The constant false.
    pub const FALSE: Formula = Formula::Constant(false);

    /// `op self`
    pub fn unary(op: Unary, inner: Formula) -> Formula {
        Formula::Unary(op, Arc::new(inner))
    }

    /// `left op right`
    pub fn binary(op: Binary, left: Formula, right: Formula) -> Formula {
        Formula::Binary(op, Arc::new(left), Arc::new(right))
    }

    /// `!self`, without any simplification.
    pub fn negated(&self) -> Formula {
        Formula::unary(Unary::Not, self.clone())
    }

    /// An equivalent formula, never longer in temporal operators as a rule, in negation normal form.
    pub fn simplified(&self) -> Formula {
        self.simplified_within(&Token::NEVER)
    }

    /// As [`Formula::simplified`]; once the token says stop, what is left stays as it is.
    pub fn simplified_within(&self, token: &Token) -> Formula {
        let mut pool = pool::Pool::new(token.watch());
        let id = pool.insert(self);
        pool.extract(id)
    }

    /// The propositions that occur.
    pub fn props(&self) -> BTreeSet<Prop> {
        let mut found = BTreeSet::new();
        self.visit(&mut |formula| {
            if let Formula::Prop(prop) = formula {
                found.insert(*prop);
            }
        });
        found
    }

    /// The number of operators, propositions and constants.
    pub fn size(&self) -> usize {
        let mut count = 0;
        self.visit(&mut |_| count += 1);
        count
    }

    /// True if `X` occurs.
    pub fn has_next(&self) -> bool {
        let mut found = false;
        self.visit(&mut |formula| found |= matches!(formula, Formula::Unary(Unary::Next, _)));
        found
    }

    fn visit(&self, seen: &mut impl FnMut(&Formula)) {
        seen(self);
        match self {
            Formula::Constant(_) | Formula::Prop(_) => {}
            Formula::Unary(_, inner) => inner.visit(seen),
            Formula::Binary(_, left, right) => {
                left.visit(seen);
                right.visit(seen);
            }
        }
    }
}
