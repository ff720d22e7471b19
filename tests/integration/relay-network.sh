#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# Two machines send to a collector over a network that fails: the link is cut under load,
# who sends is killed, the collector is killed and comes again. Nobody crashes, memory and spools have
# their bounds, and at the collector is, in the end, all that was kept; the rest was counted.
#
#   LTTNGMAP_TEST_CUT   seconds that the link is cut for (3)

unset LD_PRELOAD LTTNGMAP_RUNTIME_DIR
. "$LTTNGMAP_SRC/tests/utils/tap.sh"
. "$LTTNGMAP_SRC/tests/utils/sessiond.sh"
. "$LTTNGMAP_SRC/tests/utils/relayd.sh"

lttngmap=$LTTNGMAP_BUILD/lttngmap
emit=$LTTNGMAP_BUILD/tests/utils/emit
cut=${LTTNGMAP_TEST_CUT:-3}
cd "$TAP_DIR" || exit 1

# ---- two machines, a and b, each with a wire to the collector, c

net=lttngmap-$$
[[ $EUID == 0 ]] || skip_all 'only root makes network namespaces'
ip netns add "$net-c" 2>said || skip_all "there are no network namespaces: $(<said)"
cleanup ip netns del "$net-c"
ip -n "$net-c" link set lo up
for machine in a b; do
	ip netns add "$net-$machine"
	cleanup ip netns del "$net-$machine"
	ip -n "$net-c" link add name to-$machine type veth peer name c netns "$net-$machine" 2>said ||
		skip_all "there are no wires between network namespaces: $(<said)"
	[[ $machine == a ]] && subnet=198.18.1 || subnet=198.18.2
	ip -n "$net-c" address add $subnet.1/24 dev to-$machine
	ip -n "$net-c" link set to-$machine up
	ip -n "$net-$machine" address add $subnet.2/24 dev c
	ip -n "$net-$machine" link set lo up
	ip -n "$net-$machine" link set c up
	ip -n "$net-$machine" route add default via $subnet.1
done
# What a machine does; its own daemon, spools and counts.
on() { # MACHINE COMMAND...
	LTTNGMAP_RUNTIME_DIR=$TAP_DIR/run-$1 LTTNGMAP_SPOOL_DIR=$TAP_DIR/spool-$1 \
		XDG_RUNTIME_DIR=$TAP_DIR/run-$1 nsenter --net="/run/netns/$net-$1" "${@:2}"
}
link() { # up|down
	ip -n "$net-c" link set to-a "$1"
	ip -n "$net-c" link set to-b "$1"
}
# shellcheck disable=SC2034 # of relayd.sh
RELAYD_ADDRESS=198.18.1.1 RELAYD_IN=(nsenter "--net=/run/netns/$net-c")
cleanup relayd_stop KILL
relayd_start

# ---- what is looked at

relay_pid() { pgrep -n -f "lttngmap relay .*$TAP_DIR/spool-$1/"; }
status() { # MACHINE KEY
	on "$1" "$lttngmap" status --json | python3 -c \
		"import json, sys; print(json.load(sys.stdin)['$2'])"
}
# Bytes that the sender knows to be there.
confirmed() { od -An -tu8 -j8 -N8 "${spool[$1]}/.relay" | tr -d ' '; }
grows() { # MACHINE FROM
	[[ $(confirmed "$1") -gt $2 ]]
}
resident() { awk '/VmRSS/ { print $2 }' "/proc/$1/status"; }
largest_spool=0 largest_sender=0 largest_consumer=0
look() {
	local machine size consumer

	for machine in a b; do
		size=$(du -sk "${spool[$machine]}" | cut -f1)
		[[ $machine == a || $size -le $largest_spool ]] || largest_spool=$size
		size=$(resident "$(relay_pid $machine)")
		[[ ${size:-0} -le $largest_sender ]] || largest_sender=$size
		consumer=$(pids_of "lttngmap-consumerd --control=$TAP_DIR/run-$machine/")
		size=$(resident "$consumer")
		[[ ${size:-0} -le $largest_consumer ]] || largest_consumer=$size
	done
}

# ---- load

