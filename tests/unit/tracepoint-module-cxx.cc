/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
#include "tests/unit/tracepoint-backend.h"
#include "tests/unit/tracepoint-module.h"

#include <string>

/* The name that the .c has too, with other fields. */
LTTNGMAP_TRACEPOINT(module, differs, LTTNGMAP_LOGLEVEL_INFO, (string, b));

namespace inner
{
LTTNGMAP_TRACEPOINT(module, in_namespace, LTTNGMAP_LOGLEVEL_INFO, (floating, double, value));

template <typename T> struct emitter {
	void operator()(T value) const
	{
		lttngmap_tracepoint(module, in_namespace, value);
	}
};
} // namespace inner

LTTNGMAP_TRACEPOINT(module, constructed, LTTNGMAP_LOGLEVEL_INFO, (string, what));

namespace
{
struct at_start {
	unsigned int events;

	at_start()
	{
		unsigned int before = backend.events;

		backend_switch(1);
		lttngmap_tracepoint(module, constructed, std::string("a string").c_str());
		backend_switch(0);
		events = backend.events - before;
	}
} constructed;
} // namespace

unsigned int events_of_cxx_constructor(void)
{
	return constructed.events;
}

void emit_in_cxx(void)
{
	lttngmap_tracepoint(module, shared, "C++", 1);
	lttngmap_tracepoint(module, differs, "two");
	inner::emitter<float>()(1.5f);
	[] { emit_inline(2); }();
}
