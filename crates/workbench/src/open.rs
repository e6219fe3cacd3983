//! Opens a model: reads its files, compiles them, and collects what is wrong with them.

use crate::allowed::unallowed;
use crate::ask::plan::{Reading, Timers, is_name};
use crate::disk::input::Shelf;
use crate::foreign::{self, Original, Source};
use crate::problem::{Code, Failure, Problem};
use crate::property::formula;
use crate::property::moment;
use crate::property::property_automaton::{self, PropertyAutomaton, Reads};
use crate::property::quantified;
use crate::property::time;
use crate::trail::trailfile;
use starwheel_base::cancel::Token;
use starwheel_base::{Diagnostic, FileId, SourceMap, Span};
use starwheel_model::{Expr, Model, ProctypeId, ProctypeKind, Property, PropertyKind, add_progress_claim};
use starwheel_promela::parse::FormulaOptions;
use starwheel_promela::preprocess::{self, Loader};
use starwheel_promela::{CompileOptions, compile};
use starwheel_sdl::Words;
use std::path::{Path, PathBuf};

/// A model that is ready for questions.
#[derive(Debug)]
pub struct Opened {
    /// The file as it was named.
    pub path: PathBuf,
    /// All text.
    pub map: SourceMap,
    /// The model.
    pub model: Model,
    /// How it was read.
    pub reading: Reading,
    /// What is doubtful about it.
    pub warnings: Vec<Problem>,
    /// A hash of all text.
    pub hash: String,
    /// The file of `--never`.
    pub never: Option<FileId>,
    /// The claim that sees runs without progress.
    pub progress: Option<ProctypeId>,
    /// The claim that sees runs in which time stops.
    pub zeno: Option<ProctypeId>,
    /// The formulas of `--ltl`, by name, and the claims that watch for runs that break them.
    pub formulas: Vec<(String, ProctypeId)>,
    /// The condition whose first moment is asked for.
    pub moment: Option<Expr>,
    /// The claim of the automaton of `--automaton`.
    pub automaton: Option<ProctypeId>,
    /// The conditions that this automaton reads, and where they stand in its file.
    pub automaton_reads: Reads,
    /// True if its file says that repeated states change nothing.
    pub automaton_invariant: bool,
    /// True if the text was made from another language.
    pub translated: bool,
    /// What the things of that language are called in the text.
    pub words: Words,
    /// What was translated, and how.
    pub original: Option<Original>,
}

impl Opened {
    /// The same model, with the same transitions, without resets of dead variables; none if there are no resets anyway. Timers
    /// that were switched off stay so: when time passes depends on them.
    pub fn without_resets(&self) -> Option<Opened> {
        if !self.reading.dead_vars {
            return None;
        }
        let plain = self.again(&Reading { dead_vars: false, ..self.reading.clone() })?;
        let same = plain.hash == self.hash && plain.model.transitions.len() == self.model.transitions.len();
        same.then_some(plain)
    }

    /// The names of the global variables and channels, in the order of their declarations.
    pub fn declared(&self) -> Vec<&str> {
        self.model.globals.iter().map(|v| &*v.name).collect()
    }

    /// The processes of the initial state: the names of their types, and their priorities.
    pub fn first_processes(&self) -> Vec<(&str, u8)> {
        self.model.starts.iter().map(|s| (&*self.model.proctype(s.proctype).name, s.priority)).collect()
    }

    /// True if the model gives a priority to any process.
    pub fn has_priorities(&self) -> bool {
        self.model.uses.priority
    }

    /// Leaves the claims of the model aside, as if they were not written.
    pub fn forget_claims(&mut self) {
        self.model.properties.clear();
        self.never = None;
    }

    /// How it was read, but with single statements.
    pub fn unmerged(&self) -> Reading {
        Reading { merge: false, ..self.reading.clone() }
    }

