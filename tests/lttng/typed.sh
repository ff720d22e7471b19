#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# typed.sh WORK - types the commands of typed.txt, with an empty directory in the place of @: `lttng` and `hello` are those
# of $PATH. Prints the commands that fail, and the events of each trace as babeltrace2 shows them.
set -u

work=$1
export HOME=$work LTTNG_HOME=$work
while IFS= read -r line; do
	line=${line//@/$work}
	eval "$line" </dev/null >"$work/said" 2>&1
	status=$?
	((status == 0)) || { echo "status $status: ${line//$work/@}"; sed 's/^/  /' "$work/said" >&2; }
done <"$(dirname "$0")/typed.txt"

cd "$work" || exit 1
for trace in lttng-traces/quick-* deep/er/second flight; do
	[[ -n $(find "$trace" -name metadata 2>/dev/null) ]] || continue
	echo "${trace%-[0-9]*-[0-9]*}:"
	babeltrace2 --no-delta --fields=loglevel "$trace" 2>/dev/null |
		sed -n 's/^\[[^]]*\] \(.*\): { cpu_id[^}]*}, /\1: /p' |
		sed -E 's/\b(vpid = )[0-9]+/\1N/' | grep -v '[ )]lttng_ust_statedump:'
done
