#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# LTTng's commands, typed as its manual has them (tests/lttng/typed.txt): each succeeds by lttngmap's `lttng`, and the traces
# have the events that LTTng itself records by them. Where LTTng is installed, it is asked again.

. "$LTTNGMAP_SRC/tests/utils/tap.sh"
. "$LTTNGMAP_SRC/tests/utils/sessiond.sh"
need_plain

sources=$LTTNGMAP_SRC/tests/lttng
mkdir "$TAP_DIR/bin" "$TAP_DIR/typed"
ln -s "$LTTNGMAP_SRC/cli/lttng" "$TAP_DIR/bin/lttng"
ln -s "$LTTNGMAP_SRC/cli/lttng" "$TAP_DIR/bin/lttng-sessiond"
ln -s "$LTTNGMAP_PLAIN/tests/lttng/hello" "$TAP_DIR/bin/hello"
export LTTNGMAP_RUNTIME_DIR=$SESSIOND_DIR LTTNGMAP_COMMAND=$LTTNGMAP_BUILD/lttngmap
path=$PATH
export PATH=$TAP_DIR/bin:$PATH LTTNG_HOME=$TAP_DIR/home

sessiond_start
ok 'there are 40 commands, and more' [ "$(grep -c '^lttng' "$sources/typed.txt")" -ge 40 ]
"$BASH" "$sources/typed.sh" "$TAP_DIR/typed" >"$TAP_DIR/ours" 2>"$TAP_DIR/said"
ok 'typed, they all succeed, and record the events that LTTng records' diff "$sources/typed.expected" "$TAP_DIR/ours" ||
	diag "$(<"$TAP_DIR/said")"

# refused REGEX ARGUMENT...
refused() {
	local regex=$1 output status=0

	shift
	output=$(lttng "$@" 2>&1) || status=$?
	is "$status" 2 "lttng $*: status 2"
	like "$output" "$regex" '  ... and a word on what does it here'
}
refused 'status --json' add-trigger --name x
refused '--json' -m xml list
refused "^lttng: unknown command 'frob'.lttng:   .lttng help. lists them" frob
refused "^lttng: unknown command 'craete'.lttng:   did you mean 'lttng create'" craete
refused '--json' --mi xml list
# At most one message, which says what it is.
for typed in 'enable-event -u a:b' 'enable-channel -u c' 'add-context -u -t vpid' view 'disable-channel -u c'; do
	# shellcheck disable=SC2086 # words
	said=$(lttng $typed 2>&1)
	is "$? $said" "1 lttng: ${typed%% *}: there is no session
lttng:   \`lttng create\` makes one" "without a session: lttng $typed"
done
is "$(lttng list -u)" None 'no program runs: none is said'
like "$(lttng --version)" '^lttng: .*lttngmap .*[0-9]+\.[0-9]+' 'its version'
like "$(lttng help)" '^Usage: lttng \[OPTIONS\] COMMAND.*enable-event ' 'its help names its commands'
is "$(lttng help | awk 'length > 80')" '' '  ... in 80 columns'
like "$(lttng create live --live 2>&1; lttng list live 2>/dev/null)" 'net://127\.0\.0\.1' '--live alone sends to this machine'
! lttng list live >/dev/null 2>&1 || lttng destroy live >/dev/null
lttng create more >/dev/null
like "$(lttng list)" "more \(.*: $TAP_DIR/home/lttng-traces/more-[0-9]{8}-[0-9]{6}$" 'a trace lies in lttng-traces'
refused 'enable --python' add-context -j -t x
refused '--kprobe' enable-event -k --probe=x y
refused 'lttngmap track' untrack -u --vpid --all
refused 'snapshot record' snapshot add-output file:///tmp/x
refused 'which event' enable-event -u
refused 'set-url|-U net' create --ctrl-url=tcp://a --data-url=tcp://b
lttng enable-event -u 'a:x,a:y' >/dev/null
like "$(lttng list more)" 'channel channel0:.*rule 1: a:x.*rule 2: a:y' 'names with commas between are several, of channel0'
is "$(lttng disable-channel -u channel0 2>&1)" 'disabled channel channel0 of session more' 'a channel is disabled'
like "$(lttng list more)" 'channel channel0 \(disabled\): .*rule 1: a:x' '  ... with its rules in it'
lttng disable-channel -u channel0 >/dev/null 2>&1
is $? 1 '  ... once'
is "$(lttng enable-channel -u channel0 2>&1)" 'enabled channel channel0 of session more' '  ... and enabled again'
lttng disable-event -u a:y >/dev/null
like "$(lttng list more)" 'rule 2 \(disabled\): a:y' '  ... which one alone is taken away of'
lttng enable-channel -u slow --blocking-timeout=5000 --buffers-pid >/dev/null
like "$(lttng list more)" 'channel slow: blocking for 5 ms' 'a number is of microseconds'
lttng add-context -u -t vpid,vtid >/dev/null
is "$(lttng list more | grep -c 'contexts: vpid vtid')" 2 'contexts are for all channels'
lttng save >/dev/null
ok 'sessions are saved in .lttng' test -s "$TAP_DIR/home/.lttng/sessions/more.lttng"
lttng destroy >/dev/null
lttng create kept --snapshot >/dev/null
like "$(lttng snapshot record -n first 2>&1)" 'kept' "a snapshot's name is no URL"
lttng destroy >/dev/null
ok '  ... and loaded' lttng load more
like "$(lttng status)" 'session more: stopped' '  ... the one that is named'
ok '  ... and again, by force' lttng load --force more
lttng -q destroy --all
is "$(lttng list)" 'no session' 'all are destroyed'
sessiond_stop
printf '#!/bin/sh\necho $$ >>%s\nexec %s --runtime-dir=%s --no-supervise --forget\n' "$TAP_DIR/pids" \
	"$LTTNGMAP_BUILD/lttngmap-sessiond" "$SESSIOND_DIR" >"$TAP_DIR/daemon"
chmod +x "$TAP_DIR/daemon"
export LTTNGMAP_SESSIOND=$TAP_DIR/daemon
end_daemons() {
	local pid

	while read -r pid; do kill "$pid" && tail --pid="$pid" -f /dev/null; done <"$TAP_DIR/pids"
}
cleanup end_daemons
ok 'lttng-sessiond starts a daemon' lttng-sessiond --daemonize
is "$(lttng list)" 'no session' '  ... which is there'
ok '  ... and once more' lttng-sessiond -d
is "$(wc -l <"$TAP_DIR/pids")" 1 '  ... no second one'

# ---- beside LTTng ---------------------------------------------------------------------

mkdir "$TAP_DIR/peer"
PATH=$path "$BASH" "$sources/peer.sh" "$sources" typed "$TAP_DIR/peer" >"$TAP_DIR/theirs" 2>"$TAP_DIR/peer.err"
case $? in
77) skip 1 'LTTng is not installed: typed.expected is what version 2.13.9 made of it' ;;
0) ok 'LTTng records these events, and no command fails' diff "$sources/typed.expected" "$TAP_DIR/theirs" ;;
*)
	fail 'typed.txt under LTTng'
	diag "$(tail -5 "$TAP_DIR/peer.err")"
	;;
esac
done_testing
