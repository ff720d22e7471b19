/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * control-pages.h - what processes read: the global control and each
 * process's own page (lttngmap/abi.h).
 *
 * The main thread is the only writer. Processes read at any moment, without
 * a lock that could be waited for: the channel table under its seqlock, the
 * words one load each.
 */
#ifndef SESSIOND_MEMORY_CONTROL_PAGES_H
#define SESSIOND_MEMORY_CONTROL_PAGES_H

#include <stdbool.h>
#include <stdint.h>

#include <lttngmap/abi.h>

struct control_pages;
struct filter_pages;
struct saved_state;

/*
 * Creates control pages in the saved state's memory; `cpu_rings` is the number of possible CPU
 * numbers. After a restart, entries that were being changed when the daemon died may be in any
 * state until control_pages_end(). 0 or -errno.
 */
int control_pages_create(struct saved_state *saved_state, enum lttngmap_clock clock,
			 uint32_t cpu_rings, struct control_pages **pages);
/*
 * A restarted daemon calls control_pages_begin(), writes the channel of every slot, and calls
 * control_pages_end(). Between the two the sequence is odd: readers give up after
 * LTTNGMAP_SEQLOCK_TRIES. This also repairs a table that a killed daemon left half written.
 */
void control_pages_begin(struct control_pages *pages);
void control_pages_end(struct control_pages *pages);
void control_pages_destroy(struct control_pages *pages);

/* For handing over; read-only to whoever receives it. */
int control_pages_fd(const struct control_pages *pages);
uint64_t control_pages_size(const struct control_pages *pages);
/* The filters in it. */
struct filter_pages *control_pages_filters(const struct control_pages *pages);
/* The pages that processes map. */
const struct lttngmap_control *control_pages_get(const struct control_pages *pages);

/*
 * Publish a started channel: `channel` without its generation, which is made
 * here and was never used before in this slot. Returns it.
 */
uint32_t control_pages_publish(struct control_pages *pages, uint32_t slot,
			       const struct lttngmap_channel *channel);
/* Like control_pages_publish(), but keeps the generation of an equal channel that is there. */
uint32_t control_pages_publish_again(struct control_pages *pages, uint32_t slot,
				     const struct lttngmap_channel *channel);
/* The channel is not started any more. */
void control_pages_withdraw(struct control_pages *pages, uint32_t slot);
/* The daemon ends, and the next one goes on: said before the first control_pages_suspend(). */
void control_pages_say_leaving(struct control_pages *pages);
/* Like control_pages_withdraw(), but events of that channel count as lost from now on. */
void control_pages_suspend(struct control_pages *pages, uint32_t slot, uint32_t life);

/* Turn an event on or off in a channel. */
void control_pages_set_event(struct control_pages *pages, uint32_t id, uint32_t slot, bool on);
/* Turn all events off in a channel; ids from `ids` on were never given out. */
void control_pages_clear_events(struct control_pages *pages, uint32_t slot, uint32_t ids);

/* A process's page. */
void control_pages_init_process(struct lttngmap_process *page);
void control_pages_set_process(struct lttngmap_process *page, uint32_t slot, bool on);
void control_pages_set_process_flag(struct lttngmap_process *page, uint32_t flag);

/*
 * The number of rings that CPUs need: one more than the highest number in a
 * list as of /sys/devices/system/cpu/possible ("0-3,8"). -EINVAL where it is
 * not such a list.
 */
int control_pages_parse_cpus(const char *list);
/* The same of this machine. */
int control_pages_cpu_rings(void);

#endif /* SESSIOND_MEMORY_CONTROL_PAGES_H */
