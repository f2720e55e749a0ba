// SPDX-License-Identifier: GPL-2.0-only
/*
 * The table of variants: which receive side goes with which send side. The names
 * are those of Table 3.1 of "Performance evaluation of Linux CAN-related system
 * calls" (2014). Main thread.
 */
#include <stdio.h>
#include <string.h>

#include "variant.h"

static const struct variant variants[] = {
	{
		"read-write", &rx_read, &tx_write,
		"read() sleeps until a frame comes, write() sends it.\n"
	}, {
		"readnb-write", &rx_read_nb, &tx_write,
		"As read-write, but read() never sleeps (O_NONBLOCK): the program calls it\n"
		"again and again, and takes one CPU.\n"
	}, {
		"readbusy-write", &rx_read_busy, &tx_write,
		"As read-write, but before it sleeps, read() polls the driver for the time\n"
		"of --busy-poll (SO_BUSY_POLL). Needs a CAN driver that can be polled.\n"
	}, {
		"readbusynoirq-write", &rx_read_noirq, &tx_write,
		"As readbusy-write, but the receive interrupt stays masked as long as the\n"
		"program keeps polling (SO_PREFER_BUSY_POLL, SO_BUSY_POLL_BUDGET). Needs\n"
		"napi_defer_hard_irqs and gro_flush_timeout of the interface to be set.\n"
	}, {
		"mmap-mmap", &rx_packet, &tx_packet,
		"PF_PACKET sockets with rings of frames shared with the kernel: poll() when\n"
		"the receive ring is empty; one send() for all frames in the send ring, when\n"
		"the receive ring is empty or the send ring is full.\n"
	}, {
		"mmap-write", &rx_packet, &tx_write,
		"Receives as mmap-mmap, sends each frame with write().\n"
	}, {
		"mmapbusy-mmap", &rx_packet_busy, &tx_packet,
		"As mmap-mmap, but instead of poll() it looks into the ring again and again:\n"
		"no system call to receive. Takes one CPU.\n"
	}, {
		"mmapbusy-write", &rx_packet_busy, &tx_write,
		"Receives as mmapbusy-mmap, sends each frame with write().\n"
	}, {
		"readnb-mmap", &rx_read_nb, &tx_packet,
		"Receives as readnb-write, sends as mmap-mmap when there is no further frame.\n"
	}, {
		"mmsg-mmsg", &rx_mmsg, &tx_mmsg,
		"recvmmsg() takes up to --batch frames, sendmmsg() sends them in one call.\n"
	}, {
		"uring", &rx_uring, &tx_uring,
		"io_uring: one multishot receive request fills a ring of buffers; the frames\n"
		"are sent from there by a chain of up to --batch requests. Not in the paper.\n"
	},
};

#define VARIANTS (sizeof(variants) / sizeof(variants[0]))

const struct variant *variant_find(const char *name)
{
	for (size_t i = 0; i < VARIANTS; i++)
		if (!strcmp(variants[i].name, name))
			return &variants[i];
	return NULL;
}

static void print_about(const char *about)
{
	while (*about) {
		const char *end = strchr(about, '\n');

		printf("        %.*s\n", (int)(end - about), about);
		about = end + 1;
	}
}

void variant_list(void)
{
	for (size_t i = 0; i < VARIANTS; i++) {
		printf("%s%s\n", i ? "\n" : "", variants[i].name);
		print_about(variants[i].about);
	}
}

bool variant_needs_mark(const struct variant *variant)
{
	return !variant->rx->raw || !variant->tx->raw;
}
