// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests of the shared library that need no CAN interface. Prints TAP; one thread.
 * Functions that exit run in a forked child.
 */
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli.h"
#include "latency.h"
#include "result.h"
#include "rt.h"
#include "wire.h"

static int tests, failures;

static void __attribute__((format(printf, 2, 3))) ok(bool good, const char *fmt, ...)
{
	va_list args;

	if (!good)
		failures++;
	printf("%sok %d ", good ? "" : "not ", ++tests);
	va_start(args, fmt);
	vprintf(fmt, args);
	va_end(args);
	putchar('\n');
}

static bool equal(const char *what, intmax_t got, intmax_t want)
{
	if (got != want)
		printf("# %s: expected %jd, got %jd\n", what, want, got);
	return got == want;
}

/* ---- frames on the wire ---- */

static struct canfd_frame make(canid_t id, unsigned int len, int fill, unsigned int flags)
{
	struct canfd_frame f = { .can_id = id, .len = len, .flags = flags };

	memset(f.data, fill, len);
	return f;
}

/*
 * An independent second computation: the frame is a string of characters, the CRC is
 * computed by polynomial division, and stuffing makes a copy.
 */
struct text {
	char bit[1024];
	size_t n;
};

static void put(struct text *t, const char *bits)
{
	strcpy(t->bit + t->n, bits);
	t->n += strlen(bits);
}

static void put_number(struct text *t, unsigned int value, unsigned int width)
{
	while (width-- > 0)
		put(t, value & 1u << width ? "1" : "0");
}

/* x^15 + x^14 + x^10 + x^8 + x^7 + x^4 + x^3 + 1 */
static const char divisor[] = "1100010110011001";

static void put_crc15(struct text *t)
{
	struct text rest = *t;

	put(&rest, "000000000000000");
	for (size_t i = 0; i < t->n; i++) {
		if (rest.bit[i] == '0')
			continue;
		for (size_t j = 0; j < strlen(divisor); j++)
			rest.bit[i + j] = rest.bit[i + j] == divisor[j] ? '0' : '1';
	}
	put(t, rest.bit + t->n);
}

/* Insert a bit after every five equal bits, including the inserted ones. */
static void stuff(const struct text *from, struct text *to)
{
	static const char *const runs[] = { "00000", "11111" };

	to->n = 0;
	to->bit[0] = 0;
	for (size_t i = 0; i < from->n; i++) {
		put(to, from->bit[i] == '1' ? "1" : "0");
		for (int level = 0; level < 2; level++) {
			if (to->n >= 5 && !strcmp(to->bit + to->n - 5, runs[level])) {
				put(to, level ? "0" : "1");
				break;
			}
		}
	}
}

static void put_identifier(struct text *t, canid_t id, const char *after_base, const char *after_all)
{
	put(t, "0");
	if (id & CAN_EFF_FLAG) {
		put_number(t, (id & CAN_EFF_MASK) >> 18, 11);
		put(t, "11");
		put_number(t, id & 0x3ffff, 18);
	} else {
		put_number(t, id & CAN_SFF_MASK, 11);
	}
	put(t, id & CAN_EFF_FLAG ? after_all : after_base);
}

static unsigned int classic_length(const struct canfd_frame *f, unsigned int dlc)
{
	bool remote = f->can_id & CAN_RTR_FLAG;
	struct text plain = { .n = 0 }, stuffed;

	put_identifier(&plain, f->can_id, remote ? "100" : "000", remote ? "100" : "000");
	put_number(&plain, dlc, 4);
	for (unsigned int i = 0; !remote && i < f->len; i++)
		put_number(&plain, f->data[i], 8);
	put_crc15(&plain);
	stuff(&plain, &stuffed);
	return stuffed.n + strlen("1" "11" "1111111");
}

