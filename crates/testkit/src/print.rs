//! From the generator's tree to Promela text.

use crate::ast::*;

/// The text of a program.
pub fn program(program: &Program) -> String {
    let mut printer = Printer { out: String::new(), indent: 0, bare_lines: program.bare_lines };
    for item in &program.items {
        printer.item(item);
    }
    printer.out
}

/// The text of an expression.
pub fn expr(e: &Expr) -> String {
    match e {
        Expr::Num(n) => n.to_string(),
        Expr::Word(word) => word.clone(),
        Expr::Var(p) => place(p),
        Expr::Paren(inner) => format!("({})", expr(inner)),
        Expr::Unary(op, inner) => format!("{op}{}", spaced_operand(op, expr(inner))),
        Expr::Binary(op, a, b) => format!("{} {op} {}", expr(a), expr(b)),
        Expr::Cond(c, a, b) => format!("({} -> {} : {})", expr(c), expr(a), expr(b)),
        Expr::Chan(word, chan) => format!("{word}({})", place(chan)),
        Expr::Poll(r) => format!("{}[{}]", recv_head(r), recv_args(r)),
        Expr::Run(name, args, priority) => format!("run {name}({}){}", exprs(args), priority_text(*priority)),
        Expr::Call(name, args) => format!("{name}({})", exprs(args)),
        Expr::RemoteLabel(name, pid, label) => format!("{name}{}@{label}", index_text(pid)),
        Expr::RemoteVar(name, pid, var) => format!("{name}{}:{}", index_text(pid), place(var)),
    }
}

/// The text of a formula. All operands have parentheses: SPIN does not read `[] x != 1` as anybody would.
pub fn formula(e: &Expr) -> String {
    match e {
        Expr::Paren(inner) => formula(inner),
        Expr::Unary(op @ ("[]" | "<>" | "!"), inner) => format!("{op} ({})", formula(inner)),
        Expr::Binary(op @ ("U" | "W" | "V" | "&&" | "||" | "->" | "<->"), a, b) => {
            format!("({}) {op} ({})", formula(a), formula(b))
        }
        plain => expr(plain),
    }
}

/// The text of something assignable.
pub fn place(p: &Place) -> String {
    let field = p.field.as_ref().map(|f| format!(".{}", place(f))).unwrap_or_default();
    format!("{}{}{field}", p.name, index_text(&p.index))
}

/// The word for a type as it stands in a declaration or a message.
pub fn ty(t: &Ty) -> String {
    match t {
        Ty::Bit => "bit".into(),
        Ty::Bool => "bool".into(),
        Ty::Byte => "byte".into(),
        Ty::Pid => "pid".into(),
        Ty::Short => "short".into(),
        Ty::Int => "int".into(),
        Ty::Unsigned(_) => "unsigned".into(),
        Ty::Mtype(None) => "mtype".into(),
        Ty::Mtype(Some(sub)) => format!("mtype:{sub}"),
        Ty::Chan => "chan".into(),
        Ty::Struct(name) => name.clone(),
    }
}

fn exprs(list: &[Expr]) -> String {
    list.iter().map(expr).collect::<Vec<_>>().join(", ")
}

fn index_text(index: &Option<Box<Expr>>) -> String {
    index.as_ref().map(|i| format!("[{}]", expr(i))).unwrap_or_default()
}

fn priority_text(priority: Option<u32>) -> String {
    priority.map(|p| format!(" priority {p}")).unwrap_or_default()
}

/// `--x` would be another token than `- -x`, hence the parentheses.
fn spaced_operand(op: &str, operand: String) -> String {
    if operand.starts_with(op) { format!("({operand})") } else { operand }
}

fn recv_head(r: &Recv) -> String {
    format!("{}{}", place(&r.chan), if r.random { "??" } else { "?" })
}

fn recv_args(r: &Recv) -> String {
    let texts: Vec<String> = r.args.iter().map(recv_arg).collect();
    call_form(&texts, r.call_form)
}

/// `a, b, c`, or `a(b, c)` which means the same.
fn call_form(texts: &[String], wanted: bool) -> String {
    match texts {
        [first, rest @ ..] if wanted && !rest.is_empty() => format!("{first}({})", rest.join(", ")),
        all => all.join(", "),
    }
}

