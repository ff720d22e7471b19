/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * objects.c [ATTACK] - attackers hold, for ever, what they have in common with the daemon
 * (tests/utils/object-attacks.h).
 *
 * Meanwhile the daemon answers commands, uses the channel's slot again, and ends by
 * SIGTERM, or by SIGKILL. Started by root, the attackers are another user's.
 */
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <seccomp.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/utils/object-attacks.h"
#include "tests/utils/tap.h"

/* What waits for ever takes longer; a busy machine does not. */
#define LIMIT_MS 5000
#define BELLS 32
#define SO_PASSRIGHTS_NUMBER 83

static struct sessiond sessiond;
static const char *what; /* the variant, for messages */
static char ring_dir[64];

/* ---- the daemon ---------------------------------------------------------------------- */

/* Its attackers let go of a daemon that waits for them, so that it can be ended. */
static void end_stuck(const char *name)
{
	char rings[PATH_MAX];

	ok(false, "%s: %s is answered", what, name);
	object_attack_end();
	snprintf(rings, sizeof(rings), "%s/rings", sessiond.dir);
	umount2(rings, MNT_DETACH | UMOUNT_NOFOLLOW);
	sessiond_stop(&sessiond, SIGTERM);
	exit(done_testing());
}

static void do_within(const char *name, const char *request)
{
	int64_t begun = object_now_ms(), took;

	if (!sessiond_does(&sessiond, request))
		end_stuck(name);
	took = object_now_ms() - begun;
	ok(took < LIMIT_MS, "%s: %s takes %lld ms", what, name, (long long)took);
}

static void start_session(void)
{
	do_within("create",
		  "{\"verb\": \"create\", \"session\": \"s\", \"output\": \"/tmp/none\"}");
	do_within("channel", "{\"verb\": \"channel\", \"session\": \"s\", \"channel\": \"c\", "
			     "\"mode\": \"discard\", \"subbuf_size\": 4096, \"subbufs\": 2}");
	do_within("enable", "{\"verb\": \"enable\", \"session\": \"s\", \"channel\": \"c\", "
			    "\"rule\": \"*\"}");
	do_within("start", "{\"verb\": \"start\", \"session\": \"s\"}");
}

/* Everything that a daemon does for others while it is attacked. */
static void use_daemon(void)
{
	do_within("stop", "{\"verb\": \"stop\", \"session\": \"s\"}");
	do_within("destroy", "{\"verb\": \"destroy\", \"session\": \"s\"}");
	/* A slot rests for a second: then it is this session's again. */
	object_pause_ms(1200);
	start_session();
	do_within("status", "{\"verb\": \"status\", \"session\": \"s\"}");
	do_within("stop", "{\"verb\": \"stop\", \"session\": \"s\"}");
	do_within("start", "{\"verb\": \"start\", \"session\": \"s\"}");
}

/* The supervisor's youngest child: where rings are files, it has a sweeper, too. */
static pid_t daemon_of(pid_t keeper)
{
	char path[64];
	int child = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/children", (int)keeper, (int)keeper);
	file = fopen(path, "re");
	while (file && fscanf(file, "%d", &child) == 1)
		continue;
	if (!child)
		bail_out("the supervisor has no child");
	fclose(file);
	return child;
}

static bool is_gone(pid_t pid)
{
	char path[32], state = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	file = fopen(path, "re");
	if (file && fscanf(file, "%*d (%*[^)]) %c", &state) != 1)
		state = 0;
	if (file)
		fclose(file);
	return !file || state == 'Z' || state == 'X';
}

static bool ends_within(pid_t pid)
{
	int64_t end = object_now_ms() + LIMIT_MS;

	while (!is_gone(pid) && object_now_ms() < end)
		object_pause_ms(10);
	return is_gone(pid);
}

static void end_daemon(int signal)
{
	pid_t keeper = sessiond.pid, child = daemon_of(keeper);
	char rings[PATH_MAX];

	if (signal == SIGKILL) {
		/* Else the supervisor starts another, or the daemon ends well. */
		kill(child, SIGSTOP);
		kill(keeper, SIGKILL);
	}
	kill(signal == SIGKILL ? child : keeper, signal);
	ok(ends_within(child) && ends_within(keeper), "%s: signal %d ends it", what, signal);
	object_attack_end();
	snprintf(rings, sizeof(rings), "%s/rings", sessiond.dir);
	if (signal == SIGKILL)
		umount2(rings, MNT_DETACH | UMOUNT_NOFOLLOW);
	is(sessiond_stop(&sessiond, SIGTERM), signal == SIGKILL ? SESSIOND_LEFTOVERS : 0,
	   "and all is as it is to be");
}

