//! What a statement of a random program can see: variables, channels and the kind of block it stands in.

use crate::ast::{Place, Ty};

/// One step of the way to a value: a name, and the length if it is an array.
#[derive(Clone, Debug)]
pub struct Seg {
    /// The name of the variable or field.
    pub name: String,
    /// The number of elements.
    pub len: Option<u32>,
}

/// A scalar that can be reached by a path of names.
#[derive(Clone, Debug)]
pub struct Var {
    /// The path to it.
    pub path: Vec<Seg>,
    /// The type of the scalar.
    pub ty: Ty,
    /// May expressions read it? Hidden variables are only written where SPIN has to count states.
    pub readable: bool,
    /// May statements write it?
    pub writable: bool,
    /// May an index be made from it? Not from the parameter of an inline: `x + 1 % 2` is no index.
    pub indexable: bool,
}

/// A channel that can be reached by a path of names.
#[derive(Clone, Debug)]
pub struct ChanVar {
    /// The path to it.
    pub path: Vec<Seg>,
    /// The types of its message fields.
    pub fields: Vec<Ty>,
    /// Its capacity; 0 for a rendezvous channel.
    pub capacity: u32,
}

/// A variable of a typedef, as a whole.
#[derive(Clone, Debug)]
pub struct StructVar {
    /// Where it is.
    pub place: Place,
    /// The name of its type.
    pub ty: String,
}

/// Where a statement stands and what it sees.
#[derive(Clone, Debug, Default)]
pub struct Scope {
    /// The scalars it sees.
    pub vars: Vec<Var>,
    /// The channels it sees.
    pub chans: Vec<ChanVar>,
    /// The whole structures it sees.
    pub structs: Vec<StructVar>,
    /// It may be executed again and again, so values must stay bounded.
    pub looping: bool,
    /// A `break` has somewhere to go.
    pub breakable: bool,
    /// It stands inside a `d_step`: nothing may block, jump or be non-deterministic.
    pub dstep: bool,
    /// It stands inside an inline: no labels, no jumps.
    pub inline: bool,
    /// It stands at the start of an option beside an `else`, so a second `else` would be refused.
    pub no_else: bool,
    /// How deep it is nested.
    pub nest: u32,
    /// The number of the process type.
    pub proc: usize,
}

impl Var {
    /// A plain variable or parameter.
    pub fn plain(name: &str, ty: Ty, len: Option<u32>) -> Self {
        let path = vec![Seg { name: name.to_string(), len }];
        Self { path, ty, readable: true, writable: true, indexable: true }
    }

    /// Can it hold only a handful of values whatever is assigned? Arrays of bits are bytes in SPIN's verifier.
    pub fn narrow(&self) -> bool {
        let array = self.path.iter().any(|seg| seg.len.is_some());
        !array && matches!(self.ty, Ty::Bit | Ty::Bool | Ty::Unsigned(_))
    }

    /// Is it a number, as opposed to a channel, an mtype or a structure?
    pub fn numeric(&self) -> bool {
        matches!(self.ty, Ty::Bit | Ty::Bool | Ty::Byte | Ty::Pid | Ty::Short | Ty::Int | Ty::Unsigned(_))
    }
}

impl ChanVar {
    /// May a message or a parameter that carries `other` carry this one as well?
    pub fn same_kind(&self, other: &ChanVar) -> bool {
        self.fields == other.fields && (self.capacity == 0) == (other.capacity == 0)
    }
}

impl Scope {
    /// The scope of a block inside this one.
    pub fn inner(&self) -> Scope {
        Scope { nest: self.nest + 1, no_else: false, ..self.clone() }
    }

    /// The scope of a selection that starts an option beside an `else`.
    pub fn inner_no_else(&self) -> Scope {
        Scope { no_else: true, ..self.inner() }
    }

    /// Forgets everything that a new declaration of `name` hides.
    pub fn hide(&mut self, name: &str) {
        self.vars.retain(|v| v.path[0].name != name);
        self.chans.retain(|c| c.path[0].name != name);
        self.structs.retain(|s| s.place.name != name);
    }
}
