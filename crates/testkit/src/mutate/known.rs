//! Texts on which SPIN's verifier is known to be wrong: there only we ourselves are compared.
//!
//! Each rule names the letter of its section in `docs/differences.md`. A rule may speak of too many texts, since others of the
//! same kind are compared all the same.

use super::shape::Shape;
use std::ops::Range;

/// The letter of a section that explains a difference between the two, if there is one.
pub fn known(text: &str) -> Option<&'static str> {
    let shape = Shape::new(text);
    let count = shape.tokens.len();
    let near = |index: usize| [shape.word(index), shape.word(index + 1), shape.word(index + 2)];
    let selects = |word: &str| word == "if" || word == "do";
    let says = |word: &str| ["printf", "printm", "assert"].contains(&word);
    let offers = |index: usize| ["!", "!!", "?", "??", "["].contains(&shape.word(index));
    let escapes = text.contains("unless");
    // Before it in the same receive, outside of `eval`.
    let taken = |index: usize| {
        let before = (0..index).rev().map(|i| shape.word(i));
        let end = |word: &&str| ["?", "??", "(", ")", "{", "}", ";", "::"].contains(word);
        before.into_iter().find(end).is_some_and(|word| word.starts_with('?'))
    };
    for index in 0..count {
        match near(index) {
            ["d_step", "{", word] if selects(word) => return Some("b"),
            ["d_step", "{", word] if says(word) => return Some("y"),
            ["unless", "{", word] if selects(word) => return Some("c"),
            ["unless", "{", _] if offers(index + 3) => return Some("w"),
            ["unless", "{" | "atomic" | "d_step", "{"] => return Some("w"),
            ["trace" | "notrace", "{", _] => return Some("v"),
            ["enabled" | "pc_value", "(", _] => return Some("x"),
            ["_pid", ..] if taken(index) => return Some("ii"),
            // An escape or a jump may come to a first statement that is not beside the `d_step`.
            ["goto", ..] if escapes && text.contains("d_step") => return Some("w"),
            _ => {}
        }
    }
    if shape.items.iter().any(|item| shape.word(item.start) == "ltl" && loose(&shape, item.clone())) {
        return Some("k");
    }
    let asks = ["len", "full", "empty", "nfull", "nempty"];
    if text.contains("provided") && text.contains("[0] of") && (0..count).any(|i| asks.contains(&shape.word(i))) {
        return Some("kk");
    }
    if text.contains("hidden ") {
        return Some("hh");
    }
    narrow_receive(&shape).then_some("a")
}

/// The letter of a section that explains a difference where a claim or a formula is checked.
pub fn changed_by_claims(text: &str) -> Option<&'static str> {
    let shape = Shape::new(text);
    if text.contains("_nr_pr") {
        return Some("aa");
    }
    // SPIN calls such a label misplaced, and marks one state or another with it.
    let misplaced = |i: usize| shape.word(i) == "::" && shape.word(i + 2) == ":" && marks(shape.word(i + 1));
    if (0..shape.tokens.len()).any(misplaced) {
        return Some("ee");
    }
    let formulas = shape.items.iter().any(|item| shape.word(item.start) == "ltl");
    (formulas && shape.labels.iter().any(|label| label.starts_with("accept"))).then_some("ll")
}

/// True for labels that say something about runs.
fn marks(label: &str) -> bool {
    label.starts_with("accept") || label.starts_with("progress")
}

/// Is there an operator of a formula directly before a comparison, which SPIN then compares with its result?
fn loose(shape: &Shape<'_>, mut item: Range<usize>) -> bool {
    const OPERATORS: [&str; 6] = ["[]", "<>", "!", "always", "eventually", "X"];
    const COMPARISONS: [&str; 6] = ["==", "!=", "<", ">", "<=", ">="];
    item.any(|i| OPERATORS.contains(&shape.word(i)) && COMPARISONS.contains(&shape.word(i + 2)))
}

/// What SPIN refuses and we read on purpose, by a part of its message.
const EXTENSIONS: [(&str, &str); 4] = [
    // A loop that never ends is an error when it is executed, and a label at the beginning of a d_step is no jump into it.
    ("breaks from d_step seq", "a d_step without an end"),
    ("jump into d_step sequence", "a jump to the first statement of a d_step"),
    ("unless in d_step", "an escape inside a d_step"),
    // The grammar of formulas has no place for them, and SPIN negates each formula.
    ("saw 'function-name:", "`full` and its like in a formula"),
];

/// Why we read what SPIN refuses with this message, if that is on purpose.
pub fn extension(message: &str) -> Option<&'static str> {
    EXTENSIONS.iter().find(|(part, _)| message.contains(part)).map(|(_, why)| *why)
}

/// The bits of a type's values.
fn width(name: &str) -> u32 {
    match name {
        "bit" | "bool" => 1,
        "unsigned" => 2,
        "short" => 16,
        "int" => 32,
        _ => 8,
    }
}

/// Is a message received into a variable that may be narrower than a field of some channel?
fn narrow_receive(shape: &Shape<'_>) -> bool {
    const NARROW: [&str; 8] = ["bit", "bool", "unsigned", "byte", "pid", "mtype", "chan", "short"];
    let count = shape.tokens.len();
    let fields = (0..count).filter(|i| shape.word(*i) == "of" && shape.word(i + 1) == "{");
    let widths = fields.flat_map(|i| (i + 2)..shape.behind(i + 1)).map(|i| match shape.word(i) {
        "," | "}" => 0,
        word => width(word),
    });
    let widest = widths.max().unwrap_or(0);
    let narrow = |name: &str| {
        (0..count).any(|at| {
            let kind = shape.word(at);
            NARROW.contains(&kind) && width(kind) < widest && declared(shape, at + 1).contains(&name)
        })
    };
    (1..count).filter(|i| ["?", "??"].contains(&shape.word(*i))).any(|i| {
        let arguments = (i + 1..count).take_while(|j| ![";", "->", "::", "}", "fi", "od"].contains(&shape.word(*j)));
        arguments.into_iter().any(|j| shape.is_word(j) && narrow(shape.word(j)))
    })
}

/// The names that a declaration gives, from the token behind its type.
fn declared<'a>(shape: &Shape<'a>, start: usize) -> Vec<&'a str> {
    let ends = [";", "}", ")", "->", "{"];
    (start..shape.tokens.len()).map(|i| shape.word(i)).take_while(|word| !ends.contains(word)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sections_are_found() {
        let of = |text: &str| known(text);
        assert_eq!(of("byte x; active proctype p() { d_step { if :: x == 1 :: x = 1 fi } }"), Some("b"));
        let receive = |kind: &str| {
            of(&format!("chan c = [1] of {{ byte, byte }}; active proctype p() {{ {kind} x; c?_,x; x = 1 }}"))
        };
        assert_eq!((receive("bit"), receive("byte"), receive("int")), (Some("a"), None, None));
        assert_eq!(of("byte x; active proctype p() { x = 1 }"), None);
        let pid =
            |args: &str| of(&format!("chan c = [1] of {{ byte, byte }}; active proctype p() {{ c?{args}; c!_pid,1 }}"));
        assert_eq!((pid("1,_pid"), pid("1,eval(_pid)"), pid("1,2")), (Some("ii"), None, None));
        let labelled = "byte x; active proctype p() { accept: x = 1 } ltl q { [] (x < 2) }";
        assert_eq!((of(labelled), changed_by_claims(labelled)), (None, Some("ll")));
    }
}
