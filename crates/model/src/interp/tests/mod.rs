//! Exact steps and successors of small models, one file for each part of the semantics.

mod atomic;
mod basics;
mod channels;
mod claim;
mod counts;
mod processes;
mod rendezvous;
mod special;
mod trace;
