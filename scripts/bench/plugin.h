/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * For plugins of QEMU: the part of its plugin interface, version 1, that they use, because Debian
 * has no header, and their argument.
 *
 * Each plugin is one source that includes this. QEMU calls qemu_plugin_install() before the guest
 * starts. All later calls come from the one thread that emulates the CPU: there are no locks.
 */
#ifndef BENCH_PLUGIN_H
#define BENCH_PLUGIN_H

#include <stdint.h>
#include <string.h>

struct qemu_plugin_tb;
typedef uint64_t qemu_plugin_id_t;
enum { CALLBACK_NO_REGISTERS };
enum { INLINE_ADD_U64 };
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb);
uint64_t qemu_plugin_tb_vaddr(const struct qemu_plugin_tb *tb);
void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t id, void (*callback)(qemu_plugin_id_t id,
					   struct qemu_plugin_tb *tb));
void qemu_plugin_register_vcpu_tb_exec_cb(struct qemu_plugin_tb *tb, void (*callback)(unsigned int cpu,
					  void *data), int flags, void *data);
void qemu_plugin_register_vcpu_tb_exec_inline(struct qemu_plugin_tb *tb, int operation, void *at,
					      uint64_t value);

#define EXPORT __attribute__((visibility("default")))

/* Addresses of the kernel are not below this. */
#define KERNEL (1ULL << 63)

/* The guest executes an instruction at this address, by mark.py, to tell the plugin something. */
#define MARK 0x600000000000ULL

EXPORT int qemu_plugin_version = 1;

/* plugin_out() - Return: the value of the argument "out", or NULL if there is none. */
static inline const char *plugin_out(int argc, char **argv)
{
	static const char name[] = "out=";

	for (int i = 0; i < argc; i++)
		if (!strncmp(argv[i], name, strlen(name)))
			return strdup(argv[i] + strlen(name));
	return NULL;
}

#endif
