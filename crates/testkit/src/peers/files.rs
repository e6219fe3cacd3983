//! The models in a folder: files whose names end as models' names do, in the order of their names.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// How the names of models end.
const ENDINGS: [&str; 9] = ["pml", "pm", "pr", "prm", "prom", "promela", "spin", "pml2", "pmla"];

/// All models in a folder and the folders in it; a file stands for itself.
pub fn models(path: &Path) -> io::Result<Vec<PathBuf>> {
    if path.is_file() {
        return Ok(vec![path.to_path_buf()]);
    }
    let mut found = Vec::new();
    let mut entries: Vec<PathBuf> = fs::read_dir(path)?.map(|e| Ok(e?.path())).collect::<io::Result<_>>()?;
    entries.sort();
    for entry in entries {
        // Links are not followed: they could go round.
        let kind = fs::symlink_metadata(&entry)?.file_type();
        if kind.is_dir() {
            found.extend(models(&entry)?);
        } else if kind.is_file() && is_model(&entry) {
            found.push(entry);
        }
    }
    Ok(found)
}

fn is_model(path: &Path) -> bool {
    let ending = path.extension().and_then(|e| e.to_str()).unwrap_or("");
    ENDINGS.iter().any(|e| e.eq_ignore_ascii_case(ending))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exec::Scratch;

    #[test]
    fn models_are_found_in_folders_of_folders() -> io::Result<()> {
        let scratch = Scratch::new()?;
        let deep = scratch.path().join("a/b");
        fs::create_dir_all(&deep)?;
        for name in ["x.pml", "a/y.PROMELA", "a/b/z.pm", "a/b/z.h", "README"] {
            fs::write(scratch.path().join(name), "")?;
        }
        let found = models(scratch.path())?;
        let names: Vec<_> = found.iter().filter_map(|p| p.file_name()?.to_str()).collect();
        assert_eq!(names, ["z.pm", "y.PROMELA", "x.pml"]);
        Ok(())
    }
}
