/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/* kernel-class.c - classes from texts as tracefs has them, and records converted. */
#include "common/kernel/kernel-class.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "common/kernel/kernel-format.h"
#include "tests/utils/tap.h"

#define COMMON                                                                                     \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"                     \
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"                     \
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"             \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"

static const char kinds_text[] =
	"name: kinds\nID: 372\nformat:\n" COMMON
	"\tfield:char comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"
	"\tfield:pid_t pid;\toffset:24;\tsize:4;\tsigned:1;\n"
	"\tfield:const char * buf;\toffset:32;\tsize:8;\tsigned:0;\n"
	"\tfield:unsigned int vec;\toffset:40;\tsize:4;\tsigned:0;\n"
	"\tfield:u16 parts[3];\toffset:44;\tsize:6;\tsigned:0;\n"
	"\tfield:__data_loc char[] path;\toffset:52;\tsize:4;\tsigned:0;\n"
	"\tfield:__data_loc u32[] numbers;\toffset:56;\tsize:4;\tsigned:0;\n"
	"\tfield:__rel_loc char[] near;\toffset:60;\tsize:4;\tsigned:0;\n\n"
	"print fmt: \"comm=%s vec=%s\", REC->comm, __print_symbolic(REC->vec, { 0, \"HI\" }, "
	"{ 0x1, \"TIMER\" }, { 7, \"SCHED\" })\n";

/* What all of its fields take where those of any length are empty. */
#define EMPTY (44 + 1 + 4 + 1)

/* What kinds_text describes. */
struct kinds {
	uint16_t type;
	uint8_t flags, preempt_count;
	int32_t common_pid;
	char comm[16];
	int32_t pid;
	uint32_t hole;
	uint64_t buf;
	uint32_t vec;
	uint16_t parts[3];
	uint16_t hole2;
	uint32_t path, numbers, near;
	char data[40];
};
_Static_assert(offsetof(struct kinds, vec) == 40, "as the format says");
_Static_assert(offsetof(struct kinds, near) == 60, "as the format says");

static const char others_text[] =
	"name: others\nID: 65535\nformat:\n" COMMON
	"\tfield:__u8 addr[4];\toffset:8;\tsize:4;\tsigned:0;\n"
	"\tfield:unsigned char mac[6];\toffset:12;\tsize:6;\tsigned:0;\n"
	"\tfield:bool on;\toffset:18;\tsize:1;\tsigned:0;\n"
	"\tfield:char letter;\toffset:19;\tsize:1;\tsigned:1;\n"
	"\tfield:__data_loc cpumask_t cpumask;\toffset:20;\tsize:4;\tsigned:0;\n"
	"\tfield:struct thing thing;\toffset:24;\tsize:12;\tsigned:0;\n"
	"\tfield:__data_loc u8[] blob;\toffset:36;\tsize:4;\tsigned:0;\n"
	"\tfield:u64 range;\toffset:40;\tsize:8;\tsigned:0;\n"
	"\tfield:int masked;\toffset:48;\tsize:4;\tsigned:1;\n"
	"\tfield:int strange;\toffset:52;\tsize:4;\tsigned:1;\n"
	"\tfield:char rest[];\toffset:56;\tsize:0;\tsigned:0;\n\n"
	"print fmt: \"%s %s %s\", __print_symbolic((unsigned long)REC->range, "
	"{ 0xffffffffffffffffULL, \"ALL\" }, { 2, \"\" }, { 3, \"THREE\" }, "
	"{ KNOWN_TO_THE_KERNEL, \"FOUR\" }), "
	"__print_symbolic(REC->masked & 3, { 1, \"ONE\" }), "
	"__print_symbolic(REC->strange, { 1, \"t\303\244\" })\n";

static const struct lttngmap_field *field(const struct kernel_class *class, const char *name)
{
	static const struct lttngmap_field none;

	for (unsigned i = 0; i < class->nr_fields; i++)
		if (strcmp(class->fields[i].name, name) == 0)
			return &class->fields[i];
	return &none;
}

static struct kernel_class *parse(const char *text)
{
	struct kernel_class *class;
	int error = kernel_class_parse("test", text, strlen(text), &class);

	if (error)
		bail_out("a format is not understood: %s", strerror(-error));
	return class;
}

/* ---- what a format says --------------------------------------------------------- */

