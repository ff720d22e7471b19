#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# A member of the group tracing gives long filters to 1200 event classes in four channels, which
# would fill the memory that all filters share. It has its share of that, and what goes beyond is counted.
# Root's filter has room.

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

member() { # COMMAND...
	setpriv --reuid=65021 --regid=65021 --groups="$group" --no-new-privs "$@"
}

sessiond_start
chmod 0711 "$SESSIOND_DIR"
member "$many" long 0 1200 >/dev/null
filter='$ctx.vpid == 1'
while ((${#filter} < 4000)); do
	filter+=" || \$ctx.vpid == $((10000 + ${#filter}))"
done
member "$LTTNGMAP_BUILD/lttngmap" create m -o "$TAP_DIR/member/m" >/dev/null
for channel in a b c d; do
	member "$LTTNGMAP_BUILD/lttngmap" channel "$channel" -s m >/dev/null
	member "$LTTNGMAP_BUILD/lttngmap" enable 'long:*' -c "$channel" -s m -f "$filter" >/dev/null
done
member "$LTTNGMAP_BUILD/lttngmap" start m >/dev/null
like "$(member "$LTTNGMAP_BUILD/lttngmap" status m)" ' [1-9][0-9,]* event classes not recorded' \
	'what has no room is counted'

do_all "create r -o $TAP_DIR/r"
"$LTTNGMAP_BUILD/lttngmap" enable 'roots:*' -s r -f '$ctx.vpid > 1' >/dev/null
do_all 'start r'
"$many" roots 0 5 >/dev/null
do_all 'destroy r'
is "$(babeltrace2 "$TAP_DIR/r" 2>&1 | grep -c ' roots:c_[0-4]: ')" 5 "root's filters have room"
member "$LTTNGMAP_BUILD/lttngmap" destroy m >/dev/null
sessiond_stop
done_testing