# The oldest is the keeper.
daemon() { pgrep -o -f "^[^ ]*lttngmap-sessiond --runtime-dir=$TAP_DIR/run-$1"; }
no_daemon() { ! daemon "$1"; }
cleanup eval 'for machine in a b; do kill $(daemon $machine); wait_for no_daemon $machine; done'
declare -A spool emitter
for machine in a b; do
	mkdir -m 700 run-$machine spool-$machine
	: >counts-$machine
	on $machine "$LTTNGMAP_BUILD/lttngmap-sessiond" --runtime-dir="$TAP_DIR/run-$machine" \
		>>log-$machine 2>&1 &
	wait_for on $machine "$lttngmap" list || bail_out "no session daemon: $(cat log-$machine)"
	cleanup eval "pkill -KILL -f 'lttngmap relay .*$TAP_DIR/spool-$machine/'"
	[[ $machine == a ]] && size=256M || size=16M
	for step in "create $machine --set-url $RELAYD_URL --spool-size $size" \
		'channel events --subbuf-size 64K --subbufs 4' 'enable numbered:*' 'start'; do
		# shellcheck disable=SC2086 # words
		on $machine "$lttngmap" $step >out 2>&1 || bail_out "$machine: $step: $(cat out)"
	done
	spool[$machine]=$(echo "$TAP_DIR/spool-$machine"/*)
	on $machine "$emit" counts-$machine 2 100000000 stop >out-$machine 2>&1 &
	emitter[$machine]=$!
done
consumers=$(pids_of "lttngmap-consumerd --control=$TAP_DIR/run-")
for machine in a b; do
	ok "$machine: what is recorded comes to the collector" wait_for grows $machine 0
done

# ---- the link is cut

link down
# More than what may wait.
on b "$emit" counts-b 2 1500000 >out 2>&1 &
burst=$!
# Answers that came before are taken: nothing has come for a while.
for ((i = 0, quiet = 0; i < 150 && quiet < 10; i++)); do
	before=$(confirmed a)
	sleep 0.2 # a look each
	[[ $(confirmed a) == "$before" ]] && quiet=$((quiet + 1)) || quiet=0
done
for ((i = 0; i < cut * 5; i++)); do
	sleep 0.2 # a look each, for so long as the link is cut
	look
done
told() { [[ $(on b "$lttngmap" status 2>&1) == *'the spool is full'* ]]; }
ok 'that a spool is full is told' wait_for told
ok 'no more waits than is allowed to' test $largest_spool -le $((18 * 1024))
wait $burst
is $? 0 'a program runs to its end meanwhile'
is "$(confirmed a)" "$before" 'nothing is confirmed while it is cut'
before_a=$(confirmed a) before_b=$(confirmed b)
link up
ok 'a: it goes on when the link is there again' wait_for grows a "$before_a"
ok 'b: and so does the other' wait_for grows b "$before_b"
not_told() { ! told; }
ok 'b: there is room again' wait_for not_told
is "$(relayed_all a | wc -l) $(relayed_all b | wc -l)" '1 1' \
	'by the same connections: an interruption is none'

# ---- who sends is killed, and goes on

kill -KILL "$(relay_pid b)"
on b "$lttngmap" relay --timeout 1s --session b --spool "$RELAYD_URL" "${spool[b]}" >out-relay 2>&1 &
before=$(confirmed b)
ok 'b: who sends was killed, and another one goes on' wait_for grows b "$before"

# ---- the link is cut for longer than a connection may rest

link down
sleep 3 # longer than --timeout
look
before=$(confirmed b)
link up
ok 'b: it goes on after its timeout' wait_for grows b "$before"

# ---- the collector is killed

relayd_stop KILL
sleep 1 # without a collector for so long
look
before_a=$(confirmed a) before_b=$(confirmed b)
relayd_start
ok 'a: it goes on with a collector that was killed' wait_for grows a "$before_a"
ok 'b: and so does the other' wait_for grows b "$before_b"
look

# ---- the end: what was emitted is at the collector, or was counted

touch stop
for machine in a b; do
	wait "${emitter[$machine]}"
	wait_for on $machine "$lttngmap" stop
done
is "$(pids_of "lttngmap-consumerd --control=$TAP_DIR/run-")" "$consumers" 'no consumer was replaced' ||
	diag "$(cat log-a log-b)"
diag "KiB at most: spool of b $largest_spool, a sender $largest_sender, a consumer $largest_consumer"
ok "the senders' memory has a bound" test $largest_sender -gt 0 -a $largest_sender -le 32768
ok "so has the consumers'" test $largest_consumer -gt 0 -a $largest_consumer -le 65536
declare -A kept lost
for machine in a b; do
	kept[$machine]=$(status $machine kept) lost[$machine]=$(status $machine discarded)
	on $machine "$lttngmap" destroy >out 2>&1 || diag "$(cat out)"
done
ended() { ! relay_pid "$1"; }
value() { sed -n "s/^$1 //p" found; }
for machine in a b; do
	ok "$machine: all of it is sent" wait_for ended $machine
	is "$(ls -A spool-$machine)" '' "$machine: nothing is left here"
	mapfile -t folders < <(relayed_all $machine)
	"$LTTNGMAP_SRC/tests/utils/relayed_packets.py" merged-$machine "${folders[@]/%//ust}" >found 2>&1 ||
		diag "$(cat found)"
	diag "$machine: $(tr '\n' ' ' <found) folders ${#folders[@]}"
	is "$(value missing) $(value changed)" '0 0' "$machine: no packet is missing, none is another one"
	ok "$machine: no more is there twice than was under way" test \
		"$(value repeated_bytes)" -le $(((${#folders[@]} - 1) * ((16 << 20) + 65536)))
	"$LTTNGMAP_BUILD/tests/utils/check-trace" merged-$machine counts-$machine >found 2>&1
	is $? 0 "$machine: what is there can be read, each event once" || diag "$(cat found)"
	is "$(value events)" "${kept[$machine]}" "$machine: all that was kept"
	is "$((kept[$machine] + lost[$machine]))" "$(value 'done')" "$machine: each event was kept, or counted as lost"
done
is "${lost[a]}" 0 'a: whose spool was never full lost nothing'
ok 'b: whose spool was, did' test "${lost[b]}" -gt 0
done_testing
