//! Trees as one line of text, to compare with.

use crate::ast::*;
use crate::print;

pub fn unit(u: &Unit) -> String {
    let name = |n: &Option<Ident>| n.as_ref().map_or(String::new(), |n| format!("{} ", n.name));
    match u {
        Unit::Proctype(p) => proctype(p),
        Unit::Init(i) => format!("init {}{}", optional(" priority ", &i.priority).trim_start(), block(&i.body)),
        Unit::Never(n) => format!("never {}{}", name(&n.name), block(&n.body)),
        Unit::Trace(t) => format!("{}trace {}", if t.forbidden { "no" } else { "" }, block(&t.body)),
        Unit::Ltl(l) => format!("ltl {}{}", name(&l.name), print::expr(&l.formula)),
        Unit::Typedef(t) => format!("typedef {} {}", t.name.name, decls(&t.fields)),
        Unit::Mtype(m) => {
            let names: Vec<&str> = m.names.iter().map(|n| &*n.name).collect();
            format!("mtype {}= {}", name(&m.subtype), names.join(" "))
        }
        Unit::Decl(d) => decl(d),
        Unit::Inline(i) => format!("inline {}/{}", i.name.name, i.params.len()),
        Unit::Embedded(c) => format!("{} …", c.keyword.name),
    }
}

fn proctype(p: &Proctype) -> String {
    let mut out = String::new();
    if let Some(a) = &p.active {
        out += &format!("active{} ", optional(" ", &a.count));
    }
    out += if p.deterministic { "D_proctype" } else { "proctype" };
    out += &format!(" {} ({})", p.name.name, decls(&p.params));
    out += &optional(" priority ", &p.priority);
    out += &optional(" provided ", &p.provided);
    format!("{out} {}", block(&p.body))
}

fn optional(before: &str, e: &Option<Expr>) -> String {
    e.as_ref().map_or(String::new(), |e| format!("{before}{}", print::expr(e)))
}

fn decls(list: &[Decl]) -> String {
    list.iter().map(decl).collect::<Vec<_>>().join("; ")
}

fn decl(d: &Decl) -> String {
    let visibility = d.visibility.map_or(String::new(), |v| format!("{v:?} ").to_lowercase());
    let vars: Vec<String> = d.vars.iter().map(declarator).collect();
    format!("{visibility}{} {}", type_name(&d.ty), vars.join(", "))
}

fn type_name(t: &TypeName) -> String {
    match t {
        TypeName::Named(n) => n.name.to_string(),
        TypeName::Mtype(Some(s)) => format!("mtype:{}", s.name),
        TypeName::Mtype(None) => "mtype".into(),
        other => format!("{other:?}").to_lowercase(),
    }
}

fn declarator(d: &Declarator) -> String {
    let mut out = d.name.name.to_string();
    out += &optional(":", &d.width);
    out += &d.length.as_ref().map_or(String::new(), |e| format!("[{}]", print::expr(e)));
    match &d.init {
        None => {}
        Some(Initializer::Expr(e)) => out += &format!("={}", print::expr(e)),
        Some(Initializer::List(l)) => {
            out += &format!("={{{}}}", l.iter().map(print::expr).collect::<Vec<_>>().join(","));
        }
        Some(Initializer::Channel(c)) => {
            let fields: Vec<String> = c.fields.iter().map(|(t, _)| type_name(t)).collect();
            out += &format!("=[{}]{{{}}}", print::expr(&c.capacity), fields.join(","));
        }
    }
    out
}

pub fn block(b: &Block) -> String {
    format!("[{}]", b.steps.iter().map(step).collect::<Vec<_>>().join("; "))
}

fn step(s: &Step) -> String {
    match s {
        Step::Decl(d) => decl(d),
        Step::Exclusive(x) => {
            let channels: Vec<String> = x.channels.iter().map(print::var).collect();
            format!("{} {}", if x.receive { "xr" } else { "xs" }, channels.join(","))
        }
        Step::Stmt(s) => stmt(s),
    }
}

fn stmt(s: &Stmt) -> String {
    let labels: String = s.labels.iter().map(|l| format!("{}: ", l.name)).collect();
    format!("{labels}{}", kind(s))
}

fn kind(s: &Stmt) -> String {
    let options = |list: &[Block]| list.iter().map(block).collect::<Vec<_>>().join(" ");
    match &s.kind {
        StmtKind::Skip => "()".into(),
        StmtKind::If(o) => format!("if {}", options(o)),
        StmtKind::Do(o) => format!("do {}", options(o)),
        StmtKind::For { var, from, to, body } => {
            format!("for {} {}..{} {}", print::var(var), print::expr(from), print::expr(to), block(body))
        }
        StmtKind::ForIn { var, over, body } => {
            format!("for {} in {} {}", print::var(var), print::var(over), block(body))
        }
        StmtKind::Select { var, from, to, literal } => {
            let how = if *literal { "select" } else { "select*" };
            format!("{how} {} {}..{}", print::var(var), print::expr(from), print::expr(to))
        }
        StmtKind::Atomic(b) => format!("atomic {}", block(b)),
        StmtKind::DStep(b) => format!("d_step {}", block(b)),
        StmtKind::Block(b) => format!("block {}", block(b)),
        StmtKind::Unless { body, escape } => format!("({} unless {})", stmt(body), stmt(escape)),
        StmtKind::InlineCall { name, args, result, body } => {
            let result = result.as_ref().map_or(String::new(), |v| format!("{} = ", print::var(v)));
            format!("{result}{}({}) {}", name.name, args.join(","), block(body))
        }
        _ => print::statement(s),
    }
}
