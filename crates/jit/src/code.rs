//! Machine code in memory: makes it, hands out its functions, gives it back.

use crate::context::{Context, Mail, Spot, Written};
use crate::emit::Gen;
use crate::group::most;
use crate::help::unknown;
use crate::plan::Plan;
use crate::tables::listening;
use crate::written::{by_proctype, written};
use cranelift_codegen::ir::{AbiParam, Signature, UserFuncName, types};
use cranelift_codegen::settings::{self, Configurable};
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};
use cranelift_jit::{JITBuilder, JITModule};
use cranelift_module::{FuncId, Linkage, Module, default_libcall_names};
use starwheel_base::cancel::Token;
use starwheel_model::{Entry, LocId, Location, Model, ProctypeId, TransId};
use std::collections::{HashMap, HashSet};
use std::fmt;
use std::mem::ManuallyDrop;

/// Why there is no machine code: the interpreter has to do it all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unsupported(pub String);

impl fmt::Display for Unsupported {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "no machine code: {}", self.0)
    }
}

impl std::error::Error for Unsupported {}

/// Makes the successors of one process: context, state, frame, process. Or those of several: context, state, the name of
/// the one that is in control, nothing.
pub(crate) type StepFn = unsafe extern "C" fn(*mut Context, *const u8, u64, u32) -> i64;

/// Makes the successors of several processes where nobody else writes any: context, state, where the first successor and
/// its entry go, its start and length as they stand there. The result is where the next successor would go, or null; the
/// context says where its entry would go.
pub(crate) type PlainFn = unsafe extern "C" fn(*mut Context, *const u8, *mut u8, *mut Entry, u64) -> *mut u8;

/// Says whether a process could move: context, state, frame, process, location, nothing.
pub(crate) type CanFn = unsafe extern "C" fn(*mut Context, *const u8, u64, u32, u64, u64) -> i64;

/// One half of a handshake: context, state, frame, process, channel or transition, message.
pub(crate) type HandFn = unsafe extern "C" fn(*mut Context, *mut u8, u64, u32, u64, *mut Mail) -> i64;

/// The functions of one process type, as addresses; zero if there is none.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Functions {
    pub accept: usize,
    pub take: usize,
    pub can: usize,
}

/// The code of a model.
pub(crate) struct Code {
    /// By process type.
    pub functions: Vec<Functions>,
    /// Makes the successors of a claim's turn; zero if there is none.
    pub claim: usize,
    /// Make all successors together, if all states have the same processes; else each location has its own function.
    pub groups: Vec<StepFn>,
    /// The same if nobody else writes successors; then there are no others.
    pub plain: Vec<PlainFn>,
    /// The process types of these processes, the oldest first.
    pub members: Vec<ProctypeId>,
    /// Most successors for which these functions want room without asking.
    pub most: usize,
    /// By process type and location; empty for types that no process has.
    pub spots: Vec<Vec<Spot>>,
    /// By process type and location: what [`Spot::listening`] says, for a power of two of locations; empty for types that
    /// never listen.
    pub listening: Vec<Vec<u64>>,
    /// By channel declaration.
    pub shape_of: Vec<usize>,
    /// By transition.
    pub written: Vec<Written>,
    /// By process type: its first transition, and what it and those behind it may change up to its last one.
    pub written_by: Vec<(usize, Vec<Written>)>,
    /// Bytes of all states, if they all have the same length.
    pub len: Option<usize>,
    /// Most bytes by which one step makes a state longer.
    pub growth: usize,
    /// What all addresses point into.
    _memory: Memory,
}

/// Functions for several processes at once.
pub(crate) struct Grouped {
    /// See [`Code::groups`].
    pub groups: Vec<StepFn>,
    /// See [`Code::plain`].
    pub plain: Vec<PlainFn>,
    /// See [`Code::most`].
    pub most: usize,
    _memory: Memory,
}

