// SPDX-License-Identifier: GPL-2.0-only
/*
 * A node that sends frames by a pattern, and acknowledges those of others. It
 * has no network interface and no interrupt, so it loads a bus without the cost
 * of a driver.
 *
 * In each period of a run, one burst of frames is sent back to back. If the bus
 * is busy, the next burst follows as soon as possible, so none is left out. A
 * triggered generator sends the next burst after a frame of another bus (trigger.c).
 *
 * Settings are changed under the bus's mutex while nothing reads them: those of
 * the node while the bus is not live, those of the pattern while there is no
 * run. A run begins and is stopped under that mutex and the bus's lock, which
 * also protects its progress. It can end by itself without the mutex.
 *
 * A trigger holds the lock of its own bus, so an irq_work takes the lock of this
 * one, in hardirq context also on PREEMPT_RT. can_sim_generator.trigger_lock is a
 * leaf.
 */
#include <linux/can.h>
#include <linux/ctype.h>
#include <linux/hex.h>
#include <linux/irq_work.h>
#include <linux/kstrtox.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/prandom.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/sysfs.h>
#include <linux/unaligned.h>

#include "chip.h"

#define MOST_DLC 8
#define MOST_PERIOD_NS (3600 * (u64)NSEC_PER_SEC)

/* Digits of identifiers, as candump writes them */
#define STANDARD_DIGITS 3
#define EXTENDED_DIGITS 8

/**
 * enum generator_id_mode - identifiers of a run
 * @FIXED_ID: all equal
 * @INCREMENT_ID: incremented for each frame; 0 follows the highest one
 * @RANDOM_ID: random, of the same length
 */
enum generator_id_mode {
	FIXED_ID,
	INCREMENT_ID,
	RANDOM_ID,
};

/**
 * enum generator_data_mode - data of the frames of a run
 * @FIXED_DATA: all equal
 * @INCREMENT_DATA: the first four bytes are the number of the frame, from 0 on,
 *	little endian; others are 0
 * @RANDOM_DATA: random
 * @MIXED_DATA: as with @INCREMENT_DATA, but the others are random
 */
enum generator_data_mode {
	FIXED_DATA,
	INCREMENT_DATA,
	RANDOM_DATA,
	MIXED_DATA,
};

/**
 * struct generator_settings - settings of a generator
 * @bitrate: bit/s; of the node, like @listen_only
 * @listen_only: 1 if the node neither sends nor acknowledges nor sends error
 *	flags
 * @id: the first identifier, with CAN_EFF_FLAG; of the pattern, like all below
 * @id_mode: the next identifiers
 * @dlc: data length code, negative if random
 * @data_mode: data of frames
 * @data: fixed data
 * @rtr: 1 for remote frames
 * @period_ns: from the begin of a burst to the begin of the next one
 * @jitter_ns: each burst begins later by a random time below this one
 * @triggered: 1 if the next burst begins after a trigger, or at the latest after
 *	@period_ns, which is 0 for no limit
 * @burst: frames in a burst
 * @count: frames in a run, 0 if it does not end
 * @seed: of random identifiers, lengths and data
 */
struct generator_settings {
	u64 bitrate;
	u64 listen_only;
	u32 id;
	enum generator_id_mode id_mode;
	int dlc;
	enum generator_data_mode data_mode;
	u8 data[MOST_DLC];
	u64 rtr;
	u64 period_ns;
	u64 jitter_ns;
	u64 triggered;
	u64 burst;
	u64 count;
	u64 seed;
};

/**
 * struct can_sim_generator - a node that sends frames by a pattern
 * @chip: the node
 * @set: its settings
 * @running: there is a run; of the run, like all below
 * @loaded: the bus has loaded @frame
 * @frame: the next frame
 * @number: of @frame in the run, from 0 on
 * @left_of_burst: frames left of the burst, with @frame
 * @begin: of the burst, without jitter
 * @jitter: of the burst
 * @due: when the burst is to be sent
 * @waiting: the burst waits for a trigger
 * @waiting_since: time of CLOCK_MONOTONIC; an earlier trigger does not count
 * @rnd: state of the random numbers
 * @trigger_lock: protects @live, @used and @trigger_time
 * @live: @trigger_work may be queued
 * @used: it was
 * @trigger_time: of the last trigger, CLOCK_MONOTONIC
 * @trigger_work: a trigger has come
 */
