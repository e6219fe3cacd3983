//! The codes of problems: what programs that read our reports, and we ourselves, tell problems apart by.

use serde::{Serialize, Serializer};
use std::fmt;

macro_rules! codes {
    ($($name:ident => $text:literal,)*) => {
        /// A short stable name of a kind of problem.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[allow(missing_docs)] // Their texts say it.
        pub enum Code {
            /// A diagnostic of a front end, by its own code.
            Source(&'static str),
            $($name,)*
        }

        impl Code {
            /// As reports spell it.
            pub fn name(self) -> &'static str {
                match self {
                    Code::Source(name) => name,
                    $(Code::$name => $text,)*
                }
            }
        }
    };
}

codes! {
    BadCommand => "bad-command",
    BadExpression => "bad-expression",
    BadOptionValue => "bad-option-value",
    BadValue => "bad-value",
    Checkpoint => "checkpoint",
    Contradiction => "contradiction",
    DamagedTrail => "damaged-trail",
    Decouple => "decouple",
    EmptyNetwork => "empty-network",
    Environment => "environment",
    Errand => "errand",
    FalseAlarm => "false-alarm",
    ForeignTrail => "foreign-trail",
    Formula => "formula",
    Hosts => "hosts",
    InternalError => "internal-error",
    ManyTicks => "many-ticks",
    MaybeFalseAlarm => "maybe-false-alarm",
    Misfit => "misfit",
    MixedFiles => "mixed-files",
    Network => "network",
    NoClaim => "no-claim",
    NoExpectation => "no-expectation",
    NoFormula => "no-formula",
    NoHeader => "no-header",
    NoModel => "no-model",
    NoProcess => "no-process",
    NoPropositions => "no-propositions",
    NoReduction => "no-reduction",
    NoSymmetry => "no-symmetry",
    NoTicks => "no-ticks",
    NoValue => "no-value",
    NotBuilt => "not-built",
    NotChecked => "not-checked",
    NotForNetworks => "not-for-networks",
    NotMerged => "not-merged",
    NotRefuted => "not-refuted",
    NotWhole => "not-whole",
    NothingToTranslate => "nothing-to-translate",
    OnlyForNetworks => "only-for-networks",
    OnlyForSdl => "only-for-sdl",
    Output => "output",
    Processes => "processes",
    RealError => "real-error",
    Resume => "resume",
    Search => "search",
    Spill => "spill",
    SpinTrail => "spin-trail",
    StaleTrail => "stale-trail",
    Stopped => "stopped",
    Symmetry => "symmetry",
    TimeoutAndTimers => "timeout-and-timers",
    Timers => "timers",
    Token => "token",
    TooManyFiles => "too-many-files",
    TooManyProctypes => "too-many-proctypes",
    Trail => "trail",
    TrailMisfit => "trail-misfit",
    TrailNotWritten => "trail-not-written",
    TrailVersion => "trail-version",
    TwoModels => "two-models",
    UnknownOption => "unknown-option",
    UnknownProctype => "unknown-proctype",
    UnreadableFile => "unreadable-file",
    UnreadableTrail => "unreadable-trail",
    UnwritableFile => "unwritable-file",
    Vacuous => "vacuous",
    WhichClaim => "which-claim",
    Worker => "worker",
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl Serialize for Code {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}
