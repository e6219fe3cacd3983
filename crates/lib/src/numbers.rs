//! Numbers that several processes give to parts together: the first process gives them, the others ask.
//!
//! The database of S. Blom, B. Lisser, J. van de Pol and M. Weber, "A database approach to distributed state-space generation"
//! (2011), with their piggyback: each process has a copy of it, and the answer to a question is all that is new. Nothing in it is a
//! value; it is a list of recipes ([`crate::recipe`]), in an order in which each needs earlier ones only. Whoever asks waits, and the
//! threads that answer wait for nobody. With numbers that mean the same everywhere, states are bytes that mean the same
//! everywhere, which is all that a shared search wants.

use crate::checker::Refused;
use crate::ground::Ground;
use crate::model::Model;
use crate::parts::Code;
use crate::recipe::{Recipe, half};
use starwheel_distrib::wire::{Rest, put};
use std::io::{self, Read, Write};
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// What a member says: here is a recipe; what is new? It cannot go on, and why.
const ASK: u8 = 0;
const FETCH: u8 = 1;
const FAULT: u8 = 2;
/// The longest thing that is believed to be said.
const LONGEST: usize = 1 << 30;
const TOO_MANY: &str = "there are too many different parts";

/// The numbers as one process has them.
pub enum Numbers {
    /// They are given here.
    Given(Mutex<Book>),
    /// They are asked for.
    Asked(Mutex<UnixStream>),
}

/// The recipes of all values but the first ones, in the order of their numbers.
pub struct Book {
    /// The number of the first one that has a recipe.
    first: usize,
    bytes: Vec<u8>,
    /// By recipe: where it begins.
    starts: Vec<usize>,
    fault: Option<String>,
    /// Questions and answers, and their bytes.
    pub messages: u64,
    pub travelled: u64,
}

impl Numbers {
    /// Begins with so many values that all processes have.
    pub fn given(first: usize) -> Numbers {
        let (bytes, starts) = (Vec::new(), Vec::new());
        Numbers::Given(Mutex::new(Book { first, bytes, starts, fault: None, messages: 0, travelled: 0 }))
    }

    /// Asks over a connection.
    pub fn asked(line: &UnixStream) -> io::Result<Numbers> {
        Ok(Numbers::Asked(Mutex::new(line.try_clone()?)))
    }

    /// The book, where it is.
    pub fn book(&self) -> Option<MutexGuard<'_, Book>> {
        match self {
            Numbers::Given(book) => Some(book.lock().unwrap_or_else(PoisonError::into_inner)),
            Numbers::Asked(_) => None,
        }
    }

    /// What has gone wrong between the processes, if they have said so.
    pub fn fault(&self) -> Option<Refused> {
        Some(Refused::new(self.book()?.fault.clone()?))
    }
}

impl Book {
    /// All recipes from the one with a number on, after how many they are.
    fn since(&self, known: usize) -> Option<Vec<u8>> {
        let at = known.checked_sub(self.first).filter(|&at| at <= self.starts.len())?;
        let mut out = Vec::new();
        put(&mut out, (self.starts.len() - at) as u64);
        out.extend_from_slice(&self.bytes[self.starts.get(at).copied().unwrap_or(self.bytes.len())..]);
        Some(out)
    }
}

/// Something that is said, and how long it is.
fn say(line: &mut impl Write, kind: u8, bytes: &[u8]) -> io::Result<()> {
    let mut all = vec![kind];
    all.extend_from_slice(&(bytes.len() as u32).to_le_bytes());
    all.extend_from_slice(bytes);
    line.write_all(&all)
}

fn hear(line: &mut impl Read) -> io::Result<(u8, Vec<u8>)> {
    let mut head = [0; 5];
    line.read_exact(&mut head)?;
    let [kind, length @ ..] = head;
    let length = u32::from_le_bytes(length) as usize;
    if length > LONGEST {
        return Err(io::ErrorKind::InvalidData.into());
    }
    let mut bytes = vec![0; length];
    line.read_exact(&mut bytes)?;
    Ok((kind, bytes))
}

