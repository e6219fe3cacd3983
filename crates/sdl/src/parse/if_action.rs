//! Transitions of IF: their actions, up to an end.

use super::cursor::{Parsed, Parser};
use crate::ast::*;
use crate::lex::Kind;
use starwheel_base::Span;

impl Parser<'_> {
    pub fn if_trans(&mut self) -> Parsed<Trans> {
        let mut trans = Trans::default();
        loop {
            let span = self.span();
            match self.token().word.as_str() {
                "nextstate" => {
                    self.bump();
                    let state = if self.accept_mark("-") { Next::Same } else { Next::State(self.name("a state")?) };
                    let kind = EndKind::Next { state, via: None };
                    trans.end = Some(End { kind, span });
                    self.end()?;
                    return Ok(trans);
                }
                "stop" => {
                    self.bump();
                    trans.end = Some(End { kind: EndKind::Stop, span });
                    self.end()?;
                    return Ok(trans);
                }
                _ => {
                    if !self.if_action(&mut trans.actions)? {
                        return Ok(trans);
                    }
                }
            }
        }
    }

    fn if_action(&mut self, actions: &mut Vec<Action>) -> Parsed<bool> {
        let span = self.span();
        let kind = match self.token().word.as_str() {
            "skip" => {
                self.bump();
                ActionKind::Informal
            }
            "task" if self.ahead(1).word == "skip" && self.mark_ahead(2, ";") => {
                self.bump();
                self.bump();
                ActionKind::Informal
            }
            "informal" => {
                self.bump();
                self.expr()?;
                ActionKind::Informal
            }
            "task" => {
                self.bump();
                let to = self.place_expr()?;
                self.expect_mark(":=")?;
                ActionKind::Assign(to, self.expr()?)
            }
            "set" => {
                self.bump();
                let timer = TimerName { name: self.name("a timer")?, args: Vec::new() };
                self.expect_mark(":=")?;
                let after = self.expr()?;
                if self.time.is_clock(&timer.name.key) && self.time.number(&after).is_none_or(|n| n < 0) {
                    return self.refuse(after.span, "setting a clock to what is no constant", "set it to a number");
                }
                let now = Expr { kind: ExprKind::Now, span };
                let at = after.span;
                let kind = ExprKind::Binary(Binary::Add, Box::new(now), Box::new(after));
                ActionKind::Set { after: Some(Expr { kind, span: at }), timer }
            }
            "reset" => {
                self.bump();
                ActionKind::Reset { timer: TimerName { name: self.name("a timer")?, args: Vec::new() } }
            }
            "call" => {
                self.bump();
                let name = self.name("a procedure")?;
                let args = if self.is_mark("(") { self.args()? } else { Vec::new() };
                ActionKind::Call { name, args }
            }
            "fork" => {
                self.bump();
                let process = self.name("a process")?;
                let args = if self.is_mark("(") { self.optional_args()? } else { Vec::new() };
                ActionKind::Create { process, this: false, args }
            }
            "output" => self.if_output()?,
            "if" => return self.deeper(|p| p.if_if(actions, span)),
            "kill" => {
                self.bump();
                ActionKind::Kill(self.if_somebody()?)
            }
            "while" => return self.deeper(|p| p.if_while(actions, span)),
            _ => return Ok(false),
        };
        actions.push(Action { kind, span: span.to(self.last()) });
        self.end()?;
        Ok(true)
    }

    /// `output s(e) via {r}0 to {q}0`.
    fn if_output(&mut self) -> Parsed<ActionKind> {
        self.bump();
        let name = self.name("a signal")?;
        let args = if self.is_mark("(") { self.optional_args()? } else { Vec::new() };
        let (mut via, mut to) = (Vec::new(), None);
        loop {
            if self.accept("via") {
                via.push(self.if_instance()?);
            } else if self.accept("to") {
                to = Some(self.if_somebody()?);
            } else {
                break;
            }
        }
        Ok(ActionKind::Output { signals: vec![(name, args)], to, via })
    }

    /// `{name}0` or a value of type pid.
    fn if_somebody(&mut self) -> Parsed<Expr> {
        if !self.is_mark("{") {
            return self.expr();
        }
        let name = self.if_instance()?;
        Ok(Expr { span: name.span, kind: ExprKind::Name(name) })
    }

    /// `{name}0` or a plain name.
    fn if_instance(&mut self) -> Parsed<Name> {
        let braces = self.accept_mark("{");
        let name = self.name("a name")?;
        if braces {
            self.expect_mark("}")?;
            if !matches!(self.token().kind, Kind::Int(0)) {
                return self.refuse(self.span(), "an instance other than 0", "send to a variable of type pid");
            }
            self.bump();
        }
        Ok(name)
    }

    fn if_if(&mut self, actions: &mut Vec<Action>, span: Span) -> Parsed<bool> {
        self.bump();
        let condition = self.expr()?;
        self.expect("then")?;
        let yes = self.if_trans()?;
        let no = if self.accept("else") { self.if_trans()? } else { Trans::default() };
        self.expect("endif")?;
        self.accept_mark(";");
        actions.push(either(condition, yes, no, span));
        Ok(true)
    }

    /// `while c do … endwhile`: a label, and a jump back to it.
    fn if_while(&mut self, actions: &mut Vec<Action>, span: Span) -> Parsed<bool> {
        self.bump();
        let condition = self.expr()?;
        self.expect("do")?;
        let mut again = self.if_trans()?;
        self.expect("endwhile")?;
        self.accept_mark(";");
        // IF has no labels of its own, so nobody else can have this one.
        let label = format!("while at {}", span.start);
        let label = Name { key: label.clone(), text: label, span };
        again.end.get_or_insert(End { kind: EndKind::Join(label.clone()), span });
        actions.push(Action { kind: ActionKind::Label(label), span });
        actions.push(either(condition, again, Trans::default(), span));
        Ok(true)
    }
}

/// One thing if a condition holds, another if it does not.
fn either(condition: Expr, yes: Trans, no: Trans, span: Span) -> Action {
    let answers = vec![answer(true, yes, span), answer(false, no, span)];
    Action { kind: ActionKind::Decision(Decision { question: Question::Of(condition), answers }), span }
}
