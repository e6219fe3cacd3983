//! Errors: what is said, where, and that one mistake leads to one message.

use super::{parse_text, said};

/// A text with exactly these errors, each `line code message`.
fn check(text: &str, expected: &[&str]) {
    assert_eq!(said(text), expected, "in {text}");
}

/// A text with one error that gives this advice.
fn advises(text: &str, code: &str, advice: &str) {
    let (parsed, _) = parse_text(text);
    let found: Vec<_> = parsed.diagnostics.iter().map(|d| (d.code, d.advice.join("; "))).collect();
    assert_eq!(found, [(code, advice.to_string())], "in {text}");
}

#[test]
fn missing_closers_point_at_what_is_open() {
    check("init {\n if\n :: x -> y\n}\ninit { z }", &["2 unclosed this `if` is not closed by `fi`"]);
    check("init {\n do\n :: if :: x\n od }", &["3 unclosed this `if` is not closed by `fi`"]);
    check("init {\n do :: {\n x :: y\n od }", &["2 unclosed this block is not closed by `}`"]);
    check("init {\n x\n\nproctype P() { y }", &["1 unclosed the body of `init` is not closed by `}`"]);
    check("proctype P() {\n atomic {\n x\n", &["2 unclosed this `atomic` is not closed by `}`"]);
    check("typedef T {\n byte a\ninit { x }", &["1 unclosed this typedef is not closed by `}`"]);
    check("inline f() {\n x\ninit { x }", &["1 unclosed the body of this inline is not closed by `}`"]);
}

#[test]
fn missing_closers_say_what_comes_first() {
    let (parsed, map) = parse_text("init {\n if :: x\n}");
    let also = &parsed.diagnostics[0].labels[1];
    assert_eq!((map.line(also.span), &*also.text), (3, "`}` comes first"));
}

#[test]
fn wrong_closers_are_taken_for_the_right_ones() {
    check(
        "init {\n do :: x fi; y = ;\n}",
        &["2 unclosed this `do` is not closed by `od`", "2 syntax expected an expression, found `;`"],
    );
    check("init { x; od; y }", &["1 syntax this `od` has no matching `do`"]);
}

#[test]
fn options() {
    advises("init { if x -> y :: else fi }", "missing-option", "each option begins with `::`, the first one too");
    advises("init { do { x } od }", "missing-option", "there are no braces behind `if` and `do`: write `do :: … od`");
    check(
        "init { if fi; x = }",
        &["1 missing-option expected `::` behind this `if`, found `fi`", "1 syntax expected an expression, found `}`"],
    );
    check("init { if :: fi }", &["1 empty-sequence a sequence must have at least one statement"]);
    check("init { :: x }", &["1 syntax `::` can only stand in `if … fi` and `do … od`"]);
}

#[test]
fn empty_sequences() {
    let empty = "1 empty-sequence a sequence must have at least one statement";
    for text in ["init { }", "init { atomic { } }", "init { do :: od }", "init { { } }", "proctype P() { }"] {
        check(text, &[empty]);
    }
    check("init { ; x }", &["1 syntax expected a statement, found `;`"]);
    check("init { if :: -> x fi }", &["1 syntax expected a statement, found `->`"]);
}

#[test]
fn assignment_in_a_condition() {
    let advice = "`=` assigns and `==` compares; use `==` in a condition";
    advises("init { if :: (x = 1) -> y fi }", "assign-in-expression", advice);
}

#[test]
fn habits_from_c() {
    advises("init { x += 1 }", "c-habit", "write `x = x + …` instead of `x += …`");
    advises("init { x &&= 1 }", "c-habit", "write `x = x && …` instead of `x &&= …`");
    advises("init { while (x) { y } z }", "c-habit", "write `do :: condition -> … :: else -> break od`");
    advises("init { if (x) { y } else { z } w }", "c-habit", "write `if :: condition -> … :: else -> … fi`");
    advises("init { if (x) y = 1; z }", "c-habit", "write `if :: condition -> … :: else -> … fi`");
    advises("init { x = y = 1 }", "c-habit", "write two assignments, or `==` to compare");
    let advice = "`++` and `--` stand behind a variable, as a statement of their own";
    advises("init { ++x }", "syntax", advice);
    let advice = "write `for (i : 0 .. 9) { … }` or `for (i in array) { … }`";
    advises("init { for (i = 0; i < 3; i++) { x } y }", "syntax", advice);
    advises("proctype P(byte a, int b) { x }", "syntax", "write `proctype P(byte a; int b)`");
    advises("proctype P { x }", "syntax", "write `()` if it has no parameters");
}

#[test]
fn a_guard_in_parentheses_is_no_habit_from_c() {
    advises("init { if (x) -> y fi }", "missing-option", "each option begins with `::`, the first one too");
}

