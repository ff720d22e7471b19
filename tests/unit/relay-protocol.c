/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * relay-protocol.c - what goes to a collector, byte by byte; what comes from it and cannot be;
 * its URL; and how metadata that is replaced whole becomes one that grows.
 */
#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "relay/metadata.h"
#include "relay/protocol.h"
#include "relay/url.h"
#include "tests/utils/tap.h"

/* ---- requests ---------------------------------------------------------------------- */

/* The header's command, and whether it says how long the rest is. */
static bool is_request(const struct relay_request *request, uint32_t command, size_t more)
{
	uint64_t size;
	uint32_t found;

	memcpy(&size, request->bytes + 8, sizeof(size));
	memcpy(&found, request->bytes + 16, sizeof(found));
	return be64toh(size) == request->size - 24 + more && be32toh(found) == command;
}

static void test_requests(void)
{
	static const uint8_t tracer[CTF_UUID_SIZE] = "tracer";
	static const unsigned char version[] = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 8,
						 0, 0, 0, 5, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 13 };
	struct relay_session_description session = {
		.name = "s", .host = "h", .path = "", .tracer = tracer, .id = 1, .created = 2
	};
	struct ctf_index_entry entry = { .offset = 1,
					 .packet_size = htobe64(4096),
					 .packet_seq_num = htobe64(7) };
	char name[300];
	struct relay_request request;
	unsigned char data[RELAY_DATA_HEADER_SIZE];
	uint64_t number;

	relay_request_version(&request);
	ok(request.size == sizeof(version) && memcmp(request.bytes, version, sizeof(version)) == 0,
	   "the version, byte by byte");
	relay_request_session(&request, &session);
	ok(is_request(&request, 2, 0), "a session");
	is(request.size, 24 + 16 + 2 + 16 + 16 + 9 + 4, "with two names and no path");
	memset(name, 'x', sizeof(name));
	name[sizeof(name) - 1] = '\0';
	session.name = session.host = session.path = name;
	relay_request_session(&request, &session);
	is(request.size, 24 + 16 + 2 + 16 + 16 + 9 + 256 + 64 + 256,
	   "names that are too long are cut");
	is(relay_request_stream(&request, name, "ust", 0), -ENAMETOOLONG,
	   "a stream whose name is too long is refused");
	is(relay_request_stream(&request, "a", name, 0), -ENAMETOOLONG, "so is such a path");
	is(relay_request_stream(&request, "a", "ust", 3), 0, "another one is not");
	ok(is_request(&request, 1, 0) && memcmp(request.bytes + 56, "a\0ust", 6) == 0,
	   "and is as it should be");
	relay_request_chunk(&request, 3, 1, "");
	ok(is_request(&request, 19, 0) && request.size == 24 + 8 + 8 + 4, "a chunk");
	relay_request_chunk(&request, 3, 1, "shot");
	ok(is_request(&request, 19, 0) && request.size == 24 + 8 + 8 + 4 + 5 &&
		   memcmp(request.bytes + 24 + 16, "\0\0\0\5shot", 9) == 0,
	   "a chunk that is called so");
	relay_request_chunk(&request, 3, 1, name);
	is(request.size, 24 + 8 + 8 + 4 + 256, "not longer than a name can be");
	relay_request_index(&request, 9, 7, &entry);
	memcpy(&number, request.bytes + 24 + 16, sizeof(number));
	ok(is_request(&request, 13, 0) && request.size == 24 + 80 && be64toh(number) == 4096,
	   "an index entry");
	relay_request_beacon(&request, 9, 7, 5000, 3);
	memcpy(&number, request.bytes + 24 + 40, sizeof(number));
	ok(is_request(&request, 13, 0) && request.size == 24 + 80 && be64toh(number) == 5000 &&
		   request.bytes[24 + 63] == 3 && request.bytes[24 + 23] == 0,
	   "a beacon is one of no size, with a time and a stream class");
	relay_request_leave_chunk(&request, 9, 7);
	ok(is_request(&request, 18, 0) && request.size == 24 + 20 + 16 && request.bytes[27] == 1 &&
		   request.bytes[28] == 0 && request.bytes[24 + 27] == 9 &&
		   request.bytes[24 + 35] == 7,
	   "a stream leaves its chunk");
	relay_request_metadata(&request, 9, 100);
	ok(is_request(&request, 6, 100), "metadata says how much follows");
	relay_data_header(data, 1, 2, 3);
	ok(data[15] == 1 && data[23] == 2 && data[27] == 3 && data[31] == 0, "a packet's header");
}

