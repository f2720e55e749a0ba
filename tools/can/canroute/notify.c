// SPDX-License-Identifier: GPL-2.0-only
/*
 * The status of a service: one datagram to the socket that NOTIFY_SOCKET names. Errors are
 * ignored, because nothing depends on the status.
 */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "notify.h"

/* '@' stands for the null byte with which an abstract address begins. */
static socklen_t set_address(struct sockaddr_un *address, const char *name)
{
	size_t len = strlen(name);

	if ((*name != '/' && *name != '@') || len >= sizeof(address->sun_path))
		return 0;
	*address = (struct sockaddr_un){ .sun_family = AF_UNIX };
	memcpy(address->sun_path, name, len);
	if (*name == '@')
		address->sun_path[0] = '\0';
	return offsetof(struct sockaddr_un, sun_path) + len;
}

void notify_status(const char *text)
{
	const char *name = getenv("NOTIFY_SOCKET");
	struct sockaddr_un address;
	socklen_t len = name ? set_address(&address, name) : 0;
	char message[1024];
	int fd;

	if (!len)
		return;
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return;
	snprintf(message, sizeof(message), "STATUS=%s", text);
	sendto(fd, message, strlen(message), MSG_NOSIGNAL, (struct sockaddr *)&address, len);
	close(fd);
}
