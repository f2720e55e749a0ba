// SPDX-License-Identifier: GPL-2.0-only
/*
 * How people make simulated buses: /sys/kernel/config/cansim/BUS/KIND.NAME
 *
 * The folders of a bus and of its nodes keep settings and show statistics, and
 * everything else exists only while the bus is live.
 *
 * Everything here is called in process context. Locks, in the order in which
 * they are taken:
 *
 *  su_mutex of configfs	what is linked into the tree; configfs holds it when it
 *			makes and drops folders
 *  can_sim_config.lock	a bus's settings, its list of nodes and whether it is
 *			live; held while that changes, and so when kinds' up()
 *			and down() register and unregister devices, interfaces
 *			and interrupts
 *  can_sim_bus.lock	what moves while the bus is live, see sim.h
 *
 * The mutex of the kinds is taken below su_mutex or by itself, and nothing is
 * taken below it. A module is loaded with su_mutex held, as for functions of USB
 * gadgets; modules do not need it to register kinds.
 *
 * While a bus is live, configfs refuses to remove its folder and those of its
 * nodes, because the bus depends on them. So nothing that is live is ever
 * released.
 */
#include <linux/can.h>
#include <linux/kernel.h>
#include <linux/kmod.h>
#include <linux/kstrtox.h>
#include <linux/math64.h>
#include <linux/mutex.h>
#include <linux/netdevice.h>
#include <linux/platform_device.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/sysfs.h>

#include "chip.h"

#define MILLION 1000000

/* No chip is slower to answer; interrupts may be off for so long. */
#define MOST_ACCESS_NS 100000

/**
 * struct can_sim_config - a bus, as configfs sees it
 * @group: its folder
 * @lock: protects everything below, but for what moves on the bus
 * @chips: nodes, in the order in which they were made
 * @live: the bus exists
 * @pdev: parent of all that its nodes make, while live
 * @since: time at which it became live
 * @inject: errors on request, as they begin with each change
 * @seed: of their chance
 * @bus: all zero before the first time that it is live; of no more than interest
 *	afterwards, when it is not
 */
struct can_sim_config {
	struct config_group group;
	struct mutex lock; /* protects everything below, see above */
	struct list_head chips;
	bool live;
	struct platform_device *pdev;
	u64 since;
	struct can_sim_inject inject;
	u64 seed;
	struct can_sim_bus bus;
};

static struct configfs_subsystem can_sim_subsys;

static LIST_HEAD(kinds);
static DEFINE_MUTEX(kinds_lock);

static struct can_sim_config *to_config(struct config_item *item)
{
	return container_of(to_config_group(item), struct can_sim_config, group);
}

/* Looking at a bus that may be live */

static unsigned long bus_lock(struct can_sim_config *config)
{
	unsigned long flags;

	mutex_lock(&config->lock);
	raw_spin_lock_irqsave(&config->bus.lock, flags);
	__release(&config->bus.lock); /* sparse need not look for bus_unlock() */
	if (config->live)
		can_sim_bus_run(&config->bus);
	return flags;
}

static void bus_unlock(struct can_sim_config *config, unsigned long flags)
{
	__acquire(&config->bus.lock);
	raw_spin_unlock_irqrestore(&config->bus.lock, flags);
	mutex_unlock(&config->lock);
}

static u64 read_counter(struct can_sim_config *config, const u64 *counter)
{
	unsigned long flags = bus_lock(config);
	u64 value = *counter;

	bus_unlock(config, flags);
	return value;
}

/**
 * can_sim_change_begin() - a setting of a node is about to be changed
 * @chip: the node
 *
 * Context: process, from the node's attributes. After success the bus's mutex is
 *	held until can_sim_change_end(), so the bus does not become live meanwhile.
 * Return: 0, or -EBUSY if the bus is live.
 */
int can_sim_change_begin(struct can_sim_chip *chip)
{
	mutex_lock(&chip->config->lock);
	if (!chip->config->live)
		return 0;
	mutex_unlock(&chip->config->lock);
	return -EBUSY;
}
EXPORT_SYMBOL_GPL(can_sim_change_begin);

