/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "relay/url.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CONTROL_PORT "5342"
#define DATA_PORT "5343"

static int take_host(const char **at, struct relay_url *url)
{
	const char *begin = *at, *end;

	if (*begin == '[') {
		begin++;
		end = strchr(begin, ']');
		*at = end ? end + 1 : begin;
	} else {
		end = begin + strcspn(begin, ":/");
		*at = end;
	}
	if (!end || end == begin || (size_t)(end - begin) >= sizeof(url->host))
		return -EINVAL;
	memcpy(url->host, begin, (size_t)(end - begin));
	url->host[end - begin] = '\0';
	return strpbrk(url->host, " \t%@?#/\\") ? -EINVAL : 0;
}

static int take_port(const char **at, char port[6])
{
	size_t length = strspn(*at, "0123456789");
	unsigned long number = strtoul(*at, NULL, 10);

	if (length == 0 || length > 5 || number == 0 || number > 65535)
		return -EINVAL;
	memcpy(port, *at, length);
	port[length] = '\0';
	*at += length;
	return 0;
}

/* It becomes folders there: none of them leads out. */
static int take_path(const char *at, struct relay_url *url)
{
	size_t length;

	while (*at == '/')
		at++;
	length = strlen(at);
	if (length >= sizeof(url->path))
		return -EINVAL;
	for (const char *byte = at; *byte; byte++) {
		if ((unsigned char)*byte <= ' ' || *byte == 0x7f)
			return -EINVAL;
	}
	memcpy(url->path, at, length + 1);
	for (const char *part = url->path; part; part = strchr(part, '/')) {
		part += *part == '/';
		if (part[0] == '.')
			return -EINVAL;
	}
	return 0;
}

int relay_url_parse(const char *text, struct relay_url *url, const char **why)
{
	const char *at = text;

	*url = (struct relay_url){ .control = CONTROL_PORT, .data = DATA_PORT };
	*why = "it begins with net://, as in net://127.0.0.1";
	if (strncmp(at, "net6://", 7) == 0)
		url->only_ipv6 = true;
	else if (strncmp(at, "net://", 6) != 0)
		return -EINVAL;
	at += url->only_ipv6 ? 7 : 6;
	*why = "a host's name or address stands behind ://, an IPv6 address in brackets";
	if (take_host(&at, url) != 0)
		return -EINVAL;
	*why = "behind the host stand at most two ports, from 1 to 65535: of the control and of "
	       "the data connection";
	if (*at == ':' && (at++, take_port(&at, url->control) != 0))
		return -EINVAL;
	if (*at == ':' && (at++, take_port(&at, url->data) != 0))
		return -EINVAL;
	if (*at != '\0' && *at != '/')
		return -EINVAL;
	*why = "its path has at most 255 bytes, no blank, and no part that begins with a dot";
	return take_path(at, url);
}

/* FNV-1a. */
static uint64_t hash(const char *text)
{
	uint64_t value = UINT64_C(0xcbf29ce484222325);

	for (; *text; text++)
		value = (value ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
	return value;
}

void relay_url_key(const struct relay_url *url, char key[RELAY_URL_KEY_MAX])
{
	char text[sizeof(url->host) + sizeof(url->control) + sizeof(url->path) + 2];
	const size_t end = RELAY_URL_KEY_MAX - sizeof("~0123456789abcdef");
	size_t at = 0;

	snprintf(text, sizeof(text), "%s:%s%s%s", url->host, url->control, url->path[0] ? "/" : "",
		 url->path);
	for (const char *byte = text; *byte; byte++) {
		bool is_plain = isalnum((unsigned char)*byte) || strchr(".:_-", *byte);

		if (at + 3 > end) {
			snprintf(key + at, RELAY_URL_KEY_MAX - at, "~%016" PRIx64, hash(text));
			return;
		}
		at += (size_t)sprintf(key + at, is_plain ? "%c" : "%%%02X", (unsigned char)*byte);
	}
}
