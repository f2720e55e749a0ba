/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Receive side (struct rx) and send side (struct tx) of a gateway. A variant is a
 * combination of both. Only the loop in forward.c calls them, in the thread of the
 * direction. The main thread calls open() before that thread starts, and lost() and
 * polled() after it has ended.
 */
#ifndef CANUGW_SIDE_H
#define CANUGW_SIDE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include <linux/can.h>

#include "port.h"
#include "settings.h"

/**
 * struct frame - a received frame, in the memory of the receive side
 * @data: a Classical CAN frame occupies the start of the struct
 * @size: CAN_MTU or CANFD_MTU
 */
struct frame {
	const struct canfd_frame *data;
	unsigned int size;
};

/* Result of next(), wait(), put() and flush(). SIDE_FAILED: an error was printed. */
enum side_result {
	SIDE_FAILED = -1,
	SIDE_NOTHING = 0,
	SIDE_DONE = 1,
};

/**
 * struct rx - a receive side
 * @foreign: received frames that are neither Classical CAN nor CAN FD
 */
struct rx {
	const struct rx_ops *ops;
	struct port *port;
	void *state;
	uint64_t foreign;
};

/**
 * struct rx_ops - a method to receive
 * @raw: receives with the CAN_RAW socket of the port
 * @open: open sockets; from now on frames are queued. Exits on error
 * @begin: called once in the forwarding thread; may be NULL
 * @next: SIDE_DONE: @frame is the next frame, valid until the next call; SIDE_NOTHING:
 *	there is none. Never sleeps
 * @wait: called after next() returned SIDE_NOTHING: sleep until there is a frame; variants
 *	with busy polling return immediately. A signal interrupts it
 * @has_pending: frames have left the receive queue, but next() has not returned them yet;
 *	NULL: never
 * @lost: frames that did not fit into the receive queue
 * @polled: NAPI instance that was polled, 0: none; NULL: no busy polling
 */
struct rx_ops {
	bool raw;
	void (*open)(struct rx *rx, const struct settings *set);
	enum side_result (*begin)(struct rx *rx);
	enum side_result (*next)(struct rx *rx, struct frame *frame);
	enum side_result (*wait)(struct rx *rx);
	bool (*has_pending)(struct rx *rx);
	uint64_t (*lost)(struct rx *rx);
	unsigned int (*polled)(struct rx *rx);
};

/**
 * struct tx - a send side
 * @peer: receive side of the same direction
 * @sent: frames that the kernel accepted
 * @full: how often a queue was full and the send side waited
 */
struct tx {
	const struct tx_ops *ops;
	struct port *port;
	struct rx *peer;
	void *state;
	_Atomic uint64_t sent;
	uint64_t full;
};

/**
 * struct tx_ops - a method to send
 * @raw: sends with the CAN_RAW socket of the port
 * @open: open sockets. Exits on error
 * @put: send @frame, or store it to send it in a batch. SIDE_NOTHING: tx_full() gave up
 * @flush: send all stored frames. SIDE_NOTHING: there were none, or tx_full() gave up
 * @finish: after the last flush(): wait until the kernel has released all frames; may be
 *	NULL
 */
struct tx_ops {
	bool raw;
	void (*open)(struct tx *tx, const struct settings *set);
	enum side_result (*put)(struct tx *tx, const struct frame *frame);
	enum side_result (*flush)(struct tx *tx);
	void (*finish)(struct tx *tx);
};

extern const struct rx_ops rx_read, rx_read_nb, rx_read_busy, rx_read_noirq;
extern const struct rx_ops rx_mmsg;
extern const struct rx_ops rx_packet, rx_packet_busy;
extern const struct rx_ops rx_uring;
extern const struct tx_ops tx_write, tx_mmsg, tx_packet, tx_uring;

/* side_alloc() - allocate zeroed memory; exits on error. */
void *side_alloc(size_t count, size_t size);

/* side_lost() - frames that socket @fd has dropped because its queue was full. */
uint64_t side_lost(int fd);

/* side_error() - pending error of socket @fd, such as ENETDOWN; 0: none. */
int side_error(int fd);

/* side_relax() - CPU pause instruction for busy polling. */
void side_relax(void);

/* tx_count() - the kernel accepted @frames frames. Called only in the thread of the direction. */
void tx_count(struct tx *tx, unsigned int frames);

/*
 * side_pause() - sleep shortly while a queue is full. False: the stop was requested more than
 * a second ago, so the caller must give up.
 */
bool side_pause(void);

/* tx_full() - count a full queue, and call side_pause(). */
bool tx_full(struct tx *tx);

/*
 * tx_failed() - handle @error of a send call. SIDE_DONE: a queue was full, retry now.
 * SIDE_NOTHING: a queue is full, and tx_full() gave up. SIDE_FAILED: another error.
 */
enum side_result tx_failed(struct tx *tx, int error);

#endif