/**
 * can_sim_change_begin_live() - change a setting even if the bus is live
 * @chip: the node
 *
 * Context: process, from the node's attributes. The bus's mutex is held until
 *	can_sim_change_end(), so the bus neither becomes live meanwhile nor ceases
 *	to be.
 */
void can_sim_change_begin_live(struct can_sim_chip *chip)
{
	mutex_lock(&chip->config->lock);
}
EXPORT_SYMBOL_GPL(can_sim_change_begin_live);

/**
 * can_sim_change_end() - a setting of a node has been changed
 * @chip: the node
 *
 * Context: process, after can_sim_change_begin() or can_sim_change_begin_live().
 */
void can_sim_change_end(struct can_sim_chip *chip)
{
	mutex_unlock(&chip->config->lock);
}
EXPORT_SYMBOL_GPL(can_sim_change_end);

/**
 * can_sim_chip_lock() - look at what a node has only while its bus is live
 * @chip: the node
 * @flags: for can_sim_chip_unlock()
 *
 * Unlike can_sim_lock() this is no access to the chip: it takes no time and is
 * not counted.
 *
 * Context: process, from the node's attributes. After success the bus's mutex and
 *	lock are held, interrupts are off and the bus has caught up with the clock.
 * Return: false, and nothing is held, if the bus is not live.
 */
bool can_sim_chip_lock(struct can_sim_chip *chip, unsigned long *flags)
{
	struct can_sim_config *config = chip->config;

	*flags = bus_lock(config);
	if (config->live)
		return true;
	bus_unlock(config, *flags);
	return false;
}
EXPORT_SYMBOL_GPL(can_sim_chip_lock);

/**
 * can_sim_chip_unlock() - the opposite of can_sim_chip_lock()
 * @chip: the node
 * @flags: from there
 *
 * What has been changed takes effect on the bus, as by can_sim_unlock().
 *
 * Context: process, after success of can_sim_chip_lock().
 */
void can_sim_chip_unlock(struct can_sim_chip *chip, unsigned long flags)
{
	can_sim_unlock(&chip->node, flags);
	mutex_unlock(&chip->config->lock);
}
EXPORT_SYMBOL_GPL(can_sim_chip_unlock);

/* A bus becomes live, and ceases to be */

static int chip_up(struct can_sim_config *config, struct can_sim_chip *chip)
{
	const struct can_sim_kind *kind = chip->kind;
	int ret = 0;

	memset(&chip->node.stats, 0, sizeof(chip->node.stats));
	chip->parent = &config->pdev->dev;
	chip->irq_held = false;
	can_sim_bus_add(&config->bus, &chip->node);
	if (kind->has_irq)
		ret = can_sim_irq_init(&chip->irq, chip->irq_wiring);
	if (ret)
		goto err_del;
	ret = kind->up(chip);
	if (ret)
		goto err_irq;
	return 0;

err_irq:
	if (kind->has_irq)
		can_sim_irq_exit(&chip->irq);
err_del:
	can_sim_bus_del(&chip->node);
	return ret;
}

static void chip_down(struct can_sim_chip *chip)
{
	if (chip->irq_held)
		can_sim_irq_hold(&chip->irq, false);
	chip->kind->down(chip);
	if (chip->kind->has_irq)
		can_sim_irq_exit(&chip->irq);
	can_sim_bus_del(&chip->node);
}

/* Errors on request begin anew, with the first frame from now on. */
static void restart_injection(struct can_sim_config *config)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&config->bus.lock, flags);
	if (config->live)
		can_sim_bus_run(&config->bus);
	config->bus.inject = config->inject;
	prandom_seed_state(&config->bus.inject.rnd, config->seed);
	raw_spin_unlock_irqrestore(&config->bus.lock, flags);
}

