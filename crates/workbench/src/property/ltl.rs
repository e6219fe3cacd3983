//! The automaton of a formula, by itself or in the words of a model: for people, for SPIN, for tools that read HOA.

use crate::ask::plan::{Plan, Reading};
use crate::ask::quantity::plural;
use crate::open::{self, open};
use crate::problem::{Code, Failure, Problem};
use crate::property::formula::{automaton, smallest};
use crate::property::proposition::Taken;
use crate::report::{FORMAT, TOOL};
use serde_json::{Value, json};
use starwheel_automata::ltl::Grain;
use starwheel_automata::stutter::stutter_within;
use starwheel_automata::{Buchi, Formula, Lasso, Letter, Names, Prop, Stutter, dot, hoa, never, text};
use starwheel_base::{SourceMap, Span};
use starwheel_promela::ast::{Expr, Unit};
use starwheel_promela::parse::{parse_formula, parse_with};
use starwheel_promela::preprocess::{self, preprocess};
use std::path::Path;

/// A formula and its automaton.
#[derive(Debug)]
pub struct Shown {
    /// The formula that the automaton belongs to, negated if that was asked for.
    pub formula: Formula,
    /// The names of its propositions.
    pub names: Names,
    /// The automaton.
    pub automaton: Buchi,
    /// What repeated letters do to the formula; none if that is too hard to tell.
    pub stutter: Option<Stutter>,
    /// What is doubtful about the formula.
    pub warnings: Vec<Problem>,
}

/// The automaton of what was typed: a formula, or the name of an `ltl` block of the plan's model.
pub fn show(typed: &str, plan: &Plan) -> Result<Shown, Failure> {
    let (mut map, until) = (SourceMap::new(), &plan.reading.until);
    let (expr, warnings) = match &plan.model {
        Some(model) => in_model(&mut map, model, typed, &plan.reading)?,
        None => alone(&mut map, typed, &plan.reading)?,
    };
    let shown = |(formula, names): &(Formula, Names)| {
        let formula = if plan.negate { formula.negated() } else { formula.clone() };
        let automaton = automaton(&formula, names.len(), expr.span, until)?;
        let stutter = stutter_within(&formula, until).ok();
        Ok(Shown { formula, names: names.clone(), automaton, stutter, warnings: warnings.clone() })
    };
    let taken = Taken::new(&expr);
    let shown = taken.and_then(|taken| smallest([Grain::Fine, Grain::Whole].map(|grain| taken.over(grain)), shown));
    match until.why() {
        Some(why) => Err(Failure::stopped(why)),
        None => shown.map_err(|d| Failure::from(Problem::of(&map, &d))),
    }
}

/// A formula without a model: every name is a proposition.
fn alone(map: &mut SourceMap, typed: &str, reading: &Reading) -> Result<(Expr, Vec<Problem>), Failure> {
    let file = map.add_file("FORMULA", typed);
    let options = preprocess::Options {
        defines: reading.defines.clone(),
        undefines: reading.undefines.clone(),
        until: reading.until.clone(),
        ..preprocess::Options::default()
    };
    let tokens = preprocess(map, file, &options, &open::Folders::of(reading));
    let (expr, found) = parse_formula(&tokens.tokens, map, reading.spin_ltl);
    let problems = tokens.diagnostics.iter().chain(&found).map(|d| Problem::of(map, d)).collect();
    sound(expr, problems)
}

/// A formula of a model or in the words of a model.
fn in_model(
    map: &mut SourceMap,
    model: &Path,
    typed: &str,
    reading: &Reading,
) -> Result<(Expr, Vec<Problem>), Failure> {
    // The whole front end says whether the formula makes sense for the model; its tree keeps the words of the text.
    let wanted = vec![typed.to_string()];
    let opened = open(model, &Reading { ltl: wanted, ..reading.clone() })?;
    let text = opened.map.files().first().map(|f| f.text.clone()).unwrap_or_default();
    let main = map.add_file(model.display().to_string(), text);
    let further = open::Further::new(map, &opened.reading, &opened.words)?;
    let options = open::compile_options(map, &opened.reading, &further);
    let tokens = preprocess(map, main, &options.preprocess, &open::Folders::of(reading));
    let program = parse_with(&tokens.tokens, map, options.formulas, &options.preprocess.until).program;
    let place = opened.formulas.first().map(|&(_, id)| opened.model.proctype(id).span);
    let place = place.filter(|_| opened.formulas.len() == 1);
    let found = program.units.into_iter().find_map(|unit| match unit {
        Unit::Ltl(block) if same_place(place, block.span) => Some(block.formula),
        _ => None,
    });
    if found.is_none() {
        let problem = Problem::error(Code::NoFormula, format!("`{typed}` is not one formula of the model"));
        return Err(problem.advise("name one `ltl` block, or type a formula").into());
    }
    sound(found, opened.warnings)
}

