//! When to look at the clock: rarely enough to cost nothing, often enough that a limit is kept where single steps are slow.
//!
//! What a step costs differs by a factor of a million between models, and within one model by a thousand: a state of 255
//! processes whose steps are grouped takes milliseconds. So the number of steps between two looks follows from how long
//! the last ones took.

use std::time::{Duration, Instant};

/// The time between two looks that is aimed at.
const AIM: Duration = Duration::from_millis(2);

/// Says when it is time to look.
#[derive(Debug)]
pub struct Pace {
    /// Steps until the next look.
    left: u64,
    /// Steps between the last look and the next one.
    period: u64,
    /// Steps between two looks at the most.
    most: u64,
    looked: Instant,
}

impl Pace {
    /// The first look comes after the first step; there are never more than so many steps between two.
    pub fn new(most: u64) -> Pace {
        Pace { left: 1, period: 1, most: most.max(1), looked: Instant::now() }
    }

    /// Notes a step; true if it is time to look.
    #[inline]
    pub fn due(&mut self) -> bool {
        self.left -= 1;
        self.left == 0 && self.look()
    }

    /// What was done since the last look does not count: the clock runs from now on.
    pub fn restart(&mut self) {
        self.looked = Instant::now();
    }

    #[cold]
    fn look(&mut self) -> bool {
        let now = Instant::now();
        self.period = next(self.period, self.most, now.duration_since(self.looked));
        (self.looked, self.left) = (now, self.period);
        true
    }
}

/// The number of steps until the next look, if the last ones took so long.
fn next(period: u64, most: u64, took: Duration) -> u64 {
    if took < AIM / 2 {
        (period * 2).min(most)
    } else if took > AIM * 2 {
        (period as f64 * AIM.as_secs_f64() / took.as_secs_f64()).max(1.0) as u64
    } else {
        period
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The looks of a search whose steps take these times, as the times between them.
    fn looks(most: u64, steps: impl IntoIterator<Item = Duration>) -> Vec<Duration> {
        let (mut period, mut left, mut gone, mut looks) = (1, 1, Duration::ZERO, Vec::new());
        for step in steps {
            gone += step;
            left -= 1;
            if left == 0 {
                period = next(period, most, gone);
                looks.push(gone);
                (left, gone) = (period, Duration::ZERO);
            }
        }
        looks
    }

    #[test]
    fn quick_steps_are_looked_at_rarely() {
        let looks = looks(1 << 10, vec![Duration::from_nanos(100); 1 << 16]);
        assert!(looks.len() < 10 + 64 + 1, "{}", looks.len());
    }

    #[test]
    fn slow_steps_are_looked_at_one_by_one() {
        let looks = looks(1 << 10, vec![Duration::from_millis(50); 100]);
        assert_eq!(looks.len(), 100);
    }

    #[test]
    fn steps_that_become_slower_do_not_outrun_the_clock() {
        let slower = (1..1_000_000u64).map(Duration::from_nanos);
        let longest = looks(u64::MAX / 2, slower).into_iter().max();
        assert!(longest < Some(AIM * 4), "{longest:?}");
        let sudden = [Duration::from_micros(10); 10_000].into_iter().chain([Duration::from_millis(3); 1000]);
        let longest = looks(1 << 10, sudden).into_iter().max();
        assert!(longest < Some(Duration::from_secs(1)), "{longest:?}");
    }

    #[test]
    fn what_does_not_count_changes_nothing() {
        let mut pace = Pace::new(4);
        for _ in 0..100 {
            if pace.due() {
                std::thread::sleep(AIM * 3);
                pace.restart();
            }
        }
        // One look after the first step, one after two more, and one after each four.
        assert_eq!(pace.period, 4);
    }

    #[test]
    fn the_first_step_is_followed_by_a_look() {
        let mut pace = Pace::new(4);
        assert!(pace.due());
        let steps = (0..1000).filter(|_| pace.due()).count();
        assert!(steps >= 250);
    }
}
