// SPDX-License-Identifier: GPL-2.0-only
/*
 * CAN_RAW receive filters: which frame reaches which socket, for every kind
 * of filter, alone and combined, and which filters setsockopt() and getsockopt()
 * accept and return.
 *
 * The expected frames are computed by a model that decides bit by bit. The
 * kernel sorts filters into several tables instead, so the two have nothing
 * in common, and the model itself is compared with hand-written cases.
 *
 * Frames are sent from one CPU: vcan hands a frame to the backlog of the CPU
 * that sends it, and only within one backlog is the order kept. After
 * ct_bus_barrier() all frames sent before have been delivered or dropped.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <linux/can.h>
#include <linux/can/bcm.h>
#include <linux/can/error.h>
#include <linux/can/raw.h>

#include "kselftest_harness.h"
#include "cantest.h"

#define EFF		CAN_EFF_FLAG
#define RTR		CAN_RTR_FLAG
#define ERR		CAN_ERR_FLAG
#define INV		CAN_INV_FILTER

/* the masks that applications use for "exactly this identifier" */
#define EXACT_SFF	(CAN_SFF_MASK | EFF | RTR)
#define EXACT_EFF	(CAN_EFF_MASK | EFF | RTR)

#define MAX_FRAMES	64

static const canid_t frames[] = {
	0x000, 0x001, 0x122, 0x123, 0x12f, 0x323, 0x400, 0x678, 0x7ff,
	RTR | 0x000, RTR | 0x123, RTR | 0x12f, RTR | 0x7ff,
	EFF | 0x000, EFF | 0x123, EFF | 0x7ff, EFF | 0x800,
	EFF | 0x12345678, EFF | 0x12345679, EFF | 0x02345678,
	EFF | 0x1fffffff,
	/* one hash value in the kernel's table of 29 bit identifiers */
	EFF | 0x00000001, EFF | 0x00000400, EFF | 0x00100000,
	EFF | RTR | 0x123, EFF | RTR | 0x12345678, EFF | RTR | 0x1fffffff,
	/* a standard frame with bits that no standard frame has */
	0x00010123, 0x1fffffff,
	ERR, ERR | CAN_ERR_TX_TIMEOUT, ERR | CAN_ERR_BUSOFF,
	ERR | CAN_ERR_BUSOFF | CAN_ERR_CRTL, ERR | EFF | CAN_ERR_BUSOFF,
	ERR | RTR | CAN_ERR_CRTL, ERR | CAN_ERR_MASK,
};

struct rule {
	const char *name;
	struct can_filter filter;
};

static const struct rule rules[] = {
	{ "everything", { 0, 0 } },
	{ "everything, identifier ignored", { 0x123, 0 } },
	{ "inverted everything is nothing", { INV, 0 } },
	{ "SFF 123", { 0x123, EXACT_SFF } },
	{ "SFF 000", { 0x000, EXACT_SFF } },
	{ "SFF 7FF", { 0x7ff, EXACT_SFF } },
	{ "SFF 123 remote", { RTR | 0x123, EXACT_SFF } },
	{ "SFF 123, remote or not", { 0x123, CAN_SFF_MASK | EFF } },
	{ "123 in 11 bits, standard or extended", { 0x123, CAN_SFF_MASK } },
	{ "123 in 11 bits, not remote", { 0x123, CAN_SFF_MASK | RTR } },
	{ "123 in 11 bits, remote", { RTR | 0x123, CAN_SFF_MASK | RTR } },
	{ "123 in 29 bits, standard or extended", { 0x123, CAN_EFF_MASK } },
	{ "SFF 12x", { 0x120, 0x7f0 | EFF | RTR } },
	{ "12x of any kind", { 0x12f, 0x7f0 } },
	{ "SFF with an extended mask", { 0x12345678, EXACT_EFF } },
	{ "SFF with excess bits in the identifier", { 0x10123, EXACT_SFF } },
	{ "SFF 123, only the low bits compared", { 0x123, 0x00f | EFF } },
	{ "EFF 123", { EFF | 0x123, EXACT_EFF } },
	{ "EFF 000", { EFF, EXACT_EFF } },
	{ "EFF 1", { EFF | 0x00000001, EXACT_EFF } },
	{ "EFF 400", { EFF | 0x00000400, EXACT_EFF } },
	{ "EFF 100000", { EFF | 0x00100000, EXACT_EFF } },
	{ "EFF 12345678", { EFF | 0x12345678, EXACT_EFF } },
	{ "EFF 1FFFFFFF", { EFF | 0x1fffffff, EXACT_EFF } },
	{ "EFF 12345678 remote", { EFF | RTR | 0x12345678, EXACT_EFF } },
	{ "EFF 12345678, remote or not",
		{ EFF | 0x12345678, CAN_EFF_MASK | EFF } },
	{ "EFF with 123 in 11 bits", { EFF | 0x123, EXACT_SFF } },
	{ "EFF x2345678", { EFF | 0x02345678, 0x0fffffff | EFF | RTR } },
	{ "every standard frame", { 0, EFF } },
	{ "every extended frame", { EFF, EFF } },
	{ "every remote frame", { RTR, RTR } },
	{ "every data frame", { 0, RTR } },
	{ "every extended remote frame", { EFF | RTR, EFF | RTR } },
	{ "not SFF 123", { INV | 0x123, EXACT_SFF } },
	{ "not SFF 123 remote", { INV | RTR | 0x123, EXACT_SFF } },
	{ "not EFF 12345678", { INV | EFF | 0x12345678, EXACT_EFF } },
	{ "not 12x of any kind", { INV | 0x120, 0x7f0 } },
	{ "not extended", { INV | EFF, EFF } },
	{ "not remote", { INV | RTR, RTR } },
	{ "not SFF, with an extended mask", { INV | 0x12345678, EXACT_EFF } },
	{ "errors: bus-off", { 0, ERR | CAN_ERR_BUSOFF } },
	{ "errors: bus-off, identifier and inversion ignored",
		{ INV | 0x123, ERR | CAN_ERR_BUSOFF } },
	{ "errors: no class", { 0, ERR } },
	{ "errors: all bits of the mask", { 0x123, 0xffffffff } },
};