static int bus_up(struct can_sim_config *config)
{
	struct can_sim_chip *chip;
	int ret;

	config->pdev = platform_device_register_simple("cansim",
						       PLATFORM_DEVID_AUTO,
						       NULL, 0);
	if (IS_ERR(config->pdev))
		return PTR_ERR(config->pdev);
	can_sim_bus_init(&config->bus, NULL);
	config->live = true;
	restart_injection(config);
	config->since = config->bus.now;
	list_for_each_entry(chip, &config->chips, list) {
		ret = chip_up(config, chip);
		if (ret)
			goto err_down;
	}
	return 0;

err_down:
	list_for_each_entry_continue_reverse(chip, &config->chips, list)
		chip_down(chip);
	config->live = false;
	can_sim_bus_stop(&config->bus);
	platform_device_unregister(config->pdev);
	return ret;
}

static void bus_down(struct can_sim_config *config)
{
	struct can_sim_chip *chip;

	list_for_each_entry_reverse(chip, &config->chips, list)
		chip_down(chip);
	config->live = false;
	can_sim_bus_stop(&config->bus);
	platform_device_unregister(config->pdev);
}

static void release_folders(struct can_sim_config *config)
{
	struct can_sim_chip *chip;

	list_for_each_entry(chip, &config->chips, list)
		configfs_undepend_item_unlocked(&chip->item);
	configfs_undepend_item_unlocked(&config->group.cg_item);
}

/* With su_mutex held no folder is half linked into the tree. One that is about
 * to appear or to go makes this fail.
 */
static int keep_folders(struct can_sim_config *config)
{
	struct can_sim_chip *chip;

	if (configfs_depend_item_unlocked(&can_sim_subsys,
					  &config->group.cg_item))
		return -EBUSY;
	list_for_each_entry(chip, &config->chips, list)
		if (configfs_depend_item_unlocked(&can_sim_subsys, &chip->item))
			goto err_release;
	return 0;

err_release:
	list_for_each_entry_continue_reverse(chip, &config->chips, list)
		configfs_undepend_item_unlocked(&chip->item);
	configfs_undepend_item_unlocked(&config->group.cg_item);
	return -EBUSY;
}

static int begin_live(struct can_sim_config *config)
{
	int ret;

	mutex_lock(&can_sim_subsys.su_mutex);
	mutex_lock(&config->lock);
	ret = config->live ? -EPERM : keep_folders(config);
	mutex_unlock(&can_sim_subsys.su_mutex);
	if (!ret) {
		ret = bus_up(config);
		if (ret)
			release_folders(config);
	}
	mutex_unlock(&config->lock);
	return ret;
}

static int end_live(struct can_sim_config *config)
{
	guard(mutex)(&config->lock);

	if (!config->live)
		return -EPERM;
	bus_down(config);
	release_folders(config);
	return 0;
}

/* Attributes of buses */

/* live: 1 makes all nodes with their interfaces, or fails and makes none; 0
 * removes them. What it is already it cannot become (-EPERM).
 */
static ssize_t bus_live_show(struct config_item *item, char *page)
{
	struct can_sim_config *config = to_config(item);

	guard(mutex)(&config->lock);

	return sysfs_emit(page, "%d\n", config->live);
}

static ssize_t bus_live_store(struct config_item *item, const char *page,
			      size_t count)
{
	struct can_sim_config *config = to_config(item);
	bool live;
	int ret;

	ret = kstrtobool(page, &live);
	if (ret)
		return ret;
	ret = live ? begin_live(config) : end_live(config);
	return ret ?: count;
}

CONFIGFS_ATTR(bus_, live);

/* Statistics begin at zero when the bus becomes live, and stay when it ceases to
 * be.
 */
#define BUS_COUNTER(_name, _counter)					\
static ssize_t bus_##_name##_show(struct config_item *item, char *page)	\
{									\
	struct can_sim_config *config = to_config(item);		\
									\
	return sysfs_emit(page, "%llu\n",				\
			  read_counter(config, &config->bus._counter));	\
}									\
									\
CONFIGFS_ATTR_RO(bus_, _name)

/* frames: complete ones */
BUS_COUNTER(frames, stats.frames);

/* error_frames: frames that were ended by error flags */
BUS_COUNTER(error_frames, stats.errors);

/* bits: of all of these, with stuff bits and intermission */
BUS_COUNTER(bits, stats.bits);

/* busy_ns: time that these took */
BUS_COUNTER(busy_ns, stats.busy);

