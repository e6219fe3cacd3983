//! Transitions: actions one after the other, and how they end.

use super::cursor::{Parsed, Parser};
use crate::ast::*;
use crate::lex::Kind;

/// A broken action ends at one of these.
const ACTION_WORDS: &[&str] = &[
    "task",
    "output",
    "create",
    "set",
    "reset",
    "call",
    "decision",
    "nextstate",
    "stop",
    "return",
    "join",
    "export",
    "input",
    "save",
    "provided",
    "priority",
    "connect",
    "endstate",
    "state",
    "connection",
    "endconnection",
    "else",
    "enddecision",
    "alternative",
    "endalternative",
    "start",
    "endprocess",
    "endprocedure",
    "endoperator",
    "endsubstructure",
];

/// Statements of SDL-2000 that are no actions of SDL-92.
const STATEMENTS: &[(&str, &str)] = &[
    ("for", "a FOR outside of a task"),
    ("while", "a WHILE"),
    ("loop", "a LOOP"),
    ("if", "an IF as an action"),
    ("switch", "a SWITCH"),
    ("break", "a BREAK"),
    ("continue", "a CONTINUE"),
    ("try", "an exception (TRY)"),
];

impl Parser<'_> {
    /// Actions and an end, if there is one.
    pub fn trans(&mut self) -> Parsed<Trans> {
        let mut trans = Trans::default();
        loop {
            let place = self.place();
            match self.step(&mut trans) {
                Ok(true) => {}
                Ok(false) => return Ok(trans),
                Err(_) => {
                    if self.place() == place {
                        self.bump();
                    }
                    self.skip_to(ACTION_WORDS);
                }
            }
        }
    }

    /// One action or the end; false if neither begins here.
    fn step(&mut self, trans: &mut Trans) -> Parsed<bool> {
        if self.accept_mark(";") {
            return Ok(true);
        }
        let span = self.span();
        if self.token().kind == Kind::Name && self.mark_ahead(1, ":") && !self.is("else") {
            let name = self.name("a label")?;
            self.bump();
            trans.actions.push(Action { kind: ActionKind::Label(name), span });
            return Ok(true);
        }
        if let Some(kind) = self.ending()? {
            let span = span.to(self.last());
            self.end()?;
            if trans.end.is_none() {
                trans.end = Some(End { kind, span });
            }
            return Ok(true);
        }
        if self.is_mark("{") {
            self.skip_block();
            return self.refuse(span, "a block of statements (SDL-2000)", "write one action for each, without braces");
        }
        if self.is_name() && self.mark_ahead(1, ":=") {
            return self.refuse(span, "an assignment outside of a task", "write TASK in front of it");
        }
        if !self.action(&mut trans.actions)? {
            return self.no_action();
        }
        if trans.end.is_some() {
            return self.error("unreached-action", span, "this action comes after the end of its transition");
        }
        Ok(true)
    }

    /// A word that begins neither an action nor anything that may follow a transition is skipped with a message, so that
    /// the rest of the transition is still read.
    fn no_action(&mut self) -> Parsed<bool> {
        let follows = self.is_one_of(ACTION_WORDS) || self.is_one_of(super::unit::ITEM_WORDS);
        if follows || !self.is_name() || self.token().word.starts_with("end") {
            return Ok(false);
        }
        if let Some(&(_, what)) = STATEMENTS.iter().find(|s| self.is(s.0)) {
            let span = self.span();
            self.skip_statement();
            return self.refuse(span, what, "use a decision and a label, or a task `for x in range(…): … endfor`");
        }
        if let Some(&(_, what, advice, _)) = super::unit::REFUSED.iter().find(|r| self.is(r.0)) {
            if self.ahead(1).kind == Kind::Name && self.mark_ahead(2, ";") && !self.is("macro") {
                return Ok(false);
            }
            return self.refuse(self.span(), what, advice);
        }
        self.unexpected("an action, or `nextstate`, `stop`, `return` or `join`")
    }

    /// Skips a statement of SDL-2000, with its block and its other branches, or a loop up to `endfor`.
    fn skip_statement(&mut self) {
        let looped = self.is("for");
        loop {
            while !self.at_end() && !self.is_mark("{") && !self.is_mark(";") {
                self.bump();
                // The parts of a FOR stand in brackets.
                if self.is_mark("(") {
                    self.skip_between("(", ")");
                }
                if looped && self.is_mark(":") && self.closes("endfor") {
                    return self.skip_past(&["endfor"]);
                }
            }
            self.skip_block();
            if !self.is("else") || self.mark_ahead(1, ":") {
                return;
            }
        }
    }

    /// Whether a word comes before the state or the transition can be over.
    fn closes(&self, word: &str) -> bool {
        let ends =
            |t: &str| ["nextstate", "stop", "join", "return", "state", "endprocess", "endprocedure"].contains(&t);
        (1..).map(|n| self.ahead(n)).take_while(|t| t.kind != Kind::End && !ends(&t.word)).any(|t| t.word == word)
    }

    fn ending(&mut self) -> Parsed<Option<EndKind>> {
        let kind = match self.token().word.as_str() {
            "nextstate" => {
                self.bump();
                self.next_state()?
            }
            "stop" => {
                self.bump();
                EndKind::Stop
            }
            "return" => {
                self.bump();
                let value = !self.is_mark(";") && !self.is("comment");
                EndKind::Return(if value { Some(self.expr()?) } else { None })
            }
            "join" => {
                self.bump();
                EndKind::Join(self.name("a label")?)
            }
            _ => return Ok(None),
        };
        Ok(Some(kind))
    }

    fn next_state(&mut self) -> Parsed<EndKind> {
        let state = if self.accept_mark("-") {
            if self.accept_mark("*") { Next::History } else { Next::Same }
        } else {
            Next::State(self.name("a state")?)
        };
        let via = if self.accept("via") { Some(self.name("an entry point")?) } else { None };
        Ok(EndKind::Next { state, via })
    }

    /// One action; false if none begins here.
    fn action(&mut self, actions: &mut Vec<Action>) -> Parsed<bool> {
        let start = self.span();
        let first = actions.len();
        match self.token().word.as_str() {
            "task" => {
                self.bump();
                if self.is_mark("{") {
                    let refused =
                        self.refuse(self.span(), "a block of statements in a task", "write one task for each");
                    self.skip_block();
                    return refused;
                }
                self.tasks(actions)?;
            }
            "output" => self.output(actions)?,
            "create" => self.create(actions)?,
            "set" if self.mark_ahead(1, "(") => self.set(actions)?,
            "reset" if self.mark_ahead(1, "(") => self.reset(actions)?,
            "call" => {
                self.bump();
                self.call(actions)?;
            }
            // An alternative is a decision on constants.
            "decision" | "alternative" => {
                let decision = self.deeper(|p| p.decision())?;
                actions.push(Action { kind: decision, span: start });
            }
            "export" => return self.refuse(start, "EXPORT", "hand the value out with a signal"),
            "macro" => return self.refuse(start, "a macro", "write its text out here"),
            "priority" if self.ahead(1).word == "output" => {
                self.bump();
                return self.refuse(start, "a priority output", "use a priority input where the signal is taken");
            }
            "raise" => return self.refuse(start, "an exception", "report the problem with a signal"),
            _ => return Ok(false),
        }
        self.end()?;
        for a in &mut actions[first..] {
            a.span = start.to(a.span);
        }
        Ok(true)
    }

    /// What may stand in a task: assignments, loops and words.
    fn tasks(&mut self, actions: &mut Vec<Action>) -> Parsed<()> {
        loop {
            self.task(actions)?;
            if !self.accept_mark(",") {
                return Ok(());
            }
        }
    }

    fn task(&mut self, actions: &mut Vec<Action>) -> Parsed<()> {
        let span = self.span();
        if matches!(self.token().kind, Kind::Text(_)) {
            self.bump();
            actions.push(Action { kind: ActionKind::Informal, span });
            return Ok(());
        }
        if self.is("for") {
            let kind = self.deeper(|p| p.for_loop())?;
            actions.push(Action { kind, span });
            return Ok(());
        }
        if self.accept("call") {
            return self.call(actions);
        }
        let target = self.place_expr()?;
        self.expect_mark(":=")?;
        let value = self.expr()?;
        let span = span.to(value.span);
        actions.push(Action { kind: ActionKind::Assign(target, value), span });
        Ok(())
    }

    fn for_loop(&mut self) -> Parsed<ActionKind> {
        self.bump();
        let name = self.name("a name")?;
        self.expect("in")?;
        let over = if self.is("range") && self.mark_ahead(1, "(") {
            self.bump();
            Over::Range(self.args()?)
        } else {
            Over::List(self.plain_expr()?)
        };
        self.expect_mark(":")?;
        let mut body = Vec::new();
        // Tools write the statements of a loop on lines of their own, with or without a mark between them.
        while !self.is("endfor") && !self.at_end() {
            self.task(&mut body)?;
            while self.accept_mark(";") || self.accept_mark(",") {}
        }
        self.expect("endfor")?;
        Ok(ActionKind::For { name, over, body })
    }

    fn output(&mut self, actions: &mut Vec<Action>) -> Parsed<()> {
        let span = self.span();
        self.bump();
        let mut signals = Vec::new();
        loop {
            let name = self.name("a signal")?;
            let args = if self.is_mark("(") { self.optional_args()? } else { Vec::new() };
            signals.push((name, args));
            if !self.accept_mark(",") {
                break;
            }
        }
        let to = match self.accept("to") {
            true => Some(self.expr()?),
            false => None,
        };
        let (mut via, mut all) = (Vec::new(), false);
        if self.accept("via") {
            all = self.is("all") && !self.mark_ahead(1, ";") && !self.mark_ahead(1, ",");
            if all {
                self.bump();
            }
            via = self.names("a route or channel")?;
        }
        let span = span.to(self.last());
        // One signal on each way, or one on any of them.
        let ways = if all { via.chunks(1).map(<[Name]>::to_vec).collect() } else { vec![via] };
        actions.extend(ways.into_iter().map(|via| {
            let kind = ActionKind::Output { signals: signals.clone(), to: to.clone(), via };
            Action { kind, span }
        }));
        Ok(())
    }

    fn create(&mut self, actions: &mut Vec<Action>) -> Parsed<()> {
        let span = self.span();
        self.bump();
        let process = self.name("a process")?;
        let this = process.key == "this";
        let args = if self.is_mark("(") { self.optional_args()? } else { Vec::new() };
        actions.push(Action { kind: ActionKind::Create { process, this, args }, span });
        Ok(())
    }

    /// `set (now + 5, t), (t2)`.
    fn set(&mut self, actions: &mut Vec<Action>) -> Parsed<()> {
        let span = self.span();
        self.bump();
        loop {
            self.expect_mark("(")?;
            let mut parts = vec![self.expr()?];
            while self.accept_mark(",") {
                parts.push(self.expr()?);
            }
            self.expect_mark(")")?;
            let timer = parts.pop();
            let after = parts.pop();
            if !parts.is_empty() {
                return self.error("set", span, "SET takes a time and a timer");
            }
            let timer = self.timer_of(timer)?;
            actions.push(Action { kind: ActionKind::Set { after, timer }, span });
            if !self.accept_mark(",") {
                return Ok(());
            }
        }
    }

    fn reset(&mut self, actions: &mut Vec<Action>) -> Parsed<()> {
        let span = self.span();
        self.bump();
        loop {
            self.expect_mark("(")?;
            let e = self.expr()?;
            self.expect_mark(")")?;
            let timer = self.timer_of(Some(e))?;
            actions.push(Action { kind: ActionKind::Reset { timer }, span });
            if !self.accept_mark(",") {
                return Ok(());
            }
        }
    }

    /// The timer that an expression names.
    fn timer_of(&mut self, e: Option<Expr>) -> Parsed<TimerName> {
        let Some(e) = e else { return self.unexpected("a timer") };
        match e.kind {
            ExprKind::Name(name) => Ok(TimerName { name, args: Vec::new() }),
            ExprKind::Apply(f, args) => match f.kind {
                ExprKind::Name(name) => Ok(TimerName { name, args }),
                _ => self.error("set", e.span, "a timer must stand here"),
            },
            _ => self.error("set", e.span, "a timer must stand here"),
        }
    }

    /// A call; TASTE sets timers by calls.
    fn call(&mut self, actions: &mut Vec<Action>) -> Parsed<()> {
        let span = self.span();
        self.accept("this");
        let name = self.name("a procedure")?;
        let mut args = if self.is_mark("(") { self.args()? } else { Vec::new() };
        if self.is("to") {
            return self.refuse(self.span(), "a remote procedure", "exchange signals instead");
        }
        let kind = match (name.key.as_str(), args.len()) {
            ("set_timer", 2) => {
                let e = args.pop();
                let timer = self.timer_of(e)?;
                let now = Expr { kind: ExprKind::Now, span };
                let after = args
                    .pop()
                    .map(|e| Expr { span: e.span, kind: ExprKind::Binary(Binary::Add, Box::new(now), Box::new(e)) });
                ActionKind::Set { after, timer }
            }
            ("reset_timer", 1) => {
                let e = args.pop();
                let timer = self.timer_of(e)?;
                ActionKind::Reset { timer }
            }
            _ => ActionKind::Call { name, args },
        };
        actions.push(Action { kind, span: span.to(self.last()) });
        Ok(())
    }

    fn decision(&mut self) -> Parsed<ActionKind> {
        self.bump();
        let question = if self.is("any") && !self.mark_ahead(1, "(") {
            self.bump();
            Question::Any
        } else if matches!(self.token().kind, Kind::Text(_)) {
            self.bump();
            Question::Informal
        } else {
            Question::Of(self.expr()?)
        };
        self.end()?;
        let mut answers = Vec::new();
        while !self.is_one_of(&["enddecision", "endalternative"]) {
            let place = self.place();
            match self.answer() {
                Ok(a) => answers.push(a),
                Err(_) => {
                    if self.place() == place {
                        self.bump();
                    }
                    self.skip_to(ACTION_WORDS);
                    if !self.is_one_of(&["else", "enddecision", "endalternative"]) && !self.is_mark("(") {
                        return Err(super::cursor::GaveUp);
                    }
                }
            }
        }
        self.bump();
        Ok(ActionKind::Decision(Decision { question, answers }))
    }

    fn answer(&mut self) -> Parsed<Answer> {
        let when = if self.accept("else") {
            When::Else
        } else {
            self.expect_mark("(")?;
            let informal = matches!(self.token().kind, Kind::Text(_)) && self.mark_ahead(1, ")");
            let ranges = if self.is_mark(")") {
                Vec::new()
            } else if informal {
                vec![Range::Is(Binary::Eq, self.expr()?)]
            } else {
                self.ranges()?
            };
            self.expect_mark(")")?;
            When::Ranges(ranges)
        };
        self.remark();
        self.expect_mark(":")?;
        let trans = self.trans()?;
        Ok(Answer { when, trans })
    }

    pub fn ranges(&mut self) -> Parsed<Vec<Range>> {
        let mut list = vec![self.range()?];
        while self.accept_mark(",") {
            list.push(self.range()?);
        }
        Ok(list)
    }

    fn range(&mut self) -> Parsed<Range> {
        const SIGNS: &[(&str, Binary)] = &[
            ("=", Binary::Eq),
            ("/=", Binary::Ne),
            ("<=", Binary::Le),
            ("<", Binary::Lt),
            (">=", Binary::Ge),
            (">", Binary::Gt),
        ];
        if let Some((_, op)) = SIGNS.iter().find(|(s, _)| self.is_mark(s)) {
            self.bump();
            return Ok(Range::Is(*op, self.plain_expr()?));
        }
        if self.is("size") && self.mark_ahead(1, "(") {
            self.bump();
            self.bump();
            let size = self.deeper(|p| p.range())?;
            self.expect_mark(")")?;
            return Ok(Range::Size(Box::new(size)));
        }
        let from = self.plain_expr()?;
        if self.accept_mark(":") {
            return Ok(Range::Between(from, self.plain_expr()?));
        }
        Ok(Range::Is(Binary::Eq, from))
    }
}
