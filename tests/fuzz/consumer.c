/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * consumer.c - the name of a ring file and the packets that it gives, any of
 * them: the consumer writes into its trace and nowhere else. The input is the
 * name, ended by a NUL, then the packets' descriptors.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <lttngmap/ring-file.h>

#include "common/ring-file/ring-file-pages.h"
#include "consumerd/session/output-session.h"
#include "tests/fuzz/fuzz.h"

#define SUBBUF_SIZE 4096u
#define SUBBUFS 8u

/* ---- the reader library's part: checks as it does, packets as the input has them --- */

struct lttngmap_ring_file {
	int fd;
	struct fuzz_input packets;
	uint8_t bytes[SUBBUFS * SUBBUF_SIZE];
};

static struct lttngmap_ring_file ring;

int ring_file_open_pages(const char *path, int pages, struct lttngmap_ring_file **file)
{
	struct stat status;

	(void)pages;
	FUZZ_CHECK(lstat(path, &status) == 0 && S_ISREG(status.st_mode));
	if (ring.fd >= 0)
		return -EBUSY;
	ring.fd = eventfd(1, EFD_CLOEXEC | EFD_NONBLOCK);
	*file = &ring;
	return 0;
}

void lttngmap_ring_file_close(struct lttngmap_ring_file *file)
{
	if (!file)
		return;
	close(file->fd);
	file->fd = -1;
}

int lttngmap_ring_file_fd(const struct lttngmap_ring_file *file)
{
	return file->fd;
}

int lttngmap_ring_file_get_packet(struct lttngmap_ring_file *file, struct lttngmap_packet *packet)
{
	size_t size = sizeof(*packet);
	const uint8_t *bytes = fuzz_take(&file->packets, &size);

	if (size < sizeof(*packet))
		return -ENODATA;
	memcpy(packet, bytes, size);
	return 0;
}

/* The first one says how many. */
int lttngmap_ring_file_get_packets(struct lttngmap_ring_file *file,
				   struct lttngmap_packets *packets)
{
	uint32_t count = 1;
	int error = lttngmap_ring_file_get_packet(file, packets->packets);

	while (!error && count < packets->packets->pid % LTTNGMAP_PACKETS_MAX + 1 &&
	       lttngmap_ring_file_get_packet(file, packets->packets + count) == 0)
		count++;
	packets->count = count;
	return error;
}

/* Of the kernel's only. */
const struct lttngmap_meta *lttngmap_ring_file_meta(const struct lttngmap_ring_file *ring)
{
	(void)ring;
	return NULL;
}

int lttngmap_ring_file_check_packet(struct lttngmap_ring_file *file)
{
	return file->packets.size & 1 ? -ESTALE : 0;
}

const void *lttngmap_ring_file_data(const struct lttngmap_ring_file *file,
				    const struct lttngmap_packet *packet)
{
	if (packet->subbuf_id >= SUBBUFS || packet->offset > SUBBUF_SIZE ||
	    packet->length > SUBBUF_SIZE - packet->offset)
		return NULL;
	return file->bytes + packet->subbuf_id * SUBBUF_SIZE + packet->offset;
}

/* ---- the daemon's ------------------------------------------------------------------ */

static int report(struct output_session_shared *shared, const char *session,
		  const struct output_session_written *written)
{
	(void)shared;
	(void)session;
	(void)written;
	return 0;
}

static int report_rotation(struct output_session_shared *shared, const char *session,
			   const struct output_session_rotation *rotation)
{
	(void)shared;
	(void)session;
	(void)rotation;
	return 0;
}

static struct output_session_shared shared = { .report = report,
					       .report_rotation = report_rotation };
static const uint8_t uuid[CTF_UUID_SIZE] = "0123456789abcdef";

static int make_metadata(void)
{
	int fd = memfd_create("metadata", MFD_CLOEXEC);

	FUZZ_CHECK(fd >= 0 && write(fd, "x", 1) == 1);
	return fd;
}

/* ---- what may be there in the end ---------------------------------------------------- */

static const char *path_of(const char *format, ...)
{
	static char paths[4][PATH_MAX];
	static unsigned last;
	char *path = paths[last++ % 4];
	va_list arguments;
	int length = snprintf(path, PATH_MAX, "%s/", fuzz_directory());

	va_start(arguments, format);
	vsnprintf(path + length, PATH_MAX - (size_t)length, format, arguments);
	va_end(arguments);
	return path;
}

static unsigned count_entries(const char *path)
{
	DIR *directory = opendir(path);
	unsigned count = 0;

	FUZZ_CHECK(directory);
	for (const struct dirent *entry; (entry = readdir(directory));)
		count += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
	closedir(directory);
	return count;
}

/* A file is made as the name has it, or there is none of that name. */
static bool make_ring_file(const char *name, size_t length)
{
	int fd;

	if (length == 0 || length > NAME_MAX || memchr(name, '/', length) ||
	    strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
		return false;
	fd = open(path_of("rings/c/%s", name), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	FUZZ_CHECK(fd >= 0);
	close(fd);
	return true;
}

static void run(void)
{
	struct output_session *session;

	session = output_session_create(&shared, "s", path_of("trace"), path_of("rings"), uuid);
	FUZZ_CHECK(session);
	output_session_set_metadata(session, UINT64_MAX, make_metadata(), false);
	FUZZ_CHECK(output_session_add_channel(session, "c", 3, NULL) == 0);
	for (int i = 0; i < 1000 && sd_event_run(shared.loop, 0) > 0; i++)
		continue;
	output_session_destroy(session);
	FUZZ_CHECK(count_entries(fuzz_directory()) == 2);
	FUZZ_CHECK(count_entries(path_of("rings")) == 1 && count_entries(path_of("rings/c")) == 1);
	FUZZ_CHECK(count_entries(path_of("trace")) == 1);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *end = memchr(data, '\0', size);

	if (!end)
		return 0;
	if (!shared.loop) {
		FUZZ_CHECK(sd_event_new(&shared.loop) >= 0);
		turns_init(&shared.turns, shared.loop);
		stream_pool_init(&shared.pool, 8);
	}
	ring.fd = -1;
	ring.packets = (struct fuzz_input){ end + 1, size - (size_t)(end + 1 - data) };
	FUZZ_CHECK(mkdir(path_of("rings"), 0700) == 0 && mkdir(path_of("rings/c"), 0700) == 0);
	if (make_ring_file((const char *)data, (size_t)(end - data)))
		run();
	fuzz_directory_clear();
	return 0;
}
