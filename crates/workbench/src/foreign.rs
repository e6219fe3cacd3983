//! SDL and IF: texts of other languages become Promela before anybody else sees them.
//!
//! A `#line` directive says of each line of the translation where it comes from, so findings, trails and unreached statements
//! speak of lines of the SDL text without anybody's help; the map also has words for what they mean ([`crate::written`]).

use crate::ask::plan::{Reading, Timers};
use crate::disk::input::Shelf;
use crate::problem::{Code, Failure, Problem};
use serde::{Deserialize, Serialize};
use starwheel_base::Origin;
use starwheel_sdl::{
    Delay, Environment, Language, MapEntry, Options, Overflow, Queues, Rest, Words, language, translate,
};
use std::fs;
use std::path::{Path, PathBuf};

/// How texts in other languages are read, as it was typed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Foreign {
    /// The language, if it is not to be told by the content.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lang: Option<String>,
    /// Further files of the same system.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub more: Vec<PathBuf>,
    /// How many signals a queue holds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub queue: Option<usize>,
    /// What happens when it is full.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub overflow: Option<String>,
    /// One queue for each process or for each signal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub queues: Option<String>,
    /// What comes from outside.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub env: Option<String>,
    /// Where a process may stay for ever.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rest: Option<String>,
    /// What channels do to signals.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delay: Option<String>,
    /// How many pids of stopped instances of a process may be remembered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pids: Option<usize>,
    /// How many elements a STRING has at most that says nothing about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub strings: Option<usize>,
    /// The text was translated by somebody else, who has sent it.
    #[serde(skip)]
    pub translated: bool,
}

impl Foreign {
    /// True if nothing was said.
    pub fn is_default(&self) -> bool {
        *self == Foreign::default()
    }

    /// Something that was said, by the name of its option; it means nothing for a Promela model.
    fn said(&self) -> Option<&'static str> {
        let all = [
            ("--queue", self.queue.is_some()),
            ("--overflow", self.overflow.is_some()),
            ("--queues", self.queues.is_some()),
            ("--env", self.env.is_some()),
            ("--rest", self.rest.is_some()),
            ("--delay", self.delay.is_some()),
            ("--pids", self.pids.is_some()),
            ("--strings", self.strings.is_some()),
        ];
        all.into_iter().find(|a| a.1).map(|a| a.0)
    }

    /// As the translator wants it.
    fn options(&self, timers: Timers) -> Options {
        let usual = Options::default();
        Options {
            queue: self.queue.unwrap_or(usual.queue),
            pids: self.pids.unwrap_or(usual.pids),
            strings: self.strings.unwrap_or(usual.strings),
            overflow: match self.overflow.as_deref() {
                Some("lose") => Overflow::Lose,
                Some("wait") => Overflow::Wait,
                _ => Overflow::Error,
            },
            queues: match self.queues.as_deref() {
                Some("signal") => Queues::Signal,
                _ => Queues::Process,
            },
            environment: match self.env.as_deref() {
                Some("any") => Environment::Any,
                Some("once") => Environment::Once,
                _ => Environment::None,
            },
            rest: match self.rest.as_deref() {
                Some("everywhere") => Rest::Everywhere,
                _ => Rest::Servers,
            },
            delay: match self.delay.as_deref() {
                Some("channels") => Delay::Channels,
                _ => Delay::None,
            },
            timers: match timers {
                Timers::Abstract => starwheel_sdl::Timers::Abstract,
                Timers::Exact | Timers::Jump => starwheel_sdl::Timers::Exact,
            },
            ..usual
        }
    }
}

/// What was translated, and how: for the report.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Original {
    /// The name of the system.
    pub system: String,
    /// Its texts, in the order in which they were read.
    pub files: Vec<String>,
    /// [`Options::queue`].
    pub queue: usize,
    /// [`Options::overflow`].
    pub overflow: &'static str,
    /// [`Options::queues`].
    pub queues: &'static str,
    /// [`Options::environment`], also if nobody has said it.
    pub env: &'static str,
    /// [`Options::timers`].
    pub timers: &'static str,
    /// [`Options::rest`].
    pub rest: &'static str,
    /// [`Options::delay`].
    pub delay: &'static str,
    /// [`Options::pids`].
    pub pids: usize,
    /// [`Options::strings`].
    pub strings: usize,
}

