#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# loggers.sh WORK RULES PROGRAM [ARGUMENT...] - runs the program, which logs, in a session for each line of the file RULES: the
# options of `enable-event`. Prints the events, as babeltrace2 shows them, without what is another one each time. `lttng`
# is that of $PATH, and its daemon runs.
set -u

work=$1 rules=$2
shift 2
number=0
while IFS= read -r line; do
	number=$((number + 1))
	echo "$line:"
	{
		lttng create "s$number" --output="$work/s$number"
		eval "lttng enable-event $line"
		lttng start
		"$@"
		lttng stop
		lttng destroy "s$number"
	} </dev/null >>"$work/said" 2>&1
	[[ -n $(find "$work/s$number" -name metadata 2>/dev/null) ]] || continue
	# What is another one each time: dates, times in milliseconds, threads.
	babeltrace2 --no-delta --fields=loglevel "$work/s$number" |
		sed -n 's/^\[[^]]*\] \(.*\): { cpu_id[^}]*}, /\1: /p' | grep -v '[ )]lttng_ust_statedump:' |
		sed -E 's/(asctime = ")[-0-9]+ [0-9:,]+/\1DATE/; s/\b((int_)?thread(id)?|long_millis|timestamp) = -?[0-9]+/\1 = N/g
			s/(File \\")[^"]*\//\1/; s/ {4}[ ~^\\n]*\\n(Zero)/\1/'
done <"$rules"