struct can_sim_generator {
	struct can_sim_chip chip;
	struct generator_settings set;
	bool running;
	bool loaded;
	struct can_sim_frame frame;
	u64 number;
	u64 left_of_burst;
	u64 begin;
	u64 jitter;
	u64 due;
	bool waiting;
	u64 waiting_since;
	struct rnd_state rnd;
	raw_spinlock_t trigger_lock; /* leaf */
	bool live;
	bool used;
	u64 trigger_time;
	struct irq_work trigger_work;
};

static struct can_sim_generator *to_generator(struct config_item *item)
{
	return container_of(to_can_sim_chip(item), struct can_sim_generator,
			    chip);
}

static struct can_sim_generator *node_to_generator(struct can_sim_node *node)
{
	return container_of(node, struct can_sim_generator, chip.node);
}

/* The run */

static u64 generator_random(struct can_sim_generator *gen)
{
	u64 high = prandom_u32_state(&gen->rnd);

	return high << 32 | prandom_u32_state(&gen->rnd);
}

static u32 generator_next_id(struct can_sim_generator *gen, u32 id)
{
	u32 mask = gen->set.id & CAN_EFF_FLAG ? CAN_EFF_MASK : CAN_SFF_MASK;

	if (gen->set.id_mode == INCREMENT_ID)
		return (id & ~mask) | ((id + 1) & mask);
	if (gen->set.id_mode == RANDOM_ID)
		return (id & ~mask) | (prandom_u32_state(&gen->rnd) & mask);
	return id;
}

/* Fill in what depends on the number of the frame or is random. */
static void generator_fill_frame(struct can_sim_generator *gen)
{
	struct can_sim_frame *frame = &gen->frame;

	if (gen->set.dlc < 0)
		frame->dlc = prandom_u32_state(&gen->rnd) % (MOST_DLC + 1);
	if (gen->set.data_mode == RANDOM_DATA || gen->set.data_mode == MIXED_DATA)
		prandom_bytes_state(&gen->rnd, frame->data, MOST_DLC);
	if (gen->set.data_mode == INCREMENT_DATA || gen->set.data_mode == MIXED_DATA)
		put_unaligned_le32(gen->number, frame->data);
}

static void generator_first_frame(struct can_sim_generator *gen)
{
	struct can_sim_frame *frame = &gen->frame;

	memset(frame, 0, sizeof(*frame));
	frame->id = gen->set.id;
	if (gen->set.rtr)
		frame->id |= CAN_RTR_FLAG;
	if (gen->set.id_mode == RANDOM_ID)
		frame->id = generator_next_id(gen, frame->id);
	frame->dlc = max(gen->set.dlc, 0);
	if (gen->set.data_mode == FIXED_DATA)
		memcpy(frame->data, gen->set.data, sizeof(frame->data));
	generator_fill_frame(gen);
}

static void generator_begin_burst(struct can_sim_generator *gen, u64 begin)
{
	gen->begin = begin;
	gen->due = begin + gen->jitter;
	gen->waiting = false;
}

/* The random numbers of a run do not depend on triggers. */
static void generator_draw_jitter(struct can_sim_generator *gen)
{
	gen->jitter = 0;
	if (gen->set.jitter_ns)
		div64_u64_rem(generator_random(gen), gen->set.jitter_ns,
			      &gen->jitter);
}