/* Total length; *@data is the part from after BRS up to the CRC delimiter. */
static unsigned int fd_length(const struct canfd_frame *f, unsigned int dlc, unsigned int *data)
{
	struct text plain = { .n = 0 }, stuffed, begun;
	unsigned int crc_field = f->len > 16 ? 4 + 21 + 7 : 4 + 17 + 6;

	put_identifier(&plain, f->can_id, "00" "10", "0" "10");
	put(&plain, f->flags & CANFD_BRS ? "1" : "0");
	stuff(&plain, &begun);
	put(&plain, f->flags & CANFD_ESI ? "1" : "0");
	put_number(&plain, dlc, 4);
	for (unsigned int i = 0; i < f->len; i++)
		put_number(&plain, f->data[i], 8);
	/* A bit that stuff() appends at the end is the first fixed stuff bit. */
	stuff(&plain, &stuffed);
	if (stuffed.n > 5 && (!strcmp(stuffed.bit + stuffed.n - 6, "000001") ||
			      !strcmp(stuffed.bit + stuffed.n - 6, "111110")) &&
	    stuffed.bit[stuffed.n - 1] != plain.bit[plain.n - 1])
		stuffed.n--;
	*data = f->flags & CANFD_BRS ? stuffed.n - begun.n + crc_field + 1 : 0;
	return stuffed.n + crc_field + strlen("1" "11" "1111111");
}

/*
 * Without stuff bits, frames have 44 + 8n or 64 + 8n bits. The maximum number of stuff bits
 * is (34 + 8n - 1) / 4 or (54 + 8n - 1) / 4, as in response time analysis, which also
 * counts the 3 bits of intermission.
 */
static void test_classic_bounds(void)
{
	unsigned int least_seen = UINT32_MAX;
	bool good = true;

	srandom(1);
	for (int i = 0; i < 20000; i++) {
		bool eff = i & 1;
		unsigned int n = i / 2 % 9, plain = (eff ? 64 : 44) + 8 * n;
		canid_t id = eff ? (random() & CAN_EFF_MASK) | CAN_EFF_FLAG : random() & CAN_SFF_MASK;
		struct canfd_frame f = make(id, n, random(), 0);
		unsigned int bits = wire_bits(&f, CAN_MTU).nominal;

		if (bits < plain || bits > plain + ((eff ? 54 : 34) + 8 * n - 1) / 4)
			good = equal("bits out of bounds", bits, plain);
		if (bits - plain < least_seen)
			least_seen = bits - plain;
	}
	ok(good, "wire: Classical CAN frames are within the minimum and maximum length");
	ok(!least_seen, "wire: some random frames have no stuff bit");
}

/*
 * Computed by hand: identifier 0 with DLC 0 is 19 dominant bits, whose CRC is 0. That makes
 * 34 dominant bits, with a stuff bit after every 5 of them, because a single recessive stuff
 * bit starts a new run: 34 / 5 = 6 stuff bits. 34 + 6 + 10 = 50.
 */
static void test_classic_worked(void)
{
	struct canfd_frame zero = make(0, 0, 0, 0);
	struct canfd_frame paper = make(0x555, 8, 0x55, 0);
	struct wire_bits bits = wire_bits(&zero, CAN_MTU);

	ok(equal("nominal", bits.nominal, 50) & equal("data", bits.data, 0),
	   "wire: identifier 0 without data has 50 bits");
	ok(equal("ns", wire_time(&zero, CAN_MTU, 1000000, 0), 50000) &
	   equal("ns", wire_time(&zero, CAN_MTU, 125000, 500000), 400000),
	   "wire: 50 bits take 50 us at 1 Mbit/s, 400 us at 125 kbit/s");
	ok(wire_bits(&paper, CAN_MTU).nominal >= 108, "wire: 8 bytes have 108 bits before stuffing");
	ok(!wire_time(&zero, CAN_MTU, 0, 0), "wire: without a bit rate the duration is 0");
}

