/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "sessiond/app/app-request.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/base/socket.h"
#include "common/base/time.h"
#include "sessiond/app/address-space.h"
#include "sessiond/app/class-reclaim.h"
#include "sessiond/base/messages.h"
#include "sessiond/base/parts.h"
#include "sessiond/base/peer.h"
#include "sessiond/base/pid-state.h"
#include "sessiond/class/class-parse.h"
#include "sessiond/class/registry.h"
#include "sessiond/memory/control-pages.h"
#include "sessiond/quota/quota.h"
#include "sessiond/session/channel.h"
#include "sessiond/session/executed.h"
#include "sessiond/session/process-channel.h"
#include "sessiond/session/process.h"
#include "sessiond/session/session.h"
#include "sessiond/session/untraced.h"
#include "sessiond/storage/saved-state.h"

/*
 * Upper bound of a parsed class's memory: CLASS_BYTES_MAX + CLASS_TIMES_MAX * size of its message.
 */
#define CLASS_BYTES_MAX 256u
#define CLASS_TIMES_MAX 8u
/* Maximum number of ancestors searched when another user may have started the program. */
#define ANCESTORS_MAX 64
/* The part of an address space limit that rings may take if the limit cannot be raised. */
#define ADDRESS_SPACE_PART 8

static void fill_header(struct protocol_app_header *header, enum protocol_app_type type,
			size_t size)
{
	*header = (struct protocol_app_header){
		.magic = PROTOCOL_APP_MAGIC,
		.major = PROTOCOL_APP_MAJOR,
		.minor = PROTOCOL_APP_MINOR,
		.type = type,
		.size = (uint32_t)size,
	};
}

/* The message's classes that are new: they shall have the same ids in the restarted daemon. */
static int log_new(struct app_request *request, const struct app_message *message,
		   const uint16_t *ids, const struct registry_result *result)
{
	const char *at = message->classes;
	size_t left = message->classes_size;
	struct class_measure measure;
	int error = 0;
	char why[1];

	for (uint32_t i = 0, nr = 0; error == 0 && nr < result->taken.ids; i++) {
		error = class_measure(at, left, &measure, why, sizeof(why));
		if (error == 0 && i == result->added[nr]) {
			error = saved_log_append(request->daemon->saved_state, ids[i],
						 request->user->uid, at, measure.size);
			nr++;
		}
		at += measure.size;
		left -= measure.size;
	}
	return error;
}

/*
 * The room that the user's classes may take. If it may not be enough, unused classes are reclaimed
 * first.
 */
static struct registry_room class_room(const struct app_request *request,
				       const struct app_message *message)
{
	const struct registry *registry = request->daemon->registry;
	struct registry_room left = registry_room(registry), room;
	struct saved_disk disk;

	saved_state_look(request->daemon->saved_state, &disk);
	room = quota_class_room(request->user, &left, &disk);
	if (room.ids >= message->nr_classes &&
	    room.bytes >= (uint64_t)CLASS_BYTES_MAX * message->nr_classes +
				  (uint64_t)CLASS_TIMES_MAX * message->classes_size)
		return room;
	class_reclaim(request->daemon);
	left = registry_room(registry);
	saved_state_look(request->daemon->saved_state, &disk);
	return quota_class_room(request->user, &left, &disk);
}

static int refuse_classes(const struct app_request *request, struct app_refusal *refusal)
{
	app_refuse(refusal, EDQUOT,
		   "user %u has registered as many event classes as one user may: %u, in %llu KiB",
		   request->user->uid, request->user->classes.ids,
		   (unsigned long long)(request->user->classes.bytes >> 10));
	return -EPROTO;
}

/* Ids for the classes, which nobody records yet. */
static int add_classes(struct app_request *request, const struct app_message *message,
		       uint16_t *ids, struct app_refusal *refusal)
{
	struct daemon *daemon = request->daemon;
	struct registry_result result = { .refused = 0 };
	struct registry_room room;
	char more[QUOTA_MORE_SIZE];
	int error;

	if (message->nr_classes == 0 && message->classes_size == 0)
		return 0;
	room = class_room(request, message);
	/* First: a class that has an id has it in the saved state, and in the sessions, too. */
	error = saved_log_reserve(daemon->saved_state, message->classes_size, message->nr_classes);
	if (error == 0)
		error = registry_add_within(daemon->registry, request->user->uid, &room,
					    message->classes, message->classes_size,
					    message->nr_classes, ids, &result);
	/* Before anybody hears of the new ids. */
	if (error == 0)
		error = log_new(request, message, ids, &result);
	if (error) {
		app_refuse(refusal, -error, "%s", result.why[0] ? result.why : strerror(-error));
		return -EPROTO;
	}
	/* Classes that are known cost nothing, and have their ids also beyond the limit. */
	if (result.refused == message->nr_classes && (room.ids == 0 || room.bytes == 0))
		return refuse_classes(request, refusal);
	if (result.refused && quota_may_say(request->user, time_now_usec(), more))
		message_say("process %d: %u event classes are not traced: %s%s", request->peer.pid,
			    result.refused, result.why, more);
	quota_add_classes(request->user, &result.taken);
	return 0;
}

