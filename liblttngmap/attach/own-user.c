/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "liblttngmap/attach/own-user.h"

#include <stddef.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include "common/protocol/protocol-app.h"
#include "liblttngmap/attach/attach.h"
#include "liblttngmap/attach/sandbox.h"
#include "liblttngmap/base/arch.h"
#include "liblttngmap/base/descriptors.h"
#include "liblttngmap/base/local.h"

/* The kernel looks whether the process may call itself that user. Nobody waits for the daemon. */
static bool tell(int socket, uint32_t user)
{
	struct protocol_app_header message = {
		.magic = PROTOCOL_APP_MAGIC,
		.major = PROTOCOL_APP_MAJOR,
		.minor = PROTOCOL_APP_MINOR,
		.type = PROTOCOL_APP_USER,
		.size = sizeof(message),
	};
	struct ucred now = {
		.pid = (pid_t)arch_syscall(SYS_getpid),
		.uid = user,
		.gid = (gid_t)arch_syscall(SYS_getegid),
	};
	union {
		struct cmsghdr header;
		char room[CMSG_SPACE(sizeof(now))];
	} control = { .header = { .cmsg_len = CMSG_LEN(sizeof(now)),
				  .cmsg_level = SOL_SOCKET,
				  .cmsg_type = SCM_CREDENTIALS } };
	struct iovec part = { &message, sizeof(message) };
	struct msghdr all = {
		.msg_iov = &part,
		.msg_iovlen = 1,
		.msg_control = &control,
		.msg_controllen = sizeof(control),
	};

	__builtin_memcpy(CMSG_DATA(&control.header), &now, sizeof(now));
	return arch_syscall(SYS_sendmsg, socket, &all, MSG_DONTWAIT | MSG_NOSIGNAL) ==
	       sizeof(message);
}

__attribute__((visibility("default"))) void lttngmap_user_changed(void)
{
	struct local *local = local_pages;
	uint32_t user = (uint32_t)arch_syscall(SYS_geteuid);

	/* A child of vfork has its parent's memory. In a forked one the pages are empty. */
	if (!local || !__atomic_load_n(&local->process, __ATOMIC_ACQUIRE) ||
	    __atomic_load_n(&local->user, __ATOMIC_RELAXED) == user || sandbox_is_on() ||
	    !attach_is_registered() || !descriptors_has_socket(local->socket))
		return;
	if (tell(local->socket, user))
		__atomic_store_n(&local->user, user, __ATOMIC_RELAXED);
}
