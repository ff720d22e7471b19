/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * view-graph.c - babeltrace's graph: a source.ctf.fs for each trace, a filter.utils.muxer for all
 * their streams, and our sink for the muxer's sorted messages.
 */
#include <config.h>

#include "cli/view/view.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "cli/base/message.h"
#include "cli/symbols/symbols.h"

bool view_is_sequence_length(const bt_field_class *structure, uint64_t i)
{
	const bt_field_class_structure_member *member, *next;
	const char *name, *sequence;
	bt_field_class_type type;
	size_t length;

	if (i + 1 >= bt_field_class_structure_get_member_count(structure))
		return false;
	next = bt_field_class_structure_borrow_member_by_index_const(structure, i + 1);
	type = bt_field_class_get_type(
		bt_field_class_structure_member_borrow_field_class_const(next));
	/* A sequence of letters is a string. */
	if (type != BT_FIELD_CLASS_TYPE_DYNAMIC_ARRAY_WITH_LENGTH_FIELD &&
	    type != BT_FIELD_CLASS_TYPE_STRING)
		return false;
	member = bt_field_class_structure_borrow_member_by_index_const(structure, i);
	name = bt_field_class_structure_member_get_name(member);
	sequence = bt_field_class_structure_member_get_name(next);
	length = strlen(sequence);
	return name[0] == '_' && strncmp(name + 1, sequence, length) == 0 &&
	       strcmp(name + 1 + length, "_length") == 0;
}

/* ---- the sink --------------------------------------------------------------- */

static int64_t ns_of(const bt_clock_snapshot *snapshot)
{
	int64_t ns = 0;

	if (snapshot)
		bt_clock_snapshot_get_ns_from_origin(snapshot, &ns);
	return ns;
}

static int64_t message_ns(const bt_message *message)
{
	const bt_stream *stream =
		bt_message_event_borrow_event_const(message)
			? bt_event_borrow_stream_const(bt_message_event_borrow_event_const(message))
			: NULL;

	/* A stream without a clock has no snapshot to borrow. */
	if (!stream ||
	    !bt_stream_class_borrow_default_clock_class_const(bt_stream_borrow_class_const(stream)))
		return 0;
	return ns_of(bt_message_event_borrow_default_clock_snapshot_const(message));
}

static int print_event(struct view *view, const bt_message *message)
{
	const bt_event *event = bt_message_event_borrow_event_const(message);
	struct view_stream *stream =
		view_streams_get(&view->streams, bt_event_borrow_stream_const(event));
	int64_t ns = message_ns(message);

	if (!stream)
		return -ENOMEM;
	if (view->segments &&
	    !view_segments_take(view->segments, stream, BT_MESSAGE_TYPE_EVENT, ns))
		return 0;
	view_progress_event();
	view_stream_event(stream, event);
	view_threads_event(&view->threads, stream, event);
	if (view->symbols)
		symbols_event(view->symbols, stream->machine, stream->pid, event);
	view->last_ns = ns;
	view_filter_begin(&view->filter, ns);
	view->is_past = view_filter_is_past(&view->filter, ns);
	if (view->is_past || !view_filter_shows(&view->filter, stream, event, ns))
		return 0;
	view->printer->event(view, stream, event, ns);
	view->events++;
	return 0;
}

/* Process names from the last event do not apply to lost events. */
static void forget_event(struct view_stream *stream)
{
	if (stream->members.procname >= 0)
		stream->program[0] = '\0';
	if (stream->members.vpid >= 0 || stream->is_kernel)
		stream->pid = stream->tid = -1;
	if (stream->is_kernel)
		snprintf(stream->program, sizeof(stream->program), "kernel");
}

static void print_lost(struct view *view, struct view_stream *stream, const char *what,
		       uint64_t count, int64_t ns)
{
	forget_event(stream);
	if (!view_filter_is_past(&view->filter, ns) &&
	    view_filter_shows(&view->filter, stream, NULL, ns))
		view->printer->lost(view, stream, what, count, ns);
}

