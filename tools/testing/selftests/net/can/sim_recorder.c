// SPDX-License-Identifier: GPL-2.0-only
/*
 * The recorder of simulated buses: it has the frames that the bus has, with the same times,
 * and takes no part.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <linux/can.h>

#include "simtest.h"

#define TX		BUS "/generator.tx"
#define RX		BUS "/generator.rx"
#define RECORDER	BUS "/recorder.all"
#define RECORDS		"/sys/kernel/config/cansim/" RECORDER "/records"

#define LONG_TEST	120
#define KEPT		48

/* Documentation/networking/can-sim.rst, "Recording frames" */
struct recorded {
	int64_t start;
	uint32_t id;
	uint8_t dlc, reserved[3];
	uint8_t data[CAN_MAX_DLEN];
};

/* Return: number of frames, or a negative errno value. */
static int recorded(struct recorded *frames, int most)
{
	int fd = open(RECORDS, O_RDONLY | O_CLOEXEC), length = 0, got = -1;

	if (fd < 0)
		return -errno;
	while ((got = read(fd, (char *)frames + length, most * sizeof(*frames) - length)) > 0)
		length += got;
	if (got < 0)
		length = -errno;
	close(fd);
	return length < 0 ? length : length / (int)sizeof(*frames);
}

FIXTURE(recorder) { };

FIXTURE_SETUP(recorder)
{
	if (!sim_open_bus(_metadata, "generator.tx generator.rx recorder.all"))
		return;
	ASSERT_EQ(0, sim_set_all(RECORDER, "frames=%d", KEPT));
	ASSERT_EQ(0, sim_live(BUS, true));
	ASSERT_EQ(0, sim_set_all(TX, "id_mode=random dlc=random data=random"));
}

SIM_TEARDOWN(recorder)

static void expect_same(struct __test_metadata *_metadata, const struct recorded *frame,
			const struct sim_record *record)
{
	static const uint8_t none[3];

	EXPECT_EQ(record->start, frame->start);
	EXPECT_EQ(record->frame.can_id, frame->id);
	EXPECT_EQ(record->frame.len, frame->dlc);
	EXPECT_EQ(0, memcmp(frame->reserved, none, sizeof(none)));
	EXPECT_EQ(0, memcmp(frame->data, record->frame.data, sizeof(frame->data)));
}

TEST_F_TIMEOUT(recorder, it_has_the_frames_of_the_bus, LONG_TEST)
{
	struct sim_record records[SIM_RECORDS];
	struct recorded frames[KEPT];
	int i;

	ASSERT_EQ(0, sim_generate(TX, "count=%u", SIM_RECORDS));
	ASSERT_EQ(SIM_RECORDS, sim_records(BUS, records));
	ASSERT_EQ(SIM_RECORDS, recorded(frames, KEPT));
	for (i = 0; i < SIM_RECORDS; i++)
		expect_same(_metadata, &frames[i], &records[i]);
}

TEST_F_TIMEOUT(recorder, it_keeps_the_last_frames, LONG_TEST)
{
	struct sim_record records[SIM_RECORDS];
	struct recorded frames[2 * KEPT];
	int i;

	ASSERT_EQ(0, sim_generate(TX, "count=%u", 5 * KEPT + 7));
	ASSERT_EQ(SIM_RECORDS, sim_records(BUS, records));
	ASSERT_EQ(KEPT, recorded(frames, 2 * KEPT));
	for (i = 0; i < SIM_RECORDS; i++)
		expect_same(_metadata, &frames[KEPT - SIM_RECORDS + i], &records[i]);
	for (i = 1; i < KEPT; i++)
		EXPECT_LT(frames[i - 1].start, frames[i].start);
}

TEST_F_TIMEOUT(recorder, it_has_nothing_at_first_and_after_live, LONG_TEST)
{
	struct recorded frames[KEPT];

	EXPECT_EQ(0, recorded(frames, KEPT));
	ASSERT_EQ(0, sim_generate(TX, "count=3"));
	EXPECT_EQ(3, recorded(frames, KEPT));
	ASSERT_EQ(0, sim_live(BUS, false));
	EXPECT_EQ(0, recorded(frames, KEPT));
	ASSERT_EQ(0, sim_live(BUS, true));
	EXPECT_EQ(0, recorded(frames, KEPT));
}

TEST_F_TIMEOUT(recorder, it_does_not_acknowledge, LONG_TEST)
{
	struct recorded frames[KEPT];

	ASSERT_EQ(0, sim_live(BUS, false));
	ASSERT_EQ(0, sim_remove(RX));
	ASSERT_EQ(0, sim_live(BUS, true));
	ASSERT_EQ(0, sim_set_all(TX, "count=1"));
	ASSERT_EQ(0, sim_run(TX, true));
	/* error passive, the transmitter does not disturb its frame any more */
	ASSERT_EQ(0, sim_await_above(BUS, "error_frames", 40));
	EXPECT_EQ(0, sim_number(BUS, "frames"));
	EXPECT_EQ(0, recorded(frames, KEPT));
	EXPECT_EQ(0, sim_run(TX, false));
}

TEST_F_TIMEOUT(recorder, settings_have_limits_and_are_kept_while_live, LONG_TEST)
{
	EXPECT_EQ(-EBUSY, sim_set(RECORDER, "frames", "10"));
	EXPECT_EQ(-EBUSY, sim_set(RECORDER, "bitrate", "500000"));
	ASSERT_EQ(0, sim_live(BUS, false));
	EXPECT_EQ(-ERANGE, sim_set(RECORDER, "frames", "0"));
	EXPECT_EQ(-ERANGE, sim_set(RECORDER, "frames", "4194305"));
	EXPECT_EQ(-ERANGE, sim_set(RECORDER, "bitrate", "9999"));
	EXPECT_EQ(-ERANGE, sim_set(RECORDER, "bitrate", "1000001"));
	EXPECT_EQ(-EINVAL, sim_set(RECORDER, "frames", "many"));
	EXPECT_EQ(KEPT, sim_number(RECORDER, "frames"));
	EXPECT_EQ(1000000, sim_number(RECORDER, "bitrate"));
}

/* Frames are replaced while they are read. */
TEST_F_TIMEOUT(recorder, frames_read_during_traffic_are_whole, LONG_TEST)
{
	struct recorded frames[KEPT];
	int reads, i, n;

	ASSERT_EQ(0, sim_set_all(TX, "id=123 id_mode=fixed dlc=8 data=increment count=0"));
	ASSERT_EQ(0, sim_run(TX, true));
	for (reads = 0; reads < 50; reads++) {
		ASSERT_EQ(0, sim_await_above(BUS, "frames", 20 * reads));
		n = recorded(frames, KEPT);
		if (n == -EAGAIN)
			continue;
		ASSERT_LE(0, n);
		for (i = 0; i < n; i++) {
			EXPECT_EQ(0x123U, frames[i].id);
			if (i)
				EXPECT_EQ(*(uint32_t *)frames[i - 1].data + 1,
					  *(uint32_t *)frames[i].data);
		}
	}
	EXPECT_EQ(0, sim_run(TX, false));
}

TEST_HARNESS_MAIN
