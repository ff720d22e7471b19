/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/* record-kernel.c - the kernel events that `record` asks for. */
#include <config.h>

#include "cli/record/record.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/base/message.h"
#include "cli/base/options.h"
#include "cli/client/probe.h"

#define NAMING_EVENTS "task:task_newtask,task:task_rename"

static int check_probe(struct record_rule *rule)
{
	bool is_kernel = rule->kind == RECORD_RULE_KPROBE;
	struct problem problem;

	rule->request = record_new_request("kernel-probe");
	if (probe_parse(rule->rule, is_kernel, rule->request, &problem) == 0)
		return 0;
	message_error("record: --%s: %s", is_kernel ? "kprobe" : "uprobe", problem.why);
	message_hint("%s", problem.hint);
	return -EINVAL;
}

static int check_rule(struct record_rule *rule, bool is_first)
{
	const char *why;

	if (!rule->rule) {
		message_error(is_first
				      ? "record: --kernel-filter: '%s' stands before the --kernel, "
					"--uprobe or --kprobe that it is of"
				      : "record: --kernel-filter: '%s' is a second one for a rule",
			      rule->filter);
		message_hint("give it behind that; one rule's are joined by && or ||");
		return -EINVAL;
	}
	if (rule->kind != RECORD_RULE_EVENTS)
		return check_probe(rule);
	if (options_check_rule(rule->rule, &why)) {
		message_error("record: --kernel: '%s' is not a rule", rule->rule);
		message_hint("write SYSTEM:NAME as in /sys/kernel/tracing/available_events, for "
			     "instance 'sched:*'");
		return -EINVAL;
	}
	return 0;
}

/*
 * Adds the typed numbers to the array `pids`, if there is one. The word 'program' stands for
 * process `program`; *wants_program tells that it was typed.
 */
static int take_pids(char **lists, struct json_object *pids, pid_t program, bool *wants_program)
{
	for (; lists && *lists; lists++) {
		const char *at = *lists;

		for (;;) {
			size_t length = strcspn(at, ",");
			uint64_t pid;
			char text[16];

			if (length >= sizeof(text))
				length = sizeof(text) - 1;
			memcpy(text, at, length);
			text[length] = '\0';
			if (strcmp(text, "program") == 0) {
				pid = (uint64_t)program;
				*wants_program = true;
			} else if (options_parse_number(text, INT32_MAX, &pid) || pid == 0) {
				message_error("record: --kernel-pid: '%s' is no process id", text);
				message_hint("write a number, or the word 'program'");
				return -EINVAL;
			}
			if (pids)
				json_object_array_add(pids, json_object_new_uint64(pid));
			at += strcspn(at, ",");
			if (*at == '\0')
				break;
			at++;
		}
	}
	return 0;
}

int record_kernel_check(struct record *record)
{
	const struct record_options *typed = &record->options;
	int error = 0;

	for (size_t i = 0; !error && i < typed->nr_kernel_rules; i++)
		error = check_rule(&typed->kernel_rules[i], i == 0);
	if (!error)
		error = take_pids(typed->kernel_pids, NULL, 0, &record->kernel_program);
	if (!error && typed->kernel_buffer &&
	    (options_parse_size(typed->kernel_buffer, &record->kernel_buffer) ||
	     record->kernel_buffer == 0)) {
		message_error("record: --kernel-buffer: '%s' is not a size", typed->kernel_buffer);
		message_hint("write a number of bytes, or one with K, M or G");
		return -EINVAL;
	}
	if (!error && (typed->kernel_pids || typed->kernel_buffer) && typed->nr_kernel_rules == 0) {
		message_error("record: --kernel-pid and --kernel-buffer go with --kernel, --uprobe "
			      "or --kprobe");
		message_hint("say which events of the kernel, for instance --kernel 'sched:*'");
		return -EINVAL;
	}
	return error;
}

static int set_up(struct record *record)
{
	struct json_object *object = record_new_request("kernel"), *pids;

	if (record->kernel_buffer)
		json_object_object_add(object, "buffer_size",
				       json_object_new_uint64(record->kernel_buffer));
	/*
	 * Creates the program's process before its events are enabled; the kernel records none of
	 * this command's events for it.
	 */
	if (record->kernel_program && record_child_prepare(record))
		return -ECHILD;
	if (record->options.kernel_pids) {
		pids = json_object_new_array();
		(void)take_pids(record->options.kernel_pids, pids, record->prepared,
				&record->kernel_program);
		json_object_object_add(object, "pids", pids);
	}
	return record_request(record, object, "record the kernel's events");
}

/* The user's own rules say which of these events are recorded, and may filter them. */
static bool has_rule_of_tasks(const struct record *record)
{
	for (size_t i = 0; i < record->options.nr_kernel_rules; i++) {
		const struct record_rule *rule = &record->options.kernel_rules[i];

		if (rule->kind == RECORD_RULE_EVENTS && strstr(rule->rule, "task:"))
			return true;
	}
	return false;
}

/*
 * Records who takes which name, and who starts whom: a kernel event has its thread's number alone,
 * and readers of the trace would have no name for it. Not of the whole machine, where such events
 * may be more than those that were asked for.
 */
static int enable_names(struct record *record)
{
	struct json_object *object;

	if (!record->options.kernel_pids || has_rule_of_tasks(record))
		return 0;
	object = record_new_request("kernel-enable");
	json_object_object_add(object, "rule", json_object_new_string(NAMING_EVENTS));
	return record_request(record, object, "enable the kernel's events that name threads");
}

int record_kernel_enable(struct record *record)
{
	int error = record->options.nr_kernel_rules > 0 ? set_up(record) : 0;

	for (size_t i = 0; !error && i < record->options.nr_kernel_rules; i++) {
		const struct record_rule *rule = &record->options.kernel_rules[i];
		struct json_object *object = rule->request;
		char what[160];

		if (!object) {
			object = record_new_request("kernel-enable");
			json_object_object_add(object, "rule", json_object_new_string(rule->rule));
		}
		if (rule->filter)
			json_object_object_add(object, "filter",
					       json_object_new_string(rule->filter));
		snprintf(what, sizeof(what),
			 rule->request ? "probe '%.100s'"
				       : "enable '%.100s' of the kernel's events",
			 rule->rule);
		error = record_request(record, object, what);
	}
	return error ? error : enable_names(record);
}
