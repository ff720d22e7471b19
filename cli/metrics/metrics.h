/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * metrics.h - the files of `lttngmap metrics`, by doc/design/metrics.md:
 *
 *   metrics-look.c   asks the session daemon, as `top` does, and for the maps
 *   metrics-maps.c   what is known of maps, and which keys are shown
 *   metrics-text.c   a look as text for Prometheus
 *   metrics-counts.c its part of maps
 *   metrics-page.c   a family of metrics: its lines, escaped
 *   metrics-http.c   serves that text
 *
 * One thread. The daemon's answers and the HTTP clients are not trusted.
 */
#ifndef CLI_METRICS_METRICS_H
#define CLI_METRICS_METRICS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "cli/map/map-rows.h"
#include "cli/top/top.h"

struct json_object;

/* Label values of each kind are at most so many, whatever the daemon has. */
#define METRICS_SESSIONS_MOST 256
#define METRICS_MAPS_MOST 256
#define METRICS_OTHER "other" /* the key of all that are not shown */
#define METRICS_SERIES 200    /* --series, if not given */
#define METRICS_SERIES_MOST 10000

/* ---- what is known ---------------------------------------------------------------- */

struct metrics_map {
	char name[NAME_SESSION_MAX + 32];
	bool seen;     /* in the current look */
	bool answered; /* what follows is of the current look */
	bool has_keys;
	bool sums_values; /* a histogram's sums are those of the values themselves */
	uint64_t processes;
	uint64_t lost, damaged;
	struct map_rows rows; /* of the keys that are shown, by name; of a histogram all */
	struct map_row other; /* the events of all other keys */
	char **names;         /* of keys that are shown from now on, ascending */
	size_t nr_names;
};

struct metrics {
	const char *chosen; /* --runtime-dir, or NULL */
	size_t keys_most;   /* of a map */
	struct top_daemon daemon;
	bool is_up;     /* the daemon answered */
	double seconds; /* the look took */
	struct metrics_map *maps;
	size_t nr_maps;
	uint64_t maps_left_out;
};

/*
 * Asks the daemon, for `timeout_ms` at most. False: no answer, `daemon.why` says why;
 * metrics_print() then has little to print.
 */
bool metrics_look(struct metrics *metrics, int timeout_ms);
void metrics_free(struct metrics *metrics);

/* The map of that name, found or added. NULL: there are too many, or no memory. */
struct metrics_map *metrics_map_find(struct metrics *metrics, const char *name);
/* Takes an answer of map_request_show(). 0 or -ENOMEM. */
int metrics_map_take(struct metrics *metrics, struct metrics_map *map, struct json_object *answer);
/* Forgets the maps that were not seen. */
void metrics_maps_forget(struct metrics *metrics);

/* ---- as text ---------------------------------------------------------------------- */

enum metrics_format {
	METRICS_TEXT,        /* Prometheus' own, 0.0.4 */
	METRICS_OPENMETRICS, /* OpenMetrics 1.0.0 */
	METRICS_FORMATS,
};

void metrics_print(const struct metrics *metrics, enum metrics_format format, FILE *out);
/* Prints the families of maps. */
void metrics_print_maps(const struct metrics *metrics, enum metrics_format format, FILE *out);

enum metrics_type {
	METRICS_GAUGE,
	METRICS_COUNTER,
	METRICS_HISTOGRAM,
};

struct metrics_family {
	const char *name; /* without "lttngmap_" and "_total" */
	enum metrics_type type;
	const char *unit; /* how the name ends, or NULL */
	const char *help;
};

struct metrics_label {
	const char *name, *value; /* an untrusted text; NULL: no such label */
};

/* The labels of a sample end with one without a name. */
#define METRICS_LABELS 4

void metrics_begin_family(FILE *out, enum metrics_format format,
			  const struct metrics_family *family);
/* `suffix`: "", or "_bucket" and the like. */
void metrics_put_count(FILE *out, const struct metrics_family *family, const char *suffix,
		       const struct metrics_label labels[METRICS_LABELS], uint64_t value);
void metrics_put_signed(FILE *out, const struct metrics_family *family, const char *suffix,
			const struct metrics_label labels[METRICS_LABELS], int64_t value);
void metrics_put_real(FILE *out, const struct metrics_family *family, const char *suffix,
		      const struct metrics_label labels[METRICS_LABELS], double value);

/* ---- served ----------------------------------------------------------------------- */

/* "127.0.0.1:9877" */
#define METRICS_LISTEN "127.0.0.1:9877"

/*
 * Serves http://ADDRESS:PORT/metrics until the process is ended. `listen`: ADDRESS:PORT, or PORT.
 * Returns the exit status after a message.
 */
int metrics_serve(struct metrics *metrics, const char *listen);

#endif /* CLI_METRICS_METRICS_H */
