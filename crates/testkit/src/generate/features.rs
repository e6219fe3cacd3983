//! Which parts of the language a random program may use: each seed picks its own few, so that programs are focused.

use crate::rng::Rng;

macro_rules! features {
    ($($name:ident $percent:literal,)*) => {
        /// A part of the language that can be switched on for a program.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[allow(missing_docs)]
        pub enum Feature { $($name,)* }

        /// All features with the share of programs, in percent, that have them.
        pub const ALL: &[(Feature, &str, u32)] = &[$((Feature::$name, stringify!($name), $percent),)*];
    };
}

features! {
    Atomic 40,
    DStep 28,
    Unless 25,
    Goto 25,
    Blocks 20,
    Buffered 45,
    Rendezvous 35,
    ChanArray 12,
    ChanPass 12,
    LocalChan 10,
    Sorted 15,
    RandomRecv 20,
    CopyRecv 18,
    Poll 20,
    Eval 20,
    ChanWords 25,
    StructMessage 7,
    Run 38,
    RunLoop 8,
    Rebirth 12,
    SelfRun 10,
    Replicate 25,
    Arrays 25,
    Structs 18,
    MidDecl 22,
    For 18,
    Select 12,
    Inline 18,
    Macro 15,
    Wide 20,
    Wrap 12,
    Mtype 25,
    Subtypes 8,
    Printf 10,
    Assert 45,
    Timeout 22,
    ProcessWords 20,
    Provided 12,
    Priority 9,
    Last 7,
    Enabled 5,
    PcValue 2,
    RemoteLabel 12,
    RemoteVar 7,
    Hidden 8,
    LocalWord 8,
    Show 4,
    DProctype 3,
    Exclusive 5,
    Trace 3,
    Claim 6,
    Constants 20,
    EndLabels 20,
    BareLines 8,
    Shadow 8,
    WriteOnly 12,
    BlockInDStep 2,
    Chains 25,
    OwnCell 12,
    Rounds 20,
    // Off unless asked for: SPIN undoes a receive from what the variable holds, so a value that was truncated comes back
    // changed when the search backtracks.
    NarrowReceive 0,
    // Off with SPIN, which leaves what is hidden out of its states: only where we are compared with ourselves.
    HiddenRead 0,
}

/// The features of one program.
#[derive(Clone, Copy, Debug, Default)]
pub struct Features {
    bits: u128,
}

impl Features {
    /// The features that a seed picks. Some seeds pick few, others many.
    pub fn choose(rng: &mut Rng) -> Self {
        let scale = *rng.pick(&[40, 70, 100, 130]).unwrap_or(&100);
        let mut features = Self::default();
        for (feature, _, percent) in ALL {
            if rng.chance(percent * scale / 100) {
                features.set(*feature, true);
            }
        }
        // What is merged and should not have been shows where somebody looks on.
        let looked_at = features.has(Feature::Priority) || features.has(Feature::LocalWord);
        if looked_at && rng.chance(50) {
            features.set(Feature::Chains, true);
        }
        // Somebody has to say that a chain was seen half done.
        if features.has(Feature::Chains) && rng.chance(60) {
            features.set(Feature::Assert, true);
        }
        // Somebody has to say that he was not forgotten.
        if features.has(Feature::Rounds) && rng.chance(75) {
            features.set(Feature::Assert, true);
        }
        features.settle();
        features
    }

    /// Is the feature on?
    pub fn has(&self, feature: Feature) -> bool {
        self.bits & (1 << feature as u32) != 0
    }

    /// Switches a feature on or off.
    pub fn set(&mut self, feature: Feature, on: bool) {
        let bit = 1 << feature as u32;
        if on {
            self.bits |= bit;
        } else {
            self.bits &= !bit;
        }
    }

    /// Has the program channels at all?
    pub fn channels(&self) -> bool {
        self.has(Feature::Buffered) || self.has(Feature::Rendezvous)
    }

    /// Removes what SPIN refuses together, and adds what a feature cannot do without.
    pub fn settle(&mut self) {
        use Feature::*;
        if self.has(Chains) {
            // A handshake is what a chain waits for most often.
            self.set(Rendezvous, true);
            self.set(Atomic, true);
        }
        if self.has(OwnCell) {
            self.set(DStep, true);
        }
        if self.has(Priority) || self.has(Enabled) {
            self.set(Rendezvous, false);
        }
        if self.has(Enabled) {
            // A `for` has an `else` inside; see `else_allowed`.
            self.set(For, false);
        }
        let wants_buffer = [Sorted, RandomRecv, CopyRecv, Poll, ChanWords, Exclusive, Trace];
        if wants_buffer.iter().any(|f| self.has(*f)) {
            self.set(Buffered, true);
        }
        if (self.has(ChanPass) || self.has(ChanArray) || self.has(Eval)) && !self.channels() {
            self.set(Buffered, true);
        }
        if self.has(StructMessage) {
            self.set(Structs, true);
        }
        if [RunLoop, DProctype, Rebirth, SelfRun].iter().any(|f| self.has(*f)) {
            self.set(Run, true);
        }
    }

    /// The names of the features that are on.
    pub fn names(&self) -> Vec<&'static str> {
        ALL.iter().filter(|(f, _, _)| self.has(*f)).map(|(_, name, _)| *name).collect()
    }
}

/// The feature of that name.
pub fn by_name(name: &str) -> Option<Feature> {
    ALL.iter().find(|(_, n, _)| n.eq_ignore_ascii_case(name)).map(|(f, _, _)| *f)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_features_fit_the_set() {
        assert!(ALL.len() <= 128);
    }

    #[test]
    fn priorities_exclude_rendezvous() {
        for seed in 0..500 {
            let features = Features::choose(&mut Rng::new(seed));
            assert!(!(features.has(Feature::Priority) && features.has(Feature::Rendezvous)));
        }
    }
}
