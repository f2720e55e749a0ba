// SPDX-License-Identifier: GPL-2.0-only
/*
 * Express rules and ordinary ones are added, replaced, removed, and loaded as a whole,
 * interfaces go down and up and lose their drivers, and a bus is removed and made, while
 * frames come from a generator:
 *
 *	generator -> simch0 -> "a", "b" -> "out", "d" -> simch1 -> "last"
 *	                          \                        ^
 *	                           "t0" -> simch2 -> "t1" -> "d"
 *
 * Frames have numbers, and each rule marks them with a number of its own, which no other
 * rule ever has. So "last" knows which rule has routed a frame, and none routes a frame
 * twice, also if it becomes an express rule or an ordinary one. One rule, from "a" to
 * "out", changes only in this respect, and routes each frame exactly once.
 *
 * The changer, a thread, knows the rules that there have to be, and which ones the limits
 * of express rules allow. The main thread receives frames. The changer does not assert,
 * but leaves a result.
 */
#define _GNU_SOURCE
#include <endian.h>
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <linux/can.h>

#include "cantest.h"
#include "cgw.h"
#include "gw_reports.h"
#include "gwnl.h"
#include "simbus.h"
#include "kselftest_harness.h"

#define GEN		"simch0/generator.gen"
#define TMP_BUS		"simch2"

#define BITRATE		500000
#define PERIOD_NS	4000000
#define FRAMES		1000	/* or CAN_CHURN_FRAMES, at least */
#define CHANGES		80	/* at least */
#define RULES		16	/* at most */
#define FIRST_IFINDEX	100
#define LAST_NUMBER	0xffffffffU
#define KEPT_MARK	1
#define LONG_TEST	900

/* Express rules that may match the same frame */
#define HITS		4

/* Filters compare these bits of identifiers. */
#define FILTER_BITS	3U

enum { A, B, OUT, D, LAST, T0, T1, PORTS };

/* Interfaces. Those that send to a bus have identifiers of their own there. */
static const struct port {
	const char *bus;
	const char *kind;
	const char *name;
	canid_t id;
} ports[PORTS] = {
	[A] = { "simch0", "sja1000", "simcha" },
	[B] = { "simch0", "mcp2515", "simchb" },
	[OUT] = { "simch1", "sja1000", "simchout", 0x100 },
	[D] = { "simch1", "mpc5200", "simchd", 0x200 },
	[LAST] = { "simch1", "sja1000", "simchlast" },
	[T0] = { TMP_BUS, "mpc5200", "simcht0", 0x300 },
	[T1] = { TMP_BUS, "sja1000", "simcht1" },
};

/* Ways that rules may lead, besides the one of the rule that stays */
static const struct way {
	int from, to;
} ways[] = {
	{ A, D }, { A, D }, { B, D }, { A, T0 }, { B, T0 }, { T1, D },
};

/* The rules of the gateway. The first one stays. */
struct table {
	struct gwnl_rule rule[RULES];
	int count;
};

struct changer {
	pthread_t thread;
	struct gwnl gw;
	struct table table;
	uint32_t random;
	uint16_t mark;
	bool load_all;		/* otherwise the first rule keeps its counters */
	int first_ns, own_ns;
	char spi[NAME_MAX];
	atomic_uint changes;
	atomic_bool stop;
	const char *failure;
	int error;
	unsigned int refused, express;
};

static uint32_t pick(struct changer *c, uint32_t below)
{
	return ct_random(&c->random) % below;
}

/* Interfaces */

static void port_path(int port, char path[64])
{
	snprintf(path, 64, "%s/%s.%s", ports[port].bus, ports[port].kind,
		 ports[port].name);
}

static uint32_t ifindex_of(int port)
{
	return FIRST_IFINDEX + port;
}

static int port_up(int port)
{
	return ct_link_queue(ports[port].name, 1000) ?:
	       sim_link_up(ports[port].name, BITRATE, "");
}

