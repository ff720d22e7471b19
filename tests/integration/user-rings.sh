#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# Rings that a user's processes share: a storm of processes leaves a stream for each
# CPU; in the odd lives of processes each event is there once, or was counted; and
# with a session's verbs processes come and go, are tracked, and the daemon is killed.
#
#   LTTNGMAP_SOAK_SECONDS   a storm of 10000 processes rather than of 200, more lives
. "$LTTNGMAP_SRC/tests/utils/tap.sh"
. "$LTTNGMAP_SRC/tests/utils/numbered.sh"
. "$LTTNGMAP_SRC/tests/utils/sessiond.sh"
no_leak_check
export LTTNGMAP_TEST_BUFFERS=user

utils=$LTTNGMAP_BUILD/tests/utils
cd "$TAP_DIR" || exit 1
ulimit -c 0
ulimit -Sn 1024

# ---- a storm -------------------------------------------------------------------

count=200
[[ -z ${LTTNGMAP_SOAK_SECONDS:-} ]] || count=10000
each=20
numbered_record_traced --mode blocking -- \
	"$utils/storm" "$count" 4 "$utils/emit" "$NUMBERED_COUNTS" 1 "$each"
is "$numbered_status" 0 'storm: it ends well' || diag "$(cat "$TAP_DIR/err")"
is "$numbered_lost" 0 'storm: nothing was lost'
streams=$(find "$numbered_trace/ust" -maxdepth 1 -type f ! -name metadata | wc -l)
# One for each CPU, and two rings beside these.
ok "storm: $streams streams are not more than rings" test "$streams" -ge 1 \
	-a "$streams" -le $(($(nproc --all) + 2))
babeltrace2 "$numbered_trace" >events.txt 2>said.txt
is "$(cat said.txt)" '' 'storm: babeltrace2 has nothing to say'
# Events tell their process; one that waited 100 ms for its registration in vain has none.
grep -o 'vpid = [0-9]*' events.txt | sort | uniq -c >each.txt
traced=$(wc -l <each.txt)
is "$(awk '{print $1}' each.txt | sort -u)" "$each" 'storm: all events of each process are there'
is "$numbered_kept" "$((traced * each))" 'storm: and no others'
ok 'storm: nearly all of its processes are traced' test "$traced" -ge $((count * 9 / 10))
diag "$traced processes, $numbered_kept events, $streams streams"

# ---- lives ---------------------------------------------------------------------

# lived STATUS SCENARIO OPTIONS...
lived() {
	local expected=$1 name=$2

	shift 2
	# shellcheck disable=SC2086
	numbered_record_traced "$@" -- "$utils/processes" $name
	name="$name, $*"
	if [[ $numbered_status == 77 ]]; then
		skip 2 "$name: $(cat "$TAP_DIR/err" "$TAP_DIR/out" | head -n 1)"
		return
	fi
	is "$numbered_status" "$expected" "$name: it ends as it should" ||
		diag "$(cat "$TAP_DIR/err")"
	if [[ $* == *blocking* ]]; then
		numbered_is_whole "$name: all events are there"
	else
		numbered_is_counted "$name: what is not there is counted"
	fi
}

whole=(fork-threads raw-clone clone-vfork chain vfork-threads exec-thread handler killed)
counted=(fork-threads vfork-threads closefrom killed)
[[ -z ${LTTNGMAP_SOAK_SECONDS:-} ]] ||
	whole+=(child fork unregistered clone-vfork clone double-fork daemon vfork spawn exec-self
		exec-fails closefrom dup-over nested exit-in-handler first-events)
for name in "${whole[@]}"; do
	lived 0 "$name" --mode blocking --subbuf-size 64K --subbufs 4
done
for name in "${counted[@]}"; do
	lived 0 "$name" --mode discard --subbuf-size 4K --subbufs 2
done
lived 0 killed --mode overwrite --subbuf-size 4K --subbufs 2
for name in fork-threads killed; do
	GLIBC_TUNABLES=glibc.pthread.rseq=0 lived 0 "$name" --mode blocking
