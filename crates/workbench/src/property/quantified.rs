//! Formulas for all processes of a type: `forall i in P: [] (P[i]@try -> <> P[i]@critical)`.
//!
//! Such a formula stands for one formula for each process of the type, in which its name is the number of that process. All of
//! them must have been started before any of them moves, so that it is known which they are.

use crate::ask::plan::Reading;
use crate::open::Opened;
use crate::problem::{Code, Failure, Problem};
use starwheel_base::Diagnostic;
use starwheel_symmetry::processes;

/// The parts of `forall i in P: formula`.
struct Quantified<'t> {
    variable: &'t str,
    proctype: &'t str,
    body: &'t str,
}

fn parts(text: &str) -> Option<Quantified<'_>> {
    let rest = text.trim_start().strip_prefix("forall")?;
    let (head, body) = rest.split_once(':')?;
    match head.split_whitespace().collect::<Vec<_>>()[..] {
        [variable, "in", proctype] if rest.starts_with(char::is_whitespace) => {
            Some(Quantified { variable, proctype, body })
        }
        _ => None,
    }
}

/// True if a formula of a command line speaks of all processes of a type.
pub fn quantifies(text: &str) -> bool {
    text.trim_start().strip_prefix("forall").is_some_and(|rest| rest.starts_with(char::is_whitespace))
}

/// How a model is to be read instead, in which each such formula is one for each process.
pub fn expanded(opened: &Opened, reading: &Reading) -> Result<Reading, Failure> {
    let mut ltl = Vec::new();
    for text in &reading.ltl {
        match quantifies(text) {
            true => ltl.extend(instances(opened, text)?),
            false => ltl.push(text.clone()),
        }
    }
    Ok(Reading { ltl, ..reading.clone() })
}

fn instances(opened: &Opened, text: &str) -> Result<Vec<String>, Failure> {
    let wrong = |message: String, advice: &str| Failure::from(Problem::error(Code::Formula, message).advise(advice));
    let Some(Quantified { variable, proctype, body }) = parts(text) else {
        return Err(wrong(format!("`{text}` is not understood"), "write `forall i in P: formula`"));
    };
    let all = processes(&opened.model, &opened.reading.until).map_err(|obstacle| {
        let message = format!("it is not known which processes `{proctype}` has: {}", obstacle.message);
        let diagnostic = Diagnostic::error("formula", obstacle.span, message);
        Problem::of(&opened.map, &obstacle.advice.iter().fold(diagnostic, |d, a| d.advise(a.clone())))
    })?;
    let of_type = |(_, id): &(usize, &starwheel_model::ProctypeId)| *opened.model.proctype(**id).name == *proctype;
    let numbers: Vec<usize> = all.iter().enumerate().filter(of_type).map(|(number, _)| number).collect();
    if numbers.is_empty() {
        return Err(wrong(format!("there is no process of a type `{proctype}`"), "name a proctype that is started"));
    }
    Ok(numbers.into_iter().map(|number| replaced(body, variable, &number.to_string())).collect())
}

/// A text with a variable replaced by a number. What stands behind a dot, an `@` or the colon of a remote reference is a name
/// of something else.
fn replaced(text: &str, variable: &str, number: &str) -> String {
    let word = |c: char| c.is_alphanumeric() || c == '_';
    let mut out = String::new();
    let mut rest = text;
    while let Some(start) = rest.find(word) {
        let (before, from) = rest.split_at(start);
        let end = from.find(|c: char| !word(c)).unwrap_or(from.len());
        out.push_str(before);
        let free = !out.ends_with(['.', '@']) && !out.ends_with("]:");
        out.push_str(if free && &from[..end] == variable { number } else { &from[..end] });
        rest = &from[end..];
    }
    out + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_variable_becomes_a_number_where_it_is_one() {
        let of = |text| replaced(parts(text).expect("a quantified formula").body, "i", "2");
        assert_eq!(of("forall i in P: [] (P[i]@i -> <> P[i]:i == i)"), " [] (P[2]@i -> <> P[2]:i == 2)");
        assert_eq!(of("forall i in P: s.i == ii && a[i].i"), " s.i == ii && a[2].i");
        assert!(quantifies(" forall i in P: x") && !quantifies("forallx") && parts("forall i: x").is_none());
    }
}