/* Move the interface of a new controller to the namespace of the test, and set it up. */
static int take_port(struct changer *c, int port)
{
	char path[64], name[16];
	int err = ct_netns_set(c->first_ns);

	port_path(port, path);
	if (!err && port == B && sim_get(path, "interface", name, sizeof(name)) > 0)
		sim_spi_device(name, c->spi);
	return err ?: sim_link_move(path, c->own_ns, ports[port].name,
				    ifindex_of(port)) ?:
	       ct_netns_set(c->own_ns) ?: port_up(port);
}

static int make_bus(const char *bus, const char *nodes)
{
	char path[64];
	int i, err = sim_bus_make(bus, nodes) ?: sim_slow_down(bus);

	for (i = 0; i < PORTS && !err; i++) {
		if (strcmp(ports[i].bus, bus))
			continue;
		port_path(i, path);
		err = sim_bus_add(path);
	}
	return err;
}

static int begin_bus(struct changer *c, const char *bus)
{
	int i, err = ct_netns_set(c->first_ns) ?: sim_live(bus, true);

	for (i = 0; i < PORTS && !err; i++)
		if (!strcmp(ports[i].bus, bus))
			err = take_port(c, i);
	return err;
}

static int remove_bus(const char *bus)
{
	char path[64];
	int i, err = sim_live(bus, false);

	for (i = 0; i < PORTS && !err; i++) {
		if (strcmp(ports[i].bus, bus))
			continue;
		port_path(i, path);
		err = sim_remove(path);
	}
	return err ?: sim_remove(bus);
}

/* Rules */

static void set_filter(struct changer *c, struct gwnl_rule *rule)
{
	uint32_t bits = pick(c, FILTER_BITS + 1);

	/* for standard identifiers only, so that the limits are exact */
	rule->filter_mask = bits | CAN_EFF_FLAG;
	rule->filter_id = pick(c, FILTER_BITS + 1) & bits;
}

static void set_express(struct changer *c, struct gwnl_rule *rule, bool express)
{
	rule->express = express;
	rule->lifetime = express && !pick(c, 3) ? 1 + pick(c, 5000000) : 0;
}

/* A rule that sets the identifier of its destination, and its mark behind the number of
 * the frame. Rules from "t1" keep the mark of the rule that has routed the frame to "t0".
 */
static struct gwnl_rule make_rule(int from, int to, uint16_t mark)
{
	struct gwnl_rule rule = {
		.source = ifindex_of(from), .destination = ifindex_of(to),
		.uid = mark, .filter_mask = CAN_EFF_FLAG,
	};
	unsigned int at = from == T1 ? 6 : 4;

	rule.op[GWNL_AND] = (struct gwnl_operand){
		.fields = GWNL_FIELD(ID) | GWNL_FIELD(DATA), .id = 0xff,
		.data_len = at, .data = { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff },
	};
	rule.op[GWNL_OR] = (struct gwnl_operand){
		.fields = GWNL_FIELD(ID) | GWNL_FIELD(DATA), .id = ports[to].id,
		.data_len = at + 2,
	};
	rule.op[GWNL_OR].data[at] = mark;
	rule.op[GWNL_OR].data[at + 1] = mark >> 8;
	return rule;
}

static struct gwnl_rule new_rule(struct changer *c)
{
	const struct way *way = &ways[pick(c, ARRAY_SIZE(ways))];
	struct gwnl_rule rule = make_rule(way->from, way->to, ++c->mark);

	set_filter(c, &rule);
	set_express(c, &rule, pick(c, 2));
	return rule;
}

