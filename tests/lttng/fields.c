/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/* fields.c - the events of fields-tp.h, with values at the edges; C or C++. */
#define TRACEPOINT_DEFINE
#include "fields-tp.h"

int main(void)
{
	static const struct block block = {
		{ 1, 2, 127, 128, 255, 0, 16, 17 },
		{ -1, 32767, -32768, 0 },
		{ -1234567890123L, 1 },
	};
	static const float floats[] = { 0.5f, -0.0f, 3.4e38f };
	static const int numbers[] = { 0, 1, -1, 127, 128, -128, 65535, 2147483647, -2147483647 };
	char text[] = "text of some length";
	size_t i;

	for (i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		tracepoint(fields, integers, numbers[i], 0xfedcba9876543210ULL >> i,
			   (const void *)(uintptr_t)(0x1000 + i));
	for (i = 0; i < sizeof(floats) / sizeof(floats[0]); i++)
		tracepoint(fields, floats, floats[i], 1.5e10 * (double)i);
	tracepoint(fields, strings, "", text);
	tracepoint(fields, strings, "a \"quoted\" \\ one\twith\na line", text + 8);
	tracepoint(fields, strings, NULL, text);
	tracepoint(fields, arrays, &block, text);
	tracepoint(fields, arrays, &block, "a\0b\0c\0d");
	for (i = 0; i <= 8; i += 4)
		tracepoint(fields, sequences, &block, i, text);
	for (i = 0; i < 22; i++)
		tracepoint(fields, enumerations, (int)i,
			   (long)(i % 2 ? i << 32 : 0) - (long)(i / 2));
	tracepoint(fields, nothing);
	if (tracepoint_enabled(fields, ten))
		do_tracepoint(fields, ten, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10);

	tracepoint(fields, emerg, 0);
	tracepoint(fields, alert, 1);
	tracepoint(fields, crit, 2);
	tracepoint(fields, err, 3);
	tracepoint(fields, warning, 4);
	tracepoint(fields, notice, 5);
	tracepoint(fields, info, 6);
	tracepoint(fields, system, 7);
	tracepoint(fields, program, 8);
	tracepoint(fields, process, 9);
	tracepoint(fields, module, 10);
	tracepoint(fields, unit, 11);
	tracepoint(fields, function, 12);
	tracepoint(fields, line, 13);
	tracepoint(fields, debug, 14);
	return 0;
}
