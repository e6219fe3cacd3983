//! The folder in which several processes save the search that they share: a file for each, and one record of what counts.
//!
//! The record is a transaction of redb's: there is the old one or the new one, whatever happens. It names a generation, whose
//! files are as long as it says at least; what is behind that was written by somebody who did not come to the end.

use crate::ask::plan::Plan;
use crate::disk::checkpoint::Head;
use crate::open::Opened;
use crate::problem::{Code, Failure, Problem};
use redb::{Database, ReadableDatabase, TableDefinition, TableError};
use starwheel_distrib::archive::{Record, block};
use std::fs::{self, File};
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// The file with the record.
const RECORD: &str = "search.redb";
/// What the names of the other files begin with.
const STATES: &str = "states-";
const TABLE: TableDefinition<'_, &str, &[u8]> = TableDefinition::new("starwheel search 1");

/// Where a search is saved, and the one that it goes on with.
pub struct Archive {
    /// Where it is saved, and how often.
    save: Option<(PathBuf, Duration)>,
    /// The record there; only the first process has it.
    database: Option<Database>,
    head: Vec<u8>,
    /// Where the other one is.
    from: Option<PathBuf>,
    record: Option<Vec<u8>>,
    fresh: u64,
    /// True once something was saved.
    saved: AtomicBool,
}

impl Archive {
    /// What a plan asks for. The first process opens and checks everything; the others know where it is.
    pub fn open(opened: &Opened, plan: &Plan) -> Result<Option<Archive>, Failure> {
        if plan.save.is_none() && plan.resume.is_none() {
            return Ok(None);
        }
        let head = Head::new(opened, plan);
        let mut archive = Archive {
            save: plan.save.as_ref().map(|saving| (saving.file.clone(), saving.every)),
            database: None,
            head: serde_json::to_vec(&head).unwrap_or_default(),
            from: plan.resume.clone(),
            record: None,
            fresh: 1,
            saved: AtomicBool::new(false),
        };
        if plan.place.as_ref().is_some_and(|place| place.index == 0) {
            if let Some(from) = plan.resume.as_deref() {
                archive.find(from, &head)?;
            }
            archive.occupy(plan.force)?;
        }
        Ok(Some(archive))
    }

    /// Finds the search to go on with, and looks at each of its bytes.
    fn find(&mut self, from: &Path, head: &Head) -> Result<(), Failure> {
        let refuse = |why: String| {
            let problem = Problem::error(Code::Resume, format!("cannot go on with `{}`: {why}", from.display()));
            Failure::from(problem.advise("type what was typed then, or begin anew without `--resume`"))
        };
        if !from.join(RECORD).is_file() {
            return Err(refuse("there is no search by several processes".into()));
        }
        let database = Database::create(from.join(RECORD)).map_err(|e| refuse(e.to_string()))?;
        let (told, record) = entries(&database).map_err(&refuse)?;
        let theirs: Head = serde_json::from_slice(&told).map_err(|e| refuse(e.to_string()))?;
        if let Some(why) = head.misfit(&theirs) {
            return Err(refuse(why));
        }
        let Some((generation, lengths)) = Record::lengths(&record) else {
            return Err(refuse("it was written by another version of Starwheel".into()));
        };
        for (process, &length) in lengths.iter().enumerate() {
            whole(&file(from, generation, process), length).map_err(|error| refuse(damage(&error, process)))?;
        }
        (self.record, self.fresh) = (Some(record), generation + 1);
        Ok(())
    }

    /// Takes hold of the folder in which is saved.
    fn occupy(&mut self, force: bool) -> Result<(), Failure> {
        let Some((folder, _)) = &self.save else { return Ok(()) };
        let cannot = |why: String| {
            let problem = Problem::error(
                Code::Checkpoint,
                format!("the search cannot be saved in `{}`: {why}", folder.display()),
            );
            Failure::from(problem.advise("name a new folder, or one of an earlier search by several processes"))
        };
        fs::create_dir_all(folder).map_err(|e| cannot(e.to_string()))?;
        let known = folder.join(RECORD).exists();
        let foreign = fs::read_dir(folder).map_err(|e| cannot(e.to_string()))?.next().is_some();
        if foreign && !known && !force {
            return Err(cannot("it is a folder with other files".into()));
        }
        let database = Database::create(folder.join(RECORD)).map_err(|e| cannot(e.to_string()))?;
        let before = entries(&database).ok().and_then(|(_, record)| Record::lengths(&record));
        self.fresh = self.fresh.max(before.map_or(0, |(generation, _)| generation) + 1);
        self.database = Some(database);
        Ok(())
    }

