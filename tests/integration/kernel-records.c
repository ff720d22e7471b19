/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * kernel-records.c - the kernel's own events of many classes, while they are
 * written: what libtraceevent reads in a kernel's records is in ours, field by
 * field, at the same times; and all that the kernel counts is there.
 *
 * In a tracefs instance of its own, by a mount of its own.
 */
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <kbuffer.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <stddef.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <event-parse.h>

#include <lttngmap/abi.h>
#include <lttngmap/ring-file.h>

#include "consumerd/kernel/kernel-packet.h"
#include "tests/utils/tap.h"

#define CLASSES_AT_LEAST 20
#define ROUNDS 8
#define CPUS_MAX 1024
/* At a time: what is read makes events, too. */
#define PACKETS_LIVE 4

static const char *const systems[] = {
	"sched",    "irq", "timer", "signal", "task", "workqueue", "raw_syscalls",
	"syscalls", "ipi", "rcu",   "block",  "kmem", "vmscan",
};

static char directory[] = "/tmp/lttngmap-records.XXXXXX";
static char instance[PATH_MAX];
static pid_t owner;

static struct kernel_plan *classes;
static struct tep_handle *oracle;

/* Of the events that were seen. */
static uint64_t records_of[LTTNGMAP_EVENT_IDS];
static uint64_t records, wrong_records, wrong_times, strings;

struct output_ring {
	struct lttngmap_ring_file *file;
	struct kernel_cursor cursor;
	uint64_t lost;
	unsigned cpu;
};

static struct output_ring rings[CPUS_MAX];
static unsigned nr_rings;

/* ---- tracefs -------------------------------------------------------------------------- */

static void clean_up(void)
{
	if (getpid() != owner)
		return;
	for (unsigned i = 0; i < nr_rings; i++)
		lttngmap_ring_file_close(rings[i].file);
	if (*instance)
		rmdir(instance);
	umount2(directory, MNT_DETACH);
	rmdir(directory);
}

static bool put(const char *name, const char *text)
{
	char path[PATH_MAX + NAME_MAX];
	ssize_t written;
	int fd;

	snprintf(path, sizeof(path), "%s/%s", instance, name);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	written = write(fd, text, strlen(text));
	close(fd);
	return written == (ssize_t)strlen(text);
}

/* The whole of a file, to be freed; NULL: there is none. */
static char *get(const char *path, size_t *size)
{
	FILE *file = fopen(path, "re");
	char *text = calloc(1, 1 << 16);

	if (!file || !text) {
		free(text);
		return NULL;
	}
	*size = fread(text, 1, (1 << 16) - 1, file);
	fclose(file);
	return text;
}

static void set_up(void)
{
	char pid[16];
	int error;

	owner = getpid();
	if (geteuid() != 0)
		skip_all("the kernel's rings need root");
	if (!mkdtemp(directory))
		bail_out("no directory: %s", strerror(errno));
	if (mount("tracefs", directory, "tracefs", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL) < 0) {
		error = errno;
		rmdir(directory);
		skip_all("no tracefs: %s", strerror(error));
	}
	atexit(clean_up);
	snprintf(instance, sizeof(instance), "%s/instances/lttngmap-records-%d", directory,
		 (int)owner);
	if (mkdir(instance, 0700) < 0) {
		*instance = '\0';
		skip_all("no instance of the kernel's tracing: %s", strerror(errno));
	}
	snprintf(pid, sizeof(pid), "%d", (int)owner);
	if (!put("trace_clock", "mono") || !put("buffer_size_kb", "8192") ||
	    !put("options/event-fork", "1") || !put("set_event_pid", pid))
		bail_out("the instance cannot be set: %s", strerror(errno));
}

/* The class of a format file, to the plan's texts and to the oracle. */
static void add_format(FILE *texts, const char *system, const char *path)
{
	size_t size;
	char *text = get(path, &size);

	if (!text)
		return;
	fprintf(texts, "%s %zu\n", system, size);
	fwrite(text, 1, size, texts);
	tep_parse_event(oracle, text, size, system);
	free(text);
}

static void describe(void)
{
	char pattern[PATH_MAX + NAME_MAX], *texts = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&texts, &size);
	glob_t found;

	oracle = tep_alloc();
	tep_set_loglevel(TEP_LOG_NONE);
	tep_set_long_size(oracle, sizeof(long));
	for (unsigned i = 0; i < sizeof(systems) / sizeof(systems[0]); i++) {
		snprintf(pattern, sizeof(pattern), "%s/events/%s/*/format", instance, systems[i]);
		if (glob(pattern, 0, NULL, &found) == 0)
			for (size_t j = 0; j < found.gl_pathc; j++)
				add_format(out, systems[i], found.gl_pathv[j]);
		globfree(&found);
	}
	fclose(out);
	is(kernel_plan_parse(texts, size, &classes), 0, "the kernel's formats are understood");
	free(texts);
	if (!classes)
		exit(EXIT_FAILURE);
	diag("%u classes", kernel_plan_count(classes));
}

