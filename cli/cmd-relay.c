/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/* cmd-relay.c - lttngmap relay URL DIR: send a trace to a collector, also while it is written. */
#include <config.h>

#include "cli/verbs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/base/message.h"
#include "cli/relay/relay-child.h"
#include "cli/relay/relay-keep.h"
#include "cli/relay/relay-run.h"
#include "common/base/amount.h"
#include "common/base/name.h"

static char *session, *timeout, *live;
static int spool, restart, quiet;

static const struct poptOption options[] = {
	{ "session", 's', POPT_ARG_STRING, &session, 0,
	  "What it is called at the collector (default: the directory's name)", "WORD" },
	{ "spool", '\0', POPT_ARG_NONE, &spool, 0,
	  "Remove what was sent, and the directory in the end", NULL },
	{ "live", '\0', POPT_ARG_STRING, &live, 0,
	  "Of a session that is recorded with --live: let those watch who ask the collector",
	  "N[ms|s]" },
	{ "restart", '\0', POPT_ARG_NONE, &restart, 0,
	  "A parent process starts what sends again when it is killed", NULL },
	{ "timeout", '\0', POPT_ARG_STRING, &timeout, 0,
	  "Give up a collector that does nothing for so long (default: 30s)", "N[ms|s|m]" },
	{ "quiet", 'q', POPT_ARG_NONE, &quiet, 0, "No summary", NULL },
	POPT_TABLEEND
};

static int read_options(struct relay_config *config)
{
	if (relay_run_parse_timeout("relay", timeout, &config->timeout_ms) != 0)
		return -EINVAL;
	if (live && relay_live_parse("relay", live, &config->live_ms))
		return -EINVAL;
	if (session && !name_is_session(session)) {
		message_error("relay: --session: '%.80s' is no name of a session", session);
		message_hint("a name is 1 to %d of A-Z a-z 0-9 . _ + - and begins with none of . -",
			     NAME_SESSION_MAX);
		return -EINVAL;
	}
	return 0;
}

/* After the folder. */
static void name_session(const char *output, char name[NAME_SESSION_MAX + 1])
{
	char *path = realpath(output, NULL);
	const char *base = path ? strrchr(path, '/') : NULL;

	base = base && base[1] != '\0' ? base + 1 : "trace";
	snprintf(name, NAME_SESSION_MAX + 1, "%.*s", NAME_SESSION_MAX, base);
	if (!name_is_session(name))
		snprintf(name, NAME_SESSION_MAX + 1, "trace");
	free(path);
}

struct request {
	const char *url; /* as typed */
	struct relay_config config;
};

/* The exit status. */
static int send(void *data)
{
	struct request *request = data;
	char bytes[16], packets[32];
	struct relay_result result;

	if (relay_run_verb("relay", request->url, &request->config, false, &result) != 0)
		return CLI_STATUS_FAILED;
	if (!quiet)
		message_line("sent to %s: %s packets, %s", request->url,
			     amount_format_count(result.packets, packets),
			     amount_format_size(result.bytes, bytes));
	return message_flush_output() ? CLI_STATUS_FAILED : CLI_STATUS_OK;
}

static int run(int argc, const char **argv)
{
	char name[NAME_SESSION_MAX + 1];
	struct request request = { .url = argc > 0 ? argv[0] : NULL };
	struct relay_config *config = &request.config;
	const char *why;
	int status;

	if (argc != 2) {
		message_error("relay: a collector's URL and a trace's directory are wanted");
		return verb_usage_error(&verb_relay);
	}
	if (relay_url_parse(argv[0], &config->url, &why) != 0) {
		message_error("relay: '%s' is no URL of a collector", argv[0]);
		message_hint("%s", why);
		return verb_usage_error(&verb_relay);
	}
	if (read_options(config) != 0)
		return verb_usage_error(&verb_relay);
	name_session(argv[1], name);
	config->output = argv[1];
	config->session = session ? session : name;
	config->is_spool = spool;
	status = restart ? relay_keep(config, send, &request) : send(&request);
	if (status < 0)
		relay_run_explain("relay", argv[0], config, status);
	return status < 0 ? CLI_STATUS_FAILED : status;
}

const struct verb verb_relay = {
	.name = "relay",
	.arguments = "[OPTIONS] URL DIR",
	.summary = "Send a trace to lttng-relayd, also while it is recorded",
	.example = "lttngmap relay net://collector trace",
	.options = options,
	.usage_status = CLI_STATUS_USAGE,
	.run = run,
};
