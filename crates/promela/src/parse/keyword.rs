//! The reserved words of the language, and the words that become operators inside LTL formulas.

use crate::ast::{BinaryOp, UnaryOp};

macro_rules! keywords {
    ($($name:ident = $text:literal,)*) => {
        /// A reserved word.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub(super) enum Kw {
            $($name,)*
        }

        impl Kw {
            /// The reserved word with these characters.
            pub(super) fn from_text(text: &str) -> Option<Kw> {
                match text {
                    $($text => Some(Kw::$name),)*
                    _ => None,
                }
            }

            /// The characters.
            pub(super) fn text(self) -> &'static str {
                match self { $(Kw::$name => $text,)* }
            }
        }
    };
}

// `in` is missing on purpose: it is reserved only between the parentheses of a `for`.
keywords! {
    Active = "active",
    Assert = "assert",
    Atomic = "atomic",
    Bit = "bit",
    Bool = "bool",
    Break = "break",
    Byte = "byte",
    CCode = "c_code",
    CDecl = "c_decl",
    CExpr = "c_expr",
    CState = "c_state",
    CTrack = "c_track",
    DProctype = "D_proctype",
    Do = "do",
    Chan = "chan",
    Else = "else",
    Empty = "empty",
    Enabled = "enabled",
    Eval = "eval",
    False = "false",
    Fi = "fi",
    For = "for",
    Full = "full",
    GetPriority = "get_priority",
    Goto = "goto",
    Hidden = "hidden",
    If = "if",
    Init = "init",
    Inline = "inline",
    Int = "int",
    Lazy = "__lazy",
    Len = "len",
    Local = "local",
    Ltl = "ltl",
    Mtype = "mtype",
    Nempty = "nempty",
    Never = "never",
    Nfull = "nfull",
    Notrace = "notrace",
    Np = "np_",
    Od = "od",
    Of = "of",
    PcValue = "pc_value",
    Pid = "pid",
    Printf = "printf",
    Printm = "printm",
    Priority = "priority",
    Proctype = "proctype",
    Provided = "provided",
    Return = "return",
    Run = "run",
    DStep = "d_step",
    Select = "select",
    SetPriority = "set_priority",
    Short = "short",
    Skip = "skip",
    Timeout = "timeout",
    Trace = "trace",
    True = "true",
    Show = "show",
    Typedef = "typedef",
    TimerExpire = "__expire",
    TimerOn = "__on",
    TimerReset = "__reset",
    TimerSet = "__set",
    Timer = "__timer",
    Unless = "unless",
    Unsigned = "unsigned",
    Xr = "xr",
    Xs = "xs",
}

impl Kw {
    /// True for words that can only begin a top-level unit, so that they end whatever was left open before them.
    pub(super) fn starts_unit(self) -> bool {
        use Kw::*;
        matches!(self, Active | Proctype | DProctype | Init | Never | Trace | Notrace | Ltl | Typedef | Inline)
    }

    /// True for words that begin a declaration of variables.
    pub(super) fn starts_decl(self) -> bool {
        use Kw::*;
        matches!(self, Hidden | Show | Local) || self.is_type()
    }

    /// True for the built-in types.
    pub(super) fn is_type(self) -> bool {
        use Kw::*;
        matches!(self, Bit | Bool | Byte | Pid | Short | Int | Unsigned | Mtype | Chan | Timer)
    }

    /// True for words that begin a statement.
    pub(super) fn starts_stmt(self) -> bool {
        use Kw::*;
        let block = matches!(self, If | Do | For | Select | Atomic | DStep | CCode);
        let simple = matches!(self, Assert | Break | Else | Goto | Printf | Printm | Return | SetPriority | Xr | Xs);
        let timer = matches!(self, TimerSet | TimerReset | Lazy);
        block || simple || timer || self.starts_decl() || self.starts_expr()
    }

    /// True for words that begin an expression.
    pub(super) fn starts_expr(self) -> bool {
        use Kw::*;
        let probe = matches!(self, Len | Full | Empty | Nfull | Nempty);
        let call = matches!(self, Enabled | PcValue | GetPriority | Run | CExpr | TimerExpire | TimerOn);
        probe || call || matches!(self, True | False | Skip | Timeout | Np)
    }
}

/// The unary operator that a word stands for inside a formula.
pub(super) fn ltl_prefix(word: &str) -> Option<UnaryOp> {
    match word {
        "X" | "next" => Some(UnaryOp::Next),
        "always" => Some(UnaryOp::Always),
        "eventually" => Some(UnaryOp::Eventually),
        _ => None,
    }
}

/// The binary operator that a word stands for inside a formula.
pub(super) fn ltl_infix(word: &str) -> Option<BinaryOp> {
    match word {
        "U" | "until" | "stronguntil" => Some(BinaryOp::Until),
        "V" | "release" => Some(BinaryOp::Release),
        "W" | "weakuntil" => Some(BinaryOp::WeakUntil),
        "implies" => Some(BinaryOp::Implies),
        "equivalent" => Some(BinaryOp::Equivalent),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_their_texts_agree() {
        for text in ["proctype", "D_proctype", "c_expr", "np_", "xs"] {
            assert_eq!(Kw::from_text(text).map(Kw::text), Some(text));
        }
        assert_eq!(Kw::from_text("in"), None);
    }
}
