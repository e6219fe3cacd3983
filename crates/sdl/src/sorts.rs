//! Sorts of values: what there is of SDL's and of ASN.1's, in one table, resolved when somebody asks for it.
//!
//! A sort that is not supported (Real, say) may be declared; it is refused where a variable or a signal uses it.

use crate::asn1::{AsnModule, AsnType, AsnValue};
use crate::ast::{Binary, Expr, ExprKind, Name, Range, SortDef, SortDefKind, Unary};
use crate::parse::refusal;
use starwheel_base::{Diagnostic, Span};
use std::collections::{HashMap, HashSet};

/// Number of a sort in [`Sorts`].
pub type SortId = usize;

/// A value of a structured sort may consist of this many numbers.
pub const LARGEST: usize = 256;

/// A list may have this many elements: how many it has is kept in a byte.
pub const LONGEST_LIST: usize = 255;

#[derive(Clone, Debug)]
pub struct Sort {
    /// As written.
    pub name: String,
    pub kind: SortKind,
}

#[derive(Clone, Debug, PartialEq)]
pub enum SortKind {
    Bool,
    Int {
        lo: i64,
        hi: i64,
    },
    /// Literals and their numbers.
    Enum(Vec<(String, i64)>),
    Struct(Vec<Field>),
    Choice(Vec<Field>),
    /// SEQUENCE OF and strings: `most` elements, `least` of them always there.
    List {
        element: SortId,
        least: i64,
        most: i64,
        /// The index of the first element: 0 in ASN.1 (as TASTE has it), 1 in SDL's STRING.
        first: i64,
    },
    /// ARRAY: an element for each index from `lo`.
    Array {
        element: SortId,
        lo: i64,
        len: i64,
    },
    /// POWERSET: for each value of a sort from `lo` whether it is there.
    Set {
        of: SortId,
        lo: i64,
        len: i64,
    },
    Pid,
    /// Which alternative of a choice is present.
    Tag(SortId),
    /// Not supported, for this reason.
    Refused(String),
}

#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    pub key: String,
    pub sort: SortId,
    pub optional: bool,
}

/// A constant by name.
#[derive(Clone, Debug)]
pub enum Constant {
    Sdl(Option<String>, Option<Expr>),
    Asn(AsnType, AsnValue),
}

/// All sorts and constants.
#[derive(Debug)]
pub struct Sorts {
    pub list: Vec<Sort>,
    by_name: HashMap<String, SortId>,
    sdl: HashMap<String, SortDef>,
    asn: HashMap<String, (String, AsnType)>,
    pub constants: HashMap<String, (Constant, Span)>,
    /// Sorts that are being resolved: a sort inside itself is found here.
    open: Vec<String>,
    /// What strings without elements are called, and of which sorts they are.
    empties: HashMap<String, Vec<String>>,
    /// How many elements a string has at most that says nothing about it.
    pub longest: i64,
    /// By what it is and its name: where the first one stands, and its words.
    said: HashMap<(&'static str, String), (Span, String)>,
    /// Names of sorts that nobody declared, which has been said.
    missing: HashSet<String>,
    pub diagnostics: Vec<Diagnostic>,
}

pub const BOOL: SortId = 0;
pub const INTEGER: SortId = 1;
pub const PID: SortId = 2;
const NATURAL: SortId = 3;
const REAL: SortId = 4;
/// Texts are numbered as they are found: they can be set, sent and compared, and nothing else.
pub const TEXT: SortId = 5;
const CHARACTER: SortId = 6;
const TIME: SortId = 7;

const LEAST: i64 = i32::MIN as i64;
const MOST: i64 = i32::MAX as i64;

impl Default for Sorts {
    fn default() -> Self {
        let refused = |what: &str| SortKind::Refused(what.to_string());
        let known = [
            ("Boolean", SortKind::Bool),
            ("Integer", SortKind::Int { lo: LEAST, hi: MOST }),
            ("PId", SortKind::Pid),
            ("Natural", SortKind::Int { lo: 0, hi: MOST }),
            ("Real", refused("the sort Real")),
            ("Charstring", SortKind::Enum(vec![("''".to_string(), 0)])),
            ("Character", SortKind::Int { lo: 0, hi: 255 }),
            ("Time", refused("a variable of sort Time (a clock without bounds)")),
            ("Octet", SortKind::Int { lo: 0, hi: 255 }),
            ("Bit", SortKind::Int { lo: 0, hi: 1 }),
        ];
        let list: Vec<Sort> = known.map(|(n, kind)| Sort { name: n.to_string(), kind }).into();
        let mut by_name: HashMap<String, SortId> =
            list.iter().enumerate().map(|(i, s)| (s.name.to_lowercase(), i)).collect();
        by_name.insert("duration".into(), INTEGER);
        debug_assert_eq!([NATURAL, REAL, TEXT, CHARACTER, TIME], [3, 4, 5, 6, 7]);
        Sorts {
            list,
            by_name,
            sdl: HashMap::new(),
            asn: HashMap::new(),
            constants: HashMap::new(),
            open: Vec::new(),
            empties: HashMap::new(),
            longest: crate::options::Options::default().strings as i64,
            said: HashMap::new(),
            missing: HashSet::new(),
            diagnostics: Vec::new(),
        }
    }
}

impl Sorts {
    pub fn kind(&self, sort: SortId) -> &SortKind {
        &self.list[sort].kind
    }

