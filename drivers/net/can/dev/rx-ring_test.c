// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit suites of the ring mode of can_rx_offload, and of the counters of the
 * other modes.
 *
 * The chip of the interface under test is a number of frames. A test puts
 * entries into the ring and records the expected messages; a packet handler
 * records the delivered ones. Most polls are calls by the test, which chooses
 * their time, their budget, and whether they are those of a busy-polling task.
 */
#include <kunit/test.h>
#include <linux/can/dev.h>
#include <linux/can/rx-offload.h>
#include <linux/can/rx-ring.h>
#include <linux/completion.h>
#include <linux/delay.h>
#include <linux/hrtimer.h>
#include <linux/kthread.h>
#include <linux/netdevice.h>
#include <linux/prandom.h>
#include <net/busy_poll.h>

#include "rx-stage.h"

#ifdef CAN_RX_DIRECT
#include <linux/can/rx-direct.h>
#include <linux/rtnetlink.h>
#endif

/* Maximum number of messages that a test compares one by one */
#define MAX_MESSAGES 2048

#define FRAMES (CAN_RX_RING_SIZE - CAN_RX_RING_RESERVED)
#define RESERVED_EVENTS (CAN_RX_RING_RESERVED - CAN_RX_RING_SLOTS - 1)

#define OVERFLOW (CAN_ERR_FLAG | CAN_ERR_CRTL)

/* Timeout of waits */
#define WAIT_TIMEOUT (20 * HZ)

/* Test with several producers: number of frames, and the maximum put in at a time */
#define MANY 200000
#define BURST 1100
#define TICK_NS (100 * NSEC_PER_USEC)

/* Frames of which each takes long: far more than the thread may take at once */
#define SLOW_FRAMES 100
#define SLOW_US 500

/**
 * struct message - a frame, an echo or an error frame
 * @id: as in struct can_frame, like @len, @len8_dlc and @data
 * @len: of the data
 * @len8_dlc: raw length code
 * @data: all bytes, also past @len
 * @time: timestamp, or the earliest one expected
 * @until: the latest one expected, or 0 for any
 * @napi_id: of the skb
 */
struct message {
	canid_t id;
	u8 len;
	u8 len8_dlc;
	u8 data[CAN_MAX_DLEN];
	ktime_t time;
	ktime_t until;
	unsigned int napi_id;
};

/**
 * struct rig - an interface under test
 * @can: private data of a CAN interface
 * @offload: under test
 * @ops: of the ring
 * @test: that runs
 * @dev: the interface
 * @handler: receives delivered messages
 * @check: called with each of them instead of recording it, if not NULL
 * @see: called with each of them first, if not NULL
 * @toggle: called while several producers put in frames, if not NULL
 * @no_socket: there is no model of a socket, for which frames could be dropped
 * @unwanted: nobody else wants frames
 * @given: number of skbs given to the model of a socket
 * @given_by_napi: number of those that a poll has given
 * @counted: number of those that nobody else wanted
 * @socket_last: number of the last frame that it got, plus 1
 * @socket_missing: count of numbers that it did not get
 * @socket_disorder: count of numbers that it got late or twice
 * @enabled: NAPI may run
 * @number: of the next generated frame
 * @send_at: requested transmission time of frames (SO_TXTIME)
 * @expected: messages that have to be delivered
 * @expected_count: number of them
 * @seen: messages that were delivered
 * @seen_count: number of them
 * @chip: number of frames that the chip holds
 * @batch: number of frames that ops.read reads at once
 * @reads: number of calls of ops.read
 * @ready: return value of ops.ready
 * @leave: see can_rx_ring_enable()
 * @masked: interrupts that are masked
 * @masks: how often they were masked
 * @unmasks: how often they were unmasked
 * @overruns: how often the ring asked for an overrun
 * @unmasked_at: time of the last unmasking
 * @unmasked: completed when they are unmasked
 * @last: number of the last frame that @check saw
 * @missing: count of numbers that it did not see
 * @disorder: count of numbers that it saw late, twice, or with other data
 * @reported: it saw an error frame for an overflow after @last
 * @silent: count of gaps without such an error frame
 * @filled: completed when all numbers were used
 */
struct rig {
	struct can_priv can;	/* must be the first member */
	struct can_rx_offload offload;
	struct can_rx_ring_ops ops;
	struct kunit *test;
	struct net_device *dev;
	struct packet_type handler;
	void (*check)(struct rig *rig, const struct can_frame *frame);
	void (*see)(struct rig *rig, const struct sk_buff *skb);
	void (*toggle)(struct rig *rig, int round);
	bool no_socket;
	bool unwanted;
	u32 given;
	u32 given_by_napi;
	u32 counted;
	u32 socket_last;
	u32 socket_missing;
	u32 socket_disorder;
	bool enabled;
	u32 number;
	ktime_t send_at;
	struct message *expected;
	unsigned int expected_count;
	struct message *seen;
	unsigned int seen_count;
	unsigned int chip;
	unsigned int batch;
	unsigned int reads;
	bool ready;
	bool leave;
	enum can_rx_ring_mask masked;
	unsigned int masks;
	unsigned int unmasks;
	unsigned int overruns;
	ktime_t unmasked_at;
	struct completion unmasked;
	u32 last;
	u32 missing;
	u32 disorder;
	bool reported;
	u32 silent;
	struct completion filled;
};

static struct rig *rig_of(struct can_rx_offload *offload)
{
	return container_of(offload, struct rig, offload);
}

/* Delivered messages */

static void rig_record(struct rig *rig, struct sk_buff *skb)
{
	const struct can_frame *frame = (struct can_frame *)skb->data;
	struct message *m = &rig->seen[rig->seen_count];

	m->id = frame->can_id;
	m->len = frame->len;
	m->len8_dlc = frame->len8_dlc;
	memcpy(m->data, frame->data, sizeof(m->data));
	m->time = skb_tstamp(skb);
	m->napi_id = skb_napi_id(skb);
}

static int rig_receive(struct sk_buff *skb, struct net_device *dev,
		       struct packet_type *handler, struct net_device *orig_dev)
{
	struct rig *rig = container_of(handler, struct rig, handler);

	if (rig->see)
		rig->see(rig, skb);
	if (rig->check) {
		rig->check(rig, (struct can_frame *)skb->data);
	} else {
		if (rig->seen_count < MAX_MESSAGES)
			rig_record(rig, skb);
		rig->seen_count++;
	}
	consume_skb(skb);
	return NET_RX_SUCCESS;
}

static struct message *rig_expect(struct rig *rig, canid_t id, u8 len)
{
	struct message *m = &rig->expected[rig->expected_count];

	KUNIT_ASSERT_LT(rig->test, rig->expected_count, MAX_MESSAGES);
	*m = (struct message){ .id = id, .len = len };
	rig->expected_count++;
	return m;
}

static void rig_expect_overflow(struct rig *rig)
{
	struct message *m = rig_expect(rig, OVERFLOW, CAN_ERR_DLC);

	m->data[1] = CAN_ERR_CRTL_RX_OVERFLOW;
}

static bool message_in_time(const struct message *seen,
			    const struct message *expected)
{
	return !expected->until || (seen->time >= expected->time &&
				    seen->time <= expected->until);
}

static bool message_equal(const struct message *seen,
			  const struct message *expected)
{
	return seen->id == expected->id && seen->len == expected->len &&
	       seen->len8_dlc == expected->len8_dlc &&
	       !memcmp(seen->data, expected->data, sizeof(seen->data));
}

/* Compare up to the first difference, and clear both lists.
 *
 * Return: number of messages.
 */
static unsigned int rig_compare(struct rig *rig)
{
	unsigned int i, n = rig->seen_count;

	KUNIT_EXPECT_EQ(rig->test, rig->seen_count, rig->expected_count);
	for (i = 0; i < min(rig->expected_count, rig->seen_count); i++) {
		const struct message *s = &rig->seen[i], *e = &rig->expected[i];

		KUNIT_ASSERT_TRUE_MSG(rig->test, message_equal(s, e),
				      "%u: %08x %u (%u) %8ph instead of %08x %u (%u) %8ph",
				      i, s->id, s->len, s->len8_dlc, s->data,
				      e->id, e->len, e->len8_dlc, e->data);
		KUNIT_ASSERT_TRUE_MSG(rig->test, message_in_time(s, e),
				      "%u: %lld is not in %lld to %lld",
				      i, s->time, e->time, e->until);
		KUNIT_ASSERT_EQ(rig->test, s->napi_id,
				rig->offload.napi.napi_id);
	}
	rig->seen_count = 0;
	rig->expected_count = 0;
	return n;
}

static void rig_expect_stat(struct rig *rig, const char *name, unsigned long is,
			    unsigned long wanted)
{
	KUNIT_EXPECT_EQ_MSG(rig->test, is, wanted, "%s", name);
}

static void rig_expect_stats(struct rig *rig,
			     const struct net_device_stats *wanted)
{
	const struct net_device_stats *is = &rig->dev->stats;

	rig_expect_stat(rig, "rx_packets", is->rx_packets, wanted->rx_packets);
	rig_expect_stat(rig, "rx_bytes", is->rx_bytes, wanted->rx_bytes);
	rig_expect_stat(rig, "rx_dropped", is->rx_dropped, wanted->rx_dropped);
	rig_expect_stat(rig, "rx_fifo_errors", is->rx_fifo_errors,
			wanted->rx_fifo_errors);
	rig_expect_stat(rig, "rx_errors", is->rx_errors, wanted->rx_errors);
	rig_expect_stat(rig, "tx_packets", is->tx_packets, wanted->tx_packets);
	rig_expect_stat(rig, "tx_bytes", is->tx_bytes, wanted->tx_bytes);
	rig_expect_stat(rig, "tx_errors", is->tx_errors, wanted->tx_errors);
	rig_expect_stat(rig, "tx_dropped", is->tx_dropped, wanted->tx_dropped);
	rig_expect_stat(rig, "tx_aborted_errors", is->tx_aborted_errors,
			wanted->tx_aborted_errors);
}

#define EXPECT_STATS(rig, ...) \
	rig_expect_stats(rig, &(struct net_device_stats){ __VA_ARGS__ })

/* Entries */

static void set_entry(struct can_rx_ring_entry *entry, canid_t id, u8 dlc,
		      const u8 *data)
{
	entry->id = id;
	entry->dlc = dlc;
	memcpy(entry->data, data, sizeof(entry->data));
}

/* With the lock, like an interrupt handler */
static void __rig_put_frame(struct rig *rig, struct message *m, canid_t id,
			    u8 dlc, const u8 *data)
{
	struct can_rx_ring_entry *entry;

	m->time = ktime_get_real();
	entry = can_rx_ring_reserve(&rig->offload);
	m->until = ktime_get_real();
	set_entry(entry, id, dlc, data);
	can_rx_ring_commit(&rig->offload, entry);
}

static struct message *rig_expect_frame(struct rig *rig, canid_t id, u8 dlc,
					const u8 *data)
{
	struct message *m = rig_expect(rig, id, can_cc_dlc2len(dlc));

	if (!(id & CAN_RTR_FLAG))
		memcpy(m->data, data, m->len);
	if (rig->can.ctrlmode & CAN_CTRLMODE_CC_LEN8_DLC && dlc > CAN_MAX_DLEN)
		m->len8_dlc = dlc;
	return m;
}

static void rig_put_frame(struct rig *rig, canid_t id, u8 dlc, const u8 *data)
{
	struct message *m = rig_expect_frame(rig, id, dlc, data);
	unsigned long flags;

	can_rx_ring_lock(&rig->offload, flags);
	__rig_put_frame(rig, m, id, dlc, data);
	can_rx_ring_unlock(&rig->offload, flags);
}

/* The next generated frame; bytes past its length are not zero. */
static canid_t rig_next_frame(struct rig *rig, u8 *dlc, u8 *data)
{
	u32 n = rig->number++;
	unsigned int i;

	*dlc = n % 9;
	for (i = 0; i < CAN_MAX_DLEN; i++)
		data[i] = n * 8 + i + 1;
	return CAN_EFF_FLAG | (n & CAN_EFF_MASK);
}

static void rig_put_frames(struct rig *rig, unsigned int count)
{
	u8 dlc, data[CAN_MAX_DLEN];
	canid_t id;

	while (count--) {
		id = rig_next_frame(rig, &dlc, data);
		rig_put_frame(rig, id, dlc, data);
	}
}

static void rig_lose_frames(struct rig *rig, unsigned int count)
{
	u8 dlc, data[CAN_MAX_DLEN];
	struct message m;
	unsigned long flags;

	can_rx_ring_lock(&rig->offload, flags);
	while (count--) {
		canid_t id = rig_next_frame(rig, &dlc, data);

		__rig_put_frame(rig, &m, id, dlc, data);
	}
	can_rx_ring_unlock(&rig->offload, flags);
}

static void rig_lose_event(struct rig *rig, bool keep)
{
	static const u8 data[CAN_MAX_DLEN];
	unsigned long flags;

	can_rx_ring_lock(&rig->offload, flags);
	can_rx_ring_event(&rig->offload, 0, data, keep);
	can_rx_ring_unlock(&rig->offload, flags);
}

static void rig_put_event(struct rig *rig, bool keep)
{
	u8 dlc, data[CAN_MAX_DLEN];
	canid_t id = rig_next_frame(rig, &dlc, data) & CAN_SFF_MASK;
	struct message *m = rig_expect(rig, CAN_ERR_FLAG | id, CAN_ERR_DLC);
	unsigned long flags;

	memcpy(m->data, data, sizeof(data));
	can_rx_ring_lock(&rig->offload, flags);
	m->time = ktime_get_real();
	can_rx_ring_event(&rig->offload, id, data, keep);
	m->until = ktime_get_real();
	can_rx_ring_unlock(&rig->offload, flags);
}

static void rig_put_events(struct rig *rig, unsigned int count, bool keep)
{
	while (count--)
		rig_put_event(rig, keep);
}

static void rig_end_tx(struct rig *rig, struct message *m, unsigned int slot,
		       bool success)
{
	unsigned long flags;

	can_rx_ring_lock(&rig->offload, flags);
	m->time = ktime_get_real();
	can_rx_ring_sent(&rig->offload, slot, success);
	m->until = ktime_get_real();
	can_rx_ring_unlock(&rig->offload, flags);
}

static void rig_put_sent(struct rig *rig, unsigned int slot)
{
	struct sk_buff *skb = rig->can.echo_skb[slot];
	const struct can_frame *frame = (struct can_frame *)skb->data;
	struct message *m = rig_expect(rig, frame->can_id, frame->len);

	memcpy(m->data, frame->data, frame->len);
	rig_end_tx(rig, m, slot, true);
}

static void rig_put_not_sent(struct rig *rig, unsigned int slot)
{
	struct message m;

	rig_end_tx(rig, &m, slot, false);
}

/* Begin a transmission.
 *
 * Return: its slot.
 */
static unsigned int rig_transmit_frame(struct rig *rig, canid_t id, u8 len,
				       const u8 *data, u8 pkt_type)
{
	unsigned int slot = can_rx_ring_slot(&rig->offload);
	struct can_frame *frame;
	struct sk_buff *skb = alloc_can_skb(rig->dev, &frame);

	KUNIT_ASSERT_NOT_NULL(rig->test, skb);
	frame->can_id = id;
	frame->len = len;
	memcpy(frame->data, data, len);
	skb->pkt_type = pkt_type;
	skb->tstamp = rig->send_at;
	if (rig->send_at)
		skb->tstamp_type = SKB_CLOCK_MONOTONIC;
	KUNIT_ASSERT_EQ(rig->test, can_put_echo_skb(skb, rig->dev, slot, 0), 0);
	can_rx_ring_slot_use(&rig->offload, slot);
	return slot;
}

static unsigned int rig_transmit(struct rig *rig)
{
	u8 dlc, data[CAN_MAX_DLEN];
	canid_t id = rig_next_frame(rig, &dlc, data);

	return rig_transmit_frame(rig, id, dlc, data, PACKET_LOOPBACK);
}

/* Polls, as by the softirq or by a busy-polling task */

