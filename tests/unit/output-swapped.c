/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * Another user owns the output's folder. Each file and folder of a trace is replaced by a link, a
 * FIFO, a hard link, a mount, a folder of that user, or held by a lease, before each single system
 * call that takes a path, of all that a consumer does with a trace. Whatever that was: a folder
 * beside the output keeps every byte and every time stamp, and the consumer neither waits nor dies.
 *
 * Each run is a process of its own, stopped by SECCOMP_RET_TRACE where it makes such a call.
 */
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/protocol/ended-streams.h"
#include "common/protocol/live-time.h"
#include "common/base/log.h"
#include "common/protocol/relay-progress.h"
#include "consumerd/session/live.h"
#include "consumerd/session/spool.h"
#include "consumerd/stream/stream.h"
#include "tests/utils/short.h"
#include "tests/utils/tap.h"
#include "tests/utils/trace-kit.h"

#define NAME "channel_prog.x-4711-1_2"
#define ATTACKER 65534
#define DEADLINE_S 20 /* fewer than a lease lasts (45), more than a busy machine takes */
#define SECRET_SIZE 4096

static char base[PATH_MAX / 4], output[PATH_MAX / 2];
static struct stream_pool pool;
static bool is_root;

/* ---- what a consumer does ---------------------------------------------------------- */

static int nr_failed; /* in this process */

static void done(int error)
{
	nr_failed += error != 0;
}

static void write_packets(struct trace *trace, uint64_t from, uint64_t to)
{
	struct stream *stream = stream_create(trace, &pool, NAME, "prog.x", TRACE_KIT_STREAM_ID);
	char body[TRACE_KIT_BODY_MAX];
	struct lttngmap_packet packet;

	/* Two files, so that the oldest is discarded. */
	stream_limit(stream, &(struct stream_limits){ 600, 2 });
	for (; from < to; from++) {
		trace_kit_packet(2, from, &packet, body);
		done(stream_write(stream, &packet, body));
		done(stream_flush(stream));
	}
	stream_end(stream);
	stream_destroy(stream);
}

static void write_metadata(struct trace *trace)
{
	size_t size;
	const char *text = trace_kit_metadata_text(&size);

	done(trace_write_metadata(trace, text, size, 0));
	done(live_tell(trace, 1, false));
}

static bool open_next(struct trace *trace)
{
	int error = trace_open_next(trace);

	/* As a session tries it again. */
	if (error)
		error = trace_open_next(trace);
	done(error);
	return error == 0;
}

/* Up to the end of a session; trace_close() is the caller's. */
static void use(struct trace *trace, struct spool *spool)
{
	spool_open(spool, trace);
	write_metadata(trace);
	write_packets(trace, 0, 4);
	done(trace_prepare_chunk(trace, "one"));
	write_packets(trace, 4, 5);
	done(trace_move_chunk(trace, "one"));
	trace_leave(trace);
	trace->chunk++;
	if (!open_next(trace))
		return;
	write_metadata(trace);
	write_packets(trace, 5, 8);
	done(trace_clear(trace));
	write_packets(trace, 8, 9);
	done(trace_prepare_chunk(trace, "two"));
	trace_abandon_chunk(trace, "two");
}

static void consume(void)
{
	struct spool *spool = spool_create(1 << 20);
	/* stop, and start again */
	for (int round = 0; round < 2; round++) {
		struct trace trace = { .is_sent = true };
		int error = trace_open_as(&trace, output, trace_kit_uuid, geteuid(), getegid());

		done(error);
		if (error)
			continue;
		if (round)
			write_packets(&trace, 9, 10);
		else
			use(&trace, spool);
		trace_close(&trace);
	}
	spool_destroy(spool);
}

/* ---- what must stay as it is --------------------------------------------------------- */

static char secret[SECRET_SIZE], secret_before[SECRET_SIZE];
static size_t secret_used;

