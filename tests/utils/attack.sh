# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# attack.sh - an attack on root's service, by ring-fs and by ring-socket, while five
# programs of other users are traced; after tap.sh.
#
#   attack_as UID...          the attackers are these users; 65001 otherwise
#   attack_in_tracing         they are members of the group tracing, too
#   attack NAME WORKERS [ARGUMENT]
#                             tests/attack/attacker's attack NAME, by each of them
#   attack_with NAME COMMAND...
#                             or what this does, as root; @UID@ and @DIR@ in it stand for the
#                             attacker's user and the runtime directory
#   attack_file KIND          while an attack lasts, $attack_path is a file of a file system which
#                             does not answer: of that KIND of utils/hanging-file
#
# A script may define these anew:
#   attack_prepare MEDIATOR   before the victims start
#   attack_victim NUMBER COMMAND...
#                             runs one of them
#   attack_look NAME MEDIATOR while the attackers are there, and the victims' session has
#                             stopped: $TAP_DIR/first is its trace
#   attack_mend               when they are gone: before the daemon ends ($sessiond_pid), and after
#   $attack_rules             what that session records
#   $attack_buffers           "user": that session's processes share rings
#   $attack_options           of the daemon
#
# Every attack is judged alike: attack_judge. A time is compared with the same
# time before the attack, in the same run; or with a limit, which is longer the more tests run beside
# this one (LTTNGMAP_TEST_PATIENCE).
#
#   LTTNGMAP_SOAK_SECONDS     how long an attack takes, instead of 3 s
. "$LTTNGMAP_SRC/tests/utils/numbered.sh"
. "$LTTNGMAP_SRC/tests/utils/sessiond.sh"

[[ $EUID == 0 ]] || skip_all 'only root can be several users'

attack_seconds=${LTTNGMAP_SOAK_SECONDS:-3}
attack_patience=${LTTNGMAP_TEST_PATIENCE:-1}
attack_uids=(65001)
attack_groups=(--clear-groups)
attack_victims=(0 65010 65011 65012 65013)
attacker=$LTTNGMAP_BUILD/tests/attack/attacker
attack_children=()
attack_options=()
attack_rules=('numbered:*')
attack_buffers=process
attack_prepare() { :; }
attack_victim() {
	"${@:2}"
}
attack_look() { :; }
attack_mend() { :; }
# The weight that its unit gives the service (CPUWeight=), by what the kernel has without control
# groups: a session of its own (sched(7), autogroup).
# shellcheck disable=SC2016
sessiond_before=(setsid sh -c '{ echo -10 >/proc/self/autogroup; } 2>/dev/null; exec "$@"' sh)
attack_kibibytes_max=$((128 << 10)) # of memory that the daemons may take more, meanwhile
attack_written_max=$((64 << 20))    # bytes that the consumer may write beside the victims' trace
setpriv --reuid=65001 --regid=65001 --clear-groups test -x "$attacker" ||
	skip_all 'other users cannot execute what was built here'
chmod 0711 "$TAP_DIR"
# The runtime directory is in memory, as /run is: the journal of a disk has everybody wait for all.
attack_run=$(mktemp -d /dev/shm/lttngmap-test.XXXXXX) || bail_out 'there is no /dev/shm'
chmod 0711 "$attack_run"
cleanup rm -rf "$attack_run"

attack_as() {
	attack_uids=("$@")
}
attack_in_tracing() {
	local group

	group=$(getent group tracing | cut -d: -f3)
	[[ -n $group ]] || skip_all 'there is no group tracing (addgroup --system tracing)'
	attack_groups=(--groups="$group")
}

attack_path=$TAP_DIR/file
attack_kind=
attack_file() { # KIND
	touch "$attack_path"
	chmod 666 "$attack_path"
	attack_kind=$1
	cleanup attack_unmount
}
attack_mount() {
	[[ -n $attack_kind ]] || return 0
	"$LTTNGMAP_BUILD/tests/utils/hanging-file" "$attack_path" "$attack_kind" 2>>"$TAP_DIR/attackers" &
	attack_server=$!
	wait_for mountpoint -q "$attack_path" || bail_out "no file system: $(<"$TAP_DIR/attackers")"
}
# Whoever waits for it goes on.
attack_unmount() {
	[[ -n ${attack_server:-} ]] || return 0
	kill -KILL "$attack_server" 2>/dev/null
	wait "$attack_server" 2>/dev/null
	umount -l "$attack_path" 2>/dev/null
	attack_server=
}

