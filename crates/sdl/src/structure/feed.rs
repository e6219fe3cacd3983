//! Why a signal that a process takes never gets there.

use super::Structure;
use crate::ast::{Name, Path};
use crate::machine::ProcessId;

/// What is missing on the way to a process.
pub enum Feed<'a> {
    /// There are routes to the process, but none carries the signal.
    NoRoute,
    /// This route carries it from the edge of the block, but no channel brings it there.
    NoChannel(&'a Name),
    /// It could come, if somebody sent it.
    Nobody,
}

impl<'a> Structure<'a> {
    /// What is missing on the way of a signal that never comes.
    pub fn feed(&self, process: ProcessId, signal: &str) -> Feed<'a> {
        let info = &self.processes[process];
        let scope = &self.scopes[info.scope];
        let here = |p: &&Path| p.to.iter().flatten().any(|to| to.key == info.local);
        let routes = || scope.channels.iter().flat_map(|c| c.paths.iter().filter(here).map(move |p| (c, p)));
        if routes().next().is_none() {
            return Feed::Nobody;
        }
        let mut carrying = routes().filter(|(_, p)| self.carries(info.scope, p, signal)).peekable();
        if carrying.peek().is_none() {
            return Feed::NoRoute;
        }
        let mut cut = None;
        for (route, path) in carrying {
            if path.from.is_some() || scope.parent.is_none() || self.is_fed(info.scope, &route.name, signal) {
                return Feed::Nobody;
            }
            cut = cut.or(Some(&route.name));
        }
        cut.map_or(Feed::Nobody, Feed::NoChannel)
    }

    /// Whether some channel around a block brings a signal to one of its routes.
    fn is_fed(&self, block: usize, route: &Name, signal: &str) -> bool {
        let info = &self.scopes[block];
        let Some(parent) = info.parent else { return true };
        self.scopes[parent].channels.iter().any(|c| {
            let to_here =
                |p: &Path| p.to.iter().flatten().any(|to| to.key == info.key) && self.carries(parent, p, signal);
            // Without any connection of this channel, every route goes on.
            let mut connected = info.connects.iter().filter(|(name, _)| name.key == c.name.key).peekable();
            let goes_on =
                connected.peek().is_none() || connected.any(|(_, list)| list.iter().any(|r| r.key == route.key));
            goes_on && c.paths.iter().any(to_here)
        })
    }
}
