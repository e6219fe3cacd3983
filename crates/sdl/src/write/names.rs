//! Names of Promela for things of SDL: no keyword, no name twice, and as close to the original as can be.

use std::collections::HashSet;

/// Words that mean something to SPIN, to its generated C program, or to the header of timers.
const TAKEN: &[&str] = &[
    "active",
    "assert",
    "atomic",
    "bit",
    "bool",
    "break",
    "byte",
    "chan",
    "d_step",
    "D_proctype",
    "do",
    "else",
    "empty",
    "enabled",
    "eval",
    "false",
    "fi",
    "for",
    "full",
    "get_priority",
    "goto",
    "hidden",
    "if",
    "in",
    "init",
    "inline",
    "int",
    "len",
    "local",
    "ltl",
    "mtype",
    "nempty",
    "never",
    "nfull",
    "notrace",
    "np_",
    "od",
    "of",
    "pc_value",
    "pid",
    "printf",
    "printm",
    "priority",
    "proctype",
    "provided",
    "return",
    "run",
    "select",
    "set_priority",
    "short",
    "show",
    "skip",
    "STDIN",
    "timeout",
    "trace",
    "true",
    "typedef",
    "unless",
    "unsigned",
    "xr",
    "xs",
    "c_code",
    "c_decl",
    "c_expr",
    "c_state",
    "c_track",
    "always",
    "eventually",
    "until",
    "weakuntil",
    "stronguntil",
    "release",
    "implies",
    "equivalent",
    "next",
    "U",
    "V",
    "W",
    "X",
    "timer",
    "set",
    "reset",
    "expire",
    "lazy",
    "on",
    "OFF",
    "delay",
    "udelay",
    "bdelay",
    "tick",
    "Timers",
    "TIMERS1",
    "TIMERS2",
    "TIMERS3",
    "TIMERS4",
    "TIMERS5",
    "TIMERARRAY",
    "dt_m",
    "dt_i",
    "dt_look",
    "dt_best",
    "dt_down",
    "dt_if",
    "dt_go",
    "dt_at",
    "ABSTRACT",
    "FOREVER",
    "JUMP",
    "TWO",
    "now",
    "this",
    "auto",
    "case",
    "char",
    "const",
    "continue",
    "default",
    "double",
    "enum",
    "extern",
    "float",
    "long",
    "register",
    "signed",
    "sizeof",
    "static",
    "struct",
    "switch",
    "union",
    "void",
    "volatile",
    "while",
    "main",
    "unix",
    "linux",
    "lazy",
    "pid_remembered",
    "some_pid",
    "Environment",
    "Ignored",
    "me",
    "end",
    "errno",
    "stdin",
    "stdout",
    "stderr",
    "NULL",
    "EOF",
];

/// The names of one scope; those of the whole text are taken in all processes.
#[derive(Clone, Debug)]
pub struct Names {
    taken: HashSet<String>,
}

impl Default for Names {
    fn default() -> Self {
        Names { taken: TAKEN.iter().map(|s| s.to_string()).collect() }
    }
}

impl Names {
    /// The wanted name, or one like it that is free.
    pub fn take(&mut self, wanted: &str) -> String {
        // Promela's names are ASCII.
        let mut base: String = wanted.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
        if !base.starts_with(|c: char| c.is_ascii_alphabetic()) {
            base.insert(0, 'n');
        }
        let mut name = base.clone();
        let mut n = 2;
        while !self.taken.insert(name.clone()) {
            name = if n == 2 { format!("{base}_") } else { format!("{base}_{n}") };
            n += 1;
        }
        name
    }

    /// A name for a label: SPIN reads a meaning into the first letters of some.
    pub fn label(&mut self, wanted: &str) -> String {
        let lower = wanted.to_ascii_lowercase();
        if ["end", "accept", "progress"].iter().any(|p| lower.starts_with(p)) {
            self.take(&format!("s_{wanted}"))
        } else {
            self.take(wanted)
        }
    }

    /// A name that stays the same wherever it is used, such as that of a field.
    pub fn avoid(&self, wanted: &str) -> String {
        let ascii: String = wanted.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
        if self.taken.contains(&ascii) || !ascii.starts_with(|c: char| c.is_ascii_alphabetic()) {
            format!("f_{ascii}")
        } else {
            ascii
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keywords_doubles_and_strange_letters_are_avoided() {
        let mut n = Names::default();
        assert_eq!(n.take("run"), "run_");
        assert_eq!(n.take("x"), "x");
        assert_eq!(n.take("x"), "x_");
        assert_eq!(n.take("x"), "x_3");
        assert_eq!(n.take("é1"), "n_1");
        assert_eq!(n.label("ended"), "s_ended");
    }
}