/* Do the express rules of each source keep within the limit? */
static bool is_allowed(const struct table *table)
{
	int hits[PORTS][FILTER_BITS + 1] = { 0 };
	unsigned int bits;
	int i;

	for (i = 0; i < table->count; i++) {
		const struct gwnl_rule *rule = &table->rule[i];
		uint32_t mask = rule->filter_mask & FILTER_BITS;

		for (bits = 0; bits <= FILTER_BITS && rule->express; bits++)
			if ((bits & mask) == rule->filter_id &&
			    ++hits[rule->source - FIRST_IFINDEX][bits] > HITS)
				return false;
	}
	return true;
}

/* Remember that the rules of an interface are gone with it. */
static void forget_port(struct table *table, int port)
{
	int i, left = 0;

	for (i = 0; i < table->count; i++)
		if (table->rule[i].source != ifindex_of(port) &&
		    table->rule[i].destination != ifindex_of(port))
			table->rule[left++] = table->rule[i];
	table->count = left;
}

struct comparison {
	struct table *table;
	int found;
	const char *differs;
};

static void compare_rule(const struct gwnl_rule *got, void *data)
{
	struct comparison *comparison = data;
	struct table *table = comparison->table;
	int i;

	for (i = 0; i < table->count && table->rule[i].uid != got->uid; i++)
		;
	if (i == table->count) {
		comparison->differs = "there is a rule that should not be";
		return;
	}
	comparison->found++;
	if (*gwnl_differs(&table->rule[i], got))
		comparison->differs = gwnl_differs(&table->rule[i], got);
	/* a table that was loaded has new ones */
	table->rule[i].handle = got->handle;
}

/* The gateway has the rules of the changer, however they are read. */
static int compare(struct changer *c)
{
	struct comparison comparison = { .table = &c->table };
	struct can_gw_table_get_rsp table = { 0 };
	int err;

	err = gwnl_dump(&c->gw, CAN_GW_CMD_RULE_GET, NULL, compare_rule, &comparison);
	if (err < 0)
		return err;
	if (comparison.differs)
		printf("# %s\n", comparison.differs);
	if (comparison.differs || comparison.found != c->table.count)
		return -EBADMSG;
	err = gwnl_table(&c->gw, 0, &table);
	if (err)
		return err;
	return (int)table.rules == c->table.count &&
	       cgw_list(NULL, 0) == c->table.count ? 0 : -EBADE;
}

/* After a request that would have led to the rules of @want. Return: 0, or an error if the
 * answer was wrong, or if a request that was refused has changed something.
 */
static int conclude(struct changer *c, const struct table *want, int answer)
{
	if (is_allowed(want)) {
		if (!answer)
			c->table = *want;
		return answer;
	}
	c->refused++;
	if (answer != -ENOSPC || !gwnl_explained(&c->gw))
		return answer ?: -EXFULL;
	return compare(c);
}

/* Changes */

static int add_rule(struct changer *c)
{
	struct table want = c->table;
	struct gwnl_rule *rule = &want.rule[want.count];

	if (want.count == RULES)
		return 0;
	*rule = new_rule(c);
	want.count++;
	c->express += rule->express;
	return conclude(c, &want, gwnl_add(&c->gw, rule, &rule->handle));
}

/* Add rules for all frames of a source until there is one too many. */
static int fill_up(struct changer *c)
{
	struct table want = c->table;
	struct gwnl_rule *rule;
	int err = 0;

	while (want.count < RULES && is_allowed(&want) && !err) {
		rule = &want.rule[want.count++];
		*rule = make_rule(A, D, ++c->mark);
		rule->express = true;
		err = conclude(c, &want, gwnl_add(&c->gw, rule, &rule->handle));
	}
	return err;
}

static int replace_rule(struct changer *c)
{
	struct table want = c->table;
	int i = pick(c, want.count);

	if (i)
		set_filter(c, &want.rule[i]);
	set_express(c, &want.rule[i], pick(c, 2));
	if (!i)
		want.rule[i].lifetime = 0;
	return conclude(c, &want, gwnl_replace(&c->gw, &want.rule[i]));
}

