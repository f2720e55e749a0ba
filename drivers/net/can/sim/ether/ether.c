// SPDX-License-Identifier: GPL-2.0-only
/*
 * A simulated Ethernet card whose link partner sends faster than this CPU
 * receives. Each interface of the kind "simether" is such a card. While it is
 * up, it receives UDP datagrams for its first IPv4 address, in trains with
 * pauses between them. Transmitted frames are discarded, at once or when they
 * would have left a wire of a given speed.
 *
 * What the link partner sends costs the CPU only a timer. Receiving costs the
 * same as with a real card that writes frames to memory by DMA: interrupts with
 * coalescing, an skb that refers to the data, and the network stack. There are
 * two variants:
 *
 * - The interrupt handler passes all frames to netif_rx(), as drivers without
 *   NAPI do, such as that of the MPC5200 (fec_mpc52xx.c).
 * - With NAPI, the interrupt is masked while the poll takes frames.
 *
 * With a speed, transmission costs a descriptor for each frame and an interrupt
 * at its end, in which, or in the poll, the driver frees the skb.
 *
 * Contexts and locks: the timers are the card, in hardirq context also on
 * PREEMPT_RT; they count frames in the receive ring, and those that were sent.
 * The interrupt handler, the poll and ndo_start_xmit() are the driver. @lock
 * protects the members that both use, and the interrupt line. All other members
 * are written while the interface is down.
 */
#include <linux/etherdevice.h>
#include <linux/hrtimer.h>
#include <linux/inetdevice.h>
#include <linux/interrupt.h>
#include <linux/ip.h>
#include <linux/math64.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/netdevice.h>
#include <linux/time64.h>
#include <linux/udp.h>
#include <net/ip.h>
#include <net/rtnetlink.h>

#include "../sim.h"

/* Data in a frame of 1500 bytes */
#define BYTES_MAX (ETH_DATA_LEN - sizeof(struct iphdr) - sizeof(struct udphdr))

/* RFC 863 */
#define PORT_DISCARD 9

/* Receive and transmit descriptors */
#define RING_SIZE 256
#define TX_RING_SIZE 64

/* Preamble, start of frame, checksum and gap, in bytes (IEEE 802.3, clauses 3 and 4) */
#define WIRE_BYTES 24

/* Interrupt coalescing: the next interrupt, also for frames that the handler
 * has left in the ring, occurs at the next tick.
 */
#define TICKS_PER_SEC 10000U

/* Limit for the duration of the handler */
#define FRAMES_PER_INTERRUPT 8

static unsigned int rate = 37000;
module_param(rate, uint, 0644);
MODULE_PARM_DESC(rate, "Frames per second in a train, 1 to 1000000; without NAPI no more than 80000 are received");

static unsigned int train = 1000;
module_param(train, uint, 0644);
MODULE_PARM_DESC(train, "Frames in a train");

static unsigned int pause_ms = 200;
module_param(pause_ms, uint, 0644);
MODULE_PARM_DESC(pause_ms, "Milliseconds between two trains");

static unsigned int bytes = 270;
module_param(bytes, uint, 0644);
MODULE_PARM_DESC(bytes, "Bytes of data in a frame, 0 to 1472; 270 at the default rate fill 100 Mbit/s");

static bool napi;
module_param(napi, bool, 0644);
MODULE_PARM_DESC(napi, "Receive by NAPI instead of netif_rx() in the interrupt handler");

static unsigned int tx_mbit;
module_param(tx_mbit, uint, 0644);
MODULE_PARM_DESC(tx_mbit, "Speed in Mbit/s at which frames are sent, with an interrupt for each, up to 10000; 0: discarded at once (default)");

/* The headers of all frames */
struct simether_frame {
	struct ethhdr eth;
	struct iphdr ip;
	struct udphdr udp;
} __packed;

