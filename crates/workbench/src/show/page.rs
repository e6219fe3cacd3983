//! A run as one page for a browser, on which it is scrubbed back and forth: the source with the statements that come next,
//! processes, channels, variables with what changed, and who sends what to whom. It needs nothing but itself.

use crate::open::Opened;
use crate::trail::record::{Path, Recorder};
use crate::trail::walk::{Move, Situation};
use serde_json::{Value, json};
use std::collections::BTreeMap;

const PAGE: &str = include_str!("page.html");

/// The page of a trail; `title` says what it shows.
pub fn page(opened: &Opened, path: Path<'_>, title: &[String]) -> String {
    // That dead variables are reset is of use to the search only.
    let plain = opened.without_resets();
    let opened = plain.as_ref().unwrap_or(opened);
    let mut recorder = Recorder::with_claim(opened, path.claim);
    let (mut values, mut frames, mut cycle) = (Values::default(), Vec::new(), None);
    let first = values.differences(recorder.situation());
    let people: Vec<_> = recorder.situation().processes.iter().map(|p| (p.pid, p.proctype.clone())).collect();
    for (i, &step) in path.steps.iter().enumerate() {
        if path.cycle_start == Some(i) {
            cycle = Some(frames.len());
        }
        let moves = recorder.take(step).moves;
        let last = moves.len() - 1;
        for (j, m) in moves.iter().enumerate() {
            let changes = if j == last { values.differences(recorder.situation()) } else { Vec::new() };
            frames.push(frame(m, changes));
        }
    }
    let ends: Vec<_> = recorder.situation().processes.iter().map(|p| json!([p.pid, p.source.at, p.next])).collect();
    let files: BTreeMap<&str, &str> = opened.map.files().iter().map(|f| (f.name.as_str(), &*f.text)).collect();
    let data = json!({
        "title": title, "files": files, "first": first, "people": people, "frames": frames, "ends": ends, "cycle": cycle,
        "main": opened.map.files().first().map(|f| f.name.clone()),
    });
    // Whatever the model says, it must not end the script.
    let data = data.to_string().replace('<', "\\u003c");
    PAGE.replace("/*DATA*/null", &data)
}

fn frame(m: &Move, changes: Vec<Value>) -> Value {
    let message = m.message.as_ref().map(|c| json!([c.send, c.name, c.fields.join(","), c.partner, c.channel]));
    json!({
        "n": m.number, "p": if m.claim { -1 } else if m.tick.is_some() { -2 } else { i32::from(m.pid) },
        "t": m.proctype, "at": m.source.at, "via": m.source.via, "s": m.text, "c": changes, "m": message, "new": m.started,
        "end": m.ends, "hide": m.bookkeeping, "f": m.faults, "out": m.printed.concat(), "time": m.time,
    })
}

/// The values that the page knows already: by owner and name.
#[derive(Default)]
struct Values(BTreeMap<(String, String), String>);

impl Values {
    /// What is new, as owner, name and value.
    fn differences(&mut self, now: &Situation) -> Vec<Value> {
        let globals = now.globals.iter().map(|v| (String::new(), v.name.clone(), v.value.clone()));
        let queues = now.channels.iter().map(|q| ("channel".to_string(), q.name.clone(), q.shown()));
        let locals = now.processes.iter().flat_map(|p| {
            let owner = format!("{}({})", p.proctype, p.pid);
            p.locals.iter().map(move |v| (owner.clone(), v.name.clone(), v.value.clone()))
        });
        let mut out = Vec::new();
        for (owner, name, value) in globals.chain(queues).chain(locals) {
            let key = (owner, name);
            if self.0.get(&key) != Some(&value) {
                out.push(json!([key.0, key.1, value]));
                self.0.insert(key, value);
            }
        }
        out
    }
}
