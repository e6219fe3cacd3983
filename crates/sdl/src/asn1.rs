//! The types and constants of an ASN.1 text, as far as SDL texts use them; what is beyond that is kept by name only.

use starwheel_base::{Diagnostic, ExpansionId, FileId, Span};

/// What a file declares.
#[derive(Debug, Default)]
pub struct AsnModule {
    pub types: Vec<(String, AsnType)>,
    pub values: Vec<(String, AsnType, AsnValue, Span)>,
}

/// A lower and an upper bound.
pub type Bounds = (Option<AsnValue>, Option<AsnValue>);

/// What stands in brackets behind a type.
enum Limits {
    /// Nothing that says between which numbers a value or a size lies.
    None,
    Between(Bounds),
    /// Not all numbers between two: what of them is left out would be let in, or the other way.
    Hole,
}

#[derive(Clone, Debug)]
pub enum AsnType {
    Bool,
    Int(Option<AsnValue>, Option<AsnValue>),
    Enum(Vec<(String, i64)>),
    /// Name, type and whether it is optional.
    Sequence(Vec<(String, AsnType, bool)>),
    Choice(Vec<(String, AsnType, bool)>),
    List {
        element: Box<AsnType>,
        least: Option<AsnValue>,
        most: Option<AsnValue>,
    },
    Named(String, Option<Bounds>),
    Null,
    /// What it is, for the message where somebody uses it.
    Other(String),
}

#[derive(Clone, Debug)]
pub enum AsnValue {
    Int(i64),
    Bool(bool),
    Text(String),
    Octets(Vec<u8>),
    Name(String),
    List(Vec<AsnValue>),
    Record(Vec<(String, AsnValue)>),
    Choice(String, Box<AsnValue>),
    Other,
}

#[derive(Clone, Debug, PartialEq)]
enum Tok {
    Name(String),
    Int(i64),
    Real,
    Text(String),
    Mark(&'static str),
    End,
}

/// True for texts that look like ASN.1.
pub fn looks_like_asn1(text: &str) -> bool {
    text.contains("::=") && text.contains("DEFINITIONS") && text.contains("BEGIN")
}

/// Reads all modules of a text.
pub fn parse_asn1(file: FileId, text: &str) -> (AsnModule, Vec<Diagnostic>) {
    let mut p = Asn { tokens: lex(text), at: 0, depth: 0, file };
    let mut module = AsnModule::default();
    let mut diagnostics = Vec::new();
    while p.tok() != &Tok::End {
        let (at, span) = (p.at, p.span());
        if p.assignment(&mut module).is_none() {
            // Headers, imports and what we do not know: go on behind the next assignment.
            if p.at == at {
                p.at += 1;
            }
        }
        if p.depth > 0 {
            diagnostics.push(Diagnostic::error("deep", span, "this declaration is nested too deeply"));
            p.depth = 0;
        }
    }
    (module, diagnostics)
}

fn lex(text: &str) -> Vec<(Tok, usize)> {
    const MARKS: &[&str] =
        &["::=", "...", "..", "{", "}", "(", ")", "[", "]", ",", ";", ":", "|", "-", "<", ".", "@", "&", "^", "*"];
    let mut out = Vec::new();
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        let rest = &text[at..];
        if let Some(body) = rest.strip_prefix("--") {
            // A comment ends with its line or with two more hyphens.
            let line = body.find('\n').unwrap_or(body.len());
            at += 2 + body[..line].find("--").map_or(line, |n| n + 2);
        } else if rest.starts_with("/*") {
            at += rest.find("*/").map_or(rest.len(), |n| n + 2);
        } else if c.is_ascii_digit() {
            let n = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
            let real = rest[n..].starts_with('.') && rest[n + 1..].starts_with(|c: char| c.is_ascii_digit());
            if real {
                let m = rest[n + 1..].find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(rest.len() - n - 1);
                out.push((Tok::Real, at));
                at += n + 1 + m;
            } else {
                out.push((rest[..n].parse().map_or(Tok::Int(i64::MAX), Tok::Int), at));
                at += n;
            }
        } else if c.is_alphabetic() {
            let mut n = rest.find(|c: char| !c.is_alphanumeric() && c != '-' && c != '_').unwrap_or(rest.len());
            if let Some(comment) = rest[..n].find("--") {
                n = comment;
            }
            out.push((Tok::Name(rest[..n].to_string()), at));
            at += n.max(1);
        } else if c == '"' || c == '\'' {
            let n = rest[1..].find(c).map_or(rest.len(), |n| n + 2);
            out.push((Tok::Text(rest[1..n].trim_end_matches(c).to_string()), at));
            at += n;
        } else if let Some(m) = MARKS.iter().find(|m| rest.starts_with(**m)) {
            out.push((Tok::Mark(m), at));
            at += m.len();
        } else {
            at += c.len_utf8();
        }
    }
    out.push((Tok::End, text.len()));
    out
}

