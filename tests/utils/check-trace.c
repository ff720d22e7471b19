/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * check-trace TRACE... COUNTS: read a trace of numbered events (numbered.h), in
 * one chunk or several, by libbabeltrace2, and verify it against what their sources counted:
 *  - each payload is what source and number make it, each event was emitted,
 *    and is there once;
 *  - in each stream time does not go back, nor does a source's number.
 *
 * Prints one line "NAME VALUE" each:
 *   events   in the trace
 *   done     emitted, at least
 *   begun    emitted, at most: more where a process was killed
 *   missing  of `done`, what is not in the trace
 *   gaps     missing ones before one of the same source that is there
 *   repeated by processes that were forked in the middle of an event
 *   discarded, lost_packets  what babeltrace2 says that the trace says is lost
 *   uncounted  streams that begin with lost events: babeltrace2 does not say
 *            how many
 *   foreign  in a packet of another process than their source said it was
 *            (numbered.h, NUMBERED_PROCESS_NAME); no defect by itself, for who shares
 *            another's memory writes into that one's rings
 *   named    in a packet whose program has a source's name
 *   others   of the family libc, of tests/utils/forge and steady, which may be recorded, too
 *   streams
 * and a line "wrong ..." for each of the first defects. Status 0: none.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <babeltrace2/babeltrace.h>

#include "tests/utils/numbered.h"

#define WRONG_SHOWN 20

struct check {
	const struct numbered_counts *counts;
	uint8_t *seen[NUMBERED_SOURCES]; /* a byte for each event: how often */
	uint64_t last[NUMBERED_SOURCES]; /* number + 1, in the stream that is read */
	uint32_t last_stream[NUMBERED_SOURCES];
	uint64_t events, discarded, uncounted, lost_packets, repeated, wrong;
	uint64_t events_of_stream, foreign, named, others;
	uint32_t streams;
	uint32_t pid;      /* of the packet that is read, and the source that it is */
	int64_t of_source; /* named after; -1: of no one */
	int64_t time;
	bt_self_component_sink *self;
	const bt_component_sink *component;
	bt_graph *graph;
	uint32_t ports;
	bt_message_iterator **iterators;
};

static struct check check;

__attribute__((format(printf, 1, 2))) static void wrong(const char *format, ...)
{
	va_list arguments;

	if (check.wrong++ >= WRONG_SHOWN)
		return;
	va_start(arguments, format);
	printf("wrong stream %u: ", check.streams);
	vprintf(format, arguments);
	putchar('\n');
	va_end(arguments);
}

static void fail(const char *what)
{
	const bt_error *error = bt_current_thread_take_error();

	fprintf(stderr, "check-trace: %s failed\n", what);
	for (uint64_t i = 0; error && i < bt_error_get_cause_count(error); i++)
		fprintf(stderr, "  %s\n",
			bt_error_cause_get_message(bt_error_borrow_cause_by_index(error, i)));
	exit(3);
}

/* ---- events ----------------------------------------------------------------- */

static const bt_field *member(const bt_field *payload, const char *name)
{
	const bt_field *field = bt_field_structure_borrow_member_field_by_name_const(payload, name);

	if (!field)
		fail(name);
	return field;
}

static void check_payload(const bt_field *fields, uint32_t source, uint64_t number)
{
	const bt_field *items = member(fields, "items");
	struct numbered_payload payload;
	const char *text;
	bool same;

	numbered_payload(&payload, source, number);
	/* Of an empty string libbabeltrace2 2.0 gives the value of an earlier one. */
	text = bt_field_string_get_length(member(fields, "text")) == 0
		       ? ""
		       : bt_field_string_get_value(member(fields, "text"));
	if (strcmp(text, payload.text) != 0)
		wrong("text '%s' of event %lu of source %u, not '%s'", text, number, source,
		      payload.text);
	same = bt_field_array_get_length(items) == payload.nr_items;
	for (uint32_t i = 0; same && i < payload.nr_items; i++)
		same = bt_field_integer_unsigned_get_value(
			       bt_field_array_borrow_element_field_by_index_const(items, i)) ==
		       payload.items[i];
	if (!same)
		wrong("items of event %lu of source %u", number, source);
}

