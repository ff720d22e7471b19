#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# One stream of a trace is damaged on the disk, in each way: view, view --follow, report and export
# to each format show all events of the others, leave out the wrong packet, name the stream with its
# program, process and the first wrong record, and end with status 3. merge takes what can be read, and
# what recover mends is read by babeltrace2, also where the first packet of a stream is wrong, or its only one.
. "$LTTNGMAP_SRC/tests/utils/tap.sh"
. "$LTTNGMAP_SRC/tests/utils/numbered.sh"
. "$LTTNGMAP_SRC/tests/utils/sessiond.sh"
. "$LTTNGMAP_SRC/tests/utils/short.sh"

command -v protoc >/dev/null || bail_out 'no protoc: on Debian, install protobuf-compiler'
lttngmap=$LTTNGMAP_BUILD/lttngmap
trace=$TAP_DIR/trace
export LTTNGMAP_RUNTIME_DIR=$SESSIOND_DIR TMPDIR=$TAP_DIR/tmp
mkdir "$TMPDIR"
: >"$NUMBERED_COUNTS"

sessiond_start
ok 'a session is started' control '{"verb": "create", "session": "s", "output": "'"$trace"'"}' \
	'{"verb": "channel", "session": "s", "channel": "c", "subbuf_size": 4096, "subbufs": 64,
	  "mode": "blocking"}' \
	'{"verb": "enable", "session": "s", "channel": "c", "rule": "*"}' \
	'{"verb": "start", "session": "s"}'
for _ in 1 2 3; do "$LTTNGMAP_BUILD/tests/utils/emit" "$NUMBERED_COUNTS" 1 2000; done
ok 'it stops' control '{"verb": "stop", "session": "s"}'

# The largest stream is damaged: it has several packets.
name=$(basename "$(find "$trace/ust" -maxdepth 1 -name 'c_*' -printf '%s %p\n' | sort -n | tail -n 1 | cut -d' ' -f2)")
pid=$(sed -E 's/^c_emit-([0-9]+)-.*/\1/' <<<"$name")
packets=$((($(stat -c %s "$trace/ust/index/$name.idx") - 16) / 72))
# One a process and CPU: a process may be moved to another.
streams=$(find "$trace/ust" -maxdepth 1 -name 'c_*' -printf . | wc -c)
"$lttngmap" view --json "$trace" >"$TAP_DIR/all" || bail_out 'the trace cannot be read'
is "$(wc -l <"$TAP_DIR/all")" 6000 'a sound trace has all events'
# Without texts: babeltrace2 2.0 shows an older text for an empty one, depending on what it read before.
others() { grep -vE '"pid": ?'"$pid"'\b' "$1" | sed 's/"text": *"[^"]*",//'; }
others "$TAP_DIR/all" >"$TAP_DIR/others"
ok 'of several processes' test -s "$TAP_DIR/others" -a "$(wc -l <"$TAP_DIR/others")" -lt 6000
ok 'of the chosen stream, too' grep -qE '"pid": ?'"$pid"'\b' "$TAP_DIR/all"

# shown OUTPUT STATUS: all of the others, not all of the stream; with that status.
shown() {
	local count

	others "$1" | cmp -s - "$TAP_DIR/others" || return 1
	count=$(($(wc -l <"$1") - $(wc -l <"$TAP_DIR/others")))
	case $result in
	index) [[ $2 == 0 && $count == $((6000 - $(wc -l <"$TAP_DIR/others"))) ]] ;;
	file) [[ $2 == 3 && $count -lt $((6000 - $(wc -l <"$TAP_DIR/others"))) ]] ;;
	*) [[ $2 == 3 && $count -gt 0 && $count -lt $((6000 - $(wc -l <"$TAP_DIR/others"))) ]] ;;
	esac
}

# counted FORMAT FILE: the oracle says so of all others; sets $of_it to what there is of the stream's process.
"$LTTNGMAP_SRC/tests/utils/count_events.py" json "$TAP_DIR/others" >"$TAP_DIR/oracle"
counted() {
	"$LTTNGMAP_SRC/tests/utils/count_events.py" "$@" >"$TAP_DIR/counted" || return
	of_it=$(sed -n "s/^$pid //p" "$TAP_DIR/counted")
	grep -v "^$pid " "$TAP_DIR/counted" | cmp -s - "$TAP_DIR/oracle"
}

