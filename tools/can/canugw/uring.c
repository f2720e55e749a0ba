// SPDX-License-Identifier: GPL-2.0-only
/*
 * Receive and send side with one io_uring. One multishot receive request stores the frames
 * in buffers of a ring that is shared with the kernel (provided buffers), and the frames are
 * sent from these buffers. Runs in the thread of its direction, both open() in the main
 * thread.
 *
 *      kernel fills ──▶ rx_queue ──next()──▶ lent ──put()──▶ chain ──sent──▶ kernel again
 *
 * Send requests are linked: each one starts after the previous one has succeeded, or is
 * cancelled. Otherwise later frames would overtake a frame that could not be queued.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cli.h"
#include "side.h"

#if __has_include(<liburing.h>)

#include <liburing.h>
#include <sys/mman.h>

#include "stop.h"

#define BUFFER_GROUP 0
#define MIN_BUFFERS 64
#define NO_BUFFER UINT32_MAX

/* user_data of the receive request; that of a send request is its index in the chain. */
#define RECEIVING UINT64_MAX

/**
 * struct queued_frame - a frame in a buffer
 * @result: result of the send request: number of bytes, or a negative errno
 */
struct queued_frame {
	unsigned int buffer;
	unsigned int size;
	int result;
};

/**
 * struct uring - the ring of one direction
 * @armed: the receive request is active, or will be after the next submission
 * @error: error of the receive request
 * @count: number of buffers, a power of two
 * @free: ring of buffers that are provided to the kernel
 * @rx_queue: @rx_used received frames, from @rx_head on
 * @lent: buffer that next() returned, or NO_BUFFER
 * @chain: @kept frames to send, @in_flight of which have been submitted
 */
struct uring {
	struct io_uring ring;
	int rx_fd;
	int tx_fd;
	bool armed;
	int error;
	unsigned int count;
	struct io_uring_buf_ring *free;
	struct canfd_frame *frames;
	struct queued_frame *rx_queue;
	unsigned int rx_head;
	unsigned int rx_used;
	unsigned int lent;
	struct queued_frame *chain;
	unsigned int batch;
	unsigned int kept;
	unsigned int in_flight;
};

static int sysctl_disabled(void)
{
	FILE *file = fopen("/proc/sys/kernel/io_uring_disabled", "r");
	int value = 0;

	if (!file)
		return 0;
	if (fscanf(file, "%d", &value) != 1)
		value = 0;
	fclose(file);
	return value;
}

_Noreturn static void fail_uring(int error)
{
	int disabled = sysctl_disabled();

	errno = 0;
	if (error == ENOSYS)
		cli_fail("this kernel has no io_uring (CONFIG_IO_URING)");
	if (error == EPERM && disabled)
		cli_fail("io_uring is disabled here: kernel.io_uring_disabled is %d (1: requires CAP_SYS_ADMIN or kernel.io_uring_group, 2: not available); sysctl kernel.io_uring_disabled=0 enables it",
			 disabled);
	if (error == EINVAL)
		cli_fail("io_uring of this kernel is too old, Linux 6.1 is required");
	errno = error;
	cli_fail("setting up io_uring");
}

static void set_up_ring(struct uring *u)
{
	/* Completions are processed when this thread waits for them, without interrupting it. */
	struct io_uring_params params = {
		.flags = IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN |
			 IORING_SETUP_R_DISABLED | IORING_SETUP_CQSIZE,
		/* Large enough for all requests, so it cannot overflow */
		.cq_entries = u->count + u->batch + 1,
	};
	int err = io_uring_queue_init_params(u->batch + 1, &u->ring, &params);

	if (err)
		fail_uring(-err);
}

static void return_buffer(struct uring *u, unsigned int buffer)
{
	io_uring_buf_ring_add(u->free, &u->frames[buffer], sizeof(u->frames[buffer]), buffer,
			      io_uring_buf_ring_mask(u->count), 0);
	io_uring_buf_ring_advance(u->free, 1);
}

static void set_up_buffers(struct uring *u)
{
	size_t size = u->count * sizeof(struct io_uring_buf);
	struct io_uring_buf_reg reg = {
		.ring_entries = u->count,
		.bgid = BUFFER_GROUP,
	};
	int err;

	u->free = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (u->free == MAP_FAILED)
		cli_fail("allocating memory");
	reg.ring_addr = (uintptr_t)u->free;
	err = io_uring_register_buf_ring(&u->ring, &reg, 0);
	if (err)
		fail_uring(-err);
	io_uring_buf_ring_init(u->free);
	for (unsigned int i = 0; i < u->count; i++)
		return_buffer(u, i);
}

