#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# run.sh [SECONDS [DIRECTORY]] - build the fuzz targets by clang, with address
# and undefined-behaviour sanitizers, and run each for so long (60). What they
# found stays in DIRECTORY (build-fuzz/): the corpora, from which the next run
# goes on, and inputs that failed, in crashes/.
set -euo pipefail

seconds=${1:-60}
source_dir=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
directory=${2:-$source_dir/build-fuzz}
[[ $seconds =~ ^[1-9][0-9]*$ ]] || {
	echo "usage: run.sh [SECONDS [DIRECTORY]]" >&2
	exit 2
}
targets=(filter-compile filter-machine)

mkdir -p "$directory/crashes"
directory=$(cd "$directory" && pwd)
cd "$source_dir"

# build NAME FLAG...: one program of the sources that all of them need.
build() {
	local name=$1

	shift
	"${FUZZ_CC:-clang}" -D_GNU_SOURCE -g -O1 -Wall -Wextra -Iinclude -I. "$@" \
		"tests/fuzz/$name.c" tests/utils/filter-record.c tests/utils/filter-check.c \
		sessiond/filter-*.c liblttngmap/filter*.c -o "$directory/$name"
}

echo "Building in $directory"
build filter-seeds
for target in "${targets[@]}"; do
	mkdir -p "$directory/$target.corpus"
	build "$target" -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all
done
"$directory/filter-seeds" tests/fuzz/filter-expressions.txt \
	"$directory/filter-compile.corpus" "$directory/filter-machine.corpus"

failed=()
for target in "${targets[@]}"; do
	echo "Running $target for $seconds s"
	"$directory/$target" -max_total_time="$seconds" -timeout=10 -max_len=8192 \
		-print_final_stats=1 -artifact_prefix="$directory/crashes/$target-" \
		"$directory/$target.corpus" >"$directory/$target.log" 2>&1 || failed+=("$target")
	grep -E 'number_of_executed_units|SUMMARY|^==.*ERROR' "$directory/$target.log" || true
done
if [[ ${#failed[@]} != 0 ]]; then
	echo "Failed: ${failed[*]}. The inputs are in $directory/crashes, what happened in" \
		"$directory/*.log" >&2
	exit 1
fi
