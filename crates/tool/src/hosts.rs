//! Workers on other machines, from the side of whoever asks them: the file that names them, and the first words to each.

use crate::processes::run_number;
use starwheel_workbench::crew::{Place, Way};
use starwheel_workbench::errand::Errand;
use starwheel_workbench::net::{Hello, Meeting, Records, Token, dial};
use starwheel_workbench::report::TOOL;
use starwheel_workbench::{Code, Failure, Opened, Plan, Problem, quantity};
use std::path::Path;

/// Where a token is if there is no file.
const VARIABLE: &str = "STARWHEEL_TOKEN";
/// Workers that one run may have.
const MOST: usize = 127;
/// The longest answer of a worker to its errand.
const ANSWER: usize = 64 << 10;

/// One worker of the file.
struct Host {
    address: String,
    memory: Option<u64>,
}

/// The token of a file, or of the environment.
pub fn token(file: Option<&Path>) -> Result<Option<Token>, Failure> {
    let wrong = |message: String| {
        Problem::error(Code::Token, message)
            .advise("16 characters that nobody guesses, such as those of `openssl rand -hex 16`")
    };
    let (text, place) = match file {
        Some(path) => {
            let name = format!("`{}`", path.display());
            let text = std::fs::read_to_string(path);
            (text.map_err(|e| wrong(format!("the token in {name} cannot be read: {e}")))?, name)
        }
        None => match std::env::var(VARIABLE) {
            Ok(text) => (text, format!("`{VARIABLE}`")),
            Err(_) => return Ok(None),
        },
    };
    match Token::new(&text) {
        Some(token) => Ok(Some(token)),
        None => Err(wrong(format!("the token in {place} is too short")).into()),
    }
}

/// Calls the workers of a plan that names some, tells them what to do, and waits until each has opened the model.
pub fn call(opened: &Opened, plan: &mut Plan) -> Result<(), Failure> {
    let Some(file) = &plan.hosts else { return Ok(()) };
    let hosts = read(file)?;
    let token = token(plan.token_file.as_deref())?;
    let hello = Hello { version: TOOL.to_string(), run: run_number(), from: 0 };
    let addresses: Vec<String> =
        std::iter::once(String::new()).chain(hosts.iter().map(|h| h.address.clone())).collect();
    let mut called = Vec::new();
    for (host, index) in hosts.iter().zip(1..) {
        let mut records = dial(&host.address, token.as_ref(), &hello).map_err(|why| cannot(host, &why.to_string()))?;
        let errand = Errand::new(opened, plan, &addresses, (index, host.memory));
        records.say(&errand.write()).map_err(|error| cannot(host, &error.to_string()))?;
        called.push(records);
    }
    for (host, records) in hosts.iter().zip(&mut called) {
        answer(host, records)?;
    }
    let count = addresses.len();
    let way = Way::net(Meeting { addresses, token, called, gate: None });
    plan.place = Some(Place { index: 0, count, run: hello.run, way });
    Ok(())
}

/// An empty answer means that all is well.
fn answer(host: &Host, records: &mut Records) -> Result<(), Failure> {
    let heard = records.hear(ANSWER).map_err(|error| cannot(host, &format!("it was lost: {error}")))?;
    match heard.is_empty() {
        true => Ok(()),
        false => Err(cannot(host, &format!("it says: {}", String::from_utf8_lossy(&heard)))),
    }
}

fn cannot(host: &Host, why: &str) -> Failure {
    let problem = Problem::error(Code::Hosts, format!("the worker at `{}` cannot take part: {why}", host.address));
    problem
        .advise("`starwheel worker --listen ADDRESS` has to run there, in the same version and with the same token")
        .into()
}

/// Reads the file that names the workers.
fn read(path: &Path) -> Result<Vec<Host>, Failure> {
    let name = path.display();
    let wrong = |message: String| {
        Problem::error(Code::Hosts, message)
            .advise("a line is an address, such as `node7:4711`, and if need be `memory=8G`")
    };
    let text = std::fs::read_to_string(path).map_err(|e| wrong(format!("`{name}` cannot be read: {e}")))?;
    let mut hosts = Vec::new();
    for (line, number) in text.lines().zip(1..) {
        let mut words = line.split('#').next().unwrap_or_default().split_whitespace();
        let Some(address) = words.next() else { continue };
        if address.rsplit_once(':').is_none_or(|(host, port)| host.is_empty() || port.parse::<u16>().is_err()) {
            return Err(wrong(format!("{name}:{number}: `{address}` is no address with a port")).into());
        }
        let mut host = Host { address: address.to_string(), memory: None };
        for word in words {
            let memory = word.strip_prefix("memory=").and_then(quantity::parse_bytes).filter(|&bytes| bytes > 0);
            let memory = memory.ok_or_else(|| wrong(format!("{name}:{number}: `{word}` means nothing here")))?;
            host.memory = Some(memory);
        }
        if hosts.iter().any(|known: &Host| known.address == host.address) {
            return Err(wrong(format!("{name}:{number}: `{address}` is there twice")).into());
        }
        hosts.push(host);
    }
    match hosts.len() {
        0 => Err(wrong(format!("`{name}` names no worker")).into()),
        1..=MOST => Ok(hosts),
        _ => Err(wrong(format!("`{name}` names more than {MOST} workers")).into()),
    }
}
