//! Warnings about what is legal and probably not meant.
//!
//! One walk over the syntax tree of a model without errors. The tree holds what inlines and macros expand to, so the
//! same text can be met many times: a warning is given once for each place where something is *written*, and a fact
//! such as "never read" must hold for all copies of it. Constants that come from a macro are treated with care, since
//! what is constant with one value of `N` is not with another.

mod channels;
mod guards;
mod labels;
mod names;
mod printing;
mod spelling;
mod steps;
mod unused;
mod values;
mod walk;

pub use spelling::nearest;

use crate::ast::{self, ExprKind, UnaryOp};
use names::{Field, Type, Var, VarId};
use starwheel_base::{Diagnostic, FileId, SourceMap, Span};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// How many warnings are kept; nobody reads more.
const MAX_WARNINGS: usize = 200;

/// Where something was written, whatever brought it to its place.
type Written = (FileId, u32, u32);

/// What is known so far, and where the walk stands.
struct Lint<'a> {
    map: &'a SourceMap,
    /// The name of the model's own file; what is included may well be a library.
    main: &'a str,
    out: Vec<Diagnostic>,
    said: HashSet<(&'static str, Written)>,

    structures: HashMap<Arc<str>, Vec<Field>>,
    /// The symbolic constants, each with its set.
    symbols: HashMap<Arc<str>, Arc<str>>,
    parameters: HashMap<Arc<str>, Vec<Type>>,
    vars: Vec<Var>,
    globals: HashMap<Arc<str>, VarId>,
    scopes: Vec<HashMap<Arc<str>, VarId>>,

    started: HashSet<Arc<str>>,
    called: HashSet<Arc<str>>,
    remote_vars: Vec<(Arc<str>, Arc<str>)>,
    labels: labels::Labels,
    combinations: channels::Combinations,
    narrow: Vec<channels::Narrow>,

    // Where the walk stands.
    body: Option<Arc<str>>,
    claim: bool,
    /// The variable that is being assigned to: reading it for its own sake is no use of it.
    target: Option<VarId>,
    block: steps::Surroundings,
}

/// Adds warnings (and the errors that concern combinations of features) about a model that has no errors so far.
pub fn program(program: &ast::Program, map: &SourceMap, main: &str, out: &mut Vec<Diagnostic>) {
    let mut lint = Lint {
        map,
        main,
        out: Vec::new(),
        said: HashSet::new(),
        structures: HashMap::new(),
        symbols: HashMap::new(),
        parameters: HashMap::new(),
        vars: Vec::new(),
        globals: HashMap::new(),
        scopes: Vec::new(),
        started: HashSet::new(),
        called: HashSet::new(),
        remote_vars: Vec::new(),
        labels: labels::Labels::default(),
        combinations: channels::Combinations::default(),
        narrow: Vec::new(),
        body: None,
        claim: false,
        target: None,
        block: steps::Surroundings::default(),
    };
    lint.program(program);
    lint.unused(program);
    lint.one_sided_channels();
    lint.narrow_receives();
    lint.misspelt_labels();
    lint.refused_combinations();
    lint.out.sort_by_key(|d| {
        let at = map.outermost(d.span());
        (at.file, at.start)
    });
    out.append(&mut lint.out);
}

impl Lint<'_> {
    /// Reports something, once for each place where it is written.
    fn report(&mut self, d: Diagnostic) {
        if self.said.insert((d.code, written(d.span()))) && (d.is_error() || self.out.len() < MAX_WARNINGS) {
            self.out.push(d);
        }
    }

    /// True if a macro or an argument of an inline brought this here.
    fn is_from_macro(&self, span: Span) -> bool {
        std::iter::successors(self.map.expansion(span.expansion), |e| self.map.expansion(e.call.expansion))
            .any(|e| !e.inline)
    }

    /// True if this stands in the model's own file.
    fn in_main(&self, span: Span) -> bool {
        self.map.files().get(span.file.0 as usize).is_some_and(|f| f.name == self.main)
    }

    /// The value of an expression of numbers.
    fn constant(&self, e: &ast::Expr) -> Option<i64> {
        match &e.kind {
            ExprKind::Number(n) => Some(i64::from(*n as i32)),
            ExprKind::Unary(op, a) => {
                let a = self.constant(a)?;
                Some(match op {
                    UnaryOp::Neg => -a,
                    UnaryOp::BitNot => !a,
                    UnaryOp::Not => i64::from(a == 0),
                    _ => return None,
                })
            }
            ExprKind::Binary(op, a, b) => {
                let (a, b) = (self.constant(a)?, self.constant(b)?);
                op.plain()?.apply(a as i32, b as i32).map(i64::from)
            }
            _ => None,
        }
    }

    /// The value of a constant that is written out where it is used.
    fn literal(&self, e: &ast::Expr) -> Option<i64> {
        let plain = match &e.kind {
            ExprKind::Number(_) => !self.is_from_macro(e.span),
            ExprKind::Unary(_, a) => self.literal(a).is_some(),
            ExprKind::Binary(_, a, b) => self.literal(a).is_some() && self.literal(b).is_some(),
            _ => false,
        };
        if plain { self.constant(e) } else { None }
    }
}

/// Where something was written.
fn written(span: Span) -> Written {
    (span.file, span.start, span.end)
}