static void test_classic_other_way(void)
{
	bool good = true;

	srandom(2);
	for (int i = 0; i < 20000 && good; i++) {
		canid_t id = i & 1 ? (random() & CAN_EFF_MASK) | CAN_EFF_FLAG : random() & CAN_SFF_MASK;
		struct canfd_frame f = make(i % 7 ? id : id | CAN_RTR_FLAG, i % 9, 0, 0);

		/* Long runs of equal bits matter, and random bytes have few. */
		for (unsigned int j = 0; j < f.len; j++)
			f.data[j] = random() % 3 ? -(random() & 1) : random();
		good = equal("bits", wire_bits(&f, CAN_MTU).nominal, classic_length(&f, f.len));
	}
	ok(good, "wire: Classical CAN lengths match the second computation");
}

static void test_classic_special(void)
{
	struct canfd_frame remote = make(0x123 | CAN_RTR_FLAG, 0, 0, 0);
	struct can_frame dlc = { .can_id = 0x123, .len = 8, .len8_dlc = 15 };
	struct canfd_frame error = make(CAN_ERR_FLAG, 8, 0, 0), as_fd = { 0 };

	remote.len = 8;
	ok(equal("bits", wire_bits(&remote, CAN_MTU).nominal, classic_length(&remote, 8)) &&
	   wire_bits(&remote, CAN_MTU).nominal < 108, "wire: remote frames have no data");
	memcpy(&as_fd, &dlc, sizeof(dlc));
	ok(equal("bits", wire_bits(&as_fd, CAN_MTU).nominal, classic_length(&as_fd, 15)),
	   "wire: DLC 15 of Classical CAN means 8 bytes");
	ok(!wire_bits(&error, CAN_MTU).nominal, "wire: error message frames have no bits on the bus");
}

static const unsigned char fd_lengths[] = {
	0, 1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 20, 24, 32, 48, 64
};

static void test_fd_other_way(void)
{
	bool good = true;

	srandom(3);
	for (int i = 0; i < 20000 && good; i++) {
		canid_t id = i & 1 ? (random() & CAN_EFF_MASK) | CAN_EFF_FLAG : random() & CAN_SFF_MASK;
		unsigned int flags = CANFD_FDF | (i & 2 ? CANFD_BRS : 0) | (i & 4 ? CANFD_ESI : 0);
		struct canfd_frame f = make(id, fd_lengths[i % 16], 0, flags);
		unsigned int data, all;
		struct wire_bits bits;

		for (unsigned int j = 0; j < f.len; j++)
			f.data[j] = random() % 3 ? -(random() & 1) : random();
		bits = wire_bits(&f, CANFD_MTU);
		all = fd_length(&f, i % 16, &data);
		good = equal("bits in all", bits.nominal + bits.data, all) &
		       equal("bits of the data phase", bits.data, data);
	}
	ok(good, "wire: CAN FD lengths match the second computation");
}

/*
 * Computed by hand from the fields of ISO 11898-1:2015, for alternating data bits, which need
 * no stuff bits. Identifier 555, BRS:
 * - arbitration: SOF 0, 10101010101, RRS 0, IDE 0, FDF 1, res 0, BRS 1: 17 bits, no run of five;
 * - data phase: ESI 0, DLC 1111, 64 times 01010101: 517 bits, no run of five (1111 is followed by 0);
 *   fixed stuff bits 7, stuff count 4, CRC 21, delimiter 1: 33;
 * - end: ACK 2, EOF 7.
 */
static void test_fd_worked(void)
{
	struct canfd_frame f = make(0x555, 64, 0x55, CANFD_FDF | CANFD_BRS);
	struct wire_bits bits = wire_bits(&f, CANFD_MTU);

	ok(equal("nominal", bits.nominal, 17 + 9) & equal("data", bits.data, 517 + 33),
	   "wire: 64 bytes of 55 with BRS have 26 and 550 bits");
	ok(equal("ns", wire_time(&f, CANFD_MTU, 1000000, 5000000), 26000 + 110000),
	   "wire: they take 136 us at 1 and 5 Mbit/s");
	f.flags = CANFD_FDF;
	bits = wire_bits(&f, CANFD_MTU);
	/* Without BRS: res, BRS and ESI are three dominant bits; no run of five. */
	ok(equal("nominal", bits.nominal, 576) & equal("data", bits.data, 0),
	   "wire: without BRS all 576 bits are in the arbitration phase");
}

