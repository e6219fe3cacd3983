//! The syntax tree: what the parser makes of the tokens, before names and types are looked at.
//!
//! Inlines are expanded by the parser (they are textual in this language), so a call carries the parsed body that it
//! stands for. Everything else is kept as it was written; sugar such as `for` and `select` is taken apart when the tree
//! is lowered to a model.

use starwheel_base::Span;
use std::sync::Arc;

pub use starwheel_model::{BinaryOp as Operator, ChannelQuery};

/// A name and where it stands.
#[derive(Clone, Debug, PartialEq)]
pub struct Ident {
    /// The characters.
    pub name: Arc<str>,
    /// Where.
    pub span: Span,
}

/// A whole model: its top-level units in source order.
#[derive(Clone, Debug, Default)]
pub struct Program {
    /// In source order.
    pub units: Vec<Unit>,
}

/// A top-level unit.
#[derive(Clone, Debug)]
#[allow(clippy::large_enum_variant, reason = "a model has few units")]
pub enum Unit {
    /// `proctype`, `D_proctype`, with or without `active`.
    Proctype(Proctype),
    /// `init`.
    Init(Init),
    /// `never`.
    Never(Never),
    /// `trace` or `notrace`.
    Trace(Trace),
    /// `ltl`.
    Ltl(Ltl),
    /// `typedef`.
    Typedef(Typedef),
    /// `mtype = { … }`.
    Mtype(MtypeDecl),
    /// Variables or channels.
    Decl(Decl),
    /// The definition of an inline (its uses are expanded already).
    Inline(InlineDef),
    /// `c_code`, `c_decl`, `c_state`, `c_track` at top level.
    Embedded(EmbeddedC),
}

/// A process type.
#[derive(Clone, Debug)]
pub struct Proctype {
    /// From the first keyword to the name.
    pub span: Span,
    /// Its name.
    pub name: Ident,
    /// `active`, and the number in brackets if there is one.
    pub active: Option<Active>,
    /// `D_proctype`.
    pub deterministic: bool,
    /// Parameters: declarations without initialisers.
    pub params: Vec<Decl>,
    /// `priority N`.
    pub priority: Option<Expr>,
    /// `provided (e)`.
    pub provided: Option<Expr>,
    /// The body.
    pub body: Block,
}

/// `active` or `active [N]`.
#[derive(Clone, Debug)]
pub struct Active {
    /// The keyword.
    pub span: Span,
    /// The number in brackets.
    pub count: Option<Expr>,
}

/// The `init` process.
#[derive(Clone, Debug)]
pub struct Init {
    /// The keyword.
    pub span: Span,
    /// `priority N`.
    pub priority: Option<Expr>,
    /// The body.
    pub body: Block,
}

/// A never claim.
#[derive(Clone, Debug)]
pub struct Never {
    /// The keyword.
    pub span: Span,
    /// Its name, if it has one.
    pub name: Option<Ident>,
    /// The body.
    pub body: Block,
}

/// An event assertion.
#[derive(Clone, Debug)]
pub struct Trace {
    /// The keyword.
    pub span: Span,
    /// True for `notrace`.
    pub forbidden: bool,
    /// The body.
    pub body: Block,
}

/// An `ltl` block.
#[derive(Clone, Debug)]
pub struct Ltl {
    /// The keyword.
    pub span: Span,
    /// Its name, if it has one.
    pub name: Option<Ident>,
    /// The formula.
    pub formula: Expr,
}

/// A structure type.
#[derive(Clone, Debug)]
pub struct Typedef {
    /// The keyword and the name.
    pub span: Span,
    /// Its name.
    pub name: Ident,
    /// The fields.
    pub fields: Vec<Decl>,
}

/// Symbolic constants.
#[derive(Clone, Debug)]
pub struct MtypeDecl {
    /// The keyword.
    pub span: Span,
    /// The subtype in `mtype:sub = { … }`.
    pub subtype: Option<Ident>,
    /// The names in source order.
    pub names: Vec<Ident>,
}

