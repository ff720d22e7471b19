#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# A member of the group tracing has long filters compiled for 7000 event classes. That is done in turns of
# some 10 ms, in which others are served, too; in the end all events are on that can be.

# shellcheck disable=SC2016 # filters have $ctx
. "$LTTNGMAP_SRC/tests/utils/tap.sh"
. "$LTTNGMAP_SRC/tests/utils/sessiond.sh"

[[ $EUID == 0 ]] || skip_all 'only root can be several users'
group=$(getent group tracing | cut -d: -f3)
[[ -n $group ]] || skip_all 'there is no group tracing (addgroup --system tracing)'
export LTTNGMAP_RUNTIME_DIR=$SESSIOND_DIR
chmod 0755 "$TAP_DIR"
install -d -o 65021 "$TAP_DIR/member"
many=$LTTNGMAP_BUILD/tests/utils/many-classes
lttngmap=$LTTNGMAP_BUILD/lttngmap

member() { # COMMAND...
	setpriv --reuid=65021 --regid=65021 --groups="$group" --no-new-privs "$@"
}

# The slowest of the answers to root's `status` while the member's command runs, in ms.
slowest_during() { # COMMAND...
	local begin took slowest=0

	member "$@" >/dev/null 2>&1 &
	while kill -0 $! 2>/dev/null; do
		begin=${EPOCHREALTIME/./}
		"$lttngmap" list >/dev/null
		took=$(((${EPOCHREALTIME/./} - begin) / 1000))
		((took <= slowest)) || slowest=$took
	done
	wait $!
	echo "$slowest"
}

bound=$((300 * ${LTTNGMAP_TEST_PATIENCE:-1})) # milliseconds
[[ -z ${LTTNGMAP_SANITIZED:-} ]] || bound=3000
sessiond_start
chmod 0711 "$SESSIOND_DIR"
taken=$(member "$many" long 0 7000)
is "$taken" "done 7000" "a member has 7000 event classes"
member "$lttngmap" create m -o "$TAP_DIR/member/m" >/dev/null
member "$lttngmap" channel c -s m >/dev/null
for rule in {1..10}; do
	filter="\$ctx.vpid == $rule"
	while ((${#filter} < 4000)); do
		filter+=" || \$ctx.vpid == $rule$((10000 + ${#filter}))"
	done
	slowest=$(slowest_during "$lttngmap" enable 'long:*' -c c -s m -f "$filter")
done
ok "others are answered while a filter is compiled for each class: ${slowest:=9999} ms" test "$slowest" -le "$bound"
slowest=$(slowest_during "$lttngmap" start m)
ok "  ... and while the session starts: $slowest ms" test "$slowest" -le "$bound"
slowest=$(slowest_during "$lttngmap" disable --id=6 -c c -s m)
ok "  ... and while a rule is disabled: $slowest ms" test "$slowest" -le "$bound"

# Without a filter for some of its events, a rule is for all. What was put off is done soon.
slowest=$(slowest_during "$lttngmap" enable 'long:*' -c c -s m)
ok "  ... and while a rule without a filter is added: $slowest ms" test "$slowest" -le "$bound"
events() { # of the member's session, that were written so far
	member "$lttngmap" status m --json | grep -oE '"(kept|in_buffers)": *[0-9]+' | tr -dc '0-9\n' | paste -sd+ | bc
}
all_written() {
	local before

	before=$(events)
	member "$many" long 0 7000 >/dev/null
	(($(events) - before == 7000))
}
ok 'each event is recorded then' wait_for all_written
member "$lttngmap" destroy m >/dev/null
sessiond_stop
done_testing