done
# Children go on in the middle of their parent's event: they emit it, too, and may lose that.
numbered_record_traced --mode blocking --subbuf-size 64K --subbufs 4 -- \
	"$utils/processes" fork-in-handler
numbered_check
is "$numbered_sound:$numbered_missing:$((numbered_events - numbered_repeated))" \
	"0:0:$numbered_done" 'fork-in-handler: each event is there' || numbered_tell

# ---- a session's verbs -----------------------------------------------------------

export LTTNGMAP_RUNTIME_DIR=$SESSIOND_DIR
lttngmap=$LTTNGMAP_BUILD/lttngmap
writers=()
cleanup eval 'kill -9 "${writers[@]}" 2>/dev/null'

good() { # NAME ARGUMENT...
	local name=$1

	shift
	output=$("$lttngmap" "$@" 2>&1 </dev/null)
	is "$?" 0 "$name" || diag "$output $(tail -n 5 "$TAP_DIR/log")"
}
bad() { # NAME REGEX ARGUMENT...
	local name=$1 regex=$2

	shift 2
	output=$("$lttngmap" "$@" 2>&1 </dev/null)
	is "$?" 1 "$name: status"
	like "$output" "$regex" "$name: said"
}
# One that emits a few events each millisecond until it is killed.
writer() {
	"$utils/emit" "$NUMBERED_COUNTS" 1 100000000 "$TAP_DIR/never" &
	writers+=($!)
}
processes_traced() {
	"$lttngmap" list --processes --json | grep -o '"traced_since_ms"' | wc -l
}
are_traced() { [[ $(processes_traced) == "$1" ]]; }
written() { # SESSION
	control '{"verb": "status", "session": "'"$1"'"}' | sed -nE 's/.*"written": ?([0-9]+).*/\1/p'
}
has_written() { [[ $(written "$1") -gt $2 ]]; }
pids_in() { # DIRECTORY: of whom there are events
	babeltrace2 "$1" 2>/dev/null | grep -o 'vpid = [0-9]*' | sort -u | grep -o '[0-9]*' | tr '\n' ' '
}
newest_in() { # DIRECTORY: the trace in it that was written last
	find "$1" -name metadata -printf '%T@ %h\n' | sort -n | tail -n 1 | cut -d' ' -f2-
}
sorted() { printf '%s\n' "$@" | sort | tr '\n' ' '; }

unset LTTNGMAP_TEST_BUFFERS
: >"$NUMBERED_COUNTS"
sessiond_start
writer
writer
ok 'two programs are there' wait_for are_traced 2
good 'a session' create s -o "$TAP_DIR/s"
good 'a channel whose buffers are shared' channel c -s s --buffers user --subbuf-size 4K
bad 'its events tell their process' 'nothing else tells whose' context --remove -s s -c c vpid
like "$("$lttngmap" list s)" 'buffers that a user.s processes share' 'list shows it'
like "$("$lttngmap" list --json)" '"buffers": *"user", .*"contexts": *\[ *"vpid", *"vtid" *\]' \
	'… and its contexts'
good 'its rules' enable 'numbered:*' -s s -c c
good 'it starts under the programs' start s
ok 'they write' wait_for has_written s 1000
is "$(processes_traced)" 2 'what stands for them is no process'

# The supervisor starts another one.
pkill -KILL -P "$sessiond_pid" -f "lttngmap-sessiond --runtime-dir=$SESSIOND_DIR"
ok 'the daemon is killed, and there again' wait_for control
before=$(written s)
ok 'they write on' wait_for has_written s $((before + 1000))
good 'a rotation' rotate s
good 'one of them alone' track --pid "${writers[0]}" -s s
good 'it stops' stop s
is "$(pids_in "$TAP_DIR/s")" "$(sorted "${writers[@]}")" 'both are in the trace'