/// The definition of an inline.
#[derive(Clone, Debug)]
pub struct InlineDef {
    /// The keyword and the name.
    pub span: Span,
    /// Its name.
    pub name: Ident,
    /// The parameters' names.
    pub params: Vec<Ident>,
}

/// A piece of embedded C, which is parsed and refused.
#[derive(Clone, Debug)]
pub struct EmbeddedC {
    /// The whole of it.
    pub span: Span,
    /// `c_code`, `c_expr`, `c_decl`, `c_state` or `c_track`.
    pub keyword: Ident,
}

/// `hidden`, `show` or `local` in front of a declaration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Visibility {
    /// Not part of the state.
    Hidden,
    /// Shown in charts.
    Show,
    /// Promised to be used by one process only.
    Local,
}

/// One declaration: a type and the names declared with it.
#[derive(Clone, Debug)]
pub struct Decl {
    /// The whole declaration.
    pub span: Span,
    /// `hidden`, `show`, `local`.
    pub visibility: Option<Visibility>,
    /// The type.
    pub ty: TypeName,
    /// The names.
    pub vars: Vec<Declarator>,
}

/// A type as it is written.
#[derive(Clone, Debug, PartialEq)]
pub enum TypeName {
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
    /// `unsigned`
    Unsigned,
    /// `mtype` or `mtype:sub`
    Mtype(Option<Ident>),
    /// `chan`
    Chan,
    /// `__timer`
    Timer,
    /// The name of a typedef
    Named(Ident),
}

/// One declared name.
#[derive(Clone, Debug)]
pub struct Declarator {
    /// From the name to the end of the initialiser.
    pub span: Span,
    /// The name.
    pub name: Ident,
    /// `: N`
    pub width: Option<Expr>,
    /// `[N]`
    pub length: Option<Expr>,
    /// `= …`
    pub init: Option<Initializer>,
}

/// What stands behind `=` in a declaration.
#[derive(Clone, Debug)]
pub enum Initializer {
    /// An expression.
    Expr(Expr),
    /// `{ 1, 2, 3 }`
    List(Vec<Expr>),
    /// `[N] of { … }`
    Channel(ChannelInit),
}

/// `[capacity] of { fields }`
#[derive(Clone, Debug)]
pub struct ChannelInit {
    /// The whole of it.
    pub span: Span,
    /// The number of slots.
    pub capacity: Expr,
    /// The types of the fields of a message, each with its place.
    pub fields: Vec<(TypeName, Span)>,
}

/// A sequence of steps: a body, an option, a block.
#[derive(Clone, Debug, Default)]
pub struct Block {
    /// The whole of it, braces included if there are any.
    pub span: Span,
    /// In source order.
    pub steps: Vec<Step>,
}

/// One element of a sequence.
#[derive(Clone, Debug)]
#[allow(clippy::large_enum_variant, reason = "nearly all elements are statements")]
pub enum Step {
    /// A declaration.
    Decl(Decl),
    /// `xr c, d` or `xs c, d`.
    Exclusive(Exclusive),
    /// A statement.
    Stmt(Stmt),
}

/// `xr` or `xs`.
#[derive(Clone, Debug)]
pub struct Exclusive {
    /// The whole of it.
    pub span: Span,
    /// True for `xr`, false for `xs`.
    pub receive: bool,
    /// The channels.
    pub channels: Vec<VarRef>,
}

/// A statement with its labels.
#[derive(Clone, Debug)]
pub struct Stmt {
    /// The statement without its labels.
    pub span: Span,
    /// `L1: L2: …`, outermost first. A label with nothing behind it labels a [`StmtKind::Skip`] whose span is the label's.
    pub labels: Vec<Ident>,
    /// What it is.
    pub kind: StmtKind,
}

