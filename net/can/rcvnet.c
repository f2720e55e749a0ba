// SPDX-License-Identifier: (GPL-2.0 OR BSD-3-Clause)
/* Receive filters of a namespace: contexts are described in rcvnet.h. */
#include <linux/export.h>
#include <linux/lockdep.h>
#include <linux/slab.h>
#include <linux/workqueue.h>

#include "rcvnet.h"

static struct can_rcv_net *can_rcv_net(struct net *net)
{
	return container_of(net->can.rx_alldev_list, struct can_rcv_net,
			    alldev);
}

static bool rcvnet_held(const struct can_rcv_owner *owner)
{
	const struct can_rcv_net *rn = container_of(owner, struct can_rcv_net,
						    owner);

	return !IS_ENABLED(CONFIG_LOCKDEP) || lockdep_is_held(&rn->lock);
}

static void rcvnet_resize(struct work_struct *work)
{
	struct can_rcv_net *rn = container_of(to_rcu_work(work),
					      struct can_rcv_net, owner.resize);

	mutex_lock(&rn->lock);
	can_rcv_owner_resize(&rn->owner);
	mutex_unlock(&rn->lock);
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
	struct can_rcv_net *rn = kzalloc(sizeof(*rn), GFP_KERNEL);

	if (!rn)
		return -ENOMEM;
	mutex_init(&rn->lock);
	can_rcv_owner_init(&rn->owner, rcvnet_resize, rcvnet_held);
	net->can.rx_alldev_list = &rn->alldev;
	return 0;
}

/**
 * can_rcv_net_exit() - free the receive filters of a namespace
 * @net: namespace without filters, devices and readers
 *
 * Context: Process context; may wait for an RCU grace period.
 */
void can_rcv_net_exit(struct net *net)
{
	struct can_rcv_net *rn = can_rcv_net(net);

	can_rcv_owner_exit(&rn->owner);
	kfree(rn);
}

/**
 * can_rcv_net_lock() - lock a list for changes
 * @net: namespace of the device
 * @dev: as for can_rcv_net_list()
 *
 * Context: Process context, may sleep.
 * Return: the list, locked until can_rcv_net_unlock().
 */
struct can_rcvlist *can_rcv_net_lock(struct net *net, struct net_device *dev)
{
	struct can_rcv_net *rn = can_rcv_net(net);
	struct can_rcvlist *list = can_rcv_net_list(net, dev);

	mutex_lock(&rn->lock);
	/* a device is new, or has the owner of its previous namespace */
	if (list->owner != &rn->owner)
		can_rcvlist_set_owner(list, &rn->owner, 0);
	return list;
}
EXPORT_SYMBOL_GPL(can_rcv_net_lock);

/**
 * can_rcv_net_unlock() - unlock the lists of a namespace
 * @net: namespace
 *
 * Context: Process context.
 */
void can_rcv_net_unlock(struct net *net)
{
	mutex_unlock(&can_rcv_net(net)->lock);
}
EXPORT_SYMBOL_GPL(can_rcv_net_unlock);
