# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# tap.sh - an integration test says what it finds in the Test Anything Protocol.
#
#   . "$LTTNGMAP_SRC/tests/utils/tap.sh"
#   plan 2
#   ok 'a list is printed' lttngmap list
#   is "$(lttngmap version)" 0.1.0 'the version is right'
#   done_testing
#
# Gives the test
#   $LTTNGMAP_BUILD, $LTTNGMAP_SRC   where the built things and the sources lie
#   $LTTNGMAP_PLAIN                  the same as $LTTNGMAP_BUILD, or, where that has
#                                    sanitizers, a build without: see need_plain
#   $TAP_DIR                         an empty directory of its own, gone at its end
#   cleanup COMMAND...               to be run at its end, last given first
#   of_this_test REGEX               ids of its processes with such a command line
#   pids_of REGEX                    ids of processes with such a command line, without their children
#
# Runs it as LTTNGMAP_TEST_USER where that is set and the caller is root, with
# restartable sequences off where LTTNGMAP_TEST_RSEQ is "off", and with the
# mediator LTTNGMAP_TEST_MEDIATOR (ring-fs, ring-socket, ring-kernel) where that is set.

: "${LTTNGMAP_BUILD:?run the tests by 'make check', or say where the built programs are}"
: "${LTTNGMAP_SRC:?run the tests by 'make check', or say where the sources are}"
export LTTNGMAP_BUILD LTTNGMAP_SRC

if [[ -n ${LTTNGMAP_TEST_USER:-} && $EUID == 0 && $LTTNGMAP_TEST_USER != root ]]; then
	tap_uid=$(id -u "$LTTNGMAP_TEST_USER") || exit 1
	tap_gid=$(id -g "$LTTNGMAP_TEST_USER") || exit 1
	unset XDG_RUNTIME_DIR
	HOME=/nonexistent exec setpriv --reuid="$tap_uid" --regid="$tap_gid" --clear-groups \
		--inh-caps=-all --no-new-privs "$BASH" "$0" "$@"
fi

[[ ${LTTNGMAP_TEST_RSEQ:-on} != off || ${GLIBC_TUNABLES:-} == *pthread.rseq=0* ]] ||
	export GLIBC_TUNABLES="${GLIBC_TUNABLES:+$GLIBC_TUNABLES:}glibc.pthread.rseq=0"
[[ -z ${LTTNGMAP_TEST_MEDIATOR:-} ]] || export LTTNGMAP_MEDIATOR=$LTTNGMAP_TEST_MEDIATOR

# What runs in programs as they are, or is looked at from outside, is of a build
# without sanitizers where this one has them: their runtime wants to come first, and
# brings a malloc of its own. `./dev check-asan` makes one and says where.
if [[ -z ${LTTNGMAP_SANITIZED:-} ]]; then
	LTTNGMAP_PLAIN=$LTTNGMAP_BUILD
elif [[ -n ${LTTNGMAP_PLAIN:-} ]]; then
	export LTTNGMAP_LIBDIR=$LTTNGMAP_PLAIN/.libs
fi
export LTTNGMAP_PLAIN

# Looking for leaks wants /proc, descriptors, the right to trace, and not to be killed meanwhile.
no_leak_check() {
	[[ -z ${LTTNGMAP_SANITIZED:-} ]] || export ASAN_OPTIONS="${ASAN_OPTIONS:-}:detect_leaks=0"
}

tap_planned=
tap_run=0
tap_failed=0
tap_cleanups=()
TAP_DIR=$(mktemp -d "${TMPDIR:-/tmp}/lttngmap-test.XXXXXX") || exit 1

cleanup() {
	tap_cleanups+=("$(printf '%q ' "$@")")
}

tap_exit() {
	local status=$? i

	trap - EXIT
	for ((i = ${#tap_cleanups[@]} - 1; i >= 0; i--)); do
		eval "${tap_cleanups[i]}"
	done
	rm -rf "$TAP_DIR"
	exit "$status"
}
trap tap_exit EXIT
trap 'exit 143' TERM
trap 'exit 130' INT

# of_this_test REGEX: ids of processes with such a command line. Not of tests that run beside this one, which
# root runs in namespaces of their own (tests/run.sh).
of_this_test() {
	pgrep --ns $$ --nslist mnt -f "$1"
}

# pids_of REGEX: ids of processes with such a command line, without their children. A consumer's child, for one, has
# the consumer's command line until it executes the helper that writes files back.
pids_of() {
	local pids

	pids=$(pgrep -d , -f "$1") || return
	ps -o pid=,ppid= -p "$pids" | awk '{ parent[$1] = $2 }
		END { for (pid in parent) if (!(parent[pid] in parent)) print pid }' | sort -n | grep .
}

# A remark for whoever reads the log.
diag() {
	printf '%s\n' "$*" | sed 's/^/# /'
}

# figure ROW TEXT...: what was measured for a row of tests/reliability/rows.
figure() {
	printf '# figure %02d: %s\n' "$((10#$1))" "${*:2}"
}

# How many tests there will be; before the first.
plan() {
	tap_planned=$1
	echo "1..$1"
}

pass() {
	tap_run=$((tap_run + 1))
	echo "ok $tap_run - $1"
}

fail() {
	tap_run=$((tap_run + 1))
	tap_failed=$((tap_failed + 1))
	echo "not ok $tap_run - $1"
	echo "# failed at ${BASH_SOURCE[-1]}:${BASH_LINENO[-2]}"
	return 1
}

# ok NAME COMMAND...: the command succeeds. Its output is shown where not.
ok() {
	local name=$1 output

	shift
	if output=$("$@" 2>&1); then
		pass "$name"
	else
		fail "$name"
		diag "failed: $*"
		diag "$output"
		return 1
	fi
}

# is GOT EXPECTED NAME: the same text.
is() {
	if [[ $1 == "$2" ]]; then
		pass "$3"
	else
		fail "$3"
		diag "got '$1', expected '$2'"
		return 1
	fi
}

# like TEXT REGEX NAME: the text matches the extended regular expression.
like() {
	if [[ $1 =~ $2 ]]; then
		pass "$3"
	else
		fail "$3"
		diag "got '$1', expected a match of /$2/"
		return 1
	fi
}

# skip COUNT WHY: these tests are not made, and why.
skip() {
	local i

	for ((i = 0; i < $1; i++)); do
		tap_run=$((tap_run + 1))
		echo "ok $tap_run # SKIP $2"
	done
}

# Nothing of this can be tested here: say why and end well.
skip_all() {
	echo "1..0 # SKIP $*"
	exit 0
}

# This test preloads libraries, which needs them without sanitizers.
need_plain() {
	[[ -n ${LTTNGMAP_PLAIN:-} ]] ||
		skip_all 'a build with sanitizers has nothing to preload: set LTTNGMAP_PLAIN to one without'
}

# Give up: later tests make no sense after this failure.
bail_out() {
	echo "Bail out! $*"
	exit 1
}

# The last command of a test.
done_testing() {
	if [[ -z $tap_planned ]]; then
		tap_planned=$tap_run
		echo "1..$tap_run"
	fi
	[[ $tap_run == "$tap_planned" ]] || diag "planned $tap_planned tests but ran $tap_run"
	[[ $tap_failed == 0 ]] || diag "$tap_failed of $tap_run tests failed"
	[[ $tap_failed == 0 && $tap_run == "$tap_planned" ]]
	exit
}
