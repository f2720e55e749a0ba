/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Simulated CAN buses: what the bus and the models of controllers know of each
 * other.
 *
 * A bus is a sequence of events: a frame begins, arbitration is lost, a frame or
 * an error frame ends. Each has a time of its own, computed from the bits, and is
 * handled at that time or, if the CPU was busy, later but in the same order and
 * with the same result: before anybody looks at a chip, the bus catches up with
 * the clock (can_sim_lock()). A timer that expires in hard interrupt context
 * makes it do so when nobody looks.
 *
 * Contexts and locks: one raw spinlock for each bus protects the bus and the
 * state of all chips on it. Drivers take it for each access to a register, in
 * any context but NMI, and the bus's timer takes it in hard interrupt context.
 * All operations of a node (struct can_sim_node_ops) are called with it held and
 * interrupts off, and what they may call is said below. Interrupts of a chip are
 * delivered without it, see irq.c. Configuration has a mutex for each bus, which
 * is taken first.
 */
#ifndef _CAN_SIM_H
#define _CAN_SIM_H

#include <linux/can.h>
#include <linux/hrtimer.h>
#include <linux/irq_work.h>
#include <linux/list.h>
#include <linux/prandom.h>
#include <linux/spinlock.h>
#include <linux/types.h>

#include "wire.h"

struct can_sim_bus;
struct can_sim_node;

/* Time that never comes. */
#define CAN_SIM_NEVER U64_MAX

/**
 * struct can_sim_timing - bit timing, as a chip is programmed
 * @clock: of the chip's bit timing logic, in Hz
 * @brp: cycles of @clock in a time quantum
 * @seg1: quanta of propagation segment and phase segment 1
 * @seg2: quanta of phase segment 2
 * @sjw: quanta of the synchronisation jump width
 */
struct can_sim_timing {
	u32 clock;
	u32 brp;
	u32 seg1;
	u32 seg2;
	u32 sjw;
};

u64 can_sim_timing_ns(const struct can_sim_timing *timing, unsigned int bits);
unsigned int can_sim_timing_bits(const struct can_sim_timing *timing, u64 ns);
bool can_sim_timing_agree(const struct can_sim_timing *a,
			  const struct can_sim_timing *b);

/* Modes of a node that is on the bus */
#define CAN_SIM_LISTEN_ONLY	BIT(0)	/* sends nothing: frame, ACK, error flag */
#define CAN_SIM_NO_ACK_NEEDED	BIT(1)	/* sends without a receiver (self test) */
#define CAN_SIM_ONE_SHOT	BIT(2)	/* what fails is not sent again */

/**
 * enum can_sim_state - fault confinement (ISO 11898-1:2015, clause 12.1)
 * @CAN_SIM_ACTIVE: error active
 * @CAN_SIM_PASSIVE: error passive: a counter is above 127
 * @CAN_SIM_BUS_OFF: the transmit error counter went above 255
 */
enum can_sim_state {
	CAN_SIM_ACTIVE,
	CAN_SIM_PASSIVE,
	CAN_SIM_BUS_OFF,
};

/**
 * enum can_sim_error_type - kinds of errors (ISO 11898-1:2015, clause 10.11)
 * @CAN_SIM_NO_ERROR: none
 * @CAN_SIM_BIT_ERROR: the transmitter reads another level than it sends
 * @CAN_SIM_STUFF_ERROR: a sixth equal bit where there must be a stuff bit
 * @CAN_SIM_FORM_ERROR: a dominant bit in a field of fixed form
 * @CAN_SIM_CRC_ERROR: receivers compute another checksum
 * @CAN_SIM_ACK_ERROR: nobody acknowledges
 */
enum can_sim_error_type {
	CAN_SIM_NO_ERROR,
	CAN_SIM_BIT_ERROR,
	CAN_SIM_STUFF_ERROR,
	CAN_SIM_FORM_ERROR,
	CAN_SIM_CRC_ERROR,
	CAN_SIM_ACK_ERROR,
};

