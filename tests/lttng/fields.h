/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/* fields.h - types of which the fields of fields-tp.h are. */
#ifndef FIELDS_H
#define FIELDS_H

#include <stdint.h>

enum color { RED, GREEN };

struct block {
	uint8_t bytes[8];
	int16_t shorts[4];
	long longs[2];
};

#define FIELDS_SUM(a, b) ((a) + (b))

/* Bytes in network order, whatever the machine's. */
static inline uint16_t fields_net16(uint16_t host)
{
	const uint8_t bytes[2] = { (uint8_t)(host >> 8), (uint8_t)host };
	uint16_t net;

	__builtin_memcpy(&net, bytes, sizeof(net));
	return net;
}

static inline uint32_t fields_net32(uint32_t host)
{
	const uint8_t bytes[4] = { (uint8_t)(host >> 24), (uint8_t)(host >> 16),
				   (uint8_t)(host >> 8), (uint8_t)host };
	uint32_t net;

	__builtin_memcpy(&net, bytes, sizeof(net));
	return net;
}

#endif
