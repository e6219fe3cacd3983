//! Where the processes and channels of one state lie, in the form that generated code reads.

use crate::code::Code;
use crate::context::{Chan, Context, Frame, Mover, Spot, Written};
use crate::help::begin_for;
use rapidhash::RapidHashMap;
use starwheel_model::{Model, ProctypeId};

/// Most bytes of a state whose words have a bit each in [`starwheel_model::Entry::changed`].
pub(crate) const WORDS: usize = 4 * u64::BITS as usize;

/// A process that listens to channels without slots, at some of its locations.
struct Ear {
    /// Where a state says where it is.
    location_at: u32,
    /// The last index of its list, all of whose lower bits are set.
    mask: u32,
    /// By location: the channels.
    listening: *const u64,
}

/// The tables of one list of process types, which fixes where everything lies.
#[derive(Default)]
pub(crate) struct Tables {
    pub frames: Vec<Frame>,
    /// The processes that listen somewhere.
    ears: Vec<Ear>,
    chans: Vec<Chan>,
    firsts: Vec<i64>,
    /// Where the timers lie.
    pub timers: Vec<u32>,
    /// The words that transitions may change, by process type and start of the frame; states that are too long have no
    /// bits for their words. Frames point to them.
    changes: RapidHashMap<(u8, u32, bool), Box<[u64]>>,
    /// Bytes of a state.
    pub len: usize,
}

impl Tables {
    /// True if these are the tables of a state; `header` tells where its number of processes is. If nobody ever starts a
    /// process, their number says it all, and so does the state's length.
    #[inline]
    pub fn fit(&self, state: &[u8], header: usize, starts: bool) -> bool {
        // A state that is as long as the tables say holds all their frames.
        self.len == state.len() && (!starts || self.same_types(state, header))
    }

    fn same_types(&self, state: &[u8], header: usize) -> bool {
        self.frames.len() == state[header] as usize
            && self.frames.iter().all(|f| state[f.at as usize] == f.proctype as u8)
    }

    /// Makes the tables fit a state. False if the state is not one of the model.
    pub fn locate(&mut self, model: &Model, code: &Code, state: &[u8]) -> bool {
        let count = state[model.layout.header() as usize] as usize;
        self.frames.clear();
        self.ears.clear();
        self.chans.clear();
        self.firsts.clear();
        self.timers.clear();
        self.timers.extend(&model.layout.timers);
        self.firsts.resize(model.proctypes.len(), -1);
        self.len = model.layout.processes as usize;
        let global = model.global_channels.iter().zip(&model.layout.global_channels);
        let chan =
            |c: &starwheel_model::ChannelVar, at: u32| Chan { at, shape: code.shape_of[c.channel.index()] as u32 };
        self.chans.extend(global.map(|(c, &at)| chan(c, at)));
        for _ in 0..count {
            let Some(&id) = state.get(self.len) else { return false };
            let Some(f) = code.functions.get(id as usize) else { return false };
            let at = self.len as u32;
            if self.firsts[id as usize] < 0 {
                self.firsts[id as usize] = i64::from(at);
            }
            let changes = self.changes(code, id, at, state.len() > WORDS);
            self.frames.push(Frame {
                at,
                proctype: u32::from(id),
                mover: Mover { who: self.frames.len() as u64, changes, location_at: at + 2, word: at / 4 },
                spots: code.spots[id as usize].as_ptr(),
                nr_spots: code.spots[id as usize].len() as u32,
                accept: f.accept,
                take: f.take,
                can: f.can,
            });
            let listening = &code.listening[id as usize];
            if !listening.is_empty() {
                let (location_at, mask) = (at + 2, listening.len() as u32 - 1);
                self.ears.push(Ear { location_at, mask, listening: listening.as_ptr() });
            }
            let layout = &model.layout.frames[id as usize];
            let own = model.proctype(ProctypeId(id)).channels.iter().zip(&layout.channels);
            self.chans.extend(own.map(|(c, &offset)| chan(c, at + offset)));
            self.timers.extend(layout.timers.iter().map(|&offset| at + offset));
            self.len += layout.total as usize;
        }
        let fits = code.len.is_none_or(|len| len == self.len);
        let fits = fits
            && (code.members.is_empty()
                || self.frames.iter().map(|f| f.proctype as u8).eq(code.members.iter().map(|id| id.0)));
        fits && self.len == state.len() && self.frames.iter().all(|f| f.nr_spots > 0)
    }

    /// The words that the transitions of a process may change, as [`Mover::changes`].
    fn changes(&mut self, code: &Code, id: u8, at: u32, long: bool) -> *const u64 {
        let (first, own) = &code.written_by[id as usize];
        let shifted = || {
            let bits = |w: &Written| if long { u64::MAX } else { w.global | w.local.wrapping_shl(at / 4) };
            own.iter().map(bits).collect()
        };
        self.changes.entry((id, at, long)).or_insert_with(shifted).as_ptr().wrapping_sub(*first)
    }

    /// The channels to which some process listens in a state that fits, and those to which at least two do.
    #[inline(always)]
    pub fn heard(&self, state: &[u8]) -> (u64, u64) {
        let (mut once, mut twice) = (0, 0);
        for ear in &self.ears {
            debug_assert!(ear.location_at as usize + 2 <= state.len());
            // SAFETY: tables that fit a state have been made for one of its length, and their frames lie inside; the mask
            // is the last index of the list.
            let listening = unsafe {
                let at = state.as_ptr().add(ear.location_at as usize).cast::<u16>();
                *ear.listening.add(u16::from_le(at.read_unaligned()) as usize & ear.mask as usize)
            };
            twice |= once & listening;
            once |= listening;
        }
        (once, twice)
    }

    /// Tells generated code of the tables.
    pub fn publish(&self, ctx: &mut Context) {
        ctx.len = self.len as u64;
        ctx.help.begin = begin_for(self.len);
        ctx.frames = self.frames.as_ptr();
        ctx.chans = self.chans.as_ptr();
        ctx.firsts = self.firsts.as_ptr();
        ctx.count = self.frames.len() as u32;
        ctx.nr_chans = self.chans.len() as u32;
    }
}

/// What processes listen to, by location.
pub(crate) fn listening(spots: &[Spot]) -> Vec<u64> {
    if spots.iter().all(|s| s.listening == 0) {
        return Vec::new();
    }
    let mut list: Vec<u64> = spots.iter().map(|s| s.listening).collect();
    list.resize(spots.len().next_power_of_two(), 0);
    list
}