/**
 * struct can_sim_error - an error that a node has detected
 * @type: of error
 * @segment: of the frame in which it did, enum can_sim_segment
 * @transmitting: whether the node is the frame's transmitter
 */
struct can_sim_error {
	enum can_sim_error_type type;
	u8 segment;
	bool transmitting;
};

/**
 * struct can_sim_node_ops - what the bus asks of a chip, and tells it
 * @load: give the frame with the highest priority that the chip wants to send;
 *	false if there is none any more. Called when a frame begins on a bus that
 *	the node has requested, at each attempt.
 * @sent: the frame of the last @load was sent and, unless the mode says that it
 *	need not be, acknowledged; the request has ended
 * @lost: the frame of the last @load has lost arbitration against another one
 *	at this bit: 0 is the first of the identifier, 31 the RTR bit of an
 *	extended frame. It is tried again, unless in one-shot mode. All who lose
 *	are told at the end of arbitration.
 * @received: a frame of another node is complete and correct
 * @error: the node has detected an error, and its error counters show that.
 *	A transmitter tries again, unless in one-shot mode. All are told when the
 *	first one detects it, also those who do so by its error flag.
 * @counted: an error counter or the state of fault confinement has changed.
 *	After CAN_SIM_BUS_OFF the node is silent until can_sim_node_recover() or
 *	can_sim_node_off() and _on(), which may be called here.
 * @recovered: from bus off; state and counters are those of a node that was
 *	just switched on
 * @woken: the time of can_sim_node_wake_at() has come
 *
 * All but @load may be NULL. A chip whose frame failed in one-shot mode learns
 * it by @lost or @error, and its request has ended then.
 *
 * Context: any; the bus's lock is held, interrupts are off. bus->now is the time.
 */
struct can_sim_node_ops {
	bool (*load)(struct can_sim_node *node, struct can_sim_frame *frame);
	void (*sent)(struct can_sim_node *node);
	void (*lost)(struct can_sim_node *node, unsigned int bit);
	void (*received)(struct can_sim_node *node,
			 const struct can_sim_frame *frame);
	void (*error)(struct can_sim_node *node,
		      const struct can_sim_error *error);
	void (*counted)(struct can_sim_node *node);
	void (*recovered)(struct can_sim_node *node);
	void (*woken)(struct can_sim_node *node);
};

/**
 * struct can_sim_node_stats - what happened to a node since it was made
 * @sent: frames
 * @received: frames, before any acceptance filter
 * @lost: times that it lost arbitration
 * @errors: that it has detected
 * @overruns: frames for which the chip had no room; counted by the model
 * @high: most frames, or bytes, that waited in the chip; kept by the model
 * @accesses: to the chip's registers, or transfers to it; counted by the model
 */
struct can_sim_node_stats {
	u64 sent;
	u64 received;
	u64 lost;
	u64 errors;
	u64 overruns;
	u64 high;
	u64 accesses;
};

/**
 * enum can_sim_role - what a node is in the frame that is on the bus
 * @CAN_SIM_ABSENT: nothing; it does not understand it, or has just come
 * @CAN_SIM_RECEIVER: receiver
 * @CAN_SIM_LOSER: will lose arbitration, and be a receiver then
 * @CAN_SIM_TRANSMITTER: transmitter; several if their frames are the same
 */
enum can_sim_role {
	CAN_SIM_ABSENT,
	CAN_SIM_RECEIVER,
	CAN_SIM_LOSER,
	CAN_SIM_TRANSMITTER,
};

/**
 * struct can_sim_node - a chip, as its bus sees it
 * @ops: of the chip
 * @bus: it belongs to; set when the node is added, until it is deleted
 * @list: in can_sim_bus.nodes
 * @timing: to be set by the chip while it is off the bus
 * @mode: CAN_SIM_LISTEN_ONLY and others; to be set while off the bus, but for
 *	CAN_SIM_ONE_SHOT, which counts when a frame begins
 * @stats: for people
 * @access_ns: time that an access to a register takes, see can_sim_lock()
 * @on: takes part in what happens on the bus
 * @request: has something to send
 * @role: in the frame that is on the bus
 * @one_shot: the frame that is on the bus is not to be sent again
 * @suspended: waits for longer than others after the frame that it has sent
 * @state: of fault confinement
 * @tec: transmit error counter
 * @rec: receive error counter
 * @recoveries: sequences of eleven recessive bits that were still to come, at the
 *	time @recovering, before a node that is bus off takes part again; 0 if it
 *	does not recover
 * @recovering: see there
 * @since: time from which it takes part
 * @wake: time at which it wants to be woken, or CAN_SIM_NEVER
 * @frame: of the last @load, valid while it is contending or transmitting
 *
 * Everything below @access_ns is the bus's and may be read by the chip.
 */
