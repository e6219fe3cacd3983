//! Steps of a model in the model's own words: its actors are processes and a claim, its actions are transitions.

use crate::ir::{Pid, TransId};
use starwheel_system::{Actor, Partners, Step};

impl From<Pid> for Actor {
    fn from(pid: Pid) -> Actor {
        if pid.is_claim() { Actor::Claim } else { Actor::Agent(pid.0) }
    }
}

impl From<Actor> for Pid {
    /// A claim and a clock are no processes.
    fn from(actor: Actor) -> Pid {
        actor.agent().map_or(Pid::CLAIM, Pid)
    }
}

/// How a step of a model is made and read.
pub trait ProcessStep {
    /// A step of a process, or of a claim ([`Pid::CLAIM`]), perhaps a handshake with a receiver.
    fn of(pid: Pid, trans: TransId, partner: Option<(Pid, TransId)>, timeout: bool) -> Self;

    /// The process that moves; the sender of a handshake; [`Pid::CLAIM`] for a step of a claim.
    fn pid(&self) -> Pid;

    /// The receiver of a handshake and its transition.
    fn partner(&self) -> Option<(Pid, TransId)>;
}

impl ProcessStep for Step {
    fn of(pid: Pid, trans: TransId, partner: Option<(Pid, TransId)>, timeout: bool) -> Step {
        let partners = partner.map_or(Partners::None, |(pid, trans)| Partners::One(pid.into(), trans));
        Step { actor: pid.into(), action: trans, partners, timeout }
    }

    #[inline]
    fn pid(&self) -> Pid {
        self.actor.into()
    }

    #[inline]
    fn partner(&self) -> Option<(Pid, TransId)> {
        match self.partners {
            Partners::One(actor, trans) => Some((actor.into(), trans)),
            // No step of a model has more.
            Partners::None | Partners::Many(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_is_read_as_it_was_made() {
        for pid in [Pid(0), Pid(254), Pid::CLAIM] {
            for partner in [None, Some((Pid(3), TransId(9)))] {
                let step = Step::of(pid, TransId(7), partner, true);
                assert_eq!((step.pid(), step.action, step.partner(), step.timeout), (pid, TransId(7), partner, true));
            }
        }
    }
}
