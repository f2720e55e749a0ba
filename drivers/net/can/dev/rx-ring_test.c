// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit suite of the ring mode of can_rx_offload, and of what the other modes
 * count.
 *
 * A made-up interface has a chip that is a number of frames. Each test puts
 * entries into the ring and notes what has to come out of it; a packet handler
 * records what does. Most polls are done by hand, so a test says when NAPI has
 * its turn, with which budget, and whether a reader is polling.
 */
#include <kunit/test.h>
#include <linux/can/dev.h>
#include <linux/can/rx-offload.h>
#include <linux/can/rx-ring.h>
#include <linux/completion.h>
#include <linux/debugfs.h>
#include <linux/delay.h>
#include <linux/fault-inject.h>
#include <linux/hrtimer.h>
#include <linux/kthread.h>
#include <linux/netdevice.h>
#include <linux/prandom.h>
#include <net/busy_poll.h>

/* Messages that a test looks at one by one */
#define MOST 2048

#define FRAMES (CAN_RX_RING_SIZE - CAN_RX_RING_RESERVED)
#define RESERVED_EVENTS (CAN_RX_RING_RESERVED - CAN_RX_RING_SLOTS)

#define OVERFLOW (CAN_ERR_FLAG | CAN_ERR_CRTL)

/* What something that is waited for takes at most, if it comes at all */
#define A_WHILE (20 * HZ)

/* Frames of the test with several producers, and the most at a time */
#define MANY 200000
#define BURST 1100
#define TICK_NS (100 * NSEC_PER_USEC)

/**
 * struct message - a frame, an echo or an error frame
 * @id: as in struct can_frame, like @len, @len8_dlc and @data
 * @len: of the data
 * @len8_dlc: raw length code
 * @data: all of it, also where the frame has none
 * @time: its time, or the earliest that it may be
 * @until: the latest that it may be, or 0 if any will do
 * @napi_id: where it came from
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
 * struct rig - an interface, and what is known of it
 * @can: as the interface wants it
 * @offload: under test
 * @ops: of the ring
 * @test: which runs
 * @dev: the interface
 * @handler: gets what is delivered
 * @look: is told of it instead, if it is not NULL
 * @enabled: NAPI may run
 * @number: of the next frame that is made up
 * @send_at: when what is transmitted is to be sent, as some senders say
 * @expected: what has to be delivered
 * @expectations: number of those
 * @seen: what was
 * @sightings: number of those
 * @chip: frames that the chip holds
 * @batch: how many of them ops.read reads at once
 * @reads: calls of ops.read
 * @ready: what ops.ready says
 * @masked: receive interrupts are switched off
 * @masks: how often they were
 * @unmasks: how often they were switched on again
 * @unmasked_at: when that was
 * @unmasked: for who waits for it
 * @last: number of the last frame that @look saw
 * @missing: numbers that it did not see
 * @disorder: numbers that it saw late, or twice, or with other data
 * @reported: it saw an overflow after that
 * @silent: gaps without such a report
 * @filled: all numbers were used
 */
struct rig {
	struct can_priv can;	/* must be the first member */
	struct can_rx_offload offload;
	struct can_rx_ring_ops ops;
	struct kunit *test;
	struct net_device *dev;
	struct packet_type handler;
	void (*look)(struct rig *rig, const struct can_frame *frame);
	bool enabled;
	u32 number;
	ktime_t send_at;
	struct message *expected;
	unsigned int expectations;
	struct message *seen;
	unsigned int sightings;
	unsigned int chip;
	unsigned int batch;
	unsigned int reads;
	bool ready;
	bool masked;
	unsigned int masks;
	unsigned int unmasks;
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

/* What is delivered */

static void note(struct rig *rig, struct sk_buff *skb)
{
	const struct can_frame *frame = (struct can_frame *)skb->data;
	struct message *m = &rig->seen[rig->sightings];

	m->id = frame->can_id;
	m->len = frame->len;
	m->len8_dlc = frame->len8_dlc;
	memcpy(m->data, frame->data, sizeof(m->data));
	m->time = skb_tstamp(skb);
	m->napi_id = skb_napi_id(skb);
}

static int receive(struct sk_buff *skb, struct net_device *dev,
		   struct packet_type *handler, struct net_device *orig_dev)
{
	struct rig *rig = container_of(handler, struct rig, handler);

	if (rig->look) {
		rig->look(rig, (struct can_frame *)skb->data);
	} else {
		if (rig->sightings < MOST)
			note(rig, skb);
		rig->sightings++;
	}
	consume_skb(skb);
	return NET_RX_SUCCESS;
}

static struct message *expect(struct rig *rig, canid_t id, u8 len)
{
	struct message *m = &rig->expected[rig->expectations];

