#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# Row 23: the machine stops dead under load: all packets that were on the disk when the
# consumer last synced it are whole and readable afterwards. A machine cannot
# be killed here; a file system can, at any moment, without its journal or
# anything else of it being written out (FS_IOC_SHUTDOWN). It is mounted anew then.
#
#   LTTNGMAP_SOAK_SECONDS   a death each 8 s, instead of 2
. "$LTTNGMAP_SRC/tests/utils/tap.sh"

[[ $EUID == 0 ]] || skip_all 'mounting a file system to be killed needs root'
if [[ ${MACHINE_NAMESPACE:-} != "$PPID" ]]; then
	unshare -m true 2>/dev/null || skip_all 'there can be no mount namespace here'
	# What is mounted goes with the test, whatever becomes of it.
	MACHINE_NAMESPACE=$BASHPID unshare -m --propagation private "$BASH" "$0"
	exit
fi
. "$LTTNGMAP_SRC/tests/utils/numbered.sh"
. "$LTTNGMAP_SRC/tests/utils/sessiond.sh"

deaths=2
[[ -z ${LTTNGMAP_SOAK_SECONDS:-} ]] || deaths=$((LTTNGMAP_SOAK_SECONDS / 8 + 1))
disk=$TAP_DIR/disk
emit=$LTTNGMAP_BUILD/tests/utils/emit
# As often as it goes; of its own accord the file system would write nothing so soon.
export LTTNGMAP_SYNC_SECONDS=1 LTTNGMAP_RUNTIME_DIR=$SESSIOND_DIR
options=loop,commit=300
# A sync begins after a second, and takes as long as the disk takes: twice what it takes us.
bound_ms=5000

mkdir "$disk"
truncate -s 1G "$TAP_DIR/image"
mkfs.ext4 -q -F "$TAP_DIR/image" && mount -o "$options" "$TAP_DIR/image" "$disk" 2>"$TAP_DIR/errors" ||
	skip_all "no file system can be mounted from a file here: $(<"$TAP_DIR/errors")"
cleanup umount -l "$disk"
# What a daemon that was killed with its supervisor leaves.
cleanup eval 'umount -l "$SESSIOND_DIR/rings" 2>/dev/null'

now_ms() {
	echo $(($(date +%s%N) / 1000000))
}
sizes() { # of all streams, as programs see them now
	stat -c '%n %s' "$disk"/trace/ust/c_* 2>/dev/null
}
disk_ms() {
	local begin

	begin=$(now_ms)
	dd if=/dev/zero of="$TAP_DIR/probe" bs=1M count=8 conv=fsync status=none
	echo $(($(now_ms) - begin))
}
watch_sizes() {
	while [[ ! -e $TAP_DIR/stop ]]; do
		echo "at $(now_ms)"
		sizes
		sleep 0.1 # a look each
	done >"$TAP_DIR/sizes"
}
shut_down() {
	perl -e 'open(my $d, "<", $ARGV[0]) or die "$!"; my $how = pack("I", 2);
		ioctl($d, 0x8004587d, $how) or die "$!"' "$disk"
}
# What was there so and so long before the death, and is not there now?
compare() { # DEATH: prints the milliseconds between what is whole and the death
	sizes >"$TAP_DIR/left"
	awk -v death="$1" '
		FILENAME == ARGV[1] { left[$1] = $2; next }
		$1 == "at" { if (at && whole) last = at; at = $2; whole = 1; next }
		left[$1] + 0 < $2 { whole = 0 }
		END { print death - last }' "$TAP_DIR/left" "$TAP_DIR/sizes"
}

