// SPDX-License-Identifier: GPL-2.0-only
/* A gateway in user space; see forwarder.h. It is in a process group of its own. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli.h"
#include "forwarder.h"
#include "rt.h"

#define NSEC_PER_MSEC 1000000ULL

/* Time for the command to end by itself after SIGTERM */
#define END_MS 2000

static pid_t group;

static _Noreturn void run_command(const char *command, const char *from, const char *to,
				  pid_t parent)
{
	char line[4096];

	/* A shell that does not become the command itself stays in the group. */
	if (snprintf(line, sizeof(line), "%s \"$@\"", command) >= (int)sizeof(line))
		_exit(126);
	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	/* it may have ended before */
	if (getppid() != parent)
		_exit(126);
	dup2(open("/dev/null", O_WRONLY), STDOUT_FILENO);
	execl("/bin/sh", "sh", "-c", line, "sh", from, to, NULL);
	_exit(127);
}

void forwarder_start(const char *command, const char *from, const char *to)
{
	pid_t self = getpid();

	group = fork();
	if (group < 0)
		cli_fail("starting '%s'", command);
	if (!group)
		run_command(command, from, to, self);
	/* the child does the same: whoever is first */
	setpgid(group, group);
}

static bool has_ended(void)
{
	return group && waitpid(group, NULL, WNOHANG) == group;
}

void forwarder_check(void)
{
	if (!has_ended())
		return;
	group = 0;
	errno = 0;
	cli_fail("the program of --forwarder has ended");
}

void forwarder_stop(void)
{
	if (!group)
		return;
	kill(-group, SIGTERM);
	for (int ms = 0; ms < END_MS && !has_ended(); ms++)
		rt_sleep_until(rt_now() + NSEC_PER_MSEC);
	kill(-group, SIGKILL);
	waitpid(group, NULL, 0);
	group = 0;
}
