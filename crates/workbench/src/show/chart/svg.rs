//! A message sequence chart as a picture (SVG), made to be read in a browser.

use super::grid::{BAND, BRACKET, Grid, LEFT, ROW, label_of, name_of};
use super::{Chart, Event, HEAD_EVERY, elapsed, name};
use std::fmt::Write;

const STYLE: &str = "text{font:13px monospace;fill:#222}.n{fill:#999}.h{font-weight:bold}.g{fill:#666}\
.t{paint-order:stroke;stroke:#fff;stroke-opacity:.85;stroke-width:3px}\
.l{stroke:#bbb;stroke-dasharray:3 3}.a{stroke:#06c;stroke-width:1.5;marker-end:url(#t)}\
.b{stroke:#d70;stroke-width:1.2;marker-end:url(#t)}.o{fill:#fff;stroke:#d70}.d{fill:#555}\
.c{fill:none;stroke:#a0a;stroke-width:2;marker-end:url(#t)}.e{fill:#a0a}.f{fill:#f6eefa}.p{fill:#8c8}.q{stroke:#ddd}.w{fill:#fff0f0;stroke:#b00020}";

/// The whole picture.
pub fn svg(chart: &Chart) -> String {
    let grid = Grid::new(chart);
    let (width, height) = (grid.width, grid.height());
    let mut out = String::new();
    let _ = writeln!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\">\n\
         <style>{STYLE}</style>\n\
         <defs><marker id=\"t\" viewBox=\"0 0 8 8\" refX=\"8\" refY=\"4\" markerWidth=\"8\" markerHeight=\"8\" \
         markerUnits=\"userSpaceOnUse\" orient=\"auto\">\
         <path d=\"M0 0L8 4L0 8z\" fill=\"context-stroke\"/></marker></defs>\n\
         <rect width=\"{width}\" height=\"{height}\" fill=\"#fff\"/>"
    );
    for (i, line) in grid.title.iter().enumerate() {
        text(&mut out, "h", 8, ROW * (i + 1) - 6, line);
    }
    grid.cycle(&mut out);
    grid.bands(&mut out);
    for &x in &grid.lines {
        let (top, bottom) = (grid.top() - 20, grid.bottom());
        let _ = writeln!(out, "<line class=\"l\" x1=\"{x}\" y1=\"{top}\" x2=\"{x}\" y2=\"{bottom}\"/>");
    }
    for (i, row) in chart.rows.iter().enumerate() {
        if i % HEAD_EVERY == 0 {
            grid.heads(i, &mut out);
        }
        if chart.begins(i) {
            let _ = writeln!(out, "<text class=\"n\" x=\"8\" y=\"{}\">{}</text>", grid.y(i) + 4, row.number);
        }
        // Whoever points at it sees where it stands.
        if row.place.is_empty() {
            grid.event(&row.event, i, &mut out);
        } else {
            let _ = writeln!(out, "<g><title>{}</title>", escape(&row.place));
            grid.event(&row.event, i, &mut out);
            out.push_str("</g>\n");
        }
    }
    for (i, line) in grid.legend.iter().enumerate() {
        text(&mut out, if i < grid.colours { "e" } else { "g" }, 8, grid.bottom() + ROW * (i + 1) - 6, line);
    }
    out.push_str("</svg>\n");
    out
}

