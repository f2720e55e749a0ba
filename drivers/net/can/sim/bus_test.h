/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A bus for KUnit tests, whose clock the test sets, and nodes that log all
 * operations.
 *
 * A test is single-threaded, and no timer runs. It accesses a node as a driver
 * does, with can_sim_lock().
 */
#ifndef _CAN_SIM_BUS_TEST_H
#define _CAN_SIM_BUS_TEST_H

#include <kunit/test.h>
#include <linux/prandom.h>
#include <linux/string.h>

#include "sim.h"

#define TEST_NODES 6
#define TEST_EVENTS 4096

/* 1 Mbit/s: a bit takes a microsecond. */
#define TEST_TIMING { 8000000, 1, 5, 2, 1 }
#define US 1000ULL

/* Time at which nodes that are switched on at the time 0 may send */
#define TEST_START (11 * US)

/**
 * enum test_kind - logged operations of a node, and the value that is logged
 * @TEST_LOADED: a frame was loaded; its identifier
 * @TEST_SENT: a frame was sent; its identifier
 * @TEST_RECEIVED: a frame was received; its identifier
 * @TEST_LOST: arbitration was lost; the bit
 * @TEST_ERROR: an error was detected; type << 8 | segment
 * @TEST_COUNTED: a counter has changed; the state of fault confinement
 * @TEST_RECOVERED: from bus off
 * @TEST_WOKEN: the time of can_sim_node_wake_at() has come
 */
enum test_kind {
	TEST_LOADED,
	TEST_SENT,
	TEST_RECEIVED,
	TEST_LOST,
	TEST_ERROR,
	TEST_COUNTED,
	TEST_RECOVERED,
	TEST_WOKEN,
};

#define TEST_ERROR_VALUE(type, segment) ((type) << 8 | (segment))

/**
 * struct test_event - a logged operation
 * @time: bus->now
 * @sof: begin of the present or last frame
 * @node: number of the node
 * @kind: enum test_kind
 * @value: see there
 * @transmitting: of an error
 * @tec: transmit error counter at this time
 * @rec: receive error counter at this time
 *
 * There is no padding, so that events can be compared as bytes.
 */
struct test_event {
	u64 time;
	u64 sof;
	u32 node;
	u32 kind;
	u32 value;
	u32 transmitting;
	u32 tec;
	u32 rec;
};

struct test_bus;

/**
 * struct test_node - a node that logs its operations
 * @node: the node
 * @on: its bus
 * @number: of the node
 * @frame: to be sent
 * @left: how often it is to be sent
 * @next: called after a frame was sent if another one is left; may be NULL
 * @hook: called for each event; may be NULL
 */
struct test_node {
	struct can_sim_node node;
	struct test_bus *on;
	unsigned int number;
	struct can_sim_frame frame;
	unsigned int left;
	void (*next)(struct test_node *node);
	void (*hook)(struct test_node *node, const struct test_event *event);
};

/**
 * struct test_bus - a bus whose clock the test sets
 * @bus: the bus
 * @clock: the time
 * @rnd: random numbers for the test
 * @nodes: the first @count ones are on the bus
 * @count: number of nodes
 * @events: the log, in the order of time
 * @logged: number of events
 */
struct test_bus {
	struct can_sim_bus bus;
	u64 clock;
	struct rnd_state rnd;
	struct test_node nodes[TEST_NODES];
	unsigned int count;
	struct test_event *events;
	unsigned int logged;
};

static inline struct test_node *to_test_node(struct can_sim_node *node)
{
	return container_of(node, struct test_node, node);
}

static inline void test_log(struct can_sim_node *node, enum test_kind kind,
			    u32 value, bool transmitting)
{
	struct test_node *self = to_test_node(node);
	struct test_bus *on = self->on;
	struct test_event event = {
		.time = on->bus.now,
		.sof = on->bus.sof,
		.node = self->number,
		.kind = kind,
		.value = value,
		.transmitting = transmitting,
		.tec = node->tec,
		.rec = node->rec,
	};

	if (on->logged < TEST_EVENTS)
		on->events[on->logged++] = event;
	if (self->hook)
		self->hook(self, &event);
}