static int __rig_poll(struct rig *rig, int budget, bool busy)
{
	struct napi_struct *napi = &rig->offload.napi;
	int work;

	local_bh_disable();
	set_bit(NAPI_STATE_SCHED, &napi->state);
	if (busy)
		set_bit(NAPI_STATE_IN_BUSY_POLL, &napi->state);
	work = napi->poll(napi, budget);
	clear_bit(NAPI_STATE_IN_BUSY_POLL, &napi->state);
	/* otherwise the poll has completed NAPI */
	if (busy || work >= budget)
		clear_bit(NAPI_STATE_SCHED, &napi->state);
	local_bh_enable();
	KUNIT_EXPECT_LE(rig->test, work, budget);
	return work;
}

static int rig_poll(struct rig *rig, int budget)
{
	return __rig_poll(rig, budget, false);
}

static int rig_busy_poll(struct rig *rig, int budget)
{
	return __rig_poll(rig, budget, true);
}

/* What a poll returns for entries and a report of a loss: with a stage, it counts
 * skbs.
 */
static int rig_work(struct rig *rig, int entries)
{
	return entries + can_rx_ring_staged(rig->offload.ring);
}

static bool rig_scheduled(struct rig *rig)
{
	return test_bit(NAPI_STATE_SCHED, &rig->offload.napi.state);
}

/* Poll with the weight of the softirq until the ring is empty.
 *
 * Return: number of messages.
 */
static unsigned int rig_drain(struct rig *rig)
{
	while (rig_poll(rig, NAPI_POLL_WEIGHT) == NAPI_POLL_WEIGHT)
		;
	KUNIT_EXPECT_FALSE(rig->test, rig_scheduled(rig));
	return rig_compare(rig);
}

/* The driver */

static void rig_event(struct can_rx_offload *offload,
		      const struct can_rx_ring_entry *entry)
{
	struct can_frame *frame;
	struct sk_buff *skb = alloc_can_err_skb(offload->dev, &frame);

	if (!skb)
		return;
	frame->can_id |= entry->id;
	memcpy(frame->data, entry->data, sizeof(entry->data));
	can_rx_ring_receive(offload, skb, entry->time);
}

/* Frames of the chip are those of rig_put_frames(). */
static bool rig_read(struct can_rx_offload *offload)
{
	struct rig *rig = rig_of(offload);
	u8 dlc, data[CAN_MAX_DLEN];
	unsigned int left;

	lockdep_assert_held(&offload->ring->lock);
	rig->reads++;
	for (left = rig->batch; left && rig->chip; left--, rig->chip--) {
		canid_t id = rig_next_frame(rig, &dlc, data);
		struct message *m = rig_expect_frame(rig, id, dlc, data);

		__rig_put_frame(rig, m, id, dlc, data);
	}
	return rig->chip;
}

static void rig_mask(struct can_rx_offload *offload, enum can_rx_ring_mask mask)
{
	struct rig *rig = rig_of(offload);

	lockdep_assert_held(&offload->ring->lock);
	rig->masked = mask;
	if (mask != CAN_RX_RING_MASK_NONE) {
		rig->masks++;
		return;
	}
	rig->unmasks++;
	rig->unmasked_at = ktime_get();
	complete(&rig->unmasked);
}

static void rig_overrun(struct can_rx_offload *offload)
{
	lockdep_assert_held(&offload->ring->lock);
	rig_of(offload)->overruns++;
}

static bool rig_ready(struct can_rx_offload *offload)
{
	return rig_of(offload)->ready;
}

static const struct can_rx_ring_ops rig_ops = {
	.event = rig_event,
	.read = rig_read,
	.mask = rig_mask,
	.overrun = rig_overrun,
	.ready = rig_ready,
};

static netdev_tx_t rig_start_xmit(struct sk_buff *skb, struct net_device *dev)
{
	kfree_skb(skb);
	return NETDEV_TX_OK;
}

static const struct net_device_ops rig_netdev_ops = {
	.ndo_start_xmit = rig_start_xmit,
};

/* Setup */

static void rig_enable(struct rig *rig, u64 fill_ns)
{
	if (rig->enabled)
		can_rx_ring_disable(&rig->offload);
	can_rx_ring_enable(&rig->offload, fill_ns, rig->leave);
	rig->enabled = true;
}

static void rig_disable(struct rig *rig)
{
	if (rig->offload.ring)
		can_rx_ring_disable(&rig->offload);
	else
		can_rx_offload_disable(&rig->offload);
	rig->enabled = false;
}

static struct rig *rig_alloc(struct kunit *test, unsigned int echo_skb_max)
{
	struct net_device *dev = alloc_candev(sizeof(struct rig), echo_skb_max);
	struct rig *rig;

	if (!dev)
		return NULL;
	dev->netdev_ops = &rig_netdev_ops;
	dev->flags |= IFF_ECHO;
	rig = netdev_priv(dev);
	rig->test = test;
	rig->dev = dev;
	rig->ops = rig_ops;
	rig->batch = MAX_MESSAGES;
	init_completion(&rig->unmasked);
	init_completion(&rig->filled);
	rig->handler.type = htons(ETH_P_CAN);
	rig->handler.dev = dev;
	rig->handler.func = rig_receive;
	return rig;
}

static void rig_free(struct rig *rig)
{
	can_rx_offload_del(&rig->offload);
	free_candev(rig->dev);
}

static int rig_register(struct kunit *test, struct rig *rig)
{
	int err;

	rig->expected = kunit_kcalloc(test, MAX_MESSAGES,
				      sizeof(*rig->expected), GFP_KERNEL);
	rig->seen = kunit_kcalloc(test, MAX_MESSAGES, sizeof(*rig->seen),
				  GFP_KERNEL);
	if (!rig->expected || !rig->seen)
		return -ENOMEM;
	err = register_candev(rig->dev);
	if (err)
		return err;
	dev_add_pack(&rig->handler);
	test->priv = rig;
	return 0;
}

static int rig_init_ring(struct kunit *test)
{
	struct rig *rig = rig_alloc(test, CAN_RX_RING_SLOTS);
	int err;

	if (!rig)
		return -ENOMEM;
	err = can_rx_offload_add_ring(rig->dev, &rig->offload, &rig->ops);
	if (err) {
		free_candev(rig->dev);
		return err;
	}
	err = rig_register(test, rig);
	if (err)
		rig_free(rig);
	else
		rig_enable(rig, 0);
	return err;
}

static void rig_exit(struct kunit *test)
{
	struct rig *rig = test->priv;

	if (!rig)
		return;
	if (rig->enabled)
		rig_disable(rig);
	dev_remove_pack(&rig->handler);
	unregister_candev(rig->dev);
	/* as close_candev() does */
	can_flush_echo_skb(rig->dev);
	rig_free(rig);
}

/* Initial values of indices, which have to wrap */
static const unsigned int starts[] = {
	0, UINT_MAX, UINT_MAX - 9, UINT_MAX - 500, UINT_MAX - 1000, INT_MAX,
};

static void start_name(const unsigned int *start, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "from %u", *start);
}

KUNIT_ARRAY_PARAM(starts, starts, start_name);

static void rig_begin_stage(struct can_rx_ring *ring, unsigned int start)
{
	if (!can_rx_ring_staged(ring))
		return;
	ring->stage->queued = start;
	ring->stage->passed = start;
	ring->stage->indirect_end = start;
}

static struct rig *rig_begin(struct kunit *test)
{
	const unsigned int *start = test->param_value;
	struct rig *rig = test->priv;
	struct can_rx_ring *ring = rig->offload.ring;

	if (!start)
		return rig;
	ring->head = *start;
	ring->tail = *start;
	ring->tx_ended = *start;
	ring->tx_taken = *start;
	ring->lost = *start;
	ring->reported = *start;
	rig_begin_stage(ring, *start);
	return rig;
}

/* Order, contents and time */

static void entries_keep_their_order(struct kunit *test)
{
	struct rig *rig = rig_begin(test);
	unsigned int slot;
	int i;

	for (i = 0; i < 40; i++) {
		rig_put_frames(rig, i % 3);
		slot = rig_transmit(rig);
		rig_put_event(rig, i % 2);
		rig_put_sent(rig, slot);
		rig_put_frames(rig, 1);
		if (i % 8 == 7)
			rig_drain(rig);
	}
	KUNIT_EXPECT_EQ(test, rig->dev->stats.tx_packets, 40);
}

static void restart_is_in_order(struct kunit *test)
{
	struct rig *rig = rig_begin(test);
	struct message *m;

	rig_put_frames(rig, 2);
	m = rig_expect(rig, CAN_ERR_FLAG | CAN_ERR_RESTARTED, CAN_ERR_DLC);
	/* otherwise the NAPI poll runs before the restart returns */
	local_bh_disable();
	m->time = ktime_get_real();
	can_rx_offload_restarted(&rig->offload);
	m->until = ktime_get_real();
	rig_put_frames(rig, 2);
	KUNIT_EXPECT_EQ(test, rig->seen_count, 0);
	local_bh_enable();
	KUNIT_EXPECT_EQ(test, rig_compare(rig), 5);
}

static const canid_t id_kinds[] = {
	0, 1, CAN_SFF_MASK, CAN_EFF_FLAG, CAN_EFF_FLAG | CAN_EFF_MASK,
	CAN_RTR_FLAG | 0x123, CAN_EFF_FLAG | CAN_RTR_FLAG | 0x12345678,
};

static unsigned int rig_put_all_kinds(struct rig *rig)
{
	static const u8 data[CAN_MAX_DLEN] = { 0xff, 1, 2, 3, 4, 5, 6, 0x80 };
	unsigned int i, dlc, bytes = 0;

	for (i = 0; i < ARRAY_SIZE(id_kinds); i++) {
		for (dlc = 0; dlc <= CAN_MAX_RAW_DLC; dlc++) {
			rig_put_frame(rig, id_kinds[i], dlc, data);
			if (!(id_kinds[i] & CAN_RTR_FLAG))
				bytes += min_t(u32, dlc, CAN_MAX_DLEN);
		}
	}
	return bytes;
}

static void frames_of_all_kinds(struct kunit *test)
{
	struct rig *rig = rig_begin(test);
	unsigned int n = ARRAY_SIZE(id_kinds) * (CAN_MAX_RAW_DLC + 1);
	unsigned int bytes = rig_put_all_kinds(rig);

	KUNIT_EXPECT_EQ(test, rig_drain(rig), n);
	EXPECT_STATS(rig, .rx_packets = n, .rx_bytes = bytes);

	rig->can.ctrlmode |= CAN_CTRLMODE_CC_LEN8_DLC;
	bytes += rig_put_all_kinds(rig);
	KUNIT_EXPECT_EQ(test, rig_drain(rig), n);
	EXPECT_STATS(rig, .rx_packets = 2 * n, .rx_bytes = bytes);
}

/* Each entry had a longer frame before, whose bytes must not be delivered. */
static void stale_bytes_are_not_delivered(struct kunit *test)
{
	static const u8 ones[CAN_MAX_DLEN] = { [0 ... 7] = 0xff };
	struct rig *rig = rig_begin(test);
	unsigned int i;

	for (i = 0; i < CAN_RX_RING_SIZE; i++) {
		rig_put_frame(rig, CAN_EFF_FLAG | i, 15, ones);
		if (i % 512 == 511)
			rig_drain(rig);
	}
	for (i = 0; i < CAN_RX_RING_SIZE; i++) {
		rig_put_frame(rig, i % 3 ? i : i | CAN_RTR_FLAG, i % 8, ones);
		if (i % 512 == 511)
			rig_drain(rig);
	}
}

/* The timestamp is that of the interrupt, not of the late poll. */
static void timestamp_is_of_the_interrupt(struct kunit *test)
{
	struct rig *rig = rig_begin(test);
	struct can_rx_ring_entry *entry;
	unsigned long flags;
	unsigned int slot;
	ktime_t time;

	rig_put_frames(rig, 1);
	slot = rig_transmit(rig);
	fsleep(2000);
	rig_put_sent(rig, slot);
	rig_put_event(rig, true);
	fsleep(2000);
	/* the time to read a slow chip does not count */
	can_rx_ring_lock(&rig->offload, flags);
	entry = can_rx_ring_reserve(&rig->offload);
	time = entry->time;
	while (ktime_get_real() < ktime_add_us(time, 50))
		cpu_relax();
	set_entry(entry, 1, 0, entry->data);
	can_rx_ring_commit(&rig->offload, entry);
	can_rx_ring_unlock(&rig->offload, flags);
	rig_expect(rig, 1, 0)->until = time;
	rig->expected[3].time = time;
	fsleep(2000);
	KUNIT_EXPECT_EQ(test, rig_drain(rig), 4);
}

/* The timestamp of an echo is that of the end of transmission, not @send_at. */
static void echo_timestamp_is_not_the_send_time(struct kunit *test)
{
	struct rig *rig = rig_begin(test);

	rig->send_at = 1;
	rig_put_sent(rig, rig_transmit(rig));
	KUNIT_EXPECT_EQ(test, rig_drain(rig), 1);
}

/* Room */

static void overflow_in_one_poll(struct kunit *test)
{
	struct rig *rig = rig_begin(test);

	rig_put_frames(rig, FRAMES);
	rig_lose_frames(rig, 1);
	rig_expect_overflow(rig);
	KUNIT_EXPECT_EQ(test, rig_poll(rig, CAN_RX_RING_SIZE),
			rig_work(rig, FRAMES));
	KUNIT_EXPECT_EQ(test, rig_compare(rig), FRAMES + 1);
	KUNIT_EXPECT_EQ(test, rig->dev->stats.rx_dropped, 1);
	KUNIT_EXPECT_EQ(test, rig->dev->stats.rx_fifo_errors, 1);

	/* another overflow, with as much room as before */
	rig_put_frames(rig, FRAMES);
	rig_lose_frames(rig, 7);
	rig_expect_overflow(rig);
	KUNIT_EXPECT_EQ(test, rig_poll(rig, CAN_RX_RING_SIZE),
			rig_work(rig, FRAMES));
	KUNIT_EXPECT_EQ(test, rig_compare(rig), FRAMES + 1);
	KUNIT_EXPECT_EQ(test, rig->dev->stats.rx_packets, 2 * FRAMES);
	KUNIT_EXPECT_EQ(test, rig->dev->stats.rx_dropped, 8);
	KUNIT_EXPECT_EQ(test, rig->dev->stats.rx_fifo_errors, 8);

	/* none is reported twice */
	rig_put_frames(rig, 3);
	KUNIT_EXPECT_EQ(test, rig_drain(rig), 3);
	KUNIT_EXPECT_EQ(test, rig->dev->stats.rx_dropped, 8);
}

/* The report follows the frames before the loss, even if these take several
 * polls, and precedes the frames after it.
 */
static void overflow_is_in_order(struct kunit *test)
{
	struct rig *rig = rig_begin(test);

	rig_put_frames(rig, FRAMES);
	rig_lose_frames(rig, 5);
	rig_expect_overflow(rig);
	KUNIT_EXPECT_EQ(test, rig_poll(rig, NAPI_POLL_WEIGHT),
			NAPI_POLL_WEIGHT);
	rig_put_frames(rig, NAPI_POLL_WEIGHT);
	rig_lose_frames(rig, 2);
	rig_expect_overflow(rig);
	KUNIT_EXPECT_EQ(test, rig_drain(rig), FRAMES + NAPI_POLL_WEIGHT + 2);
	KUNIT_EXPECT_EQ(test, rig->dev->stats.rx_dropped, 7);
	KUNIT_EXPECT_EQ(test, rig->dev->stats.rx_fifo_errors, 7);
}

static void events_may_be_lost(struct kunit *test)
{
	struct rig *rig = rig_begin(test);

	rig_put_frames(rig, FRAMES - 1);
	rig_put_event(rig, false);
	rig_lose_event(rig, false);
	rig_lose_frames(rig, 1);
	rig_expect_overflow(rig);
	rig_poll(rig, CAN_RX_RING_SIZE);
	KUNIT_EXPECT_EQ(test, rig_compare(rig), FRAMES + 1);
	KUNIT_EXPECT_EQ(test, rig->dev->stats.rx_dropped, 2);
}

static void rig_transmit_all(struct rig *rig, unsigned int *slots)
{
	unsigned int i;

	for (i = 0; i < CAN_RX_RING_SLOTS; i++)
		slots[i] = rig_transmit(rig);
}

