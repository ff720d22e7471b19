#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# Each verb of sessions: what it asks of the daemon, what it says, and what it
# makes of a refusal.

. "$LTTNGMAP_SRC/tests/utils/tap.sh"
. "$LTTNGMAP_SRC/tests/utils/verbs.sh"

good create '^created session web: .*/here/web-[0-9]{8}-[0-9]{6}$' create web
like "$map_err" 'started lttngmap-sessiond, process [0-9]+$' 'and the daemon, unasked'
is "$(wc -l <<<"$map_err")" 1 'which is one line'
ok 'its directory is there' eval '[[ -d $(echo web-*) ]]'
bad 'create: twice' 1 "already a session|session 'web' already" create web -o again
ok 'and no directory is left' test ! -e again
bad 'create: a name that is none' 2 "'../x' is no name" create ../x
mkdir full
touch full/file
bad 'create: a directory with something in it' 1 "'full' is not empty" create new -o full
bad 'create: a directory in nowhere' 1 'cannot make.*nowhere' create new -o /proc/nowhere/new
is "$(asked)" '{"verb": "create", "session": "web", "output": "'"$PWD/again"'"}' \
	'the daemon gets an absolute path'
bad 'create: no directories for a session that is refused' 1 "session 'web' already" create web -o deep/er/one
ok '  ... are left' test ! -e deep
good 'create: directories above its own' '' create deep -o deep/er/one/
ok '  ... are made' test -d deep/er/one
good 'set-session, as before' '' destroy deep

good channel '^added channel fast of session web$' channel fast
is "$(asked)" '{"verb": "channel", "session": "web", "channel": "fast", "mode": "discard", "subbuf_size": 524288, "subbufs": 8}' \
	'with the geometry of record'
good 'channel: all options' '' channel slow -s web --mode blocking --timeout 20ms \
	--subbuf-size 1M --subbufs 4 --file-size 10M --file-count 5
is "$(asked)" '{"verb": "channel", "session": "web", "channel": "slow", "mode": "blocking", "blocking_timeout_ms": 20, "subbuf_size": 1048576, "subbufs": 4, "file_size": 10485760, "file_count": 5}' \
	'which the daemon gets'
good 'channel: change' '^changed channel slow' channel --change slow --subbufs 16
is "$(asked)" '{"verb": "channel", "session": "web", "channel": "slow", "subbufs": 16, "change": true}' \
	'asks for what was named only'
bad 'channel: twice' 1 "'fast' already" channel fast
bad 'channel: change of none' 1 "no channel 'none'" channel --change none --subbufs 4
bad 'channel: remove none' 1 "no channel 'none'" channel --remove none
bad 'channel: no such session' 1 "no session 'x'" channel fast -s x
good 'channel: another' '' channel third
good 'channel: remove' '^removed channel third' channel --remove third

bad 'enable: which channel?' 1 'which of 2 channels\? fast, slow.*-c NAME' enable 'shop:*'
good enable "^enabled 'shop:\*' in channel fast of session web, as rule 1; event classes that match now: 2" \
	enable 'shop:*' -c fast
good 'enable: all options' '' enable 'a:*,b:*' -c fast -x a:x -x 'b:\,' --loglevel warning \
	--filter 'count > 3'
is "$(asked)" '{"verb": "enable", "session": "web", "channel": "fast", "rule": "a:*,b:*", "exclude": "a:x,b:\\,", "loglevel": 4, "loglevel_only": false, "filter": "count > 3"}' \
	'which the daemon gets'
good 'enable: one level only' '' enable --all -c slow --loglevel-only TRACE_DEBUG_LINE
is "$(asked)" '{"verb": "enable", "session": "web", "channel": "slow", "rule": "*", "loglevel": 13, "loglevel_only": true}' \
	'which the daemon gets, too'
good 'enable: a warning' '' enable c:d -c fast -f 'warn == 1'
like "$map_err" "enable: warning: shop:closed has no field 'warn'" 'a warning is shown'
bad 'enable: no such channel' 1 "no channel 'none'" enable x:y -c none
bad 'enable: a field that is not there' 1 "no event that matches has a field 'missing'" \
	enable x:y -c fast -f 'count > missing + 1'
is "$(sed -n '2,3p' <<<"$map_err")" 'lttngmap:   count > missing + 1
lttngmap:           ^~~~~~~' 'the place is shown'
bad 'enable: letters of several bytes' 1 missing enable x:y -c fast -f 's == "ä€" && missing'
is "$(sed -n '2,3p' <<<"$map_err")" 'lttngmap:   s == "ä€" && missing
lttngmap:                ^~~~~~~' 'are one column each'
long=$(printf 'x == 1 && %.0s' {1..30})
bad 'enable: a long filter' 1 missing enable x:y -c fast -f "$long missing$long"
like "$(sed -n 2p <<<"$map_err")" '^lttngmap:   \.\.\..{110}\.\.\.$' 'is shown in part'
text=$(sed -n 2p <<<"$map_err")
marks=$(sed -n 3p <<<"$map_err")
indent=${marks%%^*}
is "${text:${#indent}:7}" missing 'and marked where it is'
bad 'enable: the place as JSON' 1 missing enable x:y -c fast -f 'count > missing' --json
like "$map_out" '"ok": false.*"error": "enable: filter.*"column": 8, "length": 7 \}$' \
	'is in the JSON as well'