static void check_number(uint64_t source, uint64_t number)
{
	const struct numbered_source *emitted;
	uint8_t *seen;

	if (source >= check.counts->next || number >= check.counts->sources[source].begun) {
		wrong("event %lu of source %lu was not emitted", number, source);
		return;
	}
	emitted = &check.counts->sources[source];
	if (!check.seen[source])
		check.seen[source] = calloc(emitted->begun, 1);
	seen = &check.seen[source][number];
	if (*seen && emitted->forked)
		check.repeated++;
	else if (*seen)
		wrong("event %lu of source %lu is there twice", number, source);
	*seen = 1;
	/* A stream that processes share has what the child of a fork emitted once more. */
	if (check.last_stream[source] == check.streams && check.last[source] > number &&
	    !emitted->forked)
		wrong("event %lu of source %lu comes after %lu", number, source,
		      check.last[source] - 1);
	check.last_stream[source] = check.streams;
	check.last[source] = number + 1;
	check.named += check.of_source >= 0;
	if (check.pid != emitted->pid ||
	    (check.of_source >= 0 && (uint64_t)check.of_source != source))
		check.foreign++;
}

static void check_packet(const bt_message *message)
{
	const bt_field *context = bt_packet_borrow_context_field_const(
		bt_message_packet_beginning_borrow_packet_const(message));
	unsigned int source;

	check.pid = (uint32_t)bt_field_integer_unsigned_get_value(member(context, "pid"));
	check.of_source = -1;
	if (sscanf(bt_field_string_get_value(member(context, "procname")), NUMBERED_PROCESS_NAME,
		   &source) == 1)
		check.of_source = source;
}

static void check_event(const bt_message *message)
{
	const bt_event *event = bt_message_event_borrow_event_const(message);
	const bt_field *fields = bt_event_borrow_payload_field_const(event);
	const char *name = bt_event_class_get_name(bt_event_borrow_class_const(event));
	int64_t time = 0;
	uint64_t source, number;

	check.events++;
	check.events_of_stream++;
	bt_clock_snapshot_get_ns_from_origin(
		bt_message_event_borrow_default_clock_snapshot_const(message), &time);
	if (time < check.time)
		wrong("time goes back by %ld ns", check.time - time);
	check.time = time;
	if (strncmp(name, "lttng_ust_libc:", strlen("lttng_ust_libc:")) == 0 ||
	    strcmp(name, "forge:event") == 0 || strcmp(name, "steady:event") == 0) {
		check.others++;
		return;
	}
	if (strcmp(name, "numbered:event") != 0 && strcmp(name, "numbered:large") != 0) {
		wrong("an event %s", name);
		return;
	}
	source = bt_field_integer_unsigned_get_value(member(fields, "source"));
	number = bt_field_integer_unsigned_get_value(member(fields, "number"));
	check_payload(fields, (uint32_t)source, number);
	check_number(source, number);
}

static void check_message(const bt_message *message)
{
	uint64_t count = 0;

	switch (bt_message_get_type(message)) {
	case BT_MESSAGE_TYPE_PACKET_BEGINNING:
		check_packet(message);
		break;
	case BT_MESSAGE_TYPE_EVENT:
		check_event(message);
		break;
	case BT_MESSAGE_TYPE_DISCARDED_EVENTS:
		if (bt_message_discarded_events_get_count(message, &count) ==
		    BT_PROPERTY_AVAILABILITY_AVAILABLE)
			check.discarded += count;
		else if (check.events_of_stream == 0)
			check.uncounted++;
		else
			wrong("events are discarded, but not counted");
		break;
	case BT_MESSAGE_TYPE_DISCARDED_PACKETS:
		if (bt_message_discarded_packets_get_count(message, &count) !=
		    BT_PROPERTY_AVAILABILITY_AVAILABLE)
			wrong("packets are discarded, but not counted");
		check.lost_packets += count;
		break;
	default:
		break;
	}
}