/* time_ns: up to which the bus has been simulated, on CLOCK_MONOTONIC; stands
 * still while the bus is not live
 */
BUS_COUNTER(time_ns, now);

/* utilisation: percentage of the time since the bus became live in which it was
 * busy. A frame counts when it has ended, with the intermission after it.
 */
static ssize_t bus_utilisation_show(struct config_item *item, char *page)
{
	struct can_sim_config *config = to_config(item);
	unsigned long flags = bus_lock(config);
	u64 time = config->bus.now - config->since;
	u64 busy = min(config->bus.stats.busy, time);

	bus_unlock(config, flags);
	busy = time ? mul_u64_u64_div_u64(busy, 10000, time) : 0;
	return sysfs_emit(page, "%llu.%02llu\n", busy / 100, busy % 100);
}

CONFIGFS_ATTR_RO(bus_, utilisation);

static const char * const error_names[] = {
	[CAN_SIM_NO_ERROR]	= "none",
	[CAN_SIM_BIT_ERROR]	= "bit",
	[CAN_SIM_STUFF_ERROR]	= "stuff",
	[CAN_SIM_FORM_ERROR]	= "form",
	[CAN_SIM_CRC_ERROR]	= "crc",
	[CAN_SIM_ACK_ERROR]	= "ack",
};

static int emit_content(char *page, int at, const struct can_sim_frame *frame)
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

static int emit_record(char *page, int at, const struct can_sim_record *record)
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
		at += sysfs_emit_at(page, at, "%03X#", frame->id & CAN_SFF_MASK);
	at += emit_content(page, at, frame);
	at += sysfs_emit_at(page, at, "\n");
	return at - begin;
}

static unsigned int copy_records(struct can_sim_config *config,
				 struct can_sim_record *records)
{
	const struct can_sim_bus *bus = &config->bus;
	unsigned long flags = bus_lock(config);
	unsigned int count = min_t(u64, bus->records, CAN_SIM_RECORDS);
	u64 first = bus->records - count;
	unsigned int i;

	for (i = 0; i < count; i++)
		records[i] = bus->record[(first + i) % CAN_SIM_RECORDS];
	bus_unlock(config, flags);
	return count;
}

/* recent: the last frames and error frames, the oldest first. A line has the time
 * of the first bit in ns, bits on the wire without intermission, "ok" or the kind
 * of error, and the frame as candump writes it.
 */
static ssize_t bus_recent_show(struct config_item *item, char *page)
{
	struct can_sim_record *records;
	unsigned int i, count;
	int at = 0;

	records = kcalloc(CAN_SIM_RECORDS, sizeof(*records), GFP_KERNEL);
	if (!records)
		return -ENOMEM;
	count = copy_records(to_config(item), records);
	for (i = 0; i < count; i++)
		at += emit_record(page, at, &records[i]);
	kfree(records);
	return at;
}

CONFIGFS_ATTR_RO(bus_, recent);

/* Errors on request. They may be changed at any time. Each change of one of these
 * attributes counts frames from zero again and sets chance back to its seed, as
 * does a bus that becomes live, so that a test can be repeated.
 */

/* inject_type: none, bit, stuff, form, crc or ack */
static ssize_t bus_inject_type_show(struct config_item *item, char *page)
{
	struct can_sim_config *config = to_config(item);

	guard(mutex)(&config->lock);

	return sysfs_emit(page, "%s\n", error_names[config->inject.type]);
}

static ssize_t bus_inject_type_store(struct config_item *item, const char *page,
				     size_t count)
{
	struct can_sim_config *config = to_config(item);
	int type = sysfs_match_string(error_names, page);

	if (type < 0)
		return type;

	guard(mutex)(&config->lock);

	config->inject.type = type;
	restart_injection(config);
	return count;
}

CONFIGFS_ATTR(bus_, inject_type);

/* inject_frames: FIRST COUNT; so many frames, from this one on, are disturbed. 0
 * is the next frame to begin.
 */
static ssize_t bus_inject_frames_show(struct config_item *item, char *page)
{
	struct can_sim_config *config = to_config(item);

	guard(mutex)(&config->lock);

	return sysfs_emit(page, "%llu %llu\n", config->inject.first,
			  config->inject.frames);
}

