//! The order in which SPIN prints global variables and channels: that of their declarations.

/// The names of the globals as they are declared.
pub struct Order(Vec<String>);

impl Order {
    /// The order of these names; of a structure or an array, the name of the whole counts.
    pub fn new(names: Vec<&str>) -> Order {
        Order(names.into_iter().map(|name| whole(name).to_string()).collect())
    }

    /// Lines about named things, one after the other; what is not declared comes last.
    pub fn lines<'a>(&self, things: impl Iterator<Item = (&'a str, String)>) -> String {
        let rank = |name: &str| self.0.iter().position(|n| n == whole(name)).unwrap_or(self.0.len());
        let mut things: Vec<_> = things.map(|(name, line)| (rank(name), line)).collect();
        things.sort_by_key(|(rank, _)| *rank);
        things.into_iter().map(|(_, line)| format!("\t\t{line}\n")).collect()
    }
}

/// The name without indices and fields.
fn whole(name: &str) -> &str {
    name.split(['[', '.']).next().unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn declarations_count_and_not_kinds() {
        let order = Order::new(vec!["q", "z", "s.a", "s.b", "y"]);
        let things = ["y[1]", "y[0]", "s.b", "z", "P:c", "q"].map(|name| (name, name.to_string()));
        assert_eq!(order.lines(things.into_iter()), "\t\tq\n\t\tz\n\t\ts.b\n\t\ty[1]\n\t\ty[0]\n\t\tP:c\n");
    }
}
