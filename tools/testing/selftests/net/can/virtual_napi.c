// SPDX-License-Identifier: GPL-2.0-only
/* vxcan with a NAPI instance of its own, by a module parameter that is off by default. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <net/if.h>
#include <sys/socket.h>

#include "kselftest_harness.h"
#include "cantest.h"

#define PARAMETER	"/sys/module/vxcan/parameters/napi"
#define ID		0x123
#define FRAMES		1000

FIXTURE(virtual) {
	int tx;
	int rx;
};

FIXTURE_VARIANT(virtual) {
	bool napi;
};

FIXTURE_VARIANT_ADD(virtual, backlog) { .napi = false };
FIXTURE_VARIANT_ADD(virtual, napi) { .napi = true };

/* The parameter counts while the interfaces are made. */
FIXTURE_SETUP(virtual)
{
	if (ct_baseline())
		SKIP(return, "needs the patched modules");
	if (!ct_own_machine())
		SKIP(return, CT_NOT_OWN);
	ASSERT_EQ(0, ct_module("vxcan"));
	ASSERT_EQ(0, ct_netns_new());
	ASSERT_EQ(0, ct_setting(PARAMETER, variant->napi ? "1" : "0"));
	ASSERT_LT(0, ct_vxcan_add("vx0", "vx1", -1, CAN_MTU));
	ct_settings_back();
	self->tx = CT_OK(ct_raw_open(if_nametoindex("vx0")));
	self->rx = CT_OK(ct_raw_open(if_nametoindex("vx1")));
}

FIXTURE_TEARDOWN(virtual) { }

TEST_F(virtual, frames_have_its_id)
{
	ASSERT_EQ(0, ct_send_id(self->tx, ID));
	ASSERT_EQ(ID, ct_recv_id(self->rx));
	EXPECT_EQ(variant->napi, ct_napi_id(self->rx) > 0);
}

static void *send_many(void *data)
{
	int i, err = 0, fd = *(int *)data;

	for (i = 0; i < FRAMES && !err; i++)
		err = ct_send_id(fd, i);
	return (void *)(intptr_t)err;
}

static void pass_many(struct __test_metadata *_metadata,
		      FIXTURE_DATA(virtual) *self)
{
	pthread_t thread;
	void *err;
	int i;

	ASSERT_EQ(0, pthread_create(&thread, NULL, send_many, &self->tx));
	for (i = 0; i < FRAMES; i++)
		ASSERT_EQ(i, ct_recv_id(self->rx));
	ASSERT_EQ(0, pthread_join(thread, &err));
	EXPECT_EQ(NULL, err);
}

TEST_F(virtual, frames_keep_their_order)
{
	ASSERT_EQ(0, ct_sock_set(self->rx, SO_RCVBUFFORCE, 16 << 20));
	/* frames of one thread keep it only on one CPU */
	ASSERT_EQ(0, ct_pin_cpu());
	pass_many(_metadata, self);
}

TEST_F(virtual, a_task_may_busy_poll)
{
	ASSERT_EQ(0, ct_sock_set(self->rx, SO_RCVBUFFORCE, 16 << 20));
	ASSERT_EQ(0, ct_sock_set(self->rx, SO_BUSY_POLL, 1000));
	ASSERT_EQ(0, ct_pin_cpu());
	pass_many(_metadata, self);
}

/* frames that wait when an interface goes down are dropped */
TEST_F(virtual, goes_down_and_up_under_traffic)
{
	pthread_t thread;
	void *err;
	int i;

	ASSERT_EQ(0, pthread_create(&thread, NULL, send_many, &self->tx));
	for (i = 0; i < 20; i++) {
		ASSERT_EQ(0, ct_link_up("vx1", false));
		ASSERT_EQ(0, ct_link_up("vx1", true));
	}
	ASSERT_EQ(0, pthread_join(thread, &err));
	/* also the errors of the interface that went down */
	while (ct_recv(self->rx, (char[CAN_MTU]){ }, CAN_MTU, 100) != -ETIMEDOUT)
		;
	for (i = 0; i < 100; i++) {
		if (!ct_send_id(self->tx, ID) && ct_recv_id(self->rx) == ID)
			return;
		usleep(10000);
	}
	EXPECT_TRUE(false)
		TH_LOG("no frame passes any more");
}

TEST_F(virtual, is_removed_under_traffic)
{
	pthread_t thread;
	void *err;

	ASSERT_EQ(0, pthread_create(&thread, NULL, send_many, &self->tx));
	usleep(1000);
	EXPECT_EQ(0, ct_link_del("vx1"));
	ASSERT_EQ(0, pthread_join(thread, &err));
}

TEST_HARNESS_MAIN