static ssize_t bus_inject_frames_store(struct config_item *item,
				       const char *page, size_t count)
{
	struct can_sim_config *config = to_config(item);
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
	restart_injection(config);
	return count;
}

CONFIGFS_ATTR(bus_, inject_frames);

/* inject_ppm: of a million frames, so many are disturbed at random */
static ssize_t bus_inject_ppm_show(struct config_item *item, char *page)
{
	struct can_sim_config *config = to_config(item);

	guard(mutex)(&config->lock);

	return sysfs_emit(page, "%u\n", config->inject.ppm);
}

static ssize_t bus_inject_ppm_store(struct config_item *item, const char *page,
				    size_t count)
{
	struct can_sim_config *config = to_config(item);
	u32 ppm;
	int ret;

	ret = kstrtou32(page, 0, &ppm);
	if (ret)
		return ret;
	if (ppm > MILLION)
		return -ERANGE;

	guard(mutex)(&config->lock);

	config->inject.ppm = ppm;
	restart_injection(config);
	return count;
}

CONFIGFS_ATTR(bus_, inject_ppm);

/* inject_bit: of the frame on the wire, with stuff bits; 0 is SOF, -1 is one that
 * suits the kind of error, at random
 */
static ssize_t bus_inject_bit_show(struct config_item *item, char *page)
{
	struct can_sim_config *config = to_config(item);

	guard(mutex)(&config->lock);

	return sysfs_emit(page, "%d\n", config->inject.bit);
}

static ssize_t bus_inject_bit_store(struct config_item *item, const char *page,
				    size_t count)
{
	struct can_sim_config *config = to_config(item);
	int bit, ret;

	ret = kstrtoint(page, 0, &bit);
	if (ret)
		return ret;
	if (bit < -1 || bit >= CAN_SIM_MOST_BITS)
		return -ERANGE;

	guard(mutex)(&config->lock);

	config->inject.bit = bit;
	restart_injection(config);
	return count;
}

CONFIGFS_ATTR(bus_, inject_bit);

/* inject_seed: of what happens at random */
static ssize_t bus_inject_seed_show(struct config_item *item, char *page)
{
	struct can_sim_config *config = to_config(item);

	guard(mutex)(&config->lock);

	return sysfs_emit(page, "%llu\n", config->seed);
}

static ssize_t bus_inject_seed_store(struct config_item *item, const char *page,
				     size_t count)
{
	struct can_sim_config *config = to_config(item);
	u64 seed;
	int ret;

	ret = kstrtou64(page, 0, &seed);
	if (ret)
		return ret;

	guard(mutex)(&config->lock);

	config->seed = seed;
	restart_injection(config);
	return count;
}

CONFIGFS_ATTR(bus_, inject_seed);

static struct configfs_attribute *bus_attrs[] = {
	&bus_attr_live,
	&bus_attr_frames,
	&bus_attr_error_frames,
	&bus_attr_bits,
	&bus_attr_busy_ns,
	&bus_attr_time_ns,
	&bus_attr_utilisation,
	&bus_attr_recent,
	&bus_attr_inject_type,
	&bus_attr_inject_frames,
	&bus_attr_inject_ppm,
	&bus_attr_inject_bit,
	&bus_attr_inject_seed,
	NULL
};

/* Attributes of all nodes; statistics as for buses */

#define NODE_COUNTER(_name, _counter)					\
static ssize_t node_##_name##_show(struct config_item *item, char *page) \
{									\
	struct can_sim_chip *chip = to_can_sim_chip(item);		\
									\
	return sysfs_emit(page, "%llu\n",				\
			  read_counter(chip->config,			\
				       &chip->node.stats._counter));	\
}									\
									\
CONFIGFS_ATTR_RO(node_, _name)

/* sent, received: complete frames, before any acceptance filter */
NODE_COUNTER(sent, sent);
NODE_COUNTER(received, received);

/* lost_arbitration: attempts to send that did */
NODE_COUNTER(lost_arbitration, lost);

/* errors: that the node has detected */
NODE_COUNTER(errors, errors);

