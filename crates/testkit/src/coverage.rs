//! Which constructs of the language the random programs contain, and how often.

use crate::ast::*;
use crate::shapes::shapes;
use crate::visit;
use std::collections::{BTreeMap, BTreeSet};

/// For each construct: in how many programs it occurs, and how often in all of them.
#[derive(Clone, Debug, Default)]
pub struct Coverage {
    counts: BTreeMap<String, (u64, u64)>,
}

impl Coverage {
    /// Counts the constructs of a program.
    pub fn add(&mut self, program: &Program) {
        let mut found = Vec::new();
        for item in &program.items {
            item_names(item, &mut found);
        }
        visit::every_expr(&mut program.clone(), &mut |e| expr_names(e, &mut found));
        found.extend(shapes(program).into_iter().map(String::from));
        let distinct: BTreeSet<&String> = found.iter().collect();
        for name in distinct {
            self.counts.entry(name.clone()).or_default().0 += 1;
        }
        for name in found {
            self.counts.entry(name).or_default().1 += 1;
        }
    }

    /// A table of all constructs.
    pub fn table(&self) -> String {
        let mut text = format!("{:<28} {:>9} {:>12}\n", "construct", "programs", "occurrences");
        for (name, (programs, occurrences)) in &self.counts {
            text.push_str(&format!("{name:<28} {programs:>9} {occurrences:>12}\n"));
        }
        text
    }

    /// In how many programs a construct occurs.
    pub fn programs(&self, name: &str) -> u64 {
        self.counts.get(name).map_or(0, |(programs, _)| *programs)
    }
}

fn item_names(item: &Item, found: &mut Vec<String>) {
    match item {
        Item::DefineExpr(..) => found.push("macro of a value".into()),
        Item::DefineStmts(_, body) => named_seq("macro of statements", body, found),
        Item::Mtype(None, _) => found.push("mtype".into()),
        Item::Mtype(Some(_), _) => found.push("mtype subtype".into()),
        Item::Typedef(_, fields) => {
            found.push("typedef".into());
            fields.iter().for_each(|d| decl_names("field", d, found));
        }
        Item::Global(d) => decl_names("global", d, found),
        Item::Inline(_, _, body) => named_seq("inline", body, found),
        Item::Proc(p) => proc_names(p, found),
        Item::Automaton(word, _) => found.push((*word).into()),
        Item::Ltl(..) => found.push("ltl".into()),
    }
}

fn named_seq(name: &str, body: &Seq, found: &mut Vec<String>) {
    found.push(name.into());
    visit::every_stmt(body, &mut |stmt| stmt_names(stmt, found));
}

fn proc_names(p: &Proc, found: &mut Vec<String>) {
    let start = match p.start {
        Start::Init => "init",
        Start::Run => "proctype by run",
        Start::Active(1) => "active",
        Start::Active(_) => "active [n]",
    };
    found.push(start.into());
    p.params.iter().for_each(|d| decl_names("parameter", d, found));
    let flags =
        [(p.provided.is_some(), "provided"), (p.priority.is_some(), "priority"), (p.deterministic, "D_proctype")];
    found.extend(flags.iter().filter(|(on, _)| *on).map(|(_, name)| name.to_string()));
    named_seq("body", &p.body, found);
}

fn decl_names(place: &str, d: &VarDecl, found: &mut Vec<String>) {
    found.push(format!("{place} {}", type_name(&d.ty)));
    if d.len.is_some() {
        found.push(format!("{place} array"));
    }
    if d.vis != Vis::Plain {
        found.push(format!("{:?}", d.vis).to_lowercase());
    }
    match &d.init {
        Some(Init::Chan(0, fields)) => field_names("rendezvous channel", fields, found),
        Some(Init::Chan(_, fields)) => field_names("buffered channel", fields, found),
        Some(Init::List(_)) => found.push(format!("{place} initialiser list")),
        Some(Init::Value(_)) => found.push(format!("{place} initialiser")),
        None => {}
    }
}

fn field_names(channel: &str, fields: &[Ty], found: &mut Vec<String>) {
    found.push(channel.into());
    found.extend(fields.iter().map(|f| format!("message field {}", type_name(f))));
}

fn type_name(ty: &Ty) -> String {
    match ty {
        Ty::Struct(_) => "typedef".into(),
        Ty::Mtype(Some(_)) => "mtype:sub".into(),
        other => crate::print::ty(other),
    }
}

