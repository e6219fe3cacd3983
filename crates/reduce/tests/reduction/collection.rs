//! All models of the repository: the reduced system goes wrong in the same ways as the whole.

use crate::common;
use std::path::Path;

#[test]
fn models_of_the_repository_go_wrong_in_the_same_ways() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let (mut looked, mut whole, mut least) = (0, 0, 0);
    for folder in ["corpus", "examples"] {
        let entries = std::fs::read_dir(root.join(folder)).expect("the folder is there");
        for path in entries.map(|e| e.expect("it can be read").path()) {
            let Ok(text) = std::fs::read_to_string(&path) else { continue };
            for merged in [false, true] {
                let Some(model) = common::model(&text, merged, merged) else { continue };
                match common::compare(&model) {
                    Err(what) => panic!("{}: {what}", path.display()),
                    Ok(None) => {}
                    Ok(Some((w, l))) => {
                        looked += 1;
                        whole += w;
                        least += l;
                    }
                }
            }
        }
    }
    println!("{looked} models, {whole} states, {least} at the least");
    assert!(looked > 100, "only {looked} models were looked at");
}
