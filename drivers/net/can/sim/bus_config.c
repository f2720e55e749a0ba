// SPDX-License-Identifier: GPL-2.0-only
/*
 * Attributes of a simulated bus: its state, its statistics, and errors on
 * request.
 *
 * Context: Process context. Locks are described in configfs.c.
 */
#include <linux/can.h>
#include <linux/kernel.h>
#include <linux/kstrtox.h>
#include <linux/math64.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/sysfs.h>

#include "config.h"

#define MILLION 1000000

#define MOST_SLOWDOWN 1000

/* live: 1 makes all nodes with their interfaces, or none if one of them fails;
 * 0 removes them. Writing the present value is refused (-EPERM).
 */
static ssize_t can_sim_bus_live_show(struct config_item *item, char *page)
{
	struct can_sim_config *config = to_can_sim_config(item);

	guard(mutex)(&config->lock);

	return sysfs_emit(page, "%d\n", config->live);
}

static ssize_t can_sim_bus_live_store(struct config_item *item,
				      const char *page, size_t count)
{
	struct can_sim_config *config = to_can_sim_config(item);
	bool live;
	int ret;

	ret = kstrtobool(page, &live);
	if (ret)
		return ret;
	ret = live ? can_sim_config_begin_live(config) :
		     can_sim_config_end_live(config);
	return ret ?: count;
}

CONFIGFS_ATTR(can_sim_bus_, live);

/* Statistics begin at zero when the bus becomes live, and stay afterwards. */
#define BUS_COUNTER(_name, _counter)					\
static ssize_t can_sim_bus_##_name##_show(struct config_item *item, char *page) \
{									\
	struct can_sim_config *config = to_can_sim_config(item);	\
									\
	return sysfs_emit(page, "%llu\n",				\
			  can_sim_config_counter(config,		\
						 &config->bus._counter)); \
}									\
									\
CONFIGFS_ATTR_RO(can_sim_bus_, _name)

/* frames: complete frames */
BUS_COUNTER(frames, stats.frames);

/* error_frames: frames that ended with an error */
BUS_COUNTER(error_frames, stats.errors);

/* bits: of both, with stuff bits and intermission */
BUS_COUNTER(bits, stats.bits);

/* busy_ns: duration of these bits */
BUS_COUNTER(busy_ns, stats.busy);

/* cpu_ns: CPU time that simulation has taken in timer interrupts. Accesses of
 * drivers, which take time on a real board as well, are not counted.
 */
BUS_COUNTER(cpu_ns, stats.cpu);

/* time_ns: time up to which the bus was simulated: CLOCK_MONOTONIC, unless the
 * bus has a slowdown or has skipped time
 */
BUS_COUNTER(time_ns, now);

/* skipped_ns: time of the bus that was not simulated because the CPU was busy */
BUS_COUNTER(skipped_ns, pace.skipped);

/* slowdown: how many times slower than real time the bus is, 1 to 1000. Frames
 * and pauses of generators take so many times longer; accesses to a chip do not.
 * Refused while the bus is live (-EBUSY).
 */
static ssize_t can_sim_bus_slowdown_show(struct config_item *item, char *page)
{
	struct can_sim_config *config = to_can_sim_config(item);

	guard(mutex)(&config->lock);

	return sysfs_emit(page, "%u\n", config->slowdown);
}

static ssize_t can_sim_bus_slowdown_store(struct config_item *item,
					  const char *page, size_t count)
{
	struct can_sim_config *config = to_can_sim_config(item);
	u32 slowdown;
	int ret;

	ret = can_sim_parse_u32(page, 1, MOST_SLOWDOWN, &slowdown);
	if (ret)
		return ret;

	guard(mutex)(&config->lock);

	if (config->live)
		return -EBUSY;
	config->slowdown = slowdown;
	return count;
}

CONFIGFS_ATTR(can_sim_bus_, slowdown);

/* utilisation: percentage of the time since the bus became live in which it was
 * busy. A frame is counted at its end, with the intermission after it.
 */
static ssize_t can_sim_bus_utilisation_show(struct config_item *item,
					    char *page)
{
	struct can_sim_config *config = to_can_sim_config(item);
	unsigned long flags = can_sim_config_lock(config);
	u64 time = config->bus.now - config->since;
	u64 busy = min(config->bus.stats.busy, time);

	can_sim_config_unlock(config, flags);
	busy = time ? mul_u64_u64_div_u64(busy, 10000, time) : 0;
	return sysfs_emit(page, "%llu.%02llu\n", busy / 100, busy % 100);
}

CONFIGFS_ATTR_RO(can_sim_bus_, utilisation);