/*
 * The process has the classes. When it returns, they are matched with the rules of
 * all sessions that take its user, and the consumer is told: no packet with them is earlier.
 */
static int take_classes(struct app_request *request, const uint16_t *ids, uint32_t nr_ids,
			struct app_refusal *refusal)
{
	int error = process_add_classes(request->process, ids, nr_ids);

	if (error) {
		app_refuse(refusal, -error, "the event classes of process %u cannot be noted: %s",
			   request->process->pid, strerror(-error));
		return -EPROTO;
	}
	sessions_add_classes(request->daemon->sessions, request->user, ids, nr_ids);
	return 0;
}

/*
 * The user who is charged for the process: the user who started it if that user has limits, else
 * the user of the process. A set-user-ID program has the events of its effective user, and anybody
 * may start as many as they like. The kernel names the sender's real user.
 */
static struct quota_user *payer_of(const struct app_request *request)
{
	struct quota_user *starter = quota_user(request->daemon->quota, request->sender.uid);

	return starter && starter->limited ? starter : request->user;
}

/* Which of them it is shows by what it holds. */
static void refuse_quota(const struct app_request *request, struct app_refusal *refusal)
{
	const struct quota_limits *limits = quota_limits(request->daemon->quota);
	const struct quota_user *user = payer_of(request);
	struct saved_disk disk;

	saved_state_look(request->daemon->saved_state, &disk);
	if (user->memory > limits->memory)
		app_refuse(refusal, EDQUOT,
			   "user %u's rings hold %llu MiB, and may hold %llu: end some programs",
			   user->uid, (unsigned long long)(user->memory >> 20),
			   (unsigned long long)(limits->memory >> 20));
	else if (quota_held(&user->processes) >= limits->processes)
		app_refuse(refusal, EDQUOT,
			   "user %u has %u traced processes, as many as one user may have",
			   user->uid, quota_held(&user->processes));
	else if (quota_disk_room(user, &disk) < saved_classes_size(0))
		app_refuse(refusal, EDQUOT,
			   "user %u has its share of the runtime directory's %llu MiB: enlarge "
			   "that file system",
			   user->uid, (unsigned long long)(disk.all >> 20));
	else
		app_refuse(refusal, EDQUOT,
			   "user %u's processes have %u descriptors, and may have %llu", user->uid,
			   quota_held(&user->descriptors), (unsigned long long)limits->descriptors);
}

static int refuse_process(const struct app_request *request, int error, struct app_refusal *refusal)
{
	if (error == -ESRCH)
		return error;
	if (error == -EMFILE || error == -ENFILE)
		app_refuse(refusal, -error,
			   "the daemon has no descriptors left for process %d: raise ulimit -n",
			   request->peer.pid);
	else if (error == -EDQUOT)
		refuse_quota(request, refusal);
	else
		app_refuse(refusal, -error, "process %d cannot be traced: %s", request->peer.pid,
			   strerror(-error));
	return -EPROTO;
}

/* Where the process's rings of the slot are, as messages have it; its sizes are 0 where none are.
 */
static struct protocol_app_slot rings_of(const struct process *process,
					 const struct channel *channel, int *fd)
{
	const struct process *owner = channel->shared ? process->shared : process;
	struct protocol_app_slot slot = { .slot = channel->slot };
	const struct memory *memory;

	if (!owner || !owner->slots[channel->slot].process_channel)
		return slot;
	memory = &owner->memories->rings[channel->slot];
	*fd = memory->fd;
	slot.life = channel->shared ? (uint32_t)channel->life : 0;
	slot.data = memory->mapped_from;
	slot.control = memory->size - memory->mapped_from;
	return slot;
}

