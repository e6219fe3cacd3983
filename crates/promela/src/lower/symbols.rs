//! Names of variables and the types behind them: scopes, structures and where each variable lies.

use super::Lower;
use crate::ast;
use starwheel_base::{Diagnostic, Span};
use starwheel_model::{ChanId, Dim, Expr, Field, Place, Region, Shown, Ty, Var};
use std::sync::Arc;

/// The nesting of blocks: each block has a number among its siblings. A name is visible in its block and inside it.
pub type Scope = Vec<u32>;

/// A structure type.
pub struct StructDef {
    pub name: Arc<str>,
    pub fields: Vec<FieldDef>,
    pub size: u32,
}

/// A field of a structure.
pub struct FieldDef {
    pub name: Arc<str>,
    pub kind: Kind,
    pub len: Option<u32>,
    pub offset: u32,
    pub init: Option<FieldInit>,
}

/// The initialiser of a field.
#[derive(Clone)]
pub enum FieldInit {
    Value(Expr),
    List(Vec<i32>),
    Channel(ChannelSpec),
}

/// What a channel declaration says.
#[derive(Clone)]
pub struct ChannelSpec {
    pub capacity: u16,
    pub fields: Vec<Field>,
    /// The structure type, if a message is exactly one structure.
    pub message: Option<usize>,
    pub span: Span,
}

/// What a variable holds.
#[derive(Clone, Debug, PartialEq)]
pub enum Kind {
    Scalar(Ty, Shown),
    Struct(usize),
}

/// A declared variable.
#[derive(Clone)]
pub struct Symbol {
    pub name: Arc<str>,
    pub scope: Scope,
    pub kind: Kind,
    pub len: Option<u32>,
    pub region: Region,
    pub offset: u32,
    /// The declaration of its channel, when it has one.
    pub channel: Option<ChannelSpec>,
    pub span: Span,
    /// Declared `hidden`, `local`, `show`.
    pub visibility: Option<ast::Visibility>,
    pub param: bool,
    /// Read anywhere but in a print statement.
    pub read: bool,
    /// Mentioned anywhere.
    pub used: bool,
    /// Value of a constant initialiser, which may serve as an array bound.
    pub constant: Option<i32>,
    /// `xr` and `xs` promises about a channel.
    pub exclusive: Exclusive,
}

/// Promises about who uses a channel.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub struct Exclusive {
    pub receive: bool,
    pub send: bool,
}

/// Which table a symbol stands in.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Table {
    Global,
    Local,
}

/// A resolved reference to a variable.
pub struct Resolved {
    pub place: Place,
    pub kind: Kind,
    /// The array bound of the last part if it is an array without an index.
    pub open_len: Option<u32>,
    pub symbol: (Table, usize),
}

/// Bytes of one element of a kind.
pub fn size_of(structs: &[StructDef], kind: &Kind) -> u32 {
    match kind {
        Kind::Scalar(ty, _) => ty.size(),
        Kind::Struct(id) => structs[*id].size,
    }
}

/// Alignment of a kind.
pub fn align_of(kind: &Kind) -> u32 {
    match kind {
        Kind::Scalar(ty, _) => ty.size(),
        Kind::Struct(_) => 4,
    }
}

/// Reserves room for a variable in a region that is `used` bytes long so far; returns its offset.
pub fn reserve(structs: &[StructDef], used: &mut u32, kind: &Kind, len: Option<u32>) -> u32 {
    let offset = used.next_multiple_of(align_of(kind));
    *used = offset.saturating_add(size_of(structs, kind).saturating_mul(len.unwrap_or(1)));
    offset
}

/// How a declared type is stored; an array of bits is an array of bytes, and so is a hidden bit.
pub fn scalar(ty: &ast::TypeName, array: bool, hidden: bool, width: u8) -> Option<(Ty, Shown)> {
    Some(match ty {
        ast::TypeName::Bit | ast::TypeName::Bool if array || hidden => (Ty::Byte, Shown::Number),
        ast::TypeName::Bit | ast::TypeName::Bool => (Ty::Bit, Shown::Number),
        ast::TypeName::Byte | ast::TypeName::Pid => (Ty::Byte, Shown::Number),
        ast::TypeName::Short => (Ty::Short, Shown::Number),
        ast::TypeName::Int => (Ty::Int, Shown::Number),
        ast::TypeName::Unsigned if hidden => (Ty::Byte, Shown::Number),
        ast::TypeName::Unsigned => (Ty::Unsigned(width), Shown::Number),
        ast::TypeName::Mtype(set) => {
            (Ty::Byte, Shown::Symbol(set.as_ref().map_or_else(|| "".into(), |s| s.name.clone())))
        }
        ast::TypeName::Chan => (Ty::Byte, Shown::Channel),
        ast::TypeName::Timer => (Ty::Timer, Shown::Number),
        ast::TypeName::Named(_) => return None,
    })
}

