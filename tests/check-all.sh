#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# check-all.sh - everything that there is to check, from the top: `./dev check-all`. Takes hours. What has passed at
# this commit is not run again; so it goes on where it was interrupted. Nothing that is not committed is checked so.
#
# build/check-all/COMMIT/ has each step's output, and `result`: a line a step, with date, seconds, and its last line.
set -uo pipefail

steps=(
	'lint		./dev lint'
	'rounds		env LTTNGMAP_TEST_FULL=1 LTTNGMAP_TEST_TIMEOUT=7200 ./dev check --all-rounds --strict'
	'guards		./dev guards'
	'address	./dev check-asan'
	'thread		./dev check-tsan'
	'kernels	./dev check-vm'
	'package	./dev check-deb'
	'soak		./dev soak 60 17 24 25'
)

[[ -z $(git status --porcelain --untracked-files=no) ]] ||
	{ echo 'check-all.sh: commit first: what is written down is of a commit' >&2; exit 1; }
commit=$(git rev-parse HEAD) || exit 1
folder=build/check-all/$commit
mkdir -p "$folder"
failed=0

for step in "${steps[@]}"; do
	read -r name command <<<"$step"
	if grep -qs "^$name passed" "$folder/result"; then
		echo "==> $name: has passed at this commit"
		continue
	fi
	echo "==> $name: $command"
	began=$SECONDS
	# shellcheck disable=SC2086 # words
	if $command 2>&1 </dev/null | tee "$folder/$name"; then
		outcome=passed
	else
		outcome=failed
		failed=$((failed + 1))
	fi
	sed -i "/^$name /d" "$folder/result" 2>/dev/null
	printf '%s %s %s %d s: %s\n' "$name" "$outcome" "$(date -u +%F)" $((SECONDS - began)) \
		"$(grep -E '^[0-9]+ passed, [0-9]+ failed$' "$folder/$name" | tail -n 1)" >>"$folder/result"
done
echo "==> Commit $commit, in $folder/result:"
cat "$folder/result"
[[ $failed == 0 ]]