/*
 * If the data ends in five recessive bits, the fixed stuff bit at the begin of the CRC field
 * replaces the dynamic stuff bit. The data ends in 101 1111 or in 110 1111.
 */
static void test_fd_seam(void)
{
	struct canfd_frame run = make(0x555, 1, 0x5f, CANFD_FDF), none = make(0x555, 1, 0x6f, CANFD_FDF);

	ok(equal("bits", wire_bits(&run, CANFD_MTU).nominal, wire_bits(&none, CANFD_MTU).nominal),
	   "wire: the first fixed stuff bit replaces a dynamic one");
}

static void test_fd_lengths(void)
{
	struct canfd_frame nine = make(0x123, 9, 0xaa, CANFD_FDF);
	struct canfd_frame twelve = nine;

	twelve.len = 12;
	ok(equal("bits", wire_bits(&nine, CANFD_MTU).nominal, wire_bits(&twelve, CANFD_MTU).nominal),
	   "wire: 9 bytes are sent as 12, padded with 0");
}

/* ---- latencies ---- */

static void test_summary(void)
{
	struct latency lat = { 0 };
	struct latency_summary s;

	/* In descending order, so that sorting is tested. */
	for (int i = 1000; i > 0; i--)
		latency_add(&lat, i);
	s = latency_summary(&lat);
	ok(equal("count", s.count, 1000) & equal("min", s.min, 1) & equal("median", s.median, 500) &
	   equal("99 %", s.p99, 990) & equal("99.9 %", s.p999, 999) & equal("max", s.max, 1000) &
	   (fabs(s.mean - 500.5) < 1e-9), "latency: summary of 1 to 1000");
	latency_add(&lat, 1001);
	s = latency_summary(&lat);
	/* 0.5 * 1001 = 500.5: the 501st; 990.99: the 991st; 999.999: the 1000th. */
	ok(equal("median", s.median, 501) & equal("99 %", s.p99, 991) &
	   equal("99.9 %", s.p999, 1000), "latency: the nearest rank is rounded up");
	latency_free(&lat);
}

static void test_summary_small(void)
{
	struct latency lat = { 0 };
	struct latency_summary s = latency_summary(&lat);

	ok(!s.count && !s.min && !s.median && !s.p99 && !s.p999 && !s.max && s.mean == 0,
	   "latency: the summary of an empty set is 0");
	latency_add(&lat, -7);
	s = latency_summary(&lat);
	ok(s.count == 1 && s.min == -7 && s.median == -7 && s.p99 == -7 && s.p999 == -7 &&
	   s.max == -7, "latency: all percentiles of one value are that value");
	latency_free(&lat);
}

static void test_reserve(void)
{
	struct latency lat = { 0 };
	const int64_t *room;

	latency_add(&lat, 5);
	latency_reserve(&lat, 5000);
	room = lat.ns;
	for (int i = 1; i < 5000; i++)
		latency_add(&lat, i);
	ok(lat.ns == room && lat.count == 5000 && lat.ns[0] == 5 && lat.ns[4999] == 4999,
	   "latency: reserved memory is used, and existing values are kept");
	latency_free(&lat);
}

struct points {
	int n;
	struct {
		int64_t ns;
		size_t at_least;
	} at[8];
};

static void note_point(void *ctx, int64_t ns, size_t at_least)
{
	struct points *p = ctx;

	if (p->n < 8) {
		p->at[p->n].ns = ns;
		p->at[p->n].at_least = at_least;
	}
	p->n++;
}