/* The last frame of a burst was sent. */
static void generator_next_burst(struct can_sim_generator *gen)
{
	struct can_sim_bus *bus = gen->chip.node.bus;

	gen->left_of_burst = gen->set.burst;
	generator_draw_jitter(gen);
	generator_begin_burst(gen, gen->begin + gen->set.period_ns);
	if (!gen->set.triggered)
		return;
	gen->waiting = true;
	gen->waiting_since = can_sim_pace_real_time(&bus->pace, bus->now);
	if (!gen->set.period_ns)
		gen->due = CAN_SIM_NEVER;
}

static void generator_next_frame(struct can_sim_generator *gen)
{
	gen->number++;
	if (gen->number == gen->set.count) {
		gen->running = false;
		return;
	}
	gen->frame.id = generator_next_id(gen, gen->frame.id);
	generator_fill_frame(gen);
	if (!--gen->left_of_burst)
		generator_next_burst(gen);
}

static void generator_send_when_due(struct can_sim_generator *gen)
{
	struct can_sim_node *node = &gen->chip.node;

	if (!gen->running)
		return;
	if (gen->due <= node->bus->now)
		can_sim_node_request(node);
	else
		can_sim_node_wake_at(node, gen->due);
}

static bool generator_load(struct can_sim_node *node,
			   struct can_sim_frame *frame)
{
	struct can_sim_generator *gen = node_to_generator(node);

	if (!gen->running)
		return false;
	/* a burst that begins late does not shorten the time after it */
	if (gen->set.triggered && gen->left_of_burst == gen->set.burst)
		gen->begin = node->bus->now;
	gen->loaded = true;
	gen->waiting = false;
	*frame = gen->frame;
	return true;
}

/* A frame that was on the bus when a run was stopped does not count for the
 * next run.
 */
static void generator_sent(struct can_sim_node *node)
{
	struct can_sim_generator *gen = node_to_generator(node);

	if (gen->loaded)
		generator_next_frame(gen);
	gen->loaded = false;
	generator_send_when_due(gen);
}

static void generator_woken(struct can_sim_node *node)
{
	generator_send_when_due(node_to_generator(node));
}

static void generator_counted(struct can_sim_node *node)
{
	if (node->state == CAN_SIM_BUS_OFF)
		can_sim_node_recover(node);
}

static const struct can_sim_node_ops generator_ops = {
	.load = generator_load,
	.sent = generator_sent,
	.counted = generator_counted,
	.woken = generator_woken,
};

static void generator_begin_run(struct can_sim_generator *gen)
{
	prandom_seed_state(&gen->rnd, gen->set.seed);
	gen->running = true;
	gen->loaded = false;
	gen->number = 0;
	gen->left_of_burst = gen->set.burst;
	generator_draw_jitter(gen);
	generator_begin_burst(gen, gen->chip.node.bus->now);
	generator_first_frame(gen);
	generator_send_when_due(gen);
}

static void generator_stop_run(struct can_sim_generator *gen)
{
	gen->running = false;
	gen->loaded = false;
	can_sim_node_wake_at(&gen->chip.node, CAN_SIM_NEVER);
}

/* Triggers */

static void generator_triggered(struct irq_work *work)
{
	struct can_sim_generator *gen =
		container_of(work, struct can_sim_generator, trigger_work);
	struct can_sim_node *node = &gen->chip.node;
	u64 time, begin = ktime_get_ns();
	unsigned long flags;

	raw_spin_lock_irqsave(&gen->trigger_lock, flags);
	time = gen->trigger_time;
	raw_spin_unlock_irqrestore(&gen->trigger_lock, flags);

	flags = can_sim_lock_untimed(node);
	if (gen->running && gen->waiting && time >= gen->waiting_since) {
		generator_begin_burst(gen, node->bus->now);
		generator_send_when_due(gen);
	}
	can_sim_unlock(node, flags);
	can_sim_cpu_used(begin, ktime_get_ns());
}

/**
 * can_sim_generator_of() - find a generator
 * @item: of configfs, also one of another module
 *
 * Context: any.
 * Return: the generator, or NULL if the item is none.
 */
struct can_sim_chip *can_sim_generator_of(struct config_item *item)
{
	return item->ci_type == &can_sim_generator.type ? to_can_sim_chip(item) : NULL;
}

