//! Top-level units and declarations.

use super::units;

fn check(text: &str, expected: &[&str]) {
    assert_eq!(units(text), expected, "in {text}");
}

#[test]
fn processes() {
    check("proctype P() { skip }", &["proctype P () [(1)]"]);
    check("active proctype P() { skip }", &["active proctype P () [(1)]"]);
    check("active [2+1] D_proctype P() { skip }", &["active (2+1) D_proctype P () [(1)]"]);
    check(
        "proctype P(byte a, b; chan c; T t) priority 3 provided (x > 1) { skip } typedef T { int v }",
        &["proctype P (byte a, b; chan c; T t) priority 3 provided (x>1) [(1)]", "typedef T int v"],
    );
    check("init { skip }", &["init [(1)]"]);
    check("init priority 2 { skip }", &["init priority 2[(1)]"]);
}

#[test]
fn claims() {
    check("never { true }", &["never [(1)]"]);
    check("never n { np_ }", &["never n [(np_)]"]);
    check("trace { c!1 }", &["trace [c!1]"]);
    check("notrace { c?1 }", &["notrace [c?1]"]);
    check("ltl { x }", &["ltl x"]);
    check("ltl p { x; }", &["ltl p x"]);
}

#[test]
fn units_need_no_separators() {
    check("byte x byte y\nbyte z;; init { skip };", &["byte x", "byte y", "byte z", "init [(1)]"]);
}

#[test]
fn variables() {
    check("bit a; bool b; byte c; pid d; short e; int f", &["bit a", "bool b", "byte c", "pid d", "short e", "int f"]);
    check("hidden byte a; show int b; local chan c", &["hidden byte a", "show int b", "local chan c"]);
    check("unsigned x : 3 = 5, y : 2", &["unsigned x:3=5, y:2"]);
    check("int a[4] = 7, b[2*3] = {1, 2, 3}, c = -1", &["int a[4]=7, b[(2*3)]={1,2,3}, c=-(1)"]);
}

#[test]
fn channels() {
    check("chan c = [0] of { byte }", &["chan c=[0]{byte}"]);
    check("chan c[3] = [N-1] of { byte, mtype:m, T, chan }", &["chan c[3]=[(N-1)]{byte,mtype:m,T,chan}"]);
    check("chan c = [1] of { bit }, d", &["chan c=[1]{bit}, d"]);
}

#[test]
fn types() {
    check("typedef T { byte a[2]; hidden U u, v\n int w }", &["typedef T byte a[2]; hidden U u, v; int w"]);
    check("mtype { a }", &["mtype = a"]);
    check("mtype = { a, b c,, d, }", &["mtype = a b c d"]);
    check("mtype:s = { a,\n b }; mtype:s x = a", &["mtype s = a b", "mtype:s x=a"]);
    check("typedef T { int v } T x[2]", &["typedef T int v", "T x[2]"]);
}

#[test]
fn embedded_c_is_kept_but_not_read() {
    check("c_decl { int x; { init } }", &["c_decl …"]);
    check("c_state \"int x\" \"Global\" c_track \"&x\" \"4\" \"Matched\"", &["c_state …", "c_track …"]);
    check("c_code { x->y = 1; }; init { c_code [x] { y++; }\n skip }", &["c_code …", "init [{c_code}; (1)]"]);
    check("init { (c_expr { now.x }) }", &["init [({c_expr})]"]);
}
