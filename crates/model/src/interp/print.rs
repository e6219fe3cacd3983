//! What a replay shows: printed text, symbolic names and failed assertions.

use super::view::View;
use crate::expr::Expr;
use crate::ir::{Model, Shown, Var};
use crate::place::{Place, Region};
use crate::text;
use std::fmt::Write;

/// What `printf` prints, as SPIN's simulator does: `\n`, `\t`, and `%d %c %u %o %x %e %%`.
pub(super) fn format(view: View<'_>, format: &str, args: &[Expr], values: &[i32]) -> String {
    let mut out = String::new();
    let mut args = args.iter().zip(values);
    let mut chars = format.chars();
    while let Some(c) = chars.next() {
        match c {
            '"' => {}
            '\\' => match chars.next() {
                Some('n') => out.push('\n'),
                Some('t') => out.push('\t'),
                Some(other) => out.push(other),
                None => {}
            },
            '%' => match chars.next() {
                Some('%') => out.push('%'),
                Some(conversion) => {
                    if let Some((arg, &value)) = args.next() {
                        convert(view, conversion, arg, value, &mut out);
                    }
                }
                None => {}
            },
            c => out.push(c),
        }
    }
    out
}

fn convert(view: View<'_>, conversion: char, arg: &Expr, value: i32, out: &mut String) {
    let written = match conversion {
        'c' => {
            out.push(char::from(value as u8));
            Ok(())
        }
        'd' => write!(out, "{value}"),
        'u' => write!(out, "{}", value as u32),
        'o' => write!(out, "{:o}", value as u32),
        'x' => write!(out, "{:x}", value as u32),
        'e' => write!(out, "{}", symbol(view, arg, value)),
        _ => Ok(()),
    };
    debug_assert!(written.is_ok(), "writing to a string cannot fail");
}

/// A value by its symbolic name: of the set that the variable belongs to, else of plain `mtype`, else as a number.
pub(super) fn symbol(view: View<'_>, arg: &Expr, value: i32) -> String {
    let set = match arg {
        Expr::Const(_, Some(name)) => return name.to_string(),
        Expr::Load(place) => symbol_set(view, place),
        _ => None,
    };
    named(view.world.model, set.unwrap_or(""), value)
}

fn named(model: &Model, set: &str, value: i32) -> String {
    model.symbol(set, value).map_or_else(|| value.to_string(), |name| name.to_string())
}

/// The set of symbolic constants that the variable at a place takes its values from.
fn symbol_set<'a>(view: View<'a>, place: &Place) -> Option<&'a str> {
    let model = view.world.model;
    let (vars, start) = match place.region {
        Region::Local => {
            let frame = view.world.tables.frames.get(view.pid.index())?;
            (&model.proctype(frame.proctype).locals, view.frame)
        }
        Region::Global => (&model.globals, model.layout.globals_start() as usize),
        Region::Hidden => (&model.globals, 0),
    };
    let offset = view.address(place).ok()?.checked_sub(start)? as u32;
    let here = |v: &&Var| {
        let size = v.len.unwrap_or(1) * v.ty.size();
        v.place.region == place.region && (v.place.offset..v.place.offset + size).contains(&offset)
    };
    match &vars.iter().find(here)?.shown {
        Shown::Symbol(set) => Some(set),
        Shown::Number | Shown::Channel => None,
    }
}

/// The condition that failed, and the values of the variables in it.
pub(super) fn failed_assertion(view: View<'_>, e: &Expr) -> String {
    let model = view.world.model;
    let mut values: Vec<String> = Vec::new();
    e.walk(&mut |part| {
        let worth =
            matches!(part, Expr::Load(_) | Expr::NrPr | Expr::Last | Expr::RemoteVar { .. } | Expr::Channel(..));
        if worth && let Ok(value) = view.eval(part) {
            let shown = match part {
                Expr::Load(place) if let Some(set) = symbol_set(view, place) => named(model, set, value),
                _ => value.to_string(),
            };
            let text = format!("{} = {shown}", text::expr(model, part));
            if !values.contains(&text) {
                values.push(text);
            }
        }
    });
    let condition = text::expr(model, e);
    match values.is_empty() {
        true => format!("the assertion `{condition}` does not hold"),
        false => format!("the assertion `{condition}` does not hold: {}", values.join(", ")),
    }
}
