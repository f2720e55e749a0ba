// SPDX-License-Identifier: GPL-2.0-only
/*
 * Simulated buses in configfs; see simbus.h.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <net/if.h>

#include <libmnl/libmnl.h>
#include <linux/rtnetlink.h>

#include "cantest.h"
#include "simbus.h"

#define CONFIGFS	"/sys/kernel/config"
#define ROOT		CONFIGFS "/cansim"
#define PATH_SIZE	256
#define FULL_SIZE	(3 * PATH_SIZE)

/* So long udev has to have nothing to do */
#define UDEV_QUIET_MS	3

const struct sim_chip sim_sja1000 = {
	.kind = "sja1000", .fifo = 5, .counters = true, .bus_errors = true,
	.lost_arbitration = true, .one_shot = true, .presume_ack = true,
};

const struct sim_chip sim_mpc5200 = { .kind = "mpc5200", .fifo = 5 };

const struct sim_chip sim_mpc5121 = {
	.kind = "mpc5121", .fifo = 5, .counters = true,
};

const struct sim_chip sim_mcp2515 = {
	.kind = "mcp2515", .fifo = 2, .spi = true, .finishes = true,
};

const struct sim_chip sim_mcp2510 = {
	.kind = "mcp2510", .fifo = 2, .spi = true, .finishes = true,
};

static void path_of(char *buf, const char *path)
{
	snprintf(buf, FULL_SIZE, ROOT "/%s", path);
}

static void attribute_of(char *buf, const char *path, const char *attribute)
{
	snprintf(buf, FULL_SIZE, ROOT "/%s/%s", path, attribute);
}

/*
 * Buses that tests of this program have made and not removed, in memory that the program
 * shares with the processes of its tests. The next test, or the program at its end,
 * removes those of a test that has crashed or was killed.
 */
static struct made {
	pid_t program;
	char bus[SIM_BUSES][64];
} *made;

static char *find_made(const char *bus)
{
	unsigned int i;

	for (i = 0; i < SIM_BUSES; i++)
		if (!strcmp(made->bus[i], bus))
			return made->bus[i];
	return NULL;
}

/* Mount configfs for this process if it is not mounted. */
static int have_configfs(void)
{
	if (access(ROOT, F_OK) && access("/sys/module/cansim", F_OK) &&
	    system("modprobe -q cansim"))
		return -ENOENT;
	if (!access(ROOT, F_OK))
		return 0;
	if (unshare(CLONE_NEWNS) ||
	    mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    mount("none", CONFIGFS, "configfs", 0, NULL))
		return -errno;
	return access(ROOT, F_OK) ? -ENOENT : 0;
}