/* ---- answers ------------------------------------------------------------------------ */

static void test_answers(void)
{
	unsigned char good[RELAY_SESSION_SIZE] = { [11] = RELAY_OK, [15] = 5 };
	unsigned char large[RELAY_SESSION_SIZE] = { [11] = RELAY_OK, [12] = 0xff };
	unsigned char refused[RELAY_SESSION_SIZE] = { [11] = 20 };
	unsigned char status[RELAY_STATUS_SIZE] = { [3] = RELAY_OK };
	unsigned char pending[RELAY_STATUS_SIZE] = { [3] = 1 };
	unsigned char version[RELAY_VERSION_SIZE] = { [3] = 2, [7] = 15 };
	unsigned char old[RELAY_VERSION_SIZE] = { [3] = 2, [7] = 10 };
	unsigned char other[RELAY_VERSION_SIZE] = { [3] = 3, [7] = 13 };
	unsigned char nonsense[RELAY_VERSION_SIZE] = "HTTP/1.1";
	unsigned char closed[RELAY_CLOSED_CHUNK_SIZE] = { [3] = RELAY_OK, [4] = 1 };
	bool is_pending;
	size_t more;

	ok(relay_answer_session(good, &more) == 0 && more == 5, "a session, and a path behind it");
	is(relay_answer_session(large, &more), -EPROTO, "a path that is too long");
	is(relay_answer_session(refused, &more), -EREMOTEIO, "a refusal");
	is(relay_answer_status(status), 0, "all is well");
	is(relay_answer_status(pending), -EREMOTEIO, "or not");
	ok(relay_answer_pending(pending, &is_pending) == 0 && is_pending, "packets are pending");
	is(relay_answer_pending(status, &is_pending), -EREMOTEIO, "which is 0 or 1");
	is(relay_answer_version(version), 0, "a newer collector");
	is(relay_answer_version(old), -EPROTONOSUPPORT, "one that is too old");
	is(relay_answer_version(other), -EPROTONOSUPPORT, "one of another kind");
	is(relay_answer_version(nonsense), -EPROTO, "something else");
	is(relay_answer_closed_chunk(closed, &more), -EPROTO, "a chunk's path that is too long");
}

/* ---- URLs ----------------------------------------------------------------------------- */

static void test_url(const char *text, const char *expected)
{
	struct relay_url url;
	const char *why = NULL;
	char found[1024] = "refused";

	if (relay_url_parse(text, &url, &why) == 0)
		snprintf(found, sizeof(found), "%s %s %s %s%s", url.host, url.control, url.data,
			 url.path, url.only_ipv6 ? " 6" : "");
	is_string(found, expected, text);
}

static void test_urls(void)
{
	test_url("net://host", "host 5342 5343 ");
	test_url("net://host:1", "host 1 5343 ");
	test_url("net://host:1:65535/a/b", "host 1 65535 a/b");
	test_url("net://[::1]:2:3", "::1 2 3 ");
	test_url("net6://host//x", "host 5342 5343 x 6");
	test_url("net://", "refused");
	test_url("net://[::1", "refused");
	test_url("net://[]", "refused");
	test_url("net://host:0", "refused");
	test_url("net://host:65536", "refused");
	test_url("net://host:1:2:3", "refused");
	test_url("net://host:", "refused");
	test_url("net://host/../x", "refused");
	test_url("net://host/a/.b", "refused");
	test_url("net://us er@host", "refused");
	test_url("net://host/a b", "refused");
	test_url("net://host/a\nb", "refused");
	test_url("tcp://host", "refused");
	test_url("host", "refused");
}

static void test_key(const char *text, const char *expected)
{
	char key[RELAY_URL_KEY_MAX];
	struct relay_url url;
	const char *why;

	if (relay_url_parse(text, &url, &why) != 0)
		return;
	relay_url_key(&url, key);
	is_string(key, expected, "the collector in a file's name");
}

