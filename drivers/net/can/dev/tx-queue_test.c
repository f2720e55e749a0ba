// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit suites of the order of arbitration and of the transmit queue of drivers.
 *
 * The keys of frames are compared with a model that writes down the bits on the wire. The
 * order of the queue is compared with a model that keeps frames with the position in which
 * they came, in no order, and searches them.
 *
 * The interface under test has a ring and a queue. The test is its chip: it loads frames, ends
 * their transmissions and polls. It is also its queueing discipline: a list of identifiers,
 * sorted like the order of the bus, whose first one is handed on while the transmit queue of
 * the interface is not stopped.
 */
#include <kunit/test.h>
#include <linux/can/arbitration.h>
#include <linux/can/can-ml.h>
#include <linux/can/dev.h>
#include <linux/can/express.h>
#include <linux/can/rx-ring.h>
#include <linux/can/tx-queue.h>
#include <linux/ethtool.h>
#include <linux/kthread.h>
#include <linux/netdevice.h>
#include <linux/prandom.h>
#include <linux/rtnetlink.h>
#include <linux/sched.h>
#include <linux/wait.h>

#define SEED 20261126

/* Timeout of waits */
#define WAIT_TIMEOUT (20 * HZ)

/* The order of arbitration */

/* 11 bits, SRR, IDE, 18 bits, RTR */
#define WIRE_BITS 32

/**
 * struct wire - the bits of a frame that take part in arbitration
 * @id: identifier with its flags
 * @bits: 0 is dominant
 * @count: number of them
 */
struct wire {
	canid_t id;
	u8 bits[WIRE_BITS];
	unsigned int count;
};

static void wire_add(struct wire *wire, u32 value, unsigned int count)
{
	while (count--)
		wire->bits[wire->count++] = value >> count & 1;
}

/* ISO 11898-1: base and extended format */
static void wire_write(struct wire *wire, canid_t id)
{
	u32 rtr = id & CAN_RTR_FLAG ? 1 : 0;

	wire->id = id;
	wire->count = 0;
	if (id & CAN_EFF_FLAG) {
		wire_add(wire, (id & CAN_EFF_MASK) >> 18, 11);
		wire_add(wire, 1, 1); /* SRR */
		wire_add(wire, 1, 1); /* IDE */
		wire_add(wire, id & 0x3ffff, 18);
		wire_add(wire, rtr, 1);
	} else {
		wire_add(wire, id & CAN_SFF_MASK, 11);
		wire_add(wire, rtr, 1);
		wire_add(wire, 0, 1); /* IDE */
	}
}

/* Return: -1 if the first frame wins, 1 if the second one does, 0 if no bit differs. */
static int wire_compare(const struct wire *a, const struct wire *b)
{
	unsigned int i;

	for (i = 0; i < min(a->count, b->count); i++) {
		if (a->bits[i] != b->bits[i])
			return a->bits[i] ? 1 : -1;
	}
	return 0;
}

static int sign(u32 a, u32 b)
{
	return a < b ? -1 : a > b;
}

static const canid_t corners[] = {
	0, 1, 0x3ff, 0x400, CAN_SFF_MASK - 1, CAN_SFF_MASK,
	CAN_EFF_FLAG, CAN_EFF_FLAG | 1, CAN_EFF_FLAG | 0x3ffff, CAN_EFF_FLAG | 0x40000,
	CAN_EFF_FLAG | 0x40001, CAN_EFF_FLAG | 0x7ffff, CAN_EFF_FLAG | CAN_SFF_MASK,
	CAN_EFF_FLAG | 0xffc0000, CAN_EFF_FLAG | 0x10000000, CAN_EFF_FLAG | 0x1ffc0000,
	CAN_EFF_FLAG | (CAN_EFF_MASK - 1), CAN_EFF_FLAG | CAN_EFF_MASK,
};

/* Half of them share few values of the first 11 bits. */
static canid_t random_id(struct rnd_state *rnd)
{
	u32 r = prandom_u32_state(rnd), id = prandom_u32_state(rnd) & CAN_EFF_MASK;

	if (r & 1)
		id = (id & 0x3ffff) | 0x15540000 | (r & 4 ? 0x40000 : 0);
	if (r & 8)
		id &= ~0x3fffe;
	if (r & 16)
		id >>= 18;
	else
		id |= CAN_EFF_FLAG;
	return r & 32 ? id | CAN_RTR_FLAG : id;
}

#define IDS 2000

static struct wire *random_wires(struct kunit *test)
{
	struct wire *wires = kunit_kcalloc(test, IDS, sizeof(*wires), GFP_KERNEL);
	struct rnd_state rnd;
	unsigned int i;

	KUNIT_ASSERT_NOT_NULL(test, wires);
	prandom_seed_state(&rnd, SEED);
	for (i = 0; i < IDS; i++) {
		if (i < 2 * ARRAY_SIZE(corners))
			wire_write(&wires[i], corners[i / 2] | (i & 1 ? CAN_RTR_FLAG : 0));
		else
			wire_write(&wires[i], random_id(&rnd));
	}
	return wires;
}

static void keys_are_in_the_order_of_the_wire(struct kunit *test)
{
	struct wire *wires = random_wires(test);
	unsigned int i, j, equal = 0;

	for (i = 0; i < IDS; i++) {
		u32 key = can_arbitration_key(wires[i].id);

		for (j = 0; j < IDS; j++) {
			int is = sign(key, can_arbitration_key(wires[j].id));
			int wanted = wire_compare(&wires[i], &wires[j]);

			bool same = wires[i].id == wires[j].id;

			equal += same;
			if (is == wanted && same == !is)
				continue;
			KUNIT_FAIL(test, "%08x and %08x: %d instead of %d (seed %u)",
				   wires[i].id, wires[j].id, is, wanted, SEED);
			return;
		}
		cond_resched();
	}
	/* otherwise the test did not cover two frames that are equal */
	KUNIT_EXPECT_GT(test, equal, IDS);
}

/* Bits that are not part of the identifier */
static void keys_ignore_other_bits(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, can_arbitration_key(0x123),
			can_arbitration_key(0x123 | CAN_ERR_FLAG));
	KUNIT_EXPECT_EQ(test, can_arbitration_key(0x123), can_arbitration_key(0x923));
}

/* The interface */

/* Identifiers of the concurrent case */
#define CONCURRENT_IDS 8

/* Frames in the queueing discipline */
#define WAITING (2 * CAN_RX_RING_SLOTS)

/**
 * struct rig - an interface under test
 * @can: private data of a CAN interface
 * @offload: of the interface
 * @tx: under test
 * @test: that runs
 * @dev: the interface
 * @handler: receives echoes
 * @enabled: NAPI may run
 * @number: of the next frame, which is in its data
 * @echoes: number of echoes
 * @echo_last: number of the last frame that was echoed
 * @ids: number of the last frame of each identifier that was echoed, plus 1
 * @disorder: count of echoes that precede one with the same identifier, or come twice
 * @waiting: identifiers in the queueing discipline, the first one to be sent first
 * @waits: number of them
 * @requeued: identifier of a frame that the interface has not accepted: the network core
 *	keeps it, and it is not among those whose urgency is published
 * @requeues: there is one
 * @refused: number of frames that were not accepted, also those that were later
 * @reorders: number of calls of reordered()
 * @reordered_first: slot that was first in the queue at the last one
 * @rnd: for the chip of the concurrent case
 * @buffers: transmit buffers of this chip
 * @loads: number of frames that it was given
 * @load: number of the load of each slot
 * @added: calls of the driver for express frames
 * @mark: of the last frame that was received
 * @hops: like @mark
 * @ifindex: like @mark
 * @unpassed: entries that NAPI had not passed on then
 * @wait: for changes of what follows, and of the state of the transmit queue
 * @accepted: number of frames that the interface has accepted
 * @beyond: number of frames that it has accepted beyond its depth
 * @timeout: the thread that sends has waited in vain
 * @held: the chip does not send frames with LASTING or less urgent ones
 * @done: no other frame will be sent
 */
struct rig {
	struct can_priv can;	/* must be the first member */
	struct can_rx_offload offload;
	struct can_tx_queue tx;
	struct kunit *test;
	struct net_device *dev;
	struct packet_type handler;
	bool enabled;
	u32 number;
	u32 echoes;
	u32 echo_last;
	u32 ids[CONCURRENT_IDS];
	u32 disorder;
	canid_t waiting[WAITING];
	unsigned int waits;
	canid_t requeued;
	bool requeues;
	u32 refused;
	u32 reorders;
	int reordered_first;
	struct rnd_state rnd;
	unsigned int buffers;
	u32 loads;
	u32 load[CAN_RX_RING_SLOTS];
	unsigned int added;
	u32 mark;
	unsigned int hops;
	int ifindex;
	u32 unpassed;
	wait_queue_head_t wait;
	u32 accepted;
	u32 beyond;
	bool timeout;
	bool held;
	bool done;
};

static struct rig *rig_of(struct can_rx_offload *offload)
{
	return container_of(offload, struct rig, offload);
}

static void rig_event(struct can_rx_offload *offload, const struct can_rx_ring_entry *entry)
{
}

static bool rig_ready(struct can_rx_offload *offload)
{
	return can_tx_queue_ready(&rig_of(offload)->tx);
}

static const struct can_rx_ring_ops rig_ops = {
	.event = rig_event,
	.ready = rig_ready,
};

/* The network core sends nothing: the interface is down. */
static netdev_tx_t rig_start_xmit(struct sk_buff *skb, struct net_device *dev)
{
	kfree_skb(skb);
	return NETDEV_TX_OK;
}

static const struct net_device_ops rig_netdev_ops = {
	.ndo_start_xmit = rig_start_xmit,
};

static u32 frame_number(const struct can_frame *frame)
{
	u32 number;

	memcpy(&number, frame->data, sizeof(number));
	return number;
}

/* Entries of the ring that NAPI has not passed on */
static u32 rig_unpassed(struct net_device *dev)
{
#ifdef CAN_EXPRESS
	return can_get_ml_priv(dev)->express_ops->waiting(dev);
#else
	return 0;
#endif
}

static int rig_receive(struct sk_buff *skb, struct net_device *dev,
		       struct packet_type *handler, struct net_device *orig_dev)
{
	struct rig *rig = container_of(handler, struct rig, handler);
	const struct can_frame *frame = (struct can_frame *)skb->data;
	u32 *last = &rig->ids[frame->can_id % CONCURRENT_IDS];

	rig->mark = can_skb_express(skb);
	rig->hops = can_skb_hops(skb);
	rig->ifindex = can_skb_iif(skb);
	rig->unpassed = rig_unpassed(dev);
	rig->echo_last = frame_number(frame);
	rig->echoes++;
	if (rig->echo_last < *last)
		rig->disorder++;
	*last = rig->echo_last + 1;
	consume_skb(skb);
	return NET_RX_SUCCESS;
}

static void rig_added(struct can_tx_queue *tx)
{
	container_of(tx, struct rig, tx)->added++;
}

static struct rig *rig_alloc(struct kunit *test)
{
	struct net_device *dev = alloc_candev(sizeof(struct rig), CAN_RX_RING_SLOTS);
	struct rig *rig;

	if (!dev)
		return NULL;
	dev->netdev_ops = &rig_netdev_ops;
	dev->flags |= IFF_ECHO;
	rig = netdev_priv(dev);
	rig->test = test;
	rig->dev = dev;
	rig->handler.type = htons(ETH_P_CAN);
	rig->handler.dev = dev;
	rig->handler.func = rig_receive;
	init_waitqueue_head(&rig->wait);
	return rig;
}

static int rig_init(struct kunit *test)
{
	struct rig *rig = rig_alloc(test);
	int err;

	if (!rig)
		return -ENOMEM;
	err = can_rx_offload_add_ring(rig->dev, &rig->offload, &rig_ops);
	if (err)
		goto free_dev;
	can_tx_queue_init(&rig->tx, &rig->offload, CAN_TX_QUEUE_DEPTH, NULL);
	can_tx_express_init(&rig->tx, rig_added);
	err = register_candev(rig->dev);
	if (err)
		goto free_ring;
	dev_add_pack(&rig->handler);
	test->priv = rig;
	can_tx_queue_reset(&rig->tx);
	can_rx_ring_enable(&rig->offload, 0, false);
	rig->enabled = true;
	can_tx_queue_open(&rig->tx);
	netif_start_queue(rig->dev);
	return 0;

free_ring:
	can_rx_offload_del(&rig->offload);
free_dev:
	free_candev(rig->dev);
	return err;
}

static int rig_init_bus_order(struct kunit *test)
{
	int err = rig_init(test);
	struct rig *rig = test->priv;

	if (!err)
		can_tx_queue_set_bus_order(&rig->tx, true);
	return err;
}

static void rig_exit(struct kunit *test)
{
	struct rig *rig = test->priv;

	if (!rig)
		return;
	if (rig->enabled)
		can_rx_ring_disable(&rig->offload);
	dev_remove_pack(&rig->handler);
	unregister_candev(rig->dev);
	/* as close_candev() does */
	can_flush_echo_skb(rig->dev);
	can_rx_offload_del(&rig->offload);
	free_candev(rig->dev);
}

/* What ndo_start_xmit() does before it stops the queue. The network core calls it with the
 * lock of the transmit queue.
 *
 * Return: the slot, or -1 if the interface is busy.
 */
static int rig_add(struct rig *rig, canid_t id)
{
	struct can_tx_queue *tx = &rig->tx;
	struct can_frame *frame;
	struct sk_buff *skb;
	unsigned long flags;
	unsigned int slot;

	lockdep_assert_held(&netdev_get_tx_queue(rig->dev, 0)->_xmit_lock);
	skb = alloc_can_skb(rig->dev, &frame);
	if (!skb)
		return -1;
	frame->can_id = id;
	frame->len = sizeof(rig->number);
	if (can_tx_queue_busy(tx, skb)) {
		rig->refused++;
		kfree_skb(skb);
		return -1;
	}
	memcpy(frame->data, &rig->number, sizeof(rig->number));
	rig->number++;
	skb->pkt_type = PACKET_LOOPBACK;

	slot = can_rx_ring_slot(&rig->offload);
	tx->frame[slot] = *frame;
	can_put_echo_skb(skb, rig->dev, slot, 0);
	can_rx_ring_slot_use(&rig->offload, slot);
	raw_spin_lock_irqsave(&tx->lock, flags);
	if (tx->count >= tx->depth)
		rig->beyond++;
	can_tx_queue_add(tx, slot);
	raw_spin_unlock_irqrestore(&tx->lock, flags);
	return slot;
}

static int __rig_send(struct rig *rig, canid_t id)
{
	int slot = rig_add(rig, id);

	if (slot >= 0)
		can_tx_queue_stop(&rig->tx);
	return slot;
}

static int rig_send(struct rig *rig, canid_t id)
{
	struct netdev_queue *queue = netdev_get_tx_queue(rig->dev, 0);
	int slot;

	__netif_tx_lock_bh(queue);
	slot = __rig_send(rig, id);
	__netif_tx_unlock_bh(queue);
	return slot;
}

/* The queueing discipline sends only while the transmit queue is not stopped. */
static int rig_send_unless_stopped(struct rig *rig, canid_t id)
{
	return netif_queue_stopped(rig->dev) ? -1 : rig_send(rig, id);
}

static void rig_load(struct rig *rig, int slot)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&rig->tx.lock, flags);
	KUNIT_EXPECT_EQ(rig->test, can_tx_queue_next(&rig->tx), slot);
	can_tx_queue_load(&rig->tx, slot);
	raw_spin_unlock_irqrestore(&rig->tx.lock, flags);
}

