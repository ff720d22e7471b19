/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * A program with as many event classes as wished:
 *
 *   many-classes PROVIDER FIRST COUNT [wait]
 *
 * registers PROVIDER:c_N, N from FIRST on, each with an integer field PROVIDER_N, and writes
 * one event of each, whose value is N. It says how many the daemon took. `wait`: before it ends, it
 * waits for a line on standard input.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <lttngmap/event-class.h>

/* No daemon gives it: such a class was not taken. */
#define NO_ID UINT32_MAX

struct one {
	struct lttngmap_field field;
	struct lttngmap_event_class class;
	struct lttngmap_tracepoint tracepoint;
	char name[32];
	char field_name[64];
};

static const uint64_t off;
static struct lttngmap_module module = { .struct_size = sizeof(module), .off = &off };

static void make_one(struct one *one, const char *provider, unsigned int number)
{
	snprintf(one->name, sizeof(one->name), "c_%u", number);
	snprintf(one->field_name, sizeof(one->field_name), "%s_%u", provider, number);
	one->field = (struct lttngmap_field){
		.name = one->field_name,
		.kind = LTTNGMAP_FIELD_INTEGER,
		.size = sizeof(uint32_t),
		.base = 10,
	};
	one->class = (struct lttngmap_event_class){
		.struct_size = sizeof(one->class),
		.nr_fields = 1,
		.loglevel = LTTNGMAP_LOGLEVEL_INFO,
		.provider = provider,
		.name = one->name,
		.fields = &one->field,
	};
	one->tracepoint = (struct lttngmap_tracepoint){ &off, &one->class, NO_ID, 0 };
}

static void emit(const struct one *one, unsigned int number)
{
	const uint64_t value = number;

	if (lttngmap_is_on_(&one->tracepoint))
		lttngmap_event_write(&one->tracepoint, &value, sizeof(uint32_t),
				     __builtin_return_address(0));
}

int main(int argc, char **argv)
{
	unsigned int first = argc > 3 ? (unsigned int)atoi(argv[2]) : 0;
	unsigned int count = argc > 3 ? (unsigned int)atoi(argv[3]) : 0;
	struct one *ones = calloc(count, sizeof(*ones));
	struct lttngmap_tracepoint **tracepoints = calloc(count, sizeof(*tracepoints));
	unsigned int have = 0;
	char line[16];

	if (count == 0 || !ones || !tracepoints)
		return 2;
	for (unsigned int i = 0; i < count; i++) {
		make_one(&ones[i], argv[1], first + i);
		tracepoints[i] = &ones[i].tracepoint;
	}
	module.begin = tracepoints;
	module.end = tracepoints + count;
	lttngmap_module_register(&module);
	for (unsigned int i = 0; i < count; i++) {
		have += ones[i].tracepoint.id != NO_ID;
		emit(&ones[i], first + i);
	}
	printf("done %u\n", have);
	fflush(stdout);
	if (argc > 4 && !fgets(line, sizeof(line), stdin))
		return 1;
	lttngmap_module_unregister(&module);
	free(tracepoints);
	free(ones);
	return 0;
}
