/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "sessiond/recover.h"

#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <systemd/sd-event.h>
#include <urcu/urcu-memb.h>
#include "common/base/amount.h"
#include "common/base/log.h"
#include "common/base/rings-note.h"
#include "common/protocol/places.h"
#include "common/protocol/protocol-control.h"
#include "common/base/socket.h"
#include "sessiond/base/listen.h"
#include "sessiond/base/parts.h"
#include "sessiond/base/pid-state.h"
#include "sessiond/base/ring-sweeper.h"
#include "common/base/time.h"
#include "sessiond/consumer/consumer-link.h"
#include "sessiond/daemon.h"
#include "sessiond/recover/recovery.h"
#include "sessiond/session/channel.h"
#include "sessiond/session/session.h"
#include "sessiond/storage/ring-dir.h"
#include "sessiond/storage/runtime-dir.h"

/* How long daemon and consumer may take to die. */
#define DYING_MS 5000
#define TICK_USEC UINT64_C(5000)
#define BASE_MAX 64
/* For the sweeper: a process may hold a file. */
#define SWEEPING_MS 5000

/* The daemon that recovers the rings. */
struct recovery_run {
	struct recovery *recovery;
	struct daemon *daemon;
	sd_event_source *tick;
	bool begun; /* snapshots are being taken */
	bool interrupted;
	struct json_object *sessions; /* what became of each: told at the end */
};

static void pause_ms(int ms)
{
	struct timespec pause = { .tv_nsec = ms * 1000000l };

	nanosleep(&pause, NULL);
}

/* ---- what there is ------------------------------------------------------------------- */

