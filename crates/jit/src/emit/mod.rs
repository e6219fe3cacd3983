//! Generates the functions of one process type.
//!
//! Every function gets the context first. Whatever has no short form in machine code, and whatever goes wrong, leaves by
//! the block `bail`: the caller then asks the interpreter for the whole state. So leaving is always right, and a
//! function may leave earlier than the interpreter would find the fault.

mod begin;
mod chan;
mod claim;
mod contents;
mod dstep;
mod expr;
mod group;
mod hand;
mod learned;
mod memory;
mod process;
mod ready;
mod run;
mod stmt;
mod take;

use self::learned::Learned;
use crate::context::{BAIL, Context, GROW};
use crate::group::Member;
use crate::plan::Plan;
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{AbiParam, Block, FuncRef, InstBuilder, SigRef, Signature, Value, types};
use cranelift_frontend::{FunctionBuilder, Variable};
use starwheel_model::{Model, ProctypeId};
use std::mem::offset_of;

/// Generates one function.
pub(crate) struct Gen<'a, 'f> {
    pub b: FunctionBuilder<'f>,
    pub plan: &'a Plan<'a>,
    pub model: &'a Model,
    pub proctype: ProctypeId,
    pub ctx: Value,
    /// The way out when the interpreter has to do the work.
    pub bail: Block,
    /// The way out when there is no room for a successor, if it is needed.
    pub full: Option<Block>,
    /// The process whose steps are made, if the function is made for one.
    pub member: Option<Member>,
    /// Where the next successor goes, if nobody else writes any.
    pub cursor: Option<Cursor>,
    /// What is known at this point.
    pub learned: Learned,
    /// Asks whether a process of this type can move, if anybody may ask.
    pub can: Option<FuncRef>,
    /// By number of arguments: the form of [`crate::help`]'s functions.
    pub forms: [Option<SigRef>; 5],
}

/// Where a successor and its entry go, and what the entry says about its place.
#[derive(Clone, Copy)]
pub(crate) struct Cursor {
    pub out: Variable,
    pub entry: Variable,
    pub place: Variable,
}

/// Whose eyes a state is seen with.
#[derive(Clone, Copy)]
pub(crate) struct Env {
    /// Where the state starts.
    pub state: Value,
    /// Where the frame starts: from the start of the state, and as an address.
    pub frame: Value,
    pub fp: Value,
    pub pid: Value,
    pub proctype: ProctypeId,
    /// The state does not change while the function runs.
    pub fixed: bool,
    /// The processes are those of the context.
    pub same_processes: bool,
    /// A handshake is half done: the sender is not where it seems to be.
    pub half: bool,
    /// A claim looks, which has no frame.
    pub outside: bool,
    pub timeout: Timeout,
}

/// What `timeout` means.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Timeout {
    /// False.
    No,
    /// What the context says about steps.
    Step,
    /// What the context says about the question whether a process can move.
    Question,
}

/// A state that is being made.
#[derive(Clone, Copy)]
pub(crate) struct Making {
    /// Where values are read: the old state until something has changed.
    pub read: Env,
    /// Where they are written.
    pub write: Env,
    /// Bytes of the new state, if it has become longer.
    pub len: Option<Value>,
    /// Channels that were created in this step.
    pub new_channels: u32,
}

impl Making {
    /// From here on the old state is out of date.
    fn touched(&mut self) {
        self.read = self.write;
    }
}

impl Gen<'_, '_> {
    pub fn i32(&mut self, value: i32) -> Value {
        self.b.ins().iconst(types::I32, i64::from(value) & 0xffff_ffff)
    }

    pub fn i64(&mut self, value: i64) -> Value {
        self.b.ins().iconst(types::I64, value)
    }

    pub fn block(&mut self) -> Block {
        self.b.create_block()
    }

    pub fn go(&mut self, to: Block) {
        self.b.ins().jump(to, &[]);
    }

    /// Goes on generating in a block, which may be the one at hand.
    pub fn at(&mut self, block: Block) {
        if self.b.current_block() != Some(block) {
            self.b.switch_to_block(block);
        }
    }

    /// Calls a function of [`crate::context::Help`], given its offset there.
    pub fn help(&mut self, offset: usize, args: &[Value]) -> Value {
        let form = match self.forms[args.len()] {
            Some(form) => form,
            None => {
                let mut s = Signature::new(self.b.func.signature.call_conv);
                s.params = vec![AbiParam::new(types::I64); args.len()];
                s.returns.push(AbiParam::new(types::I64));
                *self.forms[args.len()].insert(self.b.import_signature(s))
            }
        };
        let function = self.fixed(types::I64, offset_of!(Context, help) + offset);
        let call = self.b.ins().call_indirect(form, function, args);
        self.b.inst_results(call)[0]
    }

    pub fn fork(&mut self, test: Value, yes: Block, no: Block) {
        self.b.ins().brif(test, yes, &[], no, &[]);
    }

    /// Leaves if the test holds.
    pub fn bail_if(&mut self, test: Value) {
        let go_on = self.block();
        self.fork(test, self.bail, go_on);
        self.at(go_on);
    }

    /// Leaves. What is generated behind it is never executed.
    pub fn give_up(&mut self) {
        let bail = self.bail;
        self.go(bail);
        let dead = self.block();
        self.at(dead);
    }

    pub fn is(&mut self, cc: IntCC, a: Value, b: i64) -> Value {
        self.b.ins().icmp_imm_s(cc, a, b)
    }

    /// A result of this value.
    pub fn answer(&mut self, value: i64) {
        let value = self.i64(value);
        self.b.ins().return_(&[value]);
    }

    /// Fills the way out.
    pub fn close(&mut self) {
        let bail = self.bail;
        self.b.set_cold_block(bail);
        self.at(bail);
        self.answer(if self.cursor.is_some() { 0 } else { BAIL });
        if let Some(full) = self.full {
            self.b.set_cold_block(full);
            self.at(full);
            self.answer(GROW);
        }
        self.b.seal_all_blocks();
    }

    pub fn variable(&mut self, value: Value) -> Variable {
        let ty = self.b.func.dfg.value_type(value);
        let var = self.b.declare_var(ty);
        self.b.def_var(var, value);
        var
    }

    /// The view of a process whose frame starts at an offset of a state that does not change.
    pub fn env(&mut self, state: Value, frame: Value, pid: Value, timeout: Timeout) -> Env {
        let fp = self.b.ins().iadd(state, frame);
        let proctype = self.proctype;
        Env { state, frame, fp, pid, proctype, fixed: true, same_processes: true, half: false, outside: false, timeout }
    }

    /// The same process in a state that is being made.
    pub fn env_in(&mut self, env: Env, state: Value) -> Env {
        let fp = self.b.ins().iadd(state, env.frame);
        Env { state, fp, fixed: false, same_processes: false, ..env }
    }
}