/* Does @filter match @id? One bit after the other, as documented. */
static bool model(const struct can_filter *filter, canid_t id)
{
	bool sff_only = (filter->can_mask & EFF) && !(filter->can_id & EFF);
	bool differs = false;
	int bit;

	/* error frames and error filters know only each other */
	if (id & ERR || filter->can_mask & ERR) {
		if (!(id & ERR) || !(filter->can_mask & ERR))
			return false;
		for (bit = 0; bit < CAN_EFF_ID_BITS; bit++)
			if ((id >> bit & 1) && (filter->can_mask >> bit & 1))
				return true;
		return false;
	}

	for (bit = 0; bit < 32; bit++) {
		if (!(filter->can_mask >> bit & 1))
			continue;
		/* a standard identifier ends at bit 10 */
		if (sff_only && bit >= CAN_SFF_ID_BITS && bit < CAN_EFF_ID_BITS)
			continue;
		if ((id >> bit & 1) != (filter->can_id >> bit & 1))
			differs = true;
	}
	return differs == !!(filter->can_id & INV);
}

/* a socket with several filters receives frames that any of them matches ... */
static bool model_any(const struct can_filter *filters, int count, canid_t id)
{
	int i;

	for (i = 0; i < count; i++)
		if (model(&filters[i], id))
			return true;
	return false;
}

/* ... or with CAN_RAW_JOIN_FILTERS those that all of them match */
static bool model_all(const struct can_filter *filters, int count, canid_t id)
{
	int i;

	for (i = 0; i < count; i++)
		if (!model(&filters[i], id))
			return false;
	return true;
}

static int send_ids(const struct ct_bus *bus, const canid_t *ids, int count)
{
	int err = 0;

	while (count-- && !err)
		err = ct_send_id(bus->tx, *ids++);
	return err ?: ct_bus_barrier(bus);
}

static int send_all(const struct ct_bus *bus)
{
	return send_ids(bus, frames, ARRAY_SIZE(frames));
}

/* identifiers of all frames that wait in @fd, barriers left out */
static int drain(int fd, canid_t *ids)
{
	struct can_frame frame;
	int count = 0;
	ssize_t len;

	while ((len = ct_recv(fd, &frame, sizeof(frame), 0)) == CAN_MTU) {
		if (frame.can_id == CT_BARRIER_ID)
			continue;
		if (count == MAX_FRAMES)
			return -E2BIG;
		ids[count++] = frame.can_id;
	}
	return len == -ETIMEDOUT ? count : -EIO;
}

/* @fd holds exactly the frames @want, in the order in which they were sent */
static void expect_ids(struct __test_metadata *_metadata, const char *what,
		       int fd, const canid_t *want, int want_count)
{
	canid_t got[MAX_FRAMES];
	int count, i;

	count = drain(fd, got);
	EXPECT_EQ(want_count, count)
		TH_LOG("%s: wrong number of frames", what);
	for (i = 0; i < count && i < want_count; i++) {
		EXPECT_EQ(want[i], got[i]) {
			TH_LOG("%s: frame %d", what, i);
			break;
		}
	}
}

typedef bool model_fn(const struct can_filter *filters, int count, canid_t id);

