/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * query-plot.c - a statement's rows as a picture of letters:
 *
 *   one column of numbers     a histogram of them
 *   a text and a number       a bar for each row
 *   two numbers               a line, the first from left to right
 *
 * Values are kept, VALUES_MAX at most. Only the last two columns are looked at.
 */
#include <config.h>

#include "cli/query/query.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define VALUES_MAX ((size_t)1 << 22)
#define BARS 20
#define WIDTH 60
#define HEIGHT 12
#define LABEL_MAX 32

struct point {
	char *label; /* NULL: `x` is a number */
	double x, y;
};

struct plot {
	struct point *points;
	size_t count, room;
	bool has_labels, has_two;
	bool is_cut; /* there were more */
};

static const char *const eighths[] = { " ",
				       "\xe2\x96\x81",
				       "\xe2\x96\x82",
				       "\xe2\x96\x83",
				       "\xe2\x96\x84",
				       "\xe2\x96\x85",
				       "\xe2\x96\x86",
				       "\xe2\x96\x87",
				       "\xe2\x96\x88" };
static const char *const bar_ends[] = { "",
					"\xe2\x96\x8f",
					"\xe2\x96\x8e",
					"\xe2\x96\x8d",
					"\xe2\x96\x8c",
					"\xe2\x96\x8b",
					"\xe2\x96\x8a",
					"\xe2\x96\x89" };

/* ---- rows ----------------------------------------------------------------------------- */

static int add(struct plot *plot, struct point point)
{
	size_t room = plot->room ? 2 * plot->room : 256;
	struct point *points = plot->points;

	if (plot->count == plot->room) {
		points = reallocarray(points, room, sizeof(*points));
		if (!points)
			return SQLITE_NOMEM;
		plot->points = points;
		plot->room = room;
	}
	plot->points[plot->count++] = point;
	return SQLITE_OK;
}

static int take_row(struct plot *plot, sqlite3_stmt *statement, int columns)
{
	struct point point = { .y = sqlite3_column_double(statement, columns - 1) };
	int type;

	if (sqlite3_column_type(statement, columns - 1) == SQLITE_NULL || !isfinite(point.y))
		return SQLITE_OK;
	if (columns > 1) {
		type = sqlite3_column_type(statement, columns - 2);
		if (type == SQLITE_INTEGER || type == SQLITE_FLOAT) {
			point.x = sqlite3_column_double(statement, columns - 2);
		} else {
			const char *text =
				(const char *)sqlite3_column_text(statement, columns - 2);

			point.label = strdup(text ? text : "");
			if (!point.label)
				return SQLITE_NOMEM;
			plot->has_labels = true;
		}
	}
	if (add(plot, point) == SQLITE_OK)
		return SQLITE_OK;
	free(point.label);
	return SQLITE_NOMEM;
}

/* ---- bars ----------------------------------------------------------------------------- */

static void put_bar(struct text_output *output, double share)
{
	int parts = (int)(share * WIDTH * 8 + 0.5);

	for (; parts >= 8; parts -= 8)
		text_output_text(output, query_output_is_utf8() ? eighths[8] : "#");
	if (parts > 0 && query_output_is_utf8())
		text_output_text(output, bar_ends[parts]);
}

static void put_row(struct text_output *output, const char *label, size_t width, double value,
		    double most)
{
	size_t own = query_output_text(NULL, label);
	char text[TEXT_REAL_SIZE];

	query_output_text(output, label);
	for (; own < width; own++)
		text_output_char(output, ' ');
	text_output_text(output, "  ");
	put_bar(output, most > 0 && value > 0 ? value / most : 0);
	text_output_char(output, ' ');
	text_output_text(output, text_format_real(value, false, text));
	text_output_char(output, '\n');
}

static void put_bars(const struct plot *plot, struct text_output *output)
{
	size_t width = 0;
	double most = 0;

	for (size_t i = 0; i < plot->count; i++) {
		size_t own = query_output_text(NULL, plot->points[i].label ?: "");

		width = own > width ? own : width;
		most = plot->points[i].y > most ? plot->points[i].y : most;
	}
	width = width < LABEL_MAX ? width : LABEL_MAX;
	for (size_t i = 0; i < plot->count; i++)
		put_row(output, plot->points[i].label ?: "", width, plot->points[i].y, most);
}