/* Operations of a node */

static inline bool test_load(struct can_sim_node *node,
			     struct can_sim_frame *frame)
{
	struct test_node *self = to_test_node(node);

	if (!self->left)
		return false;
	*frame = self->frame;
	test_log(node, TEST_LOADED, frame->id, false);
	return true;
}

static inline void test_sent(struct can_sim_node *node)
{
	struct test_node *self = to_test_node(node);

	test_log(node, TEST_SENT, node->frame.id, false);
	if (self->left && !--self->left)
		return;
	if (self->next)
		self->next(self);
	can_sim_node_request(node);
}

static inline void test_lost(struct can_sim_node *node, unsigned int bit)
{
	test_log(node, TEST_LOST, bit, false);
}

static inline void test_received(struct can_sim_node *node,
				 const struct can_sim_frame *frame)
{
	test_log(node, TEST_RECEIVED, frame->id, false);
}

static inline void test_error(struct can_sim_node *node,
			      const struct can_sim_error *error)
{
	test_log(node, TEST_ERROR,
		 TEST_ERROR_VALUE(error->type, error->segment),
		 error->transmitting);
}

static inline void test_counted(struct can_sim_node *node)
{
	test_log(node, TEST_COUNTED, node->state, false);
}

static inline void test_recovered(struct can_sim_node *node)
{
	test_log(node, TEST_RECOVERED, 0, false);
}

static inline void test_woken(struct can_sim_node *node)
{
	test_log(node, TEST_WOKEN, 0, false);
}

static const struct can_sim_node_ops test_ops = {
	.load = test_load,
	.sent = test_sent,
	.lost = test_lost,
	.received = test_received,
	.error = test_error,
	.counted = test_counted,
	.recovered = test_recovered,
	.woken = test_woken,
};

/* Buses */

static inline u64 test_clock(struct can_sim_bus *bus)
{
	return container_of(bus, struct test_bus, bus)->clock;
}

/* Set the clock, and make the bus handle all events up to then. */
static inline void test_bus_to(struct test_bus *on, u64 time)
{
	unsigned long flags;

	on->clock = time;
	raw_spin_lock_irqsave(&on->bus.lock, flags);
	can_sim_bus_run(&on->bus);
	raw_spin_unlock_irqrestore(&on->bus.lock, flags);
}

static inline void test_node_on(struct test_node *node)
{
	unsigned long flags = can_sim_lock(&node->node);

	can_sim_node_on(&node->node);
	can_sim_unlock(&node->node, flags);
}

static inline void test_node_off(struct test_node *node)
{
	unsigned long flags = can_sim_lock(&node->node);

	can_sim_node_off(&node->node);
	can_sim_unlock(&node->node, flags);
}

static inline void test_node_request(struct test_node *node)
{
	unsigned long flags = can_sim_lock(&node->node);

	can_sim_node_request(&node->node);
	can_sim_unlock(&node->node, flags);
}

static inline void test_node_counters(struct test_node *node, unsigned int tec,
				      unsigned int rec)
{
	unsigned long flags = can_sim_lock(&node->node);

	can_sim_node_set_counters(&node->node, tec, rec);
	can_sim_unlock(&node->node, flags);
}

/* Request to send the frame @times times. */
static inline void test_node_send(struct test_node *node,
				  const struct can_sim_frame *frame,
				  unsigned int times)
{
	unsigned long flags = can_sim_lock(&node->node);

	node->frame = *frame;
	node->left = times;
	can_sim_node_request(&node->node);
	can_sim_unlock(&node->node, flags);
}

/* The nodes are error active, at 1 Mbit/s, and switched off. */
static inline void test_bus_init(struct test_bus *on, unsigned int nodes)
{
	const struct can_sim_timing timing = TEST_TIMING;
	struct test_event *events = on->events;
	unsigned int i;

	memset(on, 0, sizeof(*on));
	on->events = events;
	on->count = nodes;
	prandom_seed_state(&on->rnd, 1);
	can_sim_bus_init(&on->bus, test_clock);
	for (i = 0; i < nodes; i++) {
		struct test_node *node = &on->nodes[i];

		node->on = on;
		node->number = i;
		node->node.ops = &test_ops;
		node->node.timing = timing;
		can_sim_bus_add(&on->bus, &node->node);
	}
}

