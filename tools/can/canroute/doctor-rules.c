// SPDX-License-Identifier: GPL-2.0-only
/*
 * Section "rules" of the command doctor.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"
#include "doctor-files.h"
#include "doctor-interface.h"
#include "doctor-rules.h"
#include "source-file.h"

#define RULES "/etc/can/gateway.rules"
#define SERVICE "canroute.service"

/* struct missing - an interface that does not exist; @line: first rule that uses it */
struct missing {
	char name[IFNAMSIZ];
	unsigned int line;
	size_t rules;
};

/* struct rules - content of the file */
struct rules {
	size_t count;
	struct missing *missing;
	size_t missing_count;
};

static void check_interface(struct rules *rules, const char *name, unsigned int line)
{
	struct missing *m;

	for (size_t i = 0; i < rules->missing_count; i++) {
		if (!strcmp(rules->missing[i].name, name)) {
			rules->missing[i].rules++;
			return;
		}
	}
	if (interface_exists(name))
		return;
	m = reallocarray(rules->missing, rules->missing_count + 1, sizeof(*m));
	if (!m)
		cli_fail("no memory for rules");
	rules->missing = m;
	m += rules->missing_count++;
	*m = (struct missing){ .line = line, .rules = 1 };
	snprintf(m->name, sizeof(m->name), "%s", name);
}

static void report_missing(struct report *r, const struct missing *m)
{
	bool virtual = !strncmp(m->name, "vcan", 4);
	char word[REPORT_WORD];

	report_issue(r, REPORT_FINDING,
		     "interface %s does not exist: %zu rule%s, the first in line %u%s", m->name,
		     m->rules, m->rules > 1 ? "s" : "", m->line, virtual ? "" :
		     "; correct the file, load the driver, or rename the interface of this bus");
	report_word(m->name, word);
	if (virtual)
		report_command(r, "ip link add dev %s type vcan && ip link set dev %s up", word,
			       word);
	else
		report_command(r, "ip link set dev INTERFACE name %s", word);
}

static void read_rules(struct report *r, const char *path, struct rules *rules)
{
	char word[REPORT_WORD];
	static struct rule rule;
	struct source_file file;

	source_open(&file, path);
	for (; source_next(&file, &rule); rules->count++) {
		check_interface(rules, rule.source, file.line);
		if (strcmp(rule.source, rule.destination))
			check_interface(rules, rule.destination, file.line);
	}
	report_fact(r, "file", "%s", path);
	report_fact(r, "rules", "%zu", rules->count);
	if (file.errors) {
		report_issue(r, REPORT_FINDING, "%s has %u error%s", path, file.errors,
			     file.errors > 1 ? "s" : "");
		report_command(r, "canroute check %s", report_word(path, word));
	}
	for (size_t i = 0; i < rules->missing_count; i++)
		report_missing(r, &rules->missing[i]);
	source_close(&file);
}

/* The unit is wanted or required by another one. */
static bool is_enabled(void)
{
	char **names = files_names("/etc/systemd/system");
	bool enabled = false;

	for (char **name = names; *name; name++) {
		const char *dot = strrchr(*name, '.');

		if (dot && (!strcmp(dot, ".wants") || !strcmp(dot, ".requires")))
			enabled = enabled || files_exist("/etc/systemd/system/%s/" SERVICE, *name);
	}
	files_names_free(names);
	return enabled;
}

static bool is_installed(void)
{
	return files_exist("/etc/systemd/system/" SERVICE) ||
	       files_exist("/usr/lib/systemd/system/" SERVICE) ||
	       files_exist("/usr/local/lib/systemd/system/" SERVICE) ||
	       files_exist("/lib/systemd/system/" SERVICE);
}

/* systemd has this link while the unit is active, also if its process has ended. */
static bool is_active(void)
{
	return files_exist("/run/systemd/units/invocation:" SERVICE);
}

static void report_service(struct report *r, bool rules)
{
	bool installed = is_installed(), enabled = is_enabled(), active = is_active();

	if (!installed) {
		report_fact(r, "service", "not installed");
		return;
	}
	report_fact(r, "service", "%s, %s", enabled ? "enabled" : "disabled",
		    active ? "active" : "inactive");
	if (enabled && !active && files_exist("/run/systemd/units"))
		report_issue(r, REPORT_FINDING,
			     SERVICE " is enabled, but not active: the rules may not be loaded");
	else if (!enabled && rules)
		report_issue(r, REPORT_FINDING,
			     SERVICE " is not enabled, so the rules are not loaded at boot");
	else
		return;
	report_command(r, "systemctl %s " SERVICE, enabled ? "start" : "enable --now");
}

void doctor_rules(struct report *r, const char *file)
{
	struct rules rules = { 0 };
	char path[PATH_MAX];
	bool given = file;

	report_section(r, "rules");
	if (!given)
		file = files_path(path, RULES);
	if (given || !access(file, R_OK)) {
		read_rules(r, file, &rules);
	} else {
		report_fact(r, "file", "%s", errno == ENOENT ? "none" : "unknown");
		if (errno != ENOENT)
			report_issue(r, REPORT_UNKNOWN, "%s: %s; run as root", file,
				     strerror(errno));
	}
	report_service(r, rules.count);
	free(rules.missing);
}
