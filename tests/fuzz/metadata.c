/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * metadata.c - any bytes as event classes in wire form, as a process sends
 * them: what the registry takes becomes metadata that babeltrace2 takes. The
 * input is a byte of contexts, then classes.
 */
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include <babeltrace2/babeltrace.h>
#include <urcu.h>

#include "sessiond/class/class-parse.h"
#include "sessiond/class/metadata.h"
#include "sessiond/class/registry.h"
#include "tests/fuzz/fuzz.h"

static const bt_component_class_source *reader;

static void set_up(void)
{
	const bt_plugin *plugin;

	if (reader)
		return;
	rcu_register_thread();
	bt_logging_set_global_level(BT_LOGGING_LEVEL_NONE);
	FUZZ_CHECK(bt_plugin_find("ctf", BT_FALSE, BT_FALSE, BT_TRUE, BT_FALSE, BT_TRUE, &plugin) ==
		   BT_PLUGIN_FIND_STATUS_OK);
	reader = bt_plugin_borrow_source_component_class_by_name_const(plugin, "fs");
	FUZZ_CHECK(reader);
}

/* How many classes stand whole at the beginning, and their bytes. */
static uint32_t count_classes(const uint8_t *bytes, size_t *size)
{
	struct class_measure measure;
	char why[REGISTRY_WHY_SIZE];
	uint32_t count = 0;
	size_t at = 0;

	while (count < PROTOCOL_APP_CLASSES_MAX && at < *size &&
	       class_measure(bytes + at, *size - at, &measure, why, sizeof(why)) == 0) {
		FUZZ_CHECK(measure.size > 0 && measure.size <= *size - at);
		at += measure.size;
		count++;
	}
	*size = at;
	return count;
}

static struct metadata *make_metadata(const struct registry *registry, uint64_t contexts)
{
	struct metadata_config config = {
		.session = "session",
		.hostname = "host",
		.created = 1,
		.uuid = "0123456789abcdef",
		.clock = { .clock = LTTNGMAP_CLOCK_MONOTONIC, .frequency = 1000000000 },
	};
	struct metadata *metadata;

	FUZZ_CHECK(metadata_create(&config, &metadata) == 0);
	FUZZ_CHECK(metadata_add_channel(metadata, 0, "channel", contexts) == 0);
	for (uint32_t id = 0; id < registry_count(registry); id++)
		FUZZ_CHECK(metadata_add_event(metadata, 0, registry_get(registry, id), 0, false) ==
			   0);
	return metadata;
}

static void write_file(const char *name, const void *bytes, size_t size)
{
	char path[PATH_MAX];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", fuzz_directory(), name);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	FUZZ_CHECK(fd >= 0 && write(fd, bytes, size) == (ssize_t)size);
	close(fd);
}

/* Of one packet without an event: there is no trace without a stream. */
static void write_trace(const struct metadata *metadata)
{
	struct ctf_packet_header header = {
		.magic = CTF_PACKET_MAGIC,
		.uuid = "0123456789abcdef",
		.timestamp_begin = 1,
		.timestamp_end = 1,
		.content_size = sizeof(header) * 8,
		.packet_size = sizeof(header) * 8,
	};
	size_t size;
	char *text;

	FUZZ_CHECK(metadata_text(metadata, &text, &size) == 0);
	FUZZ_CHECK(text[size] == '\0' && strlen(text) == size);
	write_file("metadata", text, size);
	write_file("stream", &header, sizeof(header));
	free(text);
}

static bool is_readable(void)
{
	bt_value *parameters = bt_value_map_create(), *inputs;
	bt_query_executor *query;
	const bt_value *result = NULL;
	bool readable;

	FUZZ_CHECK(bt_value_map_insert_empty_array_entry(parameters, "inputs", &inputs) == 0);
	FUZZ_CHECK(bt_value_array_append_string_element(inputs, fuzz_directory()) == 0);
	query = bt_query_executor_create(bt_component_class_source_as_component_class_const(reader),
					 "babeltrace.trace-infos", parameters);
	readable = bt_query_executor_query(query, &result) == BT_QUERY_EXECUTOR_QUERY_STATUS_OK;
	if (!readable) {
		const bt_error *error = bt_current_thread_take_error();

		for (uint64_t i = 0; error && i < bt_error_get_cause_count(error); i++)
			fprintf(stderr, "%s\n",
				bt_error_cause_get_message(
					bt_error_borrow_cause_by_index(error, i)));
		if (error)
			bt_error_release(error);
	}
	bt_value_put_ref(result);
	bt_query_executor_put_ref(query);
	bt_value_put_ref(parameters);
	return readable;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_input input = { data, size };
	/* A byte has not as many bits as there are contexts: all of them, or these. */
	uint64_t contexts = fuzz_take_byte(&input);
	uint16_t ids[PROTOCOL_APP_CLASSES_MAX];
	struct registry_result result;
	struct metadata *metadata;
	struct registry *registry;
	uint32_t count;

	contexts = contexts == 0xff ? (UINT64_C(1) << LTTNGMAP_CONTEXTS) - 1 : contexts;
	contexts &= (UINT64_C(1) << LTTNGMAP_CONTEXTS) - 1;
	set_up();
	count = count_classes(input.data, &input.size);
	FUZZ_CHECK(registry_create(&registry) == 0);
	FUZZ_CHECK(registry_add(registry, input.data, input.size, count, ids, &result) == 0);
	FUZZ_CHECK(!result.refused == !result.why[0]);
	if (registry_count(registry) > 0) {
		metadata = make_metadata(registry, contexts);
		write_trace(metadata);
		FUZZ_CHECK(is_readable());
		metadata_destroy(metadata);
	}
	registry_destroy(registry);
	return 0;
}
