//! A run in which the user chooses each step, goes back, lets it run on, and looks at what it waits for.

use crate::prompt::Prompt;
use crate::{screen, simulate, verdict};
use starwheel_workbench::quantity::plural;
use starwheel_workbench::record;
use starwheel_workbench::report::waiting::{self, Waiting};
use starwheel_workbench::show::{self, Columns, Teller};
use starwheel_workbench::{Failure, Opened, Plan, Probe, ProcessStep, Random, Recorder, Step, describe, saved};
use std::path::Path;

const HELP: &str = "  a number   take that step
  return     take the only possible step
  g [N]      go on as long as only one step is possible, N steps at most
  r N        N random steps
  c EXPR     random steps until EXPR holds, such as `c x == 3` or `c P[1]:i > 2`
  b [N]      one step back, or N
  p EXPR     the value of an expression
  l          who waits, and what stands in the way
  s          show all values
  h          show the run so far
  w FILE     save the run as a trail, for `starwheel replay MODEL FILE`
  ?          this help
  q          quit
On a terminal the arrow keys bring earlier lines back, and Ctrl-R finds them.
";

/// Steps that `c` takes at most.
const UNTIL: u64 = 100_000;

/// What the user typed.
#[derive(Debug, PartialEq, Eq)]
enum Answer<'a> {
    Take(usize),
    Only,
    Go(u64),
    Random(u64),
    Until(&'a str),
    Back(usize),
    Print(&'a str),
    Waiting,
    State,
    History,
    Save(&'a str),
    Help,
    Quit,
    Unclear,
}

fn answer(line: &str) -> Answer<'_> {
    let line = line.trim();
    let (word, rest) = line.split_once(char::is_whitespace).map_or((line, ""), |(a, b)| (a, b.trim()));
    let number = |usual: u64| if rest.is_empty() { Some(usual) } else { rest.parse().ok() };
    match (word, rest) {
        ("", _) => Answer::Only,
        ("g" | "go", _) => number(u64::MAX).map_or(Answer::Unclear, Answer::Go),
        ("r" | "random", _) => number(1).map_or(Answer::Unclear, Answer::Random),
        ("c" | "until", expression) if !expression.is_empty() => Answer::Until(expression),
        ("p" | "print", expression) if !expression.is_empty() => Answer::Print(expression),
        ("w" | "write", file) if !file.is_empty() => Answer::Save(file),
        ("b" | "back", _) => number(1).map_or(Answer::Unclear, |n| Answer::Back(n as usize)),
        ("l" | "waiting", "") => Answer::Waiting,
        ("s" | "state", "") => Answer::State,
        ("h" | "history", "") => Answer::History,
        ("?" | "help", "") => Answer::Help,
        ("q" | "quit", "") => Answer::Quit,
        (number, "") => number.parse().map_or(Answer::Unclear, Answer::Take),
        _ => Answer::Unclear,
    }
}

/// Asks and moves until the user has had enough or the input ends; the run begins with these steps.
pub fn run(opened: &Opened, plan: &Plan, begin: &[Step]) -> u8 {
    let random = Random::new(plan.seed.unwrap_or_else(simulate::clock));
    let teller = Teller::new(Columns::open(opened), screen::detail(plan));
    let mut walker = Walker { opened, recorder: Recorder::new(opened), chosen: Vec::new(), plan, random, teller };
    for &step in begin {
        walker.chosen.push(step);
        walker.recorder.pass(step);
    }
    walker.recorder.look();
    let mut prompt = Prompt::new();
    if !begin.is_empty() {
        let taken = begin.iter().map(|&s| record::halves(s)).sum();
        let taken = plural(taken, "step of the trail was", "steps of the trail were");
        screen::out(&format!("{taken} taken; `b N` goes back, `h` shows them.\n"));
    }
    screen::out("Choose steps by number; `?` for help.\n\n");
    loop {
        let count = walker.menu();
        let line = prompt.line();
        if !line.is_some_and(|line| walker.obey(answer(&line), count)) {
            screen::out("\n");
            return 0;
        }
    }
}

struct Walker<'a> {
    opened: &'a Opened,
    recorder: Recorder<'a>,
    /// The steps taken so far.
    chosen: Vec<Step>,
    plan: &'a Plan,
    random: Random,
    teller: Teller,
}