static void open_rx(struct rx *rx, const struct settings *set)
{
	struct uring *u = side_alloc(1, sizeof(*u));

	u->batch = set->batch;
	u->count = MIN_BUFFERS;
	while (u->count < 2 * u->batch)
		u->count *= 2;
	u->frames = side_alloc(u->count, sizeof(*u->frames));
	u->rx_queue = side_alloc(u->count, sizeof(*u->rx_queue));
	u->chain = side_alloc(u->batch, sizeof(*u->chain));
	u->lent = NO_BUFFER;
	u->rx_fd = port_raw(rx->port, set->queue);
	port_ignore_own(rx->port, u->rx_fd);
	set_up_ring(u);
	set_up_buffers(u);
	rx->state = u;
}

static void open_tx(struct tx *tx, const struct settings *set)
{
	struct uring *u = tx->peer->state;

	u->tx_fd = port_raw(tx->port, set->queue);
	port_mark_sent(tx->port, u->tx_fd);
	tx->state = u;
}

/* Prepare the receive request for the next submission. */
static void arm_receive(struct uring *u)
{
	struct io_uring_sqe *sqe = io_uring_get_sqe(&u->ring);

	io_uring_prep_recv_multishot(sqe, u->rx_fd, NULL, 0, 0);
	sqe->flags |= IOSQE_BUFFER_SELECT;
	sqe->buf_group = BUFFER_GROUP;
	io_uring_sqe_set_data64(sqe, RECEIVING);
	u->armed = true;
}

static void on_received(struct uring *u, const struct io_uring_cqe *cqe)
{
	unsigned int end = (u->rx_head + u->rx_used) & (u->count - 1);

	if (!(cqe->flags & IORING_CQE_F_MORE))
		u->armed = false;
	if (cqe->res < 0) {
		/* No buffer is free: the request is prepared again later. */
		if (cqe->res != -ENOBUFS)
			u->error = -cqe->res;
		return;
	}
	u->rx_queue[end].buffer = cqe->flags >> IORING_CQE_BUFFER_SHIFT;
	u->rx_queue[end].size = cqe->res;
	u->rx_used++;
}

/* Process completions, without a system call. */
static void reap_completions(struct uring *u)
{
	struct io_uring_cqe *cqe;
	unsigned int head, seen = 0;

	io_uring_for_each_cqe(&u->ring, head, cqe) {
		if (cqe->user_data == RECEIVING) {
			on_received(u, cqe);
		} else {
			u->chain[cqe->user_data].result = cqe->res;
			u->in_flight--;
		}
		seen++;
	}
	io_uring_cq_advance(&u->ring, seen);
}

/*
 * The ring belongs to the thread that enables it. io_uring_enable_rings() would do this, but
 * liburing 2.3 does not export it.
 */
static enum side_result uring_begin(struct rx *rx)
{
	struct uring *u = rx->state;
	int err = io_uring_register(u->ring.ring_fd, IORING_REGISTER_ENABLE_RINGS, NULL, 0);

	if (err < 0) {
		cli_warn("io_uring: %s", strerror(-err));
		return SIDE_FAILED;
	}
	arm_receive(u);
	return SIDE_DONE;
}

static void return_lent_buffer(struct uring *u)
{
	if (u->lent != NO_BUFFER)
		return_buffer(u, u->lent);
	u->lent = NO_BUFFER;
}

static enum side_result nothing_received(struct uring *u)
{
	if (!u->armed && !u->error)
		arm_receive(u);
	return SIDE_NOTHING;
}

static enum side_result uring_next(struct rx *rx, struct frame *frame)
{
	struct uring *u = rx->state;
	struct queued_frame *first;

	return_lent_buffer(u);
	if (!u->rx_used)
		reap_completions(u);
	if (!u->rx_used)
		return nothing_received(u);
	first = &u->rx_queue[u->rx_head];
	u->rx_head = (u->rx_head + 1) & (u->count - 1);
	u->rx_used--;
	u->lent = first->buffer;
	*frame = (struct frame){ &u->frames[first->buffer], first->size };
	return SIDE_DONE;
}