# told: is the stream named as by view, which said $named?
told() { [[ $(grep ' is broken: ' "$TAP_DIR/err" | cut -d: -f3-) == "$named" ]]; }

# by_format FORMAT: export and report have what view showed, and say what it said.
by_format() {
	local file=$TAP_DIR/exported verb=(export "--$1") wanted=$expected

	[[ $1 != page ]] || verb=(report -o)
	[[ $1 != folded ]] || wanted=1 # Numbered events have no call stacks.
	"$lttngmap" "${verb[@]}" "$file" "$TAP_DIR/bad" 2>"$TAP_DIR/err"
	is "$?" "$wanted" "$kind: $1: its status" || diag "$(<"$TAP_DIR/err")"
	ok "$kind: $1: the stream is named" told || diag "$named: $(<"$TAP_DIR/err")"
	case $1 in
	folded) return ;;
	perfetto)
		protoc --decode=Trace -I "$LTTNGMAP_SRC/tests/utils" perfetto.proto <"$file" 2>/dev/null |
			python3 "$LTTNGMAP_SRC/tests/utils/perfetto_slices.py" >"$TAP_DIR/slices"
		counted slices "$TAP_DIR/slices"
		;;
	*) counted "$1" "$file" ;;
	esac
	is "$?:$of_it" "0:$shown_of_it" "$kind: $1: the others' counts are the oracle's, and its own those of view" ||
		diag "$(<"$TAP_DIR/counted")"
}

kinds=(id length string time zeros magic uuid content size huge stream instance begin end backwards
	sequence torn border empty gone garbage index)
