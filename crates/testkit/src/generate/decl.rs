//! The declarations of a random program: mtypes, typedefs, global variables and channels, macros, inlines.

use super::features::Feature;
use super::scope::{ChanVar, Scope, Seg, Var};
use super::{Gen, InlineSig};
use crate::ast::*;

/// The hidden variable, if there is one.
pub(super) const HIDDEN: &str = "h0";

impl Gen {
    /// Makes all declarations that stand in front of the process types.
    pub(super) fn declare(&mut self) {
        self.declare_mtypes();
        self.declare_typedefs();
        self.declare_globals();
        self.declare_structs();
        self.declare_channels();
        self.declare_chain();
        self.declare_rounds();
        self.declare_lives();
        self.declare_macros();
        self.declare_inlines();
    }

    fn declare_mtypes(&mut self) {
        if self.has(Feature::Mtype) {
            self.add_mtype(None, &["ma", "mb", "mc"]);
            if self.rng.chance(30) {
                self.add_mtype(None, &["md", "me"]);
            }
        }
        if self.has(Feature::Subtypes) {
            self.add_mtype(Some("fruit"), &["apple", "pear"]);
            self.add_mtype(Some("size"), &["small", "large", "huge"]);
        }
    }

    fn add_mtype(&mut self, sub: Option<&str>, names: &[&str]) {
        let sub = sub.map(str::to_string);
        let names: Vec<String> = names.iter().map(|n| n.to_string()).collect();
        self.items.push(Item::Mtype(sub.clone(), names.clone()));
        match self.mtypes.iter_mut().find(|(s, _)| *s == sub) {
            Some((_, all)) => all.extend(names),
            None => self.mtypes.push((sub, names)),
        }
    }

    fn declare_typedefs(&mut self) {
        if !self.has(Feature::Structs) {
            return;
        }
        let with_array = self.rng.chance(40) && !self.has(Feature::StructMessage);
        let mut fields = vec![self.field("fa", None), self.field("fb", with_array.then_some(2))];
        if self.has(Feature::Buffered) && self.rng.chance(15) && !self.has(Feature::StructMessage) {
            let ty = Ty::Chan;
            let init = Some(Init::Chan(1, vec![Ty::Byte]));
            fields.push(VarDecl { vis: Vis::Plain, ty, name: "fq".into(), len: None, init });
        }
        self.add_typedef("Inner", fields);
        if self.rng.chance(50) {
            let len = self.rng.chance(40).then_some(2);
            let ty = Ty::Struct("Inner".into());
            let nested = VarDecl { vis: Vis::Plain, ty, name: "fin".into(), len, init: None };
            let first = self.field("fc", None);
            self.add_typedef("Outer", vec![first, nested]);
        }
    }

    fn add_typedef(&mut self, name: &str, fields: Vec<VarDecl>) {
        self.items.push(Item::Typedef(name.to_string(), fields.clone()));
        self.typedefs.push((name.to_string(), fields));
    }

    fn field(&mut self, name: &str, len: Option<u32>) -> VarDecl {
        let plain = len.is_some() || self.has(Feature::StructMessage);
        let ty = if plain { self.element_type() } else { self.scalar_type() };
        let init = if self.rng.chance(20) { self.initial(&ty) } else { None };
        VarDecl { vis: Vis::Plain, ty, name: name.to_string(), len, init }
    }

    /// A type for a scalar; wide types only where they are wanted.
    pub(super) fn scalar_type(&mut self) -> Ty {
        if self.rng.chance(30)
            && let Some(ty) = self.mtype_type()
        {
            return ty;
        }
        let wide = if self.has(Feature::Wide) { 4 } else { 0 };
        match self.rng.weighted(&[3, 3, 6, wide / 4, wide, wide, wide]) {
            0 => Ty::Bit,
            1 => Ty::Bool,
            2 => Ty::Byte,
            3 => Ty::Pid,
            4 => Ty::Short,
            5 => Ty::Int,
            _ => Ty::Unsigned(self.rng.range(1, 4) as u8),
        }
    }

