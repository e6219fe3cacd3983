//! Where the variables of one region lie, so that a place can be told to be one of them.

use starwheel_model::{Place, Ty, Var};

/// A variable, an array, or several that share memory.
#[derive(Clone, Copy, Debug)]
struct Cell {
    start: u32,
    end: u32,
    /// The type of all its elements; none if several share the memory.
    ty: Option<Ty>,
}

/// The variables of a region, in the order in which they lie there.
#[derive(Clone, Debug, Default)]
pub struct Cells {
    all: Vec<Cell>,
}

/// What a place means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Meant {
    /// The whole of a variable that is no array.
    Variable(usize),
    /// An element of some of these, and of nothing else.
    Some(Vec<usize>),
    /// Anything.
    Anything,
}

/// A place with more variables under it may mean anything.
const MANY: usize = 300;

impl Cells {
    /// The variables of a region.
    pub fn new<'v>(vars: impl Iterator<Item = &'v Var>) -> Cells {
        let mut found: Vec<Cell> = vars
            .map(|v| {
                let (start, end) = v.place.widest(v.len.unwrap_or(1));
                Cell { start, end, ty: Some(v.ty).filter(|ty| *ty == v.place.ty) }
            })
            .collect();
        found.sort_by_key(|c| (c.start, c.end));
        let mut all: Vec<Cell> = Vec::new();
        for cell in found {
            match all.last_mut() {
                Some(last) if cell.start < last.end => {
                    let same = (last.start, last.end, last.ty) == (cell.start, cell.end, cell.ty);
                    last.ty = last.ty.filter(|_| same);
                    last.end = last.end.max(cell.end);
                }
                _ => all.push(cell),
            }
        }
        Cells { all }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.all.len()
    }

    /// The type of the elements of one of them, if they have the same and time does not change it.
    pub fn ty(&self, cell: usize) -> Option<Ty> {
        self.all[cell].ty.filter(|ty| *ty != Ty::Timer)
    }

    /// True if it is one value that can be followed from step to step.
    pub fn single(&self, cell: usize) -> bool {
        self.ty(cell).is_some_and(|ty| self.all[cell].end - self.all[cell].start == ty.size())
    }

    /// Where each element of one of them lies.
    pub fn elements(&self, cell: usize) -> impl Iterator<Item = u32> + use<> {
        let Cell { start, end, ty } = self.all[cell];
        (start..end).step_by(ty.map_or(1, Ty::size) as usize)
    }

    /// What so many elements from a place on may mean.
    pub fn meant(&self, place: &Place, count: u32) -> Meant {
        let (start, end) = place.widest(count);
        let first = self.all.partition_point(|c| c.end <= start);
        let under = self.all[first..].partition_point(|c| c.start < end);
        let covered = self.all[first..first + under].iter().map(|c| c.end - c.start).sum::<u32>();
        if under == 0 || under > MANY || covered < 1 {
            return Meant::Anything;
        }
        let fits = |c: &usize| self.all[*c].ty == Some(place.ty) || self.all[*c].ty.is_none();
        let touched: Vec<usize> = (first..first + under).filter(|c| self.touches(place, count, *c)).collect();
        match touched[..] {
            [only] if self.single(only) && self.ty(only) == Some(place.ty) && count == 1 => Meant::Variable(only),
            [] => Meant::Anything,
            _ if touched.iter().all(fits) => Meant::Some(touched),
            _ => Meant::Anything,
        }
    }

    /// Whether some value of the indices makes a place meet a variable; certain only for one index.
    fn touches(&self, place: &Place, count: u32, cell: usize) -> bool {
        let (cell, size) = (self.all[cell], place.ty.size() * count);
        let [dim] = &place.dims[..] else { return true };
        if dim.stride == 0 || cell.end <= place.offset {
            return true;
        }
        let last = ((cell.end - 1 - place.offset) / dim.stride).min(dim.len.saturating_sub(1));
        place.offset + last * dim.stride + size > cell.start
    }
}