/* The rings that the process has already, and their descriptors, `count` of them. */
static void fill_slots(const struct process *process, struct protocol_app_slots *slots, int *fds)
{
	struct cds_list_head *sessions = sessions_list(process->daemon->sessions);
	uint64_t takes_part = memory_set_process(process->memories)->channels;
	struct session *session;
	struct channel *channel;

	*slots = (struct protocol_app_slots){ .count = 0 };
	cds_list_for_each_entry(session, sessions, node) {
		cds_list_for_each_entry(channel, &session->channels, node) {
			struct protocol_app_slot *slot = &slots->slots[slots->count];

			if (slots->count == PROTOCOL_APP_SLOTS_MAX || !channel->started ||
			    !(takes_part & UINT64_C(1) << channel->slot))
				continue;
			*slot = rings_of(process, channel, &fds[slots->count]);
			slots->count += slot->data > 0;
		}
	}
}

/* Bytes that the rings sent to the process take. */
static uint64_t rings_size(const struct process *process)
{
	struct protocol_app_slots slots;
	int fds[PROTOCOL_APP_SLOTS_MAX];
	uint64_t bytes = 0;

	fill_slots(process, &slots, fds);
	for (uint32_t i = 0; i < slots.count; i++)
		bytes += slots.slots[i].data + slots.slots[i].control;
	return bytes;
}

/*
 * A program that may not raise its limit has the library's maps at the cost of its own. It is left
 * as it was where they take more than a small part. The library says nothing of that, and its
 * program is to know nothing of it. So it is said here. A program that wrongly says that it has no
 * limit harms itself alone.
 */
static int check_address_space(const struct app_request *request, bool is_unlimited,
			       struct app_refusal *refusal)
{
	uint64_t ours = sizeof(struct lttngmap_control) + rings_size(request->process);
	uint64_t soft, hard;

	if (is_unlimited || request->peer.uid == 0)
		return 0;
	address_space_limit(request->peer.pid, &soft, &hard);
	if (soft == UINT64_MAX || hard - soft >= ours ||
	    (ours <= soft / ADDRESS_SPACE_PART &&
	     ours + address_space_used(request->peer.pid) <= soft))
		return 0;
	app_refuse(refusal, ENOMEM,
		   "it may have %llu MiB of address space, and its rings need %llu: raise ulimit "
		   "-v, or give its channels smaller rings",
		   (unsigned long long)soft >> 20, (unsigned long long)ours >> 20);
	return -EPROTO;
}

static int send_registered(const struct app_request *request, uint32_t nr_ids,
			   struct protocol_app_registered *answer)
{
	const struct daemon *daemon = request->daemon;
	const struct memory_set *memories = request->process->memories;
	size_t size = sizeof(*answer) + nr_ids * sizeof(answer->ids[0]);
	int fds[PROTOCOL_APP_FD_RINGS + PROTOCOL_APP_SLOTS_MAX];
	struct protocol_app_slots slots;

	fill_slots(request->process, &slots, fds + PROTOCOL_APP_FD_RINGS);
	if (slots.count > 0) {
		size = protocol_app_slots_offset(nr_ids) + sizeof(slots);
		memcpy((char *)answer + size - sizeof(slots), &slots, sizeof(slots));
	}
	fill_header(&answer->header, PROTOCOL_APP_REGISTERED, size);
	answer->instance = control_pages_get(daemon->pages)->instance;
	answer->token = request->process->record->token;
	answer->control_size = control_pages_size(daemon->pages);
	answer->process_size = daemon->saved_state->words.size;
	answer->process_offset = (uint32_t)memory_set_process_offset(memories);
	answer->meta_page_size = daemon->meta_page_size;
	answer->nr_ids = nr_ids;

	fds[PROTOCOL_APP_FD_CONTROL] = control_pages_fd(daemon->pages);
	fds[PROTOCOL_APP_FD_PROCESS] = daemon->saved_state->words.fd;
	fds[PROTOCOL_APP_FD_DOORBELL] = memories->doorbell;
	return socket_send(request->fd, answer, size, fds, PROTOCOL_APP_FD_RINGS + slots.count);
}

/* The classes' ids stand in the answer, which is made but once at a time. */
static union {
	struct protocol_app_registered answer;
	char room[sizeof(struct protocol_app_registered) +
		  PROTOCOL_APP_CLASSES_MAX * sizeof(uint16_t) + 8 +
		  sizeof(struct protocol_app_slots)];
} registered;

/*
 * The daemon died between making the process and being done with its message.
 * If the answer had gone out, the process throws this one away.
 */
static int answer_again(struct app_request *request, const struct app_message *message,
			struct app_refusal *refusal)
{
	int error;

