#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# changed.sh BUILD COMMIT - prints the tests that what changed since COMMIT can reach, a line each; from the top,
# on a tree that is built. What a source reaches, make says: what it would link again, if it did so without
# another make below it, to which -W and -o are not handed down. What a script
# reaches, its name says, where others mention it. Whatever neither says reaches all.
set -uo pipefail

build=$1
commit=$2
all=$(make --no-print-directory -s -C "$build" list-tests)

everything() {
	echo "All tests: $*" >&2
	printf '%s\n' "$all"
	exit
}

git rev-parse -q --verify "$commit^{commit}" >/dev/null || everything "git knows no commit '$commit' here"
mapfile -t changed < <({ git diff --name-only "$commit"; git ls-files --others --exclude-standard; } | sort -u)

# Tests that mention a file of tests/, by itself or by another file there.
mentioning() { # NAME; DEPTH
	local file

	((${2:-0} < 4)) || return 0
	grep -rlF --exclude-dir=corpus --include='*.sh' --include='*.py' --include='fake-*' -- "$1" tests |
		while read -r file; do
			if grep -qx "$file" <<<"$all"; then
				echo "$file"
			elif [[ ${file##*/} != "$1" ]]; then
				mentioning "${file##*/}" $((${2:-0} + 1))
			fi
		done
}

what_if=()
reached=
for file in "${changed[@]}"; do
	case $file in
	*.c | *.h | *.cc | *.map | *.y | *.l) what_if+=(-W "../$file") ;;
	doc/* | *.md | LICENSES/* | COPYING) reached+=$(grep -E '/(doc-|cli-manual|package-files)' <<<"$all")$'\n' ;;
	tests/bench/* | tests/vm/* | tests/package/* | .ci/* | .clang-format | .editorconfig | .gitignore) ;;
	tests/fuzz/*) reached+=tests/fuzz/replay.sh$'\n' ;;
	tests/utils/tap.sh | tests/run.sh | *.mk | *.am | *.ac | dev) everything "$file has changed" ;;
	tests/*)
		! grep -qx "$file" <<<"$all" || reached+=$file$'\n'
		reached+=$(mentioning "${file##*/}")$'\n'
		;;
	*) everything "$file has changed" ;;
	esac
	# Some scripts read or compile sources themselves.
	[[ $file == tests/* ]] || reached+=$(mentioning "${file##*/}" 3)$'\n'
done

if ((${#what_if[@]})); then
	linked=$(make --no-print-directory -n -C "$build" -o config.h "${what_if[@]}" all-am test-programs 2>/dev/null |
		sed -nE 's/.*--mode=link.* -o ([^ ]+) .*/\1/p' | sort -u)
	while read -r program; do
		case $program in
		'') ;;
		lttngmap | lttngmap-*d | liblttngmap*.la | tests/unit/*.la | lib*-core.la) everything "$program is another" ;;
		lib*.la) ;; # What it is linked to is there, too.
		tests/fuzz/*) reached+=tests/fuzz/replay.sh$'\n' ;;
		tests/*)
			! grep -qx "$program" <<<"$all" || reached+=$program$'\n'
			reached+=$(mentioning "$(basename "${program%.la}")")$'\n'
			;;
		*) everything "$program is another" ;;
		esac
	done <<<"$linked"
fi
grep -xF "$all" <<<"$reached" | sort -u