static int print_discarded_events(struct view *view, const bt_message *message)
{
	const bt_stream *bt_stream = bt_message_discarded_events_borrow_stream_const(message);
	struct view_stream *stream = view_streams_get(&view->streams, bt_stream);
	uint64_t count = 0;
	int64_t ns = view->previous_ns == INT64_MIN ? 0 : view->previous_ns;

	if (!stream)
		return -ENOMEM;
	if (bt_message_discarded_events_get_count(message, &count) !=
	    BT_PROPERTY_AVAILABILITY_AVAILABLE)
		count = 0;
	view->told_lost += count;
	if (bt_stream_class_discarded_events_have_default_clock_snapshots(
		    bt_stream_borrow_class_const(bt_stream)))
		ns = ns_of(
			bt_message_discarded_events_borrow_beginning_default_clock_snapshot_const(
				message));
	if (!view->segments ||
	    view_segments_take(view->segments, stream, BT_MESSAGE_TYPE_DISCARDED_EVENTS, ns))
		print_lost(view, stream, "events", count, ns);
	return 0;
}

static int print_discarded_packets(struct view *view, const bt_message *message)
{
	const bt_stream *bt_stream = bt_message_discarded_packets_borrow_stream_const(message);
	struct view_stream *stream = view_streams_get(&view->streams, bt_stream);
	uint64_t count = 0;
	int64_t ns = view->previous_ns == INT64_MIN ? 0 : view->previous_ns;

	if (!stream)
		return -ENOMEM;
	if (bt_message_discarded_packets_get_count(message, &count) !=
	    BT_PROPERTY_AVAILABILITY_AVAILABLE)
		count = 0;
	if (bt_stream_class_discarded_packets_have_default_clock_snapshots(
		    bt_stream_borrow_class_const(bt_stream)))
		ns = ns_of(
			bt_message_discarded_packets_borrow_beginning_default_clock_snapshot_const(
				message));
	if (!view->segments ||
	    view_segments_take(view->segments, stream, BT_MESSAGE_TYPE_DISCARDED_PACKETS, ns))
		print_lost(view, stream, "packets", count, ns);
	return 0;
}

/* All streams begin before the first event. */
static int begin_stream(struct view *view, const bt_stream *bt_stream)
{
	struct view_stream *stream = view_streams_get(&view->streams, bt_stream);

	if (!stream)
		return -ENOMEM;
	view_threads_stream(&view->threads, stream);
	return 0;
}

static int begin_packet(struct view *view, const bt_packet *packet)
{
	struct view_stream *stream =
		view_streams_get(&view->streams, bt_packet_borrow_stream_const(packet));

	if (!stream)
		return -ENOMEM;
	view_stream_packet(stream, packet);
	if (view->segments)
		view_segments_take(view->segments, stream, BT_MESSAGE_TYPE_PACKET_BEGINNING, 0);
	return 0;
}

static int end_packet(struct view *view, const bt_packet *packet)
{
	struct view_stream *stream =
		view_streams_get(&view->streams, bt_packet_borrow_stream_const(packet));

	if (!stream)
		return -ENOMEM;
	if (view->segments)
		view_segments_take(view->segments, stream, BT_MESSAGE_TYPE_PACKET_END, 0);
	return 0;
}

static int handle_message(struct view *view, const bt_message *message)
{
	switch (bt_message_get_type(message)) {
	case BT_MESSAGE_TYPE_EVENT:
		return print_event(view, message);
	case BT_MESSAGE_TYPE_DISCARDED_EVENTS:
		return print_discarded_events(view, message);
	case BT_MESSAGE_TYPE_DISCARDED_PACKETS:
		return print_discarded_packets(view, message);
	case BT_MESSAGE_TYPE_STREAM_BEGINNING:
		/* A followed stream begins with each of its segments. */
		if (view->segments)
			return 0;
		return begin_stream(view, bt_message_stream_beginning_borrow_stream_const(message));
	case BT_MESSAGE_TYPE_PACKET_BEGINNING:
		return begin_packet(view, bt_message_packet_beginning_borrow_packet_const(message));
	case BT_MESSAGE_TYPE_PACKET_END:
		return end_packet(view, bt_message_packet_end_borrow_packet_const(message));
	default:
		return 0;
	}
}