    pub(super) fn mtype_type(&mut self) -> Option<Ty> {
        let mtypes = &self.mtypes;
        self.rng.pick(mtypes).map(|(sub, _)| Ty::Mtype(sub.clone()))
    }

    /// A constant that fits the type: SPIN refuses one that would be truncated.
    pub(super) fn initial(&mut self, ty: &Ty) -> Option<Init> {
        let value = match ty {
            Ty::Bit | Ty::Bool => Expr::Num(self.rng.below(2).into()),
            Ty::Mtype(sub) => self.mtype_name(sub)?,
            Ty::Chan | Ty::Struct(_) => return None,
            Ty::Byte if self.has(Feature::Wrap) => Expr::Num(self.rng.range(253, 255).into()),
            Ty::Short if self.has(Feature::Wrap) => Expr::Num(*self.rng.pick(&[32767, -32768, -1]).unwrap_or(&0)),
            Ty::Int if self.has(Feature::Wrap) => Expr::Num(*self.rng.pick(&[65535, -1, 2147483647]).unwrap_or(&0)),
            Ty::Unsigned(bits) => Expr::Num(self.rng.below(1 << bits).into()),
            _ => Expr::Num(self.rng.below(3).into()),
        };
        Some(Init::Value(value))
    }

    fn declare_globals(&mut self) {
        let count = self.rng.range(1, 3);
        for index in 0..count {
            let ty = if index == 0 { Ty::Byte } else { self.scalar_type() };
            let init = if self.rng.chance(30) { self.initial(&ty) } else { None };
            self.add_global(Vis::Plain, ty, &format!("g{index}"), None, init, true);
        }
        if self.has(Feature::Arrays) {
            self.declare_array();
        }
        if self.has(Feature::Hidden) {
            // Read everywhere, or only in the steps that may have written it before.
            let readable = self.maybe(Feature::HiddenRead, 40);
            self.add_global(Vis::Hidden, Ty::Byte, HIDDEN, None, None, readable);
        }
        if self.has(Feature::LocalWord) {
            self.add_global(Vis::Local, Ty::Byte, "l0", None, None, true);
        }
        if self.has(Feature::Show) {
            self.add_global(Vis::Show, Ty::Bit, "w0", None, None, true);
        }
        if self.has(Feature::WriteOnly) {
            let ty = self.element_type();
            let len = self.rng.chance(20).then_some(2);
            self.add_global(Vis::Plain, ty, "o0", len, None, false);
        }
    }

    fn declare_array(&mut self) {
        let ty = self.element_type();
        let len = self.rng.range(2, 3);
        let list = self.rng.chance(25) && !matches!(ty, Ty::Mtype(_));
        let init = match (list, self.rng.chance(25)) {
            (true, _) => {
                // A list may be shorter: its last value is that of all further elements.
                let given = if self.rng.chance(40) { self.rng.range(1, len) } else { len };
                Some(Init::List((0..given).map(|_| Expr::Num(self.rng.below(2).into())).collect()))
            }
            (false, true) => self.initial(&ty),
            (false, false) => None,
        };
        self.add_global(Vis::Plain, ty, "a0", Some(len), init, true);
    }

    fn add_global(&mut self, vis: Vis, ty: Ty, name: &str, len: Option<u32>, init: Option<Init>, readable: bool) {
        let decl = VarDecl { vis, ty, name: name.to_string(), len, init };
        let mut scope = std::mem::take(&mut self.globals);
        self.enter(&mut scope, &decl, readable);
        self.globals = scope;
        self.items.push(Item::Global(decl));
    }

    fn declare_structs(&mut self) {
        let Some((last, _)) = self.typedefs.last().cloned() else { return };
        let len = self.rng.chance(25).then_some(2);
        self.add_global(Vis::Plain, Ty::Struct(last), "s0", len, None, true);
        if self.has(Feature::StructMessage) {
            self.add_global(Vis::Plain, Ty::Struct("Inner".into()), "s1", None, None, true);
        }
    }

