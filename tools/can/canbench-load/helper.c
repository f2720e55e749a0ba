// SPDX-License-Identifier: GPL-2.0-only
/* Running other programs. Main thread. */
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "helper.h"

void helper_run(const char *const argv[])
{
	posix_spawn_file_actions_t actions;
	pid_t pid;

	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
	posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
	if (!posix_spawnp(&pid, argv[0], &actions, NULL, (char *const *)argv, environ))
		while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
			;
	posix_spawn_file_actions_destroy(&actions);
}
