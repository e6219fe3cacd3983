//! What one use of a macro stands for: its body with the arguments put in, `#` and `##` done, and spans that tell how
//! each token came here.
//!
//! All tokens of one use belong to expansions whose call is the macro's name at the place of use. Tokens of the body and
//! tokens of the arguments have different ones, so that no span is made that reaches from one to the other.

use super::define::{Macro, Piece, What};
use super::hide::HideSet;
use super::{PpToken, Preprocessor};
use crate::lex::{Kind, Scanner};
use crate::token::Punct;
use starwheel_base::{Diagnostic, Expansion, ExpansionId};
use std::collections::HashMap;

/// One use of a macro.
#[derive(Clone, Copy)]
pub(super) struct Use {
    /// The macro's name at the place of use.
    at: PpToken,
    /// What must not expand the tokens again.
    hide: HideSet,
    /// The expansion of the tokens of the body.
    body: ExpansionId,
}

/// The arguments of one use of a macro.
pub(super) struct Arguments {
    raw: Vec<Vec<PpToken>>,
    expanded: Vec<Option<Vec<PpToken>>>,
    /// The part of the arguments that `...` stands for is left out altogether.
    rest_omitted: bool,
}

impl Arguments {
    /// Those of a macro without parameters.
    pub fn none() -> Arguments {
        Arguments::new(Vec::new(), false)
    }

    /// Those that are given.
    pub fn new(raw: Vec<Vec<PpToken>>, rest_omitted: bool) -> Arguments {
        let expanded = raw.iter().map(|_| None).collect();
        Arguments { raw, expanded, rest_omitted }
    }
}