/* after send_all(), @fd holds the frames for which @wanted is true of @filters */
static void expect_model(struct __test_metadata *_metadata, const char *what,
			 int fd, model_fn *wanted,
			 const struct can_filter *filters, int filter_count)
{
	canid_t want[MAX_FRAMES];
	unsigned int i;
	int count = 0;

	for (i = 0; i < ARRAY_SIZE(frames); i++)
		if (wanted(filters, filter_count, frames[i]))
			want[count++] = frames[i];
	expect_ids(_metadata, what, fd, want, count);
}

/* cases that are easy to decide by hand */
TEST(model_agrees_with_cases_decided_by_hand)
{
	static const struct {
		struct can_filter filter;
		canid_t id;
		bool wanted;
	} cases[] = {
		{ { 0, 0 }, 0x123, true },
		{ { 0, 0 }, EFF | RTR | 0x12345678, true },
		{ { 0, 0 }, ERR | CAN_ERR_BUSOFF, false },
		{ { 0x123, EXACT_SFF }, 0x123, true },
		{ { 0x123, EXACT_SFF }, 0x122, false },
		{ { 0x123, EXACT_SFF }, RTR | 0x123, false },
		{ { 0x123, EXACT_SFF }, EFF | 0x123, false },
		{ { 0x123, CAN_SFF_MASK }, EFF | 0x123, true },
		{ { 0x123, CAN_SFF_MASK }, RTR | 0x123, true },
		{ { 0x120, 0x7f0 }, 0x12f, true },
		{ { 0x120, 0x7f0 }, 0x130, false },
		{ { EFF | 0x12345678, EXACT_EFF }, EFF | 0x12345678, true },
		{ { EFF | 0x12345678, EXACT_EFF }, EFF | 0x12345679, false },
		{ { EFF | 0x12345678, EXACT_EFF }, 0x678, false },
		{ { 0x12345678, EXACT_EFF }, 0x678, true },
		{ { INV | 0x123, EXACT_SFF }, 0x123, false },
		{ { INV | 0x123, EXACT_SFF }, 0x124, true },
		{ { INV | 0x123, EXACT_SFF }, ERR | CAN_ERR_CRTL, false },
		{ { INV, 0 }, 0x123, false },
		{ { 0, ERR | CAN_ERR_CRTL }, ERR | CAN_ERR_CRTL, true },
		{ { 0, ERR | CAN_ERR_CRTL }, ERR | CAN_ERR_BUSOFF, false },
		{ { 0, ERR | CAN_ERR_CRTL }, CAN_ERR_CRTL, false },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++)
		EXPECT_EQ(cases[i].wanted, model(&cases[i].filter, cases[i].id))
			TH_LOG("case %u", i);
}

/*
 * The whole table of rules against the whole table of frames. It must not
 * matter whether a socket listens to one interface or to all, nor whether
 * filters came before bind().
 */
FIXTURE(matrix) {
	struct ct_bus bus;
};

FIXTURE_VARIANT(matrix) {
	bool any;
	bool set_first;
};

FIXTURE_VARIANT_ADD(matrix, one_interface_filter_then_bind) { false, true };
FIXTURE_VARIANT_ADD(matrix, one_interface_bind_then_filter) { false, false };
FIXTURE_VARIANT_ADD(matrix, all_interfaces_filter_then_bind) { true, true };
FIXTURE_VARIANT_ADD(matrix, all_interfaces_bind_then_filter) { true, false };

FIXTURE_SETUP(matrix)
{
	ASSERT_EQ(0, ct_bus_open(&self->bus));
}

FIXTURE_TEARDOWN(matrix) { }

/* a receiving socket as the variant says */
static int open_rx(const FIXTURE_VARIANT(matrix) *variant,
		   const struct ct_bus *bus, const struct can_filter *filters,
		   int count, can_err_mask_t err_mask)
{
	int ifindex = variant->any ? 0 : bus->ifindex;
	int fd = ct_raw_socket(), err;

	if (fd < 0)
		return fd;
	err = (variant->set_first ? 0 : ct_raw_bind(fd, ifindex)) ?:
	      ct_raw_filters(fd, filters, count) ?:
	      ct_raw_set(fd, CAN_RAW_ERR_FILTER, err_mask) ?:
	      (variant->set_first ? ct_raw_bind(fd, ifindex) : 0);
	return err ?: fd;
}

/* a socket with these filters receives the frames that the model matches */
static void try_filters(struct __test_metadata *_metadata,
			const FIXTURE_DATA(matrix) *self,
			const FIXTURE_VARIANT(matrix) *variant,
			const char *name, model_fn *wanted,
			const struct can_filter *filters, int count)
{
	int fd = CT_OK(open_rx(variant, &self->bus, filters, count, 0));

	if (wanted == model_all)
		ASSERT_EQ(0, ct_raw_set(fd, CAN_RAW_JOIN_FILTERS, 1));
	ASSERT_EQ(0, send_all(&self->bus));
	expect_model(_metadata, name, fd, wanted, filters, count);
	close(fd);
}

