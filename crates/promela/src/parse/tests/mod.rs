//! Tests of the parser.

mod lexer;
