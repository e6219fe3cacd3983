//! Makes a program smaller while something stays true of it: fewer items, statements, options, smaller expressions.

use crate::ast::*;
use crate::visit;

/// Shrinks until no single edit keeps `still`, or until it was asked `tries` times.
pub fn shrink(program: &Program, tries: u32, mut still: impl FnMut(&Program) -> bool) -> Program {
    let mut best = program.clone();
    let mut left = tries;
    loop {
        let mut progress = false;
        for level in [Level::Items, Level::Statements, Level::Details] {
            progress |= one_pass(&mut best, level, &mut left, &mut still);
        }
        if !progress || left == 0 {
            return best;
        }
    }
}

/// How coarse the edits of a pass are.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Level {
    Items,
    Statements,
    Details,
}

fn one_pass(best: &mut Program, level: Level, left: &mut u32, still: &mut impl FnMut(&Program) -> bool) -> bool {
    let mut progress = false;
    let mut index = 0;
    while *left > 0 {
        let mut candidate = best.clone();
        let mut editor = Editor { level, target: index, seen: 0, done: false };
        editor.program(&mut candidate);
        if !editor.done {
            break;
        }
        *left -= 1;
        if still(&candidate) {
            *best = candidate;
            progress = true;
        } else {
            index += 1;
        }
    }
    progress
}

/// Walks over a program and makes the edit with the number `target` of its level.
struct Editor {
    level: Level,
    target: usize,
    seen: usize,
    done: bool,
}

impl Editor {
    /// Is this the edit to make? Counts one possible edit of the level.
    fn turn(&mut self, level: Level) -> bool {
        if self.done || self.level != level {
            return false;
        }
        self.done = self.seen == self.target;
        self.seen += 1;
        self.done
    }

    fn program(&mut self, program: &mut Program) {
        if let Some(index) = (0..program.items.len()).find(|_| self.turn(Level::Items)) {
            program.items.remove(index);
            return;
        }
        if program.bare_lines && self.turn(Level::Details) {
            program.bare_lines = false;
        }
        for item in &mut program.items {
            self.item(item);
        }
        self.params(program);
    }

    fn item(&mut self, item: &mut Item) {
        match item {
            Item::Proc(p) => self.proc(p),
            Item::Inline(_, _, body) | Item::DefineStmts(_, body) | Item::Automaton(_, body) => self.seq(body),
            Item::DefineExpr(_, _, e) | Item::Ltl(_, e) => self.expr(e),
            Item::Global(d) => self.decl(d),
            Item::Typedef(_, fields) => self.remove_one(fields, Level::Details),
            Item::Mtype(_, names) => self.remove_one(names, Level::Details),
        }
    }

    fn remove_one<T>(&mut self, list: &mut Vec<T>, level: Level) {
        if list.len() < 2 {
            return;
        }
        if let Some(index) = (0..list.len()).find(|_| self.turn(level)) {
            list.remove(index);
        }
    }

    fn proc(&mut self, p: &mut Proc) {
        if p.provided.is_some() && self.turn(Level::Statements) {
            p.provided = None;
        }
        if p.priority.is_some() && self.turn(Level::Statements) {
            p.priority = None;
        }
        if p.deterministic && self.turn(Level::Statements) {
            p.deterministic = false;
        }
        if matches!(p.start, Start::Active(n) if n > 1) && self.turn(Level::Statements) {
            p.start = Start::Active(1);
        }
        self.seq(&mut p.body);
        if let Some(e) = &mut p.provided {
            self.expr(e);
        }
    }

    fn seq(&mut self, seq: &mut Seq) {
        if let Some(index) = (0..seq.len()).find(|_| self.turn(Level::Statements)) {
            seq.remove(index);
            return;
        }
        let mut index = 0;
        while index < seq.len() && !self.done {
            if let Some(inner) = self.unwrapped(&seq[index]) {
                seq.splice(index..=index, inner);
                return;
            }
            self.stmt(&mut seq[index]);
            index += 1;
        }
    }

    /// The statements inside a compound statement, in its place; its labels go to the first of them.
    fn unwrapped(&mut self, stmt: &Stmt) -> Option<Seq> {
        let insides = visit::seqs(&stmt.kind);
        let inside = insides.into_iter().find(|_| self.turn(Level::Statements))?;
        let mut inside = inside.clone();
        if let Some(first) = inside.first_mut() {
            first.labels.splice(0..0, stmt.labels.iter().cloned());
        }
        Some(inside)
    }

