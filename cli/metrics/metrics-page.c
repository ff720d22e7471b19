/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/* metrics-page.c - lines of a family: HELP, TYPE, UNIT, and samples with escaped labels. */
#include <config.h>

#include "cli/metrics/metrics.h"

#include <inttypes.h>
#include <string.h>

#include "common/base/name.h"

static const char *ending_of(const struct metrics_family *family)
{
	return family->type == METRICS_COUNTER ? "_total" : "";
}

void metrics_begin_family(FILE *out, enum metrics_format format,
			  const struct metrics_family *family)
{
	static const char *const types[] = {
		[METRICS_GAUGE] = "gauge",
		[METRICS_COUNTER] = "counter",
		[METRICS_HISTOGRAM] = "histogram",
	};
	/* In OpenMetrics a counter's family has no "_total", which only its samples have. */
	const char *ending = format == METRICS_OPENMETRICS ? "" : ending_of(family);

	fprintf(out, "# HELP lttngmap_%s%s %s\n", family->name, ending, family->help);
	fprintf(out, "# TYPE lttngmap_%s%s %s\n", family->name, ending, types[family->type]);
	if (family->unit && format == METRICS_OPENMETRICS)
		fprintf(out, "# UNIT lttngmap_%s %s\n", family->name, family->unit);
}

/*
 * A scraper refuses a page as a whole that is no UTF-8: where a value is no text, its bytes are
 * escaped, each with a backslash of its own.
 */
static void put_value(FILE *out, const char *value)
{
	bool is_text = name_is_text(value, strlen(value));

	for (; *value; value++) {
		if (*value == '\\' || *value == '"')
			fprintf(out, "\\%c", *value);
		else if (is_text || ((unsigned char)*value >= 0x20 && (unsigned char)*value < 0x7f))
			fputc(*value, out);
		else
			fprintf(out, "\\\\x%02x", (unsigned char)*value);
	}
}

static void put_name(FILE *out, const struct metrics_family *family, const char *suffix,
		     const struct metrics_label labels[METRICS_LABELS])
{
	char before = '{';

	fprintf(out, "lttngmap_%s%s%s", family->name, ending_of(family), suffix);
	for (size_t i = 0; labels && i < METRICS_LABELS && labels[i].name; i++) {
		if (!labels[i].value)
			continue;
		fprintf(out, "%c%s=\"", before, labels[i].name);
		put_value(out, labels[i].value);
		fputc('"', out);
		before = ',';
	}
	if (before == ',')
		fputc('}', out);
}

void metrics_put_count(FILE *out, const struct metrics_family *family, const char *suffix,
		       const struct metrics_label labels[METRICS_LABELS], uint64_t value)
{
	put_name(out, family, suffix, labels);
	fprintf(out, " %" PRIu64 "\n", value);
}

void metrics_put_signed(FILE *out, const struct metrics_family *family, const char *suffix,
			const struct metrics_label labels[METRICS_LABELS], int64_t value)
{
	put_name(out, family, suffix, labels);
	fprintf(out, " %" PRId64 "\n", value);
}

void metrics_put_real(FILE *out, const struct metrics_family *family, const char *suffix,
		      const struct metrics_label labels[METRICS_LABELS], double value)
{
	put_name(out, family, suffix, labels);
	fprintf(out, " %.17g\n", value);
}
