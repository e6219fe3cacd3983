//! The page on what goes together is the one that the facts of the searches make.

use starwheel_workbench::combinations::combinations;
use std::path::Path;

#[test]
fn the_page_is_current() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/combinations.md");
    let made = combinations();
    if std::env::var_os("WRITE_DOCS").is_some() {
        std::fs::write(&path, &made).unwrap();
    }
    let page = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(page == made, "docs/combinations.md is old: run this test with WRITE_DOCS=1 to write it anew");
}
