//! A condition whose first moment is asked for: read as a proposition of a formula would be, as if it stood at the end of the model.

use crate::open::Opened;
use crate::property::formula;
use starwheel_base::{Diagnostic, FileId, SourceMap, Span};
use starwheel_engine::when::Moment;
use starwheel_model::{Expr, Interp, Model, PropertyKind, Step, Stepper};

/// What its text is called in messages.
const FILE: &str = "EXPR";
/// The name of the block around it.
const NAME: &str = "starwheel_moment";

/// The text of a condition, and the block around it, which nobody has typed.
pub struct Typed {
    /// The file with the block.
    pub block: FileId,
    open: Span,
    text: Span,
    close: Span,
}

/// Adds the text of a condition to what is read.
pub fn add(map: &mut SourceMap, text: &str) -> Typed {
    let file = map.add_file(FILE, text);
    let head = format!("ltl {NAME} {{ ");
    // A comment in the condition ends with it.
    let block = map.add_file("block", format!("{head}\n}}\n"));
    let span = |file, start: usize, end: usize| Span { file, start: start as u32, end: end as u32, ..Span::default() };
    let all = map.file(block).text.len();
    Typed {
        block,
        open: span(block, 0, head.len()),
        text: span(file, 0, text.len()),
        close: span(block, head.len(), all),
    }
}

impl Typed {
    /// What the front end reads after the model.
    pub fn parts(&self) -> [Span; 3] {
        [self.open, self.text, self.close]
    }

    /// Takes the condition out of the model that was read: it is nothing to be checked.
    pub fn take(&self, model: &mut Model) -> Result<Option<Expr>, Box<Diagnostic>> {
        if let Some(other) = model.properties.iter().find(|p| p.span.file == self.text.file) {
            let d = Diagnostic::error(
                "syntax",
                other.span,
                "a single condition is expected, and something else begins here",
            );
            return Err(Box::new(d.advise("leave out the `}` before it")));
        }
        let Some(place) = model.properties.iter().position(|p| &*p.name == NAME) else { return Ok(None) };
        Ok(match model.properties.remove(place).kind {
            PropertyKind::Ltl(formula) => formula::condition(&formula),
            PropertyKind::Never(_) => None,
        })
    }

    /// Moves what a diagnostic says about the block to the condition within.
    pub fn translate(&self, mut d: Diagnostic) -> Diagnostic {
        let end = Span { start: self.text.end, end: self.text.end + 1, ..self.text };
        d.labels.retain(|l| l.primary || l.span.file != self.block);
        for label in d.labels.iter_mut().filter(|l| l.span.file == self.block) {
            label.span = end;
            d.message = d.message.replace("found `}`", "found the end of the condition");
        }
        if d.labels.iter().any(|l| l.span.file == self.text.file) {
            d.message = d.message.replace("an operator or `}`", "an operator or the end of the condition");
        }
        d
    }
}

/// Looks for a condition in the states of a model, as a claim would.
pub struct Looking<'m> {
    interp: Interp<'m>,
    condition: &'m Expr,
    left: Vec<u8>,
}

impl<'m> Looking<'m> {
    /// Looks for a condition over this model.
    pub fn new(opened: &'m Opened, condition: &'m Expr) -> Looking<'m> {
        Looking { interp: Interp::new(&opened.model), condition, left: Vec::new() }
    }
}

fn no_value(why: String) -> String {
    format!("the condition has no value: {why}")
}

impl Moment for Looking<'_> {
    fn has_come(&mut self, at: &[u8]) -> Result<bool, String> {
        self.interp.sees(at, self.condition, false).map_err(no_value)
    }

    fn came_before_the_end(&mut self, at: &[u8], step: Step) -> Result<bool, String> {
        // How much of the step is done is known to the interpreter only once it has taken it.
        self.interp.fire(at, step, &mut self.left);
        self.interp.remains(at, step, &mut self.left);
        self.interp.sees(&self.left, self.condition, true).map_err(no_value)
    }

    fn slices(&mut self, at: &[u8]) -> u32 {
        self.interp.slices(at).unwrap_or(0)
    }
}
