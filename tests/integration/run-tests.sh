# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# What tests/run.sh makes of tests that pass, fail, say nothing, hang, or fail beside others only: its last line is
# right, nothing is left out, and no test sees what another one does.
. "$LTTNGMAP_SRC/tests/utils/tap.sh"

runner=$LTTNGMAP_SRC/tests/run.sh
tree=$TAP_DIR/tree
mkdir -p "$tree/tests/a" "$tree/build" "$tree/build-aux"
cp "$LTTNGMAP_SRC/build-aux/tap-driver.sh" "$tree/build-aux/"
unset LTTNGMAP_TEST_MEDIATOR LTTNGMAP_TEST_USER LTTNGMAP_TEST_RSEQ LTTNGMAP_TEST_PATIENCE LTTNGMAP_SANITIZED GLIBC_TUNABLES
export RUN_USER=root RUN_MEDIATOR=ring-socket LTTNGMAP_TEST_TIMEOUT=10 SHARED=$TAP_DIR/shared

test_is() { # NAME TEXT
	printf '%s\n' "$2" >"$tree/tests/a/$1.sh"
}
run() { # ARGUMENT...
	(cd "$tree/build" && LTTNGMAP_SRC=$tree LTTNGMAP_BUILD=$tree/build "$BASH" "$runner" "$@") >"$TAP_DIR/out" 2>&1
	status=$?
	last=$(tail -n 1 "$TAP_DIR/out")
}
said() { # REGEX NAME
	like "$(<"$TAP_DIR/out")" "$1" "$2"
}
: >"$tree/tests/rounds"

test_is good 'echo 1..2; echo ok 1; echo ok 2'
test_is left-out 'echo "1..1"; echo "ok 1 # SKIP there is no moon"'
run tests/a/good.sh tests/a/left-out.sh
is "$status:$last" '0:2 passed, 0 failed' 'what passes is counted'
said 'there is no moon' 'what is skipped says why'

test_is bad 'echo 1..2; echo "ok 1 - one"; echo "not ok 2 - two is one"; echo "# got 1"'
test_is silent 'exit 0'
test_is short 'echo 1..3; echo ok 1'
test_is hanging 'echo 1..1; exec 9>"$SHARED"; flock 9; sleep 60; echo ok 1'
run --strict tests/a/{bad,good,silent,short,hanging}.sh
is "$status:${last#* passed, }" '1:5 failed' 'one that fails, says nothing, ends early, or hangs: failed' ||
	diag "$(<"$TAP_DIR/out")"
said 'a/bad.*not ok 2 - two is one.*got 1.*alone: .*\./dev test a/bad' 'the wrong line, and what to type'
ok 'what hung is gone' flock --wait 10 "$SHARED" true

test_is tired 'echo 1..1; [[ $LTTNGMAP_TEST_PATIENCE == 1 ]] || printf "not "; echo "ok 1 - in time"'
run --jobs=$(($(nproc) * 2)) tests/a/{good,tired}.sh
is "$status:$last" '0:3 passed, 0 failed' 'what fails beside others is run once more alone'
said 'passed when run again alone: a/tired: not ok 1 - in time' 'which is said'
run --strict --jobs=$(($(nproc) * 2)) tests/a/{good,tired}.sh
is "$status:$last" '1:2 passed, 1 failed' 'unless that is not wanted'

# Each of these fails where it is not alone.
alone='mkdir "$SHARED.one" || exit 1; sleep 0.1; rmdir "$SHARED.one"; echo 1..1; echo ok 1'
for name in one two three; do
	test_is "$name" "$alone"
done
test_is last '[[ -z $(ls -d "$SHARED.one" 2>/dev/null) ]] && mkdir "$SHARED.last" && echo 1..1 && echo ok 1'
printf 'a/last alone\na/last.sh alone\na/* only=these\n' >"$tree/tests/rounds"
run --strict --jobs=4 tests/a/{last,one,two,three}.sh
is "$status:$last" '0:4 passed, 0 failed' 'those of a group run one after another, one alone at the end' ||
	diag "$(<"$TAP_DIR/out")"
is "$(grep -oE 'a/(one|two|three|last)' "$TAP_DIR/out" | sed -n 4p)" a/last 'the last'

printf 'a/one.sh only=these\na/two.sh only=these\n' >"$tree/tests/rounds"
printf '%s 0 tests/a/%s.sh given\n' 3 good 2 one 2 two >"$tree/build/results/times"
run --jobs=1 tests/a/{good,one,two}.sh
is "$(grep -oE 'a/(one|two|good):' "$TAP_DIR/out" | tr '\n' ' ')" 'a/one: a/two: a/good: ' \
	'those that wait for each other begin first where they take longest together'

