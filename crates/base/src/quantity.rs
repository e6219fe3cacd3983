//! Amounts as people type and read them: `8G`, `90s`, `1m30s`, `12,345`.

use std::time::Duration;

/// Reads a number of bytes: `4096`, `100K`, `1.5G`, `8GiB`; the steps are powers of 1024.
pub fn parse_bytes(text: &str) -> Option<u64> {
    let split = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(split);
    let unit = unit.trim().to_ascii_lowercase();
    let shift = match unit.trim_end_matches("ib").trim_end_matches('b') {
        "" => 0,
        "k" => 10,
        "m" => 20,
        "g" => 30,
        "t" => 40,
        _ => return None,
    };
    let value = number.parse::<f64>().ok()? * (1u64 << shift) as f64;
    (value.is_finite() && value < u64::MAX as f64).then_some(value as u64)
}

/// Reads a length of time: `60s`, `5m`, `1h`, `250ms`, `1m30s`; a bare number counts seconds.
pub fn parse_duration(text: &str) -> Option<Duration> {
    if let Ok(seconds) = text.parse::<f64>() {
        return Duration::try_from_secs_f64(seconds).ok();
    }
    let mut total = Duration::ZERO;
    let mut rest = text;
    while !rest.is_empty() {
        let digits = rest.find(|c: char| !c.is_ascii_digit() && c != '.')?;
        let (number, tail) = rest.split_at(digits);
        let letters = tail.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(tail.len());
        let (unit, tail) = tail.split_at(letters);
        let scale = match unit {
            "ms" => 0.001,
            "s" => 1.0,
            "m" | "min" => 60.0,
            "h" => 3600.0,
            "d" => 86400.0,
            _ => return None,
        };
        let part = Duration::try_from_secs_f64(number.parse::<f64>().ok()? * scale).ok()?;
        total = total.checked_add(part)?;
        rest = tail;
    }
    (!text.is_empty()).then_some(total)
}

/// A number of bytes in the unit that suits it.
pub fn show_bytes(bytes: u64) -> String {
    let units = [("GiB", 30), ("MiB", 20), ("KiB", 10)];
    match units.iter().find(|(_, shift)| bytes >> shift > 0) {
        Some((unit, shift)) => format!("{:.1} {unit}", bytes as f64 / (1u64 << shift) as f64),
        None => plural(bytes, "byte", "bytes"),
    }
}

/// A whole number with a comma after each group of three digits.
pub fn show_count(count: u64) -> String {
    let digits = count.to_string();
    let mut out = String::new();
    for (i, c) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(c);
    }
    out
}

/// A count with its noun, in the plural unless it is one.
pub fn plural(count: u64, one: &str, many: &str) -> String {
    format!("{} {}", show_count(count), if count == 1 { one } else { many })
}

/// A length of time for people.
pub fn show_seconds(seconds: f64) -> String {
    if seconds < 0.1 {
        format!("{:.0} ms", seconds * 1000.0)
    } else if seconds < 100.0 {
        format!("{seconds:.1} s")
    } else {
        let whole = seconds.round() as u64;
        format!("{} min {} s", whole / 60, whole % 60)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_read_with_every_usual_unit() {
        assert_eq!(parse_bytes("4096"), Some(4096));
        assert_eq!(parse_bytes("8G"), Some(8 << 30));
        assert_eq!(parse_bytes("1.5k"), Some(1536));
        assert_eq!(parse_bytes("2MiB"), Some(2 << 20));
        assert_eq!(parse_bytes("2mb"), Some(2 << 20));
    }

    #[test]
    fn nonsense_is_no_number_of_bytes() {
        for text in ["", "G", "8X", "-1", "1.2.3", "1e400", "8 G 3", "999999999T"] {
            assert_eq!(parse_bytes(text), None, "{text}");
        }
    }

    #[test]
    fn durations_may_be_sums() {
        assert_eq!(parse_duration("60s"), Some(Duration::from_secs(60)));
        assert_eq!(parse_duration("5m"), Some(Duration::from_secs(300)));
        assert_eq!(parse_duration("1m30s"), Some(Duration::from_secs(90)));
        assert_eq!(parse_duration("250ms"), Some(Duration::from_millis(250)));
        assert_eq!(parse_duration("12"), Some(Duration::from_secs(12)));
    }

    #[test]
    fn nonsense_is_no_duration() {
        for text in ["", "s", "5x", "-3s", "1m30", "inf", "nan", "1e300"] {
            assert_eq!(parse_duration(text), None, "{text}");
        }
    }

    #[test]
    fn amounts_are_shown_for_people() {
        assert_eq!(show_bytes(12), "12 bytes");
        assert_eq!(show_bytes(3 << 19), "1.5 MiB");
        assert_eq!(show_count(1_234_567), "1,234,567");
        assert_eq!(plural(1, "state", "states"), "1 state");
        assert_eq!(show_seconds(0.0123), "12 ms");
        assert_eq!(show_seconds(125.0), "2 min 5 s");
    }
}