/* overruns: frames for which the chip had no room */
NODE_COUNTER(overruns, overruns);

/* high_water: most frames, or bytes for an SJA1000, that waited in the chip */
NODE_COUNTER(high_water, high);

/* accesses: of the driver to registers, or transfers */
NODE_COUNTER(accesses, accesses);

/* tec, rec: error counters of fault confinement */
static ssize_t node_tec_show(struct config_item *item, char *page)
{
	struct can_sim_chip *chip = to_can_sim_chip(item);
	unsigned long flags = bus_lock(chip->config);
	unsigned int tec = chip->node.tec;

	bus_unlock(chip->config, flags);
	return sysfs_emit(page, "%u\n", tec);
}

CONFIGFS_ATTR_RO(node_, tec);

static ssize_t node_rec_show(struct config_item *item, char *page)
{
	struct can_sim_chip *chip = to_can_sim_chip(item);
	unsigned long flags = bus_lock(chip->config);
	unsigned int rec = chip->node.rec;

	bus_unlock(chip->config, flags);
	return sysfs_emit(page, "%u\n", rec);
}

CONFIGFS_ATTR_RO(node_, rec);

/* state: of fault confinement: active, passive, bus-off; or off for a node that
 * does not take part in what happens on the bus
 */
static ssize_t node_state_show(struct config_item *item, char *page)
{
	static const char * const names[] = {
		[CAN_SIM_ACTIVE]	= "active",
		[CAN_SIM_PASSIVE]	= "passive",
		[CAN_SIM_BUS_OFF]	= "bus-off",
	};
	struct can_sim_chip *chip = to_can_sim_chip(item);
	unsigned long flags = bus_lock(chip->config);
	enum can_sim_state state = chip->node.state;
	bool on = chip->node.on;

	bus_unlock(chip->config, flags);
	return sysfs_emit(page, "%s\n", on ? names[state] : "off");
}

CONFIGFS_ATTR_RO(node_, state);

/* access_ns: time that each access of the driver to a register takes, which the
 * CPU spends waiting
 */
static ssize_t node_access_ns_show(struct config_item *item, char *page)
{
	struct can_sim_chip *chip = to_can_sim_chip(item);

	return sysfs_emit(page, "%u\n", READ_ONCE(chip->node.access_ns));
}

static ssize_t node_access_ns_store(struct config_item *item, const char *page,
				    size_t count)
{
	struct can_sim_chip *chip = to_can_sim_chip(item);
	unsigned int access_ns;
	int ret;

	ret = kstrtouint(page, 0, &access_ns);
	if (ret)
		return ret;
	if (access_ns > MOST_ACCESS_NS)
		return -ERANGE;
	WRITE_ONCE(chip->node.access_ns, access_ns);
	return count;
}

CONFIGFS_ATTR(node_, access_ns);

static struct configfs_attribute *node_attrs[] = {
	&node_attr_sent,
	&node_attr_received,
	&node_attr_lost_arbitration,
	&node_attr_errors,
	&node_attr_overruns,
	&node_attr_high_water,
	&node_attr_accesses,
	&node_attr_tec,
	&node_attr_rec,
	&node_attr_state,
	&node_attr_access_ns,
	NULL
};

/* Attributes of nodes with an interrupt line */

/* irq: number of the interrupt, 0 while the bus is not live */
static ssize_t node_irq_show(struct config_item *item, char *page)
{
	struct can_sim_chip *chip = to_can_sim_chip(item);

	guard(mutex)(&chip->config->lock);

	return sysfs_emit(page, "%d\n", chip->config->live ? chip->irq.irq : 0);
}

CONFIGFS_ATTR_RO(node_, irq);

/* irq_hold: 1 keeps interrupts of a live node back, as if they were off on the
 * CPU; 0 lets them through. The end of live sets it to 0.
 */
static ssize_t node_irq_hold_show(struct config_item *item, char *page)
{
	struct can_sim_chip *chip = to_can_sim_chip(item);

	guard(mutex)(&chip->config->lock);

	return sysfs_emit(page, "%d\n", chip->config->live && chip->irq_held);
}

