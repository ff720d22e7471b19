/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * lttngmap.ko: ring sets that are made by /dev/lttngmap, written by processes of the library's own
 * writer, and read through debugfs, with no daemon at all. For a virtual machine
 * (module-inside.sh), as root.
 */
#include "tests/vm/module-traced.h"

#include <sched.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>

/* ---- its reader ---------------------------------------------------------------------------- */

static int get_packets(void *data, struct lttngmap_packets *packets)
{
	return lttngmap_ring_file_get_packets(data, packets);
}

static int check_packet(void *data)
{
	return lttngmap_ring_file_check_packet(data);
}

static const char *bytes_of(void *data, const struct lttngmap_packet *packet)
{
	return lttngmap_ring_file_data(data, packet);
}

/* All that there is until the process has ended; up to `most` packets at a time. */
static void read_all(struct traced *traced, uint32_t most, struct ring_tally *tally)
{
	struct ring_source source = { .get_packets = get_packets,
				      .check_packet = check_packet,
				      .bytes = bytes_of };
	struct ring_reading reading = {
		.bench = &traced->bench, .tally = tally, .most = most, .source = &source
	};
	struct lttngmap_ring_file *file;
	int error;

	*tally = (struct ring_tally){ .kept = 0 };
	ring_check_begin(tally);
	error = lttngmap_ring_file_open(traced->path, &file);
	is(error, 0, "the reader library opens its file");
	if (error)
		return;
	source.data = file;
	while ((error = ring_check_read_some(&reading)) != -ENODATA) {
		if (error == -EAGAIN && is_ready(lttngmap_ring_file_fd(file), PATIENCE_MS))
			continue;
		if (error)
			break;
	}
	is(error, -ENODATA, "it reads to the end");
	lttngmap_ring_file_close(file);
}

static void is_sound(const struct ring_tally *tally)
{
	is(tally->torn, 0, "no record is torn");
	is(tally->disorder + tally->clock_back + tally->end_early, 0, "all are in order");
	is(tally->sequence_gaps + tally->discard_back, 0, "and so are packets");
}

/* ---- the cases --------------------------------------------------------------------------------
 */

/* By a process and a reader at once: kept and lost are what was emitted. */
static void case_read(enum lttngmap_mode mode, uint64_t events, uint32_t most)
{
	struct lttngmap_set_counts counts;
	struct ring_tally tally;
	struct traced traced;

	diag("%s, up to %u packets at a time",
	     mode == LTTNGMAP_MODE_DISCARD ? "discard" : "overwrite", most);
	traced_begin(&traced, mode, events);
	ok(access(traced.path, F_OK) != 0, "a process that wrote nothing has no file");
	traced_go(&traced);
	ok(becomes(traced.path), "its file appears");
	read_all(&traced, most, &tally);
	traced_wait(&traced);
	is_sound(&tally);
	counts = counts_of(&traced);
	is(emitted_by(&traced), events * WRITERS, "the process wrote all");
	is(counts.written + counts.discarded, events * WRITERS, "and all are counted");
	is(counts.delivered, tally.kept, "those that were read as delivered");
	is(counts.delivered + counts.overwritten, counts.written, "the others as overwritten");
	is(counts.closed_rings, 0, "no ring was closed");
	is(counts.flags,
	   LTTNGMAP_SET_FINISHED | LTTNGMAP_SET_DRAINED | LTTNGMAP_SET_ROTATED |
		   LTTNGMAP_SET_FLUSHED,
	   "it is finished and drained");
	diag("%llu written, %llu discarded, %llu overwritten", (unsigned long long)counts.written,
	     (unsigned long long)counts.discarded, (unsigned long long)counts.overwritten);
	traced_end(&traced);
}

