/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "consumerd/turn.h"

/*
 * The loop takes sources of one priority in the order of how long they have
 * been pending. One that stays on has always been so for longest, and would
 * hold up all descriptors and timers: so it is set anew for each turn.
 */
static void ask_for_turn(struct turns *turns)
{
	/* Fails only where the loop is being torn down. */
	(void)sd_event_source_set_enabled(turns->source, SD_EVENT_ONESHOT);
}

static int serve_first(sd_event_source *source, void *userdata)
{
	struct turns *turns = userdata;
	struct turn *turn;

	(void)source;
	if (!cds_list_empty(&turns->queue)) {
		turn = cds_list_first_entry(&turns->queue, struct turn, node);
		turn_remove(turn);
		turn->serve(turn);
	}
	if (!cds_list_empty(&turns->queue))
		ask_for_turn(turns);
	return 0;
}

int turns_init(struct turns *turns, sd_event *loop)
{
	int error;

	CDS_INIT_LIST_HEAD(&turns->queue);
	turns->source = NULL;
	error = sd_event_add_defer(loop, &turns->source, serve_first, turns);
	if (error < 0)
		return error;
	return sd_event_source_set_enabled(turns->source, SD_EVENT_OFF);
}

void turns_fini(struct turns *turns)
{
	turns->source = sd_event_source_disable_unref(turns->source);
}

bool turns_are_empty(struct turns *turns)
{
	return cds_list_empty(&turns->queue);
}

void turn_add(struct turns *turns, struct turn *turn)
{
	if (turn->queued)
		return;
	turn->queued = true;
	cds_list_add_tail(&turn->node, &turns->queue);
	ask_for_turn(turns);
}

void turn_remove(struct turn *turn)
{
	if (!turn->queued)
		return;
	turn->queued = false;
	cds_list_del(&turn->node);
}