/* Submit requests and sleep until @count requests have completed, or a signal arrives. */
static enum side_result submit_and_wait(struct uring *u, unsigned int count)
{
	int ret = io_uring_submit_and_wait(&u->ring, count);

	if (ret >= 0 || ret == -EINTR)
		return SIDE_DONE;
	cli_warn("io_uring: %s", strerror(-ret));
	return SIDE_FAILED;
}

/* Errors are returned here, not by next(), so earlier frames have been sent by now. */
static enum side_result uring_wait(struct rx *rx)
{
	struct uring *u = rx->state;

	if (u->error) {
		cli_warn("%s: receiving: %s", rx->port->name, strerror(u->error));
		return SIDE_FAILED;
	}
	return submit_and_wait(u, 1);
}

static bool uring_has_pending(struct rx *rx)
{
	struct uring *u = rx->state;

	if (!u->rx_used)
		reap_completions(u);
	return u->rx_used;
}

static uint64_t uring_lost(struct rx *rx)
{
	return side_lost(((struct uring *)rx->state)->rx_fd);
}

static void prepare_chain(struct uring *u)
{
	for (unsigned int i = 0; i < u->kept; i++) {
		struct io_uring_sqe *sqe = io_uring_get_sqe(&u->ring);
		struct queued_frame *frame = &u->chain[i];

		io_uring_prep_send(sqe, u->tx_fd, &u->frames[frame->buffer], frame->size, 0);
		io_uring_sqe_set_data64(sqe, i);
		if (i + 1 < u->kept)
			sqe->flags |= IOSQE_IO_LINK;
	}
	u->in_flight = u->kept;
}

/* Remove sent frames from the chain. Returns 0, or the error of the first unsent frame. */
static int shorten_chain(struct tx *tx, struct uring *u)
{
	unsigned int sent = 0;

	while (sent < u->kept && u->chain[sent].result > 0)
		return_buffer(u, u->chain[sent++].buffer);
	tx_count(tx, sent);
	u->kept -= sent;
	memmove(u->chain, u->chain + sent, u->kept * sizeof(*u->chain));
	return u->kept ? -u->chain[0].result : 0;
}

static enum side_result submit_chain(struct uring *u)
{
	/* After a timeout, the chain may still be in flight. */
	if (!u->in_flight)
		prepare_chain(u);
	while (u->in_flight) {
		if (submit_and_wait(u, u->in_flight) == SIDE_FAILED)
			return SIDE_FAILED;
		reap_completions(u);
		if (u->in_flight && stop_overdue())
			return SIDE_NOTHING;
	}
	return SIDE_DONE;
}

static enum side_result uring_flush(struct tx *tx)
{
	struct uring *u = tx->state;

	while (u->kept) {
		enum side_result result = submit_chain(u);
		int error;

		if (result != SIDE_DONE)
			return result;
		error = shorten_chain(tx, u);
		if (!error)
			return SIDE_DONE;
		result = tx_failed(tx, error);
		if (result != SIDE_DONE)
			return result;
	}
	return SIDE_NOTHING;
}

static enum side_result uring_put(struct tx *tx, const struct frame *frame)
{
	struct uring *u = tx->state;

	u->chain[u->kept++] = (struct queued_frame){ .buffer = u->lent, .size = frame->size };
	u->lent = NO_BUFFER;
	return u->kept == u->batch ? uring_flush(tx) : SIDE_DONE;
}

/* The first frames of a chain that was given up may have been sent. */
static void uring_finish(struct tx *tx)
{
	struct uring *u = tx->state;

	shorten_chain(tx, u);
}

const struct rx_ops rx_uring = {
	.raw = true,
	.open = open_rx,
	.begin = uring_begin,
	.next = uring_next,
	.wait = uring_wait,
	.has_pending = uring_has_pending,
	.lost = uring_lost,
};

const struct tx_ops tx_uring = {
	.raw = true,
	.open = open_tx,
	.put = uring_put,
	.flush = uring_flush,
	.finish = uring_finish,
};

#else /* without liburing */

static void not_built(struct rx *rx, const struct settings *set)
{
	(void)rx;
	(void)set;
	errno = 0;
	cli_fail("built without liburing: variant uring is not available");
}

const struct rx_ops rx_uring = {
	.raw = true,
	.open = not_built,
};

const struct tx_ops tx_uring = {
	.raw = true,
};

#endif
