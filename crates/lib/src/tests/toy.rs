//! Systems made of random rules.

use crate::{Draft, Footprint, Model, Properties, Renaming, Symmetry, View};
use starwheel_engine::Random;
use std::collections::{BTreeSet, HashSet};

/// A rule: if some parts have some values, another one gets a value.
#[derive(Clone, Debug)]
pub struct Rule {
    pub actor: usize,
    pub guards: Vec<(usize, u8)>,
    /// What is written: where, from where, and what is added.
    pub to: usize,
    pub from: Option<usize>,
    pub add: u8,
    /// True if the step must never happen, or is taken back.
    pub wrong: bool,
    pub refused: bool,
}

/// A random system.
#[derive(Clone, Debug)]
pub struct Toy {
    pub actors: usize,
    pub values: u8,
    pub first: Vec<Vec<u8>>,
    pub rules: Vec<Rule>,
    /// Values of part 0 that are not calm, are `p`, and are `q`.
    pub bad: u8,
    pub p: u8,
    pub q: u8,
    /// Nothing is wrong, whatever happens.
    pub silent: bool,
    /// Footprints are told, and rules of different actors mostly touch different parts.
    pub local: bool,
    pub lies: bool,
}

impl Toy {
    pub fn random(seed: u64) -> Toy {
        let mut random = Random::new(seed);
        let mut below = |n: u64| random.below(n);
        let (actors, parts, values) = (1 + below(4) as usize, 2 + below(4) as usize, 2 + below(3) as u8);
        let value = |n: u64| (n % u64::from(values)) as u8;
        let mut first = Vec::new();
        for _ in 0..1 + below(8) / 6 {
            first.push((0..parts).map(|_| value(below(7))).collect());
        }
        let mut rules = Vec::new();
        for _ in 0..2 + below(8) {
            let actor = below(actors as u64) as usize;
            // Mostly an actor's own part, so that there is something to be reduced.
            let mut place = || if below(3) > 0 { actor % parts } else { below(parts as u64) as usize };
            let (to, from) = (place(), place());
            let guards = (0..1 + place() % 2).map(|_| place()).collect::<Vec<_>>();
            let guards = guards.into_iter().map(|place| (place, value(below(7)))).collect();
            let from = (below(2) == 0).then_some(from);
            let (add, wrong, refused) = (value(below(7)), below(25) == 0, below(10) == 0);
            rules.push(Rule { actor, guards, to, from, add, wrong, refused });
        }
        let (bad, p, q) = (if below(3) == 0 { value(below(7)) } else { values }, value(below(7)), value(below(7)));
        Toy { actors, values, first, rules, bad, p, q, silent: false, local: false, lies: false }
    }

    pub fn calm(&self, s: &[u8]) -> bool {
        self.silent || s[0] != self.bad
    }

    /// What a rule makes of a state: nothing if it does not apply, an error if it must not.
    pub fn after(&self, rule: &Rule, s: &[u8]) -> Option<Result<Vec<u8>, ()>> {
        if !rule.guards.iter().all(|&(place, value)| s[place] == value) || rule.refused {
            return None;
        }
        if rule.wrong && !self.silent {
            return Some(Err(()));
        }
        let mut next = s.to_vec();
        next[rule.to] = (rule.from.map_or(0, |from| s[from]) + rule.add) % self.values;
        Some(Ok(next))
    }
}

impl Model for Toy {
    type Part = u8;
    type Action = usize;

    fn initial(&self) -> Vec<Vec<u8>> {
        self.first.clone()
    }

    fn actors(&self) -> usize {
        self.actors
    }

    fn actions(&self, actor: usize, s: &View<'_, u8>, out: &mut Vec<usize>) {
        let applies = |rule: &Rule| rule.actor == actor && rule.guards.iter().all(|&(place, value)| s[place] == value);
        out.extend((0..self.rules.len()).filter(|&rule| applies(&self.rules[rule])));
    }

    fn apply(&self, &rule: &usize, s: &mut Draft<'_, u8>) {
        let rule = &self.rules[rule];
        if rule.refused {
            return s.refuse();
        }
        assert!(!rule.wrong || self.silent, "this must never happen");
        let value = (rule.from.map_or(0, |from| s[from]) + rule.add) % self.values;
        s.set(rule.to, value);
    }

    fn properties(&self, all: &mut Properties<Self>) {
        all.always("calm", |m, s| m.silent || s[0] != m.bad).over([0]);
        all.sometimes("p", |m, s| m.silent || s[0] == m.p).over([0]);
        all.proposition("q", |m, s| s[0] == m.q).over([0]);
    }