TEST_F_TIMEOUT(matrix, each_filter_alone_selects_the_same_as_the_model, 120)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(rules); i++)
		try_filters(_metadata, self, variant, rules[i].name, model_any,
			    &rules[i].filter, 1);
}

TEST_F_TIMEOUT(matrix, concurrent_sockets_are_independent, 120)
{
	int fd[ARRAY_SIZE(rules)];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(rules); i++) {
		fd[i] = CT_OK(open_rx(variant, &self->bus, &rules[i].filter,
				      1, 0));
	}
	ASSERT_EQ(0, send_all(&self->bus));
	for (i = 0; i < ARRAY_SIZE(rules); i++)
		expect_model(_metadata, rules[i].name, fd[i], model_any,
			     &rules[i].filter, 1);

	/* closing some leaves the others as they were */
	for (i = 0; i < ARRAY_SIZE(rules); i += 2)
		close(fd[i]);
	ASSERT_EQ(0, send_all(&self->bus));
	for (i = 1; i < ARRAY_SIZE(rules); i += 2) {
		expect_model(_metadata, rules[i].name, fd[i], model_any,
			     &rules[i].filter, 1);
		close(fd[i]);
	}
}

/* for other rules that are so far away in the table */
static const unsigned int steps[] = { 0, 1, 7, 20 };

TEST_F_TIMEOUT(matrix, two_filters_on_a_socket_select_the_union_once, 120)
{
	struct can_filter pair[2];
	unsigned int i, j;

	for (i = 0; i < ARRAY_SIZE(rules); i++) {
		for (j = 0; j < ARRAY_SIZE(steps); j++) {
			pair[0] = rules[i].filter;
			pair[1] = rules[(i + steps[j]) % ARRAY_SIZE(rules)].filter;
			try_filters(_metadata, self, variant, rules[i].name,
				    model_any, pair, 2);
		}
	}
}

TEST_F(matrix, all_filters_on_a_socket_select_the_union_once)
{
	struct can_filter all[ARRAY_SIZE(rules)];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(rules); i++)
		all[i] = rules[i].filter;
	try_filters(_metadata, self, variant, "all", model_any, all,
		    ARRAY_SIZE(all));
}

TEST_F_TIMEOUT(matrix, joined_filters_select_the_intersection, 120)
{
	struct can_filter three[3];
	unsigned int i, j, count;

	for (i = 0; i < ARRAY_SIZE(rules); i++) {
		for (j = 0; j < ARRAY_SIZE(steps); j++) {
			three[0] = rules[i].filter;
			three[1] = rules[(i + steps[j]) % ARRAY_SIZE(rules)].filter;
			three[2] = rules[(i + 1) % ARRAY_SIZE(rules)].filter;
			for (count = 1; count <= 3; count++)
				try_filters(_metadata, self, variant,
					    rules[i].name, model_all, three,
					    count);
		}
	}
}

TEST_F_TIMEOUT(matrix, error_mask_selects_error_frames_by_class, 120)
{
	static const struct {
		const char *name;
		can_err_mask_t mask;
		can_err_mask_t stored;
	} masks[] = {
		{ "none", 0, 0 },
		{ "bus-off", CAN_ERR_BUSOFF, CAN_ERR_BUSOFF },
		{ "two classes", CAN_ERR_CRTL | CAN_ERR_TX_TIMEOUT,
			CAN_ERR_CRTL | CAN_ERR_TX_TIMEOUT },
		{ "a class that nothing sends alone", CAN_ERR_RESTARTED,
			CAN_ERR_RESTARTED },
		{ "all", CAN_ERR_MASK, CAN_ERR_MASK },
		{ "flags are ignored", ERR | EFF | RTR | CAN_ERR_BUSOFF,
			CAN_ERR_BUSOFF },
		{ "nothing but flags", ERR | EFF | RTR, 0 },
	};
	const struct can_filter sff_123 = { 0x123, EXACT_SFF };
	struct can_filter both[2] = { sff_123 };
	can_err_mask_t stored;
	unsigned int i, count;
	socklen_t len;
	int fd;

	for (i = 0; i < ARRAY_SIZE(masks); i++) {
		/* an error mask works as one more filter for errors */
		both[1].can_mask = ERR | masks[i].stored;
		for (count = 0; count <= 1; count++) {
			fd = CT_OK(open_rx(variant, &self->bus, both, count,
					   masks[i].mask));
			len = sizeof(stored);
			ASSERT_EQ(0, ct_raw_getopt(fd, CAN_RAW_ERR_FILTER,
						   &stored, &len));
			EXPECT_EQ(masks[i].stored, stored);
			ASSERT_EQ(0, send_all(&self->bus));
			expect_model(_metadata, masks[i].name, fd, model_any,
				     both + 1 - count, 1 + count);
			close(fd);
		}
	}
}

