// SPDX-License-Identifier: GPL-2.0-only
/*
 * canbench-path: latency of single frames from write() to a waiting thread.
 *
 * Two threads. The receiving thread blocks in recvmsg(). Its real-time priority is above that
 * of the sender, so on one CPU it runs as soon as the kernel wakes it. The sender, which is
 * the main thread, writes a frame after the previous one was received. So at most one frame
 * is on its way, and no queueing is measured. The sender handles signals.
 */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "cli.h"
#include "latency.h"
#include "rawsock.h"
#include "result.h"
#include "rt.h"

/* A frame is lost if it does not arrive within this time. */
#define TIMEOUT_NS 20000000000ULL
#define TIMEOUT_MAX_NS 1000000000000ULL

#define PRIORITY_SENDER 50
#define PRIORITY_RECEIVER 60

#define COUNT_MAX 100000000

/**
 * struct path - settings and state
 * @id_text: option argument for @id
 * @timeout: in ns, after which a frame is lost
 * @out: socket of the sender; @in: socket of the receiving thread
 * @ready: posted when the receiving thread runs; @arrived: posted after each frame
 * @sent_at: written by the sender before a frame, read by the receiving thread after it
 * @received, @to_stamp, @to_reader, @from_stamp: written by the receiving thread before it
 *	posts @arrived, read by the sender after it; in ns
 */
struct path {
	const char *from, *to, *label, *load, *id_text;
	uint64_t count;
	canid_t id;
	unsigned int length;
	uint64_t timeout;
	bool json;
	int out, in;
	sem_t ready, arrived;
	uint64_t sent_at;
	uint64_t received;
	struct latency to_stamp, to_reader, from_stamp;
};

static const char usage[] =
	"usage: canbench-path [OPTION...] FROM TO\n"
	"\n"
	"Sends frames on the CAN interface FROM, one at a time, to a real-time thread that\n"
	"waits in recvmsg() on TO. Prints the time to the kernel timestamp of the received\n"
	"frame, from there to the thread, and the sum. Both interfaces are on one bus, or FROM\n"
	"is TO. No other node may use the identifier.\n"
	"\n"
	"  -n, --count N         number of frames (default 1000); 10 % more are sent before the\n"
	"                        measurement\n"
	"  -i, --id ID           identifier of the frames: 3 hexadecimal digits, or 8 for an\n"
	"                        extended one (default 123)\n"
	"  -l, --length N        bytes of data, up to 8 (default 8)\n"
	"  -t, --timeout TIME    a frame that takes longer is lost (default 20s); with a unit: ns,\n"
	"                        us, ms or s\n"
	"  -j, --json            one JSON object instead of text\n"
	"  -L, --label TEXT      name of the experiment, for the JSON object\n"
	"  -O, --load TEXT       background load, for the JSON object\n"
	"  -h, --help\n"
	"      --version\n"
	"\n"
	"Requires CAP_SYS_NICE and CAP_IPC_LOCK, for real-time priorities and locked memory.\n"
	"\n"
	"Exit status: 0 all frames arrived; 1 a frame was lost, or another node used the\n"
	"identifier; 2 wrong command line; 3 system error.";

static const struct option options[] = {
	{ "count", required_argument, NULL, 'n' },
	{ "id", required_argument, NULL, 'i' },
	{ "length", required_argument, NULL, 'l' },
	{ "timeout", required_argument, NULL, 't' },
	{ "json", no_argument, NULL, 'j' },
	{ "label", required_argument, NULL, 'L' },
	{ "load", required_argument, NULL, 'O' },
	{ "help", no_argument, NULL, 'h' },
	{ "version", no_argument, NULL, CLI_OPTION_VERSION },
	{ 0 }
};

static uint64_t now_real(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return now.tv_sec * 1000000000ULL + now.tv_nsec;
}