# On a terminal: 60 s are expected of the first, and 10 s of the second.
test_is slow 'echo 1..1; sleep 2.5; echo ok 1'
printf '%s 0 tests/a/%s.sh given\n' 60 slow 10 good >"$tree/build/results/times"
pty=(python3 -c 'import os, pty, sys; sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))')
(cd "$tree/build" && LTTNGMAP_SRC=$tree LTTNGMAP_BUILD=$tree/build "${pty[@]}" "$BASH" "$runner" --jobs=1 \
	tests/a/{good,slow}.sh) </dev/null >"$TAP_DIR/out"
is "$? $(grep -a . "$TAP_DIR/out" | tail -n 1 | tr -d '\r')" '0 3 passed, 0 failed' 'on a terminal the last line is the same'
shown=$(tr '\r' '\n' <"$TAP_DIR/out" | grep -aoE '[0-9] of 2, .*')
like "$shown" '^0 of 2, 0 failed, about 1:10 left: a/slow' 'a line tells how many are done, how long the others take, and what runs'
like "$shown" 'about 1:0[89] left: a/slow' '  ... anew each second'
like "$(tail -n 1 <<<"$shown")" '1 of 2, 0 failed, about 0:(10|09) left: a/good$' '  ... the last of one that runs'
run tests/a/good.sh
is "$(grep -c left: "$TAP_DIR/out")" 0 '  ... and no such line where there is no terminal'

test_is rounds 'echo "$LTTNGMAP_TEST_MEDIATOR,$LTTNGMAP_TEST_RSEQ,$GLIBC_TUNABLES" >>"$SHARED.rounds"; echo 1..1; echo ok 1'
printf 'a/rounds.sh rseq\na/good.sh rseq\n' >"$tree/tests/rounds"
run --rounds tests/a/rounds.sh
is "$last:$(sort "$SHARED.rounds" | tr '\n' ' ')" \
	'2 passed, 0 failed:ring-socket,, ring-socket,off,glibc.pthread.rseq=0 ' 'a test is run in each round that is named for it'

printf 'a/rounds.sh rseq turns\n' >"$tree/tests/rounds"
for seed in 1 2; do
	: >"$SHARED.rounds"
	LTTNGMAP_TEST_SEED=$seed run --rounds tests/a/rounds.sh
	is "$last:$(wc -l <"$SHARED.rounds")" '1 passed, 0 failed:1' 'one whose rounds take turns is run in one of them a day'
	cat "$SHARED.rounds" >>"$SHARED.days"
done
is "$(sort "$SHARED.days" | tr '\n' ' ')" 'ring-socket,, ring-socket,off,glibc.pthread.rseq=0 ' '  ... the next day in another one'
: >"$SHARED.rounds"
LTTNGMAP_TEST_FULL=1 run --rounds tests/a/rounds.sh
is "$last" '2 passed, 0 failed' '  ... and in all where everything is tried'

# A round in which a test skips all that it has proves nothing; on the day when that is its turn, it is not run at all.
in_vain=()
for file in $(cd "$LTTNGMAP_SRC/tests" && grep -lE '^\[\[ \$EUID == 0 \]\] \|\| skip_all' -- */*.sh); do
	while read -r pattern words; do
		# shellcheck disable=SC2053 # a pattern
		[[ -n $pattern && $pattern != '#'* && $file == $pattern ]] || continue
		[[ " $words " != *' user '* ]] || in_vain+=("$file")
		break
	done <"$LTTNGMAP_SRC/tests/rounds"
done
is "${in_vain[*]}" '' 'no test that is for root alone has a round as an ordinary user'

if [[ $EUID == 0 ]] && unshare --mount --net true 2>/dev/null; then
	test_is world 'echo 1..3; mkdir /run/lttngmap && echo "ok 1"; [[ $(ls /run) == lttngmap ]] && echo "ok 2"
		[[ -z $(sed 1,2d /proc/net/dev | grep -v "^ *lo:") ]] && echo "ok 3"; touch /run/lttngmap/x'
	run tests/a/world.sh
	is "$last" '3 passed, 0 failed' 'root'"'"'s tests have a /run and a network of their own' || diag "$(<"$TAP_DIR/out")"
	ok 'of which nothing is left' test ! -e /run/lttngmap/x
else
	skip 2 'only root makes namespaces'
fi
done_testing
