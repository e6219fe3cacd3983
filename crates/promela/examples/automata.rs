//! Prints the process automata of a model, one transition a line, to compare them with other tools'.

use starwheel_base::SourceMap;
use starwheel_model::{Model, Stmt};
use starwheel_promela::{CompileOptions, compile, preprocess::Loader};
struct Files;
impl Loader for Files {
    fn load(&self, name: &str, from: &str, _q: bool) -> Result<(String, String), String> {
        let dir = std::path::Path::new(from).parent().unwrap_or(std::path::Path::new("."));
        let p = dir.join(name);
        std::fs::read_to_string(&p).map(|t| (p.display().to_string(), t)).map_err(|e| e.to_string())
    }
}
fn main() {
    let args: Vec<String> = std::env::args().collect();
    let mut map = SourceMap::new();
    let text = String::from_utf8_lossy(&std::fs::read(&args[1]).unwrap()).into_owned();
    let main = map.add_file(&args[1], text);
    let o = CompileOptions {
        dead_vars: args.iter().any(|a| a == "dead"),
        merge: args.iter().any(|a| a == "merge"),
        ..Default::default()
    };
    let c = compile(&mut map, main, &o, &Files);
    for d in &c.diagnostics {
        let (f, p) = map.locate(d.span());
        eprintln!("{f}:{}:{}: {:?} {}: {}", p.line, p.column, d.severity, d.code, d.message);
    }
    let Some(m) = c.model else { std::process::exit(2) };
    print(&m, &map);
}
fn print(m: &Model, map: &SourceMap) {
    for p in &m.proctypes {
        println!("proctype {} start {}", p.name, p.start.0);
        let mut seen = vec![false; p.locs.len()];
        let mut todo = vec![p.start];
        while let Some(l) = todo.pop() {
            if std::mem::replace(&mut seen[l.index()], true) {
                continue;
            }
            for t in &p.locs[l.index()].out {
                todo.push(m.transition(*t).to)
            }
        }
        for (i, l) in p.locs.iter().enumerate() {
            if !seen[i] {
                continue;
            }
            for t in &l.out {
                let t = m.transition(*t);
                let d = matches!(t.stmt, Stmt::DStep(_));
                println!(
                    "{i} {} {}{} {}{}{} line {} esc {} resets {:?}",
                    t.to.0,
                    if t.atomic { "A" } else { "-" },
                    if d { "D" } else { "-" },
                    if l.end { "e" } else { "-" },
                    if l.accept { "a" } else { "-" },
                    if l.progress { "p" } else { "-" },
                    map.line(t.span),
                    t.escape,
                    t.resets.iter().map(|p| p.name.to_string()).collect::<Vec<_>>()
                );
            }
        }
    }
}
