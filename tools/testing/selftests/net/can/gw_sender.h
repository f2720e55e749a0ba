/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A thread that sends frames through the gateway on a CPU of its own, so that several
 * CPUs route frames by the same rules.
 *
 * It waits for its frames on the interface that it sends them to, so that no queue can
 * overrun.
 */
#ifndef GW_SENDER_H
#define GW_SENDER_H

#include <pthread.h>

#define GW_SENDER_ID	0x100

/**
 * struct gw_sender - a thread that sends frames
 * @thread: for pthread_join(), after which the rest may be read
 * @ifindex: of the interface that it sends to
 * @number: of the CPU, see ct_pin_nth_cpu(); frames have the identifier
 *	GW_SENDER_ID + @number
 * @frames: how many, rounded up to a multiple of 20
 * @error: 0, or a negative errno value
 */
struct gw_sender {
	pthread_t thread;
	int ifindex;
	int number;
	unsigned int frames;
	int error;
};

/** gw_sender_start() - begin to send; @sender must exist until the thread has ended */
int gw_sender_start(struct gw_sender *sender);

#endif /* GW_SENDER_H */