static void enable(void)
{
	char name[NAME_MAX];

	for (unsigned i = 0; i < sizeof(systems) / sizeof(systems[0]); i++) {
		snprintf(name, sizeof(name), "events/%s/enable", systems[i]);
		if (!put(name, "1"))
			diag("no events of %s", systems[i]);
	}
}

static void attach(void)
{
	char path[PATH_MAX + NAME_MAX];
	int error;

	for (unsigned cpu = 0; cpu < CPUS_MAX; cpu++) {
		snprintf(path, sizeof(path), "%s/per_cpu/cpu%u/trace_pipe_raw", instance, cpu);
		if (access(path, F_OK) != 0)
			continue;
		error = lttngmap_ring_file_open(path, &rings[nr_rings].file);
		if (error == -ENODEV || error == -ENOTTY)
			skip_all("this kernel's rings cannot be mapped");
		if (error)
			bail_out("%s: %s", path, strerror(-error));
		rings[nr_rings++].cpu = cpu;
	}
}

/* ---- what there is to record ------------------------------------------------------------ */

static void make_events(void)
{
	char *const arguments[] = { (char *)"true", NULL };
	char bytes[4096] = { 0 };
	int status, fds[2];
	pid_t pid;

	for (unsigned i = 0; i < 5; i++) {
		if (posix_spawnp(&pid, "true", NULL, NULL, arguments, NULL) == 0)
			waitpid(pid, &status, 0);
		pid = fork();
		if (pid == 0)
			pause();
		kill(pid, SIGTERM);
		waitpid(pid, &status, 0);
		if (pipe(fds) == 0) {
			for (unsigned j = 0; j < 100; j++)
				if (write(fds[1], bytes, j + 1) > 0)
					status = (int)read(fds[0], bytes, sizeof(bytes));
			close(fds[0]);
			close(fds[1]);
		}
		usleep(1000);
	}
}

/* ---- a record of ours and the kernel's ---------------------------------------------------- */

struct body {
	const uint8_t *at;
	const uint8_t *end;
};

static bool take(struct body *body, void *to, size_t size)
{
	if ((size_t)(body->end - body->at) < size)
		return false;
	memcpy(to, body->at, size);
	body->at += size;
	return true;
}

/* As many bytes as there are at `data`? */
static bool takes_same(struct body *body, const void *data, size_t size)
{
	bool same = (size_t)(body->end - body->at) >= size && memcmp(body->at, data, size) == 0;

	body->at += same ? size : 0;
	return same;
}

static bool is_same_dynamic(struct body *body, const struct lttngmap_field *field,
			    const uint8_t *data, unsigned long long word)
{
	const uint8_t *bytes = data + (word & 0xffff);
	uint32_t size = (uint32_t)(word >> 16), count;
	size_t length;

	if (field->kind == LTTNGMAP_FIELD_STRING) {
		length = strnlen((const char *)bytes, size);
		strings += length > 0;
		return takes_same(body, bytes, length) && takes_same(body, "", 1);
	}
	return take(body, &count, sizeof(count)) && count == size / field->size &&
	       takes_same(body, bytes, (size_t)count * field->size);
}

static bool is_same_field(struct body *body, const struct lttngmap_field *field,
			  const struct tep_format_field *from, const uint8_t *data)
{
	unsigned long long number;
	uint64_t value = 0;

	if (strcmp(field->name, from->name) != 0)
		return false;
	if (from->flags & TEP_FIELD_IS_DYNAMIC)
		return tep_read_number_field((struct tep_format_field *)from, data, &number) == 0 &&
		       is_same_dynamic(body, field, data, number);
	if (field->kind != LTTNGMAP_FIELD_INTEGER && field->kind != LTTNGMAP_FIELD_ENUM)
		return takes_same(body, data + from->offset, (size_t)from->size);
	/* What is signed has its sign in all 64 bits. */
	return tep_read_number_field((struct tep_format_field *)from, data, &number) == 0 &&
	       take(body, &value, field->size) &&
	       value << (64 - 8 * field->size) == (uint64_t)number << (64 - 8 * field->size);
}