struct Asn {
    tokens: Vec<(Tok, usize)>,
    at: usize,
    depth: usize,
    file: FileId,
}

impl Asn {
    fn tok(&self) -> &Tok {
        self.ahead(0)
    }

    fn ahead(&self, n: usize) -> &Tok {
        &self.tokens[(self.at + n).min(self.tokens.len() - 1)].0
    }

    fn span(&self) -> Span {
        let at = self.tokens[self.at.min(self.tokens.len() - 1)].1 as u32;
        Span { file: self.file, start: at, end: at, expansion: ExpansionId::NONE }
    }

    fn mark(&mut self, m: &str) -> Option<()> {
        (*self.tok() == Tok::Mark(leak(m)?)).then(|| self.at += 1)
    }

    fn is(&self, word: &str) -> bool {
        matches!(self.tok(), Tok::Name(n) if n == word)
    }

    fn word(&mut self, word: &str) -> Option<()> {
        self.is(word).then(|| self.at += 1)
    }

    fn name(&mut self) -> Option<String> {
        let Tok::Name(n) = self.tok().clone() else { return None };
        self.at += 1;
        Some(n)
    }

    /// `Type ::= …` or `value Type ::= …`.
    fn assignment(&mut self, module: &mut AsnModule) -> Option<()> {
        let span = self.span();
        let name = self.name()?;
        if *self.tok() == Tok::Mark("{") {
            // A type with parameters: skip them and forget the type.
            self.braces()?;
            self.mark("::=")?;
            self.sort()?;
            return Some(());
        }
        if self.mark("::=").is_some() {
            let sort = self.sort()?;
            module.types.push((name, sort));
            return Some(());
        }
        if !name.starts_with(|c: char| c.is_lowercase()) {
            return None;
        }
        let before = self.at;
        let sort = self.sort()?;
        if self.mark("::=").is_none() {
            self.at = before;
            return None;
        }
        let value = self.value()?;
        module.values.push((name, sort, value, span));
        Some(())
    }

    fn braces(&mut self) -> Option<()> {
        self.mark("{")?;
        let mut open = 1;
        while open > 0 {
            match self.tok() {
                Tok::Mark("{") => open += 1,
                Tok::Mark("}") => open -= 1,
                Tok::End => return None,
                _ => {}
            }
            self.at += 1;
        }
        Some(())
    }

    fn sort(&mut self) -> Option<AsnType> {
        if self.depth > 40 {
            return None;
        }
        self.depth += 1;
        let sort = self.sort_here();
        if sort.is_some() || self.depth <= 40 {
            self.depth -= 1;
        }
        sort
    }