fn recv_arg(arg: &RecvArg) -> String {
    match arg {
        RecvArg::Into(p) => place(p),
        RecvArg::Match(e) => expr(e),
        RecvArg::Eval(e) => format!("eval({})", expr(e)),
        RecvArg::Any => "_".into(),
    }
}

/// A declaration without its final separator.
fn decl(d: &VarDecl) -> String {
    let vis = match d.vis {
        Vis::Plain => "",
        Vis::Hidden => "hidden ",
        Vis::Local => "local ",
        Vis::Show => "show ",
    };
    let bits = if let Ty::Unsigned(bits) = d.ty { format!(" : {bits}") } else { String::new() };
    let len = d.len.map(|n| format!("[{n}]")).unwrap_or_default();
    format!("{vis}{} {}{bits}{len}{}", ty(&d.ty), d.name, init(&d.init))
}

fn init(init: &Option<Init>) -> String {
    match init {
        None => String::new(),
        Some(Init::Value(e)) => format!(" = {}", expr(e)),
        Some(Init::List(list)) => format!(" = {{{}}}", exprs(list)),
        Some(Init::Chan(capacity, fields)) => {
            let fields: Vec<String> = fields.iter().map(ty).collect();
            format!(" = [{capacity}] of {{ {} }}", fields.join(", "))
        }
    }
}

struct Printer {
    out: String,
    indent: usize,
    bare_lines: bool,
}

impl Printer {
    fn line(&mut self, text: &str) {
        for _ in 0..self.indent {
            self.out.push_str("  ");
        }
        self.out.push_str(text);
        self.out.push('\n');
    }

    fn item(&mut self, item: &Item) {
        match item {
            Item::DefineExpr(name, params, body) => {
                let params = if params.is_empty() { String::new() } else { format!("({})", params.join(",")) };
                self.line(&format!("#define {name}{params} {}", expr(body)));
            }
            Item::DefineStmts(name, body) => {
                let flat = flat_seq(body);
                self.line(&format!("#define {name} {flat}"));
            }
            Item::Mtype(None, names) => self.line(&format!("mtype = {{ {} }};", names.join(", "))),
            Item::Mtype(Some(sub), names) => self.line(&format!("mtype:{sub} = {{ {} }};", names.join(", "))),
            Item::Typedef(name, fields) => {
                let fields: Vec<String> = fields.iter().map(decl).collect();
                self.line(&format!("typedef {name} {{ {} }};", fields.join("; ")));
            }
            Item::Global(d) => self.line(&format!("{};", decl(d))),
            Item::Inline(name, params, body) => {
                self.braces(&format!("inline {name}({}) {{", params.join(", ")), body, "}");
            }
            Item::Proc(p) => self.proc(p),
            Item::Automaton(word, body) => self.braces(&format!("{word} {{"), body, "}"),
            Item::Ltl(name, e) => self.line(&format!("ltl {name} {{ {} }}", formula(e))),
        }
    }

    fn proc(&mut self, p: &Proc) {
        let word = if p.deterministic { "D_proctype" } else { "proctype" };
        let params: Vec<String> = p.params.iter().map(decl).collect();
        let signature = format!("{word} {}({})", p.name, params.join("; "));
        let head = match p.start {
            Start::Init => "init".to_string(),
            Start::Run => signature,
            Start::Active(1) => format!("active {signature}"),
            Start::Active(n) => format!("active [{n}] {signature}"),
        };
        let provided = p.provided.as_ref().map(|e| format!(" provided ({})", expr(e))).unwrap_or_default();
        self.braces(&format!("{head}{}{provided} {{", priority_text(p.priority)), &p.body, "}");
    }

    /// A head line, an indented sequence and a closing line.
    fn braces(&mut self, head: &str, body: &[Stmt], close: &str) {
        self.line(head);
        self.indent += 1;
        self.seq(body);
        self.indent -= 1;
        self.line(close);
    }

    fn seq(&mut self, body: &[Stmt]) {
        if body.is_empty() {
            self.line("skip");
        }
        for (index, stmt) in body.iter().enumerate() {
            let end = self.separator(stmt, index + 1 == body.len());
            self.stmt(stmt, end);
        }
    }

