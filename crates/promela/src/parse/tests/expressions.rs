//! Expressions of statements.

use super::{body, units};

fn check(text: &str, expected: &str) {
    assert_eq!(body(&format!("x = {text}")), format!("x = {expected}"), "in {text}");
}

#[test]
fn operators_bind_as_in_c() {
    check("a || b && c | d ^ e & f", "(a||(b&&(c|(d^(e&f)))))");
    check("a & b == c < d << e + f * g", "(a&(b==(c<(d<<(e+(f*g))))))");
    check("a * b + c >> d > e != f", "(((((a*b)+c)>>d)>e)!=f)");
}

#[test]
fn operators_group_to_the_left() {
    check("a - b - c", "((a-b)-c)");
    check("a / b * c % d", "(((a/b)*c)%d)");
    check("a == b != c", "((a==b)!=c)");
    check("a && b && c", "((a&&b)&&c)");
}

#[test]
fn unary_operators_bind_tightest() {
    check("!a == b", "(!(a)==b)");
    check("-a + ~b", "(-(a)+~(b))");
    check("!-~a", "!(-(~(a)))");
    check("- 1", "-(1)");
}

#[test]
fn conditional_expressions() {
    check("(a -> b : c)", "( (a) -> (b) : (c) )");
    check("(a > 1 -> (b -> 1 : 2) : c + 1) + 1", "(( ((a>1)) -> (( (b) -> (1) : (2) )) : ((c+1)) )+1)");
}

#[test]
fn operands() {
    check(
        "len(c) + enabled(p) + pc_value(1) + get_priority(_pid)",
        "(((len(c)+enabled(p))+pc_value(1))+get_priority(_pid))",
    );
    check("true + false + skip + 'a'", "(((1+0)+1)+97)");
    check("np_ || timeout", "(np_||timeout)");
    check("a[i+1].b[-1].c", "a[(i+1)].b[ -(1)].c");
    check("full(c) && (empty(d) || x)", "(full(c)&&(empty(d)||x))");
}

#[test]
fn remote_references() {
    let text = "never { P@L; P[1]@L && x; P[i]:v[2] } proctype P() { skip }";
    assert_eq!(units(text)[0], "never [((P._p==L)); (((P[1]._p==L)&&x)); (P[i].v[2])]");
    let text = "proctype P() { skip } never { P:v; (P:v == 1 -> P:w : 2) }";
    assert_eq!(units(text)[1], "never [(P.v); (( ((P.v==1)) -> (P.w) : (2) ))]");
}

#[test]
fn a_colon_in_a_conditional_is_no_remote_reference() {
    let text = "init { (x -> a : b) } proctype a() { skip }";
    assert_eq!(units(text)[0], "init [(( (x) -> (a) : (b) ))]");
}
