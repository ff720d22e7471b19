/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/*
 * robot.cc - a program that has each of the events of robot-tp.h three times,
 * through a macro of its own. It says how many were on. What it is given as
 * arguments, it loads first (+NAME) or, between two rounds, unloads (-).
 */
#include <dlfcn.h>
#include <stdio.h>

#include "robot-tp.h"

#define EMIT(...) tracepoint(TRACEPOINT_PROVIDER, __VA_ARGS__)

namespace
{
const void *at(int round, int number)
{
	return reinterpret_cast<const void *>(uintptr_t(0x7f0000000000) +
					      uintptr_t(round) * 0x1000 + uintptr_t(number) * 8);
}

void emit(int round)
{
	const uint8_t gid[ROBOT_GID_SIZE] = { uint8_t(round), 1, 2, 3, 252, 253, 254, 255 };
	const size_t size = size_t(round) * 3;

	EMIT(context_init, at(round, 1), "version of 2");
	EMIT(node_init, at(round, 3), at(round, 4), "name of 5", "space of 6");
	EMIT(publisher_init, at(round, 7), at(round, 8), at(round, 9), "topic of 10", size + 11);
	EMIT(driver_publisher_init, at(round, 12), gid);
	EMIT(publish, at(round, 14), at(round, 15));
	EMIT(driver_publish, at(round, 16), at(round, 17), round - 18 * INT64_C(1000000007));
	EMIT(subscription_init, at(round, 19), at(round, 20), at(round, 21), "topic of 22",
	     size + 23);
	EMIT(driver_subscription_init, at(round, 24), gid);
	EMIT(subscription_object, at(round, 26), at(round, 27));
	EMIT(subscription_callback, at(round, 28), at(round, 29));
	EMIT(take, at(round, 30));
	EMIT(driver_take, at(round, 31), at(round, 32), round - 33 * INT64_C(1000000007),
	     round % 2 == 0);
	EMIT(service_init, at(round, 35), at(round, 36), at(round, 37), "name of 38");
	EMIT(service_callback, at(round, 39), at(round, 40));
	EMIT(service_request, at(round, 41), at(round, 42), round - 43 * INT64_C(1000000007));
	EMIT(service_answer, at(round, 44), at(round, 45), round - 46 * INT64_C(1000000007),
	     round % 2 == 1);
	EMIT(client_init, at(round, 48), at(round, 49), at(round, 50), "name of 51");
	EMIT(client_request, at(round, 52), at(round, 53), round - 54 * INT64_C(1000000007));
	EMIT(client_answer, at(round, 55), at(round, 56), round - 57 * INT64_C(1000000007));
	EMIT(timer_init, at(round, 58), round - 59 * INT64_C(1000000007));
	EMIT(timer_callback, at(round, 60), at(round, 61));
	EMIT(timer_node, at(round, 62), at(round, 63));
	EMIT(callback_name, at(round, 64), "symbol of 65");
	EMIT(callback_start, at(round, 66), round % 2 == 1);
	EMIT(callback_end, at(round, 68));
	EMIT(machine_init, at(round, 69), at(round, 70));
	EMIT(machine_change, at(round, 71), "from of 72", "to of 73");
	EMIT(executor_next);
	EMIT(executor_wait, round - 74 * INT64_C(1000000007));
	EMIT(executor_run, at(round, 75));
	EMIT(buffer_init, at(round, 76), size + 77);
	EMIT(buffer_put, at(round, 78), size + 79, size + 80, round % 2 == 1);
	EMIT(buffer_get, at(round, 82), size + 83, size + 84);
	EMIT(buffer_clear, at(round, 85));
	EMIT(parameter_set, at(round, 86), "name of 87", round * 88.25);
}
} // namespace

int main(int argc, char **argv)
{
	void *library = nullptr;
	int on = 0;

	for (int round = 0; round < 3; round++) {
		const char *wish = round + 1 < argc ? argv[round + 1] : "";

		if (*wish == '+' && !(library = dlopen(wish + 1, RTLD_NOW))) {
			fprintf(stderr, "%s\n", dlerror());
			return 1;
		}
		if (*wish == '-' && library && dlclose(library) != 0)
			return 1;
		on += tracepoint_enabled(robot, executor_next) ? 1 : 0;
		emit(round);
	}
	printf("on: %d\n", on);
	return 0;
}