/* Killed while it writes, and read only then, by a first reader that goes and a second one. */
static void case_killed(void)
{
	struct lttngmap_packet packet = { .cpu = LTTNGMAP_CPU_ANY };
	struct lttngmap_set_counts counts;
	struct lttngmap_ring_file *file;
	struct ring_tally tally;
	struct traced traced;
	uint64_t emitted;

	traced_begin(&traced, LTTNGMAP_MODE_DISCARD, UINT64_C(1) << 40);
	traced_go(&traced);
	becomes(traced.path);
	usleep(200000);
	kill(traced.pid, SIGKILL);
	traced_wait(&traced);
	emitted = emitted_by(&traced);
	is(lttngmap_ring_file_open(traced.path, &file), 0, "a killed process's file is there");
	is(lttngmap_ring_file_get_packet(file, &packet), 0, "with a packet");
	is(open(traced.path, O_RDONLY), -1, "a second reader is refused");
	is(errno, EBUSY, "with EBUSY");
	lttngmap_ring_file_close(file);
	read_all(&traced, 1, &tally);
	tally.sequence_gaps -= tally.sequence_gaps == 1; /* none, but for where it was seen first */
	is_sound(&tally);
	counts = counts_of(&traced);
	ok(counts.written + counts.discarded >= emitted &&
		   counts.written + counts.discarded <= emitted + WRITERS,
	   "each event that it wrote is counted: %llu of %llu",
	   (unsigned long long)(counts.written + counts.discarded), (unsigned long long)emitted);
	is(counts.delivered, counts.written, "and what was written was read");
	is(tally.kept, counts.delivered, "by the second reader");
	traced_end(&traced);
}

/* As tracefs refuses. */
static void case_refused(void)
{
	static const struct {
		const char *name;
		int open, protection, map, error;
		uint64_t pages; /* beyond all */
	} refused[] = {
		{ "private", O_RDONLY, PROT_READ, MAP_PRIVATE, EPERM, 0 },
		{ "private and writable", O_RDWR, PROT_READ | PROT_WRITE, MAP_PRIVATE, EPERM, 0 },
		{ "writable, of O_RDWR", O_RDWR, PROT_READ | PROT_WRITE, MAP_SHARED, EPERM, 0 },
		{ "writable, of O_RDONLY", O_RDONLY, PROT_READ | PROT_WRITE, MAP_SHARED, EACCES,
		  0 },
		{ "past the end", O_RDONLY, PROT_READ, MAP_SHARED, EINVAL, 1 },
	};
	struct traced traced;
	uint64_t size = 0;
	struct stat status;
	void *map, *larger;
	int fd;

	traced_begin(&traced, LTTNGMAP_MODE_DISCARD, 1000);
	traced_go(&traced);
	traced_wait(&traced);
	ok(becomes(traced.path), "the file of a process that has ended appears");
	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
		fd = open(traced.path, refused[i].open | O_CLOEXEC);
		ioctl(fd, LTTNGMAP_IOC_GET_SIZE, &size);
		map = mmap(NULL, size + refused[i].pages * 4096, refused[i].protection,
			   refused[i].map, fd, 0);
		ok(map == MAP_FAILED && errno == refused[i].error,
		   "a map that is %s is refused: %s", refused[i].name, strerror(refused[i].error));
		close(fd);
	}
	/* To read and write: only the module then keeps the map from being writable. */
	fd = open(traced.path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
	is(size, traced.bench.data_size, "the file says its size");
	ok(fstat(fd, &status) == 0 && status.st_size == 0 && (status.st_mode & 0777) == 0400,
	   "stat says 0, as on tracefs, and its owner's to read");
	ok(ioctl(fd, TRACE_MMAP_IOCTL_GET_READER) < 0 && errno == ENODEV,
	   "GET_READER before the first map is refused: ENODEV");
	ok(ioctl(fd, _IO('R', 0x7f)) < 0 && errno == ENOTTY, "an unknown request is");
	map = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);
	ok(map != MAP_FAILED, "a read-only shared map is not");
	ok(mprotect(map, size, PROT_READ | PROT_WRITE) < 0 && errno == EACCES,
	   "it cannot be made writable: EACCES");
	larger = mremap(map, size, size + 4096, MREMAP_MAYMOVE);
	ok(larger == MAP_FAILED, "nor larger");
	map = larger == MAP_FAILED ? map : larger;
	/* It maps the file that the map has, anew. */
	ok(syscall(SYS_remap_file_pages, map, 4096, 0, 1, 0) < 0 ||
		   mprotect(map, 4096, PROT_READ | PROT_WRITE) < 0,
	   "nor by another way");
	munmap(map, size);
	map = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);
	is(ioctl(fd, TRACE_MMAP_IOCTL_GET_READER), 0, "GET_READER gives a packet");
	ok(((struct lttngmap_meta *)map)->meta.reader.read > 8, "which the meta page describes");
	is(ioctl(device, LTTNGMAP_SET_REMOVE, &traced.id), 0,
	   "the set is removed while it is read");
	ok(ioctl(fd, TRACE_MMAP_IOCTL_GET_READER) < 0 && errno == ENODATA,
	   "its reader is told of the end");
	ok(((struct lttngmap_meta *)map)->magic == LTTNGMAP_META_MAGIC, "and keeps what it mapped");
	munmap(map, size);
	close(fd);
	ok(ioctl(device, LTTNGMAP_SET_REMOVE, &traced.id) < 0 && errno == ENOENT,
	   "it is not there any more");
	bench_set_destroy(&traced.bench);
	close(traced.doorbell);
}