    /// What to tell whoever did not see the end.
    pub fn advice(&self) -> Option<String> {
        let (folder, _) = self.save.as_ref().filter(|_| self.saved.load(Ordering::Relaxed))?;
        let folder = folder.display();
        Some(format!(
            "the search is saved in `{folder}`: the same command with `--resume {folder}` goes on with it, by any number of processes"
        ))
    }

    /// The folder in which is saved.
    fn folder(&self) -> io::Result<&Path> {
        self.save.as_ref().map(|(folder, _)| &**folder).ok_or(io::ErrorKind::NotFound.into())
    }
}

fn file(folder: &Path, generation: u64, process: usize) -> PathBuf {
    folder.join(format!("{STATES}{generation}-{process}"))
}

/// Of which search a record is, and the record itself.
type Entries = (Vec<u8>, Vec<u8>);

/// What is in a database.
fn entries(database: &Database) -> Result<Entries, String> {
    let read = || -> Result<Option<Entries>, redb::Error> {
        let table = match database.begin_read()?.open_table(TABLE) {
            Err(TableError::TableDoesNotExist(_)) => return Ok(None),
            table => table?,
        };
        let entry =
            |name: &str| -> Result<Option<Vec<u8>>, redb::Error> { Ok(table.get(name)?.map(|v| v.value().to_vec())) };
        Ok(entry("head")?.zip(entry("record")?))
    };
    read().map_err(|error| error.to_string())?.ok_or("nothing was saved in it".into())
}

/// Looks at the check-sums of a file.
fn whole(path: &Path, length: u64) -> io::Result<()> {
    let (mut file, mut left) = (BufReader::new(File::open(path)?), length);
    while block(&mut file, &mut left)?.is_some() {}
    Ok(())
}

fn damage(error: &io::Error, process: usize) -> String {
    match error.kind() {
        io::ErrorKind::UnexpectedEof => format!("what process {process} saved is not complete"),
        io::ErrorKind::InvalidData => format!("what process {process} saved is damaged: {error}"),
        _ => format!("what process {process} saved cannot be read: {error}"),
    }
}

impl starwheel_distrib::Archive for Archive {
    fn every(&self) -> Option<Duration> {
        self.save.as_ref().map(|(_, every)| *every)
    }

    fn record(&self) -> Option<&[u8]> {
        self.record.as_deref()
    }

    fn fresh(&self) -> u64 {
        self.fresh
    }

    fn create(&self, generation: u64, process: usize) -> io::Result<Box<dyn Write + '_>> {
        Ok(Box::new(BufWriter::new(File::create(file(self.folder()?, generation, process))?)))
    }

    fn sync(&self, generation: u64, process: usize) -> io::Result<()> {
        File::open(file(self.folder()?, generation, process))?.sync_all()
    }

    fn commit(&self, record: &[u8], generation: u64) -> io::Result<()> {
        let folder = self.folder()?;
        let Some(database) = &self.database else { return Err(io::ErrorKind::NotFound.into()) };
        let write = || -> Result<(), redb::Error> {
            let transaction = database.begin_write()?;
            let mut table = transaction.open_table(TABLE)?;
            table.insert("head", &*self.head)?;
            table.insert("record", record)?;
            drop(table);
            Ok(transaction.commit()?)
        };
        // The names of new files have to be on the disk as well.
        File::open(folder)?.sync_all()?;
        write().map_err(|error| io::Error::other(error.to_string()))?;
        self.saved.store(true, Ordering::Relaxed);
        clean(folder, generation);
        Ok(())
    }

    fn read(&self, generation: u64, process: usize) -> io::Result<Box<dyn Read + '_>> {
        let from = self.from.as_deref().ok_or(io::ErrorKind::NotFound)?;
        Ok(Box::new(BufReader::new(File::open(file(from, generation, process))?)))
    }
}

/// Removes the files of other generations.
fn clean(folder: &Path, generation: u64) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let number = name.strip_prefix(STATES).and_then(|rest| rest.split('-').next()?.parse::<u64>().ok());
        if number.is_some_and(|number| number != generation) {
            _ = fs::remove_file(entry.path());
        }
    }
}