impl Grouped {
    /// Compiles these functions alone, if a plan has any.
    pub fn new(plan: &Plan<'_>, until: &Token) -> Result<Option<Grouped>, Unsupported> {
        if plan.groups.is_empty() {
            return Ok(None);
        }
        let mut compiler = Compiler::new()?;
        let ids = compiler.groups(plan, until)?;
        compiler.module.finalize_definitions().map_err(failed)?;
        let (groups, plain) = compiler.addresses(plan, &ids);
        let memory = Memory(ManuallyDrop::new(compiler.module));
        Ok(Some(Grouped { groups, plain, most: most(plan), _memory: memory }))
    }
}

struct Memory(ManuallyDrop<JITModule>);

// SAFETY: the module is only kept to be freed; nobody looks at it before.
unsafe impl Send for Memory {}
// SAFETY: as above.
unsafe impl Sync for Memory {}

impl Drop for Memory {
    fn drop(&mut self) {
        // SAFETY: the module is taken once, here; the addresses of its functions live in `Code` and in steppers, which
        // borrow the `Code` that owns this.
        unsafe { ManuallyDrop::take(&mut self.0).free_memory() };
    }
}

/// What a function does.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Job {
    /// Makes the successors of a process at a location.
    Step(LocId),
    /// Makes the successors of a group of processes.
    Group(usize),
    /// The same where nobody else writes successors.
    Plain(usize),
    Accept,
    Take,
    Can,
    Claim,
}

struct Ids {
    proctype: ProctypeId,
    /// By location: the function, which may be that of another location, and whether there is one.
    steps: Vec<Option<FuncId>>,
    accept: Option<FuncId>,
    take: Option<FuncId>,
    can: Option<FuncId>,
}

impl Code {
    /// Compiles a model, with a claim if there is one; none if the interpreter has to do all of it. There is no machine code
    /// if the token says stop.
    pub fn new(model: &Model, claim: Option<ProctypeId>, until: &Token) -> Result<Option<Code>, Unsupported> {
        let mut plan = Plan::new(model, claim.is_some());
        plan.written = written(&plan, claim);
        if model.uses.priority || model.trace.is_some() || !plan.fits() {
            return Ok(None);
        }
        let mut compiler = Compiler::new()?;
        let ids = compiler.declare(&plan)?;
        for id in &ids {
            let jobs = [(id.can, Job::Can), (id.accept, Job::Accept), (id.take, Job::Take)];
            let (steps, mut made) = (id.steps.iter().enumerate(), HashSet::new());
            // A function comes with the first location that uses it.
            let steps = steps.filter(|&(_, f)| made.insert(*f)).map(|(i, &f)| (f, Job::Step(LocId(i as u16))));
            for (function, job) in jobs.into_iter().chain(steps).filter_map(|(id, job)| Some((id?, job))) {
                go_on(until)?;
                compiler.define(&plan, id.proctype, function, id.can, job)?;
            }
        }
        let groups = compiler.groups(&plan, until)?;
        let claim = claim.filter(|&id| plan.only_looks(id)).map(|id| compiler.claim(&plan, id)).transpose()?;
        compiler.module.finalize_definitions().map_err(failed)?;
        let mut functions = vec![Functions::default(); model.proctypes.len()];
        let mut spots = vec![Vec::new(); model.proctypes.len()];
        let address = |id: Option<FuncId>| id.map_or(0, |id| compiler.module.get_finalized_function(id) as usize);
        for id in &ids {
            functions[id.proctype.index()] =
                Functions { accept: address(id.accept), take: address(id.take), can: address(id.can) };
            spots[id.proctype.index()] = compiler.spots(&plan, id);
        }
        let claim = address(claim);
        let (groups, plain) = compiler.addresses(&plan, &groups);
        let mut members: Vec<ProctypeId> = plan.groups.iter().flatten().map(|m| m.proctype).collect();
        members.reverse();
        let memory = Memory(ManuallyDrop::new(compiler.module));
        Ok(Some(Code {
            functions,
            most: if members.is_empty() { 0 } else { most(&plan) },
            groups,
            plain,
            members,
            claim,
            shape_of: plan.shape_of,
            listening: spots.iter().map(|spots| listening(spots)).collect(),
            spots,
            written_by: by_proctype(model, &plan.written),
            written: plan.written,
            len: plan.len.map(|len| len as usize),
            growth: plan.growth as usize,
            _memory: memory,
        }))
    }
}