static uint64_t rx_timestamp(struct msghdr *msg)
{
	struct timespec stamp;

	for (struct cmsghdr *c = CMSG_FIRSTHDR(msg); c; c = CMSG_NXTHDR(msg, c)) {
		if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_TIMESTAMPNS)
			continue;
		memcpy(&stamp, CMSG_DATA(c), sizeof(stamp));
		return stamp.tv_sec * 1000000000ULL + stamp.tv_nsec;
	}
	errno = 0;
	cli_fail("received frame without a timestamp");
}

static void receive_frame(struct path *path)
{
	char control[CMSG_SPACE(sizeof(struct timespec))];
	struct can_frame frame;
	struct iovec part = { .iov_base = &frame, .iov_len = sizeof(frame) };
	struct msghdr msg = {
		.msg_iov = &part,
		.msg_iovlen = 1,
		.msg_control = control,
		.msg_controllen = sizeof(control),
	};
	ssize_t size = recvmsg(path->in, &msg, 0);
	uint64_t now = now_real(), stamp;

	if (size != CAN_MTU)
		cli_fail("receiving on %s", path->to);
	stamp = rx_timestamp(&msg);
	latency_add(&path->to_stamp, stamp - path->sent_at);
	latency_add(&path->from_stamp, now - stamp);
	latency_add(&path->to_reader, now - path->sent_at);
	path->received++;
	sem_post(&path->arrived);
}

static void *receive_frames(void *arg)
{
	struct path *path = arg;

	rt_priority(PRIORITY_RECEIVER);
	sem_post(&path->ready);
	for (;;)
		receive_frame(path);
	return NULL;
}

/* False: the frame did not arrive. */
static bool send_frame(struct path *path)
{
	struct can_frame frame = { .can_id = path->id, .len = path->length };
	struct timespec deadline;

	path->sent_at = now_real();
	if (write(path->out, &frame, sizeof(frame)) != sizeof(frame))
		cli_fail("sending on %s", path->from);
	clock_gettime(CLOCK_REALTIME, &deadline);
	deadline.tv_nsec += path->timeout % 1000000000;
	deadline.tv_sec += path->timeout / 1000000000 + deadline.tv_nsec / 1000000000;
	deadline.tv_nsec %= 1000000000;
	while (sem_timedwait(&path->arrived, &deadline))
		if (errno == ETIMEDOUT)
			return false;
	return true;
}

static void clear_results(struct path *path)
{
	path->to_stamp.count = 0;
	path->from_stamp.count = 0;
	path->to_reader.count = 0;
	path->received = 0;
}

/* Returns the number of sent frames; the last one may be lost. */
static uint64_t measure(struct path *path)
{
	uint64_t warm_up = path->count / 10 + 1, sent;

	for (sent = 0; sent < warm_up && !cli_stopped; sent++)
		if (!send_frame(path))
			return sent + 1;
	clear_results(path);
	for (sent = 0; sent < path->count && !cli_stopped; sent++)
		if (!send_frame(path))
			return sent + 1;
	return sent;
}

static void open_path(struct path *path)
{
	size_t room = path->count + path->count / 10 + 1;
	int on = 1;

	rawsock_up(path->from);
	rawsock_up(path->to);
	path->out = rawsock_open(path->from, RAWSOCK_NO_RX);
	path->in = rawsock_open(path->to, 0);
	rawsock_filter(path->in, path->id, CAN_EFF_FLAG | CAN_RTR_FLAG | CAN_EFF_MASK, false);
	if (setsockopt(path->in, SOL_SOCKET, SO_TIMESTAMPNS, &on, sizeof(on)))
		cli_fail("%s: socket option SO_TIMESTAMPNS", path->to);
	latency_reserve(&path->to_stamp, room);
	latency_reserve(&path->from_stamp, room);
	latency_reserve(&path->to_reader, room);
}

static void start_receiver(struct path *path, pthread_t *thread)
{
	sigset_t all, before;

	sem_init(&path->ready, 0, 0);
	sem_init(&path->arrived, 0, 0);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	errno = pthread_create(thread, NULL, receive_frames, path);
	if (errno)
		cli_fail("starting the receiving thread");
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	while (sem_wait(&path->ready))
		;
}