static int add_entry(const char *path, const struct stat *status, int type, struct FTW *walk)
{
	char text[64] = "";
	int fd;

	(void)walk;
	fd = type == FTW_F ? open(path, O_RDONLY | O_NONBLOCK) : -1;
	if (fd >= 0 && read(fd, text, sizeof(text) - 1) < 0)
		text[0] = '?';
	if (fd >= 0)
		close(fd);
	secret_used += (size_t)snprintf(secret + secret_used, SECRET_SIZE - secret_used,
					"%s %o %u %u %lld %lld.%ld %s\n", path + strlen(base),
					status->st_mode, status->st_uid, status->st_gid,
					(long long)status->st_size,
					(long long)status->st_mtim.tv_sec, status->st_mtim.tv_nsec,
					text);
	if (secret_used >= SECRET_SIZE)
		bail_out("the secret is too long");
	return 0;
}

static void look(void)
{
	secret_used = 0;
	if (nftw(trace_kit_path("secret"), add_entry, 8, FTW_PHYS) < 0)
		bail_out("cannot look: %s", strerror(errno));
}

static void put_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CREAT, 0600);

	if (fd < 0 || write(fd, text, strlen(text)) < 0)
		bail_out("%s: %s", path, strerror(errno));
	close(fd);
}

/* It has all names that a consumer could take for its own. */
static void make_secret(void)
{
	static const char *const folders[] = {
		"secret",           "secret/index",    "secret/ust",       "secret/one",
		"secret/.ust.next", "secret/archives", "secret/ust/index",
	};

	for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++)
		mkdir(trace_kit_path("%s", folders[i]), 0700);
	put_file(trace_kit_path("secret/file"), "this is root's");
	put_file(trace_kit_path("secret/ust/keep"), "keep it");
	put_file(trace_kit_path("secret/index/keep.idx"), "keep it, too");
	look();
	memcpy(secret_before, secret, sizeof(secret));
}

/* ---- what is done to it -------------------------------------------------------------- */

enum kind { LINK, FIFO, HARD_LINK, LEASE, MOUNT, THEIRS, NR_KINDS };
static const char *const kinds[] = {
	"link", "FIFO", "hard link", "lease", "mount", "their folder"
};

struct object {
	const char *name;
	unsigned what; /* bits of kinds */
};
#define FOLDER (1u << LINK | 1u << FIFO | 1u << MOUNT | 1u << THEIRS)
#define FILE_KINDS (1u << LINK | 1u << FIFO | 1u << HARD_LINK | 1u << LEASE)

static const struct object objects[] = {
	{ "", 1u << LINK | 1u << FIFO },
	{ "/ust", FOLDER },
	{ "/ust/index", FOLDER },
	{ "/.ust.next", FOLDER },
	{ "/archives", FOLDER },
	{ "/archives/one", FOLDER },
	{ "/archives/one/ust", 1u << LINK | 1u << THEIRS },
	{ "/ust/metadata", FILE_KINDS },
	{ "/ust/.metadata.new", FILE_KINDS },
	{ "/ust/" LIVE_TIME_NAME ".new", FILE_KINDS },
	{ "/ust/" ENDED_STREAMS_NAME, FILE_KINDS },
	{ "/ust/" TRACE_OVERWRITTEN, FILE_KINDS },
	{ "/ust/" NAME "_1", FILE_KINDS },
	{ "/ust/index/" NAME "_1.idx", FILE_KINDS },
	{ "/" RELAY_PROGRESS_NAME, FILE_KINDS },
};

static int lease_fd = -1, their_fd = -1;
static struct stat theirs_before;
static int mounted = -1; /* its folder moves with the trace */

static void take_lease(const char *path)
{
	lease_fd = open(path, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CREAT, 0600);
	if (lease_fd >= 0)
		(void)fcntl(lease_fd, F_SETLEASE, F_WRLCK);
}

static void put_mount(const char *path, const char *target)
{
	(void)mkdir(path, 0700);
	if (mount(target, path, NULL, MS_BIND, NULL) == 0)
		mounted = open(path, O_PATH | O_CLOEXEC);
}

/* A relative one: an absolute one leads through the root's mount, which is refused as such. */
static void put_link(const char *path, const char *name, const char *target)
{
	char relative[PATH_MAX] = ".";

	for (; *name; name++)
		if (*name == '/')
			strcat(relative, "/..");
	strcat(relative, target);
	(void)!symlink(relative, path);
}

