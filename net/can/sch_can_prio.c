// SPDX-License-Identifier: (GPL-2.0 OR BSD-3-Clause)
/*
 * can_prio: a queueing discipline for CAN interfaces. Of the frames that wait, it sends the
 * one first that would win arbitration on the bus.
 *
 *	users ── by uid
 *	senders ── by socket; NULL is the gateway
 *	  └ flows ── by key: the frames of one sender with one identifier, a FIFO
 *	turns ── all flows by key, in the order of their turns: the first one sends next
 *	deadlines ── frames with a deadline, by that
 *
 * A user, a sender and a flow exist as long as frames of them wait, so their number is bounded
 * by that of the frames. Lookups are in red-black trees, because an unprivileged user chooses
 * identifiers and sockets. A frame holds its socket, so a pointer to the socket is unique.
 *
 * A flow goes to the end of the flows with its key when it begins, and when it has sent a frame.
 * So between two frames of a flow, every other flow of the same key that waits sends one: that
 * is round robin.
 *
 * Limits: a frame that is charged to its socket waits in the SO_SNDBUF of that. All others are
 * limited to dev->tx_queue_len for each sender. Beyond CAN_PRIO_LIMIT frames, a sender is
 * refused that has more than its share, which is
 *
 *	CAN_PRIO_LIMIT / number of users / number of senders of this user
 *
 * so that many sockets of one user do not keep out another user. With this rule, n senders of
 * a user have at most CAN_PRIO_LIMIT * (1 + 1/1 + 1/2 + ... + 1/n) frames. A frame that was
 * accepted is never dropped for another.
 *
 * Contexts: everything is protected by the lock of the qdisc, which is that of the root:
 * enqueue, dequeue, the timer (softirq), and change (process) take it, or their callers do.
 * reset runs with the lock, or without it when the qdisc is destroyed: then no device uses it
 * any longer, and nothing waits.
 */
#include <linux/can.h>
#include <linux/can/arbitration.h>
#include <linux/can/can-ml.h>
#include <linux/can/sch_prio.h>
#include <linux/errqueue.h>
#include <linux/hrtimer.h>
#include <linux/if_arp.h>
#include <linux/module.h>
#include <linux/netdevice.h>
#include <linux/rbtree.h>
#include <linux/skbuff.h>
#include <linux/slab.h>
#include <linux/timekeeping.h>
#include <net/netlink.h>
#include <net/pkt_sched.h>
#include <net/sch_generic.h>
#include <net/sock.h>

/* Frames of all senders, before shares count */
#define CAN_PRIO_LIMIT		16384

/* Frames that are dropped at a time because of their deadline, and the time between two times
 * that the timer does so
 */
#define CAN_PRIO_EXPIRE		16
#define CAN_PRIO_EXPIRE_US	100

struct can_prio_user {
	struct rb_node node;
	kuid_t uid;
	unsigned int senders;
};

/**
 * struct can_prio_sender - a socket, or the gateway
 * @node: in the tree of senders
 * @sk: the socket, or NULL for all frames without one
 * @user: the user that owns the socket
 * @flows: flows by key
 * @frames: number of frames that wait
 * @uncharged: those of them that are not charged to the socket
 */
struct can_prio_sender {
	struct rb_node node;
	const struct sock *sk;
	struct can_prio_user *user;
	struct rb_root flows;
	unsigned int frames;
	unsigned int uncharged;
};

/**
 * struct can_prio_flow - frames of one sender with one key, never empty
 * @node: in the tree of the sender
 * @turn_node: in the tree of turns
 * @key: see can_arbitration_key()
 * @sender: the sender
 * @frames: list of struct can_prio_cb
 */
struct can_prio_flow {
	struct rb_node node;
	struct rb_node turn_node;
	u32 key;
	struct can_prio_sender *sender;
	struct list_head frames;
};

/**
 * struct can_prio_sched - private data of the qdisc
 * @turns: flows, the next one to send first
 * @deadlines: skbs with a deadline, which is in skb->tstamp, in CLOCK_MONOTONIC
 * @senders: tree of senders
 * @users: tree of users
 * @num_users: number of users
 * @lifetime: ns that a frame may wait, or 0
 * @spare_user: memory for the next user, or NULL
 * @spare_sender: memory for the next sender, or NULL
 * @spare_flow: memory for the next flow, or NULL
 * @sch: the qdisc
 * @timer: for the first deadline: the device's queue may be stopped
 * @ml_priv: of the device
 * @xstats: statistics
 */
