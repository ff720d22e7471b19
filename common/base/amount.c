/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "common/base/amount.h"

#include <inttypes.h>
#include <stdio.h>

char *amount_format_size(uint64_t size, char *text)
{
	static const char *const units[] = { "KiB", "MiB", "GiB", "TiB", "PiB", "EiB" };
	double value = (double)size;
	int unit = -1;

	while (value >= 1023.95 && unit < 5) {
		value /= 1024;
		unit++;
	}
	if (unit < 0)
		snprintf(text, 16, "%u bytes", (unsigned)size);
	else
		snprintf(text, 16, "%.1f %s", value, units[unit]);
	return text;
}

char *amount_format_count(uint64_t count, char *text)
{
	char digits[24];
	int length = snprintf(digits, sizeof(digits), "%" PRIu64, count);
	char *out = text;

	for (int i = 0; i < length; i++) {
		if (i > 0 && (length - i) % 3 == 0)
			*out++ = ',';
		*out++ = digits[i];
	}
	*out = '\0';
	return text;
}
