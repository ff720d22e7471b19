#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# Losses that no stream of the trace tells of: `view`, `report` and `recover` tell what the session
# counted. The kernel's are in kernel-record.sh.

unset LD_PRELOAD LTTNGMAP_RUNTIME_DIR
. "$LTTNGMAP_SRC/tests/utils/tap.sh"
. "$LTTNGMAP_SRC/tests/utils/sessiond.sh"
. "$LTTNGMAP_SRC/tests/utils/chunks.sh"
unset LTTNGMAP_RUNTIME_DIR

lttngmap=$LTTNGMAP_BUILD/lttngmap
emit=$LTTNGMAP_BUILD/tests/utils/emit
export LC_ALL=C.UTF-8 PAGER=cat
mkdir -m 700 "$TAP_DIR/run"
export XDG_RUNTIME_DIR=$TAP_DIR/run
cd "$TAP_DIR" || exit 1

record() { # OUTPUT EVENTS OPTION...
	local output=$1 events=$2
	shift 2
	: >counts
	"$lttngmap" record -o "$output" -e 'numbered:*' "$@" -- "$emit" counts 1 "$events" >said 2>&1 || diag "$(<said)"
}
# Sets $kept and $lost, as `record` told.
counted() {
	[[ $(tr -d , <said) =~ traced\ *([0-9]+)\ events?\ kept\ ([0-9]+)\ lost ]]
	kept=${BASH_REMATCH[1]:-0} lost=${BASH_REMATCH[2]:-0}
}
# LINE of each reader, without commas between digits.
told() { # OUTPUT
	"$lttngmap" view "$1" 2>&1 >/dev/null | tr -d , | grep -o ' lost: .*'
	"$lttngmap" report --text "$1" 2>&1 | tr -d , | grep '^lost: ' | sed 's/^/ /'
	"$lttngmap" report -o page.html "$1" 2>&1 | tr -d , | grep -o ' lost: .*'
	"$lttngmap" recover "$1" 2>&1 | tr -d , | grep -o ' lost: .*'
	"$lttngmap" export "$1" --json exported 2>&1 | tr -d , | grep -o ' lost: .*'
	rm -rf merged
	"$lttngmap" merge -o merged "$1" 2>&1 | tr -d , | grep -o ' lost: .*'
	"$lttngmap" view merged 2>&1 >/dev/null | tr -d , | grep -o ' lost: .*'
	"$lttngmap" query "$1" 'SELECT 1' 2>&1 | tr -d , | grep -o ' lost: .*'
}
# Sum of the table `losses`, which is all that was lost.
queried() { # OUTPUT
	"$lttngmap" query --csv "$1" 'SELECT coalesce(sum(events), 0) FROM losses' 2>/dev/null | tail -n 1
}
is_told() { # OUTPUT LINE NAME
	is "$(told "$1" | sort | uniq -c | sed 's/^ *//')" "8  lost: $2" "$3"
}

# ---- nothing was lost
record all 1000 --mode blocking
is "$(told all)$(queried all)" 0 'no loss: nothing is told'
is "$("$lttngmap" recover all 2>&1)" 'all/ust: 1 stream, nothing to mend' '  ... and recover has nothing to mend'

# ---- a full disk
if ((EUID)); then
	skip 3 'only root mounts a small disk'
else
	mkdir disk
	mount -t tmpfs -o size=1m none disk || bail_out 'no tmpfs'
	cleanup umount "$TAP_DIR/disk"
	record disk/trace 100000
	counted
	ok "full disk: $kept kept and $lost lost" test "$lost" -gt 1000
	buffered=$(sed -nE 's/.* ([0-9,]+) events were in the buffers.*/\1/p' said | tr -d ,)
	is_told disk/trace "$((lost - ${buffered:-0})) events discarded 0 overwritten (of 100000)${buffered:+; $buffered in the buffers not on disk}" \
		'  ... which each reader tells'
	is "$(queried disk/trace)" "$lost" '  ... and the table of losses has'
fi

# ---- files that made room
record files 200000 --mode blocking --subbuf-size 4K --file-size 40K --file-count 2
counted
ok "files: $lost overwritten" test "$lost" -gt 1000
is_told files "0 events discarded $lost overwritten (of 200000)" '  ... which each reader tells'
is "$(queried files)" "$lost" '  ... and the table of losses has'

# ---- a flight recorder
record flight 200000 --flight-recorder --subbuf-size 4K --subbufs 4
gone=$(sed -nE 's/.* ([0-9,]+) older events were overwritten.*/\1/p' said | tr -d ,)
ok "flight recorder: $gone overwritten" test "${gone:-0}" -gt 1000
is_told flight "0 events discarded $gone overwritten (of 200000)" '  ... which each reader tells'
is "$(queried flight)" "$gone" '  ... and the table of losses has'

"$lttngmap" record -o memory --flight-recorder --subbuf-size 4K --subbufs 2 -- \
	bash -c 'for ((i = 0; i < 20000; i++)); do list[i]=$i; done' >said 2>&1
like "$("$lttngmap" report --text memory)" 'memory, without what the lost events did:.*MOST HELD' \
	'sums of memory: a report says that events are missing in them'

# ---- programs that end early
cat >many.sh <<END
for i in $(seq -s' ' 70); do "$emit" counts 1 3; done
END
"$lttngmap" record -o early -e 'numbered:*' --flight-recorder -- sh many.sh >said 2>&1
like "$(<said)" '6 programs ended early and are not in the trace: a flight recorder keeps the last 64' \
	'flight recorder: of 70 programs it says how many are not kept'
