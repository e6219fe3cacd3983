//! Where everything lies in a complete state, and the plan of a renaming made from it.

use crate::classes::{Key, Node, Scope};
use crate::entry::Entry;
use crate::infer::Family;
use crate::plan::{Field, Names, Owned, Plan, Scalar};
use crate::sorts::{Shape, Sorts, scope};
use starwheel_base::Span;
use starwheel_model::layout::{CHANNEL_HEADER, FRAME_HEADER};
use starwheel_model::{ChanId, ChannelVar, Model, ProctypeId, Ty, Var};
use std::collections::{BTreeMap, HashMap, HashSet};

/// A channel of a complete state.
#[derive(Clone, Copy, Debug)]
pub struct Chan {
    /// Where it starts.
    pub at: usize,
    /// Its declaration.
    pub kind: ChanId,
    /// The process that owns it.
    pub owner: Option<usize>,
}

/// A process of a complete state.
#[derive(Clone, Copy, Debug)]
pub struct Process {
    /// Where its frame starts.
    pub at: usize,
    /// Where the next one starts.
    pub end: usize,
    /// Its type.
    pub proctype: ProctypeId,
    /// Its number among those of its type.
    pub rank: usize,
    /// The number of its first channel.
    pub channels: usize,
}

/// What a channel is, in numbers.
#[derive(Clone, Debug)]
struct Kind {
    capacity: u16,
    size: usize,
    message: usize,
    fields: Vec<(usize, Ty)>,
}

/// Where everything lies.
#[derive(Clone, Debug)]
pub struct Layout {
    /// Where globals start.
    pub globals: usize,
    /// Where the header starts.
    pub header: usize,
    /// The bytes of a state.
    pub len: usize,
    /// By number.
    pub processes: Vec<Process>,
    /// By number - 1.
    pub channels: Vec<Chan>,
    kinds: Vec<Kind>,
    /// All variables: in which scope, name, where, how many bytes.
    variables: Vec<(Scope, Var)>,
}

impl Layout {
    /// That of the entry states.
    pub fn new(model: &Model, entry: &Entry) -> Layout {
        let layout = &model.layout;
        let mut channels: Vec<Chan> = Vec::new();
        let global = |(c, at): (&ChannelVar, &u32)| Chan { at: *at as usize, kind: c.channel, owner: None };
        channels.extend(model.global_channels.iter().zip(&layout.global_channels).map(global));
        let starts = entry.frames(model);
        let mut processes: Vec<Process> = Vec::new();
        for (i, id) in entry.types.iter().enumerate() {
            let rank = processes.iter().filter(|p| p.proctype == *id).count();
            let (at, end) = (starts[i], starts[i + 1]);
            processes.push(Process { at, end, proctype: *id, rank, channels: channels.len() + 1 });
            let own = model.proctype(*id).channels.iter().zip(&layout.frames[id.index()].channels);
            channels.extend(own.map(|(c, o)| Chan { at: at + *o as usize, kind: c.channel, owner: Some(i) }));
        }
        let kinds = model.channels.iter().zip(&layout.channels).map(|(c, l)| Kind {
            capacity: c.capacity,
            size: l.size as usize,
            message: l.message as usize,
            fields: c.fields.iter().zip(&l.fields).map(|(f, o)| (*o as usize, f.ty)).collect(),
        });
        let globals = model.globals.iter().map(|v| (scope(v.place.region, ProctypeId::default()), v.clone()));
        let mut variables: Vec<_> = globals.collect();
        let types: HashSet<ProctypeId> = entry.types.iter().copied().collect();
        for id in types {
            variables.extend(model.proctype(id).locals.iter().map(|v| (Scope::Local(id), v.clone())));
        }
        variables.sort_by_key(|(scope, v)| (*scope, v.place.offset));
        Layout {
            globals: layout.globals_start() as usize,
            header: layout.header() as usize,
            len: *starts.last().unwrap_or(&0),
            processes,
            channels,
            kinds: kinds.collect(),
            variables,
        }
    }

