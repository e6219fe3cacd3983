//! Damaged texts: whatever comes in, there is an answer, and every place it names can be printed.

mod common;

use common::{Random, SEEDS, broken, damaged, options};
use starwheel_sdl::translate;

#[test]
fn damaged_texts_never_panic() {
    let mut random = Random(1);
    let mut accepted = 0;
    for i in 0..3000 {
        let text = damaged(&mut random, SEEDS);
        let (translation, sources, diagnostics) = translate(&[("damaged.pr", &text)], &options(i));
        for d in &diagnostics {
            assert!(d.labels.iter().all(|l| sources.locate(l.span).1.line < u32::MAX));
        }
        assert_eq!(translation.is_none(), diagnostics.iter().any(|d| d.is_error()), "{text}");
        assert_eq!(translation.as_ref().and_then(broken), None, "{text}");
        accepted += u32::from(translation.is_some());
    }
    assert!(accepted > 100, "only {accepted} of 3000 were accepted: the damage is too heavy to reach the later stages");
}