static void on_signal(int number)
{
	(void)number;
}

/* A reader that blocks wakes for a doorbell, a signal, the end. */
static void case_blocked(void)
{
	struct sigaction action = { .sa_handler = on_signal };
	struct traced traced;
	uint64_t one = 1;
	pid_t child;
	void *map;
	int fd;

	traced_begin(&traced, LTTNGMAP_MODE_DISCARD, 10);
	ring_check_emit(&traced.bench, WRITERS, 0, 3);
	is(ioctl(device, LTTNGMAP_SET_FLUSH, &traced.id), 0, "a set is flushed");
	is(access(traced.path, F_OK), 0, "its file is there at once");
	fd = open(traced.path, O_RDONLY | O_CLOEXEC);
	map = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0);
	is(ioctl(fd, TRACE_MMAP_IOCTL_GET_READER), 0, "what was flushed is read");
	sigaction(SIGALRM, &action, NULL);
	alarm(1);
	ok(ioctl(fd, TRACE_MMAP_IOCTL_GET_READER) < 0 && errno == EINTR,
	   "a reader that finds nothing waits until a signal comes");
	child = fork();
	if (child == 0) {
		usleep(300000);
		ring_check_emit(&traced.bench, WRITERS, 1, 3);
		_exit(write(traced.doorbell, &one, sizeof(one)) != sizeof(one));
	}
	is(ioctl(fd, TRACE_MMAP_IOCTL_GET_READER), 0, "or the doorbell");
	waitpid(child, NULL, 0);
	child = fork();
	if (child == 0) {
		usleep(300000);
		kill(traced.pid, SIGKILL);
		_exit(0);
	}
	ok(ioctl(fd, TRACE_MMAP_IOCTL_GET_READER) < 0 && errno == ENODATA, "or the process's end");
	waitpid(child, NULL, 0);
	munmap(map, 4096);
	close(fd);
	traced_end(&traced);
}

static bool is_refused(struct lttngmap_set_info info, int error)
{
	if (ioctl(device, LTTNGMAP_SET_MAKE, &info) < 0)
		return errno == error;
	ioctl(device, LTTNGMAP_SET_REMOVE, &info.id);
	return false;
}

