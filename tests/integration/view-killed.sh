#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# A recording whose daemons were killed: view, report and export lead to the command that brings
# in what is left, and that one prints numbers for people.

. "$LTTNGMAP_SRC/tests/utils/tap.sh"

need_plain
lttngmap=$LTTNGMAP_PLAIN/lttngmap
cd "$TAP_DIR" || exit 1
unset LTTNGMAP_RUNTIME_DIR
all=() program='' directory=''
end_all() {
	[[ -z $program ]] || kill "$program" 2>/dev/null
	[[ -n $directory ]] || return 0
	umount -l "$directory/rings" 2>/dev/null
	rm -rf --one-file-system "$directory"
}
cleanup end_all
descendants() { # PID
	local pid

	for pid in $(pgrep -P "$1"); do
		echo "$pid"
		descendants "$pid"
	done
}

mkfifo hold
# begin OPTION...: records into $output a program that made events and waits: $record, $program, the daemons in ${all[@]},
# which have a directory of their own: $directory.
begin() {
	local i pid

	rm -f made
	all=()
	"$lttngmap" record -q -o "$output" --preload libc "$@" -- bash -c 'for ((i = 0; i < 2000; i++)); do x=$(($i)); y="$x$y"; y=${y:0:99}; done
		echo $$ >made.new; mv made.new made; read -r x <hold' 2>err &
	record=$!
	for ((i = 0; i < 300; i++)); do
		[[ -s made ]] && break
		sleep 0.1
	done
	[[ -s made ]] || bail_out "nothing is recorded: $(<err)"
	program=$(<made)
	for pid in $(descendants "$record"); do
		[[ $pid != "$program" && $(<"/proc/$pid/comm") == lttngmap-* ]] || continue
		all+=("$pid")
		[[ -n $directory ]] || directory=$(tr '\0' '\n' <"/proc/$pid/cmdline" | grep '^/tmp/lttngmap-......$')
	done
	[[ ${#all[@]} -ge 2 ]] || bail_out 'the daemons are not found'
}
kill_all() {
	local i

	kill -STOP "$record" "${all[@]}"
	kill -KILL "$record" "${all[@]}"
	wait "$record" 2>/dev/null
	for ((i = 0; i < 300; i++)); do
		kill -0 "${all[@]}" 2>/dev/null || break
		sleep 0.1
	done
}

# Between a name with what JSON escapes, and its beginning, which is another recording's.
output=$PWD/'killed "é\x'
begin
[[ -n $directory ]] || bail_out 'the daemon has no directory'
"$lttngmap" view "$output" >out 2>err
is "$(grep -c 'was killed' err)" 0 'a recording that goes on is not taken for a killed one'
kill_all
"$lttngmap" view "$output" >out 2>err
like "$(<err)" 'the recording of .* was killed: some events may not be in it yet' 'view says that it was killed'
like "$(<err)" "\`lttngmap recover $directory\`" '  ... and how to have its events'
"$lttngmap" view "$output/ust" >out 2>err
like "$(<err)" 'was killed' '  ... also of the folder inside'
"$lttngmap" report -o page.html "$output" 2>err
like "$(<err)" "\`lttngmap recover $directory\`" '  ... and so does report'
"$lttngmap" export "$output" --json - >out 2>err
like "$(<err)" "\`lttngmap recover $directory\`" '  ... and export'
cp -r "$output" "$PWD/killed"
"$lttngmap" view "$PWD/killed" >out 2>err
is "$(grep -c 'was killed' err)" 0 'another recording is not taken for it'
"$lttngmap" recover "$directory" >out 2>err
is $? 0 'that command works' || diag "$(<err)"
events=$("$lttngmap" view "$output" 2>err | wc -l)
ok 'then its events are there' test "$events" -gt 1000
is "$(grep -c 'was killed' err)" 0 '  ... and nobody is sent there any more'
is "$(sed -n 's/^record: \(.*\) events in .*/\1/p' out)" "$(sed -E ':a; s/([0-9])([0-9]{3})($|,)/\1,\2\3/; ta' <<<"$events")" \
	'it counts them as people do'
like "$(<out)" ', [0-9.]+ [KM]iB of the trace brought in now' '  ... and the bytes'

# A flight recorder's rings are where --ring-dir says, and its output has no trace yet.
kill "$program"
output=$PWD/recorded rings=$PWD/rings
begin --flight-recorder --ring-dir rings
"$lttngmap" view "$output" >out 2>err
is "$(grep -c 'was killed' err)" 0 'a flight recorder that goes on is not taken for a killed one'
kill_all
"$lttngmap" view "$output" >out 2>err
like "$(<err)" "\`lttngmap recover $rings\`" 'view says where the rings of a killed one are'
"$lttngmap" recover "$output" >out 2>err
is $? 1 'recover of its output is no success'
like "$(<err)" "\`lttngmap recover $rings\`" '  ... and says where the rings are'
if ((EUID)); then
	skip 1 "only root makes a note another user's"
else
	chown 65534 "$output/.rings"
	"$lttngmap" view "$output" >out 2>err
	is "$(grep -c 'lttngmap recover' err)" 0 "another user's note leads nowhere"
	chown "$EUID" "$output/.rings"
fi
"$lttngmap" record -q -o "$output" -- true 2>err
is $? 125 'nobody records into that output meanwhile'
"$lttngmap" recover "$rings" >out 2>err
is $? 0 'that command works' || diag "$(<err)"
"$lttngmap" view "$output" >out 2>err
ok 'then its events are there' test "$(wc -l <out)" -gt 1000
is "$(grep -c 'was killed' err)" 0 '  ... and nobody is sent there any more'
ok '  ... and the note of its rings is gone' test ! -e "$output/.rings"
"$lttngmap" recover "$rings" >out 2>err
is $? 0 'nothing is left to recover there'
"$lttngmap" record -q --ring-dir rings -o "$PWD/whole" --preload libc -- true 2>err
ok 'a recording that ends as it should leaves no note of its rings' test -d "$PWD/whole" -a ! -e "$PWD/whole/.rings"
done_testing
