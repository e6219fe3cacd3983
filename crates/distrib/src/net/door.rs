//! The first bytes on a connection between machines: a stranger is told by them before anything is kept of what he says.
//!
//! Noise NNpsk0 (T. Perrin, The Noise Protocol Framework, revision 34): the token, hashed, is the key that both sides have, and
//! each connection gets keys of its own that nobody can work out later. Without a token nothing is sealed, which is for one
//! machine alone.

use super::records::Records;
use blake2::{Blake2s256, Digest};
use snow::{Builder, HandshakeState};
use std::fmt;
use std::io::{self, ErrorKind, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

/// What a connection begins with; the last character is the version of everything that is sent.
const MAGIC: [u8; 8] = *b"starnet1";
/// How connections are sealed.
const NOISE: &str = "Noise_NNpsk0_25519_ChaChaPoly_BLAKE2s";
/// Bytes of each of the two messages that open a sealed connection.
const OPENING: usize = 48;
/// The time that all of it may take.
const PATIENCE: Duration = Duration::from_secs(5);
/// The fewest bytes of a token.
const SHORTEST: usize = 16;

/// What the one who is called answers.
mod answer {
    pub const COME_IN: u8 = 0;
    pub const TOKEN_NEEDED: u8 = 1;
    pub const NO_TOKEN_HERE: u8 = 2;
    pub const ANOTHER_TOKEN: u8 = 3;
}

/// A secret that all processes of a run know.
#[derive(Clone, PartialEq, Eq)]
pub struct Token([u8; 32]);

impl Token {
    /// The token of a text, around which spaces do not count; none if it is too short to be a secret.
    pub fn new(text: &str) -> Option<Token> {
        let text = text.trim();
        let hash = || Blake2s256::new_with_prefix(b"starwheel token 1").chain_update(text.as_bytes()).finalize();
        (text.len() >= SHORTEST).then(|| Token(hash().into()))
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Token")
    }
}

/// Why nobody comes in.
#[derive(Debug)]
pub enum Closed {
    /// The other side wants a token, and there is none.
    TokenNeeded,
    /// There is a token here, and none at the other side.
    NoTokenThere,
    /// The tokens differ.
    AnotherToken,
    /// The other side is something else, or an older or newer version.
    Stranger,
    /// The connection broke.
    Io(io::Error),
}

impl fmt::Display for Closed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Closed::TokenNeeded => write!(f, "it asks for a token, and there is none here"),
            Closed::NoTokenThere => write!(f, "it was started without a token, and there is one here"),
            Closed::AnotherToken => write!(f, "it has another token"),
            Closed::Stranger => write!(f, "what listens there is no `starwheel worker` of this version"),
            Closed::Io(error) if error.kind() == ErrorKind::UnexpectedEof => write!(f, "it hung up"),
            Closed::Io(error) => write!(f, "{error}"),
        }
    }
}

impl From<io::Error> for Closed {
    fn from(error: io::Error) -> Closed {
        Closed::Io(error)
    }
}

fn noise(token: &Token, calls: bool) -> Result<HandshakeState, snow::Error> {
    let builder = Builder::new(NOISE.parse()?).psk(0, &token.0)?;
    if calls { builder.build_initiator() } else { builder.build_responder() }
}

/// A mistake of the library's, or of its use.
fn odd(error: snow::Error) -> Closed {
    Closed::Io(io::Error::other(error.to_string()))
}

/// Opens a connection as the one who calls.
pub fn call(mut socket: TcpStream, token: Option<&Token>) -> Result<Records, Closed> {
    let until = Instant::now() + PATIENCE;
    socket.set_write_timeout(Some(PATIENCE))?;
    let mut first = MAGIC.to_vec();
    first.push(u8::from(token.is_some()));
    let mut state = token.map(|token| noise(token, true)).transpose().map_err(odd)?;
    if let Some(state) = &mut state {
        let mut opening = [0; OPENING];
        state.write_message(&[], &mut opening).map_err(odd)?;
        first.extend_from_slice(&opening);
    }
    socket.write_all(&first)?;
    let mut reply = [0; MAGIC.len() + 1];
    read(&mut socket, &mut reply, until)?;
    if reply[..MAGIC.len()] != MAGIC {
        return Err(Closed::Stranger);
    }
    match reply[MAGIC.len()] {
        answer::COME_IN => {}
        answer::TOKEN_NEEDED => return Err(Closed::TokenNeeded),
        answer::NO_TOKEN_HERE => return Err(Closed::NoTokenThere),
        answer::ANOTHER_TOKEN => return Err(Closed::AnotherToken),
        _ => return Err(Closed::Stranger),
    }
    if let Some(state) = &mut state {
        let mut opening = [0; OPENING];
        read(&mut socket, &mut opening, until)?;
        state.read_message(&opening, &mut []).map_err(|_| Closed::AnotherToken)?;
    }
    finish(socket, state)
}

