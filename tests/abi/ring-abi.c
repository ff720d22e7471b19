/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * Programs that know nothing of lttngmap, only how the kernel's rings are
 * mapped, read a live ring file of ring-fs; and the same program reads a
 * ring of the kernel where there is one.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <urcu/urcu-memb.h>

#include "tests/utils/ring-server.h"
#include "tests/utils/tap.h"

static char output[1 << 17];

/* The exit status of PROGRAM PATH [ARGUMENT], from the build; its output as text. */
static int run_with(const char *program, const char *path, const char *argument)
{
	const char *build = getenv("LTTNGMAP_BUILD");
	/* libtracefs grows a text line by line, and a sanitizer's realloc() copies it each time. */
	int limit = getenv("LTTNGMAP_SANITIZED") ? 300 : 20;
	char command[4 * PATH_MAX];
	size_t size;
	FILE *pipe;

	snprintf(command, sizeof(command), "timeout %d '%s/%s' '%s' %s 2>&1", limit,
		 build ? build : ".", program, path, argument);
	pipe = popen(command, "r");
	if (!pipe)
		return -1;
	size = fread(output, 1, sizeof(output) - 1, pipe);
	output[size] = '\0';
	return pclose(pipe);
}

static int run(const char *program, const char *path)
{
	return run_with(program, path, "");
}

static void case_map(struct served_ring *ring)
{
	unsigned long long first = 0;
	unsigned id = 0, read = 0;
	char *line, expected[64];

	served_ring_write(ring, 1, "hello");
	is(run("tests/abi/map-ring", ring->path), 0, "the documentation's sequence of calls works");
	line = strstr(output, "reader ");
	ok(line && sscanf(line, "reader %u at %*p, %u bytes, first %llx", &id, &read, &first) == 3,
	   "and finds the reader's sub-buffer");
	is(id, SERVED_SUBBUFS + 1, "which is the one that was written to");
	is(read, 8 + sizeof("hello"), "with all that is in it");
	is(first,
	   *(unsigned long long *)(ring->data + SERVED_META +
				   (SERVED_SUBBUFS + 1) * SERVED_SUBBUF_SIZE),
	   "and whose bytes are the process's");
	snprintf(expected, sizeof(expected), "sub-buffers %u of %u",
		 SERVED_RINGS * (SERVED_SUBBUFS + 1), SERVED_SUBBUF_SIZE);
	ok(strstr(output, expected), "of so many of that size");
	if (!line)
		diag("%s", output);
}

static void case_drain(struct served_ring *ring)
{
	char expected[256];

	/* What the first reader did not release comes again. */
	served_ring_write(ring, 0, "one");
	served_ring_write(ring, 0, "two");
	served_ring_switch(ring, 0);
	served_ring_write(ring, 0, "three");
	served_ring_write(ring, 1, "four");
	is(run("tests/abi/drain-ring", ring->path), 0, "a loop over reader pages works");
	snprintf(expected, sizeof(expected), "%u: hello\n", SERVED_SUBBUFS + 1);
	ok(strstr(output, expected), "it is given again what another left");
	ok(strstr(output, "0: one\n0: two\n"), "it sees a full sub-buffer");
	ok(strstr(output, "1: three\n"), "and one that is not full");
	snprintf(expected, sizeof(expected), "%u: four\n", SERVED_SUBBUFS + 1);
	ok(strstr(output, expected), "and what was added to one that it saw");
	ok(strstr(output, "lost: 0\n"), "and that nothing was lost");
	is(run("tests/abi/drain-ring", ring->path), 0, "another loop comes to its end too");
	/* One page's records, and the line of losses. */
	ok(strchr(output, '\n') && strcmp(strchr(output, '\n'), "\nlost: 0\n") == 0,
	   "with the one page that the first had not released");
}

/* ---- the same on the kernel's own ------------------------------------------------------ */

/* Of this run: another may go on beside it. */
static char instance_name[64];

static bool put(const char *directory, const char *file, const char *text)
{
	char path[PATH_MAX + 128];
	bool done;
	int fd;

	snprintf(path, sizeof(path), "%s/%s/%s", directory, instance_name, file);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	done = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);
	if (fd >= 0)
		close(fd);
	return done;
}

/* Its last line: so many events, so many lost. */
static bool read_ring(const char *path, unsigned long long *events, unsigned long long *lost)
{
	char *line;

	if (run("doc/examples/read-ring", path) != 0)
		return false;
	line = strstr(output, " lost\n");
	while (line && line > output && line[-1] != '\n')
		line--;
	return line && sscanf(line, "%llu events, %llu lost", events, lost) == 2;
}

static void case_example(struct served_ring *ring)
{
	unsigned long long events = 0, lost = 1;

	served_ring_write(ring, 0, "five");
	served_ring_write(ring, 0, "six");
	ok(read_ring(ring->path, &events, &lost), "the reader library's example reads a ring");
	ok(events >= 2 && lost == 0, "with %llu events", events);
}

