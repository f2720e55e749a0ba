/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The two sides of a gateway: a receive side (struct rx) takes frames from one
 * interface, a send side (struct tx) puts them onto another. A variant is one of
 * each; forward.c is the loop between them and the only one to call them, in the
 * thread of that direction. The main thread calls open() before that thread
 * exists, and lost() and polled() after it has ended.
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
 * struct frame - a frame on its way, in the memory of the receive side
 * @data: Classical CAN frames too, they are the start of the struct
 * @size: CAN_MTU or CANFD_MTU
 */
struct frame {
	const struct canfd_frame *data;
	unsigned int size;
};

/* What next(), wait(), put() and flush() return; FAILED: they have printed why. */
enum side_result {
	SIDE_FAILED = -1,
	SIDE_NOTHING = 0,
	SIDE_DONE = 1,
};

/**
 * struct rx - a receive side
 * @foreign: what came and is neither a Classical CAN nor a CAN FD frame
 */
struct rx {
	const struct rx_ops *ops;
	struct port *port;
	void *state;
	uint64_t foreign;
};

/**
 * struct rx_ops - a way to receive
 * @raw: it receives with the CAN_RAW socket of the port
 * @open: get ready; from now on frames are queued. Exits when the system refuses
 * @begin: first call in the thread that forwards; may be NULL
 * @next: SIDE_DONE: @frame is the next one, valid until the next call of next();
 *	SIDE_NOTHING: there is none just now. Never sleeps
 * @wait: called when next() found nothing: sleep until there is something, or
 *	return at once where the variant waits busily. A signal ends it too
 * @has_pending: next() has frames that have left the receive queue: they would be gone with
 *	the program; NULL: it never does
 * @lost: frames that did not fit into the receive queue
 * @polled: NAPI instance that was polled busily, 0: none; NULL: this one never polls
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
 * @peer: the receive side that it gets its frames from
 * @sent: frames that the kernel took
 * @full: how often the kernel had no room for a frame, and it had to wait
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
 * struct tx_ops - a way to send
 * @raw: it sends with the CAN_RAW socket of the port
 * @open: get ready. Exits when the system refuses
 * @put: send @frame, or keep a copy of it to send it together with others;
 *	SIDE_NOTHING: it does not send any more, tx_full() gave up
 * @flush: send what was kept. SIDE_NOTHING: there was nothing, or tx_full() gave up
 * @finish: after the last flush(): wait until the kernel is done with it; may be NULL
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

/* side_alloc() - zeroed memory for a side; exits when there is none. */
void *side_alloc(size_t count, size_t size);

/* side_lost() - frames that socket @fd dropped because its queue was full. */
uint64_t side_lost(int fd);

/* side_error() - the pending error of socket @fd, such as ENETDOWN; 0: none. */
int side_error(int fd);

/* side_relax() - one turn of busy waiting. */
void side_relax(void);

/* tx_count() - the kernel took @frames. Only the thread of this direction calls it. */
void tx_count(struct tx *tx, unsigned int frames);

/*
 * side_pause() - wait a little for the bus. False: the gateway is to end, and has
 * waited for a second since; give up.
 */
bool side_pause(void);

/* tx_full() - side_pause() because the kernel has no room for a frame. */
bool tx_full(struct tx *tx);

/*
 * tx_failed() - sending gave @error. SIDE_DONE: there was no room, try again now;
 * SIDE_NOTHING: there was none, and tx_full() gave up; SIDE_FAILED: anything else.
 */
enum side_result tx_failed(struct tx *tx, int error);

#endif