impl Walker<'_> {
    /// Shows what is possible; the number of possibilities.
    fn menu(&mut self) -> usize {
        let steps = self.recorder.enabled();
        for (i, &step) in steps.iter().enumerate() {
            screen::out(&format!("  {:>3}  {}\n", i + 1, describe(self.opened, step)));
        }
        if steps.is_empty() {
            let why = match self.recorder.stuck() {
                Some(_) => "the system is stuck (l: who waits, ",
                None if self.recorder.broken() => "the last step has no meaning (",
                None => "the run is over (",
            };
            screen::out(&format!("  nothing is possible: {why}b: back, q: quit)\n"));
        }
        steps.len()
    }

    /// Does what the user wants; false to stop.
    fn obey(&mut self, answer: Answer<'_>, count: usize) -> bool {
        match answer {
            Answer::Take(n) if (1..=count).contains(&n) => self.take(n - 1),
            Answer::Only if count == 1 => self.take(0),
            Answer::Take(_) | Answer::Only if count > 0 => {
                screen::out(&format!("a number from 1 to {count}, please\n"))
            }
            Answer::Take(_) | Answer::Only => screen::out("no step is possible here\n"),
            Answer::Go(most) => self.go(most),
            Answer::Random(steps) => self.wander(steps, None),
            Answer::Until(expression) => match Probe::new(self.opened, expression) {
                Ok(probe) => self.wander(UNTIL, Some(&probe)),
                Err(failure) => screen::problems(&failure.problems),
            },
            Answer::Back(steps) => self.back(steps),
            Answer::Print(expression) => self.print(expression),
            Answer::Waiting => self.waiting(),
            Answer::State => screen::out(&show::situation(self.recorder.situation(), screen::width())),
            Answer::History => self.history(),
            Answer::Save(file) => self.save(file),
            Answer::Help => screen::out(HELP),
            Answer::Unclear => screen::out("a number, or one of g r c b p l s h w q; `?` explains them\n"),
            Answer::Quit => return false,
        }
        true
    }

    fn take(&mut self, choice: usize) {
        let Some(&step) = self.recorder.enabled().get(choice) else { return };
        self.chosen.push(step);
        for m in self.recorder.take(step).moves {
            screen::out(&self.teller.line(&m));
        }
    }

    /// Goes on while there is no choice.
    fn go(&mut self, most: u64) {
        // A loop without a choice would never end; nobody looks at so many lines.
        for _ in 0..most.min(1000) {
            if self.recorder.enabled().len() != 1 {
                return;
            }
            self.take(0);
        }
    }

    /// Random steps, so many or until a condition holds.
    fn wander(&mut self, most: u64, until: Option<&Probe>) {
        for _ in 0..most {
            match until.map(|probe| probe.value(&mut self.recorder)) {
                Some(Ok(0)) | None => {}
                Some(Ok(_)) => return screen::out("it holds here\n"),
                Some(Err(why)) => return screen::out(&format!("it has no value here: {why}\n")),
            }
            let count = self.recorder.enabled().len();
            let numbers: Vec<usize> = (0..count).collect();
            let Some(&choice) = self.random.choose(&numbers) else { return };
            self.take(choice);
        }
        if until.is_some() {
            screen::out(&format!("it did not hold within {most} steps\n"));
        }
    }

    /// Runs all steps but the last ones again: states are cheap to compute and dear to keep.
    fn back(&mut self, steps: usize) {
        if self.chosen.is_empty() {
            screen::out("this is the start\n");
            return;
        }
        self.chosen.truncate(self.chosen.len().saturating_sub(steps));
        self.recorder = Recorder::new(self.opened);
        for &step in &self.chosen {
            self.recorder.pass(step);
        }
        self.recorder.look();
        self.teller = Teller::new(Columns::open(self.opened), screen::detail(self.plan));
    }

    fn print(&mut self, expression: &str) {
        match Probe::new(self.opened, expression).map(|probe| probe.value(&mut self.recorder)) {
            Ok(Ok(value)) => screen::out(&format!("{expression} = {value}\n")),
            Ok(Err(why)) => screen::out(&format!("it has no value here: {why}\n")),
            Err(failure) => screen::problems(&failure.problems),
        }
    }

    /// Who cannot move, and why.
    fn waiting(&mut self) {
        let steps = self.recorder.enabled();
        let moves = |pid: u8| {
            steps.iter().any(|s| s.pid().0 == pid || s.partner().is_some_and(|(partner, _)| partner.0 == pid))
        };
        let all = waiting::waiting(self.opened, &mut self.recorder);
        let mover = steps.first().and_then(|s| all.iter().find(|w| w.pid == s.pid().0)).map(Waiting::who);
        if let Some(who) = mover.filter(|_| self.recorder.atomic()) {
            screen::out(&format!("{who} is inside `atomic`: the others wait until it ends or cannot go on\n"));
        }
        let blocked: Vec<_> = all.into_iter().filter(|w| !moves(w.pid)).collect();
        match blocked.is_empty() {
            true => screen::out("every process can move\n"),
            false => screen::out(&verdict::blocked(&blocked, screen::detail(self.plan))),
        }
    }

    fn history(&mut self) {
        match record::walk(self.opened, record::Path::plain(&self.chosen), None) {
            Ok(walk) => screen::out(&show::walk(&walk, screen::detail(self.plan))),
            Err(failure) => screen::problems(&failure.problems),
        }
    }

    fn save(&mut self, file: &str) {
        let saved: Result<(), Failure> = saved::save(self.opened, &self.chosen, Path::new(file), self.plan.force);
        match saved {
            Ok(()) => screen::out(&format!("wrote {file}\n")),
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
        assert_eq!(answer(" b \n"), Answer::Back(1));
        assert_eq!(answer("b 5"), Answer::Back(5));
        assert_eq!(answer("r 20"), Answer::Random(20));
        assert_eq!(answer("c x == 3"), Answer::Until("x == 3"));
        assert_eq!(answer("p"), Answer::Unclear);
        assert_eq!(answer("w my run.json"), Answer::Save("my run.json"));
        assert_eq!(answer("-1"), Answer::Unclear);
        assert_eq!(answer("99999999999999999999999"), Answer::Unclear);
        assert_eq!(answer("?"), Answer::Help);
    }
}
