// SPDX-License-Identifier: GPL-2.0-only
/* Simulated buses; see bus.h. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bus.h"
#include "cli.h"
#include "helper.h"
#include "link.h"

#define PATH_SIZE 256

/* Buses that were made, and nodes on each of them */
#define BUSES 2
#define NODES 4

static struct made {
	char path[PATH_SIZE];
	char node[NODES][PATH_SIZE];
	unsigned int nodes;
	char link[PATH_SIZE + 16];
} made[BUSES];

static unsigned int buses;

void bus_need(void)
{
	if (!access(BUS_ROOT, F_OK))
		return;
	helper_run((const char *[]){ "modprobe", "cansim", NULL }, false);
	/* configfs may be mounted already */
	if (access(BUS_ROOT, F_OK))
		mount("none", BUS_CONFIGFS, "configfs", 0, NULL);
	errno = 0;
	if (access(BUS_ROOT, F_OK))
		cli_fail("there is no " BUS_ROOT ": it takes root and the kernel module cansim");
}

static void make_dir(const char *path, const char *what)
{
	if (!mkdir(path, 0755))
		return;
	if (errno == ENODEV || errno == ENOENT || errno == EINVAL) {
		errno = 0;
		cli_fail("cansim does not know '%s'", what);
	}
	cli_fail("making %s", path);
}

void bus_make(const char *bus)
{
	struct made *new = &made[buses];

	snprintf(new->path, sizeof(new->path), BUS_ROOT "/%s", bus);
	make_dir(new->path, bus);
	buses++;
}

static struct made *find_bus(const char *bus)
{
	for (unsigned int i = 0; i < buses; i++)
		if (!strcmp(strrchr(made[i].path, '/') + 1, bus))
			return &made[i];
	abort();
}

static void set_attributes(const char *bus, const char *node, char *words)
{
	char *rest, *value;

	for (char *word = strtok_r(words, ":", &rest); word; word = strtok_r(NULL, ":", &rest)) {
		value = strchr(word, '=');
		errno = 0;
		if (!value)
			cli_fail("'%s' of a controller is not ATTRIBUTE=VALUE", word);
		*value++ = '\0';
		bus_set(bus, node, word, value);
	}
}

void bus_node(const char *bus, const char *kind, const char *name, char node[BUS_NODE_NAME])
{
	struct made *on = find_bus(bus);
	char *words = strdup(kind), *rest = words;

	if (!words)
		cli_fail("no memory");
	strsep(&rest, ":");
	errno = 0;
	if (snprintf(node, BUS_NODE_NAME, "%s.%s", words, name) >= BUS_NODE_NAME)
		cli_fail("cansim does not know '%s'", words);
	snprintf(on->node[on->nodes], PATH_SIZE, BUS_ROOT "/%s/%s", bus, node);
	make_dir(on->node[on->nodes], words);
	on->nodes++;
	if (rest)
		set_attributes(bus, node, rest);
	free(words);
}

void bus_connect(const char *bus, const char *trigger, const char *other,
		 const char *generator)
{
	struct made *on = find_bus(bus);
	char to[PATH_SIZE];

	snprintf(to, sizeof(to), BUS_ROOT "/%s/%s", other, generator);
	snprintf(on->link, sizeof(on->link), BUS_ROOT "/%s/%s/generator", bus, trigger);
	if (symlink(to, on->link))
		cli_fail("linking %s", on->link);
}

/* Errors are reported, and the rest is removed. */
static void end_live(const char *bus)
{
	char path[PATH_SIZE + 8];
	int fd;

	snprintf(path, sizeof(path), "%s/live", bus);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return;
	/* EPERM: it is not live */
	if (write(fd, "0", 1) != 1 && errno != EPERM)
		cli_warn("%s does not end", bus);
	close(fd);
}

void bus_remove_all(void)
{
	while (buses) {
		struct made *last = &made[buses - 1];

		end_live(last->path);
		if (last->link[0])
			unlink(last->link);
		while (last->nodes)
			rmdir(last->node[--last->nodes]);
		if (rmdir(last->path))
			cli_warn("%s stays: %s", last->path, strerror(errno));
		buses--;
	}
}

/* The driver may have chosen another name than the NAME of the node. */
static void name_interface(const char *node)
{
	const char *name = strchr(strrchr(node, '/'), '.') + 1;
	char path[PATH_SIZE + 16], now[BUS_TEXT];

	snprintf(path, sizeof(path), "%s/interface", node);
	if (access(path, F_OK))
		return; /* a node without interface */
	bus_read(path, now);
	now[strcspn(now, "\n")] = '\0';
	if (strcmp(now, name))
		link_rename(now, name);
}

void bus_live(const char *bus)
{
	const struct made *live = find_bus(bus);

	bus_set(bus, NULL, "live", "1");
	for (unsigned int i = 0; i < live->nodes; i++)
		name_interface(live->node[i]);
}
