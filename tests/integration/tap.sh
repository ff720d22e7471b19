#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# The producers of tests/utils/tap.sh tell what passed from what failed, run
# as the user that was asked for, and clean up.
. "$LTTNGMAP_SRC/tests/utils/tap.sh"

plan 7

cat >"$TAP_DIR/bad.sh" <<'END'
. "$LTTNGMAP_SRC/tests/utils/tap.sh"
cleanup echo "# first given"
cleanup echo "# second given"
echo "dir=$TAP_DIR"
is 1 2 'differs'
ok 'runs' false
done_testing
END
output=$("$BASH" "$TAP_DIR/bad.sh" 2>&1)
is $? 1 'failed tests make a status'
like "$output" 'not ok 1 - differs' 'unequal texts fail'
like "$output" 'not ok 2 - runs' 'a failing command fails'
like "$output" '1\.\.2' 'the plan follows where it was not given'
like "$output" '# second given.*# first given' 'clean-ups run, the last given first'
dir=$(sed -n 's/^dir=//p' <<<"$output")
ok 'its directory is gone' test ! -e "$dir"
is "$(id -un)" "${LTTNGMAP_TEST_USER:-$(id -un)}" 'it runs as the user that was asked for'
done_testing