    fn stmt(&mut self, stmt: &mut Stmt) {
        if let Some(index) = (0..stmt.labels.len()).find(|_| self.turn(Level::Details)) {
            stmt.labels.remove(index);
        }
        if stmt.arrow && self.turn(Level::Details) {
            stmt.arrow = false;
        }
        match &mut stmt.kind {
            Kind::If(options) | Kind::Do(options) => self.remove_one(options, Level::Statements),
            Kind::Decl(d) => self.decl(d),
            Kind::Send(_, sorted, _, call) => {
                self.unset(sorted);
                self.unset(call);
            }
            Kind::Recv(recv, copy) => {
                self.unset(copy);
                self.unset(&mut recv.random);
                self.unset(&mut recv.call_form);
                self.recv_args(recv);
            }
            _ => {}
        }
        for inner in visit::seqs_mut(&mut stmt.kind) {
            self.seq(inner);
        }
        for e in visit::exprs_mut(&mut stmt.kind) {
            self.expr(e);
        }
    }

    fn recv_args(&mut self, recv: &mut Recv) {
        for arg in &mut recv.args {
            if !matches!(arg, RecvArg::Any) && self.turn(Level::Details) {
                *arg = RecvArg::Any;
            }
        }
    }

    fn unset(&mut self, flag: &mut bool) {
        if *flag && self.turn(Level::Details) {
            *flag = false;
        }
    }

    fn decl(&mut self, d: &mut VarDecl) {
        let plain = !matches!(d.init, Some(Init::Chan(..)) | None);
        if plain && self.turn(Level::Details) {
            d.init = None;
        }
        if d.vis != Vis::Plain && self.turn(Level::Details) {
            d.vis = Vis::Plain;
        }
        let simple = matches!(d.ty, Ty::Byte | Ty::Chan | Ty::Struct(_) | Ty::Mtype(_));
        if !simple && self.turn(Level::Details) {
            d.ty = Ty::Byte;
        }
        if let Some(Init::Chan(capacity, _)) = &mut d.init
            && *capacity > 1
            && self.turn(Level::Details)
        {
            *capacity = 1;
        }
        if let Some(Init::Value(e)) = &mut d.init {
            self.expr(e);
        }
    }

    /// An expression becomes 0, 1 or one of its parts.
    fn expr(&mut self, e: &mut Expr) {
        if !matches!(e, Expr::Num(0 | 1)) {
            for number in [0, 1] {
                if self.turn(Level::Details) {
                    *e = Expr::Num(number);
                    return;
                }
            }
        }
        let part = visit::parts(e).into_iter().find(|_| self.turn(Level::Details)).cloned();
        if let Some(part) = part {
            *e = part;
            return;
        }
        for inner in visit::parts_mut(e) {
            self.expr(inner);
        }
    }

    /// Removes one parameter of one process type, and its argument in every `run`.
    fn params(&mut self, program: &mut Program) {
        let mut removed = None;
        for item in &mut program.items {
            if let Item::Proc(p) = item
                && let Some(index) = (0..p.params.len()).find(|_| self.turn(Level::Details))
            {
                p.params.remove(index);
                removed = Some((p.name.clone(), index));
                break;
            }
        }
        let Some((name, index)) = removed else { return };
        visit::every_expr(program, &mut |e| {
            if let Expr::Run(callee, args, _) = e
                && *callee == name
                && index < args.len()
            {
                args.remove(index);
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{generate, print};

    #[test]
    fn a_program_shrinks_to_what_matters() {
        let seed = (0..200).find(|s| print::program(&generate::program(*s)).contains("atomic"));
        let program = generate::program(seed.expect("a program with atomic"));
        let small = shrink(&program, 100_000, |p| print::program(p).contains("atomic"));
        let text = print::program(&small);
        assert!(text.contains("atomic"));
        assert!(text.lines().count() <= 6, "not small:\n{text}");
    }

    #[test]
    fn nothing_is_lost_if_nothing_may_change() {
        let program = generate::program(3);
        let text = print::program(&program);
        assert_eq!(print::program(&shrink(&program, 10_000, |_| false)), text);
    }
}
