//! Formulas in the words of SDL: `L@asked` and `Rt:seen` become the labels and variables of the translation.
//!
//! SDL does not care about upper and lower case, and the names of the translation may differ from those of the text
//! (keywords, names that exist twice, states inside states). Whatever is not a name of the text stays as it is, so the
//! names of the translation can be used as well.

/// What the things of an SDL text are called in its translation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Words {
    pub(crate) processes: Vec<ProcessWords>,
    /// Signals by their name in the translation: the name in the text, and how many numbers they carry.
    pub(crate) signals: Vec<(String, String, usize)>,
    /// Literals that mean the same number in all sorts that have them.
    pub(crate) literals: Vec<(String, i64)>,
    /// How many units of the text one slice of time is, if time plays a role.
    pub(crate) unit: Option<u64>,
}

/// A queue of a process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct QueueWords {
    pub name: String,
    /// The signal that it is for, if it is for one alone: its name in the translation.
    pub only: Option<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ProcessWords {
    /// In lower case, as all keys here.
    pub key: String,
    pub name: String,
    pub states: Vec<StateWords>,
    pub queues: Vec<QueueWords>,
    /// Its messages name their sender.
    pub sender: bool,
    /// Timers: their names in the translation and in the text.
    pub timers: Vec<(String, String)>,
    pub variables: Vec<VariableWords>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct VariableWords {
    pub key: String,
    pub name: String,
    /// It can be seen without naming the process.
    pub global: bool,
    /// What its sort calls its values.
    pub literals: Vec<(String, i64)>,
}

/// What may be compared in a formula with what stands before.
enum Compared<'w> {
    Nothing,
    /// A variable of this sort.
    Variable(&'w [(String, i64)]),
    /// A part of a variable.
    Part,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct StateWords {
    /// The names of the states that it stands for, and its own.
    pub keys: Vec<String>,
    pub at: At,
}

/// How one asks whether a process is in a state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum At {
    Label(String),
    /// A condition on a variable, for a process that runs inside of others.
    Condition(String),
}

impl Words {
    /// The process whose queue a channel is, under its name in the translation, and the queue.
    fn queue(&self, channel: &str) -> Option<(&ProcessWords, &QueueWords)> {
        let base = channel.split('[').next()?;
        self.processes.iter().find_map(|p| Some((p, p.queues.iter().find(|q| q.name == base)?)))
    }

    /// The name of the process whose queue a channel is.
    pub fn receiver(&self, channel: &str) -> Option<&str> {
        self.queue(channel).map(|(p, _)| p.name.as_str())
    }

    /// The message in a channel as a signal of the text: `Msg(0,1)`.
    pub fn signal(&self, channel: &str, fields: &[String]) -> Option<String> {
        let (process, queue) = self.queue(channel)?;
        let (name, rest) = match &queue.only {
            Some(name) => (name, fields),
            None => fields.split_first()?,
        };
        let (_, said, values) = self.signals.iter().find(|s| s.0 == *name)?;
        let rest = &rest[usize::from(process.sender).min(rest.len())..];
        let values = rest[..(*values).min(rest.len())].join(",");
        Some(if values.is_empty() { said.clone() } else { format!("{said}({values})") })
    }

    /// How many units of the text one slice of time is, if time plays a role.
    pub fn unit(&self) -> Option<u64> {
        self.unit
    }

    /// The timer of the text that a variable of the translation is.
    pub fn timer(&self, variable: &str) -> Option<&str> {
        self.processes.iter().flat_map(|p| &p.timers).find(|t| t.0 == variable).map(|t| t.1.as_str())
    }

    /// A formula, with the names of the text replaced by those of the translation. Behind a variable of a process `=` and `/=`
    /// compare as in the text, and literals are those of its sort.
    pub fn formula(&self, text: &str) -> String {
        let mut out = String::new();
        let mut rest = text;
        let mut left = Compared::Nothing;
        while let Some(first) = rest.chars().next() {
            let name = leading_name(rest);
            if name.is_empty() {
                if !matches!(left, Compared::Nothing)
                    && let Some((said, used)) = comparison(rest)
                {
                    out.push_str(said);
                    rest = &rest[used..];
                    continue;
                }
                // There is no other meaning of it, whatever stands before; what that is, is told if it is nothing.
                if let Some((said @ ("==" | "!="), used)) = comparison(rest).filter(|_| !self.processes.is_empty()) {
                    out.push_str(said);
                    rest = &rest[used..];
                    left = Compared::Nothing;
                    continue;
                }
                if rest.starts_with("=>") || rest.starts_with("<=") || rest.starts_with(">=") {
                    out.push_str(&rest[..2]);
                    rest = &rest[2..];
                    left = Compared::Nothing;
                    continue;
                }
                // A number is no name, and neither is what follows its digits.
                let run = if first.is_ascii_digit() { leading_word(rest) } else { &rest[..first.len_utf8()] };
                left = match (first, left) {
                    ('.' | '[', Compared::Variable(_) | Compared::Part) => Compared::Part,
                    (']' | '0'..='9', Compared::Part) => Compared::Part,
                    (c, left) if c.is_whitespace() => left,
                    _ => Compared::Nothing,
                };
                out.push_str(run);
                rest = &rest[run.len()..];
                continue;
            }
            if let Some(Reference { said, used, literals }) = self.reference(rest) {
                out.push_str(&said);
                rest = &rest[used..];
                left = literals.map_or(Compared::Nothing, Compared::Variable);
                continue;
            }
            let field = out.ends_with('.');
            match self.literal(&left, name).filter(|_| !field) {
                Some(n) => out.push_str(&n.to_string()),
                None => out.push_str(name),
            }
            left = if field { Compared::Part } else { Compared::Nothing };
            rest = &rest[name.len()..];
        }
        out
    }

    /// The number of a literal, given what it is compared with.
    fn literal(&self, left: &Compared, name: &str) -> Option<i64> {
        let known = match left {
            Compared::Nothing => return None,
            Compared::Variable(list) => list,
            Compared::Part => self.literals.as_slice(),
        };
        let key = name.to_lowercase();
        known.iter().find(|l| l.0 == key).map(|l| l.1)
    }

    /// `P@s`, `P[i]@s`, `P:x`, `P[i]:x` at the beginning of a text, in other words, and how long it was.
    fn reference(&self, text: &str) -> Option<Reference<'_>> {
        let name = leading_name(text);
        let process = self.processes.iter().find(|p| p.key == name.to_lowercase())?;
        let mut at = skip_space(text, name.len());
        let mut index = "";
        if text[at..].starts_with('[') {
            let end = at + text[at..].find(']')? + 1;
            index = &text[at..end];
            at = skip_space(text, end);
        }
        let sign = text[at..].chars().next().filter(|c| matches!(c, '@' | ':'))?;
        let inside = skip_space(text, at + 1);
        let what = leading_name(&text[inside..]);
        let key = what.to_lowercase();
        let used = inside + what.len();
        if what.is_empty() {
            return None;
        }
        if sign == '@' {
            let states: Vec<&StateWords> = process.states.iter().filter(|s| s.keys.contains(&key)).collect();
            let one = |s: &&StateWords| match &s.at {
                At::Label(label) => format!("{}{index}@{label}", process.name),
                At::Condition(condition) => condition.clone(),
            };
            let all: Vec<String> = states.iter().map(one).collect();
            let said = match all.len() {
                0 => return None,
                1 => all.join(""),
                _ => format!("({})", all.join(" || ")),
            };
            return Some(Reference { said, used, literals: None });
        }
        let variable = process.variables.iter().find(|v| v.key == key)?;
        let said = match variable.global {
            true => format!("{}{index}", variable.name),
            false => format!("{}{index}:{}", process.name, variable.name),
        };
        Some(Reference { said, used, literals: Some(&variable.literals) })
    }
}

