//! Tokens as the parser sees them: after preprocessing, each with the span where it was written.

use starwheel_base::Span;
use std::sync::Arc;

/// One token.
#[derive(Clone, Debug, PartialEq)]
pub struct Token {
    /// What it is.
    pub kind: TokenKind,
    /// Where it was written (and through which expansion it came).
    pub span: Span,
    /// True if it is the first token of a line *after* preprocessing; a macro's body, however long, is one line.
    /// The language lets a line end stand for a semicolon in some places.
    pub starts_line: bool,
}

/// The kinds of token. Keywords are identifiers; the parser knows them by their text.
#[derive(Clone, Debug, PartialEq)]
pub enum TokenKind {
    /// A name or a keyword.
    Ident(Arc<str>),
    /// A number or a character constant, with its value.
    Number(i64),
    /// A string: the characters between the quotes, escapes as they were written.
    Str(Arc<str>),
    /// Punctuation.
    Punct(Punct),
    /// The end of the input; the last token of every token list.
    Eof,
}

macro_rules! puncts {
    ($($name:ident = $text:literal,)*) => {
        /// Punctuation and operators.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Punct {
            $(#[doc = concat!("`", $text, "`")] $name,)*
        }

        impl Punct {
            /// All of them, longest text first, so that the first that fits is the right one.
            pub const ALL: &'static [Punct] = &[$(Punct::$name,)*];

            /// The characters.
            pub fn text(self) -> &'static str {
                match self { $(Punct::$name => $text,)* }
            }
        }
    };
}

puncts! {
    Equivalent = "<->",
    AndAnd = "&&",
    OrOr = "||",
    And = "/\\",
    Or = "\\/",
    Arrow = "->",
    EqEq = "==",
    NotEq = "!=",
    LessEq = "<=",
    GreaterEq = ">=",
    ShiftLeft = "<<",
    ShiftRight = ">>",
    Diamond = "<>",
    Increment = "++",
    Decrement = "--",
    BangBang = "!!",
    QueryQuery = "??",
    ColonColon = "::",
    DotDot = "..",
    Plus = "+",
    Minus = "-",
    Star = "*",
    Slash = "/",
    Percent = "%",
    Ampersand = "&",
    Bar = "|",
    Caret = "^",
    Tilde = "~",
    Bang = "!",
    Less = "<",
    Greater = ">",
    Assign = "=",
    Query = "?",
    Colon = ":",
    Semicolon = ";",
    Comma = ",",
    Dot = ".",
    At = "@",
    LeftParen = "(",
    RightParen = ")",
    LeftBracket = "[",
    RightBracket = "]",
    LeftBrace = "{",
    RightBrace = "}",
}
