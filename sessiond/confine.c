/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include <config.h>

#include "sessiond/confine.h"

#include <errno.h>

#include <linux/capability.h>

#include "common/base/confine-calls.h"
#include "common/base/confine.h"

/* The same capabilities as in systemd/system/lttngmap-sessiond.service.in. */
static const int kept[] = {
	CAP_SYS_ADMIN,       /* mount of the rings, and FUSE passthrough */
	CAP_SYS_PTRACE,      /* programs that ran before the daemon (late-attach.h) */
	CAP_LINUX_IMMUTABLE, /* memories without holes (memory.h) */
	CAP_DAC_OVERRIDE,    CAP_CHOWN,  CAP_FOWNER, /* the runtime directory and its sockets */
	CAP_SETUID,          CAP_SETGID,             /* the consumer's, to write as an owner */
};

#ifdef SANITIZED
__attribute__((unused))
#endif
static int
confine_calls(void)
{
	scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ALLOW);
	int error;

	if (!filter)
		return -ENOMEM;
	error = confine_calls_add(filter, SCMP_ACT_ERRNO(EPERM), confine_calls_hostile);
	if (error == 0)
		error = confine_calls_sockets(filter);
	if (error == 0)
		error = confine_calls_load(filter);
	seccomp_release(filter);
	return error;
}

int sessiond_confine(void)
{
	int error = confine_privileges(kept, sizeof(kept) / sizeof(kept[0]));

#ifndef SANITIZED
	if (error == 0)
		error = confine_calls();
#endif
	return error;
}
