// SPDX-License-Identifier: GPL-2.0-only
/* Gateway rules one after another; see chain.h. */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

#include "chain.h"
#include "cli.h"
#include "gateway.h"
#include "helper.h"
#include "link.h"

#define MAX_HOPS "/sys/module/can_gw/parameters/max_hops"

/* What frames of a hop are sent to, and where they are received: the same interface, or a peer */
static struct between {
	char to[16], from[16];
} between[SETTINGS_PAIRS_MAX];

static unsigned int made;

/* The module drops frames after so many rules. */
static void need_max_hops(unsigned int hops)
{
	unsigned int max = 0;
	FILE *file;
	char option[16];

	/* no effect if it is loaded */
	snprintf(option, sizeof(option), "max_hops=%u", hops);
	helper_run((const char *[]){ "modprobe", "can-gw", option, NULL }, false);
	file = fopen(MAX_HOPS, "re");
	if (!file || fscanf(file, "%u", &max) != 1)
		cli_fail("reading %s", MAX_HOPS);
	fclose(file);
	errno = 0;
	if (max < hops)
		cli_fail("kernel module can-gw is loaded with max_hops=%u, %u are needed", max, hops);
}

static void make_interfaces(unsigned int count, bool pairs)
{
	struct between *one;

	for (one = between; made < count; one++) {
		snprintf(one->to, sizeof(one->to), "cbl%dv%u", getpid(), made);
		snprintf(one->from, sizeof(one->from), "cbl%dv%u%s", getpid(), made,
			 pairs ? "p" : "");
		/* before, because half of a pair may be there after an error */
		made++;
		if (pairs)
			link_make_pair(one->to, one->from);
		else
			link_make_virtual(one->to);
	}
}

void chain_make(const char *in, const char *out, const struct settings *set)
{
	unsigned int last = set->hops - 1;
	const struct between *one;
	const char *from = in;

	need_max_hops(set->vxcan ? 1 : set->hops);
	make_interfaces(set->vcans, set->vxcan);
	gateway_open(in, out);
	for (unsigned int hop = 0; hop < last; hop++) {
		one = &between[hop % set->vcans];
		gateway_hop(from, one->to, set->id + hop, !set->vxcan);
		from = one->from;
	}
	gateway_hop(from, out, set->id + last, false);
}

void chain_remove(void)
{
	while (made)
		link_remove(between[--made].to);
}