/* The thread ends while it waits for a frame, so its results may be read then. */
static void stop_receiver(pthread_t thread)
{
	pthread_cancel(thread);
	pthread_join(thread, NULL);
}

static void print_row(const char *name, struct latency *lat)
{
	struct latency_summary s = latency_summary(lat);

	printf("%-22s median %9" PRId64 " ns, 99 %% %9" PRId64 " ns, worst %9" PRId64 " ns\n",
	       name, s.median, s.p99, s.max);
}

static void print_text(struct path *path, uint64_t sent)
{
	printf("%s to %s: %" PRIu64 " frames sent, %" PRIu64 " received\n", path->from, path->to,
	       sent, path->received);
	if (!path->received)
		return;
	print_row("write to time stamp", &path->to_stamp);
	print_row("time stamp to reader", &path->from_stamp);
	print_row("write to reader", &path->to_reader);
}

static void print_json(struct path *path, uint64_t sent, bool complete)
{
	struct result result;

	result_begin(&result, "canbench-path", path->label, path->load);
	json_object_set_new(result.options, "from", json_string(path->from));
	json_object_set_new(result.options, "to", json_string(path->to));
	json_object_set_new(result.options, "count", json_integer(path->count));
	json_object_set_new(result.options, "id", json_string(path->id_text));
	json_object_set_new(result.options, "length", json_integer(path->length));
	json_object_set_new(result.options, "timeout_ns", json_integer(path->timeout));
	result_count(&result, "sent", sent);
	result_count(&result, "received", path->received);
	result_count(&result, "lost", sent > path->received ? sent - path->received : 0);
	result_latency(&result, "write to time stamp", &path->to_stamp);
	result_latency(&result, "time stamp to reader", &path->from_stamp);
	result_latency(&result, "write to reader", &path->to_reader);
	result_print(&result, complete);
}

static void set_option(struct path *path, int option)
{
	switch (option) {
	case 'n':
		path->count = cli_number("--count", optarg, 1, COUNT_MAX);
		break;
	case 'i':
		path->id_text = optarg;
		break;
	case 'l':
		path->length = cli_number("--length", optarg, 0, CAN_MAX_DLEN);
		break;
	case 't':
		path->timeout = cli_duration("--timeout", optarg, 1, TIMEOUT_MAX_NS);
		break;
	case 'j':
		path->json = true;
		break;
	case 'L':
		path->label = optarg;
		break;
	case 'O':
		path->load = optarg;
		break;
	default:
		cli_other_option(option, usage);
	}
}

static void parse_command_line(struct path *path, int argc, char **argv)
{
	int option;

	while ((option = getopt_long(argc, argv, "n:i:l:t:jL:O:h", options, NULL)) != -1)
		set_option(path, option);
	path->id = cli_can_id("--id", path->id_text);
	if (argc - optind != 2)
		cli_usage("exactly two interfaces are required: FROM and TO");
	path->from = argv[optind];
	path->to = argv[optind + 1];
}

int main(int argc, char **argv)
{
	static struct path path = {
		.count = 1000,
		.id_text = "123",
		.length = CAN_MAX_DLEN,
		.timeout = TIMEOUT_NS,
	};
	pthread_t thread;
	uint64_t sent;

	cli_program("canbench-path");
	parse_command_line(&path, argc, argv);
	open_path(&path);
	rt_lock_memory();
	rt_priority(PRIORITY_SENDER);
	cli_catch_stop();
	start_receiver(&path, &thread);
	sent = measure(&path);
	stop_receiver(thread);
	if (path.json)
		print_json(&path, sent, sent == path.count && sent == path.received);
	else
		print_text(&path, sent);
	if (path.received == sent)
		return CLI_OK;
	cli_warn(path.received < sent ? "a frame did not arrive; %s and %s must be on one bus" :
		 "more frames arrived than were sent; on %s or %s, another node uses the identifier",
		 path.from, path.to);
	return CLI_LOSS;
}
