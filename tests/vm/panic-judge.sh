# shellcheck shell=bash disable=SC2154
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# panic-judge.sh - for scripts that have a machine die of a panic: is each event that a writer had counted in
# the trace?
#
#   tell NAME                           after a command: what it came to
#   judge NAME MODE TRACE COUNTS JSON   what `recover --json` said is in the file JSON. Needs $build

tell() { # NAME, after a command: what it came to
	local status=$?

	((status == 0)) && echo "ok $1" || echo "not ok $1"
	return "$status"
}

judge() { # NAME MODE TRACE COUNTS JSON
	local name value found mode=$2 place=$3 discarded overwritten
	local events='' done='' begun='' missing='' repeated='' lost_packets='' gaps=''

	# A flight recorder's snapshot has a folder of its own.
	[[ $mode != recorder ]] || place=$(compgen -G "$3/snapshot-*")
	found=$("$build/tests/utils/check-trace" "$place/ust" "$4" 2>&1)
	tell "$1, $mode: the trace is sound" || sed 's/^/# /' <<<"$found"
	while read -r name value; do
		[[ $name =~ ^[a-z_]+$ && $name != wrong ]] && printf -v "$name" %s "$value"
	done <<<"$found"
	discarded=$(sed -n 's/.*"discarded":\([0-9]*\).*/\1/p' "$5" | head -n 1)
	overwritten=$(sed -n 's/.*"overwritten":\([0-9]*\).*/\1/p' "$5" | head -n 1)
	if [[ $mode == recorder ]]; then
		# It overwrites the oldest of each CPU's; the newest are all there.
		[[ $lost_packets == 0 && $done -gt 0 && $events -gt 1000 && $missing == "$gaps" && $discarded == 0 ]]
		tell "$1, $mode: none is missing behind a source's last one"
	else
		[[ $lost_packets == 0 && $done -gt 0 && $((events - repeated)) -le $begun &&
			$((events - repeated + discarded + overwritten)) -ge $done ]]
		tell "$1, $mode: each event is in the trace, or counted"
	fi || sed 's/^/# /' <<<"$found"$'\n'"$(<"$5")"
	((begun > done))
	tell "$1, $mode: a writer stood in the middle of an event" || sed 's/^/# /' <<<"$found"
	echo "# $1, $mode: $done events were counted, $events are in the trace," \
		"$discarded were discarded, $overwritten overwritten"
}
