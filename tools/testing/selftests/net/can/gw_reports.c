// SPDX-License-Identifier: GPL-2.0-only
/* What the kernel reports during a test: see gw_reports.h. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cantest.h"
#include "gw_reports.h"

#define KMEMLEAK	"/sys/kernel/debug/kmemleak"
#define TAINTED		"/proc/sys/kernel/tainted"

/* Of Documentation/admin-guide/tainted-kernels.rst: bad page, oops, warning, lockup */
#define REPORTS		(32 | 128 | 512 | 16384)

static bool ask_kmemleak(const char *what)
{
	int fd = open(KMEMLEAK, O_WRONLY | O_CLOEXEC);
	bool done = fd >= 0 && write(fd, what, strlen(what)) > 0;

	if (fd >= 0)
		close(fd);
	return done;
}

static unsigned long taint(void)
{
	FILE *file = fopen(TAINTED, "re");
	unsigned long bits = 0;

	if (!file)
		return 0;
	if (fscanf(file, "%lu", &bits) != 1)
		bits = 0;
	fclose(file);
	return bits & REPORTS;
}

/* reports since the last "clear" that name the gateway */
static int count_leaks(void)
{
	FILE *file = fopen(KMEMLEAK, "re");
	char line[256];
	int found = 0;

	if (!file)
		return 0;
	while (fgets(line, sizeof(line), file)) {
		if (!strstr(line, "cgw_") && !strstr(line, "can_gw"))
			continue;
		printf("# %s", line);
		found++;
	}
	fclose(file);
	return found;
}

void gw_reports_begin(struct gw_reports *reports)
{
	reports->taint = taint();
	reports->leaks = ct_own_machine() && ask_kmemleak("clear");
}

int gw_reports_count(const struct gw_reports *reports)
{
	unsigned long bits = taint() & ~reports->taint;
	int found = 0;

	if (ct_own_machine() && bits) {
		printf("# the kernel is tainted, 0x%lx\n", bits);
		found++;
	}
	if (reports->leaks && ask_kmemleak("scan") && ask_kmemleak("scan"))
		found += count_leaks();
	return found;
}