/* Requests of /dev/lttngmap that make no sense. */
static void case_requests(void)
{
	struct lttngmap_set_info info, good, found = { .id = 0 };
	int plain = memfd_create("plain", MFD_CLOEXEC), fd;
	struct traced traced;
	uint64_t id = 0;

	traced_begin(&traced, LTTNGMAP_MODE_DISCARD, 10);
	good = info_of(&traced);
	ftruncate(plain, (off_t)(traced.bench.data_size * 2));
	info = good, info.memory = plain;
	ok(is_refused(info, EINVAL), "memory that can shrink is refused");
	info = good, info.memory = -1;
	ok(is_refused(info, EBADF), "none is");
	info = good, info.memory = device;
	ok(is_refused(info, EINVAL), "a device is");
	info = good, info.doorbell = plain;
	ok(is_refused(info, EINVAL), "a doorbell that is no eventfd is");
	info = good, info.process = 4000000;
	ok(is_refused(info, ESRCH), "a process that is not there is");
	info = good, info.control_at += 4096;
	ok(is_refused(info, EINVAL), "ring control beyond the memory is");
	info = good, info.control_at -= 4096;
	ok(is_refused(info, EINVAL), "and within ring data");
	info = good, info.subbuf_shift = 31;
	ok(is_refused(info, EINVAL), "sub-buffers that are too large are");
	info = good, info.subbufs_shift = 13;
	ok(is_refused(info, EINVAL), "and too many");
	info = good, info.cpu_rings = UINT32_MAX;
	ok(is_refused(info, EINVAL), "and rings");
	info = good, strcpy(info.session, "..");
	ok(is_refused(info, EINVAL), "a name that leads elsewhere is");
	info = good, memset(info.channel, 'x', sizeof(info.channel));
	ok(is_refused(info, EINVAL), "one without end is");
	info = good, strcpy(info.procname, "a/b");
	ok(is_refused(info, EINVAL), "one with a slash is");
	id = traced.id + 1000;
	ok(ioctl(device, LTTNGMAP_SET_FLUSH, &id) < 0 && errno == ENOENT, "an unknown set is");
	ok(ioctl(device, LTTNGMAP_SET_MAKE, NULL) < 0 && errno == EFAULT, "a bad address is");
	ok(ioctl(device, _IO('R', 0x79)) < 0 && errno == ENOTTY, "an unknown request is");
	is(ioctl(device, LTTNGMAP_SET_NEXT, &found), 0, "who comes later finds the set");
	ok(found.id == traced.id && strcmp(found.session, "first") == 0 &&
		   found.pid == (uint32_t)traced.pid && found.control_at == good.control_at,
	   "as it was made");
	ok(ioctl(device, LTTNGMAP_SET_NEXT, &found) < 0 && errno == ENOENT, "and no other");
	fd = ioctl(device, LTTNGMAP_SET_MEMORY, &traced.id);
	ok(fd >= 0 && fcntl(fd, F_GET_SEALS) & F_SEAL_SHRINK, "and is given its memory");
	close(fd);
	close(plain);
	traced_end(&traced);
}

static void put(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);

	if (fd < 0 || write(fd, text, strlen(text)) < 0)
		diag("%s: %s", path, strerror(errno));
	close(fd);
}

static void case_limits(void)
{
	struct lttngmap_set_info info;
	struct traced traced;

	traced_begin(&traced, LTTNGMAP_MODE_DISCARD, 10);
	put("/sys/module/lttngmap/parameters/user_bytes", "1048576");
	info = info_of(&traced);
	ok(is_refused(info, EDQUOT), "a user's limit holds");
	put("/sys/module/lttngmap/parameters/user_bytes", "68719476736");
	put("/sys/module/lttngmap/parameters/all_bytes", "1048576");
	info.uid = 1000;
	ok(is_refused(info, EDQUOT), "and that of all");
	put("/sys/module/lttngmap/parameters/all_bytes", "1099511627776");
	is(ioctl(device, LTTNGMAP_SET_MAKE, &info), 0, "below them a set is made");
	is(ioctl(device, LTTNGMAP_SET_REMOVE, &info.id), 0, "and removed");
	traced_end(&traced);
}

static void emit_some(struct traced *traced, uint64_t *number, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		ring_check_emit(&traced->bench, WRITERS, (*number)++, 2);
}

static uint32_t flags_of(const struct traced *traced)
{
	return counts_of(traced).flags & LTTNGMAP_SET_ROTATED;
}

static int get_packet(struct lttngmap_ring_file *file, struct lttngmap_packet *packet,
		      uint32_t flags)
{
	*packet = (struct lttngmap_packet){ .cpu = LTTNGMAP_CPU_ANY, .flags = flags };
	return lttngmap_ring_file_get_packet(file, packet);
}

/* All that is there now; returns the number of events. */
static uint64_t drain(struct lttngmap_ring_file *file, uint32_t flags)
{
	struct lttngmap_packet packet;
	uint64_t events = 0;

	while (get_packet(file, &packet, flags) == 0)
		events += packet.events;
	return events;
}