static void check_kinds(const struct kernel_class *class)
{
	const struct lttngmap_field *vec = field(class, "vec");

	is(class->id, 372, "the id");
	is_string(class->system, "test", "the system");
	is_string(class->name, "kinds", "the name");
	is(class->nr_fields, 11, "all fields but the type");
	is_string(class->fields[0].name, "common_flags", "those of all events first");
	is(field(class, "common_pid")->flags, LTTNGMAP_FIELD_SIGNED, "... as they are");
	is(field(class, "comm")->kind, LTTNGMAP_FIELD_TEXT, "an array of char is text");
	is(field(class, "comm")->count, 16, "... of its length");
	is(field(class, "pid")->kind, LTTNGMAP_FIELD_INTEGER, "an integer");
	is(field(class, "pid")->flags, LTTNGMAP_FIELD_SIGNED, "... with a sign");
	is(field(class, "buf")->base, 16, "a pointer in hexadecimal");
	is(field(class, "parts")->kind, LTTNGMAP_FIELD_ARRAY, "an array of integers");
	is(field(class, "parts")->count, 3, "... three of them");
	is(field(class, "parts")->size, 2, "... each of two bytes");
	is(field(class, "path")->kind, LTTNGMAP_FIELD_STRING, "a string of any length");
	is(field(class, "near")->kind, LTTNGMAP_FIELD_STRING, "... with a relative place");
	is(field(class, "numbers")->kind, LTTNGMAP_FIELD_SEQUENCE, "a sequence");
	is(field(class, "numbers")->size, 4, "... of four bytes");
	is(vec->kind, LTTNGMAP_FIELD_ENUM, "what is printed by names is an enumeration");
	if (vec->kind != LTTNGMAP_FIELD_ENUM)
		return;
	is(vec->enumeration->nr_values, 3, "... of all its names");
	is(vec->enumeration->values[2].first, 7, "... with their values");
	is(vec->enumeration->values[2].last, 7, "... one each");
	is_string(vec->enumeration->values[2].label, "SCHED", "... as they are");
}

static void check_others(const struct kernel_class *class)
{
	const struct lttngmap_field *range = field(class, "range");

	is(class->id, 65535, "the highest id");
	is(field(class, "addr")->kind, LTTNGMAP_FIELD_ARRAY, "bytes are no text");
	is(field(class, "addr")->count, 4, "... but so many numbers");
	is(field(class, "mac")->kind, LTTNGMAP_FIELD_ARRAY, "nor are unsigned ones");
	is(field(class, "letter")->kind, LTTNGMAP_FIELD_INTEGER, "one char is a number");
	is(field(class, "on")->size, 1, "a bool is a byte");
	is(field(class, "cpumask")->kind, LTTNGMAP_FIELD_SEQUENCE, "a mask of CPUs is a sequence");
	is(field(class, "cpumask")->size, sizeof(long), "... of words");
	is(field(class, "thing")->kind, LTTNGMAP_FIELD_ARRAY, "a struct is an array");
	is(field(class, "thing")->count, 12, "... of its bytes");
	is(field(class, "blob")->kind, LTTNGMAP_FIELD_SEQUENCE, "bytes of any length");
	is(field(class, "blob")->size, 1, "... are a sequence of bytes");
	is(field(class, "rest")->kind, LTTNGMAP_FIELD_STRING, "what goes to the record's end");
	is(range->kind, LTTNGMAP_FIELD_ENUM, "names behind a cast");
	if (range->kind == LTTNGMAP_FIELD_ENUM) {
		is(range->enumeration->nr_values, 2,
		   "... but for an empty one, and one of no number");
		is(range->enumeration->values[0].first, -1, "... all bits set");
		is_string(range->enumeration->values[1].label, "THREE", "... and the next");
	}
	is(field(class, "masked")->kind, LTTNGMAP_FIELD_INTEGER, "names of a part are none");
	is(field(class, "strange")->kind, LTTNGMAP_FIELD_INTEGER, "nor are those beyond ASCII");
}

/* ---- records -------------------------------------------------------------------- */

static void fill(struct kinds *record)
{
	*record = (struct kinds){
		.type = 372,
		.flags = 1,
		.preempt_count = 2,
		.common_pid = -3,
		.comm = "sort",
		.pid = 4711,
		.hole = 0x55555555,
		.buf = 0x7fff00001000,
		.vec = 7,
		.parts = { 1, 2, 3 },
		.hole2 = 0x5555,
		.path = 64 | 8 << 16,
		.numbers = 72 | 8 << 16,
		.near = 16 | 3 << 16, /* from the end of its own word on: 80 */
	};
	memcpy(record->data, "/etc/x\0?", 8);
	memcpy(record->data + 8, (uint32_t[]){ 10, 20 }, 8);
	memcpy(record->data + 16, "hi", 3);
}

