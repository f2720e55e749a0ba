/* SPDX-License-Identifier: ((GPL-2.0 WITH Linux-syscall-note) OR BSD-3-Clause) */
/*
 * linux/can/sch_prio.h
 *
 * Options and statistics of the queueing discipline can_prio
 */
#ifndef _UAPI_CAN_SCH_PRIO_H
#define _UAPI_CAN_SCH_PRIO_H

#include <linux/types.h>

/* In TCA_KIND */
#define CAN_PRIO_KIND	"can_prio"

/**
 * enum tca_can_prio - attributes in TCA_OPTIONS, which is a nested attribute
 * @TCA_CAN_PRIO_UNSPEC: unused
 * @TCA_CAN_PRIO_LIFETIME: u64, nanoseconds that a frame may wait before it is dropped; 0 or
 *	no attribute in a dump: no limit, which is the default
 * @TCA_CAN_PRIO_PAD: aligns 64 bits in dumps
 */
enum tca_can_prio {
	TCA_CAN_PRIO_UNSPEC,
	TCA_CAN_PRIO_LIFETIME,
	TCA_CAN_PRIO_PAD,

	/* private: */
	__TCA_CAN_PRIO_MAX
};

#define TCA_CAN_PRIO_MAX (__TCA_CAN_PRIO_MAX - 1)

/* The longest TCA_CAN_PRIO_LIFETIME: an hour */
#define CAN_PRIO_MAX_LIFETIME	3600000000000ULL

/**
 * struct tc_can_prio_xstats - statistics of can_prio, in TCA_STATS_APP
 * @expired: frames that were dropped because they had waited too long
 * @refused_limit: frames that were refused because too many waited in the queue
 * @refused_sender: frames that were refused because too many of a sender waited that does not
 *	pay for them with its SO_SNDBUF
 * @refused_memory: frames that were refused because memory was short
 */
struct tc_can_prio_xstats {
	__u64 expired;
	__u64 refused_limit;
	__u64 refused_sender;
	__u64 refused_memory;
};

#endif /* !_UAPI_CAN_SCH_PRIO_H */
