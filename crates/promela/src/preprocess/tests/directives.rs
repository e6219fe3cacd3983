//! Tests of conditions, included files and the other directives.

use super::{clean, run, run_with};
use crate::preprocess::Options;

/// True if the condition holds.
fn holds(condition: &str) -> bool {
    clean(&format!("#define ONE 1\n#define TWO (ONE+ONE)\n#if {condition}\nyes\n#else\nno\n#endif")) == "yes"
}

#[test]
fn conditions_choose_one_group() {
    let text = |n: u32| format!("#define N {n}\n#if N==1\na\n#elif N==2\nb\n#elif N==2\nc\n#else\nd\n#endif\ne");
    assert_eq!(clean(&text(1)), "a e");
    assert_eq!(clean(&text(2)), "b e");
    assert_eq!(clean(&text(3)), "d e");
    assert_eq!(clean("#ifdef A\na\n#endif\n#ifndef A\nb\n#endif"), "b");
    assert_eq!(clean("#if 0\n#if 1\nx\n#else\ny\n#endif\n#elif 1\nz\n#endif"), "z");
    assert_eq!(clean("#define E\n#ifdef E\n# ifndef E\nx\n# else /* c */\ny\n#  endif // c\n#endif"), "y");
}

#[test]
fn text_that_is_left_out_may_be_anything() {
    assert_eq!(clean("#if 0\ndon't \" /* it's */ ` # ## #nonsense\n'\n#if(\n#endif\n#endif\nx"), "x");
    assert_eq!(clean("#if 1\nx\n#elif 1/0\ny\n#else\n#error no\n#endif"), "x");
    assert_eq!(run("#if 0\n/* open\n#endif\nx").codes, ["unclosed-comment", "unclosed-if"]);
}

#[test]
fn conditions_have_the_arithmetic_of_c() {
    for yes in ["1", "TWO==2", "defined ONE", "defined(ONE) && !defined(THREE)", "UNKNOWN == 0", "(1+2)*3==9", "-1 < 0"]
    {
        assert!(holds(yes), "{yes}");
    }
    for yes in ["7/2==3", "7%3==1", "-7/2==-3", "1<<4==16", "(5&3)==1 && (5|3)==7 && (5^3)==6", "~0==-1", "!!5==1"] {
        assert!(holds(yes), "{yes}");
    }
    for yes in
        ["0x10==16", "010==8", "0b11==3", "'a'==97", "1?2:0", "0?0:3", "1 || 1/0", "!(0 && 1/0)", "-1 > 0u", "10UL==10"]
    {
        assert!(holds(yes), "{yes}");
    }
    for no in ["0", "ONE-1", "defined(NO)", "1==2", "2<1", "1>=2", "0&&1", "0||0", "-1 << 70", "0u - 1 < 0"] {
        assert!(!holds(no), "{no}");
    }
    assert!(holds("1 ? 0 ? 0 : 1 : 0") && holds("1 - 1 - 1 == -1") && holds("9223372036854775807 + 1 < 0"));
    assert_eq!(clean("#define D defined(A)\n#define A\n#if D\nyes\n#endif"), "yes");
    assert_eq!(clean("#define F(x) x\n#if F(1) && F (0) == 0\nyes\n#endif"), "yes");
}

#[test]
fn bad_conditions_are_errors_and_do_not_hold() {
    for bad in
        ["", "1 +", "(1", "1 2", "1/0", "1%0", "defined", "defined(", "\"a\"", "1.5", "a b", "1 ? 2", "12z", "@", "= 1"]
    {
        let outcome = run(&format!("#if {bad}\nno\n#else\nyes\n#endif"));
        assert_eq!((outcome.text().as_str(), &outcome.codes[..]), ("yes", &["bad-condition"][..]), "{bad}");
    }
    assert_eq!(run("#ifdef\n#endif\n#ifndef 1\n#endif").codes, ["bad-condition"; 2]);
    assert_eq!(run(&format!("#if {}1\n#endif", "(".repeat(5000))).codes, ["bad-condition"]);
    assert_eq!(run(&format!("#if {}1\n#endif", "- ".repeat(5000))).codes, ["bad-condition"]);
}