good disable '^disabled 1 rule of channel fast' disable 'shop:*' -c fast
is "$(asked)" '{"verb": "disable", "session": "web", "channel": "fast", "id": 1}' 'by its number'
good 'enable again' 'as rule 1;' enable 'shop:*' -c fast
good 'disable by number' '^disabled 1 rule' disable --id 1 -c fast
bad 'disable: twice' 1 'is disabled already' disable --id 1 -c fast
bad 'disable: no such rule' 1 "no rule 'x:y'.*lttngmap list web" disable x:y -c fast
bad 'disable: no such number' 1 'no rule 99' disable --id 99 -c fast
bad 'disable: no such channel' 1 "no channel 'none'" disable x:y -c none
good 'disable all' '^disabled 2 rules' disable --all -c fast
good remove '^removed 1 rule' remove 'shop:*' -c fast
bad 'remove: twice' 1 "no rule 'shop:\*'" remove 'shop:*' -c fast
good 'remove all' '^removed 2 rules' remove --all -c fast

good context '^added 2 contexts to channel fast' context vpid vtid -c fast
good 'context: names with commas' '^added 2 contexts to channel fast' context ip,procname -c fast
good 'context: and without them' '^removed 2 contexts from channel fast' context --remove ip,procname -c fast
bad 'context: no permission for the second' 1 "no permission for 'perf:x'.*ask root" \
	context ip perf:x -c fast
bad 'context: none to remove' 1 "'procname'" context --remove vpid procname -c fast
good 'context: remove' '^removed 1 context from' context --remove vtid -c fast
bad 'context: no such channel' 1 "no channel 'none'" context vpid -c none

good track '^session web: 4 trackers added' track --pid 12,13 --uid root --name 'nginx*'
bad 'track: no permission for the second' 1 'no permission to trace process 666' \
	track --pid 14,666
good untrack '1 tracker removed' untrack --pid 12
bad 'untrack: what is not tracked' 1 'pid 99 is not tracked' untrack --pid 13,99
good 'untrack all' '3 trackers removed' untrack --all

bad 'clear: no such session' 1 "no session 'x'" clear x
good clear '^cleared session web' clear
bad 'stop: not started' 1 'not started' stop
bad 'rotate: not started' 1 'has recorded nothing since' rotate
good start '^started session web' start
bad 'start: twice' 1 'started already.*stop it first' start
bad 'start: no such session' 1 "no session 'x'" start x
bad 'channel: change of an active session' 1 'is active' channel --change fast --subbufs 4
bad 'context: of an active session' 1 'is active' context ip -c fast
good rotate '^rotated session web: /.*/archives/1' rotate
good 'rotate by time' 'rotates every 90 s' rotate --period 90s
good 'rotate by size' 'rotates every 90 s at 1.0 MiB' rotate --size 1M
is "$(asked)" '{"verb": "rotation", "session": "web", "period_ms": 90000, "size": 1048576}' \
	'what was said before stays'
good 'rotate no more' 'rotates when asked to' rotate --period 0 --size 0
good status 'session web: active.*1,234 events kept, 55.5 KiB in 3 streams.*alive: 1.*17 events discarded' \
	status
like "$map_err" 'the disk is nearly full' 'its messages are shown'
bad 'status: no such session' 1 "no session 'x'" status x
good stop 'stopped session web.*1,234 events kept.*17 events discarded' stop
good 'rotate what is stopped' '^rotated session web' rotate
bad 'rotate: nothing since' 1 'has recorded nothing since' rotate
bad 'snapshot: not for these' 1 'is not for snapshots' snapshot

# What processes left in their buffers when they ended is on its way.
"$LTTNGMAP_BUILD/lttngmap" create ended -o ended >/dev/null 2>&1
"$LTTNGMAP_BUILD/lttngmap" start ended >/dev/null 2>&1
good 'status: of processes that ended' 'session ended: active.*12 events kept, 408 bytes in 2 streams.*alive: 0' status ended
"$LTTNGMAP_BUILD/lttngmap" destroy ended >/dev/null 2>&1