/**
 * struct simether_card - private data of an interface
 * @dev: the interface
 * @napi: its NAPI, if @by_napi
 * @timer: ticks, at which frames arrive
 * @tx_timer: end of the frame that is being sent
 * @irq: interrupt line
 * @lock: see the head of this file
 * @waiting: frames in the ring
 * @masked: the interrupt is masked
 * @tx_ring: frames that were given to the card
 * @tx_head: number of those that were given since @dev came up
 * @tx_sent: number of those that were sent
 * @tx_freed: number of those that were freed
 * @left: frames left of the train; used by the timer only
 * @interval: between ticks of the timer
 * @per_tick: frames that arrive at each tick
 * @train: frames of a train
 * @pause: between trains
 * @bytes: of data in a frame
 * @tx_mbit: speed of the wire, 0: none
 * @by_napi: frames are received by NAPI
 * @header: of each frame
 * @data: page of zeros, which all frames refer to
 */
struct simether_card {
	struct net_device *dev;
	struct napi_struct napi;
	struct hrtimer timer;
	struct hrtimer tx_timer;
	struct can_sim_irq irq;

	raw_spinlock_t lock;
	unsigned int waiting;
	bool masked;
	struct sk_buff *tx_ring[TX_RING_SIZE];
	unsigned int tx_head;
	unsigned int tx_sent;
	unsigned int tx_freed;

	unsigned int left;

	ktime_t interval;
	unsigned int per_tick;
	unsigned int train;
	ktime_t pause;
	unsigned int bytes;
	unsigned int tx_mbit;
	bool by_napi;
	struct simether_frame header __aligned(2);
	struct page *data;
};

/* The card */

static enum hrtimer_restart simether_tick(struct hrtimer *timer)
{
	struct simether_card *card = container_of(timer, struct simether_card,
						  timer);
	/* more than one if interrupts were off */
	u64 ticks = hrtimer_forward_now(timer, card->interval);
	unsigned int frames = min_t(u64, card->left, ticks * card->per_tick);
	unsigned int taken;

	card->left -= frames;
	raw_spin_lock(&card->lock);
	taken = min(frames, RING_SIZE - card->waiting);
	card->waiting += taken;
	if (card->waiting && !card->masked)
		can_sim_irq_set(&card->irq, true);
	if (!card->left && !card->waiting) {
		card->left = card->train;
		hrtimer_add_expires(timer, card->pause);
	}
	raw_spin_unlock(&card->lock);
	if (frames > taken)
		DEV_STATS_ADD(card->dev, rx_missed_errors, frames - taken);
	return HRTIMER_RESTART;
}

static struct sk_buff **simether_slot(struct simether_card *card, unsigned int number)
{
	return &card->tx_ring[number % TX_RING_SIZE];
}

/* Return: time that the next frame takes on the wire. Called with @lock. */
static ktime_t simether_wire_time(struct simether_card *card)
{
	const struct sk_buff *skb = *simether_slot(card, card->tx_sent);
	unsigned int len = max_t(unsigned int, skb->len, ETH_ZLEN) + WIRE_BYTES;

	return ns_to_ktime(div_u64((u64)len * BITS_PER_BYTE * NSEC_PER_USEC,
				   card->tx_mbit));
}

static void simether_count_sent(struct net_device *dev, const struct sk_buff *skb)
{
	DEV_STATS_INC(dev, tx_packets);
	DEV_STATS_ADD(dev, tx_bytes, skb->len);
}

static enum hrtimer_restart simether_sent(struct hrtimer *timer)
{
	struct simether_card *card = container_of(timer, struct simether_card,
						  tx_timer);
	enum hrtimer_restart restart = HRTIMER_NORESTART;

	raw_spin_lock(&card->lock);
	simether_count_sent(card->dev, *simether_slot(card, card->tx_sent));
	card->tx_sent++;
	if (!card->masked)
		can_sim_irq_set(&card->irq, true);
	if (card->tx_sent != card->tx_head) {
		hrtimer_add_expires(timer, simether_wire_time(card));
		restart = HRTIMER_RESTART;
	}
	raw_spin_unlock(&card->lock);
	return restart;
}

