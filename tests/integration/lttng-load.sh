#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# load of session files that LTTng's own `lttng save` has written, and of hostile ones.

. "$LTTNGMAP_SRC/tests/utils/tap.sh"
. "$LTTNGMAP_SRC/tests/utils/sessiond.sh"

export LTTNGMAP_RUNTIME_DIR=$SESSIOND_DIR
mkdir "$TAP_DIR/here"
cd "$TAP_DIR/here" || exit 1
map() {
	map_out=$("$LTTNGMAP_BUILD/lttngmap" "$@" 2>"$TAP_DIR/stderr" </dev/null)
	map_status=$?
	map_err=$(<"$TAP_DIR/stderr")
}
good() { # NAME REGEX ARGUMENT...
	map "${@:3}"
	is "$map_status" 0 "$1" || diag "$map_err"
	like "$map_out" "$2" "  ... which it says"
}
bad() { # NAME STATUS REGEX ARGUMENT...
	map "${@:4}"
	is "$map_status" "$2" "$1 is refused"
	like "$map_err" "$3" '  ... and why'
}

# ---- what LTTng saves ----------------------------------------------------------------
((EUID == 0)) || skip_all "LTTng's daemon keeps another user's files elsewhere"
saved=/root/.lttng/sessions
theirs=xml-$$
real_lttng() { timeout 20 /usr/bin/lttng "$@" >>lttng.log 2>&1 </dev/null || diag "lttng $*: $(tail -n 1 lttng.log)"; }
clean_up() {
	[[ -z ${sessiond:-} ]] || { kill "$sessiond" && wait "$sessiond"; }
	rm -f "$saved/$theirs.lttng" "$saved/$theirs-snap.lttng"
	rmdir "$saved" /root/.lttng 2>/dev/null
}
cleanup clean_up
if ! [[ -S /run/lttng/client-lttng-sessiond ]] || ! timeout 5 /usr/bin/lttng list >/dev/null 2>&1 </dev/null; then
	/usr/bin/lttng-sessiond --no-kernel >/dev/null 2>&1 </dev/null &
	sessiond=$!
	for ((i = 0; i < 200; i++)); do
		timeout 5 /usr/bin/lttng list >/dev/null 2>&1 </dev/null && break
		sleep 0.05
	done
fi
u() { real_lttng "$@" -s "$theirs"; }
real_lttng create "$theirs" -o "$PWD/theirs"
u enable-channel -u big --subbuf-size 1M --num-subbuf 8 --tracefile-size 2M --tracefile-count 3
u enable-channel -u ring --overwrite --subbuf-size 64K --num-subbuf 4 --switch-timer 200000
u enable-channel -u waits --blocking-timeout inf
u enable-event -u 'shop:*' -c big --filter 'number > 2 && name == "a<b"' --exclude 'shop:x*,shop:y'
u enable-event -u 'a:b' -c big --loglevel WARNING
u enable-event -u 'a:c' -c big --loglevel-only INFO
u enable-event -u -a -c ring
u disable-event -u a:b -c big
u add-context -u -c big -t vpid -t procname -t ip
u add-context -u -c big -t perf:thread:cycles
# shellcheck disable=SC2016 # no variable
u add-context -u -c big -t '$app.prov:typ'
u track -u --vuid 1000,root
u track -u --vpid 44
u enable-rotation --timer 5s --size 10M
u enable-event -p py
u disable-channel -u ring
real_lttng save "$theirs"
real_lttng create "$theirs-snap" --snapshot -o "$PWD/snap"
real_lttng enable-event -u -a -s "$theirs-snap"
real_lttng start "$theirs-snap"
real_lttng save "$theirs-snap"
real_lttng destroy "$theirs"
real_lttng destroy "$theirs-snap"
mv "$saved/$theirs.lttng" "$saved/$theirs-snap.lttng" .

sessiond_start

# ---- loaded ---------------------------------------------------------------------------
good 'load' "^loaded 1 session from $theirs.lttng$" load "$theirs.lttng"
is "$(sort <<<"$map_err" | sed "s/$theirs/S/")" "$(printf 'lttngmap: load: session S: %s\n' \
	'context perf_thread_cycles is left out: there is none such here' \
	'context prov:typ is left out: there is none such here' \
	'the events of domain PYTHON are left out')" 'what has no counterpart is named'
