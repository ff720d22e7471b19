/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * A plugin is a module of its own: it registers when it is loaded, and is
 * unregistered, after its destructors, when it is unloaded.
 *
 * The plugin is argv[1], or where make puts it.
 */
#include <dlfcn.h>

#include <lttngmap/tracepoint.h>

#include "tests/unit/tracepoint-backend.h"
#include "tests/utils/tap.h"

LTTNGMAP_TRACEPOINT(host, event, LTTNGMAP_LOGLEVEL_INFO);

typedef void run_function(int value);
typedef void run_cxx_function(double value);

/* dlsym() gives an object pointer; POSIX lets it be a function's. */
static void find_function(void *plugin, const char *name, void *function)
{
	void *address = dlsym(plugin, name);

	if (!address)
		bail_out("the plugin has no %s", name);
	memcpy(function, &address, sizeof(address));
}

static void load_and_unload(const char *path)
{
	unsigned int unregistrations = backend.unregistrations, events;
	void *plugin = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	run_cxx_function *run_cxx;
	run_function *run;

	if (!plugin)
		bail_out("%s", dlerror());
	is(backend.nr_modules, 2, "loaded: it is a second module");
	is(backend_count("plugin", "run"), 1, "with its event in C");
	is(backend_count("plugin", "run_cxx"), 1, "and that in C++");
	find_function(plugin, "plugin_run", &run);
	find_function(plugin, "plugin_run_cxx", &run_cxx);
	events = backend.events;
	run(1);
	is(backend.events, events, "off: its event is not written");
	backend_switch(1);
	run(2);
	is(backend.events, events + 1, "on: its event is written");
	run_cxx(3);
	is(backend.events, events + 2, "and that in C++");
	lttngmap_tracepoint(host, event);
	is(backend.events, events + 3, "and the program's own");
	dlclose(plugin);
	is(backend.events, events + 4, "its destructor's event is written");
	is(backend.nr_modules, 1, "unloaded: the program is the only module");
	is(backend.unregistrations, unregistrations + 1, "for the plugin has left, once");
	ok(!dlopen(path, RTLD_NOW | RTLD_NOLOAD), "and is not in memory");
	lttngmap_tracepoint(host, event);
	is(backend.events, events + 5, "the program's event is still on");
	backend_switch(0);
}

int main(int argc, char **argv)
{
	const char *build = getenv("LTTNGMAP_BUILD");
	char path[4096];

	snprintf(path, sizeof(path), "%s/tests/unit/.libs/tracepoint-plugin.so",
		 build ? build : ".");
	is(backend.nr_modules, 1, "the program is a module");
	load_and_unload(argc > 1 ? argv[1] : path);
	load_and_unload(argc > 1 ? argv[1] : path);
	return done_testing();
}
