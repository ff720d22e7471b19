#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# tests/check-all.sh goes on where it was: a step that passed is not run again, one that failed or was interrupted is.
# What is interrupted ends, and the page gets its table when each step has passed. `./dev` is played here.

. "$LTTNGMAP_SRC/tests/utils/tap.sh"

command -v git >/dev/null || skip_all 'there is no git'

tree=$TAP_DIR/tree
mkdir -p "$tree/tests" "$tree/doc/design"
cp "$LTTNGMAP_SRC/tests/check-all.sh" "$tree/tests/"
printf '# Page\n\nText.\n' >"$tree/doc/design/reliability.md"
cat >"$tree/dev" <<'END'
#!/bin/bash
[[ ${1:-} != check-asan || ! -e ../hang ]] || {
	trap 'echo ends in its own way; rm ../hang; exit 130' TERM
	touch ../hangs
	for ((i = 0; i < 1200; i++)); do sleep 0.05; done # until SIGTERM comes
}
echo "$*" >>../ran
[[ ! -e "../fails-$1" ]] || { echo '3 passed, 1 failed'; exit 1; }
echo '4 passed, 0 failed'
END
chmod +x "$tree/dev"
cd "$tree" || exit 1
printf 'build/\n' >.gitignore
commit() {
	git -c user.name=test -c user.email=test@example.org commit -q "$@"
}
git init -q . && git add -A && commit -m first || bail_out 'git does not work'
run() { # ARGUMENT...: what ran is in ../ran, what it said in ../out
	: >../ran
	tests/check-all.sh "$@" >../out 2>&1
}
row() { # STEP
	grep "^| $1 |" ../out | sed 's/| [0-9]* | \(passed\|failed\)/| N | \1/; s/[0-9]*-[0-9]*-[0-9]*/DATE/'
}

touch ../fails-check-tsan
run run thread deb --soak=7
is "$?:$(<../ran)" $'1:check-tsan\ndeb' 'the steps that are named are run; one fails'
# shellcheck disable=SC2016 # marks of the page
is "$(row thread)" '| thread | `./dev check-tsan` | DATE | N | failed: 3 passed, 1 failed |' 'its row says so'
# shellcheck disable=SC2016
is "$(row deb)" '| deb | `./dev deb` | DATE | N | passed: 4 passed, 0 failed |' 'that of another passed'
is "$(row lint)" '| lint |  | – | – | not run |' 'and one was not run'
run page
is "$?:$(<doc/design/reliability.md)" $'2:# Page\n\nText.' 'the page is not written then'

rm ../fails-check-tsan
touch ../hang
: >../ran
tests/check-all.sh run --soak=7 >../out 2>&1 &
pid=$!
for ((i = 0; i < 1200; i++)); do
	[[ ! -e ../hangs ]] || break
	sleep 0.05
done
ok 'the others run, until one hangs' test -e ../hangs
kill -TERM "$pid"
wait "$pid"
is "$?:$(tr '\n' ',' <../ran)" '130:lint,check --all-rounds,check --full,guards,' 'SIGTERM ends it'
like "$(<../out)" 'ends in its own way' 'the step says how it ends'
ok 'and has ended' test ! -e ../hang
is "$(row address)" '| address |  | – | – | not run |' 'it was not run, says the table'

run run --soak=7
is "$?:$(tr '\n' ',' <../ran)" '0:check-asan,check-tsan,check-vm,check-deb,soak 7 17 24 25,' \
	'the next run goes on there, and runs again what failed'
run page
like "$?:$(<doc/design/reliability.md)" "^0:# Page.*Text.*## The last whole run.*soak 7 17 24 25.*In all [0-9]+ s" \
	'the page gets its table'
run run
is "$?:$(<../out)" "2:check-all.sh: commit first: what is written down is of a commit" 'what is not committed is not checked'
commit -a -m second
run run lint
is "$(<../ran)" lint 'at another commit all is to be run'
run run lints
like "$?:$(<../out)" "^2:.*there is no step 'lints'; steps are lint rounds" 'an unknown step is refused'
done_testing
