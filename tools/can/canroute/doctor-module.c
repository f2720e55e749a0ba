// SPDX-License-Identifier: GPL-2.0-only
/*
 * Section "modules" of the command doctor. The build ID tells which file a loaded module is
 * from.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "doctor-build-id.h"
#include "doctor-dkms.h"
#include "doctor-files.h"
#include "doctor-module-files.h"
#include "doctor-module.h"
#include "rule.h"
#include "stock.h"

/**
 * struct module - a loaded CAN module, or the name of one that has a file
 * @installed: file that modprobe would load, NULL if there is none
 * @loaded_from: file with the build ID of the loaded module, NULL if unknown
 * @known: @current is valid
 * @current: the loaded module is @installed
 */
struct module {
	char name[MODULE_NAME];
	char id[BUILD_ID];
	char *installed, *loaded_from;
	bool known, current;
};

/**
 * struct modules - modules of a kernel
 * @packaged: the modules that the kernel package has; only these can be mixed up with others.
 *	The simulator of can-fastpath, for example, can be built for the modules of the package.
 * @module: loaded ones are in the order of /proc/modules, where users of a module precede it
 */
struct modules {
	struct module_files *files;
	const struct modules *packaged;
	struct module *module;
	size_t count;
};

static struct module *modules_find(const struct modules *modules, const char *name)
{
	for (size_t i = 0; i < modules->count; i++)
		if (!strcmp(modules->module[i].name, name))
			return &modules->module[i];
	return NULL;
}

static char *copy_path(const char *path)
{
	char *copy = path ? strdup(path) : NULL;

	if (path && !copy)
		cli_fail("no memory for modules");
	return copy;
}

static void modules_add(struct modules *modules, const char *name)
{
	struct module *grown = reallocarray(modules->module, modules->count + 1, sizeof(*grown));
	struct module *module;

	if (!grown)
		cli_fail("no memory for modules");
	modules->module = grown;
	module = &grown[modules->count++];
	*module = (struct module){ 0 };
	snprintf(module->name, sizeof(module->name), "%s", name);
	module->installed = copy_path(module_files_path(modules->files, name));
}

static void modules_free(struct modules *modules)
{
	for (size_t i = 0; i < modules->count; i++) {
		free(modules->module[i].installed);
		free(modules->module[i].loaded_from);
	}
	free(modules->module);
}

/* @base: a module in the list "can_raw,can_gw," of the users of a base module */
static bool is_user(const char *users, const char *name)
{
	size_t len = strlen(name);

	for (const char *p = users; (p = strstr(p, name)); p += len)
		if (p[len] == ',' && (p == users || p[-1] == ','))
			return true;
	return false;
}

/* Users of base modules, from lines "can 40960 2 can_raw,can_gw, Live 0x0000000000000000" */
static char *read_users(const char *path)
{
	char *line = NULL, *users = strdup("");
	FILE *in = fopen(path, "r");
	size_t room = 0;

	while (in && users && getline(&line, &room, in) > 0) {
		char *name = strtok(line, " "), *list = NULL, *joined = NULL;

		for (int i = 0; i < 3; i++)
			list = strtok(NULL, " ");
		if (!list || !module_files_base(name) || !strcmp(list, "-"))
			continue;
		if (asprintf(&joined, "%s%s", users, list) < 0)
			joined = NULL;
		free(users);
		users = joined;
	}
	if (!users)
		cli_fail("no memory for modules");
	if (in)
		fclose(in);
	free(line);
	return users;
}

/* False: there is no list of modules. */
static bool find_loaded(struct modules *modules)
{
	char path[PATH_MAX], *line = NULL, *users;
	FILE *in = fopen(files_path(path, "/proc/modules"), "r");
	size_t room = 0;

	if (!in)
		return false;
	users = read_users(path);
	while (getline(&line, &room, in) > 0) {
		line[strcspn(line, " \n")] = '\0';
		if (module_files_can(modules->files, line) || is_user(users, line))
			modules_add(modules, line);
	}
	free(line);
	free(users);
	fclose(in);
	return true;
}

static bool match_file(void *arg, const char *path, const char *full)
{
	struct module *module = arg;
	char name[MODULE_NAME], id[BUILD_ID];

	if (strcmp(module_files_name(path, name), module->name) || !build_id_file(full, id) ||
	    strcmp(id, module->id))
		return true;
	module->loaded_from = copy_path(path);
	return false;
}