/* one socket on one interface, bound, with the filter of a new socket */
FIXTURE(filter) {
	struct ct_bus bus;
	int rx;
};

FIXTURE_SETUP(filter)
{
	ASSERT_EQ(0, ct_bus_open(&self->bus));
	self->rx = CT_OK(ct_raw_open(self->bus.ifindex));
}

FIXTURE_TEARDOWN(filter) { }

#define SEND_IDS(...) do {						\
	const canid_t ids_[] = { __VA_ARGS__ };				\
									\
	ASSERT_EQ(0, send_ids(&self->bus, ids_, ARRAY_SIZE(ids_)));	\
} while (0)

#define EXPECT_IDS(what, ...) do {					\
	const canid_t want_[] = { __VA_ARGS__ };			\
									\
	expect_ids(_metadata, what, self->rx, want_,			\
		   ARRAY_SIZE(want_));					\
} while (0)

/* set a list of filters, and compare all frames with the model */
static void try_list(struct __test_metadata *_metadata,
		     const FIXTURE_DATA(filter) *self, const char *what,
		     const struct can_filter *filters, int count)
{
	ASSERT_EQ(0, ct_raw_filters(self->rx, filters, count));
	ASSERT_EQ(0, send_all(&self->bus));
	expect_model(_metadata, what, self->rx, model_any, filters, count);
}

TEST_F(filter, new_socket_receives_every_frame_but_no_errors)
{
	const struct can_filter everything = { 0, 0 };

	ASSERT_EQ(0, send_all(&self->bus));
	expect_model(_metadata, "default", self->rx, model_any, &everything, 1);
}

TEST_F(filter, empty_list_receives_nothing)
{
	try_list(_metadata, self, "empty list", NULL, 0);
}

TEST_F(filter, empty_joined_list_receives_nothing)
{
	ASSERT_EQ(0, ct_raw_set(self->rx, CAN_RAW_JOIN_FILTERS, 1));
	try_list(_metadata, self, "empty list", NULL, 0);
}

/* three, one, none, one, three: every change of the storage */
TEST_F(filter, new_list_replaces_the_old_one)
{
	static const struct can_filter old[] = {
		{ 0x001, EXACT_SFF }, { EFF | 0x123, EXACT_EFF },
		{ 0x120, 0x7f0 | EFF | RTR },
	};
	static const struct can_filter one = { 0x7ff, EXACT_SFF };
	static const struct can_filter everything = { 0, 0 };

	try_list(_metadata, self, "three", old, ARRAY_SIZE(old));
	try_list(_metadata, self, "one", &one, 1);
	try_list(_metadata, self, "none", NULL, 0);
	try_list(_metadata, self, "one again", &everything, 1);
	try_list(_metadata, self, "three again", old, ARRAY_SIZE(old));
}

TEST_F(filter, frames_already_queued_survive_a_new_list)
{
	static const struct can_filter other = { 0x7ff, EXACT_SFF };

	SEND_IDS(0x123);
	ASSERT_EQ(0, ct_raw_filters(self->rx, &other, 1));
	SEND_IDS(0x123, 0x7ff);
	EXPECT_IDS("queued", 0x123, 0x7ff);
}

TEST_F(filter, same_filter_many_times_delivers_once)
{
	static struct can_filter same[CAN_RAW_FILTER_MAX];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(same); i++) {
		same[i].can_id = 0x123;
		same[i].can_mask = EXACT_SFF;
	}
	ASSERT_EQ(0, ct_raw_filters(self->rx, same, ARRAY_SIZE(same)));
	SEND_IDS(0x123, 0x124, 0x123);
	EXPECT_IDS("any", 0x123, 0x123);

	ASSERT_EQ(0, ct_raw_set(self->rx, CAN_RAW_JOIN_FILTERS, 1));
	SEND_IDS(0x123, 0x124, 0x123);
	EXPECT_IDS("joined", 0x123, 0x123);
}

TEST_F(filter, sockets_with_the_same_filter_all_get_the_frame)
{
	static const struct can_filter same = { EFF | 0x12345678, EXACT_EFF };
	static const canid_t want[] = { EFF | 0x12345678 };
	int fd[16];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(fd); i++) {
		/* half of them listen to all interfaces */
		fd[i] = CT_OK(ct_raw_open(i % 2 ? self->bus.ifindex : 0));
		ASSERT_EQ(0, ct_raw_filters(fd[i], &same, 1));
	}
	ASSERT_EQ(0, send_all(&self->bus));
	for (i = 0; i < ARRAY_SIZE(fd); i++)
		expect_ids(_metadata, "same filter", fd[i], want,
			   ARRAY_SIZE(want));
}