    fn footprint(&self, actor: usize) -> Option<Footprint> {
        let own = self.rules.iter().filter(|rule| rule.actor == actor && !self.lies);
        let all = own.fold(Footprint::new(), |all, rule| {
            let reads = rule.guards.iter().map(|guard| guard.0).chain(rule.from);
            all.reads(reads).writes([rule.to])
        });
        self.local.then_some(all)
    }
}

/// Like members around a table: each has a value of its own, and one of them may hold the talking stick.
#[derive(Clone, Debug)]
pub struct Club {
    pub members: usize,
    /// What a member may do: by its value and whether it holds the stick (none: nobody does), its new value, whether it has the
    /// stick then, and what is added to the flag.
    pub rules: Vec<(u8, Option<bool>, u8, bool, u8)>,
    pub bad: u8,
    /// The first member may do more than the others.
    pub unequal: bool,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum Seat {
    Table(Option<usize>, u8),
    Member(u8),
}

impl Club {
    pub fn random(seed: u64) -> Club {
        let mut random = Random::new(seed);
        let mut below = |n: u64| random.below(n);
        let mut rule = || {
            let holds = [None, Some(true), Some(false)][below(3) as usize];
            (below(3) as u8, holds, below(3) as u8, below(2) == 0, below(2) as u8)
        };
        let rules = (0..5).map(|_| rule()).collect();
        Club { members: 2 + below(2) as usize, rules, bad: below(6) as u8, unequal: false }
    }

    fn able(&self, member: usize, own: &Seat, table: &Seat) -> Vec<usize> {
        let (Seat::Member(value), Seat::Table(holder, _)) = (own, table) else { unreachable!() };
        let fits = |&i: &usize| {
            let (from, holds, ..) = self.rules[i];
            let right = match holds {
                None => holder.is_none(),
                Some(own) => holder.is_some() && (*holder == Some(member)) == own,
            };
            from == *value && right && !(self.unequal && member == 0 && i == 0)
        };
        (0..self.rules.len()).filter(fits).collect()
    }

    fn after(&self, member: usize, rule: usize, table: &Seat) -> (Seat, Seat) {
        let Seat::Table(_, flag) = table else { unreachable!() };
        let (_, _, to, holds, add) = self.rules[rule];
        (Seat::Table(holds.then_some(member), (flag + add) % 3), Seat::Member(to))
    }

    /// How many states there are but for names.
    pub fn classes(&self) -> usize {
        let first = self.initial().remove(0);
        let (mut known, mut waiting) = (HashSet::from([first.clone()]), vec![first]);
        while let Some(s) = waiting.pop() {
            for member in 0..self.members {
                for rule in self.able(member, &s[1 + member], &s[0]) {
                    let (table, own) = self.after(member, rule, &s[0]);
                    let mut next = s.clone();
                    (next[0], next[1 + member]) = (table, own);
                    if known.insert(next.clone()) {
                        waiting.push(next);
                    }
                }
            }
        }
        // Who is who is told by the holder alone: a class is the holder's value, those of the others, and the flag.
        let class = |s: &Vec<Seat>| {
            let Seat::Table(holder, flag) = s[0] else { unreachable!() };
            let mut others: Vec<Seat> = s[1..].to_vec();
            let holder = holder.map(|h| others.remove(h));
            others.sort();
            (holder, flag, others)
        };
        known.iter().map(class).collect::<BTreeSet<_>>().len()
    }
}

impl Model for Club {
    type Part = Seat;
    type Action = (usize, usize);

    fn initial(&self) -> Vec<Vec<Seat>> {
        let mut parts = vec![Seat::Member(0); self.members + 1];
        parts[0] = Seat::Table(None, 0);
        vec![parts]
    }

    fn actors(&self) -> usize {
        self.members
    }

    fn actions(&self, member: usize, s: &View<'_, Seat>, out: &mut Vec<(usize, usize)>) {
        out.extend(self.able(member, &s[1 + member], &s[0]).into_iter().map(|rule| (member, rule)));
    }

    fn apply(&self, &(member, rule): &(usize, usize), s: &mut Draft<'_, Seat>) {
        let (table, own) = self.after(member, rule, &s[0]);
        s[0] = table;
        s[1 + member] = own;
    }

    fn properties(&self, all: &mut Properties<Self>) {
        all.always("fine", |m, s| m.bad >= 3 || s[0] != Seat::Table(None, m.bad));
        all.proposition("p", |_, s| matches!(s[0], Seat::Table(_, 2)));
    }

    fn may_end(&self, _: &View<'_, Seat>) -> bool {
        self.bad.is_multiple_of(2)
    }

    fn symmetry(&self) -> Option<Symmetry> {
        Some(Symmetry::of(self.members).parts(1).actors(0))
    }

    fn rename(&self, part: &Seat, names: &Renaming) -> Seat {
        match part {
            Seat::Table(holder, flag) => Seat::Table(holder.map(|h| names.of(h)), *flag),
            member => member.clone(),
        }
    }
}
