// SPDX-License-Identifier: GPL-2.0-only
/*
 * Files of CAN modules below /lib/modules. libkmod reads the indices of depmod(8), so it
 * finds the same files as modprobe(8). It is loaded at run time, because it needs libraries
 * for compression and cryptography: with them, canroute started in 2.4 ms instead of 0.8 ms.
 */
#include <dlfcn.h>
#include <errno.h>
#include <libkmod.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli.h"
#include "doctor-dkms.h"
#include "doctor-files.h"
#include "doctor-module-files.h"
#include "rule.h"

/* Links to the source of a kernel are not below the directories that are searched. */
#define DEPTH_MAX 8

#define KMOD_LIBRARY "libkmod.so.2"

#define KMOD_FUNCTIONS(function)			\
	function(kmod_new)				\
	function(kmod_unref)				\
	function(kmod_set_log_priority)			\
	function(kmod_get_dirname)			\
	function(kmod_list_next)			\
	function(kmod_module_new_from_name)		\
	function(kmod_module_unref)			\
	function(kmod_module_unref_list)		\
	function(kmod_module_get_module)		\
	function(kmod_module_get_name)			\
	function(kmod_module_get_path)			\
	function(kmod_module_get_dependencies)

/* The functions of libkmod, after load_library() */
#define DECLARE(name) typeof(name) *name;
static struct {
	KMOD_FUNCTIONS(DECLARE)
} kmod;

/**
 * struct module_files - modules of one kernel
 * @module: the last one that was looked up
 */
struct module_files {
	char release[128];
	struct kmod_ctx *ctx;
	struct kmod_module *module;
};