static bool is_point(const struct points *p, int i, int64_t ns, size_t at_least)
{
	return equal("latency", p->at[i].ns, ns) & equal("at least", p->at[i].at_least, at_least);
}

static void test_profile(void)
{
	static const int64_t values[] = { 30, 10, 10, 29, 10, 35, -1 };
	struct points exact = { 0 }, coarse = { 0 }, none = { 0 };
	struct latency lat = { 0 };

	latency_profile(&lat, 0, note_point, &none);
	ok(!none.n, "latency: the profile of an empty set has no points");
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
		latency_add(&lat, values[i]);
	latency_profile(&lat, 0, note_point, &exact);
	ok(equal("points", exact.n, 5) && is_point(&exact, 0, -1, 7) & is_point(&exact, 1, 10, 6) &
	   is_point(&exact, 2, 29, 3) & is_point(&exact, 3, 30, 2) & is_point(&exact, 4, 35, 1),
	   "latency: the profile counts frames with this latency or a longer one");
	latency_profile(&lat, 10, note_point, &coarse);
	ok(equal("points", coarse.n, 4) && is_point(&coarse, 0, -10, 7) &
	   is_point(&coarse, 1, 10, 6) & is_point(&coarse, 2, 20, 3) & is_point(&coarse, 3, 30, 2),
	   "latency: a profile in steps rounds down");
	latency_free(&lat);
}

/* The sum of the rows' numbers in @text, and how many rows there are. */
static size_t histogram_sum(char *text, unsigned int *rows)
{
	size_t sum = 0, n;
	double from;

	*rows = 0;
	for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
		if (sscanf(line, "%lf us %zu", &from, &n) != 2)
			continue;
		sum += n;
		++*rows;
	}
	return sum;
}

static void test_histogram(void)
{
	struct latency lat = { 0 };
	unsigned int rows;
	size_t size, sum;
	char *text;
	FILE *to = open_memstream(&text, &size);

	for (int i = 0; i < 990; i++)
		latency_add(&lat, 100000 + i);
	latency_add(&lat, 5000000);
	latency_histogram(&lat, 20, to);
	fclose(to);
	ok(strstr(text, "  #\n"), "latency: a single late frame is visible in the histogram");
	sum = histogram_sum(text, &rows);
	ok(equal("sum", sum, 991) && rows > 10 && rows <= 20,
	   "latency: the rows of a histogram contain all values (%u rows)", rows);
	free(text);
	latency_free(&lat);
}

/* ---- command line ---- */

struct outcome {
	int status;
	char said[512];
};

/* Run @call in a child. Returns its exit status and standard error. */
static struct outcome in_child(void (*call)(const char *text), const char *text)
{
	struct outcome o = { 0 };
	int pipes[2], status;
	ssize_t n;
	pid_t pid;

	fflush(stdout);
	if (pipe(pipes)) {
		puts("Bail out! no pipe");
		exit(1);
	}
	pid = fork();
	if (!pid) {
		dup2(pipes[1], STDERR_FILENO);
		call(text);
		_exit(CLI_OK);
	}
	close(pipes[1]);
	while ((n = read(pipes[0], o.said + strlen(o.said), sizeof(o.said) - 1 - strlen(o.said))) > 0)
		;
	close(pipes[0]);
	waitpid(pid, &status, 0);
	o.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
	return o;
}

static void call_number(const char *text)
{
	cli_number("--count", text, 10, 20);
}

static void call_duration(const char *text)
{
	cli_duration("--period", text, 1000, 2000000000);
}

static void call_id(const char *text)
{
	cli_can_id("--id", text);
}