    /// The same text, read in another way; with what is wrong if it cannot be.
    pub fn reread(&self, reading: &Reading) -> Result<Opened, Failure> {
        let Some(file) = self.map.files().first() else { return Err(Failure::default()) };
        let (text, origins) = (file.text.to_string(), file.origins.clone());
        let (translated, words, original) = (self.translated, self.words.clone(), self.original.clone());
        let source = Source { text, origins, translated, words, original, ..Source::default() };
        // It has been read once; whoever shows what was found must not be kept from it because a limit was reached.
        open_source(&self.path, source, &Reading { until: Token::NEVER, ..reading.clone() })
    }

    /// The same text, read in another way.
    pub fn again(&self, reading: &Reading) -> Option<Opened> {
        self.reread(reading).ok()
    }
}

/// Opens the model in a file, or in a folder.
pub fn open(path: &Path, reading: &Reading) -> Result<Opened, Failure> {
    open_source(path, source(path, reading)?, reading)
}

/// The text of a model; who wants to read it in two ways must not take it out of a pipe twice.
pub(crate) fn source(path: &Path, reading: &Reading) -> Result<Source, Failure> {
    let name = path.display().to_string();
    if path.extension().is_some_and(|e| e == "hoa") {
        let problem =
            Problem::error(Code::NotBuilt, format!("`{name}` is a network of automata, which is not built yet"));
        return Err(problem.about(name).advise("give a Promela model").into());
    }
    foreign::source(path, reading)
}

/// Opens a model whose text is at hand; `path` names it and tells where included files are looked for.
pub fn open_text(path: &Path, text: String, reading: &Reading) -> Result<Opened, Failure> {
    open_source(path, Source { text, ..Source::default() }, reading)
}

/// The same for a text that may have been translated.
pub(crate) fn open_source(path: &Path, source: Source, reading: &Reading) -> Result<Opened, Failure> {
    let opened = opened(path, source, reading);
    // Whoever was stopped may have left something half done.
    match reading.until.why() {
        Some(why) => Err(Failure::stopped(why)),
        None => opened,
    }
}