	memset(&registered, 0, sizeof(registered.answer));
	/* They are known, unless they were given back since, for the process had not noted them. */
	error = add_classes(request, message, registered.answer.ids, refusal);
	if (error == 0)
		error = take_classes(request, registered.answer.ids, message->nr_classes, refusal);
	if (error == 0)
		error = send_registered(request, message->nr_classes, &registered.answer);
	process_answered(request->process);
	return error;
}

/*
 * Finds the process whose classes the forked process inherits. No other record keeps these classes.
 */
static int find_parent(const struct app_request *request, const struct app_message *message,
		       struct process_config *config, struct app_refusal *refusal)
{
	if (!(message->registration.flags & PROTOCOL_APP_FORKED))
		return 0;
	config->parent =
		saved_process_by_token(request->daemon->saved_state, message->registration.parent);
	if (config->parent)
		return 0;
	app_refuse(refusal, ESTALE, "its parent is not registered any more: register classes");
	return -EPROTO;
}

bool app_request_is_started_here(const struct daemon *daemon, const struct ucred *peer,
				 uint64_t parent)
{
	const struct options *options = daemon->options;
	pid_t pid = peer->pid;

	if (!options->private_instance || peer->uid == geteuid() ||
	    processes_gave(daemon->processes, daemon->saved_state, parent))
		return true;
	/* The program before an exec, or an ancestor. */
	for (int i = 0; i < ANCESTORS_MAX; i++) {
		const struct process *process = process_lookup(daemon->processes, (uint32_t)pid);

		if (pid == options->parent || (process && !process_is_gone(process)))
			return true;
		if (pid_parent(pid, &pid) != 0 || pid <= 1)
			return false;
	}
	return false;
}

static bool lacks_descriptors(const struct process *process)
{
	for (uint32_t slot = 0; slot < LTTNGMAP_CHANNELS; slot++)
		if (process->slots[slot].left_out == UNTRACED_SHORT)
			return true;
	return false;
}

/* No session has counted it. */
static void undo_process(struct process *process)
{
	struct session *session;

	untraced_take_back(process);
	cds_list_for_each_entry(session, sessions_list(process->daemon->sessions), node)
		session_uncount(session, process);
	process_end(process);
}

/*
 * Its last program is still there, and has descriptors that it will never use: else all who wait
 * for some would hold them for each other.
 */
static int refuse_for_now(struct app_request *request, struct app_refusal *refusal)
{
	struct process *before =
		process_lookup(request->daemon->processes, (uint32_t)request->peer.pid);

	if (before)
		undo_process(before);
	return refuse_process(request, -EMFILE, refusal);
}

/* A process was made. It has all of its rings, and is answered; or it knows nothing of them. */
static int answer(struct app_request *request, const struct app_message *message,
		  struct app_refusal *refusal)
{
	int error = lacks_descriptors(request->process) ? -EMFILE : 0;

	if (!error)
		error = check_address_space(
			request, message->registration.flags & PROTOCOL_APP_UNLIMITED, refusal);
	if (!error)
		error = take_classes(request, registered.answer.ids, message->nr_classes, refusal);
	if (!error)
		error = send_registered(request, message->nr_classes, &registered.answer);
	process_answered(request->process);
	if (error)
		undo_process(request->process);
	if (error)
		request->process = NULL;
	return error;
}

static int serve_register(struct app_request *request, const struct app_message *message,
			  struct app_refusal *refusal)
{
	struct process_config config = {
		.pid = (uint32_t)request->peer.pid,
		.uid = request->peer.uid,
		.gid = request->peer.gid,
		.use_rseq = message->registration.flags & PROTOCOL_APP_RSEQ,
		.shares = message->registration.flags & PROTOCOL_APP_SHARES,
		.abi_minor = message->registration.abi_minor,
		.payer = payer_of(request),
		.socket = request->fd,
		.procname = message->registration.procname,
		.procname_size = sizeof(message->registration.procname),
	};
	int error;

