/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * check-calls TRACE COUNTS: follow each thread's stack of calls through a trace of
 * func_entry and func_exit with the context vtid, by libbabeltrace2.
 *
 * COUNTS is what tests/bench/calls printed. Prints "calls N", "depth N", that is of
 * the deepest stack, and a line "wrong ..." for each of the first defects: an exit that is
 * not the last entry's, a function that was left open, another number of calls of a
 * function than it says. Status 0: none.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <babeltrace2/babeltrace.h>

#define DEPTH_MAX 1024
#define THREADS_MAX 64
#define FUNCTIONS_MAX 16
#define WRONG_SHOWN 10

struct stack {
	int64_t thread;
	unsigned depth;
	uint64_t functions[DEPTH_MAX];
};

static struct stack stacks[THREADS_MAX];
static struct function {
	char name[32];
	uint64_t address, calls, seen;
} functions[FUNCTIONS_MAX];
static unsigned nr_stacks, nr_functions, depth_most;
static uint64_t calls, wrongs;

static void wrong(const char *what, uint64_t value)
{
	if (wrongs++ < WRONG_SHOWN)
		printf("wrong %s %" PRIu64 "\n", what, value);
}

static struct stack *stack_of(int64_t thread)
{
	for (unsigned i = 0; i < nr_stacks; i++) {
		if (stacks[i].thread == thread)
			return &stacks[i];
	}
	if (nr_stacks == THREADS_MAX)
		exit(3);
	stacks[nr_stacks].thread = thread;
	return &stacks[nr_stacks++];
}

static void count_call(uint64_t address)
{
	calls++;
	for (unsigned i = 0; i < nr_functions; i++) {
		if (functions[i].address == address) {
			functions[i].seen++;
			return;
		}
	}
	wrong("entry of an unknown function: call", calls);
}

static void follow(const bt_event *event)
{
	const char *name = bt_event_class_get_name(bt_event_borrow_class_const(event));
	const bt_field *address = bt_field_structure_borrow_member_field_by_name_const(
		bt_event_borrow_payload_field_const(event), "addr");
	uint64_t function = address ? bt_field_integer_unsigned_get_value(address) : 0;
	struct stack *stack = stack_of(bt_field_integer_signed_get_value(
		bt_field_structure_borrow_member_field_by_name_const(
			bt_event_borrow_common_context_field_const(event), "vtid")));

	if (strstr(name, ":func_entry")) {
		count_call(function);
		if (stack->depth == DEPTH_MAX)
			exit(3);
		stack->functions[stack->depth++] = function;
		if (stack->depth > depth_most)
			depth_most = stack->depth;
	} else if (stack->depth == 0) {
		wrong("exit without an entry after call", calls);
	} else if (stack->functions[--stack->depth] != function && address) {
		wrong("exit of another function after call", calls);
	}
}

static bt_graph_simple_sink_component_consume_func_status consume(bt_message_iterator *iterator,
								  void *data)
{
	bt_message_array_const messages;
	uint64_t count;

	(void)data;
	switch (bt_message_iterator_next(iterator, &messages, &count)) {
	case BT_MESSAGE_ITERATOR_NEXT_STATUS_OK:
		break;
	case BT_MESSAGE_ITERATOR_NEXT_STATUS_END:
		return BT_GRAPH_SIMPLE_SINK_COMPONENT_CONSUME_FUNC_STATUS_END;
	default:
		return BT_GRAPH_SIMPLE_SINK_COMPONENT_CONSUME_FUNC_STATUS_ERROR;
	}
	for (uint64_t i = 0; i < count; i++) {
		if (bt_message_get_type(messages[i]) == BT_MESSAGE_TYPE_EVENT)
			follow(bt_message_event_borrow_event_const(messages[i]));
		else if (bt_message_get_type(messages[i]) == BT_MESSAGE_TYPE_DISCARDED_EVENTS)
			wrong("events are lost after call", calls);
		bt_message_put_ref(messages[i]);
	}
	return BT_GRAPH_SIMPLE_SINK_COMPONENT_CONSUME_FUNC_STATUS_OK;
}

static void read_counts(const char *path)
{
	FILE *file = fopen(path, "r");
	char line[256];

	if (!file)
		exit(3);
	while (fgets(line, sizeof(line), file) && nr_functions < FUNCTIONS_MAX) {
		struct function *function = &functions[nr_functions];

		if (sscanf(line, "function %31s %" SCNx64 " %" SCNu64, function->name,
			   &function->address, &function->calls) == 3)
			nr_functions++;
	}
	fclose(file);
}

/* One trace, its streams merged by time. */
static bool read_trace(const char *path)
{
	const bt_plugin *ctf = NULL, *utils = NULL;
	const bt_component_source *source;
	const bt_component_filter *muxer;
	const bt_component_sink *sink;
	bt_graph *graph = bt_graph_create(0);
	bt_value *parameters = bt_value_map_create(), *inputs = NULL;

	bt_plugin_find("ctf", BT_TRUE, BT_FALSE, BT_TRUE, BT_FALSE, BT_FALSE, &ctf);
	bt_plugin_find("utils", BT_TRUE, BT_FALSE, BT_TRUE, BT_FALSE, BT_FALSE, &utils);
	bt_value_map_insert_empty_array_entry(parameters, "inputs", &inputs);
	bt_value_array_append_string_element(inputs, path);
	if (!ctf || !utils ||
	    bt_graph_add_source_component(
		    graph, bt_plugin_borrow_source_component_class_by_name_const(ctf, "fs"),
		    "source", parameters, BT_LOGGING_LEVEL_WARNING, &source) ||
	    bt_graph_add_filter_component(
		    graph, bt_plugin_borrow_filter_component_class_by_name_const(utils, "muxer"),
		    "muxer", NULL, BT_LOGGING_LEVEL_WARNING, &muxer) ||
	    bt_graph_add_simple_sink_component(graph, "follow", NULL, consume, NULL, NULL, &sink))
		return false;
	for (uint64_t i = 0; i < bt_component_source_get_output_port_count(source); i++) {
		if (bt_graph_connect_ports(
			    graph, bt_component_source_borrow_output_port_by_index_const(source, i),
			    bt_component_filter_borrow_input_port_by_index_const(muxer, i), NULL))
			return false;
	}
	return !bt_graph_connect_ports(
		       graph, bt_component_filter_borrow_output_port_by_index_const(muxer, 0),
		       bt_component_sink_borrow_input_port_by_index_const(sink, 0), NULL) &&
	       bt_graph_run(graph) == BT_GRAPH_RUN_STATUS_OK;
}

int main(int argc, char **argv)
{

	if (argc != 3) {
		fprintf(stderr, "usage: check-calls TRACE COUNTS\n");
		return 2;
	}
	read_counts(argv[2]);
	if (!read_trace(argv[1])) {
		fprintf(stderr, "check-calls: cannot read %s\n", argv[1]);
		return 3;
	}
	for (unsigned i = 0; i < nr_stacks; i++) {
		if (stacks[i].depth)
			wrong("functions are never left:", stacks[i].depth);
	}
	for (unsigned i = 0; i < nr_functions; i++) {
		if (functions[i].seen != functions[i].calls) {
			printf("wrong calls of %s: %" PRIu64 ", not %" PRIu64 "\n",
			       functions[i].name, functions[i].seen, functions[i].calls);
			wrongs++;
		}
	}
	printf("calls %" PRIu64 "\ndepth %u\n", calls, depth_most);
	return wrongs != 0;
}