fn opened(path: &Path, source: Source, reading: &Reading) -> Result<Opened, Failure> {
    if reading.ltl.iter().any(|formula| quantified::quantifies(formula)) {
        let alone = Reading { ltl: Vec::new(), own: false, ..reading.clone() };
        let alone = opened(path, source.clone(), &alone)?;
        return opened(path, source, &quantified::expanded(&alone, reading)?);
    }
    let Source { text, origins, warnings, translated, words, original } = source;
    if reading.timers == Timers::Abstract && translated {
        // The translation knows no more of time.
        let source = Source { text, origins, warnings, translated, words, original };
        let opened = opened(path, source, &Reading { timers: Timers::Exact, ..reading.clone() })?;
        return Ok(Opened { reading: reading.clone(), ..opened });
    }
    if reading.timers == Timers::Abstract {
        let mut opened = open_text(path, text.clone(), &time::abstract_reading(reading))?;
        let own = Reading {
            timers: Timers::Exact,
            zeno: false,
            divergent: false,
            ltl: Vec::new(),
            own: false,
            ..reading.clone()
        };
        time::release(&mut opened.model, &open_text(path, text, &own)?.model);
        return match opened.model.timed() {
            true => Err(Problem::error(Code::Timers, "only the timers of `dtime.h` can be abstract").into()),
            false => Ok(Opened { reading: reading.clone(), ..opened }),
        };
    }
    let mut map = SourceMap::new();
    let main = map.add_file(path.display().to_string(), text);
    map.set_origins(main, origins);
    let further = Further::new(&mut map, reading, &words)?;
    let options = compile_options(&map, reading, &further);
    let compiled = compile(&mut map, main, &options, &Folders::of(reading));
    let problem = |d: Diagnostic| match &further.automaton {
        Some(automaton) => Problem::of(&map, &automaton.translate(d)),
        None => {
            let d = if translated { without_types(d) } else { d };
            let d = further.formula.map_or_else(|| d.clone(), |file| typed(d.clone(), file));
            Problem::of(&map, &further.moment.as_ref().map_or_else(|| d.clone(), |moment| moment.translate(d.clone())))
        }
    };
    // Nobody can do anything about what is doubtful in a translation.
    let found = compiled.diagnostics.into_iter().filter(|d| !translated || d.is_error()).collect();
    let found = if translated { found } else { unallowed(&map, found) };
    let mut problems: Vec<_> = warnings.into_iter().chain(found.into_iter().map(problem)).collect();
    match compiled.model {
        Some(mut model) if !problems.iter().any(Problem::is_error) => {
            if model.starts.is_empty() {
                problems.push(no_process(path, &model));
                return Err(Failure { problems });
            }
            if let Some(d) = further.another_formula(&model) {
                return Err(Problem::of(&map, &d).into());
            }
            model.empty_ends = reading.empty_channels;
            if translated {
                model.heed_returns();
            }
            let hash = trailfile::hash(map.files().iter().map(|f| &*f.text));
            let reading = reading.clone();
            let progress = if reading.progress { add_progress_claim(&mut model) } else { None };
            if reading.progress && progress.is_none() {
                problems.push(Problem::error(Code::TooManyProctypes, "there is no room for the claim of `--progress`"));
                return Err(Failure { problems });
            }
            let zeno = time::prepare(&mut model, &reading)?;
            let failed = |d: Box<Diagnostic>| Failure::from(Problem::of(&map, &d));
            let automaton_invariant = further.automaton.as_ref().is_some_and(|a| a.invariant);
            let automaton = further.automaton.map(|a| a.add(&mut model, reading.merge)).transpose().map_err(failed)?;
            let (automaton, automaton_reads) = automaton.map_or((None, Vec::new()), |(id, reads)| (Some(id), reads));
            let moment = further.moment.as_ref().map(|moment| moment.take(&mut model)).transpose().map_err(failed)?;
            let moment = moment.flatten();
            let formulas = add_formulas(&mut model, &map, &reading)?;
            time::conclude(&model)?;
            let (path, never) = (path.to_path_buf(), further.never);
            Ok(Opened {
                path,
                map,
                model,
                reading,
                warnings: problems,
                hash,
                never,
                progress,
                zeno,
                formulas,
                moment,
                automaton,
                automaton_reads,
                automaton_invariant,
                translated,
                words,
                original,
            })
        }
        _ => {
            if !problems.iter().any(Problem::is_error) {
                let message = format!("`{}` could not be compiled, and no reason was given", path.display());
                problems.push(Problem::error(Code::InternalError, message).advise("please report this with the model"));
            }
            Err(Failure { problems })
        }
    }
}

/// The text of a header that models may include without having it.
pub fn header(name: &str) -> Option<&'static str> {
    preprocess::shipped(name)
}

/// What a diagnostic says where what is a process type in Promela is a process, and what is a label is a state.
fn without_types(mut d: Diagnostic) -> Diagnostic {
    let said = |text: &str| text.replace("process type", "process").replace("has no label", "has no state");
    // Labels of the translation alone begin like this.
    let of_text = |name: &&str| !name.starts_with("`end_") && !name.starts_with("`_");
    d.message = said(&d.message);
    for advice in &mut d.advice {
        *advice = match advice.strip_prefix("its labels are: ") {
            Some(names) => {
                format!("its states are: {}", names.split(", ").filter(of_text).collect::<Vec<_>>().join(", "))
            }
            None if advice.starts_with("a variable must be declared before") => {
                "a variable is named with its process: `P:x`, a state of it is `P@s`".to_string()
            }
            None => said(advice),
        };
    }
    d
}

/// What a diagnostic says about a formula that was typed, which has no braces around it.
fn typed(mut d: Diagnostic, file: FileId) -> Diagnostic {
    if d.labels.iter().any(|l| l.primary && l.span.file == file) {
        d.message = d.message.replace("found `}`", "found the end of the formula");
        d.message = d.message.replace("an operator or `}`", "an operator or the end of the formula");
    }
    d
}

/// The names of formulas that were typed, in order: such that the model does not use.
fn typed_names(map: &SourceMap) -> impl Iterator<Item = String> {
    let free = |name: &String| !map.files().first().is_some_and(|model| model.text.contains(&**name));
    let others = (2..).map(|n| format!("formula_{n}"));
    std::iter::once("formula".to_string()).chain(others).filter(free)
}

