#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# What is typed in a wrong way is refused before any daemon is looked for:
# said on what and what to do, status 2, nothing on standard output.

. "$LTTNGMAP_SRC/tests/utils/tap.sh"

lttngmap=$LTTNGMAP_BUILD/lttngmap
export LTTNGMAP_RUNTIME_DIR=$TAP_DIR/nowhere LTTNGMAP_SESSIOND=/bin/false
mkdir "$TAP_DIR/here"
cd "$TAP_DIR/here" || exit 1

# refused REGEX ARGUMENT...
refused() {
	local regex=$1 output status

	shift
	output=$("$lttngmap" "$@" 2>&1 >"$TAP_DIR/stdout" </dev/null)
	status=$?
	is "$status" 2 "$*: status 2"
	like "$output" "$regex" "$*: said"
	is "$(cat "$TAP_DIR/stdout")$(ls)" '' "$*: nothing done"
}

for verb in create destroy list status start stop channel enable disable remove context track \
	untrack snapshot rotate clear events save load recover; do
	refused "unknown option --frob.*lttngmap help $verb" $verb --frob
	like "$("$lttngmap" $verb --help | tr '\n' ' ')" "Usage: lttngmap $verb.*lttngmap-$verb\(1\).*--json" \
		"$verb --help"
done
for verb in destroy list status start stop snapshot rotate clear save; do
	refused 'one session at a time, not 2' $verb a b
	refused 'named twice' $verb a -s b
done
is "$("$lttngmap" help | awk '/^Verbs/ { on = 1; next } /^$/ { on = 0 } on && match($0, /^  [a-z-]+ +/) { print RLENGTH }' | sort -u | wc -l)" \
	1 'help: what verbs do stands in one column'
refused 'a directory is missing' recover
refused 'one directory at a time, not 2' recover a b
refused 'one session at a time' create a b
refused "'a/b' is no name" create a/b
refused "'-x' is no name" create -- -x
refused 'not both' destroy --all web
refused 'not both' destroy --all -s web
refused 'not both' list --processes web
refused '--events goes with --processes' list --events
refused 'which channel\?' channel
refused 'one channel at a time' channel a b
refused "--mode: 'sometimes'" channel c --mode sometimes
refused "'5000' cannot be used.*power of two" channel c --subbuf-size 5000
refused "'2K' cannot be used.*at least 4K" channel c --subbuf-size 2K
refused "'many' cannot be used.*K, M or G" channel c --subbuf-size many
refused "'3' cannot be used.*power of two" channel c --subbufs 3
refused "'-4' cannot be used" channel c --subbufs=-4
refused "'x' cannot be used" channel c --file-size x
refused "'-1' cannot be used" channel c --file-count=-1
refused "'10' cannot be used.*unit" channel c --timeout 10
refused "'0' cannot be used" channel c --timeout 0
refused 'never waits' channel c --mode overwrite --timeout 1s
refused '--remove, and' channel c --remove --mode discard
refused 'nothing was named to be changed' channel c --change
refused 'which events\?.*PROVIDER:NAME' enable
refused 'one rule at a time; join' enable a:b c:d
refused 'not both' enable --all a:b
refused 'not both' enable a:b --loglevel 1 --loglevel-only 2
refused "'loud' is no log level" enable a:b --loglevel loud
refused "'15' is no log level" enable a:b --loglevel-only 15
refused 'option -f' enable a:b -f
for verb in disable remove; do
	refused 'one of them' $verb
	refused 'one of them' $verb a:b --all
	refused 'one of them' $verb a:b c:d
	refused "'x' is no number" $verb --id x
done
refused 'which context\?' context
refused 'which processes\?' track
refused 'options say which processes' track 12
refused "--pid: 'x' is none" track --pid 1,x
refused "--pid: '' is none" track --pid 1,
refused "--uid: 'no-such-user' is none" track --uid no-such-user
refused "--gid: 'no-such-group' is none" track --gid no-such-group
refused 'which processes\?' untrack
refused 'not both' untrack --all --pid 1
refused "'big' is not a size" snapshot --max-size big
refused "'0' is not a size" snapshot --max-size 0
refused 'not the name of a directory' snapshot -o ''
refused "'soon' is not a duration" rotate --period soon
refused "'x' is not a size" rotate --size x
refused 'no argument' events a:b
refused "'0' is no process's number" events --pid 0
refused '--force without' save --force
refused 'which file\?' load
refused 'one file at a time' load a b
done_testing