    fn sort_here(&mut self) -> Option<AsnType> {
        if *self.tok() == Tok::Mark("[") {
            while self.mark("]").is_none() {
                if *self.tok() == Tok::End {
                    return None;
                }
                self.at += 1;
            }
        }
        let name = self.name()?;
        Some(match name.as_str() {
            "BOOLEAN" => AsnType::Bool,
            "NULL" => AsnType::Null,
            "INTEGER" => {
                if *self.tok() == Tok::Mark("{") {
                    self.braces()?;
                }
                within(self.limits(), |bounds| {
                    let (lo, hi) = bounds.unwrap_or_default();
                    AsnType::Int(lo, hi)
                })
            }
            "REAL" => {
                self.limits();
                AsnType::Other("the sort REAL".into())
            }
            "ENUMERATED" => self.enumerated()?,
            "CHOICE" => AsnType::Choice(self.fields()?),
            "SEQUENCE" | "SET" => self.sequence()?,
            "OCTET" | "BIT" => {
                self.word("STRING")?;
                self.text(if name == "OCTET" { 255 } else { 1 })
            }
            "IA5String" | "PrintableString" | "VisibleString" | "UTF8String" | "NumericString" => self.text(255),
            _ if name.chars().all(|c| c.is_uppercase() || c == '-') && is_header(&name) => return None,
            _ => {
                if *self.tok() == Tok::Mark("{") {
                    self.braces()?;
                    return Some(AsnType::Other(format!("the type `{name}` with parameters")));
                }
                if *self.tok() == Tok::Mark(".") {
                    self.at += 1;
                    let inner = self.name()?;
                    return Some(within(self.limits(), |bounds| AsnType::Named(inner, bounds)));
                }
                within(self.limits(), |bounds| AsnType::Named(name, bounds))
            }
        })
    }

    fn text(&mut self, most: i64) -> AsnType {
        let element = Box::new(AsnType::Int(Some(AsnValue::Int(0)), Some(AsnValue::Int(most))));
        within(self.limits(), |bounds| {
            let (least, most) = bounds.unwrap_or_default();
            AsnType::List { element, least, most }
        })
    }

    /// `(lo .. hi)`, `(SIZE (lo .. hi))`, `(n)`; other restrictions are skipped.
    fn limits(&mut self) -> Limits {
        let before = self.at;
        if self.mark("(").is_none() {
            return Limits::None;
        }
        let size = self.word("SIZE").is_some();
        if size && self.mark("(").is_none() {
            self.at = before;
            return Limits::None;
        }
        let inside = self.limits_inside();
        // Whatever else stands there (extensions, permitted alphabets) does not make the range wider, unless it is one more.
        let (mut open, mut more) = (if size { 2 } else { 1 }, false);
        while open > 0 {
            match self.tok() {
                Tok::Mark("(") => open += 1,
                Tok::Mark(")") => open -= 1,
                Tok::Mark("|") => more |= open == 1,
                Tok::Name(n) if n == "UNION" => more |= open == 1,
                Tok::End => return Limits::None,
                _ => {}
            }
            self.at += 1;
        }
        match inside {
            Some(_) if more => Limits::Hole,
            Some(limits) => limits,
            None => Limits::None,
        }
    }

    fn limits_inside(&mut self) -> Option<Limits> {
        let Some((lo, mut hi)) = self.interval()? else { return Some(Limits::Hole) };
        // Ranges side by side are one.
        while self.mark("|").is_some() || self.word("UNION").is_some() {
            match (&hi, self.interval()?) {
                (Some(AsnValue::Int(a)), Some((Some(AsnValue::Int(b)), last))) if a.checked_add(1) == Some(b) => {
                    hi = last;
                }
                _ => return Some(Limits::Hole),
            }
        }
        Some(Limits::Between((lo, hi)))
    }

    /// One interval; `Some(None)` if it leaves out its ends in a way that we do not count.
    fn interval(&mut self) -> Option<Option<Bounds>> {
        let lo = self.bound()?;
        let above = self.mark("<").is_some();
        if self.mark("..").is_none() {
            return Some((!above).then(|| (lo.clone(), lo)));
        }
        let below = self.mark("<").is_some();
        let hi = self.bound()?;
        let inside = |end: Option<AsnValue>, moved: bool, by: i64| match end {
            end if !moved => Some(end),
            Some(AsnValue::Int(n)) => Some(Some(AsnValue::Int(n.saturating_add(by)))),
            _ => None,
        };
        Some(inside(lo, above, 1).zip(inside(hi, below, -1)))
    }

    /// One bound; `MIN` and `MAX` are none.
    fn bound(&mut self) -> Option<Option<AsnValue>> {
        if self.word("MIN").is_some() || self.word("MAX").is_some() {
            return Some(None);
        }
        let value = self.value()?;
        matches!(value, AsnValue::Int(_) | AsnValue::Name(_)).then_some(Some(value))
    }