	KUNIT_ASSERT_LT(rig->test, rig->expectations, MOST);
	*m = (struct message){ .id = id, .len = len };
	rig->expectations++;
	return m;
}

static void expect_overflow(struct rig *rig)
{
	expect(rig, OVERFLOW, CAN_ERR_DLC)->data[1] = CAN_ERR_CRTL_RX_OVERFLOW;
}

/* Return: whether they are the same, as far as the time is concerned */
static bool in_time(const struct message *seen, const struct message *expected)
{
	return !expected->until || (seen->time >= expected->time &&
				    seen->time <= expected->until);
}

static bool same(const struct message *seen, const struct message *expected)
{
	return seen->id == expected->id && seen->len == expected->len &&
	       seen->len8_dlc == expected->len8_dlc &&
	       !memcmp(seen->data, expected->data, sizeof(seen->data));
}

/* Compares up to the first difference, and forgets all.
 *
 * Return: number of messages.
 */
static unsigned int compare(struct rig *rig)
{
	unsigned int i, n = rig->sightings;

	KUNIT_EXPECT_EQ(rig->test, rig->sightings, rig->expectations);
	for (i = 0; i < min(rig->expectations, rig->sightings); i++) {
		const struct message *s = &rig->seen[i], *e = &rig->expected[i];

		KUNIT_ASSERT_TRUE_MSG(rig->test, same(s, e),
				      "%u: %08x %u (%u) %8ph instead of %08x %u (%u) %8ph",
				      i, s->id, s->len, s->len8_dlc, s->data,
				      e->id, e->len, e->len8_dlc, e->data);
		KUNIT_ASSERT_TRUE_MSG(rig->test, in_time(s, e),
				      "%u: %lld is not in %lld to %lld",
				      i, s->time, e->time, e->until);
		KUNIT_ASSERT_EQ(rig->test, s->napi_id,
				rig->offload.napi.napi_id);
	}
	rig->sightings = 0;
	rig->expectations = 0;
	return n;
}

static void expect_stat(struct rig *rig, const char *name, unsigned long is,
			unsigned long wanted)
{
	KUNIT_EXPECT_EQ_MSG(rig->test, is, wanted, "%s", name);
}

static void expect_stats(struct rig *rig, const struct net_device_stats *wanted)
{
	const struct net_device_stats *is = &rig->dev->stats;

	expect_stat(rig, "rx_packets", is->rx_packets, wanted->rx_packets);
	expect_stat(rig, "rx_bytes", is->rx_bytes, wanted->rx_bytes);
	expect_stat(rig, "rx_dropped", is->rx_dropped, wanted->rx_dropped);
	expect_stat(rig, "rx_fifo_errors", is->rx_fifo_errors,
		    wanted->rx_fifo_errors);
	expect_stat(rig, "rx_errors", is->rx_errors, wanted->rx_errors);
	expect_stat(rig, "tx_packets", is->tx_packets, wanted->tx_packets);
	expect_stat(rig, "tx_bytes", is->tx_bytes, wanted->tx_bytes);
	expect_stat(rig, "tx_errors", is->tx_errors, wanted->tx_errors);
	expect_stat(rig, "tx_dropped", is->tx_dropped, wanted->tx_dropped);
	expect_stat(rig, "tx_aborted_errors", is->tx_aborted_errors,
		    wanted->tx_aborted_errors);
}

#define EXPECT_STATS(rig, ...) \
	expect_stats(rig, &(struct net_device_stats){ __VA_ARGS__ })

/* What goes in */

static void set_entry(struct can_rx_ring_entry *entry, canid_t id, u8 dlc,
		      const u8 *data)
{
	entry->id = id;
	entry->dlc = dlc;
	memcpy(entry->data, data, sizeof(entry->data));
}

/* With the lock, like an interrupt handler */
static void fill_in_frame(struct rig *rig, struct message *m, canid_t id, u8 dlc,
			  const u8 *data)
{
	struct can_rx_ring_entry *entry;

	m->time = ktime_get_real();
	entry = can_rx_ring_reserve(&rig->offload);
	m->until = ktime_get_real();
	set_entry(entry, id, dlc, data);
	can_rx_ring_commit(&rig->offload, entry);
}

static struct message *expect_frame(struct rig *rig, canid_t id, u8 dlc,
				    const u8 *data)
{
	struct message *m = expect(rig, id, can_cc_dlc2len(dlc));

	if (!(id & CAN_RTR_FLAG))
		memcpy(m->data, data, m->len);
	if (rig->can.ctrlmode & CAN_CTRLMODE_CC_LEN8_DLC && dlc > CAN_MAX_DLEN)
		m->len8_dlc = dlc;
	return m;
}

static void put_frame(struct rig *rig, canid_t id, u8 dlc, const u8 *data)
{
	struct message *m = expect_frame(rig, id, dlc, data);
	unsigned long flags;

	can_rx_ring_lock(&rig->offload, flags);
	fill_in_frame(rig, m, id, dlc, data);
	can_rx_ring_unlock(&rig->offload, flags);
}

/* The next one that is made up; bytes behind the length are not zero. */
static canid_t next_frame(struct rig *rig, u8 *dlc, u8 *data)
{
	u32 n = rig->number++;
	unsigned int i;

	*dlc = n % 9;
	for (i = 0; i < CAN_MAX_DLEN; i++)
		data[i] = n * 8 + i + 1;
	return CAN_EFF_FLAG | (n & CAN_EFF_MASK);
}

static void put_frames(struct rig *rig, unsigned int count)
{
	u8 dlc, data[CAN_MAX_DLEN];
	canid_t id;

	while (count--) {
		id = next_frame(rig, &dlc, data);
		put_frame(rig, id, dlc, data);
	}
}

static void lose_frames(struct rig *rig, unsigned int count)
{
	u8 dlc, data[CAN_MAX_DLEN];
	struct message m;
	unsigned long flags;

	can_rx_ring_lock(&rig->offload, flags);
	while (count--) {
		canid_t id = next_frame(rig, &dlc, data);

		fill_in_frame(rig, &m, id, dlc, data);
	}
	can_rx_ring_unlock(&rig->offload, flags);
}

static void lose_event(struct rig *rig, bool keep)
{
	static const u8 data[CAN_MAX_DLEN];
	unsigned long flags;

	can_rx_ring_lock(&rig->offload, flags);
	can_rx_ring_event(&rig->offload, 0, data, keep);
	can_rx_ring_unlock(&rig->offload, flags);
}

static void put_event(struct rig *rig, bool keep)
{
	u8 dlc, data[CAN_MAX_DLEN];
	canid_t id = next_frame(rig, &dlc, data) & CAN_SFF_MASK;
	struct message *m = expect(rig, CAN_ERR_FLAG | id, CAN_ERR_DLC);
	unsigned long flags;

	memcpy(m->data, data, sizeof(data));
	can_rx_ring_lock(&rig->offload, flags);
	m->time = ktime_get_real();
	can_rx_ring_event(&rig->offload, id, data, keep);
	m->until = ktime_get_real();
	can_rx_ring_unlock(&rig->offload, flags);
}

static void put_events(struct rig *rig, unsigned int count, bool keep)
{
	while (count--)
		put_event(rig, keep);
}

static void note_end_of(struct rig *rig, struct message *m, unsigned int slot,
			bool success)
{
	unsigned long flags;

	can_rx_ring_lock(&rig->offload, flags);
	m->time = ktime_get_real();
	can_rx_ring_sent(&rig->offload, slot, success);
	m->until = ktime_get_real();
	can_rx_ring_unlock(&rig->offload, flags);
}

static void put_sent(struct rig *rig, unsigned int slot)
{
	struct sk_buff *skb = rig->can.echo_skb[slot];
	const struct can_frame *frame = (struct can_frame *)skb->data;
	struct message *m = expect(rig, frame->can_id, frame->len);

	memcpy(m->data, frame->data, frame->len);
	note_end_of(rig, m, slot, true);
}

static void put_not_sent(struct rig *rig, unsigned int slot)
{
	struct message m;

	note_end_of(rig, &m, slot, false);
}

/* Give the chip a frame.
 *
 * Return: its slot.
 */
static unsigned int transmit_frame(struct rig *rig, canid_t id, u8 len,
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
	can_rx_ring_slot_use(&rig->offload);
	return slot;
}

static unsigned int transmit(struct rig *rig)
{
	u8 dlc, data[CAN_MAX_DLEN];
	canid_t id = next_frame(rig, &dlc, data);

	return transmit_frame(rig, id, dlc, data, PACKET_LOOPBACK);
}

/* The turn of NAPI, as the softirq, or as a reader would do it */

static int poll_as(struct rig *rig, int budget, bool busy)
{
	struct napi_struct *napi = &rig->offload.napi;
	int work;

	local_bh_disable();
	set_bit(NAPI_STATE_SCHED, &napi->state);
	if (busy)
		set_bit(NAPI_STATE_IN_BUSY_POLL, &napi->state);
	work = napi->poll(napi, budget);
	clear_bit(NAPI_STATE_IN_BUSY_POLL, &napi->state);
	/* otherwise it is the poll that gives NAPI back */
	if (busy || work >= budget)
		clear_bit(NAPI_STATE_SCHED, &napi->state);
	local_bh_enable();
	KUNIT_EXPECT_LE(rig->test, work, budget);
	return work;
}

static int poll(struct rig *rig, int budget)
{
	return poll_as(rig, budget, false);
}

static int busy_poll(struct rig *rig, int budget)
{
	return poll_as(rig, budget, true);
}

static bool scheduled(struct rig *rig)
{
	return test_bit(NAPI_STATE_SCHED, &rig->offload.napi.state);
}

/* With the weight of the softirq, until there is no more.
 *
 * Return: number of messages.
 */
static unsigned int drain(struct rig *rig)
{
	while (poll(rig, NAPI_POLL_WEIGHT) == NAPI_POLL_WEIGHT)
		;
	KUNIT_EXPECT_FALSE(rig->test, scheduled(rig));
	return compare(rig);
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

/* Frames of the chip are those of put_frames(), but their time is not known. */
static bool rig_read(struct can_rx_offload *offload)
{
	struct rig *rig = rig_of(offload);
	u8 dlc, data[CAN_MAX_DLEN];
	unsigned int left;

	lockdep_assert_held(&offload->ring->lock);
	rig->reads++;
	for (left = rig->batch; left && rig->chip; left--, rig->chip--) {
		canid_t id = next_frame(rig, &dlc, data);
		struct message *m = expect_frame(rig, id, dlc, data);

		fill_in_frame(rig, m, id, dlc, data);
	}
	return rig->chip;
}

static void rig_mask(struct can_rx_offload *offload, bool mask)
{
	struct rig *rig = rig_of(offload);

	lockdep_assert_held(&offload->ring->lock);
	rig->masked = mask;
	if (mask) {
		rig->masks++;
		return;
	}
	rig->unmasks++;
	rig->unmasked_at = ktime_get();
	complete(&rig->unmasked);
}

static bool rig_ready(struct can_rx_offload *offload)
{
	return rig_of(offload)->ready;
}

static const struct can_rx_ring_ops rig_ops = {
	.event = rig_event,
	.read = rig_read,
	.mask = rig_mask,
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

/* Begin and end of a test */

static void rig_enable(struct rig *rig, u64 fill_ns)
{
	if (rig->enabled)
		can_rx_ring_disable(&rig->offload);
	can_rx_ring_enable(&rig->offload, fill_ns);
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

static struct rig *alloc_rig(struct kunit *test, unsigned int echo_skb_max)
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
	rig->batch = MOST;
	init_completion(&rig->unmasked);
	init_completion(&rig->filled);
	rig->handler.type = htons(ETH_P_CAN);
	rig->handler.dev = dev;
	rig->handler.func = receive;
	return rig;
}

static void free_rig(struct rig *rig)
{
	can_rx_offload_del(&rig->offload);
	free_candev(rig->dev);
}

static int register_rig(struct kunit *test, struct rig *rig)
{
	int err;

	rig->expected = kunit_kcalloc(test, MOST, sizeof(*rig->expected),
				      GFP_KERNEL);
	rig->seen = kunit_kcalloc(test, MOST, sizeof(*rig->seen), GFP_KERNEL);
	if (!rig->expected || !rig->seen)
		return -ENOMEM;
	err = register_candev(rig->dev);
	if (err)
		return err;
	dev_add_pack(&rig->handler);
	test->priv = rig;
	return 0;
}

static int ring_init(struct kunit *test)
{
	struct rig *rig = alloc_rig(test, CAN_RX_RING_SLOTS);
	int err;

	if (!rig)
		return -ENOMEM;
	err = can_rx_offload_add_ring(rig->dev, &rig->offload, &rig->ops);
	if (err) {
		free_candev(rig->dev);
		return err;
	}
	err = register_rig(test, rig);
	if (err)
		free_rig(rig);
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
	free_rig(rig);
}

/* Where the indices begin: they have to get over the end of their range. */
static const unsigned int starts[] = {
	0, UINT_MAX, UINT_MAX - 9, UINT_MAX - 500, UINT_MAX - 1000, INT_MAX,
};

static void start_name(const unsigned int *start, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "from %u", *start);
}

KUNIT_ARRAY_PARAM(starts, starts, start_name);

/* NAPI is not scheduled, and nobody else is there. */
static struct rig *begin(struct kunit *test)
{
	const unsigned int *start = test->param_value;
	struct rig *rig = test->priv;
	struct can_rx_ring *ring = rig->offload.ring;

	if (!start)
		return rig;
	ring->head = *start;
	ring->tail = *start;
	ring->tx_head = *start;
	ring->tx_tail = *start;
	ring->lost = *start;
	ring->reported = *start;
	return rig;
}

/* Order, contents and time */

static void keeps_order(struct kunit *test)
{
	struct rig *rig = begin(test);
	unsigned int slot;
	int i;

	for (i = 0; i < 40; i++) {
		put_frames(rig, i % 3);
		slot = transmit(rig);
		put_event(rig, i % 2);
		put_sent(rig, slot);
		put_frames(rig, 1);
		if (i % 8 == 7)
			drain(rig);
	}
	KUNIT_EXPECT_EQ(test, rig->dev->stats.tx_packets, 40);
}

static void restart_is_in_order(struct kunit *test)
{
	struct rig *rig = begin(test);
	struct message *m;

	put_frames(rig, 2);
	m = expect(rig, CAN_ERR_FLAG | CAN_ERR_RESTARTED, CAN_ERR_DLC);
	/* NAPI has its turn before the restart returns */
	local_bh_disable();
	m->time = ktime_get_real();
	can_rx_offload_restarted(&rig->offload);
	m->until = ktime_get_real();
	put_frames(rig, 2);
	KUNIT_EXPECT_EQ(test, rig->sightings, 0);
	local_bh_enable();
	KUNIT_EXPECT_EQ(test, compare(rig), 5);
}

static const canid_t id_kinds[] = {
	0, 1, CAN_SFF_MASK, CAN_EFF_FLAG, CAN_EFF_FLAG | CAN_EFF_MASK,
	CAN_RTR_FLAG | 0x123, CAN_EFF_FLAG | CAN_RTR_FLAG | 0x12345678,
};

static unsigned int put_all_kinds(struct rig *rig)
{
	static const u8 data[CAN_MAX_DLEN] = { 0xff, 1, 2, 3, 4, 5, 6, 0x80 };
	unsigned int i, dlc, bytes = 0;

	for (i = 0; i < ARRAY_SIZE(id_kinds); i++) {
		for (dlc = 0; dlc <= CAN_MAX_RAW_DLC; dlc++) {
			put_frame(rig, id_kinds[i], dlc, data);
			if (!(id_kinds[i] & CAN_RTR_FLAG))
				bytes += min_t(u32, dlc, CAN_MAX_DLEN);
		}
	}
	return bytes;
}

static void frames_of_all_kinds(struct kunit *test)
{
	struct rig *rig = begin(test);
	unsigned int n = ARRAY_SIZE(id_kinds) * (CAN_MAX_RAW_DLC + 1);
	unsigned int bytes = put_all_kinds(rig);

	KUNIT_EXPECT_EQ(test, drain(rig), n);
	EXPECT_STATS(rig, .rx_packets = n, .rx_bytes = bytes);

	rig->can.ctrlmode |= CAN_CTRLMODE_CC_LEN8_DLC;
	bytes += put_all_kinds(rig);
	KUNIT_EXPECT_EQ(test, drain(rig), n);
	EXPECT_STATS(rig, .rx_packets = 2 * n, .rx_bytes = bytes);
}

/* Each place of the ring has a longer frame before, none of which must show. */
static void frames_leave_nothing(struct kunit *test)
{
	static const u8 ones[CAN_MAX_DLEN] = { [0 ... 7] = 0xff };
	struct rig *rig = begin(test);
	unsigned int i;

	for (i = 0; i < CAN_RX_RING_SIZE; i++) {
		put_frame(rig, CAN_EFF_FLAG | i, 15, ones);
		if (i % 512 == 511)
			drain(rig);
	}
	for (i = 0; i < CAN_RX_RING_SIZE; i++) {
		put_frame(rig, i % 3 ? i : i | CAN_RTR_FLAG, i % 8, ones);
		if (i % 512 == 511)
			drain(rig);
	}
}

/* The poll is late: its time must not be that of what it delivers. */
static void time_is_of_the_interrupt(struct kunit *test)
{
	struct rig *rig = begin(test);
	struct can_rx_ring_entry *entry;
	unsigned long flags;
	unsigned int slot;
	ktime_t time;

	put_frames(rig, 1);
	slot = transmit(rig);
	fsleep(2000);
	put_sent(rig, slot);
	put_event(rig, true);
	fsleep(2000);
	/* reading a slow chip does not make a frame younger */
	can_rx_ring_lock(&rig->offload, flags);
	entry = can_rx_ring_reserve(&rig->offload);
	time = entry->time;
	while (ktime_get_real() < ktime_add_us(time, 50))
		cpu_relax();
	set_entry(entry, 1, 0, entry->data);
	can_rx_ring_commit(&rig->offload, entry);
	can_rx_ring_unlock(&rig->offload, flags);
	expect(rig, 1, 0)->until = time;
	rig->expected[3].time = time;
	fsleep(2000);
	KUNIT_EXPECT_EQ(test, drain(rig), 4);
}

/* The time of an echo is when it was sent, not when it was to be. */
static void echo_of_a_timed_frame(struct kunit *test)
{
	struct rig *rig = begin(test);

	rig->send_at = 1;
	put_sent(rig, transmit(rig));
	KUNIT_EXPECT_EQ(test, drain(rig), 1);
}

/* Room */

static void overflow_in_one_poll(struct kunit *test)
{
	struct rig *rig = begin(test);

	put_frames(rig, FRAMES);
	lose_frames(rig, 1);
	expect_overflow(rig);
	KUNIT_EXPECT_EQ(test, poll(rig, CAN_RX_RING_SIZE), FRAMES);
	KUNIT_EXPECT_EQ(test, compare(rig), FRAMES + 1);
	KUNIT_EXPECT_EQ(test, rig->dev->stats.rx_dropped, 1);
	KUNIT_EXPECT_EQ(test, rig->dev->stats.rx_fifo_errors, 1);

	/* the next one is another overflow, and there is room for as many */
	put_frames(rig, FRAMES);
	lose_frames(rig, 7);
	expect_overflow(rig);
	KUNIT_EXPECT_EQ(test, poll(rig, CAN_RX_RING_SIZE), FRAMES);
	KUNIT_EXPECT_EQ(test, compare(rig), FRAMES + 1);
	KUNIT_EXPECT_EQ(test, rig->dev->stats.rx_packets, 2 * FRAMES);
	KUNIT_EXPECT_EQ(test, rig->dev->stats.rx_dropped, 8);
	KUNIT_EXPECT_EQ(test, rig->dev->stats.rx_fifo_errors, 8);

	/* and none is reported twice */
	put_frames(rig, 3);
	KUNIT_EXPECT_EQ(test, drain(rig), 3);
	KUNIT_EXPECT_EQ(test, rig->dev->stats.rx_dropped, 8);
}

/* The report is behind the frames that came before, however many polls they take,
 * and before those that came after.
 */
static void overflow_is_in_order(struct kunit *test)
{
	struct rig *rig = begin(test);

	put_frames(rig, FRAMES);
	lose_frames(rig, 5);
	expect_overflow(rig);
	KUNIT_EXPECT_EQ(test, poll(rig, NAPI_POLL_WEIGHT), NAPI_POLL_WEIGHT);
	put_frames(rig, NAPI_POLL_WEIGHT);
	lose_frames(rig, 2);
	expect_overflow(rig);
	KUNIT_EXPECT_EQ(test, drain(rig), FRAMES + NAPI_POLL_WEIGHT + 2);
	KUNIT_EXPECT_EQ(test, rig->dev->stats.rx_dropped, 7);
	KUNIT_EXPECT_EQ(test, rig->dev->stats.rx_fifo_errors, 7);
}

static void events_may_get_lost(struct kunit *test)
{
	struct rig *rig = begin(test);

	put_frames(rig, FRAMES - 1);
	put_event(rig, false);
	lose_event(rig, false);
	lose_frames(rig, 1);
	expect_overflow(rig);
	poll(rig, CAN_RX_RING_SIZE);
	KUNIT_EXPECT_EQ(test, compare(rig), FRAMES + 1);
	KUNIT_EXPECT_EQ(test, rig->dev->stats.rx_dropped, 2);
}

/* With all that can be kept, the ring is full to the last entry. */
static void room_for_what_is_kept(struct kunit *test)
{
	struct rig *rig = begin(test);
	unsigned int i, slots[CAN_RX_RING_SLOTS];

	for (i = 0; i < CAN_RX_RING_SLOTS; i++)
		slots[i] = transmit(rig);
	put_frames(rig, FRAMES);
	put_events(rig, RESERVED_EVENTS, true);
	for (i = 0; i < CAN_RX_RING_SLOTS; i++)
		put_sent(rig, slots[i]);
	lose_frames(rig, 1);
	lose_event(rig, false);
	lose_event(rig, true);
	expect_overflow(rig);
	KUNIT_EXPECT_EQ(test, poll(rig, 2 * CAN_RX_RING_SIZE), CAN_RX_RING_SIZE);
	KUNIT_EXPECT_EQ(test, compare(rig), CAN_RX_RING_SIZE + 1);
	KUNIT_EXPECT_EQ(test, rig->dev->stats.tx_packets, CAN_RX_RING_SLOTS);
	KUNIT_EXPECT_EQ(test, rig->dev->stats.rx_dropped, 3);
}

/* Events that are kept, and restarts, leave room for what is sent. */
static void events_leave_room(struct kunit *test)
{
	struct rig *rig = begin(test);
	unsigned int slot = transmit(rig);

	put_frames(rig, FRAMES);
	put_events(rig, RESERVED_EVENTS, true);
	lose_event(rig, true);
	expect_overflow(rig);
	/* NAPI is kept from its turn by a poll that goes on */
	set_bit(NAPI_STATE_SCHED, &rig->offload.napi.state);
	can_rx_ring_restarted(&rig->offload);
	poll(rig, 2 * CAN_RX_RING_SIZE);
	compare(rig);
	KUNIT_EXPECT_EQ(test, rig->dev->stats.rx_dropped, 2);
	put_sent(rig, slot);
	KUNIT_EXPECT_EQ(test, drain(rig), 1);
}

/* Entries that take the place of others do so one by one. */
static void room_comes_back(struct kunit *test)
{
	struct rig *rig = begin(test);
	int i;

	put_frames(rig, FRAMES);
	for (i = 1; i < 20; i++) {
		KUNIT_EXPECT_EQ(test, poll(rig, i), i);
		put_frames(rig, i);
	}
	KUNIT_EXPECT_EQ(test, drain(rig), FRAMES + 19 * 20 / 2);
	KUNIT_EXPECT_EQ(test, rig->dev->stats.rx_dropped, 0);
}

static void says_whether_there_is_room(struct kunit *test)
{
	struct rig *rig = begin(test);

	KUNIT_EXPECT_TRUE(test, can_rx_ring_room(&rig->offload, FRAMES));
	KUNIT_EXPECT_FALSE(test, can_rx_ring_room(&rig->offload, FRAMES + 1));
	put_frames(rig, FRAMES - 10);
	KUNIT_EXPECT_TRUE(test, can_rx_ring_room(&rig->offload, 10));
	KUNIT_EXPECT_FALSE(test, can_rx_ring_room(&rig->offload, 11));
	put_frames(rig, 10);
	KUNIT_EXPECT_FALSE(test, can_rx_ring_room(&rig->offload, 1));
	put_events(rig, 1, true);
	KUNIT_EXPECT_FALSE(test, can_rx_ring_room(&rig->offload, 1));
	KUNIT_EXPECT_EQ(test, poll(rig, 3), 3);
	KUNIT_EXPECT_TRUE(test, can_rx_ring_room(&rig->offload, 2));
	KUNIT_EXPECT_FALSE(test, can_rx_ring_room(&rig->offload, 3));
	KUNIT_EXPECT_EQ(test, drain(rig), FRAMES + 1);
	KUNIT_EXPECT_EQ(test, rig->dev->stats.rx_dropped, 0);
}

static void interrupt_event(struct can_rx_offload *offload,
			    const struct can_rx_ring_entry *entry)
{
	struct rig *rig = rig_of(offload);

	rig->ops.event = rig_event;
	lose_frames(rig, 1);
	rig_event(offload, entry);
}

/* An interrupt comes while NAPI is looking at the entry. */
static void entry_is_read_before_it_is_free(struct kunit *test)
{
	struct rig *rig = begin(test);

	rig->ops.event = interrupt_event;
	put_event(rig, false);
	put_frames(rig, FRAMES - 1);
	expect_overflow(rig);
	poll(rig, CAN_RX_RING_SIZE);
	/* the interrupt has scheduled NAPI again */
	KUNIT_EXPECT_EQ(test, poll(rig, CAN_RX_RING_SIZE), 0);
	KUNIT_EXPECT_EQ(test, compare(rig), FRAMES + 1);
	KUNIT_EXPECT_EQ(test, rig->dev->stats.rx_dropped, 1);
}

/* Counters */

static void counts(struct kunit *test)
{
	static const u8 data[CAN_MAX_DLEN] = { 1, 2, 3, 4, 5, 6, 7, 8 };
	struct rig *rig = begin(test);

	put_frame(rig, 0x1, 8, data);
	put_frame(rig, 0x2, 12, data);
	put_frame(rig, 0x3 | CAN_RTR_FLAG, 5, data);
	put_event(rig, true);
	drain(rig);
	EXPECT_STATS(rig, .rx_packets = 3, .rx_bytes = 16);

	put_sent(rig, transmit_frame(rig, 0x4, 5, data, PACKET_LOOPBACK));
	put_sent(rig, transmit_frame(rig, 0x5 | CAN_RTR_FLAG, 3, data,
				     PACKET_LOOPBACK));
	drain(rig);
	EXPECT_STATS(rig, .rx_packets = 3, .rx_bytes = 16,
		     .tx_packets = 2, .tx_bytes = 5);

	put_not_sent(rig, transmit(rig));
	drain(rig);
	EXPECT_STATS(rig, .rx_packets = 3, .rx_bytes = 16,
		     .tx_packets = 2, .tx_bytes = 5, .tx_errors = 1);
}

/* An echo that nobody wants is a transmission as well. */
static void counts_what_is_not_echoed(struct kunit *test)
{
	static const u8 data[CAN_MAX_DLEN] = { 1 };
	struct rig *rig = begin(test);
	unsigned int slot = transmit_frame(rig, 0x4, 1, data, PACKET_HOST);
	struct message m;

	note_end_of(rig, &m, slot, true);
	KUNIT_EXPECT_EQ(test, drain(rig), 0);
	EXPECT_STATS(rig, .tx_packets = 1, .tx_bytes = 1);
	KUNIT_EXPECT_NULL(test, rig->can.echo_skb[slot]);
}

/* Slots */

static unsigned int first_slot(struct rig *rig)
{
	return rig->offload.ring->tx_head % CAN_RX_RING_SLOTS;
}

static void use_all_slots(struct rig *rig)
{
	unsigned int i, first = first_slot(rig);

	for (i = 0; i < CAN_RX_RING_SLOTS; i++) {
		KUNIT_EXPECT_FALSE(rig->test, netif_queue_stopped(rig->dev));
		KUNIT_EXPECT_EQ(rig->test, transmit(rig),
				(first + i) % CAN_RX_RING_SLOTS);
	}
	KUNIT_EXPECT_TRUE(rig->test, netif_queue_stopped(rig->dev));
}

static void slots_are_used_in_order(struct kunit *test)
{
	struct rig *rig = begin(test);
	unsigned int i, slot = first_slot(rig);

	rig->ready = true;
	use_all_slots(rig);
	for (i = 0; i < 3 * CAN_RX_RING_SLOTS; i++) {
		/* it is sent, but nobody has been told */
		put_sent(rig, slot);
		can_rx_ring_wake(&rig->offload);
		KUNIT_EXPECT_TRUE(test, netif_queue_stopped(rig->dev));
		KUNIT_EXPECT_EQ(test, drain(rig), 1);
		KUNIT_EXPECT_FALSE(test, netif_queue_stopped(rig->dev));
		KUNIT_EXPECT_EQ(test, transmit(rig), slot);
		KUNIT_EXPECT_TRUE(test, netif_queue_stopped(rig->dev));
		slot = (slot + 1) % CAN_RX_RING_SLOTS;
	}
	KUNIT_EXPECT_EQ(test, rig->dev->stats.tx_packets, 3 * CAN_RX_RING_SLOTS);
}

/* NAPI has freed a slot, and the chip has no room: its interrupt wakes. */
static void wakes_for_a_chip_that_is_ready(struct kunit *test)
{
	struct rig *rig = begin(test);
	unsigned int slot = first_slot(rig);

	use_all_slots(rig);
	put_sent(rig, slot);
	drain(rig);
	KUNIT_EXPECT_TRUE(test, netif_queue_stopped(rig->dev));
	can_rx_ring_wake(&rig->offload);
	KUNIT_EXPECT_TRUE(test, netif_queue_stopped(rig->dev));
	rig->ready = true;
	can_rx_ring_wake(&rig->offload);
	KUNIT_EXPECT_FALSE(test, netif_queue_stopped(rig->dev));
}

/* A frame that was not sent makes room like one that was. */
static void wakes_after_failure(struct kunit *test)
{
	struct rig *rig = begin(test);
	unsigned int slot = first_slot(rig);

	rig->ready = true;
	use_all_slots(rig);
	put_not_sent(rig, slot);
	KUNIT_EXPECT_EQ(test, drain(rig), 0);
	KUNIT_EXPECT_NULL(test, rig->can.echo_skb[slot]);
	KUNIT_EXPECT_FALSE(test, netif_queue_stopped(rig->dev));
	KUNIT_EXPECT_EQ(test, transmit(rig), slot);
	EXPECT_STATS(rig, .tx_errors = 1);
}

/* A driver that has a room of its own stops the queue while slots are free. */
static void wakes_while_slots_are_free(struct kunit *test)
{
	struct rig *rig = begin(test);
	unsigned int slot = transmit(rig);

	netif_stop_queue(rig->dev);
	put_sent(rig, slot);
	drain(rig);
	KUNIT_EXPECT_TRUE(test, netif_queue_stopped(rig->dev));
	rig->ready = true;
	can_rx_ring_wake(&rig->offload);
	KUNIT_EXPECT_FALSE(test, netif_queue_stopped(rig->dev));
}

/* A chip that is reset gives up what it was to send, all of it. */
static void aborted_transmissions(struct kunit *test)
{
	struct rig *rig = begin(test);
	unsigned int i, first = first_slot(rig);
	unsigned long flags;

	rig->ready = true;
	use_all_slots(rig);
	can_rx_ring_lock(&rig->offload, flags);
	for (i = 0; i < CAN_RX_RING_SLOTS; i++)
		can_rx_ring_aborted(&rig->offload,
				    (first + i) % CAN_RX_RING_SLOTS);
	can_rx_ring_unlock(&rig->offload, flags);
	KUNIT_EXPECT_EQ(test, drain(rig), 0);
	for (i = 0; i < CAN_RX_RING_SLOTS; i++)
		KUNIT_EXPECT_NULL(test, rig->can.echo_skb[i]);
	EXPECT_STATS(rig, .tx_dropped = CAN_RX_RING_SLOTS,
		     .tx_aborted_errors = CAN_RX_RING_SLOTS);
	KUNIT_EXPECT_FALSE(test, netif_queue_stopped(rig->dev));
	use_all_slots(rig);
}

/* A queue that was woken too early is stopped again, and woken in time. */
static void sends_only_with_room(struct kunit *test)
{
	struct rig *rig = begin(test);

	rig->ready = true;
	KUNIT_EXPECT_FALSE(test, can_rx_ring_tx_busy(&rig->offload));
	rig->ready = false;
	KUNIT_EXPECT_TRUE(test, can_rx_ring_tx_busy(&rig->offload));
	KUNIT_EXPECT_TRUE(test, netif_queue_stopped(rig->dev));
	rig->ready = true;
	can_rx_ring_wake(&rig->offload);
	KUNIT_EXPECT_FALSE(test, netif_queue_stopped(rig->dev));
	use_all_slots(rig);
	KUNIT_EXPECT_TRUE(test, can_rx_ring_tx_busy(&rig->offload));
	KUNIT_EXPECT_TRUE(test, netif_queue_stopped(rig->dev));
}

/* Polls */

static void respects_budget(struct kunit *test)
{
	struct rig *rig = begin(test);

	put_frames(rig, 10);
	KUNIT_EXPECT_EQ(test, poll(rig, 1), 1);
	KUNIT_EXPECT_EQ(test, rig->sightings, 1);
	KUNIT_EXPECT_EQ(test, poll(rig, 4), 4);
	KUNIT_EXPECT_EQ(test, rig->sightings, 5);
	put_events(rig, 2, true);
	KUNIT_EXPECT_EQ(test, poll(rig, 7), 7);
	KUNIT_EXPECT_EQ(test, rig->sightings, 12);
	KUNIT_EXPECT_EQ(test, poll(rig, 7), 0);
	KUNIT_EXPECT_FALSE(test, scheduled(rig));
	compare(rig);
}

/* With all of the budget used NAPI goes on; with less it ends. */
static void completes(struct kunit *test)
{
	struct rig *rig = begin(test);
	struct napi_struct *napi = &rig->offload.napi;

	put_frames(rig, 4);
	local_bh_disable();
	set_bit(NAPI_STATE_SCHED, &napi->state);
	KUNIT_EXPECT_EQ(test, napi->poll(napi, 4), 4);
	KUNIT_EXPECT_TRUE(test, scheduled(rig));
	KUNIT_EXPECT_EQ(test, napi->poll(napi, 4), 0);
	KUNIT_EXPECT_FALSE(test, scheduled(rig));
	local_bh_enable();
	compare(rig);
}

/* NAPI of a reader belongs to it, even if there is nothing. */
static void reader_keeps_napi(struct kunit *test)
{
	struct rig *rig = begin(test);
	struct napi_struct *napi = &rig->offload.napi;

	local_bh_disable();
	set_bit(NAPI_STATE_SCHED, &napi->state);
	set_bit(NAPI_STATE_IN_BUSY_POLL, &napi->state);
	KUNIT_EXPECT_EQ(test, napi->poll(napi, 8), 0);
	KUNIT_EXPECT_TRUE(test, scheduled(rig));
	clear_bit(NAPI_STATE_IN_BUSY_POLL, &napi->state);
	KUNIT_EXPECT_EQ(test, napi->poll(napi, 8), 0);
	KUNIT_EXPECT_FALSE(test, scheduled(rig));
	local_bh_enable();
}

static void finish(struct rig *rig, unsigned int frames)
{
	unsigned long flags;

	put_frames(rig, frames);
	can_rx_ring_lock(&rig->offload, flags);
	KUNIT_EXPECT_EQ(rig->test, can_rx_ring_finish(&rig->offload, flags),
			IRQ_HANDLED);
}

static void finish_schedules(struct kunit *test)
{
	struct rig *rig = begin(test);

	local_bh_disable();
	finish(rig, 0);
	KUNIT_EXPECT_FALSE(test, scheduled(rig));
	finish(rig, 3);
	KUNIT_EXPECT_TRUE(test, scheduled(rig));
	KUNIT_EXPECT_EQ(test, rig->sightings, 0);
	local_bh_enable();
	KUNIT_EXPECT_EQ(test, compare(rig), 3);
	KUNIT_EXPECT_FALSE(test, scheduled(rig));

	/* once is enough */
	local_bh_disable();
	finish(rig, 0);
	KUNIT_EXPECT_FALSE(test, scheduled(rig));
	local_bh_enable();
}

/* A loss is something to tell, too. */
static void finish_schedules_for_a_loss(struct kunit *test)
{
	struct rig *rig = begin(test);
	unsigned long flags;

	put_frames(rig, FRAMES);
	can_rx_ring_lock(&rig->offload, flags);
	rig->offload.ring->filled = false;
	can_rx_ring_unlock(&rig->offload, flags);
	lose_frames(rig, 1);
	expect_overflow(rig);
	local_bh_disable();
	finish(rig, 0);
	KUNIT_EXPECT_TRUE(test, scheduled(rig));
	local_bh_enable();
	drain(rig);
	KUNIT_EXPECT_EQ(test, rig->dev->stats.rx_dropped, 1);
}

static void kick_schedules(struct kunit *test)
{
	struct rig *rig = begin(test);

	put_frames(rig, 3);
	can_rx_ring_kick(&rig->offload);
	KUNIT_EXPECT_EQ(test, compare(rig), 3);
}

/* An entry that comes while NAPI is about to end makes it go on. */
static void nothing_is_forgotten(struct kunit *test)
{
	struct rig *rig = begin(test);
	struct napi_struct *napi = &rig->offload.napi;

	local_bh_disable();
	set_bit(NAPI_STATE_SCHED, &napi->state);
	finish(rig, 3);
	KUNIT_EXPECT_EQ(test, napi->poll(napi, 8), 3);
	KUNIT_EXPECT_TRUE(test, scheduled(rig));
	local_bh_enable();
	KUNIT_EXPECT_FALSE(test, scheduled(rig));
	compare(rig);
}

static void reader_reads_the_chip(struct kunit *test)
{
	struct rig *rig = begin(test);

	/* not before the ring is empty */
	put_frames(rig, 10);
	rig->chip = 4;
	KUNIT_EXPECT_EQ(test, busy_poll(rig, 8), 8);
	KUNIT_EXPECT_EQ(test, rig->reads, 0);
	KUNIT_EXPECT_EQ(test, busy_poll(rig, 8), 6);
	KUNIT_EXPECT_EQ(test, rig->reads, 1);
	KUNIT_EXPECT_EQ(test, compare(rig), 14);

	/* what the budget does not allow is for the next poll */
	rig->chip = 12;
	KUNIT_EXPECT_EQ(test, busy_poll(rig, 8), 8);
	KUNIT_EXPECT_EQ(test, rig->reads, 2);
	rig->chip = 1;
	KUNIT_EXPECT_EQ(test, busy_poll(rig, 8), 5);
	KUNIT_EXPECT_EQ(test, rig->reads, 3);
	KUNIT_EXPECT_EQ(test, compare(rig), 13);

	/* also if some of it was for the ring */
	put_frames(rig, 5);
	rig->chip = 6;
	KUNIT_EXPECT_EQ(test, busy_poll(rig, 8), 8);
	KUNIT_EXPECT_EQ(test, busy_poll(rig, 8), 3);
	KUNIT_EXPECT_EQ(test, compare(rig), 11);
	KUNIT_EXPECT_EQ(test, rig->dev->stats.rx_packets, 38);
}

/* A few frames each time, until there are no more, or as many as it may deliver. */
static void reader_reads_in_batches(struct kunit *test)
{
	struct rig *rig = begin(test);

	rig->batch = 2;
	rig->chip = 5;
	KUNIT_EXPECT_EQ(test, busy_poll(rig, 8), 5);
	KUNIT_EXPECT_EQ(test, rig->reads, 3);
	rig->chip = 21;
	KUNIT_EXPECT_EQ(test, busy_poll(rig, 8), 8);
	KUNIT_EXPECT_EQ(test, rig->reads, 3 + 4);
	KUNIT_EXPECT_EQ(test, rig->chip, 21 - 8);
	KUNIT_EXPECT_EQ(test, busy_poll(rig, 64), 21 - 8);
	KUNIT_EXPECT_EQ(test, rig->reads, 3 + 4 + 7);

	/* those that wait in the ring are among those that it may deliver */
	put_frames(rig, 5);
	rig->chip = 4;
	KUNIT_EXPECT_EQ(test, busy_poll(rig, 7), 7);
	KUNIT_EXPECT_EQ(test, rig->chip, 2);
	KUNIT_EXPECT_EQ(test, compare(rig), 5 + 21 + 5 + 2);
	rig->chip = 0;
}

static void others_do_not_read_it(struct kunit *test)
{
	struct rig *rig = begin(test);

	rig->chip = 4;
	put_frames(rig, 2);
	KUNIT_EXPECT_EQ(test, drain(rig), 2);
	KUNIT_EXPECT_EQ(test, poll(rig, 8), 0);
	KUNIT_EXPECT_EQ(test, rig->reads, 0);

	/* nor does a reader if the driver cannot */
	rig->ops.read = NULL;
	put_frames(rig, 2);
	KUNIT_EXPECT_EQ(test, busy_poll(rig, 8), 2);
	KUNIT_EXPECT_EQ(test, compare(rig), 2);
}

/* What a poll has read and delivered is no reason to schedule NAPI. */
static void reading_does_not_schedule(struct kunit *test)
{
	struct rig *rig = begin(test);

	rig->chip = 4;
	KUNIT_EXPECT_EQ(test, busy_poll(rig, 8), 4);
	local_bh_disable();
	finish(rig, 0);
	KUNIT_EXPECT_FALSE(test, scheduled(rig));
	local_bh_enable();
	compare(rig);
}

/* What is lost while a poll reads the chip is reported by it. */
static void reader_reports_loss(struct kunit *test)
{
	struct rig *rig = begin(test);

	put_frames(rig, FRAMES);
	lose_frames(rig, 2);
	expect_overflow(rig);
	KUNIT_EXPECT_EQ(test, busy_poll(rig, 2 * CAN_RX_RING_SIZE), FRAMES);
	KUNIT_EXPECT_EQ(test, compare(rig), FRAMES + 1);
	KUNIT_EXPECT_EQ(test, rig->dev->stats.rx_dropped, 2);
}

/* Receive interrupts */

#define LONG_NS (100 * NSEC_PER_SEC)

/* As user space sets it for readers that want interrupts to be off */
static struct rig *begin_pauses(struct kunit *test, u64 fill_ns, u64 timeout_ns)
{
	struct rig *rig = begin(test);

	rig_enable(rig, fill_ns);
	WRITE_ONCE(rig->dev->napi_defer_hard_irqs, 1);
	WRITE_ONCE(rig->dev->gro_flush_timeout, timeout_ns);
	return rig;
}

static void expect_masked(struct rig *rig, bool masked, unsigned int masks,
			  unsigned int unmasks)
{
	KUNIT_EXPECT_EQ(rig->test, rig->masked, masked);
	KUNIT_EXPECT_EQ(rig->test, rig->masks, masks);
	KUNIT_EXPECT_EQ(rig->test, rig->unmasks, unmasks);
}

static void masks_once(struct kunit *test)
{
	struct rig *rig = begin_pauses(test, LONG_NS, LONG_NS / 10);

	expect_masked(rig, false, 0, 0);
	busy_poll(rig, 8);
	expect_masked(rig, true, 1, 0);
	busy_poll(rig, 8);
	put_frames(rig, 4);
	busy_poll(rig, 8);
	expect_masked(rig, true, 1, 0);
	compare(rig);
}

/* Interrupts that are masked after the chip is read, or by a poll that does not
 * read it, could keep a frame in the chip.
 */
static bool read_unmasked(struct can_rx_offload *offload)
{
	struct rig *rig = rig_of(offload);

	if (!rig->masked)
		rig->disorder++;
	return rig_read(offload);
}

static void masks_before_it_reads(struct kunit *test)
{
	struct rig *rig = begin_pauses(test, LONG_NS, LONG_NS / 10);

	rig->ops.read = read_unmasked;
	put_frames(rig, 8);
	busy_poll(rig, 8);
	expect_masked(rig, false, 0, 0);
	rig->chip = 1;
	busy_poll(rig, 8);
	expect_masked(rig, true, 1, 0);
	KUNIT_EXPECT_EQ(test, rig->disorder, 0);
	compare(rig);
}

static void does_not_mask(struct rig *rig, u64 timeout_ns, u32 defer)
{
	WRITE_ONCE(rig->dev->napi_defer_hard_irqs, defer);
	WRITE_ONCE(rig->dev->gro_flush_timeout, timeout_ns);
	busy_poll(rig, 8);
	expect_masked(rig, false, 0, 0);
}

static void masks_only_if_it_may(struct kunit *test)
{
	struct rig *rig = begin_pauses(test, LONG_NS, LONG_NS / 10);

	/* the softirq does not */
	poll(rig, 8);
	expect_masked(rig, false, 0, 0);
	/* nobody would poll */
	does_not_mask(rig, 0, 1);
	does_not_mask(rig, LONG_NS / 10, 0);
	/* or too late */
	does_not_mask(rig, LONG_NS, 1);
	does_not_mask(rig, LONG_NS + 1, 1);
	/* the driver does not know how long */
	rig_enable(rig, 0);
	does_not_mask(rig, 1, 1);
	/* or cannot */
	rig_enable(rig, LONG_NS);
	rig->ops.mask = NULL;
	does_not_mask(rig, LONG_NS / 10, 1);
	rig->ops.mask = rig_mask;
	does_not_mask(rig, LONG_NS, 1);
	KUNIT_EXPECT_EQ(test, rig->reads, 7);
}

static void unmasks_if_it_may_no_more(struct kunit *test)
{
	struct rig *rig = begin_pauses(test, LONG_NS, LONG_NS / 10);

	busy_poll(rig, 8);
	expect_masked(rig, true, 1, 0);
	WRITE_ONCE(rig->dev->gro_flush_timeout, 0);
	busy_poll(rig, 8);
	expect_masked(rig, false, 1, 1);
}

/* If no timer is armed for the next poll, this was the last one. */
static void unmasks_when_napi_completes(struct kunit *test)
{
	struct rig *rig = begin_pauses(test, LONG_NS, LONG_NS / 10);

	busy_poll(rig, 8);
	expect_masked(rig, true, 1, 0);
	poll(rig, 8);
	KUNIT_EXPECT_FALSE(test, hrtimer_active(&rig->offload.napi.timer));
	expect_masked(rig, false, 1, 1);
	/* and nobody does it twice */
	poll(rig, 8);
	expect_masked(rig, false, 1, 1);
}

/* The reader may come back before the timer; then nothing has to change. */
static void next_poll_unmasks(struct kunit *test)
{
	struct rig *rig = begin_pauses(test, LONG_NS, LONG_NS / 10);

	busy_poll(rig, 8);
	put_frames(rig, 1);
	poll(rig, 8);
	KUNIT_EXPECT_TRUE(test, hrtimer_active(&rig->offload.napi.timer));
	expect_masked(rig, true, 1, 0);
	busy_poll(rig, 8);
	put_frames(rig, 1);
	poll(rig, 8);
	expect_masked(rig, true, 1, 0);

	/* it does not: this poll is that of the timer, with or without frames */
	put_frames(rig, 1);
	poll(rig, 8);
	expect_masked(rig, false, 1, 1);
	compare(rig);
}

static bool wait_for_unmask(struct rig *rig)
{
	return wait_for_completion_timeout(&rig->unmasked, A_WHILE);
}

/* Here the timer of NAPI does it, long before the unmask timer. */
static void timer_of_napi_unmasks(struct kunit *test)
{
	struct rig *rig = begin_pauses(test, LONG_NS, 10 * NSEC_PER_MSEC);

	busy_poll(rig, 8);
	put_frames(rig, 1);
	poll(rig, 8);
	KUNIT_EXPECT_TRUE(test, wait_for_unmask(rig));
	expect_masked(rig, false, 1, 1);
	compare(rig);
}

/* A reader that polls often enough is never interrupted by the unmask timer. */
static void polls_postpone_the_unmask_timer(struct kunit *test)
{
	struct rig *rig = begin_pauses(test, LONG_NS, LONG_NS / 10);
	struct hrtimer *timer = &rig->offload.ring->unmask_timer;
	ktime_t before;

	busy_poll(rig, 8);
	before = hrtimer_get_expires(timer);
	/* not before, as it takes time to start it */
	busy_poll(rig, 8);
	KUNIT_EXPECT_EQ(test, hrtimer_get_expires(timer), before);
	before = ktime_get();
	/* as if half of its time was over */
	hrtimer_start(timer, ktime_add_ns(before, LONG_NS / 2),
		      HRTIMER_MODE_ABS_HARD);
	busy_poll(rig, 8);
	KUNIT_EXPECT_TRUE(test, hrtimer_is_queued(timer));
	KUNIT_EXPECT_GE(test, hrtimer_get_expires(timer),
			ktime_add_ns(before, LONG_NS));
	expect_masked(rig, true, 1, 0);
}

/* The unmask timer waits for fill_ns since the chip was read last, not first. */
static void unmask_timer_unmasks(struct kunit *test)
{
	u64 fill_ns = 300 * NSEC_PER_MSEC;
	struct rig *rig = begin_pauses(test, fill_ns, fill_ns / 2);
	ktime_t polled;

	busy_poll(rig, 8);
	fsleep(100000);
	polled = ktime_get();
	busy_poll(rig, 8);
	expect_masked(rig, true, 1, 0);
	KUNIT_ASSERT_TRUE(test, wait_for_unmask(rig));
	KUNIT_EXPECT_GE(test, ktime_to_ns(ktime_sub(rig->unmasked_at, polled)),
			fill_ns);
	expect_masked(rig, false, 1, 1);

	/* the reader comes back, and goes again */
	busy_poll(rig, 8);
	expect_masked(rig, true, 2, 1);
	KUNIT_ASSERT_TRUE(test, wait_for_unmask(rig));
	expect_masked(rig, false, 2, 2);
}

/* An unmask timer that expires late, when a poll has masked and started it again, must
 * leave the time alone by which it is queued.
 */
static void unmask_timer_that_is_queued(struct kunit *test)
{
	struct rig *rig = begin_pauses(test, LONG_NS, LONG_NS / 10);
	struct hrtimer *timer = &rig->offload.ring->unmask_timer;
	ktime_t expires;

	busy_poll(rig, 8);
	expires = hrtimer_get_expires(timer);
	fsleep(1000);
	busy_poll(rig, 8);
	KUNIT_EXPECT_TRUE(test, hrtimer_is_queued(timer));
	timer->function(timer);
	KUNIT_EXPECT_TRUE(test, hrtimer_is_queued(timer));
	KUNIT_EXPECT_EQ(test, hrtimer_get_expires(timer), expires);
	expect_masked(rig, true, 1, 0);
}

/* The unmask timer is set for a chip that is empty. */
static void unmasks_if_it_leaves_frames(struct kunit *test)
{
	struct rig *rig = begin_pauses(test, LONG_NS, LONG_NS / 10);

	rig->batch = 2;
	rig->chip = 7;
	KUNIT_EXPECT_EQ(test, busy_poll(rig, 4), 4);
	KUNIT_EXPECT_EQ(test, rig->chip, 3);
	expect_masked(rig, false, 1, 1);
	/* one that reads them all masks again, also if no budget is left */
	KUNIT_EXPECT_EQ(test, busy_poll(rig, 3), 3);
	KUNIT_EXPECT_EQ(test, rig->chip, 0);
	expect_masked(rig, true, 2, 1);
	/* what comes then is left to a poll, or the unmask timer */
	rig->chip = 1;
	put_frames(rig, 4);
	KUNIT_EXPECT_EQ(test, busy_poll(rig, 4), 4);
	expect_masked(rig, true, 2, 1);
	KUNIT_EXPECT_EQ(test, busy_poll(rig, 4), 1);
	expect_masked(rig, true, 2, 1);
	compare(rig);
}

static void disable_unmasks(struct kunit *test)
{
	struct rig *rig = begin_pauses(test, LONG_NS, LONG_NS / 10);

	busy_poll(rig, 8);
	expect_masked(rig, true, 1, 0);
	rig_disable(rig);
	expect_masked(rig, false, 1, 1);
	KUNIT_EXPECT_FALSE(test, hrtimer_active(&rig->offload.ring->unmask_timer));
}

/* Begin and end */

static void disable_forgets(struct kunit *test)
{
	struct rig *rig = begin(test);

	put_frames(rig, FRAMES);
	lose_frames(rig, 3);
	transmit(rig);
	rig_disable(rig);
	can_flush_echo_skb(rig->dev);
	rig->expectations = 0;

	rig_enable(rig, 0);
	KUNIT_EXPECT_EQ(test, drain(rig), 0);
	KUNIT_EXPECT_EQ(test, rig->dev->stats.rx_packets, 0);
	KUNIT_EXPECT_EQ(test, first_slot(rig), 0);
	use_all_slots(rig);
	put_frames(rig, FRAMES);
	KUNIT_EXPECT_EQ(test, drain(rig), FRAMES);
}

static void wants_ops(struct kunit *test)
{
	static const struct can_rx_ring_ops no_event = { .ready = rig_ready };
	static const struct can_rx_ring_ops no_ready = { .event = rig_event };
	struct rig *rig = alloc_rig(test, CAN_RX_RING_SLOTS);
	struct can_rx_offload *offload = &rig->offload;

	KUNIT_ASSERT_NOT_NULL(test, rig);
	KUNIT_EXPECT_EQ(test, -EINVAL,
			can_rx_offload_add_ring(rig->dev, offload, &no_event));
	KUNIT_EXPECT_EQ(test, -EINVAL,
			can_rx_offload_add_ring(rig->dev, offload, &no_ready));
	KUNIT_EXPECT_NULL(test, offload->ring);
	KUNIT_EXPECT_NULL(test, rig->can.rx_offload);
	/* without the others it does */
	rig->ops.read = NULL;
	rig->ops.mask = NULL;
	KUNIT_EXPECT_EQ(test, 0,
			can_rx_offload_add_ring(rig->dev, offload, &rig->ops));
	KUNIT_EXPECT_PTR_EQ(test, rig->can.rx_offload, offload);
	free_rig(rig);
}

static void wants_slots(struct kunit *test)
{
	struct rig *rig = alloc_rig(test, CAN_RX_RING_SLOTS - 1);

	KUNIT_ASSERT_NOT_NULL(test, rig);
	KUNIT_EXPECT_EQ(test, -EINVAL,
			can_rx_offload_add_ring(rig->dev, &rig->offload,
						&rig->ops));
	free_candev(rig->dev);
}

/* Allocations that fail */

#if defined(CONFIG_FAILSLAB) && defined(CONFIG_FAIL_PAGE_ALLOC) && \
	defined(CONFIG_FAULT_INJECTION_DEBUG_FS)

/* The files take a value from user space only, so it is set where it lies. */
static void *fault_setting(const char *kind, const char *name)
{
	struct dentry *dir = debugfs_lookup(kind, NULL);
	struct dentry *file = dir ? debugfs_lookup(name, dir) : NULL;
	void *data = file ? d_inode(file)->i_private : NULL;

	dput(file);
	dput(dir);
	return data;
}

static struct fault_attr *fault_attr(const char *kind)
{
	unsigned long *probability = fault_setting(kind, "probability");

	return probability ? container_of(probability, struct fault_attr,
					  probability) : NULL;
}

/* Let the allocation of that number fail, from 1 on. */
static bool fail_allocation(unsigned int number)
{
	struct fault_attr *attr = fault_attr("failslab");

	if (!attr)
		return false;
	attr->verbose = 0;
	current->fail_nth = number;
	return true;
}

static bool allocation_failed(void)
{
	bool failed = !current->fail_nth;

	current->fail_nth = 0;
	return failed;
}

/* The ring is too large for a slab. */
static int add_ring_without_pages(struct rig *rig)
{
	struct fault_attr *attr = fault_attr("fail_page_alloc");
	bool *waiting = fault_setting("fail_page_alloc", "ignore-gfp-wait");
	bool *high = fault_setting("fail_page_alloc", "ignore-gfp-highmem");
	u32 *order = fault_setting("fail_page_alloc", "min-order");
	struct fault_attr old;
	int err;

	if (!attr || !waiting || !high || !order)
		return 1;
	old = *attr;
	attr->verbose = 0;
	attr->task_filter = true;
	atomic_set(&attr->times, -1);
	*waiting = false;
	*high = false;
	*order = 0;
	current->make_it_fail = true;
	attr->probability = 100;
	err = can_rx_offload_add_ring(rig->dev, &rig->offload, &rig->ops);
	*attr = old;
	current->make_it_fail = false;
	*waiting = true;
	*high = true;
	*order = 1;
	return err;
}

#else

static bool fail_allocation(unsigned int number)
{
	return false;
}

static bool allocation_failed(void)
{
	return false;
}

static int add_ring_without_pages(struct rig *rig)
{
	return 1;
}

#endif

static void wants_memory(struct kunit *test)
{
	struct rig *rig = alloc_rig(test, CAN_RX_RING_SLOTS);
	int err;

	KUNIT_ASSERT_NOT_NULL(test, rig);
	err = add_ring_without_pages(rig);
	KUNIT_EXPECT_NULL(test, rig->offload.ring);
	free_candev(rig->dev);
	if (err > 0)
		kunit_skip(test, "allocations cannot be made to fail");
	KUNIT_EXPECT_EQ(test, err, -ENOMEM);
}

/* One is dropped, with its bytes; the others come. */
static void frame_without_memory(struct kunit *test)
{
	struct rig *rig = begin(test);
	static const u8 data[CAN_MAX_DLEN] = { 1, 2, 3 };
	unsigned int i;

	put_frame(rig, 1, 3, data);
	for (i = 1; i < 4; i++)
		put_frame(rig, i, 3, data);
	/* the first of them is not expected */
	memmove(&rig->expected[0], &rig->expected[1],
		--rig->expectations * sizeof(*rig->expected));
	if (!fail_allocation(1))
		kunit_skip(test, "allocations cannot be made to fail");
	KUNIT_EXPECT_EQ(test, poll(rig, 8), 4);
	KUNIT_EXPECT_TRUE(test, allocation_failed());
	KUNIT_EXPECT_EQ(test, compare(rig), 3);
	EXPECT_STATS(rig, .rx_packets = 3, .rx_bytes = 9, .rx_dropped = 1);
}

static void ignore_event(struct can_rx_offload *offload,
			 const struct can_rx_ring_entry *entry)
{
}

/* Without its error frame, a loss is counted nevertheless. */
static void loss_without_memory(struct kunit *test)
{
	struct rig *rig = begin(test);

	rig->ops.event = ignore_event;
	put_events(rig, FRAMES, false);
	rig->expectations = 0;
	lose_frames(rig, 2);
	if (!fail_allocation(1))
		kunit_skip(test, "allocations cannot be made to fail");
	KUNIT_EXPECT_EQ(test, poll(rig, CAN_RX_RING_SIZE), FRAMES);
	KUNIT_EXPECT_TRUE(test, allocation_failed());
	KUNIT_EXPECT_EQ(test, compare(rig), 0);
	EXPECT_STATS(rig, .rx_dropped = 2, .rx_fifo_errors = 2);
}

/* Several producers */

static void look_at_number(struct rig *rig, const struct can_frame *frame)
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
static void put_numbers(struct rig *rig, unsigned int count)
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

static bool read_numbers(struct can_rx_offload *offload)
{
	struct rig *rig = rig_of(offload);
	unsigned int half = DIV_ROUND_UP(rig->chip, 2);

	rig->reads++;
	put_numbers(rig, half);
	rig->chip -= half;
	return rig->chip;
}

/**
 * struct chip - receives, and interrupts in hard interrupt context
 * @timer: the interrupt
 * @rig: of the chip
 * @stop: there will be no more
 */
struct chip {
	struct hrtimer timer;
	struct rig *rig;
	bool stop;
};

/* Its interrupt is level-triggered: it comes again until somebody has read. */
static enum hrtimer_restart tick(struct hrtimer *timer)
{
	struct chip *chip = container_of(timer, struct chip, timer);
	struct rig *rig = chip->rig;
	unsigned long flags;

	can_rx_ring_lock(&rig->offload, flags);
	if (!READ_ONCE(chip->stop))
		rig->chip += get_random_u32_below(8);
	if (!rig->masked && rig->chip)
		read_numbers(&rig->offload);
	can_rx_ring_finish(&rig->offload, flags);
	hrtimer_forward_now(timer, TICK_NS);
	return HRTIMER_RESTART;
}

static unsigned int some(struct rnd_state *rnd)
{
	u32 r = prandom_u32_state(rnd);

	return r % 64 ? r / 64 % 24 : BURST;
}

static int produce(void *arg)
{
	struct rig *rig = arg;
	struct rnd_state rnd;
	unsigned long flags;
	u32 number;

	prandom_seed_state(&rnd, 20261122);
	do {
		local_bh_disable();
		can_rx_ring_lock(&rig->offload, flags);
		put_numbers(rig, some(&rnd));
		number = rig->number;
		can_rx_ring_finish(&rig->offload, flags);
		local_bh_enable();
		cond_resched();
	} while (number < MANY);
	complete(&rig->filled);
	return 0;
}

static bool enough(void *arg, unsigned long start_time)
{
	unsigned int *loops = arg;

	return !--*loops;
}

/* As a socket does for a reader: with the frames that the timer brings between. */
static void read_busily(struct rig *rig)
{
	unsigned int loops = 50;

	napi_busy_loop(rig->offload.napi.napi_id, enough, &loops, true, 8);
}

static void produce_and_read(struct rig *rig, struct chip *chip)
{
	struct task_struct *task;
	bool filled = false;
	int i;

	hrtimer_start(&chip->timer, TICK_NS, HRTIMER_MODE_REL_HARD);
	task = kthread_run(produce, rig, "can_rx_ring_test");
	for (i = 0; !IS_ERR(task) && !filled && i < 100000; i++) {
		read_busily(rig);
		/* from time to time there is no reader, so NAPI does it alone */
		filled = wait_for_completion_timeout(&rig->filled, i % 4);
	}
	if (!filled && !IS_ERR(task))
		filled = wait_for_completion_timeout(&rig->filled, A_WHILE);
	KUNIT_EXPECT_TRUE(rig->test, filled);
	WRITE_ONCE(chip->stop, true);
	for (i = 0; READ_ONCE(rig->chip) && i < 1000; i++)
		fsleep(1000);
	hrtimer_cancel(&chip->timer);
}

static void produces_while_it_is_read(struct kunit *test)
{
	struct rig *rig = begin_pauses(test, 20 * NSEC_PER_MSEC, NSEC_PER_MSEC);
	struct chip chip = { .rig = rig };

	/* the busy loop counts in what belongs to it */
	if (!IS_ENABLED(CONFIG_INET))
		kunit_skip(test, "busy polling needs CONFIG_INET");
	rig->look = look_at_number;
	rig->ops.read = read_numbers;
	hrtimer_init_on_stack(&chip.timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL_HARD);
	chip.timer.function = tick;
	produce_and_read(rig, &chip);
	destroy_hrtimer_on_stack(&chip.timer);
	drain(rig);

	kunit_info(test, "%u lost, %u reads, masked %u times\n", rig->missing,
		   rig->reads, rig->masks);
	rig->missing += MANY - rig->last;
	KUNIT_EXPECT_EQ(test, rig->number, MANY);
	KUNIT_EXPECT_EQ(test, rig->disorder, 0);
	KUNIT_EXPECT_EQ(test, rig->silent, 0);
	KUNIT_EXPECT_EQ(test, rig->missing, rig->dev->stats.rx_dropped);
	KUNIT_EXPECT_EQ(test, rig->dev->stats.rx_packets, MANY - rig->missing);
	KUNIT_EXPECT_EQ(test, rig->chip, 0);
	KUNIT_EXPECT_FALSE(test, rig->masked);
	/* or the test would show little */
	KUNIT_EXPECT_GT(test, rig->masks, 0);
	KUNIT_EXPECT_GT(test, rig->missing, 0);
}

static struct kunit_case ring_cases[] = {
	KUNIT_CASE_PARAM(keeps_order, starts_gen_params),
	KUNIT_CASE_PARAM(restart_is_in_order, starts_gen_params),
	KUNIT_CASE(frames_of_all_kinds),
	KUNIT_CASE(frames_leave_nothing),
	KUNIT_CASE(time_is_of_the_interrupt),
	KUNIT_CASE(echo_of_a_timed_frame),
	KUNIT_CASE_PARAM(overflow_in_one_poll, starts_gen_params),
	KUNIT_CASE_PARAM(overflow_is_in_order, starts_gen_params),
	KUNIT_CASE_PARAM(events_may_get_lost, starts_gen_params),
	KUNIT_CASE_PARAM(room_for_what_is_kept, starts_gen_params),
	KUNIT_CASE_PARAM(events_leave_room, starts_gen_params),
	KUNIT_CASE_PARAM(room_comes_back, starts_gen_params),
	KUNIT_CASE_PARAM(says_whether_there_is_room, starts_gen_params),
	KUNIT_CASE(entry_is_read_before_it_is_free),
	KUNIT_CASE(counts),
	KUNIT_CASE(counts_what_is_not_echoed),
	KUNIT_CASE_PARAM(slots_are_used_in_order, starts_gen_params),
	KUNIT_CASE_PARAM(wakes_for_a_chip_that_is_ready, starts_gen_params),
	KUNIT_CASE(wakes_after_failure),
	KUNIT_CASE(wakes_while_slots_are_free),
	KUNIT_CASE(aborted_transmissions),
	KUNIT_CASE(sends_only_with_room),
	KUNIT_CASE(respects_budget),
	KUNIT_CASE(completes),
	KUNIT_CASE(reader_keeps_napi),
	KUNIT_CASE(finish_schedules),
	KUNIT_CASE(finish_schedules_for_a_loss),
	KUNIT_CASE(kick_schedules),
	KUNIT_CASE(nothing_is_forgotten),
	KUNIT_CASE(reader_reads_the_chip),
	KUNIT_CASE(reader_reads_in_batches),
	KUNIT_CASE(others_do_not_read_it),
	KUNIT_CASE(reading_does_not_schedule),
	KUNIT_CASE(reader_reports_loss),
	KUNIT_CASE(masks_once),
	KUNIT_CASE(masks_before_it_reads),
	KUNIT_CASE(masks_only_if_it_may),
	KUNIT_CASE(unmasks_if_it_may_no_more),
	KUNIT_CASE(unmasks_when_napi_completes),
	KUNIT_CASE(next_poll_unmasks),
	KUNIT_CASE(timer_of_napi_unmasks),
	KUNIT_CASE(polls_postpone_the_unmask_timer),
	KUNIT_CASE(unmask_timer_unmasks),
	KUNIT_CASE(unmask_timer_that_is_queued),
	KUNIT_CASE(unmasks_if_it_leaves_frames),
	KUNIT_CASE(disable_unmasks),
	KUNIT_CASE(disable_forgets),
	KUNIT_CASE(wants_ops),
	KUNIT_CASE(wants_slots),
	KUNIT_CASE(wants_memory),
	KUNIT_CASE(frame_without_memory),
	KUNIT_CASE(loss_without_memory),
	KUNIT_CASE_SLOW(produces_while_it_is_read),
	{}
};

static struct kunit_suite ring_suite = {
	.name = "can_rx_ring",
	.init = ring_init,
	.exit = rig_exit,
	.test_cases = ring_cases,
};

/* The other modes */

static struct sk_buff *read_mailbox(struct can_rx_offload *offload,
				    unsigned int mb, u32 *timestamp, bool drop);

static int queue_init(struct kunit *test, bool timestamps)
{
	struct rig *rig = alloc_rig(test, 2);
	int err;

	if (!rig)
		return -ENOMEM;
	rig->offload.mb_last = 8;
	if (timestamps) {
		rig->offload.mailbox_read = read_mailbox;
		err = can_rx_offload_add_timestamp(rig->dev, &rig->offload);
	} else {
		err = can_rx_offload_add_manual(rig->dev, &rig->offload, 64);
	}
	if (!err)
		err = register_rig(test, rig);
	if (err) {
		free_candev(rig->dev);
		return err;
	}
	can_rx_offload_enable(&rig->offload);
	rig->enabled = true;
	return 0;
}

static int manual_init(struct kunit *test)
{
	return queue_init(test, false);
}

static int timestamp_init(struct kunit *test)
{
	return queue_init(test, true);
}

/* Drivers may have used the control block before. */
static struct sk_buff *make_frame(struct rig *rig)
{
	u8 dlc, data[CAN_MAX_DLEN];
	canid_t id = next_frame(rig, &dlc, data);
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

static struct message *expect_skb(struct rig *rig, struct sk_buff *skb)
{
	const struct can_frame *frame = (struct can_frame *)skb->data;
	struct message *m = expect(rig, frame->can_id, frame->len);

	memcpy(m->data, frame->data, frame->len);
	return m;
}

static struct sk_buff *read_mailbox(struct can_rx_offload *offload,
				    unsigned int mb, u32 *timestamp, bool drop)
{
	struct sk_buff *skb = make_frame(rig_of(offload));

	*timestamp = 100 + mb;
	return skb ? skb : ERR_PTR(-ENOMEM);
}

static struct sk_buff *expect_new_frame(struct rig *rig)
{
	struct sk_buff *skb = make_frame(rig);

	KUNIT_ASSERT_NOT_NULL(rig->test, skb);
	expect_skb(rig, skb);
	return skb;
}

static void put_echo(struct rig *rig, unsigned int idx)
{
	struct sk_buff *skb = make_frame(rig);

	KUNIT_ASSERT_NOT_NULL(rig->test, skb);
	skb->pkt_type = PACKET_LOOPBACK;
	KUNIT_ASSERT_EQ(rig->test, can_put_echo_skb(skb, rig->dev, idx, 0), 0);
}

static void finish_queue(struct rig *rig)
{
	local_bh_disable();
	can_rx_offload_irq_finish(&rig->offload);
	local_bh_enable();
}

static void manual_echo_is_not_received(struct kunit *test)
{
	struct rig *rig = test->priv;
	struct can_rx_offload *offload = &rig->offload;

	put_echo(rig, 1);
	can_rx_offload_queue_tail(offload, expect_new_frame(rig));
	expect_skb(rig, rig->can.echo_skb[1]);
	KUNIT_EXPECT_EQ(test, 5,
			can_rx_offload_get_echo_skb_queue_tail(offload, 1, NULL));
	can_rx_offload_queue_tail(offload, expect_new_frame(rig));
	finish_queue(rig);
	KUNIT_EXPECT_EQ(test, compare(rig), 3);
	EXPECT_STATS(rig, .rx_packets = 2, .rx_bytes = 10);
}

/* NAPI has not had its turn when the chip is started again. */
static void manual_restart_is_in_order(struct kunit *test)
{
	struct rig *rig = test->priv;

	local_bh_disable();
	can_rx_offload_queue_tail(&rig->offload, expect_new_frame(rig));
	can_rx_offload_queue_tail(&rig->offload, expect_new_frame(rig));
	can_rx_offload_irq_finish(&rig->offload);
	expect(rig, CAN_ERR_FLAG | CAN_ERR_RESTARTED, CAN_ERR_DLC);
	can_rx_offload_restarted(&rig->offload);
	can_rx_offload_queue_tail(&rig->offload, expect_new_frame(rig));
	can_rx_offload_irq_finish(&rig->offload);
	KUNIT_EXPECT_EQ(test, rig->sightings, 0);
	local_bh_enable();
	KUNIT_EXPECT_EQ(test, compare(rig), 4);
	EXPECT_STATS(rig, .rx_packets = 3, .rx_bytes = 15);
}

/* With nothing else to deliver, nobody else schedules NAPI. */
static void manual_restart_alone(struct kunit *test)
{
	struct rig *rig = test->priv;

	expect(rig, CAN_ERR_FLAG | CAN_ERR_RESTARTED, CAN_ERR_DLC);
	can_rx_offload_restarted(&rig->offload);
	KUNIT_EXPECT_EQ(test, compare(rig), 1);
}

/* There would be no queue for its frame any more. */
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
	struct sk_buff *last = make_frame(rig);

	KUNIT_ASSERT_NOT_NULL(test, last);
	put_echo(rig, 0);
	can_rx_offload_queue_timestamp(offload, last, 3);
	expect_skb(rig, rig->can.echo_skb[0]);
	KUNIT_EXPECT_EQ(test, 5,
			can_rx_offload_get_echo_skb_queue_timestamp(offload, 0,
								    1, NULL));
	can_rx_offload_queue_timestamp(offload, expect_new_frame(rig), 2);
	expect_skb(rig, last);
	finish_queue(rig);
	KUNIT_EXPECT_EQ(test, compare(rig), 3);
	EXPECT_STATS(rig, .rx_packets = 2, .rx_bytes = 10);
}

static void mailboxes_are_received(struct kunit *test)
{
	struct rig *rig = test->priv;
	u32 first = rig->number;
	unsigned int i;

	KUNIT_EXPECT_EQ(test, 2,
			can_rx_offload_irq_offload_timestamp(&rig->offload, 5));
	/* the same ones again, to know what they were */
	rig->number = first;
	for (i = 0; i < 2; i++)
		kfree_skb(expect_new_frame(rig));
	finish_queue(rig);
	KUNIT_EXPECT_EQ(test, compare(rig), 2);
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
	.init = manual_init,
	.exit = rig_exit,
	.test_cases = manual_cases,
};

static struct kunit_suite timestamp_suite = {
	.name = "can_rx_offload_timestamp",
	.init = timestamp_init,
	.exit = rig_exit,
	.test_cases = timestamp_cases,
};

kunit_test_suites(&ring_suite, &manual_suite, &timestamp_suite);
