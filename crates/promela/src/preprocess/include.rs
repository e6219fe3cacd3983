//! `#include`: the name of the file, and the limits on files that include files.

use super::{PpToken, Preprocessor};
use crate::lex::Kind;
use crate::token::Punct;
use starwheel_base::{Diagnostic, FileId, Span};

/// A file name as `#include` gives it.
struct Header {
    name: String,
    quoted: bool,
    span: Span,
}

/// The text of a file that need not be there, because every model may include it.
pub fn shipped(name: &str) -> Option<&'static str> {
    (name == "dtime.h").then_some(crate::DTIME_H)
}

impl Preprocessor<'_> {
    /// Does an `#include` whose keyword has been read.
    pub(super) fn include(&mut self, keyword: PpToken) {
        let header = self.header();
        // The rest of this line must be gone before the included file is put on top.
        let Some(header) = header else {
            self.line_tokens();
            let message = "#include needs a file name in quotes or angle brackets";
            return self.report(
                Diagnostic::error("bad-include", keyword.span, message).advise("write it as #include \"name\""),
            );
        };
        self.no_more_on_line("#include");
        if self.too_deep(&header) {
            return;
        }
        let from = self.frames.last().map_or(String::new(), |f| self.map.file(f.file).name.clone());
        let found = self.loader.load(&header.name, &from, header.quoted);
        let own = |why| shipped(&header.name).map(|text| (header.name.clone(), text.to_string())).ok_or(why);
        let ours = found.is_err();
        match found.or_else(own) {
            Ok((name, _)) if self.once.contains(&name) => {}
            Ok((name, text)) => {
                let file = self.file(name, text);
                if ours {
                    self.map.set_shipped(file);
                }
                self.open(file, header.span);
            }
            Err(why) => {
                let message = format!("cannot include {}: {why}", header.name);
                self.report(Diagnostic::error("cannot-include", header.span, message));
            }
        }
    }

    fn header(&mut self) -> Option<Header> {
        let frame = self.frames.last_mut()?;
        if let Some(raw) = frame.scanner.header_name() {
            let token = self.take_in(raw)?;
            let text = self.text(token);
            let name = text.get(1..text.len() - 1)?.to_string();
            return Some(Header { quoted: text.starts_with('"'), name, span: token.span })
                .filter(|h| !h.name.is_empty());
        }
        let tokens = self.line_tokens();
        let span = tokens.first()?.span;
        let expanded = self.expand_all(tokens);
        let (first, rest) = expanded.split_first()?;
        let header = match first.kind {
            Kind::Str => Header { name: self.text(*first).trim_matches('"').to_string(), quoted: true, span },
            Kind::Punct(Punct::Less) => Header { name: self.bracketed(rest)?, quoted: false, span },
            _ => return None,
        };
        Some(header).filter(|h| !h.name.is_empty())
    }

    /// The text in front of `>`.
    fn bracketed(&self, tokens: &[PpToken]) -> Option<String> {
        let end = tokens.iter().position(|t| t.kind == Kind::Punct(Punct::Greater))?;
        let mut name = String::new();
        for (i, &token) in tokens[..end].iter().enumerate() {
            if i > 0 && token.space {
                name.push(' ');
            }
            name += self.text(token);
        }
        Some(name)
    }

    fn too_deep(&mut self, header: &Header) -> bool {
        self.includes += 1;
        if self.frames.len() > super::MAX_INCLUDE_DEPTH {
            let message = format!("files include each other more than {} levels deep", super::MAX_INCLUDE_DEPTH);
            let advice = "a file that includes itself needs #ifndef around its text";
            self.stop(Diagnostic::error("include-depth", header.span, message).advise(advice));
        } else if self.includes > super::MAX_INCLUDES {
            let message = format!("more than {} files are included", super::MAX_INCLUDES);
            self.stop(Diagnostic::error("include-count", header.span, message));
        }
        self.stopped
    }

    /// The number of an included file; a file that is included again keeps its number.
    fn file(&mut self, name: String, text: String) -> FileId {
        if let Some(&known) = self.files.get(&name)
            && *self.map.file(known).text == *text
        {
            return known;
        }
        let file = self.map.add_file(name.clone(), text);
        self.files.insert(name, file);
        file
    }
}