fn stmt_names(stmt: &Stmt, found: &mut Vec<String>) {
    for label in &stmt.labels {
        let word = ["end", "progress", "accept"].into_iter().find(|w| label.starts_with(w));
        found.push(format!("{} label", word.unwrap_or("plain")));
        if !visit::seqs(&stmt.kind).is_empty() {
            found.push("label on a compound".into());
        }
    }
    let name = match &stmt.kind {
        Kind::Decl(d) => return decl_names("local", d, found),
        Kind::Exclusive(word, _) => word,
        Kind::Assign(place, _) if place.name == "_" => "assignment to _",
        Kind::Assign(..) => "assignment",
        Kind::Step(_, op) => op,
        Kind::Guard(Expr::Run(..)) => "run statement",
        Kind::Guard(Expr::Num(_)) => "constant guard",
        Kind::Guard(_) => "guard",
        Kind::Else => "else",
        Kind::Assert(_) => "assert",
        Kind::Printf(_) => "printf",
        Kind::If(_) => "if",
        Kind::Do(_) => "do",
        Kind::Break => "break",
        Kind::Goto(_) => "goto",
        Kind::Atomic(_) => "atomic",
        Kind::DStep(_) => "d_step",
        Kind::Block(_) => "block",
        Kind::Unless(..) => "unless",
        Kind::Send(_, sorted, ..) => {
            if *sorted {
                "send !!"
            } else {
                "send !"
            }
        }
        Kind::Recv(recv, copy) => return recv_names(recv, *copy, found),
        Kind::For(_, ForRange::Values(..), _) => "for range",
        Kind::For(_, ForRange::In(_), _) => "for in",
        Kind::Select(..) => "select",
        Kind::Call(_, Some(_)) => "inline call",
        Kind::Call(_, None) => "macro call",
        Kind::SetPriority(..) => "set_priority",
    };
    found.push(name.to_string());
}

fn recv_names(recv: &Recv, copy: bool, found: &mut Vec<String>) {
    let op = if recv.random { "??" } else { "?" };
    found.push(if copy { format!("receive {op}<>") } else { format!("receive {op}") });
    found.extend(recv.args.iter().map(arg_name));
}

fn arg_name(arg: &RecvArg) -> String {
    let name = match arg {
        RecvArg::Into(_) => "variable",
        RecvArg::Match(_) => "constant",
        RecvArg::Eval(_) => "eval",
        RecvArg::Any => "_",
    };
    format!("receive argument {name}")
}

fn expr_names(e: &Expr, found: &mut Vec<String>) {
    let name = match e {
        Expr::Word(word) if word.starts_with('_') || word == "timeout" => word.clone(),
        Expr::Unary(op, _) => format!("unary {op}"),
        Expr::Binary(op, ..) => format!("operator {op}"),
        Expr::Cond(..) => "conditional expression".into(),
        Expr::Chan(word, _) => (*word).into(),
        Expr::Poll(recv) => format!("poll {}[]", if recv.random { "??" } else { "?" }),
        Expr::Run(..) => "run".into(),
        Expr::Call(name, _) => format!("call {name}"),
        Expr::RemoteLabel(..) => "remote label".into(),
        Expr::RemoteVar(..) => "remote variable".into(),
        Expr::Var(Place { field: Some(_), .. }) => "field access".into(),
        Expr::Var(Place { index: Some(_), .. }) => "array access".into(),
        _ => return,
    };
    found.push(name);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate;

    #[test]
    fn every_construct_occurs_over_the_seeds() {
        let mut coverage = Coverage::default();
        (0..2000).for_each(|seed| coverage.add(&generate::program(seed)));
        let wanted = [
            "if",
            "do",
            "goto",
            "break",
            "atomic",
            "d_step",
            "unless",
            "else",
            "timeout",
            "rendezvous channel",
            "buffered channel",
            "send !!",
            "receive ??",
            "receive ?<>",
            "poll ?[]",
            "poll ??[]",
            "receive argument eval",
            "receive argument _",
            "len",
            "full",
            "empty",
            "nfull",
            "nempty",
            "run",
            "_nr_pr",
            "_pid",
            "active [n]",
            "typedef",
            "for range",
            "for in",
            "select",
            "inline call",
            "macro call",
            "conditional expression",
            "printf",
            "assert",
            "provided",
            "priority",
            "_last",
            "call enabled",
            "call pc_value",
            "remote label",
            "remote variable",
            "hidden",
            "local",
            "show",
            "mtype",
            "mtype subtype",
            "D_proctype",
            "xr",
            "xs",
            "trace",
            "notrace",
            "block",
            "label on a compound",
            "constant guard",
            "end label",
            "global unsigned",
            "local chan",
            "message field chan",
            "message field short",
            "global array",
            "set_priority",
            "ltl",
            "never",
        ];
        let missing: Vec<&&str> = wanted.iter().filter(|name| coverage.programs(name) == 0).collect();
        assert!(missing.is_empty(), "never generated: {missing:?}");
    }

    /// What reductions went wrong on without being seen must be frequent, not only possible.
    #[test]
    fn dangerous_combinations_are_frequent() {
        let mut coverage = Coverage::default();
        (0..2000).for_each(|seed| coverage.add(&generate::program(seed)));
        for (name, least) in crate::shapes::ALL {
            let programs = coverage.programs(name);
            assert!(programs >= least * 2, "{name}: in {programs} of 2000 programs only");
        }
    }
}
