//! The rules of combination as they were before the searches stated their facts; only to compare the two.

use crate::ask::plan::*;
use crate::problem::Problem;
use starwheel_engine::Store;

impl Plan {
    /// The store that was asked for, if it cannot number states or give them back as the search needs it.
    pub(crate) fn old_lossy(&self) -> Option<&'static str> {
        match self.store? {
            Store::Tree | Store::Flat => None,
            Store::Compact => Some("--store compact"),
            Store::Bitstate { .. } => Some("--store bitstate"),
            // Depth first, the few states that are needed again are on the stack.
            Store::Dfa => (self.search == Search::Bfs).then_some("--store dfa"),
        }
    }

    /// What was asked for that needs a search which takes one step after the other.
    pub(crate) fn old_one_by_one(&self) -> Option<&'static str> {
        match self {
            Plan { search: Search::Bfs, .. } => Some("--search bfs"),
            Plan { depth: Some(_), .. } => Some("--depth"),
            _ => None,
        }
    }

    /// True if nothing was said about how to search, apart from the limits.
    pub fn old_search_is_open(&self) -> bool {
        let said = self.search_typed || self.por_typed || self.depth.is_some() || self.workers.is_some();
        let kept = self.spill.is_some() || self.old_in_pieces().is_some() || self.store.is_some();
        let other = self.decouple.is_some() || self.engine != Engine::Automatic || reducing(self).is_some();
        !(said || kept || other || self.reading.empty_channels)
    }

    /// True if nothing within a limit of depth is to be left out, in any order: those who want depth first, or the smallest
    /// store, get what they asked for.
    pub(crate) fn old_within(&self) -> bool {
        self.depth.is_some() && !self.search_typed && self.store != Some(Store::Dfa)
    }

    /// What was asked for that a search on the disk cannot do.
    fn old_not_on_disk(&self) -> Option<&'static str> {
        match self {
            Plan { search: Search::Dfs, .. } => Some("--search dfs"),
            Plan { depth: Some(_), .. } => Some("--depth"),
            Plan { workers: Some(2..), .. } => Some("--workers"),
            Plan { engine: Engine::MachineCode, .. } => Some("--engine jit"),
            _ => self.old_por_asked().or(self.old_in_pieces()).or(self.old_lossy()),
        }
    }

    /// The option for a reduction, if one was asked for.
    fn old_por_asked(&self) -> Option<&'static str> {
        (self.por_typed && self.por != Por::Off).then_some("--por").or(reducing(self))
    }

    /// What was asked for that only the search by groups can do: it can be stopped and gone on with.
    pub(crate) fn old_in_pieces(&self) -> Option<&'static str> {
        match (&self.save, &self.resume) {
            (Some(_), _) => Some("--checkpoint"),
            (_, Some(_)) => Some("--resume"),
            _ => None,
        }
    }

    /// The store that was asked for, if it is for one thread.
    fn old_single(&self) -> Option<&'static str> {
        match self.store? {
            Store::Tree | Store::Compact | Store::Bitstate { .. } => None,
            Store::Flat => Some("--store flat"),
            Store::Dfa => Some("--store dfa"),
        }
    }
}

