// SPDX-License-Identifier: GPL-2.0-only
/* Running other programs. Main thread, or the child with the background load. */
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "helper.h"

int helper_run(const char *const argv[], bool errors)
{
	return helper_run_input(argv, errors, STDIN_FILENO);
}

int helper_run_input(const char *const argv[], bool errors, int input)
{
	posix_spawn_file_actions_t actions;
	int err, status = 0;
	pid_t pid;

	posix_spawn_file_actions_init(&actions);
	if (input != STDIN_FILENO)
		posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
	posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
	if (!errors)
		posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
	err = posix_spawnp(&pid, argv[0], &actions, NULL, (char *const *)argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	if (err)
		return -err;
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return status;
}
