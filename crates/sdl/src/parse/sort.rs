//! Sorts and constants: NEWTYPE with its generators and operators, SYNTYPE, SYNONYM.
//!
//! An operator is a procedure that returns a value. Its text is an OPERATOR definition, or equations over literals
//! (`succ(0) == 1`), which are a table; an operator without either is external, as procedures can be.

use super::cursor::{Parsed, Parser};
use crate::ast::*;
use crate::lex::Kind;
use starwheel_base::Diagnostic;
use std::collections::HashMap;

/// The largest table of equations.
const MOST_EQUATIONS: usize = 200;

/// `f(a, b) == v`.
struct Equation {
    name: Name,
    args: Vec<Expr>,
    value: Expr,
}

impl Parser<'_> {
    pub fn newtype(&mut self, items: &mut Vec<Item>) -> Parsed<()> {
        self.bump();
        let name = self.name("the name of the sort")?;
        self.accept_mark(";");
        let mut sort = SortDef {
            name: name.clone(),
            kind: SortDefKind::Unread,
            default: None,
            operators: Vec::new(),
            said: String::new(),
        };
        let place = self.place();
        let read = self.newtype_content(&name, &mut sort);
        sort.said = self.said_since(place);
        items.push(Item::Sort(sort));
        if read.is_err() {
            // Whatever was wrong has been said; what is inside must not be read as something else.
            self.skip_newtype();
            return Ok(());
        }
        self.closing("endnewtype")
    }

    /// Skips to behind the end of a sort, or to what can stand in no sort.
    fn skip_newtype(&mut self) {
        const NEXT: &[&str] = &["newtype", "syntype", "block", "process", "endblock", "endsystem", "signal", "channel"];
        while !self.at_end() && !self.is_one_of(NEXT) {
            if self.is("endnewtype") {
                return self.skip_past(&["endnewtype"]);
            }
            self.bump();
        }
    }

    fn newtype_content(&mut self, name: &Name, sort: &mut SortDef) -> Parsed<()> {
        let kind = self.newtype_kind(name)?;
        let mut equations = Vec::new();
        while !self.at_end() && !self.is("endnewtype") {
            self.newtype_extra(&kind, sort, &mut equations)?;
        }
        tables(&mut sort.operators, equations);
        sort.kind = kind;
        Ok(())
    }

    fn newtype_kind(&mut self, name: &Name) -> Parsed<SortDefKind> {
        match self.token().word.as_str() {
            "struct" => {
                self.bump();
                Ok(SortDefKind::Struct(self.fields()?))
            }
            "choice" => {
                self.bump();
                Ok(SortDefKind::Choice(self.fields()?))
            }
            "literals" => {
                self.bump();
                let list = self.literals()?;
                self.accept_mark(";");
                Ok(SortDefKind::Literals(list))
            }
            "array" => {
                self.bump();
                let sorts = self.sorts()?;
                self.accept_mark(";");
                match <[Name; 2]>::try_from(sorts) {
                    Ok([index, element]) => Ok(SortDefKind::Array(index, element)),
                    Err(_) => self.error("array", name.span, "an array has two sorts: index and element"),
                }
            }
            "string" => self.string(),
            "powerset" => {
                self.bump();
                let mut sorts = self.sorts()?;
                self.accept_mark(";");
                match (sorts.pop(), sorts.is_empty()) {
                    (Some(of), true) => Ok(SortDefKind::Powerset(of)),
                    _ => self.error("powerset", name.span, "a powerset has one sort: that of its elements"),
                }
            }
            "inherits" => self.inherits(),
            _ => self.newtype_refused(name),
        }
    }

    /// `string (sort, empty)`; the name of the empty string may be missing or be `''`.
    fn string(&mut self) -> Parsed<SortDefKind> {
        self.bump();
        self.expect_mark("(")?;
        let element = self.name("a sort")?;
        let mut empty = None;
        if self.accept_mark(",") {
            if matches!(self.token().kind, Kind::Text(_)) {
                self.bump();
            } else {
                empty = Some(self.name("what the empty string is called")?);
            }
        }
        self.expect_mark(")")?;
        self.accept_mark(";");
        Ok(SortDefKind::String(element, empty))
    }

    /// `inherits t operators all`: the same values and operators under another name.
    fn inherits(&mut self) -> Parsed<SortDefKind> {
        let span = self.span();
        self.bump();
        let of = self.name("a sort")?;
        let changed = self.is_mark("[") || self.is_mark("(") || self.is("literals");
        let all = if self.accept("operators") { self.accept("all") } else { true };
        if changed || !all {
            return self.refuse(
                span,
                "inheritance of sorts that changes literals or operators",
                "write the sort out in full",
            );
        }
        self.accept_mark(";");
        Ok(SortDefKind::Range(of, Vec::new()))
    }

    /// Literals are names; numbers and signs in quotes can be literals, too.
    fn literals(&mut self) -> Parsed<Vec<Name>> {
        let mut list = Vec::new();
        loop {
            list.push(match self.token().kind {
                Kind::Int(_) => {
                    let name = self.take_name();
                    Name { key: name.text.clone(), ..name }
                }
                _ => self.name("a literal")?,
            });
            if !self.accept_mark(",") {
                self.only_once("literals", list.iter());
                return Ok(list);
            }
        }
    }

    /// Reports names of one sort that stand there twice, with both places.
    pub fn only_once<'n>(&mut self, what: &str, names: impl Iterator<Item = &'n Name>) {
        let mut known: HashMap<&str, &Name> = HashMap::new();
        for name in names {
            if let Some(other) = known.insert(&name.key, name) {
                let text = format!("there are two {what} `{}`", name.text);
                let d = Diagnostic::error("two-declarations", name.span, text).also(other.span, "the other one");
                self.diagnostics.push(d.advise("leave one of them out"));
            }
        }
    }

    fn newtype_refused<T>(&mut self, name: &Name) -> Parsed<T> {
        let (span, word) = (self.span(), self.token().word.clone());
        let what = match word.as_str() {
            "bag" => "the generator BAG".to_string(),
            "" | "endnewtype" | "axioms" | "operators" => format!("the abstract sort `{}`", name.text),
            _ => format!("the generator `{word}`"),
        };
        self.refuse(span, &what, "use STRUCT, LITERALS, ARRAY, STRING, POWERSET or CHOICE")
    }

    /// What may follow the main part of a sort.
    fn newtype_extra(&mut self, kind: &SortDefKind, sort: &mut SortDef, equations: &mut Vec<Equation>) -> Parsed<()> {
        match self.token().word.as_str() {
            "adding" => self.bump(),
            "default" => {
                self.bump();
                sort.default = Some(self.expr()?);
                self.accept_mark(";");
            }
            "operators" => self.operators(&mut sort.operators)?,
            "operator" => {
                if let Some(o) = self.operator()? {
                    put_operator(&mut sort.operators, o);
                }
            }
            "axioms" => self.axioms(kind, &sort.operators, equations)?,
            "literals" | "methods" => {
                let word = self.token().word.to_uppercase();
                let what = format!("{word} of the sort `{}`", sort.name.text);
                return self.refuse(self.span(), &what, "write a procedure that returns a value");
            }
            _ => return self.unexpected("`endnewtype`"),
        }
        Ok(())
    }

    /// `f : a, b -> c; g : -> c;`.
    fn operators(&mut self, list: &mut Vec<Procedure>) -> Parsed<()> {
        self.bump();
        loop {
            if self.accept("ordering") || self.accept("noequality") {
                self.accept_mark(";");
                continue;
            }
            if matches!(self.token().kind, Kind::Text(_)) {
                return self.refuse(self.span(), "an operator that is a sign", "give it a name");
            }
            if !self.is_name() || !self.mark_ahead(1, ":") && !self.mark_ahead(1, "!") {
                return Ok(());
            }
            let name = self.name("an operator")?;
            if self.accept_mark("!") {
                let what = format!("the operator `{}!` of one's own", name.text);
                return self.refuse(name.span, &what, "give it another name");
            }
            self.bump();
            let sorts = if self.is_mark("->") { Vec::new() } else { self.names("a sort")? };
            self.expect_mark("->")?;
            let result = self.name("a sort")?;
            let param = |(i, sort): (usize, Name)| {
                // A name that no text can have.
                let name = Name { text: format!("p{i}"), key: format!(" p{i}"), span: sort.span };
                Param { pass: Pass::In, name, sort }
            };
            put_operator(
                list,
                Procedure {
                    name,
                    params: sorts.into_iter().enumerate().map(param).collect(),
                    result: Some((None, result)),
                    items: Vec::new(),
                    body: None,
                },
            );
            if !self.is("endnewtype") {
                self.remark();
                self.accept_mark(";");
            }
        }
    }

    /// `operator f; fpar …; returns …; start; … endoperator;`, or nothing if its text is elsewhere.
    fn operator(&mut self) -> Parsed<Option<Procedure>> {
        self.bump();
        let name = self.name("an operator")?;
        let mut procedure = Procedure { name, params: Vec::new(), result: None, items: Vec::new(), body: None };
        if self.accept("referenced") {
            self.end()?;
            return Ok(None);
        }
        self.end()?;
        self.signature(&mut procedure)?;
        if self.accept("external") || self.accept("referenced") {
            self.end()?;
            return Ok(None);
        }
        self.deeper(|p| p.procedure_content(&mut procedure, "endoperator"))?;
        Ok(Some(procedure))
    }

    /// The text of an operator that its sort refers to.
    pub fn operator_apart(&mut self, items: &mut Vec<Item>) -> Parsed<()> {
        if let Some(o) = self.operator()? {
            items.push(Item::Procedure(Box::new(o)));
        }
        Ok(())
    }

    /// Equations; those between literals only are a table, all others are refused.
    fn axioms(&mut self, kind: &SortDefKind, known: &[Procedure], equations: &mut Vec<Equation>) -> Parsed<()> {
        let span = self.span();
        self.bump();
        let is_literal = |e: &Expr| match (&e.kind, kind) {
            (ExprKind::Int(_), _) => true,
            (ExprKind::Name(n), _) if n.key == "true" || n.key == "false" => true,
            (ExprKind::Name(n), SortDefKind::Literals(list)) => list.iter().any(|l| l.key == n.key),
            _ => false,
        };
        while !self.at_end() && !self.is_one_of(&["endnewtype", "default", "operator", "operators"]) {
            let before = self.diagnostics.len();
            let read = self.equation();
            let good = matches!(&read, Ok(e) if e.args.iter().all(is_literal)
                && is_literal(&e.value)
                && known.iter().any(|o| o.name.key == e.name.key && o.params.len() == e.args.len()));
            if !good || equations.len() >= MOST_EQUATIONS {
                // What the equation looks like to a reader of expressions is no news.
                self.diagnostics.truncate(before);
                return self.refuse(
                    span,
                    "AXIOMS that are more than equations between literals",
                    "write operators as texts: OPERATOR … ENDOPERATOR",
                );
            }
            equations.extend(read);
        }
        Ok(())
    }

    fn equation(&mut self) -> Parsed<Equation> {
        let left = self.plain_expr()?;
        let value = if self.accept_mark("==") { self.plain_expr()? } else { truth(true, left.span) };
        if !self.is("endnewtype") {
            self.end()?;
        }
        match left.kind {
            ExprKind::Apply(f, args) => match f.kind {
                ExprKind::Name(name) => Ok(Equation { name, args, value }),
                _ => Err(super::cursor::GaveUp),
            },
            _ => Err(super::cursor::GaveUp),
        }
    }

    fn fields(&mut self) -> Parsed<Vec<(Name, SortName)>> {
        let mut fields = Vec::new();
        let after = ["adding", "default", "operators", "operator", "axioms", "methods", "optional", "endnewtype"];
        while self.is_name() && !self.is_one_of(&after) {
            let names = self.names("a field")?;
            let sort = self.name("a sort")?;
            fields.extend(names.into_iter().map(|n| (n, sort.clone())));
            if self.is_mark("(") || self.is("optional") {
                return self.refuse(self.span(), "an optional field of a structure", "use a CHOICE");
            }
            // The last one needs no semicolon.
            if !self.is("endnewtype") {
                self.end()?;
            }
        }
        self.only_once("fields", fields.iter().map(|f| &f.0));
        Ok(fields)
    }

    pub fn syntype(&mut self, items: &mut Vec<Item>) -> Parsed<()> {
        self.bump();
        let name = self.name("the name of the sort")?;
        self.expect_mark("=")?;
        let place = self.place();
        let sort = self.name("a sort")?;
        self.accept_mark(";");
        let (mut ranges, mut default) = (Vec::new(), None);
        loop {
            if self.accept("default") {
                default = Some(self.expr()?);
            } else if self.accept("constants") {
                ranges = self.ranges()?;
            } else {
                break;
            }
            self.accept_mark(";");
        }
        let kind = SortDefKind::Range(sort, ranges);
        let said = self.said_since(place);
        items.push(Item::Sort(SortDef { name, kind, default, operators: Vec::new(), said }));
        self.closing("endsyntype")
    }

    pub fn synonym(&mut self, items: &mut Vec<Item>) -> Parsed<()> {
        self.bump();
        loop {
            let name = self.name("a name")?;
            let place = self.place();
            let sort = if self.is_name() { Some(self.name("a sort")?) } else { None };
            self.expect_mark("=")?;
            let value = if self.accept("external") { None } else { Some(self.expr()?) };
            let said = self.said_since(place);
            items.push(Item::Synonym(Synonym { name, sort, value, said }));
            if !self.accept_mark(",") {
                return self.end();
            }
        }
    }
}