    pub fn name(&self, sort: SortId) -> &str {
        &self.list[sort].name
    }

    /// True for sorts that are one number.
    pub fn is_scalar(&self, sort: SortId) -> bool {
        use SortKind::*;
        matches!(self.kind(sort), Bool | Int { .. } | Enum(_) | Pid | Tag(_) | Refused(_))
    }

    /// Reports a second sort or constant of a name: one in the same scope (then it is known where the other one stands), or one that is
    /// not the same as one in another scope.
    pub fn only_one(&mut self, what: &'static str, name: &Name, said: &str, twice: Option<Span>) {
        let said = said.to_string();
        let (other, first) = self.said.entry((what, name.key.clone())).or_insert((name.span, said.clone()));
        let error = |text: String| Diagnostic::error("two-declarations", name.span, text);
        if let Some(other) = twice {
            let d = error(format!("there are two {what} `{}`", name.text)).also(other, "the other one");
            self.diagnostics.push(d.advise("leave one of them out"));
        } else if *first != said && *other != name.span {
            let what = format!("two {what} `{}` that differ, in different scopes,", name.text);
            let d = refusal(name.span, &what, "give one of them another name: both are known everywhere");
            self.diagnostics.push(d.also(*other, "the other one"));
        }
    }

    pub fn declare(&mut self, def: &SortDef) {
        self.sdl.entry(def.name.key.clone()).or_insert_with(|| def.clone());
        match &def.kind {
            // Literals must be known before the first of them is used.
            SortDefKind::Literals(_) => drop(self.lookup_key(&def.name.key)),
            SortDefKind::String(_, Some(empty)) => {
                self.empties.entry(empty.key.clone()).or_default().push(def.name.key.clone());
            }
            SortDefKind::Powerset(_) => self.empties.entry("empty".into()).or_default().push(def.name.key.clone()),
            _ => {}
        }
    }

    /// True if a name stands for no elements at all.
    pub fn is_empty(&self, key: &str) -> bool {
        self.empties.contains_key(key) || key == "emptystring"
    }

    /// The only sort whose value without elements has this name.
    pub fn empty_of(&mut self, key: &str) -> Option<SortId> {
        match self.empties.get(key)?.as_slice() {
            [one] => {
                let one = one.clone();
                self.lookup_key(&one)
            }
            _ => None,
        }
    }

    /// What a variable of a sort holds before anybody sets it, if its sort or the one it is made of says so.
    pub fn default_of(&self, sort: SortId) -> Option<&Expr> {
        let mut def = self.sdl.get(&self.name(sort).to_lowercase())?;
        for _ in 0..20 {
            match (&def.default, &def.kind) {
                (Some(e), _) => return Some(e),
                (None, SortDefKind::Range(of, _)) => def = self.sdl.get(&of.key)?,
                _ => return None,
            }
        }
        None
    }