static ssize_t node_irq_hold_store(struct config_item *item, const char *page,
				   size_t count)
{
	struct can_sim_chip *chip = to_can_sim_chip(item);
	bool hold;
	int ret;

	ret = kstrtobool(page, &hold);
	if (ret)
		return ret;

	guard(mutex)(&chip->config->lock);

	if (!chip->config->live)
		return -ENETDOWN;
	chip->irq_held = hold;
	can_sim_irq_hold(&chip->irq, hold);
	return count;
}

CONFIGFS_ATTR(node_, irq_hold);

static struct configfs_attribute *irq_attrs[] = {
	&node_attr_irq,
	&node_attr_irq_hold,
	NULL
};

/* Kinds of nodes */

static void node_release(struct config_item *item)
{
	struct can_sim_chip *chip = to_can_sim_chip(item);
	const struct can_sim_kind *kind = chip->kind;

	kind->free(chip);
	module_put(kind->owner);
}

static struct configfs_item_operations node_item_ops = {
	.release = node_release,
};

static size_t count_attrs(struct configfs_attribute **attrs)
{
	size_t count = 0;

	while (attrs && attrs[count])
		count++;
	return count;
}

/* Return: all attributes of a kind, NULL-terminated, or NULL without memory. */
static struct configfs_attribute **join_attrs(const struct can_sim_kind *kind)
{
	struct configfs_attribute **parts[] = {
		node_attrs,
		kind->has_irq ? irq_attrs : NULL,
		kind->attrs,
	};
	struct configfs_attribute **all;
	size_t i, size, count = 0;

	for (i = 0; i < ARRAY_SIZE(parts); i++)
		count += count_attrs(parts[i]);
	all = kcalloc(count + 1, sizeof(*all), GFP_KERNEL);
	if (!all)
		return NULL;
	for (i = 0, count = 0; i < ARRAY_SIZE(parts); i++, count += size) {
		size = count_attrs(parts[i]);
		memcpy(all + count, parts[i], size * sizeof(*all));
	}
	return all;
}

static struct can_sim_kind *find_kind(const char *name, size_t length)
{
	struct can_sim_kind *kind;

	lockdep_assert_held(&kinds_lock);

	list_for_each_entry(kind, &kinds, list)
		if (strlen(kind->name) == length &&
		    !memcmp(kind->name, name, length))
			return kind;
	return NULL;
}

/**
 * can_sim_kind_register() - let people make nodes of another kind
 * @kind: must stay until can_sim_kind_unregister(), but for @kind->name and
 *	@kind->owner of which no two may have the first
 *
 * Context: process, usually when a module is loaded.
 * Return: 0, -EEXIST if there is a kind of this name, or -ENOMEM.
 */
int can_sim_kind_register(struct can_sim_kind *kind)
{
	struct configfs_attribute **attrs = join_attrs(kind);

	if (!attrs)
		return -ENOMEM;
	kind->type.ct_owner = THIS_MODULE;
	kind->type.ct_item_ops = &node_item_ops;
	kind->type.ct_attrs = attrs;

	guard(mutex)(&kinds_lock);

	if (find_kind(kind->name, strlen(kind->name))) {
		kfree(attrs);
		return -EEXIST;
	}
	list_add_tail(&kind->list, &kinds);
	return 0;
}
EXPORT_SYMBOL_GPL(can_sim_kind_register);

/**
 * can_sim_kind_unregister() - the opposite of can_sim_kind_register()
 * @kind: of which there are no nodes any more, because its module goes
 *
 * Context: process.
 */
void can_sim_kind_unregister(struct can_sim_kind *kind)
{
	mutex_lock(&kinds_lock);
	list_del(&kind->list);
	mutex_unlock(&kinds_lock);
	kfree(kind->type.ct_attrs);
}
EXPORT_SYMBOL_GPL(can_sim_kind_unregister);

static struct can_sim_kind *try_get_kind(const char *name, size_t length)
{
	struct can_sim_kind *kind;

	guard(mutex)(&kinds_lock);

	kind = find_kind(name, length);
	return kind && try_module_get(kind->owner) ? kind : NULL;
}