static bt_graph_simple_sink_component_consume_func_status consume(bt_message_iterator *iterator,
								  void *data)
{
	struct view *view = data;
	bt_message_array_const messages;
	bt_message_iterator_next_status status;
	uint64_t count;
	int error = 0;

	status = bt_message_iterator_next(iterator, &messages, &count);
	switch (status) {
	case BT_MESSAGE_ITERATOR_NEXT_STATUS_OK:
		break;
	case BT_MESSAGE_ITERATOR_NEXT_STATUS_END:
		return BT_GRAPH_SIMPLE_SINK_COMPONENT_CONSUME_FUNC_STATUS_END;
	case BT_MESSAGE_ITERATOR_NEXT_STATUS_AGAIN:
		return BT_GRAPH_SIMPLE_SINK_COMPONENT_CONSUME_FUNC_STATUS_AGAIN;
	case BT_MESSAGE_ITERATOR_NEXT_STATUS_MEMORY_ERROR:
		return BT_GRAPH_SIMPLE_SINK_COMPONENT_CONSUME_FUNC_STATUS_MEMORY_ERROR;
	default:
		return BT_GRAPH_SIMPLE_SINK_COMPONENT_CONSUME_FUNC_STATUS_ERROR;
	}
	for (uint64_t i = 0; i < count; i++) {
		if (!error && !view->is_past)
			error = handle_message(view, messages[i]);
		bt_message_put_ref(messages[i]);
	}
	if (error)
		return BT_GRAPH_SIMPLE_SINK_COMPONENT_CONSUME_FUNC_STATUS_MEMORY_ERROR;
	/* Stop reading if the reader went away or nothing later is wanted. */
	if (view->output.error || view->is_past || view_sound_is_interrupted() ||
	    (view->segments && view_segments_are_done(view->segments)))
		return BT_GRAPH_SIMPLE_SINK_COMPONENT_CONSUME_FUNC_STATUS_END;
	return BT_GRAPH_SIMPLE_SINK_COMPONENT_CONSUME_FUNC_STATUS_OK;
}

/* ---- the graph --------------------------------------------------------------- */

/* Babeltrace's first cause is the place of the fault; later causes are its callers. */
static void report_cause(const char *what)
{
	const bt_error *error = bt_current_thread_take_error();

	if (error && bt_error_get_cause_count(error) > 0)
		message_error("%s: %s: %s", view_verb, what,
			      bt_error_cause_get_message(bt_error_borrow_cause_by_index(error, 0)));
	else
		message_error("%s: %s", view_verb, what);
	if (error)
		bt_error_release(error);
}

/*
 * Plugins stay until the command ends: `view --follow` and `merge` ask again and again, and what
 * babeltrace leaks of metadata that it cannot read has a name in a leak detector's report.
 */
static const bt_plugin *ctf_plugin, *utils_plugin;

static bool find_plugin(const char *name, const bt_plugin **plugin)
{
	if (*plugin || bt_plugin_find(name, BT_TRUE, BT_FALSE, BT_TRUE, BT_FALSE, BT_FALSE,
				      plugin) == BT_PLUGIN_FIND_STATUS_OK)
		return true;
	message_error("%s: babeltrace's plugin '%s' was not found", view_verb, name);
	message_hint("install babeltrace2, or let BABELTRACE_PLUGIN_PATH say where it is");
	return false;
}

static const bt_component_source *add_source(bt_graph *graph, const bt_plugin *plugin,
					     const char *path, size_t number)
{
	const bt_component_class_source *class =
		bt_plugin_borrow_source_component_class_by_name_const(plugin, "fs");
	const bt_component_source *source = NULL;
	bt_value *parameters = bt_value_map_create();
	bt_value *inputs = NULL;
	char name[32];

	snprintf(name, sizeof(name), "source%zu", number);
	if (parameters &&
	    bt_value_map_insert_empty_array_entry(parameters, "inputs", &inputs) == 0 &&
	    bt_value_array_append_string_element(inputs, path) == 0 && class)
		bt_graph_add_source_component(graph, class, name, parameters, BT_LOGGING_LEVEL_NONE,
					      &source);
	bt_value_put_ref(parameters);
	return source;
}

/* The muxer makes a new input port after each connection. */
static int connect_source(bt_graph *graph, const bt_component_source *source,
			  const bt_component_filter *muxer, uint64_t *inputs)
{
	uint64_t count = bt_component_source_get_output_port_count(source);

	for (uint64_t i = 0; i < count; i++) {
		if (bt_graph_connect_ports(
			    graph, bt_component_source_borrow_output_port_by_index_const(source, i),
			    bt_component_filter_borrow_input_port_by_index_const(muxer, *inputs),
			    NULL) != BT_GRAPH_CONNECT_PORTS_STATUS_OK)
			return -EIO;
		(*inputs)++;
	}
	return 0;
}

