// SPDX-License-Identifier: GPL-2.0-only
/*
 * Send side: io_uring with one request per frame, and one system call per batch.
 */
#if __has_include(<liburing.h>)

#include <errno.h>
#include <liburing.h>
#include <stdlib.h>
#include <unistd.h>

#include "bench.h"
#include "cli.h"
#include "rawsock.h"

struct uring_tx {
	int fd;
	struct io_uring uring;
	struct canfd_frame frame;
	unsigned int size;
	unsigned int batch;
};

static void *open_uring(const struct bench *bench, unsigned int batch, unsigned int chunk)
{
	struct uring_tx *tx = bench_alloc(1, sizeof(*tx));
	int error = io_uring_queue_init(batch, &tx->uring,
					IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN);

	(void)chunk;
	if (error) {
		errno = -error;
		cli_fail("io_uring: setting up; exclude it with --method");
	}
	tx->fd = rawsock_open(bench->ifname, RAWSOCK_NO_RX |
			      (bench->size == CANFD_MTU ? RAWSOCK_FD : 0) |
			      (bench->deliver ? 0 : RAWSOCK_NO_LOCAL));
	tx->frame = bench->frame;
	tx->size = bench->size;
	tx->batch = batch;
	return tx;
}

static void close_uring(void *state)
{
	struct uring_tx *tx = state;

	io_uring_queue_exit(&tx->uring);
	close(tx->fd);
	free(tx);
}

/* Number of frames among @count completions that were sent */
static unsigned int count_sent(struct uring_tx *tx, unsigned int count)
{
	struct io_uring_cqe *cqe;
	unsigned int head, seen = 0, sent = 0;

	io_uring_for_each_cqe(&tx->uring, head, cqe) {
		if (seen++ == count)
			break;
		sent += cqe->res == (int)tx->size;
	}
	io_uring_cq_advance(&tx->uring, count);
	return sent;
}

static unsigned int uring_transmit(void *state, unsigned int count)
{
	struct uring_tx *tx = state;
	unsigned int done = 0;

	while (done < count) {
		unsigned int n = count - done < tx->batch ? count - done : tx->batch;

		for (unsigned int i = 0; i < n; i++)
			io_uring_prep_send(io_uring_get_sqe(&tx->uring), tx->fd, &tx->frame,
					   tx->size, 0);
		if (io_uring_submit_and_wait(&tx->uring, n) != (int)n || count_sent(tx, n) != n)
			break;
		done += n;
	}
	return done;
}

const struct method tx_uring = {
	.name = "tx-uring",
	.about = "send requests of io_uring on a CAN_RAW socket",
	.side = SIDE_TX,
	.batched = true,
	.socket_looped = true,
	.open = open_uring,
	.transfer = uring_transmit,
	.close = close_uring,
};

#endif
