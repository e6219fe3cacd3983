//! Where things stand in the picture of a chart: every text has the room that it needs.

use super::{Chart, Event, HEAD_EVERY, name};

/// Pixels between two rows.
pub const ROW: usize = 26;
/// Pixels for the numbers of the steps.
pub const LEFT: usize = 76;
/// Pixels for the bracket of a cycle, left of the life lines.
pub const BRACKET: usize = 24;
/// Pixels of the band of a condition.
pub const BAND: usize = 12;
/// Pixels above the first row, besides the title.
const HEAD: usize = 62;
/// Pixels of one character, roughly.
const CHAR: usize = 8;
/// Pixels between a text and what follows it.
const SPACE: usize = 20;
/// The least distance of two life lines.
const NARROW: usize = 110;
/// The longest text of an event that is shown in full.
const WIDEST_LABEL: usize = 40;
/// The longest condition that is shown in full above its band.
const WIDEST_CONDITION: usize = 24;
/// Where lines above and below the chart are broken, in characters.
const WRAP: usize = 110;

/// Where things stand.
pub struct Grid<'a> {
    /// What is drawn.
    pub chart: &'a Chart,
    /// The lines above it.
    pub title: Vec<String>,
    /// The lines below it.
    pub legend: Vec<String>,
    /// How many of them speak of the cycle.
    pub colours: usize,
    /// By life line: how far to the right.
    pub lines: Vec<usize>,
    /// By condition: how far to the right.
    pub bands: Vec<usize>,
    /// Of the whole picture.
    pub width: usize,
}

impl<'a> Grid<'a> {
    /// Finds a place for everything.
    pub fn new(chart: &'a Chart) -> Grid<'a> {
        let title: Vec<String> = chart.title.iter().flat_map(|line| wrap(line)).collect();
        let cycle: Vec<String> = chart.cycle.map(|first| about_cycle(first < chart.rows.len())).into_iter().collect();
        let (colours, mut legend) = (cycle.len(), cycle);
        legend.extend(about_bands(chart));
        let (lines, mut right) = columns(chart);
        let mut bands = Vec::new();
        for (i, condition) in chart.conditions.iter().enumerate() {
            bands.push(right);
            right += pixels(&name_of(i, condition)) + SPACE;
        }
        let texts = title.iter().chain(&legend).map(|line| pixels(line) + SPACE);
        let width = texts.chain([right]).max().unwrap_or(right);
        Grid { chart, title, legend, colours, lines, bands, width }
    }

    /// Where the first row is.
    pub fn top(&self) -> usize {
        HEAD + self.title.len() * ROW
    }

    /// Where a row is. Every repeated head takes a row of its own.
    pub fn y(&self, row: usize) -> usize {
        self.top() + (row + row / HEAD_EVERY) * ROW
    }

    /// Where the life lines end.
    pub fn bottom(&self) -> usize {
        self.y(self.chart.rows.len())
    }

    /// Of the whole picture.
    pub fn height(&self) -> usize {
        self.bottom() + self.legend.len() * ROW + SPACE / 2
    }
}

/// The places of the life lines, and where free room begins: texts stand to the right of a line.
fn columns(chart: &Chart) -> (Vec<usize>, usize) {
    let half = |line: usize| pixels(&name(&chart.lines[line])) / 2;
    let mut room = vec![0; chart.lines.len()];
    for (line, text) in chart.rows.iter().filter_map(|row| leftmost(&row.event)) {
        room[line] = room[line].max(pixels(&label_of(text)));
    }
    let mut x = LEFT;
    let mut out = Vec::new();
    for line in 0..chart.lines.len() {
        let before = if line == 0 { 0 } else { half(line - 1).max(room[line - 1]) + SPACE };
        x = match out.last() {
            None => LEFT + half(0),
            Some(last) => last + (half(line - 1) + half(line) + SPACE).max(before).max(NARROW),
        };
        out.push(x);
    }
    let last = chart.lines.len().checked_sub(1).map_or(NARROW, |last| half(last).max(room[last]));
    (out, x + last + SPACE)
}

/// The line at whose right the text of an event stands, and the text; none for what concerns all.
fn leftmost(event: &Event) -> Option<(usize, &str)> {
    match event {
        Event::Handshake { from, to, text } => Some((*from.min(to), text)),
        Event::Receive { known: true, .. } | Event::Tick { .. } => None,
        Event::Send { at, text, .. }
        | Event::Receive { at, text, .. }
        | Event::Note { at, text }
        | Event::Wait { at, text } => Some((*at, text)),
    }
}

/// The text of an event, not too long.
pub fn label_of(text: &str) -> String {
    clip(text, WIDEST_LABEL)
}

/// What stands above the band of a condition: the condition, or a short name that is explained below.
pub fn name_of(number: usize, condition: &str) -> String {
    if condition.chars().count() <= WIDEST_CONDITION { condition.to_string() } else { format!("c{number}") }
}

fn about_cycle(shown: bool) -> String {
    let text = if shown {
        "The shaded steps repeat for ever."
    } else {
        "From here on nothing of what is shown happens any more."
    };
    text.to_string()
}

fn about_bands(chart: &Chart) -> Vec<String> {
    let mut out = Vec::new();
    if !chart.conditions.is_empty() {
        out.push("A green band: the condition is true after the step.".to_string());
    }
    for (i, condition) in chart.conditions.iter().enumerate() {
        let short = name_of(i, condition);
        if short != *condition {
            out.extend(wrap(&format!("{short} = {condition}")));
        }
    }
    out
}

fn pixels(text: &str) -> usize {
    text.chars().count() * CHAR
}

fn clip(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_string();
    }
    text.chars().take(most - 1).chain(['…']).collect()
}

/// The lines of a long text; a word that is too long for a line is broken.
fn wrap(text: &str) -> Vec<String> {
    let mut out = vec![String::new()];
    for word in text.split_inclusive([' ', '&', '|']) {
        for c in word.chars().collect::<Vec<_>>().chunks(WRAP) {
            let full = out.last().is_some_and(|line| line.chars().count() + c.len() > WRAP);
            if full {
                out.push("    ".to_string());
            }
            if let Some(line) = out.last_mut() {
                line.extend(c);
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lines_are_broken_and_nothing_is_lost() {
        let text = format!("{} {}", "word ".repeat(50), "x".repeat(400));
        let lines = wrap(&text);
        assert!(lines.len() > 5 && lines.iter().all(|line| line.chars().count() <= WRAP + 4), "{lines:?}");
        let letters = |text: &str| text.chars().filter(|c| *c != ' ').count();
        assert_eq!(lines.iter().map(|line| letters(line)).sum::<usize>(), letters(&text));
        assert_eq!(wrap("short"), ["short"]);
    }
}
