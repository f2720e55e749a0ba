// SPDX-License-Identifier: GPL-2.0-only
/*
 * A node that lets a generator send its next burst after each complete frame on the
 * bus of this node, so that one frame at a time goes through a gateway between both
 * buses. It takes no part: it neither acknowledges nor disturbs. The generator is that
 * to which the only symbolic link in the directory of the node leads.
 *
 * The link is made while the bus is not live, under its mutex, and removed at any time,
 * under its mutex and lock; frames read it under the lock. configfs keeps the generator
 * as long as the link.
 */
#include <linux/configfs.h>
#include <linux/slab.h>

#include "listener.h"

/**
 * struct can_sim_trigger - a node that triggers a generator
 * @listener: the node
 * @target: the generator, or NULL
 */
struct can_sim_trigger {
	struct can_sim_listener listener;
	struct can_sim_chip *target;
};

static struct can_sim_trigger *to_trigger(struct can_sim_chip *chip)
{
	return container_of(chip, struct can_sim_trigger, listener.chip);
}

static void trigger_complete(struct can_sim_listener *listener,
			     const struct can_sim_frame *frame)
{
	struct can_sim_trigger *trigger = to_trigger(&listener->chip);
	struct can_sim_bus *bus = listener->chip.node.bus;

	if (trigger->target)
		can_sim_generator_trigger(trigger->target,
					  can_sim_pace_real_time(&bus->pace, bus->now));
}

static struct can_sim_chip *trigger_alloc(void)
{
	struct can_sim_trigger *trigger = kzalloc(sizeof(*trigger), GFP_KERNEL);

	if (!trigger)
		return NULL;
	trigger->listener.complete = trigger_complete;
	can_sim_listener_init(&trigger->listener);
	return &trigger->listener.chip;
}

static void trigger_free(struct can_sim_chip *chip)
{
	kfree(to_trigger(chip));
}

static int trigger_up(struct can_sim_chip *chip)
{
	can_sim_listener_up(&to_trigger(chip)->listener);
	return 0;
}

static void trigger_down(struct can_sim_chip *chip)
{
	can_sim_listener_down(&to_trigger(chip)->listener);
}

static int trigger_link(struct can_sim_chip *chip, struct config_item *item)
{
	struct can_sim_chip *target = can_sim_generator_of(item);
	struct can_sim_trigger *trigger = to_trigger(chip);

	if (!target)
		return -EINVAL;
	if (trigger->target)
		return -EEXIST;
	trigger->target = target;
	return 0;
}

static void trigger_unlink(struct can_sim_chip *chip)
{
	to_trigger(chip)->target = NULL;
}

static struct configfs_attribute *trigger_attrs[] = {
	&can_sim_listener_attr_bitrate,
	NULL
};

struct can_sim_kind can_sim_trigger = {
	.name = "trigger",
	.owner = THIS_MODULE,
	.attrs = trigger_attrs,
	.alloc = trigger_alloc,
	.free = trigger_free,
	.up = trigger_up,
	.down = trigger_down,
	.link = trigger_link,
	.unlink = trigger_unlink,
};
