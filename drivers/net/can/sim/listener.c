// SPDX-License-Identifier: GPL-2.0-only
/*
 * Nodes that only listen. Contexts and locks are those of struct can_sim_node_ops and
 * struct can_sim_kind.
 */
#include <linux/sysfs.h>

#include "listener.h"

static bool listener_load(struct can_sim_node *node, struct can_sim_frame *frame)
{
	return false;
}

static void listener_received(struct can_sim_node *node,
			      const struct can_sim_frame *frame)
{
	struct can_sim_listener *listener =
		container_of(node, struct can_sim_listener, chip.node);

	/* A node that only listens also receives a frame that nobody has acknowledged,
	 * if its transmitter is error passive.
	 */
	if (!node->bus->error.type)
		listener->complete(listener, frame);
}

static const struct can_sim_node_ops listener_ops = {
	.load = listener_load,
	.received = listener_received,
};

/**
 * can_sim_listener_init() - initialize a node that only listens
 * @listener: zeroed, but for @complete
 *
 * Context: alloc() of its kind.
 */
void can_sim_listener_init(struct can_sim_listener *listener)
{
	listener->chip.node.ops = &listener_ops;
	listener->bitrate = CAN_SIM_MOST_BITRATE;
}

/**
 * can_sim_listener_up() - begin to listen
 * @listener: on a bus
 *
 * Context: up() of its kind.
 */
void can_sim_listener_up(struct can_sim_listener *listener)
{
	struct can_sim_node *node = &listener->chip.node;
	unsigned long flags;

	node->timing = can_sim_timing_of(listener->bitrate);
	node->mode = CAN_SIM_LISTEN_ONLY;

	flags = can_sim_lock_untimed(node);
	can_sim_node_on(node);
	can_sim_unlock(node, flags);
}

/**
 * can_sim_listener_down() - end to listen
 * @listener: on a bus
 *
 * Context: down() of its kind. Afterwards @complete is not called.
 */
void can_sim_listener_down(struct can_sim_listener *listener)
{
	struct can_sim_node *node = &listener->chip.node;
	unsigned long flags;

	flags = can_sim_lock_untimed(node);
	can_sim_node_off(node);
	can_sim_unlock(node, flags);
}

static ssize_t can_sim_listener_bitrate_show(struct config_item *item, char *page)
{
	return sysfs_emit(page, "%u\n",
			  READ_ONCE(to_can_sim_listener(item)->bitrate));
}

static ssize_t can_sim_listener_bitrate_store(struct config_item *item,
					      const char *page, size_t count)
{
	struct can_sim_listener *listener = to_can_sim_listener(item);

	return can_sim_store_u32(&listener->chip, page, count,
				 CAN_SIM_LEAST_BITRATE, CAN_SIM_MOST_BITRATE,
				 &listener->bitrate);
}

struct configfs_attribute can_sim_listener_attr_bitrate = {
	.ca_name = "bitrate",
	.ca_mode = 0644,
	.ca_owner = THIS_MODULE,
	.show = can_sim_listener_bitrate_show,
	.store = can_sim_listener_bitrate_store,
};
