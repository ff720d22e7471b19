#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# What `./dev check --changed` runs where one file has changed: the tests that the change can reach, by make's own
# dependencies, and no others. The tree is a copy of this one, with files changed; what reaches what is this build's.

. "$LTTNGMAP_SRC/tests/utils/tap.sh"

# A build with sanitizers has not all tests.
need_plain
command -v git >/dev/null || skip_all 'there is no git'
tree=$TAP_DIR/tree
mkdir "$tree"
# What the build has made in the source folder is in .gitignore; a tarball has no .gitignore, and nothing made.
tar -C "$LTTNGMAP_SRC" --exclude=./.git --exclude='./build*' -cf - . | tar -C "$tree" -xf -
cd "$tree" || exit 1
export HOME=$TAP_DIR GIT_CONFIG_NOSYSTEM=1
git init -q . && git add -A && git -c user.name=test -c user.email=test commit -qm tree
mapfile -t all < <(make --no-print-directory -s -C "$LTTNGMAP_PLAIN" list-tests)

# This test is reached by all files that it names.
changed() {
	bash tests/changed.sh "$LTTNGMAP_PLAIN" HEAD 2>"$TAP_DIR/said" | grep -vx tests/integration/changed-tests.sh
}

# reached FILE: what is run where a line more stands in it. Sets $tests, $number, $units: those of tests/unit/.
reached() {
	echo >>"$1"
	tests=$(changed)
	git checkout -q -- "$1"
	number=$(wc -l <<<"$tests")
	# shellcheck disable=SC2034 # by eval
	units=$(grep -c '^tests/unit/' <<<"$tests")
}
has() { # TEST
	grep -qx "tests/$1" <<<"$tests"
}

reached liblttngmap/ring/ring-switch.c
ok 'a source of liblttngmap reaches the unit tests that have it' has unit/ring-edges
ok '  ... all tests that start lttngmap' has integration/sessions-rules.sh
ok '  ... those that load its libraries' has unit/preload-io
ok '  ... and no other unit test' eval '! has unit/peer && ! has unit/view-progress'
reached sessiond/base/peer.c
ok "a daemon's source reaches its unit test, and tests of daemons" eval 'has unit/peer && has attack/classes.sh'
ok '  ... and no unit test without it' eval '! has unit/module-lock && ((units < 70))'

reached tests/unit/peer.c
is "$tests" tests/unit/peer "a test's source reaches that test"
reached tests/integration/cli-top.sh
is "$tests" tests/integration/cli-top.sh "  ... a script itself"
reached tests/utils/preloaded.h
ok '  ... a header those that include it' eval 'has unit/preload-io && ((number == units && units < 12))'
reached tests/utils/steady.c
ok '  ... a program those that start it' eval 'has integration/places.sh && ((units == 0 && number < 60))'
reached tests/utils/sessiond.sh
ok '  ... what scripts include those that do, by another one too' \
	eval 'has integration/restart.sh && has attack/classes.sh && ((units == 0))'

reached doc/man/lttngmap-top.1
ok 'a page reaches the tests of pages' eval 'has integration/doc-pages.sh && has integration/cli-manual.sh && ((number < 8))'
reached tests/automake.mk
is "$number: $(<"$TAP_DIR/said")" "$((${#all[@]} - 1)): All tests: tests/automake.mk has changed" 'a piece of the Makefile reaches all, and it is said why'
: >tests/new.txt
is "$(changed)" '' 'a file that nothing mentions reaches none'
rm tests/new.txt
is "$(changed)" '' 'where nothing has changed, none is reached'
done_testing
