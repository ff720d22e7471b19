/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * control-act.h - actions of triggers: each is a request, as a command of the trigger's owner would
 * send it, and is checked as one.
 *
 * Main thread.
 */
#ifndef SESSIOND_CONTROL_CONTROL_ACT_H
#define SESSIOND_CONTROL_CONTROL_ACT_H

struct session;
struct trigger_action;

/* Calls trigger_acted() once, at once or later, unless the trigger is removed before. */
void control_act(struct session *trigger, struct trigger_action *action);

#endif /* SESSIOND_CONTROL_CONTROL_ACT_H */
