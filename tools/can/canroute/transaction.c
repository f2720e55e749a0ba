// SPDX-License-Identifier: GPL-2.0-only
/*
 * Transactions. Sequence numbers are assigned while the messages are built. The begin of the
 * transaction is sent first, but has a higher number than the rules.
 */
#include <errno.h>
#include <sys/socket.h>

#include "transaction.h"

/* Bytes per system call. The error replies to one batch fit into the receive queue. */
#define BATCH (32 * 1024)

void transaction_add(struct transaction *t)
{
	kernel_init_request(t->kernel, &t->messages, CAN_GW_CMD_RULE_ADD, 0);
	if (!t->count++)
		t->first = t->kernel->seq;
}

static void ignore_reply(void *arg, const struct nlmsghdr *nlh)
{
	(void)arg;
	(void)nlh;
}

/*
 * Wait for the reply: without a transaction, the kernel would add each rule to the existing
 * ones.
 */
bool transaction_begin(struct transaction *t, uint32_t source)
{
	struct messages request = { 0 };
	bool good;

	kernel_init_request(t->kernel, &request, CAN_GW_CMD_TRANSACTION_BEGIN, NLM_F_ACK);
	if (source)
		message_put_u32(&request, CAN_GW_A_TABLE_SOURCE, source);
	good = kernel_request(t->kernel, &request, ignore_reply, NULL, &t->kerr);
	message_free(&request);
	return good;
}

static void read_commit_reply(struct transaction *t, const struct nlmsghdr *nlh)
{
	const struct nlmsgerr *err = NLMSG_DATA(nlh);

	if (nlh->nlmsg_type != NLMSG_ERROR) {
		rule_table_get(&t->table, nlh);
		return;
	}
	t->ended = true;
	t->good = !err->error;
	if (!t->good)
		kernel_error_read(&t->kerr, nlh);
}

static void read_reply(struct transaction *t, const struct nlmsghdr *nlh)
{
	const struct nlmsgerr *err = NLMSG_DATA(nlh);
	size_t rule = nlh->nlmsg_seq - t->first;

	if (t->commit && nlh->nlmsg_seq == t->commit)
		read_commit_reply(t, nlh);
	else if (nlh->nlmsg_type == NLMSG_ERROR && err->error && rule < t->count &&
		 t->rejected++ < TRANSACTION_REPORTED)
		t->reject(t->arg, rule, nlh);
}

/* Read the replies that are queued; with @flags 0, wait for one. */
static void read_replies(struct transaction *t, int flags)
{
	for (;;) {
		int len = kernel_receive(t->kernel, flags);

		if (len == -EAGAIN || len == -EINTR)
			return;
		t->lost |= len == -ENOBUFS;
		for (struct nlmsghdr *nlh = (struct nlmsghdr *)t->kernel->buffer;
		     len > 0 && NLMSG_OK(nlh, (unsigned int)len); nlh = NLMSG_NEXT(nlh, len))
			read_reply(t, nlh);
		if (!flags)
			return;
	}
}

static void send_rules(struct transaction *t)
{
	const char *data = t->messages.data;
	size_t begin = 0, end = 0;

	while (end < t->messages.len) {
		const struct nlmsghdr *nlh = (struct nlmsghdr *)(data + end);
		size_t next = end + NLMSG_ALIGN(nlh->nlmsg_len);

		if (next - begin > BATCH && end > begin) {
			kernel_send(t->kernel, data + begin, end - begin);
			read_replies(t, MSG_DONTWAIT);
			begin = end;
		}
		end = next;
	}
	if (end > begin)
		kernel_send(t->kernel, data + begin, end - begin);
}

bool transaction_commit(struct transaction *t, const uint32_t *generation)
{
	struct messages request = { 0 };

	send_rules(t);
	kernel_init_request(t->kernel, &request, CAN_GW_CMD_TRANSACTION_COMMIT, NLM_F_ACK);
	message_put_u32(&request, CAN_GW_A_TABLE_RULES, t->count);
	if (generation)
		message_put_u32(&request, CAN_GW_A_TABLE_GENERATION, *generation);
	t->commit = t->kernel->seq;
	kernel_send(t->kernel, request.data, request.len);
	message_free(&request);
	while (!t->ended && !t->lost)
		read_replies(t, 0);
	/* After an overflow, the reply to the commit is either queued by now or lost. */
	if (!t->ended)
		read_replies(t, MSG_DONTWAIT);
	return t->good;
}

void transaction_free(struct transaction *t)
{
	message_free(&t->messages);
}
