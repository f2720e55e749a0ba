// SPDX-License-Identifier: GPL-2.0-only
/*
 * Receive side: CAN_RAW sockets with read(), recv() and recvmmsg().
 */
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "queue.h"

/**
 * struct socket_rx - a receiving socket
 * @messages, @parts, @frames: @batch entries each, for recvmmsg()
 */
struct socket_rx {
	struct queue queue;
	unsigned int size;
	unsigned int batch;
	struct mmsghdr *messages;
	struct iovec *parts;
	struct canfd_frame *frames;
};

static void *open_socket(const struct bench *bench, unsigned int batch, unsigned int chunk)
{
	struct socket_rx *rx = bench_alloc(1, sizeof(*rx));

	queue_open(&rx->queue, bench, chunk);
	rx->size = bench->size;
	rx->batch = batch;
	rx->messages = bench_alloc(batch, sizeof(*rx->messages));
	rx->parts = bench_alloc(batch, sizeof(*rx->parts));
	rx->frames = bench_alloc(batch, sizeof(*rx->frames));
	for (unsigned int i = 0; i < batch; i++) {
		rx->parts[i].iov_base = &rx->frames[i];
		rx->parts[i].iov_len = sizeof(rx->frames[i]);
		rx->messages[i].msg_hdr.msg_iov = &rx->parts[i];
		rx->messages[i].msg_hdr.msg_iovlen = 1;
	}
	return rx;
}

static void close_socket(void *state)
{
	struct socket_rx *rx = state;

	close(rx->queue.fd);
	free(rx->messages);
	free(rx->parts);
	free(rx->frames);
	free(rx);
}

static unsigned int socket_room(void *state)
{
	struct socket_rx *rx = state;

	return queue_room(&rx->queue);
}

static unsigned int socket_waiting(void *state)
{
	struct socket_rx *rx = state;

	return queue_waiting(&rx->queue);
}

static unsigned int with_read(void *state, unsigned int count)
{
	struct socket_rx *rx = state;

	return queue_drain(&rx->queue, rx->size, count);
}

static unsigned int with_recv(void *state, unsigned int count)
{
	struct socket_rx *rx = state;
	struct canfd_frame frame;
	unsigned int done;

	for (done = 0; done < count; done++)
		if (recv(rx->queue.fd, &frame, sizeof(frame), 0) != (ssize_t)rx->size)
			break;
	return done;
}

static unsigned int with_recvmmsg(void *state, unsigned int count)
{
	struct socket_rx *rx = state;
	unsigned int done = 0;

	while (done < count) {
		unsigned int left = count - done;
		int n = recvmmsg(rx->queue.fd, rx->messages,
				 left < rx->batch ? left : rx->batch, 0, NULL);

		if (n <= 0)
			break;
		for (int i = 0; i < n; i++, done++)
			if (rx->messages[i].msg_len != rx->size)
				return done;
	}
	return done;
}

const struct method rx_read = {
	.name = "read",
	.about = "read() on a CAN_RAW socket",
	.side = SIDE_RX,
	.open = open_socket,
	.room = socket_room,
	.waiting = socket_waiting,
	.transfer = with_read,
	.close = close_socket,
};

const struct method rx_recv = {
	.name = "recv",
	.about = "recv() on a CAN_RAW socket",
	.side = SIDE_RX,
	.open = open_socket,
	.room = socket_room,
	.waiting = socket_waiting,
	.transfer = with_recv,
	.close = close_socket,
};

const struct method rx_recvmmsg = {
	.name = "recvmmsg",
	.about = "recvmmsg() on a CAN_RAW socket",
	.side = SIDE_RX,
	.batched = true,
	.open = open_socket,
	.room = socket_room,
	.waiting = socket_waiting,
	.transfer = with_recvmmsg,
	.close = close_socket,
};