static void test_rejected(void (*call)(const char *text), const char *option,
			  const char *const *texts)
{
	for (; *texts; texts++) {
		struct outcome o = in_child(call, *texts);
		bool good = o.status == CLI_USAGE && strstr(o.said, option) &&
			    strstr(o.said, *texts) && strstr(o.said, "unit: ");

		if (!good)
			printf("# status %d: %s\n", o.status, o.said);
		ok(good, "cli: %s '%s' is rejected and named", option, *texts);
	}
}

static void test_number(void)
{
	static const char *const wrong[] = {
		"", " 12", "12 ", "-12", "+12", "12k", "0x", "0xg", "twelve", "1.2",
		"9", "21", "0x15", "18446744073709551628", NULL
	};

	ok(cli_number("-", "0", 0, 9) == 0 && cli_number("-", "0x1F", 0, 99) == 31 &&
	   cli_number("-", "010", 0, 99) == 10 &&
	   cli_number("-", "18446744073709551615", 0, UINT64_MAX) == UINT64_MAX,
	   "cli: numbers are decimal, or hexadecimal after 0x");
	test_rejected(call_number, "--count", wrong);
}

static void test_duration(void)
{
	static const char *const wrong[] = {
		"", "5", "ms", ".5ms", "5.ms", "5 ms", "5.5.5ms", "-5ms", "5m", "5msx", "1.5ns",
		"1.0000000001s", "0x5ms", "18446744073710s", "999ns", "2.1s", "0", NULL
	};
	static const uint64_t values[] = {
		0, 1, 999, 1000, 1001, 1500000, 50000000, 1000000000, 60000000001,
		INT64_MAX, UINT64_MAX - 1, UINT64_MAX,
	};
	struct outcome o = in_child(call_duration, "3s");
	char text[CLI_DURATION_TEXT];
	uint64_t again;

	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		cli_duration_text(values[i], text);
		ok(cli_parse_duration(text, &again) && again == values[i],
		   "cli: a printed duration is parsed: %s", text);
	}
	ok(!strcmp(cli_duration_text(1500000, text), "1500us") &&
	   !strcmp(cli_duration_text(60000000000, text), "60s"),
	   "cli: durations are printed in the largest unit without a fraction");
	ok(equal("250us", cli_duration("-", "250us", 0, UINT64_MAX), 250000) &
	   equal("10ms", cli_duration("-", "10ms", 0, UINT64_MAX), 10000000) &
	   equal("1.5s", cli_duration("-", "1.5s", 0, UINT64_MAX), 1500000000) &
	   equal("300ns", cli_duration("-", "300ns", 0, UINT64_MAX), 300) &
	   equal("0.001us", cli_duration("-", "0.001us", 0, UINT64_MAX), 1) &
	   equal("1.000000001s", cli_duration("-", "1.000000001s", 0, UINT64_MAX), 1000000001) &
	   equal("1.50ms", cli_duration("-", "1.50ms", 0, UINT64_MAX), 1500000) &
	   equal("0", cli_duration("-", "0", 0, UINT64_MAX), 0),
	   "cli: durations with units");
	test_rejected(call_duration, "--period", wrong);
	ok(strstr(o.said, "1us to 2s"), "cli: bounds of durations are printed with units");
}

static void test_id(void)
{
	static const char *const wrong[] = {
		"", "12", "1234", "1234567", "123456789", "800", "20000000", "12g", "0x1",
		"-12", " 12", NULL
	};

	ok(cli_can_id("-", "7FF") == 0x7ff && cli_can_id("-", "000") == 0 &&
	   cli_can_id("-", "00000123") == (0x123 | CAN_EFF_FLAG) &&
	   cli_can_id("-", "1fffffff") == (CAN_EFF_MASK | CAN_EFF_FLAG),
	   "cli: 3 digits are a standard identifier, 8 an extended one");
	test_rejected(call_id, "--id", wrong);
}

static void call_mask(const char *text)
{
	cli_can_mask("--mask", text);
}

