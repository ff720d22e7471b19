#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# A user's files have the names and inode numbers of the victims' rings, and their process comes
# first. All daemons are killed: `lttngmap recover` brings what the victims emitted into the trace.
. "$LTTNGMAP_SRC/tests/utils/tap.sh"
. "$LTTNGMAP_SRC/tests/utils/attack.sh"

attack_file inodes
rm "$attack_path"
mkdir "$attack_path"
attack_prepare() {
	rm -f "$TAP_DIR/inodes"
	: >"$TAP_DIR/mapped"
	chmod 666 "$TAP_DIR/mapped"
}
attack_unmount_rings() { # of a daemon that was killed
	umount -l "$SESSIOND_DIR/rings" 2>/dev/null
}
cleanup attack_unmount_rings
attack_processes_of() { # TRACE: who has streams there
	find "$1/ust" -maxdepth 1 -name 'c_emit-*' 2>/dev/null | sed 's/.*c_emit-\([0-9]*\)-.*/\1/' | sort -u
}
attack_all_have_streams() {
	(($(attack_processes_of "$numbered_trace" | wc -l) == ${#attack_victims[@]}))
}
# In one instant: the supervisor can do nothing when the daemon dies.
attack_kill_all() {
	local all

	kill -STOP "$sessiond_pid"
	mapfile -t all < <(pgrep -P "$sessiond_pid"; sessiond_consumer)
	kill -KILL "${all[@]}" "$sessiond_pid"
	wait "$sessiond_pid" 2>/dev/null
	sessiond_pid=
	wait_for are_gone "${all[@]}"
}
attack_look() {
	local emitters pid

	numbered_trace=$TAP_DIR/third numbered_chunks=()
	rm -rf "$numbered_trace"
	attack_session third || bail_out "no session: $(<"$TAP_DIR/answer")"
	attack_start_victims
	wait_for attack_all_have_streams || bail_out 'the victims are not traced'
	mapfile -t emitters < <(attack_processes_of "$numbered_trace")
	for pid in "${emitters[@]}"; do cat "/proc/$pid/maps"; done |
		awk '$6 ~ "^/memfd:lttngmap-ring-" { print $5 }' | sort -u >"$TAP_DIR/numbers"
	mv "$TAP_DIR/numbers" "$TAP_DIR/inodes"
	wait_for test -s "$TAP_DIR/mapped"
	is "$(<"$TAP_DIR/mapped")" "$(wc -l <"$TAP_DIR/inodes")" "$1: as many files as there are rings"
	attack_kill_all
	kill -STOP "${emitters[@]}"
	"$LTTNGMAP_BUILD/lttngmap" recover "$SESSIOND_DIR" >"$TAP_DIR/recovered" 2>&1
	is $? 0 "$1: what was in the rings is recovered" || diag "$(<"$TAP_DIR/recovered")"
	numbered_check
	# Between the daemon's end and theirs they need not wait for it any more: that is counted.
	ok "$1: nothing of $numbered_done events is missing but $numbered_discarded that were discarded" test \
		"$numbered_sound:$numbered_missing" = "0:$numbered_discarded" -a "${numbered_done:-0}" -gt 0 ||
		diag "$(<"$TAP_DIR/found")"
	touch "$TAP_DIR/stop"
	kill -CONT "${emitters[@]}"
	ok "$1: the victims end" attack_await 10 "${victims[@]}"
	attack_unmount_rings
	rm -rf "$SESSIOND_DIR"
	sessiond_start --mediator="$2"
	chmod 0711 "$SESSIOND_DIR"
	wait_for sessiond_consumer
}
attack_with inodes "$LTTNGMAP_BUILD/tests/attack/as-pid" 0 setpriv --reuid=@UID@ --regid=@UID@ --clear-groups \
	"$attacker" impostor @DIR@ 60 1 "$TAP_DIR"
done_testing
