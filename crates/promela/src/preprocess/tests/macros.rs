//! Tests of macros: definition, arguments, `#`, `##`, recursion.

use super::{clean, run, run_with};
use crate::preprocess::Options;

#[test]
fn macros_without_parameters() {
    assert_eq!(clean("#define N 5\n#define M (N+1)\nM N"), "( 5 + 1 ) 5");
    assert_eq!(clean("#define E\na E b"), "a b");
    assert_eq!(clean("#define A (x)\nA"), "( x )");
    assert_eq!(clean("#define L a \\\n  b \\\r\n  c\nL"), "a b c");
    assert_eq!(clean("#define skipit /* x\n y */ skip\nskipit"), "skip");
}

#[test]
fn macros_with_parameters() {
    assert_eq!(clean("#define F(a,b) a+b\nF(1,2) F((1,2),[3]) F"), "1 + 2 ( 1 , 2 ) + [ 3 ] F");
    assert_eq!(clean("#define F(a,b) <a|b>\nF(,) F(x,)"), "< | > < x | >");
    assert_eq!(clean("#define Z() z\nZ() Z( ) Z"), "z z Z");
}

#[test]
fn arguments_may_span_lines_and_hold_directives() {
    assert_eq!(clean("#define F(a) [a]\nF(x\n#ifdef NO\nbad\n#else\ny\n#endif\n)"), "[ x y ]");
    assert_eq!(clean("#define F(a) [a]\nF\n\n(x)"), "[ x ]");
    assert_eq!(clean("#define F(a) [a]\nF\n#define G\n(x)"), "F ( x )");
}

#[test]
fn nothing_expands_within_itself() {
    assert_eq!(clean("#define A A b\nA"), "A b");
    assert_eq!(clean("#define A B\n#define B A\nA B"), "A B");
    assert_eq!(clean("#define f(a) a*g\n#define g(a) f(a)\nf(2)(9)"), "2 * 9 * g");
    assert_eq!(clean("#define F(a) F(a) a\nF(F(1))"), "F ( F ( 1 ) 1 ) F ( 1 ) 1");
}

#[test]
fn the_examples_of_the_c_standard() {
    let text = "#define x 3\n#define f(a) f(x * (a))\n#undef x\n#define x 2\n#define g f\n#define z z[0]\n#define h g(~\n\
                #define m(a) a(w)\n#define w 0,1\n#define t(a) a\n#define p() int\n#define q(x) x\n#define r(x,y) x ## y\n\
                #define str(x) # x\n";
    let expand = |line: &str| clean(&format!("{text}{line}"));
    assert_eq!(
        expand("f(y+1) + f(f(z)) % t(t(g)(0) + t)(1);").replace(' ', ""),
        "f(2*(y+1))+f(2*(f(2*(z[0]))))%f(2*(0))+t(1);"
    );
    assert_eq!(
        expand("g(x+(3,4)-w) | h 5) & m(f)^m(m);").replace(' ', ""),
        "f(2*(2+(3,4)-0,1))|f(2*(~5))&f(2*(0,1))^m(0,1);"
    );
    assert_eq!(expand("p() i[q()] = { q(1), r(2,3), r(4,), r(,5), r(,) };"), "int i [ ] = { 1 , 23 , 4 , 5 , } ;");
    let glue =
        "#define t(x,y,z) x ## y ## z\nj = { t(1,2,3), t(,4,5), t(6,,7), t(8,9,), t(10,,), t(,11,), t(,,12), t(,,) };";
    assert_eq!(clean(glue), "j = { 123 , 45 , 67 , 89 , 10 , 11 , 12 , } ;");
}

