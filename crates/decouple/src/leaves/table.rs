//! A number for some pairs of numbers, in small pages: frames that are met together have numbers close together.

use rapidhash::RapidHashMap;

/// Entries of a page.
const PAGE: usize = 16;

/// The table: by group, then by member.
#[derive(Debug, Default)]
pub struct Table {
    /// Each entry is one more than the number, or nothing.
    pages: RapidHashMap<(u32, u32), Box<[u32; PAGE]>>,
}

impl Table {
    /// The number of a member of a group.
    pub fn get(&self, group: u32, member: u32) -> Option<u32> {
        self.pages.get(&(group, member / PAGE as u32))?[member as usize % PAGE].checked_sub(1)
    }

    /// Gives a number to a member of a group.
    pub fn put(&mut self, group: u32, member: u32, number: u32) {
        let page = self.pages.entry((group, member / PAGE as u32)).or_default();
        page[member as usize % PAGE] = number + 1;
    }

    /// Bytes in use.
    pub fn usage(&self) -> u64 {
        (self.pages.capacity() * 17 + self.pages.len() * (PAGE * 4 + 16)) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_pair_has_its_own_number() {
        let mut table = Table::default();
        for n in 0..1000 {
            table.put(n % 7, n, n);
        }
        for n in 0..1000 {
            assert_eq!(table.get(n % 7, n), Some(n));
            assert_eq!(table.get((n + 1) % 7, n), None);
        }
    }
}