/* One entry is left: for the one that NAPI takes out. */
static void rig_expect_no_room(struct rig *rig)
{
	rig_lose_frames(rig, 1);
	rig_lose_event(rig, false);
	rig_lose_event(rig, true);
	rig_expect_overflow(rig);
	KUNIT_EXPECT_EQ(rig->test, rig_poll(rig, 2 * CAN_RX_RING_SIZE),
			rig_work(rig, CAN_RX_RING_SIZE - 1));
	KUNIT_EXPECT_EQ(rig->test, rig_compare(rig), CAN_RX_RING_SIZE);
	KUNIT_EXPECT_EQ(rig->test, rig->dev->stats.tx_packets,
			CAN_RX_RING_SLOTS);
	KUNIT_EXPECT_EQ(rig->test, rig->dev->stats.rx_dropped, 3);
}

static void room_for_reserved_entries(struct kunit *test)
{
	struct rig *rig = rig_begin(test);
	unsigned int i, slots[CAN_RX_RING_SLOTS];

	rig_transmit_all(rig, slots);
	rig_put_frames(rig, FRAMES);
	rig_put_events(rig, RESERVED_EVENTS, true);
	for (i = 0; i < CAN_RX_RING_SLOTS; i++)
		rig_put_sent(rig, slots[i]);
	rig_expect_no_room(rig);
}

/* Transmissions do not take the room of events that must not be lost. */
static void room_for_events_after_transmissions(struct kunit *test)
{
	struct rig *rig = rig_begin(test);
	unsigned int i, slots[CAN_RX_RING_SLOTS];

	rig_transmit_all(rig, slots);
	rig_put_frames(rig, FRAMES);
	for (i = 0; i < CAN_RX_RING_SLOTS; i++)
		rig_put_sent(rig, slots[i]);
	rig_put_events(rig, RESERVED_EVENTS, true);
	rig_expect_no_room(rig);
}

/* A slot is used again, and the transmission ends */
static bool rig_ready_interrupted(struct can_rx_offload *offload)
{
	struct rig *rig = rig_of(offload);

	rig->ops.ready = rig_ready;
	rig_put_sent(rig, rig_transmit(rig));
	return true;
}

/* NAPI frees the slot of an entry before the entry. */
static void room_for_a_slot_that_is_used_again(struct kunit *test)
{
	struct rig *rig = rig_begin(test);
	unsigned int i, slots[CAN_RX_RING_SLOTS];

	rig_transmit_all(rig, slots);
	KUNIT_ASSERT_TRUE(test, netif_queue_stopped(rig->dev));
	rig_put_sent(rig, slots[0]);
	rig_put_frames(rig, FRAMES - 1);
	rig_put_events(rig, RESERVED_EVENTS + 1, true);
	rig_lose_event(rig, true);
	rig_expect_overflow(rig);
	for (i = 1; i < CAN_RX_RING_SLOTS; i++)
		rig_put_sent(rig, slots[i]);
	rig->ops.ready = rig_ready_interrupted;
	rig_poll(rig, 1);
	rig_drain(rig);
	KUNIT_EXPECT_EQ(test, rig->dev->stats.tx_packets,
			CAN_RX_RING_SLOTS + 1);
	KUNIT_EXPECT_EQ(test, rig->dev->stats.rx_dropped, 1);
}

/* Events that must not be lost, and restarts, leave room for transmissions. */
static void events_leave_room_for_transmissions(struct kunit *test)
{
	struct rig *rig = rig_begin(test);
	unsigned int slot = rig_transmit(rig);

	rig_put_frames(rig, FRAMES);
	rig_put_events(rig, RESERVED_EVENTS, true);
	rig_lose_event(rig, true);
	rig_expect_overflow(rig);
	/* as if NAPI was polling on another CPU, so that it is not scheduled */
	set_bit(NAPI_STATE_SCHED, &rig->offload.napi.state);
	can_rx_ring_restarted(&rig->offload);
	rig_poll(rig, 2 * CAN_RX_RING_SIZE);
	rig_compare(rig);
	KUNIT_EXPECT_EQ(test, rig->dev->stats.rx_dropped, 2);
	rig_put_sent(rig, slot);
	KUNIT_EXPECT_EQ(test, rig_drain(rig), 1);
}

/* Each entry taken out makes room for one. */
static void delivered_entries_make_room(struct kunit *test)
{
	struct rig *rig = rig_begin(test);
	int i;

	rig_put_frames(rig, FRAMES);
	for (i = 1; i < 20; i++) {
		KUNIT_EXPECT_EQ(test, rig_poll(rig, i), i);
		rig_put_frames(rig, i);
	}
	KUNIT_EXPECT_EQ(test, rig_drain(rig), FRAMES + 19 * 20 / 2);
	KUNIT_EXPECT_EQ(test, rig->dev->stats.rx_dropped, 0);
}

static void room_is_reported(struct kunit *test)
{
	struct rig *rig = rig_begin(test);

	KUNIT_EXPECT_TRUE(test, can_rx_ring_room(&rig->offload, FRAMES));
	KUNIT_EXPECT_FALSE(test, can_rx_ring_room(&rig->offload, FRAMES + 1));
	rig_put_frames(rig, FRAMES - 10);
	KUNIT_EXPECT_TRUE(test, can_rx_ring_room(&rig->offload, 10));
	KUNIT_EXPECT_FALSE(test, can_rx_ring_room(&rig->offload, 11));
	rig_put_frames(rig, 10);
	KUNIT_EXPECT_FALSE(test, can_rx_ring_room(&rig->offload, 1));
	rig_put_events(rig, 1, true);
	KUNIT_EXPECT_FALSE(test, can_rx_ring_room(&rig->offload, 1));
	KUNIT_EXPECT_EQ(test, rig_poll(rig, 3), 3);
	KUNIT_EXPECT_TRUE(test, can_rx_ring_room(&rig->offload, 2));
	KUNIT_EXPECT_FALSE(test, can_rx_ring_room(&rig->offload, 3));
	KUNIT_EXPECT_EQ(test, rig_drain(rig), FRAMES + 1);
	KUNIT_EXPECT_EQ(test, rig->dev->stats.rx_dropped, 0);
}

static void rig_event_interrupted(struct can_rx_offload *offload,
				  const struct can_rx_ring_entry *entry)
{
	struct rig *rig = rig_of(offload);

	rig->ops.event = rig_event;
	rig_lose_frames(rig, 1);
	rig_event(offload, entry);
}

/* An interrupt occurs while NAPI handles the entry. */
static void entry_is_read_before_it_is_free(struct kunit *test)
{
	struct rig *rig = rig_begin(test);

	rig->ops.event = rig_event_interrupted;
	rig_put_event(rig, false);
	rig_put_frames(rig, FRAMES - 1);
	rig_expect_overflow(rig);
	rig_poll(rig, CAN_RX_RING_SIZE);
	/* the interrupt has scheduled NAPI again */
	KUNIT_EXPECT_EQ(test, rig_poll(rig, CAN_RX_RING_SIZE), 0);
	KUNIT_EXPECT_EQ(test, rig_compare(rig), FRAMES + 1);
	KUNIT_EXPECT_EQ(test, rig->dev->stats.rx_dropped, 1);
}

/* Counters */

static void statistics(struct kunit *test)
{
	static const u8 data[CAN_MAX_DLEN] = { 1, 2, 3, 4, 5, 6, 7, 8 };
	struct rig *rig = rig_begin(test);

	rig_put_frame(rig, 0x1, 8, data);
	rig_put_frame(rig, 0x2, 12, data);
	rig_put_frame(rig, 0x3 | CAN_RTR_FLAG, 5, data);
	rig_put_event(rig, true);
	rig_drain(rig);
	EXPECT_STATS(rig, .rx_packets = 3, .rx_bytes = 16);

	rig_put_sent(rig,
		     rig_transmit_frame(rig, 0x4, 5, data, PACKET_LOOPBACK));
	rig_put_sent(rig, rig_transmit_frame(rig, 0x5 | CAN_RTR_FLAG, 3, data,
					     PACKET_LOOPBACK));
	rig_drain(rig);
	EXPECT_STATS(rig, .rx_packets = 3, .rx_bytes = 16,
		     .tx_packets = 2, .tx_bytes = 5);

	rig_put_not_sent(rig, rig_transmit(rig));
	rig_drain(rig);
	EXPECT_STATS(rig, .rx_packets = 3, .rx_bytes = 16,
		     .tx_packets = 2, .tx_bytes = 5, .tx_errors = 1);
}

/* A transmission without an echo is counted. */
static void counts_transmissions_without_echo(struct kunit *test)
{
	static const u8 data[CAN_MAX_DLEN] = { 1 };
	struct rig *rig = rig_begin(test);
	unsigned int slot = rig_transmit_frame(rig, 0x4, 1, data, PACKET_HOST);
	struct message m;

	rig_end_tx(rig, &m, slot, true);
	KUNIT_EXPECT_EQ(test, rig_drain(rig), 0);
	EXPECT_STATS(rig, .tx_packets = 1, .tx_bytes = 1);
	KUNIT_EXPECT_NULL(test, rig->can.echo_skb[slot]);
}

/* Slots */

static unsigned int rig_first_slot(struct rig *rig)
{
	return can_rx_ring_slot(&rig->offload);
}

static void rig_use_all_slots(struct rig *rig)
{
	unsigned int i, first = rig_first_slot(rig);

	for (i = 0; i < CAN_RX_RING_SLOTS; i++) {
		KUNIT_EXPECT_FALSE(rig->test, netif_queue_stopped(rig->dev));
		KUNIT_EXPECT_EQ(rig->test, rig_transmit(rig),
				(first + i) % CAN_RX_RING_SLOTS);
	}
	KUNIT_EXPECT_TRUE(rig->test, netif_queue_stopped(rig->dev));
}

static void slots_become_free_in_any_order(struct kunit *test)
{
	struct rig *rig = rig_begin(test);
	unsigned int i, slot = 0;

	rig->ready = true;
	rig_use_all_slots(rig);
	for (i = 0; i < 3 * CAN_RX_RING_SLOTS; i++) {
		/* sent, but NAPI has not polled */
		rig_put_sent(rig, slot);
		can_rx_ring_wake(&rig->offload);
		KUNIT_EXPECT_TRUE(test, netif_queue_stopped(rig->dev));
		KUNIT_EXPECT_EQ(test, rig_drain(rig), 1);
		KUNIT_EXPECT_FALSE(test, netif_queue_stopped(rig->dev));
		KUNIT_EXPECT_EQ(test, rig_transmit(rig), slot);
		KUNIT_EXPECT_TRUE(test, netif_queue_stopped(rig->dev));
		/* 5 and 32 have no common factor: each slot once in a round */
		slot = (5 * slot + 3) % CAN_RX_RING_SLOTS;
	}
	KUNIT_EXPECT_EQ(test, rig->dev->stats.tx_packets,
			3 * CAN_RX_RING_SLOTS);
}

/* Several ends in one poll free their slots, and no others. */
static void frees_the_slots_of_its_entries(struct kunit *test)
{
	static const unsigned int ended[] = { 30, 2, 17, 9 };
	struct rig *rig = rig_begin(test);
	unsigned long expected = GENMASK(CAN_RX_RING_SLOTS - 1, 0);
	unsigned int i;

	rig->ready = true;
	rig_use_all_slots(rig);
	for (i = 0; i < ARRAY_SIZE(ended); i++) {
		rig_put_sent(rig, ended[i]);
		expected &= ~BIT(ended[i]);
	}
	KUNIT_EXPECT_EQ(test, rig_drain(rig), ARRAY_SIZE(ended));
	KUNIT_EXPECT_EQ(test, rig->offload.ring->slots, expected);
	KUNIT_EXPECT_EQ(test, rig_transmit(rig), 2);
	KUNIT_EXPECT_EQ(test, rig_transmit(rig), 9);
}

/* NAPI frees a slot while the chip has no room; the chip's interrupt wakes the queue. */
static void wakes_when_the_chip_is_ready(struct kunit *test)
{
	struct rig *rig = rig_begin(test);
	unsigned int slot = rig_first_slot(rig);

	rig_use_all_slots(rig);
	rig_put_sent(rig, slot);
	rig_drain(rig);
	KUNIT_EXPECT_TRUE(test, netif_queue_stopped(rig->dev));
	can_rx_ring_wake(&rig->offload);
	KUNIT_EXPECT_TRUE(test, netif_queue_stopped(rig->dev));
	rig->ready = true;
	can_rx_ring_wake(&rig->offload);
	KUNIT_EXPECT_FALSE(test, netif_queue_stopped(rig->dev));
}

/* A failed transmission frees its slot. */
static void wakes_after_failure(struct kunit *test)
{
	struct rig *rig = rig_begin(test);
	unsigned int slot = rig_first_slot(rig);

	rig->ready = true;
	rig_use_all_slots(rig);
	rig_put_not_sent(rig, slot);
	KUNIT_EXPECT_EQ(test, rig_drain(rig), 0);
	KUNIT_EXPECT_NULL(test, rig->can.echo_skb[slot]);
	KUNIT_EXPECT_FALSE(test, netif_queue_stopped(rig->dev));
	KUNIT_EXPECT_EQ(test, rig_transmit(rig), slot);
	EXPECT_STATS(rig, .tx_errors = 1);
}

/* A driver may stop the queue while slots are free. */
static void wakes_while_slots_are_free(struct kunit *test)
{
	struct rig *rig = rig_begin(test);
	unsigned int slot = rig_transmit(rig);

	netif_stop_queue(rig->dev);
	rig_put_sent(rig, slot);
	rig_drain(rig);
	KUNIT_EXPECT_TRUE(test, netif_queue_stopped(rig->dev));
	rig->ready = true;
	can_rx_ring_wake(&rig->offload);
	KUNIT_EXPECT_FALSE(test, netif_queue_stopped(rig->dev));
}

/* A reset of the chip aborts all transmissions. */
static void aborted_transmissions(struct kunit *test)
{
	struct rig *rig = rig_begin(test);
	unsigned int i, first = rig_first_slot(rig);
	unsigned long flags;

	rig->ready = true;
	rig_use_all_slots(rig);
	can_rx_ring_lock(&rig->offload, flags);
	for (i = 0; i < CAN_RX_RING_SLOTS; i++)
		can_rx_ring_aborted(&rig->offload,
				    (first + i) % CAN_RX_RING_SLOTS);
	can_rx_ring_unlock(&rig->offload, flags);
	KUNIT_EXPECT_EQ(test, rig_drain(rig), 0);
	for (i = 0; i < CAN_RX_RING_SLOTS; i++)
		KUNIT_EXPECT_NULL(test, rig->can.echo_skb[i]);
	EXPECT_STATS(rig, .tx_dropped = CAN_RX_RING_SLOTS,
		     .tx_aborted_errors = CAN_RX_RING_SLOTS);
	KUNIT_EXPECT_FALSE(test, netif_queue_stopped(rig->dev));
	rig_use_all_slots(rig);
}

/* A queue that was woken too early is stopped again, and woken later. */
static void tx_busy_stops_the_queue(struct kunit *test)
{
	struct rig *rig = rig_begin(test);

	rig->ready = true;
	KUNIT_EXPECT_FALSE(test, can_rx_ring_tx_busy(&rig->offload));
	rig->ready = false;
	KUNIT_EXPECT_TRUE(test, can_rx_ring_tx_busy(&rig->offload));
	KUNIT_EXPECT_TRUE(test, netif_queue_stopped(rig->dev));
	rig->ready = true;
	can_rx_ring_wake(&rig->offload);
	KUNIT_EXPECT_FALSE(test, netif_queue_stopped(rig->dev));
	rig_use_all_slots(rig);
	KUNIT_EXPECT_TRUE(test, can_rx_ring_tx_busy(&rig->offload));
	KUNIT_EXPECT_TRUE(test, netif_queue_stopped(rig->dev));
}

/* Polls */

static void respects_budget(struct kunit *test)
{
	struct rig *rig = rig_begin(test);

	rig_put_frames(rig, 10);
	KUNIT_EXPECT_EQ(test, rig_poll(rig, 1), 1);
	KUNIT_EXPECT_EQ(test, rig->seen_count, 1);
	KUNIT_EXPECT_EQ(test, rig_poll(rig, 4), 4);
	KUNIT_EXPECT_EQ(test, rig->seen_count, 5);
	rig_put_events(rig, 2, true);
	KUNIT_EXPECT_EQ(test, rig_poll(rig, 7), 7);
	KUNIT_EXPECT_EQ(test, rig->seen_count, 12);
	KUNIT_EXPECT_EQ(test, rig_poll(rig, 7), 0);
	KUNIT_EXPECT_FALSE(test, rig_scheduled(rig));
	rig_compare(rig);
}

