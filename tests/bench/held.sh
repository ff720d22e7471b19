#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# held.sh begin|table|page|check - the table of all bounds, with what the last `./dev bench` saw: `table`
# prints it, `page` writes it into doc/design/figures.md. build/bench-results has what was seen, first
# the commit and the machine, which `begin` notes. `check`: has the page the bounds of the file `bounds`?
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cd "$here/../.."
results=build/bench-results
page=doc/design/figures.md
begin='<!-- Written by tests/bench/held.sh page. -->'
end='<!-- To here. -->'

begin() {
	printf '# Commit %s, measured on %s, load %s when it began; %s CPUs, %s, Linux %s, LTTng-UST %s.\n' \
		"$(git describe --always --dirty)" "$(date -u +%F)" "$(cut -d' ' -f2 /proc/loadavg)" "$(nproc)" \
		"$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)" "$(uname -r)" \
		"$(dpkg-query -W -f='${Version}' liblttng-ust1 2>/dev/null || echo '(version unknown)')" >$results
}

table() {
	sed -n 's/^# //p' $results
	echo
	printf '| what | bound | from | seen | |\n|---|---|---|---|---|\n'
	awk -F '\t' '
		FILENAME ~ /results$/ && !/^#/ { seen[$1] = $2; verdict[$1] = $3; next }
		/^#/ || !NF { next }
		{
			printf "| %s | ≤ %s | %s | %s | %s |\n", $5, $2, $3 ($4 == "" ? "" : "; " $4), \
				$1 in seen ? seen[$1] : "–", $1 in seen ? verdict[$1] : "not measured"
		}' $results "$here/bounds"
}

write_page() {
	local new

	grep -qxF -- "$begin" $page && grep -qxF -- "$end" $page ||
		{ echo "held.sh: $page lacks the two lines between which the table goes" >&2; exit 1; }
	new=$(sed "\|^$begin\$|q" $page && echo && table && echo && sed -n "\|^$end\$|,\$p" $page)
	printf '%s\n' "$new" >$page
}

check() {
	local row status=0

	while read -r row; do
		grep -qF -- "$row" $page || { echo "$page lacks a bound of $here/bounds: $row" >&2; status=1; }
	done < <(awk -F '\t' '/^#/ || !NF { next }
		{ printf "| %s | ≤ %s | %s |\n", $5, $2, $3 ($4 == "" ? "" : "; " $4) }' "$here/bounds")
	return $status
}

case ${1:-} in
check) check ;;
begin) begin ;;
table) table ;;
page) write_page ;;
*)
	echo "usage: held.sh begin|table|page|check" >&2
	exit 2
	;;
esac
