//! The tree of an SDL text, as it was written and before any name is looked up.

use starwheel_base::Span;

/// A name with the place where it stands; two names are the same if their keys are.
#[derive(Clone, Debug, Default)]
pub struct Name {
    /// As written.
    pub text: String,
    /// In lower case.
    pub key: String,
    pub span: Span,
}

/// Systems and blocks: both hold signals, routes and what is inside.
#[derive(Clone, Debug)]
pub struct Scope {
    pub name: Name,
    pub system: bool,
    /// `block type`, `system type`: it is there as often as somebody uses it.
    pub is_type: bool,
    pub items: Vec<Item>,
}

/// Whatever may stand in a file, a system, a block, a process or a procedure.
#[derive(Clone, Debug)]
pub enum Item {
    Use,
    Scope(Scope),
    /// `block b referenced;` and the like: the part is a unit of its own elsewhere.
    Referenced(Name),
    /// `block b : t`, `system s : t`.
    ScopeUse {
        name: Name,
        of: Name,
        system: bool,
    },
    /// `select if (c); … endselect`: there only if the condition holds.
    Select(Expr, Vec<Item>),
    Process(Box<Process>),
    ProcessUse(ProcessUse),
    Procedure(Box<Procedure>),
    Signal(SignalDef),
    SignalList(Name, Vec<Name>),
    Channel(Channel),
    Connect(Name, Vec<Name>),
    Sort(SortDef),
    Synonym(Synonym),
    Variables(Vec<Variable>),
    Timers(Vec<Timer>),
    Composite(Box<Composite>),
    /// `monitor`, and the state lists of observers.
    Monitor(Name),
    Marked(Mark, Vec<Name>),
}

#[derive(Clone, Debug)]
pub struct SignalDef {
    pub name: Name,
    pub sorts: Vec<SortName>,
    /// What an observer means by it.
    pub renames: Option<EventName>,
}

/// What the states of an observer say about the run that led there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    Error,
    Ignore,
    Success,
}

/// Something that an observer sees: `input s from g to f`, `output s from g to f`.
#[derive(Clone, Debug)]
pub struct EventName {
    pub output: bool,
    pub signal: Name,
    pub from: Option<Name>,
    pub to: Option<Name>,
    pub span: Span,
}

/// A channel or a signal route.
#[derive(Clone, Debug)]
pub struct Channel {
    pub name: Name,
    pub paths: Vec<Path>,
    /// Signals may take their time: a channel without `nodelay`.
    pub delays: bool,
    pub route: Route,
}

/// What the options of a route say (IF).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Route {
    /// It may lose what it carries.
    pub lossy: bool,
    /// It carries to all instances, not to one of them.
    pub all: bool,
    /// It carries to whom the output names.
    pub peer: bool,
    /// How long a signal is on its way, at least and at most.
    pub within: Option<(i64, i64)>,
}

#[derive(Clone, Debug)]
pub struct Path {
    /// `None` is the environment of the enclosing scope.
    pub from: Option<Name>,
    /// Several only in texts that list them after `to`.
    pub to: Vec<Option<Name>>,
    pub signals: Vec<Name>,
    /// The gates at both ends (`from p via g`), as far as they are named.
    pub gates: Vec<Gate>,
}

/// A gate at one end of a path.
#[derive(Clone, Debug)]
pub struct Gate {
    /// Whose gate it is; `None` is the scope around the path.
    pub of: Option<Name>,
    pub name: Name,
}

/// A sort by name.
pub type SortName = Name;

#[derive(Clone, Debug)]
pub struct SortDef {
    pub name: Name,
    pub kind: SortDefKind,
    /// What a variable holds before anybody sets it.
    pub default: Option<Expr>,
    /// Its operators, which are procedures that return a value; one without a text is external.
    pub operators: Vec<Procedure>,
    /// Its words: two of one name are the same if these are.
    pub said: String,
}

#[derive(Clone, Debug)]
pub enum SortDefKind {
    Struct(Vec<(Name, SortName)>),
    Literals(Vec<Name>),
    Array(SortName, SortName),
    Choice(Vec<(Name, SortName)>),
    /// `string (sort, empty)`: the sort of the elements, and what the string without any is called.
    String(SortName, Option<Name>),
    /// `powerset (sort)`.
    Powerset(SortName),
    /// `syntype`, or a sort that inherits everything: a sort and its ranges.
    Range(SortName, Vec<Range>),
    /// It was refused where it is declared, so nothing more is to be said where it is used.
    Unread,
}

