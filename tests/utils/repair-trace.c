/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * repair-trace OUTPUT: open the trace there as a consumer that is started again
 * does, which cuts what is torn, and close it.
 */
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/ctf.h"
#include "common/log.h"
#include "consumerd/trace.h"

/* As the first packet of any stream has it. */
static int find_uuid(const char *output, uint8_t uuid[CTF_UUID_SIZE])
{
	char path[PATH_MAX];
	struct ctf_packet_header header = { .magic = 0 };
	const struct dirent *entry;
	DIR *folder;

	snprintf(path, sizeof(path), "%s/" TRACE_DIRECTORY, output);
	folder = opendir(path);
	while (folder && header.magic != CTF_PACKET_MAGIC && (entry = readdir(folder))) {
		int fd = openat(dirfd(folder), entry->d_name, O_RDONLY | O_CLOEXEC);

		if (fd < 0)
			continue;
		if (read(fd, &header, sizeof(header)) != sizeof(header))
			header.magic = 0;
		close(fd);
	}
	if (folder)
		closedir(folder);
	memcpy(uuid, header.uuid, CTF_UUID_SIZE);
	return header.magic == CTF_PACKET_MAGIC ? 0 : -1;
}

int main(int argc, char **argv)
{
	uint8_t uuid[CTF_UUID_SIZE];
	struct trace trace = { .chunk = 0 };
	int error;

	log_init("repair-trace");
	if (argc != 2 || find_uuid(argv[1], uuid) != 0) {
		fprintf(stderr, "repair-trace: there is no packet of any stream\n");
		return 1;
	}
	error = trace_open(&trace, argv[1], uuid);
	if (error) {
		fprintf(stderr, "repair-trace: %s\n", strerror(-error));
		return 1;
	}
	trace_close(&trace);
	return 0;
}