	/* Else a child that has the socket takes the place of the program that its parent executed.
	 */
	if (request->sender.pid != request->peer.pid)
		return -ESRCH;
	if (request->process && !request->process->record->answered)
		return answer_again(request, message, refusal);
	if (request->process) {
		app_refuse(refusal, EALREADY, "process %u is registered already",
			   request->process->pid);
		return -EPROTO;
	}
	if (request->peer.pid <= 0) {
		app_refuse(refusal, ESRCH,
			   "it lives in a pid namespace that the daemon does not see");
		return -EPROTO;
	}
	memset(&registered, 0, sizeof(registered.answer));
	error = find_parent(request, message, &config, refusal);
	if (!error)
		error = add_classes(request, message, registered.answer.ids, refusal);
	if (error)
		return error;
	error = process_create(request->daemon, &config, &request->process);
	if (error && error != -EMFILE && error != -ENFILE)
		return refuse_process(request, error, refusal);
	if (!error) {
		sessions_join(request->daemon->sessions, request->process);
		error = answer(request, message, refusal);
	}
	/* The last: so many are in messages that nobody has read yet. */
	if (error == -EMFILE || error == -ENFILE || error == -ETOOMANYREFS)
		return refuse_for_now(request, refusal);
	return error;
}

static int serve_classes(struct app_request *request, const struct app_message *message,
			 struct app_refusal *refusal)
{
	static union {
		struct protocol_app_ids answer;
		char room[sizeof(struct protocol_app_ids) +
			  PROTOCOL_APP_CLASSES_MAX * sizeof(uint16_t)];
	} reply;
	size_t size = sizeof(reply.answer) + message->nr_classes * sizeof(uint16_t);
	int error;

	memset(&reply, 0, sizeof(reply.answer));
	error = add_classes(request, message, reply.answer.ids, refusal);
	if (!error)
		error = take_classes(request, reply.answer.ids, message->nr_classes, refusal);
	if (error)
		return error;
	fill_header(&reply.answer.header, PROTOCOL_APP_IDS, size);
	reply.answer.nr_ids = message->nr_classes;
	return socket_send(request->fd, &reply, size, NULL, 0);
}

/* An answer without a descriptor: the channel stopped before it was asked for. */
static int serve_memory(struct app_request *request, const struct app_message *message)
{
	struct process *process = request->process;
	struct channel *channel = sessions_channel_at(request->daemon->sessions, message->slot);
	struct protocol_app_memory answer = { .of.slot = message->slot };
	int fd;

	if (channel && session_takes(channel->session, process) &&
	    process_channel_join(channel, process, true) == 0)
		answer.of = rings_of(process, channel, &fd);
	fill_header(&answer.header, PROTOCOL_APP_MEMORY, sizeof(answer));
	return socket_send(request->fd, &answer, sizeof(answer), &fd, answer.of.data > 0);
}

static void serve_lost(struct app_request *request, const struct app_message *message)
{
	struct channel *channel = sessions_channel_at(request->daemon->sessions, message->slot);

	if (channel)
		process_channel_count_lost(channel, request->process, message->lost > 0);
}

/*
 * The pid of a child that is not traced, and its identity. 0 where the child is registered, or has
 * ended, or where the daemon has no number for it.
 */
static uint32_t find_child(const struct app_request *request, uint64_t *identity)
{
	const struct ucred *child = &request->sender;
	uid_t uid;
	int pidfd;

	if (child->pid <= 0 || process_lookup(request->daemon->processes, (uint32_t)child->pid))
		return 0;
	pidfd = (int)syscall(SYS_pidfd_open, child->pid, 0);
	if (pidfd < 0)
		return (uint32_t)child->pid;
	*identity = peer_identity_of(pidfd);
	close(pidfd);
	/* The child may have ended, and another user's process may have its number. */
	return pid_effective_user(child->pid, &uid) == 0 && uid == child->uid ? (uint32_t)child->pid
									      : 0;
}

/* The name is the sender's word, for people. The rest is the kernel's. */
static void serve_untraced(const struct app_request *request, const struct app_message *message)
{
	/* The registered process may have another user since: it is traced as who it was. */
	bool is_own = (uint32_t)request->sender.pid == request->process->pid;
	const struct ucred *sender = is_own ? &request->peer : &request->sender;
	struct untraced_process child = { .uid = sender->uid, .gid = sender->gid };
	enum untraced_why why = message->untraced.executed ? UNTRACED_EXECUTED : UNTRACED_FORKED;

	if (message->untraced.procname[0])
		name_clean_program(message->untraced.procname, sizeof(message->untraced.procname),
				   child.name);
	/* It is counted when it ends: it may not come to that, or register again. */
	if (message->untraced.executed == 1 && is_own) {
		executed_tell(request->process, child.name);
		return;
	}
	child.pid = find_child(request, &child.identity);
	if (!child.pid && request->process->unproved++ >= UNTRACED_UNPROVED)
		why = UNTRACED_OTHERS;
	untraced_count(request->daemon->untraced, &child, why);
}

