// SPDX-License-Identifier: GPL-2.0-only
/*
 * canmix: sends a mixture of frames on one interface, and verifies that another interface
 * receives each of them once, unchanged, in order, and no other frames. Used by the tests of
 * gateways.
 *
 * One thread sends and verifies. At most WINDOW frames are on their way, so a slow gateway
 * loses none. The last frames are sent one at a time, so an additional copy of an earlier
 * frame is detected before the end.
 *
 * Frame n of a direction is always the same: standard and extended, remote and CAN FD frames
 * of all lengths. A difference to the expected frame, or no frame for a minute, is an error
 * with exit status 1 and a message about both frames.
 */
#include <errno.h>
#include <getopt.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include <linux/can/error.h>

#include "cli.h"
#include "rawsock.h"
#include "rt.h"

#define TAIL 16
#define SILENCE_NS 60000000000ULL
#define ERROR_EVERY 7

/**
 * struct way - one direction
 * @number: 0 or 1; part of each frame
 * @from, @to: sockets
 */
struct way {
	unsigned int number;
	int from;
	int to;
	const char *to_name;
	uint64_t sent;
	uint64_t arrived;
};

/**
 * struct mix - a run
 * @count: frames per direction
 * @window: maximum number of frames on their way
 * @ways: number of directions, 1 or 2
 * @errors: also send error message frames, which must not arrive
 */
struct mix {
	uint64_t count;
	uint64_t window;
	bool errors;
	unsigned int ways;
	struct way way[2];
};

/* Hash function: neighbouring numbers give different values. */
static uint32_t scatter(uint32_t x)
{
	for (int i = 0; i < 2; i++) {
		x *= 0x9e3779b1;	/* 2^32 divided by the golden ratio, odd */
		x ^= x >> 15;
	}
	return x;
}

static canid_t make_id(unsigned int way, uint32_t bits)
{
	canid_t id = bits >> 3;

	if (bits & 4)
		return CAN_EFF_FLAG | (id & CAN_EFF_MASK & ~1) | way;
	return (id & CAN_SFF_MASK & ~1) | way;
}

static void fill_data(struct canfd_frame *frame, uint64_t n)
{
	for (unsigned int i = 0; i < frame->len; i++)
		frame->data[i] = i < 4 ? n >> (8 * i) : n + i;
}

static unsigned int make_fd(struct canfd_frame *frame, uint64_t n, uint32_t bits)
{
	static const uint8_t lengths[] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 20, 24, 32, 48, 64 };

	frame->len = lengths[bits % 16];
	frame->flags = CANFD_FDF | (bits >> 4 & (CANFD_BRS | CANFD_ESI));
	fill_data(frame, n);
	return CANFD_MTU;
}

static unsigned int make_classical(struct canfd_frame *frame, uint64_t n, uint32_t bits)
{
	struct can_frame *cc = (struct can_frame *)frame;

	cc->len = bits % 9;
	if (bits >> 8 & 1) {
		cc->can_id |= CAN_RTR_FLAG;
		return CAN_MTU;
	}
	/* A length code above 8 also means 8 bytes. */
	if (cc->len == CAN_MAX_DLEN && bits >> 9 & 1)
		cc->len8_dlc = 9 + bits % 7;
	fill_data(frame, n);
	return CAN_MTU;
}

/* Generate frame @n of a direction. Returns its size. */
static unsigned int make_frame(struct canfd_frame *frame, unsigned int way, uint64_t n)
{
	uint32_t bits = scatter(n * 2 + way + 1);

	memset(frame, 0, sizeof(*frame));
	frame->can_id = make_id(way, bits);
	bits = scatter(bits);
	return bits & 1 ? make_fd(frame, n, bits >> 1) : make_classical(frame, n, bits >> 1);
}

static void print_frame(const char *what, const struct canfd_frame *frame, unsigned int size)
{
	fprintf(stderr, "  %s %08X, size %u, length %u, flags %02X, raw length code %u:", what,
		frame->can_id, size, frame->len, frame->flags, frame->__res1);
	for (unsigned int i = 0; i < frame->len; i++)
		fprintf(stderr, " %02X", frame->data[i]);
	fputc('\n', stderr);
}

static _Noreturn void fail_mismatch(const struct mix *mix, const struct way *way,
				    const struct rawsock_frame *got)
{
	struct canfd_frame want;
	unsigned int size = make_frame(&want, way->number, way->arrived);

	cli_warn("%s: wrong frame after %llu of %llu", way->to_name,
		 (unsigned long long)way->arrived, (unsigned long long)way->sent);
	print_frame("got     ", &got->frame, got->size);
	if (way->number < mix->ways && way->arrived < way->sent)
		print_frame("expected", &want, size);
	else
		fprintf(stderr, "  expected none\n");
	exit(CLI_LOSS);
}

static void check_frame(const struct mix *mix, struct way *way, const struct rawsock_frame *got)
{
	struct canfd_frame want;
	unsigned int size = make_frame(&want, way->number, way->arrived);

	if (way->number >= mix->ways || way->arrived == way->sent || got->size != size ||
	    memcmp(&got->frame, &want, size))
		fail_mismatch(mix, way, got);
	way->arrived++;
}