    fn enumerated(&mut self) -> Option<AsnType> {
        self.mark("{")?;
        let (mut list, mut next) = (Vec::new(), 0);
        while *self.tok() != Tok::Mark("}") {
            if self.mark("...").is_some() {
                self.mark(",");
                continue;
            }
            let name = self.name()?;
            if self.mark("(").is_some() {
                let AsnValue::Int(n) = self.value()? else { return None };
                next = n;
                self.mark(")")?;
            }
            list.push((name, next));
            next += 1;
            self.mark(",");
        }
        self.at += 1;
        Some(AsnType::Enum(list))
    }

    fn fields(&mut self) -> Option<Vec<(String, AsnType, bool)>> {
        self.mark("{")?;
        let mut list = Vec::new();
        while *self.tok() != Tok::Mark("}") {
            if self.mark("...").is_some() {
                self.mark(",");
                continue;
            }
            let name = self.name()?;
            let sort = self.sort()?;
            let mut optional = false;
            if self.word("OPTIONAL").is_some() {
                optional = true;
            } else if self.word("DEFAULT").is_some() {
                self.value()?;
            }
            list.push((name, sort, optional));
            self.mark(",");
        }
        self.at += 1;
        Some(list)
    }

    fn sequence(&mut self) -> Option<AsnType> {
        if *self.tok() == Tok::Mark("{") {
            return Some(AsnType::Sequence(self.fields()?));
        }
        // `SEQUENCE (SIZE(..)) OF` and `SEQUENCE SIZE(..) OF`.
        let plain = self.word("SIZE").is_some();
        let limits = self.limits();
        if plain && matches!(limits, Limits::None) {
            return None;
        }
        self.word("OF")?;
        let element = Box::new(self.sort()?);
        Some(within(limits, |bounds| {
            let (least, most) = bounds.unwrap_or_default();
            AsnType::List { element, least, most }
        }))
    }

    fn value(&mut self) -> Option<AsnValue> {
        if self.depth > 40 {
            return None;
        }
        self.depth += 1;
        let value = self.value_here();
        if value.is_some() || self.depth <= 40 {
            self.depth -= 1;
        }
        value
    }

    fn value_here(&mut self) -> Option<AsnValue> {
        let tok = self.tok().clone();
        self.at += 1;
        match tok {
            Tok::Int(n) => Some(AsnValue::Int(n)),
            Tok::Mark("-") => match self.value()? {
                AsnValue::Int(n) => Some(AsnValue::Int(-n)),
                _ => Some(AsnValue::Other),
            },
            Tok::Real => Some(AsnValue::Other),
            Tok::Text(t) => {
                // `'0A'H` is a string of octets.
                let radix = if self.is("H") { 16 } else { 2 };
                if self.is("H") || self.is("B") {
                    self.at += 1;
                    return Some(crate::lex::octets(&t, radix).map_or(AsnValue::Other, AsnValue::Octets));
                }
                Some(AsnValue::Text(t))
            }
            Tok::Name(n) if n == "TRUE" => Some(AsnValue::Bool(true)),
            Tok::Name(n) if n == "FALSE" => Some(AsnValue::Bool(false)),
            Tok::Name(n) => {
                if self.mark(":").is_some() {
                    return Some(AsnValue::Choice(n, Box::new(self.value()?)));
                }
                Some(AsnValue::Name(n))
            }
            Tok::Mark("{") => self.braced(),
            _ => None,
        }
    }

    fn braced(&mut self) -> Option<AsnValue> {
        let record = matches!(self.tok(), Tok::Name(_)) && !matches!(self.ahead(1), Tok::Mark("," | "}" | ":"));
        let (mut list, mut fields) = (Vec::new(), Vec::new());
        while *self.tok() != Tok::Mark("}") {
            if record {
                let name = self.name()?;
                fields.push((name, self.value()?));
            } else {
                list.push(self.value()?);
            }
            self.mark(",");
        }
        self.at += 1;
        Some(if record { AsnValue::Record(fields) } else { AsnValue::List(list) })
    }
}

