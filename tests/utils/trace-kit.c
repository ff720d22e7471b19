/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "tests/utils/trace-kit.h"

#include <dirent.h>
#include <ftw.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

const uint8_t trace_kit_uuid[CTF_UUID_SIZE] = { 0x10, 0x21, 0x32, 0x43, 0x54, 0x65, 0x46, 0x87,
						0x98, 0xa9, 0xba, 0xcb, 0xdc, 0xed, 0xfe, 0x0f };
const char trace_kit_uuid_text[] = "10213243-5465-4687-98a9-bacbdcedfe0f";

static char dir[64];
static pid_t owner;

static void give_up(const char *what)
{
	printf("Bail out! ");
	fflush(stdout);
	perror(what);
	exit(EXIT_FAILURE);
}

static int remove_one(const char *path, const struct stat *status, int kind, struct FTW *place)
{
	(void)status;
	(void)kind;
	(void)place;
	return remove(path);
}

static void remove_dir(void)
{
	/* Not by a child that exits. */
	if (getpid() == owner)
		nftw(dir, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

const char *trace_kit_dir(void)
{
	if (dir[0])
		return dir;
	snprintf(dir, sizeof(dir), "%.40s/lttngmap-test.XXXXXX",
		 getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp");
	if (!mkdtemp(dir))
		give_up(dir);
	owner = getpid();
	atexit(remove_dir);
	return dir;
}

const char *trace_kit_path(const char *format, ...)
{
	static char paths[8][512];
	static unsigned next;
	char *path = paths[next++ % 8];
	va_list arguments;
	int length = snprintf(path, sizeof(paths[0]), "%s/", trace_kit_dir());

	va_start(arguments, format);
	vsnprintf(path + length, sizeof(paths[0]) - (size_t)length, format, arguments);
	va_end(arguments);
	return path;
}

/* Written by hand, not by the daemon's maker of metadata: so it checks common/protocol/ctf.h. */
static const char metadata_format[] =
	"/* CTF 1.8 */\n"
	"typealias integer { size = 8; align = 8; signed = false; } := uint8_t;\n"
	"typealias integer { size = 16; align = 8; signed = false; } := uint16_t;\n"
	"typealias integer { size = 32; align = 8; signed = false; } := uint32_t;\n"
	"typealias integer { size = 64; align = 8; signed = false; } := uint64_t;\n"
	"trace { major = 1; minor = 8; uuid = \"%s\"; byte_order = %s;\n"
	"  packet.header := struct { uint32_t magic; uint8_t uuid[16]; uint32_t stream_id;\n"
	"    uint64_t stream_instance_id; }; };\n"
	"env { lttngmap_abi_major = 1; domain = \"ust\"; tracer_name = \"lttng-ust\"; tracer_major "
	"= 2;\n"
	"  tracer_minor = 13; };\n"
	"clock { name = \"monotonic\"; freq = 1000000000; };\n"
	"typealias integer { size = 64; align = 8; signed = false;\n"
	"  map = clock.monotonic.value; } := clock_t;\n"
	"stream { id = %d;\n"
	"  packet.context := struct { clock_t timestamp_begin; clock_t timestamp_end;\n"
	"    uint64_t content_size; uint64_t packet_size; uint64_t packet_seq_num;\n"
	"    uint64_t events_discarded; uint32_t cpu_id; uint32_t vpid; uint32_t vuid;\n"
	"    integer { size = 8; align = 8; signed = false; encoding = UTF8; } procname[36]; };\n"
	"  event.header := struct { %s }; };\n"
	"event { name = \"test:text\"; id = %d; stream_id = %d;\n"
	"  fields := struct { string { encoding = UTF8; } text; }; };\n";

#define TSDL_ID "uint16_t id; "
#define TSDL_TIME                                                                                  \
	"integer { size = 48; align = 8; signed = false; map = clock.monotonic.value; } "          \
	"timestamp; "

const char *trace_kit_metadata_text(size_t *size)
{
	bool little = __BYTE_ORDER == __LITTLE_ENDIAN;
	static char text[4096];
	int length;

	length = snprintf(text, sizeof(text), metadata_format, trace_kit_uuid_text,
			  little ? "le" : "be", TRACE_KIT_STREAM_ID,
			  little ? TSDL_ID TSDL_TIME : TSDL_TIME TSDL_ID, TRACE_KIT_EVENT_ID,
			  TRACE_KIT_STREAM_ID);
	*size = (size_t)length;
	return text;
}

int trace_kit_metadata(void)
{
	size_t size;
	const char *text = trace_kit_metadata_text(&size);
	int fd = memfd_create("metadata", MFD_CLOEXEC);

	if (fd < 0 || write(fd, text, size) != (ssize_t)size)
		give_up("metadata");
	return fd;
}

void trace_kit_packet(uint32_t cpu, uint64_t sequence, struct lttngmap_packet *packet,
		      char body[TRACE_KIT_BODY_MAX])
{
	uint64_t first = sequence * TRACE_KIT_EVENTS, header;
	uint32_t length = 0;

	for (uint64_t number = first; number < first + TRACE_KIT_EVENTS; number++) {
		header = TRACE_KIT_EVENT_ID | (1000 + number) << 16;
		memcpy(body + length, &header, sizeof(header));
		length += sizeof(header);
		length +=
			(uint32_t)sprintf(body + length, "event-%llu", (unsigned long long)number) +
			1;
	}
	*packet = (struct lttngmap_packet){
		.cpu = cpu,
		.length = length,
		.pid = 4711,
		.uid = 815,
		.sequence = sequence,
		.timestamp_begin = 1000 + first,
		.timestamp_end = 1000 + first + TRACE_KIT_EVENTS - 1,
		.events = TRACE_KIT_EVENTS,
		.metadata_generation = 1,
	};
}

long trace_kit_read(const char *output, long *first_gap)
{
	char command[1200], line[4096];
	long events = 0, said = 0, number;
	const char *text;
	FILE *reader;

	if (first_gap)
		*first_gap = -1;
	snprintf(command, sizeof(command), "babeltrace2 '%s' 2>&1", output);
	reader = popen(command, "r");
	if (!reader)
		give_up("babeltrace2");
	while (fgets(line, sizeof(line), reader)) {
		text = strstr(line, "\"event-");
		if (!text || !strstr(line, "test:text:")) {
			printf("# %s", line);
			said++;
			continue;
		}
		number = atol(text + strlen("\"event-"));
		if (first_gap && *first_gap < 0 && number != events)
			*first_gap = events;
		events++;
	}
	return pclose(reader) == 0 && !said ? events : -1;
}

long trace_kit_file_size(const char *path)
{
	struct stat status;

	return stat(path, &status) < 0 ? -1 : (long)status.st_size;
}

int trace_kit_open_fds(void)
{
	DIR *fds = opendir("/proc/self/fd");
	int count = 0;

	if (!fds)
		give_up("/proc/self/fd");
	while (readdir(fds))
		count++;
	closedir(fds);
	return count;
}
