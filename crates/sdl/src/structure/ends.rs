//! Routes, channels and connections that name what there is not: what they should carry is lost, so they are told.
//!
//! These are warnings: a part of a larger system may well be checked alone, and the rest of its surroundings be missing.

use super::{ScopeInfo, Structure};
use crate::ast::Name;
use starwheel_base::Diagnostic;

impl Structure<'_> {
    /// Tells of all names in routes, channels and connections that nothing has.
    pub fn look_for_loose_ends(&mut self) {
        let mut found = Vec::new();
        for (scope, info) in self.scopes.iter().enumerate() {
            for path in info.channels.iter().flat_map(|c| &c.paths) {
                let ends = path.from.iter().chain(path.to.iter().flatten());
                found.extend(ends.filter(|end| !self.is_end(scope, end)).map(|end| {
                    let text = format!("there is no process and no block `{}` here: nothing gets there", end.text);
                    loose(end, text)
                }));
                let signals = path.signals.iter().filter(|name| !self.is_carried(scope, name));
                found.extend(signals.map(|name| loose(name, format!("there is no signal `{}`", name.text))));
            }
            found.extend(self.unconnected(info));
        }
        self.diagnostics.append(&mut found);
    }

    fn is_end(&self, scope: usize, name: &Name) -> bool {
        self.processes.iter().any(|p| p.scope == scope && p.local == name.key)
            || self.skeletons.iter().any(|(s, key)| (*s, key) == (scope, &name.key))
            || (0..self.scopes.len()).any(|b| self.is_block(b, scope, &name.key))
    }

    /// Whether a name stands for signals, a list of them, or a procedure that is called from afar.
    fn is_carried(&self, scope: usize, name: &Name) -> bool {
        let is_list = |s: usize| self.scopes[s].lists.contains_key(&name.key);
        std::iter::successors(Some(scope), |&s| self.scopes[s].parent).any(is_list)
            || self.signal_id(&name.key).is_some()
            || self.is_remote(&name.key)
    }

    /// What is wrong with the connections of a scope.
    fn unconnected(&self, info: &ScopeInfo<'_>) -> Vec<Diagnostic> {
        let outer = info.parent.map(|p| &self.scopes[p]);
        let has = |info: &ScopeInfo<'_>, name: &Name| info.channels.iter().any(|c| c.name.key == name.key);
        let mut found = Vec::new();
        for (channel, routes) in &info.connects {
            if outer.is_some_and(|outer| !has(outer, channel)) {
                found.push(loose(channel, format!("there is no channel `{}` around this block", channel.text)));
            }
            let missing = routes.iter().filter(|r| !has(info, r));
            found.extend(missing.map(|r| loose(r, format!("there is no route `{}` in this block", r.text))));
        }
        found
    }
}

fn loose(name: &Name, text: String) -> Diagnostic {
    Diagnostic::warning("loose-end", name.span, text).advise("check how it is spelt; what it should carry is lost")
}