/// An error if there is no more time.
fn go_on(until: &Token) -> Result<(), Unsupported> {
    if until.stopped() { Err(Unsupported("there was no time for it".into())) } else { Ok(()) }
}

fn failed(error: impl fmt::Display) -> Unsupported {
    Unsupported(error.to_string())
}

struct Compiler {
    module: JITModule,
    context: cranelift_codegen::Context,
    builder: FunctionBuilderContext,
}

impl Compiler {
    fn new() -> Result<Compiler, Unsupported> {
        if cfg!(target_endian = "big") || usize::BITS != 64 {
            return Err(Unsupported("this machine is not a little-endian one with 64 bits".into()));
        }
        let mut flags = settings::builder();
        let verify = if cfg!(debug_assertions) { "true" } else { "false" };
        let wanted = [
            // Optimising takes a fifth of the time, and the code is hardly better for it.
            ("opt_level", "none"),
            ("is_pic", "false"),
            ("use_colocated_libcalls", "false"),
            ("enable_verifier", verify),
            ("unwind_info", "false"),
            ("enable_table_access_spectre_mitigation", "false"),
            ("enable_probestack", "false"),
        ];
        for (name, value) in wanted {
            flags.set(name, value).map_err(failed)?;
        }
        let isa = cranelift_native::builder().map_err(failed)?;
        let isa = isa.finish(settings::Flags::new(flags)).map_err(failed)?;
        let module = JITModule::new(JITBuilder::with_isa(isa, default_libcall_names()));
        let context = module.make_context();
        Ok(Compiler { module, context, builder: FunctionBuilderContext::new() })
    }

    fn signature(&self, job: Job) -> Signature {
        let mut s = self.module.make_signature();
        use types::{I32, I64};
        let list: &[_] = match job {
            Job::Step(_) | Job::Group(_) | Job::Claim => &[I64, I64, I64, I32],
            Job::Plain(_) => &[I64; 5],
            Job::Accept | Job::Take | Job::Can => &[I64, I64, I64, I32, I64, I64],
        };
        s.params.extend(list.iter().map(|&ty| AbiParam::new(ty)));
        s.returns.push(AbiParam::new(types::I64));
        s
    }

    fn declare(&mut self, plan: &Plan<'_>) -> Result<Vec<Ids>, Unsupported> {
        let mut ids = Vec::new();
        for proctype in plan.ordinary() {
            let mut declare = |name: &str, job: Job| {
                let signature = self.signature(job);
                let name = format!("{name}{}", proctype.0);
                self.module.declare_function(&name, Linkage::Local, &signature).map_err(failed)
            };
            let mut steps: Vec<Option<FuncId>> = Vec::new();
            let mut known: HashMap<&[TransId], FuncId> = HashMap::new();
            let locs = &plan.model.proctype(proctype).locs;
            for (i, l) in locs.iter().enumerate() {
                let alone = plan.groups.is_empty() && plan.reached[proctype.index()][i];
                let wanted = alone && plan.has_own_steps(proctype, l);
                // Many locations have the same transitions, and so the same code.
                steps.push(match known.get(&*l.out) {
                    _ if !wanted => None,
                    Some(&same) => Some(same),
                    None => {
                        let own = declare(&format!("step{i}of"), Job::Step(LocId(i as u16)))?;
                        known.insert(&l.out, own);
                        Some(own)
                    }
                });
            }
            let asked = plan.asked[proctype.index()].contains(&true);
            let can = asked.then(|| declare("can", Job::Can)).transpose()?;
            let accepts = !plan.accepting(proctype).is_empty();
            let (accept, take) = match accepts {
                true => (Some(declare("accept", Job::Accept)?), Some(declare("take", Job::Take)?)),
                false => (None, None),
            };
            ids.push(Ids { proctype, steps, accept, take, can });
        }
        Ok(ids)
    }