/* NAPI stays scheduled if the whole budget was used, and completes otherwise. */
static void napi_completes_below_the_budget(struct kunit *test)
{
	struct rig *rig = rig_begin(test);
	struct napi_struct *napi = &rig->offload.napi;

	rig_put_frames(rig, 4);
	local_bh_disable();
	set_bit(NAPI_STATE_SCHED, &napi->state);
	KUNIT_EXPECT_EQ(test, napi->poll(napi, 4), 4);
	KUNIT_EXPECT_TRUE(test, rig_scheduled(rig));
	KUNIT_EXPECT_EQ(test, napi->poll(napi, 4), 0);
	KUNIT_EXPECT_FALSE(test, rig_scheduled(rig));
	local_bh_enable();
	rig_compare(rig);
}

/* A poll of a busy-polling task does not complete NAPI. */
static void busy_poll_keeps_napi(struct kunit *test)
{
	struct rig *rig = rig_begin(test);
	struct napi_struct *napi = &rig->offload.napi;

	local_bh_disable();
	set_bit(NAPI_STATE_SCHED, &napi->state);
	set_bit(NAPI_STATE_IN_BUSY_POLL, &napi->state);
	KUNIT_EXPECT_EQ(test, napi->poll(napi, 8), 0);
	KUNIT_EXPECT_TRUE(test, rig_scheduled(rig));
	clear_bit(NAPI_STATE_IN_BUSY_POLL, &napi->state);
	KUNIT_EXPECT_EQ(test, napi->poll(napi, 8), 0);
	KUNIT_EXPECT_FALSE(test, rig_scheduled(rig));
	local_bh_enable();
}

static void rig_finish(struct rig *rig, unsigned int frames)
{
	unsigned long flags;

	rig_put_frames(rig, frames);
	can_rx_ring_lock(&rig->offload, flags);
	KUNIT_EXPECT_EQ(rig->test, can_rx_ring_finish(&rig->offload, flags),
			IRQ_HANDLED);
}

static void finish_schedules(struct kunit *test)
{
	struct rig *rig = rig_begin(test);

	local_bh_disable();
	rig_finish(rig, 0);
	KUNIT_EXPECT_FALSE(test, rig_scheduled(rig));
	rig_finish(rig, 3);
	KUNIT_EXPECT_TRUE(test, rig_scheduled(rig));
	KUNIT_EXPECT_EQ(test, rig->seen_count, 0);
	local_bh_enable();
	KUNIT_EXPECT_EQ(test, rig_compare(rig), 3);
	KUNIT_EXPECT_FALSE(test, rig_scheduled(rig));

	/* not scheduled again without another entry */
	local_bh_disable();
	rig_finish(rig, 0);
	KUNIT_EXPECT_FALSE(test, rig_scheduled(rig));
	local_bh_enable();
}

static void finish_schedules_for_a_loss(struct kunit *test)
{
	struct rig *rig = rig_begin(test);
	unsigned long flags;

	rig_put_frames(rig, FRAMES);
	can_rx_ring_lock(&rig->offload, flags);
	rig->offload.ring->filled = false;
	can_rx_ring_unlock(&rig->offload, flags);
	rig_lose_frames(rig, 1);
	rig_expect_overflow(rig);
	local_bh_disable();
	rig_finish(rig, 0);
	KUNIT_EXPECT_TRUE(test, rig_scheduled(rig));
	local_bh_enable();
	rig_drain(rig);
	KUNIT_EXPECT_EQ(test, rig->dev->stats.rx_dropped, 1);
}

static void kick_schedules(struct kunit *test)
{
	struct rig *rig = rig_begin(test);

	rig_put_frames(rig, 3);
	can_rx_ring_kick(&rig->offload);
	KUNIT_EXPECT_EQ(test, rig_compare(rig), 3);
}

/* An entry that is put in while NAPI is about to complete makes it poll again. */
static void no_entry_is_missed(struct kunit *test)
{
	struct rig *rig = rig_begin(test);
	struct napi_struct *napi = &rig->offload.napi;

	local_bh_disable();
	set_bit(NAPI_STATE_SCHED, &napi->state);
	rig_finish(rig, 3);
	KUNIT_EXPECT_EQ(test, napi->poll(napi, 8), 3);
	KUNIT_EXPECT_TRUE(test, rig_scheduled(rig));
	local_bh_enable();
	KUNIT_EXPECT_FALSE(test, rig_scheduled(rig));
	rig_compare(rig);
}

static void busy_poll_reads_the_chip(struct kunit *test)
{
	struct rig *rig = rig_begin(test);

	/* not before the ring is empty */
	rig_put_frames(rig, 10);
	rig->chip = 4;
	KUNIT_EXPECT_EQ(test, rig_busy_poll(rig, 8), 8);
	KUNIT_EXPECT_EQ(test, rig->reads, 0);
	KUNIT_EXPECT_EQ(test, rig_busy_poll(rig, 8), 6);
	KUNIT_EXPECT_EQ(test, rig->reads, 1);
	KUNIT_EXPECT_EQ(test, rig_compare(rig), 14);

	/* the next poll delivers what exceeds the budget */
	rig->chip = 12;
	KUNIT_EXPECT_EQ(test, rig_busy_poll(rig, 8), 8);
	KUNIT_EXPECT_EQ(test, rig->reads, 2);
	rig->chip = 1;
	KUNIT_EXPECT_EQ(test, rig_busy_poll(rig, 8), 5);
	KUNIT_EXPECT_EQ(test, rig->reads, 3);
	KUNIT_EXPECT_EQ(test, rig_compare(rig), 13);

	/* also if entries of the ring have used a part of the budget */
	rig_put_frames(rig, 5);
	rig->chip = 6;
	KUNIT_EXPECT_EQ(test, rig_busy_poll(rig, 8), 8);
	KUNIT_EXPECT_EQ(test, rig_busy_poll(rig, 8), 3);
	KUNIT_EXPECT_EQ(test, rig_compare(rig), 11);
	KUNIT_EXPECT_EQ(test, rig->dev->stats.rx_packets, 38);
}

/* A poll reads a few frames at a time, until the chip is empty or the budget is
 * used.
 */
static bool rig_test_taken(struct rig *rig)
{
	unsigned long flags;
	bool taken;

	can_rx_ring_lock(&rig->offload, flags);
	taken = can_rx_ring_test_taken(&rig->offload);
	can_rx_ring_unlock(&rig->offload, flags);
	return taken;
}

static void handler_is_told_what_a_poll_has_read(struct kunit *test)
{
	struct rig *rig = rig_begin(test);

	rig->chip = 3;
	KUNIT_EXPECT_FALSE(test, rig_test_taken(rig));
	rig_busy_poll(rig, 8);
	KUNIT_EXPECT_TRUE(test, rig_test_taken(rig));
	KUNIT_EXPECT_FALSE(test, rig_test_taken(rig));

	/* the chip was empty */
	rig_busy_poll(rig, 8);
	KUNIT_EXPECT_FALSE(test, rig_test_taken(rig));
	rig_compare(rig);
}

static void busy_poll_reads_in_batches(struct kunit *test)
{
	struct rig *rig = rig_begin(test);

	rig->batch = 2;
	rig->chip = 5;
	KUNIT_EXPECT_EQ(test, rig_busy_poll(rig, 8), 5);
	KUNIT_EXPECT_EQ(test, rig->reads, 3);
	rig->chip = 21;
	KUNIT_EXPECT_EQ(test, rig_busy_poll(rig, 8), 8);
	KUNIT_EXPECT_EQ(test, rig->reads, 3 + 4);
	KUNIT_EXPECT_EQ(test, rig->chip, 21 - 8);
	KUNIT_EXPECT_EQ(test, rig_busy_poll(rig, 64), 21 - 8);
	KUNIT_EXPECT_EQ(test, rig->reads, 3 + 4 + 7);

	/* entries of the ring count against the budget */
	rig_put_frames(rig, 5);
	rig->chip = 4;
	KUNIT_EXPECT_EQ(test, rig_busy_poll(rig, 7), 7);
	KUNIT_EXPECT_EQ(test, rig->chip, 2);
	KUNIT_EXPECT_EQ(test, rig_compare(rig), 5 + 21 + 5 + 2);
	rig->chip = 0;
}

static void other_polls_do_not_read_the_chip(struct kunit *test)
{
	struct rig *rig = rig_begin(test);

	rig->chip = 4;
	rig_put_frames(rig, 2);
	KUNIT_EXPECT_EQ(test, rig_drain(rig), 2);
	KUNIT_EXPECT_EQ(test, rig_poll(rig, 8), 0);
	KUNIT_EXPECT_EQ(test, rig->reads, 0);

	/* nor does a busy poll without ops.read */
	rig->ops.read = NULL;
	rig_put_frames(rig, 2);
	KUNIT_EXPECT_EQ(test, rig_busy_poll(rig, 8), 2);
	KUNIT_EXPECT_EQ(test, rig_compare(rig), 2);
}

/* Frames that a poll has read and delivered do not schedule NAPI. */
static void reading_does_not_schedule(struct kunit *test)
{
	struct rig *rig = rig_begin(test);

	rig->chip = 4;
	KUNIT_EXPECT_EQ(test, rig_busy_poll(rig, 8), 4);
	local_bh_disable();
	rig_finish(rig, 0);
	KUNIT_EXPECT_FALSE(test, rig_scheduled(rig));
	local_bh_enable();
	rig_compare(rig);
}

/* A poll that reads the chip reports a loss, too. */
static void busy_poll_reports_loss(struct kunit *test)
{
	struct rig *rig = rig_begin(test);

	rig_put_frames(rig, FRAMES);
	rig_lose_frames(rig, 2);
	rig_expect_overflow(rig);
	KUNIT_EXPECT_EQ(test, rig_busy_poll(rig, 2 * CAN_RX_RING_SIZE),
			rig_work(rig, FRAMES));
	KUNIT_EXPECT_EQ(test, rig_compare(rig), FRAMES + 1);
	KUNIT_EXPECT_EQ(test, rig->dev->stats.rx_dropped, 2);
}

/* Receive interrupts */

#define LONG_NS (100 * NSEC_PER_SEC)

/* Settings of userspace for tasks that prefer busy polling */
static struct rig *rig_begin_masking(struct kunit *test, u64 fill_ns,
				     u64 timeout_ns)
{
	struct rig *rig = rig_begin(test);

	rig_enable(rig, fill_ns);
	can_rx_offload_set_polling(&rig->offload, timeout_ns, 1);
	return rig;
}

static void __rig_expect_masked(struct rig *rig, enum can_rx_ring_mask masked,
				unsigned int masks, unsigned int unmasks)
{
	KUNIT_EXPECT_EQ(rig->test, rig->masked, masked);
	KUNIT_EXPECT_EQ(rig->test, rig->masks, masks);
	KUNIT_EXPECT_EQ(rig->test, rig->unmasks, unmasks);
}

static void rig_expect_masked(struct rig *rig, bool masked, unsigned int masks,
			      unsigned int unmasks)
{
	__rig_expect_masked(rig, masked ? CAN_RX_RING_MASK_FRAMES :
					  CAN_RX_RING_MASK_NONE,
			    masks, unmasks);
}

static void polls_mask_once(struct kunit *test)
{
	struct rig *rig = rig_begin_masking(test, LONG_NS, LONG_NS / 10);

	rig_expect_masked(rig, false, 0, 0);
	rig_busy_poll(rig, 8);
	rig_expect_masked(rig, true, 1, 0);
	rig_busy_poll(rig, 8);
	rig_put_frames(rig, 4);
	rig_busy_poll(rig, 8);
	rig_expect_masked(rig, true, 1, 0);
	rig_compare(rig);
}

/* If interrupts were masked after the chip is read, or by a poll that does not
 * read it, a frame could stay in the chip.
 */
static bool rig_read_masked(struct can_rx_offload *offload)
{
	struct rig *rig = rig_of(offload);

	if (!rig->masked)
		rig->disorder++;
	return rig_read(offload);
}

static void masks_before_reading_the_chip(struct kunit *test)
{
	struct rig *rig = rig_begin_masking(test, LONG_NS, LONG_NS / 10);

	rig->ops.read = rig_read_masked;
	rig_put_frames(rig, 8);
	rig_busy_poll(rig, 8);
	rig_expect_masked(rig, false, 0, 0);
	rig->chip = 1;
	rig_busy_poll(rig, 8);
	rig_expect_masked(rig, true, 1, 0);
	KUNIT_EXPECT_EQ(test, rig->disorder, 0);
	rig_compare(rig);
}

static void rig_expect_no_mask(struct rig *rig, u64 timeout_ns, u32 defer)
{
	can_rx_offload_set_polling(&rig->offload, timeout_ns, defer);
	rig_busy_poll(rig, 8);
	rig_expect_masked(rig, false, 0, 0);
}

static void masks_only_if_allowed(struct kunit *test)
{
	struct rig *rig = rig_begin_masking(test, LONG_NS, LONG_NS / 10);

	/* a poll of the softirq does not mask */
	rig_poll(rig, 8);
	rig_expect_masked(rig, false, 0, 0);
	/* the core would not poll */
	rig_expect_no_mask(rig, 0, 1);
	rig_expect_no_mask(rig, LONG_NS / 10, 0);
	/* or it would poll too late */
	rig_expect_no_mask(rig, LONG_NS, 1);
	rig_expect_no_mask(rig, LONG_NS + 1, 1);
	/* fill_ns is not known */
	rig_enable(rig, 0);
	rig_expect_no_mask(rig, 1, 1);
	/* without ops.mask */
	rig_enable(rig, LONG_NS);
	rig->ops.mask = NULL;
	rig_expect_no_mask(rig, LONG_NS / 10, 1);
	rig->ops.mask = rig_mask;
	rig_expect_no_mask(rig, LONG_NS, 1);
	KUNIT_EXPECT_EQ(test, rig->reads, 7);
}

static void unmasks_if_no_longer_allowed(struct kunit *test)
{
	struct rig *rig = rig_begin_masking(test, LONG_NS, LONG_NS / 10);

	rig_busy_poll(rig, 8);
	rig_expect_masked(rig, true, 1, 0);
	can_rx_offload_set_polling(&rig->offload, 0, 1);
	rig_busy_poll(rig, 8);
	rig_expect_masked(rig, false, 1, 1);
}

/* If the core has started no timer for another poll, this was the last one. */
static void unmasks_when_napi_completes(struct kunit *test)
{
	struct rig *rig = rig_begin_masking(test, LONG_NS, LONG_NS / 10);

	rig_busy_poll(rig, 8);
	rig_expect_masked(rig, true, 1, 0);
	rig_poll(rig, 8);
	KUNIT_EXPECT_FALSE(test, hrtimer_active(&rig->offload.napi.timer));
	rig_expect_masked(rig, false, 1, 1);
	/* only once */
	rig_poll(rig, 8);
	rig_expect_masked(rig, false, 1, 1);
}

/* The task may poll again before the core's timer; then interrupts stay masked. */
static void next_poll_unmasks(struct kunit *test)
{
	struct rig *rig = rig_begin_masking(test, LONG_NS, LONG_NS / 10);

	rig_busy_poll(rig, 8);
	rig_put_frames(rig, 1);
	rig_poll(rig, 8);
	KUNIT_EXPECT_TRUE(test, hrtimer_active(&rig->offload.napi.timer));
	rig_expect_masked(rig, true, 1, 0);
	rig_busy_poll(rig, 8);
	rig_put_frames(rig, 1);
	rig_poll(rig, 8);
	rig_expect_masked(rig, true, 1, 0);

	/* it does not: this poll is that of the timer */
	rig_put_frames(rig, 1);
	rig_poll(rig, 8);
	rig_expect_masked(rig, false, 1, 1);
	rig_compare(rig);
}

/* The interrupt handler finds the ring full while NAPI polls. */
static void rig_overflow(struct rig *rig)
{
	struct napi_struct *napi = &rig->offload.napi;
	unsigned long flags;

	rig_put_frames(rig, FRAMES);
	rig_lose_frames(rig, 1);
	rig_expect_overflow(rig);
	local_bh_disable();
	set_bit(NAPI_STATE_SCHED, &napi->state);
	can_rx_ring_lock(&rig->offload, flags);
	can_rx_ring_finish(&rig->offload, flags);
	clear_bit(NAPI_STATE_MISSED, &napi->state);
	clear_bit(NAPI_STATE_SCHED, &napi->state);
	local_bh_enable();
}

