//! Searches that several processes share, here as threads: each has its own model, parts and store.

use super::toy::Toy;
use super::{FORMULAS, MANY};
use crate::check::Check;
use crate::processes::Party;
use crate::{Checker, Draft, List, Model, Outcome, Properties, Verdict, View};
use starwheel_distrib::{Crew, Links};
use std::os::unix::net::UnixStream;
use std::thread;

/// A check by so many members.
fn shared<M: Model + Send>(count: usize, check: &(dyn Fn() -> Checker<'static, M> + Sync)) -> Outcome<M>
where
    M::Part: Send,
{
    let mut links = Links::pairs(count).expect("there are sockets").into_iter();
    let (lines, theirs): (Vec<_>, Vec<_>) = (1..count).map(|_| UnixStream::pair().expect("there are sockets")).unzip();
    let part = |links: Links, lines: Vec<UnixStream>, line: Option<UnixStream>| {
        let party = |_| Ok(Some(Party { crew: Crew::new(links).expect("there are threads"), lines, line }));
        Check::part(&check().processes(count), true, party).expect("it fits")
    };
    let first = links.next().expect("there is one");
    thread::scope(|scope| {
        for (links, line) in links.zip(theirs) {
            scope.spawn(move || _ = part(links, Vec::new(), Some(line)));
        }
        part(first, lines, None)
    })
}

fn kept<T>(value: T) -> &'static T {
    Box::leak(Box::new(value))
}

#[test]
fn random_systems_are_judged_and_counted_as_by_one_process() {
    for seed in 0..MANY / 3 {
        let toy = kept(Toy::random(seed));
        let silent = kept(Toy { silent: true, ..toy.clone() });
        let count = 2 + seed as usize % 3;
        let check = || Checker::new(silent).no_deadlocks().no_own_formulas();
        let (one, many) = (check().workers(1).run().expect("it fits"), shared(count, &check));
        let counts = |o: &Outcome<Toy>| (o.stats.states, o.stats.transitions, o.stats.parts, o.verdict.name());
        assert_eq!(counts(&one), counts(&many), "seed {seed}: {many}");
        for way in 0..2 {
            let formula = FORMULAS[seed as usize % FORMULAS.len()];
            let check = || match way {
                0 => Checker::new(toy).bfs().no_own_formulas(),
                _ => Checker::new(silent).no_deadlocks().no_own_formulas().ltl(formula),
            };
            let (one, many) = (check().run().expect("it fits"), shared(count, &check));
            assert_eq!(one.verdict, many.verdict, "seed {seed}, way {way}\n{one}\n{many}");
            for (one, many) in one.properties.iter().zip(&many.properties) {
                let length = |c: &crate::Checked<Toy>| c.trail.as_ref().map(|t| t.len());
                let both = one.verdict == Verdict::Violated && many.verdict == Verdict::Violated;
                assert!(!both || way == 1 || length(one) == length(many), "seed {seed}: {}", one.name);
            }
        }
    }
}

/// Two logs that are written and cut at the end, entry by entry.
struct Logs {
    length: usize,
    letters: u8,
}

impl Model for Logs {
    type Part = List<u8>;
    type Action = Option<u8>;

    fn initial(&self) -> Vec<Vec<List<u8>>> {
        vec![vec![List::new(), List::new()]]
    }
    fn actors(&self) -> usize {
        2
    }
    fn actions(&self, actor: usize, s: &View<'_, List<u8>>, out: &mut Vec<Option<u8>>) {
        if s[actor].len() < self.length {
            out.extend((0..self.letters).map(|letter| Some(letter * 2 + actor as u8)));
        }
        if !s[actor].is_empty() {
            out.push(None);
        }
    }
    fn apply(&self, action: &Option<u8>, s: &mut Draft<'_, List<u8>>) {
        match *action {
            Some(letter) => {
                let place = usize::from(letter % 2);
                s[place].push(letter / 2);
            }
            None => {
                let place = usize::from(s[0].is_empty());
                s[place] = s[place].rest();
            }
        }
    }
    fn properties(&self, all: &mut Properties<Self>) {
        all.proposition("short", |_, s| s[0].is_empty());
    }
}

#[test]
fn parts_that_others_have_made_are_made_again() {
    let logs = kept(Logs { length: 6, letters: 2 });
    let check = || Checker::new(logs).ltl("[] <> short");
    let one = check().workers(1).run().expect("it fits");
    for count in [2, 3, 5] {
        let many = shared(count, &check);
        assert_eq!(many.stats.states, one.stats.states);
        assert_eq!(many.stats.transitions, one.stats.transitions);
        assert_eq!(many.stats.parts, 127);
        let names = |o: &Outcome<Logs>| o.properties.iter().map(|p| p.verdict.name()).collect::<Vec<_>>();
        assert_eq!(names(&one), names(&many), "{one}\n{many}");
    }
}

/// A log that grows by an entry a step, and two that read it.
struct Growing {
    length: usize,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Part {
    Log(List<usize>),
    Read(usize),
}

impl Model for Growing {
    type Part = Part;
    type Action = usize;

    fn initial(&self) -> Vec<Vec<Part>> {
        vec![vec![Part::Log(List::new()), Part::Read(0), Part::Read(0)]]
    }
    fn actors(&self) -> usize {
        3
    }
    fn actions(&self, actor: usize, s: &View<'_, Part>, out: &mut Vec<usize>) {
        let Part::Log(log) = &s[0] else { return };
        match &s[actor] {
            Part::Log(log) if log.len() < self.length => out.push(actor),
            // Readers are no more than a few entries behind, so that there are not too many states.
            Part::Read(read) if *read < log.len() => out.push(actor),
            _ => {}
        }
    }
    fn apply(&self, &actor: &usize, s: &mut Draft<'_, Part>) {
        match &mut s[actor] {
            Part::Log(log) => log.push(log.len()),
            Part::Read(read) => *read += 1,
        }
        let Part::Log(log) = &s[0] else { return };
        let length = log.len();
        if (1..3).any(|reader| matches!(s[reader], Part::Read(read) if read + 8 < length)) {
            s.refuse();
        }
    }
    fn may_end(&self, _: &View<'_, Part>) -> bool {
        true
    }
}

#[test]
fn a_long_log_costs_what_a_short_one_costs() {
    let bytes = [50, 200].map(|length| {
        let growing = kept(Growing { length });
        let (one, many) = (Checker::new(growing).run().expect("it fits"), shared(2, &|| Checker::new(growing)));
        many.expect_holds();
        assert_eq!((one.stats.states, one.stats.transitions), (many.stats.states, many.stats.transitions));
        let net = many.stats.net.expect("there were two");
        let each = net.bytes as f64 / net.remote as f64;
        assert!(each <= 30.0, "{each} bytes for each transition to another process");
        each
    });
    assert!(bytes[1] <= bytes[0], "{bytes:?}");
}