static void send_error_frame(int fd)
{
	struct canfd_frame frame = {
		.can_id = CAN_ERR_FLAG | CAN_ERR_CRTL,
		.len = CAN_ERR_DLC,
	};

	rawsock_send(fd, &frame, CAN_MTU, UINT64_MAX);
}

static void send_window(const struct mix *mix, struct way *way)
{
	uint64_t window = way->sent + TAIL < mix->count ? mix->window : 1;

	while (way->sent < mix->count && way->sent - way->arrived < window) {
		struct canfd_frame frame;
		unsigned int size = make_frame(&frame, way->number, way->sent);

		if (mix->errors && way->sent % ERROR_EVERY == 0)
			send_error_frame(way->from);
		way->sent++;
		rawsock_send(way->from, &frame, size, UINT64_MAX);
	}
}

/* Read both sockets, even with one direction: no frame may come back. */
static void receive_frames(struct mix *mix)
{
	struct pollfd ready[2] = {
		{ .fd = mix->way[0].to, .events = POLLIN },
		{ .fd = mix->way[1].to, .events = POLLIN },
	};
	struct rawsock_frame got;

	if (!poll(ready, 2, SILENCE_NS / 1000000)) {
		cli_warn("no frame for a minute: %llu of %llu arrived on %s, %llu of %llu on %s",
			 (unsigned long long)mix->way[0].arrived,
			 (unsigned long long)mix->way[0].sent, mix->way[0].to_name,
			 (unsigned long long)mix->way[1].arrived,
			 (unsigned long long)mix->way[1].sent, mix->way[1].to_name);
		exit(CLI_LOSS);
	}
	for (unsigned int i = 0; i < 2; i++)
		while (rawsock_recv(mix->way[i].to, &got, 0))
			check_frame(mix, &mix->way[i], &got);
}

static bool finished(const struct mix *mix)
{
	for (unsigned int i = 0; i < mix->ways; i++)
		if (mix->way[i].arrived < mix->count)
			return false;
	return true;
}

static void run_mix(struct mix *mix)
{
	while (!cli_stopped && !finished(mix)) {
		for (unsigned int i = 0; i < mix->ways; i++)
			send_window(mix, &mix->way[i]);
		receive_frames(mix);
	}
}

static int open_socket(const char *name, unsigned int queue)
{
	can_err_mask_t all = CAN_ERR_MASK;
	int fd = rawsock_open(name, RAWSOCK_FD);

	if (setsockopt(fd, SOL_CAN_RAW, CAN_RAW_ERR_FILTER, &all, sizeof(all)))
		cli_fail("%s: socket option CAN_RAW_ERR_FILTER", name);
	if (!rawsock_rcvbuf(fd, queue))
		cli_fail("%s: receive queue holds fewer than %u frames", name, queue);
	return fd;
}

static void open_ways(struct mix *mix, const char *a, const char *b)
{
	int fd_a = open_socket(a, 2 * mix->window + TAIL);
	int fd_b = open_socket(b, 2 * mix->window + TAIL);

	mix->way[0] = (struct way){ .number = 0, .from = fd_a, .to = fd_b, .to_name = b };
	mix->way[1] = (struct way){ .number = 1, .from = fd_b, .to = fd_a, .to_name = a };
}

static const char usage_text[] =
	"usage: canmix [-n FRAMES] [-w WINDOW] [-b] [-e] A B\n"
	"  -n, --count N    frames from A to B (default 10000)\n"
	"  -w, --window N   maximum number of frames on their way (default 32)\n"
	"  -b, --both       also send N frames from B to A\n"
	"  -e, --errors     also send error message frames, which must not arrive\n";

static void set_option(struct mix *mix, int option)
{
	switch (option) {
	case 'n':
		mix->count = cli_number("--count", optarg, 1, UINT32_MAX / 2);
		break;
	case 'w':
		mix->window = cli_number("--window", optarg, 1, 1 << 16);
		break;
	case 'b':
		mix->ways = 2;
		break;
	case 'e':
		mix->errors = true;
		break;
	case 'h':
		fputs(usage_text, stdout);
		exit(CLI_OK);
	default:
		cli_usage("invalid option");
	}
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "count", required_argument, NULL, 'n' },
		{ "window", required_argument, NULL, 'w' },
		{ "both", no_argument, NULL, 'b' },
		{ "errors", no_argument, NULL, 'e' },
		{ "help", no_argument, NULL, 'h' },
		{ }
	};
	struct mix mix = { .count = 10000, .window = 32, .ways = 1 };
	int option;

	cli_program("canmix");
	while ((option = getopt_long(argc, argv, "n:w:beh", options, NULL)) >= 0)
		set_option(&mix, option);
	if (argc - optind != 2)
		cli_usage("exactly two interfaces are required: A and B");
	cli_catch_stop();
	open_ways(&mix, argv[optind], argv[optind + 1]);
	run_mix(&mix);
	for (unsigned int i = 0; i < mix.ways; i++)
		printf("%llu of %llu frames arrived on %s\n",
		       (unsigned long long)mix.way[i].arrived, (unsigned long long)mix.count,
		       mix.way[i].to_name);
	return finished(&mix) ? CLI_OK : CLI_LOSS;
}