impl Lower<'_> {
    /// Finds a variable by name, innermost scope first, then the globals.
    pub fn find(&self, name: &str) -> Option<(Table, usize)> {
        let local = self.locals.visible(name, &self.scope).map(|i| (Table::Local, i));
        local.or_else(|| self.globals.first(name).map(|i| (Table::Global, i)))
    }

    /// True if a place is a channel variable (fields of structures are not looked into, as in SPIN).
    pub fn is_channel(&self, place: &Place) -> bool {
        let channel = |s: &Symbol| matches!(s.kind, Kind::Scalar(_, Shown::Channel));
        self.locals.at(place).or_else(|| self.globals.at(place)).is_some_and(channel)
    }

    /// The symbol behind an id.
    pub fn symbol(&self, id: (Table, usize)) -> &Symbol {
        match id.0 {
            Table::Global => &self.globals[id.1],
            Table::Local => &self.locals[id.1],
        }
    }

    /// The symbol behind an id, to change it.
    pub fn symbol_mut(&mut self, id: (Table, usize)) -> &mut Symbol {
        match id.0 {
            Table::Global => &mut self.globals[id.1],
            Table::Local => &mut self.locals[id.1],
        }
    }

    /// Resolves a reference. Reports what is wrong and gives `None` if it cannot be given a meaning.
    pub fn resolve(&mut self, var: &ast::VarRef) -> Option<Resolved> {
        let first = &var.parts[0];
        let Some(id) = self.find(&first.name.name) else {
            self.unknown_name(&first.name);
            // Report problems in the indices as well.
            for part in &var.parts {
                if let Some(i) = &part.index {
                    self.expr(i);
                }
            }
            return None;
        };
        self.symbol_mut(id).used = true;
        let s = self.symbol(id);
        let (mut kind, mut len, span) = (s.kind.clone(), s.len, s.span);
        let mut place =
            Place { region: s.region, offset: s.offset, ty: Ty::Int, dims: Vec::new(), name: s.name.clone() };
        let mut open_len = self.index_part(&mut place, first, &kind, len);
        for part in &var.parts[1..] {
            if open_len.take().is_some() {
                self.missing_index(part.name.span, &place.name);
            }
            let Kind::Struct(id) = kind else {
                let message = format!("`{}` is not a structure, so it has no field `{}`", place.name, part.name.name);
                self.report(Diagnostic::error("not-a-structure", part.name.span, message).also(span, "declared here"));
                return None;
            };
            let def = &self.structs[id];
            let Some(field) = def.fields.iter().find(|f| f.name == part.name.name) else {
                let known = def.fields.iter().map(|f| format!("`{}`", f.name)).collect::<Vec<_>>().join(", ");
                let message = format!("structure `{}` has no field `{}`", def.name, part.name.name);
                self.report(
                    Diagnostic::error("unknown-field", part.name.span, message)
                        .advise(format!("its fields are {known}")),
                );
                return None;
            };
            place.offset += field.offset;
            place.name = format!("{}.{}", place.name, field.name).into();
            (kind, len) = (field.kind.clone(), field.len);
            open_len = self.index_part(&mut place, part, &kind, len);
        }
        if let Kind::Scalar(ty, _) = &kind {
            place.ty = *ty;
        }
        Some(Resolved { place, kind, open_len, symbol: id })
    }

    /// Adds the index of one part to a place; returns the array bound if an array has no index.
    fn index_part(&mut self, place: &mut Place, part: &ast::VarPart, kind: &Kind, len: Option<u32>) -> Option<u32> {
        let stride = size_of(&self.structs, kind);
        match (&part.index, len) {
            (Some(index), len) => {
                let index = self.value(index);
                if len.is_none() {
                    let message = format!("`{}` is not an array", place.name);
                    self.report(
                        Diagnostic::error("index-on-scalar", part.name.span, message).advise("leave the index out"),
                    );
                }
                place.dims.push(Dim { index, len: len.unwrap_or(1), stride });
                place.name = format!("{}[#]", place.name).into();
                None
            }
            (None, Some(len)) => Some(len),
            (None, None) => None,
        }
    }

    /// A whole array where one element is needed.
    pub fn missing_index(&mut self, span: Span, name: &str) {
        self.report(
            Diagnostic::error("missing-index", span, format!("array `{name}` is used without an index"))
                .advise(format!("write `{name}[0]` if the first element is meant")),
        );
    }

    /// Resolves a reference to one scalar.
    pub fn scalar_place(&mut self, var: &ast::VarRef) -> Option<(Place, Shown, (Table, usize))> {
        let mut r = self.resolve(var)?;
        if r.open_len.is_some() {
            let name = r.place.name.clone();
            self.missing_index(var.span, &name);
        }
        match r.kind {
            Kind::Scalar(ty, shown) => {
                r.place.ty = ty;
                Some((r.place, shown, r.symbol))
            }
            Kind::Struct(_) => {
                let message = format!("`{}` is a structure; a single field is needed here", r.place.name);
                self.report(
                    Diagnostic::error("structure-as-value", var.span, message)
                        .advise("structures can be sent and passed to `run`, but not assigned or compared as a whole"),
                );
                None
            }
        }
    }

    /// True if a kind is a timer or has one inside.
    pub fn has_timer(&self, kind: &Kind) -> bool {
        match kind {
            Kind::Scalar(ty, _) => *ty == Ty::Timer,
            Kind::Struct(id) => self.structs[*id].fields.iter().any(|f| self.has_timer(&f.kind)),
        }
    }

    /// All scalars of a structure (or of a scalar), in order, for messages and parameters.
    pub fn flatten(&self, place: &Place, kind: &Kind) -> Vec<(Place, Shown)> {
        match kind {
            Kind::Scalar(ty, shown) => vec![(Place { ty: *ty, ..place.clone() }, shown.clone())],
            Kind::Struct(id) => {
                let mut out = Vec::new();
                for f in &self.structs[*id].fields {
                    let size = size_of(&self.structs, &f.kind);
                    for i in 0..f.len.unwrap_or(1) {
                        let mut p = place.clone();
                        p.offset += f.offset + i * size;
                        let name = f.len.map_or_else(|| f.name.to_string(), |_| format!("{}[{i}]", f.name));
                        p.name = format!("{}.{name}", place.name).into();
                        out.extend(self.flatten(&p, &f.kind));
                    }
                }
                out
            }
        }
    }

    /// The variables of a symbol for printing: structures taken apart, arrays of scalars kept together.
    pub fn leaves(&self, s: &Symbol) -> Vec<Var> {
        let mut out = Vec::new();
        self.leaves_of(s, s.name.to_string(), s.offset, &s.kind, s.len, &mut out);
        out
    }

    fn leaves_of(&self, s: &Symbol, name: String, offset: u32, kind: &Kind, len: Option<u32>, out: &mut Vec<Var>) {
        match kind {
            Kind::Scalar(ty, shown) => {
                let name: Arc<str> = name.into();
                let place = Place { region: s.region, offset, ty: *ty, dims: Vec::new(), name: name.clone() };
                out.push(Var {
                    name,
                    ty: *ty,
                    shown: shown.clone(),
                    len,
                    place,
                    promised_local: s.visibility == Some(ast::Visibility::Local),
                    show: s.visibility == Some(ast::Visibility::Show),
                    param: s.param,
                    span: s.span,
                });
            }
            Kind::Struct(id) => {
                let size = self.structs[*id].size;
                for i in 0..len.unwrap_or(1) {
                    let prefix = len.map_or_else(|| name.clone(), |_| format!("{name}[{i}]"));
                    for f in &self.structs[*id].fields {
                        let at = offset + i * size + f.offset;
                        self.leaves_of(s, format!("{prefix}.{}", f.name), at, &f.kind, f.len, out);
                    }
                }
            }
        }
    }

    fn unknown_name(&mut self, name: &ast::Ident) {
        if self.spoilt.contains(&name.name) {
            return;
        }
        let mut d = Diagnostic::error("unknown-name", name.span, format!("`{}` is not declared", name.name))
            .here("not known at this point");
        let known = self.locals.iter().chain(self.globals.iter()).map(|s| &*s.name);
        let known = known.chain(self.mtypes.keys().map(|k| &**k));
        let near = if self.full() { None } else { super::lint::nearest(&name.name, known) };
        if let Some(near) = near {
            d = d.advise(format!("did you mean `{near}`?"));
        } else if &*name.name == "STDIN" {
            d = d.advise("reading from the terminal is not supported: a check has no input");
        } else if self.proctype_ids.contains_key(&name.name) {
            d = d.advise("this is a process type; start it with `run`, or refer to a label of it with `name@label`");
        } else {
            d = d.advise("a variable must be declared before the place where it is used");
        }
        self.report(d);
    }

    /// A new channel declaration in the model.
    pub fn new_channel(&mut self, name: String, spec: &ChannelSpec) -> ChanId {
        let id = ChanId(self.model.channels.len() as u16);
        self.model.channels.push(starwheel_model::Channel {
            name: name.into(),
            capacity: spec.capacity,
            fields: spec.fields.clone(),
            span: spec.span,
        });
        id
    }
}