/* Return: number of frames that the driver takes, at most @budget. */
static unsigned int simether_take_frames(struct simether_card *card,
					 unsigned int budget)
{
	unsigned long flags;
	unsigned int taken;

	raw_spin_lock_irqsave(&card->lock, flags);
	taken = min(card->waiting, budget);
	card->waiting -= taken;
	can_sim_irq_set(&card->irq, false);
	raw_spin_unlock_irqrestore(&card->lock, flags);
	return taken;
}

static void simether_mask(struct simether_card *card, bool masked)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&card->lock, flags);
	card->masked = masked;
	/* a frame that was received is signalled at the next tick */
	can_sim_irq_set(&card->irq, !masked && card->tx_sent != card->tx_freed);
	raw_spin_unlock_irqrestore(&card->lock, flags);
}

/* The driver */

static struct sk_buff *simether_build_skb(struct simether_card *card)
{
	struct sk_buff *skb = netdev_alloc_skb_ip_align(card->dev,
							sizeof(card->header));

	if (!skb) {
		DEV_STATS_INC(card->dev, rx_dropped);
		return NULL;
	}
	skb_put_data(skb, &card->header, sizeof(card->header));
	if (card->bytes) {
		get_page(card->data);
		skb_add_rx_frag(skb, 0, card->data, 0, card->bytes,
				PAGE_SIZE / 2);
	}
	skb->protocol = eth_type_trans(skb, card->dev);
	DEV_STATS_INC(card->dev, rx_packets);
	DEV_STATS_ADD(card->dev, rx_bytes, skb->len + ETH_HLEN);
	return skb;
}

/* Called with @lock. */
static bool simether_tx_full(const struct simether_card *card)
{
	return card->tx_head - card->tx_freed >= TX_RING_SIZE;
}

/* Return: an skb that was sent, or NULL. */
static struct sk_buff *simether_take_sent(struct simether_card *card)
{
	struct sk_buff *skb = NULL;
	unsigned long flags;

	raw_spin_lock_irqsave(&card->lock, flags);
	if (card->tx_freed != card->tx_sent)
		skb = *simether_slot(card, card->tx_freed++);
	/* with the lock, so that another CPU does not fill the ring meanwhile */
	if (skb && netif_queue_stopped(card->dev))
		netif_wake_queue(card->dev);
	raw_spin_unlock_irqrestore(&card->lock, flags);
	return skb;
}

/* @budget: of the poll, or -1 in the interrupt handler */
static void simether_free_sent(struct simether_card *card, int budget)
{
	struct sk_buff *skb;

	while ((skb = simether_take_sent(card))) {
		if (budget < 0)
			dev_consume_skb_irq(skb);
		else
			napi_consume_skb(skb, budget);
	}
}

static irqreturn_t simether_interrupt(int irq, void *data)
{
	struct simether_card *card = data;
	unsigned int left;
	struct sk_buff *skb;

	if (card->by_napi) {
		simether_mask(card, true);
		napi_schedule(&card->napi);
		return IRQ_HANDLED;
	}
	left = simether_take_frames(card, FRAMES_PER_INTERRUPT);
	simether_free_sent(card, -1);
	for (; left; left--) {
		skb = simether_build_skb(card);
		if (skb)
			netif_rx(skb);
	}
	return IRQ_HANDLED;
}

static int simether_poll(struct napi_struct *napi, int budget)
{
	struct simether_card *card = container_of(napi, struct simether_card,
						  napi);
	unsigned int frames = simether_take_frames(card, budget), left;
	struct sk_buff *skb;

	simether_free_sent(card, budget);
	for (left = frames; left; left--) {
		skb = simether_build_skb(card);
		if (skb)
			napi_gro_receive(napi, skb);
	}
	if (frames < budget && napi_complete_done(napi, frames))
		simether_mask(card, false);
	return frames;
}

