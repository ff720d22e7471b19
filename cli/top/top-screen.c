/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * top-screen.c - shows samples on a terminal, by ncurses:
 *
 *   the daemons, a line each, or why one does not answer
 *   the fill of the rings, by CPU
 *   the sessions
 *   the rings: as many lines as fit
 *   the keys
 *
 * Between two samples the screen waits for keys. ncurses restores the terminal when a signal ends
 * the command, and reports a new size as KEY_RESIZE.
 */
#include <config.h>

#include "cli/top/top.h"

#include <curses.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <lttngmap/abi.h>

#include "cli/base/message.h"
#include "cli/base/options.h"
#include "cli/base/verb.h"
#include "cli/client/present-user.h"
#include "common/base/amount.h"
#include "common/base/time.h"

/* After so many empty reads the terminal is gone, and the command ends. */
#define EMPTY_READS_MOST 16
#define INTERVAL_LEAST_MS 100
#define INTERVAL_MOST_MS 60000

enum {
	COLOUR_LOST = 1,
	COLOUR_FULL,
};

struct screen {
	struct top *top;
	enum top_order order;
	size_t first; /* first row of the table that is shown */
	size_t page;  /* rows of the table that fit */
	bool paused;
	bool coloured;
	int64_t next_ms; /* of the next sample */
};

/* ---- drawing ---------------------------------------------------------------------- */

static void set_colour(const struct screen *screen, int colour, bool on)
{
	attr_t attribute = screen->coloured ? (attr_t)COLOR_PAIR(colour) : A_BOLD;

	if (on)
		attron(attribute);
	else
		attroff(attribute);
}