struct can_sim_node {
	const struct can_sim_node_ops *ops;
	struct can_sim_bus *bus;
	struct list_head list;
	struct can_sim_timing timing;
	unsigned int mode;
	struct can_sim_node_stats stats;
	unsigned int access_ns;

	bool on;
	bool request;
	bool one_shot;
	bool suspended;
	enum can_sim_role role;
	enum can_sim_state state;
	unsigned int tec;
	unsigned int rec;
	unsigned int recoveries;
	u64 recovering;
	u64 since;
	u64 wake;
	struct can_sim_frame frame;
};

void can_sim_node_on(struct can_sim_node *node);
void can_sim_node_off(struct can_sim_node *node);
void can_sim_node_request(struct can_sim_node *node);
void can_sim_node_recover(struct can_sim_node *node);
void can_sim_node_recover_after(struct can_sim_node *node,
				unsigned int sequences);
void can_sim_node_reset(struct can_sim_node *node);
void can_sim_node_set_counters(struct can_sim_node *node, unsigned int tec,
			       unsigned int rec);
unsigned int can_sim_node_recoveries(const struct can_sim_node *node);
void can_sim_node_wake_at(struct can_sim_node *node, u64 time);

unsigned long can_sim_lock_untimed(struct can_sim_node *node);
unsigned long can_sim_lock(struct can_sim_node *node);
void can_sim_unlock(struct can_sim_node *node, unsigned long flags);

/* Fault confinement, for the bus (confine.c) */

void can_sim_confine_sent(struct can_sim_node *node);
void can_sim_confine_received(struct can_sim_node *node);
void can_sim_confine_transmitter(struct can_sim_node *node,
				 const struct can_sim_error *error,
				 bool answered);
void can_sim_confine_receiver(struct can_sim_node *node,
			      const struct can_sim_error *error,
			      bool answered);

/* Errors on request (inject.c) */

/**
 * struct can_sim_inject - which frames are disturbed, and how
 * @type: of error, CAN_SIM_NO_ERROR for none
 * @first: number of the first frame that is disturbed, counted by @count
 * @frames: how many from there on; 0 for those that @ppm hits
 * @ppm: frames of a million that are disturbed, at random
 * @bit: of the frame on the wire; negative for one at random that suits @type
 * @count: frames begun since the injection was set
 * @rnd: where chance comes from
 */
struct can_sim_inject {
	enum can_sim_error_type type;
	u64 first;
	u64 frames;
	u32 ppm;
	int bit;
	u64 count;
	struct rnd_state rnd;
};

bool can_sim_inject(struct can_sim_inject *inject,
		    const struct can_sim_bits *bits, unsigned int *bit);
bool can_sim_inject_hits(struct can_sim_inject *inject);

/* Buses */

/**
 * enum can_sim_phase - what is on the bus
 * @CAN_SIM_IDLE: nothing, or an error frame or intermission that has yet to end
 * @CAN_SIM_ARBITRATION: the begin of a frame that several nodes want to send
 * @CAN_SIM_FRAME: a frame whose transmitter is certain
 */
enum can_sim_phase {
	CAN_SIM_IDLE,
	CAN_SIM_ARBITRATION,
	CAN_SIM_FRAME,
};

/**
 * struct can_sim_record - a frame that was on the bus
 * @start: time of its first bit
 * @bits: of it, without intermission; of an error frame with its flags and
 *	delimiter
 * @error: why it is not complete
 * @frame: that was sent
 */