good 'a clear' clear s
good 'it starts again' start s
ok 'the one writes' wait_for has_written s 1000
kill -KILL "${writers[0]}"
wait "${writers[0]}" 2>/dev/null
good 'it stops again' stop s
is "$(pids_in "$(newest_in "$TAP_DIR/s")")" "${writers[0]} " 'and is the only one there'
good 'it ends' destroy s

# Another channel, with rings of each process, in what may be the same place.
good 'a flight recorder' create f --snapshot -o "$TAP_DIR/f"
# Places of channels rest for a second when the daemon was started again.
ok 'its channel' wait_for "$lttngmap" channel c -s f --buffers user --subbuf-size 64K
good 'of processes of their own' channel own -s f
good 'the one records' enable 'numbered:*' -s f -c c
good 'the other, too' enable 'numbered:*' -s f -c own
writer
ok 'another program' wait_for are_traced 2
good 'the recorder starts' start f
# They go once around, and hold half a second: on a busy machine one of both rests for a while.
ok 'both write' wait_for has_written f 60000
good 'a snapshot' snapshot f
is "$(pids_in "$(newest_in "$TAP_DIR/f")")" \
	"$(sorted "${writers[1]}" "${writers[2]}")" 'it has events of both'
good 'the recorder ends' destroy f

good 'a session of both ways' create g -o "$TAP_DIR/g"
good 'with a channel for each process' channel c -s g
good 'and rules' enable 'numbered:*' -s g -c c
good 'which starts' start g
ok 'and is written to' wait_for has_written g 1000
good 'stops' stop g
good 'is changed to shared buffers' channel c -s g --change --buffers user
good 'is saved' save g -o "$TAP_DIR/saved"
good 'starts so' start g
before=$(written g)
ok 'is written to so' wait_for has_written g $((before + 1000))
good 'and ends' destroy g
good 'is loaded' load -o "$TAP_DIR/again" "$TAP_DIR/saved"
like "$("$lttngmap" list g)" 'buffers that a user.s processes share' 'as it was'

# ---- more rights than who started it ------------------------------------------------

# It listens to no environment: the daemon is to be where it looks, and to answer within 100 ms. Where
# it did, there is something of it.
secure_runs() {
	unshare -m --propagation private sh -c 'mount -t tmpfs none /run && mkdir /run/lttngmap &&
		mount --bind "$1" /run/lttngmap && exec "$2" "$3" 1 100' - \
		"$SESSIOND_DIR" "$TAP_DIR/secure" "$NUMBERED_COUNTS"
	grep 'secure (pid .* is not traced in channel c: it takes no rings' "$TAP_DIR/log" &&
		[[ -n $(find "$TAP_DIR/h" -name 'own_secure-*') ]]
}
if [[ -n ${LTTNGMAP_SANITIZED:-} ]]; then
	skip 10 'a set-group-ID program takes no options of sanitizers'
elif [[ $EUID == 0 ]] && unshare -m true 2>/dev/null; then
	cp "$utils/emit" secure
	chgrp 1 secure
	chmod g+s secure
	good 'a session of both kinds of channels' create h -o "$TAP_DIR/h"
	good 'one is shared' channel c -s h --buffers user
	good 'one is not' channel own -s h
	good 'with a rule' enable 'numbered:*' -s h -c c
	good 'each' enable 'numbered:*' -s h -c own
	good 'it starts, too' start h
	ok 'a set-group-ID program is not traced in the shared one' wait_for secure_runs ||
		diag "$(tail -n 5 "$TAP_DIR/log")"
	good 'it ends, too' destroy h
	is "$(pids_in "$TAP_DIR/h")" "$(sorted "${writers[1]}" "${writers[2]}")" \
		'where others are alone'
	ok 'but in the other' test -n "$(find "$TAP_DIR/h" -name 'own_secure-*')"
else
	skip 10 'mounting a tmpfs needs root'
fi

kill -9 "${writers[@]}" 2>/dev/null
ok 'all programs end' wait_for are_traced 0
sessiond_stop
is "$sessiond_status" 0 'the daemon ends well'
done_testing
