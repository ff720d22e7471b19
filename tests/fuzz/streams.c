/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * streams.c - any bytes as a stream file and its index, beside the metadata of any event classes:
 * what the command takes for sound, babeltrace2 reads to its end; so it does with what is left of
 * a broken stream, and with what `lttngmap recover` makes of it. And the layouts that the metadata
 * gives are those of the registry.
 *
 * The input is a byte of contexts, a message that is classes in wire form, a message that is the
 * index, then the stream.
 */
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <babeltrace2/babeltrace.h>
#include <urcu.h>

#include "cli/view/stream-check.h"
#include "consumerd/trace/stream-repair.h"
#include "sessiond/class/class-layout.h"
#include "sessiond/class/class-parse.h"
#include "tests/fuzz/fuzz.h"

#define UUID "0123456789abcdef"

static const bt_component_class_source *reader;
static const bt_component_class_filter *muxer_class;

static void set_up(void)
{
	const bt_plugin *ctf, *utils;

	if (reader)
		return;
	rcu_register_thread();
	bt_logging_set_global_level(BT_LOGGING_LEVEL_NONE);
	FUZZ_CHECK(bt_plugin_find("ctf", BT_FALSE, BT_FALSE, BT_TRUE, BT_FALSE, BT_TRUE, &ctf) ==
			   BT_PLUGIN_FIND_STATUS_OK &&
		   bt_plugin_find("utils", BT_FALSE, BT_FALSE, BT_TRUE, BT_FALSE, BT_TRUE,
				  &utils) == BT_PLUGIN_FIND_STATUS_OK);
	reader = bt_plugin_borrow_source_component_class_by_name_const(ctf, "fs");
	muxer_class = bt_plugin_borrow_filter_component_class_by_name_const(utils, "muxer");
	FUZZ_CHECK(reader && muxer_class);
}

/* ---- the trace ----------------------------------------------------------------------- */