static int add_sources(bt_graph *graph, const bt_plugin *ctf, const bt_component_filter *muxer,
		       const struct view_traces *traces, uint64_t *inputs)
{
	for (size_t i = 0; i < traces->count; i++) {
		const bt_component_source *source = add_source(graph, ctf, traces->paths[i], i);
		char what[512];

		if (source && connect_source(graph, source, muxer, inputs) == 0)
			continue;
		snprintf(what, sizeof(what), "cannot read '%s'", traces->paths[i]);
		report_cause(what);
		message_hint(
			"its metadata may be damaged: the metadata of another copy or chunk of "
			"the trace can take its place; 'babeltrace2 %s' says more",
			traces->paths[i]);
		return -EIO;
	}
	return 0;
}

static int run_graph(struct view *view, bt_graph *graph, const bt_component_filter *muxer)
{
	const bt_component_sink *sink;

	if (bt_graph_add_simple_sink_component(graph, "lines", NULL, consume, NULL, view, &sink) !=
		    BT_GRAPH_ADD_COMPONENT_STATUS_OK ||
	    bt_graph_connect_ports(graph,
				   bt_component_filter_borrow_output_port_by_index_const(muxer, 0),
				   bt_component_sink_borrow_input_port_by_index_const(sink, 0),
				   NULL) != BT_GRAPH_CONNECT_PORTS_STATUS_OK) {
		report_cause("cannot set up babeltrace");
		return -EIO;
	}
	if (bt_graph_run(graph) != BT_GRAPH_RUN_STATUS_OK) {
		text_output_flush(&view->output);
		report_cause("the trace is damaged from here on");
		return -EIO;
	}
	return 0;
}

static int run_traces(struct view *view, const struct view_traces *traces)
{
	const bt_component_class_filter *muxer_class = NULL;
	const bt_component_filter *muxer = NULL;
	bt_graph *graph = NULL;
	uint64_t inputs = 0;
	int error = -ENOMEM;

	if (!find_plugin("ctf", &ctf_plugin) || !find_plugin("utils", &utils_plugin))
		return -ENOENT;
	graph = bt_graph_create(0);
	muxer_class = bt_plugin_borrow_filter_component_class_by_name_const(utils_plugin, "muxer");
	if (!graph || !muxer_class ||
	    bt_graph_add_filter_component(graph, muxer_class, "muxer", NULL, BT_LOGGING_LEVEL_NONE,
					  &muxer) != BT_GRAPH_ADD_COMPONENT_STATUS_OK) {
		report_cause("cannot set up babeltrace");
		goto put_graph;
	}
	error = add_sources(graph, ctf_plugin, muxer, traces, &inputs);
	/* A trace without any stream is empty. */
	if (!error && inputs > 0)
		error = run_graph(view, graph, muxer);
put_graph:
	symbols_end_of_traces(view->symbols);
	bt_graph_put_ref(graph);
	return error;
}

/* Babeltrace has all streams open at once. */
static void open_more_files(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < limit.rlim_max) {
		limit.rlim_cur = limit.rlim_max;
		(void)setrlimit(RLIMIT_NOFILE, &limit);
	}
}

int view_graph_run(struct view *view, const struct view_traces *traces)
{
	struct view_sound sound;
	int error;

	open_more_files();
	/* view --follow checked each segment when copying it. */
	if (view->segments)
		return run_traces(view, traces);
	error = view_sound_begin(&sound, traces);
	if (!error)
		error = run_traces(view, &sound.traces);
	view->broken = sound.broken;
	view_sound_end(&sound);
	return error;
}

bool view_graph_can_open(const char *path)
{
	bt_graph *graph = find_plugin("ctf", &ctf_plugin) ? bt_graph_create(0) : NULL;
	bool can = graph && add_source(graph, ctf_plugin, path, 0);
	const bt_error *error = can ? NULL : bt_current_thread_take_error();

	if (error)
		bt_error_release(error);
	bt_graph_put_ref(graph);
	return can;
}