TEST_F(filter, largest_list_works_to_its_last_entry)
{
	static struct can_filter list[CAN_RAW_FILTER_MAX];
	static struct can_filter back[CAN_RAW_FILTER_MAX];
	socklen_t len = sizeof(back);
	unsigned int i;

	/* single identifiers, masks and extended ones by turns */
	for (i = 0; i < ARRAY_SIZE(list); i++) {
		list[i].can_id = i % 3 ? i : EFF | i << 11;
		list[i].can_mask = i % 3 == 0 ? EXACT_EFF :
				   i % 3 == 1 ? EXACT_SFF :
						CAN_SFF_MASK | EFF;
	}
	ASSERT_EQ(0, ct_raw_filters(self->rx, list, ARRAY_SIZE(list)));
	ASSERT_EQ(0, ct_raw_getopt(self->rx, CAN_RAW_FILTER, back, &len));
	EXPECT_EQ(sizeof(list), len);
	EXPECT_EQ(0, memcmp(list, back, sizeof(list)));

	for (i = 0; i < ARRAY_SIZE(list); i++) {
		SEND_IDS(list[i].can_id, list[i].can_id + 0x200);
		EXPECT_IDS("entry", list[i].can_id);
	}
}

/*
 * Joined filters count matches, and the error mask is one of the matches but
 * not one of the filters that are counted. This is how the kernel works.
 */
TEST_F(filter, joined_filters_disable_the_error_mask)
{
	static const struct can_filter two[] = { { 0, 0 }, { 0x123, EXACT_SFF } };

	ASSERT_EQ(0, ct_raw_set(self->rx, CAN_RAW_ERR_FILTER, CAN_ERR_BUSOFF));
	ASSERT_EQ(0, ct_raw_filters(self->rx, two, ARRAY_SIZE(two)));
	ASSERT_EQ(0, ct_raw_set(self->rx, CAN_RAW_JOIN_FILTERS, 1));
	SEND_IDS(ERR | CAN_ERR_BUSOFF, 0x123);
	EXPECT_IDS("two filters", 0x123);

	/* with one filter or none the error mask alone is enough */
	ASSERT_EQ(0, ct_raw_filters(self->rx, two, 1));
	SEND_IDS(ERR | CAN_ERR_BUSOFF);
	EXPECT_IDS("one filter", ERR | CAN_ERR_BUSOFF);

	ASSERT_EQ(0, ct_raw_filters(self->rx, NULL, 0));
	SEND_IDS(ERR | CAN_ERR_BUSOFF);
	EXPECT_IDS("no filter", ERR | CAN_ERR_BUSOFF);
}

TEST_F(filter, joined_error_filter_and_error_mask_deliver_twice)
{
	static const struct can_filter one = { 0, ERR | CAN_ERR_BUSOFF };

	ASSERT_EQ(0, ct_raw_set(self->rx, CAN_RAW_ERR_FILTER, CAN_ERR_BUSOFF));
	ASSERT_EQ(0, ct_raw_filters(self->rx, &one, 1));
	SEND_IDS(ERR | CAN_ERR_BUSOFF);
	EXPECT_IDS("not joined", ERR | CAN_ERR_BUSOFF);

	ASSERT_EQ(0, ct_raw_set(self->rx, CAN_RAW_JOIN_FILTERS, 1));
	SEND_IDS(ERR | CAN_ERR_BUSOFF);
	EXPECT_IDS("joined", ERR | CAN_ERR_BUSOFF, ERR | CAN_ERR_BUSOFF);
}

TEST_F(filter, error_mask_replaces_the_old_one)
{
	ASSERT_EQ(0, ct_raw_filters(self->rx, NULL, 0));
	ASSERT_EQ(0, ct_raw_set(self->rx, CAN_RAW_ERR_FILTER, CAN_ERR_BUSOFF));
	ASSERT_EQ(0, ct_raw_set(self->rx, CAN_RAW_ERR_FILTER,
				CAN_ERR_TX_TIMEOUT));
	SEND_IDS(ERR | CAN_ERR_BUSOFF, ERR | CAN_ERR_TX_TIMEOUT);
	EXPECT_IDS("replaced", ERR | CAN_ERR_TX_TIMEOUT);

	ASSERT_EQ(0, ct_raw_set(self->rx, CAN_RAW_ERR_FILTER, 0));
	try_list(_metadata, self, "removed", NULL, 0);
}

