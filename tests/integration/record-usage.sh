#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# What is asked of `lttngmap record` in a wrong way is refused at once: said
# on what and what to do, a status of its own, nothing left behind.

. "$LTTNGMAP_SRC/tests/utils/tap.sh"

lttngmap=$LTTNGMAP_BUILD/lttngmap
mkdir "$TAP_DIR/run" "$TAP_DIR/here"
chmod 700 "$TAP_DIR/run"
export XDG_RUNTIME_DIR=$TAP_DIR/run
cd "$TAP_DIR/here" || exit 1

# refused NAME STATUS REGEX ARGUMENTS...
refused() {
	local name=$1 expected=$2 regex=$3 output status

	shift 3
	output=$("$lttngmap" "$@" 2>&1 >"$TAP_DIR/stdout")
	status=$?
	is "$status" "$expected" "$name: status $expected"
	like "$output" "$regex" "$name: said"
	is "$(find "$TAP_DIR/run" "$TAP_DIR/here" -mindepth 1)" '' \
		"$name: nothing left behind"
	is "$(cat "$TAP_DIR/stdout")" '' "$name: nothing on stdout"
}

refused 'no verb' 2 'a verb is missing'
ok '  ... what is most used fits on a small screen' test "$("$lttngmap" 2>&1 | wc -l)" -lt 24
"$lttngmap" help context >"$TAP_DIR/out"
is "$(grep -cF '....' "$TAP_DIR/out")" 0 'a summary that ends with dots gets no other one'
"$lttngmap" help help >"$TAP_DIR/out"
like "$(<"$TAP_DIR/out")" 'See also lttngmap\(1\)' 'help is described by lttngmap(1)'
mkdir "$TAP_DIR/none"
touch "$TAP_DIR/none/file"
refused 'recover of no trace' 1 '^lttngmap: recover: error: .*no trace in it' recover "$TAP_DIR/none"
refused 'unknown verb' 2 "unknown verb 'recrod'.*did you mean 'lttngmap record'" recrod
refused 'quite unknown verb' 2 "unknown verb 'xyzzy'.*lttngmap help" xyzzy
refused 'unknown global option' 2 "unknown option '--frob'" --frob
refused 'help of an unknown verb' 2 "no verb 'xyzzy'" help xyzzy
refused 'unknown option' 125 'unknown option --frob.*lttngmap help record' record --frob -- true
refused 'a process that runs' 125 'unknown option -p.*lttngmap attach PID' record -p 4711
refused 'a process that runs, by the long name' 125 'unknown option --pid.*lttngmap attach PID' record --pid 4711
refused 'a table' 2 'unknown option --csv.*jq' export --csv file
refused 'no recording to report' 1 'no recording in this directory.*lttngmap report DIR' report
refused 'mistyped option' 125 "unknown option --prelaod.*did you mean '--preload'" record --prelaod libc -- true
refused 'mistyped family' 125 "no family 'lbic'.*did you mean 'libc'" record --preload lbic -- true
refused 'option without its value' 125 'option -o' record -o
refused 'missing command' 125 'no command to record.*help record' record
refused 'missing command after --' 125 'no command to record' record -o out --
refused 'command not found' 127 "'no-such-program': command not found.*PATH" record -- no-such-program
refused 'path not found' 127 "'./no-such': No such file" record -- ./no-such
refused 'empty command name' 127 'command not found' record -- ''
refused 'not executable' 126 "'/etc/passwd': Permission denied.*chmod" record -- /etc/passwd
refused 'directory as command' 126 "'/etc': it is a directory" record -- /etc
refused 'size no power of two' 125 "'5000' cannot be used.*power of two" \
	record --subbuf-size 5000 -- true
refused 'size too small' 125 "at least 4K" record --subbuf-size 2K -- true
refused 'size too large' 125 "at most 1G" record --subbuf-size 2G -- true
refused 'size that is none' 125 "'many' is not a size.*K, M or G" \
	record --subbuf-size many -- true
refused 'negative size' 125 "'-4096' is not a size" record --subbuf-size=-4096 -- true
refused 'count no power of two' 125 "'3' cannot be used.*power of two" record --subbufs 3 -- true
refused 'count too small' 125 'at least 2' record --subbufs 1 -- true
refused 'count too large' 125 'at most 4096' record --subbufs 8192 -- true
refused 'file size that is none' 125 "--file-size: 'x' is not a size" record --file-size x -- true
refused 'negative file count' 125 "--file-count: '-1' cannot" record --file-count=-1 -- true
refused 'unknown mode' 125 "--mode: 'sometimes'.*it is discard, overwrite or blocking" record --mode sometimes -- true
refused 'unknown mediator' 125 "--mediator: 'fuse'" record --mediator fuse -- true
refused 'unknown clock' 125 "--clock: 'sundial'.*it is tsc or monotonic" record --clock sundial -- true
refused 'number that is none' 2 'option --events x: invalid' report --events x
refused 'unknown family to attach' 2 "no family 'foo'" attach --preload foo $$
refused 'probe to attach that is none' 2 "'zz' is not a rule" attach --sdt zz $$
refused 'unknown family' 125 "no family 'qt'.*libc" record --preload libc,qt -- true
refused 'rule without a colon' 125 "'malloc' is not a rule.*PROVIDER:NAME" \
	record -e malloc -- true
refused 'two filters of a rule' 125 "'y' is a second one" record -e a:b -f x -f y -- true
refused 'filter before its rule' 125 "'x' stands before the rule" record --filter x -e a:b -- true
refused 'rule without a name' 125 "'x:' is not a rule" record -e x: -- true

ok 'help lists the verbs' grep -q 'record' <("$lttngmap" help)
ok 'help of a verb shows its options' grep -q -e '--subbuf-size' <("$lttngmap" help record)
ok '--help is the same' diff <("$lttngmap" help record) <("$lttngmap" record --help)
like "$("$lttngmap" --version)" '^lttngmap [0-9]+\.[0-9]+' 'the version'

done_testing