    /// Whether a sort or a part of it has a default.
    pub fn has_default(&self, sort: SortId, depth: usize) -> bool {
        depth < 20
            && (self.default_of(sort).is_some()
                || match self.kind(sort) {
                    SortKind::Struct(fields) => fields.iter().any(|f| self.has_default(f.sort, depth + 1)),
                    SortKind::Array { element, .. } => self.has_default(*element, depth + 1),
                    _ => false,
                })
    }

    pub fn declare_asn(&mut self, module: AsnModule) {
        for (name, sort) in module.types {
            self.asn.entry(key_of(&name)).or_insert((name, sort));
        }
        for (name, sort, value, span) in module.values {
            self.constants.entry(key_of(&name)).or_insert((Constant::Asn(sort, value), span));
        }
    }

    /// Resolves everything that ASN.1 declares; what is wrong or too large stays refused and is reported when used.
    pub fn resolve_asn(&mut self) {
        let mut keys: Vec<String> = self.asn.keys().cloned().collect();
        keys.sort();
        for key in keys {
            self.lookup_key(&key);
        }
    }

    /// The sort with this name; `None` if nobody declared it.
    pub fn lookup_key(&mut self, key: &str) -> Option<SortId> {
        if let Some(&id) = self.by_name.get(key) {
            return Some(id);
        }
        if self.open.iter().any(|k| k == key) || self.open.len() > 50 {
            return Some(self.add(key, SortKind::Refused(format!("the sort `{key}`, which contains itself,"))));
        }
        self.open.push(key.to_string());
        let found = self.resolve(key);
        self.open.pop();
        let (name, kind) = found?;
        let id = self.add(&name, kind);
        self.by_name.insert(key.to_string(), id);
        Some(id)
    }

    /// The sort with this name, or a diagnostic and no sort.
    pub fn lookup(&mut self, name: &Name) -> Option<SortId> {
        let Some(id) = self.lookup_key(&name.key) else {
            let text = format!("there is no sort `{}`", name.text);
            // Once is enough, wherever else it is used.
            if self.missing.insert(name.key.clone()) {
                let d = Diagnostic::error("unknown-sort", name.span, text);
                self.diagnostics.push(d.advise("hand over the file that declares it, too (ASN.1 files count)"));
            }
            return None;
        };
        if let Err(why) = self.usable(id, 0) {
            // What could not be read has been refused where it stands.
            if why.is_empty() {
                return None;
            }
            self.diagnostics.push(refusal(name.span, &why, "restrict it, or leave this part out of the model"));
            return None;
        }
        Some(id)
    }

    /// Says why values of a sort cannot be handled.
    fn usable(&self, id: SortId, depth: usize) -> Result<usize, String> {
        if depth > 20 {
            return Err(format!("the deeply nested sort `{}`", self.name(id)));
        }
        let all = |fields: &[Field]| fields.iter().try_fold(0, |n, f| Ok(n + 1 + self.usable(f.sort, depth + 1)?));
        let leaves: Result<usize, String> = match self.kind(id) {
            SortKind::Refused(why) => Err(why.clone()),
            // Which one is there is kept in a byte.
            SortKind::Choice(fields) if fields.len() > 256 => {
                Err(format!("the choice `{}` of more than 256 alternatives", self.name(id)))
            }
            SortKind::Struct(fields) | SortKind::Choice(fields) => all(fields),
            SortKind::Set { len, .. } => Ok(usize::try_from(*len).unwrap_or(usize::MAX)),
            SortKind::List { element, most: n, .. } | SortKind::Array { element, len: n, .. } => {
                let one = self.usable(*element, depth + 1)?;
                Ok(usize::try_from(*n).unwrap_or(usize::MAX).saturating_mul(one).saturating_add(1))
            }
            _ => Ok(1),
        };
        match leaves {
            Ok(n) if n > 2 * LARGEST => Err(format!("the sort `{}`, whose values are very large,", self.name(id))),
            other => other,
        }
    }

    pub fn add(&mut self, name: &str, kind: SortKind) -> SortId {
        self.list.push(Sort { name: name.to_string(), kind });
        self.list.len() - 1
    }