static void put_line(int *row, attr_t attribute, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Cuts off text beyond the right edge, and lines below the screen. */
static void put_line(int *row, attr_t attribute, const char *format, ...)
{
	char text[1024];
	va_list arguments;

	if (*row >= LINES)
		return;
	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	attron(attribute);
	mvaddnstr(*row, 0, text, COLS);
	/* Headings fill the whole line. */
	if (attribute & A_REVERSE)
		for (int column = (int)strlen(text); column < COLS; column++)
			mvaddch(*row, column, ' ');
	attroff(attribute);
	(*row)++;
}

static void draw_usage(const char *name, const struct top_usage *usage, char *text, size_t size)
{
	char up[TOP_TEXT_SIZE], cpu[TOP_TEXT_SIZE], memory[TOP_TEXT_SIZE];

	if (!usage->pid)
		snprintf(text, size, "no %s", name);
	else
		snprintf(text, size, "%s %" PRIu64 ": up %s, CPU %s, %s", name, usage->pid,
			 top_format_time(usage->up, up), top_format_share(usage->cpu, cpu),
			 top_format_bytes((double)usage->memory, memory));
}

/* Prints one consumer by itself, several as their sum. */
static void draw_consumers(const struct top_daemon *daemon, char *text, size_t size)
{
	char cpu[TOP_TEXT_SIZE], memory[TOP_TEXT_SIZE];
	struct top_usage sum = { .pid = 0 };

	for (size_t i = 0; i < daemon->nr_consumers; i++) {
		sum.memory += daemon->consumers[i].memory;
		sum.cpu += daemon->consumers[i].cpu;
	}
	if (daemon->nr_consumers < 2)
		draw_usage("consumerd",
			   daemon->consumers && daemon->nr_consumers ? daemon->consumers : &sum,
			   text, size);
	else
		snprintf(text, size, "%zu consumerd: CPU %s, %s", daemon->nr_consumers,
			 top_format_share(sum.cpu, cpu),
			 top_format_bytes((double)sum.memory, memory));
}

static void draw_daemons(const struct screen *screen, int *row)
{
	const struct top_daemon *daemon = screen->top->daemons;
	char first[128], second[128];

	if (!daemon)
		put_line(row, A_BOLD, "no session daemon runs; looking for one");
	for (; daemon; daemon = daemon->next) {
		if (daemon->why[0] != '\0') {
			set_colour(screen, COLOUR_LOST, true);
			put_line(row, A_NORMAL, "%s: %s; trying again", daemon->runtime_dir,
				 daemon->why);
			set_colour(screen, COLOUR_LOST, false);
			continue;
		}
		draw_usage("sessiond", &daemon->daemon, first, sizeof(first));
		draw_consumers(daemon, second, sizeof(second));
		if (COLS < TOP_WIDE) {
			put_line(row, A_NORMAL, "%s: %" PRIu64 " registered", daemon->runtime_dir,
				 daemon->sample.processes);
			put_line(row, A_NORMAL, "  %s", first);
			put_line(row, A_NORMAL, "  %s", second);
			continue;
		}
		put_line(row, A_NORMAL, "%s: %" PRIu64 " registered | %s | %s", daemon->runtime_dir,
			 daemon->sample.processes, first, second);
	}
}

static void draw_fill(const struct screen *screen, int *row)
{
	double *fill, fullest = 0;
	size_t count = top_fill(screen->top, &fill);
	char share[TOP_TEXT_SIZE], text[257];
	size_t width = COLS > 40 ? (size_t)COLS - 40 : 8;

	for (size_t i = 0; i < count; i++)
		fullest = fmax(fullest, fill[i]);
	top_format_fill(fill, count, text, width < sizeof(text) ? width : sizeof(text) - 1);
	set_colour(screen, COLOUR_FULL, fullest >= 0.5);
	if (count)
		put_line(row, A_NORMAL, "fullest ring of each CPU: [%s] %s", text,
			 top_format_share(fullest, share));
	else
		put_line(row, A_NORMAL, "no ring is in use");
	set_colour(screen, COLOUR_FULL, false);
	free(fill);
}

static void draw_session(const struct screen *screen, int *row, const struct top_session *session)
{
	char events[TOP_TEXT_SIZE], lost[TOP_TEXT_SIZE], bytes[TOP_TEXT_SIZE];
	char count[TOP_TEXT_SIZE], gone[TOP_TEXT_SIZE], size[TOP_TEXT_SIZE];
	bool is_losing = session->rates.lost > 0;

	set_colour(screen, COLOUR_LOST, is_losing);
	amount_format_count(session->events, count);
	amount_format_count(session->lost, gone);
	amount_format_size(session->bytes, size);
	if (COLS < TOP_WIDE)
		put_line(row, A_NORMAL, TOP_NARROW_SESSION("%5" PRIu64), session->name,
			 session->active ? "active" : "stopped", session->alive,
			 top_format_rate(session->rates.events, events),
			 top_format_rate(session->rates.lost, lost), count, gone, size);
	else
		put_line(row, A_NORMAL, "%-20.20s %-8s %5" PRIu64 " %12s %10s %10s %15s %12s %10s",
			 session->name, session->active ? "active" : "stopped", session->alive,
			 top_format_rate(session->rates.events, events),
			 top_format_rate(session->rates.lost, lost),
			 top_format_bytes(session->rates.bytes, bytes), count, gone, size);
	if (session->error[0] != '\0')
		put_line(row, A_BOLD, "  %s", session->error);
	if (session->untraced[0] != '\0')
		put_line(row, A_NORMAL, "  %s", session->untraced);
	set_colour(screen, COLOUR_LOST, false);
}

static void draw_sessions(const struct screen *screen, int *row)
{
	if (COLS < TOP_WIDE)
		put_line(row, A_REVERSE, TOP_NARROW_SESSION("%5s"), "SESSION", "STATE", "PROCS",
			 "EVENTS/S", "LOST/S", "EVENTS", "LOST", "BYTES");
	else
		put_line(row, A_REVERSE, "%-20s %-8s %5s %12s %10s %10s %15s %12s %10s", "SESSION",
			 "STATE", "PROCS", "EVENTS/S", "LOST/S", "BYTES/S", "EVENTS", "LOST",
			 "BYTES");
	for (const struct top_daemon *daemon = screen->top->daemons; daemon; daemon = daemon->next)
		for (size_t i = 0; i < daemon->sample.nr_sessions; i++)
			draw_session(screen, row, &daemon->sample.sessions[i]);
}

static void draw_ring(const struct screen *screen, int *row, const struct top_rings *rings)
{
	size_t cpus =
		rings->nr_rings > LTTNGMAP_EXTRA_RINGS ? rings->nr_rings - LTTNGMAP_EXTRA_RINGS : 0;
	size_t width = COLS > 105 ? (size_t)COLS - 97 : 8;
	char pid[TOP_TEXT_SIZE] = "-", user[TOP_TEXT_SIZE], events[TOP_TEXT_SIZE];
	char lost[TOP_TEXT_SIZE], count[TOP_TEXT_SIZE], place[2 * NAME_SESSION_MAX + 32];
	char fill[257];
	bool is_losing = rings->rates.lost > 0;

	if (rings->pid)
		snprintf(pid, sizeof(pid), "%" PRIu64, rings->pid);
	snprintf(place, sizeof(place), "%s/%s", rings->session, rings->channel);
	top_format_fill(rings->fill, cpus, fill, width < sizeof(fill) ? width : sizeof(fill) - 1);
	amount_format_count(rings->events, count);
	set_colour(screen, COLOUR_LOST, is_losing);
	if (COLS < TOP_WIDE)
		put_line(row, rings->alive ? A_NORMAL : A_DIM, TOP_NARROW_RING, pid, rings->name,
			 top_format_rate(rings->rates.events, events),
			 top_format_rate(rings->rates.lost, lost), count, place, fill);
	else
		put_line(row, rings->alive ? A_NORMAL : A_DIM,
			 "%7s %-8.8s %-15s %12s %10s %15s %-20.20s %s", pid,
			 top_format_user(present_user(rings->pid, rings->uid), user), rings->name,
			 top_format_rate(rings->rates.events, events),
			 top_format_rate(rings->rates.lost, lost), count, place, fill);
	set_colour(screen, COLOUR_LOST, false);
}

static void draw_rings(struct screen *screen, int *row)
{
	struct top_row *rows;
	size_t count = top_rows(screen->top, screen->order, &rows);

	if (COLS < TOP_WIDE)
		put_line(row, A_REVERSE, TOP_NARROW_RING, "PID", "PROGRAM", "EVENTS/S", "LOST/S",
			 "EVENTS", "CHANNEL", "FILL");
	else
		put_line(row, A_REVERSE, "%7s %-8s %-15s %12s %10s %15s %-20s %s", "PID", "USER",
			 "PROGRAM", "EVENTS/S", "LOST/S", "EVENTS", "SESSION/CHANNEL",
			 "FILL BY CPU");
	screen->page = LINES - 1 > *row ? (size_t)(LINES - 1 - *row) : 0;
	if (screen->first + screen->page > count)
		screen->first = count > screen->page ? count - screen->page : 0;
	for (size_t i = screen->first; i < count && *row < LINES - 1; i++)
		draw_ring(screen, row, rows[i].rings);
	free(rows);
}

static void draw(struct screen *screen)
{
	char every[TOP_TEXT_SIZE], text[160];
	int row = 0, last = LINES - 1;

	erase();
	draw_daemons(screen, &row);
	draw_fill(screen, &row);
	draw_sessions(screen, &row);
	draw_rings(screen, &row);
	snprintf(text, sizeof(text), "q quit  s sort by %s  space %s  +/- every %s  up/down: rows",
		 top_order_name(screen->order), screen->paused ? "go on" : "pause",
		 options_format_duration(screen->top->interval_ms, every));
	move(last, 0);
	clrtoeol();
	put_line(&last, A_REVERSE, "%s", text);
	refresh();
}

/* ---- keys ------------------------------------------------------------------------- */

static void set_interval(struct screen *screen, uint64_t ms)
{
	if (ms < INTERVAL_LEAST_MS || ms > INTERVAL_MOST_MS)
		return;
	screen->top->interval_ms = ms;
	screen->next_ms = time_now_ms() + (int64_t)ms;
}

/* False: the user leaves. */
static bool take_key(struct screen *screen, int key)
{
	if (key == 'q' || key == 'Q')
		return false;
	if (key == 's')
		screen->order = (screen->order + 1) % TOP_ORDERS;
	else if (key == ' ')
		screen->paused = !screen->paused;
	else if (key == '+')
		set_interval(screen, screen->top->interval_ms * 2);
	else if (key == '-')
		set_interval(screen, screen->top->interval_ms / 2);
	else if (key == KEY_UP && screen->first > 0)
		screen->first--;
	else if (key == KEY_DOWN)
		screen->first++;
	else if (key == KEY_NPAGE)
		screen->first += screen->page;
	else if (key == KEY_PPAGE)
		screen->first -= screen->first < screen->page ? screen->first : screen->page;
	else if (key == KEY_HOME)
		screen->first = 0;
	return true;
}

/* Handles keys until the next sample is due. False: the user leaves. */
static bool wait_for_keys(struct screen *screen)
{
	struct pollfd terminal = { .fd = STDIN_FILENO, .events = POLLIN };
	int64_t rest;
	int key;

	for (unsigned empty = 0; empty < EMPTY_READS_MOST;) {
		rest = screen->next_ms - time_now_ms();
		if (rest <= 0)
			return true;
		if (poll(&terminal, 1, (int)rest) < 0 && errno != EINTR)
			return false;
		if (terminal.revents & (POLLHUP | POLLERR | POLLNVAL))
			return false;
		key = getch();
		if (key == ERR) {
			empty += terminal.revents & POLLIN ? 1 : 0;
			continue;
		}
		empty = 0;
		if (!take_key(screen, key))
			return false;
		draw(screen);
	}
	return false;
}

/* ---- begin and end ------------------------------------------------------------------ */

static void set_up(struct screen *screen)
{
	const char *no_color = getenv("NO_COLOR");

	cbreak();
	noecho();
	nodelay(stdscr, true);
	keypad(stdscr, true);
	curs_set(0);
	if ((no_color && *no_color) || !has_colors() || start_color() == ERR)
		return;
	use_default_colors();
	init_pair(COLOUR_LOST, COLOR_RED, -1);
	init_pair(COLOUR_FULL, COLOR_YELLOW, -1);
	screen->coloured = true;
}

int top_screen_run(struct top *top)
{
	struct screen screen = { .top = top };
	SCREEN *terminal = newterm(NULL, stdout, stdin);

	if (!terminal) {
		message_error("top: terminal '%s' is not known",
			      getenv("TERM") ? getenv("TERM") : "");
		message_hint("set TERM, or use --once");
		return CLI_STATUS_FAILED;
	}
	set_up(&screen);
	do {
		if (!screen.paused)
			top_look(top);
		draw(&screen);
		screen.next_ms = time_now_ms() + (int64_t)top->interval_ms;
	} while (wait_for_keys(&screen));
	endwin();
	delscreen(terminal);
	return CLI_STATUS_OK;
}
