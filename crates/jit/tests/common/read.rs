//! Reads models.

use starwheel_base::SourceMap;
use starwheel_model::Model;
use starwheel_promela::preprocess::{Loader, Options};
use starwheel_promela::{CompileOptions, DTIME_H, compile};
use std::path::Path;

/// Finds included files beside the file that includes them, and the header for timers anywhere.
struct Beside;

impl Loader for Beside {
    fn load(&self, name: &str, from: &str, _quoted: bool) -> Result<(String, String), String> {
        let path = Path::new(from).parent().unwrap_or(Path::new("")).join(name);
        let text = match std::fs::read_to_string(&path) {
            Err(_) if name == "dtime.h" => DTIME_H.to_string(),
            read => read.map_err(|e| e.to_string())?,
        };
        Ok((path.display().to_string(), text))
    }
}

/// The model of a text; none if it has errors.
pub fn model(
    name: &str,
    text: String,
    dead_vars: bool,
    merge: bool,
    defines: &[(String, Option<String>)],
) -> Option<Model> {
    let mut map = SourceMap::new();
    let main = map.add_file(name, text);
    let preprocess = Options { defines: defines.to_vec(), ..Options::default() };
    let options = CompileOptions { preprocess, dead_vars, dead_timers: dead_vars, merge, ..CompileOptions::default() };
    compile(&mut map, main, &options, &Beside).model
}