impl Preprocessor<'_> {
    /// Notes a use of a macro.
    pub(super) fn register(&mut self, definition: &Macro, at: PpToken, hide: HideSet) -> Use {
        let name = self.names.text(definition.name).clone();
        let body = self.map.add_expansion(Expansion { name, call: at.span, inline: false });
        Use { at, hide, body }
    }

    /// The tokens that a use of a macro stands for.
    pub(super) fn substitute(&mut self, definition: &Macro, site: Use, mut arguments: Arguments) -> Vec<PpToken> {
        self.take_over(site, &mut arguments);
        let mut out = Vec::new();
        for piece in &definition.body {
            if self.stopped {
                return Vec::new();
            }
            if piece.glued_before && self.is_rest_behind_comma(definition, piece, &out) {
                self.put_rest_behind_comma(piece, &arguments, &mut out);
                continue;
            }
            let mut tokens = self.piece(piece, site, &mut arguments);
            self.charge(tokens.len(), site.at.span);
            if let Some(first) = tokens.first_mut() {
                first.space = piece.token.space;
            } else if piece.glued_before || piece.glued_after || piece.token.space {
                // Also holds the place of a blank, which would otherwise be lost with the empty argument.
                tokens.push(PpToken { kind: Kind::Empty, ..piece.token });
            }
            if piece.glued_before {
                self.glue(&mut out, &tokens);
            } else {
                out.append(&mut tokens);
            }
        }
        self.finished(out, site)
    }

    /// The last touches: no place holders, no second expansion by the same macro, and the line of the use.
    fn finished(&mut self, tokens: Vec<PpToken>, site: Use) -> Vec<PpToken> {
        let mut out: Vec<PpToken> = Vec::with_capacity(tokens.len());
        let mut space = false;
        for token in tokens {
            space |= token.space;
            if token.kind == Kind::Empty {
                continue;
            }
            let hide = self.hides.union(token.hide, site.hide);
            let space = std::mem::take(&mut space);
            out.push(PpToken { hide, space, line: site.at.line, line_start: false, ..token });
        }
        if let Some(first) = out.first_mut() {
            first.space = site.at.space;
        }
        out
    }

    /// The tokens of one piece of a body.
    fn piece(&mut self, piece: &Piece, site: Use, arguments: &mut Arguments) -> Vec<PpToken> {
        let mut token = piece.token;
        token.span.expansion = site.body;
        match piece.what {
            What::Plain => vec![PpToken { hide: HideSet::EMPTY, line: site.at.line, ..token }],
            What::Quoted(i) => vec![self.quoted(&arguments.raw[i], token, site)],
            What::Argument(i) if piece.glued_before || piece.glued_after => arguments.raw[i].clone(),
            What::Argument(i) => self.expanded(i, arguments, site),
        }
    }

    /// An argument with the macros in it expanded.
    fn expanded(&mut self, i: usize, arguments: &mut Arguments, site: Use) -> Vec<PpToken> {
        if let Some(known) = &arguments.expanded[i] {
            return known.clone();
        }
        if self.argument_depth == super::MAX_ARGUMENT_DEPTH {
            let message =
                format!("macros are used in arguments of macros more than {} levels deep", self.argument_depth);
            self.stop(Diagnostic::error("macro-depth", site.at.span, message));
            return Vec::new();
        }
        self.argument_depth += 1;
        let expanded = self.expand_all(arguments.raw[i].clone());
        self.argument_depth -= 1;
        arguments.expanded[i] = Some(expanded.clone());
        expanded
    }

    /// `#parameter`
    fn quoted(&mut self, tokens: &[PpToken], hash: PpToken, site: Use) -> PpToken {
        let mut text = String::from("\"");
        for (i, &token) in tokens.iter().enumerate() {
            if i > 0 && token.space {
                text.push(' ');
            }
            let written = self.text(token);
            if matches!(token.kind, Kind::Str | Kind::Char) {
                text += &written.replace('\\', "\\\\").replace('"', "\\\"");
            } else {
                text += written;
            }
        }
        // A backslash at the end would hide the closing quote.
        if (text.len() - text.trim_end_matches('\\').len()) % 2 == 1 {
            text.pop();
        }
        text.push('"');
        self.charge(text.len() / 4, site.at.span);
        let text = self.names.symbol(&text);
        PpToken { kind: Kind::Str, text, hide: HideSet::EMPTY, line: site.at.line, ..hash }
    }

    /// True for `, ## rest`, where GCC takes the comma away if there is no rest.
    fn is_rest_behind_comma(&self, definition: &Macro, piece: &Piece, out: &[PpToken]) -> bool {
        let last = definition.params.as_ref().map_or(0, Vec::len).wrapping_sub(1);
        let comma = out.last().is_some_and(|t| t.kind == Kind::Punct(Punct::Comma));
        definition.variadic && comma && piece.what == What::Argument(last)
    }

    fn put_rest_behind_comma(&mut self, piece: &Piece, arguments: &Arguments, out: &mut Vec<PpToken>) {
        if arguments.rest_omitted {
            out.pop();
            return;
        }
        let rest = arguments.raw.last().map_or(&[][..], |r| r);
        let start = out.len();
        out.extend_from_slice(rest);
        if let Some(first) = out.get_mut(start) {
            first.space = piece.token.space;
        }
    }

    /// `##`: joins the last token to the first of the new ones.
    fn glue(&mut self, out: &mut Vec<PpToken>, tokens: &[PpToken]) {
        let (Some(left), Some((&right, rest))) = (out.pop(), tokens.split_first()) else { return };
        match (left.kind, right.kind) {
            (Kind::Empty, _) => out.push(PpToken { space: left.space, ..right }),
            (_, Kind::Empty) => out.push(left),
            _ => self.glue_two(left, right, out),
        }
        out.extend_from_slice(rest);
    }

    fn glue_two(&mut self, left: PpToken, right: PpToken, out: &mut Vec<PpToken>) {
        let text = format!("{}{}", self.text(left), self.text(right));
        self.charge(text.len() / 4, left.span);
        let mut scanner = Scanner::new(text.as_str().into());
        let (first, second) = (scanner.next(), scanner.next());
        let whole = first.start == 0 && first.end as usize == text.len() && second.kind == Kind::End;
        if whole && !matches!(first.kind, Kind::Broken | Kind::Other) {
            let hide = self.hides.intersection(left.hide, right.hide);
            let text = self.names.symbol(&text);
            return out.push(PpToken { kind: first.kind, text, hide, ..left });
        }
        let message = format!("{} and {} do not make one token", self.text(left), self.text(right));
        let diagnostic = Diagnostic::error("bad-paste", left.span, message)
            .also(right.span, "to be joined to this")
            .advise("leave out the ## between them");
        self.report(diagnostic);
        out.extend([left, right]);
    }

    /// Marks the tokens of the arguments as having passed through this use of a macro.
    fn take_over(&mut self, site: Use, arguments: &mut Arguments) {
        if arguments.raw.iter().all(Vec::is_empty) {
            return;
        }
        let Some(expansion) = self.map.expansion(site.body).cloned() else { return };
        let through = self.map.add_expansion(expansion);
        self.twins.extend([(site.body, through), (through, site.body)]);
        let mut outside = vec![ExpansionId::NONE];
        let mut at = site.at.span.expansion;
        while let Some(outer) = self.map.expansion(at) {
            outside.push(at);
            outside.extend(self.twins.get(&at));
            at = outer.call.expansion;
        }
        self.charge(outside.len() / 4, site.at.span);
        let mut moved = Moved { through, pairs: outside.into_iter().map(|id| (id, through)).collect() };
        for token in arguments.raw.iter_mut().flatten() {
            token.span.expansion = self.moved(token.span.expansion, &mut moved);
        }
    }

    /// The expansion that has the same macros inside and this use of a macro around them.
    fn moved(&mut self, id: ExpansionId, moved: &mut Moved) -> ExpansionId {
        let mut inner = Vec::new();
        let mut at = id;
        let mut result = loop {
            if let Some(&new) = moved.pairs.get(&at) {
                break new;
            }
            let Some(expansion) = self.map.expansion(at).cloned() else { break moved.through };
            inner.push((at, expansion));
            at = inner[inner.len() - 1].1.call.expansion;
        };
        for (old, mut expansion) in inner.into_iter().rev() {
            self.charge(4, expansion.call);
            expansion.call.expansion = result;
            result = self.map.add_expansion(expansion);
            moved.pairs.insert(old, result);
        }
        result
    }
}

/// Which expansions of arguments have got which new ones around them.
struct Moved {
    through: ExpansionId,
    pairs: HashMap<ExpansionId, ExpansionId>,
}
