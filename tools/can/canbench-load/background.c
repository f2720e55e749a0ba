// SPDX-License-Identifier: GPL-2.0-only
/*
 * Background load. The child counts its work in a page that it shares with the program.
 * It is killed when the program ends; its namespaces and interfaces are then removed.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <netinet/ip_icmp.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <netlink/netlink.h>
#include <netlink/route/addr.h>
#include <netlink/route/link.h>
#include <netlink/route/link/veth.h>

#include "cli.h"
#include "background.h"
#include "helper.h"
#include "rt.h"

/* As with ping -f: the next ping is sent after the reply, or after this time. */
#define PING_WAIT_US 10000

/*
 * Maximum of the varying pause before the next ping. Without a pause, pings and bursts of
 * frames would synchronize.
 */
#define PING_PAUSE_NS 2000000

/*
 * Time limit for the start: nothing answers before the interface is up. The clock of a virtual
 * machine that counts instructions jumps from timer to timer while its programs are read from
 * the host: ten seconds were not always enough.
 */
#define START_TIMEOUT_NS 600000000000ULL

/* The simulated card: its interface and the parameters of its module */
#define CARD_NAME "card"
#define CARD_PARAMETERS "/sys/module/cansim_ether/parameters/"
#define CARD_BYTES 270
#define CARD_TRAIN 1000
#define CARD_PAUSE_MS 200
#define CARD_TX_MBIT 100
#define CARD_TX_BYTES 1472

/* So few frames wait that a queueing discipline such as fq_codel drops none */
#define CARD_TX_BUFFER 40000
#define PORT_DISCARD 9

#define NEAR "10.9.8.1"
#define FAR "10.9.8.2"
/* Nobody has this address. */
#define NOBODY "10.9.8.9"
#define NEAR_NAME "near"
#define FAR_NAME "far"

const char *const background_names[] = {
	[BACKGROUND_NONE] = "none",
	[BACKGROUND_ETHERNET] = "ethernet",
	[BACKGROUND_BACKLOG] = "backlog",
	[BACKGROUND_NAPI] = "napi",
	[BACKGROUND_TRANSMIT] = "transmit",
	[BACKGROUND_CPU] = "cpu",
	[BACKGROUND_HACKBENCH] = "hackbench",
};

#define KINDS (sizeof(background_names) / sizeof(background_names[0]))

/* Written by the child, read by the program */
static struct shared {
	_Atomic uint64_t pings, datagrams, rounds, cpu_of_rounds;
} *shared;

static enum background_kind running;
static size_t ping_bytes;
static unsigned int datagrams;
static pid_t child;
static bool is_child;
/* The end of a pipe that tells the child that this process is there */
static int alive;

enum background_kind background_kind(const char *option, const char *text)
{
	for (unsigned int i = 0; i < KINDS; i++)
		if (!strcmp(background_names[i], text))
			return i;
	cli_usage("%s: '%s' is not none, ethernet, backlog, napi, transmit, cpu or hackbench", option, text);
}

bool background_is_child(void)
{
	return is_child;
}

bool background_uses_card(enum background_kind kind)
{
	return kind == BACKGROUND_BACKLOG || kind == BACKGROUND_NAPI || kind == BACKGROUND_TRANSMIT;
}

static void check_netlink(int error, const char *what)
{
	errno = 0;
	if (error < 0)
		cli_fail("background load: %s: %s", what, nl_geterror(error));
}

static struct nl_sock *open_netlink(void)
{
	struct nl_sock *sock = nl_socket_alloc();

	check_netlink(sock ? nl_connect(sock, NETLINK_ROUTE) : -NLE_NOMEM, "opening a netlink socket");
	return sock;
}

/* Move the process to a new network namespace, and return a file of it. */
static int new_namespace(void)
{
	int fd = unshare(CLONE_NEWNET) ? -1 : open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		cli_fail("background load: creating a network namespace");
	return fd;
}

static void make_veth_pair(int far)
{
	struct nl_sock *sock = open_netlink();
	struct rtnl_link *link = rtnl_link_veth_alloc(), *peer;

	if (!link)
		cli_fail("no memory");
	peer = rtnl_link_veth_get_peer(link);
	rtnl_link_set_name(link, NEAR_NAME);
	rtnl_link_set_name(peer, FAR_NAME);
	rtnl_link_set_ns_fd(peer, far);
	check_netlink(rtnl_link_add(sock, link, NLM_F_CREATE | NLM_F_EXCL), "creating a veth pair");
	rtnl_link_put(peer);
	rtnl_link_put(link);
	nl_socket_free(sock);
}