struct can_prio_sched {
	struct rb_root_cached turns;
	struct rb_root_cached deadlines;
	struct rb_root senders;
	struct rb_root users;
	unsigned int num_users;
	u64 lifetime;
	void *spare_user;
	void *spare_sender;
	void *spare_flow;
	struct Qdisc *sch;
	struct hrtimer timer;
	struct can_ml_priv *ml_priv;
	struct tc_can_prio_xstats xstats;
};

/* In the skb. No more than QDISC_CB_PRIV_LEN bytes; padding at the end does not count,
 * because the struct is never copied.
 */
struct can_prio_cb {
	struct list_head link;
	u32 key;
};

static struct can_prio_cb *can_prio_cb(struct sk_buff *skb)
{
	BUILD_BUG_ON(offsetofend(struct can_prio_cb, key) > QDISC_CB_PRIV_LEN);
	return (struct can_prio_cb *)qdisc_skb_cb(skb)->data;
}

static struct sk_buff *can_prio_skb(struct can_prio_cb *cb)
{
	struct qdisc_skb_cb *qcb = container_of((void *)cb, struct qdisc_skb_cb, data);

	return container_of((void *)qcb, struct sk_buff, cb);
}

static struct sk_buff *can_prio_flow_first(struct can_prio_flow *flow)
{
	return can_prio_skb(list_first_entry(&flow->frames, struct can_prio_cb, link));
}

/* What is too short is not sent. Frames of packet sockets may not be in the linear part yet. */
static u32 can_prio_key(const struct sk_buff *skb)
{
	canid_t *id, buffer;

	if (likely(skb_headlen(skb) >= CANXL_HDR_SIZE))
		return can_arbitration_key_of_skb(skb);
	id = skb_header_pointer(skb, 0, sizeof(buffer), &buffer);
	return id ? can_arbitration_key(*id) : U32_MAX;
}

static bool can_prio_charged(const struct sk_buff *skb)
{
	return skb->destructor == sock_wfree;
}

/* Mostly, one frame waits at a time, or none. Then its user, sender and flow have the memory of
 * those before.
 */
static void *can_prio_alloc(void **spare, size_t size)
{
	void *memory = *spare;

	if (likely(memory)) {
		*spare = NULL;
		return memset(memory, 0, size);
	}
	return kzalloc(size, GFP_ATOMIC | __GFP_NOWARN);
}

static void can_prio_free(void **spare, void *memory)
{
	if (*spare)
		kfree(memory);
	else
		*spare = memory;
}

static int can_prio_cmp_uid(const void *uid, const struct rb_node *node)
{
	kuid_t a = *(const kuid_t *)uid, b = rb_entry(node, struct can_prio_user, node)->uid;

	return uid_lt(a, b) ? -1 : uid_gt(a, b);
}

static bool can_prio_uid_less(struct rb_node *a, const struct rb_node *b)
{
	return can_prio_cmp_uid(&rb_entry(a, struct can_prio_user, node)->uid, b) < 0;
}

static struct can_prio_user *can_prio_get_user(struct can_prio_sched *q, kuid_t uid)
{
	struct rb_node *node = rb_find(&uid, &q->users, can_prio_cmp_uid);
	struct can_prio_user *user;

	if (node)
		return rb_entry(node, struct can_prio_user, node);
	user = can_prio_alloc(&q->spare_user, sizeof(*user));
	if (unlikely(!user))
		return NULL;
	user->uid = uid;
	rb_add(&user->node, &q->users, can_prio_uid_less);
	q->num_users++;
	return user;
}

static void can_prio_put_user(struct can_prio_sched *q, struct can_prio_user *user)
{
	if (user->senders)
		return;
	rb_erase(&user->node, &q->users);
	q->num_users--;
	can_prio_free(&q->spare_user, user);
}

static int can_prio_cmp_sk(const void *sk, const struct rb_node *node)
{
	const struct sock *other = rb_entry(node, struct can_prio_sender, node)->sk;

	return (const struct sock *)sk < other ? -1 : (const struct sock *)sk > other;
}