# The daemon's pid.
attack_daemon() {
	pgrep -P "$sessiond_pid" -x 'lttngmap-sessio' | head -n 1
}
attack_sum() { # PATTERN FILE: of both, in /proc
	local pid sum=0 value

	for pid in $(attack_daemon) $(sessiond_consumer); do
		value=$(sed -n "s/^$1[^0-9]*\([0-9]*\).*/\1/p" "/proc/$pid/$2" 2>/dev/null)
		sum=$((sum + ${value:-0}))
	done
	echo "$sum"
}
attack_cpu_ms() {
	local pid sum=0 fields

	for pid in $(attack_daemon) $(sessiond_consumer); do
		read -ra fields < <(sed 's/.*) //' "/proc/$pid/stat" 2>/dev/null)
		sum=$((sum + (${fields[11]:-0} + ${fields[12]:-0}) * 10))
	done
	echo "$sum"
}
attack_descriptors() {
	local pid sum=0

	for pid in $(attack_daemon) $(sessiond_consumer); do
		sum=$((sum + $(find "/proc/$pid/fd" -mindepth 1 2>/dev/null | wc -l)))
	done
	echo "$sum"
}
attack_processes() { # how many are registered
	timeout 5 "$LTTNGMAP_BUILD/tests/utils/control" "$SESSIOND_DIR" '{"verb": "usage", "from": 0}' |
		sed -n 's/^[^[]*"processes": \([0-9]*\),.*/\1/p'
}
attack_files() { # KiB in the runtime directory, but for the saved state, which is bounded itself
	du -sk --exclude='ledger*' --exclude=rings "$SESSIOND_DIR" 2>/dev/null | cut -f1
}
attack_now_ms() {
	date +%s%3N
}

# What a well-behaved program's registration takes: "P50 P99 COUNT FAILED", microseconds.
attack_probe() { # SECONDS
	setsid -w timeout 60 setpriv --reuid=65014 --regid=65014 --clear-groups \
		"$attacker" probe "$SESSIOND_DIR" 30 1 "$1"
}

attack_control() { # SECONDS MESSAGE...: root's
	timeout "$1" "$LTTNGMAP_BUILD/tests/utils/control" "$SESSIOND_DIR" "${@:2}" >"$TAP_DIR/answer" 2>&1
}
# attack_session NAME [OUTPUT MODE SUBBUF-SIZE SUBBUFS [MESSAGE...]]: makes it and starts it, after
# the messages.
attack_session() {
	local rule rules=()

	for rule in "${attack_rules[@]}"; do
		rules+=('{"verb": "enable", "session": "'"$1"'", "channel": "c", "rule": "'"$rule"'"}')
	done
	attack_control 10 '{"verb": "create", "session": "'"$1"'", "output": "'"${2:-$TAP_DIR/$1}"'"}' \
		'{"verb": "channel", "session": "'"$1"'", "channel": "c", "subbuf_size": '"${4:-16384}"',
		  "subbufs": '"${5:-8}"', "mode": "'"${3:-blocking}"'",
		  "buffers": "'"$attack_buffers"'"}' "${rules[@]}" "${@:6}" \
		'{"verb": "start", "session": "'"$1"'"}'
}

