#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# module.sh BUILD PACKAGE... - lttngmap.ko, built for each kernel and loaded into it. A warning
# of the compiler's is a failure, as is one of the kernel's: it panics then.
#
#   LTTNGMAP_VM_GUARDS=1  takes each check of tests/vm/module-guards out instead, and sees a test fail
#   LTTNGMAP_SOAK_SECONDS how long random requests are made, instead of 10
#   LTTNGMAP_VM_TESTS     names of tests of the daemons, instead of all: these alone are run
#   LTTNGMAP_VM_SECONDS   what one kernel may take, instead of 3600
#
# The module's own tests, then those of daemons that keep their rings in it (module-tests-inside.sh).
#
# Ends with "N passed, N failed, N skipped", as run.sh.

# shellcheck source=tests/vm/machine.sh
. "$(dirname "$0")/machine.sh"
machine_begin "$1"
shift

# make_variants: a module without each of the checks, in a directory that `module` is then.
make_variants() {
	local copy=$work/$release.module/module all=$work/$release.guards case file edit number=0

	rm -rf "$all"
	mkdir "$all" || exit 1
	while read -r case file edit; do
		[[ -n $case && $case != '#'* ]] || continue
		number=$((number + 1))
		cp "$src/module/$file" "$copy/$file"
		sed -i "$edit" "$copy/$file"
		! cmp -s "$src/module/$file" "$copy/$file" || die "this edit changes nothing in $file: $edit"
		machine_make "$copy"
		cp "$copy/lttngmap.ko" "$all/$(printf '%02d' "$number")-$case.ko"
		cp "$src/module/$file" "$copy/$file"
	done <"$src/tests/vm/module-guards"
	module=$all
}

# run_daemons: the daemons keep their rings in the module.
run_daemons() {
	local log=$work/$release.daemons.log

	echo "check-vm: daemons by lttngmap.ko in Linux $release"
	machine_boot module-tests-inside.sh "$module:${tests// /:}" '--append=panic_on_warn=1 slub_debug=FZPU' -no-reboot >"$log"
	grep -vE '^ok ' "$log"
	if [[ $(tail -n 1 "$log") =~ ^([0-9]+)\ passed,\ ([0-9]+)\ failed,\ ([0-9]+)\ skipped$ ]]; then
		passed=$((passed + BASH_REMATCH[1]))
		failed=$((failed + BASH_REMATCH[2]))
		skipped=$((skipped + BASH_REMATCH[3]))
	else
		failed=$((failed + 1))
		echo "check-vm: Linux $release ended before its tests; its console said last:"
		tail -n 20 "$work/$release.console"
	fi
}

# run_rings: the module without any daemon.
run_rings() {
	local log=$work/$release.module.log

	echo "check-vm: lttngmap.ko in Linux $release"
	machine_boot module-inside.sh "$module:${LTTNGMAP_SOAK_SECONDS:-10}" '--append=panic_on_warn=1 slub_debug=FZPU' -no-reboot \
		>"$log"
	grep -vE '^ok ' "$log"
	passed=$((passed + $(grep -c '^ok ' "$log")))
	failed=$((failed + $(grep -c '^not ok ' "$log")))
	if ! grep -q '^done$' "$log"; then
		failed=$((failed + 1))
		echo "check-vm: Linux $release ended before its tests; its console said last:"
		tail -n 20 "$work/$release.console"
	fi
}

tests=${LTTNGMAP_VM_TESTS:-}
passed=0
failed=0
skipped=0
for package; do
	machine_unpack "$package"
	machine_module
	[[ ${LTTNGMAP_VM_GUARDS:-0} != 1 ]] || make_variants
	machine_prepare || die "cannot make what Linux $release starts with"
	[[ -n $tests ]] || run_rings
	[[ ${LTTNGMAP_VM_GUARDS:-0} == 1 ]] || run_daemons
done
echo "$passed passed, $failed failed, $skipped skipped"
[[ $failed == 0 && $passed != 0 ]]
