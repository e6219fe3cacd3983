//! Declarations: symbolic constants, structures, global and local variables, channels.

use super::Lower;
use super::symbols::{ChannelSpec, Exclusive, FieldDef, FieldInit, Kind, StructDef, Symbol, reserve, scalar, size_of};
use crate::ast::{self, Initializer, TypeName, Visibility};
use starwheel_base::{Diagnostic, Span};
use starwheel_model::time::OFF;
use starwheel_model::{ChannelVar, Expr, Field, Place, Region, Shown, Stmt, SymbolSet, Ty};
use std::sync::Arc;

/// What one declared name says, with everything constant worked out.
struct Declared {
    kind: Kind,
    len: Option<u32>,
    init: Option<FieldInit>,
    constant: Option<i32>,
}

/// Variables of more bytes than this are taken for a mistake.
const LARGEST: u64 = 1 << 20;
/// The same for all global variables together.
const ALL: u32 = 1 << 28;

impl Lower<'_> {
    /// `mtype = { … }`. SPIN numbers the names of one declaration backwards, and goes on in the next one.
    pub fn mtype(&mut self, decl: &ast::MtypeDecl) {
        let set: Arc<str> = decl.subtype.as_ref().map_or_else(|| "".into(), |s| s.name.clone());
        let i = match self.model.symbols.iter().position(|s| s.name == set) {
            Some(i) => i,
            None => {
                self.model.symbols.push(SymbolSet { name: set.clone(), names: Vec::new() });
                self.model.symbols.len() - 1
            }
        };
        let before = self.model.symbols[i].names.len();
        for (k, name) in decl.names.iter().rev().enumerate() {
            let value = (before + k + 1) as i32;
            if let Some((_, _, first)) = self.mtypes.get(&name.name) {
                let first = *first;
                self.report(
                    Diagnostic::error("duplicate-name", name.span, format!("`{}` is declared twice", name.name))
                        .also(first, "first declared here"),
                );
                continue;
            }
            if value > 255 {
                self.report(Diagnostic::error("too-many-names", name.span, "an `mtype` can have at most 255 names"));
                return;
            }
            self.mtypes.insert(name.name.clone(), (value, set.clone(), name.span));
            self.model.symbols[i].names.push((value, name.name.clone()));
        }
    }

    /// `typedef T { … }`
    pub fn typedef(&mut self, def: &ast::Typedef) {
        if self.struct_ids.contains_key(&def.name.name) {
            let message = format!("the type `{}` is declared twice", def.name.name);
            self.report(Diagnostic::error("duplicate-name", def.name.span, message));
            return;
        }
        let mut fields: Vec<FieldDef> = Vec::new();
        let mut used = 0;
        for decl in &def.fields {
            for var in &decl.vars {
                let Some(d) = self.declared(decl, var, false) else { continue };
                if fields.iter().any(|f| f.name == var.name.name) {
                    let message = format!("structure `{}` has two fields `{}`", def.name.name, var.name.name);
                    self.report(Diagnostic::error("duplicate-name", var.name.span, message));
                    continue;
                }
                let offset = reserve(&self.structs, &mut used, &d.kind, d.len);
                let name = var.name.name.clone();
                fields.push(FieldDef { name, kind: d.kind, len: d.len, offset, init: d.init });
            }
        }
        self.struct_ids.insert(def.name.name.clone(), self.structs.len());
        self.structs.push(StructDef { name: def.name.name.clone(), fields, size: used.next_multiple_of(4) });
    }

    /// A global declaration.
    pub fn global(&mut self, decl: &ast::Decl) {
        for var in &decl.vars {
            let hidden = decl.visibility == Some(Visibility::Hidden);
            let Some(d) = self.declared(decl, var, hidden) else { continue };
            if self.globals.first(&var.name.name).is_some() {
                self.duplicate(&var.name);
                continue;
            }
            let region = if hidden { Region::Hidden } else { Region::Global };
            let used = if hidden { &mut self.hidden_used } else { &mut self.globals_used };
            let offset = reserve(&self.structs, used, &d.kind, d.len);
            if *used > ALL {
                let message = format!("up to `{}`, the global variables take more than {ALL} bytes", var.name.name);
                self.report(Diagnostic::error("too-large", var.name.span, message));
                self.spoilt.insert(var.name.name.clone());
                return;
            }
            let symbol = self.new_symbol(decl, var, &d, region, offset);
            self.globals.push(symbol);
            let id = self.globals.len() - 1;
            let mut stmts = Vec::new();
            let mut channels = Vec::new();
            self.initialise(&self.globals[id].clone(), d.init.as_ref(), &mut stmts, &mut channels);
            self.model.init.extend(stmts);
            self.model.global_channels.extend(channels);
        }
    }

    /// The parameters of a process type.
    pub fn params(&mut self, params: &[ast::Decl]) {
        for decl in params {
            for var in &decl.vars {
                if var.init.is_some() {
                    let message = "a parameter cannot have an initial value";
                    self.report(
                        Diagnostic::error("parameter-init", var.span, message)
                            .advise("the value comes from `run`; parameters of an `active` process are 0"),
                    );
                }
                let Some(d) = self.declared(decl, var, false) else { continue };
                if self.has_timer(&d.kind) {
                    let message = format!("parameter `{}` is a timer", var.name.name);
                    self.report(
                        Diagnostic::error("timer-parameter", var.name.span, message)
                            .advise("declare a timer in the body, or pass the index of one in a global array"),
                    );
                }
                if d.len.is_some() {
                    let message = format!("parameter `{}` is an array", var.name.name);
                    self.report(
                        Diagnostic::error("array-parameter", var.name.span, message)
                            .advise("pass an index, or put the array into a structure or a global variable"),
                    );
                    self.spoilt.insert(var.name.name.clone());
                    continue;
                }
                if self.find(&var.name.name).is_some() {
                    self.duplicate(&var.name);
                    continue;
                }
                let offset = reserve(&self.structs, &mut self.locals_used, &d.kind, d.len);
                let mut symbol = self.new_symbol(decl, var, &d, Region::Local, offset);
                symbol.param = true;
                let place = place_of(&symbol);
                self.params.extend(self.flatten(&place, &d.kind).into_iter().map(|(p, _)| p));
                self.locals.push(symbol);
            }
        }
    }

    /// A local declaration. At the start of a body it is part of the creation of the process; anywhere else it is a
    /// step that assigns (also when there is no initialiser), and this returns those steps.
    pub fn local(&mut self, decl: &ast::Decl, at_start: bool) -> Vec<(Stmt, Span)> {
        let mut steps = Vec::new();
        for var in &decl.vars {
            let Some(d) = self.declared(decl, var, false) else { continue };
            if self.find(&var.name.name).is_some() {
                self.duplicate(&var.name);
                continue;
            }
            let offset = reserve(&self.structs, &mut self.locals_used, &d.kind, d.len);
            let symbol = self.new_symbol(decl, var, &d, Region::Local, offset);
            self.locals.push(symbol.clone());
            let structure = matches!(d.kind, Kind::Struct(_));
            let mut stmts = Vec::new();
            let mut channels = Vec::new();
            if at_start || structure || symbol.channel.is_some() {
                self.initialise(&symbol, d.init.as_ref(), &mut stmts, &mut channels);
                self.frame_init.extend(stmts);
                self.frame_channels.extend(channels);
            }
            if at_start {
                continue;
            }
            if symbol.channel.is_some() {
                let message = format!("channel `{}` is initialised in the middle of a body", var.name.name);
                self.report(
                    Diagnostic::error("late-channel", var.span, message)
                        .advise("move the declaration to the start of the body: a channel is created with its process"),
                );
                continue;
            }
            let place = place_of(&symbol);
            if place.ty == Ty::Timer {
                // It is off from the start, wherever it is declared: a zero would be an expiry.
                let mut off = Vec::new();
                self.initialise(&symbol, d.init.as_ref(), &mut off, &mut Vec::new());
                self.frame_init.extend(off);
            }
            let idle = Expr::constant(place.ty.idle());
            let stmt = match d.init {
                _ if structure => Stmt::Skip(starwheel_model::SkipKind::Declaration),
                Some(FieldInit::List(values)) => Stmt::AssignArray(place, values),
                Some(FieldInit::Value(value)) => Stmt::Assign(place, value),
                _ => Stmt::Assign(place, idle),
            };
            steps.push((stmt, var.span));
        }
        steps
    }

    fn new_symbol(&self, decl: &ast::Decl, var: &ast::Declarator, d: &Declared, region: Region, offset: u32) -> Symbol {
        let channel = match &d.init {
            Some(FieldInit::Channel(spec)) => Some(spec.clone()),
            _ => None,
        };
        Symbol {
            name: var.name.name.clone(),
            scope: self.scope.clone(),
            kind: d.kind.clone(),
            len: d.len,
            region,
            offset,
            channel,
            span: var.name.span,
            visibility: decl.visibility,
            param: false,
            read: false,
            used: false,
            constant: d.constant,
            exclusive: Exclusive::default(),
        }
    }

    /// Two variables of one name that are visible at the same place; SPIN does not let one hide the other.
    fn duplicate(&mut self, name: &ast::Ident) {
        let Some(first) = self.find(&name.name).map(|id| self.symbol(id).span) else { return };
        self.report(
            Diagnostic::error("duplicate-name", name.span, format!("`{}` is declared twice", name.name))
                .also(first, "first declared here")
                .advise("a variable cannot hide another one: give it a name of its own"),
        );
    }

    /// Works out type, array bound and initialiser of one declared name.
    fn declared(&mut self, decl: &ast::Decl, var: &ast::Declarator, hidden: bool) -> Option<Declared> {
        let declared = self.work_out(decl, var, hidden);
        if declared.is_none() {
            self.spoilt.insert(var.name.name.clone());
        }
        declared
    }

    fn work_out(&mut self, decl: &ast::Decl, var: &ast::Declarator, hidden: bool) -> Option<Declared> {
        if self.mtypes.contains_key(&var.name.name) {
            let message = format!("`{}` is a symbolic constant already", var.name.name);
            let advice = "choose another name for the variable";
            self.report(Diagnostic::error("duplicate-name", var.name.span, message).advise(advice));
            return None;
        }
        let len = match &var.length {
            Some(e) => Some(self.array_length(e, &var.name)?),
            None => None,
        };
        let width = self.width(decl, var)?;
        self.check_hidden(decl, var, hidden);
        let kind = match (&decl.ty, scalar(&decl.ty, len.is_some(), hidden, width)) {
            (_, Some((ty, shown))) => Kind::Scalar(ty, shown),
            (TypeName::Named(name), None) => match self.struct_ids.get(&name.name) {
                // What is wrong with all its fields has been said.
                Some(&id) if self.structs[id].fields.is_empty() => return None,
                Some(&id) => Kind::Struct(id),
                None => {
                    self.unknown_type(name);
                    return None;
                }
            },
            _ => return None,
        };
        if decl.ty == TypeName::Unsigned && len.is_some() {
            let message = format!("`{}` is an array of `unsigned`, which SPIN cannot compile", var.name.name);
            self.report(
                Diagnostic::error("unsigned-array", var.name.span, message).advise("use `byte`, `short` or `int`"),
            );
        }
        let bytes = u64::from(size_of(&self.structs, &kind)) * u64::from(len.unwrap_or(1));
        if bytes > LARGEST {
            let message = format!("`{}` takes {bytes} bytes, more than {LARGEST}", var.name.name);
            self.report(Diagnostic::error("too-large", var.name.span, message));
            return None;
        }
        if hidden && decl.ty != TypeName::Timer && self.has_timer(&kind) {
            let message = format!("`{}` has a timer inside and cannot be hidden", var.name.name);
            self.report(
                Diagnostic::error("hidden-timer", var.name.span, message)
                    .advise("when it expires decides what happens, so it is part of every state"),
            );
            return None;
        }
        if decl.ty == TypeName::Timer {
            self.check_timer_init(var);
            return Some(Declared { kind, len, init: Some(FieldInit::Value(Expr::constant(OFF))), constant: None });
        }
        let constant = match (&var.init, len) {
            (Some(Initializer::Expr(e)), None) => self.constant_quietly(e),
            (None, None) => Some(0),
            _ => None,
        };
        let init = match &var.init {
            None => None,
            Some(init) => self.initializer(decl, var, &kind, len, init),
        };
        Some(Declared { kind, len, init, constant })
    }

    /// A timer starts off, whether its declaration says so or not.
    fn check_timer_init(&mut self, var: &ast::Declarator) {
        let off = |init: &Initializer| matches!(init, Initializer::Expr(e) if self.constant_quietly(e) == Some(OFF));
        if var.init.as_ref().is_some_and(|init| !off(init)) {
            let message = format!("the timer `{}` can only start off", var.name.name);
            self.report(
                Diagnostic::error("timer-init", var.span, message)
                    .advise("declare it with `= OFF` or without a value, and `set` it in a process"),
            );
        }
    }

    /// Only plain globals can be hidden.
    fn check_hidden(&mut self, decl: &ast::Decl, var: &ast::Declarator, global: bool) {
        if decl.visibility != Some(Visibility::Hidden) {
            return;
        }
        let name = &var.name.name;
        let d = match decl.ty {
            TypeName::Bit | TypeName::Bool => {
                Diagnostic::error("hidden-bit", var.name.span, format!("the bit `{name}` cannot be hidden"))
                    .advise("declare it as `hidden byte`")
            }
            TypeName::Timer => {
                Diagnostic::error("hidden-timer", var.name.span, format!("the timer `{name}` cannot be hidden"))
                    .advise("when it expires decides what happens, so it is part of every state")
            }
            TypeName::Chan => {
                Diagnostic::error("hidden-channel", var.name.span, format!("the channel `{name}` cannot be hidden"))
            }
            _ if !global => {
                Diagnostic::error("hidden-local", var.name.span, format!("`{name}` is not global and cannot be hidden"))
            }
            _ => return,
        };
        self.report(d);
    }

    fn unknown_type(&mut self, name: &ast::Ident) {
        let near = super::lint::nearest(&name.name, self.struct_ids.keys().map(|k| &**k));
        let advice = match near {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("declare it further up: `typedef {} {{ … }}`", name.name),
        };
        let message = format!("there is no type `{}`", name.name);
        self.report(Diagnostic::error("unknown-type", name.span, message).advise(advice));
    }

    fn width(&mut self, decl: &ast::Decl, var: &ast::Declarator) -> Option<u8> {
        let unsigned = decl.ty == TypeName::Unsigned;
        match (&var.width, unsigned) {
            (None, false) => Some(0),
            (None, true) => {
                let message = format!("`{}` is `unsigned` without a width", var.name.name);
                self.report(
                    Diagnostic::error("missing-width", var.name.span, message).advise("write `unsigned name : 4`"),
                );
                None
            }
            (Some(e), false) => {
                self.report(
                    Diagnostic::error("width", e.span, "only an `unsigned` variable can have a width")
                        .advise("write `unsigned name : width`"),
                );
                None
            }
            (Some(e), true) => match self.constant(e) {
                Some(n @ 1..=31) => Some(n as u8),
                Some(_) => {
                    self.report(Diagnostic::error("width", e.span, "a width must lie between 1 and 31"));
                    None
                }
                None => None,
            },
        }
    }

    fn array_length(&mut self, e: &ast::Expr, name: &ast::Ident) -> Option<u32> {
        let value = match &e.kind {
            ast::ExprKind::Var(v) if v.parts.len() == 1 && !self.mtypes.contains_key(&v.parts[0].name.name) => {
                let id = self.find(&v.parts[0].name.name);
                let constant = id.and_then(|id| self.symbol(id).constant);
                match constant {
                    Some(n) if n > 0 => {
                        self.report(
                            Diagnostic::warning("variable-bound", e.span, format!("a variable as array bound: taken as {n}"))
                                .advise("a macro or a number says this more clearly: later changes of the variable have no effect"),
                        );
                        Some(n)
                    }
                    _ => self.constant(e),
                }
            }
            _ => self.constant(e),
        };
        match value? {
            n if n > 0 => Some(n as u32),
            n => {
                let message = format!("array `{}` would have {n} elements", name.name);
                self.report(Diagnostic::error("array-length", e.span, message).advise("an array needs at least one"));
                None
            }
        }
    }

    fn initializer(
        &mut self,
        decl: &ast::Decl,
        var: &ast::Declarator,
        kind: &Kind,
        len: Option<u32>,
        init: &Initializer,
    ) -> Option<FieldInit> {
        match init {
            Initializer::Channel(c) => {
                if decl.ty != TypeName::Chan {
                    let message = format!("`{}` is not declared as a channel", var.name.name);
                    self.report(Diagnostic::error("not-a-channel", c.span, message).advise("declare it with `chan`"));
                    return None;
                }
                self.channel_spec(c).map(FieldInit::Channel)
            }
            Initializer::List(list) => {
                let values = list.iter().map(|e| self.constant(e)).collect::<Option<Vec<_>>>()?;
                match len {
                    None => {
                        let message = format!("`{}` must be an array to have a list of values", var.name.name);
                        let advice = format!("declare it as `{}[{}]`", var.name.name, values.len());
                        self.report(Diagnostic::error("list-init", var.span, message).advise(advice));
                        None
                    }
                    Some(n) => {
                        let (given, n) = (values.len(), n as usize);
                        if given > n {
                            let message = format!("{given} values for the {n} elements of `{}`", var.name.name);
                            let advice = "make the array longer, or leave values out: the last ones have no effect";
                            self.report(Diagnostic::warning("list-init", var.span, message).advise(advice));
                        }
                        // The last value is that of all further elements.
                        let mut values = values;
                        let last = values.last().cloned()?;
                        values.resize(n, last);
                        Some(FieldInit::List(values))
                    }
                }
            }
            Initializer::Expr(e) => {
                let value = self.value(e);
                if value.any(|e| matches!(e, Expr::Run(_))) {
                    self.report(
                        Diagnostic::error("run-in-init", e.span, "`run` cannot be used to initialise a variable")
                            .advise("declare the variable first, then assign to it"),
                    );
                    return None;
                }
                if let Kind::Struct(_) = kind {
                    // SPIN takes such an initialiser without a word, and without effect.
                    let message = "a structure cannot be initialised as a whole: this has no effect";
                    self.report(
                        Diagnostic::warning("structure-init", var.span, message)
                            .advise("give its fields initial values in the `typedef`"),
                    );
                    return None;
                }
                Some(FieldInit::Value(value))
            }
        }
    }

    /// The constant parts of a channel declaration.
    fn channel_spec(&mut self, c: &ast::ChannelInit) -> Option<ChannelSpec> {
        let capacity = self.constant(&c.capacity)?;
        if !(0..=255).contains(&capacity) {
            let message = format!("a channel cannot have {capacity} slots");
            self.report(
                Diagnostic::error("channel-capacity", c.capacity.span, message).advise("from 0 to 255 are possible"),
            );
            return None;
        }
        let mut fields = Vec::new();
        let mut message = None;
        for (ty, span) in &c.fields {
            if self.timer_in_message(ty) {
                let message = "a timer cannot be part of a message";
                let d = Diagnostic::error("timer-message", *span, message);
                self.report(d.advise("send a number, and let the receiver `set` a timer of its own"));
                return None;
            }
            match (ty, scalar(ty, false, false, 0)) {
                (TypeName::Unsigned, _) => {
                    self.report(
                        Diagnostic::error(
                            "unsigned-message",
                            *span,
                            "`unsigned` cannot be the type of a message field",
                        )
                        .advise("use `byte`, `short` or `int`"),
                    );
                    return None;
                }
                (_, Some((ty, shown))) => fields.push(Field { ty, shown }),
                (TypeName::Named(name), None) => {
                    let Some(&id) = self.struct_ids.get(&name.name) else {
                        self.unknown_type(name);
                        return None;
                    };
                    if c.fields.len() == 1 {
                        message = Some(id);
                    }
                    let kind = Kind::Struct(id);
                    let place = Place { region: Region::Local, offset: 0, ty: Ty::Int, dims: vec![], name: "".into() };
                    let flat = self.flatten(&place, &kind);
                    fields.extend(flat.into_iter().map(|(p, shown)| Field { ty: p.ty, shown }));
                }
                _ => return None,
            }
        }
        if capacity == 0 {
            self.model.uses.rendezvous = true;
        }
        // A message of a single bit is kept in a byte and not cut to one bit, as in pan.
        if let [Field { ty: ty @ Ty::Bit, .. }] = &mut fields[..] {
            *ty = Ty::Byte;
        }
        Some(ChannelSpec { capacity: capacity as u16, fields, message, span: c.span })
    }

    fn timer_in_message(&self, ty: &TypeName) -> bool {
        match ty {
            TypeName::Timer => true,
            TypeName::Named(name) => {
                self.struct_ids.get(&name.name).is_some_and(|&id| self.has_timer(&Kind::Struct(id)))
            }
            _ => false,
        }
    }

    /// What has to be done for a variable when its memory has been zeroed.
    fn initialise(
        &mut self,
        s: &Symbol,
        init: Option<&FieldInit>,
        stmts: &mut Vec<Stmt>,
        channels: &mut Vec<ChannelVar>,
    ) {
        let place = place_of(s);
        let name = s.name.to_string();
        self.initialise_at(&place, &name, &s.kind, s.len, init, stmts, channels);
    }

    #[allow(clippy::too_many_arguments)]
    fn initialise_at(
        &mut self,
        place: &Place,
        name: &str,
        kind: &Kind,
        len: Option<u32>,
        init: Option<&FieldInit>,
        stmts: &mut Vec<Stmt>,
        channels: &mut Vec<ChannelVar>,
    ) {
        let size = size_of(&self.structs, kind);
        let element = |i: u32| {
            let full = if len.is_some() { format!("{name}[{i}]") } else { name.to_string() };
            (Place { offset: place.offset + i * size, name: full.as_str().into(), ..place.clone() }, full)
        };
        match (kind, init) {
            (Kind::Struct(id), _) => {
                let fields: Vec<_> = self.structs[*id]
                    .fields
                    .iter()
                    .map(|f| (f.name.clone(), f.kind.clone(), f.len, f.offset, f.init.clone()))
                    .collect();
                for i in 0..len.unwrap_or(1) {
                    let (at, full) = element(i);
                    for (field, kind, len, offset, init) in &fields {
                        let mut p = at.clone();
                        p.offset += offset;
                        if let Kind::Scalar(ty, _) = kind {
                            p.ty = *ty;
                        }
                        let full = format!("{full}.{field}");
                        p.name = full.as_str().into();
                        self.initialise_at(&p, &full, kind, *len, init.as_ref(), stmts, channels);
                    }
                }
            }
            (Kind::Scalar(..), None) => {}
            (Kind::Scalar(..), Some(FieldInit::Value(value))) => {
                for i in 0..len.unwrap_or(1) {
                    stmts.push(Stmt::Assign(element(i).0, value.clone()));
                }
            }
            (Kind::Scalar(..), Some(FieldInit::List(values))) => {
                stmts.push(Stmt::AssignArray(place.clone(), values.clone()));
            }
            (Kind::Scalar(..), Some(FieldInit::Channel(spec))) => {
                for i in 0..len.unwrap_or(1) {
                    let (at, full) = element(i);
                    let channel = self.new_channel(full, spec);
                    channels.push(ChannelVar { channel, place: at });
                }
            }
        }
    }

    /// `xr c` and `xs c`.
    pub fn exclusive(&mut self, x: &ast::Exclusive) {
        for c in &x.channels {
            let Some(r) = self.resolve(c) else { continue };
            if !matches!(r.kind, Kind::Scalar(_, Shown::Channel)) {
                let message = format!("`{}` is not a channel", r.place.name);
                self.report(Diagnostic::error("not-a-channel", c.span, message));
                continue;
            }
            let e = &mut self.symbol_mut(r.symbol).exclusive;
            if x.receive {
                e.receive = true;
            } else {
                e.send = true;
            }
            self.exclusive_promises = true;
        }
    }
}

/// The place of a whole variable.
pub fn place_of(s: &Symbol) -> Place {
    let ty = match s.kind {
        Kind::Scalar(ty, _) => ty,
        Kind::Struct(_) => Ty::Int,
    };
    Place { region: s.region, offset: s.offset, ty, dims: Vec::new(), name: s.name.clone() }
}