is "$("$lttngmap" view early 2>/dev/null | grep -c numbered:)" 192 '  ... and has the others'

# ---- overwritten in the buffers: before the first packet, for the consumer comes when the program ends
cat >late <<END
#!/bin/sh
for i in \$(seq 200); do [ -e "$TAP_DIR/ended" ] && break; sleep 0.05; done
exec "$LTTNGMAP_BUILD/lttngmap-consumerd" "\$@"
END
printf '#!/bin/sh\nexec "%s" --consumer="%s" "$@"\n' "$LTTNGMAP_BUILD/lttngmap-sessiond" "$TAP_DIR/late" >daemon
chmod 755 late daemon
: >counts
LTTNGMAP_SESSIOND=$TAP_DIR/daemon "$lttngmap" record -o over -e 'numbered:*' --mode overwrite --subbuf-size 4K \
	--subbufs 2 -- sh -c "\"$emit\" counts 1 1000000; : >ended" >said 2>&1
counted
ok "overwrite: $kept kept and $lost lost" test "$lost" -gt 0
is_told over "0 events discarded $lost overwritten (of 1000000)" '  ... which each reader tells'
is "$(queried over)" "$lost" '  ... and the table of losses has'

# ---- a killed command: its daemon completes the trace
"$lttngmap" record -q -o killed -e 'numbered:*' --mode blocking --subbuf-size 4K --file-size 40K --file-count 2 -- \
	sh -c "\"$emit\" counts 1 200000; echo \$\$ >made; exec sleep 600" >said 2>&1 &
record=$!
wait_for test -s made
kill -KILL "$record"
wait "$record" 2>/dev/null
kill "$(<made)"
wait_for eval '[[ $(told killed) ]]'
kept=$("$lttngmap" view killed 2>/dev/null | grep -c numbered:)
is_told killed "0 events discarded $((200000 - kept)) overwritten (of 200000)" \
	'a killed record: each reader tells'

# ---- a session
sessiond_start
export LTTNGMAP_RUNTIME_DIR=$SESSIOND_DIR
chunks_begin --mode blocking --subbuf-size 4K --subbufs 4 --file-size 20K --file-count 2
"$lttngmap" view --follow "$chunks_out" >/dev/null 2>followed &
follower=$!
chunks_emit 100000
wait "$chunks_emitter"
map stop s
wait "$follower"
lost=$(chunks_count overwritten)
ok "session: $lost overwritten" test "$lost" -gt 1000
is_told "$chunks_out" "0 events discarded $lost overwritten (of 100000)" 'a session: each reader tells'

like "$(tr -d , <followed)" "lost: 0 events discarded $lost overwritten" '  ... and who follows it'

# ---- a session's snapshot
map create shots --snapshot -o "$TAP_DIR/shots" >/dev/null
map channel c -s shots --subbuf-size 4K --subbufs 4 >/dev/null
map enable 'numbered:*' -s shots -c c >/dev/null
map start shots >/dev/null
# On one CPU: a smaller snapshot has room for a sub-buffer of one ring.
taskset -c "$(taskset -cp $$ | sed 's/.*: //; s/[,-].*//')" "$emit" counts 1 200000
map snapshot shots -o "$TAP_DIR/shot" >/dev/null
kept=$("$lttngmap" view shot 2>/dev/null | grep -c numbered:)
is_told shot "0 events discarded $((200000 - kept)) overwritten (of 200000)" 'a snapshot: each reader tells'
map snapshot shots -o "$TAP_DIR/small" --max-size 12K >/dev/null
part=$("$lttngmap" view small 2>/dev/null | grep -c numbered:)
ok "a smaller one has $part of $kept" test "$part" -gt 0 -a "$part" -lt "$kept"
is_told small "0 events discarded $((200000 - part)) overwritten (of 200000)" '  ... each reader tells'
map destroy shots >/dev/null

# ---- another user's snapshot, in a folder that is that user's
group=$(getent group tracing | cut -d: -f3)
if ((EUID)) || [[ -z $group ]]; then
	skip 1 "only root's daemon has sessions of other users, those of the group tracing"
else
	sessiond_stop
	chmod 755 "$TAP_DIR" "$SESSIOND_DIR" 2>/dev/null
	sessiond_start
	mkdir theirs
	chmod 666 counts
	chown 65534:65534 theirs
	as_user() { setpriv --reuid=65534 --regid=65534 --groups="$group" env -u XDG_RUNTIME_DIR "$@" >/dev/null; }
	as_user "$lttngmap" create theirs --snapshot -o "$TAP_DIR/theirs/out"
	as_user "$lttngmap" channel c -s theirs --subbuf-size 4K --subbufs 4
	as_user "$lttngmap" enable 'numbered:*' -s theirs -c c
	as_user "$lttngmap" start theirs
	as_user "$emit" counts 1 20000
	as_user "$lttngmap" snapshot theirs -o "$TAP_DIR/theirs/shot"
	is "$(stat -c '%u %s' theirs/shot/.losses)" '65534 512' "another user's snapshot: its losses are in a file of that user's"
	as_user "$lttngmap" destroy theirs
fi

# ---- what others write there
printf 'lttngmap losses 1\nkept -1\nx' >files/.losses
is "$(told files)" '' 'nonsense in its place is not told'
rm files/.losses
mkfifo files/.losses
is "$(timeout 20 "$lttngmap" view files 2>&1 >/dev/null)" '' 'a FIFO in its place holds up nobody'

sessiond_stop
done_testing