/* The rule that stays becomes an express rule or an ordinary one. */
static int turn_first(struct changer *c)
{
	struct table want = c->table;

	want.rule[0].express = !want.rule[0].express;
	return conclude(c, &want, gwnl_replace(&c->gw, &want.rule[0]));
}

static int del_rule(struct changer *c)
{
	struct table *table = &c->table;
	int i, err;

	if (table->count < 2)
		return 0;
	i = 1 + pick(c, table->count - 1);
	err = gwnl_del(&c->gw, table->rule[i].handle);
	table->rule[i] = table->rule[--table->count];
	return err;
}

/* The rules of a source, or all: some are left out, some are new, some become express
 * rules or ordinary ones.
 */
static int stage(struct changer *c, uint32_t source, struct table *want)
{
	struct table old = c->table;
	int i, err = 0, staged = 0;

	want->count = 0;
	for (i = 0; i < old.count && !err; i++) {
		struct gwnl_rule *rule = &want->rule[want->count];

		*rule = old.rule[i];
		if (source && rule->source != source) {
			want->count++;
			continue;
		}
		if (i && !pick(c, 4))
			continue;
		if (i && !pick(c, 4))
			*rule = make_rule(rule->source - FIRST_IFINDEX,
					  rule->destination - FIRST_IFINDEX, ++c->mark);
		if (pick(c, 2))
			rule->express = !rule->express;
		rule->lifetime = 0;
		want->count++;
		staged++;
		err = gwnl_add(&c->gw, rule, NULL);
	}
	return err ?: staged;
}

static int load_table(struct changer *c)
{
	uint32_t source = pick(c, 2) || !c->load_all ? ifindex_of(pick(c, 2) ? B : T1) : 0;
	struct table want;
	int answer, staged, how = pick(c, 6);

	if (c->load_all && source && pick(c, 2))
		source = ifindex_of(A);
	answer = gwnl_begin(&c->gw, source);
	staged = answer ?: stage(c, source, &want);
	if (staged < 0)
		return staged;
	if (!how)
		return gwnl_abort(&c->gw) ?: compare(c);
	/* another number of rules than there are is refused */
	answer = gwnl_commit(&c->gw, staged + (how == 1), NULL);
	if (how == 1)
		return answer == -ECANCELED ? compare(c) : answer ?: -EXFULL;
	return conclude(c, &want, answer) ?: compare(c);
}

static int ask_for_the_impossible(struct changer *c)
{
	struct gwnl_rule rule = make_rule(A, B, ++c->mark);

	rule.express = true;
	if (gwnl_add(&c->gw, &rule, NULL) != -EOPNOTSUPP || !gwnl_explained(&c->gw))
		return -EXFULL;
	return compare(c);
}

static int restart_destination(struct changer *c)
{
	return sim_link_down(ports[D].name) ?: port_up(D);
}

static int restart_source(struct changer *c)
{
	return sim_link_down(ports[B].name) ?: port_up(B);
}

static int replace_driver(struct changer *c)
{
	int err = sim_spi_driver("unbind", c->spi);

	forget_port(&c->table, B);
	return err ?: compare(c) ?: sim_spi_driver("bind", c->spi) ?: take_port(c, B);
}

static int replace_bus(struct changer *c)
{
	int err = remove_bus(TMP_BUS);

	forget_port(&c->table, T0);
	forget_port(&c->table, T1);
	return err ?: compare(c) ?: make_bus(TMP_BUS, "") ?: begin_bus(c, TMP_BUS);
}

static int read_proc(struct changer *c)
{
	static const char * const names[] = { "gw_rules", "rcvlist_all", "rcvlist_fil" };
	char path[64], line[256];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(names); i++) {
		FILE *file;

		snprintf(path, sizeof(path), "/proc/thread-self/net/can/%s", names[i]);
		file = fopen(path, "re");
		if (!file)
			return -errno;
		while (fgets(line, sizeof(line), file))
			;
		fclose(file);
	}
	return 0;
}

