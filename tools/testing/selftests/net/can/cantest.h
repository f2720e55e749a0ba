/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What every CAN selftest needs: a network namespace of its own, virtual CAN
 * interfaces in it, sockets, and frames with a time limit.
 *
 * Functions return 0 or a positive result, or a negative errno value. Nothing
 * here asserts: a test says itself what it expects. Each function may be
 * called from any thread; interface names are those of the caller's current
 * network namespace.
 */
#ifndef CANTEST_H
#define CANTEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <linux/can.h>

/*
 * How long to wait for something that must happen. An emulated machine may be
 * slow, so this is a bound for a hang and never an expectation of speed.
 */
#define CT_TIMEOUT_MS	20000

struct nlmsghdr;

/**
 * ct_baseline() - do the modules under test lack this project's changes?
 *
 * True when the environment variable CAN_BASELINE is set to 1, as it is by
 * whoever runs the tests on a distribution's own modules. A case that only the
 * patched modules can pass does
 *
 *	if (ct_baseline())
 *		SKIP(return, "needs the patched modules");
 *
 * Without the variable such a case has to pass.
 */
bool ct_baseline(void);

/**
 * ct_netns_new() - move the caller into a new network namespace
 *
 * Return: 0, or -EPERM without CAP_SYS_ADMIN.
 */
int ct_netns_new(void);

/**
 * ct_netns_get() - a descriptor of the caller's network namespace
 *
 * Return: a file descriptor to give to ct_netns_set() and ct_vxcan_add().
 */
int ct_netns_get(void);

/** ct_netns_set() - move the caller into the namespace of @netns_fd */
int ct_netns_set(int netns_fd);

/**
 * ct_pin_cpu() - keep the calling thread on the CPU that it is on
 *
 * A frame sent on vcan is received through the queue of the CPU that sent it.
 * Frames of one thread keep their order only if it does not move to another.
 */
int ct_pin_cpu(void);

/**
 * ct_module() - load a module if the kernel does not have it yet
 * @name: module name, for example "can-gw"
 *
 * Return: 0 when the module is there or built in as far as modprobe knows,
 * -ENOENT otherwise.
 */
int ct_module(const char *name);

/**
 * ct_vcan_add() - create a vcan interface, set its MTU, and bring it up
 * @name: interface name
 * @mtu: CAN_MTU, CANFD_MTU or CANXL_MAX_MTU
 *
 * Return: the interface index (positive) or a negative errno value.
 */
int ct_vcan_add(const char *name, int mtu);

/**
 * ct_vxcan_add() - create a vxcan pair, set the MTU of both, bring both up
 * @name: the end in the caller's namespace
 * @peer: the other end
 * @peer_netns: namespace of the other end, or -1 for the caller's own
 * @mtu: as for ct_vcan_add()
 *
 * Frames may be sent at either end when this returns.
 *
 * Return: the interface index of @name or a negative errno value.
 */
int ct_vxcan_add(const char *name, const char *peer, int peer_netns, int mtu);

/** ct_link_del() - remove an interface; returns once the kernel has done so */
int ct_link_del(const char *name);

/** ct_link_up() - set an interface up or down */
int ct_link_up(const char *name, bool up);

/** ct_link_mtu() - change the MTU (the interface has to be down) */
int ct_link_mtu(const char *name, int mtu);

/**
 * ct_raw_open() - a CAN_RAW socket bound to an interface
 * @ifindex: interface index, or 0 for all CAN interfaces
 *
 * The socket has the kernel's defaults: Classical CAN frames only, one filter
 * that accepts everything, loopback on, own messages off.
 *
 * Return: the socket or a negative errno value.
 */
int ct_raw_open(int ifindex);

/** ct_raw_set() - set an int option of level SOL_CAN_RAW */
int ct_raw_set(int fd, int option, int value);

/**
 * ct_send() - write one frame
 * @fd: a socket
 * @frame: struct can_frame, canfd_frame or canxl_frame
 * @len: CAN_MTU, CANFD_MTU or the length of the XL frame
 *
 * Return: 0 when all of the frame was taken, a negative errno value otherwise.
 */
int ct_send(int fd, const void *frame, size_t len);

/**
 * ct_recv() - read one frame, waiting for it at most @timeout_ms
 *
 * Return: the number of bytes read, -ETIMEDOUT when there was nothing, or
 * another negative errno value. With @timeout_ms 0 it only looks.
 */
ssize_t ct_recv(int fd, void *frame, size_t len, int timeout_ms);

/**
 * ct_frame() - fill in a Classical CAN frame
 * @frame: where to
 * @id: identifier with its flags
 * @len: 0 to 8
 * @data: @len bytes, or NULL for 0x11, 0x22, 0x33, ...
 *
 * Every byte of @frame that is not named is zero.
 */
void ct_frame(struct can_frame *frame, canid_t id, unsigned int len,
	      const void *data);

/** ct_fdframe() - the same for CAN FD, with CANFD_FDF set in the flags */
void ct_fdframe(struct canfd_frame *frame, canid_t id, unsigned int len,
		const void *data);

/**
 * ct_nl() - send one netlink message to rtnetlink and wait for the answer
 * @nlh: the message; sequence number and NLM_F_ACK are filled in here
 *
 * Return: 0, or the negative errno value that the kernel answered.
 */
int ct_nl(struct nlmsghdr *nlh);

#endif /* CANTEST_H */
