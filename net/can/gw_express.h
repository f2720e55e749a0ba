/* SPDX-License-Identifier: (GPL-2.0 OR BSD-3-Clause) */
/*
 * Express rules: the interrupt that reads a frame routes it (linux/can/express.h).
 *
 * The express rules of a source device are in an immutable table, beside the filter index
 * for softirqs, in which they are, too. Each table of a source has a generation, which the
 * frames that were offered to it carry. So a softirq knows which of the current rules have had a
 * frame, and each rule gets a frame once, also if it becomes an express rule or an ordinary
 * one, or the whole table of rules is replaced. A frame that the source sends is offered
 * to no table: its express rules run in softirqs when it is echoed.
 *
 * Frames that an ordinary rule has to route, or has routed, may wait in the ring of the
 * source or in the queueing discipline of the destination. If the rule becomes an express
 * rule, the next frame must not overtake them. So the rule is pending at first: it is in the
 * table, but interrupts leave its frames to softirqs. The interrupt that finds none of them
 * left switches it, and begins with the frame that it has in hand. This needs nothing but
 * the next frame, and there is no count of frames that could be wrong for ever:
 *
 *	ring		position of the last frame that was left to softirqs, and how many
 *			entries NAPI has not passed on (can_express_ops.waiting)
 *	qdisc		empty and not running, for whoever has sent the frames in it
 *	driver		nothing to wait for: both kinds of frames are in one transmit queue,
 *			in which those with the same identifier keep their order
 *
 * A switch draws a new generation, which the frame carries, too. So it depends on the above
 * in which order frames are sent, but not how often: that only depends on generations.
 *
 * Contexts: __cgw_express_had() runs in softirqs, under rcu_read_lock(), on any number of
 * CPUs. The rules of a table run with interrupts off, which RCU waits for, one frame at a
 * time. All other functions are for writers: process context, under rtnl_lock(), may sleep.
 * Tables, and the rules that are removed from them, are freed after an RCU grace period.
 *
 * Interrupts and writers both write cgw_express.history, with cmpxchg. A writer replaces the
 * table of a source in these steps, none of which can fail:
 *
 *	cgw_express_supersede()	no rule of the current table switches to a generation after
 *				that of the new one
 *	cgw_express_follow()	softirqs, which use the old rules, know what interrupts will
 *				have routed
 *	cgw_express_attach()	interrupts use the new table
 *	(the caller)			softirqs use the new rules
 *	cgw_express_arm()	pending rules may switch
 */
#ifndef _NET_CAN_GW_EXPRESS_H
#define _NET_CAN_GW_EXPRESS_H

#include <linux/atomic.h>
#include <linux/can/can-ml.h>
#include <linux/types.h>

#include "gw_express_index.h"

struct can_express_flow;
struct cgw_express_table;
struct cgw_rule;
struct cgw_source;
struct net_device;
struct sk_buff;

/**
 * struct cgw_express - what a rule has to do with interrupts
 * @flow: counters, with a reference, or NULL
 * @lifetime: ns after which a frame is not sent any more, 0 for no limit
 * @on: it is an express rule, perhaps a pending one; for writers
 * @history: for softirqs: in which generations interrupts have routed by it, see
 *	gw_express.c
 */
struct cgw_express {
	struct can_express_flow *flow;
	u64 lifetime;
	bool on;
	atomic64_t history;
};

/**
 * struct cgw_express_port - the express rules of a source device
 * @table: those that its frames are offered to, or NULL; for writers
 * @generation: the last one. Writers draw one for a change, interrupts for a switch
 * @refreshed: the generation in which writers have last looked for rules that have not
 *	changed for very long
 */
struct cgw_express_port {
	struct cgw_express_table *table;
	atomic_t generation;
	u32 refreshed;
};

/**
 * struct cgw_express_refused - why express rules were refused
 * @limit: reason
 * @filter: of the rule that was refused
 * @other: of a rule that it is in conflict with, for %CGW_EXPRESS_LIMIT_HITS
 */
