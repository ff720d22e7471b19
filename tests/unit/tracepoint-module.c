/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * Source files in C and C++ that share a header of tracepoints are one
 * module: it registers once, before any constructor of theirs, and holds the
 * tracepoints of all.
 */
#include "tests/unit/tracepoint-backend.h"
#include "tests/unit/tracepoint-module.h"
#include "tests/utils/tap.h"

LTTNGMAP_TRACEPOINT(module, early, LTTNGMAP_LOGLEVEL_INFO);

static unsigned int early_registrations, early_events;

__attribute__((constructor(102))) static void emit_early(void)
{
	early_registrations = backend.registrations;
	backend_switch(1);
	lttngmap_tracepoint(module, early);
	backend_switch(0);
	early_events = backend.events;
}

static const struct lttngmap_event_class *last(void)
{
	return backend.tracepoint->event_class;
}

int main(void)
{
	is(early_registrations, 1, "the module is registered before constructors run");
	is(early_events, 1, "a constructor's event is written");
	is(events_of_cxx_constructor(), 1, "a C++ constructor's event is written");
	is(backend.registrations, 1, "three source files register once");
	is(backend.nr_modules, 1, "as one module");
	is(backend.modules[0]->struct_size, sizeof(struct lttngmap_module), "which says its size");
	is(*backend.modules[0]->off, 0, "and brings a zero");

	ok(backend_count("module", "shared") >= 2,
	   "an event of several files has a tracepoint in each that emits it");
	is(backend_count("module", "differs"), 2, "so has one that they define differently");
	is(backend_count("module", "in_namespace"), 1, "an event in a namespace is there");
	is(backend_count("module", "early"), 1, "an event of the third file is there");

	emit_in_c();
	emit_in_cxx();
	is(backend.events, 2, "off: no event is written");
	ok(!is_asked_only_on(), "off: enabled() says so");
	backend_switch(1);
	is(is_asked_only_on(), 1, "on: enabled() says so where nothing emits the event");
	emit_in_c();
	is(backend.events, 5, "on: C writes events");
	is_string(last()->name, "inlined", "from a static inline function of the header, too");
	emit_in_cxx();
	is(backend.events, 9, "on: C++ writes events");
	is_string(last()->name, "inlined", "from a lambda, too");
	is(last()->nr_fields, 1, "described");
	backend_switch(0);
	return done_testing();
}
