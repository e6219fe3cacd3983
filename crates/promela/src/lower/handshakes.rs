//! Handshakes whose readiness others notice: a step that brings a process to one of them must not be merged with the step before.
//!
//! A send without slots cannot be executed as long as nobody is ready to take the message. Who waits there and does nothing else
//! cares only whether a receiver comes, not when. But it matters when, if the process does something else instead: if the send
//! stands inside `atomic` behind something else (control is given up), beside `else`, or at the start of an escape (the body
//! goes on). Then the receives of the same channels are *minded*. (With priorities every handshake would be; but the two exclude
//! each other, as in SPIN.)
//!
//! Which channels a statement means is known for variables that are never assigned ([`Known`]); else it may be any.

use super::flow::{El, Element, Flow, MOST_JUMPS, Node, Seq, Status};
use starwheel_model::footprint::known::Known;
use starwheel_model::{ChanId, Expr, Model, ProctypeId, Stmt};
use std::collections::HashSet;

/// The channels without slots that a statement may mean; none if it may be any.
type Meant = Option<Vec<ChanId>>;

/// For each body, the receives whose readiness others notice.
pub fn minded(model: &Model, bodies: &[&Flow]) -> Vec<HashSet<El>> {
    if !model.uses.rendezvous {
        return vec![HashSet::new(); bodies.len()];
    }
    let numbered = || bodies.iter().enumerate().map(|(i, flow)| (ProctypeId(i as u8), *flow));
    let known = Known::among(model, numbered().flat_map(statements));
    let meant = |id: ProctypeId, e: &Expr| -> Meant {
        let mut list = known.channels(id, e)?;
        list.retain(|&c| model.channel(c).capacity == 0);
        Some(list)
    };
    let (mut any, mut channels) = (false, HashSet::new());
    for (id, flow) in numbered() {
        for send in minding(flow).into_iter().filter_map(|el| sent(flow.el(el))) {
            match meant(id, send) {
                Some(list) => channels.extend(list),
                None => any = true,
            }
        }
    }
    let noticed = |receive: Meant| match receive {
        Some(list) => list.iter().any(|c| any || channels.contains(c)),
        None => any || !channels.is_empty(),
    };
    let receives = |(id, flow): (ProctypeId, &Flow)| {
        let minded = |e: &Element| received(e).is_some_and(|c| noticed(meant(id, c)));
        elements(flow).filter(|(_, e)| minded(e)).map(|(el, _)| el).collect()
    };
    numbered().map(receives).collect()
}

fn elements(flow: &Flow) -> impl Iterator<Item = (El, &Element)> {
    flow.els.iter().enumerate().map(|(i, e)| (El(i as u32), e))
}

fn statements((id, flow): (ProctypeId, &Flow)) -> impl Iterator<Item = (ProctypeId, &Stmt)> {
    flow.els.iter().filter_map(move |e| match &e.node {
        Node::Stmt(stmt) => Some((id, stmt)),
        _ => None,
    })
}

fn sent(e: &Element) -> Option<&Expr> {
    match &e.node {
        Node::Stmt(Stmt::Send { channel, .. }) => Some(channel),
        _ => None,
    }
}

fn received(e: &Element) -> Option<&Expr> {
    match &e.node {
        Node::Stmt(Stmt::Receive { channel, .. }) => Some(channel),
        _ => None,
    }
}

/// The sends of a body that mind whether somebody is ready: inside `atomic` behind something else, beside `else`, or at the
/// start of an escape.
fn minding(flow: &Flow) -> HashSet<El> {
    let (mut out, mut fronts) = (HashSet::new(), HashSet::new());
    for e in &flow.els {
        if let (Node::Atomic(s), false) = (&e.node, within(e.status)) {
            starts(flow, flow.first(*s), (MOST_JUMPS, false), &mut fronts);
        }
        let competing: &[Seq] = match e.node {
            Node::Unless => &e.sub[1..],
            Node::If | Node::Do if e.sub.iter().any(|&s| begins_with_else(flow, flow.first(s), MOST_JUMPS)) => &e.sub,
            _ => &[],
        };
        competing.iter().for_each(|&s| starts(flow, flow.first(s), (MOST_JUMPS, true), &mut out));
    }
    let inside = |(el, e): &(El, &Element)| within(e.status) && !e.status.dstep && !fronts.contains(el);
    out.extend(elements(flow).filter(inside).map(|(el, _)| el));
    out.retain(|&el| sent(flow.el(el)).is_some());
    out
}

fn within(status: Status) -> bool {
    status.atomic || status.last_atomic
}

/// May a sequence begin with `else`?
fn begins_with_else(flow: &Flow, id: El, depth: usize) -> bool {
    let id = flow.entry(id);
    let mut found = matches!(flow.el(id).node, Node::Else(_));
    each_start(flow, id, depth, &mut |inner, below| found = found || begins_with_else(flow, inner, below));
    found
}

/// The statements that a sequence may begin with: all of them, or only those that are not met again in its middle, because of
/// a loop or a jump.
fn starts(flow: &Flow, id: El, (depth, all): (usize, bool), out: &mut HashSet<El>) {
    let id = flow.entry(id);
    match &flow.el(id).node {
        Node::Do if !all => {}
        Node::Stmt(_) if all || flow.labels.of(id).next().is_none() => {
            out.insert(id);
        }
        _ => each_start(flow, id, depth, &mut |inner, below| starts(flow, inner, (below, all), out)),
    }
}

/// The first elements of the options of a selection and of the inside of a block.
fn each_start(flow: &Flow, id: El, depth: usize, each: &mut dyn FnMut(El, usize)) {
    let Some(below) = depth.checked_sub(1) else { return };
    match &flow.el(id).node {
        Node::If | Node::Do => flow.el(id).sub.iter().for_each(|&s| each(flow.first(s), below)),
        Node::Atomic(s) | Node::Block(s) | Node::DStep(s) => each(flow.first(*s), below),
        _ => {}
    }
}