static bool can_prio_sk_less(struct rb_node *a, const struct rb_node *b)
{
	return can_prio_cmp_sk(rb_entry(a, struct can_prio_sender, node)->sk, b) < 0;
}

static struct can_prio_sender *can_prio_find_sender(const struct can_prio_sched *q,
						    const struct sock *sk)
{
	return rb_entry_safe(rb_find(sk, &q->senders, can_prio_cmp_sk), struct can_prio_sender,
			     node);
}

static struct can_prio_sender *can_prio_get_sender(struct can_prio_sched *q, const struct sock *sk,
						   const struct net *net)
{
	struct can_prio_sender *sender = can_prio_find_sender(q, sk);
	struct can_prio_user *user;

	if (sender)
		return sender;

	/* a request_sock has no user */
	user = can_prio_get_user(q, sock_net_uid(net, sk && sk_fullsock(sk) ? sk : NULL));
	if (unlikely(!user))
		return NULL;
	sender = can_prio_alloc(&q->spare_sender, sizeof(*sender));
	if (unlikely(!sender)) {
		can_prio_put_user(q, user);
		return NULL;
	}
	sender->sk = sk;
	sender->user = user;
	user->senders++;
	rb_add(&sender->node, &q->senders, can_prio_sk_less);
	return sender;
}

static void can_prio_put_sender(struct can_prio_sched *q, struct can_prio_sender *sender)
{
	if (sender->frames)
		return;
	rb_erase(&sender->node, &q->senders);
	sender->user->senders--;
	can_prio_put_user(q, sender->user);
	can_prio_free(&q->spare_sender, sender);
}

static bool can_prio_turn_less(struct rb_node *a, const struct rb_node *b)
{
	return rb_entry(a, struct can_prio_flow, turn_node)->key <
	       rb_entry(b, struct can_prio_flow, turn_node)->key;
}

/* At the end of those with the same key */
static void can_prio_take_turn(struct can_prio_sched *q, struct can_prio_flow *flow)
{
	if (rb_add_cached(&flow->turn_node, &q->turns, can_prio_turn_less))
		WRITE_ONCE(q->ml_priv->tx_urgency, ~flow->key);
}

static int can_prio_cmp_key(const void *key, const struct rb_node *node)
{
	u32 a = *(const u32 *)key, b = rb_entry(node, struct can_prio_flow, node)->key;

	return a < b ? -1 : a > b;
}

static bool can_prio_key_less(struct rb_node *a, const struct rb_node *b)
{
	return can_prio_cmp_key(&rb_entry(a, struct can_prio_flow, node)->key, b) < 0;
}

static struct can_prio_flow *can_prio_find_flow(const struct can_prio_sender *sender, u32 key)
{
	return rb_entry_safe(rb_find(&key, &sender->flows, can_prio_cmp_key),
			     struct can_prio_flow, node);
}

static struct can_prio_flow *can_prio_get_flow(struct can_prio_sched *q,
					       struct can_prio_sender *sender, u32 key)
{
	struct can_prio_flow *flow = can_prio_find_flow(sender, key);

	if (flow)
		return flow;
	flow = can_prio_alloc(&q->spare_flow, sizeof(*flow));
	if (unlikely(!flow))
		return NULL;
	flow->key = key;
	flow->sender = sender;
	INIT_LIST_HEAD(&flow->frames);
	rb_add(&flow->node, &sender->flows, can_prio_key_less);
	can_prio_take_turn(q, flow);
	return flow;
}

/* The first flow may be another one. */
static void can_prio_store_urgency(struct can_prio_sched *q)
{
	struct rb_node *node = rb_first_cached(&q->turns);
	u32 urgency = 0;

	if (node)
		urgency = ~rb_entry(node, struct can_prio_flow, turn_node)->key;
	WRITE_ONCE(q->ml_priv->tx_urgency, urgency);
}

static void can_prio_put_flow(struct can_prio_sched *q, struct can_prio_flow *flow)
{
	rb_erase_cached(&flow->turn_node, &q->turns);
	rb_erase(&flow->node, &flow->sender->flows);
	can_prio_free(&q->spare_flow, flow);
	can_prio_store_urgency(q);
}

/* Does a sender have so many frames that it may not have another one? */
static bool can_prio_over_share(const struct Qdisc *sch, const struct can_prio_sender *sender)
{
	const struct can_prio_sched *q = qdisc_priv(sch);

	return sch->q.qlen >= CAN_PRIO_LIMIT &&
	       sender->frames >= max(CAN_PRIO_LIMIT / q->num_users / sender->user->senders, 1U);
}

