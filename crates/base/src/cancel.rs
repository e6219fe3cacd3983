//! One token for all that may take long: asks the clock, the memory and the user whether to go on.
//!
//! Whoever works in a loop that may be long asks a [`Watch`] in each round and gives up when it says so; what has been done
//! so far is thrown away, so it need not make sense. A token that has once said stop says so for ever.

use std::cell::Cell;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Why work has to end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cancelled {
    /// This much time was used up.
    Time(Duration),
    /// The program holds more than this many bytes.
    Memory(u64),
    /// The user wants it.
    Interrupted,
}

/// Says whether to go on. All clones are one token.
#[derive(Clone, Default)]
pub struct Token(Option<Arc<Terms>>);

struct Terms {
    started: Instant,
    time: Option<Duration>,
    memory: Option<u64>,
    /// How much memory the program holds.
    resident: fn() -> u64,
    /// True once the user wants an end.
    interrupted: &'static AtomicBool,
    /// What has been said: one of the numbers below.
    said: AtomicU8,
    /// When the memory is looked at again, in milliseconds since the start.
    weigh: AtomicU64,
}

const GO_ON: u8 = 0;
const TIME: u8 = 1;
const MEMORY: u8 = 2;
const INTERRUPTED: u8 = 3;

/// Milliseconds between two looks at the memory.
const WEIGHING: u64 = 20;

impl Token {
    /// A token that never ends anything.
    pub const NEVER: Token = Token(None);

    /// A token whose time starts now. `resident` tells how much memory the program holds.
    pub fn new(
        time: Option<Duration>,
        memory: Option<u64>,
        resident: fn() -> u64,
        interrupted: &'static AtomicBool,
    ) -> Token {
        let (said, weigh) = (AtomicU8::new(GO_ON), AtomicU64::new(0));
        Token(Some(Arc::new(Terms { started: Instant::now(), time, memory, resident, interrupted, said, weigh })))
    }

    /// When its time started.
    pub fn started(&self) -> Option<Instant> {
        self.0.as_ref().map(|terms| terms.started)
    }

    /// Why work has to end, if it has to. Looks at the clock.
    pub fn why(&self) -> Option<Cancelled> {
        let terms = self.0.as_ref()?;
        if terms.said.load(Ordering::Relaxed) == GO_ON {
            terms.said.store(terms.look(), Ordering::Relaxed);
        }
        self.said()
    }

    /// What somebody was told before, so that something may have been given up.
    pub fn said(&self) -> Option<Cancelled> {
        let terms = self.0.as_ref()?;
        match terms.said.load(Ordering::Relaxed) {
            TIME => Some(Cancelled::Time(terms.time.unwrap_or_default())),
            MEMORY => Some(Cancelled::Memory(terms.memory.unwrap_or_default())),
            INTERRUPTED => Some(Cancelled::Interrupted),
            _ => None,
        }
    }

    /// True if work has to end. Looks at the clock.
    pub fn stopped(&self) -> bool {
        self.why().is_some()
    }

    /// Something to ask in a loop.
    pub fn watch(&self) -> Watch {
        Watch { token: self.clone(), rounds: Cell::new(0), stopped: Cell::new(false) }
    }
}

impl Terms {
    fn look(&self) -> u8 {
        if self.interrupted.load(Ordering::Relaxed) {
            return INTERRUPTED;
        }
        let elapsed = self.started.elapsed();
        if self.time.is_some_and(|time| elapsed >= time) {
            return TIME;
        }
        let now = elapsed.as_millis() as u64;
        if let Some(most) = self.memory
            && now >= self.weigh.load(Ordering::Relaxed)
        {
            self.weigh.store(now + WEIGHING, Ordering::Relaxed);
            if (self.resident)() > most {
                return MEMORY;
            }
        }
        GO_ON
    }
}

/// The same token, or two that never end anything.
impl PartialEq for Token {
    fn eq(&self, other: &Token) -> bool {
        match (&self.0, &other.0) {
            (Some(a), Some(b)) => Arc::ptr_eq(a, b),
            (a, b) => a.is_none() && b.is_none(),
        }
    }
}

impl Eq for Token {}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Token").field(&self.0.as_ref().map(|terms| (terms.time, terms.memory))).finish()
    }
}

/// What a loop asks in each round; looks at the clock only now and then.
#[derive(Clone, Debug)]
pub struct Watch {
    token: Token,
    rounds: Cell<u32>,
    stopped: Cell<bool>,
}

/// Rounds between two looks at the clock.
const ROUNDS: u32 = 256;

impl Watch {
    /// Never ends anything.
    pub fn never() -> Watch {
        Token::NEVER.watch()
    }

    /// True if the work has to end.
    #[inline]
    pub fn stopped(&self) -> bool {
        let rounds = self.rounds.get().wrapping_add(1);
        self.rounds.set(rounds);
        if rounds.is_multiple_of(ROUNDS) && self.token.stopped() {
            self.stopped.set(true);
        }
        self.stopped.get()
    }

    /// The token that is asked.
    pub fn token(&self) -> &Token {
        &self.token
    }
}

impl Default for Watch {
    fn default() -> Watch {
        Watch::never()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    static CALM: AtomicBool = AtomicBool::new(false);

    #[test]
    fn time_memory_and_the_user_end_work() {
        static PRESSED: AtomicBool = AtomicBool::new(false);
        let limit = Duration::from_millis(1);
        let token = Token::new(Some(limit), None, || 0, &CALM);
        std::thread::sleep(limit);
        assert_eq!(token.why(), Some(Cancelled::Time(limit)));
        assert_eq!(Token::new(None, Some(10), || 11, &CALM).why(), Some(Cancelled::Memory(10)));
        assert_eq!(Token::new(None, Some(10), || 10, &CALM).why(), None);
        let token = Token::new(None, None, || 0, &PRESSED);
        let watch = token.watch();
        assert!(!(0..1000).any(|_| watch.stopped()));
        PRESSED.store(true, Ordering::Relaxed);
        assert!((0..1000).any(|_| watch.stopped()));
        PRESSED.store(false, Ordering::Relaxed);
        assert_eq!(token.clone().why(), Some(Cancelled::Interrupted), "what was said is said");
        assert_eq!(Token::NEVER.why(), None);
    }
}
