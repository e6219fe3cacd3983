//! The binary `testkit`.
fn main() {
    let seed: u64 = std::env::args().nth(1).and_then(|a| a.parse().ok()).unwrap_or(0);
    print!("{}", starwheel_testkit::print::program(&starwheel_testkit::generate::program(seed)));
}
