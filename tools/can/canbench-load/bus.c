// SPDX-License-Identifier: GPL-2.0-only
/* Simulated buses; see bus.h. */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
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

#define CONFIGFS "/sys/kernel/config"
#define ROOT CONFIGFS "/cansim"
#define PATH_SIZE 256
#define TEXT_SIZE 4096

/* Buses that were made, and nodes on each of them */
#define BUSES 2
#define NODES 2

static struct made {
	char path[PATH_SIZE];
	char node[NODES][PATH_SIZE];
	unsigned int nodes;
} made[BUSES];

static unsigned int buses;

void bus_need(void)
{
	if (!access(ROOT, F_OK))
		return;
	helper_run((const char *[]){ "modprobe", "cansim", NULL });
	/* configfs may be mounted already */
	if (access(ROOT, F_OK))
		mount("none", CONFIGFS, "configfs", 0, NULL);
	errno = 0;
	if (access(ROOT, F_OK))
		cli_fail("there is no " ROOT ": it takes root and the kernel module cansim");
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

static void attribute_path(char path[PATH_SIZE], const char *bus, const char *node,
			   const char *name)
{
	snprintf(path, PATH_SIZE, ROOT "/%s/%s%s%s", bus, node ? node : "", node ? "/" : "", name);
}

void bus_make(const char *bus)
{
	struct made *new = &made[buses];

	snprintf(new->path, sizeof(new->path), ROOT "/%s", bus);
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
	snprintf(on->node[on->nodes], PATH_SIZE, ROOT "/%s/%s", bus, node);
	make_dir(on->node[on->nodes], words);
	on->nodes++;
	if (rest)
		set_attributes(bus, node, rest);
	free(words);
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
		while (last->nodes)
			rmdir(last->node[--last->nodes]);
		if (rmdir(last->path))
			cli_warn("%s stays: %s", last->path, strerror(errno));
		buses--;
	}
}

static size_t read_text(const char *path, char *text)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	size_t length = 0;
	ssize_t got = -1;

	if (fd >= 0)
		while ((got = read(fd, text + length, TEXT_SIZE - 1 - length)) > 0)
			length += got;
	if (got)
		cli_fail("reading %s", path);
	close(fd);
	text[length] = '\0';
	return length;
}

/* The driver may have chosen another name than the NAME of the node. */
static void name_interface(const char *node)
{
	const char *name = strchr(strrchr(node, '/'), '.') + 1;
	char path[PATH_SIZE + 16], now[TEXT_SIZE];

	snprintf(path, sizeof(path), "%s/interface", node);
	if (access(path, F_OK))
		return; /* a node without interface */
	read_text(path, now);
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

uint64_t bus_get(const char *bus, const char *node, const char *name)
{
	char path[PATH_SIZE], text[TEXT_SIZE];

	attribute_path(path, bus, node, name);
	read_text(path, text);
	return strtoull(text, NULL, 10);
}

void bus_set(const char *bus, const char *node, const char *name, const char *value)
{
	size_t length = strlen(value);
	char path[PATH_SIZE];
	int fd;

	attribute_path(path, bus, node, name);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0 || write(fd, value, length) != (ssize_t)length)
		cli_fail("writing '%s' to %s", value, path);
	close(fd);
}

void bus_set_number(const char *bus, const char *node, const char *name, uint64_t value)
{
	char text[24];

	snprintf(text, sizeof(text), "%" PRIu64, value);
	bus_set(bus, node, name, text);
}

static unsigned int digit(char c)
{
	return c <= '9' ? c - '0' : c - 'A' + 10;
}

static unsigned int parse_data(const char *text, unsigned char data[CAN_MAX_DLEN])
{
	unsigned int length = 0;

	while (length < CAN_MAX_DLEN && isxdigit((unsigned char)text[2 * length])) {
		data[length] = digit(text[2 * length]) << 4 | digit(text[2 * length + 1]);
		length++;
	}
	return length;
}

/*
 * START BITS ok|ERROR ID#DATA. This runs between bursts, on the CPU that is measured;
 * sscanf() would take ten times as long.
 */
static void parse_record(const char *line, struct bus_record *record)
{
	char *at, *id;

	memset(record, 0, sizeof(*record));
	record->start = strtoull(line, &at, 10);
	record->bits = strtoul(at, &at, 10);
	id = strrchr(at, ' ');
	errno = 0;
	if (!id || !strchr(id, '#'))
		cli_fail("a bus says '%s' of a frame, which is not understood", line);
	record->ok = !strncmp(at, " ok ", 4);
	record->frame.can_id = strtoul(id + 1, &at, 16);
	if (at - id > 4)
		record->frame.can_id |= CAN_EFF_FLAG;
	record->frame.len = parse_data(at + 1, record->frame.data);
}

unsigned int bus_recent(const char *bus, struct bus_record records[BUS_RECORDS])
{
	char path[PATH_SIZE], text[TEXT_SIZE], *rest;
	unsigned int count = 0;

	attribute_path(path, bus, NULL, "recent");
	read_text(path, text);
	for (char *line = strtok_r(text, "\n", &rest); line && count < BUS_RECORDS;
	     line = strtok_r(NULL, "\n", &rest))
		parse_record(line, &records[count++]);
	return count;
}
