//! How numbers and short strings are written into packets, and read from packets that anybody may have written.

/// A packet does not say what it should.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Garbled;

/// Appends a number, seven bits to a byte, low ones first.
#[inline]
pub fn put(out: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// Appends a difference: small ones are short, whatever their sign.
#[inline]
pub fn put_signed(out: &mut Vec<u8>, number: i64) {
    put(out, ((number << 1) ^ (number >> 63)) as u64);
}

/// Appends bytes and how many they are.
pub fn put_bytes(out: &mut Vec<u8>, bytes: &[u8]) {
    put(out, bytes.len() as u64);
    out.extend_from_slice(bytes);
}

/// What is still to be read of a packet.
#[derive(Clone, Copy, Debug)]
pub struct Rest<'a>(pub &'a [u8]);

impl<'a> Rest<'a> {
    /// True if nothing is left.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Reads a number.
    #[inline]
    pub fn number(&mut self) -> Result<u64, Garbled> {
        let (mut number, mut shift) = (0u64, 0);
        loop {
            let (&byte, rest) = self.0.split_first().ok_or(Garbled)?;
            self.0 = rest;
            if shift > 63 || (shift == 63 && byte > 1) {
                return Err(Garbled);
            }
            number |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Ok(number);
            }
            shift += 7;
        }
    }

    /// Reads a difference.
    #[inline]
    pub fn signed(&mut self) -> Result<i64, Garbled> {
        let number = self.number()?;
        Ok((number >> 1) as i64 ^ -((number & 1) as i64))
    }

    /// Takes so many bytes.
    #[inline]
    pub fn take(&mut self, count: usize) -> Result<&'a [u8], Garbled> {
        let (taken, rest) = self.0.split_at_checked(count).ok_or(Garbled)?;
        self.0 = rest;
        Ok(taken)
    }

    /// Reads bytes that tell how many they are; more than there are is an error before anything is allocated.
    pub fn bytes(&mut self) -> Result<&'a [u8], Garbled> {
        let count = self.number()?;
        self.take(usize::try_from(count).map_err(|_| Garbled)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_back() {
        let numbers = [0, 1, 127, 128, 300, u64::from(u32::MAX), u64::MAX - 1, u64::MAX];
        let mut out = Vec::new();
        numbers.iter().for_each(|&n| put(&mut out, n));
        numbers.iter().for_each(|&n| put_signed(&mut out, n as i64));
        put_bytes(&mut out, b"abc");
        let mut rest = Rest(&out);
        numbers.iter().for_each(|&n| assert_eq!(rest.number(), Ok(n)));
        numbers.iter().for_each(|&n| assert_eq!(rest.signed(), Ok(n as i64)));
        assert_eq!(rest.bytes(), Ok(&b"abc"[..]));
        assert!(rest.is_empty() && rest.number().is_err());
    }

    #[test]
    fn nonsense_is_an_error() {
        assert!(Rest(&[0xff; 11]).number().is_err());
        assert!(Rest(&[0xff, 0xff, 0xff, 0xff, 0x0f, 1]).bytes().is_err());
        assert!(Rest(&[0x80]).number().is_err());
    }
}
