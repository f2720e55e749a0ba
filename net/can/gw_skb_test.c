// SPDX-License-Identifier: (GPL-2.0 OR BSD-3-Clause)
/* KUnit suite of the frames that gateway rules send. */
#include <kunit/test.h>
#include <linux/can.h>
#include <linux/can/core.h>
#include <linux/can/skb.h>
#include <linux/gfp.h>
#include <linux/mm.h>
#include <linux/skbuff.h>
#include <linux/string.h>

#include "gw_skb.h"

/* number of the received frame */
#define NUMBER 0xfffffff0

static u8 byte_at(unsigned int i)
{
	return i * 7 + 3;
}

/* The first @linear of @len bytes are in the head, the others in a page. */
static struct sk_buff *make_received(struct kunit *test, unsigned int len,
				     unsigned int linear)
{
	struct sk_buff *skb = can_skb_alloc(linear, GFP_KERNEL);
	struct page *page;
	unsigned int i;

	KUNIT_ASSERT_NOT_NULL(test, skb);
	can_skb_set_iif(skb, 5);
	can_skb_set_uid(skb, NUMBER);
	/* stale data of another frame */
	memset(skb->data, 0xa5, skb_tailroom(skb));
	for (i = 0; i < linear; i++)
		*(u8 *)skb_put(skb, 1) = byte_at(i);
	if (i == len)
		return skb;
	page = alloc_page(GFP_KERNEL);
	if (!page) {
		kfree_skb(skb);
		KUNIT_FAIL_AND_ABORT(test, "no page");
	}
	for (; i < len; i++)
		*((u8 *)page_address(page) + i) = byte_at(i);
	skb_add_rx_frag(skb, 0, page, linear, len - linear, PAGE_SIZE);
	return skb;
}

static void expect_frame(struct kunit *test, struct sk_buff *skb,
			 unsigned int len)
{
	unsigned int i, wrong = 0;

	KUNIT_ASSERT_NOT_NULL(test, skb);
	KUNIT_ASSERT_EQ(test, skb->len, len);
	KUNIT_ASSERT_FALSE(test, skb_is_nonlinear(skb));
	for (i = 0; i < len; i++)
		wrong += skb->data[i] != byte_at(i);
	KUNIT_EXPECT_EQ_MSG(test, wrong, 0, "of %u bytes", len);
	KUNIT_EXPECT_EQ(test, can_skb_iif(skb), 5);
}

static void copy_has_all_data(struct kunit *test)
{
	static const unsigned int lens[] = {
		CAN_MTU, CANFD_MTU, CANXL_HDR_SIZE + 1, CANXL_MTU,
	};
	unsigned int i, part;

	for (i = 0; i < ARRAY_SIZE(lens); i++) {
		/* none, half, or all of the data are in the linear part */
		for (part = 0; part <= 2; part++) {
			struct sk_buff *skb, *copy;

			skb = make_received(test, lens[i], lens[i] * part / 2);
			copy = cgw_skb_get(skb, false, true);
			expect_frame(test, copy, lens[i]);
			KUNIT_EXPECT_FALSE(test, skb_cloned(skb));
			kfree_skb(copy);
			/* the owner of the skb may modify it in place */
			skb = cgw_skb_get(skb, true, true);
			expect_frame(test, skb, lens[i]);
			kfree_skb(skb);
		}
	}
}

/* can_send() and drivers clone the frame. Without a number, two CPUs that
 * receive clones would both assign a number in the shared head.
 */
static void expect_new_number(struct kunit *test, struct sk_buff *skb)
{
	KUNIT_ASSERT_NOT_NULL(test, skb);
	KUNIT_EXPECT_NE(test, can_skb_uid(skb), 0);
	KUNIT_EXPECT_NE(test, can_skb_uid(skb), NUMBER);
	kfree_skb(skb);
}

static void sent_frame_has_a_new_number(struct kunit *test)
{
	unsigned int modify;

	for (modify = 0; modify <= 1; modify++) {
		struct sk_buff *skb = make_received(test, CAN_MTU, CAN_MTU);

		if (modify)
			expect_new_number(test, cgw_skb_get(skb, false, true));
		else
			kfree_skb(cgw_skb_get(skb, false, false));
		KUNIT_EXPECT_EQ(test, can_skb_uid(skb), NUMBER);
		expect_new_number(test, cgw_skb_get(skb, true, modify));
	}
}

/* The number of a clone stays: another CPU may receive it. */
static void number_of_a_clone_stays(struct kunit *test)
{
	struct sk_buff *skb = make_received(test, CAN_MTU, CAN_MTU), *clone;

	clone = skb_clone(skb, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, clone);
	skb = cgw_skb_get(skb, true, false);
	KUNIT_ASSERT_NOT_NULL(test, skb);
	KUNIT_EXPECT_EQ(test, can_skb_uid(clone), NUMBER);
	skb = cgw_skb_get(skb, true, true);
	expect_frame(test, skb, CAN_MTU);
	KUNIT_EXPECT_EQ(test, can_skb_uid(clone), NUMBER);
	KUNIT_EXPECT_NE(test, can_skb_uid(skb), NUMBER);
	kfree_skb(skb);
	kfree_skb(clone);
}

static struct kunit_case skb_cases[] = {
	KUNIT_CASE(copy_has_all_data),
	KUNIT_CASE(sent_frame_has_a_new_number),
	KUNIT_CASE(number_of_a_clone_stays),
	{}
};

static struct kunit_suite skb_suite = {
	.name = "can_gw_skb",
	.test_cases = skb_cases,
};

kunit_test_suite(skb_suite);
