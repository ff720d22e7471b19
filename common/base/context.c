/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "common/base/context.h"

#include <errno.h>
#include <string.h>

#define NAMESPACE(name, what)                                                                      \
	{                                                                                          \
		name, 8, false, false, 10, what                                                    \
	}
#define USER_ID(name, what)                                                                        \
	{                                                                                          \
		name, 4, false, false, 10, what                                                    \
	}

const struct context_kind context_kinds[LTTNGMAP_CONTEXTS] = {
	[LTTNGMAP_CONTEXT_VPID] = { "vpid", 4, true, false, 10, "process id" },
	[LTTNGMAP_CONTEXT_VTID] = { "vtid", 4, true, false, 10, "thread id" },
	[LTTNGMAP_CONTEXT_PROCNAME] = { "procname", LTTNGMAP_PROCNAME_SIZE, false, true, 10,
					"name of the thread" },
	[LTTNGMAP_CONTEXT_PTHREAD_ID] = { "pthread_id", 8, false, false, 16, "pthread_self()" },
	[LTTNGMAP_CONTEXT_IP] = { "ip", 8, false, false, 16, "address of the event" },
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
};

int context_find(const char *name)
{
	for (unsigned i = 0; i < LTTNGMAP_CONTEXTS; i++)
		if (strcmp(context_kinds[i].name, name) == 0)
			return (int)i;
	return -EINVAL;
}