/* Not empty, for no rename is to take its place. */
static void put_theirs(const char *path)
{
	if (mkdir(path, 0777) < 0)
		return;
	their_fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	close(openat(their_fd, "theirs", O_WRONLY | O_CREAT, 0600));
	if (fchown(their_fd, ATTACKER, ATTACKER) < 0 || fstat(their_fd, &theirs_before) < 0)
		bail_out("%s: %s", path, strerror(errno));
}

static bool is_theirs_changed(void)
{
	struct stat now;

	return their_fd >= 0 &&
	       (fstat(their_fd, &now) < 0 || now.st_mtim.tv_sec != theirs_before.st_mtim.tv_sec ||
		now.st_mtim.tv_nsec != theirs_before.st_mtim.tv_nsec);
}

/* What cannot be done at that moment is not: its parent is missing. */
static void swap(const struct object *object, enum kind kind)
{
	bool is_folder = object->what & (1u << MOUNT | 1u << THEIRS) || !object->name[0];
	char path[PATH_MAX], aside[PATH_MAX], target[PATH_MAX];
	const char *last;

	snprintf(path, sizeof(path), "%s%s", output, object->name);
	last = strrchr(path, '/');
	snprintf(aside, sizeof(aside), "%.*s/.aside-%s", (int)(last - path), path, last + 1);
	snprintf(target, sizeof(target), "%s/%s", base, is_folder ? "secret" : "secret/file");
	if (kind == LEASE) {
		take_lease(path);
		return;
	}
	if (kind == MOUNT) {
		put_mount(path, target);
		return;
	}
	(void)rename(path, aside);
	if (kind == LINK)
		put_link(path, object->name, target + strlen(base));
	else if (kind == FIFO)
		(void)mkfifo(path, 0666);
	else if (kind == HARD_LINK)
		(void)!link(target, path);
	else if (kind == THEIRS)
		put_theirs(path);
	if (is_root && kind != HARD_LINK && kind != THEIRS)
		(void)!lchown(path, ATTACKER, ATTACKER);
}

static int remove_entry(const char *path, const struct stat *status, int type, struct FTW *walk)
{
	(void)status;
	(void)type;
	(void)walk;
	return remove(path);
}

static void clean_up(void)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", mounted);
	if (mounted >= 0 && (umount2(path, MNT_DETACH) < 0 || close(mounted) < 0))
		bail_out("umount: %s", strerror(errno));
	mounted = -1;
	if (lease_fd >= 0)
		close(lease_fd);
	lease_fd = -1;
	if (their_fd >= 0)
		close(their_fd);
	their_fd = -1;
	(void)nftw(output, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
	snprintf(path, sizeof(path), "%s/.aside-output", base);
	(void)nftw(path, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
}

/* ---- one run ------------------------------------------------------------------------- */

#define CALL(name)                                                                                 \
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##name, 0, 1),                                     \
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRACE)

static void stop_at_paths(void)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		CALL(openat),
		CALL(openat2),
		CALL(mkdirat),
		CALL(renameat),
		CALL(renameat2),
		CALL(unlinkat),
		CALL(newfstatat),
		CALL(readlinkat),
#ifdef SYS_open
		CALL(open),
		CALL(mkdir),
		CALL(rename),
		CALL(unlink),
		CALL(stat),
		CALL(lstat),
		CALL(readlink),
#endif
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { sizeof(filter) / sizeof(filter[0]), filter };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) < 0)
		_exit(99);
}

static pid_t start_consumer(void)
{
	pid_t pid = fork();

	if (pid != 0)
		return pid;
	if (ptrace(PTRACE_TRACEME, 0, 0, 0) < 0)
		_exit(99);
	raise(SIGSTOP);
	stop_at_paths();
	consume();
	_exit(nr_failed ? 1 : 0);
}

static volatile sig_atomic_t is_late;

static void on_alarm(int signal_number)
{
	(void)signal_number;
	is_late = 1;
}

