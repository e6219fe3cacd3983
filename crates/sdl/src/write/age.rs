//! Channels that keep each signal for some time, at least and at most: two timers for each place in their queue.
//!
//! All signals of a channel are kept for as long, so the first one is the oldest, and it alone must be asked.

use super::Writer;
use super::stmt::{Line, Lines};
use crate::machine::ProcessId;
use starwheel_base::Span;

/// The timers of the signals in a channel. As those of clocks, each is on until its time has come.
#[derive(Clone, Debug)]
pub struct Ages {
    /// On as long as a signal must not arrive yet, and as long as it need not.
    pub ripe: String,
    pub late: String,
    /// The place of the first signal; the others follow in a circle.
    pub head: String,
    pub within: (i64, i64),
    pub room: usize,
}

impl Ages {
    /// The timers that there are.
    pub fn timers(&self) -> impl Iterator<Item = &String> {
        let (least, most) = self.within;
        [(&self.ripe, least > 0), (&self.late, self.may_wait() && most > 0)].into_iter().filter(|t| t.1).map(|t| t.0)
    }

    /// Whether there is a choice when to deliver.
    pub fn may_wait(&self) -> bool {
        self.within.0 < self.within.1
    }

    fn at(&self, place: &str) -> String {
        if self.room > 1 { format!("[{place}]") } else { String::new() }
    }

    /// The first signal may arrive.
    pub fn ripe(&self) -> String {
        match self.within.0 {
            0 => String::new(),
            _ => format!(" && !on({}{})", self.ripe, self.at(&self.head)),
        }
    }

    /// The first signal need not arrive in this slice.
    pub fn not_late(&self) -> String {
        format!(" && on({}{})", self.late, self.at(&self.head))
    }

    /// The first signal has left the queue.
    pub fn next(&self, queue: &str, span: Span) -> Vec<Line> {
        let mut out = Lines::new(span);
        let here = self.at(&self.head);
        self.timers().for_each(|t| out.push(format!("reset({t}{here});")));
        if self.room > 1 {
            // Where nothing is left, the circle begins anew, so that it is one state.
            let (head, room) = (&self.head, self.room);
            out.push(format!("{head} = (len({queue}) > 0 -> ({head} + 1) % {room} : 0);"));
        }
        out.list
    }
}

impl Writer<'_> {
    /// What is done when a signal has been put into the queue of a channel.
    pub fn age(&self, channel: ProcessId, queue: &str) -> Vec<String> {
        let Some(ages) = &self.desks[channel].ages else { return Vec::new() };
        let last = ages.at(&format!("({} + len({queue}) - 1) % {}", ages.head, ages.room));
        let (least, most) = ages.within;
        let value = |t: &String| if *t == ages.ripe { least - 1 } else { most - 1 };
        ages.timers().map(|t| format!("set({t}{last},{});", value(t))).collect()
    }
}