/// Options that are good alone and not together.
pub fn old_contradiction(plan: &Plan) -> Option<Problem> {
    let both = |a: &str, b: &str| {
        Some(
            Problem::error("contradiction", format!("`{a}` and `{b}` exclude each other"))
                .advise("leave one of them out"),
        )
    };
    let cycles = [
        ("--claim", !plan.claims.is_empty()),
        ("--never", plan.reading.never.is_some()),
        ("--accept", plan.accept),
        ("--progress", plan.reading.progress),
        ("--ltl", plan.reading.ltl.is_some()),
        ("--automaton", plan.reading.automaton.is_some()),
    ];
    let cycles = cycles.iter().find(|c| c.1).map(|c| c.0);
    if let (Some(_), Some(other)) = (&plan.spill, cycles.or(plan.old_not_on_disk())) {
        return both("--spill", other);
    }
    if let (Search::Bfs, Some(option)) = (plan.search, cycles) {
        return both("--search bfs", option);
    }
    if plan.scc && cycles.is_none() {
        let message = "`--engine scc` looks for cycles, and none were asked for";
        return Some(
            Problem::error("contradiction", message)
                .advise("add --ltl, --claim, --never, --automaton, --accept or --progress"),
        );
    }
    if plan.workers > Some(MOST_WORKERS) {
        let message = format!("`--workers` can be at most {MOST_WORKERS}");
        return Some(Problem::error("bad-option-value", message).advise("as many as the machine has cores is best"));
    }
    // What only the search by groups can do.
    let slow = cycles.or(plan.old_one_by_one());
    if let (Some(asked), Some(slow)) = (plan.old_in_pieces().or(plan.old_lossy()), slow) {
        return both(asked, slow);
    }
    // A reduced search that takes one step after the other is interpreted and has one worker.
    if let (Some(por), None, Some(_)) = (plan.old_por_asked(), cycles, plan.old_one_by_one()) {
        let machine = (plan.engine == Engine::MachineCode).then_some("--engine jit");
        if let Some(asked) = machine.or((plan.workers > Some(1)).then_some("--workers")) {
            return both(asked, por);
        }
    }
    let fair = plan.fair.map(|_| "--fair");
    // The workers of a decoupled search go level by level if they have to.
    let one_by_one = plan.old_one_by_one().filter(|_| plan.decouple.is_none_or(|d| d.auto));
    if let (Some(2..), Some(slow)) = (plan.workers, one_by_one.or(fair.filter(|_| cycles.is_some()))) {
        return both("--workers", slow);
    }
    // By components, and to count cycles, one worker searches alone.
    let alone = [("--engine scc", plan.scc), ("--all-errors", cycles.is_some() && plan.all_errors)];
    if let (Some(2..), Some((option, _))) = (plan.workers, alone.iter().find(|a| a.1)) {
        return both("--workers", option);
    }
    // The marks of a reduction are not saved.
    if let (Some(pieces), Some(por)) = (plan.old_in_pieces(), plan.old_por_asked()) {
        return both(pieces, por);
    }
    if let (Some(store), Some(2..)) = (plan.old_single(), plan.workers) {
        return both(store, "--workers");
    }
    if plan.fair.is_some() && cycles.is_none() {
        let message = "`--fair` is about runs without end, and nothing that was asked for is";
        return Some(
            Problem::error("contradiction", message)
                .advise("add --ltl, --claim, --never, --automaton, --accept or --progress"),
        );
    }
    None
}

impl Typed {
    /// What was typed together with `--decouple` and is not proven sound with it.
    pub fn old_alone(&self) -> Option<Problem> {
        const FINE: [(&str, &[&str]); 4] =
            [("por", &["off"]), ("symmetry", &["off"]), ("store", &["tree"]), ("engine", &["auto", "interp"])];
        const OTHERS: [&str; 11] = [
            "never",
            "claim",
            "automaton",
            "accept",
            "progress",
            "fair",
            "spill",
            "checkpoint",
            "resume",
            "audit",
            "explain-reduction",
        ];
        if !self.has("decouple") {
            let message = "`--dominance` says how a decoupled search works, and none was asked for";
            let problem = || Problem::error("contradiction", message).advise("add `--decouple`");
            return self.has("dominance").then(problem);
        }
        let harmless =
            |n: &str| self.value(n).is_none_or(|v| FINE.iter().any(|(m, fine)| *m == n && fine.contains(&v)));
        let name = FINE.iter().map(|f| f.0).find(|n| !harmless(n)).or(OTHERS.into_iter().find(|n| self.has(n)))?;
        let typed = FINE.iter().any(|f| f.0 == name).then(|| self.value(name)).flatten();
        let option = typed.map_or(format!("--{name}"), |v| format!("--{name} {v}"));
        let message = format!("`--decouple` and `{option}` exclude each other");
        Some(Problem::error("contradiction", message).advise("leave one of them out"))
    }
}