/* The interface */

/* Return: the first IPv4 address of the interface, or 0. */
static __be32 simether_first_address(struct net_device *dev)
{
	const struct in_device *in_dev = __in_dev_get_rtnl(dev);
	const struct in_ifaddr *address;

	address = in_dev ? rtnl_dereference(in_dev->ifa_list) : NULL;
	return address ? address->ifa_local : 0;
}

/* The sender has another address in the same network, if that is large enough. */
static void simether_make_header(struct simether_card *card, __be32 to)
{
	unsigned int udp_len = sizeof(struct udphdr) + card->bytes;
	struct simether_frame *header = &card->header;
	struct iphdr ip = {
		.version = 4,
		.ihl = sizeof(struct iphdr) / 4,
		.tot_len = htons(sizeof(struct iphdr) + udp_len),
		.frag_off = htons(IP_DF),
		.ttl = 64,
		.protocol = IPPROTO_UDP,
		.saddr = to ^ htonl(3),
		.daddr = to,
	};

	ip_send_check(&ip);
	*header = (struct simether_frame){
		.eth.h_proto = htons(ETH_P_IP),
		.ip = ip,
		.udp = {
			.source = htons(PORT_DISCARD),
			.dest = htons(PORT_DISCARD),
			.len = htons(udp_len),
		},
	};
	ether_addr_copy(header->eth.h_dest, card->dev->dev_addr);
	ether_addr_copy(header->eth.h_source, card->dev->dev_addr);
	header->eth.h_source[ETH_ALEN - 1] ^= 3;
}

/* The parameters of the module may be written at the same time. */
static int simether_get_parameters(struct simether_card *card)
{
	unsigned int per_second = READ_ONCE(rate);

	card->train = READ_ONCE(train);
	card->bytes = READ_ONCE(bytes);
	card->tx_mbit = READ_ONCE(tx_mbit);
	if (!per_second || per_second > USEC_PER_SEC || !card->train ||
	    card->bytes > BYTES_MAX) {
		netdev_err(card->dev, "trains of %u frames, %u per second, of %u bytes are out of range\n",
			   card->train, per_second, card->bytes);
		return -ERANGE;
	}
	if (card->tx_mbit > 10000) {
		netdev_err(card->dev, "%u Mbit/s are out of range\n", card->tx_mbit);
		return -ERANGE;
	}
	card->per_tick = DIV_ROUND_UP(per_second, TICKS_PER_SEC);
	card->interval = ns_to_ktime(div_u64((u64)card->per_tick * NSEC_PER_SEC,
					     per_second));
	card->left = card->train;
	card->pause = ms_to_ktime(READ_ONCE(pause_ms));
	card->by_napi = READ_ONCE(napi);
	return 0;
}

static int simether_open(struct net_device *dev)
{
	struct simether_card *card = netdev_priv(dev);
	__be32 to = simether_first_address(dev);
	int ret;

	/* the capability of a user namespace does not suffice to flood a CPU */
	if (!capable(CAP_NET_ADMIN))
		return -EPERM;
	if (!to) {
		netdev_err(dev, "no IPv4 address to receive for\n");
		return -EADDRNOTAVAIL;
	}
	ret = simether_get_parameters(card);
	if (ret)
		return ret;
	card->waiting = 0;
	card->masked = false;
	card->tx_head = 0;
	card->tx_sent = 0;
	card->tx_freed = 0;
	simether_make_header(card, to);

	card->data = alloc_page(GFP_KERNEL | __GFP_ZERO);
	if (!card->data)
		return -ENOMEM;
	ret = can_sim_irq_init(&card->irq, CAN_SIM_IRQ_NO_NODE);
	if (ret)
		goto free_data;
	napi_enable(&card->napi);
	ret = request_irq(card->irq.irq, simether_interrupt, 0, dev->name, card);
	if (ret)
		goto disable;
	hrtimer_start(&card->timer, card->interval, HRTIMER_MODE_REL_HARD);
	netif_start_queue(dev);
	return 0;

disable:
	napi_disable(&card->napi);
	can_sim_irq_exit(&card->irq);
free_data:
	put_page(card->data);
	return ret;
}