/// True if a block that begins here is the one with this place.
fn same_place(wanted: Option<Span>, block: Span) -> bool {
    wanted.is_some_and(|w| w == block)
}

fn sound(expr: Option<Expr>, problems: Vec<Problem>) -> Result<(Expr, Vec<Problem>), Failure> {
    match expr {
        Some(expr) if !problems.iter().any(Problem::is_error) => Ok((expr, problems)),
        _ => Err(Failure { problems }),
    }
}

impl Shown {
    fn title(&self) -> String {
        self.formula.show(&self.names).to_string()
    }

    fn accepting(&self) -> usize {
        self.automaton.states().filter(|&s| self.automaton.is_accepting(s)).count()
    }

    fn size(&self) -> String {
        let states = plural(self.automaton.state_count() as u64, "state", "states");
        let edges = plural(self.automaton.edge_count() as u64, "edge", "edges");
        format!("{states} ({} accepting), {edges}", self.accepting())
    }

    /// For people: what it is, and the list of states and edges.
    pub fn text(&self) -> String {
        let names = self.names.iter().collect::<Vec<_>>().join(", ");
        let names = if names.is_empty() { "none" } else { &names };
        let mut out = format!("formula       {}\npropositions  {names}\n", self.title());
        out += &format!("automaton     {}\nstuttering    {}\n\n", self.size(), self.stuttering());
        out + &text::buchi(&self.automaton, &self.names)
    }

    fn stuttering(&self) -> String {
        match &self.stutter {
            None => "too hard to tell".to_string(),
            Some(Stutter::Invariant) => "invariant: repeated states change nothing".to_string(),
            Some(Stutter::Sensitive { holds, fails }) => {
                let (holds, fails) = (self.word(holds), self.word(fails));
                format!("sensitive: true of {holds} and false of {fails}, which differ in repeated states only")
            }
        }
    }

    /// A word as text; the letters in parentheses come again and again.
    fn word(&self, word: &Lasso) -> String {
        let letters = |part: &[Letter]| part.iter().map(|l| self.letter(*l)).collect::<Vec<_>>().join(" ");
        let prefix = letters(word.prefix());
        let blank = if prefix.is_empty() { "" } else { " " };
        format!("{prefix}{blank}({})…", letters(word.cycle()))
    }

    fn letter(&self, letter: Letter) -> String {
        let held = self.names.iter().enumerate().filter(|(i, _)| letter.has(Prop(*i as u32)));
        format!("{{{}}}", held.map(|(_, name)| name).collect::<Vec<_>>().join(", "))
    }

    /// In the HOA format.
    pub fn hoa(&self) -> String {
        let mut out = hoa::HoaAutomaton::new(self.automaton.as_tgba().clone(), self.names.clone());
        out.header.name = Some(self.title());
        let (tool, version) = TOOL.split_once(' ').map_or((TOOL, None), |(t, v)| (t, Some(v.to_string())));
        out.header.tool = Some((tool.to_string(), version));
        let word = match self.stutter {
            Some(Stutter::Invariant) => Some("stutter-invariant"),
            Some(Stutter::Sensitive { .. }) => Some("stutter-sensitive"),
            None => None,
        };
        out.header.properties.extend(word.map(String::from));
        hoa::write(&out)
    }

    /// For Graphviz.
    pub fn dot(&self) -> String {
        let title = self.title().replace(['\n', '\r'], " ");
        format!("// {title}: {}\n{}", self.size(), dot::buchi(&self.automaton, &self.names))
    }

    /// As a never claim.
    pub fn never(&self) -> String {
        never::print(&self.automaton, &self.names, &self.title())
    }

    /// As data.
    pub fn json(&self) -> Value {
        let label =
            |edge: &starwheel_automata::Edge| json!({ "label": edge.label.show(&self.names), "to": edge.to.index() });
        let states = self.automaton.states().map(|s| {
            let edges: Vec<Value> = self.automaton.edges_from(s).iter().map(label).collect();
            json!({ "accepting": self.automaton.is_accepting(s), "edges": edges })
        });
        let states: Vec<Value> = states.collect();
        json!({
            "version": FORMAT,
            "tool": TOOL,
            "formula": self.title(),
            "propositions": self.names.iter().collect::<Vec<_>>(),
            "stutter": match self.stutter {
                Some(Stutter::Invariant) => "invariant",
                Some(Stutter::Sensitive { .. }) => "sensitive",
                None => "unknown",
            },
            "states": self.automaton.state_count(),
            "accepting": self.accepting(),
            "edges": self.automaton.edge_count(),
            "initial": self.automaton.initial().index(),
            "automaton": states,
            "hoa": self.hoa(),
            "never": self.never(),
            "warnings": self.warnings,
        })
    }
}