#[test]
fn unclosed_and_stray_conditions_point_at_the_line_that_opens_them() {
    let open = run("x\n#if 1\ny\n#ifdef Z\n#else");
    assert_eq!(open.codes, ["unclosed-if"; 2]);
    assert_eq!(open.map.line(open.outcome.diagnostics[0].span()), 2);
    assert_eq!(run("#else\n#endif\n#elif 1\nx").codes, ["stray-directive"; 3]);
    for twice in ["#if 1\n#else\n#else\n#endif", "#if 0\n#else\n#elif 1\n#endif"] {
        let twice = run(twice);
        assert_eq!(twice.codes, ["stray-directive"]);
        assert_eq!(twice.outcome.diagnostics[0].labels[1].span.start, 0);
    }
}

#[test]
fn text_behind_a_complete_directive_is_a_warning() {
    let text = "#define A\n#ifdef A A\n#endif A\n#if 0\n#else no\n#endif\n#undef A 1\n";
    // Behind #else and #endif once for all.
    assert_eq!(run(text).codes, ["extra-text"; 3]);
}

#[test]
fn files_are_included() {
    let files = [("a.h", "#define A 1\na\n"), ("b.h", "b\n#include \"a.h\"\nA"), ("once.h", "#pragma once\no\n")];
    let include = |text: &str| run_with(text, &files, &Options::default());
    assert_eq!(include("#include \"b.h\"\nx A").lines(), "|b |a |1 |x 1");
    assert_eq!(include("#include <a.h>\n#define N \"a.h\"\n#include N\n#define B <a.h>\n#include B").text(), "a a a");
    assert_eq!(include("#include \"once.h\"\n#include \"once.h\"").text(), "o");
    assert_eq!(include("#include \"none.h\"\nx").codes, ["cannot-include"]);
    assert_eq!(include("#include\n#include x\n#include \"\"\n#include <a\n").codes, ["bad-include"; 4]);
    assert_eq!(include("#include \"a.h\" x\n").codes, ["extra-text"]);
}

#[test]
fn each_file_closes_what_it_opens() {
    let files = [("open.h", "#if 1\n"), ("close.h", "#endif\n"), ("call.h", "F"), ("half.h", "F(1")];
    let include = |text: &str| run_with(text, &files, &Options::default());
    assert_eq!(include("#include \"open.h\"\nx").codes, ["unclosed-if"]);
    assert_eq!(include("#if 1\n#include \"close.h\"\nx\n#endif").codes, ["stray-directive"]);
    assert_eq!(include("#define F(a) a\n#include \"call.h\"\n(x)").text(), "F ( x )");
    assert_eq!(include("#define F(a) a\n#include \"half.h\"\n)").codes, ["unclosed-arguments"]);
}

#[test]
fn the_loader_hears_who_asks_and_how() {
    struct Listening;
    impl crate::preprocess::Loader for Listening {
        fn load(&self, name: &str, from: &str, quoted: bool) -> Result<(String, String), String> {
            match name {
                "first" => Ok(("dir/first".into(), "#include <second>".into())),
                _ => Err(format!("{name} {from} {quoted}")),
            }
        }
    }
    let mut map = starwheel_base::SourceMap::new();
    let main = map.add_file("main.pml", "#include \"first\"");
    let outcome = crate::preprocess::preprocess(&mut map, main, &Options::default(), &Listening);
    assert_eq!(outcome.diagnostics[0].message, "cannot include second: second dir/first false");
}

#[test]
fn messages_of_the_model_itself() {
    let outcome = run("#error it's wrong\n#warning\n#pragma whatever 'x\n#ident \"x\"\n#\n#line 5\nx");
    assert_eq!((outcome.text().as_str(), &outcome.codes[..]), ("x", &["error-directive", "warning-directive"][..]));
    assert_eq!(outcome.outcome.diagnostics[0].message, "it's wrong");
}

#[test]
fn unknown_directives_are_errors() {
    assert_eq!(
        run("#defin A\n#!x\n#line x\n#undef\n").codes,
        ["unknown-directive", "unknown-directive", "bad-line", "bad-undef"]
    );
    // The second of two joined lines is not the beginning of one.
    assert_eq!(run("x \\\n#define 2").codes, ["bad-text"]);
}
