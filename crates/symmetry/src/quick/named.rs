//! What a place for names says: something about those whose it is, and something about the one that is named there.

use super::Owner;
use crate::plan::{Field, Plan, Scalar};
use crate::refine::mix;
use starwheel_model::Ty;

/// A place for names: it says something about whom it names.
#[derive(Debug)]
pub(super) struct Named {
    /// Whose it is; nobody's if it is global.
    pub(super) owner: Option<Owner>,
    pub(super) what: What,
    /// Whose names; index into [`Plan::names`].
    pub(super) names: usize,
    pub(super) id: u64,
}

#[derive(Debug)]
pub(super) enum What {
    /// A byte.
    Byte(usize),
    /// A variable of another type.
    Variable(usize, Ty),
    /// A field of messages, by its number.
    Field(usize),
}

impl Named {
    pub(super) fn variable(owner: Option<Owner>, s: &Scalar) -> Named {
        let what = if s.ty == Ty::Byte { What::Byte(s.at) } else { What::Variable(s.at, s.ty) };
        Named { owner, what, names: s.names, id: s.id }
    }

    pub(super) fn field(owner: Option<Owner>, number: usize, f: &Field) -> Named {
        Named { owner, what: What::Field(number), names: f.scalar.names, id: f.scalar.id }
    }

    /// True if it certainly says the same in two states.
    #[inline(always)]
    pub(super) fn same(&self, plan: &Plan, a: &[u8], b: &[u8]) -> bool {
        match self.what {
            What::Byte(at) => a[at] == b[at],
            What::Variable(at, ty) => ty.read(a, at) == ty.read(b, at),
            What::Field(number) => {
                let Field { channel, bytes, .. } = &plan.fields[number];
                a[*channel..*channel + *bytes] == b[*channel..*channel + *bytes]
            }
        }
    }

    /// Adds what it says about points, or takes it away; how often it has one name another.
    #[inline(always)]
    pub(super) fn count<const ADD: bool, const M: usize>(&self, plan: &Plan, state: &[u8], sums: &mut [u64; M]) -> u32 {
        match self.what {
            What::Byte(at) => self.say::<ADD, M>(plan, self.id, i32::from(state[at]), sums),
            What::Variable(at, ty) => self.say::<ADD, M>(plan, self.id, ty.read(state, at), sums),
            What::Field(number) => {
                let (field, mut others) = (&plan.fields[number], 0);
                for (m, at) in field.places(state).enumerate() {
                    let id = mix(self.id, m as u64 + 1);
                    others += self.say::<ADD, M>(plan, id, field.scalar.ty.read(state, at), sums);
                }
                others
            }
        }
    }

    #[inline(always)]
    fn say<const ADD: bool, const M: usize>(&self, plan: &Plan, id: u64, value: i32, sums: &mut [u64; M]) -> u32 {
        let whose = plan.names[self.names].whose(value);
        let signed = |what: u64| if ADD { what } else { what.wrapping_neg() };
        let Some(owner) = self.owner else {
            if let Some((row, who)) = whose {
                let sum = &mut sums[who % M];
                *sum = sum.wrapping_add(signed(mix(id, row as u64)));
            }
            return 0;
        };
        // Its own name, that of the other one to whom it belongs, somebody else's, or nobody's.
        let (kind, other) = match whose {
            Some((row, who)) if who == usize::from(owner.point) => (row as u64, None),
            Some((row, who)) if owner.with.is_some_and(|with| who == usize::from(with)) => (1 << 33 | row as u64, None),
            Some((row, who)) => (1 << 32 | row as u64, Some(who)),
            None => (u64::from(value as u32) << 16 | 0xffff, None),
        };
        owner.add(signed(mix(id, kind)), sums);
        let Some(who) = other else { return 0 };
        let sum = &mut sums[who % M];
        *sum = sum.wrapping_add(signed(mix(id, 1 << 34 | kind)));
        1
    }
}
