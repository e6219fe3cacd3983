//! A message sequence chart as a picture (SVG), made to be read in a browser.

use super::{Chart, Event, HEAD_EVERY, name};
use std::fmt::Write;

/// Pixels between two rows.
const ROW: usize = 26;
/// Pixels above the first row.
const TOP: usize = 56;
/// Pixels for the numbers of the steps.
const LEFT: usize = 76;
/// Pixels of one character, roughly.
const CHAR: usize = 8;

const STYLE: &str = "text{font:13px monospace;fill:#222}.n{fill:#999}.h{font-weight:bold}\
.l{stroke:#bbb;stroke-dasharray:3 3}.a{stroke:#06c;stroke-width:1.5;marker-end:url(#t)}\
.b{stroke:#d70;stroke-width:1.2;marker-end:url(#t)}.o{fill:#fff;stroke:#d70}.d{fill:#555}\
.c{fill:none;stroke:#a0a;stroke-width:2;marker-end:url(#t)}.e{fill:#a0a}.f{fill:#f6eefa}.p{fill:#8c8}.q{stroke:#ddd}";
/// Pixels for the bracket of a cycle, left of the life lines.
const BRACKET: usize = 24;
/// Pixels of the band of a condition.
const BAND: usize = 12;
/// The longest name of a condition that is shown in full.
const WIDEST_CONDITION: usize = 24;

/// Where things stand in the picture.
struct Grid<'a> {
    chart: &'a Chart,
    step: usize,
}

/// The whole picture.
pub fn svg(chart: &Chart) -> String {
    let grid = Grid { chart, step: column(chart) };
    let width = LEFT + chart.lines.len().max(1) * grid.step + chart.conditions.len() * grid.band();
    let height = grid.y(chart.rows.len() + 1);
    let mut out = String::new();
    let _ = writeln!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\">\n\
         <style>{STYLE}</style>\n\
         <defs><marker id=\"t\" viewBox=\"0 0 8 8\" refX=\"8\" refY=\"4\" markerWidth=\"8\" markerHeight=\"8\" orient=\"auto\">\
         <path d=\"M0 0L8 4L0 8z\" fill=\"context-stroke\"/></marker></defs>\n\
         <rect width=\"{width}\" height=\"{height}\" fill=\"#fff\"/>"
    );
    grid.cycle(width, &mut out);
    grid.bands(&mut out);
    for i in 0..chart.lines.len() {
        let x = grid.x(i);
        let _ = writeln!(out, "<line class=\"l\" x1=\"{x}\" y1=\"{}\" x2=\"{x}\" y2=\"{height}\"/>", TOP - 20);
    }
    for (i, row) in chart.rows.iter().enumerate() {
        if i % HEAD_EVERY == 0 {
            grid.heads(i, &mut out);
        }
        let _ = writeln!(out, "<text class=\"n\" x=\"8\" y=\"{}\">{}</text>", grid.y(i) + 4, row.number);
        grid.event(&row.event, i, &mut out);
    }
    out.push_str("</svg>\n");
    out
}

/// The distance of two life lines: room for the longest text, within reason.
fn column(chart: &Chart) -> usize {
    let texts = chart.rows.iter().map(|r| match &r.event {
        Event::Handshake { text, .. } | Event::Send { text, .. } => text,
        Event::Receive { text, .. } | Event::Note { text, .. } => text,
    });
    let longest = texts.map(|t| t.chars().count()).max().unwrap_or(0);
    let names = chart.lines.iter().map(|l| name(l).chars().count()).max().unwrap_or(0);
    (longest.max(names) * CHAR + 30).clamp(110, 320)
}