    /// The sort of the tags of a choice.
    pub fn tag_of(&mut self, choice: SortId) -> SortId {
        match self.list.iter().position(|s| s.kind == SortKind::Tag(choice)) {
            Some(id) => id,
            None => {
                let name = format!("{}_selection", self.name(choice));
                self.add(&name, SortKind::Tag(choice))
            }
        }
    }

    fn resolve(&mut self, key: &str) -> Option<(String, SortKind)> {
        if let Some(def) = self.sdl.get(key).cloned() {
            let kind = self.sdl_kind(&def.kind);
            return Some((def.name.text, kind));
        }
        if let Some((name, sort)) = self.asn.get(key).cloned() {
            let kind = self.asn_kind(&sort, &name);
            return Some((name.replace('-', "_"), kind));
        }
        // Z.105's strings of bits and octets.
        for (name, element) in [("bitstring", "bit"), ("octetstring", "octet")] {
            if key.replace('_', "") == name {
                let span = Span::default();
                let kind = self.string(&Name { text: element.into(), key: element.into(), span });
                return kind.ok().map(|kind| (key.to_string(), kind));
            }
        }
        // `C_selection` is the sort of the tags of choice C in TASTE's texts.
        let choice = self.lookup_key(key.strip_suffix("_selection")?)?;
        matches!(self.kind(choice), SortKind::Choice(_)).then(|| (key.to_string(), SortKind::Tag(choice)))
    }

    fn sdl_kind(&mut self, kind: &SortDefKind) -> SortKind {
        match kind {
            SortDefKind::Literals(names) => {
                SortKind::Enum(names.iter().enumerate().map(|(i, n)| (n.key.clone(), i as i64)).collect())
            }
            SortDefKind::Struct(fields) => self.sdl_fields(fields).map_or_else(SortKind::Refused, SortKind::Struct),
            SortDefKind::Choice(fields) => self.sdl_fields(fields).map_or_else(SortKind::Refused, SortKind::Choice),
            SortDefKind::Array(index, element) => self.array(index, element).unwrap_or_else(SortKind::Refused),
            SortDefKind::String(element, _) => self.string(element).unwrap_or_else(SortKind::Refused),
            SortDefKind::Powerset(of) => self.powerset(of).unwrap_or_else(SortKind::Refused),
            SortDefKind::Unread => SortKind::Refused(String::new()),
            SortDefKind::Range(sort, ranges) => self.range_of(sort, ranges).unwrap_or_else(SortKind::Refused),
        }
    }

    fn named(&mut self, name: &Name) -> Result<SortId, String> {
        self.lookup_key(&name.key).ok_or_else(|| format!("the unknown sort `{}`", name.text))
    }

    fn sdl_fields(&mut self, fields: &[(Name, Name)]) -> Result<Vec<Field>, String> {
        let one =
            |(name, sort): &(Name, Name)| Ok(Field { key: name.key.clone(), sort: self.named(sort)?, optional: false });
        fields.iter().map(one).collect()
    }

    fn array(&mut self, index: &Name, element: &Name) -> Result<SortKind, String> {
        let (index, element) = (self.named(index)?, self.named(element)?);
        let (lo, hi) = self.bounds(index).unwrap_or((0, -1));
        let len = hi - lo + 1;
        if !(1..=LARGEST as i64).contains(&len) {
            return Err(format!("an array with {len} elements (at most {LARGEST}, by an index sort with a range)"));
        }
        Ok(SortKind::Array { element, lo, len })
    }

    fn string(&mut self, element: &Name) -> Result<SortKind, String> {
        let element = self.named(element)?;
        let most = self.longest.max(1);
        if most > LONGEST_LIST as i64 {
            return Err(format!("a string with {most} elements (at most {LONGEST_LIST})"));
        }
        Ok(SortKind::List { element, least: 0, most, first: 1 })
    }

    fn powerset(&mut self, of: &Name) -> Result<SortKind, String> {
        let id = self.named(of)?;
        match self.bounds(id) {
            Some((lo, hi)) if hi - lo < LARGEST as i64 && id != TEXT => {
                Ok(SortKind::Set { of: id, lo, len: hi - lo + 1 })
            }
            _ => Err(format!("a powerset of `{}` (its elements need a range of at most {LARGEST} values)", of.text)),
        }
    }