static bool can_prio_sender_full(const struct Qdisc *sch, const struct can_prio_sender *sender)
{
	return sender->uncharged >= max(READ_ONCE(qdisc_dev(sch)->tx_queue_len), 1U);
}

/* The clock of a socket, minus CLOCK_MONOTONIC. SO_TXTIME knows no others. */
static ktime_t can_prio_clock_offset(const struct sock *sk)
{
	switch (sk->sk_clockid) {
	case CLOCK_REALTIME:
		return ktime_mono_to_any(0, TK_OFFS_REAL);
	case CLOCK_TAI:
		return ktime_mono_to_any(0, TK_OFFS_TAI);
	default:
		return 0;
	}
}

static bool can_prio_has_txtime(const struct sock *sk)
{
	return sk && sk_fullsock(sk) && sock_flag(sk, SOCK_TXTIME) && sk->sk_txtime_deadline_mode;
}

/* As sch_etf does. A report has the deadline in the clock of the socket. */
static void can_prio_report(struct sk_buff *skb)
{
	struct sock_exterr_skb *serr;
	struct sock *sk = skb->sk;
	struct sk_buff *clone;
	ktime_t txtime;

	if (!can_prio_has_txtime(sk) || !sk->sk_txtime_report_errors)
		return;
	clone = skb_clone(skb, GFP_ATOMIC);
	if (!clone)
		return;

	txtime = ktime_add(skb->tstamp, can_prio_clock_offset(sk));
	clone->tstamp = 0;
	serr = SKB_EXT_ERR(clone);
	memset(&serr->ee, 0, sizeof(serr->ee));
	serr->ee.ee_errno = ECANCELED;
	serr->ee.ee_origin = SO_EE_ORIGIN_TXTIME;
	serr->ee.ee_code = SO_EE_CODE_TXTIME_MISSED;
	serr->ee.ee_data = txtime >> 32;
	serr->ee.ee_info = txtime;
	if (sock_queue_err_skb(sk, clone))
		kfree_skb(clone);
}

/* When a frame has to be dropped: what comes first, its deadline or the end of its lifetime */
static ktime_t can_prio_deadline(struct can_prio_sched *q, const struct sk_buff *skb)
{
	bool txtime = skb->tstamp && can_prio_has_txtime(skb->sk);
	ktime_t deadline = KTIME_MAX;

	/* that of a frame which the gateway sends with the time of its reception */
	if (skb->tstamp && !txtime)
		return KTIME_MAX;
	if (q->lifetime)
		deadline = ktime_add_ns(ktime_get(), q->lifetime);
	if (txtime)
		deadline = min(deadline, ktime_sub(skb->tstamp, can_prio_clock_offset(skb->sk)));
	return deadline;
}

static void can_prio_start_timer(struct can_prio_sched *q, ktime_t deadline)
{
	/* It finds out itself that it is too early. */
	if (hrtimer_is_queued(&q->timer) &&
	    ktime_compare(hrtimer_get_expires(&q->timer), deadline) <= 0)
		return;
	hrtimer_start(&q->timer, deadline, HRTIMER_MODE_ABS_SOFT);
}

static bool can_prio_deadline_less(struct rb_node *a, const struct rb_node *b)
{
	return ktime_before(rb_to_skb(a)->tstamp, rb_to_skb(b)->tstamp);
}

static void can_prio_add_deadline(struct can_prio_sched *q, struct sk_buff *skb, ktime_t deadline)
{
	skb->tstamp = deadline;
	if (rb_add_cached(&skb->rbnode, &q->deadlines, can_prio_deadline_less))
		can_prio_start_timer(q, deadline);
}

static bool can_prio_has_deadline(const struct sk_buff *skb)
{
	return !RB_EMPTY_NODE(&skb->rbnode);
}

static bool can_prio_expired(const struct sk_buff *skb, ktime_t now)
{
	return can_prio_has_deadline(skb) && ktime_compare(skb->tstamp, now) <= 0;
}