TEST_F(filter, error_frame_of_many_classes_arrives_once)
{
	static const struct can_filter two[] = {
		{ 0, ERR | CAN_ERR_BUSOFF }, { 0, ERR | CAN_ERR_CRTL },
	};

	ASSERT_EQ(0, ct_raw_filters(self->rx, two, ARRAY_SIZE(two)));
	ASSERT_EQ(0, ct_raw_set(self->rx, CAN_RAW_ERR_FILTER, CAN_ERR_MASK));
	SEND_IDS(ERR | CAN_ERR_MASK);
	EXPECT_IDS("all classes", ERR | CAN_ERR_MASK);
}

/*
 * Bad input. Before each attempt the socket has this list and error mask, and
 * afterwards it must still have them, both for getsockopt() and for frames.
 */
static const struct can_filter kept[] = {
	{ 0x123, EXACT_SFF }, { EFF | 0x12345678, EXACT_EFF },
};

static void expect_kept(struct __test_metadata *_metadata, const char *what,
			const FIXTURE_DATA(filter) *self)
{
	/* the error mask is one more filter for the model */
	const struct can_filter all[] = {
		kept[0], kept[1], { 0, ERR | CAN_ERR_BUSOFF },
	};
	struct can_filter back[ARRAY_SIZE(all)];
	socklen_t len = sizeof(back);
	can_err_mask_t mask;

	ASSERT_EQ(0, ct_raw_getopt(self->rx, CAN_RAW_FILTER, back, &len));
	EXPECT_EQ(sizeof(kept), len) TH_LOG("%s", what);
	EXPECT_EQ(0, memcmp(kept, back, sizeof(kept))) TH_LOG("%s", what);

	len = sizeof(mask);
	ASSERT_EQ(0, ct_raw_getopt(self->rx, CAN_RAW_ERR_FILTER, &mask, &len));
	EXPECT_EQ(CAN_ERR_BUSOFF, mask) TH_LOG("%s", what);

	ASSERT_EQ(0, send_all(&self->bus));
	expect_model(_metadata, what, self->rx, model_any, all, ARRAY_SIZE(all));
}

TEST_F_TIMEOUT(filter, rejected_input_changes_nothing, 120)
{
	static struct can_filter many[CAN_RAW_FILTER_MAX + 1];
	const size_t page = sysconf(_SC_PAGESIZE);
	const struct {
		const char *name;
		int option;
		const void *value;
		socklen_t len;
		int err;
	} *attempt, attempts[] = {
		{ "half a filter", CAN_RAW_FILTER, many, 4, EINVAL },
		{ "one byte", CAN_RAW_FILTER, many, 1, EINVAL },
		{ "a filter and a byte", CAN_RAW_FILTER, many, 9, EINVAL },
		{ "one and a half", CAN_RAW_FILTER, many, 12, EINVAL },
		{ "one too many", CAN_RAW_FILTER, many, sizeof(many), EINVAL },
		{ "far too many", CAN_RAW_FILTER, many, 1 << 20, EINVAL },
		{ "negative", CAN_RAW_FILTER, many, -8, EINVAL },
		{ "no memory for one", CAN_RAW_FILTER, NULL, 8, EFAULT },
		{ "no memory for two", CAN_RAW_FILTER, NULL, 16, EFAULT },
		{ "errors: empty", CAN_RAW_ERR_FILTER, many, 0, EINVAL },
		{ "errors: short", CAN_RAW_ERR_FILTER, many, 3, EINVAL },
		{ "errors: long", CAN_RAW_ERR_FILTER, many, 8, EINVAL },
		{ "errors: no memory", CAN_RAW_ERR_FILTER, NULL, 4, EFAULT },
		{ "option 0", 0, many, 4, ENOPROTOOPT },
		{ "unknown option", CAN_RAW_XL_VCID_OPTS + 1, many, 4,
			ENOPROTOOPT },
	};
	unsigned int i;
	char *pages;

	ASSERT_EQ(0, ct_raw_filters(self->rx, kept, ARRAY_SIZE(kept)));
	ASSERT_EQ(0, ct_raw_set(self->rx, CAN_RAW_ERR_FILTER, CAN_ERR_BUSOFF));

	for (i = 0; i < ARRAY_SIZE(attempts); i++) {
		attempt = &attempts[i];
		EXPECT_EQ(-attempt->err,
			  ct_raw_setopt(self->rx, attempt->option,
					attempt->value, attempt->len))
			TH_LOG("%s", attempt->name);
		expect_kept(_metadata, attempt->name, self);
	}

	/* a list whose second half cannot be read */
	pages = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, pages);
	ASSERT_EQ(0, mprotect(pages + page, page, PROT_NONE));
	EXPECT_EQ(-EFAULT, ct_raw_filters(self->rx, (struct can_filter *)
				       (pages + page - 8), 2));
	expect_kept(_metadata, "unreadable half", self);

	/* the options belong to level SOL_CAN_RAW alone */
	EXPECT_EQ(-1, setsockopt(self->rx, SOL_CAN_BASE + CAN_BCM,
				 CAN_RAW_FILTER, many, 8));
	EXPECT_EQ(EINVAL, errno);
	expect_kept(_metadata, "other level", self);
}