short_pick 9 "${kinds[@]}"
for kind in "${picked[@]}"; do
	rm -rf "$TAP_DIR/bad"
	cp -r "$trace" "$TAP_DIR/bad"
	result=$("$LTTNGMAP_SRC/tests/utils/damage_stream.py" $kind "$TAP_DIR/bad/ust/$name")
	"$lttngmap" view --json "$TAP_DIR/bad" >"$TAP_DIR/out" 2>"$TAP_DIR/err"
	expected=$?
	ok "$kind: view shows the rest" shown "$TAP_DIR/out" $expected || diag "$result: $(<"$TAP_DIR/err")"
	counted json "$TAP_DIR/out"
	is $? 0 "$kind: the others' counts are those of a sound trace"
	shown_of_it=$of_it
	named=$(grep ' is broken: ' "$TAP_DIR/err" | cut -d: -f3-)
	case $result in
	index) like "$(<"$TAP_DIR/err")" "index/$name" "$kind: it is named" ;;
	file) like "$(<"$TAP_DIR/err")" "$name is broken: packet 0.* $packets packets of it cannot be read.*; 0 can" \
		"$kind: it is named, and all of its packets are missing" ;;
	*) like "$(<"$TAP_DIR/err")" "$name of emit \\(process $pid\\) is broken: packet 1 at byte" \
		"$kind: it is named" ;;
	esac
	case $result in
	packet) like "$(<"$TAP_DIR/err")" " 1 packet of it cannot be read.*; $((packets - 1)) can" \
		"$kind: one packet is missing" ;;
	rest) like "$(<"$TAP_DIR/err")" \
		" $((packets - 1)) packets of it cannot be read, of [0-9:.]+ to [0-9:.]+; 1 can" \
		"$kind: the packets that the index names are missing, with their time" ;;
	esac
	case $result in
	index) like "$(<"$TAP_DIR/err")" "lttngmap recover" "$kind: what can be done is said" ;;
	*) like "$(<"$TAP_DIR/err")" "lttngmap merge.*lttngmap recover" "$kind: what can be done is said" ;;
	esac
	rm -rf "$TAP_DIR/merged"
	"$lttngmap" merge -q -o "$TAP_DIR/merged" "$TAP_DIR/bad" 2>"$TAP_DIR/err"
	status=$?
	"$lttngmap" view --json "$TAP_DIR/merged" >"$TAP_DIR/merged.out" 2>>"$TAP_DIR/err"
	ok "$kind: merge takes what view shows" test "$?$(cmp <(sort "$TAP_DIR/merged.out") \
		<(sort "$TAP_DIR/out") 2>&1)" = 0 || diag "$(<"$TAP_DIR/err")"
	[[ $result == index ]] || is $status 3 "$kind: and ends with status 3" || diag "$(<"$TAP_DIR/err")"
	[[ $result != packet ]] || like "$(<"$TAP_DIR/err")" \
		"$name' of emit \\(process $pid\\) is broken: packet 1 at byte .*; 1 of its packets" "$kind: merge names it"
	rm -rf "$TAP_DIR/merged"
	cp -r "$TAP_DIR/bad" "$TAP_DIR/merged"
	"$lttngmap" recover --json "$TAP_DIR/merged" >"$TAP_DIR/recovered" 2>"$TAP_DIR/err"
	is $? 0 "$kind: recover mends it" || diag "$(<"$TAP_DIR/err")"
	case $result in
	packet)
		like "$(<"$TAP_DIR/recovered")" '"cut_bytes":0,"lost_packets":1,' "$kind: and counts"
		like "$(<"$TAP_DIR/err")" \
			"$name of emit \\(process $pid\\) is broken: packet 1 at byte .*: 1 packet in the middle" \
			"$kind: and names it"
		;;
	esac
	babeltrace2 "$TAP_DIR/merged" >"$TAP_DIR/bt.out" 2>"$TAP_DIR/err"
	is "$?:$(wc -l <"$TAP_DIR/bt.out")" "0:$(grep -c '"event"' "$TAP_DIR/out")" \
		"$kind: then babeltrace2 reads what view shows" || diag "$(tail -n 3 "$TAP_DIR/err")"
	for format in page json chrome perfetto folded; do by_format "$format"; done
	"$lttngmap" view --follow --json "$TAP_DIR/bad" >"$TAP_DIR/out" 2>"$TAP_DIR/err"
	status=$?
	# It goes by the index, follows the stream up to the wrong packet, and waits for what is missing.
	ok "$kind: and view --follow" test -z "$(others "$TAP_DIR/out" | cmp - "$TAP_DIR/others" 2>&1)" \
		-a \( $kind = index -o $kind = sequence -o $kind = border -o \
		$kind = empty -o $kind = gone -o $status = 3 \) || diag "$status: $(<"$TAP_DIR/err")"
done

