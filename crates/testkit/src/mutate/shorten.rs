//! Makes a text smaller while something stays true of it: items, options and statements are left out, the largest first.

use super::shape::Shape;
use std::ops::Range;

/// Shortens until nothing can be left out, or until it was asked `tries` times.
pub fn shorten(text: &str, tries: u32, mut still: impl FnMut(&str) -> bool) -> String {
    let mut best = text.to_string();
    let mut left = tries;
    loop {
        let before = best.len();
        for skipping in [false, true] {
            one_pass(&mut best, skipping, &mut left, &mut still);
        }
        if left == 0 || best.len() == before {
            return best;
        }
    }
}

/// Tries to leave out each piece, or to put `skip` in its place.
fn one_pass(best: &mut String, skipping: bool, left: &mut u32, still: &mut impl FnMut(&str) -> bool) {
    // Pieces are gone through from the end, so that those in front stay where they are when one is left out.
    let mut below = usize::MAX;
    while *left > 0 {
        let Some((at, candidate)) = next(best, below, skipping) else { return };
        below = at;
        if candidate.len() >= best.len() {
            continue;
        }
        *left -= 1;
        if still(&candidate) {
            *best = candidate;
        }
    }
}

/// The last piece that begins before a token, largest first; its place in the order, and the text without it.
fn next(text: &str, below: usize, skipping: bool) -> Option<(usize, String)> {
    let shape = Shape::new(text);
    let mut pieces: Vec<Range<usize>> = shape.statements.iter().map(|(_, range)| range.clone()).collect();
    if !skipping {
        pieces.extend(shape.options.iter().chain(&shape.items).cloned());
    }
    let count = shape.tokens.len() + 1;
    // The order: by the first token from the end, larger pieces first.
    let rank = |range: &Range<usize>| range.start * count + range.len();
    let piece = pieces.into_iter().filter(|range| rank(range) < below).max_by_key(rank)?;
    let at = rank(&piece);
    let mut bytes = shape.bytes(&piece);
    // A separator goes with the statement before it, the one before the last statement with that.
    let separates = |index: usize| !skipping && [";", "->"].contains(&shape.word(index));
    if separates(piece.end) {
        bytes.end = shape.bytes(&(piece.end..piece.end + 1)).end;
    } else if piece.start > 0 && separates(piece.start - 1) && !shape.items.contains(&piece) {
        bytes.start = shape.bytes(&(piece.start - 1..piece.start)).start;
    }
    let with = if skipping { "skip" } else { "" };
    Some((at, format!("{}{with}{}", &text[..bytes.start], &text[bytes.end..])))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_matter_is_left_out() {
        let text = "byte x, y; chan c = [1] of { byte };\n\
            active proctype p() { byte z; z = 1; do :: x == 1 -> c!x :: y = 2; assert(false); z = 3 od; skip }\n\
            proctype q() { skip }";
        let small = shorten(text, 1000, |t| t.contains("proctype p() {") && t.contains("assert(false)"));
        assert_eq!(
            small.split_whitespace().collect::<Vec<_>>().join(" "),
            "active proctype p() { do :: assert(false) od }"
        );
    }

    #[test]
    fn the_number_of_tries_is_kept() {
        let mut asked = 0;
        shorten("byte a; byte b; byte c; byte d;", 3, |_| {
            asked += 1;
            false
        });
        assert_eq!(asked, 3);
    }
}
