/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Requests to both control planes of the gateway, valid ones and ones with
 * something wrong in them, in any order, on several sockets, while frames of all
 * kinds meet whatever rules there are.
 *
 * There are two namespaces. "home" has rules that stay, and nothing is sent there
 * that is to remove them: no flush, no transaction for all sources, nothing with
 * their handles or interfaces. "away" gets everything.
 *
 * Messages are made with libmnl (gw_fuzzmsg.c), and their answers are read in
 * gw_fuzzer.c: the functions that YNL generates send what is valid, and need each
 * answer in its order.
 *
 * The environment has CAN_FUZZ_SEED, CAN_FUZZ_MESSAGES, and CAN_FUZZ_SECONDS, after
 * which a run ends in any case. With the same seed and a budget that is not used up,
 * the same messages are sent; handles depend on what the kernel answers.
 *
 * As in cantest.h, functions do not assert. Those that return a text return NULL, or
 * what is wrong.
 */
#ifndef GW_FUZZER_H
#define GW_FUZZER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

#include "gwnl.h"

struct mnl_socket;
struct nlmsghdr;

/* Limit of the rules of each namespace */
#define GW_FUZZ_RULES		1000

/* Messages of which some are accepted and some are not, of each kind */
#define GW_FUZZ_ENOUGH		1000

/* Interfaces of the rules that stay; requests have no such number */
#define GW_FUZZ_KEPT_SRC	0x5eed0001
#define GW_FUZZ_KEPT_DST	0x5eed0002
#define GW_FUZZ_MOST_KEPT	4

/* Interfaces of all others: indexes from this one on */
#define GW_FUZZ_LINKS		4
#define GW_FUZZ_FIRST_LINK	10

#define GW_FUZZ_SOCKETS		3
#define GW_FUZZ_KNOWN		64

/* Handles below those of the rules that stay */
#define GW_FUZZ_SKIPPED		300

/**
 * struct gw_fuzz_channel - a socket of the family
 * @gw: the socket
 * @transaction: it has one
 * @added: number of rules in the transaction
 */
struct gw_fuzz_channel {
	struct gwnl gw;
	bool transaction;
	unsigned int added;
};

/**
 * struct gw_fuzz_ns - a namespace with its sockets
 * @ns: descriptor of the namespace
 * @home: nothing must remove the rules that stay
 * @sources: a bit for each interface that can be the source of express rules
 * @destinations: a bit for each one that can be their destination
 * @channels: for requests
 * @notifications: a socket that gets notifications
 * @control: for what is not fuzzed
 * @route: for requests by rtnetlink
 * @raw: for frames
 * @known: handles that are remembered
 * @known_next: where to store the next one
 */
struct gw_fuzz_ns {
	int ns;
	bool home;
	uint32_t sources, destinations;
	struct gw_fuzz_channel channels[GW_FUZZ_SOCKETS];
	struct gwnl notifications;
	struct gwnl control;
	struct mnl_socket *route;
	int raw;
	uint64_t known[GW_FUZZ_KNOWN];
	unsigned int known_next;
};

/**
 * struct gw_fuzz - a run
 * @random: state of ct_random()
 * @express_in: one of so many rules is to be an express rule
 * @one_in: one of so many attributes has something wrong, 0 for none
 * @wrong: the message has something wrong
 * @express: the message asks for an express rule
 * @buf: the message
 * @home: the namespace with rules that stay
 * @away: the other one
 * @kept: handles of the rules that stay, 0 behind the last one
 * @sent: messages
 * @accepted: those that the kernel has accepted
 * @rejected: those that it has not
 * @express_accepted: of those that were accepted, requests for express rules that have
 *	nothing wrong
 * @express_rejected: the same of those that were rejected
 * @checked: rejected messages that were shown to have changed nothing
 * @no_text: errors without a text
 * @sample: the first of these
 */
struct gw_fuzz {
	uint32_t random;
	unsigned int express_in;
	unsigned int one_in;
	bool wrong, express;
	char buf[GWNL_MSG_SIZE + 64];
	struct gw_fuzz_ns home, away;
	uint64_t kept[GW_FUZZ_MOST_KEPT];
	unsigned int sent, accepted, rejected;
	unsigned int express_accepted, express_rejected, checked;
	unsigned int no_text;
	char sample[128];
};