start_session() {
	control '{"verb": "create", "session": "s", "output": "'"$disk/trace"'"}' \
		'{"verb": "channel", "session": "s", "channel": "c", "subbuf_size": 4096, "subbufs": 16,
		  "mode": "discard"}' \
		'{"verb": "enable", "session": "s", "channel": "c", "rule": "*"}' \
		'{"verb": "start", "session": "s"}'
}
# die ROUND [PID...]: now, and back again; $death is when.
die() {
	local round=$1 consumer

	shift
	consumer=$(sessiond_consumer)
	death=$(now_ms)
	ok "$round: the file system is dead" shut_down
	# Nobody writes in order any more.
	touch "$TAP_DIR/stop"
	kill -KILL "$consumer"
	sessiond_stop KILL
	[[ $# == 0 ]] || wait "$@"
	ok "$round: it goes" wait_for umount "$disk"
	ok "$round: and is mounted again, with its journal" mount -o "$options" "$TAP_DIR/image" "$disk"
}
is_readable() { # ROUND
	ok "$1: torn packets are cut off" "$LTTNGMAP_BUILD/lttngmap" recover "$disk/trace"
	ok "$1: babeltrace2 reads the trace" eval \
		'babeltrace2 "$disk/trace" >"$TAP_DIR/text" 2>"$TAP_DIR/errors"' ||
		diag "$(tail -n 5 "$TAP_DIR/errors")"
}

worst=0
total=0
for ((round = 1; round <= deaths; round++)); do
	rm -f "$TAP_DIR/stop"
	: >"$NUMBERED_COUNTS"
	sessiond_start
	ok "$round: a session is started" start_session
	"$emit" "$NUMBERED_COUNTS" 3 1000000000 "$TAP_DIR/stop" &
	program=$!
	watch_sizes &
	watcher=$!
	sleep "$((4 + RANDOM % 3)).$((RANDOM % 10))"
	bound=$((bound_ms + 2 * $(disk_ms)))
	die "$round" "$program" "$watcher"

	late=$(compare "$death")
	ok "$round: what was in the files $late ms before is there" test "$late" -le "$bound" ||
		diag "$(<"$TAP_DIR/left")"
	((late <= worst)) || worst=$late
	is_readable "$round"
	numbered_trace=$disk/trace
	numbered_check
	is "$numbered_sound" 0 "$round: all of it was emitted, and is there once" ||
		diag "$(<"$TAP_DIR/found")"
	ok "$round: $numbered_events events" test "${numbered_events:-0}" -gt 1000
	total=$((total + ${numbered_events:-0}))
	rm -rf "$disk/trace"
done
figure 23 "$deaths deaths of the file system under load: all that was in the files $worst ms before was whole, synced each second; $total events read by babeltrace2"

# New metadata takes the place of the old, and the file system's journal, which
# is written each second, says so before it has put the new text on the disk.
umount "$disk"
options=loop,commit=1,noauto_da_alloc LTTNGMAP_SYNC_SECONDS=0
mount -o "$options" "$TAP_DIR/image" "$disk"
sessiond_start
ok 'metadata: a session is started' start_session
: >"$NUMBERED_COUNTS"
"$emit" "$NUMBERED_COUNTS" 1 10000
number() { # KEY: of the session's status
	control '{"verb": "status", "session": "s"}' | sed -nE "s/.*\"$1\": ?([0-9]+).*/\1/p"
}
# All of it: nothing is to follow the sync.
written() { (($(number kept) > 0 && $(number kept) + $(number discarded) == 10000)); }
ok 'metadata: there are events' wait_for written
sync -f "$disk"
sizes >"$TAP_DIR/sizes"
before=$(cksum <"$disk/trace/ust/metadata")
"$LTTNGMAP_BUILD/tests/utils/steady" 100 >/dev/null
changed() { [[ $(cksum <"$disk/trace/ust/metadata") != "$before" ]]; }
ok 'metadata: other classes come' wait_for changed
sleep 3 # in which nothing is synced, and everything might be written back
die metadata
is "$(sizes | cut -d' ' -f 2 | sort | tail -n 1)" "$(cut -d' ' -f 2 "$TAP_DIR/sizes" | sort | tail -n 1)" \
	'metadata: streams are what they were when it was synced'
ok 'metadata: there is some' test -s "$disk/trace/ust/metadata"
is_readable metadata
ok 'metadata: with events' test -s "$TAP_DIR/text"
done_testing