/// Opens a connection as the one who is called. No more than 57 bytes are read of somebody who is not known.
pub fn receive(mut socket: TcpStream, token: Option<&Token>) -> Result<Records, Closed> {
    let until = Instant::now() + PATIENCE;
    socket.set_write_timeout(Some(PATIENCE))?;
    let mut first = [0; MAGIC.len() + 1];
    read(&mut socket, &mut first, until)?;
    if first[..MAGIC.len()] != MAGIC {
        return Err(Closed::Stranger);
    }
    let mut say = |what: u8| socket.write_all(&[&MAGIC[..], &[what]].concat());
    let state = match (first[MAGIC.len()] == 1, token) {
        (false, None) => {
            say(answer::COME_IN)?;
            None
        }
        (false, Some(_)) => {
            say(answer::TOKEN_NEEDED)?;
            return Err(Closed::TokenNeeded);
        }
        (true, None) => {
            say(answer::NO_TOKEN_HERE)?;
            return Err(Closed::NoTokenThere);
        }
        (true, Some(token)) => {
            let (mut opening, mut state) = ([0; OPENING], noise(token, false).map_err(odd)?);
            read(&mut socket, &mut opening, until)?;
            if state.read_message(&opening, &mut []).is_err() {
                socket.write_all(&[&MAGIC[..], &[answer::ANOTHER_TOKEN]].concat())?;
                return Err(Closed::AnotherToken);
            }
            state.write_message(&[], &mut opening).map_err(odd)?;
            socket.write_all(&[&MAGIC[..], &[answer::COME_IN], &opening].concat())?;
            Some(state)
        }
    };
    finish(socket, state)
}

fn finish(socket: TcpStream, state: Option<HandshakeState>) -> Result<Records, Closed> {
    let cipher = state.map(HandshakeState::into_stateless_transport_mode).transpose().map_err(odd)?;
    socket.set_write_timeout(None)?;
    Ok(Records::new(socket, cipher)?)
}

/// Reads until a buffer is full, but not for ever.
fn read(socket: &mut TcpStream, buffer: &mut [u8], until: Instant) -> io::Result<()> {
    let mut done = 0;
    while done < buffer.len() {
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(ErrorKind::TimedOut.into());
        }
        socket.set_read_timeout(Some(left))?;
        match socket.read(&mut buffer[done..]) {
            Ok(0) => return Err(ErrorKind::UnexpectedEof.into()),
            Ok(count) => done += count,
            Err(error) if matches!(error.kind(), ErrorKind::Interrupted | ErrorKind::WouldBlock) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::TcpListener;
    use std::thread;

    fn token(text: &str) -> Option<Token> {
        Some(Token::new(text).unwrap())
    }

    /// Both ends of a connection between two sides with these tokens.
    fn meet(caller: Option<Token>, called: Option<Token>) -> (Result<Records, Closed>, Result<Records, Closed>) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        thread::scope(|scope| {
            let called = scope.spawn(move || receive(listener.accept().unwrap().0, called.as_ref()));
            let caller = call(TcpStream::connect(address).unwrap(), caller.as_ref());
            (caller, called.join().unwrap())
        })
    }

    const SECRET: &str = "a secret of some length";

    #[test]
    fn messages_arrive_with_and_without_a_token() {
        for secret in [None, token(SECRET)] {
            let (caller, called) = meet(secret.clone(), secret);
            let (mut caller, mut called) = (caller.unwrap(), called.unwrap());
            for length in [0, 1, 65_519, 65_520, 300_000] {
                let message: Vec<u8> = (0..length).map(|at| at as u8).collect();
                thread::scope(|scope| {
                    let heard = scope.spawn(|| called.hear(1 << 20).unwrap());
                    caller.say(&message).unwrap();
                    assert_eq!(heard.join().unwrap(), message);
                });
            }
            caller.say(&[1; 100]).unwrap();
            assert!(called.hear(99).is_err());
            drop(caller);
        }
    }

    #[test]
    fn whoever_has_another_token_or_none_stays_outside() {
        let cases: [(Option<Token>, Option<Token>, &str); 3] = [
            (token(SECRET), token("another secret text"), "another token"),
            (token(SECRET), None, "without a token"),
            (None, token(SECRET), "asks for a token"),
        ];
        for (caller, called, words) in cases {
            let (caller, called) = meet(caller, called);
            let text = caller.unwrap_err().to_string();
            assert!(text.contains(words) && called.is_err(), "{text}");
        }
        assert!(Token::new("  too short      ").is_none());
        assert_eq!(Token::new(" sixteen letters\n"), None);
        assert_eq!(Token::new(" sixteen letters!\n"), Token::new("sixteen letters!"));
    }

    #[test]
    fn a_changed_record_is_an_error() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let secret = token(SECRET);
        thread::scope(|scope| {
            let secret = &secret;
            let called = scope.spawn(move || {
                let mut called = receive(listener.accept().unwrap().0, secret.as_ref()).unwrap();
                called.hear(100)
            });
            let mut raw = TcpStream::connect(address).unwrap();
            let other = raw.try_clone().unwrap();
            let caller = call(other, secret.as_ref()).unwrap();
            raw.write_all(&[24, 0]).unwrap();
            raw.write_all(&[7; 24]).unwrap();
            assert_eq!(called.join().unwrap().unwrap_err().kind(), ErrorKind::InvalidData);
            drop(caller);
        });
    }
}
