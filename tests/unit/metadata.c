/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * metadata.c - a trace made by hand, of every kind of field, is what
 * babeltrace2 reads with our metadata, without a warning.
 */
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <urcu.h>

#include <lttngmap/abi.h>

#include "common/protocol/ctf.h"
#include "sessiond/class/metadata.h"
#include "tests/utils/class-wire.h"
#include "tests/utils/tap.h"

#define SIGNED LTTNGMAP_FIELD_SIGNED
#define NETWORK LTTNGMAP_FIELD_BIG_ENDIAN

/* 2^48 is passed by between the first and the second event. */
#define BEGIN ((UINT64_C(7) << 48) - 5)

static const uint8_t trace_uuid[CTF_UUID_SIZE] = { 0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0x4d, 0xef,
						   0x81, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef };

static char directory[] = "/tmp/lttngmap-metadata.XXXXXX";

struct packet {
	struct ctf_packet_header header;
	uint8_t records[8192];
	size_t size;
} __attribute__((packed));

static void put(struct packet *packet, const void *bytes, size_t size)
{
	memcpy(packet->records + packet->size, bytes, size);
	packet->size += size;
}

#define PUT(packet, type, value) put(packet, &(type){ value }, sizeof(type))

static void put_header(struct packet *packet, uint64_t id, uint64_t timestamp)
{
	PUT(packet, uint64_t, id | timestamp << 16);
}

static void write_file(const char *name, const void *bytes, size_t size)
{
	char path[PATH_MAX];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	file = fopen(path, "w");
	if (!file || fwrite(bytes, 1, size, file) != size || fclose(file) != 0)
		bail_out("cannot write %s", path);
}

static void write_packet(struct packet *packet, const char *file, uint32_t stream_id, uint64_t end)
{
	uint64_t bits = 8 * (sizeof(packet->header) + packet->size);

	packet->header = (struct ctf_packet_header){
		.magic = CTF_PACKET_MAGIC,
		.stream_id = stream_id,
		.stream_instance_id = 17,
		.timestamp_begin = BEGIN,
		.timestamp_end = end,
		.content_size = bits,
		.packet_size = bits,
		.cpu_id = 3,
		.pid = 4711,
		.uid = 1000,
		.procname = "shop \xc3\xa4",
	};
	memcpy(packet->header.uuid, trace_uuid, sizeof(trace_uuid));
	write_file(file, packet, bits / 8);
}

/* What babeltrace2 prints of the trace, warnings included; to be freed. */
static char *output_of(const char *options)
{
	char command[PATH_MAX];
	char *text = calloc(1, 65536);
	FILE *pipe;
	size_t size;

	snprintf(command, sizeof(command), "babeltrace2 %s %s 2>&1", options, directory);
	pipe = popen(command, "r");
	if (!text || !pipe)
		bail_out("cannot run babeltrace2");
	size = fread(text, 1, 65535, pipe);
	text[size] = '\0';
	is(pclose(pipe), 0, "babeltrace2 ends well");
	return text;
}

static void check_output(const char *options, const char *expected, const char *what)
{
	char *text = output_of(options);

	is_string(text, expected, what);
	free(text);
}

static void describe_numbers(struct class_wire *wire)
{
	class_wire_class(wire, "kinds", "numbers", 14);
	class_wire_field(wire, LTTNGMAP_FIELD_INTEGER, 1, SIGNED, 10, 0, "i8");
	class_wire_field(wire, LTTNGMAP_FIELD_INTEGER, 1, 0, 10, 0, "u8");
	class_wire_field(wire, LTTNGMAP_FIELD_INTEGER, 2, SIGNED, 10, 0, "i16");
	class_wire_field(wire, LTTNGMAP_FIELD_INTEGER, 2, 0, 8, 0, "octal");
	class_wire_field(wire, LTTNGMAP_FIELD_INTEGER, 4, SIGNED, 10, 0, "i32");
	class_wire_field(wire, LTTNGMAP_FIELD_INTEGER, 4, 0, 16, 0, "hex");
	class_wire_field(wire, LTTNGMAP_FIELD_INTEGER, 8, SIGNED, 10, 0, "i64");
	class_wire_field(wire, LTTNGMAP_FIELD_INTEGER, 8, 0, 10, 0, "u64");
	class_wire_field(wire, LTTNGMAP_FIELD_INTEGER, 1, 0, 2, 0, "binary");
	class_wire_field(wire, LTTNGMAP_FIELD_INTEGER, 4, NETWORK, 10, 0, "network");
	class_wire_field(wire, LTTNGMAP_FIELD_INTEGER, 8, NETWORK, 16, 0, "network_hex");
	class_wire_field(wire, LTTNGMAP_FIELD_FLOAT, 4, 0, 10, 0, "single");
	class_wire_field(wire, LTTNGMAP_FIELD_FLOAT, 8, 0, 10, 0, "string");
	class_wire_field(wire, LTTNGMAP_FIELD_FLOAT, 8, NETWORK, 10, 0, "network_double");
}

