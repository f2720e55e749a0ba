/* SPDX-License-Identifier: GPL-2.0-only */
/* How the receiving thread waits for a frame. Functions exit with CLI_SYSTEM on error. */
#ifndef CANBENCH_LOAD_WAITING_H
#define CANBENCH_LOAD_WAITING_H

/* In read() or recvmsg(), or before, in poll() or epoll_wait(), as candump does */
enum waiting { WAITING_READ, WAITING_POLL, WAITING_EPOLL };

extern const char *const waiting_names[];

/* waiting_kind() - look up @text; exits with CLI_USAGE if it is unknown. */
enum waiting waiting_kind(const char *option, const char *text);

/**
 * struct waiter - who waits
 * @kind: what it waits in
 * @fd: socket that frames come from
 * @epoll: instance that watches it, with WAITING_EPOLL
 */
struct waiter {
	enum waiting kind;
	int fd, epoll;
};

/* waiting_prepare() - call before the first waiting_for_frame(). */
void waiting_prepare(struct waiter *waiter, enum waiting kind, int fd);

/* waiting_for_frame() - return when read() has a frame; with WAITING_READ, at once. */
void waiting_for_frame(const struct waiter *waiter);

#endif
