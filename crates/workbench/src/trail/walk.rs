//! A run of a model as plain data: who did what, which values changed, what was printed, and where everybody stands.

use crate::property::watched::Truths;
use crate::written::Source;
use serde::Serialize;

/// A run from the initial state.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Walk {
    /// Which conditions of the formula are true before the first of these moves.
    #[serde(skip_serializing_if = "Truths::is_empty")]
    pub propositions: Truths,
    /// The moves in order; a handshake is two of them.
    pub moves: Vec<Move>,
    /// For a run without end: the number of moves before those that are repeated for ever.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cycle_start: Option<u64>,
    /// Which conditions of the formula are true where the cycle starts.
    #[serde(skip_serializing_if = "Truths::is_empty")]
    pub cycle_propositions: Truths,
    /// What holds at the end.
    pub last: Situation,
}

/// What one process does in one step.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Move {
    /// Its number from one; the two halves of a handshake count both, as in SPIN.
    pub number: u64,
    /// The process.
    pub pid: u8,
    /// True if it is the claim that moves, which is no process and has no number.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub claim: bool,
    /// True if the claim has seen enough: whatever follows, the run is one of those that must not be.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub decides: bool,
    /// The name of its type.
    pub proctype: String,
    /// Its priority.
    #[serde(skip)]
    pub priority: u8,
    /// The location that it leaves, as SPIN numbers states.
    pub state: u16,
    /// Where the statement stands.
    #[serde(flatten)]
    pub source: Source,
    /// The statement as it was written.
    pub text: String,
    /// The statement as SPIN spells it.
    pub spin_text: String,
    /// File and line as SPIN counts them: of the outermost use.
    #[serde(skip)]
    pub spin_place: (String, u32),
    /// True for a step that nobody wrote: a join, or the counting of a `for`.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub bookkeeping: bool,
    /// The statements of a merged step, one by one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<Part>,
    /// What else the process could have done at this place: the other alternatives that were possible.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub others: Vec<String>,
    /// For an `else`: the alternatives none of which was possible.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub against: Vec<String>,
    /// The message that is sent or received.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<Message>,
    /// Values that are different afterwards.
    pub changes: Vec<Change>,
    /// Processes that were started: number and type.
    pub started: Vec<(u8, String)>,
    /// Their priorities.
    #[serde(skip)]
    pub priorities: Vec<u8>,
    /// What was printed, one entry for each statement that prints.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub printed: Vec<String>,
    /// True if the process ends.
    pub ends: bool,
    /// True if the step was possible only because nothing else was.
    pub timeout: bool,
    /// If time passes: how many slices. It is no process then that moves.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tick: Option<u32>,
    /// In a timed model: the slices from the start to this move; those of a tick are counted already.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time: Option<u64>,
    /// What went wrong.
    pub faults: Vec<String>,
    /// Conditions of the formula that are no longer, afterwards, what they were when the formula looked last.
    #[serde(skip_serializing_if = "Truths::is_empty")]
    pub propositions: Truths,
}

/// One statement of a merged step.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Part {
    /// The file.
    pub file: String,
    /// The line.
    pub line: u32,
    /// The statement as it was written.
    pub text: String,
    /// The statement as SPIN spells it.
    pub spin_text: String,
}

/// A message on its way.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Message {
    /// True for a send, false for a receive.
    pub send: bool,
    /// The channel's number.
    pub channel: u32,
    /// The channel's name.
    pub name: String,
    /// The values of its fields.
    pub fields: Vec<String>,
    /// The process at the other end of a handshake.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub partner: Option<u8>,
    /// True if a receive leaves the message in the channel.
    pub copy: bool,
}

/// A value that is different after a step.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Change {
    /// The process whose local it is: number and type.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub owner: Option<(u8, String)>,
    /// The number of the channel whose contents it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub channel: Option<u32>,
    /// The name of the variable or channel.
    pub name: String,
    /// The new value.
    pub value: String,
}

/// All values of one state.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Situation {
    /// Global variables.
    pub globals: Vec<Value>,
    /// Channels with slots.
    pub channels: Vec<Queue>,
    /// Processes, oldest first.
    pub processes: Vec<Standing>,
}

/// The value of a variable.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Value {
    /// The name, with the index for elements of arrays.
    pub name: String,
    /// The value.
    pub value: String,
}

/// The contents of a channel.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Queue {
    /// The channel's number.
    pub number: u32,
    /// The channel's name.
    pub name: String,
    /// Its messages, oldest first; fields separated by commas.
    pub messages: Vec<String>,
}

