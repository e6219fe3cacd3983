//! Labels in the translation: where SPIN takes them.

use starwheel_sdl::{Options, translate};

#[test]
fn no_option_begins_with_a_label() {
    let text = include_str!("../../../examples/sdl/answers.pr");
    let (made, _, found) = translate(&[("a.pr", text)], &Options::default());
    let promela = made.unwrap_or_else(|| panic!("{found:?}")).promela;
    let lines: Vec<&str> = promela.lines().map(str::trim).filter(|l| !l.starts_with("#line")).collect();
    let labels = lines.iter().filter(|l| l.starts_with("_l") && l.ends_with(':')).count();
    assert!(labels >= 3, "{promela}");
    for pair in lines.windows(2) {
        let opens = pair[0] == "::" || pair[0].ends_with('{');
        assert!(!(opens && pair[1].ends_with(':')), "{pair:?} in {promela}");
    }
}