/**
 * can_sim_generator_trigger() - let a triggered generator send its next burst
 * @chip: the generator, whose bus need not be live
 * @time: of the trigger, ns of CLOCK_MONOTONIC
 *
 * Nothing happens unless it has waited for a trigger at that time.
 *
 * Context: interrupts are off; the lock of any bus may be held.
 */
void can_sim_generator_trigger(struct can_sim_chip *chip, u64 time)
{
	struct can_sim_generator *gen = to_generator(&chip->item);

	raw_spin_lock(&gen->trigger_lock);
	gen->trigger_time = time;
	if (gen->live) {
		gen->used = true;
		irq_work_queue(&gen->trigger_work);
	}
	raw_spin_unlock(&gen->trigger_lock);
}

static void generator_set_live(struct can_sim_generator *gen, bool live)
{
	unsigned long flags;
	bool used;

	raw_spin_lock_irqsave(&gen->trigger_lock, flags);
	gen->live = live;
	used = gen->used;
	gen->used = false;
	raw_spin_unlock_irqrestore(&gen->trigger_lock, flags);
	if (live || !used)
		return;
	irq_work_sync(&gen->trigger_work);
	/* If it was queued on another CPU while it ran, it runs on two, and irq_work_sync() only
	 * waits for the first one to end.
	 */
	synchronize_rcu();
}

/* The node */

static struct can_sim_chip *generator_alloc(void)
{
	struct can_sim_generator *gen = kzalloc(sizeof(*gen), GFP_KERNEL);

	if (!gen)
		return NULL;
	gen->chip.node.ops = &generator_ops;
	raw_spin_lock_init(&gen->trigger_lock);
	gen->trigger_work = IRQ_WORK_INIT_HARD(generator_triggered);
	gen->set.bitrate = CAN_SIM_MOST_BITRATE;
	gen->set.id = 0x123;
	gen->set.dlc = MOST_DLC;
	gen->set.data_mode = INCREMENT_DATA;
	gen->set.burst = 1;
	return &gen->chip;
}

static void generator_free(struct can_sim_chip *chip)
{
	kfree(container_of(chip, struct can_sim_generator, chip));
}

static int generator_up(struct can_sim_chip *chip)
{
	struct can_sim_generator *gen = to_generator(&chip->item);
	struct can_sim_node *node = &chip->node;
	unsigned long flags;

	node->timing = can_sim_timing_of(gen->set.bitrate);
	node->mode = gen->set.listen_only ? CAN_SIM_LISTEN_ONLY : 0;

	flags = can_sim_lock_untimed(node);
	can_sim_node_on(node);
	can_sim_unlock(node, flags);
	generator_set_live(gen, true);
	return 0;
}

static void generator_down(struct can_sim_chip *chip)
{
	struct can_sim_generator *gen = to_generator(&chip->item);
	struct can_sim_node *node = &chip->node;
	unsigned long flags;

	generator_set_live(gen, false);
	flags = can_sim_lock_untimed(node);
	generator_stop_run(gen);
	can_sim_node_off(node);
	can_sim_unlock(node, flags);
}

/* Settings */

/* Begin to change a setting of the node: only while the bus is not live. */
static int generator_change_node(struct can_sim_generator *gen)
{
	return can_sim_change_begin(&gen->chip);
}

/* Begin to change a setting of the pattern: only while there is no run. */
static int generator_change_pattern(struct can_sim_generator *gen)
{
	can_sim_change_begin_live(&gen->chip);
	if (!READ_ONCE(gen->running))
		return 0;
	can_sim_change_end(&gen->chip);
	return -EBUSY;
}

static ssize_t generator_show_number(struct can_sim_generator *gen, char *page,
				     const u64 *number)
{
	u64 value;

	can_sim_change_begin_live(&gen->chip);
	value = *number;
	can_sim_change_end(&gen->chip);
	return sysfs_emit(page, "%llu\n", value);
}

