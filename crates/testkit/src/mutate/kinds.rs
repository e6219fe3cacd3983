//! The ways in which a text is changed: in a token, in a statement, or by something that is added.

use super::shape::Shape;
use super::tokens::Kind;
use crate::rng::Rng;
use std::ops::Range;

/// A way to change a text: the new one, or nothing where it has no place for it.
pub type Change = fn(&Shape<'_>, &mut Rng) -> Option<String>;

/// All of them, with names and how often they are tried.
pub const KINDS: [(&str, u32, Change); 32] = [
    ("constant", 4, constant),
    ("capacity", 3, capacity),
    ("sequence", 4, sequence),
    ("wrap", 3, wrap),
    ("option dropped", 2, drop_option),
    ("else added", 2, add_else),
    ("guard negated", 2, negate),
    ("statement dropped", 3, drop_statement),
    ("statements swapped", 3, swap_statements),
    ("statement doubled", 1, double_statement),
    ("statement moved", 2, move_statement),
    ("operator", 4, operator),
    ("instances", 3, instances),
    ("sorted send", 2, sorted_send),
    ("any receive", 2, any_receive),
    ("eval", 1, eval),
    ("copied", 1, copied),
    ("assert", 3, assert),
    ("provided", 2, provided),
    ("unless", 4, unless),
    ("label", 2, label),
    ("jump", 1, jump),
    ("formula", 5, formula),
    ("hidden", 1, hidden),
    ("exclusive", 1, exclusive),
    ("priority", 1, priority),
    ("type", 2, kind),
    ("word", 2, special_word),
    ("timeout", 1, timeout),
    ("else taken", 1, else_taken),
    ("index", 1, index),
    ("run", 1, run),
];

fn replaced(shape: &Shape<'_>, bytes: Range<usize>, with: &str) -> Option<String> {
    Some(format!("{}{with}{}", shape.text.get(..bytes.start)?, shape.text.get(bytes.end..)?))
}

fn put_token(shape: &Shape<'_>, index: usize, with: &str) -> Option<String> {
    replaced(shape, shape.tokens.get(index)?.at.clone(), with)
}

fn put_before(shape: &Shape<'_>, index: usize, with: &str) -> Option<String> {
    let at = shape.tokens.get(index)?.at.start;
    replaced(shape, at..at, with)
}

/// A token of which something is true.
fn site(shape: &Shape<'_>, rng: &mut Rng, fits: impl Fn(usize) -> bool) -> Option<usize> {
    let all: Vec<usize> = (0..shape.tokens.len()).filter(|index| fits(*index)).collect();
    rng.pick(&all).copied()
}

/// A statement of which something is true.
fn statement(shape: &Shape<'_>, rng: &mut Rng, fits: impl Fn(&Range<usize>) -> bool) -> Option<Range<usize>> {
    let all: Vec<&Range<usize>> = shape.statements.iter().map(|(_, range)| range).filter(|r| fits(r)).collect();
    rng.pick(&all).map(|range| (*range).clone())
}

/// Neither a declaration nor an `else`: something that may stand anywhere.
fn movable(shape: &Shape<'_>, range: &Range<usize>) -> bool {
    let fixed =
        ["else", "byte", "int", "bit", "bool", "short", "mtype", "chan", "unsigned", "pid", "xr", "xs", "hidden"];
    let first = shape.word(range.start);
    // `T x` declares a variable of a type of the model's own.
    let declares = shape.is_word(range.start) && shape.is_word(range.start + 1) && own_type(shape, first);
    !fixed.contains(&first) && !declares
}

fn own_type(shape: &Shape<'_>, name: &str) -> bool {
    shape.items.iter().any(|item| shape.word(item.start) == "typedef" && shape.word(item.start + 1) == name)
}

/// A condition over globals.
fn condition(shape: &Shape<'_>, rng: &mut Rng) -> Option<String> {
    let known: Vec<&String> = shape.comparisons.iter().collect();
    let one = match (rng.pick(&known), rng.pick(&shape.globals), rng.pick(&shape.channels)) {
        (Some(known), ..) if rng.chance(65) => (*known).clone(),
        (_, Some(global), _) if rng.chance(75) => {
            format!("{global} {} {}", rng.pick(&["==", "!=", "<", ">"])?, rng.below(3))
        }
        // Not `full` and its like: SPIN's grammar has no place for them in formulas, and not for their negation.
        (_, _, Some(channel)) if !shape.text.contains("[0] of") => {
            format!("len({channel}) {} {}", rng.pick(&["==", "!="])?, rng.below(2))
        }
        (Some(known), ..) => (*known).clone(),
        (_, Some(global), _) => format!("{global} == {}", rng.below(3)),
        _ => return None,
    };
    Some(if rng.chance(20) { format!("!({one})") } else { one })
}

fn constant(shape: &Shape<'_>, rng: &mut Rng) -> Option<String> {
    let at = site(shape, rng, |i| shape.tokens[i].kind == Kind::Number)?;
    let old: i64 = shape.word(at).parse().ok()?;
    let new = *rng.pick(&[old + 1, old - 1, 0, 1, 2])?;
    put_token(shape, at, &new.max(0).to_string())
}

fn capacity(shape: &Shape<'_>, rng: &mut Rng) -> Option<String> {
    let fits = |i: usize| shape.word(i) == "[" && shape.word(i + 2) == "]" && shape.word(i + 3) == "of";
    let at = site(shape, rng, fits)?;
    put_token(shape, at + 1, &rng.below(3).to_string())
}

fn sequence(shape: &Shape<'_>, rng: &mut Rng) -> Option<String> {
    let at = site(shape, rng, |i| ["atomic", "d_step"].contains(&shape.word(i)))?;
    put_token(shape, at, rng.pick(&["atomic", "d_step", ""])?)
}

/// Some statements that follow each other become a sequence.
fn wrap(shape: &Shape<'_>, rng: &mut Rng) -> Option<String> {
    let first = rng.below(shape.statements.len() as u32) as usize;
    let (own, start) = shape.statements.get(first)?;
    let rest: Vec<&Range<usize>> =
        shape.statements.iter().filter(|(s, r)| s == own && r.start >= start.start).map(|(_, r)| r).collect();
    let mut rest: Vec<Range<usize>> = rest.into_iter().cloned().collect();
    rest.sort_by_key(|r| r.start);
    let last = rest.get(rng.range(0, 3).min(rest.len() as u32 - 1) as usize)?;
    let bytes = shape.bytes(&(start.start..last.end));
    let inner = shape.text.get(bytes.clone())?;
    replaced(shape, bytes, &format!("{} {{ {inner} }}", rng.pick(&["atomic", "atomic", "d_step"])?))
}

fn drop_option(shape: &Shape<'_>, rng: &mut Rng) -> Option<String> {
    let option = rng.pick(&shape.options)?;
    replaced(shape, shape.bytes(option), "")
}

fn add_else(shape: &Shape<'_>, rng: &mut Rng) -> Option<String> {
    let at = site(shape, rng, |i| ["fi", "od"].contains(&shape.word(i)))?;
    let loops = shape.word(at) == "od";
    put_before(shape, at, if loops && rng.chance(50) { ":: else -> break " } else { ":: else -> skip " })
}

fn negate(shape: &Shape<'_>, rng: &mut Rng) -> Option<String> {
    let moves = ["!", "?", "!!", "??", "=", "++", "--", "else", "skip", "run", "timeout", "goto", "printf", "assert"];
    let guard = |r: &Range<usize>| movable(shape, r) && !r.clone().any(|i| moves.contains(&shape.word(i)));
    let range = statement(shape, rng, |r| guard(r) && r.len() > 1)?;
    replaced(shape, shape.bytes(&range), &format!("(!({}))", shape.words(&range)))
}

fn drop_statement(shape: &Shape<'_>, rng: &mut Rng) -> Option<String> {
    let range = statement(shape, rng, |r| movable(shape, r))?;
    let with = if rng.chance(60) { "skip" } else { "true" };
    replaced(shape, shape.bytes(&range), with)
}

fn swap_statements(shape: &Shape<'_>, rng: &mut Rng) -> Option<String> {
    let fits = |(_, r): &&(usize, Range<usize>)| movable(shape, r);
    let all: Vec<&(usize, Range<usize>)> = shape.statements.iter().filter(fits).collect();
    let (own, first) = rng.pick(&all)?;
    let mut rest: Vec<&Range<usize>> =
        all.iter().filter(|(s, r)| s == own && r.start >= first.end).map(|(_, r)| r).collect();
    rest.sort_by_key(|r| r.start);
    let second = rest.first()?;
    let (a, b) = (shape.bytes(first), shape.bytes(second));
    let text = shape.text;
    let between = text.get(a.end..b.start)?;
    Some(format!("{}{}{between}{}{}", &text[..a.start], &text[b.clone()], &text[a.clone()], &text[b.end..]))
}

fn double_statement(shape: &Shape<'_>, rng: &mut Rng) -> Option<String> {
    let range = statement(shape, rng, |r| movable(shape, r) && r.len() < 12)?;
    put_before(shape, range.start, &format!("{}; ", shape.words(&range)))
}

/// A statement from somewhere is put before another, of the same process or not.
fn move_statement(shape: &Shape<'_>, rng: &mut Rng) -> Option<String> {
    let what = statement(shape, rng, |r| movable(shape, r) && r.len() < 12)?;
    let place = statement(shape, rng, |r| movable(shape, r))?;
    put_before(shape, place.start, &format!("{}; ", shape.words(&what)))
}

fn operator(shape: &Shape<'_>, rng: &mut Rng) -> Option<String> {
    const GROUPS: [&[&str]; 5] = [
        &["==", "!=", "<", ">", "<=", ">="],
        &["&&", "||"],
        &["+", "-", "*", "%", "/"],
        &["++", "--"],
        &["&", "|", "^", "<<", ">>"],
    ];
    let group = |word: &str| GROUPS.iter().find(|g| g.contains(&word));
    let at = site(shape, rng, |i| shape.tokens[i].kind == Kind::Sign && group(shape.word(i)).is_some())?;
    put_token(shape, at, rng.pick(group(shape.word(at))?)?)
}

fn instances(shape: &Shape<'_>, rng: &mut Rng) -> Option<String> {
    let at = site(shape, rng, |i| shape.word(i) == "active")?;
    if shape.word(at + 1) == "[" {
        return put_token(shape, at + 2, &rng.range(1, 3).to_string());
    }
    put_token(shape, at, &format!("active [{}]", rng.range(2, 3)))
}

/// A sign between a channel and its messages.
fn message(shape: &Shape<'_>, rng: &mut Rng, sign: &str) -> Option<usize> {
    let fits = |i: usize| {
        let starts = shape.statements.iter().any(|(_, r)| r.contains(&i));
        i > 0 && shape.word(i) == sign && (shape.is_word(i - 1) || shape.word(i - 1) == "]") && starts
    };
    site(shape, rng, fits)
}

fn sorted_send(shape: &Shape<'_>, rng: &mut Rng) -> Option<String> {
    let at = message(shape, rng, "!")?;
    put_token(shape, at, "!!")
}

fn any_receive(shape: &Shape<'_>, rng: &mut Rng) -> Option<String> {
    let at = message(shape, rng, "?")?;
    put_token(shape, at, "??")
}

fn eval(shape: &Shape<'_>, rng: &mut Rng) -> Option<String> {
    let at = message(shape, rng, "?")?;
    let last = shape.is_word(at + 1) && shape.word(at + 1) != "eval" && [",", ";", "->"].contains(&shape.word(at + 2));
    put_token(shape, at + 1, &format!("eval({})", shape.word(at + 1))).filter(|_| last)
}

fn copied(shape: &Shape<'_>, rng: &mut Rng) -> Option<String> {
    let at = message(shape, rng, "?")?;
    let range = shape.statements.iter().map(|(_, r)| r).filter(|r| r.contains(&at)).min_by_key(|r| r.len())?;
    let args = at + 1..range.end;
    replaced(shape, shape.bytes(&args), &format!("<{}>", shape.words(&args)))
}

fn assert(shape: &Shape<'_>, rng: &mut Rng) -> Option<String> {
    let place = statement(shape, rng, |r| movable(shape, r))?;
    put_before(shape, place.start, &format!("assert({}); ", condition(shape, rng)?))
}

/// The bracket that closes the parameters of a process.
fn head(shape: &Shape<'_>, rng: &mut Rng) -> Option<usize> {
    let at = site(shape, rng, |i| shape.word(i) == "proctype" && shape.word(i + 2) == "(")?;
    Some(shape.behind(at + 2)).filter(|end| shape.word(*end) == "{")
}

fn provided(shape: &Shape<'_>, rng: &mut Rng) -> Option<String> {
    let at = head(shape, rng)?;
    put_before(shape, at, &format!(" provided ({}) ", condition(shape, rng)?))
}

fn priority(shape: &Shape<'_>, rng: &mut Rng) -> Option<String> {
    let at = head(shape, rng)?;
    put_before(shape, at, &format!(" priority {} ", rng.range(1, 5)))
}

fn unless(shape: &Shape<'_>, rng: &mut Rng) -> Option<String> {
    let range = statement(shape, rng, |r| movable(shape, r))?;
    let inner = shape.words(&range);
    let short = |r: &Range<usize>| movable(shape, r) && r.len() < 12;
    let escape = if rng.chance(50) {
        condition(shape, rng)?
    } else {
        let taken = statement(shape, rng, short)?;
        let more = statement(shape, rng, short)?;
        format!("{}; {}", shape.words(&taken), shape.words(&more))
    };
    replaced(shape, shape.bytes(&range), &format!("{{ {inner} }} unless {{ {escape} }}"))
}

fn label(shape: &Shape<'_>, rng: &mut Rng) -> Option<String> {
    let place = statement(shape, rng, |r| movable(shape, r))?;
    let name = rng.pick(&["end", "progress", "accept", "end"])?;
    put_before(shape, place.start, &format!("{name}_m{}: ", rng.below(1000)))
}

fn jump(shape: &Shape<'_>, rng: &mut Rng) -> Option<String> {
    let labels: Vec<&String> = shape.labels.iter().collect();
    let range = statement(shape, rng, |r| movable(shape, r))?;
    let with = match rng.pick(&labels) {
        Some(label) if rng.chance(60) => format!("goto {label}"),
        _ => "break".to_string(),
    };
    replaced(shape, shape.bytes(&range), &with)
}

fn formula(shape: &Shape<'_>, rng: &mut Rng) -> Option<String> {
    let (p, q, r) = (condition(shape, rng)?, condition(shape, rng)?, condition(shape, rng)?);
    let body = match rng.below(10) {
        0 => format!("[] ({p})"),
        1 => format!("<> ({p})"),
        2 => format!("[] <> ({p})"),
        3 => format!("<> [] ({p})"),
        4 => format!("[] (({p}) -> <> ({q}))"),
        5 => format!("({p}) U ({q})"),
        6 => format!("([] <> ({p})) -> ([] <> ({q}))"),
        7 => format!("[] (({p}) -> (({q}) U ({r})))"),
        8 => format!("<> (({p}) && <> ({q}))"),
        _ => format!("([] ({p})) || (<> ({q}))"),
    };
    let blocks: Vec<&Range<usize>> = shape.items.iter().filter(|item| shape.word(item.start) == "ltl").collect();
    if let (Some(block), true) = (rng.pick(&blocks), rng.chance(60)) {
        return replaced(shape, shape.bytes(block), &format!("ltl m{} {{ {body} }}", rng.below(1000)));
    }
    Some(format!("{}\nltl m{} {{ {body} }}\n", shape.text, rng.below(1000)))
}

fn hidden(shape: &Shape<'_>, rng: &mut Rng) -> Option<String> {
    let fits = |i: usize| ["byte", "int", "bit", "bool", "short"].contains(&shape.word(i));
    let starts: Vec<usize> = shape.items.iter().map(|item| item.start).filter(|i| fits(*i)).collect();
    put_before(shape, *rng.pick(&starts)?, "hidden ")
}

fn exclusive(shape: &Shape<'_>, rng: &mut Rng) -> Option<String> {
    let bodies: Vec<usize> = shape.items.iter().filter_map(|item| shape.body(item)).collect();
    let body = *rng.pick(&bodies)?;
    let inside = body..shape.behind(body);
    let used = |channel: &&String, signs: &[&str]| {
        inside.clone().any(|i| shape.word(i) == channel.as_str() && signs.contains(&shape.word(i + 1)))
    };
    let (word, signs): (&str, &[&str]) = if rng.chance(50) { ("xr", &["?", "??"]) } else { ("xs", &["!", "!!"]) };
    let channels: Vec<&String> = shape.channels.iter().filter(|c| used(c, signs)).collect();
    put_before(shape, body + 1, &format!(" {word} {}; ", rng.pick(&channels)?))
}

fn kind(shape: &Shape<'_>, rng: &mut Rng) -> Option<String> {
    const TYPES: [&str; 6] = ["bit", "bool", "byte", "short", "int", "pid"];
    let at = site(shape, rng, |i| TYPES.contains(&shape.word(i)))?;
    put_token(shape, at, rng.pick(&TYPES)?)
}

fn special_word(shape: &Shape<'_>, rng: &mut Rng) -> Option<String> {
    let at = site(shape, rng, |i| i > 0 && shape.tokens[i].kind == Kind::Number && shape.word(i - 1) != "[")?;
    put_token(shape, at, rng.pick(&["_pid", "_nr_pr", "(_nr_pr - 1)", "(1 - _pid)"])?)
}

fn timeout(shape: &Shape<'_>, rng: &mut Rng) -> Option<String> {
    if let (Some(at), true) = (site(shape, rng, |i| shape.word(i) == "else"), rng.chance(60)) {
        return put_token(shape, at, "timeout");
    }
    let at = site(shape, rng, |i| ["fi", "od"].contains(&shape.word(i)))?;
    put_before(shape, at, if shape.word(at) == "od" { ":: timeout -> break " } else { ":: timeout " })
}

fn else_taken(shape: &Shape<'_>, rng: &mut Rng) -> Option<String> {
    let at = site(shape, rng, |i| shape.word(i) == "else")?;
    put_token(shape, at, rng.pick(&["true", "skip"])?)
}

fn index(shape: &Shape<'_>, rng: &mut Rng) -> Option<String> {
    let fits = |i: usize| shape.word(i) == "[" && i > 0 && shape.is_word(i - 1) && shape.behind(i) == i + 3;
    let at = site(shape, rng, fits)?;
    let global = rng.pick(&shape.globals)?;
    put_token(shape, at + 1, global)
}

/// One more process is started.
fn run(shape: &Shape<'_>, rng: &mut Rng) -> Option<String> {
    let fits = |i: usize| shape.word(i) == "run" && shape.word(i + 2) == "(";
    let at = site(shape, rng, fits)?;
    let end = shape.behind(at + 2);
    let place = statement(shape, rng, |r| movable(shape, r))?;
    put_before(shape, place.start, &format!("{}; ", shape.words(&(at..end))))
}
