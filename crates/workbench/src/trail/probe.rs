//! Expressions that are typed while a run goes on: read as part of the model, and evaluated in its current state.

use crate::ask::plan::Reading;
use crate::open::Opened;
use crate::problem::{Code, Failure, Problem};
use crate::trail::record::Recorder;
use starwheel_model::{Formula, PropertyKind};

/// An expression that has been read.
pub struct Probe {
    formula: Formula,
}

impl Probe {
    /// Reads an expression as the model would: globals, `P[1]:x` for locals, `P[1]@label`, questions about channels.
    pub fn new(opened: &Opened, text: &str) -> Result<Probe, Failure> {
        let known = opened.model.properties.len();
        let reading = Reading { ltl: vec![format!("[] ({text})")], own: false, ..opened.reading.clone() };
        let unread = || Problem::error(Code::BadExpression, format!("`{text}` cannot be read here"));
        let again = opened.reread(&reading).map_err(in_words)?;
        // A label that nobody asked for before may have become a state of its own: then nothing fits any more.
        let same = |(a, b): (&starwheel_model::Proctype, &starwheel_model::Proctype)| a.locs.len() == b.locs.len();
        let fits = opened.model.proctypes.iter().zip(&again.model.proctypes).all(same);
        let added = again.model.properties.iter().skip(known).find_map(|p| match &p.kind {
            PropertyKind::Ltl(Formula::Always(inner)) => Some((**inner).clone()),
            _ => None,
        });
        match added.filter(|_| fits) {
            Some(formula) => Ok(Probe { formula }),
            None => Err(unread().advise("name a label in the model itself to ask for it here").into()),
        }
    }

    /// Its value in the current state; an error says why it has none.
    pub fn value(&self, recorder: &mut Recorder<'_>) -> Result<i32, String> {
        value(&self.formula, recorder)
    }
}

/// What is wrong with an expression, without a picture of the formula that we made of it.
fn in_words(failure: Failure) -> Failure {
    let errors = failure.problems.into_iter().filter(Problem::is_error);
    let word = |p: Problem| p.advice.into_iter().fold(Problem::error(p.code, p.message), Problem::advise);
    Failure { problems: errors.map(word).collect() }
}

fn value(formula: &Formula, recorder: &mut Recorder<'_>) -> Result<i32, String> {
    let mut truth = |f: &Formula| value(f, recorder).map(|v| v != 0);
    Ok(i32::from(match formula {
        Formula::Prop(e, _) => return recorder.evaluate_outside(e),
        Formula::Not(a) => !truth(a)?,
        Formula::And(a, b) => truth(a)? && truth(b)?,
        Formula::Or(a, b) => truth(a)? || truth(b)?,
        Formula::Implies(a, b) => !truth(a)? || truth(b)?,
        Formula::Equivalent(a, b) => truth(a)? == truth(b)?,
        _ => return Err("it speaks of more than one state".to_string()),
    }))
}
