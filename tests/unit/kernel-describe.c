/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/* A class of the kernel's in the registry's words, and in a kernel's metadata. */
#include "sessiond/kernel/kernel-describe.h"

#include <stdlib.h>
#include <string.h>

#include "sessiond/class/metadata.h"
#include "tests/utils/tap.h"

static const char format[] =
	"name: opened\n"
	"ID: 4711\n"
	"format:\n"
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n"
	"\n"
	"\tfield:u32 way;\toffset:8;\tsize:4;\tsigned:0;\n"
	"\tfield:int other;\toffset:12;\tsize:4;\tsigned:1;\n"
	"\tfield:__data_loc char[] path;\toffset:16;\tsize:4;\tsigned:0;\n"
	"\tfield:u8 address[6];\toffset:20;\tsize:6;\tsigned:0;\n"
	"\n"
	"print fmt: \"%s %s\", __print_symbolic(REC->way, { 1, \"in\" }, { 2, \"out\" }), "
	"__get_str(path)\n";

static const struct registry_field *find(const struct registry_class *class, const char *name)
{
	for (unsigned int i = 0; i < class->nr_fields; i++)
		if (strcmp(class->fields[i].name, name) == 0)
			return &class->fields[i];
	bail_out("there is no field");
}

static void check_class(const struct registry_class *class)
{
	const struct registry_field *way = find(class, "way");

	is(class->id, 4711, "the kernel's id");
	is_string(class->full_name, "files:opened", "SYSTEM:NAME");
	is(way->kind, LTTNGMAP_FIELD_ENUM, "a field with names for its values");
	is(way->nr_values, 2, "has these");
	is_string(way->values[1].label, "out", "in order");
	ok(way->values[1].first == 2 && way->values[1].last == 2, "each for its value");
	ok(!find(class, "other")->values && find(class, "other")->flags == LTTNGMAP_FIELD_SIGNED,
	   "a number has none");
	is(find(class, "path")->kind, LTTNGMAP_FIELD_STRING, "a string");
	is(find(class, "address")->count, 6, "an array's elements");
}

static bool has(const char *text, const char *part)
{
	if (strstr(text, part))
		return true;
	diag("%s", text);
	return false;
}

static void check_metadata(const struct registry_class *class, bool is_kernel)
{
	struct metadata_config config = {
		.session = "s",
		.is_kernel = is_kernel,
		.clock = { .clock = LTTNGMAP_CLOCK_MONOTONIC, .frequency = 1000000000 },
	};
	struct metadata *metadata;
	size_t size;
	char *text;

	if (metadata_create(&config, &metadata) != 0 ||
	    metadata_add_channel(metadata, 0, "per_cpu", 0) != 0 ||
	    metadata_add_event(metadata, 0, class, 0, false) != 0 ||
	    metadata_text(metadata, &text, &size) != 0)
		bail_out("no metadata");
	is(metadata_clock(metadata)->frequency, 1000000000, "the clock is what it was set to");
	if (is_kernel) {
		ok(has(text, "domain = \"kernel\";") && has(text, "tracer_name = \"perf\";") &&
			   has(text, "kernel_release = \""),
		   "of a kernel");
		ok(!strstr(text, "lttng-ust"), "and not of programs");
		ok(has(text, "name = \"files:opened\";\n\tid = 4711;"), "the event is there");
		ok(has(text, "\"out\" = 2,"), "with its labels");
	} else {
		ok(has(text, "domain = \"ust\";"), "of programs");
		ok(!strstr(text, "\"kernel\"") && !strstr(text, "kernel_release"),
		   "and not of a kernel");
	}
	free(text);
	metadata_destroy(metadata);
}

static const char softirq[] = "name: softirq_entry\n"
			      "ID: 5\n"
			      "format:\n"
			      "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
			      "\n"
			      "\tfield:unsigned int vec;\toffset:8;\tsize:4;\tsigned:0;\n"
			      "\n"
			      "print fmt: \"%s\", __print_symbolic(REC->vec, { 0, \"HI\" })\n";

/* `irq`'s is a number to Trace Compass; another system's of that name is not its concern. */
static void check_softirq(const char *system, uint8_t kind, uint32_t values)
{
	struct registry_class *class;
	struct kernel_class *parsed;

	if (kernel_class_parse(system, softirq, sizeof(softirq) - 1, &parsed) != 0)
		bail_out("the format is not understood");
	class = kernel_class_describe(parsed);
	if (!class)
		bail_out("it is not described");
	ok(find(class, "vec")->kind == kind && find(class, "vec")->nr_values == values,
	   "%s: vec is %s", class->full_name, values ? "shown by names" : "a number");
	free(class);
	kernel_class_destroy(parsed);
}

int main(void)
{
	struct registry_class *class;
	struct kernel_class *parsed;

	if (kernel_class_parse("files", format, sizeof(format) - 1, &parsed) != 0)
		bail_out("the format is not understood");
	class = kernel_class_describe(parsed);
	ok(class, "it is described");
	check_class(class);
	check_metadata(class, true);
	check_metadata(class, false);
	free(class);
	kernel_class_destroy(parsed);
	check_softirq("irq", LTTNGMAP_FIELD_INTEGER, 0);
	check_softirq("other", LTTNGMAP_FIELD_ENUM, 1);
	return done_testing();
}
