// SPDX-License-Identifier: GPL-2.0-only
/*
 * Files of the system for the command doctor.
 */
#include <dirent.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli.h"
#include "doctor-files.h"

static const char *files_root(void)
{
	const char *root = getenv("CANROUTE_ROOT");

	return root ? root : "";
}

bool files_redirected(void)
{
	return *files_root();
}

static void format_path(char path[PATH_MAX], const char *fmt, va_list args)
{
	int len = snprintf(path, PATH_MAX, "%s", files_root());

	if (len < PATH_MAX)
		len += vsnprintf(path + len, PATH_MAX - len, fmt, args);
	errno = ENAMETOOLONG;
	if (len >= PATH_MAX)
		cli_fail("%s", path);
}

/* Each function with a format begins with this. */
#define FORMAT_PATH(path, fmt) do {		\
	va_list args;				\
						\
	va_start(args, fmt);			\
	format_path(path, fmt, args);		\
	va_end(args);				\
} while (0)

const char *files_path(char path[PATH_MAX], const char *fmt, ...)
{
	FORMAT_PATH(path, fmt);
	return path;
}

bool files_line(char *line, size_t size, const char *fmt, ...)
{
	char path[PATH_MAX];
	FILE *in;
	bool good;

	FORMAT_PATH(path, fmt);
	in = fopen(path, "r");
	if (!in)
		return false;
	good = fgets(line, size, in);
	fclose(in);
	if (good)
		line[strcspn(line, "\n")] = '\0';
	return good;
}

bool files_link(char *name, size_t size, const char *fmt, ...)
{
	char path[PATH_MAX], target[PATH_MAX];
	const char *last;
	ssize_t len;

	FORMAT_PATH(path, fmt);
	len = readlink(path, target, sizeof(target) - 1);
	if (len < 0)
		return false;
	target[len] = '\0';
	last = strrchr(target, '/');
	snprintf(name, size, "%s", last ? last + 1 : target);
	return true;
}

bool files_exist(const char *fmt, ...)
{
	char path[PATH_MAX];
	struct stat st;

	FORMAT_PATH(path, fmt);
	return !lstat(path, &st);
}

static int select_name(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

char **files_names(const char *fmt, ...)
{
	struct dirent **entries = NULL;
	char path[PATH_MAX], **names;
	int count, error;

	FORMAT_PATH(path, fmt);
	count = scandir(path, &entries, select_name, versionsort);
	error = count < 0 ? errno : 0;
	if (count < 0)
		count = 0;
	names = calloc(count + 1, sizeof(*names));
	for (int i = 0; i < count; i++) {
		if (!names || !(names[i] = strdup(entries[i]->d_name)))
			cli_fail("no memory for %s", path);
		free(entries[i]);
	}
	if (!names)
		cli_fail("no memory for %s", path);
	free(entries);
	errno = error;
	return names;
}

void files_names_free(char **names)
{
	for (char **name = names; *name; name++)
		free(*name);
	free(names);
}