static const char * const error_names[] = {
	[CAN_SIM_NO_ERROR]	= "none",
	[CAN_SIM_BIT_ERROR]	= "bit",
	[CAN_SIM_STUFF_ERROR]	= "stuff",
	[CAN_SIM_FORM_ERROR]	= "form",
	[CAN_SIM_CRC_ERROR]	= "crc",
	[CAN_SIM_ACK_ERROR]	= "ack",
};

static int can_sim_bus_emit_content(char *page, int at,
				    const struct can_sim_frame *frame)
{
	unsigned int i, length = can_sim_frame_len(frame);
	int begin = at;

	if (frame->id & CAN_RTR_FLAG)
		at += sysfs_emit_at(page, at, "R");
	if (frame->id & CAN_RTR_FLAG && frame->dlc)
		at += sysfs_emit_at(page, at, "%u", min(frame->dlc, 8));
	for (i = 0; i < length; i++)
		at += sysfs_emit_at(page, at, "%02X", frame->data[i]);
	if (frame->dlc > 8)
		at += sysfs_emit_at(page, at, "_%X", frame->dlc);
	return at - begin;
}

static int can_sim_bus_emit_record(char *page, int at,
				   const struct can_sim_record *record)
{
	const struct can_sim_frame *frame = &record->frame;
	int begin = at;

	at += sysfs_emit_at(page, at, "%llu %u %s ", record->start,
			    record->bits, record->error ?
			    error_names[record->error] : "ok");
	if (frame->id & CAN_EFF_FLAG)
		at += sysfs_emit_at(page, at, "%08X#",
				    frame->id & CAN_EFF_MASK);
	else
		at += sysfs_emit_at(page, at, "%03X#",
				    frame->id & CAN_SFF_MASK);
	at += can_sim_bus_emit_content(page, at, frame);
	at += sysfs_emit_at(page, at, "\n");
	return at - begin;
}

static unsigned int can_sim_bus_copy_records(struct can_sim_config *config,
					     struct can_sim_record *records)
{
	const struct can_sim_bus *bus = &config->bus;
	unsigned long flags = can_sim_config_lock(config);
	unsigned int count = min_t(u64, bus->records, CAN_SIM_RECORDS);
	u64 first = bus->records - count;
	unsigned int i;

	for (i = 0; i < count; i++)
		records[i] = bus->record[(first + i) % CAN_SIM_RECORDS];
	can_sim_config_unlock(config, flags);
	return count;
}

/* recent: the last frames and error frames, the oldest first. A line has the
 * time of the first bit in ns, the number of bits on the wire without
 * intermission, "ok" or the type of error, and the frame in the notation of
 * candump.
 */
static ssize_t can_sim_bus_recent_show(struct config_item *item, char *page)
{
	struct can_sim_record *records;
	unsigned int i, count;
	int at = 0;

	records = kcalloc(CAN_SIM_RECORDS, sizeof(*records), GFP_KERNEL);
	if (!records)
		return -ENOMEM;
	count = can_sim_bus_copy_records(to_can_sim_config(item), records);
	for (i = 0; i < count; i++)
		at += can_sim_bus_emit_record(page, at, &records[i]);
	kfree(records);
	return at;
}

/* For root only: interfaces on the bus may be in network namespaces whose frames
 * other users do not see.
 */
static struct configfs_attribute can_sim_bus_attr_recent = {
	.ca_name	= "recent",
	.ca_mode	= 0400,
	.ca_owner	= THIS_MODULE,
	.show		= can_sim_bus_recent_show,
};

/* Errors on request, which may be changed at any time. Each write to one of
 * these attributes, and live, resets the count of frames and the random
 * numbers, so that a test can be repeated.
 */

/* inject_type: none, bit, stuff, form, crc or ack */
static ssize_t can_sim_bus_inject_type_show(struct config_item *item,
					    char *page)
{
	struct can_sim_config *config = to_can_sim_config(item);

	guard(mutex)(&config->lock);

	return sysfs_emit(page, "%s\n", error_names[config->inject.type]);
}

static ssize_t can_sim_bus_inject_type_store(struct config_item *item,
					     const char *page, size_t count)
{
	struct can_sim_config *config = to_can_sim_config(item);
	int type = sysfs_match_string(error_names, page);

	if (type < 0)
		return type;

	guard(mutex)(&config->lock);

	config->inject.type = type;
	can_sim_config_inject(config);
	return count;
}

CONFIGFS_ATTR(can_sim_bus_, inject_type);

/* inject_frames: FIRST COUNT: disturb COUNT frames from number FIRST on; 0 is
 * the next frame.
 */
