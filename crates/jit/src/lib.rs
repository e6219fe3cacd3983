//! The interpreter's twin as machine code.