static void make_card(void)
{
	struct nl_sock *sock = open_netlink();
	struct rtnl_link *link = rtnl_link_alloc();

	if (!link)
		cli_fail("no memory");
	rtnl_link_set_name(link, CARD_NAME);
	check_netlink(rtnl_link_set_type(link, "simether"), "creating a simulated Ethernet card");
	check_netlink(rtnl_link_add(sock, link, NLM_F_CREATE | NLM_F_EXCL),
		      "creating a simulated Ethernet card (module cansim-ether)");
	rtnl_link_put(link);
	nl_socket_free(sock);
}

static void write_parameter(const char *name, const char *value)
{
	char path[64];
	FILE *file;

	snprintf(path, sizeof(path), CARD_PARAMETERS "%s", name);
	file = fopen(path, "we");
	if (!file || fprintf(file, "%s\n", value) < 0 || fclose(file))
		cli_fail("background load: writing %s", path);
}

static void read_parameter(const char *name, char value[16])
{
	char path[64];
	FILE *file;

	snprintf(path, sizeof(path), CARD_PARAMETERS "%s", name);
	file = fopen(path, "re");
	if (!file || fscanf(file, "%15s", value) != 1)
		cli_fail("background load: reading %s", path);
	fclose(file);
}

/* Add the address and bring the interface up, in the namespace of the process. */
static void set_link_up(const char *name, const char *address)
{
	struct rtnl_link *change = rtnl_link_alloc(), *link;
	struct rtnl_addr *entry = rtnl_addr_alloc();
	struct nl_sock *sock = open_netlink();
	struct nl_addr *local;

	check_netlink(rtnl_link_get_kernel(sock, 0, name, &link), name);
	check_netlink(nl_addr_parse(address, AF_INET, &local), address);
	nl_addr_set_prefixlen(local, 24);
	rtnl_addr_set_ifindex(entry, rtnl_link_get_ifindex(link));
	check_netlink(rtnl_addr_set_local(entry, local), address);
	check_netlink(rtnl_addr_add(sock, entry, 0), address);
	rtnl_link_set_flags(change, IFF_UP);
	check_netlink(rtnl_link_change(sock, link, change, 0), name);
	nl_addr_put(local);
	rtnl_addr_put(entry);
	rtnl_link_put(change);
	rtnl_link_put(link);
	nl_socket_free(sock);
}

static void enter_namespace(int namespace)
{
	if (setns(namespace, CLONE_NEWNET))
		cli_fail("background load: entering a network namespace");
}

static void connect_namespaces(void)
{
	int far = new_namespace(), near = new_namespace();

	make_veth_pair(far);
	set_link_up(NEAR_NAME, NEAR);
	enter_namespace(far);
	set_link_up(FAR_NAME, FAR);
	enter_namespace(near);
	/* The open file keeps the far namespace until the process ends. */
}

static int open_ping(void)
{
	struct sockaddr_in to = { .sin_family = AF_INET };
	struct timeval wait = { .tv_usec = PING_WAIT_US };
	int fd = socket(AF_INET, SOCK_RAW | SOCK_CLOEXEC, IPPROTO_ICMP);
	int bytes = 1 << 20;

	inet_pton(AF_INET, FAR, &to.sin_addr);
	if (fd < 0 || connect(fd, (struct sockaddr *)&to, sizeof(to)) ||
	    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof(wait)) ||
	    setsockopt(fd, SOL_SOCKET, SO_SNDBUFFORCE, &bytes, sizeof(bytes)) ||
	    setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &bytes, sizeof(bytes)))
		cli_fail("background load: opening a socket for pings");
	return fd;
}

static uint16_t checksum(const void *data, size_t size)
{
	const uint16_t *word = data;
	uint32_t sum = 0;

	for (size_t i = 0; i < size / 2; i++)
		sum += word[i];
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return ~sum;
}

/* True: the reply to this ping was received. */
static bool ping_answered(int fd, uint16_t sequence)
{
	static char packet[1 << 16];
	ssize_t size;

	while ((size = recv(fd, packet, sizeof(packet), 0)) > 0) {
		const struct iphdr *ip = (const void *)packet;
		const struct icmphdr *icmp = (const void *)(packet + 4 * ip->ihl);

		if (icmp->type == ICMP_ECHOREPLY && icmp->un.echo.sequence == sequence &&
		    size == 4 * ip->ihl + (ssize_t)(sizeof(*icmp) + ping_bytes))
			return true;
	}
	return false;
}

