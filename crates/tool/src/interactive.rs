//! A run in which the user chooses each step.

use crate::screen;
use starwheel_workbench::record;
use starwheel_workbench::show::{self, Columns};
use starwheel_workbench::{Opened, Plan, Recorder, describe};
use std::io::BufRead;

const HELP: &str = "\
  a number   take that step
  return     take the only possible step
  b          one step back
  s          show all values
  h          show the run so far
  ?          this help
  q          quit
";

/// What the user typed.
#[derive(Debug, PartialEq, Eq)]
enum Answer {
    Take(usize),
    Only,
    Back,
    State,
    History,
    Help,
    Quit,
    Unclear,
}

fn answer(line: &str) -> Answer {
    match line.trim() {
        "" => Answer::Only,
        "b" | "back" => Answer::Back,
        "s" | "state" => Answer::State,
        "h" | "history" => Answer::History,
        "?" | "help" => Answer::Help,
        "q" | "quit" => Answer::Quit,
        number => number.parse().map_or(Answer::Unclear, Answer::Take),
    }
}

/// Asks and moves until the user has had enough or the input ends.
pub fn run(opened: &Opened, plan: &Plan) -> u8 {
    let mut walker = Walker { opened, recorder: Recorder::new(opened), chosen: Vec::new(), plan };
    let mut input = std::io::stdin().lock();
    screen::out("Choose steps by number; `?` for help.\n\n");
    loop {
        let count = walker.menu();
        let mut line = String::new();
        if input.read_line(&mut line).is_ok_and(|n| n == 0) || !walker.obey(answer(&line), count) {
            screen::out("\n");
            return 0;
        }
    }
}

struct Walker<'a> {
    opened: &'a Opened,
    recorder: Recorder<'a>,
    /// The steps taken so far.
    chosen: Vec<starwheel_workbench::Step>,
    plan: &'a Plan,
}

impl Walker<'_> {
    /// Shows what is possible; the number of possibilities.
    fn menu(&mut self) -> usize {
        let steps = self.recorder.enabled();
        for (i, &step) in steps.iter().enumerate() {
            screen::out(&format!("  {:>3}  {}\n", i + 1, describe(self.opened, step)));
        }
        if steps.is_empty() {
            let over = if self.recorder.broken() { "the last step has no meaning" } else { "the run is over" };
            let why = self.recorder.stuck().unwrap_or_else(|| over.to_string());
            screen::out(&format!("  nothing is possible: {why} (b: back, q: quit)\n"));
        }
        screen::out("> ");
        steps.len()
    }

    /// Does what the user wants; false to stop.
    fn obey(&mut self, answer: Answer, count: usize) -> bool {
        match answer {
            Answer::Take(n) if (1..=count).contains(&n) => self.take(n - 1),
            Answer::Only if count == 1 => self.take(0),
            Answer::Take(_) | Answer::Only if count > 0 => {
                screen::out(&format!("a number from 1 to {count}, please\n"))
            }
            Answer::Take(_) | Answer::Only => screen::out("no step is possible here\n"),
            Answer::Back => self.back(),
            Answer::State => screen::out(&show::situation(self.recorder.situation(), screen::width())),
            Answer::History => self.history(),
            Answer::Help => screen::out(HELP),
            Answer::Unclear => screen::out("a number, b, s, h, ? or q, please\n"),
            Answer::Quit => return false,
        }
        true
    }

    fn take(&mut self, choice: usize) {
        let Some(&step) = self.recorder.enabled().get(choice) else { return };
        self.chosen.push(step);
        for m in self.recorder.take(step).moves {
            screen::out(&Columns::open().line(&m, screen::detail(self.plan)));
        }
    }

    /// Runs all steps but the last again: states are cheap to compute and dear to keep.
    fn back(&mut self) {
        if self.chosen.pop().is_none() {
            screen::out("this is the start\n");
            return;
        }
        self.recorder = Recorder::new(self.opened);
        for &step in &self.chosen {
            self.recorder.pass(step);
        }
        self.recorder.look();
    }

    fn history(&mut self) {
        match record::walk(self.opened, record::Path::plain(&self.chosen), None) {
            Ok(walk) => screen::out(&show::walk(&walk, screen::detail(self.plan))),
            Err(failure) => screen::problems(&failure.problems),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_understood() {
        assert_eq!(answer("12\n"), Answer::Take(12));
        assert_eq!(answer("\n"), Answer::Only);
        assert_eq!(answer(" b \n"), Answer::Back);
        assert_eq!(answer("-1"), Answer::Unclear);
        assert_eq!(answer("99999999999999999999999"), Answer::Unclear);
        assert_eq!(answer("?"), Answer::Help);
    }
}
