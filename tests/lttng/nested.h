/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/* nested.h - what nested-tp.h has events of. */
#ifndef NESTED_H
#define NESTED_H

struct request {
	struct hidden;
	const char *name;
};

struct request::hidden {
	request outer;
};

#endif /* NESTED_H */