    /// What stands behind a statement. SPIN inserts the semicolon at a line end behind a name, a number or a bracket.
    fn separator(&self, stmt: &Stmt, last: bool) -> &'static str {
        let insertable = matches!(stmt.kind, Kind::Assign(..) | Kind::Step(..) | Kind::If(_) | Kind::Do(_));
        match (last, stmt.arrow) {
            (true, _) => "",
            (false, true) => " ->",
            (false, false) if self.bare_lines && insertable => "",
            (false, false) => ";",
        }
    }

    fn stmt(&mut self, stmt: &Stmt, end: &str) {
        for label in &stmt.labels {
            self.line(&format!("{label}:"));
        }
        match &stmt.kind {
            Kind::If(options) => self.options("if", options, &format!("fi{end}")),
            Kind::Do(options) => self.options("do", options, &format!("od{end}")),
            Kind::Atomic(body) => self.braces("atomic {", body, &format!("}}{end}")),
            Kind::DStep(body) => self.braces("d_step {", body, &format!("}}{end}")),
            Kind::Block(body) => self.braces("{", body, &format!("}}{end}")),
            Kind::Unless(body, escape) => {
                self.braces("{", body, "}");
                self.braces("unless {", escape, &format!("}}{end}"));
            }
            Kind::For(var, range, body) => {
                self.braces(&format!("{} {{", for_head(var, range)), body, &format!("}}{end}"));
            }
            simple => self.line(&format!("{}{end}", simple_stmt(simple))),
        }
    }

    fn options(&mut self, open: &str, options: &[Seq], close: &str) {
        self.line(open);
        for option in options {
            self.line("::");
            self.indent += 1;
            self.seq(option);
            self.indent -= 1;
        }
        self.line(close);
    }
}

fn for_head(var: &Place, range: &ForRange) -> String {
    match range {
        ForRange::Values(a, b) => format!("for ({} : {} .. {})", place(var), expr(a), expr(b)),
        ForRange::In(whole) => format!("for ({} in {})", place(var), place(whole)),
    }
}

/// The simple statements of a macro in one line.
fn flat_seq(body: &[Stmt]) -> String {
    let texts: Vec<String> = body.iter().map(|s| simple_stmt(&s.kind)).collect();
    if texts.is_empty() { "skip".into() } else { texts.join("; ") }
}

/// The text of a statement that fits in a line; compound statements are printed by [`Printer::stmt`].
fn simple_stmt(kind: &Kind) -> String {
    match kind {
        Kind::Decl(d) => decl(d),
        Kind::Exclusive(word, chan) => format!("{word} {}", place(chan)),
        Kind::Assign(p, e) => format!("{} = {}", place(p), expr(e)),
        Kind::Step(p, op) => format!("{}{op}", place(p)),
        Kind::Guard(e) => expr(e),
        Kind::Else => "else".into(),
        Kind::Assert(e) => format!("assert({})", expr(e)),
        Kind::Printf(args) => printf(args),
        Kind::Break => "break".into(),
        Kind::Goto(label) => format!("goto {label}"),
        Kind::Send(chan, sorted, args, call) => {
            let texts: Vec<String> = args.iter().map(expr).collect();
            format!("{}{}{}", place(chan), if *sorted { "!!" } else { "!" }, call_form(&texts, *call))
        }
        Kind::Recv(r, true) => format!("{}<{}>", recv_head(r), recv_args(r)),
        Kind::Recv(r, false) => format!("{}{}", recv_head(r), recv_args(r)),
        Kind::Select(var, a, b) => format!("select ({} : {} .. {})", place(var), expr(a), expr(b)),
        Kind::Call(name, Some(args)) => format!("{name}({})", exprs(args)),
        Kind::Call(name, None) => name.clone(),
        Kind::SetPriority(p, n) => format!("set_priority({}, {})", expr(p), expr(n)),
        Kind::If(_) | Kind::Do(_) | Kind::Atomic(_) | Kind::DStep(_) => "skip".into(),
        Kind::Block(_) | Kind::Unless(..) | Kind::For(..) => "skip".into(),
    }
}

fn printf(args: &[Expr]) -> String {
    let format: String = args.iter().map(|_| " %d").collect();
    let tail: String = args.iter().map(|a| format!(", {}", expr(a))).collect();
    format!("printf(\"at{format}\\n\"{tail})")
}