static void check_record(const struct kernel_class *class)
{
	static const char expected[] = "\1\2\xfd\xff\xff\xff"
				       "sort\0\0\0\0\0\0\0\0\0\0\0\0"
				       "\x67\x12\0\0"
				       "\0\x10\0\0\xff\x7f\0\0"
				       "\7\0\0\0"
				       "\1\0\2\0\3\0"
				       "/etc/x\0"
				       "\2\0\0\0\x0a\0\0\0\x14\0\0\0"
				       "hi";
	struct kinds record;
	char fields[256];
	ssize_t length;
	size_t room = 0;

	fill(&record);
	length = kernel_class_convert(class, &record, sizeof(record), fields, sizeof(fields));
	is(length, sizeof(expected), "a record is as long as its fields");
	ok(length == sizeof(expected) && memcmp(fields, expected, sizeof(expected)) == 0,
	   "and holds them, packed");
	memset(fields, 0x55, sizeof(fields));
	while (room <= sizeof(expected) &&
	       kernel_class_convert(class, &record, sizeof(record), fields, room) == -ENOBUFS &&
	       fields[room] == 0x55)
		room++;
	is(room, sizeof(expected), "too little room is refused, and nothing beyond it written");
}

/* Of what lengths and places its words speak: nothing beyond the record is taken. */
static void check_wild_words(const struct kernel_class *class)
{
	static const uint32_t words[] = {
		0xffffffff,         0xffff0000,    0x0000ffff,
		64 | 0xffffu << 16, 103 | 2 << 16, 104 | 1 << 16,
	};
	struct kinds record;
	char fields[256];

	_Static_assert(sizeof(record) == 104, "the words' bound");
	for (unsigned i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		fill(&record);
		record.path = record.numbers = record.near = words[i];
		ok(kernel_class_convert(class, &record, sizeof(record), fields, sizeof(fields)) ==
			   EMPTY,
		   "word %08x leads beyond the record: empty", words[i]);
	}
	fill(&record);
	record.path = 103 | 1 << 16;
	record.data[39] = '!';
	record.numbers = 100 | 4 << 16;
	record.near = 39 | 1 << 16;
	is(kernel_class_convert(class, &record, sizeof(record), fields, sizeof(fields)),
	   EMPTY + 1 + 4 + 1, "the record's last bytes are within");
	is_string(fields + 44, "!", "... and a string without a NUL gets one");
}

/* However short it is; each has bounds of its own, which sanitizers and valgrind watch. */
static void check_short_records(const struct kernel_class *class)
{
	struct kinds record;
	char fields[256], *exact;
	ssize_t length;
	unsigned wrong = 0;

	fill(&record);
	for (size_t size = 0; size < sizeof(record); size++) {
		exact = malloc(size ? size : 1);
		memcpy(exact, &record, size);
		length = kernel_class_convert(class, exact, size, fields, sizeof(fields));
		free(exact);
		wrong += length < EMPTY || length > EMPTY + 6 + 8 + 2;
		/* Its first half is there, the other one zeros. */
		if (size == 26)
			wrong += memcmp(fields + 22, "\x67\x12\0\0\0\0\0\0\0\0\0\0", 12) != 0;
	}
	is(wrong, 0, "records that are cut short have zeros, and empty arrays");
}

static void check_rest(const struct kernel_class *class)
{
	char record[64] = { 0 }, fields[256];
	size_t before = 6 + 4 + 6 + 2 + 4 + 12 + 4 + 16;

	memcpy(record + 56, "to\nend", 6);
	is(kernel_class_convert(class, record, 62, fields, sizeof(fields)), before + 7,
	   "an array up to the record's end");
	is_string(fields + before, "to\nend", "... gets a NUL where it has none");
	is(kernel_class_convert(class, record, 64, fields, sizeof(fields)), before + 7,
	   "... and is no longer than its text");
	is(kernel_class_convert(class, record, 56, fields, sizeof(fields)), before + 1,
	   "... or nothing");
	/* A word of the mask: its length is no multiple of a word's. */
	memcpy(record + 20, &(uint32_t){ 40 | 15 << 16 }, 4);
	is(kernel_class_convert(class, record, 62, fields, sizeof(fields)), before + 7 + 8,
	   "half an element is none");
}

