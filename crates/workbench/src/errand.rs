//! What a worker on another machine is told: the texts of a model and the options that change a search, and nothing else.
//!
//! A worker reads no file because somebody asks it to, and writes none: names in an errand are keys of its texts.

use crate::ask::options::Commands;
use crate::ask::plan::{Plan, Reading, Typed};
use crate::crew::{TRAVELLING, travelling};
use crate::disk::input::Shelf;
use crate::open::Opened;
use crate::problem::{Code, Failure, Problem};
use serde::{Deserialize, Serialize};
use starwheel_base::cancel::Token;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

/// The longest errand that is listened to, in bytes.
pub const LONGEST: usize = 512 << 20;

/// What one worker is told.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Errand {
    /// The name of the model's text.
    pub model: String,
    /// All texts, by name.
    pub texts: BTreeMap<String, String>,
    /// The model's text was made from another language.
    pub translated: bool,
    /// Options by name.
    pub options: Vec<(String, Option<String>)>,
    /// The number of the worker.
    pub index: usize,
    /// By process: its address; that of the first one is empty.
    pub addresses: Vec<String>,
    /// The limit of its memory.
    pub memory: Option<u64>,
}

impl Errand {
    /// The errand of a worker, given its number and limit of memory.
    pub fn new(opened: &Opened, plan: &Plan, addresses: &[String], (index, memory): (usize, Option<u64>)) -> Errand {
        let files = opened.map.files().iter();
        Errand {
            model: opened.path.display().to_string(),
            texts: files.map(|file| (file.name.to_string(), file.text.to_string())).collect(),
            translated: opened.translated,
            options: travelling(opened, plan),
            index,
            addresses: addresses.to_vec(),
            memory: memory.or(plan.memory),
        }
    }

    /// As bytes.
    pub fn write(&self) -> Vec<u8> {
        serde_json::to_vec(self).unwrap_or_default()
    }

    /// From bytes.
    pub fn read(bytes: &[u8]) -> Result<Errand, Failure> {
        let wrong = |why: String| Failure::from(Problem::error(Code::Errand, why));
        let errand: Errand = serde_json::from_slice(bytes).map_err(|error| wrong(error.to_string()))?;
        match errand.options.iter().find(|(name, _)| !TRAVELLING.contains(&name.as_str())) {
            Some((name, _)) => Err(wrong(format!("the option `{name}` is not for workers"))),
            None if errand.index == 0 || errand.index >= errand.addresses.len() => {
                Err(wrong("its number means nothing".into()))
            }
            None => Ok(errand),
        }
    }

    /// How many processes there are.
    pub fn count(&self) -> usize {
        self.addresses.len()
    }

    /// What the worker will do; where it meets the others is not said yet.
    pub fn plan(&self) -> Result<Plan, Failure> {
        let mut typed = Typed::default();
        self.options.iter().for_each(|(name, value)| typed.push(name, value.clone()));
        typed.push("processes", Some(self.count().to_string()));
        let plan = typed.plan(Commands::CHECK)?;
        let mut reading = Reading { until: Token::NEVER, ..plan.reading };
        reading.shelf = Shelf::Sent(Arc::new(self.texts.clone()));
        reading.foreign.translated = self.translated;
        Ok(Plan { reading, memory: self.memory, no_trail: true, ..plan })
    }

    /// The name under which the model is opened.
    pub fn path(&self) -> PathBuf {
        PathBuf::from(&self.model)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn errand(options: &[(&str, &str)]) -> Errand {
        let option = |(name, value): &(&str, &str)| (name.to_string(), Some(value.to_string()));
        Errand {
            model: "/etc/m.pml".into(),
            texts: BTreeMap::from([("/etc/m.pml".into(), "active proctype P() { skip }".into())]),
            translated: false,
            options: options.iter().map(option).collect(),
            index: 1,
            addresses: vec![String::new(), "a:1".into()],
            memory: Some(1 << 30),
        }
    }

    #[test]
    fn an_errand_comes_back_and_is_read_from_its_own_texts() {
        let errand = errand(&[("wire", "local"), ("define", "N=3")]);
        let read = Errand::read(&errand.write()).unwrap();
        assert_eq!(read, errand);
        let plan = read.plan().unwrap();
        assert!(plan.is_shared() && plan.memory == Some(1 << 30));
        assert!(crate::open_to_check(&read.path(), &plan).is_ok());
        assert!(crate::open_to_check(std::path::Path::new("/etc/passwd"), &plan).is_err());
    }

    #[test]
    fn workers_are_told_to_touch_no_file() {
        for name in ["trail", "checkpoint", "resume", "spill", "hosts", "token-file", "report"] {
            let text = Errand::read(&errand(&[(name, "/tmp/x")]).write()).unwrap_err().problems[0].message.clone();
            assert!(text.contains(name), "{text}");
        }
        let none = Errand { index: 2, ..errand(&[]) };
        assert!(Errand::read(&none.write()).is_err() && Errand::read(b"{").is_err());
    }
}
