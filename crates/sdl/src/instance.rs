//! Parts that a text describes once and uses as often as it likes: types of blocks and systems, and what SELECT leaves in.
//!
//! Both are a matter of text. A use of a type becomes a block with the content of the type and the name of the use; the
//! gates by which channels come to it become CONNECTs, so that nothing behind this file knows of gates of blocks.

use crate::ast::*;
use crate::parse::refusal;
use crate::sorts::fold;
use starwheel_base::Diagnostic;
use std::collections::HashMap;

/// Types inside types, blocks inside blocks.
const DEEPEST: usize = 40;

/// All uses of types together may become this many blocks.
const MOST: usize = 500;

/// Puts blocks in the place of uses of types, and takes out what is not selected.
pub fn instantiate(units: Vec<Item>, diagnostics: &mut Vec<Diagnostic>) -> Vec<Item> {
    let mut constants = HashMap::new();
    find_constants(&units, &mut constants, 0);
    let units = select(units, &constants, diagnostics, 0);
    let mut types = HashMap::new();
    find_types(&units, &mut types, 0);
    if types.is_empty() && !units.iter().any(|u| has_uses(u, 0)) {
        return units;
    }
    let mut work = Instances { types, diagnostics, made: 0 };
    let used: Vec<String> = units.iter().filter_map(used_type).collect();
    let mut units = work.items(units, 0);
    // A type of systems that nobody uses is meant itself.
    if !units.iter().any(|u| matches!(u, Item::Scope(s) if s.system)) {
        let mut systems: Vec<Scope> =
            work.types.values().filter(|t| t.system && !used.contains(&t.name.key)).cloned().collect();
        systems.sort_by(|a, b| a.name.key.cmp(&b.name.key));
        for s in systems {
            let name = s.name.clone();
            units.extend(work.instance(&name, &name, true, 0));
        }
    }
    units
}

fn used_type(item: &Item) -> Option<String> {
    match item {
        Item::ScopeUse { of, .. } => Some(of.key.clone()),
        _ => None,
    }
}

fn has_uses(item: &Item, depth: usize) -> bool {
    match item {
        Item::ScopeUse { .. } => true,
        Item::Scope(s) => depth < DEEPEST && s.items.iter().any(|i| has_uses(i, depth + 1)),
        _ => false,
    }
}

fn find_constants(items: &[Item], found: &mut HashMap<String, Expr>, depth: usize) {
    for item in items {
        match item {
            Item::Synonym(Synonym { name, value: Some(e), .. }) => {
                found.entry(name.key.clone()).or_insert_with(|| e.clone());
            }
            Item::Scope(s) if depth < DEEPEST => find_constants(&s.items, found, depth + 1),
            _ => {}
        }
    }
}

/// Takes out what is not selected, here and inside.
fn select(
    items: Vec<Item>,
    constants: &HashMap<String, Expr>,
    diagnostics: &mut Vec<Diagnostic>,
    depth: usize,
) -> Vec<Item> {
    let mut out = Vec::new();
    for item in items {
        match item {
            Item::Select(when, inside) => match value(&when, constants, 0) {
                Some(0) => {}
                Some(_) if depth < DEEPEST => out.append(&mut select(inside, constants, diagnostics, depth + 1)),
                _ => {
                    let what = "SELECT on something that is not constant";
                    diagnostics.push(refusal(when.span, what, "give the synonyms in it their values"));
                }
            },
            Item::Scope(s) if depth < DEEPEST => {
                let items = select(s.items, constants, diagnostics, depth + 1);
                out.push(Item::Scope(Scope { items, ..s }));
            }
            Item::Process(mut p) if depth < DEEPEST => {
                p.items = select(p.items, constants, diagnostics, depth + 1);
                out.push(Item::Process(p));
            }
            other => out.push(other),
        }
    }
    out
}