static const struct {
	const char *name;
	int (*make)(struct changer *c);
} changes[] = {
	{ "a new rule", add_rule },
	{ "a new rule", add_rule },
	{ "one rule too many", fill_up },
	{ "replacement of a rule", replace_rule },
	{ "replacement of a rule", replace_rule },
	{ "the rule that stays", turn_first },
	{ "the rule that stays", turn_first },
	{ "removal of a rule", del_rule },
	{ "a new table", load_table },
	{ "a new table", load_table },
	{ "an impossible rule", ask_for_the_impossible },
	{ "restart of a destination", restart_destination },
	{ "restart of a source", restart_source },
	{ "replacement of a driver", replace_driver },
	{ "replacement of a bus", replace_bus },
	{ "comparison of rules", compare },
	{ "rules in /proc", read_proc },
};

static void *make_changes(void *data)
{
	struct changer *c = data;
	unsigned int i;

	while (!atomic_load(&c->stop) && !c->failure) {
		i = pick(c, ARRAY_SIZE(changes));
		c->error = changes[i].make(c);
		if (c->error)
			c->failure = changes[i].name;
		atomic_fetch_add(&c->changes, 1);
	}
	if (!c->failure) {
		c->error = compare(c);
		if (c->error)
			c->failure = "rules at the end";
	}
	atomic_store(&c->stop, true);
	return NULL;
}

/* Frames that have come: a set of their numbers with the marks of rules */

struct seen {
	uint64_t *key;
	size_t size, count;
	unsigned int first;	/* those of the rule that stays */
	bool end;		/* the last of these */
};

static uint64_t *find_slot(uint64_t *key, size_t size, uint64_t value)
{
	size_t at = (value * 0x9e3779b97f4a7c15ULL >> 20) & (size - 1);

	while (key[at] && key[at] != value)
		at = (at + 1) & (size - 1);
	return &key[at];
}

static void grow(struct seen *seen)
{
	size_t size = seen->size ? 2 * seen->size : 1 << 14, i;
	uint64_t *key = calloc(size, sizeof(*key));

	if (!key)
		abort();
	for (i = 0; i < seen->size; i++)
		if (seen->key[i])
			*find_slot(key, size, seen->key[i]) = seen->key[i];
	free(seen->key);
	seen->key = key;
	seen->size = size;
}

/* Return: false if it is there. */
static bool insert(struct seen *seen, uint64_t value)
{
	uint64_t *slot;

	if (2 * seen->count >= seen->size)
		grow(seen);
	slot = find_slot(seen->key, seen->size, value);
	if (*slot == value)
		return false;
	*slot = value;
	seen->count++;
	return true;
}

/* Return: a text. */
static const char *look_at(struct seen *seen, const struct can_frame *frame)
{
	uint32_t number, marks;
	bool first, kept;

	memcpy(&number, frame->data, sizeof(number));
	memcpy(&marks, frame->data + 4, sizeof(marks));
	number = le32toh(number);
	marks = le32toh(marks);
	if (frame->len != 8 || !(marks & 0xffff))
		return "a frame was modified by half of a rule";
	first = (frame->can_id & ~0xff) == ports[OUT].id;
	if (!first && (frame->can_id & ~0xff) != ports[D].id)
		return "a frame has an identifier that no rule sets";
	kept = marks == KEPT_MARK;
	if (first != kept)
		return "a frame of one rule has gone where another sends it";
	if (!insert(seen, (uint64_t)marks << 32 | number))
		return "a frame was routed twice by a rule";
	seen->first += first;
	seen->end |= first && number == LAST_NUMBER;
	return NULL;
}

FIXTURE(gw_express_churn) {
	struct changer changer;
	struct gw_reports reports;
	struct gwnl gw;
	int last_fd;
};

FIXTURE_VARIANT(gw_express_churn) {
	bool load_all;
};