/* How many classes stand whole at the beginning, and their bytes. */
static uint32_t count_classes(const uint8_t *bytes, size_t *size)
{
	struct class_measure measure;
	char why[REGISTRY_WHY_SIZE];
	uint32_t count = 0;
	size_t at = 0;

	while (count < PROTOCOL_APP_CLASSES_MAX && at < *size &&
	       class_measure(bytes + at, *size - at, &measure, why, sizeof(why)) == 0) {
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
		.uuid = UUID,
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

static int write_file(const char *name, const void *bytes, size_t size)
{
	char path[PATH_MAX];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", fuzz_directory(), name);
	fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	FUZZ_CHECK(fd >= 0 && write(fd, bytes, size) == (ssize_t)size);
	return fd;
}

/* ---- babeltrace ---------------------------------------------------------------------- */

static bt_graph_simple_sink_component_consume_func_status drop(bt_message_iterator *iterator,
							       void *data)
{
	bt_message_array_const messages;
	bt_message_iterator_next_status status;
	uint64_t count;

	(void)data;
	status = bt_message_iterator_next(iterator, &messages, &count);
	if (status == BT_MESSAGE_ITERATOR_NEXT_STATUS_END)
		return BT_GRAPH_SIMPLE_SINK_COMPONENT_CONSUME_FUNC_STATUS_END;
	if (status != BT_MESSAGE_ITERATOR_NEXT_STATUS_OK)
		return BT_GRAPH_SIMPLE_SINK_COMPONENT_CONSUME_FUNC_STATUS_ERROR;
	for (uint64_t i = 0; i < count; i++)
		bt_message_put_ref(messages[i]);
	return BT_GRAPH_SIMPLE_SINK_COMPONENT_CONSUME_FUNC_STATUS_OK;
}

static void show_error(void)
{
	const bt_error *error = bt_current_thread_take_error();

	for (uint64_t i = 0; error && i < bt_error_get_cause_count(error); i++)
		fprintf(stderr, "%s\n",
			bt_error_cause_get_message(bt_error_borrow_cause_by_index(error, i)));
	if (error)
		bt_error_release(error);
}

static bool is_readable(void)
{
	bt_value *parameters = bt_value_map_create(), *inputs;
	const bt_component_source *source = NULL;
	const bt_component_filter *muxer = NULL;
	const bt_component_sink *sink = NULL;
	bt_graph *graph = bt_graph_create(0);
	bool readable;

	FUZZ_CHECK(graph &&
		   bt_value_map_insert_empty_array_entry(parameters, "inputs", &inputs) == 0);
	FUZZ_CHECK(bt_value_array_append_string_element(inputs, fuzz_directory()) == 0);
	FUZZ_CHECK(bt_graph_add_filter_component(graph, muxer_class, "muxer", NULL,
						 BT_LOGGING_LEVEL_NONE, &muxer) == 0);
	readable = bt_graph_add_source_component(graph, reader, "source", parameters,
						 BT_LOGGING_LEVEL_NONE, &source) == 0;
	if (readable) {
		FUZZ_CHECK(bt_component_source_get_output_port_count(source) == 1);
		readable = bt_graph_connect_ports(
				   graph,
				   bt_component_source_borrow_output_port_by_index_const(source, 0),
				   bt_component_filter_borrow_input_port_by_index_const(muxer, 0),
				   NULL) == 0 &&
			   bt_graph_add_simple_sink_component(graph, "sink", NULL, drop, NULL, NULL,
							      &sink) == 0 &&
			   bt_graph_connect_ports(
				   graph,
				   bt_component_filter_borrow_output_port_by_index_const(muxer, 0),
				   bt_component_sink_borrow_input_port_by_index_const(sink, 0),
				   NULL) == 0 &&
			   bt_graph_run(graph) == BT_GRAPH_RUN_STATUS_OK;
	}
	if (!readable)
		show_error();
	bt_graph_put_ref(graph);
	bt_value_put_ref(parameters);
	return readable;
}

/* ---- the checks ---------------------------------------------------------------------- */

static void check_layouts(const struct registry *registry, const struct metadata *metadata,
			  const struct stream_format *format, const struct fuzz_input *stream)
{
	struct record_layout *layout = class_layout_create(registry, metadata, 0);
	struct record_fault one = { .wrong = RECORD_SOUND }, other = one;
	struct record_span span = { stream->data, stream->size, 1, LTTNGMAP_TIMESTAMP_MASK >> 1,
				    RECORD_COUNT_UNKNOWN };

	FUZZ_CHECK(layout);
	if (stream->size > sizeof(struct ctf_packet_header)) {
		span.bytes = stream->data + sizeof(struct ctf_packet_header);
		span.length -= sizeof(struct ctf_packet_header);
	}
	FUZZ_CHECK(record_layout_check(layout, 0, &span, &one) ==
		   record_layout_check(format->layout, 0, &span, &other));
	FUZZ_CHECK(one.wrong == other.wrong && one.id == other.id && one.offset == other.offset);
	record_layout_destroy(layout);
}

/* The sound packets alone, without the index. */
static void keep_sound(const struct stream_check *check, const struct fuzz_input *stream)
{
	char path[PATH_MAX];
	uint64_t end = 0;
	int fd = write_file("stream", "", 0);

	for (size_t i = 0; i < check->nr_extents; i++) {
		const struct stream_extent *extent = &check->extents[i];

		FUZZ_CHECK((i == 0 || extent->begin > end) && extent->size > 0);
		end = extent->begin + extent->size;
		FUZZ_CHECK(end > extent->begin && end <= stream->size);
		FUZZ_CHECK(write(fd, stream->data + extent->begin, extent->size) ==
			   (ssize_t)extent->size);
	}
	close(fd);
	snprintf(path, sizeof(path), "%s/index/stream.idx", fuzz_directory());
	unlink(path);
}

static void check_stream(const struct stream_format *format, const struct fuzz_input *index,
			 const struct fuzz_input *stream)
{
	int fd = write_file("stream", stream->data, stream->size);
	int index_fd = write_file("index/stream.idx", index->data, index->size);
	struct stream_check check;

	FUZZ_CHECK(stream_check(&check, format, fd, index_fd) == 0);
	FUZZ_CHECK(!check.wrong_packets == !check.fault.why[0]);
	close(fd);
	close(index_fd);
	if (check.fault.why[0] || check.has_wrong_index)
		keep_sound(&check, stream);
	if (check.packets > 0)
		FUZZ_CHECK(is_readable());
	stream_check_free(&check);
}

/* Likewise what is made of it in place: then nothing is wrong with it any more. */
static void check_repaired(const struct stream_format *format, const struct fuzz_input *index,
			   const struct fuzz_input *stream)
{
	int fd = write_file("stream", stream->data, stream->size);
	int index_fd = write_file("index/stream.idx", index->data, index->size);
	struct stream_tail tail;
	struct stream_check check;
	int error =
		stream_repair(fd, index_fd, format->trace.uuid, STREAM_REPAIR_ALL, format, &tail);

	if (!error && tail.packets > 0) {
		FUZZ_CHECK(stream_check(&check, format, fd, index_fd) == 0);
		if (check.fault.why[0])
			fprintf(stderr, "%s\n", check.fault.why);
		FUZZ_CHECK(!check.fault.why[0] && !check.has_wrong_index);
		FUZZ_CHECK(check.packets == tail.packets);
		stream_check_free(&check);
		FUZZ_CHECK(is_readable());
	}
	close(fd);
	close(index_fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_input input = { data, size }, classes, index;
	uint64_t contexts = fuzz_take_byte(&input);
	uint16_t ids[PROTOCOL_APP_CLASSES_MAX];
	struct registry_result result;
	struct stream_format format;
	struct metadata *metadata;
	struct registry *registry;
	char path[PATH_MAX], *text;
	uint32_t count;
	size_t length;

	set_up();
	classes.data = fuzz_take_message(&input, &classes.size);
	index.data = fuzz_take_message(&input, &index.size);
	count = count_classes(classes.data, &classes.size);
	FUZZ_CHECK(registry_create(&registry) == 0);
	FUZZ_CHECK(registry_add(registry, classes.data, classes.size, count, ids, &result) == 0);
	metadata = make_metadata(registry, contexts);
	FUZZ_CHECK(metadata_text(metadata, &text, &length) == 0);
	snprintf(path, sizeof(path), "%s/index", fuzz_directory());
	(void)mkdir(path, 0700);
	close(write_file("metadata", text, length));
	FUZZ_CHECK(stream_format_read(&format, "streams", fuzz_directory()) == 0);
	FUZZ_CHECK(memcmp(format.trace.uuid, UUID, sizeof(format.trace.uuid)) == 0);
	check_layouts(registry, metadata, &format, &input);
	check_stream(&format, &index, &input);
	check_repaired(&format, &index, &input);
	stream_format_free(&format);
	free(text);
	metadata_destroy(metadata);
	registry_destroy(registry);
	return 0;
}