/* In gw_fuzzmsg.c */

/** gw_fuzz_pick() - a random number below @below */
uint32_t gw_fuzz_pick(struct gw_fuzz *f, uint32_t below);

/** gw_fuzz_bytes() - fill @bytes with random ones */
void gw_fuzz_bytes(struct gw_fuzz *f, uint8_t *bytes, unsigned int len);

/** gw_fuzz_link() - the index of one of the interfaces */
uint32_t gw_fuzz_link(struct gw_fuzz *f);

/** gw_fuzz_family_message() - make a request to the family, in gw_fuzz.buf */
struct nlmsghdr *gw_fuzz_family_message(struct gw_fuzz *f,
					const struct gw_fuzz_ns *ns,
					const struct gw_fuzz_channel *channel);

/** gw_fuzz_route_message() - make a request to rtnetlink, in gw_fuzz.buf */
struct nlmsghdr *gw_fuzz_route_message(struct gw_fuzz *f,
				       const struct gw_fuzz_ns *ns);

/** gw_fuzz_corrupt() - change lengths and bytes of a message, when the rest is done */
void gw_fuzz_corrupt(struct gw_fuzz *f, struct nlmsghdr *nlh);

/** gw_fuzz_harmful() - could a message, with @route to rtnetlink, remove a rule that stays? */
bool gw_fuzz_harmful(const struct gw_fuzz *f, const struct nlmsghdr *nlh,
		     bool route);

/* In gw_fuzzer.c */

/**
 * gw_fuzz_ns_open() - make a namespace with sockets
 * @ns: filled in
 * @home: see there
 *
 * The caller is in this namespace afterwards, and makes its interfaces.
 *
 * Return: 0 or a negative errno value.
 */
int gw_fuzz_ns_open(struct gw_fuzz_ns *ns, bool home);

/** gw_fuzz_ns_close() - close the sockets */
void gw_fuzz_ns_close(struct gw_fuzz_ns *ns);

/**
 * gw_fuzz_skip_handles() - let no handle of a request be that of a later rule by accident
 * @gw: socket of "home"
 * @source: interface
 * @destination: interface
 *
 * Return: 0 or a negative errno value.
 */
int gw_fuzz_skip_handles(struct gwnl *gw, uint32_t source, uint32_t destination);

/** gw_fuzz_seed() - begin a run: take the seed from the environment, and print it */
void gw_fuzz_seed(struct gw_fuzz *f);

/** gw_fuzz_ends() - when a run that begins now ends at the latest */
time_t gw_fuzz_ends(void);

/** gw_fuzz_goes_on() - has a run that ends at @ends messages and time left? */
bool gw_fuzz_goes_on(const struct gw_fuzz *f, time_t ends);

/**
 * gw_fuzz_round() - send a hundred random messages, and frames
 * @f: the run
 *
 * If one of the last messages is rejected, the rules are compared with those before.
 *
 * Return: a text.
 */
const char *gw_fuzz_round(struct gw_fuzz *f);

/** gw_fuzz_empty_source() - remove all rules of an interface */
int gw_fuzz_empty_source(struct gw_fuzz_ns *ns, uint32_t source);

/** gw_fuzz_replace_socket() - close a socket, which ends its transaction, and open another */
int gw_fuzz_replace_socket(struct gw_fuzz *f, struct gw_fuzz_ns *ns);

/**
 * gw_fuzz_agrees() - do all ways to read the rules return the same?
 * @ns: namespace to read
 *
 * Their number is the same and within the limit, and express rules are between interfaces
 * that can.
 *
 * Return: a text.
 */
const char *gw_fuzz_agrees(struct gw_fuzz_ns *ns);

/**
 * gw_fuzz_end() - judge a run, and remove all rules but those that stay
 * @f: the run
 * @kept: number of those that stay
 *
 * Return: a text.
 */
const char *gw_fuzz_end(struct gw_fuzz *f, int kept);

#endif /* GW_FUZZER_H */
