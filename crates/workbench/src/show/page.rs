//! A run as one page for a browser, on which it is scrubbed back and forth: the source with the statements that come next,
//! processes, channels, variables with what changed, and who sends what to whom. It needs nothing but itself.

use crate::open::Opened;
use crate::property::watched::Truths;
use crate::trail::record::{Path, Recorder, halves};
use crate::trail::walk::{Move, Situation, Walk};
use serde_json::{Value, json};
use std::collections::BTreeMap;

const PAGE: &str = include_str!("page.html");

/// The page of a trail: the moves are those that people are `shown`, with their numbers; `title` says what it shows, and
/// the run ends because nobody can move if it is `stuck`.
pub fn page(opened: &Opened, path: Path<'_>, shown: &Walk, title: &[String], stuck: bool) -> String {
    // That dead variables are reset is of use to the search only.
    let plain = opened.without_resets();
    let opened = plain.as_ref().unwrap_or(opened);
    let mut recorder = Recorder::with_claim(opened, path.claim);
    let (mut values, mut frames) = (Values::default(), Vec::new());
    let mut first = values.differences(recorder.situation());
    first.extend(judged(&shown.propositions));
    let people: Vec<_> = recorder.situation().processes.iter().map(|p| (p.pid, p.proctype.clone())).collect();
    let mut moves = shown.moves.iter().peekable();
    for &step in path.steps {
        let Some(next) = moves.peek() else { break };
        let hidden = step.actor.is_claim() && !next.claim;
        recorder.follow(step);
        // What a hidden step tells stands with the move before it.
        for (j, m) in moves.by_ref().take(if hidden { 0 } else { halves(step) as usize }).enumerate() {
            let last = j + 1 == halves(step) as usize;
            let mut changes = if last { values.differences(recorder.situation()) } else { Vec::new() };
            changes.extend(judged(&m.propositions));
            frames.push(frame(m, changes));
        }
    }
    let cycle = shown.cycle_start.map(|start| shown.moves.iter().take_while(|m| m.number <= start).count());
    let ends: Vec<_> = shown.last.processes.iter().map(|p| json!([p.pid, p.source.at, p.next])).collect();
    let files: BTreeMap<&str, &str> = opened.map.files().iter().map(|f| (f.name.as_str(), &*f.text)).collect();
    let data = json!({
        "title": title, "files": files, "first": first, "people": people, "frames": frames, "ends": ends, "cycle": cycle, "stuck": stuck,
        "main": opened.map.files().first().map(|f| f.name.clone()),
    });
    // Whatever the model says, it must not end the script.
    let data = data.to_string().replace('<', "\\u003c");
    PAGE.replace("/*DATA*/null", &data)
}

/// What the formula sees, as owner, name and value.
fn judged(truths: &Truths) -> impl Iterator<Item = Value> {
    truths.iter().map(|(name, value)| json!(["formula", name, value.to_string()]))
}

fn frame(m: &Move, changes: Vec<Value>) -> Value {
    let message = m.message.as_ref().map(|c| json!([c.send, c.name, c.fields.join(","), c.partner, c.channel]));
    json!({
        "n": m.number, "p": if m.claim { -1 } else if m.tick.is_some() { -2 } else { i32::from(m.pid) },
        "t": m.proctype, "at": m.source.at, "via": m.source.via, "s": m.text, "c": changes, "m": message, "new": m.started,
        "decides": m.decides, "end": m.ends, "hide": m.bookkeeping, "f": m.faults, "out": m.printed.concat(), "time": m.time,
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
