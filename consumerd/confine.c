/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include <config.h>

#include "consumerd/confine.h"

#include <errno.h>
#include <grp.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <linux/capability.h>

#include <lttngmap/ring-file.h>

#include "common/base/confine-calls.h"
#include "common/base/confine.h"

/* To write with an owner's rights; and as root where only root may write. */
static const int kept[] = { CAP_SETUID, CAP_SETGID, CAP_DAC_OVERRIDE };

static const char *const allowed[] = {
	/* Files. */
	"read", "readv", "pread64", "preadv", "preadv2", "write", "writev", "pwrite64", "pwritev",
	"pwritev2", "open", "openat", "openat2", "close", "close_range", "lseek", "_llseek", "stat",
	"fstat", "lstat", "newfstatat", "stat64", "fstat64", "lstat64", "fstatat64", "statx",
	"statfs", "fstatfs", "statfs64", "fstatfs64", "access", "faccessat", "faccessat2",
	"readlink", "readlinkat", "getdents", "getdents64", "getcwd", "mkdir", "mkdirat", "unlink",
	"unlinkat", "rmdir", "rename", "renameat", "renameat2", "link", "linkat", "ftruncate",
	"ftruncate64", "fallocate", "fadvise64", "fadvise64_64", "sync_file_range", "fsync",
	"fdatasync", "sync", "syncfs", "sendfile", "sendfile64", "copy_file_range", "fcntl",
	"fcntl64", "fremovexattr", "dup", "dup2", "dup3", "umask", "flock", "pipe", "pipe2",
	/* Memory. */
	"brk", "munmap", "mremap", "madvise", "mincore", "mlock", "munlock", "msync",
	/* The loop. */
	"epoll_create", "epoll_create1", "epoll_ctl", "epoll_wait", "epoll_pwait", "epoll_pwait2",
	"eventfd", "eventfd2", "timerfd_create", "timerfd_settime", "timerfd_settime64",
	"timerfd_gettime", "signalfd", "signalfd4", "inotify_init", "inotify_init1",
	"inotify_add_watch", "inotify_rm_watch", "poll", "ppoll", "ppoll_time64", "select",
	"_newselect", "pselect6", "pselect6_time64",
	/* Sockets; which kinds is told apart. */
	"connect", "sendmsg", "sendto", "send", "recvmsg", "recvfrom", "recv", "getsockopt",
	"setsockopt", "shutdown", "getsockname", "getpeername",
	/* Itself. */
	"getpid", "gettid", "getppid", "getuid", "geteuid", "getgid", "getegid", "getuid32",
	"geteuid32", "getgid32", "getegid32", "getgroups", "getgroups32", "setfsuid", "setfsgid",
	"setfsuid32", "setfsgid32", "getrlimit", "ugetrlimit", "setrlimit", "getrusage", "times",
	"sched_yield", "sched_getaffinity", "getcpu", "uname", "sysinfo", "futex", "futex_time64",
	"set_robust_list", "get_robust_list", "rseq", "membarrier", "arch_prctl", "set_tid_address",
	"exit", "exit_group", "getrandom", "getpgrp", "getpgid", "getsid",
	/* Signals and time. */
	"rt_sigaction", "rt_sigprocmask", "rt_sigreturn", "rt_sigpending", "rt_sigtimedwait",
	"rt_sigtimedwait_time64", "rt_sigsuspend", "sigaltstack", "sigreturn", "restart_syscall",
	"pause", "clock_gettime", "clock_gettime64", "clock_getres", "clock_getres_time64",
	"clock_nanosleep", "clock_nanosleep_time64", "nanosleep", "gettimeofday", "time", NULL
};