/// The order of a search as it was.
fn old_order(plan: &Plan, cycles: bool, reduced: bool) -> starwheel_engine::Order {
    use starwheel_engine::{Fairness, Order};
    let tree = plan.store.is_none_or(|store| store == Store::Tree);
    match (cycles, plan.search) {
        (true, _) if plan.scc || plan.fair == Some(Fairness::Strong) => Order::Scc,
        (true, _) if tree && plan.fair.is_none() && plan.depth.is_none() => Order::Cndfs,
        (true, _) => Order::Ndfs,
        (false, Search::Bfs) => Order::Bfs,
        (false, Search::Dfs) if plan.depth.is_none() => Order::Groups,
        (false, Search::Dfs) if plan.old_within() && !reduced => Order::Within,
        (false, Search::Dfs) => Order::Dfs,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ask::options::Commands;
    use crate::assemble;
    use starwheel_engine::facts::Sought;
    use starwheel_engine::fit::{Reduction, fit};

    const VALUES: [(&str, &str); 40] = [
        ("search", "dfs"),
        ("search", "bfs"),
        ("depth", "9"),
        ("all-errors", ""),
        ("ltl", "[] p"),
        ("claim", "c"),
        ("never", "f"),
        ("accept", ""),
        ("progress", ""),
        ("automaton", "f"),
        ("fair", "weak"),
        ("fair", "strong"),
        ("workers", "1"),
        ("workers", "2"),
        ("por", "off"),
        ("por", "ample"),
        ("por", "cluster"),
        ("por", "stubborn"),
        ("decouple", "on"),
        ("decouple", "auto"),
        ("engine", "auto"),
        ("engine", "interp"),
        ("engine", "jit"),
        ("engine", "scc"),
        ("store", "tree"),
        ("store", "flat"),
        ("store", "compact"),
        ("store", "bitstate"),
        ("store", "dfa"),
        ("spill", ""),
        ("checkpoint", "f"),
        ("resume", "f"),
        ("audit", ""),
        ("explain-reduction", ""),
        ("merge", ""),
        ("dead-vars", ""),
        ("no-assert", ""),
        ("memory", "1G"),
        ("time", "5m"),
        ("symmetry", "off"),
    ];

    fn compare(options: &[(&str, &str)]) -> Option<String> {
        let mut typed = Typed::default();
        for (name, value) in options {
            typed.push(name, (!value.is_empty()).then(|| value.to_string()));
        }
        let plan = typed.fill(Commands::CHECK);
        if plan.por == Por::Off && reducing(&plan).is_some() {
            // Refused for another reason.
            return None;
        }
        let old = old_contradiction(&plan).or_else(|| typed.old_alone()).map(|p| (p.message, p.advice));
        let new = assemble::refusal(&plan, false).map(|p| (p.message, p.advice));
        let told = |p: &Option<(String, Vec<String>)>| p.as_ref().map_or("fine".to_string(), |p| p.0.clone());
        if old != new && (options.len() < 3 || old.is_some() != new.is_some()) {
            return Some(format!("{options:?}: {} / {}", told(&old), told(&new)));
        }
        if new.is_some() || plan.decouple.is_some() {
            return None;
        }
        let cycles =
            options.iter().any(|o| ["ltl", "claim", "never", "accept", "progress", "automaton"].contains(&o.0));
        for sought in [Sought::Errors, Sought::Claim].into_iter().take(1 + usize::from(cycles)) {
            let mut wish = assemble::wish(&plan, sought, false, false);
            if wish.reduction.value == Reduction::Several {
                wish.reduction.value = Reduction::One;
            }
            let assembly = fit(&wish, &assemble::methods()).expect("it fits");
            let reduced = assembly.reduction() != Reduction::Off;
            let old = old_order(&plan, sought == Sought::Claim, reduced);
            let typed = plan.por_typed || reducing(&plan).is_some();
            let kept = plan.spill.is_none() && plan.old_in_pieces().is_none() && plan.old_one_by_one().is_none();
            let wanted = plan.por != Por::Off && (typed || kept);
            if assembly.order() != Some(old) || reduced != wanted {
                return Some(format!("{options:?} {sought:?}: {old:?} {wanted} / {:?} {reduced}", assembly.order()));
            }
        }
        None
    }

    #[test]
    fn the_facts_say_what_the_rules_said() {
        let mut found = Vec::new();
        for (i, a) in VALUES.iter().enumerate() {
            found.extend(compare(&[*a]));
            for (j, b) in VALUES.iter().enumerate().skip(i + 1).filter(|(_, b)| b.0 != a.0) {
                found.extend(compare(&[*a, *b]));
                for c in VALUES.iter().skip(j + 1).filter(|c| c.0 != a.0 && c.0 != b.0) {
                    found.extend(compare(&[*a, *b, *c]));
                }
            }
        }
        assert!(found.is_empty(), "{} differences\n{}", found.len(), found.join("\n"));
    }
}