static const char numbers_text[] =
	"{ i8 = -1, u8 = 255, i16 = -2, octal = 017, i32 = -3, hex = 0xDEADBEEF, "
	"i64 = -9223372036854775807, u64 = 18446744073709551615, binary = 0b00000101, "
	"network = 16909060, network_hex = 0x102030405060708, single = 1.5, string = -2.25, "
	"network_double = 1024 }";

static void record_numbers(struct packet *packet)
{
	union {
		double number;
		uint64_t bits;
	} network = { .number = 1024 };

	PUT(packet, int8_t, -1);
	PUT(packet, uint8_t, 255);
	PUT(packet, int16_t, -2);
	PUT(packet, uint16_t, 15);
	PUT(packet, int32_t, -3);
	PUT(packet, uint32_t, 0xdeadbeef);
	PUT(packet, int64_t, -INT64_MAX);
	PUT(packet, uint64_t, UINT64_MAX);
	PUT(packet, uint8_t, 5);
	PUT(packet, uint32_t, htobe32(0x01020304));
	PUT(packet, uint64_t, htobe64(0x0102030405060708));
	PUT(packet, float, 1.5f);
	PUT(packet, double, -2.25);
	PUT(packet, uint64_t, htobe64(network.bits));
}

/* Names that are keywords, or used by us, must do no harm. */
static void describe_compounds(struct class_wire *wire)
{
	class_wire_class(wire, "kinds", "compounds", 9);
	class_wire_field(wire, LTTNGMAP_FIELD_STRING, 1, 0, 10, 0, "struct");
	class_wire_field(wire, LTTNGMAP_FIELD_ARRAY, 2, SIGNED, 10, 3, "id");
	class_wire_field(wire, LTTNGMAP_FIELD_ARRAY, 2, NETWORK, 16, 2, "timestamp");
	class_wire_field(wire, LTTNGMAP_FIELD_SEQUENCE, 4, 0, 10, 0, "_items");
	class_wire_field(wire, LTTNGMAP_FIELD_SEQUENCE, 1, 0, 16, 0, "none");
	class_wire_field(wire, LTTNGMAP_FIELD_TEXT, 1, 0, 10, 8, "text");
	class_wire_field(wire, LTTNGMAP_FIELD_TEXT, 1, 0, 10, 4, "full_text");
	class_wire_field(wire, LTTNGMAP_FIELD_TEXT_SEQUENCE, 1, 0, 10, 0, "event");
	class_wire_field(wire, LTTNGMAP_FIELD_TEXT_SEQUENCE, 1, 0, 10, 0, "no_text");
}

static const char compounds_text[] =
	"{ struct = \"a \\\"b\\\" \xc3\xbc\", id = [ [0] = 1, [1] = -2, [2] = 3 ], "
	"timestamp = [ [0] = 0x102, [1] = 0x304 ], __items_length = 2, "
	"_items = [ [0] = 10, [1] = 20 ], _none_length = 0, none = [ ], text = \"abc\", "
	"full_text = \"full\", _event_length = 5, event = \"hello\", _no_text_length = 0, "
	"no_text = \"\" }";