/* Take a frame out of the queue. The flow and the sender go with their last one. */
static void can_prio_remove(struct Qdisc *sch, struct can_prio_flow *flow, struct sk_buff *skb)
{
	struct can_prio_sched *q = qdisc_priv(sch);
	struct can_prio_sender *sender = flow->sender;

	if (can_prio_has_deadline(skb))
		rb_erase_cached(&skb->rbnode, &q->deadlines);
	/* The node is in the same place as these. */
	skb->next = NULL;
	skb->prev = NULL;
	skb->dev = qdisc_dev(sch);

	list_del(&can_prio_cb(skb)->link);
	if (list_empty(&flow->frames))
		can_prio_put_flow(q, flow);

	sender->frames--;
	if (!can_prio_charged(skb))
		sender->uncharged--;
	can_prio_put_sender(q, sender);

	qdisc_qstats_backlog_dec(sch, skb);
	sch->q.qlen--;
}

/* Drop frames whose deadline has passed, but not too many at a time. The callers may not drop
 * the lock.
 */
static void can_prio_expire(struct Qdisc *sch, ktime_t now, struct sk_buff **to_free)
{
	struct can_prio_sched *q = qdisc_priv(sch);
	struct can_prio_sender *sender;
	unsigned int count = 0;
	struct rb_node *node;
	struct sk_buff *skb;

	while ((node = rb_first_cached(&q->deadlines)) && can_prio_expired(rb_to_skb(node), now)) {
		if (++count > CAN_PRIO_EXPIRE)
			return;
		skb = rb_to_skb(node);
		sender = can_prio_find_sender(q, skb->sk);
		can_prio_remove(sch, can_prio_find_flow(sender, can_prio_cb(skb)->key), skb);
		can_prio_report(skb);
		q->xstats.expired++;
		qdisc_qstats_overlimit(sch);
		qdisc_drop(skb, sch, to_free);
	}
}

/* A driver that sends in the order of the bus has room for an urgent frame while it has none
 * for others, and starts or stops the device's queue.
 */
static void can_prio_tell_driver(struct Qdisc *sch)
{
	struct can_prio_sched *q = qdisc_priv(sch);

	if (q->ml_priv->tx_wake)
		q->ml_priv->tx_wake(qdisc_dev(sch));
}

/* The same, but not while another CPU hands on a frame, which the core would keep if the queue
 * was stopped now. When the driver has it, it decides whether it has room for another one.
 */
static void can_prio_tell_idle_driver(struct Qdisc *sch)
{
	/* Pairs with the barriers of the driver that stops the queue: either it sees
	 * tx_urgency, or this sees that the queue is stopped.
	 */
	smp_mb();
	if (qdisc_is_running(sch) && !netif_xmit_stopped(sch->dev_queue))
		return;
	can_prio_tell_driver(sch);
}

/* The device's queue may be stopped for long, when nobody dequeues. Frames would keep the
 * SO_SNDBUF of their sockets occupied.
 */
static enum hrtimer_restart can_prio_timer(struct hrtimer *timer)
{
	struct can_prio_sched *q = container_of(timer, struct can_prio_sched, timer);
	spinlock_t *lock = qdisc_lock(q->sch);
	struct sk_buff *to_free = NULL;
	struct rb_node *node;

	spin_lock(lock);
	can_prio_expire(q->sch, ktime_get(), &to_free);
	node = rb_first_cached(&q->deadlines);
	/* not now: the softirq would not end before all are dropped that have expired */
	if (node)
		hrtimer_start(timer, max(rb_to_skb(node)->tstamp,
					 ktime_add_us(ktime_get(), CAN_PRIO_EXPIRE_US)),
			      HRTIMER_MODE_ABS_SOFT);
	can_prio_tell_idle_driver(q->sch);
	spin_unlock(lock);
	kfree_skb_list(to_free);
	return HRTIMER_NORESTART;
}

static int can_prio_refuse(struct sk_buff *skb, struct Qdisc *sch, struct sk_buff **to_free,
			   u64 *counter)
{
	(*counter)++;
	return qdisc_drop(skb, sch, to_free);
}

