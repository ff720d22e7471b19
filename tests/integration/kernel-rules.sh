#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# Rules for the kernel's events are added, disabled, enabled again and removed while a session
# is started: from then on exactly what they say is recorded.

. "$LTTNGMAP_SRC/tests/utils/tap.sh"
. "$LTTNGMAP_SRC/tests/utils/kernel.sh"
. "$LTTNGMAP_SRC/tests/utils/sessiond.sh"
[[ -e $tracefs/uprobe_events ]] || skip_all 'this kernel has no uprobes (CONFIG_UPROBE_EVENTS)'
case $(uname -m) in
x86_64) first=%di ;;
aarch64) first=%x0 ;;
*) skip_all "which registers have a function's arguments on $(uname -m), this test does not know" ;;
esac

unset LD_PRELOAD
cd "$TAP_DIR" || exit 1
cp "$LTTNGMAP_PLAIN/tests/utils/probe-load" load
load=$TAP_DIR/load
map() {
	"$LTTNGMAP_BUILD/lttngmap" "$@"
}
member() { # KEY...: of the JSON that comes
	python3 -c '
import json, sys
thing = json.load(sys.stdin)
for key in sys.argv[1:]:
    thing = thing[int(key) if key.isdigit() else key]
print(thing)' "$@"
}
on() { # EVENT: is it turned on in the session's instance? One of all groups has it.
	[[ $(cat "$instance"/events/$1/enable) == 1 ]]
}
off() {
	[[ $(cat "$instance"/events/$1/enable) == 0 ]]
}
sessiond_start
cleanup sessiond_stop
export LTTNGMAP_RUNTIME_DIR=$SESSIOND_DIR

# ---- one is added, and goes --------------------------------------------------------------

map create s -o "$TAP_DIR/s" >/dev/null
map enable --uprobe ./load:load_work >/dev/null
instance=$tracefs/instances/$(map list s --json | member sessions 0 kernel instance)
offset=$(map list s --json | member sessions 0 kernel probes 0 offset)
map start s >/dev/null
"$load" 10 >/dev/null
kill -STOP "$(sessiond_consumer)"
like "$(map enable --uprobe ./load:load_steps)" 'enabled event uprobes:load_steps' \
	'a session that is started gets a probe'
ok 'which is off as long as the consumer does not know of it' off "lttngmap_${sessiond_pid}_*/load_steps"
kill -CONT "$(sessiond_consumer)"
ok 'and on as soon as it does' wait_for on "lttngmap_${sessiond_pid}_*/load_steps"
"$load" 20 >/dev/null
like "$(map disable --kernel uprobes:load_work)" 'disabled 1 rule of session s for the kernel' \
	'another one is disabled'
ok 'and is off at once' off "lttngmap_${sessiond_pid}_*/load_work"
"$load" 40 >/dev/null
like "$(map list s)" "rule 1 \(disabled\): uprobes:load_work at $load:load_work" 'list shows it'
is "$(map list s --json | member sessions 0 kernel events)" 1 'one event is left'
map disable --kernel --id 1 >/dev/null 2>err
is $? 1 'it cannot be disabled twice'
like "$(<err)" 'rule 1 .*is disabled already' '... which is told'
ok 'it is enabled again' map enable --uprobe ./load:load_work
ok 'and is on at once' on "lttngmap_${sessiond_pid}_*/load_work"
"$load" 80 >/dev/null
ok 'the other one is removed' map remove --kernel uprobes:load_steps
"$load" 160 >/dev/null
map enable --uprobe load_steps=./load:load_work >/dev/null 2>err
is $? 1 'its name is not for another place'
like "$(<err)" 'had a probe load_steps, which was another one.*NAME=' '... which is told'
ok 'but for the same' map enable --uprobe ./load:load_steps
"$load" 320 >/dev/null
map remove --kernel --all >/dev/null
"$load" 640 >/dev/null
is "$(map list s --json | member sessions 0 kernel rules)$(map list s --json | member sessions 0 kernel probes)" \
	'[][]' 'all are removed'