/*
 * The registered process that is the peer, or NULL. A process that is registered as another user
 * than the peer's keeps its name: the peer is then counted by its own name alone, as its user's.
 */
static struct process *find_peer(const struct app_request *request, struct untraced_process *peer)
{
	struct process *process = process_lookup(request->daemon->processes, peer->pid);
	uint64_t identity = process ? peer_identity_of(process->pidfd) : 0;

	/* The peer has ended, and another process has its number. */
	if (identity && peer->identity && identity != peer->identity)
		return NULL;
	if (process && process->uid != peer->uid) {
		peer->pid = 0;
		return NULL;
	}
	return process;
}

/* The peer connected for this message, so the kernel says who it is. */
static void serve_executed(const struct app_request *request, const struct app_message *message)
{
	const char *name = message->executed.procname;
	struct untraced_process one = {
		.pid = (uint32_t)request->peer.pid,
		.uid = request->peer.uid,
		.gid = request->peer.gid,
		.identity = peer_identity(request->fd),
	};
	struct process *process;

	/* A child that has the socket speaks for nobody: its parent may have another user since. */
	if (request->peer.pid != request->sender.pid)
		return;
	process = find_peer(request, &one);
	if (name[0])
		name_clean_program(name, sizeof(message->executed.procname), one.name);
	/* It is counted when it ends: it may not come to that, or register again. */
	if (process && !process_is_gone(process))
		executed_tell(process, one.name);
	else if (name[0])
		untraced_count(request->daemon->untraced, &one, UNTRACED_EXECUTED);
	else
		untraced_unsay(request->daemon->untraced, &one);
}

/* The kernel's word on the message. A child that has the socket is not the process. */
static void serve_user(const struct app_request *request)
{
	if ((uint32_t)request->sender.pid == request->process->pid)
		process_change_user(request->process, request->sender.uid);
}

bool app_request_serve_foreign(struct app_request *request, const void *bytes, size_t size)
{
	struct app_message message;
	struct app_refusal refusal;

	if (!request->process || app_message_parse(bytes, size, 0, &message, &refusal) != 0 ||
	    message.type != PROTOCOL_APP_UNTRACED)
		return false;
	serve_untraced(request, &message);
	return true;
}

bool app_request_serve_last(struct app_request *request, const void *bytes, size_t size)
{
	struct app_message message;
	struct app_refusal refusal;

	if (app_message_parse(bytes, size, 0, &message, &refusal) != 0)
		return false;
	if (message.type == PROTOCOL_APP_LOST)
		serve_lost(request, &message);
	if (message.type == PROTOCOL_APP_UNTRACED)
		serve_untraced(request, &message);
	if (message.type == PROTOCOL_APP_USER)
		serve_user(request);
	return true;
}

int app_request_serve(struct app_request *request, const void *bytes, size_t size,
		      struct app_refusal *refusal)
{
	struct app_message message;
	int error = app_message_parse(bytes, size,
				      control_pages_get(request->daemon->pages)->instance, &message,
				      refusal);
	uint64_t parent = message.registration.parent | message.executed.parent;

	/* Without a word, whatever it sent: it is not ours to be counted, or named. */
	if (!request->process &&
	    !app_request_is_started_here(request->daemon, &request->peer, parent)) {
		refusal->error = 0;
		return -EACCES;
	}
	if (error)
		return error;
	if (message.type == PROTOCOL_APP_REGISTER)
		return serve_register(request, &message, refusal);
	/* Its last message. */
	if (message.type == PROTOCOL_APP_EXECUTED && !request->process) {
		serve_executed(request, &message);
		return -ENOTCONN;
	}
	if (!request->process) {
		app_refuse(refusal, EPROTO, "a process registers before it asks for anything else");
		return -EPROTO;
	}
	if (message.type == PROTOCOL_APP_UNTRACED) {
		serve_untraced(request, &message);
		return 0;
	}
	if (message.type == PROTOCOL_APP_LOST) {
		serve_lost(request, &message);
		return 0;
	}
	if (message.type == PROTOCOL_APP_USER) {
		serve_user(request);
		return 0;
	}
	if (message.type == PROTOCOL_APP_ALONE) {
		request->process->record->alone = true;
		return 0;
	}
	if (message.type == PROTOCOL_APP_EXECUTED)
		return 0;
	if (message.type == PROTOCOL_APP_CLASSES)
		return serve_classes(request, &message, refusal);
	return serve_memory(request, &message);
}