__attribute__((constructor)) static void made_init(void)
{
	made = mmap(NULL, sizeof(*made), PROT_READ | PROT_WRITE,
		    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (made == MAP_FAILED)
		abort();
	made->program = getpid();
}

__attribute__((destructor)) static void made_end(void)
{
	unsigned int i;

	if (getpid() != made->program)
		return;
	for (i = 0; i < SIM_BUSES && !made->bus[i][0]; i++)
		;
	if (i < SIM_BUSES && !have_configfs())
		sim_close();
}

int sim_open(void)
{
	int err = have_configfs();

	if (err)
		return err;
	sim_close();
	return mlockall(MCL_CURRENT | MCL_FUTURE) ? -errno : 0;
}

static int make_dir(const char *path)
{
	char buf[FULL_SIZE];

	path_of(buf, path);
	return mkdir(buf, 0755) ? -errno : 0;
}

int sim_bus_add(const char *bus)
{
	char *entry = find_made("");
	int err;

	/* a node is removed with its bus */
	if (strchr(bus, '/'))
		return make_dir(bus);
	if (!entry || strlen(bus) >= sizeof(made->bus[0]))
		return -ENOSPC;
	err = make_dir(bus);
	if (!err)
		memcpy(entry, bus, strlen(bus) + 1);
	return err;
}

int sim_node_add(const char *bus, const char *node)
{
	char path[PATH_SIZE];

	snprintf(path, sizeof(path), "%s/%s", bus, node);
	return make_dir(path);
}

int sim_bus_make(const char *bus, const char *nodes)
{
	char list[PATH_SIZE], *node, *state = NULL;
	int err = sim_bus_add(bus);

	snprintf(list, sizeof(list), "%s", nodes);
	for (node = strtok_r(list, " ", &state); node && !err;
	     node = strtok_r(NULL, " ", &state))
		err = sim_node_add(bus, node);
	return err;
}

int sim_controller_make(const char *bus, const char *kind, const char *name,
			char path[64])
{
	char node[48];

	snprintf(node, sizeof(node), "%s.%s", kind, name);
	snprintf(path, 64, "%s/%s", bus, node);
	return sim_bus_make(bus, "generator.gen") ?: sim_node_add(bus, node);
}

/* A node takes part after eleven recessive bits. */
void sim_settle(void)
{
	struct timespec pause = { .tv_nsec = 2000000 };

	nanosleep(&pause, NULL);
}

/* Call a function for each node, until it returns an error. */
static int visit_nodes(const char *bus,
		       int (*visit)(const char *bus, const char *node))
{
	struct dirent *entry;
	char buf[FULL_SIZE];
	int err = 0;
	DIR *dir;

	path_of(buf, bus);
	dir = opendir(buf);
	if (!dir)
		return -errno;
	while (!err && (entry = readdir(dir)))
		if (entry->d_type == DT_DIR && entry->d_name[0] != '.')
			err = visit(bus, entry->d_name);
	closedir(dir);
	return err;
}

static int rename_interface(const char *from, const char *to)
{
	char buf[MNL_SOCKET_BUFFER_SIZE];
	struct ifinfomsg *ifi;
	struct nlmsghdr *nlh;

	nlh = mnl_nlmsg_put_header(buf);
	nlh->nlmsg_type = RTM_SETLINK;
	ifi = mnl_nlmsg_put_extra_header(nlh, sizeof(*ifi));
	ifi->ifi_index = if_nametoindex(from);
	if (!ifi->ifi_index)
		return -ENODEV;
	mnl_attr_put_strz(nlh, IFLA_IFNAME, to);
	return ct_nl(nlh);
}

/* The driver may have chosen another name than the NAME of the node. */
static int name_interface(const char *bus, const char *node)
{
	char path[2 * PATH_SIZE], now[IFNAMSIZ];
	const char *name = strchr(node, '.') + 1;
	int len;

	snprintf(path, sizeof(path), "%s/%s", bus, node);
	len = sim_get(path, "interface", now, sizeof(now));
	if (len == -ENOENT)	/* a node without interface */
		return 0;
	if (len <= 0)
		return len ?: -ENODEV;
	return strcmp(now, name) ? rename_interface(now, name) : 0;
}

/* Wait until udev has handled the new interfaces: it takes the CPU for longer than some tests
 * take to receive all their frames. It has this file while there is something to do.
 */
static void settle_udev(void)
{
	struct timespec pause = { .tv_nsec = 1000000 };
	int ms, quiet = 0;

	for (ms = 0; quiet < UDEV_QUIET_MS && ms < CT_TIMEOUT_MS; ms++) {
		nanosleep(&pause, NULL);
		quiet = access("/run/udev/queue", F_OK) ? quiet + 1 : 0;
	}
	if (quiet < UDEV_QUIET_MS)
		printf("# udev does not come to an end\n");
}

int sim_live(const char *bus, bool live)
{
	int err = sim_set(bus, "live", live ? "1" : "0");

	if (err || !live)
		return err;
	err = visit_nodes(bus, name_interface);
	if (err) {
		sim_set(bus, "live", "0");
		return err;
	}
	settle_udev();
	sim_settle();
	return 0;
}

int sim_remove(const char *path)
{
	char buf[FULL_SIZE], *entry;

	path_of(buf, path);
	if (rmdir(buf))
		return -errno;
	entry = *path ? find_made(path) : NULL;
	if (entry)
		entry[0] = '\0';
	return 0;
}

int sim_connect(const char *trigger, const char *node)
{
	char from[FULL_SIZE], to[FULL_SIZE];

	path_of(to, node);
	attribute_of(from, trigger, "generator");
	return symlink(to, from) ? -errno : 0;
}

int sim_disconnect(const char *trigger)
{
	char from[FULL_SIZE];

	attribute_of(from, trigger, "generator");
	return unlink(from) ? -errno : 0;
}

static int disconnect_node(const char *bus, const char *node)
{
	char path[2 * PATH_SIZE];

	snprintf(path, sizeof(path), "%s/%s", bus, node);
	if (!strncmp(node, "trigger.", strlen("trigger.")))
		sim_disconnect(path);
	return 0;
}

static int remove_node(const char *bus, const char *node)
{
	char path[2 * PATH_SIZE];

	snprintf(path, sizeof(path), "%s/%s", bus, node);
	sim_remove(path);
	return 0;
}

void sim_close(void)
{
	char bus[sizeof(made->bus[0])];
	unsigned int i;

	/* a node to which a trigger of another bus is connected cannot be removed */
	for (i = 0; i < SIM_BUSES; i++)
		if (made->bus[i][0])
			visit_nodes(made->bus[i], disconnect_node);
	for (i = 0; i < SIM_BUSES; i++) {
		if (!made->bus[i][0])
			continue;
		memcpy(bus, made->bus[i], sizeof(bus));
		sim_live(bus, false);
		visit_nodes(bus, remove_node);
		sim_remove(bus);
	}
}

int sim_write(const char *file, const char *text)
{
	int fd = open(file, O_WRONLY), err = 0;

	if (fd < 0)
		return -errno;
	if (write(fd, text, strlen(text)) < 0)
		err = -errno;
	close(fd);
	return err;
}

int sim_set(const char *path, const char *attribute, const char *value)
{
	char buf[FULL_SIZE];

	attribute_of(buf, path, attribute);
	return sim_write(buf, value);
}

static int set_all(const char *path, const char *format, va_list args)
{
	char list[PATH_SIZE], *name, *state = NULL;
	int err = 0;

	vsnprintf(list, sizeof(list), format, args);
	for (name = strtok_r(list, " ", &state); name && !err;
	     name = strtok_r(NULL, " ", &state)) {
		char *value = strchr(name, '=');

		if (!value)
			return -EINVAL;
		*value++ = '\0';
		err = sim_set(path, name, value);
	}
	return err;
}

int sim_set_all(const char *path, const char *format, ...)
{
	va_list args;
	int err;

	va_start(args, format);
	err = set_all(path, format, args);
	va_end(args);
	return err;
}

int sim_slow_down(const char *bus)
{
	const char *slowdown = getenv("SIM_SLOWDOWN");

	return slowdown ? sim_set(bus, "slowdown", slowdown) : 0;
}

int sim_get(const char *path, const char *attribute, char *value, size_t size)
{
	char buf[FULL_SIZE];
	ssize_t len;
	int fd;

	attribute_of(buf, path, attribute);
	fd = open(buf, O_RDONLY);
	if (fd < 0)
		return -errno;
	len = read(fd, value, size - 1);
	if (len < 0)
		len = -errno;
	close(fd);
	if (len > 0 && value[len - 1] == '\n')
		len--;
	value[len > 0 ? len : 0] = '\0';
	return len;
}

bool sim_is(const char *path, const char *attribute, const char *value)
{
	char text[64];

	return sim_get(path, attribute, text, sizeof(text)) >= 0 &&
	       !strcmp(text, value);
}

int64_t sim_number(const char *path, const char *attribute)
{
	int64_t value;
	char text[64], *end;
	int len;

	len = sim_get(path, attribute, text, sizeof(text));
	if (len < 0)
		return len;
	value = strtoll(text, &end, 10);
	return len == 0 || *end ? -EBADMSG : value;
}

/* The time of some ten frames at 1 Mbit/s */
static void pause_shortly(void)
{
	struct timespec pause = { .tv_nsec = 1000000 };

	nanosleep(&pause, NULL);
}

int64_t sim_interrupts(const char *path)
{
	char name[64], line[256];
	int64_t count = 0;
	FILE *file;
	char *at;

	snprintf(name, sizeof(name), "/sys/kernel/irq/%d/per_cpu_count",
		 (int)sim_number(path, "irq"));
	file = fopen(name, "r");
	if (!file)
		return -errno;
	if (!fgets(line, sizeof(line), file))
		line[0] = '\0';
	fclose(file);
	for (at = strtok(line, ","); at; at = strtok(NULL, ","))
		count += strtoll(at, NULL, 10);
	return count;
}

int sim_irq_thread(const char *path, const char *name)
{
	char comm[64];

	snprintf(comm, sizeof(comm), "irq/%d-%s", (int)sim_number(path, "irq"), name);
	return ct_thread(comm);
}

int sim_await(const char *path, const char *attribute, int64_t value)
{
	int ms;

	for (ms = 0; ms < CT_TIMEOUT_MS; ms++) {
		if (sim_number(path, attribute) == value)
			return 0;
		pause_shortly();
	}
	return -ETIMEDOUT;
}

int sim_await_above(const char *path, const char *attribute, int64_t value)
{
	int ms;

	for (ms = 0; ms < CT_TIMEOUT_MS; ms++) {
		if (sim_number(path, attribute) > value)
			return 0;
		pause_shortly();
	}
	return -ETIMEDOUT;
}

int sim_run(const char *path, bool run)
{
	return sim_set(path, "run", run ? "1" : "0");
}

int sim_generate(const char *path, const char *format, ...)
{
	va_list args;
	int err;

	va_start(args, format);
	err = set_all(path, format, args);
	va_end(args);
	return err ?: sim_run(path, true) ?: sim_await(path, "run", 0);
}

/* In the notation of candump: 123#0011, 12345678#R4 */
static void parse_frame(const char *text, struct can_frame *frame)
{
	char *end;
	int i;

	memset(frame, 0, sizeof(*frame));
	frame->can_id = strtoul(text, &end, 16);
	if (end - text == 8)
		frame->can_id |= CAN_EFF_FLAG;
	if (*end++ != '#')
		return;
	if (*end == 'R') {
		frame->can_id |= CAN_RTR_FLAG;
		frame->len = strtoul(end + 1, NULL, 16);
		return;
	}
	for (i = 0; i < CAN_MAX_DLEN && sscanf(end + 2 * i, "%2hhx", &frame->data[i]) == 1; i++)
		frame->len++;
}

int sim_records(const char *bus, struct sim_record *records)
{
	char text[4096], frame[40], *line, *rest, *state = NULL;
	int count = 0, len;

	len = sim_get(bus, "recent", text, sizeof(text));
	if (len < 0)
		return len;
	for (line = strtok_r(text, "\n", &state); line && count < SIM_RECORDS;
	     line = strtok_r(NULL, "\n", &state)) {
		struct sim_record *r = &records[count];

		r->start = strtoll(line, &rest, 10);
		if (sscanf(rest, " %u %7s %39s", &r->bits, r->outcome,
			   frame) != 3)
			return -EBADMSG;
		parse_frame(frame, &r->frame);
		count++;
	}
	return count;
}
