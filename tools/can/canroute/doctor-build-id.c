// SPDX-License-Identifier: GPL-2.0-only
/*
 * Build IDs of loaded modules and of module files. sysfs has the notes of a loaded module,
 * and an ELF file has a section with the same content. Files are those of a 32-bit or 64-bit
 * kernel with the byte order of this program.
 */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli.h"
#include "doctor-build-id.h"
#include "doctor-files.h"

extern char **environ;

/* Larger than any module with debug information */
#define FILE_MAX (256 << 20)

struct content {
	uint8_t *data;
	size_t len;
};

static size_t align4(size_t len)
{
	return (len + 3) & ~(size_t)3;
}

/* Find the build ID in a sequence of notes. The lengths come from a file: check them. */
static bool find_note(const uint8_t *notes, size_t len, char id[BUILD_ID])
{
	Elf32_Nhdr note;

	while (len >= sizeof(note)) {
		size_t name, desc;

		memcpy(&note, notes, sizeof(note));
		name = align4(note.n_namesz);
		desc = align4(note.n_descsz);
		if (name > len || desc > len || sizeof(note) + name + note.n_descsz > len)
			return false;
		if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == sizeof(ELF_NOTE_GNU) &&
		    !memcmp(notes + sizeof(note), ELF_NOTE_GNU, sizeof(ELF_NOTE_GNU)) &&
		    note.n_descsz && 2 * note.n_descsz < BUILD_ID) {
			for (size_t i = 0; i < note.n_descsz; i++)
				sprintf(id + 2 * i, "%02x", notes[sizeof(note) + name + i]);
			return true;
		}
		if (sizeof(note) + name + desc >= len)
			return false;
		notes += sizeof(note) + name + desc;
		len -= sizeof(note) + name + desc;
	}
	return false;
}

bool build_id_loaded(const char *module, char id[BUILD_ID])
{
	char path[PATH_MAX];
	uint8_t notes[1024];
	ssize_t len;
	int fd;

	fd = open(files_path(path, "/sys/module/%s/notes/.note.gnu.build-id", module),
		  O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	len = read(fd, notes, sizeof(notes));
	close(fd);
	return len > 0 && find_note(notes, len, id);
}

static bool read_content(int fd, struct content *content)
{
	size_t room = 0;

	*content = (struct content){ 0 };
	for (;;) {
		ssize_t got;

		if (content->len == room) {
			room = room ? 2 * room : 1 << 16;
			content->data = realloc(content->data, room);
			if (!content->data || room > FILE_MAX)
				cli_fail("no memory for a module");
		}
		got = read(fd, content->data + content->len, room - content->len);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return !got;
		content->len += got;
	}
}

/* Decompress @path with @program. The standard error of the program is discarded. */
static bool read_compressed(const char *program, const char *path, struct content *content)
{
	const char *argv[] = { program, "-dc", "--", path, NULL };
	posix_spawn_file_actions_t actions;
	int ends[2], status = 1, error;
	bool good;
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC))
		cli_fail("pipe");
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
	posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
	error = posix_spawnp(&pid, program, &actions, NULL, (char **)argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	close(ends[1]);
	good = !error && read_content(ends[0], content);
	close(ends[0]);
	while (!error && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return good && !status;
}

static bool read_file(const char *path, struct content *content)
{
	static const struct {
		const char *suffix, *program;
	} formats[] = { { ".xz", "xz" }, { ".zst", "zstd" }, { ".gz", "gzip" } };
	size_t len = strlen(path);
	bool good;
	int fd;

	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
		size_t suffix = strlen(formats[i].suffix);

		if (len > suffix && !strcmp(path + len - suffix, formats[i].suffix))
			return read_compressed(formats[i].program, path, content);
	}
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	good = read_content(fd, content);
	close(fd);
	return good;
}

/* Position of the table of sections, and of the members that are read */
struct sections {
	uint64_t offset;
	size_t size, count;
};

static bool find_sections(const struct content *c, struct sections *s)
{
	Elf64_Ehdr h64;
	Elf32_Ehdr h32;

	if (c->len < sizeof(h64) || memcmp(c->data, ELFMAG, SELFMAG))
		return false;
	memcpy(&h64, c->data, sizeof(h64));
	memcpy(&h32, c->data, sizeof(h32));
	if (c->data[EI_CLASS] == ELFCLASS64)
		*s = (struct sections){ h64.e_shoff, sizeof(Elf64_Shdr), h64.e_shnum };
	else
		*s = (struct sections){ h32.e_shoff, sizeof(Elf32_Shdr), h32.e_shnum };
	return s->offset <= c->len && s->count <= (c->len - s->offset) / s->size;
}

/* Offset and length of section @i if it has notes. False: it has none, or they are invalid. */
static bool section_notes(const struct content *c, const struct sections *s, size_t i,
			  uint64_t *offset, uint64_t *len)
{
	const uint8_t *from = c->data + s->offset + i * s->size;
	Elf64_Shdr h64;
	Elf32_Shdr h32;
	uint32_t type;

	if (s->size == sizeof(h64)) {
		memcpy(&h64, from, sizeof(h64));
		type = h64.sh_type;
		*offset = h64.sh_offset;
		*len = h64.sh_size;
	} else {
		memcpy(&h32, from, sizeof(h32));
		type = h32.sh_type;
		*offset = h32.sh_offset;
		*len = h32.sh_size;
	}
	return type == SHT_NOTE && *offset <= c->len && *len <= c->len - *offset;
}

bool build_id_file(const char *path, char id[BUILD_ID])
{
	struct content content = { 0 };
	struct sections sections;
	uint64_t offset, len;
	bool found = false;

	if (read_file(path, &content) && find_sections(&content, &sections))
		for (size_t i = 0; !found && i < sections.count; i++)
			found = section_notes(&content, &sections, i, &offset, &len) &&
				find_note(content.data + offset, len, id);
	free(content.data);
	return found;
}
