/* SPDX-License-Identifier: (GPL-2.0 OR BSD-3-Clause) */
/*
 * The receive filters of a network namespace: one list for each CAN device, and
 * one for the frames of all devices.
 *
 * Contexts: frames are delivered under rcu_read_lock(), on any number of CPUs.
 * Lists are changed in process context. Each list has a mutex of its own, while
 * it has receivers. It does not belong to a namespace: a socket may remove its
 * receivers after the device has been moved to another one, whose sockets
 * already add theirs. can_rcv_list_lock() is exported for KUnit suites.
 */
#ifndef _NET_CAN_RCVNET_H
#define _NET_CAN_RCVNET_H

#include <linux/can/can-ml.h>
#include <linux/mutex.h>
#include <net/net_namespace.h>

#include "rcvlist.h"

/**
 * struct can_rcv_net - receive filters of a network namespace
 * @alldev: for frames of all devices; netns_can.rx_alldev_list points to it
 * @lock: protects the numbers of receivers in netns_can.rcv_lists_stats
 */
struct can_rcv_net {
	struct can_dev_rcv_lists alldev;
	struct mutex lock;	/* of numbers of receivers */
};

int can_rcv_net_init(struct net *net);
void can_rcv_net_exit(struct net *net);
struct can_rcvlist *can_rcv_list_lock(struct can_rcvlist *list);
void can_rcv_net_unlock(struct can_rcvlist *list);
void can_rcv_net_count(struct net *net, long change);

/**
 * can_rcv_net_list() - get the filters for the frames of a device
 * @net: namespace; only used if @dev is NULL
 * @dev: CAN device; NULL for the filters for all devices of @net
 *
 * Context: Any context.
 * Return: the list.
 */
static inline struct can_rcvlist *can_rcv_net_list(struct net *net,
						   struct net_device *dev)
{
	if (dev)
		return &can_get_ml_priv(dev)->dev_rcv_lists.list;
	return &net->can.rx_alldev_list->list;
}

/**
 * can_rcv_net_lock() - lock the list of a device for changes
 * @net: as for can_rcv_net_list()
 * @dev: as for can_rcv_net_list(); may be in another namespace by now
 *
 * Context: Process context, may sleep.
 * Return: as can_rcv_list_lock().
 */
static inline struct can_rcvlist *can_rcv_net_lock(struct net *net,
						   struct net_device *dev)
{
	return can_rcv_list_lock(can_rcv_net_list(net, dev));
}

#endif /* !_NET_CAN_RCVNET_H */