static int generator_parse_number(const char *page, u64 least, u64 most,
				  u64 *value)
{
	int ret = kstrtou64(page, 0, value);

	if (ret)
		return ret;
	return *value < least || *value > most ? -ERANGE : 0;
}

static int generator_store_number(struct can_sim_generator *gen,
				  const char *page, u64 *number, u64 least,
				  u64 most,
				  int (*begin)(struct can_sim_generator *gen))
{
	u64 value;
	int ret;

	ret = generator_parse_number(page, least, most, &value);
	if (ret)
		return ret;
	ret = begin(gen);
	if (ret)
		return ret;
	*number = value;
	can_sim_change_end(&gen->chip);
	return 0;
}

#define GENERATOR_SHOW(_name)						\
static ssize_t generator_##_name##_show(struct config_item *item,	\
					char *page)			\
{									\
	struct can_sim_generator *gen = to_generator(item);		\
									\
	return generator_show_number(gen, page, &gen->set._name);	\
}

#define GENERATOR_STORE(_name, _begin, _least, _most)			\
static ssize_t generator_##_name##_store(struct config_item *item,	\
					 const char *page, size_t count) \
{									\
	struct can_sim_generator *gen = to_generator(item);		\
									\
	return generator_store_number(gen, page, &gen->set._name, _least, _most, \
				      _begin) ?: count;			\
}

/* Settings of the node */

/* bitrate: bit/s, 10000 to 1000000 */
GENERATOR_SHOW(bitrate)
GENERATOR_STORE(bitrate, generator_change_node, CAN_SIM_LEAST_BITRATE,
		CAN_SIM_MOST_BITRATE)
CONFIGFS_ATTR(generator_, bitrate);

/* listen_only: 1 for a node that neither sends nor acknowledges */
GENERATOR_SHOW(listen_only)
GENERATOR_STORE(listen_only, generator_change_node, 0, 1)
CONFIGFS_ATTR(generator_, listen_only);

/* Settings of the pattern */

/* rtr: 1 for remote frames */
GENERATOR_SHOW(rtr)
GENERATOR_STORE(rtr, generator_change_pattern, 0, 1)
CONFIGFS_ATTR(generator_, rtr);

/* period_ns: from the begin of a burst to the begin of the next one, or 0 */
GENERATOR_SHOW(period_ns)
GENERATOR_STORE(period_ns, generator_change_pattern, 0, MOST_PERIOD_NS)
CONFIGFS_ATTR(generator_, period_ns);

/* jitter_ns: each burst begins later by a random time below this one, or 0 */
GENERATOR_SHOW(jitter_ns)
GENERATOR_STORE(jitter_ns, generator_change_pattern, 0, MOST_PERIOD_NS)
CONFIGFS_ATTR(generator_, jitter_ns);

/* triggered: 1 if a trigger begins each burst but the first one, or period_ns
 * after the begin of the last one, unless that is 0
 */
GENERATOR_SHOW(triggered)
GENERATOR_STORE(triggered, generator_change_pattern, 0, 1)
CONFIGFS_ATTR(generator_, triggered);

/* burst: frames sent back to back in each period */
GENERATOR_SHOW(burst)
GENERATOR_STORE(burst, generator_change_pattern, 1, U32_MAX)
CONFIGFS_ATTR(generator_, burst);

/* count: frames of a run, 0 for a run without end */
GENERATOR_SHOW(count)
GENERATOR_STORE(count, generator_change_pattern, 0, U64_MAX)
CONFIGFS_ATTR(generator_, count);

/* seed: of random numbers; runs with the same seed are equal */
GENERATOR_SHOW(seed)
GENERATOR_STORE(seed, generator_change_pattern, 0, U64_MAX)
CONFIGFS_ATTR(generator_, seed);

/* id: the first identifier, in hexadecimal: three digits for a standard one,
 * eight for an extended one
 */