/* Compare the loaded module with the file that modprobe would load, then with others. */
static void identify(struct modules *modules, struct module *module,
		     const struct doctor_kernel *kernel)
{
	char path[PATH_MAX], id[BUILD_ID];

	if (!build_id_loaded(module->name, module->id))
		return;
	if (!module->installed) {
		module->known = kernel->installed;
	} else if (build_id_file(files_path(path, "/lib/modules/%s/%s", kernel->release,
					    module->installed), id)) {
		module->known = true;
		module->current = !strcmp(id, module->id);
	}
	if (module->current)
		module->loaded_from = copy_path(module->installed);
	else
		module_files_each(modules->files, match_file, module);
}

static void report_module(struct report *r, const struct module *module)
{
	report_row(r, "loaded_modules",
		   json_pack("{s:o, s:o, s:o, s:o}", "module", report_string(module->name),
			     "current", module->known ? json_boolean(module->current) : json_null(),
			     "loaded_from", report_string(module->loaded_from),
			     "modprobe_loads", report_string(module->installed)));
}

/* struct names - module names, for a sentence or a command */
struct names {
	char text[4096];
	size_t count;
};

static void names_add(struct names *names, const char *name)
{
	size_t len = strlen(names->text);

	if (snprintf(names->text + len, sizeof(names->text) - len, "%s%s", len ? " " : "", name) >=
	    (int)(sizeof(names->text) - len))
		names->text[len] = '\0';
	names->count++;
}

/* Reload all CAN modules, because they share structures. */
static void report_reload(struct report *r, const struct modules *modules)
{
	struct names unload = { 0 }, load = { 0 };

	for (size_t i = 0; i < modules->count; i++) {
		const struct module *last = &modules->module[modules->count - 1 - i];

		names_add(&unload, modules->module[i].name);
		if (last->installed)
			names_add(&load, last->name);
	}
	report_command(r, "reboot");
	report_command(r, "modprobe -r %s && modprobe -a %s", unload.text, load.text);
}

#define RELOAD "reboot, or reload all, which removes their interfaces and rules"

static void report_loaded(struct report *r, const struct modules *modules)
{
	struct names from[ORIGIN_FOREIGN + 1] = { 0 }, stale = { 0 }, unknown = { 0 };

	for (size_t i = 0; i < modules->count; i++) {
		const struct module *m = &modules->module[i];

		if (modules_find(modules->packaged, m->name))
			names_add(&from[module_files_origin(modules->files, m->name,
							    m->loaded_from)], m->name);
		if (!m->known)
			names_add(&unknown, m->name);
		else if (!m->current)
			names_add(&stale, m->name);
	}
	if (from[ORIGIN_KERNEL].count && from[ORIGIN_FASTPATH].count)
		report_issue(r, REPORT_FINDING,
			     "the loaded modules are a mixture: %s from can-fastpath; %s from the kernel package; " RELOAD,
			     from[ORIGIN_FASTPATH].text, from[ORIGIN_KERNEL].text);
	else if (stale.count)
		report_issue(r, REPORT_FINDING,
			     "the loaded modules are not the installed ones: %s; " RELOAD,
			     stale.text);
	if (stale.count || (from[ORIGIN_KERNEL].count && from[ORIGIN_FASTPATH].count))
		report_reload(r, modules);
	if (unknown.count)
		report_issue(r, REPORT_UNKNOWN,
			     "whether these are the installed modules, because a build ID cannot be read: %s",
			     unknown.text);
}

static bool add_file(void *arg, const char *path, const char *full)
{
	struct modules *modules = arg;
	char name[MODULE_NAME];

	(void)full;
	module_files_name(path, name);
	if (!modules_find(modules, name) && module_files_can(modules->files, name))
		modules_add(modules, name);
	return true;
}

static bool add_packaged(void *arg, const char *path, const char *full)
{
	struct modules *modules = arg;
	char name[MODULE_NAME];

	module_files_name(path, name);
	return module_files_origin(modules->files, name, path) != ORIGIN_KERNEL ||
	       add_file(arg, path, full);
}

