/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "sessiond/app/attach-sender.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/protocol/attach-request.h"

#define LIBRARY "liblttngmap.so"
/* Bytes of a library's data segment that are searched. */
#define REGION_MAX 65536u
/* Lines of /proc/PID/maps, that are read: vm.max_map_count by default. */
#define LINES_MAX 65536u

/* "BEGIN-END rw-p OFFSET DEVICE INODE   /path/liblttngmap.so.0.0.0" */
static bool parse_region(const char *line, uint64_t region[2])
{
	unsigned long long begin, end;
	char rights[5];
	const char *name;
	int path = -1;

	if (!strstr(line, LIBRARY) ||
	    sscanf(line, "%llx-%llx %4s %*x %*s %*u %n", &begin, &end, rights, &path) != 3 ||
	    path < 0 || strcmp(rights, "rw-p") != 0)
		return false;
	name = strrchr(line + path, '/');
	if (!name || strncmp(name + 1, LIBRARY, strlen(LIBRARY)) != 0)
		return false;
	region[0] = begin;
	region[1] = end;
	return end > begin;
}

int attach_sender_find(int proc, uint64_t (*regions)[2], unsigned int max)
{
	int fd = openat(proc, "maps", O_RDONLY | O_CLOEXEC);
	FILE *file = fd < 0 ? NULL : fdopen(fd, "r");
	unsigned int count = 0;
	char *line = NULL;
	size_t size = 0;

	if (!file) {
		int error = errno;

		if (fd >= 0)
			close(fd);
		return -error;
	}
	for (unsigned int n = 0; n < LINES_MAX && count < max; n++) {
		if (getline(&line, &size, file) < 0)
			break;
		count += parse_region(line, regions[count]);
	}
	free(line);
	fclose(file);
	return (int)count;
}

static bool read_at(int mem, void *to, size_t size, uint64_t address)
{
	return pread(mem, to, size, (off_t)address) == (ssize_t)size;
}

static bool write_at(int mem, const void *from, size_t size, uint64_t address)
{
	return pwrite(mem, from, size, (off_t)address) == (ssize_t)size;
}

/* The address of the word's struct in the region, and a copy of it; 0: it is not there. */
static uint64_t find_request(int mem, const uint64_t region[2], struct attach_request *request)
{
	static const uint64_t magic[] = { ATTACH_REQUEST_MAGIC_FIRST, ATTACH_REQUEST_MAGIC_SECOND };
	uint64_t size = region[1] - region[0], found = 0;
	char *bytes;

	if (size > REGION_MAX)
		size = REGION_MAX;
	bytes = malloc(size);
	if (!bytes || !read_at(mem, bytes, size, region[0]))
		size = 0;
	for (uint64_t at = 0; !found && at + sizeof(*request) <= size; at += sizeof(uint64_t)) {
		uint64_t address = region[0] + at;

		if (memcmp(bytes + at, magic, sizeof(magic)) != 0)
			continue;
		memcpy(request, bytes + at, sizeof(*request));
		if ((uint64_t)(uintptr_t)request->self == address &&
		    request->version == ATTACH_REQUEST_VERSION && request->size == sizeof(*request))
			found = address;
	}
	free(bytes);
	for (unsigned int i = 0; i < ATTACH_REQUEST_PLACES; i++)
		if (found)
			request->places[i][ATTACH_REQUEST_PLACE_SIZE - 1] = '\0';
	return found;
}

static enum attach_sender_result send_to(const struct attach_sender *sender, int mem,
					 uint64_t address, const struct attach_request *request,
					 char why[ATTACH_WHY_SIZE])
{
	static const uint64_t word = ATTACH_REQUEST_WORD;
	unsigned int place = 0;

	while (place < ATTACH_REQUEST_PLACES && strcmp(request->places[place], sender->place) != 0)
		place++;
	if (place == ATTACH_REQUEST_PLACES || request->instance == sender->instance)
		return ATTACH_SENDER_NOTHING;
	if (request->instance && request->place != place) {
		snprintf(why, ATTACH_WHY_SIZE, "it is registered with another daemon%s%s",
			 request->place < ATTACH_REQUEST_PLACES ? ", at " : "",
			 request->place < ATTACH_REQUEST_PLACES ? request->places[request->place]
								: "");
		return ATTACH_SENDER_OTHERS;
	}
	errno = 0;
	if (!write_at(mem, &word, sizeof(word), address + offsetof(struct attach_request, word))) {
		snprintf(why, ATTACH_WHY_SIZE,
			 "its memory cannot be written: %s; it is attached when it is started "
			 "anew",
			 errno ? strerror(errno) : "cut short");
		return ATTACH_SENDER_REFUSED;
	}
	snprintf(why, ATTACH_WHY_SIZE, "it was told, and comes with its next event%s",
		 request->instance
			 ? "; if the daemon before was killed, its supervisor too, when it "
			   "loads a library with tracepoints or is started anew"
			 : "");
	return ATTACH_SENDER_GIVEN;
}

