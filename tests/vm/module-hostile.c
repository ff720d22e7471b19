/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * lttngmap.ko holds against processes that write what they like into their rings, against requests
 * that make no sense, and against who unloads it. The machine panics on a warning of the kernel's.
 */
#include "tests/vm/module-traced.h"

#include <sys/syscall.h>
#include <time.h>

static uint64_t random_next(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

/* Words of ring control that are all wrong, while the rings are read. The machine panics on a
 * warning. */
static void scribble(const struct traced *traced, uint64_t seed, unsigned seconds)
{
	uint64_t size = (traced->bench.config.cpu_rings + LTTNGMAP_EXTRA_RINGS) *
			lttngmap_ring_stride(1u << traced->bench.config.subbufs_shift);
	uint64_t *words = (uint64_t *)traced->bench.rings, one = 1;
	time_t end = time(NULL) + seconds;

	while (time(NULL) < end) {
		for (int i = 0; i < 1000; i++) {
			uint64_t value = random_next(&seed);

			/* Small numbers pass more checks. */
			words[random_next(&seed) % (size / 8)] = value & 1 ? value >> (value >> 58)
									   : value;
		}
		if (random_next(&seed) % 100 == 0)
			fallocate(traced->bench.data_fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
				  (off_t)traced->bench.data_size, 4096);
		if (write(traced->doorbell, &one, sizeof(one)) < 0)
			continue;
	}
}

static void read_hostile(struct traced *traced, unsigned seconds, uint64_t seed)
{
	static const uint32_t flags[] = { 0, LTTNGMAP_PACKET_PARTIAL, LTTNGMAP_PACKET_BACKWARD,
					  LTTNGMAP_PACKET_AWAKE };
	struct lttngmap_ring_file *file = NULL;
	time_t end = time(NULL) + seconds;
	uint64_t beyond = 0;

	if (lttngmap_ring_file_open(traced->path, &file) != 0)
		return;
	while (time(NULL) < end) {
		struct lttngmap_packets packets = { .count = 1 + random_next(&seed) % 8 };

		packets.packets[0].flags = flags[random_next(&seed) % 4];
		packets.packets[0].cpu = (uint32_t)(random_next(&seed) % 5);
		if (lttngmap_ring_file_get_packets(file, &packets) != 0)
			continue;
		for (uint32_t i = 0; i < packets.count; i++)
			beyond += !lttngmap_ring_file_data(file, &packets.packets[i]);
		lttngmap_ring_file_check_packet(file);
		ioctl(device, random_next(&seed) & 1 ? LTTNGMAP_SET_FREEZE : LTTNGMAP_SET_THAW,
		      &traced->id);
		ioctl(device, LTTNGMAP_SET_FLUSH, &traced->id);
	}
	is(beyond, 0, "no packet lies beyond the rings");
	lttngmap_ring_file_close(file);
}

static void case_hostile(enum lttngmap_mode mode)
{
	struct lttngmap_set_counts counts;
	unsigned rounds = 0, closed = 0;
	struct traced traced;
	uint64_t seed = 4711 + mode;

	for (; rounds < 6; rounds++) {
		pid_t child;

		traced_begin(&traced, mode, 10);
		ring_check_emit(&traced.bench, WRITERS, 0, 3);
		ioctl(device, LTTNGMAP_SET_FLUSH, &traced.id);
		child = fork();
		if (child == 0) {
			scribble(&traced, seed + rounds, 2);
			_exit(0);
		}
		read_hostile(&traced, 2, seed * 3 + rounds);
		waitpid(child, NULL, 0);
		counts = counts_of(&traced);
		closed += counts.closed_rings;
		traced_end(&traced);
	}
	ok(closed > 0, "rings that their process damaged are closed: %u in %u rounds", closed,
	   rounds);
}

/* Requests with random contents, good descriptors among them. */
static void case_fuzz(void)
{
	const char *seconds = getenv("LTTNGMAP_SOAK_SECONDS");
	time_t end = time(NULL) + (seconds ? atoi(seconds) : 10);
	struct lttngmap_set_info good;
	uint64_t seed = 20261127, made = 0, all = 0;
	struct traced traced;

	traced_begin(&traced, LTTNGMAP_MODE_OVERWRITE, UINT64_C(1) << 40);
	traced_go(&traced);
	good = info_of(&traced);
	while (time(NULL) < end) {
		unsigned request = 0x6f + random_next(&seed) % 19;
		struct lttngmap_set_info info = good;
		uint64_t *words = (uint64_t *)&info;
		long result;

		for (uint64_t i = random_next(&seed) % 3; i > 0; i--)
			words[random_next(&seed) % (sizeof(info) / 8)] = random_next(&seed) >>
									 random_next(&seed) % 64;
		if (request != 0x70)
			info.id = random_next(&seed) % (made + 16);
		/* What the test removes itself. */
		if (info.id == traced.id && request >= 0x74)
			continue;
		result =
			ioctl(device,
			      _IOC(request <= 0x71 || request == 0x73 ? _IOC_READ | _IOC_WRITE
								      : _IOC_WRITE,
				   'R', request,
				   request <= 0x71   ? sizeof(info)
				   : request == 0x73 ? sizeof(struct lttngmap_set_counts)
				   : request == 0x79 || request == 0x7c || request == 0x7e
					   ? sizeof(struct lttngmap_set_value)
				   : request >= 0x7f ? sizeof(struct lttngmap_channel_name)
						     : 8),
			      random_next(&seed) % 50 ? (void *)&info : (void *)random_next(&seed));
		all++;
		if (request == 0x70 && result == 0)
			made = info.id;
		if (request == 0x72 && result > 2)
			close((int)result);
	}
	diag("%llu requests, the last set was number %llu", (unsigned long long)all,
	     (unsigned long long)made);
	ok(made > 0, "random requests make sets, and harm nothing");
	for (good.id = 0; ioctl(device, LTTNGMAP_SET_NEXT, &good) == 0;)
		if (good.id != traced.id)
			ioctl(device, LTTNGMAP_SET_REMOVE, &good.id);
	traced_end(&traced);
}

/* While a set is there, written and read, nobody unloads the module. */
static void case_unload(void)
{
	struct lttngmap_packet packet;
	struct lttngmap_ring_file *file = NULL;
	unsigned refused = 0, packets = 0;
	struct traced traced;

	traced_begin(&traced, LTTNGMAP_MODE_OVERWRITE, UINT64_C(1) << 40);
	traced_go(&traced);
	becomes(traced.path);
	close(device);
	for (int i = 0; i < 500; i++)
		refused += syscall(SYS_delete_module, "lttngmap", O_NONBLOCK) < 0 &&
			   errno == EAGAIN;
	is(refused, 500, "a ring set holds the module");
	is(lttngmap_ring_file_open(traced.path, &file), 0, "its file is read meanwhile");
	for (int i = 0; i < 500; i++) {
		packet = (struct lttngmap_packet){ .cpu = LTTNGMAP_CPU_ANY };
		packets += lttngmap_ring_file_get_packet(file, &packet) == 0;
		refused += syscall(SYS_delete_module, "lttngmap", O_NONBLOCK) < 0 &&
			   errno == EAGAIN;
	}
	is(refused, 1000, "and a reader too");
	ok(packets > 0, "which was given %u packets", packets);
	device = open(LTTNGMAP_MODULE_DEVICE, O_RDWR | O_CLOEXEC);
	is(ioctl(device, LTTNGMAP_SET_REMOVE, &traced.id), 0, "the ring set is removed");
	close(device);
	ok(syscall(SYS_delete_module, "lttngmap", O_NONBLOCK) < 0 && errno == EAGAIN,
	   "an open file holds the module without its set");
	lttngmap_ring_file_close(file);
	device = open(LTTNGMAP_MODULE_DEVICE, O_RDWR | O_CLOEXEC);
	kill(traced.pid, SIGKILL);
	traced_wait(&traced);
	bench_set_destroy(&traced.bench);
	close(traced.doorbell);
}

static void case_hostile_writers(void)
{
	case_hostile(LTTNGMAP_MODE_DISCARD);
	case_hostile(LTTNGMAP_MODE_OVERWRITE);
}

int main(int argc, char **argv)
{
	static const struct module_case cases[] = {
		{ "unload", case_unload },
		{ "fuzz", case_fuzz },
		{ "hostile", case_hostile_writers },
		{ NULL, NULL },
	};

	return run_cases(cases, argc, argv);
}