static void bounds(const struct plot *plot, bool of_x, double *least, double *most)
{
	*least = INFINITY;
	*most = -INFINITY;
	for (size_t i = 0; i < plot->count; i++) {
		double value = of_x ? plot->points[i].x : plot->points[i].y;

		*least = value < *least ? value : *least;
		*most = value > *most ? value : *most;
	}
}

/* Between bars; of whole numbers, a whole number. */
static double histogram_step(const struct plot *plot, double least, double most)
{
	for (size_t i = 0; i < plot->count; i++)
		if (plot->points[i].y != floor(plot->points[i].y))
			return most > least ? (most - least) / BARS : 1;
	return ceil((most - least + 1) / BARS);
}

static void put_histogram(const struct plot *plot, struct text_output *output)
{
	double least, most, step, highest = 0, counts[BARS] = { 0 };
	char label[64];

	bounds(plot, false, &least, &most);
	step = histogram_step(plot, least, most);
	for (size_t i = 0; i < plot->count; i++) {
		size_t bar = (size_t)((plot->points[i].y - least) / step);

		bar = bar < BARS ? bar : BARS - 1;
		counts[bar]++;
		highest = counts[bar] > highest ? counts[bar] : highest;
	}
	for (size_t i = 0; i < BARS && (i == 0 || least + (double)i * step <= most); i++) {
		snprintf(label, sizeof(label), step >= 1 ? "%14.15g" : "%14.8g",
			 least + (double)i * step);
		put_row(output, label, 14, counts[i], highest);
	}
}

/* ---- lines ---------------------------------------------------------------------------- */

/* The mean of each column's points, which may have none. */
static void put_line(const struct plot *plot, struct text_output *output)
{
	double left, right, low, high, sums[WIDTH] = { 0 };
	size_t counts[WIDTH] = { 0 };
	char label[128];

	bounds(plot, true, &left, &right);
	bounds(plot, false, &low, &high);
	low = low > 0 ? 0 : low;
	high = high > low ? high : low + 1;
	for (size_t i = 0; i < plot->count; i++) {
		double share = right > left ? (plot->points[i].x - left) / (right - left) : 0;
		size_t column = (size_t)(share * (WIDTH - 1) + 0.5);

		sums[column] += plot->points[i].y;
		counts[column]++;
	}
	for (int row = HEIGHT - 1; row >= 0; row--) {
		snprintf(label, sizeof(label), "%12.6g ", low + (high - low) * (row + 1) / HEIGHT);
		text_output_text(output, label);
		for (size_t i = 0; i < WIDTH; i++) {
			double value = counts[i] ? sums[i] / (double)counts[i] : low;
			int part = (int)ceil((value - low) / (high - low) * HEIGHT * 8) - row * 8;

			part = part < 0 ? 0 : part > 8 ? 8 : part;
			text_output_text(output, query_output_is_utf8() ? eighths[part]
						 : part >= 4            ? "#"
									: " ");
		}
		text_output_char(output, '\n');
	}
	snprintf(label, sizeof(label), "%12.6g %-30.15g%30.15g\n", low, left, right);
	text_output_text(output, label);
}

int query_plot_rows(sqlite3_stmt *statement, struct text_output *output)
{
	int columns = sqlite3_column_count(statement), status;
	struct plot plot = { .has_two = columns > 1 };

	while ((status = sqlite3_step(statement)) == SQLITE_ROW && status != SQLITE_NOMEM) {
		plot.is_cut = plot.count == VALUES_MAX;
		if (plot.is_cut) {
			status = SQLITE_DONE;
			break;
		}
		if (take_row(&plot, statement, columns) != SQLITE_OK) {
			status = SQLITE_NOMEM;
			break;
		}
	}
	if (status == SQLITE_DONE && plot.count > 0) {
		if (plot.has_labels)
			put_bars(&plot, output);
		else if (plot.has_two)
			put_line(&plot, output);
		else
			put_histogram(&plot, output);
	}
	if (plot.is_cut)
		text_output_text(output, "(there are more rows: only these are shown)\n");
	for (size_t i = 0; i < plot.count; i++)
		free(plot.points[i].label);
	free(plot.points);
	return status;
}