static struct rig *rig_begin_leaving(struct kunit *test, u64 fill_ns)
{
	struct rig *rig = rig_begin_masking(test, fill_ns, LONG_NS / 10);

	rig->leave = true;
	rig_enable(rig, fill_ns);
	return rig;
}

static void overflow_masks_until_there_is_room(struct kunit *test)
{
	struct rig *rig = rig_begin_leaving(test, LONG_NS);

	rig->batch = 2;
	rig_overflow(rig);
	__rig_expect_masked(rig, CAN_RX_RING_MASK_OVERRUNS, 1, 0);
	/* polls read the chip as they make room */
	rig->chip = 20;
	KUNIT_EXPECT_EQ(test, rig_poll(rig, 3), 3);
	KUNIT_EXPECT_GT(test, rig->chip, 0);
	KUNIT_EXPECT_EQ(test, rig_poll(rig, NAPI_POLL_WEIGHT),
			NAPI_POLL_WEIGHT);
	KUNIT_EXPECT_EQ(test, rig->chip, 0);
	__rig_expect_masked(rig, CAN_RX_RING_MASK_OVERRUNS, 1, 0);
	/* of an overrun, one event for each poll, and one at the end */
	KUNIT_EXPECT_EQ(test, rig->overruns, 2);
	KUNIT_EXPECT_EQ(test, rig_poll(rig, NAPI_POLL_WEIGHT),
			NAPI_POLL_WEIGHT);
	__rig_expect_masked(rig, CAN_RX_RING_MASK_NONE, 1, 1);
	KUNIT_EXPECT_EQ(test, rig->overruns, 3);
	KUNIT_EXPECT_EQ(test, rig_drain(rig), FRAMES + 1 + 20);
	KUNIT_EXPECT_EQ(test, rig->overruns, 3);
	KUNIT_EXPECT_EQ(test, rig->dev->stats.rx_dropped, 1);
}

/* Frames come while NAPI delivers others. */
static bool rig_read_and_refill(struct can_rx_offload *offload)
{
	struct rig *rig = rig_of(offload);

	if (!rig->chip && rig->number < 2 * FRAMES)
		rig->chip = 4;
	return rig_read(offload);
}

static void polls_after_an_overflow_lose_nothing(struct kunit *test)
{
	struct rig *rig = rig_begin_leaving(test, LONG_NS);

	rig->ops.read = rig_read_and_refill;
	rig->batch = 2;
	rig_overflow(rig);
	KUNIT_EXPECT_EQ(test, rig_drain(rig), rig->number);
	KUNIT_EXPECT_GT(test, rig->number, FRAMES + 32);
	KUNIT_EXPECT_EQ(test, rig->dev->stats.rx_dropped, 1);
	__rig_expect_masked(rig, CAN_RX_RING_MASK_NONE, 1, 1);
}

static void busy_polls_after_an_overflow(struct kunit *test)
{
	struct rig *rig = rig_begin_leaving(test, LONG_NS);

	rig_overflow(rig);
	rig->chip = 3;
	rig_busy_poll(rig, 8);
	KUNIT_EXPECT_EQ(test, rig->chip, 0);
	__rig_expect_masked(rig, CAN_RX_RING_MASK_OVERRUNS, 1, 0);
	/* that of the overflow ends, and the task may mask */
	rig_busy_poll(rig, 2 * CAN_RX_RING_SIZE);
	__rig_expect_masked(rig, CAN_RX_RING_MASK_FRAMES, 2, 1);
	KUNIT_EXPECT_LT(test, ktime_to_ns(ktime_get()),
			ktime_to_ns(hrtimer_get_expires(&rig->offload.ring->unmask_timer)) -
			LONG_NS / 2);
	/* or may not */
	can_rx_offload_set_polling(&rig->offload, 0, 1);
	rig_overflow(rig);
	__rig_expect_masked(rig, CAN_RX_RING_MASK_OVERRUNS, 3, 1);
	rig_busy_poll(rig, 2 * CAN_RX_RING_SIZE);
	__rig_expect_masked(rig, CAN_RX_RING_MASK_NONE, 3, 2);
	rig_compare(rig);
}

static bool rig_read_too_many(struct can_rx_offload *offload)
{
	struct rig *rig = rig_of(offload);
	u8 dlc, data[CAN_MAX_DLEN];
	struct message lost;
	canid_t id;

	for (; rig->chip; rig->chip--) {
		id = rig_next_frame(rig, &dlc, data);
		__rig_put_frame(rig, rig->chip > 1 ?
				rig_expect_frame(rig, id, dlc, data) : &lost,
				id, dlc, data);
	}
	return false;
}

static void rig_interrupt(struct rig *rig)
{
	unsigned long flags;

	local_bh_disable();
	can_rx_ring_lock(&rig->offload, flags);
	can_rx_ring_finish(&rig->offload, flags);
	KUNIT_EXPECT_FALSE(rig->test, rig_scheduled(rig) && rig->enabled);
	local_bh_enable();
}

/* Otherwise the next interrupt would mask, without a poll to come. */
static void loss_in_a_poll_does_not_mask(struct kunit *test)
{
	struct rig *rig = rig_begin_leaving(test, 0);

	rig->ops.read = rig_read_too_many;
	rig->chip = FRAMES + 1;
	rig_busy_poll(rig, 2 * CAN_RX_RING_SIZE);
	rig_expect_overflow(rig);
	KUNIT_EXPECT_EQ(test, rig_compare(rig), FRAMES + 1);
	rig_interrupt(rig);
	rig_expect_masked(rig, false, 0, 0);
}

static void overflow_masks_only_if_wanted(struct kunit *test)
{
	struct rig *rig = rig_begin(test);

	rig_overflow(rig);
	rig_expect_masked(rig, false, 0, 0);
	rig->chip = 1;
	rig_poll(rig, 2 * CAN_RX_RING_SIZE);
	KUNIT_EXPECT_EQ(test, rig->reads, 0);
	rig->chip = 0;
	rig_compare(rig);
	/* not without a loss */
	rig->leave = true;
	rig_enable(rig, 0);
	rig_put_frames(rig, FRAMES);
	can_rx_ring_kick(&rig->offload);
	rig_expect_masked(rig, false, 0, 0);
	rig_drain(rig);
}

/* The chip may be without a clock then. */
static void overflow_does_not_mask_a_disabled_chip(struct kunit *test)
{
	struct rig *rig = rig_begin_leaving(test, LONG_NS);

	rig_disable(rig);
	rig_lose_frames(rig, FRAMES + 1);
	rig_interrupt(rig);
	rig_expect_masked(rig, false, 0, 0);
	KUNIT_EXPECT_FALSE(test, hrtimer_active(&rig->offload.ring->unmask_timer));
}

static bool rig_wait_for_unmask(struct rig *rig)
{
	return wait_for_completion_timeout(&rig->unmasked, WAIT_TIMEOUT);
}

/* The poll that it schedules unmasks. */
static void timer_schedules_after_an_overflow(struct kunit *test)
{
	struct rig *rig = rig_begin_leaving(test, LONG_NS);

	reinit_completion(&rig->unmasked);
	rig_overflow(rig);
	KUNIT_EXPECT_TRUE(test, rig_wait_for_unmask(rig));
	__rig_expect_masked(rig, CAN_RX_RING_MASK_NONE, 1, 1);
	KUNIT_EXPECT_GT(test, rig->seen_count, 0);
}

/* The core's timer expires long before the unmask timer. */
static void timer_of_napi_unmasks(struct kunit *test)
{
	struct rig *rig = rig_begin_masking(test, LONG_NS, 10 * NSEC_PER_MSEC);

	rig_busy_poll(rig, 8);
	rig_put_frames(rig, 1);
	rig_poll(rig, 8);
	KUNIT_EXPECT_TRUE(test, rig_wait_for_unmask(rig));
	rig_expect_masked(rig, false, 1, 1);
	rig_compare(rig);
}

/* A task that polls often enough is never interrupted by the unmask timer. */
static void polls_postpone_the_unmask_timer(struct kunit *test)
{
	struct rig *rig = rig_begin_masking(test, LONG_NS, LONG_NS / 10);
	struct hrtimer *timer = &rig->offload.ring->unmask_timer;
	ktime_t before;

	rig_busy_poll(rig, 8);
	before = hrtimer_get_expires(timer);
	/* not yet, because starting a timer takes time */
	rig_busy_poll(rig, 8);
	KUNIT_EXPECT_EQ(test, hrtimer_get_expires(timer), before);
	before = ktime_get();
	/* as if half of its time had passed */
	hrtimer_start(timer, ktime_add_ns(before, LONG_NS / 2),
		      HRTIMER_MODE_ABS_HARD);
	rig_busy_poll(rig, 8);
	KUNIT_EXPECT_TRUE(test, hrtimer_is_queued(timer));
	KUNIT_EXPECT_GE(test, hrtimer_get_expires(timer),
			ktime_add_ns(before, LONG_NS));
	rig_expect_masked(rig, true, 1, 0);
}

/* The unmask timer expires fill_ns after the last read of the chip. */
static void unmask_timer_unmasks(struct kunit *test)
{
	u64 fill_ns = 300 * NSEC_PER_MSEC;
	struct rig *rig = rig_begin_masking(test, fill_ns, fill_ns / 2);
	ktime_t polled;

	rig_busy_poll(rig, 8);
	fsleep(100000);
	polled = ktime_get();
	rig_busy_poll(rig, 8);
	rig_expect_masked(rig, true, 1, 0);
	KUNIT_ASSERT_TRUE(test, rig_wait_for_unmask(rig));
	KUNIT_EXPECT_GE(test, ktime_to_ns(ktime_sub(rig->unmasked_at, polled)),
			fill_ns);
	rig_expect_masked(rig, false, 1, 1);

	/* the task polls again, and stops again */
	rig_busy_poll(rig, 8);
	rig_expect_masked(rig, true, 2, 1);
	KUNIT_ASSERT_TRUE(test, rig_wait_for_unmask(rig));
	rig_expect_masked(rig, false, 2, 2);
}

/* An unmask timer that expires late, after a poll has started it again, must
 * not change the time for which it is queued.
 */
static void queued_unmask_timer_is_kept(struct kunit *test)
{
	struct rig *rig = rig_begin_masking(test, LONG_NS, LONG_NS / 10);
	struct hrtimer *timer = &rig->offload.ring->unmask_timer;
	ktime_t expires;

	rig_busy_poll(rig, 8);
	expires = hrtimer_get_expires(timer);
	fsleep(1000);
	rig_busy_poll(rig, 8);
	KUNIT_EXPECT_TRUE(test, hrtimer_is_queued(timer));
	timer->function(timer);
	KUNIT_EXPECT_TRUE(test, hrtimer_is_queued(timer));
	KUNIT_EXPECT_EQ(test, hrtimer_get_expires(timer), expires);
	rig_expect_masked(rig, true, 1, 0);
}

/* A poll that leaves frames in the chip unmasks, because the unmask timer is set for
 * an empty chip.
 */
static void unmasks_if_frames_are_left(struct kunit *test)
{
	struct rig *rig = rig_begin_masking(test, LONG_NS, LONG_NS / 10);

	rig->batch = 2;
	rig->chip = 7;
	KUNIT_EXPECT_EQ(test, rig_busy_poll(rig, 4), 4);
	KUNIT_EXPECT_EQ(test, rig->chip, 3);
	rig_expect_masked(rig, false, 1, 1);
	/* a poll that reads all frames masks again, also if no budget is left */
	KUNIT_EXPECT_EQ(test, rig_busy_poll(rig, 3), 3);
	KUNIT_EXPECT_EQ(test, rig->chip, 0);
	rig_expect_masked(rig, true, 2, 1);
	/* a frame that arrives then waits for a poll or the unmask timer */
	rig->chip = 1;
	rig_put_frames(rig, 4);
	KUNIT_EXPECT_EQ(test, rig_busy_poll(rig, 4), 4);
	rig_expect_masked(rig, true, 2, 1);
	KUNIT_EXPECT_EQ(test, rig_busy_poll(rig, 4), 1);
	rig_expect_masked(rig, true, 2, 1);
	rig_compare(rig);
}

static void disable_unmasks(struct kunit *test)
{
	struct rig *rig = rig_begin_masking(test, LONG_NS, LONG_NS / 10);

	rig_busy_poll(rig, 8);
	rig_expect_masked(rig, true, 1, 0);
	rig_disable(rig);
	rig_expect_masked(rig, false, 1, 1);
	KUNIT_EXPECT_FALSE(test,
			   hrtimer_active(&rig->offload.ring->unmask_timer));
}

/* Enable, disable, add, delete */

/* Only frames that were not sent count as dropped. */
static void flush_handles_ends_of_transmissions(struct kunit *test)
{
	static const u8 data[CAN_MAX_DLEN] = { 1, 2, 3, 4, 5 };
	struct rig *rig = rig_begin(test);
	unsigned int i, slots[3];

	rig_put_frames(rig, 2);
	rig->expected_count = 0;
	for (i = 0; i < ARRAY_SIZE(slots); i++)
		slots[i] = rig_transmit_frame(rig, i, 5, data, PACKET_LOOPBACK);
	rig_put_sent(rig, slots[0]);
	rig_disable(rig);
	rig_put_not_sent(rig, slots[1]);
	can_rx_ring_flush(&rig->offload);
	can_flush_echo_skb(rig->dev);
	rig_compare(rig);
	EXPECT_STATS(rig, .tx_packets = 1, .tx_bytes = 5, .tx_errors = 1,
		     .tx_dropped = 1, .tx_aborted_errors = 1);

	/* also without any */
	can_rx_ring_flush(&rig->offload);
	rig_enable(rig, 0);
	rig_use_all_slots(rig);
}

static void disable_discards_entries(struct kunit *test)
{
	struct rig *rig = rig_begin(test);

	rig_put_frames(rig, FRAMES);
	rig_lose_frames(rig, 3);
	rig_transmit(rig);
	rig_disable(rig);
	can_flush_echo_skb(rig->dev);
	rig->expected_count = 0;

	rig_enable(rig, 0);
	KUNIT_EXPECT_EQ(test, rig_drain(rig), 0);
	KUNIT_EXPECT_EQ(test, rig->dev->stats.rx_packets, 0);
	KUNIT_EXPECT_EQ(test, rig_first_slot(rig), 0);
	rig_use_all_slots(rig);
	rig_put_frames(rig, FRAMES);
	KUNIT_EXPECT_EQ(test, rig_drain(rig), FRAMES);
}

static void add_ring_needs_ops(struct kunit *test)
{
	static const struct can_rx_ring_ops no_event = { .ready = rig_ready };
	static const struct can_rx_ring_ops no_ready = { .event = rig_event };
	struct rig *rig = rig_alloc(test, CAN_RX_RING_SLOTS);
	struct can_rx_offload *offload = &rig->offload;

	KUNIT_ASSERT_NOT_NULL(test, rig);
	KUNIT_EXPECT_EQ(test, -EINVAL,
			can_rx_offload_add_ring(rig->dev, offload, &no_event));
	KUNIT_EXPECT_EQ(test, -EINVAL,
			can_rx_offload_add_ring(rig->dev, offload, &no_ready));
	KUNIT_EXPECT_NULL(test, offload->ring);
	KUNIT_EXPECT_NULL(test, rig->can.rx_offload);
	/* the others are optional */
	rig->ops.read = NULL;
	rig->ops.mask = NULL;
	KUNIT_EXPECT_EQ(test, 0,
			can_rx_offload_add_ring(rig->dev, offload, &rig->ops));
	KUNIT_EXPECT_PTR_EQ(test, rig->can.rx_offload, offload);
	rig_free(rig);
}

static void add_ring_needs_echo_skbs(struct kunit *test)
{
	struct rig *rig = rig_alloc(test, CAN_RX_RING_SLOTS - 1);

	KUNIT_ASSERT_NOT_NULL(test, rig);
	KUNIT_EXPECT_EQ(test, -EINVAL,
			can_rx_offload_add_ring(rig->dev, &rig->offload,
						&rig->ops));
	free_candev(rig->dev);
}

/* Failing allocations: userspace has set up failslab and fail_page_alloc for tasks
 * with make_it_fail, and for allocations that may sleep (ignore-gfp-wait is N).
 */

#ifdef CONFIG_FAULT_INJECTION

