/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SPDX-FileCopyrightText: 2026 The lttngmap authors */
/* probe-load-twin.c - a function of a name that probe-load.c has, too, each for itself. */

long load_twin(long number);

__attribute__((noinline)) static long twin(long number)
{
	__asm__ volatile("" ::: "memory");
	return number - 1;
}

long load_twin(long number)
{
	return twin(number) + 2;
}
