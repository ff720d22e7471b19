# shellcheck shell=bash disable=SC2034
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# tally.sh - for scripts in a virtual machine: runs tests, and counts what they say in TAP.
#
#   tally_test NAME COMMAND...   prints its output; adds to $passed, $failed and $skipped
#   tally_end                    prints the counts, and turns the machine off

passed=0
failed=0
skipped=0

# tally FILE STATUS: what a test printed.
tally() {
	local ok bad skip planned

	ok=$(grep -cE '^ok ' "$1")
	skip=$(grep -cE '^ok .*# SKIP|^1\.\.0 # SKIP' "$1")
	bad=$(grep -cE '^not ok |^Bail out!' "$1")
	planned=$(sed -nE 's/^1\.\.([0-9]+).*/\1/p' "$1" | tail -n 1)
	# It ended early, or badly, without a test that says so.
	if [[ $bad == 0 && ($2 != 0 || -z $planned || $planned != "$ok") ]]; then
		echo "# status $2, ${planned:-no tests} planned, $ok made"
		bad=1
	fi
	[[ $planned != 0 ]] || ok=1
	passed=$((passed + ok - skip))
	failed=$((failed + bad))
	skipped=$((skipped + skip))
}

tally_test() {
	local begin=$SECONDS name=$1

	shift
	echo "# $name"
	timeout --kill-after=10 "${LTTNGMAP_TEST_TIMEOUT:-900}" "$@" 2>&1 | tee /run/output
	tally /run/output "${PIPESTATUS[0]}"
	echo "# $name: $((SECONDS - begin)) s"
}

tally_end() {
	echo "$passed passed, $failed failed, $skipped skipped"
	# All of it is to be out before the machine is off.
	sleep 1
	/bin/busybox poweroff -f
}