static bool is_same_record(struct body *body, const uint8_t *data)
{
	uint16_t id;
	const struct kernel_class *class;
	struct tep_event *event;
	const struct tep_format_field *from;
	unsigned index = 0;

	memcpy(&id, data, sizeof(id));
	class = kernel_plan_class(classes, id);
	event = tep_find_event(oracle, id);
	if (!class || !event)
		return false;
	records_of[id]++;
	/* All but common_type, which is the first. */
	for (from = event->format.common_fields->next; from; from = from->next)
		if (index == class->nr_fields ||
		    !is_same_field(body, &class->fields[index++], from, data))
			return false;
	for (from = event->format.fields; from; from = from->next)
		if (index == class->nr_fields ||
		    !is_same_field(body, &class->fields[index++], from, data))
			return false;
	return index == class->nr_fields;
}

/* Of one packet, all records; the kernel's are those from its offset on. */
static void compare(const uint8_t *page, const struct lttngmap_packet *packet, const uint8_t *bytes,
		    const struct lttngmap_packet *made, struct kbuffer *kbuffer)
{
	struct body body = { .at = bytes, .end = bytes + made->length };
	unsigned long long time;
	const uint8_t *data;
	uint64_t header;

	kbuffer_load_subbuffer(kbuffer, (void *)page);
	data = kbuffer_read_event(kbuffer, &time);
	while (data && data < page + packet->offset)
		data = kbuffer_next_event(kbuffer, &time);
	for (; body.at < body.end; data = kbuffer_next_event(kbuffer, &time)) {
		if (!data || data >= page + packet->offset + packet->length ||
		    !take(&body, &header, sizeof(header)) || !is_same_record(&body, data)) {
			wrong_records++;
			return;
		}
		wrong_times += header >> 16 != (time & LTTNGMAP_TIMESTAMP_MASK);
		records++;
	}
}

static void drain(struct output_ring *ring, struct kbuffer *kbuffer, unsigned packets)
{
	static uint8_t body[1 << 20];
	struct lttngmap_packet packet;
	struct kernel_converted converted;
	const uint8_t *data;

	while (packets--) {
		packet = (struct lttngmap_packet){ .cpu = LTTNGMAP_CPU_ANY };
		if (lttngmap_ring_file_get_packet(ring->file, &packet) != 0)
			return;
		data = lttngmap_ring_file_data(ring->file, &packet);
		data -= packet.offset;
		if (kernel_packet_convert(classes, &ring->cursor, &packet, data, body, sizeof(body),
					  &converted) != 0 ||
		    converted.more) {
			wrong_records++;
			return;
		}
		ring->cursor = converted.next;
		ring->lost = converted.packet.discarded;
		compare(data, &packet, body, &converted.packet, kbuffer);
	}
}

/* ---- the kernel's counts ------------------------------------------------------------------- */

static uint64_t number_of(const char *text, const char *name)
{
	const char *at = text ? strstr(text, name) : NULL;

	return at ? strtoull(at + strlen(name), NULL, 10) : UINT64_MAX;
}

static void check_counts(void)
{
	uint64_t all = 0, lost = 0, dropped = 0;
	char path[PATH_MAX + NAME_MAX];
	size_t size;

	for (unsigned i = 0; i < nr_rings; i++) {
		char *text;

		snprintf(path, sizeof(path), "%s/per_cpu/cpu%u/stats", instance, rings[i].cpu);
		text = get(path, &size);
		/* Those that are in it, those that were read, those that were lost. */
		all += number_of(text, "entries: ") + number_of(text, "read events: ") +
		       number_of(text, "overrun: ");
		lost += rings[i].lost;
		dropped += rings[i].cursor.dropped;
		free(text);
	}
	is(records + lost, all, "all events that the kernel counts are there, or lost");
	is(dropped, 0, "none was without a class");
	diag("%llu events, %llu lost", (unsigned long long)records, (unsigned long long)lost);
}

int main(void)
{
	struct kbuffer *kbuffer =
		kbuffer_alloc(KBUFFER_LSIZE_SAME_AS_HOST, KBUFFER_ENDIAN_SAME_AS_HOST);
	unsigned seen = 0;

	set_up();
	describe();
	attach();
	enable();
	for (unsigned i = 0; i <= ROUNDS; i++) {
		if (i == ROUNDS)
			put("tracing_on", "0");
		else
			make_events();
		for (unsigned j = 0; j < nr_rings; j++)
			drain(&rings[j], kbuffer, i == ROUNDS ? UINT_MAX : PACKETS_LIVE);
	}
	for (unsigned id = 0; id < LTTNGMAP_EVENT_IDS; id++)
		seen += records_of[id] > 0;
	ok(seen >= CLASSES_AT_LEAST, "events of many classes: %u", seen);
	is(wrong_records, 0, "each field is as libtraceevent reads it");
	is(wrong_times, 0, "and so is each time");
	ok(strings > 0, "strings among them: %llu", (unsigned long long)strings);
	check_counts();
	kbuffer_free(kbuffer);
	tep_free(oracle);
	kernel_plan_destroy(classes);
	return done_testing();
}
