//! What can go wrong while an expression is evaluated or a statement executed, in words for people.

use crate::place::Place;

/// A step has no meaning; the text says why. Boxed where it travels, so that good results stay small.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Fault(pub String);

/// The result of an evaluation.
pub(super) type Eval<T> = Result<T, Box<Fault>>;

/// A fault with this text.
pub(super) fn fault<T>(text: impl Into<String>) -> Eval<T> {
    Err(Box::new(Fault(text.into())))
}

/// An index outside its array.
#[cold]
pub(super) fn bad_index<T>(place: &Place, dim: usize, value: i32) -> Eval<T> {
    let len = place.dims[dim].len;
    let array = array_name(&place.name, dim);
    fault(format!(
        "the index {value} of `{array}` is out of bounds: the array has {len} element{}, 0 to {}",
        if len == 1 { "" } else { "s" },
        len.saturating_sub(1)
    ))
}

/// The part of `a[#].b[#]` that is an array with the given dimension.
fn array_name(name: &str, dim: usize) -> &str {
    let end = name.match_indices("[#]").nth(dim).map_or(name.len(), |(at, _)| at);
    &name[..end]
}

/// A division or a remainder by zero.
#[cold]
pub(super) fn division_by_zero<T>() -> Eval<T> {
    fault("division by zero")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn array_name_stops_at_the_dimension_that_failed() {
        assert_eq!(array_name("a[#].b[#]", 0), "a");
        assert_eq!(array_name("a[#].b[#]", 1), "a[#].b");
        assert_eq!(array_name("a", 0), "a");
    }
}