static void start_daemon(const char *mediator, const char *files)
{
	char text[64], option[96];

	snprintf(text, sizeof(text), "--mediator=%s", mediator);
	snprintf(option, sizeof(option), "--ring-dir=%s", ring_dir);
	sessiond_start(&sessiond, 0, text, files ? option : NULL, NULL);
	/* A private daemon's directory is closed; root's is passed by everybody. */
	if (geteuid() == 0)
		chmod(sessiond.dir, 0711);
	start_session();
}

/* ---- the table ------------------------------------------------------------------------ */

static bool has_fuse(void)
{
	return geteuid() == 0 && access("/dev/fuse", R_OK | W_OK) == 0;
}

/* From now on, for daemons too: Linux before 6.16 has no such option. */
static void play_old_kernel(void)
{
	scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ALLOW);

	if (!filter ||
	    seccomp_rule_add(filter, SCMP_ACT_ERRNO(ENOPROTOOPT), SCMP_SYS(setsockopt), 1,
			     SCMP_A2_64(SCMP_CMP_EQ, SO_PASSRIGHTS_NUMBER, 0)) != 0 ||
	    seccomp_load(filter) != 0)
		bail_out("no seccomp filter");
	seccomp_release(filter);
}

static const char *only; /* the one attack, where it is given */

static void run(const char *mediator, const char *name, void (*attack)(void), int count, int signal,
		const char *files)
{
	static char text[96];

	if (only && strcmp(only, name) != 0)
		return;
	snprintf(text, sizeof(text), "%s%s, %s", mediator, files ? ", files" : "", name);
	what = text;
	start_daemon(mediator, files);
	ok(object_attack(&sessiond, attack, count) == count, "%s: the attackers have begun", what);
	use_daemon();
	end_daemon(signal);
}

static int remove_entry(const char *path, const struct stat *status, int type, struct FTW *ftw)
{
	(void)status;
	(void)type;
	(void)ftw;
	return remove(path);
}

/* After an orderly end, once nobody holds a file any more, its sweeper removes what is left. */
static void run_files(const char *mediator, const char *name, void (*attack)(void), int signal)
{
	int64_t end;

	if (only && strcmp(only, name) != 0)
		return;
	strcpy(ring_dir, "/tmp/lttngmap-rings.XXXXXX");
	if (!mkdtemp(ring_dir))
		bail_out("there is no directory");
	run(mediator, name, attack, 1, signal, "files");
	end = object_now_ms() + LIMIT_MS;
	while (signal == SIGTERM && rmdir(ring_dir) != 0 && object_now_ms() < end)
		object_pause_ms(10);
	if (signal == SIGTERM)
		ok(access(ring_dir, F_OK) != 0, "%s: no file of rings is left", what);
	nftw(ring_dir, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
}

static void run_all(const char *mediator)
{
	run(mediator, "bell", attack_bell, BELLS, SIGTERM, NULL);
	run(mediator, "punch", attack_punch, 1, SIGTERM, NULL);
	run(mediator, "claim", attack_claim, 1, SIGTERM, NULL);
	run(mediator, "send", attack_send, 1, SIGTERM, NULL);
	if (!has_fuse()) {
		skip(1, "an unanswered file is mounted by root, in another round");
		return;
	}
	run(mediator, "list", attack_list, 1, SIGTERM, NULL);
	run(mediator, "lock", attack_lock, 1, SIGTERM, NULL);
	run(mediator, "lock", attack_lock, 1, SIGKILL, NULL);
	run_files(mediator, "lock", attack_lock, SIGTERM);
	run_files(mediator, "lock", attack_lock, SIGKILL);
	run_files(mediator, "names", attack_names, SIGTERM);
}

int main(int argc, char **argv)
{
	only = argc > 1 ? argv[1] : NULL;
	signal(SIGPIPE, SIG_IGN);
	run_all("ring-socket");
	if (has_fuse())
		run_all("ring-fs");
	else
		skip(1, "ring-fs is root's, in another round");
	diag("Linux before 6.16");
	play_old_kernel();
	run("ring-socket", "send", attack_send, 1, SIGTERM, NULL);
	run("ring-socket", "send", attack_send, 1, SIGKILL, NULL);
	return done_testing();
}
