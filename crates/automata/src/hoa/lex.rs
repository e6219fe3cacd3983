//! Takes HOA text apart into tokens with their places.

use super::HoaError;
use starwheel_base::cancel::Watch;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Token {
    /// A word with a colon behind it.
    Header(String),
    Word(String),
    Number(u64),
    Text(String),
    Alias(String),
    Body,
    EndOfAutomaton,
    Abort,
    Symbol(char),
    End,
}

impl Token {
    /// How a message names the token.
    pub fn describe(&self) -> String {
        match self {
            Token::Header(name) => format!("`{name}:`"),
            Token::Word(word) => format!("`{word}`"),
            Token::Number(number) => format!("`{number}`"),
            Token::Text(_) => "a text in quotes".to_owned(),
            Token::Alias(name) => format!("`@{name}`"),
            Token::Body => "`--BODY--`".to_owned(),
            Token::EndOfAutomaton => "`--END--`".to_owned(),
            Token::Abort => "`--ABORT--`".to_owned(),
            Token::Symbol(c) => format!("`{c}`"),
            Token::End => "the end of the text".to_owned(),
        }
    }
}

/// A place in the text, both from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub line: usize,
    pub column: usize,
}

impl Place {
    pub fn error(self, message: impl Into<String>) -> HoaError {
        HoaError { line: self.line, column: self.column, message: message.into() }
    }
}

pub(super) struct Lexer<'a> {
    rest: std::iter::Peekable<std::str::Chars<'a>>,
    place: Place,
    /// Asked with each token whether to go on.
    pub watch: Watch,
}

impl<'a> Lexer<'a> {
    pub fn new(text: &'a str, watch: Watch) -> Lexer<'a> {
        Lexer { rest: text.chars().peekable(), place: Place { line: 1, column: 1 }, watch }
    }

    fn bump(&mut self) -> Option<char> {
        let c = self.rest.next()?;
        if c == '\n' {
            self.place = Place { line: self.place.line + 1, column: 1 };
        } else {
            self.place.column += 1;
        }
        Some(c)
    }

    /// The next token and its place.
    pub fn next(&mut self) -> Result<(Token, Place), HoaError> {
        self.skip_space()?;
        let place = self.place;
        let Some(&first) = self.rest.peek() else { return Ok((Token::End, place)) };
        let token = match first {
            '"' => self.text(place)?,
            '@' => {
                self.bump();
                Token::Alias(self.word())
            }
            '-' => self.separator(place)?,
            '0'..='9' => self.number(place)?,
            c if c.is_ascii_alphabetic() || c == '_' => {
                let word = self.word();
                if self.rest.peek() == Some(&':') {
                    self.bump();
                    Token::Header(word)
                } else {
                    Token::Word(word)
                }
            }
            '!' | '&' | '|' | '(' | ')' | '[' | ']' | '{' | '}' => {
                self.bump();
                Token::Symbol(first)
            }
            other => return Err(place.error(format!("`{other}` has no meaning here"))),
        };
        Ok((token, place))
    }

    /// Skips white space and comments, which may be nested.
    fn skip_space(&mut self) -> Result<(), HoaError> {
        while let Some(&c) = self.rest.peek() {
            let place = self.place;
            if c.is_whitespace() {
                self.bump();
            } else if c == '/' {
                self.bump();
                if self.bump() != Some('*') {
                    return Err(place.error("`/` has no meaning here; a comment starts with `/*`"));
                }
                self.comment(place)?;
            } else {
                break;
            }
        }
        Ok(())
    }

    fn comment(&mut self, start: Place) -> Result<(), HoaError> {
        let (mut depth, mut last) = (1, ' ');
        while depth > 0 {
            let Some(c) = self.bump() else { return Err(start.error("this comment is not closed with `*/`")) };
            last = match (last, c) {
                ('*', '/') => {
                    depth -= 1;
                    ' '
                }
                ('/', '*') => {
                    depth += 1;
                    ' '
                }
                _ => c,
            };
        }
        Ok(())
    }

    fn text(&mut self, start: Place) -> Result<Token, HoaError> {
        self.bump();
        let mut text = String::new();
        loop {
            match self.bump() {
                Some('"') => return Ok(Token::Text(text)),
                Some('\\') => text.extend(self.bump()),
                Some(c) => text.push(c),
                None => return Err(start.error("this text is not closed with `\"`")),
            }
        }
    }

    fn word(&mut self) -> String {
        let mut word = String::new();
        while let Some(&c) = self.rest.peek()
            && (c.is_ascii_alphanumeric() || c == '_' || c == '-')
        {
            word.push(c);
            self.bump();
        }
        word
    }

    fn number(&mut self, start: Place) -> Result<Token, HoaError> {
        let mut value = 0u64;
        while let Some(digit) = self.rest.peek().and_then(|c| c.to_digit(10)) {
            self.bump();
            value = value
                .checked_mul(10)
                .and_then(|value| value.checked_add(u64::from(digit)))
                .ok_or_else(|| start.error("this number is too large"))?;
        }
        Ok(Token::Number(value))
    }

    fn separator(&mut self, start: Place) -> Result<Token, HoaError> {
        match self.word().as_str() {
            "--BODY--" => Ok(Token::Body),
            "--END--" => Ok(Token::EndOfAutomaton),
            "--ABORT--" => Ok(Token::Abort),
            other => {
                Err(start.error(format!("`{other}` has no meaning here; expected --BODY--, --END-- or --ABORT--")))
            }
        }
    }
}