attack_has_victims() {
	(($(attack_processes) == ${#attack_victims[@]}))
}
attack_start_victims() {
	local i uid

	: >"$NUMBERED_COUNTS"
	chmod 666 "$NUMBERED_COUNTS"
	rm -f "$TAP_DIR/stop"
	victims=()
	for i in "${!attack_victims[@]}"; do
		uid=${attack_victims[i]}
		attack_victim "$i" setpriv --reuid="$uid" --regid="$uid" --clear-groups \
			env LTTNGMAP_RUNTIME_DIR="$SESSIOND_DIR" LTTNGMAP_ALLOW_BLOCKING=1 \
			"$LTTNGMAP_BUILD/tests/utils/emit" "$NUMBERED_COUNTS" 1 100000000 "$TAP_DIR/stop" &
		victims+=($!)
	done
}

attack_start() {
	local uid

	attack_mount
	attack_children=()
	for uid in "${attack_uids[@]}"; do
		setsid "${attack_command[@]//@UID@/$uid}" >>"$TAP_DIR/attackers" 2>&1 &
		attack_children+=($!)
	done
}
attack_end() {
	local pid

	for pid in "${attack_children[@]}"; do
		kill -KILL -- "-$pid" 2>/dev/null
	done
	# Whoever has a page of that file system ends when it answers.
	attack_unmount
	[[ ${#attack_children[@]} == 0 ]] || wait "${attack_children[@]}" 2>/dev/null
	attack_children=()
}
cleanup touch "$TAP_DIR/stop"
cleanup attack_end

attack() { # NAME WORKERS [ARGUMENT]
	attack_command=(setpriv --reuid=@UID@ --regid=@UID@ "${attack_groups[@]}"
		"$attacker" "$1" @DIR@ $((attack_seconds * 4 + 60)) "$2" "${@:3}")
	attack_both "$1"
}
attack_with() { # NAME COMMAND...
	attack_command=("${@:2}")
	attack_both "$1"
}
attack_both() { # NAME
	local mediator command=("${attack_command[@]}")

	for mediator in ${LTTNGMAP_TEST_MEDIATOR:-ring-fs ring-socket}; do
		SESSIOND_DIR=$attack_run/$mediator
		attack_command=("${command[@]//@DIR@/$SESSIOND_DIR}")
		attack_judge "$1, $mediator" "$mediator"
	done
}

# Ended within so many seconds, or killed. Whoever hangs in the kernel is not even then.
attack_await() { # SECONDS PID...
	local end=$((SECONDS + $1)) pid

	for pid in "${@:2}"; do
		while [[ -e /proc/$pid ]] && ! are_gone "$pid"; do
			((SECONDS < end)) || return 1
			sleep 0.05
		done
	done
}

# While it lasts: what registrations take, what the daemons do.
attack_measure() {
	local begin end cpu

	# On a busy machine it takes a while to look: that is part of the time.
	begin=$(attack_now_ms)
	cpu=$(attack_cpu_ms)
	read -r during_p50 during_p99 during_count during_failed < <(attack_probe "$attack_seconds")
	cpu=$(($(attack_cpu_ms) - cpu))
	end=$(attack_now_ms)
	during_cpu=$((cpu * 100 / (end - begin + 1)))
	during_memory=$(attack_sum RssAnon: status)
	during_descriptors=$(attack_descriptors)
}

attack_kill_daemon() { # the supervisor starts another one
	local before

	before=$(attack_daemon)
	kill -KILL "$before" 2>/dev/null
	ok "$1: kill -9 of the daemon works" attack_await $((5 * attack_patience)) "$before"
	ok "$1: another serves" wait_for attack_control 5 '{"verb": "list", "from": 0}'
}

# Counted while no attacker has begun, and when the last is gone.
attack_standing() {
	standing="$(attack_processes) $(attack_descriptors)"
}
attack_is_quiet() { # PROCESSES DESCRIPTORS: no more of either than that
	local processes descriptors

	processes=$(attack_processes)
	descriptors=$(attack_descriptors)
	echo "${processes:-?} processes, $descriptors descriptors"
	[[ -n $processes ]] && ((processes <= $1 && descriptors <= $2))
}
attack_wait_quiet() {
	local i

	for ((i = 0; i < 100 * attack_patience; i++)); do
		attack_is_quiet "$@" >/dev/null && return
		sleep 0.1
	done
	attack_is_quiet "$@"
}

attack_judge() { # NAME MEDIATOR
	local uid name=$1 before_p50 before_p99 processes standing memory written begin took limit median files all events

	numbered_trace=$TAP_DIR/first
	rm -rf "$TAP_DIR/first" "$TAP_DIR/second"
	: >"$TAP_DIR/log"
	sessiond_start --mediator="$2" "${attack_options[@]}"
	chmod 0711 "$SESSIOND_DIR"
	wait_for sessiond_consumer || bail_out 'there is no consumer'
	attack_session first || bail_out "no session: $(<"$TAP_DIR/answer")"
	attack_prepare "$2"
	attack_start_victims
	wait_for attack_has_victims || bail_out 'the victims are not traced'
	processes=$(attack_processes)
	read -r before_p50 before_p99 _ < <(attack_probe 1)
	# The probe's processes are gone.
	wait_for eval '(($(attack_processes) <= processes))'
	attack_standing
	memory=$(attack_sum RssAnon: status)
	files=$(attack_files)
	written=$(attack_sum wchar: io)

	attack_start
	sleep 0.5 # No state is the same in all attacks: they are at it by then.
	attack_measure
	limit=$((attack_patience * (before_p99 * 10 > 100000 ? before_p99 * 10 : 100000)))
	median=$((attack_patience * (before_p50 * 10 > 5000 ? before_p50 * 10 : 5000)))
	ok "$name: registration p50 $during_p50, p99 $during_p99 us of $during_count, before $before_p50, $before_p99" \
		test "${during_count:-0}" -gt 0 -a "${during_p99:-999999999}" -le "$limit" \
		-a "${during_p50:-999999999}" -le "$median" -a "$during_failed" = 0
	# All of the main thread, and a fifth of a CPU for what it orders of other threads.
	ok "$name: $during_cpu % of a CPU" test "$during_cpu" -le "${attack_cpu_max:-120}"
	# A sanitizer keeps what was freed.
	ok "$name: memory of the daemons, $memory KiB before, $during_memory meanwhile" \
		test -n "${LTTNGMAP_SANITIZED:-}" -o "$during_memory" -le $((memory + attack_kibibytes_max))
	ok "$name: $during_descriptors descriptors, ${standing#* } before" \
		test "$during_descriptors" -le $((${standing#* } + $(ulimit -n) / 2))
	# Those that block have been read until then.
	touch "$TAP_DIR/stop"
	ok "$name: the victims end" attack_await $((10 * attack_patience)) "${victims[@]}"
	begin=$(attack_now_ms)
	attack_control $((10 * attack_patience)) '{"verb": "stop", "session": "first"}'
	is $? 0 "$name: a session stops"
	took=$(($(attack_now_ms) - begin))
	ok "$name: within $took ms" test "$took" -le $((1000 * attack_patience))
	mapfile -t numbered_chunks < <(find "$numbered_trace" -name metadata -printf '%h\n')
	numbered_check
	events=$((numbered_events - numbered_others))
	is "$numbered_sound:$numbered_missing:$numbered_discarded:$numbered_uncounted:$events" \
		"0:0:0:0:$numbered_done" "$name: each of $numbered_done events is there once, none was lost"
	[[ $numbered_done -gt 0 ]] || fail "$name: there were no events"
	written=$(($(attack_sum wchar: io) - written))
	ok "$name: the consumer wrote $written bytes" test "$written" -le \
		$(($(du -sb "$TAP_DIR/first" | cut -f1) + attack_written_max))
	attack_look "$name" "$2"
	attack_control 10 '{"verb": "destroy", "session": "first"}'
	# A channel's slot, and with it the memory of all processes, is used again after a second.
	sleep 1.2
	attack_session second
	is $? 0 "$name: another session is made and started"
	setpriv --reuid=65014 --regid=65014 --clear-groups timeout 10 \
		env LTTNGMAP_RUNTIME_DIR="$SESSIOND_DIR" LTTNGMAP_ALLOW_BLOCKING=1 \
		"$LTTNGMAP_BUILD/tests/utils/emit" "$NUMBERED_COUNTS" 1 1000
	is $? 0 "$name: a program is traced there"
	ok "$name: that session stops" attack_control 10 '{"verb": "stop", "session": "second"}' \
		'{"verb": "destroy", "session": "second"}'
	attack_kill_daemon "$name"

	attack_end
	attack_mend
	# A member's sessions are its own: they, and their consumers, stay until it destroys them.
	for uid in "${attack_uids[@]}"; do
		setpriv --reuid="$uid" --regid="$uid" "${attack_groups[@]}" timeout 10 \
			"$LTTNGMAP_BUILD/tests/utils/control" "$SESSIOND_DIR" \
			'{"verb": "destroy", "session": "a'{0..7}'"}' >/dev/null 2>&1
	done
	ok "$name: nothing stays" attack_wait_quiet 0 "${standing#* }"
	ok "$name: nor files, $files KiB before, $(attack_files) after" test "$(attack_files)" -le $((files + 1024))
	attack_start
	sleep 0.5 # as above
	all=("$sessiond_pid" "$(attack_daemon)")
	kill -TERM "$sessiond_pid"
	ok "$name: SIGTERM ends all" attack_await $((10 * attack_patience)) "${all[@]}" ||
		{
			diag "$(cat "/proc/${all[1]}/stack" 2>/dev/null)"
			kill -KILL "${all[@]}" 2>/dev/null
		}
	attack_end
	wait "$sessiond_pid" 2>/dev/null
	sessiond_pid=
	attack_mend
	attack_left=$(find "$SESSIOND_DIR" -mindepth 1 2>/dev/null | head)
	is "$attack_left" '' "$name: nothing is left in the runtime directory"
	grep -v 'starts another\|was killed' "$TAP_DIR/log" | sort | uniq -c | sort -rn | head -n 5 | sed 's/^/# /'
}
