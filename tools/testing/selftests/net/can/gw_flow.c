// SPDX-License-Identifier: GPL-2.0-only
/* Frames that pass the gateway while its rules change: see gw_flow.h. */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>
#include <sys/socket.h>

#include <linux/can/raw.h>

#include "cantest.h"
#include "gw_flow.h"

#define WINDOW	16	/* frames of each source, so that no queue overruns */
#define FIRST	4	/* byte of the data with the mark, and the next one */

/* received copies of the frames of a window, a bit for each mark */
struct window {
	uint32_t marks[GW_FLOW_SOURCES][WINDOW];
	uint32_t first;
};

static canid_t id_of(int source)
{
	return GW_FLOW_ID + source * GW_FLOW_STEP;
}

/* only marked frames, so none of those on the sources */
static int only_marked(const struct gw_flow *flow, int fd)
{
	struct can_filter filters[GW_FLOW_SOURCES];
	int i;

	for (i = 0; i < flow->sources; i++) {
		filters[i].can_id = id_of(i) | CAN_INV_FILTER;
		filters[i].can_mask = CAN_SFF_MASK;
	}
	return ct_raw_filters(fd, filters, flow->sources) ?:
	       ct_raw_set(fd, CAN_RAW_JOIN_FILTERS, 1);
}

int gw_flow_open(struct gw_flow *flow)
{
	int i, err = ct_pin_cpu();

	if (err)
		return err;
	for (i = 0; i < flow->sources; i++) {
		flow->tx[i] = ct_raw_open(flow->source[i]);
		if (flow->tx[i] < 0)
			return flow->tx[i];
	}
	flow->rx = ct_raw_open(0);
	return flow->rx < 0 ? flow->rx : only_marked(flow, flow->rx);
}

void gw_flow_close(const struct gw_flow *flow)
{
	int i;

	for (i = 0; i < flow->sources; i++)
		close(flow->tx[i]);
	close(flow->rx);
}

struct gwnl_rule gw_flow_rule(const struct gw_flow *flow, int source,
			      unsigned int mark)
{
	return (struct gwnl_rule){
		.source = flow->source[source],
		.destination = flow->destination[mark],
		.flags = CAN_GW_FLAGS_ECHO,
		.filter_id = id_of(source),
		.filter_mask = CAN_SFF_MASK | CAN_EFF_FLAG | CAN_RTR_FLAG,
		.op[GWNL_OR] = {
			.fields = GWNL_FIELD(ID) | GWNL_FIELD(DATA),
			.id = mark,
			.data_len = FIRST + 2,
			.data = { [FIRST] = mark, [FIRST + 1] = mark },
		},
	};
}

static const char *send_window(struct gw_flow *flow)
{
	struct can_frame frame;
	uint8_t data[8] = { 0 };
	uint32_t number;
	int i, source;

	for (i = 0; i < WINDOW; i++) {
		number = flow->sent + i;
		memcpy(data, &number, sizeof(number));
		for (source = 0; source < flow->sources; source++) {
			ct_frame(&frame, id_of(source), 8, data);
			flow->error = ct_send(flow->tx[source], &frame,
					      sizeof(frame));
			if (flow->error)
				return "a frame was not sent";
		}
	}
	return NULL;
}

static int receive(int fd, struct can_frame *frame)
{
	struct pollfd pfd = { .fd = fd, .events = POLLIN };
	struct sockaddr_can from;
	socklen_t len = sizeof(from);

	if (poll(&pfd, 1, CT_TIMEOUT_MS) <= 0)
		return -ETIMEDOUT;
	if (recvfrom(fd, frame, sizeof(*frame), 0, (struct sockaddr *)&from,
		     &len) != sizeof(*frame))
		return -errno;
	return from.can_ifindex;
}

static const char *receive_one(struct gw_flow *flow, struct window *window)
{
	struct can_frame frame;
	uint32_t number, bit;
	unsigned int mark;
	int ifindex, source;

	ifindex = receive(flow->rx, &frame);
	flow->error = ifindex;
	if (ifindex < 0)
		return "a frame was lost";
	memcpy(&number, frame.data, sizeof(number));
	flow->error = number;
	if (number - window->first >= WINDOW)
		return "a frame was doubled";
	source = (frame.can_id - GW_FLOW_ID) / GW_FLOW_STEP;
	mark = frame.can_id % GW_FLOW_STEP;
	flow->error = frame.can_id;
	if (source < 0 || source >= flow->sources || mark >= GW_FLOW_MARKS ||
	    mark != frame.data[FIRST] || mark != frame.data[FIRST + 1])
		return "a frame was modified by half of a rule";
	if (ifindex != flow->destination[mark])
		return "a frame of one rule has gone where another sends it";
	bit = 1U << mark;
	if (window->marks[source][number - window->first] & bit)
		return "a frame was routed twice by a rule";
	window->marks[source][number - window->first] |= bit;
	return NULL;
}

/* all marks of one version of the rules, and no others */
static bool together(const struct gw_flow *flow, uint32_t marks)
{
	uint32_t all = ((1U << flow->copies) - 1) << 1;

	while (all && marks != all)
		all <<= flow->copies;
	return all;
}

static const char *exchange(struct gw_flow *flow)
{
	struct window window = { .first = flow->sent };
	const char *failure = send_window(flow);
	int i, source;

	for (i = 0; i < WINDOW * flow->sources * flow->copies && !failure; i++)
		failure = receive_one(flow, &window);
	for (i = 0; i < WINDOW * flow->sources && !failure; i++) {
		source = i / WINDOW;
		flow->error = window.marks[source][i % WINDOW];
		if (!together(flow, window.marks[source][i % WINDOW]))
			failure = "a frame was routed by parts of two tables";
	}
	flow->sent += WINDOW;
	return failure;
}

struct changer {
	int (*change)(unsigned int number, void *data);
	void *data;
	atomic_uint changes;
	atomic_bool stop;
	int error;
};

static void *change_rules(void *data)
{
	struct changer *changer = data;
	unsigned int number;

	while (!atomic_load(&changer->stop) && !changer->error) {
		number = atomic_load(&changer->changes);
		changer->error = changer->change(number, changer->data);
		atomic_store(&changer->changes, number + 1);
	}
	atomic_store(&changer->stop, true);
	return NULL;
}

const char *gw_flow_run(struct gw_flow *flow, unsigned int frames,
			unsigned int changes,
			int (*change)(unsigned int number, void *data),
			void *data)
{
	struct changer changer = { .change = change, .data = data };
	const char *failure = NULL;
	pthread_t thread;

	flow->error = -pthread_create(&thread, NULL, change_rules, &changer);
	if (flow->error)
		return "no thread";
	while (!failure && !atomic_load(&changer.stop) &&
	       (flow->sent < frames ||
		atomic_load(&changer.changes) < changes))
		failure = exchange(flow);
	atomic_store(&changer.stop, true);
	pthread_join(thread, NULL);
	flow->changes = atomic_load(&changer.changes);
	if (!failure && changer.error) {
		flow->error = changer.error;
		failure = "a change was refused";
	}
	/* by the last version of the rules */
	return failure ?: exchange(flow);
}
