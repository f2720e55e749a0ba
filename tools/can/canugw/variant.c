// SPDX-License-Identifier: GPL-2.0-only
/*
 * The table of variants. The names are those of Table 3.1 in "Performance evaluation of
 * Linux CAN-related system calls" (2014). Main thread.
 */
#include <stdio.h>
#include <string.h>

#include "variant.h"

static const struct variant variants[] = {
	{
		"read-write", &rx_read, &tx_write,
		"read() sleeps until a frame arrives, write() sends it.\n"
	}, {
		"readnb-write", &rx_read_nb, &tx_write,
		"Like read-write, but read() never sleeps (O_NONBLOCK): the program calls it\n"
		"in a loop, which uses one CPU.\n"
	}, {
		"readbusy-write", &rx_read_busy, &tx_write,
		"Like read-write, but read() polls the driver for the time of --busy-poll\n"
		"before it sleeps (SO_BUSY_POLL). Requires a CAN driver that can be polled.\n"
	}, {
		"readbusynoirq-write", &rx_read_noirq, &tx_write,
		"Like readbusy-write, but the receive interrupt stays masked while the\n"
		"program polls (SO_PREFER_BUSY_POLL, SO_BUSY_POLL_BUDGET). Requires the\n"
		"settings napi_defer_hard_irqs and gro_flush_timeout of the interface.\n"
	}, {
		"mmap-mmap", &rx_packet, &tx_packet,
		"PF_PACKET sockets with rings of frames shared with the kernel. The program\n"
		"calls poll() when the receive ring is empty, and one send() for all frames in\n"
		"the send ring when the receive ring is empty or the send ring is full.\n"
	}, {
		"mmap-write", &rx_packet, &tx_write,
		"Receives like mmap-mmap, sends each frame with write().\n"
	}, {
		"mmapbusy-mmap", &rx_packet_busy, &tx_packet,
		"Like mmap-mmap, but checks the ring in a loop instead of calling poll(): no\n"
		"system call to receive. Uses one CPU.\n"
	}, {
		"mmapbusy-write", &rx_packet_busy, &tx_write,
		"Receives like mmapbusy-mmap, sends each frame with write().\n"
	}, {
		"readnb-mmap", &rx_read_nb, &tx_packet,
		"Receives like readnb-write, sends like mmap-mmap if there is no further frame.\n"
	}, {
		"mmsg-mmsg", &rx_mmsg, &tx_mmsg,
		"recvmmsg() receives up to --batch frames, sendmmsg() sends them in one call.\n"
	}, {
		"uring", &rx_uring, &tx_uring,
		"io_uring: one multishot receive request fills a ring of buffers; a chain of up\n"
		"to --batch requests sends the frames from there. Not part of the paper in\n"
		"canugw(1).\n"
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
