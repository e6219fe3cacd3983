//! One step: who moves, by which action, and with whom.

/// Who moves.
///
/// A claim and the clock are nobody that could be forgotten: fairness is about agents.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Actor {
    /// One of those that live in a state, by number, from 0 to 254: a process, a node, a thread. The number means the same
    /// agent in a state and in its successors, until it has gone.
    Agent(u8),
    /// An automaton that watches the system and moves in turn with it.
    Claim,
    /// Time: the step is a tick.
    Clock,
}

impl Default for Actor {
    fn default() -> Actor {
        Actor::Agent(0)
    }
}

impl Actor {
    /// True for a claim, whose steps are no steps of the system.
    #[inline]
    pub fn is_claim(self) -> bool {
        self == Actor::Claim
    }

    /// The number of an agent; none for a claim and for the clock.
    #[inline]
    pub fn agent(self) -> Option<u8> {
        match self {
            Actor::Agent(number) => Some(number),
            Actor::Claim | Actor::Clock => None,
        }
    }
}

/// By which action somebody moves: a number below [`crate::System::transitions`]. Searches count which of them were executed;
/// what they mean is the system's affair.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Action(pub u32);

impl Action {
    /// As an index.
    #[inline]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// Who else moves in a step.
///
/// What is here counts for fairness and for the length of a trail. A step of many has one action, which stands for what all
/// of them do together; agents that take part in such steps need numbers below 32. A system in which others do so, too, says
/// `None` here and must not be searched under fairness, which would not know that they have moved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Partners {
    /// Nobody.
    #[default]
    None,
    /// The other side of a handshake, by an action of its own.
    One(Actor, Action),
    /// Several agents: bit `n` is set if agent `n` moves as well. Never without a bit, and never with that of the actor.
    Many(u32),
}

/// One step of a system. It means something in the state that lists it, and in no other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Step {
    /// Who moves; of several, the one that the step belongs to: the sender of a handshake.
    pub actor: Actor,
    /// By which action.
    pub action: Action,
    /// Who else moves.
    pub partners: Partners,
    /// True if the step is possible only because nothing else is.
    pub timeout: bool,
}

impl Step {
    /// A step of one actor alone.
    pub fn alone(actor: Actor, action: Action) -> Step {
        Step { actor, action, partners: Partners::None, timeout: false }
    }

    /// The action of the other side of a handshake.
    #[inline]
    pub fn second_action(self) -> Option<Action> {
        match self.partners {
            Partners::One(_, action) => Some(action),
            Partners::None | Partners::Many(_) => None,
        }
    }

    /// The agents that move, each once; none in a step of a claim or of the clock alone.
    pub fn agents(self) -> impl Iterator<Item = u8> {
        let (one, many) = match self.partners {
            Partners::None => (None, 0),
            Partners::One(actor, _) => (actor.agent(), 0),
            Partners::Many(mask) => (None, mask),
        };
        let others = (0..32u8).filter(move |n| many >> n & 1 != 0);
        self.actor.agent().into_iter().chain(one).chain(others)
    }

    /// How long the step is in a trail: one for each who moves, so a handshake counts two.
    #[inline]
    pub fn length(self) -> u64 {
        match self.partners {
            Partners::None => 1,
            Partners::One(..) => 2,
            Partners::Many(mask) => 1 + u64::from(mask.count_ones()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_is_small() {
        assert!(size_of::<Step>() <= 20, "{}", size_of::<Step>());
    }

    #[test]
    fn all_who_move_are_named_and_counted() {
        let agents = |actor, partners| {
            let step = Step { actor, action: Action(3), partners, timeout: false };
            (step.agents().collect::<Vec<_>>(), step.length())
        };
        assert_eq!(agents(Actor::Agent(7), Partners::None), (vec![7], 1));
        assert_eq!(agents(Actor::Agent(7), Partners::One(Actor::Agent(200), Action(1))), (vec![7, 200], 2));
        assert_eq!(agents(Actor::Agent(7), Partners::Many(1 << 31 | 5)), (vec![7, 0, 2, 31], 4));
        assert_eq!(agents(Actor::Clock, Partners::Many(3)), (vec![0, 1], 3), "a tick that wakes two");
        assert_eq!(agents(Actor::Claim, Partners::None), (vec![], 1));
    }
}