/// A thing of the text in a formula: what it is called in the translation, how long it was, and what its values are called
/// if it is a variable.
struct Reference<'w> {
    said: String,
    used: usize,
    literals: Option<&'w [(String, i64)]>,
}

/// A comparison at the beginning of a text, as Promela has it, and how long it was.
fn comparison(text: &str) -> Option<(&'static str, usize)> {
    const ALL: [(&str, &str); 9] = [
        ("==", "=="),
        ("=>", ""),
        ("=", "=="),
        ("/=", "!="),
        ("!=", "!="),
        ("<=", "<="),
        (">=", ">="),
        ("<", "<"),
        (">", ">"),
    ];
    // `<>` and `<->` are no comparisons.
    let (word, said) = ALL.into_iter().find(|(word, _)| text.starts_with(word))?;
    let other = said.is_empty() || text.starts_with("<>") || text.starts_with("<-");
    (!other).then_some((said, word.len()))
}

fn leading_word(text: &str) -> &str {
    let end = text.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(text.len());
    &text[..end]
}

/// The name at the beginning of a text, if there is one.
fn leading_name(text: &str) -> &str {
    match text.chars().next() {
        Some(c) if c.is_alphabetic() || c == '_' => leading_word(text),
        _ => "",
    }
}

fn skip_space(text: &str, from: usize) -> usize {
    let rest = &text[from..];
    from + (rest.len() - rest.trim_start().len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words() -> Words {
        let label = |keys: &[&str], l: &str| StateWords {
            keys: keys.iter().map(|k| k.to_string()).collect(),
            at: At::Label(l.to_string()),
        };
        let variable = |key: &str, name: &str, global| VariableWords {
            key: key.into(),
            name: name.into(),
            global,
            literals: vec![("red".into(), 0), ("green".into(), 1)],
        };
        let l = ProcessWords {
            key: "l".into(),
            name: "L".into(),
            states: vec![
                label(&["asked"], "asked"),
                label(&["up", "fast"], "up_fast"),
                label(&["up", "slow"], "up_slow"),
            ],
            variables: vec![variable("seen", "seen_", false), variable("n", "L_n", true)],
            queues: vec![QueueWords { name: "in_L".into(), only: None }],
            sender: true,
            timers: vec![("L_t".into(), "t".into())],
        };
        let guard = ProcessWords {
            key: "guard".into(),
            name: "guard".into(),
            states: vec![StateWords { keys: vec!["bad".into()], at: At::Condition("(guard_state == 2)".into()) }],
            ..ProcessWords::default()
        };
        let signals = vec![("msg_".into(), "Msg".into(), 1)];
        Words { processes: vec![l, guard], signals, literals: vec![("blue".into(), 2)], unit: None }
    }

    #[test]
    fn names_of_the_text_become_names_of_the_translation() {
        let w = words();
        assert_eq!(w.formula("[] (l@Asked -> <> L @ up)"), "[] (L@asked -> <> (L@up_fast || L@up_slow))");
        assert_eq!(
            w.formula("<> (L:Seen == 2 && l:N > 1 && L[1]:n > 0)"),
            "<> (L:seen_ == 2 && L_n > 1 && L_n[1] > 0)"
        );
        assert_eq!(w.formula("[] !Guard@bad"), "[] !(guard_state == 2)");
        assert_eq!(w.formula("L[2]@asked"), "L[2]@asked");
        // Who is unknown can be told if nothing else is wrong.
        assert_eq!(w.formula("L:zz = 1 && x /= 2 && 3 = y"), "L:zz == 1 && x != 2 && 3 == y");
        assert_eq!(w.formula("x => y <= z <-> a >= b"), "x => y <= z <-> a >= b");
    }

    #[test]
    fn values_have_their_names_in_the_text_where_a_variable_is_compared_with_them() {
        let w = words();
        assert_eq!(w.formula("[] (L:seen = Green -> <> L:n /= RED)"), "[] (L:seen_ == 1 -> <> L_n != 0)");
        assert_eq!(w.formula("L:seen==green && green"), "L:seen_==1 && green");
        assert_eq!(w.formula("L:seen.red = blue || L:n.at[1].x >= blue"), "L:seen_.red == 2 || L_n.at[1].x >= 2");
        assert_eq!(w.formula("L:seen = blue"), "L:seen_ == blue");
        assert_eq!(w.formula("red <> L:seen <> red -> red"), "red <> L:seen_ <> red -> red");
    }

    #[test]
    fn messages_and_timers_have_their_names_in_the_text() {
        let w = words();
        let fields = ["msg_", "255", "7", "0"].map(String::from);
        assert_eq!(w.signal("in_L", &fields).as_deref(), Some("Msg(7)"));
        assert_eq!(w.signal("in_M", &fields), None);
        assert_eq!((w.receiver("in_L[1]"), w.timer("L_t"), w.timer("t")), (Some("L"), Some("t"), None));
    }

    #[test]
    fn everything_else_stays_as_it_is() {
        let w = words();
        for same in ["[] (x < 5)", "P@a U Q@b", "L@nowhere", "1L@asked", "L::seen", "(a -> b : c)", "é L", "L[", "L@"]
        {
            assert_eq!(w.formula(same), same);
        }
    }
}
