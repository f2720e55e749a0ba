/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Used by every CAN selftest: a network namespace of its own, virtual CAN
 * interfaces in it, sockets, and frames with a time limit.
 *
 * Functions return 0 or a positive result, or a negative errno value, and do not
 * assert. They may be called from any thread; interface names are those of the
 * caller's current network namespace. A test runs in a process, whose end closes
 * its sockets and removes its namespaces with all interfaces and rules in them.
 */
#ifndef CANTEST_H
#define CANTEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>
#include <sys/types.h>

#include <linux/can.h>

/*
 * How long to wait for an event that must happen. An emulated machine may be
 * slow, so this is a bound for a hang and never an expectation of speed.
 */
#define CT_TIMEOUT_MS	20000

/*
 * The shortest address that the kernel takes, and the length of every address
 * that it returns (CAN_REQUIRED_SIZE() there): up to the interface index.
 */
#define CT_ADDR_LEN	(offsetof(struct sockaddr_can, can_ifindex) + \
			 sizeof(int))

/* identifier of ct_barrier(), which no other frame of a test may have */
#define CT_BARRIER_ID	(CAN_EFF_FLAG | 0x15a5a5a5)

/**
 * CT_OK() - the result of a call, which must not fail
 * @call: returns an int; a negative one ends the test, as ASSERT_LE(0, ...) does
 *
 * For interface indexes and descriptors.
 */
#define CT_OK(call) ({							\
	int ct_ret_ = (call);						\
									\
	ASSERT_LE(0, ct_ret_)						\
		TH_LOG("%s", #call);					\
	ct_ret_;							\
})

struct nlmsghdr;

/**
 * ct_baseline() - do the modules under test lack this project's changes?
 *
 * True when the environment variable CAN_BASELINE is 1, for a distribution's own
 * modules. A case that only the patched modules can pass does
 *
 *	if (ct_baseline())
 *		SKIP(return, "needs the patched modules");
 *
 * Without the variable such a case has to pass.
 *
 * Return: true if it is set.
 */
bool ct_baseline(void);

/**
 * ct_own_machine() - is this machine there for these tests only?
 *
 * True when the environment variable CAN_TEST_MACHINE is 1. Otherwise a test
 * changes only its own interfaces. It skips cases that change settings of all
 * processes, loaded modules, or interfaces and controllers of others.
 *
 * Return: true if it is.
 */
bool ct_own_machine(void);

/** ct_clock() - the time of a clock in ns */
int64_t ct_clock(clockid_t clock);

/** ct_preempt_rt() - is the kernel one with PREEMPT_RT? */
bool ct_preempt_rt(void);

/* why a case is skipped, for SKIP(), can_skip() and the harness */
#define CT_NOT_OWN	"only on a machine of the tests' own (CAN_TEST_MACHINE=1)"

/**
 * ct_setting() - change a setting of the whole machine for a while
 * @path: of a file in /proc/sys or /sys
 * @value: to write
 *
 * ct_settings_back() or the end of the program, even if the test crashes or is
 * killed, writes the first value back.
 *
 * Return: 0 or a negative errno value, -EPERM unless ct_own_machine().
 */
int ct_setting(const char *path, const char *value);

/** ct_settings_back() - undo each ct_setting(); for a fixture's teardown */
void ct_settings_back(void);

/**
 * ct_thread() - find a thread of the kernel by its name
 * @comm: how its name, with a newline, begins
 *
 * Return: its ID, or -ENOENT.
 */
int ct_thread(const char *comm);

/** ct_env() - a number from the environment variable @name, or @otherwise */
unsigned int ct_env(const char *name, unsigned int otherwise);

/** ct_netns_new() - move the caller into a new network namespace */
int ct_netns_new(void);

/** ct_netns_get() - a descriptor of the caller's network namespace */
int ct_netns_get(void);

/** ct_netns_set() - move the caller into the namespace of @netns_fd */
int ct_netns_set(int netns_fd);

/**
 * ct_pin_cpu() - keep the calling thread on the CPU that it is on
 *
 * A frame sent on vcan is received through the queue of the CPU that sent it.
 * Frames of one thread keep their order only if it does not move to another.
 *
 * Return: 0, or a negative errno value.
 */
int ct_pin_cpu(void);