TEST_F(filter, list_reads_back_as_written)
{
	/* bits that matching ignores or moves must not be lost */
	static const struct can_filter odd[] = {
		{ 0x12345678, EXACT_EFF }, { 0xffffffff, 0 },
		{ INV | 0x123, EXACT_SFF }, { 0x123, 0xffffffff },
	};
	struct can_filter back[ARRAY_SIZE(odd)];
	unsigned int count;
	socklen_t len;

	for (count = 1; count <= ARRAY_SIZE(odd); count++) {
		ASSERT_EQ(0, ct_raw_filters(self->rx, odd, count));
		len = sizeof(back);
		ASSERT_EQ(0, ct_raw_getopt(self->rx, CAN_RAW_FILTER, back,
					   &len));
		EXPECT_EQ(count * sizeof(odd[0]), len);
		EXPECT_EQ(0, memcmp(odd, back, count * sizeof(odd[0])));
	}
}

TEST_F(filter, new_socket_has_one_filter_for_everything)
{
	struct can_filter back[2] = { { 1, 1 }, { 2, 2 } };
	can_err_mask_t mask = 1;
	socklen_t len = sizeof(back);

	ASSERT_EQ(0, ct_raw_getopt(self->rx, CAN_RAW_FILTER, back, &len));
	EXPECT_EQ(sizeof(back[0]), len);
	EXPECT_EQ(0U, back[0].can_id);
	EXPECT_EQ(0U, back[0].can_mask);
	/* and nothing was written after it */
	EXPECT_EQ(2U, back[1].can_id);
	EXPECT_EQ(2U, back[1].can_mask);

	len = sizeof(mask);
	ASSERT_EQ(0, ct_raw_getopt(self->rx, CAN_RAW_ERR_FILTER, &mask, &len));
	EXPECT_EQ(0U, mask);
}

TEST_F(filter, reading_into_a_small_buffer_returns_the_size_needed)
{
	static const socklen_t small[] = { 0, 1, 8, 15 };
	struct can_filter back[2];
	socklen_t len;
	unsigned int i;

	ASSERT_EQ(0, ct_raw_filters(self->rx, kept, ARRAY_SIZE(kept)));
	for (i = 0; i < ARRAY_SIZE(small); i++) {
		memset(back, 0x5a, sizeof(back));
		len = small[i];
		EXPECT_EQ(-ERANGE, ct_raw_getopt(self->rx, CAN_RAW_FILTER, back,
						 &len));
		EXPECT_EQ(sizeof(kept), len);
		EXPECT_EQ(0x5a5a5a5aU, back[0].can_id);
	}

	/* the size that came back is enough */
	ASSERT_EQ(0, ct_raw_getopt(self->rx, CAN_RAW_FILTER, back, &len));
	EXPECT_EQ(0, memcmp(kept, back, sizeof(kept)));
}

TEST_F(filter, reading_an_empty_list_needs_no_buffer)
{
	socklen_t len = 0;

	ASSERT_EQ(0, ct_raw_filters(self->rx, NULL, 0));
	EXPECT_EQ(0, ct_raw_getopt(self->rx, CAN_RAW_FILTER, NULL, &len));
	EXPECT_EQ(0U, len);

	len = 800;
	EXPECT_EQ(0, ct_raw_getopt(self->rx, CAN_RAW_FILTER, NULL, &len));
	EXPECT_EQ(0U, len);
}

TEST_F(filter, reading_to_a_bad_address_fails)
{
	socklen_t len = -1;
	struct can_filter back;

	EXPECT_EQ(-EINVAL, ct_raw_getopt(self->rx, CAN_RAW_FILTER, &back, &len));
	len = sizeof(back);
	EXPECT_EQ(-EFAULT, ct_raw_getopt(self->rx, CAN_RAW_FILTER, NULL, &len));
	EXPECT_EQ(-EFAULT, ct_raw_getopt(self->rx, CAN_RAW_FILTER, &back, NULL));

	EXPECT_EQ(-1, getsockopt(self->rx, SOL_CAN_BASE + CAN_BCM,
				 CAN_RAW_FILTER, &back, &len));
	EXPECT_EQ(EINVAL, errno);
}

TEST_HARNESS_MAIN