struct can_sim_record {
	u64 start;
	unsigned int bits;
	enum can_sim_error_type error;
	struct can_sim_frame frame;
};

/* Frames that a bus remembers. */
#define CAN_SIM_RECORDS 32

/**
 * struct can_sim_bus_stats - what happened on a bus since it was made live
 * @frames: complete ones
 * @errors: error frames
 * @bits: of all of these, with intermission
 * @busy: time that these took, in ns
 */
struct can_sim_bus_stats {
	u64 frames;
	u64 errors;
	u64 bits;
	u64 busy;
};

/**
 * struct can_sim_bus - a bus
 * @lock: protects everything here and all chips
 * @nodes: on it, switched on or not
 * @timer: expires at @next
 * @clock: tells the time in ns; a test may have one of its own
 * @armed: time for which @timer is set, CAN_SIM_NEVER without
 * @dead: the timer is not to be set any more
 * @stale: something has changed that @next depends on
 * @now: time of the event that is being handled
 * @next: time of the next one
 * @phase: what is on the bus
 * @phase_end: and until when, CAN_SIM_NEVER while idle
 * @sof: when the frame began
 * @idle: when the next one may begin
 * @timing: of the frame's transmitter
 * @frame: that is on the bus
 * @priority: of it, see can_sim_wire_priority()
 * @bits: of it, all computed if @expanded, otherwise only their number
 * @expanded: see @bits
 * @other_bits: of a frame that collides with it
 * @injected: error on request in the frame, CAN_SIM_NO_ERROR if none
 * @injected_bit: at which it is
 * @error: that will end the frame; of type CAN_SIM_NO_ERROR if none will
 * @error_bit: at which it is detected
 * @error_node: by which node only, or NULL
 * @inject: errors on request
 * @stats: for people
 * @record: of the last frames, a ring
 * @records: frames recorded so far
 */
struct can_sim_bus {
	raw_spinlock_t lock;
	struct list_head nodes;
	struct hrtimer timer;
	u64 (*clock)(struct can_sim_bus *bus);
	u64 armed;
	bool dead;
	bool stale;
	u64 now;
	u64 next;
	enum can_sim_phase phase;
	u64 phase_end;
	u64 sof;
	u64 idle;
	struct can_sim_timing timing;
	struct can_sim_frame frame;
	u32 priority;
	struct can_sim_bits bits;
	bool expanded;
	struct can_sim_bits other_bits;
	enum can_sim_error_type injected;
	unsigned int injected_bit;
	struct can_sim_error error;
	unsigned int error_bit;
	struct can_sim_node *error_node;
	struct can_sim_inject inject;
	struct can_sim_bus_stats stats;
	struct can_sim_record record[CAN_SIM_RECORDS];
	u64 records;
};

void can_sim_bus_init(struct can_sim_bus *bus,
		      u64 (*clock)(struct can_sim_bus *bus));
void can_sim_bus_add(struct can_sim_bus *bus, struct can_sim_node *node);
void can_sim_bus_del(struct can_sim_node *node);
void can_sim_bus_run(struct can_sim_bus *bus);
void can_sim_bus_stop(struct can_sim_bus *bus);

/* Interrupts (irq.c) */

/**
 * struct can_sim_irq - an interrupt line from a chip to the CPU
 * @irq: its number
 * @work: delivers it, in hard interrupt context
 * @state: bits of CAN_SIM_IRQ_*
 */
struct can_sim_irq {
	int irq;
	struct irq_work work;
	unsigned long state;
};

/* The wiring of an interrupt line */
#define CAN_SIM_IRQ_EDGE	BIT(0)	/* interrupts when it becomes active */
#define CAN_SIM_IRQ_UNREADABLE	BIT(1)	/* irq_get_irqchip_state() fails */

int can_sim_irq_init(struct can_sim_irq *irq, unsigned int wiring);
void can_sim_irq_exit(struct can_sim_irq *irq);
void can_sim_irq_set(struct can_sim_irq *irq, bool active);
void can_sim_irq_hold(struct can_sim_irq *irq, bool hold);

#endif /* !_CAN_SIM_H */
