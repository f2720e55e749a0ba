// SPDX-License-Identifier: (GPL-2.0 OR BSD-3-Clause)
/* Receive filters of devices and namespaces: contexts are described in
 * rcvnet.h.
 */
#include <linux/container_of.h>
#include <linux/export.h>
#include <linux/lockdep.h>
#include <linux/minmax.h>
#include <linux/refcount.h>
#include <linux/slab.h>
#include <linux/workqueue.h>

#include "af_can.h"
#include "rcvnet.h"

/**
 * struct rcvnet_owner - owner of one list, while the list has receivers
 * @owner: in can_rcvlist.owner
 * @lock: serializes writers of the list
 * @refs: one reference of the list, and one of each writer that holds or waits
 *	for @lock, and of the work while it is queued or runs
 * @rcu: frees the owner
 *
 * It is allocated with the first receiver and not embedded in the list, because
 * the work may be queued when the list is freed together with its device.
 */
struct rcvnet_owner {
	struct can_rcv_owner owner;
	struct mutex lock;	/* of the list */
	refcount_t refs;
	struct rcu_head rcu;
};

static struct rcvnet_owner *rcvnet_owner(const struct can_rcv_owner *owner)
{
	return container_of(owner, struct rcvnet_owner, owner);
}

static bool rcvnet_held(const struct can_rcv_owner *owner)
{
	return !IS_ENABLED(CONFIG_LOCKDEP) ||
	       lockdep_is_held(&rcvnet_owner(owner)->lock);
}

static void rcvnet_hold(struct can_rcv_owner *owner)
{
	refcount_inc(&rcvnet_owner(owner)->refs);
}

static void rcvnet_put(struct rcvnet_owner *ro)
{
	if (refcount_dec_and_test(&ro->refs))
		kfree_rcu(ro, rcu);
}

static void rcvnet_resize(struct work_struct *work)
{
	struct rcvnet_owner *ro = container_of(to_rcu_work(work),
					       struct rcvnet_owner,
					       owner.resize);

	mutex_lock(&ro->lock);
	can_rcv_owner_resize(&ro->owner);
	mutex_unlock(&ro->lock);
	rcvnet_put(ro);
}

/* Return: the owner of a list with a reference, NULL if it has none. */
static struct rcvnet_owner *rcvnet_get_owner(struct can_rcvlist *list)
{
	struct rcvnet_owner *ro = NULL;
	struct can_rcv_owner *owner;

	rcu_read_lock();
	owner = READ_ONCE(list->owner);
	if (owner && refcount_inc_not_zero(&rcvnet_owner(owner)->refs))
		ro = rcvnet_owner(owner);
	rcu_read_unlock();
	return ro;
}

/* Give a list an owner, unless another writer does so now.
 * Return: false without memory.
 */
static bool rcvnet_add_owner(struct can_rcvlist *list)
{
	struct rcvnet_owner *ro = kzalloc(sizeof(*ro), GFP_KERNEL);

	if (!ro)
		return false;
	mutex_init(&ro->lock);
	refcount_set(&ro->refs, 1);
	can_rcv_owner_init(&ro->owner, rcvnet_resize, rcvnet_held);
	ro->owner.hold = rcvnet_hold;
	if (cmpxchg(&list->owner, NULL, &ro->owner))
		kfree(ro);
	return true;
}

static struct can_rcv_net *can_rcv_net(struct net *net)
{
	return container_of(net->can.rx_alldev_list, struct can_rcv_net,
			    alldev);
}

/**
 * can_rcv_net_init() - initialize the receive filters of a namespace
 * @net: namespace
 *
 * Context: Process context, may sleep.
 * Return: 0 or -ENOMEM.
 */
int can_rcv_net_init(struct net *net)
{
	struct can_rcv_net *rn = kvzalloc(sizeof(*rn), GFP_KERNEL);

	if (!rn)
		return -ENOMEM;
	mutex_init(&rn->lock);
	net->can.rx_alldev_list = &rn->alldev;
	return 0;
}

/**
 * can_rcv_net_exit() - free the receive filters of a namespace
 * @net: namespace without filters and readers
 *
 * Context: Process context.
 */
void can_rcv_net_exit(struct net *net)
{
	kvfree(can_rcv_net(net));
}

/**
 * can_rcv_list_lock() - lock a list for changes
 * @list: of a device, or of all devices of a namespace
 *
 * Context: Process context, may sleep.
 * Return: the list, locked until can_rcv_net_unlock(). NULL if the list has no
 * receivers and there is no memory.
 */
struct can_rcvlist *can_rcv_list_lock(struct can_rcvlist *list)
{
	struct rcvnet_owner *ro;

	for (;;) {
		ro = rcvnet_get_owner(list);
		if (!ro) {
			if (!rcvnet_add_owner(list))
				return NULL;
			continue;
		}
		mutex_lock(&ro->lock);
		if (READ_ONCE(list->owner) == &ro->owner)
			break;
		/* the last receiver was removed meanwhile */
		mutex_unlock(&ro->lock);
		rcvnet_put(ro);
	}
	/* any user can add filters: account them */
	if (!list->entries)
		can_rcvlist_set_owner(list, &ro->owner, __GFP_ACCOUNT);
	return list;
}
EXPORT_SYMBOL_GPL(can_rcv_list_lock);

/**
 * can_rcv_net_unlock() - unlock a list
 * @list: from can_rcv_list_lock(). Without receivers, it must not be used any
 *	more: its device may be freed
 *
 * Context: Process context.
 */
void can_rcv_net_unlock(struct can_rcvlist *list)
{
	struct rcvnet_owner *ro = rcvnet_owner(list->owner);
	bool empty = !list->entries;

	if (empty)
		WRITE_ONCE(list->owner, NULL);
	mutex_unlock(&ro->lock);
	if (empty)
		rcvnet_put(ro);
	rcvnet_put(ro);
}
EXPORT_SYMBOL_GPL(can_rcv_net_unlock);

/**
 * can_rcv_net_count() - count receivers in /proc/net/can/stats
 * @net: namespace
 * @change: number of receivers added, below 0 if removed
 *
 * Context: Process context, may sleep.
 */
void can_rcv_net_count(struct net *net, long change)
{
	struct can_rcv_lists_stats *stats = net->can.rcv_lists_stats;
	struct can_rcv_net *rn = can_rcv_net(net);

	mutex_lock(&rn->lock);
	/* a device that was moved may have been counted in another namespace */
	stats->rcv_entries += max(change, -(long)stats->rcv_entries);
	stats->rcv_entries_max = max(stats->rcv_entries_max,
				     stats->rcv_entries);
	mutex_unlock(&rn->lock);
}
EXPORT_SYMBOL_GPL(can_rcv_net_count);