# first KIND: the first packet of the stream is damaged so; then all of them.
first() {
	local kind=$1 packets which lost aside said

	for which in 0 all; do
		rm -rf "$TAP_DIR/bad"
		cp -r "$trace" "$TAP_DIR/bad"
		packets=1 lost=1 aside=0
		[[ $which == 0 ]] ||
			packets=$((($(stat -c %s "$trace/ust/index/$name.idx") - 16) / 72)) lost=$packets aside=1
		for ((i = 0; i < packets; i++)); do
			"$LTTNGMAP_SRC/tests/utils/damage_stream.py" "$kind" "$TAP_DIR/bad/ust/$name" "$i" >/dev/null
		done
		"$lttngmap" view --json "$TAP_DIR/bad" >"$TAP_DIR/out" 2>"$TAP_DIR/err"
		is $? 3 "$kind, packet $which: view"
		ok "$kind, packet $which: shows all others" counted json "$TAP_DIR/out"
		like "$(<"$TAP_DIR/err")" "$name.* is broken: packet 0 at byte 0: " "$kind, packet $which: and names it"
		"$lttngmap" recover --json "$TAP_DIR/bad" >"$TAP_DIR/recovered" 2>"$TAP_DIR/err"
		is $? "$aside" "$kind, packet $which: recover mends it, or says by its status that nothing of it is left" || diag "$(<"$TAP_DIR/err")"
		said=$(<"$TAP_DIR/err")
		like "$said" "$name.* is broken: packet 0 at byte 0: " "$kind, packet $which: and names it"
		like "$(<"$TAP_DIR/recovered")" "\"lost_packets\":$lost,.*\"set_aside\":$aside," "$kind, packet $which: and counts"
		babeltrace2 "$TAP_DIR/bad" >"$TAP_DIR/bt.out" 2>"$TAP_DIR/err"
		is "$?:$(wc -l <"$TAP_DIR/bt.out")" "0:$(grep -c '"event"' "$TAP_DIR/out")" \
			"$kind, packet $which: then babeltrace2 reads what view shows" || diag "$(tail -n 3 "$TAP_DIR/err")"
		"$lttngmap" view --json "$TAP_DIR/bad" >"$TAP_DIR/again" 2>"$TAP_DIR/err"
		is "$?:$(grep -c '"event"' "$TAP_DIR/again")" "0:$(grep -c '"event"' "$TAP_DIR/out")" \
			"$kind, packet $which: and view finds nothing wrong with it" || diag "$(<"$TAP_DIR/err")"
		[[ $aside == 0 ]] || like "$said" "events of $lost packets? of [0-9:.]{12} to [0-9:.]{12} are not in the trace" \
			"$kind: it says how many packets are gone, and of what time"
		[[ $aside == 0 ]] || ok "$kind: it is there under another name" test -s "$TAP_DIR/bad/ust/.$name"
	done
}
short_pick 3 id length end stream magic uuid content
for kind in "${picked[@]}"; do first "$kind"; done
# What took a stream's place is named, and what recover did is said, in what it prints and in JSON.
for kind in fifo device socket; do
	rm -rf "$TAP_DIR/bad" "$TAP_DIR/merged"
	cp -r "$trace" "$TAP_DIR/bad"
	rm "$TAP_DIR/bad/ust/$name"
	case $kind in
	fifo) mkfifo "$TAP_DIR/bad/ust/$name" ;;
	device) ln -s /dev/zero "$TAP_DIR/bad/ust/$name" ;;
	socket) (cd "$TAP_DIR/bad/ust" && python3 -c 'import socket, sys
socket.socket(socket.AF_UNIX).bind(sys.argv[1])' "$name") ;;
	esac
	for verb in view "export --json $TAP_DIR/exported" "report -o $TAP_DIR/exported" "merge -o $TAP_DIR/merged"; do
		# shellcheck disable=SC2086 # words
		timeout 60 "$lttngmap" $verb "$TAP_DIR/bad" >"$TAP_DIR/out" 2>"$TAP_DIR/err"
		is $? 3 "a $kind in a stream's place: ${verb%% *} ends with status 3" || diag "$(<"$TAP_DIR/err")"
		like "$(<"$TAP_DIR/err")" "$name'? is broken: packet 0 at byte 0: there is no regular file.*$packets " \
			'and names it'
	done
done

# recovered INDEXES TEXT WHAT [STATUS]: recover rewrites so many indexes, says so, and ends with that status, or 0.
recovered() {
	cp -r "$TAP_DIR/bad" "$TAP_DIR/merged"
	timeout 20 "$lttngmap" recover "$TAP_DIR/bad" >"$TAP_DIR/out" 2>"$TAP_DIR/err"
	is $? "${4:-0}" "$3: recover" || diag "$(<"$TAP_DIR/err")"
	like "$(<"$TAP_DIR/out")" "$2" "$3: what it did is said"
	"$lttngmap" recover --json "$TAP_DIR/merged" >"$TAP_DIR/out" 2>/dev/null
	like "$(<"$TAP_DIR/out")" "\"indexes\":$1," "$3: and counted"
	rm -rf "$TAP_DIR/bad" "$TAP_DIR/merged"
	cp -r "$trace" "$TAP_DIR/bad"
}
rm -rf "$TAP_DIR/bad" "$TAP_DIR/merged"
cp -r "$trace" "$TAP_DIR/bad"
recovered 0 "ust: $streams streams, nothing to mend$" 'a sound trace'
"$LTTNGMAP_SRC/tests/utils/damage_stream.py" index "$TAP_DIR/bad/ust/$name" >/dev/null
recovered 1 "ust: $streams streams, 1 index rewritten$" 'a damaged index'
for which in 0 1; do
	"$LTTNGMAP_SRC/tests/utils/damage_stream.py" magic "$TAP_DIR/bad/ust/$name" $which >/dev/null
	recovered 1 "ust: $streams streams, 1 damaged packet passed over, 1 index rewritten$" "packet $which"
done
truncate -s 1T "$TAP_DIR/bad/ust/index/$name.idx"
recovered 1 "ust: $streams streams, 1 index rewritten$" 'an index with a hole of a terabyte'
: >"$TAP_DIR/bad/ust/$name"
recovered 0 "ust: $streams streams, $packets damaged packets passed over, 1 unreadable file set aside\$" 'a stream without a byte' 1

rm -rf "$TAP_DIR/bad" "$TAP_DIR/merged"
cp -r "$trace" "$TAP_DIR/bad"
sed -i 's/^trace {/trace {{/' "$TAP_DIR/bad/ust/metadata"
"$lttngmap" view "$TAP_DIR/bad" >"$TAP_DIR/out" 2>"$TAP_DIR/err"
is "$? $(<"$TAP_DIR/out")" '1 ' 'damaged metadata is an error'
last=$(($(wc -l <"$TAP_DIR/bad/ust/metadata") + 1))
like "$(<"$TAP_DIR/err")" "bad/ust/metadata is damaged.*: line $last: '}' is expected there" 'its line is named'
like "$(<"$TAP_DIR/err")" 'the metadata of another copy or chunk of the trace can take its place' 'and what to do is said'
cp "$trace/ust/metadata" "$TAP_DIR/bad/ust/metadata"
line=$(sed -n '/fields := struct/{=;q}' "$TAP_DIR/bad/ust/metadata")
sed -i "${line}s/struct/strict/" "$TAP_DIR/bad/ust/metadata"
for verb in view 'view --follow' "merge -o $TAP_DIR/merged" recover; do
	rm -rf "$TAP_DIR/merged"
	# shellcheck disable=SC2086 # words
	"$lttngmap" $verb "$TAP_DIR/bad" >"$TAP_DIR/out" 2>"$TAP_DIR/err"
	like "$(<"$TAP_DIR/err")" "bad/ust/metadata.*: line $line: struct is expected there" "$verb names the line"
done
rm -rf "$TAP_DIR/merged"
"$lttngmap" merge -o "$TAP_DIR/merged" "$TAP_DIR/bad" >"$TAP_DIR/out" 2>"$TAP_DIR/merge-err"
is $? 1 'to merge, too'
like "$(<"$TAP_DIR/merge-err")" "no directory has metadata of 'ust' that can be read" 'and it is said why'
"$lttngmap" merge -o "$TAP_DIR/merged" "$TAP_DIR/bad" "$trace" >"$TAP_DIR/out" 2>"$TAP_DIR/merge-err"
is $? 0 'unless another copy has it whole' || diag "$(<"$TAP_DIR/merge-err")"
"$lttngmap" view --json "$TAP_DIR/merged" 2>&1 | wc -l >"$TAP_DIR/out"
is "$(<"$TAP_DIR/out")" 6000 'which is taken then'
for size in 200 0; do
	rm -rf "$TAP_DIR/short" "$TAP_DIR/merged"
	cp -r "$trace" "$TAP_DIR/short"
	truncate -s $size "$TAP_DIR/short/ust/index/$name.idx"
	"$lttngmap" merge -q -o "$TAP_DIR/merged" "$TAP_DIR/short" 2>"$TAP_DIR/merge-err"
	is $? 0 "an index cut to $size bytes can be merged" || diag "$(<"$TAP_DIR/merge-err")"
	is "$("$lttngmap" view --json "$TAP_DIR/merged" | wc -l)" 6000 'and nothing is missing'
done
rm -rf "$TAP_DIR/short/ust/index" "$TAP_DIR/merged"
"$lttngmap" merge -q -o "$TAP_DIR/merged" "$TAP_DIR/short" 2>"$TAP_DIR/merge-err"
is "$? $("$lttngmap" view --json "$TAP_DIR/merged" | wc -l)" '0 6000' 'so can a trace without indexes'
is "$(ls -A "$TMPDIR")" '' 'nothing is left behind'
done_testing