static void rig_unload(struct rig *rig, int slot)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&rig->tx.lock, flags);
	can_tx_queue_unload(&rig->tx, slot);
	raw_spin_unlock_irqrestore(&rig->tx.lock, flags);
}

static int rig_next(struct rig *rig)
{
	unsigned long flags;
	int slot;

	raw_spin_lock_irqsave(&rig->tx.lock, flags);
	slot = can_tx_queue_next(&rig->tx);
	raw_spin_unlock_irqrestore(&rig->tx.lock, flags);
	return slot;
}

static int rig_inverted(struct rig *rig)
{
	unsigned long flags;
	int slot;

	raw_spin_lock_irqsave(&rig->tx.lock, flags);
	slot = can_tx_queue_inverted(&rig->tx);
	raw_spin_unlock_irqrestore(&rig->tx.lock, flags);
	return slot;
}

/* With the lock of the ring, like an interrupt handler */
static void __rig_end(struct rig *rig, unsigned int slot)
{
	raw_spin_lock(&rig->tx.lock);
	can_tx_queue_remove(&rig->tx, slot);
	raw_spin_unlock(&rig->tx.lock);
	can_rx_ring_sent(&rig->offload, slot, true);
	can_rx_ring_wake(&rig->offload);
}

static void rig_end(struct rig *rig, unsigned int slot)
{
	unsigned long flags;

	can_rx_ring_lock(&rig->offload, flags);
	__rig_end(rig, slot);
	can_rx_ring_unlock(&rig->offload, flags);
}

/* Load and send the next frame. */
static void rig_end_next(struct rig *rig)
{
	int slot = rig_next(rig);

	KUNIT_ASSERT_GE(rig->test, slot, 0);
	rig_load(rig, slot);
	rig_end(rig, slot);
}

static int rig_poll(struct rig *rig, int budget)
{
	struct napi_struct *napi = &rig->offload.napi;
	int work;

	local_bh_disable();
	set_bit(NAPI_STATE_SCHED, &napi->state);
	work = napi->poll(napi, budget);
	/* otherwise the poll has completed NAPI */
	if (work >= budget)
		clear_bit(NAPI_STATE_SCHED, &napi->state);
	local_bh_enable();
	return work;
}

/* The queueing discipline */

static u32 urgency(canid_t id)
{
	return ~can_arbitration_key(id);
}

/* After each change */
static void rig_store_urgency(struct rig *rig)
{
	WRITE_ONCE(can_get_ml_priv(rig->dev)->tx_urgency,
		   rig->waits ? urgency(rig->waiting[0]) : 0);
}

/* Another frame is the first one, but the one before was not handed on. */
static void rig_publish(struct rig *rig)
{
	rig_store_urgency(rig);
	can_get_ml_priv(rig->dev)->tx_wake(rig->dev);
}

/* First come, first served for the same identifier */
static void rig_wait(struct rig *rig, canid_t id)
{
	unsigned int i;

	for (i = rig->waits++; i; i--) {
		if (can_arbitration_key(rig->waiting[i - 1]) <= can_arbitration_key(id))
			break;
		rig->waiting[i] = rig->waiting[i - 1];
	}
	rig->waiting[i] = id;
	if (!i)
		rig_publish(rig);
}

static void rig_remove_first(struct rig *rig)
{
	rig->waits--;
	memmove(rig->waiting, rig->waiting + 1, rig->waits * sizeof(*rig->waiting));
}

/* The discipline drops its first frame, because its lifetime ends. */
static void rig_expire(struct rig *rig)
{
	rig_remove_first(rig);
	rig_publish(rig);
}

static canid_t rig_dequeue(struct rig *rig)
{
	canid_t id = rig->waiting[0];

	if (rig->requeues) {
		rig->requeues = false;
		return rig->requeued;
	}
	rig_remove_first(rig);
	rig_store_urgency(rig);
	return id;
}

/* The interface has not accepted a frame of the discipline. */
static void rig_requeue(struct rig *rig, canid_t id)
{
	rig->requeued = id;
	rig->requeues = true;
}

/* What the network core does when a frame was enqueued, or the transmit queue was woken
 *
 * Return: number of frames that the interface has accepted.
 */
static unsigned int rig_run(struct rig *rig)
{
	unsigned int sent;
	canid_t id;

	for (sent = 0; (rig->requeues || rig->waits) && !netif_queue_stopped(rig->dev); sent++) {
		id = rig_dequeue(rig);
		if (rig_send(rig, id) < 0) {
			rig_requeue(rig, id);
			break;
		}
	}
	return sent;
}

static unsigned int rig_enqueue(struct rig *rig, canid_t id)
{
	rig_wait(rig, id);
	return rig_run(rig);
}

#define EXPECT_STOPPED(on) do { \
	struct rig *__stopped = (on); \
	KUNIT_EXPECT_TRUE(__stopped->test, netif_queue_stopped(__stopped->dev)); \
} while (0)

#define EXPECT_STARTED(on) do { \
	struct rig *__started = (on); \
	KUNIT_EXPECT_FALSE(__started->test, netif_queue_stopped(__started->dev)); \
} while (0)

#define EXPECT_SENT(on, id) do { \
	struct rig *__sent = (on); \
	KUNIT_EXPECT_GE(__sent->test, rig_send_unless_stopped(__sent, id), 0); \
} while (0)

/* also if the network core has not seen that the queue is stopped */
#define EXPECT_BUSY(on, id) do { \
	struct rig *__busy = (on); \
	EXPECT_STOPPED(__busy); \
	KUNIT_EXPECT_EQ(__busy->test, rig_send(__busy, id), -1); \
	EXPECT_STOPPED(__busy); \
} while (0)

/* The discipline gets a frame, and hands it on at once. */
#define EXPECT_ACCEPTED(on, id) do { \
	struct rig *__accepted = (on); \
	KUNIT_EXPECT_EQ(__accepted->test, rig_enqueue(__accepted, id), 1); \
	KUNIT_EXPECT_EQ(__accepted->test, __accepted->refused, 0); \
} while (0)

/* The discipline gets a frame, and keeps it. */
#define EXPECT_KEPT(on, id) do { \
	struct rig *__kept = (on); \
	KUNIT_EXPECT_EQ(__kept->test, rig_enqueue(__kept, id), 0); \
	KUNIT_EXPECT_EQ(__kept->test, __kept->refused, 0); \
	EXPECT_STOPPED(__kept); \
} while (0)

/* The discipline hands on some of the frames that it has. */
#define EXPECT_HANDED_ON(on, n) do { \
	struct rig *__handed = (on); \
	KUNIT_EXPECT_EQ(__handed->test, rig_run(__handed), n); \
	KUNIT_EXPECT_EQ(__handed->test, __handed->refused, 0); \
} while (0)

static void rig_expect_ids(struct rig *rig, const canid_t *ids, unsigned int count)
{
	unsigned int i;

	KUNIT_ASSERT_EQ(rig->test, rig->tx.count, count);
	for (i = 0; i < count; i++)
		KUNIT_EXPECT_EQ_MSG(rig->test, rig->tx.frame[rig->tx.order[i]].can_id, ids[i],
				    "at %u", i);
}

/* The identifiers of the frames in the queue */
#define EXPECT_IDS(rig, ...) do { \
	static const canid_t __ids[] = { __VA_ARGS__ }; \
	rig_expect_ids(rig, __ids, ARRAY_SIZE(__ids)); \
} while (0)

static void rig_expect_waiting(struct rig *rig, const canid_t *ids, unsigned int count)
{
	unsigned int i;

	KUNIT_ASSERT_EQ(rig->test, rig->waits, count);
	for (i = 0; i < count; i++)
		KUNIT_EXPECT_EQ_MSG(rig->test, rig->waiting[i], ids[i], "at %u", i);
}

/* The identifiers of the frames in the queueing discipline */
#define EXPECT_WAITING(rig, ...) do { \
	static const canid_t __ids[] = { __VA_ARGS__ }; \
	rig_expect_waiting(rig, __ids, ARRAY_SIZE(__ids)); \
} while (0)

/* Fill the queue, whose frame 0x500 is in the chip. */
static void rig_fill(struct rig *rig)
{
	int slot = rig_send(rig, 0x500);

	rig_load(rig, slot);
	EXPECT_SENT(rig, 0x400);
	EXPECT_STOPPED(rig);
}

/* The number of slots that may be in use with a frame in base format that was added: the last
 * one is for 0x40 and less, the one before for 0x80 and less, and so on.
 */
static unsigned int slots_of(canid_t id)
{
	return id ? max(CAN_RX_RING_SLOTS - (id - 1) / 64, CAN_TX_QUEUE_DEPTH + 2) :
		    CAN_RX_RING_SLOTS;
}

/* An identifier that may use the slot after so many, and is less than any before */
static canid_t id_for_slot(unsigned int used, canid_t first)
{
	return min(first - used, (CAN_RX_RING_SLOTS - used) * 64);
}

static unsigned int rig_slots(struct rig *rig)
{
	return hweight_long(READ_ONCE(rig->offload.ring->slots));
}

/* All slots are in use, all but two of them for echoes that were not polled. */
static void rig_fill_slots(struct rig *rig)
{
	unsigned int i;

	for (i = 0; i < CAN_RX_RING_SLOTS - 2; i++) {
		EXPECT_SENT(rig, 0x600);
		rig_end_next(rig);
	}
	rig_fill(rig);
	KUNIT_EXPECT_FALSE(rig->test, can_rx_ring_slot_free(&rig->offload));
}

/* The key of an skb */

static void key_of_a_classic_skb(struct kunit *test)
{
	static const canid_t ids[] = {
		0x123, 0x123 | CAN_RTR_FLAG, CAN_EFF_FLAG | 0x12345678,
		CAN_EFF_FLAG | CAN_RTR_FLAG | 0x12345678,
	};
	struct rig *rig = test->priv;
	struct can_frame *frame;
	struct sk_buff *skb = alloc_can_skb(rig->dev, &frame);
	unsigned int i;

	KUNIT_ASSERT_NOT_NULL(test, skb);
	for (i = 0; i < ARRAY_SIZE(ids); i++) {
		frame->can_id = ids[i];
		KUNIT_EXPECT_EQ(test, can_arbitration_key_of_skb(skb),
				can_arbitration_key(ids[i]));
	}
	kfree_skb(skb);
}

static void key_of_an_fd_skb(struct kunit *test)
{
	struct rig *rig = test->priv;
	struct canfd_frame *frame;
	struct sk_buff *skb = alloc_canfd_skb(rig->dev, &frame);

	KUNIT_ASSERT_NOT_NULL(test, skb);
	frame->can_id = 0x123;
	frame->len = 64;
	KUNIT_EXPECT_EQ(test, can_arbitration_key_of_skb(skb), can_arbitration_key(0x123));
	frame->can_id = CAN_EFF_FLAG | 0x123;
	KUNIT_EXPECT_EQ(test, can_arbitration_key_of_skb(skb),
			can_arbitration_key(CAN_EFF_FLAG | 0x123));
	kfree_skb(skb);
}

/* The identifier of the virtual network is not part of arbitration. */
static void key_of_an_xl_skb(struct kunit *test)
{
	struct rig *rig = test->priv;
	struct canxl_frame *frame;
	struct sk_buff *skb = alloc_canxl_skb(rig->dev, &frame, 100);
	u32 vcid;

	KUNIT_ASSERT_NOT_NULL(test, skb);
	for (vcid = 0; vcid <= CANXL_VCID_VAL_MASK; vcid++) {
		frame->prio = 0x123 | vcid << CANXL_VCID_OFFSET;
		KUNIT_EXPECT_EQ(test, can_arbitration_key_of_skb(skb),
				can_arbitration_key(0x123));
	}
	kfree_skb(skb);
}

/* The order of the queue */

/**
 * struct model_frame - a frame that the queue has
 * @wire: its bits, and its identifier
 * @number: of the frame, in the order of arrival
 * @position: in the order of arrival, or in that of the queue when it was switched to first
 *	come, first served
 * @load: number of the load, if @loaded
 * @used: the slot has a frame
 * @loaded: it is in the chip
 * @aborting: the chip was told to give it back
 */
struct model_frame {
	struct wire wire;
	u32 number;
	u32 position;
	u32 load;
	bool used;
	bool loaded;
	bool aborting;
};

/**
 * struct model - the same as a queue, in another way
 * @test: that runs
 * @tx: that is compared with it
 * @rnd: source of random numbers
 * @name: of the case, for messages
 * @bus_order: send in the order of the bus
 * @buffers: number of frames that the chip holds
 * @number: of the next frame
 * @position: of the next frame
 * @load: number of the next load
 * @count: number of frames
 * @loaded: number of frames in the chip
 * @sent: number of frames that were sent
 * @returned: number of frames that were given back
 * @frame: the frame of each slot
 */
struct model {
	struct kunit *test;
	struct can_tx_queue *tx;
	struct rnd_state rnd;
	const char *name;
	bool bus_order;
	unsigned int buffers;
	u32 number;
	u32 position;
	u32 load;
	unsigned int count;
	unsigned int loaded;
	u32 sent;
	u32 returned;
	struct model_frame frame[CAN_RX_RING_SLOTS];
};

static bool model_before(const struct model *m, int a, int b)
{
	const struct model_frame *frame_a = &m->frame[a], *frame_b = &m->frame[b];
	int order = m->bus_order ? wire_compare(&frame_a->wire, &frame_b->wire) : 0;

	return order ? order < 0 : frame_a->position < frame_b->position;
}

/* The first or last frame that is loaded, or not
 *
 * Return: a slot, or -1.
 */
static int model_find(const struct model *m, bool loaded, bool first)
{
	int slot, found = -1;

	for (slot = 0; slot < CAN_RX_RING_SLOTS; slot++) {
		if (!m->frame[slot].used || m->frame[slot].loaded != loaded)
			continue;
		if (found < 0 || model_before(m, slot, found) == first)
			found = slot;
	}
	return found;
}

static int model_aborting(const struct model *m)
{
	int slot;

	for (slot = 0; slot < CAN_RX_RING_SLOTS; slot++) {
		if (m->frame[slot].used && m->frame[slot].aborting)
			return slot;
	}
	return -1;
}

/* No frame is loaded that follows one that may be given back. */
static int model_next(const struct model *m)
{
	int next = model_find(m, false, true), aborting = model_aborting(m);

	return next >= 0 && aborting >= 0 && model_before(m, aborting, next) ? -1 : next;
}

static int model_inverted(const struct model *m)
{
	int next = model_find(m, false, true), last = model_find(m, true, false);

	if (!m->bus_order || model_aborting(m) >= 0 || next < 0 || last < 0 ||
	    wire_compare(&m->frame[next].wire, &m->frame[last].wire) >= 0)
		return -1;
	return last;
}

#define MODEL_EXPECT(m, condition) do { \
	const struct model *__m = (m); \
	KUNIT_ASSERT_TRUE_MSG(__m->test, condition, "%s, seed %u, frame %u", __m->name, SEED, \
			      __m->number); \
} while (0)

/* Of the frame that has to be preceded */
static u32 model_next_urgency(const struct model *m)
{
	int next = model_find(m, false, true);

	if (next < 0)
		next = model_find(m, true, false);
	return m->bus_order && next >= 0 ? urgency(m->frame[next].wire.id) : U32_MAX;
}

