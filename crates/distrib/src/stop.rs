//! Why a search stops, on its way from one process to the others.

use crate::wire::{Garbled, Rest, put, put_bytes};
use starwheel_engine::Stop;
use std::time::Duration;

/// Appends a reason; none means that enough was found.
pub fn write(stop: Option<&Stop>, out: &mut Vec<u8>) {
    match stop {
        None => out.push(0),
        Some(Stop::Depth(depth)) => number(out, 1, *depth),
        Some(Stop::Time(time)) => number(out, 2, time.as_nanos() as u64),
        Some(Stop::Memory(bytes)) => number(out, 3, *bytes),
        Some(Stop::StoreFull) => out.push(4),
        Some(Stop::Interrupted) => out.push(5),
        Some(Stop::Settled) => out.push(9),
        Some(Stop::Disk(why)) => text(out, 6, why),
        Some(Stop::Lost(why)) => text(out, 7, why),
        Some(Stop::Internal(why)) => text(out, 8, why),
    }
}

fn number(out: &mut Vec<u8>, kind: u8, value: u64) {
    out.push(kind);
    put(out, value);
}

fn text(out: &mut Vec<u8>, kind: u8, why: &str) {
    out.push(kind);
    put_bytes(out, why.as_bytes());
}

/// Reads a reason.
pub fn read(rest: &mut Rest<'_>) -> Result<Option<Stop>, Garbled> {
    let words = |rest: &mut Rest<'_>| Ok(String::from_utf8_lossy(rest.bytes()?).into_owned());
    Ok(Some(match rest.take(1)?[0] {
        0 => return Ok(None),
        1 => Stop::Depth(rest.number()?),
        2 => Stop::Time(Duration::from_nanos(rest.number()?)),
        3 => Stop::Memory(rest.number()?),
        4 => Stop::StoreFull,
        5 => Stop::Interrupted,
        6 => Stop::Disk(words(rest)?),
        7 => Stop::Lost(words(rest)?),
        8 => Stop::Internal(words(rest)?),
        9 => Stop::Settled,
        _ => return Err(Garbled),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_come_back() {
        let all = [
            None,
            Some(Stop::Depth(9)),
            Some(Stop::Time(Duration::from_millis(1_500))),
            Some(Stop::Memory(1 << 40)),
            Some(Stop::StoreFull),
            Some(Stop::Interrupted),
            Some(Stop::Settled),
            Some(Stop::Disk("full".into())),
            Some(Stop::Lost("gone".into())),
            Some(Stop::Internal("odd".into())),
        ];
        for stop in all {
            let mut bytes = Vec::new();
            write(stop.as_ref(), &mut bytes);
            assert_eq!(read(&mut Rest(&bytes)), Ok(stop));
        }
        assert!(read(&mut Rest(&[99])).is_err() && read(&mut Rest(&[])).is_err());
    }
}