impl Grid<'_> {
    fn x(&self, line: usize) -> usize {
        LEFT + self.step / 2 + line * self.step
    }

    /// Every repeated head takes a row of its own.
    fn y(&self, row: usize) -> usize {
        TOP + (row + row / HEAD_EVERY) * ROW
    }

    fn heads(&self, row: usize, out: &mut String) {
        for (i, line) in self.chart.lines.iter().enumerate() {
            let (x, y, text) = (self.x(i), self.y(row) - ROW, escape(&name(line)));
            let _ = writeln!(out, "<text class=\"h\" text-anchor=\"middle\" x=\"{x}\" y=\"{y}\">{text}</text>");
        }
    }

    /// The distance of two bands: room for the longest name.
    fn band(&self) -> usize {
        let names = self.chart.conditions.iter().map(|c| clip(c).chars().count());
        names.max().unwrap_or(0) * CHAR + 24
    }

    /// A background and an arrow from the end of the cycle back to its start.
    fn cycle(&self, width: usize, out: &mut String) {
        let Some(first) = self.chart.cycle else { return };
        let (last, x) = (self.chart.rows.len(), LEFT - BRACKET + 8);
        // The text of a row stands above its line.
        let (top, bottom) = (self.y(first) - 20, self.y(last.max(first + 1) - 1) + 6);
        if first < last {
            let height = bottom - top;
            let _ = writeln!(out, "<rect class=\"f\" x=\"0\" y=\"{top}\" width=\"{width}\" height=\"{height}\"/>");
            let to = x + BRACKET - 6;
            let _ = writeln!(out, "<path class=\"c\" d=\"M{to} {bottom}H{x}V{top}H{to}\"/>");
        }
        let (y, words) = (self.y(last) + 4, if first < last { "for ever" } else { "for ever nothing else" });
        let _ = writeln!(out, "<text class=\"e\" x=\"8\" y=\"{y}\">{words}</text>");
    }

    /// A band for each condition of the formula, filled where it is true.
    fn bands(&self, out: &mut String) {
        let chart = self.chart;
        let left = LEFT + chart.lines.len().max(1) * self.step;
        for (i, condition) in chart.conditions.iter().enumerate() {
            let x = left + i * self.band();
            let (text, y, bottom) = (escape(&clip(condition)), TOP - ROW, self.y(chart.rows.len()) - ROW / 2);
            let _ = writeln!(out, "<text class=\"h\" x=\"{x}\" y=\"{y}\">{text}</text>");
            let _ = writeln!(out, "<line class=\"q\" x1=\"{x}\" y1=\"{}\" x2=\"{x}\" y2=\"{bottom}\"/>", TOP - 20);
            for row in (0..chart.rows.len()).filter(|&row| chart.rows[row].truths.get(i) == Some(&true)) {
                let (y, height) = (self.y(row) - ROW / 2, self.y(row + 1) - self.y(row));
                let _ = writeln!(out, "<rect class=\"p\" x=\"{x}\" y=\"{y}\" width=\"{BAND}\" height=\"{height}\"/>");
            }
        }
    }

    fn event(&self, event: &Event, row: usize, out: &mut String) {
        let y = self.y(row);
        match event {
            Event::Handshake { from, to, text } => {
                let (a, b) = (self.x(*from), self.x(*to));
                let _ = writeln!(out, "<line class=\"a\" x1=\"{a}\" y1=\"{y}\" x2=\"{b}\" y2=\"{y}\"/>");
                label(out, (a + b) / 2, y, "middle", text);
            }
            Event::Send { at, text, taken } => {
                self.flight(*at, row, *taken, out);
                label(out, self.x(*at) + 6, y, "start", text);
            }
            Event::Receive { at, text } | Event::Note { at, text } => {
                let _ = writeln!(out, "<circle class=\"d\" cx=\"{}\" cy=\"{y}\" r=\"2.5\"/>", self.x(*at));
                label(out, self.x(*at) + 6, y, "start", text);
            }
        }
    }

    /// The way of a message through its channel; a ring if nobody takes it.
    fn flight(&self, from: usize, row: usize, taken: Option<usize>, out: &mut String) {
        let (x, y) = (self.x(from), self.y(row));
        let receiver = taken.and_then(|to| match self.chart.rows.get(to)?.event {
            Event::Receive { at, .. } => Some((self.x(at), self.y(to))),
            _ => None,
        });
        let _ = match receiver {
            Some((to_x, to_y)) => {
                writeln!(out, "<line class=\"b\" x1=\"{x}\" y1=\"{y}\" x2=\"{to_x}\" y2=\"{to_y}\"/>")
            }
            None => writeln!(out, "<circle class=\"o\" cx=\"{x}\" cy=\"{y}\" r=\"4\"/>"),
        };
    }
}

/// A name that is not too long for the head of a band.
fn clip(name: &str) -> String {
    if name.chars().count() <= WIDEST_CONDITION {
        return name.to_string();
    }
    name.chars().take(WIDEST_CONDITION - 1).chain(['…']).collect()
}

fn label(out: &mut String, x: usize, y: usize, anchor: &str, text: &str) {
    let (text, y) = (escape(text), y - 5);
    let _ = writeln!(out, "<text text-anchor=\"{anchor}\" x=\"{x}\" y=\"{y}\">{text}</text>");
}

/// Text that cannot be taken for markup.
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            '"' => out.push_str("&quot;"),
            // Control characters are not allowed in XML at all.
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::super::{Line, Row};
    use super::*;

    #[test]
    fn a_picture_draws_each_kind_of_event() {
        let line = |pid| Line { pid, proctype: "P<1>".into() };
        let rows = [
            Event::Handshake { from: 0, to: 1, text: "c!1".into() },
            Event::Send { at: 0, text: "q!\"a\"".into(), taken: Some(2) },
            Event::Receive { at: 1, text: "q?\"a\"".into() },
            Event::Send { at: 1, text: "q!2".into(), taken: None },
            Event::Note { at: 0, text: "a\u{1}b".into() },
        ];
        let rows = rows.into_iter().zip(1..).map(|(event, number)| Row { number, event, truths: vec![number == 2] });
        let (rows, conditions) = (rows.collect(), vec!["x<1".to_string()]);
        let text = svg(&Chart { lines: vec![line(0), line(1)], rows, conditions, cycle: Some(2) });
        assert!(text.starts_with("<svg") && text.ends_with("</svg>\n"));
        for part in [
            "class=\"a\"",
            "class=\"b\"",
            "class=\"o\"",
            "P&lt;1&gt;(0)",
            "&quot;a&quot;",
            "a b",
            "x&lt;1",
            "class=\"c\"",
        ] {
            assert!(text.contains(part), "{part} in {text}");
        }
    }

    #[test]
    fn an_empty_chart_is_a_picture_too() {
        assert!(svg(&Chart::default()).contains("<svg"));
    }
}