/// A text stands for the signature that came before it.
fn put_operator(list: &mut Vec<Procedure>, new: Procedure) {
    let same = |o: &Procedure| o.name.key == new.name.key && o.params.len() == new.params.len();
    match list.iter_mut().find(|o| same(o) && (o.body.is_none() != new.body.is_none())) {
        Some(old) if old.body.is_none() => *old = new,
        Some(_) => {}
        None => list.push(new),
    }
}

/// Gives operators the text that their equations mean: one question after the other, and an error if none fits.
fn tables(operators: &mut [Procedure], equations: Vec<Equation>) {
    for o in operators.iter_mut().filter(|o| o.body.is_none()) {
        let mine: Vec<&Equation> =
            equations.iter().filter(|e| e.name.key == o.name.key && e.args.len() == o.params.len()).collect();
        let Some(first) = mine.first() else { continue };
        let span = first.name.span;
        let expr = |kind| Expr { kind, span };
        let mut actions = Vec::new();
        for (i, e) in mine.iter().enumerate() {
            let is = |(p, a): (&Param, &Expr)| {
                let name = expr(ExprKind::Name(p.name.clone()));
                expr(ExprKind::Binary(Binary::Eq, Box::new(name), Box::new(a.clone())))
            };
            let all = o.params.iter().zip(&e.args).map(is);
            let all = all.reduce(|a, b| expr(ExprKind::Binary(Binary::And, Box::new(a), Box::new(b))));
            let end = End { kind: EndKind::Return(Some(e.value.clone())), span: e.name.span };
            let yes = Trans { actions: Vec::new(), end: Some(end) };
            let question = Question::Of(all.unwrap_or_else(|| truth(true, span)));
            let mut answers = vec![answer(true, yes, span)];
            // Behind the last one there is nothing left: values that no equation speaks of are an error.
            if i + 1 < mine.len() {
                answers.push(answer(false, Trans::default(), span));
            }
            actions.push(Action { kind: ActionKind::Decision(Decision { question, answers }), span });
        }
        let start = Start { span, via: None, trans: Trans { actions, end: None } };
        o.body = Some(Body { starts: vec![start], states: Vec::new(), free: Vec::new() });
    }
}