    /// Adds the variables that nobody looks at any more: they may still tell processes apart.
    pub fn complete(&self, sorts: &mut Sorts<'_>) {
        let mut taken: HashSet<(Scope, u32)> = HashSet::new();
        for (&(scope, offset), shape) in &sorts.shapes {
            taken.extend(shape.elements().iter().map(|(at, _)| (scope, offset + at)));
        }
        for (scope, v) in &self.variables {
            let size = v.ty.size();
            let free = (0..v.len.unwrap_or(1)).all(|i| !taken.contains(&(*scope, v.place.offset + i * size)));
            if free && *scope != Scope::Hidden {
                let dims = v.len.map(|len| (len, size)).into_iter().collect();
                sorts.shapes.insert((*scope, v.place.offset), Shape { dims, ty: v.ty, name: v.name.to_string() });
                let node = sorts.classes.node(Key::Element(*scope, v.place.offset));
                sorts.classes.stored(node, v.ty);
            }
        }
    }

    /// Unites channels with the variables that hold their numbers at the entry, so that what is said about messages sent
    /// through a variable holds for those in the channel.
    pub fn channels(&self, sorts: &mut Sorts<'_>, entry: &Entry) {
        loop {
            let mut pairs: Vec<(Node, usize)> = Vec::new();
            let number = |v: i32| usize::try_from(v).ok().filter(|n| (1..=self.channels.len()).contains(n));
            for (&(scope, offset), shape) in &sorts.shapes {
                let Some(node) = sorts.classes.known(Key::Element(scope, offset)) else { continue };
                if !sorts.classes.is_channel(node) {
                    continue;
                }
                for start in self.starts(scope) {
                    for (at, _) in shape.elements() {
                        let at = start + (offset + at) as usize;
                        pairs.extend(entry.states().filter_map(|s| Some((node, number(shape.ty.read(s, at))?))));
                    }
                }
            }
            for (i, chan) in self.channels.iter().enumerate() {
                let Some(node) = sorts.classes.known(Key::Channel(i + 1)) else { continue };
                let kind = &self.kinds[chan.kind.index()];
                for (f, (offset, ty)) in kind.fields.iter().enumerate() {
                    let Some(field) = sorts.classes.known_field(node, f) else { continue };
                    if kind.size == 0 || !sorts.classes.is_channel(field) {
                        continue;
                    }
                    for state in entry.states() {
                        let count = usize::from(u16::from_le_bytes([state[chan.at], state[chan.at + 1]]));
                        let at = |m: usize| chan.at + CHANNEL_HEADER as usize + m * kind.message + offset;
                        pairs.extend((0..count).filter_map(|m| Some((field, number(ty.read(state, at(m)))?))));
                    }
                }
            }
            let mut changed = false;
            pairs.sort_unstable();
            pairs.dedup();
            for (node, number) in pairs {
                let fresh = sorts.classes.known(Key::Channel(number)).is_none();
                let channel = sorts.classes.node(Key::Channel(number));
                if fresh {
                    sorts.classes.channel(channel);
                    for (f, (_, ty)) in self.kinds[self.channels[number - 1].kind.index()].fields.iter().enumerate() {
                        let field = sorts.classes.field(channel, f);
                        sorts.classes.stored(field, *ty);
                    }
                }
                if sorts.classes.root(channel) != sorts.classes.root(node) {
                    sorts.classes.unite(channel, node);
                    changed = true;
                }
            }
            if !changed {
                return;
            }
        }
    }

    /// Where variables of a scope start, once for each process.
    fn starts(&self, scope: Scope) -> Vec<usize> {
        match scope {
            Scope::Global => vec![self.globals],
            Scope::Hidden => vec![0],
            Scope::Local(id) => self.processes.iter().filter(|p| p.proctype == id).map(|p| p.at).collect(),
        }
    }

    /// The values of a variable in all processes of a type.
    pub fn values(&self, state: &[u8], proctype: ProctypeId, offset: u32, ty: Ty) -> Vec<i32> {
        self.starts(Scope::Local(proctype)).iter().map(|at| ty.read(state, at + offset as usize)).collect()
    }

    /// The number of the process of a type with this rank.
    pub fn process(&self, proctype: ProctypeId, rank: usize) -> usize {
        let found = self.processes.iter().position(|p| p.proctype == proctype && p.rank == rank);
        found.unwrap_or_default()
    }

    /// The rank of a process among those of its type.
    pub fn rank(&self, process: u8) -> usize {
        self.processes[usize::from(process)].rank
    }

    /// True if two channels, by number, are of one form.
    pub fn same_form(&self, a: usize, b: usize) -> bool {
        let kind = |n: usize| &self.kinds[self.channels[n - 1].kind.index()];
        (kind(a).capacity, &kind(a).fields) == (kind(b).capacity, &kind(b).fields)
    }