/// The kinds of statement.
#[derive(Clone, Debug)]
pub enum StmtKind {
    /// Made by the parser behind a label that ends a sequence, or in place of a statement with an error.
    Skip,
    /// `if … fi`
    If(Vec<Block>),
    /// `do … od`
    Do(Vec<Block>),
    /// `for (i : a .. b) { … }`
    For {
        /// The loop variable.
        var: VarRef,
        /// The first value.
        from: Expr,
        /// The last value.
        to: Expr,
        /// The body.
        body: Block,
    },
    /// `for (x in a) { … }`
    ForIn {
        /// The loop variable.
        var: VarRef,
        /// An array or a channel.
        over: VarRef,
        /// The body.
        body: Block,
    },
    /// `select (i : a .. b)`
    Select {
        /// The variable.
        var: VarRef,
        /// The least value.
        from: Expr,
        /// The greatest value.
        to: Expr,
        /// True if the text between the parentheses makes SPIN write out one option per value: both bounds are digits
        /// (after macro expansion), the name is letters and digits only, and it is not inside an inline.
        literal: bool,
    },
    /// `atomic { … }`
    Atomic(Block),
    /// `d_step { … }`
    DStep(Block),
    /// `{ … }`
    Block(Block),
    /// `body unless escape`
    Unless {
        /// The normal part.
        body: Box<Stmt>,
        /// What interrupts it.
        escape: Box<Stmt>,
    },
    /// `break`
    Break,
    /// `goto L`
    Goto(Ident),
    /// `else`
    Else,
    /// `x = e`, also `x++` and `x--`, which are kept apart for printing.
    Assign {
        /// The variable.
        target: VarRef,
        /// `= e`, `++` or `--`.
        op: AssignOp,
    },
    /// `assert(e)`
    Assert(Expr),
    /// `printf("…", …)`
    Printf {
        /// The text between the quotes, escapes as written.
        format: Arc<str>,
        /// The arguments.
        args: Vec<Expr>,
    },
    /// `printm(e)`
    Printm(Expr),
    /// `c!a,b` and `c!!a,b`; `c!a(b)` is the same as `c!a,b`.
    Send {
        /// The channel.
        channel: VarRef,
        /// The message.
        args: Vec<Expr>,
        /// `!!`
        sorted: bool,
    },
    /// `c?a,b`, `c??a,b`, `c?<a,b>`, `c??<a,b>`
    Receive {
        /// The channel.
        channel: VarRef,
        /// The pattern.
        args: Vec<RecvArg>,
        /// `??`
        random: bool,
        /// `< >`: the message stays.
        copy: bool,
    },
    /// An expression as a statement.
    Expr(Expr),
    /// `set_priority(p, n)`
    SetPriority {
        /// The process.
        pid: Expr,
        /// Its new priority.
        priority: Expr,
    },
    /// `__set(t, e)`, and `__reset(t)`, which has no value.
    SetTimer {
        /// The timer.
        timer: VarRef,
        /// Slices to go.
        slices: Option<Expr>,
    },
    /// `__lazy e`: a condition whose step does not keep time from passing.
    Lazy(Expr),
    /// `name(args)` or `x = name(args)` for an inline; the body is parsed anew for each call, with the arguments put in.
    InlineCall {
        /// The inline.
        name: Ident,
        /// The arguments as text, for printing.
        args: Vec<String>,
        /// `x` in `x = name(args)`; a `return e` in the body has become an assignment to it.
        result: Option<VarRef>,
        /// What the call stands for.
        body: Block,
    },
    /// `c_code { … }`
    Embedded(EmbeddedC),
}

/// What an assignment does.
#[derive(Clone, Debug)]
pub enum AssignOp {
    /// `= e`
    Set(Expr),
    /// `++`
    Increment,
    /// `--`
    Decrement,
}

/// One position of a receive.
#[derive(Clone, Debug)]
pub enum RecvArg {
    /// A variable, a symbolic constant's name, or `_`: which one is known only once names are resolved.
    Var(VarRef),
    /// `eval(e)`
    Eval(Expr),
    /// A number (with its sign).
    Number(i64, Span),
}