static int model_queue_next(const struct model *m)
{
	unsigned long flags;
	int slot;

	raw_spin_lock_irqsave(&m->tx->lock, flags);
	slot = can_tx_queue_next(m->tx);
	raw_spin_unlock_irqrestore(&m->tx->lock, flags);
	return slot;
}

static int model_queue_inverted(const struct model *m)
{
	unsigned long flags;
	int slot;

	raw_spin_lock_irqsave(&m->tx->lock, flags);
	slot = can_tx_queue_inverted(m->tx);
	raw_spin_unlock_irqrestore(&m->tx->lock, flags);
	return slot;
}

static void model_queue(struct model *m, unsigned int slot,
			void (*change)(struct can_tx_queue *queue, unsigned int slot))
{
	unsigned long flags;

	raw_spin_lock_irqsave(&m->tx->lock, flags);
	change(m->tx, slot);
	raw_spin_unlock_irqrestore(&m->tx->lock, flags);
}

/* Each frame is in the queue once, and in order. */
static void model_compare(struct model *m)
{
	const struct can_tx_queue *tx = m->tx;
	unsigned long seen = 0;
	unsigned int i;

	MODEL_EXPECT(m, tx->count == m->count);
	for (i = 0; i < tx->count; i++) {
		unsigned int slot = tx->order[i];

		MODEL_EXPECT(m, slot < CAN_RX_RING_SLOTS && m->frame[slot].used);
		MODEL_EXPECT(m, !(seen & BIT(slot)));
		MODEL_EXPECT(m, m->frame[slot].number == frame_number(&tx->frame[slot]));
		MODEL_EXPECT(m, !i || model_before(m, tx->order[i - 1], slot));
		seen |= BIT(slot);
	}
	MODEL_EXPECT(m, model_queue_next(m) == model_next(m));
	MODEL_EXPECT(m, model_queue_inverted(m) == model_inverted(m));
	MODEL_EXPECT(m, tx->next_urgency == model_next_urgency(m));
}

/* Few identifiers, so that many frames have the same one */
static canid_t model_id(struct model *m)
{
	static const canid_t ids[] = {
		0x100, 0x100 | CAN_RTR_FLAG, CAN_EFF_FLAG | 0x4000000, CAN_EFF_FLAG | 0x4000001,
		0x555, 0x556, 0,
	};
	u32 r = prandom_u32_state(&m->rnd);

	return r % 4 ? ids[r / 4 % ARRAY_SIZE(ids)] : random_id(&m->rnd);
}

static void model_add(struct model *m)
{
	struct model_frame *frame;
	unsigned int slot;

	if (m->count == CAN_RX_RING_SLOTS)
		return;
	/* slots are freed in any order */
	do {
		slot = prandom_u32_state(&m->rnd) % CAN_RX_RING_SLOTS;
	} while (m->frame[slot].used);
	frame = &m->frame[slot];
	*frame = (struct model_frame){
		.number = m->number++, .position = m->position++, .used = true,
	};
	wire_write(&frame->wire, model_id(m));
	m->count++;
	m->tx->frame[slot].can_id = frame->wire.id;
	memcpy(m->tx->frame[slot].data, &frame->number, sizeof(frame->number));
	model_queue(m, slot, can_tx_queue_add);
}

static void model_load(struct model *m)
{
	int slot = model_queue_next(m);

	if (slot < 0 || m->loaded == m->buffers)
		return;
	model_queue(m, slot, can_tx_queue_load);
	m->frame[slot].loaded = true;
	m->frame[slot].load = m->load++;
	m->loaded++;
}

/* The frame that a chip sends: any of those with different identifiers, and of those with
 * the same the one that was loaded first
 */
static int model_choose(struct model *m)
{
	int slot, chosen = -1;
	unsigned int n = 0;

	for (slot = 0; slot < CAN_RX_RING_SLOTS; slot++) {
		if (!m->frame[slot].used || !m->frame[slot].loaded)
			continue;
		if (!(prandom_u32_state(&m->rnd) % ++n))
			chosen = slot;
	}
	for (slot = 0; chosen >= 0 && slot < CAN_RX_RING_SLOTS; slot++) {
		if (m->frame[slot].used && m->frame[slot].loaded &&
		    m->frame[slot].wire.id == m->frame[chosen].wire.id &&
		    m->frame[slot].load < m->frame[chosen].load)
			chosen = slot;
	}
	return chosen;
}

/* No frame of the same identifier that came before is left. */
static void model_send(struct model *m)
{
	int slot, sent = model_choose(m);
	bool overtaken;

	if (sent < 0)
		return;
	for (slot = 0; slot < CAN_RX_RING_SLOTS; slot++) {
		overtaken = m->frame[slot].used &&
			    m->frame[slot].wire.id == m->frame[sent].wire.id &&
			    m->frame[slot].number < m->frame[sent].number;
		MODEL_EXPECT(m, !overtaken);
	}
	model_queue(m, sent, can_tx_queue_remove);
	m->frame[sent].used = false;
	m->count--;
	m->loaded--;
	m->sent++;
}

/* The driver aborts an inverted frame; a chip may also give back the last one by itself. */
static void model_abort(struct model *m)
{
	int slot = model_queue_inverted(m);

	if (slot < 0)
		return;
	m->tx->aborting |= BIT(slot);
	m->frame[slot].aborting = true;
}

static void model_give_back(struct model *m)
{
	int slot = model_aborting(m);

	if (slot < 0 && prandom_u32_state(&m->rnd) % 4 == 0)
		slot = model_find(m, true, false);
	if (slot < 0)
		return;
	model_queue(m, slot, can_tx_queue_unload);
	m->frame[slot].loaded = false;
	m->frame[slot].aborting = false;
	m->loaded--;
	m->returned++;
}

/* The frames get new positions, if they keep an order that is not that of their arrival. */
static void model_set_bus_order(struct model *m, bool bus_order)
{
	u32 position[CAN_RX_RING_SLOTS];
	int a, b;

	for (a = 0; a < CAN_RX_RING_SLOTS; a++) {
		position[a] = m->position;
		for (b = 0; b < CAN_RX_RING_SLOTS; b++)
			position[a] += m->frame[a].used && m->frame[b].used &&
				       model_before(m, b, a);
	}
	for (a = 0; a < CAN_RX_RING_SLOTS; a++)
		m->frame[a].position = position[a];
	m->position += m->count;
	m->bus_order = bus_order;
	can_tx_queue_set_bus_order(m->tx, bus_order);
}

/**
 * struct order - a case of the comparison with the model
 * @name: of the case
 * @buffers: transmit buffers of the chip
 * @bus_order: as of the queue
 * @change: switch the order now and then
 */
struct order {
	const char *name;
	unsigned int buffers;
	bool bus_order;
	bool change;
};

static const struct order orders[] = {
	{ "first come, one buffer", 1, false, false },
	{ "first come, three buffers", 3, false, false },
	{ "bus, one buffer", 1, true, false },
	{ "bus, three buffers", 3, true, false },
	{ "switched, one buffer", 1, true, true },
	{ "switched, three buffers", 3, true, true },
};