/* Chunks of a rotation, and the metadata's generation. The test itself writes. */
static void case_chunks(void)
{
	struct lttngmap_set_value chunk = { .value = 1 }, generation = { .value = 7 };
	struct lttngmap_ring_file *file = NULL;
	struct lttngmap_packet packet;
	struct traced traced;
	uint64_t number = 0;

	traced_begin(&traced, LTTNGMAP_MODE_DISCARD, 10);
	chunk.id = generation.id = traced.id;
	emit_some(&traced, &number, 10);
	is(ioctl(device, LTTNGMAP_SET_ROTATE, &chunk), 0, "a set is rotated");
	is(flags_of(&traced), 0, "which is not over before the rest was read");
	is(lttngmap_ring_file_open(traced.path, &file), 0, "its file is there");
	is(get_packet(file, &packet, 0), 0, "what stood in the rings is a packet");
	ok(packet.chunk == 0 && packet.metadata_generation == 0, "of the chunk before");
	is(flags_of(&traced), 0, "it is not over while the reader has that");
	drain(file, 0);
	is(flags_of(&traced), LTTNGMAP_SET_ROTATED, "then it is over");
	is(ioctl(device, LTTNGMAP_SET_DESCRIBE, &generation), 0, "the metadata is another");
	emit_some(&traced, &number, 5);
	is(get_packet(file, &packet, LTTNGMAP_PACKET_PARTIAL), 0, "the next packet");
	ok(packet.chunk == 1 && packet.metadata_generation == 7,
	   "is of the new chunk and metadata");
	is(packet.events + drain(file, LTTNGMAP_PACKET_PARTIAL), 5, "with what was written since");
	emit_some(&traced, &number, 5);
	chunk.value = 2;
	ioctl(device, LTTNGMAP_SET_ROTATE, &chunk);
	emit_some(&traced, &number, 5);
	is(get_packet(file, &packet, LTTNGMAP_PACKET_PARTIAL), 0, "a packet");
	is(packet.chunk, 1, "is of its chunk, whatever the reader asks for");
	is(ioctl(device, LTTNGMAP_SET_END_ROTATION, &traced.id), 0, "a rotation is ended");
	is(flags_of(&traced), LTTNGMAP_SET_ROTATED, "before its rest was read");
	chunk.value = UINT64_C(1) << 32;
	ok(ioctl(device, LTTNGMAP_SET_ROTATE, &chunk) < 0 && errno == EINVAL,
	   "a chunk that no packet could have is refused");
	lttngmap_ring_file_close(file);
	traced_end(&traced);
}

static void run_on(int cpu)
{
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	sched_setaffinity(0, sizeof(one), &one);
}

/* A ring that was empty waits with its new events until another one's rest was read. */
static void case_rest(void)
{
	struct lttngmap_set_value chunk = { .value = 1 };
	struct lttngmap_ring_file *file = NULL;
	struct lttngmap_packet packet;
	struct traced traced;
	uint64_t number = 0;
	cpu_set_t before;

	sched_getaffinity(0, sizeof(before), &before);
	traced_begin(&traced, LTTNGMAP_MODE_DISCARD, 10);
	chunk.id = traced.id;
	run_on(0);
	emit_some(&traced, &number, 3);
	run_on(2);
	emit_some(&traced, &number, 3);
	ioctl(device, LTTNGMAP_SET_ROTATE, &chunk);
	run_on(1);
	emit_some(&traced, &number, 3);
	sched_setaffinity(0, sizeof(before), &before);
	is(lttngmap_ring_file_open(traced.path, &file), 0, "a set with three rings is opened");
	get_packet(file, &packet, LTTNGMAP_PACKET_PARTIAL);
	ok(packet.cpu == 0 && packet.chunk == 0, "first comes the rest of one ring");
	get_packet(file, &packet, LTTNGMAP_PACKET_PARTIAL);
	ok(packet.cpu == 2 && packet.chunk == 0, "then that of another");
	get_packet(file, &packet, LTTNGMAP_PACKET_PARTIAL);
	ok(packet.cpu == 1 && packet.chunk == 1, "then what is of the new chunk");
	lttngmap_ring_file_close(file);
	traced_end(&traced);
}

/* A packet that is overwritten while its reader has it is not counted as delivered. */
static void case_overrun(void)
{
	struct lttngmap_ring_file *file = NULL;
	struct lttngmap_set_counts counts;
	struct lttngmap_packet packet;
	struct traced traced;
	uint64_t number = 0, events;
	cpu_set_t before;

	sched_getaffinity(0, sizeof(before), &before);
	traced_begin(&traced, LTTNGMAP_MODE_OVERWRITE, 10);
	run_on(0);
	emit_some(&traced, &number, 3);
	ioctl(device, LTTNGMAP_SET_FLUSH, &traced.id);
	is(lttngmap_ring_file_open(traced.path, &file), 0, "an overwritten ring is opened");
	get_packet(file, &packet, LTTNGMAP_PACKET_PARTIAL);
	is(packet.events, 3, "its reader has a packet");
	emit_some(&traced, &number, 8000);
	sched_setaffinity(0, sizeof(before), &before);
	is(lttngmap_ring_file_check_packet(file), -ESTALE, "which is overwritten meanwhile");
	events = drain(file, LTTNGMAP_PACKET_PARTIAL);
	counts = counts_of(&traced);
	is(counts.written, 8003, "all are counted");
	is(counts.delivered + counts.overwritten, 8003, "once each");
	is(counts.delivered, events, "as delivered what was read behind it");
	lttngmap_ring_file_close(file);
	traced_end(&traced);
}

