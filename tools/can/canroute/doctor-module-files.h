/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Files of CAN modules below /lib/modules, for the command doctor. Paths are relative to
 * /lib/modules/RELEASE.
 */
#ifndef CANROUTE_DOCTOR_MODULE_FILES_H
#define CANROUTE_DOCTOR_MODULE_FILES_H

#include <limits.h>
#include <stdbool.h>

/* Where a module comes from */
enum origin {
	ORIGIN_UNKNOWN,
	ORIGIN_KERNEL,		/* the kernel package */
	ORIGIN_FASTPATH,	/* can-fastpath */
	ORIGIN_FOREIGN,
};

struct module_files;

/* module_files_open() - the modules of one kernel, which need not be installed. */
struct module_files *module_files_open(const char *release);
void module_files_close(struct module_files *files);

/*
 * module_files_path() - the file that modprobe(8) would load; NULL if there is none. Valid
 * until the next call.
 */
const char *module_files_path(struct module_files *files, const char *module);

/* module_files_builtin() - the module is part of the kernel image. */
bool module_files_builtin(struct module_files *files, const char *module);

/*
 * module_files_base() - one of the modules that all CAN modules use: can, can-dev, and those
 * of two manufacturers' drivers without SocketCAN, kvcommon (Kvaser) and pcan (PEAK).
 */
bool module_files_base(const char *module);

/* module_files_can() - a CAN module, according to its directory or to what it depends on. */
bool module_files_can(struct module_files *files, const char *module);

enum origin module_files_origin(struct module_files *files, const char *module,
				const char *path);

/* module_files_name() - name of the module in file @path: without suffixes, with underscores. */
#define MODULE_NAME 64
const char *module_files_name(const char *path, char name[MODULE_NAME]);

/*
 * module_files_each() - call @each for all files that may be CAN modules: below net/can and
 * drivers/net/can of the kernel package, and all others that are not from it. @full is the
 * path with all directories. Files that DKMS has moved away have a path that begins with a
 * slash. False from @each ends it.
 */
void module_files_each(struct module_files *files,
		       bool (*each)(void *arg, const char *path, const char *full), void *arg);

#endif