/* A pseudo-random pause; the sequence is the same in each run (LCG of Numerical Recipes). */
static void pause_between_pings(void)
{
	static uint32_t chance = 1;
	uint64_t end;

	chance = chance * 1664525 + 1013904223;
	end = rt_now() + (chance >> 8) % PING_PAUSE_NS;
	while (rt_now() < end)
		;
}

static _Noreturn void flood_with_pings(void)
{
	static struct {
		struct icmphdr icmp;
		char data[BACKGROUND_PING_MAX];
	} packet = { .icmp.type = ICMP_ECHO };
	const size_t size = sizeof(packet.icmp) + ping_bytes;
	int fd = open_ping();

	/* The data is zero; only sequence number and checksum change. */
	for (uint16_t number = 0;; number++) {
		packet.icmp.un.echo.sequence = htons(number);
		packet.icmp.checksum = 0;
		packet.icmp.checksum = checksum(&packet.icmp, sizeof(packet.icmp));
		if (send(fd, &packet, size, 0) < 0 && errno != ENOBUFS &&
		    errno != EHOSTUNREACH)
			cli_fail("background load: sending pings");
		if (ping_answered(fd, packet.icmp.un.echo.sequence))
			atomic_fetch_add_explicit(&shared->pings, 1, memory_order_relaxed);
		pause_between_pings();
	}
}

static int open_sink(void)
{
	struct sockaddr_in at = { .sin_family = AF_INET, .sin_port = htons(PORT_DISCARD) };
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	if (fd < 0 || bind(fd, (struct sockaddr *)&at, sizeof(at)))
		cli_fail("background load: opening a socket for datagrams");
	return fd;
}

/*
 * A card reads the parameters of the module when it comes up. The parameters are global, so
 * they are locked against other instances of this program and restored afterwards.
 */
static void set_up_card(enum background_kind kind)
{
	bool sends = kind == BACKGROUND_TRANSMIT;
	const struct {
		const char *name;
		unsigned int value;
	} parameters[] = {
		/* a card that sends receives one datagram per hour */
		{ "rate", sends ? 1 : datagrams },
		{ "bytes", CARD_BYTES },
		{ "train", sends ? 1 : CARD_TRAIN },
		{ "pause_ms", sends ? 3600000 : CARD_PAUSE_MS },
		{ "napi", kind == BACKGROUND_NAPI },
		{ "tx_mbit", sends ? CARD_TX_MBIT : 0 },
	};
	const size_t count = sizeof(parameters) / sizeof(parameters[0]);
	char before[sizeof(parameters) / sizeof(parameters[0])][16], value[16];
	int fd = open(CARD_PARAMETERS "napi", O_RDONLY | O_CLOEXEC);

	if (fd < 0 || flock(fd, LOCK_EX))
		cli_fail("background load: locking the parameters of cansim-ether");
	for (size_t i = 0; i < count; i++) {
		read_parameter(parameters[i].name, before[i]);
		snprintf(value, sizeof(value), "%u", parameters[i].value);
		write_parameter(parameters[i].name, value);
	}
	set_link_up(CARD_NAME, NEAR);
	for (size_t i = 0; i < count; i++)
		write_parameter(parameters[i].name, before[i]);
	close(fd);
}

/* The card exists only in this namespace, and is removed with it. */
static void start_card(enum background_kind kind)
{
	if (unshare(CLONE_NEWNET))
		cli_fail("background load: creating a network namespace");
	make_card();
	set_up_card(kind);
}

/* send() waits for room in the buffer of the socket, which frames leave when they have been sent. */
static _Noreturn void send_to_card(void)
{
	static const char data[CARD_TX_BYTES];
	struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons(PORT_DISCARD) };
	int fd, buffer = CARD_TX_BUFFER;

	start_card(BACKGROUND_TRANSMIT);
	fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	inet_pton(AF_INET, NOBODY, &to.sin_addr);
	if (fd < 0 || connect(fd, (struct sockaddr *)&to, sizeof(to)) ||
	    setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &buffer, sizeof(buffer)))
		cli_fail("background load: opening a socket for datagrams");
	for (;;) {
		if (send(fd, data, sizeof(data), 0) >= 0)
			atomic_fetch_add_explicit(&shared->datagrams, 1, memory_order_relaxed);
		else if (errno != ENOBUFS && errno != EINTR)
			cli_fail("background load: sending datagrams");
	}
}

static _Noreturn void receive_from_card(enum background_kind kind)
{
	char data[64];
	int fd;

	start_card(kind);
	fd = open_sink();
	for (;;)
		if (recv(fd, data, sizeof(data), 0) >= 0)
			atomic_fetch_add_explicit(&shared->datagrams, 1, memory_order_relaxed);
}