/// What stands for the names of all formulas of a model.
pub(crate) const EVERY: &str = "all";

/// Adds the claims of the formulas that were asked for.
fn add_formulas(model: &mut Model, map: &SourceMap, reading: &Reading) -> Result<Vec<(String, ProctypeId)>, Failure> {
    let all: Vec<Property> =
        model.properties.iter().filter(|p| matches!(p.kind, PropertyKind::Ltl(_))).cloned().collect();
    let mut chosen: Vec<&Property> = if reading.own { all.iter().collect() } else { Vec::new() };
    let mut typed = typed_names(map);
    let wanted = reading.ltl.iter().map(|w| if is_name(w) { Some(w.clone()) } else { typed.next() });
    // A block may have this name, and is meant then.
    let every = |wanted: &str| wanted == EVERY && !all.iter().any(|p| &*p.name == EVERY);
    for wanted in wanted.flatten() {
        let named: Vec<&Property> = all.iter().filter(|p| every(&wanted) || *p.name == *wanted).collect();
        if named.is_empty() {
            return Err(no_formula(&all, &wanted).into());
        }
        let fresh = |p: &&Property| !chosen.iter().any(|c| c.name == p.name);
        let fresh: Vec<&Property> = named.into_iter().filter(fresh).collect();
        chosen.extend(fresh);
    }
    let add = |p: &&Property| {
        let id = formula::add_claim(model, p, reading.merge, &reading.until)
            .map_err(|d| Failure::from(Problem::of(map, &d)))?;
        Ok((p.name.to_string(), id))
    };
    chosen.iter().map(add).collect()
}

/// A formula that was asked for and is not there.
fn no_formula(all: &[Property], wanted: &str) -> Problem {
    let names: Vec<_> = all.iter().map(|p| format!("`{}`", p.name)).collect();
    let problem = Problem::error(Code::NoFormula, format!("the model has no formula `{wanted}`"));
    match names.is_empty() {
        true => problem.advise("write one as `ltl name { … }`, or type a formula: --ltl '[] (x < 5)'"),
        false => problem.advise(format!("its formulas are: {}; or type one: --ltl '[] (x < 5)'", names.join(", "))),
    }
}

/// What is read after the model, as if it stood at its end.
pub(crate) struct Further {
    /// The file of `--never`.
    never: Option<FileId>,
    /// The formulas of `--ltl`, each in an `ltl` block on a line of its own.
    formula: Option<FileId>,
    /// How many they are.
    formulas: usize,
    /// The condition whose first moment is asked for.
    moment: Option<moment::Typed>,
    /// The automaton of `--automaton`.
    automaton: Option<PropertyAutomaton>,
}

impl Further {
    /// Reads the files that a reading names.
    pub fn new(map: &mut SourceMap, reading: &Reading, words: &Words) -> Result<Further, Failure> {
        let never = reading.never.as_deref().map(|path| add_never(map, path, reading)).transpose()?;
        let formulas = reading.ltl.iter().filter(|l| !is_name(l));
        let blocks: Vec<String> =
            formulas.zip(typed_names(map)).map(|(f, name)| format!("ltl {name} {{ {} }}", words.formula(f))).collect();
        let formula = (!blocks.is_empty()).then(|| map.add_file("--ltl", blocks.join("\n")));
        let moment = reading.moment.as_deref().map(|text| moment::add(map, &words.formula(text)));
        let automaton =
            reading.automaton.as_deref().map(|path| property_automaton::load(map, path, reading)).transpose()?;
        Ok(Further { never, formula, formulas: blocks.len(), moment, automaton })
    }

    /// What is wrong if the text of a formula ends its block and goes on with something else.
    fn another_formula(&self, model: &Model) -> Option<Diagnostic> {
        let inside = |file: FileId| model.properties.iter().filter(move |p| p.span.file == file).map(|p| p.span);
        let other = self.formula.and_then(|file| inside(file).nth(self.formulas))?;
        let d =
            Diagnostic::error("syntax", other, "a single formula is expected, and something else begins in its text");
        Some(d.advise("leave out the `}` in it, and give `--ltl` once for each formula"))
    }

