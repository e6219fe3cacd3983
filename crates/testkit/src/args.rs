//! The options of the command line: `--name value` pairs, checked against the names that a command knows.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::str::FromStr;

/// The options that were typed.
#[derive(Clone, Debug, Default)]
pub struct Args {
    values: BTreeMap<String, String>,
}

impl Args {
    /// Reads `--name value` pairs; a name in `flags` stands alone.
    pub fn read(words: &[String], names: &[&str], flags: &[&str]) -> Result<Self, String> {
        let mut values = BTreeMap::new();
        let mut words = words.iter();
        while let Some(word) = words.next() {
            let name =
                word.strip_prefix("--").ok_or_else(|| format!("`{word}` is no option; options start with `--`"))?;
            if flags.contains(&name) {
                values.insert(name.to_string(), String::new());
            } else if names.contains(&name) {
                let value = words.next().ok_or_else(|| format!("`--{name}` needs a value"))?;
                values.insert(name.to_string(), value.clone());
            } else {
                return Err(format!("`--{name}` is unknown; known are: --{}", [names, flags].concat().join(", --")));
            }
        }
        Ok(Self { values })
    }

    /// Was the flag typed?
    pub fn flag(&self, name: &str) -> bool {
        self.values.contains_key(name)
    }

    /// The text of an option.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.values.get(name).map(String::as_str)
    }

    /// A path, made absolute since programs are started in other folders.
    pub fn path(&self, name: &str) -> Result<Option<PathBuf>, String> {
        let Some(text) = self.text(name) else { return Ok(None) };
        std::path::absolute(text).map(Some).map_err(|e| format!("`--{name} {text}`: {e}"))
    }

    /// A path that must be given.
    pub fn needed_path(&self, name: &str) -> Result<PathBuf, String> {
        self.path(name)?.ok_or_else(|| format!("`--{name}` is needed"))
    }

    /// A number, or `default` if the option was not typed.
    pub fn number<T: FromStr>(&self, name: &str, default: T) -> Result<T, String> {
        match self.text(name) {
            None => Ok(default),
            Some(text) => text.parse().map_err(|_| format!("`--{name} {text}`: a number was expected")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        text.split(' ').map(str::to_string).collect()
    }

    #[test]
    fn pairs_and_flags_are_read() -> Result<(), String> {
        let args = Args::read(&words("--count 7 --strict"), &["count"], &["strict"])?;
        assert_eq!(args.number("count", 0u32)?, 7);
        assert!(args.flag("strict"));
        Ok(())
    }

    #[test]
    fn an_unknown_option_is_refused() {
        assert!(Args::read(&words("--cuont 7"), &["count"], &[]).is_err());
    }
}