static void record_compounds(struct packet *packet)
{
	put(packet, "a \"b\" \xc3\xbc", 9);
	put(packet, (int16_t[]){ 1, -2, 3 }, 6);
	put(packet, (uint8_t[]){ 1, 2, 3, 4 }, 4);
	PUT(packet, uint32_t, 2);
	put(packet, (uint32_t[]){ 10, 20 }, 8);
	PUT(packet, uint32_t, 0);
	put(packet, "abc\0\0\0\0", 8);
	put(packet, "full", 4);
	PUT(packet, uint32_t, 5);
	put(packet, "hello", 5);
	PUT(packet, uint32_t, 0);
}

/* One enumeration in fields of three types, of which two cannot have all labels. */
static void describe_enums(struct class_wire *wire)
{
	static const struct {
		unsigned size, flags;
		const char *name;
	} fields[] = { { 4, SIGNED, "all" }, { 1, 0, "few" }, { 8, NETWORK, "big" } };

	class_wire_class(wire, "kinds", "enums", 4);
	for (unsigned i = 0; i < 3; i++) {
		class_wire_enum(wire, fields[i].size, fields[i].flags, fields[i].name, "state", 6);
		class_wire_value(wire, "lowest", INT64_MIN, -2);
		class_wire_value(wire, "minus", -1, -1);
		class_wire_value(wire, "\"quoted\\\" */ 7", 0, 0);
		class_wire_value(wire, "range", 1, 5);
		class_wire_value(wire, "over", 5, 300);
		class_wire_value(wire, "highest", INT64_MAX, INT64_MAX);
	}
	class_wire_enum(wire, 1, 0, "unlabelled", "sign", 1);
	class_wire_value(wire, "minus", -1, -1);
}

static const char enums_text[] =
	"{ all = ( \"minus\" : container = -1 ), few = ( \"range\", \"over\" : container = 5 ), "
	"big = ( \"highest\" : container = 9223372036854775807 ), unlabelled = 255 }";

static void record_enums(struct packet *packet)
{
	PUT(packet, int32_t, -1);
	PUT(packet, uint8_t, 5);
	PUT(packet, uint64_t, htobe64(INT64_MAX));
	PUT(packet, uint8_t, 255);
}

/* The same name with and without a field: two classes, both in the trace. */
static void describe_namesakes(struct class_wire *wire)
{
	class_wire_class(wire, "kinds", "namesake", 0);
	class_wire_class(wire, "kinds", "namesake", 1);
	class_wire_field(wire, LTTNGMAP_FIELD_INTEGER, 4, 0, 10, 0, "align");
}

static struct registry *make_registry(void)
{
	static struct class_wire wire;
	struct registry_result result;
	struct registry *registry;
	uint16_t ids[5];

	describe_numbers(&wire);
	describe_compounds(&wire);
	describe_enums(&wire);
	describe_namesakes(&wire);
	if (registry_create(&registry) < 0 ||
	    registry_add(registry, wire.bytes, wire.size, wire.nr_classes, ids, &result) < 0 ||
	    result.refused)
		bail_out("no registry: %s", result.why);
	return registry;
}

static void write_metadata(struct metadata *metadata)
{
	size_t size;
	char *text;

	if (metadata_text(metadata, &text, &size) < 0)
		bail_out("no metadata");
	write_file("metadata", text, size);
	free(text);
}

static struct metadata *make_metadata(const struct registry *registry)
{
	struct metadata_config config = {
		.session = "a \"session\"",
		.hostname = "host",
		.created = UINT64_C(1700000000) * 1000000000,
		.clock = { .clock = LTTNGMAP_CLOCK_TSC,
			   .frequency = 2000000000,
			   .offset_s = 1600000000,
			   .offset = 1000000000 },
	};
	struct metadata *metadata;
	uint64_t generation;