static void load_library(void)
{
	void *library = dlopen(KMOD_LIBRARY, RTLD_NOW);

	if (!library)
		cli_fail("%s", dlerror());
#define LOAD(name)							\
	kmod.name = (typeof(name) *)dlsym(library, #name);		\
	if (!kmod.name)							\
		cli_fail("%s", dlerror());
	KMOD_FUNCTIONS(LOAD)
}

struct module_files *module_files_open(const char *release)
{
	static const char *const no_configuration[] = { NULL };
	struct module_files *files = calloc(1, sizeof(*files));
	char path[PATH_MAX];

	if (!files)
		cli_fail("no memory for modules");
	errno = 0;
	load_library();
	snprintf(files->release, sizeof(files->release), "%s", release);
	files->ctx = kmod.kmod_new(files_path(path, "/lib/modules/%s", release), no_configuration);
	if (!files->ctx)
		cli_fail("libkmod: %s", path);
	/* It would report that the modules are not installed. */
	kmod.kmod_set_log_priority(files->ctx, 0);
	return files;
}

void module_files_close(struct module_files *files)
{
	kmod.kmod_module_unref(files->module);
	kmod.kmod_unref(files->ctx);
	free(files);
}

static bool look_up(struct module_files *files, const char *module)
{
	kmod.kmod_module_unref(files->module);
	files->module = NULL;
	return !kmod.kmod_module_new_from_name(files->ctx, module, &files->module);
}

const char *module_files_path(struct module_files *files, const char *module)
{
	const char *directory = kmod.kmod_get_dirname(files->ctx), *path;
	size_t len = strlen(directory);

	path = look_up(files, module) ? kmod.kmod_module_get_path(files->module) : NULL;
	if (!path || strncmp(path, directory, len) || path[len] != '/')
		return NULL;
	return path + len + 1;
}

const char *module_files_name(const char *path, char name[MODULE_NAME])
{
	const char *last = strrchr(path, '/');

	snprintf(name, MODULE_NAME, "%s", last ? last + 1 : path);
	name[strcspn(name, ".")] = '\0';
	for (char *p = name; *p; p++)
		if (*p == '-')
			*p = '_';
	return name;
}

bool module_files_builtin(struct module_files *files, const char *module)
{
	char path[PATH_MAX], line[512], name[MODULE_NAME];
	bool found = false;
	FILE *in;

	in = fopen(files_path(path, "/lib/modules/%s/modules.builtin", files->release), "r");
	while (in && !found && fgets(line, sizeof(line), in))
		found = !strcmp(module_files_name(line, name), module);
	if (in)
		fclose(in);
	return found;
}

bool module_files_base(const char *module)
{
	return !strcmp(module, "can") || !strcmp(module, "can_dev") ||
	       !strcmp(module, "kvcommon") || !strcmp(module, "pcan");
}

bool module_files_can(struct module_files *files, const char *module)
{
	const char *path = module_files_path(files, module);
	struct kmod_list *list, *entry;
	bool uses = module_files_base(module) || (path && strstr(path, "/net/can/"));

	if (!path)
		return uses;
	list = kmod.kmod_module_get_dependencies(files->module);
	for (entry = list; entry; entry = kmod.kmod_list_next(list, entry)) {
		struct kmod_module *dependency = kmod.kmod_module_get_module(entry);

		uses = uses || module_files_base(kmod.kmod_module_get_name(dependency));
		kmod.kmod_module_unref(dependency);
	}
	kmod.kmod_module_unref_list(list);
	return uses;
}

/* DKMS has built the module for this kernel: VERSION/RELEASE/ARCHITECTURE/module/NAME.ko... */
static bool dkms_built(struct module_files *files, const char *module)
{
	char **versions = files_names(DKMS_CAN), name[MODULE_NAME];
	bool found = false;

	for (char **v = versions; *v; v++) {
		char **archs = files_names(DKMS_CAN "/%s/%s", *v, files->release);

		for (char **a = archs; *a; a++) {
			char **built = files_names(DKMS_CAN "/%s/%s/%s/module", *v, files->release, *a);

			for (char **b = built; *b; b++)
				found = found || !strcmp(module_files_name(*b, name), module);
			files_names_free(built);
		}
		files_names_free(archs);
	}
	files_names_free(versions);
	return found;
}

enum origin module_files_origin(struct module_files *files, const char *module,
				const char *path)
{
	if (!path)
		return ORIGIN_UNKNOWN;
	/* DKMS moves the modules of the kernel package there. */
	if (!strncmp(path, "kernel/", 7) || path[0] == '/')
		return ORIGIN_KERNEL;
	if (!strncmp(path, "updates/", 8) &&
	    (strstr(path, "/net/can/") || dkms_built(files, module)))
		return ORIGIN_FASTPATH;
	return ORIGIN_FOREIGN;
}

/* struct search - arguments of module_files_each(); @skip: length of the prefix of a path */
struct search {
	bool (*each)(void *arg, const char *path, const char *full);
	void *arg;
	size_t skip;
	bool ended;
};

/* @directory is without the prefix of doctor-files.h. */
static void search_directory(struct search *search, const char *directory, int depth)
{
	char **names = files_names("%s", directory), path[PATH_MAX], full[PATH_MAX];
	struct stat st;

	for (char **name = names; *name && !search->ended; name++) {
		if (snprintf(path, sizeof(path), "%s/%s", directory, *name) >= (int)sizeof(path) ||
		    stat(files_path(full, "%s", path), &st))
			continue;
		if (S_ISDIR(st.st_mode) && depth < DEPTH_MAX)
			search_directory(search, path, depth + 1);
		else if (S_ISREG(st.st_mode) && strstr(*name, ".ko"))
			search->ended = !search->each(search->arg, path + search->skip, full);
	}
	files_names_free(names);
}

void module_files_each(struct module_files *files,
		       bool (*each)(void *arg, const char *path, const char *full), void *arg)
{
	static const char *const directories[] = {
		"kernel/net/can", "kernel/drivers/net/can", "updates", "extra", "misc",
	};
	struct search search = { .each = each, .arg = arg };
	char path[PATH_MAX];

	search.skip = strlen("/lib/modules/") + strlen(files->release) + 1;
	for (size_t i = 0; i < ARRAY_SIZE(directories); i++) {
		snprintf(path, sizeof(path), "/lib/modules/%s/%s", files->release, directories[i]);
		search_directory(&search, path, 0);
	}
	search.skip = 0;
	snprintf(path, sizeof(path), DKMS_CAN "/original_module/%s", files->release);
	search_directory(&search, path, 0);
}