    fn parts(&self, map: &SourceMap) -> Vec<Span> {
        let whole = |file: FileId| Span { file, end: map.file(file).text.len() as u32, ..Span::default() };
        let files = self.never.iter().chain(&self.formula).map(|&file| whole(file));
        let moment = self.moment.iter().flat_map(moment::Typed::parts);
        files.chain(moment).chain(self.automaton.iter().flat_map(PropertyAutomaton::parts)).collect()
    }
}

/// Reads the file of `--never`.
fn add_never(map: &mut SourceMap, path: &Path, reading: &Reading) -> Result<FileId, Failure> {
    let name = path.display().to_string();
    let text = reading.shelf.read(path, &reading.until).map_err(|why| {
        let problem = Problem::error(Code::UnreadableFile, format!("`{name}` {why}")).about(&name);
        problem.advise("give the name of a text file with a never claim")
    })?;
    Ok(map.add_file(name, text))
}

/// How the front end is to read all of it.
pub(crate) fn compile_options(map: &SourceMap, reading: &Reading, further: &Further) -> CompileOptions {
    let (defines, undefines) = (reading.defines.clone(), reading.undefines.clone());
    let preprocess =
        preprocess::Options { defines, undefines, after: further.parts(map), until: reading.until.clone() };
    let conditions = further.automaton.as_ref().map(|a| a.blocks);
    let (spin, typed) = (reading.spin_ltl, further.formula);
    let moment = further.moment.as_ref().map(|moment| moment.block);
    let formulas = FormulaOptions { spin, typed, conditions, moment };
    let Reading { dead_vars, dead_timers, merge, .. } = *reading;
    CompileOptions { preprocess, dead_vars, dead_timers, merge, formulas }
}

fn no_process(path: &Path, model: &Model) -> Problem {
    let message = format!("`{}` has no process that starts by itself", path.display());
    let types = model.proctypes.iter().filter(|p| p.kind == ProctypeKind::Process).map(|p| format!("`{}`", p.name));
    let names = types.take(5).collect::<Vec<_>>().join(", ");
    Problem::error(Code::NoProcess, message).about(path.display().to_string()).advise(match names.is_empty() {
        true => "add `init { … }`, or write `active proctype P() { … }`".to_string(),
        false => format!("add `init {{ … }}`, or write `active` before a proctype: {names}"),
    })
}

/// Finds included files beside the file that includes them, and in the folders of `-I`.
pub(crate) struct Folders<'a> {
    /// The folders.
    pub include: &'a [PathBuf],
    /// Says when to give up.
    pub until: &'a Token,
    /// Where files come from.
    pub shelf: &'a Shelf,
}

impl<'a> Folders<'a> {
    /// Those of a reading.
    pub fn of(reading: &'a Reading) -> Folders<'a> {
        Folders { include: &reading.include, until: &reading.until, shelf: &reading.shelf }
    }
}

impl Loader for Folders<'_> {
    fn load(&self, name: &str, from: &str, quoted: bool) -> Result<(String, String), String> {
        let beside = Path::new(from).parent().filter(|_| quoted);
        let folders = beside.into_iter().chain(self.include.iter().map(PathBuf::as_path));
        let mut first_fault = None;
        for folder in folders {
            let path = folder.join(name);
            if !self.shelf.has(&path) {
                continue;
            }
            match self.shelf.read(&path, self.until) {
                Ok(text) => return Ok((path.display().to_string(), text)),
                Err(why) => {
                    first_fault.get_or_insert(format!("`{}` {why}", path.display()));
                }
            }
        }
        Err(first_fault.unwrap_or_else(|| match self.include.len() {
            0 => "there is no such file; `-I DIR` names further folders".to_string(),
            _ => "there is no such file, neither beside this one nor in the folders of `-I`".to_string(),
        }))
    }
}