good 'create --snapshot' '^created session fly for snapshots' create fly --snapshot -o fly
good 'the current session is the one made last' '' status
like "$map_out" '^session fly: stopped' '  ... of two'
good 'set-session' '^session web is the current one$' set-session web
is "$(asked)" '{"verb": "choose", "session": "web"}' 'which the daemon keeps'
good 'it is meant' '^session web: stopped' status
good 'set-session --json' '^\{ "ok": true, "session": "fly" \}$' set-session fly --json
bad 'set-session: no such session' 1 "no session 'x'" set-session x
bad 'set-session: which?' 2 'which session\?' set-session
bad 'set-session: two' 2 'one session at a time' set-session web fly
good 'enable makes a channel' 'added channel events to session fly' enable --all -s fly
like "$(grep '"channel"' "$FAKE_SESSIOND_LOG" | grep '"verb": "channel"' | tail -1)" \
	'"channel": "events".*"mode": "overwrite"' 'of the mode that snapshots want'
bad 'a channel for a rule that is refused' 1 missing enable x:y -s fly -c events -f missing
good snapshot '^snapshot of session fly: 1,234 events, 55.5 KiB: /.*/fly/snapshot-1$' snapshot fly
good 'snapshot elsewhere' ": $PWD/out\$" snapshot -s fly -o out --max-size 64M
is "$(asked)" '{"verb": "snapshot", "session": "fly", "output": "'"$PWD/out"'", "max_size": 67108864}' \
	'which the daemon gets'
bad 'snapshot: no such session' 1 "no session 'x'" snapshot x

good 'a third' '' create third
good list '^web \(stopped, 2 channels\): .*fly \(stopped, for snapshots.*third \(stopped, current, ' list
is "$(wc -l <<<"$map_out")" 3 'all parts of the list'
good 'list: a channel' '^web \(.*channel slow' list web -c slow
is "$(grep -c '^  channel' <<<"$map_out")" 1 '  ... alone'
bad 'list: no such channel' 1 "session web has no channel 'x'" list web -c x
good 'list: domains' '^programs$' list web --domain
good 'list: domains by JSON' '"domains": \[ "programs" \]' list web -d --json
is "$("$LTTNGMAP_BUILD/lttngmap" list --json | jq -r '.sessions[] | select(.current) | .session')" third \
	'the list names the current session'
good 'context --list' '^vpid +process id.*procname' context --list
good 'context --list --json' '"contexts": \[ "vpid"' context --list --json
bad 'context --list and more' 2 '--list goes with nothing else' context --list vpid
good 'list one' 'web \(.*channel fast: discard, 8 sub-buffers of 512.0 KiB.*contexts: vpid.*channel slow: blocking for 20 ms.*files of 10.0 MiB.*the newest 5 files.*rule 3: \*, level DEBUG_LINE only' \
	list web
bad 'list: no such session' 1 "no session 'x'" list x
good 'list processes: one that is none yet' '
4713 late \(user 1, not yet: it was told\)$' list --processes
good 'list processes' '^4711 shop \(user 0, since 20' list --processes
like "$map_out" 'evil\?\[2Jname' 'without what moves a cursor'
good 'their events' '4711.*  shop:order \(INFO\) \{ item: string, count: int32 \}' \
	list --processes --events
good events 'shop:closed \(WARNING\) \{\}.*lttng_ust_libc:free' events
good 'events of one' '' events --pid 4712
is "$map_out" '' 'which has none'

# JSON: one line, an object, with what was asked.
for verb in 'list' 'list web' 'list --processes --events' 'status web' 'events' 'start web' \
	'stop web' 'clear web' 'snapshot fly' 'rotate fly --size 1M' 'channel web2 -s web' \
	'enable j:k -s web -c fast' 'disable j:k -s web -c fast' 'remove j:k -s web -c fast' \
	'context ip -s web -c fast' 'track --pid 1 -s web' 'untrack --pid 1 -s web' 'create json' \
	'save json' 'destroy json'; do
	# shellcheck disable=SC2086
	map $verb --json
	is "$(wc -l <<<"$map_out") $map_status" '1 0' "$verb --json is one line"
	ok 'and an object' python3 -c '
import json, sys
answer = json.loads(sys.argv[1])
sys.exit(answer["ok"] is not True or "verb" in answer)' "$map_out"
done
bad 'a failure as JSON' 1 "no session 'x'" stop x --json
is "$map_out" '{ "ok": false, "session": "x", "error": "stop: there is no session '"'x'"'", "hint": "create it first" }' \
	'tells what people are told'

bad 'destroy: no such session' 1 "no session 'x'" destroy x
good destroy '^destroyed session third: ' destroy -s third
good 'a session again' '' start web
good 'destroy all' 'destroyed session web.*1,234 events kept.*destroyed session fly' destroy --all
good 'nothing is left' '^no session$' list
bad 'no session to mean' 1 'there is no session.*lttngmap create' start
done_testing
