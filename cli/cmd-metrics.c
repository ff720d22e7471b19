/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/* cmd-metrics.c - lttngmap metrics: maps and the daemons' health, for Prometheus. */
#include <config.h>

#include "cli/verbs.h"

#include "cli/base/message.h"
#include "cli/client/session-daemon.h"
#include "cli/metrics/metrics.h"

#define ONCE_TIMEOUT_MS 10000

static struct {
	char *runtime_dir;
	char *listen;
	int once, openmetrics;
	int series;
} typed = { .series = METRICS_SERIES };

static const struct poptOption options[] = {
	{ "listen", 'l', POPT_ARG_STRING, &typed.listen, 0,
	  "Serve there (default: " METRICS_LISTEN ")", "ADDRESS:PORT" },
	{ "once", '1', POPT_ARG_NONE, &typed.once, 0, "Print the metrics, and end", NULL },
	{ "openmetrics", '\0', POPT_ARG_NONE, &typed.openmetrics, 0,
	  "--once: as OpenMetrics, not as Prometheus' text", NULL },
	{ "series", '\0', POPT_ARG_INT, &typed.series, 0,
	  "So many keys of a map, a series each; the rest is 'other' (default: 200)", "N" },
	{ "runtime-dir", '\0', POPT_ARG_STRING, &typed.runtime_dir, 0,
	  "The session daemon's runtime directory", "DIR" },
	POPT_TABLEEND
};

static int print_once(struct metrics *metrics)
{
	bool is_up = metrics_look(metrics, ONCE_TIMEOUT_MS);

	metrics_print(metrics, typed.openmetrics ? METRICS_OPENMETRICS : METRICS_TEXT, stdout);
	if (!is_up)
		message_error("metrics: %s", metrics->daemon.why);
	if (message_flush_output() != 0 || !is_up)
		return CLI_STATUS_FAILED;
	return CLI_STATUS_OK;
}

static int run(int argc, const char **argv)
{
	struct metrics metrics = { .chosen = typed.runtime_dir };
	int status;

	if (argc > 0) {
		message_error("metrics: it takes no argument, and '%s' is one", argv[0]);
		return verb_usage_error(&verb_metrics);
	}
	if (typed.series < 0 || typed.series > METRICS_SERIES_MOST) {
		message_error("metrics: --series is a number from 0 to %d", METRICS_SERIES_MOST);
		return verb_usage_error(&verb_metrics);
	}
	if (typed.once ? typed.listen != NULL : typed.openmetrics) {
		message_error(typed.once ? "metrics: --once serves nothing: --listen is not for it"
					 : "metrics: --openmetrics is for --once; who is served "
					   "asks for a format");
		return verb_usage_error(&verb_metrics);
	}
	metrics.keys_most = (size_t)typed.series;
	status = typed.once ? print_once(&metrics)
			    : metrics_serve(&metrics, typed.listen ? typed.listen : METRICS_LISTEN);
	metrics_free(&metrics);
	return status;
}

const struct verb verb_metrics = {
	.name = "metrics",
	.arguments = "[OPTIONS]",
	.summary = "Maps and the daemons' health for Prometheus",
	.example = "lttngmap metrics --once",
	.options = options,
	.usage_status = CLI_STATUS_USAGE,
	.run = run,
};
