// SPDX-License-Identifier: GPL-2.0-only
/*
 * The emulated ELM327: see elm327.h. Sources: drivers/net/can/can327.c and the
 * ELM327 data sheet, "Interpreting CAN messages".
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <sys/ioctl.h>

#include <linux/sockios.h>
#include <linux/tty.h>

#include "cantest.h"
#include "elm327.h"

#define BITRATE		500000

/* the driver sends it to interrupt the adapter, and expects it back */
#define DUMMY		'y'
#define PROMPT		">"

static int put(struct elm327 *elm, const char *text)
{
	ssize_t len = strlen(text);

	return write(elm->master, text, len) == len ? 0 : -EIO;
}

static void set_state(struct elm327 *elm, bool dead)
{
	pthread_mutex_lock(&elm->lock);
	if (dead)
		elm->dead = true;
	else
		elm->monitoring++;
	pthread_cond_signal(&elm->changed);
	pthread_mutex_unlock(&elm->lock);
}

static void *answer(void *data)
{
	struct elm327 *elm = data;
	char line[64], c;
	size_t len = 0;

	while (read(elm->master, &c, 1) == 1) {
		if (c == DUMMY) {
			len = 0;
			put(elm, "y");
			continue;
		}
		if (len < sizeof(line) - 1)
			line[len++] = c;
		if (c != '\r')
			continue;

		/* every command is echoed (ATE1), and the driver counts on it */
		line[len] = 0;
		len = 0;
		put(elm, line);
		if (strcmp(line, "ATMA\r"))
			put(elm, PROMPT);
		else
			set_state(elm, false);
	}
	set_state(elm, true);
	return NULL;
}

int elm327_await(struct elm327 *elm)
{
	struct timespec until;
	int err = 0;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += CT_TIMEOUT_MS / 1000;

	pthread_mutex_lock(&elm->lock);
	while (!err && !elm->dead && elm->monitoring == elm->seen)
		err = pthread_cond_timedwait(&elm->changed, &elm->lock, &until);
	if (!err)
		elm->seen++;
	pthread_mutex_unlock(&elm->lock);
	return err || elm->dead ? -ETIMEDOUT : 0;
}

int elm327_feed(struct elm327 *elm, const struct can_frame *frame)
{
	char line[64];
	int len, i;

	if (frame->can_id & CAN_EFF_FLAG)
		len = sprintf(line, "%02X %02X %02X %02X ",
			      frame->can_id >> 24 & 0x1f,
			      frame->can_id >> 16 & 0xff,
			      frame->can_id >> 8 & 0xff, frame->can_id & 0xff);
	else
		len = sprintf(line, "%03X ", frame->can_id & CAN_SFF_MASK);

	len += sprintf(line + len, "%X ", frame->len);
	for (i = 0; i < frame->len; i++)
		len += sprintf(line + len, "%02X ", frame->data[i]);
	sprintf(line + len, "\r");
	return put(elm, line);
}

/* the driver makes its interface in the first namespace: fetch it from there */
static int fetch_link(const char *name, int home, int here)
{
	int back, err = ct_netns_set(home);

	if (err)
		return err;
	err = ct_link_move(name, here);
	back = ct_netns_set(here);
	return err ?: back;
}

static int open_terminal(struct elm327 *elm)
{
	int discipline = N_CAN327;

	elm->master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (elm->master < 0)
		return -errno;
	if (grantpt(elm->master) || unlockpt(elm->master))
		return -errno;

	elm->slave = open(ptsname(elm->master), O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (elm->slave < 0)
		return -errno;
	if (ioctl(elm->slave, TIOCSETD, &discipline))
		return errno == EINVAL ? -ENOENT : -errno;
	return ioctl(elm->slave, SIOCGIFNAME, elm->name) ? -errno : 0;
}

int elm327_open(struct elm327 *elm, int home)
{
	int here, err;

	memset(elm, 0, sizeof(*elm));
	elm->master = -1;
	elm->slave = -1;
	pthread_mutex_init(&elm->lock, NULL);
	pthread_cond_init(&elm->changed, NULL);

	if (ct_module("can327"))
		return -ENOENT;

	here = ct_netns_get();
	if (here < 0)
		return here;

	err = open_terminal(elm) ?:
	      -pthread_create(&elm->thread, NULL, answer, elm) ?:
	      fetch_link(elm->name, home, here) ?: ct_link_bitrate(elm->name, BITRATE) ?:
	      ct_link_up(elm->name, true);
	close(here);
	return err ? err : (int)if_nametoindex(elm->name);
}

void elm327_close(struct elm327 *elm)
{
	/* the last user of the slave: the driver goes, and read() ends */
	if (elm->slave >= 0)
		close(elm->slave);
	if (elm->thread)
		pthread_join(elm->thread, NULL);
	if (elm->master >= 0)
		close(elm->master);
}
