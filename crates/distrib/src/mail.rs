//! The dataflow under a search: packets go to whom they are for, and it ends when nobody works and nothing is on its way.
//!
//! One operator per process with a loop from its output to its input. It does no work itself: it puts what arrives into a box
//! and sends what it finds in another. While its owner has anything to do, it holds a capability, the oldest it has got, and
//! sends under it; when its owner rests, it lets go of it. What is on its way is counted by timely. So the dataflow ends exactly
//! when all rest and nothing is left, and nothing here has to count.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::io::Write;
use std::rc::Rc;
use timely::Accountable;
use timely::bytes::arc::Bytes;
use timely::communication::Push;
use timely::container::NoopBuilder;
use timely::dataflow::channels::pact::DistributorPact;
use timely::dataflow::channels::pushers::exchange::Distributor;
use timely::dataflow::channels::{ContainerBytes, Message};
use timely::dataflow::operators::generic::OutputBuilder;
use timely::dataflow::operators::generic::builder_rc::OperatorBuilder;
use timely::dataflow::operators::{ConnectLoop, Feedback};
use timely::scheduling::Activator;
use timely::worker::Worker;

/// Something that one process tells another. It counts as one record, unless it is empty and no packet at all.
#[derive(Clone, Debug, Default)]
pub struct Packet {
    /// The sender.
    pub from: u32,
    /// The receiver.
    pub to: u32,
    /// What is told.
    pub bytes: Vec<u8>,
}

/// Bytes in front of a packet: sender, receiver, length.
const HEAD: usize = 12;

impl Accountable for Packet {
    fn record_count(&self) -> i64 {
        i64::from(!self.bytes.is_empty())
    }
}

impl ContainerBytes for Packet {
    fn from_bytes(bytes: Bytes) -> Packet {
        let number = |at: usize| {
            let four = bytes.get(at..at + 4).and_then(|b| <[u8; 4]>::try_from(b).ok());
            four.map_or(0, u32::from_le_bytes)
        };
        let body = bytes.get(HEAD..HEAD + number(8) as usize).unwrap_or_default();
        Packet { from: number(0), to: number(4), bytes: body.to_vec() }
    }

    fn length_in_bytes(&self) -> usize {
        HEAD + self.bytes.len()
    }

    fn into_bytes<W: Write>(&self, writer: &mut W) {
        for number in [self.from, self.to, self.bytes.len() as u32] {
            // The writer is memory that is large enough, as was asked for above.
            _ = writer.write_all(&number.to_le_bytes());
        }
        _ = writer.write_all(&self.bytes);
    }
}

/// Gives each packet to whom it is for.
struct Post;

impl Distributor<Packet> for Post {
    fn partition<T: Clone, P: Push<Message<T, Packet>>>(&mut self, packet: &mut Packet, time: &T, pushers: &mut [P]) {
        let to = packet.to as usize % pushers.len();
        Message::push_at(packet, time.clone(), &mut pushers[to]);
    }

    fn flush<T: Clone, P: Push<Message<T, Packet>>>(&mut self, _time: &T, _pushers: &mut [P]) {}
}

/// The boxes of one process in one dataflow.
pub struct Mail {
    inbox: Rc<RefCell<VecDeque<Packet>>>,
    outbox: Rc<RefCell<Vec<Packet>>>,
    busy: Rc<Cell<bool>>,
    activator: Activator,
}

impl Mail {
    /// Begins a dataflow; all processes have to do so in the same order. Each of them holds it open until it rests.
    pub fn open(worker: &mut Worker) -> Mail {
        let inbox: Rc<RefCell<VecDeque<Packet>>> = Rc::default();
        let outbox: Rc<RefCell<Vec<Packet>>> = Rc::default();
        let busy = Rc::new(Cell::new(true));
        let (arrived, leaving, working) = (Rc::clone(&inbox), Rc::clone(&outbox), Rc::clone(&busy));
        let activator = worker.dataflow::<u64, _, _>(|scope| {
            let (handle, stream) = scope.feedback::<Packet>(1);
            let mut builder = OperatorBuilder::new("Search".to_owned(), scope);
            let activator = scope.activator_for(builder.operator_info().address);
            let mut input = builder.new_input(stream, DistributorPact(|_| Post));
            let (output, sent) = builder.new_output::<Packet>();
            let mut output = OutputBuilder::<u64, NoopBuilder<Packet>>::from(output);
            builder.build(move |mut capabilities| {
                let mut held = capabilities.pop();
                move |_frontiers| {
                    input.for_each(|token, packet| {
                        if held.as_ref().is_none_or(|held| token.time() < held.time()) {
                            held = Some(token.retain(0));
                        }
                        arrived.borrow_mut().push_back(std::mem::take(packet));
                    });
                    let mut leaving = leaving.borrow_mut();
                    if let Some(held) = &held
                        && !leaving.is_empty()
                    {
                        let mut active = output.activate();
                        let mut session = active.session_with_builder(held);
                        leaving.drain(..).for_each(|mut packet| session.give_container(&mut packet));
                    }
                    if !working.get() && leaving.is_empty() && arrived.borrow().is_empty() {
                        held = None;
                    }
                }
            });
            sent.connect_loop(handle);
            activator
        });
        Mail { inbox, outbox, busy, activator }
    }

    /// What came first of what is in the box.
    pub fn take(&self) -> Option<Packet> {
        self.inbox.borrow_mut().pop_front()
    }

    /// Sends packets at the next step of the dataflow.
    pub fn send(&self, packets: &mut Vec<Packet>) {
        if !packets.is_empty() {
            self.outbox.borrow_mut().append(packets);
            self.activator.activate();
        }
    }

    /// Says whether the owner has anything to do, or waits for something. Who rests can send only what answers a packet.
    pub fn busy(&self, busy: bool) {
        if self.busy.replace(busy) != busy && !busy {
            self.activator.activate();
        }
    }

    /// True if all that has arrived was taken.
    pub fn is_read(&self) -> bool {
        self.inbox.borrow().is_empty()
    }
}