static void report_mixture(struct report *r, const struct names from[],
			   const struct doctor_kernel *kernel)
{
	bool few = from[ORIGIN_KERNEL].count < from[ORIGIN_FASTPATH].count;
	char version[128], word[REPORT_WORD], word2[REPORT_WORD];

	report_issue(r, REPORT_FINDING,
		     "modprobe would load a mixture: %s from %s, all others from %s",
		     from[few ? ORIGIN_KERNEL : ORIGIN_FASTPATH].text,
		     few ? "the kernel package" : "can-fastpath",
		     few ? "can-fastpath" : "the kernel package");
	report_word(kernel->release, word);
	if (dkms_version(version, sizeof(version)))
		report_command(r, "dkms install --force can-fastpath/%s -k %s",
			       report_word(version, word2), word);
	else
		report_command(r, "depmod -a %s", word);
}

/* All files of CAN modules, loaded or not */
static void report_installed(struct report *r, const struct modules *packaged,
			     const struct doctor_kernel *kernel)
{
	struct modules modules = { .files = packaged->files };
	struct names from[ORIGIN_FOREIGN + 1] = { 0 };

	module_files_each(packaged->files, add_file, &modules);
	for (size_t i = 0; i < modules.count; i++) {
		const struct module *m = &modules.module[i];
		enum origin origin = module_files_origin(packaged->files, m->name, m->installed);
		char word[REPORT_WORD];

		if (modules_find(packaged, m->name))
			names_add(&from[origin], m->name);
		if (origin != ORIGIN_FOREIGN)
			continue;
		report_issue(r, REPORT_NOTE,
			     "%s is neither from the kernel package nor from can-fastpath: %s",
			     m->name, m->installed);
		report_command(r, "modinfo %s", report_word(m->name, word));
	}
	if (from[ORIGIN_KERNEL].count && from[ORIGIN_FASTPATH].count)
		report_mixture(r, from, kernel);
	modules_free(&modules);
}

/* Kernels for clouds have no CAN. */
static void report_support(struct report *r, struct module_files *files,
			   const struct doctor_kernel *kernel)
{
	const char *flavour = kernel_flavour(kernel->release);
	char word[REPORT_WORD];

	if (!kernel->installed || module_files_path(files, "can") ||
	    module_files_builtin(files, "can"))
		return;
	if (!strncmp(flavour, "cloud-", 6))
		flavour += 6;
	report_issue(r, REPORT_FINDING, "the kernel %s has no CAN modules", kernel->release);
	if (*flavour)
		report_command(r, "apt install linux-image-%s", report_word(flavour, word));
}

/*
 * The kernel loads a module if it is asked for a netlink family that it does not have. So
 * gateway_find() is called only if can-gw is loaded or built in.
 */
static enum gateway find_gateway(void)
{
	if (!files_exist("/sys/module/can_gw"))
		return GATEWAY_NONE;
	if (!files_redirected())
		return gateway_find();
	/* This sysctl exists only with the family. */
	return files_exist("/proc/sys/net/can/gw_max_rules") ? GATEWAY_FAMILY : GATEWAY_STOCK;
}

static bool report_gateway(struct report *r)
{
	static const char *const texts[] = {
		[GATEWAY_NONE] = "not loaded",
		[GATEWAY_STOCK] = "without the netlink family can-gw",
		[GATEWAY_FAMILY] = "with the netlink family can-gw",
	};
	enum gateway gateway = find_gateway();

	report_fact(r, "gateway", "%s", texts[gateway]);
	return gateway != GATEWAY_NONE;
}

bool doctor_modules(struct report *r, const struct doctor_kernel *kernel)
{
	struct modules packaged = { .files = module_files_open(kernel->release) };
	struct modules modules = { .files = packaged.files, .packaged = &packaged };
	bool gateway, listed;

	report_section(r, "modules");
	module_files_each(packaged.files, add_packaged, &packaged);
	listed = find_loaded(&modules);
	gateway = report_gateway(r);
	report_table(r, "loaded_modules");
	for (size_t i = 0; i < modules.count; i++) {
		identify(&modules, &modules.module[i], kernel);
		report_module(r, &modules.module[i]);
	}
	if (!listed)
		report_issue(r, REPORT_UNKNOWN, "which modules are loaded: no /proc/modules");
	report_support(r, modules.files, kernel);
	report_loaded(r, &modules);
	report_installed(r, &packaged, kernel);
	modules_free(&packaged);
	modules_free(&modules);
	module_files_close(modules.files);
	return gateway;
}
