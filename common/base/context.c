/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "common/base/context.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAMESPACE(name, what)                                                                      \
	{                                                                                          \
		name, 8, false, false, false, 10, what                                             \
	}
#define USER_ID(name, what)                                                                        \
	{                                                                                          \
		name, 4, false, false, false, 10, what                                             \
	}

const struct context_kind context_kinds[LTTNGMAP_CONTEXTS] = {
	[LTTNGMAP_CONTEXT_VPID] = { "vpid", 4, true, false, false, 10, "process id" },
	[LTTNGMAP_CONTEXT_VTID] = { "vtid", 4, true, false, false, 10, "thread id" },
	[LTTNGMAP_CONTEXT_PROCNAME] = { "procname", LTTNGMAP_PROCNAME_SIZE, false, true, false, 10,
					"name of the thread" },
	[LTTNGMAP_CONTEXT_PTHREAD_ID] = { "pthread_id", 8, false, false, false, 16,
					  "pthread_self()" },
	[LTTNGMAP_CONTEXT_IP] = { "ip", 8, false, false, false, 16, "address of the event" },
	[LTTNGMAP_CONTEXT_CGROUP_NS] = NAMESPACE("cgroup_ns", "inode of the cgroup namespace"),
	[LTTNGMAP_CONTEXT_IPC_NS] = NAMESPACE("ipc_ns", "inode of the IPC namespace"),
	[LTTNGMAP_CONTEXT_MNT_NS] = NAMESPACE("mnt_ns", "inode of the mount namespace"),
	[LTTNGMAP_CONTEXT_NET_NS] = NAMESPACE("net_ns", "inode of the network namespace"),
	[LTTNGMAP_CONTEXT_PID_NS] = NAMESPACE("pid_ns", "inode of the PID namespace"),
	[LTTNGMAP_CONTEXT_TIME_NS] = NAMESPACE("time_ns", "inode of the time namespace"),
	[LTTNGMAP_CONTEXT_USER_NS] = NAMESPACE("user_ns", "inode of the user namespace"),
	[LTTNGMAP_CONTEXT_UTS_NS] = NAMESPACE("uts_ns", "inode of the UTS namespace"),
	[LTTNGMAP_CONTEXT_VUID] = USER_ID("vuid", "real user id"),
	[LTTNGMAP_CONTEXT_VEUID] = USER_ID("veuid", "effective user id"),
	[LTTNGMAP_CONTEXT_VSUID] = USER_ID("vsuid", "saved user id"),
	[LTTNGMAP_CONTEXT_VGID] = USER_ID("vgid", "real group id"),
	[LTTNGMAP_CONTEXT_VEGID] = USER_ID("vegid", "effective group id"),
	[LTTNGMAP_CONTEXT_VSGID] = USER_ID("vsgid", "saved group id"),
	[LTTNGMAP_CONTEXT_CALLSTACK] = { "callstack", 8, false, false, true, 16,
					 "who called; callstack:64 has up to 64 frames" },
};

uint64_t context_mask(unsigned context)
{
	const uint64_t depth = UINT64_C(0xff) << LTTNGMAP_CALLSTACK_SHIFT;

	return UINT64_C(1) << context | (context == LTTNGMAP_CONTEXT_CALLSTACK ? depth : 0);
}

/* ":64", or nothing. */
static int take_depth(const char *text, uint64_t *depth)
{
	char *end;

	*depth = LTTNGMAP_CALLSTACK_DEFAULT;
	if (!*text)
		return 0;
	if (text[1] < '1' || text[1] > '9')
		return -ERANGE;
	*depth = strtoul(text + 1, &end, 10);
	return *end || *depth > LTTNGMAP_CALLSTACK_MAX ? -ERANGE : 0;
}

int context_find(const char *text, uint64_t *bits)
{
	for (unsigned i = 0; i < LTTNGMAP_CONTEXTS; i++) {
		size_t length = strlen(context_kinds[i].name);
		uint64_t depth = 0;

		if (strncmp(context_kinds[i].name, text, length) != 0 ||
		    (text[length] && (text[length] != ':' || i != LTTNGMAP_CONTEXT_CALLSTACK)))
			continue;
		if (i == LTTNGMAP_CONTEXT_CALLSTACK && take_depth(text + length, &depth) != 0)
			return -ERANGE;
		*bits = UINT64_C(1) << i | depth << LTTNGMAP_CALLSTACK_SHIFT;
		return (int)i;
	}
	return -EINVAL;
}

const char *context_text(unsigned context, uint64_t contexts, char text[CONTEXT_TEXT_SIZE])
{
	if (context == LTTNGMAP_CONTEXT_CALLSTACK)
		snprintf(text, CONTEXT_TEXT_SIZE, "%s:%u", context_kinds[context].name,
			 lttngmap_callstack_depth(contexts));
	else
		snprintf(text, CONTEXT_TEXT_SIZE, "%s", context_kinds[context].name);
	return text;
}

bool context_is_set(uint64_t contexts)
{
	const uint32_t depth = lttngmap_callstack_depth(contexts);
	const uint64_t known = context_mask(LTTNGMAP_CONTEXT_CALLSTACK) |
			       ((UINT64_C(1) << LTTNGMAP_CONTEXTS) - 1);

	return !(contexts & ~known) && depth <= LTTNGMAP_CALLSTACK_MAX &&
	       (contexts >> LTTNGMAP_CONTEXT_CALLSTACK & 1) == (depth != 0);
}
