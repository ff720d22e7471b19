/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/* What the session daemon gave up, and what it still can. */
#include <config.h>

#include "sessiond/confine.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>

#include "tests/utils/tap.h"

#include "tests/utils/confined.h"

static int call_ptrace(void)
{
	return outcome(ptrace(PTRACE_TRACEME, 0, NULL, NULL));
}

static int call_read_memory(void)
{
	return outcome(syscall(SYS_process_vm_readv, getpid(), NULL, 0, NULL, 0, 0));
}

static int call_module(void)
{
	return outcome(syscall(SYS_delete_module, "nosuchmodule", 0));
}

static int call_bpf(void)
{
	return outcome(syscall(SYS_bpf, 0, NULL, 0));
}

static int call_unshare(void)
{
	return outcome(syscall(SYS_unshare, 0));
}

static int call_inet(void)
{
	return outcome(socket(AF_INET, SOCK_STREAM, 0));
}

static int call_spawn(void)
{
	extern char **environ;
	char *arguments[] = { (char *)"true", NULL };
	int status, error;
	pid_t child;

	error = posix_spawn(&child, "/bin/true", NULL, NULL, arguments, environ);
	if (error)
		return error;
	if (waitpid(child, &status, 0) != child)
		return errno;
	return status ? ECHILD : 0;
}

static int call_look_into(void)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/mem", (int)getpid());
	fd = open(path, O_RDWR);
	return outcome(fd);
}

static int call_set_clock(void)
{
	struct timeval now;

	gettimeofday(&now, NULL);
	return outcome(settimeofday(&now, NULL));
}

int main(void)
{
#ifdef SANITIZED
	skip(6, "a sanitizer makes system calls of its own");
	(void)call_ptrace, (void)call_read_memory, (void)call_module, (void)call_bpf;
	(void)call_unshare, (void)call_inet;
#else
	is(confined(sessiond_confine, call_ptrace), EPERM, "traces no process");
	is(confined(sessiond_confine, call_read_memory), EPERM, "copies no process's memory");
	is(confined(sessiond_confine, call_module), EPERM, "changes no module");
	is(confined(sessiond_confine, call_bpf), EPERM, "loads no code into the kernel");
	is(confined(sessiond_confine, call_unshare), EPERM, "takes no other view of the machine");
	is(confined(sessiond_confine, call_inet), EAFNOSUPPORT, "uses no network");
#endif
	is(confined(sessiond_confine, call_set_clock), EPERM, "sets no clock");
	is(confined(sessiond_confine, call_spawn), 0, "it starts its consumer");
	is(confined(sessiond_confine, call_look_into), 0, "and looks into programs");
	return done_testing();
}