impl Grid<'_> {
    fn heads(&self, row: usize, out: &mut String) {
        let y = self.y(row) - ROW;
        for (line, &x) in self.chart.lines.iter().zip(&self.lines) {
            let text = escape(&name(line));
            let _ = writeln!(out, "<text class=\"h\" text-anchor=\"middle\" x=\"{x}\" y=\"{y}\">{text}</text>");
        }
        for (i, condition) in self.chart.conditions.iter().enumerate() {
            let (x, shown) = (self.bands[i], name_of(i, condition));
            let (hint, shown) = (hint(&shown, condition), escape(&shown));
            let _ = writeln!(out, "<text class=\"h\" x=\"{x}\" y=\"{y}\">{shown}{hint}</text>");
        }
    }

    /// A background and an arrow from the end of the cycle back to its start.
    fn cycle(&self, out: &mut String) {
        let (Some(first), last) = (self.chart.cycle, self.chart.rows.len()) else { return };
        if first >= last {
            return;
        }
        // The text of a row stands above its line.
        let (x, top, bottom) = (LEFT - BRACKET + 8, self.y(first) - 20, self.y(last - 1) + 6);
        let (width, height, to) = (self.width, bottom - top, x + BRACKET - 6);
        let _ = writeln!(out, "<rect class=\"f\" x=\"0\" y=\"{top}\" width=\"{width}\" height=\"{height}\"/>");
        let _ = writeln!(out, "<path class=\"c\" d=\"M{to} {bottom}H{x}V{top}H{to}\"/>");
    }

    /// A band for each condition of the formula, filled where it is true: from the step that makes it so to the next.
    fn bands(&self, out: &mut String) {
        let (rows, top) = (&self.chart.rows, self.top() - 20);
        let mut fill = |x: usize, from: usize, to: usize| {
            let height = to - from;
            let _ = writeln!(out, "<rect class=\"p\" x=\"{x}\" y=\"{from}\" width=\"{BAND}\" height=\"{height}\"/>");
        };
        let middle = |row: usize| self.y(row) - ROW / 2;
        for (i, &x) in self.bands.iter().enumerate() {
            if self.chart.opening.get(i) == Some(&true) {
                fill(x, top, middle(0));
            }
            for row in (0..rows.len()).filter(|&row| rows[row].truths.get(i) == Some(&true)) {
                fill(x, middle(row), middle(row + 1));
            }
        }
        for &x in &self.bands {
            let _ =
                writeln!(out, "<line class=\"q\" x1=\"{x}\" y1=\"{top}\" x2=\"{x}\" y2=\"{}\"/>", middle(rows.len()));
        }
    }

    fn event(&self, event: &Event, row: usize, out: &mut String) {
        let y = self.y(row);
        match event {
            Event::Handshake { from, to, text } => {
                let (a, b) = (self.lines[*from], self.lines[*to]);
                let _ = writeln!(out, "<line class=\"a\" x1=\"{a}\" y1=\"{y}\" x2=\"{b}\" y2=\"{y}\"/>");
                // At the sender's end if it is the left one; else where the arrow points.
                label(out, a.min(b) + 10, y, text);
            }
            Event::Send { at, text, taken, .. } => {
                self.flight(*at, row, *taken, out);
                label(out, self.lines[*at] + 6, y, text);
            }
            Event::Tick { slices, time } => {
                let right = self.width - 8;
                let _ = writeln!(out, "<line class=\"l\" x1=\"{LEFT}\" y1=\"{y}\" x2=\"{right}\" y2=\"{y}\"/>");
                label(out, LEFT, y, &elapsed(*slices, *time));
            }
            Event::Wait { at, text } => {
                let (x, shown) = (self.lines[*at], label_of(text));
                let width = shown.chars().count() * 8 + 12;
                let top = y - 17;
                let _ = writeln!(out, "<rect class=\"w\" x=\"{x}\" y=\"{top}\" width=\"{width}\" height=\"18\"/>");
                label(out, x + 6, y + 1, text);
            }
            Event::Receive { at, known: true, text } => {
                let place = self.chart.rows.get(row).map_or("", |r| r.place.as_str());
                let (x, text) = (self.lines[*at], escape(format!("{text}  {place}").trim_end()));
                let _ =
                    writeln!(out, "<circle class=\"d\" cx=\"{x}\" cy=\"{y}\" r=\"2.5\"><title>{text}</title></circle>");
            }
            Event::Receive { at, text, .. } | Event::Note { at, text } => {
                let _ = writeln!(out, "<circle class=\"d\" cx=\"{}\" cy=\"{y}\" r=\"2.5\"/>", self.lines[*at]);
                label(out, self.lines[*at] + 6, y, text);
            }
        }
    }

    /// The way of a message through its channel; a ring if nobody takes it.
    fn flight(&self, from: usize, row: usize, taken: Option<usize>, out: &mut String) {
        let (x, y) = (self.lines[from], self.y(row));
        let receiver = taken.and_then(|to| match self.chart.rows.get(to)?.event {
            Event::Receive { at, .. } => Some((self.lines[at], self.y(to))),
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

/// A text above a line; one that is too long is there in full when the mouse points at it.
fn label(out: &mut String, x: usize, y: usize, text: &str) {
    let (shown, y) = (label_of(text), y - 5);
    let (hint, shown) = (hint(&shown, text), escape(&shown));
    let _ = writeln!(out, "<text class=\"t\" x=\"{x}\" y=\"{y}\">{shown}{hint}</text>");
}

/// What is shown when the mouse points at a text that is not there in full.
fn hint(shown: &str, full: &str) -> String {
    if shown == full { String::new() } else { format!("<title>{}</title>", escape(full)) }
}

fn text(out: &mut String, class: &str, x: usize, y: usize, text: &str) {
    let _ = writeln!(out, "<text class=\"{class}\" x=\"{x}\" y=\"{y}\">{}</text>", escape(text));
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
            Event::Send { at: 0, text: "q!\"a\"".into(), taken: Some(2), to: None },
            Event::Receive { at: 1, text: "q?\"a\"".into(), known: true },
            Event::Send { at: 1, text: "q!2".into(), taken: None, to: None },
            Event::Note { at: 0, text: "a\u{1}b".into() },
        ];
        let rows = rows.into_iter().zip(1..).map(|(event, number)| Row {
            number,
            event,
            truths: vec![number == 2],
            place: "m.pml:7".into(),
        });
        let (rows, conditions) = (rows.collect(), vec!["x<1".to_string()]);
        let chart = Chart { lines: vec![line(0), line(1)], rows, conditions, cycle: Some(2), ..Chart::default() };
        let text = svg(&chart);
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
            "<title>m.pml:7</title>",
            "<title>q?&quot;a&quot;  m.pml:7</title>",
        ] {
            assert!(text.contains(part), "{part} in {text}");
        }
    }

    #[test]
    fn an_empty_chart_is_a_picture_too() {
        assert!(svg(&Chart::default()).contains("<svg"));
    }

    #[test]
    fn nothing_is_cut_off() {
        let long = "a_channel_with_a_long_name!".repeat(2) + &"1,".repeat(40);
        let rows = vec![Row {
            number: 1,
            event: Event::Note { at: 0, text: long.clone() },
            truths: vec![true],
            place: String::new(),
        }];
        let chart = Chart {
            lines: vec![Line { pid: 0, proctype: "P".into() }],
            rows,
            title: vec!["word ".repeat(60)],
            conditions: vec!["a && ".repeat(40)],
            cycle: Some(1),
            ..Chart::default()
        };
        let text = svg(&chart);
        let number = |part: &str| part.split('"').nth(1).and_then(|n| n.parse::<usize>().ok());
        let width = number(text.split("width=").nth(1).unwrap()).unwrap();
        assert!(text.contains(&format!("<title>{long}</title>")), "{text}");
        for line in text.lines().filter(|l| l.starts_with("<text")) {
            let x = number(line.split("x=").nth(1).unwrap()).unwrap();
            let shown = line.split('>').nth(1).unwrap().split('<').next().unwrap();
            let shown = shown.replace("&amp;", "&").chars().count();
            assert!(x + shown * 8 <= width, "{width}: {line}");
        }
        assert!(text.contains("c0 = a &amp;&amp; a"), "the whole condition stands below: {text}");
    }
}
