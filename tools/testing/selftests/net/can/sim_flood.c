// SPDX-License-Identifier: GPL-2.0-only
/*
 * On PREEMPT_RT, a controller loses no frame while Ethernet packets fill the CPU, although
 * no thread has been given a priority by anyone but the driver. This needs that the thread
 * which reads the chip never waits for a softirq, and that a thread which does has a lower
 * priority: while it waits, the softirq runs with its priority.
 *
 * The flood is one of pings of 60000 bytes in fragments, to itself on a loopback device.
 * The answer is sent and received in one softirq.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <arpa/inet.h>
#include <net/if.h>
#include <netinet/ip_icmp.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "simtest.h"

#define GEN		BUS "/generator.gen"

/* A frame of eight bytes takes about 120 us. */
#define BITRATE		1000000
#define PERIOD_NS	240000
#define FRAMES		4000

#define PING_BYTES	60000
#define FRAGMENT	1500
#define FEW_PINGS	20

/* Above all threads but that of the watchdog and migration */
#define READER_PRIORITY	80

/* From the interrupt to the reader. A softirq lasts about 1 ms. */
#define LATE_NS		200000LL

#define LONG_TEST	900

/* Internet checksum of a ping whose data is zero (RFC 1071) */
static uint16_t ping_checksum(const struct icmphdr *icmp)
{
	const uint16_t *words = (const void *)icmp;
	uint32_t sum = 0;
	size_t i;

	for (i = 0; i < sizeof(*icmp) / sizeof(*words); i++)
		sum += words[i];
	sum = (sum & 0xffff) + (sum >> 16);
	return ~(sum + (sum >> 16));
}

static void loopback_up(void)
{
	int fd = socket(AF_INET, SOCK_DGRAM, 0);
	struct ifreq request = { .ifr_name = "lo" };

	request.ifr_mtu = FRAGMENT;
	if (fd < 0 || ioctl(fd, SIOCSIFMTU, &request))
		_exit(1);
	request.ifr_flags = IFF_UP;
	if (ioctl(fd, SIOCSIFFLAGS, &request))
		_exit(1);
	close(fd);
}

/* Ping until killed, in a network namespace of its own. @answered: counter in shared memory */
static void flood(int *answered)
{
	static struct { struct icmphdr icmp; char data[PING_BYTES]; } ping;
	static char answer[sizeof(ping) + 60];
	struct sockaddr_in self = { .sin_family = AF_INET };
	struct timeval wait = { .tv_usec = 10000 };
	int fd;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (unshare(CLONE_NEWNET))
		_exit(1);
	loopback_up();
	fd = socket(AF_INET, SOCK_RAW, IPPROTO_ICMP);
	self.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (fd < 0 || connect(fd, (struct sockaddr *)&self, sizeof(self)) ||
	    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof(wait)))
		_exit(1);
	ping.icmp.type = ICMP_ECHO;
	ping.icmp.checksum = ping_checksum(&ping.icmp);
	for (;;) {
		if (send(fd, &ping, sizeof(ping), 0) < 0 && errno != ENOBUFS)
			_exit(1);
		/* the ping and its answer */
		while (recv(fd, answer, sizeof(answer), 0) > 0) {
			struct icmphdr *icmp = (void *)(answer + 20);

			if (icmp->type != ICMP_ECHOREPLY)
				continue;
			__atomic_fetch_add(answered, 1, __ATOMIC_RELAXED);
			break;
		}
	}
}

FIXTURE(flood) {
	char path[64];
	int *answered;
	int fd;
	pid_t pid;
};

FIXTURE_VARIANT(flood) {
	const char *kind;
};

FIXTURE_VARIANT_ADD(flood, sja1000) { "sja1000" };
FIXTURE_VARIANT_ADD(flood, mpc5200) { "mpc5200" };
FIXTURE_VARIANT_ADD(flood, mcp2515) { "mcp2515" };