/** ct_pin_nth_cpu() - keep the calling thread on CPU @number, modulo those allowed */
int ct_pin_nth_cpu(int number);

/** ct_net_admin() - give up CAP_NET_ADMIN, or take it back */
int ct_net_admin(bool on);

/**
 * ct_module() - load a module if the kernel does not have it yet
 * @name: of the module
 *
 * Return: 0 when it is there or built in as far as modprobe knows, or -ENOENT.
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

/** ct_vcan_add_at() - the same with interface index @ifindex */
int ct_vcan_add_at(const char *name, int mtu, int ifindex);

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

/** ct_link_queue() - set the length of the queue ("txqueuelen") */
int ct_link_queue(const char *name, int frames);

/** ct_link_bitrate() - set the bit rate of a controller, in bit/s (it has to be down) */
int ct_link_bitrate(const char *name, unsigned int bitrate);

/** ct_link_move() - move an interface to the namespace of @netns_fd */
int ct_link_move(const char *name, int netns_fd);

/**
 * ct_raw_open() - a CAN_RAW socket bound to an interface
 * @ifindex: of the interface, 0 for all
 *
 * It has the kernel's defaults: Classical CAN frames only, one filter that accepts
 * everything, loopback on, own messages off.
 *
 * Return: the socket, or a negative errno value.
 */
int ct_raw_open(int ifindex);

/** ct_raw_open_fd() - the same with CAN_RAW_FD_FRAMES on */
int ct_raw_open_fd(int ifindex);

/**
 * ct_raw_open_xl() - the same for frames of all kinds, with any VCID
 * @ifindex: of the interface, 0 for all
 *
 * Return: the socket, -EOPNOTSUPP from a kernel without CAN XL or VCIDs, or another
 * negative errno value.
 */
int ct_raw_open_xl(int ifindex);

/**
 * ct_packet_open() - a packet socket that gets the Classical CAN frames of an interface
 * @ifindex: of the interface
 *
 * Return: the socket, or a negative errno value.
 */
int ct_packet_open(int ifindex);

/** ct_raw_socket() - a CAN_RAW socket that is not bound */
int ct_raw_socket(void);

/**
 * ct_dgram_open() - a socket of a transport protocol, bound to an address
 * @protocol: CAN_ISOTP or CAN_J1939
 * @addr: the address
 *
 * Return: the socket or a negative errno value.
 */
int ct_dgram_open(int protocol, const struct sockaddr_can *addr);

/** ct_raw_bind() - bind a socket to an interface, or with index 0 to all */
int ct_raw_bind(int fd, int ifindex);

/** ct_raw_set() - set an option of four bytes of level SOL_CAN_RAW */
int ct_raw_set(int fd, int option, int value);

/** ct_raw_setopt() - setsockopt() of level SOL_CAN_RAW */
int ct_raw_setopt(int fd, int option, const void *value, unsigned int len);

/** ct_raw_getopt() - getsockopt() of level SOL_CAN_RAW */
int ct_raw_getopt(int fd, int option, void *value, unsigned int *len);

/** ct_sock_set() - set an int option of level SOL_SOCKET */
int ct_sock_set(int fd, int option, int value);

/** ct_raw_filters() - set the @count receive filters of a socket */
int ct_raw_filters(int fd, const struct can_filter *filters, int count);

/** ct_raw_only_id() - receive data frames of one identifier only */
int ct_raw_only_id(int fd, canid_t id);

/**
 * ct_filter_matches() - does a frame match a receive filter?
 * @filter: as Documentation/networking/can.rst describes it
 * @id: identifier of the frame with its flags
 *
 * An EFF flag in the mask alone asks for SFF frames, of which only eleven bits are
 * compared.
 *
 * Return: true if it does.
 */
bool ct_filter_matches(const struct can_filter *filter, canid_t id);

/** ct_filter_mask() - the bits of an identifier that a filter compares */
canid_t ct_filter_mask(const struct can_filter *filter);

/** ct_can_stats() - the number before @text in /proc/net/can/stats, or -ENOENT */
long ct_can_stats(const char *text);

/**
 * ct_send() - write one frame
 * @fd: a socket
 * @frame: struct can_frame, canfd_frame or canxl_frame
 * @len: CAN_MTU, CANFD_MTU or the length of the XL frame
 *
 * Return: 0 when the frame was taken completely, or a negative errno value.
 */
