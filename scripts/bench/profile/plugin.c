// SPDX-License-Identifier: GPL-2.0-only
/*
 * A plugin of QEMU that counts the executed instructions of the kernel by address, and those of
 * user space together.
 *
 * The guest executes an instruction at the address MARK to begin a new part. The counts of each
 * part are written to OUT.0, OUT.1 and so on, in lines "ADDRESS COUNT"; OUT is the argument "out".
 * The instructions of a block are counted at its address.
 */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../plugin.h"

#define BUCKETS (1u << 16)

struct counter {
	struct counter *next;
	uint64_t address, count;
};

static struct counter *buckets[BUCKETS];
static struct counter user;
static const char *out;

static struct counter *counter_of(uint64_t address)
{
	struct counter **bucket = &buckets[address % BUCKETS], *counter;

	for (counter = *bucket; counter; counter = counter->next)
		if (counter->address == address)
			return counter;
	counter = calloc(1, sizeof(*counter));
	if (!counter)
		abort();
	counter->address = address;
	counter->next = *bucket;
	*bucket = counter;
	return counter;
}

static void write_and_clear(FILE *file, struct counter *counter)
{
	if (counter->count)
		fprintf(file, "%" PRIx64 " %" PRIu64 "\n", counter->address, counter->count);
	counter->count = 0;
}

static void end_part(unsigned int cpu, void *data)
{
	static unsigned int part;
	char path[4096];
	FILE *file;

	(void)cpu;
	(void)data;
	snprintf(path, sizeof(path), "%s.%u", out, part++);
	file = fopen(path, "w");
	if (!file)
		abort();
	write_and_clear(file, &user);
	for (size_t i = 0; i < BUCKETS; i++)
		for (struct counter *counter = buckets[i]; counter; counter = counter->next)
			write_and_clear(file, counter);
	fclose(file);
}

static void translated(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
	uint64_t address = qemu_plugin_tb_vaddr(tb);
	struct counter *counter = address < KERNEL ? &user : counter_of(address);

	(void)id;
	if (address == MARK)
		qemu_plugin_register_vcpu_tb_exec_cb(tb, end_part, CALLBACK_NO_REGISTERS, NULL);
	qemu_plugin_register_vcpu_tb_exec_inline(tb, INLINE_ADD_U64, &counter->count,
						 qemu_plugin_tb_n_insns(tb));
}

EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const void *info, int argc, char **argv)
{
	(void)info;
	out = plugin_out(argc, argv);
	if (!out)
		return -1;
	qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
	return 0;
}
