// SPDX-License-Identifier: GPL-2.0-only
/* A ring of frames shared with the kernel; see packet.h. */
#include <errno.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "cli.h"
#include "packet.h"

/* Size of header, address, alignment and a CAN FD frame; divides the page size */
#define SLOT_SIZE 256

_Static_assert(TPACKET_ALIGN(TPACKET2_HDRLEN + 16) + 72 <= SLOT_SIZE,
	       "a CAN FD frame must fit into a slot");

static int open_socket(const struct port *port)
{
	/* Protocol 0: receive nothing before the socket is bound to the interface. */
	int fd = socket(PF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0);

	if (fd >= 0)
		return fd;
	if (errno == EPERM)
		cli_fail("%s: packet sockets require CAP_NET_RAW", port->name);
	if (errno == EAFNOSUPPORT)
		cli_fail("%s: this kernel has no packet sockets (CONFIG_PACKET)", port->name);
	cli_fail("%s: opening a packet socket", port->name);
}

void packet_open(struct packet_ring *ring, const struct port *port, int kind,
		 unsigned int count)
{
	/* Blocks must be multiples of the page size, which depends on the architecture. */
	unsigned int page = sysconf(_SC_PAGESIZE);
	unsigned int per_page = page / SLOT_SIZE;
	unsigned int pages = (count + per_page - 1) / per_page;
	struct tpacket_req req = {
		.tp_block_size = page,
		.tp_block_nr = pages,
		.tp_frame_size = SLOT_SIZE,
		.tp_frame_nr = pages * per_page,
	};
	int version = TPACKET_V2;

	ring->fd = open_socket(port);
	ring->count = req.tp_frame_nr;
	ring->head = 0;
	if (setsockopt(ring->fd, SOL_PACKET, PACKET_VERSION, &version, sizeof(version)))
		cli_fail("%s: packet socket: setting PACKET_VERSION 2", port->name);
	if (setsockopt(ring->fd, SOL_PACKET, kind, &req, sizeof(req)))
		cli_fail("%s: packet socket: creating a ring of %u frames", port->name, ring->count);
	ring->slots = mmap(NULL, (size_t)pages * page, PROT_READ | PROT_WRITE,
			   MAP_SHARED | MAP_POPULATE, ring->fd, 0);
	if (ring->slots == MAP_FAILED)
		cli_fail("%s: packet socket: mapping a ring of %u frames", port->name,
			 ring->count);
}

struct tpacket2_hdr *packet_slot(const struct packet_ring *ring, unsigned int index)
{
	return (struct tpacket2_hdr *)(ring->slots + (size_t)index * SLOT_SIZE);
}

unsigned int packet_after(const struct packet_ring *ring, unsigned int index)
{
	return index + 1 == ring->count ? 0 : index + 1;
}

uint32_t packet_status(const struct tpacket2_hdr *slot)
{
	return __atomic_load_n(&slot->tp_status, __ATOMIC_ACQUIRE);
}

void packet_set_status(struct tpacket2_hdr *slot, uint32_t status)
{
	__atomic_store_n(&slot->tp_status, status, __ATOMIC_RELEASE);
}
