//! Finds where the propositions of a HOA text are written, for those who read their names as something more.

use super::HoaError;
use super::lex::{Lexer, Token};
use starwheel_base::cancel::Watch;

/// Line and column, both from 1, of the opening quote of each proposition of the first automaton.
pub fn proposition_places(text: &str) -> Result<Vec<(usize, usize)>, HoaError> {
    let mut lexer = Lexer::new(text, Watch::never());
    loop {
        match lexer.next()?.0 {
            Token::Header(name) if name == "AP" => break,
            Token::Body | Token::End => return Ok(Vec::new()),
            _ => {}
        }
    }
    lexer.next()?;
    let mut places = Vec::new();
    loop {
        match lexer.next()? {
            (Token::Text(_), place) => places.push((place.line, place.column)),
            _ => return Ok(places),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Comments and other headers do not confuse the search.
    #[test]
    fn places() {
        let text =
            "HOA: v1 /* AP: 1 \"z\" */\nname: \"AP: 1\"\nAP: 2 \"x > 1\"\n  \"\u{e9} \\\" y\"\nStart: 0\n--BODY--";
        assert_eq!(proposition_places(text), Ok(vec![(3, 7), (4, 3)]));
        assert_eq!(proposition_places("HOA: v1 --BODY-- AP: 1 \"x\""), Ok(Vec::new()));
        assert!(proposition_places("HOA: v1 AP: 1 \"x").is_err());
    }
}
