//! Takes back the marks of a reduced search where they say too much: see [`crate::method::groups::reduced`].
//!
//! A state is *grounded* if it is known that there is a way from it to a state that took all its steps. A reduced state is
//! marked, because that is not known yet when it is expanded. When all that came after it has been expanded, its own frame
//! is about to be dropped; if one of its successors is grounded then, so is the state, and its mark is in the way only.
//! This is for a worker who is alone, since what was given away to others may not have been expanded yet.

use crate::parts::frontier::{GROUP, anew};

/// The frames of a frontier, with the marked states among their members.
#[derive(Default)]
pub struct Ladder {
    rungs: Vec<Rung>,
}

/// One frame.
pub struct Rung {
    /// By member: its parent among the members of the frame below.
    parents: [u8; GROUP],
    /// By member: a bit if it is grounded.
    grounded: u16,
    /// Members that are marked, with their records.
    marked: Vec<(u8, Box<[u8]>)>,
}

impl Rung {
    /// A frame whose members have no marks so far.
    pub fn new() -> Rung {
        Rung { parents: [0; GROUP], grounded: 0, marked: Vec::new() }
    }

    /// Adds a member: its parent, and its record if it is marked.
    pub fn add(&mut self, member: usize, parent: usize, marked: Option<&[u8]>) {
        self.parents[member] = parent as u8;
        match marked {
            Some(record) => self.marked.push((member as u8, record.into())),
            None => self.grounded |= 1 << member,
        }
    }

    fn is_grounded(&self, member: u8) -> bool {
        self.grounded >> member & 1 == 1
    }
}

impl Ladder {
    /// Only so many frames are left: tells of each marked state that turned out to be grounded.
    pub fn drop_to(&mut self, frames: usize, mut unmark: impl FnMut(&[u8])) {
        while self.rungs.len() > frames
            && let Some(top) = self.rungs.pop()
        {
            let Some(below) = self.rungs.last_mut() else { continue };
            let risen = (0..GROUP).filter(|&m| top.is_grounded(m as u8)).map(|m| 1u16 << top.parents[m]);
            let risen = risen.fold(0, |all, parent| all | parent);
            below.grounded |= risen;
            below.marked.retain(|(member, record)| {
                let grounded = risen >> member & 1 == 1;
                if grounded {
                    unmark(record);
                }
                !grounded
            });
        }
    }

    /// Replaces all records.
    pub fn rename(&mut self, mut renamed: impl FnMut(&[u8], &mut Vec<u8>)) {
        for (_, record) in self.rungs.iter_mut().flat_map(|rung| &mut rung.marked) {
            *record = anew(record, &mut renamed).into();
        }
    }

    /// A frame is on top of so many others. Where these are not known, nothing is taken back.
    pub fn push(&mut self, frames: usize, rung: Rung) {
        if self.rungs.len() == frames {
            self.rungs.push(rung);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A state is grounded by its children only, and only when their frame is dropped; then its own parent is.
    #[test]
    fn what_is_grounded_rises() {
        let mut ladder = Ladder::default();
        let mut seen: Vec<u8> = Vec::new();
        let mut bottom = Rung::new();
        bottom.add(0, 0, Some(&[10]));
        ladder.push(0, bottom);
        let mut middle = Rung::new();
        middle.add(0, 0, Some(&[20]));
        middle.add(1, 0, Some(&[21]));
        ladder.push(1, middle);
        let mut top = Rung::new();
        top.add(0, 1, None);
        top.add(1, 0, Some(&[31]));
        ladder.push(2, top);
        ladder.drop_to(3, |record| seen.push(record[0]));
        assert!(seen.is_empty());
        ladder.drop_to(2, |record| seen.push(record[0]));
        assert_eq!(seen, [21]);
        ladder.drop_to(1, |record| seen.push(record[0]));
        assert_eq!(seen, [21, 10]);
        ladder.drop_to(0, |record| seen.push(record[0]));
        assert_eq!(seen, [21, 10]);
    }
}
