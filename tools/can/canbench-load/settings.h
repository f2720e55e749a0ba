/* SPDX-License-Identifier: GPL-2.0-only */
/* Settings from the command line of canbench-load. */
#ifndef CANBENCH_LOAD_SETTINGS_H
#define CANBENCH_LOAD_SETTINGS_H

#include <stdbool.h>
#include <stdint.h>

#include "background.h"
#include "waiting.h"

/* Bytes of data that hold the number of a frame. With fewer bytes numbers repeat; frames with fewer
 * than NUMBER_LEAST_BYTES have it in the identifier.
 */
#define NUMBER_BYTES 4
#define NUMBER_LEAST_BYTES 2

/* Not an identifier: that of each frame is random */
#define SETTINGS_RANDOM_ID -1

/* Not set: where the program was started, which handles the interrupts; @rx_cpu: any */
#define SETTINGS_DEFAULT_CPU -1

/* Number of express rules that one source can have, with different filters */
#define SETTINGS_RULES_MAX 2048

/* Rules that may handle a frame one after another: a limit of the kernel, and one of this program
 * with pairs of vxcan interfaces, behind each of which the kernel begins to count again
 */
#define SETTINGS_HOPS_MAX 6
#define SETTINGS_PAIRS_MAX 24

/* How frames get from one bus to the other */
enum settings_route { ROUTE_ORDINARY, ROUTE_EXPRESS, ROUTE_BARE, ROUTE_FORWARDER };

/**
 * struct settings - settings of a measurement
 * @chip: controller under test, KIND[:ATTRIBUTE=VALUE...]
 * @gateway: controller that sends on the second bus; NULL: a thread receives the frames
 * @route: with @gateway: by ordinary rules, by express rules, by cansim-bare, or by a program
 * @forwarder: this program; @table: file of rules for canroute(8), or NULL
 * @rules: with @gateway: number of rules, without @table
 * @hops: with @gateway: rules that handle a frame one after another; @vcans: virtual interfaces
 *	between them, in turn, or with @vxcan, pairs of interfaces
 * @both: with @gateway: frames come on both buses, and are routed to the other one
 * @background: background load; @ping_bytes: data of each ping; @datagrams: per second, of a card
 * @queue: transmit queue length of the second interface; 0: default
 * @burst: back-to-back frames; @period: from one burst to the next in ns, 0: no pause
 * @one: each frame follows the last one on the second bus, or @period
 * @load_percent: of the bus, which sets @period; 0: @period is set
 * @id: identifier of all frames, or of the first one
 * @seed: of what is random; 0: nothing is
 * @jitter: with @seed, each burst begins later by less than this, ns
 * @count: measured frames
 * @priority: real-time priority of the receiving thread; 0: normal priority
 * @napi_priority: real-time priority of the NAPI threads; 0: NAPI runs in softirq
 * @irq_priority: real-time priority of the interrupt threads; 0: default
 * @rx_priority: real-time priority of the threads that give frames to sockets; 0: default
 * @load_cpu: CPU of the background load; @reader_cpu: of the receiving thread; @rx_cpu: of
 *	the threads that give frames to sockets
 * @busy_poll: time that read() polls the driver before it sleeps, us; 0: none
 * @waiting: how the receiving thread waits
 * @flush_timeout: time for which receive interrupts may be deferred, ns; 0: none
 * @stamp: also get the kernel timestamps
 * @search: find the highest rate without loss
 * @frames: also report each frame
 */
struct settings {
	const char *chip, *gateway, *label, *forwarder, *table;
	enum background_kind background;
	uint32_t bitrate;
	uint64_t burst, period, count, busy_poll, flush_timeout, seed, jitter;
	unsigned int ping_bytes, dlc, priority, napi_priority, irq_priority, rx_priority, queue, rules;
	unsigned int load_percent, datagrams, hops, vcans;
	int id;
	enum settings_route route;
	enum waiting waiting;
	int load_cpu, reader_cpu, rx_cpu;
	bool both, stamp, search, json, one, frames, vxcan;
};

#endif
