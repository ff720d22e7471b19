#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# check-all.sh - everything that there is to check, from the top; `./dev check-all` calls it. Takes hours.
#
#   check-all.sh run [--soak=MINUTES] [STEP...]
#                     each step, or those that are named. A step that has passed at this commit is not run again: so
#                     it goes on where it was interrupted. SIGINT and SIGTERM end the step that runs, and print what is
#                     known. Commit first: what is written down is of a commit.
#   check-all.sh table
#                     prints what is known of this commit, as doc/design/reliability.md has it
#   check-all.sh page writes that table there; every step must have passed
#
# build/check-all/COMMIT/ has each step's output, and `result`: a line a step, with outcome, date, seconds, command, figures.
set -uo pipefail

page=doc/design/reliability.md
heading='## The last whole run of `./dev check-all`' # to the page's end

# Each test in each round there is, then the full forms of those that have a short one, in the rounds that
# tests/rounds names. The guards seen before, with their files and tests as they are, are not taken out again.
steps=(
	'lint		./dev lint'
	'rounds		./dev check --all-rounds'
	'full		./dev check --full'
	'guards		./dev guards'
	'address	./dev check-asan'
	'thread		./dev check-tsan'
	'kernels	./dev check-vm'
	'deb		./dev deb'
	'package	./dev check-deb'
	'soak		./dev soak MINUTES 17 24 25'
)

die() {
	echo "check-all.sh: $*" >&2
	exit 2
}

# What a step's output says in figures, in one line.
figures() { # FILE
	grep -E '^([0-9]+ (passed, [0-9]+ failed|reports$|guards of )|passed when run again alone|==> All clean|[0-9]+ runs took|1\.\.[0-9]+$)' \
		"$1" | sed -E 's/^==> //; s/; of CPU .*machine worked/; the CPUs worked/' | paste -sd ';' | sed 's/; */; /g; s/|/\\|/g'
}

is_done() { # STEP
	grep -qsP "^$1\tpassed\t" "$folder/result"
}

run_step() { # NAME COMMAND
	local began=$SECONDS outcome=failed

	echo "==> $1: $2"
	# What runs says how it ends, and tee has to be there for that.
	# shellcheck disable=SC2086 # words
	{ $2 2>&1 </dev/null | (trap '' INT TERM; exec tee "$folder/$1.log"); } &
	running=$!
	wait "$running" && outcome=passed
	running=
	sed -i "/^$1\t/d" "$folder/result"
	printf '%s\t%s\t%s\t%d\t%s\t%s\n' "$1" "$outcome" "$(date -u +%F)" $((SECONDS - began)) "$2" \
		"$(figures "$folder/$1.log")" >>"$folder/result"
	[[ $outcome == passed ]]
}

# A step is a process group of its own, and ends in its own way.
running=
interrupted() {
	trap '' INT TERM
	[[ -z $running ]] || kill -TERM -- "-$running" 2>/dev/null
	wait
	table
	exit 130
}

run() { # [--soak=MINUTES] [STEP...]
	local step name command minutes=60 wanted=() failed=0

	for name; do
		case $name in
		--soak=[1-9]*) minutes=${name#*=} ;;
		*)
			printf '%s\n' "${steps[@]}" | grep -qP "^$name\t" ||
				die "there is no step '$name'; steps are $(printf '%s\n' "${steps[@]}" | awk '{ printf "%s ", $1 }')"
			wanted+=("$name")
			;;
		esac
	done
	[[ -z $(git status --porcelain --untracked-files=no) ]] ||
		die 'commit first: what is written down is of a commit'
	mkdir -p "$folder"
	touch "$folder/result"
	set -m
	trap interrupted INT TERM
	for step in "${steps[@]}"; do
		read -r name command <<<"$step"
		[[ ${#wanted[@]} == 0 || " ${wanted[*]} " == *" $name "* ]] || continue
		if is_done "$name"; then
			echo "==> $name: has passed at this commit"
		else
			run_step "$name" "${command/MINUTES/$minutes}" || failed=$((failed + 1))
		fi
	done
	table
	[[ $failed == 0 ]]
}

table() {
	local step name outcome date seconds command said all=0

	printf 'Commit %s, %d CPUs, Linux %s.\n\n' "$(git log -1 --format='%h of %cd' --date=short)" "$(nproc)" "$(uname -r)"
	printf '| step | command | date | seconds | outcome |\n|---|---|---|---|---|\n'
	for step in "${steps[@]}"; do
		name=${step%%[[:space:]]*}
		IFS=$'\t' read -r _ outcome date seconds command said < <(grep -sP "^$name\t" "$folder/result")
		all=$((all + ${seconds:-0}))
		printf '| %s | %s | %s | %s | %s%s |\n' "$name" "${command:+\`$command\`}" "${date:-–}" "${seconds:-–}" \
			"${outcome:-not run}" "${said:+: $said}"
	done
	echo; echo "In all $all s."
}

write_page() {
	local step new

	for step in "${steps[@]}"; do
		is_done "${step%%[[:space:]]*}" || die "${step%%[[:space:]]*} has not passed at this commit"
	done
	new=$(sed "\|^$heading\$|,\$d" "$page" && echo "$heading" && echo && table) && printf '%s\n' "$new" >"$page"
}

commit=$(git rev-parse HEAD) || exit 1
folder=build/check-all/$commit
case ${1:-} in
run) run "${@:2}" ;;
table) table ;;
page) write_page ;;
*) die "run [--soak=MINUTES] [STEP...], table or page, not '${1:-}'" ;;
esac
# Read no further: this file may have been edited while it ran.
exit
