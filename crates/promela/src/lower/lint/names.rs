//! Names and types as far as warnings need them: what is declared, in which scope, and which values it can hold.

use super::Lint;
use crate::ast::{self, Initializer, TypeName, VarRef, Visibility};
use starwheel_base::Span;
use std::collections::HashMap;
use std::sync::Arc;

/// Index of a declared variable.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct VarId(pub usize);

/// What a variable can hold.
#[derive(Clone, Debug, PartialEq)]
pub enum Type {
    /// Numbers between two bounds, and the name of the type.
    Number(Arc<str>, i64, i64),
    /// The symbolic constants of a set.
    Symbol(Arc<str>),
    /// A channel.
    Channel,
    /// A structure.
    Structure(Arc<str>),
}

impl Type {
    /// The least and the greatest value.
    pub fn range(&self) -> Option<(i64, i64)> {
        match self {
            Type::Number(_, low, high) => Some((*low, *high)),
            Type::Symbol(_) => Some((0, 255)),
            Type::Channel | Type::Structure(_) => None,
        }
    }

    /// The type as the user writes it.
    pub fn name(&self) -> &str {
        match self {
            Type::Number(name, ..) | Type::Structure(name) => name,
            Type::Symbol(_) => "mtype",
            Type::Channel => "chan",
        }
    }

    /// The type as part of a sentence.
    pub fn article(&self) -> String {
        let name = self.name();
        let article = if name.starts_with(['i', 'u']) { "an" } else { "a" };
        format!("{article} `{name}`")
    }

    /// True for types that hold 0 and 1 only.
    pub fn is_bit(&self) -> bool {
        matches!(self, Type::Number(_, 0, 1))
    }
}

/// A field of a structure.
#[derive(Clone)]
pub struct Field {
    pub name: Arc<str>,
    pub ty: Type,
    pub array: Option<Option<i64>>,
}

/// How a variable was declared.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    Global,
    Local,
    Parameter,
}

/// What is done with a variable.
#[derive(Default)]
pub struct Uses {
    pub mentioned: bool,
    pub read: bool,
    pub written: bool,
    /// The first send and the first receive, for a channel.
    pub sent: Option<Span>,
    pub received: Option<Span>,
    /// A channel that can be known by other names as well.
    pub shared: bool,
    /// The least and greatest values that are sent in each field of a channel's messages.
    pub carried: Vec<(i64, i64)>,
}

/// The declaration of a channel.
#[derive(Clone)]
pub struct Channel {
    pub capacity: Option<i64>,
    /// The types of a message's fields, structures taken apart; `None` if that is not possible.
    pub fields: Option<Vec<Type>>,
    pub span: Span,
}

/// A declared variable.
pub struct Var {
    pub name: Arc<str>,
    pub span: Span,
    pub role: Role,
    /// The process type that it belongs to.
    pub owner: Option<Arc<str>>,
    pub ty: Type,
    /// For an array its length, if that is a plain constant.
    pub array: Option<Option<i64>>,
    pub visibility: Option<Visibility>,
    pub channel: Option<Channel>,
    pub uses: Uses,
}

/// What a reference stands for.
pub struct Referent {
    pub var: VarId,
    pub ty: Type,
    /// Part of an array.
    pub array: Option<Option<i64>>,
}

