#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# guards.sh - takes each guard out of the code and sees the test that is named for it fail. tests/guards is the
# list; doc/design/guards.md is its table. From the top; `./dev guards` calls it.
#
#   guards.sh check   each edit fits its file in one place, each test exists, each row that names a test has a
#                     guard, and the page has the list. Takes a second.
#   guards.sh run [--again] [--jobs=N] [REGEX...]
#                     takes out those that were not seen yet, or all; of these, those whose name, file or test
#                     matches; N at a time, one for each CPU otherwise. build/, page/page.c and check's packages
#                     must be there.
#   guards.sh page    writes the table again, with the days that `run` has seen
#
# `run` works in copies of the tree, build-guards/N/tree, each with a build of its own. It builds what a test needs,
# sees the test pass, and then for each of its guards: edits, builds, sees the test fail, and undoes the edit.
# A guard was seen if neither its entry, nor its file, nor the test has changed since: build-guards/seen says so.
set -uo pipefail

list=tests/guards
page=doc/design/guards.md
table_begin='^[0-9]* guards: ' # to the page's end
seen_in=build-guards/seen
work= # build-guards/N, and the copy of the tree there; of each worker
tree=
rooms=('doc/design/security.md' 'doc/design/attacks.md')

die() {
	echo "guards.sh: $*" >&2
	exit 2
}

# ---- the list -------------------------------------------------------------------

names=()
declare -A in_of=() out_of=() test_of=() by_of=() ends_of=() sees_of=() rows_of=()

read_list() {
	local word rest name=

	while read -r word rest; do
		case $word in
		'' | '#'*) ;;
		guard)
			name=$rest
			[[ -z ${in_of[$name]:-} ]] || die "$list has two guards '$name'"
			names+=("$name")
			by_of[$name]=root ends_of[$name]=failed sees_of[$name]='' rows_of[$name]=''
			;;
		in) in_of[$name]=$rest ;;
		out) out_of[$name]=$rest ;;
		test) test_of[$name]=$rest ;;
		by) by_of[$name]=$rest ;;
		ends) ends_of[$name]=$rest ;;
		sees) sees_of[$name]=$rest ;;
		row) rows_of[$name]+=$rest$'\n' ;;
		*) die "$list: guard '$name': there is no word '$word'" ;;
		esac
	done <"$list"
}

# The test's source, from the top.
source_of() { # TEST; sets $source
	local end

	for end in .sh .c .cc; do
		source=tests/$1$end
		[[ ! -f $source ]] || return 0
	done
	return 1
}

# edited NAME: its file without the guard. Fails, and says how often the edit fits, unless that is once.
edited() {
	# shellcheck disable=SC2016
	perl -e 'my ($edit, $file) = @ARGV; open(my $in, "<", $file) or die "$file: $!\n"; local $/; $_ = <$in>;
		my $before = $_; my $count = eval($edit . "g"); die $@ if $@;
		die "fits in " . ($count || 0) . " places of $file\n" if $count != 1;
		die "changes nothing in $file\n" if $_ eq $before;
		print' "${out_of[$1]}" "${in_of[$1]}"
}

# ---- check ----------------------------------------------------------------------

