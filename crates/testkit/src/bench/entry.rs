//! The models of the table.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// In which folder a model lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Folder {
    /// `--corpus`: models of the BEEM collection.
    Corpus,
    /// `--examples`: SPIN's own examples.
    Examples,
    /// `--models`, or our own.
    Models,
}

/// How the size of a model is set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Size {
    /// It is what it is.
    Fixed,
    /// By a macro on the command line.
    Define(&'static str),
    /// By changing the line that defines the macro `N`, where the model leaves no choice.
    Edit(u32),
}

/// A model of the table.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// The name in the table.
    pub name: &'static str,
    /// Where it lies.
    pub folder: Folder,
    /// Its file.
    pub file: &'static str,
    /// Its size.
    pub size: Size,
    /// What it is for.
    pub role: Role,
}

/// What a model is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// The table.
    Speed,
    /// Instructions a transition.
    Instructions,
    /// Only we search it, within this memory; the number of states is known.
    Large {
        /// The limit.
        memory: &'static str,
        /// The states.
        states: u64,
    },
}

const fn beem(file: &'static str, name: &'static str) -> Entry {
    Entry { name, folder: Folder::Corpus, file, size: Size::Fixed, role: Role::Speed }
}

/// All models.
pub const ENTRIES: &[Entry] = &[
    beem("peterson.4.pm", "peterson.4"),
    beem("at.3.pm", "at.3"),
    beem("phils.5.pm", "phils.5"),
    beem("brp.3.pm", "brp.3"),
    beem("iprotocol.3.pm", "iprotocol.3"),
    beem("bakery.5.pm", "bakery.5"),
    beem("elevator2.3.pm", "elevator2.3"),
    Entry {
        name: "leader0 N=7",
        folder: Folder::Examples,
        file: "leader0.pml",
        size: Size::Edit(7),
        role: Role::Speed,
    },
    Entry {
        name: "peterson N=4",
        folder: Folder::Models,
        file: "peterson.pml",
        size: Size::Define("N=4"),
        role: Role::Speed,
    },
    Entry { role: Role::Instructions, ..beem("bakery.4.pm", "bakery.4") },
    Entry { role: Role::Instructions, ..beem("needham.3.pm", "needham.3") },
    Entry {
        name: "transport N=7",
        folder: Folder::Models,
        file: "transport.pml",
        size: Size::Define("N=7"),
        role: Role::Large { memory: "3G", states: 150_051_216 },
    },
];

impl Entry {
    /// The macro of the command line.
    pub fn define(&self) -> Option<String> {
        match self.size {
            Size::Define(text) => Some(format!("-D{text}")),
            Size::Fixed | Size::Edit(_) => None,
        }
    }

    /// The model in one of the folders, itself or in a folder of its name; a changed one goes to `scratch`.
    pub fn prepare(&self, folder: &Path, scratch: &Path) -> io::Result<PathBuf> {
        let stem = self.file.split('.').next().unwrap_or(self.file);
        let places = [folder.join(self.file), folder.join(stem).join(self.file)];
        let path = places.iter().find(|p| p.is_file()).cloned().ok_or_else(|| {
            io::Error::new(io::ErrorKind::NotFound, format!("there is no `{}` in `{}`", self.file, folder.display()))
        })?;
        let Size::Edit(size) = self.size else { return Ok(path) };
        let changed = scratch.join(self.file);
        fs::write(&changed, resized(&fs::read_to_string(path)?, size))?;
        Ok(changed)
    }
}

/// The text with another value of the macro `N`.
fn resized(text: &str, size: u32) -> String {
    let line = |line: &str| match line.split_whitespace().take(2).eq(["#define", "N"]) {
        true => format!("#define N {size}\n"),
        false => format!("{line}\n"),
    };
    text.lines().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_size_is_changed() {
        assert_eq!(
            resized("#define N\t5\t/* x */\n#define NN 4\nbyte a[N];\n", 7),
            "#define N 7\n#define NN 4\nbyte a[N];\n"
        );
    }
}
