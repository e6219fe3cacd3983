//! The programs that the generator makes: a small syntax tree of Promela that says what the generator can say.
//!
//! It is no tree of what a parser would see: an unparenthesised operand prints as it is, and both checkers read the
//! printed text. That way the precedence of operators is tested, too.

/// The type of a variable or of a message field.
#[derive(Clone, Debug, PartialEq)]
pub enum Ty {
    /// `bit`
    Bit,
    /// `bool`
    Bool,
    /// `byte`
    Byte,
    /// `pid`
    Pid,
    /// `short`
    Short,
    /// `int`
    Int,
    /// `unsigned x : bits`
    Unsigned(u8),
    /// `mtype`, or a subtype of it.
    Mtype(Option<String>),
    /// `chan`
    Chan,
    /// A typedef by its name.
    Struct(String),
}

/// The word in front of a declaration.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Vis {
    /// No word.
    Plain,
    /// `hidden`
    Hidden,
    /// `local`
    Local,
    /// `show`
    Show,
}

/// What stands behind the `=` of a declaration.
#[derive(Clone, Debug)]
pub enum Init {
    /// One value for all elements.
    Value(Expr),
    /// `{1, 2}`: one value for each element.
    List(Vec<Expr>),
    /// `[capacity] of { fields }`
    Chan(u32, Vec<Ty>),
}

/// A declared variable, field or parameter.
#[derive(Clone, Debug)]
pub struct VarDecl {
    /// The word in front.
    pub vis: Vis,
    /// The type.
    pub ty: Ty,
    /// The name.
    pub name: String,
    /// The number of elements of an array.
    pub len: Option<u32>,
    /// The initial value.
    pub init: Option<Init>,
}

/// Something that can be assigned: `a`, `a[i]`, `a.b`, `a[i].b[j]`.
#[derive(Clone, Debug)]
pub struct Place {
    /// The name of the variable or field.
    pub name: String,
    /// The index behind the name.
    pub index: Option<Box<Expr>>,
    /// The field inside.
    pub field: Option<Box<Place>>,
}

/// An argument of a receive or of a poll.
#[derive(Clone, Debug)]
pub enum RecvArg {
    /// A variable that is assigned (in a poll: anything matches).
    Into(Place),
    /// A constant that must match.
    Match(Expr),
    /// `eval(e)`
    Eval(Expr),
    /// `_`
    Any,
}

/// A receive, or the poll of one.
#[derive(Clone, Debug)]
pub struct Recv {
    /// The channel.
    pub chan: Place,
    /// `??` instead of `?`.
    pub random: bool,
    /// The arguments.
    pub args: Vec<RecvArg>,
    /// `c?a(b)` instead of `c?a,b`.
    pub call_form: bool,
}