static struct can_sim_kind *get_kind(const char *name, size_t length)
{
	struct can_sim_kind *kind = try_get_kind(name, length);

	if (kind)
		return kind;
	request_module("cansim-%.*s", (int)length, name);
	return try_get_kind(name, length);
}

/* Folders */

static struct can_sim_chip *make_chip(struct can_sim_config *config,
				      const struct can_sim_kind *kind,
				      const char *folder, const char *name)
{
	struct can_sim_chip *chip;

	guard(mutex)(&config->lock);

	if (config->live)
		return ERR_PTR(-EBUSY);
	chip = kind->alloc();
	if (!chip)
		return ERR_PTR(-ENOMEM);
	chip->kind = kind;
	chip->config = config;
	strscpy(chip->name, name, sizeof(chip->name));
	config_item_init_type_name(&chip->item, folder, &kind->type);
	list_add_tail(&chip->list, &config->chips);
	return chip;
}

static struct config_item *bus_make_item(struct config_group *group,
					 const char *folder)
{
	const char *dot = strchr(folder, '.');
	const struct can_sim_kind *kind;
	struct can_sim_chip *chip;

	if (!dot || !dev_valid_name(dot + 1) || strchr(dot, '%'))
		return ERR_PTR(-EINVAL);
	kind = get_kind(folder, dot - folder);
	if (!kind)
		return ERR_PTR(-ENODEV);
	chip = make_chip(to_config(&group->cg_item), kind, folder, dot + 1);
	if (IS_ERR(chip)) {
		module_put(kind->owner);
		return ERR_CAST(chip);
	}
	return &chip->item;
}

/* Called while the node's folder is still linked to that of the bus. */
static void bus_drop_node(struct config_group *group, struct config_item *item)
{
	struct can_sim_config *config = to_config(&group->cg_item);

	guard(mutex)(&config->lock);

	list_del(&to_can_sim_chip(item)->list);
}

static void bus_release(struct config_item *item)
{
	struct can_sim_config *config = to_config(item);

	mutex_destroy(&config->lock);
	kfree(config);
}

static struct configfs_item_operations bus_item_ops = {
	.release = bus_release,
};

static struct configfs_group_operations bus_group_ops = {
	.make_item = bus_make_item,
	.disconnect_notify = bus_drop_node,
};

static const struct config_item_type bus_type = {
	.ct_owner = THIS_MODULE,
	.ct_item_ops = &bus_item_ops,
	.ct_group_ops = &bus_group_ops,
	.ct_attrs = bus_attrs,
};

static struct config_group *make_bus(struct config_group *group,
				     const char *name)
{
	struct can_sim_config *config = kzalloc(sizeof(*config), GFP_KERNEL);

	if (!config)
		return ERR_PTR(-ENOMEM);
	mutex_init(&config->lock);
	INIT_LIST_HEAD(&config->chips);
	config->inject.bit = -1;
	can_sim_bus_init(&config->bus, NULL);
	config_group_init_type_name(&config->group, name, &bus_type);
	return &config->group;
}

static struct configfs_group_operations root_group_ops = {
	.make_group = make_bus,
};

static const struct config_item_type root_type = {
	.ct_owner = THIS_MODULE,
	.ct_group_ops = &root_group_ops,
};

static struct configfs_subsystem can_sim_subsys = {
	.su_group = {
		.cg_item = {
			.ci_namebuf = "cansim",
			.ci_type = &root_type,
		},
	},
	.su_mutex = __MUTEX_INITIALIZER(can_sim_subsys.su_mutex),
};

/**
 * can_sim_configfs_init() - make the folder of buses
 *
 * Context: process, when the module is loaded.
 * Return: 0 or a negative errno.
 */
int __init can_sim_configfs_init(void)
{
	config_group_init(&can_sim_subsys.su_group);
	return configfs_register_subsystem(&can_sim_subsys);
}

/**
 * can_sim_configfs_exit() - remove the folder of buses
 *
 * Context: process, when the module is unloaded; there are no buses then.
 */
void can_sim_configfs_exit(void)
{
	configfs_unregister_subsystem(&can_sim_subsys);
}
