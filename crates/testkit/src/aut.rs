//! Reads graphs of states in the AUT format and compares them modulo strong bisimulation.
//!
//! Partition refinement by signatures: S. Blom, S. Orzan, Distributed Branching Bisimulation Reduction of State Spaces (2003),
//! for strong bisimulation and in one thread.

use std::collections::HashMap;

/// A graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Aut {
    /// The number of states; the first is number zero.
    pub states: usize,
    /// From, label, to.
    pub edges: Vec<(usize, String, usize)>,
}

impl Aut {
    /// Reads a file; says what is wrong with it.
    pub fn read(text: &str) -> Result<Aut, String> {
        let mut lines = text.lines();
        let head = lines.next().unwrap_or("").trim_end();
        let numbers = head.strip_prefix("des (").and_then(|h| h.strip_suffix(')')).ok_or("the first line")?;
        let numbers: Vec<usize> = numbers.split(',').filter_map(|n| n.trim().parse().ok()).collect();
        let [0, transitions, states] = numbers[..] else { return Err(format!("the numbers of `{head}`")) };
        let edges = lines.map(edge).collect::<Result<Vec<_>, String>>()?;
        if edges.len() != transitions {
            return Err(format!("{} transitions, and {transitions} are announced", edges.len()));
        }
        match edges.iter().find(|e| e.0 >= states || e.2 >= states) {
            Some(e) => Err(format!("{e:?} has a state that is not there")),
            None => Ok(Aut { states, edges }),
        }
    }

    /// True if nobody who sees labels only can tell the two apart.
    pub fn bisimilar(&self, other: &Aut) -> bool {
        let shift = self.states;
        let mut both = self.clone();
        both.states += other.states;
        both.edges.extend(other.edges.iter().map(|(a, label, b)| (a + shift, label.clone(), b + shift)));
        let classes = both.classes();
        self.states > 0 && other.states > 0 && classes[0] == classes[shift]
    }

    /// The class of each state modulo strong bisimulation.
    pub fn classes(&self) -> Vec<usize> {
        let mut out: Vec<Vec<(&str, usize)>> = vec![Vec::new(); self.states];
        self.edges.iter().for_each(|(a, label, b)| out[*a].push((label, *b)));
        let (mut class, mut count) = (vec![0; self.states], 1);
        loop {
            let mut known = HashMap::new();
            let mut next = Vec::with_capacity(self.states);
            for (state, edges) in out.iter().enumerate() {
                let mut signature: Vec<_> = edges.iter().map(|(label, to)| (*label, class[*to])).collect();
                signature.sort_unstable();
                signature.dedup();
                let fresh = known.len();
                next.push(*known.entry((class[state], signature)).or_insert(fresh));
            }
            class = next;
            if known.len() == count {
                return class;
            }
            count = known.len();
        }
    }
}

/// One line: `(from,"label",to)`.
fn edge(line: &str) -> Result<(usize, String, usize), String> {
    let wrong = || format!("the line `{line}`");
    let inside = line.strip_prefix('(').and_then(|l| l.strip_suffix(')')).ok_or_else(wrong)?;
    let (from, rest) = inside.split_once(",\"").ok_or_else(wrong)?;
    let (label, to) = rest.rsplit_once("\",").ok_or_else(wrong)?;
    Ok((from.parse().map_err(|_| wrong())?, label.to_string(), to.parse().map_err(|_| wrong())?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn graph(edges: &[(usize, &str, usize)]) -> Aut {
        let states = edges.iter().map(|e| e.0.max(e.2) + 1).max().unwrap_or(1);
        Aut { states, edges: edges.iter().map(|e| (e.0, e.1.to_string(), e.2)).collect() }
    }

    #[test]
    fn graphs_are_read_and_faults_are_told() {
        let good = "des (0, 2, 2)      \n(0,\"a \\\"x\\\", b\",1)\n(1,\"b\",0)\n";
        assert_eq!(Aut::read(good).unwrap().edges[0], (0, "a \\\"x\\\", b".to_string(), 1));
        for bad in ["", "des (1, 0, 1)", "des (0, 1, 1)", "des (0, 1, 1)\n(0,\"a\",1)", "des (0, 1, 1)\n0,a,0"] {
            assert!(Aut::read(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn what_cannot_be_told_apart_is_bisimilar() {
        let round = graph(&[(0, "a", 0)]);
        assert!(round.bisimilar(&graph(&[(0, "a", 1), (1, "a", 0)])));
        assert!(!round.bisimilar(&graph(&[(0, "a", 1)])));
        // The classic pair with equal traces.
        let early = graph(&[(0, "a", 1), (0, "a", 2), (1, "b", 3), (2, "c", 3)]);
        let late = graph(&[(0, "a", 1), (1, "b", 2), (1, "c", 2)]);
        assert!(!early.bisimilar(&late) && early.bisimilar(&early));
    }
}
