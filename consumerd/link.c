/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "consumerd/link.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <systemd/sd-id128.h>

#include "common/base/json-message.h"
#include "common/base/log.h"
#include "common/base/name.h"
#include "common/protocol/protocol-control.h"
#include "common/base/socket.h"

/* A daemon that does not greet within this is not one of ours. */
#define HELLO_TIMEOUT_MS 10000

/* Suffix of the key of a session's kernel domain. */
#define KERNEL_SUFFIX "/kernel"

struct link {
	int fd;
	sd_event_source *source; /* NULL once the daemon is gone */
	const struct link_ops *ops;
	void *userdata;
	uint64_t taken; /* messages of the daemon's, behind its answer to the greeting */
};

static void hang_up(struct link *link)
{
	link->source = sd_event_source_disable_unref(link->source);
	link->ops->closed(link->userdata);
}

/* Names become folders and files: no daemon's mistake may lead out of them. */
static int get_name(struct json_object *message, const char *key, const char **name)
{
	int error = json_message_get_string(message, key, name);

	return error ? error : name_is_session(*name) ? 0 : -EINVAL;
}

/* Reads KEY or KEY/kernel: a session's name is a key here, and no folder. */
static int get_session(struct json_object *message, const char **name)
{
	char key[NAME_SESSION_MAX + 1];
	const char *slash;
	int error = json_message_get_string(message, "session", name);

	if (error)
		return error;
	slash = strchr(*name, '/');
	if (!slash)
		return name_is_session(*name) ? 0 : -EINVAL;
	if (strcmp(slash, KERNEL_SUFFIX) != 0 || slash - *name >= (ptrdiff_t)sizeof(key))
		return -EINVAL;
	memcpy(key, *name, (size_t)(slash - *name));
	key[slash - *name] = '\0';
	return name_is_session(key) ? 0 : -EINVAL;
}

static int get_path(struct json_object *message, const char *key, const char **path)
{
	int error = json_message_get_string(message, key, path);

	return error ? error : **path == '/' ? 0 : -EINVAL;
}

/* Said by the name and by a member, or by neither. */
static int get_kernel(struct json_object *message, const char *session, bool *kernel)
{
	int error = json_message_get_bool(message, "kernel", kernel);

	if (error && error != -ENOENT)
		return error;
	return *kernel == (strchr(session, '/') != NULL) ? 0 : -EINVAL;
}

/* Reads the spool size of a session that is sent to a collector; no other session has it. */
static int get_spool(struct json_object *message, uint64_t *spool)
{
	int error = json_message_get_uint64(message, "spool", 0, INT64_MAX, spool);

	return error == -ENOENT ? 0 : error;
}

/* False where it is not there. */
static int get_flag(struct json_object *message, const char *key, bool *flag)
{
	int error = json_message_get_bool(message, key, flag);

	return error == -ENOENT ? 0 : error;
}

/* `pages`: -1, or what came with it. */
static int on_session(struct link *link, struct json_object *message, const char *session,
		      int pages)
{
	struct output_session_config config = { .pages = pages };
	uint64_t uid, gid, chunk;
	const char *text;
	sd_id128_t uuid;
	int error;

	error = get_path(message, "output", &config.output);
	if (!error)
		error = get_path(message, "rings", &config.rings);
	if (!error)
		error = json_message_get_string(message, "uuid", &text);
	if (!error)
		error = sd_id128_from_string(text, &uuid);
	if (!error)
		error = json_message_get_uint64(message, "uid", 0, UINT32_MAX - 1, &uid);
	if (!error)
		error = json_message_get_uint64(message, "gid", 0, UINT32_MAX - 1, &gid);
	if (!error)
		error = json_message_get_uint64(message, "chunk", 0, UINT32_MAX, &chunk);
	if (!error)
		error = json_message_get_uint64(message, "overwritten", 0, INT64_MAX,
						&config.overwritten);
	if (!error)
		error = json_message_get_bool(message, "snapshot", &config.snapshot);
	if (!error)
		error = json_message_get_uint64(message, "stream_size", 0, INT64_MAX,
						&config.stream_size);
	if (!error)
		error = get_spool(message, &config.spool);
	if (!error)
		error = get_flag(message, "sent", &config.sent);
	if (!error)
		error = get_flag(message, "live", &config.live);
	if (!error)
		error = get_flag(message, "recovered", &config.recovered);
	if (!error)
		error = get_flag(message, "durable", &config.durable);
	if (!error)
		error = get_kernel(message, session, &config.kernel);
	if (error)
		return error;
	config.chunk = (uint32_t)chunk;
	config.uuid = uuid.bytes;
	config.owner = (uid_t)uid;
	config.group = (gid_t)gid;
	link->ops->session(link->userdata, session, &config);
	return 0;
}