FIXTURE_SETUP(flood)
{
	self->fd = -1;
	if (!ct_preempt_rt())
		SKIP(return, "needs PREEMPT_RT");
	if (ct_baseline())
		SKIP(return, "needs the patched modules");
	if (!sim_open_chip(_metadata, "generator.gen", variant->kind, self->path))
		return;
	if (!sim_clock_counts())
		SKIP(return, "only where the clock counts instructions");
	ASSERT_EQ(0, sim_set_all(GEN, "bitrate=%d data=increment dlc=8 period_ns=%d count=%d",
				 BITRATE, PERIOD_NS, FRAMES));
	ASSERT_EQ(0, sim_live(BUS, true));
	self->fd = CT_OK(sim_open_up(CHIP_IF, BITRATE));
	self->answered = mmap(NULL, sizeof(*self->answered), PROT_READ | PROT_WRITE,
			      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, self->answered);
	self->pid = fork();
	ASSERT_LE(0, self->pid);
	if (!self->pid)
		flood(self->answered);
}

FIXTURE_TEARDOWN(flood)
{
	if (self->pid > 0) {
		kill(self->pid, SIGKILL);
		waitpid(self->pid, NULL, 0);
	}
	if (self->fd >= 0)
		close(self->fd);
	sim_close();
}

static int answered(const int *counter)
{
	return __atomic_load_n(counter, __ATOMIC_RELAXED);
}

static void await_pings(struct __test_metadata *_metadata, FIXTURE_DATA(flood) *self)
{
	while (answered(self->answered) < FEW_PINGS) {
		ASSERT_EQ(0, waitpid(self->pid, NULL, WNOHANG));
		usleep(10000);
	}
}

/* The last frame may be on its way when the generator has ended. */
static uint64_t await_packets(uint64_t count)
{
	struct sim_link link;
	int ms;

	for (ms = 0; ms < CT_TIMEOUT_MS; ms++) {
		if (sim_link_get(CHIP_IF, &link))
			return 0;
		if (link.stats.rx_packets >= count)
			break;
		usleep(1000);
	}
	return link.stats.rx_packets;
}

/* A reader above the priority of the thread that delivers frames sees them soon, with any
 * flood, although its CPU is in softirqs for milliseconds.
 */
TEST_F_TIMEOUT(flood, reaches_a_reader_soon, LONG_TEST)
{
	struct sched_param param = { .sched_priority = READER_PRIORITY };
	int64_t worst = 0, stamp, late;
	struct timespec now;
	int i, before;

	await_pings(_metadata, self);
	ASSERT_EQ(0, ct_sock_set(self->fd, SO_TIMESTAMPNS, 1));
	ASSERT_EQ(0, sched_setscheduler(0, SCHED_FIFO, &param));
	before = answered(self->answered);
	ASSERT_EQ(0, sim_set_all(GEN, "count=%d", FRAMES));
	ASSERT_EQ(0, sim_run(GEN, true));
	for (i = 0; i < FRAMES; i++) {
		stamp = ct_recv_stamp(self->fd);
		ASSERT_LT(0, stamp);
		clock_gettime(CLOCK_REALTIME, &now);
		late = now.tv_sec * 1000000000LL + now.tv_nsec - stamp;
		if (late > worst)
			worst = late;
	}
	EXPECT_LT(before + FEW_PINGS, answered(self->answered));
	EXPECT_GT(LATE_NS, worst);
	TH_LOG("%d pings answered, at most %d us late", answered(self->answered) - before,
	       (int)(worst / 1000));
}

TEST_F_TIMEOUT(flood, loses_no_frame_with_default_priorities, LONG_TEST)
{
	struct sim_link link;
	int before;

	await_pings(_metadata, self);
	before = answered(self->answered);
	ASSERT_EQ(0, sim_generate(GEN, "count=%d", FRAMES));
	/* it was a flood */
	EXPECT_LT(before + FEW_PINGS, answered(self->answered));
	EXPECT_EQ(0, sim_number(self->path, "overruns"));
	EXPECT_EQ((uint64_t)FRAMES, await_packets(FRAMES));
	ASSERT_EQ(0, sim_link_get(CHIP_IF, &link));
	EXPECT_EQ(0ULL, link.stats.rx_dropped);
	TH_LOG("%d pings answered, %d frames lost", answered(self->answered) - before,
	       (int)sim_number(self->path, "overruns"));
}

TEST_HARNESS_MAIN