    /// The number of a channel that a process owns.
    pub fn own_channel(&self, process: u8, which: usize) -> usize {
        self.processes[usize::from(process)].channels + which
    }

    /// Where the variable is declared that lies at an offset.
    pub fn declared(&self, scope: Scope, offset: u32) -> Option<Span> {
        let inside = |v: &Var| {
            let bytes = v.ty.size() * v.len.unwrap_or(1);
            (v.place.offset..v.place.offset + bytes.max(1)).contains(&offset)
        };
        self.variables.iter().find(|(s, v)| *s == scope && inside(v)).map(|(_, v)| v.span)
    }

    /// The variable at a place of a state.
    pub fn variable(&self, model: &Model, at: usize) -> (Option<String>, Span) {
        let inside = |start: usize, v: &Var| {
            let first = start + v.place.offset as usize;
            (first..first + (v.ty.size() * v.len.unwrap_or(1)) as usize).contains(&at)
        };
        for (scope, v) in &self.variables {
            if self.starts(*scope).into_iter().any(|s| inside(s, v)) {
                return (Some(v.name.to_string()), v.span);
            }
        }
        let owner = self.processes.iter().find(|p| (p.at..p.end).contains(&at));
        (None, owner.map_or(Span::default(), |p| model.proctype(p.proctype).span))
    }
}

/// A plan and what sorting strategies need besides.
pub struct Built {
    /// How states are renamed.
    pub plan: Plan,
    /// Arrays by members without names: by point, where its element lies and how long it is.
    pub arrays: Vec<Vec<Option<(usize, usize)>>>,
    /// By point: where the locations of its processes lie.
    pub locations: Vec<Vec<usize>>,
}

/// Bytes of a state and whose they are.
struct Owners {
    bytes: BTreeMap<usize, Owned>,
}

