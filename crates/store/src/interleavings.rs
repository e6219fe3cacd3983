//! Tests of what threads may see of each other: a scheduler runs them in many random interleavings of atomic steps.
//!
//! All tests of this crate that are compiled into the crate itself run under this scheduler (see [`crate::sync`]); all others
//! are in `tests`.

use crate::budget::Budget;
use crate::lock::{Guarded, Spin};
use crate::packed::{Census, SharedPacked};
use crate::parts::{Part, Parts};
use crate::root::{Root, Sought};
use crate::set::{Decode, Fork, Marked, Visit, Visited};
use crate::shard::Put;
use crate::tree::SharedTree;
use crate::words::Words;
use shuttle::scheduler::{PctScheduler, RandomScheduler};
use shuttle::{Config, Runner, thread};
use std::collections::HashSet;
use std::sync::Arc;

/// Runs a test in random interleavings, and in some where few switches of threads happen at bad moments.
fn interleave(test: impl Fn() + Send + Sync + Clone + 'static) {
    // The atomic types of the scheduler are big.
    let mut config = Config::new();
    config.stack_size = 1 << 20;
    Runner::new(RandomScheduler::new(150), config.clone()).run(test.clone());
    Runner::new(PctScheduler::new(3, 150), config).run(test);
}

/// Runs the same work in several threads and collects what they give.
fn together<T: Send + 'static>(threads: u64, work: impl Fn(u64) -> T + Send + Sync + 'static) -> Vec<T> {
    let work = Arc::new(work);
    let start = |turn| {
        let work = Arc::clone(&work);
        thread::spawn(move || work(turn))
    };
    let threads: Vec<_> = (0..threads).map(start).collect();
    threads.into_iter().map(|it| it.join().expect("no thread fails")).collect()
}

#[test]
fn a_lock_lets_one_thread_in() {
    interleave(|| {
        let value: Arc<Guarded<[u32; 2], Spin>> = Arc::default();
        let shared = Arc::clone(&value);
        together(3, move |_| {
            for _ in 0..3 {
                let mut value = shared.lock();
                value[0] += 1;
                thread::yield_now();
                value[1] += 1;
                assert_eq!(value[0], value[1]);
            }
        });
        assert_eq!(*value.lock(), [9, 9]);
    });
}

#[test]
fn a_word_has_one_number_while_the_table_grows() {
    interleave(|| {
        let words: Arc<Words<Spin>> = Arc::default();
        let shared = Arc::clone(&words);
        let numbers = together(3, move |turn| {
            let budget = Budget::new(None);
            let number = |word| shared.intern(word, &budget).expect("there is memory");
            let order = (0..50).map(|at| (at * 7 + turn * 20) % 50);
            let mut list: Vec<_> = order.map(|word| (word, number(word))).collect();
            list.sort_unstable();
            list
        });
        assert!(numbers.iter().all(|list| *list == numbers[0]), "threads disagree");
        assert!(numbers[0].iter().all(|&(word, number)| words.get(number) == Some(word)));
        assert_eq!(numbers[0].iter().map(|it| it.1).collect::<HashSet<_>>(), (0..50).collect(), "numbers have gaps");
        assert_eq!(words.len(), 50);
    });
}

#[test]
fn a_part_has_one_code_and_is_complete_when_it_is_found() {
    interleave(|| {
        let parts: Arc<Parts<Spin>> = Arc::default();
        let codes = together(3, move |turn| {
            let budget = Budget::new(None);
            let code = |text: u8| {
                let words = vec![u64::from(text) + 1; 2 + usize::from(text % 4)];
                let part = Part { words: &words, len: words.len() * 8 - 3 };
                let code = parts.intern(part, &budget).expect("there is memory");
                let (len, there) = parts.read(code).expect("it was just added");
                assert_eq!((len, there.collect::<Vec<_>>()), (part.len, words));
                code.0
            };
            let order = (0..12).map(|at| (at * 5 + turn as u8 * 4) % 12);
            let mut list: Vec<_> = order.map(|text| (text, code(text))).collect();
            list.sort_unstable();
            list
        });
        assert!(codes.iter().all(|list| *list == codes[0]), "threads disagree");
    });
}