/// A reference to a variable: `a`, `a[i]`, `a[i].b.c[j]`.
#[derive(Clone, Debug)]
pub struct VarRef {
    /// The whole of it.
    pub span: Span,
    /// At least one part.
    pub parts: Vec<VarPart>,
}

/// One name in a [`VarRef`].
#[derive(Clone, Debug)]
pub struct VarPart {
    /// The name.
    pub name: Ident,
    /// `[e]`
    pub index: Option<Box<Expr>>,
}

/// An expression.
#[derive(Clone, Debug)]
pub struct Expr {
    /// The whole of it, without parentheses around it.
    pub span: Span,
    /// What it is.
    pub kind: ExprKind,
    /// True if it was written in parentheses.
    pub parens: bool,
}

/// The kinds of expression; those of LTL occur only in `ltl` blocks and formulas.
#[derive(Clone, Debug)]
pub enum ExprKind {
    /// A number, a character, `true`, `false`, `skip`.
    Number(i64),
    /// A variable, a symbolic constant, `_pid`, `_nr_pr`, `_last`, `_priority` or `_`.
    Var(VarRef),
    /// A unary operator.
    Unary(UnaryOp, Box<Expr>),
    /// A binary operator.
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// `(c -> a : b)`
    Cond(Box<Expr>, Box<Expr>, Box<Expr>),
    /// `run P(args) [priority n]`
    Run {
        /// The process type.
        name: Ident,
        /// The arguments.
        args: Vec<Expr>,
        /// `priority n`
        priority: Option<Box<Expr>>,
    },
    /// `len(c)`, `full(c)`, `empty(c)`, `nfull(c)`, `nempty(c)`
    Channel(ChannelQuery, VarRef),
    /// `c?[args]`, `c??[args]`
    Poll {
        /// The channel.
        channel: VarRef,
        /// The pattern.
        args: Vec<RecvArg>,
        /// `??`
        random: bool,
    },
    /// `__expire(t)`, `__on(t)`
    Timer(TimerQuery, VarRef),
    /// `timeout`
    Timeout,
    /// `np_`
    NonProgress,
    /// `enabled(p)`
    Enabled(Box<Expr>),
    /// `pc_value(p)`
    PcValue(Box<Expr>),
    /// `get_priority(p)`
    GetPriority(Box<Expr>),
    /// `P@L`, `P[e]@L`
    RemoteLabel {
        /// The process type.
        process: Ident,
        /// `[e]`
        pid: Option<Box<Expr>>,
        /// The label.
        label: Ident,
    },
    /// `P:x`, `P[e]:x`
    RemoteVar {
        /// The process type.
        process: Ident,
        /// `[e]`
        pid: Option<Box<Expr>>,
        /// The variable.
        var: VarRef,
    },
    /// `c_expr { … }`
    Embedded(EmbeddedC),
}

/// Unary operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UnaryOp {
    /// `!`
    Not,
    /// `-`
    Neg,
    /// `~`
    BitNot,
    /// `[]`, `always`
    Always,
    /// `<>`, `eventually`
    Eventually,
    /// `X`, `next`
    Next,
}

/// Binary operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BinaryOp {
    /// One of expressions: what the tree has here, the model has as well.
    Plain(Operator),
    /// `->`, `implies` (LTL)
    Implies,
    /// `<->`, `equivalent` (LTL)
    Equivalent,
    /// `U`, `until`, `stronguntil` (LTL)
    Until,
    /// `W`, `weakuntil` (LTL)
    WeakUntil,
    /// `V`, `release` (LTL)
    Release,
}

impl BinaryOp {
    /// The operator of an expression; `None` for those that only formulas have.
    pub fn plain(self) -> Option<Operator> {
        match self {
            BinaryOp::Plain(op) => Some(op),
            BinaryOp::Implies | BinaryOp::Equivalent => None,
            BinaryOp::Until | BinaryOp::WeakUntil | BinaryOp::Release => None,
        }
    }
}

/// Questions about a timer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TimerQuery {
    /// It has run down in this slice.
    Expire,
    /// It runs.
    On,
}