#[test]
fn strings_are_made_of_arguments_as_they_are_written() {
    assert_eq!(clean("#define S(x) #x\n#define N 5\nS(N) S( a  +\nb ) S()"), r#""N" "a + b" """#);
    assert_eq!(clean("#define S(x) #x\nS(\"a\\n\" '\"')"), r#""\"a\\n\" '\"'""#);
    assert_eq!(clean("#define S(x) #x\n#define X(x) S(x)\n#define N 5 + 1\nX(N)"), r#""5 + 1""#);
}

#[test]
fn pasted_tokens_are_looked_up_again() {
    assert_eq!(clean("#define C(a,b) a##b\n#define xy 7\nC(x,y) C(x,1) C(:,:) C(<,->)"), "7 x1 :: <->");
    assert_eq!(clean("#define A x ## y\nA"), "xy");
    assert_eq!(clean("#define HH # ## #\n#define C(a) a\nC(q)"), "q");
    assert_eq!(run("#define C(a,b) a##b\nC(x,+)").codes, ["bad-paste"]);
}

#[test]
fn the_rest_of_the_arguments() {
    assert_eq!(clean("#define P(f,...) p(f,__VA_ARGS__)\nP(1,2,3) P(1,) P(1)"), "p ( 1 , 2 , 3 ) p ( 1 , ) p ( 1 , )");
    assert_eq!(clean("#define P(f,...) p(f,##__VA_ARGS__)\nP(1,2,3) P(1,) P(1)"), "p ( 1 , 2 , 3 ) p ( 1 , ) p ( 1 )");
    assert_eq!(clean("#define P(r...) p(x,##r)\nP(1,2) P()"), "p ( x , 1 , 2 ) p ( x )");
    assert_eq!(clean("#define S(...) #__VA_ARGS__\nS(a, b)"), "\"a, b\"");
}

#[test]
fn wrong_numbers_of_arguments_point_at_the_definition_too() {
    let few = run("#define F(a,b) a\nF(1) F(1,2,3) x");
    assert_eq!((few.text().as_str(), &few.codes[..]), ("x", &["argument-count"; 2][..]));
    assert_eq!(few.outcome.diagnostics[0].message, "macro F takes 2 arguments, but 1 is given");
    assert_eq!(few.outcome.diagnostics[0].labels[1].span.start, 8);
    assert_eq!(run("#define Z() z\nZ(1)").codes, ["argument-count"]);
    assert_eq!(run("#define F(a) a\nF(1\n").codes, ["unclosed-arguments"]);
}

#[test]
fn a_different_definition_is_a_warning_and_counts() {
    assert_eq!(clean("#define A 1 + 2\n#define A 1  +  2\nA"), "1 + 2");
    let other = run("#define A 1\n#define A 2\nA");
    assert_eq!((other.text().as_str(), &other.codes[..]), ("2", &["macro-redefined"][..]));
    assert_eq!(clean("#define A 1\n#undef A\n#define A(x) x\nA A(3)"), "A 3");
}

#[test]
fn bad_definitions_are_errors() {
    for text in ["#define", "#define 1", "#define defined", "#define F(a", "#define F(a,a) a", "#define F(1) a"] {
        assert_eq!(run(text).codes, ["bad-define"], "{text}");
    }
    for text in ["#define F(a) #b", "#define F(a) ## a", "#define F(a) a ##", "#define F(...,a) a", "#define F(a,) a"] {
        assert_eq!(run(text).codes, ["bad-define"], "{text}");
    }
    // Without parameters # is a character like others.
    assert_eq!(run("#define H #x\nH").codes, ["bad-text"]);
}

#[test]
fn line_and_file_are_known() {
    assert_eq!(clean("__LINE__\n\n__LINE__ __FILE__"), "1 3 \"main.pml\"");
    assert_eq!(clean("#define L __LINE__\n#define F(a) L a\nF(\n\n L) L"), "3 5 5");
    assert_eq!(clean("#line 100 \"x.c\"\n__LINE__ __FILE__\n# 7\n__LINE__"), "100 \"x.c\" 7");
    assert_eq!(clean("#ifdef __LINE__\nyes\n#endif"), "yes");
}

#[test]
fn macros_of_the_machine_are_unknown() {
    assert_eq!(clean("linux unix __GNUC__"), "linux unix __GNUC__");
}

#[test]
fn macros_of_the_command_line() {
    let define = |name: &str, value: Option<&str>| (name.to_string(), value.map(str::to_string));
    let defines = vec![define("N", Some("3")), define("ON", None), define("F(a)", Some("a+a")), define("E", Some(""))];
    let options = Options { defines, undefines: vec!["GONE".into()], ..Options::default() };
    assert_eq!(run_with("N ON F(2) E x", &[], &options).lines(), "|3 1 2 + 2 x");
    let gone = Options { defines: vec![define("A", None)], undefines: vec!["A".into()], ..Options::default() };
    assert_eq!(run_with("A", &[], &gone).text(), "A");
    let bad = Options { defines: vec![define("1\n#error", None)], ..Options::default() };
    assert_eq!(run_with("A", &[], &bad).codes, ["bad-define"]);
}