/// Where a process stands.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Standing {
    /// The process.
    pub pid: u8,
    /// The name of its type.
    pub proctype: String,
    /// Its priority.
    #[serde(skip)]
    pub priority: u8,
    /// Its location, as SPIN numbers states.
    pub state: u16,
    /// Where its next statement stands.
    #[serde(flatten)]
    pub source: Source,
    /// The file of the outermost use, as SPIN names it.
    #[serde(skip)]
    pub spin_file: String,
    /// The line of the selection or loop that it stands at, or else of its next statement.
    #[serde(skip)]
    pub own_line: u32,
    /// What it would do next, alternatives one by one.
    pub next: Vec<String>,
    /// True if it may stay there for ever.
    pub valid_end: bool,
    /// Its local variables.
    pub locals: Vec<Value>,
}

impl Move {
    /// Puts two moves that follow each other into one, if time passes in both.
    pub fn join(&mut self, next: &Move) -> bool {
        let (Some(first), Some(second)) = (self.tick, next.tick) else { return false };
        let slices = first + second;
        let old = std::mem::take(&mut self.changes);
        let same = |c: &&Change| !next.changes.iter().any(|n| (&n.name, &n.owner) == (&c.name, &c.owner));
        let changes = old.iter().filter(same).chain(&next.changes).cloned().collect();
        *self = Move { tick: Some(slices), text: passing(slices), changes, ..next.clone() };
        true
    }
}

/// What is said of a tick.
pub fn passing(slices: u32) -> String {
    format!("time passes: {slices}")
}

impl Queue {
    /// The contents as they are shown: `[1,a][2,b]`.
    pub fn shown(&self) -> String {
        self.messages.iter().map(|m| format!("[{m}]")).collect()
    }
}

impl Change {
    /// The change as it is shown: `x = 1`, `P(0):i = 2`, `q: [1][2]`.
    pub fn shown(&self) -> String {
        match (&self.owner, self.channel) {
            (_, Some(_)) => format!("{}: {}", self.name, if self.value.is_empty() { "empty" } else { &self.value }),
            (Some((pid, proctype)), None) => format!("{proctype}({pid}):{} = {}", self.name, self.value),
            (None, None) => format!("{} = {}", self.name, self.value),
        }
    }
}

impl Situation {
    /// What is different in this situation from what it was before. Values of a process that did not exist then do not
    /// count: they are part of its start.
    pub fn changes(&self, before: &Situation) -> Vec<Change> {
        let mut out = Vec::new();
        differences(&before.globals, &self.globals, None, &mut out);
        for queue in &self.channels {
            let old = before.channels.iter().find(|q| q.number == queue.number && q.name == queue.name);
            if old.map_or(!queue.messages.is_empty(), |q| q.messages != queue.messages) {
                out.push(Change {
                    owner: None,
                    channel: Some(queue.number),
                    name: queue.name.clone(),
                    value: queue.shown(),
                });
            }
        }
        for (new, old) in self.processes.iter().zip(&before.processes) {
            if new.proctype == old.proctype {
                let owner = Some((new.pid, new.proctype.clone()));
                differences(&old.locals, &new.locals, owner, &mut out);
            }
        }
        out
    }
}

/// Both lists hold the same variables in the same order.
fn differences(old: &[Value], new: &[Value], owner: Option<(u8, String)>, out: &mut Vec<Change>) {
    for (old, new) in old.iter().zip(new) {
        if old != new {
            let (name, value) = (new.name.clone(), new.value.clone());
            out.push(Change { owner: owner.clone(), channel: None, name, value });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(name: &str, value: &str) -> Value {
        Value { name: name.into(), value: value.into() }
    }

    #[test]
    fn changes_name_their_owners() {
        let process = |v: &str| Standing {
            pid: 3,
            proctype: "P".into(),
            locals: vec![value("i", v), value("j", "7")],
            ..Standing::default()
        };
        let queue = |messages: &[&str]| Queue {
            number: 2,
            name: "q".into(),
            messages: messages.iter().map(|m| m.to_string()).collect(),
        };
        let before = Situation {
            globals: vec![value("x", "0"), value("y", "1")],
            channels: vec![queue(&[])],
            processes: vec![process("0")],
        };
        let after = Situation {
            globals: vec![value("x", "5"), value("y", "1")],
            channels: vec![queue(&["1,a", "2,b"])],
            processes: vec![process("4"), process("9")],
        };
        let shown: Vec<_> = after.changes(&before).iter().map(Change::shown).collect();
        assert_eq!(shown, ["x = 5", "q: [1,a][2,b]", "P(3):i = 4"]);
        assert!(after.changes(&after).is_empty());
    }
}