struct cgw_express_refused {
	enum cgw_express_limit limit;
	struct can_filter filter;
	struct can_filter other;
};

#ifdef CAN_GW_EXPRESS

bool cgw_express_source(const struct net_device *dev);
bool cgw_express_destination(const struct net_device *dev);
int cgw_express_init(struct cgw_rule *rule, u64 lifetime);
void cgw_express_exit(struct cgw_express *express);
void cgw_express_add_stats(const struct cgw_express *express, u64 *sum);
bool cgw_express_pending(const struct cgw_express *express);
bool __cgw_express_had(const struct cgw_express *express,
		       const struct sk_buff *skb);

int cgw_express_make(const struct cgw_source *source, struct net_device *dev,
		     struct cgw_rule *old, struct cgw_rule *new,
		     struct cgw_express_table **table,
		     struct cgw_express_refused *refused);
void cgw_express_discard(struct cgw_express_table *table);
void cgw_express_attach(struct net_device *dev,
			struct cgw_express_port *port,
			struct cgw_express_table *table);
void cgw_express_begin(struct cgw_express_port *port);
void cgw_express_end(struct net_device *dev, struct cgw_express_port *port);
void cgw_express_remove(struct cgw_express_port *port, const struct cgw_rule *rule);
bool cgw_express_unused(const struct cgw_express_port *port);
u32 cgw_express_supersede(struct cgw_express_port *port, struct cgw_source *source,
			  struct cgw_express_table *table);
void cgw_express_arm(struct cgw_express_port *port);
void cgw_express_follow(struct cgw_rule *new, struct cgw_rule *old,
			u32 generation);
void cgw_express_replace(struct cgw_rule *rule, struct cgw_rule *new,
			 u32 generation);

#else /* CAN_GW_EXPRESS */

static inline bool cgw_express_source(const struct net_device *dev)
{
	return false;
}

static inline bool cgw_express_destination(const struct net_device *dev)
{
	return false;
}

static inline int cgw_express_init(struct cgw_rule *rule, u64 lifetime)
{
	return -EOPNOTSUPP;
}

static inline void cgw_express_exit(struct cgw_express *express)
{
}

static inline void cgw_express_add_stats(const struct cgw_express *express,
					 u64 *sum)
{
}

static inline bool cgw_express_pending(const struct cgw_express *express)
{
	return false;
}

static inline bool __cgw_express_had(const struct cgw_express *express,
				     const struct sk_buff *skb)
{
	return false;
}

static inline int cgw_express_make(const struct cgw_source *source,
				   struct net_device *dev, struct cgw_rule *old,
				   struct cgw_rule *new,
				   struct cgw_express_table **table,
				   struct cgw_express_refused *refused)
{
	*table = NULL;
	return 0;
}

static inline void cgw_express_discard(struct cgw_express_table *table)
{
}

static inline void cgw_express_attach(struct net_device *dev,
				      struct cgw_express_port *port,
				      struct cgw_express_table *table)
{
}

static inline void cgw_express_begin(struct cgw_express_port *port)
{
}

static inline void cgw_express_end(struct net_device *dev,
				   struct cgw_express_port *port)
{
}

static inline void cgw_express_remove(struct cgw_express_port *port,
				      const struct cgw_rule *rule)
{
}

static inline bool cgw_express_unused(const struct cgw_express_port *port)
{
	return false;
}

static inline u32 cgw_express_supersede(struct cgw_express_port *port,
					struct cgw_source *source,
					struct cgw_express_table *table)
{
	return 0;
}

static inline void cgw_express_arm(struct cgw_express_port *port)
{
}

static inline void cgw_express_follow(struct cgw_rule *new, struct cgw_rule *old,
				      u32 generation)
{
}

static inline void cgw_express_replace(struct cgw_rule *rule,
				       struct cgw_rule *new, u32 generation)
{
}

#endif /* CAN_GW_EXPRESS */

#endif /* !_NET_CAN_GW_EXPRESS_H */
