#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# Every public call, program and file has its manual page; every link in the texts leads
# somewhere; every page of the manual that another one names is there.

. "$LTTNGMAP_SRC/tests/utils/tap.sh"

cd "$LTTNGMAP_SRC" || exit 1

# Functions that installed headers declare, and macros of small letters that stand for
# one; what ends in _ is nobody's to call.
calls=$({
	sed -nE 's/^[a-z].*[ *](lttngmap_[a-z_]*[a-z])\(.*/\1/p' include/lttngmap/*.h
	sed -nE 's/^#define (lttngmap_[a-z_]*[a-z])\(.*/\1/p' include/lttngmap/*.h
} | grep -vxE 'lttngmap_tracepoint_at' | sort -u)
ok 'there are public calls' test "$(wc -l <<<"$calls")" -ge 20
for call in $calls; do
	ok "$call has a manual page" grep -qE "^\.(.* )?(Nm|Fn) $call( |\$)" doc/man/*.[35]
done
# By its name, where a page is about it.
for call in $(sed -nE 's/^\.Nm (lttngmap_[a-z_]+)( ,)?$/\1/p' doc/man/*.3); do
	page=$(grep -lE "^\.Nm $call( ,)?\$" doc/man/*.3)
	page=${page#doc/man/lttngmap-}
	ok "man $call" grep -qE "(^|[[:space:]])${call#lttngmap_}:${page%.3}( |\\\\|\$)" doc/automake.mk
done
for program in lttngmap.1 lttngmap-sessiond.8 lttngmap-consumerd.8 lttngmap-gen-tp.1; do
	ok "$program" test -s "doc/man/$program"
done

for page in doc/man/*.[1-9]; do
	section=${page##*.} missing=
	# Each is of the section that it says, and is installed.
	like "$(grep '^\.Dt ' "$page")" " $section\$" "${page##*/} is of section $section"
	ok '  ... and installed' grep -qE "(^|[[:space:]])$page( |\\\\|\$)" doc/automake.mk
	while read -r name number; do
		[[ $name != lttngmap* || -e doc/man/$name.$number ]] ||
			grep -qE "(^|[[:space:]])${name#lttngmap-}:" doc/automake.mk || missing+=" $name($number)"
	done < <(sed -nE 's/^\.Xr ([a-zA-Z0-9_.-]+) ([0-9]).*/\1 \2/p' "$page")
	is "$missing" '' '  ... and names pages that there are'
done

# The rights of root's that a daemon keeps: security.md, its code and its unit name the same ones.
page_keeps() { # WHO: in the page's table, where an empty first cell repeats the one above
	awk -F ' *[|] *' -v who="$1" '/^[|] *[|] capabilities kept/ { on = 1 } !/^[|]/ { on = 0 }
		on && $2 { is = $2 == who } on && is { print $3 }' doc/design/security.md |
		grep -oE '`[A-Z_]+`' | tr -d '`' | sort
}
code_keeps() { # FILE
	sed -E 's|/\*.*\*/||' "$1" | grep -oE '\bCAP_[A-Z_]+' | sed 's/^CAP_//' | sort -u
}
is "$(page_keeps 'supervisor and session daemon')" "$(code_keeps sessiond/confine.c)" \
	'security.md has the capabilities that the session daemon keeps'
is "$(code_keeps systemd/system/lttngmap-sessiond.service.in)" "$(code_keeps sessiond/confine.c)" '  ... and so has its unit'
is "$(page_keeps consumer)" "$(code_keeps consumerd/confine.c)" '  ... and those that the consumer keeps'

# Files that the texts name, from the top or from tests/, with their ending or without. CONTRIBUTING.md has names of new ones.
missing=
for file in $(grep -ohE '`(cli|common|consumerd|include|liblttngmap|preload|python|relay|sdt|sessiond|tests|abi|attack|bench|fuzz|integration|model|reliability|unit)/[a-z0-9_./-]+`' \
	README.md SECURITY.md doc/*.md doc/design/*.md | tr -d '`' | sort -u); do
	compgen -G "$file" || compgen -G "$file.*" || compgen -G "tests/$file" || compgen -G "tests/$file.*" ||
		missing+=" $file"
done >/dev/null
is "$missing" '' 'files that the texts name are there'

# The headings of a page, as links name them.
anchors() { # FILE
	sed -nE 's/^#+ +//p' "$1" | tr '[:upper:]' '[:lower:]' | sed -E 's/[^a-z0-9 _-]//g; s/ /-/g'
}

for text in README.md CONTRIBUTING.md SECURITY.md doc/*.md doc/design/*.md; do
	missing=
	for link in $(grep -oE '\]\([^)#: ]+[^):]*\)' "$text" | sed -E 's/^\]\(([^)#]*).*/\1/'); do
		[[ -e ${text%/*}/$link || ($text != */* && -e $link) ]] || missing+=" $link"
	done
	is "$missing" '' "$text links to what is there"
	missing=
	for link in $(grep -oE '\]\([^)#: ]*#[^):]+\)' "$text" | sed -E 's/^\]\(([^)]*)\)/\1/'); do
		file=${link%%#*}
		file=${file:+$(dirname "$text")/$file}
		anchors "${file:-$text}" | grep -qxF "${link#*#}" || missing+=" $link"
	done
	is "$missing" '' '  ... and to headings that there are'
	[[ $text == [A-Z]*.md ]] ||
		ok '  ... and is distributed' grep -qE "(^|[[:space:]])$text( |\\\\|\$)" doc/automake.mk
done
done_testing
