// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE

#include <errno.h>
#include <unistd.h>

#include <linux/can.h>
#include <linux/can/raw.h>

#include "cantest.h"
#include "gw_sender.h"

/* frames that are sent at a time, for which every queue has room */
#define WINDOW	20

static int send_and_wait(int fd, canid_t id, int count)
{
	struct can_frame frame;
	int i, err;

	for (i = 0; i < count; i++) {
		err = ct_send_id(fd, id);
		if (err)
			return err;
	}
	for (i = 0; i < count; i++)
		if (ct_recv(fd, &frame, sizeof(frame), CT_TIMEOUT_MS) < 0)
			return -ETIMEDOUT;
	return 0;
}

static void *send_frames(void *data)
{
	struct gw_sender *sender = data;
	canid_t id = GW_SENDER_ID + sender->number;
	int fd = ct_raw_open(sender->ifindex);
	unsigned int i;

	sender->error = fd < 0 ? fd : ct_pin_nth_cpu(sender->number) ?:
			ct_raw_only_id(fd, id) ?:
			ct_raw_set(fd, CAN_RAW_RECV_OWN_MSGS, 1);
	for (i = 0; i < sender->frames && !sender->error; i += WINDOW)
		sender->error = send_and_wait(fd, id, WINDOW);
	if (fd >= 0)
		close(fd);
	return NULL;
}

int gw_sender_start(struct gw_sender *sender)
{
	return -pthread_create(&sender->thread, NULL, send_frames, sender);
}
