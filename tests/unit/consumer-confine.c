/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/* What is left to the consumer of system calls and of root's rights. */
#include <config.h>

#include "consumerd/confine.h"

#include <fcntl.h>
#include <linux/capability.h>
#include <sys/fsuid.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <termios.h>

#include "tests/utils/tap.h"

#include "tests/utils/confined.h"

static char file[] = "/tmp/lttngmap-test.XXXXXX";

static int call_execve(void)
{
	char *arguments[] = { (char *)"true", NULL };

	return outcome(execve("/bin/true", arguments, NULL));
}

static int call_fork(void)
{
	pid_t child = fork();

	if (child == 0)
		_exit(0);
	return outcome(child);
}

static int call_ptrace(void)
{
	return outcome(ptrace(PTRACE_TRACEME, 0, NULL, NULL));
}

static int call_mount(void)
{
	return outcome(mount("none", "/tmp", "tmpfs", 0, NULL));
}

static int call_setuid(void)
{
	return outcome(setuid(getuid()));
}

static int call_kill(void)
{
	return outcome(kill(getppid(), 0));
}

static int call_bpf(void)
{
	return outcome(syscall(SYS_bpf, 0, NULL, 0));
}

static int call_unshare(void)
{
	return outcome(syscall(SYS_unshare, 0));
}

static int call_listen(void)
{
	return outcome(listen(0, 1));
}

static int call_inet(void)
{
	return outcome(socket(AF_INET, SOCK_STREAM, 0));
}

static int call_netlink(void)
{
	return outcome(socket(AF_NETLINK, SOCK_RAW, 0));
}

static int call_map_code(void)
{
	void *map = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return map == MAP_FAILED ? errno : 0;
}

static int call_protect_code(void)
{
	void *map = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return outcome(mprotect(map, 4096, PROT_READ | PROT_EXEC));
}

static int call_other_signal(void)
{
	return outcome(syscall(SYS_tgkill, getppid(), getppid(), 0));
}

static int call_other_limits(void)
{
	struct rlimit limit;

	return outcome(prlimit(getppid(), RLIMIT_NOFILE, NULL, &limit));
}

static int call_terminal(void)
{
	return outcome(ioctl(0, TIOCSTI, "x"));
}

static int call_unknown(void)
{
	return outcome(syscall(4000));
}

static int call_its_work(void)
{
	char *map = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int fd = open(file, O_WRONLY);

	if (map == MAP_FAILED || pwrite(fd, map, 10, 0) != 10 || ftruncate(fd, 5) != 0 ||
	    socket(AF_UNIX, SOCK_SEQPACKET, 0) < 0)
		return errno;
	return close(fd) == 0 ? 0 : errno;
}

/* What root may do with other users' files, and no trace needs. */
static int call_unnoticed(void)
{
	return outcome(open(file, O_RDONLY | O_NOATIME));
}

/* Its file rights go to an owner and come back. */
static int call_owner(void)
{
	struct stat status;
	int fd;

	setfsgid(65534);
	setfsuid(65534);
	if (unlink(file) == 0)
		return 1;
	setfsuid(0);
	setfsgid(0);
	fd = open(file, O_WRONLY | O_CREAT, 0600);
	if (fd < 0 || fstat(fd, &status) != 0 || status.st_uid != 0)
		return 2;
	return 0;
}

/* A line of /proc/self/status, as a number. */
static int status_line(const char *key, int base, uint64_t *value)
{
	char text[4096];
	const char *line;
	int fd = open("/proc/self/status", O_RDONLY);
	ssize_t size = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);

	if (size <= 0)
		return -1;
	close(fd);
	text[size] = '\0';
	line = strstr(text, key);
	if (!line)
		return -1;
	*value = strtoull(line + strlen(key), NULL, base);
	return 0;
}

static int call_no_new_privileges(void)
{
	uint64_t value = 0;

	return status_line("NoNewPrivs:\t", 10, &value) == 0 && value == 1 ? 0 : 1;
}

/* All but those that it needs are out of each set. */
static int call_capabilities(void)
{
	static const char *const sets[] = { "CapInh:\t", "CapPrm:\t", "CapEff:\t", "CapBnd:\t",
					    "CapAmb:\t" };
	uint64_t kept = 1u << CAP_SETUID | 1u << CAP_SETGID | 1u << CAP_DAC_OVERRIDE, value;

	for (size_t i = 0; i < sizeof(sets) / sizeof(sets[0]); i++) {
		/* Who is not root may not limit what programs could have that it cannot execute. */
		if (strncmp(sets[i], "CapBnd", 6) == 0 && geteuid() != 0)
			continue;
		if (status_line(sets[i], 16, &value) != 0 || value & ~kept)
			return (int)i + 1;
	}
	return 0;
}

struct expectation {
	const char *name;
	int (*call)(void);
	int outcome;
};

static const struct expectation calls[] = {
	{ "executes a program", call_execve, CONFINED_KILLED },
	{ "forks", call_fork, CONFINED_KILLED },
	{ "traces a process", call_ptrace, CONFINED_KILLED },
	{ "mounts", call_mount, CONFINED_KILLED },
	{ "becomes somebody", call_setuid, CONFINED_KILLED },
	{ "sends a signal", call_kill, CONFINED_KILLED },
	{ "loads code into the kernel", call_bpf, CONFINED_KILLED },
	{ "takes another view of the machine", call_unshare, CONFINED_KILLED },
	{ "listens", call_listen, CONFINED_KILLED },
	{ "uses the network", call_inet, EAFNOSUPPORT },
	{ "configures the network", call_netlink, EAFNOSUPPORT },
	{ "maps code", call_map_code, EPERM },
	{ "makes code of data", call_protect_code, EPERM },
	{ "sends a thread a signal", call_other_signal, EPERM },
	{ "looks at another's limits", call_other_limits, EPERM },
	{ "types at the terminal", call_terminal, ENOSYS },
	{ "makes a call that nobody knows", call_unknown, ENOSYS },
};

static void test_calls(void)
{
	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
		is(confined(consumer_confine, calls[i].call), calls[i].outcome, calls[i].name);
}

int main(void)
{
	int fd = mkstemp(file);

	if (fd < 0)
		bail_out("%s: %s", file, strerror(errno));
	close(fd);
#ifdef SANITIZED
	skip((int)(sizeof(calls) / sizeof(calls[0])), "a sanitizer makes system calls of its own");
	(void)test_calls;
#else
	test_calls();
#endif
	is(confined(consumer_confine, call_its_work), 0, "does its work");
	if (geteuid() == 0) {
		if (chown(file, 65534, 65534) != 0)
			bail_out("chown: %s", strerror(errno));
		is(call_unnoticed(), 0, "root has its rights");
		is(confined(consumer_confine, call_unnoticed), EPERM, "and gives them up");
		if (chown(file, 0, 0) != 0)
			bail_out("chown: %s", strerror(errno));
		is(confined(consumer_confine, call_owner), 0, "it writes as an owner, and as root");
	} else {
		skip(3, "only root has rights to give up");
	}
	is(confined(consumer_confine, call_no_new_privileges), 0, "it can gain none");
	is(confined(consumer_confine, call_capabilities), 0, "nor has it others");
	unlink(file);
	return done_testing();
}
