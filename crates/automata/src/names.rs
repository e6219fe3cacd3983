//! The table that gives propositions their names.

use crate::words::Prop;

/// Names of propositions; a proposition's number is its place in the table.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Names {
    names: Vec<String>,
}

impl Names {
    /// An empty table.
    pub fn new() -> Names {
        Names::default()
    }

    /// The proposition of this name, which is added if it is new.
    pub fn intern(&mut self, name: &str) -> Prop {
        self.find(name).unwrap_or_else(|| self.push(name))
    }

    /// Adds a proposition, even if the name is there already.
    pub fn push(&mut self, name: &str) -> Prop {
        self.names.push(name.to_owned());
        Prop(self.names.len() as u32 - 1)
    }

    /// The proposition of this name.
    pub fn find(&self, name: &str) -> Option<Prop> {
        self.names.iter().position(|known| known == name).map(|place| Prop(place as u32))
    }

    /// The name of a proposition; `p7` for a number that the table does not have.
    pub fn name(&self, prop: Prop) -> String {
        self.names.get(prop.0 as usize).cloned().unwrap_or_else(|| format!("p{}", prop.0))
    }

    /// How many propositions have names.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// True if no proposition has a name.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// All names, in the order of the propositions' numbers.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.names.iter().map(String::as_str)
    }
}
