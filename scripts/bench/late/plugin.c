// SPDX-License-Identifier: GPL-2.0-only
/*
 * A plugin of QEMU that shows what the CPU did before an interrupt of the timer that came late.
 *
 * The guest writes the address of the interrupt's function in hexadecimal, and a number of
 * instructions, to the file OUT.watch, and executes an instruction at the address MARK; OUT is the
 * argument "out". From then on, and until it executes that instruction again, an interval from one
 * call of the function to the next is late if more instructions than that are executed in it. For
 * each, OUT gets a line "late INSTRUCTIONS", and for the first SHOWN ones a line "ADDRESS
 * INSTRUCTIONS" for each block, in the order of execution.
 */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../plugin.h"

#define BLOCKS (1u << 20)
#define SHOWN 200

/* @address: 0 for user space */
struct block {
	uint64_t address, instructions;
};

static const char *out;
static FILE *file;
static uint64_t watched, limit, executed;
static const struct block *last[BLOCKS];
static uint64_t blocks;
static unsigned int shown;

static void begin_or_end(unsigned int cpu, void *data)
{
	char path[4096];
	FILE *watch;

	(void)cpu;
	(void)data;
	if (watched) {
		watched = 0;
		return;
	}
	snprintf(path, sizeof(path), "%s.watch", out);
	watch = fopen(path, "r");
	if (!watch || fscanf(watch, "%" SCNx64 " %" SCNu64, &watched, &limit) != 2)
		abort();
	fclose(watch);
	if (!file)
		file = fopen(out, "w");
	if (!file)
		abort();
	blocks = 0;
	executed = 0;
}

static void show(void)
{
	uint64_t i = blocks > BLOCKS ? blocks - BLOCKS : 0;

	fprintf(file, "late %" PRIu64 "\n", executed);
	if (shown++ >= SHOWN)
		return;
	for (; i < blocks; i++)
		fprintf(file, "%" PRIx64 " %" PRIu64 "\n", last[i % BLOCKS]->address,
			last[i % BLOCKS]->instructions);
	fflush(file);
}

static void executes(unsigned int cpu, void *data)
{
	const struct block *block = data;

	(void)cpu;
	if (!watched)
		return;
	if (block->address == watched) {
		if (executed > limit)
			show();
		blocks = 0;
		executed = 0;
	}
	last[blocks++ % BLOCKS] = block;
	executed += block->instructions;
}

static void translated(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
	uint64_t address = qemu_plugin_tb_vaddr(tb);
	struct block *block = malloc(sizeof(*block));

	(void)id;
	if (!block)
		abort();
	block->address = address < KERNEL ? 0 : address;
	block->instructions = qemu_plugin_tb_n_insns(tb);
	if (address == MARK)
		qemu_plugin_register_vcpu_tb_exec_cb(tb, begin_or_end, CALLBACK_NO_REGISTERS, NULL);
	qemu_plugin_register_vcpu_tb_exec_cb(tb, executes, CALLBACK_NO_REGISTERS, block);
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
