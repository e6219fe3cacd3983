//! Formulas over a user's propositions, as automata of the runs that break them.

use crate::checker::Refused;
use crate::ground::Ground;
use crate::model::Model;
use crate::property::Kind;
use starwheel_automata::{Buchi, Names, ltl, translate};

/// A formula to be checked.
pub struct Formula {
    pub name: String,
    /// Accepts the runs that break it.
    pub automaton: Buchi,
    /// By proposition of the automaton: the property that it is.
    pub letters: Vec<usize>,
}

/// The model's own formulas, if they are wanted, and others.
pub fn formulas<M: Model>(ground: &Ground<'_, M>, others: &[String], own: bool) -> Result<Vec<Formula>, Refused> {
    let named = ground.properties.iter().filter(|_| own).filter_map(|p| match &p.kind {
        Kind::Formula(text) => Some((p.name.as_str(), text.as_str())),
        _ => None,
    });
    let all = named.chain(others.iter().map(|text| (text.as_str(), text.as_str())));
    all.map(|(name, text)| formula(ground, name, text)).collect()
}

fn formula<M: Model>(ground: &Ground<'_, M>, name: &str, text: &str) -> Result<Formula, Refused> {
    let mut names = Names::new();
    let formula = ltl::parse(text, &mut names).map_err(|e| Refused::new(format!("the formula `{text}`: {e}")))?;
    let of_states = |name: &str| {
        let named = |p: &crate::Property<M>| p.name == name && !matches!(p.kind, Kind::Formula(_));
        ground.properties.iter().position(named).ok_or_else(|| unknown(ground, text, name))
    };
    let letters = names.iter().map(of_states).collect::<Result<Vec<_>, _>>()?;
    let automaton = translate(&formula.negated()).map_err(|e| Refused::new(format!("the formula `{text}`: {e}")))?;
    Ok(Formula { name: name.to_string(), automaton, letters })
}

/// Names the propositions that there are.
fn unknown<M: Model>(ground: &Ground<'_, M>, text: &str, name: &str) -> Refused {
    let known = ground.properties.iter().filter(|p| !matches!(p.kind, Kind::Formula(_))).map(|p| p.name.as_str());
    let known: Vec<&str> = known.collect();
    let known = if known.is_empty() { "none".to_string() } else { known.join(", ") };
    Refused::new(format!(
        "the formula `{text}` names `{name}`, which is no proposition of the model; there are: {known}"
    ))
}