    fn declare_channels(&mut self) {
        if self.has(Feature::Buffered) {
            self.add_channel("c0", None, false);
        }
        if self.has(Feature::Rendezvous) {
            self.add_channel("r0", None, true);
        }
        if self.has(Feature::ChanArray) {
            let rendezvous = self.has(Feature::Rendezvous) && (!self.has(Feature::Buffered) || self.rng.chance(50));
            self.add_channel("ca", Some(2), rendezvous);
        }
        if self.has(Feature::StructMessage) {
            let capacity = if self.has(Feature::Rendezvous) { self.rng.below(2) } else { 1 };
            let init = Some(Init::Chan(capacity, vec![Ty::Struct("Inner".into())]));
            self.add_global(Vis::Plain, Ty::Chan, "cs", None, init, true);
        }
        if self.has(Feature::ChanPass) {
            self.add_carrier();
        }
    }

    fn add_channel(&mut self, name: &str, len: Option<u32>, rendezvous: bool) {
        let capacity = if rendezvous { 0 } else { self.rng.range(1, 2) };
        let count = if self.rng.chance(60) { 1 } else { 2 };
        let fields = (0..count).map(|_| self.element_type()).collect();
        let init = Some(Init::Chan(capacity, fields));
        self.add_global(Vis::Plain, Ty::Chan, name, len, init, true);
    }

    /// A type for the elements of an array and for messages: neither may be `unsigned`.
    fn element_type(&mut self) -> Ty {
        match self.scalar_type() {
            Ty::Unsigned(_) => Ty::Short,
            other => other,
        }
    }

    /// A channel that carries channels, all of the kind of the first global channel.
    fn add_carrier(&mut self) {
        let Some(kind) = self.globals.chans.first().cloned() else { return };
        let capacity = if self.has(Feature::Rendezvous) { self.rng.below(2) } else { 1 };
        let fields = vec![Ty::Chan];
        let path = vec![Seg { name: "carrier".into(), len: None }];
        let init = Some(Init::Chan(capacity, fields.clone()));
        let decl = VarDecl { vis: Vis::Plain, ty: Ty::Chan, name: "carrier".into(), len: None, init };
        self.items.push(Item::Global(decl));
        self.carrier = Some((ChanVar { path, fields, capacity }, kind));
    }

    fn declare_macros(&mut self) {
        if !self.has(Feature::Macro) {
            return;
        }
        let scope = Scope { looping: true, ..self.globals.clone() };
        let body = self.bounded(&scope).paren();
        self.items.push(Item::DefineExpr("MV".into(), Vec::new(), body));
        self.value_macros.push(("MV".into(), 0));
        let body = Expr::binary("%", Expr::binary("+", Expr::word("x"), Expr::Num(1)), Expr::Num(3)).paren();
        self.items.push(Item::DefineExpr("MF".into(), vec!["x".into()], body));
        self.value_macros.push(("MF".into(), 1));
        let body: Seq = (0..2).filter_map(|_| self.assignment(&scope)).map(Stmt::new).collect();
        self.items.push(Item::DefineStmts("MS".into(), body));
        self.stmt_macros.push("MS".into());
    }

    fn declare_inlines(&mut self) {
        if !self.has(Feature::Inline) {
            return;
        }
        for index in 0..self.rng.range(1, 2) {
            let written: Vec<bool> = (0..self.rng.below(3)).map(|_| self.rng.chance(50)).collect();
            let name = format!("f{index}");
            let params: Vec<String> = (0..written.len()).map(|p| format!("i{index}{p}")).collect();
            let mut scope = Scope { looping: true, inline: true, nest: 1, ..self.globals.clone() };
            for (param, written) in params.iter().zip(&written) {
                let mut var = Var::plain(param, Ty::Byte, None);
                var.writable = *written;
                var.indexable = false;
                scope.vars.push(var);
            }
            self.budget = 4;
            let count = self.rng.range(1, 3);
            let body = self.sequence(&mut scope, count);
            self.items.push(Item::Inline(name.clone(), params, body));
            self.inlines.push(InlineSig { name, written });
        }
    }
}