static void test_mask(void)
{
	static const char *const wrong[] = { "", "123456789", "0x7FF", "7FG", "-1", " 1", NULL };
	char text[CLI_CAN_ID_TEXT];

	ok(cli_can_mask("-", "7FF") == 0x7ff && cli_can_mask("-", "0") == 0 &&
	   cli_can_mask("-", "C00007ff") == (CAN_EFF_FLAG | CAN_RTR_FLAG | CAN_SFF_MASK),
	   "cli: masks are hexadecimal and include flags");
	test_rejected(call_mask, "--mask", wrong);
	ok(!strcmp(cli_can_id_text(0x12, text), "012") &&
	   !strcmp(cli_can_id_text(0x12 | CAN_EFF_FLAG, text), "00000012"),
	   "cli: identifiers are printed in the format of the command line");
}

static void call_fail(const char *text)
{
	errno = ENODEV;
	cli_fail("%s", text);
}

static void call_fail_plain(const char *text)
{
	errno = 0;
	cli_fail("%s", text);
}

static void test_fail(void)
{
	struct outcome o = in_child(call_fail, "can7"), plain = in_child(call_fail_plain, "can7");

	ok(o.status == CLI_SYSTEM && strstr(o.said, "unit: can7: No such device"),
	   "cli: cli_fail() prints the meaning of errno");
	ok(plain.status == CLI_SYSTEM && !strcmp(plain.said, "unit: can7\n"),
	   "cli: cli_fail() without errno prints only the message");
}

static void call_stop(const char *text)
{
	(void)text;
	cli_catch_stop();
	raise(SIGINT);
	/* The first signal must not end the program; the second one must. */
	if (cli_stopped)
		raise(SIGTERM);
}

static void call_stop_once(const char *text)
{
	(void)text;
	cli_catch_stop();
	raise(SIGTERM);
	_exit(cli_stopped ? 42 : 0);
}

static void test_stop(void)
{
	ok(in_child(call_stop_once, "").status == 42, "cli: the first signal only sets cli_stopped");
	ok(in_child(call_stop, "").status == -1, "cli: the second signal kills the program");
}

/* ---- result ---- */

/* Parse the output of result_print(). */
static json_t *printed(struct result *r, bool complete)
{
	FILE *file = tmpfile();
	int saved = dup(STDOUT_FILENO);
	json_t *root;

	fflush(stdout);
	dup2(fileno(file), STDOUT_FILENO);
	result_print(r, complete);
	dup2(saved, STDOUT_FILENO);
	close(saved);
	rewind(file);
	root = json_loadf(file, 0, NULL);
	fclose(file);
	return root;
}

static const char *string_of(const json_t *root, const char *key)
{
	const char *text = json_string_value(json_object_get(root, key));

	return text ? text : "(none)";
}

static void test_result(void)
{
	struct latency lat = { 0 };
	json_t *root, *rtt, *cost;
	struct result r;

	latency_add(&lat, 7);
	latency_add(&lat, 5);
	latency_add(&lat, 7);
	result_begin(&r, "unit", NULL, "hackbench");
	json_object_set_new(r.options, "length", json_integer(8));
	result_count(&r, "sent", 3);
	result_latency(&r, "rtt", &lat);
	result_cost(&r, "read", 10, 2.5);
	result_cost(&r, "nothing", 0, 0);
	root = printed(&r, false);
	rtt = json_array_get(json_object_get(root, "series"), 0);
	cost = json_array_get(json_object_get(root, "series"), 1);
	ok(!strcmp(string_of(root, "tool"), "unit") && !strcmp(string_of(root, "label"), "unit") &&
	   !strcmp(string_of(root, "load"), "hackbench") &&
	   json_is_false(json_object_get(root, "complete")) &&
	   json_integer_value(json_object_get(json_object_get(root, "options"), "length")) == 8 &&
	   json_integer_value(json_object_get(json_object_get(root, "counts"), "sent")) == 3,
	   "result: the envelope");
	ok(json_array_size(json_object_get(root, "series")) == 2 &&
	   json_integer_value(json_object_get(rtt, "median_ns")) == 7 &&
	   json_real_value(json_object_get(cost, "ns_per_frame")) == 2.5,
	   "result: latencies and a cost; no cost for 0 frames");
	rtt = json_object_get(rtt, "profile");
	cost = json_array_get(rtt, 1);
	ok(json_array_size(rtt) == 2 && json_integer_value(json_array_get(cost, 0)) == 7 &&
	   json_integer_value(json_array_get(cost, 1)) == 2, "result: points of the profile");
	json_decref(root);
	latency_free(&lat);
}

