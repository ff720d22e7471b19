/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * inside.h - what `lttngmap attach` and `detach` ask of liblttngmap-inside.so,
 * which they load into a running process: one request, written into memory of
 * that process before lttngmap_inside_run() is called there, and read back after it.
 *
 * Both are of one build: a version that differs is refused. The command believes
 * nothing of what comes back but numbers that it prints, and texts that it
 * cuts and cleans.
 */
#ifndef COMMON_PROTOCOL_INSIDE_H
#define COMMON_PROTOCOL_INSIDE_H

#include <stdint.h>

#include "common/protocol/sdt-environment.h"

#define INSIDE_MAGIC UINT64_C(0x5b7e9d0c6a21f384)
#define INSIDE_VERSION 2u
#define INSIDE_LIBRARY "liblttngmap-inside.so"
#define INSIDE_FUNCTION "lttngmap_inside_run"

#define INSIDE_LIBRARIES_MAX 16u
#define INSIDE_PATH_SIZE 512u
#define INSIDE_MESSAGE_SIZE 256u
#define INSIDE_REFUSED_SIZE 16384u
/* Size of sun_path in struct sockaddr_un. */
#define INSIDE_DIRECTORY_SIZE 108u

enum inside_action {
	INSIDE_ATTACH = 1, /* load the libraries, lead calls to the families */
	INSIDE_DETACH = 2, /* lead calls back where they led; load nothing */
};

enum inside_kind {
	INSIDE_TRACER = 1, /* liblttngmap itself */
	INSIDE_FAMILY = 2, /* of preload/: calls are led to it */
	INSIDE_OTHER = 3,  /* somebody's tracepoints */
	INSIDE_SDT = 4,    /* liblttngmap-sdt.so: arms the probes that match `rules` */
};

enum inside_status {
	INSIDE_DONE = 0,
	INSIDE_NOT_RUN = 1,   /* as the request is written; nothing answered it */
	INSIDE_BAD = 2,       /* of another version */
	INSIDE_NOT_FOUND = 3, /* a library cannot be loaded: the loader's message */
	INSIDE_ELSEWHERE = 4, /* the process looks for its daemon elsewhere: where */
	INSIDE_NO_PROBES = 5, /* no probe can be armed or put back there: why */
};

struct inside_library {
	uint32_t kind;
	/* The answer: was it loaded before, and how many places lead where. */
	uint32_t was_loaded;
	uint32_t changed;   /* now lead to the family, or no longer; probes: are armed, or were */
	uint32_t unchanged; /* did so before */
	uint32_t foreign;   /* lead to a definition that is not the C library's */
	uint32_t refused;   /* could not be written to; probes: cannot be served */
	char path[INSIDE_PATH_SIZE];
};

struct inside_request {
	uint64_t magic;
	uint32_t version;
	uint32_t size;
	uint32_t action;
	uint32_t nr_libraries;
	char directory[INSIDE_DIRECTORY_SIZE]; /* the daemon's; "": where the process looks itself
						*/
	uint32_t status;
	char message[INSIDE_MESSAGE_SIZE];
	struct inside_library libraries[INSIDE_LIBRARIES_MAX];
	char rules[SDT_RULES_MAX + 1]; /* for INSIDE_SDT: as LTTNGMAP_SDT */
	/* The answer: lines of common/protocol/sdt-environment.h, as many as there is room for. */
	char refused[INSIDE_REFUSED_SIZE];
};

_Static_assert(sizeof(struct inside_request) ==
		       24 + 108 + 4 + 256 + 16 * (24 + 512) + 4096 + INSIDE_REFUSED_SIZE,
	       "no padding");

#endif /* COMMON_PROTOCOL_INSIDE_H */