static int on_channel(struct link *link, struct json_object *message, const char *session)
{
	struct stream_limits limits;
	const char *channel;
	uint64_t id;
	int error;

	error = get_name(message, "channel", &channel);
	if (!error)
		error = json_message_get_uint64(message, "id", 0, UINT32_MAX, &id);
	if (!error)
		error = json_message_get_uint64(message, "file_size", 0, INT64_MAX,
						&limits.file_size);
	if (!error)
		error = json_message_get_uint64(message, "file_count", 0, UINT32_MAX,
						&limits.file_count);
	if (!error)
		link->ops->channel(link->userdata, session, channel, (uint32_t)id, &limits);
	return error;
}

static int on_rotate(struct link *link, struct json_object *message, const char *session)
{
	struct output_session_rotation rotation = { .name = NULL };
	uint64_t chunk;
	int error;

	error = get_name(message, "name", &rotation.name);
	if (!error)
		error = json_message_get_uint64(message, "chunk", 0, UINT32_MAX, &chunk);
	if (!error)
		error = json_message_get_bool(message, "final", &rotation.final);
	if (!error)
		error = json_message_get_bool(message, "drop_empty", &rotation.drop_empty);
	if (error)
		return error;
	rotation.chunk = (uint32_t)chunk;
	link->ops->rotate(link->userdata, session, &rotation);
	return 0;
}

static int on_live(struct link *link, struct json_object *message, const char *session)
{
	uint64_t time;
	int error = json_message_get_uint64(message, "time", 0, UINT64_MAX, &time);

	if (!error)
		link->ops->live(link->userdata, session, time);
	return error;
}

static int on_recording(struct link *link, struct json_object *message, const char *session)
{
	bool on;
	int error = json_message_get_bool(message, "on", &on);

	if (!error)
		link->ops->recording(link->userdata, session, on);
	return error;
}

static int on_losses(struct link *link, struct json_object *message, const char *session)
{
	struct losses losses = { 0 };
	const struct {
		const char *key;
		uint64_t *count;
	} counts[] = {
		{ "kept", &losses.kept },
		{ "discarded", &losses.discarded },
		{ "overwritten", &losses.overwritten },
		{ "broken", &losses.broken },
		{ "buffered", &losses.buffered },
		{ "kernel", &losses.kernel },
		{ "cut", &losses.cut },
	};
	int error = 0;

	for (size_t i = 0; !error && i < sizeof(counts) / sizeof(counts[0]); i++)
		error = json_message_get_uint64(message, counts[i].key, 0, INT64_MAX,
						counts[i].count);
	if (!error)
		link->ops->losses(link->userdata, session, &losses);
	return error;
}

static int on_channel_end(struct link *link, struct json_object *message, const char *session)
{
	const char *channel;
	int error = get_name(message, "channel", &channel);

	if (!error)
		link->ops->channel_end(link->userdata, session, channel);
	return error;
}

/* Takes the descriptors where it succeeds: the text, and what may come with it. */
static int on_metadata(struct link *link, struct json_object *message, const char *session,
		       int fds[JSON_MESSAGE_FDS_MAX])
{
	bool final = false;
	uint64_t generation, offset;
	int error;

	error = json_message_get_uint64(message, "generation", 0, INT64_MAX, &generation);
	if (!error)
		error = json_message_get_uint64(message, "offset", 0, INT64_MAX, &offset);
	if (!error)
		error = json_message_get_bool(message, "final", &final);
	if (!error && fds[0] < 0)
		error = -EBADF;
	if (error)
		return error;
	link->ops->metadata(link->userdata, session, generation, offset, fds[0], fds[1], final);
	fds[0] = fds[1] = -1;
	return 0;
}

