# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# short.sh - a test that takes long has a short form: a part of what it could try, another part
# each day; after tap.sh.
#
#   is_full                  is everything to be tried?
#   short_or SHORT FULL      prints one of the two
#   short_pick N WORD...     sets $picked to N of the words, in their order; to all where it is full
#   short_takes N OF         is true for N of OF calls in a row; for all where it is full
#
# $RANDOM follows the seed, too. A test prints its seed; the same one tries the same again.
#
#   LTTNGMAP_TEST_FULL=1     everything, as `./dev check-all` does; LTTNGMAP_SOAK_SECONDS does so, too
#   LTTNGMAP_TEST_SEED       a number instead of the day's

short_seed=${LTTNGMAP_TEST_SEED:-$(date +%Y%m%d)}
# Each test has a sequence of its own.
RANDOM=$(cksum <<<"$short_seed $(basename "$0")" | cut -d' ' -f1)
diag "again with the same choice: LTTNGMAP_TEST_SEED=$short_seed"

is_full() {
	[[ ${LTTNGMAP_TEST_FULL:-0} == 1 || -n ${LTTNGMAP_SOAK_SECONDS:-} ]]
}

short_or() {
	if is_full; then echo "$2"; else echo "$1"; fi
}

# Algorithm S: each of those that are left is taken with the same probability.
short_left=0
short_wanted=0
short_takes() {
	((short_left > 0)) || short_left=$2 short_wanted=$1
	is_full && return
	((RANDOM % short_left-- < short_wanted)) || return 1
	short_wanted=$((short_wanted - 1))
}

short_pick() {
	local wanted=$1 word

	shift
	picked=()
	short_left=0
	for word; do
		! short_takes "$wanted" $# || picked+=("$word")
	done
}
