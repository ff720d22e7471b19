#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# Row 6: memory runs out: the address space of a traced program or of the daemon, the
# tmpfs of the runtime directory, the memory of a program's control group. No
# program gets a SIGBUS or fails where it did not fail untraced; who is not
# traced, and why, is told; and what was written is readable.
#
#   LTTNGMAP_SOAK_SECONDS   limits in steps of 5 % instead of 50 %
. "$LTTNGMAP_SRC/tests/utils/tap.sh"
. "$LTTNGMAP_SRC/tests/utils/numbered.sh"
. "$LTTNGMAP_SRC/tests/utils/sessiond.sh"

steady=$LTTNGMAP_BUILD/tests/utils/steady
emit=$LTTNGMAP_BUILD/tests/utils/emit
trace=$TAP_DIR/trace
step=150
[[ -z ${LTTNGMAP_SOAK_SECONDS:-} ]] || step=105

number() { # KEY: of the session's status
	control '{"verb": "status", "session": "s"}' | sed -nE "s/.*\"$1\": ?([0-9]+).*/\1/p"
}
start_session() { # SUBBUF-SIZE SUBBUFS
	control '{"verb": "create", "session": "s", "output": "'"$trace"'"}' \
		'{"verb": "channel", "session": "s", "channel": "c", "subbuf_size": '"$1"',
		  "subbufs": '"$2"', "mode": "discard"}' \
		'{"verb": "enable", "session": "s", "channel": "c", "rule": "*"}' \
		'{"verb": "start", "session": "s"}'
}

# ---- the program's address space --------------------------------------------------
program_limits() {
	local limit untraced traced=0 runs=0 harmed='' status started=0 told

	ok 'a session is started' start_session 4096 8
	for ((limit = 3000; limit < 64000000; limit = limit * step / 100)); do
		(ulimit -v "$limit" && exec "$steady" 1000) >/dev/null 2>&1
		untraced=$?
		(
			export LTTNGMAP_RUNTIME_DIR=$SESSIOND_DIR
			ulimit -v "$limit" && exec "$steady" 1000
		) >/dev/null 2>&1
		status=$?
		runs=$((runs + 1))
		started=$((started + (untraced == 0)))
		[[ $status == "$untraced" ]] || harmed+="$limit KiB: $status, untraced $untraced; "
	done
	# On a busy machine a program does not wait for its registration.
	with_room() {
		LTTNGMAP_RUNTIME_DIR=$SESSIOND_DIR "$BASH" -c 'ulimit -v 60000000; exec "$0" 1000' "$steady" >/dev/null
		(($(number kept) >= 1001))
	}
	ok 'with room for its rings a program is traced' wait_for with_room
	traced=$(($(number kept) / 1001))
	is "$harmed" '' "$runs limits of address space: programs end as they do untraced"
	told=$(grep -cE 'process [0-9]+ of user [0-9]+ is not served: it may have [0-9]+ MiB of address space' "$TAP_DIR/log")
	# Who is refused often is not told of each time.
	# Root may raise a limit by what the rings take: none is refused, also where the machine is busy.
	if ((EUID == 0)); then
		ok "of $started that start $traced are traced" test "$traced" -gt 0
		is "$told" 0 'none is refused for its limit'
	else
		ok "of these $traced are traced, not all" test "$traced" -gt 0 -a "$traced" -lt "$runs"
		ok "why others are not is told, $told times" test "$told" -gt 0 -a "$told" -le "$started"
	fi
	ok 'the session stops' control '{"verb": "stop", "session": "s"}'
	ok 'babeltrace2 reads the trace' eval 'babeltrace2 "$trace" >"$TAP_DIR/text" 2>&1'
	is "$(grep -c 'steady:event' "$TAP_DIR/text")" "$(number kept)" 'with all that was kept'
	ok 'it is destroyed' control '{"verb": "destroy", "session": "s"}'
	figure 06 "address space of the program: $runs limits from 3 MB to 64 GB, $started programs started, 0 harmed, $traced traced, of $told it is told why not"
}

# ---- the daemon's ------------------------------------------------------------------
daemon_limit() {
	local daemon size programs=60 bad=0 i pids=() traced told begin took

	rm -rf "$trace"
	ok 'another session is started' start_session 4096 8
	daemon=$(pgrep -P "$sessiond_pid" -f lttngmap-sessiond | head -n 1)
	size=$(sed -n 's/^VmSize:[^0-9]*\([0-9]*\).*/\1/p' "/proc/$daemon/status")
	prlimit --pid "$daemon" --as="$(((size + 64) * 1024)):"
	for ((i = 0; i < programs; i++)); do
		LTTNGMAP_RUNTIME_DIR=$SESSIOND_DIR "$steady" 10 wait >/dev/null 2>"$TAP_DIR/said.$i" \
			< <(sleep 2) &
		pids+=($!)
	done
	for i in "${pids[@]}"; do wait "$i" || bad=$((bad + 1)); done
	is "$bad" 0 'a daemon without address space: no program is harmed'
	is "$(cat "$TAP_DIR"/said.*)" '' 'nor says anything'
	traced=$(number processes)
	ok "some are traced, not all: $traced of $programs" test "$traced" -lt "$programs"
	told=$(grep -cE '(not served|cannot be traced|not traced|not traced in channel c): .*(Cannot allocate memory|no memory)' "$TAP_DIR/log")
	ok "of the others it is told why, $told times" test "$told" -gt 0 || diag "$(tail "$TAP_DIR/log")"
	prlimit --pid "$daemon" --as=unlimited:
	begin=$(date +%s%N)
	served() {
		local before

		before=$(number processes)
		LTTNGMAP_RUNTIME_DIR=$SESSIOND_DIR "$steady" 10 >/dev/null
		(($(number processes) > before))
	}
	ok 'with memory again, programs are traced again' wait_for served
	took=$((($(date +%s%N) - begin) / 1000000))
	# Some ten it takes; a machine may stand still for a while.
	ok "after $took ms" test "$took" -le 5000
	is "$(pgrep -P "$sessiond_pid" -f lttngmap-sessiond | head -n 1)" "$daemon" 'by the same daemon'
	ok 'the session stops' control '{"verb": "stop", "session": "s"}'
	ok 'babeltrace2 reads the trace' eval 'babeltrace2 "$trace" >/dev/null'
	ok 'it is destroyed' control '{"verb": "destroy", "session": "s"}'
	figure 06 "address space of the daemon: $traced of $programs programs traced, $((programs - traced)) refused, told $told times, 0 harmed; all served $took ms after there was room"
}

