//! One mutant, all checkers: SPIN and Starwheel on its counts and claims, and each of our ways against plain exploration.

use crate::compare::{Contest, Difference, Trial};
use crate::infinite::Questions;
use crate::mutate::known::{changed_by_claims, extension, known};
use crate::reductions::{self, Found, Rival};
use crate::spin::Automata;
use std::io;

/// Something that is wrong, and how it shows.
#[derive(Clone, Debug)]
pub enum Wrong {
    /// SPIN refuses what we accept, with this message.
    Accepted(String),
    /// SPIN says something else about states and their errors.
    States(Difference),
    /// SPIN says something else about claims or labels.
    Runs(Difference),
    /// One of our ways says something else than plain exploration.
    Way(Found),
}

impl Wrong {
    /// A short name: what is the same about two of them if they have one cause.
    pub fn kind(&self) -> String {
        match self {
            Wrong::Accepted(message) => format!("SPIN refuses: {}", crate::command::reason(message)),
            Wrong::States(d) => format!("states {:?}", d.what),
            Wrong::Runs(d) => format!("runs {:?}", d.what),
            Wrong::Way(f) => format!("{} {:?}", f.way, f.fault),
        }
    }

    /// What both sides say.
    pub fn detail(&self) -> &str {
        match self {
            Wrong::Accepted(message) => message,
            Wrong::States(d) | Wrong::Runs(d) => &d.detail,
            Wrong::Way(f) => &f.detail,
        }
    }
}

/// What became of a mutant.
#[derive(Clone, Debug, Default)]
pub struct Fate {
    /// Both refuse it.
    pub refused: bool,
    /// What SPIN counted.
    pub stored: Option<u64>,
    /// What is wrong.
    pub wrong: Vec<Wrong>,
    /// Reasons for which something was not compared.
    pub silent: Vec<String>,
}

/// The checkers.
pub struct Judges<'a> {
    /// SPIN and our binary.
    pub contest: Contest,
    /// Our binary alone.
    pub rival: Rival<'a>,
}

impl Judges<'_> {
    /// Lets all of them check a text; SPIN only if nothing is known about the model in which it is wrong.
    pub fn judge(&self, text: &str, seed: u64, with_spin: bool) -> io::Result<Fate> {
        let mut fate = Fate::default();
        if with_spin && known(text).is_none() {
            self.beside_spin(text, &mut fate)?;
        }
        if fate.refused || !fate.wrong.is_empty() {
            return Ok(fate);
        }
        match self.rival.rows(&reductions::some_rows(seed, text), text)? {
            reductions::Trial::Skipped(why) => fate.silent.push(why),
            reductions::Trial::Compared { found, silent, .. } => {
                fate.wrong.extend(found.into_iter().map(Wrong::Way));
                fate.silent.extend(silent);
            }
        }
        Ok(fate)
    }

    /// Is the same still wrong with a text?
    pub fn still(&self, text: &str, wrong: &Wrong) -> bool {
        let same = match wrong {
            Wrong::Accepted(_) => {
                let kind = wrong.kind();
                let trial = self.contest.trial(text, &[Automata::Pure]);
                return matches!(trial, Ok(Trial::SpinRefuses(message, Some(false)))
                    if Wrong::Accepted(message.clone()).kind() == kind);
            }
            // Shortening must not lead to what is known.
            Wrong::States(_) | Wrong::Runs(_) if known(text).is_some() => Ok(false),
            Wrong::States(first) => self.contest.still_differs(text, first),
            Wrong::Runs(_) if changed_by_claims(text).is_some() => Ok(false),
            Wrong::Runs(first) => self.about_runs().still_differs(text, first),
            Wrong::Way(first) => self.rival.still(text, first),
        };
        same.unwrap_or(false)
    }

    fn beside_spin(&self, text: &str, fate: &mut Fate) -> io::Result<()> {
        match self.careful(text, false)? {
            Trial::SpinRefuses(_, Some(true)) => fate.refused = true,
            Trial::SpinRefuses(message, _) if extension(&message).is_some() => {
                let why = extension(&message).unwrap_or_default();
                fate.silent.push(format!("SPIN refuses, we read on purpose: {why}"));
            }
            Trial::SpinRefuses(message, _) => fate.wrong.push(Wrong::Accepted(message)),
            Trial::Skipped(why) => fate.silent.push(format!("SPIN: {why}")),
            Trial::Agreed(stored) | Trial::Explained(stored) => fate.stored = Some(stored),
            Trial::Differs(all) => fate.wrong.extend(all.into_iter().map(Wrong::States)),
        }
        if !fate.refused
            && fate.wrong.is_empty()
            && Questions::read(text).is_some()
            && changed_by_claims(text).is_none()
        {
            match self.careful(text, true)? {
                Trial::Differs(all) => fate.wrong.extend(all.into_iter().map(Wrong::Runs)),
                Trial::Skipped(why) => fate.silent.push(format!("SPIN, runs: {why}")),
                Trial::SpinRefuses(..) | Trial::Agreed(_) | Trial::Explained(_) => {}
            }
        }
        Ok(())
    }

    fn about_runs(&self) -> Contest {
        Contest { infinite: true, ..self.contest.clone() }
    }

    /// A difference counts only if it is there with gcc as well: that is the compiler SPIN is used with.
    fn careful(&self, text: &str, infinite: bool) -> io::Result<Trial> {
        let contest = if infinite { self.about_runs() } else { self.contest.clone() };
        let trial = contest.trial(text, &[Automata::Pure])?;
        if matches!(trial, Trial::Differs(_)) && contest.compiler != "gcc" {
            return Contest { compiler: "gcc".into(), ..contest }.trial(text, &[Automata::Pure]);
        }
        Ok(trial)
    }
}
