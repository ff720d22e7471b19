#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# peer.sh DIRECTORY NAME [WORK] - what LTTng-UST makes of the program NAME (hello, fields,
# messages, robot, multi, taken, nested; typed: hello, by the commands of typed.txt;
# python, jul, log4j: python.py, Jul and Log4j of WORK, by the rules of NAME.txt) of DIRECTORY: built against its headers, recorded by its daemons, shown
# by babeltrace2. This is how NAME.expected was made:
#
#   tests/lttng/peer.sh tests/lttng hello >tests/lttng/hello.expected
#
# 77: LTTng is not installed (Debian: liblttng-ust-dev, lttng-tools; python: python3-lttngust;
# jul, log4j: liblttng-ust-agent-java and -java-jni, liblog4j1.2-java).
set -eu

source=$(realpath "$1")
name=$2
work=$(realpath "${3:-$(mktemp -d)}")
: "${LTTNGMAP_CC:=cc}" "${LTTNGMAP_CXX:=c++}"

command -v lttng lttng-sessiond babeltrace2 >"$work/commands" || exit 77
[[ $(wc -l <"$work/commands") == 3 ]] &&
	echo '#include <lttng/tracepoint.h>' |
	"$LTTNGMAP_CC" -fsyntax-only -x c - 2>"$work/headers" || exit 77

# Run by root, its daemon has its files in /run/lttng and nowhere else.
if [[ $EUID == 0 && ${PEER_NAMESPACE:-} != 1 ]]; then
	PEER_NAMESPACE=1 exec unshare --mount "$BASH" "$0" "$source" "$name" "$work"
fi
left_behind=()
if [[ $EUID == 0 ]]; then
	mkdir -p /run/lttng
	mount -t tmpfs -o mode=755 tmpfs /run/lttng
	mount -t tmpfs tmpfs /dev/shm
else
	for file in /dev/shm/lttng-ust-wait-8 "/dev/shm/lttng-ust-wait-8-$EUID"; do
		[[ -e $file ]] || left_behind+=("$file")
	done
fi
export HOME=$work LTTNG_HOME=$work

cd "$source"
jars=/usr/share/java
if [[ $name == jul || $name == log4j ]]; then
	for file in common jul log4j; do
		[[ -e $jars/lttng-ust-agent-$file.jar ]] || exit 77
	done
	run=(java -cp "$work:$(printf '%s:' "$jars"/lttng-ust-agent-{common,jul,log4j}.jar "$jars/log4j-1.2.jar")" "${name^}")
elif [[ $name == python ]]; then
	run=(/usr/bin/python3 -B python.py)
	/usr/bin/python3 -c 'import lttngust.agent' 2>"$work/headers" || exit 77
elif [[ $name == robot ]]; then
	"$LTTNGMAP_CC" -D_GNU_SOURCE -I. -fPIC -shared robot-tp.c -o "$work/robot-tp.so" -llttng-ust
	"$LTTNGMAP_CC" -D_GNU_SOURCE -I. -c robot-define.c -o "$work/robot-define.o"
	"$LTTNGMAP_CXX" -I. robot.cc "$work/robot-define.o" -o "$work/robot" -ldl
	run=(env LD_PRELOAD="$work/robot-tp.so" "$work/robot")
elif [[ $name == multi ]]; then
	for number in 1 2 3; do
		"$LTTNGMAP_CC" -D_GNU_SOURCE -I. -DMULTI_PROVIDER="$number" -fPIC -shared multi-tp.c \
			-o "$work/multi-$number.so" -llttng-ust
	done
	cp "$work/multi-1.so" "$work/multi-4.so"
	"$LTTNGMAP_CC" -D_GNU_SOURCE -I. multi.c -o "$work/multi" -ldl
	read -ra order < <(paste -sd ' ' multi.order)
	run=(env -C "$work" ./multi "${order[@]}")
elif [[ -e $name.cc ]]; then
	"$LTTNGMAP_CXX" -I. "$name.cc" -o "$work/$name" -llttng-ust -llttng-ust-common -ldl
	run=("$work/$name")
else
	program=${name/typed/hello}
	files=("$program.c")
	[[ ! -e $program-tp.c ]] || files+=("$program-tp.c")
	"$LTTNGMAP_CC" -D_GNU_SOURCE -I. "${files[@]}" -o "$work/$program" -llttng-ust \
		-llttng-ust-common -ldl
	run=("$work/$program")
fi

lttng() {
	command lttng --no-sessiond --quiet "$@" >>"$work/log" 2>&1
}

lttng-sessiond --no-kernel --quiet >>"$work/log" 2>&1 &
daemon=$!
trap 'kill "$daemon" 2>/dev/null; wait "$daemon" || true; rm -f "${left_behind[@]}"' EXIT
for _ in {1..200}; do
	! lttng list || break
	sleep 0.05
done
if [[ $name == typed ]]; then
	mkdir "$work/typed"
	unset -f lttng
	PATH=$work:$PATH "$BASH" "$source/typed.sh" "$work/typed"
	exit
fi
if [[ $name != typed && -e $name.txt ]]; then
	unset -f lttng
	for _ in {1..200}; do
		[[ ! -e /run/lttng/agent.port && ! -e $HOME/.lttng/agent.port ]] || break
		sleep 0.05
	done
	"$BASH" "$source/loggers.sh" "$work" "$name.txt" "${run[@]}"
	exit
fi
lttng create s --output="$work/trace"
lttng enable-channel -u c --subbuf-size=256K
lttng enable-event -u -c c -a
lttng start
"${run[@]}" >>"$work/log" 2>&1
lttng stop
lttng destroy

# As tests/integration/lttng-compat.sh shows a trace: no time, no place, no context. What LTTng tells of
# itself is not the program's.
babeltrace2 --no-delta --fields=loglevel "$work/trace" |
	sed -n 's/^\[[^]]*\] \(.*\): { cpu_id[^}]*}, /\1: /p' |
	grep -v '[ )]lttng_ust_statedump:'
