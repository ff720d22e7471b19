/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * sdt-host PLUGIN TIMES - loads the plugin so often, passes its probe, and unloads
 * it; then again once in a child of fork(), and one of vfork(). Prints how often
 * its semaphore was up.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef OWN_DL_ITERATE_PHDR
/* As of a program that keeps its own list, for it unwinds often. */
int dl_iterate_phdr(int (*callback)(void *, size_t, void *), void *data)
{
	(void)callback;
	(void)data;
	return 0;
}
#endif

static int pass(const char *path, long number)
{
	void *plugin = dlopen(path, RTLD_NOW);
	int (*function)(long) = plugin ? (int (*)(long))dlsym(plugin, "plugin_pass") : NULL;
	int result;

	if (!function)
		exit(2);
	result = function(number);
	dlclose(plugin);
	return result;
}

int main(int argc, char **argv)
{
	long times = argc > 2 ? atol(argv[2]) : 1;
	int (*function)(long), up = 0, status;
	void *plugin;

	for (long i = 0; i < times; i++)
		up += pass(argv[1], i);
	if (fork() == 0)
		_exit(pass(argv[1], 1000000));
	wait(&status);
	up += WEXITSTATUS(status);
	plugin = dlopen(argv[1], RTLD_NOW);
	function = plugin ? (int (*)(long))dlsym(plugin, "plugin_pass") : NULL;
	if (!function)
		return 2;
	if (vfork() == 0)
		_exit(function(1000001));
	wait(&status);
	up += WEXITSTATUS(status);
	printf("%d\n", up);
	return 0;
}
