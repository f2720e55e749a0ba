// SPDX-License-Identifier: GPL-2.0-only
/*
 * Section "dkms" of the command doctor. DKMS stores what it has built in
 * VERSION/RELEASE/ARCHITECTURE, and a link kernel-RELEASE-ARCHITECTURE to the version that
 * is installed for a kernel. It signs modules with a key of its own, which the firmware has
 * to know if Secure Boot is enabled.
 */
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli.h"
#include "doctor-dkms.h"
#include "doctor-files.h"

#define MOK_KEY "/var/lib/dkms/mok.pub"
#define SECURE_BOOT "/sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c"

extern char **environ;

static bool is_version(const char *name)
{
	return files_exist(DKMS_CAN "/%s/source", name);
}

bool dkms_version(char *version, size_t size)
{
	char **names = files_names(DKMS_CAN);
	bool found = false;

	for (char **name = names; *name; name++) {
		if (!is_version(*name))
			continue;
		snprintf(version, size, "%s", *name);
		found = true;
	}
	files_names_free(names);
	return found;
}

/* @version is installed for @release: a link kernel-RELEASE-ARCHITECTURE leads to it. */
static bool is_installed(const char *version, const char *release)
{
	char **names = files_names(DKMS_CAN), path[PATH_MAX], prefix[256], target[PATH_MAX];
	bool found = false;
	size_t skip;

	snprintf(prefix, sizeof(prefix), "kernel-%s-", release);
	for (char **name = names; *name && !found; name++) {
		ssize_t len;

		/* An architecture has no hyphen. */
		if (strncmp(*name, prefix, strlen(prefix)) || strchr(*name + strlen(prefix), '-'))
			continue;
		len = readlink(files_path(path, DKMS_CAN "/%s", *name), target, sizeof(target) - 1);
		if (len < 0)
			continue;
		target[len] = '\0';
		skip = strncmp(target, DKMS_CAN "/", strlen(DKMS_CAN) + 1) ? 0 :
		       strlen(DKMS_CAN) + 1;
		found = !strncmp(target + skip, version, strlen(version)) &&
			target[skip + strlen(version)] == '/';
	}
	files_names_free(names);
	return found;
}

static const char *build_state(const char *version, const char *release)
{
	if (is_installed(version, release))
		return "installed";
	return files_exist(DKMS_CAN "/%s/%s", version, release) ? "built" : "none";
}

static void report_missing(struct report *r, const char *version, const char *release,
			   const char *consequence)
{
	char word[REPORT_WORD], word2[REPORT_WORD];

	report_issue(r, REPORT_FINDING, "can-fastpath is not installed for kernel %s%s", release,
		     consequence);
	report_word(release, word);
	if (!files_exist("/lib/modules/%s/build", release))
		report_command(r, "apt install linux-headers-%s", word);
	report_command(r, "dkms install can-fastpath/%s -k %s", report_word(version, word2), word);
}

/* Debian 12 has 6.12 beside its default kernel, in packages with the version in their names. */
static void report_unsupported(struct report *r, const struct doctor_kernel *kernel)
{
	const char *version = !strcmp(kernel->suite, "bookworm") ? "6.12-" : "";
	const char *flavour = kernel_flavour(kernel->release);
	char image[REPORT_WORD], headers[REPORT_WORD], name[256];

	report_issue(r, REPORT_FINDING,
		     "kernel %s is not a 6.12 kernel: can-fastpath does not support it, and its own CAN modules are used",
		     kernel->release);
	if (!*flavour)
		flavour = "amd64";
	snprintf(name, sizeof(name), "linux-image-%s%s", version, flavour);
	report_word(name, image);
	snprintf(name, sizeof(name), "linux-headers-%s%s", version, flavour);
	report_command(r, "apt install %s %s", image, report_word(name, headers));
	report_command(r, "reboot");
}

static void report_versions(struct report *r, const struct doctor_kernel *kernel)
{
	char **names = files_names(DKMS_CAN), version[128] = "";
	bool running = false, newest = false;

	report_table(r, "versions");
	for (char **name = names; *name; name++) {
		if (!is_version(*name))
			continue;
		snprintf(version, sizeof(version), "%s", *name);
		running = running || is_installed(*name, kernel->release);
		newest = newest || is_installed(*name, kernel->newest);
		report_row(r, "versions",
			   json_pack("{s:o, s:s, s:s}", "version", report_string(*name),
				     "running_kernel", build_state(*name, kernel->release),
				     "newest_kernel", build_state(*name, kernel->newest)));
	}
	files_names_free(names);
	if (!kernel_supported(kernel->release) && !kernel_is_cloud(kernel->release))
		report_unsupported(r, kernel);
	if (!running && kernel_supported(kernel->release))
		report_missing(r, version, kernel->release, "");
	if (!newest && kernel_supported(kernel->newest) &&
	    strcmp(kernel->newest, kernel->release))
		report_missing(r, version, kernel->newest, ", which runs after the next reboot");
}