/* Up to its end, with the swap before call number `at`. How it ended; -1: it did not. */
static int run(const struct object *object, enum kind kind, int at, int *nr_calls)
{
	int status = 0, calls = 0;
	pid_t pid;

	mkdir(output, 0755);
	if (is_root && chown(output, ATTACKER, ATTACKER) < 0)
		bail_out("chown");
	pid = start_consumer();
	if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFSTOPPED(status))
		bail_out("no process");
	ptrace(PTRACE_SETOPTIONS, pid, 0, PTRACE_O_TRACESECCOMP | PTRACE_O_EXITKILL);
	is_late = 0;
	alarm(DEADLINE_S);
	for (;;) {
		ptrace(PTRACE_CONT, pid, 0,
		       WIFSTOPPED(status) && !(status >> 16) && WSTOPSIG(status) != SIGSTOP
			       ? WSTOPSIG(status)
			       : 0);
		if (waitpid(pid, &status, 0) != pid) {
			kill(pid, SIGKILL);
			waitpid(pid, &status, 0);
			return -1;
		}
		if (!WIFSTOPPED(status))
			break;
		if (status >> 8 == (SIGTRAP | PTRACE_EVENT_SECCOMP << 8) && ++calls == at)
			swap(object, kind);
	}
	alarm(0);
	*nr_calls = calls;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

static bool is_possible(const struct object *object, unsigned kind)
{
	if (!(object->what & 1u << kind))
		return false;
	/* Only root tells others' links and folders from its own, and mounts. */
	return is_root || (object->name[0] && kind != MOUNT && kind != THEIRS);
}

static int runs, hit; /* in which the consumer met what was swapped */

/* In the short form before one of EVERY calls, others each day and for each object. */
#define EVERY 4

static void try_all(const struct object *object, enum kind kind, int nr_calls)
{
	int tried = 0, hung = 0, died = 0, changed = 0;

	for (int at = 1; at <= nr_calls; at++) {
		int calls, result;

		if (!short_takes((uint64_t)(at + (object - objects) + (int)kind), EVERY))
			continue;
		result = run(object, kind, at, &calls);
		tried++;
		runs++;
		hung += result == -1;
		died += result > 1;
		hit += result == 1;
		changed += is_theirs_changed();
		clean_up();
		look();
		if (strcmp(secret, secret_before) != 0)
			bail_out("OUTPUT%s, a %s before call %d: what was\n%s\nis\n%s",
				 object->name, kinds[kind], at, secret_before, secret);
	}
	ok(!hung && !died && !changed,
	   "OUTPUT%s, a %s: %d times: nothing else is touched, %d hung, "
	   "%d died",
	   object->name, kinds[kind], tried, hung, died);
}

int main(void)
{
	struct sigaction action = { .sa_handler = on_alarm };
	int nr_calls;

	is_root = geteuid() == 0;
	log_set_level(LOG_LEVEL_ERROR);
	stream_pool_init(&pool, 100);
	sigaction(SIGALRM, &action, NULL);
	signal(SIGIO, SIG_IGN);
	if (is_root &&
	    (unshare(CLONE_NEWNS) < 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 ||
	     mount("none", trace_kit_dir(), "tmpfs", 0, "mode=0755") < 0))
		bail_out("no mounts of its own: %s", strerror(errno));
	snprintf(base, sizeof(base), "%s", trace_kit_dir());
	snprintf(output, sizeof(output), "%s/output", base);
	make_secret();
	is(run(NULL, 0, 0, &nr_calls), 0, "undisturbed, all of it can be done");
	clean_up();
	ok(nr_calls > 100, "by %d calls with a path", nr_calls);
	for (size_t i = 0; i < sizeof(objects) / sizeof(objects[0]); i++)
		for (unsigned kind = 0; kind < NR_KINDS; kind++)
			if (is_possible(&objects[i], kind))
				try_all(&objects[i], kind, nr_calls);
	ok(hit > runs / 10, "of %d runs, %d had to do with what was swapped", runs, hit);
	stream_pool_destroy(&pool);
	if (is_root)
		umount2(trace_kit_dir(), MNT_DETACH);
	return done_testing();
}