/* Rules of other sources are loaded: the first rule keeps its counters, which are exact. */
FIXTURE_VARIANT_ADD(gw_express_churn, counters) { .load_all = false };
FIXTURE_VARIANT_ADD(gw_express_churn, tables) { .load_all = true };

static int make_buses(void)
{
	return make_bus("simch0", "generator.gen") ?:
	       sim_set_all(GEN, "bitrate=%d", BITRATE) ?: make_bus("simch1", "") ?:
	       make_bus(TMP_BUS, "");
}

FIXTURE_SETUP(gw_express_churn)
{
	struct changer *c = &self->changer;
	int err;

	if (ct_baseline())
		SKIP(return, "needs the patched modules");
	if (sim_open())
		SKIP(return, "no cansim");
	if (ct_module("can-gw"))
		SKIP(return, "no can-gw module");
	err = make_buses();
	if (err == -ENODEV) {
		sim_close();
		SKIP(return, "no sja1000, mpc5200 or mcp2515");
	}
	ASSERT_EQ(0, err);
	gw_reports_begin(&self->reports);
	c->load_all = variant->load_all;
	c->random = 1611;
	c->first_ns = CT_OK(ct_netns_get());
	ASSERT_EQ(0, ct_netns_new());
	c->own_ns = CT_OK(ct_netns_get());
	ASSERT_EQ(0, begin_bus(c, "simch0"));
	ASSERT_EQ(0, begin_bus(c, "simch1"));
	ASSERT_EQ(0, begin_bus(c, TMP_BUS));
	ASSERT_STRNE("", c->spi);
	self->last_fd = CT_OK(sim_socket(ports[LAST].name, 0, false));
	ASSERT_EQ(0, gwnl_open(&self->gw));
	ASSERT_EQ(0, gwnl_open(&c->gw));
	c->mark = KEPT_MARK;
	c->table.rule[0] = make_rule(A, OUT, KEPT_MARK);
	c->table.count = 1;
	ASSERT_EQ(0, gwnl_add(&c->gw, &c->table.rule[0], &c->table.rule[0].handle));
}

FIXTURE_TEARDOWN(gw_express_churn)
{
	sim_close();
}

/* Receive frames until there were enough of them and of changes. */
static void receive(struct __test_metadata *_metadata,
		    FIXTURE_DATA(gw_express_churn) *self, struct seen *seen)
{
	unsigned int frames = ct_env("CAN_CHURN_FRAMES", FRAMES);
	struct changer *c = &self->changer;
	const char *failure;
	struct can_frame frame;

	while (!atomic_load(&c->stop)) {
		ASSERT_EQ((ssize_t)sizeof(frame),
			  ct_recv(self->last_fd, &frame, sizeof(frame), CT_TIMEOUT_MS));
		failure = look_at(seen, &frame);
		ASSERT_EQ(NULL, failure)
			TH_LOG("%s", failure);
		if (seen->first >= frames && atomic_load(&c->changes) >= CHANGES)
			break;
	}
	atomic_store(&c->stop, true);
}

/* Send a last frame by the first rule, an ordinary one now: it comes after all others. */
static void receive_rest(struct __test_metadata *_metadata,
			 FIXTURE_DATA(gw_express_churn) *self, struct seen *seen)
{
	struct gwnl_rule *first = &self->changer.table.rule[0];
	const char *failure = NULL;
	struct can_frame frame;

	ASSERT_EQ(0, sim_run(GEN, false));
	first->express = false;
	ASSERT_EQ(0, gwnl_replace(&self->gw, first));
	ASSERT_EQ(0, sim_generate(GEN, "count=1 data=FFFFFFFF00000000"));
	while (!seen->end && !failure) {
		ASSERT_EQ((ssize_t)sizeof(frame),
			  ct_recv(self->last_fd, &frame, sizeof(frame), CT_TIMEOUT_MS));
		failure = look_at(seen, &frame);
		ASSERT_EQ(NULL, failure)
			TH_LOG("%s", failure);
	}
}