impl Original {
    fn new(system: String, files: Vec<String>, options: &Options) -> Original {
        Original {
            system,
            files,
            queue: options.queue,
            overflow: match options.overflow {
                Overflow::Error => "error",
                Overflow::Lose => "lose",
                Overflow::Wait => "wait",
            },
            queues: match options.queues {
                Queues::Process => "process",
                Queues::Signal => "signal",
            },
            env: match options.environment {
                Environment::None => "none",
                Environment::Any => "any",
                Environment::Once => "once",
            },
            timers: match options.timers {
                starwheel_sdl::Timers::Exact => "exact",
                starwheel_sdl::Timers::Abstract => "abstract",
            },
            rest: match options.rest {
                Rest::Servers => "servers",
                Rest::Everywhere => "everywhere",
            },
            delay: match options.delay {
                Delay::None => "none",
                Delay::Channels => "channels",
            },
            pids: options.pids,
            strings: options.strings,
        }
    }
}

/// The text of a model in Promela, whatever it was written in, and what is doubtful about the translation.
#[derive(Clone, Debug, Default)]
pub struct Source {
    /// The text.
    pub text: String,
    /// Where its lines come from.
    pub origins: Vec<Origin>,
    /// Warnings.
    pub warnings: Vec<Problem>,
    /// True if it was translated.
    pub translated: bool,
    /// What the things of the text are called in the translation.
    pub words: Words,
    /// What was translated, and how; not known of a text that somebody else has translated.
    pub original: Option<Original>,
}

/// Reads a file or a folder, and translates it if it is not written in Promela.
pub fn source(path: &Path, reading: &Reading) -> Result<Source, Failure> {
    let foreign = &reading.foreign;
    if let Shelf::Sent(_) = reading.shelf {
        // Whoever sent it has translated it.
        let (text, translated) = (text(path, reading)?, foreign.translated);
        return Ok(Source { text, translated, ..Source::default() });
    }
    let folder = path.is_dir();
    if !folder && foreign.more.is_empty() {
        let text = text(path, reading)?;
        let told = match foreign.lang.as_deref() {
            Some("promela") => Language::Other,
            Some("sdl") => Language::Sdl,
            Some("if") => Language::If,
            _ => language(&text),
        };
        if matches!(told, Language::Other) {
            return match foreign.said() {
                Some(option) => Err(not_for_promela(path, option).into()),
                None => Ok(Source { text, ..Source::default() }),
            };
        }
        return translated(&[(path.display().to_string(), text)], reading);
    }
    let mut files = Vec::new();
    for path in std::iter::once(path).chain(foreign.more.iter().map(PathBuf::as_path)) {
        collect(path, &mut files)?;
    }
    if files.is_empty() {
        let message = format!("there is no SDL, IF or ASN.1 text in the folder `{}`", path.display());
        let advice =
            "their names end in .pr, .if, .asn or .txt; `starwheel test FOLDER` checks the Promela models in a folder";
        return Err(Problem::error(Code::NoModel, message).advise(advice).into());
    }
    let read = files.iter().map(|file| Ok((file.display().to_string(), text(file, reading)?)));
    let texts: Vec<_> = read.collect::<Result<_, Failure>>()?;
    match texts.iter().find(|(_, text)| language(text) == Language::Other) {
        Some((name, _)) if foreign.lang.is_none() => {
            let message = format!("`{name}` is neither SDL nor IF nor ASN.1, and a Promela model is one file");
            Err(Problem::error(Code::TooManyFiles, message).advise("`--lang sdl` reads it as SDL all the same").into())
        }
        _ => translated(&texts, reading),
    }
}

/// True if a file can be read and is written in Promela, as far as its content tells.
pub fn is_promela(path: &Path, lang: Option<&str>) -> bool {
    let told = || std::fs::read(path).is_ok_and(|b| language(&String::from_utf8_lossy(&b)) == Language::Other);
    lang.map_or_else(told, |lang| lang == "promela") && !path.is_dir() && path.extension().is_none_or(|e| e != "hoa")
}

/// True for a folder, and for a file with a text that can be translated.
pub fn is_text(path: &Path) -> bool {
    let told = || std::fs::read(path).is_ok_and(|b| language(&String::from_utf8_lossy(&b)) != Language::Other);
    path.is_dir() || told()
}