static int can_prio_enqueue(struct sk_buff *skb, struct Qdisc *sch, struct sk_buff **to_free)
{
	struct can_prio_sched *q = qdisc_priv(sch);
	u64 *refused = &q->xstats.refused_memory;
	struct can_prio_sender *sender;
	struct can_prio_flow *flow;
	ktime_t deadline;

	sender = can_prio_get_sender(q, skb->sk, dev_net(qdisc_dev(sch)));
	if (unlikely(!sender))
		return can_prio_refuse(skb, sch, to_free, refused);
	if (unlikely(can_prio_over_share(sch, sender))) {
		refused = &q->xstats.refused_limit;
		goto refuse;
	}
	if (!can_prio_charged(skb) && unlikely(can_prio_sender_full(sch, sender))) {
		refused = &q->xstats.refused_sender;
		goto refuse;
	}
	can_prio_cb(skb)->key = can_prio_key(skb);
	flow = can_prio_get_flow(q, sender, can_prio_cb(skb)->key);
	if (unlikely(!flow))
		goto refuse;

	list_add_tail(&can_prio_cb(skb)->link, &flow->frames);
	sender->frames++;
	if (!can_prio_charged(skb))
		sender->uncharged++;
	RB_CLEAR_NODE(&skb->rbnode);
	deadline = can_prio_deadline(q, skb);
	if (deadline != KTIME_MAX)
		can_prio_add_deadline(q, skb, deadline);
	qdisc_qstats_backlog_inc(sch, skb);
	sch->q.qlen++;

	if (rb_first_cached(&q->turns) == &flow->turn_node && list_is_singular(&flow->frames))
		can_prio_tell_idle_driver(sch);
	return NET_XMIT_SUCCESS;

refuse:
	can_prio_put_sender(q, sender);
	return can_prio_refuse(skb, sch, to_free, refused);
}

static struct sk_buff *can_prio_dequeue(struct Qdisc *sch)
{
	struct can_prio_sched *q = qdisc_priv(sch);
	struct sk_buff *skb, *to_free = NULL;
	struct can_prio_flow *flow;
	struct rb_node *node;
	ktime_t now = 0;

	if (!RB_EMPTY_ROOT(&q->deadlines.rb_root)) {
		now = ktime_get();
		can_prio_expire(sch, now, &to_free);
		/* The one for which the driver had room may be gone. */
		if (unlikely(to_free)) {
			kfree_skb_list(to_free);
			can_prio_tell_driver(sch);
			if (netif_xmit_frozen_or_stopped(sch->dev_queue))
				return NULL;
		}
	}
	node = rb_first_cached(&q->turns);
	if (!node)
		return NULL;
	flow = rb_entry(node, struct can_prio_flow, turn_node);
	skb = can_prio_flow_first(flow);
	if (unlikely(now && can_prio_expired(skb, now))) {
		/* too many have expired to drop all of them now */
		__netif_schedule(sch);
		return NULL;
	}
	if (!list_is_singular(&flow->frames)) {
		rb_erase_cached(&flow->turn_node, &q->turns);
		can_prio_take_turn(q, flow);
	}
	/* The echo would be received at this time. */
	if (can_prio_has_deadline(skb))
		skb_set_delivery_time(skb, 0, SKB_CLOCK_REALTIME);
	can_prio_remove(sch, flow, skb);
	qdisc_bstats_update(sch, skb);
	return skb;
}

static void can_prio_reset(struct Qdisc *sch)
{
	struct can_prio_sched *q = qdisc_priv(sch);
	struct can_prio_flow *flow;
	struct rb_node *node;
	struct sk_buff *skb;

	/* If it runs, it waits for the lock, and finds nothing. */
	hrtimer_try_to_cancel(&q->timer);
	while ((node = rb_first_cached(&q->turns))) {
		flow = rb_entry(node, struct can_prio_flow, turn_node);
		skb = can_prio_flow_first(flow);
		can_prio_remove(sch, flow, skb);
		rtnl_kfree_skbs(skb, skb);
	}
}

static const struct netlink_range_validation can_prio_lifetime_range = {
	.max = CAN_PRIO_MAX_LIFETIME,
};

static const struct nla_policy can_prio_policy[TCA_CAN_PRIO_MAX + 1] = {
	[TCA_CAN_PRIO_LIFETIME] = NLA_POLICY_FULL_RANGE(NLA_U64, &can_prio_lifetime_range),
};

