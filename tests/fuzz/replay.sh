# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# Each fuzz target runs what its corpus holds: the seeds, and all inputs that
# ever failed. In full they also look for others that fail, by `./dev fuzz`.
. "$LTTNGMAP_SRC/tests/utils/tap.sh" || exit 1

corpora=$LTTNGMAP_SRC/tests/fuzz/corpus
targets=$LTTNGMAP_BUILD/tests/fuzz
# Those whose inputs are messages at a socket; the others' are memory and files.
messages=' app control link ring-answer ring-request '
declare -A inputs=([10]=0 [11]=0) failed=([10]=0 [11]=0) of_row=([10]='' [11]='')

mkdir "$TAP_DIR/filter-compile" "$TAP_DIR/filter-machine"
ok 'programs of filters, to begin with' "$targets/filter-seeds" \
	"$LTTNGMAP_SRC/tests/fuzz/filter-expressions.txt" \
	"$TAP_DIR/filter-compile" "$TAP_DIR/filter-machine"
for corpus in "$corpora"/*/; do
	target=$(basename "$corpus")
	directories=("$corpus")
	[[ ! -d $TAP_DIR/$target ]] || directories+=("$TAP_DIR/$target")
	said=$(timeout 120 "$targets/$target" "${directories[@]}" 2>"$TAP_DIR/err")
	status=$?
	row=11
	[[ $messages != *" $target "* ]] || row=10
	of_row[$row]+=" $target"
	[[ $said =~ ^[0-9]+ ]] && inputs[$row]=$((inputs[$row] + BASH_REMATCH[0]))
	[[ $status == 0 ]] || failed[$row]=$((failed[$row] + 1))
	is "$status" 0 "$target: $said" || diag "$(tail -n 30 "$TAP_DIR/err")"
done
for row in 10 11; do
	figure "$row" "${inputs[$row]} inputs for${of_row[$row]}: ${failed[$row]} targets failed"
done

# searched ROW: half of the time is each row's, and shared by its targets.
searched() {
	local row=$1 seconds=$((LTTNGMAP_SOAK_SECONDS / 2)) tried

	# shellcheck disable=SC2086 # they are words
	"$LTTNGMAP_SRC/dev" fuzz "$seconds" ${of_row[$row]} >"$TAP_DIR/found" 2>&1
	is $? 0 "row $row: $seconds s with sanitizers" || diag "$(tail -n 40 "$TAP_DIR/found")"
	diag "$(grep -F ' ... ' "$TAP_DIR/found")"
	tried=$(sed -n 's/.* \([0-9]*\) inputs, .*/\1/p' "$TAP_DIR/found" |
		awk '{ sum += $1 } END { print sum + 0 }')
	figure "$row" "$tried inputs for${of_row[$row]} in $seconds s with sanitizers:" \
		"$(grep -c FAILED "$TAP_DIR/found") targets failed"
}
if [[ -n ${LTTNGMAP_SOAK_SECONDS:-} ]]; then
	searched 10
	searched 11
fi
done_testing
