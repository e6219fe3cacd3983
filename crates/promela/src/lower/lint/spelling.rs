//! A search for names that were nearly right.

/// The known name that differs least from one that is not known, if it is near enough to be meant.
pub fn nearest<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Option<String> {
    let most = match name.chars().count() {
        0..=2 => 1,
        3..=6 => 2,
        _ => 3,
    };
    known
        .map(|k| (distance(name, k), k))
        .filter(|(d, k)| *d <= most && *d < k.chars().count())
        .min_by_key(|(d, k)| (*d, k.len()))
        .map(|(_, k)| k.to_string())
}

/// The number of characters to insert, delete or exchange.
pub(super) fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, ca) in a.chars().enumerate() {
        let mut corner = row[0];
        row[0] = i + 1;
        for (j, cb) in b.iter().enumerate() {
            let change = corner + usize::from(ca != *cb);
            corner = row[j + 1];
            row[j + 1] = change.min(row[j] + 1).min(corner + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn a_slip_of_the_finger_is_recognised() {
        assert_eq!(nearest("coutner", ["counter", "other"].into_iter()), Some("counter".into()));
        assert_eq!(nearest("x", ["y", "counter"].into_iter()), None);
    }
}
