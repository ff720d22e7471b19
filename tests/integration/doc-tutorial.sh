#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# doc/tutorial.md, as its reader would type it: run_tutorial.py compares what is said. Then README.md's commands for a user
# without root, each with status 0: behind each other in one folder, as typed, but that /var/tmp is a folder of this test's.
# Its first page, of the demo, is compared as the tutorial is, and so are its blocks ```console.

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
# README.md's blocks as the tutorial's. Not: what builds or installs, needs root, a terminal, or a process 4711.
readme() {
	# shellcheck disable=SC2016 # the shell that runs it
	printf '%s\n' '```console' '$ cd readme' '```'
	awk -v var="$TAP_DIR/var" '
		/^```c$/ { print "```c readme/order.c"; in_c = 1; next }
		/^```console$/ { print; in_c = 1; next }
		/^```/ { if (in_c) print; inside = !inside && !in_c; in_c = 0; next }
		in_c { print; next }
		!inside || !match($0, /^([$] )?(lttngmap |cc .*order\.c|\.\/order)/) && !more { next }
		/--kernel|--uprobe|4711|lttngmap top/ { next }
		{ sub(/^[$] /, ""); gsub("/var/tmp", var); line = line (line ? " " : "") $0
		  more = gsub("\047", "&", line) % 2; if (more) next
		  print "```console\n$ " line "\n…\n```"; line = "" }' "$LTTNGMAP_SRC/README.md"
}
# The end of `./dev demo`, as README.md shows it: each command that it says, behind what `dev` makes before.
demo() {
	echo '```console'
	awk -v demo="$TAP_DIR/demo" -v host="$(hostname)" '
		/^==> Recording each memory/ { inside = 1 }
		/^```/ { inside = 0 }
		!inside || /^==>/ { next }
		{ gsub("/tmp/lttngmap-demo[.][A-Za-z0-9]*", demo); sub(/^    [$] build\//, "    $ "); sub(/^    [$] /, "$ ")
		  sub(/ vm lttng/, " " host " lttng"); print }' "$LTTNGMAP_SRC/README.md"
	echo '```'
}
mkdir "$TAP_DIR/var" readme "$TAP_DIR/demo"
sed -n "/words.pl\" <<-'END'/,/END\$/p" "$LTTNGMAP_SRC/dev" | sed '1d;$d' >"$TAP_DIR/demo/words.pl"
# For `git grep -n main`.
git init -q readme
echo 'int main;' >readme/main.c
git -C readme add main.c
{
	cat "$LTTNGMAP_SRC/doc/tutorial.md"
	readme
	demo
} >"$TAP_DIR/page.md"
python3 "$LTTNGMAP_SRC/tests/utils/run_tutorial.py" "$TAP_DIR/page.md" "$TAP_DIR/said"