/* Make allocation @number fail, counted from 1; 0 for none. */
static void fail_allocation(unsigned int number)
{
	current->fail_nth = number;
}

static bool allocation_failed(void)
{
	bool failed = !current->fail_nth;

	current->fail_nth = 0;
	return failed;
}

static void fail_all_allocations(bool fail)
{
	current->make_it_fail = fail;
}

#else

static void fail_allocation(unsigned int number)
{
}

static bool allocation_failed(void)
{
	return false;
}

static void fail_all_allocations(bool fail)
{
}

#endif

static bool allocations_can_fail(void)
{
	void *memory;

	fail_all_allocations(true);
	memory = kmalloc(1, GFP_KERNEL);
	fail_all_allocations(false);
	kfree(memory);
	return !memory;
}

static void add_ring_without_memory(struct kunit *test)
{
	struct rig *rig;
	int err;

	if (!allocations_can_fail())
		kunit_skip(test, "allocations cannot be made to fail");
	rig = rig_alloc(test, CAN_RX_RING_SLOTS);
	KUNIT_ASSERT_NOT_NULL(test, rig);
	fail_all_allocations(true);
	err = can_rx_offload_add_ring(rig->dev, &rig->offload, &rig->ops);
	fail_all_allocations(false);
	KUNIT_EXPECT_NULL(test, rig->offload.ring);
	free_candev(rig->dev);
	KUNIT_EXPECT_EQ(test, err, -ENOMEM);
}

/* One frame is dropped; the others are delivered. */
static void frame_without_memory(struct kunit *test)
{
	static const u8 data[CAN_MAX_DLEN] = { 1, 2, 3 };
	struct rig *rig = rig_begin(test);
	unsigned int i;

	if (!allocations_can_fail())
		kunit_skip(test, "allocations cannot be made to fail");
	rig_put_frame(rig, 1, 3, data);
	for (i = 1; i < 4; i++)
		rig_put_frame(rig, i, 3, data);
	/* the first one is not expected */
	memmove(&rig->expected[0], &rig->expected[1],
		--rig->expected_count * sizeof(*rig->expected));
	fail_allocation(1);
	KUNIT_EXPECT_EQ(test, rig_poll(rig, 8), 4);
	KUNIT_EXPECT_TRUE(test, allocation_failed());
	KUNIT_EXPECT_EQ(test, rig_compare(rig), 3);
	EXPECT_STATS(rig, .rx_packets = 3, .rx_bytes = 9, .rx_dropped = 1);
}

static void rig_ignore_event(struct can_rx_offload *offload,
			     const struct can_rx_ring_entry *entry)
{
}

/* A loss is counted even if its error frame cannot be allocated. */
static void loss_without_memory(struct kunit *test)
{
	struct rig *rig = rig_begin(test);

	if (!allocations_can_fail())
		kunit_skip(test, "allocations cannot be made to fail");
	rig->ops.event = rig_ignore_event;
	rig_put_events(rig, FRAMES, false);
	rig->expected_count = 0;
	rig_lose_frames(rig, 2);
	fail_allocation(1);
	KUNIT_EXPECT_EQ(test, rig_poll(rig, CAN_RX_RING_SIZE), FRAMES);
	KUNIT_EXPECT_TRUE(test, allocation_failed());
	KUNIT_EXPECT_EQ(test, rig_compare(rig), 0);
	EXPECT_STATS(rig, .rx_dropped = 2, .rx_fifo_errors = 2);
}

/* Several producers */

static void rig_check_number(struct rig *rig, const struct can_frame *frame)
{
	u32 n = frame->can_id & CAN_EFF_MASK;
	u32 data[2];

	if (frame->can_id & CAN_ERR_FLAG) {
		rig->reported = true;
		return;
	}
	memcpy(data, frame->data, sizeof(data));
	if (n < rig->last || data[0] != n || data[1] != ~n) {
		rig->disorder++;
		return;
	}
	rig->missing += n - rig->last;
	if (n != rig->last && !rig->reported)
		rig->silent++;
	rig->reported = false;
	rig->last = n + 1;
}

/* With the lock */
static void rig_put_numbers(struct rig *rig, unsigned int count)
{
	struct can_rx_ring_entry *entry;
	u32 data[2];

	while (count-- && rig->number < MANY) {
		data[0] = rig->number;
		data[1] = ~rig->number;
		entry = can_rx_ring_reserve(&rig->offload);
		set_entry(entry, CAN_EFF_FLAG | rig->number, CAN_MAX_DLEN,
			  (u8 *)data);
		can_rx_ring_commit(&rig->offload, entry);
		rig->number++;
	}
}

static bool rig_read_numbers(struct can_rx_offload *offload)
{
	struct rig *rig = rig_of(offload);
	unsigned int half = DIV_ROUND_UP(rig->chip, 2);

	rig->reads++;
	rig_put_numbers(rig, half);
	rig->chip -= half;
	return rig->chip;
}

/**
 * struct chip - a chip that receives, and interrupts in hardirq context
 * @timer: the interrupt
 * @rig: of the chip
 * @stop: the chip receives no more
 */
struct chip {
	struct hrtimer timer;
	struct rig *rig;
	bool stop;
};

/* The interrupt is level-triggered: it repeats until the chip has been read. */
static enum hrtimer_restart chip_tick(struct hrtimer *timer)
{
	struct chip *chip = container_of(timer, struct chip, timer);
	struct rig *rig = chip->rig;
	unsigned long flags;

	can_rx_ring_lock(&rig->offload, flags);
	if (!READ_ONCE(chip->stop))
		rig->chip += get_random_u32_below(8);
	if (!rig->masked && rig->chip)
		rig_read_numbers(&rig->offload);
	can_rx_ring_finish(&rig->offload, flags);
	hrtimer_forward_now(timer, TICK_NS);
	return HRTIMER_RESTART;
}

static unsigned int random_count(struct rnd_state *rnd)
{
	u32 r = prandom_u32_state(rnd);

	return r % 64 ? r / 64 % 24 : BURST;
}

static int rig_produce(void *arg)
{
	struct rig *rig = arg;
	struct rnd_state rnd;
	unsigned long flags;
	u32 number;

	prandom_seed_state(&rnd, 20261122);
	do {
		local_bh_disable();
		can_rx_ring_lock(&rig->offload, flags);
		rig_put_numbers(rig, random_count(&rnd));
		number = rig->number;
		can_rx_ring_finish(&rig->offload, flags);
		local_bh_enable();
		cond_resched();
	} while (number < MANY);
	complete(&rig->filled);
	return 0;
}

static bool loops_done(void *arg, unsigned long start_time)
{
	unsigned int *loops = arg;

	return !--*loops;
}

/* Busy-poll like a socket, while the timer puts in frames. */
static void rig_busy_loop(struct rig *rig)
{
	unsigned int loops = 50;

	napi_busy_loop(rig->offload.napi.napi_id, loops_done, &loops, true, 8);
}

static void rig_produce_and_read(struct rig *rig, struct chip *chip)
{
	struct task_struct *task;
	bool filled = false;
	int i;

	hrtimer_start(&chip->timer, TICK_NS, HRTIMER_MODE_REL_HARD);
	/* beside the producer, there may be no time for a busy poll */
	for (i = 0; !READ_ONCE(rig->masks) && i < 1000; i++)
		rig_busy_loop(rig);
	task = kthread_run(rig_produce, rig, "can_rx_ring_test");
	for (i = 0; !IS_ERR(task) && !filled && i < 100000; i++) {
		rig_busy_loop(rig);
		if (rig->toggle)
			rig->toggle(rig, i);
		/* sometimes no task busy-polls, so the softirq polls */
		filled = wait_for_completion_timeout(&rig->filled, i % 4);
	}
	if (!filled && !IS_ERR(task))
		filled = wait_for_completion_timeout(&rig->filled,
						     WAIT_TIMEOUT);
	KUNIT_EXPECT_TRUE(rig->test, filled);
	WRITE_ONCE(chip->stop, true);
	for (i = 0; READ_ONCE(rig->chip) && i < 1000; i++)
		fsleep(1000);
	hrtimer_cancel(&chip->timer);
}

static struct rig *rig_run_producers(struct kunit *test)
{
	struct rig *rig = rig_begin_masking(test, 20 * NSEC_PER_MSEC,
					    NSEC_PER_MSEC);
	struct chip chip = { .rig = rig };

	/* napi_busy_loop() counts in a statistic of INET */
	if (!IS_ENABLED(CONFIG_INET))
		kunit_skip(test, "busy polling needs CONFIG_INET");
	rig->check = rig_check_number;
	rig->ops.read = rig_read_numbers;
	hrtimer_setup_on_stack(&chip.timer, chip_tick, CLOCK_MONOTONIC,
			       HRTIMER_MODE_REL_HARD);
	rig_produce_and_read(rig, &chip);
	destroy_hrtimer_on_stack(&chip.timer);
	rig_drain(rig);

	kunit_info(test, "%u lost, %u reads, masked %u times\n", rig->missing,
		   rig->reads, rig->masks);
	rig->missing += MANY - rig->last;
	KUNIT_EXPECT_EQ(test, rig->number, MANY);
	KUNIT_EXPECT_EQ(test, rig->disorder, 0);
	KUNIT_EXPECT_EQ(test, rig->dev->stats.rx_packets,
			MANY - rig->dev->stats.rx_fifo_errors);
	KUNIT_EXPECT_EQ(test, rig->chip, 0);
	KUNIT_EXPECT_FALSE(test, rig->masked);
	/* otherwise the test did not cover masking and overflow */
	KUNIT_EXPECT_GT(test, rig->masks, 0);
	KUNIT_EXPECT_GT(test, rig->missing, 0);
	return rig;
}

static void concurrent_producers_and_polls(struct kunit *test)
{
	struct rig *rig = rig_run_producers(test);

	KUNIT_EXPECT_EQ(test, rig->silent, 0);
	KUNIT_EXPECT_EQ(test, rig->missing, rig->dev->stats.rx_dropped);
	KUNIT_EXPECT_EQ(test, rig->missing, rig->dev->stats.rx_fifo_errors);
}

#define RING_CASES \
	KUNIT_CASE_PARAM(entries_keep_their_order, starts_gen_params), \
	KUNIT_CASE_PARAM(restart_is_in_order, starts_gen_params), \
	KUNIT_CASE(frames_of_all_kinds), \
	KUNIT_CASE(stale_bytes_are_not_delivered), \
	KUNIT_CASE(timestamp_is_of_the_interrupt), \
	KUNIT_CASE(echo_timestamp_is_not_the_send_time), \
	KUNIT_CASE_PARAM(overflow_in_one_poll, starts_gen_params), \
	KUNIT_CASE_PARAM(overflow_is_in_order, starts_gen_params), \
	KUNIT_CASE_PARAM(events_may_be_lost, starts_gen_params), \
	KUNIT_CASE_PARAM(room_for_reserved_entries, starts_gen_params), \
	KUNIT_CASE_PARAM(room_for_events_after_transmissions, starts_gen_params), \
	KUNIT_CASE_PARAM(room_for_a_slot_that_is_used_again, starts_gen_params), \
	KUNIT_CASE_PARAM(events_leave_room_for_transmissions, \
			 starts_gen_params), \
	KUNIT_CASE_PARAM(delivered_entries_make_room, starts_gen_params), \
	KUNIT_CASE_PARAM(room_is_reported, starts_gen_params), \
	KUNIT_CASE(entry_is_read_before_it_is_free), \
	KUNIT_CASE(statistics), \
	KUNIT_CASE(counts_transmissions_without_echo), \
	KUNIT_CASE_PARAM(slots_become_free_in_any_order, starts_gen_params), \
	KUNIT_CASE_PARAM(frees_the_slots_of_its_entries, starts_gen_params), \
	KUNIT_CASE_PARAM(wakes_when_the_chip_is_ready, starts_gen_params), \
	KUNIT_CASE(wakes_after_failure), \
	KUNIT_CASE(wakes_while_slots_are_free), \
	KUNIT_CASE(aborted_transmissions), \
	KUNIT_CASE(tx_busy_stops_the_queue), \
	KUNIT_CASE(respects_budget), \
	KUNIT_CASE(napi_completes_below_the_budget), \
	KUNIT_CASE(busy_poll_keeps_napi), \
	KUNIT_CASE(finish_schedules), \
	KUNIT_CASE(finish_schedules_for_a_loss), \
	KUNIT_CASE(kick_schedules), \
	KUNIT_CASE(no_entry_is_missed), \
	KUNIT_CASE(busy_poll_reads_the_chip), \
	KUNIT_CASE(busy_poll_reads_in_batches), \
	KUNIT_CASE(handler_is_told_what_a_poll_has_read), \
	KUNIT_CASE(other_polls_do_not_read_the_chip), \
	KUNIT_CASE(reading_does_not_schedule), \
	KUNIT_CASE(busy_poll_reports_loss), \
	KUNIT_CASE(polls_mask_once), \
	KUNIT_CASE(masks_before_reading_the_chip), \
	KUNIT_CASE(masks_only_if_allowed), \
	KUNIT_CASE(unmasks_if_no_longer_allowed), \
	KUNIT_CASE(unmasks_when_napi_completes), \
	KUNIT_CASE(next_poll_unmasks), \
	KUNIT_CASE(overflow_masks_until_there_is_room), \
	KUNIT_CASE(polls_after_an_overflow_lose_nothing), \
	KUNIT_CASE(busy_polls_after_an_overflow), \
	KUNIT_CASE(overflow_does_not_mask_a_disabled_chip), \
	KUNIT_CASE(timer_schedules_after_an_overflow), \
	KUNIT_CASE(loss_in_a_poll_does_not_mask), \
	KUNIT_CASE(overflow_masks_only_if_wanted), \
	KUNIT_CASE(timer_of_napi_unmasks), \
	KUNIT_CASE(polls_postpone_the_unmask_timer), \
	KUNIT_CASE(unmask_timer_unmasks), \
	KUNIT_CASE(queued_unmask_timer_is_kept), \
	KUNIT_CASE(unmasks_if_frames_are_left), \
	KUNIT_CASE(disable_unmasks), \
	KUNIT_CASE(disable_discards_entries), \
	KUNIT_CASE(flush_handles_ends_of_transmissions), \
	KUNIT_CASE(add_ring_needs_ops), \
	KUNIT_CASE(add_ring_needs_echo_skbs), \
	KUNIT_CASE(add_ring_without_memory), \
	KUNIT_CASE(frame_without_memory), \
	KUNIT_CASE(loss_without_memory), \
	KUNIT_CASE_SLOW(concurrent_producers_and_polls)

static struct kunit_case ring_cases[] = {
	RING_CASES,
	{}
};

static struct kunit_suite ring_suite = {
	.name = "can_rx_ring",
	.init = rig_init_ring,
	.exit = rig_exit,
	.test_cases = ring_cases,
};

/* With a stage, as on PREEMPT_RT */

#ifdef CAN_RX_DIRECT

static int rig_init_staged(struct kunit *test)
{
	struct rig *rig;
	int err = rig_init_ring(test);

	if (err)
		return err;
	rig = test->priv;
	rig_disable(rig);
	if (!can_rx_ring_staged(rig->offload.ring))
		err = can_rx_stage_init(&rig->offload);
	/* polls do all the work, unless a test wants a thread */
	if (!err)
		rig->offload.ring->stage->wanted = false;
	rig_enable(rig, 0);
	return err;
}

/* A model of a socket: it gets a frame directly, or through NAPI if the mark does
 * not tell that it has it.
 */
static void rig_socket_receive(struct rig *rig, const struct sk_buff *skb)
{
	canid_t id = ((const struct can_frame *)skb->data)->can_id;
	u32 n = id & CAN_EFF_MASK;

	if (id & CAN_ERR_FLAG)
		return;
	if (n < rig->socket_last)
		rig->socket_disorder++;
	else
		rig->socket_missing += n - rig->socket_last;
	rig->socket_last = n + 1;
}

static bool rig_receive_directly(struct sk_buff *skb, struct net_device *dev)
{
	struct rig *rig = netdev_priv(dev);

	rig->given++;
	rig_socket_receive(rig, skb);
	return true;
}

/* As if there were many sockets */
static bool rig_receive_slowly(struct sk_buff *skb, struct net_device *dev)
{
	struct rig *rig = netdev_priv(dev);

	if (current != rig->offload.ring->stage->thread)
		rig->given_by_napi++;
	udelay(SLOW_US);
	return rig_receive_directly(skb, dev);
}

