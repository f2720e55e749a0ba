// SPDX-License-Identifier: GPL-2.0-only
/*
 * Receive side: io_uring with one multishot receive request. The kernel stores the frames in
 * provided buffers. A system call waits for a batch of frames.
 */
#if __has_include(<liburing.h>)

#include <errno.h>
#include <liburing.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cli.h"
#include "queue.h"

#define GROUP 0

/*
 * Each unprocessed completion holds a buffer, so a completion queue with twice as many entries
 * as buffers cannot overflow.
 */
#define BUFFERS (2 * BATCH_MAX)

/**
 * struct uring_rx - a socket and an io_uring
 * @buf_ring: ring of buffers that are provided to the kernel
 * @pool: the buffers
 */
struct uring_rx {
	struct queue queue;
	struct io_uring uring;
	struct io_uring_buf_ring *buf_ring;
	struct canfd_frame *pool;
	unsigned int size;
	unsigned int batch;
};

static _Noreturn void fail_uring(const char *what, int error)
{
	errno = -error;
	cli_fail("io_uring: %s; exclude it with --method", what);
}

static void open_uring(struct io_uring *uring)
{
	struct io_uring_params params = {
		.flags = IORING_SETUP_CQSIZE | IORING_SETUP_SINGLE_ISSUER |
			 IORING_SETUP_DEFER_TASKRUN,
		.cq_entries = 2 * BUFFERS,
	};
	int error = io_uring_queue_init_params(8, uring, &params);

	if (error)
		fail_uring("setting up", error);
}

static void provide_buffer(struct uring_rx *rx, unsigned int buffer)
{
	io_uring_buf_ring_add(rx->buf_ring, &rx->pool[buffer], sizeof(rx->pool[buffer]), buffer,
			      io_uring_buf_ring_mask(BUFFERS), 0);
	io_uring_buf_ring_advance(rx->buf_ring, 1);
}

static void provide_buffers(struct uring_rx *rx)
{
	size_t size = BUFFERS * sizeof(struct io_uring_buf);
	struct io_uring_buf_reg reg = { .ring_entries = BUFFERS, .bgid = GROUP };
	int error;

	rx->buf_ring = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_ANONYMOUS | MAP_PRIVATE, -1, 0);
	if (rx->buf_ring == MAP_FAILED)
		cli_fail("allocating %d buffers", BUFFERS);
	reg.ring_addr = (uintptr_t)rx->buf_ring;
	error = io_uring_register_buf_ring(&rx->uring, &reg, 0);
	if (error)
		fail_uring("registering a ring of buffers", error);
	io_uring_buf_ring_init(rx->buf_ring);
	for (unsigned int i = 0; i < BUFFERS; i++)
		provide_buffer(rx, i);
}

static void post_receive(struct uring_rx *rx)
{
	struct io_uring_sqe *sqe = io_uring_get_sqe(&rx->uring);

	io_uring_prep_recv_multishot(sqe, rx->queue.fd, NULL, 0, 0);
	sqe->flags |= IOSQE_BUFFER_SELECT;
	sqe->buf_group = GROUP;
}

static void *open_rx(const struct bench *bench, unsigned int batch, unsigned int chunk)
{
	struct uring_rx *rx = bench_alloc(1, sizeof(*rx));

	queue_open(&rx->queue, bench, chunk);
	rx->size = bench->size;
	rx->batch = batch;
	rx->pool = bench_alloc(BUFFERS, sizeof(*rx->pool));
	open_uring(&rx->uring);
	provide_buffers(rx);
	post_receive(rx);
	io_uring_submit(&rx->uring);
	return rx;
}

static void close_rx(void *state)
{
	struct uring_rx *rx = state;

	io_uring_queue_exit(&rx->uring);
	munmap(rx->buf_ring, BUFFERS * sizeof(struct io_uring_buf));
	close(rx->queue.fd);
	free(rx->pool);
	free(rx);
}

static unsigned int uring_room(void *state)
{
	struct uring_rx *rx = state;

	return queue_room(&rx->queue);
}

static unsigned int uring_waiting(void *state)
{
	struct uring_rx *rx = state;

	return queue_waiting(&rx->queue);
}

/* Number of completed frames, -1 if a completion is an error. */
static int reap_completions(struct uring_rx *rx)
{
	struct io_uring_cqe *cqe;
	unsigned int head, seen = 0;
	int frames = 0;

	io_uring_for_each_cqe(&rx->uring, head, cqe) {
		seen++;
		/* Without a free buffer the request ends, and must be repeated. */
		if (!(cqe->flags & IORING_CQE_F_MORE))
			post_receive(rx);
		if (cqe->res == -ENOBUFS)
			continue;
		if (cqe->res != (int)rx->size)
			return -1;
		provide_buffer(rx, cqe->flags >> IORING_CQE_BUFFER_SHIFT);
		frames++;
	}
	io_uring_cq_advance(&rx->uring, seen);
	return frames;
}

static unsigned int uring_drain(void *state, unsigned int count)
{
	struct uring_rx *rx = state;
	unsigned int done = 0;

	while (done < count) {
		unsigned int left = count - done;
		int error = io_uring_submit_and_wait(&rx->uring,
						     left < rx->batch ? left : rx->batch);
		int frames = error < 0 ? -1 : reap_completions(rx);

		if (frames < 0)
			break;
		done += frames;
	}
	return done;
}

const struct method rx_uring = {
	.name = "rx-uring",
	.about = "multishot receive of io_uring on a CAN_RAW socket",
	.side = SIDE_RX,
	.batched = true,
	.open = open_rx,
	.room = uring_room,
	.waiting = uring_waiting,
	.transfer = uring_drain,
	.close = close_rx,
};

#endif