/// The plan of all renamings of points, without blocks; none if something has no counterpart.
pub fn plan<'n>(
    layout: &Layout,
    entry: &Entry,
    sorts: &Sorts<'_>,
    families: &[Family],
    points: usize,
    names: &dyn Fn(Node) -> Option<&'n Names>,
) -> Option<Built> {
    let mut point_of: HashMap<usize, u8> = HashMap::new();
    for family in families {
        for (m, processes) in family.processes.iter().enumerate() {
            point_of.extend(processes.iter().map(|p| (usize::from(*p), (family.first + m) as u8)));
        }
    }
    let mut plan = Plan { len: layout.len, hidden: layout.header, points, ..Plan::default() };
    plan.processes = u8::try_from(entry.types.len()).ok()?;
    let mut owners = Owners { bytes: BTreeMap::new() };
    for (i, p) in layout.processes.iter().enumerate() {
        if let Some(&point) = point_of.get(&i) {
            for at in p.at..p.end {
                owners.bytes.insert(at, (vec![1, p.proctype.0.into(), (at - p.at) as u32], vec![point]));
            }
        }
    }
    let mut arrays = Vec::new();
    let mut index: HashMap<Node, usize> = HashMap::new();
    let mut number = |plan: &mut Plan, node: Node| -> Option<usize> {
        let root = sorts.classes.root(node);
        let found = names(node)?;
        Some(*index.entry(root).or_insert_with(|| {
            plan.names.push(found.clone());
            plan.names.len() - 1
        }))
    };
    // Control lies in the header, as the number of a process plus one; it moves with the processes in any case.
    let control = control(families, points)?;
    plan.names.push(control);
    plan.scalars.push(Scalar { at: layout.header + 1, ty: Ty::Byte, names: 0, id: 1, coords: Vec::new(), own: false });
    for (&(scope, offset), shape) in &sorts.shapes {
        let element = sorts.classes.known(Key::Element(scope, offset))?;
        let dims: Vec<Option<&Names>> = (0..shape.dims.len())
            .map(|l| sorts.classes.known(Key::Dimension(scope, offset, l)).and_then(names))
            .collect();
        let holds = number(&mut plan, element);
        let mut elements = vec![None; points];
        for (s, start) in layout.starts(scope).into_iter().enumerate() {
            let owner = match scope {
                Scope::Local(id) => point_of.get(&layout.process(id, s)).copied(),
                _ => None,
            };
            let (tag, unit) = match scope {
                Scope::Global => (0, 0),
                Scope::Hidden => (2, 0),
                Scope::Local(id) if owner.is_some() => (3, u32::from(id.0)),
                Scope::Local(id) => (4, layout.process(id, s) as u32),
            };
            for (at, indices) in shape.elements() {
                let at = start + (offset + at) as usize;
                let mut key = vec![tag, unit, offset];
                let mut coords: Vec<u8> = owner.into_iter().collect();
                for (i, dim) in indices.iter().zip(&dims) {
                    match dim.and_then(|d| d.whose(*i as i32)) {
                        Some((row, point)) => {
                            key.push(row as u32);
                            coords.push(point as u8);
                        }
                        None => key.push(1 << 16 | i),
                    }
                }
                if let (Scope::Global, None, [_], [point]) = (scope, holds, &shape.dims[..], &coords[..]) {
                    elements[usize::from(*point)] = Some((at, shape.ty.size() as usize));
                }
                if let Some(names) = holds {
                    let id = identify(&key);
                    plan.scalars.push(Scalar { at, ty: shape.ty, names, id, coords: coords.clone(), own: false });
                }
                // Elements that are found by names belong to these, besides to whom the frame belongs.
                if coords.len() > usize::from(owner.is_some()) {
                    for byte in 0..shape.ty.size() {
                        let key = [&key[..], &[byte]].concat();
                        owners.bytes.insert(at + byte as usize, (key, coords.clone()));
                    }
                }
            }
        }
        if elements.iter().any(Option::is_some) {
            arrays.push(elements);
        }
    }
    for (i, chan) in layout.channels.iter().enumerate() {
        let kind = &layout.kinds[chan.kind.index()];
        let Some(node) = sorts.classes.known(Key::Channel(i + 1)) else { continue };
        let named = names(node).and_then(|n| n.whose(i as i32 + 1));
        let (key, coords) = match (chan.owner, named) {
            (None, Some((row, point))) => (vec![5, sorts.classes.root(node) as u32, row as u32], vec![point as u8]),
            (None, None) => (vec![6, i as u32], Vec::new()),
            (Some(p), _) => match point_of.get(&p) {
                Some(point) => {
                    let process = &layout.processes[p];
                    (vec![7, process.proctype.0.into(), (chan.at - process.at) as u32], vec![*point])
                }
                None => (vec![6, i as u32], Vec::new()),
            },
        };
        if chan.owner.is_none() && !coords.is_empty() {
            for byte in 0..kind.size {
                let key = [&key[..], &[byte as u32]].concat();
                owners.bytes.insert(chan.at + byte, (key, coords.clone()));
            }
        }
        if kind.size == 0 {
            continue;
        }
        for (f, (offset, ty)) in kind.fields.iter().enumerate() {
            let Some(field) = sorts.classes.known_field(node, f) else { continue };
            let Some(names) = number(&mut plan, field) else { continue };
            let id = identify(&[&key[..], &[f as u32]].concat());
            let scalar = Scalar { at: 0, ty: *ty, names, id, coords: coords.clone(), own: false };
            plan.fields.push(Field {
                channel: chan.at,
                bytes: kind.size,
                message: kind.message,
                offset: *offset,
                scalar,
            });
        }
    }
    plan.grouped(owners.bytes.into_iter())?;
    let locations = (0..points).map(|x| {
        let mine = layout.processes.iter().enumerate().filter(|(i, _)| point_of.get(i) == Some(&(x as u8)));
        mine.map(|(_, p)| p.at + FRAME_HEADER as usize - 2).collect()
    });
    Some(Built { plan, arrays, locations: locations.collect() })
}

/// The names by which control is given.
fn control(families: &[Family], points: usize) -> Option<Names> {
    let mut rows = Vec::new();
    for family in families {
        for which in 0..family.proctypes.len() {
            let mut row = vec![None; points];
            for (m, p) in family.processes.iter().enumerate() {
                row[family.first + m] = Some(i32::from(p[which]) + 1);
            }
            rows.push(row);
        }
    }
    Names::new(rows)
}

/// A number for what something is, whoever it belongs to.
fn identify(key: &[u32]) -> u64 {
    key.iter().fold(0x51_7c_c1_b7_27_22_0a_95, |h: u64, k| {
        (h.rotate_left(5) ^ u64::from(*k)).wrapping_mul(0x9e37_79b9_7f4a_7c15)
    })
}
