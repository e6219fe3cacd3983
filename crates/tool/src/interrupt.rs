//! Ctrl-C and requests to end, and the token that they, the clock and the memory speak through.

use starwheel_workbench::{Plan, Token, rss};
use std::sync::atomic::{AtomicBool, Ordering};

/// True once the user has pressed Ctrl-C.
static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// The first Ctrl-C asks for a clean end, the second one ends at once.
pub fn catch_interrupt() {
    // Without a handler Ctrl-C still works, only less politely.
    let _ = ctrlc::set_handler(|| {
        if INTERRUPTED.swap(true, Ordering::Relaxed) {
            std::process::exit(3);
        }
    });
}

/// True once the user wants an end.
pub fn interrupted() -> bool {
    INTERRUPTED.load(Ordering::Relaxed)
}

/// What the program needs for itself, about.
const PROGRAM: u64 = 16 << 20;

/// The token of a plan, whose time starts now.
pub fn token(plan: &Plan) -> Token {
    // Limits are about models: one that is smaller than the program itself does not keep a small model from being read.
    let resident = || Some(rss::current_rss()).filter(|&bytes| bytes > PROGRAM).unwrap_or(0);
    Token::new(plan.time, plan.memory, resident, &INTERRUPTED)
}