	memcpy(config.uuid, trace_uuid, sizeof(trace_uuid));
	if (metadata_create(&config, &metadata) < 0)
		bail_out("no metadata");
	is(metadata_add_event(metadata, 0, registry_get(registry, 0), 0, false), -ENOENT,
	   "an event without its channel is refused");
	is(metadata_add_channel(metadata, LTTNGMAP_CHANNELS, "x", 0), -EINVAL,
	   "a stream id beyond the channels is refused");
	is(metadata_add_channel(metadata, 0, "first", 0), 0, "a channel");
	is(metadata_add_channel(metadata, 0, "again", 0), -EEXIST, "is not added twice");
	is(metadata_add_channel(metadata, 63, "last", 0), 0, "the last channel");
	for (uint32_t id = 0; id < registry_count(registry); id++)
		metadata_add_event(metadata, 0, registry_get(registry, id), 0, false);
	generation = metadata_generation(metadata);
	is(metadata_add_event(metadata, 0, registry_get(registry, 1), 0, false), 0,
	   "an event once more");
	is(metadata_generation(metadata), generation, "changes nothing");
	is(metadata_add_event(metadata, 63, registry_get(registry, 3), 0, false), 0,
	   "in another channel");
	is(metadata_generation(metadata), generation + 1, "is something new");
	return metadata;
}

/* What babeltrace2 makes of the event at BEGIN + ticks. */
static void expect_event(char **at, unsigned ns, const char *name, const char *fields)
{
	*at += sprintf(*at,
		       "[1600985162.918487%03u] host kinds:%s: { cpu_id = 3, pid = 4711, "
		       "uid = 1000, procname = \"shop \xc3\xa4\" }, %s\n",
		       ns, name, fields);
}

static void check_trace(void)
{
	static struct packet first, second;
	static char expected[16384];
	char *at = expected;

	put_header(&first, 0, BEGIN & LTTNGMAP_TIMESTAMP_MASK);
	record_numbers(&first);
	put_header(&first, 1, 7);
	record_compounds(&first);
	put_header(&first, 2, 9);
	record_enums(&first);
	put_header(&first, 3, 11);
	put_header(&first, 4, 13);
	PUT(&first, uint32_t, 77);
	write_packet(&first, "first_0", 0, BEGIN + 5 + 13);
	put_header(&second, 3, 15);
	write_packet(&second, "last_0", 63, BEGIN + 5 + 15);

	/* 2 GHz, so that two ticks are one ns. */
	expect_event(&at, 293, "numbers", numbers_text);
	expect_event(&at, 299, "compounds", compounds_text);
	expect_event(&at, 300, "enums", enums_text);
	expect_event(&at, 301, "namesake", "{ }");
	expect_event(&at, 302, "namesake", "{ align = 77 }");
	expect_event(&at, 303, "namesake", "{ }");
	check_output("--clock-seconds --no-delta", expected,
		     "and prints every kind of field as it was written, and nothing else");
}

/* The second measurement of the clock says that it runs at 1 GHz. */
static void check_new_clock(struct metadata *metadata)
{
	struct clock_description clock = { .clock = LTTNGMAP_CLOCK_TSC,
					   .frequency = 1000000000,
					   .offset_s = -5,
					   .offset = 999999999 };
	uint64_t generation = metadata_generation(metadata);
	char *text;

	metadata_set_clock(metadata, &clock);
	is(metadata_generation(metadata), generation + 1, "a new calibration is something new");
	metadata_set_clock(metadata, &clock);
	is(metadata_generation(metadata), generation + 1, "the same one is not");
	write_metadata(metadata);
	text = output_of("--clock-seconds --no-delta");
	ok(strncmp(text, "[1970320.836974586]", 19) == 0, "times are those of the new clock");
	diag("%.19s", text);
	free(text);
}

static void check_memfd(const struct metadata *metadata)
{
	static char read_back[65536];
	size_t size;
	char *text;
	int fd;

	if (metadata_text(metadata, &text, &size) < 0 || metadata_memfd(metadata, &fd) < 0)
		bail_out("no metadata");
	is(read(fd, read_back, sizeof(read_back) - 1), size, "the memfd is read from its start");
	is_string(read_back, text, "and holds the text");
	ok(pwrite(fd, "x", 1, 0) < 0 && ftruncate(fd, 0) < 0 && ftruncate(fd, 1 << 20) < 0 &&
		   mmap(NULL, 1, PROT_WRITE, MAP_SHARED, fd, 0) == MAP_FAILED &&
		   fcntl(fd, F_ADD_SEALS, F_SEAL_GROW) < 0,
	   "and nobody can change it");
	ok(fcntl(fd, F_GETFD) & FD_CLOEXEC, "it is closed at exec");
	close(fd);
	free(text);
}