# The rows of tables that have a column of tests, by their first cell, without markup. "–": there is no test.
rows_with_tests() { # FILE...
	awk -F ' *[|] *' '
		!/^[|]/ { column = head = 0; next }
		!head { head = 1; for (i = 2; i < NF; i++) if ($i ~ /^test/) column = i; next }
		column && !/^[|]-/ && $column != "–" { gsub(/[`*]/, "", $2); print $2 }' "$@"
}

# The page's end: how many were seen, and the table. Days are those seen, or else those that the page has.
table() {
	local name day rows='' seen=0

	for name in "${names[@]}"; do
		day=$(day_of "$name")
		[[ -n $day ]] || day=$(awk -F ' *[|] *' -v name="$name" '$2 == name { print $5 }' "$page" 2>/dev/null)
		[[ ${day:-–} == – ]] || seen=$((seen + 1))
		rows+="| $name | \`${in_of[$name]}\` | \`${test_of[$name]}\`$(rest_of_test "$name") | ${day:-–} |"$'\n'
	done
	printf '%d guards: %d seen, %d not yet.\n\n| guard | in | test | seen |\n|---|---|---|---|\n%s' \
		"${#names[@]}" "$seen" $((${#names[@]} - seen)) "$rows"
}

rest_of_test() { # NAME
	[[ ${by_of[$1]} == root ]] || printf ', round %s' "${by_of[$1]}"
	[[ ${ends_of[$1]} == failed ]] || printf ' (%s)' "${ends_of[$1]}"
}

check() {
	local name room row source wrong=0 problem all

	mapfile -t all < <(rows_with_tests "${rooms[@]}")
	for name in "${names[@]}"; do
		problem=$(edited "$name" 2>&1 >/dev/null) || { echo "guard '$name': its edit $problem"; wrong=1; }
		source_of "${test_of[$name]}" || { echo "guard '$name': there is no test ${test_of[$name]}"; wrong=1; }
		while read -r row; do
			[[ -z $row ]] || is_row "$row" || { echo "guard '$name': no row begins with '$row'"; wrong=1; }
		done <<<"${rows_of[$name]}"
	done
	for room in "${rooms[@]}"; do
		while read -r row; do
			has_guard "$row" || { echo "$room: no guard is of the row '$row'"; wrong=1; }
		done < <(rows_with_tests "$room")
	done
	diff -u <(sed -n "/$table_begin/,\$p" "$page") <(seen_in=/nowhere table) ||
		{ echo "$page is not of this $list: tests/guards.sh page writes it"; wrong=1; }
	((wrong == 0)) && echo "${#names[@]} guards, each fits"
}

is_row() { # BEGIN; in all
	local row

	for row in "${all[@]}"; do
		[[ $row != "$1"* ]] || return 0
	done
	return 1
}

has_guard() { # ROW
	local name row

	for name in "${names[@]}"; do
		while read -r row; do
			[[ -z $row || $1 != "$row"* ]] || return 0
		done <<<"${rows_of[$name]}"
	done
	return 1
}

write_page() {
	local new

	new=$(sed "/$table_begin/,\$d" "$page"; table) && printf '%s\n' "$new" >"$page"
}

# ---- run ------------------------------------------------------------------------

# Where it is written that this guard was seen, as it is now.
seen_file() { # NAME
	local source

	source_of "${test_of[$1]}" || return 1
	{
		printf '%s\n' "$1" "${out_of[$1]}" "${by_of[$1]}" "${ends_of[$1]}" "${sees_of[$1]}"
		cat "${in_of[$1]}" "$source"
	} | sha256sum | cut -c 1-32 | sed "s|^|$seen_in/|"
}

day_of() { # NAME
	cat "$(seen_file "$1")" 2>/dev/null
}

# What was edited before and put back is newer than what was built of it, and stays so.
copy_tree() {
	mkdir -p "$tree"
	chmod a+rx build-guards "$work" "$tree"
	[[ ! -s $work/edited ]] || restore "$(<"$work/edited")"
	tar --exclude=./.git --exclude=./build --exclude='./build-[!a]*' -cf - . |
		tar -xf - --keep-newer-files --warning=no-ignore-newer -C "$tree"
	(cd "$tree" && if [[ ! -f build/Makefile ]]; then
		mkdir -p build && cd build && ../configure --quiet
	fi) || die "configure failed: $tree/build/config.log says more"
}

# build TEST [TARGET...]: what the test needs. All programs that scripts use are built before the first one; they
# stay as they are without an edit.
build() {
	local targets=("${@:2}") target

	# Beside a script, tests/fuzz/replay.c is no program.
	[[ -f tests/$1.sh || ! -f tests/$1.c && ! -f tests/$1.cc ]] || targets+=("tests/$1")
	[[ $1 == unit/* ]] || targets+=(all)
	# The fuzzers' programs have the code in them.
	[[ $1 == unit/* || $has_all == yes && $1 != fuzz/* ]] || targets+=(test-programs)
	[[ $1 == unit/* ]] || has_all=yes
	# One after another: each of `all` and `test-programs` would make what both need.
	for target in "${targets[@]}"; do
		make --no-print-directory -j"$(nproc)" -C "$tree/build" "$target" || return
	done >"$work/build.log" 2>&1
}

# run_test TEST ROUND: sets $outcome: passed, failed, crashed, hung; $said, the first line that is not ok.
run_test() {
	local test=tests/$1 log=$tree/build/results/$1.$2.log began=$SECONDS alone=()

	[[ ! -f $test.sh ]] || test+=.sh
	# What is left behind where a guard is missing goes with its namespace.
	# The kernel's events have the numbers that processes have on the machine.
	[[ $EUID != 0 || $1 == integration/kernel-* ]] || alone=(unshare --pid --fork --kill-child --mount-proc)
	rm -f "$log"
	(
		environment=$(make --no-print-directory -s -C "$tree/build" tests-environment)
		cd "$tree/build" && set +u && eval "$environment" &&
			LTTNGMAP_TEST_TIMEOUT=$limit exec "${alone[@]}" bash ../tests/run.sh --jobs=1 --strict --round="$2" "$test"
	) >"$work/run.log" 2>&1
	case $? in
	0) outcome=passed ;;
	*)
		outcome=crashed
		((SECONDS - began < limit)) || outcome=hung
		! grep -aq '^not ok' "$log" 2>/dev/null || outcome=failed
		grep -q . "$log" 2>/dev/null || outcome="not run: $(tail -n 1 "$work/run.log")"
		;;
	esac
	said=$(grep -am1 '^not ok' "$log" 2>/dev/null)
	[[ -z ${3:-} ]] || said=$(grep -a '^not ok' "$log" 2>/dev/null | grep -am1 -E -- "$3")
}

restore() { # FILE
	cp "$1" "$tree/$1"
	: >"$work/edited"
}

# take_out NAME: sets $outcome, $said.
take_out() {
	local file=${in_of[$1]} limit=$limit

	echo "$file" >"$work/edited"
	# The build is made by times: the edit is younger than what was built of the file.
	edited "$1" >"$work/without" && cat "$work/without" >"$tree/$file" || { outcome='not edited'; return; }
	if build "${test_of[$1]}"; then
		[[ ${test_of[$1]} != unit/* ]] || limit=60
		[[ ${ends_of[$1]} != hung ]] || limit=30
		run_test "${test_of[$1]}" "${by_of[$1]}" "${sees_of[$1]}"
	else
		outcome='not built'
		said=$(grep -m1 'error' "$work/build.log")
	fi
	restore "$file"
}

# The guards that are to be run, a test's together.
chosen() { # [REGEX...]
	local name regex

	for name in "${names[@]}"; do
		[[ $again == yes || -z $(day_of "$name") ]] || continue
		for regex in "${@:-.}"; do
			[[ ! "$name ${in_of[$name]} ${test_of[$name]}" =~ $regex ]] ||
				{ echo "${test_of[$name]}|${by_of[$name]}|$name"; break; }
		done
	done | sort -s -t '|' -k 1,2
}

# Sets $group to the next one that nobody has. Fails where there is none.
next_group() {
	local next

	{
		flock 7
		read -r next <"$next_file"
		echo $((next + 1)) >"$next_file"
	} 7>>"$next_file"
	group=${groups[next]:-}
	[[ $group ]]
}

# tell NAME OUTCOME TEXT: a line in $told, and one for people.
tell() {
	{
		flock 7
		echo "$2 $1" >>"$told"
		printf '[%d/%d] %s\n' "$(wc -l <"$told")" "${#todo[@]}" "$3"
	} 7>>"$next_file"
}

# One group of guards after another, in a copy of the tree.
worker() { # NUMBER
	local work=build-guards/$1 tree=$PWD/build-guards/$1/tree
	local group line name began outcome said limit=300 has_all=no

	copy_tree
	trap '[[ ! -s $work/edited ]] || restore "$(<"$work/edited")"; exit 130' INT TERM
	while next_group; do
		build "${group%|*}" || { tail -n 20 "$work/build.log"; die "the copy in $tree does not build"; }
		run_test "${group%|*}" "${group#*|}"
		[[ $outcome == passed ]] ||
			echo "${group%|*} (${group#*|}) $outcome as it is: nothing can be said of its guards. $said"
		for line in "${todo[@]}"; do
			[[ ${line%|*} == "$group" ]] || continue
			name=${line##*|} began=$SECONDS
			if [[ $outcome == passed ]]; then
				try "$name"
			else
				tell "$name" blind "BLIND $name: not tried"
			fi
		done
	done
}

# try NAME: takes it out, and tells what came of it.
try() {
	local outcome said

	take_out "$1"
	if [[ $outcome == "${ends_of[$1]}" && ( $outcome != failed || $said ) ]]; then
		date -u +%F >"$(seen_file "$1")"
		tell "$1" seen "$((SECONDS - began)) s $1: ${test_of[$1]} $outcome: ${said:0:120}"
	else
		rm -f "$(seen_file "$1")"
		tell "$1" blind "$((SECONDS - began)) s BLIND $1: ${test_of[$1]} $outcome: ${said:0:200}"
	fi
}

run() { # [--again] [--jobs=N] [REGEX...]
	local again=no jobs todo groups workers=() i passed told=$PWD/build-guards/told next_file=$PWD/build-guards/next

	jobs=$(nproc)
	while [[ ${1:-} == --* ]]; do
		case $1 in
		--again) again=yes ;;
		--jobs=[1-9]*) jobs=${1#*=} ;;
		*) die "run takes --again and --jobs=N, not '$1'" ;;
		esac
		shift
	done
	mkdir -p "$seen_in"
	mapfile -t todo < <(chosen "$@")
	mapfile -t groups < <(printf '%s\n' "${todo[@]}" | sed 's/|[^|]*$//' | uniq)
	echo "${#todo[@]} guards of ${#names[@]}; the others were seen as they are"
	[[ ${#todo[@]} != 0 ]] || { echo '0 passed, 0 failed'; return 0; }
	: >"$told"
	echo 0 >"$next_file"
	for ((i = 1; i <= jobs && i <= ${#groups[@]}; i++)); do
		worker "$i" &
		workers+=($!)
	done
	trap 'kill "${workers[@]}" 2>/dev/null; wait; exit 130' INT TERM
	wait
	passed=$(grep -c '^seen ' "$told")
	grep '^blind ' "$told"
	echo "$passed passed, $((${#todo[@]} - passed)) failed"
	((passed == ${#todo[@]}))
}

[[ -f $list ]] || die "there is no $list here: run this from the top"
read_list
case ${1:-} in
check) check ;;
run) run "${@:2}" ;;
page) write_page ;;
*) die "check, run [--again] [--jobs=N] [REGEX...] or page, not '${1:-}'" ;;
esac
# Read no further: this file may have been edited while it ran.
exit