static bool rig_has_socket(struct net_device *dev)
{
	struct rig *rig = netdev_priv(dev);

	return !rig->no_socket;
}

static bool rig_others_want(struct net_device *dev)
{
	struct rig *rig = netdev_priv(dev);

	return !READ_ONCE(rig->unwanted);
}

static void rig_count_frame(struct net_device *dev, bool matched)
{
	struct rig *rig = netdev_priv(dev);

	KUNIT_EXPECT_TRUE(rig->test, matched);
	rig->counted++;
}

static const struct can_rx_direct_ops rig_direct_ops = {
	.receive = rig_receive_directly,
	.used = rig_has_socket,
	.wanted = rig_others_want,
	.count = rig_count_frame,
};

static const struct can_rx_direct_ops rig_slow_ops = {
	.receive = rig_receive_slowly,
	.used = rig_has_socket,
	.wanted = rig_others_want,
	.count = rig_count_frame,
};

static void rig_see_mark(struct rig *rig, const struct sk_buff *skb)
{
	if (can_skb_direct_id(skb) != can_get_ml_priv(rig->dev)->direct_id)
		rig_socket_receive(rig, skb);
}

/* The model of an owner is not one of a socket that can be freed. */
static void rig_forget_owner(struct rig *rig, const struct sk_buff *skb)
{
	((struct sk_buff *)skb)->sk = NULL;
}

/* Give frames to the model of a socket from now on. */
static void rig_set_direct(struct rig *rig, bool direct)
{
	struct can_rx_stage *stage = rig->offload.ring->stage;

	can_rx_stage_lock(stage);
	stage->direct = direct;
	can_rx_stage_unlock(stage);
}

static struct rig *rig_begin_direct(struct kunit *test, bool direct)
{
	struct rig *rig = rig_begin(test);

	rcu_assign_pointer(can_get_ml_priv(rig->dev)->direct_ops,
			   &rig_direct_ops);
	rig->see = rig_see_mark;
	rig_set_direct(rig, direct);
	return rig;
}

/* Also what NAPI has to pass on. */
static void staged_frames_are_given_once(struct kunit *test)
{
	static const u8 data[CAN_MAX_DLEN] = { 1, 2, 3, 4, 5 };
	struct rig *rig = rig_begin_direct(test, true);
	unsigned int slot;

	rig_put_frames(rig, 5);
	KUNIT_EXPECT_EQ(test, can_rx_ring_thread_poll(&rig->offload, 8), 5);
	KUNIT_EXPECT_EQ(test, rig_poll(rig, 2), 2);
	KUNIT_EXPECT_EQ(test, rig->given, 5);
	KUNIT_EXPECT_EQ(test, rig->seen_count, 2);
	slot = rig_transmit_frame(rig, CAN_EFF_FLAG | rig->number++, 5, data,
				  PACKET_LOOPBACK);
	rig_put_sent(rig, slot);
	rig_put_event(rig, true);
	KUNIT_EXPECT_EQ(test, rig_drain(rig), 7);
	KUNIT_EXPECT_EQ(test, rig->given, 7);
	KUNIT_EXPECT_EQ(test, rig->socket_last, 6);
	KUNIT_EXPECT_EQ(test, rig->socket_missing, 0);
	KUNIT_EXPECT_EQ(test, rig->socket_disorder, 0);
}

/* NAPI has not passed on the frames from before the switch. */
static void staged_frames_wait_for_those_before(struct kunit *test)
{
	struct rig *rig = rig_begin_direct(test, false);

	rig_put_frames(rig, 3);
	KUNIT_EXPECT_EQ(test, can_rx_ring_thread_poll(&rig->offload, 3), 3);
	KUNIT_EXPECT_EQ(test, rig_poll(rig, 1), 1);
	rig_set_direct(rig, true);
	rig_put_frames(rig, 2);
	KUNIT_EXPECT_EQ(test, rig_poll(rig, 1), 1);
	KUNIT_EXPECT_EQ(test, rig->given, 0);
	KUNIT_EXPECT_EQ(test, rig->socket_last, 2);
	KUNIT_EXPECT_EQ(test, rig_drain(rig), 5);
	KUNIT_EXPECT_EQ(test, rig->given, 0);
	rig_put_frames(rig, 2);
	KUNIT_EXPECT_EQ(test, rig_drain(rig), 2);
	KUNIT_EXPECT_EQ(test, rig->given, 2);
	KUNIT_EXPECT_EQ(test, rig->socket_last, 7);
	KUNIT_EXPECT_EQ(test, rig->socket_disorder, 0);
}

static rx_handler_result_t rig_pass(struct sk_buff **skb)
{
	return RX_HANDLER_PASS;
}

/* Who may change or drop frames before sockets has to see them first. */
static void staged_frames_pass_a_handler(struct kunit *test)
{
	struct rig *rig = rig_begin_direct(test, true);
	int err;

	rtnl_lock();
	err = netdev_rx_handler_register(rig->dev, rig_pass, NULL);
	rtnl_unlock();
	KUNIT_ASSERT_EQ(test, err, 0);
	rig_put_frames(rig, 2);
	KUNIT_EXPECT_EQ(test, rig_drain(rig), 2);
	rtnl_lock();
	netdev_rx_handler_unregister(rig->dev);
	rtnl_unlock();
	KUNIT_EXPECT_EQ(test, rig->given, 0);
	KUNIT_EXPECT_EQ(test, rig->socket_last, 2);
}

static void staged_frames_without_sockets(struct kunit *test)
{
	struct rig *rig = rig_begin_direct(test, true);

	RCU_INIT_POINTER(can_get_ml_priv(rig->dev)->direct_ops, NULL);
	rig_put_frames(rig, 2);
	KUNIT_EXPECT_EQ(test, rig_drain(rig), 2);
	KUNIT_EXPECT_EQ(test, rig->socket_last, 2);
}

/* Entries whose skbs NAPI has are not passed on before NAPI has passed on all. */
static void staged_entries_are_passed_on_by_napi(struct kunit *test)
{
	struct rig *rig = rig_begin_direct(test, true);
	struct can_rx_stage *stage = rig->offload.ring->stage;

	rig_put_frames(rig, 5);
	KUNIT_EXPECT_EQ(test, can_rx_ring_thread_poll(&rig->offload, 8), 5);
	KUNIT_EXPECT_EQ(test, can_rx_stage_passed_entries(stage), 0);
	KUNIT_EXPECT_EQ(test, rig_poll(rig, 2), 2);
	KUNIT_EXPECT_EQ(test, can_rx_stage_passed_entries(stage), 0);
	rig_put_frames(rig, 1);
	KUNIT_EXPECT_EQ(test, rig_poll(rig, 8), 4);
	KUNIT_EXPECT_EQ(test, can_rx_stage_passed_entries(stage), 6);
	KUNIT_EXPECT_EQ(test, rig_drain(rig), 6);
	rig_disable(rig);
	can_rx_ring_flush(&rig->offload);
	rig_enable(rig, 0);
	KUNIT_EXPECT_EQ(test, can_rx_stage_passed_entries(stage), 0);
}

/* Nor more than a poll may. */
static void staged_polls_respect_the_budget(struct kunit *test)
{
	struct rig *rig = rig_begin_direct(test, true);

	rig_put_frames(rig, 9);
	KUNIT_EXPECT_EQ(test, can_rx_ring_thread_poll(&rig->offload, 3), 3);
	KUNIT_EXPECT_EQ(test, rig_poll(rig, 4), 4);
	KUNIT_EXPECT_EQ(test, rig->given, 7);
	KUNIT_EXPECT_EQ(test, rig_poll(rig, 4), 4);
	KUNIT_EXPECT_EQ(test, rig_poll(rig, 4), 1);
	KUNIT_EXPECT_EQ(test, rig_drain(rig), 9);
	KUNIT_EXPECT_EQ(test, rig->given, 9);
}

/* What is in the ring when the interface goes down; skbs are passed on. */
static void staged_frames_are_discarded(struct kunit *test)
{
	struct rig *rig = rig_begin_direct(test, true);
	unsigned int slot = rig_transmit(rig);

	rig_put_frames(rig, 3);
	KUNIT_EXPECT_EQ(test, can_rx_ring_thread_poll(&rig->offload, 5), 3);
	rig_put_sent(rig, slot);
	rig_put_frames(rig, 1);
	rig->expected_count--;
	rig_disable(rig);
	can_rx_ring_flush(&rig->offload);
	KUNIT_EXPECT_EQ(test, rig_compare(rig), 4);
	rig_enable(rig, 0);
	rig_put_frames(rig, 3);
	KUNIT_EXPECT_EQ(test, rig_drain(rig), 3);
}

static void staged_frames_that_nobody_else_wants(struct kunit *test)
{
	struct rig *rig = rig_begin_direct(test, true);
	struct can_rx_ring *ring = rig->offload.ring;

	rig->unwanted = true;
	rig_put_frames(rig, 5);
	rig->expected_count = 0;
	KUNIT_EXPECT_EQ(test, can_rx_ring_thread_poll(&rig->offload, 8), 5);
	KUNIT_EXPECT_EQ(test, rig->given, 5);
	KUNIT_EXPECT_EQ(test, rig->counted, 5);
	KUNIT_EXPECT_EQ(test, ring->tail, ring->head);
	KUNIT_EXPECT_EQ(test, rig_drain(rig), 0);

	/* a receiver that begins now must not get this one and not the next */
	rig->unwanted = false;
	rig_put_frames(rig, 1);
	KUNIT_EXPECT_EQ(test, can_rx_ring_thread_poll(&rig->offload, 8), 1);
	rig->unwanted = true;
	rig_put_frames(rig, 1);
	KUNIT_EXPECT_EQ(test, can_rx_ring_thread_poll(&rig->offload, 8), 1);
	KUNIT_EXPECT_EQ(test, rig->counted, 5);
	KUNIT_EXPECT_EQ(test, rig_drain(rig), 2);
	KUNIT_EXPECT_EQ(test, rig->given, 7);
	EXPECT_STATS(rig, .rx_packets = 7, .rx_bytes = rig->dev->stats.rx_bytes);
}

static void staged_echoes_that_nobody_else_wants(struct kunit *test)
{
	static const u8 data[CAN_MAX_DLEN] = { 1, 2, 3, 4, 5 };
	struct rig *rig = rig_begin_direct(test, true);
	struct can_rx_ring *ring = rig->offload.ring;
	unsigned int slot;

	rig->unwanted = true;
	slot = rig_transmit_frame(rig, CAN_EFF_FLAG | rig->number++, 5, data,
				  PACKET_LOOPBACK);
	rig_put_sent(rig, slot);
	rig->expected_count = 0;
	KUNIT_EXPECT_EQ(test, can_rx_ring_thread_poll(&rig->offload, 8), 1);
	KUNIT_EXPECT_EQ(test, rig->counted, 1);
	/* NAPI has to free the slot */
	KUNIT_EXPECT_EQ(test, ring->stage->slots, BIT(slot));
	KUNIT_EXPECT_EQ(test, rig_drain(rig), 0);
	KUNIT_EXPECT_EQ(test, ring->stage->slots | ring->slots, 0);
}

/* Take entries out like the thread. Return: number of frames put in. */
static unsigned int rig_fill_stage(struct rig *rig, unsigned int count)
{
	unsigned int i;

	for (i = 0; i < count; i++) {
		rig_put_frames(rig, 1);
		can_rx_ring_thread_poll(&rig->offload, 1);
	}
	return count;
}

/* NAPI does not run: the sockets lose nothing. */
static void staged_frames_are_dropped_for_others(struct kunit *test)
{
	struct rig *rig = rig_begin_direct(test, true);
	unsigned int all = rig_fill_stage(rig, CAN_RX_STAGE_SIZE + 10);

	KUNIT_EXPECT_EQ(test, rig->given, all);
	KUNIT_EXPECT_EQ(test, rig->dev->stats.rx_packets, all);
	KUNIT_EXPECT_EQ(test, rig->dev->stats.rx_dropped, 10);
	rig->expected_count = CAN_RX_STAGE_SIZE;
	rig_expect_overflow(rig);
	KUNIT_EXPECT_EQ(test, rig_drain(rig), CAN_RX_STAGE_SIZE + 1);
	KUNIT_EXPECT_EQ(test, rig->socket_last, all);
	KUNIT_EXPECT_EQ(test, rig->socket_missing, 0);
	KUNIT_EXPECT_EQ(test, rig->given, all);
	rig_put_frames(rig, 1);
	KUNIT_EXPECT_EQ(test, rig_drain(rig), 1);
}

/* A poll makes room soon. */
static void staged_polls_drop_nothing(struct kunit *test)
{
	struct rig *rig = rig_begin_direct(test, true);
	unsigned int all = rig_fill_stage(rig, CAN_RX_STAGE_SIZE);

	rig_put_frames(rig, 100);
	KUNIT_EXPECT_EQ(test, rig_poll(rig, 10), 10);
	KUNIT_EXPECT_EQ(test, rig->given, all);
	KUNIT_EXPECT_EQ(test, rig_drain(rig), all + 100);
	KUNIT_EXPECT_EQ(test, rig->given, all + 100);
	KUNIT_EXPECT_EQ(test, rig->dev->stats.rx_dropped, 0);
}

/* Protocols wait for the echoes of what they sent. */
static void staged_echoes_are_not_dropped(struct kunit *test)
{
	static const u8 data[CAN_MAX_DLEN] = { 1, 2, 3, 4, 5 };
	struct rig *rig = rig_begin_direct(test, true);
	struct sock sk = {};
	unsigned int slot;

	rig_fill_stage(rig, CAN_RX_STAGE_SIZE);
	slot = rig_transmit_frame(rig, CAN_EFF_FLAG | rig->number++, 5, data,
				  PACKET_LOOPBACK);
	rig->can.echo_skb[slot]->sk = &sk;
	rig_put_sent(rig, slot);
	rig_put_event(rig, true);
	KUNIT_EXPECT_EQ(test, can_rx_ring_thread_poll(&rig->offload, 8), 2);
	rig->see = rig_forget_owner;
	KUNIT_EXPECT_EQ(test, rig_drain(rig), CAN_RX_STAGE_SIZE + 2);
	KUNIT_EXPECT_EQ(test, rig->dev->stats.rx_dropped, 0);
}

/* Without sockets, those who lose them would be all. */
static void staged_frames_wait_for_others(struct kunit *test)
{
	struct rig *rig = rig_begin_direct(test, true);
	struct can_rx_ring *ring = rig->offload.ring;
	unsigned int all;

	rig->no_socket = true;
	all = rig_fill_stage(rig, CAN_RX_STAGE_SIZE + 10);
	KUNIT_EXPECT_EQ(test, ring->head - ring->tail, 10);
	KUNIT_EXPECT_EQ(test, rig_drain(rig), all);
	KUNIT_EXPECT_EQ(test, rig->dev->stats.rx_dropped, 0);
}

/* The sockets would lose them. */
static void staged_frames_wait_in_the_ring(struct kunit *test)
{
	struct rig *rig = rig_begin_direct(test, false);
	struct can_rx_ring *ring = rig->offload.ring;
	unsigned int all = rig_fill_stage(rig, CAN_RX_STAGE_SIZE + 10);

	KUNIT_EXPECT_EQ(test, ring->head - ring->tail, 10);
	rig_set_direct(rig, true);
	KUNIT_EXPECT_EQ(test, can_rx_ring_thread_poll(&rig->offload, 20), 0);
	KUNIT_EXPECT_EQ(test, rig_drain(rig), all);
	KUNIT_EXPECT_EQ(test, rig->socket_last, all);
	KUNIT_EXPECT_EQ(test, rig->socket_missing, 0);
	KUNIT_EXPECT_EQ(test, rig->dev->stats.rx_dropped, 0);
}

