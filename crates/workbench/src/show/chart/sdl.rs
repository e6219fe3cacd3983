//! Charts of runs of SDL texts: signals under their own names, and what happens to timers on the line of their process.

use crate::open::Opened;
use crate::trail::walk::{Message, Move};
use starwheel_sdl::Words;
use std::collections::HashMap;

/// What is known of a translation while its chart is drawn.
pub struct Sdl<'w> {
    words: &'w Words,
    /// The values of timers as they were.
    timers: HashMap<String, i64>,
}

impl<'w> Sdl<'w> {
    /// For a model that was translated.
    pub fn new(opened: &'w Opened) -> Option<Sdl<'w>> {
        opened.translated.then(|| Sdl { words: &opened.words, timers: HashMap::new() })
    }

    /// `Msg(0,1)`, if the channel is a queue of the text.
    pub fn signal(&self, message: &Message) -> Option<String> {
        self.words.signal(&message.name, &message.fields)
    }

    /// The process whose queue it is.
    pub fn receiver(&self, message: &Message) -> Option<String> {
        self.words.receiver(&message.name).map(String::from)
    }

    /// The signal that a step takes out of a queue which it has turned before: the step has words for it alone.
    pub fn taken(&self, m: &Move) -> Option<String> {
        let after = m.text.split_once(": input ")?.1;
        let name: String = after.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
        (m.message.is_none() && !name.is_empty() && name != "none").then_some(name)
    }

    /// What a step does to timers; a tick is only remembered.
    pub fn timers(&mut self, m: &Move) -> Vec<String> {
        let mut out = Vec::new();
        for c in &m.changes {
            let (base, index) = c.name.split_once('[').map_or((&*c.name, ""), |(b, i)| (b, i));
            let Some(name) = self.words.timer(base) else { continue };
            let name = if index.is_empty() { name.to_string() } else { format!("{name}[{index}") };
            let Ok(value) = c.value.parse::<i64>() else { continue };
            let before = self.timers.insert(c.name.clone(), value).unwrap_or(-1);
            if m.tick.is_some() {
                continue;
            }
            out.push(match (before, value) {
                (_, 0..) => format!("set {name} ({value})"),
                (0, _) => format!("{name} expires"),
                _ => format!("reset {name}"),
            });
        }
        out
    }
}