static ssize_t can_sim_bus_inject_frames_show(struct config_item *item,
					      char *page)
{
	struct can_sim_config *config = to_can_sim_config(item);

	guard(mutex)(&config->lock);

	return sysfs_emit(page, "%llu %llu\n", config->inject.first,
			  config->inject.frames);
}

static ssize_t can_sim_bus_inject_frames_store(struct config_item *item,
					       const char *page, size_t count)
{
	struct can_sim_config *config = to_can_sim_config(item);
	char word[2][21];
	u64 first, frames;
	int end = 0, ret;

	if (sscanf(page, "%20s %20s %n", word[0], word[1], &end) != 2 ||
	    page[end])
		return -EINVAL;
	ret = kstrtou64(word[0], 0, &first);
	if (ret)
		return ret;
	ret = kstrtou64(word[1], 0, &frames);
	if (ret)
		return ret;

	guard(mutex)(&config->lock);

	config->inject.first = first;
	config->inject.frames = frames;
	can_sim_config_inject(config);
	return count;
}

CONFIGFS_ATTR(can_sim_bus_, inject_frames);

/* inject_ppm: probability that any other frame is disturbed, in parts per
 * million
 */
static ssize_t can_sim_bus_inject_ppm_show(struct config_item *item, char *page)
{
	struct can_sim_config *config = to_can_sim_config(item);

	guard(mutex)(&config->lock);

	return sysfs_emit(page, "%u\n", config->inject.ppm);
}

static ssize_t can_sim_bus_inject_ppm_store(struct config_item *item,
					    const char *page, size_t count)
{
	struct can_sim_config *config = to_can_sim_config(item);
	u32 ppm;
	int ret;

	ret = can_sim_parse_u32(page, 0, MILLION, &ppm);
	if (ret)
		return ret;

	guard(mutex)(&config->lock);

	config->inject.ppm = ppm;
	can_sim_config_inject(config);
	return count;
}

CONFIGFS_ATTR(can_sim_bus_, inject_ppm);

/* inject_bit: number of the bit on the wire, with stuff bits; 0 is SOF, -1 is a
 * random bit that is valid for the type of error
 */
static ssize_t can_sim_bus_inject_bit_show(struct config_item *item, char *page)
{
	struct can_sim_config *config = to_can_sim_config(item);

	guard(mutex)(&config->lock);

	return sysfs_emit(page, "%d\n", config->inject.bit);
}

static ssize_t can_sim_bus_inject_bit_store(struct config_item *item,
					    const char *page, size_t count)
{
	struct can_sim_config *config = to_can_sim_config(item);
	int bit, ret;

	ret = kstrtoint(page, 0, &bit);
	if (ret)
		return ret;
	if (bit < -1 || bit >= CAN_SIM_MOST_BITS)
		return -ERANGE;

	guard(mutex)(&config->lock);

	config->inject.bit = bit;
	can_sim_config_inject(config);
	return count;
}

CONFIGFS_ATTR(can_sim_bus_, inject_bit);

/* inject_seed: of random errors */
static ssize_t can_sim_bus_inject_seed_show(struct config_item *item,
					    char *page)
{
	struct can_sim_config *config = to_can_sim_config(item);

	guard(mutex)(&config->lock);

	return sysfs_emit(page, "%llu\n", config->seed);
}

static ssize_t can_sim_bus_inject_seed_store(struct config_item *item,
					     const char *page, size_t count)
{
	struct can_sim_config *config = to_can_sim_config(item);
	u64 seed;
	int ret;

	ret = kstrtou64(page, 0, &seed);
	if (ret)
		return ret;

	guard(mutex)(&config->lock);

	config->seed = seed;
	can_sim_config_inject(config);
	return count;
}

CONFIGFS_ATTR(can_sim_bus_, inject_seed);

struct configfs_attribute *can_sim_bus_attrs[] = {
	&can_sim_bus_attr_live,
	&can_sim_bus_attr_frames,
	&can_sim_bus_attr_error_frames,
	&can_sim_bus_attr_bits,
	&can_sim_bus_attr_busy_ns,
	&can_sim_bus_attr_cpu_ns,
	&can_sim_bus_attr_time_ns,
	&can_sim_bus_attr_skipped_ns,
	&can_sim_bus_attr_slowdown,
	&can_sim_bus_attr_utilisation,
	&can_sim_bus_attr_recent,
	&can_sim_bus_attr_inject_type,
	&can_sim_bus_attr_inject_frames,
	&can_sim_bus_attr_inject_ppm,
	&can_sim_bus_attr_inject_bit,
	&can_sim_bus_attr_inject_seed,
	NULL
};
