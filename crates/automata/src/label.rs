//! Labels of edges: sets of letters, written as a disjunction of conjunctions of literals.

use std::fmt;

use crate::ltl::show_name;
use crate::names::Names;
use crate::words::{Letter, Prop};

/// A conjunction of literals.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Cube {
    /// The propositions that must hold.
    pub holds: Letter,
    /// The propositions that must not hold.
    pub fails: Letter,
}

impl Cube {
    /// The empty conjunction, which every letter satisfies.
    pub const TRUE: Cube = Cube { holds: Letter(0), fails: Letter(0) };

    /// True if the letter satisfies all literals.
    pub fn admits(self, letter: Letter) -> bool {
        letter.0 & self.holds.0 == self.holds.0 && letter.0 & self.fails.0 == 0
    }

    /// The conjunction of both, unless no letter satisfies it.
    pub fn and(self, other: Cube) -> Option<Cube> {
        let holds = Letter(self.holds.0 | other.holds.0);
        let fails = Letter(self.fails.0 | other.fails.0);
        (holds.0 & fails.0 == 0).then_some(Cube { holds, fails })
    }

    /// True if every letter of `other` is a letter of this cube.
    pub fn contains(self, other: Cube) -> bool {
        self.holds.0 & !other.holds.0 == 0 && self.fails.0 & !other.fails.0 == 0
    }

    /// The literals: a proposition, and whether it must hold.
    pub fn literals(self) -> impl Iterator<Item = (Prop, bool)> {
        (0..Prop::LIMIT).map(Prop).filter_map(move |prop| match (self.holds.has(prop), self.fails.has(prop)) {
            (true, _) => Some((prop, true)),
            (_, true) => Some((prop, false)),
            _ => None,
        })
    }
}

/// A set of letters: a letter belongs to it if it satisfies one of the cubes.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Label {
    cubes: Vec<Cube>,
}

impl Label {
    /// The label of all letters.
    pub fn all() -> Label {
        Label { cubes: vec![Cube::TRUE] }
    }

    /// The disjunction of cubes; those that lie within others are left out.
    pub fn new(cubes: impl IntoIterator<Item = Cube>) -> Label {
        let mut label = Label::default();
        for cube in cubes {
            label.add(cube);
        }
        label
    }

    fn add(&mut self, cube: Cube) {
        if !self.cubes.iter().any(|known| known.contains(cube)) {
            self.cubes.retain(|known| !cube.contains(*known));
            self.cubes.push(cube);
        }
    }

    /// The cubes.
    pub fn cubes(&self) -> &[Cube] {
        &self.cubes
    }

    /// True if the letter belongs to the label.
    pub fn admits(&self, letter: Letter) -> bool {
        self.cubes.iter().any(|cube| cube.admits(letter))
    }

    /// True if no letter belongs to the label.
    pub fn is_empty(&self) -> bool {
        self.cubes.is_empty()
    }

    /// True if the label is written as the set of all letters.
    pub fn is_all(&self) -> bool {
        self.cubes.contains(&Cube::TRUE)
    }

    /// The letters of both.
    pub fn and(&self, other: &Label) -> Label {
        let pairs = self.cubes.iter().flat_map(|&a| other.cubes.iter().map(move |&b| a.and(b)));
        Label::new(pairs.flatten())
    }

    /// Some letter of the label: the one in which no proposition holds without need.
    pub fn letter(&self) -> Option<Letter> {
        self.cubes.first().map(|cube| cube.holds)
    }

    /// The label as text: `p && !q || r`, or `true` or `false`.
    pub fn show(&self, names: &Names) -> String {
        if self.is_all() || self.is_empty() {
            return self.is_all().to_string();
        }
        let literal =
            |(prop, holds): (Prop, bool)| format!("{}{}", if holds { "" } else { "!" }, show_name(&names.name(prop)));
        let cube = |cube: &Cube| cube.literals().map(literal).collect::<Vec<_>>().join(" && ");
        self.cubes.iter().map(cube).collect::<Vec<_>>().join(" || ")
    }
}

impl fmt::Display for Label {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.show(&Names::new()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cube(holds: u128, fails: u128) -> Cube {
        Cube { holds: Letter(holds), fails: Letter(fails) }
    }

    /// Conjunction of labels is intersection of letter sets, and cubes within others disappear.
    #[test]
    fn conjunction() {
        let a = Label::new([cube(1, 0), cube(0, 2), cube(1, 2)]);
        assert_eq!(a.cubes().len(), 2);
        let b = Label::new([cube(4, 1), cube(2, 0)]);
        for letter in (0..8).map(Letter) {
            assert_eq!(a.and(&b).admits(letter), a.admits(letter) && b.admits(letter), "{letter:?}");
        }
        assert!(Label::new([cube(1, 0)]).and(&Label::new([cube(0, 1)])).is_empty());
        assert_eq!(a.to_string(), "p0 || !p1");
    }
}
