//! Calls a user's code, and turns its panics into words.

use std::cell::{Cell, RefCell};
use std::panic::{self, AssertUnwindSafe};
use std::sync::Once;

thread_local! {
    /// True while a user's code runs whose panics are findings.
    static CAUGHT: Cell<bool> = const { Cell::new(false) };
    /// Where the last one happened.
    static PLACE: RefCell<String> = const { RefCell::new(String::new()) };
}

/// From now on, panics that become findings are not printed; all others are, as before.
pub fn install() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let before = panic::take_hook();
        panic::set_hook(Box::new(move |info| match CAUGHT.get() {
            true => PLACE.set(info.location().map_or_else(String::new, |l| format!(" ({}:{})", l.file(), l.line()))),
            false => before(info),
        }));
    });
}

/// What the code says, or what it panicked with. It must leave nothing half done that anybody looks at afterwards.
#[inline]
pub fn quietly<R>(code: impl FnOnce() -> R) -> Result<R, String> {
    let before = CAUGHT.replace(true);
    let result = panic::catch_unwind(AssertUnwindSafe(code));
    CAUGHT.set(before);
    result.map_err(|payload| {
        let text = payload.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| payload.downcast_ref::<&str>().copied()).unwrap_or("a panic without words");
        format!("{text}{}", PLACE.take())
    })
}