/* The content is 4 bytes of attributes and the value. */
static const char *secure_boot(void)
{
	unsigned char content[5] = { 0 };
	char path[PATH_MAX];
	ssize_t len;
	int fd;

	if (!files_exist("/sys/firmware/efi"))
		return "no EFI";
	fd = open(files_path(path, SECURE_BOOT), O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return errno == ENOENT ? "not supported" : "unknown";
	len = read(fd, content, sizeof(content));
	close(fd);
	if (len < (ssize_t)sizeof(content))
		return "unknown";
	return content[4] == 1 ? "enabled" : "disabled";
}

/* "none [integrity] confidentiality": copy the selected word. */
static bool lockdown(char *mode, size_t size)
{
	char line[256], *begin;

	snprintf(mode, size, "none");
	if (!files_line(line, sizeof(line), "/sys/kernel/security/lockdown"))
		return errno == ENOENT;
	begin = strchr(line, '[');
	if (begin)
		snprintf(mode, size, "%.*s", (int)strcspn(begin + 1, "]"), begin + 1);
	return true;
}

enum key {
	KEY_ENROLLED,
	KEY_MISSING,
	KEY_UNKNOWN,
};

/* Ask mokutil(1). Its exit status differs between versions, so read its message. */
static enum key test_key(void)
{
	char path[PATH_MAX], text[512];
	const char *argv[] = { "mokutil", "--test-key", files_path(path, MOK_KEY), NULL };
	posix_spawn_file_actions_t actions;
	enum key key = KEY_UNKNOWN;
	int ends[2], error;
	pid_t pid;
	FILE *in;

	if (pipe2(ends, O_CLOEXEC))
		cli_fail("pipe");
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
	posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
	error = posix_spawnp(&pid, argv[0], &actions, NULL, (char **)argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	close(ends[1]);
	in = fdopen(ends[0], "r");
	if (!in)
		cli_fail("mokutil");
	while (fgets(text, sizeof(text), in))
		if (strstr(text, "is already enrolled"))
			key = KEY_ENROLLED;
		else if (strstr(text, "is not enrolled"))
			key = KEY_MISSING;
	fclose(in);
	if (!error)
		waitpid(pid, NULL, 0);
	return key;
}

static void report_key(struct report *r)
{
	if (!files_exist(MOK_KEY)) {
		report_issue(r, REPORT_UNKNOWN,
			     "the kernel loads only signed modules, and DKMS has no key " MOK_KEY);
		return;
	}
	switch (test_key()) {
	case KEY_ENROLLED:
		report_fact(r, "key", "enrolled");
		break;
	case KEY_MISSING:
		report_issue(r, REPORT_FINDING,
			     "the kernel loads only signed modules, and the key of DKMS is not enrolled; confirm it during the reboot");
		report_command(r, "mokutil --import " MOK_KEY);
		report_command(r, "reboot");
		break;
	case KEY_UNKNOWN:
		report_issue(r, REPORT_UNKNOWN,
			     "whether the key of DKMS is enrolled: mokutil is missing or gave no answer");
		report_command(r, "apt install mokutil");
		report_command(r, "mokutil --test-key " MOK_KEY);
		break;
	}
}

static void report_signatures(struct report *r, bool dkms)
{
	char mode[64], enforce[8] = "N";
	const char *boot = secure_boot();
	bool known = lockdown(mode, sizeof(mode));

	known = (files_line(enforce, sizeof(enforce), "/sys/module/module/parameters/sig_enforce") ||
		 errno == ENOENT) && known;
	report_fact(r, "secure_boot", "%s", boot);
	report_fact(r, "lockdown", "%s", mode);
	report_fact(r, "sig_enforce", "%s", enforce[0] == 'Y' ? "yes" : "no");
	if (!known || !strcmp(boot, "unknown"))
		report_issue(r, REPORT_UNKNOWN,
			     "whether the kernel requires signed modules: run as root");
	if (dkms && (enforce[0] == 'Y' || strcmp(mode, "none")))
		report_key(r);
}

void doctor_dkms(struct report *r, const struct doctor_kernel *kernel)
{
	char version[128], path[PATH_MAX];
	bool dkms = dkms_version(version, sizeof(version));
	bool denied = !dkms && access(files_path(path, DKMS_CAN), R_OK | X_OK) && errno == EACCES;

	report_section(r, "dkms");
	report_fact(r, "can-fastpath", "%s", dkms ? version : "not installed by DKMS");
	report_signatures(r, dkms);
	if (dkms)
		report_versions(r, kernel);
	else if (denied)
		report_issue(r, REPORT_UNKNOWN, "what DKMS has built: run as root");
}