impl<M: Model> Ground<'_, M> {
    /// The number of a value that a step has written; what is wrong if it cannot have one.
    pub fn number(&self, part: M::Part, hash: u64, recipe: impl FnOnce() -> Recipe) -> Result<Code, String> {
        let Some(numbers) = &self.numbers else { return self.parts.intern(part, hash).ok_or_else(too_many) };
        if let Some(code) = self.parts.find(&part, hash) {
            return Ok(code);
        }
        match numbers {
            Numbers::Given(book) => {
                let mut book = book.lock().unwrap_or_else(PoisonError::into_inner);
                let code = self.parts.intern(part, hash).ok_or_else(too_many)?;
                if code as usize == book.first + book.starts.len() {
                    let Book { bytes, starts, .. } = &mut *book;
                    starts.push(bytes.len());
                    recipe().write(bytes);
                }
                Ok(code)
            }
            Numbers::Asked(line) => {
                let mut line = line.lock().unwrap_or_else(PoisonError::into_inner);
                let mut question = Vec::new();
                put(&mut question, self.parts.len() as u64);
                recipe().write(&mut question);
                self.ask(&mut line, ASK, &question);
                let found = self.parts.find(&part, hash);
                Ok(found.unwrap_or_else(|| {
                    give_up(
                        &mut line,
                        "the first process made another value of a recipe: parts must be equal by content",
                    )
                }))
            }
        }
    }

    /// Sees to it that the values with these numbers are here.
    pub fn learn(&self, codes: &[Code]) {
        let Some(Numbers::Asked(line)) = &self.numbers else { return };
        if codes.iter().all(|&code| (code as usize) < self.parts.len()) {
            return;
        }
        let mut line = line.lock().unwrap_or_else(PoisonError::into_inner);
        let mut question = Vec::new();
        put(&mut question, self.parts.len() as u64);
        self.ask(&mut line, FETCH, &question);
        if codes.iter().any(|&code| code as usize >= self.parts.len()) {
            give_up(&mut line, "a state has come with a part that nobody has numbered");
        }
    }

    /// Asks, and makes all values that are new.
    fn ask(&self, line: &mut UnixStream, kind: u8, question: &[u8]) {
        let answer = say(line, kind, question).and_then(|()| hear(line));
        // Without the first process there is nothing to be done.
        let Ok((_, answer)) = answer else { std::process::exit(3) };
        if let Err(why) = self.make_all(&answer) {
            give_up(line, &why);
        }
    }

    fn make_all(&self, answer: &[u8]) -> Result<(), String> {
        let garbled = |_| "what the first process has answered cannot be understood".to_string();
        let mut rest = Rest(answer);
        for _ in 0..rest.number().map_err(garbled)? {
            let recipe = Recipe::read(&mut rest).map_err(garbled)?;
            let (value, hash) = recipe.make(self.model, &self.parts)?;
            let next = self.parts.len();
            if self.parts.intern(value, hash).ok_or_else(too_many)? as usize != next {
                return Err("two processes have numbered a value twice: parts must be equal by content".to_string());
            }
        }
        Ok(())
    }

    /// Answers a member until it is gone, or until something is wrong.
    pub fn serve(&self, mut line: UnixStream) {
        self.converse(&mut line);
        _ = line.shutdown(Shutdown::Both);
    }

    fn converse(&self, line: &mut UnixStream) {
        while let Ok((kind, question)) = hear(line) {
            let answer = self.answer(kind, &question);
            let Some(mut book) = self.numbers.as_ref().and_then(Numbers::book) else { return };
            book.messages += 2;
            book.travelled += (question.len() + 10) as u64;
            match answer.and_then(|known| book.since(known).ok_or_else(|| "a member knows too much".to_string())) {
                Ok(answer) => {
                    book.travelled += answer.len() as u64;
                    drop(book);
                    if say(line, kind, &answer).is_err() {
                        return;
                    }
                }
                Err(why) => {
                    book.fault.get_or_insert(why);
                    return;
                }
            }
        }
    }

    /// How many values the member has that asks, once there is a number for what it asks about.
    fn answer(&self, kind: u8, question: &[u8]) -> Result<usize, String> {
        let garbled = |_| "what a member has asked cannot be understood".to_string();
        if kind == FAULT {
            return Err(String::from_utf8_lossy(question).into_owned());
        }
        let mut rest = Rest(question);
        let known = rest.number().map_err(garbled)? as usize;
        if kind == ASK {
            let recipe = Recipe::read(&mut rest).map_err(garbled)?;
            let (value, hash) = recipe.make(self.model, &self.parts)?;
            debug_assert_eq!(half(hash), recipe.check);
            self.number(value, hash, || recipe)?;
        }
        Ok(known)
    }
}

fn too_many() -> String {
    TOO_MANY.to_string()
}

/// Tells the first process what is wrong, and ends. What the search has come to is worth nothing.
fn give_up(line: &mut UnixStream, why: &str) -> ! {
    // The first process closes the connection once it has taken note.
    _ = say(line, FAULT, why.as_bytes()).and_then(|()| hear(line));
    std::process::exit(3)
}