static enum attach_sender_result look_and_give(const struct attach_sender *sender, int proc,
					       uint64_t (*regions)[2], unsigned int count,
					       char why[ATTACH_WHY_SIZE])
{
	enum attach_sender_result result = ATTACH_SENDER_REFUSED;
	struct attach_request request;
	uint64_t address = 0;
	int mem = openat(proc, "mem", O_RDWR | O_CLOEXEC);

	if (mem < 0) {
		snprintf(why, ATTACH_WHY_SIZE,
			 "its memory cannot be written: %s (ptrace(2), kernel.yama.ptrace_scope); "
			 "it is attached when it is started anew",
			 strerror(errno));
		return errno == ENOENT || errno == ESRCH ? ATTACH_SENDER_NOTHING
							 : ATTACH_SENDER_REFUSED;
	}
	for (unsigned int i = 0; i < count && !address; i++)
		address = find_request(mem, regions[i], &request);
	if (address)
		result = send_to(sender, mem, address, &request, why);
	else
		snprintf(why, ATTACH_WHY_SIZE,
			 "its " LIBRARY " is of another version, or none of ours: it is attached "
			 "when it is started anew");
	close(mem);
	return result;
}

/* The child process answers by this, in a page of its own that is shared with it. */
struct errand {
	enum attach_sender_result result;
	char why[ATTACH_WHY_SIZE];
};

/* The daemon's other descriptors end with the daemon, though this may hang. */
static void run_errand(const struct attach_sender *sender, int proc, uint64_t (*regions)[2],
		       unsigned int count, struct errand *errand)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	/* By number: a sanitizer's prctl() waits for its search for leaks, which waits for us. */
	syscall(SYS_prctl, PR_SET_NAME, ATTACH_CHILD);
	if (proc > 0)
		close_range(0, (unsigned int)proc - 1, 0);
	close_range((unsigned int)proc + 1, ~0u, 0);
	errand->result = look_and_give(sender, proc, regions, count, errand->why);
	_exit(0);
}

/* Runs in a child process, and waits for it. 0 or -errno. */
static int send_by_child(const struct attach_sender *sender, int proc, uint64_t (*regions)[2],
			 unsigned int count, struct errand *errand)
{
	pid_t child = vfork();

	if (child == 0)
		run_errand(sender, proc, regions, count, errand);
	if (child < 0)
		return -errno;
	while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
		continue;
	return 0;
}

/*
 * A page of the process's may never come, and nothing ends who waits for it in `mem`, not even
 * SIGKILL. So a child is it who waits there, and this thread waits for the child: that ends at
 * once when the daemon does. The child runs in our memory while we stand still; a sanitizer
 * makes it a copy, and only the errand is shared then.
 */
enum attach_sender_result attach_sender_send(const struct attach_sender *sender, int proc,
					     uint64_t (*regions)[2], unsigned int count,
					     char why[ATTACH_WHY_SIZE])
{
	struct errand *errand = mmap(NULL, sizeof(*errand), PROT_READ | PROT_WRITE,
				     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	enum attach_sender_result result = ATTACH_SENDER_REFUSED;
	int error = errand == MAP_FAILED ? -errno
					 : send_by_child(sender, proc, regions, count, errand);

	if (error) {
		snprintf(why, ATTACH_WHY_SIZE,
			 "no process can be made to look at it: %s; it is attached when it is "
			 "started anew",
			 strerror(-error));
	} else {
		result = errand->result;
		memcpy(why, errand->why, ATTACH_WHY_SIZE);
	}
	if (errand != MAP_FAILED)
		munmap(errand, sizeof(*errand));
	return result;
}
