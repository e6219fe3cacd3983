//! Checks by several processes that this program starts: it is run again, and comes to the same check.

use starwheel::{Checker, Draft, Model, Outcome, Properties, View};

/// Counters that go round.
struct Wheels {
    size: u32,
    bad: Option<u32>,
}

impl Model for Wheels {
    type Part = u32;
    type Action = usize;

    fn initial(&self) -> Vec<Vec<u32>> {
        vec![vec![0, 0, 0]]
    }
    fn actors(&self) -> usize {
        3
    }
    fn actions(&self, actor: usize, _: &View<'_, u32>, out: &mut Vec<usize>) {
        out.push(actor);
    }
    fn apply(&self, &wheel: &usize, s: &mut Draft<'_, u32>) {
        s[wheel] = (s[wheel] + 1) % self.size;
    }
    fn properties(&self, all: &mut Properties<Self>) {
        all.always("small", |m: &Wheels, s| m.bad != Some(s[0] + s[1] + s[2]));
        all.proposition("start", |_, s| s[0] == 0);
    }
}

/// Two checks of a program, one after the other; the place in the text is the same.
fn check(wheels: &Wheels) -> Outcome<Wheels> {
    Checker::new(wheels).bfs().ltl("[] <> start").weakly_fair().processes(3).run().expect("it fits")
}

fn main() {
    let fine = check(&Wheels { size: 17, bad: None });
    assert!(fine.holds(), "{fine}");
    assert_eq!((fine.stats.states, fine.stats.transitions), (17 * 17 * 17, 3 * 17 * 17 * 17));
    // Those that were started for the second check do the first one alone.
    let told = fine.stats.net.is_some_and(|net| net.processes == 3 && net.remote > 9_000);
    assert_eq!(told, std::env::var_os("STARWHEEL_MEMBER").is_none(), "{:?}", fine.stats.net);

    let broken = check(&Wheels { size: 17, bad: Some(20) });
    assert_eq!(broken.expect_violated("small").len(), 20);

    let alone = Checker::new(&Wheels { size: 5, bad: None }).processes(1).run().expect("it fits");
    assert!(alone.stats.net.is_none() && alone.stats.states == 125, "{alone}");
    for (refused, word) in [
        (Checker::new(&Wheels { size: 2, bad: None }).processes(2).por().run(), "reduction"),
        (Checker::new(&Wheels { size: 2, bad: None }).processes(2).symmetry().run(), "symmetry"),
        (Checker::new(&Wheels { size: 2, bad: None }).processes(0).run(), "one process"),
    ] {
        let why = refused.err().expect("it is refused").to_string();
        assert!(why.contains(word), "{why}");
    }
}