fn translated(texts: &[(String, String)], reading: &Reading) -> Result<Source, Failure> {
    let list: Vec<(&str, &str)> = texts.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    let mut options = reading.foreign.options(reading.timers);
    // What is to happen at last happens only if somebody outside begins.
    let begun = reading.foreign.env.is_none() && list.iter().any(|(_, t)| language(t) == Language::StopConditions);
    if begun {
        options.environment = Environment::Once;
    }
    let (translation, sources, diagnostics) = translate(&list, &options);
    let mut problems: Vec<Problem> = diagnostics.iter().map(|d| Problem::of(&sources, d)).collect();
    if begun && translation.as_ref().is_some_and(|t| t.promela.contains("proctype Environment(")) {
        let message = "there are stop conditions, so the environment sends each signal once at most";
        problems
            .push(Problem::warning(Code::Environment, message).advise("`--env any` or `--env none` says otherwise"));
    }
    match translation {
        Some(translation) => {
            let origin = |entry: &MapEntry| {
                let (name, position) = sources.locate(entry.span);
                Origin {
                    line: entry.line,
                    name: name.into(),
                    position,
                    said: entry.said.clone(),
                    fault: entry.fault.clone(),
                }
            };
            let mut origins: Vec<Origin> = translation.map.iter().map(origin).collect();
            origins.sort_by_key(|o| o.line);
            Ok(Source {
                text: translation.promela,
                origins,
                warnings: problems,
                translated: true,
                words: translation.words,
                original: Some(Original::new(
                    translation.system,
                    texts.iter().map(|t| t.0.clone()).collect(),
                    &options,
                )),
            })
        }
        None => Err(Failure { problems }),
    }
}

/// A file, or the texts of a folder and those below it.
fn collect(path: &Path, files: &mut Vec<PathBuf>) -> Result<(), Failure> {
    const ENDINGS: [&str; 5] = ["pr", "sdl", "if", "asn", "txt"];
    if !path.is_dir() {
        files.push(path.to_path_buf());
        return Ok(());
    }
    let unreadable = |why: std::io::Error| unreadable(&path.display().to_string(), &format!("cannot be read: {why}"));
    let mut inside: Vec<PathBuf> = fs::read_dir(path).map_err(unreadable)?.flatten().map(|e| e.path()).collect();
    inside.sort();
    for path in inside {
        let wanted = path.extension().is_some_and(|e| ENDINGS.iter().any(|w| e == *w));
        // A link may lead back to a folder above.
        if wanted || (path.is_dir() && !path.is_symlink()) {
            collect(&path, files)?;
        }
    }
    Ok(())
}

/// The text of one file.
fn text(path: &Path, reading: &Reading) -> Result<String, Failure> {
    let name = path.display().to_string();
    reading
        .shelf
        .read(path, &reading.until)
        .map_err(|why| reading.until.why().map_or_else(|| unreadable(&name, &why).into(), Failure::stopped))
}

fn unreadable(name: &str, why: &str) -> Problem {
    let problem = Problem::error(Code::UnreadableFile, format!("`{name}` {why}")).about(name);
    problem.advise("give the name of a text file with a Promela model, or of one with SDL")
}

fn not_for_promela(path: &Path, option: &str) -> Problem {
    let message = format!("`{option}` is about SDL and IF, and `{}` is a Promela model", path.display());
    Problem::error(Code::OnlyForSdl, message).advise("leave it out, or name the language with `--lang`")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ask::options::{Commands, Preset, preset};

    #[test]
    fn the_table_of_options_says_what_the_translator_does_without_them() {
        let word = |name| match preset(Commands::TRANSLATE, name) {
            Preset::Is(word) => Some(word.to_string()),
            other => panic!("{name}: {other:?}"),
        };
        let said = Foreign {
            queue: preset(Commands::TRANSLATE, "queue").text().and_then(|n| n.parse().ok()),
            overflow: word("overflow"),
            queues: word("queues"),
            env: word("env"),
            rest: word("rest"),
            delay: word("delay"),
            pids: preset(Commands::TRANSLATE, "pids").text().and_then(|n| n.parse().ok()),
            strings: preset(Commands::TRANSLATE, "strings").text().and_then(|n| n.parse().ok()),
            ..Foreign::default()
        };
        let told = |f: &Foreign| format!("{:?}", f.options(Timers::Exact));
        assert_eq!(told(&said), told(&Foreign::default()));
    }
}
