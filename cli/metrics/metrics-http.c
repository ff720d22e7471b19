/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * metrics-http.c - serves the text by libmicrohttpd.
 *
 * The library is loaded when this begins: it brings TLS and more, which would make the start of
 * all other verbs slower. One thread asks the daemon and serves; many requests within a second
 * share an answer. A connection serves one request, for CONNECTION_MS at most; where there are
 * many, a new one ends the oldest. So clients that send or read slowly keep nobody out.
 */
#include <config.h>

#include "cli/metrics/metrics.h"

#include "cli/base/message.h"
#include "cli/base/verb.h"

#ifdef HAVE_MICROHTTPD

#include <dlfcn.h>
#include <errno.h>
#include <microhttpd.h>
#include <netdb.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/base/time.h"

#define LIBRARY "libmicrohttpd.so.12"

#define FRESH_MS 1000  /* an answer of the daemon is good for so long */
#define ANSWER_MS 1000 /* the daemon has so long for it */
#define CONNECTION_MS 5000
#define CONNECTIONS_MOST 64u
#define CONNECTIONS_MANY 48u /* from then on the oldest makes room */
#define REQUEST_MOST 16384u  /* memory for a request's lines */

/* ---- the library ------------------------------------------------------------------- */

#define CALLS(CALL)                                                                                \
	CALL(MHD_start_daemon)                                                                     \
	CALL(MHD_run)                                                                              \
	CALL(MHD_get_timeout)                                                                      \
	CALL(MHD_get_daemon_info)                                                                  \
	CALL(MHD_get_connection_info)                                                              \
	CALL(MHD_lookup_connection_value)                                                          \
	CALL(MHD_create_response_from_buffer)                                                      \
	CALL(MHD_add_response_header)                                                              \
	CALL(MHD_queue_response)                                                                   \
	CALL(MHD_destroy_response)

#define POINTER(name) __typeof__(&name) name;
static struct {
	CALLS(POINTER)
} mhd;

