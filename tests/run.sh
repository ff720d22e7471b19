#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# run.sh - runs tests beside each other, each in the rounds that tests/rounds names for it.
# `./dev check` and `./dev test` call it in the build directory, with the environment that tests get
# (`make tests-environment`).
#
#   run.sh [OPTION...] TEST...     TEST is a path from the top: tests/unit/ring-edges, tests/integration/guest.sh
#     --jobs=N      so many tests at a time; 3 for each CPU otherwise
#     --rounds      each in all rounds that tests/rounds names for it; in that of the environment otherwise.
#                   LTTNGMAP_TEST_FULL=1: those that take turns, too
#     --round=ROUND   each in this one, if it is to be run there: root, socket, user, rseq
#     --all-rounds  each in all rounds that there are
#     --strict      run no failed test again
#     --before=COMMAND   runs each test by this
#     --full        print the whole output of tests that fail
#
# Results are in results/: NAME.ROUND.log is a test's whole output, and `times` what each test took.
#
# Tests that promise times multiply them by $LTTNGMAP_TEST_PATIENCE, which is how many tests share a CPU.
#
# Every test that root runs gets a world of its own: mount and network namespaces, with an empty /run, and without
# tracefs but for the group `kernel`, which has it even where the machine has not mounted it. So neither the system's session daemon nor another run's tests see it, and
# what it mounts goes with it. Tests of one group (`only=GROUP` in tests/rounds) wait for each other, other
# checkouts' included.
set -uo pipefail

: "${LTTNGMAP_BUILD:?run this by ./dev test}" "${LTTNGMAP_SRC:?run this by ./dev test}"
# How many failed tests are run again. If more fail, the load is not the reason.
again_max=6
cpus=$(nproc)
jobs=$((cpus * 3))
rounds=given
only_round=
strict=no
full=no
before=()
tests=()
# make's own variables are not for the makes that tests start.
unset MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES LTTNGMAP_RUNTIME_DIR

for argument; do
	case $argument in
	--jobs=*) jobs=${argument#*=} ;;
	--rounds) rounds=named ;;
	--all-rounds) rounds=all ;;
	--round=*) rounds=named only_round=${argument#*=} ;;
	--strict) strict=yes ;;
	--full) full=yes ;;
	--before=*) read -ra before <<<"${argument#*=}" ;;
	-*) echo "run.sh: there is no option $argument" >&2; exit 2 ;;
	*) tests+=("$argument") ;;
	esac
done
[[ $jobs =~ ^[1-9][0-9]*$ ]] || { echo "run.sh: --jobs wants a number, not '$jobs'" >&2; exit 2; }

# ---- rounds -------------------------------------------------------------------

# NAME=VALUE... of a round, a line each. RUN_MEDIATOR is what root's tests are run by.
round_environment() { # ROUND
	case $1 in
	root) echo "LTTNGMAP_TEST_MEDIATOR=${RUN_MEDIATOR:-ring-fs}" ;;
	socket) echo 'LTTNGMAP_TEST_MEDIATOR=ring-socket' ;;
	user) printf '%s\n' "LTTNGMAP_TEST_USER=${RUN_USER:-lttngmap-test}" 'LTTNGMAP_TEST_MEDIATOR=ring-socket' ;;
	rseq) printf '%s\n' "LTTNGMAP_TEST_MEDIATOR=${RUN_MEDIATOR:-ring-fs}" 'LTTNGMAP_TEST_RSEQ=off' \
		'GLIBC_TUNABLES=glibc.pthread.rseq=0' ;;
	esac
}

patterns=()
declare -A words_of=()
while read -r pattern words; do
	[[ -n $pattern && $pattern != '#'* ]] || continue
	patterns+=("$pattern")
	words_of[$pattern]=$words
done <"$LTTNGMAP_SRC/tests/rounds"