/* Fields of each length, where the record and the room for it end with them. */
static void check_lengths(void)
{
	unsigned wrong = 0;

	for (size_t length = 1; length <= 100; length++) {
		const size_t size = 12 + length, room = 6 + length;
		char text[1024], *record = malloc(size), *fields = malloc(room);
		struct kernel_class *class;

		snprintf(text, sizeof(text),
			 "name: x\nID: 3\nformat:\n" COMMON
			 "\tfield:u8 a[%zu];\toffset:12;\tsize:%zu;\tsigned:0;\n"
			 "\nprint fmt: \"x\"\n",
			 length, length);
		class = parse(text);
		for (size_t i = 0; i < size; i++)
			record[i] = (char)(i + 1);
		wrong += kernel_class_convert(class, record, size, fields, room) != (ssize_t)room ||
			 memcmp(fields, record + 2, 6) != 0 ||
			 memcmp(fields + 6, record + 12, length) != 0;
		memset(fields, 0x55, room);
		wrong += kernel_class_convert(class, record, size, fields, room - 1) != -ENOBUFS ||
			 fields[room - 1] != 0x55;
		kernel_class_destroy(class);
		free(fields);
		free(record);
	}
	is(wrong, 0, "fields of each length are whole, and nothing beside them touched");
}

/* ---- what is no format ------------------------------------------------------------ */

#define NAMED(name, id) "name: " name "\nID: " id "\nformat:\n" COMMON
#define FIELD(type, offset, size)                                                                  \
	"\tfield:" type ";\toffset:" offset ";\tsize:" size ";\tsigned:0;\n"
#define FMT "\nprint fmt: \"x\"\n"

static void check_refused(void)
{
	static const char *const bad[] = {
		"",
		"name: x\n",
		"ID: 3\n",
		"name: x\nID: 3\nformat:\n\tfield:",
		"\1\2\3\4",
		NAMED("x", "65536") FIELD("int a", "8", "4") FMT,
		NAMED("x", "-1") FIELD("int a", "8", "4") FMT,
		NAMED("x", "3") FIELD("int a", "-8", "4") FMT,
		NAMED("x", "3") FIELD("int a", "8", "-4") FMT,
		NAMED("x", "3") FIELD("int a", "1048577", "4") FMT,
		NAMED("x", "3") FIELD("char a[1048577]", "8", "1048577") FMT,
		NAMED("x", "3") FIELD("__data_loc char[] a", "8", "8") FMT,
		"name: x\nID: 3\nformat:\n" FIELD("unsigned short common_type", "0", "2") FMT,
		/* Behind an empty line too many: libtraceevent does not look for it there. */
		NAMED("x", "3") FIELD("int a", "8", "4") "\n" FIELD("int b", "12", "4") FMT,
	};
	struct kernel_class *class;
	char *text, many[16384] = NAMED("x", "3");
	size_t length = strlen(many);

	for (unsigned i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		/* Without a NUL behind it. */
		text = malloc(strlen(bad[i]) + 1);
		memcpy(text, bad[i], strlen(bad[i]));
		ok(kernel_class_parse("test", text, strlen(bad[i]), &class) == -EBADMSG && !class,
		   "no format: number %u", i);
		free(text);
	}
	is(kernel_class_parse("test", kinds_text, sizeof(kinds_text), &class), -EBADMSG,
	   "nor is a NUL in one");
	is(kernel_class_parse("no system", kinds_text, sizeof(kinds_text) - 1, &class), -EBADMSG,
	   "a system's name that is no identifier");
	for (unsigned i = 0; i < LTTNGMAP_FIELDS_MAX - 2; i++)
		length += (size_t)sprintf(many + length,
					  "\tfield:int f%u;\toffset:%u;\tsize:4;\tsigned:1;\n", i,
					  8 + 4 * i);
	strcpy(many + length, FMT);
	is(kernel_class_parse("test", many, strlen(many), &class), -E2BIG, "too many fields");
	text = calloc(1, KERNEL_FORMAT_MAX + 1);
	memset(text, ' ', KERNEL_FORMAT_MAX + 1);
	is(kernel_class_parse("test", text, KERNEL_FORMAT_MAX + 1, &class), -E2BIG,
	   "a text that is too long");
	free(text);
}

