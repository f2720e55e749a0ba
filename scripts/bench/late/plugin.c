// SPDX-License-Identifier: GPL-2.0-only
/*
 * A plugin of QEMU that shows what the CPU did before an interrupt of the timer that came late.
 *
 * The guest writes the address of the interrupt's function in hexadecimal, and a number of
 * instructions, to the file OUT.watch, and executes an instruction at the address MARK; OUT is the
 * argument "out". From then on, and until it executes that instruction again, whenever more
 * instructions than that are executed from one call of the function to the next, the blocks between
 * the two are written to OUT, in lines "late INSTRUCTIONS" and, in the order of their execution,
 * "ADDRESS INSTRUCTIONS" of each block, but not the blocks of more than SHOWN intervals. All calls come from the one thread that emulates the CPU.
 */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The part of QEMU's plugin interface, version 1, that is used here: Debian has no header. */
struct qemu_plugin_tb;
typedef uint64_t qemu_plugin_id_t;
enum { CALLBACK_NO_REGISTERS };
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb);
uint64_t qemu_plugin_tb_vaddr(const struct qemu_plugin_tb *tb);
void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t id, void (*callback)(qemu_plugin_id_t id,
					   struct qemu_plugin_tb *tb));
void qemu_plugin_register_vcpu_tb_exec_cb(struct qemu_plugin_tb *tb, void (*callback)(unsigned int cpu,
					  void *data), int flags, void *data);

#define EXPORT __attribute__((visibility("default")))
#define MARK 0x600000000000ULL
#define BLOCKS (1u << 20)
#define SHOWN 200

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
	struct block *block = malloc(sizeof(*block));

	(void)id;
	if (!block)
		abort();
	block->address = qemu_plugin_tb_vaddr(tb);
	block->instructions = qemu_plugin_tb_n_insns(tb);
	if (block->address == MARK)
		qemu_plugin_register_vcpu_tb_exec_cb(tb, begin_or_end, CALLBACK_NO_REGISTERS, NULL);
	qemu_plugin_register_vcpu_tb_exec_cb(tb, executes, CALLBACK_NO_REGISTERS, block);
}

EXPORT int qemu_plugin_version = 1;

EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const void *info, int argc, char **argv)
{
	(void)info;
	for (int i = 0; i < argc; i++)
		if (!strncmp(argv[i], "out=", 4))
			out = strdup(argv[i] + 4);
	if (!out)
		return -1;
	qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
	return 0;
}
