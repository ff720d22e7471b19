/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * url.h - where a collector is: net://HOST[:CONTROL[:DATA]][/PATH]
 *
 * net6:// is the same for IPv6 alone. Pure functions.
 */
#ifndef RELAY_URL_H
#define RELAY_URL_H

#include <stdbool.h>

#define RELAY_URL_MAX 1024
/* Maximum length of the key that names a collector in file names, with its NUL. */
#define RELAY_URL_KEY_MAX 200

struct relay_url {
	bool only_ipv6;
	char host[256];  /* a name or an address, without brackets */
	char control[6]; /* ports, decimal */
	char data[6];
	char path[256]; /* below the host's folder on the collector; "": by the session's name */
};

/* 0; -EINVAL, and *why says what is wrong with it. */
int relay_url_parse(const char *text, struct relay_url *url, const char **why);
/*
 * The collector in the name of a file: HOST:CONTROL[%2FPATH], whose end is a number where it would
 * be too long. Equal names mean the same collector.
 */
void relay_url_key(const struct relay_url *url, char key[RELAY_URL_KEY_MAX]);

#endif /* RELAY_URL_H */