int ct_send(int fd, const void *frame, size_t len);

/**
 * ct_recv() - read one frame
 * @fd: a socket
 * @frame: buffer
 * @len: its size
 * @timeout_ms: how long to wait; 0 not at all
 *
 * Return: the number of bytes read, -ETIMEDOUT when there was nothing, or
 * another negative errno value.
 */
ssize_t ct_recv(int fd, void *frame, size_t len, int timeout_ms);

/**
 * ct_recv_stamp() - read one frame, and the time that the kernel gave it
 * @fd: a socket with SO_TIMESTAMPNS on
 *
 * Waits as long as the socket does.
 *
 * Return: CLOCK_REALTIME in ns, or a negative errno value, -ENODATA when the
 * frame had no time.
 */
int64_t ct_recv_stamp(int fd);

/**
 * ct_napi_id() - the NAPI instance that delivers the frames of a socket
 * @fd: the socket
 *
 * Return: SO_INCOMING_NAPI_ID, 0 as long as it is not known, or a negative errno
 * value.
 */
int ct_napi_id(int fd);

/** ct_send_id() - write a Classical CAN frame of eight bytes with @id */
int ct_send_id(int fd, canid_t id);

/** ct_send_id_mtu() - the same, or with CANFD_MTU a CAN FD frame of 64 bytes */
int ct_send_id_mtu(int fd, canid_t id, size_t mtu);

/** ct_send_id_to() - the same with sendto() and the address of @ifindex */
int ct_send_id_to(int fd, int ifindex, canid_t id);

/**
 * ct_recv_id() - the identifier of the next frame
 * @fd: a socket whose frames have no CAN_EFF_FLAG, which would be the sign
 *
 * Return: the identifier of a frame of either kind, or a negative errno value,
 * -ETIMEDOUT when there was none for CT_TIMEOUT_MS.
 */
int ct_recv_id(int fd);

/** ct_barrier_open() - a socket on @ifindex that receives barrier frames only */
int ct_barrier_open(int ifindex);

/**
 * ct_barrier() - wait until every frame sent so far has been delivered
 * @fd: sends a frame with CT_BARRIER_ID
 * @witness: receives it, from ct_barrier_open()
 *
 * This holds for the frames of one CPU, see ct_pin_cpu(). Other sockets on the
 * interface of @witness receive the barrier frame too, if their filters let
 * it through.
 *
 * Return: 0, or a negative errno value.
 */
int ct_barrier(int fd, int witness);

/**
 * struct ct_bus - a vcan interface for Classical CAN, and sockets on it
 * @ifindex: of "vcan0"
 * @tx: for sending
 * @witness: for ct_barrier()
 */
struct ct_bus {
	int ifindex;
	int tx;
	int witness;
};

/** ct_bus_open() - a bus in a new namespace, used from one CPU from now on */
int ct_bus_open(struct ct_bus *bus);

/** ct_bus_barrier() - ct_barrier() on a bus */
int ct_bus_barrier(const struct ct_bus *bus);

/**
 * ct_frame() - fill in a Classical CAN frame
 * @frame: every byte that is not named is set to zero
 * @id: identifier with its flags
 * @len: 0 to 8
 * @data: @len bytes, or NULL for 0x11, 0x22, 0x33, ...
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

/**
 * ct_nl_dump() - send a dump request to rtnetlink and read the whole answer
 * @nlh: the request; sequence number and NLM_F_DUMP are filled in here
 * @each: called with every message of the answer; it returns MNL_CB_OK, or
 *	MNL_CB_ERROR with errno set, which ends the dump
 * @data: argument for @each
 *
 * Return: 0, or the negative errno value of the kernel or of @each; -EINTR if the
 * kernel says that the dumped objects have changed meanwhile.
 */
int ct_nl_dump(struct nlmsghdr *nlh,
	       int (*each)(const struct nlmsghdr *nlh, void *data),
	       void *data);

/**
 * ct_random() - the next 32 bits of a sequence that is the same in every run
 * @state: any number but 0 to begin with
 *
 * Return: these bits; any of them will do.
 */
uint32_t ct_random(uint32_t *state);

#endif /* CANTEST_H */