map stop s >/dev/null
babeltrace2 s/kernel >text 2>said
is "$(<said)" '' 'babeltrace2 has nothing to say'
is "$(grep -c ' uprobes:load_work: ' text)" $((10 + 20 + 80 + 160 + 320)) 'each call while it was on'
is "$(grep -c ' uprobes:load_steps: ' text)" $((20 + 40 + 80 + 320)) 'and of the other one'
is "$(map status s --json | member kernel discarded)" 0 'none is lost'
map start s >/dev/null 2>err
is $? 1 'there is nothing to record any more'
for verb in disable remove; do
	map $verb --kernel uprobes:load_work >/dev/null 2>err
	is $? 1 "$verb what there is not"
	like "$(<err)" "has no rule 'uprobes:load_work'" '... is told'
	map $verb --kernel -c x uprobes:load_work >/dev/null 2>err
	is $? 2 "$verb in a channel"
done

# ---- filters of one event -------------------------------------------------------------------

# An event that is not the session's, which has a field of known values.
echo "p:test_rules_$$/work $load:$offset number=$first:s64" >>$tracefs/dynamic_events
cleanup eval "echo -:test_rules_$$/work >>$tracefs/dynamic_events"
map create f -o "$TAP_DIR/f" >/dev/null
rule="test_rules_$$:work"
map enable -s f --kernel "$rule" --filter 'number < 5' >/dev/null
instance=$tracefs/instances/$(map list f --json | member sessions 0 kernel instance)
filter() {
	cat "$instance/events/test_rules_$$/work/filter"
}
map start f >/dev/null
"$load" 10 >/dev/null
map enable -s f --kernel "$rule" --filter 'number > 7' >/dev/null
is "$(filter)" '(number < 5) || (number > 7)' 'a rule more for an event that is recorded'
"$load" 10 >/dev/null
map enable -s f --kernel "$rule" --filter 'nothing == 1' >/dev/null 2>err
is $? 1 'a filter that is wrong'
like "$(<err)" "wrong for test_rules_$$:work: Field not found" '... is refused'
is "$(filter)" '(number < 5) || (number > 7)' 'and leaves the event as it is'
map enable -s f --kernel "$rule" --filter 'number < 5' >/dev/null
is "$(filter)" '(number < 5) || (number > 7)' 'the same again is the same'
map enable -s f --kernel "test_rules_$$:*" >/dev/null
is "$(filter)" none 'a rule without a filter'
"$load" 100 >/dev/null
ok 'is removed' map remove -s f --kernel "test_rules_$$:*"
is "$(filter)" '(number < 5) || (number > 7)' 'the others are left'
map disable -s f --kernel --id 1 >/dev/null
map disable -s f --kernel --id 4 >/dev/null
is "$(filter)" 'number > 7' 'of two disabled ones the third'
"$load" 1000 >/dev/null
like "$(map enable -s f --kernel "$rule" --filter 'number < 5' --json)" '"id": 1, "matched": 1' \
	'one is enabled again, and is the same rule'
is "$(filter)" '(number > 7) || (number < 5)' 'by its filter, too'
map stop f >/dev/null
"$load" 10 >/dev/null
map start f >/dev/null
"$load" 10 >/dev/null
map stop f >/dev/null
is "$(babeltrace2 f/kernel | grep -c " $rule: ")" $((5 + 7 + 100 + 992 + 7)) \
	'each event that a rule matched when it happened'

# While the event is recorded, wrong ones come: it is never without the right one.
map create w -o "$TAP_DIR/w" >/dev/null
map enable -s w --kernel "$rule" --filter 'number < 5' >/dev/null
instance=$tracefs/instances/$(map list w --json | member sessions 0 kernel instance)
map start w >/dev/null
"$load" 200000 >/dev/null &
running=$!
: >err
tries=0
while kill -0 $running 2>/dev/null || ((tries < 3)); do
	for wrong in 'nothing == 1' 'number < 5) || (number > 7' '(number == 1'; do
		map enable -s w --kernel "$rule" --filter "$wrong" >/dev/null 2>>err && break 2
	done
	tries=$((tries + 1))