/* Each event is read or counted, however many there are. */
static void case_kernel_library(const char *tracefs, const char *ring)
{
	static const struct {
		unsigned marks;
		bool overrun;
	} rounds[] = { { 0, false }, { 100, false }, { 1, false }, { 5000, true }, { 50, false } };
	unsigned long long events, lost, lost_before = 0;

	for (unsigned i = 0; i < sizeof(rounds) / sizeof(rounds[0]); i++) {
		for (unsigned mark = 0; mark < rounds[i].marks; mark++)
			put(tracefs, "trace_marker", "a mark of some thirty bytes");
		if (!read_ring(ring, &events, &lost)) {
			ok(false, "the example reads a ring of the kernel");
			diag("%s", output);
			return;
		}
		/* Each reader counts from its own beginning. */
		is(events + lost, rounds[i].marks, "events of the kernel, read and lost");
		is(lost > 0, rounds[i].overrun, rounds[i].overrun ? "... some lost" : "... none");
		lost_before += lost;
	}
	diag("%llu events of the kernel were lost", lost_before);
}

/* How often a line of the output has both. */
static unsigned count_lines(const char *begin, const char *text)
{
	unsigned count = 0;

	for (char *line = output, *end; (end = strchr(line, '\n')); line = end + 1) {
		*end = '\0';
		count += strncmp(line, begin, strlen(begin)) == 0 && strstr(line, text);
		*end = '\n';
	}
	return count;
}

/* libtraceevent prints what the kernel wrote, of each page what is new. */
static void case_kernel_drain(const char *tracefs, const char *ring)
{
	char begin[64];

	snprintf(begin, sizeof(begin), "%d signal_generate: sig=%d ", (int)getpid(), SIGWINCH);
	if (!put(tracefs, "events/signal/signal_generate/enable", "1")) {
		ok(false, "an event of the instance is turned on: %s", strerror(errno));
		return;
	}
	for (unsigned i = 0; i < 300; i++) {
		put(tracefs, "trace_marker", "a mark of some thirty bytes");
		kill(getpid(), SIGWINCH);
	}
	put(tracefs, "events/enable", "0");
	is(run_with("tests/abi/drain-ring", ring, tracefs), 0,
	   "the loop over reader pages works on a ring of the kernel");
	is(count_lines("", " print: "), 1 + 300,
	   "it has each mark, and that of the page which it was in");
	is(count_lines(begin, " comm=ring-abi "), 300, "and each event, with what is in it");
	ok(strstr(output, "lost: 0\n"), "nothing was lost");
	is(run_with("tests/abi/drain-ring", ring, tracefs), 0, "another loop comes to its end too");
	ok(count_lines("", " print: ") < 300, "with no more than the last page");
}

static void case_kernel(const char *tracefs)
{
	char instance[PATH_MAX + sizeof(instance_name)], ring[PATH_MAX + 128];
	cpu_set_t first;

	snprintf(instance_name, sizeof(instance_name), "instances/lttngmap-test-%d", (int)getpid());
	snprintf(instance, sizeof(instance), "%s/%s", tracefs, instance_name);
	if (mount("tracefs", tracefs, "tracefs", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL) < 0) {
		skip(1, "no tracefs: %s", strerror(errno));
		return;
	}
	if (mkdir(instance, 0700) < 0) {
		skip(1, "no instance of the kernel's tracing: %s", strerror(errno));
		umount2(tracefs, MNT_DETACH);
		return;
	}
	CPU_ZERO(&first);
	CPU_SET(0, &first);
	sched_setaffinity(0, sizeof(first), &first);
	/* The kernel's GET_READER would else wait for half a buffer. */
	snprintf(ring, sizeof(ring), "%s/per_cpu/cpu0/trace_pipe_raw", instance);
	if (put(tracefs, "buffer_percent", "0") && put(tracefs, "buffer_size_kb", "64") &&
	    put(tracefs, "trace_marker", "hello") && run("tests/abi/map-ring", ring) == 0) {
		ok(strstr(output, "reader "), "the same program reads a ring of the kernel");
		case_kernel_drain(tracefs, ring);
		case_kernel_library(tracefs, ring);
	} else
		skip(1, "this kernel's rings cannot be mapped: %s", output);
	rmdir(instance);
	umount2(tracefs, MNT_DETACH);
}

int main(void)
{
	struct ring_server server;
	struct served_ring ring;
	const char *why = NULL;
	char tracefs[PATH_MAX];
	int error;

	urcu_memb_register_thread();
	error = ring_server_start(&server, &ring_fs_mediator, &why);
	if (error == -EPERM || error == -ENOENT || error == -EOPNOTSUPP)
		skip_all("ring-fs cannot serve here: %s", why);
	if (error || server.ops->add_channel(server.mediator, "session", "channel") < 0)
		bail_out("ring-fs: %s: %s", why, strerror(-error));
	served_ring_create(&server, "session", "channel", &ring);
	if (served_ring_announce(&ring) < 0)
		bail_out("the ring cannot be announced");
	for (int tries = 0; tries < 500 && access(ring.path, F_OK) < 0; tries++)
		usleep(10000);

	case_map(&ring);
	case_drain(&ring);
	case_example(&ring);
	snprintf(tracefs, sizeof(tracefs), "%s/tracefs", server.dir);
	mkdir(tracefs, 0700);
	case_kernel(tracefs);
	rmdir(tracefs);

	served_ring_withdraw(&ring);
	served_ring_destroy(&ring);
	ring_server_stop(&server);
	ok(access(server.dir, F_OK) < 0, "nothing is left behind");
	urcu_memb_unregister_thread();
	return done_testing();
}