/// An expression.
#[derive(Clone, Debug)]
pub enum Expr {
    /// A number.
    Num(i64),
    /// A word that is printed as it is: an mtype name, a macro, `_pid`, `timeout`, `true`.
    Word(String),
    /// A variable.
    Var(Place),
    /// `(e)`
    Paren(Box<Expr>),
    /// `-e`, `!e`, `~e`
    Unary(&'static str, Box<Expr>),
    /// `a op b`
    Binary(&'static str, Box<Expr>, Box<Expr>),
    /// `(c -> a : b)`
    Cond(Box<Expr>, Box<Expr>, Box<Expr>),
    /// `len(c)`, `full(c)`, `nempty(c)` and so on.
    Chan(&'static str, Place),
    /// `c?[...]`
    Poll(Recv),
    /// `run P(args) priority n`
    Run(String, Vec<Expr>, Option<u32>),
    /// A word with arguments: `enabled(p)`, `pc_value(p)`, `get_priority(p)`, a macro with arguments.
    Call(String, Vec<Expr>),
    /// `P[pid]@L`
    RemoteLabel(String, Option<Box<Expr>>, String),
    /// `P[pid]:x`
    RemoteVar(String, Option<Box<Expr>>, Place),
}

/// A sequence of statements.
pub type Seq = Vec<Stmt>;

/// A statement with its labels.
#[derive(Clone, Debug)]
pub struct Stmt {
    /// The labels in front of it.
    pub labels: Vec<String>,
    /// What it does.
    pub kind: Kind,
    /// `->` instead of `;` behind it.
    pub arrow: bool,
}

/// The range of a `for`.
#[derive(Clone, Debug)]
pub enum ForRange {
    /// `i : a .. b`
    Values(Expr, Expr),
    /// `i in array` or `m in channel`
    In(Place),
}

/// What a statement does.
#[derive(Clone, Debug)]
pub enum Kind {
    /// A declaration.
    Decl(VarDecl),
    /// `xr c` or `xs c`
    Exclusive(&'static str, Place),
    /// `x = e`
    Assign(Place, Expr),
    /// `x++` or `x--`
    Step(Place, &'static str),
    /// A condition.
    Guard(Expr),
    /// `else`
    Else,
    /// `assert(e)`
    Assert(Expr),
    /// `printf("...", args)`: a number is printed for each argument.
    Printf(Vec<Expr>),
    /// `if ... fi`
    If(Vec<Seq>),
    /// `do ... od`
    Do(Vec<Seq>),
    /// `break`
    Break,
    /// `goto L`
    Goto(String),
    /// `atomic { }`
    Atomic(Seq),
    /// `d_step { }`
    DStep(Seq),
    /// `{ }`
    Block(Seq),
    /// `{ } unless { }`
    Unless(Seq, Seq),
    /// `c!args`, `c!!args`, `c!a(b)`
    Send(Place, bool, Vec<Expr>, bool),
    /// `c?args` and its relatives; the flag is for `c?<args>`.
    Recv(Recv, bool),
    /// `for (i : a .. b) { }`
    For(Place, ForRange, Seq),
    /// `select (i : a .. b)`
    Select(Place, Expr, Expr),
    /// A call of an inline or of a macro of statements.
    Call(String, Option<Vec<Expr>>),
    /// `set_priority(p, n)`
    SetPriority(Expr, Expr),
}

/// How a process type starts.
#[derive(Clone, Debug, PartialEq)]
pub enum Start {
    /// `init`
    Init,
    /// By `run` alone.
    Run,
    /// `active [n]`; 1 prints as plain `active`.
    Active(u32),
}

/// A process type.
#[derive(Clone, Debug)]
pub struct Proc {
    /// How it starts.
    pub start: Start,
    /// `D_proctype`
    pub deterministic: bool,
    /// The name; without meaning for `init`.
    pub name: String,
    /// The parameters.
    pub params: Vec<VarDecl>,
    /// `priority n`
    pub priority: Option<u32>,
    /// `provided (e)`
    pub provided: Option<Expr>,
    /// The body.
    pub body: Seq,
}

/// A top-level item.
#[derive(Clone, Debug)]
pub enum Item {
    /// `#define NAME body`, where the body is an expression.
    DefineExpr(String, Vec<String>, Expr),
    /// `#define NAME body`, where the body is a sequence of statements.
    DefineStmts(String, Seq),
    /// `mtype:sub = { names }`
    Mtype(Option<String>, Vec<String>),
    /// `typedef T { fields }`
    Typedef(String, Vec<VarDecl>),
    /// A global variable.
    Global(VarDecl),
    /// `inline f(params) { body }`
    Inline(String, Vec<String>, Seq),
    /// A process type.
    Proc(Proc),
    /// `trace { }`, `notrace { }` or `never { }`.
    Automaton(&'static str, Seq),
    /// `ltl name { e }`, where temporal operators are operators as any other.
    Ltl(String, Expr),
}

/// A whole program.
#[derive(Clone, Debug, Default)]
pub struct Program {
    /// Its items in the order of the text.
    pub items: Vec<Item>,
    /// Leave out those semicolons at line ends that SPIN inserts by itself.
    pub bare_lines: bool,
}

impl Stmt {
    /// A statement without labels.
    pub fn new(kind: Kind) -> Self {
        Self { labels: Vec::new(), kind, arrow: false }
    }
}

impl From<Kind> for Stmt {
    fn from(kind: Kind) -> Self {
        Stmt::new(kind)
    }
}

impl Place {
    /// A plain variable.
    pub fn name(name: &str) -> Self {
        Self { name: name.to_string(), index: None, field: None }
    }
}

impl Expr {
    /// `(e)`
    pub fn paren(self) -> Self {
        match self {
            Expr::Num(n) if n >= 0 => self,
            Expr::Word(_) | Expr::Var(_) | Expr::Paren(_) | Expr::Cond(..) => self,
            other => Expr::Paren(Box::new(other)),
        }
    }

    /// `a op b`, with parentheses around the operands where they are compound.
    pub fn binary(op: &'static str, a: Expr, b: Expr) -> Self {
        Expr::Binary(op, Box::new(a.paren()), Box::new(b.paren()))
    }

    /// A word.
    pub fn word(text: &str) -> Self {
        Expr::Word(text.to_string())
    }
}