/* What was lost before rules had a frame, and after they had sent it */
struct losses {
	uint64_t generated, received, before, ring, after;
	bool skipped;
};

static void count_losses(struct __test_metadata *_metadata, struct losses *losses)
{
	struct sim_link source, last;
	char a[64], receiver[64];

	port_path(A, a);
	port_path(LAST, receiver);
	ASSERT_EQ(0, sim_link_get(ports[A].name, &source));
	ASSERT_EQ(0, sim_link_get(ports[LAST].name, &last));
	losses->generated = sim_number(GEN, "sent");
	losses->received = sim_number(a, "received");
	losses->before = sim_number(a, "overruns");
	losses->ring = source.stats.rx_fifo_errors;
	losses->after = sim_number(receiver, "overruns") + last.stats.rx_fifo_errors;
	losses->skipped = sim_number("simch0", "skipped_ns") ||
			  sim_number("simch1", "skipped_ns");
}

/* The rule that stays has routed each frame once, and has counted it. */
static void expect_counted(struct __test_metadata *_metadata,
			   FIXTURE_DATA(gw_express_churn) *self,
			   const struct losses *losses, const struct seen *seen)
{
	uint64_t routed = losses->received - losses->before;
	struct gwnl_rule rule;

	ASSERT_EQ(0, gwnl_matched(&self->gw, self->changer.table.rule[0].handle,
				  routed - losses->ring, &rule));
	EXPECT_GE(routed, rule.stats.matched);
	EXPECT_EQ(rule.stats.matched, rule.stats.sent + rule.stats.dropped);
	EXPECT_LE(seen->first, rule.stats.sent);
	EXPECT_GE(seen->first + losses->after, rule.stats.sent);
}

TEST_F_TIMEOUT(gw_express_churn, no_rule_routes_a_frame_twice, LONG_TEST)
{
	struct changer *c = &self->changer;
	struct losses losses = { 0 };
	struct seen seen = { 0 };

	ASSERT_EQ(0, sim_set_all(GEN, "id_mode=increment id=000 data=increment period_ns=%d",
				 PERIOD_NS));
	ASSERT_EQ(0, sim_run(GEN, true));
	ASSERT_EQ(0, pthread_create(&c->thread, NULL, make_changes, c));
	receive(_metadata, self, &seen);
	ASSERT_EQ(0, pthread_join(c->thread, NULL));
	ASSERT_EQ(NULL, c->failure)
		TH_LOG("%s: %d, after %u changes: %s", c->failure, c->error,
		       atomic_load(&c->changes), c->gw.ys->err.msg);
	receive_rest(_metadata, self, &seen);
	count_losses(_metadata, &losses);
	TH_LOG("%u frames by the first rule, %zu by others, %u changes, %u refused",
	       seen.first, seen.count - seen.first, atomic_load(&c->changes), c->refused);

	EXPECT_EQ(losses.generated, losses.received);
	if (!variant->load_all)
		expect_counted(_metadata, self, &losses, &seen);
	EXPECT_GE(losses.received - losses.before, seen.first);
	if (!losses.skipped && !losses.before && !losses.ring && !losses.after)
		EXPECT_EQ(losses.generated, seen.first);
	/* otherwise the test covers too little */
	EXPECT_LT(0U, c->refused);
	EXPECT_LT(0U, c->express);
	EXPECT_LT(seen.first / 10, seen.count - seen.first);

	ASSERT_EQ(0, gwnl_begin(&self->gw, 0));
	ASSERT_EQ(0, gwnl_commit(&self->gw, 0, NULL));
	EXPECT_EQ(0, gwnl_handles(&self->gw, NULL, 0));
	sim_close();
	EXPECT_EQ(0, gw_reports_count(&self->reports));
	free(seen.key);
}

TEST_HARNESS_MAIN
