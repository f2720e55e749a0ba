// SPDX-License-Identifier: GPL-2.0-only
/*
 * The poll loop; see measure.h. Delays of this thread do not affect the latencies, because
 * the kernel or the controller takes both timestamps. The receive queues are long enough
 * for all frames that may be on their way.
 *
 * Sending never blocks: if the queue of the interface is full, the loop retries after a
 * frame was heard on the bus. SIGINT and SIGTERM are unblocked only in ppoll(), so none is
 * missed before it.
 */
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <sys/prctl.h>

#include "cli.h"
#include "measure.h"
#include "rawsock.h"
#include "rt.h"
#include "wire.h"

/*
 * Maximum number of frames that wait for transmission: enough to keep a bus busy for some
 * milliseconds, and so few that none of them waits for as long as the timeout.
 */
#define QUEUED_MAX 64

/* Maximum number of frames to send before received frames are read */
#define SEND_BATCH 32

/* Retry interval if the queue is full of frames of other programs */
#define RETRY_NS 1000000

/* Latencies for which memory is reserved, 32 MiB; more memory is allocated if necessary. */
#define RESERVE_MAX (4u << 20)

/* The kernel enables timestamps with a delay after the first socket requests them. */
#define SETTLE_NS 20000000

#define NEVER UINT64_MAX

/* Called for each frame that is removed from the match table */
static void record_removed(void *ctx, uint64_t seq, const struct match_frame *f)
{
	struct measure *m = ctx;
	bool timed = f->bus_stamp && f->rx_stamp;
	int64_t latency = timed ? (int64_t)(f->rx_stamp - f->bus_stamp - f->duration) : 0;

	if (timed) {
		latency_add(&m->latency, latency);
	} else if (f->received) {
		m->untimed++;
		m->unstamped += f->heard;
	}
	if (!m->raw)
		return;
	fprintf(m->raw, "%" PRIu64 " %" PRIu64 " %" PRIu64, seq, f->bus_stamp, f->rx_stamp);
	if (timed)
		fprintf(m->raw, " %" PRId64 "\n", latency);
	else
		fputs(" -\n", m->raw);
}

static int open_receiver(struct measure *m, const char *ifname, unsigned int flags)
{
	int fd = rawsock_open(ifname, flags | RAWSOCK_FD | RAWSOCK_NONBLOCK);

	if (!rawsock_rcvbuf(fd, MATCH_NUMBERS))
		cli_warn("%s: receive queue is short without CAP_NET_ADMIN, and may lose frames",
			 ifname);
	stamp_enable(fd, m->clock);
	return fd;
}

static size_t latencies_expected(const struct traffic *t)
{
	return t->count && t->count < RESERVE_MAX ? t->count : RESERVE_MAX;
}

void measure_open(struct measure *m)
{
	const char *names[] = { m->tx, m->bus, m->rx };
	unsigned int i;

	for (i = 0; i < 3; i++)
		rawsock_up(names[i]);
	m->tx_fd = rawsock_open(m->tx, RAWSOCK_FD | RAWSOCK_NONBLOCK | RAWSOCK_NO_RX);
	m->clock = stamp_choose(m->clock, m->tx_fd, m->bus, m->rx);
	if (rawsock_ifindex(m->bus) == rawsock_ifindex(m->tx)) {
		/* Only the sending socket can distinguish its echo from other local frames. */
		close(m->tx_fd);
		m->tx_fd = open_receiver(m, m->tx, RAWSOCK_OWN);
		m->bus_fd = m->tx_fd;
	} else {
		m->bus_fd = open_receiver(m, m->bus, 0);
	}
	m->rx_fd = open_receiver(m, m->rx, 0);

	if (!match_init(&m->match, m->timeout))
		cli_fail("allocating the match table");
	m->match.removed = record_removed;
	m->match.ctx = m;
	latency_reserve(&m->latency, latencies_expected(&m->traffic));
}

/* When to check again whether the next frame may be sent; 0: it may be sent now. */
static uint64_t next_look(struct measure *m, uint64_t now)
{
	struct match *match = &m->match;

	if (m->traffic.count && match->next == m->traffic.count)
		return NEVER;
	/* In these two cases a received frame or a timeout ends the sleep of the loop. */
	if (m->traffic.pattern == TRAFFIC_ONE && match->open)
		return NEVER;
	if (match->queued >= QUEUED_MAX)
		return NEVER;
	if (now < m->due)
		return m->due;
	if (!match_full(match))
		return 0;
	if (m->waited_for_number != match->next)
		m->exhausted++;
	m->waited_for_number = match->next;
	return match_deadline(match);
}

/*
 * The next frame is due one gap after the last due time. After a delay of more than a gap,
 * the schedule restarts. The first due time is taken after the first frame was sent, so a
 * delay in sending it does not shorten its gap.
 */