    /// The least and the largest number of a scalar sort.
    pub fn bounds(&self, sort: SortId) -> Option<(i64, i64)> {
        match self.kind(sort) {
            SortKind::Bool => Some((0, 1)),
            SortKind::Int { lo, hi } => Some((*lo, *hi)),
            SortKind::Enum(list) => Some((list.iter().map(|l| l.1).min()?, list.iter().map(|l| l.1).max()?)),
            SortKind::Pid => Some((0, 255)),
            SortKind::Tag(choice) => match self.kind(*choice) {
                SortKind::Choice(fields) => Some((0, fields.len() as i64 - 1)),
                _ => None,
            },
            _ => None,
        }
    }

    fn range_of(&mut self, sort: &Name, ranges: &[Range]) -> Result<SortKind, String> {
        let base = self.named(sort)?;
        if ranges.is_empty() {
            return Ok(self.kind(base).clone());
        }
        if let (SortKind::List { element, first, .. }, [Range::Size(size)]) = (self.kind(base).clone(), ranges) {
            let (least, most) = self.interval(base, std::slice::from_ref(size), (0, LONGEST_LIST as i64))?;
            return list_of(element, (least, most), first, &sort.text);
        }
        match self.kind(base).clone() {
            SortKind::Int { lo, hi } => {
                let (lo, hi) = self.interval(base, ranges, (lo, hi))?;
                Ok(SortKind::Int { lo: lo.max(LEAST), hi: hi.min(MOST) })
            }
            SortKind::Enum(list) if base != TEXT => {
                let all = self.bounds(base).unwrap_or((0, 0));
                let (lo, hi) = self.interval(base, ranges, all)?;
                Ok(SortKind::Enum(list.into_iter().filter(|l| (lo..=hi).contains(&l.1)).collect()))
            }
            _ => Err(format!("a range of the sort `{}`", sort.text)),
        }
    }

    /// The numbers that ranges of a sort leave over.
    fn interval(&self, base: SortId, ranges: &[Range], (lo, hi): (i64, i64)) -> Result<(i64, i64), String> {
        let mut bounds: Option<(i64, i64)> = None;
        for r in ranges {
            let number = |e: &Expr| {
                let literal = match &e.kind {
                    ExprKind::Name(n) => self.literal_in(base, &n.key),
                    ExprKind::Int(n) => self.literal_in(base, &n.to_string()),
                    ExprKind::Text(t) if t.len() == 1 => t.bytes().next().map(i64::from),
                    _ => None,
                };
                literal.or_else(|| self.number(e)).ok_or("a range that is not made of numbers".to_string())
            };
            let (a, b) = match r {
                Range::Size(_) => return Err("a size of something that is no string".to_string()),
                Range::Between(a, b) => (number(a)?, number(b)?),
                Range::Is(op, e) => {
                    let n = number(e)?;
                    match op {
                        Binary::Eq => (n, n),
                        Binary::Le => (lo, n),
                        Binary::Lt => (lo, n - 1),
                        Binary::Ge => (n, hi),
                        Binary::Gt => (n + 1, hi),
                        _ => return Err("a range with a hole".to_string()),
                    }
                }
            };
            // Ranges side by side are one; with a hole between them, the hole would be lost.
            bounds = Some(match bounds {
                None => (a, b),
                Some((x, y)) if a <= y + 1 && x <= b + 1 => (x.min(a), y.max(b)),
                Some(_) => return Err("a range with a hole".to_string()),
            });
        }
        let (a, b) = bounds.unwrap_or((lo, hi));
        if a > b {
            return Err("an empty range".to_string());
        }
        Ok((a, b))
    }

    /// The value of a constant expression over numbers and constants.
    pub fn number(&self, e: &Expr) -> Option<i64> {
        match &e.kind {
            ExprKind::Int(n) => Some(*n),
            ExprKind::Octets(_, n) => *n,
            ExprKind::Text(t) if t.len() == 1 => t.bytes().next().map(i64::from),
            ExprKind::Name(n) => self.constant_number(&n.key, 0),
            ExprKind::Unary(Unary::Minus, e) => self.number(e)?.checked_neg(),
            ExprKind::Binary(op, a, b) => fold(*op, self.number(a)?, self.number(b)?),
            _ => None,
        }
    }