static bool is_flushed(const struct traced *traced)
{
	return counts_of(traced).flags & LTTNGMAP_SET_FLUSHED;
}

/* A flush is over when its last packet was given back. */
static void case_flush(void)
{
	struct lttngmap_ring_file *file = NULL;
	struct lttngmap_packet packet;
	struct traced traced;
	uint64_t number = 0;

	traced_begin(&traced, LTTNGMAP_MODE_DISCARD, 10);
	emit_some(&traced, &number, 10);
	is(ioctl(device, LTTNGMAP_SET_SHOW, &traced.id), 0, "a set is shown");
	is(lttngmap_ring_file_open(traced.path, &file), 0, "its file is there");
	is(get_packet(file, &packet, 0), -EAGAIN, "with nothing that is full");
	is(ioctl(device, LTTNGMAP_SET_FLUSH, &traced.id), 0, "it is flushed");
	ok(!is_flushed(&traced), "which is not over at once");
	is(get_packet(file, &packet, 0), 0, "what stands in its ring is a packet");
	ok(!is_flushed(&traced), "it is not over while the reader has that");
	is(get_packet(file, &packet, 0), -EAGAIN, "the reader gives it back");
	ok(is_flushed(&traced), "then it is over");
	lttngmap_ring_file_close(file);
	traced_end(&traced);
}

/* A channel's folder stays without files, and its session is one open file's. */
static void case_channels(void)
{
	struct lttngmap_channel_name name = { "second", "channel1" };
	struct lttngmap_channel_name other = { "second", "channel2" };
	struct lttngmap_channel_name bad = { "second", "a/b" };
	int stranger = open(LTTNGMAP_MODULE_DEVICE, O_RDWR | O_CLOEXEC);

	is(ioctl(device, LTTNGMAP_CHANNEL_ADD, &name), 0, "a channel is added");
	is(ioctl(device, LTTNGMAP_CHANNEL_ADD, &name), 0, "and once more");
	ok(access(DIRECTORY "/second/channel1", F_OK) == 0, "its folder is there");
	ok(ioctl(device, LTTNGMAP_CHANNEL_ADD, &bad) < 0 && errno == EINVAL,
	   "a bad name is refused");
	ok(ioctl(device, LTTNGMAP_CHANNEL_REMOVE, &other) < 0 && errno == ENOENT,
	   "one that is not there is not removed");
	ok(ioctl(stranger, LTTNGMAP_CHANNEL_ADD, &other) < 0 && errno == EBUSY,
	   "another open file cannot have the session");
	ok(ioctl(stranger, LTTNGMAP_CHANNEL_REMOVE, &name) < 0 && errno == ENOENT,
	   "nor remove its channel");
	close(device);
	device = open(LTTNGMAP_MODULE_DEVICE, O_RDWR | O_CLOEXEC);
	ok(access(DIRECTORY "/second/channel1", F_OK) == 0, "it stays when its file is closed");
	is(ioctl(stranger, LTTNGMAP_CHANNEL_ADD, &other), 0, "then another may have the session");
	is(ioctl(stranger, LTTNGMAP_CHANNEL_REMOVE, &name), 0, "with what it had");
	ok(access(DIRECTORY "/second/channel1", F_OK) != 0, "a folder goes with its channel");
	is(ioctl(stranger, LTTNGMAP_CHANNEL_REMOVE, &other), 0, "the last one");
	ok(access(DIRECTORY "/second", F_OK) != 0, "takes the session's along");
	close(stranger);
}