static void set_next_due(struct measure *m, uint64_t seq, uint64_t now)
{
	uint64_t gap = traffic_gap(&m->traffic, seq);

	if (!gap)
		return;
	if (!m->due) {
		m->due = rt_now();
	} else if (now - m->due > gap) {
		m->late++;
		m->due = now;
	}
	m->due += gap;
}

/* Send the frames that are due. Returns the time at which to call again. */
static uint64_t send_frames(struct measure *m)
{
	struct canfd_frame frame;
	unsigned int size, i;

	for (i = 0; i < SEND_BATCH; i++) {
		uint64_t now = rt_now(), seq = m->match.next;
		uint64_t until = next_look(m, now);

		if (until)
			return until;
		size = traffic_frame(&m->traffic, seq, &frame);
		/* The deadline 0 has passed: do not wait. */
		if (!rawsock_send(m->tx_fd, &frame, size, 0))
			return now + RETRY_NS;
		match_sent(&m->match, now);
		set_next_due(m, seq, now);
	}
	return 0;
}

static void receive_from_bus(struct measure *m)
{
	struct rawsock_frame f;
	uint16_t number;
	uint64_t seq;

	while (rawsock_recv(m->bus_fd, &f, 0) == 1) {
		m->bus_overrun = f.dropped;
		if (m->bus_fd == m->tx_fd && !f.echo)
			continue;
		if (!traffic_number(&f.frame, &number) ||
		    !match_find(&m->match, number, &seq) ||
		    !traffic_is(&m->traffic, seq, &f.frame, f.size))
			continue;
		match_heard(&m->match, seq, stamp_of(&f, m->clock), rt_now());
	}
}

static void receive_from_device(struct measure *m)
{
	struct rawsock_frame f;
	uint64_t duration = 0;
	uint16_t number;

	while (rawsock_recv(m->rx_fd, &f, 0) == 1) {
		m->rx_overrun = f.dropped;
		if (!traffic_number(&f.frame, &number)) {
			match_unexpected(&m->match);
			continue;
		}
		/* It was on the first bus before: read that socket first, for its timestamp. */
		if (match_awaits(&m->match, number))
			receive_from_bus(m);
		if (m->subtract)
			duration = wire_time(&f.frame, f.size, m->rx_bitrate,
					     m->rx_data_bitrate);
		match_received(&m->match, number, stamp_of(&f, m->clock), duration);
	}
}

static void poll_until(struct measure *m, uint64_t when, const sigset_t *unblocked)
{
	struct pollfd fds[] = {
		{ .fd = m->bus_fd, .events = POLLIN },
		{ .fd = m->rx_fd, .events = POLLIN },
	};
	uint64_t now = rt_now(), left = when > now ? when - now : 0;
	struct timespec timeout = {
		.tv_sec = left / 1000000000,
		.tv_nsec = left % 1000000000,
	};

	if (ppoll(fds, 2, &timeout, unblocked) < 0 && errno != EINTR)
		cli_fail("waiting for frames");
}

static bool all_done(const struct measure *m)
{
	return m->traffic.count && m->match.next == m->traffic.count &&
	       match_deadline(&m->match) == NEVER;
}

static void poll_loop(struct measure *m, const sigset_t *unblocked)
{
	while (!cli_stopped && !all_done(m)) {
		uint64_t more = send_frames(m), deadline = match_deadline(&m->match);
		uint64_t now;

		poll_until(m, more < deadline ? more : deadline, unblocked);
		/* Read frames before checking deadlines: they may have arrived in time. */
		now = rt_now();
		receive_from_bus(m);
		receive_from_device(m);
		match_expire(&m->match, now);
	}
}

void measure_run(struct measure *m)
{
	struct stamp_epoch epoch = stamp_epoch();
	sigset_t stop, before;

	/* The default slack of timers, 50 us, would lengthen a period of 100 us. */
	prctl(PR_SET_TIMERSLACK, 1UL);
	rt_sleep_until(rt_now() + SETTLE_NS);

	sigemptyset(&stop);
	sigaddset(&stop, SIGINT);
	sigaddset(&stop, SIGTERM);
	sigprocmask(SIG_BLOCK, &stop, &before);
	poll_loop(m, &before);
	sigprocmask(SIG_SETMASK, &before, NULL);

	m->complete = !m->traffic.count || all_done(m);
	match_flush(&m->match);
	m->overrun = (uint64_t)m->bus_overrun + m->rx_overrun;
	if (m->clock == STAMP_KERNEL)
		m->clock_step = stamp_stepped(epoch, stamp_epoch());
}

void measure_close(struct measure *m)
{
	if (m->bus_fd != m->tx_fd)
		close(m->bus_fd);
	close(m->tx_fd);
	close(m->rx_fd);
	match_free(&m->match);
	latency_free(&m->latency);
}