#define OF_FIELD(type) NAMED("x", "3") FIELD(type, "8", "4") FMT

/* What the kernel says is let through, all else is kept from libtraceevent. */
static void check_shapes(void)
{
	static const char *const good[] = {
		OF_FIELD("int a"),
		OF_FIELD("unsigned long long a_1"),
		OF_FIELD("const char *const * a"),
		OF_FIELD("struct thing *a"),
		OF_FIELD("void __seg_gs * a"),
		OF_FIELD("char a[16]"),
		OF_FIELD("char a[TASK_COMM_LEN + 1]"),
		OF_FIELD("unsigned long a[]"),
		OF_FIELD("__data_loc char[] a"),
		OF_FIELD("__rel_loc unsigned int[] a"),
		OF_FIELD("__data_loc cpumask_t a"),
	};
	static const char *const bad[] = {
		OF_FIELD("a"),
		OF_FIELD(""),
		OF_FIELD("int 4a"),
		OF_FIELD("int a["),
		OF_FIELD("int a[-1]"),
		OF_FIELD("int a[2] b"),
		OF_FIELD("a[2]"),
		OF_FIELD("char[] a"),
		OF_FIELD("__data_loc char[]"),
		OF_FIELD("__data_loc char[] 1"),
		OF_FIELD("int *"),
		OF_FIELD("const int *"),
		OF_FIELD("* int a"),
		OF_FIELD("int \"a\""),
		NAMED("x", "3") FIELD("int a", "8", "4000000000") FMT,
		NAMED("x", "3") FIELD("int a", "", "4") FMT,
		NAMED("x", "3") "\tfield:int a;\toffset:8;\tsize:4;\tsigned:2;\n" FMT,
		NAMED("x", "3") "\tfield:int a;\toffset:8;\tsize:4;\n" FMT,
		NAMED("x", "3") FIELD("int a", "8", "4"),
		"name: x y\nID: 3\nformat:\n" COMMON FMT,
		"name: x\nID: \nformat:\n" COMMON FMT,
	};
	struct kernel_format format;

	for (unsigned i = 0; i < sizeof(good) / sizeof(good[0]); i++)
		ok(kernel_format_check(good[i], strlen(good[i]), &format) && format.fields == 5 &&
			   strncmp(good[i] + format.print, "print fmt: ", 11) == 0,
		   "a shape of the kernel's: number %u", i);
	for (unsigned i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		ok(!kernel_format_check(bad[i], strlen(bad[i]), &format),
		   "no shape of the kernel's: number %u", i);
	ok(!kernel_format_check("name: x\nID: 3\nformat:\n\tfield:int a[\0];\toffset:8;\tsize:4;"
				"\tsigned:0;\nprint fmt: \"\"\n",
				81, &format),
	   "... nor a NUL among a field's bytes");
}

/* For those who do not look at the print format, it may be anything. */
static void check_fields_alone(void)
{
	const char *print = strstr(kinds_text, "print fmt");
	char text[sizeof(kinds_text) + 32];
	struct kernel_class *class;
	size_t size;

	size = (size_t)snprintf(text, sizeof(text), "%.*sprint fmt: \"%%s\", ((((REC",
				(int)(print - kinds_text), kinds_text);
	is(kernel_class_parse_fields("test", text, size, &class), 0,
	   "fields with a print format that is none");
	if (!class)
		return;
	is(class->nr_fields, 11, "... are all there");
	is(field(class, "vec")->kind, LTTNGMAP_FIELD_INTEGER, "... without names for values");
	check_record(class);
	kernel_class_destroy(class);
	is(kernel_class_parse_fields("test", "name: x\n", 8, &class), -EBADMSG, "no format");
	is(kernel_class_parse_fields("test", text, KERNEL_FORMAT_MAX + 1, &class), -E2BIG,
	   "or one that is too long");
}

int main(void)
{
	struct kernel_class *class = parse(kinds_text);

	check_kinds(class);
	check_record(class);
	check_wild_words(class);
	check_short_records(class);
	kernel_class_destroy(class);
	class = parse(others_text);
	check_others(class);
	check_rest(class);
	kernel_class_destroy(class);
	check_lengths();
	check_fields_alone();
	check_shapes();
	check_refused();
	kernel_class_destroy(NULL);
	return done_testing();
}