static ssize_t generator_id_show(struct config_item *item, char *page)
{
	struct can_sim_generator *gen = to_generator(item);
	u32 id;

	can_sim_change_begin_live(&gen->chip);
	id = gen->set.id;
	can_sim_change_end(&gen->chip);
	if (id & CAN_EFF_FLAG)
		return sysfs_emit(page, "%08X\n", id & CAN_EFF_MASK);
	return sysfs_emit(page, "%03X\n", id);
}

/* Return: number of hexadecimal digits, followed by nothing else, or -EINVAL. */
static int generator_hex_digits(const char *page)
{
	size_t digits = 0;

	while (isxdigit(page[digits]))
		digits++;
	return page[digits + (page[digits] == '\n')] ? -EINVAL : digits;
}

static ssize_t generator_id_store(struct config_item *item, const char *page,
				  size_t count)
{
	struct can_sim_generator *gen = to_generator(item);
	int ret, digits = generator_hex_digits(page);
	u32 id;

	if (digits != STANDARD_DIGITS && digits != EXTENDED_DIGITS)
		return -EINVAL;
	ret = kstrtou32(page, 16, &id);
	if (ret)
		return ret;
	if (id > (digits == EXTENDED_DIGITS ? CAN_EFF_MASK : CAN_SFF_MASK))
		return -ERANGE;
	if (digits == EXTENDED_DIGITS)
		id |= CAN_EFF_FLAG;

	ret = generator_change_pattern(gen);
	if (ret)
		return ret;
	gen->set.id = id;
	can_sim_change_end(&gen->chip);
	return count;
}

CONFIGFS_ATTR(generator_, id);

static const char * const id_modes[] = {
	[FIXED_ID]	= "fixed",
	[INCREMENT_ID]	= "increment",
	[RANDOM_ID]	= "random",
};

/* id_mode: fixed, increment or random */
static ssize_t generator_id_mode_show(struct config_item *item, char *page)
{
	struct can_sim_generator *gen = to_generator(item);
	enum generator_id_mode mode;

	can_sim_change_begin_live(&gen->chip);
	mode = gen->set.id_mode;
	can_sim_change_end(&gen->chip);
	return sysfs_emit(page, "%s\n", id_modes[mode]);
}

static ssize_t generator_id_mode_store(struct config_item *item,
				       const char *page, size_t count)
{
	struct can_sim_generator *gen = to_generator(item);
	int ret, mode = sysfs_match_string(id_modes, page);

	if (mode < 0)
		return mode;
	ret = generator_change_pattern(gen);
	if (ret)
		return ret;
	gen->set.id_mode = mode;
	can_sim_change_end(&gen->chip);
	return count;
}

CONFIGFS_ATTR(generator_, id_mode);

/* dlc: data length code, 0 to 8, or random */
static ssize_t generator_dlc_show(struct config_item *item, char *page)
{
	struct can_sim_generator *gen = to_generator(item);
	int dlc;

	can_sim_change_begin_live(&gen->chip);
	dlc = gen->set.dlc;
	can_sim_change_end(&gen->chip);
	if (dlc < 0)
		return sysfs_emit(page, "random\n");
	return sysfs_emit(page, "%d\n", dlc);
}

static ssize_t generator_dlc_store(struct config_item *item, const char *page,
				   size_t count)
{
	struct can_sim_generator *gen = to_generator(item);
	int ret, dlc = -1;
	u64 value;

	if (!sysfs_streq(page, "random")) {
		ret = generator_parse_number(page, 0, MOST_DLC, &value);
		if (ret)
			return ret;
		dlc = value;
	}
	ret = generator_change_pattern(gen);
	if (ret)
		return ret;
	gen->set.dlc = dlc;
	can_sim_change_end(&gen->chip);
	return count;
}

CONFIGFS_ATTR(generator_, dlc);

static const char * const data_modes[] = {
	[INCREMENT_DATA]	= "increment",
	[RANDOM_DATA]		= "random",
	[MIXED_DATA]		= "mixed",
};

/* data: "increment": the first four bytes are the number of the frame, little
 * endian, and others are 0; "mixed": others are random; "random"; or up to eight
 * bytes in hexadecimal
 */
