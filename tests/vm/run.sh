#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The lttngmap authors
#
# run.sh BUILD PACKAGE... - the tests of the kernel's events on other kernels: each
# Debian package of one is booted in a virtual machine (machine.sh). `./dev check-vm` installs
# what this needs.
#
#   LTTNGMAP_VM_TESTS     names of tests, as patterns, instead of all: 'kernel-record.sh kernel-s*'
#   LTTNGMAP_VM_SECONDS   what one kernel may take, instead of 3600
#
# Prints what the tests print; ends with "N passed, N failed, N skipped". In BUILD/vm:
# the packages, and of each kernel KERNEL.log and what its console said, KERNEL.console.

tests=${LTTNGMAP_VM_TESTS:-*}
tests=${tests// /:}

# shellcheck source=tests/vm/machine.sh
. "$(dirname "$0")/machine.sh"
machine_begin "$1"
shift

passed=0
failed=0
skipped=0
for package; do
	machine_unpack "$package"
	machine_prepare || die "cannot make what Linux $release starts with"
	echo "check-vm: Linux $release"
	rm -f "$scratch/output"
	mkfifo "$scratch/output"
	tee "$work/$release.log" <"$scratch/output" &
	show=$!
	machine_boot inside.sh "$tests" -no-reboot >"$scratch/output"
	wait "$show"
	if [[ $(tail -n 1 "$work/$release.log") =~ ^([0-9]+)\ passed,\ ([0-9]+)\ failed,\ ([0-9]+)\ skipped$ ]]; then
		passed=$((passed + BASH_REMATCH[1]))
		failed=$((failed + BASH_REMATCH[2]))
		skipped=$((skipped + BASH_REMATCH[3]))
	else
		failed=$((failed + 1))
		echo "check-vm: Linux $release ended before its tests; its console said last:"
		tail -n 20 "$work/$release.console"
	fi
done
echo "$passed passed, $failed failed, $skipped skipped"
[[ $failed == 0 && $passed != 0 ]]
