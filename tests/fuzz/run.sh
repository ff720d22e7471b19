#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# run.sh BUILD [SECONDS [TARGET...]] - run the fuzz targets of a build that was
# configured with --enable-fuzzer, in turn; all of them share the time (660).
# What they found stays in BUILD/found/: a corpus for each, from which the next
# run goes on, and in crashes/ inputs that failed.
set -euo pipefail

build=${1:?usage: run.sh BUILD [SECONDS [TARGET...]]}
seconds=${2:-660}
source_dir=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
[[ $seconds =~ ^[1-9][0-9]*$ ]] || {
	echo "run.sh: SECONDS is a number of them: $seconds" >&2
	exit 2
}
shift $(($# < 2 ? $# : 2))
targets=("$@")
if [[ ${#targets[@]} == 0 ]]; then
	for corpus in "$source_dir"/tests/fuzz/corpus/*/; do
		targets+=("$(basename "$corpus")")
	done
fi
build=$(cd "$build" && pwd)
found=$build/found
each=$((seconds / ${#targets[@]}))
[[ $each != 0 ]] || each=1
export LSAN_OPTIONS=suppressions=$source_dir/tests/sanitizers/leak.supp:print_suppressions=0

mkdir -p "$found/crashes" "$found/filter-compile" "$found/filter-machine"
for target in "${targets[@]}"; do
	mkdir -p "$found/$target"
done
"$build/tests/fuzz/filter-seeds" "$source_dir/tests/fuzz/filter-expressions.txt" \
	"$found/filter-compile" "$found/filter-machine"

# What libFuzzer says in the end: inputs run, branches seen.
summary() {
	awk '/^#[0-9]/ { runs = $1; for (i = 2; i < NF; i++) if ($i == "cov:") seen = $(i + 1) }
		END { printf "%s inputs, %d branches seen\n", substr(runs, 2), seen }' "$1"
}

failed=()
for target in "${targets[@]}"; do
	printf '%s: %d s ... ' "$target" "$each"
	if nice "$build/tests/fuzz/$target" -max_total_time="$each" -timeout=10 -max_len=8192 \
		-artifact_prefix="$found/crashes/$target-" "$found/$target" \
		"$source_dir/tests/fuzz/corpus/$target" >"$found/$target.log" 2>&1; then
		summary "$found/$target.log"
	else
		echo "FAILED after $(summary "$found/$target.log")"
		grep -m 3 -E 'does not hold|runtime error|SUMMARY' "$found/$target.log" || true
		failed+=("$target")
	fi
done
if [[ ${#failed[@]} != 0 ]]; then
	echo "Failed: ${failed[*]}. The inputs are in $found/crashes, what happened in" \
		"$found/*.log. Put an input into tests/fuzz/corpus/TARGET/, and mend the cause." >&2
	exit 1
fi
echo "Nothing was found."