static int simether_stop(struct net_device *dev)
{
	struct simether_card *card = netdev_priv(dev);

	hrtimer_cancel(&card->timer);
	napi_disable(&card->napi);
	free_irq(card->irq.irq, card);
	/* now nobody wakes the queue, and nobody starts the timer afterwards */
	netif_tx_disable(dev);
	hrtimer_cancel(&card->tx_timer);
	can_sim_irq_exit(&card->irq);
	put_page(card->data);
	DEV_STATS_ADD(dev, tx_dropped, card->tx_head - card->tx_sent);
	while (card->tx_freed != card->tx_head)
		dev_kfree_skb(*simether_slot(card, card->tx_freed++));
	return 0;
}

static netdev_tx_t simether_send(struct simether_card *card, struct sk_buff *skb)
{
	netdev_tx_t result = NETDEV_TX_OK;
	unsigned long flags;
	bool idle;

	raw_spin_lock_irqsave(&card->lock, flags);
	if (WARN_ON_ONCE(simether_tx_full(card))) {
		result = NETDEV_TX_BUSY;
		goto unlock;
	}
	skb_tx_timestamp(skb);
	idle = card->tx_sent == card->tx_head;
	*simether_slot(card, card->tx_head++) = skb;
	if (simether_tx_full(card))
		netif_stop_queue(card->dev);
	if (idle)
		hrtimer_start(&card->tx_timer, simether_wire_time(card),
			      HRTIMER_MODE_REL_HARD);
unlock:
	raw_spin_unlock_irqrestore(&card->lock, flags);
	return result;
}

static netdev_tx_t simether_start_xmit(struct sk_buff *skb,
				       struct net_device *dev)
{
	struct simether_card *card = netdev_priv(dev);

	if (card->tx_mbit)
		return simether_send(card, skb);
	simether_count_sent(dev, skb);
	dev_consume_skb_any(skb);
	return NETDEV_TX_OK;
}

static const struct net_device_ops simether_netdev_ops = {
	.ndo_open = simether_open,
	.ndo_stop = simether_stop,
	.ndo_start_xmit = simether_start_xmit,
	.ndo_set_mac_address = eth_mac_addr,
	.ndo_validate_addr = eth_validate_addr,
};

static void simether_setup(struct net_device *dev)
{
	struct simether_card *card = netdev_priv(dev);

	ether_setup(dev);
	eth_hw_addr_random(dev);
	dev->netdev_ops = &simether_netdev_ops;
	dev->needs_free_netdev = true;
	/* ARP requests would not be answered */
	dev->flags |= IFF_NOARP;

	card->dev = dev;
	raw_spin_lock_init(&card->lock);
	hrtimer_setup(&card->timer, simether_tick, CLOCK_MONOTONIC,
		      HRTIMER_MODE_REL_HARD);
	hrtimer_setup(&card->tx_timer, simether_sent, CLOCK_MONOTONIC,
		      HRTIMER_MODE_REL_HARD);
	netif_napi_add(dev, &card->napi, simether_poll);
}

static struct rtnl_link_ops simether_link_ops __read_mostly = {
	.kind = "simether",
	.priv_size = sizeof(struct simether_card),
	.setup = simether_setup,
};

static int __init simether_init(void)
{
	return rtnl_link_register(&simether_link_ops);
}

static void __exit simether_exit(void)
{
	rtnl_link_unregister(&simether_link_ops);
}

module_init(simether_init);
module_exit(simether_exit);

MODULE_DESCRIPTION("Simulated Ethernet card that is flooded");
MODULE_LICENSE("GPL");
MODULE_ALIAS_RTNL_LINK("simether");
