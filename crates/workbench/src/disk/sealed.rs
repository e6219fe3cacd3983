//! Files whose bytes are sealed block by block: whoever reads one sees at once that a byte is missing or was changed.
//!
//! A block is its length in four bytes, its bytes, and eight bytes of a hash of the hash before it and of these bytes. An
//! empty block is the end.

use rapidhash::v3::rapidhash_v3;
use std::io::{self, Read, Write};

/// Most bytes of a block.
const BLOCK: usize = 1 << 20;
/// Bytes of a hash, which stand in front of the bytes in memory.
const SEAL: usize = 8;

/// Seals what is written. [`Sealer::finish`] writes the end; without it the file is of no use.
pub struct Sealer<W> {
    out: W,
    /// The hash of the block before, then the bytes of this one.
    block: Vec<u8>,
}

impl<W: Write> Sealer<W> {
    /// Starts with nothing.
    pub fn new(out: W) -> Sealer<W> {
        Sealer { out, block: vec![0; SEAL] }
    }

    /// Writes the rest and the end.
    pub fn finish(mut self) -> io::Result<W> {
        self.end_block()?;
        self.seal()?;
        self.out.flush()?;
        Ok(self.out)
    }

    /// Ends the block, unless it is empty.
    pub fn end_block(&mut self) -> io::Result<()> {
        if self.block.len() > SEAL { self.seal() } else { Ok(()) }
    }

    fn seal(&mut self) -> io::Result<()> {
        let hash = rapidhash_v3(&self.block).to_le_bytes();
        self.out.write_all(&((self.block.len() - SEAL) as u32).to_le_bytes())?;
        self.out.write_all(&self.block[SEAL..])?;
        self.out.write_all(&hash)?;
        self.block.clear();
        self.block.extend_from_slice(&hash);
        Ok(())
    }
}

impl<W: Write> Write for Sealer<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = bytes.len().min(BLOCK + SEAL - self.block.len());
        self.block.extend_from_slice(&bytes[..count]);
        if self.block.len() == BLOCK + SEAL {
            self.seal()?;
        }
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// Reads what was sealed, and fails where the seal is broken.
pub struct Unsealer<R> {
    from: R,
    /// The hash of the block before, then the bytes of this one.
    block: Vec<u8>,
    /// The hash of this block.
    seal: [u8; SEAL],
    /// How far the block was read.
    at: usize,
    ended: bool,
}

impl<R: Read> Unsealer<R> {
    /// Starts at the first block.
    pub fn new(from: R) -> Unsealer<R> {
        Unsealer { from, block: Vec::new(), seal: [0; SEAL], at: 0, ended: false }
    }

    /// The rest of the present block, or the whole next one if nothing was read of it; nothing at the end.
    pub fn block(&mut self) -> io::Result<&[u8]> {
        self.fill()?;
        let from = std::mem::replace(&mut self.at, self.block.len());
        Ok(&self.block[from..])
    }

    /// Makes sure that there is something to read, unless this is the end.
    fn fill(&mut self) -> io::Result<()> {
        if self.at < self.block.len() || self.ended {
            return Ok(());
        }
        let mut length = [0; 4];
        self.from.read_exact(&mut length)?;
        let length = u32::from_le_bytes(length) as usize;
        if length > BLOCK {
            return Err(broken());
        }
        self.block.clear();
        self.block.extend_from_slice(&self.seal);
        self.block.resize(SEAL + length, 0);
        self.from.read_exact(&mut self.block[SEAL..])?;
        self.from.read_exact(&mut self.seal)?;
        if rapidhash_v3(&self.block) != u64::from_le_bytes(self.seal) {
            return Err(broken());
        }
        (self.at, self.ended) = (SEAL, length == 0);
        Ok(())
    }
}

impl<R: Read> Read for Unsealer<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        self.fill()?;
        let count = out.len().min(self.block.len() - self.at);
        out[..count].copy_from_slice(&self.block[self.at..self.at + count]);
        self.at += count;
        Ok(count)
    }
}

fn broken() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "bytes are missing or were changed")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sealed(bytes: &[u8]) -> Vec<u8> {
        let mut sealer = Sealer::new(Vec::new());
        sealer.write_all(b"head").expect("a list takes everything");
        sealer.end_block().expect("a list takes everything");
        sealer.write_all(bytes).expect("a list takes everything");
        sealer.finish().expect("a list takes everything")
    }

    fn unsealed(bytes: &[u8]) -> io::Result<Vec<u8>> {
        let mut from = Unsealer::new(bytes);
        if from.block()? != b"head" {
            return Err(broken());
        }
        let mut out = Vec::new();
        from.read_to_end(&mut out).map(|_| out)
    }

    #[test]
    fn what_was_sealed_comes_back() {
        for length in [0, 1, 1000, BLOCK - 1, BLOCK, BLOCK + 1, 3 * BLOCK + 17] {
            let bytes: Vec<u8> = (0..length).map(|at| (at % 251) as u8).collect();
            assert_eq!(unsealed(&sealed(&bytes)).expect("nothing was changed"), bytes, "{length}");
        }
    }

    #[test]
    fn every_change_and_every_cut_is_seen() {
        let whole = sealed(&[7; 300]);
        for at in 0..whole.len() {
            assert!(unsealed(&whole[..at]).is_err(), "cut at {at}");
            let mut changed = whole.clone();
            changed[at] ^= 0x20;
            assert!(unsealed(&changed).is_err(), "changed at {at}");
        }
    }

    #[test]
    fn blocks_cannot_change_places() {
        let bytes: Vec<u8> = [[1; BLOCK], [2; BLOCK]].concat();
        let whole = sealed(&bytes);
        let (size, head) = (BLOCK + 12, 4 + 12);
        let mut swapped = whole.clone();
        swapped[head..head + size].copy_from_slice(&whole[head + size..head + 2 * size]);
        swapped[head + size..head + 2 * size].copy_from_slice(&whole[head..head + size]);
        assert!(unsealed(&swapped).is_err());
    }
}