    /// The number that a constant stands for.
    pub fn constant_number(&self, key: &str, depth: usize) -> Option<i64> {
        if depth > 20 {
            return None;
        }
        match &self.constants.get(key)?.0 {
            Constant::Asn(_, AsnValue::Int(n)) => Some(*n),
            Constant::Asn(_, AsnValue::Name(n)) => self.constant_number(&key_of(n), depth + 1),
            Constant::Sdl(_, Some(e)) => match &e.kind {
                ExprKind::Name(n) => self.constant_number(&n.key, depth + 1),
                ExprKind::Unary(..) | ExprKind::Int(_) => self.shallow_number(e, depth + 1),
                ExprKind::Binary(op, a, b) => {
                    fold(*op, self.shallow_number(a, depth + 1)?, self.shallow_number(b, depth + 1)?)
                }
                _ => None,
            },
            _ => None,
        }
    }

    /// The value of a constant as an expression: `None` if there is no such constant, `Some(None)` if it is external.
    pub fn constant_expr(&self, key: &str, span: Span) -> Option<Option<Expr>> {
        Some(match &self.constants.get(key)?.0 {
            Constant::Sdl(_, value) => value.clone(),
            Constant::Asn(_, value) => Some(asn_expr(value, span)),
        })
    }

    /// The sort of a constant, if it says so.
    pub fn constant_sort(&mut self, key: &str) -> Option<SortId> {
        match self.constants.get(key)?.0.clone() {
            Constant::Sdl(sort, value) => match sort {
                Some(s) => self.lookup_key(&s),
                None => matches!(value?.kind, ExprKind::Int(_)).then_some(INTEGER),
            },
            Constant::Asn(sort, _) => self.asn_sort(&sort, key).ok(),
        }
    }

    /// Reports constants that are defined by themselves, and gives them a value so that this is all that is said of them.
    pub fn look_for_circles(&mut self) {
        let mut keys: Vec<String> = self.constants.keys().cloned().collect();
        keys.sort_by_key(|k| (self.constants[k].1.file.0, self.constants[k].1.start));
        for key in keys {
            // A literal may have the name of a constant.
            let Some(through) = self.circle(&key).filter(|_| self.literals(&key).is_empty()) else { continue };
            let Some((constant, span)) = self.constants.get_mut(&key) else { continue };
            let others: Vec<String> = through.iter().map(|k| format!("`{k}`")).collect();
            let by = if others.is_empty() { String::new() } else { format!(" (by {})", others.join(", ")) };
            let d = Diagnostic::error("circle", *span, format!("the constant `{key}` is defined by itself{by}"));
            self.diagnostics.push(d.advise("give it a value"));
            *constant = Constant::Sdl(None, Some(Expr { kind: ExprKind::Int(0), span: *span }));
        }
    }

    /// The constants between one and itself.
    fn circle(&self, key: &str) -> Option<Vec<String>> {
        let of = |key: &str| match self.constants.get(key) {
            Some((Constant::Sdl(_, Some(e)), _)) => e.names(),
            _ => Vec::new(),
        };
        // By constant, the one that names it.
        let mut by: HashMap<String, String> = HashMap::new();
        let mut todo = vec![key.to_string()];
        while let Some(at) = todo.pop() {
            for name in of(&at) {
                if name == key {
                    let back = std::iter::successors(Some(at), |k| by.get(k).cloned());
                    let mut through: Vec<String> = back.take_while(|k| k != key).collect();
                    through.reverse();
                    return Some(through);
                }
                if !by.contains_key(&name) {
                    by.insert(name.clone(), at.clone());
                    todo.push(name);
                }
            }
        }
        None
    }

    fn shallow_number(&self, e: &Expr, depth: usize) -> Option<i64> {
        match &e.kind {
            ExprKind::Int(n) => Some(*n),
            ExprKind::Name(n) => self.constant_number(&n.key, depth),
            ExprKind::Unary(Unary::Minus, e) => self.shallow_number(e, depth)?.checked_neg(),
            ExprKind::Binary(op, a, b) => fold(*op, self.shallow_number(a, depth)?, self.shallow_number(b, depth)?),
            _ => None,
        }
    }