/* ---- babeltrace's graph: each stream to the end, one after another ------------ */

static bt_component_class_initialize_method_status
initialize(bt_self_component_sink *self, bt_self_component_sink_configuration *configuration,
	   const bt_value *params, void *data)
{
	(void)configuration;
	(void)params;
	(void)data;
	check.self = self;
	return BT_COMPONENT_CLASS_INITIALIZE_METHOD_STATUS_OK;
}

static bt_component_class_sink_graph_is_configured_method_status
configured(bt_self_component_sink *self)
{
	check.iterators = calloc(check.ports + 1, sizeof(*check.iterators));
	for (uint32_t i = 0; i < check.ports; i++) {
		if (bt_message_iterator_create_from_sink_component(
			    self, bt_self_component_sink_borrow_input_port_by_index(self, i),
			    &check.iterators[i]) !=
		    BT_MESSAGE_ITERATOR_CREATE_FROM_SINK_COMPONENT_STATUS_OK)
			fail("an iterator");
	}
	return BT_COMPONENT_CLASS_SINK_GRAPH_IS_CONFIGURED_METHOD_STATUS_OK;
}

static bt_component_class_sink_consume_method_status consume(bt_self_component_sink *self)
{
	bt_message_array_const messages;
	uint64_t count;

	(void)self;
	if (check.streams == check.ports)
		return BT_COMPONENT_CLASS_SINK_CONSUME_METHOD_STATUS_END;
	switch (bt_message_iterator_next(check.iterators[check.streams], &messages, &count)) {
	case BT_MESSAGE_ITERATOR_NEXT_STATUS_OK:
		for (uint64_t i = 0; i < count; i++) {
			check_message(messages[i]);
			bt_message_put_ref(messages[i]);
		}
		break;
	case BT_MESSAGE_ITERATOR_NEXT_STATUS_END:
		bt_message_iterator_put_ref(check.iterators[check.streams]);
		check.streams++;
		check.events_of_stream = 0;
		check.time = INT64_MIN;
		break;
	default:
		fail("reading the trace");
	}
	return BT_COMPONENT_CLASS_SINK_CONSUME_METHOD_STATUS_OK;
}

static bt_graph_listener_func_status port_added(const bt_component_source *source,
						const bt_port_output *port, void *data)
{
	bt_self_component_port_input *input;
	char name[32];

	(void)source;
	(void)data;
	snprintf(name, sizeof(name), "in%u", check.ports++);
	if (bt_self_component_sink_add_input_port(check.self, name, NULL, &input) !=
		    BT_SELF_COMPONENT_ADD_PORT_STATUS_OK ||
	    bt_graph_connect_ports(
		    check.graph, port,
		    bt_component_sink_borrow_input_port_by_name_const(check.component, name),
		    NULL) != BT_GRAPH_CONNECT_PORTS_STATUS_OK)
		fail("a port");
	return BT_GRAPH_LISTENER_FUNC_STATUS_OK;
}

static bt_component_class_sink *make_sink_class(void)
{
	bt_component_class_sink *class = bt_component_class_sink_create("check", consume);

	bt_component_class_sink_set_initialize_method(class, initialize);
	bt_component_class_sink_set_graph_is_configured_method(class, configured);
	return class;
}

static const bt_component_class_source *find_source_class(const bt_plugin **plugin)
{
	if (bt_plugin_find("ctf", BT_FALSE, BT_FALSE, BT_TRUE, BT_FALSE, BT_TRUE, plugin) !=
	    BT_PLUGIN_FIND_STATUS_OK)
		fail("finding the plugin ctf");
	return bt_plugin_borrow_source_component_class_by_name_const(*plugin, "fs");
}