impl Lint<'_> {
    /// Learns types and global names, which may be used anywhere.
    pub fn learn(&mut self, program: &ast::Program) {
        for unit in &program.units {
            match unit {
                ast::Unit::Mtype(m) => {
                    let set: Arc<str> = m.subtype.as_ref().map_or_else(|| "".into(), |s| s.name.clone());
                    self.symbols.extend(m.names.iter().map(|n| (n.name.clone(), set.clone())));
                }
                ast::Unit::Typedef(t) => {
                    let fields = t.fields.iter().flat_map(|d| d.vars.iter().map(move |v| (d, v)));
                    let fields = fields
                        .map(|(d, v)| Field {
                            name: v.name.name.clone(),
                            ty: self.type_of(d, v),
                            array: self.length(v),
                        })
                        .collect();
                    self.structures.insert(t.name.name.clone(), fields);
                }
                ast::Unit::Proctype(p) => {
                    let vars = p.params.iter().flat_map(|d| d.vars.iter().map(move |v| (d, v)));
                    let types: Vec<Type> = vars.map(|(d, v)| self.type_of(d, v)).collect();
                    self.parameters.insert(p.name.name.clone(), types);
                }
                _ => {}
            }
        }
    }

    /// The type of a declared name.
    pub fn type_of(&self, d: &ast::Decl, v: &ast::Declarator) -> Type {
        self.type_named(&d.ty, v.width.as_ref().and_then(|w| self.constant(w)))
    }

    fn type_named(&self, ty: &TypeName, width: Option<i64>) -> Type {
        let number = |name: &str, low: i64, high: i64| Type::Number(name.into(), low, high);
        match ty {
            TypeName::Bit => number("bit", 0, 1),
            TypeName::Bool => number("bool", 0, 1),
            TypeName::Byte => number("byte", 0, 255),
            TypeName::Pid => number("pid", 0, 255),
            TypeName::Short => number("short", -32768, 32767),
            TypeName::Int => number("int", i64::from(i32::MIN), i64::from(i32::MAX)),
            TypeName::Unsigned => {
                let width = width.unwrap_or(31).clamp(1, 31);
                Type::Number(format!("unsigned : {width}").into(), 0, (1 << width) - 1)
            }
            TypeName::Mtype(set) => Type::Symbol(set.as_ref().map_or_else(|| "".into(), |s| s.name.clone())),
            TypeName::Chan => Type::Channel,
            TypeName::Timer => number("timer", -1, 32767),
            TypeName::Named(name) => Type::Structure(name.name.clone()),
        }
    }

    fn length(&self, v: &ast::Declarator) -> Option<Option<i64>> {
        v.length.as_ref().map(|e| self.constant(e))
    }

    /// Declares a name in the innermost scope, or among the globals.
    pub fn declare(&mut self, d: &ast::Decl, v: &ast::Declarator, role: Role) -> VarId {
        let channel = match &v.init {
            Some(Initializer::Channel(c)) => {
                Some(Channel { capacity: self.constant(&c.capacity), fields: self.fields_of(c), span: c.span })
            }
            _ => None,
        };
        let id = VarId(self.vars.len());
        self.vars.push(Var {
            name: v.name.name.clone(),
            span: v.name.span,
            role,
            owner: self.body.clone(),
            ty: self.type_of(d, v),
            array: self.length(v),
            visibility: d.visibility,
            channel,
            uses: Uses::default(),
        });
        let names = match (role, self.scopes.last_mut()) {
            (Role::Local | Role::Parameter, Some(scope)) => scope,
            _ => &mut self.globals,
        };
        names.insert(v.name.name.clone(), id);
        id
    }

    fn fields_of(&self, c: &ast::ChannelInit) -> Option<Vec<Type>> {
        let mut out = Vec::new();
        for (ty, _) in &c.fields {
            self.flatten(&self.type_named(ty, None), &mut out)?;
        }
        Some(out)
    }

    /// The plain types that a type consists of; `None` if an array has no known length.
    pub fn flatten(&self, ty: &Type, out: &mut Vec<Type>) -> Option<()> {
        let Type::Structure(name) = ty else {
            out.push(ty.clone());
            return Some(());
        };
        for f in self.structures.get(name)? {
            let times = f.array.map_or(Some(1), |n| n)?;
            for _ in 0..times.clamp(0, 256) {
                self.flatten(&f.ty, out)?;
            }
        }
        Some(())
    }

    /// The variable of a name.
    pub fn find(&self, name: &str) -> Option<VarId> {
        let local = self.scopes.iter().rev().find_map(|s| s.get(name));
        local.or_else(|| self.globals.get(name)).copied()
    }

    /// The variable of a name.
    pub fn var(&self, id: VarId) -> &Var {
        &self.vars[id.0]
    }

    /// What is done with a variable.
    pub fn uses(&mut self, id: VarId) -> &mut Uses {
        &mut self.vars[id.0].uses
    }

    /// What a reference stands for; `None` for predefined names and symbolic constants.
    pub fn refer(&self, v: &VarRef) -> Option<Referent> {
        let var = self.find(&v.parts[0].name.name)?;
        let (mut ty, mut array) = (self.var(var).ty.clone(), self.var(var).array);
        for part in &v.parts[1..] {
            let Type::Structure(name) = &ty else { return None };
            let field = self.structures.get(name)?.iter().find(|f| f.name == part.name.name)?;
            (ty, array) = (field.ty.clone(), field.array);
        }
        Some(Referent { var, ty, array })
    }

    /// The set of a symbolic constant or variable.
    pub fn symbol_set(&self, e: &ast::Expr) -> Option<Arc<str>> {
        let ast::ExprKind::Var(v) = &e.kind else { return None };
        match self.refer(v) {
            Some(Referent { ty: Type::Symbol(set), .. }) => Some(set),
            Some(_) => None,
            None if v.parts.len() == 1 => self.symbols.get(&v.parts[0].name.name).cloned(),
            None => None,
        }
    }

    /// Opens a scope.
    pub fn enter(&mut self) {
        self.scopes.push(HashMap::new());
    }

    /// Closes the innermost scope.
    pub fn leave(&mut self) {
        self.scopes.pop();
    }
}
