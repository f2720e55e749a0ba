/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Files of the system for the command doctor. The environment variable CANROUTE_ROOT is a
 * prefix of all paths, for tests with a directory instead of the system.
 */
#ifndef CANROUTE_DOCTOR_FILES_H
#define CANROUTE_DOCTOR_FILES_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#define FILES_PRINTF(n) __attribute__((format(printf, n, n + 1)))

/* files_redirected() - CANROUTE_ROOT is set: nothing may be asked of the running kernel. */
bool files_redirected(void);

/* files_path() - write the path with its prefix to @path, and return it. */
const char *files_path(char path[PATH_MAX], const char *fmt, ...) FILES_PRINTF(2);

/* files_line() - read the first line, without the newline. False: errno has the reason. */
bool files_line(char *line, size_t size, const char *fmt, ...) FILES_PRINTF(3);

/* files_link() - the last component of the target of a symbolic link. False: not a link. */
bool files_link(char *name, size_t size, const char *fmt, ...) FILES_PRINTF(3);

/* files_exist() - the path exists; it may be a dangling symbolic link. */
bool files_exist(const char *fmt, ...) FILES_PRINTF(1);

/*
 * files_names() - names in a directory, sorted as versions (can2 before can10), followed by
 * NULL. Without names if the directory cannot be read, which errno then tells; 0 otherwise.
 * Free with files_names_free().
 */
char **files_names(const char *fmt, ...) FILES_PRINTF(1);
void files_names_free(char **names);

#endif
