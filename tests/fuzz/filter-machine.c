/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * filter-machine.c - any bytes as a filter and a record: nothing outside of
 * both is read, and it ends. The input is a byte that says how many bytes the
 * record has, the record, and the filter.
 */
#include <stdlib.h>
#include <string.h>

#include "tests/fuzz/fuzz.h"
#include "tests/utils/filter-check.h"
#include "tests/utils/filter-record.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t *fields, *filter;
	size_t fields_size;

	if (size == 0)
		return 0;
	fields_size = data[0] < size - 1 ? data[0] : size - 1;
	data++;
	size -= 1 + fields_size;
	/* Each in memory of its own, so that what is read behind it is found. */
	fields = malloc(fields_size ? fields_size : 1);
	filter = malloc(size ? size : 1);
	memcpy(fields, data, fields_size);
	memcpy(filter, data + fields_size, size);
	(void)filter_check(filter, size);
	(void)filter_run_checked(filter, size, fields, fields_size, &filter_test_contexts);
	free(filter);
	free(fields);
	return 0;
}