#[test]
fn a_name_is_new_once_while_shards_grow() {
    interleave(|| {
        let budget = Arc::new(Budget::new(None));
        let root: Arc<Root<Spin>> = Arc::new(Root::new(3, &budget));
        let shared = Arc::clone(&root);
        let news = together(3, move |turn| {
            // A shard gets its layout with its first name and another one with a wider name.
            let names = (0..20).map(|at| (at * 3 + turn * 7) % 20).map(|at| at << (at + 8));
            let put = |name: &u64| {
                let mut sought = Sought::new(*name);
                shared.prefetch(&mut sought);
                shared.put(&sought, 5, &budget)
            };
            names.map(|name| u32::from(put(&name) == Put::New)).sum::<u32>()
        });
        assert_eq!(news.iter().sum::<u32>(), 20);
        assert_eq!(root.len(), 20);
        assert!((0..20).all(|at| root.get(&Sought::new(at << (at + 8))) == Some(5)), "a name was lost");
    });
}

#[test]
fn a_state_that_another_thread_added_can_be_read() {
    interleave(|| {
        let set = SharedTree::new(None, 2);
        let shared = std::sync::Mutex::new(set);
        let news = together(3, move |turn| {
            let mut set = shared.lock().expect("no thread fails").fork();
            let mut news = 0;
            for at in 0..4u8 {
                let mut bytes = vec![turn as u8 & 1; 20];
                bytes[19] = at;
                let state = &bytes[..];
                let key = set.prepare(state, None).expect("there is memory");
                let name = match set.insert(&key, state, 1) {
                    Visit::New(name) => {
                        news += 1;
                        name
                    }
                    Visit::Known(name, _) => name,
                    Visit::Full => panic!("there is memory"),
                };
                let (mut out, mut path) = Default::default();
                assert!(set.decode(name, &mut out, &mut path) && out == bytes);
                assert!(set.change_marks(name, 3, 2).is_some_and(|old| old & 1 == 1));
            }
            news
        });
        assert_eq!(news.iter().sum::<u32>(), 8);
    });
}

#[test]
fn a_state_packs_for_all_threads_or_for_none() {
    interleave(|| {
        // Room for two values of the first word and one of the second; each thread meets four and two of them.
        let mut census = Census::new();
        census.add(&[1, 0, 0, 0, 9, 0, 0, 0]);
        census.add(&[2, 0, 0, 0, 9, 0, 0, 0]);
        census.add(&[3, 0, 0, 0, 9, 0, 0, 0]);
        let layout = census.layout().expect("they pack");
        let shared = std::sync::Mutex::new(SharedPacked::new(None, 2, &layout, 4096).expect("there is memory"));
        let names = together(3, move |turn| {
            let mut set = shared.lock().expect("no thread fails").fork();
            let mut list = Vec::new();
            for at in 0..6u8 {
                let at = (at + 2 * turn as u8) % 6;
                let bytes = [at * 7, 0, 0, 0, 9 + at / 4, 0, 0, 0];
                let mut key = set.prepare(&bytes, None).expect("there is memory");
                set.prefetch(&mut key);
                let (name, new) = match set.insert(&key, &[], 1) {
                    Visit::New(name) => (name, true),
                    Visit::Known(name, marks) => {
                        assert_eq!(marks & 1, 1);
                        (name, false)
                    }
                    Visit::Full => panic!("there is memory"),
                };
                let (mut out, mut path) = Default::default();
                assert!(set.decode(name, &mut out, &mut path) && out == bytes);
                assert!(set.change_marks(name, 3, 2).is_some());
                list.push((at, name, new));
            }
            list.sort_unstable();
            list
        });
        for at in 0..6 {
            let names: Vec<_> = names.iter().map(|list| list[at]).collect();
            assert!(names.iter().all(|it| it.1 == names[0].1), "threads disagree");
            assert_eq!(names.iter().filter(|it| it.2).count(), 1, "one of them added it");
        }
    });
}