done
wait $running
is "$(grep -c 'wrong for ' err)" $((3 * tries)) "$((3 * tries)) wrong filters are refused meanwhile"
is "$(filter)" 'number < 5' 'and leave the event as it is'
is "$(compgen -G "$tracefs/instances/lttngmap-$sessiond_pid-*-trial*")" '' 'and nothing else'
map stop w >/dev/null
is "$(babeltrace2 w/kernel | grep -c " $rule: ")" 5 'of which no other event was recorded'

# ---- an event that is another one by now ------------------------------------------------------

echo "p:test_rules_$$/other $load:$offset number=$first:s64" >>$tracefs/dynamic_events
map create o -o "$TAP_DIR/o" >/dev/null
map enable -s o --kernel "test_rules_$$:*" >/dev/null
echo "-:test_rules_$$/other" >>$tracefs/dynamic_events
echo "p:test_rules_$$/other $load:$offset text=$first:u8" >>$tracefs/dynamic_events
instance=$tracefs/instances/$(map list o --json | member sessions 0 kernel instance)
map start o >/dev/null
ok 'an event that the trace describes is on' on "test_rules_$$/work"
ok 'one that was made anew is not' off "test_rules_$$/other"
like "$(<"$TAP_DIR/log")" "test_rules_$$:other is not recorded: by now it is another event" \
	'which is told'
map stop o >/dev/null
map destroy o >/dev/null
echo "-:test_rules_$$/other" >>$tracefs/dynamic_events

# ---- a session that has none yet --------------------------------------------------------------

map destroy --all >/dev/null
map create late -o "$TAP_DIR/late" >/dev/null
map channel late-channel -s late >/dev/null
map start late >/dev/null
ok 'a session that is started gets events of the kernel' map enable -s late --kernel "$rule"
instance=$tracefs/instances/$(map list late --json | member sessions 0 kernel instance)
ok 'which are on' on "test_rules_$$/work"
"$load" 30 >/dev/null
# Whoever comes next has to be told of all of it.
consumer=$(sessiond_consumer)
kill -KILL "$consumer"
other() {
	[[ -n $(sessiond_consumer) && $(sessiond_consumer) != "$consumer" ]]
}
wait_for other
map enable -s late --uprobe ./load:load_steps >/dev/null
ok 'and another one, of which a new consumer is told' wait_for on "lttngmap_${sessiond_pid}_*/load_steps"
"$load" 60 >/dev/null
map stop late >/dev/null
babeltrace2 late/kernel >text
is "$(grep -c " $rule: " text) $(grep -c ' uprobes:load_steps: ' text)" '90 60' 'all are there'

# ---- an id that is another event's by now -------------------------------------------------------

id=$(<"$tracefs/events/test_rules_$$/work/id")
echo "-:test_rules_$$/work" >>$tracefs/dynamic_events
# Lower ones that are free come first.
for ((next = 0; next < 100; next++)); do
	echo "p:test_rules_$$/next$next $load:$offset" >>$tracefs/dynamic_events
	cleanup eval "echo -:test_rules_$$/next$next >>$tracefs/dynamic_events"
	[[ $(<"$tracefs/events/test_rules_$$/next$next/id") != "$id" ]] || break
done
if [[ $next -lt 100 ]]; then
	map enable -s late --kernel "test_rules_$$:next$next" >/dev/null 2>err
	is $? 1 'an event that has the id of one that is gone'
	like "$(<err)" "test_rules_$$:next$next has the id that $rule has in this trace" \
		'... is refused, for the trace has that one'
else
	skip 2 'this kernel gives no id again at once'
fi

done_testing