/// The type within its limits, or that it cannot be.
fn within(limits: Limits, sort: impl FnOnce(Option<Bounds>) -> AsnType) -> AsnType {
    match limits {
        Limits::None => sort(None),
        Limits::Between(bounds) => sort(Some(bounds)),
        Limits::Hole => AsnType::Other("a range with a hole".into()),
    }
}

/// Words of a module's header, which are no types.
fn is_header(name: &str) -> bool {
    ["DEFINITIONS", "BEGIN", "END", "IMPORTS", "EXPORTS", "FROM", "AUTOMATIC", "TAGS", "ALL"].contains(&name)
}

/// The static copy of a mark.
fn leak(mark: &str) -> Option<&'static str> {
    const ALL: &[&str] = &["::=", "...", "..", "{", "}", "(", ")", "[", "]", ",", ";", ":", "|", "-", ".", "<"];
    ALL.iter().find(|m| **m == mark).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_and_constants_of_a_module_are_read() {
        let text = "M DEFINITIONS AUTOMATIC TAGS ::= BEGIN IMPORTS A FROM B;
            -- a comment
            Small ::= INTEGER (0 .. 10)
            Colour ::= ENUMERATED { red, green (5), blue }
            Rec ::= SEQUENCE { a Small, b BOOLEAN OPTIONAL, c SEQUENCE (SIZE (1..n)) OF Small }
            Cho ::= CHOICE { x Small, y NULL }
            Str ::= OCTET STRING (SIZE(2))
            n INTEGER ::= 4
            r Rec ::= { a 1, b TRUE, c {1, 2} }
            END";
        let (m, problems) = parse_asn1(FileId(0), text);
        assert!(problems.is_empty());
        let names: Vec<&str> = m.types.iter().map(|t| t.0.as_str()).collect();
        assert_eq!(names, ["Small", "Colour", "Rec", "Cho", "Str"]);
        assert_eq!(m.values.len(), 2);
        let AsnType::Enum(list) = &m.types[1].1 else { panic!() };
        assert_eq!(list.iter().map(|l| l.1).collect::<Vec<_>>(), [0, 5, 6]);
    }

    #[test]
    fn a_range_with_a_hole_is_no_range() {
        let sort = |text: &str| {
            let (m, _) =
                parse_asn1(FileId(0), &format!("M DEFINITIONS ::= BEGIN A ::= {text} B ::= INTEGER (0 .. 9) END"));
            assert!(matches!(m.types[1].1, AsnType::Int(Some(AsnValue::Int(0)), Some(AsnValue::Int(9)))), "{text}");
            m.types[0].1.clone()
        };
        for text in [
            "SEQUENCE (SIZE(1|3)) OF BOOLEAN",
            "SEQUENCE SIZE(1|3) OF BOOLEAN",
            "SEQUENCE (SIZE(1) | SIZE(3)) OF BOOLEAN",
            "OCTET STRING (SIZE(1..2 | 4))",
            "IA5String (SIZE(1 UNION 3))",
            "INTEGER (1 | 3)",
            "Other (1 .. 2 | 5)",
            "Other (SIZE(1 | 3))",
            "Module.Other (1 | 3)",
            "INTEGER (n <.. 3)",
        ] {
            assert!(matches!(sort(text), AsnType::Other(_)), "{text}: {:?}", sort(text));
        }
        let AsnType::Int(Some(AsnValue::Int(lo)), Some(AsnValue::Int(hi))) = sort("INTEGER (0 <..< 5 | 5 .. 6, ...)")
        else {
            panic!()
        };
        assert_eq!((lo, hi), (1, 6));
        let text = "IA5String (SIZE(1..5) ^ FROM (\"a\" | \"b\"))";
        assert!(matches!(sort(text), AsnType::List { most: Some(AsnValue::Int(5)), .. }));
    }

    #[test]
    fn deep_nesting_ends() {
        let text = format!("A ::= {}", "SEQUENCE OF ".repeat(10_000));
        assert!(parse_asn1(FileId(0), &text).0.types.is_empty());
    }
}
