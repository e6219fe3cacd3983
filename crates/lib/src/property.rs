//! What should hold of a system, by name.

use crate::model::Model;
use crate::view::{PartSet, View};

/// Says something of a state.
type Condition<M> = dyn Fn(&M, &View<'_, <M as Model>::Part>) -> bool + Send + Sync;

/// One property, or a proposition that formulas may name.
pub struct Property<M: Model> {
    pub(crate) name: String,
    pub(crate) kind: Kind,
    pub(crate) condition: Box<Condition<M>>,
    /// The parts that it looks at.
    pub(crate) over: PartSet,
}

/// What is said of a condition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Always,
    Sometimes,
    Proposition,
    Formula(String),
}

impl<M: Model> Property<M> {
    /// Promises that the condition looks at these parts only, which reduction wants to know. A condition that looks at another
    /// one ends the search with an error.
    pub fn over(&mut self, places: impl IntoIterator<Item = usize>) -> &mut Property<M> {
        self.over = PartSet::of(places);
        self
    }
}

/// The properties of a model, each with a name of its own.
pub struct Properties<M: Model>(pub(crate) Vec<Property<M>>);

impl<M: Model> Properties<M> {
    fn add<F>(&mut self, name: &str, kind: Kind, condition: F) -> &mut Property<M>
    where
        F: Fn(&M, &View<'_, M::Part>) -> bool + Send + Sync + 'static,
    {
        let condition = Box::new(condition);
        self.0.push(Property { name: name.to_string(), kind, condition, over: PartSet::ALL });
        self.0.last_mut().expect("it was just pushed")
    }

    /// Holds in every state that can be reached. A state in which it does not is a counterexample.
    pub fn always<F>(&mut self, name: &str, condition: F) -> &mut Property<M>
    where
        F: Fn(&M, &View<'_, M::Part>) -> bool + Send + Sync + 'static,
    {
        self.add(name, Kind::Always, condition)
    }

    /// Holds in some state that can be reached. Such a state is a witness; if there is none, the property is violated.
    pub fn sometimes<F>(&mut self, name: &str, condition: F) -> &mut Property<M>
    where
        F: Fn(&M, &View<'_, M::Part>) -> bool + Send + Sync + 'static,
    {
        self.add(name, Kind::Sometimes, condition)
    }

    /// A word for formulas; says nothing by itself. What `always` and `sometimes` speak of may be named in formulas, too.
    pub fn proposition<F>(&mut self, name: &str, condition: F) -> &mut Property<M>
    where
        F: Fn(&M, &View<'_, M::Part>) -> bool + Send + Sync + 'static,
    {
        self.add(name, Kind::Proposition, condition)
    }

    /// A formula of linear time over propositions, which every run must satisfy: `[] (request -> <> grant)`. A run that ends stays
    /// in its last state for ever.
    pub fn ltl(&mut self, name: &str, formula: &str) {
        self.add(name, Kind::Formula(formula.to_string()), |_, _| true);
    }
}