# ---- the runtime directory is on a tmpfs, and full -------------------------------
full_tmpfs() {
	local output

	mkdir "$TAP_DIR/small"
	mount -t tmpfs -o size=4m,mode=755 none "$TAP_DIR/small" || return
	cleanup umount -l "$TAP_DIR/small"
	SESSIOND_DIR=$TAP_DIR/small/run
	rm -rf "$trace"
	head -c 8M /dev/zero >"$TAP_DIR/small/fill" 2>/dev/null
	output=$(timeout 60 "$LTTNGMAP_BUILD/lttngmap-sessiond" --runtime-dir="$SESSIOND_DIR" 2>&1 &
		pid=$!
		serves_or_ended() { control || ! kill -0 "$pid"; }
		wait_for serves_or_ended
		kill "$pid" 2>/dev/null
		wait "$pid"
		echo "status $?")
	# A directory takes nothing of a tmpfs; whatever it needs is said, or there.
	diag "$output"
	ok 'a daemon on a full tmpfs ends, or serves' grep -qE 'status (0|1)$' <<<"$output"
	: >"$TAP_DIR/small/fill"

	sessiond_start --mediator=ring-socket
	ok 'a session is started on it' start_session 4096 8
	head -c 8M /dev/zero >"$TAP_DIR/small/fill" 2>/dev/null
	: >"$NUMBERED_COUNTS"
	LTTNGMAP_RUNTIME_DIR=$SESSIOND_DIR "$emit" "$NUMBERED_COUNTS" 1 20000
	is $? 0 'no room for a program in the saved state, or for its ring: it is not harmed'
	told() {
		grep -qE '(cannot show ring file emit-.*|is not served): No space left on device' "$TAP_DIR/log"
	}
	ok 'it is told' wait_for told
	: >"$TAP_DIR/small/fill"
	LTTNGMAP_RUNTIME_DIR=$SESSIOND_DIR "$emit" "$NUMBERED_COUNTS" 1 1000
	is $? 0 'with room again, another runs'
	recorded() { compgen -G "$trace/ust/c_emit-*" >/dev/null; }
	ok 'and is recorded' wait_for recorded
	ok 'the session stops' control '{"verb": "stop", "session": "s"}'
	ok 'babeltrace2 reads the trace' eval 'babeltrace2 "$trace" >/dev/null'
	sessiond_stop
	figure 06 'tmpfs of the runtime directory full: program unharmed, "No space left on device" told, the next one recorded'
}

# ---- a control group's memory ----------------------------------------------------
make_group() { # BYTES: sets $group, or says why not
	local root

	for root in /sys/fs/cgroup/memory /sys/fs/cgroup; do
		group=$root/lttngmap-test.$BASHPID
		mkdir "$group" 2>/dev/null || continue
		cleanup rmdir "$group"
		for file in memory.limit_in_bytes memory.max; do
			[[ ! -e $group/$file ]] || echo "$1" >"$group/$file" && return
		done
	done 2>/dev/null
	return 1
}
group_limit() {
	local group status

	if ! make_group $((24 << 20)); then
		skip 4 'there can be no control group with a limit of memory here'
		return
	fi
	SESSIOND_DIR=$TAP_DIR/run3
	rm -rf "$trace"
	: >"$NUMBERED_COUNTS"
	sessiond_start
	ok 'a session with large rings is started' start_session 4194304 16
	(
		export LTTNGMAP_RUNTIME_DIR=$SESSIOND_DIR
		echo "$BASHPID" >"$group/cgroup.procs" && exec "$emit" "$NUMBERED_COUNTS" 2 20000000
	)
	status=$?
	# The kernel's last word: SIGKILL. A SIGBUS would be 135.
	ok "the program was killed by no other signal than 9: status $status" test "$status" = 137 -o "$status" = 0
	ok 'the session stops' control '{"verb": "stop", "session": "s"}'
	numbered_trace=$trace
	numbered_check
	is "$numbered_sound" 0 'what it wrote is in the trace, once' || diag "$(<"$TAP_DIR/found")"
	ok "these are $numbered_events events" test "$numbered_events" -gt 0
	figure 06 "a control group of 24 MB, rings of 64 MB each CPU: the program's status is $status (137: killed for want of memory), its $numbered_events events read"
}

sessiond_start
if [[ -n ${LTTNGMAP_SANITIZED:-} ]]; then
	skip 2 'a sanitizer wants address space without a limit'
else
	program_limits
	sessiond_stop
	sessiond_start
	daemon_limit
fi
sessiond_stop
is "$sessiond_status" 0 'the daemon ends well'
if [[ $EUID == 0 ]]; then
	if unshare -m true 2>/dev/null; then
		full_tmpfs
	else
		skip 9 'there can be no tmpfs of our own here'
	fi
	group_limit
else
	skip 2 'a small tmpfs and a control group need root'
fi
done_testing
