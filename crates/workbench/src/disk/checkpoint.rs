//! The file in which a long search is saved, and whether a file is one that this search can go on with.
//!
//! It begins with a line that says what it is. Everything else is sealed ([`crate::disk::sealed`]): a head that says of which
//! program, model and options the search is, then what the search wrote. A new file is written beside the old one, brought to
//! the disk, and takes its name: whatever happens, there is one whole file.

use crate::ask::plan::{Plan, Saving};
use crate::disk::output;
use crate::disk::sealed::{Sealer, Unsealer};
use crate::open::Opened;
use crate::problem::{Code, Failure, Problem};
use crate::report::TOOL;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use starwheel_engine::{CheckpointSink, CheckpointSource, Store};
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The first bytes of a file, with the version of its format.
pub const MAGIC: &[u8] = b"Starwheel checkpoint 2\n";

/// The options without which the search would visit other states, or count them in another way.
const OPTIONS: [&str; 11] = [
    "define",
    "undefine",
    "merge",
    "dead-vars",
    "timers",
    "empty-channels",
    "no-assert",
    "no-deadlock",
    "all-errors",
    "store",
    "symmetry",
];

/// Of which search a file is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Head {
    tool: String,
    /// A hash of all text of the model.
    model: String,
    options: Map<String, Value>,
    /// The size of a bitstate store, which follows from the limit of memory.
    #[serde(default)]
    array: Option<u64>,
    /// That limit, as it was typed.
    #[serde(default)]
    memory: Option<String>,
}

impl Head {
    pub(super) fn new(opened: &Opened, plan: &Plan) -> Head {
        let value = |name: &str| plan.options.get(name).filter(|v| **v != Value::Bool(false)).cloned();
        let options: Map<String, Value> =
            OPTIONS.iter().filter_map(|name| Some((name.to_string(), value(name)?))).collect();
        let array = match plan.store {
            Some(Store::Bitstate { bytes }) => Some(bytes),
            _ => None,
        };
        let mut options = options;
        if let (true, Some(por)) = (plan.is_shared(), plan.options.get("por")) {
            // Only a search by several processes can be reduced and saved.
            options.insert("por".into(), por.clone());
        }
        let memory = array.and(value("memory")).and_then(|typed| Some(typed.as_str()?.to_string()));
        Head { tool: TOOL.into(), model: opened.hash.clone(), options, array, memory }
    }

    /// What keeps a search with this head from going on with that of another.
    pub(super) fn misfit(&self, other: &Head) -> Option<String> {
        if self.tool != other.tool {
            return Some(format!("it was written by {}, and this is {}", other.tool, self.tool));
        }
        let names = self.options.keys().chain(other.options.keys());
        let differs = |name: &&String| self.options.get(*name) != other.options.get(*name);
        let shown = |head: &Head, name: &str| match head.options.get(name) {
            None | Some(Value::Bool(false)) => "not given".to_string(),
            Some(Value::Bool(true)) => "given".to_string(),
            Some(Value::String(word)) => format!("`{word}`"),
            Some(value) => value.to_string(),
        };
        let Some(name) = names.into_iter().find(differs) else {
            if self.array != other.array {
                return Some(format!("its array of bits has the size that {} gives it", other.typed_memory()));
            }
            let why = "it is of another model, or the model was changed since";
            return (self.model != other.model).then(|| why.into());
        };
        let option = match name.as_str() {
            "define" => "-D".to_string(),
            "undefine" => "-U".to_string(),
            name => format!("--{name}"),
        };
        Some(format!("`{option}` was {} when it was written, and is {} now", shown(other, name), shown(self, name)))
    }
}

impl Head {
    /// What has to be typed for the same limit of memory.
    fn typed_memory(&self) -> String {
        self.memory.as_ref().map_or("a command without `--memory`".into(), |typed| format!("`--memory {typed}`"))
    }
}

/// Where a search is saved, and the one that it goes on with.
#[derive(Default)]
pub struct Checkpoints {
    sink: Option<FileSink>,
    source: Option<FileSource>,
}

impl Checkpoints {
    /// What a plan asks for, given that its search can be saved.
    pub fn new(opened: &Opened, plan: &Plan) -> Result<Checkpoints, Failure> {
        Ok(Checkpoints {
            source: plan.resume.as_ref().map(|file| FileSource::open(file, opened, plan)).transpose()?,
            sink: plan.save.as_ref().map(|saving| FileSink::new(saving, opened, plan)).transpose()?,
        })
    }

