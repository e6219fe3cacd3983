//! Which sets of places cannot be renamed although they hold names of members, and why.

use super::{ADVICE, Draft, Search};
use crate::classes::{Key, Node};
use crate::obstacle::Obstacle;
use starwheel_base::Span;

impl Search<'_> {
    /// A set of places that cannot be renamed although it holds names, and why.
    pub(super) fn judge(&self, draft: &Draft) -> Option<(Node, Obstacle)> {
        let classes = &self.sorts.classes;
        for test in &classes.tests {
            let root = classes.root(test.node);
            let Some(names) = draft.names.get(&root) else { continue };
            let truth = |v: &i32| test.op.apply(*v, test.with);
            let mut answers = names.rows.iter().flatten().flatten().map(truth);
            let first = answers.next();
            if !answers.all(|a| Some(a) == first) {
                let message = self.about(root, &format!("is compared in `{}`, where members differ", test.text));
                return Some((root, Obstacle::new(test.span, message).advise(ADVICE)));
            }
        }
        for (&root, names) in &draft.names {
            let values = || names.rows.iter().flatten().flatten().copied();
            let types = classes.types(root);
            if types.iter().any(|t| *t != types[0]) {
                let message = self.about(root, "is kept in variables of different types");
                return Some((root, Obstacle::new(self.declared(root), message).advise("declare them with one type")));
            }
            if let Some(narrow) = types.iter().find(|t| values().any(|v| t.truncate(v) != v)) {
                let message = self.about(root, &format!("does not fit into {} byte(s)", narrow.size()));
                return Some((root, Obstacle::new(self.declared(root), message).advise("use a wider type")));
            }
            let cut = classes.constants(root).iter().find(|c| types.iter().any(|t| t.truncate(c.0) != c.0));
            if let Some((value, span)) = cut {
                let message = self.about(root, &format!("has no room for {value}"));
                return Some((root, Obstacle::new(*span, message).advise("use a wider type")));
            }
            let number = |v: &i32| usize::try_from(*v).ok().filter(|n| (1..=self.layout.channels.len()).contains(n));
            let uniform = |row: &Vec<Option<i32>>| {
                let numbers: Option<Vec<usize>> = row.iter().flatten().map(number).collect();
                numbers.is_some_and(|n| n.windows(2).all(|w| self.layout.same_form(w[0], w[1])))
            };
            if classes.is_channel(root) && !names.rows.iter().all(uniform) {
                let message = self.about(root, "stands for channels of different forms");
                return Some((
                    root,
                    Obstacle::new(self.declared(root), message)
                        .advise("declare them with as many slots and the same fields"),
                ));
            }
            let named = |n: i32| usize::try_from(n).is_ok_and(|n| (1..=self.layout.channels.len()).contains(&n));
            if let Some((_, span)) = classes.constants(root).iter().find(|c| classes.is_channel(root) && named(c.0)) {
                let message = self.about(root, "names a channel by its number");
                return Some((root, Obstacle::new(*span, message).advise("use the name of the channel")));
            }
        }
        for (&(scope, offset), shape) in &self.sorts.shapes {
            for (level, (len, _)) in shape.dims.iter().enumerate() {
                let Some(node) = classes.known(Key::Dimension(scope, offset, level)) else { continue };
                let root = classes.root(node);
                let Some(names) = draft.names.get(&root) else { continue };
                let inside = |v: i32| u32::try_from(v).is_ok_and(|v| v < *len);
                if names.rows.iter().flatten().flatten().any(|v| !inside(*v)) {
                    let span = self.layout.declared(scope, offset).unwrap_or_default();
                    let message = format!("`{}` has no element for each member that is its index", shape.name);
                    return Some((root, Obstacle::new(span, message).advise("make the array longer")));
                }
            }
        }
        None
    }

    /// Where the first variable of a set is declared.
    pub(super) fn declared(&self, root: Node) -> Span {
        let classes = &self.sorts.classes;
        let mut places = classes.elements().into_iter().filter(|e| classes.root(e.2) == root);
        places.find_map(|e| self.layout.declared(e.0, e.1)).unwrap_or_default()
    }

    /// What a set of places is, in a sentence.
    pub(super) fn about(&self, root: Node, what: &str) -> String {
        let classes = &self.sorts.classes;
        let named = classes.elements().into_iter().find(|e| classes.root(e.2) == root);
        let shape = named.and_then(|e| self.sorts.shapes.get(&(e.0, e.1)));
        format!("`{}` {what}", shape.map_or("_pid", |s| &s.name))
    }

    /// Families whose processes are looked at by number must be renamed by number.
    pub(super) fn numbered(&self, draft: &mut Draft, obstacles: &mut Vec<Obstacle>) {
        let classes = &self.sorts.classes;
        let root = classes.known(Key::Process).map(|n| classes.root(n));
        let renamed = root.is_none_or(|r| draft.names.contains_key(&r));
        let why = root.and_then(|r| classes.why_plain(r));
        for family in &mut draft.families {
            let own = self.sorts.own_number.iter().find(|o| family.proctypes.contains(&o.0)).map(|o| o.1);
            let asked = own.or(self.sorts.looks);
            let alone = self.sorts.alone.iter().find(|a| family.proctypes.contains(&a.0));
            let name = &self.model.proctype(family.proctypes[0]).name;
            let obstacle = match (renamed, asked, alone) {
                (false, Some(span), _) => {
                    let how = why.map_or("is used as a number".to_string(), |w| w.message.clone());
                    let message = format!("the number of a process of `{name}` {how}");
                    Some(Obstacle::new(why.map_or(span, |w| w.span), message).advise(ADVICE))
                }
                (_, _, Some((_, span))) => {
                    let message = format!("`{name}` is looked at as if there were only one");
                    Some(Obstacle::new(*span, message).advise(format!("say which: `{name}[i]`")))
                }
                _ => None,
            };
            if let Some(obstacle) = obstacle {
                obstacles.push(obstacle);
                family.processes.truncate(0);
            }
        }
    }
}