/// The value of a constant expression; truth is 0 or 1.
fn value(e: &Expr, constants: &HashMap<String, Expr>, depth: usize) -> Option<i64> {
    if depth > 50 {
        return None;
    }
    let of = |e: &Expr| value(e, constants, depth + 1);
    match &e.kind {
        ExprKind::Int(n) => Some(*n),
        ExprKind::Name(n) => match n.key.as_str() {
            "true" => Some(1),
            "false" => Some(0),
            key => of(constants.get(key)?),
        },
        ExprKind::Unary(Unary::Not, a) => Some(i64::from(of(a)? == 0)),
        ExprKind::Unary(Unary::Minus, a) => of(a)?.checked_neg(),
        ExprKind::Binary(op, a, b) => {
            let (a, b) = (of(a)?, of(b)?);
            let truth = match op {
                Binary::Implies => a == 0 || b != 0,
                Binary::Or => a != 0 || b != 0,
                Binary::Xor => (a != 0) != (b != 0),
                Binary::And => a != 0 && b != 0,
                Binary::Eq => a == b,
                Binary::Ne => a != b,
                Binary::Lt => a < b,
                Binary::Le => a <= b,
                Binary::Gt => a > b,
                Binary::Ge => a >= b,
                _ => return fold(*op, a, b),
            };
            Some(i64::from(truth))
        }
        ExprKind::If(c, a, b) => of(if of(c)? != 0 { a } else { b }),
        _ => None,
    }
}

fn find_types(items: &[Item], types: &mut HashMap<String, Scope>, depth: usize) {
    for item in items {
        if let Item::Scope(s) = item {
            if s.is_type {
                types.entry(s.name.key.clone()).or_insert_with(|| s.clone());
            }
            if depth < DEEPEST {
                find_types(&s.items, types, depth + 1);
            }
        }
    }
}

struct Instances<'a> {
    types: HashMap<String, Scope>,
    diagnostics: &'a mut Vec<Diagnostic>,
    made: usize,
}

impl Instances<'_> {
    /// Items without types, and with blocks for their uses.
    fn items(&mut self, items: Vec<Item>, depth: usize) -> Vec<Item> {
        let mut out = Vec::new();
        for item in items {
            match item {
                Item::Scope(s) if s.is_type => {
                    // What a type declares for all of its uses is known everywhere; what is inside it comes with each use.
                }
                Item::Scope(s) => {
                    let items = self.items(s.items, depth + 1);
                    out.push(Item::Scope(Scope { items, ..s }));
                }
                Item::ScopeUse { name, of, system } => out.extend(self.instance(&name, &of, system, depth)),
                other => out.push(other),
            }
        }
        connect_gates(&mut out);
        out
    }

    /// A block with the content of a type.
    fn instance(&mut self, name: &Name, of: &Name, system: bool, depth: usize) -> Option<Item> {
        let Some(t) = self.types.get(&of.key).cloned() else {
            let text = format!("the type `{}` is nowhere in these files", of.text);
            let d = Diagnostic::error("missing-part", of.span, text);
            self.diagnostics.push(d.advise("hand over the file that holds it, too"));
            return None;
        };
        self.made += 1;
        if depth > DEEPEST || self.made > MOST {
            if self.made <= MOST + 1 || depth == DEEPEST + 1 {
                let what = format!("the type `{}`, which becomes very many blocks,", of.text);
                self.diagnostics.push(refusal(of.span, &what, "use fewer of them"));
            }
            self.made = MOST + 1;
            return None;
        }
        let items = self.items(t.items, depth + 1);
        Some(Item::Scope(Scope { name: name.clone(), system, is_type: false, items }))
    }
}

/// A channel that comes to a block by a gate is connected to the routes that begin or end at this gate inside.
fn connect_gates(items: &mut [Item]) {
    let mut wanted: Vec<(String, String, Name)> = Vec::new();
    for item in items.iter() {
        let Item::Channel(c) = item else { continue };
        for gate in c.paths.iter().flat_map(|p| &p.gates) {
            if let Some(block) = &gate.of {
                wanted.push((block.key.clone(), gate.name.key.clone(), c.name.clone()));
            }
        }
    }
    for item in items {
        let Item::Scope(s) = item else { continue };
        let at_gate =
            |c: &Channel, key: &str| c.paths.iter().flat_map(|p| &p.gates).any(|g| g.of.is_none() && g.name.key == key);
        let mut connects = Vec::new();
        for (_, gate, channel) in wanted.iter().filter(|w| w.0 == s.name.key) {
            let routes: Vec<Name> = s
                .items
                .iter()
                .filter_map(|i| match i {
                    Item::Channel(c) if at_gate(c, gate) => Some(c.name.clone()),
                    _ => None,
                })
                .collect();
            if !routes.is_empty() {
                connects.push(Item::Connect(channel.clone(), routes));
            }
        }
        s.items.append(&mut connects);
    }
}
