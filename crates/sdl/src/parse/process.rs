//! Processes, procedures, composite states, variables and timers.

use super::cursor::{Parsed, Parser};
use crate::ast::*;
use crate::lex::Kind;

impl Parser<'_> {
    pub fn process(&mut self, items: &mut Vec<Item>) -> Parsed<()> {
        let start = self.span();
        self.bump();
        let is_type = self.accept("type");
        let name = self.name("the name of the process")?;
        let count = if self.is_mark("(") { self.count()? } else { Count::default() };
        if self.accept_mark(":") {
            let of = Some(self.name("a type of processes")?);
            let count = if self.is_mark("(") { self.count()? } else { count };
            items.push(Item::ProcessUse(ProcessUse { name, of, count }));
            return self.end();
        }
        if self.accept("referenced") {
            items.push(Item::ProcessUse(ProcessUse { name, of: None, count }));
            return self.end();
        }
        if self.is("inherits") || self.is_mark("<") {
            let _: Parsed<()> = match self.is_mark("<") {
                true => self.refuse(self.span(), "a context parameter", "write the type out for each of its uses"),
                false => self.refuse(self.span(), "inheritance of processes", "write the process out in full"),
            };
            self.skip_to(&[]);
        } else {
            self.end()?;
        }
        // Gates and the signal set may come before the parameters.
        let mut inside = self.items();
        let params = if self.accept("fpar") { self.params(false)? } else { Vec::new() };
        let (mut more, body) = self.deeper(|p| Ok(p.content("endprocess")))?;
        inside.append(&mut more);
        let mut process = Process { name, is_type, count, params, items: inside, body };
        process.name.span = start.to(process.name.span);
        items.push(Item::Process(Box::new(process)));
        self.closing("endprocess")
    }

    /// `(initial, most)`, both optional.
    fn count(&mut self) -> Parsed<Count> {
        self.expect_mark("(")?;
        let initial = self.count_number()?;
        let most = if self.accept_mark(",") { self.count_number()? } else { None };
        self.expect_mark(")")?;
        Ok(Count { initial, most })
    }

    fn count_number(&mut self) -> Parsed<Option<Expr>> {
        if self.is_mark(",") || self.is_mark(")") {
            return Ok(None);
        }
        Ok(Some(self.plain_expr()?))
    }

    /// Formal parameters. A list ends with a semicolon, or where another part begins.
    fn params(&mut self, passes: bool) -> Parsed<Vec<Param>> {
        let mut params = Vec::new();
        loop {
            let pass = if passes { self.pass() } else { Pass::In };
            let names = self.names("a parameter")?;
            let sort = self.name("a sort")?;
            params.extend(names.into_iter().map(|name| Param { pass, name, sort: sort.clone() }));
            if !self.accept_mark(",") {
                self.end()?;
                return Ok(params);
            }
        }
    }

    fn pass(&mut self) -> Pass {
        match self.token().word.as_str() {
            "in" => {
                self.bump();
                if !self.accept_mark("/") {
                    return Pass::In;
                }
                self.accept("out");
                Pass::InOut
            }
            "out" => {
                self.bump();
                Pass::Out
            }
            _ => Pass::In,
        }
    }

    pub fn procedure(&mut self, items: &mut Vec<Item>) -> Parsed<()> {
        self.bump();
        let name = self.name("the name of the procedure")?;
        let mut procedure = Procedure { name, params: Vec::new(), result: None, items: Vec::new(), body: None };
        if self.accept("referenced") {
            return self.end();
        }
        if self.is("inherits") {
            let refused = self.refuse(self.span(), "inheritance of procedures", "write the procedure out in full");
            self.skip_past(&["endprocedure"]);
            return refused;
        }
        self.end()?;
        // A signature that stands in a text of its own comes first or among the declarations.
        self.signature(&mut procedure)?;
        if self.accept("external") {
            self.end()?;
        } else if self.accept("referenced") {
            // The real text is elsewhere, with its parameters.
            return self.end();
        } else {
            self.deeper(|p| p.procedure_content(&mut procedure, "endprocedure"))?;
        }
        items.push(Item::Procedure(Box::new(procedure)));
        Ok(())
    }

    pub fn signature(&mut self, procedure: &mut Procedure) -> Parsed<()> {
        loop {
            if self.accept("fpar") {
                procedure.params = self.params(true)?;
            } else if self.accept("returns") {
                let first = self.name("a sort")?;
                procedure.result = Some(match self.is_name() && !self.is("comment") {
                    true => (Some(first), self.name("a sort")?),
                    false => (None, first),
                });
                self.end()?;
            } else {
                return Ok(());
            }
        }
    }

    /// Declarations and behaviour up to the word that ends them.
    pub fn procedure_content(&mut self, procedure: &mut Procedure, end: &str) -> Parsed<()> {
        loop {
            procedure.items.append(&mut self.items());
            let place = self.place();
            self.signature(procedure)?;
            if self.place() == place {
                break;
            }
        }
        let (mut items, body) = self.content(end);
        procedure.items.append(&mut items);
        procedure.body = Some(body);
        self.closing(end)
    }

    pub fn variables(&mut self, items: &mut Vec<Item>) -> Parsed<()> {
        self.bump();
        for word in ["exported", "revealed"] {
            if self.is(word) {
                let what = format!("a variable that is {word}");
                let _: Parsed<()> = self.refuse(self.span(), &what, "hand its value out with a signal");
                self.bump();
            }
        }
        let mut list = Vec::new();
        loop {
            let names = self.names("a variable")?;
            // The name under which an exported variable is known outside.
            if self.is("as") && self.ahead(1).kind == Kind::Name && self.ahead(2).kind == Kind::Name {
                self.bump();
                self.bump();
            }
            let sort = self.name("a sort")?;
            let value = if self.accept_mark(":=") { Some(self.expr()?) } else { None };
            list.extend(names.into_iter().map(|name| Variable { name, sort: sort.clone(), value: value.clone() }));
            if !self.accept_mark(",") {
                break;
            }
        }
        items.push(Item::Variables(list));
        self.end()
    }

    pub fn timers(&mut self, items: &mut Vec<Item>) -> Parsed<()> {
        self.bump();
        let mut list = Vec::new();
        loop {
            let name = self.name("a timer")?;
            let sorts = if self.is_mark("(") { self.sorts()? } else { Vec::new() };
            let default = if self.accept_mark(":=") { Some(self.expr()?) } else { None };
            list.push(Timer { name, clock: false, sorts, default });
            if !self.accept_mark(",") {
                break;
            }
        }
        items.push(Item::Timers(list));
        self.end()
    }

    /// True at `state n; substructure` and `state aggregation n`.
    pub fn is_composite(&self) -> bool {
        if self.ahead(1).word == "aggregation" && !self.mark_ahead(2, ";") {
            return true;
        }
        // A remark may stand before the semicolon.
        let mut n = 2;
        if self.ahead(n).word == "comment" {
            n += 2;
        }
        self.mark_ahead(n, ";") && self.ahead(n + 1).word == "substructure"
    }

    pub fn composite(&mut self, items: &mut Vec<Item>) -> Parsed<()> {
        self.bump();
        let aggregation = self.is("aggregation") && !self.mark_ahead(1, ";");
        if aggregation {
            self.bump();
        }
        let name = self.name("the name of the state")?;
        self.end()?;
        self.expect("substructure")?;
        self.accept_mark(";");
        while self.is_one_of(&["in", "out"]) {
            self.bump();
            self.expect_mark("(")?;
            self.names("an entry or exit point")?;
            self.expect_mark(")")?;
            self.end()?;
        }
        let (inside, body) = self.deeper(|p| Ok(p.content("endsubstructure")))?;
        items.push(Item::Composite(Box::new(Composite { name, aggregation, items: inside, body })));
        self.closing("endsubstructure")
    }

    /// Declarations and behaviour, in any order (tools write them as they like), up to the word that ends them.
    fn content(&mut self, end: &str) -> (Vec<Item>, Body) {
        let (mut items, mut body) = (Vec::new(), Body::default());
        loop {
            let place = self.place();
            items.append(&mut self.items());
            let _ = self.body(&mut body);
            if self.is(end) || self.at_end() || self.is_foreign_end(end) {
                return (items, body);
            }
            if self.place() == place {
                let what = format!("a declaration, a state or `{end}`");
                let _: Parsed<()> = self.unexpected(&what);
                self.bump();
                self.skip_to_item();
            }
        }
    }

    /// The end of something around us: our own is missing, and we must not run past it.
    fn is_foreign_end(&self, own: &str) -> bool {
        let ends =
            ["endprocess", "endprocedure", "endoperator", "endnewtype", "endsubstructure", "endblock", "endsystem"];
        self.is_one_of(&ends) && !self.is(own)
    }
}