# The words that tests/rounds has for a test: of the first line that matches.
words_for() { # TEST; sets $words
	local pattern

	words=
	for pattern in "${patterns[@]}"; do
		# shellcheck disable=SC2053 # a pattern
		if [[ ${1#tests/} == $pattern ]]; then
			words=${words_of[$pattern]}
			return
		fi
	done
}

# The rounds of a test, of which the first is the one that tells most.
rounds_for() { # TEST; sets $its_rounds
	words_for "$1"
	its_rounds=()
	if [[ $rounds == given ]]; then
		its_rounds=(given)
	elif [[ $EUID != 0 ]]; then
		its_rounds=(socket)
		[[ $rounds == named && " $words " != *' rseq '* ]] || its_rounds+=(rseq)
	else
		[[ " $words " == *' user-only '* && $rounds == named ]] || its_rounds+=(root)
		[[ $rounds == named && " $words " != *' mediator '* || ${RUN_MEDIATOR:-ring-fs} == ring-socket ]] ||
			its_rounds+=(socket)
		[[ $rounds == named && " $words " != *' user '* && " $words " != *' user-only '* ]] || its_rounds+=(user)
		[[ $rounds == named && " $words " != *' rseq '* ]] || its_rounds+=(rseq)
	fi
	[[ $rounds != named || $only_round || " $words " != *' turns '* ]] || take_turn "$1"
}

# One of $its_rounds, another one each day, and not the same for all tests.
take_turn() { # TEST
	local number

	[[ ${LTTNGMAP_TEST_FULL:-0} != 1 && -z ${LTTNGMAP_SOAK_SECONDS:-} ]] || return 0
	number=$(cksum <<<"$1")
	its_rounds=("${its_rounds[(${number%% *} + ${LTTNGMAP_TEST_SEED:-$(date +%Y%m%d)}) % ${#its_rounds[@]}]}")
}

# ---- one test -----------------------------------------------------------------

# A world of the test's own, in which this is the first process. Runs as root, before the test becomes another
# user. Its first argument are folders that nobody sees there; /run is the last, for mount(8) writes into it. The
# second is where tracefs is to be, or nothing.
# shellcheck disable=SC2016
world_script='[[ -z $2 || -e $2/trace ]] || mount -t tracefs none "$2" 2>/dev/null
for folder in $1; do
	[[ ! -d $folder ]] || mount -t tmpfs -o mode=0755 none "$folder" || exit 1
done
shift 2
ip link set lo up 2>/dev/null
"$@"
exit $?'
world=()
if [[ $EUID == 0 ]] && unshare --mount --net --propagation slave true 2>/dev/null; then
	world=(unshare --mount --net --propagation slave "$BASH" -c "$world_script" world)
elif [[ $EUID == 0 ]]; then
	echo 'There can be no namespaces here: what else is traced on this machine may disturb the tests'
fi

result_of() { # JOB: its files' path without suffix; sets $result
	local test=${1%% *}

	test=${test#tests/}
	result=results/${test%.sh}.${1##* }
}

# The file by which tests of a group wait for each other, those of other checkouts among them.
lock_of() { # GROUP
	local folder=/tmp

	[[ $EUID != 0 ]] || folder=/run
	echo "$folder/lttngmap-tests-$EUID.$1"
}

group_of() { # TEST; sets $group
	words_for "$1"
	group=
	[[ ! " $words " =~ ' only='([a-z]+)' ' ]] || group=${BASH_REMATCH[1]}
}

run_test() { # JOB
	local test=${1%% *} round=${1##* } result words group hidden tracefs='' command environment limit=600

	result_of "$1"
	mkdir -p "${result%/*}"
	rm -f "$result".{log,trs,time}
	command=("$test")
	[[ $test != *.sh ]] || command=("$BASH" "$LTTNGMAP_SRC/$test")
	mapfile -t environment < <(round_environment "$round")
	group_of "$test"
	[[ " $words " != *' machine '* ]] || world=()
	# A daemon takes away what dead ones have left in tracefs, and speaks of it.
	hidden='/sys/kernel/tracing /sys/kernel/debug /run'
	[[ $group != kernel ]] || hidden=/run tracefs=/sys/kernel/tracing
	[[ ${#world[@]} == 0 ]] || world+=("$hidden" "$tracefs")
	# Some tests have processes that make daemons wait which look at them: each daemon sees its own test's only.
	# The kernel's events have the numbers that processes have on the machine.
	[[ $group == kernel || ${#world[@]} == 0 ]] ||
		world=("${world[0]}" --pid --fork --kill-child --mount-proc "${world[@]:1}")
	if [[ $group ]]; then
		exec 8>>"$(lock_of "$group")"
		flock 8
	fi
	[[ -z ${LTTNGMAP_SANITIZED:-} ]] || limit=1800
	TIMEFORMAT='%R %U %S'
	# shellcheck disable=SC2016
	{
		time sh "$LTTNGMAP_SRC/build-aux/tap-driver.sh" --test-name "${test%.sh}" --log-file "$result.log" \
			--trs-file "$result.trs" --color-tests no --enable-hard-errors yes -- \
			env LTTNGMAP_TEST_PATIENCE="$patience" "${environment[@]}" sh -c 'echo $$ >"$0"; exec "$@"' "$result.pid" \
			timeout --kill-after=10 "${LTTNGMAP_TEST_TIMEOUT:-$limit}" "${world[@]}" \
			"${before[@]}" "${command[@]}" \
			>/dev/null 2>&1 8>&-
	} 2>"$result.time"
	rm -f "$result.pid"
}

# ---- what came of it ----------------------------------------------------------

passed=0 failed=0 skipped=0
tests_failed=()
tests_again=()

count_of() { # RESULT OUTCOMES: lines of its .trs
	grep -cE "^:test-result: ($2)" "$1.trs" 2>/dev/null || true
}

# judge JOB: sets $good, $wrong, $left_out, $seconds, $cpu. Who says nothing has failed.
judge() {
	local result user system

	result_of "$1"
	good=$(count_of "$result" 'PASS|XFAIL')
	left_out=$(count_of "$result" SKIP)
	wrong=$(count_of "$result" 'FAIL|ERROR|XPASS')
	good=${good:-0} left_out=${left_out:-0} wrong=${wrong:-0}
	((good + left_out + wrong > 0)) || wrong=1
	read -r seconds user system < <(tail -n 1 "$result.time" 2>/dev/null) || true
	seconds=${seconds:-0}
	cpu=$(awk -v a="${user:-0}" -v b="${system:-0}" 'BEGIN { printf "%.1f", a + b }')
}

# What a test said that went wrong: its first wrong line, and what follows it.
first_wrong() { # RESULT CHARACTERS
	local said

	said=$(sed -nE '/^(not ok|Bail out)/,/^ok/{/^(ok|(FAIL|PASS|ERROR): )/!p}' "$1.log" 2>/dev/null | cut -c 1-300)
	[[ -n $said ]] || said=$(tail -n 10 "$1.log" 2>/dev/null | cut -c 1-300)
	printf '%s\n' "${said:0:$2}"
}

name_of() { # JOB; sets $name
	name=${1%% *}
	name=${name#tests/}
	name=${name%.sh}
	[[ ${1##* } == given ]] || name+=" (${1##* })"
}

# What one types to run it alone.
command_of() { # JOB
	local test=${1%% *} setting

	test=${test#tests/}
	setting=$(round_environment "${1##* }" | tr '\n' ' ')
	echo "$setting./dev test ${test%.sh}"
}

report_failures() {
	local job name result

	for job in "${tests_failed[@]}"; do
		name_of "$job"
		result_of "$job"
		printf '%s:\n' "$name"
		first_wrong "$result" 1500 | sed 's/^/    /'
		grep -m 1 -aiE '^#.*seed' "$result.log" 2>/dev/null | sed 's/^# */    /'
		printf '    alone: %s\n' "$(command_of "$job")"
		[[ $full == no ]] || cat "$result.log"
	done
}

report_skipped() {
	local file

	for file in "${logs[@]}"; do
		grep -ahiE '^(ok|1\.\.0).*# SKIP' "$file" 2>/dev/null | sed -E 's/.*# SKIP */    /I'
	done | sort | uniq -c | sort -rn
}

# ---- the queue ----------------------------------------------------------------

say() {
	[[ ! -t 1 ]] || printf '\r\033[K'
	printf '%s\n' "$*"
}

# What is expected of a job, in tenths of a second: of the last run, or what tests/rounds says.
declare -A expected=()
expect_all() {
	local seconds cpu test round

	while read -r seconds cpu test round; do
		expected["$test $round"]=$((10#${seconds%.*} * 10 + 1))
	done < <(cat results/times 2>/dev/null)
}
expected_of() { # JOB; sets $tenths
	tenths=${expected[$1]:-}
	[[ -z $tenths ]] || return 0
	words_for "${1%% *}"
	tenths=20
	[[ " $words " != *' long '* ]] || tenths=300
}

queue=()
alone=()
logs=()
# Those of a group wait for each other: each is as long as all of them are.
fill_queue() {
	local test round its_rounds words group tenths
	local -A group_tenths=()

	while read -r group tenths _; do
		[[ $group == - ]] || group_tenths[$group]=$((${group_tenths[$group]:-0} + tenths))
	done < <(list_jobs)
	while read -r _ tenths test round; do
		expected["$test $round"]=$tenths
		words_for "$test"
		if [[ " $words " == *' alone '* ]]; then
			alone+=("$test $round")
		else
			queue+=("$test $round")
		fi
		result_of "$test $round"
		logs+=("$result.log")
	done < <(list_jobs | while read -r group tenths test; do
		echo "${group_tenths[$group]:-$tenths} $tenths $test"
	done | sort -rns -k 1,1 -k 2,2)
}
# GROUP TENTHS TEST ROUND, a line each; "-": no group.
list_jobs() {
	local test round its_rounds group tenths

	for test in "${tests[@]}"; do
		rounds_for "$test"
		group_of "$test"
		for round in "${its_rounds[@]}"; do
			[[ -z $only_round || $round == "$only_round" ]] || continue
			expected_of "$test $round"
			echo "${group:--} $tenths $test $round"
		done
	done
}

declare -A running=()    # a job by its process
declare -A began=()      # when, in $SECONDS
declare -A group_runs=() # a process by its group
total=0
done_jobs=0
started=$SECONDS

# On a terminal, a line that the next one writes over: what is expected of those that wait and of those that run.
progress() { # HOW MANY AT A TIME
	local left=0 longest=0 job pid tenths name names=()

	[[ -t 1 ]] || return 0
	for job in "${queue[@]}"; do
		expected_of "$job"
		left=$((left + tenths))
	done
	for pid in "${!running[@]}"; do
		expected_of "${running[$pid]}"
		tenths=$((tenths - (SECONDS - began[$pid]) * 10))
		((tenths > 0)) || tenths=0
		left=$((left + tenths))
		((longest > tenths)) || longest=$tenths
		name_of "${running[$pid]}"
		names+=("$name")
	done
	left=$((left / $1))
	((left > longest)) || left=$longest
	for job in "${alone[@]}"; do
		expected_of "$job"
		left=$((left + tenths))
	done
	left=$((left / 10))
	printf '\r\033[K%d of %d, %d failed, about %d:%02d left: %.60s' "$done_jobs" "$total" "${#tests_failed[@]}" \
		$((left / 60)) $((left % 60)) "${names[*]}"
}

# Starts the first that may run now. Fails where there is none.
start_one() {
	local i job group

	for i in "${!queue[@]}"; do
		job=${queue[i]}
		group_of "${job%% *}"
		[[ -z $group || -z ${group_runs[$group]:-} ]] || continue
		unset 'queue[i]'
		run_test "$job" &
		running[$!]=$job
		began[$!]=$SECONDS
		[[ -z $group ]] || group_runs[$group]=$!
		return 0
	done
	return 1
}

finish() { # JOB [PASSED-AGAIN]
	local name

	judge "$1"
	name_of "$1"
	done_jobs=$((done_jobs + 1))
	passed=$((passed + good))
	skipped=$((skipped + left_out))
	failed=$((failed + wrong))
	echo "$seconds $cpu $1" >>results/times.$$
	if ((wrong)); then
		tests_failed+=("$1")
		result_of "$1"
		say "$(printf '[%3d/%d] %6.1f s  FAILED %s: %s' "$done_jobs" "$total" "$seconds" "$name" \
			"$(first_wrong "$result" 200 | head -n 1)")"
	else
		say "$(printf '[%3d/%d] %6.1f s  %s: %d passed%s' "$done_jobs" "$total" "$seconds" "$name" "$good" \
			"$( ((left_out == 0)) || printf ', %d skipped' "$left_out")")"
	fi
}

# Waits until a running test has ended; sets $pid. A terminal is shown the time once a second.
ticker=
wait_one() { # HOW MANY AT A TIME
	while :; do
		pid=
		# It awaits nothing: a second passes.
		[[ ! -t 1 || -n $ticker ]] || { sleep 1 & ticker=$!; }
		# shellcheck disable=SC2086 # one, or none
		wait -n -p pid "${!running[@]}" $ticker
		[[ -n $ticker && ${pid:-} == "$ticker" ]] || break
		ticker=
		progress "$1"
	done
	while [[ -z ${pid:-} ]]; do
		for pid in "${!running[@]}"; do
			kill -0 "$pid" 2>/dev/null || return 0
		done
		pid=
		# bash has forgotten one that ended before: there is nothing to wait for but its process's end.
		sleep 0.2
	done
}

run_queue() { # HOW MANY AT A TIME
	local pid group job patience=$((($1 + cpus - 1) / cpus))

	# All that is instrumented takes longer.
	[[ -z ${LTTNGMAP_SANITIZED:-} ]] || patience=$((patience * 3))
	while :; do
		while ((${#running[@]} < $1)) && start_one; do :; done
		((${#running[@]})) || break
		progress "$1"
		wait_one "$1"
		job=${running[$pid]}
		unset "running[$pid]" "began[$pid]"
		for group in "${!group_runs[@]}"; do
			[[ ${group_runs[$group]} != "$pid" ]] || unset "group_runs[$group]"
		done
		finish "$job"
	done
}

# Whoever failed beside others may have failed for that: it is run once more, by itself. This is said.
run_again() {
	local job name again=("${tests_failed[@]}")

	((${#again[@]} && ${#again[@]} <= again_max)) || return 0
	say "Running alone what failed"
	tests_failed=()
	for job in "${again[@]}"; do
		judge "$job"
		passed=$((passed - good)) skipped=$((skipped - left_out)) failed=$((failed - wrong))
		result_of "$job"
		for suffix in log trs time; do
			mv "$result.$suffix" "$result.first.$suffix" 2>/dev/null
		done
		queue=("$job")
		total=$((total + 1))
		run_queue 1
		name_of "$job"
		((wrong)) || tests_again+=("$name: $(first_wrong "$result.first" 200 | head -n 1)")
	done
}

interrupted() {
	trap '' INT TERM
	say 'Ending the tests that run'
	cat results/*/*.pid 2>/dev/null | xargs -r kill -TERM 2>/dev/null
	wait
	exit 130
}
trap interrupted INT TERM

machine_cpu() { # hundredths of a second that the machine's CPUs worked; all
	awk '/^cpu / { print $2 + $3 + $4 + $7 + $8 + $9, $2 + $3 + $4 + $5 + $6 + $7 + $8 + $9 }' /proc/stat
}

main() {
	local worked all worked_then all_then

	mkdir -p results
	expect_all
	fill_queue
	total=$((${#queue[@]} + ${#alone[@]}))
	((total)) || { echo 'run.sh: no test was named' >&2; exit 2; }
	read -r worked all < <(machine_cpu)
	run_queue "$jobs"
	queue=("${alone[@]}")
	alone=()
	run_queue 1
	[[ $strict == yes ]] || run_again
	[[ -z $ticker ]] || kill "$ticker"
	read -r worked_then all_then < <(machine_cpu)
	cat results/times results/times.$$ 2>/dev/null | awk '{ last[$3 " " $4] = $0 } END { for (i in last) print last[i] }' |
		sort -rn >results/times.all.$$
	mv results/times.all.$$ results/times

	say 'The slowest: seconds, of these on a CPU, test'
	sort -rn results/times.$$ | head -n 12 | sed 's/^/    /'
	awk -v took="$((SECONDS - started))" -v cpus="$cpus" -v worked=$((worked_then - worked)) -v all=$((all_then - all)) \
		'{ seconds += $1; cpu += $2 } END { printf "%d runs took %d s, one after another %d; of CPU %d s; the machine worked %d %%\n",
		NR, took, seconds, cpu, all ? worked * 100 / all : 0 }' results/times.$$
	rm -f results/times.$$
	say 'Figures'
	cat "${logs[@]}" 2>/dev/null | grep -aE '^# figure [0-9]+:' | sort -u || true
	if ((skipped)); then
		say "$skipped skipped:"
		report_skipped
	fi
	if ((${#tests_failed[@]})); then
		say 'What failed'
		report_failures
	fi
	((${#tests_again[@]} == 0)) || printf 'passed when run again alone: %s\n' "${tests_again[@]}"
	echo "$passed passed, $failed failed"
	((failed == 0 && passed > 0))
}
main
exit