/* Allocate a bus until the end of the test. */
static inline struct test_bus *test_bus_alloc(struct kunit *test)
{
	struct test_bus *on = kunit_kzalloc(test, sizeof(*on), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, on);
	on->events = kunit_kcalloc(test, TEST_EVENTS, sizeof(*on->events),
				   GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, on->events);
	return on;
}

static inline int test_bus_suite_init(struct kunit *test)
{
	test->priv = test_bus_alloc(test);
	return 0;
}

/* Return: the bus of the test, initialised again. */
static inline struct test_bus *test_bus_new(struct kunit *test,
					    unsigned int nodes)
{
	test_bus_init(test->priv, nodes);
	return test->priv;
}

/* The same, with nodes that were switched on at the time 0 */
static inline struct test_bus *test_bus_live(struct kunit *test,
					     unsigned int nodes)
{
	struct test_bus *on = test_bus_new(test, nodes);
	unsigned int i;

	for (i = 0; i < nodes; i++)
		test_node_on(&on->nodes[i]);
	return on;
}

/* Return: a logged event, or NULL. */
static inline const struct test_event *test_find(const struct test_bus *on,
						 unsigned int node,
						 enum test_kind kind,
						 unsigned int skip)
{
	const struct test_event *event;

	for (event = on->events; event < on->events + on->logged; event++)
		if (event->node == node && event->kind == kind && !skip--)
			return event;
	return NULL;
}

/* Return: the first event of a kind; fails without one. */
static inline const struct test_event *test_get(struct kunit *test,
						const struct test_bus *on,
						unsigned int node,
						enum test_kind kind)
{
	const struct test_event *event = test_find(on, node, kind, 0);

	KUNIT_ASSERT_NOT_NULL(test, event);
	return event;
}

static inline unsigned int test_count(const struct test_bus *on,
				      unsigned int node, enum test_kind kind)
{
	unsigned int count = 0;

	while (test_find(on, node, kind, count))
		count++;
	return count;
}

/* Expect an event with this time and value. */
static inline void test_expect(struct kunit *test, const struct test_bus *on,
			       unsigned int node, enum test_kind kind,
			       unsigned int skip, u64 time, u32 value)
{
	const struct test_event *event = test_find(on, node, kind, skip);

	KUNIT_EXPECT_TRUE_MSG(test, !!event, "node %u: no event %d", node, kind);
	if (!event)
		return;
	KUNIT_EXPECT_EQ_MSG(test, event->time, time, "node %u, event %d",
			    node, kind);
	KUNIT_EXPECT_EQ_MSG(test, event->value, value, "node %u, event %d",
			    node, kind);
}

/* Bits of a frame and after it */
#define TEST_ACK_BIT(length) ((length) - CAN_SIM_TRAILER_BITS + 1)
#define TEST_ERROR_BITS (6 + 8)		/* flag and delimiter */
#define TEST_IFS_BITS CAN_SIM_INTERMISSION_BITS

static inline u32 test_random_below(struct rnd_state *rnd, u32 limit)
{
	return prandom_u32_state(rnd) % limit;
}

static inline void test_random_frame(struct rnd_state *rnd,
				     struct can_sim_frame *frame)
{
	unsigned int i;

	frame->id = prandom_u32_state(rnd) & CAN_EFF_MASK;
	if (test_random_below(rnd, 2))
		frame->id &= CAN_SFF_MASK;
	else
		frame->id |= CAN_EFF_FLAG;
	if (!test_random_below(rnd, 8))
		frame->id |= CAN_RTR_FLAG;
	frame->dlc = test_random_below(rnd, 16);
	for (i = 0; i < 8; i++)
		frame->data[i] = prandom_u32_state(rnd);
}

static inline void test_next_random(struct test_node *node)
{
	test_random_frame(&node->on->rnd, &node->frame);
}

#endif /* !_CAN_SIM_BUS_TEST_H */