static int can_prio_change(struct Qdisc *sch, struct nlattr *opt, struct netlink_ext_ack *extack)
{
	struct can_prio_sched *q = qdisc_priv(sch);
	struct nlattr *tb[TCA_CAN_PRIO_MAX + 1];
	int err;

	err = nla_parse_nested(tb, TCA_CAN_PRIO_MAX, opt, can_prio_policy, extack);
	if (err)
		return err;
	if (tb[TCA_CAN_PRIO_LIFETIME]) {
		spin_lock_bh(qdisc_lock(sch));
		q->lifetime = nla_get_u64(tb[TCA_CAN_PRIO_LIFETIME]);
		spin_unlock_bh(qdisc_lock(sch));
	}
	return 0;
}

static int can_prio_init(struct Qdisc *sch, struct nlattr *opt, struct netlink_ext_ack *extack)
{
	struct can_prio_sched *q = qdisc_priv(sch);

	/* destroy runs after an error, too */
	q->sch = sch;
	q->turns = RB_ROOT_CACHED;
	q->deadlines = RB_ROOT_CACHED;
	q->senders = RB_ROOT;
	q->users = RB_ROOT;
	hrtimer_setup(&q->timer, can_prio_timer, CLOCK_MONOTONIC,
		      HRTIMER_MODE_ABS_SOFT);

	q->ml_priv = can_get_ml_priv(qdisc_dev(sch));
	if (qdisc_dev(sch)->type != ARPHRD_CAN || !q->ml_priv) {
		NL_SET_ERR_MSG(extack, "interface is not a CAN interface");
		return -EOPNOTSUPP;
	}
	/* the lock of another root would not be ours for the timer */
	if (sch->parent != TC_H_ROOT) {
		NL_SET_ERR_MSG(extack, "can_prio is only supported as root qdisc");
		return -EOPNOTSUPP;
	}
	return opt ? can_prio_change(sch, opt, extack) : 0;
}

static void can_prio_destroy(struct Qdisc *sch)
{
	struct can_prio_sched *q = qdisc_priv(sch);

	hrtimer_cancel(&q->timer);
	kfree(q->spare_user);
	kfree(q->spare_sender);
	kfree(q->spare_flow);
}

static int can_prio_dump(struct Qdisc *sch, struct sk_buff *skb)
{
	struct can_prio_sched *q = qdisc_priv(sch);
	struct nlattr *opts;
	u64 lifetime;

	spin_lock_bh(qdisc_lock(sch));
	lifetime = q->lifetime;
	spin_unlock_bh(qdisc_lock(sch));

	/* Programs that do not know the options complain if there are any. */
	opts = nla_nest_start(skb, TCA_OPTIONS);
	if (!opts)
		return -EMSGSIZE;
	if (lifetime && nla_put_u64_64bit(skb, TCA_CAN_PRIO_LIFETIME, lifetime,
					  TCA_CAN_PRIO_PAD)) {
		nla_nest_cancel(skb, opts);
		return -EMSGSIZE;
	}
	return nla_nest_end(skb, opts);
}

static int can_prio_dump_stats(struct Qdisc *sch, struct gnet_dump *d)
{
	struct can_prio_sched *q = qdisc_priv(sch);
	struct tc_can_prio_xstats xstats;

	spin_lock_bh(qdisc_lock(sch));
	xstats = q->xstats;
	spin_unlock_bh(qdisc_lock(sch));
	return gnet_stats_copy_app(d, &xstats, sizeof(xstats));
}

static struct Qdisc_ops can_prio_qdisc_ops __read_mostly = {
	.id		= CAN_PRIO_KIND,
	.priv_size	= sizeof(struct can_prio_sched),
	.enqueue	= can_prio_enqueue,
	.dequeue	= can_prio_dequeue,
	.peek		= qdisc_peek_dequeued,
	.init		= can_prio_init,
	.reset		= can_prio_reset,
	.destroy	= can_prio_destroy,
	.change		= can_prio_change,
	.dump		= can_prio_dump,
	.dump_stats	= can_prio_dump_stats,
	.owner		= THIS_MODULE,
};
MODULE_ALIAS_NET_SCH(CAN_PRIO_KIND);

static int __init can_prio_module_init(void)
{
	return register_qdisc(&can_prio_qdisc_ops);
}

static void __exit can_prio_module_exit(void)
{
	unregister_qdisc(&can_prio_qdisc_ops);
}

module_init(can_prio_module_init);
module_exit(can_prio_module_exit);

MODULE_LICENSE("Dual BSD/GPL");
MODULE_DESCRIPTION("Queueing discipline in the order of the CAN bus");