/* A directory's saved state, or one by its name. A descriptor or -errno. */
static int open_saved_state(struct recovery *recovery)
{
	const char *slash = strrchr(recovery->path, '/'), *name = SAVED_FILE;
	char *folder = NULL;
	int fd;

	recovery->dir = open(recovery->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (recovery->dir < 0 && errno == ENOTDIR) {
		name = slash ? slash + 1 : recovery->path;
		folder = slash ? strndup(recovery->path, (size_t)(slash - recovery->path + 1))
			       : strdup(".");
		if (folder)
			recovery->dir = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		free(folder);
	}
	if (recovery->dir < 0)
		return -errno;
	recovery->name = strdup(name);
	if (!recovery->name)
		return -ENOMEM;
	fd = openat(recovery->dir, name, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

/* Is there a process of that number, and not only what is left of one? */
static bool is_process(pid_t pid)
{
	char state = pid_state(pid);

	return state && state != 'Z';
}

/* Does the supervisor live, who listens at the control socket? */
static bool is_served(const char *runtime_dir)
{
	char path[PATH_MAX];
	struct ucred peer;
	bool served;
	int fd;

	snprintf(path, sizeof(path), "%s/" PROTOCOL_CONTROL_SOCKET, runtime_dir);
	if (socket_connect(path, SOCK_SEQPACKET | SOCK_NONBLOCK, &fd) != 0)
		return false;
	served = socket_peer(fd, &peer) != 0 || peer.pid <= 0 || is_process(peer.pid);
	close(fd);
	return served;
}

/* Does the daemon's file system of rings lie there? It is not asked itself: nobody may answer. */
static bool has_mount(const char *rings)
{
	char id[32], *line = NULL;
	struct statx status;
	bool found = false;
	size_t size = 0;
	FILE *mounts;

	if (statx(AT_FDCWD, rings, AT_STATX_DONT_SYNC | AT_SYMLINK_NOFOLLOW, STATX_MNT_ID,
		  &status) != 0 ||
	    !(status.stx_mask & STATX_MNT_ID))
		return false;
	snprintf(id, sizeof(id), "%llu ", (unsigned long long)status.stx_mnt_id);
	mounts = fopen("/proc/self/mountinfo", "re");
	while (mounts && !found && getline(&line, &size, mounts) >= 0)
		found = strncmp(line, id, strlen(id)) == 0 &&
			((strstr(line, " - fuse.lttngmap lttngmap ") &&
			  strstr(line, ",user_id=0,")) ||
			 (strstr(line, " /lttngmap ") && strstr(line, " - debugfs ")));
	free(line);
	if (mounts)
		fclose(mounts);
	return found;
}

/* Nobody serves it any more, and who looks at it hears of an end point that is not connected. */
static void remove_mount(const char *runtime_dir)
{
	char rings[PATH_MAX];

	if ((size_t)snprintf(rings, sizeof(rings), "%s/rings", runtime_dir) >= sizeof(rings) ||
	    is_served(runtime_dir) || !has_mount(rings))
		return;
	if (umount2(rings, MNT_FORCE | UMOUNT_NOFOLLOW) != 0)
		umount2(rings, MNT_DETACH | UMOUNT_NOFOLLOW);
}

/*
 * Nobody lives on it. A daemon that waits for its own file system while it dies
 * has to be helped: that is taken away, as by a supervisor.
 */
static int lock_saved_state(const struct saved_head *head, int fd)
{
	for (int ms = 0; flock(fd, LOCK_EX | LOCK_NB) != 0; ms += 10) {
		if (errno != EWOULDBLOCK)
			return -errno;
		if (ms >= DYING_MS || is_served(head->runtime_dir))
			return -EBUSY;
		if (ms == 200)
			remove_mount(head->runtime_dir);
		pause_ms(10);
	}
	remove_mount(head->runtime_dir);
	return 0;
}

/* The number may be another user's process by now, whatever it calls itself. */
static bool is_consumer(pid_t pid, uid_t owner)
{
	char name[NAME_PROGRAM_SIZE];

	return (pid_is_of_user(pid, owner) || pid_is_of_user(pid, geteuid())) &&
	       pid_name(pid, name) == 0 && strcmp(name, "lttngmap-consum") == 0 && is_process(pid);
}

/* Two must never write at once: the consumer lost its daemon, and ends by itself. */
static int wait_consumer(pid_t pid, uid_t owner)
{
	for (int ms = 0; pid > 0 && ms < DYING_MS; ms += 10) {
		if (!is_consumer(pid, owner))
			return 0;
		pause_ms(10);
	}
	return pid > 0 ? -EBUSY : 0;
}

/* The first consumer that still writes; 0: none does. `owner`: the saved state's. */
static pid_t wait_consumers(const struct saved_head *head, uid_t owner)
{
	if (wait_consumer(head->idle.pid, owner) != 0)
		return head->idle.pid;
	for (uint32_t i = 0; i < SAVED_SESSIONS; i++)
		if (wait_consumer(head->sessions[i].consumer.pid, owner) != 0)
			return head->sessions[i].consumer.pid;
	return 0;
}

/* Finds the saved state and checks that no daemon uses it. 0 or -errno after a message. */
static int find(struct recovery *recovery)
{
	char why[RECOVER_WHY_SIZE] = "", boot[40];
	int error, fd = open_saved_state(recovery);
	const struct saved_head *head;
	struct stat status;
	pid_t consumer = 0;

	if (fd < 0) {
		log_error("%s: no daemon left its saved state there: %s", recovery->path,
			  strerror(-fd));
		return fd;
	}
	error = recover_saved_open(fd, &recovery->old, why);
	if (error) {
		log_error("%s/%s: %s", recovery->path, recovery->name, why);
		return error;
	}
	head = recovery->old.head;
	if (head->is_kept) {
		log_error("%s: its session daemon ended in order, and nothing is to be recovered: "
			  "the "
			  "next one goes on with its sessions",
			  recovery->path);
		return -ENOENT;
	}
	error = lock_saved_state(head, fd);
	if (error == -EBUSY)
		log_error("%s: a session daemon lives there: use it, or end it; what a killed one "
			  "left is in ledger.old, where there is that file: recover it by its name",
			  recovery->path);
	else if (error)
		log_error("%s: cannot be locked: %s", recovery->path, strerror(-error));
	if (error)
		return error;
	saved_state_read_boot(boot);
	if (strcmp(boot, head->boot) == 0)
		consumer =
			wait_consumers(head, fstat(fd, &status) == 0 ? status.st_uid : geteuid());
	if (consumer) {
		log_error("process %d writes a trace yet: end it, or wait for its output, which "
			  "does not answer",
			  (int)consumer);
		return -EBUSY;
	}
	/* It went on meanwhile. */
	recover_saved_close(&recovery->old);
	error = recover_saved_open(fd, &recovery->old, why);
	if (error)
		log_error("%s/%s: %s", recovery->path, recovery->name, why);
	return error;
}

/* ---- the daemon that recovers ------------------------------------------------------- */

static void add_number(struct json_object *object, const char *key, uint64_t value)
{
	json_object_object_add(object, key, json_object_new_uint64(value));
}

static void tell_session(struct recovery_run *run, const struct session *session)
{
	struct json_object *object = json_object_new_object();
	uint64_t broken = session->written.broken;
	struct ring_totals totals;

	session_read_totals(session, &totals);
	if (totals.delivered < broken)
		broken = totals.delivered;
	json_object_object_add(object, "name", json_object_new_string(session->name));
	json_object_object_add(object, "output",
			       json_object_new_string(session->snapshot.count
							      ? session->snapshot.path
							      : session->output));
	add_number(object, "events",
		   session->snapshot.count ? session->written.events : totals.delivered - broken);
	add_number(object, "discarded", totals.discarded);
	add_number(object, "overwritten", totals.overwritten);
	add_number(object, "broken", broken);
	add_number(object, "closed_rings", totals.closed_rings);
	add_number(object, "claimed", ring_totals_claimed(&totals));
	add_number(object, "bytes", session->written.bytes);
	add_number(object, "bytes_before", session->earlier.bytes);
	json_object_array_add(run->sessions, object);
}

static void on_stopped(struct session *session, void *data, const char *error, const char *hint)
{
	struct recovery_run *run = data;

	if (error)
		recover_problem(run->recovery, true, "session %s: %s; %s", session->name, error,
				hint ? hint : "see the messages above");
}

/* Everything that went on is stopped; flight recorders are looked at below. */
static void stop_all(struct recovery_run *run)
{
	struct session *session;

	cds_list_for_each_entry(session, sessions_list(run->daemon->sessions), node) {
		if (session->state == SESSION_ACTIVE)
			session_stop(session, on_stopped, run);
		else if (session->state != SESSION_IDLE)
			(void)session_await_stop(session, on_stopped, run);
	}
}

static bool has_rings(struct session *session)
{
	struct channel *channel;

	cds_list_for_each_entry(channel, &session->channels, node)
		if (!cds_list_empty(&channel->process_channels))
			return true;
	return false;
}

/* The last snapshot of each flight recorder takes the content of its rings. */
static void take_snapshots(struct recovery_run *run)
{
	struct session *session;

	run->begun = true;
	cds_list_for_each_entry(session, sessions_list(run->daemon->sessions), node) {
		if (!session->is_flight_recorder || !has_rings(session))
			continue;
		session_take_snapshot(session, NULL, 0, on_stopped, run);
	}
}

static bool is_done(const struct recovery_run *run)
{
	struct sessions *sessions = run->daemon->sessions;
	struct session *session;

	if (sessions_stopping(sessions))
		return false;
	cds_list_for_each_entry(session, sessions_list(sessions), node)
		if (session_is_taking_snapshot(session) || session_is_rotating(session))
			return false;
	return true;
}

/* Has each session a consumer, or will never have one? */
static bool are_attached(const struct recovery_run *run, bool expected)
{
	struct session *session;

	cds_list_for_each_entry(session, sessions_list(run->daemon->sessions), node)
		if (!consumer_link_is_attached(session->consumer) &&
		    !(expected && !consumer_link_expected(session->consumer)))
			return false;
	return true;
}

static int on_tick(sd_event_source *source, uint64_t usec, void *data)
{
	struct recovery_run *run = data;
	struct session *session;

	(void)usec;
	if (!run->begun && are_attached(run, true))
		take_snapshots(run);
	if (!run->begun || !is_done(run)) {
		sd_event_source_set_time(source, time_now_usec() + TICK_USEC);
		return sd_event_source_set_enabled(source, SD_EVENT_ONESHOT);
	}
	if (!are_attached(run, false))
		recover_problem(run->recovery, true, "there was no consumer to write traces");
	cds_list_for_each_entry(session, sessions_list(run->daemon->sessions), node)
		tell_session(run, session);
	return sd_event_exit(run->daemon->event, 0);
}

static int on_signal(sd_event_source *source, const struct signalfd_siginfo *info, void *data)
{
	struct recovery_run *run = data;

	(void)info;
	run->interrupted = true;
	return sd_event_exit(sd_event_source_get_event(source), 0);
}

static int run_daemon(struct recovery_run *run, const struct options *options,
		      struct saved_state *saved_state)
{
	sd_event *event = NULL;
	int error = sd_event_default(&event);

	if (error >= 0)
		error = sd_event_add_signal(event, NULL, SIGTERM, on_signal, run);
	if (error >= 0)
		error = sd_event_add_signal(event, NULL, SIGINT, on_signal, run);
	if (error >= 0)
		error = daemon_create(options, saved_state, event, run->recovery, &run->daemon);
	if (error >= 0)
		error = sd_event_add_time(event, &run->tick, CLOCK_MONOTONIC, 0, 0, on_tick, run);
	if (error >= 0) {
		stop_all(run);
		error = sd_event_loop(event);
	}
	sd_event_source_disable_unref(run->tick);
	daemon_destroy(run->daemon);
	sd_event_unref(event);
	if (error >= 0 && run->interrupted)
		error = -EINTR;
	return error < 0 ? error : 0;
}

/* Sockets in it have short paths. */
static const char *temporary_base(void)
{
	const char *base = getenv("TMPDIR");

	return base && base[0] == '/' && strlen(base) < BASE_MAX ? base : "/tmp";
}

/* In a directory of its own, with a saved state of its own. 0 or -errno; it was said. */
static int run_to_end(struct recovery_run *run, const struct options *given)
{
	struct options options = *given;
	char why[RECOVER_WHY_SIZE] = "", path[BASE_MAX + 32];
	struct saved_state *saved_state = NULL;
	struct runtime_dir dir;
	int error;

	snprintf(path, sizeof(path), "%s/lttngmap-recover-XXXXXX", temporary_base());
	if (!mkdtemp(path)) {
		error = -errno;
		log_error("cannot make %s: %s", path, strerror(-error));
		return error;
	}
	options.runtime_dir = path;
	/* It leaves no mount where it is killed. */
	options.mediator = (char *)"ring-socket";
	options.private_instance = true;
	error = runtime_dir_enter(path, true, &dir);
	if (error) {
		rmdir(path);
		return error;
	}
	runtime_dir_adopt(&dir);
	urcu_memb_register_thread();
	error = saved_state_create(run->recovery->old.head->cpu_rings, &saved_state);
	if (error)
		snprintf(why, sizeof(why), "no saved state can be made: %s", strerror(-error));
	else
		error = recover_saved_import(&run->recovery->old, saved_state, why);
	if (error)
		log_error("%s: %s", run->recovery->path, why);
	else if ((error = listen_make(path)) == 0)
		error = run_daemon(run, &options, saved_state);
	saved_state_destroy(saved_state);
	urcu_memb_unregister_thread();
	runtime_dir_leave(&dir);
	listen_end();
	return error;
}

/* ---- telling ----------------------------------------------------------------------------- */

static uint64_t number_of(struct json_object *object, const char *key)
{
	return json_object_get_uint64(json_object_object_get(object, key));
}

static const char *count_of(struct json_object *session, const char *key, char text[32])
{
	return amount_format_count(number_of(session, key), text);
}

static void print_session(struct json_object *session)
{
	const char *name = json_object_get_string(json_object_object_get(session, "name"));
	uint64_t before = number_of(session, "bytes_before"), bytes = number_of(session, "bytes");
	char counts[3][32], size[16];

	printf("%s: %s event%s in %s, %s of the trace brought in now\n", name,
	       count_of(session, "events", counts[0]), number_of(session, "events") == 1 ? "" : "s",
	       json_object_get_string(json_object_object_get(session, "output")),
	       amount_format_size(bytes > before ? bytes - before : 0, size));
	if (number_of(session, "discarded") || number_of(session, "overwritten") ||
	    number_of(session, "broken"))
		printf("%s: lost: %s events discarded, %s overwritten, %s unreadable\n", name,
		       count_of(session, "discarded", counts[0]),
		       count_of(session, "overwritten", counts[1]),
		       count_of(session, "broken", counts[2]));
	if (number_of(session, "closed_rings"))
		printf("%s: damaged rings: %s; claimed, which nobody can check: %s more events "
		       "lost\n",
		       name, count_of(session, "closed_rings", counts[0]),
		       count_of(session, "claimed", counts[1]));
}

static void print(const struct recovery *recovery, struct json_object *sessions, bool json)
{
	struct json_object *all;
	char count[32];

	if (!json) {
		for (size_t i = 0; i < json_object_array_length(sessions); i++)
			print_session(json_object_array_get_idx(sessions, i));
		printf("rings of %s process%s were read%s\n",
		       amount_format_count(recovery->processes, count),
		       recovery->processes == 1 ? "" : "es",
		       recovery->lost ? ", others could not be: see the messages" : "");
		return;
	}
	all = json_object_new_object();
	json_object_object_add(all, "kind", json_object_new_string("rings"));
	json_object_object_add(all, "sessions", json_object_get(sessions));
	add_number(all, "processes", recovery->processes);
	add_number(all, "processes_lost", recovery->lost);
	json_object_object_add(all, "problems", json_object_get(recovery->problems));
	puts(json_object_to_json_string_ext(all, JSON_C_TO_STRING_PLAIN));
	json_object_put(all);
}

/*
 * Removes the directory of the dead daemon's sockets, if a `record` made it for that daemon alone.
 * Any other one is for the daemon that comes next.
 */
static void remove_runtime_dir(const char *path)
{
	struct runtime_dir dir;
	struct stat status;

	if (fnmatch("*/" PLACES_RECORD_GLOB, path, 0) != 0 || lstat(path, &status) != 0 ||
	    !S_ISDIR(status.st_mode) || status.st_uid != geteuid() || is_served(path) ||
	    runtime_dir_enter(path, false, &dir) != 0)
		return;
	runtime_dir_adopt(&dir);
	runtime_dir_leave(&dir);
}

/* All is in the traces: what it came from goes. */
static void clean(const struct recovery *recovery, struct json_object *sessions)
{
	uint64_t first = ring_dir_first();
	struct ring_sweeper sweeper;
	struct json_object *output;

	for (size_t i = 0; i < json_object_array_length(sessions); i++) {
		output = json_object_object_get(json_object_array_get_idx(sessions, i), "output");
		rings_note_remove(json_object_get_string(output), recovery->path);
	}
	unlinkat(recovery->dir, recovery->name, 0);
	remove_runtime_dir(recovery->old.head->runtime_dir);
	if (!recovery->old.head->named_files || ring_sweeper_start(recovery->dir, &sweeper) != 0)
		return;
	ring_sweeper_remove_all(sweeper.fd, first - 1);
	ring_sweeper_end(&sweeper, SWEEPING_MS);
}

static int recover(struct recovery *recovery, const struct options *options)
{
	struct recovery_run run = { .recovery = recovery, .sessions = json_object_new_array() };
	const struct saved_head *head = recovery->old.head;
	int error;

	error = recover_sources_open(head->named_files ? recovery->dir : -1, &recovery->sources);
	if (error)
		log_error("cannot look for rings in processes: %s", strerror(-error));
	else
		error = run_to_end(&run, options);
	if (error == 0)
		print(recovery, run.sessions, options->json);
	if (error == 0 && !recovery->again)
		clean(recovery, run.sessions);
	else
		log_warning("%s is left as it is: the same command tries again", recovery->path);
	json_object_put(run.sessions);
	recover_sources_close(recovery->sources);
	return error;
}

int recover_run(const struct options *options)
{
	struct recovery recovery = {
		.path = options->recover,
		.dir = -1,
		.old.fd = -1,
		.problems = json_object_new_array(),
	};
	int error = find(&recovery);

	if (error == 0)
		error = recover(&recovery, options);
	recover_saved_close(&recovery.old);
	if (recovery.old.fd >= 0)
		close(recovery.old.fd);
	if (recovery.dir >= 0)
		close(recovery.dir);
	free(recovery.name);
	json_object_put(recovery.problems);
	return error == 0 && !recovery.again ? EXIT_SUCCESS : EXIT_FAILURE;
}