#[derive(Clone, Debug)]
pub struct Synonym {
    pub name: Name,
    pub sort: Option<SortName>,
    /// `None` for `external`.
    pub value: Option<Expr>,
    /// Its words: two of one name are the same if these are.
    pub said: String,
}

#[derive(Clone, Debug)]
pub struct Variable {
    pub name: Name,
    pub sort: SortName,
    pub value: Option<Expr>,
}

#[derive(Clone, Debug)]
pub struct Timer {
    pub name: Name,
    /// It stands for a value that a clock has not reached yet (IF).
    pub clock: bool,
    pub sorts: Vec<SortName>,
    pub default: Option<Expr>,
}

/// A timer that somebody names, with the values of its parameters.
#[derive(Clone, Debug)]
pub struct TimerName {
    pub name: Name,
    pub args: Vec<Expr>,
}

/// How many instances: at the start and at most.
#[derive(Clone, Debug, Default)]
pub struct Count {
    pub initial: Option<Expr>,
    pub most: Option<Expr>,
}

#[derive(Clone, Debug)]
pub struct Process {
    pub name: Name,
    pub is_type: bool,
    pub count: Count,
    pub params: Vec<Param>,
    pub items: Vec<Item>,
    pub body: Body,
}

/// `process p referenced;` (no type) or `process p : t;`.
#[derive(Clone, Debug)]
pub struct ProcessUse {
    pub name: Name,
    pub of: Option<Name>,
    pub count: Count,
}

/// How a parameter of a procedure is handed over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pass {
    In,
    Out,
    InOut,
}

#[derive(Clone, Debug)]
pub struct Param {
    pub pass: Pass,
    pub name: Name,
    pub sort: SortName,
}

#[derive(Clone, Debug)]
pub struct Procedure {
    pub name: Name,
    pub params: Vec<Param>,
    /// The sort of the result, and its name if it has one.
    pub result: Option<(Option<Name>, SortName)>,
    pub items: Vec<Item>,
    /// `None` for `external` and `referenced`.
    pub body: Option<Body>,
}

#[derive(Clone, Debug)]
pub struct Composite {
    pub name: Name,
    pub aggregation: bool,
    pub items: Vec<Item>,
    pub body: Body,
}

#[derive(Clone, Debug, Default)]
pub struct Body {
    pub starts: Vec<Start>,
    pub states: Vec<StateDef>,
    /// Transitions of their own that begin with a label.
    pub free: Vec<Trans>,
}

#[derive(Clone, Debug)]
pub struct Start {
    pub span: Span,
    pub via: Option<Name>,
    pub trans: Trans,
}

#[derive(Clone, Debug)]
pub struct StateDef {
    /// `None` for the asterisk.
    pub names: Option<Vec<Name>>,
    pub except: Vec<Name>,
    pub parts: Vec<StatePart>,
    pub span: Span,
}

/// A list of names or an asterisk.
#[derive(Clone, Debug)]
pub enum Names {
    All,
    List(Vec<Name>),
}

#[derive(Clone, Debug)]
pub enum StatePart {
    Save(Names),
    Input(Input),
    Continuous { when: Expr, priority: i64, trans: Trans },
    Connect { exits: Names, trans: Trans },
}