static void order_name(const struct order *order, char *desc)
{
	strscpy(desc, order->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(orders, orders, order_name);

/* More frames are added than sent, or the other way round. */
static void model_step(struct model *m, bool fill)
{
	u32 r = prandom_u32_state(&m->rnd) % 16;

	if (r < (fill ? 6 : 3))
		model_add(m);
	else if (r < 9)
		model_load(m);
	else if (r < (fill ? 11 : 13))
		model_send(m);
	else if (r < 14)
		model_abort(m);
	else
		model_give_back(m);
}

#define STEPS 20000

static void order_is_that_of_the_model(struct kunit *test)
{
	const struct order *order = test->param_value;
	struct model *m = kunit_kzalloc(test, sizeof(*m), GFP_KERNEL);
	struct rig *rig = test->priv;
	unsigned int i;

	KUNIT_ASSERT_NOT_NULL(test, m);
	m->test = test;
	m->tx = &rig->tx;
	m->name = order->name;
	m->buffers = order->buffers;
	prandom_seed_state(&m->rnd, SEED);
	model_set_bus_order(m, order->bus_order);
	for (i = 0; i < STEPS; i++) {
		if (order->change && i % 64 == 63)
			model_set_bus_order(m, !m->bus_order);
		model_step(m, i / 256 % 2);
		model_compare(m);
		cond_resched();
	}
	while (m->count) {
		model_give_back(m);
		model_load(m);
		model_send(m);
		model_compare(m);
	}
	KUNIT_EXPECT_EQ(test, m->sent, m->number);
	KUNIT_EXPECT_EQ(test, m->tx->loaded | m->tx->aborting, 0);
	/* otherwise the test did not cover them */
	KUNIT_EXPECT_GT(test, m->sent, STEPS / 16);
	KUNIT_EXPECT_GT(test, m->returned, STEPS / 200);
}

static void rig_send_all(struct rig *rig, const canid_t *ids, unsigned int count, int *slots)
{
	unsigned int i, depth = rig->tx.depth;

	rig->tx.depth = CAN_RX_RING_SLOTS;
	for (i = 0; i < count; i++) {
		slots[i] = rig_send(rig, ids[i]);
		KUNIT_ASSERT_GE(rig->test, slots[i], 0);
	}
	rig->tx.depth = depth;
	can_tx_queue_stop(&rig->tx);
}

/* The frames in the queue are those of slots, whose indices follow. */
static void rig_expect_order(struct rig *rig, const int *slots, const unsigned int *wanted,
			     unsigned int count)
{
	unsigned int i;

	KUNIT_ASSERT_EQ(rig->test, rig->tx.count, count);
	for (i = 0; i < count; i++)
		KUNIT_EXPECT_EQ_MSG(rig->test, rig->tx.order[i], slots[wanted[i]], "at %u", i);
}

#define EXPECT_ORDER(rig, slots, ...) do { \
	static const unsigned int __wanted[] = { __VA_ARGS__ }; \
	rig_expect_order(rig, slots, __wanted, ARRAY_SIZE(__wanted)); \
} while (0)

static const canid_t mixed[] = { 0x300, 0x200, 0x300, 0x100, 0x200 };

static void first_come_first_served(struct kunit *test)
{
	struct rig *rig = test->priv;
	int slots[ARRAY_SIZE(mixed)];

	rig_send_all(rig, mixed, ARRAY_SIZE(mixed), slots);
	EXPECT_ORDER(rig, slots, 0, 1, 2, 3, 4);
}

static void switching_sorts_and_keeps_equals(struct kunit *test)
{
	struct rig *rig = test->priv;
	static const canid_t last;
	int slots[ARRAY_SIZE(mixed) + 1];

	rig_send_all(rig, mixed, ARRAY_SIZE(mixed), slots);
	rig_load(rig, slots[0]);
	can_tx_queue_set_bus_order(&rig->tx, true);
	EXPECT_ORDER(rig, slots, 3, 1, 4, 0, 2);
	/* the chip still has the first one */
	KUNIT_EXPECT_EQ(test, rig_next(rig), slots[3]);
	KUNIT_EXPECT_EQ(test, rig_inverted(rig), slots[0]);

	can_tx_queue_set_bus_order(&rig->tx, false);
	EXPECT_ORDER(rig, slots, 3, 1, 4, 0, 2);
	KUNIT_EXPECT_EQ(test, rig_inverted(rig), -1);
	rig_send_all(rig, &last, 1, slots + 5);
	EXPECT_ORDER(rig, slots, 3, 1, 4, 0, 2, 5);
}

static void first_come_is_never_inverted(struct kunit *test)
{
	struct rig *rig = test->priv;

	rig_load(rig, rig_send(rig, 0x500));
	rig_send(rig, 0x400);
	KUNIT_EXPECT_EQ(test, rig_inverted(rig), -1);
}

static void equal_frames_are_not_inverted(struct kunit *test)
{
	struct rig *rig = test->priv;

	rig_load(rig, rig_send(rig, 0x500));
	rig_send(rig, 0x500);
	KUNIT_EXPECT_EQ(test, rig_inverted(rig), -1);
}

/* Nothing waits, or nothing is in the chip. */
static void inversion_needs_two_frames(struct kunit *test)
{
	struct rig *rig = test->priv;
	int slot;

	KUNIT_EXPECT_EQ(test, rig_inverted(rig), -1);
	KUNIT_EXPECT_EQ(test, rig_next(rig), -1);
	slot = rig_send(rig, 0x500);
	KUNIT_EXPECT_EQ(test, rig_inverted(rig), -1);
	rig_load(rig, slot);
	KUNIT_EXPECT_EQ(test, rig_inverted(rig), -1);
}

static void last_loaded_frame_is_inverted(struct kunit *test)
{
	static const canid_t ids[] = { 0x300, 0x600, 0x500, 0x400, 0x550 };
	struct rig *rig = test->priv;
	int slots[ARRAY_SIZE(ids)];

	rig_send_all(rig, ids, 3, slots);
	rig_load(rig, slots[0]);
	rig_load(rig, slots[2]);
	rig_load(rig, slots[1]);
	KUNIT_EXPECT_EQ(test, rig_inverted(rig), -1);
	rig_send_all(rig, ids + 3, 2, slots + 3);
	KUNIT_EXPECT_EQ(test, rig_inverted(rig), slots[1]);

	/* one abort at a time */
	rig->tx.aborting = BIT(slots[1]);
	KUNIT_EXPECT_EQ(test, rig_inverted(rig), -1);
	rig_unload(rig, slots[1]);
	KUNIT_EXPECT_EQ(test, rig->tx.aborting, 0);
	KUNIT_EXPECT_EQ(test, rig_inverted(rig), slots[2]);
	rig_load(rig, slots[3]);
	KUNIT_EXPECT_EQ(test, rig_inverted(rig), -1);
}

static void given_back_frame_has_its_place(struct kunit *test)
{
	static const canid_t ids[] = { 0x500, 0x500, 0x600, 0x100 };
	struct rig *rig = test->priv;
	int slots[ARRAY_SIZE(ids)];
	unsigned int i;

	rig_send_all(rig, ids, 3, slots);
	rig_load(rig, slots[0]);
	rig_send_all(rig, ids + 3, 1, slots + 3);
	KUNIT_ASSERT_EQ(test, rig_inverted(rig), slots[0]);
	rig->tx.aborting = BIT(slots[0]);
	rig_unload(rig, slots[0]);
	EXPECT_ORDER(rig, slots, 3, 0, 1, 2);
	for (i = 0; i < ARRAY_SIZE(ids); i++) {
		rig_end_next(rig);
		rig_poll(rig, NAPI_POLL_WEIGHT);
		KUNIT_EXPECT_EQ(test, rig->echo_last, (i + 3) % 4);
	}
	KUNIT_EXPECT_EQ(test, rig->echoes, ARRAY_SIZE(ids));
}

/* The chip was too late to give it back. */
static void aborted_frame_may_be_sent(struct kunit *test)
{
	struct rig *rig = test->priv;
	int slot = rig_send(rig, 0x500);

	rig_load(rig, slot);
	rig_send(rig, 0x400);
	rig->tx.aborting = BIT(slot);
	rig_end(rig, slot);
	KUNIT_EXPECT_EQ(test, rig->tx.aborting, 0);
	rig_end_next(rig);
	KUNIT_EXPECT_EQ(test, rig->tx.count, 0);
	rig_poll(rig, NAPI_POLL_WEIGHT);
	KUNIT_EXPECT_EQ(test, rig->echoes, 2);
}

/* If it is given back later, one with the same identifier must not be in the chip already. */
static void identifier_waits_for_its_abort(struct kunit *test)
{
	static const canid_t ids[] = { 0x300, 0x500, 0x500, 0x100 };
	struct rig *rig = test->priv;
	int slots[ARRAY_SIZE(ids)];

	rig_send_all(rig, ids, 3, slots);
	rig_load(rig, slots[0]);
	rig_load(rig, slots[1]);
	rig_send_all(rig, ids + 3, 1, slots + 3);
	KUNIT_ASSERT_EQ(test, rig_inverted(rig), slots[1]);
	rig->tx.aborting = BIT(slots[1]);
	rig_end(rig, slots[0]);
	rig_load(rig, slots[3]);
	KUNIT_EXPECT_EQ(test, rig_next(rig), -1);
	rig_end(rig, slots[3]);
	KUNIT_EXPECT_EQ(test, rig_next(rig), -1);
	rig_unload(rig, slots[1]);
	rig_load(rig, slots[1]);
	rig_load(rig, slots[2]);
}

/* Room */

static void depth_stops_the_queue(struct kunit *test)
{
	struct rig *rig = test->priv;
	unsigned int i;

	for (i = 0; i < CAN_TX_QUEUE_DEPTH; i++) {
		EXPECT_STARTED(rig);
		KUNIT_EXPECT_TRUE(test, can_tx_queue_ready(&rig->tx));
		EXPECT_SENT(rig, 0x100);
	}
	KUNIT_EXPECT_FALSE(test, can_tx_queue_ready(&rig->tx));
	EXPECT_BUSY(rig, 0x100);
	KUNIT_EXPECT_EQ(test, rig->tx.count, CAN_TX_QUEUE_DEPTH);
	rig_end_next(rig);
	EXPECT_STARTED(rig);
	EXPECT_SENT(rig, 0x100);
	EXPECT_BUSY(rig, 0x100);
}

static void closed_queue_is_not_ready(struct kunit *test)
{
	struct rig *rig = test->priv;

	can_tx_queue_close(&rig->tx);
	KUNIT_EXPECT_FALSE(test, can_tx_queue_ready(&rig->tx));
	KUNIT_EXPECT_EQ(test, rig_send(rig, 0x100), -1);
	EXPECT_BUSY(rig, 0x100);
	can_rx_ring_wake(&rig->offload);
	EXPECT_STOPPED(rig);
	can_tx_queue_open(&rig->tx);
	EXPECT_STOPPED(rig);
	can_rx_ring_wake(&rig->offload);
	EXPECT_SENT(rig, 0x100);
}

/* It is closed after ndo_start_xmit() has found it open. */
static void closing_stops_the_queue(struct kunit *test)
{
	struct rig *rig = test->priv;

	EXPECT_SENT(rig, 0x100);
	can_tx_queue_close(&rig->tx);
	can_tx_queue_stop(&rig->tx);
	EXPECT_STOPPED(rig);
}

static void queue_is_closed_at_first(struct kunit *test)
{
	struct rig *rig = test->priv;
	struct can_tx_queue *tx = kunit_kzalloc(test, sizeof(*tx), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, tx);
	can_tx_queue_init(tx, &rig->offload, CAN_TX_QUEUE_DEPTH, NULL);
	KUNIT_EXPECT_FALSE(test, can_tx_queue_ready(tx));
	KUNIT_EXPECT_FALSE(test, tx->bus_order);
	KUNIT_EXPECT_PTR_EQ(test, rig->offload.ring->tx_queue, tx);
	can_tx_queue_init(&rig->tx, &rig->offload, CAN_TX_QUEUE_DEPTH, NULL);
}

static void reset_discards_frames(struct kunit *test)
{
	struct rig *rig = test->priv;

	rig_fill(rig);
	EXPECT_BUSY(rig, 0x600);
	rig->tx.aborting = rig->tx.loaded;
	can_tx_queue_close(&rig->tx);
	can_tx_queue_reset(&rig->tx);
	KUNIT_EXPECT_EQ(test, rig->tx.refused, 0);
	KUNIT_EXPECT_EQ(test, rig->tx.count, 0);
	KUNIT_EXPECT_EQ(test, rig->tx.next_urgency, U32_MAX);
	KUNIT_EXPECT_EQ(test, rig_next(rig), -1);
	KUNIT_EXPECT_EQ(test, rig->tx.loaded | rig->tx.aborting, 0);
	KUNIT_EXPECT_FALSE(test, can_tx_queue_ready(&rig->tx));
	/* a setting */
	KUNIT_EXPECT_TRUE(test, rig->tx.bus_order);
}

/* Urgency */

#define LEAST_URGENT (CAN_EFF_FLAG | CAN_RTR_FLAG | CAN_EFF_MASK)

static void urgent_frame_is_accepted(struct kunit *test)
{
	struct rig *rig = test->priv;

	rig_fill(rig);
	EXPECT_ACCEPTED(rig, 0x100);
	EXPECT_STOPPED(rig);
	EXPECT_IDS(rig, 0x100, 0x400, 0x500);
	KUNIT_EXPECT_FALSE(test, can_tx_queue_ready(&rig->tx));
	/* there is no room until less than the depth is left */
	EXPECT_KEPT(rig, 0x600);
	rig_end_next(rig);
	EXPECT_HANDED_ON(rig, 0);
	EXPECT_BUSY(rig, 0x600);
	rig->refused = 0;
	rig_end_next(rig);
	EXPECT_HANDED_ON(rig, 1);
	EXPECT_IDS(rig, 0x500, 0x600);
}

/* The chip holds 0x700, which never wins, and 0x701 waits for it. */
static int rig_last(struct rig *rig)
{
	int slot = rig_send(rig, 0x700);

	rig_load(rig, slot);
	EXPECT_SENT(rig, 0x701);
	EXPECT_STOPPED(rig);
	return slot;
}

/* Each one precedes the one before. */
static void urgent_frames_in_descending_order(struct kunit *test)
{
	struct rig *rig = test->priv;

	rig_last(rig);
	EXPECT_ACCEPTED(rig, 0x90);
	EXPECT_STOPPED(rig);
	EXPECT_ACCEPTED(rig, 0x81);
	EXPECT_STOPPED(rig);
	EXPECT_ACCEPTED(rig, 0x80);
	EXPECT_STOPPED(rig);
	EXPECT_IDS(rig, 0x80, 0x81, 0x90, 0x700, 0x701);
}

/* Each one precedes the next one to be loaded when the one before is in the chip. */
static void urgent_frames_in_ascending_order(struct kunit *test)
{
	struct rig *rig = test->priv;
	int last = rig_last(rig);

	EXPECT_ACCEPTED(rig, 0x80);
	EXPECT_KEPT(rig, 0x81);
	EXPECT_KEPT(rig, 0x90);
	EXPECT_IDS(rig, 0x80, 0x700, 0x701);
	EXPECT_WAITING(rig, 0x81, 0x90);

	/* in another buffer of the chip than 0x700 */
	rig_end_next(rig);
	EXPECT_STARTED(rig);
	EXPECT_HANDED_ON(rig, 1);
	EXPECT_STOPPED(rig);
	EXPECT_IDS(rig, 0x81, 0x700, 0x701);
	rig_end_next(rig);
	EXPECT_STARTED(rig);
	EXPECT_HANDED_ON(rig, 1);
	EXPECT_STOPPED(rig);
	EXPECT_IDS(rig, 0x90, 0x700, 0x701);
	KUNIT_EXPECT_EQ(test, rig->waits, 0);
	rig_end_next(rig);
	EXPECT_IDS(rig, 0x700, 0x701);
	EXPECT_STOPPED(rig);
	rig_poll(rig, NAPI_POLL_WEIGHT);
	KUNIT_EXPECT_EQ(test, rig->echoes, 3);
	KUNIT_EXPECT_EQ(test, rig->tx.loaded, BIT(last));
}

/* The chip has one buffer, and gives back 0x700. */
static void urgent_frames_in_ascending_order_after_an_abort(struct kunit *test)
{
	struct rig *rig = test->priv;
	int last = rig_last(rig);

	EXPECT_ACCEPTED(rig, 0x80);
	EXPECT_KEPT(rig, 0x81);
	EXPECT_KEPT(rig, 0x90);
	KUNIT_EXPECT_EQ(test, rig_inverted(rig), last);
	rig->tx.aborting = BIT(last);
	rig_unload(rig, last);
	rig_load(rig, rig->tx.order[0]);
	/* as the driver does */
	can_rx_ring_wake(&rig->offload);
	EXPECT_STARTED(rig);
	EXPECT_HANDED_ON(rig, 1);
	EXPECT_STOPPED(rig);
	EXPECT_IDS(rig, 0x80, 0x81, 0x700, 0x701);
	rig_end(rig, rig->tx.order[0]);
	EXPECT_HANDED_ON(rig, 0);
	rig_load(rig, rig->tx.order[0]);
	can_rx_ring_wake(&rig->offload);
	EXPECT_HANDED_ON(rig, 1);
	EXPECT_STOPPED(rig);
	EXPECT_IDS(rig, 0x81, 0x90, 0x700, 0x701);
	rig_end(rig, rig->tx.order[0]);
	rig_end_next(rig);
	EXPECT_IDS(rig, 0x700, 0x701);
	rig_poll(rig, NAPI_POLL_WEIGHT);
	KUNIT_EXPECT_EQ(test, rig->echoes, 3);
}

/* One is accepted at a time, and they are sent in their order. */
static void many_urgent_frames_in_ascending_order(struct kunit *test)
{
	struct rig *rig = test->priv;
	u32 i;

	rig_last(rig);
	EXPECT_ACCEPTED(rig, 0x80);
	for (i = 1; i < WAITING; i++)
		EXPECT_KEPT(rig, 0x80 + i);
	for (i = 1; i < WAITING; i++) {
		rig_end_next(rig);
		rig_poll(rig, NAPI_POLL_WEIGHT);
		KUNIT_EXPECT_EQ(test, rig->echoes, i);
		EXPECT_STARTED(rig);
		EXPECT_HANDED_ON(rig, 1);
		EXPECT_STOPPED(rig);
		KUNIT_EXPECT_EQ(test, rig->tx.count, 3);
		KUNIT_EXPECT_EQ(test, rig->tx.frame[rig->tx.order[0]].can_id, 0x80 + i);
	}
	KUNIT_EXPECT_EQ(test, rig->waits, 0);
	rig_end_next(rig);
	EXPECT_IDS(rig, 0x700, 0x701);
	EXPECT_STOPPED(rig);
}

/* Those for which there is a slot are accepted at once, and the others as slots become free. */
static void many_urgent_frames_in_descending_order(struct kunit *test)
{
	struct rig *rig = test->priv;
	canid_t id = 0;
	u32 i;

	rig_last(rig);
	for (i = 2; i < 24; i++) {
		id = id_for_slot(i, 0x700);
		EXPECT_ACCEPTED(rig, id);
	}
	KUNIT_EXPECT_EQ(test, rig->tx.count, 24);
	for (i = 0; i < 8; i++)
		EXPECT_KEPT(rig, --id);
	/* the most urgent one takes the slot, and the others do not precede it */
	for (i = 0; i < 8; i++) {
		rig_end_next(rig);
		EXPECT_STOPPED(rig);
		rig_poll(rig, NAPI_POLL_WEIGHT);
		EXPECT_STARTED(rig);
		EXPECT_HANDED_ON(rig, 1);
		EXPECT_STOPPED(rig);
		KUNIT_EXPECT_EQ(test, rig->tx.frame[rig->tx.order[0]].can_id, id + i);
	}
	KUNIT_EXPECT_EQ(test, rig->waits, 0);
	KUNIT_EXPECT_EQ(test, rig->tx.count, 24);
}

static void ever_more_urgent_frames_use_all_slots(struct kunit *test)
{
	struct rig *rig = test->priv;
	u32 i;

	rig_fill(rig);
	for (i = 2; i < CAN_RX_RING_SLOTS; i++) {
		EXPECT_ACCEPTED(rig, id_for_slot(i, 0x400));
		EXPECT_STOPPED(rig);
	}
	KUNIT_EXPECT_EQ(test, rig->tx.count, CAN_RX_RING_SLOTS);
	EXPECT_BUSY(rig, 0x100);
	KUNIT_EXPECT_EQ(test, rig_inverted(rig), rig->tx.order[CAN_RX_RING_SLOTS - 1]);

	/* the last one first; 0x500 is in the chip until the others are sent */
	for (i = CAN_RX_RING_SLOTS; i-- > 1;) {
		rig_end_next(rig);
		rig_poll(rig, NAPI_POLL_WEIGHT);
		KUNIT_EXPECT_EQ(test, rig->echo_last, i);
	}
	KUNIT_EXPECT_EQ(test, rig_next(rig), -1);
	rig_end(rig, rig->tx.order[0]);
	rig_poll(rig, NAPI_POLL_WEIGHT);
	KUNIT_EXPECT_EQ(test, rig->echoes, CAN_RX_RING_SLOTS);
	EXPECT_STARTED(rig);
}

/* Each identifier from the last one on is sent until no more of it precede: after each one
 * as many slots are in use as it may, at most.
 */
static void slots_are_rationed(struct kunit *test)
{
	struct rig *rig = test->priv;
	unsigned int used;
	canid_t id;

	rig_load(rig, rig_send(rig, CAN_SFF_MASK));
	EXPECT_SENT(rig, CAN_SFF_MASK);
	for (id = CAN_SFF_MASK; id--;) {
		used = rig_slots(rig);
		KUNIT_ASSERT_EQ_MSG(test, rig_enqueue(rig, id), used < slots_of(id),
				    "%03x with %u slots in use", id, used);
		/* it does not wait any longer */
		if (rig->waits)
			rig_expire(rig);
	}
	KUNIT_EXPECT_EQ(test, rig_slots(rig), CAN_RX_RING_SLOTS);
	KUNIT_EXPECT_EQ(test, rig->refused, 0);
}

/* They lose, and are ever more urgent: they leave slots for those that are much more urgent. */
static void frames_of_low_urgency_leave_slots(struct kunit *test)
{
	struct rig *rig = test->priv;
	canid_t id;

	rig_last(rig);
	for (id = 0x700; id-- > 0x081;) {
		rig_enqueue(rig, id);
		rig->waits = 0;
		rig_publish(rig);
	}
	KUNIT_EXPECT_EQ(test, rig_slots(rig), 30);
	EXPECT_ACCEPTED(rig, 0x080);
	EXPECT_STOPPED(rig);
	EXPECT_KEPT(rig, 0x07f);
	EXPECT_KEPT(rig, 0x041);
	EXPECT_ACCEPTED(rig, 0);
	EXPECT_STOPPED(rig);
	EXPECT_WAITING(rig, 0x041, 0x07f);
	KUNIT_EXPECT_EQ(test, rig_slots(rig), CAN_RX_RING_SLOTS);
}

/* The first slots beyond the depth are for all that precede. */
static void two_slots_are_free_for_all(struct kunit *test)
{
	struct rig *rig = test->priv;

	rig_load(rig, rig_send(rig, LEAST_URGENT));
	EXPECT_SENT(rig, LEAST_URGENT);
	EXPECT_ACCEPTED(rig, LEAST_URGENT - 1);
	EXPECT_STOPPED(rig);
	EXPECT_ACCEPTED(rig, LEAST_URGENT - 2);
	EXPECT_STOPPED(rig);
	EXPECT_KEPT(rig, LEAST_URGENT - 3);
	EXPECT_KEPT(rig, 0x701);
	EXPECT_ACCEPTED(rig, 0x700);
	EXPECT_STOPPED(rig);
	EXPECT_WAITING(rig, 0x701, LEAST_URGENT - 3);
	EXPECT_IDS(rig, 0x700, LEAST_URGENT - 2, LEAST_URGENT - 1, LEAST_URGENT, LEAST_URGENT);
}

/* The slot of a frame is in use until its echo was polled. */
static void echoes_count_as_used(struct kunit *test)
{
	struct rig *rig = test->priv;
	unsigned int i;

	for (i = 0; i < 10; i++) {
		EXPECT_SENT(rig, 0x600);
		rig_end_next(rig);
	}
	/* below the depth, slots are not rationed */
	rig_last(rig);
	KUNIT_EXPECT_EQ(test, rig_slots(rig), 12);
	EXPECT_KEPT(rig, 0x501);
	EXPECT_ACCEPTED(rig, 0x500);
	EXPECT_STOPPED(rig);
	rig_end_next(rig);
	EXPECT_STOPPED(rig);
	KUNIT_EXPECT_EQ(test, rig_slots(rig), 13);
	rig_poll(rig, 1);
	EXPECT_STOPPED(rig);
	rig_poll(rig, 1);
	EXPECT_STARTED(rig);
	EXPECT_HANDED_ON(rig, 1);
	EXPECT_STOPPED(rig);
	EXPECT_IDS(rig, 0x501, 0x700, 0x701);
}

static const canid_t foreign[] = { 0x600, 0x450, 0x200 };

static void foreign_name(const canid_t *id, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%03x", *id);
}

KUNIT_ARRAY_PARAM(foreign, foreign, foreign_name);

/* One that does not come from the discipline uses nothing up. */
static void foreign_frame_is_accepted_first(struct kunit *test)
{
	const canid_t *id = test->param_value;
	struct rig *rig = test->priv;

	rig_fill(rig);
	rig_wait(rig, 0x100);
	EXPECT_STARTED(rig);
	EXPECT_SENT(rig, *id);
	EXPECT_STARTED(rig);
	EXPECT_HANDED_ON(rig, 1);
	EXPECT_STOPPED(rig);
	KUNIT_EXPECT_EQ(test, rig->tx.frame[rig->tx.order[0]].can_id, 0x100);
	KUNIT_EXPECT_EQ(test, rig->tx.count, CAN_TX_QUEUE_DEPTH + 2);
}

/* The frame has to precede the next one to be loaded, which is 0x400. */
static void frame_that_precedes_nothing(struct kunit *test)
{
	struct rig *rig = test->priv;

	rig_fill(rig);
	EXPECT_KEPT(rig, 0x450);
	EXPECT_KEPT(rig, 0x400 | CAN_RTR_FLAG);
	EXPECT_KEPT(rig, 0x400);
	EXPECT_BUSY(rig, 0x400);
	rig->refused = 0;
	EXPECT_ACCEPTED(rig, CAN_EFF_FLAG | 0xffc0000);
	EXPECT_STOPPED(rig);
	EXPECT_WAITING(rig, 0x400, 0x400 | CAN_RTR_FLAG, 0x450);
}

/* The next one to be loaded is 0x500 when 0x400 is in the chip. */
static void end_makes_a_frame_urgent(struct kunit *test)
{
	static const canid_t ids[] = { 0x300, 0x400, 0x500, 0x510 };
	struct rig *rig = test->priv;
	int slots[ARRAY_SIZE(ids)];

	rig_send_all(rig, ids, ARRAY_SIZE(ids), slots);
	rig_load(rig, slots[0]);
	EXPECT_KEPT(rig, 0x450);
	EXPECT_KEPT(rig, 0x505);
	rig_end(rig, slots[0]);
	EXPECT_HANDED_ON(rig, 0);
	EXPECT_STOPPED(rig);
	rig_end_next(rig);
	EXPECT_STARTED(rig);
	EXPECT_HANDED_ON(rig, 1);
	EXPECT_STOPPED(rig);
	EXPECT_IDS(rig, 0x450, 0x500, 0x510);
	EXPECT_WAITING(rig, 0x505);
}

/* The discipline has handed on its first frame and tells of the next one, if any, before
 * ndo_start_xmit() begins.
 */
static void frame_on_its_way_is_accepted(struct kunit *test)
{
	struct rig *rig = test->priv;

	rig_fill(rig);
	rig_wait(rig, 0x100);
	KUNIT_EXPECT_EQ(test, rig_dequeue(rig), 0x100);
	KUNIT_EXPECT_EQ(test, can_get_ml_priv(rig->dev)->tx_urgency, 0);
	KUNIT_EXPECT_FALSE(test, can_tx_queue_ready(&rig->tx));
	EXPECT_SENT(rig, 0x100);
	EXPECT_STOPPED(rig);

	rig_wait(rig, 0x80);
	rig_wait(rig, 0x600);
	KUNIT_EXPECT_EQ(test, rig_dequeue(rig), 0x80);
	KUNIT_EXPECT_EQ(test, can_get_ml_priv(rig->dev)->tx_urgency, urgency(0x600));
	EXPECT_SENT(rig, 0x80);
	EXPECT_STOPPED(rig);
	EXPECT_IDS(rig, 0x80, 0x100, 0x400, 0x500);
}

/* If the chip has them all, the frame has to precede the last one, which is 0x500. */
static void urgency_while_all_are_loaded(struct kunit *test)
{
	struct rig *rig = test->priv;

	rig_fill(rig);
	rig_load(rig, rig_next(rig));
	EXPECT_KEPT(rig, 0x500);
	EXPECT_ACCEPTED(rig, 0x450);
	EXPECT_STOPPED(rig);
	EXPECT_IDS(rig, 0x400, 0x450, 0x500);
}

/* Of those that wait, the first one counts also while another one is aborted. */
static void urgency_during_an_abort(struct kunit *test)
{
	static const canid_t ids[] = { 0x500, 0x600, 0x700 };
	struct rig *rig = test->priv;
	int slots[ARRAY_SIZE(ids)];

	rig_send_all(rig, ids, ARRAY_SIZE(ids), slots);
	rig_load(rig, slots[0]);
	rig->tx.aborting = BIT(slots[0]);
	KUNIT_EXPECT_EQ(test, rig_next(rig), -1);
	EXPECT_KEPT(rig, 0x650);
	EXPECT_ACCEPTED(rig, 0x550);
	EXPECT_STOPPED(rig);
	/* given back */
	rig_unload(rig, slots[0]);
	EXPECT_ACCEPTED(rig, 0x450);
	EXPECT_KEPT(rig, 0x500);
	EXPECT_IDS(rig, 0x450, 0x500, 0x550, 0x600, 0x700);
}

/* The discipline gets a frame while ndo_start_xmit() of the frame before runs. */
static void urgency_between_add_and_stop(struct kunit *test)
{
	struct rig *rig = test->priv;
	struct netdev_queue *queue = netdev_get_tx_queue(rig->dev, 0);

	rig_load(rig, rig_send(rig, 0x700));
	__netif_tx_lock_bh(queue);
	KUNIT_EXPECT_GE(test, rig_add(rig, 0x701), 0);
	rig_wait(rig, 0x80);
	EXPECT_STARTED(rig);
	can_tx_queue_stop(&rig->tx);
	__netif_tx_unlock_bh(queue);
	EXPECT_STARTED(rig);
	EXPECT_HANDED_ON(rig, 1);
	EXPECT_STOPPED(rig);
	EXPECT_IDS(rig, 0x80, 0x700, 0x701);
}

/* The same after can_tx_queue_stop() has found no room */
static void urgency_while_the_queue_is_being_stopped(struct kunit *test)
{
	struct rig *rig = test->priv;
	struct netdev_queue *queue = netdev_get_tx_queue(rig->dev, 0);

	rig_load(rig, rig_send(rig, 0x700));
	__netif_tx_lock_bh(queue);
	KUNIT_EXPECT_GE(test, rig_add(rig, 0x701), 0);
	KUNIT_EXPECT_FALSE(test, can_tx_queue_ready(&rig->tx));
	rig_wait(rig, 0x80);
	EXPECT_STARTED(rig);
	__can_tx_queue_stop(&rig->tx);
	__netif_tx_unlock_bh(queue);
	EXPECT_STARTED(rig);
	EXPECT_HANDED_ON(rig, 1);
	EXPECT_STOPPED(rig);
	EXPECT_IDS(rig, 0x80, 0x700, 0x701);
}

/* The queue was started for a frame that is gone. */
static void urgency_of_a_frame_that_has_gone(struct kunit *test)
{
	struct rig *rig = test->priv;

	rig_fill(rig);
	rig_wait(rig, 0x100);
	EXPECT_STARTED(rig);
	rig_expire(rig);
	EXPECT_STOPPED(rig);
	EXPECT_KEPT(rig, 0x600);
	EXPECT_BUSY(rig, 0x600);
	EXPECT_IDS(rig, 0x400, 0x500);
}

static void frame_that_expires_lets_no_other_in(struct kunit *test)
{
	struct rig *rig = test->priv;

	rig_fill(rig);
	EXPECT_KEPT(rig, 0x450);
	rig_wait(rig, 0x100);
	EXPECT_STARTED(rig);
	rig_expire(rig);
	EXPECT_STOPPED(rig);
	EXPECT_HANDED_ON(rig, 0);
	EXPECT_IDS(rig, 0x400, 0x500);
	EXPECT_WAITING(rig, 0x450);

	/* there is room for the next one */
	rig_wait(rig, 0x200);
	rig_wait(rig, 0x100);
	EXPECT_STARTED(rig);
	rig_expire(rig);
	EXPECT_STARTED(rig);
	EXPECT_HANDED_ON(rig, 1);
	EXPECT_STOPPED(rig);
	EXPECT_IDS(rig, 0x200, 0x400, 0x500);
	EXPECT_WAITING(rig, 0x450);

	/* and below the depth for any */
	rig_end_next(rig);
	rig_end_next(rig);
	EXPECT_STARTED(rig);
	rig_wait(rig, 0x100);
	rig_expire(rig);
	EXPECT_STARTED(rig);
	EXPECT_HANDED_ON(rig, 1);
	EXPECT_STOPPED(rig);
	EXPECT_IDS(rig, 0x450, 0x500);
}

/* There is room when the frame before has expired. */
static void frame_that_expires_makes_room(struct kunit *test)
{
	struct rig *rig = test->priv;

	EXPECT_SENT(rig, 0x100);
	netif_stop_queue(rig->dev);
	rig_wait(rig, 0x300);
	EXPECT_STARTED(rig);
	netif_stop_queue(rig->dev);
	rig_expire(rig);
	EXPECT_STARTED(rig);
}

/* It was handed on, then a less urgent one is the first that waits: the queue is stopped before
 * ndo_start_xmit() begins.
 */
static void frame_that_is_overtaken_by_a_stop(struct kunit *test)
{
	struct rig *rig = test->priv;

	rig_fill(rig);
	rig_wait(rig, 0x100);
	KUNIT_EXPECT_EQ(test, rig_dequeue(rig), 0x100);
	rig_wait(rig, 0x450);
	EXPECT_STOPPED(rig);
	KUNIT_EXPECT_EQ(test, rig_send(rig, 0x100), -1);
	rig_requeue(rig, 0x100);
	rig->refused = 0;
	EXPECT_STARTED(rig);
	EXPECT_HANDED_ON(rig, 1);
	EXPECT_STOPPED(rig);
	EXPECT_IDS(rig, 0x100, 0x400, 0x500);
	EXPECT_WAITING(rig, 0x450);
	KUNIT_EXPECT_EQ(test, rig->tx.refused, 0);
}

/* A frame of the discipline, 0x100, is refused: 0x80 came first. */
static void rig_refuse(struct rig *rig)
{
	rig_fill(rig);
	rig_wait(rig, 0x100);
	KUNIT_EXPECT_EQ(rig->test, rig_dequeue(rig), 0x100);
	EXPECT_SENT(rig, 0x80);
	EXPECT_BUSY(rig, 0x100);
	rig_requeue(rig, 0x100);
	rig->refused = 0;
	KUNIT_EXPECT_EQ(rig->test, rig->tx.refused, urgency(0x100));
	EXPECT_IDS(rig, 0x80, 0x400, 0x500);
}

/* The queue is started for it, as for one that waits in the discipline. */
static void refused_frame_is_urgent(struct kunit *test)
{
	struct rig *rig = test->priv;

	rig_refuse(rig);
	EXPECT_KEPT(rig, 0x450);
	rig_end_next(rig);
	EXPECT_STARTED(rig);
	EXPECT_HANDED_ON(rig, 1);
	EXPECT_STOPPED(rig);
	EXPECT_IDS(rig, 0x100, 0x400, 0x500);
	EXPECT_WAITING(rig, 0x450);
	/* it does not count any longer */
	rig_end_next(rig);
	EXPECT_STOPPED(rig);
	EXPECT_IDS(rig, 0x400, 0x500);
}

/* Also if the queue is started for a more urgent one, or one that expires */
static void refused_frame_is_handed_on_first(struct kunit *test)
{
	struct rig *rig = test->priv;

	rig_refuse(rig);
	rig_wait(rig, 0x60);
	EXPECT_STARTED(rig);
	EXPECT_HANDED_ON(rig, 2);
	EXPECT_STOPPED(rig);
	EXPECT_IDS(rig, 0x60, 0x80, 0x100, 0x400, 0x500);
}

static void refused_frame_keeps_its_urgency(struct kunit *test)
{
	struct rig *rig = test->priv;

	rig_refuse(rig);
	rig_wait(rig, 0x60);
	EXPECT_STARTED(rig);
	rig_expire(rig);
	EXPECT_STOPPED(rig);
	EXPECT_HANDED_ON(rig, 0);
	rig_end_next(rig);
	EXPECT_STARTED(rig);
	/* more frames that come, or expire, do not stop it */
	rig_wait(rig, 0x450);
	EXPECT_STARTED(rig);
	rig_expire(rig);
	EXPECT_STARTED(rig);
	EXPECT_HANDED_ON(rig, 1);
	EXPECT_STOPPED(rig);
	EXPECT_IDS(rig, 0x100, 0x400, 0x500);
}

/* Slots are rationed for it, too. */
static void refused_frame_waits_for_a_slot(struct kunit *test)
{
	struct rig *rig = test->priv;

	rig_fill_slots(rig);
	EXPECT_BUSY(rig, 0x100);
	rig_requeue(rig, 0x100);
	rig->refused = 0;
	rig_poll(rig, CAN_RX_RING_SLOTS - slots_of(0x100));
	EXPECT_STOPPED(rig);
	rig_poll(rig, 1);
	EXPECT_STARTED(rig);
	EXPECT_HANDED_ON(rig, 1);
	EXPECT_STOPPED(rig);
	EXPECT_IDS(rig, 0x100, 0x400, 0x500);
}

static void urgent_frame_and_a_closed_queue(struct kunit *test)
{
	struct rig *rig = test->priv;

	rig_fill(rig);
	can_tx_queue_close(&rig->tx);
	EXPECT_KEPT(rig, 0x100);
	KUNIT_EXPECT_FALSE(test, can_tx_queue_ready(&rig->tx));
	EXPECT_BUSY(rig, 0x100);
	rig->refused = 0;
	can_tx_queue_open(&rig->tx);
	EXPECT_STOPPED(rig);
	can_rx_ring_wake(&rig->offload);
	EXPECT_STARTED(rig);
	EXPECT_HANDED_ON(rig, 1);
	EXPECT_STOPPED(rig);
	EXPECT_IDS(rig, 0x100, 0x400, 0x500);

	/* closed before ndo_start_xmit() */
	rig_wait(rig, 0x80);
	EXPECT_STARTED(rig);
	can_tx_queue_close(&rig->tx);
	KUNIT_EXPECT_EQ(test, rig_run(rig), 0);
	EXPECT_STOPPED(rig);
	EXPECT_IDS(rig, 0x100, 0x400, 0x500);
	rig->refused = 0;
	can_tx_queue_open(&rig->tx);
	can_rx_ring_wake(&rig->offload);
	EXPECT_STARTED(rig);
	EXPECT_HANDED_ON(rig, 1);
	EXPECT_STOPPED(rig);
	EXPECT_IDS(rig, 0x80, 0x100, 0x400, 0x500);
}

/* There is room without it, and it does not last. */
static void urgent_frames_below_the_depth(struct kunit *test)
{
	struct rig *rig = test->priv;

	EXPECT_ACCEPTED(rig, 0x100);
	EXPECT_STARTED(rig);
	EXPECT_ACCEPTED(rig, 0x200);
	EXPECT_STOPPED(rig);
	EXPECT_KEPT(rig, 0x300);
	EXPECT_KEPT(rig, 0x180);
	rig_end_next(rig);
	EXPECT_HANDED_ON(rig, 1);
	EXPECT_STOPPED(rig);
	EXPECT_IDS(rig, 0x180, 0x200);
	EXPECT_WAITING(rig, 0x300);
}

static void urgent_frame_waits_for_a_slot(struct kunit *test)
{
	struct rig *rig = test->priv;

	rig_fill_slots(rig);
	EXPECT_KEPT(rig, 0);
	EXPECT_BUSY(rig, 0);
	rig->refused = 0;
	rig_poll(rig, 1);
	EXPECT_STARTED(rig);
	EXPECT_HANDED_ON(rig, 1);
	EXPECT_IDS(rig, 0, 0x400, 0x500);
	EXPECT_BUSY(rig, 0x80);
	rig->refused = 0;
	EXPECT_KEPT(rig, 0x300);
	rig_poll(rig, NAPI_POLL_WEIGHT);
	EXPECT_STOPPED(rig);
	EXPECT_KEPT(rig, 0x300);
}

static void foreign_frame_takes_the_slot(struct kunit *test)
{
	const canid_t *id = test->param_value;
	struct rig *rig = test->priv;

	rig_fill_slots(rig);
	EXPECT_KEPT(rig, 0);
	rig_poll(rig, 1);
	EXPECT_SENT(rig, *id);
	EXPECT_STOPPED(rig);
	EXPECT_HANDED_ON(rig, 0);
	rig_poll(rig, 1);
	EXPECT_STARTED(rig);
	EXPECT_HANDED_ON(rig, 1);
	EXPECT_STOPPED(rig);
	KUNIT_EXPECT_EQ(test, rig->tx.frame[rig->tx.order[0]].can_id, 0);
	rig_poll(rig, NAPI_POLL_WEIGHT);
	EXPECT_STOPPED(rig);
}

/* Its key is U32_MAX: it precedes nothing, as if no frame waited. */
static void least_urgent_key(struct kunit *test)
{
	struct rig *rig = test->priv;

	KUNIT_EXPECT_EQ(test, urgency(LEAST_URGENT), 0);
	rig_load(rig, rig_send(rig, LEAST_URGENT));
	EXPECT_ACCEPTED(rig, LEAST_URGENT);
	EXPECT_STOPPED(rig);
	EXPECT_KEPT(rig, LEAST_URGENT);
	EXPECT_BUSY(rig, LEAST_URGENT);
	rig->refused = 0;
	EXPECT_ACCEPTED(rig, LEAST_URGENT & ~CAN_RTR_FLAG);
	EXPECT_STOPPED(rig);
	EXPECT_WAITING(rig, LEAST_URGENT);
	rig_end_next(rig);
	EXPECT_HANDED_ON(rig, 0);
	rig_end_next(rig);
	EXPECT_HANDED_ON(rig, 1);
	EXPECT_IDS(rig, LEAST_URGENT, LEAST_URGENT);
}

/* The key of the identifier 0 is 0: it precedes all others. */
static void most_urgent_key(struct kunit *test)
{
	struct rig *rig = test->priv;

	KUNIT_EXPECT_EQ(test, urgency(0), U32_MAX);
	rig_load(rig, rig_send(rig, 1));
	EXPECT_SENT(rig, 1);
	EXPECT_ACCEPTED(rig, 0);
	EXPECT_STOPPED(rig);
	EXPECT_KEPT(rig, 0);
	EXPECT_BUSY(rig, 0);
	rig->refused = 0;
	EXPECT_IDS(rig, 0, 1, 1);
	rig_end_next(rig);
	EXPECT_STARTED(rig);
	EXPECT_HANDED_ON(rig, 1);
	EXPECT_IDS(rig, 0, 1, 1);
}

static void first_come_ignores_urgency(struct kunit *test)
{
	struct rig *rig = test->priv;

	rig_fill(rig);
	KUNIT_EXPECT_EQ(test, rig->tx.next_urgency, U32_MAX);
	EXPECT_KEPT(rig, 0x100);
	EXPECT_KEPT(rig, 0);
	EXPECT_BUSY(rig, 0);
	rig->refused = 0;
	rig_end(rig, rig->tx.order[0]);
	EXPECT_HANDED_ON(rig, 1);
	EXPECT_IDS(rig, 0x400, 0);
	EXPECT_STOPPED(rig);
}

/* It neither wakes nor stops the queue, and room is that of the depth. */
static void first_come_ignores_the_discipline(struct kunit *test)
{
	struct rig *rig = test->priv;

	netif_stop_queue(rig->dev);
	rig_publish(rig);
	EXPECT_STOPPED(rig);
	netif_start_queue(rig->dev);
	rig_fill(rig);
	netif_start_queue(rig->dev);
	rig_publish(rig);
	EXPECT_STARTED(rig);
	KUNIT_EXPECT_EQ(test, rig_send(rig, 0), -1);
	EXPECT_STOPPED(rig);
}

static void switching_starts_the_queue(struct kunit *test)
{
	struct rig *rig = test->priv;

	rig_fill(rig);
	EXPECT_KEPT(rig, 0x100);
	can_tx_queue_set_bus_order(&rig->tx, true);
	EXPECT_STARTED(rig);
	EXPECT_HANDED_ON(rig, 1);
	EXPECT_STOPPED(rig);
	EXPECT_IDS(rig, 0x100, 0x400, 0x500);
	can_tx_queue_set_bus_order(&rig->tx, false);
	EXPECT_STOPPED(rig);
	EXPECT_KEPT(rig, 0);
	/* it has a depth again */
	rig_end(rig, rig->tx.order[2]);
	EXPECT_HANDED_ON(rig, 0);
	rig_end_next(rig);
	EXPECT_HANDED_ON(rig, 1);
}

static void rig_reordered(struct can_tx_queue *tx)
{
	struct rig *rig = container_of(tx, struct rig, tx);

	lockdep_assert_held(&tx->lock);
	KUNIT_EXPECT_TRUE(rig->test, raw_spin_is_locked(&tx->lock));
	KUNIT_EXPECT_TRUE(rig->test, irqs_disabled());
	rig->reorders++;
	rig->reordered_first = tx->order[0];
}

/* With the lock, and in the new order */
static void switching_calls_the_driver(struct kunit *test)
{
	struct rig *rig = test->priv;
	int slots[ARRAY_SIZE(mixed)];

	rig->tx.reordered = rig_reordered;
	rig_send_all(rig, mixed, ARRAY_SIZE(mixed), slots);
	rig_load(rig, slots[0]);
	KUNIT_EXPECT_EQ(test, rig->reorders, 0);
	can_tx_queue_set_bus_order(&rig->tx, true);
	KUNIT_EXPECT_EQ(test, rig->reorders, 1);
	KUNIT_EXPECT_EQ(test, rig->reordered_first, slots[3]);
	can_tx_queue_set_bus_order(&rig->tx, false);
	KUNIT_EXPECT_EQ(test, rig->reorders, 2);
}

static void empty_queue_is_not_reordered(struct kunit *test)
{
	struct rig *rig = test->priv;

	rig->tx.reordered = rig_reordered;
	can_tx_queue_set_bus_order(&rig->tx, true);
	EXPECT_SENT(rig, 0x100);
	rig_end_next(rig);
	can_tx_queue_set_bus_order(&rig->tx, false);
	KUNIT_EXPECT_EQ(test, rig->reorders, 0);
}

static void closed_queue_is_not_reordered(struct kunit *test)
{
	struct rig *rig = test->priv;

	rig->tx.reordered = rig_reordered;
	rig_fill(rig);
	can_tx_queue_close(&rig->tx);
	can_tx_queue_set_bus_order(&rig->tx, true);
	KUNIT_EXPECT_EQ(test, rig->reorders, 0);
	/* but it has the order */
	EXPECT_IDS(rig, 0x400, 0x500);
	EXPECT_STOPPED(rig);
}

/* The end of all transmissions */

static void rig_abort(struct rig *rig)
{
	unsigned long flags;

	netif_tx_lock_bh(rig->dev);
	can_rx_ring_lock(&rig->offload, flags);
	can_tx_queue_abort(&rig->tx);
	can_rx_ring_unlock(&rig->offload, flags);
	netif_tx_unlock_bh(rig->dev);
}

static void abort_ends_each_frame_in_order(struct kunit *test)
{
	static const unsigned int wanted[] = { 3, 1, 4, 0, 2 };
	struct rig *rig = test->priv;
	struct can_rx_ring *ring = rig->offload.ring;
	struct net_device_stats *stats = &rig->dev->stats;
	int slots[ARRAY_SIZE(mixed)];
	unsigned int i;

	rig_send_all(rig, mixed, ARRAY_SIZE(mixed), slots);
	rig_load(rig, slots[3]);
	rig->tx.aborting = BIT(slots[3]);
	rig_abort(rig);
	KUNIT_ASSERT_EQ(test, ring->head - ring->tail, ARRAY_SIZE(mixed));
	for (i = 0; i < ARRAY_SIZE(mixed); i++) {
		KUNIT_EXPECT_EQ(test, ring->entry[ring->tail + i].kind, CAN_RX_RING_ABORTED);
		KUNIT_EXPECT_EQ(test, ring->entry[ring->tail + i].slot, slots[wanted[i]]);
	}
	KUNIT_EXPECT_EQ(test, rig->tx.count, 0);
	KUNIT_EXPECT_EQ(test, rig->tx.loaded | rig->tx.aborting, 0);

	rig_poll(rig, NAPI_POLL_WEIGHT);
	KUNIT_EXPECT_EQ(test, stats->tx_dropped, ARRAY_SIZE(mixed));
	KUNIT_EXPECT_EQ(test, stats->tx_aborted_errors, ARRAY_SIZE(mixed));
	KUNIT_EXPECT_EQ(test, stats->tx_packets + stats->tx_errors, 0);
	KUNIT_EXPECT_EQ(test, rig->echoes, 0);
	KUNIT_EXPECT_EQ(test, ring->slots, 0);
}

/* It is closed, also if the driver has not closed it, until it is opened. */
static void aborted_queue_is_closed(struct kunit *test)
{
	struct rig *rig = test->priv;

	rig_fill(rig);
	rig_abort(rig);
	KUNIT_EXPECT_FALSE(test, can_tx_queue_ready(&rig->tx));
	KUNIT_EXPECT_EQ(test, rig->tx.next_urgency, U32_MAX);
	KUNIT_EXPECT_EQ(test, rig_send(rig, 0x100), -1);
	rig_poll(rig, NAPI_POLL_WEIGHT);
	EXPECT_BUSY(rig, 0x100);
	rig->refused = 0;
	EXPECT_KEPT(rig, 0x100);
	can_tx_queue_open(&rig->tx);
	can_rx_ring_wake(&rig->offload);
	EXPECT_HANDED_ON(rig, 1);
	EXPECT_SENT(rig, 0x400);
	EXPECT_BUSY(rig, 0x400);
	rig_end_next(rig);
	rig_end_next(rig);
	rig_poll(rig, NAPI_POLL_WEIGHT);
	KUNIT_EXPECT_EQ(test, rig->echoes, 2);
	KUNIT_EXPECT_EQ(test, rig->dev->stats.tx_dropped, 2);
}

static void abort_of_an_empty_queue(struct kunit *test)
{
	struct rig *rig = test->priv;

	rig_abort(rig);
	KUNIT_EXPECT_EQ(test, rig->offload.ring->head, rig->offload.ring->tail);
	KUNIT_EXPECT_FALSE(test, can_tx_queue_ready(&rig->tx));
}

/* Operations of ethtool */

static void flag_has_a_name(struct kunit *test)
{
	struct rig *rig = test->priv;
	u8 names[2 * ETH_GSTRING_LEN];

	memset(names, 0xff, sizeof(names));
	KUNIT_EXPECT_EQ(test, can_tx_queue_get_sset_count(rig->dev, ETH_SS_PRIV_FLAGS), 1);
	can_tx_queue_get_strings(rig->dev, ETH_SS_PRIV_FLAGS, names);
	KUNIT_EXPECT_STREQ(test, names, "bus-order");
	KUNIT_EXPECT_EQ(test, names[ETH_GSTRING_LEN - 1], 0);
	KUNIT_EXPECT_EQ(test, names[ETH_GSTRING_LEN], 0xff);
}

static void other_sets_are_empty(struct kunit *test)
{
	struct rig *rig = test->priv;
	u8 names[ETH_GSTRING_LEN] = { 0xff };

	KUNIT_EXPECT_EQ(test, can_tx_queue_get_sset_count(rig->dev, ETH_SS_STATS), -EOPNOTSUPP);
	can_tx_queue_get_strings(rig->dev, ETH_SS_STATS, names);
	KUNIT_EXPECT_EQ(test, names[0], 0xff);
}

static void flag_sets_the_order(struct kunit *test)
{
	struct rig *rig = test->priv;
	int slots[ARRAY_SIZE(mixed)];

	KUNIT_EXPECT_EQ(test, can_tx_queue_get_priv_flags(rig->dev), 0);
	rig_send_all(rig, mixed, ARRAY_SIZE(mixed), slots);
	KUNIT_EXPECT_EQ(test, can_tx_queue_set_priv_flags(rig->dev, 1), 0);
	KUNIT_EXPECT_EQ(test, can_tx_queue_get_priv_flags(rig->dev), 1);
	EXPECT_ORDER(rig, slots, 3, 1, 4, 0, 2);
	KUNIT_EXPECT_EQ(test, can_tx_queue_set_priv_flags(rig->dev, 0), 0);
	KUNIT_EXPECT_EQ(test, can_tx_queue_get_priv_flags(rig->dev), 0);
	EXPECT_ORDER(rig, slots, 3, 1, 4, 0, 2);
}

/* ETHTOOL_SPFLAGS passes any flags. */
static void flags_without_a_name_are_refused(struct kunit *test)
{
	struct rig *rig = test->priv;

	KUNIT_EXPECT_EQ(test, can_tx_queue_set_priv_flags(rig->dev, 2), -EINVAL);
	KUNIT_EXPECT_EQ(test, can_tx_queue_set_priv_flags(rig->dev, 3), -EINVAL);
	KUNIT_EXPECT_EQ(test, can_tx_queue_get_priv_flags(rig->dev), 0);
}

/* A thread sends while the chip ends transmissions */

#define MANY 20000

/* As many different remainders as identifiers, for rig_receive() */
static canid_t concurrent_id(struct rnd_state *rnd)
{
	static const canid_t ids[CONCURRENT_IDS] = {
		0x400, 0x401, 0x102, CAN_EFF_FLAG | 0x4000003, CAN_EFF_FLAG | 0x4000004,
		0x105 | CAN_RTR_FLAG, 0x006, 0x7ff,
	};

	return ids[prandom_u32_state(rnd) % CONCURRENT_IDS];
}

/* Frames of the concurrent case with a chip whose first frame lasts */
#define LASTING 0x707
#define LASTING_FRAMES 2

/* Room for a frame of the discipline, or, if none waits, for any */
static bool sender_waits(struct rig *rig)
{
	return wait_event_timeout(rig->wait, kthread_should_stop() ||
				  !netif_queue_stopped(rig->dev), WAIT_TIMEOUT);
}

/* All are urgent while the chip holds one that lasts. */
static canid_t sender_id(const struct rig *rig, struct rnd_state *rnd)
{
	canid_t id;

	do {
		id = concurrent_id(rnd);
	} while (rig->held && can_arbitration_key(id) >= can_arbitration_key(LASTING));
	return id;
}

/* Bursts that are enqueued one frame at a time */
static int sender_run(void *arg)
{
	struct rig *rig = arg;
	u32 enqueued = 0, burst = 0;
	struct rnd_state rnd;

	prandom_seed_state(&rnd, SEED + 1);
	while (rig->accepted < MANY && !kthread_should_stop()) {
		if (!burst && !rig->waits)
			burst = min(1 + prandom_u32_state(&rnd) % 6, MANY - enqueued);
		if (burst) {
			rig_wait(rig, sender_id(rig, &rnd));
			enqueued++;
			burst--;
		} else if (!sender_waits(rig)) {
			WRITE_ONCE(rig->timeout, true);
			break;
		}
		WRITE_ONCE(rig->accepted, rig->accepted + rig_run(rig));
		wake_up(&rig->wait);
		cond_resched();
	}
	WRITE_ONCE(rig->held, false);
	WRITE_ONCE(rig->done, true);
	wake_up(&rig->wait);
	return 0;
}

/* The most urgent frame in the chip, and of those with the same identifier the one that was
 * loaded first
 */
static int chip_winner(const struct rig *rig)
{
	const struct can_tx_queue *tx = &rig->tx;
	int slot, winner = -1;
	u32 key, first = 0;

	for (slot = 0; slot < CAN_RX_RING_SLOTS; slot++) {
		if (!(tx->loaded & BIT(slot)))
			continue;
		key = can_arbitration_key(tx->frame[slot].can_id);
		if (winner < 0 || key < first ||
		    (key == first && rig->load[slot] < rig->load[winner])) {
			winner = slot;
			first = key;
		}
	}
	return winner;
}

/* Give back the frame that is aborted, or do not, and load others.
 *
 * Return: the slot of the frame that the chip has sent, or -1.
 */
static int chip_choose(struct rig *rig, u32 r)
{
	struct can_tx_queue *tx = &rig->tx;
	int slot, sent;

	raw_spin_lock(&tx->lock);
	if (tx->aborting && r & 1)
		can_tx_queue_unload(tx, __ffs(tx->aborting));
	while (hweight_long(tx->loaded) < rig->buffers) {
		slot = can_tx_queue_next(tx);
		if (slot < 0)
			break;
		can_tx_queue_load(tx, slot);
		rig->load[slot] = rig->loads++;
	}
	slot = can_tx_queue_inverted(tx);
	if (slot >= 0)
		tx->aborting = BIT(slot);
	sent = r & 2 ? chip_winner(rig) : -1;
	if (sent >= 0 && READ_ONCE(rig->held) &&
	    can_arbitration_key(tx->frame[sent].can_id) >= can_arbitration_key(LASTING))
		sent = -1;
	raw_spin_unlock(&tx->lock);
	return sent;
}

/* No frame is left that the chip sends. */
static bool chip_idle(const struct rig *rig)
{
	return READ_ONCE(rig->tx.count) <= (READ_ONCE(rig->held) ? LASTING_FRAMES : 0);
}

/* All of those it has sent were polled. */
static bool chip_rests(const struct rig *rig)
{
	return chip_idle(rig) && hweight_long(READ_ONCE(rig->offload.ring->slots)) <=
				 (READ_ONCE(rig->held) ? LASTING_FRAMES : 0);
}

static void chip_step(struct rig *rig)
{
	u32 r = prandom_u32_state(&rig->rnd);
	unsigned long flags;
	int slot;

	can_rx_ring_lock(&rig->offload, flags);
	slot = chip_choose(rig, r);
	if (slot >= 0)
		__rig_end(rig, slot);
	else /* the next frame to be loaded may be another one */
		can_rx_ring_wake(&rig->offload);
	can_rx_ring_unlock(&rig->offload, flags);
	/* seldom, so that slots are short at times */
	if (r / 8 % 64 == 0 || chip_idle(rig))
		rig_poll(rig, r & 4 ? NAPI_POLL_WEIGHT : 8);
}

/* Until all frames are sent and echoed */
static void chip_run(struct rig *rig, const struct order *order)
{
	bool bus_order = order->bus_order;
	u32 n;

	for (n = 0; !READ_ONCE(rig->done) || !chip_rests(rig); n++) {
		if (order->change && n % 64 == 63) {
			bus_order = !bus_order;
			can_tx_queue_set_bus_order(&rig->tx, bus_order);
		}
		if (!wait_event_timeout(rig->wait, READ_ONCE(rig->done) || !chip_rests(rig),
					2 * WAIT_TIMEOUT)) {
			KUNIT_FAIL(rig->test, "no frame was sent");
			return;
		}
		chip_step(rig);
		wake_up(&rig->wait);
		cond_resched();
	}
}

static void concurrent_run(struct rig *rig, const struct order *order)
{
	struct task_struct *task;

	rig->buffers = order->buffers;
	prandom_seed_state(&rig->rnd, SEED);
	can_tx_queue_set_bus_order(&rig->tx, order->bus_order);
	task = kthread_create(sender_run, rig, "can_tx_queue_test");
	KUNIT_ASSERT_FALSE(rig->test, IS_ERR(task));
	get_task_struct(task);
	wake_up_process(task);
	chip_run(rig, order);
	kthread_stop_put(task);
}

static void concurrent_expect(struct rig *rig, u32 count)
{
	struct kunit *test = rig->test;

	kunit_info(test, "%u beyond the depth, %u refused, seed %u\n", rig->beyond,
		   rig->refused, SEED);
	KUNIT_EXPECT_FALSE(test, rig->timeout);
	KUNIT_EXPECT_EQ(test, rig->accepted, MANY);
	KUNIT_EXPECT_EQ(test, rig->waits, 0);
	KUNIT_EXPECT_EQ(test, rig->number, count);
	KUNIT_EXPECT_EQ(test, rig->echoes, count);
	KUNIT_EXPECT_EQ(test, rig->dev->stats.tx_packets, count);
	KUNIT_EXPECT_EQ(test, rig->disorder, 0);
	KUNIT_EXPECT_EQ(test, rig->tx.loaded | rig->tx.aborting, 0);
}

static void concurrent_sender_and_chip(struct kunit *test)
{
	const struct order *order = test->param_value;
	struct rig *rig = test->priv;

	concurrent_run(rig, order);
	concurrent_expect(rig, MANY);
	/* otherwise the test did not cover them */
	if (order->bus_order)
		KUNIT_EXPECT_GT(test, rig->beyond, 0);
}

static const struct order lasting[] = {
	{ "one buffer", 1, true, false },
	{ "three buffers", 3, true, false },
};

KUNIT_ARRAY_PARAM(lasting, lasting, order_name);

/* The queue is never below its depth: each frame has to precede the next one. */
static void urgent_frames_pass_one_that_lasts(struct kunit *test)
{
	struct rig *rig = test->priv;
	unsigned int i;

	can_tx_queue_set_bus_order(&rig->tx, true);
	for (i = 0; i < LASTING_FRAMES; i++)
		EXPECT_SENT(rig, LASTING + i * CONCURRENT_IDS);
	EXPECT_STOPPED(rig);
	rig->held = true;
	concurrent_run(rig, test->param_value);
	concurrent_expect(rig, MANY + LASTING_FRAMES);
	KUNIT_EXPECT_EQ(test, rig->beyond, MANY);
}

static struct kunit_case arbitration_cases[] = {
	KUNIT_CASE(keys_are_in_the_order_of_the_wire),
	KUNIT_CASE(keys_ignore_other_bits),
	KUNIT_CASE(key_of_a_classic_skb),
	KUNIT_CASE(key_of_an_fd_skb),
	KUNIT_CASE(key_of_an_xl_skb),
	{}
};

static struct kunit_case queue_cases[] = {
	KUNIT_CASE_PARAM(order_is_that_of_the_model, orders_gen_params),
	KUNIT_CASE(first_come_first_served),
	KUNIT_CASE(first_come_is_never_inverted),
	KUNIT_CASE(switching_sorts_and_keeps_equals),
	KUNIT_CASE(depth_stops_the_queue),
	KUNIT_CASE(closed_queue_is_not_ready),
	KUNIT_CASE(closing_stops_the_queue),
	KUNIT_CASE(queue_is_closed_at_first),
	KUNIT_CASE(first_come_ignores_urgency),
	KUNIT_CASE(first_come_ignores_the_discipline),
	KUNIT_CASE(switching_starts_the_queue),
	KUNIT_CASE(switching_calls_the_driver),
	KUNIT_CASE(empty_queue_is_not_reordered),
	KUNIT_CASE(closed_queue_is_not_reordered),
	KUNIT_CASE(flag_has_a_name),
	KUNIT_CASE(other_sets_are_empty),
	KUNIT_CASE(flag_sets_the_order),
	KUNIT_CASE(flags_without_a_name_are_refused),
	KUNIT_CASE_PARAM(concurrent_sender_and_chip, orders_gen_params),
	KUNIT_CASE_PARAM(urgent_frames_pass_one_that_lasts, lasting_gen_params),
	{}
};

static struct kunit_case bus_order_cases[] = {
	KUNIT_CASE(equal_frames_are_not_inverted),
	KUNIT_CASE(inversion_needs_two_frames),
	KUNIT_CASE(last_loaded_frame_is_inverted),
	KUNIT_CASE(given_back_frame_has_its_place),
	KUNIT_CASE(aborted_frame_may_be_sent),
	KUNIT_CASE(identifier_waits_for_its_abort),
	KUNIT_CASE(depth_stops_the_queue),
	KUNIT_CASE(reset_discards_frames),
	KUNIT_CASE(urgent_frame_is_accepted),
	KUNIT_CASE(urgent_frames_in_descending_order),
	KUNIT_CASE(urgent_frames_in_ascending_order),
	KUNIT_CASE(urgent_frames_in_ascending_order_after_an_abort),
	KUNIT_CASE(many_urgent_frames_in_ascending_order),
	KUNIT_CASE(many_urgent_frames_in_descending_order),
	KUNIT_CASE(ever_more_urgent_frames_use_all_slots),
	KUNIT_CASE(slots_are_rationed),
	KUNIT_CASE(frames_of_low_urgency_leave_slots),
	KUNIT_CASE(two_slots_are_free_for_all),
	KUNIT_CASE(echoes_count_as_used),
	KUNIT_CASE_PARAM(foreign_frame_is_accepted_first, foreign_gen_params),
	KUNIT_CASE(frame_that_precedes_nothing),
	KUNIT_CASE(end_makes_a_frame_urgent),
	KUNIT_CASE(frame_on_its_way_is_accepted),
	KUNIT_CASE(urgency_while_all_are_loaded),
	KUNIT_CASE(urgency_during_an_abort),
	KUNIT_CASE(urgency_between_add_and_stop),
	KUNIT_CASE(urgency_while_the_queue_is_being_stopped),
	KUNIT_CASE(urgency_of_a_frame_that_has_gone),
	KUNIT_CASE(frame_that_expires_lets_no_other_in),
	KUNIT_CASE(frame_that_expires_makes_room),
	KUNIT_CASE(frame_that_is_overtaken_by_a_stop),
	KUNIT_CASE(refused_frame_is_urgent),
	KUNIT_CASE(refused_frame_is_handed_on_first),
	KUNIT_CASE(refused_frame_keeps_its_urgency),
	KUNIT_CASE(refused_frame_waits_for_a_slot),
	KUNIT_CASE(urgent_frame_and_a_closed_queue),
	KUNIT_CASE(urgent_frames_below_the_depth),
	KUNIT_CASE(urgent_frame_waits_for_a_slot),
	KUNIT_CASE_PARAM(foreign_frame_takes_the_slot, foreign_gen_params),
	KUNIT_CASE(least_urgent_key),
	KUNIT_CASE(most_urgent_key),
	KUNIT_CASE(abort_ends_each_frame_in_order),
	KUNIT_CASE(aborted_queue_is_closed),
	KUNIT_CASE(abort_of_an_empty_queue),
	{}
};

static struct kunit_suite arbitration_suite = {
	.name = "can_arbitration",
	.init = rig_init,
	.exit = rig_exit,
	.test_cases = arbitration_cases,
};

static struct kunit_suite queue_suite = {
	.name = "can_tx_queue",
	.init = rig_init,
	.exit = rig_exit,
	.test_cases = queue_cases,
};

static struct kunit_suite bus_order_suite = {
	.name = "can_tx_queue_bus_order",
	.init = rig_init_bus_order,
	.exit = rig_exit,
	.test_cases = bus_order_cases,
};

/* Express frames */

#ifdef CAN_EXPRESS

static struct can_express_flow *new_flow(struct kunit *test)
{
	struct can_express_flow *flow = kunit_kzalloc(test, sizeof(*flow), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, flow);
	refcount_set(&flow->refs, 1);
	return flow;
}

static void rig_express_frame(struct rig *rig, struct can_express_frame *frame)
{
	unsigned long flags;

	frame->frame.len = sizeof(rig->number);
	memcpy(frame->frame.data, &rig->number, sizeof(rig->number));
	rig->number++;
	local_irq_save(flags);
	can_get_ml_priv(rig->dev)->express_ops->send(rig->dev, frame);
	local_irq_restore(flags);
}

static void rig_express(struct rig *rig, struct can_express_flow *flow, canid_t id)
{
	struct can_express_frame frame = { .frame.can_id = id, .flow = flow };

	rig_express_frame(rig, &frame);
}

static void expect_events(struct kunit *test, const struct can_express_flow *flow, u64 sent,
			  u64 dropped, u64 late)
{
	KUNIT_EXPECT_EQ(test, atomic64_read(&flow->count[CAN_EXPRESS_SENT]), sent);
	KUNIT_EXPECT_EQ(test, atomic64_read(&flow->count[CAN_EXPRESS_DROPPED]), dropped);
	KUNIT_EXPECT_EQ(test, atomic64_read(&flow->count[CAN_EXPRESS_LATE]), late);
}

/* The number of the next frame, which is loaded and sent, or -1 */
static int rig_end_number(struct rig *rig)
{
	int slot = rig_next(rig);

	if (slot < 0)
		return -1;
	rig_load(rig, slot);
	rig_end(rig, slot);
	return frame_number(&rig->tx.frame[slot]);
}

static void express_frames_come_first_come(struct kunit *test)
{
	struct can_express_flow *flow = new_flow(test);
	struct rig *rig = test->priv;
	int i;

	EXPECT_SENT(rig, 0x100);
	rig_express(rig, flow, 0x300);
	EXPECT_SENT(rig, 0x200);
	rig_express(rig, flow, 0x080);
	KUNIT_EXPECT_EQ(test, rig->added, 2);
	for (i = 0; i < 4; i++)
		KUNIT_EXPECT_EQ(test, rig_end_number(rig), i);
	KUNIT_EXPECT_EQ(test, rig_end_number(rig), -1);
	expect_events(test, flow, 2, 0, 0);
	KUNIT_EXPECT_EQ(test, refcount_read(&flow->refs), 1);
}

static void express_frames_compete(struct kunit *test)
{
	static const int wanted[] = { 3, 0, 2, 4, 1 };
	struct can_express_flow *flow = new_flow(test);
	struct rig *rig = test->priv;
	unsigned int i;

	can_tx_queue_set_bus_order(&rig->tx, true);
	EXPECT_SENT(rig, 0x100);
	rig_express(rig, flow, 0x300);
	EXPECT_SENT(rig, 0x200);
	rig_express(rig, flow, 0x080);
	/* behind the one of the same identifier */
	rig_express(rig, flow, 0x200);
	for (i = 0; i < ARRAY_SIZE(wanted); i++)
		KUNIT_EXPECT_EQ(test, rig_end_number(rig), wanted[i]);
}

/* Neither can fill the queue for the other. */
static void express_frames_leave_the_depth(struct kunit *test)
{
	struct can_express_flow *flow = new_flow(test);
	struct rig *rig = test->priv;
	int i;

	for (i = 0; i < CAN_TX_QUEUE_EXPRESS; i++)
		rig_express(rig, flow, 0x100);
	EXPECT_SENT(rig, 0x200);
	EXPECT_SENT(rig, 0x200);
	EXPECT_BUSY(rig, 0x200);
	expect_events(test, flow, 0, 0, 0);
	rig_end_number(rig);
	rig_express(rig, flow, 0x100);
	expect_events(test, flow, 1, 0, 0);
	EXPECT_STOPPED(rig);
}

static void newest_of_the_least_urgent_is_dropped(struct kunit *test)
{
	struct can_express_flow *flow = new_flow(test), *urgent = new_flow(test);
	struct can_express_flow *least = new_flow(test);
	struct rig *rig = test->priv;
	int i;

	rig_express(rig, least, 0x700);
	/* the chip has it: it is not dropped */
	rig_load(rig, rig_next(rig));
	rig_express(rig, least, 0x600);
	rig_express(rig, least, 0x600);
	for (i = 3; i < CAN_TX_QUEUE_EXPRESS; i++)
		rig_express(rig, flow, 0x100);
	rig_express(rig, least, 0x600);
	expect_events(test, least, 0, 1, 0);
	rig_express(rig, urgent, 0x080);
	expect_events(test, least, 0, 2, 0);
	rig_express(rig, urgent, 0x080);
	expect_events(test, least, 0, 3, 0);
	rig_express(rig, urgent, 0x080);
	expect_events(test, flow, 0, 1, 0);
	rig_express(rig, least, 0x100);
	expect_events(test, least, 0, 4, 0);
	KUNIT_EXPECT_EQ(test, refcount_read(&least->refs), 2);
	KUNIT_EXPECT_EQ(test, rig->tx.count, CAN_TX_QUEUE_EXPRESS);
}

static void late_frames_are_dropped(struct kunit *test)
{
	struct can_express_flow *flow = new_flow(test);
	struct can_express_frame frame = {
		.frame.can_id = 0x100, .flow = flow, .until = ktime_get_boottime() - 1,
	};
	struct rig *rig = test->priv;

	rig_express_frame(rig, &frame);
	rig_express_frame(rig, &frame);
	frame.until = ktime_add_ns(ktime_get_boottime(), 1000 * NSEC_PER_SEC);
	rig_express_frame(rig, &frame);
	expect_events(test, flow, 0, 0, 0);
	KUNIT_EXPECT_EQ(test, rig_end_number(rig), 2);
	expect_events(test, flow, 1, 0, 2);
	KUNIT_EXPECT_EQ(test, rig_end_number(rig), -1);
	KUNIT_EXPECT_EQ(test, rig->tx.express_slots, 0);
}

/* Also if none of them would be sent next */
static void late_frames_make_room(struct kunit *test)
{
	struct can_express_flow *flow = new_flow(test);
	struct can_express_frame frame = {
		.frame.can_id = 0x100, .flow = flow, .until = ktime_get_boottime() - 1,
	};
	struct rig *rig = test->priv;
	int i;

	rig_express(rig, flow, 0x700);
	rig_load(rig, rig_next(rig));
	for (i = 1; i < CAN_TX_QUEUE_EXPRESS; i++)
		rig_express_frame(rig, &frame);
	expect_events(test, flow, 0, 0, 0);
	rig_express(rig, flow, 0x7ff);
	expect_events(test, flow, 0, 0, CAN_TX_QUEUE_EXPRESS - 1);
	KUNIT_EXPECT_EQ(test, rig->tx.count, 2);
}

static void express_frames_need_an_interface_that_sends(struct kunit *test)
{
	struct can_express_flow *flow = new_flow(test);
	struct rig *rig = test->priv;

	rig->can.ctrlmode |= CAN_CTRLMODE_LISTENONLY;
	rig_express(rig, flow, 0x100);
	rig->can.ctrlmode &= ~CAN_CTRLMODE_LISTENONLY;
	rig->can.ctrlmode |= CAN_CTRLMODE_LOOPBACK;
	rig_express(rig, flow, 0x100);
	rig->can.ctrlmode &= ~CAN_CTRLMODE_LOOPBACK;
	rig->can.state = CAN_STATE_BUS_OFF;
	rig_express(rig, flow, 0x100);
	rig->can.state = CAN_STATE_ERROR_ACTIVE;
	can_tx_queue_close(&rig->tx);
	rig_express(rig, flow, 0x100);
	expect_events(test, flow, 0, 4, 0);
	KUNIT_EXPECT_EQ(test, rig->added, 0);
	can_tx_queue_open(&rig->tx);
	rig_express(rig, flow, 0x100);
	KUNIT_EXPECT_EQ(test, rig->added, 1);
}

static void express_frames_are_counted_at_the_end(struct kunit *test)
{
	struct can_express_flow *flow = new_flow(test);
	struct rig *rig = test->priv;

	rig_express(rig, flow, 0x100);
	rig_load(rig, rig_next(rig));
	rig_express(rig, flow, 0x200);
	EXPECT_SENT(rig, 0x300);
	rig_abort(rig);
	expect_events(test, flow, 0, 2, 0);
	can_tx_queue_open(&rig->tx);
	rig_express(rig, flow, 0x100);
	can_tx_queue_close(&rig->tx);
	can_tx_queue_reset(&rig->tx);
	expect_events(test, flow, 0, 3, 0);
	KUNIT_EXPECT_EQ(test, refcount_read(&flow->refs), 1);
	KUNIT_EXPECT_EQ(test, rig->tx.express_slots, 0);
	rig_poll(rig, NAPI_POLL_WEIGHT);
	KUNIT_EXPECT_EQ(test, rig->dev->stats.tx_dropped, 1);
}

static void express_frames_are_echoed_if_wanted(struct kunit *test)
{
	struct can_express_flow *flow = new_flow(test);
	struct can_express_frame frame = {
		.frame.can_id = 0x123, .flow = flow, .ifindex = 77, .hops = 3, .echo = true,
	};
	struct rig *rig = test->priv;
	unsigned long flags;
	int slot;

	rig_express(rig, flow, 0x100);
	rig_end_number(rig);
	rig_poll(rig, NAPI_POLL_WEIGHT);
	KUNIT_EXPECT_EQ(test, rig->echoes, 0);
	KUNIT_EXPECT_EQ(test, rig->dev->stats.tx_packets, 1);
	KUNIT_EXPECT_EQ(test, rig->dev->stats.tx_bytes, sizeof(rig->number));
	rig_express_frame(rig, &frame);
	rig_end_number(rig);
	rig_poll(rig, NAPI_POLL_WEIGHT);
	KUNIT_EXPECT_EQ(test, rig->echoes, 1);
	KUNIT_EXPECT_EQ(test, rig->echo_last, 1);
	KUNIT_EXPECT_EQ(test, rig->mark, CAN_EXPRESS_ECHO);
	KUNIT_EXPECT_EQ(test, rig->hops, 3);
	KUNIT_EXPECT_EQ(test, rig->ifindex, 77);
	KUNIT_EXPECT_EQ(test, rig->dev->stats.rx_packets, 0);

	rig_express_frame(rig, &frame);
	slot = rig_next(rig);
	rig_load(rig, slot);
	can_rx_ring_lock(&rig->offload, flags);
	can_tx_queue_remove(&rig->tx, slot);
	can_rx_ring_sent(&rig->offload, slot, false);
	can_rx_ring_unlock(&rig->offload, flags);
	rig_poll(rig, NAPI_POLL_WEIGHT);
	expect_events(test, flow, 2, 1, 0);
	KUNIT_EXPECT_EQ(test, rig->echoes, 1);
	KUNIT_EXPECT_EQ(test, rig->dev->stats.tx_errors, 1);
}

/* Offered frames, and the mark that tells of it */

struct seen_rules {
	struct can_express_rules rules;
	struct can_frame frame;
	unsigned int count;
};

static void see_frame(struct can_express_rules *rules, const struct can_frame *frame)
{
	struct seen_rules *seen = container_of(rules, struct seen_rules, rules);

	seen->frame = *frame;
	seen->count++;
}

static void rig_receive_frame(struct rig *rig, canid_t id)
{
	struct can_rx_ring_entry *entry;
	unsigned long flags;

	can_rx_ring_lock(&rig->offload, flags);
	entry = can_rx_ring_reserve(&rig->offload);
	entry->id = id;
	entry->dlc = 4;
	memcpy(entry->data, "\1\2\3\4\5\6\7\10", CAN_MAX_DLEN);
	can_rx_ring_commit(&rig->offload, entry);
	can_rx_ring_unlock(&rig->offload, flags);
}

static void rig_attach(struct rig *rig, struct can_express_rules *rules)
{
	rtnl_lock();
	can_get_ml_priv(rig->dev)->express_ops->attach(rig->dev, rules);
	rtnl_unlock();
}

static void received_frames_are_offered_once(struct kunit *test)
{
	struct seen_rules seen = { .rules = { .receive = see_frame, .generation = 1000 } };
	static const u8 data[] = { 1, 2, 3, 4, 0, 0, 0, 0 };
	struct rig *rig = test->priv;

	rig_receive_frame(rig, 0x111);
	rig_poll(rig, NAPI_POLL_WEIGHT);
	KUNIT_EXPECT_EQ(test, rig->mark, 0);
	rig_attach(rig, &seen.rules);
	KUNIT_EXPECT_EQ(test, seen.count, 0);
	rig_receive_frame(rig, 0x222);
	KUNIT_EXPECT_EQ(test, seen.count, 1);
	KUNIT_EXPECT_EQ(test, seen.frame.can_id, 0x222);
	KUNIT_EXPECT_EQ(test, seen.frame.len, 4);
	KUNIT_EXPECT_MEMEQ(test, seen.frame.data, data, sizeof(data));
	rig_attach(rig, NULL);
	rig_poll(rig, NAPI_POLL_WEIGHT);
	KUNIT_EXPECT_EQ(test, rig->mark, 1000);
	KUNIT_EXPECT_EQ(test, seen.count, 1);
	EXPECT_SENT(rig, 0x100);
	rig_end_number(rig);
	rig_attach(rig, &seen.rules);
	rig_poll(rig, NAPI_POLL_WEIGHT);
	KUNIT_EXPECT_EQ(test, rig->mark, CAN_EXPRESS_ECHO);
	KUNIT_EXPECT_EQ(test, seen.count, 1);
	rig_attach(rig, NULL);
}

/* Also those that NAPI does not get */
static void frames_are_offered_while_the_ring_is_full(struct kunit *test)
{
	struct seen_rules seen = { .rules = { .receive = see_frame, .generation = 1 } };
	struct can_express_flow *flow = new_flow(test);
	struct rig *rig = test->priv;
	unsigned int i;

	rig_attach(rig, &seen.rules);
	rig_express(rig, flow, 0x100);
	for (i = 0; i < CAN_RX_RING_SIZE + 10; i++)
		rig_receive_frame(rig, i);
	KUNIT_EXPECT_EQ(test, seen.count, i);
	KUNIT_EXPECT_EQ(test, seen.frame.can_id, i - 1);
	/* its entry is lost, but neither its slot nor its count */
	rig_end_number(rig);
	expect_events(test, flow, 1, 0, 0);
	KUNIT_EXPECT_EQ(test, rig->tx.express_slots, 0);
	rig_attach(rig, NULL);
}

/* The network stack has a frame when the receivers are done with it. */
static void frames_wait_until_napi_has_passed_them_on(struct kunit *test)
{
	struct rig *rig = test->priv;
	const struct can_express_ops *ops = can_get_ml_priv(rig->dev)->express_ops;
	u32 before = ops->received(rig->dev);

	KUNIT_EXPECT_EQ(test, ops->waiting(rig->dev), 0);
	rig_receive_frame(rig, 0x111);
	rig_receive_frame(rig, 0x222);
	KUNIT_EXPECT_EQ(test, ops->received(rig->dev) - before, 2);
	KUNIT_EXPECT_EQ(test, ops->waiting(rig->dev), 2);
	rig_poll(rig, NAPI_POLL_WEIGHT);
	KUNIT_EXPECT_EQ(test, rig->unpassed, 1);
	KUNIT_EXPECT_EQ(test, ops->waiting(rig->dev), 0);
	rig_receive_frame(rig, 0x333);
	can_rx_ring_disable(&rig->offload);
	can_rx_ring_flush(&rig->offload);
	KUNIT_EXPECT_EQ(test, ops->waiting(rig->dev), 0);
	can_rx_ring_enable(&rig->offload, 0, false);
	KUNIT_EXPECT_EQ(test, ops->waiting(rig->dev), 0);
}

static struct kunit_case express_cases[] = {
	KUNIT_CASE(express_frames_come_first_come),
	KUNIT_CASE(express_frames_compete),
	KUNIT_CASE(express_frames_leave_the_depth),
	KUNIT_CASE(newest_of_the_least_urgent_is_dropped),
	KUNIT_CASE(late_frames_are_dropped),
	KUNIT_CASE(late_frames_make_room),
	KUNIT_CASE(express_frames_need_an_interface_that_sends),
	KUNIT_CASE(express_frames_are_counted_at_the_end),
	KUNIT_CASE(express_frames_are_echoed_if_wanted),
	KUNIT_CASE(received_frames_are_offered_once),
	KUNIT_CASE(frames_are_offered_while_the_ring_is_full),
	KUNIT_CASE(frames_wait_until_napi_has_passed_them_on),
	{ }
};

static struct kunit_suite express_suite = {
	.name = "can_tx_express",
	.init = rig_init,
	.exit = rig_exit,
	.test_cases = express_cases,
};

kunit_test_suite(express_suite);

#endif /* CAN_EXPRESS */

kunit_test_suites(&arbitration_suite, &queue_suite, &bus_order_suite);

MODULE_DESCRIPTION("KUnit suites of the transmit queue of CAN drivers");
MODULE_INFO(import_ns, "EXPORTED_FOR_KUNIT_TESTING");
MODULE_LICENSE("GPL");
