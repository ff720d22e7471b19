#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# lttngmap.ko with its daemons: what programs emit is in the trace, and nothing of it stays in the kernel.
# For a virtual machine (module-tests-inside.sh), as root.
. "$LTTNGMAP_SRC/tests/utils/tap.sh"
. "$LTTNGMAP_SRC/tests/utils/sessiond.sh"

export LTTNGMAP_RUNTIME_DIR=$SESSIOND_DIR
folder=/sys/kernel/debug/lttngmap
lttngmap=$LTTNGMAP_BUILD/lttngmap
hello=$LTTNGMAP_BUILD/doc/examples/hello

count_of() { # TRACE
	"$lttngmap" view "$1" 2>/dev/null | grep -c 'hello:greet number='
}

# ---- by record's own daemon
ok 'hello is recorded' "$lttngmap" record -o "$TAP_DIR/trace" -e 'hello:*' -- "$hello" 1000
is "$(count_of "$TAP_DIR/trace")" 1000 'each of its events is in the trace'
is "$(ls "$folder")" '' 'no ring stays in the kernel'

# ---- by a service, for which nobody chose a mediator
unset LTTNGMAP_MEDIATOR
sessiond_start
do_all "create first -o $TAP_DIR/first" "enable hello:*" start
ok 'the channel has its folder before any ring' test -d "$folder/first/events"
is "$(ls "$SESSIOND_DIR/rings/first")" events 'which the runtime directory shows'
"$hello" 1000 >/dev/null
killed=$(pgrep -P "$sessiond_pid" -f "lttngmap-sessiond --runtime-dir=$SESSIOND_DIR")
kill -KILL "$killed"
wait_for are_gone "$killed"
wait_for control
"$hello" 1000 >/dev/null
do_all stop
is "$(count_of "$TAP_DIR/first")" 2000 'and its events are recorded, after a restart of the daemon, too'
do_all destroy
is "$(ls "$folder")" '' 'its folder goes with the session'

# ---- supervisor, daemon and consumer are killed; a program runs on, and ends
do_all "create second -o $TAP_DIR/second" "enable paced:*" start
mkfifo "$TAP_DIR/input"
"$LTTNGMAP_BUILD/tests/utils/paced" 2000 "$TAP_DIR/paced" <"$TAP_DIR/input" &
paced=$!
exec 5>"$TAP_DIR/input"
emitted() {
	tail -n 1 "$TAP_DIR/paced" 2>/dev/null | cut -d ' ' -f 2
}
more_than() { # EVENTS
	[[ $(emitted) -gt $1 ]]
}
wait_for more_than 2000
consumer=$(sessiond_consumer)
sessiond_stop KILL
# shellcheck disable=SC2086 # Maybe several.
kill -KILL $consumer 2>/dev/null
wait_for are_gone $consumer
at_kill=$(emitted)
wait_for more_than $((at_kill + 2000))
exec 5>&-
wait "$paced"
ok 'the module keeps the rings of a program that ended without a daemon' test -n "$(ls "$folder/second/events")"
ok 'they are recovered' "$lttngmap" recover "$SESSIOND_DIR"
is "$("$lttngmap" view "$TAP_DIR/second" 2>/dev/null | grep -c 'paced:event number=')" "$(emitted)" \
	"each event is in the trace, $(($(emitted) - at_kill)) of them emitted without a daemon"
is "$(ls "$folder")" '' 'and the module keeps nothing'

# ---- a kernel that is locked down shows nobody these files
sessiond_start --mediator=ring-fs
killed=$(pgrep -P "$sessiond_pid" -f "lttngmap-sessiond --runtime-dir=$SESSIOND_DIR")
kill -KILL "$killed"
wait_for are_gone "$killed"
wait_for control
do_all "create third -o $TAP_DIR/third" "enable hello:*" start
is "$(ls "$folder")" '' 'a daemon that is told so does without the module, after a restart, too'
do_all destroy
sessiond_stop
mount -t securityfs securityfs /sys/kernel/security 2>/dev/null
echo integrity >/sys/kernel/security/lockdown
: >"$TAP_DIR/log"
sessiond_start
do_all "create third -o $TAP_DIR/fourth" "enable hello:*" start
"$hello" 1000 >/dev/null
do_all stop
is "$(ls "$folder") $(count_of "$TAP_DIR/fourth")" ' 1000' 'and where the kernel is locked down'
ok 'which it says' grep -q 'not used: the kernel is locked down' "$TAP_DIR/log"
do_all destroy
sessiond_stop
ok 'no mount stays' test -z "$(grep " $SESSIOND_DIR/rings " /proc/mounts)"
ok 'the module can be unloaded' rmmod lttngmap
! "$lttngmap" record --mediator ring-kernel -o "$TAP_DIR/none" -e 'hello:*' -- "$hello" 1 2>"$TAP_DIR/err" &&
	grep -q 'there is no /dev/lttngmap' "$TAP_DIR/err"
is $? 0 'and without it the daemon says what is missing' || diag "$(cat "$TAP_DIR/err")"
done_testing
