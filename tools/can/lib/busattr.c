// SPDX-License-Identifier: GPL-2.0-only
/* Attributes of simulated buses; see busattr.h. */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "busattr.h"
#include "cli.h"

#define PATH_SIZE 256

static void attribute_path(char path[PATH_SIZE], const char *bus, const char *node,
			   const char *name)
{
	snprintf(path, PATH_SIZE, BUS_ROOT "/%s/%s%s%s", bus, node ? node : "", node ? "/" : "", name);
}

void bus_read(const char *path, char text[BUS_TEXT])
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	size_t length = 0;
	ssize_t got = -1;

	if (fd >= 0)
		while ((got = read(fd, text + length, BUS_TEXT - 1 - length)) > 0)
			length += got;
	if (got)
		cli_fail("reading %s", path);
	close(fd);
	text[length] = '\0';
}

uint64_t bus_get(const char *bus, const char *node, const char *name)
{
	char path[PATH_SIZE], text[BUS_TEXT];

	attribute_path(path, bus, node, name);
	bus_read(path, text);
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
	char path[PATH_SIZE], text[BUS_TEXT], *rest;
	unsigned int count = 0;

	attribute_path(path, bus, NULL, "recent");
	bus_read(path, text);
	for (char *line = strtok_r(text, "\n", &rest); line && count < BUS_RECORDS;
	     line = strtok_r(NULL, "\n", &rest))
		parse_record(line, &records[count++]);
	return count;
}

static void *grown(void *at, size_t size)
{
	at = realloc(at, size);
	errno = 0;
	if (!at)
		cli_fail("no memory for the records of frames");
	return at;
}

uint64_t bus_recorded(const char *bus, const char *node, struct bus_recorded **frames)
{
	size_t length = 0, room = 0;
	char path[PATH_SIZE], *at = NULL;
	ssize_t got;
	int fd;

	attribute_path(path, bus, node, "records");
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		cli_fail("reading %s", path);
	do {
		if (length == room) {
			room = room ? 2 * room : 65536;
			at = grown(at, room);
		}
		got = read(fd, at + length, room - length);
		if (got < 0)
			cli_fail("reading %s", path);
		length += got;
	} while (got);
	close(fd);
	*frames = (struct bus_recorded *)at;
	return length / sizeof(**frames);
}
