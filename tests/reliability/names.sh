#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# Row 12: programs and event classes are called by paths, newlines, terminal sequences,
# bytes that are no text, names that are too long: no file is made but those of
# the trace and of the rings, these have harmless names, and the trace has all
# events and is readable.
#
#   LTTNGMAP_SOAK_SECONDS   2000 random names of each kind instead of 100
. "$LTTNGMAP_SRC/tests/utils/tap.sh"
. "$LTTNGMAP_SRC/tests/utils/sessiond.sh"

random=100
[[ -z ${LTTNGMAP_SOAK_SECONDS:-} ]] || random=2000
misnamed=$LTTNGMAP_BUILD/tests/utils/misnamed
trace=$TAP_DIR/trace
mark=esc$((BASHPID % 100000))

# Where a name of 15 bytes could lead from the folders of trace and rings.
places=(/ /tmp /etc /run "$TAP_DIR" "$(dirname "$TAP_DIR")" "$PWD")
escaped() {
	find "${places[@]}" -maxdepth 1 -name "*$mark*" 2>/dev/null
}
files() { # all that is there, but for trace and rings
	find "$TAP_DIR" -path "$trace" -prune -o -path "$SESSIOND_DIR" -prune -o -print | sort
}
# Every one of them that has another character than files of ours have.
odd_names() {
	find "$1" -mindepth 1 -print0 | sed -z 's|.*/||' | grep -zvE '^\.?[A-Za-z0-9_+][A-Za-z0-9._+-]*$' |
		tr '\0' '\n'
}
value() { # NAME FILE
	sed -n "s/^$1 //p" "$2"
}

touch "$TAP_DIR/log" "$TAP_DIR/programs" "$TAP_DIR/classes" "$TAP_DIR/status" "$TAP_DIR/text" \
	"$TAP_DIR/errors" "$TAP_DIR/tree"
before=$(files)
sessiond_start
ok 'a session is started' control '{"verb": "create", "session": "s", "output": "'"$trace"'"}' \
	'{"verb": "channel", "session": "s", "channel": "c", "subbuf_size": 4096, "subbufs": 8,
	  "mode": "discard", "contexts": ["procname"]}' \
	'{"verb": "enable", "session": "s", "channel": "c", "rule": "*"}' \
	'{"verb": "start", "session": "s"}'

run_programs() {
	LTTNGMAP_RUNTIME_DIR=$SESSIOND_DIR "$misnamed" programs "$random" "$mark" >"$TAP_DIR/programs"
}
ok 'programs with bad names run' run_programs
programs=$(value programs "$TAP_DIR/programs")
is "$(value bad "$TAP_DIR/programs")" 0 'unharmed'
find "$SESSIOND_DIR/rings" >"$TAP_DIR/tree"
is "$(odd_names "$SESSIOND_DIR/rings")" '' 'rings have harmless names'

send_classes() {
	"$misnamed" classes "$SESSIOND_DIR/app.sock" "$random" >"$TAP_DIR/classes"
}
ok 'classes with bad names are answered' send_classes ||
	diag "$(<"$TAP_DIR/classes")"
diag "$(tr '\n' ' ' <"$TAP_DIR/classes")"
ok 'some are good enough, many are not' test "$(value accepted "$TAP_DIR/classes")" -gt 5 \
	-a "$(value off "$TAP_DIR/classes")" -gt 50 -a "$(value refused "$TAP_DIR/classes")" -ge 5

ok 'a channel may be added' control '{"verb": "channel", "session": "s", "channel": "good",
	"subbuf_size": 4096, "subbufs": 8, "mode": "discard"}'
# Sessions and channels are named by those who may trace, and are folders.
for bad in .. ../x /x a/b .x 'a\nb' 'a\u0000b' '' "$(printf 'l%.0s' {1..4096})"; do
	fails=0
	control '{"verb": "create", "session": "'"$bad"'", "output": "'"$trace"'2"}' >/dev/null && fails=1
	control '{"verb": "channel", "session": "s", "channel": "'"$bad"'", "subbuf_size": 4096,
		"subbufs": 8, "mode": "discard"}' >/dev/null && fails=2
	is "$fails" 0 "neither session nor channel is called '${bad:0:20}'"
done

ok 'the session stops' control '{"verb": "stop", "session": "s"}'
control '{"verb": "status", "session": "s"}' >"$TAP_DIR/status"
like "$(<"$TAP_DIR/status")" 'event classes are not traced: event class' 'why a class is off is told'
ok 'babeltrace2 reads the trace' eval 'babeltrace2 "$trace" >"$TAP_DIR/text" 2>"$TAP_DIR/errors"' ||
	diag "$(<"$TAP_DIR/errors")"
is "$(<"$TAP_DIR/errors")" '' 'without a warning'
is "$(grep -ac 'misnamed:event: ' "$TAP_DIR/text")" "$(value events "$TAP_DIR/programs")" \
	'all events of all programs are in it'
is "$(odd_names "$trace")" '' 'its files have harmless names'
is "$(find "$trace" -mindepth 1 -maxdepth 1 | sort | tr '\n' ' ')" "$trace/.losses $trace/ust " 'and stand where they belong'
is "$(find "$trace/ust" -mindepth 1 -type d | tr '\n' ' ')" "$trace/ust/index " 'in no new folder'
is "$(files)" "$before" 'nothing was made beside them'
is "$(escaped)" '' 'nor elsewhere'
sessiond_stop
is "$sessiond_status" 0 'the daemon ends well'
figure 12 "$programs program names, $(value messages "$TAP_DIR/classes") class names ($(value off "$TAP_DIR/classes") turned off, $(value refused "$TAP_DIR/classes") messages refused): $(escaped | wc -l) files outside, all $(value events "$TAP_DIR/programs") events read by babeltrace2"
done_testing
