// SPDX-License-Identifier: GPL-2.0-only
/*
 * A node that records the complete frames of its bus, and when they began, without
 * taking part: it neither acknowledges nor disturbs. Nothing of the measured system
 * has to run for that but the simulation of the bus.
 *
 * Settings are changed under the bus's mutex while the bus is not live. A run of
 * the bus begins without records. They are written under the bus's lock; readers
 * hold the mutex, so that the memory stays, and copy a few of them at a time.
 */
#include <linux/bits.h>
#include <linux/can.h>
#include <linux/configfs.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/sysfs.h>

#include "listener.h"

#define MOST_FRAMES	BIT(22)

/* Copied with interrupts off */
#define RECORDS_AT_ONCE	64

/**
 * struct recorder_entry - a frame, as programs see it
 * @start: time of the first bit, in ns of the bus
 * @id: identifier, with CAN_EFF_FLAG and CAN_RTR_FLAG
 * @dlc: data length code
 * @reserved: 0
 * @data: as far as the frame has data
 */
struct recorder_entry {
	u64 start;
	u32 id;
	u8 dlc;
	u8 reserved[3];
	u8 data[8];
};

/**
 * struct can_sim_recorder - a node that records frames
 * @listener: the node
 * @frames: number of entries
 * @entry: ring of the last frames, while live
 * @count: number of frames recorded since the bus is live
 */
struct can_sim_recorder {
	struct can_sim_listener listener;
	u32 frames;
	struct recorder_entry *entry;
	u64 count;
};

static struct can_sim_recorder *to_recorder(struct can_sim_chip *chip)
{
	return container_of(chip, struct can_sim_recorder, listener.chip);
}

static struct can_sim_recorder *item_to_recorder(struct config_item *item)
{
	return to_recorder(to_can_sim_chip(item));
}

/* The node */

static void recorder_complete(struct can_sim_listener *listener,
			      const struct can_sim_frame *frame)
{
	struct can_sim_recorder *rec = to_recorder(&listener->chip);
	struct recorder_entry *entry;
	u32 at;

	div_u64_rem(rec->count++, rec->frames, &at);
	entry = &rec->entry[at];
	entry->start = listener->chip.node.bus->sof;
	entry->id = frame->id;
	entry->dlc = frame->dlc;
	memset(entry->data, 0, sizeof(entry->data));
	memcpy(entry->data, frame->data, can_sim_frame_len(frame));
}

static struct can_sim_chip *recorder_alloc(void)
{
	struct can_sim_recorder *rec = kzalloc(sizeof(*rec), GFP_KERNEL);

	if (!rec)
		return NULL;
	rec->listener.complete = recorder_complete;
	can_sim_listener_init(&rec->listener);
	rec->frames = 65536;
	return &rec->listener.chip;
}

static void recorder_free(struct can_sim_chip *chip)
{
	kfree(to_recorder(chip));
}

static int recorder_up(struct can_sim_chip *chip)
{
	struct can_sim_recorder *rec = to_recorder(chip);

	rec->entry = kvcalloc(rec->frames, sizeof(*rec->entry), GFP_KERNEL);
	if (!rec->entry)
		return -ENOMEM;
	rec->count = 0;
	can_sim_listener_up(&rec->listener);
	return 0;
}

static void recorder_down(struct can_sim_chip *chip)
{
	struct can_sim_recorder *rec = to_recorder(chip);

	can_sim_listener_down(&rec->listener);
	kvfree(rec->entry);
	rec->entry = NULL;
}

/* Attributes */

/* frames: number of frames that are kept */
static ssize_t recorder_frames_show(struct config_item *item, char *page)
{
	return sysfs_emit(page, "%u\n",
			  READ_ONCE(item_to_recorder(item)->frames));
}

static ssize_t recorder_frames_store(struct config_item *item,
				     const char *page, size_t count)
{
	struct can_sim_recorder *rec = item_to_recorder(item);

	return can_sim_store_u32(&rec->listener.chip, page, count, 1, MOST_FRAMES,
				 &rec->frames);
}

CONFIGFS_ATTR(recorder_, frames);

/* Copy some entries from number @first on. Return: how many, or -EAGAIN if the
 * bus is not live any more, or newer frames have replaced the first one.
 */
static int recorder_copy_some(struct can_sim_recorder *rec, u64 first, u64 end,
			      struct recorder_entry *to)
{
	unsigned long flags;
	int i, n = -EAGAIN;
	u32 at;

	if (!can_sim_chip_lock(&rec->listener.chip, &flags))
		return n;
	if (end <= rec->count && rec->count - first <= rec->frames) {
		n = min_t(u64, end - first, RECORDS_AT_ONCE);
		for (i = 0; i < n; i++) {
			div_u64_rem(first + i, rec->frames, &at);
			to[i] = rec->entry[at];
		}
	}
	can_sim_chip_unlock(&rec->listener.chip, flags);
	return n;
}

static u64 recorder_count(struct can_sim_recorder *rec)
{
	unsigned long flags;
	u64 count;

	if (!can_sim_chip_lock(&rec->listener.chip, &flags))
		return 0;
	count = rec->count;
	can_sim_chip_unlock(&rec->listener.chip, flags);
	return count;
}

/* records: the last frames, the oldest first, as struct recorder_entry. configfs
 * asks for the size first.
 */
static ssize_t recorder_records_read(struct config_item *item, void *buffer,
				     size_t size)
{
	struct can_sim_recorder *rec = item_to_recorder(item);
	struct recorder_entry *to = buffer;
	u64 end = recorder_count(rec), first;
	size_t most = buffer ? size / sizeof(*to) : READ_ONCE(rec->frames);
	int n;

	first = end - min_t(u64, end, min_t(u64, most, READ_ONCE(rec->frames)));
	if (!buffer)
		return (end - first) * sizeof(*to);
	for (; first < end; first += n, to += n) {
		n = recorder_copy_some(rec, first, end, to);
		if (n < 0)
			return n;
	}
	return (void *)to - buffer;
}

/* For root only: each reader gets a copy of all records. */
static struct configfs_bin_attribute recorder_attr_records = {
	.cb_attr = {
		.ca_name = "records",
		.ca_mode = 0400,
		.ca_owner = THIS_MODULE,
	},
	.cb_max_size = MOST_FRAMES * sizeof(struct recorder_entry),
	.read = recorder_records_read,
};

static struct configfs_attribute *recorder_attrs[] = {
	&can_sim_listener_attr_bitrate,
	&recorder_attr_frames,
	NULL
};

static struct configfs_bin_attribute *recorder_bin_attrs[] = {
	&recorder_attr_records,
	NULL
};

struct can_sim_kind can_sim_recorder = {
	.name = "recorder",
	.owner = THIS_MODULE,
	.attrs = recorder_attrs,
	.bin_attrs = recorder_bin_attrs,
	.alloc = recorder_alloc,
	.free = recorder_free,
	.up = recorder_up,
	.down = recorder_down,
};
