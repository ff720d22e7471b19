# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# samples.sh - what a bench has measured, and the table of it.
#
# A sample is a line "WHAT ROUND VALUE" of $work/samples; the folder is the caller's.
# shellcheck disable=SC2154

die() {
	printf 'bench: %s\n' "$*" >&2
	exit 1
}

wait_for() { # SECONDS COMMAND...
	local tries=$(($1 * 50))

	shift
	while ! "$@" >/dev/null 2>&1; do
		((tries-- > 0)) || return 1
		sleep 0.02
	done
}

value_of() { # WHAT ROUND
	awk -v what="$1" -v round="$2" '$1 == what && $2 == round { print $3 }' "$work/samples"
}

# row LABEL UNIT OURS [THEIRS [KEY[=BOUND] [of-ours]]]: medians of samples. The bound, which
# the file `bounds` has by that key, is of the ratio, or of our value itself. Two digits of a
# ratio are more than the clock of a virtual machine is worth. With a key, "KEY SEEN VERDICT" goes
# to the file $BENCH_RESULTS, too, if that is set.
row() {
	local key=${5:-} bound=

	if [[ $key == *=* ]]; then
		bound=${key#*=} key=${key%%=*}
	elif [[ $key ]]; then
		bound=$(awk -F '\t' -v key="$key" '$1 == key { print $2 }' "$here/bounds")
		[[ $bound ]] || die "$here/bounds has no '$key'"
	fi
	awk -v label="$1" -v unit="$2" -v ours="$3" -v theirs="${4:-}" -v bound="$bound" \
		-v of="${6:-ratio}" -v key="$key" -v results="${BENCH_RESULTS:-}" '
		function median(values, n,    i, j, t) {
			for (i = 2; i <= n; i++)
				for (j = i; j > 1 && values[j - 1] > values[j]; j--) {
					t = values[j]; values[j] = values[j - 1]; values[j - 1] = t
				}
			return n % 2 ? values[(n + 1) / 2] : (values[n / 2] + values[n / 2 + 1]) / 2
		}
		function show(value) {
			return sprintf(value == int(value) ? "%d %s" : value < 1 ? "%.3f %s" : \
				value < 100 ? "%.1f %s" : "%.0f %s", value, unit)
		}
		function shown(value) {
			value = show(value)
			sub(/ $/, "", value)
			return value
		}
		$1 == ours { a[++n] = $3; at[$2] = $3 }
		$1 == theirs { b[++m] = $3; theirs_at[$2] = $3 }
		END {
			for (i in at)
				if ((i in theirs_at) && theirs_at[i] > 0)
					r[++k] = at[i] / theirs_at[i]
			if (!n) { print "bench: no sample of " ours > "/dev/stderr"; exit 1 }
			x = median(a, n); peer = m ? show(median(b, m)) : "-"
			ratio = "-"; verdict = ""; value = x
			# The verdict is of the ratio as it is, not as it is shown.
			if (k) { value = median(r, k); ratio = sprintf("%.2f", value) }
			if (of == "of-ours") { value = x; if (bound > 0) ratio = "-" }
			if (bound != "") {
				verdict = value + 0 <= bound + 0 ? "held" : "NOT held"
				if (results != "")
					printf "%s\t%s\t%s\n", key, of == "of-ours" ? shown(x) : \
						value < 0.1 ? sprintf("%.3f", value) : sprintf("%.2f", value), \
						verdict >>results
			}
			line = sprintf("%-46s %12s %12s %6s %8s  %s", label, show(x), peer, ratio, \
				bound == "" ? "" : "<= " bound, verdict)
			sub(/ +$/, "", line)
			print line
		}' "$work/samples"
}

# A process and all that descend from it.
family() { # PID
	cat /proc/[0-9]*/stat 2>/dev/null | awk -v top="$1" '
		{ pid = $1; sub(/.*\) /, ""); parent[pid] = $2 }
		END {
			for (pid in parent) {
				for (p = pid; p != top && p > 1; p = parent[p]) ;
				if (p == top) print pid
			}
		}'
}

cpu_of() { # PID: ticks that it and its family spent, ended ones included
	local pid

	for pid in $(family "$1"); do
		cat "/proc/$pid/stat"
	done | awk -v top="$1" '{ sub(/.*\) /, ""); ticks += $12 + $13 + $14 + $15 } END { print ticks }'
}