/* False after a message. */
static bool load_library(void)
{
	void *library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
	bool found = library != NULL;

#define FIND(name)                                                                                 \
	if (found)                                                                                 \
		found = (mhd.name = (__typeof__(&name))dlsym(library, #name)) != NULL;
	CALLS(FIND)
	if (!found) {
		message_error("metrics: cannot serve: %s", dlerror());
		message_hint("install libmicrohttpd (Debian: libmicrohttpd12); --once needs none");
	}
	return found;
}

/* ---- connections ------------------------------------------------------------------- */

struct connection {
	const struct MHD_Connection *of; /* NULL: none */
	int fd;
	int64_t begun_ms;
};

struct server {
	struct metrics *metrics;
	struct connection connections[CONNECTIONS_MOST];
	size_t nr_connections;
	int64_t looked_ms;                           /* when the daemon was asked last; 0: never */
	struct MHD_Response *pages[METRICS_FORMATS]; /* of that look; NULL: not asked for yet */
	struct MHD_Response *hint, *not_found, *bad_method;
};

static struct connection *find_connection(struct server *server, const struct MHD_Connection *of)
{
	for (size_t i = 0; i < CONNECTIONS_MOST; i++)
		if (server->connections[i].of == of)
			return &server->connections[i];
	return NULL;
}

/* NULL: there is none. */
static struct connection *find_oldest(struct server *server)
{
	struct connection *oldest = NULL;

	for (size_t i = 0; i < CONNECTIONS_MOST; i++) {
		struct connection *connection = &server->connections[i];

		if (connection->of && (!oldest || connection->begun_ms < oldest->begun_ms))
			oldest = connection;
	}
	return oldest;
}

static void forget_connection(struct server *server, struct connection *connection)
{
	if (!connection)
		return;
	connection->of = NULL;
	server->nr_connections--;
}

/* The library sees the end of the connection in its next turn, and closes it. */
static void end_connection(struct server *server, struct connection *connection)
{
	if (connection)
		shutdown(connection->fd, SHUT_RDWR);
	forget_connection(server, connection);
}

static void on_connection(void *data, struct MHD_Connection *of, void **place,
			  enum MHD_ConnectionNotificationCode what)
{
	struct server *server = data;
	struct connection *connection;

	(void)place;
	if (what == MHD_CONNECTION_NOTIFY_CLOSED) {
		forget_connection(server, find_connection(server, of));
		return;
	}
	if (server->nr_connections >= CONNECTIONS_MANY)
		end_connection(server, find_oldest(server));
	connection = find_connection(server, NULL);
	*connection = (struct connection){
		of,
		mhd.MHD_get_connection_info(of, MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd,
		time_now_ms(),
	};
	server->nr_connections++;
}

/* Ends connections that last too long. Returns how long to wait for the next one, or -1. */
static int64_t end_old_connections(struct server *server)
{
	struct connection *oldest;
	int64_t rest;

	while ((oldest = find_oldest(server))) {
		rest = oldest->begun_ms + CONNECTION_MS - time_now_ms();
		if (rest > 0)
			return rest;
		end_connection(server, oldest);
	}
	return -1;
}

/* ---- answers ----------------------------------------------------------------------- */

/* Takes `text`. NULL without memory. */
static struct MHD_Response *make_response(char *text, size_t size, const char *type)
{
	struct MHD_Response *response =
		mhd.MHD_create_response_from_buffer(size, text, MHD_RESPMEM_MUST_FREE);

	if (!response) {
		free(text);
		return NULL;
	}
	mhd.MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, type);
	mhd.MHD_add_response_header(response, MHD_HTTP_HEADER_CONNECTION, "close");
	return response;
}

static struct MHD_Response *make_text(const char *text)
{
	char *copy = strdup(text);

	return copy ? make_response(copy, strlen(copy), "text/plain; charset=utf-8") : NULL;
}

static struct MHD_Response *make_page(const struct metrics *metrics, enum metrics_format format)
{
	static const char *const types[] = {
		[METRICS_TEXT] = "text/plain; version=0.0.4; charset=utf-8",
		[METRICS_OPENMETRICS] =
			"application/openmetrics-text; version=1.0.0; charset=utf-8",
	};
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	metrics_print(metrics, format, out);
	if (fclose(out) != 0) {
		free(text);
		return NULL;
	}
	return make_response(text, size, types[format]);
}

static void drop_pages(struct server *server)
{
	for (size_t i = 0; i < METRICS_FORMATS; i++) {
		if (server->pages[i])
			mhd.MHD_destroy_response(server->pages[i]);
		server->pages[i] = NULL;
	}
}

/* The page, not older than a second. NULL without memory. */
static struct MHD_Response *get_page(struct server *server, enum metrics_format format)
{
	if (!server->looked_ms || time_now_ms() - server->looked_ms >= FRESH_MS) {
		drop_pages(server);
		metrics_look(server->metrics, ANSWER_MS);
		server->looked_ms = time_now_ms();
	}
	if (!server->pages[format])
		server->pages[format] = make_page(server->metrics, format);
	return server->pages[format];
}

/* The format that a scraper asks for. */
static enum metrics_format format_of(struct MHD_Connection *connection)
{
	const char *accept = mhd.MHD_lookup_connection_value(connection, MHD_HEADER_KIND,
							     MHD_HTTP_HEADER_ACCEPT);

	return accept && strstr(accept, "application/openmetrics-text") ? METRICS_OPENMETRICS
									: METRICS_TEXT;
}

static enum MHD_Result on_request(void *data, struct MHD_Connection *connection, const char *url,
				  const char *method, const char *version, const char *upload,
				  size_t *upload_size, void **place)
{
	struct server *server = data;
	unsigned status = MHD_HTTP_OK;
	struct MHD_Response *response = server->hint;

	(void)version, (void)upload, (void)upload_size, (void)place;
	if (strcmp(method, MHD_HTTP_METHOD_GET) != 0 && strcmp(method, MHD_HTTP_METHOD_HEAD) != 0) {
		status = MHD_HTTP_METHOD_NOT_ALLOWED;
		response = server->bad_method;
	} else if (strcmp(url, "/metrics") == 0) {
		response = get_page(server, format_of(connection));
	} else if (strcmp(url, "/") != 0) {
		status = MHD_HTTP_NOT_FOUND;
		response = server->not_found;
	}
	return response ? mhd.MHD_queue_response(connection, status, response) : MHD_NO;
}

/* ---- listening --------------------------------------------------------------------- */

/* Splits "ADDRESS:PORT", "[ADDRESS]:PORT", ":PORT" or "PORT". False: it is none. */
static bool split_address(const char *text, char host[64], char port[8])
{
	const char *colon = strrchr(text, ':');
	const char *number = colon ? colon + 1 : text;
	size_t length = colon ? (size_t)(colon - text) : 0;

	if (length >= 2 && text[0] == '[' && colon[-1] == ']') {
		text++;
		length -= 2;
	} else if (memchr(text, ':', length)) {
		return false;
	}
	if (length >= 64 || strlen(number) >= 8 || number[0] == '\0' ||
	    strspn(number, "0123456789") != strlen(number) || atoi(number) > 65535)
		return false;
	snprintf(host, 64, "%.*s", (int)length, text);
	if (length == 0)
		strcpy(host, "127.0.0.1");
	strcpy(port, number);
	return true;
}

/* A listening socket, or -errno. */
static int listen_at(const struct addrinfo *address)
{
	int fd = socket(address->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	int on = 1, error;

	if (fd < 0)
		return -errno;
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (address->ai_family == AF_INET6)
		setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof(on));
	if (bind(fd, address->ai_addr, address->ai_addrlen) == 0 && listen(fd, SOMAXCONN) == 0)
		return fd;
	error = -errno;
	close(fd);
	return error;
}

/* A listening socket, or -1 after a message. */
static int open_socket(const char *text)
{
	const struct addrinfo hints = { .ai_flags = AI_NUMERICHOST | AI_NUMERICSERV,
					.ai_socktype = SOCK_STREAM };
	struct addrinfo *address;
	char host[64], port[8];
	int fd;

	if (!split_address(text, host, port) || getaddrinfo(host, port, &hints, &address) != 0) {
		message_error("metrics: --listen: '%s' is no address and port", text);
		message_hint("give them in numbers, as 127.0.0.1:9877 or [::1]:9877");
		return -1;
	}
	fd = listen_at(address);
	freeaddrinfo(address);
	if (fd >= 0)
		return fd;
	message_error("metrics: cannot listen at %s: %s", text, strerror(-fd));
	message_hint(fd == -EADDRINUSE ? "--listen gives another port"
				       : "--listen gives an address of this machine");
	return -1;
}

/* Says where, for port 0 is any that is free. */
static void say_address(int fd)
{
	struct sockaddr_storage address;
	socklen_t size = sizeof(address);
	char host[64], port[8];

	if (getsockname(fd, (struct sockaddr *)&address, &size) != 0 ||
	    getnameinfo((struct sockaddr *)&address, size, host, sizeof(host), port, sizeof(port),
			NI_NUMERICHOST | NI_NUMERICSERV) != 0)
		return;
	message_note(address.ss_family == AF_INET6 ? "serving http://[%s]:%s/metrics"
						   : "serving http://%s:%s/metrics",
		     host, port);
}

/* ---- the loop ---------------------------------------------------------------------- */

static int wait_ms(struct MHD_Daemon *library, int64_t rest)
{
	MHD_UNSIGNED_LONG_LONG timeout;

	if (mhd.MHD_get_timeout(library, &timeout) == MHD_YES &&
	    (rest < 0 || timeout < (unsigned long long)rest))
		rest = (int64_t)timeout;
	return (int)rest;
}

static int run(struct server *server, struct MHD_Daemon *library)
{
	const union MHD_DaemonInfo *info =
		mhd.MHD_get_daemon_info(library, MHD_DAEMON_INFO_EPOLL_FD);
	struct pollfd polled = { .fd = info->epoll_fd, .events = POLLIN };

	for (;;) {
		int64_t rest = end_old_connections(server);

		if (poll(&polled, 1, wait_ms(library, rest)) < 0 && errno != EINTR)
			break;
		if (mhd.MHD_run(library) != MHD_YES)
			break;
	}
	message_error("metrics: cannot serve any more: %s", strerror(errno));
	return CLI_STATUS_FAILED;
}

int metrics_serve(struct metrics *metrics, const char *listen)
{
	struct server server = { .metrics = metrics };
	struct MHD_Daemon *library;
	int fd;

	if (!load_library())
		return CLI_STATUS_FAILED;
	fd = open_socket(listen);
	if (fd < 0)
		return CLI_STATUS_FAILED;
	server.hint = make_text("lttngmap: see /metrics\n");
	server.not_found = make_text("Not found: see /metrics\n");
	server.bad_method = make_text("Only GET and HEAD are served\n");
	library = mhd.MHD_start_daemon(MHD_USE_EPOLL, 0, NULL, NULL, on_request, &server,
				       MHD_OPTION_LISTEN_SOCKET, fd, MHD_OPTION_CONNECTION_LIMIT,
				       CONNECTIONS_MOST, MHD_OPTION_CONNECTION_TIMEOUT,
				       CONNECTION_MS / 1000u, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
				       (size_t)REQUEST_MOST, MHD_OPTION_NOTIFY_CONNECTION,
				       on_connection, &server, MHD_OPTION_END);
	if (!library) {
		message_error("metrics: cannot serve: %s", strerror(errno));
		return CLI_STATUS_FAILED;
	}
	say_address(fd);
	return run(&server, library);
}

#else /* HAVE_MICROHTTPD */

int metrics_serve(struct metrics *metrics, const char *listen)
{
	(void)metrics, (void)listen;
	message_error("metrics: this lttngmap was built without libmicrohttpd: it serves nothing");
	message_hint("--once prints the metrics");
	return CLI_STATUS_FAILED;
}

#endif