    /// The locations of a process type, once all functions have their places.
    fn spots(&self, plan: &Plan<'_>, ids: &Ids) -> Vec<Spot> {
        let id = ids.proctype;
        let spot = |(i, l): (usize, &Location)| {
            let made = ids.steps[i].map(|f| self.step(f));
            // The interpreter has to look at states that cannot be.
            let step = if plan.reached[id.index()][i] { made } else { Some(unknown as StepFn) };
            Spot { step, listening: plan.listening_at(id, l) }
        };
        plan.model.proctype(id).locs.iter().enumerate().map(spot).collect()
    }

    /// A function that makes successors.
    fn step(&self, id: FuncId) -> StepFn {
        // SAFETY: this is the address of a function of this signature, which lives as long as the code.
        unsafe { std::mem::transmute::<*const u8, StepFn>(self.module.get_finalized_function(id)) }
    }

    fn plain(&self, id: FuncId) -> PlainFn {
        // SAFETY: as above.
        unsafe { std::mem::transmute::<*const u8, PlainFn>(self.module.get_finalized_function(id)) }
    }

    /// The functions of groups of processes, once they have their places.
    fn addresses(&self, plan: &Plan<'_>, ids: &[FuncId]) -> (Vec<StepFn>, Vec<PlainFn>) {
        match plan.plain() {
            true => (Vec::new(), ids.iter().map(|&id| self.plain(id)).collect()),
            false => (ids.iter().map(|&id| self.step(id)).collect(), Vec::new()),
        }
    }

    /// Makes the functions of groups of processes.
    fn groups(&mut self, plan: &Plan<'_>, until: &Token) -> Result<Vec<FuncId>, Unsupported> {
        let mut ids = Vec::new();
        for (i, group) in plan.groups.iter().enumerate() {
            go_on(until)?;
            let job = if plan.plain() { Job::Plain(i) } else { Job::Group(i) };
            let signature = self.signature(job);
            let name = format!("group{i}");
            let id = self.module.declare_function(&name, Linkage::Local, &signature).map_err(failed)?;
            self.define(plan, group[0].proctype, id, None, job)?;
            ids.push(id);
        }
        Ok(ids)
    }

    /// Makes the function of a claim.
    fn claim(&mut self, plan: &Plan<'_>, proctype: ProctypeId) -> Result<FuncId, Unsupported> {
        let signature = self.signature(Job::Claim);
        let id = self.module.declare_function("claim", Linkage::Local, &signature).map_err(failed)?;
        self.define(plan, proctype, id, None, Job::Claim)?;
        Ok(id)
    }

    fn define(
        &mut self,
        plan: &Plan<'_>,
        proctype: ProctypeId,
        id: FuncId,
        can: Option<FuncId>,
        job: Job,
    ) -> Result<(), Unsupported> {
        self.context.func.signature = self.signature(job);
        self.context.func.name = UserFuncName::user(0, id.as_u32());
        let mut b = FunctionBuilder::new(&mut self.context.func, &mut self.builder);
        let entry = b.create_block();
        b.append_block_params_for_function_params(entry);
        b.switch_to_block(entry);
        let can = can.map(|can| self.module.declare_func_in_func(can, b.func));
        let p = b.block_params(entry).to_vec();
        let bail = b.create_block();
        let mut g = Gen {
            b,
            plan,
            model: plan.model,
            proctype,
            ctx: p[0],
            bail,
            full: None,
            member: None,
            cursor: None,
            learned: Default::default(),
            can,
            forms: [None; 5],
        };
        match job {
            Job::Claim => g.claim_function(p[1], p[2], p[3]),
            Job::Plain(i) => g.plain_function(p[1], [p[2], p[3], p[4]], i),
            Job::Group(i) => g.group_function(p[1], p[2], i),
            Job::Step(loc) => g.step_function(p[1], p[2], p[3], loc),
            Job::Can => g.can_function(p[1], p[2], p[3], p[4]),
            Job::Accept => g.accept_function(p[1], p[2], p[3], p[4], p[5]),
            Job::Take => g.take_function(p[1], p[2], p[3], p[4], p[5]),
        }
        let b = g.b;
        b.finalize(self.module.target_config());
        self.module.define_function(id, &mut self.context).map_err(failed)?;
        self.module.clear_context(&mut self.context);
        Ok(())
    }
}
