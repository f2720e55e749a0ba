// SPDX-License-Identifier: GPL-2.0-only
/*
 * Section "kernel" of the command doctor.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "doctor-files.h"
#include "doctor-kernel.h"
#include "version.h"

/* The series whose source can-fastpath patches */
#define SERIES "6.12."

/* Debian's kernels of these flavours have no CAN. */
#define CLOUD "cloud-"

/* After the first hyphen before a letter: 6.1.0-30-amd64, 6.12.117+deb12-rt-amd64 */
const char *kernel_flavour(const char *release)
{
	while ((release = strchr(release, '-'))) {
		release++;
		if (isalpha((unsigned char)*release))
			return release;
	}
	return "";
}

bool kernel_is_cloud(const char *release)
{
	return !strncmp(kernel_flavour(release), CLOUD, strlen(CLOUD));
}

bool kernel_supported(const char *release)
{
	return !strncmp(release, SERIES, strlen(SERIES)) && !kernel_is_cloud(release);
}

static bool is_rt(void)
{
	char line[512];

	if (files_line(line, sizeof(line), "/sys/kernel/realtime"))
		return line[0] == '1';
	return files_line(line, sizeof(line), "/proc/sys/kernel/version") &&
	       strstr(line, "PREEMPT_RT");
}

static void find_newest(struct doctor_kernel *kernel)
{
	char **names = files_names("/lib/modules");

	strcpy(kernel->newest, kernel->release);
	for (char **name = names; *name; name++)
		if (strlen(*name) < KERNEL_RELEASE && strverscmp(*name, kernel->newest) > 0 &&
		    !strcmp(kernel_flavour(*name), kernel_flavour(kernel->release)) &&
		    files_exist("/lib/modules/%s/modules.dep", *name))
			strcpy(kernel->newest, *name);
	files_names_free(names);
}

/* VERSION_CODENAME of os-release, such as trixie */
static void find_suite(struct doctor_kernel *kernel)
{
	char path[PATH_MAX], line[256];
	FILE *in = fopen(files_path(path, "/etc/os-release"), "r");

	while (in && fgets(line, sizeof(line), in)) {
		char *value = strchr(line, '=');

		if (!value || strncmp(line, "VERSION_CODENAME=", value + 1 - line))
			continue;
		value++;
		value += strspn(value, "\"'");
		value[strcspn(value, "\"'\n")] = '\0';
		snprintf(kernel->suite, sizeof(kernel->suite), "%s", value);
	}
	if (in)
		fclose(in);
}

static void report_reboot(struct report *r, const struct doctor_kernel *kernel)
{
	bool newer = strcmp(kernel->newest, kernel->release);
	char word[REPORT_WORD];

	if (!kernel->installed && files_exist("/proc/modules")) {
		report_issue(r, REPORT_FINDING,
			     "the modules of the running kernel are not installed: /lib/modules/%s",
			     kernel->release);
		if (!newer) {
			report_command(r, "apt install linux-image-%s",
				       report_word(kernel->release, word));
			return;
		}
	} else if (newer) {
		report_issue(r, REPORT_NOTE, "kernel %s is installed, but does not run",
			     kernel->newest);
	} else if (files_exist("/run/reboot-required")) {
		report_issue(r, REPORT_NOTE,
			     "a package requires a reboot: /run/reboot-required exists");
	} else {
		return;
	}
	report_command(r, "reboot");
}

void doctor_kernel(struct report *r, struct doctor_kernel *kernel)
{
	report_section(r, "kernel");
	*kernel = (struct doctor_kernel){ 0 };
	if (!files_line(kernel->release, sizeof(kernel->release), "/proc/sys/kernel/osrelease"))
		cli_fail("/proc/sys/kernel/osrelease");
	kernel->rt = is_rt();
	kernel->installed = files_exist("/lib/modules/%s/modules.dep", kernel->release);
	find_newest(kernel);
	find_suite(kernel);
	report_fact(r, "release", "%s", kernel->release);
	report_fact(r, "newest", "%s", kernel->newest);
	if (kernel->suite[0])
		report_fact(r, "suite", "%s", kernel->suite);
	report_fact(r, "preemption", "%s", kernel->rt ? "PREEMPT_RT" : "not PREEMPT_RT");
	report_fact(r, "can-fastpath", "%s", kernel_supported(kernel->release) ?
		    "supports this kernel" : "does not support this kernel");
	report_fact(r, "canroute", "%s", tools_version);
	report_reboot(r, kernel);
}