static int take_message(struct link *link, struct json_object *message,
			int fds[JSON_MESSAGE_FDS_MAX])
{
	const char *event = "", *session;
	int error;

	error = json_message_get_string(message, "event", &event);
	if (!error)
		error = get_session(message, &session);
	if (error)
		return error;
	if (strcmp(event, "session") == 0)
		return on_session(link, message, session, fds[0]);
	if (strcmp(event, "channel") == 0)
		return on_channel(link, message, session);
	if (strcmp(event, "channel-end") == 0)
		return on_channel_end(link, message, session);
	if (strcmp(event, "clear") == 0) {
		link->ops->clear(link->userdata, session);
		return 0;
	}
	if (strcmp(event, "rotate") == 0)
		return on_rotate(link, message, session);
	if (strcmp(event, "live") == 0)
		return on_live(link, message, session);
	if (strcmp(event, "losses") == 0)
		return on_losses(link, message, session);
	if (strcmp(event, "recording") == 0)
		return on_recording(link, message, session);
	if (strcmp(event, "metadata") == 0)
		return on_metadata(link, message, session, fds);
	if (strcmp(event, "end") != 0)
		return -EOPNOTSUPP;
	link->ops->end(link->userdata, session);
	return 0;
}

static int on_readable(sd_event_source *source, int fd, uint32_t events, void *userdata)
{
	struct link *link = userdata;
	struct json_object *message;
	int error, fds[JSON_MESSAGE_FDS_MAX] = { -1, -1 };
	size_t nr_fds = JSON_MESSAGE_FDS_MAX;

	(void)source;
	(void)events;
	error = json_message_receive_fds(fd, &message, fds, &nr_fds, 0);
	if (error == -EAGAIN)
		return 0;
	if (!error) {
		link->taken++;
		error = take_message(link, message, fds);
		if (error)
			log_error("a message of the session daemon's makes no sense (%s): %s; are "
				  "both of one version?",
				  strerror(-error), json_object_to_json_string(message));
		json_object_put(message);
		for (size_t i = 0; i < JSON_MESSAGE_FDS_MAX; i++) {
			if (fds[i] >= 0)
				close(fds[i]);
		}
		return 0;
	}
	if (error == -EMFILE || error == -ENOMEM || error == -EBADMSG || error == -EMSGSIZE) {
		log_error("a message of the session daemon's is lost: %s", strerror(-error));
		link->taken++;
		return 0;
	}
	hang_up(link);
	return 0;
}

/* {"verb": "consumer", "version": 1}, and its answer. */
static int greet(int fd)
{
	struct json_object *message = json_object_new_object();
	const char *why = "no reason given";
	bool is_ok = false;
	int error;

	json_object_object_add(message, "verb", json_object_new_string("consumer"));
	json_object_object_add(message, "version", json_object_new_int(PROTOCOL_CONTROL_VERSION));
	error = json_message_send(fd, message, -1, HELLO_TIMEOUT_MS);
	json_object_put(message);
	if (error)
		return error;
	error = json_message_receive(fd, &message, NULL, HELLO_TIMEOUT_MS);
	if (error)
		return error;
	if (json_message_get_bool(message, "ok", &is_ok) != 0 || !is_ok) {
		(void)json_message_get_string(message, "error", &why);
		log_error("the session daemon refused the consumer: %s", why);
		error = -EPROTO;
	}
	json_object_put(message);
	return error;
}

int link_create(sd_event *loop, const char *path, const struct link_ops *ops, void *userdata,
		struct link **result)
{
	struct link *link = calloc(1, sizeof(*link));
	int error;