static _Noreturn void compute(void)
{
	for (;;)
		atomic_fetch_add_explicit(&shared->rounds, 1, memory_order_relaxed);
}

static void run_hackbench(void)
{
	/* Short runs, because only a finished one is counted */
	static const char *const argv[] = {
		"hackbench", "--pipe", "--groups", "2", "--fds", "10", "--loops", "50", NULL
	};
	int status = helper_run(argv, true);

	errno = status < 0 ? -status : 0;
	if (status < 0)
		cli_fail("background load: starting hackbench (Debian package rt-tests)");
	if (status)
		cli_fail("background load: hackbench failed");
}

static uint64_t cpu_time_of_ended(void)
{
	struct rusage usage;

	getrusage(RUSAGE_CHILDREN, &usage);
	return (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000000ULL +
	       (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1000ULL;
}

static _Noreturn void repeat_hackbench(void)
{
	/* hackbench handles SIGINT, which is for the program alone */
	if (setpgid(0, 0))
		cli_fail("background load: creating a process group");
	for (;;) {
		run_hackbench();
		shared->cpu_of_rounds = cpu_time_of_ended();
		shared->rounds++;
	}
}

/* @parent: of a pipe to which only the parent can write */
static _Noreturn void run_child(enum background_kind kind, int parent)
{
	struct pollfd closed = { .fd = parent };

	is_child = true;
	/* The parent may have ended before prctl(). */
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) || poll(&closed, 1, 0))
		_exit(CLI_SYSTEM);
	/* The parent handles SIGINT and kills this process. */
	signal(SIGINT, SIG_IGN);
	rt_lock_memory();
	if (kind == BACKGROUND_CPU)
		compute();
	if (kind == BACKGROUND_HACKBENCH)
		repeat_hackbench();
	if (kind == BACKGROUND_TRANSMIT)
		send_to_card();
	if (background_uses_card(kind))
		receive_from_card(kind);
	connect_namespaces();
	flood_with_pings();
}

static bool has_started(void)
{
	return shared->pings >= 10 || shared->datagrams || shared->rounds;
}

static void check_child(void)
{
	if (waitpid(child, NULL, WNOHANG) != child)
		return;
	child = 0;
	errno = 0;
	cli_fail("background load %s exited", background_names[running]);
}

static void wait_until_started(void)
{
	uint64_t deadline = rt_now() + START_TIMEOUT_NS;

	while (!has_started() && !cli_stopped) {
		rt_sleep_until(rt_now() + 10000000);
		check_child();
		errno = 0;
		if (rt_now() > deadline)
			cli_fail("background load %s did not start within %llu s",
				 background_names[running], START_TIMEOUT_NS / 1000000000);
	}
}

/* The processes of hackbench end with the first one of their PID namespace, before that can be
 * waited for.
 */
static pid_t fork_child(enum background_kind kind)
{
	if (kind != BACKGROUND_HACKBENCH)
		return fork();
	return syscall(SYS_clone, CLONE_NEWPID | SIGCHLD, NULL, NULL, NULL, NULL);
}

void background_start(enum background_kind kind, unsigned int bytes, unsigned int rate)
{
	int fds[2];

	running = kind;
	ping_bytes = bytes;
	datagrams = rate;
	if (kind == BACKGROUND_NONE)
		return;
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		      -1, 0);
	if (shared == MAP_FAILED)
		cli_fail("allocating memory for the background load");
	if (pipe2(fds, O_CLOEXEC))
		cli_fail("starting the background load");
	child = fork_child(kind);
	if (child < 0)
		cli_fail("starting the background load");
	if (!child) {
		close(fds[1]);
		run_child(kind, fds[0]);
	}
	close(fds[0]);
	alive = fds[1];
	wait_until_started();
}

static uint64_t cpu_time(void)
{
	struct timespec time = { 0 };
	clockid_t clock;

	if (!clock_getcpuclockid(child, &clock))
		clock_gettime(clock, &time);
	return time.tv_sec * 1000000000ULL + time.tv_nsec;
}

void background_count(struct background_count *count)
{
	memset(count, 0, sizeof(*count));
	if (!child)
		return;
	check_child();
	count->pings = shared->pings;
	count->bytes = 2 * ping_bytes * count->pings;
	count->datagrams = shared->datagrams;
	count->rounds = shared->rounds;
	count->cpu = running == BACKGROUND_HACKBENCH ? shared->cpu_of_rounds : cpu_time();
}

void background_stop(void)
{
	if (!child)
		return;
	kill(child, SIGKILL);
	while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
		;
	child = 0;
	close(alive);
}
