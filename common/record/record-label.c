/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/* record-label.c - labels of an enumeration, as the metadata declares them. */
#include "common/record/record-layout.h"

#include "common/record/tsdl-scan.h"

/* "-5 ... 7": both ends are the same without dots. */
static void take_range(struct tsdl_scan *scan, int64_t range[2])
{
	for (unsigned i = 0; i < 2; i++) {
		range[i] = scan->is_negative ? (int64_t)-scan->number : (int64_t)scan->number;
		if (scan->token != TSDL_NUMBER)
			tsdl_fail(scan, "a number");
		tsdl_next(scan);
		if (i > 0)
			break;
		range[1] = range[0];
		if (!tsdl_take_if(scan, "."))
			break;
		tsdl_expect(scan, ".");
		tsdl_expect(scan, ".");
	}
}

bool record_member_label(const struct record_member *member, int64_t value, const char **label,
			 size_t *length)
{
	struct tsdl_scan scan = { .at = member->labels };

	if (!member->labels)
		return false;
	scan.end = member->labels + member->labels_size;
	tsdl_next(&scan);
	while (scan.token == TSDL_TEXT) {
		int64_t range[2];

		*label = scan.begin + 1;
		*length = (size_t)(scan.at - scan.begin) - 2;
		tsdl_next(&scan);
		tsdl_expect(&scan, "=");
		take_range(&scan, range);
		if (!scan.error && value >= range[0] && value <= range[1])
			return true;
		tsdl_expect(&scan, ",");
	}
	return false;
}