/* What is new, appended to what was sent before. */
static size_t append_piece(const struct metadata *metadata, struct metadata_sent *sent, char *text,
			   size_t size, uint64_t *offset)
{
	ssize_t more;
	int fd;

	if (metadata_segment(metadata, sent, offset, &fd) != 0)
		bail_out("no piece");
	more = read(fd, text + *offset, size - *offset);
	close(fd);
	text[*offset + (size_t)more] = '\0';
	return (size_t)more;
}

static void check_pieces(const struct registry *registry)
{
	static char sent_text[65536];
	struct metadata_config config = { .session = "pieces", .clock = { .frequency = 1000 } };
	struct metadata_sent sent = { .head = 0 };
	struct metadata *metadata;
	uint64_t offset, size;
	char *text;
	size_t whole;

	if (metadata_create(&config, &metadata) != 0 ||
	    metadata_add_channel(metadata, 0, "c", 0) != 0)
		bail_out("no metadata");
	metadata_add_event(metadata, 0, registry_get(registry, 0), 0, false);
	append_piece(metadata, &sent, sent_text, sizeof(sent_text) - 1, &offset);
	is(offset, 0, "first, all of the text is sent");
	size = sent.size;
	metadata_add_event(metadata, 0, registry_get(registry, 3), 0, false);
	ok(append_piece(metadata, &sent, sent_text, sizeof(sent_text) - 1, &offset) < 200,
	   "then what is new");
	is(offset, size, "from where the text ended");
	if (metadata_text(metadata, &text, &whole) != 0)
		bail_out("no text");
	is_string(sent_text, text, "together they are the text");
	free(text);
	is(append_piece(metadata, &sent, sent_text, sizeof(sent_text) - 1, &offset), 0,
	   "where nothing is new, nothing is sent");
	metadata_add_channel(metadata, 1, "another", 0);
	append_piece(metadata, &sent, sent_text, sizeof(sent_text) - 1, &offset);
	is(offset, 0, "with another channel, all of it again");
	metadata_destroy(metadata);
}

/* Else a label would end the comment that new events stand in (common/protocol/metadata-room.h). */
static void check_comments(const struct metadata *metadata)
{
	char *text, *at;
	size_t size, ends = 0;

	if (metadata_text(metadata, &text, &size) != 0)
		bail_out("no text");
	for (at = text; (at = strstr(at, "*/")); at++)
		ends++;
	is(ends, 1, "no string ends a comment, but the first line's own does");
	free(text);
}

static void check_uuid(void)
{
	char text[METADATA_UUID_TEXT_SIZE];
	uint8_t one[CTF_UUID_SIZE], other[CTF_UUID_SIZE];

	metadata_uuid_text(trace_uuid, text);
	is_string(text, "01234567-89ab-4def-8123-456789abcdef", "a UUID as text");
	is(metadata_uuid_make(one), 0, "a new UUID");
	is(metadata_uuid_make(other), 0, "and one more");
	ok(memcmp(one, other, sizeof(one)) != 0, "are not the same");
	ok(one[6] >> 4 == 4 && one[8] >> 6 == 2, "and random ones, as RFC 4122 marks them");
}

static void remove_directory(void)
{
	static const char *const names[] = { "metadata", "first_0", "last_0" };
	char path[PATH_MAX];

	for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		snprintf(path, sizeof(path), "%s/%s", directory, names[i]);
		unlink(path);
	}
	rmdir(directory);
}

int main(void)
{
	struct registry *registry;
	struct metadata *metadata;

	rcu_register_thread();
	if (!mkdtemp(directory))
		bail_out("no directory");
	atexit(remove_directory);
	registry = make_registry();
	metadata = make_metadata(registry);
	write_metadata(metadata);
	check_trace();
	check_new_clock(metadata);
	check_memfd(metadata);
	check_comments(metadata);
	check_pieces(registry);
	check_uuid();
	metadata_destroy(metadata);
	metadata_destroy(NULL);
	registry_destroy(registry);
	rcu_unregister_thread();
	return done_testing();
}