static void test_keys(void)
{
	char text[500] = "net://host/", other[500], keys[2][RELAY_URL_KEY_MAX];
	struct relay_url url;
	const char *why;

	test_key("net://host", "host:5342");
	test_key("net6://[::1]:2:3", "::1:2");
	test_key("net://host/a/b_c%", "host:5342%2Fa%2Fb_c%25");
	memset(text + strlen(text), 'x', 250);
	memcpy(other, text, sizeof(other));
	other[strlen(other) - 1] = 'y';
	relay_url_parse(text, &url, &why);
	relay_url_key(&url, keys[0]);
	relay_url_parse(other, &url, &why);
	relay_url_key(&url, keys[1]);
	ok(strlen(keys[0]) < RELAY_URL_KEY_MAX && strcmp(keys[0], keys[1]) != 0,
	   "one that is too long is cut, and known all the same");
}

/* ---- parts of metadata ---------------------------------------------------------------- */

static void test_parts(void)
{
	static char text[RELAY_METADATA_PACKET_MAX + 100];

	memset(text, 'x', sizeof(text));
	is(relay_metadata_part(text, 100), 100, "what fits goes at once");
	is(relay_metadata_part(text, sizeof(text)), RELAY_METADATA_PACKET_MAX,
	   "a block that does not is cut");
	memcpy(text + 50, "\n};\n", 4);
	memcpy(text + 500, "\n};\n", 4);
	is(relay_metadata_part(text, sizeof(text)), 504, "else it ends where a block does");
	memcpy(text + RELAY_METADATA_PACKET_MAX - 2, "\n};\n", 4);
	is(relay_metadata_part(text, sizeof(text)), 504, "a whole one");
}

/* ---- metadata -------------------------------------------------------------------------- */

static void test_metadata(const char *old, const char *new, const char *expected, const char *name)
{
	struct relay_metadata sent = { .text = NULL };
	char *more, *text;
	size_t size;
	int error;

	relay_metadata_sent(&sent, strdup(old), strlen(old));
	error = relay_metadata_compare(&sent, new, strlen(new), &more, &size);
	if (error)
		text = strdup(error == -ESTALE ? "anew" : "?");
	else
		text = strndup(more ? more : "", size);
	is_string(text, expected, name);
	free(text);
	free(more);
	relay_metadata_sent(&sent, NULL, 0);
}

static void test_all_metadata(void)
{
	test_metadata("", "a {};", "a {};", "at first, all of it");
	test_metadata("a {};\n", "a {};\n", "", "nothing new");
	test_metadata("a {};\n", "a {};\nb {};\n", "b {};\n", "what is added at the end");
	test_metadata("a {};\nc {};\n", "a {};\nb {};\nc {};\n", "b {};\n", "or in between");
	test_metadata("a { x; };\nc;\n", "b { y; };\na { x; };\nc;\n", "b { y; };\n", "or before");
	test_metadata("a {};\nc {};\n", "a {1};\nc {};\n", "anew", "a block that changed");
	test_metadata("a {};\nc {};\n", "c {};\n", "anew", "or went");
	test_metadata("a = \"};\\\"{\";\nc;\n", "b;\na = \"};\\\"{\";\nc;\n", "b;\n",
		      "strings may have braces");
	test_metadata("/* }; \" */ a;\nc;\n", "b;\n/* }; \" */ a;\nc;\n", "b;\n",
		      "so may comments");
	test_metadata("a {", "b {", "anew", "a text that is cut off");
}

static void test_packets(void)
{
	static const char text[] = "trace { uuid = \"01234567-89ab-cdef-0123-456789abcdef\"; };";
	unsigned char header[RELAY_METADATA_HEADER_SIZE];
	uint8_t uuid[CTF_UUID_SIZE] = { 0 };
	uint32_t bits;

	is(relay_metadata_uuid(text, sizeof(text) - 1, uuid), 0, "the trace's id is found");
	ok(uuid[0] == 0x01 && uuid[15] == 0xef, "as it is");
	is(relay_metadata_uuid(text, 30, uuid), -EBADMSG, "not where it is cut off");
	is(relay_metadata_uuid("uuid = \"xx", 10, uuid), -EBADMSG, "or none");
	relay_metadata_header(header, uuid, 3);
	memcpy(&bits, header + 24, sizeof(bits));
	is(bits, 40 * 8, "a packet says how long it is");
}

int main(void)
{
	test_requests();
	test_answers();
	test_urls();
	test_keys();
	test_all_metadata();
	test_parts();
	test_packets();
	return done_testing();
}