#[test]
fn reserved_words() {
    check(
        "init { byte init; goto do; x }",
        &[
            "1 reserved-word expected the name of a variable, but `init` is a reserved word",
            "1 reserved-word expected a label behind `goto`, but `do` is a reserved word",
        ],
    );
    check(
        "byte if = 1; init { else: x }",
        &[
            "1 reserved-word expected the name of a variable, but `if` is a reserved word",
            "1 reserved-word expected a label, but `else` is a reserved word",
        ],
    );
}

#[test]
fn questions_about_channels() {
    advises("init { !empty(c) }", "probe", "use `nempty` without the `!`");
    advises("init { !(nfull(c)) }", "probe", "use `full` without the `!`");
    let len = "use `len` here: it can be part of any expression";
    for text in ["(full(c) -> 1 : 2)", "x = 1 + full(c)", "c!full(c)", "full(c) == 1", "a[full(c)] = 1"] {
        advises(&format!("init {{ {text} }}"), "probe", len);
    }
    advises("ltl { [] (full(c) == 1) }", "probe", len);
    check("chan c = [1] of { bit }; ltl { [] (!full(c) -> <> nempty(c)) }", &[]);
}

#[test]
fn separators() {
    check("init { x = 1 y = 2 }", &["1 missing-separator expected `;` or `->`, found `y`"]);
    advises("init { T t }", "missing-separator", "if the first name is meant as a type, declare it with `typedef`");
    advises(
        "init { a unless b unless c }",
        "missing-separator",
        "use braces to nest: `{ a unless { b } } unless { c }`",
    );
    check("byte x y; byte z", &["1 syntax expected `;` behind the declaration, found `y`"]);
    check("typedef T { byte a byte b }", &["1 syntax expected `;` behind a field, found `byte`"]);
}

#[test]
fn messages_and_calls() {
    let advice = "messages are written without outer parentheses: `c!a,b` or `c!a(b)`";
    advises("init { c!(1,2) }", "syntax", advice);
    advises("init { c!1,2(3) }", "syntax", "separate all values by commas");
    check("init { c?(x; y }", &["1 syntax expected `)` to end the message, found `;`"]);
    check("init { c?x+1 }", &["1 missing-separator expected `;` or `->`, found `+`"]);
    advises("init { (c!1) }", "syntax", "a send is a statement and cannot be part of an expression");
    let advice = "only inlines can be called, as statements of their own or as `x = name(…)`";
    advises("init { x = foo(3) }", "missing-separator", advice);
}

#[test]
fn top_level() {
    advises("x = 1; init { y }", "syntax", "statements can only stand inside `init` or a `proctype`");
    advises("init { x } }", "syntax", "there is a `}` too many here or further up");
    check(
        "chan c = [1] of byte; init { x }",
        &["1 syntax expected `{` in front of the types of the messages, found `byte`"],
    );
    check(
        "mtype = { a, 1 }; init { x }",
        &["1 syntax expected the name of a symbolic constant, or `}`, found the number 1"],
    );
    check("init { mtype = { a } }", &["1 syntax symbolic constants must be declared outside of processes"]);
    check("init { L: byte x }", &["1 label-before-declaration the label `L` stands in front of a declaration"]);
}

#[test]
fn all_independent_errors_are_found_in_one_run() {
    let text = "byte x\ninit {\n x = ;\n if :: (x -> y :: z fi\n}\nproctype P( { skip }\nproctype Q() {\n x = = 1;\n goto;\n y = 1 }\n";
    let lines: Vec<u32> = said(text).iter().filter_map(|m| m.split(' ').next()?.parse().ok()).collect();
    assert_eq!(lines, [3, 4, 6, 8, 9], "{:?}", said(text));
}

#[test]
fn nesting_is_limited() {
    let deep = 100_000;
    for (open, close) in
        [("(", ")"), ("! ", ""), ("- ", ""), ("{", "}"), ("if :: ", " fi"), ("a[", "]"), ("(x -> ", " : y)")]
    {
        let text = format!("init {{ {}x{} }}", open.repeat(deep), close.repeat(deep));
        let said = said(&text);
        assert!(said.iter().any(|m| m.contains("too-deep")), "{open}: {:?}", said.first());
        assert!(said.len() < 5, "{open}: {said:?}");
    }
    let text = format!("init {{ x{} }}", " + x".repeat(deep));
    assert_eq!(said(&text), ["1 too-deep this expression has too many parts"]);
    let text = format!("ltl {{ {}x }}", "[] ".repeat(deep));
    assert_eq!(said(&text).len(), 1);
    let text = format!("init {{ c?{}x{} }}", "x(".repeat(deep), ")".repeat(deep));
    assert_eq!(said(&text).len(), 1);
    let text = format!("init {{ {}x }}", "L: ".repeat(deep));
    assert_eq!(said(&text), Vec::<String>::new());
}
