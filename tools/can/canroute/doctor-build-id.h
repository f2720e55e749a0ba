/* SPDX-License-Identifier: GPL-2.0-only */
/* Build IDs of loaded modules and of module files. */
#ifndef CANROUTE_DOCTOR_BUILD_ID_H
#define CANROUTE_DOCTOR_BUILD_ID_H

#include <stdbool.h>

/* Hexadecimal digits of the longest build ID, and the terminating zero */
#define BUILD_ID 129

/* build_id_loaded() - build ID of a loaded module. False: it has none, or cannot be read. */
bool build_id_loaded(const char *module, char id[BUILD_ID]);

/*
 * build_id_file() - build ID of the file of a module, which may be compressed; xz(1), zstd(1)
 * or gzip(1) then decompresses it. False: it has none, or cannot be read.
 */
bool build_id_file(const char *path, char id[BUILD_ID]);

#endif
