# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# Each fuzz target runs what its corpus holds: the seeds, and all inputs that
# ever failed.
. "$LTTNGMAP_SRC/tests/utils/tap.sh"

corpora=$LTTNGMAP_SRC/tests/fuzz/corpus
targets=$LTTNGMAP_BUILD/tests/fuzz

mkdir "$TAP_DIR/filter-compile" "$TAP_DIR/filter-machine"
ok 'programs of filters, to begin with' "$targets/filter-seeds" \
	"$LTTNGMAP_SRC/tests/fuzz/filter-expressions.txt" \
	"$TAP_DIR/filter-compile" "$TAP_DIR/filter-machine"
for corpus in "$corpora"/*/; do
	target=$(basename "$corpus")
	directories=("$corpus")
	[[ ! -d $TAP_DIR/$target ]] || directories+=("$TAP_DIR/$target")
	said=$(timeout 120 "$targets/$target" "${directories[@]}" 2>"$TAP_DIR/err")
	is $? 0 "$target: $said" || diag "$(tail -n 30 "$TAP_DIR/err")"
done
done_testing