#[derive(Clone, Debug)]
pub struct Input {
    pub priority: bool,
    pub what: InputWhat,
    pub provided: Option<Expr>,
    pub trans: Trans,
    /// Without a signal: at once (IF), not at some moment (SDL).
    pub eager: bool,
    /// Without a signal, SENDER becomes SELF (SDL).
    pub own: bool,
    /// When it must not wait any longer (IF): its condition is about to end.
    pub urgent: Option<Expr>,
    /// Its condition asks for a clock (IF).
    pub timed: bool,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum InputWhat {
    All,
    Nothing,
    Signals(Vec<Stimulus>),
}

#[derive(Clone, Debug)]
pub struct Stimulus {
    pub name: Name,
    /// Where the values go; a value without a variable is lost.
    pub into: Vec<Option<Expr>>,
}

#[derive(Clone, Debug, Default)]
pub struct Trans {
    pub actions: Vec<Action>,
    pub end: Option<End>,
}

#[derive(Clone, Debug)]
pub struct End {
    pub kind: EndKind,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum EndKind {
    Next { state: Next, via: Option<Name> },
    Stop,
    Return(Option<Expr>),
    Join(Name),
}

#[derive(Clone, Debug)]
pub enum Next {
    State(Name),
    /// `-`: the same state, entered anew.
    Same,
    /// `-*`: the same state, where it was.
    History,
}

#[derive(Clone, Debug)]
pub struct Action {
    pub kind: ActionKind,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum ActionKind {
    Label(Name),
    Assign(Expr, Expr),
    /// A task or a decision in words.
    Informal,
    Output {
        signals: Vec<(Name, Vec<Option<Expr>>)>,
        to: Option<Expr>,
        via: Vec<Name>,
    },
    Create {
        process: Name,
        this: bool,
        args: Vec<Option<Expr>>,
    },
    Set {
        after: Option<Expr>,
        timer: TimerName,
    },
    Reset {
        timer: TimerName,
    },
    Call {
        name: Name,
        args: Vec<Expr>,
    },
    /// Ends another process, by its PId or its name (IF).
    Kill(Expr),
    Decision(Decision),
    /// Any one of these whose condition holds: what is done in an unstable state of IF.
    Select(Vec<(Option<Expr>, Trans)>),
    For {
        name: Name,
        over: Over,
        body: Vec<Action>,
    },
}

/// What a loop runs over.
#[derive(Clone, Debug)]
pub enum Over {
    /// `in range(from, to, step)`.
    Range(Vec<Expr>),
    /// `in list`.
    List(Expr),
}

#[derive(Clone, Debug)]
pub struct Decision {
    pub question: Question,
    pub answers: Vec<Answer>,
}

#[derive(Clone, Debug)]
pub enum Question {
    Any,
    Informal,
    Of(Expr),
}

#[derive(Clone, Debug)]
pub struct Answer {
    pub when: When,
    pub trans: Trans,
}

#[derive(Clone, Debug)]
pub enum When {
    Else,
    /// No ranges in answers to `any` and to questions in words.
    Ranges(Vec<Range>),
}

/// One range of an answer or of a syntype.
#[derive(Clone, Debug)]
pub enum Range {
    Is(Binary, Expr),
    Between(Expr, Expr),
    /// `size (a : b)`: how many elements there may be.
    Size(Box<Range>),
}

#[derive(Clone, Debug)]
pub struct Expr {
    pub kind: ExprKind,
    pub span: Span,
}

impl Expr {
    /// The keys of all names that stand for values.
    pub fn names(&self) -> Vec<String> {
        let mut found = Vec::new();
        let mut todo = vec![self];
        while let Some(e) = todo.pop() {
            match &e.kind {
                ExprKind::Name(n) => found.push(n.key.clone()),
                ExprKind::Apply(f, args) => todo.extend(args.iter().chain([&**f])),
                ExprKind::Field(a, _) | ExprKind::Unary(_, a) | ExprKind::Choice(_, a) => todo.push(a),
                ExprKind::Binary(_, a, b) => todo.extend([&**a, b]),
                ExprKind::If(c, a, b) => todo.extend([&**c, a, b]),
                ExprKind::List(list) => todo.extend(list),
                ExprKind::Record(list) => todo.extend(list.iter().map(|f| &f.1)),
                _ => {}
            }
        }
        found
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unary {
    Not,
    Minus,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Binary {
    Implies,
    Or,
    Xor,
    And,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    In,
    Add,
    Sub,
    Concat,
    Mul,
    Div,
    Mod,
    Rem,
}

/// The values that every process knows of itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Implicit {
    SelfPid,
    Sender,
    Parent,
    Offspring,
}

#[derive(Clone, Debug)]
pub enum ExprKind {
    Int(i64),
    /// A bit or hexadecimal string: a number or a list of octets.
    Octets(Vec<u8>, Option<i64>),
    Real,
    Text(String),
    Name(Name),
    /// `f(x)`, `a(i)`, `s(from, to)`: who is meant is known later.
    Apply(Box<Expr>, Vec<Expr>),
    Field(Box<Expr>, Name),
    Unary(Unary, Box<Expr>),
    Binary(Binary, Box<Expr>, Box<Expr>),
    If(Box<Expr>, Box<Expr>, Box<Expr>),
    List(Vec<Expr>),
    Record(Vec<(Name, Expr)>),
    /// `field : value`.
    Choice(Name, Box<Expr>),
    Now,
    Implicit(Implicit),
    Any(SortName),
    Active(Box<TimerName>),
    /// The step that has just been taken was this one.
    Event(Box<EventName>),
    Null,
}

/// `true` or `false`.
pub fn truth(value: bool, span: Span) -> Expr {
    let text = value.to_string();
    Expr { kind: ExprKind::Name(Name { key: text.clone(), text, span }), span }
}

/// What is done if a question is true, or if it is false.
pub fn answer(value: bool, trans: Trans, span: Span) -> Answer {
    Answer { when: When::Ranges(vec![Range::Is(Binary::Eq, truth(value, span))]), trans }
}
