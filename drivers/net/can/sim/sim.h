/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Simulated CAN buses: the interface between a bus and models of controllers.
 *
 * A bus is a sequence of events: a frame begins, arbitration is lost, a frame
 * or an error frame ends. The time of each event is computed from bits. An
 * event is handled at its time or, if the CPU was busy, later, but in the same
 * order and with the same result: before an access to a chip, the bus handles
 * all events up to the present time (can_sim_lock()). Without accesses, a timer
 * that expires in hardirq context makes the bus handle them. The number of
 * events that are handled at once has a limit: a bus that is later than that
 * skips time (pace.h).
 *
 * Contexts and locks: one raw spinlock for each bus protects the bus and the
 * state of all chips on it. Drivers take it for each access to a register, in
 * any context but NMI, and the bus's timer takes it in hardirq context. All
 * operations of a node (struct can_sim_node_ops) are called with it held and
 * interrupts off. Interrupts of a chip are delivered without it, see irq.c.
 * Configuration has a mutex for each bus, which is taken first.
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

#include "pace.h"
#include "wire.h"

struct can_sim_bus;
struct can_sim_node;

/* A time that never comes */
#define CAN_SIM_NEVER U64_MAX

/**
 * struct can_sim_timing - bit timing of a chip
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

/* Bit rates of nodes that are no chips, in bit/s */
#define CAN_SIM_LEAST_BITRATE	10000
#define CAN_SIM_MOST_BITRATE	1000000

u64 can_sim_timing_ns(const struct can_sim_timing *timing, unsigned int bits);
unsigned int can_sim_timing_bits(const struct can_sim_timing *timing, u64 ns);
struct can_sim_timing can_sim_timing_of(u32 bitrate);
bool can_sim_timing_agree(const struct can_sim_timing *a,
			  const struct can_sim_timing *b);

/* Modes of a node that is on the bus */
#define CAN_SIM_LISTEN_ONLY	BIT(0)	/* sends nothing: frame, ACK, error flag */
#define CAN_SIM_NO_ACK_NEEDED	BIT(1)	/* sends without a receiver (self test) */
#define CAN_SIM_ONE_SHOT	BIT(2)	/* a failed frame is not sent again */

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
 * @CAN_SIM_ACK_ERROR: no node acknowledges
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
 * @segment: of the frame, enum can_sim_segment
 * @transmitting: the node is the frame's transmitter
 */
struct can_sim_error {
	enum can_sim_error_type type;
	u8 segment;
	bool transmitting;
};

/**
 * struct can_sim_node_ops - operations of a chip, called by the bus
 * @load: write the frame with the highest priority of the chip, or return false
 *	if it has none any more. Called for each attempt to send, when a frame
 *	begins and the node has requested to send.
 * @sent: the frame of the last @load was sent and acknowledged, unless the mode
 *	is CAN_SIM_NO_ACK_NEEDED. The request has ended.
 * @lost: the frame of the last @load has lost arbitration at this bit: 0 is the
 *	first of the identifier, 31 the RTR bit of an extended frame. It is
 *	tried again, unless in one-shot mode. Called for all losers at the end
 *	of arbitration.
 * @received: a frame of another node is complete and correct
 * @error: the node has detected an error, which its error counters include. A
 *	transmitter tries again, unless in one-shot mode. Called for all nodes
 *	when the first one detects the error, also for those that see its error
 *	flag.
 * @counted: an error counter or the state of fault confinement has changed.
 *	After CAN_SIM_BUS_OFF the node is silent until can_sim_node_recover() or
 *	can_sim_node_off() and _on(), which may be called here.
 * @recovered: from bus off; state and counters are those of a node that was
 *	just switched on
 * @woken: the time of can_sim_node_wake_at() has come
 *
 * All but @load may be NULL. For a frame that failed in one-shot mode, @lost or
 * @error is called and the request has ended.
 *
 * Context: any; the bus's lock is held, interrupts are off. bus->now is the
 *	time.
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
 * struct can_sim_node_stats - statistics of a node since the bus became live
 * @sent: frames
 * @received: frames, before any acceptance filter
 * @lost: losses of arbitration
 * @errors: errors that the node has detected
 * @overruns: frames for which the chip had no room; counted by the model
 * @high: highest number of frames, or bytes, in the receive buffers of the
 *	chip; updated by the model
 * @accesses: accesses to the chip's registers, or transfers to it
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
 * enum can_sim_role - role of a node in the frame that is on the bus
 * @CAN_SIM_ABSENT: none: it has detected an error, or is not synchronised yet
 * @CAN_SIM_RECEIVER: receiver
 * @CAN_SIM_LOSER: will lose arbitration and then be a receiver
 * @CAN_SIM_TRANSMITTER: transmitter; several if their frames are equal
 */
enum can_sim_role {
	CAN_SIM_ABSENT,
	CAN_SIM_RECEIVER,
	CAN_SIM_LOSER,
	CAN_SIM_TRANSMITTER,
};