static ssize_t generator_data_show(struct config_item *item, char *page)
{
	struct can_sim_generator *gen = to_generator(item);
	enum generator_data_mode mode;
	u8 data[MOST_DLC];

	can_sim_change_begin_live(&gen->chip);
	mode = gen->set.data_mode;
	memcpy(data, gen->set.data, sizeof(data));
	can_sim_change_end(&gen->chip);
	if (mode == FIXED_DATA)
		return sysfs_emit(page, "%*phN\n", MOST_DLC, data);
	return sysfs_emit(page, "%s\n", data_modes[mode]);
}

static int generator_parse_data(const char *page,
				enum generator_data_mode *mode, u8 *data)
{
	int digits = generator_hex_digits(page), i;

	memset(data, 0, MOST_DLC);
	for (i = 0; i < ARRAY_SIZE(data_modes); i++) {
		if (data_modes[i] && sysfs_streq(page, data_modes[i])) {
			*mode = i;
			return 0;
		}
	}
	*mode = FIXED_DATA;
	if (digits < 0 || digits % 2 || digits > 2 * MOST_DLC)
		return -EINVAL;
	return hex2bin(data, page, digits / 2);
}

static ssize_t generator_data_store(struct config_item *item, const char *page,
				    size_t count)
{
	struct can_sim_generator *gen = to_generator(item);
	enum generator_data_mode mode;
	u8 data[MOST_DLC];
	int ret;

	ret = generator_parse_data(page, &mode, data);
	if (ret)
		return ret;
	ret = generator_change_pattern(gen);
	if (ret)
		return ret;
	gen->set.data_mode = mode;
	memcpy(gen->set.data, data, sizeof(data));
	can_sim_change_end(&gen->chip);
	return count;
}

CONFIGFS_ATTR(generator_, data);

/* run: 1 begins a run on a live bus; 0 stops it, after the frame that is on the
 * bus. Reads 0 when the last frame has been sent.
 */
static ssize_t generator_run_show(struct config_item *item, char *page)
{
	struct can_sim_generator *gen = to_generator(item);
	bool running = false;
	unsigned long flags;

	if (can_sim_chip_lock(&gen->chip, &flags)) {
		running = gen->running;
		can_sim_chip_unlock(&gen->chip, flags);
	}
	return sysfs_emit(page, "%d\n", running);
}

static int generator_set_run(struct can_sim_generator *gen, bool run)
{
	if (!run) {
		generator_stop_run(gen);
		return 0;
	}
	if (gen->running)
		return -EBUSY;
	if (gen->set.listen_only)
		return -EINVAL;
	generator_begin_run(gen);
	return 0;
}

static ssize_t generator_run_store(struct config_item *item, const char *page,
				   size_t count)
{
	struct can_sim_generator *gen = to_generator(item);
	unsigned long flags;
	bool run;
	int ret;

	ret = kstrtobool(page, &run);
	if (ret)
		return ret;
	if (!can_sim_chip_lock(&gen->chip, &flags))
		return -ENETDOWN;
	ret = generator_set_run(gen, run);
	can_sim_chip_unlock(&gen->chip, flags);
	return ret ?: count;
}

CONFIGFS_ATTR(generator_, run);

static struct configfs_attribute *generator_attrs[] = {
	&generator_attr_bitrate,
	&generator_attr_listen_only,
	&generator_attr_id,
	&generator_attr_id_mode,
	&generator_attr_dlc,
	&generator_attr_data,
	&generator_attr_rtr,
	&generator_attr_period_ns,
	&generator_attr_jitter_ns,
	&generator_attr_triggered,
	&generator_attr_burst,
	&generator_attr_count,
	&generator_attr_seed,
	&generator_attr_run,
	NULL
};

struct can_sim_kind can_sim_generator = {
	.name = "generator",
	.owner = THIS_MODULE,
	.attrs = generator_attrs,
	.alloc = generator_alloc,
	.free = generator_free,
	.up = generator_up,
	.down = generator_down,
};