	if (!link)
		return -ENOMEM;
	link->ops = ops;
	link->userdata = userdata;
	error = socket_connect(path, SOCK_SEQPACKET | SOCK_NONBLOCK, &link->fd);
	if (error) {
		free(link);
		return error;
	}
	error = greet(link->fd);
	if (!error)
		error = sd_event_add_io(loop, &link->source, link->fd, EPOLLIN, on_readable, link);
	/* Messages of the daemon are read before rings: metadata before packets. */
	if (error >= 0)
		error = sd_event_source_set_priority(link->source, SD_EVENT_PRIORITY_IMPORTANT);
	if (error < 0) {
		link_destroy(link);
		return error;
	}
	*result = link;
	return 0;
}

void link_destroy(struct link *link)
{
	if (!link)
		return;
	sd_event_source_disable_unref(link->source);
	close(link->fd);
	free(link);
}

static void add_number(struct json_object *message, const char *key, uint64_t number)
{
	json_object_object_add(message, key, json_object_new_uint64(number));
}

int link_send_written(struct link *link, const char *session,
		      const struct output_session_written *written)
{
	struct json_object *message;
	int error;

	if (!link->source)
		return -EPIPE;
	message = json_object_new_object();
	json_object_object_add(message, "verb", json_object_new_string("written"));
	json_object_object_add(message, "session", json_object_new_string(session));
	add_number(message, "generation", written->generation);
	add_number(message, "packets", written->packets);
	add_number(message, "events", written->events);
	add_number(message, "lapped", written->overrun);
	add_number(message, "broken", written->broken);
	add_number(message, "bytes", written->bytes);
	add_number(message, "streams", written->streams);
	add_number(message, "cleared", written->cleared);
	add_number(message, "overwritten", written->overwritten);
	if (written->error)
		json_object_object_add(message, "error", json_object_new_string(written->error));
	if (written->moved)
		json_object_object_add(message, "moved", json_object_new_string(written->moved));
	error = json_message_send(link->fd, message, -1, 0);
	json_object_put(message);
	return error;
}

int link_send_broken(struct link *link, const char *session,
		     const struct output_session_broken *broken)
{
	struct json_object *message;
	int error;

	if (!link->source)
		return -EPIPE;
	message = json_object_new_object();
	json_object_object_add(message, "verb", json_object_new_string("broken"));
	json_object_object_add(message, "session", json_object_new_string(session));
	json_object_object_add(message, "stream", json_object_new_string(broken->stream));
	json_object_object_add(message, "program", json_object_new_string(broken->program));
	add_number(message, "pid", broken->pid);
	add_number(message, "uid", broken->uid);
	json_object_object_add(message, "why", json_object_new_string(broken->why));
	error = json_message_send(link->fd, message, -1, 0);
	json_object_put(message);
	return error;
}

int link_send_rotated(struct link *link, const char *session,
		      const struct output_session_rotation *rotation)
{
	struct json_object *message;
	int error;

	if (!link->source)
		return -EPIPE;
	message = json_object_new_object();
	json_object_object_add(message, "verb", json_object_new_string("rotated"));
	json_object_object_add(message, "session", json_object_new_string(session));
	add_number(message, "chunk", rotation->chunk);
	json_object_object_add(message, "final", json_object_new_boolean(rotation->final));
	json_object_object_add(message, "dropped", json_object_new_boolean(rotation->dropped));
	if (rotation->error)
		json_object_object_add(message, "error", json_object_new_string(rotation->error));
	error = json_message_send(link->fd, message, -1, 0);
	json_object_put(message);
	return error;
}

static int send_and_put(struct link *link, struct json_object *message)
{
	int error = link->source ? json_message_send(link->fd, message, -1, 0) : -EPIPE;

	json_object_put(message);
	return error;
}

int link_send_busy(struct link *link)
{
	struct json_object *message = json_object_new_object();

	json_object_object_add(message, "verb", json_object_new_string("busy"));
	return send_and_put(link, message);
}

int link_send_alive(struct link *link, bool busy)
{
	struct json_object *message = json_object_new_object();

	json_object_object_add(message, "verb", json_object_new_string("alive"));
	add_number(message, "taken", link->taken);
	json_object_object_add(message, "busy", json_object_new_boolean(busy));
	return send_and_put(link, message);
}
