#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# doc/tutorial.md, as its reader would type it: run_tutorial.py compares what is said.

. "$LTTNGMAP_SRC/tests/utils/tap.sh"

need_plain
export XDG_RUNTIME_DIR=$TAP_DIR/run PKG_CONFIG_PATH=$TAP_DIR/pkgconfig PATH=$LTTNGMAP_PLAIN:$PATH
export LTTNGMAP_RUNTIME_DIR=$XDG_RUNTIME_DIR/lttngmap LC_ALL=C.UTF-8 PAGER=cat
# A program waits for the daemon, however loaded the machine is.
export LTTNGMAP_ALLOW_BLOCKING=1
mkdir -m 0700 "$XDG_RUNTIME_DIR" "$TAP_DIR/here"
mkdir "$PKG_CONFIG_PATH"
# As if installed.
cat >"$PKG_CONFIG_PATH/lttngmap.pc" <<END
Name: lttngmap
Description: of the build folder
Version: 0
Libs: -L$LTTNGMAP_PLAIN/.libs -Wl,-rpath,$LTTNGMAP_PLAIN/.libs -llttngmap
Cflags: -I$LTTNGMAP_SRC/include
END
cd "$TAP_DIR/here" || exit 1
end_daemon() {
	local pid

	for pid in $(sed -n 's/.*started lttngmap-sessiond, process \([0-9]*\)$/\1/p' "$TAP_DIR/said"); do
		! kill "$pid" 2>/dev/null || wait_for_end "$pid"
	done
}
wait_for_end() { # PID
	local i

	for ((i = 0; i < 300; i++)); do
		kill -0 "$1" 2>/dev/null || return 0
		sleep 0.1
	done
	return 1
}
cleanup end_daemon
python3 "$LTTNGMAP_SRC/tests/utils/run_tutorial.py" "$LTTNGMAP_SRC/doc/tutorial.md" \
	"$TAP_DIR/said"
