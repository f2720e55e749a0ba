// SPDX-License-Identifier: GPL-2.0-only
/*
 * Packet sockets with a ring, for rx-ring.c and tx-ring.c. Opening and closing are not
 * measured.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <linux/if_ether.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "cli.h"
#include "packet.h"

/* A multiple of all common page sizes */
#define BLOCK 65536

/* Size of header, address, alignment and frame */
#define CLASSIC_SLOT 128
#define FD_SLOT 256

_Static_assert(TPACKET2_HDRLEN + 2 * TPACKET_ALIGNMENT + CAN_MTU <= CLASSIC_SLOT, "slot size");
_Static_assert(TPACKET2_HDRLEN + 2 * TPACKET_ALIGNMENT + CANFD_MTU <= FD_SLOT, "slot size");

unsigned short packet_protocol(const struct bench *bench)
{
	return htons(bench->size == CANFD_MTU ? ETH_P_CANFD : ETH_P_CAN);
}

static int open_socket(const struct bench *bench)
{
	/* Protocol 0: receive nothing before the ring exists. */
	int fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0);
	int version = TPACKET_V2;

	if (fd < 0 && errno == EPERM)
		cli_fail("%s: packet sockets require CAP_NET_RAW; exclude them with --method",
			 bench->ifname);
	if (fd < 0)
		cli_fail("%s: opening a packet socket", bench->ifname);
	if (setsockopt(fd, SOL_PACKET, PACKET_VERSION, &version, sizeof(version)))
		cli_fail("%s: packet socket: setting PACKET_VERSION 2", bench->ifname);
	return fd;
}

void packet_open(struct packet_ring *ring, const struct bench *bench, int which,
		 unsigned int slots)
{
	struct tpacket_req request = { .tp_block_size = BLOCK };

	ring->fd = open_socket(bench);
	ring->slot_size = bench->size == CANFD_MTU ? FD_SLOT : CLASSIC_SLOT;
	ring->next = 0;
	for (ring->slots = BLOCK / ring->slot_size; ring->slots < slots;)
		ring->slots *= 2;
	request.tp_frame_size = ring->slot_size;
	request.tp_frame_nr = ring->slots;
	request.tp_block_nr = (size_t)ring->slots * ring->slot_size / BLOCK;
	if (setsockopt(ring->fd, SOL_PACKET, which, &request, sizeof(request)))
		cli_fail("%s: packet socket: creating a ring of %u frames", bench->ifname, ring->slots);
	ring->memory = mmap(NULL, (size_t)ring->slots * ring->slot_size, PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_POPULATE, ring->fd, 0);
	if (ring->memory == MAP_FAILED)
		cli_fail("%s: packet socket: mapping the ring", bench->ifname);
}

void packet_close(struct packet_ring *ring)
{
	munmap(ring->memory, (size_t)ring->slots * ring->slot_size);
	close(ring->fd);
}