/**
 * struct can_sim_node - a chip on a bus
 * @ops: of the chip
 * @bus: set when the node is added, until it is deleted
 * @list: in can_sim_bus.nodes
 * @timing: set by the chip while it is off the bus
 * @mode: CAN_SIM_LISTEN_ONLY and others; set while off the bus, except
 *	CAN_SIM_ONE_SHOT, which takes effect when a frame begins
 * @stats: for configfs
 * @access_ns: time that an access to a register takes, see can_sim_lock()
 * @on: the node takes part in the traffic on the bus
 * @too_fast: it does not, because its bit rate is above 1 Mbit/s
 * @request: it has a frame to send
 * @role: in the frame that is on the bus
 * @one_shot: it must not send the frame that is on the bus again
 * @suspended: it waits for longer than others after its own frame (suspend
 *	transmission)
 * @state: of fault confinement
 * @tec: transmit error counter
 * @rec: receive error counter
 * @recoveries: sequences of eleven recessive bits that were missing, at the
 *	time @recovering, until a node that is bus off takes part again; 0 if it
 *	does not recover
 * @recovering: see @recoveries
 * @since: time from which it takes part
 * @wake: time for @woken, or CAN_SIM_NEVER
 * @frame: of the last @load, valid during arbitration and transmission
 *
 * The bus writes all members below @access_ns; the chip may read them.
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
	bool too_fast;
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
 * @first: number of the first disturbed frame, counted by @count
 * @frames: number of frames disturbed from there on
 * @ppm: probability that any other frame is disturbed, in parts per million
 * @bit: of the frame on the wire; negative for a random one that is valid for
 *	@type
 * @count: frames begun since the injection was set
 * @rnd: state of the random numbers
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
 * enum can_sim_phase - phase of a bus
 * @CAN_SIM_IDLE: idle, or an error frame or intermission that has not ended yet
 * @CAN_SIM_ARBITRATION: arbitration between several nodes
 * @CAN_SIM_FRAME: a frame after arbitration
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
 * @error: that has ended it, CAN_SIM_NO_ERROR if it is complete
 * @frame: that was sent
 */
struct can_sim_record {
	u64 start;
	unsigned int bits;
	enum can_sim_error_type error;
	struct can_sim_frame frame;
};

/* Number of frames that a bus records */
#define CAN_SIM_RECORDS 32

/**
 * struct can_sim_bus_stats - statistics of a bus since it became live
 * @frames: complete frames
 * @errors: error frames
 * @bits: bits of both, with intermission
 * @busy: duration of these bits, in ns
 * @cpu: CPU time that the timer of the bus has taken, in ns
 */
struct can_sim_bus_stats {
	u64 frames;
	u64 errors;
	u64 bits;
	u64 busy;
	u64 cpu;
};

/**
 * struct can_sim_bus - a bus
 * @lock: protects everything here and all chips
 * @nodes: on the bus, switched on or not
 * @timer: expires at @next
 * @clock: returns the time in ns; a test may have its own
 * @pace: relation of the time of the bus to @clock
 * @most_events: number of events that are handled at once
 * @armed: value of @clock for which @timer is set, CAN_SIM_NEVER if it is not
 * @stopped: the timer must not be set any more
 * @next_stale: @next has to be computed again
 * @now: time of the event that is being handled
 * @next: time of the next event
 * @phase: of the bus
 * @phase_end: end of @phase, CAN_SIM_NEVER while idle
 * @sof: time of the frame's first bit
 * @idle: time when the next frame may begin
 * @timing: of the frame's transmitter
 * @frame: that is on the bus
 * @priority: of @frame, see can_sim_wire_priority()
 * @bits: of @frame; only their number unless @expanded
 * @expanded: see @bits
 * @other_bits: of a frame that collides with @frame
 * @injected: error on request in @frame, CAN_SIM_NO_ERROR if none
 * @injected_bit: bit of this error
 * @error: that will end the frame, of type CAN_SIM_NO_ERROR if none will
 * @error_bit: bit at which it is detected
 * @error_node: the only node that detects it, or NULL
 * @inject: errors on request
 * @stats: for configfs
 * @record: ring of the last frames
 * @records: number of frames recorded so far
 */
struct can_sim_bus {
	raw_spinlock_t lock;
	struct list_head nodes;
	struct hrtimer timer;
	u64 (*clock)(struct can_sim_bus *bus);
	struct can_sim_pace pace;
	unsigned int most_events;
	u64 armed;
	bool stopped;
	bool next_stale;
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
u64 can_sim_bus_run(struct can_sim_bus *bus);
u64 can_sim_cpu_used(u64 begin, u64 end);
void can_sim_bus_stop(struct can_sim_bus *bus);

/* Interrupts (irq.c) */

/**
 * struct can_sim_irq - an interrupt line from a chip to the CPU
 * @irq: interrupt number
 * @work: delivers the interrupt, in hardirq context
 * @state: CAN_SIM_IRQ_* bits of irq.c
 */
struct can_sim_irq {
	int irq;
	struct irq_work work;
	unsigned long state;
};

/* Wiring of an interrupt line */
#define CAN_SIM_IRQ_EDGE	BIT(0)	/* edge-triggered, otherwise level-triggered */
#define CAN_SIM_IRQ_UNREADABLE	BIT(1)	/* irq_get_irqchip_state() fails */
#define CAN_SIM_IRQ_NO_NODE	BIT(2)	/* of a device on no bus, which need not rest for it */

int can_sim_irq_init(struct can_sim_irq *irq, unsigned int wiring);
void can_sim_irq_exit(struct can_sim_irq *irq);
void can_sim_irq_set(struct can_sim_irq *irq, bool active);
void can_sim_irq_hold(struct can_sim_irq *irq, bool hold);

#endif /* !_CAN_SIM_H */