    fn asn_kind(&mut self, sort: &AsnType, name: &str) -> SortKind {
        self.asn_try(sort, name).unwrap_or_else(SortKind::Refused)
    }

    fn asn_number(&self, v: &AsnValue) -> Option<i64> {
        match v {
            AsnValue::Int(n) => Some(*n),
            AsnValue::Name(n) => self.constant_number(&key_of(n), 0),
            _ => None,
        }
    }

    fn asn_try(&mut self, sort: &AsnType, name: &str) -> Result<SortKind, String> {
        let bound = |s: &Self, v: &Option<AsnValue>, other: i64| match v {
            None => Ok(other),
            Some(v) => s.asn_number(v).ok_or(format!("a bound of `{name}` that is no number")),
        };
        Ok(match sort {
            AsnType::Bool => SortKind::Bool,
            AsnType::Int(lo, hi) => {
                let (lo, hi) = (bound(self, lo, LEAST)?.max(LEAST), bound(self, hi, MOST)?.min(MOST));
                SortKind::Int { lo, hi }
            }
            AsnType::Enum(list) => SortKind::Enum(list.iter().map(|(n, v)| (key_of(n), *v)).collect()),
            AsnType::Sequence(fields) => SortKind::Struct(self.asn_fields(fields, name)?),
            AsnType::Choice(fields) => SortKind::Choice(self.asn_fields(fields, name)?),
            AsnType::List { element, least, most } => {
                let (least, most) = (bound(self, least, 0)?, bound(self, most, i64::MAX)?);
                let element = self.asn_sort(element, &format!("{name}_elem"))?;
                list_of(element, (least, most), 0, name)?
            }
            AsnType::Named(other, None) => {
                let id = self.lookup_key(&key_of(other)).ok_or(format!("the unknown sort `{other}`"))?;
                self.kind(id).clone()
            }
            AsnType::Named(other, Some((least, most))) => {
                let id = self.lookup_key(&key_of(other)).ok_or(format!("the unknown sort `{other}`"))?;
                match self.kind(id).clone() {
                    SortKind::List { element, first, .. } => {
                        let (least, most) = (bound(self, least, 0)?, bound(self, most, i64::MAX)?);
                        list_of(element, (least, most), first, name)?
                    }
                    SortKind::Int { lo, hi } => {
                        SortKind::Int { lo: bound(self, least, lo)?.max(lo), hi: bound(self, most, hi)?.min(hi) }
                    }
                    kind => kind,
                }
            }
            AsnType::Null => SortKind::Struct(Vec::new()),
            AsnType::Other(what) => return Err(what.clone()),
        })
    }

    fn asn_sort(&mut self, sort: &AsnType, name: &str) -> Result<SortId, String> {
        if let AsnType::Named(other, None) = sort {
            return self.lookup_key(&key_of(other)).ok_or(format!("the unknown sort `{other}`"));
        }
        let kind = self.asn_try(sort, name)?;
        Ok(self.add(&name.replace('-', "_"), kind))
    }

    fn asn_fields(&mut self, fields: &[(String, AsnType, bool)], name: &str) -> Result<Vec<Field>, String> {
        let mut list = Vec::new();
        for (field, sort, optional) in fields {
            let sort = self.asn_sort(sort, &format!("{name}_{field}"))?;
            list.push(Field { key: key_of(field), sort, optional: *optional });
        }
        Ok(list)
    }

    /// The number of a text; `None` if there are too many of them.
    pub fn text(&mut self, text: &str) -> Option<i64> {
        // Names have no quotes, so that no name means a text.
        let key = format!("'{text}'");
        let SortKind::Enum(list) = &mut self.list[TEXT].kind else { return None };
        if let Some((_, n)) = list.iter().find(|l| l.0 == key) {
            return Some(*n);
        }
        let n = list.len() as i64;
        (n < 255).then(|| list.push((key, n)))?;
        Some(n)
    }

    /// The literals with this name, of all sorts.
    pub fn literals(&self, key: &str) -> Vec<(SortId, i64)> {
        let of = |(id, s): (usize, &Sort)| match &s.kind {
            SortKind::Enum(list) => list.iter().find(|l| l.0 == key).map(|l| (id, l.1)),
            _ => None,
        };
        self.list.iter().enumerate().filter_map(of).collect()
    }