    /// Where to save the search.
    pub fn sink(&self) -> Option<&dyn CheckpointSink> {
        self.sink.as_ref().map(|sink| sink as &dyn CheckpointSink)
    }

    /// The search to go on with.
    pub fn source(&self) -> Option<&dyn CheckpointSource> {
        self.source.as_ref().map(|source| source as &dyn CheckpointSource)
    }
}

/// Saves a search in a file.
pub struct FileSink {
    path: PathBuf,
    head: Head,
    every: Duration,
}

impl FileSink {
    /// Saves in this file; an error if nothing can be written there.
    pub fn new(saving: &Saving, opened: &Opened, plan: &Plan) -> Result<FileSink, Failure> {
        let sink = FileSink { path: saving.file.clone(), head: Head::new(opened, plan), every: saving.every };
        let cannot = |why: &str, advice: &str| -> Failure {
            let message = format!("the search cannot be saved in `{}`: {why}", sink.path.display());
            Problem::error(Code::Checkpoint, message).advise(advice).into()
        };
        if !plan.force
            && let Some(why) = output::occupied(&sink.path, output::Kind::Checkpoint)
        {
            return Err(cannot(&why, "name a new file, or one of an earlier search; `--force` writes over any"));
        }
        match output::try_out(&sink.path) {
            Err(error) => Err(cannot(&error.to_string(), "name a file in a folder that can be written to")),
            Ok(()) => Ok(sink),
        }
    }

    fn write(&self, write: &mut dyn FnMut(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
        output::replace(&self.path, &mut |file| {
            let mut file = BufWriter::new(file);
            file.write_all(MAGIC)?;
            let mut sealer = Sealer::new(file);
            serde_json::to_writer(&mut sealer, &self.head)?;
            sealer.end_block()?;
            write(&mut sealer)?;
            sealer.finish()?.flush()
        })
    }
}

impl CheckpointSink for FileSink {
    fn every(&self) -> Duration {
        self.every
    }

    fn save(&self, write: &mut dyn FnMut(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
        self.write(write)
    }

    fn advice(&self) -> String {
        let file = self.path.display();
        format!("the search is saved in `{file}`: the same command with `--resume {file}` goes on with it")
    }
}

/// A search that was saved, checked from the first to the last byte.
pub struct FileSource {
    file: File,
}

impl FileSource {
    /// Opens a file, if it is whole and of this search.
    pub fn open(path: &Path, opened: &Opened, plan: &Plan) -> Result<FileSource, Failure> {
        let refuse = |why: String| {
            let problem = Problem::error(Code::Resume, format!("cannot go on with `{}`: {why}", path.display()));
            Failure::from(problem.advise("type what was typed then, or begin anew without `--resume`"))
        };
        let file = File::open(path).map_err(|error| refuse(error.to_string()))?;
        let source = FileSource { file };
        let head = source.check().map_err(|error| refuse(damage(&error)))?;
        match Head::new(opened, plan).misfit(&head) {
            Some(why) => Err(refuse(why)),
            None => Ok(source),
        }
    }

    /// Reads everything once, for its seals.
    fn check(&self) -> io::Result<Head> {
        let (head, mut rest) = self.start()?;
        while !rest.block()?.is_empty() {}
        Ok(head)
    }

    /// The head, and what follows it.
    fn start(&self) -> io::Result<(Head, Unsealer<BufReader<&File>>)> {
        let mut file = &self.file;
        file.rewind()?;
        let mut file = BufReader::new(file);
        let mut magic = [0; MAGIC.len()];
        file.read_exact(&mut magic)?;
        if magic != *MAGIC {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "foreign"));
        }
        let mut rest = Unsealer::new(file);
        let head = serde_json::from_slice(rest.block()?)?;
        Ok((head, rest))
    }
}

/// What is wrong with a file, in words.
fn damage(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::InvalidInput => "it is no checkpoint of this version of Starwheel".into(),
        io::ErrorKind::UnexpectedEof => "it is not complete".into(),
        io::ErrorKind::InvalidData => "it is damaged: bytes are missing or were changed".into(),
        _ => error.to_string(),
    }
}

impl CheckpointSource for FileSource {
    fn open(&self) -> io::Result<Box<dyn Read + '_>> {
        Ok(Box::new(self.start()?.1))
    }
}
