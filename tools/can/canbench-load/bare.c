// SPDX-License-Identifier: GPL-2.0-only
/* The module cansim-bare; see bare.h. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "bare.h"
#include "cli.h"
#include "helper.h"
#include "link.h"

#define PARAMETERS "/sys/module/cansim_bare/parameters/"

static bool started;

static bool set_copy(const char *text)
{
	int fd = open(PARAMETERS "copy", O_WRONLY | O_CLOEXEC);
	bool set = fd >= 0 && write(fd, text, strlen(text)) >= 0;
	int error = errno;

	if (fd >= 0)
		close(fd);
	errno = error;
	return set;
}

void bare_start(const char *from, const char *to, bool both)
{
	char text[64];

	helper_run((const char *[]){ "modprobe", "cansim-bare", NULL }, false);
	link_down(from);
	link_down(to);
	snprintf(text, sizeof(text), "%s %s%s\n", from, to, both ? " both" : "");
	if (!set_copy(text))
		cli_fail("the module cansim-bare does not copy frames from %s to %s", from, to);
	started = true;
}

uint64_t bare_copied(void)
{
	FILE *file = fopen(PARAMETERS "copied", "r");
	uint64_t copied;

	if (!file || fscanf(file, "%" SCNu64, &copied) != 1)
		cli_fail(PARAMETERS "copied");
	fclose(file);
	return copied;
}

void bare_stop(void)
{
	if (!started)
		return;
	started = false;
	if (!set_copy("\n"))
		cli_warn("the module cansim-bare does not end copying");
}
