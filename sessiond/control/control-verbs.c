/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "sessiond/control/control-verbs.h"

#include "common/base/clock.h"
#include "common/protocol/protocol-control.h"
#include "sessiond/base/parts.h"
#include "sessiond/control/control-args.h"
#include "sessiond/mediator/mediator.h"

static void serve_hello(struct control_client *client, struct json_object *request)
{
	struct daemon *daemon = control_client_daemon(client);
	struct json_object *answer;
	uint64_t version;

	if (control_need_number(client, request, "version", UINT32_MAX, &version) != 0)
		return;
	if (version != PROTOCOL_CONTROL_VERSION) {
		control_refuse(client, "install the command and the daemon of one version",
			       "the command speaks version %llu, this daemon %d",
			       (unsigned long long)version, PROTOCOL_CONTROL_VERSION);
		return;
	}
	answer = json_object_new_object();
	control_add_number(answer, "version", PROTOCOL_CONTROL_VERSION);
	control_add_string(answer, "mediator", daemon->mediator_ops->name);
	control_add_string(answer, "clock", clock_name(daemon->clock));
	control_answer(client, answer);
}

static void serve_consumer(struct control_client *client, struct json_object *request)
{
	uint64_t version;

	if (control_need_number(client, request, "version", UINT32_MAX, &version) != 0)
		return;
	if (version != PROTOCOL_CONTROL_VERSION)
		control_refuse(client, "install the consumer and the daemon of one version",
			       "the consumer speaks version %llu, this daemon %d",
			       (unsigned long long)version, PROTOCOL_CONTROL_VERSION);
	else
		control_become_consumer(client);
}

#define MEMBERS(...) ((const char *const[]){ "verb", __VA_ARGS__ NULL })

const struct control_verb control_verbs[] = {
	{ "hello", MEMBERS("version", ), serve_hello },
	{ "consumer", MEMBERS("version", ), serve_consumer },

	{ "create", MEMBERS("session", "output", "snapshot", "url", "spool", "live_ms", ),
	  control_serve_create },
	{ "choose", MEMBERS("session", ), control_serve_choose },
	{ "destroy", MEMBERS("session", ), control_serve_destroy },
	{ "start", MEMBERS("session", ), control_serve_start },
	{ "stop", MEMBERS("session", ), control_serve_stop },
	{ "status", MEMBERS("session", "map", ), control_serve_status },
	{ "clear", MEMBERS("session", ), control_serve_clear },
	{ "flush", MEMBERS("session", ), control_serve_flush },
	{ "snapshot", MEMBERS("session", "output", "max_size", ), control_serve_snapshot },
	{ "rotate", MEMBERS("session", ), control_serve_rotate },
	{ "rotation", MEMBERS("session", "period_ms", "size", ), control_serve_rotation },
	{ "track", MEMBERS("session", "kind", "value", ), control_serve_track },
	{ "untrack", MEMBERS("session", "kind", "value", ), control_serve_untrack },

	{ "channel",
	  MEMBERS("session", "channel", "subbuf_size", "subbufs", "mode", "blocking_timeout_ms",
		  "flush_ms", "file_size", "file_count", "contexts", "buffers", "change", ),
	  control_serve_channel },
	{ "channel-remove", MEMBERS("session", "channel", ), control_serve_channel_remove },
	{ "channel-enable", MEMBERS("session", "channel", "enabled", ),
	  control_serve_channel_enable },
	{ "context", MEMBERS("session", "channel", "context", "remove", ), control_serve_context },

	{ "enable",
	  MEMBERS("session", "channel", "rule", "exclude", "loglevel", "loglevel_only", "filter", ),
	  control_serve_enable },
	{ "disable", MEMBERS("session", "channel", "id", ), control_serve_disable },
	{ "remove", MEMBERS("session", "channel", "id", ), control_serve_remove },

	{ "kernel", MEMBERS("session", "buffer_size", "pids", ), control_serve_kernel },
	{ "kernel-enable", MEMBERS("session", "rule", "filter", ), control_serve_kernel_enable },
	{ "kernel-disable", MEMBERS("session", "id", ), control_serve_kernel_disable },
	{ "kernel-remove", MEMBERS("session", "id", ), control_serve_kernel_remove },
	{ "kernel-probe",
	  MEMBERS("session", "kind", "return", "name", "path", "file", "offset", "symbol", "args",
		  "filter", ),
	  control_serve_kernel_probe },

	{ "map-add",
	  MEMBERS("map", "rule", "exclude", "loglevel", "loglevel_only", "filter", "by", "sum",
		  "histogram", "latency", "keys", ),
	  control_serve_map_add },
	{ "map-remove", MEMBERS("map", ), control_serve_map_remove },
	{ "map-clear", MEMBERS("map", ), control_serve_map_clear },
	{ "map-list", MEMBERS("from", ), control_serve_map_list },
	{ "map-show", MEMBERS("map", "from", ), control_serve_map_show },

	{ "trigger-add",
	  MEMBERS("trigger", "on", "rule", "exclude", "loglevel", "loglevel_only", "filter",
		  "capture", "above", "times", "every_ms", "do", ),
	  control_serve_trigger_add },
	{ "trigger-remove", MEMBERS("trigger", ), control_serve_trigger_remove },
	{ "trigger-list", MEMBERS("from", ), control_serve_trigger_list },
	{ "trigger-wait", MEMBERS("trigger", "after", ), control_serve_trigger_wait },

	{ "list", MEMBERS("from", ), control_serve_list },
	{ "processes", MEMBERS("from", ), control_serve_processes },
	{ "unregistered", MEMBERS("from", ), control_serve_unregistered },
	{ "usage", MEMBERS("from", ), control_serve_usage },
	{ "rings", MEMBERS("from", ), control_serve_rings },
	{ "events", MEMBERS("from", "pid", ), control_serve_events },
	{ NULL, NULL, NULL },
};