static void case_clear(void)
{
	struct lttngmap_ring_file *file = NULL;
	struct lttngmap_set_counts counts;
	struct lttngmap_packet packet;
	struct traced traced;
	uint64_t number = 0;

	traced_begin(&traced, LTTNGMAP_MODE_DISCARD, 10);
	emit_some(&traced, &number, 10);
	is(ioctl(device, LTTNGMAP_SET_FLUSH, &traced.id), 0, "a set is flushed");
	is(lttngmap_ring_file_open(traced.path, &file), 0, "and opened");
	is(get_packet(file, &packet, 0), 0, "it has a packet");
	emit_some(&traced, &number, 10);
	is(ioctl(device, LTTNGMAP_SET_CLEAR, &traced.id), 0, "the set is cleared");
	is(lttngmap_ring_file_check_packet(file), -ESTALE, "its reader has nothing any more");
	counts = counts_of(&traced);
	is(counts.written + counts.delivered + counts.overwritten, 0, "nothing is counted");
	emit_some(&traced, &number, 3);
	is(drain(file, LTTNGMAP_PACKET_PARTIAL), 3, "what comes later is read");
	counts = counts_of(&traced);
	is(counts.written, 3, "and counted");
	is(counts.delivered, 3, "as delivered");
	lttngmap_ring_file_close(file);
	traced_end(&traced);
}

/* inotify tells of the file. */
static void case_inotify(void)
{
	char buffer[4096] __attribute__((aligned(8)));
	int fd = inotify_init1(IN_CLOEXEC);
	struct traced first, second;
	bool found = false;

	traced_begin(&first, LTTNGMAP_MODE_DISCARD, 10);
	traced_go(&first);
	becomes(first.path);
	ok(inotify_add_watch(fd, DIRECTORY "/first/channel0", IN_CREATE) >= 0,
	   "a channel's directory is watched");
	traced_begin(&second, LTTNGMAP_MODE_DISCARD, 10);
	traced_go(&second);
	while (!found && is_ready(fd, PATIENCE_MS)) {
		const struct inotify_event *event = (const void *)buffer;

		found = read(fd, buffer, sizeof(buffer)) > 0 &&
			strcmp(event->name, strrchr(second.path, '/') + 1) == 0;
	}
	ok(found, "inotify tells of a file in it");
	close(fd);
	traced_end(&first);
	traced_end(&second);
	ok(access(DIRECTORY "/first", F_OK) != 0, "the last file takes its directories along");
}

/* The pages of a process's rings count in its memory cgroup. */
static void case_cgroup(void)
{
	static const char group[] = "/sys/fs/cgroup/lttngmap-test";
	char path[128], line[128], pid[16];
	unsigned long long shmem = 0;
	struct traced traced;
	FILE *stat;

	put("/sys/fs/cgroup/cgroup.subtree_control", "+memory");
	ok(mkdir(group, 0700) == 0, "a memory cgroup is made");
	traced_begin(&traced, LTTNGMAP_MODE_DISCARD, 20000);
	snprintf(path, sizeof(path), "%s/cgroup.procs", group);
	snprintf(pid, sizeof(pid), "%d", (int)traced.pid);
	put(path, pid);
	traced_go(&traced);
	traced_wait(&traced);
	snprintf(path, sizeof(path), "%s/memory.stat", group);
	stat = fopen(path, "r");
	while (stat && fgets(line, sizeof(line), stat))
		if (sscanf(line, "shmem %llu", &shmem) == 1)
			break;
	if (stat)
		fclose(stat);
	ok(shmem >= 128 * 1024, "its process's rings count in there: %llu bytes", shmem);
	traced_end(&traced);
	rmdir(group);
}

static void case_discard(void)
{
	case_read(LTTNGMAP_MODE_DISCARD, 250000, 1);
	case_read(LTTNGMAP_MODE_DISCARD, 250000, 8);
}

static void case_overwrite(void)
{
	case_read(LTTNGMAP_MODE_OVERWRITE, 250000, 8);
}

int main(int argc, char **argv)
{
	static const struct module_case cases[] = {
		{ "refused", case_refused },   { "blocked", case_blocked },
		{ "requests", case_requests }, { "limits", case_limits },
		{ "inotify", case_inotify },   { "chunks", case_chunks },
		{ "rest", case_rest },         { "overrun", case_overrun },
		{ "flush", case_flush },       { "channels", case_channels },
		{ "clear", case_clear },       { "cgroup", case_cgroup },
		{ "discard", case_discard },   { "overwrite", case_overwrite },
		{ "killed", case_killed },     { NULL, NULL },
	};

	return run_cases(cases, argc, argv);
}