/* Nobody but the thread uses it, and it does not make entries wait for more. */
static void thread_has_memory_for_frames(struct kunit *test)
{
	struct rig *rig = rig_begin_direct(test, true);
	struct can_rx_stage *stage = rig->offload.ring->stage;
	unsigned int some;

	can_rx_stage_prepare(&rig->offload);
	some = stage->spare.qlen;
	KUNIT_ASSERT_GT(test, some, 2);
	rig_put_frames(rig, 2);
	KUNIT_EXPECT_EQ(test, can_rx_ring_thread_poll(&rig->offload, 8), 2);
	KUNIT_EXPECT_EQ(test, stage->spare.qlen, some - 2);
	rig_put_frames(rig, 2);
	KUNIT_EXPECT_EQ(test, rig_poll(rig, 8), 4);
	KUNIT_EXPECT_EQ(test, stage->spare.qlen, some - 2);
	KUNIT_EXPECT_EQ(test, rig->given, 4);
	stage->woken = true;
	can_rx_stage_prepare(&rig->offload);
	KUNIT_EXPECT_EQ(test, stage->spare.qlen, some - 2);
	stage->woken = false;
	can_rx_stage_prepare(&rig->offload);
	KUNIT_EXPECT_EQ(test, stage->spare.qlen, some);
	rig_disable(rig);
	KUNIT_EXPECT_EQ(test, stage->spare.qlen, 0);
}

/* Priority and CPUs survive that the interface goes down, unless it is renamed. */
static void thread_stays_while_down(struct kunit *test)
{
	struct rig *rig = rig_begin_direct(test, true);
	struct can_rx_stage *stage = rig->offload.ring->stage;
	struct task_struct *thread;

	rig_disable(rig);
	stage->wanted = true;
	rig_enable(rig, 0);
	thread = stage->thread;
	KUNIT_ASSERT_NOT_NULL(test, thread);
	rig_disable(rig);
	KUNIT_EXPECT_FALSE(test, stage->direct);
	rig_enable(rig, 0);
	KUNIT_EXPECT_PTR_EQ(test, stage->thread, thread);
	KUNIT_EXPECT_TRUE(test, stage->direct);
	rig_disable(rig);
	strscpy(stage->name, "other");
	rig_enable(rig, 0);
	KUNIT_EXPECT_STREQ(test, stage->name, rig->dev->name);
}

/* Beside a thread, the unmask timer replaces that of the core, which would schedule
 * NAPI.
 */
static void unmasks_without_a_poll(struct kunit *test)
{
	u64 timeout_ns = 300 * NSEC_PER_MSEC;
	struct rig *rig = rig_begin_direct(test, true);
	struct napi_struct *napi = &rig->offload.napi;
	ktime_t polled;

	rig_disable(rig);
	rig->offload.ring->stage->wanted = true;
	rig_enable(rig, LONG_NS);
	can_rx_offload_set_polling(&rig->offload, timeout_ns, 1);
	polled = ktime_get();
	rig_busy_poll(rig, 8);
	/* as the core does before the last poll of a task */
	napi->defer_hard_irqs_count = 1;
	hrtimer_start(&napi->timer, ns_to_ktime(LONG_NS), HRTIMER_MODE_REL_PINNED);
	rig_poll(rig, 8);
	KUNIT_EXPECT_FALSE(test, hrtimer_is_queued(&napi->timer));
	KUNIT_EXPECT_FALSE(test, rig_scheduled(rig));
	rig_expect_masked(rig, true, 1, 0);
	KUNIT_ASSERT_TRUE(test, rig_wait_for_unmask(rig));
	KUNIT_EXPECT_GE(test, ktime_to_ns(ktime_sub(rig->unmasked_at, polled)),
			timeout_ns);
	rig_expect_masked(rig, false, 1, 1);
}

static void thread_leaves_time_to_others(struct kunit *test)
{
	struct rig *rig = rig_begin_direct(test, true);
	unsigned long flags;
	int i;

	rcu_assign_pointer(can_get_ml_priv(rig->dev)->direct_ops, &rig_slow_ops);
	rig_disable(rig);
	rig->offload.ring->stage->wanted = true;
	rig_enable(rig, 0);
	local_bh_disable();
	rig_put_frames(rig, SLOW_FRAMES);
	can_rx_ring_lock(&rig->offload, flags);
	can_rx_ring_finish(&rig->offload, flags);
	local_bh_enable();
	for (i = 0; READ_ONCE(rig->given) < SLOW_FRAMES && i < 10000; i++)
		fsleep(1000);
	KUNIT_EXPECT_EQ(test, rig->given, SLOW_FRAMES);
	KUNIT_EXPECT_GT(test, rig->given_by_napi, 0);
	KUNIT_EXPECT_LT(test, rig->given_by_napi, SLOW_FRAMES);
	KUNIT_EXPECT_EQ(test, rig_drain(rig), SLOW_FRAMES);
}

static void rig_toggle(struct rig *rig, int round)
{
	rig_set_direct(rig, round % 3);
}

static struct rig *rig_run_thread(struct kunit *test,
				  void (*toggle)(struct rig *rig, int round))
{
	struct rig *rig = rig_begin_direct(test, true);

	rig->toggle = toggle;
	rig->offload.ring->stage->wanted = true;
	rig_run_producers(test);
	KUNIT_EXPECT_EQ(test, rig->socket_disorder, 0);
	KUNIT_EXPECT_EQ(test, rig->socket_missing + MANY - rig->socket_last,
			rig->dev->stats.rx_fifo_errors);
	/* otherwise the test did not cover both ways */
	KUNIT_EXPECT_GT(test, rig->given, 0);
	KUNIT_EXPECT_LT(test, rig->given, MANY);
	kunit_info(test, "%u given directly, %u of them to nobody else\n",
		   rig->given, rig->counted);
	return rig;
}

/* A thread makes skbs, beside polls, and is switched on and off. */
static void concurrent_thread_and_polls(struct kunit *test)
{
	struct rig *rig = rig_run_thread(test, rig_toggle);

	KUNIT_EXPECT_EQ(test, rig->silent, 0);
	/* the rest was dropped for others */
	KUNIT_EXPECT_GE(test, rig->missing, rig->dev->stats.rx_fifo_errors);
	KUNIT_EXPECT_EQ(test, rig->missing, rig->dev->stats.rx_dropped);
}

/* Nobody does at first, so that some are freed, however slow NAPI is. */
static void rig_toggle_wanted(struct rig *rig, int round)
{
	rig_set_direct(rig, round % 5 != 4);
	WRITE_ONCE(rig->unwanted, round % 4 != 3);
}

/* Sometimes somebody else wants frames. */
static void concurrent_thread_alone(struct kunit *test)
{
	struct rig *rig = test->priv;

	rig->unwanted = true;
	rig_run_thread(test, rig_toggle_wanted);
	KUNIT_EXPECT_GT(test, rig->counted, 0);
}

static struct kunit_case staged_cases[] = {
	RING_CASES,
	KUNIT_CASE(staged_frames_are_given_once),
	KUNIT_CASE(staged_frames_wait_for_those_before),
	KUNIT_CASE(staged_frames_pass_a_handler),
	KUNIT_CASE(staged_frames_without_sockets),
	KUNIT_CASE(staged_entries_are_passed_on_by_napi),
	KUNIT_CASE(staged_polls_respect_the_budget),
	KUNIT_CASE(staged_frames_are_discarded),
	KUNIT_CASE(staged_frames_that_nobody_else_wants),
	KUNIT_CASE(staged_echoes_that_nobody_else_wants),
	KUNIT_CASE(staged_frames_are_dropped_for_others),
	KUNIT_CASE(staged_polls_drop_nothing),
	KUNIT_CASE(staged_echoes_are_not_dropped),
	KUNIT_CASE(staged_frames_wait_for_others),
	KUNIT_CASE(staged_frames_wait_in_the_ring),
	KUNIT_CASE(thread_has_memory_for_frames),
	KUNIT_CASE(thread_stays_while_down),
	KUNIT_CASE(unmasks_without_a_poll),
	KUNIT_CASE(thread_leaves_time_to_others),
	KUNIT_CASE_SLOW(concurrent_thread_and_polls),
	KUNIT_CASE_SLOW(concurrent_thread_alone),
	{}
};

static struct kunit_suite staged_suite = {
	.name = "can_rx_ring_staged",
	.init = rig_init_staged,
	.exit = rig_exit,
	.test_cases = staged_cases,
};

#endif /* CAN_RX_DIRECT */

/* The other modes */

static struct sk_buff *rig_read_mailbox(struct can_rx_offload *offload,
					unsigned int mb, u32 *timestamp,
					bool drop);

static int rig_init_queue(struct kunit *test, bool timestamps)
{
	struct rig *rig = rig_alloc(test, 2);
	int err;

	if (!rig)
		return -ENOMEM;
	rig->offload.mb_last = 8;
	if (timestamps) {
		rig->offload.mailbox_read = rig_read_mailbox;
		err = can_rx_offload_add_timestamp(rig->dev, &rig->offload);
	} else {
		err = can_rx_offload_add_manual(rig->dev, &rig->offload, 64);
	}
	if (!err)
		err = rig_register(test, rig);
	if (err) {
		free_candev(rig->dev);
		return err;
	}
	can_rx_offload_enable(&rig->offload);
	rig->enabled = true;
	return 0;
}

static int rig_init_manual(struct kunit *test)
{
	return rig_init_queue(test, false);
}

static int rig_init_timestamp(struct kunit *test)
{
	return rig_init_queue(test, true);
}

/* Drivers may have written to the control block. */
static struct sk_buff *rig_make_skb(struct rig *rig)
{
	u8 dlc, data[CAN_MAX_DLEN];
	canid_t id = rig_next_frame(rig, &dlc, data);
	struct can_frame *frame;
	struct sk_buff *skb = alloc_can_skb(rig->dev, &frame);

	if (!skb)
		return NULL;
	frame->can_id = id;
	frame->len = 5;
	memcpy(frame->data, data, frame->len);
	memset(skb->cb, 0xff, sizeof(skb->cb));
	return skb;
}

static struct message *rig_expect_skb(struct rig *rig, struct sk_buff *skb)
{
	const struct can_frame *frame = (struct can_frame *)skb->data;
	struct message *m = rig_expect(rig, frame->can_id, frame->len);

	memcpy(m->data, frame->data, frame->len);
	return m;
}

static struct sk_buff *rig_read_mailbox(struct can_rx_offload *offload,
					unsigned int mb, u32 *timestamp,
					bool drop)
{
	struct sk_buff *skb = rig_make_skb(rig_of(offload));

	*timestamp = 100 + mb;
	return skb ? skb : ERR_PTR(-ENOMEM);
}

static struct sk_buff *rig_expect_new_skb(struct rig *rig)
{
	struct sk_buff *skb = rig_make_skb(rig);

	KUNIT_ASSERT_NOT_NULL(rig->test, skb);
	rig_expect_skb(rig, skb);
	return skb;
}

static void rig_put_echo(struct rig *rig, unsigned int idx)
{
	struct sk_buff *skb = rig_make_skb(rig);

	KUNIT_ASSERT_NOT_NULL(rig->test, skb);
	skb->pkt_type = PACKET_LOOPBACK;
	KUNIT_ASSERT_EQ(rig->test, can_put_echo_skb(skb, rig->dev, idx, 0), 0);
}

static void rig_finish_queue(struct rig *rig)
{
	local_bh_disable();
	can_rx_offload_irq_finish(&rig->offload);
	local_bh_enable();
}

static void manual_echo_is_not_received(struct kunit *test)
{
	struct rig *rig = test->priv;
	struct can_rx_offload *offload = &rig->offload;

	rig_put_echo(rig, 1);
	can_rx_offload_queue_tail(offload, rig_expect_new_skb(rig));
	rig_expect_skb(rig, rig->can.echo_skb[1]);
	KUNIT_EXPECT_EQ(test, 5, can_rx_offload_get_echo_skb_queue_tail(offload,
									1,
									NULL));
	can_rx_offload_queue_tail(offload, rig_expect_new_skb(rig));
	rig_finish_queue(rig);
	KUNIT_EXPECT_EQ(test, rig_compare(rig), 3);
	EXPECT_STATS(rig, .rx_packets = 2, .rx_bytes = 10);
}

/* The NAPI poll has not run when the chip is started again. */
static void manual_restart_is_in_order(struct kunit *test)
{
	struct rig *rig = test->priv;

	local_bh_disable();
	can_rx_offload_queue_tail(&rig->offload, rig_expect_new_skb(rig));
	can_rx_offload_queue_tail(&rig->offload, rig_expect_new_skb(rig));
	can_rx_offload_irq_finish(&rig->offload);
	rig_expect(rig, CAN_ERR_FLAG | CAN_ERR_RESTARTED, CAN_ERR_DLC);
	can_rx_offload_restarted(&rig->offload);
	can_rx_offload_queue_tail(&rig->offload, rig_expect_new_skb(rig));
	can_rx_offload_irq_finish(&rig->offload);
	KUNIT_EXPECT_EQ(test, rig->seen_count, 0);
	local_bh_enable();
	KUNIT_EXPECT_EQ(test, rig_compare(rig), 4);
	EXPECT_STATS(rig, .rx_packets = 3, .rx_bytes = 15);
}

/* Without other frames, the restart has to schedule NAPI. */
static void manual_restart_alone(struct kunit *test)
{
	struct rig *rig = test->priv;

	rig_expect(rig, CAN_ERR_FLAG | CAN_ERR_RESTARTED, CAN_ERR_DLC);
	can_rx_offload_restarted(&rig->offload);
	KUNIT_EXPECT_EQ(test, rig_compare(rig), 1);
}

/* The restart would put a frame into the deleted queue. */
static void deleting_cancels_a_restart(struct kunit *test)
{
	struct rig *rig = test->priv;
	struct can_priv *priv = netdev_priv(rig->dev);

	schedule_delayed_work(&priv->restart_work, 3600 * HZ);
	rig_disable(rig);
	can_rx_offload_del(&rig->offload);
	KUNIT_EXPECT_FALSE(test, cancel_delayed_work_sync(&priv->restart_work));
}

static void timestamp_echo_is_not_received(struct kunit *test)
{
	struct rig *rig = test->priv;
	struct can_rx_offload *offload = &rig->offload;
	struct sk_buff *last = rig_make_skb(rig);

	KUNIT_ASSERT_NOT_NULL(test, last);
	rig_put_echo(rig, 0);
	can_rx_offload_queue_timestamp(offload, last, 3);
	rig_expect_skb(rig, rig->can.echo_skb[0]);
	KUNIT_EXPECT_EQ(test, 5,
			can_rx_offload_get_echo_skb_queue_timestamp(offload, 0,
								    1, NULL));
	can_rx_offload_queue_timestamp(offload, rig_expect_new_skb(rig), 2);
	rig_expect_skb(rig, last);
	rig_finish_queue(rig);
	KUNIT_EXPECT_EQ(test, rig_compare(rig), 3);
	EXPECT_STATS(rig, .rx_packets = 2, .rx_bytes = 10);
}

static void mailboxes_are_received(struct kunit *test)
{
	struct rig *rig = test->priv;
	u32 first = rig->number;
	unsigned int i;

	KUNIT_EXPECT_EQ(test, 2,
			can_rx_offload_irq_offload_timestamp(&rig->offload, 5));
	/* generate the same frames again, to compare them */
	rig->number = first;
	for (i = 0; i < 2; i++)
		kfree_skb(rig_expect_new_skb(rig));
	rig_finish_queue(rig);
	KUNIT_EXPECT_EQ(test, rig_compare(rig), 2);
	EXPECT_STATS(rig, .rx_packets = 2, .rx_bytes = 10);
}

static struct kunit_case manual_cases[] = {
	KUNIT_CASE(manual_echo_is_not_received),
	KUNIT_CASE(manual_restart_is_in_order),
	KUNIT_CASE(manual_restart_alone),
	KUNIT_CASE(deleting_cancels_a_restart),
	{}
};

static struct kunit_case timestamp_cases[] = {
	KUNIT_CASE(timestamp_echo_is_not_received),
	KUNIT_CASE(mailboxes_are_received),
	{}
};

static struct kunit_suite manual_suite = {
	.name = "can_rx_offload_manual",
	.init = rig_init_manual,
	.exit = rig_exit,
	.test_cases = manual_cases,
};

static struct kunit_suite timestamp_suite = {
	.name = "can_rx_offload_timestamp",
	.init = rig_init_timestamp,
	.exit = rig_exit,
	.test_cases = timestamp_cases,
};

kunit_test_suites(&ring_suite, &manual_suite, &timestamp_suite);

#ifdef CAN_RX_DIRECT
kunit_test_suite(staged_suite);
#endif

MODULE_DESCRIPTION("KUnit suites of the ring of CAN receive offload");
MODULE_INFO(import_ns, "EXPORTED_FOR_KUNIT_TESTING");
MODULE_LICENSE("GPL");