/* All of them as one trace. */
static void read_traces(char **paths, int count)
{
	bt_component_class_sink *sink = make_sink_class();
	bt_value *params = bt_value_map_create();
	const bt_plugin *plugin;
	bt_value *inputs;

	check.graph = bt_graph_create(0);
	if (bt_graph_add_sink_component(check.graph, sink, "check", NULL, BT_LOGGING_LEVEL_WARNING,
					&check.component) != BT_GRAPH_ADD_COMPONENT_STATUS_OK)
		fail("adding the sink");
	bt_graph_add_source_component_output_port_added_listener(check.graph, port_added, NULL,
								 NULL);
	bt_value_map_insert_empty_array_entry(params, "inputs", &inputs);
	for (int i = 0; i < count; i++)
		bt_value_array_append_string_element(inputs, paths[i]);
	if (bt_graph_add_source_component(check.graph, find_source_class(&plugin), "trace", params,
					  BT_LOGGING_LEVEL_WARNING,
					  NULL) != BT_GRAPH_ADD_COMPONENT_STATUS_OK)
		fail("opening the trace");
	if (bt_graph_run(check.graph) != BT_GRAPH_RUN_STATUS_OK)
		fail("the graph");
	bt_value_put_ref(params);
	bt_graph_put_ref(check.graph);
	bt_component_class_sink_put_ref(sink);
	bt_plugin_put_ref(plugin);
}

/* ---- what was emitted ----------------------------------------------------------- */

static void read_counts(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat status;
	void *counts = MAP_FAILED;

	if (fd >= 0 && fstat(fd, &status) == 0 && status.st_size >= (off_t)sizeof(*check.counts))
		counts = mmap(NULL, sizeof(*check.counts), PROT_READ, MAP_PRIVATE, fd, 0);
	if (counts == MAP_FAILED) {
		fprintf(stderr, "check-trace: %s: no counts\n", path);
		exit(3);
	}
	check.counts = counts;
}

static void print_counts(void)
{
	uint64_t done = 0, begun = 0, missing = 0, gaps = 0;

	for (uint32_t i = 0; i < check.counts->next; i++) {
		const struct numbered_source *source = &check.counts->sources[i];
		const uint8_t *seen = check.seen[i];
		uint64_t before = 0;

		done += source->done;
		begun += source->begun;
		for (uint64_t number = 0; number < source->begun; number++) {
			if (seen && seen[number]) {
				gaps += before;
				before = 0;
			} else {
				missing += number < source->done;
				before++;
			}
		}
	}
	printf("events %lu\ndone %lu\nbegun %lu\nmissing %lu\ngaps %lu\nrepeated %lu\n"
	       "discarded %lu\nuncounted %lu\nlost_packets %lu\nforeign %lu\nnamed %lu\n"
	       "others %lu\nstreams %u\n",
	       check.events, done, begun, missing, gaps, check.repeated, check.discarded,
	       check.uncounted, check.lost_packets, check.foreign, check.named, check.others,
	       check.streams);
	if (check.wrong > WRONG_SHOWN)
		printf("wrong: %lu more of these\n", check.wrong - WRONG_SHOWN);
}

int main(int argc, char **argv)
{
	struct rlimit files;

	if (argc < 3) {
		fprintf(stderr, "usage: check-trace TRACE... COUNTS\n");
		return 2;
	}
	/* All of its files are open at once. */
	getrlimit(RLIMIT_NOFILE, &files);
	files.rlim_cur = files.rlim_max;
	setrlimit(RLIMIT_NOFILE, &files);
	memset(check.last_stream, 0xff, sizeof(check.last_stream));
	check.time = INT64_MIN;
	read_counts(argv[argc - 1]);
	read_traces(argv + 1, argc - 2);
	print_counts();
	return check.wrong != 0;
}
