#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# Nobody is left out unsaid: programs under `record` wait for the daemon, and whoever is not
# traced all the same is counted once, and named. The oracle is the recorded script, which
# says how many processes it starts, and stops the daemon while it does. The long form has ten
# storms beside stress-ng, and the daemon is stopped for ten seconds.

. "$LTTNGMAP_SRC/tests/utils/tap.sh"
. "$LTTNGMAP_SRC/tests/utils/sessiond.sh"
. "$LTTNGMAP_SRC/tests/utils/short.sh"

need_plain

# What waits for as long as it takes would hide what is tested here.
unset LTTNGMAP_ALLOW_BLOCKING
lttngmap=$LTTNGMAP_BUILD/lttngmap
mkdir -m 700 "$TAP_DIR/run-here"
export XDG_RUNTIME_DIR=$TAP_DIR/run-here
cd "$TAP_DIR" || exit 1

traced() { sed -n 's/^lttngmap: \([0-9]*\) process\(es\)* traced,.*/\1/p' err; }
left_out() { sed -En 's/^lttngmap: (nothing traced: )?([0-9]+ process.* not traced.*)/\2/p' err; }
left_out_in_all() {
	local sum

	sum=$(left_out)
	echo $((10#0${sum%% *}))
}

# recorded SCRIPT OPTION...: by `sh`, whose first process it is.
recorded() {
	local script=$1

	shift
	rm -rf trace
	timeout 120 "$lttngmap" record -o trace --preload libc "$@" -- sh "$script" >stdout 2>err </dev/null
}

# The daemon is the child of its supervisor, which is a child of record, as the script is.
cat >find.sh <<'END'
keeper=$(pgrep -P $PPID -f lttngmap-sessiond)
daemon=$(pgrep -P $keeper -f lttngmap-sessiond)
END
# shellcheck disable=SC2016 # the script's own
stop='kill -STOP $daemon; echo $daemon >stopped'
go_on() { # SECONDS after it was stopped
	wait_for test -s stopped
	sleep "$1" # the daemon stands still for so long
	kill -CONT "$(<stopped)"
}

# 40 at once, while the daemon does nothing for half a second: five times what they waited once.
{
	cat find.sh
	echo "$stop"
	echo 'i=0; while [ $i -lt 40 ]; do ls / >/dev/null & i=$((i + 1)); done; wait'
} >busy.sh
go_on 0.5 &
recorded busy.sh
wait $!
# The script, two pgrep, 40 ls.
is "$(traced)" 43 'a daemon that is busy for half a second: all of 40 programs are traced' ||
	diag "$(<err)"
is "$(left_out)" '' '  ... and nobody is named'

# The daemon is stopped for as long as they wait.
{
	cat find.sh
	echo "$stop"
	echo 'i=0; while [ $i -lt 20 ]; do ls / >/dev/null & i=$((i + 1)); done; wait'
	echo 'uname >/dev/null; uname >/dev/null; kill -CONT $daemon; id >/dev/null; id >/dev/null'
} >late.sh
recorded late.sh --register-timeout 100ms
like "$(left_out)" '^2[2-7] processes not traced: ls \(20\), uname \(2\)' \
	'a daemon that is stopped: who gives up is counted, and named'
# Of the fork that the shell makes for it, each program is the same process. On a busy machine one of the
# others may give up, too.
is $(($(traced) + $(left_out_in_all))) 27 '  ... each process once: the script, two pgrep, two id' || diag "$(<err)"
like "$("$lttngmap" view trace 2>&1 >/dev/null)" 'processes not traced: ls \(20\), uname \(2\)' \
	'  ... by view'
like "$("$lttngmap" report --output page.html trace 2>&1)" \
	'processes not traced: ls \(20\), uname \(2\)' '  ... by report'
ok '  ... and babeltrace2 reads it' babeltrace2 trace

# ---- storms -----------------------------------------------------------------------

# in_sum NAME: of how many such processes the summary says that they are not traced.
in_sum() {
	local count

	count=$(left_out | sed -En "s/.*[ ,]$1 \\(([0-9]+)\\).*/\\1/p")
	echo "${count:-0}"
}
# Processes of that name that have an event in the trace.
in_trace() {
	"$lttngmap" view trace --process "$1" 2>/dev/null | awk '{ print $4 }' | sort -u | wc -l
}

if is_full; then
	stress-ng --quiet --cpu 4 --timeout 1h &
	cleanup kill $!
fi
echo 'i=0; while [ $i -lt 400 ]; do ls / >/dev/null & i=$((i + 1)); done; wait' >storm.sh
for ((run = 1; run <= $(short_or 1 10); run++)); do
	recorded storm.sh
	is "$(traced) $(left_out)" '401 ' "400 programs at once, run $run: all are traced" || diag "$(<err)"
done

# Its daemon is stopped in the middle, for longer than programs wait.
programs=$(short_or 100 400)
{
	cat find.sh
	echo "i=0; while [ \$i -lt $programs ]; do"
	echo "	[ \$i != $((programs / 2)) ] || { $stop; }"
	echo '	ls / >/dev/null & i=$((i + 1))'
	echo 'done; wait'
} >stopped.sh
recorded_stopped() { # SCRIPT
	rm -f stopped
	go_on "$(short_or 1 10)" &
	recorded "$1" --register-timeout "$(short_or 500ms 5s)"
	wait $!
}
recorded_stopped stopped.sh
# The script, two pgrep, and each ls.
is $(($(traced) + $(left_out_in_all))) $((programs + 3)) \
	"a daemon stopped in the middle of it: $(traced) traced and $(left_out)" || diag "$(<err)"
ok '  ... there are some who did not wait so long' test "$(in_sum ls)" -gt 0
# With sanitizers the daemon may still be late for a process of the script's own.
others=$(($(left_out_in_all) - $(in_sum ls)))
ok "  ... and all of them are ls, but $others" test "$others" -le "$((${LTTNGMAP_SANITIZED:+1} + 0))"

# A build: a compiler for each file, in three processes.
files=30
for ((i = 1; i <= files; i++)); do
	echo "int f$i(void) { return $i; }" >"f$i.c"
done
# Where one stops the daemon, it needs a shell to do so.
{
	printf 'all:'
	printf ' f%s.o' $(seq $files)
	printf '\n%%.o: %%.c\n\tcc -c -o $@ $<\n'
	printf 'ifdef daemon\nf15.o: f15.c\n\t%s; cc -c -o $@ $<\nendif\n' "${stop//\$daemon/\$(daemon)}"
} >Makefile
echo 'exec make -j20' >make.sh
export CCACHE_DISABLE=1
recorded make.sh
objects() {
	find . -name 'f*.o' | wc -l
}
is "$(objects) $(traced) $(in_trace cc1) $(left_out)" "$files $((3 * files + 1)) $files " \
	"make -j20 of $files files: each compiler is traced" || diag "$(<err)"
rm -f f*.o
{
	cat find.sh
	echo 'exec make -j20 daemon=$daemon'
} >make.sh
recorded_stopped make.sh
# Two pgrep and a shell more.
is "$(objects) $(($(traced) + $(left_out_in_all)))" "$files $((3 * files + 4))" \
	"  ... with the daemon stopped: $(traced) traced and $(left_out)" || diag "$(<err)"
is $(($(in_trace cc1) + $(in_sum cc1))) $files "  ... cc1: $(in_trace cc1) traced, $(in_sum cc1) named"

# Traced, then an ls that nobody answers, then gone: all before the daemon looks.
{
	cat find.sh
	echo "export daemon; sh -c '$stop; export LTTNGMAP_REGISTER_TIMEOUT=100; exec ls / >/dev/null'; echo >ended"
} >gone.sh
gone() {
	wait_for test -e ended
	kill -CONT "$(<stopped)"
}
rm -f stopped
gone &
recorded gone.sh --register-timeout 60s
wait $!
is "$(traced) $(left_out)" '3 1 process not traced: ls (1)' \
	'who was traced, and ends as another program that was not, is one of these' || diag "$(<err)"

# Its libraries are taken from a program that is executed by one that was traced.
echo 'true $(echo 1); exec env -u LD_PRELOAD sleep 0.3' >other.sh
recorded other.sh
is "$(left_out)" '1 process not traced: sleep (1)' 'a program that loads no library is named'
like "$(<err)" "started without LD_PRELOAD, or see none of lttngmap's libraries" '  ... with what may be the cause'

# Few descriptors: those that are refused come again while there is time.
echo 'i=0; while [ $i -lt 16 ]; do sleep 0.1 & i=$((i + 1)); done; wait' >many.sh
(ulimit -n 90 && recorded many.sh --register-timeout 20s)
is "$(traced) $(left_out)" '17 ' 'for want of descriptors: all are traced in the end' ||
	diag "$(grep -v 'is not served' err)"
(ulimit -n 40 && recorded many.sh --register-timeout 50ms)
sum=$(left_out)
is $(($(traced) + 10#0${sum%% *})) 17 '  ... or without that time, traced and not traced make all'
like "$sum" '[0-9]+ processes not traced: (sleep|sh) \(' "  ... ($(traced) and $sum)"

# A program that may have few descriptors keeps none of the library's, which yet registers each family.
events_of_families() { # LIMIT
	local families

	rm -rf few
	"$lttngmap" record -o few --preload libc,dl,pthread,io,proc -- \
		sh -c "ulimit -n $1; exec python3 -S -E -c 'import threading; threading.Thread().start()'" >/dev/null 2>&1
	families=$("$lttngmap" view few 2>/dev/null | grep -oE ' (lttng_ust|lttngmap)_[a-z]+:' | sort -u | tr -d ' \n')
	echo "$families"
}
many=$(events_of_families 200)
like "$many" 'libc:.*pthread:.*_io:.*_proc:' 'families with many descriptors'
is "$(events_of_families 30)" "$many" '  ... the same with few'

# In a session of a daemon's own nobody waits so long.
sessiond_start
cleanup sessiond_stop
do_all "create s --runtime-dir $SESSIOND_DIR -o $TAP_DIR/s" \
	"enable --runtime-dir $SESSIOND_DIR lttng_ust_libc:*" "start --runtime-dir $SESSIOND_DIR"
daemon=$(pgrep -P "$sessiond_pid" -f lttngmap-sessiond)
kill -STOP "$daemon"
for _ in 1 2 3; do
	LTTNGMAP_RUNTIME_DIR=$SESSIOND_DIR LD_PRELOAD=$LTTNGMAP_PLAIN/.libs/liblttngmap-libc.so uname >/dev/null
done
kill -CONT "$daemon"
named() {
	"$lttngmap" "$@" --runtime-dir "$SESSIOND_DIR" 2>&1 | grep -q '3 processes not traced: uname (3)'
}
ok 'status names them' wait_for named status
ok '  ... and top' named top --once
like "$("$lttngmap" status --json --runtime-dir "$SESSIOND_DIR")" \
	'"not_traced": 3,.*"untraced": \[ \{ "name": "uname", "count": 3, "why": "late", "uid": 0 \} \]' '  ... and JSON'
kill -KILL "$daemon"
ok '  ... and the next life of the daemon' wait_for named status
ok '  ... and stop' named stop

done_testing
