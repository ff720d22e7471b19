/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "common/base/confine-calls.h"

#include <errno.h>
#include <sys/socket.h>

const char *const confine_calls_hostile[] = {
	/* The kernel's own code. */
	"init_module", "finit_module", "delete_module", "kexec_load", "kexec_file_load", "bpf",
	"perf_event_open", "userfaultfd", "iopl", "ioperm", "modify_ldt", "vm86", "uselib",
	/* Other processes. */
	"ptrace", "process_vm_readv", "process_vm_writev", "process_madvise", "kcmp",
	/* Another view of the machine. */
	"chroot", "pivot_root", "setns", "unshare", "open_by_handle_at", "personality",
	/* Keys, the clock, the machine as a whole. */
	"add_key", "keyctl", "request_key", "settimeofday", "clock_settime", "adjtimex",
	"clock_adjtime", "reboot", "swapon", "swapoff", "acct", "quotactl", "sethostname",
	"setdomainname", "syslog", "nfsservctl", "lookup_dcookie", NULL
};

int confine_calls_add(scmp_filter_ctx filter, uint32_t action, const char *const *names)
{
	int error = 0;

	for (; *names && error == 0; names++) {
		int number = seccomp_syscall_resolve_name(*names);

		/* One that this machine does not have is no rule, and no error. */
		if (number != __NR_SCMP_ERROR)
			error = seccomp_rule_add(filter, action, number, 0);
	}
	return error;
}

int confine_calls_sockets(scmp_filter_ctx filter)
{
	return seccomp_rule_add(filter, SCMP_ACT_ERRNO(EAFNOSUPPORT), SCMP_SYS(socket), 1,
				SCMP_A0(SCMP_CMP_NE, AF_UNIX, 0));
}

int confine_calls_load(scmp_filter_ctx filter)
{
	/* Refused calls are in the kernel's audit log if there is one. */
	(void)seccomp_attr_set(filter, SCMP_FLTATR_CTL_LOG, 1);
	/* Calls cost what they cost before: no slower CPU, and a tree of comparisons. */
	(void)seccomp_attr_set(filter, SCMP_FLTATR_CTL_SSB, 1);
	(void)seccomp_attr_set(filter, SCMP_FLTATR_CTL_OPTIMIZE, 2);
	return seccomp_load(filter);
}