static void test_result_empty(void)
{
	struct latency lat = { 0 };
	struct result r;
	json_t *root, *series;

	result_begin(&r, "unit", "", "");
	result_latency(&r, "rtt", &lat);
	root = printed(&r, true);
	series = json_array_get(json_object_get(root, "series"), 0);
	ok(json_is_null(json_object_get(series, "min_ns")) &&
	   json_is_null(json_object_get(series, "mean_ns")) &&
	   !json_array_size(json_object_get(series, "profile")),
	   "result: figures without a latency are null");
	ok(!strcmp(string_of(root, "label"), "unit") && !strcmp(string_of(root, "load"), "none"),
	   "result: an empty label or load is replaced by the default");
	json_decref(root);
}

/* ---- time ---- */

/* The signal ends the child if it sleeps: as relative times, both values are long. */
static void call_sleep_past(const char *text)
{
	uint64_t now = rt_now();

	(void)text;
	alarm(60);
	rt_sleep_until(now > 1000000000 ? now - 1000000000 : 0);
}

static void test_sleep(void)
{
	uint64_t when = rt_now() + 2000000;

	rt_sleep_until(when);
	ok(rt_now() >= when, "rt: rt_sleep_until() does not return too early");
	ok(in_child(call_sleep_past, "").status == CLI_OK,
	   "rt: rt_sleep_until() returns for a time in the past");
}

static bool has_locked(void)
{
	FILE *file = fopen("/proc/self/status", "r");
	char line[256];
	long kib = 0;

	while (file && fgets(line, sizeof(line), file))
		sscanf(line, "VmLck: %ld", &kib);
	if (file)
		fclose(file);
	return kib > 0;
}

/* With AddressSanitizer, mlockall() has no effect. */
#ifdef __SANITIZE_ADDRESS__
static const bool sanitized = true;
#else
static const bool sanitized = false;
#endif

/* Exits with 42 if memory was locked and unlocked; CLI_SYSTEM: the limit is too low. */
static void call_lock(const char *text)
{
	bool locked;

	(void)text;
	rt_lock_memory();
	locked = has_locked();
	rt_unlock_memory();
	_exit(locked && !has_locked() ? 42 : 1);
}

static void test_lock(void)
{
	struct outcome o = in_child(call_lock, "");
	bool limited = o.status == CLI_SYSTEM && strstr(o.said, "RLIMIT_MEMLOCK");

	if (limited || sanitized)
		ok(true, "rt: memory is locked, and unlocked # SKIP RLIMIT_MEMLOCK is too low, or AddressSanitizer is used");
	else
		ok(o.status == 42, "rt: memory is locked, and unlocked");
}

int main(void)
{
	cli_program("unit");
	test_classic_bounds();
	test_classic_worked();
	test_classic_other_way();
	test_classic_special();
	test_fd_other_way();
	test_fd_worked();
	test_fd_seam();
	test_fd_lengths();
	test_summary();
	test_summary_small();
	test_reserve();
	test_profile();
	test_histogram();
	test_number();
	test_duration();
	test_id();
	test_mask();
	test_fail();
	test_stop();
	test_result();
	test_result_empty();
	test_sleep();
	test_lock();
	printf("1..%d\n", tests);
	return failures ? EXIT_FAILURE : EXIT_SUCCESS;
}
