#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# changed.sh BUILD COMMIT - prints the tests that what changed since COMMIT can reach, a line each; from the top,
# on a tree that is built. What a source reaches, make says: what it would link again, if it did so without
# another make below it, to which -W and -o are not handed down. A program or library of lttngmap's own reaches all
# tests that start one, which are those outside of tests/unit/ and tests/model/, and a few inside. What a script
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

# Tests that mention one of these names, by themselves or by another file of tests/, over so many files.
mentioning() { # DEPTH NAME...
	local depth=$1 files others

	shift
	((depth && $#)) || return 0
	files=$(printf '%s\n' "$@" | sed 's/\./\\./g; s/.*/(^|[^[:alnum:]_.-])&([^[:alnum:]_-]|$)/' |
		grep -rlE --exclude-dir=corpus --include='*.sh' --include='*.py' --include='fake-*' -f - tests)
	grep -xF "$all" <<<"$files"
	mapfile -t others < <(grep -vxF "$all" <<<"$files" | sed 's,.*/,,' | grep -vxF "$(printf '%s\n' "$@")")
	mentioning $((depth - 1)) "${others[@]}"
}

# Tests that start programs of lttngmap's, or load its libraries.
starting() {
	local file

	grep -vE '^tests/(unit|model)/' <<<"$all"
	grep -lE 'tests/utils/(preloaded|watched)\.h|LTTNGMAP_BUILD' tests/unit/*.c | while read -r file; do
		echo "${file%.c}"
	done
}

what_if=()
reached=
named=()    # what scripts may mention, or include by another one
compiled=() # what scripts may mention
for file in "${changed[@]}"; do
	case $file in
	module/*) ;; # ./dev check-vm builds and loads it
	*.c | *.h | *.cc | *.map | *.y | *.l) what_if+=(-W "../$file") ;;
	doc/* | *.md | LICENSES/* | COPYING) reached+=$(grep -E '/(doc-|cli-manual|package-files)' <<<"$all")$'\n' ;;
	tests/bench/* | tests/vm/* | tests/package/* | .ci/* | .clang-format | .editorconfig | .gitignore) ;;
	tests/fuzz/*) reached+=tests/fuzz/replay.sh$'\n' ;;
	tests/utils/tap.sh | tests/run.sh | *.mk | *.am | *.ac | dev) everything "$file has changed" ;;
	tests/*)
		! grep -qx "$file" <<<"$all" || reached+=$file$'\n'
		named+=("${file##*/}")
		;;
	*) everything "$file has changed" ;;
	esac
	# Some scripts read or compile sources themselves.
	[[ $file == tests/* ]] || compiled+=("${file##*/}")
done

if ((${#what_if[@]})); then
	linked=$(make --no-print-directory -n -C "$build" -o config.h "${what_if[@]}" all-am test-programs 2>/dev/null |
		sed -nE 's/.*--mode=link.* -o ([^ ]+) .*/\1/p' | sort -u)
	while read -r program; do
		case $program in
		'') ;;
		lttngmap | lttngmap-*d | lttngmap-vmcore | liblttngmap*.la | lib*-core.la | doc/examples/* | tests/unit/*.la) own=yes ;;
		lib*.la) ;; # What it is linked to is there, too.
		tests/fuzz/*) reached+=tests/fuzz/replay.sh$'\n' ;;
		tests/*)
			# A test is started by its path, another program by its name.
			if grep -qx "$program" <<<"$all"; then
				reached+=$program$'\n'
				named+=("${program#tests/}")
			else
				named+=("$(basename "${program%.la}")")
			fi
			;;
		*) everything "$program is another" ;;
		esac
	done <<<"$linked"
	[[ -z ${own:-} ]] || reached+=$(starting)$'\n'
fi
reached+=$(mentioning 4 "${named[@]}")$'\n'$(mentioning 1 "${compiled[@]}")
grep -xF "$all" <<<"$reached" | sort -u
