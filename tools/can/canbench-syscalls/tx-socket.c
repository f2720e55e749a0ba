// SPDX-License-Identifier: GPL-2.0-only
/*
 * Send side: CAN_RAW sockets with write() and sendmmsg().
 */
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "bench.h"
#include "rawsock.h"

/**
 * struct socket_tx - a sending socket
 * @messages: @batch entries for sendmmsg(), all with the frame in @part
 */
struct socket_tx {
	int fd;
	struct canfd_frame frame;
	unsigned int size;
	unsigned int batch;
	struct mmsghdr *messages;
	struct iovec part;
};

static void *open_socket(const struct bench *bench, unsigned int batch, unsigned int chunk)
{
	struct socket_tx *tx = bench_alloc(1, sizeof(*tx));

	(void)chunk;
	tx->fd = rawsock_open(bench->ifname, RAWSOCK_NO_RX |
			      (bench->size == CANFD_MTU ? RAWSOCK_FD : 0) |
			      (bench->deliver ? 0 : RAWSOCK_NO_LOCAL));
	tx->frame = bench->frame;
	tx->size = bench->size;
	tx->batch = batch;
	tx->part.iov_base = &tx->frame;
	tx->part.iov_len = tx->size;
	tx->messages = bench_alloc(batch, sizeof(*tx->messages));
	for (unsigned int i = 0; i < batch; i++) {
		tx->messages[i].msg_hdr.msg_iov = &tx->part;
		tx->messages[i].msg_hdr.msg_iovlen = 1;
	}
	return tx;
}

static void close_socket(void *state)
{
	struct socket_tx *tx = state;

	close(tx->fd);
	free(tx->messages);
	free(tx);
}

static unsigned int with_write(void *state, unsigned int count)
{
	struct socket_tx *tx = state;
	unsigned int done;

	for (done = 0; done < count; done++)
		if (write(tx->fd, &tx->frame, tx->size) != (ssize_t)tx->size)
			break;
	return done;
}

static unsigned int with_sendmmsg(void *state, unsigned int count)
{
	struct socket_tx *tx = state;
	unsigned int done = 0;

	while (done < count) {
		unsigned int left = count - done;
		int n = sendmmsg(tx->fd, tx->messages, left < tx->batch ? left : tx->batch, 0);

		if (n <= 0)
			break;
		for (int i = 0; i < n; i++, done++)
			if (tx->messages[i].msg_len != tx->size)
				return done;
	}
	return done;
}

const struct method tx_write = {
	.name = "write",
	.about = "write() on a CAN_RAW socket",
	.side = SIDE_TX,
	.socket_looped = true,
	.open = open_socket,
	.transfer = with_write,
	.close = close_socket,
};

const struct method tx_sendmmsg = {
	.name = "sendmmsg",
	.about = "sendmmsg() on a CAN_RAW socket",
	.side = SIDE_TX,
	.batched = true,
	.socket_looped = true,
	.open = open_socket,
	.transfer = with_sendmmsg,
	.close = close_socket,
};
