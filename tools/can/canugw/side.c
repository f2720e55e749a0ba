// SPDX-License-Identifier: GPL-2.0-only
/*
 * Shared by all variants. side_alloc() runs in the main thread, side_lost() there after the
 * threads have ended, all others in the thread of a direction.
 */
#include <errno.h>
#include <linux/sock_diag.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "cli.h"
#include "rt.h"
#include "side.h"
#include "stop.h"

/* Retry interval; a frame of 8 bytes takes 110 to 135 us at 1 Mbit/s. */
#define PAUSE_NS 50000

void *side_alloc(size_t count, size_t size)
{
	void *memory = calloc(count, size);

	if (!memory)
		cli_fail("allocating memory");
	return memory;
}

/*
 * Not SO_RXQ_OVFL: read() cannot return control messages, and the number comes with the next
 * received frame, so the last drops would be missing.
 */
uint64_t side_lost(int fd)
{
	uint32_t info[SK_MEMINFO_VARS] = { 0 };
	socklen_t size = sizeof(info);

	if (getsockopt(fd, SOL_SOCKET, SO_MEMINFO, info, &size))
		cli_fail("getting the drop count (SO_MEMINFO, Linux 4.12)");
	return info[SK_MEMINFO_DROPS];
}

int side_error(int fd)
{
	int error = 0;
	socklen_t size = sizeof(error);

	if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size))
		return errno;
	return error;
}

void side_relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
	__builtin_ia32_pause();
#elif defined(__aarch64__) || defined(__arm__)
	__asm__ volatile("yield" ::: "memory");
#else
	atomic_signal_fence(memory_order_seq_cst);
#endif
}

void tx_count(struct tx *tx, unsigned int frames)
{
	/* There is one writer, so no atomic addition is necessary. */
	uint64_t sent = atomic_load_explicit(&tx->sent, memory_order_relaxed);

	atomic_store_explicit(&tx->sent, sent + frames, memory_order_relaxed);
}

/* poll() waits for the send buffer of the socket, not for the queue of the interface. */
bool side_pause(void)
{
	if (stop_overdue())
		return false;
	rt_sleep_until(rt_now() + PAUSE_NS);
	return true;
}

bool tx_full(struct tx *tx)
{
	tx->full++;
	return side_pause();
}

enum side_result tx_failed(struct tx *tx, int error)
{
	switch (error) {
	case EINTR:	/* interrupted while waiting for the send buffer */
	case EAGAIN:	/* send buffer full */
	case ENOBUFS:	/* interface queue full */
		return tx_full(tx) ? SIDE_DONE : SIDE_NOTHING;
	default:
		cli_warn("%s: sending: %s", tx->port->name, strerror(error));
		return SIDE_FAILED;
	}
}