map list --json
session() { jq -r ".sessions[] | select(.session == \"$1\") | $2" <<<"$map_out"; }
channel() { session "$theirs" ".channels[] | select(.channel == \"$1\") | $2"; }
is "$(session "$theirs" '[.output, .active, .snapshot, .rotation.period_ms, .rotation.size] | @csv')" \
	"\"$PWD/theirs\",false,false,5000,10485760" 'the session'
is "$(session "$theirs" '[.trackers[] | "\(.kind) \(.value)"] | sort | @csv')" '"pid 44","uid 0","uid 1000"' '  ... what it tracks'
is "$(channel big '[.subbuf_size, .subbufs, .mode, .file_size, .file_count, .buffers, .disabled] | @csv')" \
	'1048576,8,"discard",2097152,3,"user",' 'a channel'
is "$(channel big '[.contexts[]] | sort | @csv')" "$(channel waits '[.contexts[]] + ["procname", "ip"] | sort | @csv')" '  ... its contexts'
is "$(channel big '[.rules[] | "\(.rule) \(.enabled) \(.loglevel) \(.loglevel_only) \(.filter) \(.exclude)"] | sort | join("\n")')" \
	"$(printf '%s\n' 'a:b false 4 false null null' 'a:c true 6 true null null' \
		'shop:* true null null number > 2 && name == "a<b" shop:x*,shop:y' | sort)" '  ... its rules'
is "$(channel ring '[.mode, .flush_ms, .disabled, .rules[0].rule] | @csv')" '"overwrite",200,true,"*"' 'one that overwrites, with a timer, disabled'
is "$(channel waits '[.mode, .blocking_timeout_ms] | @csv')" '"blocking",0' 'one that waits without a limit'
good 'a flight recorder' '^loaded 1 session' load "$theirs-snap.lttng"
map list --json
is "$(session "$theirs-snap" '[.snapshot, .active, .channels[0].mode] | @csv')" 'true,true,"overwrite"' '  ... which records'

# ---- refused --------------------------------------------------------------------------
refused() { # NAME MESSAGE, the file on standard input
	cat >bad.lttng
	bad "$1" 1 "bad.lttng: $2" load bad.lttng
}
map list
before=$map_out
echo secret >secret
refused 'an external entity' 'line [0-9]*: it has a document type declaration' <<EOF
<?xml version="1.0"?><!DOCTYPE sessions [<!ENTITY x SYSTEM "file://$PWD/secret">]>
<sessions><session><name>&x;</name></session></sessions>
EOF
refused 'entities in entities' 'line [0-9]*: it has a document type declaration' <<EOF
<!DOCTYPE s [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]><sessions><session><name>&b;</name></session></sessions>
EOF
refused 'elements in elements' 'line 1: its elements are nested too deep' < <(
	printf '<sessions>'
	for ((i = 0; i < 10000; i++)); do printf '<session>'; done
)
refused 'many elements' 'line 1: it has too many elements' < <(
	printf '<sessions>'
	for ((i = 0; i < 100001; i++)); do printf '<a/>'; done
	printf '</sessions>'
)
refused 'a long text' 'line 1: it has too long a text' < <(
	printf '<sessions><session><name>'
	head -c 70000 /dev/zero | tr '\0' a
	printf '</name></session></sessions>'
)
refused 'another file' 'it is no file of `lttng save`' <<<'<html/>'
refused 'one that ends too early' 'line [0-9]*: no element found' <<<'<sessions><session>'
refused 'a name that is none' "sessions\[0\].session: 'a/b': it is no name" < <(sed "s,<name>$theirs<,<name>a/b<," "$theirs.lttng")
refused 'a relay daemon' 'session x: it has no path' <<<'<sessions><session><name>x</name><output><net_output/></output></session></sessions>'
map list
is "$map_out" "$before" 'nothing was made of these'
map destroy --all

done_testing