/* Beside those that no daemon makes: it starts nothing, mounts nothing, stays who it is. */
static const char *const hostile[] = {
	"execve",      "execveat",    "fork",      "vfork",          "clone",     "clone3",
	"mount",       "umount",      "umount2",   "move_mount",     "open_tree", "fsopen",
	"fsmount",     "fsconfig",    "fspick",    "mount_setattr",  "setuid",    "setuid32",
	"setgid",      "setgid32",    "setreuid",  "setreuid32",     "setregid",  "setregid32",
	"setresuid",   "setresuid32", "setresgid", "setresgid32",    "setgroups", "setgroups32",
	"capset",      "mknod",       "mknodat",   "tkill",          "kill",      "pidfd_open",
	"pidfd_getfd", "bind",        "listen",    "io_uring_setup", NULL
};

static int allow_conditions(scmp_filter_ctx filter)
{
	static const unsigned long ioctls[] = {
		TRACE_MMAP_IOCTL_GET_READER, LTTNGMAP_IOC_GET_PACKET, LTTNGMAP_IOC_GET_PACKETS,
		LTTNGMAP_IOC_CHECK_PACKET,   LTTNGMAP_IOC_GET_SIZE,   TCGETS
	};
	static const char *const maps[] = { "mmap", "mmap2", "mprotect", NULL };
	int error = 0;

	for (size_t i = 0; i < sizeof(ioctls) / sizeof(ioctls[0]) && error == 0; i++)
		error = seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(ioctl), 1,
					 SCMP_A1(SCMP_CMP_MASKED_EQ, UINT32_MAX, ioctls[i]));
	for (size_t i = 0; maps[i] && error == 0; i++) {
		int number = seccomp_syscall_resolve_name(maps[i]);

		if (number != __NR_SCMP_ERROR)
			error = seccomp_rule_add(filter, SCMP_ACT_ALLOW, number, 1,
						 SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, 0));
	}
	if (error == 0)
		error = seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(prlimit64), 1,
					 SCMP_A0(SCMP_CMP_EQ, 0, 0));
	/* abort(3). */
	if (error == 0)
		error = seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(tgkill), 1,
					 SCMP_A0(SCMP_CMP_EQ, (scmp_datum_t)getpid(), 0));
	if (error == 0)
		error = seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(socket), 1,
					 SCMP_A0(SCMP_CMP_EQ, AF_UNIX, 0));
	return error;
}

static int refuse_conditions(scmp_filter_ctx filter)
{
	static const char *const names[] = { "mmap", "mmap2", "mprotect", NULL };
	int error = 0;

	for (size_t i = 0; names[i] && error == 0; i++) {
		int number = seccomp_syscall_resolve_name(names[i]);

		if (number != __NR_SCMP_ERROR)
			error = seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM), number, 1,
						 SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, PROT_EXEC));
	}
	if (error == 0)
		error = seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(prlimit64), 1,
					 SCMP_A0(SCMP_CMP_NE, 0, 0));
	if (error == 0)
		error = seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(tgkill), 1,
					 SCMP_A0(SCMP_CMP_NE, (scmp_datum_t)getpid(), 0));
	return error ? error : confine_calls_sockets(filter);
}

#ifdef SANITIZED
__attribute__((unused))
#endif
static int
confine_calls(void)
{
	scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ERRNO(ENOSYS));
	int error;

	if (!filter)
		return -ENOMEM;
	error = confine_calls_add(filter, SCMP_ACT_ALLOW, allowed);
	if (error == 0)
		error = allow_conditions(filter);
	if (error == 0)
		error = refuse_conditions(filter);
	if (error == 0)
		error = confine_calls_add(filter, SCMP_ACT_KILL_PROCESS, hostile);
	if (error == 0)
		error = confine_calls_add(filter, SCMP_ACT_KILL_PROCESS, confine_calls_hostile);
	if (error == 0)
		error = confine_calls_load(filter);
	seccomp_release(filter);
	return error;
}

/* Else root's groups would be the rights of everybody whom it writes for. */
static int leave_groups(void)
{
	return geteuid() == 0 && setgroups(0, NULL) < 0 ? -errno : 0;
}

int consumer_confine(void)
{
	int left = leave_groups();
	int error = confine_privileges(kept, sizeof(kept) / sizeof(kept[0]));

#ifndef SANITIZED
	if (error == 0)
		error = confine_calls();
#endif
	return error ? error : left;
}