    /// The literals of one sort.
    pub fn literals_of(&self, sort: SortId) -> &[(String, i64)] {
        match self.kind(sort) {
            SortKind::Enum(list) if sort != TEXT => list,
            _ => &[],
        }
    }

    /// The literals that are the same number in all sorts that have them.
    pub fn plain_literals(&self) -> Vec<(String, i64)> {
        let mut all: Vec<(String, i64)> = (0..self.list.len()).flat_map(|s| self.literals_of(s).to_vec()).collect();
        all.sort();
        all.dedup();
        let names: Vec<String> = all.iter().map(|l| l.0.clone()).collect();
        all.retain(|l| names.iter().filter(|n| **n == l.0).count() == 1);
        all
    }

    /// The number of a literal in one sort.
    pub fn literal_in(&self, sort: SortId, key: &str) -> Option<i64> {
        match self.kind(sort) {
            SortKind::Enum(list) => list.iter().find(|l| l.0 == key).map(|l| l.1),
            SortKind::Tag(choice) => match self.kind(*choice) {
                SortKind::Choice(fields) => {
                    let key = key.strip_suffix("_present").unwrap_or(key);
                    fields.iter().position(|f| f.key == key).map(|i| i as i64)
                }
                _ => None,
            },
            _ => None,
        }
    }
}

/// A list with a bound, if it is not too large.
fn list_of(element: SortId, (least, most): (i64, i64), first: i64, name: &str) -> Result<SortKind, String> {
    match 0 <= least && least <= most && most <= LONGEST_LIST as i64 {
        true => Ok(SortKind::List { element, least, most, first }),
        false if least > most => Err(format!("the list `{name}`, which has no size that it can have,")),
        false => Err(format!("the list `{name}`, which may have more than {LONGEST_LIST} elements,")),
    }
}

/// A value of ASN.1 as an expression of SDL.
fn asn_expr(value: &AsnValue, span: Span) -> Expr {
    let name = |n: &str| Name { text: n.to_string(), key: key_of(n), span };
    let kind = match value {
        AsnValue::Int(n) => ExprKind::Int(*n),
        AsnValue::Bool(b) => ExprKind::Name(name(if *b { "true" } else { "false" })),
        AsnValue::Octets(o) => ExprKind::Octets(o.clone(), None),
        AsnValue::Text(t) => ExprKind::Text(t.clone()),
        AsnValue::Name(n) => ExprKind::Name(name(n)),
        AsnValue::List(l) => ExprKind::List(l.iter().map(|v| asn_expr(v, span)).collect()),
        AsnValue::Record(f) => ExprKind::Record(f.iter().map(|(n, v)| (name(n), asn_expr(v, span))).collect()),
        AsnValue::Choice(n, v) => ExprKind::Choice(name(n), Box::new(asn_expr(v, span))),
        AsnValue::Other => ExprKind::Real,
    };
    Expr { kind, span }
}

/// ASN.1 writes hyphens where SDL has underscores.
pub fn key_of(name: &str) -> String {
    name.replace('-', "_").to_lowercase()
}

/// A few numbers of a range that has too many, and what they are in words.
pub fn few(lo: i64, hi: i64) -> (Vec<i64>, String) {
    let mut few = vec![lo, 0, 1, hi];
    few.retain(|n| (lo..=hi).contains(n));
    few.sort_unstable();
    few.dedup();
    let listed: Vec<String> = few.iter().map(i64::to_string).collect();
    let said = match listed.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
        _ => listed.join(""),
    };
    (few, said)
}

/// One operation on numbers; `None` where it has no result.
pub fn fold(op: Binary, a: i64, b: i64) -> Option<i64> {
    match op {
        Binary::Add => a.checked_add(b),
        Binary::Sub => a.checked_sub(b),
        Binary::Mul => a.checked_mul(b),
        Binary::Div => a.checked_div(b),
        Binary::Rem => a.checked_rem(b),
        Binary::Mod => a.checked_rem_euclid(b),
        _ => None,
    }
}
